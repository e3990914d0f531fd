//! The part of the picture that no plate covers, in which a finding is framed.

use egui::{Rect, pos2};
use skinscope_session::{CameraCommand, Command, Session};

/// A part that is less than this of the picture's width or of its height is no place to look at anything.
const LEAST: f32 = 0.25;
/// A part that is still clear stays while it is this much of the largest one, so that the camera does not follow every plate.
const STAYS: f32 = 0.8;

/// Tells the session which part of the picture `seen` is clear of `plates`, where it has framed something there.
pub(super) fn tell(seen: Rect, plates: &[Rect], scale: f32, session: &Session, commands: &mut Vec<Command>) {
    if !session.view().is_framed_in_clear() {
        return;
    }
    let known = session.view().clear_part().map(|[least, greatest]| {
        let part = Rect::from_min_max(pos2(least.x, least.y), pos2(greatest.x, greatest.y));
        (part * (1.0 / scale)).translate(seen.min.to_vec2())
    });
    let now = largest(seen, plates);
    if stays(known, now, seen, plates) {
        return;
    }
    let pixels = now.map(|part| {
        let part = part.translate(-seen.min.to_vec2()) * scale;
        [part.left().ceil(), part.top().ceil(), part.right().floor(), part.bottom().floor()]
    });
    commands.push(CameraCommand::SetClearPart(pixels).into());
}

/// Returns whether the part that is known is as good as the largest one now.
fn stays(known: Option<Rect>, now: Option<Rect>, picture: Rect, plates: &[Rect]) -> bool {
    match (known, now) {
        (Some(known), Some(now)) => {
            let is_clear = picture.expand(0.5).contains_rect(known) && is_clear(known.shrink(0.5), plates);
            is_clear && known.area() >= STAYS * now.area()
        }
        (known, now) => known == now,
    }
}

/// Returns whether no plate covers any of a part.
fn is_clear(part: Rect, plates: &[Rect]) -> bool {
    !plates.iter().any(|plate| plate.intersect(part).is_positive())
}

/// Returns the largest part of `picture` that no plate covers; `None` where that is too small, or all of it.
fn largest(picture: Rect, plates: &[Rect]) -> Option<Rect> {
    let plates: Vec<Rect> = plates.iter().map(|plate| plate.intersect(picture)).filter(Rect::is_positive).collect();
    if plates.is_empty() {
        return None;
    }
    // Each of its edges is one of the picture or of a plate.
    let edges = |of: fn(&Rect) -> f32, own: f32| -> Vec<f32> { plates.iter().map(of).chain([own]).collect() };
    let lefts = edges(Rect::right, picture.left());
    let rights = edges(Rect::left, picture.right());
    let tops = edges(Rect::bottom, picture.top());
    let bottoms = edges(Rect::top, picture.bottom());
    let mut best: Option<Rect> = None;
    for (left, right) in lefts.iter().flat_map(|left| rights.iter().map(move |right| (*left, *right))) {
        for (top, bottom) in tops.iter().flat_map(|top| bottoms.iter().map(move |bottom| (*top, *bottom))) {
            let part = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
            let is_larger = part.is_positive() && best.is_none_or(|best| part.area() > best.area());
            if is_larger && is_clear(part, &plates) {
                best = Some(part);
            }
        }
    }
    best.filter(|part| part.width() >= LEAST * picture.width() && part.height() >= LEAST * picture.height())
}

#[cfg(test)]
mod tests {
    use egui::vec2;

    use super::*;

    #[test]
    fn the_largest_part_that_no_plate_covers_is_found() {
        let picture = Rect::from_min_size(pos2(100.0, 50.0), vec2(500.0, 400.0));
        let at = |x: f32, y: f32, width: f32, height: f32| {
            Rect::from_min_size(picture.min + vec2(x, y), vec2(width, height))
        };
        assert_eq!(largest(picture, &[]), None);
        assert_eq!(largest(picture, &[Rect::ZERO]), None, "it is not in the picture");
        // Tools at the left, the legend below them, and the axes at the upper right.
        let plates = [at(16.0, 60.0, 70.0, 150.0), at(16.0, 280.0, 220.0, 104.0), at(400.0, 0.0, 100.0, 140.0)];
        assert_eq!(largest(picture, &plates), Some(at(86.0, 0.0, 314.0, 280.0)));
        assert_eq!(largest(picture, &[at(0.0, 0.0, 480.0, 400.0)]), None, "what is left is too narrow");
    }

    #[test]
    fn a_part_stays_while_it_is_clear_and_large() {
        let picture = Rect::from_min_size(pos2(0.0, 0.0), vec2(500.0, 400.0));
        let plates = [Rect::from_min_size(picture.min, vec2(500.0, 60.0))];
        let now = largest(picture, &plates);
        let below = |top: f32| Some(picture.with_min_y(top));
        assert_eq!(now, below(60.0));
        assert!(stays(below(90.0), now, picture, &plates), "a little smaller");
        assert!(!stays(below(30.0), now, picture, &plates), "covered");
        assert!(!stays(below(250.0), now, picture, &plates) && !stays(None, now, picture, &plates));
        assert!(stays(None, None, picture, &[]));
    }
}
