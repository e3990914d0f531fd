//! The rules by which a range of motion is judged, the ranking of their findings, and their texts.
//!
//! Every rig deforms badly somewhere within ±90° on every axis: most joints never go there. So findings rank poses and
//! do not condemn them, except where no intended deformation looks like that.

use std::f32::consts::PI;

use skinscope_deform::{Fault, Limits, Measures};
use skinscope_model::{Model, NodeId};

use super::surface::Skinned;
use crate::check::{Finding, FindingPose, Measure, Repair, Severity};

/// A measure of the deformed surface that range of motion lists.
#[derive(Debug, PartialEq)]
pub struct RomRule {
    /// The name in JSON.
    pub id: &'static str,
    /// The name as a heading.
    pub label: &'static str,
    /// A sentence that says what it lists.
    pub help: &'static str,
    /// The overlay that shows what it lists.
    pub overlay: &'static str,
    /// What can be done about its findings.
    pub repair: Repair,
    /// Its index in [`ROM_RULES`].
    pub(super) index: usize,
    /// The fault that it lists; `None`: it judges the patch as a whole.
    pub(super) fault: Option<Fault>,
}

/// How many rules there are.
pub(super) const RULE_COUNT: usize = 5;

/// What can be done about how a surface looks in motion.
const BY_TASTE: Repair = Repair::nearest("smooth", "What the surface should do there is a matter of taste.");

/// Every measure, in the order in which findings of one severity are listed.
pub static ROM_RULES: &[RomRule; RULE_COUNT] = &[
    RomRule {
        id: "rom-stretch",
        label: "Edge stretch",
        help: "A joint stretches edges to more than twice their length",
        overlay: "stretch",
        repair: BY_TASTE,
        index: 0,
        fault: Some(Fault::Stretch),
    },
    RomRule {
        id: "rom-area",
        label: "Change of area",
        help: "Triangles keep less than a tenth of their area, or grow to more than four times of it",
        overlay: "area",
        repair: BY_TASTE,
        index: 1,
        fault: Some(Fault::Area),
    },
    RomRule {
        id: "rom-volume",
        label: "Change of volume",
        help: "The part of the skin that a joint bends changes its volume by more than a quarter",
        overlay: "weights",
        repair: BY_TASTE,
        index: 2,
        fault: None,
    },
    RomRule {
        id: "rom-inverted",
        label: "Inverted triangles",
        help: "Triangles look against the side that their joints turn them to",
        overlay: "inverted",
        repair: BY_TASTE,
        index: 3,
        fault: Some(Fault::Inverted),
    },
    RomRule {
        id: "rom-fold",
        label: "Fold",
        help: "The surface folds back on itself by more than 150°",
        overlay: "fold",
        repair: BY_TASTE,
        index: 4,
        fault: Some(Fault::Fold),
    },
];

/// The limits beyond which a fault is listed.
pub(super) const LIMITS: Limits =
    Limits { stretch: 2.0, area: [0.1, 4.0], fold: PI * 150.0 / 180.0, folded_by: PI / 3.0 };
/// The share of the volume that a bend may lose or gain without being listed.
const VOLUME: f64 = 0.25;

/// The stretch from which on an edge must have its ends on unrelated joints: no skin is meant to stretch so far.
const TORN: f64 = 25.0;

/// Returns how bad each rule finds a pose; `None`: not worth listing.
pub(super) fn badness(m: &Measures) -> [Option<f64>; RULE_COUNT] {
    let stretch = f64::from(m.stretch[1]);
    let [least, most] = m.triangle.map(f64::from);
    let bad = least < f64::from(LIMITS.area[0]) || most > f64::from(LIMITS.area[1]);
    // A triangle that is pressed flat counts like one that grew a thousandfold.
    let area = most.max(1.0 / least.max(1e-3));
    let volume = m.volume.map(|v| (v - 1.0).abs());
    [
        Some(stretch).filter(|s| *s > f64::from(LIMITS.stretch)),
        Some(area).filter(|_| bad),
        volume.filter(|v| *v > VOLUME && v.is_finite()),
        Some(m.inverted as f64).filter(|n| *n > 0.0),
        Some(m.folds as f64).filter(|n| *n > 0.0),
    ]
}

