//! The checker: rules that look at a model as its file stores it, and their findings.
//!
//! A rule is a row of [`RULES`] and a function. The function gets a [`Subject`], which holds what several rules need,
//! and pushes findings; it changes nothing and knows nothing of other rules.

#[cfg(test)]
mod advice_tests;
mod asymmetry;
mod binds;
mod bleeding;
#[cfg(test)]
mod bleeding_tests;
mod clavicle;
mod far;
mod finding;
mod forearm;
mod gates;
#[cfg(test)]
mod gates_tests;
mod hierarchy;
mod joints;
mod junctions;
mod kept_volume;
mod limb;
mod limit;
#[cfg(test)]
mod mesh_tests;
mod morphs;
mod motion;
mod names;
mod near_segment;
mod pairs;
#[cfg(test)]
mod parting_tests;
mod region;
mod repair;
mod rogue;
mod scale;
mod seams;
mod sharp_bend;
mod strays;
mod subject;
mod surface;
#[cfg(test)]
mod test_rigs;
mod touched;
mod unused;
#[cfg(test)]
mod weight_tests;
mod weighted;
mod weights;

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

pub use asymmetry::SAME_WEIGHT;
pub use binds::is_bound_elsewhere;
pub use finding::{Finding, FindingPose, Measure, Severity};
pub use gates::{GATES, Gate, Share, gate, percent_text};
pub use kept_volume::kept_volumes;
pub use repair::{Repair, RepairTool};
pub(crate) use rogue::ROGUE;
pub use seams::meetings;
use skinscope_base::parallel;
use skinscope_model::Model;
pub use strays::{extent_at_rest, stray_warning};
pub use subject::{Skinned, Subject};
pub use surface::{SkinPart, SkinSurface, WeldedSurface};
pub use touched::Touched;

use super::PerVertex;
#[cfg(doc)]
use super::symmetry;

/// What of the edits of weights and inverse bind matrices a rule's findings depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependsOn {
    /// None of them: names, hierarchy and the rest pose are never edited here.
    Nothing,
    /// The weights of its vertices: each is judged by its own pairs.
    OwnVertices,
    /// Which vertices have its joints.
    ItsJoints,
    /// The inverse bind matrices of its joints.
    ItsBinds,
    /// Vertices together with those around them, with their mirror images, or with all that a joint moves.
    Surroundings,
}

/// A rule of the checker.
#[derive(Debug)]
pub struct Rule {
    /// The name in JSON and for `--rules`.
    pub id: &'static str,
    /// The name as a heading.
    pub label: &'static str,
    /// A sentence that says what it looks for.
    pub help: &'static str,
    /// The severity of its findings.
    pub severity: Severity,
    /// Runs the rule and pushes its findings.
    pub run: fn(&Subject, &mut Vec<Finding>),
    /// The overlay that shows what it is about; `None` where it is about joints and not about weights. "weights" is for the joint of
    /// the finding.
    pub overlay: Option<&'static str>,
    /// Which edits may change its findings.
    pub depends_on: DependsOn,
    /// Whether its findings stand by their measure, the largest first.
    pub ranks_by_measure: bool,
    /// Returns what can be done about one of its findings.
    pub repair: fn(&Finding) -> Repair,
}

impl Rule {
    /// What most rules have in common: a row names what differs and ends in `..Rule::ROW`.
    pub const ROW: Self = Self {
        id: "",
        label: "",
        help: "",
        severity: Severity::Warning,
        run: |_, _| {},
        overlay: None,
        depends_on: DependsOn::Surroundings,
        ranks_by_measure: false,
        repair: |_| Repair::NONE,
    };
}

/// Every rule, worst first.
pub static RULES: &[&Rule] = &[
    &weights::NOT_FINITE,
    &weights::NEGATIVE,
    &weights::ZERO,
    &pairs::OUT_OF_RANGE,
    &binds::SINGULAR,
    &hierarchy::HIERARCHY,
    &weights::SUM,
    &weights::SUM_255,
    &pairs::DUPLICATE,
    &limit::TOO_MANY,
    &strays::STRAY,
    &ROGUE,
    &seams::SEAM,
    &junctions::JUNCTION,
    &asymmetry::ASYMMETRY,
    &binds::MISMATCH,
    &binds::NON_RIGID,
    &scale::NON_UNIFORM,
    &scale::NEGATIVE,
    &names::DUPLICATE,
    &morphs::CUT,
    &unused::UNUSED,
    &pairs::UNWEIGHTED_OUT_OF_RANGE,
    &far::FAR,
    &bleeding::BLEEDING,
    &clavicle::CLAVICLE,
    &forearm::FOREARM,
    &sharp_bend::SHARP_BEND,
    &morphs::EMPTY,
];

