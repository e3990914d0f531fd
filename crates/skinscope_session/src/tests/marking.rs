//! Tests of the tools that mark vertices.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_deform::METHODS;
use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Material, MaterialId, MeshId, Model, ModelParts, NodeId};

use crate::tests::sessions::still_session;
use crate::tests::tools::open;
use crate::*;

/// The tube at rest, seen from the front.
fn pictured() -> Session {
    let mut session = open();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(CameraCommand::SetViewport(Vec2::new(600.0, 500.0)));
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    session
}

fn marked(session: &Session) -> Vec<u32> {
    session.view().marked.of(MeshId(0), 0).to_vec()
}

#[test]
fn a_box_marks_what_is_seen_or_all_of_it_and_adds_and_takes_away() {
    let mut session = pictured();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    let all = MarkShape::Box(Vec2::ZERO, Vec2::new(600.0, 500.0));
    let (upper, lower) = (
        MarkShape::Box(Vec2::ZERO, Vec2::new(600.0, 250.0)),
        MarkShape::Lasso(Arc::new(vec![
            Vec2::new(0.0, 250.0),
            Vec2::new(600.0, 250.0),
            Vec2::new(600.0, 500.0),
            Vec2::new(0.0, 500.0),
        ])),
    );
    for orthographic in [false, true] {
        session.view.orbit.orthographic = orthographic;
        session.apply(MarkCommand::In(all.clone(), MarkMode::Replace));
        let seen = marked(&session);
        assert!(seen.len() > count / 4 && seen.len() < 3 * count / 4, "{} of {count}", seen.len());
        let surface = session.surfaces().surface().unwrap();
        let is_hidden = |vertex: &&u32| {
            let at = surface.parts[0].deformed.positions[**vertex as usize];
            let ray = session.view().ray(session.view().project(at).unwrap());
            let before = session.picking().vertex_at(session.view().project(at).unwrap()).map(|hit| hit.distance);
            let away = (at - ray.origin).dot(ray.direction.normalize());
            before.is_some_and(|before| before < away - 0.05)
        };
        // Within a pixel of the outline it may be either.
        let hidden = seen.iter().filter(is_hidden).count();
        assert!(hidden * 50 < seen.len(), "{hidden} of {} are behind the surface", seen.len());
        session.apply(MarkCommand::ToggleThrough);
        session.apply(MarkCommand::In(all.clone(), MarkMode::Replace));
        assert_eq!(marked(&session).len(), count);
        session.apply(MarkCommand::In(upper.clone(), MarkMode::Remove));
        let below = marked(&session);
        session.apply(MarkCommand::In(lower.clone(), MarkMode::Replace));
        assert_eq!(marked(&session), below);
        assert!(!below.is_empty() && below.len() < count);
        session.apply(MarkCommand::In(upper.clone(), MarkMode::Add));
        assert_eq!(marked(&session).len(), count);
        session.apply(MarkCommand::ToggleThrough);
    }
    let circle = MarkShape::Circle(Vec2::new(300.0, 250.0), 30.0);
    session.apply(MarkCommand::In(circle, MarkMode::Replace));
    let projected = |v: &u32| {
        session.view().project(session.surfaces().surface().unwrap().parts[0].deformed.positions[*v as usize])
    };
    assert!(marked(&session).iter().all(|v| projected(v).unwrap().distance(Vec2::new(300.0, 250.0)) < 30.01));
}

#[test]
fn parts_of_the_picture_hold_what_a_look_at_every_vertex_of_any_method_finds() {
    let mut session = pictured();
    session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
    session.apply(PlaybackCommand::Seek(0.3));
    for method in METHODS {
        session.apply(ViewCommand::SetMethod(method.id));
        session.update_pose();
        let surface = session.surfaces().surface().unwrap();
        let positions = &surface.parts[0].deformed.positions;
        let stored = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
        session.apply(MarkCommand::In(MarkShape::Box(Vec2::ZERO, Vec2::new(600.0, 500.0)), MarkMode::Replace));
        let seen = marked(&session);
        let at = session.view().project(positions[stored / 2]).unwrap();
        let corners = [Vec2::new(-70.0, -60.0), Vec2::new(80.0, -20.0), Vec2::new(0.0, 90.0)].map(|by| at + by);
        let shapes = [
            MarkShape::Circle(at, 42.0),
            MarkShape::Box(at - 30.0, at + 50.0),
            MarkShape::Lasso(Arc::new(corners.to_vec())),
        ];
        for shape in &shapes {
            let is_in = |v: &u32| session.view().project(positions[*v as usize]).is_some_and(|at| shape.has(at));
            let wanted: Vec<u32> = (0..stored as u32).filter(is_in).collect();
            let found = |through: bool| session.picking().within(shape, through).of(MeshId(0), 0).to_vec();
            assert_eq!(found(true), wanted, "{} {shape:?}", method.id);
            assert!(!wanted.is_empty() && wanted.len() < stored, "{} {shape:?}", method.id);
            let seen_there = seen.iter().filter(|v| is_in(v)).count();
            let found = found(false);
            let both = found.iter().filter(|v| seen.contains(v)).count();
            // Of two vertices at one position one may lie in the shape alone by rounding.
            assert!(both + 2 >= seen_there && found.len() <= both + 2, "{}: {both} {seen_there}", method.id);
        }
    }
}

