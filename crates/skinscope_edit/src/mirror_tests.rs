//! Tests of mirroring on a figure of points: hips in the middle, an arm on each side, and points around them.

use glam::{Affine3A, Vec3};
use skinscope_base::math::Transform;
use skinscope_base::parallel::JobContext;
use skinscope_model::{
    Influences, Instance, Mesh, MeshId, Model, ModelParts, Primitive, Scene, Skeleton, Skin, SkinId, Topology,
};

use super::mirrored::MirrorPlane;
use super::*;

/// Joints of a skin: name, parent among them, position.
type Rows<'a> = &'a [(&'a str, Option<u32>, [f32; 3])];

/// Points of the left side, at +x, then their mirror images; points whose number is even have 0.7 of the second joint (left) or
/// 0.2 of the third (right) and else the first.
fn figure(rows: Rows<'_>, stored: Affine3A) -> ModelParts {
    let left = (0..30).map(|i| {
        let i = i as f32;
        Vec3::new(0.2 + 0.05 * i, 1.0 + 0.4 * (1.3 * i).sin(), 0.2 * (2.1 * i).cos())
    });
    let left: Vec<Vec3> = left.collect();
    let right = left.iter().map(|p| *p * Vec3::new(-1.0, 1.0, 1.0));
    let mut primitive = Primitive { topology: Topology::Points, ..Primitive::default() };
    primitive.positions = left.iter().copied().chain(right).map(|p| stored.transform_point3(p)).collect();
    primitive.stored_vertices = primitive.positions.len();
    let mut influences = Influences { per_vertex: 4, ..Influences::default() };
    for vertex in 0..60 {
        let (joint, weight) = if vertex < 30 { (1, 0.7) } else { (2, 0.2) };
        influences.joints.extend([0, joint, 0, 0]);
        influences.weights.extend([1.0 - weight, weight, 0.0, 0.0]);
    }
    primitive.stored_influences = Some(influences);
    let bind = |at: &[f32; 3]| Affine3A::from_translation(-Vec3::from_array(*at)) * stored.inverse();
    let nodes = || (0..rows.len() as u32).map(NodeId);
    ModelParts {
        skeleton: Skeleton {
            parents: rows.iter().map(|(_, parent, _)| parent.map(NodeId)).collect(),
            names: rows.iter().map(|(name, ..)| (*name).to_owned()).collect(),
            file_index: (0..rows.len() as u32).collect(),
            rest: LocalPose { transforms: vec![Transform::IDENTITY; rows.len()], ..LocalPose::default() },
            residuals: Vec::new(),
            far: None,
        },
        scenes: vec![Scene { roots: vec![NodeId(0)], contains: vec![true; rows.len()], ..Scene::default() }],
        skins: vec![Skin {
            joints: nodes().collect(),
            inverse_bind: rows.iter().map(|(.., at)| bind(at)).collect(),
            ..Skin::default()
        }],
        meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
        instances: vec![Instance { skin: Some(SkinId(0)), ..Instance::default() }],
        ..ModelParts::default()
    }
}

const HIPS: (&str, Option<u32>, [f32; 3]) = ("hips", None, [0.0, 1.0, 0.0]);

fn named(left: &'static str, right: &'static str) -> [(&'static str, Option<u32>, [f32; 3]); 3] {
    [HIPS, (left, Some(0), [0.5, 1.2, 0.0]), (right, Some(0), [-0.5, 1.2, 0.0])]
}

/// Mirrors from + to −; returns the report, and the joints and weights of a vertex.
fn mirrored(parts: ModelParts, settings: &Settings) -> (Mirroring, Vec<Vec<(u32, f64)>>) {
    let model = Model::build(parts).unwrap();
    let mut sheet = Sheet::of(&model);
    assert_eq!(check(&mirror::MIRROR, &sheet, settings), Ok(()));
    apply(&mirror::MIRROR, &mut sheet, settings);
    let shares = |vertex| {
        let mut shares = skinscope_weights::unit_shares(&sheet.tables[0], vertex);
        shares.sort_unstable_by_key(|(key, _)| *key);
        shares.iter().map(|(key, weight)| (*key, (weight * 1e4).round() / 1e4)).collect()
    };
    (sheet.mirroring.clone().unwrap(), (0..sheet.tables[0].vertices()).map(shares).collect())
}

fn right_arm_follows(weights: &[Vec<(u32, f64)>]) {
    assert!(weights[..30].iter().all(|w| *w == [(0, 0.3), (1, 0.7)]), "{weights:?}");
    assert!(weights[30..].iter().all(|w| *w == [(0, 0.3), (2, 0.7)]), "{weights:?}");
}

#[test]
fn the_other_side_gets_the_weights_by_names_of_any_language_and_by_positions() {
    let all = [
        ("arm.L", "arm.R"),
        ("左腕", "右腕"),
        ("Arm [Lft]", "Arm [Rgt]"),
        ("Arm links", "Arm rechts"),
        ("j_07", "j_12"),
    ];
    for (left, right) in all {
        let (report, weights) = mirrored(figure(&named(left, right), Affine3A::IDENTITY), &Settings::default());
        right_arm_follows(&weights);
        assert_eq!(report.pairs, [[NodeId(1), NodeId(2)]], "{left}");
        assert_eq!((report.unpaired, report.without_plane.len()), (0, 0));
        assert_eq!(report.plane_texts(), ["x = 0"]);
    }
}

#[test]
fn the_plane_is_where_the_mesh_is_stored() {
    let stored = Affine3A::from_scale_rotation_translation(
        Vec3::splat(5000.0),
        glam::Quat::IDENTITY,
        Vec3::new(8191.5, 3.0, -40.0),
    );
    let mut parts = figure(&named("j_07", "j_12"), stored);
    parts.meshes[0].primitives[0].positions.iter_mut().for_each(|p| *p = p.round());
    let (report, weights) = mirrored(parts, &Settings::default());
    right_arm_follows(&weights);
    let [MirrorPlane { mesh: MeshId(0), axis: Axis::X, offset }] = report.planes[..] else { panic!("{report:?}") };
    assert!((offset - 8191.5).abs() < 1.0, "{offset}");
}

#[test]
fn every_axis_has_its_plane_and_where_there_is_none_it_is_refused() {
    let turns = [(Axis::X, 0.0, Vec3::Z), (Axis::Y, 1.570_796_4, Vec3::Z), (Axis::Z, -1.570_796_4, Vec3::Y)];
    for (axis, angle, about) in turns {
        let shift = Vec3::new(3.0, -2.0, 9.0);
        let stored = Affine3A::from_rotation_translation(glam::Quat::from_axis_angle(about, angle), shift);
        let settings = Settings { axis, ..Settings::default() };
        let (report, weights) = mirrored(figure(&named("j_07", "j_12"), stored), &settings);
        right_arm_follows(&weights);
        assert!((report.planes[0].offset - axis.direction().dot(shift)).abs() < 1e-3, "{report:?}");
        let model = Model::build(figure(&named("j_07", "j_12"), stored)).unwrap();
        for other in Axis::ALL.into_iter().filter(|other| *other != axis) {
            let refused = check(&mirror::MIRROR, &Sheet::of(&model), &Settings { axis: other, ..Settings::default() });
            let Err(Refusal::NoPlane(why)) = refused else { panic!("{refused:?}") };
            let start = format!("no plane of symmetry was found across {}: about {} = ", other.name(), other.name());
            assert!(why.starts_with(&start) && why.contains(" % of the vertices of mesh "), "{why}");
        }
    }
}

#[test]
fn vertices_of_a_joint_at_one_side_without_partner_stay_and_are_counted() {
    let rows = [HIPS, ("arm", Some(0), [0.5, 1.2, 0.0]), ("pouch", Some(0), [-0.9, 0.6, 0.3])];
    let (report, weights) = mirrored(figure(&rows, Affine3A::IDENTITY), &Settings::default());
    assert!(weights[30..].iter().all(|w| *w == [(0, 0.8), (2, 0.2)]), "{weights:?}");
    assert_eq!((report.unpaired, &report.pairs[..]), (30, &[][..]));
    // Once they are given as partners, there is no doubt.
    let pairs = vec![[NodeId(1), NodeId(2)]];
    let (report, weights) =
        mirrored(figure(&rows, Affine3A::IDENTITY), &Settings { pairs: pairs.clone(), ..Settings::default() });
    right_arm_follows(&weights);
    assert_eq!((report.unpaired, report.pairs), (0, pairs));
}

#[test]
fn a_joint_may_be_its_own_partner() {
    let pairs = vec![[NodeId(1), NodeId(1)], [NodeId(2), NodeId(2)]];
    let settings = Settings { pairs: pairs.clone(), ..Settings::default() };
    let (report, weights) = mirrored(figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY), &settings);
    assert!(weights.iter().all(|w| *w == [(0, 0.3), (1, 0.7)]), "{weights:?}");
    assert_eq!((report.unpaired, report.pairs), (0, pairs));
    // What its partner was has none any more, and its vertices stay.
    let settings = Settings { pairs: vec![[NodeId(1), NodeId(1)]], ..Settings::default() };
    let (report, weights) = mirrored(figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY), &settings);
    assert!(weights[30..].iter().all(|w| *w == [(0, 0.8), (2, 0.2)]), "{weights:?}");
    assert_eq!(report.unpaired, 30);
}

#[test]
fn partners_that_move_nothing_or_other_meshes_are_refused() {
    let refused = |parts: &ModelParts, pair: [u32; 2]| {
        let model = Model::build(parts.clone()).unwrap();
        let settings = Settings { pairs: vec![pair.map(NodeId)], ..Settings::default() };
        check(&mirror::MIRROR, &Sheet::of(&model), &settings).map_err(|why| why.to_string())
    };
    let rows =
        [HIPS, ("arm.L", Some(0), [0.5, 1.2, 0.0]), ("arm.R", Some(0), [-0.5, 1.2, 0.0]), ("hat", Some(0), [0.0; 3])];
    let mut parts = figure(&rows, Affine3A::IDENTITY);
    parts.skins[0].joints.pop();
    parts.skins[0].inverse_bind.pop();
    assert_eq!(refused(&parts, [1, 2]), Ok(()));
    for pair in [[1, 3], [3, 3]] {
        assert_eq!(refused(&parts, pair), Err("“hat” is no joint of a skin that moves vertices".into()));
    }
    // Another skin moves a mesh of its own by the hat.
    let mut other = parts.skins[0].clone();
    other.joints[0] = NodeId(3);
    other.joints.truncate(1);
    other.inverse_bind.truncate(1);
    parts.skins.push(other);
    let mut mesh = parts.meshes[0].clone();
    mesh.primitives[0].stored_influences.as_mut().unwrap().joints.fill(0);
    parts.meshes.push(mesh);
    parts.instances.push(Instance { mesh: MeshId(1), skin: Some(SkinId(1)), ..Instance::default() });
    assert_eq!(refused(&parts, [3, 3]), Ok(()));
    let why = "“arm.L” and “hat” move different meshes, so that they are no partners";
    assert_eq!(refused(&parts, [1, 3]), Err(why.into()));
}

#[test]
fn what_is_tried_says_how_asymmetric_it_leaves_the_mesh() {
    let model = Model::build(figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY)).unwrap();
    let settings = Settings::default();
    let task = Task { operation: &mirror::MIRROR, settings, within: None, locked: Arc::default() };
    let outcome = compute_outcome(&model, &task, &JobContext::of_waiting()).unwrap();
    let left: Vec<f32> = outcome.asymmetry.unwrap().of(MeshId(0), 0).to_vec();
    assert!(left.len() == 60 && left.iter().all(|d| (0.0..1e-6).contains(d)), "{left:?}");
    assert_eq!((outcome.vertices, outcome.found[0]), (30, ("asymmetry", [60, 0])));
    assert_eq!(outcome.mirrored.unwrap().plane_texts(), ["x = 0"]);
}

