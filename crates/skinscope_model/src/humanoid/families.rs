//! The names of joints that programs give humanoid skeletons, one table for each family of names.
//!
//! A name is compared in its folded form ([`super::folded`]): without its side, in lower case, without separators
//! except between digits. In the tables `|` separates names of one joint, and a space separates joints.

/// A family of joint names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// The file itself says which node is which bone (VRM 0.x, VRM 1.0, VRM animations).
    Vrm,
    /// Mixamo, with or without its prefix, and avatars that have its names.
    Mixamo,
    /// HumanIK of MotionBuilder and Maya, which has the names of Mixamo behind another prefix.
    HumanIk,
    /// The motion capture database of Carnegie Mellon University, as BVH files have it.
    Cmu,
    /// The mannequins of Unreal Engine.
    Unreal,
    /// Biped of 3ds Max.
    Biped,
    /// Rigify of Blender: its metarig and its deform bones.
    Rigify,
    /// VRoid Studio.
    VRoid,
    /// MikuMikuDance, with Japanese or English names.
    Mmd,
    /// Daz Studio, Genesis 1 to 9.
    Daz,
    /// The default skeleton of MakeHuman.
    MakeHuman,
    /// Character Creator and AccuRig.
    CharacterCreator,
    /// The names that Cats gives avatars of VRChat.
    Cats,
    /// The names of humanoid bones in VRM and Unity, as names of nodes.
    BoneNames,
    /// Thighs, shins, upper arms and forearms below hips, as many rigs of Blender name them.
    Blender,
}

impl Family {
    /// Returns its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vrm => "VRM",
            Self::Mixamo => "Mixamo",
            Self::HumanIk => "HumanIK",
            Self::Cmu => "CMU motion capture",
            Self::Unreal => "Unreal",
            Self::Biped => "Biped",
            Self::Rigify => "Rigify",
            Self::VRoid => "VRoid",
            Self::Mmd => "MMD",
            Self::Daz => "Daz",
            Self::MakeHuman => "MakeHuman",
            Self::CharacterCreator => "Character Creator",
            Self::Cats => "Cats",
            Self::BoneNames => "humanoid bone names",
            Self::Blender => "Blender",
        }
    }
}

