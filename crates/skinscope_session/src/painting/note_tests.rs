//! What is said at the pointer where a dab changes nothing, and whether what is offered helps.

use glam::Vec2;
use skinscope_model::NodeId;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_paint::{Distance, MirrorAxis};

use super::effect_tests::bulging;
use super::tests::{holding, now, set, touch};
use crate::tests::sessions::still_session;
use crate::{CameraCommand, EditCommand, PaintCommand, SelectionCommand, Session, ToolCommand};

#[test]
fn a_dab_that_can_do_nothing_says_why_and_what_helps() {
    let note = |session: &Session| session.painting().note().cloned().unwrap_or_default();
    let mut session = holding("add");
    session.apply(SelectionCommand::Select(None));
    touch(&mut session, 40);
    assert_eq!(note(&session).text, "No joint is selected");
    session.apply(SelectionCommand::Select(Some(NodeId(0))));
    touch(&mut session, 40);
    assert_eq!(note(&session).text, "root is no joint of a skin");
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(ToolCommand::ToggleLock(NodeId(2)));
    let before = now(&session);
    touch(&mut session, 40);
    let said = note(&session);
    assert_eq!((said.text.as_str(), said.ways[0].0.as_str()), ("joint 1 is locked", "Unlock joint 1"));
    assert!(now(&session) == before && !session.history().can_undo());
    assert!(session.painting().recorded().strokes.is_empty());
    session.apply(said.ways[0].1.clone());
    touch(&mut session, 40);
    assert!(now(&session) != before && session.painting().note().is_none());
    session.apply(EditCommand::Undo);
    set(&mut session, |settings| settings.only_marked = true);
    touch(&mut session, 40);
    let said = note(&session);
    assert_eq!(said.text, "No vertex is marked");
    session.apply(said.ways[0].1.clone());
    session.apply(PaintCommand::Hold(Some("give".to_owned())));
    touch(&mut session, 40);
    let said = note(&session);
    assert_eq!((said.text.as_str(), said.ways[0].0.as_str()), ("Give to which joint?", "Give to joint 0"));
    session.apply(said.ways[0].1.clone());
    touch(&mut session, 40);
    assert!(now(&session) != before);
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    set(&mut session, |settings| settings.ceiling = 0.0);
    touch(&mut session, 40);
    assert_eq!(note(&session).text, "joint 1 is at the ceiling of 0.00");
}

#[test]
fn at_a_ceiling_or_a_floor_the_note_says_so_and_lifts_it() {
    // A vertex between joint 0 and joint 1, of which joint 1 has about a quarter.
    for (brush, text, way) in [
        ("add", "joint 1 is at the ceiling of 0.80", "Raise the ceiling to 1"),
        ("replace", "joint 1 is at the ceiling of 0.80", "Raise the ceiling to 1"),
        ("subtract", "joint 1 is at the floor of 0.25", "Lower the floor to 0"),
    ] {
        let mut session = holding(brush);
        set(&mut session, |all| {
            (all.floor, all.ceiling, all.value, all.strength) = (0.25, 0.8, 0.9, 1.0);
            all.falloff = "constant".to_owned();
        });
        touch(&mut session, 24);
        let before = now(&session);
        assert!(session.painting().note().is_none(), "{brush}");
        touch(&mut session, 24);
        let note = session.painting().note().cloned().unwrap_or_default();
        assert!(now(&session) == before && note.text == text, "{brush}: {}", note.text);
        assert_eq!(note.ways[0].0, way);
        session.apply(note.ways[0].1.clone());
        touch(&mut session, 24);
        assert!(now(&session) != before && session.painting().note().is_none(), "{brush}");
    }
}

#[test]
fn joints_that_are_locked_are_counted_at_the_pointer() {
    let said = |session: &Session| session.painting().note().cloned().unwrap_or_default();
    let mut session = holding("smooth");
    (1..=6).for_each(|node| _ = session.apply(ToolCommand::ToggleLock(NodeId(node))));
    touch(&mut session, 40);
    assert_eq!(said(&session).text, "All 2 influences are locked");
    // The painted joint alone is free; the other one of the vertex has the rest.
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    session.apply(ToolCommand::ToggleLock(NodeId(2)));
    let before = now(&session);
    touch(&mut session, 40);
    let note = said(&session);
    assert!(note.text.ends_with(" is locked") && note.text != "joint 1 is locked", "{}", note.text);
    session.apply(note.ways[0].1.clone());
    touch(&mut session, 40);
    assert!(now(&session) != before);
}

