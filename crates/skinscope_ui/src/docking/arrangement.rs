//! How the panels are arranged, as data: docks at the edges of the picture, each with cells side by side, each with panels as tabs; and
//! floats over the picture. Every panel stands in it exactly once, whether it is open or not, so that one that is opened again comes where it was.

use egui::{Rect, Vec2, pos2, vec2};
use serde::{Deserialize, Serialize};
use skinscope_session::{DockPanel, PanelPosition};

/// The least size of a float, points.
pub(crate) const LEAST_FLOAT: Vec2 = vec2(220.0, 120.0);
/// The size of a float at first, points.
pub(crate) const FLOAT: Vec2 = vec2(340.0, 360.0);
/// The size at first of a float that is wide, points.
pub(crate) const WIDE_FLOAT: Vec2 = vec2(640.0, 260.0);

/// An edge of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Left,
    Right,
    Bottom,
}

impl Edge {
    pub(super) const ALL: [(Self, &'static str); 3] =
        [(Self::Left, "left"), (Self::Right, "right"), (Self::Bottom, "bottom")];

    pub(crate) fn is_column(self) -> bool {
        self != Self::Bottom
    }

    /// Returns whether a panel has room there: timeline and tables are rows.
    pub(crate) fn has_room_for(self, panel: DockPanel) -> bool {
        !self.is_column() || !is_wide(panel)
    }
}

/// Returns whether a panel needs more width than a column has.
pub(crate) fn is_wide(panel: DockPanel) -> bool {
    matches!(panel, DockPanel::Timeline | DockPanel::Tables)
}

/// Panels that are stacked as tabs; at least one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub tabs: Vec<DockPanel>,
    /// The tab in front, while it is open.
    pub active: DockPanel,
    /// The part of the dock, against 100 of each other cell.
    pub share: f32,
}

impl Cell {
    fn of(panel: DockPanel) -> Self {
        Self { tabs: vec![panel], active: panel, share: 100.0 }
    }

    /// Returns the tabs that are open.
    pub(crate) fn open(&self, is_open: impl Fn(DockPanel) -> bool) -> Vec<DockPanel> {
        self.tabs.iter().copied().filter(|tab| is_open(*tab)).collect()
    }
}

/// A column or a row at an edge of what the docks before it leave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dock {
    pub edge: Edge,
    /// Its width or height, points; `None`: as the panels have it usually.
    pub size: Option<f32>,
    /// Its cells, from top to bottom or from left to right; at least one.
    pub cells: Vec<Cell>,
}

/// Panels over the picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Float {
    /// Its rectangle in the window, points.
    pub rect: Rect,
    pub cell: Cell,
}

/// Where a panel goes. Other panels say where that is, since a panel that is taken away moves what comes after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// A tab in the cell of this panel.
    Tab(DockPanel),
    /// A cell of its own before or after the cell of this panel, in the same dock.
    Cell(DockPanel, Side),
    /// A dock of its own on the outer or inner side of the dock of this panel.
    Beside(DockPanel, Side),
    /// A dock along the edge of the window.
    Outermost(Edge),
    /// A dock beside the picture.
    Innermost(Edge),
    /// Over the picture.
    Float(Rect),
}

/// A side of another panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Above it, at its left, or nearer to the edge of the window.
    Before,
    /// Below it, at its right, or nearer to the picture.
    After,
}

/// How the panels are arranged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Arrangement {
    /// From the outermost to the innermost.
    pub(crate) docks: Vec<Dock>,
    /// From the first to the last that was made.
    pub(crate) floats: Vec<Float>,
}

/// A layout that the user has saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedLayout {
    /// Its name.
    pub name: String,
    /// How it arranges the panels.
    pub arrangement: Arrangement,
    /// The panels that it shows.
    pub shown: Vec<DockPanel>,
    /// The widths of outliner and inspector and the height of the tables, points.
    pub sizes: [f32; 3],
}

