//! Controls in a session: they act on all that shows the pose, can be undone, and are kept.

use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_anim::pose::controls::Slider;
use skinscope_model::NodeId;

use crate::tests::sessions::{built_in_session, tube_session};
use crate::*;

fn node(session: &Session, name: &str) -> NodeId {
    NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
}

/// The angles of a joint from rest, degrees.
fn angles(session: &mut Session, name: &str) -> Vec3 {
    session.update_pose();
    let at = node(session, name).index();
    let rest = session.model().unwrap().skeleton.rest.transforms[at].rotation;
    Limits::angles(rest, session.pose().local.transforms[at].rotation)
}

fn add(session: &mut Session, line: &str) {
    session.apply(ControlCommand::AddDriver(line.into()));
}

fn rested() -> Session {
    let mut session = built_in_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(ControlCommand::AddSlider);
    session.apply(ControlCommand::RenameSlider(0, "Flex".into()));
    session
}

#[test]
fn a_slider_poses_a_joint_in_one_step_that_can_be_undone() {
    let mut session = rested();
    add(&mut session, "angle(\"LowerArm.L\", \"x\") = 80 * slider(\"Flex\")");
    assert!(angles(&mut session, "LowerArm.L").length() < 1e-4);
    for value in [0.1, 0.3, 0.5] {
        session.apply(ControlCommand::SetSlider(0, value));
        assert!((angles(&mut session, "LowerArm.L").x - 80.0 * value).abs() < 1e-3);
    }
    session.apply(EditCommand::EndEdit);
    assert!(session.unsaved().has_work() && !session.edits().is_empty());
    session.apply(EditCommand::Undo);
    assert!(angles(&mut session, "LowerArm.L").x.abs() < 1e-4, "a drag is one step");
    session.apply(EditCommand::Redo);
    assert!((angles(&mut session, "LowerArm.L").x - 40.0).abs() < 1e-3);
    // Text that is typed acts at once, and is one step.
    for typed in
        ["angle(\"LowerArm.L\", \"x\") = 8", "angle(\"LowerArm.L\", \"x\") = ", "angle(\"LowerArm.L\", \"x\") = 20"]
    {
        session.apply(ControlCommand::SetDriver(0, typed.into()));
    }
    session.apply(EditCommand::EndEdit);
    assert!((angles(&mut session, "LowerArm.L").x - 20.0).abs() < 1e-3);
    session.apply(EditCommand::Undo);
    assert!((angles(&mut session, "LowerArm.L").x - 40.0).abs() < 1e-3);
    // Everything is given back, but controls stay; the bind pose has none.
    session.apply(EditCommand::ResetAll);
    assert!(angles(&mut session, "LowerArm.L").x.abs() < 1e-4 && session.edits().is_empty());
    assert_eq!(session.edits().controls.drivers.len(), 1);
    session.apply(ControlCommand::SetSlider(0, 1.0));
    session.apply(PlaybackCommand::SetPose(PoseSource::Bind));
    session.update_pose();
    let at = node(&session, "LowerArm.L").index();
    assert_eq!(session.pose().local.transforms[at], session.model().unwrap().bind_pose().transforms[at]);
    assert!(session.pose().control_value(0).is_none());
}

#[test]
fn sliders_are_renamed_in_controls_and_names_stay_apart() {
    let mut session = rested();
    session.apply(ControlCommand::AddSlider);
    session.apply(ControlCommand::AddSlider);
    let names = |session: &Session| session.edits().controls.sliders.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&session), ["Flex", "Slider", "Slider 2"]);
    add(&mut session, "slider('Slider') = slider('Flex') / 2");
    session.apply(ControlCommand::RenameSlider(1, "Flex".into()));
    assert_eq!(names(&session), ["Flex", "Flex 2", "Slider 2"]);
    assert_eq!(session.edits().controls.drivers[0], "slider(\"Flex 2\") = slider('Flex') / 2");
    session.apply(ControlCommand::SetSlider(0, 0.8));
    session.update_pose();
    assert!((session.control_state().slider_value(1) - 0.4).abs() < 1e-6, "a driven slider shows what drives it");
    session.apply(ControlCommand::RemoveSlider(0));
    session.update_pose();
    assert_eq!(
        session.control_state().control_faults(),
        ["Line 1 of the controls, column 27: There is no slider \"Flex\"."]
    );
    session.apply(ControlCommand::SetRange(0, [2.0, 5.0, 9.0]));
    assert_eq!(
        session.edits().controls.sliders[0],
        Slider { least: 2.0, most: 5.0, default: 5.0, value: 2.0, name: "Flex 2".into() }
    );
    for command in [
        ControlCommand::SetSlider(9, 1.0),
        ControlCommand::SetSlider(0, f32::NAN),
        ControlCommand::RemoveSlider(9),
        ControlCommand::RemoveDriver(9),
        ControlCommand::SetDriver(9, String::new()),
        ControlCommand::RenameSlider(9, "a".into()),
        ControlCommand::RenameSlider(0, "  ".into()),
    ] {
        let before = session.edits().clone();
        session.apply(command);
        assert!(Arc::ptr_eq(session.edits(), &before));
    }
}

