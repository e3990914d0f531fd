//! The words beside what an example draws over the picture.

use egui::{Align2, Rect, Ui, pos2, vec2};

use crate::app::ui::theme::{self, colors};
use crate::examples::MarkInk;
use crate::session::Session;

/// The size of the words, points.
const SIZE: f32 = 14.0;

pub(in crate::app::ui) fn show(ui: &Ui, session: &Session, rect: Rect, large: bool) {
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let size = if large { SIZE * 1.4 } else { SIZE };
    let projector = session.view().projector();
    let mut taken: Vec<Rect> = Vec::new();
    // What is pointed at comes last, and its words first.
    for mark in session.example_marks().iter().rev().filter(|mark| !mark.label.is_empty()) {
        let Some(at) = mark.points.last().and_then(|p| projector.project(*p)) else { continue };
        let at = rect.min + vec2(at.x, at.y) / scale;
        if !rect.contains(at) {
            continue;
        }
        let ink = if mark.ink == MarkInk::Accent { c.accent } else { c.text };
        let galley = ui.painter().layout_no_wrap(mark.label.clone(), theme::strong(size), ink);
        let anchor = pos2(at.x + 12.0, at.y);
        let area = Align2::LEFT_CENTER.anchor_size(anchor, galley.size());
        let plate = area.expand2(vec2(5.0, 2.0));
        if taken.iter().any(|other| other.intersects(plate)) {
            continue;
        }
        taken.push(plate);
        ui.painter().rect_filled(plate, 4.0, c.plate);
        ui.painter().galley(area.min, galley, ink);
    }
}
