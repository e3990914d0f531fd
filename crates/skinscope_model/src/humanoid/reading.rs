//! Reads the names of a skeleton as those of one family, and checks what they say against the structure.

use std::collections::{BTreeMap, HashMap};

use super::families::{Family, TABLES, Table, joints};
use super::{NodeId, Side, Skeleton, folded};

/// The most nodes that are tried as the hips of one family.
const MOST_TRIED: usize = 16;
/// The bones of the fingers in VRM 1.0, the little one last.
const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];
const ARM: [&str; 4] = ["Shoulder", "UpperArm", "LowerArm", "Hand"];
const LEG: [&str; 4] = ["UpperLeg", "LowerLeg", "Foot", "Toes"];

/// What the names of a skeleton say by one family.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub family: Family,
    /// All bones but those of spine and neck.
    pub bones: BTreeMap<String, NodeId>,
    pub spine: Vec<(usize, NodeId)>,
    pub neck: Vec<(usize, NodeId)>,
    pub pelvis: Option<NodeId>,
}

impl Reading {
    fn known(&self) -> usize {
        self.bones.len() + self.spine.len() + self.neck.len() + usize::from(self.pelvis.is_some())
    }
}

/// Returns the reading that knows the most joints of those that fit the structure.
pub(super) fn best(skeleton: &Skeleton, is_joint: &[bool]) -> Option<Reading> {
    // The folded names, whole and without a number at their end: most names end in no family's hips.
    let ends: Vec<[String; 2]> =
        skeleton.names.iter().map(|name| [name.as_str(), without_number(name)].map(|text| folded(text).1)).collect();
    let mut names: HashMap<(&str, bool), Names<'_>> = HashMap::new();
    let mut best: Option<Reading> = None;
    for table in TABLES.iter() {
        for hips in table.hips.split('|') {
            for (node, prefix, is_numbered) in ends_with(skeleton, &ends, hips).take(MOST_TRIED) {
                let names = names
                    .entry((prefix, is_numbered))
                    .or_insert_with(|| Names::of(skeleton, is_joint, prefix, is_numbered));
                let reading = names.read(table, node);
                let is_better = best.as_ref().is_none_or(|best| reading.known() > best.known());
                if is_better && fits(skeleton, &reading) {
                    best = Some(Reading { family: exact(table, prefix, skeleton), ..reading });
                }
            }
        }
    }
    best
}

/// Returns the nodes whose names end as the hips of a family are called, each with what stands before that, and whether
/// a number stands behind it, as converters append one to each name.
fn ends_with<'s>(
    skeleton: &'s Skeleton,
    ends: &'s [[String; 2]],
    hips: &'static str,
) -> impl Iterator<Item = (NodeId, &'s str, bool)> {
    let found = ends.iter().enumerate().filter(move |(_, ends)| ends.iter().any(|end| end.ends_with(hips)));
    found.filter_map(move |(node, _)| {
        let name = skeleton.names[node].as_str();
        let bare = without_number(name);
        let whole = prefix_before(name, hips).map(|prefix| (prefix, false));
        let found = whole.or_else(|| Some((prefix_before(bare, hips).filter(|_| bare != name)?, true)))?;
        Some((NodeId::from_index(node), found.0, found.1))
    })
}

/// Tells Mixamo and HumanIK apart, whose names are the same behind the prefix.
fn exact(table: &Table, prefix: &str, skeleton: &Skeleton) -> Family {
    let is_reference = |name: &String| folded(name).1.ends_with("reference");
    let prefix = folded(prefix).1;
    match table.family {
        Family::Mixamo if prefix.contains("mixamo") => Family::Mixamo,
        Family::Mixamo if prefix.contains("character") || skeleton.names.iter().any(is_reference) => Family::HumanIk,
        other => other,
    }
}

/// Returns a name without a number at its end that stands behind a separator.
fn without_number(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let rest = bare.trim_end_matches(['_', '.', ' ']);
    if bare.len() < name.len() && rest.len() < bare.len() && !rest.is_empty() { rest } else { name }
}

/// Returns what stands in a name before an end that folds to `end`; `None` where it has no such end. A capital, a
/// separator or a digit must tell the end from the letters before it.
fn prefix_before<'n>(name: &'n str, end: &str) -> Option<&'n str> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let most = end.chars().count();
    let begins = name.char_indices().rev().map(|(at, _)| at).take_while(|at| letters(&name[*at..]) <= most);
    let is_it = |text: &str| text.starts_with(char::is_alphanumeric) && folded(text) == (None, end.to_owned());
    let at = begins.filter(|at| letters(&name[*at..]) == most).find(|at| is_it(&name[*at..]))?;
    let before = &name[..at];
    let is_apart = before.is_empty() || !before.ends_with(char::is_alphabetic);
    (is_apart || name[at..].starts_with(char::is_uppercase)).then_some(before)
}