#[test]
fn a_vertex_that_one_skin_of_two_leaves_unpaired_and_the_other_mirrors_is_not_unpaired() {
    // Both skins have the same joints; only in the second one do the arms stand opposite each other.
    let apart = [HIPS, ("j_07", Some(0), [0.5, 1.2, 0.0]), ("j_12", Some(0), [-0.9, 0.6, 0.3])];
    let [first, second] =
        [&apart, &named("j_07", "j_12")].map(|rows| figure(rows, Affine3A::IDENTITY).skins[0].inverse_bind.clone());
    for binds in [[&first, &second], [&second, &first]] {
        let mut parts = figure(&named("j_07", "j_12"), Affine3A::IDENTITY);
        parts.skins.push(parts.skins[0].clone());
        parts.skins.iter_mut().zip(binds).for_each(|(skin, bind)| skin.inverse_bind.clone_from(bind));
        parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
        let (report, weights) = mirrored(parts, &Settings::default());
        right_arm_follows(&weights);
        assert_eq!(report.unpaired, 0);
    }
}

#[test]
fn the_plane_of_a_mesh_is_the_same_however_its_nodes_are_turned_in_the_world() {
    let turn = glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_6)
        * glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_6);
    let mut parts = figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY);
    parts.skeleton.rest.transforms[0] = Transform { rotation: turn, translation: Vec3::X, ..Transform::IDENTITY };
    let (report, weights) = mirrored(parts, &Settings::default());
    right_arm_follows(&weights);
    assert_eq!((report.plane_texts(), report.unpaired), (vec!["x = 0".to_owned()], 0));
}

