//! Messages of the application over the picture: nothing is open, a load is under way, an error, a file is about to be
//! dropped.

use egui::{
    Align, Align2, Color32, CornerRadius, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, vec2,
};
use skinscope_session::{Command, FileCommand};

use super::theme::{self, BODY, colors};
use super::widgets::{elided, error_line, icon_button, paint_line, plate, progress_bar, text_button, tip};
use super::{Status, UiState, icons, recent};

/// A load under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loading {
    /// The name of the file.
    pub name: String,
    /// The share that is done, 0…1.
    pub fraction: f32,
    /// The present step.
    pub stage: String,
    /// Whether the model is shown already, while its images are still being decoded.
    pub is_open: bool,
}

/// Work that takes long and is done in the background.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundStatus {
    /// The name of the work.
    pub what: String,
    /// The share that is done, 0…1; `None` where that is not known.
    pub fraction: Option<f32>,
    /// The command that stops it, where it can be stopped.
    pub cancel: Option<Command>,
}

/// Shows at most one of loading, error and other work over the picture, and the frame for a file that is dragged in.
pub(super) fn show(ui: &mut Ui, rect: Rect, status: &Status, is_open: bool, commands: &mut Vec<Command>) {
    if let Some(loading) = &status.loading {
        // The message does not cover the figure where there is one.
        let align = if is_open { Align2::CENTER_BOTTOM } else { Align2::CENTER_CENTER };
        show_loading(ui, rect, align, loading, commands);
    } else if let Some(error) = &status.error {
        show_error(ui, rect, error, commands);
    } else if let Some(work) = &status.work {
        show_work(ui, rect, work, commands);
    }
    if ui.input(|i| !i.raw.hovered_files.is_empty()) {
        drop_frame(ui, ui.clip_rect());
    }
}

/// Shows what to do while nothing is open.
pub(super) fn empty(ui: &mut Ui, rect: Rect, state: &UiState, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let (files, pictures) = (&state.saved.recent, &state.recent_pictures);
    let height = (170.0 + recent::height_on_start(files, pictures)).min(rect.height());
    let area = Rect::from_center_size(rect.center(), vec2(rect.width().min(420.0), height));
    ui.scope_builder(UiBuilder::new().max_rect(area).layout(Layout::top_down(Align::Center)), |ui| {
        ui.label(RichText::new(icons::DROP_FILE).font(theme::icon(48.0)).color(c.dim));
        ui.add_space(8.0);
        ui.label(RichText::new("Drop a .glb here, or File › Open").font(theme::strong(16.0)).color(c.text));
        ui.add_space(2.0);
        ui.label(RichText::new("glTF 2.0: .glb, or .gltf with its files").color(c.dim));
        ui.add_space(14.0);
        // The row is as wide as both buttons were last time, so that they are in the middle.
        let id = ui.scope_id().with("buttons");
        let width: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(274.0);
        let (rect, _) = ui.allocate_exact_size(vec2(width, 28.0), Sense::hover());
        ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
            let row = ui.horizontal(|ui| {
                let open = text_button(ui, Some(icons::FOLDER), "Open…", true);
                if open.on_hover_text(tip(&Command::File(FileCommand::OpenDialog))).clicked() {
                    commands.push(FileCommand::OpenDialog.into());
                }
                let built_in = text_button(ui, Some(icons::PERSON), "Open built-in character", false);
                if built_in.on_hover_text(tip(&Command::File(FileCommand::OpenBuiltIn))).clicked() {
                    commands.push(FileCommand::OpenBuiltIn.into());
                }
            });
            ui.data_mut(|d| d.insert_temp(id, row.response.rect.width()));
        });
        ui.with_layout(Layout::top_down(Align::Min), |ui| recent::show_on_start(ui, files, pictures, commands));
    });
}

