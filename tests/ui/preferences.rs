//! The dialog of preferences, and what each of them changes.

use skinscope::app::ui::{MouseHabit, PREFERENCES};
use skinscope::math::Units;
use skinscope::session::Keymap;

use super::*;

fn opened() -> Harness<'static, App> {
    let mut harness = open(3);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
    harness.run();
    harness
}

fn choose(harness: &mut Harness<'_, App>, list: &str, choice: &str) {
    let button = harness.query_all_by_role(Role::ComboBox);
    let name = button.filter_map(|node| node.accesskit_node().label()).find(|label| label.starts_with(list)).unwrap();
    click(harness, &name);
    harness.query_all_by_label(choice).next_back().unwrap().click();
    harness.run();
}

#[test]
fn every_preference_is_a_list_and_what_is_chosen_counts_at_once() {
    let mut harness = opened();
    for preference in PREFERENCES {
        let is_it = |node: &egui_kittest::Node<'_>| {
            node.accesskit_node().label().is_some_and(|label| label.starts_with(&format!("{}: ", preference.label)))
        };
        assert_eq!(harness.query_all_by_role(Role::ComboBox).filter(is_it).count(), 1, "{}", preference.label);
    }
    assert!(harness.state().ui.is_dark());
    choose(&mut harness, "Theme", "Light");
    choose(&mut harness, "Mouse over the picture", "As in Maya");
    choose(&mut harness, "Lengths in", "inches, feet, miles");
    let saved = harness.state().ui.saved();
    assert!(saved.light && !harness.state().ui.is_dark());
    assert_eq!((saved.mouse, saved.units), (MouseHabit::Maya, Units::Imperial));
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(
        harness
            .query_all_by_role(Role::ComboBox)
            .filter(|node| { node.accesskit_node().label().is_some_and(|label| label.starts_with("Theme: ")) })
            .count(),
        0
    );
    let has = |harness: &Harness<'_, App>, unit: &str| {
        harness.query_all_by_role(Role::Label).any(|node| {
            node.accesskit_node().value().or(node.accesskit_node().label()).is_some_and(|text| text.contains(unit))
        })
    };
    assert!(has(&harness, " ft"), "the size of the model is written in feet");
    Units::Metric.choose();
}

#[test]
fn the_theme_of_the_system_is_followed_until_another_is_chosen() {
    let mut harness = opened();
    choose(&mut harness, "Theme", "System");
    assert!(harness.state().ui.is_dark(), "the system says nothing");
    harness.input_mut().system_theme = Some(egui::Theme::Light);
    harness.run();
    assert!(!harness.state().ui.is_dark());
    harness.input_mut().system_theme = Some(egui::Theme::Dark);
    harness.run();
    assert!(harness.state().ui.is_dark());
    harness.input_mut().system_theme = Some(egui::Theme::Light);
    harness.key_press(Key::Escape);
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::T);
    harness.run();
    let saved = harness.state().ui.saved();
    assert!(harness.state().ui.is_dark() && !saved.system_theme, "the other one than that which was shown");
}

#[test]
fn keys_make_the_interface_larger_and_smaller_and_as_usual() {
    let mut harness = open(3);
    let zoom = |harness: &Harness<'_, App>| (harness.ctx.zoom_factor() * 100.0).round();
    for (keys, key, scale) in [
        (Modifiers::COMMAND, Key::Plus, 110.0),
        (Modifiers::COMMAND | Modifiers::SHIFT, Key::Plus, 125.0),
        (Modifiers::COMMAND, Key::Equals, 150.0),
        (Modifiers::COMMAND, Key::Minus, 125.0),
        (Modifiers::COMMAND, Key::Num0, 100.0),
        (Modifiers::COMMAND, Key::Minus, 90.0),
    ] {
        harness.key_press_modifiers(keys, key);
        harness.run();
        assert_eq!(zoom(&harness), scale, "{key:?}");
    }
    assert_eq!(harness.state().ui.saved().scale, 90, "it is remembered");
    let mut again = window(session(3), UiState::new(harness.state().ui.saved()), Status::default());
    again.run();
    assert_eq!(zoom(&again), 90.0);
    // A size that no interface has, such as from a file that somebody wrote.
    for (scale, used) in [(7, 75.0), (9000, 300.0)] {
        let mut odd = window(session(3), UiState::new(Saved { scale, ..Saved::default() }), Status::default());
        odd.run();
        assert_eq!(zoom(&odd), used);
    }
}

