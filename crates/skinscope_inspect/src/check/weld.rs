//! Welds points that lie in one place, by a hash of cells.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use glam::Vec3;
use skinscope_base::math::Aabb;

/// Points that are nearer to each other than this are welded, as a share of the diagonal of the box around all.
const TOLERANCE: f32 = 1e-6;

/// The result of welding a list of points.
#[derive(Clone, Debug, Default)]
pub(super) struct Weld {
    /// For each point: the place it lies in.
    pub of: Vec<u32>,
    /// The position of each place: that of the first point that lies there.
    pub positions: Vec<Vec3>,
}

impl Weld {
    /// Welds finite points within a millionth of the diagonal of the box around their mass (or what `f32` can tell apart
    /// there).
    ///
    /// Time and memory are linear: places lie further apart than the tolerance, so that a cell of the grid, some tolerances
    /// wide, holds no more than some hundred, however the points are heaped.
    pub fn new(points: &[Vec3]) -> Self {
        let bounds = Aabb::around_mass(points);
        let reach = if bounds.is_empty() { 0.0 } else { bounds.farthest() };
        let tolerance = (bounds.diagonal() * TOLERANCE).max(4.0 * f32::EPSILON * reach);
        let first = HashMap::with_capacity_and_hasher(points.len(), Mixer::default());
        let mut grid = Grid { corner: bounds.min.as_dvec3(), cell: f64::from(tolerance) * CELL, first };
        let mut out = Self { of: Vec::with_capacity(points.len()), positions: Vec::new() };
        let mut next: Vec<u32> = Vec::new();
        for point in points {
            let place = grid.nearest(*point, tolerance, &out.positions, &next).unwrap_or_else(|| {
                let place = out.positions.len() as u32;
                out.positions.push(*point);
                next.push(grid.first.insert(grid.cell_of(*point, 0.0), place).unwrap_or(NONE));
                place
            });
            out.of.push(place);
        }
        out
    }
}

const NONE: u32 = u32::MAX;

/// The side of a cell, in tolerances: most points look into one cell only.
const CELL: f64 = 8.0;

/// Places by cell: the first of each cell, from which the others follow in a chain.
struct Grid {
    corner: glam::DVec3,
    cell: f64,
    first: HashMap<[u32; 3], u32, Mixer>,
}

impl Grid {
    /// Returns the cell of a point moved by `by` along all axes. Where all points are one, there is one cell.
    fn cell_of(&self, point: Vec3, by: f64) -> [u32; 3] {
        if self.cell <= 0.0 {
            return [0; 3];
        }
        // One is added so that a point at the corner may be moved back.
        let cells = (point.as_dvec3() + by - self.corner) / self.cell + 1.0;
        // Far outside the cell numbers wrap around, so that strays are not all in one cell.
        cells.to_array().map(|c| c.rem_euclid(4_294_967_296.0) as u32)
    }

    fn nearest(&self, point: Vec3, tolerance: f32, places: &[Vec3], next: &[u32]) -> Option<u32> {
        let by = f64::from(tolerance);
        let (low, high) = (self.cell_of(point, -by), self.cell_of(point, by));
        let mut best: Option<(f32, u32)> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut at = self.first.get(&[x, y, z]).copied().unwrap_or(NONE);
                    while at != NONE {
                        let distance = places[at as usize].distance(point);
                        if distance <= tolerance && best.is_none_or(|b| (distance, at) < b) {
                            best = Some((distance, at));
                        }
                        at = next[at as usize];
                    }
                }
            }
        }
        best.map(|b| b.1)
    }
}

/// A hash of few operations with a random start, so that nobody who makes a file can foresee collisions.
#[derive(Clone)]
struct Mixer(u64);

impl Default for Mixer {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Mixer {
    type Hasher = Mixed;
    fn build_hasher(&self) -> Mixed {
        Mixed(self.0)
    }
}

struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_weld_across_the_borders_of_cells_and_no_further() {
        // The box is a cube of side 1: the tolerance is sqrt(3) millionths. Two points alone would be strays.
        let mut points = [Vec3::ZERO, Vec3::ONE].repeat(100);
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let steps: Vec<Vec3> = (0..40).map(|i| Vec3::splat(0.3 + i as f32 * 0.7e-6)).collect();
        for step in &steps {
            for axis in axes {
                points.extend([*step, *step + axis * 0.001, *step + axis * 0.001 + axis * 1.2e-6]);
            }
        }
        let weld = Weld::new(&points);
        let near = 3f32.sqrt() * 1e-6;
        for (a, pa) in weld.positions.iter().enumerate() {
            for pb in &weld.positions[..a] {
                assert!(pa.distance(*pb) > near, "{pa} and {pb} are two places");
            }
        }
        for (point, place) in points.iter().zip(&weld.of) {
            assert!(point.distance(weld.positions[*place as usize]) <= near);
        }
    }

    /// Points that are far away do not change how near points are welded, and are not heaped in one cell.
    #[test]
    fn strays_change_no_place_of_the_others() {
        let at = |i: u32| Vec3::new((i % 20) as f32, (i / 20 % 20) as f32, (i / 400) as f32) * 0.05;
        let own: Vec<Vec3> = (0..8000).map(at).collect();
        for far in [1e6, 1e12, 9e17] {
            let strays = (0..1000).map(|i| Vec3::new(far * (1.0 + i as f32 * 1e-5), -far, far));
            let points: Vec<Vec3> = own.iter().copied().chain(strays).collect();
            let weld = Weld::new(&points);
            assert_eq!(weld.of[..8000], Weld::new(&own).of[..], "{far}");
            assert!(weld.positions.len() > 8900, "{far}: {}", weld.positions.len());
        }
    }

    #[test]
    fn one_point_many_times_is_one_place_and_none_is_none() {
        assert_eq!(Weld::new(&[Vec3::splat(3.0); 5]).of, [0; 5]);
        assert_eq!(Weld::new(&[Vec3::ZERO, -Vec3::ZERO]).positions.len(), 1);
        assert!(Weld::new(&[]).positions.is_empty());
        let huge = Weld::new(&[Vec3::splat(f32::MAX), Vec3::splat(f32::MIN), Vec3::ZERO]);
        assert_eq!(huge.of.len(), 3);
    }
}
