//! Tests of the mirror of poses, on the figure of three joints where it rests as it was bound.

use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope_anim::pose::{self, Axis};
use skinscope_base::math::Transform;
use skinscope_model::{Model, ModelParts, NodeId};

use super::tests::figure;
use super::*;

const ROOT: NodeId = NodeId(0);
const HIPS: NodeId = NodeId(1);
const LEFT: NodeId = NodeId(2);
const RIGHT: NodeId = NodeId(3);

pub(super) fn at(x: f32, y: f32, z: f32) -> Transform {
    Transform { translation: Vec3::new(x, y, z), ..Transform::IDENTITY }
}

/// The figure where its joints were bound, below a root that stands anywhere.
pub(super) fn standing(root: Transform) -> ModelParts {
    let mut parts = figure(Affine3A::IDENTITY);
    parts.skeleton.rest.transforms = vec![root, at(0.0, 1.0, 0.0), at(0.8, 0.2, 0.1), at(-0.8, 0.2, 0.1)];
    parts
}

fn add_node(parts: &mut ModelParts, name: &str, parent: NodeId, at: Transform) -> NodeId {
    let node = NodeId::from_index(parts.skeleton.len());
    parts.skeleton.parents.push(Some(parent));
    parts.skeleton.names.push(name.into());
    parts.skeleton.file_index.push(node.0);
    parts.skeleton.rest.transforms.push(at);
    parts.scenes[0].contains.push(true);
    node
}

fn add_joint(parts: &mut ModelParts, name: &str, bound: Vec3) {
    let node = add_node(parts, name, HIPS, Transform { translation: bound - Vec3::Y, ..Transform::IDENTITY });
    parts.skins[0].joints.push(node);
    parts.skins[0].inverse_bind.push(Affine3A::from_translation(-bound));
}

fn mirror(parts: ModelParts, axis: Option<Axis>) -> Result<pose::Mirror, NoPlane> {
    of_poses(&Model::build(parts).unwrap(), axis, Vec3::new(0.25, 0.5, 0.75))
}

/// Whether it lies across an axis at this offset and exchanges the arms alone.
fn assert_arms(mirror: &pose::Mirror, axis: Axis, offset: f64) {
    let along = mirror.normal().dot(axis.direction().as_dvec3());
    assert!(along.abs() > 1.0 - 1e-9, "{mirror:?}");
    assert!((mirror.offset() * along.signum() - offset).abs() < 1e-4, "{mirror:?}");
    assert_eq!([ROOT, HIPS, LEFT, RIGHT].map(|node| mirror.partner(node)), [ROOT, HIPS, RIGHT, LEFT]);
}

#[test]
fn the_plane_is_that_of_the_mesh_where_it_rests() {
    let lying = Quat::from_rotation_x(-1.570_796_4);
    for (root, offset) in [
        (Transform::IDENTITY, 0.0),
        (at(5.0, -3.0, 2.0), 5.0),
        (Transform { translation: Vec3::X * -2.0, rotation: lying, scale: Vec3::splat(0.01) }, -2.0),
    ] {
        for axis in [Some(Axis::X), None] {
            assert_arms(&mirror(standing(root), axis).unwrap(), Axis::X, offset);
        }
    }
}

#[test]
fn what_a_model_carries_on_one_side_does_not_move_the_plane() {
    let mut parts = standing(at(5.0, 0.0, 0.0));
    // A node far away, and vertices on one side: a third as many as all others.
    add_node(&mut parts, "target", ROOT, at(9.0, 0.0, 0.0));
    let primitive = &mut parts.meshes[0].primitives[0];
    for i in 0..14 {
        primitive.positions.push(Vec3::new(2.0 + 0.1 * i as f32, 0.3, 0.01 * (i * i) as f32));
        let influences = primitive.stored_influences.as_mut().unwrap();
        influences.joints.extend([0, 1, 0, 0]);
        influences.weights.extend([0.0, 1.0, 0.0, 0.0]);
    }
    primitive.stored_vertices += 14;
    assert_arms(&mirror(parts, Some(Axis::X)).unwrap(), Axis::X, 5.0);
}

#[test]
fn who_faces_sideways_is_mirrored_where_its_sides_lie() {
    let root = Transform { rotation: Quat::from_rotation_y(1.570_796_4), translation: Vec3::Z, ..Transform::IDENTITY };
    for axis in [Some(Axis::Z), None] {
        assert_arms(&mirror(standing(root), axis).unwrap(), Axis::Z, 1.0);
    }
    let why = mirror(standing(root), Some(Axis::X)).unwrap_err();
    assert_eq!(why, NoPlane { axis: Some(Axis::X), other: Some(Axis::Z) });
    let reported = "no plane of symmetry was found across x: neither the mesh nor its joints have a mirror image \
                (left and right lie across z)";
    assert_eq!(why.to_string(), reported);
}

#[test]
fn across_an_axis_without_left_and_right_each_node_is_its_own_about_the_middle() {
    for (axis, offset) in [(Axis::Y, 0.5), (Axis::Z, 0.75)] {
        let mirror = mirror(standing(Transform::IDENTITY), Some(axis)).unwrap();
        assert!((mirror.offset() - offset).abs() < 1e-6 && !mirror.has_pairs(), "{mirror:?}");
        assert_eq!(mirror.normal(), axis.direction().as_dvec3());
    }
}

/// Takes the symmetry of the mesh away.
fn bend(parts: &mut ModelParts) {
    for (i, position) in parts.meshes[0].primitives[0].positions.iter_mut().enumerate() {
        *position += Vec3::new(0.031, 0.017, 0.023) * (i as f32 * 2.7).sin();
    }
}

