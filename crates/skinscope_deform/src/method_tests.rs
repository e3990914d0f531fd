//! Tests of what every method must do, run for all rows of [`METHODS`], and of the differences that methods state.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Affine3A, DVec3, Mat3A, Quat, Vec3, Vec4};
use skinscope_base::math::cofactor;

use super::*;

fn packed(method: &Method, matrices: &[Affine3A]) -> Vec<Vec4> {
    let mut out = Vec::new();
    pack(method, matrices, &mut out);
    out
}

fn vertex() -> Vertex {
    let (position, normal) = (Vec3::new(0.3, -1.2, 0.7), Vec3::new(0.6, 0.0, 0.8));
    Vertex { position, normal, tangent: Vec3::new(0.8, 0.0, -0.6) }
}

fn close(a: Vertex, b: Vertex, tolerance: f32) -> bool {
    let pairs = [(a.position, b.position), (a.normal, b.normal), (a.tangent, b.tangent)];
    pairs.into_iter().all(|(a, b)| (a - b).length() <= tolerance)
}

/// Moves a vertex by the definition; the normal by the inverse transpose.
fn moved_by(m: Affine3A, v: Vertex) -> Vertex {
    Vertex {
        position: m.transform_point3(v.position),
        normal: (m.matrix3.inverse().transpose() * v.normal).normalize(),
        tangent: m.transform_vector3(v.tangent).normalize(),
    }
}

fn zoo() -> Vec<Affine3A> {
    let turn = |axis: Vec3, angle| Quat::from_axis_angle(axis.normalize(), angle);
    let trs = Affine3A::from_scale_rotation_translation;
    let shear = Mat3A::from_cols_array(&[1.0, 0.3, 0.0, -0.5, 1.0, 0.2, 0.1, 0.0, 0.7]);
    vec![
        Affine3A::IDENTITY,
        trs(Vec3::ONE, turn(Vec3::new(1.0, 2.0, -1.0), 2.5), Vec3::new(3.0, -1.0, 0.5)),
        trs(Vec3::splat(0.01), turn(Vec3::Y, PI), Vec3::X),
        trs(Vec3::new(0.5, 2.0, 1.5), turn(Vec3::new(0.0, 1.0, 1.0), -1.0), Vec3::Y),
        trs(Vec3::new(-1.0, 1.0, 1.0), turn(Vec3::ONE, 0.8), Vec3::Z),
        trs(Vec3::splat(-2.0), turn(Vec3::X, 3.0), Vec3::ONE),
        trs(Vec3::ONE, turn(Vec3::Z, 1.0), Vec3::ONE) * Affine3A::from_mat3(shear.into()),
        trs(Vec3::new(1.0, 1.0, 1e-4), turn(Vec3::Z, 1.0), Vec3::ONE),
    ]
}

#[test]
fn one_joint_is_its_transform() {
    for method in METHODS {
        let zoo = zoo();
        let palette = packed(method, &zoo);
        assert_eq!(palette.len(), zoo.len() * method.vec4s_per_joint);
        for (joint, matrix) in zoo.iter().enumerate() {
            let joint = joint as u16;
            let moved = method.deform(&palette, &[joint, 0], &[1.0, 0.0], vertex());
            assert!(close(moved.vertex, moved_by(*matrix, vertex()), 5e-6), "{}, joint {joint}", method.id);
            let determinant = matrix.matrix3.determinant();
            assert!((moved.determinant - determinant).abs() <= 1e-5 * (1.0 + determinant.abs()));
            // A joint whose weight is split in two is still one joint.
            let halves = method.deform(&palette, &[joint, joint], &[0.5, 0.5], vertex());
            assert!(close(halves.vertex, moved.vertex, 1e-6), "{}, joint {joint}", method.id);
        }
    }
}

