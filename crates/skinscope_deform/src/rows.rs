//! Functions for the methods whose packed joint is the 3×4 skinning matrix, row by row.

use glam::{Affine3A, Vec4};
use skinscope_base::math::Aabb;

use super::batch::{Matrices, transposed};

/// The rows of a 3×4 matrix.
pub(super) type Rows = [Vec4; 3];

/// Packs a matrix into its rows; such methods use it as [`super::Method::pack`].
pub(super) fn pack(m: &Affine3A, out: &mut [Vec4]) {
    let rows = m.matrix3.transpose();
    let columns = [rows.x_axis, rows.y_axis, rows.z_axis];
    for ((out, row), t) in out.iter_mut().zip(columns).zip(m.translation.to_array()) {
        *out = row.extend(t);
    }
}

/// Returns the matrices of four vertices, one in each lane.
#[inline(always)]
pub(super) fn matrices([a, b, c, d]: [Rows; 4]) -> Matrices {
    let row = |i: usize| transposed([a[i], b[i], c[i], d[i]]);
    [row(0), row(1), row(2)]
}

/// The rounding error of a sum of products, as a share of the sum of their magnitudes: some ten roundings.
const ROUNDING: f32 = 2e-6;

/// The positions to which a matrix moves the points of a box; the fourth numbers mean nothing.
pub(super) struct MovedBox {
    pub center: Vec4,
    /// Half of its size, without rounding.
    pub half: Vec4,
    /// The largest sum of magnitudes on the way to a coordinate.
    pub reach: Vec4,
}

impl MovedBox {
    /// Moves a box that is not empty.
    #[inline(always)]
    pub fn new([x, y, z]: &Rows, around: &Aabb) -> Self {
        let [x, y, z, t] = transposed([*x, *y, *z, Vec4::ZERO]);
        let (low, high) = (around.min * 0.5, around.max * 0.5);
        let (middle, half) = (low + high, high - low);
        let far = middle.abs() + half;
        let center = (x * middle.x + y * middle.y) + (z * middle.z + t);
        let (x, y, z) = (x.abs(), y.abs(), z.abs());
        let reach = (x * far.x + y * far.y) + (z * far.z + t.abs());
        Self { center, half: (x * half.x + y * half.y) + z * half.z, reach }
    }
}

/// The box around moved boxes, which grows with each.
pub(super) struct BoxesAround {
    min: Vec4,
    max: Vec4,
    /// The largest sum of magnitudes on the way to a coordinate.
    reach: Vec4,
    /// The sum of those of all boxes: infinite or NaN where a number of any box is, which the least and the greatest of numbers may leave out.
    sum: Vec4,
}

impl BoxesAround {
    pub const NONE: Self = Self { min: Vec4::INFINITY, max: Vec4::NEG_INFINITY, reach: Vec4::ZERO, sum: Vec4::ZERO };

    #[inline(always)]
    pub fn include(&mut self, moved: &MovedBox, half: Vec4) {
        self.min = self.min.min(moved.center - half);
        self.max = self.max.max(moved.center + half);
        self.reach = self.reach.max(moved.reach);
        self.sum += moved.reach;
    }

    /// Returns the largest sum of magnitudes on the way to any coordinate.
    pub fn reach(&self) -> f32 {
        self.reach.truncate().max_element()
    }

    /// Returns the box; `None` where there is none, or where its numbers are not finite.
    pub fn bounds(&self) -> Option<Aabb> {
        let (min, max) = (self.min.truncate(), self.max.truncate());
        let is_known = min.is_finite() && max.is_finite() && self.sum.truncate().is_finite();
        is_known.then_some(Aabb { min, max })
    }
}

/// Returns the box around the positions to which joints move the points of their boxes, rounding included. The rows of a joint stand from `AT` on
/// in each `STRIDE` vectors of the palette. `None` where there is no joint, or where a number is not finite.
pub(super) fn moved_boxes<const STRIDE: usize, const AT: usize>(
    palette: &[Vec4],
    joints: &[(u16, Aabb)],
) -> Option<Aabb> {
    let palette = palette.as_chunks::<STRIDE>().0;
    let mut out = BoxesAround::NONE;
    for (joint, around) in joints {
        let all = &palette[usize::from(*joint)];
        let moved = MovedBox::new(&[all[AT], all[AT + 1], all[AT + 2]], around);
        out.include(&moved, moved.half + moved.reach * ROUNDING);
    }
    out.bounds()
}
