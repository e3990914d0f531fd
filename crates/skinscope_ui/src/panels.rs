//! The panels around the picture: which of them are open, which of them a window of this width has room for, and what they show. Where they are
//! is an [`Arrangement`].

use egui::{Frame, Margin, Ui, Vec2, vec2};
use skinscope_session::{
    Command, DockPanel, ExampleCommand, MeasureCommand, PaintCommand, Panel, Session, ToolCommand, VertexDragCommand,
    WindowCommand,
};

use super::docking::arrangement::Arrangement;
use super::docking::docks::{self, Contents};
use super::docking::layouts::{SWITCHED, chosen};
use super::docking::room::{Room, Roomy, is_automatic, outliner_width};
use super::docking::tabs::TabAction;
use super::focus::{FocusCounter, FocusRegion};
use super::{
    Status, UiState, copied, inspector, kept, manual_panel, measures, outliner, page, paint, statistics, tables, theme,
    timeline, tools,
};

/// The width of a window in which inspector and tools both have room, points.
const BOTH: f32 = 1500.0;

/// The height of the bar of the menus, points.
const BAR: f32 = 38.0;

/// The width of a window without the page of an example in which outliner and inspector have room too, points.
const BESIDE_PAGE: f32 = 1400.0;

/// Shows the panels around the picture, and counts their widgets for the order in which Tab visits them.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
    widgets: &mut FocusCounter,
) {
    let window = ui.ctx().content_rect().size();
    let text = page::TextSize::of(state.saved.large_text, state.presents, window);
    let page_width = page::width(window.x, text);
    state.dock.cells.clear();
    state.focus.floats.clear();
    if state.presents {
        if session.shows_page() {
            let panel = egui::Panel::right("page").resizable(false).frame(frame_of(ui, DockPanel::Page));
            panel.exact_size(page_width).show(ui, |ui| page::show(ui, session, text, commands));
        }
        widgets.shown(ui, FocusRegion::Page);
        return;
    }
    let closing = follow(ui, session, state, commands);
    // Contents may change what is open, and not how it is arranged.
    let own = std::mem::replace(&mut state.saved.layout, Arrangement::empty());
    let (mut arrangement, sizes) = roomy(ui, session, state, &own, (window, page_width));
    state.dock.hidden = hidden(&own, &arrangement, &state.dock.open, &sizes.shown);
    state.dock.hidden.retain(|panel| !closing.contains(panel));
    state.dock.stacked = (arrangement != own).then(|| arrangement.clone());
    let mut panels = Panels { session, state, status, text, commands, widgets };
    arrangement = docks::show(ui, arrangement, &sizes, &mut panels);
    state.saved.layout = match state.dock.stacked {
        Some(_) => sized_as(own, &arrangement),
        None => arrangement,
    };
}

/// Returns how the panels are arranged in a window of this size (points) beside a page of this width, and how large they are.
fn roomy(
    ui: &Ui,
    session: &Session,
    state: &UiState,
    own: &Arrangement,
    (window, page): (Vec2, f32),
) -> (Arrangement, docks::Sizes) {
    let open = &state.dock.open;
    let is_automatic = is_automatic(own);
    let first = state.dock.asked.last().copied();
    let has_room = |panel: &DockPanel| match is_automatic {
        true => has_room_beside_page(own, open, *panel, window.x - page),
        false => has_room(own, open, *panel, window.x - page, window.x, first),
    };
    let shown: Vec<DockPanel> = open.iter().copied().filter(has_room).collect();
    let saved = &state.saved;
    let timeline = timeline::height(session).unwrap_or_default();
    let Roomy { arrangement, outliner, narrower, tables, row } = match is_automatic {
        true => {
            let (available, asked) = (ui.available_rect_before_wrap().size(), &state.dock.asked[..]);
            // The bar of the menus is part of the window.
            let window = available + vec2(0.0, BAR);
            Room { window, available, shown: &shown, asked, timeline, page, saved }.stacked(own)
        }
        false => Roomy {
            arrangement: own.clone(),
            outliner: outliner_width(saved, window.x),
            narrower: 0.0,
            tables: saved.tables_height,
            row: None,
        },
    };
    (arrangement, docks::Sizes { shown, timeline, page, outliner, narrower, tables, row, is_automatic })
}

