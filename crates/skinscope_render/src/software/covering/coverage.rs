//! Finds triangles that face away, lie outside the picture, or cover no sample.

use glam::Vec2;

use super::super::super::target::SAMPLES;
use super::screen::{FOUR, ONE, View};

/// In pixels. A triangle that is wider or higher is drawn without looking for a sample in it.
const LARGE: f32 = 6.0;

/// The test whether a triangle covers a sample.
pub(super) struct CoverageTest {
    pub view: View,
    /// How far a corner may be off, in pixels.
    pub margin: f32,
    /// For a single-sided surface, whether all of it has kept its winding (true) or reversed it (false); `None` keeps
    /// both sides.
    pub side: Option<bool>,
}

impl CoverageTest {
    /// False where a triangle with corners at `t`, or within [`CoverageTest::margin`] of there, certainly faces away,
    /// lies outside the picture, or covers no sample. True where a corner is not finite.
    pub(crate) fn may_show(&self, t: [Vec2; 3]) -> bool {
        let [a, b, c] = t;
        // Twice the area; positive where the corners go clockwise as one sees them, since rows count downwards.
        let area = (b - a).perp_dot(c - a);
        if !area.is_finite() {
            return true;
        }
        let m = self.margin;
        let (low, high) = (a.min(b).min(c) - m, a.max(b).max(c) + m);
        let [width, height] = self.view.size.map(|s| s as f32);
        if high.x < -1.0 || high.y < -1.0 || low.x > width + 1.0 || low.y > height + 1.0 {
            return false;
        }
        let sides = [b - a, c - b, a - c];
        if let Some(keeps_winding) = self.side {
            let longest = sides.iter().map(|s| s.length_squared()).fold(0.0, f32::max).sqrt();
            // It faces away so far that no corner can come to the other side of the edge opposite.
            let away = if keeps_winding { area } else { -area };
            if away > 2.0 * m * longest {
                return false;
            }
        }
        let size = high - low;
        // A triangle that the border cuts gets new corners, so it is kept.
        let is_small = size.x < LARGE && size.y < LARGE;
        if !(is_small && low.x >= 0.0 && low.y >= 0.0 && high.x <= width && high.y <= height) {
            return true;
        }
        let turn = if area < 0.0 { -1.0 } else { 1.0 };
        let corners = [a, b, c];
        let least = sides.map(|s| -m * s.length());
        let covers = |s: Vec2| {
            s.cmpge(low).all()
                && s.cmple(high).all()
                && (0..3).all(|i| turn * sides[i].perp_dot(s - corners[i]) >= least[i])
        };
        let samples = if self.view.samples == SAMPLES { &FOUR[..] } else { &ONE };
        let (first, last) = (low.floor().as_ivec2(), high.floor().as_ivec2());
        (first.y..=last.y)
            .any(|y| (first.x..=last.x).any(|x| samples.iter().any(|s| covers(Vec2::new(x as f32, y as f32) + *s))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(samples: u32, side: Option<bool>) -> CoverageTest {
        CoverageTest { view: View { size: [100, 80], samples, grid: 1.0 / 256.0 }, margin: 1.0 / 128.0, side }
    }

    /// A small triangle around a point, clockwise as one sees it (rows count downwards).
    fn around(at: Vec2, size: f32) -> [Vec2; 3] {
        [at + Vec2::new(0.0, -size), at + Vec2::new(size, size), at + Vec2::new(-size, size)]
    }

    #[test]
    fn a_triangle_is_drawn_if_it_may_cover_a_sample() {
        let (one, four) = (look(1, None), look(SAMPLES, None));
        let pixel = Vec2::new(17.0, 31.0);
        assert!(one.may_show(around(pixel + 0.5, 0.05)) && !four.may_show(around(pixel + 0.5, 0.05)));
        for sample in FOUR {
            assert!(four.may_show(around(pixel + sample, 0.02)) && !one.may_show(around(pixel + sample, 0.02)));
            // Beside the sample, within what rounding may do, and beyond.
            assert!(four.may_show(around(pixel + sample + Vec2::new(0.0, 0.025), 0.02)));
            assert!(!four.may_show(around(pixel + sample + Vec2::new(0.0, 0.04), 0.02)));
        }
        // A needle without area between the samples, and one through a sample.
        let needle = |y: f32| [pixel + Vec2::new(0.0, y), pixel + Vec2::new(3.0, y), pixel + Vec2::new(1.0, y)];
        assert!(!one.may_show(needle(0.3)) && one.may_show(needle(0.5)));
        // Large triangles, and those that are not finite, are kept without a test.
        assert!(one.may_show(around(pixel, 9.0)) && one.may_show([Vec2::NAN, pixel, pixel + 1.0]));
    }

    #[test]
    fn what_faces_away_or_lies_outside_is_left_out() {
        let front = around(Vec2::new(40.5, 40.5), 2.0);
        let back = [front[0], front[2], front[1]];
        for (side, clockwise, other) in [(None, true, true), (Some(true), false, true), (Some(false), true, false)] {
            let look = look(1, side);
            assert_eq!((look.may_show(front), look.may_show(back)), (clockwise, other), "{side:?}");
        }
        // This triangle is so thin that rounding may turn it over.
        let thin = [Vec2::new(40.0, 40.5), Vec2::new(43.0, 40.51), Vec2::new(43.0, 40.5)];
        let turned = [thin[0], thin[2], thin[1]];
        assert!(look(1, Some(true)).may_show(thin) && look(1, Some(true)).may_show(turned));
        let at = |x: f32, y: f32| look(1, None).may_show(around(Vec2::new(x, y), 1.0));
        assert!(at(0.0, 0.0) && at(100.0, 79.0) && at(99.5, 81.0));
        assert!(!at(-4.0, 40.0) && !at(104.0, 40.0) && !at(50.0, -4.0) && !at(50.0, 84.0));
    }
}
