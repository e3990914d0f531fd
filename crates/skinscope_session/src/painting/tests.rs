//! Strokes in a session: one step each, to the bit, and the same as a file of strokes gives.

use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_frame::Frame;
use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, tube, with_two_skins};
use skinscope_model::{MeshId, Model, NodeId};
use skinscope_paint::{Canvas, Distance, MirrorAxis, parse};

use crate::frame::SceneColors;
use crate::tests::sessions::still_session;
use crate::{
    CameraCommand, ChannelValue, Command, Document, EditCommand, PaintCommand, PaintDab, PaintSettings,
    PlaybackCommand, SelectionCommand, Session, Toggle, ToolCommand, ViewCommand, ViewFrom, Work, command_line,
    read_command,
};

/// The pairs of every vertex, as bits.
pub(super) type Rows = Vec<Vec<(u16, u32)>>;

pub(super) fn rows(model: &Model) -> Rows {
    let influences = model.influences(MeshId(0), 0).unwrap();
    let row = |v| influences.of(v).0.iter().copied().zip(influences.of(v).1.iter().map(|w| w.to_bits())).collect();
    (0..influences.vertices()).map(row).collect()
}

pub(super) fn now(session: &Session) -> Rows {
    rows(session.model().unwrap())
}

/// Opens a tube whose node 2, "joint 1", is painted with a brush, from all sides.
pub(super) fn holding(brush: &str) -> Session {
    let mut session = still_session(tube(Tube { joints: 6, ..Tube::default() }));
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some(brush.to_owned())));
    set(&mut session, |settings| settings.front_only = false);
    session
}

pub(super) fn set(session: &mut Session, change: impl FnOnce(&mut PaintSettings)) {
    let mut settings = session.painting().settings().clone();
    change(&mut settings);
    session.apply(PaintCommand::Set(settings));
}

/// A touch at a vertex as it is posed.
fn dab_at(session: &mut Session, vertex: usize) -> PaintDab {
    session.update_pose();
    let surface = session.surfaces().surface().unwrap();
    let position = surface.parts[0].deformed.positions[vertex].as_dvec3().to_array();
    PaintDab { position, pressure: 1.0, flips: false, smooths: false }
}

pub(super) fn touch(session: &mut Session, vertex: usize) {
    let dab = dab_at(session, vertex);
    session.apply(PaintCommand::Dab(dab));
}

/// Paints a stroke of so many dabs, from a vertex on.
pub(super) fn stroke(session: &mut Session, from: usize, dabs: usize) {
    let vertices = now(session).len();
    session.apply(EditCommand::BeginEdit);
    (0..dabs).for_each(|i| touch(session, (from + 7 * i) % vertices));
    session.apply(EditCommand::EndEdit);
}

/// Returns the weights that the recorded strokes give on the model as its file has it. Pose files are read from a folder.
pub(super) fn by_file(session: &Session, folder: &Path) -> Rows {
    let stored = Arc::clone(session.document().unwrap().stored());
    let text = session.painting().recorded().text();
    let script = parse(text.as_bytes(), folder, &stored).unwrap_or_else(|why| panic!("{why}"));
    let mut canvas = Canvas::new(stored);
    script.strokes.iter().for_each(|stroke| _ = canvas.paint(stroke).unwrap());
    rows(canvas.model())
}

#[test]
fn two_hundred_dabs_are_one_step_that_is_undone_and_redone_to_the_bit() {
    for brush in ["add", "smooth"] {
        let mut session = holding(brush);
        let before = now(&session);
        session.apply(EditCommand::BeginEdit);
        touch(&mut session, 40);
        assert!(session.painting().is_painting() && session.waits_for_commit());
        session.apply(EditCommand::EndEdit);
        session.apply(EditCommand::Undo);
        assert!(now(&session) == before && !session.history().can_undo());
        stroke(&mut session, 30, 200);
        let after = now(&session);
        assert!(after != before && !session.painting().is_painting());
        let strokes = &session.painting().recorded().strokes;
        assert_eq!((strokes.len(), strokes[0].dabs.as_ref().unwrap().len()), (1, 200));
        assert!(session.painting().last_stroke().is_some_and(|report| report.changed > 0));
        session.apply(EditCommand::Undo);
        assert!(now(&session) == before && !session.history().can_undo());
        assert!(session.painting().recorded().strokes.is_empty() && session.painting().last_stroke().is_none());
        session.apply(EditCommand::Redo);
        assert!(now(&session) == after);
        assert_eq!(session.painting().recorded().strokes.len(), 1);
    }
}

