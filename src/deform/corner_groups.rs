//! The frames of the corners around a vertex, four corners at once: each lane of a [`Vec4`] is another corner of the same vertex. See
//! [`super::delta_mush`] for what they are for.

use glam::{Mat3A, Mat4, Vec3A, Vec4};

/// Four corners of one vertex, with the frames that they have in the smoothed rest surface. Lanes that are left over have no frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerGroup {
    /// The welded vertices before and after each corner.
    pub ends: [[u32; 4]; 2],
    /// The axes `T` and `N × T`; zero where a corner has no frame.
    pub axes: [Axes; 2],
}

/// Four vectors: x, y and z, each with a lane for each corner.
type Axes = [Vec4; 3];

/// The least sine of the angle between the sides of a corner that has a frame.
const TOLD: f32 = 1e-4;
/// The sine below which lengths are measured, because rounding matters.
const NARROW: f32 = 0.02;

impl CornerGroup {
    /// Of up to four corners of `vertex`, whose neighbours lie there in the smoothed rest surface.
    pub fn of(vertex: u32, corners: &[[u32; 2]], smoothed: &[Vec3A]) -> Self {
        let end = |side: usize| [0, 1, 2, 3].map(|lane| corners.get(lane).map_or(vertex, |ends: &[u32; 2]| ends[side]));
        let ends = [end(0), end(1)];
        let ([t, b], angle) = frames(smoothed[vertex as usize], &ends, smoothed);
        let told = angle.cmpgt(Vec4::ZERO);
        let only = |axis: Axes| axis.map(|v| Vec4::select(told, v, Vec4::ZERO));
        Self { ends, axes: [only(t), only(b)] }
    }
}

/// The sums over the corners of a vertex: the rotations from their frames at rest to those now, each weighted by its angle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turned {
    /// The numbers of the matrices, by column, then by row.
    columns: [Axes; 3],
    weights: Vec4,
}

impl Turned {
    /// Adds the corners of a vertex at `at`; `side` is -1 where it is mirrored.
    #[inline(always)]
    pub fn add(&mut self, group: &CornerGroup, at: Vec3A, smoothed: &[Vec3A], side: f32) {
        let ([to_t, to_b], angle) = frames(at, &group.ends, smoothed);
        let [t, b] = group.axes;
        let has_rest = dot(t, t).cmpgt(Vec4::ZERO);
        let angle = Vec4::select(has_rest, angle, Vec4::ZERO);
        let (n, to_n) = (cross(t, b), cross(to_t, to_b));
        let (to_t, to_b) = (to_t.map(|v| v * angle), to_b.map(|v| v * angle));
        let to_n = to_n.map(|v| v * (angle * side));
        for (i, column) in self.columns.iter_mut().enumerate() {
            for (j, sum) in column.iter_mut().enumerate() {
                *sum += to_t[j] * t[i] + to_b[j] * b[i] + to_n[j] * n[i];
            }
        }
        self.weights += angle;
    }

    /// Returns `G`; `None` where no corner has a frame in both surfaces.
    #[inline(always)]
    pub fn mean(&self) -> Option<Mat3A> {
        let weights = self.weights.element_sum();
        if weights == 0.0 {
            return None;
        }
        // The sums of the rows of a transposed matrix are those of its columns: the sums over the lanes.
        let column = |[x, y, z]: Axes| {
            let lanes = Mat4::from_cols(x, y, z, Vec4::ZERO).transpose();
            Vec3A::from_vec4((lanes.x_axis + lanes.y_axis) + (lanes.z_axis + lanes.w_axis))
        };
        let [x, y, z] = self.columns;
        Some(Mat3A::from_cols(column(x), column(y), column(z)) * (1.0 / weights))
    }
}

