//! Carries a pose over to a model whose rest pose is another one: other axes of its joints, or arms that rest aside
//! where those of the first model hang.

use std::collections::HashMap;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::ik::arc;
use super::reach::nearest_rotation;
use super::{Keys, PoseFile, Resolved, resolve, stretch, world};
use crate::pose::Channels;
use skinscope_model::{LocalPose, Model, NodeId};

/// The mean of a joint's bones tells its direction where it is at least this share of their mean length: those of hips
/// go up and down, and tell none.
const ONE_DIRECTION: f64 = 0.3;

/// Returns a pose that was made on the model `from` as a pose of the model `to`, on which it looks the same.
/// Morph weights are taken by name.
#[must_use]
pub fn carry(from: &Model, to: &Model, file: &PoseFile) -> Resolved {
    let mut posed = from.skeleton.rest.clone();
    resolve(from, file).apply(&mut posed);
    let Resolved { morphs, unmatched, .. } = resolve(to, file);
    Resolved { nodes: Carrier::new(from, to).carry(&posed), morphs, unmatched }
}

/// Carries poses of one model over to another one.
///
/// Nodes are matched by their keys, as in [`resolve`]. In world space each node turns from its rest as its counterpart
/// does (`D = W · W_rest⁻¹` of the counterpart), after its bone was turned by the shortest arc `A` to where that of its
/// counterpart rests: `W′ = D · A · W′_rest`. A joint without bones, or with bones that go apart, takes `A` of the one
/// above it. Translations are differences from rest in world space, by the sizes of the skeletons; factors of scale are
/// multiplied.
pub(super) struct Carrier<'m> {
    from: &'m Model,
    to: &'m Model,
    /// For each node of `to` its counterpart in `from`, by index.
    pub other: Vec<Option<usize>>,
    rest: Vec<DAffine3>,
    own_rest: Vec<DAffine3>,
    /// The size of `to` over that of `from`.
    ratio: f64,
    aligned: Vec<DQuat>,
}

impl<'m> Carrier<'m> {
    pub fn new(from: &'m Model, to: &'m Model) -> Self {
        let rest = world(&from.skeleton, &from.skeleton.rest);
        let own_rest = world(&to.skeleton, &to.skeleton.rest);
        let other = counterparts(from, to);
        let size = |places: &[DAffine3]| {
            let root = places.first().map_or(DVec3::ZERO, |m| m.translation);
            places.iter().map(|m| m.translation.distance(root)).filter(|d| d.is_finite()).fold(0.0, f64::max)
        };
        let ratio = size(&own_rest) / size(&rest);
        let ratio = if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 };
        let aligned = align(to, &other, &rest, &own_rest);
        Self { from, to, other, rest, own_rest, ratio, aligned }
    }

    /// Returns the model that poses are carried to.
    pub fn to(&self) -> &'m Model {
        self.to
    }

    /// Returns the channels that differ from rest, rising by node.
    pub fn carry(&self, posed: &LocalPose) -> Vec<(NodeId, Channels)> {
        let Self { from, to, other, rest, own_rest, ratio, aligned } = self;
        let now = world(&from.skeleton, posed);
        let mut out = Vec::new();
        let mut pose = to.skeleton.rest.clone();
        let mut made: Vec<DAffine3> = Vec::with_capacity(own_rest.len());
        for i in 0..own_rest.len() {
            let above = to.skeleton.parents[i].map_or(DAffine3::IDENTITY, |p| made[p.index()]);
            if let Some(j) = other[i] {
                let mut said = Channels::default();
                let own = to.skeleton.rest.transforms[i];
                let (was, is) = (from.skeleton.rest.transforms[j], posed.transforms[j]);
                let frame = from.skeleton.parents[j].map_or(DMat3::IDENTITY, |p| now[p.index()].matrix3);
                let moved = above.matrix3.inverse() * (frame * (is.translation - was.translation).as_dvec3() * *ratio);
                if is.translation != was.translation && moved.is_finite() {
                    let translation = (own.translation.as_dvec3() + moved).as_vec3();
                    (pose.transforms[i].translation, said.translation) =
                        (translation, Some(translation.as_dvec3().to_array()));
                }
                let scale = own.scale * is.scale / was.scale;
                if is.scale != was.scale && scale.is_finite() {
                    (pose.transforms[i].scale, said.scale) = (scale, Some(scale.to_array()));
                }
                let turned = nearest_rotation(now[j].matrix3 * rest[j].matrix3.inverse()).unwrap_or_default();
                let goal = DMat3::from_quat(turned * aligned[i]) * own_rest[i].matrix3;
                let still = stretch(&to.skeleton, &to.skeleton.rest, i).inverse();
                if let Some(rotation) = nearest_rotation(above.matrix3.inverse() * goal * still)
                    && rotation.dot(own.rotation.as_dquat().normalize()).abs() < 1.0 - 1e-12
                {
                    pose.transforms[i].rotation = rotation.as_quat();
                    said.rotation = Some(pose.transforms[i].rotation.to_array());
                }
                if said != Channels::default() {
                    out.push((NodeId::from_index(i), said));
                }
            }
            made.push(above * super::local(&to.skeleton, &pose, i));
        }
        out
    }
}

/// Returns for each node of `to` its counterpart in `from`, by index.
fn counterparts(from: &Model, to: &Model) -> Vec<Option<usize>> {
    let (theirs, ours) = (Keys::of(from), Keys::of(to));
    let all: Vec<&str> = (0..from.skeleton.len()).map(|j| theirs.key(NodeId::from_index(j))).collect();
    let found: HashMap<&str, NodeId> = ours.matches(all.iter().copied());
    let mut out = vec![None; to.skeleton.len()];
    for (j, key) in all.iter().enumerate() {
        if let Some(node) = found.get(key) {
            out[node.index()] = Some(j);
        }
    }
    out
}

/// Returns for each node of `to` the rotation in world space that turns its bone, at rest, to where that of its
/// counterpart rests.
fn align(to: &Model, other: &[Option<usize>], rest: &[DAffine3], own_rest: &[DAffine3]) -> Vec<DQuat> {
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
        let turn = if tells { arc(own, theirs, DVec3::Y) } else { above() };
        out.push(if turn.is_finite() { turn } else { DQuat::IDENTITY });
    }
    out
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::super::reach::tests::{body, node};
    use super::*;
    use crate::pose::capture;
    use skinscope_model::LocalPose;

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

    fn places(model: &Model, pose: &LocalPose) -> Vec<DVec3> {
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
            for (i, (got, want)) in places(&other, &carried).iter().zip(places(&model, &pose)).enumerate() {
                assert!(got.distance(want) < 1e-5, "{degrees} {with_axes} {}: {got} {want}", model.skeleton.names[i]);
            }
            // Without that it looks like something else.
            let mut plain = other.skeleton.rest.clone();
            resolve(&other, &file).apply(&mut plain);
            let hand = node(&model, "Hand.R").index();
            assert!(places(&other, &plain)[hand].distance(places(&model, &pose)[hand]) > 0.1);
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
