//! Models far from the origin of their file, such as a figure at map coordinates.
//!
//! At 100 km from the origin the steps between f32 coordinates are 8 mm, and at 13 000 km a metre, too coarse for a
//! figure. So import subtracts the position of such a model, in f64, and the model in memory lies near its own origin:
//!
//! ```text
//! position in the file's world = position in the model's world + origin       (Skeleton::origin_of)
//! translation in the file      = translation in the model      + base         (Skeleton::base)
//! vertex position in the file  = vertex position in the model  + offset       (Mesh::offset)
//! ```
//!
//! The last line is for meshes whose own vertices lie far from the origin of mesh space; their inverse bind matrices
//! then contain the offset (`Skin::stored_bind`).
//!
//! A file may have figures far from each other. Each of them has an origin of its own ([`FarFigure`]), so that in the
//! model it is nearer to the first figure than in the file.
//!
//! A clip may move the model far away from its rest position, or rotate a node that has a far child. So each pose has
//! an origin of its own: the large offsets that a clip adds to nodes are stored apart from the translations ([`Wide`]),
//! and the matrices of a pose are relative to the position of the model in that pose (`skinscope_anim::origin_shift`):
//!
//! ```text
//! translation in the file's world = translation in the pose + base + offset of the pose
//! position in the file's world    = position by the matrices of a pose + origin + origin shift of the pose
//! ```
//!
//! Code that computes within one pose need not know of this. Code that shows coordinates to a user, reads them from a
//! user or writes them to a file adds or subtracts these offsets.

use glam::{Affine3A, DAffine3, DQuat, DVec3};

use super::{NodeId, Skeleton, Skin, SkinId};

/// The offsets that import subtracted from the nodes of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Far {
    /// The position of the model's origin in the world of the file, metres.
    pub origin: DVec3,
    /// The nodes whose translation differs from that in the file, in rising order; at least one.
    pub bases: Vec<Base>,
    /// The figures that are too far from the first one to share its origin.
    pub others: Vec<FarFigure>,
}

/// A figure that is far from the first figure of its file. In the model it is in the same direction from that one, but
/// near it, since its origin contains the distance.
#[derive(Clone, Debug, PartialEq)]
pub struct FarFigure {
    /// The skins of the figure.
    pub skins: Vec<SkinId>,
    /// The position of the figure in the world of the file, metres.
    pub position: DVec3,
    /// The position of the model's origin for this figure, in the world of the file, metres.
    pub origin: DVec3,
}

/// The offset that was subtracted from one node, and thereby from all nodes below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// The node.
    pub node: NodeId,
    /// The offset that was subtracted from its translation, in the space of its parent.
    pub by: DVec3,
    /// The position of the model's origin in the world of the file, metres, for this node and those below it.
    pub origin: DVec3,
}

/// The part of a pose that f32 is too coarse for. It is empty except in poses of clips that move the model far away or
/// rotate nodes far away.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wide {
    /// Offsets to add to the translations of nodes, each in the space of the node's parent.
    pub offsets: Vec<(NodeId, DVec3)>,
    /// Rotations in f64, as unit quaternions. One counts only as long as the pose has the same rotation in f32: an edit
    /// of that makes it invalid.
    pub rotations: Vec<(NodeId, DQuat)>,
}

/// The offset that was subtracted from the vertices of a skin, which its inverse bind matrices contain in return.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FarMesh {
    /// The offset that was subtracted from the positions, in mesh space.
    pub offset: DVec3,
    /// The inverse bind matrices of the file, by index in [`Skin::joints`].
    pub stored: Vec<Affine3A>,
}

impl Skin {
    /// Returns the inverse bind matrix of a joint (index in [`Skin::joints`]), with edits, for the positions that the
    /// file has: `joint_from_mesh` with the mesh space of the file.
    #[must_use]
    pub fn stored_bind(&self, joint: usize) -> DAffine3 {
        self.bind_to_store(self.inverse_bind[joint].as_daffine3())
    }

    /// Converts an inverse bind matrix for the positions of the model to one for the positions of the file.
    #[must_use]
    pub fn bind_to_store(&self, bind: DAffine3) -> DAffine3 {
        self.far.as_ref().map_or(bind, |far| bind * DAffine3::from_translation(-far.offset))
    }
}

impl Skeleton {
    /// Returns the position of the model's origin in the world of the file, metres; zero except for models far away.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.far.as_ref().map_or(DVec3::ZERO, |far| far.origin)
    }

    /// Returns the offset from positions of a skin's vertices in the model's world to those in the world of the file,
    /// metres: the origin of the figure that the skin belongs to.
    #[must_use]
    pub(crate) fn origin_of_skin(&self, skin: SkinId) -> DVec3 {
        let other = self.other_figures().iter().find(|other| other.skins.contains(&skin));
        other.map_or_else(|| self.origin(), |other| other.origin)
    }

    /// Returns the origin of the figure that is nearest to a position in the world of the file; both in metres.
    #[must_use]
    pub fn origin_near(&self, position: DVec3) -> DVec3 {
        let first = (self.origin(), self.origin());
        let all = self.other_figures().iter().map(|other| (other.position, other.origin));
        let nearest =
            std::iter::once(first).chain(all).min_by(|a, b| position.distance(a.0).total_cmp(&position.distance(b.0)));
        nearest.map_or(DVec3::ZERO, |(_, origin)| origin)
    }

    /// Returns the figures that are too far from the first one to share its origin.
    #[must_use]
    pub fn other_figures(&self) -> &[FarFigure] {
        self.far.as_ref().map_or(&[], |far| &far.others)
    }

    /// Returns the offset from positions of a node in the model's world to those in the world of the file, metres.
    #[must_use]
    pub fn origin_of(&self, node: NodeId) -> DVec3 {
        let Some(far) = &self.far else { return DVec3::ZERO };
        let above = std::iter::successors(Some(node), |node| self.parents[node.index()]);
        let found = above.filter_map(|node| far.bases.binary_search_by_key(&node, |base| base.node).ok()).next();
        found.map_or(DVec3::ZERO, |at| far.bases[at].origin)
    }

    /// Returns the offset that was subtracted from the translation of node `index`, in the space of its parent; zero
    /// where none was.
    #[must_use]
    pub fn base(&self, index: usize) -> DVec3 {
        let Some(far) = &self.far else { return DVec3::ZERO };
        let found = far.bases.binary_search_by_key(&index, |base| base.node.index());
        found.map_or(DVec3::ZERO, |at| far.bases[at].by)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::test_shapes::{Tube, tube};

    #[test]
    fn the_origin_of_a_node_is_that_of_the_nearest_node_above_it_that_was_moved() {
        let mut skeleton = tube(Tube { joints: 4, ..Tube::default() }).skeleton.clone();
        let [first, second] = [DVec3::X * 5000.25, DVec3::Z * 1e7];
        let base = |node: u32, origin: DVec3| Base { node: NodeId(node), by: origin, origin };
        skeleton.far =
            Some(Arc::new(Far { origin: second, bases: vec![base(1, first), base(3, second)], others: Vec::new() }));
        let origins = [0, 1, 2, 3, 4].map(|node| skeleton.origin_of(NodeId(node)));
        assert_eq!(origins, [DVec3::ZERO, first, first, second, second]);
    }
}
