//! Bones: the segments drawn between joints.

use glam::{Affine3A, Vec3};

use crate::model::{Model, NodeId};

/// A segment from a joint to one of its child joints, or past a last joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The joint at its head, which moves it.
    pub node: NodeId,
    /// World.
    pub head: Vec3,
    /// World.
    pub tail: Vec3,
}

/// Reusable memory of [`bones_into`].
#[derive(Clone, Debug, Default)]
pub struct BoneScratch {
    above: Vec<Option<usize>>,
    has_child: Vec<bool>,
    has_bone: Vec<bool>,
    found: Vec<(BoneSegment, usize)>,
}

/// As [`bones_into`].
#[must_use]
pub fn bones(model: &Model, scene: usize, pose: &[Affine3A], stub: f32) -> Vec<BoneSegment> {
    let mut out = Vec::new();
    bones_into(model, scene, pose, stub, &mut BoneScratch::default(), &mut out);
    out
}

/// Writes the bones of a scene into `out`. Joints have them; where a file has none, every node does, so that a bare hierarchy is seen.
/// Nodes between joints are passed over. A joint without children gets half the length of the bone before it; one that
/// lies where its neighbours lie gets `stub` metres along its own +Y, so that every joint is seen and can be clicked.
pub fn bones_into(
    model: &Model,
    scene: usize,
    pose: &[Affine3A],
    stub: f32,
    scratch: &mut BoneScratch,
    out: &mut Vec<BoneSegment>,
) {
    let BoneScratch { above, has_child, has_bone, found } = scratch;
    let all = model.skins.is_empty();
    let inside = |n: usize| model.scenes.get(scene).is_none_or(|s| s.contains[n]);
    let drawn = |n: usize| (all || model.is_joint(NodeId::from_index(n))) && inside(n);
    let at = |n: usize| Vec3::from(pose[n].translation);
    let count = model.skeleton.len();
    // The nearest drawn ancestor, parents first.
    above.clear();
    above.resize(count, None);
    for flags in [&mut *has_child, &mut *has_bone] {
        flags.clear();
        flags.resize(count, false);
    }
    found.clear();
    let mut push = |bone: BoneSegment| {
        if bone.head.is_finite() && bone.tail.is_finite() {
            found.push((bone, found.len()));
        }
    };
    for n in 0..count {
        if let Some(parent) = model.skeleton.parents[n] {
            above[n] = if drawn(parent.index()) { Some(parent.index()) } else { above[parent.index()] };
        }
        let (true, Some(head)) = (drawn(n), above[n]) else { continue };
        has_child[head] = true;
        if at(head) != at(n) {
            has_bone[head] = true;
            push(BoneSegment { node: NodeId::from_index(head), head: at(head), tail: at(n) });
        }
    }
    for n in (0..count).filter(|n| drawn(*n) && !has_bone[*n]) {
        let along = above[n].map_or(Vec3::ZERO, |head| at(n) - at(head));
        let tail = if along == Vec3::ZERO || has_child[n] {
            Vec3::from(pose[n].matrix3.y_axis.normalize_or_zero()) * stub
        } else {
            // The direction from its parent as it was at rest, carried by the joint.
            carried_direction(model, pose, n, along) * 0.5
        };
        push(BoneSegment { node: NodeId::from_index(n), head: at(n), tail: at(n) + tail });
    }
    found.sort_unstable_by_key(|(bone, number)| (bone.node, *number));
    out.clear();
    out.extend(found.iter().map(|(bone, _)| *bone));
}

/// `along` (from the parent to node `n`), turned by what the node's own local rotation differs from rest.
fn carried_direction(model: &Model, pose: &[Affine3A], n: usize, along: Vec3) -> Vec3 {
    let parent = model.skeleton.parents[n].map_or(Affine3A::IDENTITY, |p| pose[p.index()]);
    let rest = parent * model.skeleton.local_matrix(n, model.skeleton.rest.transforms[n]);
    let turned = (pose[n] * rest.inverse()).transform_vector3(along);
    turned.try_normalize().map_or(along, |d| d * along.length())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::local_to_model;
    use crate::model::shapes::{Tube, tube};

    #[test]
    fn a_chain_of_three_joints_has_three_bones() {
        let model = tube(Tube { joints: 3, length: 3.0, ..Tube::default() });
        let mut pose = Vec::new();
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        let bones = bones(&model, 0, &pose, 0.1);
        let ends: Vec<_> = bones.iter().map(|b| (b.node.0, b.head.y, b.tail.y)).collect();
        assert_eq!(ends, [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 2.0, 2.5)]);
    }

    #[test]
    fn joints_on_top_of_each_other_are_still_seen() {
        let model = tube(Tube { joints: 2, ..Tube::default() });
        let pose = vec![Affine3A::IDENTITY; 3];
        let bones = bones(&model, 0, &pose, 0.1);
        let ends: Vec<_> = bones.iter().map(|b| (b.node.0, b.head.y, b.tail.y)).collect();
        assert_eq!(ends, [(1, 0.0, 0.1), (2, 0.0, 0.1)]);
    }
}
