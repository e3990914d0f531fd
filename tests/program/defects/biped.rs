//! A biped that is computed: 60 joints (36 without fingers) inside a skin of any fineness, exactly symmetric about x =
//! 0. Its faces are those of a grid of cells inside capsules around its bones, smoothed, and split along the back as
//! textures do.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3};
use serde_json::{Value, json};

use super::document::Document;
use super::file::{Column, F32};
use super::weights::Weights;

/// How it is made.
#[derive(Clone, Copy)]
pub struct Biped {
    /// Metres between vertices.
    pub step: f64,
    pub fingers: bool,
    /// How weights are stored.
    pub component: u32,
    /// A node above the joints, whose transform all of them share and no inverse bind knows.
    pub armature: DMat4,
    /// What the mesh is stored in: its vertices by this matrix, the inverse binds by its inverse.
    pub mesh_space: DMat4,
    /// Whether nodes have names.
    pub names: bool,
}

impl Default for Biped {
    fn default() -> Self {
        let (armature, mesh_space) = (DMat4::IDENTITY, DMat4::IDENTITY);
        Self { step: 0.03, fingers: false, component: F32, armature, mesh_space, names: true }
    }
}

struct Joint {
    name: String,
    parent: Option<usize>,
    head: DVec3,
    tail: DVec3,
    radius: f64,
}

/// Of the middle and the left (+X) side: name, parent, head, tail, radius. The right side mirrors what ends in `_L`.
fn plan(fingers: bool) -> Vec<Joint> {
    type Row = (&'static str, &'static str, [f64; 3], [f64; 3], f64);
    let rows: [Row; 25] = [
        ("Hips", "", [0.0, 1.0, 0.0], [0.0, 1.12, 0.0], 0.14),
        ("Spine", "Hips", [0.0, 1.12, 0.0], [0.0, 1.26, 0.0], 0.13),
        ("Chest", "Spine", [0.0, 1.26, 0.0], [0.0, 1.4, 0.0], 0.14),
        ("Neck", "Chest", [0.0, 1.48, 0.0], [0.0, 1.58, 0.0], 0.06),
        ("Head", "Neck", [0.0, 1.6, 0.02], [0.0, 1.76, 0.02], 0.1),
        ("Crown", "Head", [0.0, 1.8, 0.02], [0.0, 1.86, 0.02], 0.05),
        ("Jaw", "Head", [0.0, 1.6, 0.08], [0.0, 1.58, 0.14], 0.04),
        ("Tail1", "Hips", [0.0, 0.98, -0.14], [0.0, 0.95, -0.26], 0.05),
        ("Tail2", "Tail1", [0.0, 0.95, -0.26], [0.0, 0.92, -0.38], 0.045),
        ("Tail3", "Tail2", [0.0, 0.92, -0.38], [0.0, 0.9, -0.5], 0.04),
        ("Tail4", "Tail3", [0.0, 0.9, -0.5], [0.0, 0.89, -0.62], 0.04),
        ("Tail5", "Tail4", [0.0, 0.89, -0.62], [0.0, 0.88, -0.72], 0.04),
        ("Tail6", "Tail5", [0.0, 0.88, -0.72], [0.0, 0.88, -0.82], 0.04),
        ("Tail7", "Tail6", [0.0, 0.88, -0.82], [0.0, 0.88, -0.9], 0.04),
        ("Clavicle_L", "Chest", [0.06, 1.42, 0.0], [0.16, 1.42, 0.0], 0.08),
        ("UpperArm_L", "Clavicle_L", [0.2, 1.42, 0.0], [0.44, 1.42, 0.0], 0.06),
        ("Forearm_L", "UpperArm_L", [0.46, 1.42, 0.0], [0.66, 1.42, 0.0], 0.05),
        ("Hand_L", "Forearm_L", [0.7, 1.42, 0.0], [0.78, 1.42, 0.0], 0.045),
        ("Thigh_L", "Hips", [0.11, 0.92, 0.0], [0.12, 0.54, 0.0], 0.085),
        ("Calf_L", "Thigh_L", [0.12, 0.5, 0.0], [0.13, 0.14, 0.0], 0.06),
        ("Foot_L", "Calf_L", [0.13, 0.08, 0.0], [0.13, 0.05, 0.12], 0.05),
        ("Toe_L", "Foot_L", [0.13, 0.05, 0.15], [0.13, 0.05, 0.2], 0.045),
        ("Ear_L", "Head", [0.1, 1.72, 0.0], [0.17, 1.8, 0.0], 0.03),
        ("Breast_L", "Chest", [0.07, 1.33, 0.12], [0.08, 1.32, 0.17], 0.05),
        ("Pouch_L", "Hips", [0.16, 0.98, 0.04], [0.2, 0.94, 0.06], 0.05),
    ];
    let mut out = Vec::new();
    let mut left: Vec<(String, String, DVec3, DVec3, f64)> = Vec::new();
    for (name, parent, head, tail, radius) in rows {
        left.push((name.into(), parent.into(), head.into(), tail.into(), radius));
    }
    for finger in 0..if fingers { 4 } else { 0 } {
        let z = -0.0375 + 0.025 * f64::from(finger);
        for bone in 0..3 {
            let x = 0.8 + 0.035 * f64::from(bone);
            let parent = if bone == 0 { "Hand_L".into() } else { format!("Finger{finger}{}_L", bone - 1) };
            let (head, tail) = (DVec3::new(x, 1.42, z), DVec3::new(x + 0.03, 1.42, z));
            left.push((format!("Finger{finger}{bone}_L"), parent, head, tail, 0.009));
        }
    }
    let mirror = |p: DVec3| DVec3::new(-p.x, p.y, p.z);
    let right = |name: &str| name.strip_suffix("_L").map_or(name.to_owned(), |n| format!("{n}_R"));
    for (name, parent, head, tail, radius) in &left {
        for side in [false, true].into_iter().filter(|side| !side || name.ends_with("_L")) {
            let (name, parent) = if side { (right(name), right(parent)) } else { (name.clone(), parent.clone()) };
            let (head, tail) = if side { (mirror(*head), mirror(*tail)) } else { (*head, *tail) };
            let parent = out.iter().position(|j: &Joint| j.name == parent);
            out.push(Joint { name, parent, head, tail, radius: *radius });
        }
    }
    out
}

