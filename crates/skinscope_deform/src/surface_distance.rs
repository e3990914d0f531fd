//! Distances along a welded surface, from a point of it to all points within a radius.
//!
//! A front runs over the surface from the nearest point to the next (Dijkstra, "A note on two problems in connexion with graphs", 1959). Where two
//! corners of a triangle are reached, the third is reached straight across it, from where a source in the plane of the triangle would lie that is as far
//! from both (Kimmel and Sethian, "Computing geodesic paths on manifolds", 1998): on a flat surface the distances are those of straight lines,
//! however its triangles lie.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use crate::MeshTopology;

/// Finds distances along surfaces. It keeps its memory from one search to the next, so that a search costs what it reaches.
#[derive(Clone, Debug, Default)]
pub struct SurfaceDistances {
    /// For each point of the surface its distance, where its stamp is that of this search; [`f32::INFINITY`] until it is reached.
    known: Vec<(u32, f32)>,
    stamp: u32,
    /// The points that are done, the nearest first, with their distances.
    done: Vec<(u32, f32)>,
    is_done: Vec<u32>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

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
        self.begin(mesh.point_count() as usize);
        from.iter().for_each(|(point, distance)| self.offer(*point, *distance, radius));
        while let Some(Reverse((bits, point))) = self.open.pop() {
            let distance = f32::from_bits(bits);
            if self.is_done[point as usize] == self.stamp || self.distance(point) < distance {
                continue;
            }
            self.is_done[point as usize] = self.stamp;
            self.done.push((point, distance));
            let here = at(point);
            for next in mesh.neighbours(point) {
                if self.is_done[*next as usize] != self.stamp {
                    self.offer(*next, distance + here.distance(at(*next)), radius);
                }
            }
            for triangle in mesh.triangles_at(point) {
                let [a, b, c] = mesh.triangles[*triangle as usize].map(|vertex| mesh.point(vertex));
                let others = if a == point {
                    [b, c]
                } else if b == point {
                    [c, a]
                } else {
                    [a, b]
                };
                let is_done = others.map(|other| self.is_done[other as usize] == self.stamp);
                let (reached, open) = match is_done {
                    [true, false] => (others[0], others[1]),
                    [false, true] => (others[1], others[0]),
                    _ => continue,
                };
                let ends = [(here, distance), (at(reached), self.distance(reached))];
                if let Some(across) = across(ends, at(open)) {
                    self.offer(open, across, radius);
                }
            }
        }
        &self.done
    }

    /// Returns the distance of a point that the last search has reached; [`f32::INFINITY`] for all others.
    #[must_use]
    pub fn distance(&self, point: u32) -> f32 {
        self.known.get(point as usize).filter(|(stamp, _)| *stamp == self.stamp).map_or(f32::INFINITY, |known| known.1)
    }

    fn begin(&mut self, points: usize) {
        self.open.clear();
        self.done.clear();
        if self.known.len() != points || self.stamp == u32::MAX {
            self.stamp = 0;
            self.known = vec![(0, f32::INFINITY); points];
            self.is_done = vec![0; points];
        }
        self.stamp += 1;
    }

    fn offer(&mut self, point: u32, distance: f32, radius: f32) {
        if distance <= radius && distance < self.distance(point) && (point as usize) < self.known.len() {
            self.known[point as usize] = (self.stamp, distance);
            // Distances are not negative, so their bits are ordered as they are.
            self.open.push(Reverse((distance.max(0.0).to_bits(), point)));
        }
    }
}

/// Returns the distance of the third corner of a triangle straight across it, from two corners with their distances; `None` where the straight
/// way does not cross the side between them.
fn across([(a, from_a), (b, from_b)]: [(Vec3, f32); 2], c: Vec3) -> Option<f32> {
    let side = b - a;
    let length = side.length();
    if length <= 0.0 {
        return None;
    }
    let along = side / length;
    // In the plane of the triangle: the first corner at 0, the second on the axis, the third above it, the source below.
    let corner_x = (c - a).dot(along);
    let corner_y = ((c - a) - along * corner_x).length();
    let source_x = (from_a * from_a - from_b * from_b + length * length) / (2.0 * length);
    let below = from_a * from_a - source_x * source_x;
    if below < 0.0 || corner_y <= 0.0 {
        return None;
    }
    let source_y = -below.sqrt();
    let crosses = source_x + (corner_x - source_x) * (-source_y / (corner_y - source_y));
    let distance = (corner_x - source_x).hypot(corner_y - source_y);
    ((0.0..=length).contains(&crosses) && distance.is_finite()).then_some(distance)
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
