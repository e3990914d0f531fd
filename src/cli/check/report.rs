//! Writes findings as text and as JSON. All other forms are made of the JSON of a file ([`json`]), so that they can be made later too, of
//! the lines that `--json-lines` has written.

use serde_json::{Value, json};

use super::super::printable;
use super::gates::Judged;
use super::rom::Measured;
use super::runtime::Prediction;
use crate::import::ImportError;
use crate::inspect::check::{Finding, FindingPose, RULES, Report, Severity};
use crate::inspect::rom::ROM_RULES;
use crate::inspect::rule_words;
use crate::inspect::symmetry::{NO_IMAGE, NO_PARTNER, NO_PLANE, NO_WEIGHTS};
use crate::model::{MaterialId, MeshId, Model, NodeId};
use crate::words::counted;

/// The JSON before the first file.
pub(super) const JSON_HEAD: &str = "{\"schema\":1,\"files\":[\n";

/// The JSON after the last file.
pub(super) const JSON_TAIL: &str = "\n]}\n";

/// The result of a check of one file.
pub(super) enum Outcome<'a> {
    /// It does not load, for this reason.
    Refused(&'a ImportError),
    /// It was checked, and its range of motion measured where that was asked for.
    Checked {
        model: &'a Model,
        report: &'a Report,
        /// How it stands to the limits of `--fail-over`.
        gates: &'a [Judged],
        rom: Option<&'a Measured>,
        runtime: Option<&'a Prediction>,
    },
}

/// The most vertices that are listed in JSON, and in text.
const MOST_VERTICES: usize = 256;
const MOST_VERTICES_TEXT: usize = 12;
/// The most joints whose names stand beside their numbers in JSON.
pub(super) const MOST_NAMES: usize = 32;

/// Returns the result of a file as an item of `files`: its findings, with the result of a range of motion where one was
/// asked for, or the reason why it does not load.
pub(super) fn json(path: &str, outcome: &Outcome) -> Value {
    let (model, report, gates, rom, runtime) = match outcome {
        Outcome::Refused(error) => return unread(path, error),
        Outcome::Checked { model, report, gates, rom, runtime } => (model, report, gates, rom, runtime),
    };
    let findings: Vec<Value> = report.findings.iter().map(|f| finding(model, f)).collect();
    let [info, warning, error] = Severity::ALL.map(|severity| report.count(severity));
    let summary = json!({ "error": error, "warning": warning, "info": info });
    let mut out = json!({ "path": path, "findings": findings, "summary": summary });
    if !gates.is_empty() {
        out["gates"] = gates.iter().map(Judged::json).collect();
    }
    if let Some(rom) = rom {
        out["rom"] = rom.json();
    }
    if let Some(runtime) = runtime {
        out["runtime"] = runtime.json(model);
    }
    if let Some([judged, not_judged]) = report.symmetry_counts() {
        let images = without(model, report, NO_IMAGE);
        out["symmetry"] = json!({ "judged": judged, "not_judged": not_judged, "without_image": images });
        for (name, reason) in
            [("without_plane", NO_PLANE), ("without_partner", NO_PARTNER), ("without_weights", NO_WEIGHTS)]
        {
            if report.not_judged_for(reason) > 0 {
                out["symmetry"][name] = without(model, report, reason).into();
            }
        }
    }
    out
}

/// Returns the vertices that were not compared for this reason, by mesh and primitive of the file: their number and the
/// first of them. A mesh that is shown with several skins has an item for each list of joints.
fn without(model: &Model, report: &Report, reason: f32) -> Vec<Value> {
    let mut out = Vec::new();
    for (mesh, primitives) in report.symmetry.iter().flat_map(|s| s.values.iter().enumerate()) {
        for (primitive, values) in primitives.iter().enumerate() {
            let all = || values.iter().enumerate().filter(|(_, value)| **value == reason).map(|(vertex, _)| vertex);
            let vertices: Vec<usize> = all().take(MOST_VERTICES).collect();
            if !vertices.is_empty() {
                let count = all().count();
                out.push(json!({ "mesh": model.file_mesh(MeshId::from_index(mesh)).0, "primitive": primitive, "vertex_count": count, "vertices": vertices }));
            }
        }
    }
    out
}

/// Returns the remark about symmetry where it could not be judged everywhere, of the JSON of a file.
pub(super) fn symmetry(item: &Value) -> Option<String> {
    let counts = item.get("symmetry")?;
    let [judged, not_judged] = ["judged", "not_judged"].map(|name| counts[name].as_u64().unwrap_or(0));
    let of = |name: &str| -> u64 {
        let all = counts[name].as_array().into_iter().flatten();
        all.filter_map(|part| part["vertex_count"].as_u64()).sum()
    };
    let reasons = [
        ("without_plane", "is of a mesh with a plane of symmetry", "of meshes without a plane of symmetry"),
        ("without_image", "has a mirror image to compare it with", "without a mirror image"),
        (
            "without_partner",
            "is moved only by joints that have a partner on the other side",
            "moved by joints without a partner",
        ),
        ("without_weights", "has weights that can be compared", "without weights to compare"),
    ];
    let found: Vec<_> = reasons.into_iter().filter(|(reason, ..)| of(reason) > 0).collect();
    let all = counted(judged + not_judged, "vertex", "vertices");
    match (judged, &found[..]) {
        (_, []) => None,
        (0, [(_, none, _)]) => Some(format!("symmetry was not judged: none of {all} {none}")),
        (_, [(_, _, some)]) => Some(format!("symmetry was not judged for {not_judged} of {all}, those {some}")),
        _ => {
            let each = found.iter().map(|(reason, _, some)| format!("{} {some}", of(reason)));
            let each = each.collect::<Vec<_>>().join(", ");
            Some(format!("symmetry was not judged for {not_judged} of {all}: {each}"))
        }
    }
}

