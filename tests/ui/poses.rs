//! Poses as a whole: the Pose menu, and the dialogs that ask for a pose file.

use std::path::PathBuf;
use std::sync::OnceLock;

use skinscope::app::ui::{AskedFile, AskedStage, LibraryPose, PoseLibrary, PoseReport};
use skinscope::pose::{Channels, Resolved};
use skinscope::session::{FileUse, LibraryCommand, PosingCommand, Source};

use super::*;

fn report(unmatched: &[&str], made_on: Option<&str>) -> PoseReport {
    let channels = Channels { rotation: Some([0.0, 0.0, 0.6, 0.8]), ..Channels::default() };
    let unmatched = unmatched.iter().map(|key| (*key).to_owned()).collect();
    let pose = Resolved { nodes: vec![(NodeId(2), channels)], unmatched, ..Resolved::default() };
    let made_on = made_on.map(|path| Source::File(path.into()));
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

/// A window that shows a library of three poses: one that fits, one of another model, and a broken file.
pub(super) fn library() -> Harness<'static, App> {
    let one = |name: &str, pose: Result<PoseReport, String>| {
        let path = PathBuf::from(format!("/poses/{name}.pose.json"));
        let plain = pose.as_ref().ok().filter(|report| report.is_corrected).map(|_| {
            let channels = Channels { rotation: Some([0.0, 0.0, 0.0, 1.0]), ..Channels::default() };
            Arc::new(Resolved { nodes: vec![(NodeId(2), channels)], ..Resolved::default() })
        });
        Arc::new(LibraryPose { path, name: name.into(), changed: None, pose, plain, picture: OnceLock::new() })
    };
    let wave = one("wave", Ok(PoseReport { is_corrected: true, ..report(&["Tail"], Some("/poses/other.glb")) }));
    let side = LibraryPose::PICTURE as usize;
    wave.picture.get_or_init(|| vec![200; side * side * 4]);
    let nothing = Resolved { unmatched: vec!["Tail".into()], ..Resolved::default() };
    let other = one("other", Ok(PoseReport { pose: Arc::new(nothing), ..report(&[], None) }));
    let poses = vec![one("broken", Err("line 1: this is no JSON".into())), other, wave];
    let library = PoseLibrary { folder: "/poses".into(), chosen: true, poses, removed: Some("old".into()) };
    let saved = Saved { tables: true, ..Saved::default() };
    let mut harness = window(session(3), UiState::new(saved), Status { library, ..Status::default() });
    harness.set_size(vec2(1280.0, 720.0));
    harness.run();
    harness.state_mut().ui.carry_out(&WindowCommand::ShowPoses);
    harness.run();
    harness.state_mut().commands.clear();
    harness
}

fn asked_of_library(harness: &Harness<'_, App>) -> Vec<LibraryCommand> {
    let of_library = |command: &Command| match command {
        Command::Library(command) => Some(command.clone()),
        _ => None,
    };
    harness.state().commands.iter().filter_map(of_library).collect()
}

#[test]
fn a_click_on_a_pose_of_the_library_shows_it_and_its_share_can_be_changed() {
    let mut harness = library();
    for unusable in ["Pose broken", "Pose other"] {
        assert!(harness.get_by_label(unusable).accesskit_node().is_disabled(), "{unusable}");
    }
    let turned = |harness: &Harness<'_, App>| harness.state().session.pose().local.transforms[2].rotation.z;
    click(&mut harness, "Pose wave");
    assert!((turned(&harness) - 0.6).abs() < 1e-6);
    // Half of the way is half of the angle, whose sine was 0.6.
    let angle = 0.6_f32.asin();
    harness.get_by_role_and_label(Role::Slider, "Share of the pose").focus();
    harness.run();
    for _ in 0..200 {
        if harness.state().session.posing().blended_pose(harness.state().session.edits()).unwrap().share <= 0.5 {
            break;
        }
        harness.key_press(Key::ArrowLeft);
        harness.run();
    }
    let share = harness.state().session.posing().blended_pose(harness.state().session.edits()).unwrap().share;
    assert!((turned(&harness) - (share * angle).sin()).abs() < 1e-5 && (share - 0.5).abs() < 0.01, "{share}");
    // Added, half of it turns on from nothing; on a limb that the pose does not move nothing is turned.
    click(&mut harness, "Added");
    assert!((turned(&harness) - (share * angle).sin()).abs() < 1e-5);
    assert!(harness.state().session.posing().blended_pose(harness.state().session.edits()).unwrap().added);
    assert!(harness.get_by_label("Only below").accesskit_node().is_disabled());
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.run();
    click(&mut harness, "Only below");
    assert_eq!(
        harness.state().session.posing().blended_pose(harness.state().session.edits()).unwrap().limb,
        Some(NodeId(2))
    );
    // All of it is one step.
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!((turned(&harness), harness.state().session.history().can_undo()), (0.0, false));
}

