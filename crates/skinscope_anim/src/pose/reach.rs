//! Limbs that reach for a position (inverse kinematics), and joints that look at one.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use skinscope_base::math::wide_unit;
use skinscope_model::{Limits, LocalPose, Model, NodeId};

use super::ik::{Chain, Link, arc, solve};
use super::{local, world};
use crate::far::stretch;

/// How near the end must come to its target to have reached it, as a share of the limb's length.
const REACHED: f64 = 1e-5;
/// Joints nearer to each other than this share of the model's size count as being at one position.
const SAME_PLACE: f64 = 1e-7;

/// The goal of inverse kinematics for one limb: a joint and the position that it should reach.
#[derive(Clone, Debug, Default)]
pub struct Reach<'a> {
    /// The joint whose origin should reach the target.
    pub joint: NodeId,
    /// The target, in world space, metres.
    pub target: DVec3,
    /// The first joint of the limb, above `joint`; `None` takes [`default_root`].
    pub root: Option<NodeId>,
    /// A position in world space on the side to which the limb should bend; `None`: it bends to the same side as now.
    pub pole: Option<DVec3>,
    /// Joints whose position and rotation in world space should not change. Where such a joint ends a limb that follows
    /// the moved one, that limb is rotated to bring it back.
    pub pins: &'a [NodeId],
    /// Limits of joint rotations; a joint that is not in the list rotates freely.
    pub limits: &'a [(NodeId, Limits)],
}

/// The result of [`reach`].
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The position of the joint now, in world space, metres.
    pub at: DVec3,
    /// The distance of the joint from its target, metres.
    pub error_m: f64,
    /// Whether the joint has reached its target, to 1e-5 of the limb's length.
    pub within_reach: bool,
    /// The sum of the lengths of the limb's bones at rest, metres.
    pub limb_m: f64,
    /// Pinned joints that did not come back to their positions, with their distances from them, metres.
    pub moved: Vec<(NodeId, f64)>,
}

/// The reason why a limb cannot reach for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReachError {
    /// The joint has no parent that could rotate.
    #[error("there is no joint above it that could turn")]
    NothingAbove,
    /// The root is no ancestor of the joint.
    #[error("the root of the limb must stand above the joint that reaches")]
    RootNotAbove,
    /// The joint is pinned, so that it cannot move.
    #[error("the joint that reaches is pinned itself")]
    Pinned,
}

/// Returns the first joint of the limb that ends with `joint`: of the hand and the foot of a humanoid the upper arm and
/// the upper leg ([`Model::rig`]), else two bones above it, not counting twist joints and joints
/// at the same position. Where `joint` is a joint of a skin, the limb begins at one too: what lies between two joints is a pivot, which belongs
/// to a bone, and the limb ends below the first node with no joint above it. For a hand the result is the upper arm. `None` for a node without parent.
#[must_use]
pub fn default_root(model: &Model, joint: NodeId) -> Option<NodeId> {
    if let Some(root) = model.rig().and_then(|rig| rig.limb_root(joint)) {
        return Some(root);
    }
    let skeleton = &model.skeleton;
    let rest = world(skeleton, &skeleton.rest);
    let near = SAME_PLACE * size(&rest);
    let (mut root, mut below, mut bones) = (None, joint, 0);
    let above = std::iter::successors(skeleton.parents[joint.index()], |node| skeleton.parents[node.index()]);
    for node in above {
        if is_pivot(model, joint, node) {
            continue;
        }
        if root.is_some() && model.is_joint(joint) && !model.is_joint(node) {
            break;
        }
        let length = rest[node.index()].translation.distance(rest[below.index()].translation);
        if length > near && !is_twist(&skeleton.names[node.index()]) {
            (root, below, bones) = (Some(node), node, bones + 1);
        }
        if bones == 2 {
            break;
        }
    }
    root.or(skeleton.parents[joint.index()])
}

/// Returns whether a node above a joint of a skin lies between two joints and is none: a helper that importers of FBX leave.
fn is_pivot(model: &Model, joint: NodeId, node: NodeId) -> bool {
    model.is_joint(joint) && !model.is_joint(node) && model.joint_above(node).is_some()
}

