//! Tests of comparisons: what is compared, how far it is apart, and where the worst of it is.

use std::sync::Arc;

use glam::Vec3;
use skinscope_deform::METHODS;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{MeshId, NodeId, WeightChange};

use crate::tests::sessions::still_session;
use crate::*;

/// A tube of which the upper half is twisted against the lower one.
fn twisted(degrees: f32) -> Session {
    let mut session = still_session(tube(Tube { joints: 2, rings: 9, radius: 0.25, length: 2.0, ..Tube::default() }));
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::Y * degrees)));
    session.update_pose();
    session
}

#[test]
fn distances_are_those_of_a_twist_by_hand() {
    let mut session = twisted(90.0);
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
    let compared = session.surfaces().compared_surfaces().unwrap();
    // Half way of a twist by 90°, the linear blend has a radius of cos 45° of what it should have.
    let want = 0.25 * (1.0 - 45.0_f64.to_radians().cos());
    let distance = compared.distance;
    assert!((0.5 * want..1.01 * want).contains(&distance.worst), "{distance:?}, {want}");
    assert!(distance.mean < distance.rms && distance.rms < distance.worst);
    let model = session.model().unwrap();
    assert_eq!(distance.vertices, model.meshes[0].primitives[0].stored_vertices);
    let at = distance.at.unwrap();
    let of = |i: usize| compared.surfaces[i].part(at.instance, at.primitive).unwrap().deformed.positions[at.vertex];
    assert!((f64::from(of(0).distance(of(1))) - distance.worst).abs() < 1e-6);
    let values = compared.inspected.distance.of(MeshId(0), 0);
    assert_eq!(values[at.vertex], distance.worst as f32);
    // Worked out once for a pose, and again for another.
    assert!(Arc::ptr_eq(&compared, &session.surfaces().compared_surfaces().unwrap()));
    session.apply(EditCommand::ResetAll);
    session.update_pose();
    assert!(session.surfaces().compared_surfaces().unwrap().distance.worst < 1e-6);
}

#[test]
fn stored_weights_are_compared_with_edited_ones() {
    let mut session = twisted(60.0);
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("linear"));
    session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    assert_eq!(session.surfaces().compared_surfaces().unwrap().distance.worst, 0.0, "nothing is edited");
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    let vertex = session.model().unwrap().meshes[0].primitives[0].stored_vertices - 1;
    change.push(vertex as u32, &[0], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    session.update_pose();
    let distance = session.surfaces().compared_surfaces().unwrap().distance;
    assert!(distance.worst > 1e-3 && distance.at.is_some_and(|at| at.vertex == vertex), "{distance:?}");
    let stored = session.document().unwrap().stored();
    assert!(
        Arc::ptr_eq(session.deforming().compared_model().unwrap(), stored)
            && !Arc::ptr_eq(session.model().unwrap(), stored)
    );
    session.apply(ComparisonCommand::SetWeights(SideWeights::Shown));
    assert_eq!(session.surfaces().compared_surfaces().unwrap().distance.worst, 0.0);
}

#[test]
fn the_worst_vertex_and_the_worst_moment_can_be_gone_to() {
    let mut session = still_session(obstacle_course());
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
    session.apply(PlaybackCommand::Seek(0.1));
    session.update_pose();
    session.apply(ComparisonCommand::ToWorst);
    let here = session.surfaces().compared_surfaces().unwrap().distance;
    assert_eq!(session.view().pinned, here.at);
    let mut heard = Vec::new();
    let worst = session.worst_moment(&mut |fraction| {
        heard.push(fraction);
        true
    });
    let worst = worst.unwrap();
    assert!(heard.len() > 5 && heard.is_sorted() && worst.distance.worst >= here.worst);
    assert!(session.worst_moment(&mut |_| false).is_none());
    session.apply(ComparisonCommand::ToWorstMoment);
    let there = session.surfaces().compared_surfaces().unwrap().distance;
    assert!((there.worst - worst.distance.worst).abs() < 1e-6, "{there:?} {worst:?}");
    assert_eq!((session.view().pinned, session.playback().playing), (there.at, false));
    // A session that defers work asks for it, and the search can be cancelled.
    session.defer_work();
    session.apply(ComparisonCommand::ToWorstMoment);
    assert!(session.compared().is_seeking_worst());
    session.apply(ComparisonCommand::ToWorstMoment);
    assert!(!session.compared().is_seeking_worst());
    session.apply(ComparisonCommand::ToWorstMoment);
    session.apply(ComparisonCommand::ShowMoment(0.2));
    assert!(!session.compared().is_seeking_worst() && (session.playback().time_secs - 0.2).abs() < 1e-6);
    session.apply(ComparisonCommand::ToWorstMoment);
    session.apply(ComparisonCommand::Toggle);
    assert!(!session.compared().is_seeking_worst());
}

