//! Models that stand far from the origin of their file, such as a figure at map coordinates.
//!
//! A float holds a place at 100 km to 8 mm, and one at 13 000 km to a metre, too coarse for a figure. So the places where such a model
//! stands are taken off when it is read, in f64, and the model in memory stands near its own origin:
//!
//! ```text
//! place in the file's world = place in the model's world + origin          (Skeleton::origin_of)
//! translation in the file   = translation in the model   + base            (Skeleton::stored_translation)
//! position in the file      = position in the model      + offset          (Mesh::offset)
//! ```
//!
//! The last is for meshes whose own positions lie far away; their inverse bind matrices take the place in (Skin::stored_bind).
//!
//! A clip may lead far away from there, and a node far away may be turned about one above it. So poses have an origin of their own: the
//! places that a clip adds to nodes are no part of their translations ([`Wide`]), and matrices are relative to where the model is in the
//! pose (`skinscope_anim::origin_shift`):
//!
//! ```text
//! translation in the file's world = translation in the pose + base + place of the pose
//! place in the file's world       = place in the matrices of a pose + origin + origin shift of the pose
//! ```
//!
//! Nothing that computes with one pose needs to know. What says coordinates to a user, takes them from one, or writes them, adds or
//! subtracts.

use glam::{Affine3A, DAffine3, DQuat, DVec3, Vec3};

use super::{NodeId, Skeleton, Skin};

/// The places that were taken off the nodes of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Far {
    /// The place in the file's world, metres, that is the origin of what the model shows.
    pub origin: DVec3,
    /// The nodes whose translation is another one than in the file, rising by node; at least one.
    pub bases: Vec<Base>,
}

/// What was taken off one node, and with it off all below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// The node.
    pub node: NodeId,
    /// What was subtracted from its translation, in its parent's space.
    pub by: DVec3,
    /// The place in the file's world, metres, of the model's origin, for this node and those below it.
    pub origin: DVec3,
}

/// What of a pose floats are too coarse for. It is empty but for poses of clips that lead far away, or that turn what stands far away.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wide {
    /// What to add to the translations of nodes, in the space of their parents.
    pub places: Vec<(NodeId, DVec3)>,
    /// Rotations that are known with more digits. They count for as long as the pose has the same rotation in f32.
    pub turns: Vec<(NodeId, DQuat)>,
}

/// What was taken off the meshes of a skin, in the other direction what its inverse bind matrices gained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FarMesh {
    /// What was subtracted from the positions, mesh space.
    pub place: DVec3,
    /// The inverse bind matrices as the file has them, by place in [`Skin::joints`].
    pub stored: Vec<Affine3A>,
}

impl Skin {
    /// Returns the inverse bind matrix of a joint as the file has it, or would have it where it was edited: for the positions of the file.
    #[must_use]
    pub fn stored_bind(&self, joint: usize) -> DAffine3 {
        self.bind_to_store(self.inverse_bind[joint].as_daffine3())
    }

    /// Returns an inverse bind matrix for the positions of the file, for one that the model has.
    #[must_use]
    pub fn bind_to_store(&self, bind: DAffine3) -> DAffine3 {
        self.far.as_ref().map_or(bind, |far| bind * DAffine3::from_translation(-far.place))
    }
}

impl Skeleton {
    /// Returns the place in the file's world, metres, of the model's origin; zero but for models far away.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.far.as_ref().map_or(DVec3::ZERO, |far| far.origin)
    }

    /// Returns what to add to the place of a node in the model's world for that in the file's world, metres.
    #[must_use]
    pub fn origin_of(&self, node: NodeId) -> DVec3 {
        let Some(far) = &self.far else { return DVec3::ZERO };
        let above = std::iter::successors(Some(node), |node| self.parents[node.index()]);
        let found = above.filter_map(|node| far.bases.binary_search_by_key(&node, |base| base.node).ok()).next();
        found.map_or(DVec3::ZERO, |at| far.bases[at].origin)
    }

    /// Returns what was taken off the translation of node `index`, in its parent's space; zero where nothing was.
    #[must_use]
    pub fn base(&self, index: usize) -> DVec3 {
        let Some(far) = &self.far else { return DVec3::ZERO };
        let found = far.bases.binary_search_by_key(&index, |base| base.node.index());
        found.map_or(DVec3::ZERO, |at| far.bases[at].by)
    }

    /// Returns a translation of node `index`, as poses of the model have it, as the file has it.
    #[must_use]
    pub fn stored_translation(&self, index: usize, translation: Vec3) -> DVec3 {
        translation.as_dvec3() + self.base(index)
    }

    /// Returns a translation of node `index`, as the file has it, as poses of the model have it.
    #[must_use]
    pub fn near_translation(&self, index: usize, stored: DVec3) -> Vec3 {
        (stored - self.base(index)).as_vec3()
    }
}
