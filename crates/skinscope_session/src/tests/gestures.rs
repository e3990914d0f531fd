//! Gestures: one step each, whatever they change, and nothing at all where they are given up.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_anim::{Crossfade, Layers};
use skinscope_edit::Settings;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{ClipId, MeshId, NodeId, WeightChange};

use crate::gesture;
use crate::view::view_history::ViewSettings;
use crate::{
    CameraCommand, ChannelValue, Command, Document, EditCommand, KeyingCommand, MarkCommand, PlaybackCommand,
    SelectionCommand, Session, ToolCommand, ViewCommand,
};

const BEGIN: EditCommand = EditCommand::BeginEdit;
const END: EditCommand = EditCommand::EndEdit;
const CANCEL: EditCommand = EditCommand::CancelEdit;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % end
    }
}

fn open() -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(Tube { joints: 6, ..Tube::default() })), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.update_pose();
    session
}

/// Everything that drags change, weights and clips as their bits.
fn state(session: &Session) -> [String; 8] {
    let model = session.model().unwrap();
    let influences = model.influences(MeshId(0), 0).unwrap();
    let row = |v| (influences.of(v).0.to_vec(), influences.of(v).1.iter().map(|w| w.to_bits()).collect::<Vec<_>>());
    let rows: Vec<_> = (0..influences.vertices()).map(row).collect();
    let view = session.view();
    [
        format!("{:?}", session.edits),
        format!("{:?}", session.playback),
        format!("{:?} {:?} {} {:?}", ViewSettings::of(view), view.orbit, view.crowd, view.comparison),
        format!(
            "{:?} {:?} {:?} {} {:?}",
            view.selected, view.marked, view.finding, session.marking.by_hand, session.rules
        ),
        format!("{:?}", session.tools.settings),
        format!("{:?}", model.added_clips()),
        format!("{:?} {} {}", session.view_history, session.history.can_undo(), session.history.can_redo()),
        format!("{rows:?}"),
    ]
}

