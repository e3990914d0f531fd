//! The mutations that make bad files of good ones: edits that know JSON, the GLB container and buffers, and blind ones.

use serde_json::{Value, json};

use super::document::Document;
use super::random::Random;

/// A file to start from.
pub struct Seed {
    pub name: String,
    pub bytes: Vec<u8>,
    /// `None`: the file cannot be taken apart.
    pub document: Option<Document>,
    /// Whether it is a good file, or broken itself.
    pub opens: bool,
}

/// A broken (or, now and then, an equally good) relative of `seed`, with parts of `other`.
pub fn mutate(random: &mut Random, seed: &Seed, other: &Seed) -> Vec<u8> {
    let mut out = match &seed.document {
        Some(document) if !random.once_in(8) => {
            let mut document = document.clone();
            // Mostly one wound, so that what comes after it is reached too.
            for _ in 0..=random.below(3) / 2 * random.below(3) {
                match random.below(8) {
                    0..=3 => edit_json(random, &mut document.root),
                    4 | 5 => edit_floats(random, &mut document.bin),
                    6 => edit_view(random, &mut document),
                    _ => splice(random, &mut document, other),
                }
            }
            if random.once_in(4) { document.gltf() } else { document.glb() }
        }
        _ => seed.bytes.clone(),
    };
    if seed.document.is_none() || random.once_in(8) {
        edit_bytes(random, &mut out, &other.bytes);
    }
    out
}

/// Numbers where programs stumble.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "16",
    "64",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "16777216",
    "2147483647",
    "2147483648",
    "4294967294",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551600",
    "18446744073709551615",
    "1e19",
    "-0.0",
    "0.5",
    "1e-30",
    "1e-45",
    "1e20",
    "3e38",
    "3.5e38",
    "-3e38",
    "1e300",
    "5120",
    "5121",
    "5122",
    "5123",
    "5125",
    "5126",
    "9728",
    "9987",
    "10497",
    "33071",
    "34962",
];

/// Words of glTF, so that one word takes another's place, and words that no file should have.
const WORDS: &[&str] = &[
    "SCALAR",
    "VEC2",
    "VEC3",
    "VEC4",
    "MAT2",
    "MAT3",
    "MAT4",
    "LINEAR",
    "STEP",
    "CUBICSPLINE",
    "translation",
    "rotation",
    "scale",
    "weights",
    "pointer",
    "OPAQUE",
    "MASK",
    "BLEND",
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/ktx2",
    "ATTRIBUTES",
    "TRIANGLES",
    "INDICES",
    "NONE",
    "OCTAHEDRAL",
    "QUATERNION",
    "EXPONENTIAL",
    "COLOR",
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_texture_basisu",
    "VRMC_vrm",
    "../../etc/passwd",
    "%2e%2e/secret",
    "/dev/zero",
    "file:///etc/passwd",
    "http://127.0.0.1:9/x",
    "data:,",
    "data:;base64,AAAA",
    "a\u{0}b\nc\u{202e}",
    "",
    "2.0",
    "3.0",
    "/nodes/0/translation",
    "/nodes/9999999999/rotation",
    "perspective",
    "directional",
    "spot",
];

