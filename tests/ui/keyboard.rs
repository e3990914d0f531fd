//! The panels by keyboard, and keys and clicks that arrive all at once because the program was busy.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, RawInput};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use skinscope::app::ui;
use skinscope::model::NodeId;
use skinscope::session::{
    CameraCommand, ChannelValue, Command, EditCommand, Panel, PlaybackCommand, SelectionCommand, Toggle, ViewCommand,
    ViewFrom, WindowCommand,
};

use super::{App, click, has, open, selected};

/// A key and the text that it types.
pub fn pressed(key: Key, modifiers: Modifiers) -> Vec<Event> {
    let down = Event::Key { key, physical_key: Some(key), pressed: true, repeat: false, modifiers };
    let name = key.name();
    let text = if key == Key::Space { Some(" ".to_owned()) } else { (name.len() == 1).then(|| name.to_lowercase()) };
    let text = text.filter(|_| modifiers == Modifiers::NONE).map(Event::Text);
    let up = Event::Key { key, physical_key: Some(key), pressed: false, repeat: false, modifiers };
    [Some(down), text, Some(up)].into_iter().flatten().collect()
}

pub fn typed(text: &str) -> Vec<Event> {
    text.chars().filter_map(|c| Key::from_name(&c.to_uppercase().to_string())).flat_map(plain).collect()
}

pub fn plain(key: Key) -> Vec<Event> {
    pressed(key, Modifiers::NONE)
}

pub fn clicked(at: Pos2) -> Vec<Event> {
    let button =
        |pressed| Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    vec![Event::PointerMoved(at), button(true), button(false)]
}

/// What arrives within one frame, as the window gives it to the panels.
pub fn at_once(harness: &mut Harness<'_, App>, events: impl IntoIterator<Item = Vec<Event>>) {
    let events = events.into_iter().flatten().collect();
    for turn in ui::turns(RawInput { events, ..RawInput::default() }) {
        harness.input_mut().events.extend(turn.events);
        harness.step();
    }
    harness.run();
}

pub fn press(harness: &mut Harness<'_, App>, key: Key) {
    at_once(harness, [plain(key)]);
}

fn searched(harness: &Harness<'_, App>) -> String {
    harness.get_by_label("Search nodes").accesskit_node().value().unwrap_or_default()
}

#[test]
fn a_key_that_follows_a_click_within_one_frame_goes_where_the_click_has_led() {
    let mut harness = open(4);
    // Away from the search: a shortcut, and nothing is searched for.
    click(&mut harness, "Search nodes");
    assert!(harness.get_by_label("Search nodes").is_focused());
    let row = harness.get_by_label("joint 2").rect().center();
    at_once(&mut harness, [clicked(row), plain(Key::W)]);
    assert_eq!(searched(&harness), "");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("weights"))), "{:?}", harness.state().commands);
    assert_eq!(harness.state().session.view().selected, Some(NodeId(3)));
    // Into the search: text, and nothing is switched.
    let search = harness.get_by_label("Search nodes").rect().center();
    at_once(&mut harness, [clicked(search), plain(Key::W)]);
    assert_eq!(searched(&harness), "w");
    assert!(harness.state().session.view().overlay.is_some());
    // A key that does something without text, after a click away from it.
    let middle = harness.state().picture.center();
    at_once(&mut harness, [clicked(middle), plain(Key::F12)]);
    assert!(has(&harness, &WindowCommand::TogglePanel(Panel::Statistics).into()));
}

#[test]
fn a_dialog_that_opens_and_closes_within_one_frame_is_closed() {
    let mut harness = open(4);
    at_once(&mut harness, [plain(Key::F1), plain(Key::Escape), plain(Key::Space)]);
    assert!(harness.query_by_label("Keys").is_none(), "the list of keys stays");
    assert!(harness.state().commands.iter().any(|c| matches!(c, Command::Playback(_))), "the key after it is lost");
}

#[test]
fn clicks_in_several_places_within_one_frame_all_count() {
    let mut harness = open(4);
    let place = |harness: &Harness<'_, App>, label: &str| harness.get_by_label(label).rect().center();
    let (bones, grid, row) = (place(&harness, "Bones"), place(&harness, "Grid"), place(&harness, "joint 1"));
    at_once(&mut harness, [clicked(bones), clicked(grid), clicked(row)]);
    for command in [
        Command::View(ViewCommand::Toggle(Toggle::Bones)),
        Command::View(ViewCommand::Toggle(Toggle::Grid)),
        Command::Selection(SelectionCommand::Select(Some(NodeId(2)))),
    ] {
        assert_eq!(harness.state().commands.iter().filter(|c| **c == command).count(), 1, "{command:?}");
    }
}

