//! The names of joints next to their joints, as many as fit without covering each other.

use std::collections::HashSet;

use egui::{Rect, Ui, pos2, vec2};
use skinscope_model::NodeId;
use skinscope_session::{Projector, Session};

use super::theme::{self, SMALL, colors};
use super::widgets::{grouped, shortened};

/// The side of a cell of the grid that records which parts of the picture have a name, points.
const CELL: f32 = 8.0;
/// The most names that may have no room before the picture counts as full.
const MOST_REJECTED: usize = 1024;

/// How many names are in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameCount {
    /// The number of those that are written.
    pub shown: usize,
    /// The number of joints in the picture that have a name.
    pub all: usize,
}

impl NameCount {
    /// Says how many there are, where some have no room.
    #[must_use]
    pub fn note(self) -> Option<String> {
        let Self { shown, all } = self;
        (shown < all).then(|| format!("{} of {} names, the others would overlap", grouped(shown), grouped(all)))
    }
}

/// Where names are, and where there was no room for one, in cells of a grid.
#[derive(Default)]
struct Taken {
    names: HashSet<(i32, i32)>,
    rejected: HashSet<(i32, i32)>,
}

fn cell(at: egui::Pos2) -> (i32, i32) {
    ((at.x / CELL).floor() as i32, (at.y / CELL).floor() as i32)
}

impl Taken {
    /// Returns whether a name that begins there may have room. Full cells are looked up before a text is laid out, so that a thousand hidden
    /// names cost little.
    fn may_have_room(&self, anchor: egui::Pos2) -> bool {
        let at = cell(anchor);
        !self.names.contains(&at) && !self.rejected.contains(&at) && self.rejected.len() < MOST_REJECTED
    }

    /// Takes the room of a name; returns false where another one has some of it.
    fn take(&mut self, anchor: egui::Pos2, area: Rect) -> bool {
        let (from, to) = (cell(area.min), cell(area.max));
        let cells = || (from.0..=to.0).flat_map(move |x| (from.1..=to.1).map(move |y| (x, y)));
        if cells().any(|cell| self.names.contains(&cell)) {
            // Another name that begins at the same position would have no more room.
            self.rejected.insert(cell(anchor));
            return false;
        }
        self.names.extend(cells());
        true
    }
}

/// Shows the names of the joints (of all nodes where there is no joint); the selected and the hovered one come first. Returns how many there
/// are; `None` without a model.
pub(super) fn show(ui: &Ui, session: &Session, rect: Rect, projector: &Projector) -> Option<NameCount> {
    let model = session.model()?;
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let bare = model.skins.is_empty();
    let contains = model.scenes.get(session.view().scene).map(|s| s.contains.as_slice());
    let shown = |n: usize| contains.is_none_or(|c| c[n]) && (bare || model.is_joint(NodeId::from_index(n)));
    let first = [session.view().selected, session.view().hovered].into_iter().flatten().map(NodeId::index);
    let mut taken = Taken::default();
    let mut done: HashSet<usize> = HashSet::new();
    let mut count = NameCount { shown: 0, all: 0 };
    for n in first.chain((0..session.pose().model.len()).filter(|n| shown(*n))) {
        let Some(world) = session.pose().model.get(n).filter(|_| !session.bones().is_hidden(NodeId::from_index(n)))
        else {
            continue;
        };
        let Some(at) = projector.project(world.translation.into()) else { continue };
        let anchor = rect.min + vec2(at.x, at.y) / scale + vec2(9.0, 0.0);
        if !rect.contains(anchor) || !done.insert(n) {
            continue;
        }
        count.all += 1;
        if !taken.may_have_room(anchor) {
            continue;
        }
        let strong = session.view().selected.is_some_and(|s| s.index() == n);
        let ink = if strong { c.accent } else { c.text };
        let name = &model.skeleton.names[n];
        let (galley, _) = shortened(ui, name, theme::regular(SMALL), ink, 160.0);
        let area = Rect::from_min_size(pos2(anchor.x, anchor.y - 0.5 * galley.size().y), galley.size());
        if !taken.take(anchor, area) {
            continue;
        }
        count.shown += 1;
        ui.painter().rect_filled(area.expand2(vec2(4.0, 1.0)), 4.0, c.plate);
        ui.painter().galley(area.min, galley, ink);
    }
    Some(count)
}
