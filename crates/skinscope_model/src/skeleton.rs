//! The node hierarchy and the skins that refer to it.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, Mat3A};
use skinscope_base::math::Transform;

use super::{Far, FarMesh, LocalPose, NodeId};

/// The node hierarchy in depth-first order, parents first: `parents[i] < i`.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// The parent of each node.
    pub parents: Vec<Option<NodeId>>,
    /// The name of each node; never empty (unnamed nodes are called "node 7", by the index in the file).
    pub names: Vec<String>,
    /// The index of each node in the file.
    pub file_index: Vec<u32>,
    /// The rest pose: the transforms and morph weights that the file stores.
    pub rest: LocalPose,
    /// The shear of nodes whose matrix in the file is no product of translation, rotation and scale, in rising order of
    /// nodes. It is applied before the transform: `parent_from_node = T · R · S · shear`.
    pub residuals: Vec<(NodeId, Mat3A)>,
    /// The offsets that were subtracted from the nodes of a model far from the origin of its file; `None` for other
    /// models.
    pub far: Option<Arc<Far>>,
}

/// The direction in which a character faces, in the space of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// Towards +Z, as glTF 2.0 says (section 3.4); its left side is at +X.
    #[default]
    PlusZ,
    /// Towards −Z, as characters of VRM 0.x do; its left side is at −X.
    MinusZ,
}

impl Skeleton {
    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the shear that node `index` applies before its transform; `None` where it has none.
    #[must_use]
    pub fn residual(&self, index: usize) -> Option<Mat3A> {
        let at = self.residuals.binary_search_by_key(&index, |(n, _)| n.index()).ok()?;
        Some(self.residuals[at].1)
    }

    /// Returns `parent_from_node` of node `index` with the given transform and the shear of the file.
    #[must_use]
    pub fn local_matrix(&self, index: usize, transform: Transform) -> Affine3A {
        let mut m = transform.to_affine();
        if let Some(residual) = self.residual(index) {
            m.matrix3 *= residual;
        }
        m
    }

    /// Returns `model_from_node` of every node in a pose, in double precision.
    #[must_use]
    pub fn worlds(&self, pose: &LocalPose) -> Vec<DAffine3> {
        let mut out: Vec<DAffine3> = Vec::with_capacity(self.len());
        for (i, transform) in pose.transforms.iter().enumerate().take(self.len()) {
            let rotation = transform.rotation.as_dquat().normalize();
            let (scale, translation) = (transform.scale.as_dvec3(), transform.translation.as_dvec3());
            let mut local = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            if let Some(residual) = self.residual(i) {
                local.matrix3 *= residual.as_dmat3();
            }
            let parent = self.parents[i].and_then(|parent| out.get(parent.index())).copied();
            out.push(parent.unwrap_or(DAffine3::IDENTITY) * local);
        }
        out
    }

    /// Returns the children of a node, in order. It walks the whole list of nodes, which is fast enough for panels but
    /// not for every frame.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let after = &self.parents[node.index() + 1..];
        let base = node.index() + 1;
        after.iter().enumerate().filter(move |(_, p)| **p == Some(node)).map(move |(i, _)| NodeId::from_index(base + i))
    }

    /// Returns the index after the last node of the subtree of `node`. Nodes are in depth-first order, so that the
    /// subtree is the range from `node` to this index.
    #[must_use]
    pub fn subtree_end(&self, node: NodeId) -> usize {
        let start = node.index();
        let after = self.parents[start + 1..].iter();
        let inside = after.take_while(|p| p.is_some_and(|p| p.index() >= start)).count();
        start + 1 + inside
    }

    /// Returns the length in metres of one unit of the space of a node's parent at rest, along the axis where it is
    /// longest.
    #[must_use]
    pub fn scale_above(&self, node: NodeId) -> f64 {
        let above = std::iter::successors(self.parents[node.index()], |node| self.parents[node.index()]);
        above.map(|node| f64::from(self.rest.transforms[node.index()].scale.abs().max_element())).product()
    }

    /// Returns the number of nodes above `node`.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> usize {
        std::iter::successors(self.parents[node.index()], |p| self.parents[p.index()]).count()
    }
}

/// The joints that move a mesh, and their inverse bind matrices.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The joints: nodes that the `JOINTS_n` of meshes refer to by their index in this list.
    pub joints: Vec<NodeId>,
    /// `joint_from_mesh` at bind time, one matrix for each joint; the identity where the file stores none.
    pub inverse_bind: Vec<Affine3A>,
    /// Whether the file stores no inverse bind matrices, so that all are the identity (glTF 2.0, 3.7.3.1).
    pub binds_missing: bool,
    /// The indices in `joints` whose matrix in the file is not finite, rising; the model has the identity for them.
    pub not_finite: Vec<usize>,
    /// The node that the file names as `skin.skeleton`.
    pub root: Option<NodeId>,
    /// The offset that was subtracted from the meshes that it moves, where they are far from the origin of mesh space;
    /// `None` for other skins.
    pub far: Option<Arc<FarMesh>>,
}
