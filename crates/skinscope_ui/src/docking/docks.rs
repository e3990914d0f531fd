//! Shows an arrangement: docks as panels of egui, cells within them, and floats. A dock with one panel looks as if nothing could be moved.

use egui::accesskit::Role;
use egui::emath::GuiRounding as _;
use egui::{
    Area, CornerRadius, CursorIcon, Frame, Id, LayerId, Order, Rect, Response, Sense, Stroke, StrokeKind, Ui,
    UiBuilder, Vec2, WidgetInfo, vec2,
};
use skinscope_session::{Command, DockPanel};

use super::ShownCell;
use super::arrangement::{Arrangement, Cell, Dock, Edge, Float, LEAST_FLOAT, rounded, tenths};
use super::drag::inside;
use super::tabs::{TABS, TabAction, show_grip, show_tabs};
use crate::panel_size::{want_size, was_dragged};
use crate::theme::colors;
use crate::{Saved, UiState, focus};

/// The width of columns that have no other, points.
pub(super) const WIDTH: f32 = 312.0;
/// The width of the manual, points.
pub(super) const MANUAL: f32 = 420.0;
/// The least height of the tables where the window has room for it, points.
const LEAST_TABLES: f32 = 128.0;
/// The height that rows keep in the lowest window, where they give way to the picture, points.
const LOWEST_ROW: f32 = 72.0;
/// The height of rows that have no other, points.
const HEIGHT: f32 = 240.0;
/// The least height of the picture that rows leave, points.
const LEAST_HEIGHT: f32 = 120.0;
/// The least width of the picture that columns leave where somebody has moved one, points.
const LEAST_WIDTH: f32 = 200.0;
/// The least length of a cell, points.
const LEAST_CELL: f32 = 60.0;
/// The part of a row by which it is resized, points.
const EDGE: f32 = 5.0;
/// The width of the strip between two cells by which they are resized, points.
const STRIP: f32 = 6.0;

/// What the panels show.
pub(crate) trait Contents {
    /// Returns the ground and the margins of a panel.
    fn frame(&self, ui: &Ui, panel: DockPanel) -> Frame;
    /// Shows what is in a panel. `has_tabs`: tabs above it name it and close it.
    fn show(&mut self, ui: &mut Ui, panel: DockPanel, has_tabs: bool);
    /// Notes that a docked panel was shown.
    fn shown(&mut self, ui: &Ui, panel: DockPanel);
    /// Returns the state of the window.
    fn state(&mut self) -> &mut UiState;
    /// Returns where commands go.
    fn commands(&mut self) -> &mut Vec<Command>;
    /// Carries out what was done with a tab or a grip.
    fn act(&mut self, arrangement: &mut Arrangement, action: TabAction);
}

/// What sizes and rooms depend on.
pub(crate) struct Sizes {
    /// The panels that are open and have room.
    pub shown: Vec<DockPanel>,
    /// The height of the timeline, points.
    pub timeline: f32,
    /// The width of the page of an example, points.
    pub page: f32,
    /// The width of the outliner, points.
    pub outliner: f32,
    /// By how much the column at the right is narrower than usual, points.
    pub narrower: f32,
    /// The height of the tables, points.
    pub tables: f32,
    /// The height of the row in which the window has stacked tables and timeline, points; `None`: it has not.
    pub row: Option<f32>,
    /// Whether nobody has moved a panel.
    pub is_automatic: bool,
}

/// The tabs of a cell that are shown; at least one.
struct ShownTabs {
    /// The index of the cell in its dock.
    cell: usize,
    tabs: Vec<DockPanel>,
    front: DockPanel,
}

impl ShownTabs {
    fn of(cell: usize, of: &Cell, shown: &[DockPanel]) -> Option<Self> {
        let tabs = of.open(|panel| shown.contains(&panel));
        let front = if tabs.contains(&of.active) { of.active } else { *tabs.first()? };
        Some(Self { cell, tabs, front })
    }
}

/// Shows all panels of the arrangement that have room, and returns it with what was dragged.
pub(crate) fn show(
    ui: &mut Ui,
    mut arrangement: Arrangement,
    sizes: &Sizes,
    contents: &mut impl Contents,
) -> Arrangement {
    let mut actions = Vec::new();
    let whole = ui.available_rect_before_wrap();
    // Rows that come later have to have room too.
    let mut later: f32 = arrangement.docks.iter().map(|dock| least_height(dock, sizes)).sum();
    for dock in &mut arrangement.docks {
        later -= least_height(dock, sizes);
        show_dock(ui, dock, (sizes, later), contents, &mut actions);
    }
    for float in &mut arrangement.floats {
        show_float(ui, float, (whole, sizes), contents, &mut actions);
    }
    for action in actions {
        contents.act(&mut arrangement, action);
    }
    arrangement
}

