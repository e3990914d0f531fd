//! Distances along surfaces against a slow search through all ways, and against closed forms.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3, Vec3};
use skinscope_base::math::test_random::Random;
use skinscope_base::math::{Weld, WeldRule};

use super::*;

/// By how much a distance may be too long, as a share of it.
const LONGER: f64 = 0.003;

/// What is told from rounding, as a share.
const ROUNDING: f64 = 1e-5;

/// Triangles and the places of their corners.
#[derive(Clone, Default)]
struct Shape {
    at: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// A sheet of cells, each two triangles, in the places that a function returns for 0…1.
    fn sheet([columns, rows]: [u32; 2], place: impl Fn(f32, f32) -> Vec3) -> Self {
        let share = |i: u32, of: u32| i as f32 / of as f32;
        let at = (0..=rows).flat_map(|j| (0..=columns).map(move |i| (share(i, columns), share(j, rows))));
        let at = at.map(|(u, v)| place(u, v)).collect();
        let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| j * (columns + 1) + i));
        let corners = |first: u32| [0, 1, columns + 1, columns + 2].map(|by| first + by);
        let triangles = cells.map(corners).flat_map(|[a, b, c, d]| [[a, b, d], [a, d, c]]).collect();
        Self { at, triangles }
    }

    /// Its topology, with every place a point of its own.
    fn mesh(&self) -> MeshTopology {
        let weld = Weld::by_key(0..self.at.len() as u32, &|| false).unwrap();
        MeshTopology::new(weld, self.triangles.clone(), &|| false).unwrap()
    }

    /// The same with one point for each place.
    fn welded(&self) -> Self {
        let weld = Weld::new(&self.at, WeldRule::Near, &|| false).unwrap();
        let at = weld.first.iter().map(|vertex| self.at[*vertex as usize]).collect();
        let triangles = self.triangles.iter().map(|corners| corners.map(|vertex| weld.group[vertex as usize]));
        Self { at, triangles: triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect() }
    }

    /// The same with a point more in a triangle, in the middle of three others.
    fn divided(&self, triangle: usize, place: Vec3) -> Self {
        let mut out = self.clone();
        let ([a, b, c], new) = (out.triangles.swap_remove(triangle), out.at.len() as u32);
        out.at.push(place);
        out.triangles.extend([[a, b, new], [b, c, new], [c, a, new]]);
        out
    }

    /// Where a start is as the search is told it: the corners of its triangle with their distances.
    fn start(&self, triangle: usize, place: Vec3) -> Vec<(u32, f32)> {
        self.triangles[triangle].map(|corner| (corner, self.at[corner as usize].distance(place))).to_vec()
    }

    /// The distances from a point, by looking at all ways: straight ones from point to point, joined.
    fn exactly(&self, from: u32) -> Vec<f64> {
        let straight: Vec<Vec<f64>> = (0..self.at.len() as u32).map(|point| self.straight(point)).collect();
        let mut out = vec![f64::INFINITY; self.at.len()];
        out[from as usize] = 0.0;
        for _ in 0..self.at.len() {
            for (a, straight) in straight.iter().enumerate() {
                let before = out[a];
                out.iter_mut().zip(straight).for_each(|(out, straight)| *out = out.min(before + straight));
            }
        }
        out
    }

    /// The lengths of the shortest ways from a point that are straight where the triangles that they cross are unfolded.
    fn straight(&self, from: u32) -> Vec<f64> {
        let mut out = vec![f64::INFINITY; self.at.len()];
        let length = |a: u32, b: u32| self.at[a as usize].as_dvec3().distance(self.at[b as usize].as_dvec3());
        for (number, corners) in self.triangles.iter().enumerate().filter(|(_, corners)| corners.contains(&from)) {
            let ends: Vec<u32> = corners.iter().copied().filter(|corner| *corner != from).collect();
            let (a, b) = (ends[0], ends[1]);
            out[a as usize] = out[a as usize].min(length(from, a));
            out[b as usize] = out[b as usize].min(length(from, b));
            let right = DVec2::new(length(from, a), 0.0);
            let x = (length(from, b).powi(2) + right.x * right.x - length(a, b).powi(2)) / (2.0 * right.x);
            let left = DVec2::new(x, (length(from, b).powi(2) - x * x).max(0.0).sqrt());
            let strip = Strip { side: [a, b], ends: [right, left], seen: [right, left] };
            self.look(&strip, &mut vec![number], &mut out);
        }
        out
    }

    /// Looks through a side into the next triangles. A shortest way crosses none twice.
    fn look(&self, strip: &Strip, crossed: &mut Vec<usize>, out: &mut [f64]) {
        let Strip { side: [a, b], ends: [right, left], seen: [least, most] } = *strip;
        for (number, corners) in self.triangles.iter().enumerate() {
            if crossed.contains(&number) || !corners.contains(&a) || !corners.contains(&b) {
                continue;
            }
            let Some(third) = corners.iter().copied().find(|corner| *corner != a && *corner != b) else { continue };
            let [at_a, at_b, at_third] = [a, b, third].map(|point| self.at[point as usize].as_dvec3());
            let along = (left - right) / right.distance(left);
            let foot = (at_third - at_a).dot(at_b - at_a) / at_a.distance(at_b);
            let height = ((at_third - at_a).length_squared() - foot * foot).max(0.0).sqrt();
            let place = right + along * foot + DVec2::new(along.y, -along.x) * height;
            let (after, before) = (least.perp_dot(place), place.perp_dot(most));
            if after >= -1e-12 && before >= -1e-12 {
                out[third as usize] = out[third as usize].min(place.length());
            }
            crossed.push(number);
            if after > 0.0 {
                let seen = [least, if before > 0.0 { place } else { most }];
                self.look(&Strip { side: [a, third], ends: [right, place], seen }, crossed, out);
            }
            if before > 0.0 {
                let seen = [if after > 0.0 { place } else { least }, most];
                self.look(&Strip { side: [third, b], ends: [place, left], seen }, crossed, out);
            }
            crossed.pop();
        }
    }
}

