//! Small skinned files made by hand, in every layout that accessors of weights come in.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

pub const U8: u32 = 5121;
pub const U16: u32 = 5123;
pub const F32: u32 = 5126;

/// Joints, with left and right in their names; each hangs on the first.
pub const JOINTS: [&str; 10] =
    ["hips", "spine", "arm.L", "arm.R", "hand.L", "hand.R", "leg.L", "leg.R", "head", "tail"];

/// Columns and rows of the sheet that is skinned: x from −1 to 1, y from 0 up.
pub const COLUMNS: usize = 5;
pub const ROWS: usize = 4;
pub const VERTICES: usize = COLUMNS * ROWS;

/// How weights and joints lie in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A view for each accessor, with `min` and `max`.
    Plain,
    /// Positions, joints and weights in one strided view.
    Interleaved,
    /// Two primitives name the same accessors.
    Shared,
    /// Two accessors describe the same bytes.
    Twice,
    /// Weights and joints of some vertices are sparse.
    Sparse,
    /// The weights are a texture coordinate's bytes too.
    Foreign,
    /// Joints are stored in two bytes.
    WideJoints,
    /// Weights and joints are sparse and have no view below: what is not named is 0.
    SparseAlone,
    /// Joints and weights of a set lie in one view, one accessor after the other.
    OneView,
    /// Joints and weights of a set are interleaved, with bytes between the elements that belong to nothing.
    Gaps,
}

pub const LAYOUTS: [Layout; 10] = [
    Layout::Plain,
    Layout::Interleaved,
    Layout::Shared,
    Layout::Twice,
    Layout::Sparse,
    Layout::Foreign,
    Layout::WideJoints,
    Layout::SparseAlone,
    Layout::OneView,
    Layout::Gaps,
];

/// Raw pairs: joints and the numbers that are stored, as many slots for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    pub slots: usize,
    pub component: u32,
    pub joints: Vec<u16>,
    /// Integers, or the value of the float.
    pub numbers: Vec<f64>,
}

impl Pairs {
    pub fn one(&self) -> f64 {
        one(self.component)
    }
}

pub fn one(component: u32) -> f64 {
    match component {
        U8 => 255.0,
        U16 => 65_535.0,
        _ => 1.0,
    }
}

/// A generator of numbers that are the same in every run.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    pub fn unit(&mut self) -> f64 {
        self.below(1 << 24) as f64 / (1 << 24) as f64
    }
}

/// Weights of every kind that a clean or unclean file has: one to all slots used, gaps between them, one joint twice, sums
/// that are off, negative numbers, no numbers, none at all.
pub fn pairs(component: u32, sets: usize, unclean: bool, seed: u64) -> Pairs {
    let mut random = Random(seed);
    let slots = sets * 4;
    let mut out = Pairs { slots, component, joints: Vec::new(), numbers: Vec::new() };
    for vertex in 0..VERTICES {
        let used = 1 + random.below(slots);
        let first = random.below(JOINTS.len());
        let mut weights: Vec<f64> = (0..slots).map(|s| if s < used { 0.02 + random.unit() } else { 0.0 }).collect();
        weights.rotate_right(random.below(slots));
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        let mut joints: Vec<u16> = (0..slots).map(|s| ((first + s) % JOINTS.len()) as u16).collect();
        if unclean && vertex % 5 == 1 {
            joints[slots - 1] = joints[0];
        }
        let mut numbers: Vec<f64> = match component {
            F32 => weights.iter().map(|w| f64::from(*w as f32)).collect(),
            _ => {
                let mut n: Vec<f64> = weights.iter().map(|w| (w * one(component)).floor()).collect();
                let left = one(component) - n.iter().sum::<f64>();
                let at = (0..slots).max_by(|a, b| n[*a].total_cmp(&n[*b])).unwrap();
                n[at] += left;
                n
            }
        };
        if unclean {
            match vertex % 7 {
                0 => numbers.iter_mut().for_each(|n| {
                    *n = if component == F32 { f64::from((*n * 0.75) as f32) } else { (*n * 0.75).floor() }
                }),
                2 => numbers.fill(0.0),
                3 if component == F32 => numbers[random.below(slots)] = f64::NAN,
                4 if component == F32 => numbers[random.below(slots)] = -0.25,
                5 if component == F32 => numbers[random.below(slots)] = f64::INFINITY,
                _ => {}
            }
        }
        out.joints.extend(joints);
        out.numbers.extend(numbers);
    }
    out
}

