//! Nodes that stand far from the origin, as they are read and as they are posed.

use glam::{DQuat, DVec3};
use serde_json::json;
use skinscope_anim::local_to_model;
use skinscope_model::{LocalPose, Model};

use super::Doc;

/// Returns the places of the nodes in the world of the file.
fn places(model: &Model, pose: &LocalPose) -> Vec<DVec3> {
    let mut matrices = Vec::new();
    local_to_model(&model.skeleton, pose, &mut matrices);
    let origin = |node: usize| model.skeleton.origin_of(skinscope_model::NodeId::from_index(node));
    matrices.iter().enumerate().map(|(node, m)| m.translation.as_dvec3() + origin(node)).collect()
}

#[test]
fn what_hangs_far_from_a_node_that_is_turned_by_hand_swings_about_it() {
    let mut doc = Doc::new();
    doc.root["nodes"] = json!([
        { "name": "Root", "rotation": DQuat::from_rotation_x(0.5).to_array(), "children": [1] },
        { "name": "Place", "translation": [5000.25, 0.0, 0.0], "children": [2] },
        { "name": "Joint", "translation": [0.0, 1.0, 0.0] },
    ]);
    doc.root["skins"] = json!([{ "joints": [2] }]);
    doc.root["scenes"] = json!([{ "nodes": [0] }]);
    let model = doc.import().unwrap().model;
    let rest = &model.skeleton.rest;
    assert_eq!(model.skeleton.origin(), DVec3::X * 5000.25);
    let still = places(&model, rest);
    assert!(still[0].length() < 1e-6 && still[1].distance(DVec3::X * 5000.25) < 1e-6, "{still:?}");
    let turn = DQuat::from_rotation_y(0.01);
    let mut pose = rest.clone();
    pose.transforms[0].rotation = (turn * DQuat::from_rotation_x(0.5)).as_quat();
    for (before, after) in still.iter().zip(places(&model, &pose)) {
        assert!((turn * *before).distance(after) < 2e-3, "{before} {after}");
    }
}
