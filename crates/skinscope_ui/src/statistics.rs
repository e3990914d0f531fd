//! The panels *Statistics* (what the last frames cost) and *Log* (the messages of this run).

use egui::accesskit::Role;
use egui::{
    Align, CornerRadius, Frame, Id, Label, Layout, Margin, Response, RichText, ScrollArea, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};
use skinscope_base::trace::{DevicePass, Part};
use skinscope_session::{Command, Panel, WindowCommand};

use super::frame_costs::{CostSummary, FrameCost, FrameCosts};
use super::message_log::{MessageKind, MessageLog};
use super::theme::{self, colors};
use super::widgets::{self, grouped, icon_button, section, text_button};
use super::{Status, UiState, context_menu, copied, icons};

/// The height of the curve of frames, points.
const CURVE: f32 = 64.0;
/// The room of the scroll bar beside figures, points.
const BAR: i8 = 10;
/// The height of the name of a line in it, points.
const LINE_NAME: f32 = 12.0;

/// Shows the panels that are on.
pub(super) fn show(ui: &mut Ui, state: &UiState, status: &Status, has_tabs: bool, commands: &mut Vec<Command>) {
    ui.add_space(10.0);
    head(ui, state, has_tabs, commands);
    ScrollArea::vertical().id_salt("statistics").auto_shrink(false).show(ui, |ui| {
        // The scroll bar lies over the right edge.
        Frame::NONE.inner_margin(Margin { right: BAR, ..Margin::ZERO }).show(ui, |ui| {
            ui.set_width(ui.available_width());
            contents(ui, state, status, commands);
        });
    });
}

/// Shows the title of what is on, and what closes it unless the tabs above it do.
fn head(ui: &mut Ui, state: &UiState, has_tabs: bool, commands: &mut Vec<Command>) {
    let title = match (state.saved.statistics, state.saved.log) {
        (true, true) => "Statistics and log",
        (false, true) => "Log",
        _ => "Statistics",
    };
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        ui.label(RichText::new(title).font(theme::strong(15.0)));
        if has_tabs {
            return;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = icon_button(ui, icons::CLOSE, "Close statistics and log", 20.0, false);
            if close.on_hover_text("Put this panel away; F12 shows it again").clicked() {
                let on = [(state.saved.statistics, Panel::Statistics), (state.saved.log, Panel::Log)];
                let shown = on.into_iter().filter(|(on, _)| *on);
                commands.extend(shown.map(|(_, panel)| Command::from(WindowCommand::TogglePanel(panel))));
            }
        });
    });
}

fn contents(ui: &mut Ui, state: &UiState, status: &Status, commands: &mut Vec<Command>) {
    ui.add_space(4.0);
    if state.saved.statistics {
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            costs(ui, status.costs.as_deref());
        });
    }
    section(ui, "For a report of a bug", |_| {});
    let help = "Copy version, graphics device, figures of the model and settings, without any name or path";
    if text_button(ui, None, "Copy for a bug report", false).on_hover_text(help).clicked() {
        commands.push(WindowCommand::CopyBugReport.into());
    }
    if state.saved.log {
        log(ui, &state.log);
    }
}

fn milliseconds(summary: Option<CostSummary>) -> String {
    summary.map_or_else(|| "–".to_owned(), |s| format!("{:.2} · {:.2} ms", s.median, s.p95))
}

/// Shows a label and its figure, which a right click offers to copy.
fn figure(ui: &mut Ui, label: &str, value: &str) -> Response {
    let response = widgets::figure(ui, label, value).interact(Sense::CLICK);
    let rows = [
        ("Copy this figure", "Put the figure with its name on the clipboard"),
        ("Copy the frames as CSV", "Put the figures of all frames that are kept on the clipboard"),
    ];
    match context_menu::choose(&response, label, &rows) {
        Some(0) => copied::copy(ui, format!("{label}: {value}"), label),
        Some(_) => _ = ui.data_mut(|data| data.insert_temp(frames_asked(), true)),
        None => {}
    }
    response
}

