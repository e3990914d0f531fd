//! Recognises humanoid skeletons: by the bones that the file names (VRM), else by the names of a family of programs,
//! taken together and checked against the structure of the skeleton.

mod families;
mod pairing;
mod reading;

use std::collections::BTreeMap;

pub use families::Family;
use reading::Reading;

use super::{Model, NodeId, Side, Skeleton, side};

/// The joints between the hips and the neck, as VRM names them, from the lowest up.
const SPINE: [&str; 3] = ["spine", "chest", "upperChest"];

/// Which joints of a model are which bones of a humanoid. Bones have the names of VRM 1.0 (`leftUpperLeg`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HumanoidRig {
    family: Family,
    bones: BTreeMap<String, NodeId>,
    of_node: BTreeMap<NodeId, String>,
    /// The joints between the hips and the neck, from the lowest up, each with its place in the list of the family.
    spine: Vec<(usize, NodeId)>,
    /// The same of the joints between the spine and the head.
    neck: Vec<(usize, NodeId)>,
    /// The joint that carries the legs alone, where the hips carry it and the spine apart (`下半身` of MMD, `pelvis` of
    /// Daz).
    pelvis: Option<NodeId>,
}

impl HumanoidRig {
    /// Recognises the humanoid of a model; `None` where neither the file nor the names of its nodes tell of one. Of
    /// several humanoids in one file the one with the most known joints is found.
    #[must_use]
    pub(super) fn of(skeleton: &Skeleton, is_joint: &[bool], declared: &[(NodeId, String)]) -> Option<Self> {
        if !declared.is_empty() {
            return Some(Self::declared(declared));
        }
        reading::best(skeleton, is_joint).map(Self::read)
    }

    /// Makes the rig of bones that somebody names, each with its node.
    #[must_use]
    pub fn of_bones(bones: &[(NodeId, String)]) -> Self {
        Self::declared(bones)
    }

    /// Makes the rig of the bones that a file names. The bones of a thumb have other names in VRM 0.x: the proximal
    /// bone there is the metacarpal here.
    fn declared(declared: &[(NodeId, String)]) -> Self {
        let is_older = declared.iter().any(|(_, name)| name.ends_with("ThumbIntermediate"));
        let newer = |name: &String| match is_older {
            true => name.replace("ThumbProximal", "ThumbMetacarpal").replace("ThumbIntermediate", "ThumbProximal"),
            false => name.clone(),
        };
        let bones: BTreeMap<String, NodeId> = declared.iter().map(|(node, name)| (newer(name), *node)).collect();
        let chain =
            |names: &[&str]| names.iter().enumerate().filter_map(|(at, name)| Some((at, *bones.get(*name)?))).collect();
        let (spine, neck) = (chain(&SPINE), chain(&["neck"]));
        let of_node = bones.iter().map(|(bone, node)| (*node, bone.clone())).collect();
        Self { family: Family::Vrm, bones, of_node, spine, neck, pelvis: None }
    }

    fn read(reading: Reading) -> Self {
        let Reading { family, mut bones, spine, neck, pelvis } = reading;
        for (bone, at) in SPINE.into_iter().zip(shares(spine.len())) {
            bones.extend(at.map(|at| (bone.to_owned(), spine[at].1)));
        }
        bones.extend(neck.first().map(|(_, node)| ("neck".to_owned(), *node)));
        let of_node = bones.iter().map(|(bone, node)| (*node, bone.clone())).collect();
        Self { family, bones, of_node, spine, neck, pelvis }
    }

    /// Returns the family of names that the rig was recognised by.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// Returns the bones with their nodes, in the order of the names of bones.
    pub fn bones(&self) -> impl Iterator<Item = (&str, NodeId)> {
        self.bones.iter().map(|(bone, node)| (bone.as_str(), *node))
    }

    /// Returns the node of a bone, such as `leftUpperLeg`.
    #[must_use]
    pub fn node(&self, bone: &str) -> Option<NodeId> {
        self.bones.get(bone).copied()
    }

    /// Returns the bone that a node is.
    #[must_use]
    pub fn bone(&self, node: NodeId) -> Option<&str> {
        self.of_node.get(&node).map(String::as_str)
    }

    /// Returns whether the rig knows what a node is: a bone, or another joint of the spine, the neck or the pelvis.
    #[must_use]
    pub fn knows(&self, node: NodeId) -> bool {
        let is_it = |(_, other): &(usize, NodeId)| *other == node;
        self.of_node.contains_key(&node)
            || self.pelvis == Some(node)
            || self.spine.iter().any(is_it)
            || self.neck.iter().any(is_it)
    }

    /// Returns which bones of limbs the names of a list are, each with its index, where nothing but names is known: what
    /// all those families say that know the most of them.
    #[must_use]
    pub fn bones_of_names(names: &[&str]) -> Vec<(usize, String)> {
        reading::of_names(names)
    }

    /// Returns the bone on the other side: `rightHand` for `leftHand`.
    #[must_use]
    pub fn opposite(bone: &str) -> Option<String> {
        let other = |from: &str, to: &str| bone.strip_prefix(from).map(|rest| format!("{to}{rest}"));
        other("left", "right").or_else(|| other("right", "left"))
    }

    /// Returns the first joint of the limb that ends with a joint: of a hand the upper arm, of a foot the upper leg.
    #[must_use]
    pub fn limb_root(&self, joint: NodeId) -> Option<NodeId> {
        let bone = self.bone(joint)?;
        let limb = |end: &str, of: &str| {
            let side = bone.strip_suffix(end)?;
            Some(["Upper", "Lower"].map(|part| format!("{side}{part}{of}")))
        };
        let [upper, lower] = limb("Hand", "Arm").or_else(|| limb("Foot", "Leg"))?;
        self.node(&lower).and_then(|_| self.node(&upper))
    }
}

/// Returns which of `count` joints of a spine are spine, chest and upper chest.
fn shares(count: usize) -> [Option<usize>; 3] {
    match count {
        0 => [None; 3],
        1 => [Some(0), None, None],
        2 => [Some(0), Some(1), None],
        _ => [Some(0), Some((count - 1) / 2), Some(count - 1)],
    }
}

/// Returns a name in lower case without what separates its words, but with `_` between digits that are apart.
#[must_use]
pub fn joined(name: &str, is_separator: &dyn Fn(char) -> bool) -> String {
    let (mut out, mut is_apart) = (String::new(), false);
    for letter in name.chars() {
        if is_separator(letter) {
            is_apart = true;
            continue;
        }
        if is_apart && letter.is_ascii_digit() && out.ends_with(|c: char| c.is_ascii_digit()) {
            out.push('_');
        }
        is_apart = false;
        out.extend(letter.to_lowercase());
    }
    out
}

/// Returns a name in the form in which families are compared, with its side: in lower case, letters and digits alone,
/// with `_` between digits that are apart. Wide forms of Latin letters and digits are narrow.
fn folded(name: &str) -> (Option<Side>, String) {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    };
    let name: String = name.chars().map(narrow).collect();
    let (side, rest) = side(&name).map_or((None, name), |(side, rest)| (Some(side), rest));
    (side, joined(&rest, &|letter| !letter.is_alphanumeric()))
}

impl Model {
    /// Returns the humanoid that this model is: by the bones that its file names, else by the names of a family of
    /// programs. The first call finds it; later calls return the stored result.
    #[must_use]
    pub fn rig(&self) -> Option<&HumanoidRig> {
        self.shared.rig.get_or_init(|| HumanoidRig::of(&self.skeleton, &self.shared.is_joint, &self.humanoid)).as_ref()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
