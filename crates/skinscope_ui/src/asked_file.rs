//! The dialog that asks for a file: a pose, a session or an export that is to be written, or a pose or session file
//! whose contents it lists before they are shown.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Align, Id, Label, Layout, RichText, ScrollArea, Ui, vec2};
use skinscope_anim::pose::Resolved;
use skinscope_edit::PlacedJoint;
use skinscope_session::{
    Command, EditCommand, ExportKind, ExportSettings, FileCommand, FileUse, PlaceCommand, Session, SessionFile,
    ShapeCommand, ShapeSettings, Source,
};

use super::dialogs::question;
use super::saving::{buttons, text, title, working};
use super::theme::{ROW, colors};
use super::widgets::{PathField, chip, counted, error_line, figure, grouped, section};
use super::{Status, UiState, copied, exports};

/// A file that is about to be written or shown.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedFile {
    /// The use of the file: which kind it is of, and whether it is written or read.
    pub usage: FileUse,
    /// The file, as far as it is known; the user can name another.
    pub path: PathBuf,
    /// Whether the system has a dialog that asks for a file.
    pub has_dialog: bool,
    /// Files of its kind in the folder of the open model, to choose from.
    pub offered: Vec<PathBuf>,
    /// What is known of the file.
    pub stage: AskedStage,
}

/// What is known of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedStage {
    /// No file is named yet.
    Unnamed,
    /// The file cannot be written under this name; the text says why.
    Unfit(String),
    /// The file can be written.
    Writable {
        /// Whether a file of this name exists, which would be replaced.
        replaces: bool,
    },
    /// The file is being read or written.
    Working,
    /// The pose file was read.
    Pose(PoseReport),
    /// The session file was read.
    Session(SessionReport),
    /// The file of placed joints was read.
    Placed(Arc<Vec<PlacedJoint>>),
    /// The mesh was read: where its vertices are.
    Sculpt(Arc<Vec<[f64; 3]>>),
    /// The file cannot be read or written; the text says why.
    Failed(String),
}

/// The contents of a pose file, matched with the joints of the open model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseReport {
    /// The name of the pose.
    pub name: String,
    /// The name of the model that it was made on.
    pub model: String,
    /// The channels that the open model takes, and the keys that have no counterpart.
    pub pose: Arc<Resolved>,
    /// The model that the pose was made on, where that is another one: the built-in character, or a file that was found in the
    /// folder of the pose or of the open model.
    pub made_on: Option<Source>,
    /// Whether the pose is corrected for the rest pose of that model.
    pub is_corrected: bool,
}

/// The contents of a session file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionReport {
    /// The name of its model.
    pub model: String,
    /// The names of files of the model that have changed since, or are not there any more.
    pub changed: Vec<String>,
    /// The session file as read.
    pub file: Arc<SessionFile>,
}

/// What the user has entered in the dialog.
#[derive(Debug, Default)]
pub(super) struct FileDialog {
    field: PathField,
    /// The settings of pictures and films, remembered for the next export.
    settings: ExportSettings,
}

/// The most keys without a counterpart that are listed.
const MOST_LISTED: usize = 200;

pub(super) fn show(ui: &Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let dialog = &mut state.asked_file;
    let Some(asked) = &status.asked_file else {
        dialog.field.close();
        return;
    };
    if dialog.field.follow(&asked.path) {
        exports::begin(session, &mut dialog.settings);
    }
    let left = question(ui, Id::unique("asked file"), Some(FileCommand::CloseFile), |ui, entered| {
        contents(ui, session, asked, dialog, entered, commands);
        None
    });
    commands.extend(left.map(Command::from));
}

fn contents(
    ui: &mut Ui,
    session: &Session,
    asked: &AskedFile,
    dialog: &mut FileDialog,
    entered: bool,
    commands: &mut Vec<Command>,
) {
    let words = Words::of(asked.usage);
    title(ui, words.title);
    commands.extend(dialog.field.show(ui, words.field, words.hint, asked.has_dialog).map(Command::from));
    offered(ui, asked, commands);
    show_stage(ui, asked, commands);
    let fits = match asked.usage {
        FileUse::Export(kind) => exports::show(ui, session, kind, &mut dialog.settings),
        _ => true,
    };
    let can = fits && can_go_on(asked);
    let names: &[&str] = if can { &[words.verb, "Cancel"] } else { &["Cancel"] };
    // Enter never gives the dialog up.
    match buttons(ui, names, entered && can) {
        Some(0) if can => go_on(ui, asked, (dialog, &session.tools().shape_settings), commands),
        Some(_) => commands.push(FileCommand::CloseFile.into()),
        None => {}
    }
}