/// How wide or high a dock is, points.
#[derive(Clone, Copy, Debug)]
enum Size {
    Exact(f32),
    Range { want: f32, least: f32, most: f32 },
}

/// Returns the cells of a dock that have something to show.
fn shown_cells(dock: &Dock, shown: &[DockPanel]) -> Vec<ShownTabs> {
    dock.cells.iter().enumerate().filter_map(|(i, cell)| ShownTabs::of(i, cell, shown)).collect()
}

/// Returns the height that a row takes from the picture at least, points; none for columns and for what is not shown.
fn least_height(dock: &Dock, sizes: &Sizes) -> f32 {
    let cells = shown_cells(dock, &sizes.shown);
    match dock.edge.is_column() || cells.is_empty() {
        true => 0.0,
        false => height_of_timeline(&cells, sizes).unwrap_or(LOWEST_ROW),
    }
}

/// Returns the height that a row needs for the timeline, points; `None`: it is not in front in any of these cells.
fn height_of_timeline(cells: &[ShownTabs], sizes: &Sizes) -> Option<f32> {
    let cell = cells.iter().find(|cell| cell.front == DockPanel::Timeline)?;
    Some(sizes.timeline + if cell.tabs.len() > 1 { TABS } else { 0.0 })
}

/// Shows a dock. `later`: the height that rows need that are shown after it, points.
fn show_dock(
    ui: &mut Ui,
    dock: &mut Dock,
    (sizes, later): (&Sizes, f32),
    contents: &mut impl Contents,
    actions: &mut Vec<TabAction>,
) {
    let cells = shown_cells(dock, &sizes.shown);
    let Some(key) = cells.first().map(|cell| cell.tabs[0]) else { return };
    let Some(size) = size_of(ui, dock, &cells, (sizes, later), &contents.state().saved) else { return };
    let (name, is_column) = (key.id(), dock.edge.is_column());
    let panel = match dock.edge {
        Edge::Left => egui::Panel::left(name),
        Edge::Right => egui::Panel::right(name),
        Edge::Bottom => egui::Panel::bottom(name),
    };
    let panel = match size {
        Size::Exact(size) => panel.resizable(false).exact_size(size),
        Size::Range { want, least, most } => {
            want_size(ui, name, if is_column { vec2(want, 0.0) } else { vec2(0.0, want) });
            panel.resizable(true).size_range(least..=most)
        }
    };
    let is_single = matches!(&cells[..], [only] if only.tabs.len() == 1);
    let rect = if is_single {
        let shown = panel.frame(contents.frame(ui, key)).show(ui, |ui| contents.show(ui, key, false));
        let rect = shown.response.rect;
        // A row is resized by the edge above the grip.
        let below = if is_column || matches!(size, Size::Exact(_)) { 0.0 } else { EDGE };
        actions.extend(show_grip(ui, rect.with_min_y(rect.top() + below), key, contents.commands()));
        let edge = Some(dock.edge);
        contents.state().dock.cells.push(ShownCell { panel: key, rect, edge, dock: rect });
        contents.shown(ui, key);
        rect
    } else {
        let frame = Frame::NONE.fill(colors(ui).panel);
        panel.frame(frame).show(ui, |ui| show_cells(ui, dock, &cells, contents, actions)).response.rect
    };
    if matches!(size, Size::Range { .. }) && was_dragged(ui, name) {
        let saved = &mut contents.state().saved;
        match (key, is_column) {
            (DockPanel::Outliner, true) => saved.outliner_width = rect.width(),
            (DockPanel::Inspector, true) => saved.inspector_width = rect.width(),
            (DockPanel::Tables, false) => saved.tables_height = rect.height(),
            (DockPanel::Timeline, false) if sizes.row.is_some() => saved.tables_height = rect.height() - TABS,
            _ => dock.size = Some(tenths(if is_column { rect.width() } else { rect.height() }).max(1.0)),
        }
    }
}

