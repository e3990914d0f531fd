//! The dialogs that ask for the file of a picture, of the posed mesh or of a film, and how it is to be made.

use std::path::{Path, PathBuf};

use egui::{DragValue, Id, Key, Label, Margin, Modal, Modifiers, Popup, RichText, TextEdit, Ui, WidgetInfo};
use skinscope_session::{Command, ExportKind, ExportSettings, FileCommand, Session};

use super::saving::{buttons, text, title};
use super::theme::colors;
use super::widgets::{chip, segments, text_button};
use super::{Status, UiState, icons};

/// A file that is about to be exported.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportStatus {
    /// What is exported.
    pub kind: ExportKind,
    /// The file, as far as it is known; the user can name another.
    pub path: PathBuf,
    /// Whether the system has a dialog that asks for a file.
    pub has_dialog: bool,
    /// What is known of the file.
    pub stage: ExportStage,
}

/// What is known of a file that is about to be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportStage {
    /// It can be written; `replaces`: there is one of this name.
    Writable {
        /// Whether there is one of this name.
        replaces: bool,
    },
    /// It cannot be written, and why.
    Unfit(String),
}

/// What the user has chosen in the dialogs; it is kept for the next time.
#[derive(Debug, Default)]
pub(super) struct ExportDialog {
    /// The file that the application named last.
    named: PathBuf,
    typed: String,
    /// Whether a dialog was shown in the last frame.
    open: bool,
    settings: ExportSettings,
}

pub(super) fn show(ui: &Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let dialog = &mut state.exports;
    let Some(asked) = &status.export else {
        dialog.open = false;
        return;
    };
    let opens = !std::mem::replace(&mut dialog.open, true);
    if opens {
        let viewport = session.view().viewport.round();
        dialog.settings.size = [viewport.x, viewport.y].map(|side| (side as u32).clamp(1, ExportSettings::MOST_PIXELS));
    }
    if opens || dialog.named != asked.path {
        dialog.named.clone_from(&asked.path);
        // What the user has typed comes back as the path that it is.
        if opens || Path::new(dialog.typed.trim()) != asked.path {
            dialog.typed = asked.path.display().to_string();
        }
    }
    let key = |key| !Popup::is_any_open(ui.ctx()) && ui.ctx().input_mut(|i| i.consume_key(Modifiers::NONE, key));
    let (escaped, entered) = (key(Key::Escape), key(Key::Enter));
    let modal = Modal::new(Id::unique("export")).frame(egui::Frame::window(ui.style()));
    modal.show(ui.ctx(), |ui| contents(ui, session, asked, dialog, entered, commands));
    if escaped {
        commands.push(FileCommand::CloseExport.into());
    }
}

fn contents(
    ui: &mut Ui,
    session: &Session,
    asked: &ExportStatus,
    dialog: &mut ExportDialog,
    entered: bool,
    commands: &mut Vec<Command>,
) {
    let (heading, verb, hint) = match asked.kind {
        ExportKind::Picture => ("Save picture", "Save", "folder/name.png"),
        ExportKind::Mesh => ("Export posed mesh", "Export", "folder/name.glb"),
        ExportKind::Film => ("Record a film", "Record", "folder/name.webp"),
    };
    title(ui, heading);
    ui.horizontal(|ui| {
        let browse = if asked.has_dialog { 112.0 } else { 0.0 };
        let field = TextEdit::singleline(&mut dialog.typed)
            .margin(Margin::symmetric(8, 5))
            .hint_text(RichText::new(hint).color(colors(ui).dim))
            .desired_width(ui.available_width() - browse);
        let response = ui.add(field).accessible_name("File to write");
        if response.changed() {
            commands.push(FileCommand::NameExport(PathBuf::from(dialog.typed.trim())).into());
        }
        if asked.has_dialog && text_button(ui, Some(icons::FOLDER), "Browse…", false).clicked() {
            commands.push(FileCommand::ChooseExport.into());
        }
    });
    ui.add_space(6.0);
    let c = colors(ui);
    match &asked.stage {
        ExportStage::Unfit(why) => _ = ui.add(Label::new(RichText::new(why).color(c.red)).wrap()),
        ExportStage::Writable { replaces: true } => {
            let line = "There is a file of this name. It will be replaced.";
            ui.add(Label::new(RichText::new(line).color(c.amber)).wrap());
        }
        ExportStage::Writable { replaces: false } => text(ui, about(asked.kind)),
    }
    ui.add_space(6.0);
    let settings = &mut dialog.settings;
    let fits = match asked.kind {
        ExportKind::Mesh => true,
        ExportKind::Picture => picture(ui, session, settings),
        ExportKind::Film => {
            film(ui, session, settings);
            picture(ui, session, settings) && (settings.plays || settings.turns)
        }
    };
    let can = fits && matches!(asked.stage, ExportStage::Writable { .. });
    let names: &[&str] = if can { &[verb, "Cancel"] } else { &["Cancel"] };
    // Enter never gives the dialog up.
    match buttons(ui, names, entered && can) {
        Some(0) if can => {
            let path = PathBuf::from(dialog.typed.trim());
            commands.push(FileCommand::ExportTo(path, Box::new(settings.clone())).into());
        }
        Some(_) => commands.push(FileCommand::CloseExport.into()),
        None => {}
    }
}