impl Default for Arrangement {
    /// The arrangement that nobody has changed.
    fn default() -> Self {
        let dock = |edge, panel| Dock { edge, size: None, cells: vec![Cell::of(panel)] };
        let docks = vec![
            dock(Edge::Bottom, DockPanel::Timeline),
            dock(Edge::Left, DockPanel::Outliner),
            dock(Edge::Right, DockPanel::Inspector),
            dock(Edge::Right, DockPanel::Tools),
            dock(Edge::Right, DockPanel::Deformation),
            dock(Edge::Right, DockPanel::Statistics),
            dock(Edge::Right, DockPanel::Page),
            // Its room comes from the picture alone.
            dock(Edge::Bottom, DockPanel::Tables),
            dock(Edge::Right, DockPanel::Manual),
            dock(Edge::Right, DockPanel::Paint),
        ];
        Self { docks, floats: Vec::new() }
    }
}

impl Arrangement {
    /// Returns an arrangement without any panel, which costs nothing, for while the panels are shown.
    pub(crate) fn empty() -> Self {
        Self { docks: Vec::new(), floats: Vec::new() }
    }

    /// Returns whether every panel is at the edge and in the order in which it is at first, however large.
    pub(crate) fn is_usual(&self) -> bool {
        let usual = Self::default();
        let same = |(a, b): (&Dock, &Dock)| a.edge == b.edge && a.cells == b.cells;
        self.floats.is_empty() && self.docks.len() == usual.docks.len() && self.docks.iter().zip(&usual.docks).all(same)
    }

    /// Returns the index of the column that a panel is in; `None`: it is in a row, or floats.
    pub(crate) fn column(&self, panel: DockPanel) -> Option<usize> {
        let dock = self.dock(panel)?;
        self.docks[dock].edge.is_column().then_some(dock)
    }