#[test]
fn clip_crowd_trail_and_onion_skins_follow_controls() {
    let mut session = tube_session();
    session.apply(PlaybackCommand::SetPlaying(false));
    let name = session.model().unwrap().skeleton.names[2].clone();
    add(&mut session, &format!("angle('{name}', 'z') = 90 * time()"));
    for secs in [0.2, 0.7] {
        session.apply(PlaybackCommand::Seek(secs));
        assert!((angles(&mut session, &name).z - 90.0 * secs).abs() < 1e-3);
    }
    session.apply(ViewCommand::SetCrowd(3));
    session.apply(SelectionCommand::Select(Some(NodeId(3))));
    session.apply(ViewCommand::Set(Toggle::Trail, true));
    session.apply(ViewCommand::Set(Toggle::Onion, true));
    session.update_pose();
    let palettes = session.pose().crowd.palettes.clone();
    let (trail, skins) = (Arc::clone(session.pose().trail().unwrap()), session.pose().onion_skins().to_vec());
    let shown = |session: &mut Session, secs: f32| {
        session.apply(PlaybackCommand::Seek(secs));
        session.update_pose();
        session.pose().clone()
    };
    let at = trail.points.len() / 3;
    let pose = shown(&mut session, trail.times[at]);
    assert!(Vec3::from(pose.model[3].translation).distance(trail.points[at]) < 1e-5);
    let pose = shown(&mut session, skins[0].time_secs);
    assert!(pose.palettes.iter().zip(&skins[0].palettes).all(|(a, b)| a.abs_diff_eq(*b, 1e-5)));
    session.apply(PlaybackCommand::Seek(0.7));
    session.apply(ControlCommand::RemoveDriver(0));
    session.update_pose();
    assert!(!session.pose().crowd.palettes.iter().zip(&palettes).all(|(a, b)| a.abs_diff_eq(*b, 0.01)));
}

#[test]
fn a_key_and_a_mirrored_pose_show_what_was_shown() {
    let mut session = rested();
    // The arm's own turn is shared with a helper.
    add(&mut session, "angle('LowerArm.L', 'x') = posed(angle('LowerArm.L', 'x')) / 2");
    add(&mut session, "angle('Hand.L', 'x') = posed(angle('LowerArm.L', 'x')) / 2");
    add(&mut session, "scale('Head', 'x') = 1 + bend('LowerArm.L') / 100");
    let arm = node(&session, "LowerArm.L");
    let rest = session.model().unwrap().skeleton.rest.transforms[arm.index()].rotation;
    let turned = rest * Quat::from_rotation_x(1.0);
    session.apply(EditCommand::Edit(arm, ChannelValue::Quaternion(turned)));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
    assert!(session.pose().undriven().transforms[arm.index()].rotation.angle_between(turned) < 1e-3);
    assert!((angles(&mut session, "Hand.L").x - 0.5_f32.to_degrees()).abs() < 1e-3);
    let shown = session.pose().local.clone();
    session.apply(KeyingCommand::KeyPose);
    session.update_pose();
    assert!(session.edits().nodes.is_empty() && session.edits().controls.drivers.len() == 3);
    for (a, b) in session.pose().local.transforms.iter().zip(&shown.transforms) {
        assert!(a.rotation.angle_between(b.rotation) < 1e-3 && a.scale.distance(b.scale) < 1e-5);
    }
    session.apply(EditCommand::Undo);
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    // What is mirrored is what was posed, not what controls made of it.
    session.apply(PosingCommand::Mirror);
    session.update_pose();
    assert!(!session.edits().nodes.contains_key(&node(&session, "Hand.R")));
    let left = angles(&mut session, "Hand.L");
    assert!(left.length() < 0.05, "{left}");
}

#[test]
fn a_session_file_keeps_controls_to_the_bit_and_those_that_fit_nothing_too() {
    let mut session = rested();
    let lines = ["angle('LowerArm.L', 'x') = 80 * slider('Flex')", "angle('Wing', 'x') = 5", "oops \"'", ""];
    lines.iter().for_each(|line| add(&mut session, line));
    session.apply(ControlCommand::SetRange(0, [-0.1, 1.0 / 3.0, 0.2]));
    session.apply(ControlCommand::SetSlider(0, 0.123_456_7));
    let text = session.unsaved().snapshot().unwrap().file().text().unwrap();
    assert!(text.contains("\"sliders\": [{\"name\": \"Flex\", \"least\": -0.1,"), "{text}");
    let file = SessionFile::parse(text.as_bytes()).unwrap();
    assert_eq!(file.contents().controls, 5);
    let mut after = Session::default();
    let document = session.document().unwrap().clone();
    let told = after.open_with_session(document.clone(), &file);
    let wanted = [
        told[0].as_str(),
        "Line 3 of the controls, column 1: \"oops\" cannot be driven; angle, translation, scale, morph and slider can.",
        "Line 4 of the controls, column 1: Expected here is what is driven, such as angle(\"LowerArm.L\", \"x\").",
    ];
    assert!(
        told[0].starts_with("Line 2 of the controls, column 7: The model has no joint \"Wing\"; the nearest of "),
        "{told:?}"
    );
    assert_eq!(told, wanted);
    assert_eq!(after.edits().controls, session.edits().controls);
    assert_eq!(after.unsaved().snapshot().unwrap().file().text().unwrap(), text);
    assert_eq!(after.unsaved().snapshot().unwrap().controls(), 5);
    assert!((angles(&mut after, "LowerArm.L").x - 80.0 * 0.123_456_7).abs() < 1e-3);
    // Another model has none of it, and a newer version of the same one has all.
    after.open(tube_session().document().unwrap().clone());
    assert!(after.edits().controls.is_empty() && !after.unsaved().has_work());
}
