//! Teaching examples on the command line: they are listed, printed with their numbers, and drawn.

use serde_json::Value;

use crate::{fails, ok, scratch, skinscope};

#[test]
fn examples_are_listed_and_printed_with_their_numbers() {
    let list: Value = serde_json::from_str(&ok(&["examples", "--json"])).unwrap();
    let all = list["examples"].as_array().unwrap();
    assert!(all.iter().any(|e| e["name"] == "twist-bar") && ok(&["examples"]).contains("twist-bar"));
    for example in all {
        let name = example["name"].as_str().unwrap();
        let page: Value = serde_json::from_str(&ok(&["examples", name, "--json"])).unwrap();
        assert!(!page["formulas"].as_array().unwrap().is_empty() && page["schema"] == 1, "{name}");
    }
    // The ring half way up keeps cos(θ/2) of its radius.
    for (degrees, kept) in [("0", 1.0), ("90", 0.5_f64.sqrt()), ("180", 0.0)] {
        let slider = format!("theta={degrees}");
        let page: Value = serde_json::from_str(&ok(&["examples", "twist-bar", "--slider", &slider, "--json"])).unwrap();
        let symbol = |name: &str| {
            let symbols = page["symbols"].as_array().unwrap();
            symbols.iter().find(|s| s["name"] == name).unwrap()["value"].as_f64().unwrap()
        };
        assert!((symbol("h") / symbol("R") - kept).abs() < 1e-4, "{degrees}");
    }
    let text = ok(&["examples", "twist-bar", "--slider", "theta=90"]);
    assert!(text.contains("r_½/R = cos(θ/2) = cos(90.0°/2) = 0.707"), "{text}");
}

/// What `bench` prints: counts that follow from the shape, and both ways of each claim with the same result.
#[test]
fn a_benchmark_has_counts_ratios_with_their_spread_and_equal_results() {
    let report: Value = serde_json::from_str(&ok(&["bench", "--json"])).unwrap();
    assert_eq!(report["schema"], 1);
    let number = |value: &Value| value.as_f64().unwrap();
    let all = |what: &str| number(&report[what]["rigid"]) + number(&report[what]["blended"]);
    assert!(all("vertices") > 1000.0 && all("triangles") > 1000.0, "{report}");
    let palette = &report["palette"];
    assert_eq!(number(&palette["bytes_3x4"]) / number(&palette["bytes_4x4"]), 0.75);
    let measured = report["measured"].as_array().unwrap();
    let ids: Vec<&str> = measured.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["partition", "loops", "palettes", "inverse-root"]);
    for one in measured {
        let ratio = ["least", "lower", "median", "upper", "greatest"].map(|name| number(&one["ratio"][name]));
        assert!(ratio.is_sorted() && ratio[0] > 0.0, "{one}");
        assert!(number(&one["first_secs"]) > 0.0 && number(&one["second_secs"]) > 0.0);
        let most = if one["id"] == "inverse-root" { 0.002 } else { 1e-5 };
        assert!(number(&one["apart"]) < most, "{one}");
    }
    let text = ok(&["bench"]);
    assert!(text.contains("3×4") && text.contains("vertex by vertex"), "{text}");
}

#[test]
fn an_example_is_drawn_at_any_position_of_its_sliders() {
    let draw = |name: &str, extra: &[&str]| {
        let file = scratch(name);
        let path = file.to_str().unwrap();
        let size = ["--size", "240x180", "-o", path];
        let out = skinscope(&[&["render", "--example", "twist-bar"], &size[..], extra].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if said.contains("adapter") && !out.status.success() {
            return None;
        }
        assert!(out.status.success(), "{said}");
        Some(std::fs::read(file).unwrap())
    };
    let Some(first) = draw("example.png", &[]) else { return };
    let turned = draw("example_turned.png", &["--slider", "theta=10"]).unwrap();
    let symbol = draw("example_symbol.png", &["--symbol", "theta"]).unwrap();
    assert!(first != turned && first != symbol && turned != symbol);
}

#[test]
fn what_an_example_does_not_have_is_refused() {
    fails(&["render", "--example", "no-such", "-o", "x.png"], 2, &["twist-bar"]);
    fails(&["render", "--example", "twist-bar", "--slider", "no=1", "-o", "x.png"], 2, &["no slider", "theta"]);
    fails(&["render", "--example", "twist-bar", "--slider", "theta=999", "-o", "x.png"], 2, &["from 0 to 180"]);
    fails(&["render", "--example", "twist-bar", "--slider", "theta", "-o", "x.png"], 2, &["NAME=VALUE"]);
    fails(&["render", "--example", "twist-bar", "--symbol", "no", "-o", "x.png"], 2, &["no symbol", "theta"]);
    fails(&["render", "model.glb", "--example", "twist-bar", "-o", "x.png"], 2, &["--example"]);
}
