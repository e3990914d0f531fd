//! The dialogs that ask for a pose file or a session file: to write what is shown into, or to show what one has, after saying
//! what that is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Align, Id, Key, Label, Layout, Margin, Modal, Modifiers, Popup, RichText, ScrollArea, TextEdit, Ui, vec2};
use skinscope_anim::pose::Resolved;
use skinscope_session::{Command, EditCommand, FileCommand, FileUse, SessionFile};

use super::saving::{buttons, text, title, working};
use super::theme::{self, ROW, colors};
use super::widgets::{chip, counted, figure, grouped, section, text_button};
use super::{Status, UiState, copied, icons};

/// A pose or session file that is about to be written or shown.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedFile {
    /// What it is wanted for.
    pub usage: FileUse,
    /// The file, as far as it is known; the user can name another.
    pub path: PathBuf,
    /// Whether the system has a dialog that asks for a file.
    pub has_dialog: bool,
    /// Files of its kind beside the open model, to choose from.
    pub offered: Vec<PathBuf>,
    /// What is known of the file.
    pub stage: AskedStage,
}

/// What is known of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedStage {
    /// No file is named yet.
    Unnamed,
    /// The file can be written; `replaces`: there is one of this name.
    Writable {
        /// Whether there is one of this name.
        replaces: bool,
    },
    /// The file is being read or written.
    Working,
    /// The pose file was read.
    Pose(PoseReport),
    /// The session file was read.
    Session(SessionReport),
    /// It cannot be read or written, and why.
    Failed(String),
}

/// What is in a pose file, as the open model takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseReport {
    /// The name of the pose.
    pub name: String,
    /// The name of the model that it was made on.
    pub model: String,
    /// The channels that the open model takes, and the keys that have no counterpart.
    pub pose: Arc<Resolved>,
    /// The file of the model that it was made on, where that is another one that was found beside the pose or the open
    /// model.
    pub made_on: Option<PathBuf>,
    /// Whether the pose is corrected for the rest pose of that model.
    pub is_corrected: bool,
}

/// What is in a session file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionReport {
    /// The name of its model.
    pub model: String,
    /// The names of files of the model that have changed since, or are not there any more.
    pub changed: Vec<String>,
    /// What it keeps.
    pub file: Arc<SessionFile>,
}

/// What the user has typed into the dialog.
#[derive(Debug, Default)]
pub(super) struct FileDialog {
    /// The file that the application named last.
    named: PathBuf,
    typed: String,
    /// Whether the dialog was shown in the last frame.
    open: bool,
}

/// The most keys without a counterpart that are listed.
const MOST_LISTED: usize = 200;

pub(super) fn show(ui: &Ui, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let dialog = &mut state.asked_file;
    let Some(asked) = &status.asked_file else {
        dialog.open = false;
        return;
    };
    let opens = !std::mem::replace(&mut dialog.open, true);
    if opens || dialog.named != asked.path {
        dialog.named.clone_from(&asked.path);
        // What the user has typed comes back as the path that it is.
        if opens || Path::new(dialog.typed.trim()) != asked.path {
            dialog.typed = asked.path.display().to_string();
        }
    }
    let key = |key| !Popup::is_any_open(ui.ctx()) && ui.ctx().input_mut(|i| i.consume_key(Modifiers::NONE, key));
    let (escaped, entered) = (key(Key::Escape), key(Key::Enter));
    let modal = Modal::new(Id::unique("asked file")).frame(egui::Frame::window(ui.style()));
    modal.show(ui.ctx(), |ui| contents(ui, asked, dialog, entered, commands));
    if escaped {
        commands.push(FileCommand::CloseFile.into());
    }
}

