//! Judges what a command did by the outcomes that are right.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::{Asset, Influences};
use super::posed::{self, Part};
use super::{Ran, put_out};

/// A check of a case, and what came of its commands.
pub struct Judge<'a> {
    pub case: &'a Path,
    /// The stem of the files that the commands wrote.
    pub base: &'a Path,
    pub expected: &'a Value,
    pub check: &'a Value,
    pub ran: &'a Ran,
}

/// `Err` says what does not hold.
type Verdict = Result<(), String>;

impl Judge<'_> {
    /// Why each outcome does not hold; nothing where one of them holds.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        let outcomes = self.check["right"].as_array().unwrap();
        let judged: Vec<Vec<String>> = outcomes.iter().map(|outcome| self.outcome(outcome)).collect();
        let holds = judged.iter().any(Vec::is_empty);
        judged.into_iter().flatten().filter(move |_| !holds)
    }

    /// What of an outcome does not hold.
    fn outcome(&self, outcome: &Value) -> Vec<String> {
        if let Some(code) = outcome["exit"].as_i64().filter(|code| i64::from(self.ran.code) != *code) {
            let said = String::from_utf8_lossy(&self.ran.stderr);
            return vec![format!("it ended with {}, not {code}: {}", self.ran.code, said.trim_end())];
        }
        let verdicts = [
            self.obj(outcome),
            self.posed(outcome),
            self.weights(outcome),
            self.never(outcome),
            self.json_text(outcome),
            self.weight_sums(outcome),
            self.measure(outcome),
            self.findings(outcome),
            self.picture(outcome),
            self.pose(outcome),
            self.message(outcome),
            self.no_output(outcome),
        ];
        verdicts.into_iter().filter_map(Result::err).collect()
    }

    fn tolerance(&self, outcome: &Value, of: &str) -> f64 {
        outcome["tolerance"][of].as_f64().or_else(|| self.expected["tolerance"][of].as_f64()).unwrap()
    }

    /// A file that an outcome names by a field.
    fn file(&self, outcome: &Value, field: &str) -> Option<PathBuf> {
        outcome[field].as_str().map(|name| self.path(name))
    }

    fn path(&self, name: &str) -> PathBuf {
        let name = put_out(self.base, name);
        // What is not written stands in the folder of the case.
        self.case.join(name)
    }

    fn table(&self, key: &Value) -> Vec<Part> {
        let parts = &self.expected["positions"][key.as_str().unwrap()];
        parts.as_array().unwrap().iter().map(Part::of).collect()
    }

    fn obj(&self, outcome: &Value) -> Verdict {
        let Some(path) = self.file(outcome, "obj") else { return Ok(()) };
        let obj = posed::read_obj(&path)?;
        let off = self.tolerance(outcome, "position_m");
        if outcome["positions"].is_string() {
            let minus: [f64; 3] = serde_json::from_value(outcome["minus"].clone()).unwrap_or_default();
            posed::positions(&obj, &self.table(&outcome["positions"]), minus, off)?;
        }
        if outcome["edges_of"].is_string() {
            posed::edges(&obj, &self.table(&outcome["edges_of"]), 2.0 * off)?;
        }
        Ok(())
    }

    fn posed(&self, outcome: &Value) -> Verdict {
        let (Some(path), Some(poses)) = (self.file(outcome, "glb"), outcome["posed"].as_array()) else { return Ok(()) };
        let off = self.tolerance(outcome, "position_m");
        let mut failed = Vec::new();
        for pose in poses {
            let time = pose["time"].as_f64().unwrap();
            let clip = match pose["clip"].as_i64() {
                Some(at) => Asset::open(&path)?.clip_at(at)?,
                None => pose["clip"].as_str().unwrap().to_owned(),
            };
            let shown = posed::bake(&path, self.base, &clip, time);
            let judged = shown.and_then(|obj| posed::positions(&obj, &self.table(&pose["positions"]), [0.0; 3], off));
            failed.extend(judged.err().map(|why| format!("{clip} at {time} s: {why}")));
        }
        if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
    }

    /// The model that the judged command read: its first argument that is a file of the case.
    fn input(&self) -> Result<Asset, String> {
        let mut words = self.ran.arguments.iter().skip(1).map(|word| self.path(word));
        Asset::open(&words.find(|path| path.is_file()).ok_or("the command reads no file")?)
    }

    fn weights(&self, outcome: &Value) -> Verdict {
        let (Some(path), Some(key)) = (self.file(outcome, "glb"), outcome["weights"].as_str()) else { return Ok(()) };
        let (written, input) = (Asset::open(&path)?, self.input()?);
        let off = self.tolerance(outcome, "weight");
        let mut failed = Vec::new();
        for part in self.expected["weights"][key].as_array().unwrap() {
            let of =
                |asset: &Asset| asset.influences(part["node"].as_str().unwrap(), part["primitive"].as_u64().unwrap());
            failed.extend(differing(part, &of(&written)?, &of(&input)?, off));
        }
        summed(&failed)
    }

    fn never(&self, outcome: &Value) -> Verdict {
        let never = &outcome["never"];
        let (Some(path), Some(node)) = (self.file(outcome, "glb"), never["node"].as_str()) else { return Ok(()) };
        let weights = Asset::open(&path)?.influences(node, never["primitive"].as_u64().unwrap_or(0))?;
        let ranges: Vec<[usize; 2]> = serde_json::from_value(never["vertices_from_to"].clone()).unwrap();
        let joints: BTreeSet<String> = serde_json::from_value(never["joints"].clone()).unwrap();
        let mut failed = Vec::new();
        for vertex in ranges.iter().flat_map(|[from, to]| *from..=*to) {
            let bound = weights[vertex].iter().filter(|(joint, weight)| joints.contains(*joint) && **weight > 0.0);
            failed.extend(bound.map(|(joint, weight)| format!("vertex {vertex} has {weight} of {joint}")));
        }
        summed(&failed)
    }

    fn json_text(&self, outcome: &Value) -> Verdict {
        let (Some(path), Some(other)) = (self.file(outcome, "glb"), outcome["json_text"].as_str()) else {
            return Ok(());
        };
        let same = Asset::open(&path)?.text == Asset::open(&self.path(other))?.text;
        if same { Ok(()) } else { Err(format!("the JSON text is not that of {other}")) }
    }

    fn weight_sums(&self, outcome: &Value) -> Verdict {
        let (Some(path), Some(sum)) = (self.file(outcome, "glb"), outcome["weight_sums"].as_f64()) else {
            return Ok(());
        };
        let asset = Asset::open(&path)?;
        let all = asset.all_influences()?.into_iter().flatten().enumerate();
        let sums = all.map(|(vertex, weights)| (vertex, weights.values().sum::<f64>()));
        let failed = sums.filter(|(_, s)| (s - sum).abs() > 1e-6).map(|(v, s)| format!("vertex {v} has the sum {s}"));
        summed(&failed.collect::<Vec<_>>())
    }

    fn measure(&self, outcome: &Value) -> Verdict {
        let Some(right) = outcome["measure"].as_object() else { return Ok(()) };
        let printed: Value = serde_json::from_slice(&self.ran.stdout).map_err(|error| error.to_string())?;
        let within = outcome["within"].as_f64().unwrap();
        let mut failed = Vec::new();
        for (measure, right) in right {
            let value = &printed["worst"][measure]["value"];
            let close = value.as_f64().is_some_and(|value| (value - right.as_f64().unwrap()).abs() <= within);
            failed.extend((!close).then(|| format!("{measure} is {value}, not {right}")));
        }
        summed(&failed)
    }

    fn findings(&self, outcome: &Value) -> Verdict {
        let Some(right) = outcome["findings"].as_array() else { return Ok(()) };
        let printed: Value = serde_json::from_slice(&self.ran.stdout).map_err(|error| error.to_string())?;
        let found = rules(&printed).ok_or("no findings in what check --json prints")?;
        let right: BTreeSet<&str> = right.iter().filter_map(Value::as_str).collect();
        if found == right { Ok(()) } else { Err(format!("it found {found:?}, not {right:?}")) }
    }

    fn picture(&self, outcome: &Value) -> Verdict {
        let Some(path) = self.file(outcome, "picture") else { return Ok(()) };
        let picture = open_picture(&path)?;
        let above = |a: usize, b: usize| picture.pixels().filter(|p| i32::from(p[a]) - i32::from(p[b]) > 60).count();
        let (red, blue) = (above(0, 2), above(2, 0));
        let least = outcome["red_at_least"].as_u64().unwrap_or(0) as usize;
        let most = outcome["blue_at_most"].as_u64().map_or(usize::MAX, |most| most as usize);
        if red < least || blue > most {
            return Err(format!("{red} red pixels (at least {least}), {blue} blue ones (at most {most})"));
        }
        let Some(other) = self.file(outcome, "like") else { return Ok(()) };
        let other = open_picture(&other)?;
        if other.dimensions() != picture.dimensions() {
            return Err(format!("the pictures have {:?} and {:?} pixels", picture.dimensions(), other.dimensions()));
        }
        let (by, most) = (outcome["by_more_than"].as_u64().unwrap(), outcome["at_most_pixels"].as_u64().unwrap());
        let far = |a: &image::Rgba<u8>, b: &image::Rgba<u8>| (0..4).any(|c| u64::from(a[c].abs_diff(b[c])) > by);
        let differing = picture.pixels().zip(other.pixels()).filter(|(a, b)| far(a, b)).count();
        if differing as u64 <= most { Ok(()) } else { Err(format!("{differing} pixels differ, at most {most} may")) }
    }

    fn pose(&self, outcome: &Value) -> Verdict {
        let (Some(path), Some(right)) = (self.file(outcome, "pose"), outcome["turned_deg"].as_object()) else {
            return Ok(());
        };
        let pose: Value = read_json(&path)?;
        let rest = self.input()?;
        let off = self.tolerance(outcome, "degrees");
        let joints = pose["joints"].as_object().ok_or("the pose has no joints")?;
        let others = joints.keys().filter(|joint| !right.contains_key(*joint));
        let mut failed: Vec<String> = others.map(|joint| format!("{joint} is in the pose too")).collect();
        for (joint, right) in right {
            let at_rest = rest.rotation(joint)?;
            let turned = joints.get(joint).and_then(|channels| channels.get("rotation"));
            let turned = turned.map_or(at_rest, |q| serde_json::from_value(q.clone()).unwrap());
            let (degrees, right) = (posed::degrees_between(at_rest, turned), right.as_f64().unwrap());
            failed.extend(
                ((degrees - right).abs() > off).then(|| format!("{joint} is turned by {degrees}°, not {right}°")),
            );
        }
        summed(&failed)
    }

    fn message(&self, outcome: &Value) -> Verdict {
        let said = self.ran.said();
        let words = |field: &str| -> Vec<String> { serde_json::from_value(outcome[field].clone()).unwrap_or_default() };
        let any = words("message_any");
        let lacks = words("message").into_iter().filter(|word| !said.contains(word.as_str()));
        let mut failed: Vec<String> = lacks.map(|word| format!("it does not say \"{word}\"")).collect();
        if !any.is_empty() && !any.iter().any(|word| said.contains(word.as_str())) {
            failed.push(format!("it says none of {any:?}"));
        }
        if failed.is_empty() { Ok(()) } else { Err(format!("{}: {}", failed.join(", "), said.trim_end())) }
    }

    fn no_output(&self, outcome: &Value) -> Verdict {
        match self.file(outcome, "no_output") {
            Some(path) if path.exists() => Err(format!("{} was written", path.display())),
            _ => Ok(()),
        }
    }
}

