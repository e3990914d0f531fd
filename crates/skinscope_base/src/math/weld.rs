//! Welding: finds vertices at one position, which belong together although the file stores them apart.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use glam::{DVec3, Vec3};

use super::Aabb;

/// Points that are nearer to each other than this are welded by [`WeldRule::Near`], as a share of the diagonal of the box around all.
const TOLERANCE: f32 = 1e-6;

/// The condition under which two points are welded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeldRule {
    /// All coordinates are equal, so that each point of a group has the position of all others, bit for bit.
    Exact,
    /// They are closer than a millionth of the diagonal of the box around the mass of the points
    /// ([`Aabb::around_mass`]), or than the rounding of `f32` at their coordinates. Points have to be finite.
    Near,
}

/// The result of welding: groups of items (points, vertices) at one position. Groups are numbered in the order of their first items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weld {
    /// The index of the group of each item.
    pub group: Vec<u32>,
    /// The first item of each group.
    pub first: Vec<u32>,
}

/// How many items are welded between two questions whether to stop.
const STEPS: usize = 1 << 14;

impl Weld {
    /// Welds points by a rule. `stop` is called every few ten thousand points; soon after it returns true, this returns
    /// `None`.
    #[must_use]
    pub fn new(points: &[Vec3], rule: WeldRule, stop: &dyn Fn() -> bool) -> Option<Self> {
        match rule {
            // Adding zero turns −0 into +0, so that both have the same bits.
            WeldRule::Exact => {
                Self::by_key(points.iter().map(|p| (*p + Vec3::ZERO).to_array().map(f32::to_bits)), stop)
            }
            WeldRule::Near => Self::near(points, stop),
        }
    }

    /// Welds items with equal keys. `stop` is called every few ten thousand items; soon after it returns true, this
    /// returns `None`.
    #[must_use]
    pub fn by_key<K: Hash + Eq>(keys: impl Iterator<Item = K>, stop: &dyn Fn() -> bool) -> Option<Self> {
        let mut known = HashMap::with_capacity(keys.size_hint().0);
        let mut out = Self::default();
        for (item, key) in keys.enumerate() {
            if item % STEPS == 0 && stop() {
                return None;
            }
            let group = *known.entry(key).or_insert(out.first.len() as u32);
            out.add(item, group);
        }
        Some(out)
    }

    /// Time and memory are linear: groups are further apart than the tolerance, so that a cell of the grid, which is
    /// some tolerances wide, has at most some hundred of them, however dense the points are.
    fn near(points: &[Vec3], stop: &dyn Fn() -> bool) -> Option<Self> {
        let mut cells = Cells::new(points);
        let mut out = Self::default();
        for (item, point) in points.iter().enumerate() {
            if item % STEPS == 0 && stop() {
                return None;
            }
            let group = cells.group_of(*point);
            out.add(item, group);
        }
        Some(out)
    }

    fn add(&mut self, item: usize, group: u32) {
        if group as usize == self.first.len() {
            self.first.push(item as u32);
        }
        self.group.push(group);
    }
}

const NONE: u32 = u32::MAX;

/// The side of a cell, in tolerances: most points look into one cell only.
const CELL: f64 = 8.0;

/// How many cells have numbers of their own along an axis.
const ALL_CELLS: f64 = 4_294_967_296.0;

/// The positions of groups, by the cell of a grid that they lie in.
struct Cells {
    tolerance: f32,
    corner: DVec3,
    size: f64,
    positions: Vec<Vec3>,
    /// The first group of each cell, from which the others follow in a chain.
    first: HashMap<[u32; 3], u32, Mixer>,
    /// The next group of the chain of each group.
    next: Vec<u32>,
}

impl Cells {
    fn new(points: &[Vec3]) -> Self {
        let bounds = Aabb::around_mass(points);
        let reach = if bounds.is_empty() { 0.0 } else { bounds.farthest() };
        let tolerance = (bounds.diagonal() * TOLERANCE).max(4.0 * f32::EPSILON * reach);
        Self {
            tolerance,
            corner: bounds.min.as_dvec3(),
            size: f64::from(tolerance) * CELL,
            positions: Vec::new(),
            first: HashMap::with_capacity_and_hasher(points.len(), Mixer::default()),
            next: Vec::new(),
        }
    }

    /// Returns the nearest group, or a new one where there is none.
    fn group_of(&mut self, point: Vec3) -> u32 {
        let by = f64::from(self.tolerance);
        let (low, high) = (self.cell_of(point, -by), self.cell_of(point, by));
        if low != high {
            return self.nearest(point, (low, high)).unwrap_or_else(|| self.insert(point));
        }
        // Nearly all points look into their own cell alone, which is looked up once then.
        let group = self.positions.len() as u32;
        let before = match self.first.entry(low) {
            Entry::Vacant(cell) => {
                cell.insert(group);
                NONE
            }
            Entry::Occupied(mut cell) => {
                let mut best = None;
                offer_chain((&self.positions, &self.next), *cell.get(), (point, self.tolerance), &mut best);
                match best {
                    Some((_, known)) => return known,
                    None => cell.insert(group),
                }
            }
        };
        self.positions.push(point);
        self.next.push(before);
        group
    }

