//! Retargets clips to another model, by the names of nodes.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use skinscope_model::{
    Channel, Clip, FarTrack, Instance, Interpolation, Model, NodeId, Path, Sampler, Skeleton, Values,
};

use super::carried_keys::{Corrected, add_channel, corrected, headed, is_led};
use super::carry::Carrier;
use super::expressions::{add_expressions, nodes_of};
use super::{Keys, NodeMap, counterparts};

/// How far apart two rest poses may be that count as one: radians, and shares of the size of the skeleton.
const NEAR: f32 = 1e-3;

/// Clips of another model, retargeted to a model.
#[derive(Clone, Debug, Default)]
pub struct CarriedClips {
    /// The clips that animate something in this model, with the names that they have in the other one.
    pub clips: Vec<Clip>,
    /// The keys of nodes that clips animate in the other model and that have no counterpart here, and `node/target` for
    /// morph targets.
    pub unmatched: Vec<String>,
    /// Whether the keys were changed, since the two models have different rest poses or face different ways.
    pub is_corrected: bool,
    /// The keys of nodes here with channels that were sampled, 30 times a second, since their keys have no exact
    /// counterpart: several nodes move them in the other model.
    pub resampled: Vec<String>,
    /// The nodes that the clips animate in the other model, by their keys, with the keys of their counterparts here.
    pub counterparts: Vec<(String, Option<String>)>,
}

/// Retargets the clips of the model `from` to the model `to`, with nodes matched by [`counterparts`]; `mapping` has the
/// matches that the user states.
///
/// Where bones have the same frames in both models, keys mean the same and are copied: nodes have the same translations
/// and scales at rest, and the same rotations where the clip does not animate them. Otherwise each key is retargeted by
/// itself as a pose is ([`super::carry`]): its time and its interpolation stay. Only where no such keys exist is a
/// channel sampled ([`CarriedClips::resampled`]). Morph weights are matched by the names of targets, and expressions of VRM
/// animations move the targets that the expressions of `to` name.
#[must_use]
pub fn carry_clips(from: &Model, to: &Model, mapping: &NodeMap) -> CarriedClips {
    let here = counterparts(from, to, mapping);
    let carrier = Carrier::new(from, to, &here);
    let (keys, own_keys) = (Keys::of(from), Keys::of(to));
    let expression_nodes = nodes_of(from);
    let mut out = CarriedClips::default();
    let (mut moved, mut resampled) = (BTreeSet::new(), BTreeSet::new());
    for clip in &from.clips {
        moved.extend(clip.channels.iter().map(|c| c.node).filter(|node| !expression_nodes.contains(node)));
        let mut carried = if fits_as_it_is(&carrier, clip, &here) && !is_led(clip, &carrier) {
            copied(clip, &carrier, &here)
        } else {
            let Corrected { clip, is_changed, resampled: sampled } =
                corrected(&clip.with_own_keys(&from.skeleton), &carrier);
            out.is_corrected |= is_changed;
            resampled.extend(sampled);
            clip
        };
        for channel in clip.channels.iter().filter(|c| c.path == Path::Weights) {
            let Some(own) = here[channel.node.index()] else { continue };
            let (theirs, ours) = (instance_at(from, channel.node), instance_at(to, own));
            let Some((theirs, ours)) = theirs.zip(ours) else { continue };
            let sampler = &clip.samplers[channel.sampler];
            let names = |model: &Model, of: &Instance| model.meshes[of.mesh.index()].morph_names.clone();
            let (theirs, names) = (names(from, theirs), names(to, ours));
            let missing = theirs.iter().filter(|name| !names.contains(name));
            out.unmatched.extend(missing.map(|name| format!("{}/{name}", keys.key(channel.node))));
            if let Some(values) = weights(sampler, &theirs, &names, &ours.morph_weights) {
                let times = &clip.times[sampler.times];
                add_channel(&mut carried, (own, Path::Weights), times, sampler.interpolation, values);
            }
        }
        out.unmatched.extend(add_expressions(from, to, clip, &mut carried));
        if !carried.channels.is_empty() {
            out.clips.push(carried);
        }
    }
    out.counterparts = named([&keys, &own_keys], &moved, &here);
    let lost = out.counterparts.iter().filter(|(_, own)| own.is_none());
    out.unmatched.extend(lost.map(|(key, _)| key.clone()));
    out.unmatched.sort();
    out.unmatched.dedup();
    out.resampled = resampled.into_iter().map(|node: NodeId| own_keys.key(node).to_owned()).collect();
    out
}