#[test]
fn a_pose_of_another_model_is_corrected_and_says_over_what_it_is_laid() {
    let mut harness = library();
    let turned = |harness: &Harness<'_, App>| harness.state().session.pose().local.transforms[2].rotation.z;
    let share = |harness: &Harness<'_, App>| {
        harness.get_by_role_and_label(Role::Slider, "Share of the pose").accesskit_node().numeric_value().unwrap()
    };
    harness.state_mut().session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    click(&mut harness, "Pose wave");
    harness.get_by_label("1 name has no counterpart here");
    harness.get_by_label("of the way from the rest pose");
    assert!((turned(&harness) - 0.6).abs() < 1e-6 && share(&harness) == 100.0);
    // As it is written the pose says something else, which takes the place of the first.
    click(&mut harness, "Correct for the rest pose of other.glb");
    assert!(turned(&harness).abs() < 1e-6);
    click(&mut harness, "Correct for the rest pose of other.glb");
    assert!((turned(&harness) - 0.6).abs() < 1e-6);
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(!harness.state().session.history().can_undo());
    // Over an edit, in part; the next click begins with all of it.
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Rotation(Vec3::X)));
    harness.state_mut().session.apply(EditCommand::EndEdit);
    click(&mut harness, "Pose wave");
    click(&mut harness, "Added");
    harness.get_by_label("added to the rest pose with your edits");
    harness.get_by_role_and_label(Role::Slider, "Share of the pose").focus();
    harness.run();
    harness.key_press(Key::ArrowLeft);
    harness.run();
    assert!(share(&harness) < 100.0);
    harness.get_by_label("added to the rest pose with your edits");
    click(&mut harness, "Pose wave");
    assert_eq!(share(&harness), 100.0);
}

#[test]
fn poses_of_the_library_are_kept_renamed_deleted_and_brought_back() {
    let mut harness = library();
    click(&mut harness, "Bring the deleted pose back");
    assert!(harness.get_by_label("Keep").accesskit_node().is_disabled());
    harness.get_by_label("Name of a pose").click();
    harness.run();
    harness.event(Event::Text("bow".into()));
    harness.run();
    click(&mut harness, "Keep");
    click(&mut harness, "Pose wave");
    click(&mut harness, "Rename");
    harness.key_press(Key::End);
    harness.event(Event::Text("s".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    // The file is called otherwise once the folder is read again.
    harness.run();
    click(&mut harness, "Pose wave");
    click(&mut harness, "Delete");
    let wave = PathBuf::from("/poses/wave.pose.json");
    let wanted = [
        LibraryCommand::BringBack,
        LibraryCommand::Keep("bow".into()),
        LibraryCommand::Rename(wave.clone(), "waves".into()),
        LibraryCommand::Delete(wave),
    ];
    assert_eq!(asked_of_library(&harness), wanted);
    harness.state_mut().commands.clear();
    click(&mut harness, "Folder: poses");
    click(&mut harness, "Folder of the model");
    assert_eq!(asked_of_library(&harness), [LibraryCommand::SetFolder(None)]);
}

#[test]
fn the_menu_of_a_pose_shows_it_and_deletes_it() {
    let mut harness = library();
    let choose = |harness: &mut Harness<'_, App>, label: &str| {
        let at = harness.get_by_label("Pose wave").rect().center_top() + vec2(0.0, 20.0);
        let press = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        harness.event(Event::PointerMoved(at));
        harness.run();
        for pressed in [true, false] {
            harness.event(press(pressed));
            harness.run();
        }
        harness.get_by_role_and_label(Role::MenuItem, label).click();
        harness.run();
    };
    choose(&mut harness, "Show it");
    let turned = harness.state().session.pose().local.transforms[2].rotation.z;
    assert!((turned - 0.6).abs() < 1e-6, "{turned}");
    choose(&mut harness, "Rename…");
    harness.get_by_label("Other name of the pose");
    choose(&mut harness, "Delete");
    let wave = PathBuf::from("/poses/wave.pose.json");
    assert_eq!(asked_of_library(&harness), [LibraryCommand::Delete(wave)]);
}

#[test]
fn poses_of_the_library_show_their_names_in_low_tables() {
    let harness = library();
    let card = harness.get_by_label("Pose wave").rect();
    assert!(card.bottom() <= 720.0, "{card:?}");
}
