//! Tests of where the plane lies about which poses are mirrored, on the figure of three joints.

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::pose::{self, Axis};
use skinscope_base::math::Transform;
use skinscope_model::{Model, ModelParts, NodeId};

use super::of_poses;
use super::pose_tests::{at, standing};
use super::tests::figure;

fn mirror(parts: ModelParts, axis: Option<Axis>) -> pose::Mirror {
    of_poses(&Model::build(parts).unwrap(), axis, Vec3::ZERO).unwrap()
}

#[test]
fn the_plane_of_a_figure_that_faces_aside_turns_with_it() {
    let turn = Quat::from_rotation_y(0.5);
    let mirror = mirror(standing(Transform { rotation: turn, ..at(3.0, 0.0, 1.0) }), None);
    let normal = (turn * Vec3::X).as_dvec3();
    let along = mirror.normal().dot(normal);
    assert!(along.abs() > 1.0 - 1e-6, "{mirror:?}");
    let offset = normal.dot(Vec3::new(3.0, 0.0, 1.0).as_dvec3());
    assert!((mirror.offset() * along.signum() - offset).abs() < 1e-4, "{mirror:?}");
}

#[test]
fn a_body_without_sides_that_many_planes_mirror_is_mirrored_across_the_first_axis() {
    let mut parts = standing(Transform::IDENTITY);
    parts.skeleton.names = ["root", "hips", "a", "b"].map(String::from).to_vec();
    // A lattice, whose joints all stand in its middle.
    let primitive = &mut parts.meshes[0].primitives[0];
    let corner = |i: usize| Vec3::new((i % 3) as f32 - 1.0, (i / 3 % 3) as f32, (i / 9) as f32 - 1.0);
    primitive.positions = (0..27).map(corner).collect();
    primitive.stored_vertices = 27;
    let influences = primitive.stored_influences.as_mut().unwrap();
    influences.joints.truncate(27 * 4);
    influences.weights.truncate(27 * 4);
    parts.skins[0].inverse_bind.iter_mut().for_each(|bind| *bind = Affine3A::from_translation(Vec3::NEG_Y));
    parts.skeleton.rest.transforms[2..].iter_mut().for_each(|transform| *transform = Transform::IDENTITY);
    assert_eq!(mirror(parts, None).normal().abs(), Axis::X.direction().as_dvec3());
}

/// What only stands in the scene moves the middle of all nodes, and not the plane between the joints.
#[test]
fn of_planes_that_pair_as_many_joints_the_one_in_their_middle_is_taken() {
    let mut parts = standing(at(0.01, 0.0, 0.0));
    for (i, position) in parts.meshes[0].primitives[0].positions.iter_mut().enumerate() {
        // The mesh has no plane of its own.
        *position += Vec3::new(0.031, 0.017, 0.023) * (i as f32 * 2.7).sin();
    }
    parts.skeleton.parents.push(Some(NodeId(0)));
    parts.skeleton.names.push("target".into());
    parts.skeleton.file_index.push(4);
    parts.skeleton.rest.transforms.push(at(0.82, 0.5, 0.0));
    parts.scenes[0].contains.push(true);
    for axis in [Some(Axis::X), None] {
        let mirror = mirror(parts.clone(), axis);
        assert!((mirror.offset() - 0.01).abs() < 1e-4 && mirror.has_pairs(), "{axis:?}: {mirror:?}");
    }
}

/// CesiumMan is such a figure: most of its vertices are those of the head, and its joints stand a little beside its middle.
#[test]
fn a_head_with_most_of_the_vertices_does_not_say_where_the_plane_is() {
    let (turn, aside) = (Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), Vec3::X * 0.02);
    let world = Affine3A::from_quat(turn);
    let mut parts = figure(world);
    parts.skeleton.rest.transforms =
        standing(Transform { rotation: turn, ..Transform::IDENTITY }).skeleton.rest.transforms;
    parts.skeleton.rest.transforms[1].translation += aside;
    let moved = Affine3A::from_quat(turn) * Affine3A::from_translation(-aside) * Affine3A::from_quat(turn.inverse());
    parts.skins[0].inverse_bind.iter_mut().for_each(|bind| *bind *= moved);
    let primitive = &mut parts.meshes[0].primitives[0];
    let influences = primitive.stored_influences.as_mut().unwrap();
    for i in 0..100 {
        let across = [-0.2, -0.1, 0.1, 0.2][i % 4];
        let front = [-0.31, -0.15, 0.0, 0.15, 0.31][i / 4 % 5];
        let up = (i / 20) as f32;
        primitive.positions.push(world.transform_point3(Vec3::new(across, 2.0 + 0.03 * up * up, 0.2 + front)));
        influences.joints.extend([0; 4]);
        influences.weights.extend([1.0, 0.0, 0.0, 0.0]);
    }
    primitive.stored_vertices = primitive.positions.len();
    let mirror = mirror(parts, None);
    assert!(mirror.normal().abs().z > 1.0 - 1e-6, "{mirror:?}");
    assert_eq!(mirror.partner(NodeId(2)), NodeId(3), "{mirror:?}");
}
