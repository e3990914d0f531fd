//! Tests of the undo history of the view.

use std::sync::Arc;

use skinscope_base::math::Ramp;
use skinscope_deform::{Deformer, PaletteBuffer, PaletteRows};
use skinscope_inspect::BoneShape;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{InstanceId, ModelParts, NodeId};

use crate::tests::sessions::tube_session;
use crate::view::view_history::MOST_STEPS;
use crate::*;

/// All of the view in words: two views with the same words are the same.
fn words(session: &Session) -> String {
    format!("{:?}", session.view())
}

/// A value of everything else that a command changes as a step of the view.
fn other_changes() -> Vec<ViewCommand> {
    vec![
        ViewCommand::SetOverlay(Some("weights")),
        ViewCommand::ToggleOverlay("dominant"),
        ViewCommand::SetLook("clay"),
        ViewCommand::StepLook(1),
        ViewCommand::SetToneMap("agx"),
        ViewCommand::Environment(EnvironmentCommand::Show(None)),
        ViewCommand::Environment(EnvironmentCommand::Show(Some("/no/such.hdr".into()))),
        ViewCommand::Environment(EnvironmentCommand::Turn(30.0)),
        ViewCommand::Environment(EnvironmentCommand::Expose(-1.5)),
        ViewCommand::SetInfluenceLimit(2),
        ViewCommand::SetDistanceScale(Some(0.5)),
        ViewCommand::SetRamp(Ramp::Viridis),
        ViewCommand::SetBoneShape(BoneShape::Lines),
        ViewCommand::SetBoneSize(2.0),
        ViewCommand::SetOnion(Onion { shown: true, count: 2, step_frames: 3.0 }),
        ViewCommand::ToggleDeformingOnly,
        ViewCommand::SetDeformingOnly(None),
        ViewCommand::SetSkinOpacity(0.25),
        ViewCommand::ToggleHidden(NodeId(2)),
        ViewCommand::HideSelected,
        ViewCommand::ShowAll,
        ViewCommand::SetMethod("dual-quaternion"),
        ViewCommand::SetPass(Some("mush")),
        ViewCommand::SetNormals("blended-inverse-transpose"),
        ViewCommand::SetParameter("mush-iterations", 3.0),
        ViewCommand::SetLighting(Lighting::Both),
        ViewCommand::SetAntialiasing(Antialiasing::Four),
        ViewCommand::SetPaletteBuffer(PaletteBuffer::Uniform),
        ViewCommand::SetPaletteRows(PaletteRows::Four),
        ViewCommand::SetDeformer(Deformer::Compute),
        ViewCommand::SetSubdivision(2),
        ViewCommand::ToggleSubdivideFirst,
    ]
}

#[test]
fn every_switch_is_undone_and_redone_apart_from_edits() {
    for row in TOGGLES {
        let mut session = tube_session();
        session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Translation(glam::Vec3::X)));
        session.apply(EditCommand::EndEdit);
        let edits = Arc::clone(session.edits());
        let start = words(&session);
        assert!(!session.view_history().can_undo(session.view()), "{}", row.label);
        session.apply(ViewCommand::Toggle(row.toggle));
        assert_eq!(session.view().is_on(row.toggle), !row.starts_on, "{}", row.label);
        let switched = words(&session);
        assert!(session.view_history().can_undo(session.view()) && !session.view_history().can_redo(session.view()));
        session.apply(ViewCommand::Undo);
        assert_eq!(words(&session), start, "{}", row.label);
        assert!(!session.view_history().can_undo(session.view()) && session.view_history().can_redo(session.view()));
        session.apply(ViewCommand::Redo);
        assert_eq!(words(&session), switched, "{}", row.label);
        assert!(Arc::ptr_eq(&edits, session.edits()), "edits stay");
        session.apply(EditCommand::Undo);
        assert!(session.edits().is_empty() && words(&session) == switched, "undoing an edit leaves the view alone");
    }
}

