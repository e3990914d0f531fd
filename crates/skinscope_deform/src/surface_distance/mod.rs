//! Distances along a welded surface, from a place on it to all points within a radius.
//!
//! They are those of the shortest ways over the triangles, which are straight where triangles are unfolded into one plane, and bend only in
//! points where the surface has a border or more than a full turn around it. A *window* is a part of a side of a triangle through which straight
//! ways from one source come, with that source in the plane of the triangle behind it (Mitchell, Mount and Papadimitriou, "The discrete geodesic
//! problem", 1987). Windows are carried across triangle after triangle, the nearest first. Of all windows that see a corner past the same side
//! only the one that sees it the nearest goes on to both sides of it (Chen and Han, "Shortest paths on a polyhedron", 1990), and a window ends
//! where the ways through the corners beside it are shorter (Xin and Wang, "Improving Chen and Han's algorithm on the discrete geodesic
//! problem", 2009).
//!
//! Where a surface is nearly flat, the windows on both sides of a corner see the same source behind it. On the next side that both reach they
//! become one again (Surazhsky, Surazhsky, Kirsanov, Gortler and Hoppe, "Fast exact and approximate geodesics on meshes", 2005), raised by as much
//! as its ways would be the shorter: there is about one window on each side, instead of more and more with the distance. By that, a distance
//! becomes longer than the shortest way by about `MERGED` of it at most, and never shorter. Windows that see quite different sources, as over
//! sharp edges, stay apart, and the distances are exact. On a flat surface they are too, away from its border. Behind a point with little more
//! than a full turn the ways beside it stand for those through it.

mod queue;
#[cfg(test)]
mod tests;
mod triangle;
mod window;

use glam::{DVec3, Vec3};
use queue::{Entry, NO_ENTRY, Queue};
use triangle::{Triangle, TriangleSide, Turn, place_in};
use window::{THIN, Window, hypotenuse};

use crate::MeshTopology;
use crate::mesh_topology::Fans;

/// Finds distances along surfaces. It keeps its memory from one search to the next, so that a search costs what it reaches.
#[derive(Clone, Debug, Default)]
pub struct SurfaceDistances {
    stamp: u32,
    radius: f64,
    /// Where the points of the mesh are in `points`, and its triangles in `triangles`, once the search has seen them.
    point_places: Vec<Seen>,
    triangle_places: Vec<Seen>,
    points: Vec<Point>,
    triangles: Vec<Triangle>,
    queue: Queue,
    /// The number of windows that may still be carried on.
    budget: usize,
    /// The bits of the distances with the points, to be sorted.
    order: Vec<u64>,
    /// The points that are reached, the nearest first, with their distances.
    done: Vec<(u32, f32)>,
}

/// Where a search keeps what it knows of a point or a triangle.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The search that has seen it.
    stamp: u32,
    place: u32,
}

/// A point of the surface that a search has seen.
#[derive(Clone, Copy, Debug)]
struct Point {
    number: u32,
    /// Whether ways bend here whatever the angles are.
    is_source: bool,
    at: DVec3,
    /// The length of the shortest way known; infinite until it is reached.
    distance: f64,
    /// The distance from which ways were followed on from here.
    followed: f64,
}

impl SurfaceDistances {
    /// Returns the points of a welded surface within `radius` of where the search starts, the nearest first, each with its distance along the
    /// surface, in the unit of the positions. `at` returns the position of a point. The search starts at `from`: points with their distances
    /// from what the search is about. Where these are the three corners of a triangle with their straight distances from a place in it, the
    /// search starts at that place. What is not finite is not reached.
    pub fn within(
        &mut self,
        mesh: &MeshTopology,
        at: impl Fn(u32) -> Vec3,
        from: &[(u32, f32)],
        radius: f32,
    ) -> &[(u32, f32)] {
        self.begin(mesh, radius);
        let ground = Ground { mesh, fans: mesh.fans(), at };
        self.start(&ground, from);
        while let Some(entry) = self.queue.take() {
            let (number, Entry { is_point, place, window, beside, .. }) = entry;
            if is_point {
                self.follow(&ground, place, window.before);
            } else {
                self.leave(number, place, beside);
                self.carry(&ground, place, &window);
            }
        }
        self.finish()
    }

