//! The frames of the corners around vertices, of four vertices at once: each lane of a [`Vec4`] is another vertex. The corners of a vertex
//! stand in the order of its fan, so that each edge between two corners is read and made unit once. See [`super::delta_mush`] for what
//! they are for.

use glam::{BVec4A, Mat3A, Mat4, Vec3A, Vec4};

/// Four vectors: x, y and z, each with a lane for each vertex.
pub(super) type Lanes = [Vec4; 3];

/// The edges of vertices in the order of their fans, for four vertices that follow each other.
#[derive(Clone, Debug, Default)]
pub(super) struct CornerFans {
    /// Where the spokes of each four vertices begin in `spokes`; the last entry is the end.
    first: Vec<u32>,
    /// The vertex at the other end of one edge of each of four vertices; the vertex itself where it has no more.
    spokes: Vec<[u32; 4]>,
    /// Whether each of four vertices has a corner between this edge and the one before.
    has_corner: Vec<[bool; 4]>,
}

/// The axes `T` and `N × T` of the frames of the corners between each edge of [`CornerFans`] and the one before; zero where there is no
/// frame.
#[derive(Clone, Debug, Default)]
pub(super) struct RestFrames(Vec<[Lanes; 2]>);

/// The rotations of four vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    /// The columns of `G`.
    pub columns: [Lanes; 3],
    /// The sums of the weights of its corners; 0 where no corner has a frame in both surfaces.
    pub weights: Vec4,
}

/// The least sine of the angle between the sides of a corner that has a frame.
const TOLD: f32 = 1e-4;
/// The sine below which lengths are measured, because rounding matters.
const NARROW: f32 = 0.02;

impl CornerFans {
    /// Orders the corners of vertices. `corners` returns those of a vertex, below `count`: the vertices before and after each.
    pub fn new<'a>(count: usize, corners: impl Fn(usize) -> &'a [[u32; 2]]) -> Self {
        let mut out = Self { first: vec![0], ..Self::default() };
        for start in (0..count).step_by(4) {
            let fans =
                [0, 1, 2, 3].map(|lane| if start + lane < count { fan(corners(start + lane)) } else { Vec::new() });
            let most = fans.iter().map(Vec::len).max().unwrap_or_default();
            for i in 0..most {
                let of = |lane: usize| fans[lane].get(i).copied().unwrap_or(((start + lane) as u32, false));
                let four = [of(0), of(1), of(2), of(3)];
                out.spokes.push(four.map(|(end, _)| end));
                out.has_corner.push(four.map(|(_, has_corner)| has_corner));
            }
            out.first.push(out.spokes.len() as u32);
        }
        out
    }

    /// Returns the frames of all corners in a surface, whose vertices lie there.
    pub fn frames(&self, surface: &[Vec3A]) -> RestFrames {
        let mut out = vec![[[Vec4::ZERO; 3]; 2]; self.spokes.len()];
        for (four, ends) in self.first.windows(2).enumerate() {
            let at = gathered([0, 1, 2, 3].map(|lane| (4 * four + lane) as u32), surface);
            let mut before = [Vec4::ZERO; 3];
            let range = ends[0] as usize..ends[1] as usize;
            let edges = self.spokes[range.clone()].iter().zip(&self.has_corner[range.clone()]);
            for (out, (ends, has_corner)) in out[range].iter_mut().zip(edges) {
                let after = spoke(at, *ends, surface);
                let Frames { axes: [t, b, _], angle } = frames(before, after);
                let [x, y, z, w] = *has_corner;
                let told = angle.cmpgt(Vec4::ZERO) & BVec4A::new(x, y, z, w);
                *out = [t, b].map(|axis| axis.map(|v| Vec4::select(told, v, Vec4::ZERO)));
                before = after;
            }
        }
        RestFrames(out)
    }

    /// Returns the rotations of four vertices, from number `4 * four` on, from their frames at rest to those in `surface`, where they
    /// lie `at`; `side` is -1 where they are mirrored.
    #[inline(always)]
    pub fn turned(&self, rest: &RestFrames, four: usize, at: Lanes, surface: &[Vec3A], side: Vec4) -> Turned {
        let range = self.first[four] as usize..self.first[four + 1] as usize;
        let (mut columns, mut weights) = ([[Vec4::ZERO; 3]; 3], Vec4::ZERO);
        let (mut spokes, mut frames_at_rest) = (self.spokes[range.clone()].iter(), rest.0[range].iter());
        // Before the first edge there is no corner.
        let (first, _) = (spokes.next(), frames_at_rest.next());
        let mut before = first.map_or([Vec4::ZERO; 3], |first| spoke(at, *first, surface));
        for (ends, [t, b]) in spokes.zip(frames_at_rest) {
            let after = spoke(at, *ends, surface);
            let Frames { axes: [to_t, to_b, to_n], angle } = frames(before, after);
            let angle = Vec4::select(dot(*t, *t).cmpgt(Vec4::ZERO), angle, Vec4::ZERO);
            let n = cross(*t, *b);
            let (to_t, to_b) = (to_t.map(|v| v * angle), to_b.map(|v| v * angle));
            let to_n = to_n.map(|v| v * (angle * side));
            for (i, column) in columns.iter_mut().enumerate() {
                for (j, sum) in column.iter_mut().enumerate() {
                    *sum += to_t[j] * t[i] + to_b[j] * b[i] + to_n[j] * n[i];
                }
            }
            weights += angle;
            before = after;
        }
        let has_any = weights.cmpgt(Vec4::ZERO);
        let per_weight = Vec4::ONE / Vec4::select(has_any, weights, Vec4::ONE);
        Turned { columns: columns.map(|column| column.map(|v| v * per_weight)), weights }
    }
}

