//! Retargets a pose to a model with another rest pose: its joints have other axes, or its arms rest in another
//! direction, or the character faces another way.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use skinscope_base::math::wide_unit;
use skinscope_model::{HumanoidRig, LocalPose, Model, NodeId, Skeleton};

use super::ik::arc;
use super::standing::Standing;
use super::{Keys, NodeMap, PoseFile, Resolved, capture, counterparts, resolve, world};
use crate::pose::Channels;

/// The bones of a humanoid's limbs that turn from the direction in which they rest to that of their counterparts, each
/// with the bone at its end.
const LIMBS: [(&str, &str); 4] =
    [("UpperArm", "LowerArm"), ("LowerArm", "Hand"), ("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot")];

/// The mean of a joint's bones tells its direction where it is at least this share of their mean length: those of hips
/// go up and down, and tell none.
const ONE_DIRECTION: f64 = 0.3;

/// Retargets a pose that was made on the model `from` to the model `to`, so that it looks the same. Nodes are matched
/// by [`counterparts`], morph targets by their names.
#[must_use]
pub fn carry(from: &Model, to: &Model, file: &PoseFile) -> Resolved {
    let mut posed = from.skeleton.rest.clone();
    let said = resolve(from, file);
    said.apply(&mut posed);
    // A moment is one of a clip of `from`, and no clip of `to` has a part in it.
    let (whole, absent) = match &file.moment {
        Some(_) => (Some(capture(from, &posed, &file.name)), said.unmatched),
        None => (None, Vec::new()),
    };
    let file = whole.as_ref().unwrap_or(file);
    let Resolved { morphs, mut unmatched, .. } = resolve(to, file);
    let other = counterparts(from, to, &NodeMap::new());
    let keys = Keys::of(from);
    let there = keys.matches(file.joints.iter().map(|(key, _)| key.as_str()));
    unmatched.retain(|key| there.get(key.as_str()).is_none_or(|node| other[node.index()].is_none()));
    unmatched.extend(absent);
    Resolved { nodes: Carrier::new(from, to, &other).carry(&posed), morphs, unmatched }
}

/// Retargets poses of one model to another one.
///
/// In world space each node of the target rotates from its rest as its counterpart does: `W′ = D · A · W′_rest`,
/// rotations alone. `D = W · W_rest⁻¹` is the rotation of the counterpart from rest, after the whole model was turned
/// to face as the target does. `A` is the shortest arc from the direction of the node's bone at rest to that of its
/// counterpart. A joint without bones, or with bones in several directions, uses `A` of the joint above. Of humanoids
/// only limbs are turned so, since their spines and feet rest upright and level however they are bent. There is no `A`
/// where both models have the same rest pose, nor between files that name humanoid bones, whose format demands one rest
/// pose. Translations are differences from rest in world space, scaled by the ratio of the sizes of the skeletons; scale
/// factors are multiplied. The hips of a humanoid step in the world: what moves above them there, and is not here, moves
/// them too.
pub(super) struct Carrier<'m> {
    pub from: &'m Model,
    pub to: &'m Model,
    /// For each node of `to` its counterpart in `from`, by index.
    pub other: Vec<Option<usize>>,
    /// For each node of `to` the nearest node above it that has a counterpart.
    pub anchor: Vec<Option<usize>>,
    pub standing: Standing,
    /// The rotations of all nodes at rest, in world space; those of `from` after it was turned to face as `to` does.
    pub rest: Vec<DQuat>,
    pub own_rest: Vec<DQuat>,
    /// The same as 3×3 matrices with scale.
    pub whole: Vec<DMat3>,
    pub own_whole: Vec<DMat3>,
    /// The rotation `A` of each node of `to`: from its bone at rest to that of its counterpart.
    pub aligned: Vec<DQuat>,
    /// The hips of `to`, where no node above them has a counterpart.
    hips: Option<usize>,
}