#[test]
fn a_stroke_that_is_given_up_leaves_everything_to_the_bit() {
    let mut session = holding("add");
    stroke(&mut session, 20, 5);
    let (before, model) = (now(&session), Arc::clone(session.model().unwrap()));
    session.apply(EditCommand::BeginEdit);
    (0..50).for_each(|i| touch(&mut session, 10 + i));
    assert!(now(&session) != before);
    session.apply(EditCommand::CancelEdit);
    assert!(now(&session) == before && Arc::ptr_eq(session.model().unwrap(), &model));
    assert!(!session.painting().is_painting());
    assert_eq!(session.painting().recorded().strokes.len(), 1);
    // What is painted afterwards begins with those weights, in double precision too.
    stroke(&mut session, 60, 9);
    assert!(now(&session) == by_file(&session, Path::new("")));
}

#[test]
fn locked_joints_keep_their_bits() {
    let of = |session: &Session, joint: u16| -> Vec<u32> {
        let weight = |row: &Vec<(u16, u32)>| row.iter().find(|pair| pair.0 == joint && pair.1 != 0).map_or(0, |p| p.1);
        now(session).iter().map(weight).collect()
    };
    for brush in ["add", "subtract", "average"] {
        let mut session = holding(brush);
        // The third node is the second joint of the skin.
        session.apply(ToolCommand::ToggleLock(NodeId(3)));
        let before = (now(&session), of(&session, 2));
        stroke(&mut session, 40, 60);
        assert!(now(&session) != before.0, "{brush}");
        assert!(of(&session, 2) == before.1, "{brush}");
    }
}

#[test]
fn a_stroke_on_a_clip_that_plays_has_the_time_of_each_dab_and_a_file_gives_the_same_to_the_bit() {
    let mut session = holding("add");
    set(&mut session, |settings| settings.front_only = true);
    session.apply(PlaybackCommand::SetPlaying(true));
    session.apply(EditCommand::BeginEdit);
    for i in 0..20 {
        session.apply(PlaybackCommand::Advance(0.031));
        touch(&mut session, 40 + 3 * i);
    }
    session.apply(EditCommand::EndEdit);
    session.apply(PlaybackCommand::Advance(0.2));
    let dab = PaintDab { smooths: true, pressure: 0.7, ..dab_at(&mut session, 50) };
    session.apply(PaintCommand::Dab(dab));
    let strokes = &session.painting().recorded().strokes;
    assert_eq!(strokes.iter().map(|s| s.brush.clone().unwrap()).collect::<Vec<_>>(), ["add", "smooth"]);
    assert!(strokes[0].clip.is_some() && strokes[0].pose.is_none());
    let mut times: Vec<f64> = strokes[0].dabs.iter().flatten().filter_map(|dab| dab.time).collect();
    times.dedup();
    assert_eq!(times.len(), 19, "the first has the time of the stroke");
    assert!(now(&session) == by_file(&session, Path::new("")));
}