/// Returns whether a name is that of a joint that only spreads the twist of a bone along it.
fn is_twist(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("twist") || name.contains("roll")
}

/// Returns the diagonal of the box around all nodes, metres.
fn size(world: &[DAffine3]) -> f64 {
    let first = world.first().map_or(DVec3::ZERO, |m| m.translation);
    let (least, most) =
        world.iter().map(|m| m.translation).fold((first, first), |(least, most), p| (least.min(p), most.max(p)));
    least.distance(most)
}

/// Rotates the joints of a limb, from its root to the parent of the reaching joint, so that this joint's origin reaches
/// the target: limbs of two bones by the law of cosines, longer ones by damped least squares and an exact last step.
/// The joint keeps its own local rotation. Where the target is too far the limb points straight at it; where it is too
/// near, the limb is folded.
///
/// # Errors
/// There is no joint above the reaching one, the root is not above it, or it is pinned.
pub fn reach(model: &Model, pose: &mut LocalPose, goal: &Reach<'_>) -> Result<Reached, ReachError> {
    let skeleton = &model.skeleton;
    let parent = skeleton.parents[goal.joint.index()].ok_or(ReachError::NothingAbove)?;
    let root = goal.root.or_else(|| default_root(model, goal.joint)).unwrap_or(parent);
    if goal.pins.contains(&goal.joint) {
        return Err(ReachError::Pinned);
    }
    let path = path(model, root, parent).ok_or(ReachError::RootNotAbove)?;
    // A pinned joint of the limb stays: the limb begins there.
    let pinned = path.iter().rposition(|node| goal.pins.contains(node)).unwrap_or(0);
    let path = &path[pinned..];
    let before = world(skeleton, pose);
    let limb_m = turn(model, pose, path, goal.joint, goal.target, goal.pole, goal.limits);
    let mut moved = Vec::new();
    for pin in goal.pins.iter().filter(|pin| !path.contains(pin)) {
        let moved: Vec<NodeId> = path.iter().copied().chain([goal.joint]).collect();
        restore_pinned(model, pose, before[pin.index()], &moved, goal.limits, *pin);
    }
    let after = world(skeleton, pose);
    let near = REACHED * size(&before);
    for pin in goal.pins {
        let off = after[pin.index()].translation.distance(before[pin.index()].translation);
        if off > near {
            moved.push((*pin, off));
        }
    }
    let at = after[goal.joint.index()].translation;
    let error_m = at.distance(goal.target);
    Ok(Reached { at, error_m, within_reach: error_m <= REACHED * limb_m, limb_m, moved })
}

/// Returns the nodes from `root` down to `last`; `None` where `root` is neither `last` nor above it.
fn path(model: &Model, root: NodeId, last: NodeId) -> Option<Vec<NodeId>> {
    let parents = &model.skeleton.parents;
    let mut out: Vec<NodeId> = Vec::new();
    for node in std::iter::successors(Some(last), |node| parents[node.index()]) {
        out.push(node);
        if node == root {
            out.reverse();
            return Some(out);
        }
    }
    None
}

/// Solves one limb and writes its rotations; returns its length at rest.
fn turn(
    model: &Model,
    pose: &mut LocalPose,
    path: &[NodeId],
    joint: NodeId,
    target: DVec3,
    pole: Option<DVec3>,
    limits: &[(NodeId, Limits)],
) -> f64 {
    let skeleton = &model.skeleton;
    let rest = world(skeleton, &skeleton.rest);
    let (mut chain, limb_m) = chain(model, pose, &rest, path, joint, limits);
    let before: Vec<DQuat> = chain.links.iter().map(|link| link.rotation).collect();
    solve(&mut chain, target, pole);
    for (link, before) in chain.links.iter().zip(before) {
        // A rotation that does not change keeps its bits.
        if link.rotation.is_finite() && link.rotation.dot(before).abs() < 1.0 - 1e-15 {
            pose.transforms[link.node.index()].rotation = link.rotation.as_quat();
        }
    }
    limb_m
}

