//! Tests on a figure of three joints and 42 points, mirrored by hand, with changes.

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::pose::Axis;
use skinscope_base::math::Transform;
use skinscope_model::{
    Influences, Instance, LocalPose, Mesh, MeshId, ModelParts, NodeId, Primitive, Scene, Skeleton, Skin, SkinId,
    Topology,
};

use super::*;

/// The x of points on the left side; the right side mirrors them.
const ACROSS: [f32; 4] = [0.0, 0.4, 0.9, 1.4];
/// The y and z of points: no other plane mirrors them.
const SECTION: [[f32; 2]; 6] = [[0.0, 0.0], [0.3, 0.1], [0.7, -0.2], [1.1, 0.05], [1.2, 0.4], [1.9, 0.3]];

/// Points in the order left, right, left, right, …, and on the plane last.
///
/// ```text
/// root (0) ── hips (1) ─┬─ arm.L (2) at +x
///                       └─ arm.R (3) at −x
/// ```
/// A point has weight `t = min(|x|, 1)` of the arm on its side and `1 − t` of the hips; all are seen through `world`.
pub(crate) fn figure(world: Affine3A) -> ModelParts {
    let joints = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.8, 1.2, 0.1), Vec3::new(-0.8, 1.2, 0.1)];
    let mut primitive = Primitive { topology: Topology::Points, ..Primitive::default() };
    let mut influences = Influences { per_vertex: 4, ..Influences::default() };
    let mut add = |x: f32, [y, z]: [f32; 2]| {
        primitive.positions.push(world.transform_point3(Vec3::new(x, y, z)));
        let t = x.abs().min(1.0);
        influences.joints.extend([0, if x > 0.0 { 1 } else { 2 }, 0, 0]);
        influences.weights.extend([1.0 - t, t, 0.0, 0.0]);
    };
    for section in SECTION {
        ACROSS[1..].iter().for_each(|x| [1.0, -1.0].into_iter().for_each(|side| add(side * x, section)));
    }
    SECTION.into_iter().for_each(|section| add(0.0, section));
    primitive.stored_vertices = primitive.positions.len();
    primitive.stored_influences = Some(influences);
    let bound = |p: Vec3| (world * Affine3A::from_translation(p)).inverse();
    let transforms = vec![Transform::IDENTITY; 4];
    ModelParts {
        skeleton: Skeleton {
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1)), Some(NodeId(1))],
            names: ["root", "hips", "arm.L", "arm.R"].map(String::from).to_vec(),
            file_index: vec![0, 1, 2, 3],
            rest: LocalPose { transforms, ..LocalPose::default() },
            residuals: Vec::new(),
            far: None,
        },
        scenes: vec![Scene { roots: vec![NodeId(0)], contains: vec![true; 4], ..Scene::default() }],
        skins: vec![Skin {
            joints: (1..4).map(NodeId).collect(),
            inverse_bind: joints.map(bound).to_vec(),
            ..Skin::default()
        }],
        meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
        instances: vec![Instance { skin: Some(SkinId(0)), ..Instance::default() }],
        ..ModelParts::default()
    }
}

fn influences(p: &mut ModelParts) -> &mut Influences {
    p.meshes[0].primitives[0].stored_influences.as_mut().unwrap()
}

/// Moves `amount` of the arm's weight of a vertex to the hips.
pub(crate) fn plant(p: &mut ModelParts, vertex: usize, amount: f32) {
    let weights = &mut influences(p).weights[vertex * 4..];
    weights[0] += amount;
    weights[1] -= amount;
}

fn values(p: ModelParts) -> Vec<f32> {
    let model = Model::build(p).unwrap();
    differences(&model, &AtomicBool::new(false)).of(MeshId(0), 0).to_vec()
}

/// Returns the vertices that differ by more than 1e-4, with the difference.
fn differing(p: ModelParts) -> Vec<(usize, f32)> {
    let out = values(p).into_iter().enumerate().filter(|(_, d)| *d > 1e-4);
    out.map(|(v, d)| (v, (d * 1e4).round() / 1e4)).collect()
}

