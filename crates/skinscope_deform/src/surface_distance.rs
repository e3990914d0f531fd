//! Distances along a welded surface, from a point of it to all points within a radius.
//!
//! A front runs over the surface from the nearest point to the next (Dijkstra, "A note on two problems in connexion with graphs", 1959). Where two
//! corners of a triangle are reached, the third is reached straight across it, from where a source in the plane of the triangle would lie that is as far
//! from both (Kimmel and Sethian, "Computing geodesic paths on manifolds", 1998): on a flat surface the distances are those of straight lines,
//! however its triangles lie.

use glam::Vec3;

use crate::MeshTopology;

/// Finds distances along surfaces. It keeps its memory from one search to the next, so that a search costs what it reaches.
#[derive(Clone, Debug, Default)]
pub struct SurfaceDistances {
    /// What is known of each point of the surface, where its stamp is that of this search.
    points: Vec<Point>,
    stamp: u32,
    /// The points that are reached and not done, as a heap whose nodes have [`WIDTH`] nodes below them: the bits of the distance, then the number.
    open: Vec<u64>,
    /// The points that are done, the nearest first, with their distances.
    done: Vec<(u32, f32)>,
}

/// A point of the surface that a search has seen.
#[derive(Clone, Copy, Debug)]
struct Point {
    stamp: u32,
    /// Where it stands in the heap; [`UNREACHED`] before that, [`DONE`] after it.
    slot: u32,
    /// [`f32::INFINITY`] until it is reached.
    distance: f32,
    at: Vec3,
}

const UNREACHED: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

/// How many nodes of the heap are below each.
const WIDTH: usize = 4;

impl SurfaceDistances {
    /// Returns the points of a welded surface within `radius` of where the search starts, the nearest first, each with its distance along the
    /// surface, in the unit of the positions. `at` returns the position of a point. The search starts at `from`: points with their distances
    /// from what the search is about, for instance the corners of the triangle that was hit. What is not finite is not reached.
    pub fn within(
        &mut self,
        mesh: &MeshTopology,
        at: impl Fn(u32) -> Vec3,
        from: &[(u32, f32)],
        radius: f32,
    ) -> &[(u32, f32)] {
        self.begin(mesh.point_count());
        for (point, distance) in from.iter().filter(|(point, _)| *point < mesh.point_count()) {
            self.see(*point, &at);
            self.offer(*point, *distance, radius);
        }
        while let Some(here) = self.take_nearest() {
            for [b, c] in mesh.opposite(here) {
                let (one, other) = (self.see(*b, &at), self.see(*c, &at));
                match (one.slot == DONE, other.slot == DONE) {
                    (true, true) => {}
                    (false, false) => {
                        self.offer_along(here, *b, radius);
                        self.offer_along(here, *c, radius);
                    }
                    (true, false) => self.offer_across([here, *b], *c, radius),
                    (false, true) => self.offer_across([here, *c], *b, radius),
                }
            }
        }
        &self.done
    }

    /// Returns the distance of a point that the last search has reached; [`f32::INFINITY`] for all others.
    #[must_use]
    pub fn distance(&self, point: u32) -> f32 {
        let known = self.points.get(point as usize).filter(|known| known.stamp == self.stamp);
        known.map_or(f32::INFINITY, |known| known.distance)
    }

    fn begin(&mut self, count: u32) {
        self.open.clear();
        self.done.clear();
        if self.points.len() != count as usize || self.stamp == u32::MAX {
            self.stamp = 0;
            let unseen = Point { stamp: 0, slot: UNREACHED, distance: f32::INFINITY, at: Vec3::ZERO };
            self.points = vec![unseen; count as usize];
        }
        self.stamp += 1;
    }

    /// Asks for the position of a point that this search has not seen, and returns what is known of it.
    #[inline]
    fn see(&mut self, point: u32, at: &impl Fn(u32) -> Vec3) -> Point {
        let known = &mut self.points[point as usize];
        if known.stamp != self.stamp {
            *known = Point { stamp: self.stamp, slot: UNREACHED, distance: f32::INFINITY, at: at(point) };
        }
        *known
    }