/// The axes `T` and `N × T` of the frames of four corners at `at`, and their angles; the angle is 0 where a corner has no frame, because
/// its sides lie nearly on a line. The third axis is `T × (N × T)`.
///
/// With `f` and `g` the unit vectors along the sides, `T` runs along `f + g` and `N × T` along `g − f`. Half of the angle between them has
/// the cosine `a = √((1 + |c|)/2)` and the sine `|f × g|/2a`, or the other way round where `c = f · g` is negative; so the lengths of the sum
/// and the difference take one square root.
#[inline(always)]
fn frames(at: Vec3A, ends: &[[u32; 4]; 2], smoothed: &[Vec3A]) -> ([Axes; 2], Vec4) {
    let [before, after] = ends.map(|ends| gathered(ends, smoothed));
    let at = [Vec4::splat(at.x), Vec4::splat(at.y), Vec4::splat(at.z)];
    let f = [before[0] - at[0], before[1] - at[1], before[2] - at[2]];
    let g = [at[0] - after[0], at[1] - after[1], at[2] - after[2]];
    let (per_f, per_g) = (Vec4::ONE / sqrt(dot(f, f)), Vec4::ONE / sqrt(dot(g, g)));
    let across = cross(f, g);
    // Of the vectors as they are: near 0 the product of unit vectors tells too little of it.
    let sine = sqrt(dot(across, across)) * (per_f * per_g);
    let told = sine.cmpge(Vec4::splat(TOLD)) & sine.cmplt(Vec4::INFINITY);
    let only = |v: Vec4| Vec4::select(told, v, Vec4::ZERO);
    let (per_f, per_g, sine) = (only(per_f), only(per_g), Vec4::select(told, sine, Vec4::ONE));
    let (f, g) = (f.map(|v| v * per_f), g.map(|v| v * per_g));
    let cosine = dot(f, g);
    let (sum, difference) = ([f[0] + g[0], f[1] + g[1], f[2] + g[2]], [g[0] - f[0], g[1] - f[1], g[2] - f[2]]);
    let half = sqrt((Vec4::ONE + cosine.abs()) * 0.5);
    let (per_long, per_short) = (Vec4::splat(0.5) / half, half / sine);
    let is_wide = cosine.cmplt(Vec4::ZERO);
    let mut per_sum = Vec4::select(is_wide, per_short, per_long);
    let mut per_difference = Vec4::select(is_wide, per_long, per_short);
    if sine.cmplt(Vec4::splat(NARROW)).any() {
        per_sum = Vec4::ONE / sqrt(dot(sum, sum).max(Vec4::splat(f32::MIN_POSITIVE)));
        per_difference = Vec4::ONE / sqrt(dot(difference, difference).max(Vec4::splat(f32::MIN_POSITIVE)));
    }
    let (t, b) = (sum.map(|v| v * per_sum), difference.map(|v| v * per_difference));
    ([t, b], only(angle(sine, cosine)))
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

#[inline(always)]
fn gathered(from: [u32; 4], positions: &[Vec3A]) -> Axes {
    let [a, b, c, d] = from.map(|v| positions[v as usize].extend(0.0));
    let lanes = Mat4::from_cols(a, b, c, d).transpose();
    [lanes.x_axis, lanes.y_axis, lanes.z_axis]
}

#[inline(always)]
fn dot(a: Axes, b: Axes) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: Axes, b: Axes) -> Axes {
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

    #[test]
    fn four_corners_at_once_are_the_definition_of_each() {
        let point = |i: u32| {
            let at = |k: f64| (f64::from(i) * k).sin();
            DVec3::new(at(1.7), at(2.9), at(0.77))
        };
        let rest: Vec<DVec3> = (0..9).map(point).collect();
        let now: Vec<DVec3> = (0..9).map(|i| point(i + 40)).collect();
        let [flat, posed] = [&rest, &now].map(|list| list.iter().map(|p| p.as_vec3a()).collect::<Vec<_>>());
        for count in 1..=4 {
            let corners: Vec<[u32; 2]> = (0..count).map(|i| [1 + 2 * i, 2 + 2 * i]).collect();
            let group = CornerGroup::of(0, &corners, &flat);
            for side in [1.0, -1.0] {
                let mut turned = Turned::default();
                turned.add(&group, posed[0], &posed, side);
                let (mut sum, mut weights) = ([DVec3::ZERO; 3], 0.0);
                for [before, after] in corners.iter().map(|ends| ends.map(|end| end as usize)) {
                    let (from, _) = exact(rest[0], rest[before], rest[after]);
                    let (to, angle) = exact(now[0], now[before], now[after]);
                    for (i, column) in sum.iter_mut().enumerate() {
                        *column +=
                            (to[0] * from[0][i] + to[1] * from[1][i] + to[2] * from[2][i] * f64::from(side)) * angle;
                    }
                    weights += angle;
                }
                let got = turned.mean().unwrap();
                for (got, want) in [got.x_axis, got.y_axis, got.z_axis].into_iter().zip(sum) {
                    let off = (DVec3::new(got.x.into(), got.y.into(), got.z.into()) - want / weights).length();
                    assert!(off < 3e-5, "{count} corners: off by {off}");
                }
            }
        }
    }

    #[test]
    fn corners_on_a_line_and_points_in_one_place_have_no_frame() {
        let line = [Vec3A::ZERO, Vec3A::X, Vec3A::NEG_X, Vec3A::X, Vec3A::new(2.0, 0.0, 0.0), Vec3A::ZERO];
        let group = CornerGroup::of(0, &[[1, 2], [3, 4], [5, 1], [2, 5]], &line);
        assert_eq!(group.axes, [[Vec4::ZERO; 3]; 2]);
        let bent = [Vec3A::ZERO, Vec3A::X, Vec3A::Y, Vec3A::Z, Vec3A::X, Vec3A::NEG_ONE];
        let mut turned = Turned::default();
        turned.add(&group, bent[0], &bent, 1.0);
        assert!(turned.mean().is_none());
        // Nor has one that has a frame at rest alone.
        let mut turned = Turned::default();
        turned.add(&CornerGroup::of(0, &[[1, 2]], &bent), line[0], &line, 1.0);
        assert!(turned.mean().is_none());
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
