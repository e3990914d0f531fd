//! Vertices that are dragged in a session.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_edit::LinkSettings;
use skinscope_frame::Frame;
use skinscope_inspect::VertexRef;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{InstanceId, MeshId, NodeId, PrimitiveId};

use super::tests::{now, set};
use super::{DRAG_JOINTS, DragJoints, PaintCommand, VertexDragCommand};
use crate::frame::SceneColors;
use crate::tests::sessions::still_session;
use crate::{
    ChannelValue, EditCommand, SelectionCommand, Session, ShapeCommand, ShapeSettings, ToolCommand, command_line,
    read_command,
};

pub(super) const VERTEX: usize = 100;

pub(super) fn apply(session: &mut Session, command: VertexDragCommand) {
    session.apply(PaintCommand::DragVertex(command));
}

/// Turns joint 1 about an axis.
pub(super) fn turn(session: &mut Session, degrees: Vec3) {
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(degrees)));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

/// Opens a tube that is bent, with a vertex that is pinned and can be dragged.
pub(super) fn dragging() -> Session {
    let mut session = still_session(tube(Tube { joints: 3, rings: 13, ..Tube::default() }));
    turn(&mut session, Vec3::new(50.0, 0.0, 0.0));
    let vertex = VertexRef { instance: InstanceId::from_index(0), primitive: 0, vertex: VERTEX };
    session.apply(SelectionCommand::Pin(Some(vertex)));
    apply(&mut session, VertexDragCommand::Use(true));
    session
}

/// Returns where the vertex is drawn.
pub(super) fn drawn(session: &mut Session) -> DVec3 {
    session.update_pose();
    let surface = session.surfaces().surface().unwrap();
    surface.parts[0].deformed.positions[VERTEX].as_dvec3()
}

/// Returns a place between the first two ghosts of different places.
pub(super) fn between(session: &Session, share: f64) -> DVec3 {
    let ghosts = session.painting().vertex_drag().ghosts(session.model().unwrap(), &session.pose().local);
    let other = ghosts.iter().find(|ghost| ghost.distance(ghosts[0]) > 0.02).unwrap();
    ghosts[0].lerp(*other, share)
}

pub(super) fn drag(session: &mut Session, to: &[DVec3]) {
    session.apply(EditCommand::BeginEdit);
    to.iter().for_each(|to| apply(session, VertexDragCommand::To(to.to_array())));
    session.apply(EditCommand::EndEdit);
}

#[test]
fn a_place_inside_the_hull_is_reached_and_one_outside_by_the_nearest_with_its_distance() {
    let mut session = dragging();
    let before = now(&session);
    let wanted = between(&session, 0.3);
    drag(&mut session, &[wanted]);
    assert!(drawn(&mut session).distance(wanted) < 3e-4 && session.painting().note().is_none());
    let changed = now(&session).iter().zip(&before).filter(|(a, b)| a != b).count();
    assert!(changed > 1, "neighbours go along: {changed}");
    let far = wanted + DVec3::new(0.0, 0.0, 9.0);
    drag(&mut session, &[far]);
    let pins = session.painting().vertex_drag().pins();
    assert!(pins.len() == 1 && pins[0].outside() > 8.0 && (pins[0].away() - pins[0].outside()).abs() < 1e-2);
    let (landed, away) = (pins[0].landed(), pins[0].away());
    assert!(drawn(&mut session).distance(landed) < 1e-4 && (landed.distance(far) - away).abs() < 1e-6);
}

#[test]
fn a_drag_is_one_step_and_is_given_up_and_undone_to_the_bit() {
    let mut session = dragging();
    let before = now(&session);
    let way: Vec<DVec3> = (1..6).map(|step| between(&session, 0.15 * f64::from(step))).collect();
    drag(&mut session, &way);
    let after = now(&session);
    assert!(after != before && session.painting().vertex_drag().pins().len() == 1);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == before && session.painting().vertex_drag().pins().is_empty());
    session.apply(EditCommand::Redo);
    assert!(now(&session) == after && session.painting().vertex_drag().pins().len() == 1);
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::BeginEdit);
    way.iter().for_each(|to| apply(&mut session, VertexDragCommand::To(to.to_array())));
    session.apply(EditCommand::CancelEdit);
    assert!(now(&session) == before && session.painting().vertex_drag().pins().is_empty());
    // What comes of a drag is only where it ends.
    drag(&mut session, &way[4..]);
    assert!(now(&session) == after);
}

