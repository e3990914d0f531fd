//! Tests of joints that are placed by hand.

use std::collections::BTreeSet;

use glam::Vec3;
use skinscope_base::math::{Aabb, Ray};
use skinscope_base::parallel::JobContext;
use skinscope_bind::{BINDERS, BindSettings};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, MeshId, Model, ModelParts, NodeId, SkinId};

use super::middle::bare_bounds_of;
use super::placed::check_placed;
use super::{
    PlacedAxes, PlacedJoint, bind_placed, humanoid, humanoid_in, middle_of_body, placed_from_text, placed_to_text,
};
use crate::Refusal;

/// A tube along Y, two metres long and a quarter of a metre thick, without a skin.
fn bare() -> Model {
    let mut parts: ModelParts = (*tube(Tube::default())).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    Model::build(parts).unwrap()
}

fn joint(name: &str, position: Vec3, parent: Option<usize>) -> PlacedJoint {
    PlacedJoint { name: name.to_owned(), position, parent }
}

/// Every vertex of the first mesh is at rest where it is stored.
fn stays_at_rest(bound: &Model) {
    let worlds = bound.skeleton.worlds(&bound.skeleton.rest);
    let skin = &bound.skins[0];
    let influences = bound.influences(bound.instances[0].mesh, 0).unwrap();
    for (vertex, point) in bound.meshes[0].primitives[0].positions.iter().enumerate() {
        let (joints, weights) = influences.of(vertex);
        let moved = |(joint, weight): (&u16, &f32)| {
            let joint = usize::from(*joint);
            let matrix = worlds[skin.joints[joint].index()] * skin.inverse_bind[joint].as_daffine3();
            matrix.transform_point3(point.as_dvec3()) * f64::from(*weight)
        };
        let at: glam::DVec3 = joints.iter().zip(weights).map(moved).sum();
        let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
        assert!((at / sum).distance(point.as_dvec3()) < 1e-6, "vertex {vertex}");
    }
}

#[test]
fn a_click_from_any_side_finds_the_middle_of_a_tube() {
    let model = bare();
    let bounds = bare_bounds_of(&model, None);
    assert!((bounds.size().y - 2.0).abs() < 1e-5 && bounds.size().x < 0.51);
    for direction in [Vec3::NEG_Z, Vec3::NEG_X, Vec3::new(-0.6, 0.0, 0.8)] {
        // Not where triangles meet.
        let aim = Vec3::new(0.0, 0.7, 0.0) + 0.013 * direction.cross(Vec3::Y);
        let at = middle_of_body(&model, Ray { origin: aim - 5.0 * direction, direction }).unwrap();
        assert!(at.distance(aim) < 5e-3, "{at} is not {aim}");
    }
    let beside = Ray { origin: Vec3::new(1.0, 0.7, 5.0), direction: Vec3::NEG_Z };
    assert_eq!(middle_of_body(&model, beside), None);
    // A mesh with a skin has joints already.
    assert!(bare_bounds_of(&tube(Tube::default()), None).is_empty());
    // One mesh of several alone.
    let mut parts: ModelParts = (*model).clone();
    let mut ground = parts.meshes[0].clone();
    ground.primitives[0].positions.iter_mut().for_each(|at| *at *= 20.0);
    parts.meshes.push(ground);
    parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    let both = Model::build(parts).unwrap();
    assert!(bare_bounds_of(&both, None).size().y > 30.0);
    let size = bare_bounds_of(&both, Some(&BTreeSet::from([0]))).size();
    assert!((size - bounds.size()).length() < 1e-5, "{size}");
}

/// A body, and something flat on the ground far before it, which makes the box of both deep.
#[test]
fn a_humanoid_stands_in_the_body_and_not_in_the_middle_of_its_box() {
    let mut parts: ModelParts = (*bare()).clone();
    let mut ground = parts.meshes[0].clone();
    for at in &mut parts.meshes[0].primitives[0].positions {
        at.x *= 8.0;
    }
    for at in &mut ground.primitives[0].positions {
        *at = Vec3::new(at.x, 0.005 * at.y, at.z + 1.0);
    }
    parts.meshes.push(ground);
    parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    let model = Model::build(parts).unwrap();
    let bounds = bare_bounds_of(&model, None);
    assert!(bounds.center().z > 0.4 && bounds.size().x > bounds.size().z);
    let (joints, plain) = (humanoid_in(&model, None).joints, humanoid(bounds));
    for (joint, plain) in joints.iter().zip(&plain) {
        let [at, was] = [joint.position, plain.position];
        assert!(at.z.abs() < 5e-3, "{} at {at}", joint.name);
        assert!((at - was).truncate().length() < 1e-5 && joint.name == plain.name, "{} at {at}", joint.name);
    }
}