#[test]
fn what_is_typed_before_a_click_within_one_frame_is_kept() {
    let mut harness = selected(3, 2);
    let field = harness.get_by_label("Rotation Y value").rect().center();
    let middle = harness.state().picture.left_bottom() + egui::vec2(20.0, -20.0);
    at_once(&mut harness, [clicked(field), typed("25"), clicked(middle)]);
    let edit = Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 25.0, 0.0))));
    assert!(has(&harness, &edit), "{:?}", harness.state().commands);
}

#[test]
fn a_drag_within_one_frame_turns_the_camera() {
    let mut harness = open(3);
    let middle = harness.state().picture.center();
    let [moved, down, up] = <[Event; 3]>::try_from(clicked(middle)).unwrap();
    let to = |x: f32| Event::PointerMoved(middle + egui::vec2(x, 0.0));
    at_once(&mut harness, [vec![moved, down, to(30.0), to(80.0), up]]);
    assert!(
        has(&harness, &Command::Camera(CameraCommand::Orbit(glam::Vec2::new(80.0, 0.0)))),
        "{:?}",
        harness.state().commands
    );
}

#[test]
fn a_held_key_repeats_steps_and_never_flickers_a_toggle() {
    let mut harness = open(3);
    let hold = |key: Key| {
        let down = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE };
        vec![down.clone(), down.clone(), down]
    };
    at_once(&mut harness, [hold(Key::ArrowRight)]);
    assert_eq!(
        harness.state().commands.iter().filter(|c| **c == Command::Playback(PlaybackCommand::StepFrames(1))).count(),
        3
    );
    at_once(&mut harness, [hold(Key::B)]);
    assert_eq!(
        harness.state().commands.iter().filter(|c| **c == Command::View(ViewCommand::Toggle(Toggle::Bones))).count(),
        1
    );
}

#[test]
fn a_key_that_would_do_nothing_says_why() {
    let mut harness = open(3);
    let undo = Command::Edit(EditCommand::Undo);
    at_once(&mut harness, [pressed(Key::Z, Modifiers::COMMAND)]);
    harness.get_by_role_and_label(Role::Alert, "There is no edit to take back.");
    at_once(&mut harness, [plain(Key::H)]);
    harness.get_by_label("No node is selected.");
    assert!(!has(&harness, &undo) && !has(&harness, &Command::View(ViewCommand::HideSelected)));
    // Enter accepts whatever there is to accept, and is no mistake where there is nothing.
    at_once(&mut harness, [pressed(Key::Z, Modifiers::COMMAND), plain(Key::Enter)]);
    harness.get_by_label("There is no edit to take back.");
    // What can be taken back is taken back by the same key.
    let edit = EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 25.0, 0.0)));
    harness.state_mut().session.apply(edit);
    harness.state_mut().session.apply(EditCommand::EndEdit);
    at_once(&mut harness, [pressed(Key::Z, Modifiers::COMMAND)]);
    assert!(has(&harness, &undo), "{:?}", harness.state().commands);
}

#[test]
fn digits_of_the_number_pad_are_told_from_those_above_the_letters() {
    let mut harness = open(3);
    let number_pad = |key, digit, modifiers| {
        let mut events = pressed(key, modifiers);
        events.truncate(1);
        ui::mark_number_pad(&mut events, digit);
        events
    };
    at_once(&mut harness, [pressed(Key::Num1, Modifiers::COMMAND)]);
    at_once(&mut harness, [number_pad(Key::Num1, 1, Modifiers::COMMAND)]);
    at_once(&mut harness, [number_pad(Key::Num7, 7, Modifiers::NONE), plain(Key::Num3)]);
    // With Num Lock off the key is another, in the same place.
    let mut home = vec![Event::Key {
        key: Key::Home,
        physical_key: Some(Key::Num7),
        pressed: true,
        repeat: false,
        modifiers: Modifiers::COMMAND,
    }];
    ui::mark_number_pad(&mut home, 7);
    at_once(&mut harness, [home]);
    let keys: Vec<_> = harness
        .state()
        .commands
        .iter()
        .filter(|c| {
            matches!(
                c,
                Command::Camera(CameraCommand::LookFrom(_))
                    | Command::Window(WindowCommand::TogglePanel(_))
                    | Command::Camera(CameraCommand::FrameAll)
            )
        })
        .cloned()
        .collect();
    let look = |side| Command::Camera(CameraCommand::LookFrom(side));
    let panel = Command::Window(WindowCommand::TogglePanel(Panel::Outliner));
    assert_eq!(keys, [panel, look(ViewFrom::Back), look(ViewFrom::Top), look(ViewFrom::Right), look(ViewFrom::Bottom)]);
}

