//! Dialogs about edits that are in no file yet: what saving will change, whether they are to be lost, and those that an
//! earlier run has left behind.

use egui::{Align, Id, Label, Layout, RichText, Ui, vec2};
use skinscope_session::{Command, FileCommand, RecoveryAnswer, SaveKind, UnsavedAnswer, UnsavedWork};

use super::dialogs::question;
use super::save_changes::differs;
use super::theme::{self, BODY, ROW, colors};
use super::widgets::{PathField, chip, counted, describe, quiet_text, section, text_button};
use super::{
    ChangedStatus, Notice, RecoveryOffer, SaveStage, SaveStatus, SaveSummary, Status, ThenCloses, UiState,
    UnsavedStatus, copied, icons, save_changes,
};

/// Width of the dialogs, points.
const WIDTH: f32 = 460.0;

/// The state of the dialog that saves.
#[derive(Debug, Default)]
pub(super) struct SaveDialog {
    target: PathField,
    /// The number of the notice that was shown last.
    notice: u64,
}

pub(super) fn show(ui: &Ui, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let Notice { number, text, is_warning } = &status.notice;
    if *number != state.saving.notice {
        state.saving.notice = *number;
        let tell = if *is_warning { copied::warn } else { copied::say };
        tell(ui, text.clone());
    }
    if status.saving.is_none() {
        state.saving.target.close();
    }
    let id = |name: &str| Id::unique(("saving", name));
    let is_writing = status.saving.as_ref().is_some_and(|saving| saving.stage == SaveStage::Writing);
    // A question before closing comes before everything but a file that is being written.
    let answer = if let Some(unsaved) = status.unsaved.as_ref().filter(|_| !is_writing) {
        let escape = FileCommand::AnswerUnsaved(UnsavedAnswer::Cancel);
        question(ui, id("leave"), Some(escape), |ui, entered| leave(ui, unsaved, entered))
    } else if let Some(offer) = &status.recovery {
        let escape = FileCommand::AnswerRecovery(RecoveryAnswer::Later);
        question(ui, id("recovery"), Some(escape), |ui, entered| recovery(ui, offer, entered))
    } else if let Some(saving) = &status.saving {
        let escape = (saving.stage != SaveStage::Writing).then_some(FileCommand::CloseFile);
        question(ui, id("save"), escape, |ui, entered| save(ui, saving, &mut state.saving, entered))
    } else if let Some(file) = &status.changed {
        let escape = FileCommand::AnswerChanged(false);
        question(ui, id("changed"), Some(escape), |ui, entered| changed(ui, file, entered))
    } else {
        None
    };
    commands.extend(answer.map(Command::from));
}

pub(super) fn title(ui: &mut Ui, text: &str) {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
    ui.add(Label::new(RichText::new(text).font(theme::strong(16.0))).wrap());
    ui.add_space(4.0);
}

pub(super) fn text(ui: &mut Ui, text: &str) {
    let dim = colors(ui).dim;
    ui.add(Label::new(RichText::new(text).color(dim)).wrap());
}

/// Returns what a button of a dialog does, by its name.
fn about_button(name: &str) -> &'static str {
    match name {
        "Cancel" => "Leave the dialog; nothing is done",
        "Close" => "Leave the dialog",
        "Discard" => "Go on without it; what is not saved is lost",
        "Restore" => "Go on with the edits of the earlier run",
        "Later" => "Leave them where they are, and ask again at the next start",
        "Keep mine" => "Leave what is open as it is",
        "Take it and carry my edits over" => "Read the changed file, and make the edits in it again",
        "Open" => "Open it in place of what is open",
        "Take its clips" => "Add its clips to the open model",
        "Compare" => "Show it and the open model as two sides of a comparison",
        "Solve" => "Solve the weights of the open model from it, as an example of how the surface should be",
        "Take the clips" => "Add the clips with this mapping of joints",
        "Save session…" => "Write all edits and the view into a session file",
        "Save as…" => "Write the model into another file",
        _ => "Do it with this file",
    }
}

/// Shows buttons at the right end; returns which was pressed. Enter presses the one that has the focus, and the first where none has.
pub(super) fn buttons(ui: &mut Ui, names: &[&str], entered: bool) -> Option<usize> {
    ui.add_space(12.0);
    let mut pressed = (entered && !names.is_empty()).then_some(0);
    let size = vec2(ui.available_width(), ROW + 2.0);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        for (i, name) in names.iter().enumerate() {
            let button = text_button(ui, None, name, i == 0);
            describe(&button, about_button(name));
            if button.clicked() || (entered && button.has_focus()) {
                pressed = Some(i);
            }
        }
    });
    pressed
}

