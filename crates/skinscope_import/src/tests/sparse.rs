//! Tests of sparse accessors in every position where an accessor may stand: the model is that of the plain file, to the
//! last bit.

use super::*;

/// A skinned, morphed, animated square.
fn whole() -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let normal = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4));
    let uv = doc.floats("VEC2", 2, &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let joints = doc.accessor(&[0, 1, 0, 0].repeat(4), U8, "VEC4", 4);
    let weights = doc.accessor(&[128, 127, 0, 0].repeat(4), U8, "VEC4", 4);
    doc.root["accessors"][weights]["normalized"] = json!(true);
    let indices = doc.shorts("SCALAR", 1, &[0, 1, 2, 1, 3, 2]);
    let bind = doc.floats("MAT4", 16, &glam::Mat4::IDENTITY.to_cols_array().repeat(2));
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let turns = doc.floats("VEC4", 4, &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let smiles = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let (at, by) = (doc.view(&[0, 3]), doc.view(bytemuck::cast_slice(&[1.0_f32; 6])));
    let sparse = json!({
        "count": 2, "indices": { "bufferView": at, "componentType": U8 }, "values": { "bufferView": by },
    });
    let morph = json!({ "componentType": F32, "type": "VEC3", "count": 4, "sparse": sparse });
    let morph = doc.push("accessors", morph);
    let mut doc = doc.with_primitive(json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices, "targets": [{ "POSITION": morph }],
    }));
    doc.root["nodes"] = json!([
        { "mesh": 0, "skin": 0 }, { "children": [2], "rotation": [0.0, 0.0, 0.0, 1.0] },
        { "matrix": glam::Mat4::IDENTITY.to_cols_array() },
    ]);
    doc.root["scenes"] = json!([{ "nodes": [0, 1] }]);
    doc.root["scene"] = json!(0);
    doc.root["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": bind }]);
    doc.root["animations"] = json!([{
        "samplers": [{ "input": times, "output": turns }, { "input": times, "output": smiles }],
        "channels": [
            { "sampler": 0, "target": { "node": 1, "path": "rotation" } },
            { "sampler": 1, "target": { "node": 0, "path": "weights" } },
        ],
    }]);
    doc
}

/// Returns the bytes of a component of the accessor, and its number of components.
fn shape(accessor: &Value) -> (usize, usize) {
    let width = match accessor["componentType"].as_u64().unwrap() as u32 {
        I8 | U8 => 1,
        I16 | U16 => 2,
        _ => 4,
    };
    let components = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    };
    (width, components)
}

/// Makes accessor `index` sparse: the elements that `listed` accepts stand in the list, over zeros or over nonsense in
/// a base.
fn make_sparse(doc: &mut Doc, index: usize, base: bool, listed: &dyn Fn(usize, &[u8]) -> bool) {
    let accessor = doc.root["accessors"][index].clone();
    let (width, components) = shape(&accessor);
    let (size, count) = (width * components, accessor["count"].as_u64().unwrap() as usize);
    let view = &doc.root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let bytes = doc.bin[start..start + size * count].to_vec();
    let elements: Vec<&[u8]> = bytes.chunks(size).collect();
    let chosen: Vec<usize> = (0..count).filter(|i| listed(*i, elements[*i])).collect();
    let indices: Vec<u16> = chosen.iter().map(|i| *i as u16).collect();
    let at = doc.view(bytemuck::cast_slice(&indices));
    let values = doc.view(&chosen.iter().flat_map(|i| elements[*i]).copied().collect::<Vec<u8>>());
    let mut below = bytes.clone();
    for i in &chosen {
        below[i * size..(i + 1) * size].fill(0x55);
    }
    let below = doc.view(&below);
    let changed = &mut doc.root["accessors"][index];
    changed["sparse"] = json!({
        "count": chosen.len(), "indices": { "bufferView": at, "componentType": U16 }, "values": { "bufferView": values },
    });
    if base {
        changed["bufferView"] = json!(below);
    } else {
        changed.as_object_mut().unwrap().remove("bufferView");
    }
}

/// Describes the whole model, except where it came from.
fn described(doc: &Doc) -> String {
    let import = doc.import().unwrap();
    assert_eq!(import.warnings, []);
    let m = &import.model;
    format!("{:?} {:?} {:?} {:?} {:?}", m.meshes, m.skins, m.clips, m.skeleton, m.instances)
}

#[test]
fn sparse_accessors_read_alike_everywhere() {
    let doc = whole();
    let want = described(&doc);
    let count = doc.root["accessors"].as_array().unwrap().len();
    let mut seen = 0;
    for index in (0..count).filter(|i| doc.root["accessors"][*i]["sparse"].is_null()) {
        // Without a base the list holds everything that is not zero.
        let mut bare = doc.clone();
        make_sparse(&mut bare, index, false, &|_, bytes| bytes.iter().any(|b| *b != 0));
        assert_eq!(described(&bare), want, "accessor {index} without a base");
        // With a base, that holds nonsense in every other position.
        let mut patched = doc.clone();
        make_sparse(&mut patched, index, true, &|i, _| i % 2 == 0);
        assert_eq!(described(&patched), want, "accessor {index} with a base");
        seen += 1;
    }
    // These are positions, normals, coordinates, joints, weights, indices, inverse binds, times, turns, morph weights
    // over time.
    assert_eq!(seen, 10);
    let all = (0..count).filter(|i| doc.root["accessors"][*i]["sparse"].is_null());
    let mut every = doc.clone();
    all.for_each(|index| make_sparse(&mut every, index, false, &|_, _| true));
    assert_eq!(described(&every), want);
}