/// Unfolded triangles as they are seen from a point at the origin: the side at their end, and what is seen of it, from right to left.
struct Strip {
    side: [u32; 2],
    ends: [DVec2; 2],
    seen: [DVec2; 2],
}

/// Compares a search within some radii with all distances.
fn compare(shape: &Shape, from: &[(u32, f32)], wanted: &[f64], what: &str) {
    let (mesh, mut search) = (shape.mesh(), SurfaceDistances::default());
    let farthest = wanted.iter().copied().filter(|d| d.is_finite()).fold(0.0, f64::max);
    for radius in [0.3, 0.6, 1.1].map(|share| share * farthest) {
        let at = |point: u32| shape.at[point as usize];
        let found: BTreeMap<u32, f32> = search.within(&mesh, at, from, radius as f32).iter().copied().collect();
        for (point, wanted) in (0..).zip(wanted) {
            let Some(distance) = found.get(&point) else {
                assert!(wanted * (1.0 + LONGER) > radius, "{what}: {point} is not found, at {wanted} within {radius}");
                assert!(search.distance(point).is_infinite());
                continue;
            };
            let (distance, slack) = (f64::from(*distance), ROUNDING * farthest);
            let is_right = distance >= wanted - slack && distance <= wanted * (1.0 + LONGER) + slack;
            assert!(is_right, "{what}: {point} is at {distance}, not {wanted}, within {radius}");
            assert_eq!(search.distance(point) as f64, distance);
        }
    }
}

