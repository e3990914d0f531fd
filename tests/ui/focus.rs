//! Where Tab moves the focus, how the focus is shown, and searching by keyboard.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Rect, Shape, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use skinscope::app::ui::{Saved, Status, UiState};
use skinscope::model::NodeId;
use skinscope::session::{
    CameraCommand, ChannelKind, ChannelValue, Command, Document, EditCommand, Panel, PlaybackCommand, SelectionCommand,
    Session, ViewCommand, WindowCommand,
};

use super::keyboard::{at_once, clicked, plain, press, pressed, typed};
use super::{App, click, has, open, selected, session, window, with_clips};

/// The name and the place of what has the focus.
fn focused(harness: &Harness<'_, App>) -> Option<(String, Rect)> {
    let node = harness.root().children_recursive().find(|n| n.is_focused())?;
    let label = node.accesskit_node().label().unwrap_or_default();
    Some((label, node.rect()))
}

fn focused_name(harness: &Harness<'_, App>) -> String {
    focused(harness).map(|f| f.0).unwrap_or_default()
}

/// Rotation and translation that the last commands have asked for.
fn asked(harness: &Harness<'_, App>) -> [Option<Vec3>; 2] {
    let last = |kind: ChannelKind| {
        harness.state().commands.iter().rev().find_map(|c| match c {
            Command::Edit(EditCommand::Edit(_, ChannelValue::Rotation(v))) if kind == ChannelKind::Rotation => Some(*v),
            Command::Edit(EditCommand::Edit(_, ChannelValue::Translation(v))) if kind == ChannelKind::Translation => {
                Some(*v)
            }
            _ => None,
        })
    };
    [last(ChannelKind::Rotation), last(ChannelKind::Translation)]
}

#[test]
fn tab_goes_from_value_to_value_and_keeps_what_was_typed() {
    for busy in [false, true] {
        let mut harness = selected(3, 2);
        click(&mut harness, "Rotation X value");
        let keys = ["10", "20", "30", "1"].map(typed);
        if busy {
            // All of it within one frame.
            let tabs = keys.into_iter().flat_map(|text| [text, plain(Key::Tab)]);
            at_once(&mut harness, tabs);
        } else {
            let names = ["Rotation Y", "Rotation Z", "Translation X", "Translation Y"];
            for (text, name) in keys.into_iter().zip(names) {
                at_once(&mut harness, [text]);
                press(&mut harness, Key::Tab);
                assert_eq!(focused_name(&harness), format!("{name} value"));
            }
        }
        let [rotation, translation] = asked(&harness);
        assert!(rotation.unwrap().distance(Vec3::new(10.0, 20.0, 30.0)) < 0.1, "{rotation:?}");
        assert_eq!(translation.unwrap().x, 1.0);
        // And back.
        for name in ["Translation X", "Rotation Z", "Rotation Y", "Rotation X"] {
            at_once(&mut harness, [pressed(Key::Tab, Modifiers::SHIFT)]);
            assert_eq!(focused_name(&harness), format!("{name} value"));
        }
        assert_eq!(
            harness.state().commands.iter().filter(|c| **c == Command::Edit(EditCommand::EndEdit)).count(),
            4,
            "none is new"
        );
    }
}

/// Each Tab finds the value that the one before it led to, though nothing was typed there yet.
#[test]
fn tabs_within_one_frame_all_count() {
    let mut harness = selected(3, 2);
    click(&mut harness, "Rotation X value");
    for name in ["Translation X", "Scale X"] {
        at_once(&mut harness, [plain(Key::Tab), plain(Key::Tab), plain(Key::Tab)]);
        assert_eq!(focused_name(&harness), format!("{name} value"));
    }
    let back = || pressed(Key::Tab, Modifiers::SHIFT);
    at_once(&mut harness, [back(), back(), back(), back()]);
    assert_eq!(focused_name(&harness), "Rotation Z value");
    assert!(harness.state().session.edits().is_empty());
}

#[test]
fn arrows_in_a_typed_value_step() {
    let mut harness = selected(3, 2);
    click(&mut harness, "Rotation X value");
    press(&mut harness, Key::ArrowUp);
    press(&mut harness, Key::ArrowUp);
    at_once(&mut harness, [pressed(Key::ArrowDown, Modifiers::SHIFT)]);
    assert_eq!(asked(&harness)[0], Some(Vec3::new(-8.0, 0.0, 0.0)));
    assert!(focused_name(&harness).starts_with("Rotation X"));
}