    /// Returns the index of the dock that a panel is in.
    fn dock(&self, panel: DockPanel) -> Option<usize> {
        self.docks.iter().position(|dock| dock.cells.iter().any(|cell| cell.tabs.contains(&panel)))
    }

    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.docks.iter().flat_map(|dock| &dock.cells).chain(self.floats.iter().map(|float| &float.cell))
    }

    fn cells_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        let docked = self.docks.iter_mut().flat_map(|dock| &mut dock.cells);
        docked.chain(self.floats.iter_mut().map(|float| &mut float.cell))
    }

    /// Returns the panels in the cell of this one.
    pub(crate) fn stack(&self, panel: DockPanel) -> &[DockPanel] {
        self.cells().find(|cell| cell.tabs.contains(&panel)).map_or(&[], |cell| &cell.tabs)
    }

    /// Returns the panel that is in front of the cell of this one, of those that are `shown`.
    pub(crate) fn front(&self, panel: DockPanel, shown: &[DockPanel]) -> Option<DockPanel> {
        let cell = self.cells().find(|cell| cell.tabs.contains(&panel))?;
        let tabs = cell.open(|tab| shown.contains(&tab));
        if tabs.contains(&cell.active) { Some(cell.active) } else { tabs.first().copied() }
    }

    /// Returns whether a panel floats.
    pub(crate) fn floats(&self, panel: DockPanel) -> bool {
        self.floats.iter().any(|float| float.cell.tabs.contains(&panel))
    }

    /// Brings a panel to the front of its cell.
    pub(crate) fn bring_to_front(&mut self, panel: DockPanel) {
        if let Some(cell) = self.cells_mut().find(|cell| cell.tabs.contains(&panel)) {
            cell.active = panel;
        }
    }

    /// Returns whether a panel can go there: timeline and tables need the width of a row, and no panel goes beside itself.
    pub(crate) fn can_place(&self, panel: DockPanel, target: Target) -> bool {
        let edge = |of: DockPanel| self.dock(of).map(|dock| self.docks[dock].edge);
        match target {
            Target::Tab(of) => of != panel && edge(of).is_none_or(|edge| edge.has_room_for(panel)),
            Target::Cell(of, _) | Target::Beside(of, _) => {
                of != panel && edge(of).is_some_and(|edge| edge.has_room_for(panel))
            }
            Target::Outermost(edge) | Target::Innermost(edge) => edge.has_room_for(panel),
            Target::Float(_) => true,
        }
    }

    /// Moves a panel. Returns false, and changes nothing, where it cannot go there.
    pub(crate) fn place(&mut self, panel: DockPanel, target: Target) -> bool {
        if !self.can_place(panel, target) {
            return false;
        }
        self.take(panel);
        let new = |edge| Dock { edge, size: None, cells: vec![Cell::of(panel)] };
        let step = |side| usize::from(side == Side::After);
        match target {
            Target::Tab(of) => {
                if let Some(cell) = self.cells_mut().find(|cell| cell.tabs.contains(&of)) {
                    cell.tabs.push(panel);
                    cell.active = panel;
                }
            }
            Target::Cell(of, side) => {
                if let Some(dock) = self.dock(of) {
                    let cells = &mut self.docks[dock].cells;
                    let at = cells.iter().position(|cell| cell.tabs.contains(&of)).unwrap_or(0);
                    cells.insert(at + step(side), Cell::of(panel));
                }
            }
            Target::Beside(of, side) => {
                if let Some(dock) = self.dock(of) {
                    let edge = self.docks[dock].edge;
                    self.docks.insert(dock + step(side), new(edge));
                }
            }
            Target::Outermost(edge) => self.docks.insert(0, new(edge)),
            Target::Innermost(edge) if edge.is_column() => {
                // Rows that take their room from the picture alone still do.
                let last =
                    self.docks.iter().rposition(|dock| dock.edge.is_column()).map_or(self.docks.len(), |i| i + 1);
                self.docks.insert(last, new(edge));
            }
            Target::Innermost(edge) => self.docks.push(new(edge)),
            Target::Float(rect) => self.floats.push(Float { rect: rounded(rect), cell: Cell::of(panel) }),
        }
        true
    }

    /// Takes a panel out of its cell, and what is empty then.
    fn take(&mut self, panel: DockPanel) {
        for cell in self.cells_mut() {
            let Some(at) = cell.tabs.iter().position(|tab| *tab == panel) else { continue };
            cell.tabs.remove(at);
            if cell.active == panel {
                cell.active = cell.tabs.get(at.saturating_sub(1)).copied().unwrap_or(panel);
            }
        }
        for dock in &mut self.docks {
            dock.cells.retain(|cell| !cell.tabs.is_empty());
        }
        self.docks.retain(|dock| !dock.cells.is_empty());
        self.floats.retain(|float| !float.cell.tabs.is_empty());
    }

    /// Returns where a command moves a panel to, in a picture of this rectangle (points); `None`: it is there already, or nothing that
    /// `is_open` is beside it.
    pub(crate) fn target(
        &self,
        panel: DockPanel,
        to: PanelPosition,
        picture: Rect,
        is_open: impl Fn(DockPanel) -> bool,
    ) -> Option<Target> {
        let edge = match to {
            PanelPosition::Left => Edge::Left,
            PanelPosition::Right => Edge::Right,
            PanelPosition::Bottom => Edge::Bottom,
            PanelPosition::Float => {
                let size = float_size(panel);
                return (!self.floats(panel) || self.stack(panel).len() > 1)
                    .then(|| Target::Float(Rect::from_center_size(picture.center(), size)));
            }
            PanelPosition::Tab => {
                let all: Vec<DockPanel> = self.cells().map(|cell| cell.active).collect();
                let at = self.cells().position(|cell| cell.tabs.contains(&panel))?;
                let others = (1..all.len()).map(|step| all[(at + step) % all.len()]);
                let can = |of: &DockPanel| is_open(*of) && self.can_place(panel, Target::Tab(*of));
                return others.into_iter().find(can).map(Target::Tab);
            }
        };
        let alone = self.dock(panel).filter(|dock| {
            let dock = &self.docks[*dock];
            dock.edge == edge && dock.cells.len() == 1 && dock.cells[0].open(&is_open).len() <= 1
        });
        alone.is_none().then_some(Target::Innermost(edge))
    }
}

/// Returns the size that a panel floats with at first, points.
pub(crate) fn float_size(panel: DockPanel) -> Vec2 {
    if is_wide(panel) { WIDE_FLOAT } else { FLOAT }
}