/// Compares searches from every fourth point, and from places in every fifth triangle.
fn compare_all(shape: &Shape, what: &str) {
    for from in (0..shape.at.len() as u32).step_by(4) {
        compare(shape, &[(from, 0.0)], &shape.exactly(from), &format!("{what} from {from}"));
    }
    let shares = [[0.2, 0.3, 0.5], [0.5, 0.5, 0.0], [0.01, 0.98, 0.01], [0.6, 0.0, 0.4]];
    for (triangle, shares) in (0..shape.triangles.len()).step_by(5).zip(shares.iter().cycle()) {
        let corners = shape.triangles[triangle].map(|corner| shape.at[corner as usize]);
        let place = corners.iter().zip(shares).map(|(corner, share)| *corner * *share).sum::<Vec3>();
        let mut wanted = if shares.contains(&0.0) {
            // A place on a side is in the triangles on both sides of it.
            let nudged = corners.iter().zip(shares).map(|(corner, share)| *corner * (share * 0.9997 + 0.0001)).sum();
            shape.divided(triangle, nudged).exactly(shape.at.len() as u32)
        } else {
            shape.divided(triangle, place).exactly(shape.at.len() as u32)
        };
        wanted.pop();
        let from = shape.start(triangle, place);
        // What the nudge moves the place by.
        let moved = if shares.contains(&0.0) { 0.0003 } else { 0.0 };
        let side = from.iter().map(|(_, distance)| f64::from(*distance)).fold(0.0, f64::max);
        let wanted: Vec<f64> = wanted.iter().map(|d| (d - moved * side).max(0.0)).collect();
        compare(shape, &from, &wanted, &format!("{what} from triangle {triangle}"));
    }
}

