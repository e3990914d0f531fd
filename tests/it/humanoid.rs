//! The joints of a standing figure, placed in figures that artists made, against the joints that these gave them.
//!
//! The corpus stands outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it only the built-in character is looked at.
#![expect(clippy::unwrap_used, reason = "a test that cannot read a figure fails")]

use std::path::Path;

use glam::Vec3;
use skinscope::edit::{Humanoid, humanoid_in, middle_of_body};
use skinscope::math::Ray;
use skinscope::model::{Model, ModelParts};

use crate::common;
use crate::common::open;

/// A joint of the humanoid, and that of the figure which stands for it.
type Pairs = &'static [(&'static str, &'static str)];

const CESIUM_MAN: Pairs = &[
    ("Hips", "Skeleton_torso_joint_1"),
    ("Neck", "Skeleton_neck_joint_1"),
    ("Head", "Skeleton_neck_joint_2"),
    ("UpperArm.L", "Skeleton_arm_joint_L__4_"),
    ("LowerArm.L", "Skeleton_arm_joint_L__3_"),
    ("Hand.L", "Skeleton_arm_joint_L__2_"),
    ("UpperLeg.L", "leg_joint_L_1"),
    ("LowerLeg.L", "leg_joint_L_2"),
    ("Foot.L", "leg_joint_L_3"),
];

const RIGGED_FIGURE: Pairs = &[
    ("Hips", "torso_joint_1"),
    ("Neck", "neck_joint_1"),
    ("Head", "neck_joint_2"),
    ("UpperArm.L", "arm_joint_L_1"),
    ("LowerArm.L", "arm_joint_L_2"),
    ("Hand.L", "arm_joint_L_3"),
    ("UpperLeg.R", "leg_joint_R_1"),
    ("LowerLeg.R", "leg_joint_R_2"),
    ("Foot.R", "leg_joint_R_3"),
];

const KNIGHT: Pairs = &[
    ("Hips", "hips"),
    ("Head", "head"),
    ("UpperArm.L", "upperarm.l"),
    ("LowerArm.L", "lowerarm.l"),
    ("Hand.L", "wrist.l"),
    ("UpperLeg.R", "upperleg.r"),
    ("LowerLeg.R", "lowerleg.r"),
    ("Foot.R", "foot.r"),
];

const CHARACTER: Pairs = &[
    ("Hips", "Hips"),
    ("Spine", "Spine"),
    ("Chest", "Chest"),
    ("Neck", "Neck"),
    ("Head", "Head"),
    ("Shoulder.L", "Shoulder.L"),
    ("UpperArm.R", "UpperArm.R"),
    ("LowerArm.R", "LowerArm.R"),
    ("Hand.R", "Hand.R"),
    ("UpperLeg.L", "UpperLeg.L"),
    ("LowerLeg.L", "LowerLeg.L"),
    ("Foot.L", "Foot.L"),
];

/// Where joints of the skins stand that move the meshes, as the meshes stand without them.
fn joints_of(model: &Model) -> Vec<(String, Vec3)> {
    let worlds = model.skeleton.worlds(&model.skeleton.rest);
    let mut out = Vec::new();
    for instance in &model.instances {
        let Some(skin) = instance.skin.map(|skin| &model.skins[skin.index()]) else { continue };
        for (joint, bind) in skin.joints.iter().zip(&skin.inverse_bind) {
            let at = (worlds[instance.node.index()] * bind.as_daffine3().inverse()).translation;
            out.push((model.skeleton.names[joint.index()].clone(), at.as_vec3()));
        }
    }
    out
}

/// The meshes that skins move, without these.
fn bare(model: &Model) -> Model {
    let mut parts: ModelParts = (**model).clone();
    parts.instances.retain(|instance| instance.skin.is_some());
    parts.instances.iter_mut().for_each(|instance| instance.skin = None);
    parts.skins.clear();
    parts.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).for_each(|p| p.stored_influences = None);
    Model::build(parts).unwrap()
}

fn compare(what: &str, model: &Model, pairs: Pairs) -> Humanoid {
    let (joints, bare) = (joints_of(model), bare(model));
    let placed = humanoid_in(&bare, None);
    let height = placed.frame.bounds.size().y;
    let at = |name: &str| placed.joints.iter().find(|joint| joint.name == name).unwrap().position;
    for (name, theirs) in pairs {
        let (_, there) = joints.iter().find(|(name, _)| name == theirs).unwrap();
        let far = at(name).distance(*there) / height;
        assert!(far < 0.12, "{what}: {name} is {far} of the height away from {theirs}");
    }
    for joint in &placed.joints {
        let origin = joint.position + Vec3::new(1e-4, 1e-4, 3.0) * height;
        let middle = middle_of_body(&bare, Ray { origin, direction: Vec3::NEG_Z });
        let far = middle.map_or(f32::INFINITY, |middle| middle.distance(joint.position) / height);
        assert!(far < 0.05, "{what}: {} is {far} of the height away from the middle of the body", joint.name);
    }
    placed
}

#[test]
fn a_humanoid_stands_where_the_joints_of_the_built_in_character_do() {
    let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let placed = compare("character", &open(&character, "character.glb"), CHARACTER);
    assert_eq!(placed.sections, ["hips", "neck", "legs", "arms"]);
    assert!(placed.frame.is_of_mesh);
}

#[test]
fn a_humanoid_stands_where_the_joints_of_the_corpus_do() {
    let Some(corpus) = common::corpus() else { return };
    for (file, pairs) in
        [("CesiumMan.glb", CESIUM_MAN), ("RiggedFigure.glb", RIGGED_FIGURE), ("KayKit_Knight.glb", KNIGHT)]
    {
        let placed = compare(file, &open(&corpus, &format!("models/{file}")), pairs);
        assert_eq!(placed.sections, ["hips", "neck", "legs", "arms"], "{file}");
    }
}