/// Rounds to tenths of a point, which the text has.
pub(crate) fn tenths(size: f32) -> f32 {
    (size * 10.0).round() / 10.0
}

pub(crate) fn rounded(rect: Rect) -> Rect {
    Rect::from_min_size(
        pos2(tenths(rect.min.x), tenths(rect.min.y)),
        vec2(tenths(rect.width()), tenths(rect.height())).max(LEAST_FLOAT),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: Rect = Rect { min: pos2(256.0, 38.0), max: pos2(968.0, 600.0) };

    /// Every panel once, in whatever cell.
    fn assert_whole(arrangement: &Arrangement) {
        let mut all: Vec<DockPanel> = arrangement.cells().flat_map(|cell| cell.tabs.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, DockPanel::ALL, "{arrangement}");
        assert!(arrangement.cells().all(|cell| cell.tabs.contains(&cell.active)), "{arrangement}");
        assert_eq!(&Arrangement::parse(&arrangement.to_string()).unwrap(), arrangement, "{arrangement}");
    }

    #[test]
    fn a_panel_moves_to_every_target_and_none_is_lost() {
        let usual = Arrangement::default();
        let rect = Rect::from_min_size(pos2(10.0, 20.0), vec2(300.0, 200.0));
        for panel in DockPanel::ALL {
            let sides = [Side::Before, Side::After];
            let beside = DockPanel::ALL.into_iter().flat_map(|of| {
                let tab = std::iter::once(Target::Tab(of));
                tab.chain(sides.map(|side| Target::Cell(of, side))).chain(sides.map(|side| Target::Beside(of, side)))
            });
            let edges = Edge::ALL.into_iter().flat_map(|(edge, _)| [Target::Outermost(edge), Target::Innermost(edge)]);
            for target in beside.chain(edges).chain([Target::Float(rect)]) {
                let mut moved = usual.clone();
                assert_eq!(moved.place(panel, target), usual.can_place(panel, target), "{panel:?} {target:?}");
                assert_whole(&moved);
                // From there everywhere else.
                for next in DockPanel::ALL {
                    let mut again = moved.clone();
                    again.place(panel, Target::Tab(next));
                    assert_whole(&again);
                }
            }
            assert!(!usual.can_place(panel, Target::Tab(panel)));
        }
        assert!(!usual.can_place(DockPanel::Tables, Target::Tab(DockPanel::Inspector)));
        assert!(usual.can_place(DockPanel::Inspector, Target::Tab(DockPanel::Tables)));
        assert!(!usual.can_place(DockPanel::Timeline, Target::Outermost(Edge::Left)));
    }

    #[test]
    fn commands_move_a_panel_to_a_column_a_row_over_the_picture_and_beside_the_next_one() {
        let mut now = Arrangement::default();
        let open = |panel| matches!(panel, DockPanel::Outliner | DockPanel::Inspector | DockPanel::Timeline);
        let go = |now: &mut Arrangement, to| {
            now.target(DockPanel::Inspector, to, PICTURE, open)
                .is_some_and(|target| now.place(DockPanel::Inspector, target))
        };
        assert!(!go(&mut now, PanelPosition::Right), "it is there");
        assert!(go(&mut now, PanelPosition::Left) && !go(&mut now, PanelPosition::Left));
        assert_eq!(now.docks.iter().filter(|dock| dock.edge == Edge::Left).count(), 2);
        assert!(go(&mut now, PanelPosition::Float) && now.floats(DockPanel::Inspector));
        assert_eq!(now.floats[0].rect.center(), PICTURE.center());
        assert!(!go(&mut now, PanelPosition::Float), "it floats");
        assert!(go(&mut now, PanelPosition::Tab), "the next one that is open is the timeline");
        assert_eq!(now.stack(DockPanel::Inspector), [DockPanel::Timeline, DockPanel::Inspector]);
        assert!(go(&mut now, PanelPosition::Bottom) && go(&mut now, PanelPosition::Right));
        assert_whole(&now);
    }
}
