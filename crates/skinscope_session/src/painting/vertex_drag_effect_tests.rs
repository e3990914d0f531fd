//! Vertices that are dragged where effects change what layers have: they are solved through the effects, or it is said why they cannot be, with a
//! way out.

use glam::DVec3;
use skinscope_inspect::VertexRef;
use skinscope_model::{InstanceId, NodeId};

use super::tests::{now, set};
use super::vertex_drag_tests::{VERTEX, drag, dragging};
use super::{LayerCommand, PaintCommand};
use crate::{EditCommand, SelectionCommand, Session, ToolCommand};

fn apply(session: &mut Session, command: LayerCommand) {
    session.apply(PaintCommand::Layer(command));
}

/// Opens a bent tube with a layer in hand which has an effect, or of which all layers have one, with these values of its parameters.
fn with_effect(of_layer: bool, kind: &str, values: &[(&str, f64)]) -> Session {
    let mut session = dragging();
    apply(&mut session, LayerCommand::Add("Detail".to_owned()));
    let of = session.painting().layers().active().filter(|_| of_layer);
    apply(&mut session, LayerCommand::AddEffect(of, kind.to_owned()));
    for (parameter, value) in values {
        apply(&mut session, LayerCommand::SetEffect(of, 0, (*parameter).to_owned(), *value));
    }
    assert_eq!(session.painting().layers().effects_of(of).len(), 1);
    session
}

fn drawn_at(session: &mut Session, vertex: usize) -> DVec3 {
    session.update_pose();
    session.surfaces().surface().unwrap().parts[0].deformed.positions[vertex].as_dvec3()
}

/// Returns where the pinned vertex is drawn, and the place farthest from there to which one of its joints alone would take it.
fn way(session: &mut Session, vertex: usize) -> (DVec3, DVec3) {
    let start = drawn_at(session, vertex);
    let ghosts = session.painting().vertex_drag().ghosts(session.model().unwrap(), &session.pose().local);
    let far = ghosts.into_iter().max_by(|a, b| a.distance(start).total_cmp(&b.distance(start)));
    (start, far.unwrap())
}

/// Drags the pinned vertex, and returns whether it has come there. Where it has not, it is said why, and something can be done about it. Where it is
/// and how far away is said as it is drawn.
fn comes(session: &mut Session, vertex: usize, wanted: DVec3) -> bool {
    drag(session, &[wanted]);
    let at = drawn_at(session, vertex);
    let pin = &session.painting().vertex_drag().pins()[0];
    assert!(pin.landed().distance(at) < 1e-4, "{} {at}", pin.landed());
    assert!((pin.away() - at.distance(wanted)).abs() < 1e-4, "{} {}", pin.away(), at.distance(wanted));
    match session.painting().note() {
        None => {
            assert!(at.distance(wanted) < 3e-4, "{}", at.distance(wanted));
            true
        }
        Some(note) => {
            assert!(!note.text.is_empty() && !note.ways.is_empty(), "{note:?}");
            false
        }
    }
}

/// Drags the vertex by these shares of the way to where one of its joints alone would take it, and returns which of these places it has reached.
fn reached(session: &mut Session, shares: &[f64]) -> Vec<bool> {
    let (start, end) = way(session, VERTEX);
    assert!(start.distance(end) > 0.1, "{start} {end}");
    shares.iter().map(|share| comes(session, VERTEX, start.lerp(end, *share))).collect()
}

#[test]
fn a_drag_is_solved_through_smoothing_where_that_leaves_it_a_way() {
    for of_layer in [true, false] {
        for (radius, passes) in [(0.0, 1.0), (0.4, 1.0), (0.4, 3.0)] {
            let mut session = with_effect(of_layer, "smooth", &[("strength", 0.5), ("passes", passes)]);
            set(&mut session, |settings| settings.radius = radius);
            assert_eq!(reached(&mut session, &[0.1, 0.2]), [true, true], "{of_layer} {radius} {passes}");
        }
        // The mean of the vertices around, which stay: nothing that the layer has there is seen.
        let mut session = with_effect(of_layer, "smooth", &[("strength", 1.0)]);
        set(&mut session, |settings| settings.radius = 1e-3);
        assert_eq!(reached(&mut session, &[0.3]), [false]);
        let note = session.painting().note().unwrap().clone();
        assert!(note.text.contains("part of the way"), "{}", note.text);
        let (label, command) = note.ways[0].clone();
        assert_eq!(label, if of_layer { "Switch Smooth of Detail off" } else { "Switch Smooth of all layers off" });
        let wanted = session.painting().vertex_drag().pins()[0].target();
        session.apply(command);
        assert!(comes(&mut session, VERTEX, wanted), "the way out leads out");
    }
}

