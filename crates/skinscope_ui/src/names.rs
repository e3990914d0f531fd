//! The names of joints next to their joints, as many as fit without covering each other.

use std::collections::HashSet;

use egui::{Rect, Ui, pos2, vec2};
use skinscope_model::NodeId;
use skinscope_session::{Projector, Session};

use super::theme::{self, SMALL, colors};

/// The side of a cell of the grid that records which parts of the picture have a name, points.
const CELL: f32 = 8.0;
/// The most names that may have no room before the picture counts as full.
const MOST_REJECTED: usize = 1024;

/// Shows the names of the joints (of all nodes where there is no joint); the selected and the hovered one come first.
pub(super) fn show(ui: &Ui, session: &Session, rect: Rect, projector: &Projector) {
    let Some(model) = session.model() else { return };
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let bare = model.skins.is_empty();
    let contains = model.scenes.get(session.view().scene).map(|s| s.contains.as_slice());
    let shown = |n: usize| contains.is_none_or(|c| c[n]) && (bare || model.is_joint(NodeId::from_index(n)));
    let first = [session.view().selected, session.view().hovered].into_iter().flatten().map(NodeId::index);
    let mut taken: HashSet<(i32, i32)> = HashSet::new();
    let mut tried: HashSet<(i32, i32)> = HashSet::new();
    let mut done: HashSet<usize> = HashSet::new();
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
        // Full cells are looked up before the text is laid out, so a thousand hidden names cost little.
        let cell = |p: egui::Pos2| ((p.x / CELL).floor() as i32, (p.y / CELL).floor() as i32);
        if taken.contains(&cell(anchor)) || tried.contains(&cell(anchor)) {
            continue;
        }
        if tried.len() == MOST_REJECTED {
            break;
        }
        let strong = session.view().selected.is_some_and(|s| s.index() == n);
        let ink = if strong { c.accent } else { c.text };
        let name = &model.skeleton.names[n];
        let (galley, _) = super::widgets::shortened(ui, name, theme::regular(SMALL), ink, 160.0);
        let area = Rect::from_min_size(pos2(anchor.x, anchor.y - 0.5 * galley.size().y), galley.size());
        let (from, to) = (cell(area.min), cell(area.max));
        let cells = || (from.0..=to.0).flat_map(move |x| (from.1..=to.1).map(move |y| (x, y)));
        if cells().any(|cell| taken.contains(&cell)) {
            // Another name that begins at the same position would have no more room.
            tried.insert(cell(anchor));
            continue;
        }
        taken.extend(cells());
        ui.painter().rect_filled(area.expand2(vec2(4.0, 1.0)), 4.0, c.plate);
        ui.painter().galley(area.min, galley, ink);
    }
}
