//! `check --sarif`: findings in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS), which code scanning
//! services read. A file that does not load is a result too, so that it is seen where the findings are.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::gates::{self, Judged};
use super::report::{MOST_NAMES, findings, severity, word};
use super::shard::fnv;
use crate::inspect::check::{GATES, RULES, Severity};
use crate::inspect::rom::ROM_RULES;

/// The characters of a path that a URI need not escape (RFC 3986, 2.3), and the slash between its parts.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The rule of the results about files that do not load.
pub(super) const UNREAD: &str = "file-not-loaded";

/// Returns the document up to its first result.
pub(super) fn head() -> String {
    let rule = |id: &str, label: &str, help: &str, severity: Severity| {
        json!({
            "id": id,
            "shortDescription": { "text": label },
            "fullDescription": { "text": help },
            "help": { "text": help },
            "defaultConfiguration": { "level": level(severity) },
        })
    };
    let rules: Vec<Value> = RULES
        .iter()
        .map(|r| rule(r.id, r.label, r.help, r.severity))
        .chain(ROM_RULES.iter().map(|r| rule(r.id, r.label, r.help, Severity::Info)))
        .chain([rule(UNREAD, "File does not load", "A file cannot be read, or breaks a rule of glTF", Severity::Error)])
        .chain(GATES.iter().map(|gate| rule(&gates::rule(gate), gate.label, gate.help, Severity::Error)))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let driver = json!({ "name": "Skinscope", "version": version, "semanticVersion": version, "rules": rules });
    format!(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\n\
         \"tool\":{},\n\"columnKind\":\"unicodeCodePoints\",\"results\":[\n",
        json!({ "driver": driver })
    )
}

/// The end of the document.
pub(super) const TAIL: &str = "\n],\"invocations\":[{\"executionSuccessful\":true}]}]}\n";

/// Returns the results of a file, of its JSON, with commas between; empty where nothing was found.
pub(super) fn results(item: &Value) -> String {
    let path = word(&item["path"]);
    if let Some(error) = item["error"].as_str() {
        let location = json!([{ "physicalLocation": physical(path) }]);
        let out = result(UNREAD, Severity::Error, error, location, path);
        return with_state(out, &item["known"]).to_string();
    }
    let of_findings = findings(item).iter().map(|f| of_finding(path, f).to_string());
    let of_gates = item["gates"].as_array().into_iter().flatten().filter_map(|gate| of_gate(path, gate));
    let results: Vec<String> = of_findings.chain(of_gates.map(|result| result.to_string())).collect();
    results.join(",\n")
}

/// Returns the result of a limit of `--fail-over`, of its JSON; `None` where it is not exceeded.
fn of_gate(path: &str, gate: &Value) -> Option<Value> {
    let judged = Judged::of_json(gate).filter(|judged| !judged.passed())?;
    let location = json!([{ "physicalLocation": physical(path) }]);
    let mut out = result(&judged.rule(), Severity::Error, &judged.text(), location, path);
    out["properties"] = gate.clone();
    Some(with_state(out, &gate["known"]))
}

fn of_finding(path: &str, f: &Value) -> Value {
    let logical = logical(f);
    let mut location = json!({ "physicalLocation": physical(path) });
    if !logical.is_empty() {
        location["logicalLocations"] = Value::from(logical);
    }
    let message = format!("{} {}", word(&f["message"]), word(&f["fix"]));
    let severity = severity(f).unwrap_or(Severity::Warning);
    let mut out = result(word(&f["rule"]), severity, &message, json!([location]), &key(path, f));
    out["properties"] = f.clone();
    with_state(out, &f["known"])
}

/// Returns a result with its state, where there is a baseline. SARIF (3.27.24) wants one on every result of a run, or on none.
fn with_state(mut result: Value, known: &Value) -> Value {
    if let Some(known) = known.as_bool() {
        result["baselineState"] = if known { "unchanged" } else { "new" }.into();
    }
    result
}

/// Returns where a finding is in its file: its mesh and its joints.
fn logical(f: &Value) -> Vec<Value> {
    let (mut out, words) = (Vec::new(), &f["words"]);
    if let (Some(mesh), Some(primitive)) = (f["mesh"].as_u64(), f["primitive"].as_u64()) {
        let full = format!("/meshes/{mesh}/primitives/{primitive}");
        out.push(json!({ "name": word(&words["mesh"]), "fullyQualifiedName": full, "kind": "object" }));
    }
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    // The names are those of the first joints; `properties` lists all.
    for (node, name) in list(&f["joints"]).into_iter().zip(list(&words["joints"])) {
        out.push(json!({ "name": name, "fullyQualifiedName": format!("/nodes/{node}"), "kind": "object" }));
    }
    out
}

