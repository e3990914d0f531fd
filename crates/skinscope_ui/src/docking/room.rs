//! Room for the picture: while nobody has arranged the panels, those that would leave it less than half of the window are stacked as tabs in place
//! of standing beside each other or below each other, columns are narrower beside a picture that would be too narrow, and the tables are as high
//! as the rest allows.

use egui::Vec2;
use skinscope_session::{DockPanel, LAYOUTS};

use super::arrangement::{Arrangement, Dock, Edge};
use super::docks::{MANUAL, WIDTH};
use super::layouts::built_in;
use super::tabs::TABS;
use crate::saved::{OUTLINER_WIDTH, Saved, TABLES_HEIGHT};

/// The part of the window that the picture keeps while panels can be stacked.
const PART: f32 = 0.5;
/// The part of a window's width that the outliner has while nobody has moved its edge, which is within [`OUTLINER_WIDTH`] and
/// [`WIDEST_OUTLINER`].
const OUTLINER_PART: f32 = 0.16;
/// The greatest width of the outliner while nobody has moved its edge, points.
const WIDEST_OUTLINER: f32 = 400.0;
/// The width of the picture below which columns give way to it, points. Rows take height alone, so that opening one changes no column.
const LEAST_PICTURE: f32 = 480.0;
/// The widths that outliner and columns at the right keep where they give way to the picture, points.
const NARROW_OUTLINER: f32 = 208.0;
const NARROW_COLUMN: f32 = 300.0;
/// What the edges of columns take of the width that these leave to the picture, and those of rows of its height, points.
const EDGES: f32 = 4.0;
/// The height of the tables below which they are rather stacked with the timeline than made lower, points.
const LOW_TABLES: f32 = 200.0;
/// The height of tables that are stacked with the timeline below which they are not made lower, points: some rows have to be seen.
const LOW_STACKED: f32 = 172.0;

/// What there is room for, and in what.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    /// The size of the window, points.
    pub window: Vec2,
    /// The size of what its bars leave, points.
    pub available: Vec2,
    /// The panels that are open and have room.
    pub shown: &'a [DockPanel],
    /// The panels that were asked for, the last one last.
    pub asked: &'a [DockPanel],
    /// The height of the timeline, points.
    pub timeline: f32,
    /// The width of the page of an example, points.
    pub page: f32,
    /// The sizes that are remembered.
    pub saved: &'a Saved,
}

/// Panels as they have room.
#[derive(Debug)]
pub(crate) struct Roomy {
    pub arrangement: Arrangement,
    /// The width of the outliner, points.
    pub outliner: f32,
    /// By how much the column at the right is narrower than usual, points.
    pub narrower: f32,
    /// The height of the tables, points.
    pub tables: f32,
    /// The height of the row in which tables and timeline are stacked, points; `None`: they are not.
    pub row: Option<f32>,
}

/// Returns whether nobody has arranged the panels: they are as at first, or as a layout of the program has them.
pub(crate) fn is_automatic(arrangement: &Arrangement) -> bool {
    let is_of = |layout: &Arrangement| {
        let same = |(a, b): (&Dock, &Dock)| {
            a.edge == b.edge
                && a.cells.len() == b.cells.len()
                && a.cells.iter().zip(&b.cells).all(|(a, b)| a.tabs == b.tabs)
        };
        arrangement.docks.len() == layout.docks.len() && arrangement.docks.iter().zip(&layout.docks).all(same)
    };
    arrangement.floats.is_empty()
        && (arrangement.is_usual()
            || LAYOUTS.iter().filter_map(|row| built_in(row.name)).any(|layout| is_of(&layout.arrangement)))
}

/// Returns the width of the outliner in a window of this width, points: it grows with the window until somebody moves its edge.
pub(crate) fn outliner_width(saved: &Saved, window: f32) -> f32 {
    match saved.outliner_width == OUTLINER_WIDTH {
        true => (OUTLINER_PART * window).round().clamp(OUTLINER_WIDTH, WIDEST_OUTLINER),
        false => saved.outliner_width,
    }
}

