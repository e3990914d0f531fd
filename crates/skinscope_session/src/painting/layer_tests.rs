//! Layers in a session: switched off they leave the bits from before, each command is a step, and session files keep them.

use std::sync::Arc;

use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, tube, with_vertices};
use skinscope_model::{MeshId, Model, ModelParts, NodeId};
use skinscope_paint::LayerId;

use super::tests::{Rows, holding, now, set, stroke, touch};
use crate::{
    Command, Document, EditCommand, LayerCommand, PaintCommand, SelectionCommand, Session, SessionFile, ToolCommand,
    command_line, read_command,
};

fn apply(session: &mut Session, command: LayerCommand) {
    session.apply(PaintCommand::Layer(command));
}

/// Adds a layer, and returns its number.
fn add(session: &mut Session, name: &str) -> LayerId {
    apply(session, LayerCommand::Add(name.to_owned()));
    session.painting().layers().active().unwrap()
}

/// The weights, and the layers with their names, switches and opacities.
fn state(session: &Session) -> (Rows, Vec<(String, bool, u64)>) {
    let layers = session.painting().layers().layers().iter();
    let said = layers.map(|layer| (layer.name().to_owned(), layer.is_on(), layer.opacity().to_bits()));
    (now(session), said.collect())
}

#[test]
fn a_layer_that_is_off_leaves_the_bits_from_before_and_each_command_is_a_step() {
    let mut session = holding("add");
    stroke(&mut session, 20, 5);
    let base = now(&session);
    let mut states = vec![state(&session)];
    let id = add(&mut session, "Elbow");
    states.push(state(&session));
    assert!(now(&session) == base);
    stroke(&mut session, 40, 8);
    states.push(state(&session));
    let painted = now(&session);
    assert!(painted != base);
    assert_eq!(session.painting().recorded().strokes.len(), 1, "a file of strokes knows no layers");
    for (command, wanted) in [
        (LayerCommand::SetOn(id, false), Some(&base)),
        (LayerCommand::SetOn(id, true), Some(&painted)),
        (LayerCommand::SetOpacity(id, 0.0), Some(&base)),
        (LayerCommand::SetOpacity(id, 0.5), None),
        (LayerCommand::Rename(id, "Knee".to_owned()), None),
        (LayerCommand::Duplicate(id), None),
        (LayerCommand::MergeDown(LayerId(1)), None),
        (LayerCommand::Remove(id), Some(&base)),
    ] {
        let whole = Command::from(PaintCommand::Layer(command.clone()));
        assert_eq!(read_command(&command_line(&whole)).unwrap(), whole);
        session.apply(whole);
        assert!(wanted.is_none_or(|wanted| now(&session) == *wanted), "{command:?}");
        assert!(state(&session) != states[states.len() - 1], "{command:?}");
        states.push(state(&session));
    }
    for want in states.iter().rev().skip(1) {
        session.apply(EditCommand::Undo);
        assert!(state(&session) == *want);
    }
    for want in &states[1..] {
        session.apply(EditCommand::Redo);
        assert!(state(&session) == *want);
    }
}

#[test]
fn a_stroke_into_a_layer_that_is_given_up_leaves_everything_and_what_is_selected_is_no_step() {
    let mut session = holding("add");
    let id = add(&mut session, "");
    stroke(&mut session, 40, 4);
    let before = state(&session);
    session.apply(EditCommand::BeginEdit);
    (0..6).for_each(|i| touch(&mut session, 60 + i));
    apply(&mut session, LayerCommand::SetOpacity(id, 0.25));
    assert!(state(&session) != before);
    session.apply(EditCommand::CancelEdit);
    assert!(state(&session) == before);
    apply(&mut session, LayerCommand::Select(None));
    stroke(&mut session, 90, 4);
    apply(&mut session, LayerCommand::SetOn(id, false));
    let base = now(&session);
    apply(&mut session, LayerCommand::Remove(id));
    assert!(now(&session) == base && session.painting().layers().is_empty());
    // The layer, two strokes, the switch and the removal.
    (0..5).for_each(|_| _ = session.apply(EditCommand::Undo));
    assert!(!session.history().can_undo() && !session.model().unwrap().is_edited());
}

#[test]
fn what_a_tool_does_to_painted_vertices_is_a_layer_of_its_own() {
    let mut session = holding("add");
    add(&mut session, "Mine");
    stroke(&mut session, 40, 6);
    let before = state(&session);
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ToolCommand::Apply);
    session.apply(ToolCommand::Cancel);
    let smoothed = now(&session);
    assert!(smoothed != before.0);
    let layers = session.painting().layers().layers();
    assert_eq!(layers.iter().map(|layer| layer.name()).collect::<Vec<_>>(), ["Mine", "Changes by tools"]);
    let others = layers[1].id();
    session.apply(EditCommand::Undo);
    assert!(state(&session) == before);
    session.apply(EditCommand::Redo);
    assert!(now(&session) == smoothed);
    apply(&mut session, LayerCommand::SetOn(others, false));
    let painted = |rows: &Rows| (0..rows.len()).filter(|v| rows[*v] == before.0[*v]).count();
    assert!(painted(&now(&session)) > painted(&smoothed), "what was painted is there again");
}

