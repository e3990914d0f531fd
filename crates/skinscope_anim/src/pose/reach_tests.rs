//! Tests of limbs within whole models.

use glam::{DAffine3, DVec3, Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{Facing, LocalPose, ModelParts};

use super::*;

/// Makes a body of 1.8 m: hips with two straight legs, a straight arm to each side with a twist joint in it, and a
/// head. All are joints of a skin; the names are those of Blender.
pub(crate) fn body() -> Model {
    let rows: [(&str, Option<u32>, [f32; 3]); 16] = [
        ("Root", None, [0.0, 0.0, 0.0]),
        ("Hips", Some(0), [0.0, 1.0, 0.0]),
        ("Thigh.L", Some(1), [0.1, 0.0, 0.0]),
        ("Shin.L", Some(2), [0.0, -0.45, 0.0]),
        ("Foot.L", Some(3), [0.0, -0.45, 0.0]),
        ("Thigh.R", Some(1), [-0.1, 0.0, 0.0]),
        ("Shin.R", Some(5), [0.0, -0.45, 0.0]),
        ("Foot.R", Some(6), [0.0, -0.45, 0.0]),
        ("Spine", Some(1), [0.0, 0.45, 0.0]),
        ("Head", Some(8), [0.0, 0.2, 0.0]),
        ("UpperArm.L", Some(8), [0.2, 0.0, 0.0]),
        ("LowerArm.L", Some(10), [0.3, 0.0, 0.0]),
        ("Hand.L", Some(11), [0.25, 0.0, 0.0]),
        ("UpperArm.R", Some(8), [-0.2, 0.0, 0.0]),
        ("LowerArm.R", Some(13), [-0.3, 0.0, 0.0]),
        ("Hand.R", Some(14), [-0.25, 0.0, 0.0]),
    ];
    let mut parts: ModelParts = (*tube(Tube { joints: rows.len() - 1, ..Tube::default() })).clone();
    parts.skeleton.parents = rows.iter().map(|(_, parent, _)| parent.map(NodeId)).collect();
    parts.skeleton.names = rows.iter().map(|(name, ..)| (*name).to_owned()).collect();
    parts.skeleton.rest.transforms =
        rows.iter().map(|(.., at)| Transform { translation: Vec3::from_array(*at), ..Transform::IDENTITY }).collect();
    parts.skins[0].joints = (1..rows.len()).map(NodeId::from_index).collect();
    Model::build(parts).unwrap()
}

/// The same body as it stands in VRM 0.x: it faces −Z, so that its left is at −X.
fn body_that_faces_back() -> Model {
    let mut parts: ModelParts = (*body()).clone();
    parts.facing = Facing::MinusZ;
    for transform in &mut parts.skeleton.rest.transforms {
        transform.translation *= Vec3::new(-1.0, 1.0, -1.0);
    }
    Model::build(parts).unwrap()
}

pub(crate) fn node(model: &Model, name: &str) -> NodeId {
    NodeId::from_index(model.skeleton.names.iter().position(|n| n == name).unwrap())
}

fn position(model: &Model, pose: &LocalPose, name: &str) -> DVec3 {
    world(&model.skeleton, pose)[node(model, name).index()].translation
}

#[test]
fn the_limb_of_a_hand_begins_at_the_upper_arm() {
    let model = body();
    let root = |name: &str| default_root(&model, node(&model, name)).map(|n| model.skeleton.names[n.index()].clone());
    assert_eq!(root("Hand.L").as_deref(), Some("UpperArm.L"));
    assert_eq!(root("Foot.R").as_deref(), Some("Thigh.R"));
    // The limb has joints of the skin only, where there are some.
    assert_eq!(root("Thigh.L").as_deref(), Some("Hips"));
    assert_eq!(root("Root"), None);
    let mut parts = (*model).clone();
    parts.skeleton.names[11] = "ForearmTwist.L".into();
    let twisted = Model::build(parts).unwrap();
    assert_eq!(default_root(&twisted, node(&twisted, "Hand.L")), Some(NodeId(8)));
}

/// The same body as importers of FBX leave it: above each joint stand three helpers that are no joints of the skin. The first bears the
/// joint's place, and `off` from there; the second takes that back.
fn body_with_pivots(off: Vec3) -> Model {
    let body = body();
    let skeleton = &body.skeleton;
    let mut parts: ModelParts = (*tube(Tube { joints: 4 * (skeleton.len() - 1), ..Tube::default() })).clone();
    let of_joint = |joint: usize| NodeId::from_index(4 * joint);
    let (names, parents) = (&mut parts.skeleton.names, &mut parts.skeleton.parents);
    for joint in 1..skeleton.len() {
        let above = of_joint(skeleton.parents[joint].unwrap().index());
        let at = skeleton.rest.transforms[joint].translation;
        for (helper, (name, translation)) in
            [("_Translation", at + off), ("_PivotInverse", -off), ("_Rotation", Vec3::ZERO), ("", Vec3::ZERO)]
                .into_iter()
                .enumerate()
        {
            let node = 4 * joint - 3 + helper;
            names[node] = format!("{}{name}", skeleton.names[joint]);
            parents[node] = Some(if helper == 0 { above } else { NodeId::from_index(node - 1) });
            parts.skeleton.rest.transforms[node] = Transform { translation, ..Transform::IDENTITY };
        }
    }
    let skin = &mut parts.skins[0];
    skin.joints = (1..skeleton.len()).map(of_joint).collect();
    skin.inverse_bind.truncate(skin.joints.len());
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().joints.fill(0);
    parts.clips.clear();
    Model::build(parts).unwrap()
}

#[test]
fn pivots_between_joints_belong_to_the_limb() {
    let plain = body();
    for off in [Vec3::ZERO, Vec3::new(0.02, 0.05, 0.0), Vec3::new(-0.1, 0.0, 0.0)] {
        let model = body_with_pivots(off);
        let named = |n: Option<NodeId>, model: &Model| n.map(|n| model.skeleton.names[n.index()].clone());
        for name in ["Hand.L", "Foot.R", "Thigh.L", "Head"] {
            let [own, want] = [&model, &plain].map(|model| named(default_root(model, node(model, name)), model));
            assert_eq!(own, want, "{name}");
        }
        let mut pose = model.skeleton.rest.clone();
        let target = DVec3::new(0.35, 1.2, 0.3);
        let goal = Reach { joint: node(&model, "Hand.L"), target, ..Reach::default() };
        let done = reach(&model, &mut pose, &goal).unwrap();
        assert!(done.within_reach && (done.limb_m - 0.55).abs() < 1e-6, "{off}: {done:?}");
        let length = |pose: &LocalPose, a, b| position(&model, pose, a).distance(position(&model, pose, b));
        for (a, b, want) in [("UpperArm.L", "LowerArm.L", 0.3), ("LowerArm.L", "Hand.L", 0.25)] {
            assert!((length(&pose, a, b) - want).abs() < 1e-6, "{off}: {a}");
        }
        assert!(
            position(&model, &pose, "UpperArm.L").distance(position(&plain, &plain.skeleton.rest, "UpperArm.L")) < 1e-6
        );
        let turns = pose.transforms.iter().zip(&model.skeleton.rest.transforms).enumerate();
        let turned: Vec<&str> = turns
            .filter(|(_, (now, rest))| now.rotation != rest.rotation)
            .map(|(i, _)| model.skeleton.names[i].as_str())
            .collect();
        assert_eq!(turned, ["UpperArm.L", "LowerArm.L"], "{off}");
        // A joint that is held is reached by its limb too, and is not carried there.
        let mut held = model.skeleton.rest.clone();
        reach_target(&model, &mut held, DAffine3::from_translation(target), &[], node(&model, "Hand.L"));
        assert!(position(&model, &held, "Hand.L").distance(target) < 1e-6);
        assert!((length(&held, "LowerArm.L", "Hand.L") - 0.25).abs() < 1e-6, "{off}");
        assert_eq!(model.joint_above(node(&model, "Hand.L")), Some(node(&model, "LowerArm.L")));
        let below: Vec<NodeId> = model.joints_below(node(&model, "Hips")).collect();
        assert_eq!(below, ["Thigh.L", "Thigh.R", "Spine"].map(|name| node(&model, name)));
    }
}

#[test]
fn a_reach_turns_the_limb_and_nothing_else() {
    let model = body();
    let mut pose = model.skeleton.rest.clone();
    let target = DVec3::new(0.35, 1.2, 0.3);
    let done = reach(&model, &mut pose, &Reach { joint: node(&model, "Hand.L"), target, ..Reach::default() }).unwrap();
    assert!(done.within_reach && done.error_m < 1e-6, "{done:?}");
    assert!((done.limb_m - 0.55).abs() < 1e-6);
    assert!(position(&model, &pose, "Hand.L").distance(target) < 1e-6);
    for (i, (now, rest)) in pose.transforms.iter().zip(&model.skeleton.rest.transforms).enumerate() {
        let turns = ["UpperArm.L", "LowerArm.L"].contains(&model.skeleton.names[i].as_str());
        assert_eq!(now.rotation != rest.rotation, turns, "{}", model.skeleton.names[i]);
        assert_eq!((now.translation, now.scale), (rest.translation, rest.scale));
    }
    // The elbow of an arm that was held aside goes back; the knee of a leg comes forward.
    assert!(position(&model, &pose, "LowerArm.L").z < 0.2);
    let foot = Reach { joint: node(&model, "Foot.L"), target: DVec3::new(0.1, 0.3, 0.0), ..Reach::default() };
    reach(&model, &mut pose, &foot).unwrap();
    assert!(position(&model, &pose, "Shin.L").z > 0.1);
}

#[test]
fn out_of_reach_the_error_is_what_is_left() {
    let model = body();
    let mut pose = model.skeleton.rest.clone();
    let target = DVec3::new(3.0, 2.0, 1.0);
    let done = reach(&model, &mut pose, &Reach { joint: node(&model, "Hand.L"), target, ..Reach::default() }).unwrap();
    let shoulder = position(&model, &pose, "UpperArm.L");
    assert!(!done.within_reach && (done.error_m - (target.distance(shoulder) - 0.55)).abs() < 1e-5, "{done:?}");
    assert!((done.at - shoulder).angle_between(target - shoulder) < 1e-3);
}

#[test]
fn roots_and_pins_that_make_no_sense_are_refused() {
    let model = body();
    let mut pose = model.skeleton.rest.clone();
    let hand = node(&model, "Hand.L");
    let mut go = |joint: NodeId, root: Option<NodeId>, pins: &[NodeId]| {
        reach(&model, &mut pose, &Reach { joint, root, pins, ..Reach::default() }).map(|_| ())
    };
    assert_eq!(go(hand, Some(hand), &[]), Err(ReachError::RootNotAbove));
    assert_eq!(go(hand, Some(node(&model, "Thigh.L")), &[]), Err(ReachError::RootNotAbove));
    assert_eq!(go(NodeId(0), None, &[]), Err(ReachError::NothingAbove));
    assert_eq!(go(hand, None, &[hand]), Err(ReachError::Pinned));
}

#[test]
fn pinned_feet_stay_while_the_hips_move() {
    let model = body();
    let mut pose = model.skeleton.rest.clone();
    // The knees are bent a little, so that the hips have room.
    pose.transforms[2].rotation = Quat::from_rotation_x(-0.5);
    pose.transforms[3].rotation = Quat::from_rotation_x(0.9);
    pose.transforms[5].rotation = Quat::from_rotation_x(-0.5);
    pose.transforms[6].rotation = Quat::from_rotation_x(0.9);
    let feet = ["Foot.L", "Foot.R"].map(|name| node(&model, name));
    let before = world(&model.skeleton, &pose);
    let target = DVec3::new(0.15, 0.96, 0.1);
    let goal = Reach { joint: node(&model, "Hips"), target, pins: &feet, ..Reach::default() };
    let done = reach(&model, &mut pose, &goal).unwrap();
    assert!(done.moved.is_empty(), "{done:?}");
    let after = world(&model.skeleton, &pose);
    assert!(after[1].translation.distance(before[1].translation) > 0.1);
    for foot in feet {
        assert!(after[foot.index()].abs_diff_eq(before[foot.index()], 1e-5), "{foot:?}");
    }
    // Without pins the feet go along.
    let mut free = model.skeleton.rest.clone();
    reach(&model, &mut free, &Reach { pins: &[], ..goal.clone() }).unwrap();
    let gone = world(&model.skeleton, &free)[feet[0].index()].translation;
    assert!(gone.distance(before[feet[0].index()].translation) > 0.05);
    // A joint that cannot be pinned is reported.
    let far = Reach { target: DVec3::new(1.0, 0.0, 0.0), ..goal };
    assert!(!reach(&model, &mut pose, &far).unwrap().moved.is_empty());
}

#[test]
fn a_pinned_joint_of_the_limb_is_where_the_limb_begins() {
    let model = body();
    let mut pose = model.skeleton.rest.clone();
    let pins = [node(&model, "LowerArm.L")];
    let goal = Reach {
        joint: node(&model, "Hand.L"),
        root: Some(node(&model, "Hips")),
        target: DVec3::new(0.5, 1.7, 0.0),
        pins: &pins,
        ..Reach::default()
    };
    let done = reach(&model, &mut pose, &goal).unwrap();
    assert!(done.within_reach && done.moved.is_empty());
    assert_eq!(pose.transforms[node(&model, "UpperArm.L").index()].rotation, Quat::IDENTITY);
}

#[test]
fn scaled_mirrored_and_sheared_rigs_reach_as_well() {
    let model = obstacle_course();
    let rest = world(&model.skeleton, &model.skeleton.rest);
    let joint = NodeId::from_index(model.skeleton.len() - 1);
    let root = NodeId(3);
    let mut pose = model.skeleton.rest.clone();
    let base = rest[root.index()].translation;
    let end = rest[joint.index()].translation;
    let target = base + 0.7 * (end - base).length() * DVec3::new(0.6, 0.5, -0.3).normalize();
    let goal = Reach { joint, target, root: Some(root), ..Reach::default() };
    let done = reach(&model, &mut pose, &goal).unwrap();
    assert!(done.within_reach, "{done:?}");
    for (now, rest) in pose.transforms.iter().zip(&model.skeleton.rest.transforms) {
        assert_eq!((now.translation, now.scale), (rest.translation, rest.scale));
        assert!(now.rotation.is_normalized());
    }
}

#[test]
fn a_head_looks_where_it_is_asked_to() {
    let model = body();
    let mut pose = model.skeleton.rest.clone();
    pose.transforms[8].rotation = Quat::from_rotation_y(0.4) * Quat::from_rotation_z(0.2);
    let head = node(&model, "Head");
    for target in [DVec3::new(0.5, 1.6, 2.0), DVec3::new(0.0, 1.65, -3.0), DVec3::new(0.0, 5.0, 0.1)] {
        look(&model, &mut pose, Aim { joint: head, target });
        let now = world(&model.skeleton, &pose)[head.index()];
        assert!((now.matrix3 * DVec3::Z).angle_between(target - now.translation) < 1e-5);
    }
    let before = pose.clone();
    let own = position(&model, &pose, "Head");
    look(&model, &mut pose, Aim { joint: head, target: own });
    assert_eq!(pose, before);
}

#[test]
fn a_body_of_vrm_0_bends_and_looks_to_its_own_front() {
    let (plain, turned) = (body(), body_that_faces_back());
    let half = DVec3::new(-1.0, 1.0, -1.0);
    for (joint, target) in [("Foot.L", DVec3::new(0.1, 0.4, 0.1)), ("Hand.R", DVec3::new(-0.5, 1.5, 0.0))] {
        let [a, b] = [(&plain, target), (&turned, half * target)].map(|(model, target)| {
            let mut pose = model.skeleton.rest.clone();
            reach(model, &mut pose, &Reach { joint: node(model, joint), target, ..Reach::default() }).unwrap();
            world(&model.skeleton, &pose).iter().map(|m| m.translation).collect::<Vec<_>>()
        });
        assert!(a.iter().zip(&b).all(|(a, b)| (half * *a).distance(*b) < 1e-5), "{joint}: {a:?} and {b:?}");
    }
    let mut pose = turned.skeleton.rest.clone();
    let joint = node(&turned, "Head");
    let at = position(&turned, &pose, "Head");
    look(&turned, &mut pose, Aim { joint, target: at - 3.0 * DVec3::Z });
    assert_eq!(pose, turned.skeleton.rest, "it looks ahead at rest");
    look(&turned, &mut pose, Aim { joint, target: at - 3.0 * DVec3::X });
    assert!((world(&turned.skeleton, &pose)[joint.index()].matrix3 * DVec3::NEG_Z).distance(DVec3::NEG_X) < 1e-6);
}
