//! Poses as a whole: the Pose menu, and the dialogs that ask for a pose file.

use std::path::PathBuf;

use skinscope::app::ui::{AskedFile, AskedStage, PoseReport};
use skinscope::pose::{Channels, Resolved};
use skinscope::session::{FileUse, PosingCommand};

use super::*;

fn report(unmatched: &[&str], made_on: Option<&str>) -> PoseReport {
    let channels = Channels { rotation: Some([0.0, 0.0, 0.6, 0.8]), ..Channels::default() };
    let unmatched = unmatched.iter().map(|key| (*key).to_owned()).collect();
    let pose = Resolved { nodes: vec![(NodeId(2), channels)], unmatched, ..Resolved::default() };
    let made_on = made_on.map(PathBuf::from);
    PoseReport { name: "wave".into(), model: "other.glb".into(), pose: Arc::new(pose), made_on, is_corrected: false }
}

fn asked(usage: FileUse, stage: AskedStage) -> Harness<'static, App> {
    let path = PathBuf::from("/poses/wave.pose.json");
    let offered = vec![path.clone(), PathBuf::from("/poses/bow.pose.json")];
    let pose_file = AskedFile { usage, path, has_dialog: true, offered, stage };
    window(session(3), UiState::default(), Status { asked_file: Some(pose_file), ..Status::default() })
}

fn sent(harness: &Harness<'_, App>) -> Vec<FileCommand> {
    let file = |command: &Command| if let Command::File(command) = command { Some(command.clone()) } else { None };
    harness.state().commands.iter().filter_map(file).collect()
}

#[test]
fn the_menu_copies_pastes_and_mirrors_and_asks_for_files() {
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Scale(Vec3::splat(1.5))));
    harness.state_mut().session.apply(EditCommand::EndEdit);
    click(&mut harness, "Pose");
    // Nothing is copied yet.
    assert!(harness.get_by_label("Paste pose").accesskit_node().is_disabled());
    click(&mut harness, "Copy pose");
    harness.state_mut().session.apply(EditCommand::ResetAll);
    harness.run();
    click(&mut harness, "Pose");
    click(&mut harness, "Paste pose");
    assert_eq!(harness.state().session.pose().local.transforms[2].scale, Vec3::splat(1.5));
    for label in ["Paste mirrored", "Mirror pose", "Flip pose", "Load pose…", "Save pose…"] {
        click(&mut harness, "Pose");
        // The menu may be longer than the window.
        harness.get_by_label(label).scroll_to_me();
        harness.run();
        click(&mut harness, label);
    }
    for command in [PosingCommand::PasteMirrored, PosingCommand::Mirror, PosingCommand::Flip] {
        assert!(has(&harness, &command.clone().into()), "{command:?}");
    }
    assert_eq!(sent(&harness), [FileUse::LoadPose, FileUse::SavePose].map(FileCommand::AskForFile));
}

#[test]
fn a_pose_is_loaded_in_one_step_after_what_has_no_counterpart_was_said() {
    let stage = AskedStage::Pose(report(&["Tail", "Wing.L"], Some("/poses/other.glb")));
    let mut harness = asked(FileUse::LoadPose, stage);
    for line in ["Joints and other nodes: 1", "Made on: other.glb", "2 names have no counterpart here:", "Tail, Wing.L"]
    {
        assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some(), "{line}");
    }
    click(&mut harness, "Correct for the rest pose of other.glb");
    click(&mut harness, "bow.pose.json");
    click(&mut harness, "Browse…");
    assert_eq!(
        sent(&harness),
        [FileCommand::CorrectPose(true), FileCommand::NameFile("/poses/bow.pose.json".into()), FileCommand::ChooseFile]
    );
    // Keys are not for what is behind it.
    harness.key_press(Key::W);
    harness.run();
    assert!(harness.state().session.view().overlay.is_none());
    harness.state_mut().commands.clear();
    click(&mut harness, "Load");
    assert_eq!(sent(&harness), [FileCommand::CloseFile]);
    let turned = harness.state().session.pose().local.transforms[2].rotation;
    assert!((turned.z - 0.6).abs() < 1e-6 && harness.state().session.history().can_undo());
    harness.state_mut().session.apply(EditCommand::Undo);
    assert!(harness.state().session.edits().is_empty() && !harness.state().session.history().can_undo());
}

#[test]
fn what_cannot_be_read_or_fits_nothing_cannot_be_loaded() {
    for stage in [
        AskedStage::Unnamed,
        AskedStage::Failed("joints: expected an object, found 3".into()),
        AskedStage::Pose(PoseReport { pose: Arc::default(), ..report(&[], None) }),
    ] {
        let mut harness = asked(FileUse::LoadPose, stage);
        assert!(harness.query_by_label("Load").is_none());
        harness.key_press(Key::Enter);
        harness.run();
        assert!(harness.state().commands.is_empty());
        harness.key_press(Key::Escape);
        harness.run();
        assert_eq!(sent(&harness), [FileCommand::CloseFile]);
    }
}

#[test]
fn a_pose_is_saved_into_the_file_that_was_typed_and_what_is_replaced_is_said() {
    let mut harness = asked(FileUse::SavePose, AskedStage::Writable { replaces: true });
    let line = "There is a file of this name. It will be replaced.";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
    harness.get_by_label("Pose file").click();
    harness.run();
    harness.key_press(Key::End);
    harness.event(Event::Text("x".into()));
    harness.run();
    let typed: PathBuf = "/poses/wave.pose.jsonx".into();
    assert_eq!(sent(&harness), [FileCommand::NameFile(typed.clone())]);
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(sent(&harness).last(), Some(&FileCommand::WriteFile(typed)));
}
