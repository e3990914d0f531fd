//! Finds the parts of the panels that have changed since they were last painted, so that only those are painted again.
//! Knows shapes and rectangles; nothing of the GPU.

use std::sync::Arc;

use egui::epaint::{ClippedShape, Shape};
use egui::{Pos2, Rect, pos2, vec2};

/// A shape, and where it is seen.
#[derive(Clone, Debug)]
pub(crate) struct SeenShape {
    pub shape: ClippedShape,
    /// The rectangle in which it is visible, points.
    pub seen: Rect,
}

/// Returns the shapes of which something is seen, in their order.
pub(crate) fn seen_shapes(shapes: Vec<ClippedShape>) -> Vec<SeenShape> {
    let is_seen = |s: &SeenShape| s.seen.is_positive() || matches!(s.shape.shape, Shape::Callback(_));
    shapes.into_iter().map(|shape| SeenShape { seen: seen(&shape), shape }).filter(is_seen).collect()
}

/// The shapes that were painted last.
#[derive(Default)]
pub(crate) struct Damage {
    shapes: Vec<SeenShape>,
    canvas: Option<Canvas>,
}

/// The surface that panels are painted on; where it changes, all of them are painted anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Canvas {
    /// The size in pixels.
    pub size: [u32; 2],
    /// How many pixels a point has.
    pub scale: f32,
    /// The rectangle that is painted with every frame anyway, in points.
    pub except: Rect,
    /// The part of `except` that is kept nevertheless, since an opaque plate covers it; whole pixels, empty where there is none.
    pub opaque: Rect,
    /// The colour behind everything.
    pub base: egui::Color32,
}

/// The most places that are painted one by one; where there are more, those become one that waste the least.
const MOST: usize = 24;

/// How far around a shape its smoothed edges may reach, in points.
const FRINGE: f32 = 1.5;

/// How many shapes of two lists may differ in a row before what follows counts as all different.
const LONGEST_DIFFERENCE: usize = 200;

impl Damage {
    /// Returns the places where `now` looks different from what was painted last, in points that are whole pixels; all
    /// of the canvas where that is not known.
    pub fn places(&self, canvas: Canvas, now: &[SeenShape]) -> Vec<Rect> {
        let places = match self.canvas == Some(canvas) {
            true => changed(&self.shapes, now),
            false => vec![whole(canvas)],
        };
        let kept =
            |place: Rect| if canvas.except.contains_rect(place) { place.intersect(canvas.opaque) } else { place };
        let whole = whole(canvas);
        let places = places.into_iter().map(|p| kept(pixels(p, canvas.scale).intersect(whole)));
        joined(places.filter(Rect::is_positive))
    }

    /// Remembers `now` as what was painted last.
    pub fn remember(&mut self, canvas: Canvas, now: Vec<SeenShape>) {
        (self.canvas, self.shapes) = (Some(canvas), now);
    }

    /// Forgets the shapes that were painted last, since they were not shown.
    pub fn forget(&mut self) {
        self.canvas = None;
    }
}

/// Returns the whole canvas, in points.
pub(crate) fn whole(canvas: Canvas) -> Rect {
    let [width, height] = canvas.size.map(|s| s as f32 / canvas.scale);
    Rect::from_min_size(Pos2::ZERO, vec2(width, height))
}

/// Returns `place` grown to whole pixels.
fn pixels(place: Rect, scale: f32) -> Rect {
    let Rect { min, max } = place.expand(FRINGE);
    let down = |v: f32| (v * scale).floor() / scale;
    let up = |v: f32| (v * scale).ceil() / scale;
    Rect { min: pos2(down(min.x), down(min.y)), max: pos2(up(max.x), up(max.y)) }
}

/// Returns the places where two lists of shapes differ. Shapes that both have in the same order are taken to look the same; so a
/// panel that has one shape more than before does not make those after it differ.
fn changed(mut before: &[SeenShape], mut now: &[SeenShape]) -> Vec<Rect> {
    let mut out = Vec::new();
    while !before.is_empty() || !now.is_empty() {
        let (old, new) = next_same(before, now).unwrap_or((before.len(), now.len()));
        out.extend(before[..old].iter().chain(&now[..new]).map(|s| s.seen));
        (before, now) = (&before[old..], &now[new..]);
        let same = before.iter().zip(now).take_while(|(a, b)| is_same(&a.shape, &b.shape)).count();
        (before, now) = (&before[same..], &now[same..]);
    }
    out
}

