//! The node hierarchy and the skins that refer to it.

use std::sync::Arc;

use glam::{Affine3A, Mat3A};
use skinscope_base::math::Transform;

use super::{Far, FarMesh, LocalPose, NodeId};

/// The node hierarchy, parents first: `parents[i] < i`.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// The parent of each node.
    pub parents: Vec<Option<NodeId>>,
    /// The name of each node; never empty (unnamed nodes are called "node 7", after the file's index).
    pub names: Vec<String>,
    /// The file's own index of each node.
    pub file_index: Vec<u32>,
    /// The pose stored in the file.
    pub rest: LocalPose,
    /// The shear of nodes whose stored matrix is no TRS, which is applied before the TRS; sorted by node.
    pub residuals: Vec<(NodeId, Mat3A)>,
    /// What was taken off the nodes of a model that stands far from the origin of its file; `None`: nothing.
    pub far: Option<Arc<Far>>,
}

/// The way that a character faces, in the space of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// Towards +Z, as glTF 2.0 says (section 3.4): its left is at +X.
    #[default]
    PlusZ,
    /// Towards −Z, as characters of VRM 0.x do: its left is at −X.
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

    /// Returns the shear that node `index` applies before its TRS, if any.
    #[must_use]
    pub fn residual(&self, index: usize) -> Option<Mat3A> {
        let at = self.residuals.binary_search_by_key(&index, |(n, _)| n.index()).ok()?;
        Some(self.residuals[at].1)
    }

    /// Returns `parent_from_node` of node `index` with the given transform, its stored shear included.
    #[must_use]
    pub fn local_matrix(&self, index: usize, transform: Transform) -> Affine3A {
        let mut m = transform.to_affine();
        if let Some(residual) = self.residual(index) {
            m.matrix3 *= residual;
        }
        m
    }

    /// Returns the node's children, in order. It walks the whole list, which is fine for panels but too slow for every
    /// frame.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let after = &self.parents[node.index() + 1..];
        let base = node.index() + 1;
        after.iter().enumerate().filter(move |(_, p)| **p == Some(node)).map(move |(i, _)| NodeId::from_index(base + i))
    }

    /// Returns one past the last node of the subtree of `node`: the order is depth first, so a subtree is a range.
    #[must_use]
    pub fn subtree_end(&self, node: NodeId) -> usize {
        let start = node.index();
        let after = self.parents[start + 1..].iter();
        let inside = after.take_while(|p| p.is_some_and(|p| p.index() >= start)).count();
        start + 1 + inside
    }

    /// Returns how many metres one unit of the space is in which a node has its translation, at rest, along the axis where it is longest.
    #[must_use]
    pub fn scale_above(&self, node: NodeId) -> f64 {
        let above = std::iter::successors(self.parents[node.index()], |node| self.parents[node.index()]);
        above.map(|node| f64::from(self.rest.transforms[node.index()].scale.abs().max_element())).product()
    }

    /// Returns the number of steps from the root.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> usize {
        std::iter::successors(self.parents[node.index()], |p| self.parents[p.index()]).count()
    }
}

/// Joints and their inverse bind matrices.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The nodes that `JOINTS_n` index into.
    pub joints: Vec<NodeId>,
    /// `joint_from_mesh` at bind time, one for each joint; identity where the file stores none.
    pub inverse_bind: Vec<Affine3A>,
    /// Whether the file stores no inverse bind matrices: all are the identity (glTF 2.0, 3.7.3.1).
    pub binds_missing: bool,
    /// The indices in `joints` whose stored inverse bind matrix is not finite, rising; the model has the identity there.
    pub not_finite: Vec<usize>,
    /// The file's `skin.skeleton`.
    pub root: Option<NodeId>,
    /// What was taken off the meshes that it moves, where they lie far from the origin of mesh space; `None`: nothing.
    pub far: Option<Arc<FarMesh>>,
}
