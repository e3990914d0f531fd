//! Scores the findings of the checker for a case against what was planted.
//!
//! A plant is *found* when findings of its rule, with its severity, name every planted vertex and joint. A finding that
//! the clean rig does not have is *true* when it is of the planted rule and at least half of what it names in addition
//! was planted. It is passed over when the plant rightly breaks its rule too ([`Plant::also`]) and it touches the
//! plant. Otherwise it is *false*. Information is judged only where a plant or near miss asks for it.

use std::collections::{BTreeMap, BTreeSet};

use super::plant::Plant;
use super::run::Found;

/// The table: every rule and its severity.
pub const RULES: [(&str, &str); 23] = [
    ("weights-not-finite", "error"),
    ("weights-negative", "error"),
    ("weights-zero", "error"),
    ("joint-out-of-range", "error"),
    ("inverse-bind-singular", "error"),
    ("hierarchy", "error"),
    ("weights-sum", "warning"),
    ("weights-sum-255", "warning"),
    ("joint-duplicate", "warning"),
    ("too-many-influences", "warning"),
    ("stray-vertices", "warning"),
    ("rogue-vertices", "warning"),
    ("far-influence", "info"),
    ("bleeding", "info"),
    ("asymmetry", "warning"),
    ("joint-unused", "info"),
    ("inverse-bind-mismatch", "warning"),
    ("inverse-bind-non-rigid", "warning"),
    ("scale-non-uniform", "warning"),
    ("scale-negative", "warning"),
    ("t-junction", "warning"),
    ("name-duplicate", "warning"),
    ("seam-weights", "warning"),
];

/// Of one rule.
#[derive(Clone, Copy, Default)]
pub struct Row {
    pub plants: usize,
    pub found: usize,
    /// True findings.
    pub right: usize,
    pub wrong: usize,
    pub near_misses: usize,
    /// Near misses without a false finding.
    pub silent: usize,
    /// Planted vertices, those of them that were named, and all that were named anew.
    pub vertices: [usize; 3],
}

impl Row {
    pub fn recall(&self) -> f64 {
        self.found as f64 / self.plants.max(1) as f64
    }

    pub fn precision(&self) -> f64 {
        if self.right + self.wrong == 0 { 1.0 } else { self.right as f64 / (self.right + self.wrong) as f64 }
    }

    pub fn add(&mut self, other: &Self) {
        self.plants += other.plants;
        self.found += other.found;
        self.right += other.right;
        self.wrong += other.wrong;
        self.near_misses += other.near_misses;
        self.silent += other.silent;
        (0..3).for_each(|i| self.vertices[i] += other.vertices[i]);
    }
}

/// By rule, and a line for each miss and each false finding.
#[derive(Default)]
pub struct Score {
    pub rows: BTreeMap<String, Row>,
    pub notes: Vec<String>,
}

/// What a finding names that no finding of its rule and place named before.
fn anew(found: &Found, before: &[Found]) -> (BTreeSet<u32>, BTreeSet<usize>) {
    let same =
        || before.iter().filter(|b| b.rule == found.rule && b.place == found.place && b.severity == found.severity);
    let old_vertices: BTreeSet<u32> = same().flat_map(|b| b.vertices.iter().copied()).collect();
    let old_joints: BTreeSet<usize> = same().flat_map(|b| b.joints.iter().copied()).collect();
    let vertices = found.vertices.iter().copied().filter(|v| !old_vertices.contains(v)).collect();
    (vertices, found.joints.iter().copied().filter(|j| !old_joints.contains(j)).collect())
}

fn planted_at(plant: &Plant, found: &Found) -> BTreeSet<u32> {
    found.place.and_then(|p| plant.vertices.get(&p)).into_iter().flatten().copied().collect()
}

/// Whether a clean rig has it too. Joints tell where no vertices are named.
fn is_old(found: &Found, before: &[Found]) -> bool {
    let (vertices, joints) = anew(found, before);
    let same = before.iter().any(|b| b.rule == found.rule && b.place == found.place && b.severity == found.severity);
    same && vertices.is_empty() && (joints.is_empty() || !found.vertices.is_empty())
}

/// Whether a clean rig has nearly all of it: the rest are copies of what it names.
fn is_mostly_old(found: &Found, before: &[Found]) -> bool {
    before.iter().any(|b| {
        let same = b.rule == found.rule && b.place == found.place && b.joints == found.joints;
        same && found.vertices.iter().filter(|v| !b.vertices.contains(v)).count() * 4 < found.vertices.len()
    })
}

/// Half of what is named anew was planted.
fn is_right(found: &Found, plant: &Plant, before: &[Found]) -> bool {
    let (vertices, joints) = anew(found, before);
    if plant.vertices.is_empty() && plant.joints.is_empty() {
        return true;
    }
    if !plant.vertices.is_empty() {
        let planted = planted_at(plant, found);
        return vertices.iter().filter(|v| planted.contains(v)).count() * 2 >= vertices.len().max(1);
    }
    joints.iter().filter(|j| plant.joints.contains(j)).count() * 2 >= joints.len().max(1)
}

fn touches(found: &Found, plant: &Plant) -> bool {
    let planted = planted_at(plant, found);
    // Of a plant without vertices of its own, only the rule counts.
    plant.vertices.is_empty()
        || found.vertices.iter().any(|v| planted.contains(v))
        || found.joints.iter().any(|j| plant.joints.contains(j))
}

fn severity(plant: &Plant) -> &'static str {
    let of_rule = RULES.iter().find(|r| r.0 == plant.rule).unwrap().1;
    plant.severity.unwrap_or(of_rule)
}