/// Fails where states differ, and says in which part.
#[track_caller]
fn assert_same(now: &[String; 8], want: &[String; 8], case: &str) {
    for (part, (now, want)) in now.iter().zip(want).enumerate() {
        let at = now.bytes().zip(want.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| text.chars().skip(at.saturating_sub(40)).take(120).collect::<String>();
        assert!(now == want, "{case}, part {part}: {} where {} was", near(now), near(want));
    }
}

/// Gives one vertex a joint and a part of another.
fn weight(vertex: u32, joint: u16, weight: f32) -> EditCommand {
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(vertex, &[joint, (joint + 1) % 6], &[weight, 1.0 - weight]);
    EditCommand::ChangeWeights(Arc::new(vec![change]))
}

/// A command of each kind that a drag sends.
fn command(kind: u32, random: &mut Random) -> Command {
    let share = |random: &mut Random| random.below(1000) as f32 / 999.0;
    match kind {
        0 => EditCommand::Edit(NodeId(random.below(6)), ChannelValue::Rotation(Vec3::splat(share(random)))).into(),
        1 => weight(random.below(40), random.below(6) as u16, share(random)).into(),
        2 => [MarkCommand::All, MarkCommand::Invert, MarkCommand::None][random.below(3) as usize].clone().into(),
        3 => ViewCommand::SetSkinOpacity(share(random)).into(),
        4 => PlaybackCommand::SetLayers(Layers {
            fade: Some(Crossfade { clip: ClipId(0), weight: share(random), rise: None }),
            add: None,
        })
        .into(),
        5 => ToolCommand::Set(Arc::new(Settings { strength: f64::from(share(random)), ..Settings::default() })).into(),
        6 => PlaybackCommand::Seek(share(random)).into(),
        7 => PlaybackCommand::SetSpeed(share(random)).into(),
        8 => ViewCommand::SetCrowd(1 + random.below(4)).into(),
        9 => KeyingCommand::KeyPose.into(),
        10 => SelectionCommand::Select(Some(NodeId(random.below(6)))).into(),
        _ => CameraCommand::Orbit(Vec2::splat(share(random))).into(),
    }
}

#[test]
fn two_hundred_changes_of_weights_in_a_gesture_are_one_step_that_holds_what_was_touched() {
    for (places, slots) in [(1, 4), (40, 4), (40, 8)] {
        let mut session = open();
        let model = Arc::clone(session.model().unwrap());
        let mut random = Random(7);
        let change = |i: u32, random: &mut Random| {
            let mut change = WeightChange::new(MeshId(0), 0, slots);
            change.push(i * 7 % places, &[random.below(5) as u16, 5], &[random.below(99) as f32 / 100.0, 0.01]);
            EditCommand::ChangeWeights(Arc::new(vec![change]))
        };
        session.apply(weight(3, 4, 0.5));
        session.apply(EditCommand::Undo);
        let before = state(&session);
        session.apply(BEGIN);
        (0..200).for_each(|i| _ = session.apply(change(i, &mut random)));
        assert!(session.has_gesture());
        session.apply(CANCEL);
        assert_same(&state(&session), &before, "steps forward too");
        assert!(Arc::ptr_eq(session.model().unwrap(), &model) && session.history.can_redo());
        session.apply(BEGIN);
        (0..200).for_each(|i| _ = session.apply(change(i, &mut random)));
        session.apply(END);
        let after = state(&session);
        assert_eq!(session.history.skinning_bytes(), places as usize * (4 + 4 * 6), "what there was has four pairs");
        session.apply(EditCommand::Undo);
        assert!(!session.history.can_undo() && session.model().unwrap().weight_edits().is_empty());
        session.apply(EditCommand::Redo);
        assert_same(&state(&session), &after, "redone");
    }
}

#[test]
fn gestures_of_all_kinds_are_one_step_or_none() {
    let mut session = open();
    let mut random = Random(52);
    let (mut given_up, mut of_several) = (0, 0);
    for _ in 0..300 {
        let kinds: Vec<u32> = (0..1 + random.below(3)).map(|_| random.below(12)).collect();
        let before = state(&session);
        session.apply(BEGIN);
        for _ in 0..1 + random.below(5) {
            kinds.iter().for_each(|kind| _ = session.apply(command(*kind, &mut random)));
        }
        if random.below(2) == 0 {
            given_up += 1;
            session.apply(CANCEL);
            assert_same(&state(&session), &before, &format!("{kinds:?}"));
            assert!(!session.has_gesture());
        } else {
            // What no history has stays, and so does what the view's has.
            session.apply(END);
            of_several += usize::from(kinds.len() > 1);
        }
    }
    assert!(given_up > 100 && of_several > 60, "{given_up} {of_several}");
    let of_history = |session: &Session| {
        let model = session.model().unwrap();
        let layers = session.playback.layers;
        format!("{:?} {layers:?} {:?} {:?}", session.edits, model.weight_edits(), model.added_clips())
    };
    let mut seen = vec![of_history(&session)];
    while session.history.can_undo() {
        session.apply(EditCommand::Undo);
        seen.push(of_history(&session));
    }
    assert!(session.edits.is_empty() && !session.model().unwrap().is_edited());
    assert!(session.model().unwrap().added_clips().is_empty());
    for want in seen.iter().rev().skip(1) {
        session.apply(EditCommand::Redo);
        assert_eq!(of_history(&session), *want);
    }
    assert!(!session.history.can_redo());
}

#[test]
fn what_ends_a_gesture_leaves_one_step_and_what_changes_nothing_leaves_none() {
    let edit = |x: f32| EditCommand::Edit(NodeId(1), ChannelValue::Translation(Vec3::splat(x)));
    let mut session = open();
    session.apply(BEGIN);
    session.apply(END);
    assert!(!session.history.can_undo());
    session.apply(edit(1.0));
    session.apply(END);
    session.apply(EditCommand::Undo);
    session.apply(BEGIN);
    session.apply(END);
    assert!(session.history.can_redo(), "a press without a drag keeps the steps forward");
    // Undo in a drag takes back the whole drag.
    session.apply(BEGIN);
    session.apply(edit(2.0));
    session.apply(weight(1, 2, 0.25));
    session.apply(edit(3.0));
    session.apply(EditCommand::Undo);
    assert!(session.edits.is_empty() && !session.model().unwrap().is_edited() && !session.has_gesture());
    assert!(!session.history.can_undo());
    session.apply(EditCommand::Redo);
    assert!(!session.edits.is_empty() && session.model().unwrap().is_edited());
    // Another begin ends it, and so does another file.
    session.apply(BEGIN);
    session.apply(edit(4.0));
    session.apply(BEGIN);
    session.apply(edit(5.0));
    session.apply(CANCEL);
    assert_eq!(session.edits.nodes[&NodeId(1)].translation, Some(Vec3::splat(4.0)));
    session.apply(BEGIN);
    session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    assert!(!session.has_gesture());
    session.apply(CANCEL);
    session.apply(END);
    // So does a newer version of the file: what it shows stays.
    let version = || Document::new(Arc::new(tube(Tube::default())), Vec::new(), Some("model.glb".into()));
    session.open(version());
    session.apply(BEGIN);
    session.apply(weight(1, 2, 0.25));
    session.open(version());
    let newer = Arc::clone(session.model().unwrap());
    session.apply(CANCEL);
    assert!(Arc::ptr_eq(session.model().unwrap(), &newer) && !session.has_gesture());
}

#[test]
fn a_clip_that_plays_goes_on_and_a_camera_that_moves_by_itself_stays() {
    let mut session = open();
    session.apply(PlaybackCommand::SetPose(crate::PoseSource::Clip));
    session.apply(PlaybackCommand::SetPlaying(true));
    session.apply(BEGIN);
    session.apply(ViewCommand::SetSkinOpacity(0.5));
    session.apply(PlaybackCommand::Advance(0.1));
    session.view.orbit.yaw += 1.0;
    let (time, yaw) = (session.playback.time_secs, session.view.orbit.yaw);
    session.apply(CANCEL);
    assert_eq!((session.view.skin_opacity, session.playback.time_secs, session.view.orbit.yaw), (1.0, time, yaw));
    assert!(time > 0.0 && session.playback.playing);
    gesture::cancel(&mut session);
    assert_eq!(session.view.skin_opacity, 1.0, "there is nothing more to give up");
}
