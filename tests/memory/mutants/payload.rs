//! Compressed payloads in a document that fits them: a head of sixteen bytes says which decoder is used, and with which
//! values.
//!
//! The bytes of the head: 0 the kind, 1 the filter of meshopt or the type of an image, 2 the stride, 3 the mode of
//! meshopt or the component type of joints, 4 to 7 the count of elements, 8 to 10 the count of indices, 11 to 15 the
//! ids of the attributes in a Draco stream (255: not there).

use serde_json::{Map, Value, json};

use super::document::Document;

pub const HEAD: usize = 16;
const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const FILTERS: [&str; 5] = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];
const IMAGES: [(&str, &str); 4] =
    [("image/ktx2", "KHR_texture_basisu"), ("image/webp", "EXT_texture_webp"), ("image/png", ""), ("image/jpeg", "")];
/// Draco attributes in the order of the head, with the component type and the type of their accessors.
const ATTRIBUTES: [(&str, u32, &str); 5] = [
    ("POSITION", 5126, "VEC3"),
    ("NORMAL", 5126, "VEC3"),
    ("TEXCOORD_0", 5126, "VEC2"),
    ("JOINTS_0", 5121, "VEC4"),
    ("WEIGHTS_0", 5126, "VEC4"),
];

/// The document of a head and a payload; what is missing of the head is zero.
pub fn wrap(input: &[u8]) -> Document {
    let mut head = [0; HEAD];
    let known = input.len().min(HEAD);
    head[..known].copy_from_slice(&input[..known]);
    let bin = input[known..].to_vec();
    let count = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    let mut root = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "buffers": [{ "byteLength": bin.len() }], "bufferViews": [{ "buffer": 0, "byteLength": bin.len() }],
    });
    root["nodes"] = json!([{}]);
    match head[0] % 3 {
        0 => meshopt(&mut root, &head, count, bin.len()),
        1 => draco(&mut root, &head, count),
        _ => {
            let (kind, extension) = IMAGES[usize::from(head[1]) % 4];
            root["images"] = json!([{ "bufferView": 0, "mimeType": kind }]);
            root["textures"] = json!([{ "source": 0 }]);
            if !extension.is_empty() {
                root["extensionsUsed"] = json!([extension]);
                let source = Map::from_iter([(extension.to_owned(), json!({ "source": 0 }))]);
                root["textures"] = json!([{ "extensions": source }]);
            }
            root["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
        }
    }
    Document { root, bin }
}

fn meshopt(root: &mut Value, head: &[u8; HEAD], count: u32, length: usize) {
    let name = if head[15] == 1 { "KHR_meshopt_compression" } else { "EXT_meshopt_compression" };
    let stride = u64::from(head[2]);
    let extension = json!({
        "buffer": 0, "byteLength": length, "byteStride": stride, "count": count,
        "mode": MODES[usize::from(head[3]) % 3], "filter": FILTERS[usize::from(head[1]) % 5],
    });
    root["extensionsUsed"] = json!([name]);
    root["bufferViews"] = json!([{
        "buffer": 1, "byteLength": stride * u64::from(count), "extensions": Map::from_iter([(name.to_owned(), extension)]),
    }]);
    let plain = u64::from(count) * stride;
    root["buffers"] = json!([{ "byteLength": length }, { "byteLength": plain }]);
    if stride == 12 {
        let view = json!({ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": count });
        root["accessors"] = json!([view]);
        root["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": 0 } }] }]);
        root["nodes"] = json!([{ "mesh": 0 }]);
    }
}