/// The panel that a place belongs to, in reading order.
fn panel(harness: &Harness<'_, App>, place: Rect) -> usize {
    let picture = harness.state().picture;
    let at = place.center();
    match () {
        () if at.y < 38.0 => 0,
        () if at.y > picture.bottom() => 4,
        () if at.x < picture.left() => 1,
        () if at.x > picture.right() => 3,
        () => 2,
    }
}

#[test]
fn tab_goes_in_reading_order_through_all_panels_and_round() {
    let mut harness = selected(12, 2);
    harness.set_size(vec2(1440.0, 900.0));
    harness.run();
    let mut seen: Vec<(String, Rect)> = Vec::new();
    for step in 0..200 {
        press(&mut harness, Key::Tab);
        let Some(now) = focused(&harness) else { panic!("step {step}: the focus is lost after {:?}", seen.last()) };
        if seen.first().is_some_and(|first| *first.0 == now.0) {
            break;
        }
        seen.push(now);
    }
    let names: Vec<&str> = seen.iter().map(|s| s.0.as_str()).collect();
    assert_eq!(names[..3], ["File", "Edit", "Pose"]);
    assert!(seen.len() > 30 && seen.len() < 120, "{names:?}");
    // Every panel is there, one after the other, each from its top to its bottom.
    let panels: Vec<usize> = seen.iter().map(|s| panel(&harness, s.1)).collect();
    let mut in_turn = panels.clone();
    in_turn.dedup();
    assert_eq!(in_turn, [0, 1, 2, 3, 4], "{names:?}");
    for (pair, panel) in seen.windows(2).zip(panels.windows(2)) {
        let ((before, a), (after, b)) = (&pair[0], &pair[1]);
        let (a, b) = (a.top() + a.height().min(24.0) / 2.0, b.top() + b.height().min(24.0) / 2.0);
        // The inspector scrolls on the way.
        assert!(panel[0] != panel[1] || panel[0] == 3 || b > a - 12.0, "{before} is above {after}");
    }
    let place = |name: &str| names.iter().position(|n| *n == name);
    for (before, after) in [
        ("Weights", "Deformation method: Linear blend"),
        ("Search nodes", "joint 1"),
        ("3D view", "Bones"),
        ("Bones", "Axes"),
        ("Rotation X value", "Rotation Y value"),
        ("To start", "Play"),
        ("Frame rate: 30 fps", "Speed: 1×"),
        ("Speed: 1×", "Time"),
    ] {
        assert!(place(before) < place(after) && place(before).is_some(), "{before}, {after}: {names:?}");
    }
    // Sliders beside a value, edges of panels, and all rows of the tree but one are passed over.
    assert!(!names.contains(&"Rotation X") && !names.contains(&"joint 5") && !names.contains(&""), "{names:?}");
    // The other way round.
    for name in names.iter().rev().take(12) {
        at_once(&mut harness, [pressed(Key::Tab, Modifiers::SHIFT)]);
        assert_eq!(focused_name(&harness), *name);
    }
}

#[test]
fn what_tab_reaches_comes_into_sight_and_has_a_ring() {
    let mut harness = selected(3, 2);
    harness.set_size(vec2(1280.0, 600.0));
    harness.run();
    click(&mut harness, "Rotation X value");
    let mut seen = Vec::new();
    loop {
        press(&mut harness, Key::Tab);
        harness.run();
        let (name, place) = focused(&harness).unwrap();
        let picture = harness.state().picture;
        if panel(&harness, place) != 3 || seen.contains(&name) {
            break;
        }
        seen.push(name.clone());
        assert!(place.top() > 38.0 && place.bottom() < picture.bottom() + 1.0, "{name}: {place:?} in {picture:?}");
        let ring = |shape: &Shape| matches!(shape, Shape::Rect(r) if r.stroke.width == 2.0 && r.rect == place);
        assert!(harness.output().shapes.iter().any(|s| ring(&s.shape)), "{name} has no ring");
    }
    assert!(seen.len() >= 8, "{seen:?}");
    // Who clicks knows where he is.
    let middle = harness.state().picture.center();
    at_once(&mut harness, [clicked(middle)]);
    assert!(focused(&harness).is_none());
}