/// Makes the chain that the solver works on, and the limb's length at rest. Joints that stand where the next one stands
/// do not turn, and twist joints and pivots within a bone are part of it.
fn chain(
    model: &Model,
    pose: &LocalPose,
    rest: &[DAffine3],
    path: &[NodeId],
    joint: NodeId,
    limits: &[(NodeId, Limits)],
) -> (Chain, f64) {
    let skeleton = &model.skeleton;
    let near = SAME_PLACE * size(rest);
    let (mut turning, mut below, mut limb_m) = (Vec::new(), joint, 0.0);
    for (i, node) in path.iter().enumerate().rev() {
        let length = rest[node.index()].translation.distance(rest[below.index()].translation);
        let is_within = is_twist(&skeleton.names[node.index()]) || is_pivot(model, joint, *node);
        if length > near && (i == 0 || !is_within) {
            turning.push(*node);
            limb_m += length;
            below = *node;
        }
    }
    turning.reverse();
    let now = world(skeleton, pose);
    let parent_of = |node: NodeId, world: &[DAffine3]| {
        skeleton.parents[node.index()].map_or(DMat3::IDENTITY, |parent| world[parent.index()].matrix3)
    };
    let mut links = Vec::with_capacity(turning.len());
    for (k, node) in turning.iter().enumerate() {
        let next = turning.get(k + 1).copied().unwrap_or(joint);
        // This goes from the node down to the parent of the next one that turns.
        let between =
            skeleton.parents[next.index()].and_then(|last| self::path(model, *node, last)).unwrap_or_default();
        let fixed =
            between.iter().skip(1).fold(DAffine3::IDENTITY, |fixed, node| fixed * local(skeleton, pose, node.index()));
        let offset = pose.transforms[next.index()].translation.as_dvec3();
        let ends = |node: NodeId| rest[node.index()].translation;
        let axis = default_axis(model.front().as_dvec3(), (ends(next) - ends(*node)).normalize_or_zero());
        links.push(Link {
            node: *node,
            rotation: wide_unit(pose.transforms[node.index()].rotation),
            rest: wide_unit(skeleton.rest.transforms[node.index()].rotation),
            stretch: stretch(skeleton, pose, node.index()),
            bone: fixed.transform_point3(offset),
            onward: fixed.matrix3,
            default_axis: parent_of(*node, rest).inverse() * axis,
            limits: limits.iter().find(|(limited, _)| limited == node).map(|(_, limits)| *limits),
        });
    }
    let root = turning.first().copied().unwrap_or(joint);
    let base = DAffine3 { matrix3: parent_of(root, &now), translation: now[root.index()].translation };
    (Chain { base, links }, limb_m)
}

/// Returns the axis (world, at rest) about which a straight limb bends whose last bone has this direction, so that
/// knees come to the front, elbows of arms that are held aside go back, and limbs along Z bend upwards.
fn default_axis(front: DVec3, bone: DVec3) -> DVec3 {
    let [x, y, z] = bone.abs().to_array();
    let side = if x > y && x > z {
        -front
    } else if y >= z {
        front
    } else {
        DVec3::Y
    };
    side.cross(bone).normalize_or_zero()
}

/// Returns the world matrices, `model_from_node`, of some nodes of a pose.
#[must_use]
pub fn world_matrices(model: &Model, pose: &LocalPose, nodes: impl Iterator<Item = NodeId>) -> Vec<(NodeId, DAffine3)> {
    let all = world(&model.skeleton, pose);
    nodes.filter_map(|node| Some((node, *all.get(node.index())?))).collect()
}

/// Brings a pinned joint back to its previous position and rotation, `was` (`model_from_node`), by rotating the limb
/// that it ends. The nodes in `moved`, which an edit has moved, do not change.
pub fn restore_pinned(
    model: &Model,
    pose: &mut LocalPose,
    was: DAffine3,
    moved: &[NodeId],
    limits: &[(NodeId, Limits)],
    pin: NodeId,
) {
    let skeleton = &model.skeleton;
    let Some(parent) = skeleton.parents[pin.index()] else { return };
    let above: Vec<NodeId> = std::iter::successors(Some(parent), |node| skeleton.parents[node.index()])
        .take_while(|node| !moved.contains(node))
        .collect();
    // A joint that is not below anything that moved stays by itself.
    let hangs = above.last().and_then(|node| skeleton.parents[node.index()]).or(above.is_empty().then_some(parent));
    if hangs.is_none() {
        return;
    }
    let limb = default_root(model, pin).filter(|root| above.contains(root)).or(above.last().copied());
    if let Some(path) = limb.and_then(|root| path(model, root, parent)) {
        turn(model, pose, &path, pin, was.translation, None, limits);
    }
    turn_back(model, pose, was, pin);
}

