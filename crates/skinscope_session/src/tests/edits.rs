//! Tests of poses that are loaded and mirrored as edits.

use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_anim::pose::PoseFile;
use skinscope_import::{Options, Progress};
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{Model, ModelParts, NodeId};

use crate::*;

#[test]
fn a_loaded_pose_is_one_step_and_stands_to_the_bit() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(obstacle_course()), Vec::new(), None));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(EditCommand::Edit(NodeId(4), ChannelValue::Scale(Vec3::splat(2.0))));
    let text = r#"{"skinscope_pose":1,"joints":{"joint 0":{"rotation":[0.1,0.2,0.3,0.9273619]},
        "joint 2":{"rotation":[0,0,0,7],"translation":[1,2,3]}},"morphs":{"mesh":{"lean":0.25}}}"#;
    let file = PoseFile::parse(text.as_bytes()).unwrap();
    let said = skinscope_anim::pose::resolve(session.model().unwrap(), &file);
    session.apply(EditCommand::SetPose(Arc::new(said)));
    session.update_pose();
    let local = &session.pose().local;
    assert_eq!(local.transforms[3].rotation.to_array(), [0.1, 0.2, 0.3, 0.9273619]);
    // A rotation of another length turns without stretching; the numbers of the file are kept.
    assert_eq!(local.transforms[5].rotation, Quat::IDENTITY);
    assert_eq!(session.edits().nodes[&NodeId(5)].quaternion.unwrap().w, 7.0);
    assert_eq!((local.transforms[5].translation, local.morph_weights[1]), (Vec3::new(1.0, 2.0, 3.0), 0.25));
    // Channels that the pose does not have are given back.
    assert_eq!(local.transforms[4].scale, session.model().unwrap().skeleton.rest.transforms[4].scale);
    // A slider that is moved afterwards takes precedence.
    session.apply(EditCommand::Edit(NodeId(5), ChannelValue::Rotation(Vec3::X * 30.0)));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
    assert!((session.pose().local.transforms[5].rotation - Quat::from_rotation_x(30_f32.to_radians())).length() < 1e-6);
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert_eq!(session.edits().nodes.keys().collect::<Vec<_>>(), [&NodeId(4)]);
}

