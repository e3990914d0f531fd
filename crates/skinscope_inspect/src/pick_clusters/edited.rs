//! What edited weights change of clusters: of the leaves that have an edited vertex, and of the nodes above them, it is found anew which joints move
//! them. An edit costs what it touches.

use std::collections::HashMap;

use skinscope_base::math::Aabb;
use skinscope_model::PrimitiveRef;

use super::{BRANCH, Clusters, Known, Members, joined, members};

/// The nodes below which vertices have edited weights, with what is known of them now.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct EditedNodes {
    /// By level, the leaves first, and number.
    nodes: HashMap<(usize, usize), Learned>,
}

/// What is known of a node, with a list of joints of its own.
type Learned = (Members, Vec<(u16, Aabb)>);

impl EditedNodes {
    /// Returns what is known of a node of these clusters.
    pub fn known<'a>(&'a self, clusters: &'a Clusters, level: usize, node: usize) -> Known<'a> {
        let edited = self.nodes.get(&(level, node));
        edited.map_or_else(|| clusters.known(level, node), |(members, joints)| (members, joints))
    }

    /// Learns the weights that the primitive has now, where these of its vertices have others than when it was called last.
    pub fn update(&mut self, clusters: &Clusters, p: PrimitiveRef<'_>, changed: impl Iterator<Item = usize>) {
        // Where there were no influences, nothing is known of any node.
        let Some(influences) = p.influences.filter(|_| clusters.is_bound) else { return };
        let mut touched: Vec<usize> =
            changed.flat_map(|vertex| clusters.leaves_of(vertex)).map(|leaf| *leaf as usize).collect();
        touched.sort_unstable();
        touched.dedup();
        for leaf in &touched {
            let vertices = clusters.vertices_of(&clusters.leaves[*leaf]);
            let is_edited = vertices.iter().any(|vertex| influences.is_edited(*vertex as usize));
            let known = is_edited.then(|| {
                let mut joints = Vec::new();
                (members(p, vertices, &mut joints), joints)
            });
            self.set((0, *leaf), known);
        }
        for (level, below) in (1..clusters.levels.len()).zip(&clusters.levels) {
            touched.iter_mut().for_each(|node| *node /= BRANCH);
            touched.dedup();
            for node in &touched {
                let nodes = node * BRANCH..((node + 1) * BRANCH).min(below.len());
                let is_edited = nodes.clone().any(|node| self.nodes.contains_key(&(level - 1, node)));
                let known = is_edited.then(|| joined(nodes.map(|node| self.known(clusters, level - 1, node))));
                self.set((level, *node), known);
            }
        }
    }

    fn set(&mut self, node: (usize, usize), known: Option<Learned>) {
        match known {
            Some(known) => _ = self.nodes.insert(node, known),
            None => _ = self.nodes.remove(&node),
        }
    }
}
