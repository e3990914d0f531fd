//! Divides the joints of a model into limbs: chains of joints between those at which the tree branches.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{Model, NodeId};

/// The limb of each joint, and which limb hangs on which.
#[derive(Debug, Default)]
pub(super) struct Limbs {
    of: BTreeMap<u32, u32>,
    /// The limb that each limb hangs on.
    above: BTreeMap<u32, u32>,
}

impl Limbs {
    /// Divides some joints of a model, by their nodes. A joint on which exactly one other joint hangs is of one limb with it, and a limb is
    /// named by its topmost joint.
    pub fn of(model: &Model, joints: &BTreeSet<u32>) -> Self {
        let parents = &model.skeleton.parents;
        let above = |joint: u32| {
            let mut at = parents.get(joint as usize).copied().flatten();
            while let Some(NodeId(node)) = at.filter(|node| !joints.contains(&node.0)) {
                at = parents[node as usize];
            }
            at.map(|node| node.0)
        };
        let mut below: BTreeMap<u32, usize> = BTreeMap::new();
        joints.iter().filter_map(|joint| above(*joint)).for_each(|joint| *below.entry(joint).or_default() += 1);
        let mut out = Self::default();
        // Nodes stand parents first, so that the limb of the joint above is known.
        for joint in joints {
            let parent = above(*joint);
            let same = parent.filter(|parent| below.get(parent) == Some(&1)).and_then(|parent| out.of.get(&parent));
            let limb = same.copied().unwrap_or(*joint);
            if let Some(other) = parent.and_then(|parent| out.of.get(&parent)).filter(|other| **other != limb) {
                out.above.insert(limb, *other);
            }
            out.of.insert(*joint, limb);
        }
        out
    }

    /// Returns the limb of a joint.
    pub fn limb(&self, joint: u32) -> u32 {
        self.of.get(&joint).copied().unwrap_or(joint)
    }

    /// Returns whether two limbs are one, or one hangs on the other.
    pub(crate) fn adjoin(&self, a: u32, b: u32) -> bool {
        a == b || self.above.get(&a) == Some(&b) || self.above.get(&b) == Some(&a)
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    #[test]
    fn limbs_end_where_the_tree_branches_and_legs_do_not_adjoin() {
        let mut parts = (*tube(Tube { joints: 7, ..Tube::default() })).clone();
        let first = parts.skins[0].joints[0].0;
        // The hips carry a spine of two joints and two legs of two.
        for (joint, parent) in [(1, 0), (2, 1), (3, 0), (4, 3), (5, 0), (6, 5)] {
            parts.skeleton.parents[(first + joint) as usize] = Some(NodeId(first + parent));
        }
        let joints: BTreeSet<u32> = parts.skins[0].joints.iter().map(|joint| joint.0).collect();
        let limbs = Limbs::of(&Model::build(parts).unwrap(), &joints);
        let limb = |joint: u32| limbs.limb(first + joint) - first;
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(limb), [0, 1, 1, 3, 3, 5, 5]);
        assert!(limbs.adjoin(first, first + 3) && !limbs.adjoin(first + 3, first + 5));
    }
}
