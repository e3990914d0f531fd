//! A uniform grid that finds the points near a position, in a time that does not depend on how many points lie there.

use glam::Vec3;

use super::Aabb;

/// The most points that one question looks at. No real mesh has as many within a thousandth of its size; in a mesh that
/// has them all at one position the answer is taken from the first ones, so that no file can make the search slow.
const LOOKED_AT: usize = 256;
/// How many bits of a cell's key each axis has.
const BITS: u32 = 21;

/// Points sorted into cells, to find those that lie near a position.
#[derive(Debug)]
pub struct Grid<'a> {
    points: &'a [Vec3],
    least: Vec3,
    reach: f32,
    /// The key of a cell and the number of a point in it, sorted.
    cells: Vec<(u64, u32)>,
}

impl<'a> Grid<'a> {
    /// Sorts points into cells, for queries of the points within `reach` of a position. `reach` is more than 0 and in
    /// the unit of the points.
    #[must_use]
    pub fn new(points: &'a [Vec3], reach: f32) -> Self {
        // Points far outside of the box around the mass get no cell and are never found.
        let least = Aabb::around_mass(points).min;
        let mut out = Self { points, least, reach, cells: Vec::new() };
        let cell = |(i, p): (usize, &Vec3)| {
            let [x, y, z] = out.cell(*p);
            Some((key(x, y, z)?, i as u32))
        };
        out.cells = points.iter().enumerate().filter_map(cell).collect();
        out.cells.sort_unstable();
        out
    }

    fn cell(&self, p: Vec3) -> [i64; 3] {
        ((p - self.least) / (2.0 * self.reach)).floor().to_array().map(|v| v as i64)
    }

    /// Writes the points within reach of `at` to `out`, as pairs of distance and point index, in no order. At a
    /// position where very many points lie, only the first few hundred are looked at.
    pub fn near(&self, at: Vec3, out: &mut Vec<(f32, u32)>) {
        out.clear();
        let (from, to) = (self.cell(at - self.reach), self.cell(at + self.reach));
        let mut left = LOOKED_AT;
        for x in from[0].max(0)..=to[0] {
            for y in from[1].max(0)..=to[1] {
                // Cells side by side along z are neighbours in the list.
                let (Some(first), Some(last)) = (key(x, y, from[2].max(0)), key(x, y, to[2])) else { continue };
                let start = self.cells.partition_point(|(cell, _)| *cell < first);
                for (_, i) in self.cells[start..].iter().take_while(|(cell, _)| *cell <= last).take(left) {
                    left -= 1;
                    let distance = self.points[*i as usize].distance(at);
                    if distance <= self.reach {
                        out.push((distance, *i));
                    }
                }
            }
        }
    }
}

/// Packs the coordinates of a cell into one number; `None` for a cell beyond the grid.
fn key(x: i64, y: i64, z: i64) -> Option<u64> {
    let inside = |v: i64| u64::try_from(v).ok().filter(|v| *v < 1 << BITS);
    Some(inside(x)? << (2 * BITS) | inside(y)? << BITS | inside(z)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_within_reach_is_found_across_cells() {
        // A lattice of 5³ points a step of 0.5 apart; a reach of 0.6 finds a point and its six neighbours.
        let steps = || (0..5).map(|i| i as f32 * 0.5 - 1.0);
        let points: Vec<Vec3> =
            steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| Vec3::new(x, y, z)))).collect();
        let grid = Grid::new(&points, 0.6);
        let count = |at| {
            let mut found = Vec::new();
            grid.near(at, &mut found);
            assert!(found.iter().all(|(d, i)| (points[*i as usize].distance(at) - d).abs() < 1e-6));
            found.len()
        };
        assert_eq!([Vec3::ZERO, Vec3::splat(-1.0), Vec3::new(1.0, 0.0, 0.0)].map(count), [7, 4, 6]);
        assert_eq!([Vec3::splat(9.0), Vec3::splat(-9.0), Vec3::splat(f32::NAN)].map(count), [0, 0, 0]);
    }

    #[test]
    fn a_million_points_at_one_position_cost_no_more_than_a_few() {
        let points = vec![Vec3::ONE; 100_000];
        let mut found = Vec::new();
        Grid::new(&points, 0.1).near(Vec3::ONE, &mut found);
        assert_eq!(found.len(), LOOKED_AT);
    }
}