fn save(ui: &mut Ui, saving: &SaveStatus, dialog: &mut SaveDialog, entered: bool) -> Option<FileCommand> {
    let in_place = saving.kind == SaveKind::InPlace;
    title(
        ui,
        &match saving.kind {
            SaveKind::InPlace => format!("Save {}", saving.name),
            SaveKind::As => format!("Save {} as", saving.name),
            SaveKind::Copy => format!("Save a copy of {}", saving.name),
        },
    );
    let mut wanted = None;
    if !in_place {
        dialog.target.follow(&saving.target);
        // The changes for a typed path are computed once the user is done with it.
        let asked = dialog.target.show(ui, "File to write", "folder/name.glb", saving.has_dialog);
        wanted = asked.filter(|command| *command == FileCommand::ChooseFile);
    }
    let target = if in_place { saving.target.clone() } else { dialog.target.path() };
    let (mut nothing, out) = (false, stays_out(saving));
    match &saving.stage {
        SaveStage::Planning => working(ui, "Working out what changes"),
        SaveStage::Writing => working(ui, "Writing"),
        SaveStage::Failed(failure) => {
            let c = colors(ui);
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(icons::ERROR).font(theme::icon(18.0)).color(c.red));
                ui.add(Label::new(RichText::new(&failure.why).color(c.text)).wrap().selectable(true));
            });
            ui.add_space(4.0);
            text(ui, "Nothing was written. The edits are still here.");
        }
        SaveStage::Ready(summary) => {
            nothing = !differs(summary);
            if nothing {
                text(ui, same(saving));
            }
            save_changes::show(ui, summary, saving.kind);
            wanted = recompression(ui, summary, saving.recompresses).or(wanted);
            wanted = hard_links(ui, summary, saving.keeps_links).or(wanted);
            wanted = saving.keeps_layers.and_then(|keeps| layers(ui, keeps)).or(wanted);
            no_part(ui, &out);
            if saving.lost_steps > 0 && saving.kind != SaveKind::Copy && !(nothing && in_place) {
                undo_ends(ui, saving.lost_steps);
            }
        }
    }
    let names: &[&str] = match (&saving.stage, in_place) {
        (SaveStage::Planning, _) => &["Cancel"],
        (SaveStage::Writing, _) => &[],
        (SaveStage::Ready(_), true) if nothing && !out.is_empty() => &["Save session…", "Close"],
        (SaveStage::Ready(_), true) if nothing => &["Close"],
        (SaveStage::Failed(failure), _) if !failure.other_file_helps => &["Save session…", "Cancel"],
        (SaveStage::Failed(_), true) => &["Save as…", "Save session…", "Cancel"],
        (SaveStage::Failed(_), false) => &["Save", "Save session…", "Cancel"],
        _ => &["Save", "Cancel"],
    };
    let entered = entered && saving.stage != SaveStage::Planning;
    let pressed = buttons(ui, names, entered).and_then(|i| names.get(i));
    let pressed = pressed.map(|name| match *name {
        "Save" => FileCommand::SaveTo(target),
        "Save as…" => FileCommand::Save(SaveKind::As),
        "Save session…" => FileCommand::AnswerUnsaved(UnsavedAnswer::SaveSession),
        _ => FileCommand::CloseFile,
    });
    wanted.or(pressed)
}

pub(super) fn working(ui: &mut Ui, what: &str) {
    let c = colors(ui);
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        ui.add(egui::Spinner::new().size(14.0).color(c.accent));
        ui.label(what);
    });
}

/// Returns what was made that the file will not have, and no other file has.
fn stays_out(saving: &SaveStatus) -> UnsavedWork {
    let work = saving.work.without_model();
    UnsavedWork { layers: if saving.keeps_layers == Some(true) { 0 } else { work.layers }, ..work }
}

/// Says that the file has all that saving would write, and why there may be unsaved work all the same.
fn same(saving: &SaveStatus) -> &'static str {
    match saving.kind {
        SaveKind::InPlace if saving.work.fits_model() => {
            "The file has these weights already, as exactly as it stores them: there is nothing to save in it."
        }
        SaveKind::InPlace if !stays_out(saving).is_empty() => {
            "The file has all that belongs in it: there is nothing to save in it. A session file keeps what is listed here."
        }
        SaveKind::InPlace => {
            "Nothing differs from what is in the file, and there is no new clip: there is nothing to save."
        }
        _ => "Nothing differs from what is in the file, and there is no new clip: the result is a copy, byte for byte.",
    }
}

