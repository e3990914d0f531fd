//! Clips are made of poses, in the timeline and by the panel beside it.

use skinscope::anim::{Additive, Crossfade};
use skinscope::pose::Axis;
use skinscope::session::KeyingCommand;

use super::*;

fn times(harness: &Harness<'_, App>) -> Vec<f32> {
    harness.state().session.clip_keys().keyed_clip().map_or_else(Vec::new, |(_, clip)| clip.times.concat())
}

#[test]
fn a_clip_is_made_of_poses_and_named_and_its_keys_are_dragged_and_taken_out() {
    let mut harness = selected(3, 2);
    click(&mut harness, "Key");
    assert_eq!(times(&harness), [0.0]);
    let session = &mut harness.state_mut().session;
    session.apply(PlaybackCommand::Seek(0.5));
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * 40.0)));
    session.apply(EditCommand::EndEdit);
    harness.run();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::K);
    harness.run();
    assert_eq!(times(&harness), [0.0, 0.5]);
    assert!(harness.state().session.edits().is_empty());
    // The timeline goes on for a second after the last key.
    let ruler = harness.get_by_role_and_label(Role::Slider, "Time").rect();
    let at = |secs: f32| Pos2::new(ruler.left() + 12.0 + secs / 1.5 * (ruler.width() - 24.0), ruler.top() + 38.0);
    drag(&mut harness, &[at(0.5), at(0.7), at(1.0)], PointerButton::Primary);
    let moved = times(&harness);
    assert!(moved.len() == 2 && (moved[1] - 1.0).abs() < 0.01, "{moved:?}");
    click(&mut harness, "Keys and layers of the clip");
    harness.get_by_label("2 keys");
    harness.get_by_label("Name of the clip").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text("Nod".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().session.model().unwrap().clips[1].name, "Nod");
    click(&mut harness, "Remove key 1");
    assert_eq!(times(&harness).len(), 1);
    click(&mut harness, "Remove clip");
    assert_eq!(harness.state().session.unsaved().unsaved_clips(), 0);
    for command in [KeyingCommand::KeyPose, KeyingCommand::RemoveKey(0.0), KeyingCommand::RemoveClip(ClipId(1))] {
        assert!(has(&harness, &command.clone().into()), "{command:?}");
    }
}

#[test]
fn a_clip_is_mirrored_by_the_panel_beside_it() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(3)), vec![], None));
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Keys and layers of the clip");
    click(&mut harness, "Mirror Z");
    assert!(has(&harness, &KeyingCommand::MirrorClip(Some(Axis::Z)).into()));
    let session = &harness.state().session;
    let model = session.model().unwrap();
    let shown = &model.clips[session.playback().clip.unwrap().index()];
    assert!(shown.is_added() && shown.name.ends_with(" mirrored"), "{}", shown.name);
    let said = session.document().unwrap().warnings.join("\n");
    assert!(said.contains("has a partner on the other side"), "{said}");
}

#[test]
fn clips_are_laid_over_another_by_the_panel_beside_it() {
    let session = {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(with_clips(3)), vec![], None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session
    };
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Keys and layers of the clip");
    click(&mut harness, "Crossfade into: Clip 1");
    click(&mut harness, "Rises");
    click(&mut harness, "Add: Clip 1");
    let layers = harness.state().session.playback().layers;
    let fade = Crossfade { clip: ClipId(1), weight: 0.5, rise: Some([0.0, 0.3]) };
    assert_eq!((layers.fade, layers.add), (Some(fade), Some(Additive { clip: ClipId(1), weight: 1.0 })));
    click(&mut harness, "Crossfade into: no clip");
    click(&mut harness, "Add: no clip");
    let session = &mut harness.state_mut().session;
    assert!(session.playback().layers.is_empty());
    // Each choice was a step of its own.
    session.apply(EditCommand::Undo);
    assert!(session.playback().layers.add.is_some());
    session.apply(EditCommand::Undo);
    assert_eq!(session.playback().layers, layers);
}

#[test]
fn the_panel_of_the_clip_leaves_the_figure_free_and_its_lists_scroll() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(40)), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Keys and layers of the clip");
    let picture = harness.state().picture;
    for name in ["Crossfade into: no clip", "Crossfade into: Clip 1", "Add: no clip"] {
        let rect = harness.get_by_label(name).rect();
        assert!(rect.left() > picture.right() && rect.right() <= 1280.0, "{name}: {rect:?} over {picture:?}");
    }
    harness.get_by_label("Crossfade into: Clip 30").scroll_to_me();
    harness.run();
    harness.run();
    let rect = harness.get_by_label("Crossfade into: Clip 30").rect();
    assert!(rect.top() > 30.0 && rect.bottom() < picture.bottom(), "{rect:?}");
    click(&mut harness, "Crossfade into: Clip 30");
    assert_eq!(harness.state().session.playback().layers.fade.map(|fade| fade.clip), Some(ClipId(30)));
}
