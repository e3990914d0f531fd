//! The joints of a standing figure, placed in figures that artists made, against the joints that these gave them.
//!
//! The corpus stands outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it only the built-in character is looked at.
#![expect(clippy::unwrap_used, reason = "a test that cannot read a figure fails")]

use std::path::Path;

use glam::{Quat, Vec3};
use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::bind::BindSettings;
use skinscope::edit::{Humanoid, PlacedAxes, bind_placed, humanoid_in, middle_of_body};
use skinscope::math::{Ray, Transform};
use skinscope::model::{
    Instance, LocalPose, Mesh, MeshId, Model, ModelParts, NodeId, Primitive, Scene, Skeleton, SourceInfo,
};
use skinscope::parallel::JobContext;
use skinscope::pose::NameMap;
use skinscope::session::TakenClips;

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
fn the_built_in_character_has_its_own_left_and_right_where_it_is_turned_around() {
    let bare = bare(&open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"), "character.glb"));
    let straight = humanoid_in(&bare, None);
    let turn = Quat::from_rotation_y(std::f32::consts::PI);
    let mut parts: ModelParts = (*bare).clone();
    for primitive in parts.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.positions.iter_mut().for_each(|position| *position = turn * *position);
    }
    let turned = humanoid_in(&Model::build(parts).unwrap(), None);
    assert!(straight.frame.is_by_feet && turned.frame.is_by_feet);
    assert_eq!((straight.frame.faces(), turned.frame.faces()), ("+Z", "-Z"));
    let height = straight.frame.bounds.size().y;
    for (joint, other) in turned.joints.iter().zip(&straight.joints) {
        let far = joint.position.distance(turn * other.position) / height;
        assert!(joint.name == other.name && far < 0.02, "{} is {far} of the height away", joint.name);
    }
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

/// The first mesh of a model at a node of its own, without joints.
fn alone(model: &Model) -> Model {
    let Primitive { indices, positions, stored_vertices, .. } = model.meshes[0].primitives[0].clone();
    let primitive = Primitive { indices, positions, stored_vertices, ..Primitive::default() };
    let parts = ModelParts {
        source: SourceInfo { name: "figure".into(), version: "2.0".into(), ..SourceInfo::default() },
        skeleton: Skeleton {
            parents: vec![None],
            names: vec!["Body".into()],
            file_index: vec![0],
            rest: LocalPose { transforms: vec![Transform::IDENTITY], ..LocalPose::default() },
            residuals: Vec::new(),
            far: None,
        },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true] }],
        meshes: vec![Mesh { name: "body".into(), primitives: vec![primitive], ..Mesh::default() }],
        instances: vec![Instance { node: NodeId(0), mesh: MeshId(0), ..Instance::default() }],
        ..ModelParts::default()
    };
    Model::build(parts).unwrap()
}

/// Where the joints are at a moment of a clip that was made for another model.
fn walking(model: &Model, other: &Model, time: f32) -> Vec<Vec3> {
    let taken = TakenClips::of(model, other, "character.glb", &NameMap::default()).unwrap();
    let model = &model.with_clips(taken.clips).unwrap();
    let clip = model.clips.iter().find(|clip| clip.name == "Walk").unwrap();
    let (mut pose, mut nodes) = (LocalPose::default(), Vec::new());
    reset_to_rest(&model.skeleton, &mut pose);
    sample(model, clip, time, &mut SampleScratch::default(), &mut pose);
    local_to_model(&model.skeleton, &pose, &mut nodes);
    model.skins[0].joints.iter().map(|joint| Vec3::from(nodes[joint.index()].translation)).collect()
}

#[test]
fn a_clip_of_another_file_looks_the_same_whichever_way_axes_point() {
    let character = open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"), "character.glb");
    let figure = alone(&character);
    let joints = humanoid_in(&figure, None).joints;
    let settings = BindSettings { method: "nearest".to_owned(), ..BindSettings::default() };
    let [bone, world] = [PlacedAxes::Bone, PlacedAxes::World].map(|axes| {
        let out = bind_placed(&figure, (&joints[..], axes), None, &settings, &JobContext::of_waiting()).unwrap();
        figure.with_bindings(&out.change).unwrap()
    });
    let farthest = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let mut moved = 0.0_f32;
    let first = walking(&bone, &character, 0.0);
    for time in [0.0, 0.2, 0.45, 0.7] {
        let [along, plain] = [&bone, &world].map(|model| walking(model, &character, time));
        let far = farthest(&along, &plain);
        assert!(far < 2e-3, "at {time} s a joint is {far} m away");
        moved = moved.max(farthest(&along, &first));
    }
    assert!(moved > 0.05, "the clip moves no joint farther than {moved} m");
}