/// Lists what was made that is no part of the file, and says what keeps it.
fn no_part(ui: &mut Ui, out: &UnsavedWork) {
    if out.is_empty() {
        return;
    }
    section(ui, "Not in the file", |_| {});
    out.words().iter().for_each(|words| text(ui, &format!("• {words}")));
    if out.is_less {
        text(ui, "• the open session file has something that was taken away since");
    }
    quiet_text(ui, "It stays until the model is closed; Save session, in the menu File, keeps it.");
}

/// Shows the choice of how data that was compressed by meshopt is stored, where it changes.
fn recompression(ui: &mut Ui, summary: &SaveSummary, is_on: bool) -> Option<FileCommand> {
    let concerns = summary.recompressed > 0 || summary.unpacked.iter().any(|(packing, _)| *packing == "meshopt");
    if !concerns {
        return None;
    }
    if summary.recompressed > 0 {
        let accessors = counted(summary.recompressed, "accessor is", "accessors are");
        text(ui, &format!("{accessors} compressed by meshopt again, without loss."));
    }
    let help = "Compress what meshopt had compressed again, in place of storing it plain";
    chip(ui, "Compress again by meshopt", is_on)
        .on_hover_text(help)
        .clicked()
        .then_some(FileCommand::Recompress(!is_on))
}

/// Shows which files have other names, and the choice of what becomes of those.
fn hard_links(ui: &mut Ui, summary: &SaveSummary, keeps: bool) -> Option<FileCommand> {
    if summary.links.is_empty() {
        return None;
    }
    ui.add_space(4.0);
    for (file, count) in &summary.links {
        let names = counted(*count as usize, "other name", "other names");
        let after = match (keeps, *count) {
            (true, 1) => "which gets the new contents too",
            (true, _) => "which get the new contents too",
            (false, 1) => "which keeps what is there now",
            (false, _) => "which keep what is there now",
        };
        let line = format!("{file} has {names} (hard links), {after}.");
        ui.add(Label::new(RichText::new(line).color(colors(ui).amber)).wrap());
    }
    let help = "Write into the file that all its names share, in place of putting another in its place";
    chip(ui, "Keep it one file", keeps).on_hover_text(help).clicked().then_some(FileCommand::KeepLinks(!keeps))
}

/// Says that steps cannot be taken back any more once the file is there, and what helps.
fn undo_ends(ui: &mut Ui, steps: usize) {
    ui.add_space(4.0);
    let cannot = counted(steps, "step of Undo ends", "steps of Undo end");
    let line = format!(
        "{cannot} here: the new skins and links become the file's own, and nothing up to them can be taken back any more. Save a copy keeps Undo."
    );
    ui.add(Label::new(RichText::new(line).color(colors(ui).amber)).wrap());
}

/// Shows the choice whether the file keeps the layers of weights.
fn layers(ui: &mut Ui, keeps: bool) -> Option<FileCommand> {
    ui.add_space(4.0);
    let help = "Keep the layers of weights in the extras of the file, beside the weights that they make together, so that they are there when it is opened again. Other programs pass over them";
    let response = chip(ui, "Keep layers in the file", keeps).on_hover_text(help);
    if keeps {
        text(
            ui,
            "The file has the layers beside the weights that they make, and they are there when it is opened again.",
        );
    } else {
        let out = "The file has the weights that the layers make, and not the layers: these are gone once the model is closed, unless a session file keeps them.";
        ui.add(Label::new(RichText::new(out).color(colors(ui).amber)).wrap());
    }
    response.clicked().then_some(FileCommand::KeepLayers(!keeps))
}

fn leave(ui: &mut Ui, unsaved: &UnsavedStatus, entered: bool) -> Option<FileCommand> {
    let then = match unsaved.then {
        ThenCloses::Window => "The window closes",
        ThenCloses::Model => "Another model is opened",
        ThenCloses::OneOfTwo => "It is closed",
    };
    let UnsavedStatus { work, .. } = unsaved;
    let mut answers = vec![(UnsavedAnswer::Discard, "Discard"), (UnsavedAnswer::Cancel, "Cancel")];
    if unsaved.is_session {
        title(ui, &format!("Save the session {}?", unsaved.name));
        text(ui, &format!("It has changed since it was saved. {then}, and what is not saved is lost."));
        answers.insert(0, (UnsavedAnswer::Save, "Save"));
    } else {
        title(ui, &format!("Save the {} of {}?", kind(work), unsaved.name));
        text(ui, &format!("{then}, and what is not saved is lost."));
        if unsaved.has_file {
            answers.insert(0, (UnsavedAnswer::SaveSession, "Save session…"));
        }
        if work.fits_model() || unsaved.keeps_layers && work.layers > 0 {
            answers.insert(0, (UnsavedAnswer::Save, "Save…"));
        }
    }
    made(ui, work);
    let names: Vec<&str> = answers.iter().map(|(_, name)| *name).collect();
    // Enter never discards.
    let entered = entered && answers[0].0 != UnsavedAnswer::Discard;
    let pressed = buttons(ui, &names, entered);
    pressed.and_then(|i| answers.get(i)).map(|(answer, _)| FileCommand::AnswerUnsaved(*answer))
}

