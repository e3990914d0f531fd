//! The frames of the corners around vertices, computed for eight vertices at once ([`Lanes`]). The corners of a vertex
//! are in the order of its triangle fan, so that each edge between two corners is read and normalised once.
//! [`super::delta_mush`] explains what the frames are for.

use std::array::from_fn;

use glam::{Mat3A, Vec3A};

use super::lanes::{Halves, LANES, Lanes};

/// Eight vectors: x, y and z, each with a number for each vertex.
pub(super) type Eight = [[f32; LANES]; 3];

/// The edges of vertices in the order of their fans, for eight consecutive vertices each.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerFans {
    /// Where the spokes of each eight vertices begin in `spokes`; the last entry is the end.
    first: Vec<u32>,
    /// The vertex at the other end of one edge of each of eight vertices; the vertex itself where it has no more.
    spokes: Vec<[u32; LANES]>,
    /// Whether each of eight vertices has a corner between this edge and the one before.
    has_corner: Vec<[bool; LANES]>,
}

/// The axes `T` and `N × T` of the frames of the corners between each edge of [`CornerFans`] and the one before; zero where there is no
/// frame.
#[derive(Clone, Debug, Default)]
pub(super) struct RestFrames(Vec<[Eight; 2]>);

/// The rotations of eight vertices from the rest surface to the posed one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned<T> {
    /// The columns of `G`.
    pub columns: [[T; 3]; 3],
    /// The sums of the weights of its corners; 0 where no corner has a frame in both surfaces.
    pub weights: T,
}

/// The least sine of the angle between the sides of a corner that has a frame.
const LEAST_SINE: f32 = 1e-4;
/// The sine below which lengths are measured, because rounding matters.
const NARROW: f32 = 0.02;

impl CornerFans {
    /// Orders the corners of vertices. `corners` returns those of a vertex, below `count`: the vertices before and after each.
    pub fn new<'a>(count: usize, corners: impl Fn(usize) -> &'a [[u32; 2]]) -> Self {
        let mut out = Self { first: vec![0], ..Self::default() };
        for start in (0..count).step_by(LANES) {
            let fans: [Vec<(u32, bool)>; LANES] =
                from_fn(|lane| if start + lane < count { fan(corners(start + lane)) } else { Vec::new() });
            let most = fans.iter().map(Vec::len).max().unwrap_or_default();
            for i in 0..most {
                let of = |lane: usize| fans[lane].get(i).copied().unwrap_or(((start + lane) as u32, false));
                let row: [(u32, bool); LANES] = from_fn(of);
                out.spokes.push(row.map(|(end, _)| end));
                out.has_corner.push(row.map(|(_, has_corner)| has_corner));
            }
            out.first.push(out.spokes.len() as u32);
        }
        out
    }

    /// Returns the frames of all corners in a surface, whose vertices lie there.
    pub fn frames(&self, surface: &[Vec3A]) -> RestFrames {
        let mut out = vec![[[[0.0; LANES]; 3]; 2]; self.spokes.len()];
        for (group, ends) in self.first.windows(2).enumerate() {
            let at = Halves::gather(&numbers(group), surface);
            let mut before = [Halves::splat(0.0); 3];
            let range = ends[0] as usize..ends[1] as usize;
            let edges = self.spokes[range.clone()].iter().zip(&self.has_corner[range.clone()]);
            for (out, (ends, has_corner)) in out[range].iter_mut().zip(edges) {
                let after = spoke(at, ends, surface);
                let Frames { axes: [t, b, _], angle } = frames(before, after);
                let mut angles = [0.0; LANES];
                angle.store(&mut angles);
                for (to, axis) in out.iter_mut().flatten().zip(t.iter().chain(&b)) {
                    axis.store(to);
                    for ((to, angle), has_corner) in to.iter_mut().zip(&angles).zip(has_corner) {
                        *to = if *has_corner && *angle > 0.0 { *to } else { 0.0 };
                    }
                }
                before = after;
            }
        }
        RestFrames(out)
    }

    /// Returns the rotations of eight vertices, from number `8 * group` on, from their frames at rest to those in `surface`, where they
    /// lie `at`; `side` is -1 where they are mirrored.
    #[inline(always)]
    pub fn turned<T: Lanes>(
        &self,
        rest: &RestFrames,
        group: usize,
        at: [T; 3],
        surface: &[Vec3A],
        side: T,
    ) -> Turned<T> {
        let range = self.first[group] as usize..self.first[group + 1] as usize;
        let zero = T::splat(0.0);
        let (mut columns, mut weights) = ([[zero; 3]; 3], zero);
        let (spokes, frames_at_rest) = (&self.spokes[range.clone()], &rest.0[range]);
        let mut before = [zero; 3];
        for (number, (ends, [t, b])) in spokes.iter().zip(frames_at_rest).enumerate() {
            let after = spoke(at, ends, surface);
            // Before the first edge there is no corner.
            if number > 0 {
                let t = [T::load(&t[0]), T::load(&t[1]), T::load(&t[2])];
                let b = [T::load(&b[0]), T::load(&b[1]), T::load(&b[2])];
                let Frames { axes: [to_t, to_b, to_n], angle } = frames(before, after);
                let angle = T::select(zero.less(dot(t, t)), angle, zero);
                let n = cross(t, b);
                let (to_t, to_b, to_n) = (scaled(to_t, angle), scaled(to_b, angle), scaled(to_n, angle * side));
                for i in 0..3 {
                    for j in 0..3 {
                        columns[i][j] = columns[i][j] + (to_t[j] * t[i] + to_b[j] * b[i] + to_n[j] * n[i]);
                    }
                }
                weights = weights + angle;
            }
            before = after;
        }
        let one = T::splat(1.0);
        let per_weight = one / T::select(zero.less(weights), weights, one);
        let [x, y, z] = columns;
        Turned { columns: [scaled(x, per_weight), scaled(y, per_weight), scaled(z, per_weight)], weights }
    }
}

