//! What is reported of a skin whose weights were found.

use std::collections::BTreeSet;

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
    /// The skin; the first of those that bind one surface in one way.
    pub skin: SkinId,
    /// How many vertices of the file it moves.
    pub vertices: usize,
    /// How many joints it has.
    pub joints: usize,
    /// How many of them have weight now.
    pub joints_used: usize,
    /// How many pieces the surface has that no edge joins.
    pub islands: usize,
    /// The pieces that the method could not bind by itself.
    pub fallback: Vec<Fallback>,
    /// Which rule applied where, each with the node of its joint.
    pub rules: Vec<(Applied, Option<NodeId>)>,
    /// What the method looked at, where that can be drawn.
    pub shapes: Vec<JointShape>,
}

impl BoundSkin {
    /// Makes the report of a binding whose joints are these nodes and stood so.
    pub(super) fn of(skin: SkinId, vertices: usize, (nodes, joints): (&[NodeId], &[Joint]), bound: &Bound) -> Self {
        let used: BTreeSet<u32> = bound.rows.iter().flatten().filter(|s| s.1 > 0.0).map(|(joint, _)| *joint).collect();
        let node = |applied: &Applied| applied.joint.and_then(|joint| nodes.get(joint as usize).copied());
        let shapes = bound.shapes.iter().filter_map(|shape| {
            let (node, joint) = (nodes.get(shape.joint as usize)?, joints.get(shape.joint as usize)?);
            let to_joint = DAffine3 { matrix3: joint.axes, translation: joint.head }.inverse();
            to_joint.is_finite().then(|| JointShape { node: *node, form: shape.form.moved(&to_joint) })
        });
        Self {
            skin,
            vertices,
            joints: nodes.len(),
            joints_used: used.len(),
            islands: bound.islands,
            fallback: bound.fallback.clone(),
            rules: bound.rules.iter().map(|applied| (*applied, node(applied))).collect(),
            shapes: shapes.collect(),
        }
    }
}
