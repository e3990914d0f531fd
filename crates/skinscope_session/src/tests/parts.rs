//! Tests of parts of a session by themselves, without a session.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_model::ClipId;
use skinscope_model::test_shapes::{Tube, tube};

use crate::*;

#[test]
fn playback_carries_out_its_commands_by_itself() {
    let model = Arc::new(tube(Tube::default()));
    let (mut playback, mut history) = (Playback::default(), History::default());
    let mut apply = |command: PlaybackCommand| {
        playback.apply(&command, &model, None, &mut history);
        playback.clone()
    };
    assert_eq!(apply(PlaybackCommand::SetClip(ClipId(0))).clip, Some(ClipId(0)));
    assert_eq!(apply(PlaybackCommand::SetClip(ClipId(99))).clip, Some(ClipId(0)), "there is no such clip");
    assert!(apply(PlaybackCommand::SetPlaying(true)).playing);
    let end = apply(PlaybackCommand::ToEnd);
    assert_eq!(end.time_secs, end.duration_secs(&model));
    let before = apply(PlaybackCommand::PreviousKey);
    assert!(before.time_secs < end.time_secs && !before.playing);
    assert_eq!(apply(PlaybackCommand::SetSpeed(f32::NAN)).speed, 1.0);
}

#[test]
fn a_drag_is_one_step_that_can_be_cancelled_and_a_change_is_a_step_of_its_own() {
    let (mut history, mut edits) = (History::default(), Arc::new(Edits::default()));
    let with = |weight: f32| {
        let mut edits = Edits::default();
        edits.morphs.insert(0, weight);
        edits
    };
    history.drag_edits(&mut edits, with(0.1));
    history.drag_edits(&mut edits, with(0.2));
    assert!(history.is_open());
    history.cancel_step(&mut edits);
    assert!(edits.is_empty() && !history.can_undo());
    history.change_edits(&mut edits, with(0.3));
    assert!(history.can_undo() && !history.is_open());
    history.change_edits(&mut edits, with(0.3));
    assert_eq!(edits.morphs.get(&0), Some(&0.3));
}

#[test]
fn a_view_follows_a_model_only_where_it_has_left_the_picture() {
    let around = |middle: f32| Aabb { min: Vec3::splat(middle - 1.0), max: Vec3::splat(middle + 1.0) };
    let mut view = View::default();
    view.frame(around(0.0));
    let before = view.orbit;
    view.keep_in_view(around(0.0), around(0.01));
    assert_eq!(view.orbit, before);
    view.keep_in_view(around(0.0), around(500.0));
    assert_eq!(view.orbit.target, Vec3::splat(500.0));
}

#[test]
fn work_that_is_set_aside_stays_when_another_file_is_opened() {
    let model = Arc::new(tube(Tube::default()));
    let mut files = Files::default();
    files.note_model_saved(PathBuf::from("a.glb"), model);
    let work = WorkRecord { model: "a".to_owned(), pins: vec!["Hand".to_owned()], ..WorkRecord::default() };
    let mut lines = Vec::new();
    files.set_work_aside(work, &mut lines);
    files.set_work_aside(WorkRecord::default(), &mut lines);
    assert_eq!((files.set_aside().len(), lines.len()), (1, 1));
    files.forget();
    assert!(files.saved.is_none() && files.set_aside().len() == 1);
}