impl<'m> Carrier<'m> {
    /// `found` has for each node of `from` its counterpart ([`counterparts`]).
    pub fn new(from: &'m Model, to: &'m Model, found: &[Option<NodeId>]) -> Self {
        let mut other = vec![None; to.skeleton.len()];
        for (j, node) in found.iter().enumerate() {
            if let Some(node) = node {
                other[node.index()] = Some(j);
            }
        }
        let mut anchor: Vec<Option<usize>> = Vec::with_capacity(other.len());
        for parent in &to.skeleton.parents {
            let above = parent.map(NodeId::index);
            anchor.push(above.and_then(|p| if other[p].is_some() { Some(p) } else { anchor[p] }));
        }
        let mut theirs = world(&from.skeleton, &from.skeleton.rest);
        let ours = world(&to.skeleton, &to.skeleton.rest);
        let standing = Standing::of([from, to], &other, &theirs, &ours);
        theirs.iter_mut().for_each(|m| *m = DAffine3::from_quat(standing.facing) * *m);
        let are_declared = !from.humanoid.is_empty() && !to.humanoid.is_empty();
        let rigs = from.rig().zip(to.rig());
        let aligned = match rigs {
            _ if standing.is_one_pose || are_declared => vec![DQuat::IDENTITY; ours.len()],
            Some(rigs) => {
                let turns = of_humanoid(rigs.into(), &other, [&theirs, &ours]);
                align(to, &other, [&theirs, &ours], |i| turns[i])
            }
            None => align(to, &other, [&theirs, &ours], |_| Turn::Own),
        };
        let hips = rigs.and_then(|(_, own)| own.node("hips")).map(NodeId::index);
        let hips = hips.filter(|hips| other[*hips].is_some() && anchor[*hips].is_none());
        let mut rest = rotations(&from.skeleton, &from.skeleton.rest);
        rest.iter_mut().for_each(|turn| *turn = standing.facing * *turn);
        let own_rest = rotations(&to.skeleton, &to.skeleton.rest);
        let linear = |positions: Vec<DAffine3>| positions.into_iter().map(|m| m.matrix3).collect();
        let (whole, own_whole) = (linear(theirs), linear(ours));
        Self { from, to, other, anchor, standing, rest, own_rest, whole, own_whole, aligned, hips }
    }

    /// Returns the nodes above the counterpart `j` of `i` that move `i` too, where it is the hips of a humanoid: none of
    /// them has a counterpart above `i`.
    pub(crate) fn above_hips(&self, i: usize, j: usize) -> impl Iterator<Item = usize> {
        let parents = &self.from.skeleton.parents;
        let first = parents[j].filter(|_| self.hips == Some(i));
        std::iter::successors(first, |node| parents[node.index()]).map(NodeId::index)
    }

    /// Returns the scale factors along the axes of a node of `to` for those along the axes of its counterpart, as a
    /// matrix. It is exact where the axes are parallel, and for equal factors.
    pub fn factors(&self, i: usize, j: usize) -> DMat3 {
        let axes = DMat3::from_quat(self.rest[j].inverse() * self.aligned[i] * self.own_rest[i]);
        let squared = DMat3::from_cols_array(&axes.to_cols_array().map(|v| v * v));
        squared.transpose()
    }