    /// Makes a new group.
    fn insert(&mut self, point: Vec3) -> u32 {
        let group = self.positions.len() as u32;
        self.positions.push(point);
        self.next.push(self.first.insert(self.cell_of(point, 0.0), group).unwrap_or(NONE));
        group
    }

    /// Returns the cell of a point moved by `by` along all axes. Where all points are one, there is one cell.
    fn cell_of(&self, point: Vec3, by: f64) -> [u32; 3] {
        if self.size <= 0.0 {
            return [0; 3];
        }
        // One is added so that a point at the corner may be moved back.
        let cells = (point.as_dvec3() + by - self.corner) / self.size + 1.0;
        // Far outside the cell numbers wrap around, so that strays are not all in one cell.
        let wrapped = |c: f64| if (0.0..ALL_CELLS).contains(&c) { c } else { c.rem_euclid(ALL_CELLS) };
        cells.to_array().map(|c| wrapped(c) as u32)
    }

    /// Returns the nearest group of some cells within the tolerance, of equally near ones the first.
    fn nearest(&self, point: Vec3, (low, high): ([u32; 3], [u32; 3])) -> Option<u32> {
        let mut best: Option<(f32, u32)> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let first = self.first.get(&[x, y, z]).copied().unwrap_or(NONE);
                    offer_chain((&self.positions, &self.next), first, (point, self.tolerance), &mut best);
                }
            }
        }
        best.map(|b| b.1)
    }
}

/// Takes the nearest group of a chain within a distance of a point, where it is nearer than the best so far.
fn offer_chain(
    (positions, next): (&[Vec3], &[u32]),
    first: u32,
    (point, tolerance): (Vec3, f32),
    best: &mut Option<(f32, u32)>,
) {
    let mut at = first;
    while at != NONE {
        let distance = positions[at as usize].distance(point);
        if distance <= tolerance && best.is_none_or(|b| (distance, at) < b) {
            *best = Some((distance, at));
        }
        at = next[at as usize];
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

    fn near(points: &[Vec3]) -> Weld {
        Weld::new(points, WeldRule::Near, &|| false).unwrap()
    }

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
        let weld = near(&points);
        let tolerance = 3f32.sqrt() * 1e-6;
        let at = |group: u32| points[weld.first[group as usize] as usize];
        for a in 0..weld.first.len() as u32 {
            for b in 0..a {
                assert!(at(a).distance(at(b)) > tolerance, "{} and {} are two places", at(a), at(b));
            }
        }
        for (point, group) in points.iter().zip(&weld.group) {
            assert!(point.distance(at(*group)) <= tolerance);
        }
    }

    /// Points that are far away do not change how near points are welded, and are not heaped in one cell.
    #[test]
    fn strays_change_no_group_of_the_others() {
        let at = |i: u32| Vec3::new((i % 20) as f32, (i / 20 % 20) as f32, (i / 400) as f32) * 0.05;
        let own: Vec<Vec3> = (0..8000).map(at).collect();
        for far in [1e6, 1e12, 9e17] {
            let strays = (0..1000).map(|i| Vec3::new(far * (1.0 + i as f32 * 1e-5), -far, far));
            let points: Vec<Vec3> = own.iter().copied().chain(strays).collect();
            let weld = near(&points);
            assert_eq!(weld.group[..8000], near(&own).group[..], "{far}");
            assert!(weld.first.len() > 8900, "{far}: {}", weld.first.len());
        }
    }

    #[test]
    fn one_point_many_times_is_one_group_and_none_is_none() {
        assert_eq!(near(&[Vec3::splat(3.0); 5]).group, [0; 5]);
        assert_eq!(near(&[Vec3::ZERO, -Vec3::ZERO]).first, [0]);
        assert_eq!(near(&[]), Weld::default());
        let huge = near(&[Vec3::splat(f32::MAX), Vec3::splat(f32::MIN), Vec3::ZERO]);
        assert_eq!(huge.group.len(), 3);
    }

    #[test]
    fn only_equal_points_weld_exactly() {
        let points = [Vec3::X, Vec3::ZERO, Vec3::X * (1.0 + f32::EPSILON), -Vec3::ZERO, Vec3::X];
        let exact = |stop: &dyn Fn() -> bool| Weld::new(&points, WeldRule::Exact, stop);
        assert_eq!(exact(&|| false), Some(Weld { group: vec![0, 1, 2, 1, 0], first: vec![0, 1, 2] }));
        assert_eq!(exact(&|| true), None);
        assert_eq!(Weld::by_key("abca".chars(), &|| false).unwrap().group, [0, 1, 2, 0]);
    }
}
