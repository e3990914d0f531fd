//! Vertices that are dragged where layers make the weights: what comes of it goes into the layer in hand.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_model::NodeId;
use skinscope_paint::LayerId;

use super::tests::{Rows, now};
use super::vertex_drag_tests::{VERTEX, between, drag, dragging, drawn, turn};
use super::{LayerCommand, PaintCommand};
use crate::{Document, EditCommand, Session, SessionFile, ToolCommand};

fn apply(session: &mut Session, command: LayerCommand) {
    session.apply(PaintCommand::Layer(command));
}

/// Opens a bent tube with layers of these names, of which the last one is in hand.
fn layered(names: &[&str]) -> (Session, Vec<LayerId>) {
    let mut session = dragging();
    let mut ids = Vec::new();
    for name in names {
        apply(&mut session, LayerCommand::Add((*name).to_owned()));
        ids.push(session.painting().layers().active().unwrap());
    }
    (session, ids)
}

fn names(session: &Session) -> Vec<&str> {
    session.painting().layers().layers().iter().map(|layer| layer.name()).collect()
}

fn note(session: &Session) -> &str {
    session.painting().note().map_or("", |note| note.text.as_str())
}

/// How far the vertex is drawn from where the pin says that it has landed, and what the pin says of the distance to where it should be.
fn told(session: &mut Session) -> (f64, f64) {
    let at = drawn(session);
    let pin = &session.painting().vertex_drag().pins()[0];
    (pin.landed().distance(at), pin.away())
}

#[test]
fn a_drag_goes_into_the_layer_in_hand_and_without_it_the_bytes_are_as_before() {
    let (mut session, ids) = layered(&["Detail"]);
    let before = now(&session);
    let way: Vec<DVec3> = (1..5).map(|step| between(&session, 0.1 * f64::from(step))).collect();
    drag(&mut session, &way);
    let after = now(&session);
    assert!(drawn(&mut session).distance(way[3]) < 3e-4 && note(&session).is_empty(), "{}", note(&session));
    let mut plain = dragging();
    drag(&mut plain, &way);
    assert!(after == now(&plain), "the weights are those of a drag without layers");
    assert_eq!(names(&session), ["Detail"]);
    apply(&mut session, LayerCommand::SetOn(ids[0], false));
    assert!(now(&session) == before);
    apply(&mut session, LayerCommand::SetOn(ids[0], true));
    assert!(now(&session) == after);
    // Both switches, and the drag as one step.
    (0..3).for_each(|_| _ = session.apply(EditCommand::Undo));
    assert!(now(&session) == before && names(&session) == ["Detail"]);
    assert!(session.painting().vertex_drag().pins().is_empty());
    session.apply(EditCommand::Redo);
    assert!(now(&session) == after && session.painting().vertex_drag().pins().len() == 1);
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::BeginEdit);
    way.iter().for_each(|to| {
        let to = super::VertexDragCommand::To(to.to_array());
        session.apply(PaintCommand::DragVertex(to));
    });
    session.apply(EditCommand::CancelEdit);
    assert!(now(&session) == before && session.painting().vertex_drag().pins().is_empty());
    // What comes of a drag is only where it ends.
    drag(&mut session, &way[3..]);
    assert!(now(&session) == after && names(&session) == ["Detail"]);
}

#[test]
fn a_layer_makes_up_for_its_opacity_and_says_where_it_cannot() {
    let (mut session, ids) = layered(&["Half"]);
    apply(&mut session, LayerCommand::SetOpacity(ids[0], 0.5));
    let before = now(&session);
    let (start, end) = (drawn(&mut session), between(&session, 0.0));
    let near = start.lerp(end, 0.2);
    drag(&mut session, &[near]);
    assert!(drawn(&mut session).distance(near) < 3e-4 && note(&session).is_empty(), "{}", note(&session));
    // All of the way needs more than half of a layer can give.
    drag(&mut session, &[end]);
    let (apart, away) = told(&mut session);
    assert!(note(&session).contains("part of the way"), "{}", note(&session));
    assert!(apart < 1e-4 && away > 0.1 * start.distance(end), "{apart} {away}");
    assert!(drawn(&mut session).distance(end) < near.distance(end), "it comes as near as it can");
    // One that is off takes nothing, and says so.
    apply(&mut session, LayerCommand::SetOn(ids[0], false));
    assert!(now(&session) == before);
    drag(&mut session, &[near]);
    assert!(now(&session) == before && note(&session) == "Half is off");
}

