//! Teaching examples on the command line: they are listed, printed with their numbers, and drawn.

use serde_json::Value;

use crate::cli::{fails, ok, scratch, skinscope};

/// The examples that are listed.
fn listed() -> Vec<String> {
    let list: Value = serde_json::from_str(&ok(&["examples", "--json"])).unwrap();
    list["examples"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap().to_owned()).collect()
}

/// What is printed of an example.
fn page(name: &str) -> Value {
    serde_json::from_str(&ok(&["examples", name, "--json"])).unwrap()
}

#[test]
#[ignore = "full: it works out the numbers of all examples"]
fn every_example_is_printed_with_its_formulas() {
    for name in listed() {
        let page = page(&name);
        assert!(!page["formulas"].as_array().unwrap().is_empty() && page["schema"] == 1, "{name}");
    }
}

#[test]
fn examples_are_listed_and_printed_with_their_numbers() {
    assert!(listed().iter().any(|name| name == "twist-bar") && ok(&["examples"]).contains("twist-bar"));
    let printed = page("twist-bar");
    assert!(!printed["formulas"].as_array().unwrap().is_empty() && printed["schema"] == 1);
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
    assert!(ok(&["examples"]).contains("--slider s=-1|1: Which solution, s"));
    let shares = ["examples", "three-weights", "--slider", "w1=0.9", "--slider"];
    assert!(ok(&[&shares[..], &["w2=0.1"]].concat()).contains("(w2): 0.1"));
    let why = "w1 and w2 of three-weights are 1 together at most";
    fails(&[&shares[..], &["w2=0.5"]].concat(), 2, &[why]);
    // The chart has a curve for each method, and that of linear blending is the cosine of half the turn.
    let chart = &printed["charts"][0];
    let kept = |name: &str| {
        let curves = chart["curves"].as_array().unwrap();
        let curve = curves.iter().find(|curve| curve["name"] == name).unwrap()["points"].as_array().unwrap();
        curve.iter().find(|point| point[0] == 90.0).unwrap()[1].as_f64().unwrap()
    };
    let half = 0.5_f64.sqrt();
    for (name, want) in
        [("Linear blend", half), ("Mixed", 0.5 * (1.0 + half)), ("Dual quaternion", 1.0), ("Polar decomposition", 1.0)]
    {
        assert!((kept(name) - want).abs() < 1e-3, "{name}: {}", kept(name));
    }
    assert_eq!((&chart["slider"], &chart["curves"][7]["is_formula"]), (&"theta".into(), &true.into()));
    let text = ok(&["examples", "twist-bar", "--slider", "theta=90"]);
    assert!(text.contains("r_½/R = cos(θ/2) = cos(90.0°/2) = 0.707"), "{text}");
}