#[test]
fn a_click_marks_a_vertex_and_marks_grow_shrink_and_turn_round() {
    let mut session = pictured();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    session.apply(MarkCommand::In(MarkShape::Point(Vec2::new(300.0, 250.0)), MarkMode::Replace));
    let one = marked(&session);
    // Vertices at one position are marked together.
    let positions = &session.model().unwrap().meshes[0].primitives[0].positions;
    let at = positions[one[0] as usize];
    let twins: Vec<u32> = (0..count as u32).filter(|v| positions[*v as usize] == at).collect();
    assert_eq!(one, twins);
    session.apply(MarkCommand::Grow);
    let grown = marked(&session);
    assert!(grown.len() > one.len() && one.iter().all(|v| grown.contains(v)));
    session.apply(MarkCommand::Shrink);
    assert_eq!(marked(&session), one);
    session.apply(MarkCommand::Invert);
    assert_eq!(marked(&session).len(), count - one.len());
    session.apply(MarkCommand::Invert);
    assert_eq!(marked(&session), one);
    session.apply(MarkCommand::All);
    assert_eq!(marked(&session).len(), count);
    session.apply(MarkCommand::None);
    assert!(session.view().marked.is_empty());
    session.apply(SelectionCommand::Select(Some(NodeId(4))));
    session.apply(MarkCommand::OfJoint);
    let moved = VertexSet::moved_by(session.model().unwrap(), NodeId(4));
    assert!(!moved.is_empty() && moved.iter().all(|(m, p, v)| session.view().marked.contains(m, p, v)));
    // Escape puts the tool away that marks.
    session.apply(MarkCommand::Use(Some(MarkTool::Box)));
    session.apply(SelectionCommand::Deselect);
    assert!(session.marking().tool.is_none() && session.view().selected.is_some());
    assert!(!session.unsaved().has_unsaved_skinning());
    // Each change of the marks is a step of its own, among those of edits.
    let moved = Arc::clone(&session.view().marked);
    let turn = ChannelValue::Rotation(Vec3::X * 20.0);
    session.apply(EditCommand::Edit(NodeId(4), turn));
    session.apply(EditCommand::EndEdit);
    session.apply(EditCommand::Undo);
    assert!(session.view().marked == moved && session.edits().is_empty());
    for count in [0, count, one.len(), count - one.len(), one.len(), grown.len(), one.len(), 0] {
        session.apply(EditCommand::Undo);
        assert_eq!(session.view().marked.len(), count);
    }
    assert!(!session.history.can_undo());
    session.apply(EditCommand::Redo);
    assert_eq!(marked(&session), one);
}

#[test]
fn who_marks_vertices_lets_tools_work_on_them() {
    let mut session = pictured();
    assert_eq!(session.tools().scope, Scope::All);
    session.apply(MarkCommand::Use(Some(MarkTool::Box)));
    assert_eq!(session.tools().scope, Scope::Marked);
    session.apply(ToolCommand::SetScope(Scope::Joint));
    // It is put away: nothing is marked any more.
    session.apply(MarkCommand::Use(Some(MarkTool::Box)));
    assert_eq!((session.marking().tool, session.tools().scope), (None, Scope::Joint));
    session.apply(MarkCommand::Use(Some(MarkTool::Lasso)));
    assert_eq!(session.tools().scope, Scope::Marked);
}

#[test]
fn marks_go_on_to_whole_pieces_and_to_all_of_one_material() {
    // Three tubes beside each other; the second and the third have a material of their own.
    let mut parts = ModelParts::clone(&tube(Tube::default()));
    parts.materials.push(Material::default());
    for x in [1.0, -1.0] {
        let mut beside = parts.meshes[0].primitives[0].clone();
        beside.positions.iter_mut().for_each(|position| position.x += x);
        beside.material = Some(MaterialId(0));
        parts.meshes[0].primitives.push(beside);
    }
    let mut session = still_session(Model::build(parts).unwrap());
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    let counts = |session: &Session| [0, 1, 2].map(|primitive| session.view().marked.of(MeshId(0), primitive).len());
    assert!(refusal(&MarkCommand::Pieces.into(), &session).is_some(), "nothing is marked");
    for (primitive, of_material) in [(0, [count, 0, 0]), (1, [0, count, count])] {
        let one = VertexSet::from_vertices(vec![(MeshId(0), primitive, 20)]);
        session.apply(SelectionCommand::Mark(Arc::new(one.clone())));
        session.apply(MarkCommand::Pieces);
        assert_eq!(counts(&session), [0, 1, 2].map(|other| if other == primitive { count } else { 0 }));
        session.apply(SelectionCommand::Mark(Arc::new(one)));
        session.apply(MarkCommand::SameMaterial);
        assert_eq!(counts(&session), of_material);
    }
}
