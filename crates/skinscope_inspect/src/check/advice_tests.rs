//! Tests of the rules that advise about rigs: on a tube with a joint for each metre, whose names make it the arm of a humanoid.

use glam::{Affine3A, Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::test_shapes::Tube;
use skinscope_model::{
    Channel, Interpolation, LinkChange, LinkDrive, Model, ModelParts, NewLink, NodeId, Path, Sampler, SkinId, Values,
};

use super::mesh_tests::{found, parts_of, plant, set, skin};
use super::{Finding, FindingPose, Severity};

/// Joint `j` (node `j + 1`) stands at height `j`; ring `r` lies at height `r / 16`.
const ARM: Tube = Tube { joints: 4, rings: 65, sides: 16, length: 4.0, radius: 0.25, influences: 2 };
/// The root, which is the hips, and the joints of the tube.
const NAMES: [&str; 5] = ["Hips", "Spine", "LeftArm", "LeftForeArm", "LeftHand"];

/// Lets the only clip turn one node from 0.5 s on.
fn turning(parts: &mut ModelParts, node: u32, turn: Quat) {
    let clip = &mut parts.clips[0];
    clip.channels = vec![Channel { node: NodeId(node), path: Path::Rotation, sampler: 0 }];
    let keys = vec![Quat::IDENTITY, turn, turn];
    clip.samplers = vec![Sampler { times: 0, interpolation: Interpolation::Linear, values: Values::Quat(keys.into()) }];
}

/// The tube, of which joint 2 turns; so many rows of vertices are shared between it and joint 1, and none elsewhere.
fn bent(rows: u32, turn: Quat) -> ModelParts {
    let mut parts = parts_of(ARM);
    turning(&mut parts, 3, turn);
    let primitive = skin(&mut parts);
    for vertex in 0..primitive.stored_vertices {
        let ring = vertex / ARM.sides;
        let passed = match rows {
            0 => f32::from(u8::from(ring >= 32)),
            _ => ((ring as f32 - 32.0) / (rows + 1) as f32 + 0.5).clamp(0.0, 1.0),
        };
        match ring / 16 {
            0 => set(primitive, vertex, &[(0, 1.0)]),
            1 | 2 => set(primitive, vertex, &[(1, 1.0 - passed), (2, passed)]),
            _ => set(primitive, vertex, &[(3, 1.0)]),
        }
    }
    parts
}

/// The tube as an arm with these names of its root and joints, below hips with legs; `more` is a joint below the forearm, at its height.
fn arm(names: [&str; 5], more: Option<(&str, f32)>) -> ModelParts {
    let mut parts = parts_of(ARM);
    let skeleton = &mut parts.skeleton;
    skeleton.names = names.map(str::to_owned).to_vec();
    let mut add = |name: &str, parent: u32, at: Vec3| {
        skeleton.names.push(name.to_owned());
        skeleton.parents.push(Some(NodeId(parent)));
        skeleton.file_index.push(skeleton.file_index.len() as u32);
        skeleton.rest.transforms.push(Transform { translation: at, ..Transform::IDENTITY });
    };
    if let Some((name, height)) = more {
        add(name, 3, Vec3::Y * (height - 2.0));
        parts.skins[0].joints.push(NodeId(5));
        parts.skins[0].inverse_bind.push(Affine3A::from_translation(Vec3::NEG_Y * height));
    }
    for side in ["Left", "Right"] {
        let thigh = 5 + u32::from(more.is_some()) + 2 * u32::from(side == "Right");
        add(&format!("{side}UpLeg"), 0, Vec3::NEG_Y);
        add(&format!("{side}Leg"), thigh, Vec3::NEG_Y);
    }
    let count = skeleton.names.len();
    parts.scenes[0].contains = vec![true; count];
    parts
}

fn degrees(axis: Vec3, degrees: f32) -> Quat {
    Quat::from_axis_angle(axis, degrees.to_radians())
}

/// Returns the joints of each finding, whether its pose is a moment of a clip, and the percents that are lost, rounded.
fn told(findings: &[Finding]) -> Vec<(Vec<u32>, bool, i64)> {
    let of = |finding: &Finding| {
        assert_eq!(finding.severity, Severity::Info);
        let joints = finding.joints.iter().map(|joint| joint.0).collect();
        let is_clip = matches!(finding.pose, FindingPose::Clip { time_secs, .. } if time_secs >= 0.5);
        (joints, is_clip, finding.measure.unwrap().value.round() as i64)
    };
    findings.iter().map(of).collect()
}

#[test]
fn a_wide_turn_over_one_row_is_told_with_the_volume_that_it_costs() {
    let right = degrees(Vec3::X, 90.0);
    // The volumes are those of the same tube in double precision: 95.8 % bent, 95.0 % and 97.8 % twisted.
    for (rows, turn, lost) in
        [(1, right, 4), (0, right, 4), (1, degrees(Vec3::Y, 90.0), 5), (0, degrees(Vec3::Y, 90.0), 2)]
    {
        let findings = found(bent(rows, turn), "sharp-bend");
        assert_eq!(told(&findings), [(vec![2, 3], true, lost)], "{rows} rows");
        let words = if rows == 0 { "no row of vertices between" } else { "one row of vertices" };
        assert!(findings[0].message.contains(words) && findings[0].message.contains("turns by 90°"));
        let loss = format!(
            "50 cm thick. All of the turn falls on that strip, which creases or is pinched; the skin within two radii of the joint loses {lost} % of the volume"
        );
        assert!(findings[0].message.contains(&loss), "{}", findings[0].message);
    }
}

#[test]
fn a_joint_with_links_is_passed_over() {
    let model = Model::build(bent(1, degrees(Vec3::X, 90.0))).unwrap();
    let drive = LinkDrive { share: 0.5, along: 1.0, from: Quat::IDENTITY, axis: None };
    let change = LinkChange {
        of: NodeId(3),
        links: vec![NewLink { name: "link".into(), drive }],
        skins: vec![(SkinId(0), vec![model.skins[0].inverse_bind[2]])],
        weights: Vec::new(),
        tracks: Vec::new(),
    };
    let linked = model.with_links(&change).unwrap();
    assert_eq!(told(&found((*linked).clone(), "sharp-bend")), []);
}

#[test]
fn a_wide_blend_a_small_turn_and_what_is_no_limb_are_not_told() {
    let right = degrees(Vec3::X, 90.0);
    let none = |parts: ModelParts| assert_eq!(told(&found(parts, "sharp-bend")), []);
    none(bent(3, right));
    none(bent(1, degrees(Vec3::X, 55.0)));
    let mut parts = bent(1, right);
    parts.clips.clear();
    none(parts);
    // A strip of cloth does not go around its bone.
    let mut parts = bent(1, right);
    let indices = &mut skin(&mut parts).indices;
    *indices = indices.as_chunks::<3>().0.iter().filter(|t| t.iter().all(|v| v % 16 < 8)).flatten().copied().collect();
    none(parts);
    // Two pieces that stand against each other, as armour does.
    let mut parts = bent(0, right);
    let indices = &mut skin(&mut parts).indices;
    let is_apart = |t: &&[u32; 3]| t.iter().all(|v| v / 16 < 32) || t.iter().all(|v| v / 16 >= 32);
    *indices = indices.as_chunks::<3>().0.iter().filter(is_apart).flatten().copied().collect();
    none(parts);
    // A row that is wider than the limb is thick.
    let mut parts = bent(1, right);
    skin(&mut parts).positions.iter_mut().for_each(|p| (p.x, p.z) = (p.x * 0.3, p.z * 0.3));
    none(parts);
}

#[test]
fn an_arm_on_the_spine_is_told_with_a_turn_or_with_the_moment_of_a_clip() {
    let findings = found(arm(NAMES, None), "shoulder-clavicle");
    let all = told(&findings);
    let [(joints, is_clip, lost)] = &all[..] else { panic!("{} findings", findings.len()) };
    assert!(*joints == [1, 2] && !is_clip && (5..40).contains(lost), "{lost} %");
    let FindingPose::Turned { joint: NodeId(2), axis, .. } = findings[0].pose else { panic!("no turn") };
    assert!(axis != Vec3::Y, "about its bone an arm is twisted");
    assert!(findings[0].message.starts_with("\"LeftArm\" hangs on \"Spine\""), "{}", findings[0].message);
    // A clip that raises the arm shows it.
    let mut parts = arm(NAMES, None);
    turning(&mut parts, 2, degrees(Vec3::X, 80.0));
    let findings = found(parts, "shoulder-clavicle");
    assert!(told(&findings)[0].1 && findings[0].message.contains("turned by 80°"), "{}", findings[0].message);
}

/// The same arm, so thin that its triangles are longer than the skin around a joint: what is enclosed there says nothing.
#[test]
fn advice_about_a_limb_of_few_long_triangles_gives_no_volume() {
    let thin = |mut parts: ModelParts| {
        skin(&mut parts).positions.iter_mut().for_each(|p| (p.x, p.z) = (p.x * 0.12, p.z * 0.12));
        parts
    };
    let twist = turned_hand(NAMES, None, degrees(Vec3::Y, -90.0));
    for (parts, rule) in [(arm(NAMES, None), "shoulder-clavicle"), (twist, "forearm-twist")] {
        let findings = found(thin(parts), rule);
        let [finding] = &findings[..] else { panic!("{rule}: {} findings", findings.len()) };
        assert!(finding.measure.is_none() && finding.message.contains("too few triangles"), "{}", finding.message);
    }
}

#[test]
fn shoulders_with_a_joint_between_and_rigs_of_unknown_names_are_not_told() {
    for names in [
        ["Hips", "Spine", "LeftShoulder", "LeftArm", "LeftForeArm"],
        ["Hips", "Spine", "some collar", "LeftArm", "LeftForeArm"],
        ["root", "a", "b", "c", "d"],
    ] {
        assert_eq!(told(&found(arm(names, None), "shoulder-clavicle")), [], "{names:?}");
    }
    // Nothing joins the arm with the body.
    let mut parts = arm(NAMES, None);
    let indices = &mut skin(&mut parts).indices;
    let is_arm = |t: &&[u32; 3]| t.iter().all(|v| v / 16 >= 30);
    *indices = indices.as_chunks::<3>().0.iter().filter(is_arm).flatten().copied().collect();
    assert_eq!(told(&found(parts, "shoulder-clavicle")), []);
}

/// The arm, whose hand a clip turns.
fn turned_hand(names: [&str; 5], more: Option<(&str, f32)>, turn: Quat) -> ModelParts {
    let mut parts = arm(names, more);
    turning(&mut parts, 4, turn);
    parts
}

#[test]
fn a_hand_that_a_clip_turns_about_a_forearm_without_twist_joint_is_told() {
    let findings = found(turned_hand(NAMES, None, degrees(Vec3::Y, -90.0)), "forearm-twist");
    let all = told(&findings);
    let [(joints, is_clip, lost)] = &all[..] else { panic!("{} findings", findings.len()) };
    assert!(*joints == [3, 4] && *is_clip && (5..60).contains(lost), "{lost} %");
    assert!(findings[0].message.contains("\"LeftHand\" is turned by 90°"), "{}", findings[0].message);
}

#[test]
fn a_hand_that_bends_a_small_twist_and_a_twist_joint_are_not_told() {
    let (twist, twisting) = (degrees(Vec3::Y, 90.0), Some(("LeftForeArmTwist", 2.5)));
    let none = |parts: ModelParts| assert_eq!(told(&found(parts, "forearm-twist")), []);
    none(turned_hand(NAMES, None, degrees(Vec3::X, 90.0)));
    none(turned_hand(NAMES, None, degrees(Vec3::Y, 40.0)));
    none(turned_hand(["root", "a", "b", "c", "d"], None, twist));
    let with_joint = |vertices: std::ops::Range<usize>| {
        let mut parts = turned_hand(NAMES, twisting, twist);
        vertices.for_each(|vertex| plant(skin(&mut parts), vertex, 4, 0.3));
        parts
    };
    none(with_joint(40 * 16..41 * 16));
    // A joint there that moves nothing takes no part of the twist.
    assert_eq!(told(&found(with_joint(0..0), "forearm-twist")).len(), 1);
}