#[test]
fn what_is_pruned_or_limited_is_as_near_as_that_lets_it_come() {
    for of_layer in [true, false] {
        let mut session = with_effect(of_layer, "prune", &[("threshold", 0.2)]);
        assert_eq!(reached(&mut session, &[0.03, 0.06, 0.5]), [false, false, true], "{of_layer}");
        // Of one joint only its own place is left; of two the way between their places.
        let mut session = with_effect(of_layer, "limit", &[("most-joints", 1.0)]);
        assert_eq!(reached(&mut session, &[0.3, 0.9, 1.0]), [false, false, true], "{of_layer}");
        let mut session = with_effect(of_layer, "limit", &[("most-joints", 2.0)]);
        assert_eq!(reached(&mut session, &[0.3, 0.5, 0.9]), [true, true, true], "{of_layer}");
    }
}

#[test]
fn a_drag_under_effects_is_one_step_and_only_where_it_ends_counts() {
    let mut session = with_effect(true, "smooth", &[]);
    set(&mut session, |settings| settings.radius = 0.4);
    let before = now(&session);
    let (start, end) = way(&mut session, VERTEX);
    let places: Vec<DVec3> = (1..5).map(|step| start.lerp(end, 0.05 * f64::from(step))).collect();
    drag(&mut session, &places);
    let after = now(&session);
    assert!(after != before);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == before && session.painting().vertex_drag().pins().is_empty());
    session.apply(EditCommand::Redo);
    assert!(now(&session) == after && session.painting().vertex_drag().pins().len() == 1);
    session.apply(EditCommand::Undo);
    drag(&mut session, &places[3..]);
    assert!(now(&session) == after);
}

#[test]
fn on_the_side_that_a_mirror_hides_nothing_changes_and_the_way_out_is_said() {
    for of_layer in [true, false] {
        let mut session = with_effect(of_layer, "mirror", &[]);
        let positions = session.model().unwrap().meshes[0].primitives[0].positions.clone();
        let beside = |sign: f32| positions.iter().position(|at| sign * at.x > 0.2 && (at.y - 1.0).abs() < 0.2).unwrap();
        let put = |session: &mut Session, vertex: usize, share: f64| {
            let pinned = VertexRef { instance: InstanceId::from_index(0), primitive: 0, vertex };
            session.apply(SelectionCommand::Pin(Some(pinned)));
            let (start, end) = way(session, vertex);
            comes(session, vertex, start.lerp(end, share))
        };
        let (left, right, before) = (beside(-1.0), beside(1.0), now(&session));
        assert!(!put(&mut session, left, 0.3), "{of_layer}");
        assert!(now(&session) == before, "what would not be seen is not put into the layer");
        let note = session.painting().note().unwrap().clone();
        assert!(note.text.contains("shows the other side here"), "{}", note.text);
        assert!(put(&mut session, right, 0.3), "{of_layer}");
        let mirrored = now(&session).iter().zip(&before).filter(|(a, b)| a != b).count();
        assert!(mirrored >= 2, "the other side follows");
        session.apply(note.ways[0].1.clone());
        assert!(put(&mut session, left, 0.4), "{of_layer}");
        assert!(!put(&mut session, right, 0.4), "{of_layer}");
    }
}

#[test]
fn locked_joints_keep_their_bits_under_effects() {
    for of_layer in [true, false] {
        let mut session = with_effect(of_layer, "smooth", &[]);
        set(&mut session, |settings| settings.radius = 0.4);
        let weights = |session: &Session, joint: u16| -> Vec<u32> {
            let of =
                |row: &Vec<(u16, u32)>| row.iter().find(|pair| pair.0 == joint && pair.1 != 0).map_or(0, |pair| pair.1);
            now(session).iter().map(of).collect()
        };
        let before = weights(&session, 1);
        session.apply(ToolCommand::ToggleLock(NodeId(2)));
        let (start, end) = way(&mut session, VERTEX);
        comes(&mut session, VERTEX, start.lerp(end, 0.2));
        assert!(weights(&session, 1) == before, "{of_layer}");
    }
}