#[test]
fn the_same_vertex_in_several_poses_is_solved_for_all_of_them() {
    let mut session = dragging();
    apply(&mut session, VertexDragCommand::SetJoints(DragJoints::All));
    let first = between(&session, 0.4);
    drag(&mut session, &[first]);
    turn(&mut session, Vec3::new(0.0, 0.0, 70.0));
    let second = between(&session, 0.4);
    drag(&mut session, &[second]);
    let drag_state = session.painting().vertex_drag();
    assert_eq!(drag_state.pins().len(), 2);
    assert!(drag_state.pins().iter().all(|pin| pin.away() < 0.05), "both poses are asked for with like weights");
    assert!(drag_state.pins()[1].is_of(&session.pose().local) && !drag_state.pins()[0].is_of(&session.pose().local));
    apply(&mut session, VertexDragCommand::Forget(0));
    assert_eq!(session.painting().vertex_drag().pins().len(), 1);
    apply(&mut session, VertexDragCommand::ForgetAll);
    assert!(session.painting().vertex_drag().pins().is_empty());
}

#[test]
fn nothing_pinned_locked_joints_and_a_ninth_pose_are_told() {
    let mut session = dragging();
    let before = now(&session);
    let wanted = between(&session, 0.3);
    let joints = session.model().unwrap().skins[0].joints.clone();
    joints.iter().for_each(|joint| _ = session.apply(ToolCommand::ToggleLock(*joint)));
    drag(&mut session, &[wanted]);
    assert!(now(&session) == before && session.painting().vertex_drag().pins()[0].away() > 1e-3);
    session.apply(ToolCommand::UnlockAll);
    for turned in 1..8 {
        turn(&mut session, Vec3::new(10.0 * turned as f32, 5.0, 0.0));
        drag(&mut session, &[wanted]);
    }
    assert!(session.painting().vertex_drag().pins().len() == 8 && session.painting().note().is_none());
    turn(&mut session, Vec3::new(3.0, 2.0, 1.0));
    drag(&mut session, &[wanted]);
    assert!(session.painting().note().unwrap().text.contains("eight"));
    session.apply(SelectionCommand::Pin(None));
    drag(&mut session, &[wanted]);
    assert!(session.painting().note().unwrap().text.contains("pinned"));
}

#[test]
fn the_hull_is_in_the_picture_and_commands_are_read_back() {
    let mut session = dragging();
    let lines = |session: &Session| {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame.lines.len()
    };
    let with_hull = lines(&session);
    apply(&mut session, VertexDragCommand::Use(false));
    assert!(lines(&session) < with_hull);
    for command in [
        VertexDragCommand::Use(true),
        VertexDragCommand::SetJoints(DragJoints::Kept),
        VertexDragCommand::To([0.1 + 0.2, -1.0 / 3.0, 0.0]),
        VertexDragCommand::Forget(2),
        VertexDragCommand::ForgetAll,
    ] {
        let command = crate::Command::Paint(PaintCommand::DragVertex(command));
        assert_eq!(read_command(&command_line(&command)).unwrap(), command);
    }
    // Another tool takes the pointer away.
    apply(&mut session, VertexDragCommand::Use(true));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    assert!(!session.painting().vertex_drag().is_on());
    let copy = session.clone();
    assert!(Arc::ptr_eq(copy.model().unwrap(), session.model().unwrap()));
}

#[test]
fn ghosts_are_where_the_joints_themselves_take_the_vertex_of_all_joints_or_of_fewer() {
    let mut session = still_session(tube(Tube { joints: 8, rings: 25, ..Tube::default() }));
    turn(&mut session, Vec3::new(50.0, 20.0, 0.0));
    session.apply(EditCommand::Edit(NodeId(5), ChannelValue::Rotation(Vec3::new(-30.0, 0.0, 40.0))));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
    let vertex = 200;
    let pinned = VertexRef { instance: InstanceId::from_index(0), primitive: 0, vertex };
    session.apply(SelectionCommand::Pin(Some(pinned)));
    apply(&mut session, VertexDragCommand::Use(true));
    let model = Arc::clone(session.model().unwrap());
    let (skin, at) = (&model.skins[0], model.meshes[0].primitives[0].positions[vertex]);
    let place = |joint: usize| {
        let matrix = session.pose().model[skin.joints[joint].index()] * skin.inverse_bind[joint];
        matrix.transform_point3(at).as_dvec3()
    };
    let places: Vec<DVec3> = (0..skin.joints.len()).map(place).collect();
    let is_in = |place: &DVec3, list: &[DVec3]| list.iter().any(|other| other.distance(*place) < 1e-5);
    let mut counts = Vec::new();
    for joints in DRAG_JOINTS {
        apply(&mut session, VertexDragCommand::SetJoints(joints));
        let ghosts = session.painting().vertex_drag().ghosts(&model, &session.pose().local);
        assert!(ghosts.iter().all(|ghost| is_in(ghost, &places)), "{joints:?}: {ghosts:?} {places:?}");
        assert!(joints != DragJoints::All || places.iter().all(|place| is_in(place, &ghosts)));
        counts.push(ghosts.len());
    }
    assert!(counts[0] == 2 && counts[1] > 2 && counts[1] < 8 && counts[2] == 8, "{counts:?}");
}