fn worlds() -> [Affine3A; 4] {
    let slanted = Quat::from_euler(glam::EulerRot::XYZ, 0.3, 0.5, -0.2);
    [
        Affine3A::IDENTITY,
        Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.01),
            Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
            Vec3::splat(3.0),
        ),
        Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_2) * Affine3A::from_scale(Vec3::splat(100.0)),
        Affine3A::from_scale_rotation_translation(Vec3::splat(2.0), slanted, Vec3::new(5.0, -3.0, 1.0)),
    ]
}

#[test]
fn a_mirrored_figure_has_no_differences_however_it_stands() {
    for (i, world) in worlds().into_iter().enumerate() {
        let model = Model::build(figure(world)).unwrap();
        let found = comparisons(&model, &AtomicBool::new(false));
        assert_eq!(found.len(), 1, "world {i}");
        // The plane is where the figure's x is 0.
        let (normal, plane) = (world.transform_vector3(Vec3::X).normalize(), found[0].plane);
        assert!(plane.normal.dot(normal).abs() > 0.9999, "world {i}: {plane:?}");
        let size = world.transform_vector3(Vec3::X).length();
        assert!(
            (plane.normal.dot(world.translation.into()) - plane.offset).abs() < 1e-3 * size,
            "world {i}: {plane:?}"
        );
        assert!(differing(figure(world)).is_empty(), "world {i}");
    }
}

#[test]
fn a_planted_difference_is_found_on_both_sides() {
    for world in worlds() {
        let mut p = figure(world);
        plant(&mut p, 9, 0.3);
        assert_eq!(differing(p), [(8, 0.3), (9, 0.3)]);
    }
}

/// A vertex without a mirror image is not the same as one that is equal to its image.
#[test]
fn vertices_without_a_mirror_image_are_not_judged() {
    let not_judged = |p: ModelParts| -> Vec<usize> {
        values(p).into_iter().enumerate().filter(|(_, d)| *d == NO_IMAGE).map(|(v, _)| v).collect()
    };
    assert!(not_judged(figure(Affine3A::IDENTITY)).is_empty());
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 20, 0.3);
    p.meshes[0].primitives[0].positions[9].y += 0.5;
    assert_eq!(not_judged(p.clone()), [8, 9]);
    assert_eq!(differing(p.clone()), [(20, 0.3), (21, 0.3)]);
    // No vertex of a body without left and right is judged either.
    p.skins[0].inverse_bind[2].translation.x += 0.3;
    assert_eq!(not_judged(p.clone()), [8, 9]);
    assert!(values(p).into_iter().all(|d| d == NO_PARTNER || d == NO_IMAGE));
}

/// The figure as halves of the body in the space of one mesh, with other numbers in the file.
fn stored_otherwise(p: &mut ModelParts, stored_from_mesh: Affine3A) {
    for position in &mut p.meshes[0].primitives[0].positions {
        *position = stored_from_mesh.transform_point3(*position).round();
    }
    for bind in &mut p.skins[0].inverse_bind {
        *bind *= stored_from_mesh.inverse();
    }
}

#[test]
fn the_plane_follows_what_the_positions_are_stored_as() {
    // Unsigned integers, as gltfpack writes them: no vertex lies at 0, and the middle of x is at 8191.5.
    let stored = Affine3A::from_scale_rotation_translation(
        Vec3::splat(8191.5 / 1.4),
        Quat::IDENTITY,
        Vec3::new(8191.5, 0.0, 2000.0),
    );
    let mut p = figure(Affine3A::IDENTITY);
    stored_otherwise(&mut p, stored);
    plant(&mut p, 9, 0.3);
    let model = Model::build(p).unwrap();
    let (found, without) = Mirrored::all(&model, Axis::X);
    assert_eq!((found.len(), without.len()), (1, 0));
    assert!((found[0].plane().offset - 8191.5).abs() < 1.0, "{:?}", found[0].plane());
    assert_eq!([1, 2, 3].map(|n| found[0].partner(NodeId(n))), [1, 3, 2].map(|n| Some(NodeId(n))));
    for axis in [Axis::Y, Axis::Z] {
        let (found, without) = Mirrored::all(&model, axis);
        let share = without[0].nearest.unwrap().share;
        assert!(found.is_empty() && share < 0.6, "{axis:?}: {share}");
    }
}