#[test]
fn tab_stays_in_an_open_dialog_or_list() {
    let mut harness = open(3);
    press(&mut harness, Key::F1);
    for _ in 0..3 {
        press(&mut harness, Key::Tab);
        assert_eq!(focused_name(&harness), "Close");
    }
    press(&mut harness, Key::Escape);
    click(&mut harness, "Speed: 1×");
    for _ in 0..10 {
        press(&mut harness, Key::Tab);
        let name = focused_name(&harness);
        assert!(name.contains('×') || name == "Speed value", "{name}");
    }
}

#[test]
fn the_tree_is_walked_by_arrows() {
    let mut harness = open(60);
    harness.get_by_label("Search nodes").focus();
    harness.run();
    press(&mut harness, Key::Tab);
    assert_eq!(focused_name(&harness), "root");
    // Far beyond what is seen at once: the list follows.
    at_once(&mut harness, (0..50).map(|_| plain(Key::ArrowDown)));
    assert_eq!(harness.state().session.view().selected, Some(NodeId(50)));
    assert_eq!(focused_name(&harness), "joint 49");
    press(&mut harness, Key::ArrowUp);
    press(&mut harness, Key::ArrowLeft);
    assert!(harness.query_by_label("Unfold joint 48").is_some(), "left folds");
    press(&mut harness, Key::ArrowLeft);
    assert_eq!(focused_name(&harness), "joint 47");
    press(&mut harness, Key::ArrowRight);
    press(&mut harness, Key::ArrowRight);
    assert!(harness.query_by_label("Fold joint 48").is_some(), "right goes on, then unfolds");
    assert_eq!(focused_name(&harness), "joint 48");
    // Other keys are shortcuts.
    harness.state_mut().commands.clear();
    press(&mut harness, Key::Home);
    assert!(has(&harness, &Command::Camera(CameraCommand::FrameAll)));
}

fn value(harness: &Harness<'_, App>, label: &str) -> String {
    harness.get_by_label(label).accesskit_node().value().unwrap_or_default()
}

fn find(harness: &mut Harness<'_, App>) {
    at_once(harness, [pressed(Key::F, Modifiers::COMMAND)]);
}

#[test]
fn nodes_are_found_by_keys_alone() {
    let mut session = session(24);
    session.apply(SelectionCommand::Select(Some(NodeId(15))));
    let hidden = Saved { outliner: false, ..Saved::default() };
    let mut harness = window(session, UiState::new(hidden), Status::default());
    // The list of nodes appears where it was hidden. All within one frame.
    at_once(&mut harness, [pressed(Key::F, Modifiers::COMMAND), typed("joint"), plain(Key::Space), typed("1")]);
    assert_eq!(value(&harness, "Search nodes"), "joint 1");
    assert!(harness.state().ui.saved().outliner);
    // Enter takes the first that is found, whatever else of it was selected before, and leaves.
    press(&mut harness, Key::Enter);
    assert_eq!(harness.state().session.view().selected, Some(NodeId(2)), "joint 1");
    assert!(!harness.get_by_label("Search nodes").is_focused());
    press(&mut harness, Key::W);
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("weights"))), "keys are shortcuts again");
    // It opens with its text selected: typing replaces it. The arrows walk through what is found.
    find(&mut harness);
    at_once(&mut harness, [typed("2")]);
    assert_eq!(value(&harness, "Search nodes"), "2");
    for (key, node) in [(Key::ArrowDown, 3), (Key::ArrowDown, 13), (Key::ArrowDown, 21), (Key::ArrowUp, 13)] {
        press(&mut harness, key);
        assert_eq!(harness.state().session.view().selected, Some(NodeId(node)));
    }
    assert!(harness.get_by_label("Search nodes").is_focused());
    press(&mut harness, Key::Enter);
    assert_eq!(harness.state().session.view().selected, Some(NodeId(13)), "where the arrows have led");
    // Escape clears, then leaves; the selection stays.
    find(&mut harness);
    press(&mut harness, Key::Escape);
    assert_eq!(value(&harness, "Search nodes"), "");
    assert!(harness.get_by_label("Search nodes").is_focused());
    press(&mut harness, Key::Escape);
    assert!(!harness.get_by_label("Search nodes").is_focused());
    assert_eq!(harness.state().session.view().selected, Some(NodeId(13)));
    // From another text field.
    click(&mut harness, "Rotation X value");
    find(&mut harness);
    assert!(harness.get_by_label("Search nodes").is_focused());
    assert!(!has(&harness, &Command::Window(WindowCommand::TogglePanel(Panel::Outliner))));
}