#[test]
fn joints_that_make_no_skeleton_are_refused_and_others_are_put_in_order() {
    let good = [joint("tip", Vec3::Y, Some(2)), joint("side", Vec3::X, Some(1)), joint("root", Vec3::ZERO, None)];
    let why = |joints: &[PlacedJoint]| match check_placed(joints) {
        Err(Refusal::NoSkeleton(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(why(&good).contains("“side” hangs on itself"));
    let mut good = good;
    good[1].parent = Some(0);
    assert_eq!(check_placed(&good), Ok(vec![2, 0, 1]));
    assert!(why(&[]).contains("no joint"));
    let changed = |change: &dyn Fn(&mut [PlacedJoint])| {
        let mut joints = good.clone();
        change(&mut joints);
        why(&joints)
    };
    assert!(changed(&|j| j[0].name = " ".to_owned()).contains("no name"));
    assert!(changed(&|j| j[0].name = "root".to_owned()).contains("two joints"));
    assert!(changed(&|j| j[0].position.x = f32::NAN).contains("“tip” stands at no place"));
    assert!(changed(&|j| j[0].parent = Some(7)).contains("is not there"));
    assert!(changed(&|j| j[0].parent = None).contains("one joint has to be above all others"));
    assert!(changed(&|j| j[2].parent = Some(1)).contains("none is the root"));
}

#[test]
fn placed_joints_become_nodes_where_they_stand_and_every_method_binds_to_them() {
    let model = bare();
    let first = model.skeleton.len();
    let joints = [
        joint("lower", Vec3::new(0.0, 0.5, 0.0), Some(1)),
        joint("root", Vec3::new(0.01, 0.1, 0.0), None),
        joint("upper", Vec3::new(0.0, 1.25, 0.02), Some(0)),
    ];
    let axes = [PlacedAxes::Bone, PlacedAxes::World];
    for (binder, axes) in BINDERS.iter().flat_map(|binder| axes.map(|axes| (binder, axes))) {
        let settings = BindSettings { method: binder.id.to_owned(), ..BindSettings::default() };
        let asked = (&joints[..], axes);
        let out = bind_placed(&model, asked, None, &settings, &JobContext::of_waiting()).unwrap();
        assert_eq!((out.bound[0].skin, out.bound[0].joints), (SkinId(0), 3), "{}", binder.id);
        assert!(out.bound[0].joints_used >= 2, "{}", binder.id);
        let bound = model.with_bindings(&out.change).unwrap();
        assert_eq!(bound.skins[0].joints, [0, 1, 2].map(|i| NodeId::from_index(first + i)));
        assert_eq!(&bound.skeleton.names[first..], ["root", "lower", "upper"]);
        let worlds = bound.skeleton.worlds(&bound.skeleton.rest);
        for (world, placed) in worlds[first..].iter().zip([1, 0, 2]) {
            let at = world.translation.as_vec3();
            assert!(at.distance(joints[placed].position) < 1e-6, "{at}");
        }
        let influences = bound.influences(bound.instances[0].mesh, 0).unwrap();
        for vertex in 0..bound.meshes[0].primitives[0].stored_vertices {
            let (_, weights) = influences.of(vertex);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{}, vertex {vertex}", binder.id);
        }
        stays_at_rest(&bound);
        let along = |joint: usize| worlds[first + joint].matrix3.y_axis.as_vec3();
        let to = |from: usize, to: usize| (joints[to].position - joints[from].position).normalize();
        match axes {
            PlacedAxes::Bone => {
                assert!(along(0).dot(to(1, 0)) > 0.999_999 && along(1).dot(to(0, 2)) > 0.999_999);
                assert!(along(2).abs_diff_eq(along(1), 1e-6), "a leaf has the axes of its parent");
            }
            PlacedAxes::World => assert!((0..3).all(|joint| along(joint) == Vec3::Y)),
        }
    }
    let skinned = tube(Tube::default());
    let refused = bind_placed(
        &skinned,
        (&joints[..], PlacedAxes::Bone),
        None,
        &BindSettings::default(),
        &JobContext::of_waiting(),
    );
    assert_eq!(refused.err(), Some(Refusal::NoBareMesh));
}

#[test]
fn a_humanoid_that_is_bound_is_known_to_retargeting() {
    let model = bare();
    let joints = humanoid(bare_bounds_of(&model, None));
    assert_eq!(check_placed(&joints).map(|order| order.len()), Ok(19));
    let asked = (&joints[..], PlacedAxes::Bone);
    let out = bind_placed(&model, asked, None, &BindSettings::default(), &JobContext::of_waiting()).unwrap();
    let bound = model.with_bindings(&out.change).unwrap();
    let rig = bound.rig().unwrap();
    assert_eq!(rig.bones().count(), 19);
    for bone in ["hips", "head", "leftShoulder", "rightUpperArm", "leftHand", "rightLowerLeg", "leftFoot"] {
        assert!(rig.node(bone).is_some(), "{bone}");
    }
}

#[test]
fn a_file_of_joints_is_read_as_it_was_written_and_says_what_is_wrong_with_it() {
    let joints = humanoid(Aabb { min: Vec3::new(-0.83, 0.01, -0.2), max: Vec3::new(0.83, 1.77, 0.21) });
    assert_eq!(placed_from_text(placed_to_text(&joints).as_bytes()), Ok(joints));
    let read = |text: &str| placed_from_text(text.as_bytes());
    let two = r#"{"schema":1,"joints":[{"name":"Hips","position":[0,1,0],"parent":null},{"name":"Spine","position":[0,1.2,0],"parent":0}]}"#;
    let hips = joint("Hips", Vec3::Y, None);
    assert_eq!(read(two), Ok(vec![hips, joint("Spine", Vec3::new(0.0, 1.2, 0.0), Some(0))]));
    for (text, why) in [
        ("{", "EOF"),
        (r#"{"schema":2,"joints":[]}"#, "expected 1, found 2"),
        (r#"{"schema":1,"joints":[]}"#, "no joint was placed"),
        (r#"{"schema":1,"joints":[{"name":"a","position":[0,1]}]}"#, "length"),
        (r#"{"schema":1,"joints":[{"name":"a","position":[0,1,0],"size":1}]}"#, "unknown field"),
        (r#"{"schema":1,"joints":[{"name":"a","position":[0,1,0],"parent":"b"}]}"#, "joints[0].parent: no joint"),
        (r#"{"schema":1,"joints":[{"name":"a","position":[0,1,0],"parent":[]}]}"#, "expected the name of a joint"),
        (r#"{"schema":1,"joints":[{"name":"a","position":[0,1e39,0]}]}"#, "at no place"),
    ] {
        let said = read(text).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}
