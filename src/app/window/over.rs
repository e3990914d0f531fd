//! Keeps what lies over the picture, such as the tools and the axes, in the texture of the panels, from where it is blended over
//! each picture. Where the processor draws, painting it anew takes a tenth of a frame. Each plate is kept by itself, so that names
//! that move with their joints do not have all the others painted again. Knows shapes and rectangles; nothing of the GPU.

use egui::Rect;
use egui::epaint::ClippedShape;

use super::damage::{SeenShape, are_same, place_of, tiles};

/// The shapes over the picture that were asked for last, in plates that do not touch.
#[derive(Default)]
pub(crate) struct Over {
    plates: Vec<Plate>,
}

/// Shapes that lie over or next to one another.
struct Plate {
    /// The places that they are painted in, which do not overlap, points that are whole pixels.
    places: Vec<Rect>,
    shapes: Vec<SeenShape>,
    /// Whether the texture of the panels holds them.
    is_kept: bool,
}

/// What is done with the shapes over the picture. All places are in points that are whole pixels.
#[derive(Debug, Default)]
pub(crate) struct OverPaint {
    /// The shapes that are painted over the picture, since they have changed.
    pub direct: Vec<ClippedShape>,
    /// The shapes that are painted into the texture.
    pub kept: Vec<ClippedShape>,
    /// The places of those, which are emptied first.
    pub emptied: Vec<Rect>,
    /// The places that are blended from the texture.
    pub blended: Vec<Rect>,
}

impl Over {
    /// Decides what is done with `now`. Plates that change with every frame are never kept: the texture would be painted
    /// each time. `can_blend` is asked only where something could be kept.
    pub fn take(&mut self, now: Vec<SeenShape>, scale: f32, can_blend: &mut dyn FnMut() -> bool) -> OverPaint {
        let before = std::mem::replace(&mut self.plates, plates(now, scale));
        let mut out = OverPaint::default();
        let mut may_blend = None;
        for plate in &mut self.plates {
            let same = before.iter().find(|b| b.places == plate.places && are_same(&b.shapes, &plate.shapes));
            let shapes = plate.shapes.iter().map(|s| s.shape.clone());
            match same {
                Some(same) if same.is_kept => plate.is_kept = true,
                Some(_) if *may_blend.get_or_insert_with(&mut *can_blend) => {
                    plate.is_kept = true;
                    out.kept.extend(shapes);
                    out.emptied.extend_from_slice(&plate.places);
                }
                _ => out.direct.extend(shapes),
            }
            if plate.is_kept {
                out.blended.extend_from_slice(&plate.places);
            }
        }
        out
    }

    /// Notes that the texture holds none of them, and that they have to be seen twice before it does.
    pub fn forget(&mut self) {
        self.plates.clear();
    }
}

/// Divides shapes into plates; shapes of one plate stay in their order.
fn plates(shapes: Vec<SeenShape>, scale: f32) -> Vec<Plate> {
    let mut groups: Vec<(Vec<usize>, Vec<Rect>)> = Vec::new();
    for (i, place) in shapes.iter().map(|s| place_of(s, scale)).enumerate().filter(|(_, place)| place.is_positive()) {
        let (mut group, mut places) = (vec![i], vec![place]);
        // Places hold a little more than their shapes, so that one plate more may be reached.
        while let Some(at) = groups.iter().position(|(_, others)| touch(others, &places)) {
            let (other, others) = groups.swap_remove(at);
            group.extend(other);
            places = tiles(others.into_iter().chain(places));
        }
        groups.push((group, places));
    }
    let plate = |(mut group, places): (Vec<usize>, Vec<Rect>)| {
        group.sort_unstable();
        Plate { places, shapes: group.iter().map(|i| shapes[*i].clone()).collect(), is_kept: false }
    };
    groups.into_iter().map(plate).collect()
}

/// Returns whether some rectangle of one list touches one of the other.
fn touch(a: &[Rect], b: &[Rect]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.intersects(*b)))
}

#[cfg(test)]
mod tests {
    use egui::{Color32, Shape, pos2, vec2};

    use super::super::damage::seen_shapes;
    use super::*;

    fn plate(x: f32) -> SeenShape {
        let rect = Rect::from_min_size(pos2(x, 10.0), vec2(30.0, 20.0));
        let shape = ClippedShape::new(Rect::EVERYTHING, Shape::rect_filled(rect, 0.0, Color32::WHITE));
        seen_shapes(vec![shape]).remove(0)
    }

    /// How many shapes are painted directly, how many are kept and in how many places, and how many places are blended.
    fn numbers(paint: &OverPaint) -> [usize; 4] {
        [paint.direct.len(), paint.kept.len(), paint.emptied.len(), paint.blended.len()]
    }