impl Room<'_> {
    /// Stacks panels of an arrangement that is automatic ([`is_automatic`]) until the picture has its part of the window.
    pub fn stacked(&self, arrangement: &Arrangement) -> Roomy {
        let mut out = arrangement.clone();
        let usual = outliner_width(self.saved, self.window.x);
        // An outliner that has grown with the window gives that back before a column is stacked.
        let grown = match self.shows(DockPanel::Outliner) && self.saved.outliner_width == OUTLINER_WIDTH {
            true => usual - OUTLINER_WIDTH,
            false => 0.0,
        };
        let mut outliner = usual;
        loop {
            let missing = self.missing_width(&out, self.rows(TABLES_HEIGHT, TABLES_HEIGHT));
            let right = self.docks_at(&out, Edge::Right);
            let [.., into, from] = right[..] else { break };
            if missing <= grown {
                outliner = usual - missing.max(0.0).ceil();
                break;
            }
            self.merge(&mut out, from, into);
        }
        let width = self.picture_width(&out);
        let missing = (LEAST_PICTURE - width).max(0.0);
        if self.shows(DockPanel::Outliner) && self.saved.outliner_width == OUTLINER_WIDTH {
            outliner = outliner.min(usual - missing.min(usual - NARROW_OUTLINER).ceil());
        }
        let given = usual - outliner;
        let column = self.usual_column(&out);
        let narrower = column.map_or(0.0, |column| (missing - given).clamp(0.0, column - NARROW_COLUMN).ceil());
        let (tables, is_stacked) = self.tables(width + given + narrower);
        let row = is_stacked.then_some(tables + TABS);
        if let ([into, from], true) = (&self.docks_at(&out, Edge::Bottom)[..], is_stacked) {
            self.merge(&mut out, *from, *into);
        }
        Roomy { arrangement: out, outliner, narrower, tables, row }
    }

    fn shows(&self, panel: DockPanel) -> bool {
        self.shown.contains(&panel)
    }

    /// Returns the height that rows take where tables alone are `alone` points high, and in a row with the timeline `stacked` points.
    fn rows(&self, alone: f32, stacked: f32) -> f32 {
        match (self.shows(DockPanel::Timeline), self.shows(DockPanel::Tables)) {
            (true, true) => stacked.max(self.timeline) + TABS,
            (true, false) => self.timeline,
            (false, true) => alone,
            (false, false) => 0.0,
        }
    }

    /// Returns how much wider the picture above rows of this height would have to be for its part of the window, points.
    fn missing_width(&self, arrangement: &Arrangement, rows: f32) -> f32 {
        let height = (self.available.y - EDGES - rows).max(1.0);
        PART * self.window.x * self.window.y / height + EDGES - self.picture_width(arrangement)
    }

    /// Returns the width of the only column at the right, points; `None`: there are several, or somebody has chosen its width.
    fn usual_column(&self, arrangement: &Arrangement) -> Option<f32> {
        let [only] = self.docks_at(arrangement, Edge::Right)[..] else { return None };
        let dock = &arrangement.docks[only];
        let is_usual = match self.key(dock)? {
            DockPanel::Inspector => self.saved.inspector_width == WIDTH,
            DockPanel::Manual => false,
            _ => dock.size.is_none(),
        };
        is_usual.then_some(WIDTH)
    }

    /// Returns the panel after which a dock is called.
    fn key(&self, dock: &Dock) -> Option<DockPanel> {
        dock.cells.iter().flat_map(|cell| &cell.tabs).copied().find(|panel| self.shows(*panel))
    }

    /// Returns the docks of an edge that have something to show and can be stacked, from the outermost to the innermost.
    fn docks_at(&self, arrangement: &Arrangement, edge: Edge) -> Vec<usize> {
        let docks = arrangement.docks.iter().enumerate();
        let shown = docks.filter(|(_, dock)| {
            let panels = || dock.cells.iter().flat_map(|cell| &cell.tabs).filter(|panel| self.shown.contains(panel));
            dock.edge == edge && panels().count() > 0 && panels().all(|panel| *panel != DockPanel::Page)
        });
        shown.map(|(i, _)| i).collect()
    }

    /// Returns the width that the columns leave, points.
    fn picture_width(&self, arrangement: &Arrangement) -> f32 {
        let columns = arrangement.docks.iter().filter(|dock| dock.edge.is_column());
        let widths = columns.filter_map(|dock| {
            Some(match self.key(dock)? {
                DockPanel::Outliner => outliner_width(self.saved, self.window.x),
                DockPanel::Inspector => self.saved.inspector_width,
                DockPanel::Page => self.page,
                DockPanel::Manual => dock.size.unwrap_or(MANUAL),
                _ => dock.size.unwrap_or(WIDTH),
            })
        });
        self.available.x - widths.sum::<f32>()
    }

    /// Returns the height of the tables beside a picture of this width, and whether they are stacked with the timeline.
    fn tables(&self, picture_width: f32) -> (f32, bool) {
        // What the picture leaves; who has moved the edge has decided, and keeps the panels where they are meanwhile.
        let width = (picture_width - EDGES).max(1.0);
        let left = self.available.y - EDGES - PART * self.window.x * self.window.y / width;
        let own = Some(self.saved.tables_height).filter(|own| *own != TABLES_HEIGHT);
        if !self.shows(DockPanel::Timeline) || !self.shows(DockPanel::Tables) {
            return (own.unwrap_or(left.clamp(LOW_TABLES, TABLES_HEIGHT)), false);
        }
        let beside = left - self.timeline;
        if beside >= LOW_TABLES {
            return (own.unwrap_or(beside.min(TABLES_HEIGHT)), false);
        }
        let height = own.unwrap_or((left - TABS).floor().clamp(LOW_STACKED, TABLES_HEIGHT));
        // The row is as high for one tab as for the other, so that the picture keeps its size.
        (height.max(self.timeline), true)
    }

    /// Stacks the panels of a dock in the cell of another one; the one that was asked for last is in front, else the last one.
    fn merge(&self, arrangement: &mut Arrangement, from: usize, into: usize) {
        let cells = arrangement.docks.remove(from).cells;
        let Some(cell) = arrangement.docks.get_mut(into).and_then(|dock| dock.cells.first_mut()) else { return };
        for moved in cells {
            cell.active = moved.active;
            cell.tabs.extend(moved.tabs);
        }
        let is_here = |panel: &&DockPanel| cell.tabs.contains(panel) && self.shown.contains(panel);
        let last = cell.tabs.iter().rev().find(|panel| self.shown.contains(panel));
        let front = self.asked.iter().rev().find(is_here).or(last.filter(|_| !self.shown.contains(&cell.active)));
        cell.active = front.copied().unwrap_or(cell.active);
    }
}

