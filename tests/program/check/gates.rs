//! Limits of the surface that is at fault (`--fail-over`): exit codes, figures, and what artists' models have.

use super::*;

/// The square has two triangles; vertices 1 and 2 are corners of both. Vertex 1 has no weight, and vertex 3 too much.
#[test]
fn a_limit_that_is_exceeded_ends_with_code_3_and_its_figure() {
    let path = broken("gates.gltf");
    let path = path.to_str().unwrap();
    let with = |limits: &[&'static str]| {
        let limits = limits.iter().flat_map(|limit| ["--fail-over", *limit]);
        [path, "--fail-on", "never"].into_iter().chain(limits).collect::<Vec<&str>>()
    };
    let (stdout, _) = said(&with(&["unweighted=34%"]), 0);
    assert!(stdout.contains("Unweighted surface: 33.3 % of the surface, within the limit of 34 %"), "{stdout}");
    let (stdout, stderr) = said(&with(&["unweighted=33%", "sums=20"]), 3);
    assert!(stdout.contains("Unweighted surface: 33.3 % of the surface, over the limit of 33 %"), "{stdout}");
    assert!(stdout.contains("Wrong sums: 16.7 % of the surface, within the limit of 20 %"), "{stdout}");
    assert!(stderr.contains("1 limit of --fail-over exceeded"), "{stderr}");
    let (_, stderr) = said(&with(&["unweighted=33%", "sums=10%"]), 3);
    assert!(stderr.contains("2 limits of --fail-over exceeded"), "{stderr}");
    // A finding that fails is said first.
    let (_, stderr) = said(&[path, "--fail-over", "unweighted=1%"], 3);
    assert!(stderr.contains("1 finding of severity error"), "{stderr}");
    said(&["--fail-over", "unweighted=0%", "--fail-over", "bleeding=0%"], 0);
}

#[test]
fn the_json_has_every_figure_that_was_asked_for_whatever_rules_run() {
    let (broken, clean) = (broken("gates_json.gltf"), clean("gates_json_clean.gltf"));
    let files = [broken.to_str().unwrap(), clean.to_str().unwrap()];
    let limits = ["--rules", "weights-sum", "--fail-over", "unweighted=0.5%", "--fail-over", "bleeding=100%"];
    let report = report(&[&files[..], &limits].concat(), 3);
    let file = &report["files"][0];
    assert_eq!(rules(file), ["weights-sum"], "what only a limit reads is not reported");
    let gates = file["gates"].as_array().unwrap();
    assert_eq!(gates.len(), 2);
    assert!((gates[0]["percent"].as_f64().unwrap() - 100.0 / 3.0).abs() < 1e-3, "{}", gates[0]);
    let rest = |gate: &Value| ["gate", "limit", "passed", "vertices"].map(|key| gate[key].clone());
    assert_eq!(rest(&gates[0]), [json!("unweighted"), json!(0.5), json!(false), json!(1)]);
    assert_eq!(rest(&gates[1]), [json!("bleeding"), json!(100.0), json!(true), json!(0)]);
    assert_eq!(report["files"][1]["gates"][0]["percent"], 0.0);
    let lines = said(&[&files[..1], &limits, &["--json-lines"]].concat(), 3).0;
    assert_eq!(serde_json::from_str::<Value>(&lines).unwrap()["gates"], file["gates"]);
    let without = super::report(&files[1..], 0);
    assert_eq!(without["files"][0].get("gates"), None);
}

#[test]
fn wrong_limits_are_refused_with_the_names_that_there_are() {
    use skinscope::inspect::check::GATES;

    let (_, stderr) = said(&["--fail-over", "weightless=1%"], 2);
    assert!(stderr.contains("weightless") && GATES.iter().all(|gate| stderr.contains(gate.id)), "{stderr}");
    for wrong in ["unweighted", "unweighted=much", "unweighted=101%", "bleeding=-1%"] {
        said(&["--fail-over", wrong], 2);
    }
    let (_, stderr) = said(&["--fail-over", "seams=1%", "--fail-over", "seams=2%"], 2);
    assert!(stderr.contains("seams twice"), "{stderr}");
}

/// Nothing is said of artists' weights that is not there: the belt of one follows an arm a little, and the thumb of another
/// the little finger.
#[test]
fn models_of_artists_hardly_bleed_and_have_weights_everywhere() {
    let Some(corpus) = common::corpus() else { return };
    let names = ["CesiumMan", "Fox", "RiggedFigure", "RobotExpressive", "KayKit_Knight", "WebXR_hand"];
    let paths = names.map(|name| corpus.join(format!("models/{name}.glb")));
    let mut arguments: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    arguments.extend(["--fail-on", "never", "--fail-over", "unweighted=0%", "--fail-over", "bleeding=1%"]);
    let (stdout, stderr) = {
        let out = check(&[&arguments[..], &["--json"]].concat());
        (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    let report: Value = serde_json::from_str(&stdout).unwrap();
    for (name, file) in names.iter().zip(report["files"].as_array().unwrap()) {
        println!("{name}: {}", file["gates"]);
        let across = rules(file).iter().filter(|rule| **rule == "bleeding").count();
        assert_eq!(across, 0, "{name}: weights across a gap are found where there are none");
        let passed = file["gates"].as_array().unwrap().iter().all(|gate| gate["passed"] == true);
        assert!(passed, "{name}: {} {stderr}", file["gates"]);
    }
}

/// `bind --check` says of what it has written what `check --rom` would say.
#[test]
fn a_file_that_was_bound_is_checked_and_what_to_look_at_first_is_said() {
    let model = broken("bound.gltf");
    let bind = |out: &str, more: &[&str]| {
        let out = scratch(out);
        let output = Command::new(env!("CARGO_BIN_EXE_skinscope"))
            .args(["bind", model.to_str().unwrap(), "-o", out.to_str().unwrap(), "--check"])
            .args(more)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let report: Value = serde_json::from_str(&bind("bound_json.gltf", &["--json"])).unwrap();
    let shares = report["check"]["shares"].as_array().unwrap();
    let unweighted = shares.iter().find(|share| share["share"] == "unweighted").unwrap();
    assert_eq!((&unweighted["percent"], &unweighted["vertices"]), (&json!(0.0), &json!(0)), "it was a third before");
    assert_eq!(report["check"]["summary"]["error"], 0);
    assert_eq!(report["check"]["rom"]["complete"], true);
    assert!(bind("bound_text.gltf", &[]).contains("check: "));
}
