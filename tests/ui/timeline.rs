//! The timeline, and presses that are over within one frame.

use skinscope::model::Facing;

use super::*;

/// The times that the panels asked for, seconds.
fn sought(harness: &Harness<'_, App>) -> Vec<f32> {
    let seek = |c: &Command| if let Command::Playback(PlaybackCommand::Seek(secs)) = c { Some(*secs) } else { None };
    harness.state().commands.iter().filter_map(seek).collect()
}

#[test]
fn dragging_on_the_timeline_scrubs_even_while_playing() {
    for playing in [false, true] {
        let mut harness = open(3);
        harness.state_mut().session.apply(PlaybackCommand::SetPlaying(playing));
        let area = harness.get_by_label("Time").rect();
        // The ends of the clip (0 s and 1 s) stand twelve points inside the area.
        let at = |secs: f32| egui::pos2(area.left() + 12.0 + secs * (area.width() - 24.0), area.bottom() - 10.0);
        drag(&mut harness, &[at(0.24), at(0.51), at(0.76)], PointerButton::Primary);
        let sought = sought(&harness);
        for frame in [7.0, 15.0, 23.0] {
            assert!(sought.contains(&(frame / 30.0)), "frame {frame} in {sought:?}");
        }
        assert_eq!(harness.state().session.playback().playing, playing, "playback goes on after a scrub");
    }
}

#[test]
fn with_alt_the_timeline_is_scrubbed_freely() {
    let mut harness = open(3);
    let area = harness.get_by_label("Time").rect();
    let pos = egui::pos2(area.left() + 12.0 + 0.51 * (area.width() - 24.0), area.bottom() - 10.0);
    let button = PointerButton::Primary;
    harness.event(Event::PointerMoved(pos));
    harness.run();
    for pressed in [true, false] {
        let modifiers = Modifiers::ALT;
        harness.event_modifiers(Event::PointerButton { pos, button, pressed, modifiers }, modifiers);
        harness.step();
    }
    harness.run();
    assert!((harness.state().session.playback().time_secs - 0.51).abs() < 2e-3, "{:?}", sought(&harness));
}

/// Presses at `from` and lets go at `to`, all in one frame.
fn flick(harness: &mut Harness<'_, App>, from: Pos2, to: Pos2) {
    let button = PointerButton::Primary;
    let press = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    harness.event(Event::PointerMoved(from));
    harness.run_steps(2);
    harness.state_mut().commands.clear();
    harness.input_mut().events.extend([press(from, true), Event::PointerMoved(to), press(to, false)]);
    harness.run_steps(3);
}

#[test]
fn a_press_on_a_slider_that_is_over_within_a_frame_counts() {
    for moved in [false, true] {
        let mut harness = selected(3, 2);
        let rail = harness.get_by_label("Rotation X").rect();
        let end = rail.right_center() - vec2(1.0, 0.0);
        flick(&mut harness, if moved { rail.center() + vec2(30.0, 0.0) } else { end }, end);
        let wanted = Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(180.0, 0.0, 0.0))));
        let asked: Vec<_> = harness
            .state()
            .commands
            .iter()
            .filter(|c| matches!(c, Command::Edit(EditCommand::Edit(..)) | Command::Edit(EditCommand::EndEdit)))
            .collect();
        assert_eq!(asked, [&wanted, &Command::Edit(EditCommand::EndEdit)], "moved: {moved}");
    }
}

#[test]
fn what_a_drag_moves_as_it_lets_go_is_kept() {
    let mut harness = selected(3, 2);
    let rail = harness.get_by_label("Rotation X").rect();
    let button = PointerButton::Primary;
    let press = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    harness.event(Event::PointerMoved(rail.center()));
    harness.run();
    harness.event(press(rail.center(), true));
    harness.run();
    harness.event(Event::PointerMoved(rail.center() + vec2(20.0, 0.0)));
    harness.run();
    let end = rail.right_center() + vec2(40.0, 0.0);
    harness.input_mut().events.extend([Event::PointerMoved(end), press(end, false)]);
    harness.run();
    let [.., edit, Command::Edit(EditCommand::EndEdit)] = harness.state().commands.as_slice() else { unreachable!() };
    assert_eq!(*edit, Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(180.0, 0.0, 0.0)))));
    assert_eq!(harness.state().commands.iter().filter(|c| **c == Command::Edit(EditCommand::EndEdit)).count(), 1);
}