#[test]
fn a_stroke_in_a_pose_that_was_edited_names_a_pose_file() {
    let mut session = holding("add");
    session.apply(PlaybackCommand::SetPlaying(true));
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::X * 40.0)));
    session.apply(EditCommand::EndEdit);
    session.apply(EditCommand::BeginEdit);
    for i in 0..10 {
        session.apply(PlaybackCommand::Advance(0.05));
        touch(&mut session, 60 + 3 * i);
    }
    session.apply(EditCommand::EndEdit);
    let painting = session.painting();
    assert_eq!(painting.recorded().strokes.len(), 1, "the clip moves what is not edited");
    let [(name, pose)] = painting.recorded_poses() else { panic!("{} poses", painting.recorded_poses().len()) };
    assert_eq!(painting.recorded().strokes[0].pose.as_ref(), Some(name));
    let folder = std::env::temp_dir().join(format!("skinscope_painted_poses_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), pose.text()).unwrap();
    let by_file = by_file(&session, &folder);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(now(&session) == by_file);
    // A stroke that changes nothing leaves no pose behind.
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::X * 20.0)));
    session.apply(EditCommand::EndEdit);
    set(&mut session, |settings| settings.strength = 0.0);
    stroke(&mut session, 60, 3);
    assert_eq!((session.painting().recorded().strokes.len(), session.painting().recorded_poses().len()), (1, 1));
}

#[test]
fn strokes_and_tools_are_undone_in_their_order() {
    let mut session = holding("add");
    let mut states = vec![(now(&session), 0)];
    stroke(&mut session, 40, 6);
    states.push((now(&session), 1));
    session.apply(ToolCommand::Choose(Some("smooth")));
    assert!(session.painting().brush().is_none(), "the tool takes the brush out of the hand");
    session.apply(ToolCommand::Apply);
    session.apply(ToolCommand::Cancel);
    states.push((now(&session), 1));
    session.apply(PaintCommand::Hold(Some("subtract".to_owned())));
    stroke(&mut session, 50, 6);
    states.push((now(&session), 2));
    assert!(states.windows(2).all(|pair| pair[0].0 != pair[1].0));
    let is = |session: &Session, want: &(Rows, usize)| {
        assert!(now(session) == want.0 && session.painting().recorded().strokes.len() == want.1, "{}", want.1);
    };
    for want in states.iter().rev().skip(1) {
        session.apply(EditCommand::Undo);
        is(&session, want);
    }
    for want in &states[1..] {
        session.apply(EditCommand::Redo);
        is(&session, want);
    }
}

#[test]
fn what_is_painted_after_an_undo_is_what_a_file_without_the_undone_stroke_gives() {
    let mut session = holding("add");
    set(&mut session, |settings| (settings.accumulate, settings.strength) = (true, 0.1));
    stroke(&mut session, 40, 12);
    stroke(&mut session, 41, 12);
    session.apply(EditCommand::Undo);
    session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
    stroke(&mut session, 42, 12);
    // Undo in a stroke takes the stroke back, and redo brings it.
    let whole = now(&session);
    session.apply(EditCommand::BeginEdit);
    touch(&mut session, 44);
    let painted = now(&session);
    session.apply(EditCommand::Undo);
    assert!(painted != whole && now(&session) == whole && session.painting().recorded().strokes.len() == 2);
    session.apply(EditCommand::Redo);
    assert!(now(&session) == painted && session.painting().recorded().strokes.len() == 3);
    assert!(now(&session) == by_file(&session, Path::new("")));
}

#[test]
fn floods_and_gradients_are_steps_and_a_file_says_them() {
    let mut session = holding("replace");
    let marked = VertexSet::from_vertices((0..100).map(|vertex| (MeshId(0), 0, vertex)).collect());
    let commands = [
        PaintCommand::Flood,
        PaintCommand::Gradient { from: [0.0, 0.1, 0.0], until: [0.0, 0.9, 0.0], radial: false },
        PaintCommand::Gradient { from: [0.0, 0.2, 0.0], until: [0.0, 0.6, 0.0], radial: true },
    ];
    let mut seen = vec![now(&session)];
    for (i, command) in commands.into_iter().enumerate() {
        session.apply(SelectionCommand::Mark(if i == 0 { Arc::new(marked.clone()) } else { Arc::default() }));
        set(&mut session, |settings| settings.value = 0.2 + 0.3 * i as f64);
        session.apply(command);
        seen.push(now(&session));
        assert_eq!(session.painting().recorded().strokes.len(), i + 1);
        assert!(seen[i] != seen[i + 1], "{i}");
    }
    assert!(seen[0][100..] == seen[1][100..], "what is not marked stays");
    assert!(now(&session) == by_file(&session, Path::new("")));
}