/// Returns the open panels that are not seen: the window has no room for them, or has stacked them behind another one.
fn hidden(own: &Arrangement, now: &Arrangement, open: &[DockPanel], shown: &[DockPanel]) -> Vec<DockPanel> {
    let is_behind = |panel: DockPanel| own.stack(panel) != now.stack(panel) && now.front(panel, shown) != Some(panel);
    open.iter().copied().filter(|panel| !shown.contains(panel) || is_behind(*panel)).collect()
}

/// Returns an arrangement with the sizes of docks of `now`, in which some are stacked.
fn sized_as(mut own: Arrangement, now: &Arrangement) -> Arrangement {
    for dock in &now.docks {
        let first = dock.cells.first().and_then(|cell| cell.tabs.first());
        if let Some(its) = first.and_then(|first| own.docks.iter_mut().find(|dock| dock.cells[0].tabs.contains(first)))
        {
            its.size = dock.size;
        }
    }
    own
}

/// Opens and closes panels as a layout that was chosen says, brings one that was opened to the front of its stack, and shows what was said.
/// Returns the panels that the layout closes.
fn follow(ui: &Ui, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) -> Vec<DockPanel> {
    let mut closing = Vec::new();
    if std::mem::take(&mut state.saved.layout_opens) {
        state.dock.wanted = chosen(&state.saved).map(|layout| layout.shown);
    }
    if let Some((text, is_warning)) = state.dock.notice.take() {
        if is_warning { copied::warn(ui, text) } else { copied::say(ui, text) }
    }
    let open: Vec<DockPanel> = DockPanel::ALL.into_iter().filter(|panel| is_open(session, state, *panel)).collect();
    // Who closes a panel that is open and had no room wants to see it: it takes the place of what was shown instead.
    let hidden = std::mem::take(&mut state.dock.hidden);
    if let Some(panel) = hidden.into_iter().find(|panel| !open.contains(panel) && state.dock.wanted.is_none()) {
        commands.extend(toggles(state, panel));
    }
    if let Some(wanted) = state.dock.wanted.take() {
        for panel in SWITCHED {
            if wanted.contains(&panel) != open.contains(&panel) && panel != DockPanel::Timeline {
                closing.extend(open.contains(&panel).then_some(panel));
                commands.extend(toggles(state, panel));
            }
        }
    }
    for panel in &open {
        if !state.dock.open.is_empty() && !state.dock.open.contains(panel) {
            state.saved.layout.bring_to_front(*panel);
            state.dock.ask(*panel);
        }
    }
    state.dock.open = open;
    closing
}

fn is_open(session: &Session, state: &UiState, panel: DockPanel) -> bool {
    let saved = &state.saved;
    match panel {
        DockPanel::Outliner => saved.outliner,
        DockPanel::Inspector => saved.inspector,
        DockPanel::Timeline => saved.timeline && timeline::height(session).is_some(),
        DockPanel::Tables => saved.tables,
        DockPanel::Tools => session.tools().open,
        DockPanel::Deformation => session.measuring().open,
        DockPanel::Statistics => saved.statistics || saved.log,
        DockPanel::Page => session.shows_page(),
        DockPanel::Manual => state.shows_manual,
        DockPanel::Paint => state.paint.is_open,
    }
}

/// Returns the commands that open a panel, or close it.
fn toggles(state: &UiState, panel: DockPanel) -> Vec<Command> {
    let panel = match panel {
        DockPanel::Outliner => Panel::Outliner,
        DockPanel::Inspector => Panel::Inspector,
        DockPanel::Timeline => Panel::Timeline,
        DockPanel::Tables => Panel::Tables,
        DockPanel::Tools => return vec![ToolCommand::TogglePanel.into()],
        DockPanel::Deformation => return vec![MeasureCommand::TogglePanel.into()],
        DockPanel::Manual => Panel::Manual,
        DockPanel::Paint => Panel::Paint,
        DockPanel::Page => return vec![ExampleCommand::TogglePage.into()],
        DockPanel::Statistics => {
            let on = [(state.saved.statistics, Panel::Statistics), (state.saved.log, Panel::Log)];
            let mut both: Vec<Panel> = on.into_iter().filter(|(on, _)| *on).map(|(_, panel)| panel).collect();
            if both.is_empty() {
                both.push(Panel::Statistics);
            }
            return both.into_iter().map(|panel| WindowCommand::TogglePanel(panel).into()).collect();
        }
    };
    vec![WindowCommand::TogglePanel(panel).into()]
}

