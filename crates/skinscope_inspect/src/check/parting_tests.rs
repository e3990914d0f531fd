//! Tests of what is found in one mesh that two nodes show with skins of other joints.

use std::sync::atomic::AtomicBool;

use skinscope_model::shapes::{Tube, tube};
use skinscope_model::{Instance, MeshId, Model, ModelParts, NodeId, SkinId, WeightChange, part_meshes};

use super::{CheckOptions, Finding, check};

/// The tube, shown by two nodes: the second skin has the same joints, bound in the same place, in the order that is reversed.
fn twice(change: impl FnOnce(&mut ModelParts)) -> Model {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 4, ..Tube::default() }));
    let mut skin = parts.skins[0].clone();
    skin.joints.reverse();
    skin.inverse_bind.reverse();
    parts.skins.push(skin);
    parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
    change(&mut parts);
    let ModelParts { skins, meshes, instances, .. } = &mut parts;
    parts.parted = part_meshes(skins, meshes, instances, &mut |_, _| true);
    Model::build(parts).unwrap()
}

fn found(rule: &'static str, model: &Model) -> Vec<Finding> {
    let options = CheckOptions { rules: Some(vec![rule]), ..CheckOptions::default() };
    check(model, &options, &AtomicBool::new(false)).unwrap().findings
}

#[test]
fn weights_that_both_have_are_told_once_with_the_joints_of_both_and_others_for_each() {
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
