//! Session files: the File menu, and the dialogs that ask for one.

use std::path::PathBuf;

use skinscope::app::ui::{AskedFile, AskedStage, SessionReport, ThenCloses, UnsavedStatus};
use skinscope::session::{FileUse, SessionFile, UnsavedAnswer, UnsavedWork};

use super::*;

fn asked(usage: FileUse, stage: AskedStage) -> Harness<'static, App> {
    let path = PathBuf::from("/work/knight.skinscope.json");
    let offered = if usage.writes() { Vec::new() } else { vec![path.clone(), "/work/elf.skinscope.json".into()] };
    let asked_file = AskedFile { usage, path, has_dialog: true, offered, stage };
    window(session(3), UiState::default(), Status { asked_file: Some(asked_file), ..Status::default() })
}

fn sent(harness: &Harness<'_, App>) -> Vec<FileCommand> {
    let file = |command: &Command| if let Command::File(command) = command { Some(command.clone()) } else { None };
    harness.state().commands.iter().filter_map(file).collect()
}

fn says(harness: &Harness<'_, App>, line: &str) -> bool {
    harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some()
}

#[test]
fn the_menu_asks_for_session_files() {
    let mut harness = selected(3, 2);
    for label in ["Open session…", "Save session…"] {
        click(&mut harness, "File");
        click(&mut harness, label);
    }
    assert_eq!(sent(&harness), [FileUse::OpenSession, FileUse::SaveSession].map(FileCommand::AskForFile));
}

#[test]
fn what_a_session_keeps_and_what_has_changed_is_said_before_it_is_opened() {
    let text = r#"{"skinscope_session": 1, "joints": {"a": {}, "b": {}}, "pins": ["a"], "view": {"hidden": ["c"]}}"#;
    let file = Arc::new(SessionFile::parse(text.as_bytes()).unwrap());
    let report = SessionReport { model: "knight.glb".into(), changed: vec!["knight.glb".into()], file };
    let mut harness = asked(FileUse::OpenSession, AskedStage::Session(report));
    for line in ["Model: knight.glb", "Nodes and morph targets of the pose: 2", "Pins: 1", "Hidden nodes: 1"] {
        assert!(says(&harness, line), "{line}");
    }
    assert!(!says(&harness, "Limits: 0"));
    let line = "Changed since it was saved, or not there any more: knight.glb. What still fits will be taken.";
    assert!(says(&harness, line));
    click(&mut harness, "elf.skinscope.json");
    click(&mut harness, "Open");
    let path = PathBuf::from("/work/knight.skinscope.json");
    let named = FileCommand::NameFile("/work/elf.skinscope.json".into());
    assert_eq!(sent(&harness), [named, FileCommand::CloseFile, FileCommand::OpenSession(path)]);
}

#[test]
fn a_session_that_cannot_be_read_is_not_opened() {
    for stage in [AskedStage::Unnamed, AskedStage::Failed("a later version of Skinscope made this file".into())] {
        let mut harness = asked(FileUse::OpenSession, stage);
        assert!(harness.query_by_label("Open").is_none());
        harness.key_press(Key::Enter);
        harness.run();
        assert!(harness.state().commands.is_empty());
    }
}

#[test]
fn a_session_is_saved_into_the_named_file() {
    let mut harness = asked(FileUse::SaveSession, AskedStage::Writable { replaces: true });
    assert!(says(&harness, "There is a file of this name. It will be replaced."));
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(sent(&harness), [FileCommand::WriteFile("/work/knight.skinscope.json".into())]);
}

#[test]
fn a_session_that_has_changed_is_not_lost_without_a_question() {
    let unsaved = UnsavedStatus {
        name: "knight.skinscope.json".into(),
        is_session: true,
        has_file: true,
        keeps_layers: false,
        work: UnsavedWork { posed: 1, ..UnsavedWork::default() },
        then: ThenCloses::Window,
    };
    let mut harness = window(session(3), UiState::default(), Status { unsaved: Some(unsaved), ..Status::default() });
    assert!(says(&harness, "Save the session knight.skinscope.json?"));
    click(&mut harness, "Save");
    click(&mut harness, "Discard");
    let answers = [UnsavedAnswer::Save, UnsavedAnswer::Discard];
    assert_eq!(sent(&harness), answers.map(FileCommand::AnswerUnsaved));
}
