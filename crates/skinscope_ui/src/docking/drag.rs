//! The drag of a panel: where it would go is shown while the button is down, and it goes there when the button is let go. Esc leaves it where it is.

use egui::{
    Color32, CornerRadius, CursorIcon, Id, Key, LayerId, Modifiers, Order, Pos2, Rect, Stroke, StrokeKind, Ui, vec2,
};
use skinscope_session::{Command, DockPanel, WindowCommand};

use super::arrangement::{Arrangement, Edge, Side, Target, float_size};
use super::{DockState, ShownCell};
use crate::UiState;
use crate::theme::{self, SMALL, colors};

/// How near to the edge of the window a panel becomes a dock along the whole of it, points.
const EDGE: f32 = 14.0;
/// The part of the picture, from each edge, in which a panel becomes a dock beside it.
const PICTURE_PART: f32 = 0.22;
/// The part of a cell, from each edge, in which a panel comes beside it; in the middle it is stacked.
const CELL_PART: f32 = 0.25;
/// How wide or high the sign of a new dock is, points.
const SIGN: f32 = 240.0;

/// Where a panel would go, the rectangle that shows it (points), and what that is called.
type Drop = (Target, Rect, String);

/// Shows the drag, and ends it. `picture` is the rectangle that the panels leave.
pub(crate) fn show(ui: &Ui, state: &mut UiState, picture: Rect, commands: &mut Vec<Command>) {
    note_last(ui, &mut state.dock);
    state.dock.picture = Some(picture);
    let Some(panel) = state.dock.drag else { return };
    let (at, is_down) = ui.input(|i| (i.pointer.latest_pos(), i.pointer.primary_down()));
    let escaped = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
    let window = ui
        .ctx()
        .content_rect()
        .with_min_y(state.dock.cells.iter().map(|cell| cell.dock.top()).fold(picture.top(), f32::min));
    // What the window has stacked is what the user sees and moves.
    let now = state.dock.stacked.as_ref().unwrap_or(&state.saved.layout).clone();
    let drop = at.and_then(|at| drop_at(&now, &state.dock, panel, at, (window, picture)));
    if escaped || !is_down {
        state.dock.drag = None;
        if let Some((target, ..)) = drop.filter(|_| !escaped) {
            let mut arrangement = now.clone();
            if arrangement.place(panel, target) && arrangement != now {
                commands.push(WindowCommand::ArrangePanels(arrangement.to_string()).into());
                state.dock.last = Some(panel);
            }
        }
        ui.ctx().request_repaint();
        return;
    }
    ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
    let c = colors(ui);
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Tooltip, Id::unique("where a panel goes")));
    let text = match &drop {
        Some((_, rect, text)) => {
            let fill = Color32::from_rgba_unmultiplied(c.accent.r(), c.accent.g(), c.accent.b(), 56);
            painter.rect(*rect, CornerRadius::same(4), fill, Stroke::new(1.5, c.accent), StrokeKind::Inside);
            format!("{}: {text}", panel.title())
        }
        None => panel.title().to_owned(),
    };
    if let Some(at) = at {
        let galley = painter.layout_no_wrap(text, theme::regular(SMALL), c.text);
        let plate = Rect::from_min_size(at + vec2(14.0, 14.0), galley.size() + vec2(16.0, 10.0));
        let plate = inside(plate, window);
        painter.rect(plate, CornerRadius::same(4), c.panel, Stroke::new(1.0, c.line), StrokeKind::Inside);
        painter.galley(plate.min + vec2(8.0, 5.0), galley, c.text);
    }
}

/// Moves a rectangle into another one, where it has room there.
pub(crate) fn inside(rect: Rect, outer: Rect) -> Rect {
    let least = outer.min;
    let most = (outer.max - rect.size()).max(least);
    Rect::from_min_size(rect.min.clamp(least, most), rect.size())
}

/// Notes which panel was used last: where the pointer was pressed, or what has the focus.
fn note_last(ui: &Ui, dock: &mut DockState) {
    let pressed = ui.input(|i| i.pointer.any_pressed().then(|| i.pointer.interact_pos()).flatten());
    // While a menu or a dialog is open what is behind it is not used.
    let pressed = pressed.filter(|at| {
        let layer = ui.ctx().layer_id_at(*at);
        layer.is_none_or(|layer| matches!(layer.order, Order::Background | Order::Middle))
    });
    // A response would take the focus from what the pointer is not over.
    let focused = ui.memory(|m| m.focused());
    let focused = focused.and_then(|id| ui.ctx().viewport(|v| v.this_pass.widgets.get(id).copied()));
    let focused = focused.filter(|widget| matches!(widget.layer_id.order, Order::Background | Order::Middle));
    let at = pressed.or(focused.map(|widget| widget.rect.center()));
    dock.last = at.and_then(|at| dock.cell_at(at)).map(|cell| cell.panel).or(dock.last);
}

