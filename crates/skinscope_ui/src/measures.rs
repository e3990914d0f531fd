//! The panel with the measures of the posed surface: the numbers of this moment, and each over the whole clip as a curve with the
//! moment marked. A click on a curve goes to that moment, and to the vertex where the measure is worst there.

use std::ops::RangeInclusive;

use egui::accesskit::Role;
use egui::{
    Align, Color32, CornerRadius, CursorIcon, Frame, Layout, Margin, Pos2, Rect, RichText, ScrollArea, Sense, Shape,
    Stroke, Ui, WidgetInfo, pos2, vec2,
};
use skinscope_inspect::measure::{Measure, SurfaceMeasures, Unit, measure};
use skinscope_session::{Command, MeasureCommand, MeasureCurves, PlaybackCommand, Session, ViewCommand};

use super::normal_modes::NormalTimes;
use super::scales::{TIMES, peaks, steps, time_labels, value_label, walked};
use super::theme::{self, BODY, MARGIN, colors};
use super::widgets::{
    chip, focus_ring, icon_button, link, number, paint_line, progress_bar, quiet_text, shortened, text_button, tip,
};
use super::{Status, icons, normal_modes};

/// The measures that one chart shows: the ids, each with its name in the chart.
struct Chart {
    title: &'static str,
    measures: &'static [(&'static str, &'static str)],
}

const CHARTS: [Chart; 8] = [
    Chart {
        title: "Edge stretch",
        measures: &[("stretch_max", "max"), ("stretch_min", "min"), ("stretch_mean", "mean")],
    },
    Chart { title: "Triangle area", measures: &[("triangle_max", "largest"), ("triangle_min", "smallest")] },
    Chart { title: "Surface area", measures: &[("area", "whole")] },
    Chart { title: "Volume", measures: &[("volume", "whole"), ("region_volume", "worst joint")] },
    Chart { title: "Inverted triangles", measures: &[("inverted", "triangles")] },
    Chart { title: "Folds", measures: &[("folds", "edges")] },
    Chart { title: "Normal error", measures: &[("normal_error_max", "largest"), ("normal_error_mean", "mean")] },
    Chart { title: "Normals of length zero", measures: &[("zero_normals", "vertices")] },
];

/// The height of the curves of a chart, points.
const HEIGHT: f32 = 52.0;
/// The width of the values at the left of a chart, points.
const GUTTER: f32 = 54.0;
/// The most width of a value there, points.
const VALUE: f32 = GUTTER - 6.0;
/// The least distance between two values at the left, points.
const APART: f32 = 13.0;
/// How near to a moment a click goes to the worst around it, points.
const SNAP: f32 = 6.0;

/// Shows the panel. `has_tabs`: tabs above it close it.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    (status, has_tabs): (&Status, bool),
    times: &mut NormalTimes,
    commands: &mut Vec<Command>,
) {
    let margin = Margin { left: MARGIN, right: MARGIN, top: 10, bottom: 10 };
    ScrollArea::vertical().auto_shrink(false).id_salt("deformation").show(ui, |ui| {
        Frame::NONE.inner_margin(margin).show(ui, |ui| {
            ui.set_width(ui.available_width());
            head(ui, has_tabs, commands);
            match session.model() {
                None => quiet_text(ui, "Open a file to measure what its poses do to the surface."),
                Some(model) if model.skins.is_empty() => {
                    quiet_text(ui, "This model has no skin, so that no pose deforms its surface.");
                }
                Some(_) => {
                    quiet_text(ui, "What the pose does to the skin, against the skin at rest.");
                    progress(ui, session, status, commands);
                    charts(ui, session, times, commands);
                }
            }
        });
    });
}

/// Shows the title of the panel, and what closes it unless the tabs above it do.
fn head(ui: &mut Ui, has_tabs: bool, commands: &mut Vec<Command>) {
    // A tab names the panel too.
    if has_tabs {
        return;
    }
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        ui.label(RichText::new("Deformation").font(theme::strong(15.0)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = icon_button(ui, icons::CLOSE, "Close the measures", 20.0, false);
            if close.on_hover_text(tip(&MeasureCommand::TogglePanel.into())).clicked() {
                commands.push(MeasureCommand::TogglePanel.into());
            }
        });
    });
}

