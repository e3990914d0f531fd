//! A table of any length: rows and columns that are not visible cost nothing. It knows columns, rows by number and the
//! pointer, not what the numbers mean; its owner sorts and filters.
//!
//! It scrolls by itself, because a million rows are longer than what points in single precision can tell apart.

use egui::accesskit::Role;
use egui::{
    Align2, Color32, CornerRadius, Event, EventFilter, Id, Key, Modifiers, Painter, Pos2, Rect, Response, Sense, Shape,
    Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

use super::table_cells;
pub(super) use super::table_state::{RowStyle, Rows, TableResponse, TableState, TypedText};
use super::theme::{self, BODY, ROW, SMALL, colors};
use super::widgets::{focus_ring, paint_line, row_background, shortened, whole_on_hover};

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// The title in the head.
    pub title: String,
    /// The tooltip of the head, which explains the figures.
    pub help: String,
    /// The width in points.
    pub width: f32,
    /// Whether its texts are right-aligned, as numbers are.
    pub right: bool,
    /// Whether it takes the room that is left.
    pub grows: bool,
    /// Whether a click on the head sorts by it.
    pub sorts: bool,
}

/// A table with its columns.
pub(super) struct Table<'a> {
    /// The name for screen readers, such as "Joint table".
    pub name: &'a str,
    pub columns: &'a [Column],
    /// How many columns stay where they are while the others scroll.
    pub frozen: usize,
    /// The column that the rows are sorted by; true: the largest first.
    pub sorted: Option<(usize, bool)>,
}

const HEAD: f32 = ROW;
/// The most that a column grows by where there is room, points.
const MOST_SPARE: f32 = 160.0;
/// The most that all columns widen by where there is more room still, as a part of their widths.
const MOST_WIDER: f32 = 0.6;
const BAR: f32 = 10.0;
/// The space to the left and right of the text of a cell, points.
pub(super) const PAD: f32 = 8.0;

/// The rectangles of the table's parts in this frame.
struct Layout {
    /// The left edge of each column, and the right edge of the last; in points from the first.
    edges: Vec<f32>,
    head: Rect,
    body: Rect,
    /// The width of the columns that do not scroll.
    fixed: f32,
    /// How many rows fit.
    rows: f64,
}

