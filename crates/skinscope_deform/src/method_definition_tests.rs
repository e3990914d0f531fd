//! Cases in which a definition decides between two plausible results, against closed forms: which influence the signs of quaternions follow,
//! and what becomes of joints that mirror.

use glam::{Affine3A, DAffine3, Quat, Vec3, Vec4};

use super::*;

/// Where a turn about z by `angle` radians takes a point.
fn turned(angle: f32, point: Vec3) -> Vec3 {
    Quat::from_rotation_z(angle) * point
}

fn packed(method: &Method, matrices: &[Affine3A]) -> Vec<Vec4> {
    let mut out = Vec::new();
    pack(method, matrices, &mut out);
    out
}

/// Moves a point by the kernel of a method and by its definition in f64.
fn moved(id: &str, matrices: &[Affine3A], weights: &[f32], vector: Option<Vec4>, point: Vec3) -> [Vec3; 2] {
    let method = method(id).unwrap();
    let input = MethodInput { vector, ..MethodInput::of(method) };
    let slots: Vec<u16> = (0..matrices.len() as u16).collect();
    let vertex = Vertex { position: point, ..Vertex::default() };
    let drawn = method.deform_with(&input, &packed(method, matrices), (&slots, weights), vertex).vertex.position;
    let double = |m: &Affine3A| DAffine3::from_cols_array(&m.to_cols_array().map(f64::from));
    let movers = matrices.iter().zip(weights).enumerate();
    let movers: Vec<ExactInfluence> = movers
        .map(|(joint, (m, weight))| ExactInfluence { joint, weight: f64::from(*weight), matrix: double(m) })
        .collect();
    let exact = (method.exact)(&movers, point.as_dvec3(), &input).map.transform_point3(point.as_dvec3());
    [drawn, exact.as_vec3()]
}

#[test]
fn the_first_influence_with_a_weight_decides_the_signs_of_quaternions() {
    // Each of these turns is near the one before it, but the third is on the other side of the first.
    let degrees = [0.0_f32, 150.0, 300.0];
    let joints = degrees.map(|angle| Affine3A::from_rotation_z(angle.to_radians()));
    let point = Vec3::new(0.7, -0.2, 0.4);
    // The second is the heaviest, so that a sum about it would turn elsewhere.
    let weights = [0.25_f32, 0.45, 0.3];
    let about = |pivot: usize| {
        let half = degrees.map(|angle| 0.5 * angle.to_radians());
        let (sin, cos) = (0..3).fold((0.0, 0.0), |(sin, cos), i| {
            let sign = (half[i] - half[pivot]).cos().signum();
            (sin + sign * weights[i] * half[i].sin(), cos + sign * weights[i] * half[i].cos())
        });
        turned(2.0 * f32::atan2(sin, cos), point)
    };
    assert!(about(0).distance(about(1)) > 0.1);
    // The centre is the origin, which no joint moves.
    for (id, vector) in [("dual-quaternion", None), ("centres-of-rotation", Some(Vec4::W))] {
        for got in moved(id, &joints, &weights, vector, point) {
            assert!(got.distance(about(0)) < 1e-5, "{id}: {got} {}", about(0));
        }
        // A slot without weight is no influence.
        let (padded, weights) =
            ([joints[1], joints[0], joints[1], joints[2]], [0.0, weights[0], weights[1], weights[2]]);
        for got in moved(id, &padded, &weights, vector, point) {
            assert!(got.distance(about(0)) < 1e-5, "{id}, padded: {got} {}", about(0));
        }
    }
}

#[test]
fn joints_that_mirror_move_a_vertex_with_a_centre_as_their_mirror_image_does() {
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let point = Vec3::new(0.3, -1.2, 0.7);
    let centre = Vec4::new(0.2, -0.4, 0.1, 1.0);
    let upright = [0.3_f32, 1.2].map(|angle| Affine3A::from_rotation_z(angle) * Affine3A::from_rotation_x(0.4));
    let mirrored = upright.map(|m| m * mirror);
    for id in ["polar", "centres-of-rotation"] {
        for weights in [[1.0, 0.0], [0.35, 0.65]] {
            // What mirrors first moves as the upright joints move the mirrored vertex, about the mirrored centre.
            let image = mirror.transform_point3(point);
            let about = mirror.transform_point3(centre.truncate()).extend(1.0);
            let want = moved(id, &upright, &weights, Some(about), image);
            let got = moved(id, &mirrored, &weights, Some(centre), point);
            for (got, want) in got.iter().zip(want) {
                assert!(got.distance(want) < 1e-5, "{id} {weights:?}: {got} {want}");
            }
        }
    }
}
