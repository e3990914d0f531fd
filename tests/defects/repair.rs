//! The repair of each rule, as the button of a finding runs it, removes the finding and brings no new one. Only an
//! asymmetry may appear: vertices with broken weights are not compared with their mirror images, and repaired ones are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skinscope::edit::{Settings, Task, operation, work_out};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::inspect::check::{CheckOptions, check};
use skinscope::model::Model;
use skinscope::parallel::JobContext;
use skinscope::session::repair_of;

use crate::{Job, jobs, rigs};

/// How many vertices each rule finds fault with.
fn counts(model: &Model) -> BTreeMap<&'static str, usize> {
    let report = check(model, &CheckOptions::default(), &AtomicBool::new(false)).unwrap();
    let mut out = BTreeMap::new();
    for finding in report.findings {
        *out.entry(finding.rule).or_default() += finding.vertices.len().max(1);
    }
    out
}

#[test]
fn the_repair_of_every_planted_defect_removes_its_finding_and_brings_no_new_one() {
    let rigs = rigs::all(None);
    let mut repaired: BTreeMap<&'static str, usize> = BTreeMap::new();
    let (mut wrong, mut revealed) = (Vec::new(), 0);
    for job in jobs(&rigs).into_iter().filter(|job| job.seed == 0) {
        let Job { kind, .. } = job;
        let Some(repair) = repair_of(kind.rule).filter(|repair| repair.is_sound) else { continue };
        let Some((bytes, plant)) = Some(&job).filter(|_| !kind.near_miss).and_then(|job| job.plant(&rigs)) else {
            continue;
        };
        let Ok(import) = import_bytes(&bytes, "planted", &Options::default(), &Progress::silent()) else { continue };
        let before = counts(&import.model);
        let settings =
            Settings { rules: std::iter::once(plant.rule).chain(repair.also).collect(), ..Settings::default() };
        let task = Task { operation: operation("rules").unwrap(), settings, within: None, locked: Arc::default() };
        let outcome = work_out(&import.model, &task, &JobContext::of_waiting()).unwrap();
        let after = counts(&import.model.with_skinning(&outcome.change()).unwrap());
        if after.contains_key(plant.rule) {
            wrong.push(format!("{}: {} of {:?} are left", job.name(&rigs), after[plant.rule], before.get(plant.rule)));
        }
        for (rule, count) in &after {
            let had = before.get(rule).copied().unwrap_or(0);
            if *rule == "asymmetry" {
                revealed += usize::from(*count > had);
            } else if *count > had {
                wrong.push(format!("{}: {rule} rose from {had} to {count}", job.name(&rigs)));
            }
        }
        *repaired.entry(plant.rule).or_default() += 1;
    }
    println!("{repaired:?}; asymmetry came to light in {revealed}");
    assert!(wrong.is_empty(), "{} of {:?}:\n{}", wrong.len(), repaired, wrong.join("\n"));
    assert!(repaired.len() >= 8 && repaired.values().sum::<usize>() > 20, "{repaired:?}");
}
