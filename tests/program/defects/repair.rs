//! Every finding has its fix. A repair that is right everywhere removes the finding and brings no new one, pressed as the button
//! of the finding presses it. Where there is none the reason is said, and the tool that comes nearest is offered. Only an
//! asymmetry may appear: vertices with broken weights are not compared with their mirror images, and repaired ones are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skinscope::edit::operation;
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::inspect::check::{CheckOptions, Finding, FindingPose, RULES, RepairTool, Severity};
use skinscope::inspect::rom::ROM_RULES;
use skinscope::inspect::{Inspection, repair_of};
use skinscope::model::Model;
use skinscope::session::{Document, Session, ToolCommand};

use super::plant::Kind;
use super::rig::Rig;
use super::{Job, plants, rigs};

fn inspect(session: &mut Session) {
    let model = Arc::clone(session.edited_weights().edited_model().unwrap());
    let flag = AtomicBool::new(false);
    session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &flag).unwrap());
}

fn open(model: Arc<Model>) -> Session {
    let mut session = Session::default();
    session.open(Document::new(model, vec![], None));
    inspect(&mut session);
    session
}

/// How many vertices each rule finds fault with.
fn counts(session: &Session) -> BTreeMap<&'static str, usize> {
    let mut out = BTreeMap::new();
    for finding in session.document().unwrap().findings() {
        *out.entry(finding.rule).or_default() += finding.vertices.len().max(1);
    }
    out
}

