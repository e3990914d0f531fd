//! Matches the nodes of two models.

use super::{Named, by_name};
use skinscope_base::math::Transform;
use skinscope_model::{Model, NodeId};

/// Transforms that differ by less than this, relative to their numbers, are equal.
const SAME: f32 = 2e-6;

/// The nodes of two models, matched by name.
#[derive(Debug)]
pub(super) struct Nodes {
    /// For each node of the first model: the node of the second.
    pub there: Vec<Option<usize>>,
    /// For each node of the second model: a number that its partner in the first has too; others have numbers beyond
    /// all of the first.
    pub key: Vec<usize>,
    removed: Vec<usize>,
    added: Vec<usize>,
}

impl Nodes {
    pub fn of(a: &Model, b: &Model) -> Self {
        let (own, other) = (a.skeleton.names.iter(), b.skeleton.names.iter());
        let (pairs, removed, added) = by_name(own.map(String::as_str), other.map(String::as_str));
        let mut there = vec![None; a.skeleton.len()];
        let mut key: Vec<usize> = (0..b.skeleton.len()).map(|node| a.skeleton.len() + node).collect();
        for [here, other] in pairs {
            there[here] = Some(other);
            key[other] = here;
        }
        Self { there, key, removed, added }
    }

    pub fn named(&self, a: &Model, b: &Model) -> Named {
        let name = |model: &Model, node: &usize| model.skeleton.names[*node].clone();
        let moved = |node: &usize| self.there[*node].is_some_and(|there| self.differs(a, b, *node, there));
        Named {
            added: self.added.iter().map(|node| name(b, node)).collect(),
            removed: self.removed.iter().map(|node| name(a, node)).collect(),
            changed: (0..a.skeleton.len()).filter(moved).map(|node| name(a, &node)).collect(),
        }
    }

    fn differs(&self, a: &Model, b: &Model, here: usize, there: usize) -> bool {
        let parent = |model: &Model, node: usize| model.skeleton.parents[node].map(NodeId::index);
        let other = parent(b, there).map(|p| self.key[p]);
        let local = |model: &Model, node: usize| (model.skeleton.rest.transforms[node], model.skeleton.residual(node));
        let ((own, shear), (theirs, their_shear)) = (local(a, here), local(b, there));
        let sheared = match (shear, their_shear) {
            (None, None) => false,
            (Some(x), Some(y)) => !x.abs_diff_eq(y, 1e-5),
            _ => true,
        };
        parent(a, here) != other || sheared || !same(own, theirs)
    }
}

/// Returns whether two transforms are equal but for rounding; a quaternion and its negative are one rotation.
pub(super) fn same(a: Transform, b: Transform) -> bool {
    let near = |a: glam::Vec3, b: glam::Vec3| {
        let size = a.abs().max_element().max(b.abs().max_element());
        (a - b).abs().max_element() <= SAME * size.max(1e-3)
    };
    let turn = a.rotation.dot(b.rotation).abs();
    let apart = (a.rotation - b.rotation).length().min((a.rotation + b.rotation).length());
    near(a.translation, b.translation) && near(a.scale, b.scale) && turn.is_finite() && apart <= 1e-5
}
