//! The curves of the selected node over the clip, with its keys as dots. A drag scrubs, the wheel zooms into time,
//! and arrow keys go from peak to peak.

use std::sync::{Arc, Weak};

use egui::accesskit::Role;
use egui::{
    Color32, CornerRadius, CursorIcon, Pos2, Rect, Response, RichText, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use skinscope_anim::{NodeCurve, keys_of};
use skinscope_base::math::Units;
use skinscope_model::{ClipId, Model, NodeId, Path};
use skinscope_session::{Command, PlaybackCommand, Session};

use super::{Tab, bar, empty};
use crate::scales::{TIMES, decimals, nice, peaks, steps, time_labels, value_label, walked};
use crate::theme::{self, MARGIN, colors};
use crate::widgets::{focus_ring, number, segments, slider_drag, text_button};

/// How many moments of a clip are sampled.
const MOMENTS: usize = 600;
/// The width of the numbers at the left, points.
const GUTTER: f32 = 56.0;
/// The shortest time that the wheel zooms to, seconds.
const SHORTEST: f32 = 0.02;

/// The values that the curves show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Euler,
    Quaternion,
    Translation,
    Scale,
}

const KINDS: [(Kind, &str, &str); 4] = [
    (Kind::Euler, "Euler", "The rotation from the parent as angles X, Y, Z in degrees, without jumps"),
    (Kind::Quaternion, "Quaternion", "The rotation as a quaternion X, Y, Z, W, as the file stores it"),
    (Kind::Translation, "Translation", "The translation, from the node above"),
    (Kind::Scale, "Scale", "The factors of scale along the node's axes"),
];

impl Kind {
    /// Returns the unit in which values up to `most` are written, and how many of it make one of the file's.
    fn unit(self, most: f32) -> (&'static str, f32) {
        match self {
            Self::Euler => ("°", 1.0),
            Self::Translation if Units::chosen() == Units::Imperial && most >= 0.03 => (" ft", 1.0 / 0.3048),
            Self::Translation if Units::chosen() == Units::Imperial => (" in", 1.0 / 0.0254),
            Self::Translation if most >= 0.1 || most == 0.0 => (" m", 1.0),
            Self::Translation if most >= 1e-4 => (" mm", 1e3),
            Self::Translation => (" µm", 1e6),
            Self::Quaternion => ("", 1.0),
            Self::Scale => ("×", 1.0),
        }
    }

    /// The least half height of the axis, so that rounding errors of a curve that stands still do not fill it.
    fn least_room(self) -> f32 {
        // Models differ in size by much more than in angles and factors.
        if self == Self::Translation { 1e-8 } else { 1e-4 }
    }

    fn path(self) -> Path {
        match self {
            Self::Euler | Self::Quaternion => Path::Rotation,
            Self::Translation => Path::Translation,
            Self::Scale => Path::Scale,
        }
    }
}

/// State of the curves for the open model.
#[derive(Debug, Default)]
pub(super) struct Curves {
    kind: Kind,
    /// The seconds that are shown; `None`: the whole clip.
    zoom: Option<[f32; 2]>,
    sampled: Option<SampledCurves>,
}

/// The curves that were computed last.
#[derive(Debug)]
struct SampledCurves {
    of: (Weak<Model>, ClipId, NodeId, Kind),
    times: Vec<f32>,
    /// One line for each component.
    lines: Vec<Vec<f32>>,
    /// The indices of keys in `times`.
    keys: Vec<usize>,
}

impl SampledCurves {
    fn new(model: &Arc<Model>, clip_id: ClipId, node: NodeId, kind: Kind) -> Self {
        let clip = &model.clips[clip_id.index()];
        let curve = NodeCurve::of(model, clip, node, MOMENTS);
        fn lines<const N: usize>(rows: &[[f32; N]]) -> Vec<Vec<f32>> {
            (0..N).map(|i| rows.iter().map(|row| row[i]).collect()).collect()
        }
        let lines = match kind {
            Kind::Euler => lines(&curve.euler()),
            Kind::Quaternion => lines(&curve.quaternions()),
            Kind::Translation => lines(&curve.values.iter().map(|v| v.translation.to_array()).collect::<Vec<_>>()),
            Kind::Scale => lines(&curve.values.iter().map(|v| v.scale.to_array()).collect::<Vec<_>>()),
        };
        let key_index = |secs: &f32| curve.times.binary_search_by(|at| at.total_cmp(secs)).ok();
        let keys = keys_of(clip, node, kind.path()).iter().filter_map(key_index).collect();
        Self { of: (Arc::downgrade(model), clip_id, node, kind), times: curve.times, lines, keys }
    }

