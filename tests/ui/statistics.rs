//! The panels *Statistics* and *Log*, and the text for a report of a bug.

use skinscope::app::ui::{FrameCost, FrameCosts, bug_report};

use super::*;

fn texts(harness: &Harness<'_, App>) -> Vec<String> {
    let nodes = harness.query_all_by_role(Role::Label);
    nodes.filter_map(|node| node.accesskit_node().value().or_else(|| node.accesskit_node().label())).collect()
}

#[test]
fn one_key_shows_what_frames_cost_and_they_are_copied_as_a_table() {
    let mut costs = FrameCosts::default();
    for number in 1..=20 {
        let frame =
            FrameCost { number, interval_ms: 16.0, draw_calls: 1234, uploaded_bytes: 5678, ..FrameCost::default() };
        costs.push(FrameCost { parts_ms: std::array::from_fn(|i| i as f32 + 0.25), ..frame });
    }
    let status = Status { costs: Some(Arc::new(costs.clone())), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    assert!(!harness.state().ui.shows_statistics());
    harness.key_press(Key::F12);
    harness.run();
    assert!(harness.state().ui.shows_statistics());
    let texts = texts(&harness);
    for wanted in [
        "16.00 · 16.00 ms",
        "0.25 · 0.25 ms",
        "6.25 · 6.25 ms",
        "1\u{2009}234",
        "Times between frames, the last 16.0 ms",
    ] {
        let is_there = texts.iter().any(|text| text.contains(wanted));
        assert!(is_there, "{wanted}: {texts:?}");
    }
    // It may stand below what the panel shows.
    harness.get_by_label("Copy as CSV").click_accesskit();
    assert_eq!(tables::copy(&mut harness), costs.csv());
    harness.run();
    harness.key_press(Key::F12);
    harness.run();
    assert!(!harness.state().ui.shows_statistics());
}

#[test]
fn figures_are_of_frames_that_followed_each_other_and_of_the_last_picture_that_was_drawn() {
    let mut costs = FrameCosts::default();
    for (number, interval_ms) in [(1, 0.0), (2, 0.0), (3, 10.0), (4, 20.0), (5, 30.0)] {
        // The last picture is one that was shown before.
        let draw_calls = if number == 5 { 0 } else { 7 };
        costs.push(FrameCost { number, interval_ms, draw_calls, ..FrameCost::default() });
    }
    let status = Status { costs: Some(Arc::new(costs)), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.key_press(Key::F12);
    harness.run();
    let texts = texts(&harness);
    for wanted in ["Between two frames: 20.00 · 30.00 ms", "Draw calls: 7"] {
        assert!(texts.iter().any(|text| text == wanted), "{wanted}: {texts:?}");
    }
}

#[test]
fn figures_end_before_the_scroll_bar_and_the_panel_says_how_to_measure() {
    let mut harness = open(3);
    harness.key_press(Key::F12);
    harness.run();
    harness.get_by_label("Play the clip or turn the camera to measure.");
    let row = harness.get_by_label("Draw calls: –").rect();
    let right = harness.ctx.content_rect().right();
    assert!(row.right() <= right - 20.0, "{row:?} in a window that ends at {right}");
}

#[test]
fn passes_of_the_device_are_shown_and_a_device_without_a_clock_says_so() {
    for has_device_clock in [false, true] {
        let passes_ms = if has_device_clock { [Some(1.25), None, Some(2.5), Some(0.5)] } else { [None; 4] };
        let mut costs = FrameCosts::default();
        costs.has_device_clock = has_device_clock;
        costs.push(FrameCost { number: 1, passes_ms, ..FrameCost::default() });
        let status = Status { costs: Some(Arc::new(costs)), ..Status::default() };
        let mut harness = window(session(3), UiState::default(), status);
        harness.key_press(Key::F12);
        harness.run();
        let texts = texts(&harness);
        let has = |wanted: &str| texts.iter().any(|text| text == wanted);
        for wanted in [
            "Shadows: 1.25 · 1.25 ms",
            "Behind glass: –",
            "Picture: 2.50 · 2.50 ms",
            "Panels and window: 0.50 · 0.50 ms",
        ] {
            assert_eq!(has(wanted), has_device_clock, "{wanted}: {texts:?}");
        }
        assert_eq!(has("This graphics device has no clock for single passes."), !has_device_clock, "{texts:?}");
    }
}

#[test]
fn the_log_has_errors_and_messages_in_their_order_each_once() {
    let mut harness = open(3);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F12);
    harness.run();
    harness.get_by_label("No message so far.");
    harness.state_mut().status.say("Saved the picture".into());
    harness.run();
    harness.state_mut().status.error = Some("Could not open a.glb.".into());
    harness.run();
    harness.run();
    let of = |harness: &Harness<'_, App>, text: &str| texts(harness).iter().filter(|shown| *shown == text).count();
    // For a moment it is shown over the picture too.
    assert!((1..=2).contains(&of(&harness, "Saved the picture")));
    harness.state_mut().status.error = None;
    harness.run();
    assert_eq!(of(&harness, "Could not open a.glb."), 1, "it stays in the log when it is closed");
}

#[test]
fn a_report_of_a_bug_has_figures_and_no_name() {
    let mut session = Session::default();
    let warnings = vec!["one".to_owned(), "another".to_owned()];
    session.open(Document::new(Arc::new(tube(Tube { joints: 3, ..Tube::default() })), warnings, None));
    session.apply(ViewCommand::ToggleOverlay("weights"));
    let most = format!("Most influences of a vertex: {}\n", session.document().unwrap().stats().most);
    let model = session.model().unwrap();
    let names: Vec<String> = model.skeleton.names.iter().chain([&model.source.name]).cloned().collect();
    let mut harness = window(session, UiState::default(), Status { adapter: "A device".into(), ..Status::default() });
    harness.state_mut().ui.carry_out(&WindowCommand::CopyBugReport);
    let text = tables::copy(&mut harness);
    let saved = Saved { recent: vec!["/home/me/secret.glb".into()], ..harness.state().ui.saved() };
    assert_eq!(text, bug_report(&harness.state().session, &saved, "A device"), "paths change nothing");
    for wanted in [&most, "Warnings of the import: 2\n"] {
        assert!(text.contains(wanted) && !text.contains("vertex: 0"), "{wanted}: {text}");
    }
    for wanted in
        [env!("CARGO_PKG_VERSION"), "Graphics: A device", "joints 3", "skins 1", "Overlay: weights", "theme=dark"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let said = names.iter().filter(|name| !name.is_empty() && text.contains(name.as_str())).collect::<Vec<_>>();
    assert!(said.is_empty(), "{said:?} in {text}");
}

#[test]
fn the_panel_has_a_title_and_a_cross_that_closes_all_of_it() {
    let mut harness = open(3);
    harness.key_press(Key::F12);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F12);
    harness.run();
    harness.get_by_label("Statistics and log");
    // Stacked with another panel it has the cross of the tabs.
    let cross = ["Close statistics and log", "Close the panel Statistics"];
    let cross = cross.into_iter().find(|name| harness.query_by_label(name).is_some()).unwrap();
    harness.get_by_label(cross).click();
    harness.run();
    let saved = harness.state().ui.saved();
    assert!(!saved.statistics && !saved.log && harness.query_by_label("Statistics and log").is_none());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F12);
    harness.run();
    // A tab may be called Statistics; the panel has the log alone.
    assert!(harness.query_all_by_label("Log").count() > 0 && harness.query_by_label("Statistics and log").is_none());
    let saved = harness.state().ui.saved();
    assert!(saved.log && !saved.statistics);
}
