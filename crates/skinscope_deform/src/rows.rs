//! Functions for the methods whose packed joint is the 3×4 skinning matrix, row by row.

use glam::{Affine3A, Vec3, Vec4};
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

/// Returns the box around the positions to which a joint moves the points of a box, rounding included.
pub(super) fn moved_box(palette: &[Vec4], joint: u16, around: &Aabb) -> Aabb {
    let rows = &palette.as_chunks::<3>().0[usize::from(joint)];
    let (center, half) = (around.center().extend(1.0), (around.size() * 0.5).extend(0.0));
    let far = center.abs() + half;
    let at = Vec3::from_array(rows.map(|row| row.dot(center)));
    let to = Vec3::from_array(rows.map(|row| row.abs().dot(half + far * ROUNDING)));
    Aabb { min: at - to, max: at + to }
}
