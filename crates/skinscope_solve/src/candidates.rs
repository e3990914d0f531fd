//! Which joints a vertex may have.

use skinscope_anim::pose::Mirror;
use skinscope_model::{Model, NodeId};
use skinscope_weights::{RestSurface, Table, clean};

/// What is dragged gets no joints through those of less weight, and has no side by less.
const LEAST: f64 = 0.05;

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
    /// Whether few joints are near.
    is_narrow: bool,
    /// For each node: the number of the last vertex that it was found for, and its largest weight there and in the neighbours.
    seen: Vec<(u32, f64)>,
    now: u32,
}

/// The joints of a surface, and which of them hang together.
#[derive(Debug, Default)]
pub(crate) struct Kin {
    /// The joints, rising.
    all: Vec<u32>,
    /// For each node: its parents and children among the joints, where it is one.
    near: Vec<Vec<u32>>,
    /// For each node: on which side it stands, where it has a partner on the other one. Empty where sides do not count.
    sides: Vec<Option<bool>>,
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
        Self { all, near, sides: Vec::new() }
    }

    /// Lets sides count: those of the nodes that have a partner.
    pub fn with_sides(mut self, model: &Model, mirror: &Mirror) -> Self {
        let worlds = model.skeleton.worlds(&model.skeleton.rest);
        let side = |node: usize| {
            let partner = mirror.partner(NodeId::from_index(node)).index();
            let apart = mirror.normal().dot(worlds[node].translation - worlds[partner].translation);
            (partner != node && apart != 0.0).then_some(apart > 0.0)
        };
        self.sides = (0..worlds.len()).map(side).collect();
        self
    }

    fn side(&self, key: u32) -> Option<bool> {
        self.sides.get(key as usize).copied().flatten()
    }

    /// Returns the side on which a vertex of these weights gets no joints: it has some on the other one, and next to none there.
    fn far_side(&self, shares: &[(u32, f64)]) -> Option<bool> {
        let on = |side: bool| -> f64 {
            shares.iter().filter(|(key, _)| self.side(*key) == Some(side)).map(|(_, weight)| weight).sum()
        };
        [false, true].into_iter().find(|side| on(*side) < LEAST && on(!*side) >= LEAST)
    }
}

impl<'a> Candidates<'a> {
    pub fn new(joints: Joints, surface: &'a RestSurface, tables: &'a [Table], kin: &'a Kin) -> Self {
        Self { joints, surface, tables, kin, is_narrow: false, seen: vec![(0, 0.0); kin.near.len()], now: 0 }
    }

    /// Lets fewer joints be near: parents and children only of those that have a weight of 5 % in the vertex or a neighbour, and none on the side
    /// where the vertex has no weight, but for its own. What is dragged in one pose is not to get a joint that only happens to move that way.
    pub fn narrow(self) -> Self {
        Self { is_narrow: true, ..self }
    }

    /// Writes the joints that a welded vertex may have: those of `before` in its order, then the others, rising.
    pub fn of(&mut self, welded: u32, before: &[(u32, f64)], out: &mut Vec<u32>) {
        out.clear();
        self.now += 1;
        for share in before {
            self.add(*share, out);
        }
        let own = out.len();
        match self.joints {
            Joints::Kept => {}
            Joints::All => (0..self.kin.all.len()).for_each(|at| self.add((self.kin.all[at], 0.0), out)),
            Joints::Near => self.add_near(welded, out),
        }
        out[own..].sort_unstable();
        if let Some(far) = self.kin.far_side(before).filter(|_| self.is_narrow && self.joints == Joints::Near) {
            let mut place = 0..;
            out.retain(|key| place.next().is_some_and(|at| at < own) || self.kin.side(*key) != Some(far));
        }
    }