#[test]
fn a_flood_is_what_its_file_gives_and_is_undone_to_the_bit_with_layers_and_without() {
    for brush in ["add", "replace", "smooth", "average", "give"] {
        let mut session = holding(brush);
        set(&mut session, |settings| (settings.to, settings.value) = (Some(NodeId(4)), 0.6));
        stroke(&mut session, 40, 5);
        let before = now(&session);
        session.apply(PaintCommand::Flood);
        let after = now(&session);
        assert!(after != before && after == by_file(&session, Path::new("")), "{brush}");
        assert!(
            session.painting().last_stroke().unwrap().changed > 0 && session.painting().note().is_none(),
            "{brush}"
        );
        session.apply(EditCommand::Undo);
        assert!(now(&session) == before && session.painting().recorded().strokes.len() == 1, "{brush}");
        session.apply(EditCommand::Redo);
        assert!(now(&session) == after && session.painting().recorded().strokes.len() == 2, "{brush}");
        // What comes after it begins with the same weights in double precision.
        stroke(&mut session, 60, 5);
        assert!(now(&session) == by_file(&session, Path::new("")), "{brush}");
        // Switched off, nothing is left of it in a layer.
        let mut layered = holding(brush);
        set(&mut layered, |settings| (settings.to, settings.value) = (Some(NodeId(4)), 0.6));
        stroke(&mut layered, 40, 5);
        layered.apply(PaintCommand::Layer(crate::LayerCommand::Add("Layer".to_owned())));
        layered.apply(PaintCommand::Flood);
        assert!(now(&layered) != before, "{brush}");
        let id = layered.painting().layers().active().unwrap();
        layered.apply(PaintCommand::Layer(crate::LayerCommand::SetOn(id, false)));
        assert!(now(&layered) == before, "{brush}");
    }
    // One that can change nothing says why.
    let mut session = holding("add");
    session.apply(ToolCommand::ToggleLock(NodeId(2)));
    session.apply(PaintCommand::Flood);
    assert!(session.painting().note().unwrap().text.contains("locked") && !session.history().can_undo());
}

#[test]
fn a_gradient_of_a_brush_whose_dabs_add_up_is_what_its_file_gives() {
    for brush in ["smooth", "average"] {
        let mut session = holding(brush);
        set(&mut session, |settings| settings.accumulate = true);
        let before = now(&session);
        session.apply(PaintCommand::Gradient { from: [0.0, 0.1, 0.0], until: [0.0, 1.9, 0.0], radial: false });
        assert!(now(&session) != before, "{brush}");
        assert!(now(&session) == by_file(&session, Path::new("")), "{brush}");
    }
}

#[test]
fn a_gradient_reaches_a_mesh_whose_first_skin_lacks_the_joint() {
    let model = tube(Tube { joints: 4, ..Tube::default() });
    // The first skin has the root in place of the last joint.
    let mut session = still_session(with_two_skins(&model, |parts| parts.skins[0].joints[3] = NodeId(0)));
    session.apply(SelectionCommand::Select(Some(NodeId(4))));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    let before = now(&session);
    session.apply(PaintCommand::Gradient { from: [0.0, 0.1, 0.0], until: [0.0, 1.9, 0.0], radial: false });
    assert!(now(&session) != before);
    assert!(now(&session) == by_file(&session, Path::new("")));
}

