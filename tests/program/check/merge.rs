//! Parts of a list, and one report of the lines that were written about them.

use std::collections::BTreeSet;

use super::*;

/// Runs `report merge` as [`said`] runs `check`.
pub(super) fn merged(arguments: &[&str], code: i32) -> (String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_skinscope")).args(["report", "merge"]).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(out.stdout), text(out.stderr));
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {stdout}{stderr}");
    (stdout, stderr)
}

/// A list of two dozen files, of which one is broken and one is not there, and their paths.
fn list(name: &str) -> (PathBuf, Vec<String>) {
    let mut files: Vec<PathBuf> = (0..22).map(|i| clean(&format!("{name}_{i}.gltf"))).collect();
    files.extend([broken(&format!("{name}_broken.gltf")), scratch(&format!("{name}_not_there.glb"))]);
    let names: Vec<String> = files.iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    let list = scratch(&format!("{name}.txt"));
    std::fs::write(&list, names.join("\n")).unwrap();
    (list, names)
}

/// Writes the lines of a part of a list; returns their path.
fn lines_of(list: &Path, part: &str, more: &[&str]) -> PathBuf {
    let arguments = [&["--list", list.to_str().unwrap(), "--shard", part, "--json-lines"][..], more].concat();
    let out = check(&arguments);
    assert!(matches!(out.status.code(), Some(0 | 1 | 3)), "{}", String::from_utf8_lossy(&out.stderr));
    let path = list.with_extension(format!("{}.jsonl", part.replace('/', "of")));
    std::fs::write(&path, out.stdout).unwrap();
    path
}

/// The files that lines are about.
fn files_in(lines: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(lines).unwrap();
    let values = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.filter_map(|line| line["file"].as_str().map(str::to_owned)).collect()
}

fn set(names: &[String]) -> BTreeSet<String> {
    names.iter().cloned().collect()
}

fn path_of(file: &Value) -> String {
    file["path"].as_str().unwrap().to_owned()
}

#[test]
fn the_parts_of_a_list_are_all_of_it_whatever_its_order() {
    let (forward, names) = list("parts");
    let backward = scratch("parts_backward.txt");
    let reversed: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    std::fs::write(&backward, reversed.join("\n")).unwrap();
    let mut all = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        let [one, other] = [&forward, &backward].map(|list| files_in(&lines_of(list, part, &[])));
        assert_eq!(set(&one), set(&other), "{part}");
        // Named on the command line they are split in the same way.
        let given: Vec<&str> = names.iter().map(String::as_str).chain(["--shard", part]).collect();
        let out = check(&[&given[..], &["--json"]].concat());
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        let given: Vec<String> = report["files"].as_array().unwrap().iter().map(path_of).collect();
        assert_eq!(set(&given), set(&one), "{part}");
        all.extend(one);
    }
    all.sort_unstable();
    let mut wanted = names;
    wanted.sort_unstable();
    assert_eq!(all, wanted, "each file is in one part");
    for wrong in ["0/3", "4/3", "3", "a/b"] {
        assert!(said(&["a.glb", "--shard", wrong], 2).1.contains("I/N"), "{wrong}");
    }
    assert!(said(&["--shard", "1/2"], 2).1.contains("there is none"));
}

