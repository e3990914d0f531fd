//! Small characters made by hand that are to be bound: a tube with a seam and a chain of joints in it, and all that can be wrong with them.

use std::f64::consts::TAU;
use std::path::Path;

use glam::{DQuat, DVec3, Vec3};
use serde_json::{Value, json};

use crate::fix::made::{Doc, F32, U8, U16, one};

/// The type of indices of four bytes.
const U32: u32 = 5125;
/// Rings of the tube above the lowest one.
const RINGS: usize = 16;
/// Vertices of a ring; one more closes it at the place of the first, as a seam of the texture does.
const SIDES: usize = 10;
/// How long the tube is.
const LENGTH: f64 = 3.0;

/// A joint where it stands when the mesh is bound.
#[derive(Clone)]
pub struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    pub head: Vec3,
    /// The scale of the node.
    pub scale: f32,
    /// What the inverse bind matrix is multiplied by; with 0 it cannot be inverted.
    pub bind: f32,
}

/// A mesh and its joints.
#[derive(Clone)]
pub struct Rig {
    pub points: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The mode of the primitives: 4 for triangles.
    pub mode: u32,
    pub joints: Vec<Joint>,
    pub is_skinned: bool,
    /// How often the file has the mesh, each with accessors of its own.
    pub meshes: usize,
    /// How many nodes show each.
    pub shown: usize,
    /// Where the first node that shows a mesh stands, and how large it is.
    pub place: (Vec3, f32),
    /// The type of the weights.
    pub component: u32,
}

fn joint(name: &str, parent: Option<usize>, head: [f32; 3]) -> Joint {
    Joint { name: name.to_owned(), parent, head: head.into(), scale: 1.0, bind: 1.0 }
}

impl Rig {
    /// The tube, with a joint that is a root and one that is a helper by their names.
    pub fn tube() -> Self {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        for ring in 0..=RINGS {
            for side in 0..=SIDES {
                let (y, angle) = (LENGTH * ring as f64 / RINGS as f64, TAU * (side % SIDES) as f64 / SIDES as f64);
                let wide = 1.0 + 0.1 * (1.7 * y).sin() + 0.08 * (3.0 * angle + 0.4).cos();
                points.push(DVec3::new(0.36 * wide * angle.cos(), y, 0.27 * wide * angle.sin()).as_vec3());
            }
        }
        let ends = [points.len() as u32, points.len() as u32 + 1];
        points.extend([Vec3::new(0.0, -0.1, 0.0), Vec3::new(0.0, LENGTH as f32 + 0.1, 0.0)]);
        let row = SIDES as u32 + 1;
        for side in 0..SIDES as u32 {
            for ring in 0..RINGS as u32 {
                let a = ring * row + side;
                triangles.extend([[a, a + row, a + 1], [a + 1, a + row, a + row + 1]]);
            }
            let top = RINGS as u32 * row + side;
            triangles.extend([[ends[0], side, side + 1], [ends[1], top + 1, top]]);
        }
        let joints = vec![
            joint("root", None, [0.0, 0.1, 0.0]),
            joint("lower", Some(0), [0.0, 0.65, 0.0]),
            joint("upper", Some(1), [0.05, 1.6, 0.02]),
            joint("tip", Some(2), [0.0, 2.45, 0.0]),
        ];
        Self {
            points,
            triangles,
            mode: 4,
            joints,
            is_skinned: true,
            meshes: 1,
            shown: 1,
            place: (Vec3::ZERO, 1.0),
            component: F32,
        }
    }

    /// The tube without a skin.
    pub fn bare() -> Self {
        Self { is_skinned: false, ..Self::tube() }
    }

    /// The tube with a chain of joints that winds through it.
    pub fn chain(count: usize) -> Self {
        let one = |at: usize| {
            let (part, angle) = ((at as f64 + 0.5) / count as f64, 0.7 * at as f64);
            let head = DVec3::new(0.05 * angle.cos(), LENGTH * part, 0.05 * angle.sin()).as_vec3();
            joint(&format!("bone {at}"), at.checked_sub(1), head.to_array())
        };
        Self { joints: (0..count).map(one).collect(), ..Self::tube() }
    }