pub fn position(vertex: usize) -> [f32; 3] {
    let (column, row) = (vertex % COLUMNS, vertex / COLUMNS);
    [(column as f32 - 2.0) * 0.5, row as f32, 0.0]
}

/// How far the clip of [`Doc::add_clip`] moves its joint, metres.
pub const WAY: f32 = 2.0;

/// Where a joint stands at rest.
pub fn head(joint: usize) -> [f32; 3] {
    let x = match joint {
        2 | 4 | 6 => 0.25 * joint as f32,
        3 | 5 | 7 => -0.25 * (joint - 1) as f32,
        _ => 0.0,
    };
    [x, 0.3 * (joint / 2) as f32, 0.0]
}

/// A glTF document and the bytes of its buffer.
#[derive(Clone)]
pub struct Doc {
    pub root: Value,
    pub bin: Vec<u8>,
}

impl Doc {
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0xCD);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    pub fn push(&mut self, list: &str, item: Value) -> usize {
        if self.root[list].is_null() {
            self.root[list] = json!([]);
        }
        let list = self.root[list].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    pub fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.push("accessors", json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }))
    }

    /// Four numbers of a type for each vertex, at an offset of a view.
    fn within(&mut self, view: usize, (offset, component): (usize, u32)) -> usize {
        self.push(
            "accessors",
            json!({
                "bufferView": view, "byteOffset": offset, "componentType": component, "type": "VEC4", "count": VERTICES,
            }),
        )
    }

    /// The sheet with these weights.
    pub fn new(pairs: &Pairs, layout: Layout) -> Self {
        let mut doc = Self { root: json!({ "asset": { "version": "2.0" } }), bin: vec![0xAB; 8] };
        let positions: Vec<u8> = (0..VERTICES).flat_map(position).flat_map(f32::to_le_bytes).collect();
        let position = doc.accessor(&positions, F32, "VEC3", VERTICES);
        doc.root["accessors"][position]["min"] = json!([-1.0, 0.0, 0.0]);
        doc.root["accessors"][position]["max"] = json!([1.0, 3.0, 0.0]);
        let mut attributes = json!({ "POSITION": position });
        for set in 0..pairs.slots / 4 {
            let [joints, weights] = doc.set(pairs, set, layout);
            attributes[format!("JOINTS_{set}")] = json!(joints);
            attributes[format!("WEIGHTS_{set}")] = json!(weights);
        }
        let quads = (0..ROWS - 1).flat_map(|r| (0..COLUMNS - 1).map(move |c| (r * COLUMNS + c) as u16));
        let columns = COLUMNS as u16;
        let indices: Vec<u8> = quads
            .flat_map(|a| [a, a + 1, a + columns, a + 1, a + columns + 1, a + columns])
            .flat_map(u16::to_le_bytes)
            .collect();
        let indices = doc.accessor(&indices, U16, "SCALAR", indices.len() / 2);
        let mut primitives = vec![json!({ "attributes": attributes, "indices": indices })];
        match layout {
            Layout::Shared => primitives.push(primitives[0].clone()),
            Layout::Twice => {
                let mut again = primitives[0].clone();
                for name in ["JOINTS_0", "WEIGHTS_0"] {
                    let accessor = again["attributes"][name].as_u64().unwrap() as usize;
                    let copy = doc.root["accessors"][accessor].clone();
                    again["attributes"][name] = json!(doc.push("accessors", copy));
                }
                primitives.push(again);
            }
            Layout::Foreign => {
                let accessor = attributes["WEIGHTS_0"].clone();
                primitives[0]["attributes"]["COLOR_0"] = accessor;
            }
            _ => {}
        }
        doc.root["meshes"] = json!([{ "name": "sheet \u{fc}", "primitives": primitives }]);
        doc.rig();
        doc
    }

    /// Joints and weights of one set.
    fn set(&mut self, pairs: &Pairs, set: usize, layout: Layout) -> [usize; 2] {
        let slots = |v: usize| v * pairs.slots + set * 4..v * pairs.slots + set * 4 + 4;
        let joints = |v: usize| pairs.joints[slots(v)].iter().map(|j| *j as u8).collect::<Vec<u8>>();
        let weights =
            |v: usize| pairs.numbers[slots(v)].iter().flat_map(|n| number(*n, pairs.component)).collect::<Vec<u8>>();
        let all = |of: &dyn Fn(usize) -> Vec<u8>| (0..VERTICES).flat_map(of).collect::<Vec<u8>>();
        let [j, w] = match layout {
            Layout::Interleaved => {
                let width = weights(0).len();
                let stride = 12 + 4 + width;
                let element = |v: usize| {
                    let place = position(v).into_iter().flat_map(f32::to_le_bytes).collect();
                    [place, joints(v), weights(v)].concat()
                };
                let view = self.view(&all(&element));
                self.root["bufferViews"][view]["byteStride"] = json!(stride);
                [(12, U8), (16, pairs.component)].map(|place| self.within(view, place))
            }
            Layout::Gaps => {
                let stride = 4 + weights(0).len() + 8;
                let view = self.view(&all(&|v| [joints(v), weights(v), vec![0xEE; 8]].concat()));
                self.root["bufferViews"][view]["byteStride"] = json!(stride);
                [(0, U8), (4, pairs.component)].map(|place| self.within(view, place))
            }
            Layout::OneView => {
                let view = self.view(&[all(&joints), all(&weights)].concat());
                [(0, U8), (4 * VERTICES, pairs.component)].map(|place| self.within(view, place))
            }
            Layout::WideJoints => {
                let wide = |v: usize| joints(v).iter().flat_map(|j| [*j, 0]).collect();
                [
                    self.accessor(&all(&wide), U16, "VEC4", VERTICES),
                    self.accessor(&all(&weights), pairs.component, "VEC4", VERTICES),
                ]
            }
            Layout::SparseAlone => {
                let every: Vec<u8> = (0..VERTICES as u16).flat_map(u16::to_le_bytes).collect();
                let at = self.view(&every);
                [(&joints as &dyn Fn(usize) -> Vec<u8>, U8), (&weights, pairs.component)].map(|(of, component)| {
                    let by = self.view(&all(of));
                    self.push(
                        "accessors",
                        json!({
                            "componentType": component, "type": "VEC4", "count": VERTICES,
                            "sparse": {
                                "count": VERTICES, "indices": { "bufferView": at, "componentType": U16 },
                                "values": { "bufferView": by },
                            },
                        }),
                    )
                })
            }
            Layout::Sparse => {
                let odd: Vec<usize> = (1..VERTICES).step_by(2).collect();
                let at = self.view(&odd.iter().map(|v| *v as u8).collect::<Vec<_>>());
                [(&joints as &dyn Fn(usize) -> Vec<u8>, U8), (&weights, pairs.component)].map(|(of, component)| {
                    let base = self.view(&all(&|v| if v % 2 == 1 { vec![0; of(v).len()] } else { of(v) }));
                    let by = self.view(&odd.iter().flat_map(|v| of(*v)).collect::<Vec<_>>());
                    self.push(
                        "accessors",
                        json!({
                            "bufferView": base, "componentType": component, "type": "VEC4", "count": VERTICES,
                            "sparse": {
                                "count": odd.len(), "indices": { "bufferView": at, "componentType": U8 },
                                "values": { "bufferView": by },
                            },
                        }),
                    )
                })
            }
            _ => [
                self.accessor(&all(&joints), U8, "VEC4", VERTICES),
                self.accessor(&all(&weights), pairs.component, "VEC4", VERTICES),
            ],
        };
        if pairs.component != F32 {
            self.root["accessors"][w]["normalized"] = json!(true);
        }
        if layout == Layout::Plain && pairs.numbers.iter().all(|n| n.is_finite()) {
            for (name, pick) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
                let of = |c: usize| (0..VERTICES).map(|v| pairs.numbers[slots(v)][c]).reduce(pick).unwrap();
                self.root["accessors"][w][name] = (0..4).map(|c| json!(of(c))).collect();
            }
        }
        [j, w]
    }

    fn rig(&mut self) {
        let heads: Vec<[f32; 3]> = (0..JOINTS.len()).map(head).collect();
        let bind =
            |h: &[f32; 3]| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -h[0], -h[1], -h[2], 1.0_f32];
        let binds: Vec<u8> = heads.iter().flat_map(bind).flat_map(f32::to_le_bytes).collect();
        let binds = self.accessor(&binds, F32, "MAT4", JOINTS.len());
        let mut nodes = vec![json!({ "mesh": 0, "skin": 0 })];
        for (j, head) in heads.iter().enumerate() {
            let mut node = json!({ "name": JOINTS[j], "translation": head });
            if j == 0 {
                node["children"] = json!((2..=JOINTS.len()).collect::<Vec<_>>());
            }
            nodes.push(node);
        }
        self.root["nodes"] = json!(nodes);
        self.root["scenes"] = json!([{ "nodes": [0, 1] }]);
        let joints: Vec<usize> = (1..=JOINTS.len()).collect();
        self.root["skins"] = json!([{ "joints": joints, "inverseBindMatrices": binds }]);
    }

    /// The text, with white space, duplicate keys and numbers as nobody would write them.
    fn text(&self, buffer: Value) -> String {
        let mut root = self.root.clone();
        root["buffers"] = json!([buffer]);
        let text = serde_json::to_string_pretty(&root).unwrap();
        let odd = "{\n \"extras\" : {\"z\":1.50e+1,\t\"a\\u0041\": [ ],\"z\":0.10 , \"name\":\"\\/\"},";
        text.replacen('{', odd, 1)
    }

    pub fn data_uri(&self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&self.bin));
        (self.text(json!({ "byteLength": self.bin.len(), "uri": uri })) + "\n").into_bytes()
    }

    pub fn external(&self, uri: &str) -> Vec<u8> {
        self.text(json!({ "byteLength": self.bin.len(), "uri": uri })).into_bytes()
    }

    /// A GLB with a chunk of an unknown type at its end, and bytes after it.
    pub fn glb(&self) -> Vec<u8> {
        let mut text = self.text(json!({ "byteLength": self.bin.len() })).into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let chunks = [(0x4E4F_534A_u32, &text[..]), (0x004E_4942, &bin), (0x1234_5678, &[7; 12])];
        let total = 12 + chunks.iter().map(|(_, c)| 8 + c.len()).sum::<usize>();
        let mut out: Vec<u8> = [0x4654_6C67, 2, total as u32].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
        for (kind, chunk) in chunks {
            out.extend([chunk.len() as u32, kind].iter().flat_map(|w| w.to_le_bytes()));
            out.extend_from_slice(chunk);
        }
        out
    }
}

