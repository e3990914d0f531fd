//! Rules about morph targets, on models of the corpus.

use super::*;

/// The rules about morph targets.
const RULES: &str = "morph-normals-cut,morph-empty";

/// The faces of the robot are spread over three meshes that have all of their names, and two of which nothing moves.
#[test]
fn artists_morph_targets_are_in_order() {
    let Some(corpus) = common::corpus() else { return };
    for name in ["AnimatedMorphCube/AnimatedMorphCube.gltf", "RobotExpressive.glb", "KayKit_Knight.glb"] {
        let path = corpus.join("models").join(name);
        let report = report(&[path.to_str().unwrap(), "--rules", RULES], 0);
        assert_eq!(report["files"][0]["findings"], json!([]), "{name}");
    }
}
