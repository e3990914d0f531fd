//! Tests of how the plane of symmetry is chosen, and of meshes that are stored in several spaces, on the figure of three joints.

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::pose::Axis;
use skinscope_base::math::{Aabb, Transform};
use skinscope_model::{Influences, Instance, Mesh, MeshId, ModelParts, NodeId, SkinId};

use super::tests::{figure, halves, plant};
use super::*;

fn influences(parts: &mut ModelParts) -> &mut Influences {
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap()
}

/// Adds a joint below the hips, with no vertex that follows it; returns its index in the skin.
fn add_joint(parts: &mut ModelParts, name: &str, bound: Vec3) -> u16 {
    let node = NodeId::from_index(parts.skeleton.len());
    parts.skeleton.parents.push(Some(NodeId(1)));
    parts.skeleton.names.push(name.into());
    parts.skeleton.file_index.push(node.0);
    parts.skeleton.rest.transforms.push(Transform::IDENTITY);
    parts.scenes[0].contains.push(true);
    parts.skins[0].joints.push(node);
    parts.skins[0].inverse_bind.push(Affine3A::from_translation(-bound));
    (parts.skins[0].joints.len() - 1) as u16
}

/// Adds a vertex that has weight `t` of a joint and the rest of the hips.
fn add_vertex(parts: &mut ModelParts, at: Vec3, joint: u16, t: f32) {
    influences(parts).joints.extend([0, joint, 0, 0]);
    influences(parts).weights.extend([1.0 - t, t, 0.0, 0.0]);
    let primitive = &mut parts.meshes[0].primitives[0];
    primitive.positions.push(at);
    primitive.stored_vertices += 1;
}

/// Returns how much each vertex of the first mesh differs from its mirror image, in tenths.
fn tenths(parts: ModelParts) -> Vec<f32> {
    let model = Model::build(parts).unwrap();
    let all = differences(&model, &AtomicBool::new(false));
    all.of(MeshId(0), 0).iter().map(|difference| (difference * 10.0).round()).collect()
}

fn mirrored(parts: ModelParts) -> Mirrored {
    let (mut found, without) = Mirrored::all(&Model::build(parts).unwrap(), Axis::X);
    assert_eq!((found.len(), without.len()), (1, 0));
    found.remove(0)
}

#[test]
fn the_plane_is_halfway_between_points_where_nothing_else_says_where_it_is() {
    let middle = Vec3::new(7.0, 5.0, -3.0);
    let mut parts = figure(Affine3A::from_translation(middle));
    parts.skeleton.names = ["root", "hips", "a", "b"].map(String::from).to_vec();
    // A load with a joint of its own hangs on one side, so that the plane is neither in the middle of the points nor of the joints.
    let load = add_joint(&mut parts, "c", middle + Vec3::new(2.5, 1.0, 0.5));
    for i in 0..12 {
        let i = i as f32;
        add_vertex(&mut parts, middle + Vec3::new(2.0 + 0.05 * i, 0.9 + 0.1 * (i * 1.7).sin(), 0.11 * i), load, 1.0);
    }
    let plane = mirrored(parts).plane();
    assert!((plane.offset - middle.x).abs() < 1e-3, "{plane:?}");
}

#[test]
fn joints_that_move_nothing_do_not_say_whether_a_body_has_sides() {
    let mut parts = figure(Affine3A::IDENTITY);
    for i in 0..4 {
        add_joint(&mut parts, &format!("target {i}"), Vec3::new(0.7 + 0.2 * i as f32, 0.3, 0.4));
    }
    plant(&mut parts, 9, 0.3);
    let wanted: Vec<f32> = (0..42).map(|v| if v == 8 || v == 9 { 3.0 } else { 0.0 }).collect();
    assert_eq!(tenths(parts), wanted);
}

/// A plane that is a little off still finds an image for every point.
#[test]
fn of_planes_with_as_many_images_the_one_with_nearer_images_is_taken() {
    let aside = 8e-4;
    let plane = mirrored(figure(Affine3A::from_translation(Vec3::X * aside))).plane();
    assert!((plane.offset - aside).abs() < 1e-4, "{plane:?}");
}

#[test]
fn of_several_copies_that_fit_better_the_best_one_counts() {
    let mut parts = figure(Affine3A::IDENTITY);
    let at = parts.meshes[0].primitives[0].positions[9];
    plant(&mut parts, 9, 0.3);
    add_vertex(&mut parts, at, 2, 0.7);
    add_vertex(&mut parts, at, 2, 0.8);
    let wanted: Vec<f32> = (0..44).map(|v| if [8, 9, 42, 43].contains(&v) { 1.0 } else { 0.0 }).collect();
    assert_eq!(tenths(parts), wanted);
}