    /// Returns the distance of a point that the last search has reached; [`f32::INFINITY`] for all others.
    #[must_use]
    pub fn distance(&self, point: u32) -> f32 {
        let seen = self.point_places.get(point as usize).filter(|seen| seen.stamp == self.stamp);
        let known = seen.map_or(f64::INFINITY, |seen| self.points[seen.place as usize].distance);
        if known <= self.radius { known as f32 } else { f32::INFINITY }
    }

    fn begin(&mut self, mesh: &MeshTopology, radius: f32) {
        self.radius = f64::from(radius);
        self.points.clear();
        self.triangles.clear();
        self.queue.begin(self.radius);
        self.budget = LEAST_BUDGET;
        if self.stamp == u32::MAX {
            self.stamp = 0;
            self.point_places.clear();
            self.triangle_places.clear();
        }
        self.stamp += 1;
        self.point_places.resize(mesh.point_count() as usize, Seen::default());
        self.triangle_places.resize(mesh.triangles.len(), Seen::default());
    }

    /// Returns where a point is in `points`.
    #[inline]
    fn point(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, number: u32) -> u32 {
        let seen = &mut self.point_places[number as usize];
        if seen.stamp != self.stamp {
            *seen = Seen { stamp: self.stamp, place: self.points.len() as u32 };
            let (at, is_source) = ((ground.at)(number).as_dvec3(), ground.fans.is_rim[number as usize]);
            self.points.push(Point { number, is_source, at, distance: f64::INFINITY, followed: f64::INFINITY });
        }
        seen.place
    }

    /// Returns where a triangle is in `triangles`.
    #[inline]
    fn triangle(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, number: u32) -> u32 {
        let seen = self.triangle_places[number as usize];
        if seen.stamp == self.stamp {
            return seen.place;
        }
        let [a, b, c] = ground.mesh.triangles[number as usize].map(|vertex| ground.mesh.point(vertex));
        let corners = [self.point(ground, a), self.point(ground, b), self.point(ground, c)];
        let [a, b, c] = corners.map(|corner| self.points[corner as usize].at);
        let area = (b - a).cross(c - a).length();
        let side = |length: f64| {
            let (inverse, best) = (1.0 / length, f64::INFINITY);
            TriangleSide { length, inverse, best, crossing: 0.0, waiting: NO_ENTRY }
        };
        let sides = [side(a.distance(b)), side(b.distance(c)), side(c.distance(a))];
        let place = self.triangles.len() as u32;
        self.triangle_places[number as usize] = Seen { stamp: self.stamp, place };
        self.triangles.push(Triangle { number, corners, area, sides });
        self.budget += MOST_WINDOWS;
        place
    }

    /// Starts at a place in a triangle, where there is one that fits, else at points.
    fn start(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, from: &[(u32, f32)]) {
        let count = ground.mesh.point_count();
        let in_triangle = matches!(from, [a, b, c] if a.0 < count && b.0 < count && c.0 < count)
            && self.start_in_triangles(ground, from);
        for (number, distance) in from.iter().filter(|(number, distance)| *number < count && distance.is_finite()) {
            let point = self.point(ground, *number);
            self.points[point as usize].is_source |= !in_triangle;
            self.offer(point, f64::from(distance.max(0.0)));
        }
    }

    /// Starts at the place in a triangle that has these distances from its corners. Returns whether there is one.
    fn start_in_triangles(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, from: &[(u32, f32)]) -> bool {
        let mut found = false;
        for facing in ground.fans.facing.row(from[0].0 as usize) {
            let triangle = self.triangle(ground, facing / 3);
            let seen = self.triangles[triangle as usize];
            let Triangle { corners, sides, .. } = seen;
            let of = |corner: u32| from.iter().find(|(number, _)| *number == self.points[corner as usize].number);
            let [Some(a), Some(b), Some(c)] = corners.map(of) else { continue };
            let distances = [a, b, c].map(|(_, distance)| f64::from(distance.clamp(0.0, f32::INFINITY)));
            let [one, two, three] = [0, 1, 2].map(|i| place_in(&seen, i, [0, 1, 2].map(|by| distances[(i + by) % 3])));
            let (Some(one), Some(two), Some(three)) = (one, two, three) else { continue };
            found = true;
            for (i, window) in [one, two, three].into_iter().enumerate() {
                let (corner, side) = (corners[i], &sides[i]);
                // A start in a corner sees too little of the triangles beside it.
                self.points[corner as usize].is_source |= distances[i] <= 1e-4 * side.length;
                self.offer(corner, distances[i]);
                self.send(ground, 3 * triangle + i as u32, corner, &window);
            }
        }
        found
    }

