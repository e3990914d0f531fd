//! Fields that are opened and left: text that nobody has changed writes nothing, in every panel that has numbers or names.

use skinscope::anim::{Crossfade, Layers};
use skinscope::session::{BesideCommand, ControlCommand, KeyingCommand};

use super::*;

/// The ways to leave a field.
const WAYS: [fn(&mut Harness<'static, App>); 3] = [
    |harness| harness.key_press(Key::Tab),
    |harness| harness.key_press(Key::Enter),
    |harness| {
        let beside = harness.state().picture.left_bottom() + vec2(30.0, -30.0);
        harness.event(Event::PointerMoved(beside));
        for pressed in [true, false] {
            let button = PointerButton::Primary;
            harness.event(Event::PointerButton { pos: beside, button, pressed, modifiers: Modifiers::NONE });
        }
    },
];

/// Opens a field by a click, lets time pass, leaves it by Tab, and returns what that has changed.
fn left(harness: &mut Harness<'static, App>, field: &str) -> Vec<Command> {
    harness.get_by_label(field).scroll_to_me();
    harness.run();
    harness.state_mut().commands.clear();
    click(harness, field);
    harness.run_steps(3);
    harness.key_press(Key::Tab);
    harness.run();
    let commands = std::mem::take(&mut harness.state_mut().commands);
    commands.into_iter().filter(|command| *command != EditCommand::EndEdit.into()).collect()
}

#[test]
fn a_joint_whose_field_is_left_untouched_while_a_clip_plays_follows_the_clip() {
    for leave in WAYS {
        let mut harness = selected(3, 2);
        let session = &mut harness.state_mut().session;
        session.apply(PlaybackCommand::TogglePlay);
        click(&mut harness, "Rotation X value");
        // The tube bends about X, on and on.
        harness.state_mut().session.apply(PlaybackCommand::Seek(0.3));
        harness.run_steps(3);
        leave(&mut harness);
        harness.run_steps(3);
        let session = &harness.state().session;
        assert!(session.edits().is_empty() && !session.history().can_undo(), "{:?}", session.edits());
    }
}

#[test]
fn what_is_typed_and_taken_back_was_never_typed() {
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(PlaybackCommand::TogglePlay);
    click(&mut harness, "Rotation X value");
    harness.event(Event::Text("7".into()));
    harness.run_steps(3);
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.3));
    for _ in 0..2 {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        harness.run_steps(2);
    }
    harness.key_press(Key::Tab);
    harness.run_steps(3);
    assert!(harness.state().session.edits().is_empty(), "{:?}", harness.state().session.edits());
}

#[test]
fn numbers_that_are_shown_rounded_stay_whole_when_their_field_or_their_menu_is_only_looked_at() {
    // A channel of a joint: its rest translation has more decimals than are shown.
    let mut harness = selected(3, 2);
    for field in ["Rotation X value", "Translation Y value", "Scale Z value"] {
        assert_eq!(left(&mut harness, field), [], "{field}");
    }
    // The limit of influences, whose field is in the legend.
    harness.state_mut().session.apply(ViewCommand::ToggleOverlay("alarms"));
    harness.run();
    assert_eq!(left(&mut harness, "Influence limit"), []);
    // Bones and skin.
    let session = &mut harness.state_mut().session;
    session.apply(ViewCommand::SetBoneSize(0.777));
    session.apply(ViewCommand::SetSkinOpacity(0.3337));
    click(&mut harness, "Bones and skin");
    assert_eq!(left(&mut harness, "Bone size value"), []);
    assert_eq!(left(&mut harness, "Skin opacity value"), []);
    let view = harness.state().session.view();
    assert_eq!((view.bone_size, view.skin_opacity), (0.777, 0.3337));
}

#[test]
fn the_surroundings_stay_as_they_are_turned_when_their_menu_is_only_opened() {
    let mut harness = open(3);
    harness.set_size(vec2(1280.0, 900.0));
    harness.run();
    let path = std::env::temp_dir().join("no such sunset.hdr");
    for command in
        [EnvironmentCommand::Show(Some(path)), EnvironmentCommand::Turn(12.345), EnvironmentCommand::Expose(0.789)]
    {
        harness.state_mut().session.apply(ViewCommand::Environment(command));
    }
    click(&mut harness, "Look");
    harness.get_by_role_and_label(Role::MenuItem, "Surroundings").click();
    harness.run();
    for field in ["Rotation value", "Exposure value"] {
        assert_eq!(left(&mut harness, field), [], "{field}");
    }
    let environment = &harness.state().session.view().environment;
    assert_eq!((environment.rotation, environment.exposure), (12.345, 0.789));
}

#[test]
fn the_gap_between_two_models_stays() {
    let mut session = session(3);
    session.open_beside(Document::new(Arc::new(tube(Tube { joints: 5, rings: 12, ..Tube::default() })), vec![], None));
    session.apply(BesideCommand::SetGap(0.123_45));
    let mut harness = window(session, UiState::default(), Status::default());
    assert_eq!(left(&mut harness, "Room between the models"), []);
    click(&mut harness, "Room between the models");
    harness.event(Event::Text("30".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &BesideCommand::SetGap(0.3).into()), "{:?}", harness.state().commands);
}

#[test]
fn keys_and_layers_of_a_clip_stay_where_they_are() {
    let mut harness = selected(3, 2);
    let rise = Crossfade { clip: ClipId(0), weight: 0.123_4, rise: Some([0.123_456, 0.333_33]) };
    let session = &mut harness.state_mut().session;
    session.apply(PlaybackCommand::Seek(1.0 / 24.0));
    session.apply(KeyingCommand::KeyPose);
    session.apply(PlaybackCommand::SetLayers(Layers { fade: Some(rise), ..Layers::default() }));
    harness.run();
    click(&mut harness, "Keys and layers of the clip");
    for field in ["Time of key 1", "Share of the crossfade value", "Rises at", "Rises in"] {
        assert_eq!(left(&mut harness, field), [], "{field}");
    }
    // A name that was typed and given up is not taken, and not shown the next time either.
    click(&mut harness, "Name of the clip");
    harness.event(Event::Text("Other".into()));
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Keying(KeyingCommand::Rename(..)))));
}

#[test]
fn ends_and_names_of_sliders_stay_when_their_fields_are_only_looked_at() {
    let mut harness = selected(3, 2);
    let session = &mut harness.state_mut().session;
    session.apply(ControlCommand::AddSlider);
    session.apply(ControlCommand::SetRange(0, [0.123_45, 1.987_65, 0.555_55]));
    harness.run();
    click(&mut harness, "Edit controls");
    for word in ["Least value", "Greatest value", "Value when reset"] {
        assert_eq!(left(&mut harness, &format!("{word} of Slider")), [], "{word}");
    }
    click(&mut harness, "Name of Slider");
    harness.event(Event::Text("Other".into()));
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.state().session.edits().controls.sliders[0].name, "Slider");
}
