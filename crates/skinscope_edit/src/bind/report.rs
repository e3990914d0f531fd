//! What is reported of a skin whose weights were found.

use std::collections::{BTreeMap, BTreeSet};

use glam::DAffine3;
use skinscope_bind::{Applied, Bound, Fallback, Joint, ShapeForm};
use skinscope_model::{NodeId, SkinId};

/// What a method looked at around a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointShape {
    /// The node of the joint.
    pub node: NodeId,
    /// The shape in the space of the joint, so that it follows the pose.
    pub form: ShapeForm,
}

/// A skin whose weights were found.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundSkin {
    /// The skin.
    pub skin: SkinId,
    /// How many vertices of the file it moves.
    pub vertices: usize,
    /// How many joints it has.
    pub joints: usize,
    /// How many of them have weight now, also of locked ones and of vertices that stay as they are.
    pub joints_used: usize,
    /// How many pieces the surface has that no edge joins.
    pub islands: usize,
    /// The pieces that the method could not bind by itself.
    pub fallback: Vec<Fallback>,
    /// Which rule applied where, each with the node of its joint.
    pub rules: Vec<(Applied, Option<NodeId>)>,
    /// What the method looked at, where that can be drawn.
    pub shapes: Vec<JointShape>,
    /// The rules that would have left no joint, and therefore did not hold.
    pub given_way: Vec<&'static str>,
}

impl BoundSkin {
    /// Makes the report of a binding whose joints are these nodes and stood so; `stored` has for each point how many vertices of the file are
    /// there.
    pub(super) fn of(skin: SkinId, stored: &[usize], (nodes, joints): (&[NodeId], &[Joint]), bound: &Bound) -> Self {
        let used: BTreeSet<u32> = bound.rows.iter().flatten().filter(|s| s.1 > 0.0).map(|(joint, _)| *joint).collect();
        let node = |applied: &Applied| applied.joint.and_then(|joint| nodes.get(joint as usize).copied());
        let vertices_of = |island: usize| -> usize {
            let all = bound.island_of.iter().zip(stored);
            all.filter(|(of, _)| **of as usize == island).map(|(_, vertices)| *vertices).sum()
        };
        let of_file = |fallback: &Fallback| Fallback { vertices: vertices_of(fallback.island), ..fallback.clone() };
        let shapes = bound.shapes.iter().filter_map(|shape| {
            let (node, joint) = (nodes.get(shape.joint as usize)?, joints.get(shape.joint as usize)?);
            let to_joint = DAffine3 { matrix3: joint.axes, translation: joint.head }.inverse();
            to_joint.is_finite().then(|| JointShape { node: *node, form: shape.form.moved(&to_joint) })
        });
        Self {
            skin,
            vertices: stored.iter().sum(),
            joints: nodes.len(),
            joints_used: used.len(),
            islands: bound.islands,
            fallback: bound.fallback.iter().map(of_file).collect(),
            rules: bound.rules.iter().map(|applied| (*applied, node(applied))).collect(),
            shapes: shapes.collect(),
            given_way: bound.given_way.clone(),
        }
    }

    /// Returns the report of one of several skins of the surface, with these joints; `stored` has for each point how many vertices the skin
    /// moves there, `island_of` its piece. The pieces that it has vertices of are counted anew, in their order.
    pub(super) fn part(&self, (skin, joints): (SkinId, &[NodeId]), stored: &[usize], island_of: &[u32]) -> Self {
        let mut islands: BTreeMap<usize, usize> = BTreeMap::new();
        for (island, vertices) in island_of.iter().zip(stored).filter(|(_, vertices)| **vertices > 0) {
            *islands.entry(*island as usize).or_default() += vertices;
        }
        let number = |island: usize| islands.keys().position(|known| *known == island);
        let fallback = self.fallback.iter().filter_map(|fallback| {
            let (island, vertices) = (number(fallback.island)?, *islands.get(&fallback.island)?);
            Some(Fallback { island, vertices, ..fallback.clone() })
        });
        let rule = |(applied, node): &(Applied, Option<NodeId>)| {
            let island = match applied.island {
                Some(island) => Some(number(island)?),
                None => None,
            };
            let is_own = node.is_none_or(|node| joints.contains(&node));
            is_own.then_some((Applied { island, ..*applied }, *node))
        };
        Self {
            skin,
            vertices: stored.iter().sum(),
            joints: joints.len(),
            islands: islands.len(),
            fallback: fallback.collect(),
            rules: self.rules.iter().filter_map(rule).collect(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_method_bound_is_counted_in_vertices_of_the_file() {
        let fallback = Fallback { island: 0, vertices: 2, method: "voxel", reason: String::new() };
        let bound = Bound {
            rows: vec![vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(0, 1.0)]],
            islands: 2,
            island_of: vec![0, 1, 0],
            fallback: vec![fallback],
            ..Bound::default()
        };
        // The seam of a texture has several vertices at one place.
        let report = BoundSkin::of(SkinId::default(), &[3, 1, 2], (&[NodeId(4), NodeId(5), NodeId(6)], &[]), &bound);
        assert_eq!((report.vertices, report.joints, report.joints_used), (6, 3, 2));
        assert_eq!(report.fallback[0].vertices, 5);
    }
}