/// Returns the nodes that the clips of `from` animate, by their keys, with the keys of their counterparts as
/// [`carry_clips`] would find them.
#[must_use]
pub fn clip_joints(from: &Model, to: &Model, mapping: &NodeMap) -> Vec<(String, Option<String>)> {
    let expression_nodes = nodes_of(from);
    let moved = from.clips.iter().flat_map(|clip| &clip.channels).map(|channel| channel.node);
    let moved = moved.filter(|node| !expression_nodes.contains(node)).collect();
    named([&Keys::of(from), &Keys::of(to)], &moved, &counterparts(from, to, mapping))
}

fn named(
    [theirs, ours]: [&Keys; 2],
    moved: &BTreeSet<NodeId>,
    here: &[Option<NodeId>],
) -> Vec<(String, Option<String>)> {
    let own = |node: NodeId| here[node.index()].map(|own| ours.key(own).to_owned());
    moved.iter().map(|node| (theirs.key(*node).to_owned(), own(*node))).collect()
}

/// Returns whether the keys of a clip mean the same in another model.
fn fits_as_it_is(carrier: &Carrier<'_>, clip: &Clip, here: &[Option<NodeId>]) -> bool {
    let (from, to) = (carrier.from, carrier.to);
    let moved: BTreeSet<(NodeId, bool)> = clip.channels.iter().map(|c| (c.node, c.path == Path::Rotation)).collect();
    let is_moved = |node: NodeId| moved.contains(&(node, true)) || moved.contains(&(node, false));
    // Where both rest in one pose, other rotations are other axes of joints, unless their bind poses say that these are the same.
    let same_axes = |there: NodeId, own: NodeId| {
        let (a, b) = (from.bind_pose().transforms[there.index()], to.bind_pose().transforms[own.index()]);
        from.is_joint(there) && to.is_joint(own) && turned(a.rotation, b.rotation) <= NEAR
    };
    here.iter().enumerate().all(|(i, own)| {
        let (there, Some(own)) = (NodeId::from_index(i), *own) else { return true };
        let counts = is_moved(there) || from.is_joint(there) && to.is_joint(own);
        if !counts {
            return true;
        }
        let (a, b) = (from.skeleton.rest.transforms[i], to.skeleton.rest.transforms[own.index()]);
        let near = |a: Vec3, b: Vec3| a.distance(b) <= NEAR * a.length().max(b.length()).max(f32::MIN_POSITIVE);
        let may_differ = moved.contains(&(there, true)) && (!carrier.standing.is_one_pose || same_axes(there, own));
        let turns_alike = may_differ || turned(a.rotation, b.rotation) <= NEAR;
        turns_alike && near(a.translation, b.translation) && near(a.scale, b.scale)
    })
}

/// Returns the angle between two rotations, radians.
fn turned(a: Quat, b: Quat) -> f32 {
    2.0 * a.normalize().dot(b.normalize()).abs().min(1.0).acos()
}

/// Returns a clip with the same keys, for the nodes of another model.
fn copied(clip: &Clip, carrier: &Carrier<'_>, here: &[Option<NodeId>]) -> Clip {
    let base = |skeleton: &Skeleton, node: NodeId| skeleton.base(node.index());
    let far = clip.far.iter().filter(|track| track.path == Path::Translation).filter_map(|track| {
        let node = here[track.node.index()]?;
        let apart = base(&carrier.to.skeleton, node) - base(&carrier.from.skeleton, track.node);
        Some(FarTrack { base: track.base + apart, ..FarTrack::of(node, track.path, track.sampler) })
    });
    let channels = clip.channels.iter().filter(|c| c.path != Path::Weights);
    let channels = channels.filter_map(|c| Some(Channel { node: here[c.node.index()]?, ..*c })).collect();
    Clip { channels, samplers: clip.samplers.clone(), times: clip.times.clone(), far: far.collect(), ..headed(clip) }
}

fn instance_at(model: &Model, node: NodeId) -> Option<&Instance> {
    model.instances.iter().find(|instance| instance.node == node)
}