#[test]
fn the_plane_is_found_beside_what_hangs_on_one_side_and_across_every_axis() {
    let turns =
        [Quat::IDENTITY, Quat::from_rotation_z(std::f32::consts::FRAC_PI_2), Quat::from_rotation_y(-1.570_796_4)];
    for (turn, axis) in turns.into_iter().zip(Axis::ALL) {
        // Nothing is at 0, names tell nothing, and a load of points and joints hangs on one side.
        let world = Affine3A::from_rotation_translation(turn, Vec3::new(7.0, 5.0, -3.0));
        let mut p = figure(world);
        p.skeleton.names = ["root", "hips", "a", "b"].map(String::from).to_vec();
        for i in 0..12 {
            let primitive = &mut p.meshes[0].primitives[0];
            let i = i as f32;
            primitive.positions.push(world.transform_point3(Vec3::new(
                2.0 + 0.05 * i,
                0.9 + 0.1 * (i * 1.7).sin(),
                0.11 * i,
            )));
            let influences = primitive.stored_influences.as_mut().unwrap();
            influences.joints.extend([1, 0, 0, 0]);
            influences.weights.extend([1.0, 0.0, 0.0, 0.0]);
            primitive.stored_vertices += 1;
        }
        let model = Model::build(p).unwrap();
        let (found, _) = Mirrored::all(&model, axis);
        let plane = found[0].plane();
        let middle = axis.direction().dot(Vec3::new(7.0, 5.0, -3.0));
        assert!((plane.offset - middle).abs() < 1e-3, "{axis:?}: {plane:?}, not {middle}");
        assert_eq!(found[0].partner(NodeId(2)), Some(NodeId(3)), "{axis:?}");
    }
}

/// Returns a mesh of the left side and the plane of [`figure`], and one of the right side.
pub(crate) fn halves(whole: &Primitive) -> Vec<Mesh> {
    let part = |keep: &dyn Fn(usize) -> bool| {
        let retained: Vec<usize> = (0..whole.stored_vertices).filter(|v| keep(*v)).collect();
        let mut out = whole.clone();
        out.positions = retained.iter().map(|v| whole.positions[*v]).collect();
        let (all, i) = (whole.stored_influences.as_ref().unwrap(), out.stored_influences.as_mut().unwrap());
        i.joints = retained.iter().flat_map(|v| all.of(*v).0.to_vec()).collect();
        i.weights = retained.iter().flat_map(|v| all.of(*v).1.to_vec()).collect();
        out.stored_vertices = retained.len();
        Mesh { primitives: vec![out], ..Mesh::default() }
    };
    vec![part(&|v| v % 2 == 0 || v >= 36), part(&|v| v % 2 == 1 && v < 36)]
}