#[test]
fn lines_of_parts_become_the_reports_of_the_whole() {
    let (list, mut names) = list("joined");
    names.sort_unstable();
    let parts = ["3/3", "1/3", "2/3"].map(|part| lines_of(&list, part, &["--fail-on", "warning"]));
    let parts = parts.each_ref().map(|path| path.to_str().unwrap());
    let whole: Vec<&str> = names.iter().map(String::as_str).chain(["--fail-on", "warning"]).collect();
    let of_whole = |form: &str| said(&[&whole[..], &[form]].concat(), 1).0;
    let of_parts = |form: &str| merged(&[&parts[..], &[form]].concat(), 1).0;
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    // The last digit of a number may be another once it was read.
    let rough = |text: &str| {
        let mut value = json(text);
        for finding in value["files"].as_array_mut().into_iter().flatten().flat_map(findings_of) {
            finding["measure"] = Value::Null;
        }
        value
    };
    assert_eq!(rough(&of_parts("--json")), rough(&of_whole("--json")));
    assert_eq!(of_parts("--junit"), of_whole("--junit"));
    let prints = |text: &str| -> Vec<Value> {
        let result = |result: &Value| {
            json!([
                result["ruleId"],
                result["level"],
                result["message"],
                result["locations"],
                result["partialFingerprints"]
            ])
        };
        json(text)["runs"][0]["results"].as_array().unwrap().iter().map(result).collect()
    };
    assert_eq!(prints(&of_parts("--sarif")), prints(&of_whole("--sarif")));
    // Merged lines are lines, of which the same report is made.
    let again = scratch("joined_again.jsonl");
    std::fs::write(&again, of_parts("--json-lines")).unwrap();
    assert_eq!(files_in(&again), names);
    // All at once, each in a file of its own, and in one line on standard output what there is.
    let outputs = ["joined.json", "joined.sarif", "joined.xml", "joined.html"].map(scratch);
    let [to_json, to_sarif, to_junit] =
        [("json", 0), ("sarif", 1), ("junit", 2)].map(|(form, i)| format!("--{form}={}", outputs[i].display()));
    let forms = [to_json.as_str(), to_sarif.as_str(), to_junit.as_str(), "--html", outputs[3].to_str().unwrap()];
    let (stdout, stderr) = merged(&[&parts[..], &forms].concat(), 1);
    assert_eq!(stdout, "24 files: 1 error, 1 warning; 1 does not load\n");
    assert!(stderr.contains("joined_not_there.glb: ") && stderr.contains("1 of 24 files does not load"), "{stderr}");
    let [read_json, _, read_junit, page] = outputs.each_ref().map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(rough(&read_json), rough(&of_whole("--json")));
    assert_eq!(read_junit, of_whole("--junit"));
    assert!(page.matches("<section>").count() == 24 && page.contains("does not load") && page.contains("70.7 cm"));
}

fn findings_of(file: &mut Value) -> &mut Vec<Value> {
    file["findings"].as_array_mut().unwrap()
}

