//! A file with variants of its material, which several tests open.

use std::path::PathBuf;

use crate::cli::scratch;

/// A quad whose material is red, and in its variants green and the same red.
pub fn with_variants() -> PathBuf {
    let corners: Vec<u8> = [[-1.0_f32, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .iter()
        .flat_map(|[x, y]| [*x, *y, 0.0])
        .flat_map(f32::to_le_bytes)
        .collect();
    let bytes: Vec<u8> = corners.into_iter().chain([0, 1, 2, 0, 2, 3]).collect();
    let uri = format!("data:;base64,{}", base64(&bytes));
    let unlit = |color: [f32; 4]| {
        let extensions = serde_json::json!({ "KHR_materials_unlit": {} });
        serde_json::json!({ "pbrMetallicRoughness": { "baseColorFactor": color }, "extensions": extensions })
    };
    let mappings = serde_json::json!([{ "variants": [0], "material": 1 }]);
    let file = serde_json::json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_materials_variants", "KHR_materials_unlit"],
        "extensions": { "KHR_materials_variants": { "variants": [{ "name": "Green one" }, { "name": "1st" }] } },
        "buffers": [{ "byteLength": 54, "uri": uri }],
        "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 6 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4, "min": [-1, -1, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 6 },
        ],
        "materials": [unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 1.0, 0.0, 1.0])],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "material": 0,
            "extensions": { "KHR_materials_variants": { "mappings": mappings } } }] }],
        "nodes": [{ "mesh": 0 }],
        "scenes": [{ "nodes": [0] }],
    });
    let path = scratch(&format!("variants-{:?}.gltf", std::thread::current().id()));
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