/// The worst pose of each rule, for one drive and one primitive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worst {
    /// For each [`RomRule::index`]: how bad it is, and the number of the drive's pose.
    rules: [Option<(f64, usize)>; RULE_COUNT],
}

impl Worst {
    /// The value before any pose was measured.
    pub(super) const NONE: Self = Self { rules: [None; RULE_COUNT] };

    pub(super) fn note(&mut self, pose: usize, measures: &Measures) {
        for (worst_so_far, value) in self.rules.iter_mut().zip(badness(measures)) {
            if let Some(value) = value
                && worst_so_far.is_none_or(|(worst, _)| value > worst)
            {
                *worst_so_far = Some((value, pose));
            }
        }
    }

    /// Takes the worst of later poses into account.
    pub(super) fn merge(&mut self, later: Self) {
        for (worst_so_far, new) in self.rules.iter_mut().zip(later.rules) {
            if let Some((value, _)) = new
                && worst_so_far.is_none_or(|(worst, _)| value > worst)
            {
                *worst_so_far = new;
            }
        }
    }

    /// Returns how bad it gets; `None` where the rule has no finding.
    pub(super) fn value(&self, rule: &RomRule) -> Option<f64> {
        self.rules[rule.index].map(|(value, _)| value)
    }

    /// Returns the number of the drive's pose in which it is worst.
    pub(super) fn pose(&self, rule: &RomRule) -> usize {
        self.rules[rule.index].map_or(0, |(_, pose)| pose)
    }
}

/// The faults that one rule finds in one primitive in one pose.
pub(super) struct FaultyPose {
    pub(super) measures: Measures,
    /// The stored vertices at fault, rising.
    pub(super) vertices: Vec<u32>,
    /// How many edges or triangles are at fault.
    pub(super) count: usize,
    /// The joint that moves these vertices most.
    pub(super) mover: Option<NodeId>,
}

/// A row that is listed.
pub(super) struct RankedRow {
    pub(super) rule: &'static RomRule,
    /// Its index in the list of the worst.
    pub(super) row: usize,
    /// Its rank from 1, among all that this rule could list.
    rank: usize,
    of: usize,
}

/// Returns the worst `most` rows of each rule; among equals, the earlier.
pub(super) fn rank(worst: &[(usize, usize, Worst)], most: usize) -> Vec<RankedRow> {
    let mut out = Vec::new();
    for rule in ROM_RULES {
        let value = |row: &usize| worst[*row].2.value(rule);
        let mut rows: Vec<usize> = (0..worst.len()).filter(|row| value(row).is_some()).collect();
        rows.sort_by(|a, b| value(b).unwrap_or_default().total_cmp(&value(a).unwrap_or_default()));
        let of = rows.len();
        out.extend(rows.into_iter().take(most).enumerate().map(|(i, row)| RankedRow { rule, row, rank: i + 1, of }));
    }
    out
}

/// Returns the finding of a row. `pose` is the pose in which it is worst.
pub(super) fn finding(model: &Model, s: &Skinned, ranked: &RankedRow, pose: FindingPose, fault: FaultyPose) -> Finding {
    let FaultyPose { measures, vertices, count, mover } = fault;
    let (when, joints) = match pose {
        FindingPose::Turned { joint, axis, angle } => (turned(model, joint, axis, angle), vec![joint]),
        FindingPose::Clip { clip, time_secs } => {
            let clip = &model.clips[clip.index()].name;
            (format!("At {time_secs:.3} s of \"{clip}\" the pose"), mover.into_iter().collect())
        }
        FindingPose::Rest => ("The pose".to_owned(), mover.into_iter().collect()),
    };
    let (what, fix, measure) = words(ranked.rule, &measures, count);
    let rank = match (ranked.rank, ranked.of) {
        (_, 1) => String::new(),
        (1, of) => format!(" The worst of {of} such places."),
        (n, of) => format!(" Number {n} of {of} such places."),
    };
    let message = format!("{when} {what}.{rank}");
    let (primitive, vertices) = s.surface.most_of(&vertices);
    let torn = ranked.rule.fault == Some(Fault::Stretch) && f64::from(measures.stretch[1]) > TORN;
    Finding {
        rule: ranked.rule.id,
        severity: if torn { Severity::Warning } else { Severity::Info },
        mesh: Some(s.mesh),
        primitive: Some(primitive),
        vertices,
        joints,
        message,
        fix: fix.to_owned(),
        measure: Some(measure),
        pose,
    }
}

