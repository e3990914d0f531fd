//! Tests of example meshes that weights are solved from.

use std::collections::BTreeMap;
use std::sync::Arc;

use skinscope_edit::{ExampleMesh, MeshPoints, SOLVE, Settings};
use skinscope_model::{InstanceId, MeshId, NodeId};

use crate::tests::tools::open;
use crate::*;

fn bend(session: &mut Session, degrees: f32) {
    let turned = ChannelValue::Rotation(glam::Vec3::new(0.0, 0.0, degrees));
    session.apply(EditCommand::Edit(NodeId(5), turned));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

/// A mesh of the surface that is shown, in the pose that is shown.
fn sculpt(session: &Session, name: &str) -> ExampleMesh {
    let shown = session.shown_pose().unwrap();
    let surface = session.surfaces().surface().unwrap();
    let part = surface.part(InstanceId(0), 0).unwrap();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    let points: Vec<glam::DVec3> = (0..count).map(|vertex| part.position(vertex, 0).unwrap().as_dvec3()).collect();
    ExampleMesh {
        name: name.to_owned(),
        points: MeshPoints(points.into()),
        pose: shown.pose,
        pose_name: shown.name,
        is_held_out: false,
    }
}

fn pairs(session: &Session) -> Vec<(u16, u32)> {
    let model = session.model().unwrap();
    model.influences(MeshId(0), 0).unwrap().all().map(|(joint, weight)| (joint, weight.to_bits())).collect()
}

/// A session that rests, with the surface in two poses as it was before its weights were lost.
fn lost() -> (Session, Vec<ExampleMesh>) {
    let mut session = open();
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let mut meshes = Vec::new();
    for (name, degrees) in [("Bent", 60.0), ("Back", -45.0)] {
        bend(&mut session, degrees);
        meshes.push(sculpt(&session, name));
    }
    session.apply(ToolCommand::Set(Arc::new(Settings { limit: 1, ..Settings::default() })));
    session.apply(ToolCommand::Choose(Some("limit")));
    session.apply(ToolCommand::Apply);
    (session, meshes)
}

#[test]
fn weights_are_solved_from_sculpts_in_their_poses_as_one_step() {
    let (mut session, meshes) = lost();
    let before = pairs(&session);
    session.apply(ToolCommand::Choose(Some(SOLVE.id)));
    assert!(session.tools().outcome().unwrap().is_empty(), "there is no example yet");
    session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes }));
    session.apply(ToolCommand::Sculpts(SculptCommand::ToggleAside(1)));
    // Settings that come from a text leave the examples.
    let values = BTreeMap::from([("solve-joints".to_owned(), 2.0)]);
    session.apply(ToolCommand::Set(Arc::new(Settings { values, ..Settings::default() })));
    let found = session.tools().outcome().unwrap().solved.clone().unwrap();
    let told: Vec<(&str, bool)> = found.examples.iter().map(|e| (e.name.as_str(), e.is_held_out)).collect();
    assert_eq!(told, [("Bent", false), ("Back", true)]);
    for example in &found.examples {
        assert!(example.after.rms < 0.1 * example.before.rms, "{} {:?}", example.name, example.after);
        assert!(example.after.p95 <= example.after.largest && example.before.largest > 0.01);
    }
    session.apply(ToolCommand::Apply);
    assert!(pairs(&session) != before);
    session.apply(EditCommand::Undo);
    assert!(pairs(&session) == before, "it is one step");
}

#[test]
fn a_pose_is_taken_anew_a_sculpt_replaces_the_one_of_its_name_and_what_does_not_fit_is_refused() {
    let (mut session, meshes) = lost();
    session.apply(ToolCommand::Choose(Some(SOLVE.id)));
    session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes: meshes.clone() }));
    let examples = |session: &Session| session.tools().settings.examples.to_vec();
    assert!(examples(&session).iter().all(|example| example.pose_name == "Posed"));
    session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
    session.apply(PlaybackCommand::Seek(0.5));
    session.apply(ToolCommand::Sculpts(SculptCommand::TakePose(1)));
    let taken = examples(&session);
    let clip = session.model().unwrap().clips[0].name.clone();
    assert!(taken[1].pose_name.starts_with(&format!("{clip} 0.500 s")), "{}", taken[1].pose_name);
    assert!(*taken[1].pose == session.pose().local && taken[1].pose != meshes[1].pose && taken[0] == meshes[0]);
    // What is edited is not in the clip.
    session.apply(ToolCommand::Sculpts(SculptCommand::TakeClip(1)));
    let of_clip = examples(&session);
    assert_eq!(of_clip[1].pose_name, format!("{clip} 0.500 s"));
    assert!(of_clip[1].pose != taken[1].pose);
    // Of one name there is one.
    session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes: meshes[1..].to_vec() }));
    assert!(examples(&session) == meshes);
    for number in 0..2 {
        session.apply(ToolCommand::Sculpts(SculptCommand::ToggleAside(number)));
    }
    let refused = |session: &Session| session.tools().outcome().unwrap().refused.clone().unwrap().to_string();
    assert!(refused(&session).contains("every example is kept aside"));
    let few = ExampleMesh { points: MeshPoints(Arc::from([glam::DVec3::ZERO])), ..meshes[0].clone() };
    session.apply(ToolCommand::Sculpts(SculptCommand::Clear));
    session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes: vec![few] }));
    assert!(refused(&session).contains("“Bent”: it has 1 vertices"), "{}", refused(&session));
    session.apply(ToolCommand::Sculpts(SculptCommand::Remove(0)));
    assert!(examples(&session).is_empty() && session.tools().outcome().unwrap().refused.is_none());
}

#[test]
fn another_model_has_no_examples() {
    let (mut session, meshes) = lost();
    session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes }));
    assert_eq!(session.tools().settings.examples.len(), 2);
    let document = open().document().unwrap().clone();
    session.open(document);
    assert!(session.tools().settings.examples.is_empty());
}