fn show_loading(ui: &mut Ui, rect: Rect, align: Align2, loading: &Loading, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let size = vec2(rect.width().min(400.0) - 32.0, 84.0);
    let area = align.align_size_within_rect(size, rect.shrink(16.0));
    let frame = plate(ui);
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                let room = ui.available_width() - 90.0;
                let (name, _) = elided(ui, &loading.name, theme::strong(BODY), c.text, room);
                let (rect, _) = ui.allocate_exact_size(vec2(room, 26.0), Sense::hover());
                paint_line(ui, name, rect.left(), rect.center().y, c.text);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let what = match loading.is_open {
                        true => "Keep the model without the images that are still missing (Esc)",
                        false => "Stop loading (Esc)",
                    };
                    if text_button(ui, None, "Cancel", false).on_hover_text(what).clicked() {
                        commands.push(FileCommand::CancelLoad.into());
                    }
                });
            });
            progress_bar(ui, "Loading", loading.fraction);
            let stage = if loading.stage.is_empty() { "Reading" } else { &loading.stage };
            let text = format!("{stage} · {:.0} %", 100.0 * loading.fraction.clamp(0.0, 1.0));
            ui.label(RichText::new(text).font(theme::regular(12.0)).color(c.text));
        });
    });
}

/// Shows one line: what is done, its progress, and the button that stops it.
fn show_work(ui: &mut Ui, rect: Rect, work: &BackgroundStatus, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let size = vec2(rect.width().min(400.0) - 32.0, 44.0);
    let area = Align2::CENTER_BOTTOM.align_size_within_rect(size, rect.shrink(16.0));
    let frame = plate(ui);
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                ui.set_min_height(26.0);
                if work.fraction.is_none() {
                    ui.add(egui::Spinner::new().size(14.0).color(c.accent));
                }
                let done = work.fraction.map(|f| format!(" · {:.0} %", 100.0 * f.clamp(0.0, 1.0))).unwrap_or_default();
                let text = RichText::new(format!("{}{done}", work.what)).color(c.text);
                ui.label(text);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if let Some(cancel) = &work.cancel
                        && text_button(ui, None, "Cancel", false).on_hover_text("Stop this").clicked()
                    {
                        commands.push(cancel.clone());
                    }
                });
            });
        });
    });
}

fn show_error(ui: &mut Ui, rect: Rect, error: &str, commands: &mut Vec<Command>) {
    let c = colors(ui);
    // The plate is along the lower edge, as high as the text, so that the figure is not covered.
    let width = (rect.width() - 32.0).clamp(120.0, 720.0);
    let id = ui.scope_id().with("error");
    let height: f32 = ui.data(|d| d.get_temp(id)).unwrap_or(44.0);
    let area = Align2::CENTER_BOTTOM.align_size_within_rect(vec2(width, height), rect.shrink(16.0));
    let frame = plate(ui).fill(c.panel).stroke(Stroke::new(1.0, c.red));
    let shown = ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            // It is only as high as the text, so that the plate can be at the edge.
            ui.horizontal_top(|ui| {
                ui.with_layout(Layout::right_to_left(Align::TOP), |ui| {
                    if icon_button(ui, icons::CLOSE, "Close the message", 24.0, false).clicked() {
                        commands.push(FileCommand::CancelLoad.into());
                    }
                    ui.with_layout(Layout::left_to_right(Align::TOP), |ui| {
                        error_line(ui, error);
                    });
                });
            });
        });
    });
    let now = shown.response.rect.height();
    if (now - height).abs() > 0.5 {
        ui.data_mut(|d| d.insert_temp(id, now));
        ui.ctx().request_discard("the message changed its height");
    }
}

/// Shows a frame while a file is dragged over the window.
fn drop_frame(ui: &Ui, rect: Rect) {
    let c = colors(ui);
    let area = rect.shrink(8.0);
    let veil = Color32::from_rgba_unmultiplied(c.accent.r(), c.accent.g(), c.accent.b(), 28);
    ui.painter().rect(area, CornerRadius::same(8), veil, Stroke::new(2.0, c.accent), StrokeKind::Inside);
    let font = theme::strong(16.0);
    let galley = ui.painter().layout_no_wrap("Drop to open".to_owned(), font, c.text);
    let label = Rect::from_center_size(area.center(), galley.size() + vec2(32.0, 20.0));
    ui.painter().rect_filled(label, CornerRadius::same(8), c.plate);
    paint_line(ui, galley, label.left() + 16.0, label.center().y, c.text);
}
