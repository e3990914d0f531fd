//! Tests of two models in one picture.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec3A};
use skinscope_frame::Frame;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Model, NodeId};

use crate::frame::SceneColors;
use crate::tests::sessions::still_session;
use crate::*;

fn document(joints: usize, length: f32) -> Document {
    let model: Model = tube(Tube { joints, length, radius: 0.2, ..Tube::default() });
    Document::new(Arc::new(model), Vec::new(), None)
}

/// A tube of two metres, and beside it one of three metres; both stand still at the start of their clips.
fn pair() -> Session {
    let mut session = still_session(tube(Tube { joints: 3, length: 2.0, radius: 0.2, ..Tube::default() }));
    session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 600.0)));
    session.open_beside(document(5, 3.0));
    session
}

fn other(session: &Session) -> &Session {
    session.beside().unwrap().other()
}

fn built(session: &Session) -> Frame {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame
}

/// The pixel at which a point of the model that is not active is seen.
fn seen_of_other(session: &Session, at: Vec3) -> Vec2 {
    session.view().project(session.beside_standing().unwrap().place(at)).unwrap()
}

fn turn(session: &mut Session, node: u32, degrees: f32) {
    session.apply(EditCommand::Edit(NodeId(node), ChannelValue::Rotation(Vec3::X * degrees)));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

#[test]
fn two_models_stand_side_by_side_on_one_floor_and_both_are_in_view() {
    let session = pair();
    let (own, others) = (session.pose().opened_bounds, other(&session).pose().opened_bounds);
    let offset = session.beside_standing().unwrap().offset;
    let room = others.min.x + offset.x - own.max.x;
    assert!((room - 0.15 * others.size().y.max(own.size().y)).abs() < 1e-5, "{room}");
    assert!((others.min.y + offset.y - own.min.y).abs() < 1e-5 && offset.z == 0.0, "{offset}");
    let all = session.with_beside(|session| session.extents().posed_bounds());
    for corner in [all.min, all.max] {
        let at = session.view().project(corner).unwrap();
        assert!(at.cmpge(Vec2::ZERO).all() && at.cmple(session.view().viewport).all(), "{at}");
    }
    // A model that hangs in the air far away is put on the same floor beside the first one.
    let away = skinscope_base::math::Aabb { min: Vec3::new(50.0, 40.0, 9.0), max: Vec3::new(51.0, 42.0, 10.0) };
    let offset = Arrangement::default().offset(own, away);
    assert!((away.min + offset).x > own.max.x && ((away.min + offset).y - own.min.y).abs() < 1e-4);
    assert!(((away.center() + offset).z - own.center().z).abs() < 1e-4);
}

#[test]
fn the_frame_has_both_models_seen_by_one_camera_on_one_floor() {
    let mut session = pair();
    let frame = built(&session);
    let [second] = &frame.beside[..] else { panic!("{} models", frame.beside.len()) };
    let offset = session.beside_standing().unwrap().offset;
    assert!(!frame.shows_model_of(second) && second.palettes.len() == 5);
    let (a, b) = (frame.camera, second.camera);
    assert!((a.world_from_view.translation - b.world_from_view.translation).abs_diff_eq(Vec3A::from(offset), 1e-5));
    assert_eq!((a.world_from_view.matrix3, a.near, a.far), (b.world_from_view.matrix3, b.near, b.far));
    let (floor, shadow) = (frame.display.grid.unwrap(), second.display.grid.unwrap());
    assert!(floor.lines && !shadow.lines && shadow.floor[3] == 0.0 && shadow.shadow.z > 0.0);
    assert!((floor.height - shadow.height - offset.y).abs() < 1e-5);
    // The other one is drawn in the same look, and has an overlay of its own.
    session.apply(ViewCommand::SetLook("clay"));
    session.apply(ViewCommand::ToggleOverlay("influences"));
    session.update_pose();
    let frame = built(&session);
    assert_eq!((frame.beside[0].display.look.id, frame.beside[0].display.overlay.is_none()), ("clay", true));
    // In one place there is no way between them.
    session.apply(BesideCommand::ToggleSamePlace);
    session.update_pose();
    let frame = built(&session);
    assert_eq!(frame.camera, frame.beside[0].camera);
    // Nothing is left of it once it is closed.
    session.apply(BesideCommand::Close);
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    let alone = built(&session);
    assert!(alone.beside.is_empty() && session.beside_standing().is_none());
}

#[test]
fn a_model_in_other_units_is_drawn_as_high_as_the_first_and_keeps_its_figures() {
    let mut session = still_session(tube(Tube { joints: 3, length: 2.0, radius: 0.2, ..Tube::default() }));
    session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 600.0)));
    session.open_beside(document(5, 200.0));
    let said = session.beside_sizes().unwrap();
    assert!(said.contains("100 times as high as"), "{said}");
    let (first, second) = (session.pose().opened_bounds, other(&session).pose().opened_bounds);
    assert!(session.beside_standing().unwrap().scale == 1.0 && session.view().orbit.distance > 200.0);
    session.apply(BesideCommand::ToggleSameHeight);
    let said = session.beside_sizes().unwrap();
    assert!(said.contains("is drawn 100 times smaller than it is"), "{said}");
    let standing = session.beside_standing().unwrap();
    let [low, high] = [second.min, second.max].map(|at| standing.place(at));
    assert!((low.y - first.min.y).abs() < 1e-4 && (high.y - first.max.y).abs() < 1e-4, "{low} {high}");
    assert!(low.x > first.max.x && low.x < first.max.x + 1.0, "{low}: beside it");
    assert_eq!(other(&session).pose().opened_bounds, second, "only how it is drawn changes");
    assert!(session.view().orbit.distance < 20.0, "both are in view");
    // Both are seen by one camera, at the same depths as a share of those of its planes.
    let frame = built(&session);
    let mut turned = frame.clone();
    let world_from_view = glam::Affine3A::from_rotation_y(0.7) * frame.camera.world_from_view;
    turned.set_camera(skinscope_frame::Camera { world_from_view, ..frame.camera });
    let cameras = [&frame, &turned].map(|frame| (frame.camera, frame.beside[0].camera));
    let points = [second.min, second.center(), second.max];
    for ((a, b), at) in cameras.into_iter().flat_map(|cameras| points.map(|at| (cameras, at))) {
        let [own, others] = [(a, standing.place(at)), (b, at)]
            .map(|(camera, at)| (camera.world_from_view.inverse().transform_point3(at), camera.near, camera.far));
        assert!((own.0 - others.0 * standing.scale).length() < 1e-3 * own.0.length(), "{own:?} {others:?}");
        assert!((own.0.z / own.1 - others.0.z / others.1).abs() < 1e-3 * (own.0.z / own.1).abs());
        assert!((own.2 / own.1 - others.2 / others.1).abs() < 1e-3 * own.2 / own.1);
    }
    let (floor, shadow) = (frame.display.grid.unwrap(), frame.beside[0].display.grid.unwrap());
    let lies = standing.place(Vec3::Y * shadow.height).y;
    assert!((lies - floor.height).abs() < 1e-4, "{lies}: the shadow lies on the floor of the first one");
    assert!((shadow.radius * standing.scale - floor.radius).abs() < 1e-3 * floor.radius);
    // The picture stays where the other one becomes the active one.
    let before = [session.view().project(Vec3::Y).unwrap(), seen_of_other(&session, Vec3::Y * 150.0)];
    session.apply(BesideCommand::Activate);
    let after = [seen_of_other(&session, Vec3::Y), session.view().project(Vec3::Y * 150.0).unwrap()];
    for (before, after) in before.iter().zip(after) {
        assert!(before.distance(after) < 0.05, "{before} {after}");
    }
    let frame = built(&session);
    let (floor, shadow) = (frame.beside[0].display.grid.unwrap(), frame.display.grid.unwrap());
    let lies = session.beside_standing().unwrap().place(Vec3::Y * floor.height).y;
    assert!((lies - shadow.height).abs() < 1e-2, "{lies} {}", shadow.height);
    assert!(session.beside_sizes().is_some_and(|text| text == said), "it is the second one that is drawn smaller");
    // A model without height has no other height, and is drawn as it is.
    let flat = skinscope_base::math::Aabb { min: Vec3::NEG_ONE, max: Vec3::new(1.0, -1.0, 1.0) };
    let same = Arrangement { same_height: true, ..Arrangement::default() };
    assert_eq!([same.standing(first, flat).scale, same.standing(flat, first).scale], [1.0, 1.0]);
}