/// The right side is a mesh of its own, stored as other numbers, with a skin of its own.
#[test]
fn meshes_that_are_stored_in_other_spaces_are_one_body() {
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 9, 0.3);
    let whole = p.meshes[0].primitives[0].clone();
    p.meshes = halves(&whole);
    let stored = Affine3A::from_scale_rotation_translation(Vec3::splat(1000.0), Quat::IDENTITY, Vec3::splat(77.0));
    p.skins.push(p.skins[0].clone());
    p.skins[1].inverse_bind.iter_mut().for_each(|bind| *bind *= stored.inverse());
    for position in &mut p.meshes[1].primitives[0].positions {
        *position = stored.transform_point3(*position);
    }
    p.instances.push(Instance { mesh: MeshId(1), skin: Some(SkinId(1)), ..Instance::default() });
    let model = Model::build(p).unwrap();
    let differences = differences(&model, &AtomicBool::new(false));
    let of = |mesh: u32| differences.of(MeshId(mesh), 0).iter().map(|d| (d * 10.0).round()).collect::<Vec<f32>>();
    let wanted = |len: usize| (0..len).map(|v| if v == 4 { 3.0 } else { 0.0 }).collect::<Vec<f32>>();
    assert_eq!((of(0), of(1)), (wanted(24), wanted(18)));
    let (found, _) = Mirrored::all(&model, Axis::X);
    let planes: Vec<f32> = found[0].parts().iter().map(|part| part.in_mesh(found[0].plane()).offset).collect();
    assert!((planes[0]).abs() < 1e-4 && (planes[1] - 77.0).abs() < 1e-2, "{planes:?}");
}

#[test]
fn a_body_without_left_and_right_joints_has_mirror_images_and_no_partners() {
    let mut p = figure(Affine3A::IDENTITY);
    p.skeleton.names = ["root", "hips", "a", "b"].map(String::from).to_vec();
    for j in [1, 2] {
        p.skins[0].inverse_bind[j] = Affine3A::from_translation(Vec3::NEG_Y * 1.2);
    }
    assert!(values(p.clone()).into_iter().all(|d| d == NO_PARTNER));
    assert_eq!(why_not_judged(NO_PARTNER), Some("no partner joint"));
    // The shape is the same on both sides all the same, and a tool may mirror it.
    let model = Model::build(p).unwrap();
    let (found, _) = Mirrored::all(&model, Axis::X);
    assert_eq!(found[0].partner(NodeId(2)), Some(NodeId(2)));
}

#[test]
fn a_vertex_on_the_plane_is_its_own_image() {
    let mut p = figure(Affine3A::IDENTITY);
    // The vertex has 0.1 of arm.L and its image 0.3 of arm.R.
    let v = 36 + 2;
    influences(&mut p).joints[v * 4..v * 4 + 4].copy_from_slice(&[0, 1, 2, 0]);
    influences(&mut p).weights[v * 4..v * 4 + 4].copy_from_slice(&[0.6, 0.1, 0.3, 0.0]);
    assert_eq!(differing(p), [(v, 0.2)]);
}

#[test]
fn positions_count_where_names_are_missing_or_wrong() {
    for names in [["a", "b", "c", "d"], ["root", "hips", "arm.L", "hand.R"], ["root", "x.L", "arm.L", "x.R"]] {
        let mut p = figure(Affine3A::IDENTITY);
        p.skeleton.names = names.map(String::from).to_vec();
        plant(&mut p, 9, 0.3);
        assert_eq!(differing(p), [(8, 0.3), (9, 0.3)], "{names:?}");
    }
}

#[test]
fn names_distinguish_joints_at_one_position() {
    // A twist joint at the position of each arm takes over half of the weight, listed in another order on either side.
    let twisted = |names: [&str; 2]| {
        let mut p = figure(Affine3A::IDENTITY);
        for (node, name) in [(4, names[0]), (5, names[1])] {
            p.skeleton.parents.push(Some(NodeId(1)));
            p.skeleton.names.push(name.into());
            p.skeleton.file_index.push(node);
            p.skeleton.rest.transforms.push(Transform::IDENTITY);
        }
        p.scenes[0].contains = vec![true; 6];
        // Joints 3 and 4 of the skin: the twist of the right arm first.
        p.skins[0].joints.extend([NodeId(5), NodeId(4)]);
        let [left, right] = [p.skins[0].inverse_bind[1], p.skins[0].inverse_bind[2]];
        p.skins[0].inverse_bind.extend([right, left]);
        for vertex in 0..36 {
            let i = influences(&mut p);
            let t = i.weights[vertex * 4 + 1];
            i.joints[vertex * 4 + 2] = if vertex % 2 == 0 { 4 } else { 3 };
            i.weights[vertex * 4 + 1] = t * 0.7;
            i.weights[vertex * 4 + 2] = t * 0.3;
        }
        p
    };
    assert!(differing(twisted(["twist.L", "twist.R"])).is_empty());
    // The wrong names would pair each twist with itself on the other side: positions still find the arm's partner, not
    // its own.
    let mut p = twisted(["twist.L", "twist.R"]);
    influences(&mut p).weights[9 * 4] += 0.1;
    influences(&mut p).weights[9 * 4 + 2] -= 0.1;
    assert_eq!(differing(p), [(8, 0.1), (9, 0.1)]);
}

