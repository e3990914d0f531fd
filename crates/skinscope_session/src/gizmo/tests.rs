//! Tests of the gizmo: what is dragged follows the pointer.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec2, Vec3};
use skinscope_base::math::{Transform, Units};
use skinscope_model::test_shapes::obstacle_course;
use skinscope_model::{Model, ModelParts};

use super::*;
use crate::{CameraCommand, ChannelValue, Document, EditCommand, PlaybackCommand, PoseSource, Session, ViewFrom};

/// A session with one node of the model selected, in the rest pose.
fn open(parts: ModelParts, node: usize) -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(CameraCommand::SetViewport(Vec2::new(1000.0, 800.0)));
    session.apply(crate::SelectionCommand::Select(Some(NodeId::from_index(node))));
    session.update_pose();
    session.apply(CameraCommand::FrameAll);
    session
}

fn course() -> ModelParts {
    (*obstacle_course()).clone()
}

/// The obstacle course far away from the origin, its joints under a mirrored, unevenly scaled and turned parent.
fn far_and_sheared() -> ModelParts {
    let mut parts = course();
    let top = &mut parts.skeleton.rest.transforms[0];
    *top = Transform {
        translation: Vec3::new(4000.0, -30.0, 700.0),
        rotation: Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7),
        scale: Vec3::new(-1.5, 0.6, 2.0),
    };
    parts
}

fn world(session: &Session, node: NodeId) -> Affine3A {
    session.pose().model[node.index()]
}

/// Carries out a drag and returns the last value.
fn drag(session: &mut Session, mut drag: Drag, to: Vec2, snap: Snap) -> DragValue {
    let value = drag.to(to, snap);
    session.apply(EditCommand::Edit(drag.gizmo().node, value.value));
    session.update_pose();
    value
}

const TOOLS: [PoseTool; 3] = [PoseTool::Move, PoseTool::Turn, PoseTool::Scale];
const ORIENTATIONS: [Orientation; 3] = [Orientation::Local, Orientation::Parent, Orientation::World];

#[test]
fn a_drag_that_ends_where_it_began_changes_nothing() {
    for model in [course(), far_and_sheared()] {
        for (tool, orientation) in TOOLS.into_iter().flat_map(|t| ORIENTATIONS.map(|o| (t, o))) {
            let mut session = open(model.clone(), 4);
            let before = session.pose().local.transforms[4];
            let gizmo = session.gizmos().gizmo_of(tool, orientation, 1.0).unwrap();
            for shape in gizmo.shapes() {
                let at = shape.lines.first().or(Some(&shape.area)).and_then(|line| line.first()).copied().unwrap();
                let mut one = session.gizmos().begin_drag(gizmo.clone(), shape.handle, orientation, at).unwrap();
                one.to(at + Vec2::new(40.0, -23.0), Snap::Off);
                drag(&mut session, one, at, Snap::Off);
                let now = session.pose().local.transforms[4];
                let apart = (now.translation - before.translation).length() / (1.0 + before.translation.length())
                    + (now.scale - before.scale).length()
                    + (now.rotation * now.rotation.dot(before.rotation).signum() - before.rotation).length();
                assert!(apart < 1e-5, "{tool:?} {orientation:?} {:?}: {apart}", shape.handle);
            }
        }
    }
}

#[test]
fn what_is_moved_follows_the_pointer() {
    for model in [course(), far_and_sheared()] {
        for orientation in ORIENTATIONS {
            let mut session = open(model.clone(), 4);
            let gizmo = session.gizmos().gizmo_of(PoseTool::Move, orientation, 1.0).unwrap();
            let origin = gizmo.origin;
            let middle = gizmo.middle().unwrap();
            // A node that is moved in the plane of the picture is under the pointer afterwards.
            let one = session.gizmos().begin_drag(gizmo.clone(), Handle::View, orientation, middle).unwrap();
            drag(&mut session, one, middle + Vec2::new(120.0, 60.0), Snap::Off);
            let seen = session.gizmos().gizmo_of(PoseTool::Move, orientation, 1.0).unwrap().middle().unwrap();
            assert!(seen.distance(middle + Vec2::new(120.0, 60.0)) < 0.5, "{orientation:?} {seen}");
            session.apply(EditCommand::Undo);
            session.update_pose();
            // A node that is moved along an axis moves as far as the pointer goes along the axis in the picture.
            for i in 0..3 {
                let shapes = gizmo.shapes();
                let Some(shape) = shapes.iter().find(|s| s.handle == Handle::Axis(i)) else { continue };
                let (from, to) = (shape.lines[0][0], shape.lines[0][1]);
                let one = session.gizmos().begin_drag(gizmo.clone(), Handle::Axis(i), orientation, from).unwrap();
                drag(&mut session, one, to, Snap::Off);
                let way = world(&session, gizmo.node).translation.as_dvec3() - origin;
                let off = way - gizmo.axes[i] * way.dot(gizmo.axes[i]);
                assert!(off.length() < 2e-3 * way.length() + 1e-3 * gizmo.radius, "{orientation:?} {i} {off}");
                // The pointer goes from a fifth of the radius to where the head of the arrow begins.
                let radii = way.dot(gizmo.axes[i]) / gizmo.radius;
                assert!((radii - 0.66).abs() < 0.02, "{orientation:?} {i} {radii}");
                session.apply(EditCommand::Undo);
                session.update_pose();
            }
        }
    }
}

