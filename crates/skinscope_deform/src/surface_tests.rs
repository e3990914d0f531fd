//! What every method, alone and with each pass after it, owes a whole surface.

use glam::{Affine3A, Mat3A, Quat, Vec3};
use skinscope_model::InstanceId;
use skinscope_model::test_shapes::{Tube, tube};

use super::*;

fn model() -> Model {
    tube(Tube { joints: 5, rings: 21, sides: 9, influences: 4, ..Tube::default() })
}

/// The palette where every joint is bent and twisted against the one before it, by so many radians.
fn posed(model: &Model, bend: f32) -> Vec<Affine3A> {
    let (mut pose, mut out): (Vec<Affine3A>, _) = (Vec::new(), Vec::new());
    let turn = Affine3A::from_quat(Quat::from_rotation_y(0.7 * bend) * Quat::from_rotation_x(bend));
    for (parent, local) in model.skeleton.parents.iter().zip(&model.skeleton.rest.transforms) {
        let above = parent.map_or(Affine3A::IDENTITY, |p| pose[p.index()]);
        pose.push(above * local.to_affine() * turn);
    }
    palettes(model, &pose, &mut out);
    out
}

fn surface(model: &Model, palettes: &[Affine3A], method: Deformation<'_>) -> Surface {
    Surface::of(&SurfaceInput { model, draws: &[InstanceId(0)], palettes, morph_weights: &[], method })
}

/// Each method alone, and with each pass after it.
fn all() -> Vec<(String, Deformation<'static>)> {
    let settings = ParameterSettings::default();
    let mut out = Vec::new();
    for method in METHODS {
        out.push((method.id.to_owned(), Deformation::from(*method)));
        for pass in PASSES {
            out.push((format!("{} + {}", method.id, pass.id), Deformation::from(*method).then(pass, &settings)));
        }
    }
    out
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn what_moves_all_joints_moves_every_surface_with_them() {
    let model = model();
    let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -1.0).normalize(), 2.2);
    let trs = |scale| Affine3A::from_scale_rotation_translation(scale, turn, Vec3::new(0.5, -1.0, 0.25));
    let shear = Affine3A::from_mat3(Mat3A::from_cols_array(&[1.0, 0.3, 0.0, -0.5, 1.0, 0.2, 0.1, 0.0, 0.7]).into());
    let matrices = [Affine3A::IDENTITY, trs(Vec3::ONE), trs(Vec3::splat(0.5)), trs(Vec3::new(-1.0, 1.0, 1.0))];
    for (name, method) in all() {
        let more = method.pass.is_none().then_some(trs(Vec3::ONE) * shear);
        for matrix in matrices.into_iter().chain(more) {
            let palettes = vec![matrix; model.palette_layout().len as usize];
            let surface = surface(&model, &palettes, method);
            let part = &surface.parts[0];
            let source = &surface.model(&model).meshes[0].primitives[0];
            let want: Vec<Vec3> = source.positions.iter().map(|p| matrix.transform_point3(*p)).collect();
            let off = apart(&part.deformed.positions, &want);
            assert!(off < 1e-5, "{name}, {matrix:?}: {off}");
            let side = if matrix.matrix3.determinant() < 0.0 { -1.0 } else { 1.0 };
            let carried = |n: &Vec3| (skinscope_base::math::cofactor(matrix.matrix3) * *n * side).normalize();
            let normals: Vec<Vec3> = source.normals.iter().map(carried).collect();
            let off = apart(&part.deformed.normals, &normals);
            assert!(off < 1e-3, "{name}, {matrix:?}: normals {off}");
        }
    }
}

#[test]
fn a_rigid_motion_after_any_pose_moves_the_result() {
    let model = model();
    let turn = Quat::from_axis_angle(Vec3::new(2.0, -1.0, 0.5).normalize(), 2.0);
    let motion = Affine3A::from_rotation_translation(turn, Vec3::new(-1.0, 0.4, 2.0));
    for bend in [0.2, 0.5, 0.8] {
        let palettes = posed(&model, bend);
        let moved: Vec<Affine3A> = palettes.iter().map(|m| motion * *m).collect();
        for (name, method) in all() {
            let (here, there) = (surface(&model, &palettes, method), surface(&model, &moved, method));
            let want: Vec<Vec3> =
                here.parts[0].deformed.positions.iter().map(|p| motion.transform_point3(*p)).collect();
            let off = apart(&there.parts[0].deformed.positions, &want);
            assert!(off < 2e-5, "{name} bent by {bend}: {off}");
        }
    }
}

#[test]
fn mixed_is_linear_at_one_end_and_dual_quaternion_at_the_other() {
    let model = model();
    let palettes = posed(&model, 0.5);
    let mixed = |share: f32| {
        let mut method = Deformation::from(method("mixed").unwrap());
        method.values[0] = share;
        surface(&model, &palettes, method)
    };
    for (share, id) in [(0.0, "linear"), (1.0, "dual-quaternion")] {
        let (got, want) = (mixed(share), surface(&model, &palettes, method(id).unwrap().into()));
        assert!(apart(&got.parts[0].deformed.positions, &want.parts[0].deformed.positions) < 1e-6, "{id}");
        assert!(apart(&got.parts[0].deformed.normals, &want.parts[0].deformed.normals) < 1e-5, "{id}");
    }
    let [linear, dual, part] = [0.0, 1.0, 0.3].map(|share| mixed(share).parts[0].deformed.positions.clone());
    let want: Vec<Vec3> = linear.iter().zip(&dual).map(|(a, b)| a.lerp(*b, 0.3)).collect();
    assert!(apart(&part, &want) < 1e-6 && apart(&part, &linear) > 1e-3);
}

