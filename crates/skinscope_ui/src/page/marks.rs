//! The labels of what an example draws over the picture.

use egui::{Align2, Pos2, Rect, Ui, Vec2, vec2};
use skinscope_examples::{Mark, MarkInk};
use skinscope_session::{Projector, Session};

use super::TextSize;
use crate::theme::{self, colors};

/// The font size of the labels, points.
const SIZE: f32 = 14.0;
/// The margin of the plate behind them, points.
const MARGIN: Vec2 = vec2(5.0, 2.0);
/// The distance between the plate and the position that it names, points.
const APART: f32 = 7.0;
/// The distance of plates above and below the position, so that they clear those to the right and to the left; points.
const ABOVE: f32 = 13.0;

/// The distances of further plates, with a line that leads to them, from the position that they name; points.
const FARTHER: [f32; 5] = [26.0, 44.0, 66.0, 92.0, 122.0];

/// Words that are to be written, at a position of the screen.
struct Words<'a> {
    mark: &'a Mark,
    /// The position beside which they stand.
    at: Pos2,
    /// The position that they name.
    anchor: Pos2,
    /// Whether they stand at the end of a line that comes from the right.
    goes_left: bool,
}

/// The plate of words, and the line that leads to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Placed {
    plate: Rect,
    leader: Option<[Pos2; 2]>,
}

/// What is in the picture, in points.
struct Picture {
    /// The rectangle of the picture, which plates do not leave.
    room: Rect,
    /// Plates, which overlap no other.
    placed: Vec<Placed>,
    /// Lines and dots (lines without length), which plates leave uncovered where there is room beside them.
    lines: Vec<[Pos2; 2]>,
}

pub(crate) fn show(ui: &Ui, session: &Session, projector: &Projector, rect: Rect, text: TextSize) {
    let c = colors(ui);
    let scale = ui.pixels_per_point();
    let size = SIZE * text.of_words();
    let marks = session.example_marks();
    let seen = |point: Option<&glam::Vec3>| Some(rect.min + to_points(projector.project(*point?)?, scale));
    let mut picture = Picture { room: rect, placed: Vec::new(), lines: Vec::new() };
    for mark in marks.iter().filter(|mark| mark.width > 0.0 && !mark.leads) {
        let points: Vec<Pos2> = mark.points.iter().filter_map(|point| seen(Some(point))).collect();
        match points[..] {
            [dot] => picture.lines.push([dot, dot]),
            _ => picture.lines.extend(points.windows(2).map(|ends| [ends[0], ends[1]])),
        }
    }
    // Names of whole figures stay where they are. What is pointed at comes last, and its words first of the others.
    let (names, others): (Vec<_>, Vec<_>) =
        marks.iter().rev().filter(|mark| !mark.label.is_empty()).partition(|mark| mark.width == 0.0);
    let mut shown: Vec<(&str, Pos2)> = Vec::new();
    let mut texts = Vec::new();
    for mark in names.into_iter().chain(others) {
        let Some(end) = seen(mark.points.last()) else { continue };
        let anchor = if mark.leads { seen(mark.points.first()).unwrap_or(end) } else { end };
        // Words that would stand outside are written beside what they name.
        let at = if rect.contains(end) { end } else { anchor };
        // Words at the end of a line are on the side away from the line, and not over it.
        let before = seen(mark.points.iter().rev().nth(1));
        let words = Words { mark, at, anchor, goes_left: before.is_some_and(|before| before.x > at.x + 1.0) };
        // The highlighted position may have the same words already.
        let is_shown = shown.iter().any(|(words, there)| *words == mark.label && there.distance(at) < 1.0);
        if !rect.contains(at) || is_shown {
            continue;
        }
        let ink = if mark.ink == MarkInk::Accent { c.accent } else { c.text };
        let galley = ui.painter().layout_no_wrap(mark.label.clone(), theme::strong(size), ink);
        let Some(placed) = picture.place(&words, galley.size() + 2.0 * MARGIN) else { continue };
        shown.push((&mark.label, at));
        texts.push((placed.plate, galley, ink));
    }
    // No line goes through words.
    for ends in picture.placed.iter().filter_map(|placed| placed.leader) {
        ui.painter().line_segment(ends, (2.5, c.plate));
        ui.painter().line_segment(ends, (1.0, c.text));
    }
    for (plate, galley, ink) in texts {
        ui.painter().rect_filled(plate, 4.0, c.plate);
        ui.painter().galley(plate.min + MARGIN, galley, ink);
    }
}

fn to_points(pixels: glam::Vec2, scale: f32) -> Vec2 {
    vec2(pixels.x, pixels.y) / scale
}

