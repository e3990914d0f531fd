//! What holds for every method: which joints may have weight at all, and what has to agree afterwards. Each rule can be switched off.

use glam::{DMat3, DVec3};

use crate::bones::{Bone, Bones};
use crate::frame;
use crate::progress::Progress;
use crate::shape::Shape;
use crate::surface::Surface;
use crate::{Applied, BindError, BindProblem, BindSettings};

/// A rule. Its work is done where its id is asked for; see [`bind`](crate::bind()).
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
pub(crate) const HELPERS: &str = "helpers";
/// Joints near no surface have no weight.
pub(crate) const NEAR_NOTHING: &str = "near-nothing";
/// Roots have no weight.
pub const ROOTS: &str = "roots";
/// Left and right have the same weights.
pub(crate) const MIRRORED: &str = "mirrored";
/// Left is not moved by right.
pub const SIDES: &str = "sides";
/// A small loose piece follows one joint.
pub(crate) const LOOSE_PIECES: &str = "loose-pieces";

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
    Rule {
        id: NEAR_NOTHING,
        label: "Joints near nothing",
        help: "Joints that stand outside of the body, with no surface near their bones, get no weight",
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
        help: "A loose piece that one joint moves for the most part follows it as a whole, and a small one that moves nearly evenly moves as one",
    },
];

/// The words in names of joints that are there to control others, or to hang things on.
const HELPER_WORDS: &str = "ik fk pole poles target targets ctrl control controls controller goal helper aim org mch vis end nub tip slot \
    socket attach attachment locator null dummy marker prop eff effector";
/// The joint that Blender's exporter adds for vertices without weights.
const NEUTRAL: &str = "neutral_bone";
/// The words in names of joints above the one where a skeleton begins.
const ROOT_WORDS: &str = "root armature scene world origin global reference master cog";

/// Returns the words of a name in lower case: it is divided at what is no letter, where a capital letter follows a small one, and before the
/// last of several capital letters that a small one follows.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut out = vec![String::new()];
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied().unwrap_or(' ');
        let is_last_capital = before.is_uppercase() && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = c.is_uppercase() && (before.is_lowercase() || is_last_capital);
        if (!c.is_alphabetic() || begins) && out.last().is_some_and(|word| !word.is_empty()) {
            out.push(String::new());
        }
        if let Some(word) = out.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether one of the words of a name is in a list.
fn has_word(name: &str, list: &str) -> bool {
    words(name).iter().any(|word| list.split_whitespace().any(|other| other == word))
}

/// Which joints may have weight.
pub struct Free {
    /// For each joint whether it may.
    pub is_free: Vec<bool>,
    /// The rules that said no.
    pub applied: Vec<Applied>,
    /// The rules that would have left no joint, and therefore do not hold.
    pub given_way: Vec<&'static str>,
}

/// Finds the joints that may have weight. `is_far` says which are near no surface. Where no joint would be left, rules give way: first that
/// about surfaces, then that about names, then that about roots.
pub(crate) fn free_joints(problem: &BindProblem, settings: &BindSettings, same_place: f64, is_far: &[bool]) -> Free {
    let joints = &problem.joints;
    let mut holding: Vec<&'static str> =
        [NEAR_NOTHING, HELPERS, ROOTS].into_iter().filter(|rule| settings.has_rule(rule)).collect();
    let mut given_way = Vec::new();
    loop {
        let flags = |rule: &'static str, of: &dyn Fn(usize) -> bool| -> Vec<bool> {
            let holds = holding.contains(&rule);
            (0..joints.len()).map(|joint| holds && of(joint)).collect()
        };
        let is_far = flags(NEAR_NOTHING, &|joint| is_far.get(joint).is_some_and(|is_far| *is_far));
        let is_helper =
            flags(HELPERS, &|joint| joints[joint].name == NEUTRAL || has_word(&joints[joint].name, HELPER_WORDS));
        let mut is_root = vec![false; joints.len()];
        if holding.contains(&ROOTS) {
            mark_roots(problem, &is_helper, same_place, &mut is_root);
        }
        let rules = [(HELPERS, &is_helper), (ROOTS, &is_root), (NEAR_NOTHING, &is_far)];
        let says_no = |joint: usize| rules.iter().find(|(_, flags)| flags[joint]).map(|(rule, _)| *rule);
        let may: Vec<usize> = (0..joints.len()).filter(|joint| joints[*joint].may_bind).collect();
        if holding.is_empty() || may.iter().any(|joint| says_no(*joint).is_none()) {
            let of =
                |joint: usize| says_no(joint).map(|rule| Applied { rule, joint: Some(joint as u32), island: None });
            let applied = may.iter().filter_map(|joint| of(*joint)).collect();
            let is_free = (0..joints.len()).map(|joint| joints[joint].may_bind && says_no(joint).is_none()).collect();
            return Free { is_free, applied, given_way };
        }
        given_way.push(holding.remove(0));
    }
}

