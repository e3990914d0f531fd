//! The settings of exported pictures and films: the part of the dialog that asks for their file.

use egui::{RichText, Ui};
use skinscope_export::recording::Reel;
use skinscope_model::{Primitive, Topology};
use skinscope_session::{ComparisonLayout, ExportKind, ExportSettings, PictureLayers, Session};

use super::theme::colors;
use super::widgets::{BOX_WIDTH, NumberField, chip, counted};

/// Sets the size of pictures to that of the picture in the window, and what they have to what it has.
pub(super) fn begin(session: &Session, settings: &mut ExportSettings) {
    settings.size = size_of_window(session);
    settings.layers = Some(PictureLayers::of(session.view()));
}

/// Returns the size of the picture in the window, pixels: both halves of it where sides are compared beside each other.
fn size_of_window(session: &Session) -> [u32; 2] {
    let halves = session.deforming().comparison().is_some_and(|c| c.layout == ComparisonLayout::SideBySide);
    let viewport = session.view().viewport.round();
    let sides = [if halves { 2.0 * viewport.x } else { viewport.x }, viewport.y];
    sides.map(|side| (side as u32).clamp(1, ExportSettings::MOST_PIXELS))
}

/// Shows how an export is made; returns whether it can be made so.
pub(super) fn show(ui: &mut Ui, session: &Session, kind: ExportKind, settings: &mut ExportSettings) -> bool {
    ui.add_space(6.0);
    match kind {
        ExportKind::Mesh => {
            mesh(ui, session, settings);
            true
        }
        ExportKind::Picture => picture(ui, session, settings),
        ExportKind::Film => {
            film(ui, session, settings);
            picture(ui, session, settings) && (settings.plays || settings.turns)
        }
    }
}

/// Returns the text that says what is written.
pub(super) fn about(kind: ExportKind) -> &'static str {
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

/// Shows how a mesh is written.
fn mesh(ui: &mut Ui, session: &Session, settings: &mut ExportSettings) {
    let lacks = |primitive: &Primitive| primitive.topology == Topology::Triangles && primitive.normals.is_empty();
    let lacks_normals =
        session.model().is_some_and(|model| model.meshes.iter().any(|mesh| mesh.primitives.iter().any(lacks)));
    if lacks_normals {
        row(ui, "Normals", |ui| {
            let help = "The file has no normals and other programs show flat faces without; write those of the triangles, each with three vertices of its own";
            if chip(ui, "Flat", settings.flat_normals).on_hover_text(help).clicked() {
                settings.flat_normals = !settings.flat_normals;
            }
        });
    }
}

/// How a number of the dialog is changed.
const DRAGGED: &str = "A number of what is written; drag to change it, click to type it";

fn number(ui: &mut Ui, name: &str, value: &mut u32, most: u32) {
    let typed = typed_number(ui, name, f64::from(*value), (1.0..=f64::from(most), 4.0, 0));
    *value = typed.map_or(*value, |typed| typed.round() as u32);
}

/// Shows a number in a box; returns what it is changed to. `rule`: its bounds, how far a drag of one point leads, and its decimals.
fn typed_number(
    ui: &mut Ui,
    name: &str,
    value: f64,
    (range, per_point, decimals): (std::ops::RangeInclusive<f64>, f32, usize),
) -> Option<f64> {
    let field = NumberField {
        name,
        help: DRAGGED,
        value: value as f32,
        range: *range.start() as f32..=*range.end() as f32,
        is_bounded: true,
        per_point,
        decimals,
        is_short: true,
        unit: "",
        width: BOX_WIDTH,
        edited: false,
    };
    field.show(ui).value.map(f64::from)
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
    sizes(ui, session, settings);
    ui.add_space(4.0);
    row(ui, "Supersampling", |ui| {
        for n in 1..=4 {
            let help = match n {
                1 => "Four samples of each pixel at its edges, as in the window".to_owned(),
                n => format!("Draw it {n} times as wide and high, and take the mean"),
            };
            if chip(ui, &format!("{n}×"), settings.supersampling == n).on_hover_text(help).clicked() {
                settings.supersampling = n;
            }
        }
    });
    ui.add_space(6.0);
    contents(ui, session, settings);
    ui.add_space(4.0);
    ground(ui, settings);
    let most = ExportSettings::MOST_PIXELS / settings.supersampling;
    let fits = settings.size.iter().all(|side| *side <= most);
    if !fits {
        ui.add_space(4.0);
        let line = format!("With this supersampling a side has {most} pixels at most.");
        ui.label(RichText::new(line).color(colors(ui).red));
    }
    fits
}