fn turned(model: &Model, joint: NodeId, axis: glam::Vec3, angle: f32) -> String {
    let name = ["X", "Y", "Z"][axis.abs().max_position()];
    let degrees = angle.to_degrees();
    let sign = if degrees < 0.0 { "−" } else { "" };
    format!("Turned by {sign}{:.0}° about its {name} axis, \"{}\"", degrees.abs(), model.skeleton.names[joint.index()])
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("one {one}") } else { format!("{n} {many}") }
}

/// Returns the sentence that says what the pose does, the one that says what to do about it, and the measured number.
fn words(rule: &RomRule, m: &Measures, count: usize) -> (String, &'static str, Measure) {
    let number = |what, value: f64, unit| Measure { what, value, unit };
    match rule.fault {
        Some(Fault::Stretch) => {
            let most = f64::from(m.stretch[1]);
            let what = match count {
                1 => format!("stretches one edge to {most:.1} times its length"),
                n => format!("stretches {n} edges to more than twice their length, the worst to {most:.1} times"),
            };
            let fix =
                "Let the weights fade over more rows of vertices, or look for vertices that hang on a wrong joint.";
            (what, fix, number("longest edge, posed to rest", most, "×"))
        }
        Some(Fault::Area) => {
            let (verb, value) = area_words(m);
            let what = match count {
                1 => format!("{verb} one triangle to {} of its area", percent(value)),
                n => format!("crushes or swells {n} triangles, the worst to {} of its area", percent(value)),
            };
            let fix = "Let the weights fade over more rows of vertices, or give the bend more rows.";
            (what, fix, number("area of the worst triangle, posed to rest", 100.0 * value, "%"))
        }
        Some(Fault::Inverted) => {
            let what = format!("turns {} inside out", counted(count, "triangle", "triangles"));
            let fix = "Soften the weights where the skin is pushed into itself, or limit how far the joint turns.";
            (what, fix, number("inverted triangles", count as f64, ""))
        }
        Some(Fault::Fold) => {
            let degrees = f64::from(m.sharpest.to_degrees());
            let edges = counted(count, "edge", "edges");
            let what = format!("folds the skin back on itself at {edges}, most sharply by {degrees:.0}°");
            let fix = "Soften the weights in the crease, or add a helper joint that turns half as far.";
            (what, fix, number("sharpest fold", degrees, "°"))
        }
        None => {
            let change = 100.0 * (m.volume.unwrap_or(1.0) - 1.0);
            let verb = if change < 0.0 { "takes" } else { "adds" };
            let side = if change < 0.0 { "from" } else { "to" };
            let what = format!("{verb} {:.0} % of its volume {side} the part of the skin that it bends", change.abs());
            let fix = "Linear blending loses volume by its nature: dual quaternions, a helper joint that turns half as far, \
                       or a corrective shape keep it.";
            (what, fix, number("change of volume", change, "%"))
        }
    }
}

/// Returns the words for the fault of the worst triangle, and its area, posed over rest.
fn area_words(m: &Measures) -> (&'static str, f64) {
    let [least, most] = m.triangle.map(f64::from);
    if 1.0 / least.max(1e-3) >= most { ("crushes", least) } else { ("swells", most) }
}

fn percent(ratio: f64) -> String {
    let percent = 100.0 * ratio;
    if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}