#[test]
fn flat_matrices_move_points_where_they_say() {
    let turn = Quat::from_rotation_x(0.8);
    for scale in [Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 2.0, 0.0), Vec3::ZERO] {
        let m = Affine3A::from_scale_rotation_translation(scale, turn, Vec3::new(1.0, 2.0, 3.0));
        for method in METHODS {
            let moved = method.deform(&packed(method, &[m]), &[0], &[1.0], vertex());
            let want = m.transform_point3(vertex().position);
            assert!((moved.vertex.position - want).length() < 1e-6, "{}, scale {scale}", method.id);
            let normal =
                (Mat3A::from_quat(turn) * cofactor(Mat3A::from_diagonal(scale)) * vertex().normal).normalize_or_zero();
            assert!((moved.vertex.normal - normal).length() < 1e-5, "{}, scale {scale}", method.id);
            assert!(moved.determinant.abs() < 1e-6);
        }
    }
}

#[test]
fn the_bind_pose_is_the_identity() {
    let joints: [u16; 8] = std::array::from_fn(|i| i as u16);
    let weights = [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05];
    for method in METHODS {
        let palette = packed(method, &[Affine3A::IDENTITY; 8]);
        let moved = method.deform(&palette, &joints, &weights, vertex());
        assert!(close(moved.vertex, vertex(), 1e-6), "{}: {moved:?}", method.id);
        assert!((moved.determinant - 1.0).abs() < 1e-6);
    }
}

/// A matrix that moves all joints moves the whole surface: a mirror, a shear and a flat matrix too.
#[test]
fn what_moves_all_joints_moves_everything_with_them() {
    let weights = [0.4, 0.3, 0.2, 0.1];
    for method in METHODS {
        for matrix in zoo() {
            let moved = method.deform(&packed(method, &[matrix; 4]), &[0, 1, 2, 3], &weights, vertex());
            assert!(close(moved.vertex, moved_by(matrix, vertex()), 5e-6), "{}: {matrix:?}", method.id);
        }
    }
}

/// The joints of the test are scaled, sheared and mirrored in different ways.
#[test]
fn the_cpu_reference_follows_the_definition() {
    let zoo = zoo();
    let near: Vec<Affine3A> = [-0.9_f32, 0.0, 0.4, 1.1]
        .into_iter()
        .zip([Vec3::ONE, Vec3::new(2.0, 0.3, 1.0), Vec3::splat(0.1), Vec3::new(1.0, 1.0, 3.0)])
        .map(|(turn, scale)| zoo[1] * Affine3A::from_rotation_z(turn) * Affine3A::from_scale(scale))
        .collect();
    let mirrored: Vec<Affine3A> = near.iter().map(|m| *m * Affine3A::from_scale(Vec3::new(1.0, -1.0, 1.0))).collect();
    for set in [near, mirrored, [zoo[0], zoo[3], zoo[6], zoo[7]].into()] {
        for (joints, weights) in [([0, 1, 2, 3], [0.4, 0.3, 0.2, 0.1]), ([2, 1, 1, 0], [0.0, 0.2, 0.4, 0.3])] {
            let slots = joints.iter().zip(weights);
            let mover = |(joint, weight): (&u16, f32)| {
                let matrix = DAffine3::from_cols_array(&set[usize::from(*joint)].to_cols_array().map(f64::from));
                ExactInfluence { joint: usize::from(*joint), weight: f64::from(weight), matrix }
            };
            let movers: Vec<ExactInfluence> = slots.map(mover).collect();
            let vectors = [None, Some(Vec4::new(0.2, -0.4, 0.1, 1.0))];
            let all = METHODS.iter().flat_map(|method| vectors.map(|vector| (*method, vector)));
            for (method, vector) in all.filter(|(method, vector)| vector.is_none() || method.data.is_some()) {
                let from = vertex();
                let input = MethodInput { vector, ..MethodInput::of(method) };
                let exact = (method.exact)(&movers, from.position.as_dvec3(), &input);
                let map = exact.map;
                let carried = |v: DVec3| v.normalize().as_vec3();
                let normal = exact.normal(from.normal.as_dvec3());
                let want = Vertex {
                    position: map.transform_point3(from.position.as_dvec3()).as_vec3(),
                    normal: carried(normal),
                    tangent: carried(map.matrix3 * from.tangent.as_dvec3()),
                };
                let got = method.deform_with(&input, &packed(method, &set), (&joints, &weights), from);
                assert!(close(got.vertex, want, 1e-5), "{}: {got:?} {want:?}", method.id);
                let off = (f64::from(got.determinant) - map.matrix3.determinant()).abs();
                assert!(off < 1e-5, "{}: determinants are {off} apart", method.id);
            }
        }
    }
}