impl Picture {
    /// Finds room for a plate of words, and takes it: beside their position, or else farther away with a line that leads there. Of all
    /// plates that overlap no other it is the first that covers no line and no dot, or the one that covers the least. `None` where each of
    /// them leaves the picture or overlaps another plate.
    fn place(&mut self, words: &Words, size: Vec2) -> Option<Placed> {
        let mut best: Option<(usize, Placed)> = None;
        for placed in self.candidates(words, size) {
            let cost = self.cost(&placed);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, placed));
            }
            if cost == 0 {
                break;
            }
        }
        let (_, placed) = best?;
        self.placed.push(placed);
        Some(placed)
    }

    /// Returns the plates that are within the picture and overlap no other, the nearest ones first.
    fn candidates(&self, words: &Words, size: Vec2) -> impl Iterator<Item = Placed> {
        let leader = |plate: Rect| words.mark.leads.then(|| [words.anchor, plate.clamp(words.anchor)]);
        let near = around(words.at, words.goes_left, size).map(|plate| Placed { plate, leader: leader(plate) });
        let far = FARTHER.into_iter().flat_map(move |far| {
            [(1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1)].map(|(x, y)| {
                let aside = far * vec2(x as f32, y as f32).normalized();
                let center = words.anchor + aside + 0.5 * size * vec2(x as f32, y as f32);
                let plate = Rect::from_center_size(center, size);
                Placed { plate, leader: Some([words.anchor, plate.clamp(words.anchor)]) }
            })
        });
        // Names of whole figures have no position that a line could lead to.
        let far = far.filter(move |_| words.mark.width > 0.0);
        near.into_iter().chain(far).filter(move |new| {
            let is_free = |old: &Placed| !old.plate.intersects(new.plate);
            self.room.contains_rect(new.plate) && self.placed.iter().all(is_free)
        })
    }

    /// Returns what a plate would cover: lines and dots count 3 each, plates that the line to it would pass beneath count 2.
    fn cost(&self, new: &Placed) -> usize {
        let leaders = self.placed.iter().filter_map(|old| old.leader);
        let covered = self.lines.iter().copied().chain(leaders).filter(|line| crosses(new.plate, *line)).count();
        let passed = |old: &&Placed| new.leader.is_some_and(|line| crosses(old.plate, line));
        3 * covered + 2 * self.placed.iter().filter(passed).count()
    }
}

/// The plates of words right beside the position `at`: to its right (or left, where `goes_left`), on the other side, above it and below
/// it.
fn around(at: Pos2, goes_left: bool, size: Vec2) -> [Rect; 4] {
    let right = (Align2::LEFT_CENTER, vec2(APART, 0.0));
    let left = (Align2::RIGHT_CENTER, vec2(-APART, 0.0));
    let [first, second] = if goes_left { [left, right] } else { [right, left] };
    [first, second, (Align2::CENTER_BOTTOM, vec2(0.0, -ABOVE)), (Align2::CENTER_TOP, vec2(0.0, ABOVE))]
        .map(|(align, away)| align.anchor_size(at + away, size))
}

/// Returns whether a line goes through a rectangle.
fn crosses(rect: Rect, [from, to]: [Pos2; 2]) -> bool {
    let along = to - from;
    // The part of the line, from 0 to 1, that is between the sides.
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for (start, step, min, max) in
        [(from.x, along.x, rect.min.x, rect.max.x), (from.y, along.y, rect.min.y, rect.max.y)]
    {
        if step.abs() < 1e-6 {
            if start <= min || start >= max {
                return false;
            }
            continue;
        }
        let (a, b) = ((min - start) / step, (max - start) / step);
        (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
    }
    first < last
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    #[test]
    fn words_give_way_to_others_and_to_the_edge_of_the_picture() {
        let room = Rect::from_min_size(pos2(100.0, 0.0), vec2(400.0, 300.0));
        let size = vec2(80.0, 20.0);
        let mark = Mark::dot(glam::Vec3::ZERO, MarkInk::First, "words");
        let words = |at: Pos2, goes_left| Words { mark: &mark, at, anchor: at, goes_left };
        let mut picture = Picture { room, placed: Vec::new(), lines: Vec::new() };
        let at = pos2(300.0, 150.0);
        let mut next = |goes_left| picture.place(&words(at, goes_left), size).unwrap();
        let [right, left, above, below] = [next(false), next(false), next(false), next(false)];
        assert!(right.plate.left() > at.x && right.plate.center().y == at.y, "{right:?}");
        assert!(left.plate.right() < at.x && left.plate.center().y == at.y, "{left:?}");
        assert!(above.plate.bottom() < at.y && above.plate.center().x == at.x, "{above:?}");
        assert!(below.plate.top() > at.y && below.plate.center().x == at.x, "{below:?}");
        // From then on they are farther away, and a line leads to them.
        let farther = next(false);
        assert!(farther.leader.is_some_and(|[from, to]| from == at && farther.plate.distance_to_pos(to) < 0.01));
        assert!([right, left, above, below].iter().all(|near| !near.plate.intersects(farther.plate)));
        // Words at the end of a line that comes from the right are to its left.
        let mut picture = Picture { room, placed: Vec::new(), lines: Vec::new() };
        assert_eq!(picture.place(&words(at, true), size), Some(left));
        assert_eq!(picture.place(&words(at, true), size), Some(right));
        // At the right edge there is room to the left only.
        let at = pos2(495.0, 150.0);
        let mut picture = Picture { room, placed: Vec::new(), lines: Vec::new() };
        assert!(picture.place(&words(at, false), size).unwrap().plate.right() < at.x);
    }

    #[test]
    fn words_cover_no_line_while_there_is_room_beside_it() {
        let room = Rect::from_min_size(pos2(0.0, 0.0), vec2(400.0, 300.0));
        let size = vec2(80.0, 20.0);
        let at = pos2(200.0, 150.0);
        // A line to the right and one to the left.
        let lines = vec![[at, pos2(390.0, 150.0)], [at, pos2(10.0, 152.0)]];
        let mut picture = Picture { room, placed: Vec::new(), lines };
        let mark = Mark::named_aside(glam::Vec3::ZERO, glam::Vec3::X, "words");
        let words = Words { mark: &mark, at, anchor: at, goes_left: false };
        for _ in 0..5 {
            let placed = picture.place(&words, size).unwrap();
            assert!(picture.lines.iter().all(|line| !crosses(placed.plate, *line)), "{placed:?}");
        }
        assert!(crosses(room, [pos2(-9.0, -9.0), pos2(20.0, 20.0)]) && crosses(room, [at, at]));
        assert!(!crosses(room, [pos2(-9.0, 5.0), pos2(5.0, -20.0)]) && !crosses(room, [pos2(-9.0, 0.0); 2]));
    }
}
