//! Tests of what commands do to the open model.

use glam::Vec3;
use skinscope_deform as deform;
use skinscope_inspect as inspect;
use skinscope_model::NodeId;
use skinscope_model::test_shapes::{Tube, tube};

use crate::tests::sessions::tube_session;
use crate::*;

#[test]
fn opening_plays_the_first_clip_and_frames_the_model() {
    let session = tube_session();
    assert!(session.playback.playing && session.playback.source == PoseSource::Clip);
    let target = session.view.orbit.target;
    assert!((target - Vec3::new(0.0, 1.0, 0.0)).length() < 0.05, "{target}");
}

#[test]
fn a_character_of_vrm_0_is_seen_from_its_front() {
    let mut parts = (*tube(Tube::default())).clone();
    parts.facing = skinscope_model::Facing::MinusZ;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    let eye = |session: &Session| {
        let orbit = session.view.orbit;
        (Vec3::from(orbit.world_from_view().translation) - orbit.target) / orbit.distance
    };
    let opened = eye(&session);
    assert!(opened.z < -0.8 && opened.x < 0.0 && opened.y > 0.0, "{opened}");
    for (side, from) in [
        (ViewFrom::Front, Vec3::NEG_Z),
        (ViewFrom::Back, Vec3::Z),
        (ViewFrom::Right, Vec3::NEG_X),
        (ViewFrom::Left, Vec3::X),
        (ViewFrom::Top, Vec3::Y),
    ] {
        session.apply(CameraCommand::LookFrom(side));
        assert!(eye(&session).distance(from) < 1e-5, "{side:?}: {}", eye(&session));
    }
    // Others are seen from +Z again.
    session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    assert!(eye(&session).distance(-opened * Vec3::new(1.0, -1.0, 1.0)) < 1e-5);
}

#[test]
fn variants_are_view_state_and_are_found_again_by_name() {
    let with = |names: &[&str], path: &str| {
        let mut parts = (*tube(Tube::default())).clone();
        parts.variants = names.iter().map(|n| (*n).to_owned()).collect();
        let model = Model::build(parts).unwrap();
        Document::new(Arc::new(model), Vec::new(), Some(path.into()))
    };
    let mut session = Session::default();
    session.open(with(&["day", "night"], "a.glb"));
    session.apply(ViewCommand::SetVariant(Some(1)));
    session.apply(ViewCommand::SetVariant(Some(2)));
    assert_eq!(session.view.variant, Some(1), "there is no third");
    assert!(session.edits.is_empty());
    session.open(with(&["night", "dusk"], "a.glb"));
    assert_eq!(session.view.variant, Some(0), "the same file with its variants in another order");
    session.open(with(&["dusk"], "a.glb"));
    assert_eq!(session.view.variant, None);
    session.apply(ViewCommand::SetVariant(Some(0)));
    session.open(with(&["dusk"], "b.glb"));
    assert_eq!(session.view.variant, None, "another file shows its materials as they stand");
}

#[test]
fn a_newer_version_of_the_open_file_is_taken_up_where_it_was() {
    let document = |joints| {
        let model = Arc::new(tube(Tube { joints, ..Tube::default() }));
        Document::new(model, Vec::new(), Some("tube.glb".into()))
    };
    let mut session = Session::default();
    session.open(document(3));
    session.apply(SelectionCommand::Select(Some(NodeId(3))));
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::X * 30.0)));
    session.apply(CameraCommand::Orbit(glam::Vec2::new(50.0, 0.0)));
    session.apply(PlaybackCommand::Seek(0.25));
    let orbit = session.view.orbit;
    session.open(document(4));
    assert_eq!((session.view.selected, session.view.orbit), (Some(NodeId(3)), orbit));
    assert!(session.edits.nodes.contains_key(&NodeId(3)) && session.playback.time_secs == 0.25);
    // The joint no longer exists, nor do its edit and its selection.
    session.open(document(2));
    assert!(session.edits.is_empty() && session.view.selected.is_none());
    session.open(tube_session().document.unwrap());
    assert!(session.playback.time_secs == 0.0);
}

