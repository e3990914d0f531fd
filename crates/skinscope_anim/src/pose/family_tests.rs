//! Clips between the humanoids of all families of names, each with joints of other axes.

use std::collections::BTreeMap;

use glam::{Affine3A, EulerRot, Mat3A, Quat, Vec3};
use skinscope_model::test_shapes::{Joint, rigged};
use skinscope_model::{Channel, Clip, Interpolation, LocalPose, Model, ModelParts, NodeId, Path, Sampler, Values};

use super::{NodeMap, carry_clips};
use crate::{SampleScratch, evaluate_clip};

/// The names of one family: lists of `bone=name`, in which `@` is the side. A name below another joint than usual has it
/// behind `<`. What is no bone has the place of the bone that it begins with, in brackets.
struct Names {
    family: &'static str,
    sides: [&'static str; 2],
    list: &'static str,
    /// The joints of the spine and the neck, from the lowest up.
    spine: &'static str,
    neck: &'static str,
}

const MIXAMO: &str = "hips=Hips head=Head @Eye=@Eye @Shoulder=@Shoulder @UpperArm=@Arm @LowerArm=@ForeArm @Hand=@Hand \
    @ThumbMetacarpal=@HandThumb1 @ThumbProximal=@HandThumb2 @ThumbDistal=@HandThumb3 @IndexProximal=@HandIndex1 \
    @IndexIntermediate=@HandIndex2 @IndexDistal=@HandIndex3 @LittleProximal=@HandPinky1 @UpperLeg=@UpLeg @LowerLeg=@Leg \
    @Foot=@Foot @Toes=@ToeBase";

/// All families. Fingers are as their programs number them.
const FAMILIES: [Names; 14] = [
    Names { family: "Mixamo", sides: ["Left", "Right"], list: MIXAMO, spine: "Spine Spine1 Spine2", neck: "Neck" },
    Names {
        family: "Mixamo:",
        sides: ["mixamorig:Left", "mixamorig:Right"],
        list: "hips=mixamorig:Hips head=mixamorig:Head @Shoulder=@Shoulder @UpperArm=@Arm @LowerArm=@ForeArm @Hand=@Hand \
            @ThumbMetacarpal=@HandThumb1 @IndexProximal=@HandIndex1 @UpperLeg=@UpLeg @LowerLeg=@Leg @Foot=@Foot @Toes=@ToeBase",
        spine: "mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2",
        neck: "mixamorig:Neck",
    },
    Names {
        family: "HumanIK",
        sides: ["Character1_Left", "Character1_Right"],
        list: "hips=Character1_Hips head=Character1_Head @Shoulder=@Shoulder @UpperArm=@Arm @LowerArm=@ForeArm @Hand=@Hand \
            @LittleProximal=@HandPinky1 @UpperLeg=@UpLeg @LowerLeg=@Leg @Foot=@Foot @Toes=@ToeBase",
        spine: "Character1_Spine Character1_Spine1 Character1_Spine2 Character1_Spine3",
        neck: "Character1_Neck Character1_Neck1",
    },
    Names {
        family: "CMU",
        sides: ["Left", "Right"],
        list: "hips=Hips head=Head @Shoulder=@Shoulder @UpperArm=@Arm @LowerArm=@ForeArm @Hand=@Hand \
            @IndexProximal=@HandIndex1 @UpperLeg=@UpLeg @LowerLeg=@Leg @Foot=@Foot @Toes=@ToeBase",
        spine: "LowerBack Spine Spine1",
        neck: "Neck Neck1",
    },
    Names {
        family: "Unreal",
        sides: ["l", "r"],
        list: "[hips]=root hips=pelvis<root head=head @Shoulder=clavicle_@ @UpperArm=upperarm_@ @LowerArm=lowerarm_@ \
            [@LowerArm]=upperarm_twist_01_@<upperarm_@ @Hand=hand_@ @ThumbMetacarpal=thumb_01_@ @ThumbProximal=thumb_02_@ \
            @ThumbDistal=thumb_03_@ @IndexProximal=index_01_@ @IndexIntermediate=index_02_@ @IndexDistal=index_03_@ \
            @LittleProximal=pinky_01_@ @UpperLeg=thigh_@ @LowerLeg=calf_@ @Foot=foot_@ @Toes=ball_@ [@Foot]=ik_foot_@<root",
        spine: "spine_01 spine_02 spine_03 spine_04 spine_05",
        neck: "neck_01 neck_02",
    },
    Names {
        family: "Biped",
        sides: ["L", "R"],
        list: "[hips]=Bip01 hips=Bip01_Pelvis<Bip01 head=Bip01_Head @Shoulder=Bip01_@_Clavicle @UpperArm=Bip01_@_UpperArm \
            @LowerArm=Bip01_@_Forearm @Hand=Bip01_@_Hand @ThumbMetacarpal=Bip01_@_Finger0 @ThumbProximal=Bip01_@_Finger01 \
            @ThumbDistal=Bip01_@_Finger02 @IndexProximal=Bip01_@_Finger1 @IndexIntermediate=Bip01_@_Finger11 \
            @IndexDistal=Bip01_@_Finger12 @LittleProximal=Bip01_@_Finger4 @UpperLeg=Bip01_@_Thigh @LowerLeg=Bip01_@_Calf \
            @Foot=Bip01_@_Foot @Toes=Bip01_@_Toe0",
        spine: "Bip01_Spine Bip01_Spine1 Bip01_Spine2",
        neck: "Bip01_Neck",
    },
    Names {
        family: "Rigify",
        sides: ["L", "R"],
        list: "hips=DEF-spine head=DEF-spine.006 [@UpperLeg]=DEF-pelvis.@<DEF-spine @Shoulder=DEF-shoulder.@ \
            @UpperArm=DEF-upper_arm.@ [@UpperArm]=DEF-upper_arm.@.001<DEF-upper_arm.@ @LowerArm=DEF-forearm.@<DEF-upper_arm.@.001 \
            @Hand=DEF-hand.@ @ThumbMetacarpal=DEF-thumb.01.@ @ThumbProximal=DEF-thumb.02.@ @IndexProximal=DEF-f_index.01.@ \
            @LittleProximal=DEF-f_pinky.01.@ @UpperLeg=DEF-thigh.@ @LowerLeg=DEF-shin.@ @Foot=DEF-foot.@ @Toes=DEF-toe.@",
        spine: "DEF-spine.001 DEF-spine.002 DEF-spine.003",
        neck: "DEF-spine.004 DEF-spine.005",
    },
    Names {
        family: "VRoid",
        sides: ["L", "R"],
        list: "hips=J_Bip_C_Hips head=J_Bip_C_Head @Eye=J_Adj_@_FaceEye @Shoulder=J_Bip_@_Shoulder @UpperArm=J_Bip_@_UpperArm \
            @LowerArm=J_Bip_@_LowerArm @Hand=J_Bip_@_Hand @ThumbMetacarpal=J_Bip_@_Thumb1 @IndexProximal=J_Bip_@_Index1 \
            @LittleProximal=J_Bip_@_Little1 @UpperLeg=J_Bip_@_UpperLeg @LowerLeg=J_Bip_@_LowerLeg @Foot=J_Bip_@_Foot \
            @Toes=J_Bip_@_ToeBase",
        spine: "J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest",
        neck: "J_Bip_C_Neck",
    },
    Names {
        family: "MMD",
        sides: ["左", "右"],
        list: "hips=センター [hips]=下半身<センター head=頭 @Eye=@目 @Shoulder=@肩 @UpperArm=@腕 @LowerArm=@ひじ @Hand=@手首 \
            @ThumbMetacarpal=@親指０ @ThumbProximal=@親指１ @ThumbDistal=@親指２ @IndexProximal=@人指１ \
            @IndexIntermediate=@人指２ @IndexDistal=@人指３ @LittleProximal=@小指１ @UpperLeg=@足<下半身 @LowerLeg=@ひざ \
            @Foot=@足首 @Toes=@足先EX",
        spine: "上半身 上半身2",
        neck: "首",
    },
    Names {
        family: "Daz",
        sides: ["l", "r"],
        list: "hips=hip [hips]=pelvis<hip head=head @Eye=@Eye @Shoulder=@Collar @UpperArm=@ShldrBend \
            [@UpperArm]=@ShldrTwist<@ShldrBend @LowerArm=@ForearmBend<@ShldrTwist @Hand=@Hand @ThumbMetacarpal=@Thumb1 \
            @IndexProximal=@Index1 @LittleProximal=@Pinky1 @UpperLeg=@ThighBend<pelvis [@UpperLeg]=@ThighTwist<@ThighBend \
            @LowerLeg=@Shin<@ThighTwist @Foot=@Foot @Toes=@Toe",
        spine: "abdomenLower abdomenUpper chestLower chestUpper",
        neck: "neckLower neckUpper",
    },
    Names {
        family: "MakeHuman",
        sides: ["L", "R"],
        list: "hips=root head=head @Eye=eye.@ [@UpperLeg]=pelvis.@<root @Shoulder=clavicle.@ @UpperArm=upperarm01.@ \
            @LowerArm=lowerarm01.@ @Hand=wrist.@ @ThumbMetacarpal=finger1-1.@ @IndexProximal=finger2-1.@ \
            @LittleProximal=finger5-1.@ @UpperLeg=upperleg01.@<pelvis.@ @LowerLeg=lowerleg01.@ @Foot=foot.@",
        spine: "spine05 spine04 spine03 spine02 spine01",
        neck: "neck01 neck02 neck03",
    },
    Names {
        family: "bones",
        sides: ["left", "right"],
        list: "hips=hips head=head @Eye=@Eye @Shoulder=@Shoulder @UpperArm=@UpperArm @LowerArm=@LowerArm @Hand=@Hand \
            @ThumbMetacarpal=@ThumbMetacarpal @UpperLeg=@UpperLeg @LowerLeg=@LowerLeg @Foot=@Foot @Toes=@Toes",
        spine: "spine chest upperChest",
        neck: "neck",
    },
    // The names of these say something else; the file says what they are.
    Names {
        family: "VRM 0.x",
        sides: ["Left", "Right"],
        list: "hips=Head head=Hips @Shoulder=@UpLeg @UpperArm=@_leg @LowerArm=@Leg @Hand=@Foot @ThumbMetacarpal=@Arm \
            @IndexProximal=@thigh @UpperLeg=@ForeArm @LowerLeg=@Hand @Foot=@Knee @Toes=@Spine",
        spine: "Neck Spine",
        neck: "Root",
    },
    Names {
        family: "VRM 1.0",
        sides: ["Left", "Right"],
        list: "hips=Hips head=Head @Eye=@_Eye @Shoulder=@_shoulder @UpperArm=@_arm @LowerArm=@_elbow @Hand=@_wrist \
            @UpperLeg=@_leg @LowerLeg=@_knee @Foot=@_ankle @Toes=@_toe",
        spine: "Spine Chest Upper_Chest",
        neck: "Neck",
    },
];

/// Where a bone of a figure of 1.7 m rests that stands with its arms aside, metres.
fn place(bone: &str) -> Vec3 {
    let (part, sign) = match (bone.strip_prefix("left"), bone.strip_prefix("right")) {
        (Some(part), _) => (part, 1.0),
        (_, Some(part)) => (part, -1.0),
        _ => (bone, 1.0),
    };
    let at = match part {
        "hips" => [0.0, 1.0, 0.0],
        "head" => [0.0, 1.6, 0.02],
        "Eye" => [0.03, 1.66, 0.1],
        "Shoulder" => [0.05, 1.45, 0.0],
        "UpperArm" => [0.18, 1.46, 0.0],
        "LowerArm" => [0.46, 1.46, -0.01],
        "Hand" => [0.72, 1.46, 0.0],
        "ThumbMetacarpal" => [0.74, 1.45, 0.03],
        "ThumbProximal" => [0.77, 1.45, 0.05],
        "ThumbDistal" => [0.8, 1.45, 0.07],
        "IndexProximal" => [0.81, 1.46, 0.03],
        "IndexIntermediate" => [0.84, 1.46, 0.03],
        "IndexDistal" => [0.86, 1.46, 0.03],
        "LittleProximal" => [0.8, 1.46, -0.03],
        "UpperLeg" => [0.1, 0.94, 0.0],
        "LowerLeg" => [0.1, 0.5, 0.02],
        "Foot" => [0.1, 0.09, 0.0],
        "Toes" => [0.1, 0.03, 0.14],
        other => panic!("{other} has no place"),
    };
    Vec3::new(sign * at[0], at[1], at[2])
}

/// The bone above another one.
fn above(part: &str) -> &str {
    match part {
        "Eye" => "head",
        "UpperArm" => "Shoulder",
        "LowerArm" => "UpperArm",
        "Hand" => "LowerArm",
        "ThumbProximal" => "ThumbMetacarpal",
        "ThumbDistal" => "ThumbProximal",
        "IndexIntermediate" => "IndexProximal",
        "IndexDistal" => "IndexIntermediate",
        "UpperLeg" => "hips",
        "LowerLeg" => "UpperLeg",
        "Foot" => "LowerLeg",
        "Toes" => "Foot",
        _ => "Hand",
    }
}

/// A figure of a family.
struct Figure {
    model: Model,
    /// The names of its bones; those of spine and neck are `spine 0`, `spine 1`, …
    names: BTreeMap<String, String>,
    counts: [usize; 2],
    /// How it is turned as a whole.
    facing: Quat,
    size: f32,
}

impl Figure {
    fn node(&self, bone: &str) -> Option<NodeId> {
        let name = self.names.get(bone)?;
        self.model.skeleton.names.iter().position(|other| other == name).map(NodeId::from_index)
    }
}

/// Axes of a joint that no other one has.
fn axes(seed: usize, joint: usize) -> Quat {
    let at = (seed * 31 + joint * 7) as f32;
    Quat::from_euler(EulerRot::XYZ, at, 0.7 * at.sin(), 1.3 * at.cos())
}

/// Makes the figure of a family; `with_mesh` its bones are the joints of a skin.
fn figure(family: &Names, seed: usize, size: f32) -> Figure {
    let facing = if family.family == "VRM 0.x" { Quat::from_rotation_y(std::f32::consts::PI) } else { Quat::IDENTITY };
    let mut rows: Vec<(String, Option<String>, Vec3)> = Vec::new();
    let mut names = BTreeMap::new();
    let chains = [("spine", family.spine, 1.1, 1.42), ("neck", family.neck, 1.5, 1.58)];
    let entries: Vec<&str> = family.list.split_whitespace().collect();
    let side_of = |entry: &str| if entry.contains('@') { vec![("left", 0), ("right", 1)] } else { vec![("", 0)] };
    let mut add = |entry: &str, word: &str, side: usize, names: &mut BTreeMap<String, String>| {
        let (bone, name) = entry.split_once('=').unwrap();
        let (name, parent) = name.split_once('<').map_or((name, None), |(name, parent)| (name, Some(parent)));
        let sided = |text: &str| text.replace('@', family.sides[side]);
        let is_bone = !bone.starts_with('[');
        let bone = bone.trim_matches(['[', ']']);
        let part = bone.trim_start_matches('@');
        let bone = bone.replace('@', word);
        let usual = || match part {
            "hips" => None,
            "head" => family.neck.split(' ').next_back().map(str::to_owned),
            "Shoulder" => family.spine.split(' ').next_back().map(str::to_owned),
            part => {
                let upper = above(part);
                names.get(upper).or_else(|| names.get(&format!("{word}{upper}"))).cloned()
            }
        };
        let parent = parent.map(sided).or_else(usual);
        rows.push((sided(name), parent, place(&bone)));
        if is_bone {
            names.insert(bone, sided(name));
        }
    };
    let is_first = |entry: &&str| entry.starts_with("hips=") || entry.contains("[hips]=");
    entries.iter().filter(|e| is_first(e)).for_each(|entry| add(entry, "", 0, &mut names));
    let hips = names["hips"].clone();
    let mut counts = [0; 2];
    let mut chain_rows = Vec::new();
    let mut parent = hips;
    for (at, (chain, list, low, high)) in chains.into_iter().enumerate() {
        let all: Vec<&str> = list.split(' ').collect();
        counts[at] = all.len();
        for (i, name) in all.iter().enumerate() {
            let height = low + (high - low) * i as f32 / all.len() as f32;
            chain_rows.push(((*name).to_owned(), Some(parent.clone()), Vec3::new(0.0, height, 0.0)));
            names.insert(format!("{chain} {i}"), (*name).to_owned());
            (*name).clone_into(&mut parent);
        }
    }
    for entry in entries.iter().filter(|entry| !is_first(entry)) {
        side_of(entry).into_iter().for_each(|(word, side)| add(entry, word, side, &mut names));
    }
    if let Some(pelvis) = ["下半身", "pelvis"].into_iter().find(|name| {
        rows.iter().any(|(row, parent, _)| row == name && parent.as_deref() == Some(names["hips"].as_str()))
    }) {
        names.insert("pelvis".into(), pelvis.to_owned());
    }
    rows.extend(chain_rows);
    // Parents come first.
    let mut sorted: Vec<(String, Option<String>, Vec3)> = Vec::new();
    while !rows.is_empty() {
        let before = rows.len();
        rows.retain(|row| {
            let is_ready = row.1.as_ref().is_none_or(|parent| sorted.iter().any(|(name, ..)| name == parent));
            if is_ready {
                sorted.push(row.clone());
            }
            !is_ready
        });
        assert!(rows.len() < before, "{}: {rows:?}", family.family);
    }
    let joints: Vec<Joint> = sorted
        .iter()
        .enumerate()
        .map(|(i, (name, parent, at))| Joint {
            name: name.clone(),
            parent: parent.as_ref().map(|parent| sorted.iter().position(|(name, ..)| name == parent).unwrap()),
            place: facing * (*at * size),
            turned: facing * axes(seed, i),
        })
        .collect();
    let mut out = Figure { model: rigged(&joints), names, counts, facing, size };
    if family.family.starts_with("VRM") {
        let mut parts: ModelParts = (*out.model).clone();
        let spine = ["spine", "chest", "upperChest"];
        let bone = |bone: &str| match bone.split_once(' ') {
            Some(("spine", at)) => spine[at.parse::<usize>().unwrap()].to_owned(),
            Some(_) => "neck".to_owned(),
            None => bone.to_owned(),
        };
        let mut humanoid: Vec<(NodeId, String)> =
            out.names.keys().map(|name| (out.node(name).unwrap(), bone(name))).collect();
        humanoid.sort();
        parts.humanoid = humanoid;
        out.model = Model::build(parts).unwrap();
    }
    out
}

/// The figure with a clip in which all its bones turn, each in its own way, and its hips step.
fn dancing(figure: &Figure) -> Model {
    let mut parts: ModelParts = (*figure.model).clone();
    let mut clip = Clip { name: "Dance".into(), end_secs: 1.0, times: vec![vec![0.0, 1.0]], ..Clip::default() };
    for (i, bone) in figure.names.keys().enumerate() {
        let node = figure.node(bone).unwrap();
        let rest = parts.skeleton.rest.transforms[node.index()];
        let turn = Quat::from_axis_angle(
            Vec3::new((i as f32).sin(), (i as f32).cos(), 0.4).normalize(),
            0.2 + 0.03 * i as f32,
        );
        let mut add = |path, values| {
            clip.samplers.push(Sampler { times: 0, interpolation: Interpolation::Linear, values });
            clip.channels.push(Channel { node, path, sampler: clip.samplers.len() - 1 });
        };
        add(Path::Rotation, Values::Quat(vec![rest.rotation, rest.rotation * turn].into()));
        if bone == "hips" {
            let step = Vec3::new(0.2, -0.1, 0.3) * figure.size;
            add(Path::Translation, Values::Vec3(vec![rest.translation, rest.translation + step].into()));
        }
    }
    parts.clips = vec![clip];
    Model::build(parts).unwrap()
}

fn posed(model: &Model, secs: f32) -> Vec<Affine3A> {
    let (mut local, mut world) = (LocalPose::default(), Vec::new());
    evaluate_clip(model, &model.clips[0], secs, &mut SampleScratch::default(), &mut local, &mut world);
    world
}

fn resting(model: &Model) -> Vec<Affine3A> {
    let mut world = Vec::new();
    crate::local_to_model(&model.skeleton, &model.skeleton.rest, &mut world);
    world
}

/// How a node is turned from rest, seen by somebody whom the figure faces.
fn turned(figure: &Figure, rest: &[Affine3A], now: &[Affine3A], node: NodeId) -> Mat3A {
    let facing = Mat3A::from_quat(figure.facing);
    facing.transpose() * now[node.index()].matrix3 * rest[node.index()].matrix3.inverse() * facing
}

/// Returns the bones of a figure with those of another one that are the same.
fn same_bones(from: &Figure, to: &Figure, is_one_family: bool) -> Vec<(String, String)> {
    let both = |bone: &&String| to.names.contains_key(*bone) && !bone.contains(' ') && *bone != "pelvis";
    let mut out: Vec<(String, String)> =
        from.names.keys().filter(both).map(|bone| (bone.clone(), bone.clone())).collect();
    match (from.names.contains_key("pelvis"), to.names.contains_key("pelvis")) {
        (true, true) => out.push(("pelvis".into(), "pelvis".into())),
        (true, false) => {
            out.iter_mut().filter(|(bone, _)| bone == "hips").for_each(|(bone, _)| "pelvis".clone_into(bone))
        }
        _ => {}
    }
    for (chain, [m, n]) in [("spine", [from.counts[0], to.counts[0]]), ("neck", [from.counts[1], to.counts[1]])] {
        let pair = |a: usize, b: usize| (format!("{chain} {a}"), format!("{chain} {b}"));
        if m == n {
            out.extend((0..m).map(|i| pair(i, i)));
        } else if is_one_family || m.max(n) <= 3 {
            out.extend((0..m.min(n)).map(|i| pair(i, i)));
        } else if m > 1 && n > 1 {
            out.extend([pair(0, 0), pair(m - 1, n - 1)]);
        } else {
            out.push(pair(if n == 1 { m - 1 } else { 0 }, 0));
        }
    }
    out
}

#[test]
fn a_dance_of_every_family_is_danced_by_every_other_one() {
    let figures: Vec<Figure> =
        FAMILIES.iter().enumerate().map(|(i, family)| figure(family, i + 1, 1.0 + 0.1 * i as f32)).collect();
    for (theirs, from) in FAMILIES.iter().zip(&figures) {
        let source = dancing(from);
        assert!(source.rig().is_some(), "{}", theirs.family);
        let (rest, now) = (resting(&source), posed(&source, 1.0));
        for (ours, to) in FAMILIES.iter().zip(&figures) {
            let what = format!("{} to {}", theirs.family, ours.family);
            let carried = carry_clips(&source, &to.model, &NodeMap::new());
            assert_eq!(carried.clips.len(), 1, "{what}");
            let target = to.model.with_clips(carried.clips).unwrap();
            let (own_rest, own) = (resting(&target), posed(&target, 1.0));
            let is_one_family = theirs.family == ours.family
                || ["Mixamo", "HumanIK"].iter().any(|f| theirs.family.starts_with(f))
                    && ["Mixamo", "HumanIK"].iter().any(|f| ours.family.starts_with(f))
                || theirs.family.starts_with("VRM") && ours.family.starts_with("VRM");
            for (bone, own_bone) in same_bones(from, to, is_one_family) {
                let (there, here) = (from.node(&bone).unwrap(), to.node(&own_bone).unwrap());
                let (wanted, got) = (turned(from, &rest, &now, there), turned(to, &own_rest, &own, here));
                assert!(wanted.abs_diff_eq(got, 2e-3), "{what}: {bone} turns {own_bone}\n{wanted}\n{got}");
            }
            let step = |figure: &Figure, rest: &[Affine3A], now: &[Affine3A]| {
                let hips = figure.node("hips").unwrap().index();
                figure.facing.inverse() * Vec3::from(now[hips].translation - rest[hips].translation) / figure.size
            };
            let (wanted, got) = (step(from, &rest, &now), step(to, &own_rest, &own));
            assert!(wanted.distance(got) < 2e-3, "{what}: the hips step {wanted}, {got}");
        }
    }
}

#[test]
fn what_carries_the_hips_and_is_not_here_carries_them_too() {
    let unreal = &FAMILIES[4];
    let (from, to) = (figure(unreal, 1, 1.0), figure(&FAMILIES[0], 2, 2.0));
    let mut parts: ModelParts = (*from.model).clone();
    let root = NodeId::from_index(parts.skeleton.names.iter().position(|name| name == "root").unwrap());
    let rest = parts.skeleton.rest.transforms[root.index()];
    let (away, turn) = (rest.translation + Vec3::new(0.0, 0.0, 1.0), rest.rotation * Quat::from_rotation_z(0.4));
    let mut clip = Clip { name: "Walk".into(), end_secs: 1.0, times: vec![vec![0.0, 1.0]], ..Clip::default() };
    for (path, values) in [
        (Path::Translation, Values::Vec3(vec![rest.translation, away].into())),
        (Path::Rotation, Values::Quat(vec![rest.rotation, turn].into())),
    ] {
        clip.samplers.push(Sampler { times: 0, interpolation: Interpolation::Linear, values });
        clip.channels.push(Channel { node: root, path, sampler: clip.samplers.len() - 1 });
    }
    parts.clips = vec![clip];
    let source = Model::build(parts).unwrap();
    let carried = carry_clips(&source, &to.model, &NodeMap::new());
    let target = to.model.with_clips(carried.clips).unwrap();
    let [a, b] = [from.node("hips").unwrap(), to.node("hips").unwrap()].map(NodeId::index);
    let (wanted, got) = (posed(&source, 1.0)[a], posed(&target, 1.0)[b]);
    let steps =
        [wanted.translation - resting(&source)[a].translation, got.translation - resting(&target)[b].translation];
    assert!(steps[0].length() > 0.9 && (steps[0] * 2.0).distance(steps[1]) < 1e-3, "{steps:?}");
    assert!(
        turned(&from, &resting(&source), &posed(&source, 1.0), NodeId::from_index(a))
            .abs_diff_eq(turned(&to, &resting(&target), &posed(&target, 1.0), NodeId::from_index(b)), 1e-4)
    );
}
