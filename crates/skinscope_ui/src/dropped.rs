//! The dialog that asks what a file is for that was dropped beside an open model.

use std::path::Path;

use egui::{Id, Ui};
use skinscope_session::{Command, FileCommand};

use super::Status;
use super::dialogs::question;
use super::saving::{buttons, text, title};

pub(super) fn show(ui: &Ui, status: &Status, commands: &mut Vec<Command>) {
    let Some(path) = &status.dropped else { return };
    // It waits until other questions are answered, which it would cover.
    if status.asks_about_files() {
        return;
    }
    let escape = FileCommand::LeaveDropped;
    let answer = question(ui, Id::unique("dropped"), Some(escape), |ui, entered| contents(ui, path, entered));
    commands.extend(answer.map(Command::from));
}

fn contents(ui: &mut Ui, path: &Path, entered: bool) -> Option<FileCommand> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    title(ui, &format!("What is {name} for?"));
    text(
        ui,
        "Open it in place of the open model or beside it in the same picture, play its clips on the open model, or compare both, vertex by vertex.",
    );
    let answers = [
        FileCommand::Open(path.to_owned()),
        FileCommand::OpenBeside(path.to_owned()),
        FileCommand::TakeClips(path.to_owned()),
        FileCommand::Compare(path.to_owned()),
        FileCommand::LeaveDropped,
    ];
    let pressed = buttons(ui, &["Open", "Beside", "Take its clips", "Compare", "Cancel"], entered);
    pressed.and_then(|i| answers.into_iter().nth(i))
}