/// Shows the progress of the curves, or why there are none.
fn progress(ui: &mut Ui, session: &Session, status: &Status, commands: &mut Vec<Command>) {
    if session.measurements().curves_key().is_none() {
        return quiet_text(ui, "Curves are drawn over a clip; none is shown.");
    }
    if session.measurements().measured_clip().is_some() {
        return;
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.set_min_height(24.0);
        if session.measurements().lacks_curves() {
            ui.label(RichText::new("Measuring the clip").font(theme::regular(12.0)).color(colors(ui).text));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if text_button(ui, None, "Stop", false).on_hover_text("Stop measuring the clip").clicked() {
                    commands.push(MeasureCommand::StopMeasuringClip.into());
                }
                progress_bar(ui, "Clip measured", status.curves.unwrap_or(0.0));
            });
        } else {
            ui.label(RichText::new("The clip was not measured.").font(theme::regular(12.0)).color(colors(ui).dim));
            if link(ui, "Measure it", "Measure the clip").clicked() {
                commands.push(MeasureCommand::MeasureClip.into());
            }
        }
    });
}

fn charts(ui: &mut Ui, session: &Session, times: &mut NormalTimes, commands: &mut Vec<Command>) {
    let now = session.measurements().measures();
    let now = now.as_deref().map(|pose| &pose.measures);
    let curves = session.measurements().measured_clip().map(|curves| &**curves);
    if now.is_some_and(|measures| measures.primitives.is_empty()) {
        return quiet_text(ui, "Nothing that is shown is measured: what has a skin is hidden.");
    }
    for chart in &CHARTS {
        let rows: Vec<(&'static Measure, &'static str)> =
            chart.measures.iter().filter_map(|(id, name)| Some((measure(id)?, *name))).collect();
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            ui.set_min_height(20.0);
            let title = ui.label(RichText::new(chart.title).font(theme::strong(BODY)).color(colors(ui).text));
            let help: Vec<String> = rows.iter().map(|(m, _)| format!("{}: {}.", m.label, m.help)).collect();
            title.on_hover_text(help.join("\n"));
            let overlay = rows.iter().find_map(|(m, _)| m.overlay);
            if let Some(id) = overlay {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let on = session.view().overlay.is_some_and(|shown| shown.id == id);
                    let response = chip(ui, "Show", on);
                    response.widget_info(|| {
                        WidgetInfo::selected(Role::CheckBox, true, on, format!("Show {}", chart.title))
                    });
                    let command = Command::from(ViewCommand::ToggleOverlay(id));
                    if response.on_hover_text(tip(&command)).clicked() {
                        commands.push(command);
                    }
                });
            }
        });
        figures(ui, &rows, now, session);
        if let Some(curves) = curves.filter(|curves| curves.moments.len() > 1) {
            plot(ui, chart.title, &rows, (session, curves), commands);
        }
        if rows.iter().any(|(m, _)| m.id == "normal_error_max") {
            ui.add_space(4.0);
            normal_modes::show(ui, session, now, times, commands);
        }
    }
    ui.add_space(4.0);
}

/// Returns the colour of a curve.
fn ink(ui: &Ui, index: usize) -> Color32 {
    let c = colors(ui);
    [c.accent, c.amber, c.dim][index.min(2)]
}

/// Shows the numbers of this moment, in one line.
fn figures(ui: &mut Ui, rows: &[(&'static Measure, &'static str)], now: Option<&SurfaceMeasures>, session: &Session) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let (mut x, y) = (rect.left(), rect.center().y);
    let mut spoken = Vec::new();
    for (i, (measure, name)) in rows.iter().enumerate() {
        let value = now.and_then(measure.value);
        let text = value.map_or_else(|| "–".to_owned(), |value| measure.text(value));
        if rows.len() > 1 {
            let dot = pos2(x + 3.0, y);
            ui.painter().circle_filled(dot, 3.0, ink(ui, i));
            x += 10.0;
        }
        let figure = ui.painter().layout_no_wrap(text.clone(), theme::strong(12.0), c.text);
        let room = rect.right() - x - figure.size().x - 4.0;
        let (label, _) = shortened(ui, name, theme::regular(12.0), c.dim, room.max(0.0));
        let width = figure.size().x;
        paint_line(ui, figure, x, y, c.text);
        x += width + 4.0;
        let width = label.size().x;
        paint_line(ui, label, x, y, c.dim);
        x += width + 12.0;
        spoken.push(format!("{} {text}", measure.label));
    }
    let worst = rows.iter().any(|(m, _)| m.id == "region_volume").then(|| now?.worst_region()).flatten();
    let joint = worst.zip(session.model()).map(|((joint, _), model)| model.skeleton.names[joint.index()].clone());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken.join(", ")));
    if let Some(joint) = joint {
        response.on_hover_text(format!("The joint whose region has changed most: {joint}"));
    }
}

