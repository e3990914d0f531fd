//! Bodies with the plane that mirrors them across an axis, for whoever carries weights from one side to the other.

use std::collections::HashMap;

use skinscope_anim::pose::Axis;
use skinscope_base::math::{Grid, Plane};
use skinscope_model::{MeshId, Model, NodeId};

use super::body::{self, Body, BodyPart};
use super::plane::{Mirror, Nearest, POINT_REACH, SAME_POINT, Search};

/// The vertices that some skins move, in one space, with their plane of symmetry across an axis.
#[derive(Debug)]
pub struct Mirrored {
    body: Body,
    plane: Plane,
    /// The partner of each joint that has one; a joint of the middle is its own.
    partners: HashMap<NodeId, NodeId>,
}

/// A mesh that is not symmetric about any plane across an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithoutPlane {
    /// The mesh.
    pub mesh: MeshId,
    /// The plane that comes nearest, in the space of the mesh; `None` where the mesh has no size.
    pub nearest: Option<Nearest>,
}

impl Mirrored {
    /// Finds the bodies of a model that have a plane of symmetry across `axis` of mesh space, and the meshes that have none.
    /// The plane is the one about which most vertices have a mirror image. A body that has none as a whole is looked at mesh
    /// by mesh. Joints are paired by [`skinscope_model::JointPairs::settled`]. Takes time linear in vertices.
    #[must_use]
    pub fn all(model: &Model, axis: Axis) -> (Vec<Self>, Vec<WithoutPlane>) {
        let (found, without) = body::each_found(model, |body| Self::of(model, body, axis));
        (found, without.into_iter().map(|(mesh, nearest)| WithoutPlane { mesh, nearest }).collect())
    }

    fn of(model: &Model, body: Body, axis: Axis) -> Result<Self, Nearest> {
        let grid = Grid::new(&body.points, body.size * POINT_REACH);
        let Mirror { plane, partners, .. } = Search::new(model, &body, &grid).across(axis.direction())?;
        let node = |index: usize| body.nodes[index];
        let partners = partners.iter().enumerate();
        let partners = partners.filter_map(|(j, k)| Some((node(j), node(usize::from((*k)?))))).collect();
        Ok(Self { body, plane, partners })
    }

    /// Returns its primitives, whose stored vertices are numbered one after the other.
    #[must_use]
    pub fn parts(&self) -> &[BodyPart] {
        &self.body.parts
    }

    /// Returns the plane, in the space of the first mesh.
    #[must_use]
    pub fn plane(&self) -> Plane {
        self.plane
    }

    /// Returns its joints.
    #[must_use]
    pub fn joints(&self) -> &[NodeId] {
        &self.body.nodes
    }

    /// Returns the partner of a joint: itself for one of the middle, `None` for one at a side that has none.
    #[must_use]
    pub fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.partners.get(&node).copied()
    }

    /// Returns the partner of each joint that has one, where the pairs `given` count before those that were found: a joint that
    /// one of them takes away from another leaves that one without a partner. A pair of one joint makes it its own partner.
    #[must_use]
    pub fn partners(&self, given: &[[NodeId; 2]]) -> HashMap<NodeId, NodeId> {
        let mut out = self.partners.clone();
        let mut seen: Vec<NodeId> = Vec::new();
        for [a, b] in given.iter().copied().filter(|pair| pair.iter().all(|node| self.body.nodes.contains(node))) {
            // Of two pairs that are given for one joint the first counts.
            if seen.contains(&a) || seen.contains(&b) {
                continue;
            }
            seen.extend([a, b]);
            for node in [a, b] {
                if let Some(before) = out.remove(&node) {
                    out.remove(&before);
                }
            }
            out.extend([(a, b), (b, a)]);
        }
        out
    }

    /// Returns on which side of the plane a vertex lies: below 0 on the negative side of the axis.
    #[must_use]
    pub fn side(&self, vertex: usize) -> f32 {
        self.plane.normal.dot(self.body.points[vertex]) - self.plane.offset
    }

    /// Calls `each` for every vertex with the vertices at its mirror image, rising: all that lie at the one position that is
    /// nearest to it. There are none where no vertex lies within a thousandth of the size; the vertex itself is among them
    /// where it lies on the plane.
    pub fn each_image(&self, mut each: impl FnMut(usize, &[u32])) {
        let body = &self.body;
        let grid = Grid::new(&body.points, body.size * POINT_REACH);
        let (mut near, mut images) = (Vec::new(), Vec::new());
        for (vertex, point) in body.points.iter().enumerate() {
            grid.near(self.plane.mirrored(*point), &mut near);
            let nearest = near.iter().fold(f32::INFINITY, |least, (distance, _)| least.min(*distance));
            let is_there = |(distance, _): &&(f32, u32)| *distance <= nearest + body.size * SAME_POINT;
            images.clear();
            images.extend(near.iter().filter(is_there).map(|(_, other)| *other));
            images.sort_unstable();
            each(vertex, &images);
        }
    }
}