    /// Returns the values that differ from rest, in rising order of nodes.
    pub fn carry(&self, posed: &LocalPose) -> Vec<(NodeId, Channels)> {
        let Self { from, to, other, own_rest, aligned, .. } = self;
        let (now, now_whole) = (rotations(&from.skeleton, posed), world(&from.skeleton, posed));
        let rest_whole = world(&from.skeleton, &from.skeleton.rest);
        let mut out = Vec::new();
        let mut pose = to.skeleton.rest.clone();
        let mut made: Vec<(DQuat, DAffine3)> = Vec::with_capacity(own_rest.len());
        let facing = self.standing.facing;
        for i in 0..own_rest.len() {
            let above = to.skeleton.parents[i].map_or((DQuat::IDENTITY, DAffine3::IDENTITY), |p| made[p.index()]);
            if let Some(j) = other[i] {
                let mut said = Channels::default();
                let own = to.skeleton.rest.transforms[i];
                let (was, is) = (from.skeleton.rest.transforms[j], posed.transforms[j]);
                let frame = from.skeleton.parents[j].map_or(DMat3::IDENTITY, |p| now_whole[p.index()].matrix3);
                let moved = facing * (frame * (is.translation - was.translation).as_dvec3()) * self.standing.ratio;
                let differs = |node: usize| posed.transforms[node] != from.skeleton.rest.transforms[node];
                let is_led = self.above_hips(i, j).any(differs);
                let moved = match is_led {
                    true => facing * (now_whole[j].translation - rest_whole[j].translation) * self.standing.ratio,
                    false => moved,
                };
                let moved = above.1.matrix3.inverse() * moved;
                if (is_led || is.translation != was.translation) && moved.is_finite() {
                    let translation = (own.translation.as_dvec3() + moved).as_vec3();
                    (pose.transforms[i].translation, said.translation) =
                        (translation, Some(translation.as_dvec3().to_array()));
                }
                let factors = self.factors(i, j) * (is.scale / was.scale).as_dvec3();
                let scale = own.scale * factors.as_vec3();
                if is.scale != was.scale && scale.is_finite() {
                    (pose.transforms[i].scale, said.scale) = (scale, Some(scale.to_array()));
                }
                let turned = facing * now[j] * self.rest[j].inverse();
                let goal = turned * aligned[i] * own_rest[i];
                let rotation = (above.0.inverse() * goal * mirrored(&to.skeleton, i).inverse()).normalize();
                if rotation.is_finite() && rotation.dot(own.rotation.as_dquat().normalize()).abs() < 1.0 - 1e-12 {
                    pose.transforms[i].rotation = rotation.as_quat();
                    said.rotation = Some(pose.transforms[i].rotation.to_array());
                }
                if said != Channels::default() {
                    out.push((NodeId::from_index(i), said));
                }
            }
            let turn = above.0 * wide_unit(pose.transforms[i].rotation) * mirrored(&to.skeleton, i);
            made.push((turn, above.1 * super::local(&to.skeleton, &pose, i)));
        }
        out
    }
}

/// Returns the rotations of all nodes in world space, without scale and shear. Factors below 0 turn too: a mirror image is a half turn
/// and a reflection through a point, which makes no difference to rotations.
pub(super) fn rotations(skeleton: &Skeleton, pose: &LocalPose) -> Vec<DQuat> {
    let mut out: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (i, parent) in skeleton.parents.iter().enumerate() {
        let own = wide_unit(pose.transforms[i].rotation) * mirrored(skeleton, i);
        out.push(parent.map_or(own, |p| out[p.index()] * own).normalize());
    }
    out
}

/// Returns the half turn that the signs of a node's scale are at rest, but for a reflection through a point.
pub(super) fn mirrored(skeleton: &Skeleton, i: usize) -> DQuat {
    let below = skeleton.rest.transforms[i].scale.to_array().map(|factor| factor < 0.0);
    // An odd number of factors below 0 is a reflection and the opposite signs.
    let is_odd = below.iter().filter(|b| **b).count() % 2 == 1;
    match below.map(|b| b != is_odd) {
        [false, true, true] => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        [true, false, true] => DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        [true, true, false] => DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0),
        _ => DQuat::IDENTITY,
    }
}

/// How a node is turned at rest, so that it lies as its counterpart does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turn {
    /// By the direction of its own bones.
    Own,
    /// As the node above it.
    Above,
    /// By this rotation.
    Fixed(DQuat),
}