    /// Returns the unit of its values, as [`Kind::unit`].
    fn unit(&self) -> (&'static str, f32) {
        let finite = self.lines.iter().flatten().filter(|value| value.is_finite());
        self.of.3.unit(finite.fold(0.0, |most: f32, value| most.max(value.abs())))
    }

    /// Returns the moments at which a curve turns, up or down.
    fn peaks(&self) -> Vec<(f32, ())> {
        let both = |line: &Vec<f32>| {
            let values: Vec<f64> = line.iter().map(|value| f64::from(*value)).collect();
            let turned: Vec<f64> = values.iter().map(|value| -value).collect();
            [peaks(&values, false), peaks(&turned, false)].concat()
        };
        self.lines.iter().flat_map(both).map(|i| (self.times[i], ())).collect()
    }

    fn is_of(&self, model: &Arc<Model>, clip: ClipId, node: NodeId, kind: Kind) -> bool {
        let (of, rest) = (&self.of.0, (self.of.1, self.of.2, self.of.3));
        std::ptr::eq(of.as_ptr(), Arc::as_ptr(model)) && rest == (clip, node, kind)
    }
}

pub(super) fn show(ui: &mut Ui, session: &Session, tab: &mut Tab, curves: &mut Curves, commands: &mut Vec<Command>) {
    let Some(model) = session.document().map(|document| document.stored()) else { return };
    let Some(clip) = session.playback().clip else {
        return empty(ui, tab, "This file has no clip, so there are no curves.");
    };
    let Some(node) = session.view().selected else {
        return empty(ui, tab, "Select a joint to see its curves.");
    };
    if !curves.sampled.as_ref().is_some_and(|sampled| sampled.is_of(model, clip, node, curves.kind)) {
        let other_clip = curves.sampled.as_ref().is_none_or(|sampled| sampled.of.1 != clip);
        curves.zoom.take_if(|_| other_clip);
        curves.sampled = Some(SampledCurves::new(model, clip, node, curves.kind));
    }
    let is_edited = session.edits().nodes.get(&node).is_some_and(|edit| match curves.kind.path() {
        Path::Translation => edit.translation.is_some(),
        Path::Scale => edit.scale.is_some(),
        _ => edit.rotation.is_some(),
    });
    let Curves { kind, zoom, sampled } = curves;
    let filters = |ui: &mut Ui| {
        let choices = KINDS.map(|(k, name, help)| (name, k == *kind, help.to_owned()));
        if let Some(chosen) = segments(ui, &choices) {
            *kind = KINDS[chosen].0;
        }
        legend(ui, *kind);
        if zoom.is_some()
            && text_button(ui, None, "Whole clip", false).on_hover_text("Show the whole clip again").clicked()
        {
            *zoom = None;
        }
        if is_edited {
            let amber = colors(ui).amber;
            ui.label(RichText::new("An edit of the pose replaces it.").font(theme::regular(12.0)).color(amber));
        }
    };
    bar(ui, tab, 560.0, filters, None);
    if let Some(sampled) = sampled {
        let name = &model.skeleton.names[node.index()];
        plot(ui, session, (&*sampled, name), zoom, commands);
    }
    ui.take_available_space();
}

/// Returns the colour of a component.
fn ink(ui: &Ui, component: usize) -> Color32 {
    let c = colors(ui);
    c.axes.get(component).copied().unwrap_or(c.text)
}