fn is_found(findings: &[Found], plant: &Plant, before: &[Found]) -> bool {
    let of_rule: Vec<_> = findings.iter().filter(|f| f.rule == plant.rule && f.severity == severity(plant)).collect();
    let vertices = plant.vertices.iter().all(|(place, planted)| {
        let here = of_rule.iter().filter(|f| f.place == Some(*place));
        let named: BTreeSet<u32> = here.flat_map(|f| f.vertices.iter().copied()).collect();
        planted.iter().all(|v| named.contains(v))
    });
    let named: BTreeSet<usize> = of_rule.iter().flat_map(|f| f.joints.iter().copied()).collect();
    let new = of_rule.iter().any(|f| !is_old(f, before));
    new && vertices && plant.joints.iter().all(|j| named.contains(j))
}

impl Score {
    fn row(&mut self, rule: &str) -> &mut Row {
        self.rows.entry(rule.to_owned()).or_default()
    }

    pub fn add(&mut self, other: Self) {
        for (rule, row) in &other.rows {
            self.row(rule).add(row);
        }
        self.notes.extend(other.notes);
    }

    /// The findings of a rig in which nothing was planted.
    pub fn clean(&mut self, name: &str, outcome: &Result<Vec<Found>, String>, known: impl Fn(&Found) -> bool) {
        match outcome {
            Err(error) => self.notes.push(format!("CLEAN {name} does not load: {error}")),
            Ok(findings) => {
                for found in findings.iter().filter(|f| !f.is_info() && !known(f)) {
                    self.row(&found.rule).wrong += 1;
                    self.notes.push(format!("CLEAN {name}: {}", found.line()));
                }
            }
        }
    }

    pub fn judge(&mut self, name: &str, plant: &Plant, outcome: &Result<Vec<Found>, String>, before: &[Found]) {
        if plant.near_miss {
            self.row(plant.rule).near_misses += 1;
        } else {
            self.row(plant.rule).plants += 1;
        }
        let findings = match outcome {
            Ok(findings) => findings,
            Err(error) => {
                if refused_rightly(error, plant) {
                    let row = self.row(plant.rule);
                    (row.found, row.right) = (row.found + 1, row.right + 1);
                } else {
                    self.notes.push(format!("REFUSED {name}: {error}"));
                }
                return;
            }
        };
        // What one side of a symmetric rig has and the other has not is listed for both, be they two meshes.
        let lopsided = findings.iter().any(|f| f.rule == "asymmetry" && touches(f, plant));
        let mut wrong = 0;
        for found in findings.iter().filter(|f| !is_old(f, before)) {
            let planted = found.rule == plant.rule && !plant.near_miss;
            if !planted && is_mostly_old(found, before) {
                continue;
            }
            if planted && is_right(found, plant, before) {
                self.count_right(found, plant, before);
            } else if !(plant.also.contains(&found.rule.as_str())
                && (touches(found, plant) || (lopsided && found.rule == "asymmetry")))
            {
                // Information is judged only where it is what a plant asks for.
                if found.is_info() && found.rule != plant.rule {
                    continue;
                }
                wrong += 1;
                self.row(&found.rule).wrong += 1;
                self.notes.push(format!("FALSE {name}: {}", found.line()));
            }
        }
        if plant.near_miss {
            self.row(plant.rule).silent += usize::from(wrong == 0);
        } else if is_found(findings, plant, before) {
            self.row(plant.rule).found += 1;
        } else {
            let said: Vec<_> = findings.iter().filter(|f| f.rule == plant.rule).map(Found::line).collect();
            self.notes.push(format!("MISSED {name}: {:?} {:?}\n    said {said:?}", plant.vertices, plant.joints));
        }
    }

    fn count_right(&mut self, found: &Found, plant: &Plant, before: &[Found]) {
        let (vertices, _) = anew(found, before);
        let planted = planted_at(plant, found);
        let row = self.row(plant.rule);
        row.right += 1;
        row.vertices[0] += planted.len();
        row.vertices[1] += found.vertices.iter().filter(|v| planted.contains(v)).count();
        row.vertices[2] += vertices.len();
    }

    /// Rule × (plants, found, recall, true, false, precision, near misses, silent, vertices), and the sum of all.
    pub fn table(&self) -> (String, Row) {
        let (mut text, mut sum) = (String::new(), Row::default());
        text += "rule                    plants found recall   true false precision   near misses silent   planted named vertices anew\n";
        let line = |name: &str, r: &Row| {
            format!(
                "{name:<23} {:>6} {:>5} {:>5.1}% {:>6} {:>5} {:>8.1}%   {:>11} {:>6}   {:>7} {:>5} {:>13}\n",
                r.plants,
                r.found,
                r.recall() * 100.0,
                r.right,
                r.wrong,
                r.precision() * 100.0,
                r.near_misses,
                r.silent,
                r.vertices[0],
                r.vertices[1],
                r.vertices[2],
            )
        };
        for (rule, row) in &self.rows {
            text += &line(rule, row);
            sum.add(row);
        }
        text += &line("all", &sum);
        (text, sum)
    }
}

/// The import may refuse an index out of range, if it names mesh, primitive, vertex and index.
fn refused_rightly(error: &str, plant: &Plant) -> bool {
    let names = |((mesh, primitive), vertices): (&(usize, usize), &Vec<u32>)| {
        let place = error.contains(&format!("mesh {mesh}, primitive {primitive}, "));
        place && vertices.iter().any(|v| error.contains(&format!("vertex {v}")))
    };
    plant.rule == "joint-out-of-range" && !plant.near_miss && plant.vertices.iter().any(names)
}
