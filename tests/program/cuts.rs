//! One surface in files that cut it in other ways, into primitives that share vertices or have their own: `skinscope diff` and
//! `skinscope compare` pair the vertices as if it was in one piece.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common;
use crate::sharing::{cut, told};

/// A folder with the figure in the cuts: its name, how many primitives there are, and which of them have vertices of their own.
fn folder(name: &str, cuts: &[(&str, usize, &[usize])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuts").join(name);
    let _absent = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, count, own) in cuts {
        let file = common::figure(|document| cut(document, *count, own));
        std::fs::write(folder.join(name), file).unwrap();
    }
    folder
}

const CUTS: [(&str, usize, &[usize]); 6] = [
    ("whole.glb", 1, &[]),
    ("shared.glb", 4, &[]),
    ("own.glb", 4, &[0, 1, 2, 3]),
    ("partly.glb", 4, &[1, 3]),
    ("many.glb", 10, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ("many-partly.glb", 10, &[0, 2, 3, 7]),
];

#[test]
fn a_surface_cut_otherwise_is_the_same_surface() {
    let folder = folder("same", &CUTS);
    for (a, _, _) in CUTS {
        for (b, _, _) in CUTS.into_iter().filter(|(b, _, _)| *b != a) {
            let found = told(&folder, &["diff", a, b, "--json"]);
            assert_eq!(found["unmatched"], json!({ "before": 0, "after": 0 }), "{a} {b}: {found}");
            assert_eq!(
                (&found["surface"]["vertices"], &found["weights"]["vertices"]),
                (&json!(0), &json!(0)),
                "{a} {b}"
            );
            let is_material = |part: &Value| part["what"] == "materials";
            assert!(found["attributes"].as_array().unwrap().iter().all(is_material), "{a} {b}: {found}");
            assert_eq!(found["posed"]["largest_mm"], json!(0.0), "{a} {b}: {found}");
        }
    }
}

#[test]
fn weights_that_differ_are_found_in_another_cut() {
    let folder = folder("edited", &CUTS);
    let fixed = told(&folder, &["fix", "many.glb", "-o", "fixed.glb", "--limit", "1", "--json"]);
    let changed = fixed["operations"][0]["vertices"].as_u64().unwrap();
    assert!(changed > 50, "{fixed}");
    let whole = told(&folder, &["fix", "whole.glb", "-o", "fixed-whole.glb", "--limit", "1", "--json"]);
    let wanted = whole["operations"][0]["vertices"].as_u64().unwrap();
    for file in ["whole.glb", "shared.glb"] {
        let found = told(&folder, &["diff", file, "fixed.glb", "--json"]);
        assert_eq!(found["weights"]["vertices"].as_u64().unwrap(), wanted, "{file}: {found}");
        assert_eq!(found["surface"]["vertices"], json!(0), "{file}: {found}");
        let apart = |other: &str| {
            let found =
                told(&folder, &["compare", file, "--b-file", other, "--clip", "Walk", "--time", "0.4", "--json"]);
            found["worst_mm"].as_f64().unwrap()
        };
        let (own, other) = (apart("fixed-whole.glb"), apart("fixed.glb"));
        assert!(own > 1.0 && (own - other).abs() < 1e-3 * own, "{file}: {own} mm, {other} mm");
    }
}

#[test]
fn files_that_cut_a_surface_otherwise_are_compared_vertex_by_vertex() {
    let folder = folder("compared", &CUTS);
    for (a, _, _) in CUTS {
        for (b, _, _) in CUTS.into_iter().filter(|(b, _, _)| *b != a) {
            let found = told(&folder, &["compare", a, "--b-file", b, "--clip", "Walk", "--time", "0.4", "--json"]);
            assert_eq!(found["worst_mm"], json!(0.0), "{a} {b}: {found}");
        }
    }
}