#[test]
fn delta_mush_without_iterations_changes_nothing_and_with_them_smooths() {
    let model = model();
    let palettes = posed(&model, 0.5);
    let mush = |iterations: f32| {
        let mut method = Deformation::from(METHODS[0]).then(pass("mush").unwrap(), &ParameterSettings::default());
        method.pass.iter_mut().for_each(|applied| applied.values[0] = iterations);
        surface(&model, &palettes, method).parts[0].deformed.positions.clone()
    };
    let plain = surface(&model, &palettes, METHODS[0].into()).parts[0].deformed.positions.clone();
    assert_eq!(mush(0.0), plain);
    assert!(apart(&mush(5.0), &plain) > 1e-3);
}

#[test]
fn rigid_parts_keep_the_length_of_every_edge() {
    let model = model();
    let palettes = posed(&model, 0.5);
    let surface = surface(&model, &palettes, method("rigid").unwrap().into());
    let source = &surface.model(&model).meshes[0].primitives[0];
    let posed = &surface.parts[0].deformed.positions;
    assert!(posed.len() > model.meshes[0].primitives[0].positions.len(), "vertices stand in several places");
    for [a, b, c] in source.indices.as_chunks::<3>().0 {
        for (a, b) in [(a, b), (b, c), (c, a)] {
            let length = |list: &[Vec3]| list[*a as usize].distance(list[*b as usize]);
            assert!((length(posed) - length(&source.positions)).abs() < 1e-5);
        }
    }
    // A copy stands for the vertex that it copies.
    let first = model.meshes[0].primitives[0].positions.len();
    for vertex in first..posed.len() {
        let original = surface.original(InstanceId(0), 0, vertex);
        assert!(original < first && source.positions[original] == source.positions[vertex]);
    }
}

/// Where each vertex has one joint of weight 1, the weighted sum is that joint's matrix: all methods that follow one joint say the same,
/// to the bit, and rigid parts too wherever a triangle has one joint.
#[test]
fn with_one_joint_for_each_vertex_the_weighted_sum_is_that_joint_bit_for_bit() {
    let model = tube(Tube { joints: 5, rings: 21, sides: 9, influences: 1, ..Tube::default() });
    let palettes = posed(&model, 0.5);
    let of = |id: &str| surface(&model, &palettes, method(id).unwrap().into());
    let [linear, dominant, rigid] = ["linear", "dominant", "rigid"].map(of);
    let bits = |p: Vec3| p.to_array().map(f32::to_bits);
    let posed = &linear.parts[0].deformed.positions;
    assert_eq!(
        posed.iter().map(|p| bits(*p)).collect::<Vec<_>>(),
        dominant.parts[0].deformed.positions.iter().map(|p| bits(*p)).collect::<Vec<_>>()
    );
    let influences = model.influences(skinscope_model::MeshId(0), 0).unwrap();
    let joint = |v: u32| influences.of(v as usize).0[0];
    let stored = model.meshes[0].primitives[0].indices.as_chunks::<3>().0;
    let split = rigid.model(&model).meshes[0].primitives[0].indices.as_chunks::<3>().0;
    let mut compared = 0;
    for (there, here) in stored.iter().zip(split).filter(|(t, _)| t.iter().all(|v| joint(*v) == joint(t[0]))) {
        for (there, here) in there.iter().zip(here) {
            assert_eq!(bits(posed[*there as usize]), bits(rigid.parts[0].deformed.positions[*here as usize]));
            compared += 1;
        }
    }
    assert!(compared > 3 * stored.len() / 2, "{compared} corners of {} triangles", stored.len());
}

/// The other form of the weighted sum (Larsen et al., equations 2 and 3): each joint turns the vertex as it was seen from the joint at rest by
/// its quaternion, and adds its own position.
#[test]
fn the_sum_of_matrices_is_the_sum_of_turned_offsets() {
    let model = model();
    let (mut pose, mut palettes) = (Vec::new(), Vec::new());
    for (i, (parent, local)) in model.skeleton.parents.iter().zip(&model.skeleton.rest.transforms).enumerate() {
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 0.5 * i as f32, -0.3).normalize(), 0.4 + 0.2 * i as f32);
        let above = parent.map_or((Quat::IDENTITY, Vec3::ZERO), |p| pose[p.index()]);
        pose.push((above.0 * local.rotation * turn, above.1 + above.0 * local.translation));
    }
    let matrices: Vec<Affine3A> = pose.iter().map(|(turn, b)| Affine3A::from_rotation_translation(*turn, *b)).collect();
    super::palettes(&model, &matrices, &mut palettes);
    let posed = surface(&model, &palettes, METHODS[0].into());
    let (primitive, skin) = (&model.meshes[0].primitives[0], &model.skins[0]);
    let influences = model.influences(skinscope_model::MeshId(0), 0).unwrap();
    for (vertex, (v, got)) in primitive.positions.iter().zip(&posed.parts[0].deformed.positions).enumerate() {
        let (joints, weights) = influences.of(vertex);
        let term = |(joint, weight): (&u16, &f32)| {
            let joint = usize::from(*joint);
            let (turn, b) = pose[skin.joints[joint].index()];
            let offset = skin.inverse_bind[joint].transform_point3(*v);
            (b + turn * offset) * *weight
        };
        let want: Vec3 = joints.iter().zip(weights).map(term).sum();
        assert!(got.distance(want) < 1e-5, "vertex {vertex}: {got}, not {want}");
    }
}
