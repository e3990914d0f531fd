//! A body: the points, weights and joints that some skins move, as they were bound.

use std::collections::{BTreeSet, HashMap};

use glam::{DAffine3, Vec3};

use crate::rig;
use skinscope_base::math::Aabb;
use skinscope_model::{MeshId, Model, NodeId, PrimitiveRef, Skin, SkinId};

/// A primitive's vertices among those of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub mesh: MeshId,
    pub primitive: usize,
    /// The number of its first vertex.
    pub start: usize,
    /// How many stored vertices it has.
    pub len: usize,
}

/// All stored vertices that some skins move, in the one mesh space in which they bind their joints.
#[derive(Debug)]
pub(super) struct Body {
    /// The joints of all its skins, each once. The places of joints are places in this list.
    pub nodes: Vec<NodeId>,
    /// The primitives by mesh and primitive.
    pub parts: Vec<Part>,
    pub points: Vec<Vec3>,
    /// For each point, where its weights start in `weights`; one more at the end.
    starts: Vec<u32>,
    /// The weights as [`Body::weights`] gives them; none is 0, none comes twice.
    weights: Vec<(u16, f32)>,
    /// For each joint: where it was bound; `None` where its matrix cannot be inverted.
    pub joints: Vec<Option<Vec3>>,
    /// For each joint: whether it moves a vertex.
    pub moves: Vec<bool>,
    /// The diagonal of the box around the mass of the points.
    pub size: f32,
}

impl Body {
    /// Makes the body of some skins; `None` where they move nothing that has a size. Each mesh counts once, with the
    /// first skin that moves it.
    pub(super) fn of(model: &Model, skins: &[SkinId], meshes: &[Vec<MeshId>]) -> Option<Self> {
        let mut out = Self {
            nodes: Vec::new(),
            parts: Vec::new(),
            points: Vec::new(),
            starts: vec![0],
            weights: Vec::new(),
            joints: Vec::new(),
            moves: Vec::new(),
            size: 0.0,
        };
        let (mut places, mut seen) = (HashMap::new(), BTreeSet::new());
        for id in skins {
            let skin = &model.skins[id.index()];
            // A node that a skin lists twice, or that several skins list, is one joint.
            let place: Vec<u16> = (0..skin.joints.len()).map(|j| out.place(skin, j, &mut places)).collect();
            for mesh in meshes[id.index()].iter().filter(|mesh| seen.insert(**mesh)) {
                for (primitive, source) in model.primitives(*mesh).enumerate() {
                    out.add(*mesh, primitive, source, &place);
                }
            }
        }
        out.size = Aabb::around_mass(&out.points).diagonal();
        (!out.points.is_empty() && out.size > 0.0 && out.size.is_finite()).then_some(out)
    }

    /// Returns the place of a joint of a skin; the last place where there are more joints than can be numbered.
    fn place(&mut self, skin: &Skin, j: usize, places: &mut HashMap<NodeId, u16>) -> u16 {
        let bound = || bind(skin, j).map(|m| m.translation.as_vec3()).filter(|p| p.is_finite());
        *places.entry(skin.joints[j]).or_insert_with(|| {
            if self.nodes.len() < usize::from(u16::MAX) {
                self.nodes.push(skin.joints[j]);
                self.joints.push(bound());
                self.moves.push(false);
            }
            (self.nodes.len() - 1) as u16
        })
    }

    fn add(&mut self, mesh: MeshId, primitive: usize, source: PrimitiveRef<'_>, place: &[u16]) {
        let Some(influences) = source.influences else { return };
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

    /// Returns (place, share of the sum of weights) of a vertex, rising by place. Empty for one whose weights are zero,
    /// negative or not finite, which other rules find.
    pub(super) fn weights(&self, point: usize) -> &[(u16, f32)] {
        &self.weights[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
}

/// Returns `mesh_from_joint` as bound; `None` where it is not known.
fn bind(skin: &Skin, j: usize) -> Option<DAffine3> {
    rig::inverse_bind(skin, j).filter(|m| !rig::is_singular(m)).map(|m| m.inverse())
}

/// Groups skins into bodies. Skins that bind the joints they share in the same places are one body, such as the head
/// and the hands of a character whose parts were exported each with a skin. Skins that share no joint are bodies of
/// their own. Takes time linear in joints.
pub(super) fn bodies(model: &Model) -> Vec<Vec<SkinId>> {
    let mut out: Vec<Vec<SkinId>> = Vec::new();
    // The first body that has each node, and where that body binds it.
    let mut known: HashMap<NodeId, (usize, Option<DAffine3>)> = HashMap::new();
    for (i, skin) in model.skins.iter().enumerate() {
        let binds: Vec<_> = (0..skin.joints.len()).map(|j| (skin.joints[j], bind(skin, j))).collect();
        let met = |(node, _): &(NodeId, Option<DAffine3>)| known.get(node).map(|(body, _)| *body);
        let body = binds.iter().find_map(met).filter(|body| {
            let shared = binds.iter().filter_map(|(node, bind)| Some((known.get(node)?, bind)));
            shared.filter(|((other, _), _)| other == body).all(|((_, a), b)| match (a, b) {
                (Some(a), Some(b)) => same_place(a, b),
                _ => true,
            })
        });
        let body = body.unwrap_or_else(|| {
            out.push(Vec::new());
            out.len() - 1
        });
        out[body].push(SkinId::from_index(i));
        for (node, bind) in binds {
            known.entry(node).or_insert((body, bind));
        }
    }
    out
}

/// Returns whether two matrices are equal but for rounding.
fn same_place(a: &DAffine3, b: &DAffine3) -> bool {
    let size = a.translation.length().max(a.matrix3.col(0).length());
    a.abs_diff_eq(*b, 1e-5 * size.max(f64::MIN_POSITIVE))
}