/// The axes of a chart. Ratios are drawn by their logarithms, so that twice and half are equally far from 1.
struct Axes {
    rect: Rect,
    times: [f32; 2],
    values: [f64; 2],
    unit: Unit,
}

impl Axes {
    fn new(rect: Rect, rows: &[(&'static Measure, &'static str)], curves: &MeasureCurves) -> Option<Self> {
        let unit = rows.first()?.0.unit;
        let times = [curves.moments.first()?.0, curves.moments.last()?.0];
        let mut out = Self { rect, times, values: [0.0; 2], unit };
        let neutral = out.height(rows.first()?.0.neutral);
        let (mut low, mut high) = (neutral, neutral);
        for (measure, _) in rows {
            for value in curves.moments.iter().filter_map(|(_, m)| (measure.value)(m)) {
                let at = out.height(value);
                (low, high) = (low.min(at), high.max(at));
            }
        }
        // A constant curve is in the middle, or at the bottom where it counts something.
        let least = match unit {
            Unit::Ratio => 0.01,
            Unit::Count | Unit::Degrees => 1.0,
        };
        if high - low < least {
            high = low.max(high) + if unit == Unit::Ratio { 0.5 * least } else { least };
            low -= if unit == Unit::Ratio { 0.5 * least } else { 0.0 };
        }
        out.values = [low, high];
        Some(out)
    }

    /// Returns the coordinate of a number on the axis, before it is scaled.
    fn height(&self, value: f64) -> f64 {
        match self.unit {
            Unit::Ratio => value.clamp(1e-3, 1e3).ln(),
            Unit::Count | Unit::Degrees => value,
        }
    }

    /// Returns the number at a coordinate on the axis, the inverse of [`Axes::height`].
    fn value(&self, height: f64) -> f64 {
        match self.unit {
            Unit::Ratio => height.exp(),
            Unit::Count | Unit::Degrees => height,
        }
    }

    fn x(&self, secs: f32) -> f32 {
        let [start, end] = self.times;
        self.rect.left() + (secs - start) / (end - start).max(1e-6) * self.rect.width()
    }

    fn secs(&self, x: f32) -> f32 {
        let [start, end] = self.times;
        start + ((x - self.rect.left()) / self.rect.width().max(1.0)).clamp(0.0, 1.0) * (end - start)
    }

    fn y(&self, value: f64) -> f32 {
        let [low, high] = self.values;
        let share = (self.height(value) - low) / (high - low).max(1e-9);
        self.rect.bottom() - share as f32 * self.rect.height()
    }

    fn at(&self, secs: f32, value: f64) -> Pos2 {
        pos2(self.x(secs), self.y(value))
    }

    /// Returns the indices of the moments around the coordinate `x`.
    fn around(&self, x: f32, curves: &MeasureCurves) -> RangeInclusive<usize> {
        let [from, to] = [x - SNAP, x + SNAP].map(|x| self.secs(x));
        let first = curves.moments.partition_point(|(time, _)| *time < from);
        let after = curves.moments.partition_point(|(time, _)| *time <= to);
        let last = curves.moments.len().saturating_sub(1);
        first.min(last)..=after.saturating_sub(1).max(first).min(last)
    }
}

