//! The dialogs that ask for a pose file: to write the pose that is shown into, or to show the pose of one, after saying
//! what of it fits the open model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Align, Id, Key, Label, Layout, Margin, Modal, Modifiers, Popup, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::saving::{buttons, text, title, working};
use super::theme::{self, ROW, colors};
use super::widgets::{chip, counted, figure, section, text_button};
use super::{Status, UiState, copied, icons};
use crate::pose::Resolved;
use crate::session::{Command, EditCommand, FileCommand, PoseFileUse};

/// A pose file that is about to be written or whose pose is about to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseFileStatus {
    /// What it is wanted for.
    pub usage: PoseFileUse,
    /// The file, as far as it is known; the user can name another.
    pub path: PathBuf,
    /// Whether the system has a dialog that asks for a file.
    pub has_dialog: bool,
    /// Pose files beside the open model, to choose from.
    pub offered: Vec<PathBuf>,
    /// What is known of the file.
    pub stage: PoseFileStage,
}

/// What is known of a pose file.
#[derive(Clone, Debug, PartialEq)]
pub enum PoseFileStage {
    /// No file is named yet.
    Unnamed,
    /// The file can be written; `replaces`: there is one of this name.
    Writable {
        /// Whether there is one of this name.
        replaces: bool,
    },
    /// The file is being read or written.
    Working,
    /// The file was read.
    Read(PoseReport),
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

/// What the user has typed into the dialog.
#[derive(Debug, Default)]
pub(super) struct PoseDialog {
    /// The file that the application named last.
    named: PathBuf,
    typed: String,
    /// Whether the dialog was shown in the last frame.
    open: bool,
}

/// The most keys without a counterpart that are listed.
const MOST_LISTED: usize = 200;

pub(super) fn show(ui: &Ui, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let dialog = &mut state.pose_files;
    let Some(asked) = &status.pose_file else {
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
    let modal = Modal::new(Id::unique("pose file")).frame(egui::Frame::window(ui.style()));
    modal.show(ui.ctx(), |ui| contents(ui, asked, dialog, entered, commands));
    if escaped {
        commands.push(FileCommand::ClosePose.into());
    }
}

fn contents(ui: &mut Ui, asked: &PoseFileStatus, dialog: &mut PoseDialog, entered: bool, commands: &mut Vec<Command>) {
    let saves = asked.usage == PoseFileUse::Save;
    title(ui, if saves { "Save pose" } else { "Load pose" });
    ui.horizontal(|ui| {
        let browse = if asked.has_dialog { 112.0 } else { 0.0 };
        let field = TextEdit::singleline(&mut dialog.typed)
            .margin(Margin::symmetric(8, 5))
            .hint_text(RichText::new("folder/name.pose.json").color(colors(ui).dim))
            .desired_width(ui.available_width() - browse);
        let response = ui.add(field).accessible_name("Pose file");
        if response.changed() {
            commands.push(FileCommand::NamePoseFile(PathBuf::from(dialog.typed.trim())).into());
        }
        if asked.has_dialog && text_button(ui, Some(icons::FOLDER), "Browse…", false).clicked() {
            commands.push(FileCommand::ChoosePoseFile.into());
        }
    });
    ui.add_space(4.0);
    offered(ui, asked, commands);
    match &asked.stage {
        PoseFileStage::Unnamed if saves => text(ui, "Name the file that is written."),
        PoseFileStage::Unnamed => text(ui, "Name a pose file, NAME.pose.json."),
        PoseFileStage::Writable { replaces: false } => {
            text(ui, "All that differs from rest is written: joints, other nodes and morph targets.");
        }
        PoseFileStage::Writable { replaces: true } => {
            let amber = colors(ui).amber;
            let line = "There is a file of this name. It will be replaced.";
            ui.add(Label::new(RichText::new(line).color(amber)).wrap());
        }
        PoseFileStage::Working => working(ui, if saves { "Writing" } else { "Reading" }),
        PoseFileStage::Read(report) => read(ui, report, commands),
        PoseFileStage::Failed(why) => {
            let c = colors(ui);
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(icons::ERROR).font(theme::icon(18.0)).color(c.red));
                ui.add(Label::new(RichText::new(why).color(c.text)).wrap().selectable(true));
            });
        }
    }
    let can = match &asked.stage {
        PoseFileStage::Writable { .. } => saves,
        PoseFileStage::Read(report) => !saves && (!report.pose.nodes.is_empty() || !report.pose.morphs.is_empty()),
        PoseFileStage::Failed(_) => saves,
        PoseFileStage::Unnamed | PoseFileStage::Working => false,
    };
    let names: &[&str] = match (can, saves) {
        (false, _) => &["Cancel"],
        (true, true) => &["Save", "Cancel"],
        (true, false) => &["Load", "Cancel"],
    };
    // Enter never gives the dialog up.
    match buttons(ui, names, entered && can).and_then(|i| names.get(i)) {
        Some(&"Save") => commands.push(FileCommand::SavePoseTo(PathBuf::from(dialog.typed.trim())).into()),
        Some(&"Load") => {
            if let PoseFileStage::Read(report) = &asked.stage {
                commands.push(EditCommand::SetPose(Arc::clone(&report.pose)).into());
                commands.push(FileCommand::ClosePose.into());
                copied::say(ui, format!("Loaded {}", report.name));
            }
        }
        Some(_) => commands.push(FileCommand::ClosePose.into()),
        None => {}
    }
}

/// Lists the pose files beside the model.
fn offered(ui: &mut Ui, asked: &PoseFileStatus, commands: &mut Vec<Command>) {
    if asked.usage == PoseFileUse::Save || asked.offered.is_empty() {
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
                commands.push(FileCommand::NamePoseFile(path.clone()).into());
            }
        }
    });
    ui.add_space(4.0);
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