impl Table<'_> {
    /// Shows the table in the room that there is.
    pub(super) fn show(&self, ui: &mut Ui, rows: &Rows<'_>, state: &mut TableState) -> TableResponse {
        let (outer, response) = ui.allocate_exact_size(ui.available_size().max(Vec2::splat(1.0)), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Table, true, self.name));
        let layout = self.layout(outer, rows);
        let mut answer = TableResponse::default();
        table_cells::keys(ui, &response, (rows, self.columns.len()), state, &mut answer);
        self.keys(ui, &response, rows, &layout, state, &mut answer);
        self.scroll(ui, outer, &layout, rows, state);
        self.bars(ui, outer, response.id, &layout, rows, state);
        self.body(ui, &response, &layout, rows, state, &mut answer);
        self.heads(ui, &response, &layout, state, &mut answer);
        table_cells::end(state);
        if answer.chosen.is_some() || answer.opened.is_some() {
            state.cursor = answer.chosen.map(|c| c.0).or(answer.opened);
            if state.editor.is_none() {
                response.request_focus();
            }
            state.by_pointer = ui.input(|i| i.pointer.any_released());
        }
        // After a click one knows where the focus is; the ring is for those who came by keys.
        state.by_pointer &= response.has_focus();
        if !state.by_pointer {
            focus_ring(ui, outer, &response);
        }
        answer
    }

    fn layout(&self, outer: Rect, rows: &Rows<'_>) -> Layout {
        let wanted: f32 = self.columns.iter().map(|c| c.width).sum();
        let tall = rows.count as f64 * f64::from(rows.height) > f64::from(outer.height() - HEAD);
        let right = outer.right() - if tall { BAR } else { 0.0 };
        let free = (right - outer.left() - wanted).max(0.0);
        let spare = free.min(MOST_SPARE);
        // A wide window does not tear a row apart: what is left goes to all columns alike, and not without end.
        let wider = 1.0 + ((free - spare) / wanted.max(1.0)).min(MOST_WIDER);
        let mut edges = vec![0.0];
        let mut x = 0.0;
        for column in self.columns {
            x += column.width * wider + if column.grows { spare } else { 0.0 };
            edges.push(x);
        }
        let wide = x > right - outer.left() + 0.5;
        let bottom = outer.bottom() - if wide { BAR } else { 0.0 };
        let split = outer.top() + HEAD;
        let head = Rect::from_min_max(outer.min, pos2(right, split));
        let body = Rect::from_min_max(pos2(outer.left(), split), pos2(right, bottom.max(split)));
        // A narrow view must leave room for the columns that scroll.
        let fixed = if edges[self.frozen] > 0.6 * body.width() { 0.0 } else { edges[self.frozen] };
        Layout { edges, head, body, fixed, rows: f64::from(body.height() / rows.height) }
    }

    /// Returns the columns that are at least partly visible, each with its left and right edge in the window.
    fn seen<'l>(&self, layout: &'l Layout, left: f32) -> impl Iterator<Item = (usize, f32, f32, bool)> + use<'l> {
        let frozen = if layout.fixed > 0.0 { self.frozen } else { 0 };
        let Layout { edges, body, fixed, .. } = layout;
        let first = edges.partition_point(|e| *e <= left + fixed).saturating_sub(1).max(frozen);
        let end = edges.partition_point(|e| *e < left + body.width()).min(edges.len() - 1);
        let moving = (first..end.max(first)).filter(|c| c + 1 < edges.len());
        let moving = moving.map(move |c| (c, body.left() + edges[c] - left, body.left() + edges[c + 1] - left, false));
        let still = (0..frozen).map(move |c| (c, body.left() + edges[c], body.left() + edges[c + 1], true));
        moving.chain(still)
    }

    fn keys(
        &self,
        ui: &Ui,
        response: &Response,
        rows: &Rows<'_>,
        layout: &Layout,
        state: &mut TableState,
        answer: &mut TableResponse,
    ) {
        let over = ui.rect_contains_pointer(response.rect) && ui.memory(|m| m.focused().is_none());
        if response.has_focus() || over {
            answer.copy = ui.input(|i| i.events.iter().any(|e| matches!(e, Event::Copy)));
        }
        if !response.has_focus() {
            return;
        }
        let filter = EventFilter { vertical_arrows: true, horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
        let page = (layout.rows as i64 - 1).max(1);
        let steps = [
            (Key::ArrowDown, 1),
            (Key::ArrowUp, -1),
            (Key::PageDown, page),
            (Key::PageUp, -page),
            (Key::Home, i64::MIN / 4),
            (Key::End, i64::MAX / 4),
        ];
        let (mut step, mut side, mut enter, mut modifiers) = (0, 0.0, false, Modifiers::NONE);
        ui.input_mut(|i| {
            modifiers = i.modifiers;
            for (key, by) in steps {
                step += i.count_and_consume_key(modifiers, key) as i64 * by;
            }
            let modifiers = if state.column.is_some() { Modifiers::SHIFT } else { modifiers };
            side += 80.0 * i.count_and_consume_key(modifiers, Key::ArrowRight) as f32;
            side -= 80.0 * i.count_and_consume_key(modifiers, Key::ArrowLeft) as f32;
            enter = i.count_and_consume_key(modifiers, Key::Enter) > 0;
        });
        state.left += side;
        let last = rows.count as i64 - 1;
        if step != 0 && last >= 0 {
            let from = state.cursor.map_or(if step > 0 { -1 } else { last + 1 }, |c| c as i64);
            let row = (from + step).clamp(0, last) as usize;
            answer.chosen = Some((row, modifiers));
            state.reveal = Some(row);
        }
        answer.opened = state.cursor.filter(|c| enter && *c < rows.count);
    }

    /// Scrolls by the wheel, to rows and columns that are to be visible, and within the limits.
    fn scroll(&self, ui: &Ui, outer: Rect, layout: &Layout, rows: &Rows<'_>, state: &mut TableState) {
        if ui.rect_contains_pointer(outer) {
            let delta = ui.input_mut(|i| std::mem::take(&mut i.smooth_scroll_delta));
            state.top -= f64::from(delta.y / rows.height);
            state.left -= delta.x;
        }
        if let Some(row) = state.reveal.take() {
            let row = row as f64;
            if row < state.top || row + 1.0 > state.top + layout.rows {
                // A row that was far away is not put at the edge, so that its neighbours are visible too.
                let near = (row - state.top).abs() <= layout.rows + 1.0;
                state.top = match (near, row < state.top) {
                    (true, true) => row,
                    (true, false) => row + 1.0 - layout.rows,
                    (false, _) => row - 0.5 * layout.rows,
                };
            }
        }
        if let Some(column) = state.reveal_column.take().filter(|c| *c + 1 < layout.edges.len()) {
            let (left, right) = (layout.edges[column] - layout.fixed, layout.edges[column + 1] - layout.body.width());
            if state.left > left || state.left < right {
                state.left = 0.5 * (left + right);
            }
        }
        let most = |all: f64, seen: f64| (all - seen).max(0.0);
        state.top = state.top.clamp(0.0, most(rows.count as f64, layout.rows));
        let wide = layout.edges.last().copied().unwrap_or(0.0);
        state.left = state.left.clamp(0.0, (wide - layout.body.width()).max(0.0));
    }

    fn bars(&self, ui: &Ui, outer: Rect, id: Id, layout: &Layout, rows: &Rows<'_>, state: &mut TableState) {
        let Layout { body, fixed, edges, .. } = layout;
        if body.right() < outer.right() {
            let rail = Rect::from_min_max(pos2(body.right(), body.top()), pos2(outer.right(), body.bottom()));
            let all = rows.count as f64;
            if let Some(at) = bar(ui, id.with("rows"), "Scroll rows", rail, true, state.top / all, layout.rows / all) {
                state.top = (at * all).clamp(0.0, (all - layout.rows).max(0.0));
            }
        }
        if body.bottom() < outer.bottom() {
            let rail = Rect::from_min_max(pos2(body.left() + fixed, body.bottom()), pos2(body.right(), outer.bottom()));
            let all = f64::from(edges.last().copied().unwrap_or(1.0) - fixed);
            let (at, shown) = (f64::from(state.left) / all, f64::from(body.width() - fixed) / all);
            if let Some(at) = bar(ui, id.with("columns"), "Scroll columns", rail, false, at, shown) {
                state.left = ((at * all) as f32).clamp(0.0, (all as f32 + fixed - body.width()).max(0.0));
            }
        }
    }

    fn body(
        &self,
        ui: &mut Ui,
        response: &Response,
        layout: &Layout,
        rows: &Rows<'_>,
        state: &mut TableState,
        answer: &mut TableResponse,
    ) {
        let c = colors(ui);
        let Layout { body, fixed, .. } = layout;
        let clip = body.intersect(ui.clip_rect());
        let mut within = |clip: Rect| {
            let mut child = ui.new_child(UiBuilder::new().max_rect(*body));
            child.set_clip_rect(clip);
            child
        };
        let mut still = within(clip.with_max_x(clip.right().min(body.left() + fixed)));
        let mut moving = within(clip.with_min_x(clip.left().max(body.left() + fixed)));
        let whole = within(clip);
        let first = state.top.floor() as usize;
        let end = ((state.top + layout.rows).ceil() as usize).min(rows.count);
        for row in first..end {
            let y = body.top() + ((row as f64 - state.top) * f64::from(rows.height)) as f32;
            let rect = Rect::from_min_size(pos2(body.left(), y), vec2(body.width(), rows.height));
            // The row has no focus of its own: the table has it, and the arrows move in it.
            let at = whole.interact(rect.intersect(*body), response.id.with(("row", row)), Sense::CLICK);
            let look = (rows.look)(row);
            at.widget_info(|| WidgetInfo::selected(Role::Row, true, look.selected, (rows.label)(row)));
            row_background(whole.painter(), rect, look.selected, at.hovered() || look.hovered, look.leads, c);
            let mut under = None;
            for (column, left, right, is_still) in self.seen(layout, state.left) {
                let cell = Rect::from_x_y_ranges(left..=right, rect.y_range());
                let ui = if is_still { &mut still } else { &mut moving };
                (rows.cell)(ui, cell, row, column);
                table_cells::show(ui, response, cell, (row, column), rows, state, answer);
                let pointer = at.hover_pos().filter(|p| cell.intersect(ui.clip_rect()).contains(*p));
                under = pointer.map(|_| column).or(under);
            }
            if at.hovered() {
                answer.hovered = Some(row);
            }
            if at.secondary_clicked() {
                answer.menu = Some((row, at.clone()));
            }
            if at.clicked() {
                answer.column = under;
                table_cells::click(ui, response, rows, state, (row, under), at.double_clicked());
            }
            if at.double_clicked() {
                answer.opened = Some(row).filter(|_| state.editor.is_none());
            } else if at.clicked() {
                answer.chosen = Some((row, ui.input(|i| i.modifiers)));
            }
            if let Some(tip) = under.and_then(|column| (rows.tip)(row, column)) {
                at.on_hover_text_at_pointer(tip);
            }
        }
        if *fixed > 0.0 && state.left > 0.0 {
            let x = body.left() + fixed;
            ui.painter().vline(x, layout.head.top()..=body.bottom(), Stroke::new(1.0, c.line));
        }
    }

    fn heads(&self, ui: &mut Ui, response: &Response, layout: &Layout, state: &TableState, answer: &mut TableResponse) {
        let (c, id, outer) = (colors(ui), response.id, response.rect);
        let Layout { head, fixed, .. } = layout;
        ui.painter().rect_filled(head.with_max_x(outer.right()), CornerRadius::ZERO, c.raised);
        let clip = head.intersect(ui.clip_rect());
        for (column, left, right, is_still) in self.seen(layout, state.left) {
            let mut ui = ui.new_child(UiBuilder::new().max_rect(*head));
            let split = head.left() + fixed;
            ui.set_clip_rect(if is_still { clip.with_max_x(split) } else { clip.with_min_x(split.max(clip.left())) });
            let rect = Rect::from_x_y_ranges(left..=right, head.y_range());
            let (what, sorted) = (&self.columns[column], self.sorted.filter(|s| s.0 == column));
            let sense = if what.sorts { Sense::click() } else { Sense::hover() };
            let at = ui.interact(rect.intersect(ui.clip_rect()), id.with(("head", column)), sense);
            let order = match sorted {
                Some((_, true)) => ", largest first",
                Some((_, false)) => ", smallest first",
                None => "",
            };
            at.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, true, format!("{}{order}", what.title)));
            let lit = what.sorts && (at.hovered() || at.has_focus());
            let ink = if sorted.is_some() || lit { c.text } else { c.dim };
            let mark = if sorted.is_some() { 12.0 } else { 0.0 };
            let room = rect.width() - 2.0 * PAD - mark;
            let (galley, cut) = shortened(&ui, &what.title, theme::strong(SMALL), ink, room);
            let x = if what.right { rect.right() - PAD - galley.size().x } else { rect.left() + PAD };
            let triangle_x = if what.right { x - 9.0 } else { x + galley.size().x + 9.0 };
            paint_line(&ui, galley, x, rect.center().y, ink);
            if let Some((_, descending)) = sorted {
                triangle(ui.painter(), pos2(triangle_x, rect.center().y), descending, c.accent);
            }
            focus_ring(&ui, rect, &at);
            if at.clicked() {
                answer.head = Some(column);
            }
            if cut || !what.help.is_empty() {
                let text = if cut { format!("{}\n{}", what.title, what.help) } else { what.help.clone() };
                at.on_hover_text(text.trim_end());
            }
        }
    }
}