fn contents(ui: &mut Ui, asked: &AskedFile, dialog: &mut FileDialog, entered: bool, commands: &mut Vec<Command>) {
    let saves = asked.usage.writes();
    let (heading, hint, name) = words(asked.usage);
    title(ui, heading);
    ui.horizontal(|ui| {
        let browse = if asked.has_dialog { 112.0 } else { 0.0 };
        let field = TextEdit::singleline(&mut dialog.typed)
            .margin(Margin::symmetric(8, 5))
            .hint_text(RichText::new(hint).color(colors(ui).dim))
            .desired_width(ui.available_width() - browse);
        let response = ui.add(field).accessible_name(name);
        if response.changed() {
            commands.push(FileCommand::NameFile(PathBuf::from(dialog.typed.trim())).into());
        }
        if asked.has_dialog && text_button(ui, Some(icons::FOLDER), "Browse…", false).clicked() {
            commands.push(FileCommand::ChooseFile.into());
        }
    });
    ui.add_space(4.0);
    offered(ui, asked, commands);
    match &asked.stage {
        AskedStage::Unnamed if saves => text(ui, "Name the file that is written."),
        AskedStage::Unnamed if asked.usage == FileUse::OpenSession => {
            text(ui, "Name a session file, NAME.skinscope.json.");
        }
        AskedStage::Unnamed => text(ui, "Name a pose file, NAME.pose.json."),
        AskedStage::Writable { replaces: false } if asked.usage == FileUse::SaveSession => {
            let what =
                "Edits of weights and pose, new clips, controls, limits, pins, pairs, camera and view are written.";
            text(ui, &format!("{what} The model stays as it is."));
        }
        AskedStage::Writable { replaces: false } => {
            text(ui, "All that differs from rest is written: joints, other nodes and morph targets.");
        }
        AskedStage::Writable { replaces: true } => {
            let amber = colors(ui).amber;
            let line = "There is a file of this name. It will be replaced.";
            ui.add(Label::new(RichText::new(line).color(amber)).wrap());
        }
        AskedStage::Working => working(ui, if saves { "Writing" } else { "Reading" }),
        AskedStage::Pose(report) => read(ui, report, commands),
        AskedStage::Session(report) => session(ui, report),
        AskedStage::Failed(why) => {
            let c = colors(ui);
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(icons::ERROR).font(theme::icon(18.0)).color(c.red));
                ui.add(Label::new(RichText::new(why).color(c.text)).wrap().selectable(true));
            });
        }
    }
    let can = match &asked.stage {
        AskedStage::Writable { .. } => saves,
        AskedStage::Session(_) => !saves,
        AskedStage::Pose(report) => !saves && (!report.pose.nodes.is_empty() || !report.pose.morphs.is_empty()),
        AskedStage::Failed(_) => saves,
        AskedStage::Unnamed | AskedStage::Working => false,
    };
    let names: &[&str] = match (can, asked.usage) {
        (false, _) => &["Cancel"],
        (true, FileUse::SavePose | FileUse::SaveSession) => &["Save", "Cancel"],
        (true, FileUse::LoadPose) => &["Load", "Cancel"],
        (true, FileUse::OpenSession) => &["Open", "Cancel"],
    };
    // Enter never gives the dialog up.
    match buttons(ui, names, entered && can).and_then(|i| names.get(i)) {
        Some(&"Save") => commands.push(FileCommand::WriteFile(PathBuf::from(dialog.typed.trim())).into()),
        Some(&"Load") => {
            if let AskedStage::Pose(report) = &asked.stage {
                commands.push(EditCommand::SetPose(Arc::clone(&report.pose)).into());
                commands.push(FileCommand::CloseFile.into());
                let left = report.pose.unmatched.len();
                match left {
                    0 => copied::say(ui, format!("Loaded {}", report.name)),
                    _ => copied::warn(
                        ui,
                        format!(
                            "Loaded {} without {}",
                            report.name,
                            counted(left, "name that the model lacks", "names that the model lacks")
                        ),
                    ),
                }
            }
        }
        Some(&"Open") => {
            commands.push(FileCommand::CloseFile.into());
            commands.push(FileCommand::OpenSession(asked.path.clone()).into());
        }
        Some(_) => commands.push(FileCommand::CloseFile.into()),
        None => {}
    }
}

