//! Reports for other programs: SARIF for code scanning, JUnit's XML for pipelines.

use roxmltree::{Document, Node};

use super::*;

fn sarif(arguments: &[&str], code: i32) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--sarif"]).collect();
    serde_json::from_str(&said(&all, code).0).unwrap()
}

/// What SARIF 2.1.0 requires of a log, its tool, its rules and its results (sections 3.13 to 3.49), and what services for
/// code require beside it.
fn check_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-2.1.0.json"));
    let runs = log["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!((&driver["name"], &driver["version"]), (&json!("Skinscope"), &json!(env!("CARGO_PKG_VERSION"))));
    let rules = driver["rules"].as_array().unwrap();
    let ids: std::collections::BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len(), "each rule once");
    let levels = ["none", "note", "warning", "error"];
    for rule in rules {
        let text = |key: &str| rule[key]["text"].as_str().unwrap();
        assert!(!text("shortDescription").is_empty() && !text("fullDescription").is_empty(), "{rule}");
        assert!(levels.contains(&rule["defaultConfiguration"]["level"].as_str().unwrap()), "{rule}");
    }
    assert_eq!(runs[0]["invocations"], json!([{ "executionSuccessful": true }]));
    for result in runs[0]["results"].as_array().unwrap() {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(result["ruleId"], rules[index]["id"]);
        assert!(levels.contains(&result["level"].as_str().unwrap()), "{result}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let locations = result["locations"].as_array().unwrap();
        assert_eq!(locations.len(), 1);
        let place = &locations[0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.is_empty() && !uri.contains([' ', '\\', '#']) && uri.is_ascii(), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert_eq!(result["partialFingerprints"]["skinscope/v2"].as_str().unwrap().len(), 16);
    }
}

#[test]
fn sarif_has_a_result_for_each_finding_and_each_file_that_does_not_load() {
    let (fine, bad) = (clean("sarif fine.gltf"), broken("sarif bad.gltf"));
    let files = [fine.to_str().unwrap(), bad.to_str().unwrap(), "sarif_not_there.glb"];
    let log = sarif(&files, 1);
    check_sarif(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let report = report(&files, 1);
    let findings: Vec<&Value> =
        report["files"].as_array().unwrap().iter().flat_map(|f| f["findings"].as_array().unwrap()).collect();
    assert!(!findings.is_empty());
    let of_sums = findings.iter().find(|finding| finding["rule"] == "weights-sum").unwrap();
    let words = json!({ "location": "mesh 0 \"Square\", primitive 0; vertex 3", "mesh": "Square", "joints": [],
        "measure": "70.7 cm", "pose": null });
    assert_eq!(of_sums["words"], words);
    let (last, of_findings) = results.split_last().unwrap();
    assert_eq!(of_findings.len(), findings.len());
    for (result, finding) in of_findings.iter().zip(findings) {
        assert_eq!(result["properties"], *finding);
        let level = if finding["severity"] == "info" { "note" } else { finding["severity"].as_str().unwrap() };
        assert_eq!((&result["ruleId"], result["level"].as_str().unwrap()), (&finding["rule"], level));
        let message = result["message"]["text"].as_str().unwrap();
        assert!(message.starts_with(finding["message"].as_str().unwrap()), "{message}");
        let place = &result["locations"][0];
        let uri = place["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("file:///") && uri.ends_with("sarif%20bad.gltf"), "{uri}");
        if finding["mesh"] == 0 {
            assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "/meshes/0/primitives/0");
        }
    }
    assert_eq!((&last["ruleId"], &last["level"]), (&json!("file-not-loaded"), &json!("error")));
    assert_eq!(last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "sarif_not_there.glb");
    // The same finding is known again in the next run, and differs from all others.
    let prints = |log: &Value| -> Vec<String> {
        log["runs"][0]["results"].as_array().unwrap().iter().map(|r| r["partialFingerprints"].to_string()).collect()
    };
    assert_eq!(prints(&log), prints(&sarif(&files, 1)));
    assert_eq!(prints(&log).into_iter().collect::<std::collections::BTreeSet<_>>().len(), results.len());
    let empty = sarif(&[files[0]], 0);
    check_sarif(&empty);
    assert_eq!(empty["runs"][0]["results"], json!([]));
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let value = node.attribute(name);
    assert!(value.is_some(), "<{}> has no {name}", node.tag_name().name());
    value.unwrap()
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Vec<Node<'a, 'i>> {
    node.children().filter(|n| n.has_tag_name(name)).collect()
}

/// The tests of each suite with what is in them, and the counts of the suite.
type Suites = Vec<(String, [usize; 3], Vec<(String, Option<String>)>)>;

fn suites(xml: &str) -> Suites {
    let document = Document::parse(xml).unwrap();
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites"));
    let suite = |suite: Node| {
        let counts = ["tests", "failures", "errors"].map(|name| attribute(suite, name).parse().unwrap());
        let case = |case: &Node| {
            assert_eq!(attribute(*case, "classname"), attribute(suite, "name"));
            let inside = case.first_element_child().map(|inside| inside.tag_name().name().to_owned());
            (attribute(*case, "name").to_owned(), inside)
        };
        let cases: Vec<_> = children(suite, "testcase").iter().map(case).collect();
        let inside = |name: &str| cases.iter().filter(|(_, inside)| inside.as_deref() == Some(name)).count();
        assert_eq!(counts, [cases.len(), inside("failure"), inside("error")]);
        (attribute(suite, "name").to_owned(), counts, cases)
    };
    children(root, "testsuite").into_iter().map(suite).collect()
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_test_for_each_rule() {
    use skinscope::inspect::check::RULES;

    let odd = broken("junit <&> \".gltf");
    let text = std::fs::read_to_string(&odd).unwrap().replace("\"Square\"", "\"S<q>&\\u0001]]>\"");
    std::fs::write(&odd, text).unwrap();
    let fine = clean("junit_fine.gltf");
    let files = [odd.to_str().unwrap(), fine.to_str().unwrap(), "junit_not_there.glb"];
    let rules = ["--rules", "weights-zero,weights-sum,seam-weights"];
    let (xml, _) = said(&[&files[..], &rules, &["--junit"]].concat(), 1);
    let all = suites(&xml);
    assert_eq!(all.iter().map(|suite| &suite.0[..]).collect::<Vec<_>>(), files);
    let said_of = |case: &str| all[0].2.iter().find(|(name, _)| name == case).unwrap().1.as_deref();
    // An error fails; a warning is told.
    assert_eq!((said_of("weights-zero"), said_of("weights-sum")), (Some("failure"), Some("system-out")));
    assert_eq!((said_of("seam-weights"), all[0].1), (None, [3, 1, 0]));
    assert_eq!(all[1].1, [3, 0, 0]);
    assert_eq!((all[2].1, &all[2].2[..]), ([1, 0, 1], &[("file-loads".to_owned(), Some("error".to_owned()))][..]));
    let document = Document::parse(&xml).unwrap();
    let failure = document.descendants().find(|n| n.has_tag_name("failure")).unwrap();
    assert_eq!(attribute(failure, "type"), "error");
    assert!(attribute(failure, "message").contains("no weight"), "{xml}");
    assert!(failure.text().unwrap().contains("mesh 0 \"S<q>&\u{fffd}]]>\", primitive 0; vertex 1"), "{xml}");

    let strict = suites(&said(&[&files[..1], &rules, &["--junit", "--fail-on", "warning"]].concat(), 3).0);
    assert_eq!(strict[0].1, [3, 2, 0]);
    let lenient = suites(&said(&[&files[..1], &rules, &["--junit", "--fail-on", "never"]].concat(), 0).0);
    assert_eq!(lenient[0].1, [3, 0, 0]);
    // Every rule that was run is a test, so that it has a name while it passes.
    let names: Vec<String> = suites(&said(&[files[1], "--junit"], 0).0).remove(0).2.into_iter().map(|c| c.0).collect();
    assert_eq!(names, RULES.iter().map(|rule| rule.id).collect::<Vec<_>>());
}

#[test]
fn reports_are_written_beside_the_text_and_never_over_a_model() {
    let model = broken("beside.json");
    let name = model.to_str().unwrap();
    let (log, xml) = (scratch("beside.sarif"), scratch("beside.xml"));
    let (to_log, to_xml) = (format!("--sarif={}", log.display()), format!("--junit={}", xml.display()));
    let (stdout, _) = said(&[name, &to_log, &to_xml], 3);
    assert_eq!(stdout, said(&[name], 3).0, "the text is as it is without them");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&read(&log)).unwrap(), sarif(&[name], 3));
    assert_eq!(read(&xml), said(&[name, "--junit"], 3).0);
    // One form on standard output, the others in files.
    assert_eq!(said(&[name, "--json", &to_log], 3).0, said(&[name, "--json"], 3).0);
    for two in [["--sarif", "--junit"], ["--json", "--sarif"], ["--json-lines", "--junit"]] {
        let (stdout, stderr) = said(&[&[name], &two[..]].concat(), 2);
        assert!(stdout.is_empty() && stderr.contains("--sarif=findings.sarif"), "{stderr}");
    }
    // A name that may be a model's, and a model that a list names.
    let before = read(&model);
    assert!(said(&["--junit=knight.glb"], 2).1.contains("reports are written as .xml"));
    assert!(said(&["--sarif=knight.glb"], 2).1.contains("SARIF is written as .sarif or .json"));
    let list = scratch("beside.txt");
    std::fs::write(&list, name).unwrap();
    let (_, stderr) = said(&["--list", list.to_str().unwrap(), &format!("--sarif={name}")], 2);
    assert!(stderr.contains("no output replaces what is read"), "{stderr}");
    assert_eq!(read(&model), before);
}

#[test]
fn a_limit_of_the_surface_is_a_test_of_junit_and_where_it_is_exceeded_a_result_of_sarif() {
    let path = broken("reports_gates.gltf");
    let name = path.to_str().unwrap();
    let limits = ["--fail-on", "never", "--fail-over", "unweighted=30%", "--fail-over", "bleeding=1%"];
    let arguments = [&[name, "--rules", "weights-sum"], &limits[..]].concat();
    let xml = said(&[&arguments[..], &["--junit"]].concat(), 3).0;
    let (_, counts, cases) = suites(&xml).remove(0);
    assert_eq!(counts, [3, 1, 0]);
    let inside = |case: &str| cases.iter().find(|(name, _)| name == case).unwrap().1.as_deref();
    assert_eq!((inside("gate-unweighted"), inside("gate-bleeding")), (Some("failure"), Some("system-out")));
    assert!(xml.contains("Unweighted surface: 33.3 % of the surface, over the limit of 30 %"), "{xml}");

    let log = sarif(&arguments, 3);
    check_sarif(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of_gates: Vec<&Value> =
        results.iter().filter(|result| result["ruleId"].as_str().unwrap().starts_with("gate-")).collect();
    assert_eq!(of_gates.len(), 1, "only what is exceeded");
    let json = report(&arguments, 3);
    assert_eq!(of_gates[0]["properties"], json["files"][0]["gates"][0]);
    assert_eq!((&of_gates[0]["ruleId"], &of_gates[0]["level"]), (&json!("gate-unweighted"), &json!("error")));
}