#[test]
fn a_ring_turns_by_the_angle_that_the_pointer_goes_round() {
    for model in [course(), far_and_sheared()] {
        for (orientation, from) in
            ORIENTATIONS.into_iter().flat_map(|o| [ViewFrom::Front, ViewFrom::Top, ViewFrom::Right].map(|v| (o, v)))
        {
            let mut session = open(model.clone(), 4);
            session.apply(CameraCommand::LookFrom(from));
            let gizmo = session.gizmos().gizmo_of(PoseTool::Turn, orientation, 1.0).unwrap();
            for i in 0..3 {
                let axis = gizmo.axes[i];
                let [x, y] = shapes::beside(axis);
                let at = |angle: f64| {
                    let position = (x * angle.cos() + y * angle.sin()) * gizmo.radius;
                    gizmo.sight.project(position).unwrap().as_vec2()
                };
                if axis.dot(gizmo.sight.toward_eye()).abs() < 0.25 {
                    continue;
                }
                let before = world(&session, gizmo.node);
                let mut one =
                    session.gizmos().begin_drag(gizmo.clone(), Handle::Axis(i), orientation, at(0.0)).unwrap();
                // The pointer makes more than a whole turn, in steps.
                for k in 1..=40 {
                    one.to(at(f64::from(k) * 0.2), Snap::Off);
                }
                let value = drag(&mut session, one, at(8.2), Snap::Off);
                assert!(value.label.contains("469.8°"), "{}", value.label);
                // In world space, a direction across the axis has turned by the same angle about it.
                if orientation == Orientation::World && model.skeleton.rest.transforms[0].scale == Vec3::ONE {
                    let turn = glam::DQuat::from_axis_angle(axis, 8.2);
                    let (was, is) =
                        (before.matrix3.y_axis.as_dvec3(), world(&session, gizmo.node).matrix3.y_axis.as_dvec3());
                    assert!((turn * was).distance(is) < 1e-3 * was.length(), "{from:?} {i}");
                }
                session.apply(EditCommand::Undo);
                session.update_pose();
            }
        }
    }
}

#[test]
fn a_ring_seen_from_the_side_turns_with_the_pointer_and_never_jumps() {
    let mut session = open(course(), 4);
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    let gizmo = session.gizmos().gizmo_of(PoseTool::Turn, Orientation::World, 1.0).unwrap();
    let middle = gizmo.middle().unwrap();
    for i in [0, 1] {
        let mut one = session.gizmos().begin_drag(gizmo.clone(), Handle::Axis(i), Orientation::World, middle).unwrap();
        let way = if i == 0 { Vec2::Y } else { Vec2::X };
        let mut last = 0.0;
        for k in 1..=300 {
            let value = one.to(middle + way * k as f32, Snap::Off);
            let ChannelValue::Quaternion(q) = value.value else { panic!() };
            let before = session.pose().local.transforms[4].rotation;
            let angle = (q * before.inverse()).to_axis_angle().1.to_degrees();
            let angle = angle.min(360.0 - angle);
            assert!((angle - last).abs() < 1.0, "{i} {k}: {last} then {angle}");
            last = if k < 200 { angle } else { last };
            if k >= 200 {
                break;
            }
        }
        // 199 pixels at 76 pixels for a radian are 150°.
        assert!((last - 150.0).abs() < 2.0, "{last}");
    }
}