#[test]
fn layers_above_hide_a_drag_and_one_that_is_shown_alone_takes_it() {
    let (mut session, ids) = layered(&["Low", "High"]);
    let wanted = between(&session, 0.3);
    drag(&mut session, &[wanted]);
    let at = drawn(&mut session);
    apply(&mut session, LayerCommand::Select(Some(ids[0])));
    let farther = between(&session, 0.6);
    drag(&mut session, &[farther]);
    assert!(note(&session).contains("Layers above Low hide it"), "{}", note(&session));
    assert!(drawn(&mut session).distance(at) < 1e-9);
    let (apart, away) = told(&mut session);
    assert!(apart < 1e-4 && away > 1e-3, "{apart} {away}");
    // Alone it takes the drag; the other one does not while it is not shown.
    apply(&mut session, LayerCommand::Solo(Some(ids[0])));
    let other = between(&session, 0.6);
    drag(&mut session, &[other]);
    assert!(drawn(&mut session).distance(other) < 3e-4 && note(&session).is_empty(), "{}", note(&session));
    let (steps, before) = (session.history().can_redo(), now(&session));
    apply(&mut session, LayerCommand::Select(Some(ids[1])));
    drag(&mut session, &[wanted]);
    assert!(note(&session).contains("High is not shown, but Low alone"), "{}", note(&session));
    assert!(now(&session) == before && session.history().can_redo() == steps);
    apply(&mut session, LayerCommand::Solo(None));
    assert!(drawn(&mut session).distance(at) < 1e-4 && names(&session) == ["Low", "High"]);
    // The base below both is a layer too.
    apply(&mut session, LayerCommand::SetOn(ids[0], false));
    apply(&mut session, LayerCommand::SetOn(ids[1], false));
    apply(&mut session, LayerCommand::Select(None));
    drag(&mut session, &[other]);
    assert!(drawn(&mut session).distance(other) < 3e-4 && names(&session) == ["Low", "High"]);
}

/// The bits of the weight of a joint of the skin at each vertex.
fn weights(rows: &Rows, joint: u16) -> Vec<u32> {
    let of = |row: &Vec<(u16, u32)>| row.iter().find(|pair| pair.0 == joint && pair.1 != 0).map_or(0, |pair| pair.1);
    rows.iter().map(of).collect()
}

#[test]
fn locked_joints_never_change_by_a_bit() {
    for opacity in [1.0, 0.6] {
        let (mut session, ids) = layered(&["Detail"]);
        apply(&mut session, LayerCommand::SetOpacity(ids[0], opacity));
        let before = now(&session);
        let joint = before[VERTEX].iter().find(|pair| pair.1 != 0).unwrap().0;
        let node: NodeId = session.model().unwrap().skins[0].joints[usize::from(joint)];
        session.apply(ToolCommand::ToggleLock(node));
        turn(&mut session, Vec3::new(40.0, 20.0, 0.0));
        let way: Vec<DVec3> = (0..4).map(|step| between(&session, 0.3 * f64::from(step))).collect();
        drag(&mut session, &way);
        drag(&mut session, &way[..2]);
        assert!(weights(&now(&session), joint) == weights(&before, joint), "opacity {opacity}");
    }
}

#[test]
fn several_poses_are_solved_in_one_layer_and_session_files_keep_it() {
    let (mut session, ids) = layered(&["Detail"]);
    let before = now(&session);
    let first = between(&session, 0.4);
    drag(&mut session, &[first]);
    turn(&mut session, Vec3::new(0.0, 0.0, 70.0));
    let second = between(&session, 0.4);
    drag(&mut session, &[second]);
    let after = now(&session);
    assert!(session.painting().vertex_drag().pins().len() == 2 && names(&session) == ["Detail"]);
    let text = session.unsaved().snapshot().unwrap().file().text().unwrap();
    let file = SessionFile::parse(text.as_bytes()).unwrap();
    let model = Arc::clone(session.document().unwrap().stored());
    let mut again = Session::default();
    assert_eq!(again.open_with_session(Document::new(model, Vec::new(), None), &file), Vec::<String>::new());
    assert!(now(&again) == after && names(&again) == ["Detail"]);
    for session in [&mut session, &mut again] {
        apply(session, LayerCommand::SetOn(ids[0], false));
        assert!(now(session) == before);
        apply(session, LayerCommand::SetOn(ids[0], true));
        assert!(now(session) == after);
    }
    // Another layer begins with the weights as they are.
    apply(&mut session, LayerCommand::Add("Other".to_owned()));
    let third = between(&session, 0.2);
    drag(&mut session, &[third]);
    assert!(now(&session) != after);
    let other = session.painting().layers().active().unwrap();
    apply(&mut session, LayerCommand::SetOn(other, false));
    assert!(now(&session) == after);
}