/// Options of a check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The most influences of a vertex that the runtime can use.
    pub limit: usize,
    /// The ids of the rules to run; `None`: all.
    pub rules: Option<Vec<&'static str>>,
    /// The shares of the surface to measure. What their rules find is not reported where `rules` leaves them out.
    pub gates: Vec<&'static Gate>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { limit: 4, rules: None, gates: Vec::new() }
    }
}

/// The findings in one model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The findings, worst first, then in the order of [`RULES`], mesh, primitive and joints; influences from afar by
    /// their distance.
    pub findings: Vec<Finding>,
    /// The largest difference of each vertex's weights from those of its mirror image ([`symmetry::differences`]);
    /// `None` where the rule about that has not run.
    pub symmetry: Option<PerVertex>,
    /// The shares of the surface that were asked for, in the order of [`CheckOptions::gates`].
    pub shares: Vec<Share>,
}

impl Report {
    /// Returns how many findings have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// Returns how many vertices were compared with their mirror images, and how many were not.
    #[must_use]
    pub fn symmetry_counts(&self) -> Option<[usize; 2]> {
        let all = || self.symmetry.iter().flat_map(|s| s.values.iter().flatten().flatten());
        let judged = all().filter(|v| **v >= 0.0).count();
        self.symmetry.is_some().then(|| [judged, all().count() - judged])
    }

    /// Returns how many vertices were not compared because of `reason`, one of [`symmetry::REASONS`].
    #[must_use]
    pub fn not_judged_for(&self, reason: f32) -> usize {
        self.symmetry.iter().flat_map(|s| s.values.iter().flatten().flatten()).filter(|v| **v == reason).count()
    }

    /// Returns the worst severity of all findings.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
}

/// Returns the surfaces that the skins of a model move, welded; in the order of the skins.
#[must_use]
pub fn surfaces(model: &Model) -> Vec<SkinSurface> {
    let never = AtomicBool::new(false);
    SkinSurface::all(&Subject::new(model, &CheckOptions::default(), &never))
}

/// Returns the same surfaces without what their weights tell, in less time.
#[must_use]
pub fn welded_surfaces(model: &Model) -> Vec<WeldedSurface> {
    let never = AtomicBool::new(false);
    WeldedSurface::all(&Subject::new(model, &CheckOptions::default(), &never))
}

/// Runs the rules over a model as stored, on all cores. Returns `None` once `cancel` is set.
#[must_use]
pub fn check(model: &Model, options: &CheckOptions, cancel: &AtomicBool) -> Option<Report> {
    let subject = Subject::new(model, options, cancel);
    let is_asked = |id: &str| options.rules.as_ref().is_none_or(|ids| ids.contains(&id));
    let is_read = |id: &str| options.gates.iter().flat_map(|gate| gate.rules).any(|rule| rule.id == id);
    let rules: Vec<&Rule> = RULES.iter().copied().filter(|rule| is_asked(rule.id) || is_read(rule.id)).collect();
    let found = parallel::map(rules.len(), cancel, &|turn| {
        let mut found = Vec::new();
        (rules[turn].run)(&subject, &mut found);
        found
    })?;
    // A rule that was cancelled may have left something out.
    if cancel.load(Ordering::Relaxed) {
        return None;
    }
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    let shares = gates::measured(&subject, &options.gates, &findings);
    findings.retain(|finding| is_asked(finding.rule));
    sort(&mut findings);
    tell_once(model, &mut findings);
    let symmetry = subject.differences();
    Some(Report { findings, symmetry, shares })
}

/// Sorts findings: worst first, then by rule, mesh, primitive and joints; influences from afar by their measure, the
/// largest first.
fn sort(findings: &mut [Finding]) {
    let rule = |f: &Finding| (Reverse(f.severity), RULES.iter().position(|rule| rule.id == f.rule));
    let is_ranked = |f: &Finding| RULES.iter().any(|rule| rule.ranks_by_measure && rule.id == f.rule);
    let rank = |f: &Finding| f.measure.filter(|_| is_ranked(f)).map_or(0.0, |m| -m.value);
    let location = |f: &Finding| (f.mesh, f.primitive);
    findings.sort_by(|a, b| {
        let by_rank = || rank(a).total_cmp(&rank(b));
        let by_location = || location(a).cmp(&location(b)).then_with(|| a.joints.cmp(&b.joints));
        rule(a).cmp(&rule(b)).then_with(by_rank).then_with(by_location)
    });
}

