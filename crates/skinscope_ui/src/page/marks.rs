//! The labels of what an example draws over the picture.

use egui::{Align2, Pos2, Rect, Ui, Vec2, vec2};
use skinscope_examples::MarkInk;
use skinscope_session::Session;

use crate::theme::{self, colors};

/// The font size of the labels, points.
const SIZE: f32 = 14.0;
/// The margin of the plate behind them, points.
const MARGIN: Vec2 = vec2(5.0, 2.0);
/// The distance between the plate and the position that it names, points.
const APART: f32 = 7.0;
/// The distance of plates above and below the position, so that they clear those to the right and to the left; points.
const ABOVE: f32 = 13.0;

pub(crate) fn show(ui: &Ui, session: &Session, rect: Rect, large: bool) {
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let size = if large { SIZE * 1.4 } else { SIZE };
    let projector = session.view().projector();
    let mut taken: Vec<Rect> = Vec::new();
    let mut shown: Vec<(&str, Pos2)> = Vec::new();
    // Names of whole figures stay where they are. What is pointed at comes last, and its words first of the others.
    let marks = session.example_marks();
    let (names, others): (Vec<_>, Vec<_>) =
        marks.iter().rev().filter(|mark| !mark.label.is_empty()).partition(|mark| mark.width == 0.0);
    for mark in names.into_iter().chain(others) {
        let seen = |point: Option<&glam::Vec3>| Some(rect.min + to_points(projector.project(*point?)?, scale));
        let Some(at) = seen(mark.points.last()) else { continue };
        // Words at the end of a line are on the side away from the line, and not over it.
        let before = seen(mark.points.iter().rev().nth(1));
        let goes_left = before.is_some_and(|before| before.x > at.x + 1.0);
        // The highlighted position may have the same words already.
        let is_shown = shown.iter().any(|(words, there)| *words == mark.label && there.distance(at) < 1.0);
        if !rect.contains(at) || is_shown {
            continue;
        }
        let ink = if mark.ink == MarkInk::Accent { c.accent } else { c.text };
        let galley = ui.painter().layout_no_wrap(mark.label.clone(), theme::strong(size), ink);
        let Some(plate) = plate_beside(at, goes_left, galley.size() + 2.0 * MARGIN, (rect, &taken)) else { continue };
        taken.push(plate);
        shown.push((&mark.label, at));
        if let Some(anchor) = seen(mark.points.first()).filter(|_| mark.leads) {
            let ends = [anchor, plate.clamp(anchor)];
            ui.painter().line_segment(ends, (2.5, c.plate));
            ui.painter().line_segment(ends, (1.0, c.text));
        }
        ui.painter().rect_filled(plate, 4.0, c.plate);
        ui.painter().galley(plate.min + MARGIN, galley, ink);
    }
}

fn to_points(pixels: glam::Vec2, scale: f32) -> Vec2 {
    vec2(pixels.x, pixels.y) / scale
}

/// Finds room for a plate of words next to the position `at`: to its right (or left, where `goes_left`), or else on the
/// other side, above it or below it. `None` where each of these leaves the picture or overlaps another plate.
fn plate_beside(at: Pos2, goes_left: bool, size: Vec2, (picture, taken): (Rect, &[Rect])) -> Option<Rect> {
    let right = (Align2::LEFT_CENTER, vec2(APART, 0.0));
    let left = (Align2::RIGHT_CENTER, vec2(-APART, 0.0));
    let [first, second] = if goes_left { [left, right] } else { [right, left] };
    [first, second, (Align2::CENTER_BOTTOM, vec2(0.0, -ABOVE)), (Align2::CENTER_TOP, vec2(0.0, ABOVE))]
        .into_iter()
        .map(|(align, away)| align.anchor_size(at + away, size))
        .find(|plate| picture.contains_rect(*plate) && !taken.iter().any(|other| other.intersects(*plate)))
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    #[test]
    fn words_give_way_to_others_and_to_the_edge_of_the_picture() {
        let picture = Rect::from_min_size(pos2(100.0, 0.0), vec2(400.0, 300.0));
        let size = vec2(80.0, 20.0);
        let at = pos2(300.0, 150.0);
        let right = plate_beside(at, false, size, (picture, &[])).unwrap();
        assert!(right.left() > at.x && right.center().y == at.y, "{right:?}");
        let left = plate_beside(at, false, size, (picture, &[right])).unwrap();
        assert!(left.right() < at.x && left.center().y == at.y, "{left:?}");
        let above = plate_beside(at, false, size, (picture, &[right, left])).unwrap();
        assert!(above.bottom() < at.y && above.center().x == at.x, "{above:?}");
        let below = plate_beside(at, false, size, (picture, &[right, left, above])).unwrap();
        assert!(below.top() > at.y && below.center().x == at.x, "{below:?}");
        assert_eq!(plate_beside(at, false, size, (picture, &[right, left, above, below])), None);
        // Words at the end of a line that comes from the right are to its left.
        assert_eq!(plate_beside(at, true, size, (picture, &[])), Some(left));
        assert_eq!(plate_beside(at, true, size, (picture, &[left])), Some(right));
        // At the right edge there is room to the left only.
        let at = pos2(495.0, 150.0);
        assert!(plate_beside(at, false, size, (picture, &[])).unwrap().right() < at.x);
    }
}
