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
    let answer = question(ui, Id::unique("dropped"), Some(escape), |ui, entered| match &status.dropped_second {
        Some(second) => pair(ui, path, second, entered),
        None => contents(ui, path, entered),
    });
    commands.extend(answer.map(Command::from));
}

/// Asks about two files that were dropped together.
fn pair(ui: &mut Ui, first: &Path, second: &Path, entered: bool) -> Option<FileCommand> {
    let [a, b] = [first, second].map(|path| path.file_name().unwrap_or_default().to_string_lossy());
    title(ui, &format!("Open {a} and {b}?"));
    let has_clips_alone = second.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vrma"));
    text(
        ui,
        &match has_clips_alone {
            true => format!("{a} takes the place of the open model, and plays the clips of {b}."),
            false => format!("{a} takes the place of the open model, and {b} stands beside it in the same picture."),
        },
    );
    match buttons(ui, &["Open both", "Cancel"], entered)? {
        0 => Some(FileCommand::OpenPair(first.to_owned(), second.to_owned())),
        _ => Some(FileCommand::LeaveDropped),
    }
}

fn contents(ui: &mut Ui, path: &Path, entered: bool) -> Option<FileCommand> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    title(ui, &format!("What is {name} for?"));
    text(
        ui,
        "Open it in place of the open model or beside it in the same picture, play its clips on the open model, compare both, vertex by vertex, or solve weights that bring the surface to it in the pose that is shown.",
    );
    let answers = [
        FileCommand::Open(path.to_owned()),
        FileCommand::OpenBeside(path.to_owned()),
        FileCommand::TakeClips(path.to_owned()),
        FileCommand::Compare(path.to_owned()),
        FileCommand::ReadExamples(vec![path.to_owned()]),
        FileCommand::LeaveDropped,
    ];
    let pressed = buttons(ui, &["Open", "Beside", "Take its clips", "Compare", "Solve", "Cancel"], entered);
    pressed.and_then(|i| answers.into_iter().nth(i))
}