    /// Reaches a point across a triangle from two others that are done, or where that cannot be, along the side from the first of them.
    #[inline]
    fn offer_across(&mut self, from: [u32; 2], point: u32, radius: f32) {
        let ends = from.map(|end| (self.points[end as usize].at, self.points[end as usize].distance));
        match across(ends, self.points[point as usize].at) {
            // This is never the longer way.
            Some(distance) => self.offer(point, distance, radius),
            None => self.offer_along(from[0], point, radius),
        }
    }

    /// Reaches a point along a side.
    #[inline]
    fn offer_along(&mut self, from: u32, point: u32, radius: f32) {
        let (from, to) = (self.points[from as usize], self.points[point as usize]);
        let (squared, gain) = (from.at.distance_squared(to.at), to.distance - from.distance);
        if squared < gain * gain {
            self.offer(point, from.distance + squared.sqrt(), radius);
        }
    }

    #[inline]
    fn offer(&mut self, point: u32, distance: f32, radius: f32) {
        let known = &mut self.points[point as usize];
        if distance <= radius && distance < known.distance {
            known.distance = distance;
            if known.slot == UNREACHED {
                known.slot = self.open.len() as u32;
                self.open.push(0);
            }
            // Distances are not negative, so their bits are ordered as they are.
            let key = u64::from(distance.max(0.0).to_bits()) << 32 | u64::from(point);
            let slot = known.slot as usize;
            self.rise(slot, key);
        }
    }

    /// Puts a point into the heap: at a place, or above it where the points are farther.
    #[inline]
    fn rise(&mut self, mut slot: usize, key: u64) {
        while let Some(above) = slot.checked_sub(1).map(|before| before / WIDTH)
            && self.open[above] > key
        {
            self.put(slot, self.open[above]);
            slot = above;
        }
        self.put(slot, key);
    }

    #[inline]
    fn put(&mut self, slot: usize, key: u64) {
        self.open[slot] = key;
        // The lower half is the number.
        self.points[key as u32 as usize].slot = slot as u32;
    }

    /// Takes the nearest point out of the heap: it is done.
    #[inline]
    fn take_nearest(&mut self) -> Option<u32> {
        let nearest = *self.open.first()? as u32;
        let last = self.open.pop()?;
        if !self.open.is_empty() {
            let mut slot = 0;
            loop {
                let first = WIDTH * slot + 1;
                let below = self.open.iter().copied().enumerate().skip(first).take(WIDTH);
                let Some((next, key)) = below.min_by_key(|(_, key)| *key).filter(|(_, key)| *key < last) else { break };
                self.put(slot, key);
                slot = next;
            }
            self.put(slot, last);
        }
        let known = &mut self.points[nearest as usize];
        known.slot = DONE;
        self.done.push((nearest, known.distance));
        Some(nearest)
    }
}

