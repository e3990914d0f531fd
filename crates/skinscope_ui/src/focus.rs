//! The order in which Tab moves the focus: reading order through the panels (the top bar, the outliner, the view with
//! the tables below it, the inspector, the timeline), and within each of them line by line. egui alone would use the
//! order in which panels are laid out. Tab skips some widgets: the slider beside a value that can be typed, the rows of
//! a list that has arrows.

use std::ops::Range;

use egui::accesskit::{self, Action};
use egui::{Context, CornerRadius, Event, Id, IdSet, LayerId, Order, Stroke, StrokeKind, Ui, WidgetRect};

use super::theme::{RADIUS, colors};

/// The state that persists from one pass to the next.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// Ranges of the list of all widgets of the window itself, in the order in which Tab visits them.
    panels: Vec<Range<usize>>,
    /// The layers of panels that float over the picture, which Tab visits last.
    pub(super) floats: Vec<LayerId>,
    /// Whether the focus came by keyboard, so that it is shown.
    pub(super) by_key: bool,
}

/// The panels in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FocusRegion {
    Menu,
    Outliner,
    View,
    Tables,
    Page,
    Manual,
    Tools,
    Paint,
    Deformation,
    Statistics,
    Inspector,
    Timeline,
}

/// Counts widgets while panels are shown.
pub(super) struct FocusCounter {
    layer: LayerId,
    seen: usize,
    panels: Vec<(FocusRegion, Range<usize>)>,
}

impl FocusCounter {
    pub(super) fn new(ui: &Ui) -> Self {
        Self { layer: ui.layer_id(), seen: 0, panels: Vec::new() }
    }

    /// Notes that all widgets shown since the last call belong to `region`.
    pub(super) fn shown(&mut self, ui: &Ui, region: FocusRegion) {
        let now = ui.ctx().viewport(|v| v.this_pass.widgets.get_layer(self.layer).count());
        self.panels.push((region, self.seen..now));
        self.seen = now;
    }

    /// Notes that all panels were shown.
    pub(super) fn done(mut self, focus: &mut Focus) {
        self.panels.sort_by_key(|(region, _)| *region as usize);
        focus.panels = self.panels.into_iter().map(|(_, range)| range).collect();
    }
}

fn passed_over() -> Id {
    Id::unique("passed over by Tab")
}

/// Makes Tab skip this widget, which can have the focus all the same.
pub(super) fn pass_over(ui: &Ui, id: Id) {
    ui.data_mut(|d| d.get_temp_mut_or_default::<IdSet>(passed_over()).insert(id));
}

/// Returns the widgets that Tab skips, as far as they were shown in this pass.
pub(super) fn passed_over_by_tab(ui: &Ui) -> IdSet {
    ui.data(|d| d.get_temp(passed_over())).unwrap_or_default()
}

/// Makes Tab skip these widgets.
pub(super) fn pass_over_all(ui: &Ui, ids: &IdSet) {
    ui.data_mut(|d| d.get_temp_mut_or_default::<IdSet>(passed_over()).extend(ids));
}

/// Moves the focus where Tab was pressed (backwards with Shift). It is called before the first widget of a pass.
pub(super) fn step(ctx: &Context, layer: LayerId, focus: &mut Focus, back: bool) {
    let over: IdSet = ctx.data(|d| d.get_temp(passed_over())).unwrap_or_default();
    let all = in_order(ctx, layer, focus);
    let focused = ctx.memory(|m| m.focused());
    let at = all.iter().position(|w| Some(w.id) == focused);
    let is_stop = |w: &&WidgetRect| !over.contains(&w.id);
    let (before, after) = match at {
        Some(at) => (&all[..at], &all[at + 1..]),
        None if back => (&all[..], &all[..0]),
        None => (&all[..0], &all[..]),
    };
    let next = match back {
        false => after.iter().chain(before).find(is_stop),
        true => before.iter().rev().chain(after.iter().rev()).find(is_stop),
    };
    let Some(next) = next else { return };
    focus.by_key = true;
    ctx.memory_mut(|m| m.request_focus(next.id));
    // A widget that is scrolled out of sight is scrolled into it.
    if next.interact_rect.height() < next.rect.height() - 0.5 {
        let request = accesskit::ActionRequest {
            action: Action::ScrollIntoView,
            target_tree: accesskit::TreeId::ROOT,
            target_node: next.id.accesskit_id(),
            data: None,
        };
        ctx.input_mut(|i| i.events.push(Event::AccessKitActionRequest(request)));
    }
}