#[test]
fn a_drag_turns_moves_and_zooms_as_in_the_program_that_one_is_used_to() {
    let of = |mouse: MouseHabit, button: PointerButton, keys: Modifiers| {
        let ui = UiState::new(Saved { mouse, ..Saved::default() });
        let mut harness = window(session(3), ui, Status::default());
        harness.event(Event::ModifiersChanged(keys));
        let from = harness.state().picture.center() + vec2(80.0, 120.0);
        drag(&mut harness, &[from, from + vec2(30.0, -10.0), from + vec2(60.0, -20.0)], button);
        let cameras = harness.state().commands.iter().filter_map(|command| match command {
            Command::Camera(CameraCommand::Orbit(_)) => Some("turn"),
            Command::Camera(CameraCommand::Pan(_)) => Some("move"),
            Command::Camera(CameraCommand::Zoom(..)) => Some("zoom"),
            _ => None,
        });
        let mut done: Vec<_> = cameras.collect();
        done.dedup();
        done
    };
    assert_eq!(of(MouseHabit::Skinscope, PointerButton::Middle, Modifiers::NONE), ["move"]);
    assert_eq!(of(MouseHabit::Blender, PointerButton::Middle, Modifiers::NONE), ["turn"]);
    assert_eq!(of(MouseHabit::Maya, PointerButton::Primary, Modifiers::NONE), ["turn"]);
}

#[test]
fn translations_are_shown_and_set_in_the_units_that_were_chosen() {
    let mut session = session(3);
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    let stored = session.pose().local.transforms[2].translation;
    let saved = Saved { units: Units::Imperial, ..Saved::default() };
    let mut harness = window(session, UiState::new(saved), Status::default());
    harness.get_by_label("TRANSLATION (FT)");
    let slider = harness.get_by_role_and_label(Role::Slider, "Translation Y");
    let shown = slider.accesskit_node().numeric_value().unwrap();
    assert!((shown - f64::from(stored.y) / 0.3048).abs() < 1e-4, "{shown} {stored}");
    slider.increment_accesskit();
    harness.run();
    let now = harness.state().session.pose().local.transforms[2].translation;
    assert!(now.y > stored.y && now.y - stored.y < 0.1, "{now}");
    assert_eq!((now.x, now.z), (stored.x, stored.z));
    let slider = harness.get_by_role_and_label(Role::Slider, "Translation Y");
    let shown = slider.accesskit_node().numeric_value().unwrap();
    assert!((shown - f64::from(now.y) / 0.3048).abs() < 1e-4, "{shown} {now}");
    Units::Metric.choose();
}

#[test]
fn the_page_of_a_vertex_has_lengths_in_the_units_that_were_chosen() {
    let of = |units: Units| {
        let saved = Saved { units, ..Saved::default() };
        let mut harness = window(session(3), UiState::new(saved), Status::default());
        let point = beside_the_bones(harness.state());
        drag(&mut harness, &[point], PointerButton::Primary);
        harness.run();
        let explained = harness.state().session.picking().explanation().unwrap();
        let (unit, metres) = Units::of_columns();
        harness.get_by_label(&format!("STORED POSITION ({})", unit.to_uppercase()));
        for (label, metric) in [("v", explained.stored), ("M v", explained.terms[0].alone), ("= p", explained.position)]
        {
            let shown = numbers(&harness, label);
            let wanted = metric / metres;
            let apart = (0..3).map(|axis| (shown[axis] - wanted[axis]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-3, "{label} in {unit}: {shown:?} for {wanted}");
        }
        harness.get_by_label("Copy as text").click_accesskit();
        let text = tables::copy(&mut harness);
        assert!(text.contains(&format!("mesh space ({unit})")), "{text}");
        let shown = numbers(&harness, "= p");
        let last = text.trim_end().rsplit_once('(').unwrap().1.trim_end_matches(')');
        let written: Vec<f64> = last.split(", ").map(|n| n.replace('−', "-").parse().unwrap()).collect();
        assert_eq!(written, shown, "what is copied has the numbers of the page: {text}");
        shown
    };
    let (metric, imperial) = (of(Units::Metric), of(Units::Imperial));
    Units::Metric.choose();
    assert!((metric[1] / 0.3048 - imperial[1]).abs() < 1e-2, "{metric:?} {imperial:?}");
}

#[test]
fn keys_are_those_of_the_program_that_was_chosen() {
    let row = COMMANDS.iter().find(|row| Keymap::Maya.keys(row) != Keymap::Blender.keys(row)).unwrap();
    for (maya_keys, keymap) in [(true, Keymap::Maya), (false, Keymap::Blender)] {
        let saved = Saved { maya_keys, ..Saved::default() };
        _ = window(session(3), UiState::new(saved), Status::default());
        assert_eq!(row.keys(), keymap.keys(row), "{}", row.label);
    }
}