/// Shows what is known of the file.
fn show_stage(ui: &mut Ui, asked: &AskedFile, commands: &mut Vec<Command>) {
    match &asked.stage {
        AskedStage::Unnamed => text(ui, Words::of(asked.usage).unnamed),
        AskedStage::Unfit(why) => {
            let red = colors(ui).red;
            ui.add(Label::new(RichText::new(why).color(red)).wrap());
        }
        AskedStage::Writable { replaces: false } => text(ui, Words::of(asked.usage).writes),
        AskedStage::Writable { replaces: true } => {
            let amber = colors(ui).amber;
            let line = "There is a file of this name. It will be replaced.";
            ui.add(Label::new(RichText::new(line).color(amber)).wrap());
        }
        AskedStage::Working => working(ui, if asked.usage.writes() { "Writing" } else { "Reading" }),
        AskedStage::Pose(report) => read(ui, report, commands),
        AskedStage::Session(report) => show_session(ui, report),
        AskedStage::Placed(joints) => text(ui, &format!("It has {}.", counted(joints.len(), "joint", "joints"))),
        AskedStage::Sculpt(points) => text(ui, &format!("It has {}.", counted(points.len(), "vertex", "vertices"))),
        AskedStage::Failed(why) => {
            ui.horizontal_top(|ui| error_line(ui, why));
        }
    }
}

/// Returns whether the file can be written or shown.
fn can_go_on(asked: &AskedFile) -> bool {
    let saves = asked.usage.writes();
    match &asked.stage {
        AskedStage::Writable { .. } | AskedStage::Failed(_) => saves,
        AskedStage::Session(_) | AskedStage::Placed(_) | AskedStage::Sculpt(_) => !saves,
        AskedStage::Pose(report) => !saves && (!report.pose.nodes.is_empty() || !report.pose.morphs.is_empty()),
        AskedStage::Unfit(_) | AskedStage::Unnamed | AskedStage::Working => false,
    }
}

/// Does what the file was asked for.
fn go_on(ui: &Ui, asked: &AskedFile, (dialog, shape): (&FileDialog, &ShapeSettings), commands: &mut Vec<Command>) {
    let path = dialog.field.path();
    match (asked.usage, &asked.stage) {
        (FileUse::SavePose | FileUse::SaveSession | FileUse::SaveStrokes | FileUse::SavePlaced, _) => {
            commands.push(FileCommand::WriteFile(path).into());
        }
        (FileUse::Export(_), _) => {
            commands.push(FileCommand::ExportTo(path, Box::new(dialog.settings.clone())).into());
        }
        (FileUse::OpenSession, _) => {
            commands.push(FileCommand::CloseFile.into());
            commands.push(FileCommand::OpenSession(asked.path.clone()).into());
        }
        (FileUse::LoadPose, AskedStage::Pose(report)) => {
            commands.push(EditCommand::SetPose(Arc::clone(&report.pose)).into());
            commands.push(FileCommand::CloseFile.into());
            match report.pose.unmatched.len() {
                0 => copied::say(ui, format!("Loaded {}", report.name)),
                left => {
                    let left = counted(left, "name that the model lacks", "names that the model lacks");
                    copied::warn(ui, format!("Loaded {} without {left}", report.name));
                }
            }
        }
        (FileUse::LoadPlaced, AskedStage::Placed(joints)) => {
            commands.push(PlaceCommand::Replace(Arc::clone(joints)).into());
            commands.push(FileCommand::CloseFile.into());
        }
        (FileUse::LoadSculpt, AskedStage::Sculpt(points)) => {
            let command = ShapeCommand::OfMesh(shape.clone(), Arc::clone(points));
            commands.push(EditCommand::Shape(command).into());
            commands.push(FileCommand::CloseFile.into());
        }
        (FileUse::LoadPose | FileUse::LoadPlaced | FileUse::LoadSculpt, _) => {}
    }
}

