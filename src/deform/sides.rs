//! Which way a surface faces once it is deformed, without asking its vertices.

use glam::{Affine3A, Mat3A};

/// True where joints as different as these two keep a surface right side out between them: the blend of a first matrix
/// with any others that each agree with it has a determinant of the first one's sign, whatever the (not negative) weights.
/// False where that is not certain.
///
/// Linear blending: with `A = a⁻¹ b`, `det(Σ wᵢ Mᵢ) = det(M₀) det(Σ wᵢ Aᵢ)`, and a sum of matrices whose symmetric parts
/// are positive definite has such a part itself, hence a positive determinant. (Rotations less than 90° apart do.)
/// Dual quaternions blend polar factors, which are definite, of one sign where the determinants agree.
#[must_use]
pub fn keep_sides(a: &Affine3A, b: &Affine3A) -> bool {
    let m: Mat3A = a.matrix3.inverse() * b.matrix3;
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let (xy, xz, yz) = (0.5 * (x.y + y.x), 0.5 * (x.z + z.x), 0.5 * (y.z + z.y));
    // Sylvester's criterion, with room for rounding.
    let area = x.x * y.y - xy * xy;
    let volume = area * z.z - x.x * yz * yz - y.y * xz * xz + 2.0 * xy * xz * yz;
    let size = x.x + y.y + z.z;
    size.is_finite() && x.x > 1e-4 * size && area > 1e-4 * size * size && volume > 1e-4 * size * size * size
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3, Vec4};

    use super::*;
    use crate::deform::{METHODS, Vertex, pack};

    fn turned(axis: Vec3, degrees: f32, scale: Vec3) -> Affine3A {
        let rotation = Quat::from_axis_angle(axis.normalize(), degrees.to_radians());
        Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::new(0.3, -0.1, 0.2))
    }

    #[test]
    fn a_right_angle_is_where_rotations_stop_to_agree() {
        let turn = |degrees| turned(Vec3::new(1.0, 2.0, -1.0), degrees, Vec3::ONE);
        assert!(keep_sides(&turn(10.0), &turn(10.0)) && keep_sides(&turn(-20.0), &turn(65.0)));
        assert!(!keep_sides(&turn(0.0), &turn(95.0)));
        let mirror = |degrees| turned(Vec3::X, degrees, Vec3::new(1.0, -1.0, 1.0));
        assert!(keep_sides(&mirror(5.0), &mirror(40.0)) && !keep_sides(&mirror(5.0), &turn(5.0)));
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for scale in [Vec3::ONE - axis, Vec3::ONE - 2.0 * axis] {
                let other = turned(Vec3::X, 0.0, scale);
                assert!(!keep_sides(&other, &turn(0.0)) && !keep_sides(&turn(0.0), &other), "{scale}");
            }
        }
    }

    #[test]
    fn blends_of_joints_that_agree_never_turn_inside_out_in_any_method() {
        let mut state = 7_u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let mut certain = 0;
        for _ in 0..4000 {
            let mut matrix = |side: f32| {
                let axis = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5);
                let scale = Vec3::new(side * (0.3 + random()), 0.3 + random(), 0.3 + random());
                turned(axis, 120.0 * random(), scale)
            };
            let side = if certain % 2 == 0 { 1.0 } else { -1.0 };
            let matrices: [Affine3A; 4] = std::array::from_fn(|_| matrix(side));
            if !matrices[1..].iter().all(|m| keep_sides(&matrices[0], m)) {
                continue;
            }
            certain += 1;
            let weights = [0; 4].map(|_| random());
            for method in METHODS {
                let mut packed: Vec<Vec4> = Vec::new();
                pack(method, &matrices, &mut packed);
                let moved = (method.deform)(&packed, &[0, 1, 2, 3], &weights, Vertex::default());
                assert!(moved.determinant * side > 0.0, "{}: {matrices:?} {weights:?}", method.id);
            }
        }
        assert!(certain > 100, "only {certain} to try");
    }
}