#[test]
fn a_joint_with_those_below_it_is_painted_as_one_and_a_file_says_so() {
    let mut session = holding("add");
    session.apply(ViewCommand::Set(Toggle::WithChildren, true));
    // Joint 1 and joint 2 have nearly all of it, joint 0 the rest.
    let at = |rows: &Rows, vertex: usize, joint: u16| -> f32 {
        rows[vertex].iter().filter(|pair| pair.0 == joint).map(|pair| f32::from_bits(pair.1)).sum()
    };
    let before = now(&session);
    let vertex = (0..before.len()).find(|v| at(&before, *v, 1) > 0.1 && at(&before, *v, 2) > 0.1).unwrap();
    stroke(&mut session, vertex, 1);
    stroke(&mut session, 24, 9);
    assert!(now(&session) != before && now(&session) == by_file(&session, Path::new("")));
    let text = session.painting().recorded().text();
    assert!(text.contains("\"joint\":[\"joint 1\",\"joint 2\","), "{text}");
    // Taken away, both lose alike.
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    session.apply(PaintCommand::Hold(Some("give".to_owned())));
    set(&mut session, |settings| settings.to = Some(NodeId(1)));
    touch(&mut session, vertex);
    let after = now(&session);
    let shares = [1, 2].map(|joint| at(&after, vertex, joint) / at(&before, vertex, joint));
    assert!(shares[0] < 0.9 && (shares[0] - shares[1]).abs() < 1e-5, "{shares:?}");
}

#[test]
fn an_angle_to_the_view_is_a_mask_that_a_file_says() {
    let painted = |angle: f64| {
        let mut session = holding("add");
        session.apply(CameraCommand::SetViewport(Vec2::new(400.0, 400.0)));
        session.apply(CameraCommand::LookFrom(ViewFrom::Front));
        session.apply(CameraCommand::FrameAll);
        set(&mut session, |all| {
            (all.front_only, all.front_angle, all.radius, all.distance) = (true, angle, 10.0, Distance::Volume);
            all.falloff = "constant".to_owned();
        });
        let before = now(&session);
        touch(&mut session, 40);
        assert!(now(&session) == by_file(&session, Path::new("")), "{angle}");
        now(&session).iter().zip(&before).filter(|(now, before)| now != before).count()
    };
    let [all, some, few] = [90.0, 60.0, 20.0].map(painted);
    assert!(all > some && some > few && few > 0, "{all} {some} {few}");
}

#[test]
fn the_pointer_is_over_a_place_of_the_surface_with_a_ring_around_it() {
    let mut session = holding("add");
    session.apply(CameraCommand::SetViewport(Vec2::new(400.0, 400.0)));
    session.apply(CameraCommand::FrameAll);
    let middle = Vec2::splat(200.0);
    let hit = session.paint_hit(middle).unwrap();
    let ray = session.view().ray(middle);
    assert!(hit.normal.dot(-ray.direction) > 0.2 && (hit.normal.length() - 1.0).abs() < 1e-5);
    assert_eq!(hit.scene.map(|v| v as f32), hit.position.to_array());
    let lines = |session: &Session| {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame.lines
    };
    let without = lines(&session).len();
    session.apply(PaintCommand::Hover(Some(middle)));
    let ring = lines(&session).split_off(without);
    let radius = session.paint_radius() as f32;
    assert!(ring.len() > 2 && ring.iter().all(|line| line.from.distance(hit.position) < 2.1 * radius));
    session.apply(PaintCommand::Sample(middle));
    assert!((session.painting().settings().value - f64::from(hit.weight)).abs() < 1e-6);
    session.apply(PaintCommand::Hold(None));
    // The dot at the painted joint has gone too.
    assert!(lines(&session).len() <= without && lines(&session).iter().all(|line| line.width != 2.0));
}

#[test]
fn the_ring_of_a_brush_wider_than_the_limb_lies_on_the_limb() {
    let mut session = still_session(tube(Tube { joints: 6, rings: 60, sides: 48, ..Tube::default() }));
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    set(&mut session, |settings| settings.radius = 0.4);
    session.apply(CameraCommand::SetViewport(Vec2::new(400.0, 400.0)));
    session.apply(CameraCommand::FrameAll);
    session.apply(PaintCommand::Hover(Some(Vec2::splat(200.0))));
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let surface = session.surfaces().surface().unwrap();
    let positions = &surface.parts[0].deformed.positions;
    let ring: Vec<_> = frame.lines.iter().filter(|line| line.width == 2.0).collect();
    let off = |at: Vec3| positions.iter().map(|position| position.distance(at)).fold(f32::INFINITY, f32::min);
    let farthest = ring.iter().flat_map(|line| [line.from, line.to]).map(off).fold(0.0, f32::max);
    assert!(ring.len() > 20 && farthest < 0.05, "{} {farthest}", ring.len());
    // It is closed: where one of its lines ends, another one begins.
    let ends = |at: Vec3| ring.iter().flat_map(|line| [line.from, line.to]).filter(|end| *end == at).count();
    assert!(ring.iter().all(|line| ends(line.from) % 2 == 0));
}

