//! Reads a clean rig far enough to know where a defect can be planted: which joint moves which vertices, which vertices
//! coincide, and which are joined by edges.

use std::collections::BTreeMap;

use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

use super::document::Document;
use super::file::at;
use super::weights::Weights;

/// A skinned primitive.
#[derive(Clone)]
pub struct Part {
    /// Mesh and primitive, as the file numbers them.
    pub place: (usize, usize),
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub weights: Weights,
    /// The welded vertex of each vertex.
    pub welded: Vec<usize>,
}

/// A rig with one skin that counts (all of its skinned primitives use the same joints).
pub struct Rig {
    pub name: String,
    pub file: Document,
    pub parts: Vec<Part>,
    pub skin: usize,
    /// Nodes of the skin.
    pub joints: Vec<usize>,
    pub parents: Vec<Option<usize>>,
    pub world: Vec<DMat4>,
    pub inverse_bind: Vec<DMat4>,
    /// Where each joint stands in the space of the mesh.
    pub heads: Vec<DVec3>,
    /// The parts and vertices at each welded place.
    pub copies: Vec<Vec<(usize, u32)>>,
    pub edges: Vec<Vec<usize>>,
    /// The connected piece of each welded place.
    pub shell: Vec<usize>,
    /// Diagonal of all positions.
    pub size: f64,
}

impl Rig {
    /// `None` where the skinned vertices cannot be read from the bytes, or several skins have different joints.
    pub fn read(name: &str, file: Document) -> Option<Self> {
        let mut used = BTreeMap::new();
        for node in file.list("nodes") {
            if let (Some(mesh), Some(skin)) = (at(&node["mesh"]), at(&node["skin"])) {
                used.entry(mesh).or_insert(skin);
            }
        }
        let skin = *used.values().next()?;
        let list =
            |skin: usize| file.list("skins")[skin]["joints"].as_array().map(|j| j.iter().filter_map(at).collect());
        let joints: Vec<usize> = list(skin)?;
        if used.values().any(|s| list(*s).as_ref() != Some(&joints)) {
            return None;
        }
        let mut parts = Vec::new();
        for mesh in used.keys() {
            for primitive in 0..file.root["meshes"][mesh]["primitives"].as_array()?.len() {
                parts.push(part(&file, (*mesh, primitive))?);
            }
        }
        let parents = parents(&file);
        let world = world(&file, &parents);
        let inverse_bind = inverse_bind(&file, skin, joints.len())?;
        let heads = inverse_bind.iter().map(|m| m.inverse().w_axis.truncate()).collect();
        let copies = weld(&mut parts);
        let edges = edges(&parts, copies.len());
        let shell = shells(&edges);
        let all = || parts.iter().flat_map(|p| p.positions.iter().copied());
        let size = all().reduce(DVec3::max)?.distance(all().reduce(DVec3::min)?);
        let name = name.to_owned();
        Some(Self { name, file, parts, skin, joints, parents, world, inverse_bind, heads, copies, edges, shell, size })
    }

    /// The pairs of a welded place: those of its first vertex.
    pub fn shares(&self, place: usize) -> BTreeMap<u32, f64> {
        let (part, vertex) = self.copies[place][0];
        self.parts[part].weights.shares(vertex)
    }

    pub fn position(&self, place: usize) -> DVec3 {
        let (part, vertex) = self.copies[place][0];
        self.parts[part].positions[vertex as usize]
    }

    /// The slot of the nearest joint above a joint.
    pub fn parent(&self, joint: u32) -> Option<u32> {
        let mut node = self.parents[self.joints[joint as usize]];
        while let Some(n) = node {
            if let Some(slot) = self.joints.iter().position(|j| *j == n) {
                return Some(slot as u32);
            }
            node = self.parents[n];
        }
        None
    }

    pub fn children(&self, joint: u32) -> Vec<u32> {
        (0..self.joints.len() as u32).filter(|j| self.parent(*j) == Some(joint)).collect()
    }

    /// Slots of a joint and all below it.
    pub fn subtree(&self, joint: u32) -> Vec<u32> {
        let mut out = vec![joint];
        let mut next = 0;
        while next < out.len() {
            out.extend(self.children(out[next]));
            next += 1;
        }
        out
    }

    /// Joints from the root to a joint, itself last.
    pub fn path(&self, joint: u32) -> Vec<u32> {
        let mut path: Vec<u32> = std::iter::successors(Some(joint), |j| self.parent(*j)).collect();
        path.reverse();
        path
    }

    /// Distance of a point to the segments from a joint to its children, or to the joint where it has none.
    pub fn bone_distance(&self, joint: u32, point: DVec3) -> f64 {
        let head = self.heads[joint as usize];
        let ends = self.children(joint).into_iter().map(|c| self.heads[c as usize]);
        let to = |end: DVec3| {
            let along = end - head;
            let t = if along.length_squared() > 0.0 { (point - head).dot(along) / along.length_squared() } else { 0.0 };
            point.distance(head + along * t.clamp(0.0, 1.0))
        };
        ends.map(to).fold(point.distance(head), f64::min)
    }