    /// Takes note of a way to a point.
    #[inline]
    fn offer(&mut self, point: u32, distance: f64) {
        let known = &mut self.points[point as usize];
        if distance < known.distance {
            known.distance = distance;
            if distance <= self.radius {
                let window = Window { before: distance, slack: 0.0, source: 0.0, depth: 0.0, from: 0.0, to: 0.0 };
                let entry = Entry { is_point: true, place: point, next: NO_ENTRY, beside: NO_ENTRY, window };
                self.queue.put(distance, entry);
            }
        }
    }

    /// Goes on from a point: along its sides, and where ways bend in it, across the triangles around it.
    fn follow(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, point: u32, distance: f64) {
        let Point { number, distance: known, followed, is_source, .. } = self.points[point as usize];
        if distance > known || distance >= followed {
            return;
        }
        self.points[point as usize].followed = distance;
        let mut turn = Turn::default();
        let facing = ground.fans.facing.row(number as usize);
        for side in facing {
            let triangle = self.triangle(ground, side / 3);
            let Triangle { corners, area, sides, .. } = &self.triangles[triangle as usize];
            let [across, after, before] = [0, 1, 2].map(|by| (*side as usize + by) % 3);
            if !is_source {
                turn.add([&sides[across], &sides[after], &sides[before]], *area);
            }
            let ways = [(corners[across], sides[before].length), (corners[after], sides[after].length)];
            ways.iter().for_each(|(corner, length)| self.offer(*corner, distance + length));
        }
        if is_source || turn.is_saddle() {
            for side in facing {
                let triangle = self.triangle(ground, side / 3);
                let (seen, across) = (&self.triangles[triangle as usize], *side as usize % 3);
                let (corner, length, [foot, height]) =
                    (seen.corners[across], seen.sides[across].length, seen.third(across));
                let depth = height.max(THIN * length);
                let window = Window { before: distance, slack: 0.0, source: foot, depth, from: 0.0, to: length };
                self.send(ground, 3 * triangle + side % 3, corner, &window);
            }
        }
    }

    /// Sends a window out of a triangle into all others on the same side, which is seen from a corner of it.
    #[inline]
    fn send(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, side: u32, start: u32, window: &Window) {
        let [triangle, across] = [side / 3, side % 3].map(|i| i as usize);
        let Triangle { number, corners, sides, .. } = &self.triangles[triangle];
        let (length, [one, other]) = (sides[across].length, [corners[across], corners[(across + 1) % 3]]);
        let end = if start == one { other } else { one };
        let is_useful = window.to - window.from > THIN * length && self.is_shortest(window, [start, end], length);
        if !is_useful {
            return;
        }
        let nearest = window.source.clamp(window.from, window.to);
        if !window.is_within(nearest, self.radius) {
            return;
        }
        // All windows of a side that see the same source are carried on at one time, after those of nearer sides: they are merged until then.
        let farthest = window.way(if window.source < 0.5 * length { length } else { 0.0 });
        let here = 3 * number + across as u32;
        let mut next = ground.fans.ring[here as usize];
        while next != here {
            let place = self.triangle(ground, next / 3);
            let is_along = self.triangles[place as usize].corners[next as usize % 3] == start;
            self.receive(place, next % 3, farthest, if is_along { *window } else { window.mirrored(length) });
            next = ground.fans.ring[next as usize];
        }
    }

    /// Puts a window into the queue, or together with one that is there.
    #[inline]
    fn receive(&mut self, triangle: u32, side: u32, distance: f64, window: Window) {
        let TriangleSide { waiting, .. } = &mut self.triangles[triangle as usize].sides[side as usize];
        let mut beside = *waiting;
        while beside != NO_ENTRY {
            let other = &mut self.queue.entries[beside as usize];
            if let Some(merged) = other.window.merged(&window) {
                other.window = merged;
                return;
            }
            beside = other.beside;
        }
        let entry = Entry { is_point: false, place: 3 * triangle + side, next: NO_ENTRY, beside: *waiting, window };
        *waiting = self.queue.put(distance, entry);
    }

    /// Whether the ways through a window may be shorter than those through the ends of its side.
    #[inline]
    fn is_shortest(&self, window: &Window, ends: [u32; 2], length: f64) -> bool {
        let [start, end] = ends.map(|end| self.points[end as usize].distance);
        let slack = THIN * self.radius;
        window.is_within(window.to, start + window.to + slack)
            && window.is_within(window.from, end + (length - window.from) + slack)
    }