/// Under which id a menu says that the frames are to be copied.
fn frames_asked() -> Id {
    Id::unique("copy of frames")
}

fn costs(ui: &mut Ui, costs: Option<&FrameCosts>) {
    section(ui, "Frames, median · 95 %", |_| {});
    let none = FrameCosts::default();
    let costs = costs.unwrap_or(&none);
    curve(ui, costs);
    let interval = costs.summary(|frame| Some(frame.interval_ms).filter(|ms| *ms > 0.0));
    if interval.is_none() {
        ui.add_space(4.0);
        let text = "Play the clip or turn the camera to measure.";
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
    }
    figure(ui, "Between two frames", &milliseconds(interval))
        .on_hover_text("The time from one frame to the next while something moves");
    let device = costs.summary(|frame| frame.device_ms);
    let why = "What the picture takes on the graphics device, by its own clock; – where it has none";
    figure(ui, "Graphics device", &milliseconds(device)).on_hover_text(why);
    section(ui, "On the processor", |_| {});
    for (i, part) in Part::ALL.into_iter().enumerate() {
        let summary = costs.summary(|frame| Some(frame.parts_ms[i]));
        figure(ui, name(part), &milliseconds(summary)).on_hover_text(part.help());
    }
    passes(ui, costs);
    section(ui, "The last picture", |_| {});
    let last = costs.frames().last().copied().unwrap_or_default();
    let drawn = costs.frames().filter(|frame| frame.draw_calls > 0).last();
    let calls = drawn.map_or_else(|| "–".to_owned(), |frame| grouped(frame.draw_calls as usize));
    figure(ui, "Draw calls", &calls).on_hover_text("Of the last picture that was drawn anew");
    figure(ui, "Bytes uploaded", &grouped(last.uploaded_bytes as usize))
        .on_hover_text("To buffers of the graphics device, with the last frame");
    ui.add_space(6.0);
    let help = "Copy these frames as comma-separated values; `skinscope view --trace FILE.csv` writes all of them";
    let is_asked = ui.data_mut(|data| data.remove_temp::<bool>(frames_asked())).is_some();
    if text_button(ui, None, "Copy as CSV", false).on_hover_text(help).clicked() || is_asked {
        copied::copy(ui, costs.csv(), &format!("{} frames", costs.frames().len()));
    }
}

/// Shows what the passes took on the graphics device.
fn passes(ui: &mut Ui, costs: &FrameCosts) {
    section(ui, "On the graphics device", |_| {});
    if costs.frames().len() > 0 && !costs.has_device_clock {
        let why = "This graphics device has no clock for single passes.";
        ui.add(Label::new(RichText::new(why).color(colors(ui).dim)).wrap());
        return;
    }
    for (i, pass) in DevicePass::ALL.into_iter().enumerate() {
        let name = match pass {
            DevicePass::Shadows => "Shadows",
            DevicePass::BehindGlass => "Behind glass",
            DevicePass::Picture => "Picture",
            DevicePass::Panels => "Panels and window",
        };
        figure(ui, name, &milliseconds(costs.summary(|frame| frame.passes_ms[i]))).on_hover_text(pass.help());
    }
}

fn name(part: Part) -> &'static str {
    match part {
        Part::Sample => "Sample the clip",
        Part::Kinematics => "Kinematics",
        Part::Palette => "Palette",
        Part::Panels => "Panels",
        Part::Upload => "Upload",
        Part::Record => "Record",
        Part::Present => "Present",
    }
}