/// Returns the weights of a sampler in the order of other targets: those that it lacks are at rest; `None` where it has none of
/// them.
fn weights(sampler: &Sampler, theirs: &[String], ours: &[String], rest: &[f32]) -> Option<Values> {
    let Values::Weights { count, values } = &sampler.values else { return None };
    let index_of = |name: &String| theirs.iter().position(|other| other == name).filter(|at| at < count);
    let indices: Vec<Option<usize>> = ours.iter().map(index_of).collect();
    if indices.iter().all(Option::is_none) {
        return None;
    }
    let mut out = Vec::with_capacity(values.len() / count * ours.len());
    for (entry, row) in values.chunks_exact(*count).enumerate() {
        // The first and third entry of each key of a spline are its tangents.
        let is_tangent = sampler.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
        let still = |target: usize| if is_tangent { 0.0 } else { rest.get(target).copied().unwrap_or_default() };
        out.extend(indices.iter().enumerate().map(|(i, index_of)| index_of.map_or_else(|| still(i), |at| row[at])));
    }
    Some(Values::Weights { count: ours.len(), values: out })
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Quat, Vec3};
    use skinscope_import::{Options, Progress, import_bytes};
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{Channel, Clip, Interpolation, LocalPose, Model, ModelParts, Path, Sampler, Values};

    use super::{CarriedClips, NodeMap};
    use crate::{SampleScratch, evaluate_clip};

    fn carry_clips(from: &Model, to: &Model) -> CarriedClips {
        super::carry_clips(from, to, &NodeMap::new())
    }

    fn character() -> Model {
        let bytes = include_bytes!("../../../../assets/character.glb");
        let import = import_bytes(bytes, "character", &Options::default(), &Progress::silent()).unwrap();
        Model::build((**import.model).clone()).unwrap()
    }

    fn posed(model: &Model, clip: &Clip, secs: f32) -> (LocalPose, Vec<Affine3A>) {
        let (mut local, mut world) = (LocalPose::default(), Vec::new());
        evaluate_clip(model, clip, secs, &mut SampleScratch::default(), &mut local, &mut world);
        (local, world)
    }

    #[test]
    fn keys_are_taken_as_they_are_where_both_rest_alike() {
        let from = character();
        let mut parts: ModelParts = (*from).clone();
        parts.clips.clear();
        for name in &mut parts.skeleton.names {
            *name = format!("mixamorig:{}", name.to_uppercase());
        }
        let to = Model::build(parts).unwrap();
        let carried = carry_clips(&from, &to);
        assert!(carried.unmatched.is_empty() && !carried.is_corrected);
        let names = |clips: &[Clip]| clips.iter().map(|clip| clip.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&carried.clips), names(&from.clips));
        let to = to.with_clips(carried.clips).unwrap();
        for (theirs, ours) in from.clips.iter().zip(&to.clips) {
            for i in 0..40 {
                let secs = theirs.end_secs * i as f32 / 37.0;
                assert_eq!(posed(&from, theirs, secs).0, posed(&to, ours, secs).0, "{} at {secs}", theirs.name);
            }
        }
    }

    #[test]
    fn keys_replace_the_rotations_of_rest_so_that_these_may_differ() {
        let from = tube(Tube { joints: 4, ..Tube::default() });
        let turned = |node: usize| {
            let mut parts: ModelParts = (*from).clone();
            parts.clips.clear();
            parts.skeleton.rest.transforms[node].rotation *= Quat::from_rotation_z(0.5);
            carry_clips(&from, &Model::build(parts).unwrap()).is_corrected
        };
        // The clip turns all joints but the first.
        assert_eq!([1, 2, 4].map(turned), [true, false, false]);
    }

    #[test]
    fn clips_are_corrected_for_another_rest_pose() {
        let from = character();
        let mut rest = from.skeleton.rest.clone();
        let node = |name: &str| from.skeleton.names.iter().position(|n| n == name).unwrap();
        // Bones with other axes: what hangs on them stands where it stood.
        for (name, turn) in [
            ("UpperArm.L", Quat::from_rotation_z(-0.9)),
            ("UpperArm.R", Quat::from_rotation_z(1.9)),
            ("LowerArm.L", Quat::from_rotation_y(0.4)),
            ("UpperLeg.L", Quat::from_rotation_x(1.3)),
        ] {
            rest.transforms[node(name)].rotation *= turn;
            for child in from.skeleton.children(skinscope_model::NodeId::from_index(node(name))) {
                let child = &mut rest.transforms[child.index()];
                child.translation = turn.inverse() * child.translation;
                child.rotation = turn.inverse() * child.rotation;
            }
        }
        let to = from.with_rest(&rest).unwrap();
        let mut parts: ModelParts = (*to).clone();
        parts.clips.clear();
        let bare = Model::build(parts).unwrap();
        let carried = carry_clips(&from, &bare);
        assert!(carried.is_corrected && carried.clips.len() == from.clips.len());
        let corrected = bare.with_clips(carried.clips).unwrap();
        let arms = ["Hand.L", "Hand.R", "LowerArm.L", "LowerArm.R", "Foot.L", "Head"].map(node);
        let (mut worst, mut uncorrected) = (0.0_f32, 0.0_f32);
        for (theirs, ours) in from.clips.iter().zip(&corrected.clips) {
            for i in 0..60 {
                let secs = theirs.end_secs * i as f32 / 59.0;
                let wanted = posed(&from, theirs, secs).1;
                let now = posed(&corrected, ours, secs).1;
                let raw = posed(&to, theirs, secs).1;
                for joint in arms {
                    worst = worst.max(now[joint].translation.distance(wanted[joint].translation));
                    uncorrected = uncorrected.max(raw[joint].translation.distance(wanted[joint].translation));
                }
            }
        }
        // Bones have the same lengths, so that joints come to the same positions, but for what rotations between two moments lose.
        assert!(worst < 4e-3, "{worst}");
        assert!(uncorrected > 0.1, "{uncorrected}");
    }

    #[test]
    fn a_larger_skeleton_moves_farther_and_what_is_not_there_is_reported() {
        let from = tube(Tube { joints: 4, ..Tube::default() });
        let mut parts: ModelParts = (*from).clone();
        parts.clips.clear();
        for transform in &mut parts.skeleton.rest.transforms {
            transform.translation *= 10.0;
        }
        parts.skeleton.names[4] = "Other".into();
        let to = Model::build(parts).unwrap();
        let mut parts: ModelParts = (*from).clone();
        let moves = vec![Vec3::ZERO, Vec3::Y];
        let clip = &mut parts.clips[0];
        clip.times.push(vec![0.0, 0.4]);
        let (times, values) = (clip.times.len() - 1, Values::Vec3(moves.into()));
        clip.samplers.push(Sampler { times, interpolation: Interpolation::Step, values });
        let sampler = clip.samplers.len() - 1;
        clip.channels.push(Channel { node: skinscope_model::NodeId(1), path: Path::Translation, sampler });
        let from = Model::build(parts).unwrap();
        let carried = carry_clips(&from, &to);
        assert_eq!(carried.unmatched, [from.skeleton.names[4].as_str()]);
        let to = to.with_clips(carried.clips).unwrap();
        let rest = to.skeleton.rest.transforms[1].translation;
        let moved = posed(&to, &to.clips[0], 0.5).0.transforms[1].translation;
        let own = from.skeleton.rest.transforms[1].translation;
        assert!((moved - rest - 10.0 * (Vec3::Y - own)).length() < 1e-3, "{moved} {rest}");
    }

    #[test]
    fn morph_weights_are_taken_by_the_names_of_targets() {
        let from = obstacle_course();
        let mut parts: ModelParts = (*from).clone();
        parts.clips.clear();
        for mesh in &mut parts.meshes {
            mesh.morph_names.reverse();
            for primitive in &mut mesh.primitives {
                primitive.morphs.reverse();
            }
        }
        let to = Model::build(parts).unwrap();
        let clip = from.clips.iter().position(|clip| clip.channels.iter().any(|c| c.path == Path::Weights)).unwrap();
        let carried = carry_clips(&from, &to);
        let name = &from.clips[clip].name;
        let to = to.with_clips(carried.clips).unwrap();
        let ours = to.clips.iter().find(|clip| clip.name == *name).unwrap();
        let secs = 0.37 * from.clips[clip].end_secs;
        let (theirs, ours) = (posed(&from, &from.clips[clip], secs).0, posed(&to, ours, secs).0);
        for instance in &from.instances {
            let count = from.meshes[instance.mesh.index()].morph_names.len();
            for target in 0..count {
                let (a, b) = (instance.morph_offset + target, instance.morph_offset + count - 1 - target);
                assert_eq!(theirs.morph_weights[a], ours.morph_weights[b]);
            }
        }
    }
}
