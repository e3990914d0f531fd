//! Which joints a vertex may have.

use skinscope_model::{Model, NodeId};
use skinscope_weights::{RestSurface, Table, clean};

/// The joints among which the weights of a vertex are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joints {
    /// Those that the vertex has.
    Kept,
    /// These, those that its neighbours have, and the parents and children of all of them.
    #[default]
    Near,
    /// All of the skin.
    All,
}

/// Finds the joints of vertices, one after the other. Its memory is used again.
#[derive(Debug)]
pub(crate) struct Candidates<'a> {
    joints: Joints,
    surface: &'a RestSurface,
    tables: &'a [Table],
    kin: &'a Kin,
    /// For each node: the number of the last vertex that it was found for.
    seen: Vec<u32>,
    now: u32,
}

/// The joints of a surface, and which of them hang together.
#[derive(Debug, Default)]
pub(crate) struct Kin {
    /// The joints, rising.
    all: Vec<u32>,
    /// For each node: its parents and children among the joints, where it is one.
    near: Vec<Vec<u32>>,
}

impl Kin {
    pub fn new(model: &Model, surface: &RestSurface, tables: &[Table]) -> Self {
        let parents = &model.skeleton.parents;
        let mut is_joint = vec![false; parents.len()];
        for part in &surface.parts {
            let keys = tables[part.table].keys.iter().map(|key| *key as usize);
            keys.filter(|key| *key < parents.len()).for_each(|key| is_joint[key] = true);
        }
        let mut near = vec![Vec::new(); parents.len()];
        for node in (0..parents.len()).filter(|node| is_joint[*node]) {
            let above = std::iter::successors(parents[node], |above: &NodeId| parents[above.index()]);
            // The parent is the nearest joint above: nodes between that are no joints do not part them.
            if let Some(parent) = above.into_iter().find(|above| is_joint[above.index()]) {
                near[node].push(parent.0);
                near[parent.index()].push(node as u32);
            }
        }
        let all = (0..parents.len() as u32).filter(|node| is_joint[*node as usize]).collect();
        Self { all, near }
    }
}

impl<'a> Candidates<'a> {
    pub fn new(joints: Joints, surface: &'a RestSurface, tables: &'a [Table], kin: &'a Kin) -> Self {
        Self { joints, surface, tables, kin, seen: vec![0; kin.near.len()], now: 0 }
    }

    /// Writes the joints that a welded vertex may have: those of `before` in its order, then the others, rising.
    pub fn of(&mut self, welded: u32, before: &[(u32, f64)], out: &mut Vec<u32>) {
        out.clear();
        self.now += 1;
        for (key, _) in before {
            self.add(*key, out);
        }
        let own = out.len();
        match self.joints {
            Joints::Kept => {}
            Joints::All => (0..self.kin.all.len()).for_each(|at| self.add(self.kin.all[at], out)),
            Joints::Near => {
                let surface = self.surface;
                for neighbour in surface.neighbours(welded) {
                    surface.members(*neighbour).iter().for_each(|member| self.add_of(*member, out));
                }
                let kin = self.kin;
                for at in 0..out.len() {
                    kin.near[out[at] as usize].iter().for_each(|key| self.add(*key, out));
                }
            }
        }
        out[own..].sort_unstable();
    }

    /// Adds the joints with weight of a numbered vertex.
    fn add_of(&mut self, vertex: u32, out: &mut Vec<u32>) {
        let at = self.surface.row(vertex);
        let table = &self.tables[at.table];
        if at.row >= table.vertices() {
            return;
        }
        for slot in table.slots(at.row).filter(|slot| clean(table.weights[*slot]) > 0.0) {
            self.add(table.key(table.joints[slot]), out);
        }
    }

    fn add(&mut self, key: u32, out: &mut Vec<u32>) {
        if let Some(seen) = self.seen.get_mut(key as usize).filter(|seen| **seen != self.now) {
            *seen = self.now;
            out.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::{surface_of, table_of};

    #[test]
    fn near_are_the_joints_of_neighbours_and_what_hangs_together_with_them() {
        // Joint n is node n + 1; each vertex follows the nearest joint.
        let model = tube(Tube { joints: 6, rings: 25, influences: 1, ..Tube::default() });
        let tables = [table_of(&model)];
        let surface = surface_of(&model);
        let kin = Kin::new(&model, &surface, &tables);
        let of = |joints, before: &[(u32, f64)]| {
            let mut out = Vec::new();
            Candidates::new(joints, &surface, &tables, &kin).of(0, before, &mut out);
            out
        };
        assert_eq!(of(Joints::Kept, &[(4, 0.5), (2, 0.5)]), [4, 2]);
        assert_eq!(of(Joints::All, &[(4, 1.0)]), [4, 1, 2, 3, 5, 6]);
        // Vertex 0 is at the end of joint 1, and so are its neighbours.
        assert_eq!(of(Joints::Near, &[(4, 1.0)]), [4, 1, 2, 3, 5]);
        assert_eq!(of(Joints::Near, &[(u32::MAX, 1.0)]), [1, 2], "a joint that the skin does not have is none");
    }
}