#[cfg(test)]
mod tests {
    use egui::vec2;

    use super::*;
    use crate::docking::arrangement::Target;

    const ALL: [DockPanel; 6] = [
        DockPanel::Outliner,
        DockPanel::Inspector,
        DockPanel::Timeline,
        DockPanel::Tables,
        DockPanel::Tools,
        DockPanel::Statistics,
    ];

    fn roomy(window: Vec2, asked: &[DockPanel], saved: &Saved) -> Roomy {
        let available = window - vec2(0.0, 38.0);
        let room = Room { window, available, shown: &ALL, asked, timeline: 139.0, page: 0.0, saved };
        room.stacked(&Arrangement::default())
    }

    #[test]
    fn panels_are_stacked_until_the_picture_has_half_of_the_window() {
        let saved = Saved::default();
        let out = roomy(vec2(1600.0, 900.0), &[DockPanel::Tools], &saved);
        let text = out.arrangement.to_string();
        assert_eq!(
            text,
            "bottom timeline+!tables; left outliner; right inspector+!tools+statistics; right deformation; right page; right manual; right paint"
        );
        // The tables keep some rows, and the columns their width.
        let picture = (1600.0 - out.outliner - (312.0 - out.narrower)) * (900.0 - 38.0 - out.row.unwrap());
        assert!(picture >= 0.47 * 1600.0 * 900.0, "{picture}, {:?}", out.row);
        // A large window has room for all of them, and as large as usual.
        let out = roomy(vec2(3840.0, 2160.0), &[], &saved);
        assert_eq!((out.arrangement, out.tables, out.row), (Arrangement::default(), TABLES_HEIGHT, None));
        assert_eq!((out.outliner, out.narrower), (400.0, 0.0));
    }

