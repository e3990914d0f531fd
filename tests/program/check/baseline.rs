//! A baseline: what an earlier check has found is known in every form of the report, and a run fails for what is new alone.

use zip::CompressionMethod;

use super::archives::{piped, written, zipped};
use super::merge::merged;
use super::*;

/// Rules of which [`broken`] breaks the first two, and [`worse`] all.
const SOME: &str = "weights-zero,weights-sum,joint-duplicate";

/// With one fault more than [`broken`]: vertex 2 has a joint twice.
fn worse(name: &str) -> PathBuf {
    let twice = ([0, 0, 1, 0], [0.25, 0.25, 0.5, 0.0]);
    square(name, [HALVES, ([0; 4], [0.0; 4]), twice, ([1, 0, 0, 0], [1.5, 0.0, 0.0, 0.0])])
}

/// The rules that were found in a file, each with whether it is known.
fn marks(file: &Value) -> Vec<(&str, Option<bool>)> {
    let findings = file["findings"].as_array().unwrap().iter();
    findings.map(|f| (f["rule"].as_str().unwrap(), f["known"].as_bool())).collect()
}

/// The state of each result of SARIF.
fn states(text: &str) -> Vec<Value> {
    let log: Value = serde_json::from_str(text).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    results.iter().map(|result| result["baselineState"].clone()).collect()
}

#[test]
fn what_an_earlier_report_has_is_known_in_every_form_and_fails_nothing() {
    let (bad, fine) = (broken("known_broken.gltf"), clean("known_clean.gltf"));
    let files = [bad.to_str().unwrap(), fine.to_str().unwrap(), "--rules", SOME, "--fail-on", "warning"];
    let with = |form: &'static str| [&files[..], &[form]].concat();
    let plain = said(&with("--json"), 3).0;
    let json = written("known.json", plain.as_bytes());
    let lines = written("known.jsonl", said(&with("--json-lines"), 3).0.as_bytes());
    let joined = written("known_joined.json", merged(&[lines.as_str(), "--json"], 3).0.as_bytes());
    // Laid out by another program, and with the mark of shells of Windows.
    let laid_out = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&plain).unwrap()).unwrap();
    let laid_out = written("known_laid_out.json", format!("\u{FEFF}{laid_out}").as_bytes());
    let figures = "0 new, 2 known, 0 of the baseline gone";
    for baseline in [&json, &lines, &joined, &laid_out] {
        let known = [&files[..], &["--baseline", baseline.as_str()]].concat();
        let told = report(&known, 0);
        assert_eq!(marks(&told["files"][0]), [("weights-zero", Some(true)), ("weights-sum", Some(true))], "{baseline}");
        assert_eq!(told["files"][0]["baseline"], json!({ "new": 0, "known": 2, "gone": 0 }), "{baseline}");
        assert_eq!(told["files"][0]["summary"], json!({ "error": 1, "warning": 1, "info": 0 }), "{baseline}");
        assert_eq!(told["files"][1]["baseline"], json!({ "new": 0, "known": 0, "gone": 0 }), "{baseline}");
        let (text, _) = said(&known, 0);
        assert!(text.contains("known    No weights (weights-zero, error)") && !text.contains("Fix: "), "{text}");
        assert!(text.ends_with(&format!("2 files: 1 error, 1 warning; {figures}\n")), "{text}");
    }
    let known = [&files[..], &["--baseline", json.as_str()]].concat();
    let as_form = |form: &str| said(&[&known[..], &[form]].concat(), 0);
    assert_eq!(states(&as_form("--sarif").0), ["unchanged", "unchanged"]);
    assert_eq!(states(&said(&with("--sarif"), 3).0), [Value::Null, Value::Null], "without a baseline");
    let xml = as_form("--junit").0;
    assert!(!xml.contains("<failure") && xml.contains("<system-out>known error: "), "{xml}");
    let (marked, stderr) = as_form("--json-lines");
    assert!(stderr.contains(figures), "{stderr}");
    assert!(marked.lines().all(|line| line.contains("\"exit\":\"ok\"")), "{marked}");
    // Lines keep their marks.
    let (marked, page) = (written("known_marked.jsonl", marked.as_bytes()), scratch("known.html"));
    let text = merged(&[marked.as_str(), "--html", page.to_str().unwrap()], 0).0;
    assert_eq!(text, format!("2 files: 1 error, 1 warning; {figures}\n"));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<article class=\"error known\">") && page.contains(figures), "{page}");
    assert_eq!(states(&merged(&[marked.as_str(), "--sarif"], 0).0), ["unchanged", "unchanged"]);
    // A share of the surface is what it is.
    let over = [&known[..], &["--fail-over", "unweighted=1%"]].concat();
    assert!(said(&over, 3).1.contains("1 limit of --fail-over exceeded"));
}