/// Returns what tells a finding from others of the same rule, from run to run: the path of its file, and as JSON its mesh, its primitive by
/// the first material at fault, and its first joints in the order of their names. Each goes by its name, and by its index where it has
/// none. Indices of what has a name are not part of it, and vertices are not: an exporter numbers them anew.
fn key(path: &str, f: &Value) -> String {
    let words = &f["words"];
    let mesh = name_or(&words["mesh"], &f["mesh"]);
    let primitive = name_or(&f["materials"][0], &f["primitive"]);
    let joints = f["joints"].as_array().into_iter().flatten().take(MOST_NAMES).enumerate();
    let mut joints: Vec<&Value> = joints.map(|(i, node)| name_or(&words["joints"][i], node)).collect();
    joints.sort_by_cached_key(ToString::to_string);
    format!("{path}\n{}", json!([mesh, primitive, joints]))
}

/// Returns a name, or the index of what has none.
fn name_or<'v>(name: &'v Value, index: &'v Value) -> &'v Value {
    if word(name).is_empty() { index } else { name }
}

/// Returns what a finding of the file `path` is known by in another run: its fingerprint, which is made of the path as it was given, the
/// rule, and the names of the mesh, the material and the joints.
pub(super) fn fingerprint(path: &str, f: &Value) -> u64 {
    hash(word(&f["rule"]), &key(path, f))
}

/// Returns a result; `key` tells it from others of the same rule, from run to run.
fn result(rule: &str, severity: Severity, message: &str, locations: Value, key: &str) -> Value {
    let known = RULES.iter().map(|r| r.id).chain(ROM_RULES.iter().map(|r| r.id)).chain([UNREAD]).map(str::to_owned);
    let mut ids = known.chain(GATES.iter().map(|gate| gates::rule(gate)));
    json!({
        "ruleId": rule,
        "ruleIndex": ids.position(|id| id == rule),
        "level": level(severity),
        "message": { "text": message },
        "locations": locations,
        "partialFingerprints": { "skinscope/v2": format!("{:016x}", hash(rule, key)) },
    })
}

/// Returns the location of a file. Services for code want a line, though a model has none.
fn physical(path: &str) -> Value {
    json!({ "artifactLocation": { "uri": uri(path) }, "region": { "startLine": 1 } })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Returns a path as a URI: relative ones stay relative, to the folder that the program was started in.
fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let drive = path.as_bytes().get(1) == Some(&b':') && cfg!(windows);
    let scheme = match (path.starts_with('/'), drive) {
        (true, _) => "file://",
        (false, true) => "file:///",
        (false, false) => "",
    };
    format!("{scheme}{}", utf8_percent_encode(path.strip_prefix("./").unwrap_or(&path), PLAIN))
}

/// Returns what tells a result from others, the same on every machine. The `key` of a result about a whole file is its path.
pub(super) fn hash(rule: &str, key: &str) -> u64 {
    fnv(format!("{rule}\n{key}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./art/a knight#1.glb"), "art/a%20knight%231.glb");
        assert_eq!(uri("/home/é.gltf"), "file:///home/%C3%A9.gltf");
    }

    /// A baseline may be of another version of the program.
    #[test]
    fn a_fingerprint_stays_what_it_is() {
        let words = json!({ "mesh": "Body", "joints": ["arm"] });
        let finding = json!({ "rule": "weights-zero", "mesh": 0, "primitive": 1, "materials": ["Skin"], "joints": [4], "vertices": [7],
            "words": words });
        assert_eq!(fingerprint("a.glb", &finding), 0x42b5_e34d_5552_7b26);
        let moved = json!({ "rule": "weights-zero", "mesh": 2, "primitive": 3, "materials": ["Skin", "Cloth"], "joints": [5],
            "vertices": [9], "words": words });
        assert_eq!(fingerprint("a.glb", &moved), fingerprint("a.glb", &finding));
        let of = |joints: [u32; 2], names: [&str; 2]| {
            fingerprint("a.glb", &json!({ "rule": "joint-unused", "joints": joints, "words": { "joints": names } }))
        };
        assert_eq!(of([4, 5], ["hand", "arm"]), of([2, 9], ["arm", "hand"]));
        assert_ne!(of([4, 5], ["hand", "arm"]), of([4, 5], ["hand", "leg"]));
    }

    #[test]
    fn what_has_no_name_is_known_by_its_index() {
        let of = |mesh: u32, materials: Value, joint: u32, words: Value| {
            let finding = json!({ "rule": "weights-zero", "mesh": mesh, "primitive": 1, "materials": materials, "joints": [4, joint],
                "words": words });
            fingerprint("a.glb", &finding)
        };
        let partly = of(0, json!([null]), 5, json!({ "mesh": "", "joints": ["arm"] }));
        assert_eq!(partly, 0xc711_1161_ccb3_40fd);
        let others = [
            of(1, json!([null]), 5, json!({ "mesh": "", "joints": ["arm"] })),
            of(0, json!(["Skin"]), 5, json!({ "mesh": "", "joints": ["arm"] })),
            of(0, json!([]), 6, json!({ "mesh": "", "joints": ["arm"] })),
            of(0, json!([]), 5, json!({ "mesh": "0", "joints": ["arm"] })),
        ];
        assert!(!others.contains(&partly), "{others:x?}");
        assert_eq!(of(0, json!([]), 5, json!({ "mesh": "", "joints": ["arm"] })), partly);
    }
}