/// Returns how many shapes of each of two lists come before the next one that is the same in both; `None` where that is far.
fn next_same(before: &[SeenShape], now: &[SeenShape]) -> Option<(usize, usize)> {
    let is_same_at = |old: usize, new: usize| match (before.get(old), now.get(new)) {
        (Some(a), Some(b)) => is_same(&a.shape, &b.shape),
        _ => false,
    };
    // Mostly shapes have changed and as many follow as before.
    let of_sum = |sum: usize| (0..=sum).map(move |old| (old, sum - old));
    (0..=LONGEST_DIFFERENCE).find_map(|sum| of_sum(sum).find(|(old, new)| is_same_at(*old, *new)))
}

/// Returns the rectangle in which a shape is visible.
fn seen(shape: &ClippedShape) -> Rect {
    let bounds = shape.transform_after_tessellation * shape.shape.visual_bounding_rect();
    bounds.intersect(shape.clip_rect)
}

/// Returns whether two shapes are the same. A text that egui has kept is recognised without comparing its letters.
fn is_same(a: &ClippedShape, b: &ClippedShape) -> bool {
    let placed = a.clip_rect == b.clip_rect && a.transform_after_tessellation == b.transform_after_tessellation;
    placed && is_same_shape(&a.shape, &b.shape)
}

fn is_same_shape(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Vec(a), Shape::Vec(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_shape(a, b)),
        (Shape::Text(a), Shape::Text(b)) if Arc::ptr_eq(&a.galley, &b.galley) => {
            a.pos == b.pos
                && a.underline == b.underline
                && a.fallback_color == b.fallback_color
                && a.override_text_color == b.override_text_color
                && a.opacity_factor == b.opacity_factor
                && a.angle == b.angle
        }
        // A callback may paint something else each time.
        (Shape::Callback(_), _) => false,
        (a, b) => a == b,
    }
}

/// Returns whether two lists hold the same shapes.
pub(crate) fn are_same(a: &[SeenShape], b: &[SeenShape]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(&a.shape, &b.shape))
}

/// Returns the place that a shape is painted in, in points that are whole pixels.
pub(crate) fn place_of(shape: &SeenShape, scale: f32) -> Rect {
    pixels(shape.seen, scale)
}

/// Returns fewer rectangles that hold all of `places`: those that touch become one, and where there are many, those that together
/// are the least larger than they are apart.
fn joined(places: impl Iterator<Item = Rect>) -> Vec<Rect> {
    let mut out = Vec::new();
    for place in places {
        add(&mut out, place);
        if out.len() > MOST {
            let pairs = (0..out.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let waste = |i: usize, j: usize| (out[i] | out[j]).area() - out[i].area() - out[j].area();
            let best = pairs.min_by(|a, b| waste(a.0, a.1).total_cmp(&waste(b.0, b.1)));
            if let Some((i, j)) = best {
                let (a, b) = (out.swap_remove(i), out.swap_remove(j));
                add(&mut out, a | b);
            }
        }
    }
    out
}

/// How many square points two places may waste that become one.
const WASTE: f32 = 600.0;

/// Returns rectangles that do not overlap and hold all of `places`, and little else: a line along each of two sides of a window does
/// not become all of the window.
pub(crate) fn tiles(places: impl Iterator<Item = Rect>) -> Vec<Rect> {
    let mut few: Vec<Rect> = Vec::new();
    for mut place in places {
        let waste = |a: &Rect, b: &Rect| (*a | *b).area() + a.intersect(*b).area().max(0.0) - a.area() - b.area();
        while let Some(i) = few.iter().position(|other| waste(other, &place) <= WASTE) {
            place |= few.swap_remove(i);
        }
        few.push(place);
    }
    let mut out: Vec<Rect> = Vec::new();
    for place in few {
        let mut rest = vec![place];
        for other in &out {
            rest = rest.into_iter().flat_map(|r| around(r, r.intersect(*other))).collect();
        }
        out.extend(rest);
    }
    out
}

/// Adds a rectangle to some that do not touch; those that it touches become one with it.
fn add(places: &mut Vec<Rect>, mut place: Rect) {
    while let Some(i) = places.iter().position(|other| other.intersects(place)) {
        place |= places.swap_remove(i);
    }
    places.push(place);
}

/// Returns the rectangles that make up `outer` without `inner`, a part of it that may be empty.
pub(crate) fn around(outer: Rect, inner: Rect) -> Vec<Rect> {
    if !inner.is_positive() {
        return vec![outer];
    }
    let beside = Rect::from_x_y_ranges(outer.x_range(), inner.y_range());
    let all = [
        outer.with_max_y(inner.top()),
        beside.with_max_x(inner.left()),
        beside.with_min_x(inner.right()),
        outer.with_min_y(inner.bottom()),
    ];
    all.into_iter().filter(Rect::is_positive).collect()
}

/// Returns the shapes that are visible within `place`, clipped to it.
pub(crate) fn within(shapes: &[SeenShape], place: Rect) -> impl Iterator<Item = SeenShape> + '_ {
    let touches = move |s: &&SeenShape| {
        s.shape.clip_rect.intersects(place)
            && (matches!(s.shape.shape, Shape::Callback(_)) || s.seen.expand(FRINGE).intersects(place))
    };
    shapes.iter().filter(touches).map(move |s| {
        let clip_rect = s.shape.clip_rect.intersect(place);
        SeenShape { seen: s.seen.intersect(place), shape: ClippedShape { clip_rect, ..s.shape.clone() } }
    })
}