    /// Takes an entry from those that wait on a side.
    #[inline]
    fn leave(&mut self, number: u32, side: u32, beside: u32) {
        let link = &mut self.triangles[side as usize / 3].sides[side as usize % 3].waiting;
        let entries = &mut self.queue.entries;
        if *link == number {
            *link = beside;
            return;
        }
        let mut before = *link;
        while before != NO_ENTRY {
            let entry = &mut entries[before as usize];
            if entry.beside == number {
                entry.beside = beside;
                return;
            }
            before = entry.beside;
        }
    }

    /// Carries a window across a triangle.
    fn carry(&mut self, ground: &Ground<'_, impl Fn(u32) -> Vec3>, side: u32, window: &Window) {
        if self.budget == 0 {
            return;
        }
        let [triangle, across] = [side / 3, side % 3].map(|i| i as usize);
        let seen = &self.triangles[triangle];
        let Triangle { corners, sides, .. } = seen;
        let [i, after, before] = [0, 1, 2].map(|by| (across + by) % 3);
        let [start, end, third] = [i, after, before].map(|i| corners[i]);
        let TriangleSide { length: base, best, crossing, .. } = sides[i];
        let [foot, height] = seen.third(i);
        let [left, right] = [before, after].map(|i| [sides[i].length, sides[i].inverse]);
        if !self.is_shortest(window, [start, end], base) {
            return;
        }
        self.budget -= 1;
        let straight = window.source + (foot - window.source) * window.depth / (height + window.depth);
        let through = straight.clamp(window.from, window.to);
        let way = window.way(through) + hypotenuse(through - foot, height);
        self.offer(third, way);
        let (mut to_left, mut to_right) = (window.from < straight, straight < window.to);
        let sees_third = to_left && to_right;
        if sees_third {
            if way < best {
                let side = &mut self.triangles[triangle].sides[i];
                (side.best, side.crossing) = (way, straight as f32);
            } else {
                // Another one sees the corner nearer: beyond the way of that one its ways are shorter.
                to_left = straight < f64::from(crossing);
                to_right = f64::from(crossing) < straight;
            }
        }
        let side = 3 * triangle as u32;
        if to_left {
            let carried = window.carried([foot, height], left, sees_third.then_some(left[0]));
            if self.is_shorter_than_beside(&carried, end, [foot * left[1], base]) {
                self.send(ground, side + before as u32, start, &carried);
            }
        }
        if to_right {
            let foot = base - foot;
            let carried = window.mirrored(base).carried([foot, height], right, sees_third.then_some(right[0]));
            if self.is_shorter_than_beside(&carried, start, [foot * right[1], base]) {
                self.send(ground, side + after as u32, end, &carried);
            }
        }
    }

    /// Whether the ways through a window on the side from the origin to the third corner of a triangle may be shorter than those from the other
    /// end of the side on the axis. The numbers are the cosine of the angle of the two sides and the length of the one on the axis.
    #[inline]
    fn is_shorter_than_beside(&self, window: &Window, other: u32, [cosine, base]: [f64; 2]) -> bool {
        let across = (base * base + window.from * (window.from - 2.0 * base * cosine)).max(0.0).sqrt();
        window.is_within(window.from, self.points[other as usize].distance + across + THIN * self.radius)
    }

    fn finish(&mut self) -> &[(u32, f32)] {
        self.order.clear();
        self.done.clear();
        let reached = self.points.iter().filter(|point| point.distance <= self.radius);
        // Distances are not negative, so their bits are ordered as they are.
        let key = |point: &Point| u64::from((point.distance as f32).to_bits()) << 32 | u64::from(point.number);
        self.order.extend(reached.map(key));
        self.order.sort_unstable();
        self.done.extend(self.order.iter().map(|key| (*key as u32, f32::from_bits((key >> 32) as u32))));
        &self.done
    }
}

/// What a search runs over.
struct Ground<'a, A> {
    mesh: &'a MeshTopology,
    fans: &'a Fans,
    at: A,
}

/// The number of windows that are carried on, for each triangle and in all. No surface of a file comes near it; it bounds the time on one of
/// wild triangles, where the ways along sides remain.
const MOST_WINDOWS: usize = 1000;
const LEAST_BUDGET: usize = 4096;
