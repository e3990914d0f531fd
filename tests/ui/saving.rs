//! The dialogs about edits that are in no file.

use std::path::PathBuf;

use skinscope::app::ui::{RecoveryOffer, SaveStage, SaveStatus, SaveSummary, UnsavedStatus};
use skinscope::session::{RecoveryAnswer, SaveKind, UnsavedAnswer};

use super::*;

fn summary() -> SaveSummary {
    SaveSummary {
        vertices: 5000,
        joints: 12,
        binds: 0,
        clips: 0,
        accessors: vec![2, 3],
        bytes: 20_480,
        json_values: 3,
        unpacked: vec![("Draco", 2)],
        recompressed: 0,
        files: vec!["tube.bin".into(), "tube.gltf".into()],
        replaced: vec!["tube.gltf".into()],
    }
}

fn saving(kind: SaveKind, stage: SaveStage) -> Harness<'static, App> {
    let target = PathBuf::from("/models/tube.gltf");
    let saving = SaveStatus { kind, name: "tube.gltf".into(), target, has_dialog: true, recompresses: false, stage };
    let status = Status { saving: Some(saving), ..Status::default() };
    let app =
        App { session: session(3), ui: UiState::default(), status, commands: Vec::new(), picture: egui::Rect::ZERO };
    let mut harness = Harness::builder()
        .with_size(vec2(1280.0, 720.0))
        .with_context_setup(ui::install)
        .build_ui_state(|ui, app: &mut App| app.frame(ui), app);
    // What is under way turns and turns: it never comes to rest.
    harness.run_steps(4);
    harness.state_mut().commands.clear();
    harness
}

fn sent(harness: &Harness<'_, App>) -> Vec<FileCommand> {
    let file = |command: &Command| if let Command::File(command) = command { Some(command.clone()) } else { None };
    harness.state().commands.iter().filter_map(file).collect()
}

fn key(harness: &mut Harness<'_, App>, key: Key, modifiers: Modifiers) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(4);
}

#[test]
fn keys_and_menu_ask_to_save() {
    let mut harness = open(3);
    key(&mut harness, Key::S, Modifiers::COMMAND);
    key(&mut harness, Key::S, Modifiers::COMMAND | Modifiers::SHIFT);
    click(&mut harness, "File");
    click(&mut harness, "Save a copy…");
    let kinds = [SaveKind::InPlace, SaveKind::As, SaveKind::Copy].map(FileCommand::Save);
    assert_eq!(sent(&harness), kinds);
}

#[test]
fn the_panel_says_what_will_change_and_waits_for_an_answer() {
    let mut harness = saving(SaveKind::InPlace, SaveStage::Ready(summary()));
    for line in [
        "Vertices: 5\u{2009}000",
        "Joints: 12",
        "2 accessors: numbers 2, 3",
        "Bytes of buffers: 20\u{2009}480",
        "Values of the JSON text: 3",
        "2 accessors were compressed by Draco, and will be stored plain.",
        "tube.bin: new",
        "tube.gltf: replaced; kept as .bak",
    ] {
        harness.get_by_label(line);
    }
    // Keys are not for what is behind it.
    key(&mut harness, Key::W, Modifiers::NONE);
    key(&mut harness, Key::Z, Modifiers::COMMAND);
    assert!(harness.state().commands.is_empty());
    key(&mut harness, Key::Escape, Modifiers::NONE);
    click(&mut harness, "Save");
    key(&mut harness, Key::Enter, Modifiers::NONE);
    let save = FileCommand::SaveTo("/models/tube.gltf".into());
    assert_eq!(sent(&harness), [FileCommand::CancelSave, save.clone(), save]);
}

#[test]
fn another_file_is_typed_or_chosen() {
    let mut harness =
        saving(SaveKind::As, SaveStage::Ready(SaveSummary { files: vec!["tube.gltf".into()], ..summary() }));
    click(&mut harness, "Browse…");
    let field = harness.get_by_label("File to write");
    field.focus();
    harness.run();
    key(&mut harness, Key::A, Modifiers::COMMAND);
    harness.event(Event::Text("/tmp/other.gltf".into()));
    harness.run();
    click(&mut harness, "Save");
    assert_eq!(sent(&harness), [FileCommand::ChooseTarget, FileCommand::SaveTo("/tmp/other.gltf".into())]);
}