#[test]
fn every_other_change_of_the_look_is_undone_in_turn_and_redone() {
    let mut session = tube_session();
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    let mut states = vec![words(&session)];
    let toggles = TOGGLES.iter().map(|row| ViewCommand::Toggle(row.toggle));
    for command in other_changes().into_iter().chain(toggles) {
        session.apply(command.clone());
        assert_ne!(Some(&words(&session)), states.last(), "{command:?}");
        states.push(words(&session));
    }
    for state in states.iter().rev().skip(1) {
        session.apply(ViewCommand::Undo);
        assert_eq!(words(&session), *state);
    }
    assert!(!session.view_history().can_undo(session.view()));
    for state in &states[1..] {
        session.apply(ViewCommand::Redo);
        assert_eq!(words(&session), *state);
    }
    assert!(!session.view_history().can_redo(session.view()));
}

#[test]
fn a_drag_is_one_step_and_a_key_that_is_pressed_is_none() {
    let mut session = tube_session();
    let start = words(&session);
    (1..9).for_each(|i| _ = session.apply(ViewCommand::SetSkinOpacity(0.1 * i as f32)));
    (1..9).for_each(|i| _ = session.apply(ViewCommand::SetBoneSize(1.0 + 0.1 * i as f32)));
    session.apply(ViewCommand::Set(Toggle::Stored, true));
    session.apply(ViewCommand::Set(Toggle::Stored, false));
    session.apply(ViewCommand::Undo);
    assert!(session.view().bone_size == 1.0 && session.view().skin_opacity < 1.0);
    session.apply(ViewCommand::Undo);
    assert!(words(&session) == start && !session.view_history().can_undo(session.view()));
    // What is changed after a step back replaces what could be redone.
    session.apply(ViewCommand::Toggle(Toggle::Axes));
    assert!(!session.view_history().can_redo(session.view()));
}

#[test]
fn a_step_restores_what_it_has_changed_and_nothing_else() {
    let mut session = tube_session();
    session.apply(ViewCommand::Toggle(Toggle::Axes));
    session.apply(ViewCommand::SetOverlay(Some("weights")));
    // Another command changes the view as well: camera, selection, and a switch that a key switches.
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(CameraCommand::LookFrom(ViewFrom::Top));
    session.apply(ViewCommand::Set(Toggle::Grid, false));
    let before = session.view().orbit;
    session.apply(ViewCommand::Undo);
    session.apply(ViewCommand::Undo);
    let view = session.view();
    assert!(view.overlay.is_none() && !view.is_on(Toggle::Axes) && !view.is_on(Toggle::Grid));
    assert_eq!((view.selected, view.orbit), (Some(NodeId(2)), before));
    // A step that would change nothing is passed over.
    session.apply(ViewCommand::Toggle(Toggle::Names));
    session.apply(ViewCommand::Toggle(Toggle::Wireframe));
    session.apply(ViewCommand::Set(Toggle::Wireframe, false));
    session.apply(ViewCommand::Undo);
    assert!(!session.view().is_on(Toggle::Names) && !session.view_history().can_undo(session.view()));
}

#[test]
fn a_command_that_changes_nothing_is_no_step_and_ends_no_redo() {
    let mut session = tube_session();
    session.apply(ViewCommand::Toggle(Toggle::Axes));
    session.apply(ViewCommand::Undo);
    session.apply(ViewCommand::SetOverlay(None));
    assert!(session.view_history().can_redo(session.view()));
    session.apply(ViewCommand::Redo);
    assert!(session.view().is_on(Toggle::Axes));
}

#[test]
fn a_drag_after_a_step_back_is_a_step_of_its_own_and_so_is_that_of_another_parameter() {
    let mut session = tube_session();
    let opacity = session.view().skin_opacity;
    session.apply(ViewCommand::Toggle(Toggle::Axes));
    session.apply(ViewCommand::SetSkinOpacity(0.5));
    session.apply(ViewCommand::Undo);
    session.apply(ViewCommand::SetSkinOpacity(0.25));
    session.apply(ViewCommand::Undo);
    assert!(session.view().is_on(Toggle::Axes) && session.view().skin_opacity == opacity);
    session.apply(ViewCommand::SetParameter("mush-iterations", 3.0));
    let first = session.view().parameters.clone();
    session.apply(ViewCommand::SetParameter("mush-step", 0.25));
    assert_ne!(session.view().parameters, first);
    session.apply(ViewCommand::Undo);
    assert_eq!(session.view().parameters, first);
}

