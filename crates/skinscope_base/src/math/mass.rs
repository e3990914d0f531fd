//! Finds where most of many points are, so that a few stray points do not change the answer.
//!
//! Let r be the distance of a point from the middle of all points (the median of each coordinate), measured along the
//! axis on which it is largest. The r of all points, sorted, may leave a *gap*: two neighbours r₁ < r₂ with r₂ >
//! [`GAP`] · r₁. The points within the first gap that has at least half of all points before it, and no more than a
//! quarter behind it, are the *mass*. A character's sword or tail, the scattered parts of a scene and the coarse
//! outskirts of a landscape leave no gap: between near and far there is always something.

use glam::Vec3;

use super::Aabb;

/// The ratio of distances from the middle that counts as a gap: the nearest point outside of the mass is more than this
/// many times as far from the middle as the mass reaches.
pub const GAP: f32 = 20.0;

/// The greatest part of all points that may lie outside the mass.
const MOST_OUTSIDE: f64 = 0.25;

/// The share of all points that may lie outside of the mass, for each time that they are as far away as the mass
/// reaches: one in a thousand at a gap of 20, one in twenty at 1000. (A needle with most vertices around its foot and
/// one at its tip has a gap too, but its tip is meant to be there.)
const OUTSIDE_PER_RATIO: f64 = 5e-5;

/// How many points are used to find the middle of all.
const SAMPLE: usize = 2048;

/// Returns the indices of a sample of `count` points: evenly spaced, at most 2048.
pub fn sample_of(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(SAMPLE).max(1))
}

/// The centre of some points and their usual distance from it.
#[derive(Clone, Debug)]
pub struct DistanceSpread {
    middle: Vec3,
    /// The median of the distances from the middle: half of the points are no farther.
    usual: f32,
}

/// A histogram of distances from the centre: each bin covers an eighth of a power of two, and has the count of its
/// points and the least and the largest of their distances. It is empty until the first point is counted.
#[derive(Clone, Debug, Default)]
pub struct Distances(Vec<Bin>);

#[derive(Clone, Copy, Debug)]
struct Bin {
    count: usize,
    least: f32,
    most: f32,
}

impl Bin {
    const EMPTY: Self = Self { count: 0, least: f32::INFINITY, most: 0.0 };
}

impl DistanceSpread {
    /// Measures a sample of points (see [`sample_of`]); points beyond [`Aabb::FAR`] are ignored. Returns `None` where
    /// no point is left.
    #[must_use]
    pub fn of(sample: &[Vec3]) -> Option<Self> {
        let near: Vec<Vec3> = sample.iter().copied().filter(|p| Aabb::is_near(*p)).collect();
        let median = |values: &mut dyn Iterator<Item = f32>| {
            let mut values: Vec<f32> = values.collect();
            let half = values.len() / 2;
            values.get(half)?;
            Some(*values.select_nth_unstable_by(half, f32::total_cmp).1)
        };
        let axis = |axis: usize| median(&mut near.iter().map(|p| p[axis]));
        let middle = Vec3::new(axis(0)?, axis(1)?, axis(2)?);
        let usual = median(&mut near.iter().map(|p| distance(middle, *p)))?;
        Some(Self { middle, usual })
    }

    /// Returns the distance of a point from the centre, measured along the axis on which it is largest.
    #[must_use]
    pub fn distance(&self, p: Vec3) -> f32 {
        distance(self.middle, p)
    }

    /// Returns whether all points in the box `all` are so near to the centre that no gap can lie among them.
    #[must_use]
    pub fn is_close(&self, all: Aabb) -> bool {
        self.distance(all.min).max(self.distance(all.max)) <= GAP * self.usual
    }