#[test]
fn one_drag_is_one_step_back() {
    let mut session = tube_session();
    let node = NodeId(2);
    for degrees in [10.0, 20.0, 30.0] {
        session.apply(EditCommand::Edit(node, ChannelValue::Rotation(Vec3::X * degrees)));
    }
    session.apply(EditCommand::EndEdit);
    session.apply(EditCommand::Edit(node, ChannelValue::Scale(Vec3::splat(2.0))));
    session.apply(EditCommand::EndEdit);
    session.apply(EditCommand::Undo);
    assert_eq!(session.edits.nodes[&node], NodeEdit { rotation: Some(Vec3::X * 30.0), ..NodeEdit::default() });
    session.apply(EditCommand::Undo);
    assert!(session.edits.is_empty() && !session.history.can_undo());
    session.apply(EditCommand::Redo);
    session.apply(EditCommand::Redo);
    assert_eq!(session.edits.nodes[&node].scale, Some(Vec3::splat(2.0)));
}

#[test]
fn an_edited_channel_replaces_the_clip_until_it_is_reset() {
    let mut session = tube_session();
    session.apply(PlaybackCommand::Seek(0.5));
    session.update_pose();
    let node = NodeId(2);
    // The clip turns every joint but the first by 30° at its middle.
    let angle = |s: &Session| s.pose.local.transforms[node.index()].rotation.to_axis_angle().1.to_degrees();
    assert!((angle(&session) - 30.0).abs() < 1e-3);
    session.apply(EditCommand::Edit(node, ChannelValue::Rotation(Vec3::X * 75.0)));
    session.update_pose();
    assert!((angle(&session) - 75.0).abs() < 1e-3);
    session.apply(EditCommand::ResetChannel(node, ChannelKind::Rotation));
    session.update_pose();
    assert!((angle(&session) - 30.0).abs() < 1e-3 && session.edits.is_empty());
}

#[test]
fn normalised_weights_are_an_edit_that_can_be_taken_back() {
    let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    weights.iter_mut().for_each(|w| *w *= 1.5);
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    let uneven = |s: &Session| s.document.as_ref().unwrap().stats().uneven.is_some();
    let stored = Arc::clone(session.model().unwrap());
    let height = |s: &Session| s.extents().bounds().size().y;
    let tall = height(&session);
    assert!(uneven(&session));
    session.apply(EditCommand::NormaliseWeights);
    // Weights that are half too large carry the tube half too far from the origin.
    assert!(!uneven(&session) && (tall / height(&session) - 1.5).abs() < 1e-3);
    session.apply(EditCommand::Undo);
    assert!(uneven(&session) && Arc::ptr_eq(session.model().unwrap(), &stored) && height(&session) == tall);
    session.apply(EditCommand::Redo);
    session.apply(EditCommand::ResetAll);
    assert!(!uneven(&session) && !Arc::ptr_eq(session.model().unwrap(), &stored), "the pose alone is reset");
}

#[test]
fn keys_are_stepped_through() {
    let mut session = tube_session();
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PlaybackCommand::Seek(0.2));
    session.apply(PlaybackCommand::NextKey);
    assert_eq!(session.playback.time_secs, 0.5);
    session.apply(PlaybackCommand::PreviousKey);
    assert_eq!(session.playback.time_secs, 0.0);
}

#[test]
fn a_click_on_the_skin_selects_the_joint_that_moves_it() {
    let mut session = tube_session();
    session.apply(ViewCommand::Toggle(Toggle::Bones));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    let at = session.view.project(Vec3::new(0.0, 1.0, 0.25)).unwrap();
    session.apply(SelectionCommand::PickAt(at));
    assert_eq!(session.view.selected, Some(NodeId(2)));
    session.apply(SelectionCommand::PickAt(glam::Vec2::ZERO));
    assert_eq!(session.view.selected, None);
}

#[test]
fn a_click_pins_the_vertex_unless_a_bone_is_near_and_escape_lets_go_step_by_step() {
    let mut session = tube_session();
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    // The point is the middle of the front, over the bones; vertices there lie at z = 0.25.
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    let over = session.view.project(Vec3::new(0.0, 1.0, 0.25)).unwrap();
    session.apply(SelectionCommand::PickAt(over));
    assert_eq!((session.view.selected.is_some(), session.view.pinned), (true, None), "the bone");
    session.apply(SelectionCommand::PinAt(over));
    let pinned = session.view.pinned.unwrap();
    let position = session.model().unwrap().meshes[0].primitives[0].positions[pinned.vertex];
    assert!((position - Vec3::new(0.0, 1.0, 0.25)).length() < 0.2, "{position}");
    let explained = session.picking().explanation().unwrap();
    assert!((explained.position.as_vec3() - position).length() < 1e-6, "at rest it is where it is stored");
    assert_eq!(session.view.selected, explained.terms.first().map(|t| t.node));
    session.apply(SelectionCommand::Deselect);
    assert_eq!((session.view.selected.is_some(), session.view.pinned), (true, None));
    session.apply(SelectionCommand::Deselect);
    assert_eq!(session.view.selected, None);
    // A skin that is not shown is not picked.
    session.apply(ViewCommand::Toggle(Toggle::Mesh));
    session.apply(SelectionCommand::PinAt(over));
    assert_eq!(session.view.pinned, None);
}