/// Returns the distance of the third corner of a triangle straight across it, from two corners with their distances; `None` where the straight
/// way does not cross the side between them.
fn across([(a, from_a), (b, from_b)]: [(Vec3, f32); 2], c: Vec3) -> Option<f32> {
    let (side, to) = (b - a, c - a);
    let squared = side.length_squared();
    // In the plane of the triangle, all times the length of the side: the first corner at 0, the second on the axis, the third above it, the
    // source below.
    let (corner_x, corner_y) = (to.dot(side), to.cross(side).length());
    let source_x = 0.5 * (from_a * from_a - from_b * from_b + squared);
    let below = from_a * from_a * squared - source_x * source_x;
    let is_triangle = below >= 0.0 && corner_y > 0.0;
    if !is_triangle {
        return None;
    }
    let depth = below.sqrt();
    let height = corner_y + depth;
    let crosses = source_x * corner_y + corner_x * depth;
    let x = corner_x - source_x;
    let distance = ((x * x + height * height) / squared).sqrt();
    ((0.0..=squared * height).contains(&crosses) && distance.is_finite()).then_some(distance)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use skinscope_base::math::WeldRule;
    use skinscope_model::Primitive;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    /// The same distances, by looking at all points and triangles in every step.
    fn slowly(mesh: &MeshTopology, at: &dyn Fn(u32) -> Vec3, from: &[(u32, f32)]) -> BTreeMap<u32, f32> {
        let mut open: BTreeMap<u32, f32> = from.iter().copied().collect();
        let mut done: BTreeMap<u32, f32> = BTreeMap::new();
        while let Some((point, distance)) =
            open.iter().map(|(point, d)| (*point, *d)).min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
        {
            open.remove(&point);
            done.insert(point, distance);
            let mut offer = |point: u32, distance: f32| {
                if !done.contains_key(&point) {
                    let known = open.entry(point).or_insert(distance);
                    *known = known.min(distance);
                }
            };
            for corners in mesh.point_triangles().filter(|corners| corners.contains(&point)) {
                for other in corners.iter().filter(|other| **other != point) {
                    offer(*other, distance + at(point).distance(at(*other)));
                    let third = corners.into_iter().find(|corner| *corner != point && corner != other);
                    if let (Some(third), Some(known)) = (third, done.get(other))
                        && let Some(over) = across([(at(point), distance), (at(*other), *known)], at(third))
                    {
                        offer(third, over);
                    }
                }
            }
        }
        done
    }

    #[test]
    fn within_a_radius_distances_are_those_of_all_points_and_all_triangles() {
        let model = tube(Tube { rings: 14, sides: 9, ..Tube::default() });
        let primitive = &model.meshes[0].primitives[0];
        let mesh = MeshTopology::of_primitive(primitive, WeldRule::Near, &|| false).unwrap();
        let at = |point: u32| primitive.positions[mesh.weld.first[point as usize] as usize];
        let mut distances = SurfaceDistances::default();
        for start in [0, 17, 60] {
            let from = [(start, 0.0), (mesh.neighbours(start)[0], at(start).distance(at(mesh.neighbours(start)[0])))];
            let all = slowly(&mesh, &at, &from);
            for radius in [0.0, 0.2, 0.7, 100.0] {
                let found: BTreeMap<u32, f32> = distances.within(&mesh, at, &from, radius).iter().copied().collect();
                let wanted: BTreeMap<u32, f32> =
                    all.iter().filter(|(_, d)| **d <= radius).map(|(point, d)| (*point, *d)).collect();
                assert_eq!(found.len(), wanted.len(), "{start} {radius}");
                assert!(found.iter().all(|(point, d)| (d - wanted[point]).abs() <= 1e-6), "{start} {radius}");
            }
        }
    }

    #[test]
    fn on_a_flat_surface_distances_are_straight_lines_and_another_shell_is_never_reached() {
        let side = 21_u32;
        let mut primitive = Primitive::default();
        // Two sheets, one a tenth above the other.
        for sheet in 0..2 {
            let first = primitive.positions.len() as u32;
            primitive
                .positions
                .extend((0..side * side).map(|i| Vec3::new((i % side) as f32, (i / side) as f32, sheet as f32 * 0.1)));
            for cell in (0..side * side).filter(|i| i % side + 1 < side && i / side + 1 < side) {
                let [a, b, c, d] = [0, 1, side, side + 1].map(|by| first + cell + by);
                primitive.indices.extend([a, b, d, a, d, c]);
            }
        }
        primitive.stored_vertices = primitive.positions.len();
        let mesh = MeshTopology::of_primitive(&primitive, WeldRule::Near, &|| false).unwrap();
        let at = |point: u32| primitive.positions[mesh.weld.first[point as usize] as usize];
        let middle = mesh.point(side * (side / 2) + side / 2);
        let mut distances = SurfaceDistances::default();
        let found = distances.within(&mesh, at, &[(middle, 0.0)], 6.0);
        let lost = |(point, distance): &(u32, f32)| (distance - at(middle).distance(at(*point))).abs();
        let worst = found.iter().map(lost).fold(0.0, f32::max);
        assert!(found.len() > 100 && worst < 0.02, "{} {worst}", found.len());
        assert!(found.iter().all(|(point, _)| at(*point).z == at(middle).z));
        assert!(found.is_sorted_by(|a, b| a.1 <= b.1));
    }
}