#[test]
fn a_picture_of_one_model_is_the_same_before_and_after_another_stood_beside_it() {
    let mut session = still_session(tube(Tube { joints: 3, length: 2.0, radius: 0.2, ..Tube::default() }));
    let before = built(&session);
    session.open_beside(document(5, 3.0));
    assert!(!before.is_same_picture(&built(&session)));
    session.apply(BesideCommand::Close);
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    assert!(before.is_same_picture(&built(&session)));
}

#[test]
fn the_camera_of_the_picture_stays_where_another_model_becomes_the_active_one() {
    let mut session = pair();
    session.apply(CameraCommand::Orbit(Vec2::new(50.0, 20.0)));
    session.update_pose();
    let (own, others) = (Vec3::Y, Vec3::new(0.1, 2.5, 0.0));
    let before = [session.view().project(own).unwrap(), seen_of_other(&session, others)];
    session.apply(BesideCommand::Activate);
    let after = [seen_of_other(&session, own), session.view().project(others).unwrap()];
    for (before, after) in before.iter().zip(after) {
        assert!(before.distance(after) < 0.01, "{before} {after}");
    }
    assert_eq!(session.model().unwrap().skeleton.len(), 6);
    // The floor stays that of the first one.
    assert!(!built(&session).display.grid.unwrap().lines && built(&session).beside[0].display.grid.unwrap().lines);
}