impl<T: Lanes> Turned<T> {
    /// Returns `G v` of each vertex.
    #[inline(always)]
    pub fn of(&self, v: [T; 3]) -> [T; 3] {
        let [a, b, c] = self.columns;
        let [x, y, z] = v;
        [a[0] * x + b[0] * y + c[0] * z, a[1] * x + b[1] * y + c[1] * z, a[2] * x + b[2] * y + c[2] * z]
    }

    /// Returns `G` of each vertex.
    #[inline(always)]
    pub fn matrices(&self) -> [Mat3A; LANES] {
        let [x, y, z] = self.columns;
        let (x, y, z) = (T::scatter(x), T::scatter(y), T::scatter(z));
        from_fn(|lane| Mat3A::from_cols(x[lane], y[lane], z[lane]))
    }
}

/// Returns the edges of a vertex in the order of its fan, each with whether a corner lies between it and the one before. Where a surface
/// has several fans there, they follow each other.
fn fan(corners: &[[u32; 2]]) -> Vec<(u32, bool)> {
    let mut corners = corners.to_vec();
    corners.sort_unstable();
    let mut afters: Vec<u32> = corners.iter().map(|[_, after]| *after).collect();
    afters.sort_unstable();
    let mut used = vec![false; corners.len()];
    let mut out = Vec::with_capacity(corners.len() + 1);
    // A fan that does not close begins where no other corner ends.
    for only_open in [true, false] {
        for first in 0..corners.len() {
            if used[first] || (only_open && afters.binary_search(&corners[first][0]).is_ok()) {
                continue;
            }
            out.push((corners[first][0], false));
            let mut next = Some(first);
            while let Some(at) = next {
                used[at] = true;
                let after = corners[at][1];
                out.push((after, true));
                let from = corners.partition_point(|[before, _]| *before < after);
                next = (from..corners.len()).take_while(|i| corners[*i][0] == after).find(|i| !used[*i]);
            }
        }
    }
    out
}

