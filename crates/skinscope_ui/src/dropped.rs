//! The dialog that asks what a file is for that was dropped beside an open model.

use std::path::Path;

use egui::{Id, Key, Modal, Modifiers, Popup, Ui};
use skinscope_session::{Command, FileCommand};

use super::Status;
use super::saving::{buttons, text, title};

pub(super) fn show(ui: &Ui, status: &Status, commands: &mut Vec<Command>) {
    let Some(path) = &status.dropped else { return };
    // It waits until other questions are answered, which it would cover.
    if status.asks_about_files() {
        return;
    }
    let key = |key| ui.ctx().input_mut(|i| i.consume_key(Modifiers::NONE, key));
    // A menu that is open over the dialog has its keys for itself.
    let has_keys = !Popup::is_any_open(ui.ctx());
    let (escaped, entered) = (has_keys && key(Key::Escape), has_keys && key(Key::Enter));
    let modal = Modal::new(Id::unique("dropped")).frame(egui::Frame::window(ui.style()));
    let answer = modal.show(ui.ctx(), |ui| contents(ui, path, entered)).inner;
    commands.extend(answer.or_else(|| escaped.then_some(FileCommand::LeaveDropped)).map(Command::from));
}

fn contents(ui: &mut Ui, path: &Path, entered: bool) -> Option<FileCommand> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    title(ui, &format!("What is {name} for?"));
    text(ui, "Open it in place of the open model, play its clips on the open model, or show it beside the open model.");
    let answers = [
        FileCommand::Open(path.to_owned()),
        FileCommand::TakeClips(path.to_owned()),
        FileCommand::Compare(path.to_owned()),
        FileCommand::LeaveDropped,
    ];
    let pressed = buttons(ui, &["Open", "Take its clips", "Compare", "Cancel"], entered);
    pressed.and_then(|i| answers.into_iter().nth(i))
}