/// The first few of many failures, and how many there are.
fn summed(failed: &[String]) -> Verdict {
    let first = failed.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    match failed.len() {
        0 => Ok(()),
        1..=3 => Err(first),
        n => Err(format!("{first}, … ({n} in all)")),
    }
}

/// The vertices whose weights are not those of a part of a table.
fn differing(part: &Value, written: &[Influences], input: &[Influences], off: f64) -> Vec<String> {
    let mut failed = Vec::new();
    if written.len() != input.len() {
        failed.push(format!("there are {} vertices, not {}", written.len(), input.len()));
    }
    let influences = |value: &Value| -> Influences { serde_json::from_value(value.clone()).unwrap() };
    for (vertex, (written, stored)) in written.iter().zip(input).enumerate() {
        if let Some(joint) = part["joint_of_vertex"][vertex].as_str() {
            let (weight, least) = (written.get(joint).copied().unwrap_or(0.0), part["at_least"].as_f64().unwrap());
            failed.extend((weight < least).then(|| format!("vertex {vertex} has {weight} of {joint}: {written:?}")));
            continue;
        }
        let right = match (&part["vertices"][vertex.to_string()], &part["others"]) {
            (Value::Null, Value::Null) => continue,
            (Value::Null, Value::String(_)) => stored.clone(),
            (Value::Null, others) => influences(others),
            (own, _) => influences(own),
        };
        let of = |list: &Influences, joint: &String| list.get(joint).copied().unwrap_or(0.0);
        let mut joints = written.keys().chain(right.keys());
        if joints.any(|joint| (of(written, joint) - of(&right, joint)).abs() > off) {
            failed.push(format!("vertex {vertex} has {written:?}, not {right:?}"));
        }
    }
    failed
}

/// The rules that `check --json` found, for one file or several.
fn rules(printed: &Value) -> Option<BTreeSet<&str>> {
    let files = printed.as_array().or_else(|| printed["files"].as_array());
    let one = std::slice::from_ref(printed);
    let mut out = BTreeSet::new();
    for file in files.map_or(one, Vec::as_slice) {
        out.extend(file["findings"].as_array()?.iter().filter_map(|finding| finding["rule"].as_str()));
    }
    Some(out)
}

fn open_picture(path: &Path) -> Result<image::RgbaImage, String> {
    image::open(path).map(|picture| picture.to_rgba8()).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_json(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