pub fn number(value: f64, component: u32) -> Vec<u8> {
    match component {
        U8 => vec![value as u8],
        U16 => (value as u16).to_le_bytes().to_vec(),
        _ => (value as f32).to_le_bytes().to_vec(),
    }
}

impl Doc {
    /// A clip of one second that moves the last joint evenly along z.
    pub fn add_clip(&mut self) {
        let [x, y, z] = head(JOINTS.len() - 1);
        self.add_animation("move", (JOINTS.len(), "translation"), ("VEC3", &[x, y, z, x, y, z + WAY]));
    }

    /// A clip of one second with a key at each end, for one property of a node.
    pub fn add_animation(&mut self, name: &str, (node, path): (usize, &str), (kind, values): (&str, &[f32])) {
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let times = self.accessor(&bytes(&[0.0, 1.0]), F32, "SCALAR", 2);
        (self.root["accessors"][times]["min"], self.root["accessors"][times]["max"]) = (json!([0.0]), json!([1.0]));
        let values = self.accessor(&bytes(values), F32, kind, 2);
        let channel = json!({ "sampler": 0, "target": { "node": node, "path": path } });
        let sampler = json!({ "input": times, "output": values });
        self.push("animations", json!({ "name": name, "channels": [channel], "samplers": [sampler] }));
    }