/// The frames of one corner of each of eight vertices.
struct Frames<T> {
    /// `T`, `N × T` and `N`.
    axes: [[T; 3]; 3],
    /// The angles between the sides, which are the weights; 0 where a corner has no frame, because its sides lie nearly on a line.
    angle: T,
}

/// Returns the frames of the corners between two edges, unit vectors away from the vertices.
///
/// With `f` the unit vector along the first side and `g` that against the second one, `T` runs along `f + g` and `N ×
/// T` along `g − f`. Half of the angle between them has the cosine `a = √((1 + |c|)/2)` and the sine `|f × g|/2a`, or
/// the other way round where `c = f · g` is negative; so the lengths of the sum and the difference take one square
/// root.
#[inline(always)]
fn frames<T: Lanes>(before: [T; 3], after: [T; 3]) -> Frames<T> {
    let (zero, one, half) = (T::splat(0.0), T::splat(1.0), T::splat(0.5));
    let across = cross(after, before);
    let cosine = -dot(before, after);
    let sine = dot(across, across).sqrt();
    let has_frame = T::both(T::splat(LEAST_SINE).less(sine), sine.less(T::splat(f32::INFINITY)));
    let sine = T::select(has_frame, sine, one);
    let sum = [before[0] - after[0], before[1] - after[1], before[2] - after[2]];
    let difference = [-(before[0] + after[0]), -(before[1] + after[1]), -(before[2] + after[2])];
    let long = ((one + cosine.abs()) * half).sqrt();
    let per_both = one / (long * sine);
    let (per_long, per_short, per_sine) = (sine * per_both * half, long * long * per_both, long * per_both);
    let is_wide = cosine.less(zero);
    let mut per_sum = T::select(is_wide, per_short, per_long);
    let mut per_difference = T::select(is_wide, per_long, per_short);
    if T::any(sine.less(T::splat(NARROW))) {
        per_sum = one / dot(sum, sum).max(T::splat(f32::MIN_POSITIVE)).sqrt();
        per_difference = one / dot(difference, difference).max(T::splat(f32::MIN_POSITIVE)).sqrt();
    }
    let axes = [scaled(sum, per_sum), scaled(difference, per_difference), scaled(across, per_sine)];
    Frames { axes, angle: T::select(has_frame, angle(sine, cosine), zero) }
}

/// Returns unit vectors from `at` to the other ends of edges; zero where an edge has no length.
#[inline(always)]
fn spoke<T: Lanes>(at: [T; 3], ends: &[u32; LANES], surface: &[Vec3A]) -> [T; 3] {
    let (zero, infinity) = (T::splat(0.0), T::splat(f32::INFINITY));
    let to = T::gather(ends, surface);
    let along = [to[0] - at[0], to[1] - at[1], to[2] - at[2]];
    let squared = dot(along, along);
    let is_long = T::both(zero.less(squared), squared.less(infinity));
    let per_length = T::splat(1.0) / T::select(is_long, squared, infinity).sqrt();
    let [x, y, z] = scaled(along, per_length);
    [T::select(is_long, x, zero), T::select(is_long, y, zero), T::select(is_long, z, zero)]
}

/// The angle whose sine (not negative) and cosine are given, radians, to 1e-5.
#[inline(always)]
fn angle<T: Lanes>(sine: T, cosine: T) -> T {
    let size = cosine.abs();
    let (least, most) = (sine.min(size), sine.max(size));
    let x = least / most;
    let square = x * x;
    // A polynomial for the arc tangent between 0 and 1 (Abramowitz and Stegun 4.4.47).
    let mut sum = T::splat(0.020_835_1);
    for factor in [-0.085_133, 0.180_141, -0.330_299_5, 0.999_866] {
        sum = sum * square + T::splat(factor);
    }
    let first = x * sum;
    let upright = T::select(size.less(sine), T::splat(std::f32::consts::FRAC_PI_2) - first, first);
    T::select(cosine.less(T::splat(0.0)), T::splat(std::f32::consts::PI) - upright, upright)
}

