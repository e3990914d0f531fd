//! A surface whose triangles are cut into primitives that name the same vertices, as exporters cut it at its materials, is the
//! surface that it was: what is counted, found, measured, compared, repaired and drawn is the same.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common;
use crate::fix::run::captured;

/// Cuts the one primitive of the figure into `count`, which name the same vertices, each with a material of its own; those in `own` name
/// accessors of their own with the same contents.
pub fn cut(document: &mut Value, count: usize, own: &[usize]) {
    let whole = document["meshes"][0]["primitives"][0].clone();
    let indices = document["accessors"][whole["indices"].as_u64().unwrap() as usize].clone();
    let triangles = indices["count"].as_u64().unwrap() as usize / 3;
    let part = |i: usize| i * triangles / count;
    let mut primitives = Vec::new();
    for i in 0..count {
        let (mut accessor, mut primitive) = (indices.clone(), whole.clone());
        // Two bytes for each index.
        accessor["byteOffset"] = json!(part(i) * 6);
        accessor["count"] = json!((part(i + 1) - part(i)) * 3);
        let accessors = document["accessors"].as_array_mut().unwrap();
        let targets = whole["targets"].as_array().map_or(0, Vec::len);
        let lists = (0..targets).map(|target| format!("/targets/{target}")).chain(["/attributes".to_owned()]);
        for list in lists.filter(|_| own.contains(&i)) {
            for named in primitive.pointer_mut(&list).unwrap().as_object_mut().unwrap().values_mut() {
                let copy = accessors[named.as_u64().unwrap() as usize].clone();
                *named = json!(accessors.len());
                accessors.push(copy);
            }
        }
        primitive["indices"] = json!(accessors.len());
        accessors.push(accessor);
        let materials = document["materials"].as_array_mut().unwrap();
        let mut material = materials[0].clone();
        material["name"] = json!(format!("Part {i}"));
        primitive["material"] = json!(materials.len());
        materials.push(material);
        primitives.push(primitive);
    }
    document["meshes"][0]["primitives"] = json!(primitives);
}

/// A folder with the figure in one piece, `whole.glb`, and in four, `cut.glb`; three vertices have weights that sum to less
/// than one.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sharing").join(name);
    let _absent = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, count) in [("whole.glb", 1), ("cut.glb", 4)] {
        let mut file = common::figure(|document| cut(document, count, &[]));
        let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        // The first weight of a vertex in the fixture's view of vertices, of 16 bits.
        let weight = |vertex: usize| 20 + length + 8 + 12096 + 28 + 64 * vertex;
        [7, 200, 500].into_iter().for_each(|vertex| file[weight(vertex)..weight(vertex) + 2].fill(0x10));
        std::fs::write(folder.join(name), file).unwrap();
    }
    folder
}

pub fn told(folder: &Path, arguments: &[&str]) -> Value {
    let out = captured(folder, arguments);
    let told = serde_json::from_slice(&out.stdout);
    assert!(told.is_ok(), "{}", String::from_utf8_lossy(&out.stderr));
    told.unwrap()
}

#[test]
fn counts_are_of_distinct_vertices() {
    let folder = folder("counts");
    let [whole, cut] = ["whole.glb", "cut.glb"].map(|file| told(&folder, &["info", file, "--json"]));
    for field in
        ["/counts/vertices", "/counts/triangles", "/influences", "/bounds", "/skins/0/vertices", "/skins/0/bytes"]
    {
        assert_eq!(cut.pointer(field), whole.pointer(field), "{field}");
    }
    assert_eq!((&whole["counts"]["primitives"], &cut["counts"]["primitives"]), (&json!(1), &json!(4)));
    assert_eq!(cut["skins"][0]["primitives"], json!(4));
    let rows = cut["meshes"][0]["primitives"].as_array().unwrap();
    let shares: Vec<&Value> = rows.iter().map(|row| &row["shares"]).collect();
    assert_eq!(shares, [&Value::Null, &json!(0), &json!(0), &json!(0)]);
    assert!(rows.iter().all(|row| row["vertices"] == json!(587)), "each names them all");
    assert_eq!(rows.iter().map(|row| row["indices"].as_u64().unwrap()).sum::<u64>(), 3168);
    let [whole, cut] = ["whole.glb", "cut.glb"].map(|file| told(&folder, &["info", file, "--load", "--json"]));
    for field in ["vertices", "indices", "upload_mib"] {
        assert_eq!(cut[field], whole[field], "{field}");
    }
}