/// The view, everything that is scaled by the model's size (grid, shadow, lights, bones, a crowd's room), and depth are
/// the same as without it.
#[test]
fn a_stray_vertex_changes_nothing_of_the_view_until_it_is_asked_for() {
    let open = |change: &dyn Fn(&mut skinscope_model::ModelParts)| {
        let mut parts = (*tube(Tube::default())).clone();
        change(&mut parts);
        let mut session = Session::default();
        session.apply(ViewCommand::SetCrowd(4));
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session
    };
    let far = Vec3::new(1e6, 2e5, -3e5);
    let plain = open(&|_| {});
    // Vertex 5 is no corner of the box.
    let mut stray = open(&|p| p.meshes[0].primitives[0].positions[5] = far);
    assert_eq!((stray.view.orbit, stray.pose.opened_bounds), (plain.view.orbit, plain.pose.opened_bounds));
    assert_eq!(stray.pose().formation, plain.pose().formation);
    assert_eq!(stray.view.planes(stray.pose().shown_bounds()), plain.view.planes(plain.pose().shown_bounds()));
    stray.apply(ViewCommand::SetCrowd(1));
    let alone = stray.view.orbit;
    stray.apply(CameraCommand::FrameEverything);
    let at = stray.view.project(far).unwrap();
    assert!(at.cmpge(glam::Vec2::ZERO).all() && at.cmple(stray.view.viewport).all(), "{at}");
    let (near, end) = stray.view.planes(stray.pose().shown_bounds());
    let depth = -stray.view.world_from_view().inverse().transform_point3(far).z;
    assert!(near < depth && depth < end, "{near} {depth} {end}");
    stray.apply(CameraCommand::FrameAll);
    assert_eq!(stray.view.orbit, alone);
}

/// A tube with more vertices than are worked on between two pictures.
fn large() -> Tube {
    Tube { joints: 3, rings: 400, sides: 130, ..Tube::default() }
}

#[test]
fn a_session_that_defers_work_leaves_the_weights_of_a_large_model_to_others() {
    let halved = |shape: Tube| {
        let mut parts = (*tube(shape)).clone();
        let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
        weights.iter_mut().for_each(|w| *w *= 0.5);
        Arc::new(Model::build(parts).unwrap())
    };
    let open = |patient: bool, shape: Tube| {
        let mut session = Session::default();
        if patient {
            session.defer_work();
        }
        session.open(Document::new(halved(shape), Vec::new(), None));
        session.apply(EditCommand::NormaliseWeights);
        session
    };
    // A session that is not patient, and one with a small model, have them at once.
    for session in [open(false, large()), open(true, Tube::default())] {
        let document = session.document.as_ref().unwrap();
        assert!(!session.is_normalising() && !Arc::ptr_eq(&document.model, document.stored()));
        assert!(!document.lacks_stats() && document.stats().uneven.is_none());
    }
    let mut session = open(true, large());
    let stored = Arc::clone(session.document.as_ref().unwrap().stored());
    assert!(session.is_normalising() && Arc::ptr_eq(session.model().unwrap(), &stored));
    assert!(session.document().unwrap().stats().uneven.is_some());
    // Cancelled, it is as before; asked for again and computed, it is shown.
    session.apply(EditCommand::NormaliseWeights);
    assert!(!session.is_normalising());
    let changes = stored.normalised_weights();
    session.skinning().take_normalised(&stored, &changes);
    assert!(Arc::ptr_eq(session.model().unwrap(), &stored), "nobody asks for it any more");
    session.apply(EditCommand::NormaliseWeights);
    // The result for a model that is no longer open is dropped.
    session.skinning().take_normalised(&halved(large()), &changes);
    assert!(session.is_normalising());
    session.skinning().take_normalised(&stored, &changes);
    assert!(!session.is_normalising() && !Arc::ptr_eq(session.model().unwrap(), &stored));
    // The figures are those from before until another thread has counted.
    let document = session.document().unwrap();
    assert!(document.lacks_stats() && document.stats().uneven.is_some());
    document.count_weights()();
    assert!(!document.lacks_stats() && document.stats().uneven.is_none());
    session.apply(EditCommand::Undo);
    assert!(Arc::ptr_eq(session.model().unwrap(), &stored));
}