#[test]
fn what_is_new_fails_and_what_is_gone_is_counted() {
    let path = broken("new.gltf");
    let name = path.to_str().unwrap();
    let some = [name, "--rules", SOME, "--fail-on", "warning"];
    let plain = said(&[&some[..], &["--json"]].concat(), 3).0;
    let baseline = written("new.json", plain.as_bytes());
    let with = [&some[..], &["--baseline", baseline.as_str()]].concat();
    std::fs::rename(worse("new_worse.gltf"), &path).unwrap();
    let told = report(&with, 3);
    let mut found = marks(&told["files"][0]);
    found.sort_unstable();
    let wanted = [("joint-duplicate", Some(false)), ("weights-sum", Some(true)), ("weights-zero", Some(true))];
    assert_eq!(found, wanted);
    assert_eq!(told["files"][0]["baseline"], json!({ "new": 1, "known": 2, "gone": 0 }));
    let (text, stderr) = said(&with, 3);
    assert!(stderr.contains("1 finding of severity warning or worse"), "{stderr}");
    assert!(text.contains("1 new, 2 known, 0 of the baseline gone") && text.matches("Fix: ").count() == 1, "{text}");
    let xml = said(&[&with[..], &["--junit"]].concat(), 3).0;
    assert!(xml.contains("failures=\"1\"") && xml.contains("name=\"joint-duplicate\"><failure"), "{xml}");
    // What is new is a warning.
    said(&[name, "--rules", SOME, "--baseline", baseline.as_str()], 0);
    // What was a note is worse now, and of two that were there one is left.
    let mut lesser: Value = serde_json::from_str(&plain).unwrap();
    let findings = lesser["files"][0]["findings"].as_array_mut().unwrap();
    findings[0]["severity"] = json!("info");
    let again = findings[1].clone();
    findings.push(again);
    let lesser = written("new_lesser.json", lesser.to_string().as_bytes());
    let told = report(&[name, "--rules", "weights-zero,weights-sum", "--baseline", lesser.as_str()], 3);
    assert_eq!(marks(&told["files"][0]), [("weights-zero", Some(false)), ("weights-sum", Some(true))]);
    assert_eq!(told["files"][0]["baseline"], json!({ "new": 1, "known": 1, "gone": 2 }));
    // A rule that was not run says nothing of what is gone.
    std::fs::rename(clean("new_clean.gltf"), &path).unwrap();
    assert_eq!(report(&with, 0)["files"][0]["baseline"], json!({ "new": 0, "known": 0, "gone": 2 }));
    let one = report(&[name, "--rules", "weights-sum", "--baseline", baseline.as_str()], 0);
    assert_eq!(one["files"][0]["baseline"], json!({ "new": 0, "known": 0, "gone": 1 }));
    // By another name it is another file, and one that does not load is told as ever.
    let other = broken("new_other.gltf");
    let told = report(&[&[other.to_str().unwrap()][..], &with[1..]].concat(), 3);
    assert_eq!(told["files"][0]["baseline"], json!({ "new": 2, "known": 0, "gone": 0 }));
    std::fs::write(&path, "no model").unwrap();
    let told = report(&with, 1);
    assert!(told["files"][0]["error"].is_string() && told["files"][0]["baseline"].is_null(), "{told}");
}