fn clips(harness: &mut Harness<'_, App>) {
    let name = |n: &egui_kittest::Node<'_>| n.accesskit_node().label().is_some_and(|l| l.starts_with("Clip: "));
    harness.get_all_by_role(Role::ComboBox).find(|n| name(n)).unwrap().click();
    harness.run();
    harness.run();
}

fn seen(harness: &Harness<'_, App>) -> usize {
    let row = |n: &egui_kittest::Node<'_>| n.accesskit_node().label().is_some_and(|l| l.starts_with("Clip "));
    harness.query_all_by_role(Role::Button).filter(row).count()
}

#[test]
fn clips_are_found_by_keys_and_the_list_keeps_its_room() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(76)), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.set_size(vec2(1280.0, 600.0));
    harness.run();
    let clip = |harness: &Harness<'_, App>| harness.state().session.playback().clip.unwrap().index();
    clips(&mut harness);
    let (place, rows) = (harness.get_by_label("Search clips").rect(), seen(&harness));
    assert!(rows >= 10, "{rows}");
    // Enter takes the first that is found.
    at_once(&mut harness, [typed("7")]);
    assert_eq!(harness.get_by_label("Search clips").rect(), place, "few are found, and the list stays where it is");
    at_once(&mut harness, [typed("x")]);
    harness.run();
    assert_eq!(seen(&harness), 0);
    assert_eq!(harness.get_by_label("Search clips").rect(), place, "nor where none is found");
    at_once(&mut harness, [plain(Key::Backspace)]);
    press(&mut harness, Key::Enter);
    assert_eq!(clip(&harness), 7);
    assert!(harness.query_by_label("Search clips").is_none(), "it closes");
    // It opens empty, as large as before, and shows what is chosen.
    clips(&mut harness);
    assert_eq!((value(&harness, "Search clips").as_str(), seen(&harness)), ("", rows));
    assert_eq!(harness.get_by_label("Search clips").rect(), place);
    // Arrows go on from there, beyond what is seen.
    at_once(&mut harness, (0..30).map(|_| plain(Key::ArrowDown)));
    harness.run();
    let row = harness.get_by_label_contains("Clip 37").rect();
    assert!(row.bottom() <= place.bottom() + 345.0 && row.top() > place.bottom(), "the list follows: {row:?}");
    at_once(&mut harness, [plain(Key::ArrowUp), plain(Key::Enter)]);
    assert_eq!(clip(&harness), 36);
    // Escape clears, then closes; what is chosen stays.
    clips(&mut harness);
    at_once(&mut harness, [typed("5")]);
    press(&mut harness, Key::Escape);
    assert_eq!((value(&harness, "Search clips").as_str(), seen(&harness)), ("", rows));
    assert!(harness.get_by_label("Search clips").is_focused());
    press(&mut harness, Key::Escape);
    assert!(harness.query_by_label("Search clips").is_none());
    assert_eq!(clip(&harness), 36);
    assert!(
        !has(&harness, &Command::Selection(SelectionCommand::Deselect))
            && !has(&harness, &Command::Playback(PlaybackCommand::TogglePlay))
    );
}

#[test]
fn a_short_list_of_clips_is_walked_by_arrows() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(4)), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    clips(&mut harness);
    at_once(&mut harness, [plain(Key::ArrowDown), plain(Key::ArrowDown), plain(Key::Enter)]);
    assert_eq!(harness.state().session.playback().clip.unwrap().index(), 2);
    // Opened by keyboard too.
    let name = |n: &egui_kittest::Node<'_>| n.accesskit_node().label().is_some_and(|l| l.starts_with("Clip: "));
    harness.get_all_by_role(Role::ComboBox).find(|n| name(n)).unwrap().focus();
    harness.run();
    press(&mut harness, Key::Enter);
    press(&mut harness, Key::ArrowUp);
    press(&mut harness, Key::Enter);
    assert_eq!(harness.state().session.playback().clip.unwrap().index(), 1);
    let events: Vec<Event> = plain(Key::Space);
    at_once(&mut harness, [events]);
    assert!(has(&harness, &Command::Playback(PlaybackCommand::TogglePlay)), "keys are shortcuts again");
}