/// A cube whose faces are two cells wide.
fn cube() -> Shape {
    let mut out = Shape::default();
    for axis in 0..3 {
        for level in [0.0, 1.0] {
            let face = Shape::sheet([2, 2], |u, v| {
                let mut place = [level; 3];
                (place[(axis + 1) % 3], place[(axis + 2) % 3]) = (u, v);
                Vec3::from(place)
            });
            let first = out.at.len() as u32;
            out.at.extend(face.at);
            out.triangles.extend(face.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        }
    }
    out.welded()
}

#[test]
fn on_a_cube_a_saddle_a_tube_and_a_mast_distances_are_those_of_a_look_at_all_ways() {
    compare_all(&cube(), "cube");
    compare_all(&Shape::sheet([4, 4], |u, v| Vec3::new(u, v, 2.0 * (u - 0.5) * (v - 0.45))), "saddle");
    let around = |u: f32| std::f32::consts::TAU * (u % 1.0);
    compare_all(&Shape::sheet([5, 4], |u, v| Vec3::new(around(u).cos(), 1.5 * v, around(u).sin())).welded(), "tube");
    // Steep on one side: long triangles, and points with more than a full turn around them.
    let height = |u: f32, v: f32| if u > 0.3 && u < 0.6 && v > 0.3 { 0.8 } else { 0.05 * (9.0 * u + 7.0 * v).sin() };
    compare_all(&Shape::sheet([5, 4], |u, v| Vec3::new(u, v, height(u, v))), "mast");
}

#[test]
fn around_the_corner_of_a_border_and_over_a_third_triangle_on_an_edge_distances_are_exact() {
    let mut corner = Shape::sheet([5, 4], |u, v| Vec3::new(u, v, 0.1 * u * v));
    let is_left = |triangle: &[u32; 3]| {
        !triangle.iter().all(|point| corner.at[*point as usize].x > 0.39 && corner.at[*point as usize].y > 0.49)
    };
    corner.triangles.retain(is_left);
    compare_all(&corner.welded(), "corner");
    let mut fins = Shape::sheet([3, 3], |u, v| Vec3::new(u, v, 0.2 * u * u));
    let first = fins.at.len() as u32;
    fins.at.extend([Vec3::new(0.4, 0.5, 0.8), Vec3::new(0.7, 0.5, 0.9)]);
    // On inner edges, and turned one way and the other.
    fins.triangles.extend([[5, 6, first], [6, 9, first + 1], [first, first + 1, 6]]);
    fins.triangles[4].swap(0, 1);
    compare_all(&fins, "fins");
}

/// Compares a search over a flat sheet with straight lines; returns how many points it found.
fn compare_flat(shape: &Shape, from: &[(u32, f32)], start: Vec3, radius: f32, error: f64) -> usize {
    let (mesh, mut search) = (shape.mesh(), SurfaceDistances::default());
    let found = search.within(&mesh, |point| shape.at[point as usize], from, radius);
    for (point, distance) in found {
        let wanted = shape.at[*point as usize].as_dvec3().distance(start.as_dvec3());
        let is_right = (f64::from(*distance) - wanted).abs() <= error * wanted.max(0.01 * f64::from(radius));
        assert!(is_right, "{point} is at {distance}, not {wanted}");
    }
    let inside = shape.at.iter().filter(|at| at.distance(start) < radius * (1.0 - error as f32)).count();
    assert!(found.len() >= inside, "{} found of {inside}", found.len());
    inside
}

#[test]
fn on_a_flat_sheet_of_any_triangles_distances_are_straight_lines() {
    let mut random = Random(3);
    let mut rough = Shape::sheet([30, 30], |u, v| Vec3::new(u, v, 0.0));
    for at in rough.at.iter_mut().filter(|at| at.x > 0.0 && at.x < 1.0 && at.y > 0.0 && at.y < 1.0) {
        *at += random.vector().with_z(0.0) * 0.009;
    }
    let slanted = Shape::sheet([40, 40], |u, v| Vec3::new(u + 3.0 * v, 0.3 * v, 0.0));
    let long = Shape::sheet([60, 12], |u, v| Vec3::new(u, 10.0 * v, 0.0));
    for (shape, radius) in [(rough, 0.4), (slanted, 0.6), (long, 2.5)] {
        let middle = shape.at.len() as u32 / 2;
        let inside = compare_flat(&shape, &[(middle, 0.0)], shape.at[middle as usize], radius, 1e-5);
        assert!(inside > 50, "{inside}");
        for triangle in [shape.triangles.len() / 2, shape.triangles.len() / 2 + 31] {
            let corners = shape.triangles[triangle].map(|corner| shape.at[corner as usize]);
            let place = corners[0] * 0.2 + corners[1] * 0.3 + corners[2] * 0.5;
            compare_flat(&shape, &shape.start(triangle, place), place, radius, LONGER);
        }
    }
}

#[test]
fn on_a_rolled_sheet_of_obtuse_triangles_distances_are_those_of_the_sheet() {
    // Folded only along lines of one direction, up to half a turn with a radius of 1: it can be rolled out.
    let chord = 2.0 * (std::f32::consts::PI / 96.0).sin();
    let flat = Shape::sheet([48, 24], |u, v| Vec3::new(48.0 * chord * u, 4.8 * u + 0.72 * v, 0.0));
    let roll = |at: Vec3| {
        let angle = std::f32::consts::PI * (at.x / (48.0 * chord) - 0.5);
        Vec3::new(angle.sin(), at.y, angle.cos())
    };
    let rolled = Shape { at: flat.at.iter().copied().map(roll).collect(), ..flat.clone() };
    let (mesh, mut search, start) = (rolled.mesh(), SurfaceDistances::default(), 12 * 49 + 24);
    let found = search.within(&mesh, |point| rolled.at[point as usize], &[(start, 0.0)], 0.34);
    let lost = |(point, distance): &(u32, f32)| {
        let wanted = flat.at[*point as usize].distance(flat.at[start as usize]);
        (*distance - wanted) / wanted.max(1e-6)
    };
    let (least, most) = found.iter().map(lost).fold((0.0_f32, 0.0_f32), |(a, b), lost| (a.min(lost), b.max(lost)));
    assert!(found.len() > 100 && least > -1e-5 && most < 0.0025, "{} {least} {most}", found.len());
}

#[test]
fn no_distance_is_shorter_than_a_straight_line_and_each_search_finds_the_same_to_the_bit() {
    let wavy = Shape::sheet([40, 40], |u, v| Vec3::new(u, v, 0.08 * (12.0 * u).sin() * (9.0 * v).cos()));
    let (mesh, at) = (wavy.mesh(), |point: u32| wavy.at[point as usize]);
    let mut search = SurfaceDistances::default();
    let from = [(700, 0.02), (1203, 0.0)];
    let found = search.within(&mesh, at, &from, 0.5).to_vec();
    assert!(found.len() > 500 && found.is_sorted_by(|a, b| a.1 <= b.1), "{}", found.len());
    for (point, distance) in &found {
        let straight = from.iter().map(|(start, before)| before + at(*start).distance(at(*point)));
        let straight = straight.fold(f32::INFINITY, f32::min);
        assert!(*distance >= straight * 0.99999, "{point} is at {distance}, in a straight line {straight}");
        for end in mesh.neighbours(*point) {
            let along = distance + at(*point).distance(at(*end));
            assert!(along > 0.5 || search.distance(*end) <= along * 1.00001, "{point} {end}");
        }
    }
    search.within(&mesh, at, &[(3, 0.0)], 0.2);
    let bits = |found: &[(u32, f32)]| found.iter().map(|(point, d)| (*point, d.to_bits())).collect::<Vec<_>>();
    assert_eq!(bits(search.within(&mesh, at, &from, 0.5)), bits(&found));
    assert_eq!(bits(SurfaceDistances::default().within(&mesh, at, &from, 0.5)), bits(&found));
}

#[test]
fn another_shell_is_never_reached_nor_what_is_not_finite() {
    let mut shape = Shape::sheet([20, 20], |u, v| Vec3::new(u, v, 0.0));
    let other = Shape::sheet([20, 20], |u, v| Vec3::new(u, v, 0.001));
    let first = shape.at.len() as u32;
    shape.at.extend(other.at);
    shape.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    for (point, place) in [(200, Vec3::NAN), (233, Vec3::INFINITY), (251, Vec3::new(0.0, f32::NEG_INFINITY, 0.0))] {
        shape.at[point] = place;
    }
    let (mesh, mut search) = (shape.mesh(), SurfaceDistances::default());
    let found = search.within(&mesh, |point| shape.at[point as usize], &[(220, 0.0), (900_000, 0.0)], 5.0);
    assert_eq!(found.len(), 441 - 3);
    assert!(found.iter().all(|(point, distance)| *point < first && distance.is_finite()));
    for (from, radius) in [((220, f32::NAN), 1.0), ((220, 2.0), 1.0), ((200, 0.0), -1.0), ((220, 0.0), f32::NAN)] {
        assert!(search.within(&mesh, |point| shape.at[point as usize], &[from], radius).is_empty(), "{from:?}");
    }
    assert!(search.within(&mesh, |point| shape.at[point as usize], &[], 1.0).is_empty());
    assert_eq!(search.within(&mesh, |point| shape.at[point as usize], &[(220, 0.0)], 0.0), [(220, 0.0)]);
}

#[test]
fn triangles_in_any_disorder_are_survived() {
    let mut random = Random(8);
    for round in 0..60 {
        let count = 8 + round % 30;
        let mut number = || (random.unit() * count as f32) as u32;
        let triangles = (0..3 * count).map(|_| [number(), number(), number()]);
        let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        let mut at: Vec<Vec3> = (0..count).map(|_| random.vector()).collect();
        // Points in one place and on one line, and triangles without area.
        let (one, other) = (at[0], at[1]);
        (at[2], at[3], at[4]) = (one, one.lerp(other, 0.5), one.lerp(other, 0.25));
        if round % 3 == 0 {
            at.iter_mut().for_each(|at| at.z = 0.0);
        }
        let shape = Shape { at, triangles };
        let (mesh, mut search) = (shape.mesh(), SurfaceDistances::default());
        let found = search.within(&mesh, |point| shape.at[point as usize], &[(5, 0.0)], 3.0);
        for (point, distance) in found {
            let straight = shape.at[5].as_dvec3().distance(DVec3::from(shape.at[*point as usize]));
            assert!(f64::from(*distance) >= straight * (1.0 - 1e-6), "round {round}: {point}");
        }
    }
}