impl Turned {
    /// Returns `G v` of each vertex.
    #[inline(always)]
    pub fn of(&self, v: Lanes) -> Lanes {
        let [a, b, c] = self.columns;
        [0, 1, 2].map(|i| a[i] * v[0] + b[i] * v[1] + c[i] * v[2])
    }

    /// Returns `G` of each vertex.
    #[inline(always)]
    pub fn matrices(&self) -> [Mat3A; 4] {
        let [x, y, z] = self.columns.map(scattered);
        [0, 1, 2, 3].map(|lane| Mat3A::from_cols(x[lane], y[lane], z[lane]))
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

/// The frames of one corner of each of four vertices.
struct Frames {
    /// `T`, `N × T` and `N`.
    axes: [Lanes; 3],
    /// The angles between the sides, which are the weights; 0 where a corner has no frame, because its sides lie nearly on a line.
    angle: Vec4,
}

/// Returns the frames of the corners between two edges, unit vectors away from the vertices.
///
/// With `f` the unit vector along the first side and `g` that against the second one, `T` runs along `f + g` and `N × T` along `g − f`. Half
/// of the angle between them has the cosine `a = √((1 + |c|)/2)` and the sine `|f × g|/2a`, or the other way round where `c = f · g` is
/// negative; so the lengths of the sum and the difference take one square root.
#[inline(always)]
fn frames(before: Lanes, after: Lanes) -> Frames {
    let across = cross(after, before);
    let cosine = -dot(before, after);
    let sine = sqrt(dot(across, across));
    let told = sine.cmpge(Vec4::splat(TOLD)) & sine.cmplt(Vec4::INFINITY);
    let sine = Vec4::select(told, sine, Vec4::ONE);
    let sum = [before[0] - after[0], before[1] - after[1], before[2] - after[2]];
    let difference = [-(before[0] + after[0]), -(before[1] + after[1]), -(before[2] + after[2])];
    let half = sqrt((Vec4::ONE + cosine.abs()) * 0.5);
    let per_both = Vec4::ONE / (half * sine);
    let (per_long, per_short, per_sine) = (sine * per_both * 0.5, half * half * per_both, half * per_both);
    let is_wide = cosine.cmplt(Vec4::ZERO);
    let mut per_sum = Vec4::select(is_wide, per_short, per_long);
    let mut per_difference = Vec4::select(is_wide, per_long, per_short);
    if sine.cmplt(Vec4::splat(NARROW)).any() {
        per_sum = Vec4::ONE / sqrt(dot(sum, sum).max(Vec4::splat(f32::MIN_POSITIVE)));
        per_difference = Vec4::ONE / sqrt(dot(difference, difference).max(Vec4::splat(f32::MIN_POSITIVE)));
    }
    let axes = [sum.map(|v| v * per_sum), difference.map(|v| v * per_difference), across.map(|v| v * per_sine)];
    Frames { axes, angle: Vec4::select(told, angle(sine, cosine), Vec4::ZERO) }
}

/// Returns unit vectors from `at` to the other ends of edges; zero where an edge has no length.
#[inline(always)]
fn spoke(at: Lanes, ends: [u32; 4], surface: &[Vec3A]) -> Lanes {
    let to = gathered(ends, surface);
    let along = [to[0] - at[0], to[1] - at[1], to[2] - at[2]];
    let squared = dot(along, along);
    let is_long = squared.cmpgt(Vec4::ZERO) & squared.cmplt(Vec4::INFINITY);
    let per_length = Vec4::ONE / sqrt(Vec4::select(is_long, squared, Vec4::INFINITY));
    along.map(|v| Vec4::select(is_long, v * per_length, Vec4::ZERO))
}

/// The angle whose sine (not negative) and cosine are given, radians, to 1e-5.
#[inline(always)]
fn angle(sine: Vec4, cosine: Vec4) -> Vec4 {
    let size = cosine.abs();
    let (least, most) = (sine.min(size), sine.max(size));
    let x = least / most;
    let square = x * x;
    // A polynomial for the arc tangent between 0 and 1 (Abramowitz and Stegun 4.4.47).
    let of = [0.020_835_1, -0.085_133, 0.180_141, -0.330_299_5, 0.999_866];
    let sum = of.into_iter().fold(Vec4::ZERO, |sum, factor| sum * square + Vec4::splat(factor));
    let first = x * sum;
    let upright = Vec4::select(sine.cmpgt(size), Vec4::splat(std::f32::consts::FRAC_PI_2) - first, first);
    Vec4::select(cosine.cmplt(Vec4::ZERO), Vec4::splat(std::f32::consts::PI) - upright, upright)
}

/// Returns where four vertices lie.
#[inline(always)]
pub(super) fn gathered(from: [u32; 4], positions: &[Vec3A]) -> Lanes {
    let [a, b, c, d] = from.map(|v| positions[v as usize].extend(0.0));
    let lanes = Mat4::from_cols(a, b, c, d).transpose();
    [lanes.x_axis, lanes.y_axis, lanes.z_axis]
}

/// Returns the vector of each lane.
#[inline(always)]
pub(super) fn scattered([x, y, z]: Lanes) -> [Vec3A; 4] {
    let all = Mat4::from_cols(x, y, z, Vec4::ZERO).transpose();
    [all.x_axis, all.y_axis, all.z_axis, all.w_axis].map(Vec3A::from_vec4)
}

#[inline(always)]
fn dot(a: Lanes, b: Lanes) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: Lanes, b: Lanes) -> Lanes {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn sqrt(v: Vec4) -> Vec4 {
    Vec4::new(v.x.sqrt(), v.y.sqrt(), v.z.sqrt(), v.w.sqrt())
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

    fn turned(fans: &CornerFans, rest: &[Vec3A], posed: &[Vec3A], side: f32) -> Turned {
        let at = gathered([0, 1, 2, 3], posed);
        fans.turned(&fans.frames(rest), 0, at, posed, Vec4::splat(side))
    }

    #[test]
    fn the_fans_of_four_vertices_at_once_are_the_definition_of_each_corner() {
        let point = |i: u32| {
            let at = |k: f64| (f64::from(i) * k).sin();
            DVec3::new(at(1.7), at(2.9), at(0.77))
        };
        let rest: Vec<DVec3> = (0..12).map(point).collect();
        let now: Vec<DVec3> = (0..12).map(|i| point(i + 40)).collect();
        let [flat, posed] = [&rest, &now].map(|list| list.iter().map(|p| p.as_vec3a()).collect::<Vec<_>>());
        // A closed fan, two open ones (one of two corners), a single corner, and triangles that do not agree which way they run.
        let corners: [&[[u32; 2]]; 4] =
            [&[[6, 4], [4, 5], [5, 6]], &[[8, 9], [7, 8], [10, 11]], &[[4, 7]], &[[4, 5], [4, 6], [7, 6], [4, 5]]];
        let fans = CornerFans::new(4, |vertex| corners[vertex]);
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
    fn corners_on_a_line_and_points_in_one_place_have_no_frame() {
        let line = [Vec3A::ZERO, Vec3A::X, Vec3A::NEG_X, Vec3A::X, Vec3A::new(2.0, 0.0, 0.0), Vec3A::ZERO];
        let corners: [&[[u32; 2]]; 4] = [&[[1, 2], [3, 4], [5, 1], [2, 5]], &[], &[], &[]];
        let fans = CornerFans::new(1, |vertex| corners[vertex]);
        assert!(fans.frames(&line).0.iter().flatten().flatten().all(|axis| *axis == Vec4::ZERO));
        let bent = [Vec3A::ZERO, Vec3A::X, Vec3A::Y, Vec3A::Z, Vec3A::X, Vec3A::NEG_ONE];
        assert_eq!(turned(&fans, &line, &bent, 1.0).weights, Vec4::ZERO);
        // Nor has one that has a frame at rest alone.
        let got = turned(&fans, &bent, &line, 1.0);
        assert_eq!(got.weights, Vec4::ZERO);
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
            let got = angle(Vec4::splat(wanted.sin() as f32), Vec4::splat(wanted.cos() as f32)).x;
            assert!((f64::from(got) - wanted).abs() < 2e-5, "{got} for {wanted}");
        }
    }
}