fn legend(ui: &mut Ui, kind: Kind) {
    let count = if kind == Kind::Quaternion { 4 } else { 3 };
    for (i, name) in ["X", "Y", "Z", "W"].into_iter().take(count).enumerate() {
        let ink = ink(ui, i);
        ui.label(RichText::new(name).font(theme::strong(12.0)).color(ink));
    }
}

/// The axes of the plot.
struct Axes {
    rect: Rect,
    times: [f32; 2],
    values: [f32; 2],
}

impl Axes {
    /// Fits the numbers of the moments that are shown.
    fn new(rect: Rect, sampled: &SampledCurves, times: [f32; 2]) -> Self {
        let shown = |secs: &f32| (times[0]..=times[1]).contains(secs);
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for line in &sampled.lines {
            for (value, _) in line.iter().zip(&sampled.times).filter(|(value, secs)| value.is_finite() && shown(secs)) {
                (low, high) = (low.min(*value), high.max(*value));
            }
        }
        if low > high {
            (low, high) = (0.0, 0.0);
        }
        let room = (0.08 * (high - low)).max(1e-3 * high.abs().max(low.abs())).max(sampled.of.3.least_room());
        Self { rect, times, values: [low - room, high + room] }
    }

    fn x(&self, secs: f32) -> f32 {
        let [start, end] = self.times;
        self.rect.left() + (secs - start) / (end - start).max(1e-6) * self.rect.width()
    }

    fn secs(&self, x: f32) -> f32 {
        let [start, end] = self.times;
        start + (x - self.rect.left()) / self.rect.width().max(1.0) * (end - start)
    }

    fn y(&self, value: f32) -> f32 {
        let [low, high] = self.values;
        self.rect.bottom() - (value - low) / (high - low).max(1e-12) * self.rect.height()
    }

    fn at(&self, secs: f32, value: f32) -> Pos2 {
        pos2(self.x(secs), self.y(value))
    }
}

fn plot(
    ui: &mut Ui,
    session: &Session,
    (sampled, name): (&SampledCurves, &str),
    zoom: &mut Option<[f32; 2]>,
    commands: &mut Vec<Command>,
) {
    let c = colors(ui);
    let margin = f32::from(MARGIN);
    let whole = ui
        .available_rect_before_wrap()
        .shrink2(vec2(margin, 0.0))
        .with_max_y(ui.available_rect_before_wrap().bottom() - 8.0);
    let rect = whole.with_min_x(whole.left() + GUTTER).with_max_y(whole.bottom() - TIMES);
    if rect.width() < 20.0 || rect.height() < 20.0 {
        return;
    }
    let response = ui.interact(rect, ui.scope_id().with("curves"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("Curves of {name}")));
    let length = session.model().map_or(0.0, |model| session.playback().duration_secs(model));
    let axes = Axes::new(rect.shrink2(vec2(8.0, 6.0)), sampled, zoom.unwrap_or([0.0, length]));
    ui.painter().rect_filled(rect, CornerRadius::same(4), c.raised);
    numbers(ui, whole, &axes, sampled.unit());
    time_labels(ui, axes.rect.x_range(), rect.bottom(), axes.times);
    let painter = ui.painter().with_clip_rect(rect);
    for (i, line) in sampled.lines.iter().enumerate().rev() {
        let points: Vec<Pos2> = sampled.times.iter().zip(line).map(|(secs, value)| axes.at(*secs, *value)).collect();
        painter.add(Shape::line(points, Stroke::new(1.5, ink(ui, i))));
    }
    for (i, line) in sampled.lines.iter().enumerate() {
        // Keys closer than a point are one dot, so that a dense clip costs no more than its width.
        let mut last = f32::NEG_INFINITY;
        for key in &sampled.keys {
            let at = axes.at(sampled.times[*key], line[*key]);
            if at.x - last >= 1.0 && rect.x_range().contains(at.x) {
                painter.circle(at, 3.0, ink(ui, i), Stroke::new(1.0, c.raised));
                last = at.x;
            }
        }
    }
    let now = session.playback().time_secs;
    painter.vline(axes.x(now), rect.y_range(), Stroke::new(2.0, c.accent));
    scrub(ui, session, &axes, &response, commands);
    if let Some((secs, ())) = walked(&sampled.peaks(), now, steps(ui, &response)) {
        commands.push(PlaybackCommand::Seek(*secs).into());
    }
    focus_ring(ui, rect, &response);
    wheel(ui, &axes, &response, length, zoom);
    show_values(ui, &response, &axes, sampled);
}