/// Returns the findings in the JSON of a file.
pub(super) fn findings(item: &Value) -> &[Value] {
    item["findings"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns the severity of a finding in JSON; `None` where it has one that this version does not know.
pub(super) fn severity(finding: &Value) -> Option<Severity> {
    Severity::ALL.into_iter().find(|severity| finding["severity"] == *severity.id())
}

/// Returns whether the baseline has a finding, of its JSON.
pub(super) fn is_known(finding: &Value) -> bool {
    finding["known"] == true
}

/// Returns how many findings of a file are new, are known by the baseline, and are gone since, of its JSON; `None` without a baseline.
pub(super) fn baseline(item: &Value) -> Option<[usize; 3]> {
    let figures = item.get("baseline")?;
    Some(["new", "known", "gone"].map(|name| figures[name].as_u64().unwrap_or(0) as usize))
}

/// Says how many findings are new, known and gone.
pub(super) fn against_baseline([new, known, gone]: [usize; 3]) -> String {
    format!("{new} new, {known} known, {gone} of the baseline gone")
}

/// Returns the rules that were run on a file, of its JSON. `wanted`: the rules that were asked for; `None`: all.
pub(super) fn ran(item: &Value, wanted: Option<&[String]>) -> Vec<&'static str> {
    let has_rom = item.get("rom").is_some();
    let ids = RULES.iter().map(|r| r.id).chain(ROM_RULES.iter().filter(|_| has_rom).map(|r| r.id));
    ids.filter(|id| wanted.is_none_or(|wanted| wanted.iter().any(|rule| rule == id))).collect()
}

/// Returns a text in JSON; empty where there is none.
pub(super) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the JSON of a file that does not load.
fn unread(path: &str, error: &ImportError) -> Value {
    let summary = json!({ "error": 0, "warning": 0, "info": 0 });
    json!({ "path": path, "findings": [], "summary": summary, "error": error.to_string() })
}

/// Returns a finding as JSON.
fn finding(model: &Model, f: &Finding) -> Value {
    let node = |n: NodeId| model.skeleton.file_index[n.index()];
    let pose = match f.pose {
        FindingPose::Rest => Value::Null,
        FindingPose::Turned { joint, axis, angle } => {
            json!({ "joint": node(joint), "axis": axis.to_array(), "degrees": degrees(angle) })
        }
        FindingPose::Clip { clip, time_secs } => json!({ "clip": clip.0, "time": time_secs }),
    };
    json!({
        "rule": f.rule,
        "severity": f.severity.id(),
        "mesh": f.mesh.map(|mesh| model.file_mesh(mesh).0),
        "primitive": f.primitive,
        "materials": f.materials(model).into_iter().map(|material| material.map(|m| &model.materials[m.index()].name)).collect::<Vec<_>>(),
        "vertex_count": f.vertices.len(),
        "vertices": f.vertices.iter().take(MOST_VERTICES).collect::<Vec<_>>(),
        "joints": f.joints.iter().map(|n| node(*n)).collect::<Vec<_>>(),
        "message": f.message,
        "fix": f.fix,
        "measure": f.measure.filter(|m| m.value.is_finite()).map(|m| json!({ "what": m.what, "value": m.value, "unit": m.unit })),
        "pose": pose,
        "words": words(model, f),
    })
}

/// Returns what reports say about a finding that its numbers alone do not tell, such as the names of its joints.
fn words(model: &Model, f: &Finding) -> Value {
    let name = |n: NodeId| &model.skeleton.names[n.index()];
    let pose = match f.pose {
        FindingPose::Rest => None,
        FindingPose::Turned { joint, axis, angle } => {
            let ([x, y, z], node) = (axis.to_array(), model.skeleton.file_index[joint.index()]);
            let degrees = angle.to_degrees();
            Some(format!("{} (node {node}) turned by {degrees:.0}° about ({x:.2}, {y:.2}, {z:.2})", name(joint)))
        }
        FindingPose::Clip { clip, time_secs } => {
            let name = model.clips.get(clip.index()).map_or("", |c| c.name.as_str());
            Some(format!("clip {} {name} at {time_secs:.3} s", clip.0))
        }
    };
    json!({
        "location": location(model, f),
        "mesh": f.mesh.map(|mesh| &model.meshes[mesh.index()].name),
        "joints": f.joints.iter().take(MOST_NAMES).map(|n| name(*n)).collect::<Vec<_>>(),
        "measure": f.measure.filter(|m| m.value.is_finite()).map(|m| m.text()),
        "pose": pose,
    })
}

/// Converts radians, which have seven digits, to degrees without the noise of the last digits.
fn degrees(angle: f32) -> f64 {
    (f64::from(angle).to_degrees() * 1e3).round() / 1e3
}

/// Returns the findings of a file as text, a paragraph for each, or two lines for one that the baseline knows, and a paragraph where a range
/// of motion is not complete; empty where the file does not load. `item`: the same as JSON.
pub(super) fn text(item: &Value, outcome: &Outcome) -> String {
    let Outcome::Checked { model, report, gates, rom, runtime } = outcome else { return String::new() };
    let mut out = format!("{}\n", printable(item["path"].as_str().unwrap_or_default()));
    for (f, marked) in report.findings.iter().zip(findings(item)) {
        let label = rule_words(f.rule).map_or(f.rule, |(label, _)| label);
        let (id, is_known) = (f.severity.id(), is_known(marked));
        match is_known {
            true => out += &format!("\n  known    {label} ({}, {id})", f.rule),
            false => out += &format!("\n  {id:<8} {label} ({})", f.rule),
        }
        let location = location(model, f);
        if !location.is_empty() {
            out += &format!("\n           {}", printable(&location));
        }
        if !is_known {
            out += &wrapped(&printable(&f.message));
            out += &wrapped(&printable(&format!("Fix: {}", f.fix)));
        }
        out.push('\n');
    }
    if let Some([message, fix]) = rom.and_then(|rom| rom.shortfall()) {
        out += "\n  not done Range of motion (--rom-seconds)";
        out += &wrapped(&message);
        out += &wrapped(&format!("Fix: {fix}"));
        out.push('\n');
    }
    let [info, warning, error] = Severity::ALL.map(|severity| report.count(severity));
    out += &format!("\n  {}\n", counts([info, warning, error]));
    out += &baseline(item).map_or_else(String::new, |figures| format!("  {}\n", against_baseline(figures)));
    for judged in *gates {
        out += &format!("  {}\n", judged.text());
    }
    out += &runtime.map_or_else(String::new, Prediction::text);
    out += &symmetry(item).map_or_else(String::new, |remark| format!("  {remark}\n"));
    out.push('\n');
    out
}

/// Describes the location of a finding: `mesh 0 "Body", primitive 1; vertices 3, 4, 9 and 20 more`.
fn location(model: &Model, f: &Finding) -> String {
    let mut parts = Vec::new();
    if let (Some(mesh), Some(primitive)) = (f.mesh, f.primitive) {
        let name = &model.meshes[mesh.index()].name;
        let name = if name.is_empty() { String::new() } else { format!(" \"{name}\"") };
        let materials = materials(model, f);
        parts.push(format!("mesh {}{name}, primitive {primitive}{materials}", model.file_mesh(mesh).0));
    }
    if !f.vertices.is_empty() {
        let list: Vec<String> = f.vertices.iter().take(MOST_VERTICES_TEXT).map(u32::to_string).collect();
        let more = f.vertices.len() - list.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let noun = if f.vertices.len() == 1 { "vertex" } else { "vertices" };
        parts.push(format!("{noun} {}{more}", list.join(", ")));
    }
    parts.join("; ")
}

/// Names the materials that a finding touches where several primitives draw its vertices: ` (materials "Skin", "Cloth")`.
fn materials(model: &Model, f: &Finding) -> String {
    let several = f.mesh.zip(f.primitive).is_some_and(|(mesh, p)| model.meshes[mesh.index()].parts(p).count() > 1);
    let named = f.materials(model).into_iter().filter(|_| several);
    let name = |m: Option<MaterialId>| {
        m.map_or_else(|| "none".to_owned(), |m| format!("\"{}\"", model.materials[m.index()].name))
    };
    let names: Vec<String> = named.map(name).collect();
    match names.len() {
        0 => String::new(),
        1 => format!(" (material {})", names[0]),
        _ => format!(" (materials {})", names.join(", ")),
    }
}

/// Breaks a text into indented lines of a readable length, the first one on a line of its own.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 100;
    const INDENT: &str = "\n           ";
    let (mut out, mut width) = (String::new(), WIDTH);
    for word in text.split_whitespace() {
        let length = word.chars().count() + 1;
        if width + length > WIDTH {
            out += INDENT;
            width = INDENT.len() - 1;
        } else {
            out.push(' ');
        }
        out += word;
        width += length;
    }
    out
}

/// Writes `1 error, 2 warnings`, from the numbers of infos, warnings and errors.
pub(super) fn counts([info, warning, error]: [usize; 3]) -> String {
    let of = |count: usize, word: &str| {
        (count > 0).then(|| format!("{count} {word}{}", if count == 1 || word == "info" { "" } else { "s" }))
    };
    let parts: Vec<String> =
        [of(error, "error"), of(warning, "warning"), of(info, "info")].into_iter().flatten().collect();
    if parts.is_empty() { "no findings".into() } else { parts.join(", ") }
}