#[test]
fn the_only_joint_of_a_vertex_can_give_to_those_around() {
    let mut session = still_session(tube(Tube { joints: 6, influences: 1, ..Tube::default() }));
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some("subtract".to_owned())));
    set(&mut session, |settings| settings.front_only = false);
    let before = now(&session);
    // A vertex of the ring beside the one that joint 0 moves.
    touch(&mut session, 40);
    let note = session.painting().note().cloned().unwrap_or_default();
    assert_eq!(note.text, "joint 1 is the only joint of this vertex: give to which?");
    let (label, way) = note.ways.iter().find(|way| way.0 == "Give to joint 0").unwrap();
    assert_eq!(*way, PaintCommand::GiveTo(NodeId(1)).into(), "{label}");
    assert!(now(&session) == before);
    session.apply(way.clone());
    touch(&mut session, 40);
    assert!(now(&session) != before && session.painting().note().is_none());
}

#[test]
fn a_node_that_is_no_joint_offers_the_next_one() {
    let mut session = holding("add");
    session.apply(SelectionCommand::Select(Some(NodeId(0))));
    touch(&mut session, 40);
    let note = session.painting().note().cloned().unwrap_or_default();
    assert_eq!((note.text.as_str(), note.ways[0].0.as_str()), ("root is no joint of a skin", "Select joint 0"));
    session.apply(note.ways[0].1.clone());
    assert_eq!(session.view().selected, Some(NodeId(1)));
    set(&mut session, |settings| settings.strength = 0.0);
    touch(&mut session, 5);
    assert_eq!(session.painting().note().map(|note| note.text.as_str()), Some("The brush has no strength"));
}

#[test]
fn where_there_is_no_plane_across_the_axis_another_one_is_offered() {
    let mut session = bulging();
    set(&mut session, |settings| settings.mirror = Some(MirrorAxis::X));
    let before = now(&session);
    touch(&mut session, 40);
    let note = session.painting().note().cloned().unwrap_or_default();
    assert!(now(&session) == before && note.text.contains("no plane of symmetry was found across x"), "{}", note.text);
    let ways: Vec<&str> = note.ways.iter().map(|way| way.0.as_str()).collect();
    assert_eq!(ways, ["Mirror across Z instead", "Paint one side alone"]);
    session.apply(note.ways[0].1.clone());
    touch(&mut session, 40);
    assert!(now(&session) != before && session.painting().note().is_none());
}

#[test]
fn a_brush_that_gives_offers_the_joints_that_move_what_it_is_over_and_never_the_painted_one() {
    let mut session = holding("give");
    session.apply(CameraCommand::SetViewport(Vec2::splat(400.0)));
    session.apply(CameraCommand::FrameAll);
    set(&mut session, |all| (all.radius, all.distance) = (0.6, Distance::Volume));
    session.update_pose();
    let pixel = Vec2::new(200.0, 230.0);
    let middle = session.paint_hit(pixel).unwrap().position;
    let positions = session.surfaces().surface().unwrap().parts[0].deformed.positions.clone();
    // The slot of a joint is the number in its name, and its node is the next one.
    let mut sums = [0.0_f64; 6];
    for (row, _) in now(&session).iter().zip(&positions).filter(|(_, at)| at.distance(middle) <= 0.6) {
        row.iter().for_each(|(slot, weight)| sums[usize::from(*slot)] += f64::from(f32::from_bits(*weight)));
    }
    let mut wanted: Vec<usize> = (0..6).filter(|slot| *slot != 1 && sums[*slot] > 0.0).collect();
    wanted.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
    wanted.truncate(4);
    if !wanted.contains(&0) {
        wanted.push(0);
    }
    assert!(wanted.len() > 2);
    session.apply(PaintCommand::Hover(Some(pixel)));
    // A joint that would give to itself has nothing to give to.
    for to in [None, Some(NodeId(2))] {
        set(&mut session, |settings| settings.to = to);
        touch(&mut session, 40);
        let said = session.painting().note().cloned().unwrap_or_default();
        assert_eq!(said.text, "Give to which joint?");
        let labels: Vec<String> = said.ways.into_iter().map(|way| way.0).collect();
        assert_eq!(labels, wanted.iter().map(|slot| format!("Give to joint {slot}")).collect::<Vec<_>>());
    }
}
