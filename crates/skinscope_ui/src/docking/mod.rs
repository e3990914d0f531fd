//! Docking: panels are moved to another edge, stacked as tabs, or float over the picture, by dragging a tab or the grip at the upper edge of a
//! panel, or by commands; arrangements are saved under names.

pub(crate) mod arrangement;
pub(crate) mod dialog;
pub(crate) mod docks;
pub(crate) mod drag;
pub(crate) mod layouts;
pub(crate) mod room;
pub(crate) mod tabs;
pub(crate) mod text;

use egui::{Pos2, Rect};
use skinscope_session::DockPanel;

use self::arrangement::{Arrangement, Edge};

/// What the window knows of its panels beside how they are arranged.
#[derive(Debug, Default)]
pub(crate) struct DockState {
    /// The panel that is being dragged.
    pub drag: Option<DockPanel>,
    /// The cells that were shown in this pass.
    pub cells: Vec<ShownCell>,
    /// The panel that was pressed or had the focus last.
    pub last: Option<DockPanel>,
    /// The panels that were open in the last pass.
    pub open: Vec<DockPanel>,
    /// Those of them for which the window had no room, or that it has stacked behind another one.
    pub hidden: Vec<DockPanel>,
    /// The panels that were asked for, the last one last; that gives way to none.
    pub asked: Vec<DockPanel>,
    /// How the window has stacked the panels while nobody has arranged them; `None`: they are as they were arranged.
    pub stacked: Option<Arrangement>,
    /// The panels of a layout that was just chosen; the others are to be closed.
    pub wanted: Option<Vec<DockPanel>>,
    /// What is to be said in the next pass, and whether it is a warning.
    pub notice: Option<(String, bool)>,
    /// The rectangle of the picture in the last pass.
    pub picture: Option<Rect>,
    pub dialog: dialog::LayoutDialog,
}

/// A cell as it was shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownCell {
    /// Its panel that is in front.
    pub panel: DockPanel,
    /// Its rectangle, points.
    pub rect: Rect,
    /// The edge of its dock; `None`: it floats.
    pub edge: Option<Edge>,
    /// The rectangle of the whole dock, points.
    pub dock: Rect,
}

impl DockState {
    /// Notes that a panel was asked for.
    pub(crate) fn ask(&mut self, panel: DockPanel) {
        self.asked.retain(|other| *other != panel);
        self.asked.push(panel);
    }

    /// Returns the cell at a point; floats are above the others.
    pub(crate) fn cell_at(&self, at: Pos2) -> Option<&ShownCell> {
        let at_point = || self.cells.iter().rev().filter(move |cell| cell.rect.contains(at));
        at_point().find(|cell| cell.edge.is_none()).or_else(|| at_point().next())
    }
}