/// Takes commands that would close a panel which is open and not seen out of `commands`, and shows it: who presses its key wants to see it.
/// What a tool has not applied yet is kept so.
pub(super) fn show_hidden(state: &mut UiState, commands: &mut Vec<Command>) {
    let is_of_tools =
        |command: &Command| matches!(command, Command::Tool(ToolCommand::Repair { .. } | ToolCommand::Choose(Some(_))));
    if commands.iter().any(is_of_tools) {
        state.dock.ask(DockPanel::Tools);
        state.saved.layout.bring_to_front(DockPanel::Tools);
    }
    let is_of_brushes = |command: &Command| {
        use PaintCommand::{DragVertex, Hold};
        matches!(command, Command::Paint(Hold(Some(_)) | DragVertex(VertexDragCommand::Use(true))))
    };
    if commands.iter().any(is_of_brushes) {
        state.dock.ask(DockPanel::Paint);
        state.saved.layout.bring_to_front(DockPanel::Paint);
    }
    for panel in state.dock.hidden.clone() {
        let closes = toggles(state, panel);
        let before = commands.len();
        commands.retain(|command| !closes.contains(command));
        if commands.len() < before {
            state.dock.ask(panel);
            state.saved.layout.bring_to_front(panel);
        }
    }
}

/// Returns whether a window with `beside` points beside the page of an example has room for a panel in a column.
fn has_room_beside_page(arrangement: &Arrangement, open: &[DockPanel], panel: DockPanel, beside: f32) -> bool {
    let has_page = open.contains(&DockPanel::Page) && arrangement.column(DockPanel::Page).is_some();
    let gives_way = matches!(panel, DockPanel::Outliner | DockPanel::Inspector);
    !gives_way || !has_page || beside >= BESIDE_PAGE
}

/// Returns whether a window `window` points wide, with `beside` points beside a page, has room for an open panel. A panel in a column gives
/// way to those of other columns; one that is stacked with another that stays takes no room of its own.
/// `first`: the panel that was asked for last, which gives way to none.
fn has_room(
    arrangement: &Arrangement,
    open: &[DockPanel],
    panel: DockPanel,
    beside: f32,
    window: f32,
    first: Option<DockPanel>,
) -> bool {
    let fits = |panel: DockPanel| {
        let Some(column) = arrangement.column(panel) else { return true };
        // One that is in the column of the outliner or the inspector takes no room that these do not take anyway.
        let stays = [DockPanel::Outliner, DockPanel::Inspector];
        let other = |other: DockPanel| {
            let its = arrangement.column(other).filter(|its| *its != column && open.contains(&other));
            let is_with = |panel: &DockPanel| open.contains(panel) && arrangement.column(*panel) == its;
            its.is_some() && !stays.iter().any(is_with)
        };
        let is_wide = window >= BOTH;
        let inspector = arrangement.column(DockPanel::Inspector).filter(|_| open.contains(&DockPanel::Inspector));
        let inspector_first =
            !is_wide && first == Some(DockPanel::Inspector) && inspector.is_some_and(|its| its != column);
        let beside_page = beside >= BESIDE_PAGE || !other(DockPanel::Page);
        match panel {
            DockPanel::Outliner => beside_page,
            // A narrow window has room for one of them beside the picture.
            DockPanel::Inspector => {
                let others = [
                    DockPanel::Tools,
                    DockPanel::Paint,
                    DockPanel::Deformation,
                    DockPanel::Statistics,
                    DockPanel::Manual,
                ];
                beside_page && (is_wide || first == Some(panel) || !others.into_iter().any(other))
            }
            // A narrow window has room for one of them.
            DockPanel::Tools
            | DockPanel::Paint
            | DockPanel::Deformation
            | DockPanel::Statistics
            | DockPanel::Manual
                if inspector_first =>
            {
                false
            }
            DockPanel::Tools => {
                is_wide || first == Some(panel) || !other(DockPanel::Deformation) && !other(DockPanel::Paint)
            }
            DockPanel::Paint => is_wide || first == Some(panel) || !other(DockPanel::Deformation),
            DockPanel::Deformation => {
                is_wide || ![DockPanel::Tools, DockPanel::Paint].iter().any(|it| first == Some(*it) && other(*it))
            }
            _ => true,
        }
    };
    let column = arrangement.column(panel);
    let with_it = open.iter().filter(|other| column.is_some() && arrangement.column(**other) == column);
    fits(panel) || with_it.into_iter().any(|other| *other != panel && fits(*other))
}