fn plot(
    ui: &mut Ui,
    title: &str,
    rows: &[(&'static Measure, &'static str)],
    (session, curves): (&Session, &MeasureCurves),
    commands: &mut Vec<Command>,
) {
    let c = colors(ui);
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT + TIMES), Sense::hover());
    let rect = whole.with_min_x(whole.left() + GUTTER).with_max_y(whole.bottom() - TIMES);
    let response = ui.interact(rect, ui.scope_id().with(("curve", title)), Sense::click_and_drag());
    ui.painter().rect_filled(rect, CornerRadius::same(4), c.raised);
    let Some(axes) = Axes::new(rect.shrink2(vec2(6.0, 5.0)), rows, curves) else { return };
    let time_secs = session.playback().time_secs;
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("Curve: {title}")));
    let base = axes.y(rows[0].0.neutral);
    ui.painter().hline(rect.x_range(), base, Stroke::new(1.0, c.line));
    values(ui, &axes, rows[0].0, rect.left() - 6.0);
    time_labels(ui, axes.rect.x_range(), rect.bottom(), axes.times);
    let peaks: Vec<(f32, &'static Measure)> = rows.iter().flat_map(|(m, _)| peaks_of(m, curves)).collect();
    if let Some((secs, measure)) = walked(&peaks, time_secs, steps(ui, &response)) {
        commands.push(MeasureCommand::ShowMoment(measure.id, *secs).into());
    }
    focus_ring(ui, rect, &response);
    // The first is drawn over the others.
    for (i, (measure, _)) in rows.iter().enumerate().rev() {
        let points = curves.moments.iter().filter_map(|(time, m)| Some(axes.at(*time, (measure.value)(m)?)));
        ui.painter().add(Shape::line(points.collect(), Stroke::new(1.5, ink(ui, i))));
    }
    ui.painter().vline(axes.x(time_secs), rect.y_range(), Stroke::new(1.0, c.text));
    for (i, (measure, _)) in rows.iter().enumerate() {
        peak(ui, &axes, measure, ink(ui, i), curves, commands);
    }
    let hovered = response.hover_pos();
    if let Some(at) = response.interact_pointer_pos() {
        if response.clicked() {
            if let Some((measure, secs)) = nearest(&axes, at, rows, curves) {
                commands.push(MeasureCommand::ShowMoment(measure.id, secs).into());
            }
        } else if response.dragged() && axes.secs(at.x) != time_secs {
            commands.push(PlaybackCommand::Seek(axes.secs(at.x)).into());
        }
    }
    let response = response.on_hover_cursor(CursorIcon::PointingHand);
    if let Some((at, true)) = hovered.map(|at| (at, !response.dragged())) {
        let secs = axes.secs(at.x);
        let index = curves.moments.partition_point(|(time, _)| *time < secs).min(curves.moments.len() - 1);
        let (time, measures) = &curves.moments[index];
        let lines = rows.iter().filter_map(|(m, _)| Some(format!("{}: {}", m.label, m.text((m.value)(measures)?))));
        let lines = lines.collect::<Vec<_>>().join("\n");
        ui.painter().vline(axes.x(*time), rect.y_range(), Stroke::new(1.0, c.faint));
        response.on_hover_text_at_pointer(format!(
            "{} s\n{lines}\nClick to go there, from peak to peak by ← and →",
            number(*time, 3)
        ));
    }
}

/// Shows the values at the left of a chart: where the measure is neutral, and the ends where they do not come too near to that.
fn values(ui: &Ui, axes: &Axes, measure: &Measure, right: f32) {
    let mut shown: Vec<f32> = Vec::new();
    for value in [measure.neutral, axes.value(axes.values[1]), axes.value(axes.values[0])] {
        let y = axes.y(value);
        if axes.rect.y_range().expand(1.0).contains(y) && shown.iter().all(|other| (other - y).abs() >= APART) {
            value_label(ui, &short(measure, value), right, y, VALUE);
            shown.push(y);
        }
    }
}

/// Writes a value for the scale of a chart, with its unit.
fn short(measure: &Measure, value: f64) -> String {
    match measure.unit {
        Unit::Ratio if value < 10.0 => format!("{value:.3}×"),
        Unit::Ratio => format!("{value:.0}×"),
        Unit::Count | Unit::Degrees => measure.text(value),
    }
}