/// The nodes of a skeleton by their folded names, without a prefix.
struct Names<'s> {
    skeleton: &'s Skeleton,
    is_joint: &'s [bool],
    nodes: HashMap<(Option<Side>, String), Vec<usize>>,
}

impl<'s> Names<'s> {
    fn of(skeleton: &'s Skeleton, is_joint: &'s [bool], prefix: &str, is_numbered: bool) -> Self {
        let mut nodes: HashMap<(Option<Side>, String), Vec<usize>> = HashMap::new();
        for (node, name) in skeleton.names.iter().enumerate() {
            let bare = if is_numbered { without_number(name) } else { name };
            nodes.entry(folded(bare.strip_prefix(prefix).unwrap_or(bare))).or_default().push(node);
        }
        Self { skeleton, is_joint, nodes }
    }

    /// Returns the only node below the hips that has one of these names, the first of which counts; the only one of all
    /// where none is below them, and of several the only joint of a skin.
    fn find(
        &self,
        mut names: impl Iterator<Item = &'static str>,
        side: Option<Side>,
        below: std::ops::Range<usize>,
    ) -> Option<NodeId> {
        names.find_map(|name| {
            let all = self.nodes.get(&(side, name.to_owned()))?;
            let inside: Vec<usize> = all.iter().copied().filter(|node| below.contains(node)).collect();
            let found = if inside.is_empty() { all.clone() } else { inside };
            let is_joint = |node: &usize| self.is_joint.get(*node).copied().unwrap_or(false);
            match found[..] {
                [node] => Some(NodeId::from_index(node)),
                _ => {
                    let mut joints = found.iter().copied().filter(is_joint);
                    joints.next().filter(|_| joints.next().is_none()).map(NodeId::from_index)
                }
            }
        })
    }

    /// Reads the names below a node, which is the hips, by the table of a family.
    fn read(&self, table: &'static Table, hips: NodeId) -> Reading {
        let below = hips.index() + 1..self.skeleton.subtree_end(hips);
        let find = |names: std::str::Split<'static, char>, side| self.find(names, side, below.clone());
        let one = |names: &'static str| joints(names).next().and_then(|names| find(names, None));
        let chain = |list: &'static str| -> Vec<(usize, NodeId)> {
            joints(list).enumerate().filter_map(|(at, names)| Some((at, find(names, None)?))).collect()
        };
        let mut bones = BTreeMap::from([("hips".to_owned(), hips)]);
        for (bone, names) in [("head", table.head), ("jaw", table.jaw)] {
            bones.extend(one(names).map(|node| (bone.to_owned(), node)));
        }
        for (side, word) in [(Side::Left, "left"), (Side::Right, "right")] {
            let mut add = |bone: String, names: Option<std::str::Split<'static, char>>| {
                let node = names.and_then(|names| find(names, Some(side)));
                bones.extend(node.map(|node| (format!("{word}{bone}"), node)));
            };
            let limbs = ARM.into_iter().zip(table.arm).chain(LEG.into_iter().zip(table.leg));
            for (bone, names) in limbs.chain([("Eye", table.eye)]) {
                add(bone.to_owned(), joints(names).next());
            }
            for (finger, list) in FINGERS.into_iter().zip(table.fingers) {
                let parts = if finger == "Thumb" {
                    ["Metacarpal", "Proximal", "Distal"]
                } else {
                    ["Proximal", "Intermediate", "Distal"]
                };
                for (part, names) in parts.into_iter().zip(joints(list)) {
                    add(format!("{finger}{part}"), Some(names));
                }
            }
        }
        let (spine, mut neck) = (chain(table.spine), chain(table.neck));
        if table.family == Family::Rigify && !bones.contains_key("head") {
            bones.extend(neck.pop().map(|(_, head)| ("head".to_owned(), head)));
        }
        let pelvis = one(table.pelvis).filter(|pelvis| *pelvis != hips);
        let reading = Reading { family: table.family, bones, spine, neck, pelvis };
        checked_parts(self.skeleton, reading)
    }
}

/// Returns whether a node stands above another one.
fn is_above(skeleton: &Skeleton, above: NodeId, node: NodeId) -> bool {
    above != node && (above.index()..skeleton.subtree_end(above)).contains(&node.index())
}

