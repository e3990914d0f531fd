//! Documents made by hand in which no two numbers are the same, so that a number that is read from a wrong place is
//! noticed.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

pub const U8: u32 = 5121;
pub const U16: u32 = 5123;
pub const F32: u32 = 5126;

/// How many joints the skin has, and vertices each primitive.
pub const JOINTS: usize = 24;
pub const VERTICES: usize = 5;

pub fn base64(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

/// A glTF document and the bytes of its buffer 0.
#[derive(Clone)]
pub struct Doc {
    pub root: Value,
    pub bin: Vec<u8>,
    next: f32,
}

impl Doc {
    fn new() -> Self {
        let root = json!({ "asset": { "version": "2.0" }, "bufferViews": [], "accessors": [] });
        Self { root, bin: vec![0xAB; 8], next: 0.0 }
    }

    fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.root[list].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0xCD);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    pub fn add(&mut self, accessor: Value) -> usize {
        self.push("accessors", accessor)
    }

    pub fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.add(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }))
    }

    /// The next `count` numbers, each of its own, from 0 to 1.
    pub fn numbers(&mut self, count: usize) -> Vec<f32> {
        let number = |_| {
            self.next += 1.0;
            self.next * 0.001_234_5
        };
        (0..count).map(number).collect()
    }

    pub fn floats(&mut self, kind: &str, width: usize, count: usize) -> usize {
        let numbers = self.numbers(count * width);
        self.accessor(bytemuck::cast_slice(&numbers), F32, kind, count)
    }

    pub fn attributes(&mut self, primitive: usize) -> &mut Value {
        &mut self.root["meshes"][0]["primitives"][primitive]["attributes"]
    }

    /// Two primitives that share their weights, a skin, nodes of every kind, a clip of every kind of channel.
    pub fn character() -> Self {
        let mut doc = Self::new();
        let positions = [doc.floats("VEC3", 3, VERTICES), doc.floats("VEC3", 3, VERTICES)];
        let joints: Vec<u8> = (0..VERTICES * 4).map(|i| i as u8 + 3).collect();
        let joints = doc.accessor(&joints, U8, "VEC4", VERTICES);
        let weights = doc.floats("VEC4", 4, VERTICES);
        let smile = doc.floats("VEC3", 3, VERTICES);
        let primitive = |position: usize| {
            json!({
                "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights }, "mode": 0,
                "targets": [{ "POSITION": smile }, {}],
            })
        };
        doc.root["meshes"] = json!([{ "primitives": positions.map(primitive) }]);
        let binds = doc.floats("MAT4", 16, JOINTS + 1);
        let mut nodes = vec![json!({ "mesh": 0, "skin": 0, "weights": [0.25, 0.75] })];
        nodes.push(json!({ "matrix": [2, 0, 0, 0, 0.5, 2, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1], "children": [2] }));
        nodes.push(json!({ "translation": [0.1, 0.2, 0.3], "rotation": [0.1, 0.2, 0.3, 0.9], "scale": [1, 2, 3] }));
        nodes.extend((3..=JOINTS).map(|i| json!({ "rotation": [0, 0, 0, i] })));
        // Joints in another order than nodes.
        let joints: Vec<usize> = (1..=JOINTS).rev().collect();
        doc.root["skins"] = json!([{ "joints": joints, "inverseBindMatrices": binds }, { "joints": joints }]);
        doc.root["scenes"] = json!([{ "nodes": (0..=JOINTS).filter(|n| *n != 2).rev().collect::<Vec<_>>() }]);
        doc.root["nodes"] = json!(nodes);
        let times = doc.accessor(bytemuck::cast_slice(&[0.5_f32, 1.0, 1.75]), F32, "SCALAR", 3);
        let outputs = [("VEC3", 3, 9), ("VEC4", 4, 3), ("VEC3", 3, 3), ("SCALAR", 1, 6)];
        let outputs = outputs.map(|(kind, width, count)| doc.floats(kind, width, count));
        let interpolations = ["CUBICSPLINE", "LINEAR", "STEP", "LINEAR"];
        let samplers = outputs.iter().zip(interpolations);
        let samplers = samplers.map(|(o, how)| json!({ "input": times, "output": o, "interpolation": how }));
        let paths = [(2, "translation"), (3, "rotation"), (3, "scale"), (0, "weights"), (4, "scale")];
        let channel = |(i, (node, path)): (usize, &(usize, &str))| {
            // The last two channels of scales share a sampler.
            json!({ "sampler": if i == 4 { 2 } else { i }, "target": { "node": node, "path": path } })
        };
        doc.root["animations"] = json!([{
            "samplers": samplers.collect::<Vec<_>>(), "channels": paths.iter().enumerate().map(channel).collect::<Vec<_>>(),
        }]);
        doc
    }

    /// Positions, joints and weights of the first primitive in one view, element by element.
    pub fn interleaved() -> Self {
        let mut doc = Self::character();
        let numbers = doc.numbers(VERTICES * 7);
        let mut bytes = Vec::new();
        for (v, numbers) in numbers.chunks(7).enumerate() {
            bytes.extend_from_slice(bytemuck::cast_slice(&numbers[..3]));
            bytes.extend((0..4).map(|c| (v * 4 + c) as u8));
            bytes.extend_from_slice(bytemuck::cast_slice(&numbers[3..]));
        }
        let view = doc.view(&bytes);
        doc.root["bufferViews"][view]["byteStride"] = json!(32);
        let mut part = |offset: u32, component: u32, kind: &str| {
            let place = json!({ "bufferView": view, "byteOffset": offset });
            let mut accessor = json!({ "componentType": component, "type": kind, "count": VERTICES });
            accessor.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
            doc.add(accessor)
        };
        let parts = [part(0, F32, "VEC3"), part(12, U8, "VEC4"), part(16, F32, "VEC4")];
        *doc.attributes(0) = json!({ "POSITION": parts[0], "JOINTS_0": parts[1], "WEIGHTS_0": parts[2] });
        doc
    }

    /// Weights of which some replace others, joints of which some replace zeros, and key values that replace others.
    pub fn sparse() -> Self {
        let mut doc = Self::character();
        let at = doc.view(&[0x77, 1, 3, 4]);
        let by = doc.numbers(4 * 4);
        let by = doc.view(bytemuck::cast_slice(&by));
        let base = doc.numbers(VERTICES * 4);
        let base = doc.view(bytemuck::cast_slice(&base));
        let list = |count: usize, at: usize, by: (usize, usize), component: u32| {
            json!({
                "count": count, "indices": { "bufferView": at, "byteOffset": 1, "componentType": U8 },
                "values": { "bufferView": by.0, "byteOffset": by.1 }, "wide": component,
            })
        };
        let weights = doc.add(json!({
            "bufferView": base, "componentType": F32, "type": "VEC4", "count": VERTICES, "sparse": list(3, at, (by, 16), F32),
        }));
        let which = doc.view(bytemuck::cast_slice(&[0xEEEE_u16, 0, 2]));
        let joints: Vec<u16> = (0..12).map(|i| 1 + i).collect();
        let joints = doc.view(bytemuck::cast_slice(&joints));
        let mut places = list(2, which, (joints, 8), U16);
        places["indices"]["componentType"] = json!(U16);
        places["indices"]["byteOffset"] = json!(2);
        let joints = doc.add(json!({ "componentType": U16, "type": "VEC4", "count": VERTICES, "sparse": places }));
        doc.attributes(0)["WEIGHTS_0"] = json!(weights);
        doc.attributes(1)["JOINTS_0"] = json!(joints);
        doc
    }

    /// Two sets, weights in 8 and in 16 bits, joints in 16 bits.
    pub fn two_sets() -> Self {
        let mut doc = Self::character();
        let bytes: Vec<u8> = (0..VERTICES * 4).map(|i| i as u8 * 5 + 1).collect();
        let bytes = doc.accessor(&bytes, U8, "VEC4", VERTICES);
        let shorts: Vec<u16> = (0..VERTICES * 4).map(|i| i as u16 * 777 + 5).collect();
        let shorts = doc.accessor(bytemuck::cast_slice(&shorts), U16, "VEC4", VERTICES);
        let joints: Vec<u16> = (0..VERTICES * 4).map(|i| i as u16 + 2).collect();
        let joints = doc.accessor(bytemuck::cast_slice(&joints), U16, "VEC4", VERTICES);
        for accessor in [bytes, shorts] {
            doc.root["accessors"][accessor]["normalized"] = json!(true);
        }
        doc.attributes(0)["WEIGHTS_0"] = json!(bytes);
        doc.attributes(0)["WEIGHTS_1"] = json!(shorts);
        doc.attributes(0)["JOINTS_1"] = json!(joints);
        doc
    }

    /// Weights and matrices that are not finite, and a joint that is not there: what import repairs.
    pub fn broken() -> Self {
        let mut doc = Self::character();
        let mut weights = doc.numbers(VERTICES * 4);
        (weights[2], weights[7], weights[9]) = (f32::from_bits(0xFFC0_1234), f32::INFINITY, 0.0);
        let mut joints: Vec<u8> = (0..VERTICES as u8 * 4).collect();
        (joints[7], joints[9]) = (200, 201);
        let joints = doc.accessor(&joints, U8, "VEC4", VERTICES);
        let weights = doc.accessor(bytemuck::cast_slice(&weights), F32, "VEC4", VERTICES);
        doc.attributes(1)["JOINTS_0"] = json!(joints);
        doc.attributes(1)["WEIGHTS_0"] = json!(weights);
        let mut binds = doc.numbers(JOINTS * 16);
        binds[5 * 16 + 3] = f32::NAN;
        let binds = doc.accessor(bytemuck::cast_slice(&binds), F32, "MAT4", JOINTS);
        doc.root["skins"][0]["inverseBindMatrices"] = json!(binds);
        doc
    }

    /// Keys that do not come after the one before, and channels that the model does not have: one without a node, and
    /// those that pointers name come last there.
    pub fn left_out() -> Self {
        let mut doc = Self::character();
        let times = [0.5_f32, 0.25, f32::NAN, 1.0, 1.0, 2.0];
        let times = doc.accessor(bytemuck::cast_slice(&times), F32, "SCALAR", 6);
        let turns = doc.floats("VEC4", 4, 6);
        let moves = doc.floats("VEC3", 3, 18);
        let shown = doc.accessor(&[1, 0, 0, 0, 1, 0], U8, "SCALAR", 6);
        let animation = &mut doc.root["animations"][0];
        let samplers = animation["samplers"].as_array_mut().unwrap();
        samplers[0] = json!({ "input": times, "output": moves, "interpolation": "CUBICSPLINE" });
        samplers[1] = json!({ "input": times, "output": turns });
        samplers.push(json!({ "input": times, "output": shown, "interpolation": "STEP" }));
        let pointer = |pointer: &str, sampler: usize| {
            let extension = json!({ "KHR_animation_pointer": { "pointer": pointer } });
            json!({ "sampler": sampler, "target": { "path": "pointer", "extensions": extension } })
        };
        let channels = animation["channels"].as_array_mut().unwrap();
        channels.insert(0, json!({ "sampler": 0, "target": { "path": "rotation" } }));
        channels.insert(2, pointer("/nodes/5/extensions/KHR_node_visibility/visible", 4));
        channels.insert(3, pointer("/nodes/7/rotation", 1));
        doc.root["extensionsUsed"] = json!(["KHR_animation_pointer", "KHR_node_visibility"]);
        doc
    }

    fn text(&self, buffer: Value) -> String {
        let mut root = self.root.clone();
        let mut all = vec![buffer];
        all.extend(root["buffers"].as_array().into_iter().flatten().skip(1).cloned());
        root["buffers"] = Value::Array(all);
        root.to_string()
    }

    /// A `.gltf` with its buffer in the text.
    pub fn data_uri(&self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&self.bin));
        self.text(json!({ "byteLength": self.bin.len(), "uri": uri })).into_bytes()
    }

    /// A `.gltf` that names a file.
    pub fn external(&self, uri: &str) -> Vec<u8> {
        self.text(json!({ "byteLength": self.bin.len(), "uri": uri })).into_bytes()
    }

    /// A GLB, with a chunk of an unknown type before the binary one.
    pub fn glb(&self) -> Vec<u8> {
        let mut text = self.text(json!({ "byteLength": self.bin.len() })).into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let chunks = [(0x4E4F_534A_u32, &text[..]), (0x1234_5678, &[7; 12]), (0x004E_4942, &bin)];
        let total = 12 + chunks.iter().map(|(_, c)| 8 + c.len()).sum::<usize>();
        let mut out: Vec<u8> = [0x4654_6C67, 2, total as u32].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
        for (kind, chunk) in chunks {
            out.extend([chunk.len() as u32, kind].iter().flat_map(|w| w.to_le_bytes()));
            out.extend_from_slice(chunk);
        }
        out
    }
}
