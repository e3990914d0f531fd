//! The names of joints that programs give humanoid skeletons, one table for each family of names: `assets/humanoid_names.txt`.
//!
//! A name is compared in its folded form ([`super::folded`]). In the tables `|` separates names of one joint, and a space separates joints.

use std::sync::LazyLock;

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

/// The families that are known by names.
const NAMED: [Family; 13] = [
    Family::Mixamo,
    Family::Cmu,
    Family::Unreal,
    Family::Biped,
    Family::Rigify,
    Family::VRoid,
    Family::Mmd,
    Family::Daz,
    Family::MakeHuman,
    Family::CharacterCreator,
    Family::Cats,
    Family::BoneNames,
    Family::Blender,
];

/// Their tables, in the order of the file. Where two know the same number of joints the first one counts.
pub(super) static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    include_str!("../../../../assets/humanoid_names.txt").split("family: ").skip(1).filter_map(table).collect()
});

/// Reads a table, behind the word that begins one.
fn table(text: &'static str) -> Option<Table> {
    let family = text.lines().next()?;
    Some(Table {
        family: NAMED.into_iter().find(|named| named.name() == family)?,
        hips: list(text, "hips"),
        pelvis: list(text, "pelvis"),
        spine: list(text, "spine"),
        neck: list(text, "neck"),
        head: list(text, "head"),
        jaw: list(text, "jaw"),
        eye: list(text, "eye"),
        arm: parted(list(text, "arm"), " "),
        leg: parted(list(text, "leg"), " "),
        fingers: parted(list(text, "fingers"), ", "),
    })
}

/// A list of a table; empty where that has none.
fn list(table: &'static str, name: &str) -> &'static str {
    table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or_default()
}

fn parted<const N: usize>(list: &'static str, at: &'static str) -> [&'static str; N] {
    let mut parts = list.split(at);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// Returns the joints of a list of a table, each with its names.
pub(super) fn joints(list: &'static str) -> impl Iterator<Item = std::str::Split<'static, char>> {
    list.split(' ').filter(|names| !names.is_empty()).map(|names| names.split('|'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_a_whole_table() {
        assert!(TABLES.iter().map(|table| table.family).eq(NAMED));
        for table in TABLES.iter() {
            let one = [table.hips, table.spine, table.neck, table.head, table.jaw, table.eye];
            let all = one.into_iter().chain(table.arm).chain(table.leg);
            assert!(all.chain(table.fingers).all(|list| !list.is_empty()), "{:?}", table.family);
            assert!(table.fingers.iter().all(|finger| joints(finger).count() == 3), "{:?}", table.family);
        }
    }
}
