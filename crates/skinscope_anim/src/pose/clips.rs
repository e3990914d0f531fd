//! Carries clips over to another model, by the names of nodes.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use super::Keys;
use super::carry::Carrier;
use crate::{SampleScratch, sample};
use skinscope_model::{Channel, Clip, Instance, Interpolation, LocalPose, Model, NodeId, Path, Sampler, Values};

/// The most seconds between two moments of a clip that is corrected for another rest pose.
const STEP_SECS: f32 = 1.0 / 30.0;

/// The most moments of such a clip.
const MOST_MOMENTS: usize = 20_000;

/// How far apart two rest poses may be that count as one: radians, and shares of the size of the skeleton.
const NEAR: f32 = 1e-3;

/// Clips of another model, as a model takes them.
#[derive(Clone, Debug, Default)]
pub struct CarriedClips {
    /// The clips that move something here, under the names that they have there.
    pub clips: Vec<Clip>,
    /// Names of nodes that clips move there and that have no counterpart here, and `node/target` of morph targets.
    pub unmatched: Vec<String>,
    /// Whether the clips were corrected, since the two models rest in other poses.
    pub is_corrected: bool,
}

/// Returns the clips of the model `from` for the model `to`: nodes are matched as by pose files, by name, without
/// prefix, without case.
///
/// Where bones have the same frames in both models, keys mean the same and are taken as they are: nodes have the same
/// translations and scales at rest, and the same rotations where the clip does not turn them. Else each moment is
/// carried over as a pose is ([`super::carry`]), at all keys and at least 30 times a second, and rotations between two
/// moments follow the shorter arc. Morph weights are taken by the names of targets.
#[must_use]
pub fn carry_clips(from: &Model, to: &Model) -> CarriedClips {
    let carrier = Carrier::new(from, to);
    let mut here: Vec<Option<NodeId>> = vec![None; from.skeleton.len()];
    for (i, j) in carrier.other.iter().enumerate() {
        if let Some(j) = j {
            here[*j] = Some(NodeId::from_index(i));
        }
    }
    let keys = Keys::of(from);
    let mut out = CarriedClips::default();
    let mut lost = BTreeSet::new();
    for clip in &from.clips {
        lost.extend(clip.channels.iter().filter(|c| here[c.node.index()].is_none()).map(|c| c.node));
        let rests_alike = fits_as_it_is(from, to, clip, &here);
        let mut carried = if rests_alike { copied(clip, &here) } else { corrected(from, clip, &carrier) };
        out.is_corrected |= !rests_alike;
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
                let times = carried.times.iter().position(|times| *times == clip.times[sampler.times]);
                let times = times.unwrap_or_else(|| {
                    carried.times.push(clip.times[sampler.times].clone());
                    carried.times.len() - 1
                });
                carried.samplers.push(Sampler { times, interpolation: sampler.interpolation, values });
                let sampler = carried.samplers.len() - 1;
                carried.channels.push(Channel { node: own, path: Path::Weights, sampler });
            }
        }
        if !carried.channels.is_empty() {
            out.clips.push(carried);
        }
    }
    out.unmatched.extend(lost.into_iter().map(|node| keys.key(node).to_owned()));
    out.unmatched.sort();
    out.unmatched.dedup();
    out
}

/// Returns whether the keys of a clip mean the same in another model.
fn fits_as_it_is(from: &Model, to: &Model, clip: &Clip, here: &[Option<NodeId>]) -> bool {
    let moved: BTreeSet<(NodeId, bool)> = clip.channels.iter().map(|c| (c.node, c.path == Path::Rotation)).collect();
    let is_moved = |node: NodeId| moved.contains(&(node, true)) || moved.contains(&(node, false));
    here.iter().enumerate().all(|(i, own)| {
        let (there, Some(own)) = (NodeId::from_index(i), *own) else { return true };
        let counts = is_moved(there) || from.is_joint(there) && to.is_joint(own);
        if !counts {
            return true;
        }
        let (a, b) = (from.skeleton.rest.transforms[i], to.skeleton.rest.transforms[own.index()]);
        let near = |a: Vec3, b: Vec3| a.distance(b) <= NEAR * a.length().max(b.length()).max(f32::MIN_POSITIVE);
        let turned = 2.0 * a.rotation.normalize().dot(b.rotation.normalize()).abs().min(1.0).acos();
        let turns_alike = moved.contains(&(there, true)) || turned <= NEAR;
        turns_alike && near(a.translation, b.translation) && near(a.scale, b.scale)
    })
}

/// Returns a clip with the same keys, for the nodes of another model.
fn copied(clip: &Clip, here: &[Option<NodeId>]) -> Clip {
    let channels = clip.channels.iter().filter(|c| c.path != Path::Weights);
    let channels = channels.filter_map(|c| Some(Channel { node: here[c.node.index()]?, ..*c })).collect();
    Clip {
        name: clip.name.clone(),
        channels,
        samplers: clip.samplers.clone(),
        times: clip.times.clone(),
        start_secs: clip.start_secs,
        end_secs: clip.end_secs,
        ..Clip::default()
    }
}