#[test]
fn numbers_that_are_typed_and_snapping_are_the_value() {
    let mut session = open(course(), 4);
    let before = session.pose().local.transforms[4];
    let origin = world(&session, NodeId(4)).translation;
    for (tool, typed, want) in
        [(PoseTool::Turn, "-3.7", "Z [-3.7]°"), (PoseTool::Move, "0,25", "Z [0.25] m"), (PoseTool::Scale, "2", "Z [2]")]
    {
        let gizmo = session.gizmos().gizmo_of(tool, Orientation::Local, 1.0).unwrap();
        let mut one = session.gizmos().begin_drag(gizmo, Handle::Axis(2), Orientation::Local, Vec2::ZERO).unwrap();
        assert!(typed.chars().all(|c| one.type_char(c)) && !one.type_char('x'));
        let value = drag(&mut session, one, Vec2::new(300.0, 20.0), Snap::Off);
        assert_eq!(value.label, want);
        let now = session.pose().local.transforms[4];
        match tool {
            PoseTool::Turn => {
                let by = Quat::from_rotation_z(-3.7_f32.to_radians());
                assert!((before.rotation * by).dot(now.rotation).abs() > 1.0 - 1e-6);
            }
            PoseTool::Move => assert!(((world(&session, NodeId(4)).translation - origin).length() - 0.25).abs() < 1e-5),
            _ => assert!((now.scale - before.scale * Vec3::new(1.0, 1.0, 2.0)).length() < 1e-5),
        }
        session.apply(EditCommand::CancelEdit);
        session.update_pose();
        assert_eq!(session.pose().local.transforms[4], before);
    }
    assert!(!session.history().can_undo() && !session.history().can_redo());
    let gizmo = session.gizmos().gizmo_of(PoseTool::Turn, Orientation::Local, 1.0).unwrap();
    let mut one =
        session.gizmos().begin_drag(gizmo, Handle::View, Orientation::Local, Vec2::new(400.0, 400.0)).unwrap();
    for (snap, step) in [(Snap::Fine, 5.0), (Snap::Coarse, 15.0)] {
        let label = one.to(Vec2::new(470.0, 171.0), snap).label;
        let angle: f64 = label.trim_start_matches("View ").trim_end_matches('°').replace('−', "-").parse().unwrap();
        assert!(angle != 0.0 && (angle / step).fract() == 0.0, "{label}");
    }
}

#[test]
fn lengths_that_are_typed_are_in_the_unit_that_is_shown() {
    let mut session = open(course(), 4);
    let origin = world(&session, NodeId(4)).translation;
    for (units, metres, label) in [(Units::Imperial, 0.3048, "Z [1] ft"), (Units::Metric, 1.0, "Z [1] m")] {
        units.choose();
        let gizmo = session.gizmos().gizmo_of(PoseTool::Move, Orientation::Local, 1.0).unwrap();
        let mut one = session.gizmos().begin_drag(gizmo, Handle::Axis(2), Orientation::Local, Vec2::ZERO).unwrap();
        assert!(one.type_char('1'));
        assert_eq!(drag(&mut session, one, Vec2::new(300.0, 20.0), Snap::Off).label, label);
        let moved = (world(&session, NodeId(4)).translation - origin).length();
        assert!((moved - metres).abs() < 1e-5, "{moved}");
        session.apply(EditCommand::CancelEdit);
        session.update_pose();
    }
    // Angles and factors have no other unit.
    Units::Imperial.choose();
    let gizmo = session.gizmos().gizmo_of(PoseTool::Scale, Orientation::Local, 1.0).unwrap();
    let mut one = session.gizmos().begin_drag(gizmo, Handle::Axis(2), Orientation::Local, Vec2::ZERO).unwrap();
    assert!(one.type_char('2'));
    let before = session.pose().local.transforms[4].scale.z;
    assert_eq!(drag(&mut session, one, Vec2::new(300.0, 20.0), Snap::Off).label, "Z [2]");
    assert!((session.pose().local.transforms[4].scale.z - 2.0 * before).abs() < 1e-5);
    Units::Metric.choose();
}

#[test]
fn every_handle_is_found_where_it_is_painted() {
    let session = open(course(), 4);
    for tool in TOOLS {
        let gizmo = session.gizmos().gizmo_of(tool, Orientation::World, 1.0).unwrap();
        let shapes = gizmo.shapes();
        for shape in &shapes {
            if tool == PoseTool::Turn && !shape.lines.is_empty() {
                // Rings cross each other, so that a few of their points are another's.
                let points: Vec<Vec2> = shape.lines.iter().flatten().copied().collect();
                let own = points.iter().filter(|point| gizmo.handle_at(**point) == Some(shape.handle)).count();
                assert!(2 * own > points.len(), "{:?}: {own} of {}", shape.handle, points.len());
                continue;
            }
            let (points, of) = match shape.lines.first() {
                Some(line) => (line[0].lerp(line[1], 0.8), 1.0),
                None => (shape.area.iter().copied().sum::<Vec2>(), shape.area.len() as f32),
            };
            assert_eq!(gizmo.handle_at(points / of), Some(shape.handle), "{tool:?}");
        }
        assert_eq!(gizmo.handle_at(gizmo.middle().unwrap() + Vec2::splat(300.0)), None);
    }
}