/// Returns all widgets of the last pass that can have the focus, in the order in which Tab visits them. While a list, a
/// menu or a dialog is open these are the widgets in it.
fn in_order(ctx: &Context, layer: LayerId, focus: &Focus) -> Vec<WidgetRect> {
    let can = |w: &&WidgetRect| w.enabled && w.visible && w.sense.is_focusable();
    let is_panel = |id: &LayerId| *id == layer || focus.floats.contains(id);
    let above = |id: &LayerId| !is_panel(id) && matches!(id.order, Order::Middle | Order::Foreground);
    let mut out = Vec::new();
    let floating: Vec<LayerId> = ctx.memory(|m| m.layer_ids().filter(above).collect());
    for layer in floating {
        let all: Vec<WidgetRect> =
            ctx.viewport(|v| v.prev_pass.widgets.get_layer(layer).filter(can).copied().collect());
        out.extend(by_lines(all));
    }
    out.retain(|w| ctx.memory(|m| m.allows_interaction(w.layer_id)));
    if out.is_empty() {
        let all: Vec<WidgetRect> = ctx.viewport(|v| v.prev_pass.widgets.get_layer(layer).copied().collect());
        for panel in &focus.panels {
            let panel = all.get(panel.clone()).unwrap_or_default();
            out.extend(by_lines(panel.iter().filter(can).copied().collect()));
        }
        for layer in &focus.floats {
            let all = ctx.viewport(|v| v.prev_pass.widgets.get_layer(*layer).filter(can).copied().collect());
            out.extend(by_lines(all));
        }
        out.retain(|w| ctx.memory(|m| m.allows_interaction(w.layer_id)));
    }
    out
}

/// Sorts widgets from the top line to the bottom one, and each line from left to right.
fn by_lines(mut widgets: Vec<WidgetRect>) -> Vec<WidgetRect> {
    /// The height of a line, points. A higher widget counts for its first line.
    const LINE: f32 = 24.0;
    let middle = |w: &WidgetRect| w.rect.top() + 0.5 * w.rect.height().min(LINE);
    widgets.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let mut lines: Vec<Vec<WidgetRect>> = Vec::new();
    for widget in widgets {
        match lines.last_mut().filter(|line| middle(&widget) - middle(&line[0]) < 0.4 * LINE) {
            Some(line) => line.push(widget),
            None => lines.push(vec![widget]),
        }
    }
    for line in &mut lines {
        line.sort_by(|a, b| a.rect.left().total_cmp(&b.rect.left()));
    }
    lines.concat()
}

/// Forgets which widgets Tab skips, to be collected anew. It is called before the first widget of a pass, after
/// [`step`].
pub(super) fn begin(ctx: &Context, focus: &mut Focus) {
    ctx.data_mut(|d| d.remove_temp::<IdSet>(passed_over()));
    focus.by_key &= !ctx.input(|i| i.pointer.any_pressed());
}

/// Draws a ring around the widget that has the focus, where it came by keyboard, since after a click one knows where it
/// is. It is called after the last widget of a pass.
pub(super) fn ring(ui: &Ui, focus: &Focus) {
    let ctx = ui.ctx();
    let focused = ctx.memory(|m| m.focused()).filter(|_| focus.by_key);
    let Some(widget) = focused.and_then(|id| ctx.viewport(|v| v.this_pass.widgets.get(id).copied())) else { return };
    let c = colors(ui);
    let painter = ctx.layer_painter(widget.layer_id).with_clip_rect(widget.interact_rect);
    let ring = |inset: f32, width: f32, color| {
        let radius = CornerRadius::same((f32::from(RADIUS) - inset).max(0.0) as u8);
        let stroke = Stroke::new(width, color);
        painter.rect_stroke(widget.rect.shrink(inset), radius, stroke, StrokeKind::Inside);
    };
    ring(0.0, 2.0, c.accent);
    // The ring is visible on widgets of its own colour, too.
    ring(2.0, 1.0, c.panel);
}
