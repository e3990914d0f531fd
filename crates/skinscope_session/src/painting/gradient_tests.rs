//! Floods, and gradients by a drag: these begin and end beside the model too, have no ring, and say where they touch nothing.

use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_frame::Frame;
use skinscope_inspect::VertexSet;
use skinscope_model::MeshId;

use super::tests::{by_file, holding, now, set};
use crate::frame::SceneColors;
use crate::{CameraCommand, PaintCommand, PaintDrag, SelectionCommand, Session, ViewFrom};

/// The middle of the picture, where the tube is, and two of its sides, where it is not.
const MIDDLE: Vec2 = Vec2::splat(200.0);
const LEFT: Vec2 = Vec2::new(10.0, 200.0);
const RIGHT: Vec2 = Vec2::new(390.0, 230.0);

fn from_front(brush: &str) -> Session {
    let mut session = holding(brush);
    session.apply(CameraCommand::SetViewport(2.0 * MIDDLE));
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    session
}

#[test]
fn an_end_beside_the_model_is_as_deep_as_the_other_one_or_as_the_pivot() {
    let session = from_front("add");
    assert!(session.paint_hit(LEFT).is_none() && session.paint_hit(RIGHT).is_none());
    let hit = session.paint_hit(MIDDLE).unwrap();
    let view = session.view();
    let depth = |at: Vec3| at.dot(Vec3::from(view.world_from_view().matrix3.z_axis));
    let is_at = |at: Vec3, pixel: Vec2| view.project(at).unwrap().distance(pixel) < 0.1;
    let [from, until] = session.gradient_ends(None, [LEFT, MIDDLE]).unwrap();
    assert_eq!((until.position, until.scene), (hit.position, hit.scene));
    assert!(is_at(from.position, LEFT) && (depth(from.position) - depth(hit.position)).abs() < 1e-4);
    let [there, back] = session.gradient_ends(Some(&hit), [MIDDLE, LEFT]).unwrap();
    assert_eq!((there, back), (until, from));
    let ends = session.gradient_ends(None, [LEFT, RIGHT]).unwrap();
    for (end, pixel) in ends.into_iter().zip([LEFT, RIGHT]) {
        assert!(is_at(end.position, pixel) && (depth(end.position) - depth(view.orbit.target)).abs() < 1e-4);
    }
}

#[test]
fn a_gradient_that_begins_beside_the_model_paints_what_it_reaches_and_a_file_gives_the_same() {
    for radial in [false, true] {
        let mut session = from_front("replace");
        let positions = session.surfaces().surface().unwrap().parts[0].deformed.positions.clone();
        let before = now(&session);
        let [from, until] = session.gradient_ends(None, [LEFT, MIDDLE]).unwrap();
        session.apply(PaintCommand::Gradient { from: from.scene, until: until.scene, radial });
        let after = now(&session);
        let line = until.position - from.position;
        let share = |at: Vec3| match radial {
            true => at.distance(from.position) / line.length(),
            false => (at - from.position).dot(line) / line.length_squared(),
        };
        let changed: Vec<usize> = (0..after.len()).filter(|v| after[*v] != before[*v]).collect();
        assert!(!changed.is_empty() && session.painting().note().is_none());
        assert!(changed.iter().all(|v| share(positions[*v]) < 1.0), "radial {radial}");
        assert!(after == by_file(&session, Path::new("")), "radial {radial}");
    }
}

#[test]
fn a_gradient_that_touches_nothing_says_so() {
    let mut session = holding("add");
    let before = now(&session);
    let far = PaintCommand::Gradient { from: [50.0, 0.0, 0.0], until: [50.0, 1.0, 0.0], radial: true };
    let note = |session: &Session| session.painting().note().cloned().unwrap_or_default();
    session.apply(far.clone());
    assert_eq!(note(&session).text, "The gradient touches no vertex that can be painted");
    let marked = VertexSet::from_vertices((0..9).map(|vertex| (MeshId(0), 0, vertex)).collect());
    session.apply(SelectionCommand::Mark(Arc::new(marked)));
    session.apply(far);
    let said = note(&session);
    assert_eq!(said.text, "The gradient touches none of the marked vertices");
    session.apply(said.ways[0].1.clone());
    assert!(session.view().marked.is_empty());
    assert!(now(&session) == before && !session.painting().is_painting());
    assert!(session.painting().recorded().strokes.is_empty());
}

#[test]
fn where_drags_paint_gradients_no_ring_is_drawn() {
    let mut session = from_front("add");
    let lines = |session: &Session| {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame.lines.len()
    };
    let without = lines(&session);
    session.apply(PaintCommand::Hover(Some(MIDDLE)));
    assert!(lines(&session) > without);
    for drag in [PaintDrag::Linear, PaintDrag::Radial] {
        set(&mut session, |settings| settings.drag = drag);
        assert_eq!(lines(&session), without);
    }
}

#[test]
fn a_flood_has_the_strength_of_the_brush_and_paints_what_looks_away_too() {
    let painted = |front_only: bool, strength: f64| {
        let mut session = from_front("replace");
        set(&mut session, |all| (all.front_only, all.strength) = (front_only, strength));
        session.apply(PaintCommand::Flood);
        assert!(now(&session) == by_file(&session, Path::new("")));
        now(&session)
    };
    let half = painted(true, 0.5);
    assert!(half == painted(false, 0.5) && half != painted(true, 1.0));
    assert!(half != now(&holding("replace")));
}
