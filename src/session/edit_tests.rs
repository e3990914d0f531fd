//! Tests of poses that are loaded and mirrored as edits.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::*;
use crate::import::{Options, Progress};
use crate::model::shapes::obstacle_course;

#[test]
fn a_loaded_pose_is_one_step_and_stands_to_the_bit() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(obstacle_course()), Vec::new(), None));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(EditCommand::Edit(NodeId(4), ChannelValue::Scale(Vec3::splat(2.0))));
    let text = r#"{"skinscope_pose":1,"joints":{"joint 0":{"rotation":[0.1,0.2,0.3,0.9273619]},
        "joint 2":{"rotation":[0,0,0,7],"translation":[1,2,3]}},"morphs":{"mesh":{"lean":0.25}}}"#;
    let file = crate::pose::PoseFile::parse(text.as_bytes()).unwrap();
    let said = crate::pose::resolve(session.model().unwrap(), &file);
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
    session.apply(EditCommand::MirrorPose);
    assert_eq!(session.edits().nodes.keys().collect::<Vec<_>>(), [&right]);
    session.apply(EditCommand::MirrorPose);
    session.update_pose();
    for (now, first) in session.pose().local.transforms.iter().zip(&before.transforms) {
        let sign = now.rotation.dot(first.rotation).signum();
        assert!((now.rotation * sign - first.rotation).length() < 1e-5);
    }
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert_eq!(session.edits().nodes.keys().collect::<Vec<_>>(), [&left]);
}