#[test]
fn rigid_motion_moves_rigidly() {
    let turn = Quat::from_axis_angle(Vec3::new(2.0, -1.0, 0.5).normalize(), 2.0);
    let motion = Affine3A::from_rotation_translation(turn, Vec3::new(-1.0, 4.0, 2.0));
    let zoo = &zoo()[1..];
    let moved: Vec<Affine3A> = zoo.iter().map(|m| motion * *m).collect();
    // Mirrored and upright matrices together pass through flatness, where a blend has no meaning.
    for set in [[0, 1, 2, 5], [3, 4, 3, 4]] {
        let weights = [0.4, 0.3, 0.2, 0.1];
        for method in METHODS {
            let here = method.deform(&packed(method, zoo), &set, &weights, vertex());
            let there = method.deform(&packed(method, &moved), &set, &weights, vertex());
            assert!(close(there.vertex, moved_by(motion, here.vertex), 1e-5), "{}, joints {set:?}", method.id);
        }
    }
}

#[test]
fn the_order_of_joints_does_not_matter() {
    let zoo = &zoo()[..4];
    // Which way is shorter is clear among three rotations only while they lie within 120° of each other; beyond that
    // dual quaternions ask the first influence.
    let near = [-0.9_f32, 0.0, 0.4, 1.1].map(|turn| zoo[1] * Affine3A::from_rotation_z(turn));
    let weights = [0.4, 0.3, 0.2, 0.1];
    for method in METHODS {
        let want = method.deform(&packed(method, zoo), &[0, 1, 2, 3], &weights, vertex());
        let turned: Vec<Affine3A> = (0..4).map(|i| zoo[(i + 1) % 4]).collect();
        let renamed = method.deform(&packed(method, &turned), &[3, 0, 1, 2], &weights, vertex());
        assert_eq!(renamed, want, "{}", method.id);
        let palette = packed(method, &near);
        let one = method.deform(&palette, &[0, 1, 2, 3], &weights, vertex());
        let other = method.deform(&palette, &[2, 0, 3, 1], &[0.2, 0.4, 0.1, 0.3], vertex());
        assert!(close(one.vertex, other.vertex, 2e-6), "{}", method.id);
    }
}

#[test]
fn without_weight_nothing_remains_and_zero_normals_stay_zero() {
    for method in METHODS {
        let palette = packed(method, &zoo());
        assert_eq!(method.deform(&palette, &[1, 2], &[0.0, 0.0], vertex()), DeformedVertex::default(), "{}", method.id);
        let bare = Vertex { normal: Vec3::ZERO, tangent: Vec3::ZERO, ..vertex() };
        let moved = method.deform(&palette, &[1, 3], &[0.5, 0.5], bare);
        assert_eq!((moved.vertex.normal, moved.vertex.tangent), (Vec3::ZERO, Vec3::ZERO), "{}", method.id);
    }
}

