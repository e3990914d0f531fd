//! What one skin moves, as it was bound: points, weights, joints.

use std::collections::HashMap;

use glam::Vec3;

use crate::inspect::rig;
use crate::model::{MeshId, Model, Primitive, SkinId};

/// A primitive's vertices among those of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub mesh: MeshId,
    pub primitive: usize,
    /// Its first vertex.
    pub start: usize,
    /// Stored vertices.
    pub len: usize,
}

/// All stored vertices that a skin moves, in its one mesh space.
#[derive(Debug)]
pub(super) struct Body {
    pub skin: SkinId,
    /// By mesh and primitive.
    pub parts: Vec<Part>,
    pub points: Vec<Vec3>,
    /// For each point, where its weights start in `weights`; one more at the end.
    starts: Vec<u32>,
    /// As [`Body::weights`] gives them; none is 0, none comes twice.
    weights: Vec<(u16, f32)>,
    /// By place in the skin: where the joint was bound; `None` where its matrix cannot be inverted.
    pub joints: Vec<Option<Vec3>>,
    /// By place in the skin: whether the joint moves a vertex.
    pub moves: Vec<bool>,
    /// Diagonal of the box around the points.
    pub size: f32,
}

impl Body {
    /// `None` where the skin moves nothing that has a size.
    pub(super) fn of(model: &Model, id: SkinId, meshes: &[MeshId]) -> Option<Self> {
        let skin = &model.skins[id.index()];
        let bound = |j| {
            let matrix = rig::inverse_bind(skin, j).filter(|m| !rig::is_singular(m))?;
            Some(matrix.inverse().translation.as_vec3()).filter(|p| p.is_finite())
        };
        let count = skin.joints.len();
        // A node that the skin lists twice is one joint.
        let mut first = HashMap::new();
        let place: Vec<u16> =
            (0..count.min(1 << 16)).map(|j| *first.entry(skin.joints[j]).or_insert(j as u16)).collect();
        let mut out = Self {
            skin: id,
            parts: Vec::new(),
            points: Vec::new(),
            starts: vec![0],
            weights: Vec::new(),
            joints: (0..count).map(bound).collect(),
            moves: vec![false; count],
            size: 0.0,
        };
        for mesh in meshes {
            for (primitive, source) in model.meshes[mesh.index()].primitives.iter().enumerate() {
                out.add(*mesh, primitive, source, &place);
            }
        }
        let least = out.points.iter().fold(Vec3::MAX, |m, p| m.min(*p));
        let most = out.points.iter().fold(Vec3::MIN, |m, p| m.max(*p));
        out.size = (most - least).length();
        (!out.points.is_empty() && out.size > 0.0 && out.size.is_finite()).then_some(out)
    }

    fn add(&mut self, mesh: MeshId, primitive: usize, source: &Primitive, place: &[u16]) {
        let Some(influences) = &source.influences else { return };
        let len = source.stored_vertices;
        self.parts.push(Part { mesh, primitive, start: self.points.len(), len });
        self.points.extend(&source.positions[..len]);
        let mut of_vertex: Vec<(u16, f32)> = Vec::new();
        let mut not_finite = influences.not_finite.iter().map(|n| n.vertex as usize).peekable();
        for vertex in 0..len {
            let (joints, weights) = influences.of(vertex);
            let mut is_broken = weights.iter().any(|w| *w < 0.0);
            while not_finite.next_if(|v| *v <= vertex).is_some_and(|v| v == vertex) {
                is_broken = true;
            }
            let sum = influences.sum(vertex) as f32;
            of_vertex.clear();
            let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
            of_vertex.extend(used.map(|(j, w)| (place[usize::from(*j)], *w / sum)));
            of_vertex.iter().for_each(|(joint, _)| self.moves[usize::from(*joint)] = true);
            if is_broken || sum <= 0.0 {
                of_vertex.clear();
            }
            of_vertex.sort_unstable_by_key(|(j, _)| *j);
            let start = self.weights.len();
            for (joint, weight) in &of_vertex {
                match self.weights[start..].last_mut() {
                    Some(last) if last.0 == *joint => last.1 += weight,
                    _ => self.weights.push((*joint, *weight)),
                }
            }
            self.starts.push(self.weights.len() as u32);
        }
    }

    /// (place in the skin, share of the sum of weights) of a vertex, by rising place. Empty for one whose weights are
    /// zero, negative or not finite: other rules tell of those.
    pub(super) fn weights(&self, point: usize) -> &[(u16, f32)] {
        &self.weights[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
}