/// Brings a joint to the position and rotation `at` (`model_from_node`), whatever has moved it, by rotating the limb
/// that it ends, from [`default_root`] on. Where the position is out of reach, the limb points straight at it. A joint
/// without a joint above it, such as the hips, is translated.
pub fn reach_target(model: &Model, pose: &mut LocalPose, at: DAffine3, limits: &[(NodeId, Limits)], joint: NodeId) {
    let skeleton = &model.skeleton;
    let Some(parent) = skeleton.parents[joint.index()] else {
        pose.transforms[joint.index()].translation = at.translation.as_vec3();
        return turn_back(model, pose, at, joint);
    };
    if model.is_joint(joint) && model.joint_above(joint).is_none() {
        let above = world(skeleton, pose)[parent.index()];
        let translation = above.inverse().transform_point3(at.translation);
        // Where a node above has no size, there is no way there.
        if translation.is_finite() {
            pose.transforms[joint.index()].translation = translation.as_vec3();
        }
    } else if let Some(path) = default_root(model, joint).and_then(|root| path(model, root, parent)) {
        turn(model, pose, &path, joint, at.translation, None, limits);
    }
    turn_back(model, pose, at, joint);
}

/// Gives a joint a rotation in world space: that of `was`, but for what its own scale makes of it.
fn turn_back(model: &Model, pose: &mut LocalPose, was: DAffine3, joint: NodeId) {
    let skeleton = &model.skeleton;
    let above = skeleton.parents[joint.index()].map_or(DMat3::IDENTITY, |p| world(skeleton, pose)[p.index()].matrix3);
    let back = above.inverse() * was.matrix3 * stretch(skeleton, pose, joint.index()).inverse();
    if let Some(rotation) = nearest_rotation(back)
        && rotation.dot(wide_unit(pose.transforms[joint.index()].rotation)).abs() < 1.0 - 1e-13
    {
        pose.transforms[joint.index()].rotation = rotation.as_quat();
    }
}

/// Returns the rotation of a matrix that is a rotation except for rounding and slight shear; `None` where there is
/// none.
pub(super) fn nearest_rotation(m: DMat3) -> Option<DQuat> {
    let x = m.x_axis.try_normalize()?;
    let y = (m.y_axis - x * x.dot(m.y_axis)).try_normalize()?;
    let z = x.cross(y);
    (z.dot(m.z_axis) > 0.0).then(|| DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize())
}

/// The goal of a joint that looks at a position.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The joint that rotates.
    pub joint: NodeId,
    /// The position that it looks at, in world space, metres.
    pub target: DVec3,
}

/// Rotates a joint by the smallest angle so that its front points at a position. The front of a joint is its local
/// direction that points at rest where the character faces ([`Model::front`]). Nothing changes where the position is
/// that of the joint.
pub fn look(model: &Model, pose: &mut LocalPose, aim: Aim) {
    let skeleton = &model.skeleton;
    let Aim { joint, target } = aim;
    let (rest, now) = (world(skeleton, &skeleton.rest), world(skeleton, pose));
    let rests = rest[joint.index()].matrix3;
    let parent = skeleton.parents[joint.index()].map_or(DMat3::IDENTITY, |parent| now[parent.index()].matrix3);
    let front = now[joint.index()].matrix3 * (rests.inverse() * model.front().as_dvec3());
    let up = now[joint.index()].matrix3 * (rests.inverse() * DVec3::Y);
    // Both directions are seen from the parent, where the joint's own rotation is the last to act.
    let back = parent.inverse();
    let turn = arc(back * front, back * (target - now[joint.index()].translation), back * up);
    let rotation = (turn * wide_unit(pose.transforms[joint.index()].rotation)).normalize();
    if rotation.is_finite() && turn.w.abs() < 1.0 - 1e-15 {
        pose.transforms[joint.index()].rotation = rotation.as_quat();
    }
}

#[cfg(test)]
#[path = "reach_tests.rs"]
pub(super) mod tests;