#[test]
fn each_model_has_its_own_edits_selection_and_history() {
    let mut session = pair();
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    turn(&mut session, 1, 20.0);
    session.apply(BesideCommand::Activate);
    assert!(session.view().selected.is_none() && session.edits().is_empty() && !session.history().can_undo());
    turn(&mut session, 4, 50.0);
    session.apply(SelectionCommand::Select(Some(NodeId(5))));
    session.apply(EditCommand::Undo);
    assert!(session.edits().is_empty() && !other(&session).edits().is_empty(), "the active one alone is undone");
    session.apply(EditCommand::Redo);
    session.apply(BesideCommand::Activate);
    assert_eq!(session.edits().nodes.keys().copied().collect::<Vec<_>>(), [NodeId(1)]);
    assert_eq!((session.view().selected, other(&session).view().selected), (Some(NodeId(1)), Some(NodeId(5))));
    assert_eq!(other(&session).edits().nodes.keys().copied().collect::<Vec<_>>(), [NodeId(4)]);
    session.apply(EditCommand::Undo);
    assert!(session.edits().is_empty() && other(&session).history().can_undo());
    assert!(other(&session).unsaved().has_unsaved_work() && !session.unsaved().has_unsaved_work());
}

#[test]
fn clips_go_on_together_or_each_by_itself() {
    let mut session = pair();
    let times = |session: &Session| [session.playback().time_secs, other(session).playback().time_secs];
    assert_eq!(times(&session), [0.0; 2]);
    assert!(!other(&session).playback().playing, "the open one is paused");
    session.apply(PlaybackCommand::Seek(0.25));
    assert_eq!(times(&session), [0.25; 2]);
    session.apply(PlaybackCommand::SetPlaying(true));
    session.apply(PlaybackCommand::Advance(0.25));
    assert_eq!(times(&session), [0.5; 2]);
    session.apply(PlaybackCommand::SetPlaying(false));
    assert!(!session.plays());
    session.apply(BesideCommand::ToggleSameTime);
    session.apply(PlaybackCommand::Seek(0.1));
    assert_eq!(times(&session), [0.1, 0.5]);
    session.apply(BesideCommand::Activate);
    session.apply(PlaybackCommand::SetPlaying(true));
    session.apply(BesideCommand::Activate);
    assert!(!session.playback().playing && session.plays());
    session.apply(PlaybackCommand::Advance(0.25));
    assert_eq!(times(&session), [0.1, 0.75], "the one plays and the other does not");
    session.update_pose();
    let pose = |session: &Session| session.pose().palettes.clone();
    let before = [pose(&session), pose(other(&session))];
    session.apply(PlaybackCommand::Advance(0.1));
    session.update_pose();
    assert!(before[0] == pose(&session) && before[1] != pose(other(&session)));
    session.apply(BesideCommand::ToggleSameTime);
    assert_eq!(times(&session), [0.1; 2], "the other one comes to the time of the active one");
    session.apply(PlaybackCommand::SetSpeed(0.5));
    assert_eq!(other(&session).playback().speed, 0.5, "one time goes on at one speed");
    session.apply(PlaybackCommand::SetSpeed(1.0));
    // A pose without a clip has no time to follow.
    session.apply(BesideCommand::Activate);
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(BesideCommand::Activate);
    session.apply(PlaybackCommand::Seek(0.6));
    assert_eq!(other(&session).playback().source, PoseSource::Rest);
}