/// Draws the times between frames, the last at the right, with lines at 60 and at 30 frames a second.
fn curve(ui: &mut Ui, costs: &FrameCosts) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), CURVE), Sense::hover());
    let interval = |frame: &FrameCost| frame.interval_ms;
    // The name of the line at 30 a second has room above it.
    let most = costs.frames().map(interval).fold(44.0_f32, f32::max);
    let last = costs.frames().last().map_or(0.0, interval);
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Label,
            true,
            format!("Times between frames, the last {last:.1} ms, the longest {most:.1} ms"),
        )
    });
    let c = colors(ui);
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, CornerRadius::same(4), ui.visuals().extreme_bg_color);
    let y = |ms: f32| rect.bottom() - 2.0 - (rect.height() - 4.0) * ms / most;
    // Where a long frame brings the lines together, only the upper one has a name.
    let mut above = f32::NEG_INFINITY;
    for (ms, text) in [(1000.0 / 30.0, "30 a second"), (1000.0 / 60.0, "60 a second")] {
        painter.hline(rect.x_range(), y(ms), Stroke::new(1.0, c.line));
        if y(ms) - above >= LINE_NAME {
            let at = pos2(rect.left() + 4.0, y(ms));
            painter.text(at, egui::Align2::LEFT_BOTTOM, text, theme::regular(LINE_NAME - 2.0), c.dim);
            above = y(ms);
        }
    }
    let step = rect.width() / (FrameCosts::MOST - 1) as f32;
    let first = rect.right() - step * costs.frames().len().saturating_sub(1) as f32;
    let points = costs.frames().enumerate().map(|(i, frame)| pos2(first + i as f32 * step, y(interval(frame))));
    painter.add(Shape::line(points.collect(), Stroke::new(1.5, c.accent)));
}

fn log(ui: &mut Ui, log: &MessageLog) {
    section(ui, "Log", |_| {});
    if log.messages().len() == 0 {
        ui.label(RichText::new("No message so far.").color(colors(ui).dim));
        return;
    }
    if text_button(ui, None, "Copy the log", false).on_hover_text("Copy all messages as text").clicked() {
        copied::copy(ui, log.text(), "the log");
    }
    ui.add_space(4.0);
    for message in log.messages().rev() {
        let c = colors(ui);
        let ink = match message.kind {
            MessageKind::Error => c.red,
            MessageKind::Warning => c.amber,
            MessageKind::Done => c.text,
        };
        ui.label(RichText::new(format!("{:.1} s", message.secs)).font(theme::regular(11.0)).color(c.dim));
        ui.add(Label::new(RichText::new(&message.text).color(ink)).wrap());
        ui.add_space(4.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_lines_never_lie_on_each_other() {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        for (longest, names) in [(34.0, 2), (400.0, 1)] {
            let mut costs = FrameCosts::default();
            costs.push(FrameCost { interval_ms: longest, ..FrameCost::default() });
            let mut shown = 0;
            for _ in 0..2 {
                let mut output = ctx.run_ui(egui::RawInput::default(), |ui| curve(ui, &costs));
                output.textures_delta.clear();
                shown = output.shapes.iter().filter(|shape| matches!(shape.shape, Shape::Text(_))).count();
            }
            assert_eq!(shown, names, "{longest} ms");
        }
    }

    #[test]
    fn the_curve_ends_at_the_right_with_the_last_frame() {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        let mut costs = FrameCosts::default();
        for number in 1..=FrameCosts::MOST as u64 / 2 {
            costs.push(FrameCost { number, interval_ms: 10.0 + number as f32 % 7.0, ..FrameCost::default() });
        }
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| curve(ui, &costs));
        output.textures_delta.clear();
        let of = |shape: &Shape| if let Shape::Path(path) = shape { Some(path.points.clone()) } else { None };
        let points: Vec<_> = output.shapes.iter().filter_map(|clipped| of(&clipped.shape)).flatten().collect();
        let ground = output
            .shapes
            .iter()
            .find_map(|clipped| if let Shape::Rect(rect) = &clipped.shape { Some(rect.rect) } else { None });
        let (ground, last) = (ground.unwrap(), points.last().unwrap());
        assert_eq!(points.len(), FrameCosts::MOST / 2);
        assert!((last.x - ground.right()).abs() < 0.01, "{last:?} in {ground:?}");
        // There is room for as many frames again.
        assert!((points[0].x - ground.center().x).abs() < 0.01 * ground.width(), "{:?} in {ground:?}", points[0]);
    }
}
