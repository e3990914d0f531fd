//! The ruler of the timeline: ticks, key diamonds and the playhead; dragging anywhere on it scrubs, from frame to frame, with Alt
//! freely.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use egui::accesskit::{Action, ActionData, Role};
use egui::{Align2, Color32, CursorIcon, Rect, Response, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use skinscope_model::{Clip, ClipId, Model, NodeId, Path};
use skinscope_session::{ChannelKind, Command, KeyingCommand, PlaybackCommand, Session};

use super::theme::{self, SMALL, colors};
use super::tour::Named;
use super::widgets::{describe, elided, number, paint_line, slider_drag};

/// Key times in rows, cached until clip or selection change.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    of: Option<(Weak<Model>, ClipId, Option<NodeId>)>,
    rows: Vec<Lane>,
    /// The key that is dragged (seconds), and the coordinate at which the drag began, points.
    dragged_key: Option<(f32, f32)>,
}

#[derive(Debug)]
struct Lane {
    label: &'static str,
    /// The channels that an edit of the pose would override.
    kind: Option<ChannelKind>,
    /// The key times in seconds, rising.
    times: Vec<f32>,
}

impl Lanes {
    fn follow(&mut self, model: &Arc<Model>, clip: ClipId, session: &Session) {
        let selected = session.view().selected;
        let is_same = |(of, its_clip, node): &(Weak<Model>, ClipId, Option<NodeId>)| {
            std::ptr::eq(of.as_ptr(), Arc::as_ptr(model)) && (*its_clip, *node) == (clip, selected)
        };
        if self.of.as_ref().is_some_and(is_same) {
            return;
        }
        self.of = Some((Arc::downgrade(model), clip, selected));
        self.rows.clear();
        let clip = &model.clips[clip.index()];
        for (path, label, kind) in lanes_of(clip) {
            let lists: BTreeSet<usize> = clip
                .channels
                .iter()
                .filter(|c| c.path == path && selected.is_none_or(|node| c.node == node))
                .map(|c| clip.samplers[c.sampler].times)
                .collect();
            let mut times: Vec<f32> = lists.iter().flat_map(|list| clip.times[*list].iter().copied()).collect();
            times.sort_by(f32::total_cmp);
            times.dedup();
            self.rows.push(Lane { label, kind, times });
        }
    }
}

/// Returns the properties that can have keys: those of the selected node, else of all nodes. The rows stay the same
/// whatever is selected, so that a click on a joint does not move the picture.
fn lanes_of(clip: &Clip) -> impl Iterator<Item = (Path, &'static str, Option<ChannelKind>)> {
    let paths = [
        (Path::Translation, "Translation", Some(ChannelKind::Translation)),
        (Path::Rotation, "Rotation", Some(ChannelKind::Rotation)),
        (Path::Scale, "Scale", Some(ChannelKind::Scale)),
        (Path::Weights, "Morph weights", None),
    ];
    let has_weights = clip.channels.iter().any(|c| c.path == Path::Weights);
    paths.into_iter().filter(move |(path, ..)| *path != Path::Weights || has_weights)
}

/// Returns the height of the ruler and the rows of a clip, points.
pub(super) fn height(clip: &Clip) -> f32 {
    RULER + 14.0 + LANE * lanes_of(clip).count() as f32
}

/// Converts seconds to points and back.
#[derive(Clone, Copy)]
struct Scale {
    left: f32,
    width: f32,
    length_secs: f32,
}

impl Scale {
    fn x(self, secs: f32) -> f32 {
        self.left + secs / self.length_secs * self.width
    }

    fn secs(self, x: f32) -> f32 {
        ((x - self.left) / self.width.max(1.0) * self.length_secs).clamp(0.0, self.length_secs)
    }
}

/// The width of the names of the rows, points.
const GUTTER: f32 = 96.0;
const RULER: f32 = 25.0;
/// The height of a row of keys, points.
const LANE: f32 = 18.0;
/// The distance between the ends of the time line and the edges of the area, so that the first and last key are whole;
/// points.
const PAD: f32 = 12.0;