/// Returns the ground and the margins of a panel.
fn frame_of(ui: &Ui, panel: DockPanel) -> Frame {
    let frame = Frame::NONE.fill(theme::colors(ui).panel);
    match panel {
        DockPanel::Timeline | DockPanel::Statistics | DockPanel::Manual => {
            frame.inner_margin(Margin::symmetric(theme::MARGIN, 0))
        }
        _ => frame,
    }
}

/// What panels read, and what they push their commands to.
struct Panels<'a> {
    session: &'a Session,
    state: &'a mut UiState,
    status: &'a Status,
    text: page::TextSize,
    commands: &'a mut Vec<Command>,
    widgets: &'a mut FocusCounter,
}

impl Contents for Panels<'_> {
    fn frame(&self, ui: &Ui, panel: DockPanel) -> Frame {
        frame_of(ui, panel)
    }

    fn show(&mut self, ui: &mut Ui, panel: DockPanel, has_tabs: bool) {
        let mut kept = std::mem::take(&mut self.state.kept);
        let is_still = self.session.plays() && kept::is_still(self.session, self.status, panel);
        kept.show(ui, (panel, is_still), |ui| self.lay_out(ui, panel, has_tabs));
        self.state.kept = kept;
    }

    fn shown(&mut self, ui: &Ui, panel: DockPanel) {
        let region = match panel {
            DockPanel::Outliner => FocusRegion::Outliner,
            DockPanel::Inspector => FocusRegion::Inspector,
            DockPanel::Timeline => FocusRegion::Timeline,
            DockPanel::Tables => FocusRegion::Tables,
            DockPanel::Tools => FocusRegion::Tools,
            DockPanel::Deformation => FocusRegion::Deformation,
            DockPanel::Statistics => FocusRegion::Statistics,
            DockPanel::Page => FocusRegion::Page,
            DockPanel::Manual => FocusRegion::Manual,
            DockPanel::Paint => FocusRegion::Paint,
        };
        self.widgets.shown(ui, region);
    }

    fn state(&mut self) -> &mut UiState {
        self.state
    }

    fn commands(&mut self) -> &mut Vec<Command> {
        self.commands
    }

    fn act(&mut self, arrangement: &mut Arrangement, action: TabAction) {
        match action {
            TabAction::Show(panel) => {
                self.state.dock.ask(panel);
                arrangement.bring_to_front(panel);
            }
            TabAction::Drag(panel) => self.state.dock.drag = Some(panel),
            TabAction::Close(panel) => self.commands.extend(toggles(self.state, panel)),
        }
    }
}

impl Panels<'_> {
    fn lay_out(&mut self, ui: &mut Ui, panel: DockPanel, has_tabs: bool) {
        let Self { session, state, status, commands, .. } = self;
        match panel {
            DockPanel::Outliner => outliner::show(ui, session, state, status, commands),
            DockPanel::Inspector => inspector::show(ui, session, state, status, commands),
            DockPanel::Timeline => timeline::show(ui, session, state, commands),
            DockPanel::Tables => tables::show(ui, session, state, status, commands),
            DockPanel::Tools => tools::show(ui, session, (status, has_tabs), commands),
            DockPanel::Deformation => {
                measures::show(ui, session, (status, has_tabs), &mut state.normal_times, commands);
            }
            DockPanel::Statistics => statistics::show(ui, state, status, has_tabs, commands),
            DockPanel::Page => page::show(ui, session, self.text, commands),
            DockPanel::Manual => manual_panel::show(ui, state, has_tabs),
            DockPanel::Paint => paint::show(ui, session, &mut state.paint, has_tabs, commands),
        }
    }
}