/// The moments of a clip that is corrected: all keys of what it moves, and moments between keys that lie far apart.
fn moments(clip: &Clip) -> Vec<f32> {
    let moving = clip.channels.iter().filter(|c| c.path != Path::Weights);
    let lists: BTreeSet<usize> = moving.map(|c| clip.samplers[c.sampler].times).collect();
    let mut keys: Vec<f32> = lists.into_iter().flat_map(|list| clip.times[list].iter().copied()).collect();
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let (Some(first), Some(last)) = (keys.first().copied(), keys.last().copied()) else { return keys };
    let step = STEP_SECS.max((last - first) / MOST_MOMENTS as f32);
    let mut out = vec![first];
    for key in keys {
        let from = out.last().copied().unwrap_or(first);
        let parts = ((key - from) / step).ceil().max(1.0) as usize;
        out.extend((1..parts).map(|i| from + (key - from) * i as f32 / parts as f32).filter(|t| *t > from && *t < key));
        // Of keys that lie closer together than that few are kept where there are very many.
        if out.len() < 2 * MOST_MOMENTS {
            out.push(key);
        }
    }
    out.dedup();
    out
}

/// Translations, rotations and scales of a node over time, each with four numbers.
type NodeValues = [Vec<[f32; 4]>; 3];

/// Returns a clip that looks on another model as this one does here.
fn corrected(from: &Model, clip: &Clip, carrier: &Carrier<'_>) -> Clip {
    let (to, times) = (carrier.to(), moments(clip));
    let rest = &to.skeleton.rest.transforms;
    let (mut posed, mut scratch) = (LocalPose::default(), SampleScratch::default());
    // The values of each node over time, where it leaves its rest at all.
    let mut values: Vec<Option<Box<NodeValues>>> = vec![None; to.skeleton.len()];
    for (at, time) in times.iter().enumerate() {
        posed.clone_from(&from.skeleton.rest);
        sample(from, clip, *time, &mut scratch, &mut posed);
        for (node, said) in carrier.carry(&posed) {
            let of = rest[node.index()];
            let lists = values[node.index()].get_or_insert_default();
            let wide = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
            let now = [
                said.translation.map(|v| wide(v.map(|v| v as f32))).map(|v| (v, wide(of.translation.to_array()))),
                said.rotation.map(|v| (v, of.rotation.to_array())),
                said.scale.map(wide).map(|v| (v, wide(of.scale.to_array()))),
            ];
            for (list, (value, rest)) in lists.iter_mut().zip(now).filter_map(|(list, now)| Some((list, now?))) {
                list.resize(at, rest);
                list.push(value);
            }
        }
    }
    let mut out =
        Clip { name: clip.name.clone(), start_secs: clip.start_secs, end_secs: clip.end_secs, ..Clip::default() };
    let count = times.len();
    out.times.extend(Some(times).filter(|times| !times.is_empty()));
    for (i, lists) in values.into_iter().enumerate() {
        let Some([translations, rotations, scales]) = lists.map(|lists| *lists) else { continue };
        let (node, of) = (NodeId::from_index(i), rest[i]);
        let mut push = |path: Path, values: Values| {
            out.samplers.push(Sampler { times: 0, interpolation: Interpolation::Linear, values });
            out.channels.push(Channel { node, path, sampler: out.samplers.len() - 1 });
        };
        for (path, mut list, rest) in
            [(Path::Translation, translations, of.translation), (Path::Scale, scales, of.scale)]
        {
            if !list.is_empty() {
                list.resize(count, rest.extend(0.0).to_array());
                push(path, Values::Vec3(list.iter().map(|v| Vec3::new(v[0], v[1], v[2])).collect()));
            }
        }
        if !rotations.is_empty() {
            let mut list = rotations;
            list.resize(count, of.rotation.to_array());
            push(Path::Rotation, Values::Quat(list.iter().map(|v| Quat::from_array(*v)).collect()));
        }
    }
    out
}

fn instance_at(model: &Model, node: NodeId) -> Option<&Instance> {
    model.instances.iter().find(|instance| instance.node == node)
}

/// Returns the weights of a sampler in the order of other targets: those that it lacks are at rest; `None` where it has none of
/// them.
fn weights(sampler: &Sampler, theirs: &[String], ours: &[String], rest: &[f32]) -> Option<Values> {
    let Values::Weights { count, values } = &sampler.values else { return None };
    let place = |name: &String| theirs.iter().position(|other| other == name).filter(|at| at < count);
    let places: Vec<Option<usize>> = ours.iter().map(place).collect();
    if places.iter().all(Option::is_none) {
        return None;
    }
    let mut out = Vec::with_capacity(values.len() / count * ours.len());
    for (entry, row) in values.chunks_exact(*count).enumerate() {
        // The first and third entry of each key of a spline are its tangents.
        let is_tangent = sampler.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
        let still = |target: usize| if is_tangent { 0.0 } else { rest.get(target).copied().unwrap_or_default() };
        out.extend(places.iter().enumerate().map(|(i, place)| place.map_or_else(|| still(i), |at| row[at])));
    }
    Some(Values::Weights { count: ours.len(), values: out })
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Quat, Vec3};

    use super::carry_clips;
    use crate::{SampleScratch, evaluate_clip};
    use skinscope_import::{Options, Progress, import_bytes};
    use skinscope_model::shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{Channel, Clip, Interpolation, LocalPose, Model, ModelParts, Path, Sampler, Values};

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
        // Bones have the same lengths, so that joints come to the same places, but for what rotations between two moments lose.
        assert!(worst < 4e-3, "{worst}");
        assert!(uncorrected > 0.1, "{uncorrected}");
    }

    #[test]
    fn a_larger_skeleton_moves_farther_and_what_is_not_there_is_told() {
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