pub(super) fn show(ui: &mut Ui, model: &Arc<Model>, session: &Session, lanes: &mut Lanes, commands: &mut Vec<Command>) {
    let Some(clip) = session.playback().clip else { return };
    lanes.follow(model, clip, session);
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    let area = rect.with_min_x(rect.left() + GUTTER);
    let length_secs = session.playback().timeline_secs(model);
    let scale = Scale { left: area.left() + PAD, width: area.width() - 2.0 * PAD, length_secs };
    let response = ui.interact(area, ui.scope_id().with("ruler"), Sense::click_and_drag());
    let is_free = ui.input(|i| i.modifiers.alt);
    let time_at = |x: f32| match is_free {
        true => scale.secs(x),
        false => session.playback().nearest_frame_secs(scale.secs(x), model),
    };
    let dragged = drag_key(ui, session, (scale, area), &time_at, lanes, &response, commands);
    if dragged.is_none() {
        scrub(ui, session, scale, &time_at, &response, commands);
    }
    let end_secs = session.playback().duration_secs(model);
    if end_secs < length_secs {
        let after = area.with_min_x(scale.x(end_secs)).with_min_y(area.top() + RULER);
        ui.painter().rect_filled(after, 0.0, colors(ui).raised.gamma_multiply(0.6));
    }
    ticks(ui, area, scale);
    keys(ui, rect, area, scale, session, lanes);
    no_keys(ui, area, model, session, lanes);
    if let Some(pointer) = response.hover_pos().filter(|_| !response.is_pointer_button_down_on()) {
        hover_line(ui, area, scale, time_at(pointer.x));
    }
    playhead(ui, area, scale, session.playback().time_secs);
    if let Some(secs) = dragged {
        hover_line(ui, area, scale, secs);
        let top = area.top() + RULER + 4.0;
        for i in 0..lanes.rows.len() {
            let at = pos2(scale.x(secs), top + (i as f32 + 0.5) * LANE);
            ui.painter().add(diamond(at, 4.0, colors(ui).accent));
        }
    }
    response.on_hover_cursor(CursorIcon::ResizeHorizontal);
}

/// Drags a key of a clip made of poses; returns the time to which it would move now, seconds.
fn drag_key(
    ui: &Ui,
    session: &Session,
    (scale, area): (Scale, Rect),
    time_at: &dyn Fn(f32) -> f32,
    lanes: &mut Lanes,
    response: &Response,
    commands: &mut Vec<Command>,
) -> Option<f32> {
    /// How near to a key the pointer must be, and how far it must move before the key does, points.
    const NEAR: f32 = 6.0;
    const STILL: f32 = 3.0;
    let Some(drag) = slider_drag(ui, response) else {
        lanes.dragged_key = None;
        return None;
    };
    let pressed = drag.pressed.filter(|at| at.y > area.top() + RULER);
    if let (Some(at), Some((_, clip))) = (pressed, session.clip_keys().keyed_clip()) {
        let keys = clip.times.iter().flatten().map(|secs| (*secs, (scale.x(*secs) - at.x).abs()));
        let nearest = keys.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, off)| *off <= NEAR);
        lanes.dragged_key = nearest.map(|(secs, _)| (secs, at.x));
    }
    let (from, start) = lanes.dragged_key?;
    let to = if (drag.at.x - start).abs() < STILL { from } else { time_at(drag.at.x) };
    if drag.released {
        lanes.dragged_key = None;
        if to != from {
            commands.push(KeyingCommand::MoveKey(from, to).into());
        }
        commands.push(PlaybackCommand::Seek(to).into());
    }
    Some(to)
}