#[test]
fn weights_that_do_not_sum_to_one() {
    let zoo = zoo();
    for method in METHODS {
        let palette = packed(method, &zoo);
        let of = |weights: [f32; 2]| method.deform(&palette, &[1, 3], &weights, vertex()).vertex;
        let (whole, half) = (of([0.25, 0.75]), of([0.125, 0.375]));
        let moves = half.position.distance(whole.position) > 0.1;
        assert_eq!(moves, method.expects.scales_with_weights, "{}", method.id);
        let mover = |(joint, weight): (usize, f64)| {
            let matrix = DAffine3::from_cols_array(&zoo[joint].to_cols_array().map(f64::from));
            ExactInfluence { joint, weight, matrix }
        };
        let movers = [(1, 0.125), (3, 0.375)].map(mover);
        let want = (method.exact)(&movers, vertex().position.as_dvec3(), &MethodInput::of(method)).map;
        let want = want.transform_point3(vertex().position.as_dvec3()).as_vec3();
        assert!(half.position.distance(want) < 1e-5, "{}", method.id);
        if !moves {
            assert!(close(half, whole, 1e-6), "{}", method.id);
        }
    }
}

/// The ring of a straight tube at which a twist by θ has come half way, and that of a hinge about an axis across: it shrinks
/// and turns as the method says. (Linear blending shrinks to cos(θ/2): 0.7071 at 90°, the candy wrapper at 180°.)
#[test]
fn half_way_of_a_turn_the_ring_is_as_wide_as_the_method_says() {
    for method in METHODS {
        for degrees in [0.0_f32, 30.0, 60.0, 90.0, 120.0, 150.0, 175.0] {
            let angle = degrees.to_radians();
            let [radius, turned] = (method.expects.between_turns)(angle);
            for (axis, across) in [(Vec3::Y, Vec3::X), (Vec3::X, Vec3::Z)] {
                let palette = packed(method, &[Affine3A::IDENTITY, Affine3A::from_axis_angle(axis, angle)]);
                let v = Vertex { position: across + axis * 5.0, normal: across, tangent: axis };
                let has_centres = method.data.is_some_and(|source| source.label.contains("centres"));
                let vector = has_centres.then(|| (axis * 5.0).extend(1.0));
                let input = MethodInput { vector, ..MethodInput::of(method) };
                let moved = method.deform_with(&input, &palette, (&[0, 1], &[0.5, 0.5]), v).vertex;
                let direction = Quat::from_axis_angle(axis, turned * angle) * across;
                let want = Vertex { position: direction * radius + axis * 5.0, normal: direction, tangent: axis };
                assert!(close(moved, want, 2e-6), "{} {degrees}° about {axis}: {moved:?} {want:?}", method.id);
            }
        }
        let rest = (method.expects.between_turns)(0.0);
        assert_eq!(rest[0], 1.0, "{}", method.id);
    }
    // The ratios that the two best-known methods promise.
    let radius = |id: &str| (method(id).unwrap().expects.between_turns)(FRAC_PI_2)[0];
    assert!((radius("linear") - 0.707_106_77).abs() < 1e-6 && radius("dual-quaternion") == 1.0);
}

/// Between two joints that differ by a scale only, there is no rotation to blend: the vertex takes the share of both scales
/// that the method promises.
#[test]
fn scales_blend_as_the_method_says() {
    let scales = [Vec3::ONE, Vec3::new(3.0, 1.0, 0.5)].map(Affine3A::from_scale);
    for method in METHODS {
        let moved = method.deform(&packed(method, &scales), &[0, 1], &[0.5, 0.5], vertex());
        let scale = Vec3::ONE.lerp(Vec3::new(3.0, 1.0, 0.5), method.expects.between_scales);
        let want = moved_by(Affine3A::from_scale(scale), vertex());
        assert!(close(moved.vertex, want, 1e-6), "{}", method.id);
    }
}