/// Leaves out small parts that do not stand where they should: toes below no foot, fingers below no hand, eyes below no
/// head, a shoulder that does not carry the arm, a pelvis that does not carry the legs alone.
fn checked_parts(skeleton: &Skeleton, mut reading: Reading) -> Reading {
    let bones = reading.bones.clone();
    let stands = |upper: &str, node: NodeId| bones.get(upper).is_none_or(|upper| is_above(skeleton, *upper, node));
    reading.bones.retain(|bone, node| {
        if bone == "jaw" || bone.ends_with("Eye") {
            return stands("head", *node);
        }
        let word = if bone.starts_with("left") { "left" } else { "right" };
        let Some(part) = bone.strip_prefix(word) else { return true };
        match part {
            "Toes" => stands(&format!("{word}Foot"), *node),
            "Shoulder" => {
                let arm = bones.get(&format!("{word}UpperArm"));
                arm.is_none_or(|arm| is_above(skeleton, *node, *arm))
            }
            part if FINGERS.iter().any(|finger| part.starts_with(finger)) => stands(&format!("{word}Hand"), *node),
            _ => true,
        }
    });
    let thighs = ["left", "right"].map(|word| bones.get(&format!("{word}UpperLeg")).copied());
    let spine = reading.spine.first().map(|(_, node)| *node);
    reading.pelvis = reading.pelvis.filter(|pelvis| {
        let carries = |node: Option<NodeId>| node.is_some_and(|node| is_above(skeleton, *pelvis, node));
        thighs.into_iter().all(carries) && spine.is_some() && !carries(spine)
    });
    reading
}

/// Returns whether what the names say fits the structure: the hips stand above both legs, each thigh above its shin and
/// that above its foot, the joints of spine and neck above each other, arms likewise, and no side below the other one.
fn fits(skeleton: &Skeleton, reading: &Reading) -> bool {
    let bone = |name: &str| reading.bones.get(name).copied();
    let Some(hips) = bone("hips") else { return false };
    let in_order = |chain: &[NodeId]| chain.windows(2).all(|pair| is_above(skeleton, pair[0], pair[1]));
    let limb = |side: &str, parts: &[&str]| -> Vec<NodeId> {
        let own = parts.iter().filter_map(|part| bone(&format!("{side}{part}")));
        std::iter::once(hips).chain(own).collect()
    };
    let [left, right] = ["left", "right"].map(|side| [limb(side, &ARM[1..]), limb(side, &LEG[..3])]);
    if ![&left, &right].into_iter().flatten().all(|limb| in_order(limb)) {
        return false;
    }
    let has = |part: &str| ["left", "right"].iter().all(|side| bone(&format!("{side}{part}")).is_some());
    // Names of arms alone are those of many animals, too.
    if !(has("UpperLeg") && has("LowerLeg")) {
        return false;
    }
    let apart = |a: &[NodeId], b: &[NodeId]| match (a.get(1), b.get(1)) {
        (Some(a), Some(b)) => a != b && !is_above(skeleton, *a, *b) && !is_above(skeleton, *b, *a),
        _ => true,
    };
    let middle: Vec<NodeId> = std::iter::once(hips)
        .chain(reading.spine.iter().chain(&reading.neck).map(|(_, node)| *node))
        .chain(bone("head"))
        .collect();
    let mut all: Vec<NodeId> = reading.bones.values().copied().chain(middle[1..].iter().copied()).collect();
    all.sort_unstable();
    let heads = usize::from(bone("head").is_some());
    let is_one_to_one = {
        let before = all.len() - heads;
        all.dedup();
        all.len() == before
    };
    apart(&left[0], &right[0]) && apart(&left[1], &right[1]) && in_order(&middle) && is_one_to_one
}

/// Returns what bones the names of a list are, by the families that know the most of them: those on which all such
/// families agree, each with its index. Nothing is known of the structure here.
pub(super) fn of_names(names: &[&str]) -> Vec<(usize, String)> {
    let mut best: Vec<BTreeMap<usize, String>> = Vec::new();
    for table in TABLES.iter() {
        let found: BTreeMap<usize, String> =
            names.iter().enumerate().filter_map(|(at, name)| Some((at, bone_of(table, name)?))).collect();
        let most = best.first().map_or(1, BTreeMap::len);
        if found.len() > most {
            best.clear();
        }
        if found.len() >= best.first().map_or(1, BTreeMap::len) {
            best.push(found);
        }
    }
    let Some((first, others)) = best.split_first() else { return Vec::new() };
    let is_agreed = |(at, bone): &(&usize, &String)| others.iter().all(|other| other.get(at) == Some(bone));
    first.iter().filter(is_agreed).map(|(at, bone)| (*at, bone.clone())).collect()
}

/// Returns the limb's bone that a name is in a family, whatever prefix of a known program it has.
fn bone_of(table: &'static Table, name: &str) -> Option<String> {
    let name = name.rsplit_once([':', '|']).map_or(name, |(_, rest)| rest);
    let known = ["mixamorig", "Bip01", "Bip001", "Character1_", "DEF-", "J_Bip_", "CC_Base_"];
    let name = known.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let (side, key) = folded(name);
    let word = match side? {
        Side::Left => "left",
        Side::Right => "right",
    };
    let limbs = ARM.into_iter().zip(table.arm).chain(LEG.into_iter().zip(table.leg));
    let found = limbs.into_iter().find(|(_, names)| names.split('|').any(|name| name == key));
    found.map(|(bone, _)| format!("{word}{bone}"))
}