/// Returns the moments of the clip at which a measure is worse than before and after.
fn peaks_of(measure: &'static Measure, curves: &MeasureCurves) -> Vec<(f32, &'static Measure)> {
    let known = curves.moments.iter().filter_map(|(time, m)| Some((*time, measure.badness((measure.value)(m)?))));
    // What is worse than any number is as bad as can be drawn.
    let (times, values): (Vec<f32>, Vec<f64>) = known.map(|(time, badness)| (time, badness.min(1e6))).unzip();
    peaks(&values, true).into_iter().map(|i| (times[i], measure)).collect()
}

/// Shows the worst moment of a measure as a dot that can be pressed.
fn peak(
    ui: &mut Ui,
    axes: &Axes,
    measure: &'static Measure,
    ink: Color32,
    curves: &MeasureCurves,
    commands: &mut Vec<Command>,
) {
    let Some((i, value)) = curves.worst(measure).filter(|(_, value)| measure.badness(*value) > 1e-3) else { return };
    let time = curves.moments[i].0;
    let at = axes.at(time, value);
    let hit = Rect::from_center_size(at, vec2(12.0, 12.0));
    let response = ui.interact(hit, ui.scope_id().with(("peak", measure.id)), Sense::click());
    let name = format!("Worst: {} {} at {} s", measure.label, measure.text(value), number(time, 2));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    let radius = if response.hovered() || response.has_focus() { 5.0 } else { 3.5 };
    ui.painter().circle(at, radius, ink, Stroke::new(1.5, colors(ui).raised));
    focus_ring(ui, hit, &response);
    if response.on_hover_text(format!("{name}\nClick to go there")).clicked() {
        commands.push(MeasureCommand::ShowMoment(measure.id, time).into());
    }
}

/// Returns the measure whose curve is nearest to a point, and the worst moment around it.
fn nearest(
    axes: &Axes,
    at: Pos2,
    rows: &[(&'static Measure, &'static str)],
    curves: &MeasureCurves,
) -> Option<(&'static Measure, f32)> {
    let worst_of = |measure: &'static Measure| {
        let moments = axes.around(at.x, curves).filter_map(|i| {
            let (time, measures) = &curves.moments[i];
            Some((*time, (measure.value)(measures)?))
        });
        moments.max_by(|a, b| measure.badness(a.1).total_cmp(&measure.badness(b.1)))
    };
    let found = rows.iter().filter_map(|(measure, _)| {
        let (time, value) = worst_of(measure)?;
        Some((*measure, time, (axes.y(value) - at.y).abs()))
    });
    found.min_by(|a, b| a.2.total_cmp(&b.2)).map(|(measure, time, _)| (measure, time))
}

/// A measure in the small print of a legend.
pub(super) struct MeasureLine {
    /// The name of the measure.
    pub label: &'static str,
    /// The number that it has now.
    pub now: String,
    /// The number of the other side of a comparison.
    pub other: Option<String>,
}

/// Returns the small print of a legend: the numbers that an overlay's measures have now, and on the other side of a comparison.
pub(super) fn legend_lines(session: &Session, overlay: &str) -> Vec<MeasureLine> {
    let Some(pose) = session.measurements().measures() else { return Vec::new() };
    let of_overlay = skinscope_inspect::measure::MEASURES.iter().filter(|measure| measure.overlay == Some(overlay));
    let other = session.measurements().compared_measures();
    let line = |m: &'static Measure| {
        let text = |measures: &SurfaceMeasures| Some(m.text((m.value)(measures)?));
        let other = other.as_ref().and_then(|other| text(&other.measures));
        Some(MeasureLine { label: m.label, now: text(&pose.measures)?, other })
    };
    of_overlay.filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::widgets::elided;
    use super::*;

    #[test]
    fn values_of_ratios_have_room_at_any_scale() {
        for scale in [1.0, 1.25, 1.5, 2.0, 3.0] {
            let ctx = egui::Context::default();
            crate::install(&ctx);
            let input = egui::RawInput::default();
            ctx.set_zoom_factor(scale);
            for _ in 0..2 {
                let mut output = ctx.run_ui(input.clone(), |ui| {
                    let is_cut = |text: &str| elided(ui, text, theme::regular(theme::SMALL), Color32::WHITE, VALUE).1;
                    for digit in 0..10 {
                        let text = "0.000×".replace('0', &digit.to_string());
                        assert!(!is_cut(&text), "{text} at {scale}");
                    }
                });
                output.textures_delta.clear();
            }
        }
    }
}