/// If a method says that a vertex is steady, a part of its weight that goes to another joint moves it by that part of
/// the way between its joints, and no farther than a few times that.
#[test]
fn a_little_weight_moves_a_steady_vertex_a_little() {
    const BY: f32 = 1e-3;
    let base = zoo()[1];
    let matrices: Vec<Affine3A> = [0.0_f32, 0.5, 1.2, -0.6].map(|turn| base * Affine3A::from_rotation_z(turn)).into();
    let positions: Vec<Vec3> = matrices.iter().map(|m| m.transform_point3(vertex().position)).collect();
    let apart = positions.iter().flat_map(|a| positions.iter().map(|b| a.distance(*b))).fold(0.0, f32::max);
    for method in METHODS {
        let palette = packed(method, &matrices);
        let joints = [0, 1, 2, 3];
        let mut steady = 0;
        for i in 0..200 {
            let share = |k: u32| 0.1 + 0.001 * ((i * 37 + k * k * 61) % 400) as f32;
            // Every fifth vertex has two joints with nearly the same weight.
            let even = 0.5 + 1e-4 * (i % 7) as f32;
            let all = if i % 5 == 0 { [0.5, even, 0.1, 0.2] } else { [0, 1, 2, 3].map(share) };
            let weights = all.map(|w| w / all.iter().sum::<f32>());
            if !(method.expects.is_steady)(&joints, &weights, BY) {
                continue;
            }
            steady += 1;
            let at = |weights: &[f32]| method.deform(&palette, &joints, weights, vertex()).vertex.position;
            for (from, to) in [(0, 1), (1, 2), (3, 0), (2, 3)] {
                let mut other = weights;
                other[from] -= BY;
                other[to] += BY;
                let off = at(&weights).distance(at(&other));
                assert!(off < 3.0 * BY * apart, "{} {weights:?}: {off} of {apart}", method.id);
            }
        }
        assert!(steady > 100, "{}: only {steady} of 200", method.id);
    }
}

/// Which rotation the others are compared with matters where some are 120° or more apart. It is that of the first slot with a weight,
/// not that of the heaviest: with ±130° on both sides of it the blend stays near it, though it weighs least.
#[test]
fn dual_quaternions_turn_the_shorter_way_from_the_first_slot_with_a_weight() {
    let turns = [0.0_f32, 130.0, -130.0].map(|degrees| Affine3A::from_rotation_z(degrees.to_radians()));
    let method = method("dual-quaternion").unwrap();
    let palette = packed(method, &turns);
    let v = Vertex { position: Vec3::X, normal: Vec3::X, tangent: Vec3::Y };
    // `Σ ŵ q` of half angles; a rotation that is more than 180° from the first one has its sign turned.
    let blended = |weights: [f32; 3], signs: [f32; 3]| {
        let sum: (f32, f32) =
            [0.0_f32, 65.0, -65.0].iter().zip(weights).zip(signs).fold((0.0, 0.0), |(c, s), ((half, w), sign)| {
                (c + sign * w * half.to_radians().cos(), s + sign * w * half.to_radians().sin())
            });
        2.0 * sum.1.atan2(sum.0)
    };
    for (slots, weights, want) in [
        ([0_u16, 1, 2], [0.2_f32, 0.5, 0.3], blended([0.2, 0.5, 0.3], [1.0, 1.0, 1.0])),
        ([1, 0, 2], [0.5, 0.2, 0.3], blended([0.2, 0.5, 0.3], [1.0, 1.0, -1.0])),
        ([2, 0, 1], [0.3, 0.2, 0.5], blended([0.2, 0.5, 0.3], [1.0, -1.0, 1.0])),
    ] {
        let moved = method.deform(&palette, &slots, &weights, v).vertex.position;
        let want = Quat::from_rotation_z(want) * Vec3::X;
        assert!(moved.distance(want) < 1e-5, "{slots:?}: {moved}, not {want}");
        // Padding is no slot.
        let padded = [slots[2], slots[0], slots[1], slots[2]];
        let moved = method.deform(&palette, &padded, &[0.0, weights[0], weights[1], weights[2]], v).vertex.position;
        assert!(moved.distance(want) < 1e-5, "{padded:?}: {moved}, not {want}");
    }
}