#[test]
fn each_pose_in_which_the_vertex_is_held_has_a_mark_in_the_picture() {
    let marks = |session: &Session| {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame.lines.iter().filter(|line| line.from == line.to && line.width > 5.0).count()
    };
    let mut session = dragging();
    let none = marks(&session);
    for held in 1..4 {
        let wanted = between(&session, 0.3);
        drag(&mut session, &[wanted]);
        // Each has a rim, which sets it off from the surface.
        assert_eq!(marks(&session), none + 2 * held);
        turn(&mut session, Vec3::new(20.0 * held as f32, 30.0, 0.0));
        assert_eq!(marks(&session), none + 2 * held, "those of other poses stay");
    }
    apply(&mut session, VertexDragCommand::ForgetAll);
    assert_eq!(marks(&session), none);
}

#[test]
fn sums_are_one_and_no_vertex_gets_more_joints_than_it_may_have() {
    for most in [1, 2, 3] {
        let mut session = dragging();
        set(&mut session, |settings| (settings.max_influences, settings.radius) = (Some(most), 0.4));
        apply(&mut session, VertexDragCommand::SetJoints(DragJoints::All));
        // No two joints turn alike, so that a place between three of them needs all three.
        session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 60.0))));
        session.apply(EditCommand::EndEdit);
        session.update_pose();
        let before = now(&session);
        let ghosts = session.painting().vertex_drag().ghosts(session.model().unwrap(), &session.pose().local);
        let middle = ghosts.iter().sum::<DVec3>() / ghosts.len() as f64;
        drag(&mut session, &[middle]);
        let after = now(&session);
        let changed: Vec<_> = after.iter().zip(&before).filter(|(a, b)| a != b).map(|(row, _)| row).collect();
        assert!(changed.len() > 5, "{most}: {}", changed.len());
        for row in changed {
            let weights: Vec<f32> =
                row.iter().map(|pair| f32::from_bits(pair.1)).filter(|weight| *weight > 0.0).collect();
            assert!(weights.len() <= most, "{most}: {row:?}");
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{most}: {row:?}");
        }
        let away = session.painting().vertex_drag().pins()[0].away();
        assert!((away < 3e-4) == (most == 3), "{most}: {away}");
    }
}

#[test]
fn a_drag_goes_on_in_a_model_that_has_gained_a_shape_or_links() {
    let mut session = dragging();
    let wanted = between(&session, 0.4);
    drag(&mut session, &[wanted]);
    let at = PrimitiveId::new(MeshId(0), 0);
    let by = Arc::new(vec![(at, vec![(VERTEX as u32, [0.0, 0.0, 0.05])])]);
    session.apply(EditCommand::Shape(ShapeCommand::OfOffsets(ShapeSettings::default(), by)));
    assert_eq!(session.tools().shapes.as_ref().map(Result::is_ok), Some(true));
    let wanted = drawn(&mut session) + DVec3::X * 0.01;
    drag(&mut session, &[wanted]);
    let pins = session.painting().vertex_drag().pins().to_vec();
    assert!(pins.len() == 1 && pins[0].is_of(&session.pose().local));
    let apart = pins[0].landed().distance(drawn(&mut session));
    assert!(apart < 1e-3, "the shape counts: {apart}");
    let links = LinkSettings { angle: Some(120.0), ..LinkSettings::default() };
    session.apply(EditCommand::InsertLinks(NodeId(2), links));
    assert!(!session.model().unwrap().links.is_empty());
    let vertex = VertexRef { instance: InstanceId::from_index(0), primitive: 0, vertex: VERTEX };
    session.apply(SelectionCommand::Pin(Some(vertex)));
    turn(&mut session, Vec3::new(20.0, 0.0, 0.0));
    let wanted = drawn(&mut session);
    drag(&mut session, &[wanted]);
    let pins = session.painting().vertex_drag().pins();
    assert!(pins.len() == 2 && pins[1].is_of(&session.pose().local) && !pins[0].is_of(&session.pose().local));
    turn(&mut session, Vec3::new(50.0, 0.0, 0.0));
    assert!(session.painting().vertex_drag().pins()[0].is_of(&session.pose().local));
}