/// Returns for each node of `to` the rotation in world space that turns its bone, at rest, to where that of its
/// counterpart rests; `known` says of which nodes that is known otherwise.
fn align(
    to: &Model,
    other: &[Option<usize>],
    [rest, own_rest]: [&[DAffine3]; 2],
    known: impl Fn(usize) -> Turn,
) -> Vec<DQuat> {
    let mut bones = vec![(DVec3::ZERO, DVec3::ZERO, 0.0, 0.0); own_rest.len()];
    for (i, parent) in to.skeleton.parents.iter().enumerate() {
        let Some(p) = parent.map(NodeId::index) else { continue };
        let (Some(j), Some(q)) = (other[i], other[p]) else { continue };
        let own = own_rest[i].translation - own_rest[p].translation;
        let theirs = rest[j].translation - rest[q].translation;
        let bone = &mut bones[p];
        *bone = (bone.0 + own, bone.1 + theirs, bone.2 + own.length(), bone.3 + theirs.length());
    }
    let mut out: Vec<DQuat> = Vec::with_capacity(own_rest.len());
    for (i, (own, theirs, own_length, their_length)) in bones.into_iter().enumerate() {
        let tells = own.length() > ONE_DIRECTION * own_length && theirs.length() > ONE_DIRECTION * their_length;
        let above = || to.skeleton.parents[i].map_or(DQuat::IDENTITY, |p| out[p.index()]);
        let turn = match known(i) {
            Turn::Fixed(turn) => turn,
            Turn::Own if tells => arc(own, theirs, DVec3::Y),
            Turn::Own | Turn::Above => above(),
        };
        out.push(if turn.is_finite() { turn } else { DQuat::IDENTITY });
    }
    out
}