/// The title of the dialog, what the field says while it is empty, and its name.
fn words(usage: FileUse) -> (&'static str, &'static str, &'static str) {
    match usage {
        FileUse::SavePose => ("Save pose", "folder/name.pose.json", "Pose file"),
        FileUse::LoadPose => ("Load pose", "folder/name.pose.json", "Pose file"),
        FileUse::SaveSession => ("Save session", "folder/name.skinscope.json", "Session file"),
        FileUse::OpenSession => ("Open session", "folder/name.skinscope.json", "Session file"),
    }
}

/// Lists the files beside the model.
fn offered(ui: &mut Ui, asked: &AskedFile, commands: &mut Vec<Command>) {
    if asked.offered.is_empty() {
        return;
    }
    section(ui, "Beside the model", |_| {});
    ScrollArea::vertical().id_salt("offered").max_height(5.0 * ROW).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for path in &asked.offered {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let chosen = *path == asked.path;
            let size = vec2(ui.available_width(), ROW);
            let row = ui
                .allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                    ui.selectable_label(chosen, name)
                })
                .inner;
            if row.clicked() && !chosen {
                commands.push(FileCommand::NameFile(path.clone()).into());
            }
        }
    });
    ui.add_space(4.0);
}

/// Says what is in a session file.
fn session(ui: &mut Ui, report: &SessionReport) {
    section(ui, "What it keeps", |_| {});
    figure(ui, "Model", &report.model);
    let kept = report.file.contents();
    for (label, count) in [
        ("Vertices with edited weights", kept.vertices),
        ("New clips", kept.clips),
        ("Edited inverse bind matrices", kept.binds),
        ("Nodes and morph targets of the pose", kept.posed),
        ("Sliders and controls", kept.controls),
        ("Limits", kept.limits),
        ("Pins", kept.pins),
        ("Held joints", kept.held),
        ("Changed pairs", kept.pairs),
        ("Hidden nodes", kept.hidden),
        ("Set aside", kept.set_aside),
    ] {
        if count > 0 {
            figure(ui, label, &grouped(count));
        }
    }
    if !report.changed.is_empty() {
        ui.add_space(4.0);
        let files = report.changed.iter().take(MOST_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let line =
            format!("Changed since it was saved, or not there any more: {files}. What still fits will be taken.");
        ui.add(Label::new(RichText::new(line).color(colors(ui).amber)).wrap());
    }
}

/// Says what of a pose fits.
fn read(ui: &mut Ui, report: &PoseReport, commands: &mut Vec<Command>) {
    let c = colors(ui);
    section(ui, "What fits this model", |_| {});
    let Resolved { nodes, morphs, unmatched } = &*report.pose;
    figure(ui, "Joints and other nodes", &nodes.len().to_string());
    figure(ui, "Morph targets", &morphs.len().to_string());
    if !report.model.is_empty() {
        figure(ui, "Made on", &report.model);
    }
    if nodes.is_empty() && morphs.is_empty() && unmatched.is_empty() {
        ui.add_space(4.0);
        text(ui, "It is the rest pose: nothing in it differs from rest.");
    }
    if !unmatched.is_empty() {
        ui.add_space(4.0);
        let line = counted(unmatched.len(), "name has no counterpart here:", "names have no counterpart here:");
        ui.label(RichText::new(line).color(c.amber));
        ScrollArea::vertical().id_salt("unmatched").max_height(4.0 * ROW).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let mut list = unmatched.iter().take(MOST_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
            if unmatched.len() > MOST_LISTED {
                list += ", …";
            }
            ui.add(Label::new(RichText::new(list).color(c.text)).wrap().selectable(true));
        });
    }
    if let Some(path) = &report.made_on {
        ui.add_space(6.0);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let label = format!("Correct for the rest pose of {name}");
        let help =
            "Where joints have other axes, or arms rest elsewhere, turn them so that the pose looks as on that model";
        if chip(ui, &label, report.is_corrected).on_hover_text(help).clicked() {
            commands.push(FileCommand::CorrectPose(!report.is_corrected).into());
        }
    }
}