#[test]
fn shortcuts_work_whatever_has_the_focus_and_text_fields_keep_theirs() {
    let keys = [
        (Key::W, Command::View(ViewCommand::ToggleOverlay("weights"))),
        (Key::Space, Command::Playback(PlaybackCommand::TogglePlay)),
        (Key::ArrowUp, Command::Playback(PlaybackCommand::NextKey)),
        (Key::Home, Command::Camera(CameraCommand::FrameAll)),
        (Key::Escape, Command::Selection(SelectionCommand::Deselect)),
    ];
    for widget in ["Bones", "Next frame", "Rotation X", "joint 2", "Time", "Weights", "Speed: 1×"] {
        // In the tree up and down go from row to row.
        for (key, command) in keys.iter().filter(|k| widget != "joint 2" || k.0 != Key::ArrowUp) {
            let mut harness = selected(3, 2);
            harness.get_by_label(widget).focus();
            harness.run();
            harness.state_mut().commands.clear();
            press(&mut harness, *key);
            let asked: Vec<_> = harness
                .state()
                .commands
                .iter()
                .filter(|c| !matches!(c, Command::Selection(SelectionCommand::Hover(_))))
                .cloned()
                .collect();
            assert_eq!(asked, std::slice::from_ref(command), "{key:?} with the focus on {widget}");
        }
    }
    for field in ["Search nodes", "Rotation X value"] {
        let mut harness = selected(3, 2);
        click(&mut harness, field);
        harness.state_mut().commands.clear();
        at_once(&mut harness, keys[..4].iter().map(|(key, _)| plain(*key)));
        // A value steps by the arrows.
        let own =
            |c: &&Command| matches!(c, Command::Edit(EditCommand::Edit(..)) | Command::Edit(EditCommand::EndEdit));
        let other: Vec<_> = harness.state().commands.iter().filter(|c| !own(c)).collect();
        assert!(other.is_empty(), "{field}: {other:?}");
        at_once(&mut harness, [pressed(Key::T, Modifiers::COMMAND)]);
        assert!(has(&harness, &Command::Window(WindowCommand::ToggleTheme)), "{field} has no use for it");
        press(&mut harness, Key::Escape);
        assert!(!has(&harness, &Command::Selection(SelectionCommand::Deselect)), "{field} keeps Escape");
    }
}

/// Enter presses what has the focus, and Space does not.
#[test]
fn enter_presses_a_button_and_space_plays() {
    let mut harness = open(3);
    harness.get_by_label("Bones").focus();
    harness.run();
    press(&mut harness, Key::Space);
    assert!(
        !has(&harness, &Command::View(ViewCommand::Toggle(Toggle::Bones)))
            && has(&harness, &Command::Playback(PlaybackCommand::TogglePlay))
    );
    press(&mut harness, Key::Enter);
    assert!(has(&harness, &Command::View(ViewCommand::Toggle(Toggle::Bones))));
}

#[test]
fn keys_go_to_an_open_menu_and_not_past_it() {
    let mut harness = open(3);
    click(&mut harness, "File");
    press(&mut harness, Key::W);
    assert!(harness.state().commands.is_empty(), "{:?}", harness.state().commands);
    press(&mut harness, Key::Escape);
    assert!(!has(&harness, &Command::Selection(SelectionCommand::Deselect)));
    press(&mut harness, Key::W);
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("weights"))));
}

#[test]
fn keys_as_in_maya_choose_tools_and_menus_and_tooltips_say_so() {
    use skinscope::session::PoseTool;
    let mut harness = selected(3, 2);
    click(&mut harness, "Help");
    click(&mut harness, "Keys as in Maya");
    for (key, tool) in
        [(Key::W, PoseTool::Move), (Key::R, PoseTool::Scale), (Key::E, PoseTool::Turn), (Key::Q, PoseTool::Select)]
    {
        harness.key_press(key);
        harness.run();
        assert_eq!(harness.state().session.view().pose_tool, tool);
    }
    assert!(
        !harness.state().session.view().is_on(Toggle::Wireframe) && harness.state().session.view().overlay.is_none()
    );
    harness.key_press_modifiers(Modifiers::SHIFT, Key::W);
    harness.run();
    assert_eq!(harness.state().session.view().overlay.map(|o| o.id), Some("weights"));
    assert!(harness.state().ui.saved().maya_keys);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    harness.event(Event::Text("turn tool".into()));
    harness.run();
    harness.get_by_label("Turn tool, Pose, E");
}