/// Two joints that mirror and stretch alike, turned by θ against each other: half way, the mirrored and stretched vertex is turned by θ/2
/// about its centre, however uneven the stretch is.
#[test]
fn what_both_joints_mirror_is_turned_half_way_by_methods_with_centres() {
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, -2.0, -3.0));
    let (turn, theta) = (Affine3A::from_rotation_y, FRAC_PI_2);
    let away = Affine3A::from_translation(Vec3::new(0.5, 1.0, -2.0));
    let centre = Vec3::new(0.2, 0.3, -0.4);
    for method in METHODS.iter().filter(|method| method.data.is_some_and(|source| source.label.contains("centres"))) {
        let joints = [away * mirror, away * turn(theta) * mirror];
        let input = MethodInput { vector: Some(centre.extend(1.0)), ..MethodInput::of(method) };
        let moved = method.deform_with(&input, &packed(method, &joints), (&[0, 1], &[0.5, 0.5]), vertex());
        let middle = 0.5 * (joints[0].transform_point3(centre) + joints[1].transform_point3(centre));
        let map = turn(0.5 * theta) * mirror;
        let want = middle + map.transform_vector3(vertex().position - centre);
        assert!(moved.vertex.position.distance(want) < 1e-5, "{}: {}, not {want}", method.id, moved.vertex.position);
        assert!((moved.determinant + 6.0).abs() < 1e-4, "{}: {}", method.id, moved.determinant);
    }
}

#[test]
fn the_mix_says_its_shares_and_they_add_up_to_the_position() {
    let method = method("mixed").unwrap();
    let [a, b] = [zoo()[1], zoo()[3]].map(|m| DAffine3::from_cols_array(&m.to_cols_array().map(f64::from)));
    let movers = [(0, a, 0.3), (1, b, 0.7)].map(|(joint, matrix, weight)| ExactInfluence { joint, weight, matrix });
    let v = vertex().position.as_dvec3();
    let mut input = MethodInput::of(method);
    input.values[0] = 0.2;
    let exact = (method.exact)(&movers, v, &input);
    let Readout::Terms(terms) = &exact.readout else { panic!("{:?}", exact.readout) };
    let linear = a.transform_point3(v) * 0.3 + b.transform_point3(v) * 0.7;
    assert!((terms[0].share - 0.8).abs() < 1e-6 && (terms[1].share - 0.2).abs() < 1e-6, "{terms:?}");
    assert!(terms[0].vector.distance(linear) < 1e-9 && terms[1].vector.distance(linear) > 0.1, "{terms:?}");
    let sum: DVec3 = terms.iter().map(|term| term.vector * term.share).sum();
    assert!(sum.distance(exact.map.transform_point3(v)) < 1e-9);
}

/// Of joints that hold a vertex alike, the one whose slot is stored first carries vertex and normal.
#[test]
fn of_joints_that_weigh_the_same_the_first_slot_is_the_heaviest() {
    let zoo = zoo();
    let (dominant, mode) = (method("dominant").unwrap(), normal_mode("largest-weight").unwrap());
    let NormalSource::Joints(turn) = mode.source else { panic!("{mode:?}") };
    let joints: Vec<JointNormals> = zoo.iter().map(JointNormals::of).collect();
    for (slots, weights, first) in [
        (&[3_u16, 1][..], &[0.5_f32, 0.5][..], 3),
        (&[1, 3], &[0.5, 0.5], 1),
        (&[1, 3, 6], &[0.2, 0.4, 0.4], 3),
        // The weight of a joint is the sum of its slots.
        (&[1, 3, 1], &[0.25, 0.5, 0.25], 1),
    ] {
        let want = moved_by(zoo[first], vertex());
        let moved = dominant.deform(&packed(dominant, &zoo), slots, weights, vertex()).vertex;
        assert!(close(moved, want, 5e-6), "{slots:?}: {moved:?}");
        let normal = Vec3::from(turn(&joints, (slots, weights), vertex().normal.into()).normalize());
        assert!(normal.distance(want.normal) < 1e-5, "{slots:?}: {normal}");
    }
}

#[test]
fn ids_are_distinct_and_found() {
    for (i, row) in METHODS.iter().enumerate() {
        assert!(std::ptr::eq(method(row.id).unwrap(), *row), "row {i}");
    }
    assert!(method("cubic").is_none());
}
