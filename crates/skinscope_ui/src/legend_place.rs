//! Where the legend is in the picture, and how much room it has there.

use egui::{Rect, Vec2, vec2};

use super::widgets::INSET;

/// The width of the legend where there is room, points.
pub(super) const WIDTH: f32 = 264.0;
/// The height of the head and of the plate's margins, points.
const HEAD: f32 = 54.0;
/// The height of a ramp with its labels, points.
const RAMP: f32 = 28.0;
/// The least height of contents that is worth showing, points.
const LEAST: f32 = 40.0;
/// The height of contents that the legend has below the controls of the picture; with less it is beside them, points.
const ROOMY: f32 = 98.0;
/// In a smaller picture the whole legend would lie over the model, points.
const SMALL_PICTURE: Vec2 = vec2(560.0, 440.0);

/// Where the legend is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// The part of the picture in whose lower left corner it is.
    pub rect: Rect,
    /// The room that it has there.
    pub size: Vec2,
    /// Whether it has title and colours alone, until somebody unfolds it.
    pub is_brief: bool,
    /// Whether there is room for more than its title.
    pub fits: bool,
}

impl Place {
    /// Returns the place of the legend in the picture `rect`: in the lower quarter, with some space between it and the middle, below the
    /// `controls` in the upper left corner or to their right. In a small picture it is flat, and may then be wider.
    pub(super) fn of(rect: Rect, controls: Rect) -> Self {
        let is_brief = rect.width() < SMALL_PICTURE.x || rect.height() < SMALL_PICTURE.y;
        let quarter = 0.5 * rect.size() - vec2(INSET + 12.0, INSET + 12.0);
        let below = rect.bottom() - INSET - controls.bottom() - 8.0;
        let right = rect.with_min_x(controls.right() + 8.0 - INSET);
        let whole = |rect: Rect| rect.width() - 2.0 * INSET;
        let beside = rect.center().x - 12.0 - controls.right() - 8.0;
        let needed = HEAD + if is_brief { RAMP } else { ROOMY };
        let stays = below >= quarter.y.min(needed) || beside < 0.5 * WIDTH;
        let (rect, size) = match (is_brief, stays) {
            (true, true) if below >= HEAD => (rect, vec2(whole(rect), quarter.y.min(below))),
            (true, _) => (right, vec2(whole(right), quarter.y)),
            (false, true) => (rect, vec2(quarter.x, quarter.y.min(below))),
            (false, false) => (right, vec2(beside, quarter.y)),
        };
        let least = if is_brief { RAMP } else { LEAST };
        let fits = size.y >= HEAD + least && size.x >= 0.5 * WIDTH;
        Self { rect, size: vec2(size.x.min(WIDTH), size.y), is_brief, fits }
    }

    /// Returns the height that is left for contents below `y` on a plate that begins at `top`, points.
    pub(super) fn left_below(&self, top: f32, y: f32) -> f32 {
        // The plate's lower margin and both of its edges; `top` is below the upper ones.
        self.size.y - (y - top) - 22.0
    }
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    fn picture(width: f32, height: f32) -> Rect {
        Rect::from_min_size(pos2(200.0, 30.0), vec2(width, height))
    }

    #[test]
    fn the_legend_is_flat_in_a_small_picture_and_clear_of_the_controls() {
        // The pictures of windows of 1600×900 and 1280×720 pixels at 150 %, with tools alone and with their settings.
        for (width, height) in [(500.0, 424.0), (558.0, 366.0), (287.0, 305.0)] {
            let rect = picture(width, height);
            for size in [vec2(68.0, 120.0), vec2(150.0, 120.0)] {
                let controls = Rect::from_min_size(rect.min + vec2(INSET, 78.0), size);
                let place = Place::of(rect, controls);
                assert!(place.is_brief && place.fits, "{width}: {place:?}");
                let plate = place.rect.shrink(INSET);
                let plate = Rect::from_min_max(
                    pos2(plate.left(), plate.bottom() - place.size.y),
                    pos2(plate.left() + place.size.x, plate.bottom()),
                );
                assert!(!plate.intersects(controls) && rect.contains_rect(plate), "{width}: {plate:?} {controls:?}");
                assert!(place.rect == rect && place.size.x >= 250.0, "{width}: it keeps its corner and its width");
            }
        }
        let large = picture(1032.0, 706.0);
        let place = Place::of(large, Rect::from_min_size(large.min + vec2(INSET, 46.0), vec2(68.0, 156.0)));
        assert!(!place.is_brief && place.fits && place.size.x == WIDTH);
    }

    #[test]
    fn where_controls_reach_down_the_legend_is_beside_them() {
        let rect = picture(558.0, 300.0);
        let controls =
            Rect::from_min_max(rect.min + vec2(INSET, 46.0), pos2(rect.left() + 100.0, rect.bottom() - 40.0));
        let place = Place::of(rect, controls);
        assert!(place.rect.left() + INSET >= controls.right() && place.size.x >= 250.0, "{place:?}");
    }
}