#[test]
fn a_stroke_ends_where_the_other_model_becomes_the_active_one() {
    let mut session = pair();
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    session.apply(PaintCommand::Set(PaintSettings { front_only: false, ..PaintSettings::default() }));
    session.apply(EditCommand::BeginEdit);
    let position = [0.0, 1.0, 0.2];
    session.apply(PaintCommand::Dab(PaintDab { position, pressure: 1.0, flips: false, smooths: false }));
    assert!(session.painting().is_painting());
    session.apply(BesideCommand::Activate);
    assert!(session.painting().brush().is_some());
    let left = other(&session).painting();
    assert!(!left.is_painting() && left.recorded().strokes.len() == 1);
}

#[test]
fn a_click_is_on_the_model_that_is_nearer_there() {
    let mut session = pair();
    session.apply(ViewCommand::Set(Toggle::Bones, false));
    session.update_pose();
    for session in [&session, other(&session)] {
        _ = session.document().unwrap().pick_index();
    }
    let on_own = session.view().project(Vec3::Y).unwrap();
    let on_other = seen_of_other(&session, Vec3::Y);
    assert!(!session.is_other_at(on_own) && session.is_other_at(on_other));
    assert!(!session.is_other_at(Vec2::ONE), "nothing is there");
    session.apply(BesideCommand::Activate);
    session.apply(SelectionCommand::PickAt(on_other));
    assert!(session.view().pinned.is_some() && session.view().selected.is_some());
    assert!(other(&session).view().pinned.is_none());
}

#[test]
fn the_floor_of_the_first_model_carries_the_shadow_of_both_whichever_is_active() {
    // Its feet are under the plane y = 0.
    let mut parts = skinscope_model::ModelParts::clone(&tube(Tube { joints: 3, length: 2.0, ..Tube::default() }));
    parts.skeleton.rest.transforms[1].translation.y = -0.1;
    let mut session = still_session(Model::build(parts).unwrap());
    session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 600.0)));
    session.open_beside(document(5, 200.0));
    session.apply(BesideCommand::ToggleSameHeight);
    for is_first_active in [true, false] {
        let frame = built(&session);
        let standing = session.beside_standing().unwrap();
        let [own, others] = [&frame, &frame.beside[0]].map(|frame| frame.display.grid.unwrap());
        assert!(if is_first_active { own.height } else { others.height } < -0.09, "{own:?} {others:?}");
        let lies = standing.place(Vec3::Y * others.height).y;
        assert!((lies - own.height).abs() < 1e-3 * own.radius, "{lies} {own:?} {standing:?}");
        assert!((others.radius * standing.scale - own.radius).abs() < 1e-3 * own.radius, "{own:?} {others:?}");
        session.apply(BesideCommand::Activate);
    }
}

#[test]
fn a_click_meets_the_nearer_model_where_one_is_drawn_in_another_size() {
    // The other one is thin, and stands within the first, a hundred times as large as its file says.
    let thick = tube(Tube { joints: 3, length: 200.0, radius: 20.0, ..Tube::default() });
    let thin = tube(Tube { joints: 3, length: 2.0, radius: 0.02, ..Tube::default() });
    let mut session = still_session(thick);
    session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 600.0)));
    session.open_beside(Document::new(Arc::new(thin), Vec::new(), None));
    for command in [BesideCommand::ToggleSamePlace, BesideCommand::ToggleSameHeight] {
        session.apply(command);
    }
    session.apply(ViewCommand::Set(Toggle::Bones, false));
    session.update_pose();
    for session in [&session, other(&session)] {
        _ = session.document().unwrap().pick_index();
    }
    let at = seen_of_other(&session, Vec3::Y);
    assert!(other(&session).picking().vertex_near_at_hand(at).is_some(), "it is hit where it is seen alone");
    assert!(!session.is_other_at(at), "the first one hides it");
    session.apply(BesideCommand::Activate);
    session.update_pose();
    assert!(session.is_other_at(session.view().project(Vec3::Y).unwrap()));
}