/// The names of one family.
#[derive(Debug)]
pub(super) struct Table {
    pub family: Family,
    /// The joint that carries legs and spine, the lowest first where a family has several.
    pub hips: &'static str,
    /// The joint between the hips and the legs that does not carry the spine.
    pub pelvis: &'static str,
    /// The joints between the hips and the neck, from the lowest up.
    pub spine: &'static str,
    /// The joints between the spine and the head.
    pub neck: &'static str,
    pub head: &'static str,
    pub jaw: &'static str,
    pub eye: &'static str,
    /// The shoulder, the upper arm, the lower arm and the hand.
    pub arm: [&'static str; 4],
    /// The upper leg, the lower leg, the foot and the toes.
    pub leg: [&'static str; 4],
    /// The three joints of the thumb and of the fingers, the little one last.
    pub fingers: [&'static str; 5],
}

/// The names that Mixamo and HumanIK share.
const MIXAMO: Table = Table {
    family: Family::Mixamo,
    hips: "hips",
    pelvis: "",
    spine: "spine spine1 spine2 spine3 spine4 spine5 spine6 spine7 spine8 spine9",
    neck: "neck neck1 neck2",
    head: "head",
    jaw: "jaw",
    eye: "eye",
    arm: ["shoulder", "arm", "forearm", "hand"],
    leg: ["upleg", "leg", "foot", "toebase"],
    fingers: [
        "handthumb1 handthumb2 handthumb3",
        "handindex1 handindex2 handindex3",
        "handmiddle1 handmiddle2 handmiddle3",
        "handring1 handring2 handring3",
        "handpinky1 handpinky2 handpinky3",
    ],
};

/// Fingers that are numbered behind their names, from 1 on.
const NUMBERED: [&str; 5] = [
    "thumb1 thumb2 thumb3",
    "index1 index2 index3",
    "middle1 middle2 middle3",
    "ring1 ring2 ring3",
    "pinky1|little1 pinky2|little2 pinky3|little3",
];

/// Fingers that are numbered behind their names, with a zero before the digit.
const WITH_ZERO: [&str; 5] = [
    "thumb01 thumb02 thumb03",
    "index01 index02 index03",
    "middle01 middle02 middle03",
    "ring01 ring02 ring03",
    "pinky01 pinky02 pinky03",
];

/// All families that are known by names. Where two know the same number of joints the first one counts.
pub(super) const TABLES: [Table; 13] = [
    MIXAMO,
    Table {
        family: Family::Cmu,
        spine: "lowerback spine spine1",
        neck: "neck neck1",
        fingers: [
            "thumb|handthumb1 handthumb2 handthumb3",
            "handindex1 handindex2 handindex3",
            "handmiddle1 handmiddle2 handmiddle3",
            "handring1 handring2 handring3",
            "handpinky1 handpinky2 handpinky3",
        ],
        ..MIXAMO
    },
    Table {
        family: Family::Unreal,
        hips: "pelvis",
        pelvis: "",
        spine: "spine01 spine02 spine03 spine04 spine05",
        neck: "neck01 neck02",
        head: "head",
        jaw: "jaw",
        eye: "eye",
        arm: ["clavicle", "upperarm", "lowerarm", "hand"],
        leg: ["thigh", "calf", "foot", "ball"],
        fingers: WITH_ZERO,
    },
    Table {
        family: Family::Biped,
        hips: "pelvis",
        pelvis: "",
        spine: "spine spine1 spine2 spine3 spine4",
        neck: "neck neck1 neck2",
        head: "head|head1",
        jaw: "jaw",
        eye: "eye",
        arm: ["clavicle", "upperarm", "forearm", "hand"],
        leg: ["thigh", "calf", "foot", "toe0"],
        fingers: [
            "finger0 finger01 finger02",
            "finger1 finger11 finger12",
            "finger2 finger21 finger22",
            "finger3 finger31 finger32",
            "finger4 finger41 finger42",
        ],
    },
    Table {
        family: Family::Rigify,
        hips: "spine",
        pelvis: "",
        spine: "spine001 spine002 spine003",
        neck: "spine004 spine005",
        head: "spine006|head",
        jaw: "jaw",
        eye: "eye",
        arm: ["shoulder", "upperarm", "forearm", "hand"],
        leg: ["thigh", "shin", "foot", "toe"],
        fingers: [
            "thumb01 thumb02 thumb03",
            "findex01 findex02 findex03",
            "fmiddle01 fmiddle02 fmiddle03",
            "fring01 fring02 fring03",
            "fpinky01 fpinky02 fpinky03",
        ],
    },
    Table {
        family: Family::VRoid,
        hips: "chips",
        pelvis: "",
        spine: "cspine cchest cupperchest",
        neck: "cneck",
        head: "chead",
        jaw: "cjaw",
        eye: "jadjfaceeye|faceeye",
        arm: ["shoulder", "upperarm", "lowerarm", "hand"],
        leg: ["upperleg", "lowerleg", "foot", "toebase"],
        fingers: NUMBERED,
    },
    Table {
        family: Family::Mmd,
        hips: "下半身|lowerbody|腰|waist|グルーブ|groove|センター|center",
        pelvis: "下半身|lowerbody",
        spine: "上半身|upperbody 上半身1|upperbody1 上半身2|upperbody2 上半身3|upperbody3",
        neck: "首|neck 首1|neck1",
        head: "頭|head",
        jaw: "あご|顎|jaw",
        eye: "目|eye",
        arm: ["肩|shoulder", "腕|arm", "ひじ|肘|elbow", "手首|wrist"],
        leg: ["足|leg", "ひざ|膝|knee", "足首|ankle", "足先ex|legtipex|つま先|toe"],
        fingers: [
            "親指0|thumb0 親指1|thumb1 親指2|thumb2",
            "人指1|人差指1|fore1|index1 人指2|人差指2|fore2|index2 人指3|人差指3|fore3|index3",
            "中指1|middle1 中指2|middle2 中指3|middle3",
            "薬指1|third1|ring1 薬指2|third2|ring2 薬指3|third3|ring3",
            "小指1|little1 小指2|little2 小指3|little3",
        ],
    },
    Table {
        family: Family::Daz,
        hips: "hip",
        pelvis: "pelvis",
        spine: "abdomenlower|abdomen|spine1 abdomenupper|abdomen2|spine2 chestlower|chest|spine3 chestupper|spine4",
        neck: "necklower|neck|neck1 neckupper|neck2",
        head: "head",
        jaw: "lowerjaw",
        eye: "eye",
        arm: ["collar|shoulder", "shldrbend|shldr|upperarm", "forearmbend|forearm", "hand"],
        leg: ["thighbend|thigh", "shin", "foot", "toe|toes"],
        fingers: [
            "thumb1 thumb2 thumb3",
            "index1 index2 index3",
            "mid1 mid2 mid3",
            "ring1 ring2 ring3",
            "pinky1 pinky2 pinky3",
        ],
    },
    Table {
        family: Family::MakeHuman,
        hips: "root",
        pelvis: "",
        spine: "spine05 spine04 spine03 spine02 spine01",
        neck: "neck01 neck02 neck03",
        head: "head",
        jaw: "jaw",
        eye: "eye",
        arm: ["clavicle", "upperarm01", "lowerarm01", "wrist"],
        leg: ["upperleg01", "lowerleg01", "foot", "toe"],
        fingers: [
            "finger1_1 finger1_2 finger1_3",
            "finger2_1 finger2_2 finger2_3",
            "finger3_1 finger3_2 finger3_3",
            "finger4_1 finger4_2 finger4_3",
            "finger5_1 finger5_2 finger5_3",
        ],
    },
    Table {
        family: Family::CharacterCreator,
        hips: "hip",
        pelvis: "pelvis",
        spine: "waist spine01 spine02",
        neck: "necktwist01 necktwist02",
        head: "head",
        jaw: "jawroot",
        eye: "eye",
        arm: ["clavicle", "upperarm", "forearm", "hand"],
        leg: ["thigh", "calf", "foot", "toebase"],
        fingers: [
            "thumb1 thumb2 thumb3",
            "index1 index2 index3",
            "mid1 mid2 mid3",
            "ring1 ring2 ring3",
            "pinky1 pinky2 pinky3",
        ],
    },
    Table {
        family: Family::Cats,
        hips: "hips",
        pelvis: "",
        spine: "spine chest upperchest",
        neck: "neck",
        head: "head",
        jaw: "jaw",
        eye: "eye",
        arm: ["shoulder", "arm", "elbow", "wrist"],
        leg: ["leg", "knee", "ankle", "toe"],
        fingers: [
            "thumb0 thumb1 thumb2",
            "indexfinger1 indexfinger2 indexfinger3",
            "middlefinger1 middlefinger2 middlefinger3",
            "ringfinger1 ringfinger2 ringfinger3",
            "littlefinger1 littlefinger2 littlefinger3",
        ],
    },
    Table {
        family: Family::BoneNames,
        hips: "hips",
        pelvis: "",
        spine: "spine chest upperchest",
        neck: "neck",
        head: "head",
        jaw: "jaw",
        eye: "eye",
        arm: ["shoulder", "upperarm", "lowerarm", "hand"],
        leg: ["upperleg", "lowerleg", "foot", "toes|toe|toebase"],
        fingers: [
            "thumbmetacarpal|thumb1 thumbproximal|thumb2 thumbdistal|thumb3",
            "indexproximal|index1 indexintermediate|index2 indexdistal|index3",
            "middleproximal|middle1 middleintermediate|middle2 middledistal|middle3",
            "ringproximal|ring1 ringintermediate|ring2 ringdistal|ring3",
            "littleproximal|little1|pinky1 littleintermediate|little2|pinky2 littledistal|little3|pinky3",
        ],
    },
    Table {
        family: Family::Blender,
        hips: "hips|hip|pelvis",
        pelvis: "",
        spine: "spine spine1|chest spine2|upperchest",
        neck: "neck",
        head: "head",
        jaw: "jaw",
        eye: "eye",
        arm: ["shoulder|clavicle", "upperarm", "forearm|lowerarm", "hand"],
        leg: ["thigh|upperleg", "shin|lowerleg|calf", "foot", "toe|toes"],
        fingers: [
            "thumb01 thumb02 thumb03",
            "findex01 findex02 findex03",
            "fmiddle01 fmiddle02 fmiddle03",
            "fring01 fring02 fring03",
            "fpinky01 fpinky02 fpinky03",
        ],
    },
];

/// Returns the joints of a list of a table, each with its names.
pub(super) fn joints(list: &'static str) -> impl Iterator<Item = std::str::Split<'static, char>> {
    list.split(' ').filter(|names| !names.is_empty()).map(|names| names.split('|'))
}