fn about(kind: ExportKind) -> &'static str {
    match kind {
        ExportKind::Picture => "The picture is written as PNG, without panels.",
        ExportKind::Mesh => {
            "The ending says the kind: .glb (with textures and colours), .obj, .ply or .stl. The mesh is written as it is posed, in metres."
        }
        ExportKind::Film => {
            "The ending says the kind: .gif, .webp, .apng, .mp4 and .webm (by ffmpeg), or a PNG for each picture: name %04d.png. Films go round for ever."
        }
    }
}

/// Shows a label of a row, and the controls after it.
fn row(ui: &mut Ui, label: &str, controls: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        let dim = colors(ui).dim;
        let before = ui.cursor().left();
        ui.label(RichText::new(label).color(dim));
        ui.add_space((before + 110.0 - ui.cursor().left()).max(0.0));
        controls(ui);
    });
}

fn number(ui: &mut Ui, name: &str, value: &mut u32, most: u32) {
    let response = ui.add(DragValue::new(value).range(1..=most).speed(4.0));
    response.widget_info(|| WidgetInfo::slider(true, f64::from(*value), name));
}

/// Shows how a picture is drawn; returns whether it can be.
fn picture(ui: &mut Ui, session: &Session, settings: &mut ExportSettings) -> bool {
    row(ui, "Size", |ui| {
        let [width, height] = &mut settings.size;
        number(ui, "Width", width, ExportSettings::MOST_PIXELS);
        ui.label("×");
        number(ui, "Height", height, ExportSettings::MOST_PIXELS);
        ui.label(RichText::new("pixels").color(colors(ui).dim));
    });
    ui.add_space(4.0);
    row(ui, "Supersampling", |ui| {
        let choices = [1, 2, 3, 4].map(|n| {
            let help = match n {
                1 => "Four samples of each pixel at its edges, as in the window".to_owned(),
                n => format!("Draw it {n} times as wide and high, and take the mean"),
            };
            (["1×", "2×", "3×", "4×"][n - 1], settings.supersampling == n as u32, help)
        });
        if let Some(chosen) = segments(ui, &choices) {
            settings.supersampling = chosen as u32 + 1;
        }
    });
    ui.add_space(6.0);
    row(ui, "", |ui| {
        let help = "Leave the background out";
        if chip(ui, "Transparent", settings.transparent).on_hover_text(help).clicked() {
            settings.transparent = !settings.transparent;
        }
        // Without colours there is nothing to explain.
        if session.view().overlay.is_some() {
            let help = "Paint the legend of the colours into it";
            if chip(ui, "With legend", settings.legend).on_hover_text(help).clicked() {
                settings.legend = !settings.legend;
            }
        }
    });
    let most = ExportSettings::MOST_PIXELS / settings.supersampling;
    let fits = settings.size.iter().all(|side| *side <= most);
    if !fits {
        ui.add_space(4.0);
        let line = format!("With this supersampling a side has {most} pixels at most.");
        ui.label(RichText::new(line).color(colors(ui).red));
    }
    fits
}

/// Shows which pictures a film has.
fn film(ui: &mut Ui, session: &Session, settings: &mut ExportSettings) {
    let has_clip = session.playback().clip.is_some();
    settings.plays &= has_clip;
    settings.turns |= !has_clip;
    row(ui, "Shows", |ui| {
        let help = "Every picture of the clip, from its start to before its end";
        if has_clip && chip(ui, "The whole clip", settings.plays).on_hover_text(help).clicked() {
            settings.plays = !settings.plays;
        }
        let help =
            "The model turns once about the vertical: in the time of the clip, or in 4 seconds where it does not play";
        if chip(ui, "A turn", settings.turns).on_hover_text(help).clicked() {
            settings.turns = !settings.turns;
        }
    });
    ui.add_space(4.0);
    row(ui, "Rate", |ui| {
        let mut fps = settings.fps as u32;
        number(ui, "Pictures a second", &mut fps, 240);
        settings.fps = fps as f32;
        ui.label(RichText::new("pictures a second").color(colors(ui).dim));
    });
    ui.add_space(4.0);
}