#[test]
fn a_session_file_keeps_both_models() {
    let folder = std::env::temp_dir().join(format!("skinscope_beside_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let at = folder.join("both.skinscope.json");
    let mut session = pair();
    turn(&mut session, 1, 20.0);
    session.apply(BesideCommand::ToggleSameTime);
    session.apply(BesideCommand::SetGap(0.5));
    session.apply(BesideCommand::ToggleSameHeight);
    session.apply(PlaybackCommand::Seek(0.2));
    session.apply(BesideCommand::Activate);
    turn(&mut session, 4, 50.0);
    session.apply(PlaybackCommand::Seek(0.7));
    session.apply(ViewCommand::ToggleOverlay("influences"));
    session.update_pose();
    let snapshot = session.unsaved().snapshot().unwrap();
    let mut file = snapshot.file();
    file.set_model(&at, [], |_| true).unwrap();
    let beside = session.beside_snapshot().unwrap();
    file.set_beside(&at, &beside, |_| true).unwrap();
    std::fs::write(&at, file.text().unwrap()).unwrap();
    session.note_beside_saved(beside);
    assert!(!other(&session).unsaved().has_unsaved_work(), "the file has it");

    let mut read = SessionFile::read(&at).unwrap();
    assert!(read.find_model(&at).is_ok() && read.find_beside(&at).unwrap().is_ok());
    let mut again = Session::default();
    again.apply(CameraCommand::SetViewport(session.view().viewport));
    assert!(again.open_with_session(document(5, 3.0), &read).is_empty());
    assert!(again.beside().is_none());
    let lines = again.open_beside_with(
        still_session(tube(Tube { joints: 3, length: 2.0, radius: 0.2, ..Tube::default() }))
            .document()
            .unwrap()
            .clone(),
        &read,
    );
    assert!(lines.is_empty(), "{lines:?}");
    assert_eq!(again.beside().unwrap().arrangement(), session.beside().unwrap().arrangement());
    assert_eq!(again.edits().nodes, session.edits().nodes);
    assert_eq!(other(&again).edits().nodes, other(&session).edits().nodes);
    assert_eq!([again.playback().time_secs, other(&again).playback().time_secs], [0.7, 0.2]);
    assert_eq!(again.beside_standing(), session.beside_standing());
    assert!(again.view().overlay.is_some() && other(&again).view().overlay.is_none());
    assert!(!other(&again).unsaved().has_unsaved_work() && !again.history().can_undo());
    let mut frames = [built(&session), built(&again)];
    // Onlookers see the same; the models are others in memory.
    let cameras = frames.each_mut().map(|frame| (frame.camera, frame.beside[0].camera));
    assert_eq!(cameras[0], cameras[1]);
    // Another session is about one model again.
    assert!(snapshot.file().find_beside(&at).is_none());
    again.open_with_session(document(5, 3.0), &snapshot.file());
    assert!(again.beside().is_none());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_that_takes_the_place_of_the_active_one_stands_beside_the_other() {
    let mut session = pair();
    session.open(document(4, 1.0));
    assert_eq!((session.model().unwrap().skeleton.len(), other(&session).model().unwrap().skeleton.len()), (5, 6));
    let all = session.with_beside(|session| session.extents().posed_bounds());
    assert!(session.view().orbit.target.distance(all.center()) < 1e-3, "both are in view");
    // Another second model takes the place of the first second one.
    session.open_beside(document(7, 1.0));
    assert_eq!(other(&session).model().unwrap().skeleton.len(), 8);
    // Where nothing is open, nothing can stand beside it.
    let mut empty = Session::default();
    empty.open_beside(document(3, 1.0));
    assert!(empty.beside().is_none() && empty.document().is_none());
    for command in [BesideCommand::Activate, BesideCommand::Close, BesideCommand::SetGap(1.0)] {
        empty.apply(command.clone());
        assert_eq!(refusal(&command.into(), &empty).as_deref(), Some("No second model is open."));
    }
    let weights = FileCommand::WeightsFromBeside.into();
    assert_eq!(refusal(&weights, &empty).as_deref(), Some("No second model is open."));
    assert_eq!(refusal(&weights, &pair()), None);
}

#[test]
fn data_that_a_method_needs_is_computed_for_the_other_model_too() {
    let mut session = pair();
    session.defer_work();
    session.apply(BesideCommand::Activate);
    session.defer_work();
    session.apply(ViewCommand::SetMethod("centres-of-rotation"));
    session.apply(BesideCommand::Activate);
    assert!(session.wanted().iter().any(|work| matches!(work, Work::PrepareMethod(..))));
    session.do_wanted();
    assert_eq!(other(&session).deforming().shown_method().id, "centres-of-rotation");
    assert!(session.deforming().wanted_data().is_none() && other(&session).deforming().wanted_data().is_none());
}
