use glam::{Quat, Vec3};

use super::*;
use crate::test_shapes::{Joint, rigged};

fn rig(rows: &[(String, Option<usize>)]) -> Model {
    let joint = |(name, parent): &(String, Option<usize>)| Joint {
        name: name.clone(),
        parent: *parent,
        place: Vec3::Y,
        turned: Quat::IDENTITY,
    };
    rigged(&rows.iter().map(joint).collect::<Vec<_>>())
}

/// Hips, spine and head, both arms and both legs with these names, in which `@` is the side. `form` is the whole of a
/// name, in which `*` stands for it.
fn body(form: &str, middle: [&str; 3], arm: [&str; 3], leg: [&str; 3], sides: [&str; 2]) -> Model {
    let name = |text: &str| form.replace('*', text);
    let mut rows = vec![(name(middle[0]), None), (name(middle[1]), Some(0)), (name(middle[2]), Some(1))];
    for side in sides {
        for (parts, root) in [(arm, 1), (leg, 0)] {
            let mut parent = root;
            for part in parts {
                rows.push((name(&part.replace('@', side)), Some(parent)));
                parent = rows.len() - 1;
            }
        }
    }
    rig(&rows)
}

const SIDES: [&str; 2] = ["Left", "Right"];
const LETTERS: [&str; 2] = ["L", "R"];

/// A body with the names of Mixamo and these legs.
fn mixamo(form: &str, leg: [&str; 3]) -> Model {
    body(form, ["Hips", "Spine", "Head"], ["@Arm", "@ForeArm", "@Hand"], leg, SIDES)
}

const MIXAMO_LEG: [&str; 3] = ["@UpLeg", "@Leg", "@Foot"];

#[test]
fn families_are_told_by_their_names_taken_together() {
    let biped = (["Pelvis", "Spine", "Head"], ["@ UpperArm", "@ Forearm", "@ Hand"], ["@ Thigh", "@ Calf", "@ Foot"]);
    let rigify =
        (["spine", "spine.001", "spine.006"], ["upper_arm.@", "forearm.@", "hand.@"], ["thigh.@", "shin.@", "foot.@"]);
    let families = [
        (mixamo("*", MIXAMO_LEG), Family::Mixamo),
        (mixamo("mixamorig:*", MIXAMO_LEG), Family::Mixamo),
        (mixamo("mixamorig:*_07", MIXAMO_LEG), Family::Mixamo),
        (mixamo("Armature|mixamorig1*", MIXAMO_LEG), Family::Mixamo),
        (mixamo("Character1_*", MIXAMO_LEG), Family::HumanIk),
        (body("*", ["Hips", "LowerBack", "Head"], ["@Arm", "@ForeArm", "@Hand"], MIXAMO_LEG, SIDES), Family::Cmu),
        (
            body(
                "*",
                ["pelvis", "spine_01", "head"],
                ["upperarm_@", "lowerarm_@", "hand_@"],
                ["thigh_@", "calf_@", "foot_@"],
                ["l", "r"],
            ),
            Family::Unreal,
        ),
        (body("Bip001 *", biped.0, biped.1, biped.2, LETTERS), Family::Biped),
        (body("ValveBiped.Bip01_*", biped.0, biped.1, biped.2, LETTERS), Family::Biped),
        (body("DEF-*", rigify.0, rigify.1, rigify.2, LETTERS), Family::Rigify),
        (body("*", rigify.0, rigify.1, rigify.2, LETTERS), Family::Rigify),
        (
            body(
                "J_Bip_*",
                ["C_Hips", "C_Spine", "C_Head"],
                ["@_UpperArm", "@_LowerArm", "@_Hand"],
                ["@_UpperLeg", "@_LowerLeg", "@_Foot"],
                LETTERS,
            ),
            Family::VRoid,
        ),
        (
            body("*", ["センター", "上半身", "頭"], ["@腕", "@ひじ", "@手首"], ["@足", "@ひざ", "@足首"], ["左", "右"]),
            Family::Mmd,
        ),
        (
            body("*", ["下半身", "上半身", "頭"], ["腕.@", "ひじ.@", "手首.@"], ["足.@", "ひざ.@", "足首.@"], LETTERS),
            Family::Mmd,
        ),
        (
            body(
                "*",
                ["center", "upper body", "head"],
                ["arm_@", "elbow_@", "wrist_@"],
                ["leg_@", "knee_@", "ankle_@"],
                LETTERS,
            ),
            Family::Mmd,
        ),
        (
            body(
                "*",
                ["hip", "abdomenLower", "head"],
                ["@ShldrBend", "@ForearmBend", "@Hand"],
                ["@ThighBend", "@Shin", "@Foot"],
                ["l", "r"],
            ),
            Family::Daz,
        ),
        (
            body(
                "*",
                ["root", "spine05", "head"],
                ["upperarm01.@", "lowerarm01.@", "wrist.@"],
                ["upperleg01.@", "lowerleg01.@", "foot.@"],
                LETTERS,
            ),
            Family::MakeHuman,
        ),
        (
            body(
                "CC_Base_*",
                ["Hip", "Waist", "Head"],
                ["@_Upperarm", "@_Forearm", "@_Hand"],
                ["@_Thigh", "@_Calf", "@_Foot"],
                LETTERS,
            ),
            Family::CharacterCreator,
        ),
        (
            body(
                "*",
                ["Hips", "Spine", "Head"],
                ["@ arm", "@ elbow", "@ wrist"],
                ["@ leg", "@ knee", "@ ankle"],
                SIDES,
            ),
            Family::Cats,
        ),
    ];
    for (model, family) in families {
        let names = &model.skeleton.names;
        assert_eq!(model.rig().map(HumanoidRig::family), Some(family), "{names:?}");
        let rig = model.rig().unwrap();
        assert_eq!(rig.bones().count(), 3 + 2 * 6, "{names:?}");
        // The limbs come one after the other, each from its root down.
        for (limb, first) in [("left", "UpperArm"), ("right", "UpperLeg")] {
            let parts =
                if first == "UpperArm" { ["UpperArm", "LowerArm", "Hand"] } else { ["UpperLeg", "LowerLeg", "Foot"] };
            let nodes = parts.map(|part| rig.node(&format!("{limb}{part}")).unwrap());
            assert_eq!((nodes[1].0, nodes[2].0), (nodes[0].0 + 1, nodes[0].0 + 2), "{names:?}");
            assert_eq!((rig.limb_root(nodes[2]), rig.limb_root(nodes[1])), (Some(nodes[0]), None));
        }
    }
}

