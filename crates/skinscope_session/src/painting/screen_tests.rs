//! Dabs that measure distances in the picture: they touch what is seen, and a file of strokes gives the same to the bit.

use std::path::Path;

use glam::{Vec2, Vec3};
use skinscope_frame::{Frame, OVERLAYS};
use skinscope_paint::Distance;

use super::tests::{Rows, by_file, holding, now, set};
use crate::frame::SceneColors;
use crate::{
    CameraCommand, ComparisonCommand, EditCommand, LayerCommand, PaintCommand, PaintDab, PlaybackCommand, Session,
    ViewFrom,
};

/// The middle of the picture.
const MIDDLE: Vec2 = Vec2::splat(200.0);

/// A tube from the front, which is painted on the screen.
fn from_front(brush: &str) -> Session {
    let mut session = holding(brush);
    session.apply(CameraCommand::SetViewport(2.0 * MIDDLE));
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    session.apply(CameraCommand::FrameAll);
    set(&mut session, |all| {
        (all.distance, all.radius, all.front_only) = (Distance::Screen, 0.2, true);
        all.falloff = "linear".to_owned();
    });
    session.update_pose();
    session
}

/// Touches what is seen at a point of the picture.
fn touch_at(session: &mut Session, pixel: Vec2) {
    session.update_pose();
    let position = session.paint_hit(pixel).unwrap().scene;
    session.apply(PaintCommand::Dab(PaintDab { position, pressure: 0.8, flips: false, smooths: false }));
}

fn positions(session: &Session) -> Vec<Vec3> {
    session.surfaces().surface().unwrap().parts[0].deformed.positions.clone()
}

/// How far the changed vertices were from the middle in the picture, pixels, and whether they were on the near side of the tube.
fn changed(session: &Session, (before, positions): (&Rows, &[Vec3])) -> Vec<(f32, bool)> {
    let now = now(session);
    let view = session.view();
    let nearness = |at: Vec3| view.projector().nearness(at);
    let changed = (0..now.len()).filter(|v| now[*v] != before[*v]).map(|v| positions[v]);
    changed.map(|at| (view.project(at).unwrap().distance(MIDDLE), nearness(at) > nearness(at * Vec3::Y))).collect()
}

#[test]
fn a_dab_touches_what_is_seen_within_the_circle_and_with_all_faces_what_is_hidden_too() {
    let mut session = from_front("add");
    let (before, positions) = (now(&session), positions(&session));
    let place = session.paint_hit(MIDDLE).unwrap().position;
    let view = session.view();
    let across = Vec3::from(view.world_from_view().matrix3.x_axis) * 0.2;
    let radius = view.project(place).unwrap().distance(view.project(place + across).unwrap());
    touch_at(&mut session, MIDDLE);
    let seen = changed(&session, (&before, &positions));
    assert!(!seen.is_empty() && seen.iter().all(|(apart, near)| *apart <= radius * 1.001 && *near));
    session.apply(EditCommand::Undo);
    assert!(now(&session) == before);
    set(&mut session, |all| all.front_only = false);
    touch_at(&mut session, MIDDLE);
    let all = changed(&session, (&before, &positions));
    assert!(all.len() > seen.len() && all.iter().any(|(_, near)| !near), "{} of {}", seen.len(), all.len());
    assert!(now(&session) == by_file(&session, Path::new("")));
}

#[test]
fn a_recorded_stroke_lists_what_each_dab_touched_and_gives_the_same_to_the_bit() {
    for (brush, accumulate) in [("add", false), ("average", true), ("average", false)] {
        let mut session = from_front(brush);
        set(&mut session, |all| all.accumulate = accumulate);
        session.apply(PlaybackCommand::SetPlaying(true));
        let before = now(&session);
        session.apply(EditCommand::BeginEdit);
        for i in 0..6 {
            session.apply(PlaybackCommand::Advance(0.013));
            touch_at(&mut session, MIDDLE + Vec2::new(0.0, 6.0 * i as f32));
        }
        session.apply(EditCommand::EndEdit);
        assert!(now(&session) != before, "{brush}");
        let strokes = &session.painting().recorded().strokes;
        assert_eq!((strokes.len(), &strokes[0].distance), (1, &None));
        let dabs = strokes[0].dabs.as_ref().unwrap();
        assert!(dabs.len() == 6 && dabs.iter().all(|dab| dab.weights.is_some() && dab.position.is_none()));
        assert!(now(&session) == by_file(&session, Path::new("")), "{brush}");
        session.apply(EditCommand::Undo);
        assert!(now(&session) == before && session.painting().recorded().strokes.is_empty());
    }
}

#[test]
fn a_circle_without_a_vertex_says_so_and_a_mask_is_painted_on_the_screen_too() {
    let mut session = from_front("subtract");
    let before = now(&session);
    set(&mut session, |all| all.radius = 1e-6);
    touch_at(&mut session, MIDDLE + Vec2::new(3.3, 2.7));
    assert!(now(&session) == before && !session.painting().is_painting());
    assert_eq!(session.painting().note().unwrap().text, "No vertex is seen within the circle");
    set(&mut session, |all| (all.radius, all.mask) = (0.2, true));
    session.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
    touch_at(&mut session, MIDDLE);
    let overlay = OVERLAYS.iter().find(|overlay| overlay.id == "layer-mask").unwrap();
    let mask = session.vertex_values(overlay).unwrap();
    let painted = mask.values[0][0].iter().filter(|share| **share < 1.0).count();
    assert!(painted > 0 && painted < mask.values[0][0].len());
}

#[test]
fn beside_the_line_of_a_comparison_only_the_side_with_the_brush_is_painted() {
    let mut session = from_front("add");
    let (before, positions) = (now(&session), positions(&session));
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("linear"));
    // The line goes through the middle.
    touch_at(&mut session, MIDDLE - Vec2::new(8.0, 0.0));
    let (now, view) = (now(&session), session.view());
    let changed = (0..now.len()).filter(|v| now[*v] != before[*v]).map(|v| view.project(positions[v]).unwrap());
    let changed: Vec<Vec2> = changed.collect();
    assert!(!changed.is_empty() && changed.iter().all(|at| at.x < MIDDLE.x), "{changed:?}");
}

#[test]
fn the_ring_is_a_circle_of_the_picture() {
    let mut session = from_front("add");
    session.apply(PaintCommand::Hover(Some(MIDDLE)));
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let view = session.view();
    let middle = view.project(session.paint_hit(MIDDLE).unwrap().position).unwrap();
    let apart = |line: &skinscope_frame::Line| view.project(line.from).unwrap().distance(middle);
    let ring: Vec<f32> = frame.lines.iter().filter(|line| line.width == 2.0).map(apart).collect();
    assert!(ring.len() > 20 && ring.iter().all(|apart| (apart / ring[0] - 1.0).abs() < 0.05), "{} pieces", ring.len());
}
