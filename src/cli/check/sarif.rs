//! `check --sarif`: findings in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS), which code scanning
//! services read. A file that does not load is a result too, so that it is seen where the findings are.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::gates::{self, Judged};
use super::report::{findings, severity, word};
use super::shard::fnv;
use crate::inspect::check::{GATES, RULES, Severity};
use crate::inspect::rom::ROM_RULES;

/// The characters of a path that a URI need not escape (RFC 3986, 2.3), and the slash between its parts.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The rule of the results about files that do not load.
const UNREAD: &str = "file-not-loaded";

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
        return result(UNREAD, Severity::Error, error, location, path).to_string();
    }
    let of_findings = findings(item).iter().map(|f| of_finding(path, f).to_string());
    let exceeded = gates::of_item(item).into_iter().filter(|judged| !judged.passed());
    let results: Vec<String> = of_findings.chain(exceeded.map(|judged| of_gate(path, &judged).to_string())).collect();
    results.join(",\n")
}

/// Returns the result of a limit of `--fail-over` that is exceeded.
fn of_gate(path: &str, judged: &Judged) -> Value {
    let location = json!([{ "physicalLocation": physical(path) }]);
    let mut out = result(&judged.rule(), Severity::Error, &judged.text(), location, path);
    out["properties"] = judged.json();
    out
}

fn of_finding(path: &str, f: &Value) -> Value {
    let logical = logical(f);
    let key = key(path, &logical);
    let mut location = json!({ "physicalLocation": physical(path) });
    if !logical.is_empty() {
        location["logicalLocations"] = Value::from(logical);
    }
    let message = format!("{} {}", word(&f["message"]), word(&f["fix"]));
    let severity = severity(f).unwrap_or(Severity::Warning);
    let mut out = result(word(&f["rule"]), severity, &message, json!([location]), &key);
    out["properties"] = f.clone();
    if let Some(known) = f["known"].as_bool() {
        out["baselineState"] = if known { "unchanged" } else { "new" }.into();
    }
    out
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

/// Returns what tells a finding from others of the same rule, from run to run. Vertices are not part of it: an exporter numbers them anew.
fn key(path: &str, logical: &[Value]) -> String {
    let names: Vec<&str> = logical.iter().filter_map(|location| location["fullyQualifiedName"].as_str()).collect();
    format!("{path}\n{}", names.join("\n"))
}

/// Returns what a finding of the file `path` is known by in another run: its fingerprint, which is made of the path as it was given, the
/// rule, the mesh with its primitive, and the joints.
pub(super) fn fingerprint(path: &str, f: &Value) -> u64 {
    hash(word(&f["rule"]), &key(path, &logical(f)))
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
        "partialFingerprints": { "skinscope/v1": format!("{:016x}", hash(rule, key)) },
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

/// Returns what tells a result from others, the same on every machine.
fn hash(rule: &str, key: &str) -> u64 {
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
        let finding = json!({ "rule": "weights-zero", "mesh": 0, "primitive": 1, "joints": [4], "vertices": [7], "words": words });
        assert_eq!(fingerprint("a.glb", &finding), 0x1736_728b_cfc1_8b84);
    }
}