fn scrub(
    ui: &Ui,
    session: &Session,
    scale: Scale,
    time_at: &dyn Fn(f32) -> f32,
    response: &Response,
    commands: &mut Vec<Command>,
) {
    let playback = session.playback();
    let mut wanted = None;
    if let Some(slider_drag) = slider_drag(ui, response) {
        let secs = time_at(slider_drag.at.x);
        // While the clip plays, time advances between two moves of the pointer, so that a drag has to stop it.
        if playback.playing || secs != playback.time_secs {
            wanted = Some(secs);
        }
    }
    ui.input(|i| {
        for request in i.accesskit_action_requests(response.id, Action::SetValue) {
            if let Some(ActionData::NumericValue(secs)) = request.data {
                wanted = Some(secs as f32);
            }
        }
    });
    let steps = ui.input(|i| {
        let count = |action| i.num_accesskit_action_requests(response.id, action) as i32;
        count(Action::Increment) - count(Action::Decrement)
    });
    commands.extend((steps != 0).then(|| Command::from(PlaybackCommand::StepFrames(steps))));
    commands.extend(wanted.map(|secs| Command::from(PlaybackCommand::Seek(secs))));
    Named::Timeline.is_at(ui, response.rect);
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Slider, ui.is_enabled(), "Time");
        info.value = Some(f64::from(playback.time_secs));
        info
    });
    describe(
        response,
        "The moment of the clip that is shown, seconds; a drag goes through the clip, and a drag of a key moves the key",
    );
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(f64::from(scale.length_secs));
        for action in [Action::SetValue, Action::Increment, Action::Decrement] {
            node.add_action(action);
        }
    });
}

/// Returns the seconds between labelled ticks, at least `points` apart (1, 2 or 5 times a power of ten), and how many
/// small ticks divide it.
fn tick_step(length_secs: f32, width: f32, points: f32) -> (f64, u32) {
    let least = f64::from(length_secs) * f64::from(points) / f64::from(width.max(1.0));
    let power = 10.0_f64.powf(least.max(1e-9).log10().floor());
    let (factor, parts) = [(1.0, 5), (2.0, 4), (5.0, 5), (10.0, 5)]
        .into_iter()
        .find(|(factor, _)| factor * power >= least * 0.999_999)
        .unwrap_or((10.0, 5));
    (factor * power, parts)
}

fn ticks(ui: &Ui, area: Rect, scale: Scale) {
    let c = colors(ui);
    let base = area.top() + RULER;
    let painter = ui.painter();
    painter.hline(area.x_range(), area.top(), Stroke::new(1.0, c.line));
    painter.hline(area.x_range(), base, Stroke::new(1.0, c.line));
    let (step, parts) = tick_step(scale.length_secs, scale.width, 72.0);
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(1.0, 6.0) as usize;
    let fine = step / f64::from(parts);
    let count = (f64::from(scale.length_secs) / fine + 1e-6).floor() as usize;
    for i in 0..=count {
        let secs = (i as f64 * fine) as f32;
        let x = scale.x(secs);
        if !i.is_multiple_of(parts as usize) {
            painter.vline(x, base - 4.0..=base, Stroke::new(1.0, c.faint));
            continue;
        }
        painter.vline(x, base - 7.0..=base, Stroke::new(1.0, c.dim));
        let text = number(secs, decimals);
        let galley = painter.layout_no_wrap(text, theme::regular(SMALL), c.dim);
        let left = (x - 0.5 * galley.size().x).clamp(area.left(), area.right() - galley.size().x);
        painter.galley(pos2(left, area.top() + 1.0), galley, c.dim);
    }
}

fn diamond(center: egui::Pos2, radius: f32, fill: Color32) -> Shape {
    let corners = [vec2(0.0, -radius), vec2(radius, 0.0), vec2(0.0, radius), vec2(-radius, 0.0)];
    Shape::convex_polygon(corners.map(|v| center + v).to_vec(), fill, Stroke::NONE)
}

fn keys(ui: &Ui, rect: Rect, area: Rect, scale: Scale, session: &Session, lanes: &Lanes) {
    let c = colors(ui);
    let top = area.top() + RULER + 4.0;
    let edit = session.view().selected.and_then(|n| session.edits().nodes.get(&n));
    for (i, lane) in lanes.rows.iter().enumerate() {
        let y = top + (i as f32 + 0.5) * LANE;
        let overridden = edit.is_some_and(|edit| match lane.kind {
            Some(ChannelKind::Translation) => edit.translation.is_some(),
            Some(ChannelKind::Rotation) => edit.rotation.is_some(),
            Some(ChannelKind::Scale) => edit.scale.is_some(),
            None => false,
        });
        let ink = if overridden { c.amber } else { c.dim };
        let (label, _) = elided(ui, lane.label, theme::regular(SMALL), ink, GUTTER - 8.0);
        paint_line(ui, label, rect.left(), y, ink);
        let fill = if overridden { c.amber } else { c.dim };
        let radius = 4.0;
        // Keys closer than a point are one diamond, so a dense clip costs no more than its width.
        let mut last = f32::NEG_INFINITY;
        for secs in &lane.times {
            let x = scale.x(*secs);
            if x - last < 1.0 {
                continue;
            }
            last = x;
            let now = (*secs - session.playback().time_secs).abs() < 0.5 / session.playback().fps.max(1.0);
            let fill = if now && !overridden { c.accent } else { fill };
            ui.painter().add(diamond(pos2(x, y), radius, fill));
        }
    }
}