/// Returns the size of a dock; `None` where the window has no room for it.
fn size_of(ui: &Ui, dock: &Dock, cells: &[ShownTabs], (sizes, later): (&Sizes, f32), saved: &Saved) -> Option<Size> {
    let key = cells[0].tabs[0];
    let is_single = matches!(cells, [only] if only.tabs.len() == 1);
    if !dock.edge.is_column() {
        let most = (ui.available_height() - LEAST_HEIGHT - later).clamp(LOWEST_ROW, 640.0);
        let least = height_of_timeline(cells, sizes).unwrap_or(0.0);
        let own = dock.size.unwrap_or(HEIGHT);
        return Some(match key {
            DockPanel::Timeline if is_single => Size::Exact(sizes.timeline),
            DockPanel::Tables => {
                let usual = LEAST_TABLES.min(most);
                Size::Range { want: sizes.tables.min(most), least: least.max(usual), most: most.max(least) }
            }
            _ => {
                let want = sizes.row.filter(|_| key == DockPanel::Timeline).unwrap_or(own);
                Size::Range {
                    want: want.min(most.max(least)),
                    least: least.max(most.min(100.0)),
                    most: most.max(least),
                }
            }
        });
    }
    let narrower = if dock.edge == Edge::Right { sizes.narrower } else { 0.0 };
    let own = |usual: f32| dock.size.unwrap_or(usual);
    let (want, least, most) = match key {
        DockPanel::Page if is_single => (sizes.page, sizes.page, sizes.page),
        DockPanel::Page => (own(sizes.page), 300.0, 720.0),
        DockPanel::Manual => (own(MANUAL), 300.0, 720.0),
        DockPanel::Outliner => (sizes.outliner, 180.0, 480.0),
        DockPanel::Inspector => (saved.inspector_width - narrower, 264.0, 480.0),
        _ => (own(WIDTH - narrower), 300.0, 520.0),
    };
    // The usual arrangement gives way by rules of its own.
    let room = if sizes.is_automatic { f32::INFINITY } else { ui.available_width() - LEAST_WIDTH };
    let (least, most) = (least.min(room), most.min(room));
    if most < 0.5 * want.min(WIDTH) {
        return None;
    }
    Some(if least == most { Size::Exact(most) } else { Size::Range { want, least, most } })
}

/// Shows the cells of a dock, with strips between them by which they are resized.
fn show_cells(
    ui: &mut Ui,
    dock: &mut Dock,
    cells: &[ShownTabs],
    contents: &mut impl Contents,
    actions: &mut Vec<TabAction>,
) {
    let whole = ui.max_rect();
    ui.take_available_space();
    let is_column = dock.edge.is_column();
    let length = if is_column { whole.height() } else { whole.width() };
    let total: f32 = cells.iter().map(|cell| dock.cells[cell.cell].share).sum();
    let mut from = 0.0;
    for (i, cell) in cells.iter().enumerate() {
        let to = from + length * dock.cells[cell.cell].share / total;
        let rect = match is_column {
            true => Rect::from_x_y_ranges(whole.x_range(), whole.top() + from..=whole.top() + to),
            false => Rect::from_x_y_ranges(whole.left() + from..=whole.left() + to, whole.y_range()),
        };
        from = to;
        let rect = rect.round_ui();
        show_cell(ui, rect, cell, Some((dock.edge, whole)), contents, actions);
        contents.shown(ui, cell.front);
        if i > 0 {
            let before = cells[i - 1].cell;
            let moved = strip(ui, rect, is_column, (cells[i - 1].front, cell.front)) / length * total;
            let least = (LEAST_CELL / length * total).min(0.4 * total);
            let (a, b) = (dock.cells[before].share + moved, dock.cells[cell.cell].share - moved);
            if moved != 0.0 && a >= least && b >= least {
                (dock.cells[before].share, dock.cells[cell.cell].share) = (tenths(a).max(1.0), tenths(b).max(1.0));
            }
        }
    }
}

/// Shows the line before the cell in `rect`; returns by how much it was dragged, points.
fn strip(ui: &Ui, rect: Rect, is_column: bool, (before, after): (DockPanel, DockPanel)) -> f32 {
    let (line, cursor) = match is_column {
        true => (Rect::from_x_y_ranges(rect.x_range(), rect.top()..=rect.top()), CursorIcon::ResizeVertical),
        false => (Rect::from_x_y_ranges(rect.left()..=rect.left(), rect.y_range()), CursorIcon::ResizeHorizontal),
    };
    let response = ui.interact(
        line.expand(0.5 * STRIP).intersect(ui.max_rect()),
        ui.scope_id().with(("strip", after.id())),
        Sense::drag(),
    );
    let name = format!("Between {} and {}", before.title(), after.title());
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, &name));
    focus::pass_over(ui, response.id);
    let c = colors(ui);
    let is_active = response.hovered() || response.dragged();
    let stroke = if is_active { Stroke::new(2.0, c.accent) } else { Stroke::new(1.0, c.line) };
    ui.painter().line_segment([line.min, line.max], stroke);
    if is_active {
        ui.ctx().set_cursor_icon(cursor);
    }
    let delta = response.drag_delta();
    if is_column { delta.y } else { delta.x }
}