/// The texts of the dialog for one use of a file.
struct Words {
    title: &'static str,
    /// The button that goes on.
    verb: &'static str,
    /// The name of the field for the path, and its hint while it is empty.
    field: &'static str,
    hint: &'static str,
    /// The text that is shown while no file is named.
    unnamed: &'static str,
    /// The text that says what is written.
    writes: &'static str,
}

impl Words {
    fn of(usage: FileUse) -> Self {
        const WRITTEN: &str = "Name the file that is written.";
        const POSE: (&str, &str) = ("Pose file", "folder/name.pose.json");
        const JOINTS: (&str, &str) = ("File of joints", "folder/name.skeleton.json");
        const SESSION: (&str, &str) = ("Session file", "folder/name.skinscope.json");
        let (title, verb, (field, hint), unnamed, writes) = match usage {
            FileUse::SavePose => {
                let writes = "All that differs from rest is written: joints, other nodes and morph targets.";
                ("Save pose", "Save", POSE, WRITTEN, writes)
            }
            FileUse::LoadPose => ("Load pose", "Load", POSE, "Name a pose file, NAME.pose.json.", ""),
            FileUse::SaveSession => {
                let writes = "Edits of weights and pose, new clips, controls, limits, pins, pairs, camera and view are written. The model stays as it is.";
                ("Save session", "Save", SESSION, WRITTEN, writes)
            }
            FileUse::OpenSession => ("Open session", "Open", SESSION, "Name a session file, NAME.skinscope.json.", ""),
            FileUse::SaveStrokes => {
                let writes = "The strokes that were painted are written, without those that were undone, and the poses that they name beside them. skinscope paint gives the same weights by them.";
                ("Save strokes", "Save", ("Strokes file", "folder/name.strokes.json"), WRITTEN, writes)
            }
            FileUse::SavePlaced => {
                let writes =
                    "The joints are written with their places and parents. skinscope bind --skeleton binds to them.";
                ("Save joints", "Save", JOINTS, WRITTEN, writes)
            }
            FileUse::LoadPlaced => ("Load joints", "Load", JOINTS, "Name a file of joints, NAME.skeleton.json.", ""),
            FileUse::LoadSculpt => (
                "Shape from a mesh",
                "Make shape",
                ("Mesh", "folder/name.ply"),
                "Name a mesh, NAME.ply, NAME.obj or NAME.glb, that has the surface as it should be in the pose that is shown.",
                "",
            ),
            FileUse::Export(kind) => {
                let (title, verb, hint) = match kind {
                    ExportKind::Picture => ("Save picture", "Save", "folder/name.png"),
                    ExportKind::Mesh => ("Export posed mesh", "Export", "folder/name.glb"),
                    ExportKind::Film => ("Record a film", "Record", "folder/name.webp"),
                };
                (title, verb, ("File to write", hint), WRITTEN, exports::about(kind))
            }
        };
        Self { title, verb, field, hint, unnamed, writes }
    }
}

/// Lists the files in the folder of the model.
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

/// Lists the contents of a session file.
fn show_session(ui: &mut Ui, report: &SessionReport) {
    section(ui, "What it keeps", |_| {});
    figure(ui, "Model", &report.model);
    let contents = report.file.contents();
    for (label, count) in [
        ("Vertices with edited weights", contents.vertices),
        ("New clips", contents.clips),
        ("Edited inverse bind matrices", contents.binds),
        ("Meshes with new skins", contents.bindings),
        ("Meshes with other morph targets", contents.shapes),
        ("Nodes and morph targets of the pose", contents.posed),
        ("Sliders and controls", contents.controls),
        ("Limits", contents.limits),
        ("Pins", contents.pins),
        ("Held joints", contents.held),
        ("Changed pairs", contents.pairs),
        ("Hidden nodes", contents.hidden),
        ("Set aside", contents.set_aside),
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

/// The tooltip of the switch that corrects a pose for the rest pose of the model that it was made on.
pub(super) const CORRECTED: &str =
    "Where joints have other axes and lengths, or arms rest elsewhere, let the pose look as on that model";

/// Shows how much of a pose the open model has joints for.
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
    if let Some(made_on) = &report.made_on {
        ui.add_space(6.0);
        let label = format!("Correct for the rest pose of {}", made_on.name());
        if chip(ui, &label, report.is_corrected).on_hover_text(CORRECTED).clicked() {
            commands.push(FileCommand::CorrectPose(!report.is_corrected).into());
        }
    }
}