    /// Adds points to a histogram; those beyond [`Aabb::FAR`] are ignored.
    pub fn count(&self, points: &[Vec3], out: &mut Distances) {
        if out.0.is_empty() {
            out.0 = vec![Bin::EMPTY; bin_index(f32::INFINITY) + 1];
        }
        for distance in points.iter().filter(|p| Aabb::is_near(**p)).map(|p| self.distance(*p)) {
            let bin = &mut out.0[bin_index(distance)];
            *bin = Bin { count: bin.count + 1, least: bin.least.min(distance), most: bin.most.max(distance) };
        }
    }

    /// Returns the distance from the centre up to which points belong to the mass; `None` where there is no gap, so
    /// that all points belong to it.
    #[must_use]
    pub fn reach(&self, distances: &Distances) -> Option<f32> {
        let all: usize = distances.0.iter().map(|b| b.count).sum();
        let bins = || distances.0.iter().filter(|b| b.count > 0);
        let mut within = 0;
        for (bin, next) in bins().zip(bins().skip(1)) {
            within += bin.count;
            let is_mass = bin.most > 0.0 && bin.most >= self.usual;
            let is_gap = next.least > GAP * bin.most;
            if is_mass && is_gap && (all - within) as f64 <= MOST_OUTSIDE * all as f64 {
                return Some(bin.most);
            }
        }
        None
    }
}

impl Distances {
    /// Returns the histogram of the points of both.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        if self.0.is_empty() {
            return other;
        }
        for (bin, more) in self.0.iter_mut().zip(other.0) {
            let (least, most) = (bin.least.min(more.least), bin.most.max(more.most));
            *bin = Bin { count: bin.count + more.count, least, most };
        }
        self
    }
}

/// Returns whether `count` of `all` points are few enough to lie outside of the mass. `ratio` is their distance from
/// the centre, as a multiple of the largest distance within the mass: the farther away they are, the more of them may
/// be left out.
#[must_use]
pub fn are_few(count: usize, all: usize, ratio: f64) -> bool {
    count as f64 <= all as f64 * (OUTSIDE_PER_RATIO * ratio).min(MOST_OUTSIDE)
}

impl Aabb {
    /// Returns the box around the mass of some points: around all points except few that lie far beyond a gap (see the
    /// module). It does not know which points a surface connects; `skinscope_deform::extent` does.
    #[must_use]
    pub fn around_mass(points: &[Vec3]) -> Self {
        let all = Self::from_points(points.iter().copied());
        let sample: Vec<Vec3> = sample_of(points.len()).map(|i| points[i]).collect();
        let Some(spread) = DistanceSpread::of(&sample).filter(|spread| !spread.is_close(all)) else { return all };
        let mut distances = Distances::default();
        spread.count(points, &mut distances);
        let Some(reach) = spread.reach(&distances) else { return all };
        let outside =
            || points.iter().filter(|p| Aabb::is_near(**p)).map(|p| spread.distance(*p)).filter(|d| *d > reach);
        let ratio = outside().fold(f32::INFINITY, f32::min) / reach;
        if !are_few(outside().count(), points.len(), ratio.into()) {
            return all;
        }
        Self::from_points(points.iter().copied().filter(|p| spread.distance(*p) <= reach))
    }
}

fn distance(middle: Vec3, p: Vec3) -> f32 {
    (p - middle).abs().max_element()
}

