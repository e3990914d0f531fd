//! Tests of what is found in one mesh that two nodes show with skins of other joints.

use std::sync::atomic::AtomicBool;

use skinscope_model::test_shapes::{Tube, tube, with_two_skins};
use skinscope_model::{MeshId, Model, ModelParts, NodeId, WeightChange};

use super::{CheckOptions, Finding, check};

/// The tube, shown with two skins whose joints stand in opposite orders. `change` is made before the mesh is parted.
fn twice(change: impl FnOnce(&mut ModelParts)) -> Model {
    with_two_skins(&tube(Tube { joints: 4, ..Tube::default() }), change)
}

fn found(rule: &'static str, model: &Model) -> Vec<Finding> {
    let options = CheckOptions { rules: Some(vec![rule]), ..CheckOptions::default() };
    check(model, &options, &AtomicBool::new(false)).unwrap().findings
}

#[test]
fn weights_that_both_have_are_reported_once_with_the_joints_of_both_and_others_for_each() {
    let model = twice(|parts| {
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        let slots = 5 * influences.per_vertex;
        influences.joints[slots] = 0;
        influences.weights[slots..slots + influences.per_vertex].fill(0.0);
        influences.weights[slots] = -0.5;
    });
    let findings = found("weights-negative", &model);
    let joints = |findings: &[Finding]| findings.iter().map(|f| (f.mesh, f.joints.clone())).collect::<Vec<_>>();
    assert_eq!(joints(&findings), [(Some(MeshId(0)), vec![NodeId(1), NodeId(4)])]);
    // One of them is mended.
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(5, &[0], &[1.0]);
    let findings = found("weights-negative", &model.with_weights(&[change]).unwrap());
    assert_eq!(joints(&findings), [(Some(MeshId(1)), vec![NodeId(4)])]);
}

#[test]
fn the_vertices_of_both_are_no_seam_of_one_surface() {
    let model = twice(|_| ());
    assert_eq!(found("seam-weights", &model), []);
}