#[cfg(test)]
mod tests {
    use egui::Color32;

    use super::*;

    const CANVAS: Canvas = Canvas {
        size: [200, 100],
        scale: 2.0,
        except: Rect { min: pos2(20.0, 10.0), max: pos2(80.0, 40.0) },
        opaque: Rect { min: pos2(22.0, 12.0), max: pos2(30.0, 20.0) },
        base: Color32::BLACK,
    };

    fn rect(x: f32, y: f32, size: f32) -> Rect {
        Rect::from_min_size(pos2(x, y), vec2(size, size))
    }

    fn square(x: f32, y: f32, color: Color32) -> SeenShape {
        let shape = ClippedShape::new(Rect::EVERYTHING, Shape::rect_filled(rect(x, y, 4.0), 0.0, color));
        SeenShape { seen: seen(&shape), shape }
    }

    impl Damage {
        fn take(&mut self, canvas: Canvas, now: &[SeenShape]) -> Vec<Rect> {
            let places = self.places(canvas, now);
            self.remember(canvas, now.to_vec());
            places
        }
    }

    #[test]
    fn what_stays_is_not_painted_again() {
        let shapes = [square(1.0, 1.0, Color32::RED), square(90.0, 1.0, Color32::RED)];
        let mut damage = Damage::default();
        assert_eq!(damage.take(CANVAS, &shapes), [whole(CANVAS)]);
        assert_eq!(damage.take(CANVAS, &shapes), []);
        damage.forget();
        assert_eq!(damage.take(CANVAS, &shapes), [whole(CANVAS)]);
        let other = Canvas { scale: 1.0, ..CANVAS };
        assert_eq!(damage.take(other, &shapes), [whole(other)]);
    }

    #[test]
    fn what_has_moved_is_painted_where_it_was_and_where_it_is() {
        let mut damage = Damage::default();
        damage.take(CANVAS, &[square(4.0, 4.0, Color32::RED), square(90.0, 1.0, Color32::RED)]);
        let now = [square(4.0, 42.0, Color32::RED), square(90.0, 1.0, Color32::RED)];
        let places = damage.take(CANVAS, &now);
        // Each place has its fringe: 4 − 1.5 is five pixels of half a point.
        assert_eq!(places, [rect(2.5, 2.5, 7.0), Rect { min: pos2(2.5, 40.5), max: pos2(9.5, 47.5) }]);
        // A shape that is removed leaves a hole; those before and after it stay.
        assert_eq!(damage.take(CANVAS, &now[1..]), [places[1]]);
    }

    #[test]
    fn what_is_painted_anyway_is_no_damage() {
        let mut damage = Damage::default();
        damage.take(CANVAS, &[square(40.0, 20.0, Color32::RED)]);
        assert_eq!(damage.take(CANVAS, &[square(41.0, 20.0, Color32::RED)]), []);
        // Half of this square lies outside of that rectangle.
        let places = damage.take(CANVAS, &[square(18.0, 20.0, Color32::RED)]);
        assert_eq!(places, [rect(16.5, 18.5, 7.0)]);
    }

    #[test]
    fn what_an_opaque_plate_shows_is_kept() {
        let mut damage = Damage::default();
        damage.take(CANVAS, &[square(24.0, 14.0, Color32::RED)]);
        // It moves to where half of it lies beside the plate.
        let places = damage.take(CANVAS, &[square(28.0, 14.0, Color32::RED)]);
        assert_eq!(places, [Rect { min: pos2(22.5, 12.5), max: pos2(30.0, 19.5) }]);
        let other = Canvas { opaque: Rect::ZERO, ..CANVAS };
        assert_eq!(damage.take(other, &[]), [whole(other)]);
    }