    /// Adds the joints of the neighbours of a welded vertex, and the parents and children of all that were found.
    fn add_near(&mut self, welded: u32, out: &mut Vec<u32>) {
        let (surface, kin) = (self.surface, self.kin);
        for neighbour in surface.neighbours(welded) {
            surface.members(*neighbour).iter().for_each(|member| self.add_of(*member, out));
        }
        for at in 0..out.len() {
            let key = out[at] as usize;
            if !self.is_narrow || self.seen[key].1 >= LEAST {
                kin.near[key].iter().for_each(|key| self.add((*key, 0.0), out));
            }
        }
    }

    /// Adds the joints with weight of a numbered vertex.
    fn add_of(&mut self, vertex: u32, out: &mut Vec<u32>) {
        let at = self.surface.row(vertex);
        let table = &self.tables[at.table];
        if at.row >= table.vertices() {
            return;
        }
        let weight = |slot: usize| clean(table.weights[slot]);
        let sum: f64 = table.slots(at.row).map(weight).sum();
        for slot in table.slots(at.row).filter(|slot| weight(*slot) > 0.0) {
            self.add((table.key(table.joints[slot]), weight(slot) / sum), out);
        }
    }

    fn add(&mut self, (key, weight): (u32, f64), out: &mut Vec<u32>) {
        let Some((seen, largest)) = self.seen.get_mut(key as usize) else { return };
        if *seen == self.now {
            *largest = largest.max(weight);
            return;
        }
        (*seen, *largest) = (self.now, weight);
        out.push(key);
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

    #[test]
    fn what_is_dragged_gets_no_joints_through_those_of_little_weight_nor_on_the_other_side() {
        let model = tube(Tube { joints: 6, rings: 25, influences: 1, ..Tube::default() });
        let mut tables = [table_of(&model)];
        let surface = surface_of(&model);
        let kin = Kin::new(&model, &surface, &tables);
        let of = |tables: &[Table], kin: &Kin, before: &[(u32, f64)]| {
            let mut out = Vec::new();
            Candidates::new(Joints::Near, &surface, tables, kin).narrow().of(0, before, &mut out);
            out
        };
        // Vertex 0 is of joint 1, and so are its neighbours; joint n is node n + 1.
        assert_eq!(of(&tables, &kin, &[(1, 1.0)]), [1, 2]);
        assert_eq!(of(&tables, &kin, &[(1, 0.988), (4, 0.012)]), [1, 4, 2], "its own joint stays, and brings none in");
        assert_eq!(of(&tables, &kin, &[(1, 0.9), (4, 0.1)]), [1, 4, 2, 3, 5]);
        // A neighbour has the weight.
        let neighbour = surface.neighbours(0)[0];
        let row = surface.row(surface.members(neighbour)[0]).row;
        for (weight, found) in [(0.012, vec![1, 2, 5]), (0.2, vec![1, 2, 4, 5, 6])] {
            let table = &mut tables[0];
            let first = table.slots(row).next().unwrap();
            (table.joints[first], table.weights[first]) = (0, 1.0 - weight);
            (table.joints[first + 1], table.weights[first + 1]) = (4, weight);
            assert_eq!(of(&tables, &kin, &[(1, 1.0)]), found, "{weight}");
        }
        // Nodes 1 and 2 are the partners of 6 and 5.
        let worlds = model.skeleton.worlds(&model.skeleton.rest);
        let across = (worlds[6].translation - worlds[1].translation).normalize();
        let mut mirror =
            Mirror::new(across, worlds[3].translation, (0..model.skeleton.len()).map(NodeId::from_index).collect());
        mirror.pair(NodeId(1), NodeId(6));
        mirror.pair(NodeId(2), NodeId(5));
        let kin = kin.with_sides(&model, &mirror);
        assert_eq!(of(&tables, &kin, &[(1, 1.0)]), [1, 2, 4], "those of the other side are none");
        assert_eq!(of(&tables, &kin, &[(1, 0.99), (5, 0.01)]), [1, 5, 2, 4], "but for its own");
        assert_eq!(of(&tables, &kin, &[(1, 0.5), (5, 0.5)]), [1, 5, 2, 4, 6], "it has both sides");
        assert_eq!(of(&tables, &kin, &[(4, 1.0)]), [4, 1, 2, 3, 5, 6], "it has none");
    }
}