/// Shows the numbers of the vertical axis.
fn numbers(ui: &Ui, whole: Rect, axes: &Axes, (unit, per_value): (&str, f32)) {
    let c = colors(ui);
    let [low, high] = axes.values.map(|value| value * per_value);
    let step = nice(f64::from(high - low) / 4.0);
    let digits = decimals(step);
    let first = (f64::from(low) / step).ceil() as i64;
    for i in (0..12).map(|i| first.saturating_add(i)) {
        let value = (i as f64 * step) as f32;
        if value > high {
            break;
        }
        let y = axes.y(value / per_value);
        ui.painter().hline(whole.x_range().min + GUTTER..=whole.right(), y, Stroke::new(1.0, c.line));
        let text = format!("{}{unit}", number(value, digits));
        value_label(ui, &text, whole.left() + GUTTER - 8.0, y, GUTTER - 8.0);
    }
}

fn scrub(ui: &Ui, session: &Session, axes: &Axes, response: &Response, commands: &mut Vec<Command>) {
    let playback = session.playback();
    if let Some(drag) = slider_drag(ui, response) {
        let secs = axes.secs(drag.at.x);
        // While the clip plays, time advances between two moves of the pointer, so that a drag has to stop it.
        if playback.playing || secs != playback.time_secs {
            commands.push(PlaybackCommand::Seek(secs).into());
        }
    }
}

/// Zooms around the pointer, or with Shift moves along.
fn wheel(ui: &Ui, axes: &Axes, response: &Response, length: f32, zoom: &mut Option<[f32; 2]>) {
    let Some(pointer) = response.hover_pos() else { return };
    let (scroll, shift) = ui.input(|i| (i.smooth_scroll_delta(), i.modifiers.shift));
    let by = if scroll.y.abs() > scroll.x.abs() { scroll.y } else { scroll.x };
    if by == 0.0 || length <= SHORTEST {
        return;
    }
    let [start, end] = axes.times;
    let shown = end - start;
    let [start, end] = if shift || scroll.x.abs() > scroll.y.abs() {
        let moved = -by / axes.rect.width().max(1.0) * shown;
        let moved = moved.min(length - end).max(-start);
        [start + moved, end + moved]
    } else {
        let at = axes.secs(pointer.x).clamp(start, end);
        let wanted = (shown * (-0.005 * by).exp()).clamp(SHORTEST, length);
        let from = (at - (at - start) / shown * wanted).clamp(0.0, length - wanted);
        [from, from + wanted]
    };
    *zoom = Some([start, end]).filter(|_| end - start < 0.999 * length);
}

/// Shows the values of the curves at the pointer.
fn show_values(ui: &Ui, response: &Response, axes: &Axes, sampled: &SampledCurves) {
    let Some(pointer) = response.hover_pos().filter(|_| !response.dragged()) else { return };
    let c = colors(ui);
    let secs = axes.secs(pointer.x);
    let index = sampled.times.partition_point(|time| *time < secs).min(sampled.times.len().saturating_sub(1));
    let (unit, per_value) = sampled.unit();
    let value = |line: &Vec<f32>| format!("{}{unit}", number(per_value * line[index], 3));
    let values = sampled.lines.iter().map(value).collect::<Vec<_>>().join("  ");
    ui.painter().vline(axes.x(sampled.times[index]), axes.rect.y_range(), Stroke::new(1.0, c.faint));
    response.clone().on_hover_cursor(CursorIcon::ResizeHorizontal).on_hover_text_at_pointer(format!(
        "{} s\n{values}\nDrag to scrub, turn the wheel to zoom, go from peak to peak by ← and →",
        number(sampled.times[index], 3)
    ));
}
