//! What holds for every method: which joints may have weight at all, and what has to agree afterwards. Each rule can be switched off.

use crate::{Applied, BindProblem, BindSettings};

/// A rule. Its work is done where its id is asked for; see [`crate::bind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name on the command line and in reports.
    pub id: &'static str,
    /// What it is called in the window.
    pub label: &'static str,
    /// A sentence that says what it does.
    pub help: &'static str,
}

/// Helpers have no weight.
pub const HELPERS: &str = "helpers";
/// Roots have no weight.
pub const ROOTS: &str = "roots";
/// Left and right have the same weights.
pub const MIRRORED: &str = "mirrored";
/// Left is not moved by right.
pub const SIDES: &str = "sides";
/// A small loose piece follows one joint.
pub const LOOSE_PIECES: &str = "loose-pieces";

/// All rules.
pub static RULES: &[Rule] = &[
    Rule {
        id: HELPERS,
        label: "Helper joints",
        help: "Joints whose names say that they control others (IK, pole, target, end, socket and the like) get no weight",
    },
    Rule {
        id: ROOTS,
        label: "Root joints",
        help: "Joints above the one where the skeleton begins, such as a root on the ground, get no weight",
    },
    Rule { id: SIDES, label: "Left and right", help: "No joint of one side moves what lies far on the other side" },
    Rule {
        id: MIRRORED,
        label: "Mirrored weights",
        help: "Where mesh and skeleton are mirror images of themselves, the weights are so too",
    },
    Rule {
        id: LOOSE_PIECES,
        label: "Loose pieces",
        help: "A loose piece that one joint moves for the most part follows it as a whole",
    },
];

/// The words in names of joints that are there to control others, or to hang things on.
const HELPER_WORDS: &str = "ik fk pole poles target targets ctrl control controls controller goal helper aim org mch vis end nub tip slot \
    socket attach attachment locator null dummy marker prop eff effector";
/// The words in names of joints above the one where a skeleton begins.
const ROOT_WORDS: &str = "root armature scene world origin global reference master cog";
/// Joints nearer to each other than this share of the size stand at one place.
const SAME_PLACE: f64 = 1e-6;

/// Returns the words of a name in lower case: it is divided at what is no letter, and where a capital letter follows a small one.
fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_lowercase();
        if (!c.is_alphabetic() || begins) && out.last().is_some_and(|word| !word.is_empty()) {
            out.push(String::new());
        }
        if let Some(word) = out.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether one of the words of a name is in a list.
fn has_word(name: &str, list: &str) -> bool {
    words(name).iter().any(|word| list.split_whitespace().any(|other| other == word))
}

/// Returns for each joint whether it may have weight, and the rules that said no. `size` is the unit of the heads of the shape.
pub fn free_joints(problem: &BindProblem, settings: &BindSettings, size: f64) -> (Vec<bool>, Vec<Applied>) {
    let joints = &problem.joints;
    let may: Vec<bool> = joints.iter().map(|joint| joint.may_bind).collect();
    let mut is_helper = vec![false; joints.len()];
    if settings.has_rule(HELPERS) {
        let names = |name: &str| has_word(name, HELPER_WORDS);
        is_helper = joints.iter().map(|joint| names(&joint.name)).collect();
        // A skeleton of helpers alone is none.
        if may.iter().zip(&is_helper).all(|(may, is_helper)| !may || *is_helper) {
            is_helper.fill(false);
        }
    }
    let mut is_root = vec![false; joints.len()];
    if settings.has_rule(ROOTS) {
        mark_roots(problem, &is_helper, SAME_PLACE * size, &mut is_root);
        let stays = |joint: usize| may[joint] && !is_helper[joint] && !is_root[joint];
        if !(0..joints.len()).any(stays) {
            is_root.fill(false);
        }
    }
    let applied = |rule: &'static str, flags: &[bool]| -> Vec<Applied> {
        let of = |joint: usize| Applied { rule, joint: Some(joint as u32), island: None };
        (0..joints.len()).filter(|joint| may[*joint] && flags[*joint]).map(of).collect()
    };
    let mut rules = applied(HELPERS, &is_helper);
    rules.extend(applied(ROOTS, &is_root));
    let free = (0..joints.len()).map(|joint| may[joint] && !is_helper[joint] && !is_root[joint]).collect();
    (free, rules)
}

/// Marks the joints above the one where the skeleton begins: from each joint without a parent down, as long as there is one way down alone.
fn mark_roots(problem: &BindProblem, is_helper: &[bool], same_place: f64, is_root: &mut [bool]) {
    let joints = &problem.joints;
    let mut has_bones = is_helper.iter().map(|is_helper| !is_helper).collect::<Vec<bool>>();
    for joint in (0..joints.len()).filter(|joint| !is_helper[*joint]) {
        let mut at = joints[joint].parent;
        while let Some(above) = at.filter(|above| !has_bones[*above]) {
            has_bones[above] = true;
            at = joints[above].parent;
        }
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
    for (joint, row) in joints.iter().enumerate().filter(|(joint, _)| has_bones[*joint]) {
        row.parent.iter().for_each(|parent| below[*parent].push(joint));
    }
    for start in (0..joints.len()).filter(|joint| joints[*joint].parent.is_none()) {
        let mut at = start;
        while let [next] = below[at][..] {
            let is_named = has_word(&joints[at].name, ROOT_WORDS);
            if !is_named && joints[at].head.distance(joints[next].head) > same_place {
                break;
            }
            is_root[at] = true;
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::Joint;

    #[test]
    fn names_are_divided_into_words() {
        assert_eq!(words("LeftHandIK_03.end"), ["left", "hand", "ik", "end"]);
        assert_eq!(words("ctrl-foot"), ["ctrl", "foot"]);
        assert!(words("3_4").is_empty());
    }

    #[test]
    fn helpers_and_roots_get_nothing_unless_there_is_nothing_else() {
        let joint = |name: &str, parent, y: f64| Joint {
            name: name.to_owned(),
            parent,
            head: DVec3::Y * y,
            may_bind: true,
            ..Joint::default()
        };
        let joints = vec![
            joint("Root", None, 0.0),
            joint("Hips", Some(0), 1.0),
            joint("Spine", Some(1), 1.5),
            joint("FootIK", Some(0), 0.1),
            joint("Spine_end", Some(2), 2.0),
        ];
        let mut problem = BindProblem { joints, ..BindProblem::default() };
        let settings = BindSettings::default();
        let (free, rules) = free_joints(&problem, &settings, 1.0);
        assert_eq!(free, [false, true, true, false, false]);
        let ids: Vec<(&str, Option<u32>)> = rules.iter().map(|applied| (applied.rule, applied.joint)).collect();
        assert_eq!(ids, [(HELPERS, Some(3)), (HELPERS, Some(4)), (ROOTS, Some(0))]);
        let off = BindSettings { rules_off: [HELPERS, ROOTS].map(str::to_owned).into(), ..settings.clone() };
        assert_eq!(free_joints(&problem, &off, 1.0).0, [true; 5]);
        problem.joints.truncate(1);
        assert_eq!(free_joints(&problem, &settings, 1.0).0, [true]);
    }
}