/// Shows a cell: its tabs, where they are several or it floats, and the panel in front. `docked` has the edge and the rectangle of its dock.
fn show_cell(
    ui: &mut Ui,
    rect: Rect,
    cell: &ShownTabs,
    docked: Option<(Edge, Rect)>,
    contents: &mut impl Contents,
    actions: &mut Vec<TabAction>,
) {
    let mut ui = ui.new_child(UiBuilder::new().id_salt(cell.front.id()).max_rect(rect));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    let has_tabs = cell.tabs.len() > 1 || docked.is_none();
    let mut body = rect;
    if has_tabs {
        body.min.y += TABS;
        let tabs = rect.with_max_y(body.top());
        actions.extend(show_tabs(&mut ui, tabs, &cell.tabs, cell.front, contents.commands()));
    }
    let mut inner = ui.new_child(UiBuilder::new().id_salt("contents").max_rect(body));
    inner.set_clip_rect(body.intersect(ui.clip_rect()));
    let frame = contents.frame(&inner, cell.front);
    frame.show(&mut inner, |ui| {
        contents.show(ui, cell.front, has_tabs);
    });
    if !has_tabs {
        actions.extend(show_grip(&ui, rect, cell.front, contents.commands()));
    }
    let (edge, dock) = docked.map_or((None, rect), |(edge, dock)| (Some(edge), dock));
    contents.state().dock.cells.push(ShownCell { panel: cell.front, rect, edge, dock });
}

/// Shows panels over the picture, within the rectangle `whole` of the window.
fn show_float(
    ui: &Ui,
    float: &mut Float,
    (whole, sizes): (Rect, &Sizes),
    contents: &mut impl Contents,
    actions: &mut Vec<TabAction>,
) {
    let Some(cell) = ShownTabs::of(0, &float.cell, &sizes.shown) else { return };
    let rect = inside(Rect::from_min_size(float.rect.min, float.rect.size().min(whole.size())), whole).round_ui();
    let id = Id::unique(("panels over the picture", float.cell.tabs[0].id()));
    contents.state().focus.floats.push(LayerId::new(Order::Middle, id));
    let area = Area::new(id).order(Order::Middle).fixed_pos(rect.min).constrain(false).fade_in(false);
    let changed = area.show(ui.ctx(), |ui| {
        ui.allocate_exact_size(rect.size(), Sense::hover());
        let radius = CornerRadius::same(4);
        ui.painter().add(ui.visuals().window_shadow.as_shape(rect, radius));
        ui.painter().rect_filled(rect, radius, colors(ui).panel);
        let bar = rect.with_max_y(rect.top() + TABS);
        let title = cell.front.title();
        let moved = handle(ui, bar, ("move", &format!("Move {title} over the picture")), CursorIcon::Default);
        show_cell(ui, rect, &cell, None, contents, actions);
        let line = Stroke::new(1.0, colors(ui).line);
        ui.painter().rect_stroke(rect, radius, line, StrokeKind::Inside);
        let mut grown = Vec2::ZERO;
        let right = rect.with_min_x(rect.right() - 5.0).with_min_y(bar.bottom());
        let bottom = rect.with_min_y(rect.bottom() - 5.0);
        let corner = Rect::from_min_max(rect.max - Vec2::splat(14.0), rect.max);
        for (at, along, name, cursor) in [
            (right, vec2(1.0, 0.0), "width", CursorIcon::ResizeHorizontal),
            (bottom, vec2(0.0, 1.0), "height", CursorIcon::ResizeVertical),
            (corner, vec2(1.0, 1.0), "size", CursorIcon::ResizeNwSe),
        ] {
            let response = handle(ui, at, (name, &format!("Change the {name} of {title}")), cursor);
            grown += response.drag_delta() * along;
        }
        (moved.drag_delta(), grown)
    });
    let (moved, grown) = changed.inner;
    if moved != Vec2::ZERO || grown != Vec2::ZERO {
        let size = (rect.size() + grown).max(LEAST_FLOAT).min(whole.max - rect.min);
        float.rect = rounded(inside(Rect::from_min_size(rect.min + moved, size), whole));
    }
}

/// Shows an invisible handle of a float: its word and its name.
fn handle(ui: &Ui, rect: Rect, (word, name): (&str, &str), cursor: CursorIcon) -> Response {
    let response = ui.interact(rect, ui.scope_id().with(("handle", word)), Sense::drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, name));
    focus::pass_over(ui, response.id);
    if response.hovered() || response.dragged() {
        ui.ctx().set_cursor_icon(cursor);
    }
    response
}