    #[test]
    fn shapes_are_kept_once_they_were_the_same_twice_and_blended_until_they_change() {
        let mut over = Over::default();
        let mut asked = 0;
        let mut take = |over: &mut Over, shapes: &[SeenShape]| {
            over.take(shapes.to_vec(), 1.0, &mut || {
                asked += 1;
                asked > 1
            })
        };
        let still = [plate(10.0), plate(200.0)];
        assert_eq!(numbers(&take(&mut over, &still)), [2, 0, 0, 0], "seen once");
        assert_eq!(numbers(&take(&mut over, &still)), [2, 0, 0, 0], "what blends is not compiled yet");
        let kept = take(&mut over, &still);
        assert_eq!(numbers(&kept), [0, 2, 2, 2], "they are kept");
        assert!(kept.emptied.iter().all(|place| place.width() < 40.0 && place.contains_rect(place.shrink(1.0))));
        let blended = take(&mut over, &still);
        assert_eq!((numbers(&blended), &blended.blended), ([0, 0, 0, 2], &kept.blended));
        let moved = take(&mut over, &[plate(11.0), plate(200.0)]);
        assert_eq!(numbers(&moved), [1, 0, 0, 1], "one has moved, and the other stays");
        assert_eq!(numbers(&take(&mut over, &still)), [1, 0, 0, 1], "and back");
        assert_eq!(numbers(&take(&mut over, &still)), [0, 1, 1, 2], "it is kept again, and nothing else painted");
        over.forget();
        assert_eq!(numbers(&take(&mut over, &still)), [2, 0, 0, 0], "the device was lost");
        assert_eq!(numbers(&take(&mut over, &[])), [0; 4], "nothing need not be kept");
        assert_eq!(numbers(&take(&mut over, &[])), [0; 4]);
    }

    #[test]
    fn lines_along_the_edges_of_the_picture_are_places_of_their_own() {
        let of = |rect: Rect| {
            let shape = ClippedShape::new(Rect::EVERYTHING, Shape::rect_filled(rect, 0.0, Color32::WHITE));
            seen_shapes(vec![shape]).remove(0)
        };
        let at = |x: f32, y: f32, width: f32, height: f32| Rect::from_min_size(pos2(x, y), vec2(width, height));
        let frame = [of(at(0.0, 0.0, 900.0, 1.0)), of(at(0.0, 0.0, 1.0, 600.0)), of(at(899.0, 0.0, 1.0, 600.0))];
        let name = |x: f32| of(at(x, 300.0, 40.0, 10.0));
        let mut over = Over::default();
        let mut take = |name: SeenShape| {
            let shapes: Vec<_> = frame.iter().cloned().chain([name]).collect();
            over.take(shapes, 1.0, &mut || true)
        };
        take(name(200.0));
        take(name(210.0));
        let last = take(name(220.0));
        assert_eq!((last.direct.len(), last.kept.len()), (1, 0), "the name moves, and the frame stays");
        let area: f32 = last.blended.iter().map(Rect::area).sum();
        assert!((2000.0..12_000.0).contains(&area), "{area} of 540 000: {:?}", last.blended);
        let overlap = |(i, a): (usize, &Rect)| last.blended[..i].iter().any(|b| a.intersect(*b).is_positive());
        assert!(!last.blended.iter().enumerate().any(overlap), "nothing is blended twice");
    }

    #[test]
    fn what_lies_in_the_corner_of_a_plate_is_one_with_it_where_their_places_are() {
        let of = |x: f32, y: f32, width: f32, height: f32| {
            let rect = Rect::from_min_size(pos2(x, y), vec2(width, height));
            let shape = ClippedShape::new(Rect::EVERYTHING, Shape::rect_filled(rect, 0.0, Color32::WHITE));
            seen_shapes(vec![shape]).remove(0)
        };
        // Two strokes at a right angle, of which one place is made, a spot that none of them touches within it, and one beside it.
        let all =
            [of(10.0, 10.0, 20.0, 1.0), of(10.0, 10.0, 1.0, 20.0), of(24.0, 24.0, 3.0, 3.0), of(90.0, 24.0, 3.0, 3.0)];
        let made = plates(all.to_vec(), 1.0);
        let mut sizes: Vec<usize> = made.iter().map(|plate| plate.shapes.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 3], "the spot is not emptied with the strokes, nor blended twice");
        let places: Vec<Rect> = made.iter().flat_map(|plate| plate.places.clone()).collect();
        let overlap = |(i, a): (usize, &Rect)| places[..i].iter().any(|b| a.intersect(*b).is_positive());
        assert!(!places.iter().enumerate().any(overlap), "{places:?}");
    }

    #[test]
    fn what_moves_across_a_plate_is_painted_with_it() {
        let mut over = Over::default();
        let mut take = |shapes: &[SeenShape]| over.take(shapes.to_vec(), 1.0, &mut || true);
        let still = plate(200.0);
        for _ in 0..3 {
            take(&[plate(10.0), still.clone()]);
        }
        let crossing = take(&[plate(190.0), still.clone()]);
        assert_eq!(numbers(&crossing), [2, 0, 0, 0], "the order of both is kept");
        let gone = take(&[plate(100.0), still.clone()]);
        assert_eq!(numbers(&gone), [2, 0, 0, 0]);
        assert_eq!(numbers(&take(&[plate(101.0), still])), [1, 1, 1, 1], "the plate is emptied and painted again");
    }
}
