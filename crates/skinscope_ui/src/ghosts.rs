//! The names of the joints next to the ghosts of the pinned vertex (the positions to which single joints would move
//! it), as far as they do not overlap.

use egui::{Rect, Ui, pos2, vec2};
use skinscope_session::Session;

use super::theme::{self, SMALL, colors};
use super::widgets::{number, shortened};

/// The most ghosts that are named; more would hide the picture.
const MOST: usize = 8;
/// The distance from the vertex below which its dot covers a ghost, points.
const APART: f32 = 14.0;

pub(super) fn show(ui: &Ui, session: &Session, rect: Rect) {
    let (Some(model), Some(explanation)) =
        (session.deforming().side_model(session.deforming().explains_second()), session.picking().explanation())
    else {
        return;
    };
    if !explanation.skinned {
        return;
    }
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let on_screen = |world: glam::DVec3| {
        let at = session.view().project(world.as_vec3())?;
        Some(rect.min + vec2(at.x, at.y) / scale)
    };
    let Some(vertex) = on_screen(explanation.position) else { return };
    let mut taken: Vec<Rect> = Vec::new();
    // The heaviest come first.
    for term in explanation.terms.iter().take(MOST) {
        let Some(at) = on_screen(term.alone).filter(|at| at.distance(vertex) > APART && rect.contains(*at)) else {
            continue;
        };
        let name = &model.skeleton.names[term.node.index()];
        let (name, _) = shortened(ui, name, theme::regular(SMALL), c.text, 140.0);
        let weight = ui.painter().layout_no_wrap(number(term.weight as f32, 3), theme::regular(SMALL), c.dim);
        let size = vec2(name.size().x + 6.0 + weight.size().x, name.size().y);
        // The name points away from the vertex, so that the line stays free.
        let left = if at.x < vertex.x { at.x - 12.0 - size.x } else { at.x + 12.0 };
        let area = Rect::from_min_size(pos2(left, at.y - 0.5 * size.y), size);
        let plate = area.expand2(vec2(4.0, 1.0));
        if taken.iter().any(|other| other.intersects(plate)) {
            continue;
        }
        taken.push(plate);
        ui.painter().rect_filled(plate, 4.0, c.plate);
        let after = area.left() + name.size().x + 6.0;
        ui.painter().galley(area.min, name, c.text);
        ui.painter().galley(pos2(after, area.top()), weight, c.dim);
    }
}
