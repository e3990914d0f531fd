//! A method that is baked into weights: tried, applied as one step, told by vertex, compared with the method, and given up.

use std::sync::Arc;

use glam::Vec3;
use skinscope_base::parallel::JobContext;
use skinscope_edit::{LinkSettings, Settings, bakes_kept_poses};
use skinscope_inspect::{PerVertex, overlay};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{LocalPose, MeshId, NodeId, WeightChange};

use super::sessions::still_session;
use crate::*;

/// The id of the tool.
const BAKE: &str = "bake-method";

fn open() -> Session {
    still_session(tube(Tube { joints: 4, rings: 24, ..Tube::default() }))
}

/// Settings of few poses: turned joints and moments of clips (0), turned joints (1), moments of clips (2) or poses that were kept (3).
fn few(over: u32) -> Settings {
    let values = [("bake-poses".to_owned(), 24.0), ("bake-over".to_owned(), f64::from(over))];
    Settings { values: values.into(), ..Settings::default() }
}

/// Bends the tube.
fn bend(session: &mut Session, degrees: f32) {
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::new(degrees, 0.0, 0.0))));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

/// What an overlay shows.
fn shown(session: &Session, id: &str) -> Arc<PerVertex> {
    session.vertex_values(overlay(id).unwrap()).unwrap()
}