/// A joint farther from the surface than this is near none.
const FAR: f64 = 0.06;
/// Unless lines in more than so many of [`directions`] meet the surface: then it is within the body.
const ENCLOSED: usize = 20;
/// So many points of each bone are looked at.
const SAMPLES: u32 = 9;

/// Returns for each joint whether neither it nor its bones are near the surface or enclosed by it. `bones` are those of all joints.
pub(crate) fn far_joints(
    shape: &Shape,
    surface: &Surface,
    bones: &Bones,
    progress: Progress,
) -> Result<Vec<bool>, BindError> {
    let directions = directions(frame::axes(shape));
    let is_far = |joint: usize| {
        let own = bones.list.iter().filter(|bone| bone.joint as usize == joint);
        let along = |bone: &Bone| {
            let [from, to] = bone.ends;
            (0..SAMPLES).map(move |at| from.lerp(to, f64::from(at) / f64::from(SAMPLES - 1)))
        };
        let samples: Vec<DVec3> = own.flat_map(along).collect();
        let is_enclosed = |from: &DVec3| {
            let length = from.length() + 1.0;
            directions.iter().filter(|along| surface.is_met(*from, *from + **along * length)).count() > ENCLOSED
        };
        samples.iter().all(|at| surface.nearest(*at, FAR).is_none()) && !samples.iter().any(is_enclosed)
    };
    progress.by_chunk(shape.heads.len(), 8, &|range| range.map(is_far).collect())
}

/// In the axes of the body lines go to all sides so, each number with both signs. None runs along a plane in which bodies of straight sides have
/// their edges, and cracks.
const ASLANT: [[f64; 3]; 4] = [[0.89, 0.37, 0.26], [0.31, 0.87, 0.39], [0.24, 0.33, 0.91], [0.47, 0.64, 0.61]];

/// Returns 32 directions that go to all sides of the body, whichever way round its axes point.
fn directions(axes: DMat3) -> Vec<DVec3> {
    let signed = |along: &[f64; 3]| {
        let along = DVec3::from_array(*along).normalize();
        let sign = |side: u32, bit: u32| if side >> bit & 1 == 0 { 1.0 } else { -1.0 };
        (0..8).map(move |side| along * DVec3::new(sign(side, 0), sign(side, 1), sign(side, 2)))
    };
    ASLANT.iter().flat_map(signed).map(|along| axes.transpose() * along).collect()
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
        assert_eq!(words("IKTarget2FK"), ["ik", "target", "fk"]);
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
            joint("neutral_bone", Some(0), 0.0),
        ];
        let mut problem = BindProblem { joints, ..BindProblem::default() };
        let settings = BindSettings::default();
        let Free { is_free, applied, given_way } = free_joints(&problem, &settings, 1e-6, &[false; 6]);
        assert_eq!(is_free, [false, true, true, false, false, false]);
        let ids: Vec<(&str, Option<u32>)> = applied.iter().map(|applied| (applied.rule, applied.joint)).collect();
        assert_eq!(ids, [(ROOTS, Some(0)), (HELPERS, Some(3)), (HELPERS, Some(4)), (HELPERS, Some(5))]);
        assert!(given_way.is_empty());
        let off = BindSettings { rules_off: [HELPERS, ROOTS].map(str::to_owned).into(), ..settings.clone() };
        assert_eq!(free_joints(&problem, &off, 1e-6, &[]).is_free, [true; 6]);
        // The rule about surfaces gives way first, so that the names still hold.
        let free = free_joints(&problem, &settings, 1e-6, &[true; 6]);
        assert_eq!((&free.is_free[..], &free.given_way[..]), (&is_free[..], &[NEAR_NOTHING][..]));
        problem.joints.retain(|joint| joint.name != "Hips" && joint.name != "Spine");
        problem.joints.iter_mut().for_each(|joint| joint.parent = None);
        let free = free_joints(&problem, &settings, 1e-6, &[true, false, false, false]);
        assert_eq!((&free.is_free[..], &free.given_way[..]), (&[true, false, false, false][..], &[NEAR_NOTHING][..]));
        problem.joints.remove(0);
        let free = free_joints(&problem, &settings, 1e-6, &[]);
        assert_eq!((&free.is_free[..], &free.given_way[..]), (&[true; 3][..], &[NEAR_NOTHING, HELPERS][..]));
    }
}