fn distance(p: DVec3, joint: &Joint) -> f64 {
    let along = joint.tail - joint.head;
    let t = ((p - joint.head).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(joint.head + along * t)
}

/// Vertices at points of the grid, and the quads between them.
struct Surface {
    keys: Vec<[i32; 3]>,
    positions: Vec<DVec3>,
    quads: Vec<[u32; 4]>,
    /// The mirrored vertex.
    mirror: Vec<usize>,
    edges: Vec<Vec<usize>>,
}

/// Cells of the grid inside the capsules, rising; those of the left side, and their mirror images.
fn cells(joints: &[Joint], step: f64) -> Vec<[i32; 3]> {
    let mut out = Vec::new();
    for joint in joints.iter().filter(|j| j.head.x >= 0.0) {
        let radius = joint.radius.max(step);
        let from = ((joint.head.min(joint.tail) - radius) / step).floor().as_ivec3().to_array();
        let to = ((joint.head.max(joint.tail) + radius) / step).ceil().as_ivec3().to_array();
        for x in from[0].max(0)..=to[0] {
            for y in from[1]..=to[1] {
                let inside = |c: &[i32; 3]| {
                    let p = DVec3::from_array(c.map(|i| (f64::from(i) + 0.5) * step));
                    distance(p, joint) < radius
                };
                let row = (from[2]..=to[2]).map(|z| [x, y, z]).filter(inside);
                out.extend(row.flat_map(|c| [c, [-1 - c[0], c[1], c[2]]]));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn surface(joints: &[Joint], step: f64) -> Surface {
    let filled = cells(joints, step);
    let mut out = Surface { keys: vec![], positions: vec![], quads: vec![], mirror: vec![], edges: vec![] };
    let mut numbers = BTreeMap::new();
    for cell in &filled {
        for (axis, forward) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
            let mut beside = *cell;
            beside[axis] += if forward { 1 } else { -1 };
            if filled.binary_search(&beside).is_ok() {
                continue;
            }
            let corner = |u: i32, v: i32| {
                let mut key = *cell;
                key[axis] += i32::from(forward);
                key[(axis + 1) % 3] += u;
                key[(axis + 2) % 3] += v;
                key
            };
            let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].map(|key| {
                *numbers.entry(key).or_insert_with(|| {
                    out.keys.push(key);
                    out.keys.len() as u32 - 1
                })
            });
            if !forward {
                quad.reverse();
            }
            out.quads.push(quad);
        }
    }
    out.positions = out.keys.iter().map(|k| DVec3::from_array(k.map(|i| f64::from(i) * step))).collect();
    out.mirror = out.keys.iter().map(|[x, y, z]| numbers[&[-x, *y, *z]] as usize).collect();
    out.edges = vec![Vec::new(); out.keys.len()];
    for q in &out.quads {
        for i in 0..4 {
            out.edges[q[i] as usize].push(q[(i + 1) % 4] as usize);
        }
    }
    out
}

impl Surface {
    fn smooth(&mut self, rounds: usize) {
        for _ in 0..rounds {
            let mean = |v: usize| {
                let around = self.edges[v].iter().map(|w| self.positions[*w]);
                let mean = around.sum::<DVec3>() / self.edges[v].len().max(1) as f64;
                (self.positions[v] + mean) / 2.0
            };
            let mut next: Vec<DVec3> = (0..self.positions.len()).map(mean).collect();
            for v in 0..next.len() {
                let x = self.keys[v][0];
                if x == 0 {
                    next[v].x = 0.0;
                } else if x < 0 {
                    let p = next[self.mirror[v]];
                    next[v] = DVec3::new(-p.x, p.y, p.z);
                }
            }
            self.positions = next;
        }
    }

    /// Of each vertex its nearest bone, spread over edges, the four largest.
    fn weights(&self, joints: &[Joint]) -> Vec<Vec<(u32, f64)>> {
        let other = |name: &str| match (name.strip_suffix("_L"), name.strip_suffix("_R")) {
            (Some(n), _) => format!("{n}_R"),
            (_, Some(n)) => format!("{n}_L"),
            _ => name.to_owned(),
        };
        let pair = |j: u32| joints.iter().position(|o| o.name == other(&joints[j as usize].name)).unwrap() as u32;
        let pairs: Vec<u32> = (0..joints.len() as u32).map(pair).collect();
        let nearest = |p: &DVec3| {
            let all = joints.iter().enumerate().map(|(j, joint)| (distance(*p, joint) / joint.radius, j as u32));
            all.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1
        };
        let mut all: Vec<BTreeMap<u32, f64>> =
            self.positions.iter().map(|p| BTreeMap::from([(nearest(p), 1.0)])).collect();
        for _ in 0..3 {
            let mean = |v: usize| {
                let mut out = BTreeMap::new();
                let around = &self.edges[v];
                for (j, w) in &all[v] {
                    *out.entry(*j).or_insert(0.0) += w / 2.0;
                }
                for (j, w) in around.iter().flat_map(|o| &all[*o]) {
                    *out.entry(*j).or_insert(0.0) += w / 2.0 / around.len() as f64;
                }
                out
            };
            all = (0..all.len()).map(mean).collect();
        }
        let largest = |v: usize| {
            let mut list: Vec<(u32, f64)> = all[v].iter().map(|(j, w)| (*j, *w)).filter(|p| p.1 > 0.02).collect();
            if self.keys[v][0] == 0 {
                // On the plane both sides count alike.
                let both =
                    |j: u32| (all[v].get(&j).unwrap_or(&0.0) + all[v].get(&pairs[j as usize]).unwrap_or(&0.0)) / 2.0;
                let sides: std::collections::BTreeSet<u32> =
                    list.iter().flat_map(|p| [p.0, pairs[p.0 as usize]]).collect();
                list = sides.into_iter().map(|j| (j, both(j))).collect();
            }
            list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            list.truncate(4);
            if self.keys[v][0] == 0 {
                let whole = list.clone();
                list.retain(|p| whole.iter().any(|o| o.0 == pairs[p.0 as usize]));
            }
            let sum: f64 = list.iter().map(|p| p.1).sum();
            list.iter().map(|(j, w)| (*j, w / sum)).collect::<Vec<_>>()
        };
        let half: Vec<_> = (0..all.len()).map(largest).collect();
        let of = |v: usize| {
            if self.keys[v][0] >= 0 {
                return half[v].clone();
            }
            half[self.mirror[v]].iter().map(|(j, w)| (pairs[*j as usize], *w)).collect()
        };
        (0..all.len()).map(of).collect()
    }
}

fn nodes(biped: &Biped, joints: &[Joint], root: usize) -> Vec<Value> {
    let mut out = Vec::new();
    for (j, joint) in joints.iter().enumerate() {
        let from = joint.parent.map_or(DVec3::ZERO, |p| joints[p].head);
        let children: Vec<usize> =
            (0..joints.len()).filter(|c| joints[*c].parent == Some(j)).map(|c| c + root).collect();
        let mut node = json!({ "translation": (joint.head - from).to_array() });
        if biped.names {
            node["name"] = json!(joint.name);
        }
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        out.push(node);
    }
    out
}

/// The whole file: node 0 the armature, node 1 the skinned mesh, then the joints.
pub fn biped(biped: &Biped) -> Document {
    let joints = plan(biped.fingers);
    let mut surface = surface(&joints, biped.step);
    surface.smooth(3);
    let mut weights = surface.weights(&joints);
    let mut positions = surface.positions.clone();
    let mut triangles = Vec::new();
    let mut split = BTreeMap::new();
    for quad in &surface.quads {
        let right = quad.iter().any(|v| surface.keys[*v as usize][0] < 0);
        let quad = quad.map(|v| {
            let at = v as usize;
            if !right || surface.keys[at][0] != 0 || surface.positions[at].z > 0.0 {
                return v;
            }
            *split.entry(v).or_insert_with(|| {
                positions.push(surface.positions[at]);
                weights.push(weights[at].clone());
                positions.len() as u32 - 1
            })
        });
        let [a, b, c, d] = quad;
        triangles.extend(if right { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    let mut file = Document { root: json!({ "asset": { "version": "2.0" } }), bin: Vec::new() };
    file.root["meshes"] = json!([{ "primitives": [{ "attributes": {} }] }]);
    let stored = positions.iter().flat_map(|p| biped.mesh_space.transform_point3(*p).to_array()).collect();
    file.set_attribute((0, 0), "POSITION", &Column::new(F32, 3, stored));
    Weights::of(&weights, biped.component).write(&mut file, (0, 0));
    file.set_triangles((0, 0), &triangles);
    let back = biped.mesh_space.inverse();
    let binds = joints.iter().flat_map(|j| (DMat4::from_translation(-j.head) * back).to_cols_array()).collect();
    let binds = file.add(&Column::new(F32, 16, binds), false);
    let mut list = vec![
        json!({ "name": "Armature", "children": [1, 2], "matrix": biped.armature.to_cols_array() }),
        json!({ "name": "Body", "mesh": 0, "skin": 0 }),
    ];
    list.extend(nodes(biped, &joints, 2));
    file.root["nodes"] = json!(list);
    file.root["skins"] = json!([{
        "joints": (2..joints.len() + 2).collect::<Vec<_>>(), "inverseBindMatrices": binds, "skeleton": 2,
    }]);
    file.root["scenes"] = json!([{ "nodes": [0] }]);
    file.root["scene"] = json!(0);
    file
}