/// What `bench` prints: counts that follow from the shape, and both ways of each claim with the same result.
#[test]
fn a_benchmark_has_counts_ratios_with_their_spread_and_equal_results() {
    let report: Value = serde_json::from_slice(&skinscope(&["bench", "--json"]).stdout).unwrap();
    assert_eq!(report["schema"], 1);
    let number = |value: &Value| value.as_f64().unwrap();
    let all = |what: &str| number(&report[what]["rigid"]) + number(&report[what]["blended"]);
    assert!(all("vertices") > 1000.0 && all("triangles") > 1000.0, "{report}");
    let palette = &report["palette"];
    assert_eq!(number(&palette["bytes_3x4"]) / number(&palette["bytes_4x4"]), 0.75);
    let measured = report["measured"].as_array().unwrap();
    let ids: Vec<&str> = measured.iter().map(|one| one["id"].as_str().unwrap()).collect();
    let not_measured = report["not_measured"].as_array().unwrap();
    if not_measured.is_empty() {
        assert_eq!(ids, ["partition", "loops", "palettes", "inverse-root", "buffers", "device"]);
        assert_eq!(number(&measured[4]["apart"]), 0.0, "both buffers hold the same matrices");
    } else {
        assert_eq!(ids, ["partition", "loops", "palettes", "inverse-root"]);
        assert_eq!([&not_measured[0]["id"], &not_measured[1]["id"]], ["buffers", "device"]);
        assert!(!not_measured[0]["why"].as_str().unwrap().is_empty());
    }
    for one in measured {
        let ratio = ["least", "lower", "median", "upper", "greatest"].map(|name| number(&one["ratio"][name]));
        assert!(ratio.is_sorted() && ratio[0] > 0.0, "{one}");
        assert!(number(&one["first_secs"]) > 0.0 && number(&one["second_secs"]) > 0.0);
        let most = if one["id"] == "inverse-root" { 0.002 } else { 1e-5 };
        assert!(number(&one["apart"]) < most, "{one}");
        // The times are those of the turn with the median ratio.
        let quotient = number(&one["first_secs"]) / number(&one["second_secs"]);
        assert!((quotient / ratio[2] - 1.0).abs() < 1e-9, "{one}");
        assert_eq!(one["better"] == "second", ratio[1] > 1.0, "{one}");
        assert_eq!(one["better"] == "first", ratio[3] < 1.0, "{one}");
        if one["id"] == "device" {
            let exact = one["from_exact"].as_array().unwrap();
            assert!(exact.len() == 2 && exact.iter().all(|metres| number(metres) < 1e-5), "{one}");
        }
    }
    let calls = &report["draw_calls"];
    assert!(number(&calls["whole"]) >= 1.0 && number(&calls["parted"]) >= number(&calls["whole"]), "{calls}");
    // The device's rows have figures, or say why there are none.
    let roots = report["roots"].as_array().unwrap();
    let names: Vec<&str> = roots.iter().map(|root| root["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["exact", "one-step", "two-steps", "device-inverse-sqrt", "device-normalize"]);
    for root in roots {
        assert_eq!(root["why"].is_null(), root["ns"].is_object(), "{root}");
        let most = if root["id"] == "one-step" { 0.0018 } else { 1e-4 };
        assert!(root["why"].is_string() || number(&root["error"]) < most, "{root}");
    }
    let costs = report["costs"].as_array().unwrap();
    assert_eq!(costs.len(), skinscope::deform::METHODS.len() + skinscope::deform::NORMAL_MODES.len());
    for cost in costs {
        let ns = ["least", "lower", "median", "upper", "greatest"].map(|name| number(&cost["ns"][name]));
        assert!(ns.is_sorted() && ns[0] > 0.0, "{cost}");
    }
}

#[test]
#[ignore = "full: a benchmark takes its time to measure"]
fn a_benchmark_is_printed_in_words() {
    let text = ok(&["bench"]);
    assert!(text.contains("3×4") && text.contains("vertex by vertex"), "{text}");
    assert!(text.contains("palette in a uniform buffer against in a storage buffer: "), "{text}");
}

/// A palette that is larger than any uniform buffer may be: the row says so, with both numbers.
#[test]
#[ignore = "full: it runs two benchmarks, which take their time to measure"]
fn a_benchmark_says_where_a_palette_does_not_fit_into_a_uniform_buffer() {
    let file = scratch("many_joints.gltf");
    std::fs::write(&file, many_joints(1400)).unwrap();
    let report: Value = serde_json::from_str(&ok(&["bench", file.to_str().unwrap(), "--json"])).unwrap();
    assert_eq!(report["palette"]["matrices"], 1400);
    let row = &report["not_measured"][0];
    assert_eq!(row["id"], "buffers");
    let why = row["why"].as_str().unwrap();
    // Without an adapter that is the reason.
    if !why.contains("adapter") {
        assert!(
            why.contains("1400 matrices of 48 bytes are 67200 bytes; a uniform buffer of this device holds"),
            "{why}"
        );
        // The device itself can do it, from a storage buffer.
        let ids: Vec<&Value> = report["measured"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
        assert_eq!((ids.len(), ids[4]), (5, &Value::from("device")));
    }
    let text = ok(&["bench", file.to_str().unwrap()]);
    assert!(text.contains(&format!("not measured: {why}\n")), "{text}");
}

/// A triangle whose corners follow one joint each, of a skin with so many.
fn many_joints(joints: usize) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    for position in [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
        position.iter().for_each(|c| bytes.extend(c.to_le_bytes()));
    }
    for joint in 0..3_u16 {
        [joint, 0, 0, 0].iter().for_each(|j| bytes.extend(j.to_le_bytes()));
    }
    for _ in 0..3 {
        [1.0_f32, 0.0, 0.0, 0.0].iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    }
    let hex: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    let nodes: Vec<Value> = (0..joints).map(|i| serde_json::json!({ "name": format!("J{i}") })).collect();
    let mut nodes = nodes;
    nodes.push(serde_json::json!({ "mesh": 0, "skin": 0 }));
    let accessor =
        |view, kind, of| serde_json::json!({ "bufferView": view, "componentType": kind, "count": 3, "type": of });
    let mut position = accessor(0, 5126, "VEC3");
    position["min"] = serde_json::json!([0, 0, 0]);
    position["max"] = serde_json::json!([1, 1, 0]);
    serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": (0..=joints).collect::<Vec<_>>() }],
        "nodes": nodes,
        "skins": [{ "joints": (0..joints).collect::<Vec<_>>() }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] }],
        "accessors": [position, accessor(1, 5123, "VEC4"), accessor(2, 5126, "VEC4")],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 24 },
            { "buffer": 0, "byteOffset": 60, "byteLength": 48 },
        ],
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream,{hex}") }],
    })
    .to_string()
}