#[test]
fn a_mesh_whose_plane_is_slanted_in_its_own_space_is_refused_across_every_axis() {
    let turn = glam::Quat::from_rotation_y(std::f32::consts::FRAC_PI_6)
        * glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_6);
    let model = Model::build(figure(&named("arm.L", "arm.R"), Affine3A::from_quat(turn))).unwrap();
    for axis in Axis::ALL {
        let refused = check(&mirror::MIRROR, &Sheet::of(&model), &Settings { axis, ..Settings::default() });
        assert!(matches!(refused, Err(Refusal::NoPlane(_))), "{refused:?}");
    }
}

#[test]
fn of_several_vertices_at_the_image_of_one_that_with_the_mirrored_normal_counts() {
    let mut parts = figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY);
    let primitive = &mut parts.meshes[0].primitives[0];
    // Each point stands there once more, as the inner side of a sleeve, whose left ones follow the arm less.
    let [left, right] = [0.6, -0.6].map(|x| Vec3::new(x, 0.8, 0.0));
    primitive.normals = (0..60).map(|vertex| if vertex < 30 { left } else { right }).collect();
    let inner: Vec<Vec3> = primitive.normals.iter().map(|normal| -*normal).collect();
    primitive.normals.extend(inner);
    primitive.positions.extend_from_within(..);
    primitive.stored_vertices = primitive.positions.len();
    let influences = primitive.stored_influences.as_mut().unwrap();
    influences.joints.extend_from_within(..);
    influences.weights.extend_from_within(..);
    for vertex in 60..90 {
        influences.weights[4 * vertex..][..2].copy_from_slice(&[0.6, 0.4]);
    }
    let (report, weights) = mirrored(parts, &Settings::default());
    right_arm_follows(&weights[..60]);
    assert!(weights[90..].iter().all(|w| *w == [(0, 0.6), (2, 0.4)]), "{:?}", &weights[90..]);
    assert_eq!(report.unpaired, 0);
}