#[test]
fn what_an_export_numbers_anew_stays_known() {
    // Nothing follows the joint "two", node 2.
    const ONE: ([u8; 4], [f32; 4]) = ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    let path = square("anew.gltf", [ONE, ([0; 4], [0.0; 4]), ONE, ([1, 0, 0, 0], [1.5, 0.0, 0.0, 0.0])]);
    let mut document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    document["nodes"][0]["name"] = json!("Body");
    std::fs::write(&path, document.to_string()).unwrap();
    let arguments = [path.to_str().unwrap(), "--fail-on", "warning"];
    let before = report(&arguments, 3);
    let baseline = written("anew.json", before.to_string().as_bytes());

    common::add_to_all(&mut document["scenes"][0]["nodes"], 1);
    common::add_to_all(&mut document["skins"][0]["joints"], 1);
    let nodes = document["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().filter_map(|node| node.get_mut("children")).for_each(|list| common::add_to_all(list, 1));
    nodes.insert(0, json!({ "name": "Empty" }));
    document["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(0));
    std::fs::write(&path, document.to_string()).unwrap();
    let after = report(&[&arguments[..], &["--baseline", baseline.as_str()]].concat(), 0);
    let idle = |report: &Value| {
        let findings = report["files"][0]["findings"].as_array().unwrap();
        findings.iter().find(|f| f["rule"] == "joint-unused").unwrap()["joints"].clone()
    };
    assert_eq!((idle(&before), idle(&after)), (json!([2]), json!([3])));
    let count = before["files"][0]["findings"].as_array().unwrap().len();
    assert_eq!(after["files"][0]["baseline"], json!({ "new": 0, "known": count, "gone": 0 }));
}

/// SARIF wants a state on every result of a run where one has one.
#[test]
fn limits_and_files_that_do_not_load_have_a_state_too() {
    let bad = broken("state.gltf");
    let rules = ["--rules", "weights-zero", "--fail-over", "unweighted=1%"];
    let files = [&[bad.to_str().unwrap(), "state_not_there.glb"][..], &rules].concat();
    let with = |more: &[&'static str]| said(&[&files[..], more].concat(), 1).0;
    let plain = written("state.json", with(&["--json"]).as_bytes());
    let lines = written("state.jsonl", with(&["--json-lines"]).as_bytes());
    let none = written("state_none.json", b"{\"schema\":1,\"files\":[]}");
    for (baseline, state) in [(&plain, "unchanged"), (&lines, "unchanged"), (&none, "new")] {
        let known = [&files[..], &["--baseline", baseline.as_str()]].concat();
        let as_form = |form: &'static str| said(&[&known[..], &[form]].concat(), 1).0;
        assert_eq!(states(&as_form("--sarif")), [state; 3], "{baseline}");
        // Lines keep their marks.
        let marked = written("state_marked.jsonl", as_form("--json-lines").as_bytes());
        assert_eq!(states(&merged(&[marked.as_str(), "--sarif"], 1).0), [state; 3], "{baseline}");
    }
}

#[test]
fn archives_standard_input_and_parts_of_lists_have_a_baseline_too() {
    let [fine, bad] =
        [clean("member_clean.gltf"), broken("member_broken.gltf")].map(|path| std::fs::read(path).unwrap());
    let members: [(&str, &[u8]); 2] = [("a.gltf", &fine), ("b.gltf", &bad)];
    let archive = written("baseline.zip", &zipped(&members, CompressionMethod::Stored));
    let list = written("baseline.txt", archive.as_bytes());
    let lines = said(&["--list", &list, "--shard", "1/1", "--json-lines"], 3).0;
    let baseline = written("baseline_list.jsonl", lines.as_bytes());
    let (marked, stderr) = said(&["--list", &list, "--shard", "1/1", "--json-lines", "--baseline", &baseline], 0);
    assert!(stderr.contains("0 new, ") && marked.contains("\"known\":true"), "{stderr}{marked}");
    assert!(!marked.contains("\"known\":false") && !marked.contains("\"exit\":\"findings\""), "{marked}");
    // The report may have the baseline in place of the parts.
    let (text, _) = merged(&[baseline.as_str(), "--baseline", baseline.as_str()], 0);
    assert!(text.contains("; 0 new, ") && text.ends_with(" 0 of the baseline gone\n"), "{text}");
    let again = merged(&[baseline.as_str(), "--baseline", baseline.as_str(), "--json-lines"], 0).0;
    assert!(again.contains("\"known\":true") && !again.contains("\"exit\":\"findings\""), "{again}");

    let baseline = written("baseline_stdin.json", &piped(&["-", "--json"], &bad, 3).0);
    let told: Value = serde_json::from_slice(&piped(&["-", "--json", "--baseline", &baseline], &bad, 0).0).unwrap();
    assert_eq!(told["files"][0]["baseline"]["new"], json!(0));
}

#[test]
fn what_is_no_baseline_is_told_before_anything_is_checked() {
    let model = broken("none.gltf");
    let model = model.to_str().unwrap();
    let line = said(&[model, "--json-lines"], 3).0;
    let cases: [(&str, &[u8], &str); 10] = [
        ("none_empty.json", b"", "there is nothing in it"),
        ("none_list.txt", b"a.glb\nb.glb\n", "expected value at line 1 column 1"),
        ("none_cut.jsonl", &line.as_bytes()[..line.len() / 2], "EOF while parsing"),
        ("none_other.json", b"{}", "neither a report of `check --json` nor lines"),
        ("none_sarif.json", b"{\"version\":\"2.1.0\",\"runs\":[]}", "neither a report of `check --json` nor lines"),
        ("none_schema.json", b"{\"schema\":2,\"files\":[]}", "a report of another schema than 1"),
        ("none_items.json", b"{\"schema\":1,\"files\":[{\"name\":\"a.glb\"}]}", "missing field `path`"),
        ("none_count.json", b"{\"schema\":1,\"files\":5}", "`files` is a number and not a list of files"),
        ("none_files.json", b"{\"schema\":1,\"files\":\"a.glb\"}", "expected a list of files"),
        ("none_number.json", b"7", "expected a report of `check --json` or a line of `check --json-lines`"),
    ];
    let refused = |arguments: &[&str], why: &str| {
        let (stdout, stderr) = said(arguments, 2);
        assert!(stdout.is_empty() && stderr.contains(why), "{arguments:?}: {stdout}{stderr}");
    };
    for (name, bytes, why) in cases {
        let baseline = written(name, bytes);
        refused(&[model, "--baseline", &baseline], &format!("{baseline}: cannot be read as a baseline: "));
        refused(&[model, "--baseline", &baseline], why);
    }
    refused(&[model, "--baseline", "no_such_baseline.json"], "no_such_baseline.json: cannot be read as a baseline: ");
    refused(&[model, "--baseline", "-"], "it is standard input, and not a file");
    // A report without files is one.
    let none = written("none_none.json", b"{\"schema\":1,\"files\":[]}");
    said(&[model, "--baseline", &none], 3);
    refused(&[model, "--baseline", &none, &format!("--json={none}")], "no output replaces what is read");
}