#[test]
fn names_that_do_not_fit_the_structure_tell_of_no_humanoid() {
    // A shin above its thigh, a foot above its shin, and a thigh that nobody calls so.
    for leg in [["@Leg", "@UpLeg", "@Foot"], ["@UpLeg", "@Foot", "@Leg"], ["@Bone_1", "@Leg", "@Foot"]] {
        assert_eq!(mixamo("*", leg).rig(), None, "{leg:?}");
    }
    let numbers: Vec<(String, Option<usize>)> =
        (0..22).map(|i: usize| (format!("joint_{i}"), i.checked_sub(1))).collect();
    assert_eq!(rig(&numbers).rig(), None);
    // What stands beside the body has the name of none of its parts.
    let mut rows: Vec<(String, Option<usize>)> = vec![("LeftHand".into(), None), ("Prop_Hips".into(), Some(0))];
    rows.push(("LeftFoot".into(), Some(1)));
    assert_eq!(rig(&rows).rig(), None);
}

#[test]
fn the_bones_that_a_file_names_beat_its_names() {
    let declared = [(NodeId(0), "hips".to_owned()), (NodeId(1), "leftUpperLeg".to_owned())];
    let rig = HumanoidRig::of(&mixamo("*", MIXAMO_LEG).skeleton, &[], &declared).unwrap();
    assert_eq!((rig.family(), rig.node("leftUpperLeg"), rig.node("head")), (Family::Vrm, Some(NodeId(1)), None));
}

#[test]
fn of_several_nodes_of_one_name_the_joint_is_the_bone() {
    let model = mixamo("*", MIXAMO_LEG);
    let mut parts: crate::ModelParts = (*model).clone();
    // A hat hangs on the head and is called as the head is; no skin has it.
    let hand = parts.skeleton.names.iter().position(|name| name == "LeftHand").unwrap();
    let hat = parts.skeleton.names.iter().position(|name| name == "RightHand").unwrap();
    parts.skeleton.names[hat] = "LeftHand".into();
    parts.skins[0].joints.retain(|joint| joint.index() != hat);
    parts.skins[0].inverse_bind.pop();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    influences.joints.iter_mut().for_each(|joint| *joint = 0);
    let rig = Model::build(parts).unwrap().rig().cloned().unwrap();
    assert_eq!((rig.node("leftHand"), rig.node("rightHand")), (Some(NodeId::from_index(hand)), None));
}

#[test]
fn a_spine_of_many_joints_has_three_that_have_names() {
    let wanted = [
        [None; 3],
        [Some(0), None, None],
        [Some(0), Some(1), None],
        [Some(0), Some(1), Some(2)],
        [Some(0), Some(1), Some(3)],
        [Some(0), Some(2), Some(4)],
    ];
    assert_eq!([0, 1, 2, 3, 4, 5].map(shares), wanted);
}

#[test]
fn the_hips_of_a_body_in_two_halves_carry_both_of_them() {
    let rows = |hips: &str| -> Vec<(String, Option<usize>)> {
        let arms = ["左腕", "左ひじ", "右腕", "右ひじ"].map(|name| name.to_owned());
        let mut rows = vec![("全ての親".to_owned(), None), (hips.to_owned(), Some(0)), ("上半身".to_owned(), Some(1))];
        rows.extend(arms.into_iter().zip([2, 3, 2, 5].map(Some)));
        rows.push(("下半身".to_owned(), Some(1)));
        rows.extend(
            ["左足", "左ひざ", "右足", "右ひざ"].map(|name| name.to_owned()).into_iter().zip([7, 8, 7, 10].map(Some)),
        );
        rows
    };
    for hips in ["センター", "腰"] {
        let model = rig(&rows(hips));
        let found = model.rig().unwrap();
        let name = |node: NodeId| model.skeleton.names[node.index()].as_str();
        assert_eq!((found.node("hips").map(name), found.pelvis.map(name)), (Some(hips), Some("下半身")));
    }
}