/// Returns the numbers of eight vertices that follow each other.
#[inline(always)]
pub(super) fn numbers(group: usize) -> [u32; LANES] {
    from_fn(|lane| (LANES * group + lane) as u32)
}

#[inline(always)]
fn scaled<T: Lanes>(v: [T; 3], by: T) -> [T; 3] {
    [v[0] * by, v[1] * by, v[2] * by]
}

#[inline(always)]
fn dot<T: Lanes>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<T: Lanes>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    /// The definition in double precision: the frame as columns, and the angle.
    fn exact(at: DVec3, before: DVec3, after: DVec3) -> ([DVec3; 3], f64) {
        let (f, g) = ((before - at).normalize(), (at - after).normalize());
        let (n, t) = (f.cross(g).normalize(), (f + g).normalize());
        ([t, n.cross(t), n], f.cross(g).length().atan2(f.dot(g)))
    }

    fn turned(fans: &CornerFans, rest: &[Vec3A], posed: &[Vec3A], side: f32) -> Turned<Halves> {
        let at = Halves::gather(&numbers(0), posed);
        fans.turned(&fans.frames(rest), 0, at, posed, Halves::splat(side))
    }

    fn array(of: Halves) -> [f32; LANES] {
        let mut out = [0.0; LANES];
        of.store(&mut out);
        out
    }

    #[test]
    fn the_fans_of_eight_vertices_at_once_are_the_definition_of_each_corner() {
        let point = |i: u32| {
            let at = |k: f64| (f64::from(i) * k).sin();
            DVec3::new(at(1.7), at(2.9), at(0.77))
        };
        let rest: Vec<DVec3> = (0..12).map(point).collect();
        let now: Vec<DVec3> = (0..12).map(|i| point(i + 40)).collect();
        let [flat, posed] = [&rest, &now].map(|list| list.iter().map(|p| p.as_vec3a()).collect::<Vec<_>>());
        // A closed fan, two open ones (one of two corners), a single corner, and triangles that do not agree which way they run.
        let corners: [&[[u32; 2]]; 6] = [
            &[[6, 4], [4, 5], [5, 6]],
            &[[8, 9], [7, 8], [10, 11]],
            &[[4, 7]],
            &[[4, 5], [4, 6], [7, 6], [4, 5]],
            &[[9, 10], [10, 11], [11, 9]],
            &[[1, 2]],
        ];
        let fans = CornerFans::new(6, |vertex| corners[vertex]);
        for side in [1.0, -1.0] {
            let got = turned(&fans, &flat, &posed, side).matrices();
            for (vertex, corners) in corners.iter().enumerate() {
                let (mut sum, mut weights) = ([DVec3::ZERO; 3], 0.0);
                for [before, after] in corners.iter().map(|ends| ends.map(|end| end as usize)) {
                    let (from, _) = exact(rest[vertex], rest[before], rest[after]);
                    let (to, angle) = exact(now[vertex], now[before], now[after]);
                    for (i, column) in sum.iter_mut().enumerate() {
                        *column +=
                            (to[0] * from[0][i] + to[1] * from[1][i] + to[2] * from[2][i] * f64::from(side)) * angle;
                    }
                    weights += angle;
                }
                let got = got[vertex];
                for (got, want) in [got.x_axis, got.y_axis, got.z_axis].into_iter().zip(sum) {
                    let off = (DVec3::new(got.x.into(), got.y.into(), got.z.into()) - want / weights).length();
                    assert!(off < 3e-5, "vertex {vertex}: off by {off}");
                }
            }
        }
    }

    #[test]
    fn corners_on_a_line_and_points_at_one_position_have_no_frame() {
        let filled = |list: [Vec3A; 6]| [&list[..], &[Vec3A::ZERO; 2]].concat();
        let line = filled([Vec3A::ZERO, Vec3A::X, Vec3A::NEG_X, Vec3A::X, Vec3A::new(2.0, 0.0, 0.0), Vec3A::ZERO]);
        let corners: [&[[u32; 2]]; 4] = [&[[1, 2], [3, 4], [5, 1], [2, 5]], &[], &[], &[]];
        let fans = CornerFans::new(1, |vertex| corners[vertex]);
        assert!(fans.frames(&line).0.iter().flatten().flatten().all(|axis| *axis == [0.0; LANES]));
        let bent = filled([Vec3A::ZERO, Vec3A::X, Vec3A::Y, Vec3A::Z, Vec3A::X, Vec3A::NEG_ONE]);
        assert_eq!(array(turned(&fans, &line, &bent, 1.0).weights), [0.0; LANES]);
        // Nor has one that has a frame at rest alone.
        let got = turned(&fans, &bent, &line, 1.0);
        assert_eq!(array(got.weights), [0.0; LANES]);
        assert!(got.matrices().iter().all(|m| *m == Mat3A::ZERO), "none is NaN");
    }

    #[test]
    fn a_fan_reads_each_edge_once_and_a_closed_one_its_first_again() {
        assert_eq!(fan(&[[2, 3], [1, 2], [3, 1]]), [(1, false), (2, true), (3, true), (1, true)]);
        assert_eq!(fan(&[[2, 3], [1, 2]]), [(1, false), (2, true), (3, true)]);
        assert_eq!(fan(&[[7, 8], [1, 2]]), [(1, false), (2, true), (7, false), (8, true)]);
        assert_eq!(fan(&[]), []);
    }

    #[test]
    fn angles_are_right_all_around() {
        for i in 0..=1000 {
            let wanted = f64::from(i) * std::f64::consts::PI / 1000.0;
            let got = array(angle(Halves::splat(wanted.sin() as f32), Halves::splat(wanted.cos() as f32)))[0];
            assert!((f64::from(got) - wanted).abs() < 2e-5, "{got} for {wanted}");
        }
    }

    /// Each operation of the wide registers gives the bits that the narrow ones give.
    #[cfg(target_arch = "x86_64")]
    #[test]
    #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
    fn wide_registers_give_the_bits_of_narrow_ones() {
        use super::super::lanes::Whole;

        #[target_feature(enable = "avx2")]
        fn wide(fans: &CornerFans, rest: &RestFrames, posed: &[Vec3A], side: f32) -> [Mat3A; LANES] {
            let at = Whole::gather(&numbers(0), posed);
            fans.turned(rest, 0, at, posed, Whole::splat(side)).matrices()
        }

        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let point = |i: u32| Vec3A::from([1.7, 2.9, 0.77].map(|k: f32| (i as f32 * k).sin()));
        let (rest, mut posed): (Vec<Vec3A>, Vec<Vec3A>) = (0..20).map(|i| (point(i), point(i + 50))).unzip();
        // A position that is not finite, two at one position, three nearly on a line.
        (posed[9], posed[10], posed[12]) = (Vec3A::NAN, posed[3], posed[11] * 1.00001);
        let corners =
            |v: usize| [[8, 9], [9, 10], [11, 12], [12, 13], [13, 14]].map(|pair| pair.map(|n| n + v as u32 % 6));
        let lists: Vec<[[u32; 2]; 5]> = (0..8).map(corners).collect();
        let fans = CornerFans::new(8, |v| &lists[v][..v % 6]);
        let frames = fans.frames(&rest);
        for side in [1.0, -1.0] {
            let narrow = turned(&fans, &rest, &posed, side).matrices();
            // SAFETY: the processor has AVX2.
            let wide = unsafe { wide(&fans, &frames, &posed, side) };
            let bits = |all: [Mat3A; LANES]| all.map(|m| m.to_cols_array().map(f32::to_bits));
            assert_eq!(bits(wide), bits(narrow));
            assert!(narrow.iter().filter(|m| **m != Mat3A::ZERO).count() >= 3);
        }
    }
}
