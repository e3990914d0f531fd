//! Checks what `skinscope info` says of a file.

use std::path::Path;

use serde_json::Value;

use crate::cli::variants::with_variants;
use crate::cli::{common, ok};

#[test]
fn info_lists_variants_and_layers() {
    let path = with_variants();
    let file = path.to_str().unwrap();
    let report: Value = serde_json::from_str(&ok(&["info", "--json", file])).unwrap();
    assert_eq!(report["variants"], serde_json::json!(["Green one", "1st"]));
    let primitive = &report["meshes"][0]["primitives"][0];
    assert_eq!(primitive["variants"], serde_json::json!([{ "variant": 0, "material": 1 }]));
    assert_eq!(report["materials"][1]["layers"], serde_json::json!(["unlit"]));
    let text = ok(&["info", file]);
    assert!(text.contains("variants    0 \"Green one\"") && text.contains("\"material 1\": unlit"), "{text}");
}

#[test]
fn info_of_the_built_in_character() {
    let report: Value = serde_json::from_str(&ok(&["info", "--json"])).unwrap();
    assert_eq!(report["schema"], 1);
    let clips: Vec<&str> = report["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(clips, ["Idle", "Walk", "Wave", "Bend"]);
    assert!(report["counts"]["joints"].as_u64().unwrap() >= 20);
    assert!(report["influences"]["most"].as_u64().unwrap() <= 4);
    let text = ok(&["info"]);
    assert!(text.contains("Walk") && text.contains("warnings    none"), "{text}");
}

#[test]
fn info_agrees_with_the_corpus_table() {
    let Some(corpus) = common::corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("models.csv")).unwrap();
    for name in ["CesiumMan", "Fox", "KayKit_Knight"] {
        let row = table.lines().find(|l| l.starts_with(&format!("{name},"))).unwrap();
        let file = corpus.join(format!("models/{name}.glb"));
        let report: Value = serde_json::from_str(&ok(&["info", "--json", file.to_str().unwrap()])).unwrap();
        // Columns after the quoted licence differ in commas, so whole ",vertices,primitives,joints,skins,clips," is sought.
        let c = &report["counts"];
        let joints = report["skins"][0]["joints"].as_array().unwrap().len();
        let wanted = format!(",{},{},{joints},{},{},", c["vertices"], c["primitives"], c["skins"], c["clips"]);
        assert!(row.contains(&wanted), "{name}: {wanted} is not in {row}");
    }
}

/// Counted from the bytes of the files by other means.
#[test]
fn info_sums_up_each_skin_of_a_model_of_the_corpus() {
    let Some(corpus) = common::corpus() else { return };
    let report = |name: &str| -> Value {
        let file = corpus.join(format!("models/{name}.glb"));
        serde_json::from_str(&ok(&["info", "--json", file.to_str().unwrap()])).unwrap()
    };
    let cesium = report("CesiumMan");
    let skin = &cesium["skins"][0];
    assert_eq!(skin["influences"]["by_count"], serde_json::json!([0, 458, 1678, 717, 420, 0]));
    assert_eq!(cesium["influences"]["by_count"], skin["influences"]["by_count"]);
    let percent = skin["influences"]["percent"][2].as_f64().unwrap();
    assert!((percent - 100.0 * 1678.0 / 3273.0).abs() < 1e-9, "{percent}");
    assert_eq!((&skin["influences"]["used"], &skin["influences"]["stored"]), (&7645.into(), &(4 * 3273).into()));
    assert_eq!((&skin["over_4"], &skin["sum_not_one"], &skin["shared_with"]), (&0.into(), &0.into(), &0.into()));
    let tube = report("Tube8Influences");
    assert_eq!((&tube["skins"][0]["over_4"], &tube["skins"][0]["influences"]["most"]), (&1920.into(), &8.into()));
    let many = report("MultiSkin");
    let of = |field: &str| many["skins"].as_array().unwrap().iter().map(|s| s[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("inverse_binds"), [true, true, true, false]);
    assert_eq!(
        (of("shared_with"), of("vertices")),
        (vec![3.into(); 4], vec![30.into(), 10.into(), 10.into(), 10.into()])
    );
    let file = corpus.join("models/MultiSkin.glb");
    let text = ok(&["info", file.to_str().unwrap()]);
    assert!(text.contains("no inverse bind matrices stored") && text.contains("skeleton shared with 3 more"), "{text}");
}

/// The weights are read again from the file's bytes, by nothing but what the report says.
#[test]
fn info_says_where_the_numbers_stand() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let bytes = std::fs::read(&file).unwrap();
    let report: Value = serde_json::from_str(&ok(&["info", "--json", file.to_str().unwrap()])).unwrap();
    let storage = &report["storage"];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let text = &bytes[number(&storage["json"]["offset"])..][..number(&storage["json"]["length"])];
    let document: Value = serde_json::from_slice(text).unwrap();
    let weights = &report["meshes"][0]["primitives"][0]["sets"][0]["weights"];
    assert_eq!(weights["accessor"], document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]);
    let accessor = &storage["accessors"][number(&weights["accessor"])];
    assert_eq!((&accessor["type"], &accessor["normalized"]), (&"VEC4".into(), &true.into()));
    let one = match accessor["component"].as_str() {
        Some("u8") => 255,
        Some("u16") => 65_535,
        other => panic!("weights of {other:?}"),
    };
    let width = if one == 255 { 1 } else { 2 };
    let elements = &accessor["elements"];
    let buffer = &storage["buffers"][number(&elements["buffer"])];
    assert_eq!(buffer["source"], "glb");
    let start = number(&buffer["file_offset"]) + number(&elements["offset"]);
    for vertex in 0..number(&accessor["count"]) {
        let element = &bytes[start + vertex * number(&elements["stride"])..][..4 * width];
        let sum: u32 = element.chunks(width).map(|b| b.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))).sum();
        assert_eq!(sum, one, "vertex {vertex}");
    }
    let skin = &report["skins"][0]["inverse_bind_accessor"];
    assert_eq!(skin, &document["skins"][0]["inverseBindMatrices"]);
    let sampler = &report["clips"][1]["stored"]["samplers"][0];
    assert_eq!(sampler["output"], document["animations"][1]["samplers"][number(&sampler["index"])]["output"]);
    let node = report["nodes"].as_array().unwrap().iter().find(|n| n["joint"] == true).unwrap();
    for member in node["members"].as_array().unwrap() {
        assert!(!document["nodes"][number(&node["index"])][member.as_str().unwrap()].is_null(), "{member}");
    }
    let text = ok(&["info", file.to_str().unwrap()]);
    assert!(
        text.lines().any(|l| l.starts_with("stored") && l.contains("weights u") && l.contains("accessors")),
        "{text}"
    );
}