/// The bytes of the picture of an example; `None` without a graphics adapter.
fn draw(example: &str, name: &str, extra: &[&str]) -> Option<Vec<u8>> {
    let file = scratch(name);
    let path = file.to_str().unwrap();
    let size = ["--size", "240x180", "-o", path];
    let out = skinscope(&[&["render", "--example", example], &size[..], extra].concat());
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if said.contains("adapter") && !out.status.success() {
        return None;
    }
    assert!(out.status.success(), "{said}");
    Some(std::fs::read(file).unwrap())
}

#[test]
fn an_example_is_drawn_at_any_position_of_its_sliders() {
    let Some(first) = draw("twist-bar", "example.png", &[]) else { return };
    assert!(first != draw("twist-bar", "example_turned.png", &["--slider", "theta=10"]).unwrap());
}

#[test]
#[ignore = "full: it draws three pictures by processes of their own"]
fn a_symbol_of_an_example_is_drawn() {
    let Some(first) = draw("twist-bar", "example_plain.png", &[]) else { return };
    let turned = draw("twist-bar", "example_turned_again.png", &["--slider", "theta=10"]).unwrap();
    let symbol = draw("twist-bar", "example_symbol.png", &["--symbol", "theta"]).unwrap();
    assert!(first != symbol && turned != symbol);
}

/// An example starts with its own camera, opacity and comparison; an option changes them although it says the usual value.
#[test]
fn what_is_said_wins_over_what_an_example_starts_with() {
    let Some(bones) = draw("bone-links", "example_start.png", &[]) else { return };
    assert!(draw("bone-links", "example_said.png", &["--skin-opacity", "1"]).unwrap() != bones);
}

#[test]
#[ignore = "full: it draws seven pictures by processes of their own"]
fn whatever_is_said_wins_over_what_an_example_starts_with() {
    let Some(bones) = draw("bone-links", "example_starts.png", &[]) else { return };
    for (i, option) in [["--skin-opacity", "1"], ["--view", "persp"]].iter().enumerate() {
        assert!(draw("bone-links", &format!("example_said_{i}.png"), option).unwrap() != bones, "{option:?}");
    }
    let bar = draw("twist-bar", "example_half.png", &[]).unwrap();
    for (i, option) in [&["--split", "0.3"][..], &["--side-by-side"], &["--method", "linear"]].iter().enumerate() {
        let differs = draw("twist-bar", &format!("example_sides_{i}.png"), option).unwrap() != bar;
        assert_eq!(differs, option[0] != "--method", "{option:?}");
    }
}

/// The page that the manual shows, on a rig of ours.
fn page_of_the_manual() -> &'static str {
    let manual = include_str!("../../../docs/writing-examples.md");
    manual.split_once("````markdown\n").unwrap().1.split_once("````").unwrap().0
}