/// Tells what is wrong with weights once that a mesh has in common with one that was parted from it, or a vertex list with another one that
/// names the same accessors: with the joints of both.
fn tell_once(model: &Model, findings: &mut Vec<Finding>) {
    let mut lists = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    if model.parted.is_empty() && lists.all(|list| list.repeats.is_none()) {
        return;
    }
    let first_of = |finding: &Finding| {
        let mesh = finding.mesh?;
        let list = finding.primitive.and_then(|list| model.meshes[mesh.index()].primitives.get(list)?.repeats);
        let file = model.is_repeated(mesh).then(|| (model.file_mesh(mesh), finding.primitive));
        list.map(|list| (list.mesh, Some(list.primitive))).or(file)
    };
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        let first = first_of(&finding);
        let is_same = |known: &&mut Finding| {
            let of = |f: &Finding| (f.rule, f.pose);
            known.mesh.map(|mesh| (mesh, known.primitive)) == first
                && of(known) == of(&finding)
                && known.vertices == finding.vertices
                && known.message == finding.message
        };
        match merged.iter_mut().find(|known| first.is_some() && is_same(known)) {
            Some(known) => {
                known.joints.extend(&finding.joints);
                known.joints.sort_unstable();
                known.joints.dedup();
            }
            None => merged.push(finding),
        }
    }
    *findings = merged;
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, NodeId};

    use super::*;

    #[test]
    fn a_clean_tube_has_no_findings_and_a_cancelled_check_no_report() {
        let model = tube(Tube::default());
        let options = CheckOptions::default();
        let report = check(&model, &options, &AtomicBool::new(false)).unwrap();
        assert_eq!(
            (report.findings.len(), report.symmetry_counts()),
            (0, Some([0, 144])),
            "all joints stand on its axis"
        );
        assert_eq!(check(&model, &options, &AtomicBool::new(true)), None);
    }

    #[test]
    fn findings_stand_worst_first_then_by_rule_mesh_primitive_and_joints() {
        let found = |rule: &Rule, at: Option<(u32, usize)>, joints: &[u32]| Finding {
            rule: rule.id,
            severity: rule.severity,
            mesh: at.map(|(mesh, _)| MeshId(mesh)),
            primitive: at.map(|(_, primitive)| primitive),
            vertices: Vec::new(),
            joints: joints.iter().map(|n| NodeId(*n)).collect(),
            message: String::new(),
            fix: String::new(),
            measure: None,
            pose: FindingPose::Rest,
        };
        let (error, warning) = (&weights::ZERO, &names::DUPLICATE);
        let worst_first = vec![
            found(error, Some((0, 1)), &[]),
            found(error, Some((1, 0)), &[2, 3]),
            found(error, Some((1, 0)), &[5]),
            found(&weights::SUM, Some((1, 0)), &[]),
            found(warning, None, &[1]),
            found(warning, None, &[1, 0]),
            found(warning, Some((0, 0)), &[]),
        ];
        let mut shuffled: Vec<Finding> = [3, 1, 6, 5, 0, 4, 2].map(|i: usize| worst_first[i].clone()).to_vec();
        sort(&mut shuffled);
        assert_eq!(shuffled, worst_first);
    }

    #[test]
    fn no_rule_is_listed_twice() {
        let ids: std::collections::BTreeSet<_> = RULES.iter().map(|r| r.id).collect();
        assert_eq!(ids.len(), RULES.len());
    }

    #[test]
    fn what_a_mesh_of_two_skins_has_in_common_is_reported_once() {
        let mut parts = skinscope_model::ModelParts::clone(&tube(Tube::default()));
        let mut skin = parts.skins[0].clone();
        skin.joints.reverse();
        skin.inverse_bind.reverse();
        parts.skins.push(skin);
        let skin = Some(skinscope_model::SkinId(1));
        parts.instances.push(skinscope_model::Instance { skin, ..parts.instances[0].clone() });
        parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights[4] *= 0.5;
        let skinscope_model::ModelParts { skins, meshes, instances, .. } = &mut parts;
        let parted = skinscope_model::part_meshes(skins, meshes, instances, &mut |_, _| true);
        parts.parted = parted;
        let model = Model::build(parts).unwrap();
        let options = CheckOptions { rules: Some(vec![weights::SUM.id]), ..CheckOptions::default() };
        let found = |model: &Model| -> Vec<Option<MeshId>> {
            let report = check(model, &options, &AtomicBool::new(false)).unwrap();
            report.findings.iter().map(|finding| finding.mesh).collect()
        };
        assert_eq!(found(&model), [Some(MeshId(0))]);
        // Once they differ each has its own faults.
        let mut change = skinscope_model::WeightChange::new(MeshId(1), 0, 4);
        change.push(7, &[0], &[0.25]);
        assert_eq!(found(&model.with_weights(&[change]).unwrap()), [Some(MeshId(0)), Some(MeshId(1))]);
    }
}