#[test]
fn of_vertices_at_one_position_the_best_one_is_the_image() {
    let mut p = figure(Affine3A::IDENTITY);
    // Another shell at vertex 8 (left) with other weights, and its own mirror image at vertex 9 (right), listed before.
    let primitive = &mut p.meshes[0].primitives[0];
    for (vertex, joint) in [(9, 2), (8, 1)] {
        primitive.positions.push(primitive.positions[vertex]);
        let i = primitive.stored_influences.as_mut().unwrap();
        i.joints.extend([0, joint, 0, 0]);
        i.weights.extend([0.0, 1.0, 0.0, 0.0]);
    }
    primitive.stored_vertices += 2;
    assert!(differing(p.clone()).is_empty());
    // One of two copies changes: that is a torn seam, and no difference between left and right while the other fits.
    plant(&mut p, 9, 0.2);
    assert!(differing(p.clone()).is_empty());
    // Both copies change.
    let i = influences(&mut p);
    i.joints[42 * 4..43 * 4].copy_from_slice(&[0, 2, 0, 0]);
    i.weights[42 * 4..43 * 4].copy_from_slice(&[0.3, 0.7, 0.0, 0.0]);
    // The nearest of four pairs has (0.1, 0.9) beside (0.3, 0.7).
    assert_eq!(differing(p), [(8, 0.2), (9, 0.2), (42, 0.2), (43, 0.2)]);
}

#[test]
fn weights_that_other_rules_tell_of_are_not_compared() {
    let change = |change: &dyn Fn(&mut [f32])| {
        let mut p = figure(Affine3A::IDENTITY);
        change(&mut influences(&mut p).weights[9 * 4..10 * 4]);
        differing(p)
    };
    // There are vertices without weights, with a negative one, and with weights that are too small by the same factor.
    assert!(change(&|w| w.fill(0.0)).is_empty());
    assert!(change(&|w| w[..2].copy_from_slice(&[1.4, -0.4])).is_empty());
    assert!(change(&|w| w.iter_mut().for_each(|w| *w *= 0.6)).is_empty());
    let mut p = figure(Affine3A::IDENTITY);
    let i = influences(&mut p);
    i.weights[9 * 4 + 1] = 0.0;
    i.not_finite = vec![skinscope_model::NotFinite { vertex: 9, slot: 1, value: f32::NAN }];
    assert!(differing(p).is_empty());
}

#[test]
fn a_body_of_another_shape_on_either_side_is_not_compared() {
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 9, 0.3);
    for (i, position) in p.meshes[0].primitives[0].positions.iter_mut().enumerate() {
        // All points but the planted one are moved: 1 % of the size is 0.034.
        if i % 2 == 1 && i < 36 && i != 9 {
            *position += Vec3::new(0.0, 0.02 + 0.003 * i as f32, 0.01);
        }
    }
    assert!(values(p).into_iter().all(|d| d == NO_PLANE));
    assert_eq!(why_not_judged(NO_PLANE), Some("no plane of symmetry"));
}

