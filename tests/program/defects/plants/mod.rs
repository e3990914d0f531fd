//! The kinds of defects and near misses, by what they touch.

mod binds;
mod gaps;
mod nodes;
mod pairs;
mod strays;
mod surface;
mod weights;

use crate::defects::plant::{Edit, Kind};
use crate::defects::random::Random;
use crate::defects::rig::Rig;

/// Every kind.
pub fn all() -> Vec<&'static Kind> {
    [weights::KINDS, pairs::KINDS, surface::KINDS, strays::KINDS, binds::KINDS, nodes::KINDS, gaps::KINDS].concat()
}

/// Some welded places: one, a few here and there, or a patch.
fn places(rig: &Rig, random: &mut Random) -> Vec<usize> {
    let start = random.below(rig.copies.len());
    match random.below(4) {
        0 | 1 => vec![start],
        2 => patch(rig, start, 1 + random.below(2)),
        _ => (0..2 + random.below(12)).map(|_| random.below(rig.copies.len())).collect(),
    }
}

/// A place and all within some steps of it.
fn patch(rig: &Rig, start: usize, steps: usize) -> Vec<usize> {
    let steps = rig.steps(&[start], steps);
    (0..steps.len()).filter(|p| steps[*p] != usize::MAX).collect()
}

/// Changes every copy of some places, and says that they must be named.
fn change(edit: &mut Edit, places: &[usize], mut change: impl FnMut(&mut crate::defects::weights::Weights, u32)) {
    let rig = edit.rig;
    let mut done = std::collections::BTreeSet::new();
    for copy in places.iter().flat_map(|p| &rig.copies[*p]) {
        if done.insert(*copy) {
            edit.change(*copy, &mut change);
        }
    }
}