#[test]
fn images_rise_wherever_the_vertices_at_one_position_lie() {
    let mut parts = figure(Affine3A::IDENTITY);
    // Two vertices for an image at each of many heights, the upper one first: some are found in different cells of a grid.
    let (bounds, size) = {
        let bounds = Aabb::around_mass(&parts.meshes[0].primitives[0].positions);
        (bounds, bounds.diagonal())
    };
    let cell = 2.0 * size * POINT_REACH;
    for i in 1..20 {
        let at = |side: f32, above: f32| {
            Vec3::new(0.7 * side, 0.5 + 0.03 * i as f32, bounds.min.z + 4.0 * cell * i as f32 + above * size)
        };
        add_vertex(&mut parts, at(1.0, 0.0), 1, 0.7);
        add_vertex(&mut parts, at(-1.0, 5e-6), 2, 0.7);
        add_vertex(&mut parts, at(-1.0, -5e-6), 2, 0.7);
    }
    let mut several = 0;
    mirrored(parts).each_image(|vertex, images| {
        assert!(images.is_sorted(), "{vertex}: {images:?}");
        several += usize::from(images.len() > 1);
    });
    assert_eq!(several, 19);
}

/// Moves the positions of a mesh, and with them the joints that a skin binds there.
fn stored(parts: &mut ModelParts, mesh: usize, skin: usize, stored_from_mesh: Affine3A) {
    for position in &mut parts.meshes[mesh].primitives[0].positions {
        *position = stored_from_mesh.transform_point3(*position);
    }
    parts.skins[skin].inverse_bind.iter_mut().for_each(|bind| *bind *= stored_from_mesh.inverse());
}

#[test]
fn the_plane_of_a_mesh_that_is_stored_turned_lies_across_another_axis_there() {
    let mut parts = figure(Affine3A::IDENTITY);
    let whole = parts.meshes[0].primitives[0].clone();
    parts.meshes = halves(&whole);
    parts.skins.push(parts.skins[0].clone());
    parts.instances.push(Instance { mesh: MeshId(1), skin: Some(SkinId(1)), ..Instance::default() });
    // X becomes Y there, and Y becomes Z.
    let turn = Quat::from_axis_angle(Vec3::ONE.normalize(), std::f32::consts::TAU / 3.0);
    let shift = Vec3::new(5.0, 7.0, 9.0);
    stored(&mut parts, 1, 1, Affine3A::from_scale_rotation_translation(Vec3::splat(10.0), turn, shift));
    let found = mirrored(parts);
    let plane = found.parts()[1].in_mesh(found.plane());
    assert!(plane.normal == Vec3::Y && (plane.offset - 7.0).abs() < 1e-3, "{plane:?}");
}

/// Makes a mesh and a skin of some vertices of the figure, whose joints are the hips and one arm.
fn add_part(parts: &mut ModelParts, whole: &Mesh, vertices: &[usize], arm: usize) {
    let mut primitive = whole.primitives[0].clone();
    primitive.positions = vertices.iter().map(|v| whole.primitives[0].positions[*v]).collect();
    primitive.stored_vertices = vertices.len();
    let all = whole.primitives[0].stored_influences.clone().unwrap();
    let own = primitive.stored_influences.as_mut().unwrap();
    own.joints = vertices.iter().flat_map(|_| [0, 1, 0, 0]).collect();
    own.weights = vertices.iter().flat_map(|v| all.of(*v).1.to_vec()).collect();
    let mut skin = parts.skins[0].clone();
    skin.joints = [0, arm].map(|j| parts.skins[0].joints[j]).to_vec();
    skin.inverse_bind = [0, arm].map(|j| parts.skins[0].inverse_bind[j]).to_vec();
    let (mesh, id) = (MeshId::from_index(parts.meshes.len()), SkinId::from_index(parts.skins.len()));
    parts.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    parts.instances.push(Instance { mesh, skin: Some(id), ..Instance::default() });
    parts.skins.push(skin);
}

#[test]
fn a_joint_that_was_met_in_a_mesh_of_another_space_is_known_in_that_of_the_body() {
    let mut parts = figure(Affine3A::IDENTITY);
    let whole = parts.meshes.remove(0);
    parts.instances.clear();
    let left: Vec<usize> = (0..42).filter(|v| v % 2 == 0 || *v >= 36).collect();
    let right: Vec<usize> = (0..36).filter(|v| v % 2 == 1).collect();
    add_part(&mut parts, &whole, &left, 1);
    // The right arm is met first where the mesh is stored as other numbers, and again where it is not.
    add_part(&mut parts, &whole, &right[..9], 2);
    add_part(&mut parts, &whole, &right[9..], 2);
    parts.skins.remove(0);
    for (i, instance) in parts.instances.iter_mut().enumerate() {
        instance.skin = Some(SkinId::from_index(i));
    }
    let other = Affine3A::from_scale_rotation_translation(Vec3::splat(1000.0), Quat::IDENTITY, Vec3::splat(77.0));
    stored(&mut parts, 1, 1, other);
    let found = mirrored(parts);
    assert_eq!(found.parts().len(), 3);
    assert_eq!([1, 2, 3].map(|node| found.partner(NodeId(node))), [1, 3, 2].map(|node| Some(NodeId(node))));
}
