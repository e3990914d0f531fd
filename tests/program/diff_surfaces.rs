//! `skinscope diff` of surfaces that were moved, and of copies in other storage: which vertices it compares, and what it says of the others.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use serde_json::{Value, json};

use crate::diff::{folder, streams, told};
use crate::fix::run::captured;

#[test]
fn a_surface_that_was_moved_is_compared_and_what_has_no_counterpart_is_told() {
    let folder = folder("shifted");
    // All vertices of the first primitive lie 1 mm farther in x, and the last one 10 cm.
    let original = std::fs::read(folder.join("a.glb")).unwrap();
    let root = json_of(&original);
    let part = &root["meshes"][0]["primitives"][0]["attributes"];
    let attributes: Vec<&String> = part.as_object().unwrap().keys().collect();
    let at = attributes.iter().position(|name| *name == "POSITION").unwrap();
    let (lists, count, (size, indices, corners)) = streams(&original, 0, 0);
    let (stride, start) = lists[at];
    let mut bytes = original.clone();
    for v in 0..count {
        let x = start + v * stride;
        let by = if v + 1 == count { 0.1 } else { 0.001 };
        let moved = f32::from_le_bytes(bytes[x..x + 4].try_into().unwrap()) + by;
        bytes[x..x + 4].copy_from_slice(&moved.to_le_bytes());
    }
    std::fs::write(folder.join("b.glb"), &bytes).unwrap();
    let found = told(&folder, "a.glb", "b.glb");
    assert_eq!((&found["surface"]["vertices"], &found["weights"]["vertices"]), (&json!(count), &json!(0)), "{found}");
    assert_eq!(found["unmatched"], json!({ "before": 0, "after": 0 }));
    assert!(found["posed"]["largest_mm"].as_f64().unwrap() > 99.0, "{found}");
    // One vertex of another file is far away, and the triangles have other corners, so that order says nothing.
    for i in 0..corners / 2 {
        let (a, b) = (indices + i * size, indices + (corners - 1 - i) * size);
        (0..size).for_each(|byte| bytes.swap(a + byte, b + byte));
    }
    let x = start + 7 * stride;
    bytes[x..x + 4].copy_from_slice(&9.0_f32.to_le_bytes());
    std::fs::write(folder.join("c.glb"), &bytes).unwrap();
    let found = told(&folder, "a.glb", "c.glb");
    assert_eq!(found["same"], json!(false));
    let text = String::from_utf8(captured(&folder, &["diff", "a.glb", "c.glb"]).stdout).unwrap();
    assert!(!text.contains("no vertex is elsewhere"), "{text}");
    let unmatched = found["unmatched"]["before"].as_u64().unwrap();
    assert_eq!(text.contains("were not compared"), unmatched > 0, "{text}");
}

/// The JSON text of a GLB.
fn json_of(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn copies_in_other_storage_differ_by_what_rounding_took() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folder = folder("storage");
    let path = |name: &str| fixtures.join(name).to_str().unwrap().to_owned();
    for name in ["figure_quantized.glb", "figure_gltfpack_khr.glb", "figure_meshopt.glb", "figure_draco_sequential.glb"]
    {
        let found = told(&folder, &path("figure.glb"), &path(name));
        println!("{name}: {found}");
        assert_eq!(found["unmatched"], json!({ "before": 0, "after": 0 }), "{name}: {found}");
        assert!(found["posed"]["compared"].as_u64().unwrap() > 0, "{name}: {found}");
        assert!(found["posed"]["largest_mm"].as_f64().unwrap() < 5.0, "{name}: {found}");
    }
}