fn draco(root: &mut Value, head: &[u8; HEAD], count: u32) {
    let (mut plain, mut coded, mut accessors) = (Map::new(), Map::new(), Vec::new());
    for ((name, component, kind), id) in ATTRIBUTES.into_iter().zip(&head[11..]) {
        if *id == 255 {
            continue;
        }
        let component = if name == "JOINTS_0" && head[3] == 1 { 5123 } else { component };
        plain.insert(name.to_owned(), json!(accessors.len()));
        coded.insert(name.to_owned(), json!(id));
        accessors.push(json!({ "componentType": component, "type": kind, "count": count }));
    }
    let indices = u32::from_le_bytes([head[8], head[9], head[10], 0]);
    accessors.push(json!({ "componentType": 5125, "type": "SCALAR", "count": indices }));
    root["meshes"] = json!([{ "primitives": [{
        "attributes": plain, "indices": accessors.len() - 1,
        "extensions": { "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": coded } },
    }] }]);
    root["accessors"] = Value::Array(accessors);
    root["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    root["nodes"] = json!([{ "mesh": 0 }, {}]);
    if plain_has_joints(&root["meshes"]) {
        root["skins"] = json!([{ "joints": [0, 1] }]);
        root["nodes"][0]["skin"] = json!(0);
    }
}

fn plain_has_joints(meshes: &Value) -> bool {
    meshes.pointer("/0/primitives/0/attributes/JOINTS_0").is_some()
}

/// The head and the payload of everything compressed in a document.
pub fn payloads(document: &Document) -> Vec<Vec<u8>> {
    let root = &document.root;
    let list = |key: &str| root.get(key).and_then(Value::as_array).into_iter().flatten();
    let number = |v: &Value, key: &str| v.get(key).and_then(Value::as_u64).unwrap_or(0);
    let bytes = |v: &Value| {
        let start = number(v, "byteOffset") as usize;
        document.bin.get(start..start + number(v, "byteLength") as usize).unwrap_or_default().to_vec()
    };
    let place = |words: &[&str], word: &Value| words.iter().position(|w| word == w).unwrap_or(0) as u8;
    let views: Vec<&Value> = list("bufferViews").collect();
    let mut out = Vec::new();
    for view in &views {
        for (name, extension) in view.get("extensions").and_then(Value::as_object).into_iter().flatten() {
            let mut head = [0; HEAD];
            head[1] = place(&FILTERS, &extension["filter"]);
            head[2] = number(extension, "byteStride") as u8;
            head[3] = place(&MODES, &extension["mode"]);
            head[4..8].copy_from_slice(&(number(extension, "count") as u32).to_le_bytes());
            head[15] = u8::from(name == "KHR_meshopt_compression");
            out.push([&head[..], &bytes(extension)].concat());
        }
    }
    let accessors: Vec<&Value> = list("accessors").collect();
    let primitives = list("meshes").filter_map(|m| m.get("primitives")?.as_array()).flatten();
    for primitive in primitives {
        let Some(extension) = primitive.pointer("/extensions/KHR_draco_mesh_compression") else { continue };
        let of = |v: &Value| v.as_u64().and_then(|i| accessors.get(i as usize).copied()).unwrap_or(&Value::Null);
        let mut head = [255; HEAD];
        let joints = of(&primitive["attributes"]["JOINTS_0"]);
        (head[0], head[3]) = (1, u8::from(joints["componentType"] == 5123));
        let count = number(of(&primitive["attributes"]["POSITION"]), "count") as u32;
        head[4..8].copy_from_slice(&count.to_le_bytes());
        let indices = number(of(&primitive["indices"]), "count") as u32;
        head[8..11].copy_from_slice(&indices.to_le_bytes()[..3]);
        for ((name, ..), id) in ATTRIBUTES.iter().zip(&mut head[11..]) {
            *id = extension["attributes"].get(name).and_then(Value::as_u64).map_or(255, |id| id as u8);
        }
        let view = views.get(number(extension, "bufferView") as usize);
        out.extend(view.map(|v| [&head[..], &bytes(v)].concat()));
    }
    for image in list("images") {
        let Some(view) = image.get("bufferView").and_then(Value::as_u64).and_then(|v| views.get(v as usize)) else {
            continue;
        };
        let mut head = [0; HEAD];
        (head[0], head[1]) = (2, IMAGES.iter().position(|(kind, _)| image["mimeType"] == *kind).unwrap_or(2) as u8);
        out.push([&head[..], &bytes(view)].concat());
    }
    out
}