#[test]
fn a_press_on_the_ruler_that_is_over_within_a_frame_counts() {
    for (playing, from) in [(false, 0.7), (true, 0.7), (false, 0.25), (true, 0.25)] {
        let mut harness = open(3);
        harness.state_mut().session.apply(PlaybackCommand::SetPlaying(playing));
        let area = harness.get_by_label("Time").rect();
        let at = |secs: f32| egui::pos2(area.left() + 12.0 + secs * (area.width() - 24.0), area.bottom() - 10.0);
        flick(&mut harness, at(from), at(0.7));
        let sought = sought(&harness);
        assert!(sought.len() == 1 && (sought[0] - 0.7).abs() < 1e-3, "playing: {playing}, from {from}: {sought:?}");
    }
}

#[test]
fn transport_buttons_send_what_they_say() {
    let mut harness = open(3);
    let buttons = [
        ("To start", Command::Playback(PlaybackCommand::ToStart)),
        ("Previous key", Command::Playback(PlaybackCommand::PreviousKey)),
        ("Previous frame", Command::Playback(PlaybackCommand::StepFrames(-1))),
        ("Next frame", Command::Playback(PlaybackCommand::StepFrames(1))),
        ("Next key", Command::Playback(PlaybackCommand::NextKey)),
        ("To end", Command::Playback(PlaybackCommand::ToEnd)),
        ("Play", Command::Playback(PlaybackCommand::TogglePlay)),
        ("Pause", Command::Playback(PlaybackCommand::TogglePlay)),
        ("Rest pose", Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest))),
        ("Look from above (+Y)", Command::Camera(CameraCommand::LookFrom(ViewFrom::Top))),
        ("Perspective", Command::Camera(CameraCommand::ToggleOrthographic)),
    ];
    for (label, command) in buttons {
        harness.state_mut().commands.clear();
        click(&mut harness, label);
        assert!(has(&harness, &command), "{label} sent {:?}", harness.state().commands);
    }
}

#[test]
fn the_ends_of_the_axes_say_which_side_of_the_character_they_are() {
    for (facing, label) in [(Facing::PlusZ, "Look from the front (+Z)"), (Facing::MinusZ, "Look from the front (−Z)")]
    {
        let mut harness = open_model(ModelParts { facing, ..(*with_clips(1)).clone() });
        click(&mut harness, label);
        assert!(has(&harness, &Command::Camera(CameraCommand::LookFrom(ViewFrom::Front))), "{facing:?}");
    }
}

#[test]
fn loop_mode_speed_and_frame_rate_are_chosen_from_lists() {
    let mut harness = open(3);
    click(&mut harness, "At the end: Loop");
    click(&mut harness, "Ping-pong");
    click(&mut harness, "Frame rate: 30 fps");
    click(&mut harness, "24 fps");
    click(&mut harness, "Speed: 1×");
    click(&mut harness, "−1×");
    let playback = harness.state().session.playback();
    assert_eq!((playback.loop_mode, playback.fps, playback.speed), (LoopMode::PingPong, 24.0, -1.0));
}

#[test]
fn long_lists_of_clips_are_searched() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(76)), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    // The search has the focus as the list opens.
    click(&mut harness, "Clip: Clip 0");
    harness.event(Event::Text("73".into()));
    harness.run();
    let row = harness
        .get_all_by_role(Role::Button)
        .find(|n| n.accesskit_node().label().is_some_and(|label| label.starts_with("Clip 73")));
    row.unwrap().click();
    harness.run();
    assert_eq!(harness.state().session.playback().clip, Some(ClipId(73)));
}

#[test]
fn files_without_a_clip_say_what_to_do() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(0)), vec![], None));
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("This file has no clips.");
    assert!(harness.query_by_label("Clip").is_none(), "there is no clip pose to choose");
}

#[test]
fn the_timeline_says_that_a_node_has_no_keys() {
    let mut harness = open(3);
    let said =
        |harness: &Harness<'_, App>| painted_texts(harness).iter().any(|(text, _)| text.contains(" has no key of "));
    assert!(!said(&harness));
    let model = Arc::clone(harness.state().session.model().unwrap());
    let is_still = |node: &NodeId| model.clips[0].channels.iter().all(|channel| channel.node != *node);
    let still = (0..model.skeleton.len()).map(NodeId::from_index).find(is_still).unwrap();
    harness.state_mut().session.apply(SelectionCommand::Select(Some(still)));
    harness.run();
    assert!(said(&harness));
}