/// Shows sizes that have names.
fn sizes(ui: &mut Ui, session: &Session, settings: &mut ExportSettings) {
    row(ui, "", |ui| {
        let window = ("As the window", size_of_window(session));
        for (name, size) in std::iter::once(window).chain(ExportSettings::SIZES) {
            let help = format!("{} × {} pixels", size[0], size[1]);
            if chip(ui, name, settings.size == size).on_hover_text(help).clicked() {
                settings.size = size;
            }
        }
    });
}

/// Shows what is in a picture beside the model, and a switch that leaves all of it out.
fn contents(ui: &mut Ui, session: &Session, settings: &mut ExportSettings) {
    let mut layers = settings.layers.unwrap_or_else(|| PictureLayers::of(session.view()));
    let has_legend = session.view().overlay.is_some();
    let has_page = session.lesson().is_some();
    let is_clean =
        layers == PictureLayers::default() && !(settings.legend && has_legend) && !(settings.page && has_page);
    row(ui, "Contents", |ui| {
        let help = "The model alone, or all that the window shows";
        if chip(ui, "Clean", is_clean).on_hover_text(help).clicked() {
            layers = if is_clean { PictureLayers::of(session.view()) } else { PictureLayers::default() };
            (settings.legend, settings.page) = (is_clean, false);
        }
        ui.label(RichText::new("leaves out all of these:").color(colors(ui).dim));
    });
    ui.add_space(4.0);
    row(ui, "", |ui| {
        let switches = [
            ("With grid", "Draw the ground: its lines, and the floor with the shadow", &mut layers.grid),
            ("With bones", "Draw the skeleton", &mut layers.bones),
            ("With axes", "Draw the axes of the joints", &mut layers.axes),
            ("With names", "Write the names of the joints, as many as have room", &mut layers.names),
        ];
        for (name, help, is_on) in switches {
            if chip(ui, name, *is_on).on_hover_text(help).clicked() {
                *is_on = !*is_on;
            }
        }
    });
    let has_others = PictureLayers::of(session.view()).others;
    if has_others || has_legend || has_page {
        ui.add_space(4.0);
        row(ui, "", |ui| {
            let help = "Draw the lines, dots and boxes that the window shows too";
            if has_others && chip(ui, "With lines and dots", layers.others).on_hover_text(help).clicked() {
                layers.others = !layers.others;
            }
            // Without colours there is nothing to explain.
            let help = "Paint the legend of the colours into it";
            if has_legend && chip(ui, "With legend", settings.legend).on_hover_text(help).clicked() {
                settings.legend = !settings.legend;
            }
            let help = "Write the page of the example beside it, in the right part of the size";
            if has_page && chip(ui, "With page", settings.page).on_hover_text(help).clicked() {
                settings.page = !settings.page;
            }
        });
    }
    settings.layers = Some(layers);
}

/// Shows what is behind the model.
fn ground(ui: &mut Ui, settings: &mut ExportSettings) {
    row(ui, "Background", |ui| {
        let now = (settings.transparent, settings.background);
        let choices = [
            ("As in the window", "What the window shows behind the model", (false, None)),
            ("Transparent", "Leave the background out", (true, None)),
            ("White", "White behind the model", (false, Some([255; 3]))),
            ("Black", "Black behind the model", (false, Some([0; 3]))),
        ];
        for (name, help, choice) in choices {
            if chip(ui, name, now == choice).on_hover_text(help).clicked() {
                (settings.transparent, settings.background) = choice;
            }
        }
    });
    ui.add_space(4.0);
    row(ui, "Colour", |ui| {
        let mut color = settings.background.unwrap_or([42, 46, 55]);
        let response = ui.color_edit_button_srgb(&mut color);
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::accesskit::Role::ColorWell, true, "Colour behind the model")
        });
        if response.on_hover_text("Another colour behind the model").changed() {
            (settings.transparent, settings.background) = (false, Some(color));
        }
    });
}

