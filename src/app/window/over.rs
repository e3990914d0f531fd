//! Keeps what lies over the picture, such as the tools and the axes, in the texture of the panels, from where it is blended over
//! each picture. Where the processor draws, painting it anew takes a tenth of a frame. Knows shapes and rectangles; nothing of the
//! GPU.

use egui::Rect;
use egui::epaint::ClippedShape;

use super::damage::{are_same, places_of};

/// The shapes over the picture that were asked for last.
#[derive(Default)]
pub(crate) struct Over {
    shapes: Vec<ClippedShape>,
    /// Whether the texture of the panels holds them.
    is_kept: bool,
}

/// What is done with the shapes over the picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OverPaint {
    /// They are painted over the picture, since they have changed.
    Directly,
    /// They are painted into the texture, all of which is painted anew, and blended from there.
    Keep(Vec<Rect>),
    /// They are blended from the texture: these places, in points that are whole pixels.
    Blend(Vec<Rect>),
}

impl Over {
    /// Decides what is done with `now`. Shapes that change with every frame are never kept: the texture would be painted
    /// each time. `can_blend` is asked only where they could be kept.
    pub fn take(&mut self, now: &[ClippedShape], scale: f32, can_blend: &mut dyn FnMut() -> bool) -> OverPaint {
        if !are_same(&self.shapes, now) {
            self.shapes.clear();
            self.shapes.extend_from_slice(now);
            self.is_kept = false;
            return OverPaint::Directly;
        }
        if self.is_kept {
            return OverPaint::Blend(places_of(now, scale));
        }
        if now.is_empty() || !can_blend() {
            return OverPaint::Directly;
        }
        self.is_kept = true;
        OverPaint::Keep(places_of(now, scale))
    }

    /// Notes that the texture does not hold them, and that they have to be seen twice before it does.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use egui::{Color32, Shape, pos2, vec2};

    use super::*;

    fn plate(x: f32) -> ClippedShape {
        let rect = Rect::from_min_size(pos2(x, 10.0), vec2(30.0, 20.0));
        ClippedShape::new(Rect::EVERYTHING, Shape::rect_filled(rect, 0.0, Color32::WHITE))
    }

    #[test]
    fn shapes_are_kept_once_they_were_the_same_twice_and_blended_until_they_change() {
        let mut over = Over::default();
        let mut asked = 0;
        let mut take = |over: &mut Over, shapes: &[ClippedShape]| {
            over.take(shapes, 1.0, &mut || {
                asked += 1;
                asked > 1
            })
        };
        let still = [plate(10.0), plate(200.0)];
        assert_eq!(take(&mut over, &still), OverPaint::Directly, "seen once");
        assert_eq!(take(&mut over, &still), OverPaint::Directly, "what blends is not compiled yet");
        let OverPaint::Keep(places) = take(&mut over, &still) else { panic!("they are kept") };
        assert_eq!(places.len(), 2);
        assert!(places.iter().all(|place| place.width() < 40.0 && place.contains_rect(place.shrink(1.0))));
        assert_eq!(take(&mut over, &still), OverPaint::Blend(places.clone()));
        assert_eq!(take(&mut over, &[plate(11.0), plate(200.0)]), OverPaint::Directly, "one has moved");
        assert_eq!(take(&mut over, &still), OverPaint::Directly, "and back");
        assert_eq!(take(&mut over, &still), OverPaint::Keep(places));
        over.forget();
        assert_eq!(take(&mut over, &still), OverPaint::Directly, "the device was lost");
        assert_eq!(take(&mut over, &[]), OverPaint::Directly);
        assert_eq!(take(&mut over, &[]), OverPaint::Directly, "nothing need not be kept");
    }
}