#[test]
fn a_session_file_keeps_layers_to_the_bit() {
    let mut session = holding("add");
    stroke(&mut session, 20, 4);
    let base = now(&session);
    let id = add(&mut session, "Skirt");
    stroke(&mut session, 40, 6);
    apply(&mut session, LayerCommand::SetOpacity(id, 0.3));
    assert_eq!(session.unsaved().unsaved_work().layers, 1);
    let text = session.unsaved().snapshot().unwrap().file().text().unwrap();
    let file = SessionFile::parse(text.as_bytes()).unwrap();
    let model = Arc::clone(session.document().unwrap().stored());
    let mut again = Session::default();
    let lines = again.open_with_session(Document::new(model, Vec::new(), None), &file);
    assert_eq!(lines, Vec::<String>::new());
    assert!(state(&again) == state(&session) && !again.unsaved().has_unsaved_work());
    assert!(again.unsaved().snapshot().unwrap().file().text().unwrap() == text);
    for session in [&mut session, &mut again] {
        apply(session, LayerCommand::SetOn(id, false));
        assert!(now(session) == base);
        apply(session, LayerCommand::SetOn(id, true));
        apply(session, LayerCommand::SetOpacity(id, 0.7));
        assert_eq!(session.painting().layers().layers().len(), 1, "nothing else has changed the weights");
    }
    assert!(now(&again) == now(&session));
}

#[test]
fn a_layer_that_could_not_be_seen_says_so_and_what_helps() {
    let mut session = holding("add");
    let low = add(&mut session, "Low");
    let high = add(&mut session, "High");
    let base = now(&session);
    for (command, said) in [
        (LayerCommand::SetOn(high, false), "High is off"),
        (LayerCommand::SetOpacity(high, 0.0), "High has an opacity of 0"),
        (LayerCommand::Solo(Some(low)), "High is not shown, but Low alone"),
    ] {
        apply(&mut session, command);
        touch(&mut session, 40);
        let note = session.painting().note().unwrap().clone();
        assert_eq!(note.text, said);
        assert!(now(&session) == base);
        session.apply(note.ways[0].1.clone());
    }
    touch(&mut session, 40);
    assert!(session.painting().note().is_none() && now(&session) != base);
}

#[test]
fn locked_joints_keep_their_bits_in_a_layer_and_a_mask_says_where_it_is() {
    let of = |rows: &Rows, joint: u16| -> Vec<u32> {
        let weight = |row: &Vec<(u16, u32)>| row.iter().find(|pair| pair.0 == joint && pair.1 != 0).map_or(0, |p| p.1);
        rows.iter().map(weight).collect()
    };
    let mut session = holding("add");
    session.apply(ToolCommand::ToggleLock(NodeId(3)));
    let base = now(&session);
    let id = add(&mut session, "");
    apply(&mut session, LayerCommand::SetOpacity(id, 0.5));
    set(&mut session, |settings| settings.max_influences = None);
    stroke(&mut session, 40, 30);
    let painted = now(&session);
    assert!(painted != base && of(&painted, 2) == of(&base, 2));
    let marked = VertexSet::from_vertices((0..60).map(|vertex| (MeshId(0), 0, vertex)).collect());
    session.apply(SelectionCommand::Mark(Arc::new(marked)));
    apply(&mut session, LayerCommand::MaskMarked(id));
    let masked = now(&session);
    let last = masked.len() - 20;
    assert!(masked[..60] == painted[..60] && masked[last..] == base[last..] && masked != painted);
    apply(&mut session, LayerCommand::RemoveMask(id));
    assert!(now(&session) == painted);
    apply(&mut session, LayerCommand::EraseMarked(id));
    let erased = now(&session);
    assert!(erased[..60] == base[..60] && erased[last..] == painted[last..] && erased != painted);
}

#[test]
fn over_a_newer_version_layers_stay_where_vertices_have_the_same_numbers_and_no_joint_becomes_another() {
    let of_file = |model: &Model| {
        let model = Model::build(ModelParts::clone(model)).unwrap();
        Document::new(Arc::new(model), Vec::new(), Some("model.glb".into()))
    };
    let model = tube(Tube { joints: 6, ..Tube::default() });
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let reversed = with_vertices(&model, &(0..count).rev().collect::<Vec<u32>>());
    let shorter = tube(Tube { joints: 4, ..Tube::default() });
    for (version, layers, to) in [(&model, 1, Some(NodeId(6))), (&reversed, 0, Some(NodeId(6))), (&shorter, 0, None)] {
        let mut session = Session::default();
        session.open(of_file(&model));
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.apply(PaintCommand::Hold(Some("add".to_owned())));
        set(&mut session, |settings| (settings.front_only, settings.to) = (false, Some(NodeId(6))));
        let id = add(&mut session, "Off");
        stroke(&mut session, 40, 4);
        apply(&mut session, LayerCommand::SetOn(id, false));
        session.open(of_file(version));
        assert_eq!((session.painting().layers().layers().len(), session.painting().settings().to), (layers, to));
    }
}
