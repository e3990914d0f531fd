//! `measure`: what is drawn is measured, whatever draws it.

use serde_json::Value;

use crate::cli::{called, ok};

fn measured(arguments: &[&str]) -> Value {
    let walk = ["measure", "--clip", "Walk", "--time", "0.4", "--json"];
    serde_json::from_str(&ok(&[&walk[..], arguments].concat())).unwrap()
}

#[test]
fn rigid_parts_keep_their_lengths_and_delta_mush_stretches_them() {
    let worst = |report: &Value, name: &str| report["worst"][name]["value"].as_f64().unwrap();
    let rigid = measured(&["--method", "rigid"]);
    for name in ["stretch_max", "stretch_min", "triangle_max", "triangle_min"] {
        assert!((worst(&rigid, name) - 1.0).abs() < 2e-3, "{name}: {rigid}");
    }
    assert_eq!((worst(&rigid, "inverted"), worst(&rigid, "folds")), (0.0, 0.0));
    let mush = measured(&["--method", "rigid", "--mush", "10,0.5"]);
    assert!(worst(&mush, "stretch_max") > 1.2 && worst(&mush, "stretch_min") < 0.8, "{mush}");
    assert!(mush["worst"]["stretch_max"]["vertex"].is_u64(), "{mush}");
    // The same surface, joined again, has about the same stretch when whole vertices follow one joint.
    let dominant = measured(&["--method", "dominant", "--mush", "10,0.5"]);
    let mean = |report: &Value| report["curves"]["stretch_mean"][0].as_f64().unwrap();
    assert!((mean(&mush) - mean(&dominant)).abs() < 0.05, "{} and {}", mean(&mush), mean(&dominant));
}

#[test]
fn what_has_no_skin_is_not_measured_and_the_reason_is_true() {
    let corpus = crate::common::corpus().map(|corpus| corpus.join("models/AnimatedMorphCube/AnimatedMorphCube.gltf"));
    let Some(path) = corpus.filter(|path| path.exists()) else { return };
    let (code, _, said) = called(&["measure", path.to_str().unwrap()]);
    assert!(code == 2 && said.contains("the model has no skin"), "{said}");
}