/// A page about the character, which lies beside it.
const ELBOW: &str = "\
---
title: An elbow
model: character.glb
slider bend: joint \"LowerArm.L\" turn z -60..60 degrees = 30 \"Bend of the elbow\"
symbol a: \"α\" degrees = angle(\"UpperArm.L\", \"LowerArm.L\", \"Hand.L\") \"the angle at the elbow\"
symbol u: metres = length(\"UpperArm.L\", \"LowerArm.L\") \"the length of the upper arm\"
symbol f: metres = length(\"LowerArm.L\", \"Hand.L\") \"the length of the forearm\"
symbol d: metres = length(\"UpperArm.L\", \"Hand.L\") \"how far the hand reaches\"
---
# How far does an arm reach?

```formula
d = sqrt(u^2 + f^2 - 2 u f cos(a))
```
";

/// Writes a page, with the character beside it.
fn own_page(name: &str, text: &str) -> String {
    let page = scratch(name);
    std::fs::write(&page, text).unwrap();
    let character = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    std::fs::copy(character, page.with_file_name("character.glb")).unwrap();
    page.to_str().unwrap().to_owned()
}

#[test]
fn a_page_of_ones_own_is_printed_on_a_rig_and_on_a_model() {
    let ring = own_page("ring.md", page_of_the_manual());
    let text = ok(&["examples", &ring, "--slider", "theta=90", "--slider", "w=0.5"]);
    assert!(text.contains("A ring that turns\n") && text.contains("= 0.707\n"), "{text}");
    let arm = own_page("arm.md", ELBOW);
    let mut reach = Vec::new();
    for bend in ["bend=0", "bend=60"] {
        let page: Value = serde_json::from_str(&ok(&["examples", &arm, "--slider", bend, "--json"])).unwrap();
        let symbols = page["symbols"].as_array().unwrap();
        let measured = symbols.iter().find(|symbol| symbol["name"] == "d").unwrap()["value"].as_f64().unwrap();
        let computed = page["formulas"][0]["value"].as_f64().unwrap();
        assert!((measured - computed).abs() < 1e-5, "{bend}: {measured} {computed}");
        reach.push(measured);
    }
    assert!(reach[0] - reach[1] > 0.01, "{reach:?}");
}

#[test]
fn a_page_of_ones_own_that_is_broken_is_refused_with_line_and_column() {
    let wrong = page_of_the_manual().replacen("sin(theta/2)", "sin(thta/2)", 1);
    let ring = own_page("broken_ring.md", &wrong);
    let said = "broken_ring.md:14:30: there is no symbol \"thta\"; nearest: theta, h, w";
    fails(&["examples", &ring], 1, &[said]);
    fails(&["render", "--example", &ring, "-o", "x.png"], 1, &[said]);
    fails(&["--example", &ring, "--slider", "theta=1"], 1, &[said]);
    let arm = own_page("broken_arm.md", &ELBOW.replacen("LowerArm.L", "LowerArm", 1));
    fails(&["examples", &arm], 1, &["broken_arm.md:4:20: there is no joint \"LowerArm\"; nearest: LowerArm"]);
    let lost = own_page("lost_arm.md", &ELBOW.replacen("character", "nobody", 1));
    fails(&["examples", &lost], 1, &["lost_arm.md", "nobody.glb", "cannot be read"]);
    fails(&["examples", "absent.md"], 1, &["absent.md", "cannot be read"]);
    let binary = scratch("binary.md");
    std::fs::write(&binary, b"---\ntitle: \xff\n").unwrap();
    fails(&["examples", binary.to_str().unwrap()], 1, &["binary.md:2:8: expected text in UTF-8"]);
    let ring = own_page("whole_ring.md", page_of_the_manual());
    fails(&["examples", &ring, "--slider", "no=1"], 2, &["whole_ring.md has no slider \"no\"; it has theta, w"]);
}

#[test]
fn a_page_of_ones_own_is_drawn() {
    let arm = own_page("drawn_arm.md", ELBOW);
    let Some(first) = draw(&arm, "own_page.png", &[]) else { return };
    assert!(draw(&arm, "own_page_bent.png", &["--slider", "bend=-60"]).unwrap() != first);
    let ring = own_page("drawn_ring.md", page_of_the_manual());
    assert!(draw(&ring, "own_ring.png", &[]).unwrap() != first);
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
