//! The joints of a body as nodes of another model: with the nodes above them, names and rest transforms as they are. Where they stand in several
//! trees, these hang on a node that is made for it, since all joints of a skin have one root.

use skinscope_base::math::Transform;
use skinscope_model::{Model, NewNode, NodeId};

use crate::Refusal;
use crate::refusal::name;

/// The name of a node that several trees of joints hang on.
const ROOT: &str = "Skeleton";

/// Nodes of a body that another model gains.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    /// Joints and the nodes above them, as the body has them: parents first, depth first.
    nodes: Vec<NodeId>,
    /// The joints, in the order of the skins.
    pub joints: Vec<NodeId>,
    /// How many nodes are made before the copies: one that the trees hang on, where there are several.
    made: usize,
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
        let nodes: Vec<NodeId> =
            (0..body.skeleton.len()).filter(|node| is_needed[*node]).map(NodeId::from_index).collect();
        let trees = nodes.iter().filter(|node| body.skeleton.parents[node.index()].is_none()).count();
        Self { nodes, joints, made: usize::from(trees > 1) }
    }

    /// Returns the index of the copy of a node of the body among the nodes that are made.
    fn index(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok().map(|index| self.made + index)
    }

    /// Returns the node of the body that a node is a copy of, where the first copy is node `first`.
    pub fn original(&self, first: usize, copy: u32) -> Option<NodeId> {
        self.nodes.get((copy as usize).checked_sub(first + self.made)?).copied()
    }

    /// Returns for each node of the body that is copied its own number and that of the copy.
    pub fn pairs(&self, first: usize) -> impl Iterator<Item = (u32, u32)> {
        let first = first + self.made;
        self.nodes.iter().enumerate().map(move |(index, node)| (node.0, (first + index) as u32))
    }

    /// Returns the copies of the joints, and of the node at the top of them.
    pub fn new_joints(&self, first: usize) -> (Vec<NodeId>, Option<NodeId>) {
        let copy = |node: &NodeId| self.index(*node).map(|index| NodeId::from_index(first + index));
        let joints: Vec<NodeId> = self.joints.iter().filter_map(copy).collect();
        let root = self.nodes.first().map(|_| NodeId::from_index(first));
        (joints, root)
    }

    /// Returns the nodes as a model gains them, which may have nodes of any names.
    ///
    /// # Errors
    /// One of them has a shear.
    pub(crate) fn new_nodes(&self, model: &Model, body: &Model) -> Result<Vec<NewNode>, Refusal> {
        let skeleton = &body.skeleton;
        let sheared = self.nodes.iter().find(|node| skeleton.residual(node.index()).is_some());
        if let Some(node) = sheared {
            return Err(Refusal::Sheared(name(body, *node)));
        }
        let above = (self.made > 0).then_some(0);
        let root = above.map(|_| NewNode {
            name: free_name(model, body),
            parent: None,
            below: None,
            rest: Transform::IDENTITY,
        });
        let new = |node: &NodeId| NewNode {
            name: name(body, *node),
            parent: skeleton.parents[node.index()].and_then(|parent| self.index(parent)).or(above),
            below: None,
            rest: skeleton.rest.transforms[node.index()],
        };
        Ok(root.into_iter().chain(self.nodes.iter().map(new)).collect())
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

/// Returns a name for the node that trees hang on, which no node of either model has.
fn free_name(model: &Model, body: &Model) -> String {
    let is_known = |name: &String| [model, body].iter().any(|model| model.skeleton.names.contains(name));
    let numbered = (2..).map(|number| format!("{ROOT}_{number}"));
    std::iter::once(ROOT.to_owned()).chain(numbered).find(|name| !is_known(name)).unwrap_or_default()
}
