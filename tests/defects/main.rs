//! The checker judged: defects of every kind planted into the bytes of clean rigs, and near misses that it must not
//! mention. Prints a table of recall and precision by rule (`--nocapture`), and asserts both.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a rig that cannot be read should stop the test")]

mod biped;
#[path = "../common/mod.rs"]
mod common;
#[path = "../mutants/document.rs"]
mod document;
mod file;
mod plant;
mod plants;
#[path = "../mutants/random.rs"]
mod random;
mod rig;
mod rigs;
mod run;
mod score;
mod weights;

use std::sync::atomic::{AtomicUsize, Ordering};

use plant::{Kind, Plant};
use random::Random;
use rig::Rig;
use run::{Found, findings};
use score::{RULES, Score};

/// A kind of plant, a rig, and a number to start from.
struct Job<'a> {
    kind: &'a Kind,
    rig: usize,
    seed: u64,
}

impl Job<'_> {
    fn name(&self, rigs: &[Rig]) -> String {
        format!("{} / {} / {} / {}", self.kind.rule, self.kind.name, rigs[self.rig].name, self.seed)
    }

    /// `None`: the rig has no place for it.
    fn plant(&self, rigs: &[Rig]) -> Option<(Vec<u8>, Plant)> {
        let name = self.name(rigs);
        let mut random = Random::new(name.bytes().fold(self.seed, |n, b| n.wrapping_mul(31).wrapping_add(b.into())));
        let (file, mut plant) = (self.kind.plant)(&rigs[self.rig], &mut random)?;
        (plant.rule, plant.near_miss) = (self.kind.rule, self.kind.near_miss);
        // Now and then as JSON with its buffer inside.
        Some((if random.once_in(8) { file.gltf() } else { file.glb() }, plant))
    }
}

/// Small rigs get more than one of each kind; of the large ones only some kinds, in turn.
fn jobs(rigs: &[Rig]) -> Vec<Job<'static>> {
    let mut out = Vec::new();
    for (k, kind) in plants::all().into_iter().enumerate() {
        for (r, rig) in rigs.iter().enumerate() {
            let vertices: usize = rig.parts.iter().map(|p| p.positions.len()).sum();
            let seeds = match vertices {
                0..2_000 => 2,
                2_000..6_000 => 1,
                _ => u64::from((k + r).is_multiple_of(3)),
            };
            out.extend((0..seeds).map(|seed| Job { kind, rig: r, seed }));
        }
    }
    out
}

/// Runs `work` for each of `0..count`, on as many threads as there are cores, and adds up what comes out.
fn scored(count: usize, work: impl Fn(usize, &mut Score) + Sync) -> Score {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut out = Score::default();
    std::thread::scope(|scope| {
        let run = || {
            let mut score = Score::default();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    return score;
                }
                work(at, &mut score);
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        handles.into_iter().for_each(|h| out.add(h.join().unwrap()));
    });
    out.notes.sort();
    out
}

/// Findings of clean rigs that are true: what their makers left there.
fn is_known(_rig: &str, _found: &Found) -> bool {
    false
}

#[test]
fn planted_defects_are_found_and_near_misses_pass() {
    let corpus = common::corpus();
    let rigs = rigs::all(corpus.as_deref());
    let clean: Vec<_> = rigs.iter().map(|rig| findings(&rig.file.glb(), &rig.name)).collect();
    let mut score = Score::default();
    for (rig, outcome) in rigs.iter().zip(&clean) {
        score.clean(&rig.name, outcome, |f| is_known(&rig.name, f));
        println!(
            "{}: {} joints, {} places, {:?}",
            rig.name,
            rig.joints.len(),
            rig.copies.len(),
            outcome.as_ref().map(Vec::len)
        );
    }
    let jobs = jobs(&rigs);
    score.add(scored(jobs.len(), |at, score| {
        let job = &jobs[at];
        let Some((bytes, plant)) = job.plant(&rigs) else { return };
        let outcome = findings(&bytes, "planted");
        score.judge(&job.name(&rigs), &plant, &outcome, clean[job.rig].as_ref().unwrap());
    }));
    let (table, sum) = score.table();
    score.notes.iter().for_each(|note| println!("{note}"));
    println!("{table}");
    for (rule, _) in RULES {
        let row = score.rows.get(rule).copied().unwrap_or_default();
        assert!(row.plants >= 8, "{rule}: {} plants say little", row.plants);
        assert!(row.recall() >= 0.75 && row.precision() >= 0.75, "{rule} misses too much or invents too much");
    }
    assert!(sum.recall() >= 0.95 && sum.precision() >= 0.9, "too much is missed or invented in all");
}
