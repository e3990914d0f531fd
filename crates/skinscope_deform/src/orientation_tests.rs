//! Tests of [`Method::preserves_orientation`] for every method.

use glam::{Affine3A, Quat, Vec3, Vec4};

use super::*;

fn turned(axis: Vec3, degrees: f32, scale: Vec3) -> Affine3A {
    let rotation = Quat::from_axis_angle(axis.normalize(), degrees.to_radians());
    Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::new(0.3, -0.1, 0.2))
}

#[test]
fn a_right_angle_is_where_rotations_stop_to_agree() {
    let turn = |degrees| turned(Vec3::new(1.0, 2.0, -1.0), degrees, Vec3::ONE);
    let mirror = |degrees| turned(Vec3::X, degrees, Vec3::new(1.0, -1.0, 1.0));
    for method in METHODS {
        let keep_sides = |a: Affine3A, b: Affine3A| (method.preserves_orientation)(&a, &b);
        assert!(keep_sides(turn(10.0), turn(10.0)) && keep_sides(turn(-20.0), turn(65.0)), "{}", method.id);
        assert!(keep_sides(mirror(5.0), mirror(40.0)) && !keep_sides(mirror(5.0), turn(5.0)), "{}", method.id);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for scale in [Vec3::ONE - axis, Vec3::ONE - 2.0 * axis] {
                let other = turned(Vec3::X, 0.0, scale);
                assert!(!keep_sides(other, turn(0.0)) && !keep_sides(turn(0.0), other), "{} {scale}", method.id);
            }
        }
    }
    assert!(!(METHODS[0].preserves_orientation)(&turn(0.0), &turn(95.0)));
}

#[test]
fn blends_of_joints_that_agree_never_turn_inside_out_in_any_method() {
    let mut state = 7_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let mut certain: Vec<usize> = METHODS.iter().map(|_| 0).collect();
    for round in 0..4000 {
        // Every other pair of rounds all stretch alike.
        let [x, y, z] = [(); 3].map(|()| 0.3 + random());
        let mut matrix = |side: f32| {
            let axis = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5);
            let own = Vec3::new(side * (0.3 + random()), 0.3 + random(), 0.3 + random());
            let scale = if round % 4 < 2 { own } else { Vec3::new(side * x, y, z) };
            turned(axis, 120.0 * random(), scale)
        };
        let side = if round % 2 == 0 { 1.0 } else { -1.0 };
        let matrices: [Affine3A; 4] = std::array::from_fn(|_| matrix(side));
        let weights = [0; 4].map(|_| random());
        for (method, certain) in METHODS.iter().zip(&mut certain) {
            if !matrices[1..].iter().all(|m| (method.preserves_orientation)(&matrices[0], m)) {
                continue;
            }
            *certain += 1;
            let mut packed: Vec<Vec4> = Vec::new();
            pack(method, &matrices, &mut packed);
            let moved = method.deform(&packed, &[0, 1, 2, 3], &weights, Vertex::default());
            assert!(moved.determinant * side > 0.0, "{}: {matrices:?} {weights:?}", method.id);
        }
    }
    assert!(certain.iter().all(|n| *n > 100), "only {certain:?} to try");
}