/// Draws the triangle in the head, which points down where the largest comes first.
fn triangle(painter: &Painter, at: Pos2, down: bool, ink: Color32) {
    let tip = if down { 2.5 } else { -2.5 };
    let points = vec![at + vec2(-3.5, -tip), at + vec2(3.5, -tip), at + vec2(0.0, tip)];
    painter.add(Shape::convex_polygon(points, ink, Stroke::NONE));
}

/// Shows a scroll bar: `at` and `shown` are shares of the whole. Returns where the user drags it to.
fn bar(ui: &Ui, id: Id, name: &str, rail: Rect, upright: bool, at: f64, shown: f64) -> Option<f64> {
    let c = colors(ui);
    let along = |p: Pos2| if upright { p.y - rail.top() } else { p.x - rail.left() };
    let whole = if upright { rail.height() } else { rail.width() };
    let length = (shown as f32 * whole).clamp(24.0_f32.min(whole), whole);
    // The thumb has a least length, so its way is shorter than the rail, and the hidden part shorter than the whole.
    let (way, hidden) = (whole - length, (1.0 - shown).max(1e-9));
    let start = (at / hidden) as f32 * way;
    let response = ui.interact(rail, id, Sense::DRAG);
    response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, name));
    let inset = 2.0;
    let thumb = if upright {
        Rect::from_min_size(pos2(rail.left() + inset, rail.top() + start), vec2(rail.width() - 2.0 * inset, length))
    } else {
        Rect::from_min_size(pos2(rail.left() + start, rail.top() + inset), vec2(length, rail.height() - 2.0 * inset))
    };
    let is_pressed = response.is_pointer_button_down_on();
    let ink = if is_pressed || response.hovered() { c.dim } else { c.line };
    ui.painter().rect_filled(thumb, CornerRadius::same(3), ink);
    let pointer = response.interact_pointer_pos().filter(|_| is_pressed)?;
    let key = id.with("grip");
    // A press on the thumb grabs it there; elsewhere the thumb jumps to the pointer.
    let grip: f32 = if response.drag_started() || ui.input(|i| i.pointer.any_pressed()) {
        let off = along(pointer) - start;
        let grip = if (0.0..=length).contains(&off) { off } else { 0.5 * length };
        ui.data_mut(|d| d.insert_temp(key, grip));
        grip
    } else {
        ui.data(|d| d.get_temp(key)).unwrap_or(0.5 * length)
    };
    (way > 0.0).then(|| f64::from(((along(pointer) - grip) / way).clamp(0.0, 1.0)) * hidden)
}