#[test]
fn of_several_vertices_at_the_image_of_one_those_without_weights_are_left_out() {
    let mut parts = figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY);
    let primitive = &mut parts.meshes[0].primitives[0];
    // Each left point stands there once more, with the weights that the first one lacks.
    primitive.positions.extend_from_within(..30);
    primitive.stored_vertices = primitive.positions.len();
    let influences = primitive.stored_influences.as_mut().unwrap();
    influences.joints.extend_from_within(..120);
    influences.weights.extend_from_within(..120);
    influences.weights[..120].fill(0.0);
    let (_, weights) = mirrored(parts, &Settings::default());
    assert!(weights[30..60].iter().all(|w| *w == [(0, 0.3), (2, 0.7)]), "{:?}", &weights[30..60]);
}

#[test]
fn vertices_whose_own_joint_has_no_partner_stay_whatever_stands_at_their_image() {
    let rows = [HIPS, ("arm", Some(0), [0.5, 1.2, 0.0]), ("pouch", Some(0), [-0.9, 0.6, 0.3])];
    let mut parts = figure(&rows, Affine3A::IDENTITY);
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    influences.weights[..120].as_chunks_mut::<4>().0.fill([1.0, 0.0, 0.0, 0.0]);
    let (report, weights) = mirrored(parts, &Settings::default());
    assert!(weights[30..].iter().all(|w| *w == [(0, 0.8), (2, 0.2)]), "{weights:?}");
    assert_eq!(report.unpaired, 30);
}

#[test]
fn weights_that_are_right_already_stay_as_they_are_stored() {
    let mut parts = figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY);
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    // Those on the right are in other slots, some of them in two.
    let (weights, joints) = (influences.weights.as_chunks_mut::<4>().0, influences.joints.as_chunks_mut::<4>().0);
    weights[..30].fill([0.25, 0.75, 0.0, 0.0]);
    weights[30..].fill([0.0, 0.5, 0.25, 0.25]);
    joints[30..].fill([0, 2, 0, 2]);
    let model = Model::build(parts).unwrap();
    let mut sheet = Sheet::of(&model);
    assert_eq!(apply(&mirror::MIRROR, &mut sheet, &Settings::default()).vertices, 0);
}

#[test]
fn a_mesh_with_weights_that_no_skin_uses_is_listed_as_one_without_a_plane() {
    let mut parts = figure(&named("arm.L", "arm.R"), Affine3A::IDENTITY);
    parts.meshes.push(parts.meshes[0].clone());
    parts.instances.push(Instance { mesh: MeshId(1), skin: None, ..parts.instances[0].clone() });
    let (report, weights) = mirrored(parts, &Settings::default());
    right_arm_follows(&weights);
    assert_eq!(report.without_plane, [MeshId(1)]);
}