/// Says that the clip has no key of the selected node, where it has none.
fn no_keys(ui: &Ui, area: Rect, model: &Model, session: &Session, lanes: &Lanes) {
    let selected = session.view().selected.filter(|_| lanes.rows.iter().all(|lane| lane.times.is_empty()));
    let name = selected.and_then(|node| model.skeleton.names.get(node.index()));
    let clip = session.playback().clip.and_then(|clip| model.clips.get(clip.index()));
    let (Some(name), Some(clip)) = (name, clip) else { return };
    let dim = colors(ui).dim;
    let text = format!("{} has no key of {name}.", clip.name);
    let (galley, _) = elided(ui, &text, theme::regular(SMALL), dim, area.width() - 2.0 * PAD);
    paint_line(ui, galley, area.left() + PAD, area.top() + RULER + 4.0 + 1.5 * LANE, dim);
}

/// Marks the time to which a click would go.
fn hover_line(ui: &Ui, area: Rect, scale: Scale, secs: f32) {
    let c = colors(ui);
    let x = scale.x(secs);
    ui.painter().vline(x, area.top() + RULER..=area.bottom() - 2.0, Stroke::new(1.0, c.faint));
    let text = format!("{} s", number(secs, 3));
    label_at(ui, area, x, &text, c.raised, c.text);
}

fn playhead(ui: &Ui, area: Rect, scale: Scale, secs: f32) {
    let c = colors(ui);
    let x = scale.x(secs);
    let painter = ui.painter();
    // Its head is under the figures of the ruler, so that none is covered.
    let top = area.top() + RULER - 9.0;
    painter.vline(x, top + 2.0..=area.bottom() - 2.0, Stroke::new(2.0, c.accent));
    let corners = vec![pos2(x - 6.0, top), pos2(x + 6.0, top), pos2(x, top + 9.0)];
    painter.add(Shape::convex_polygon(corners, c.accent, Stroke::NONE));
}

fn label_at(ui: &Ui, area: Rect, x: f32, text: &str, fill: Color32, ink: Color32) {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::regular(SMALL), ink);
    let size = galley.size() + vec2(10.0, 4.0);
    let left = (x - 0.5 * size.x).clamp(area.left(), (area.right() - size.x).max(area.left()));
    let rect = Rect::from_min_size(pos2(left, area.top() + 2.0), size);
    ui.painter().rect_filled(rect, 4.0, fill);
    ui.painter().galley(Align2::CENTER_CENTER.align_size_within_rect(galley.size(), rect).min, galley, ink);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_far_enough_apart() {
        for (length, width, want) in [(2.0, 1300.0, 0.2), (1.0, 300.0, 0.5), (120.0, 1300.0, 10.0), (0.1, 1300.0, 0.01)]
        {
            let (step, _) = tick_step(length, width, 72.0);
            assert!((step - want).abs() < 1e-9, "{length} s over {width}: {step}");
            assert!(step / f64::from(length) * f64::from(width) >= 71.9);
        }
    }

    #[test]
    fn points_and_seconds_are_inverse_and_clamped() {
        let scale = Scale { left: 100.0, width: 500.0, length_secs: 2.0 };
        assert!((scale.secs(scale.x(1.25)) - 1.25).abs() < 1e-6);
        assert_eq!((scale.secs(0.0), scale.secs(9999.0)), (0.0, 2.0));
    }
}