#[test]
fn a_canvas_is_made_in_the_background_and_waits_for_the_end_of_a_stroke() {
    let mut session = Session::default();
    session.defer_work();
    let model = Arc::new(tube(Tube { joints: 6, ..Tube::default() }));
    session.open(Document::new(model, Vec::new(), None));
    let wants =
        |session: &mut Session| session.wanted().into_iter().find(|work| matches!(work, Work::PreparePainting(_)));
    assert!(wants(&mut session).is_none(), "nobody paints");
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    set(&mut session, |settings| settings.front_only = false);
    assert!(wants(&mut session).is_some());
    session.do_wanted();
    assert!(wants(&mut session).is_none());
    session.apply(EditCommand::BeginEdit);
    touch(&mut session, 40);
    assert!(session.waits_for_commit() && wants(&mut session).is_none());
    session.apply(EditCommand::EndEdit);
    assert!(wants(&mut session).is_none(), "the canvas has the weights that were painted on it");
    session.apply(EditCommand::NormaliseWeights);
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ToolCommand::Apply);
    session.do_wanted();
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    assert!(wants(&mut session).is_none(), "the canvas takes what another tool has changed");
    let smoothed = now(&session);
    stroke(&mut session, 50, 9);
    let painted = now(&session);
    // The same as on a canvas that never had other weights.
    let mut anew = Session::default();
    anew.open(Document::new(Arc::clone(session.document().unwrap().stored()), Vec::new(), None));
    session.apply(EditCommand::Undo);
    assert!(now(&session) == smoothed && smoothed != painted);
    anew.apply(EditCommand::ChangeWeights(Arc::new(session.model().unwrap().edited_weights())));
    anew.apply(SelectionCommand::Select(Some(NodeId(2))));
    anew.apply(PlaybackCommand::SetPlaying(false));
    anew.apply(PaintCommand::Hold(Some("add".to_owned())));
    set(&mut anew, |settings| settings.front_only = false);
    stroke(&mut anew, 50, 9);
    assert!(now(&anew) == painted);
}

#[test]
fn commands_and_settings_are_read_back_to_the_bit() {
    let settings = PaintSettings {
        to: Some(NodeId(3)),
        value: 0.1 + 0.2,
        radius: 1.0 / 3.0,
        mirror: Some(MirrorAxis::Auto),
        max_influences: None,
        ..PaintSettings::default()
    };
    let dab = PaintDab { position: [0.1 + 0.2, -1.0 / 3.0, 0.0], pressure: 0.7, flips: true, smooths: false };
    for command in [
        PaintCommand::Set(settings),
        PaintCommand::Dab(dab),
        PaintCommand::Hold(None),
        PaintCommand::Hover(Some(Vec2::new(1.5, 2.0))),
        PaintCommand::Hover(None),
        PaintCommand::Flood,
    ] {
        let line = command_line(&command.clone().into());
        assert_eq!(read_command(&line).unwrap(), Command::from(command), "{line}");
    }
    let mut session = holding("add");
    set(&mut session, |settings| (settings.strength, settings.falloff) = (f64::NAN, "steep".to_owned()));
    let kept = session.painting().settings().clone();
    assert_eq!((kept.strength, kept.falloff.as_str()), (0.5, "smooth"));
    // A drag of a slider that is given up leaves them as they were.
    session.apply(EditCommand::BeginEdit);
    set(&mut session, |settings| settings.strength = 0.9);
    session.apply(EditCommand::CancelEdit);
    assert_eq!(*session.painting().settings(), kept);
}