/// Returns the pictures of a film of what `session` shows.
#[must_use]
pub fn film_reel(session: &Session, settings: &ExportSettings) -> Reel {
    let ExportSettings { fps, plays, frames, turns, degrees, length_secs, .. } = *settings;
    let turn = turns.then_some(degrees);
    match frames.filter(|_| plays) {
        Some([first, last]) => Reel { first, count: last.saturating_sub(first).saturating_add(1), fps, plays, turn },
        None if plays => {
            let duration = session.model().map_or(0.0, |model| session.playback().duration_secs(model));
            Reel::of_clip(duration, fps, turn)
        }
        None => Reel::of_turn(degrees, fps, length_secs),
    }
}

/// Shows which pictures a film has.
fn film(ui: &mut Ui, session: &Session, settings: &mut ExportSettings) {
    let has_clip = session.playback().clip.is_some();
    settings.plays &= has_clip;
    settings.turns |= !has_clip;
    let whole = ExportSettings { plays: true, frames: None, ..settings.clone() };
    let last = film_reel(session, &whole).count - 1;
    row(ui, "Shows", |ui| {
        let is_whole = settings.plays && settings.frames.is_none();
        let help = "Every picture of the clip, from its start to before its end";
        if has_clip && chip(ui, "The whole clip", is_whole).on_hover_text(help).clicked() {
            (settings.plays, settings.frames) = (!is_whole, None);
        }
        let is_part = settings.plays && settings.frames.is_some();
        let help = "Some pictures of the clip, by their numbers";
        if has_clip && chip(ui, "A part of it", is_part).on_hover_text(help).clicked() {
            (settings.plays, settings.frames) = (!is_part, (!is_part).then_some([0, last]));
        }
        let help = "The model turns about the vertical, evenly over the pictures";
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
    if let Some([first, last]) = settings.frames.as_mut().filter(|_| settings.plays) {
        row(ui, "Pictures", |ui| {
            bounded(ui, "First picture", first, 0.0..=f64::from(*last), 0);
            ui.label("to");
            bounded(ui, "Last picture", last, f64::from(*first)..=MOST_NUMBER, 0);
            let fps = f64::from(settings.fps);
            let [from, to] = [*first, *last].map(|picture| f64::from(picture) / fps);
            ui.label(RichText::new(format!("{from:.2} s to {to:.2} s")).color(colors(ui).dim));
        });
        ui.add_space(4.0);
    }
    if settings.turns {
        row(ui, "Turn", |ui| {
            bounded(ui, "Degrees of the turn", &mut settings.degrees, -36_000.0..=36_000.0, 1);
            ui.label(RichText::new("degrees").color(colors(ui).dim));
        });
        ui.add_space(4.0);
    }
    if settings.turns && !settings.plays {
        row(ui, "Length", |ui| {
            bounded(ui, "Length of the turn", &mut settings.length_secs, 0.1..=600.0, 2);
            ui.label(RichText::new("seconds").color(colors(ui).dim));
        });
        ui.add_space(4.0);
    }
    if settings.plays || settings.turns {
        let count = film_reel(session, settings).count;
        row(ui, "", |ui| {
            let secs = count as f32 / settings.fps;
            let pictures = counted(count as usize, "picture", "pictures");
            ui.label(RichText::new(format!("{pictures}, {secs:.1} s")).color(colors(ui).dim));
        });
    }
}

/// The greatest number of a picture that can be typed.
const MOST_NUMBER: f64 = 1e6;

/// Shows a number that can be dragged and typed, within bounds and with so many decimals at most.
fn bounded<N: egui::emath::Numeric>(
    ui: &mut Ui,
    name: &str,
    value: &mut N,
    range: std::ops::RangeInclusive<f64>,
    decimals: usize,
) {
    if let Some(typed) = typed_number(ui, name, value.to_f64(), (range, 0.5, decimals)) {
        *value = N::from_f64(typed);
    }
}