#[test]
fn exit_codes_of_merged_lines_are_those_of_a_check() {
    let lines = |name: &str, model: &Path, more: &[&str]| {
        let out = check(&[&[model.to_str().unwrap(), "--json-lines"], more].concat());
        let path = scratch(name);
        std::fs::write(&path, out.stdout).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (fine, bad) = (clean("codes_clean.gltf"), broken("codes_broken.gltf"));
    let clean = lines("codes_clean.jsonl", &fine, &[]);
    let never = lines("codes_never.jsonl", &bad, &["--fail-on", "never"]);
    let over = lines("codes_over.jsonl", &bad, &["--fail-on", "never", "--fail-over", "unweighted=1%"]);
    let broken = lines("codes_broken.jsonl", &bad, &[]);
    assert_eq!(merged(&[&clean], 0).0, "1 file: no findings\n");
    merged(&[&clean, &never], 0);
    assert!(merged(&[&clean, &over], 3).1.contains("1 limit of --fail-over exceeded"));
    assert!(merged(&[&clean, &broken], 3).1.contains("1 finding of severity error or worse"));
    assert!(merged(&[], 2).1.contains("<LINES>"));
    assert!(merged(&["no_such_lines.jsonl"], 2).1.contains("no_such_lines.jsonl: cannot be read"));
    assert!(merged(&[&clean, "--json", "--junit"], 2).1.contains("standard output has room for one"));
    let before = std::fs::read(&clean).unwrap();
    let over_itself = scratch("codes_over_itself.json");
    std::fs::write(&over_itself, &before).unwrap();
    let to = format!("--json={}", over_itself.display());
    assert!(merged(&[over_itself.to_str().unwrap(), &to], 2).1.contains("no output replaces what is read"));
    assert_eq!(std::fs::read(&over_itself).unwrap(), before);
}

#[test]
fn what_is_missing_is_told_and_the_rest_is_reported() {
    let (list, names) = list("missing");
    let parts = ["1/3", "2/3", "3/3"].map(|part| lines_of(&list, part, &["--fail-on", "never"]));
    let [one, two, three] = parts.each_ref().map(|path| path.to_str().unwrap());
    let last_of = |path: &str| std::fs::read_to_string(path).unwrap().lines().last().unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&last_of(two)).unwrap()["shard"], "2/3");
    let complete = merged(&[one, two, three], 1).1;
    assert!(!complete.contains("missing, or") && complete.contains("does not load"), "{complete}");
    let (_, stderr) = merged(&[one, three], 1);
    assert!(stderr.contains("parts of a list that are missing, or were not checked to their end: 2/3"), "{stderr}");
    // A worker that was killed while it wrote a line.
    let text = std::fs::read_to_string(two).unwrap();
    let killed = scratch("missing_killed.jsonl");
    std::fs::write(&killed, &text[..text.len() / 2]).unwrap();
    let killed = killed.to_str().unwrap();
    let (stdout, stderr) = merged(&[one, killed, three, "--json"], 1);
    assert!(stderr.contains("to their end: 2/3") && stderr.contains("missing_killed.jsonl, line "), "{stderr}");
    assert!(serde_json::from_str::<Value>(&stdout).unwrap()["files"].as_array().unwrap().len() < names.len());
    // What was done again counts once.
    let (stdout, stderr) = merged(&[one, killed, three, two, "--json"], 1);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let paths: Vec<String> = report["files"].as_array().unwrap().iter().map(path_of).collect();
    let mut wanted = names;
    wanted.sort_unstable();
    assert_eq!(paths, wanted, "none is lost and none is there twice");
    assert!(!stderr.contains("missing, or"), "{stderr}");
    let (_, stderr) = merged(&[one, two, three, two], 1);
    assert!(stderr.contains("about a file that a later line is about too, which counts"), "{stderr}");
    let other = scratch("missing_other.jsonl");
    std::fs::write(&other, "\n{\"findings\":[]}\nno JSON\n").unwrap();
    let (_, stderr) = merged(&[other.to_str().unwrap()], 1);
    assert!(stderr.contains("missing_other.jsonl, line 2") && stderr.contains("line 3"), "{stderr}");
}

/// Shells of Windows write a byte order mark, or UTF-16.
#[test]
fn lines_may_come_by_standard_input_and_have_a_mark() {
    let model = broken("marked_broken.gltf");
    let lines = check(&[model.to_str().unwrap(), "--json-lines"]).stdout;
    let text = String::from_utf8(lines.clone()).unwrap();
    let marked = format!("\u{FEFF}{text}").into_bytes();
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let path = scratch("marked.jsonl");
    for bytes in [lines, marked, wide] {
        std::fs::write(&path, &bytes).unwrap();
        let wanted = "1 file: 1 error, 1 warning\n";
        assert_eq!(merged(&[path.to_str().unwrap()], 3).0, wanted);
        let input = std::fs::File::open(&path).unwrap();
        let mut piped = Command::new(env!("CARGO_BIN_EXE_skinscope"));
        let out = piped.args(["report", "merge", "-"]).stdin(input).output().unwrap();
        assert_eq!((out.status.code(), String::from_utf8(out.stdout).unwrap().as_str()), (Some(3), wanted));
    }
}

#[test]
fn a_finding_of_a_rule_that_this_version_does_not_have_fails_too() {
    let finding = json!({ "rule": "rule-of-tomorrow", "severity": "error", "message": "m", "fix": "f" });
    let summary = json!({ "error": 1, "warning": 0, "info": 0 });
    let line =
        json!({ "file": "a.glb", "exit": "findings", "fail_on": "error", "findings": [finding], "summary": summary });
    let path = scratch("tomorrow.jsonl");
    std::fs::write(&path, format!("{line}\n")).unwrap();
    let xml = merged(&[path.to_str().unwrap(), "--junit"], 3).0;
    assert!(xml.contains("failures=\"1\"") && xml.contains("name=\"rule-of-tomorrow\"><failure"), "{xml}");
}