/// Members that some object may lack or have too many of.
const MEMBERS: &[(&str, &str)] = &[
    ("byteOffset", "1"),
    ("byteStride", "12"),
    ("normalized", "true"),
    ("sparse", r#"{"count":2,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":1}}"#),
    ("matrix", "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"),
    ("children", "[0,1]"),
    ("mesh", "0"),
    ("skin", "0"),
    ("camera", "0"),
    ("weights", "[0.5,1e38]"),
    ("mode", "5"),
    ("indices", "0"),
    ("targets", r#"[{"POSITION":0}]"#),
    ("JOINTS_1", "1"),
    ("WEIGHTS_1", "2"),
    ("TANGENT", "0"),
    ("TEXCOORD_0", "0"),
    ("normalTexture", r#"{"index":0}"#),
    ("uri", r#""nowhere.bin""#),
    ("bufferView", "0"),
    ("extensions", r#"{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0,"JOINTS_0":1}}}"#),
    (
        "extensions",
        r#"{"EXT_meshopt_compression":{"buffer":0,"byteLength":64,"byteStride":16,"count":64,"mode":"ATTRIBUTES","filter":"QUATERNION"}}"#,
    ),
    ("extensions", r#"{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0,"ROTATION":1}}}"#),
    ("extensions", r#"{"KHR_animation_pointer":{"pointer":"/nodes/0/rotation"}}"#),
    ("extensions", r#"{"KHR_texture_basisu":{"source":0},"EXT_texture_webp":{"source":0}}"#),
    ("extensions", r#"{"KHR_lights_punctual":{"light":0,"lights":[{"type":"spot","intensity":1e38}]}}"#),
    ("extensions", r#"{"KHR_materials_variants":{"mappings":[{"material":0,"variants":[0,9]}]}}"#),
];

fn number(random: &mut Random) -> Value {
    serde_json::from_str(random.pick(NUMBERS)).unwrap_or(Value::Null)
}

/// How many values `value` holds, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    }
}

/// The value with number `n`, counted parents first.
fn nth(value: &mut Value, mut n: usize) -> &mut Value {
    if n == 0 {
        return value;
    }
    n -= 1;
    let children: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        let inside = size(child);
        if n < inside {
            return nth(child, n);
        }
        n -= inside;
    }
    unreachable!("the number is below the size")
}

fn edit_json(random: &mut Random, root: &mut Value) {
    let whole = size(root);
    for _ in 0..=random.below(2) {
        let at = 1 + random.below(whole.saturating_sub(1));
        if at < size(root) {
            edit_value(random, nth(root, at));
        }
    }
}

fn edit_value(random: &mut Random, value: &mut Value) {
    if random.once_in(12) {
        return change_type(random, value);
    }
    match value {
        Value::Number(old) => {
            *value = match (random.below(3), old.as_i64()) {
                // Another index nearby: still in range, or just not.
                (0, Some(old)) => json!(old.saturating_add(random.below(5) as i64 - 2)),
                (1, Some(_)) => json!(random.below(12)),
                _ => number(random),
            }
        }
        Value::String(text) => match random.below(4) {
            0 => text.truncate(text.char_indices().nth(random.below(text.len())).map_or(0, |c| c.0)),
            1 => text.push_str(&"é\u{1}".repeat(1 + random.below(200))),
            _ => *text = random.pick(WORDS).to_owned(),
        },
        Value::Bool(b) => *b = !*b,
        Value::Null => *value = number(random),
        Value::Array(list) => edit_list(random, list),
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let any = |random: &mut Random| keys[random.below(keys.len())].clone();
            if keys.is_empty() || random.once_in(2) {
                let (key, value) = random.pick(MEMBERS);
                members.insert(key.to_owned(), serde_json::from_str(value).unwrap_or(Value::Null));
            } else {
                let lost = members.remove(&any(random));
                let name = match random.below(4) {
                    0 => any(random),
                    1 => "_\u{1b}[31m\u{202e}\n".repeat(1 + random.below(40)),
                    _ => return,
                };
                members.extend(lost.map(|lost| (name, lost)));
            }
        }
    }
}

fn edit_list(random: &mut Random, list: &mut Vec<Value>) {
    let length = list.len();
    if length == 0 {
        return list.push(number(random));
    }
    let (a, b) = (random.below(length), random.below(length));
    match random.below(6) {
        0 => list.swap(a, b),
        1 => _ = list.remove(a),
        2 => list.push(list[a].clone()),
        3 => list.insert(a, list[b].clone()),
        4 => list.truncate(a),
        _ => {
            // Many of one, but not so many that the test measures memory instead of sense.
            let many = 1 + random.below(64);
            let one = list[a].clone();
            if size(&one) * many < 4096 {
                list.extend(std::iter::repeat_n(one, many));
            }
        }
    }
}

fn change_type(random: &mut Random, value: &mut Value) {
    *value = match random.below(7) {
        0 => Value::Null,
        1 => json!([]),
        2 => json!({}),
        3 => json!(true),
        4 => json!(random.pick(WORDS)),
        5 => {
            let depth = 1 + random.below(160);
            (0..depth).fold(json!(0), |inner, _| json!([inner]))
        }
        _ => number(random),
    };
}

/// Special floats among vertices, matrices and keys.
fn edit_floats(random: &mut Random, bin: &mut [u8]) {
    const FLOATS: [f32; 12] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        -f32::MAX,
        f32::MIN_POSITIVE,
        -0.0,
        0.0,
        1e20,
        1e-30,
        -1.0,
        1e-45,
    ];
    if bin.len() < 4 {
        return;
    }
    for _ in 0..=random.below(6) {
        let at = 4 * random.below(bin.len() / 4);
        bin[at..at + 4].copy_from_slice(&random.pick(&FLOATS).to_le_bytes());
    }
}

/// Bytes inside one buffer view: what a decoder of that view meets.
fn edit_view(random: &mut Random, document: &mut Document) {
    let views = document.root.get("bufferViews").and_then(Value::as_array).map_or(0, Vec::len);
    let view = document.root.get("bufferViews").and_then(|v| v.get(random.below(views)));
    // A compressed view says in its extension where its bytes are.
    let place = view.map(|v| v.get("extensions").and_then(|e| e.as_object()?.values().next()).unwrap_or(v));
    let member = |key: &str| place.and_then(|v| v.get(key)).and_then(Value::as_u64).unwrap_or(0) as usize;
    let start = member("byteOffset").min(document.bin.len());
    let end = start.saturating_add(member("byteLength")).min(document.bin.len());
    let bytes = &mut document.bin[start..end];
    if !bytes.is_empty() {
        edit_part(random, bytes);
    }
}

fn edit_part(random: &mut Random, bytes: &mut [u8]) {
    // Heads decide more than what follows.
    let reach = if random.once_in(2) { bytes.len().min(48) } else { bytes.len() };
    for _ in 0..=random.below(8) {
        let at = random.below(reach);
        bytes[at] = match random.below(4) {
            0 => bytes[at] ^ (1 << random.below(8)),
            1 => 0xFF,
            2 => 0,
            _ => random.below(256) as u8,
        };
    }
}

/// Bytes of a payload, and at times of the head before it (`payload.rs`); its count stays such that a mutant is no test of
/// memory alone.
pub fn edit_payload(random: &mut Random, bytes: &mut Vec<u8>) {
    let head = super::payload::HEAD.min(bytes.len());
    if random.once_in(3) {
        let at = 1 + random.below(head - 1);
        bytes[at] = if random.once_in(2) { random.below(256) as u8 } else { bytes[at].wrapping_add(1) };
    }
    if bytes.len() > head {
        edit_part(random, &mut bytes[head..]);
        if random.once_in(6) {
            bytes.truncate(head + random.below(bytes.len() - head));
        }
    }
}

/// A part of another file in the place of one's own, and at times the other's bytes too.
fn splice(random: &mut Random, document: &mut Document, other: &Seed) {
    let Some(other) = &other.document else { return };
    let (Some(own), Some(theirs)) = (document.root.as_object_mut(), other.root.as_object()) else { return };
    let keys: Vec<&String> = theirs.keys().collect();
    if keys.is_empty() {
        return;
    }
    for _ in 0..=random.below(2) {
        let key = random.pick(&keys);
        own.insert(key.clone(), theirs[key].clone());
    }
    if random.once_in(2) {
        document.bin.clone_from(&other.bin);
    }
}

/// Blind edits, and those of the container's lengths.
fn edit_bytes(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        return bytes.push(random.below(256) as u8);
    }
    match random.below(6) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        2 if bytes.len() >= 20 => {
            // Version, lengths and types of the container.
            let at = 4 * random.below(5);
            let old = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            let new = [0, 1, u32::MAX, u32::MAX - 15, old.wrapping_add(1), old.wrapping_sub(4), old / 2];
            bytes[at..at + 4].copy_from_slice(&random.pick(&new).to_le_bytes());
        }
        3 => {
            let at = random.below(bytes.len());
            let end = (at + random.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => {
            let at = random.below(bytes.len());
            let end = (at + random.below(64)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        _ => {
            // The head of one, the tail of the other.
            bytes.truncate(random.below(bytes.len()));
            bytes.extend_from_slice(&other[random.below(other.len())..]);
        }
    }
}