/// What is offered for a rule, what the tool did to it, and how often.
type Offered = BTreeMap<(&'static str, Severity), BTreeMap<(String, bool), usize>>;

/// What came of pressing the buttons of findings.
#[derive(Default)]
struct Repairs {
    offered: Offered,
    wrong: Vec<String>,
    /// How often an asymmetry came to light.
    revealed: usize,
}

impl Repairs {
    /// Presses the button of what is found of a plant. False where nothing of its rule is.
    fn press(&mut self, job: &Job, rigs: &[Rig]) -> bool {
        let Job { kind, .. } = job;
        let Some((bytes, _)) = job.plant(rigs) else { return false };
        let Ok(import) = import_bytes(&bytes, "planted", &Options::default(), &Progress::silent()) else {
            return false;
        };
        let mut session = open(import.model);
        let before = counts(&session);
        let findings: Vec<Finding> = session.document().unwrap().findings().cloned().collect();
        let Some(at) = findings.iter().position(|found| found.rule == kind.rule) else { return false };
        let repair = repair_of(&findings[at]);
        session.apply(ToolCommand::Repair { finding: at, all: repair.is_sound() });
        assert_eq!(session.view().finding, Some(at));
        let tool = match repair.tool {
            RepairTool::Operation(id) => id.to_owned(),
            table => format!("{table:?}"),
        };
        if matches!(repair.tool, RepairTool::Operation(_)) {
            assert_eq!(session.tools().operation.map(|o| o.id), Some(&*tool));
        }
        session.apply(ToolCommand::Apply);
        inspect(&mut session);
        let after = counts(&session);
        let is_gone = !after.contains_key(kind.rule);
        let of_rule = self.offered.entry((kind.rule, findings[at].severity)).or_default();
        *of_rule.entry((tool, is_gone)).or_default() += 1;
        if !repair.is_sound() {
            return true;
        }
        if !is_gone {
            let (left, had) = (after[kind.rule], before.get(kind.rule));
            self.wrong.push(format!("{}: {left} of {had:?} are left", job.name(rigs)));
        }
        for (rule, count) in &after {
            let had = before.get(rule).copied().unwrap_or(0);
            if *rule == "asymmetry" {
                self.revealed += usize::from(*count > had);
            } else if *count > had {
                self.wrong.push(format!("{}: {rule} rose from {had} to {count}", job.name(rigs)));
            }
        }
        true
    }

    /// Asserts that sound repairs repair, that each rule was found, and what is offered where none is sound.
    fn judge(&self) {
        let Self { offered, wrong, revealed } = self;
        for ((rule, severity), tools) in offered {
            println!("{rule} ({}): {tools:?}", severity.id());
        }
        println!("asymmetry came to light in {revealed}");
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
        // Each rule was found, but for those about joints beyond the skin: with such weights a file does not open. Advice about rigs
        // needs clips, which these have not, and rules about morph targets are of no skin.
        let seen: BTreeSet<&str> = offered.keys().map(|(rule, _)| *rule).collect();
        let missed: Vec<&str> = RULES.iter().map(|rule| rule.id).filter(|rule| !seen.contains(rule)).collect();
        let of_clips = ["shoulder-clavicle", "forearm-twist", "sharp-bend"];
        let first = ["joint-out-of-range", "morph-normals-cut", "joint-out-of-range-unweighted"];
        assert_eq!(missed, [&first[..], &of_clips, &["morph-empty"]].concat());
        // A skin that was bound as a whole in another pose is bound at rest by the tool that is offered.
        let elsewhere = &offered[&("inverse-bind-mismatch", Severity::Info)];
        assert!(elsewhere.keys().all(|(tool, gone)| tool == "inverse-binds" && *gone), "{elsewhere:?}");
        assert!(offered.contains_key(&("inverse-bind-mismatch", Severity::Warning)));
        // So is a joint taken off what it moves from afar. A crack stays, and that is said.
        let far = &offered[&("far-influence", Severity::Info)];
        assert!(far.keys().all(|(tool, gone)| tool == "remove-joint" && *gone), "{far:?}");
        let cracks = &offered[&("t-junction", Severity::Warning)];
        assert!(cracks.keys().all(|(tool, gone)| tool == "smooth" && !gone), "{cracks:?}");
    }
}

/// The kinds of defects with the two rigs that each is planted into, in turn: the smaller one first.
fn defects(rigs: &[Rig]) -> impl Iterator<Item = (&'static Kind, [usize; 2])> {
    let count = rigs.len();
    let kinds = plants::all().into_iter().enumerate().filter(|(_, kind)| !kind.near_miss);
    kinds.map(move |(k, kind)| {
        let mut pair = [k % count, (k + 1) % count];
        // The last one is the largest.
        pair.sort_unstable();
        (kind, pair)
    })
}

#[test]
fn a_planted_defect_of_every_rule_is_repaired_or_gets_words_and_the_nearest_tool() {
    let rigs = rigs::own();
    let (mut repairs, mut done) = (Repairs::default(), BTreeSet::new());
    for (kind, pair) in defects(rigs) {
        let jobs = pair.map(|rig| Job { kind, rig, seed: 0 });
        if kind.name == "the whole skin" {
            // It has a repair of its own.
            jobs.iter().for_each(|job| _ = repairs.press(job, rigs));
        } else if !done.contains(kind.rule) && jobs.iter().any(|job| repairs.press(job, rigs)) {
            done.insert(kind.rule);
        }
    }
    repairs.judge();
}

#[test]
#[ignore = "full: it repairs two defects of every kind"]
fn every_planted_defect_is_repaired_or_gets_words_and_the_nearest_tool() {
    let rigs = rigs::own();
    let mut repairs = Repairs::default();
    for (kind, pair) in defects(rigs) {
        pair.into_iter().for_each(|rig| _ = repairs.press(&Job { kind, rig, seed: 0 }, rigs));
    }
    repairs.judge();
}

#[test]
fn every_rule_has_a_repair_or_words_of_its_own_and_a_tool_that_exists() {
    let of = |rule: &'static str, severity: Severity| Finding {
        rule,
        severity,
        mesh: None,
        primitive: None,
        vertices: Vec::new(),
        joints: Vec::new(),
        message: String::new(),
        fix: String::new(),
        measure: None,
        pose: FindingPose::Rest,
    };
    let all = RULES.iter().map(|rule| (rule.id, rule.severity));
    let all = all.chain(ROM_RULES.iter().map(|rule| (rule.id, Severity::Info)));
    assert!(
        repair_of(&of("t-junction", Severity::Warning)).why_not.is_some_and(|why| why.ends_with("the finding stays."))
    );
    let fallback = repair_of(&of("a rule that nobody knows", Severity::Info));
    for (rule, severity) in all {
        let repair = repair_of(&of(rule, severity));
        assert_ne!(repair, fallback, "{}", rule);
        if let RepairTool::Operation(id) = repair.tool {
            assert!(operation(id).is_some(), "{}: {id}", rule);
        }
        assert_eq!(repair.is_sound(), repair.tool == RepairTool::Operation("rules"), "{}", rule);
        assert!(repair.why_not.is_none_or(|why| why.ends_with('.') && why.is_ascii()), "{}", rule);
    }
}
