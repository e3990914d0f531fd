//! The joints of a body as nodes of another model: with the nodes above them, names and rest transforms as they are.

use skinscope_model::{Model, NewNode, NodeId};

use crate::Refusal;
use crate::refusal::name;

/// Nodes of a body that another model gains.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    /// Joints and the nodes above them, as the body has them: parents first, depth first.
    nodes: Vec<NodeId>,
    /// The joints, in the order of the skins.
    pub joints: Vec<NodeId>,
}

/// Returns the joints of all skins that move meshes of a body, each once.
pub(super) fn joints_of(body: &Model) -> Vec<NodeId> {
    let mut is_known = vec![false; body.skeleton.len()];
    let shown = body.instances.iter().filter_map(|instance| instance.skin);
    let joints = shown.flat_map(|skin| body.skins[skin.index()].joints.iter().copied());
    joints.filter(|joint| !std::mem::replace(&mut is_known[joint.index()], true)).collect()
}

impl Copied {
    /// Takes joints of a body with all nodes above them.
    pub fn of(body: &Model, joints: Vec<NodeId>) -> Self {
        let mut is_needed = vec![false; body.skeleton.len()];
        for joint in &joints {
            let mut at = Some(*joint);
            while let Some(node) = at.filter(|node| !is_needed[node.index()]) {
                is_needed[node.index()] = true;
                at = body.skeleton.parents[node.index()];
            }
        }
        let nodes = (0..body.skeleton.len()).filter(|node| is_needed[*node]).map(NodeId::from_index).collect();
        Self { nodes, joints }
    }

    /// Returns the index of a node of the body among those that are copied.
    fn index(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Returns the node of the body that a node is a copy of, where the first copy is node `first`.
    pub fn original(&self, first: usize, copy: u32) -> Option<NodeId> {
        self.nodes.get((copy as usize).checked_sub(first)?).copied()
    }

    /// Returns for each node of the body that is copied its own number and that of the copy.
    pub fn pairs(&self, first: usize) -> impl Iterator<Item = (u32, u32)> {
        self.nodes.iter().enumerate().map(move |(index, node)| (node.0, (first + index) as u32))
    }

    /// Returns the copies of the joints, and of the node at the top of them.
    pub fn new_joints(&self, first: usize) -> (Vec<NodeId>, Option<NodeId>) {
        let copy = |node: &NodeId| self.index(*node).map(|index| NodeId::from_index(first + index));
        let joints: Vec<NodeId> = self.joints.iter().filter_map(copy).collect();
        let root = self.nodes.first().map(|_| NodeId::from_index(first));
        (joints, root)
    }

    /// Returns the nodes as they are made.
    ///
    /// # Errors
    /// One of them has a shear.
    pub(crate) fn new_nodes(&self, body: &Model) -> Result<Vec<NewNode>, Refusal> {
        let skeleton = &body.skeleton;
        let sheared = self.nodes.iter().find(|node| skeleton.residual(node.index()).is_some());
        if let Some(node) = sheared {
            return Err(Refusal::Sheared(name(body, *node)));
        }
        let new = |node: &NodeId| NewNode {
            name: name(body, *node),
            parent: skeleton.parents[node.index()].and_then(|parent| self.index(parent)),
            below: None,
            rest: skeleton.rest.transforms[node.index()],
        };
        Ok(self.nodes.iter().map(new).collect())
    }

    /// Returns the names of copies that nodes of a model have already, each once, in the order of the body.
    pub(crate) fn names_known_to(&self, model: &Model, body: &Model) -> Vec<String> {
        let known: std::collections::BTreeSet<&String> = model.skeleton.names.iter().collect();
        let mut out: Vec<String> = Vec::new();
        for name in self.nodes.iter().map(|node| &body.skeleton.names[node.index()]).filter(|n| known.contains(n)) {
            if !out.contains(name) {
                out.push(name.clone());
            }
        }
        out
    }
}