    #[test]
    fn a_plate_and_what_lies_around_it_make_up_the_whole() {
        let (outer, inner) = (CANVAS.except, CANVAS.opaque);
        let parts = around(outer, inner);
        assert_eq!(parts.iter().map(Rect::area).sum::<f32>(), outer.area() - inner.area());
        assert!(parts.iter().all(|part| outer.contains_rect(*part) && !part.intersect(inner).is_positive()));
        assert!(parts.iter().enumerate().all(|(i, a)| parts[..i].iter().all(|b| !a.intersect(*b).is_positive())));
        assert_eq!(around(outer, Rect::ZERO), [outer]);
        assert_eq!(around(outer, outer), []);
    }

    #[test]
    fn a_shape_more_or_less_leaves_those_after_it_as_they_are() {
        let before: Vec<SeenShape> = (0..60).map(|i| square(10.0 * i as f32, 60.0, Color32::RED)).collect();
        let canvas = Canvas { size: [2000, 200], ..CANVAS };
        let mut damage = Damage::default();
        damage.take(canvas, &before);
        // One is added near the beginning, and one is removed near the end.
        let mut now = before.clone();
        now.insert(3, square(35.0, 80.0, Color32::BLUE));
        now.remove(50);
        let places = damage.take(canvas, &now);
        assert_eq!(places, [rect(33.5, 78.5, 7.0), rect(488.5, 58.5, 7.0)]);
        // A whole panel that is replaced leaves what lies behind it in the list.
        let many: Vec<SeenShape> = (0..150).map(|i| square(5.0 * i as f32, 20.0, Color32::GREEN)).collect();
        let replaced: Vec<SeenShape> = many.into_iter().chain(now[30..].iter().cloned()).collect();
        let places = damage.take(canvas, &replaced);
        assert!(places.iter().all(|place| place.right() < 760.0 && !place.intersects(now[40].seen)), "{places:?}");
    }

    #[test]
    fn what_is_not_seen_is_no_shape() {
        let hidden = ClippedShape { clip_rect: rect(50.0, 0.0, 4.0), ..square(1.0, 1.0, Color32::RED).shape };
        let empty = ClippedShape::new(Rect::EVERYTHING, Shape::Noop);
        let line = Shape::hline(0.0..=9.0, 3.0, egui::Stroke::new(1.0, Color32::RED));
        let shapes = seen_shapes(vec![hidden, empty, ClippedShape::new(Rect::EVERYTHING, line)]);
        assert_eq!(
            shapes.iter().map(|s| s.seen).collect::<Vec<_>>(),
            [Rect { min: pos2(-0.5, 2.5), max: pos2(9.5, 3.5) }]
        );
    }

    #[test]
    fn places_that_touch_are_one_and_many_are_few_that_waste_little() {
        let touching = [rect(0.0, 0.0, 4.0), rect(8.0, 0.0, 4.0), rect(3.0, 0.0, 6.0)];
        assert_eq!(joined(touching.into_iter()), [Rect { min: pos2(0.0, 0.0), max: pos2(12.0, 6.0) }]);
        // Figures in two columns, far from one another.
        let many: Vec<Rect> =
            (0..80).map(|i| rect(if i % 2 == 0 { 0.0 } else { 900.0 }, 5.0 * i as f32, 4.0)).collect();
        let places = joined(many.iter().copied());
        assert!(places.len() <= MOST && many.iter().all(|m| places.iter().any(|p| p.contains_rect(*m))));
        assert!(places.iter().map(Rect::area).sum::<f32>() < 2.0 * 4.0 * 400.0, "{places:?}");
    }

    #[test]
    fn a_place_is_painted_with_what_is_seen_there() {
        let shapes = [square(1.0, 1.0, Color32::RED), square(90.0, 1.0, Color32::RED)];
        let found: Vec<_> = within(&shapes, rect(0.0, 0.0, 10.0)).collect();
        assert_eq!((found.len(), found[0].shape.clip_rect), (1, rect(0.0, 0.0, 10.0)));
        let mut hidden = shapes[0].clone();
        hidden.shape.clip_rect = rect(50.0, 0.0, 4.0);
        assert_eq!(within(&[hidden], rect(0.0, 0.0, 10.0)).count(), 0);
    }
}