#[test]
fn any_two_rows_of_the_table_can_be_compared_and_the_second_differs_from_the_first_at_the_start() {
    for method in METHODS {
        let mut session = twisted(50.0);
        session.apply(ViewCommand::SetMethod(method.id));
        session.apply(ComparisonCommand::Toggle);
        assert!(!std::ptr::eq(session.deforming().comparison().unwrap().choice.method, *method));
        for other in METHODS {
            session.apply(ComparisonCommand::SetMethod(other.id));
            let distance = session.surfaces().compared_surfaces().unwrap().distance;
            assert!(
                distance.worst.is_finite() && (distance.worst == 0.0 || !std::ptr::eq(*method, *other)),
                "{}",
                other.id
            );
        }
    }
}

#[test]
fn the_pointer_finds_what_each_side_of_the_line_shows() {
    let mut session = twisted(150.0);
    session.apply(CameraCommand::SetViewport(glam::Vec2::new(600.0, 600.0)));
    session.apply(CameraCommand::FrameAll);
    let grid = || (0..3600).map(|i| glam::Vec2::new((i % 60) as f32 * 10.0, (i / 60) as f32 * 10.0));
    let hits =
        |session: &Session| -> Vec<bool> { grid().map(|at| session.picking().vertex_at(at).is_some()).collect() };
    let linear = hits(&session);
    session.apply(ViewCommand::SetMethod("dual-quaternion"));
    let dual = hits(&session);
    assert_ne!(linear, dual, "the linear blend is thinner");
    session.apply(ViewCommand::SetMethod("linear"));
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
    for swapped in [false, true] {
        let both = hits(&session);
        for (i, at) in grid().enumerate() {
            let shown = if (at.x >= 300.0) != swapped { &dual } else { &linear };
            assert_eq!(both[i], shown[i], "{at}, {swapped}");
        }
        session.apply(ComparisonCommand::Swap);
    }
}

#[test]
fn a_vertex_is_explained_as_the_side_has_it_in_which_it_was_pinned() {
    let mut session = twisted(90.0);
    session.apply(ToolCommand::Choose(Some("bind-here")));
    session.apply(ToolCommand::Apply);
    assert!(session.unsaved().unsaved_binds() > 0);
    session.apply(CameraCommand::SetViewport(glam::Vec2::new(600.0, 600.0)));
    session.apply(CameraCommand::FrameAll);
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("linear"));
    session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    session.update_pose();
    let compared = session.surfaces().compared_surfaces().unwrap();
    for is_second in [false, true] {
        let left = if is_second { 300.0 } else { 0.0 };
        let points = (0..1800).map(|i| glam::Vec2::new(left + (i % 30) as f32 * 10.0, (i / 30) as f32 * 10.0));
        let mut seen = 0;
        for at in points {
            session.apply(SelectionCommand::PinAt(at));
            let Some(pinned) = session.view().pinned else { continue };
            let position = |i: usize| {
                let part = compared.surfaces[i].part(pinned.instance, pinned.primitive).unwrap();
                part.position(pinned.vertex, 0).unwrap()
            };
            if position(0).distance(position(1)) < 0.05 {
                continue;
            }
            seen += 1;
            assert_eq!(
                (session.deforming().is_second_at(at), session.deforming().explains_second()),
                (is_second, is_second)
            );
            let said = session.picking().explanation().unwrap();
            let shown = position(usize::from(is_second));
            assert!(said.position.as_vec3().distance(shown) < 1e-5, "{is_second}: {said:?}, not {shown}");
            let skin = &session.deforming().side_model(is_second).unwrap().skins[0];
            for term in &said.terms {
                let place = skin.joints.iter().position(|joint| *joint == term.node).unwrap();
                let offset = skin.inverse_bind[place].transform_point3(said.rest.as_vec3());
                assert!(term.offset.as_vec3().distance(offset) < 1e-5);
            }
            let side = compared.surfaces[usize::from(is_second)].part(pinned.instance, pinned.primitive).unwrap();
            let normal = session.picking().directions(pinned, is_second).unwrap().normal;
            assert!(normal.dot(side.deformed.normals[pinned.vertex]) > 0.9999);
        }
        assert!(seen > 5, "{is_second}: {seen}");
    }
    // Where nothing is compared any more there is one side.
    session.apply(ComparisonCommand::Set(false));
    assert!(!session.deforming().explains_second());
}