/// Returns the bin of a distance: its exponent and the first three bits of its fraction, since floats without sign are
/// ordered like their bits.
fn bin_index(distance: f32) -> usize {
    (distance.to_bits() >> 20) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of `n`³ points with edges of length one around the origin.
    fn cube(n: u32) -> Vec<Vec3> {
        let at = |i: u32| i as f32 / (n - 1) as f32 - 0.5;
        (0..n * n * n).map(|i| Vec3::new(at(i % n), at(i / n % n), at(i / n / n))).collect()
    }

    fn with(more: &[Vec3]) -> Aabb {
        let mut points = cube(10);
        points.extend(more);
        Aabb::around_mass(&points)
    }

    #[test]
    fn a_few_points_far_away_do_not_count() {
        let own = Aabb { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) };
        assert_eq!(with(&[]), own);
        for far in [Vec3::X * 1e6, Vec3::new(-3e5, 2e3, 0.1), Vec3::Y * 40.0, Vec3::splat(9e17)] {
            assert_eq!(with(&[far]), own, "{far}");
        }
        // A tenth of all points was thrown away by a joint; two more are at different distances.
        let thrown: Vec<Vec3> = cube(5).iter().map(|p| *p * 1e5 + 1e6).collect();
        assert_eq!(with(&thrown), own);
        assert_eq!(with(&[Vec3::X * 1e4, Vec3::Z * 1e9]), own);
        // Points whose coordinates are not finite are ignored.
        assert_eq!(with(&[Vec3::NAN, Vec3::splat(1e30)]), own);
    }

    #[test]
    fn tails_and_other_objects_count() {
        let reaches = |points: &[Vec3], far: Vec3| with(points).max.max_element() == far.max_element();
        // A sword or an antenna ends in one far point; a tail has many.
        assert!(reaches(&[Vec3::X * 9.0], Vec3::X * 9.0));
        let tail: Vec<Vec3> = (1..=40).map(|i| Vec3::X * 0.5 * 1.3_f32.powi(i)).collect();
        assert!(reaches(&tail, tail[39]) && tail[39].x > 10_000.0);
        // Two halves stand far apart: neither is a stray of the other.
        let other: Vec<Vec3> = cube(8).iter().map(|p| *p + Vec3::X * 1e4).collect();
        assert!(with(&other).max.x > 1e4);
        // Both of them are the mass where a single point lies farther still: the first gap leaves too many behind.
        let mut beside_both = other.clone();
        beside_both.push(Vec3::Y * 1e9);
        assert!(with(&beside_both).max.x > 1e4 && with(&beside_both).max.y < 2.0);
        // Nearly half of the points of a needle are at its foot.
        let mut needle: Vec<Vec3> =
            (0..8).map(|i| Vec3::new(0.01 * (i % 3) as f32, 0.0, 0.01 * (i / 3) as f32)).collect();
        needle.push(Vec3::Y);
        assert_eq!(Aabb::around_mass(&needle).max.y, 1.0);
    }

    #[test]
    fn few_points_and_points_at_one_position_are_all_mass() {
        for points in [&[][..], &[Vec3::X], &[Vec3::ZERO, Vec3::X * 1e6], &[Vec3::ONE; 50]] {
            assert_eq!(Aabb::around_mass(points), Aabb::from_points(points.iter().copied()));
        }
        let mut hidden = vec![Vec3::ZERO; 600];
        hidden.extend(cube(7));
        assert_eq!(Aabb::around_mass(&hidden).size(), Vec3::ONE);
        // However many points are in one position, they have no size by which a gap could be measured.
        let mut heap = vec![Vec3::ZERO; 3000];
        heap.extend(cube(7));
        assert_eq!(Aabb::around_mass(&heap).size(), Vec3::ONE);
    }

    /// The bins find the same gap that sorting all distances finds.
    #[test]
    fn bins_find_the_gap_that_sorting_finds() {
        let mut points = cube(6);
        points.extend([Vec3::X * 11.0, Vec3::Y * 300.0, Vec3::Z * 301.0, Vec3::X * 1e5]);
        let spread = DistanceSpread::of(&points).unwrap();
        let mut distances = Distances::default();
        points.chunks(50).for_each(|part| spread.count(part, &mut distances));
        let mut halves = [Distances::default(), Distances::default()];
        points.iter().enumerate().for_each(|(i, p)| spread.count(&[*p], &mut halves[i % 2]));
        let [a, b] = halves;
        let mut sorted: Vec<f32> = points.iter().map(|p| spread.distance(*p)).collect();
        sorted.sort_by(f32::total_cmp);
        let gap = sorted.windows(2).skip(points.len() / 2).find(|w| w[1] > GAP * w[0]).unwrap()[0];
        assert_eq!((spread.reach(&distances), spread.reach(&a.joined(b))), (Some(gap), Some(gap)));
    }
}