#[test]
fn a_step_that_would_change_nothing_now_can_be_neither_undone_nor_redone() {
    let mut session = tube_session();
    session.apply(ViewCommand::Toggle(Toggle::Wireframe));
    session.apply(ViewCommand::Set(Toggle::Wireframe, false));
    assert!(!session.view_history().can_undo(session.view()));
    session.apply(ViewCommand::Set(Toggle::Wireframe, true));
    assert!(session.view_history().can_undo(session.view()));
    session.apply(ViewCommand::Undo);
    session.apply(ViewCommand::Set(Toggle::Wireframe, true));
    assert!(!session.view_history().can_redo(session.view()));
}

#[test]
fn the_oldest_of_too_many_steps_are_left_out() {
    let mut session = tube_session();
    let count = MOST_STEPS + 3;
    (0..count).for_each(|_| _ = session.apply(ViewCommand::Toggle(Toggle::Axes)));
    let last = session.view().is_on(Toggle::Axes);
    for step in 0..MOST_STEPS {
        assert_eq!(session.view().is_on(Toggle::Axes), last == (step % 2 == 0), "{step}");
        session.apply(ViewCommand::Undo);
    }
    assert!(!session.view_history().can_undo(session.view()));
}

#[test]
fn the_surface_is_deformed_again_where_its_method_or_a_parameter_is_undone() {
    let mut session = tube_session();
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(glam::Vec3::new(0.0, 120.0, 60.0))));
    session.apply(EditCommand::EndEdit);
    let surface = |session: &mut Session| {
        session.update_pose();
        let surface = session.surfaces().surface().unwrap();
        surface.part(InstanceId(0), 0).unwrap().deformed.positions.clone()
    };
    let commands = [
        ViewCommand::SetMethod("dual-quaternion"),
        ViewCommand::SetMethod("mixed"),
        ViewCommand::SetParameter("mix", 0.125),
    ];
    for command in commands {
        let before = surface(&mut session);
        session.apply(command.clone());
        let after = surface(&mut session);
        assert_ne!(after, before, "{command:?}");
        session.apply(ViewCommand::Undo);
        assert_eq!(surface(&mut session), before, "{command:?}");
        session.apply(ViewCommand::Redo);
        assert_eq!(surface(&mut session), after, "{command:?}");
    }
}

#[test]
fn the_checker_runs_again_where_its_limit_is_undone() {
    let mut session = tube_session();
    let inspect = Some(Effect::Inspection(InspectionCommand::Inspect));
    assert_eq!(session.apply(ViewCommand::SetInfluenceLimit(2)), inspect);
    assert_eq!(session.apply(ViewCommand::Toggle(Toggle::Axes)), None);
    assert_eq!(session.apply(ViewCommand::Undo), None);
    assert_eq!(session.apply(ViewCommand::Undo), inspect);
    assert_eq!(session.apply(ViewCommand::Redo), inspect);
}

#[test]
fn the_history_ends_with_the_file_and_follows_hidden_nodes_into_a_newer_version_of_it() {
    let shape = Tube { joints: 3, ..Tube::default() };
    let document = |model: Model, path: &str| Document::new(Arc::new(model), Vec::new(), Some(path.into()));
    let mut session = Session::default();
    session.open(document(tube(shape), "a.glb"));
    session.apply(ViewCommand::ToggleHidden(NodeId(2)));
    let mut undone = session.clone();
    undone.apply(ViewCommand::Undo);
    session.apply(ViewCommand::ShowAll);
    // In the newer version two joints have exchanged their indices.
    let mut parts = ModelParts::clone(&tube(shape));
    parts.skeleton.names.swap(1, 2);
    let newer = || Model::build(parts.clone()).unwrap();
    for (session, command) in [(&mut session, ViewCommand::Undo), (&mut undone, ViewCommand::Redo)] {
        session.open(document(newer(), "a.glb"));
        session.apply(command);
        assert_eq!(session.view().hidden.iter().copied().collect::<Vec<_>>(), [NodeId(1)]);
    }
    [Toggle::Axes, Toggle::Names].into_iter().for_each(|toggle| _ = session.apply(ViewCommand::Toggle(toggle)));
    session.apply(ViewCommand::Undo);
    assert!(session.view_history().can_undo(session.view()) && session.view_history().can_redo(session.view()));
    session.open(document(tube(shape), "b.glb"));
    assert!(!session.view_history().can_undo(session.view()) && !session.view_history().can_redo(session.view()));
}
