//! Nodes that stand far from the origin, as they are read and as they are posed.

use glam::{DQuat, DVec3};
use serde_json::json;
use skinscope_anim::local_to_model;
use skinscope_model::{LocalPose, Model};

use super::Doc;

/// Returns the positions of the nodes in the world of the file.
fn positions(model: &Model, pose: &LocalPose) -> Vec<DVec3> {
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
    let still = positions(&model, rest);
    assert!(still[0].length() < 1e-6 && still[1].distance(DVec3::X * 5000.25) < 1e-6, "{still:?}");
    let turn = DQuat::from_rotation_y(0.01);
    let mut pose = rest.clone();
    pose.transforms[0].rotation = (turn * DQuat::from_rotation_x(0.5)).as_quat();
    for (before, after) in still.iter().zip(positions(&model, &pose)) {
        assert!((turn * *before).distance(after) < 2e-3, "{before} {after}");
    }
}

#[test]
fn a_second_figure_far_from_the_first_one_is_reported_with_where_it_is_shown() {
    let two = |first: f64, second: f64| {
        let mut doc = Doc::new();
        doc.root["nodes"] = json!([
            { "translation": [first, 0.0, 0.0], "children": [1, 2] },
            { "translation": [0.0, 1.0, 0.0] },
            { "translation": [0.5, 1.0, 0.0] },
            { "translation": [second, 0.0, 0.0], "children": [4] },
            { "translation": [0.0, 1.0, 0.0] },
        ]);
        doc.root["skins"] = json!([{ "joints": [0, 1, 2] }, { "joints": [3, 4] }]);
        doc.root["scenes"] = json!([{ "nodes": [0, 3] }]);
        // What no clip moves, and nothing that is shown follows, bears no position.
        let (times, values) = (doc.floats("SCALAR", 1, &[0.0]), doc.floats("VEC3", 3, &[1.0; 3]));
        let channel = |node: usize| json!({ "sampler": 0, "target": { "node": node, "path": "scale" } });
        doc.root["animations"] =
            json!([{ "samplers": [{ "input": times, "output": values }], "channels": [channel(0), channel(3)] }]);
        let warnings = doc.import().unwrap().warnings;
        warnings.iter().map(ToString::to_string).filter(|said| said.contains("stands")).collect::<Vec<_>>()
    };
    let said = |away: &str| {
        format!(
            "skin 1: stands {away} from the first figure, too far for one picture: it is shown 12 m from it, in the same direction. Its \
             numbers are exact, and files that are written hold the whole distance"
        )
    };
    assert_eq!(two(0.0, 100_000.0), [said("100 km")]);
    assert_eq!(two(300_000.0, 100_000.0), [said("200 km")]);
    // Both stand at one position, far away, or near the origin.
    assert!(two(100_000.0, 100_002.0).is_empty() && two(0.0, 20.0).is_empty());
}