/// Returns the kind of work in a word or two.
fn kind(work: &UnsavedWork) -> &'static str {
    match (work.vertices, work.binds, work.clips, work.without_model().is_empty()) {
        _ if work.bindings + work.shapes > 0 => "edits",
        (1.., 0, 0, true) => "weights",
        (0, 0, 1, true) => "new clip",
        (0, 0, 2.., true) => "new clips",
        (1.., 0, 1.., true) => "weights and new clips",
        (0, 1.., 0, true) => "bind matrices",
        (0, 0, 0, false) if work.posed > 0 && work.words().len() == 1 => "pose",
        (0, 0, 0, false) if work.layers > 0 && work.words().len() == 1 => "layers",
        (0, 0, 0, false) => "work",
        _ => "edits",
    }
}

/// Lists the work that is in no file.
fn made(ui: &mut Ui, work: &UnsavedWork) {
    let words = work.words();
    if !words.is_empty() {
        ui.add_space(6.0);
        words.iter().for_each(|words| text(ui, &format!("• {words}")));
    }
}

fn changed(ui: &mut Ui, changed: &ChangedStatus, entered: bool) -> Option<FileCommand> {
    title(ui, &format!("{} has changed", changed.name));
    text(
        ui,
        "Another program has written the file. Taken, your edits follow their vertices and joints; what has no place in it any more is set aside and not lost. Kept, what is open stays as it is, and Reload (Ctrl+R) takes the file later.",
    );
    made(ui, &changed.work);
    if changed.is_trying {
        text(ui, "• a tool that is not applied yet, whose preview ends when the file is taken");
    }
    let pressed = buttons(ui, &["Take it and carry my edits over", "Keep mine"], entered);
    pressed.map(|i| FileCommand::AnswerChanged(i == 0))
}

fn recovery(ui: &mut Ui, offer: &RecoveryOffer, entered: bool) -> Option<FileCommand> {
    title(ui, &format!("Restore the edits of {}?", offer.name));
    let what: Vec<String> = [
        (offer.vertices, "the weights of ", "vertex", "vertices"),
        (offer.clips, "", "new clip", "new clips"),
        (offer.binds, "the bind matrices of ", "joint", "joints"),
        (offer.bindings, "the skin of ", "mesh", "meshes"),
        (offer.shapes, "the morph targets of ", "mesh", "meshes"),
        (offer.placed, "", "placed joint", "placed joints"),
        (offer.posed, "the pose of ", "node or morph target", "nodes and morph targets"),
        (offer.controls, "", "slider or control", "sliders and controls"),
        (offer.ruled, "limits, pins or pairs of ", "joint", "joints"),
        (offer.marks, "", "marked vertex", "marked vertices"),
        (offer.names, "", "joint of clips with a counterpart", "joints of clips with counterparts"),
        (offer.set_aside, "", "thing that was set aside", "things that were set aside"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, of, one, many)| of.to_owned() + &counted(count, one, many))
    .collect();
    let line =
        format!("Skinscope ended without saving them. Written down {}: {}.", ago(offer.age_secs), what.join(", "));
    text(ui, &line);
    if let Some(file) = &offer.file {
        ui.add_space(4.0);
        ui.add(
            Label::new(RichText::new(file).font(theme::regular(BODY)).color(colors(ui).text)).wrap().selectable(true),
        );
    }
    let answers = [RecoveryAnswer::Restore, RecoveryAnswer::Later, RecoveryAnswer::Discard];
    let pressed = buttons(ui, &["Restore", "Later", "Discard"], entered);
    pressed.and_then(|i| answers.get(i)).map(|answer| FileCommand::AnswerRecovery(*answer))
}

fn ago(secs: u64) -> String {
    let (minutes, hours, days) = (secs / 60, secs / 3600, secs / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => "less than a minute ago".to_owned(),
        (0, 0, minutes) => format!("{} ago", counted(minutes as usize, "minute", "minutes")),
        (0, hours, _) => format!("{} ago", counted(hours as usize, "hour", "hours")),
        (days, ..) => format!("{} ago", counted(days as usize, "day", "days")),
    }
}
