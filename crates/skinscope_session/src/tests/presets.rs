//! Controls that are written for a joint: on rigs that have the joints, the lines do what their names say.

use glam::{Quat, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_anim::pose::controls::Preset;
use skinscope_examples::{self as examples, Start};
use skinscope_import::{Options, Progress};
use skinscope_model::NodeId;

use crate::tests::sessions::built_in_session;
use crate::*;

fn node(session: &Session, name: &str) -> NodeId {
    NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
}

fn example(id: &str) -> Session {
    let mut session = Session::default();
    let source = Source::Example(Start::of(examples::example(id).unwrap()));
    session.open(source.load(&Options::default(), &Progress::silent()).unwrap());
    session
}

/// Adds the lines of a preset for a joint.
fn add(session: &mut Session, preset: Preset, name: &str) -> Vec<String> {
    session.apply(SelectionCommand::Select(Some(node(session, name))));
    session.apply(ControlCommand::AddPreset(preset));
    session.update_pose();
    assert!(session.control_state().control_faults().is_empty(), "{:?}", session.control_state().control_faults());
    session.edits().controls.drivers.to_vec()
}

fn turn(session: &mut Session, name: &str, axis: Vec3, degrees: f32) {
    let of = node(session, name);
    let rest = session.model().unwrap().skeleton.rest.transforms[of.index()].rotation;
    let turned = rest * Quat::from_axis_angle(axis, degrees.to_radians());
    session.apply(EditCommand::Edit(of, ChannelValue::Quaternion(turned)));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

fn angles(session: &Session, name: &str) -> Vec3 {
    let of = node(session, name).index();
    let rest = session.model().unwrap().skeleton.rest.transforms[of].rotation;
    Limits::angles(rest, session.pose().local.transforms[of].rotation)
}

#[test]
fn a_muscle_swells_across_the_limb_while_the_joint_beside_it_bends() {
    let mut session = example("muscle");
    let lines = add(&mut session, Preset::Muscle, "biceps");
    let want = |axis| format!("scale(\"biceps\", \"{axis}\") = 1 + 0.5 * smooth(bend(\"forearm\"), 0, 130)");
    assert_eq!(lines, [want("y"), want("z")]);
    for degrees in [0.0, 65.0, 130.0] {
        session.apply(ExampleCommand::SetSlider("phi", degrees));
        session.update_pose();
        let t: f32 = degrees / 130.0;
        let scale = session.pose().local.transforms[node(&session, "biceps").index()].scale;
        let swollen = 1.0 + 0.5 * t * t * (3.0 - 2.0 * t);
        assert!(scale.distance(Vec3::new(1.0, swollen, swollen)) < 1e-5, "{degrees}° {scale}");
    }
}

#[test]
fn a_chest_breathes_by_its_slider_and_by_time_where_a_clip_is_shown() {
    let mut session = built_in_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    assert_eq!(add(&mut session, Preset::Breathing, "UpperChest").len(), 2);
    let depth = |session: &Session| session.pose().local.transforms[node(session, "UpperChest").index()].scale;
    session.apply(ControlCommand::SetSlider(0, 1.0));
    session.update_pose();
    assert!(depth(&session).distance(Vec3::new(1.05, 1.0, 1.05)) < 1e-6);
    let mut session = built_in_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
    session.apply(PlaybackCommand::SetPlaying(false));
    assert_eq!(add(&mut session, Preset::Breathing, "UpperChest").len(), 3);
    // One breath takes four seconds.
    for (secs, breath) in [(0.0, 0.0), (1.0, 0.5), (2.0, 1.0)] {
        session.apply(PlaybackCommand::Seek(secs));
        session.update_pose();
        let secs = f64::from(session.playback().time_secs);
        let want = 0.5 - 0.5 * (std::f64::consts::FRAC_PI_2 * secs).cos();
        assert!((f64::from(session.control_state().slider_value(0)) - want).abs() < 1e-6, "{secs} s: {want}, {breath}");
    }
}

#[test]
fn a_twist_is_spread_and_the_hand_stays_as_it_is() {
    let mut session = built_in_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    turn(&mut session, "Hand.L", Vec3::X, 80.0);
    let of = node(&session, "Hand.L").index();
    let before = session.pose().model[of].to_scale_rotation_translation().1;
    assert_eq!(add(&mut session, Preset::Twist, "Hand.L").len(), 2);
    let after = session.pose().model[of].to_scale_rotation_translation().1;
    assert!(before.angle_between(after) < 1e-3);
    for name in ["LowerArm.L", "Hand.L"] {
        assert!((angles(&session, name) - Vec3::X * 40.0).length() < 1e-2, "{name}");
    }
}

#[test]
fn links_share_a_turn_and_none_turns_more_than_60_degrees() {
    let mut session = built_in_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    assert_eq!(add(&mut session, Preset::Links, "Spine").len(), 3);
    let links = ["Spine", "Chest", "UpperChest"];
    for degrees in [-179.0_f32, -100.0, 30.0, 150.0, 179.0] {
        turn(&mut session, "Spine", Vec3::X, degrees);
        let turned = links.map(|name| angles(&session, name));
        assert!(
            turned.iter().all(|a| (a.x - degrees / 3.0).abs() < 1e-2 && a.x.abs() <= 60.0),
            "{degrees}° {turned:?}"
        );
    }
    // An arm along X bends about Y, beyond a right angle too.
    let mut session = built_in_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    add(&mut session, Preset::Links, "UpperArm.L");
    for degrees in [-170.0_f32, 120.0] {
        turn(&mut session, "UpperArm.L", Vec3::Y, degrees);
        let turned = ["UpperArm.L", "LowerArm.L", "Hand.L"].map(|name| angles(&session, name));
        assert!(turned.iter().all(|a| (*a - Vec3::Y * degrees / 3.0).length() < 1e-2), "{degrees}° {turned:?}");
    }
}

#[test]
fn what_a_joint_lacks_is_said() {
    let mut session = built_in_session();
    assert_eq!(session.control_state().preset(Preset::Links), Err("Select a joint first"));
    session.apply(SelectionCommand::Select(Some(node(&session, "Hips"))));
    assert_eq!(session.control_state().preset(Preset::Twist), Err("No joint is above the selected one"));
    let before = session.edits().clone();
    session.apply(ControlCommand::AddPreset(Preset::Twist));
    assert!(Arc::ptr_eq(&before, session.edits()));
}