    #[test]
    fn the_manual_stands_beside_the_inspector_where_a_narrower_outliner_makes_room() {
        let saved = Saved::default();
        let shown = [DockPanel::Outliner, DockPanel::Inspector, DockPanel::Timeline, DockPanel::Manual];
        let of = |window: Vec2| {
            let available = window - vec2(0.0, 38.0);
            let (asked, timeline) = (&[DockPanel::Manual][..], 139.0);
            Room { window, available, shown: &shown, asked, timeline, page: 0.0, saved: &saved }
                .stacked(&Arrangement::default())
        };
        let out = of(vec2(2560.0, 1440.0));
        assert_eq!(out.arrangement, Arrangement::default());
        assert!((OUTLINER_WIDTH..400.0).contains(&out.outliner), "{}", out.outliner);
        let picture = (2560.0 - out.outliner - WIDTH - MANUAL) * (1440.0 - 38.0 - 139.0);
        assert!(picture >= 0.5 * 2560.0 * 1440.0, "{picture}");
        // A smaller window has no room for both.
        let out = of(vec2(1600.0, 900.0));
        assert_eq!((out.arrangement == Arrangement::default(), out.outliner), (false, 256.0));
    }

    #[test]
    fn columns_give_way_only_to_a_picture_that_would_be_too_narrow() {
        let saved = Saved::default();
        for window in [vec2(1280.0, 720.0), vec2(1600.0, 900.0)] {
            let out = roomy(window, &[], &saved);
            assert_eq!((out.outliner, out.narrower, out.row), (OUTLINER_WIDTH, 0.0, Some(LOW_STACKED + TABS)));
        }
        let out = roomy(vec2(1020.0, 600.0), &[], &saved);
        assert_eq!((1020.0 - out.outliner - WIDTH, out.narrower), (LEAST_PICTURE, 0.0));
        let out = roomy(vec2(960.0, 540.0), &[], &saved);
        assert_eq!((out.outliner, out.narrower), (NARROW_OUTLINER, WIDTH - NARROW_COLUMN));
        // What somebody has chosen stays.
        let saved = Saved { outliner_width: 280.0, inspector_width: 330.0, ..Saved::default() };
        let out = roomy(vec2(960.0, 540.0), &[], &saved);
        assert_eq!((out.outliner, out.narrower), (280.0, 0.0));
    }

    #[test]
    fn who_has_moved_an_edge_has_decided() {
        let mut saved = Saved { tables_height: 320.0, outliner_width: 300.0, ..Saved::default() };
        let out = roomy(vec2(1600.0, 900.0), &[], &saved);
        assert_eq!((out.tables, outliner_width(&saved, 2560.0)), (320.0, 300.0));
        saved.outliner_width = OUTLINER_WIDTH;
        let widths = [1280.0, 1600.0, 2000.0, 2560.0].map(|window| outliner_width(&saved, window));
        assert_eq!(widths, [256.0, 256.0, 320.0, 400.0]);
    }

    #[test]
    fn what_somebody_arranged_stays_so_and_layouts_of_the_program_do_not_count() {
        let mut moved = Arrangement::default();
        assert!(is_automatic(&moved));
        moved.place(DockPanel::Tools, Target::Outermost(Edge::Left));
        assert!(!is_automatic(&moved));
        for row in LAYOUTS {
            let mut layout = built_in(row.name).unwrap().arrangement;
            layout.bring_to_front(DockPanel::Inspector);
            assert!(is_automatic(&layout), "{}", row.name);
        }
    }
}