    /// A morph target that lifts every vertex of all primitives by a metre along z.
    pub fn add_morph(&mut self) {
        let lifted: Vec<u8> = (0..VERTICES).flat_map(|_| [0.0_f32, 0.0, 1.0]).flat_map(f32::to_le_bytes).collect();
        let target = self.accessor(&lifted, F32, "VEC3", VERTICES);
        (self.root["accessors"][target]["min"], self.root["accessors"][target]["max"]) =
            (json!([0.0, 0.0, 1.0]), json!([0.0, 0.0, 1.0]));
        for primitive in self.root["meshes"][0]["primitives"].as_array_mut().unwrap() {
            primitive["targets"] = json!([{ "POSITION": target }]);
        }
    }

    /// A second primitive of the same form to the right of the sheet, so that both share a border.
    pub fn add_beside(&mut self, pairs: &Pairs) {
        let mut other = Self::new(pairs, Layout::Plain);
        let shifted: Vec<u8> =
            (0..VERTICES).map(position).flat_map(|[x, y, z]| [x + 2.0, y, z]).flat_map(f32::to_le_bytes).collect();
        other.bin[8..8 + shifted.len()].copy_from_slice(&shifted);
        let mut primitive = other.root["meshes"][0]["primitives"][0].clone();
        let mut take = |accessor: &mut Value| {
            let mut copy = other.root["accessors"][accessor.as_u64().unwrap() as usize].clone();
            let view = &other.root["bufferViews"][copy["bufferView"].as_u64().unwrap() as usize];
            let (start, length) = (view["byteOffset"].as_u64().unwrap(), view["byteLength"].as_u64().unwrap());
            copy["bufferView"] = json!(self.view(&other.bin[start as usize..(start + length) as usize]));
            if !copy["min"].is_null() && copy["type"] == "VEC3" {
                (copy["min"][0], copy["max"][0]) = (json!(1.0), json!(3.0));
            }
            *accessor = json!(self.push("accessors", copy));
        };
        primitive["attributes"].as_object_mut().unwrap().values_mut().for_each(&mut take);
        take(&mut primitive["indices"]);
        self.root["meshes"][0]["primitives"].as_array_mut().unwrap().push(primitive);
    }

    /// A second rig, whose joints are called as those of the first with `name` before them, and a node that shows a mesh with it.
    pub fn add_skin(&mut self, mesh: usize, name: &str) {
        let first = self.root["nodes"].as_array().unwrap().len();
        self.push("nodes", json!({ "name": format!("{name}show"), "mesh": mesh, "skin": 0 }));
        for (joint, own) in JOINTS.iter().enumerate() {
            let mut node = self.root["nodes"][1 + joint].clone();
            node["name"] = json!(format!("{name}{own}"));
            if joint == 0 {
                node["children"] = json!((first + 2..=first + JOINTS.len()).collect::<Vec<_>>());
            }
            self.push("nodes", node);
        }
        let mut skin = self.root["skins"][0].clone();
        skin["joints"] = json!((first + 1..=first + JOINTS.len()).collect::<Vec<_>>());
        self.root["nodes"][first]["skin"] = json!(self.push("skins", skin));
        let roots = self.root["scenes"][0]["nodes"].as_array_mut().unwrap();
        roots.extend([json!(first), json!(first + 1)]);
    }
}