    /// Steps over edges from any of `from`, up to `most`; `usize::MAX` beyond.
    pub fn steps(&self, from: &[usize], most: usize) -> Vec<usize> {
        let mut out = vec![usize::MAX; self.copies.len()];
        from.iter().for_each(|p| out[*p] = 0);
        let mut open = from.to_vec();
        for step in 1..=most {
            let mut next = Vec::new();
            for place in open {
                for other in &self.edges[place] {
                    if out[*other] == usize::MAX {
                        out[*other] = step;
                        next.push(*other);
                    }
                }
            }
            open = next;
        }
        out
    }

    /// The welded places that a joint moves.
    pub fn region(&self, joint: u32) -> Vec<usize> {
        (0..self.copies.len()).filter(|p| self.shares(*p).contains_key(&joint)).collect()
    }
}

fn part(file: &Document, place: (usize, usize)) -> Option<Part> {
    let points = file.attribute(place, "POSITION")?;
    let positions: Vec<DVec3> = points.values.chunks_exact(3).map(DVec3::from_slice).collect();
    let primitive = file.primitive(place.0, place.1);
    if at(&primitive["mode"]).unwrap_or(4) != 4 || points.component != super::file::F32 {
        return None;
    }
    let indices: Vec<u32> = match at(&primitive["indices"]) {
        Some(accessor) => file.column(accessor)?.values.iter().map(|i| *i as u32).collect(),
        None => (0..positions.len() as u32).collect(),
    };
    let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Some(Part { place, positions, triangles, weights: Weights::read(file, place)?, welded: Vec::new() })
}

pub fn parents(file: &Document) -> Vec<Option<usize>> {
    let nodes = file.list("nodes");
    let mut out = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for child in node["children"].as_array().into_iter().flatten().filter_map(at) {
            out[child] = Some(i);
        }
    }
    out
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    list.try_into().ok()
}

/// `parent_from_node` as stored.
pub fn local(node: &Value) -> DMat4 {
    if let Some(m) = numbers::<16>(&node["matrix"]) {
        return DMat4::from_cols_array(&m);
    }
    let translation = numbers(&node["translation"]).map_or(DVec3::ZERO, DVec3::from_array);
    let rotation = numbers(&node["rotation"]).map_or(DQuat::IDENTITY, |q| DQuat::from_array(q).normalize());
    let scale = numbers(&node["scale"]).map_or(DVec3::ONE, DVec3::from_array);
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}

pub fn world(file: &Document, parents: &[Option<usize>]) -> Vec<DMat4> {
    let of = |node: usize| {
        let chain = std::iter::successors(Some(node), |n| parents[*n]);
        chain.fold(DMat4::IDENTITY, |m, n| local(&file.list("nodes")[n]) * m)
    };
    (0..parents.len()).map(of).collect()
}

fn inverse_bind(file: &Document, skin: usize, joints: usize) -> Option<Vec<DMat4>> {
    let Some(accessor) = at(&file.list("skins")[skin]["inverseBindMatrices"]) else {
        return Some(vec![DMat4::IDENTITY; joints]);
    };
    let column = file.column(accessor)?;
    Some(column.values.chunks_exact(16).map(DMat4::from_cols_slice).collect())
}

/// Gives equal positions one number, over all parts.
fn weld(parts: &mut [Part]) -> Vec<Vec<(usize, u32)>> {
    let mut places = BTreeMap::new();
    let mut copies: Vec<Vec<(usize, u32)>> = Vec::new();
    for (p, part) in parts.iter_mut().enumerate() {
        for (v, position) in part.positions.iter().enumerate() {
            let key = position.to_array().map(|x| ((x as f32) + 0.0).to_bits());
            let place = *places.entry(key).or_insert(copies.len());
            if place == copies.len() {
                copies.push(Vec::new());
            }
            copies[place].push((p, v as u32));
            part.welded.push(place);
        }
    }
    copies
}

fn edges(parts: &[Part], places: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); places];
    for part in parts {
        for t in &part.triangles {
            let [a, b, c] = t.map(|v| part.welded[v as usize]);
            for (x, y) in [(a, b), (b, c), (c, a)] {
                out[x].push(y);
                out[y].push(x);
            }
        }
    }
    for list in &mut out {
        list.sort_unstable();
        list.dedup();
    }
    out
}

fn shells(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut shell = vec![usize::MAX; edges.len()];
    for start in 0..edges.len() {
        if shell[start] != usize::MAX {
            continue;
        }
        shell[start] = start;
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            for other in &edges[place] {
                if shell[*other] == usize::MAX {
                    shell[*other] = start;
                    open.push(*other);
                }
            }
        }
    }
    shell
}