#[test]
fn joints_that_do_not_mirror_make_no_left_and_right() {
    // There are models whose joints stand half a percent of the size beside their mirror images.
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 9, 0.3);
    p.skins[0].inverse_bind[2].translation.x += 0.03;
    assert!(differing(p).is_empty());
    // A body whose joints all stand on the plane has no left and right either, if no names tell.
    let mut p = figure(Affine3A::IDENTITY);
    p.skeleton.names = ["root", "hips", "a", "b"].map(String::from).to_vec();
    plant(&mut p, 9, 0.3);
    for j in [1, 2] {
        p.skins[0].inverse_bind[j] = Affine3A::from_translation(Vec3::NEG_Y * 1.2);
    }
    assert!(differing(p).is_empty());
}

#[test]
fn joints_of_one_chain_are_no_left_and_right() {
    // The arms hang on each other: arm.R is the child of arm.L.
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 9, 0.3);
    p.skeleton.parents[3] = Some(NodeId(2));
    assert!(differing(p).is_empty());
}

#[test]
fn a_joint_without_partner_is_not_compared() {
    // A strap on the left shoulder holds vertex 8.
    let mut p = figure(Affine3A::IDENTITY);
    p.skeleton.parents.push(Some(NodeId(1)));
    p.skeleton.names.push("strap".into());
    p.skeleton.file_index.push(4);
    p.skeleton.rest.transforms.push(Transform::IDENTITY);
    p.scenes[0].contains.push(true);
    p.skins[0].joints.push(NodeId(4));
    p.skins[0].inverse_bind.push(Affine3A::from_translation(Vec3::new(-0.3, -1.7, 0.0)));
    influences(&mut p).joints[8 * 4] = 3;
    assert!(differing(p.clone()).is_empty(), "three of four joints mirror: too few");
    // With a second pair there are five of six.
    for (node, x) in [(5, 0.5), (6, -0.5)] {
        p.skeleton.parents.push(Some(NodeId(1)));
        p.skeleton.names.push(format!("leg {node}"));
        p.skeleton.file_index.push(node);
        p.skeleton.rest.transforms.push(Transform::IDENTITY);
        p.scenes[0].contains.push(true);
        p.skins[0].joints.push(NodeId(node));
        p.skins[0].inverse_bind.push(Affine3A::from_translation(Vec3::new(-x, 0.0, 0.0)));
    }
    influences(&mut p).joints[2] = 4;
    influences(&mut p).weights[2] = 0.01;
    influences(&mut p).joints[6] = 5;
    influences(&mut p).weights[6] = 0.01;
    plant(&mut p, 15, 0.25);
    assert_eq!(differing(p), [(14, 0.25), (15, 0.25)]);
}

#[test]
fn rounding_to_bytes_stays_below_what_counts() {
    let mut p = figure(Affine3A::IDENTITY);
    for (i, w) in influences(&mut p).weights.iter_mut().enumerate() {
        // One side was rounded up, the other down.
        let byte = *w * 255.0;
        *w = if (i / 4) % 2 == 0 { byte.floor() } else { byte.ceil() } / 255.0;
    }
    assert!(values(p).into_iter().all(|d| d < 0.01));
}

#[test]
fn a_cancelled_search_ends() {
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 9, 0.3);
    let model = Model::build(p).unwrap();
    assert!(comparisons(&model, &AtomicBool::new(true)).is_empty());
}

#[test]
fn the_joints_of_a_difference_are_those_whose_weights_differ() {
    let mut p = figure(Affine3A::IDENTITY);
    plant(&mut p, 9, 0.3);
    let model = Model::build(p).unwrap();
    let found = comparisons(&model, &AtomicBool::new(false)).remove(0);
    // Vertex 9 is on the right at x = −0.9: the hips have 0.4 there and 0.1 opposite, the arm 0.6 and 0.9.
    let joints: Vec<_> =
        found.joints(9).into_iter().map(|(j, a, k, b)| (j, (a * 10.0).round(), k, (b * 10.0).round())).collect();
    assert_eq!(joints, [(0, 4.0, 0, 1.0), (2, 6.0, 1, 9.0)]);
}
