//! Tests of clips that are carried over to another model.

use glam::{Affine3A, Quat, Vec3};

use super::carry_clips;
use crate::anim::{SampleScratch, evaluate_clip};
use crate::import::{Options, Progress, import_bytes};
use crate::model::shapes::{Tube, obstacle_course, tube};
use crate::model::{Channel, Clip, Interpolation, LocalPose, Model, ModelParts, Path, Sampler, Values};

fn character() -> Model {
    let bytes = include_bytes!("../../assets/character.glb");
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
        for child in from.skeleton.children(crate::model::NodeId::from_index(node(name))) {
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
    clip.channels.push(Channel { node: crate::model::NodeId(1), path: Path::Translation, sampler });
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