/// Paints the text of a cell: numbers right-aligned, other texts cut in the middle where they have no room.
pub(super) fn cell_text(ui: &Ui, rect: Rect, text: &str, right: bool, ink: Color32) {
    if right {
        let at = pos2(rect.right() - PAD, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, text, theme::regular(BODY), ink);
        return;
    }
    let (galley, cut) = shortened(ui, text, theme::regular(BODY), ink, rect.width() - 2.0 * PAD);
    if cut {
        whole_on_hover(ui, rect, text);
    }
    paint_line(ui, galley, rect.left() + PAD, rect.center().y, ink);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_window_widens_all_columns() {
        let column = |grows| Column { width: 100.0, grows, ..Column::default() };
        let columns = [column(true), column(false), column(false)];
        let table = Table { name: "Numbers", columns: &columns, frozen: 1, sorted: None };
        let rows = Rows {
            count: 1,
            height: ROW,
            label: &|_| String::new(),
            look: &|_| RowStyle::default(),
            cell: &|_, _, _, _| {},
            tip: &|_, _| None,
            edit: None,
            note: None,
        };
        let edges = |width: f32| table.layout(Rect::from_min_size(Pos2::ZERO, vec2(width, 200.0)), &rows).edges;
        assert_eq!(edges(200.0), [0.0, 100.0, 200.0, 300.0]);
        assert_eq!(edges(400.0), [0.0, 200.0, 300.0, 400.0]);
        let wide = edges(520.0);
        assert!(wide[2] - wide[1] > 115.0 && (wide[3] - 520.0).abs() < 0.1, "{wide:?}");
    }
}
