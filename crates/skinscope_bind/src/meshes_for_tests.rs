//! Meshes for tests: the files of the corpus, which stands outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus` beside it. Without
//! it the tests that need it say so and end.

use std::path::{Path, PathBuf};

use glam::{DMat3, DMat4, DVec3};
use serde_json::Value;

use crate::{BindProblem, Joint};

/// The folder of meshes for binding; `None`, and said so, where it is not there.
pub fn corpus(file: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("SKINSCOPE_CORPUS").map_or_else(beside, PathBuf::from);
    let path = root.join(file);
    if !path.is_file() {
        eprintln!("skipped: there is no {} (set SKINSCOPE_CORPUS)", path.display());
    }
    Some(path).filter(|path| path.is_file())
}

/// Reads the first skin of a GLB and the triangles of all meshes that it moves; places are not made one.
pub fn read(path: &Path) -> BindProblem {
    let bytes = std::fs::read(path).unwrap();
    let chunk = |at: usize| {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        &bytes[at + 8..at + 8 + length]
    };
    let json = chunk(12);
    let json: (Value, &[u8]) = (serde_json::from_slice(json).unwrap(), chunk(20 + json.len()));
    let (json, binary) = (&json.0, json.1);
    let index = |value: &Value| value.as_u64().unwrap() as usize;
    let numbers = |accessor: &Value| -> Vec<f64> {
        let accessor = &json["accessors"][index(accessor)];
        let view = &json["bufferViews"][index(&accessor["bufferView"])];
        let start = [&accessor["byteOffset"], &view["byteOffset"]].iter().map(|v| v.as_u64().unwrap_or(0)).sum::<u64>();
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let size = match accessor["componentType"].as_u64().unwrap() {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let stride = view["byteStride"].as_u64().map_or(width * size, |stride| stride as usize);
        let one = |row: usize, column: usize| {
            let at = &binary[start as usize + row * stride + column * size..];
            match accessor["componentType"].as_u64().unwrap() {
                5121 => f64::from(at[0]),
                5123 => f64::from(u16::from_le_bytes([at[0], at[1]])),
                5125 => f64::from(u32::from_le_bytes(at[..4].try_into().unwrap())),
                _ => f64::from(f32::from_le_bytes(at[..4].try_into().unwrap())),
            }
        };
        let rows = index(&accessor["count"]);
        (0..rows).flat_map(|row| (0..width).map(move |column| (row, column))).map(|(r, c)| one(r, c)).collect()
    };
    let skin = &json["skins"][0];
    let nodes: Vec<usize> = skin["joints"].as_array().unwrap().iter().map(index).collect();
    let matrices = numbers(&skin["inverseBindMatrices"]);
    let mut parents = vec![None; json["nodes"].as_array().unwrap().len()];
    for (node, row) in json["nodes"].as_array().unwrap().iter().enumerate() {
        row["children"].as_array().into_iter().flatten().for_each(|child| parents[index(child)] = Some(node));
    }
    let joint = |(at, node): (usize, &usize)| {
        let matrix = DMat4::from_cols_slice(&matrices[16 * at..16 * at + 16]).inverse();
        let above = std::iter::successors(parents[*node], |above| parents[*above]);
        let parent = above.map(|above| nodes.iter().position(|n| *n == above)).find(Option::is_some).flatten();
        let name = json["nodes"][*node]["name"].as_str().unwrap_or("").to_owned();
        Joint { name, parent, head: matrix.w_axis.truncate(), axes: DMat3::from_mat4(matrix), may_bind: true }
    };
    let joints = nodes.iter().enumerate().map(joint).collect();
    let mut out = BindProblem { joints, ..BindProblem::default() };
    for node in json["nodes"].as_array().unwrap().iter().filter(|node| node["skin"].as_u64() == Some(0)) {
        for primitive in json["meshes"][index(&node["mesh"])]["primitives"].as_array().unwrap() {
            let first = out.points.len() as u32;
            let positions = numbers(&primitive["attributes"]["POSITION"]);
            out.points.extend(positions.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)));
            let indices = numbers(&primitive["indices"]);
            out.triangles.extend(indices.as_chunks::<3>().0.iter().map(|t| t.map(|i| first + i as u32)));
        }
    }
    out
}