#[test]
fn a_mesh_without_a_plane_takes_that_of_its_joints_and_without_one_it_is_refused() {
    let mut parts = standing(at(5.0, 0.0, 0.0));
    bend(&mut parts);
    for axis in [Some(Axis::X), None] {
        assert_arms(&mirror(parts.clone(), axis).unwrap(), Axis::X, 5.0);
    }
    parts.skeleton.rest.transforms[2].translation = Vec3::new(0.3, 0.7, -0.6);
    parts.skeleton.rest.transforms[1].translation.z = 0.4;
    for axis in [Some(Axis::X), None] {
        assert_eq!(mirror(parts.clone(), axis).unwrap_err(), NoPlane { axis, other: None });
    }
    // A model without skins has nothing but its nodes.
    parts = standing(at(5.0, 0.0, 0.0));
    parts.skins.clear();
    parts.instances.iter_mut().for_each(|instance| instance.skin = None);
    parts.meshes[0].primitives[0].stored_influences = None;
    assert_arms(&mirror(parts, Some(Axis::X)).unwrap(), Axis::X, 5.0);
}

#[test]
fn joints_that_all_stand_beside_the_plane_of_the_mesh_are_mirrored_about_their_own() {
    // As CesiumMan's, whose arms are numbered the other way round on each side.
    let mut parts = standing(at(5.0, 0.0, 0.0));
    for (node, name) in [(2, "arm_L__4_"), (3, "arm_R")] {
        parts.skeleton.names[node] = name.into();
    }
    add_joint(&mut parts, "leg.L", Vec3::new(0.3, 0.5, 0.0));
    add_joint(&mut parts, "leg.R", Vec3::new(-0.3, 0.5, 0.0));
    let aside = Affine3A::from_translation(Vec3::X * 0.012);
    parts.skins[0].inverse_bind.iter_mut().for_each(|bind| *bind *= aside.inverse());
    parts.skeleton.rest.transforms[1].translation.x += 0.012;
    assert_arms(&mirror(parts, Some(Axis::X)).unwrap(), Axis::X, 5.012);
}

#[test]
fn two_figures_beside_each_other_are_exchanged() {
    let mut parts = standing(at(5.0, 0.0, 0.0));
    let other = standing(at(-5.0, 0.0, 0.0));
    for (i, transform) in other.skeleton.rest.transforms.into_iter().enumerate() {
        let parent = other.skeleton.parents[i].map(|parent| NodeId(parent.0 + 4));
        parts.skeleton.parents.push(parent);
        parts.skeleton.names.push(other.skeleton.names[i].clone());
        parts.skeleton.file_index.push(4 + i as u32);
        parts.skeleton.rest.transforms.push(transform);
        parts.scenes[0].contains.push(true);
    }
    parts.scenes[0].roots.push(NodeId(4));
    let mut skin = parts.skins[0].clone();
    skin.joints.iter_mut().for_each(|joint| joint.0 += 4);
    parts.skins.push(skin);
    parts.meshes.push(parts.meshes[0].clone());
    parts.instances.push(skinscope_model::Instance {
        mesh: skinscope_model::MeshId(1),
        skin: Some(skinscope_model::SkinId(1)),
        ..parts.instances[0].clone()
    });
    let mirror = mirror(parts, Some(Axis::X)).unwrap();
    assert!(mirror.offset().abs() < 1e-6, "{mirror:?}");
    assert_eq!([1, 2, 3].map(|node| mirror.partner(NodeId(node))), [5, 7, 6].map(NodeId));
}

#[test]
fn nodes_that_are_no_joints_are_paired_by_name_and_position_where_they_rest() {
    let mut parts = standing(at(5.0, 0.0, 0.0));
    let by_position = [0.7, -0.7].map(|x| add_node(&mut parts, &format!("p{}", x > 0.0), HIPS, at(x, 0.4, 0.3)));
    let alone = add_node(&mut parts, "pouch", HIPS, at(0.4, -0.3, 0.0));
    let by_name =
        [("hold.L", 0.5), ("hold.R", -0.52)].map(|(name, x)| add_node(&mut parts, name, ROOT, at(x, 0.2, 0.0)));
    let mirror = mirror(parts, Some(Axis::X)).unwrap();
    assert_arms(&mirror, Axis::X, 5.0);
    for [a, b] in [by_name, by_position] {
        assert_eq!([a, b].map(|node| mirror.partner(node)), [b, a]);
    }
    assert_eq!(mirror.partner(alone), alone);
}

#[test]
fn joints_that_rest_otherwise_than_they_were_bound_have_the_partners_of_the_mesh() {
    let mut parts = standing(at(5.0, 0.0, 0.0));
    // One arm hangs, the other is raised, and the hips lean.
    parts.skeleton.rest.transforms[1].rotation = Quat::from_rotation_y(0.2);
    parts.skeleton.rest.transforms[2].translation = Vec3::new(0.4, -0.5, 0.3);
    parts.skeleton.rest.transforms[3].translation = Vec3::new(-0.6, 0.6, -0.2);
    let mirror = mirror(parts, Some(Axis::X)).unwrap();
    assert_eq!(mirror.normal(), DVec3::X);
    assert!((mirror.offset() - 5.0).abs() < 0.3, "{mirror:?}");
    assert_eq!([HIPS, LEFT, RIGHT].map(|node| mirror.partner(node)), [HIPS, RIGHT, LEFT]);
}