    /// Adds a loose box; returns its vertices.
    pub fn add_box(&mut self, middle: Vec3, half: f32) -> std::ops::Range<usize> {
        let first = self.points.len() as u32;
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) * 2.0 - Vec3::ONE;
        self.points.extend((0..8).map(|i| middle + half * corner(i)));
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        for [a, b, c, d] in sides {
            self.triangles.extend([[a, b, c], [a, c, d]].map(|t| t.map(|corner: u32| first + corner)));
        }
        first as usize..self.points.len()
    }

    /// The same character turned, scaled and moved.
    pub fn moved(&self, axis: DVec3, angle: f64, scale: f64, way: DVec3) -> Self {
        let turn = DQuat::from_axis_angle(axis.normalize(), angle);
        let place = |point: Vec3| (scale * (turn * point.as_dvec3()) + way).as_vec3();
        let mut out = self.clone();
        out.points.iter_mut().for_each(|point| *point = place(*point));
        out.joints.iter_mut().for_each(|joint| joint.head = place(joint.head));
        out
    }

    /// The same character with its vertices and triangles in another order, and for each new vertex the old one.
    pub fn renumbered(&self) -> (Self, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|point| (*point as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
        let mut new = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, old)| new[*old] = at as u32);
        let mut out = self.clone();
        out.points = order.iter().map(|old| self.points[*old]).collect();
        out.triangles.reverse();
        out.triangles.iter_mut().for_each(|t| *t = [t[1], t[2], t[0]].map(|corner| new[corner as usize]));
        (out, order)
    }

    fn doc(&self) -> Doc {
        let mut doc = Doc { root: json!({ "asset": { "version": "2.0" }, "scene": 0 }), bin: Vec::new() };
        let mut nodes = Vec::new();
        for mesh in 0..self.meshes {
            self.add_mesh(&mut doc);
            for _ in 0..self.shown {
                let mut node = json!({ "name": format!("show {}", nodes.len()), "mesh": mesh });
                if self.is_skinned {
                    node["skin"] = json!(0);
                }
                nodes.push(node);
            }
        }
        if self.place != (Vec3::ZERO, 1.0) {
            nodes[0]["translation"] = json!(self.place.0.to_array());
            nodes[0]["scale"] = json!(Vec3::splat(self.place.1).to_array());
        }
        let first = nodes.len();
        let mut roots: Vec<usize> = (0..first).collect();
        for (at, joint) in self.joints.iter().enumerate() {
            let above = joint.parent.map_or(Vec3::ZERO, |parent| self.joints[parent].head);
            let mut node = json!({ "name": joint.name, "translation": (joint.head - above).to_array() });
            if joint.scale != 1.0 {
                node["scale"] = json!(Vec3::splat(joint.scale).to_array());
            }
            let children = self.joints.iter().enumerate().filter(|(_, child)| child.parent == Some(at));
            let children: Vec<usize> = children.map(|(child, _)| first + child).collect();
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            if joint.parent.is_none() {
                roots.push(first + at);
            }
            nodes.push(node);
        }
        doc.root["nodes"] = json!(nodes);
        doc.root["scenes"] = json!([{ "nodes": roots }]);
        if self.is_skinned {
            self.add_skin(&mut doc, first);
        }
        self.add_clip(&mut doc, first);
        doc.bin.resize(doc.bin.len().next_multiple_of(4), 0);
        doc
    }

    fn add_mesh(&self, doc: &mut Doc) {
        let count = self.points.len();
        let bytes: Vec<u8> = self.points.iter().flat_map(|point| point.to_array()).flat_map(f32::to_le_bytes).collect();
        let position = doc.accessor(&bytes, F32, "VEC3", count);
        let finite = self.points.iter().copied().filter(|point| point.is_finite());
        let [least, most] = [finite.clone().reduce(Vec3::min), finite.reduce(Vec3::max)];
        doc.root["accessors"][position]["min"] = json!(least.unwrap().to_array());
        doc.root["accessors"][position]["max"] = json!(most.unwrap().to_array());
        let mut attributes = json!({ "POSITION": position });
        if self.is_skinned {
            let (joints, weights) = self.pairs();
            let wide = if self.joints.len() > 256 { U16 } else { U8 };
            let stored = |joint: u16| if wide == U16 { joint.to_le_bytes().to_vec() } else { vec![joint as u8] };
            let joints: Vec<u8> = (0..count).flat_map(|_| joints).flat_map(stored).collect();
            attributes["JOINTS_0"] = json!(doc.accessor(&joints, wide, "VEC4", count));
            let stored = |weight: f64| match self.component {
                U8 => vec![weight as u8],
                U16 => (weight as u16).to_le_bytes().to_vec(),
                _ => (weight as f32).to_le_bytes().to_vec(),
            };
            let weights: Vec<u8> = (0..count).flat_map(|_| weights).flat_map(stored).collect();
            let weights = doc.accessor(&weights, self.component, "VEC4", count);
            if self.component != F32 {
                doc.root["accessors"][weights]["normalized"] = json!(true);
            }
            attributes["WEIGHTS_0"] = json!(weights);
        }
        let mut primitive = json!({ "attributes": attributes, "mode": self.mode });
        if self.mode == 4 {
            let indices: Vec<u8> = self.triangles.iter().flatten().copied().flat_map(u32::to_le_bytes).collect();
            primitive["indices"] = json!(doc.accessor(&indices, U32, "SCALAR", 3 * self.triangles.len()));
        }
        doc.push("meshes", json!({ "name": "tube", "primitives": [primitive] }));
    }

    /// The joints and the stored weights of every vertex: half of the second joint and half of the third one, where there are so many.
    fn pairs(&self) -> ([u16; 4], [f64; 4]) {
        let (last, whole) = (self.joints.len() - 1, one(self.component));
        if last < 2 {
            return ([0; 4], [whole, 0.0, 0.0, 0.0]);
        }
        let half = if self.component == F32 { 0.5 } else { (whole / 2.0).floor() };
        ([1, 2, 0, 0], [half, whole - half, 0.0, 0.0])
    }

    fn add_skin(&self, doc: &mut Doc, first: usize) {
        let matrix = |joint: &Joint| {
            let (b, h) = (joint.bind, joint.head);
            [b, 0.0, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, 0.0, b, 0.0, -h.x, -h.y, -h.z, 1.0]
        };
        let bytes: Vec<u8> = self.joints.iter().flat_map(matrix).flat_map(f32::to_le_bytes).collect();
        let binds = doc.accessor(&bytes, F32, "MAT4", self.joints.len());
        let joints: Vec<usize> = (first..first + self.joints.len()).collect();
        doc.push("skins", json!({ "name": "skin", "joints": joints, "inverseBindMatrices": binds }));
    }

    /// A clip that moves the last joint.
    fn add_clip(&self, doc: &mut Doc, first: usize) {
        let last = self.joints.len() - 1;
        let stands = &doc.root["nodes"][first + last]["translation"];
        let [x, y, z] = [0_usize, 1, 2].map(|axis| stands[axis].as_f64().unwrap() as f32);
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let times = doc.accessor(&bytes(&[0.0, 1.0]), F32, "SCALAR", 2);
        (doc.root["accessors"][times]["min"], doc.root["accessors"][times]["max"]) = (json!([0.0]), json!([1.0]));
        let places = doc.accessor(&bytes(&[x, y, z, x + 0.5, y, z]), F32, "VEC3", 2);
        doc.root["animations"] = json!([{
            "name": "Lean",
            "channels": [{ "sampler": 0, "target": { "node": first + last, "path": "translation" } }],
            "samplers": [{ "input": times, "output": places }],
        }]);
    }

    /// Writes it as a GLB.
    pub fn write(&self, path: &Path) {
        let mut doc = self.doc();
        doc.root["buffers"] = json!([{ "byteLength": doc.bin.len() }]);
        std::fs::write(path, glb(&doc.root, &doc.bin)).unwrap();
    }

    /// Writes it as text, with its bytes beside it in `tube.bin`.
    pub fn write_text(&self, path: &Path) {
        let mut doc = self.doc();
        doc.root["buffers"] = json!([{ "byteLength": doc.bin.len(), "uri": "tube.bin" }]);
        std::fs::write(path.with_file_name("tube.bin"), &doc.bin).unwrap();
        std::fs::write(path, serde_json::to_string_pretty(&doc.root).unwrap()).unwrap();
    }
}

fn glb(root: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF".to_vec();
    let total = 12 + 8 + text.len() + 8 + bin.len();
    [2, total as u32, text.len() as u32, 0x4E4F_534A].iter().for_each(|word| out.extend(word.to_le_bytes()));
    out.extend(text);
    [bin.len() as u32, 0x004E_4942].iter().for_each(|word| out.extend(word.to_le_bytes()));
    out.extend(bin);
    out
}
