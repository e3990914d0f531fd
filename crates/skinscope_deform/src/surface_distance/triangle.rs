//! The shape of the triangles that a search has seen.

use super::window::{Window, hypotenuse};

/// A triangle of the surface that a search has seen.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    pub number: u32,
    /// The places of its corners.
    pub corners: [u32; 3],
    /// Twice its area.
    pub area: f64,
    pub sides: [TriangleSide; 3],
}

/// A side of a triangle.
#[derive(Clone, Copy, Debug)]
pub struct TriangleSide {
    pub length: f64,
    /// One divided by the length.
    pub inverse: f64,
    /// The shortest way to the third corner that comes straight through this side, and where it crosses the side.
    pub best: f64,
    pub crossing: f32,
    /// The first of the windows here that are in the queue.
    pub waiting: u32,
}

impl Triangle {
    /// Returns the coordinates of the third corner over a side, which is on the axis from 0.
    #[inline]
    pub fn third(&self, side: usize) -> [f64; 2] {
        let [side, after, before] = [0, 1, 2].map(|by| &self.sides[(side + by) % 3]);
        let squares = (before.length - after.length) * (before.length + after.length) + side.length * side.length;
        [0.5 * squares * side.inverse, self.area * side.inverse]
    }
}

/// How much more than a full turn the surface has around a point where ways bend, radians. With less, the ways beside the point are as long as
/// those through it, up to a share of 10⁻³.
const SADDLE: f64 = 0.01;

/// How deep below a side a start lies that is on it, as a share of the side.
const START_DEPTH: f64 = 1e-7;

/// Returns a place in a triangle as a window that is the whole of a side: from the distances of the ends of the side and of the third corner.
pub fn place_in(triangle: &Triangle, side: usize, [a, b, c]: [f64; 3]) -> Option<Window> {
    let (length, [foot, height]) = (triangle.sides[side].length, triangle.third(side));
    let source = ((a - b) * (a + b) + length * length) / (2.0 * length);
    let depth = (a * a - source * source).max(0.0).sqrt();
    let is_there = (hypotenuse(source - foot, depth - height) - c).abs() <= 1e-3 * length;
    let depth = depth.max(START_DEPTH * length);
    is_there.then_some(Window { before: 0.0, slack: 0.0, source, depth, from: 0.0, to: length })
}

/// The angles around a point, added as a complex number of length 1 and the half turns before it.
pub struct Turn {
    at: [f64; 2],
    half_turns: u32,
}

impl Default for Turn {
    fn default() -> Self {
        Self { at: [1.0, 0.0], half_turns: 0 }
    }
}

impl Turn {
    /// Adds the angle of a triangle across from the first of its sides.
    #[inline]
    pub fn add(&mut self, [across, after, before]: [&TriangleSide; 3], area: f64) {
        let share = after.inverse * before.inverse;
        let squares = after.length * after.length + before.length * before.length - across.length * across.length;
        let ([x, y], [u, v]) = ([0.5 * squares * share, area * share], self.at);
        let next = [u * x - v * y, u * y + v * x];
        // What is not finite is no angle.
        if (next[0] + next[1]).is_finite() {
            self.half_turns += u32::from((v >= 0.0) != (next[1] >= 0.0));
            self.at = next;
        }
    }

    pub(super) fn is_saddle(&self) -> bool {
        let [x, y] = self.at;
        self.half_turns > 2 || self.half_turns == 2 && (x < 0.0 || y > SADDLE)
    }
}
