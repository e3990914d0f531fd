//! Meshes without a skin that a tool binds: worked out in the background, previewed in every pose, given up, done and taken back.

use std::sync::Arc;

use glam::Vec3;
use skinscope_base::parallel::JobContext;
use skinscope_edit::{Settings, bind_root, set_bind_mesh};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, InstanceId, MeshId, Model, ModelParts, NodeId};

use crate::*;

/// The id of the tool.
const BIND: &str = "bind";

/// A tube without a skin whose joints are nodes beside it.
fn bare() -> Session {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session
}

/// Where the vertices of the tube are shown.
fn surface(session: &mut Session) -> Vec<Vec3> {
    session.update_pose();
    let surface = session.surfaces().surface().unwrap();
    let part = surface.part(InstanceId(0), 0).unwrap();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    (0..count).map(|vertex| part.position(vertex, 0).unwrap()).collect()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn skins(session: &Session) -> usize {
    session.model().unwrap().skins.len()
}

/// Turns the last node, which is the last joint.
fn bend(session: &mut Session) {
    let last = session.model().unwrap().skeleton.len() - 1;
    let turned = ChannelValue::Rotation(Vec3::new(0.0, 0.0, 60.0));
    session.apply(EditCommand::Edit(NodeId::from_index(last), turned));
    session.apply(EditCommand::EndEdit);
}

#[test]
fn a_mesh_without_a_skin_is_tried_in_every_pose_and_bound_in_one_step() {
    let mut session = bare();
    let rest = surface(&mut session);
    session.apply(ToolCommand::Choose(Some(BIND)));
    assert!(bind_root(session.edited_weights().edited_model().unwrap(), &session.tools().settings).is_some());
    assert!(session.tools().outcome().unwrap().refused.is_none() && skins(&session) == 1);
    assert!(!session.history().can_undo() && !session.unsaved().has_unsaved_skinning(), "it is no edit yet");
    assert!(farthest(&rest, &surface(&mut session)) < 1e-5);
    bend(&mut session);
    let bent = surface(&mut session);
    assert!(farthest(&rest, &bent) > 0.01, "the preview follows the pose");
    // What is given up leaves the mesh as it was.
    session.apply(ToolCommand::Cancel);
    assert!(skins(&session) == 0 && farthest(&rest, &surface(&mut session)) < 1e-6);
    assert_eq!(session.take_examination(), Some(Examination::Check));
    session.apply(ToolCommand::Choose(Some(BIND)));
    session.apply(ToolCommand::Apply);
    assert!(skins(&session) == 1 && session.unsaved().unsaved_work().bindings == 1);
    assert!(farthest(&bent, &surface(&mut session)) < 1e-6);
    assert!(session.edited_weights().just_bound().len() == 1 && !session.tools().is_trying());
    assert_eq!(session.take_examination(), Some(Examination::CheckAndMotion));
    session.apply(EditCommand::Undo);
    assert!(skins(&session) == 0 && session.edited_weights().just_bound().is_empty());
    session.apply(EditCommand::Redo);
    assert_eq!(skins(&session), 1);
}

#[test]
fn binding_is_work_in_the_background_whose_stages_are_said_and_which_is_cancelled() {
    let mut session = bare();
    session.defer_work();
    session.apply(ToolCommand::Choose(Some(BIND)));
    assert_eq!(skins(&session), 0);
    let find = |session: &mut Session| session.wanted().into_iter().find(|work| matches!(work, Work::TryTool(..)));
    let work = find(&mut session).unwrap();
    let stages: Vec<_> = [0.0, 0.5, 0.75].map(|done| work.stage(done).unwrap()).to_vec();
    assert!(stages[0] != stages[1] && stages[1] != stages[2], "{stages:?}");
    let run = session.begin(&work).unwrap();
    let (_, cancel) = work.notice().unwrap();
    session.apply(cancel);
    assert!(find(&mut session).is_none());
    // What ends too late is of no use.
    session.done(run(&JobContext::of_waiting()).unwrap());
    assert!(skins(&session) == 0 && !session.tools().is_trying());
    session.apply(ToolCommand::Choose(Some(BIND)));
    session.apply(ToolCommand::Apply);
    session.do_wanted();
    assert!(skins(&session) == 1 && session.history().can_undo());
}

#[test]
fn a_drag_of_a_setting_is_tried_once_when_it_ends_and_shows_the_preview_from_before_meanwhile() {
    let mut session = bare();
    session.defer_work();
    session.apply(ToolCommand::Choose(Some(BIND)));
    assert!(session.edited_weights().awaits_outcome());
    session.do_wanted();
    assert!(skins(&session) == 1 && !session.edited_weights().awaits_outcome());
    let shown = Arc::clone(session.model().unwrap());
    let settings = Arc::clone(&session.tools().settings);
    let smooth = |times: f64| {
        let mut now = Settings::clone(&settings);
        now.values.insert("bind-smooth".to_owned(), times);
        ToolCommand::Set(Arc::new(now))
    };
    let tries = |session: &mut Session| session.wanted().iter().any(|work| matches!(work, Work::TryTool(..)));
    session.apply(EditCommand::BeginEdit);
    for times in [1.0, 2.0, 5.0] {
        session.apply(smooth(times));
        assert!(!tries(&mut session) && session.waits_to_find() && session.edited_weights().awaits_outcome());
        session.do_wanted();
        assert!(Arc::ptr_eq(session.model().unwrap(), &shown), "what was found before is shown");
    }
    session.apply(EditCommand::EndEdit);
    assert!(tries(&mut session) && !session.waits_to_find());
    session.do_wanted();
    assert!(!session.edited_weights().awaits_outcome() && !Arc::ptr_eq(session.model().unwrap(), &shown));
    assert!(skins(&session) == 1 && !session.history().can_undo());
}

#[test]
fn meshes_without_a_skin_are_bound_one_after_the_other() {
    let mut parts: ModelParts = (***bare().model().unwrap()).clone();
    let again = parts.meshes[0].clone();
    parts.meshes.push(again);
    parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    let bound = |session: &Session| -> Vec<bool> {
        session.model().unwrap().instances.iter().map(|instance| instance.skin.is_some()).collect()
    };
    session.apply(ToolCommand::Choose(Some(BIND)));
    assert_eq!(bound(&session), [true, true], "all are tried at first");
    let mut settings = Settings::clone(&session.tools().settings);
    set_bind_mesh(&mut settings, 1, true);
    session.apply(ToolCommand::Set(Arc::new(settings)));
    assert_eq!(bound(&session), [false, true]);
    session.apply(ToolCommand::Apply);
    assert_eq!(bound(&session), [false, true]);
    assert!(session.edited_weights().just_bound().len() == 1 && !session.tools().is_trying());
    // Once more for what is left.
    session.apply(ToolCommand::Apply);
    assert_eq!(bound(&session), [true, true]);
    assert!(session.tools().outcome().is_none_or(|outcome| outcome.refused.is_none()));
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert_eq!(bound(&session), [false, false]);
}

#[test]
fn an_edit_while_a_skin_is_tried_is_one_of_the_mesh_without_it() {
    let mut session = bare();
    bend(&mut session);
    session.apply(ToolCommand::Choose(Some(BIND)));
    assert_eq!(skins(&session), 1);
    session.apply(EditCommand::Undo);
    assert!(skins(&session) == 0 && session.edits().is_empty());
    assert!(!session.history().can_undo() && session.history().can_redo());
}

#[test]
fn another_model_that_becomes_the_active_one_knows_nothing_of_a_skin_that_is_tried() {
    let mut session = bare();
    session.open_beside(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    session.apply(ToolCommand::Choose(Some(BIND)));
    assert_eq!(skins(&session), 1);
    session.apply(BesideCommand::Activate);
    assert!(session.tools().operation.is_none() && session.take_examination().is_none());
    session.apply(BesideCommand::Activate);
    assert!(session.tools().is_trying() && skins(&session) == 1);
}

#[test]
fn weights_that_were_found_become_a_layer_in_one_step() {
    let mut session = Session::default();
    let model = tube(Tube { joints: 4, ..Tube::default() });
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    session.apply(ToolCommand::ToggleAsLayer);
    session.apply(ToolCommand::Choose(Some(BIND)));
    let vertices = session.tools().outcome().unwrap().vertices;
    session.apply(ToolCommand::Apply);
    let layers = session.painting().layers().clone();
    assert!(vertices > 0 && layers.layers().len() == 1 && session.unsaved().unsaved_vertices() > 0);
    assert_eq!(session.edited_weights().just_bound().len(), 1);
    session.apply(EditCommand::Undo);
    assert!(session.painting().layers().is_empty() && session.unsaved().unsaved_vertices() == 0);
    assert!(!session.history().can_undo());
    session.apply(EditCommand::Redo);
    assert!(session.painting().layers().is_same_as(&layers));
}

#[test]
fn the_difference_to_the_weights_before_is_an_overlay_and_each_binding_is_a_layer() {
    let mut session = Session::default();
    let model = tube(Tube { joints: 4, ..Tube::default() });
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ToolCommand::Apply);
    let before = Arc::clone(session.model().unwrap());
    session.apply(ToolCommand::ToggleAsLayer);
    session.apply(ToolCommand::Choose(Some(BIND)));
    session.apply(ToolCommand::Apply);
    assert!(Arc::ptr_eq(session.edited_weights().weights_before().unwrap(), &before));
    session.apply(ToolCommand::CompareBefore);
    assert_eq!(session.view().overlay.map(|overlay| overlay.id), Some("changed"));
    assert!(Arc::ptr_eq(session.deforming().compared_with().unwrap(), &before));
    let differs = session.measurements().changed_weights().unwrap();
    assert!(differs.values.iter().flatten().flatten().any(|value| *value > 0.01));
    // Another binding is another layer over the first one.
    let mut settings = Settings::clone(&session.tools().settings);
    settings.values.insert("bind-smooth".to_owned(), 12.0);
    session.apply(ToolCommand::Set(Arc::new(settings)));
    session.apply(ToolCommand::Apply);
    assert_eq!(session.painting().layers().layers().len(), 2);
    session.apply(EditCommand::Undo);
    assert_eq!(session.painting().layers().layers().len(), 1);
    assert!(session.edited_weights().weights_before().is_none(), "it was taken back");
    // A mesh that gains a skin had no weights.
    let mut session = bare();
    session.apply(ToolCommand::Choose(Some(BIND)));
    session.apply(ToolCommand::Apply);
    assert!(skins(&session) == 1 && session.edited_weights().weights_before().is_none());
    let differs = session.measurements().changed_weights().unwrap();
    let values = &differs.values[0][0];
    assert!(!values.is_empty() && values.iter().all(|value| *value == 1.0), "all of its weights are new: {:?} of {}", values.first(), values.len());
}