#[test]
fn a_click_on_a_large_model_waits_for_what_finds_vertices_and_one_on_a_bone_does_not() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(large())), Vec::new(), None));
    session.view.viewport = glam::Vec2::new(640.0, 480.0);
    session.apply(CameraCommand::FrameAll);
    let on_bone = session.view.project(session.pose.bones[0].head).unwrap();
    assert!(!session.picking().must_wait_for(&Command::Selection(SelectionCommand::PickAt(on_bone))));
    assert!(session.picking().must_wait_for(&Command::Selection(SelectionCommand::PinAt(on_bone))), "through the bone");
    let corner = glam::Vec2::ONE;
    assert!(session.picking().must_wait_for(&Command::Selection(SelectionCommand::PickAt(corner))));
    assert!(!session.picking().must_wait_for(&Command::Selection(SelectionCommand::Deselect)));
    // Nothing of a large model is measured where the window asks for it, but beside the window.
    let document = session.document.as_ref().unwrap();
    assert_eq!(document.rest_bounds_at_hand(), None);
    document.prepare()();
    assert!(document.rest_bounds_at_hand().is_some_and(|bounds| !bounds.is_empty()));
    assert!(!session.picking().must_wait_for(&Command::Selection(SelectionCommand::PickAt(corner))));
    session.apply(SelectionCommand::PinAt(on_bone));
    assert!(session.view.pinned.is_some());
}

/// Ten thousand channels with times of their own, as some exporters write them.
#[test]
fn millions_of_keys_are_not_sorted_for_a_timeline_and_steps_find_the_nearest() {
    let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    let lists = 10_000;
    let list = |i: usize| (0..=20).map(|k| k as f32 / 20.0 * (1.0 - i as f32 * 1e-6)).collect::<Vec<f32>>();
    parts.clips[0].times.extend((0..lists).map(list));
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    let times = session.clip_keys().key_times();
    assert!(times.len() > 1000 && times.len() <= (1 << 14) + 1, "{}", times.len());
    assert!(times.is_sorted() && times[0] == 0.0 && times.last() == Some(&1.0));
    session.apply(PlaybackCommand::Seek(0.5));
    session.apply(PlaybackCommand::NextKey);
    // A key is at least a hundredth of a frame further, and no further than it must be.
    let now = session.playback.time_secs;
    assert!(now > 0.5 && now < 0.56, "{now}");
    session.apply(PlaybackCommand::PreviousKey);
    assert!(session.playback.time_secs < now);
}

/// How many vertices [`COUNTING`] has deformed, on whatever thread.
static DEFORMED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

static COUNTING: std::sync::LazyLock<deform::Method> = std::sync::LazyLock::new(|| deform::Method {
    deform_all: |palette, batch, out| {
        DEFORMED.fetch_add(batch.positions.len(), std::sync::atomic::Ordering::Relaxed);
        (deform::METHODS[0].deform_all)(palette, batch, out);
    },
    ..*deform::METHODS[0]
});

#[test]
fn framing_a_joint_or_a_finding_deforms_what_it_frames_and_the_whole_model_once() {
    let model = Arc::new(tube(Tube { joints: 20, rings: 201, ..Tube::default() }));
    let all: usize = model.meshes[0].primitives[0].positions.len();
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(&model), Vec::new(), None));
    session.playback.playing = false;
    session.view.method = &COUNTING;
    let deformed = |session: &mut Session, command: Command| {
        let before = DEFORMED.load(std::sync::atomic::Ordering::Relaxed);
        session.apply(command);
        DEFORMED.load(std::sync::atomic::Ordering::Relaxed) - before
    };
    // All frames need to know where the mass of the surface is: every vertex once, and a sample.
    let whole = deformed(&mut session, Command::Camera(CameraCommand::FrameAll));
    session.apply(SelectionCommand::Select(Some(NodeId(10))));
    let of_joint = deformed(&mut session, Command::Camera(CameraCommand::FrameSelected));
    assert!(whole >= all && of_joint > whole && of_joint < whole + all / 4, "{of_joint} and {whole} of {all}");
    let marked = inspect::VertexSet::from_vertices(vec![(skinscope_model::MeshId(0), 0, 7)]);
    session.apply(SelectionCommand::Mark(Arc::new(marked)));
    let of_marks = deformed(&mut session, Command::Camera(CameraCommand::FrameMarked));
    assert_eq!(of_marks, whole + 1);
}
