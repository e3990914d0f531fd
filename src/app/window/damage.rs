//! Finds the parts of the panels that have changed since they were last painted, so that only those are painted again.
//! Knows shapes and rectangles; nothing of the GPU.

use std::sync::Arc;

use egui::epaint::{ClippedShape, Shape};
use egui::{Pos2, Rect, pos2, vec2};

/// The shapes that were painted last.
#[derive(Default)]
pub(crate) struct Damage {
    shapes: Vec<ClippedShape>,
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

/// The most places that are painted one by one; more are painted as one.
const MOST: usize = 12;

/// How far around a shape its smoothed edges may reach, in points.
const FRINGE: f32 = 1.5;

impl Damage {
    /// Returns the places where `now` looks different from what was painted last, in points that are whole pixels; all
    /// of the canvas where that is not known. Remembers `now` as what was painted last.
    pub fn take(&mut self, canvas: Canvas, now: &[ClippedShape]) -> Vec<Rect> {
        let places = match self.canvas == Some(canvas) {
            true => changed(&self.shapes, now),
            false => vec![whole(canvas)],
        };
        self.canvas = Some(canvas);
        self.shapes.clear();
        self.shapes.extend_from_slice(now);
        let kept =
            |place: Rect| if canvas.except.contains_rect(place) { place.intersect(canvas.opaque) } else { place };
        let whole = whole(canvas);
        let places = places.into_iter().map(|p| kept(pixels(p, canvas.scale).intersect(whole)));
        joined(places.filter(Rect::is_positive).collect())
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

/// Returns the places where two lists of shapes differ. Shapes before and after all differences are taken to be the
/// same.
fn changed(before: &[ClippedShape], now: &[ClippedShape]) -> Vec<Rect> {
    let same = |(a, b): &(&ClippedShape, &ClippedShape)| is_same(a, b);
    let head = before.iter().zip(now).take_while(same).count();
    let (before, now) = (&before[head..], &now[head..]);
    let tail = before.iter().rev().zip(now.iter().rev()).take_while(same).count();
    let (before, now) = (&before[..before.len() - tail], &now[..now.len() - tail]);
    let differs = |(a, b): &(&ClippedShape, &ClippedShape)| !is_same(a, b);
    if before.len() == now.len() {
        return before.iter().zip(now).filter(differs).flat_map(|(a, b)| [seen(a), seen(b)]).collect();
    }
    before.iter().chain(now).map(seen).collect()
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
pub(crate) fn are_same(a: &[ClippedShape], b: &[ClippedShape]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
}

/// Returns the places where `shapes` are visible, in points that are whole pixels.
pub(crate) fn places_of(shapes: &[ClippedShape], scale: f32) -> Vec<Rect> {
    merged(shapes.iter().map(|shape| pixels(seen(shape), scale)).filter(|place| place.is_positive()).collect())
}

/// Returns fewer rectangles that hold all of `places`: those that touch become one, and where there are many, all do.
fn joined(places: Vec<Rect>) -> Vec<Rect> {
    let out = merged(places);
    if out.len() > MOST {
        return vec![out.into_iter().fold(Rect::NOTHING, |a, b| a | b)];
    }
    out
}

/// Returns fewer rectangles that hold all of `places`: those that touch become one.
fn merged(places: Vec<Rect>) -> Vec<Rect> {
    let mut out: Vec<Rect> = Vec::new();
    for mut place in places {
        while let Some(i) = out.iter().position(|o| o.intersects(place)) {
            place |= out.swap_remove(i);
        }
        out.push(place);
    }
    out
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
pub(crate) fn within(shapes: &[ClippedShape], place: Rect) -> impl Iterator<Item = ClippedShape> + '_ {
    let touches = move |s: &&ClippedShape| {
        s.clip_rect.intersects(place)
            && (matches!(s.shape, Shape::Callback(_)) || seen(s).expand(FRINGE).intersects(place))
    };
    shapes.iter().filter(touches).map(move |s| ClippedShape { clip_rect: s.clip_rect.intersect(place), ..s.clone() })
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

    fn square(x: f32, y: f32, color: Color32) -> ClippedShape {
        ClippedShape::new(Rect::EVERYTHING, Shape::rect_filled(rect(x, y, 4.0), 0.0, color))
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
    fn places_that_touch_are_one_and_many_are_one() {
        assert_eq!(
            joined(vec![rect(0.0, 0.0, 4.0), rect(8.0, 0.0, 4.0), rect(3.0, 0.0, 6.0)]),
            [Rect { min: pos2(0.0, 0.0), max: pos2(12.0, 6.0) }]
        );
        let many: Vec<Rect> = (0..40).map(|i| rect(10.0 * i as f32, 0.0, 4.0)).collect();
        assert_eq!(joined(many), [Rect { min: pos2(0.0, 0.0), max: pos2(394.0, 4.0) }]);
    }

    #[test]
    fn a_place_is_painted_with_what_is_seen_there() {
        let shapes = [square(1.0, 1.0, Color32::RED), square(90.0, 1.0, Color32::RED)];
        let found: Vec<_> = within(&shapes, rect(0.0, 0.0, 10.0)).collect();
        assert_eq!((found.len(), found[0].clip_rect), (1, rect(0.0, 0.0, 10.0)));
        let hidden = ClippedShape { clip_rect: rect(50.0, 0.0, 4.0), ..shapes[0].clone() };
        assert_eq!(within(&[hidden], rect(0.0, 0.0, 10.0)).count(), 0);
    }
}
