//! Effects of layers in a session: each command is a step, session files keep them, and what a mirror hides is said.

use std::sync::Arc;

use skinscope_edit::{OPERATIONS, Sheet};
use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{MeshId, Model, ModelParts, NodeId};
use skinscope_paint::LayerId;
use skinscope_weights::{Stuck, difference};

use super::tests::{Rows, holding, now, set, stroke, touch};
use crate::tests::sessions::still_session;
use crate::{
    Command, Document, EditCommand, LayerCommand, PaintCommand, SelectionCommand, Session, SessionFile, ToolCommand,
    command_line, read_command,
};

fn apply(session: &mut Session, command: LayerCommand) {
    session.apply(PaintCommand::Layer(command));
}

/// A layer with a stroke in it.
fn painted() -> (Session, LayerId) {
    let mut session = holding("add");
    apply(&mut session, LayerCommand::Add("Skirt".to_owned()));
    let id = session.painting().layers().active().unwrap();
    stroke(&mut session, 40, 6);
    (session, id)
}

/// An effect: of which layer, its kind, whether it is on, and its values as bits.
type Said = (Option<LayerId>, &'static str, bool, Vec<u64>);

/// The weights, and what effects there are: of which layer, whether on, and their values.
fn state(session: &Session) -> (Rows, Vec<Said>) {
    let layers = session.painting().layers();
    let of_layers = layers.layers().iter().map(|layer| Some(layer.id())).chain([None]);
    let effects = of_layers.flat_map(|of| layers.effects_of(of).iter().map(move |effect| (of, effect)));
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    let said = effects.map(|(of, effect)| (of, effect.kind().id, effect.is_on(), bits(effect.values())));
    (now(session), said.collect())
}

#[test]
fn each_command_is_a_step_that_is_written_read_undone_and_done_again_to_the_bit() {
    let (mut session, id) = painted();
    let mut states = vec![state(&session)];
    for command in [
        LayerCommand::AddEffect(Some(id), "smooth".to_owned()),
        LayerCommand::SetEffect(Some(id), 0, "strength".to_owned(), 0.1 + 0.2),
        LayerCommand::SetEffect(Some(id), 0, "passes".to_owned(), 3.0),
        LayerCommand::AddEffect(Some(id), "limit".to_owned()),
        LayerCommand::SetEffect(Some(id), 1, "most-joints".to_owned(), 1.0),
        LayerCommand::MoveEffect(Some(id), 1, 0),
        LayerCommand::AddEffect(None, "prune".to_owned()),
        LayerCommand::SwitchEffect(Some(id), 0, false),
        LayerCommand::RemoveEffect(Some(id), 0),
    ] {
        let whole = Command::from(PaintCommand::Layer(command.clone()));
        assert_eq!(read_command(&command_line(&whole)).unwrap(), whole);
        session.apply(whole);
        assert!(state(&session) != states[states.len() - 1], "{command:?}");
        states.push(state(&session));
    }
    assert!(states[1].0 != states[0].0 && states[3].0 != states[2].0);
    for want in states.iter().rev().skip(1) {
        session.apply(EditCommand::Undo);
        assert!(state(&session) == *want);
    }
    for want in &states[1..] {
        session.apply(EditCommand::Redo);
        assert!(state(&session) == *want);
    }
    // What there is not changes nothing.
    let last = state(&session);
    for command in [
        LayerCommand::AddEffect(Some(id), "blur".to_owned()),
        LayerCommand::RemoveEffect(Some(id), 7),
        LayerCommand::SetEffect(Some(id), 0, "colour".to_owned(), 1.0),
    ] {
        apply(&mut session, command);
    }
    assert!(state(&session) == last);
}

#[test]
fn a_stroke_under_effects_is_undone_to_the_bit_and_a_session_file_keeps_all() {
    let (mut session, id) = painted();
    session.apply(ToolCommand::ToggleLock(NodeId(4)));
    apply(&mut session, LayerCommand::AddEffect(Some(id), "smooth".to_owned()));
    session.apply(ToolCommand::UnlockAll);
    apply(&mut session, LayerCommand::AddEffect(None, "mirror".to_owned()));
    let before = state(&session);
    stroke(&mut session, 60, 5);
    let after = state(&session);
    assert!(after != before);
    session.apply(EditCommand::Undo);
    assert!(state(&session) == before);
    session.apply(EditCommand::Redo);
    assert!(state(&session) == after);
    let text = session.unsaved().snapshot().unwrap().file().text().unwrap();
    let file = SessionFile::parse(text.as_bytes()).unwrap();
    let model = Arc::clone(session.document().unwrap().stored());
    let mut again = Session::default();
    let lines = again.open_with_session(Document::new(model, Vec::new(), None), &file);
    assert_eq!(lines, Vec::<String>::new());
    assert!(state(&again) == after);
    assert!(again.unsaved().snapshot().unwrap().file().text().unwrap() == text);
    for session in [&mut session, &mut again] {
        apply(session, LayerCommand::SetEffect(Some(id), 0, "strength".to_owned(), 0.9));
        assert_eq!(session.painting().layers().layers().len(), 1, "nothing else has changed the weights");
    }
    assert!(state(&again) == state(&session) && now(&again) != after.0);
}

#[test]
fn a_touch_that_a_locked_joint_refuses_under_an_effect_is_no_step() {
    let mut session = holding("add");
    apply(&mut session, LayerCommand::Add(String::new()));
    let id = session.painting().layers().active().unwrap();
    apply(&mut session, LayerCommand::AddEffect(Some(id), "smooth".to_owned()));
    session.apply(ToolCommand::ToggleLock(NodeId(3)));
    // Without sums the brush itself leaves the locked joint alone, and the effect does not.
    set(&mut session, |settings| (settings.normalise, settings.radius) = (false, 0.01));
    let (mut changed, mut refused) = (0, 0);
    for vertex in (0..now(&session).len()).step_by(3) {
        touch(&mut session, vertex);
        let report = session.painting().last_stroke().unwrap();
        changed += usize::from(report.changed > 0);
        refused += usize::from(report.changed == 0 && report.stuck.iter().any(|(why, _)| *why == Stuck::NoSlot));
    }
    assert!(refused > 0, "{changed}");
    let mut undone = 0;
    while session.history().can_undo() {
        session.apply(EditCommand::Undo);
        undone += 1;
    }
    assert_eq!(undone, 2 + changed);
}

#[test]
fn what_is_painted_on_the_side_that_a_mirror_hides_is_said_and_shown_where_one_asks_for_it() {
    let mut session = holding("add");
    apply(&mut session, LayerCommand::Add(String::new()));
    apply(&mut session, LayerCommand::AddEffect(None, "mirror".to_owned()));
    let base = now(&session);
    let positions = &session.model().unwrap().meshes[0].primitives[0].positions;
    let left = (0..positions.len()).find(|v| positions[*v].x < -0.24 && positions[*v].y > 0.5).unwrap();
    touch(&mut session, left);
    assert!(now(&session) == base);
    let note = session.painting().note().unwrap().clone();
    assert_eq!(
        (note.text.as_str(), note.ways[0].0.as_str()),
        ("A mirror shows the other side here", "Mirror this side instead")
    );
    session.apply(note.ways[0].1.clone());
    let shown = now(&session);
    let changed = |sign: f32| {
        let positions = &session.model().unwrap().meshes[0].primitives[0].positions;
        (0..base.len()).filter(|v| sign * positions[*v].x > 0.1 && shown[*v] != base[*v]).count()
    };
    assert!(changed(-1.0) > 0 && changed(1.0) == changed(-1.0));
}

/// How far the weights of the canvas are from those of the model, at most.
fn apart(session: &Session) -> f64 {
    let model = session.edited_weights().edited_model().unwrap();
    let (shown, mut composed) = (Sheet::of(model), Sheet::of(model));
    session.painted_weights().unwrap().write_into(&mut composed);
    let (mut one, mut other, mut most) = (Vec::new(), Vec::new(), 0.0_f64);
    for (shown, composed) in shown.tables.iter().zip(&composed.tables) {
        for row in 0..shown.vertices() {
            shown.shares(row, &mut one);
            composed.shares(row, &mut other);
            most = most.max(difference(&one, &other));
        }
    }
    most
}

#[test]
fn after_every_tool_the_layers_make_the_weights_of_the_model_under_effects_masks_and_a_layer_alone() {
    let (mut session, low) = painted();
    apply(&mut session, LayerCommand::Add("High".to_owned()));
    let high = session.painting().layers().active().unwrap();
    stroke(&mut session, 50, 8);
    let marked = VertexSet::from_vertices((40..160).map(|vertex| (MeshId(0), 0, vertex)).collect());
    session.apply(SelectionCommand::Mark(Arc::new(marked)));
    apply(&mut session, LayerCommand::MaskMarked(low));
    apply(&mut session, LayerCommand::AddEffect(Some(high), "smooth".to_owned()));
    apply(&mut session, LayerCommand::AddEffect(None, "mirror".to_owned()));
    let mut changed = 0;
    for alone in [None, Some(low), Some(high)] {
        apply(&mut session, LayerCommand::Solo(alone));
        for operation in OPERATIONS {
            let before = state(&session);
            session.apply(ToolCommand::Choose(Some(operation.id)));
            session.apply(ToolCommand::Apply);
            session.apply(ToolCommand::Cancel);
            if now(&session) == before.0 {
                continue;
            }
            changed += 1;
            assert!(apart(&session) < 1e-5, "{} with {alone:?} alone: {}", operation.id, apart(&session));
            session.apply(EditCommand::Undo);
            assert!(state(&session) == before, "{} with {alone:?} alone", operation.id);
            assert_eq!(session.painting().layers().solo(), alone);
        }
    }
    assert!(changed > 6, "{changed} tools have changed something");
}

/// A tube that bulges towards +X, the more the higher, so that it has a plane of symmetry across Z alone; "joint 1" is painted.
pub(super) fn bulging() -> Session {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 6, ..Tube::default() }));
    for point in &mut parts.meshes[0].primitives[0].positions {
        point.x += 2.0 * point.z * point.z * (1.0 + point.y);
    }
    let mut session = still_session(Model::build(parts).unwrap());
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    set(&mut session, |settings| settings.front_only = false);
    session
}

#[test]
fn a_mirror_begins_across_the_axis_across_which_the_model_is_symmetric() {
    let axis = |session: &Session| session.painting().layers().effects().first().map(|effect| effect.values()[0]);
    let mut session = bulging();
    apply(&mut session, LayerCommand::Add(String::new()));
    apply(&mut session, LayerCommand::AddEffect(None, "mirror".to_owned()));
    assert!(session.painting().note().is_none());
    assert_eq!(axis(&session), Some(2.0));
    session.apply(EditCommand::Undo);
    assert_eq!(axis(&session), None);
    // Of several that are as good it is the first.
    let mut session = holding("add");
    apply(&mut session, LayerCommand::Add(String::new()));
    apply(&mut session, LayerCommand::AddEffect(None, "mirror".to_owned()));
    assert_eq!(axis(&session), Some(0.0));
}