#[test]
fn what_is_left_is_shown_while_a_method_is_tried_and_once_it_is_baked() {
    let mut session = open();
    let nothing = |session: &Session| shown(session, "bake-left").values.iter().flatten().flatten().all(|v| *v < 0.0);
    assert!(nothing(&session) && session.edited_weights().left().is_none());
    assert!(Arc::ptr_eq(&shown(&session, "bake-left"), &shown(&session, "bake-left")), "each picture has the same");
    session.apply(ToolCommand::Set(Arc::new(few(0))));
    session.apply(ToolCommand::Choose(Some(BAKE)));
    let baked = Arc::clone(session.edited_weights().baked().unwrap());
    assert!(baked.gain.percent().unwrap() > 0.0 && !session.history().can_undo());
    for (id, left) in ["bake-left", "bake-left-largest"].into_iter().zip(&baked.left) {
        assert!(Arc::ptr_eq(&shown(&session, id), left), "{id}");
    }
    session.apply(ToolCommand::Apply);
    assert!(session.history().can_undo() && !session.tools().is_trying());
    assert!(Arc::ptr_eq(session.edited_weights().baked().unwrap(), &baked));
    // The tool may be put away.
    session.apply(ToolCommand::TogglePanel);
    assert!(Arc::ptr_eq(&shown(&session, "bake-left"), &baked.left[0]));
    session.apply(EditCommand::Undo);
    assert!(session.model().unwrap().weight_edits().is_empty(), "it is one step");
    assert!(nothing(&session), "of these weights nothing is known");
    session.apply(EditCommand::Redo);
    assert!(Arc::ptr_eq(&shown(&session, "bake-left"), &baked.left[0]), "the weights are those of the result again");
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(200, &[0], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    assert!(nothing(&session), "these are others");
    session.apply(EditCommand::Undo);
    assert!(Arc::ptr_eq(&shown(&session, "bake-left"), &baked.left[0]));
}

#[test]
fn linear_blending_by_the_new_weights_is_compared_with_the_method_by_those_from_before() {
    let mut session = open();
    bend(&mut session, 70.0);
    let pose = Arc::new(session.pose().local.clone());
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("linear"));
    session.apply(ComparisonCommand::SetPass(Some("mush")));
    session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    let apart = |session: &mut Session| {
        session.update_pose();
        session.prepare();
        let values = shown(session, "distance");
        let squares = values.values.iter().flatten().flatten().map(|metres| f64::from(*metres).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let before = apart(&mut session);
    session.apply(ToolCommand::Set(Arc::new(Settings { poses: vec![pose], ..few(3) })));
    session.apply(ToolCommand::Choose(Some(BAKE)));
    assert_eq!(session.edited_weights().baked().unwrap().poses, 1);
    session.apply(ToolCommand::Apply);
    let after = apart(&mut session);
    assert!(before > 0.01 && after < 0.95 * before, "{before} {after}");
    // The step is shown by the overlay of changes too.
    assert!(shown(&session, "changed").values.iter().flatten().flatten().any(|share| *share > 0.0));
}

#[test]
fn a_method_is_baked_into_a_layer_where_that_is_chosen() {
    let mut session = open();
    session.apply(ToolCommand::Set(Arc::new(few(1))));
    session.apply(ToolCommand::ToggleAsLayer);
    session.apply(ToolCommand::Choose(Some(BAKE)));
    session.apply(ToolCommand::Apply);
    let names: Vec<&str> = session.painting().layers().layers().iter().map(|layer| layer.name()).collect();
    assert_eq!(names, ["Bake method"]);
    session.apply(EditCommand::Undo);
    assert!(session.painting().layers().is_empty() && !session.history().can_undo());
}

#[test]
fn baking_is_left_to_others_begins_once_a_drag_has_ended_and_is_given_up() {
    let mut session = open();
    session.defer_work();
    session.apply(ToolCommand::Set(Arc::new(few(1))));
    session.apply(ToolCommand::Choose(Some(BAKE)));
    let tries = |session: &mut Session| {
        let wanted = session.wanted();
        wanted.into_iter().find(|work| matches!(work, Work::TryTool(..)))
    };
    let first = tries(&mut session).unwrap();
    assert_eq!(first.notice(), Some(("Bake a method into weights".to_owned(), ToolCommand::Cancel.into())));
    session.apply(EditCommand::BeginEdit);
    session.apply(ToolCommand::Set(Arc::new(few(2))));
    assert!(tries(&mut session).is_none() && session.waits_to_find());
    session.apply(EditCommand::EndEdit);
    let work = tries(&mut session).unwrap();
    let done = session.begin(&work).unwrap()(&JobContext::of_waiting()).unwrap();
    session.done(done);
    assert!(session.edited_weights().baked().is_some() && tries(&mut session).is_none());
    session.apply(ToolCommand::Set(Arc::new(few(1))));
    assert!(tries(&mut session).is_some());
    session.apply(ToolCommand::Cancel);
    assert!(tries(&mut session).is_none() && !session.tools().is_trying());
}

#[test]
fn poses_that_were_kept_are_kept_in_text_and_forgotten_with_the_model() {
    let mut session = open();
    bend(&mut session, 30.0);
    let settings = Settings { poses: vec![Arc::new(session.pose().local.clone())], ..few(3) };
    assert!(bakes_kept_poses(&settings) && !bakes_kept_poses(&few(2)));
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    session.apply(ToolCommand::Set(Arc::new(settings)));
    session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    assert!(session.tools().settings.poses.is_empty());
}

#[test]
fn poses_that_were_kept_stay_those_of_their_joints_where_a_joint_gains_links() {
    let mut session = still_session(tube(Tube { joints: 3, rings: 25, length: 3.0, ..Tube::default() }));
    bend(&mut session, 30.0);
    let kept = Arc::new(session.pose().local.clone());
    session.apply(ToolCommand::Set(Arc::new(Settings { poses: vec![Arc::clone(&kept)], ..few(3) })));
    let links = LinkSettings { angle: Some(150.0), ..LinkSettings::default() };
    session.apply(EditCommand::InsertLinks(NodeId(2), links));
    let model = Arc::clone(session.model().unwrap());
    assert!(!model.links.is_empty(), "it has gained links");
    let now = Arc::clone(&session.tools().settings.poses[0]);
    assert_eq!(now.transforms.len(), model.skeleton.len());
    let turned = |pose: &LocalPose, rest: &LocalPose| -> Vec<usize> {
        (0..rest.transforms.len()).filter(|node| pose.transforms[*node] != rest.transforms[*node]).collect()
    };
    let name = |node: &usize| model.skeleton.names[*node].clone();
    let names: Vec<String> = turned(&now, &model.skeleton.rest).iter().map(name).collect();
    session.apply(EditCommand::Undo);
    let plain = Arc::clone(session.model().unwrap());
    let before: Vec<String> =
        turned(&kept, &plain.skeleton.rest).iter().map(|node| plain.skeleton.names[*node].clone()).collect();
    assert!(before.len() == 1 && names == before, "{names:?}");
    assert!(session.tools().settings.poses == [kept], "the links are gone again");
}

#[test]
fn what_a_file_tells_of_is_shown_for_the_open_weights_alone() {
    let mut session = open();
    let model = Arc::clone(session.model().unwrap());
    let told = [0.5, 2.0].map(|mm| {
        let count = model.meshes[0].primitives[0].stored_vertices;
        Arc::new(PerVertex { values: vec![vec![vec![mm; count]]] })
    });
    session.keep_left(told.clone());
    for (id, left) in ["bake-left", "bake-left-largest"].into_iter().zip(&told) {
        assert!(Arc::ptr_eq(&shown(&session, id), left), "{id}");
    }
    session.apply(ToolCommand::Choose(Some("smooth")));
    assert!(session.edited_weights().left().is_none(), "other weights are tried");
}