/// A key as the window gives it where the layout types `sign` at this place; `None`: a letter that egui does not know.
fn at_place(place: Key, sign: Option<Key>, modifiers: Modifiers, types_latin: bool) -> Vec<Event> {
    let key = |pressed| Event::Key {
        key: sign.unwrap_or(place),
        physical_key: Some(place),
        pressed,
        repeat: false,
        modifiers,
    };
    let mut events = vec![key(true), key(false)];
    ui::take_by_place(&mut events, types_latin);
    events
}

#[test]
fn the_keys_of_digits_are_taken_by_place_where_the_layout_types_signs_there() {
    use skinscope::session::{MeasureCommand, Panel as P};
    let mut harness = open(3);
    let ctrl = Modifiers::COMMAND;
    let tables = Command::Window(WindowCommand::TogglePanel(P::Tables));
    let deformation = Command::Measure(MeasureCommand::TogglePanel);
    // French: the key of 4 types an apostrophe, that of 6 a minus. Czech: that of 1 types a plus.
    at_once(&mut harness, [at_place(Key::Num4, Some(Key::Quote), ctrl, true)]);
    assert!(has(&harness, &tables), "{:?}", harness.state().commands);
    at_once(&mut harness, [at_place(Key::Num6, Some(Key::Minus), ctrl, true)]);
    assert!(has(&harness, &deformation) && !has(&harness, &WindowCommand::StepScale(-1).into()));
    at_once(&mut harness, [at_place(Key::Num1, Some(Key::Plus), ctrl, true)]);
    assert!(has(&harness, &WindowCommand::TogglePanel(P::Outliner).into()));
    assert!(!has(&harness, &WindowCommand::StepScale(1).into()));
    // Without Ctrl they stand in for the number pad.
    at_once(&mut harness, [at_place(Key::Num3, Some(Key::Quote), Modifiers::NONE, true)]);
    assert!(has(&harness, &CameraCommand::LookFrom(ViewFrom::Right).into()), "{:?}", harness.state().commands);
    // Where another key types the sign it is that sign, and so it is with Shift.
    harness.state_mut().commands.clear();
    at_once(&mut harness, [at_place(Key::Slash, Some(Key::Minus), ctrl, true)]);
    at_once(&mut harness, [at_place(Key::Num3, Some(Key::Plus), ctrl | Modifiers::SHIFT, true)]);
    let sent: Vec<_> = harness.state().commands.iter().filter(|c| matches!(c, Command::Window(_))).collect();
    assert_eq!(sent, [&Command::from(WindowCommand::StepScale(-1)), &WindowCommand::StepScale(1).into()]);
}

#[test]
fn the_keys_of_letters_are_taken_by_place_where_the_layout_has_no_latin_ones() {
    let weights = Command::View(ViewCommand::ToggleOverlay("weights"));
    // Hebrew: the key of W types an apostrophe, that of E a letter.
    let mut harness = open(3);
    at_once(&mut harness, [at_place(Key::W, Some(Key::Quote), Modifiers::NONE, false)]);
    at_once(&mut harness, [at_place(Key::E, None, Modifiers::NONE, false)]);
    assert!(has(&harness, &weights) && has(&harness, &Command::View(ViewCommand::Toggle(Toggle::Wireframe))));
    // Greek: the key of Q types a semicolon.
    at_once(&mut harness, [at_place(Key::Q, Some(Key::Semicolon), Modifiers::COMMAND, false)]);
    assert!(harness.state().commands.iter().any(|c| skinscope::session::row_of(c).is_some_and(|r| r.label == "Quit")));
    // A French or a Dvorak comma is no M or W.
    let mut harness = open(3);
    at_once(&mut harness, [at_place(Key::W, Some(Key::Comma), Modifiers::NONE, true)]);
    assert!(!has(&harness, &weights));
    // Nor is it before a letter was typed.
    at_once(&mut harness, [at_place(Key::W, Some(Key::Comma), Modifiers::NONE, false)]);
    assert!(!has(&harness, &weights));
    at_once(&mut harness, [at_place(Key::M, Some(Key::Comma), Modifiers::COMMAND, false)]);
    assert!(has(&harness, &WindowCommand::ShowPreferences.into()), "{:?}", harness.state().commands);
}