#[test]
fn a_mirrored_pose_is_one_step_and_twice_is_none() {
    let mut session = Session::default();
    session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let node = |session: &Session, name: &str| {
        NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
    };
    let (left, right) = (node(&session, "UpperArm.L"), node(&session, "UpperArm.R"));
    session.apply(EditCommand::Edit(left, ChannelValue::Rotation(Vec3::new(0.0, 20.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
    let before = session.pose().local.clone();
    session.apply(PosingCommand::Mirror);
    assert_eq!(session.edits().nodes.keys().collect::<Vec<_>>(), [&right]);
    session.apply(PosingCommand::Mirror);
    session.update_pose();
    for (now, first) in session.pose().local.transforms.iter().zip(&before.transforms) {
        let sign = now.rotation.dot(first.rotation).signum();
        assert!((now.rotation * sign - first.rotation).length() < 1e-5);
    }
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert_eq!(session.edits().nodes.keys().collect::<Vec<_>>(), [&left]);
}

/// The built-in character in a pose that is not symmetric.
fn posed() -> Session {
    let mut session = Session::default();
    session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    for (name, angles) in [
        ("UpperArm.L", Vec3::new(0.0, 20.0, 50.0)),
        ("LowerArm.L", Vec3::new(10.0, -70.0, 0.0)),
        ("Spine", Vec3::new(5.0, 10.0, -8.0)),
        ("UpperLeg.R", Vec3::new(-30.0, 0.0, 4.0)),
    ] {
        session.apply(EditCommand::Edit(named(&session, name), ChannelValue::Rotation(angles)));
        session.apply(EditCommand::EndEdit);
    }
    session.update_pose();
    session
}

fn named(session: &Session, name: &str) -> NodeId {
    NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
}

fn steps_back(session: &mut Session) -> usize {
    let mut session = session.clone();
    let mut count = 0;
    while session.history().can_undo() {
        session.apply(EditCommand::Undo);
        count += 1;
    }
    count
}

fn assert_same_pose(now: &skinscope_model::LocalPose, first: &skinscope_model::LocalPose) {
    for (now, first) in now.transforms.iter().zip(&first.transforms) {
        let same = now.rotation * now.rotation.dot(first.rotation).signum();
        assert!((same - first.rotation).length() < 1e-5, "{now:?} {first:?}");
        assert!((now.translation - first.translation).length() < 1e-5 && (now.scale - first.scale).length() < 1e-5);
    }
    assert_eq!(now.morph_weights, first.morph_weights);
}

#[test]
fn a_whole_pose_is_changed_in_one_step_and_mirrored_or_flipped_twice_is_as_it_was() {
    let mut session = posed();
    session.apply(SelectionCommand::Select(Some(named(&session, "UpperArm.R"))));
    let before = session.pose().local.clone();
    for command in [PosingCommand::Mirror, PosingCommand::Flip] {
        let (steps, was) = (steps_back(&mut session), session.pose().local.clone());
        session.apply(command.clone());
        session.update_pose();
        assert_eq!(steps_back(&mut session), steps + 1, "{command:?}");
        let [left, right] = ["LowerArm.L", "LowerArm.R"].map(|name| named(&session, name).index());
        let rest = &session.model().unwrap().skeleton.rest.transforms;
        assert!(session.pose().local.transforms[left].rotation.dot(rest[left].rotation).abs() > 1.0 - 1e-6);
        assert!(session.pose().local.transforms[right].rotation.dot(rest[right].rotation).abs() < 0.9);
        // A flipped arm leaves legs and spine alone.
        let spine = named(&session, "Spine").index();
        let stays = session.pose().local.transforms[spine] == was.transforms[spine];
        assert_eq!(stays, command == PosingCommand::Flip);
        session.apply(command);
        session.update_pose();
        assert_same_pose(&session.pose().local, &before);
    }
}

#[test]
fn without_a_plane_no_pose_is_mirrored_unless_nodes_are_paired() {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 6, ..Tube::default() }));
    // A spiral: neither its mesh nor its joints have a mirror image.
    let spiral = |i: usize| Vec3::new((1.3 * i as f32).sin(), 0.3, (1.9 * i as f32).cos());
    for (i, position) in parts.meshes[0].primitives[0].positions.iter_mut().enumerate() {
        *position += spiral(i) * (i % 7) as f32;
    }
    for (i, transform) in parts.skeleton.rest.transforms.iter_mut().enumerate() {
        transform.translation = spiral(i);
    }
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 20.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    let before = Arc::clone(session.edits());
    assert!(session.edit_rules().mirror_refusal().is_some());
    session.apply(PosingCommand::Mirror);
    assert_eq!(session.edits(), &before);
    session.apply(PosingCommand::SetPartner(NodeId(2), Some(NodeId(4))));
    assert_eq!((session.edit_rules().mirror_refusal(), session.edit_rules().changed_pairs().len()), (None, 2));
    session.apply(PosingCommand::Mirror);
    let there = Arc::clone(session.edits());
    // All that hangs on the second node has moved with it, the fourth too: seen in the mirror the turn is another one of the same node.
    assert!(
        there.nodes.contains_key(&NodeId(2)) && there.nodes[&NodeId(2)].rotation != before.nodes[&NodeId(2)].rotation
    );
}

#[test]
fn a_copied_pose_is_pasted_to_the_bit_in_one_step_and_mirrored_it_is_the_mirrored_pose() {
    let mut session = posed();
    let before = session.pose().local.clone();
    session.apply(PosingCommand::Copy);
    session.apply(EditCommand::ResetAll);
    session.apply(EditCommand::Edit(named(&session, "Head"), ChannelValue::Scale(Vec3::splat(2.0))));
    session.apply(EditCommand::EndEdit);
    let steps = steps_back(&mut session);
    session.apply(PosingCommand::Paste);
    session.update_pose();
    assert_eq!(session.pose().local, before);
    assert_eq!(steps_back(&mut session), steps + 1);
    session.apply(PosingCommand::Mirror);
    session.update_pose();
    let mirrored = session.pose().local.clone();
    session.apply(EditCommand::ResetAll);
    session.apply(PosingCommand::PasteMirrored);
    session.update_pose();
    assert_same_pose(&session.pose().local, &mirrored);
    // Over a clip it shows the same pose too, and another model of the same skeleton takes it.
    session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
    session.apply(PlaybackCommand::Seek(0.3));
    session.apply(PosingCommand::Paste);
    session.update_pose();
    assert_same_pose(&session.pose().local, &before);
}