#[test]
fn each_fault_is_found_once_and_its_materials_are_named() {
    let folder = folder("findings");
    let findings = |file| {
        let report = told(&folder, &["check", file, "--json"]);
        report["files"].as_array().map_or_else(|| report["findings"].clone(), |files| files[0]["findings"].clone())
    };
    let (whole, mut cut) = (findings("whole.glb"), findings("cut.glb"));
    let sums = cut.as_array().unwrap().iter().find(|finding| finding["rule"] == "weights-sum").unwrap().clone();
    assert_eq!(sums["vertices"], json!([7, 200, 500]));
    let named: Vec<&str> = sums["materials"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!((1..=4).contains(&named.len()) && named.iter().all(|name| name.starts_with("Part ")), "{named:?}");
    for finding in cut.as_array_mut().unwrap() {
        finding["materials"] = json!([]);
        finding["words"]["location"] = json!(null);
    }
    let mut whole = whole;
    for finding in whole.as_array_mut().unwrap() {
        finding["materials"] = json!([]);
        finding["words"]["location"] = json!(null);
    }
    assert_eq!(cut, whole);
    let text = captured(&folder, &["check", "cut.glb"]).stdout;
    assert!(
        String::from_utf8_lossy(&text).contains(&format!("\"{}\"", named[0])),
        "{}",
        String::from_utf8_lossy(&text)
    );
}

#[test]
fn what_a_runtime_does_is_predicted_as_for_the_whole() {
    let folder = folder("runtime");
    let predicted = |file| {
        let report = told(&folder, &["check", file, "--runtime", "1:u8:64", "--json"]);
        report["files"][0]["runtime"].clone()
    };
    let whole = predicted("whole.glb");
    assert!(whole["worst_mm"].as_f64().unwrap() > 0.1, "{whole}");
    assert_eq!(predicted("cut.glb"), whole);
}

#[test]
fn measures_are_those_of_the_whole_surface() {
    let folder = folder("measures");
    let measured = |file, more: &[&str]| {
        let mut told = told(&folder, &[&["measure", file, "--clip", "Walk", "--rate", "4", "--json"], more].concat());
        told.as_object_mut().unwrap().remove("parts");
        told
    };
    assert_eq!(measured("cut.glb", &[]), measured("whole.glb", &[]));
    assert_eq!(measured("whole.glb", &["--by-primitive"]), measured("whole.glb", &[]));
    // A cut is a border where each primitive is measured alone.
    assert_ne!(measured("cut.glb", &["--by-primitive"])["curves"], measured("cut.glb", &[])["curves"]);
}

#[test]
fn a_repair_reaches_every_primitive_and_counts_once() {
    let folder = folder("repair");
    let mut reports = Vec::new();
    for file in ["whole.glb", "cut.glb"] {
        let output = format!("fixed-{file}");
        let report = told(&folder, &["fix", file, "-o", &output, "--normalise", "--limit", "2", "--json"]);
        reports.push(report["operations"].clone());
        let differs = told(&folder, &["diff", file, &output, "--json"]);
        reports.push(differs["weights"]["vertices"].clone());
        let after = told(&folder, &["check", &output, "--rules", "weights-sum", "--json"]);
        assert!(!after.to_string().contains("\"rule\":\"weights-sum\""), "{after}");
    }
    assert_eq!(reports[..2], reports[2..]);
    // The bytes of the weights are changed in place, so all that name them have them.
    let [before, after] =
        ["cut.glb", "fixed-cut.glb"].map(|file| told(&folder, &["info", file, "--json"])["meshes"].clone());
    assert_eq!(before, after);
}

#[test]
fn a_primitive_that_shares_the_vertices_of_another_one_stands_for_their_list() {
    let folder = folder("named");
    let baked = |primitive: &str| {
        let all = ["bake-weights", "cut.glb", "--from=dual-quaternion", "-o", "out.glb", "--json", "--primitive"];
        told(&folder, &[&all[..], &[primitive]].concat())
    };
    assert_eq!(baked("0,2"), baked("0,0"));
    let out = captured(
        &folder,
        &["bake-weights", "cut.glb", "--from=dual-quaternion", "-o", "none.glb", "--primitive", "0,4"],
    );
    assert!(String::from_utf8_lossy(&out.stderr).contains("no primitive 0,4"), "there are four");
}

#[test]
fn what_is_baked_has_a_part_for_each_primitive_of_the_file() {
    let folder = folder("baked");
    let baked = |file: &str, more: &[&str]| {
        let output = format!("{file}.obj");
        let out =
            captured(&folder, &[&["bake", file, "-o", &output, "--clip", "Walk", "--time", "0.4"], more].concat());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let text = std::fs::read_to_string(folder.join(output)).unwrap();
        let lines =
            |start: &str| text.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect::<Vec<_>>();
        (lines("v "), lines("o "), lines("f "), lines("usemtl "))
    };
    let (whole, cut) = (baked("whole.glb", &[]), baked("cut.glb", &[]));
    assert_eq!((cut.1.len(), cut.3.len(), cut.2.len()), (4, 4, whole.2.len()));
    assert_eq!(cut.0, [&whole.0[..]; 4].concat(), "each part has the vertices in stored order");
    assert_eq!(cut.2[0], whole.2[0]);
    // A copy that keeps its skin names the vertices once more.
    let out = captured(&folder, &["bake", "cut.glb", "-o", "kept.glb", "--keep-skin"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let kept = told(&folder, &["info", "kept.glb", "--json"]);
    assert_eq!((&kept["counts"]["vertices"], &kept["counts"]["primitives"]), (&json!(587), &json!(4)));
}

/// Draws half of the triangles of the figure as a second list of the same vertices, which `change` makes another one, and breaks the sums
/// of three vertices.
fn twice(folder: &Path, name: &str, change: fn(&mut Value)) {
    let file = common::figure(|document| {
        cut(document, 2, &[]);
        change(document);
    });
    let mut file = file;
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let weight = |vertex: usize| 20 + length + 8 + 12096 + 28 + 64 * vertex;
    [7, 200, 500].into_iter().for_each(|vertex| file[weight(vertex)..weight(vertex) + 2].fill(0x10));
    std::fs::write(folder.join(name), file).unwrap();
}

#[test]
fn vertices_that_several_lists_name_count_once() {
    let folder = folder("lists");
    twice(&folder, "lines.glb", |document| {
        document["meshes"][0]["primitives"][1]["mode"] = json!(3);
    });
    twice(&folder, "bare.glb", |document| {
        let attributes = document["meshes"][0]["primitives"][1]["attributes"].as_object_mut().unwrap();
        attributes.retain(|name, _| name == "POSITION" || name.starts_with("JOINTS") || name.starts_with("WEIGHTS"));
    });
    twice(&folder, "meshes.glb", |document| {
        let second = document["meshes"][0]["primitives"].as_array_mut().unwrap().pop().unwrap();
        let mut mesh = document["meshes"][0].clone();
        (mesh["name"], mesh["primitives"]) = (json!("Second"), json!([second]));
        document["meshes"].as_array_mut().unwrap().push(mesh);
        let nodes = document["nodes"].as_array_mut().unwrap();
        let mut node = nodes.iter().find(|node| node["mesh"] == json!(0)).unwrap().clone();
        node.as_object_mut().unwrap().remove("children");
        (node["name"], node["mesh"]) = (json!("Second"), json!(1));
        nodes.push(node);
        let index = nodes.len() - 1;
        document["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(index));
    });
    let whole = told(&folder, &["info", "whole.glb", "--json"]);
    let changed = |file: &str| {
        let output = format!("fixed-{file}");
        let fixed = told(&folder, &["fix", file, "-o", &output, "--normalise", "--json"])["operations"].clone();
        (fixed, told(&folder, &["diff", file, &output, "--json"])["weights"]["vertices"].clone())
    };
    let of_whole = changed("whole.glb");
    for file in ["lines.glb", "bare.glb", "meshes.glb"] {
        let found = told(&folder, &["info", file, "--json"]);
        let warnings = found["warnings"].to_string().matches("do not sum to one").count();
        for field in ["/counts/vertices", "/influences", "/skins/0/vertices", "/skins/0/bytes"] {
            assert_eq!(found.pointer(field), whole.pointer(field), "{file} {field}");
        }
        assert_eq!((found["skins"][0]["primitives"].clone(), warnings), (json!(2), 1), "{file}");
        let report = told(&folder, &["check", file, "--rules", "weights-sum", "--json"]);
        let findings = report["files"][0]["findings"].as_array().unwrap();
        let told: Vec<_> = findings.iter().map(|f| (f["mesh"].clone(), f["vertices"].clone())).collect();
        assert_eq!(told, [(json!(0), json!([7, 200, 500]))], "{file}");
        assert_eq!(changed(file), of_whole, "{file}");
    }
}