#[test]
fn what_failed_is_said_and_nothing_is_lost() {
    let why = "could not write /models/tube.gltf: no space left on device".to_owned();
    let mut harness = saving(SaveKind::InPlace, SaveStage::Failed(why.clone()));
    harness.get_by_label(&why);
    harness.get_by_label("Nothing was written. The edits are still here.");
    click(&mut harness, "Save as…");
    assert_eq!(sent(&harness), [FileCommand::Save(SaveKind::As)]);
    // While files are being written there is nothing to press, and Escape does not hide that.
    let mut harness = saving(SaveKind::InPlace, SaveStage::Writing);
    key(&mut harness, Key::Escape, Modifiers::NONE);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    assert!(sent(&harness).is_empty() && harness.query_by_label("Cancel").is_none());
    // What is not worked out yet is not taken.
    let mut harness = saving(SaveKind::InPlace, SaveStage::Planning);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    assert!(sent(&harness).is_empty());
    // Nothing to save is said.
    let mut harness = saving(SaveKind::InPlace, SaveStage::Ready(SaveSummary::default()));
    harness.get_by_label_contains("there is nothing to save");
    click(&mut harness, "Close");
    assert_eq!(sent(&harness), [FileCommand::CancelSave]);
}

#[test]
fn edits_are_not_lost_without_a_question() {
    let unsaved =
        UnsavedStatus { name: "tube.glb".into(), is_session: false, vertices: 1, binds: 0, clips: 0, quits: true };
    let status = Status { unsaved: Some(unsaved), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label_contains("1 vertex has other weights than the file. The window closes");
    click(&mut harness, "Discard");
    click(&mut harness, "Cancel");
    key(&mut harness, Key::Escape, Modifiers::NONE);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    let answers = [UnsavedAnswer::Discard, UnsavedAnswer::Cancel, UnsavedAnswer::Cancel, UnsavedAnswer::Save];
    assert_eq!(sent(&harness), answers.map(FileCommand::AnswerUnsaved));
}

#[test]
fn clips_that_no_file_has_are_named_where_they_would_be_lost_and_where_they_are_saved() {
    let unsaved =
        UnsavedStatus { name: "tube.glb".into(), is_session: false, vertices: 0, binds: 0, clips: 2, quits: true };
    let status = Status { unsaved: Some(unsaved), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("Save the new clips of tube.glb?");
    harness.get_by_label_contains("2 clips are not in the file. The window closes");
    click(&mut harness, "Save…");
    assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::Save)]);
    let clips = SaveSummary { vertices: 0, joints: 0, clips: 2, unpacked: Vec::new(), ..summary() };
    let mut harness = saving(SaveKind::InPlace, SaveStage::Ready(clips));
    harness.get_by_label("New clips: 2");
    assert!(harness.query_by_label("Vertices: 0").is_none());
    click(&mut harness, "Save");
    assert_eq!(sent(&harness), [FileCommand::SaveTo("/models/tube.gltf".into())]);
}

#[test]
fn edits_of_an_earlier_run_are_offered() {
    let offer = RecoveryOffer {
        name: "tube.glb".into(),
        file: Some("/models/tube.glb".into()),
        vertices: 5,
        clips: 2,
        binds: 0,
        posed: 2,
        controls: 3,
        ruled: 1,
        age_secs: 7300,
    };
    let status = Status { recovery: Some(offer), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("/models/tube.glb");
    harness.get_by_label_contains("2 hours ago: the weights of 5 vertices, 2 new clips, the pose of 2 nodes and morph targets, 3 sliders and controls, limits, pins or pairs of 1 joint.");
    click(&mut harness, "Discard");
    click(&mut harness, "Later");
    key(&mut harness, Key::Escape, Modifiers::NONE);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    let answers = [RecoveryAnswer::Discard, RecoveryAnswer::Later, RecoveryAnswer::Later, RecoveryAnswer::Restore];
    assert_eq!(sent(&harness), answers.map(FileCommand::AnswerRecovery));
}

#[test]
fn what_meshopt_compressed_can_be_compressed_again() {
    let label = "Compress again by meshopt";
    // What Draco compressed cannot.
    assert!(saving(SaveKind::InPlace, SaveStage::Ready(summary())).query_by_label(label).is_none());
    let unpacked = SaveSummary { unpacked: vec![("meshopt", 2)], ..summary() };
    let mut harness = saving(SaveKind::InPlace, SaveStage::Ready(unpacked));
    harness.get_by_label(label).click();
    harness.run_steps(4);
    assert_eq!(sent(&harness), [FileCommand::Recompress(true)]);
    let again = SaveSummary { unpacked: Vec::new(), recompressed: 2, ..summary() };
    harness.state_mut().commands.clear();
    if let Some(saving) = &mut harness.state_mut().status.saving {
        (saving.stage, saving.recompresses) = (SaveStage::Ready(again), true);
    }
    harness.run_steps(4);
    let line = "2 accessors are compressed by meshopt again, without loss.";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
    harness.get_by_label(label).click();
    harness.run_steps(4);
    assert_eq!(sent(&harness), [FileCommand::Recompress(false)]);
}