/// Returns for each node of the second one of two humanoids how it is turned at rest: limbs to the directions of those of
/// the first one, as far as their bones are known; the body and the feet not at all, and fingers as the hands, which lie
/// as the lower arms do.
fn of_humanoid(
    [theirs, ours]: [&HumanoidRig; 2],
    other: &[Option<usize>],
    [rest, own_rest]: [&[DAffine3]; 2],
) -> Vec<Turn> {
    let node = |rig: &HumanoidRig, side: &str, bone: &str| rig.node(&format!("{side}{bone}"));
    let mut out = vec![Turn::Own; own_rest.len()];
    for i in (0..out.len()).filter(|i| ours.knows(NodeId::from_index(*i))) {
        let bone = ours.bone(NodeId::from_index(i)).unwrap_or_default();
        let hangs = ["Hand", "Thumb", "Index", "Middle", "Ring", "Little"].iter().any(|part| bone.contains(part));
        let is_limb = LIMBS.iter().any(|(upper, _)| bone.ends_with(upper));
        out[i] = match (hangs, is_limb) {
            (true, _) => Turn::Above,
            (_, true) => Turn::Own,
            _ => Turn::Fixed(DQuat::IDENTITY),
        };
    }
    for (side, (upper, lower)) in ["left", "right"].into_iter().flat_map(|side| LIMBS.map(|limb| (side, limb))) {
        let [(q, j), (p, i)] = [theirs, ours].map(|rig| (node(rig, side, upper), node(rig, side, lower)));
        let (Some(q), Some(j), Some(p), Some(i)) = (q, j, p, i) else { continue };
        let are_same = |own: NodeId, there: NodeId| other[own.index()] == Some(there.index());
        if are_same(p, q) && are_same(i, j) {
            let bone = |of: &[DAffine3], a: NodeId, b: NodeId| of[b.index()].translation - of[a.index()].translation;
            out[p.index()] = Turn::Fixed(arc(bone(own_rest, p, i), bone(rest, q, j), DVec3::Y));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{LocalPose, ModelParts};

    use super::super::reach::tests::{body, node};
    use super::*;
    use crate::pose::ClipMoment;

    /// The body with other axes of all of its joints, and with arms that hang by `degrees` at rest.
    fn rebuilt(degrees: f32, with_axes: bool) -> Model {
        let model = body();
        let mut parts = (*model).clone();
        for (name, sign) in [("UpperArm.L", -1.0), ("UpperArm.R", 1.0)] {
            let turned = Quat::from_rotation_z(sign * degrees.to_radians());
            parts.skeleton.rest.transforms[node(&model, name).index()].rotation = turned;
        }
        let axes = |i: usize| {
            if with_axes { Quat::from_euler(glam::EulerRot::XYZ, i as f32, 0.7, 0.3) } else { Quat::IDENTITY }
        };
        for i in 0..parts.skeleton.parents.len() {
            let above = parts.skeleton.parents[i].map_or(Quat::IDENTITY, |p| axes(p.index()));
            let rest = &mut parts.skeleton.rest.transforms[i];
            rest.translation = above.inverse() * rest.translation;
            rest.rotation = (above.inverse() * rest.rotation * axes(i)).normalize();
        }
        Model::build(parts).unwrap()
    }

    fn positions(model: &Model, pose: &LocalPose) -> Vec<DVec3> {
        world(&model.skeleton, pose).iter().map(|m| m.translation).collect()
    }

    fn wave(model: &Model) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        for (name, turned) in [
            ("Hips", Quat::from_rotation_y(0.4)),
            ("Spine", Quat::from_rotation_x(0.3)),
            ("UpperArm.L", Quat::from_rotation_z(0.9)),
            ("LowerArm.L", Quat::from_rotation_y(-1.1)),
            ("Shin.R", Quat::from_rotation_x(0.8)),
        ] {
            pose.transforms[node(model, name).index()].rotation = turned;
        }
        pose.transforms[node(model, "Hips").index()].translation += Vec3::new(0.1, -0.2, 0.3);
        pose
    }

    #[test]
    fn a_moment_is_one_of_a_clip_of_the_model_that_the_pose_was_made_on() {
        let from = tube(Tube::default());
        let mut parts = ModelParts::clone(&from);
        parts.clips.clear();
        let to = Model::build(parts).unwrap();
        let moment = |clip: &str| {
            let time = 0.5 * (from.clips[0].start_secs + from.clips[0].end_secs);
            PoseFile { moment: Some(ClipMoment { clip: clip.to_owned(), time }), ..PoseFile::default() }
        };
        let carried = carry(&from, &to, &moment("0"));
        assert!(carried.unmatched.is_empty() && !carried.nodes.is_empty(), "{:?}", carried.unmatched);
        assert_eq!(carry(&from, &to, &moment("Jump")).unmatched, ["clip Jump"]);
    }

    #[test]
    fn a_pose_looks_the_same_on_joints_with_other_axes_and_arms_that_hang() {
        let model = body();
        let pose = wave(&model);
        let file = capture(&model, &pose, "wave");
        for (degrees, with_axes) in [(0.0, true), (45.0, false), (60.0, true)] {
            let other = rebuilt(degrees, with_axes);
            let mut carried = other.skeleton.rest.clone();
            let said = carry(&model, &other, &file);
            assert!(said.unmatched.is_empty());
            said.apply(&mut carried);
            for (i, (got, want)) in positions(&other, &carried).iter().zip(positions(&model, &pose)).enumerate() {
                assert!(got.distance(want) < 1e-5, "{degrees} {with_axes} {}: {got} {want}", model.skeleton.names[i]);
            }
            // Without that it looks like something else.
            let mut plain = other.skeleton.rest.clone();
            resolve(&other, &file).apply(&mut plain);
            let hand = node(&model, "Hand.R").index();
            assert!(positions(&other, &plain)[hand].distance(positions(&model, &pose)[hand]) > 0.1);
        }
    }

    #[test]
    fn on_the_model_itself_nothing_is_said_but_what_the_file_says() {
        let model = body();
        let said = carry(&model, &model, &capture(&model, &wave(&model), "wave"));
        let names: Vec<&str> = said.nodes.iter().map(|(n, _)| model.skeleton.names[n.index()].as_str()).collect();
        assert_eq!(names, ["Hips", "Shin.R", "Spine", "UpperArm.L", "LowerArm.L"]);
        assert!(carry(&model, &rebuilt(0.0, true), &capture(&model, &model.skeleton.rest, "")).nodes.is_empty());
    }
}