/// Returns where a panel goes that is let go at this point.
fn drop_at(
    arrangement: &Arrangement,
    dock: &DockState,
    panel: DockPanel,
    at: Pos2,
    (window, picture): (Rect, Rect),
) -> Option<Drop> {
    let can = |(target, rect, text): Drop| arrangement.can_place(panel, target).then_some((target, rect, text));
    if let Some(cell) = dock.cell_at(at).filter(|cell| cell.edge.is_none() && cell.panel != panel) {
        return can((Target::Tab(cell.panel), cell.rect, format!("stack with {}", cell.panel.title())));
    }
    if let Some(drop) = at_edges(window, at, EDGE, 0.5 * SIGN)
        .map(|(edge, rect)| (Target::Outermost(edge), rect, format!("at the {} of the window", name(edge))))
        && let Some(drop) = can(drop)
    {
        return Some(drop);
    }
    if let Some(cell) = dock.cell_at(at).filter(|cell| cell.edge.is_some()) {
        // The others of its own stack say where the cell is.
        let mut others = std::iter::once(cell.panel).chain(arrangement.stack(cell.panel).iter().copied());
        let of = others.find(|other| *other != panel)?;
        return in_cell(cell, of, at).and_then(can);
    }
    let parts = picture.size() * PICTURE_PART;
    if picture.contains(at)
        && let Some((edge, rect)) = at_edges(picture, at, parts.min_elem(), parts.min_elem())
        && let Some(drop) = can((Target::Innermost(edge), rect, format!("at the {} of the picture", name(edge))))
    {
        return Some(drop);
    }
    let rect = Rect::from_min_size(at - vec2(40.0, 12.0), float_size(panel));
    let rect = inside(rect, window);
    Some((Target::Float(rect), rect, "float".to_owned()))
}

fn name(edge: Edge) -> &'static str {
    match edge {
        Edge::Left => "left",
        Edge::Right => "right",
        Edge::Bottom => "bottom",
    }
}

/// Returns the edge of a rectangle that a point is near to, with the strip of this width (points) along it.
fn at_edges(rect: Rect, at: Pos2, near: f32, strip: f32) -> Option<(Edge, Rect)> {
    let left = rect.with_max_x(rect.left() + strip);
    let right = rect.with_min_x(rect.right() - strip);
    let bottom = rect.with_min_y(rect.bottom() - strip);
    let distances = [
        (at.x - rect.left(), Edge::Left, left),
        (rect.right() - at.x, Edge::Right, right),
        (rect.bottom() - at.y, Edge::Bottom, bottom),
    ];
    let nearest = distances.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    (nearest.0 < near).then_some((nearest.1, nearest.2))
}

/// Returns what happens to a panel that is let go in the cell of the panel `of`.
fn in_cell(cell: &ShownCell, of: DockPanel, at: Pos2) -> Option<Drop> {
    let title = of.title();
    let along = (at - cell.rect.min) / cell.rect.size();
    let is_column = cell.edge?.is_column();
    let half = |x: std::ops::Range<f32>, y: std::ops::Range<f32>| {
        let at = |x: f32, y: f32| cell.rect.min + cell.rect.size() * vec2(x, y);
        Rect::from_min_max(at(x.start, y.start), at(x.end, y.end))
    };
    let (top, bottom) = (half(0.0..1.0, 0.0..0.5), half(0.0..1.0, 0.5..1.0));
    let (left, right) = (half(0.0..0.5, 0.0..1.0), half(0.5..1.0, 0.0..1.0));
    // The outer side of a column at the right is its right side.
    let is_right = cell.edge == Some(Edge::Right);
    let beside = |is_outer: bool| Target::Beside(of, if is_outer { Side::Before } else { Side::After });
    let sides = match is_column {
        true => [
            (along.y, Target::Cell(of, Side::Before), top, format!("above {title}")),
            (1.0 - along.y, Target::Cell(of, Side::After), bottom, format!("below {title}")),
            (along.x, beside(!is_right), left, format!("left of {title}")),
            (1.0 - along.x, beside(is_right), right, format!("right of {title}")),
        ],
        false => [
            (along.y, beside(false), top, format!("above {title}")),
            (1.0 - along.y, beside(true), bottom, format!("below {title}")),
            (along.x, Target::Cell(of, Side::Before), left, format!("left of {title}")),
            (1.0 - along.x, Target::Cell(of, Side::After), right, format!("right of {title}")),
        ],
    };
    let nearest = sides.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(match nearest {
        (distance, target, rect, text) if distance < CELL_PART => (target, rect, text),
        _ => (Target::Tab(of), cell.rect, format!("stack with {title}")),
    })
}
