//! The curves of the selected joint and the benchmark, in the tables below the picture, and the question about a file that is dropped.

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use skinscope::model::test_shapes::{Tube, tube};

use super::tables::{shown, tab};
use super::*;

pub(super) fn curves() -> Harness<'static, App> {
    let mut harness = shown(tube(Tube { joints: 3, ..Tube::default() }), 800.0);
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.run();
    tab(&mut harness, "Curves");
    harness
}

fn seeks(harness: &Harness<'_, App>) -> Vec<f32> {
    let secs = |command: &Command| match command {
        Command::Playback(PlaybackCommand::Seek(secs)) => Some(*secs),
        _ => None,
    };
    harness.state().commands.iter().filter_map(secs).collect()
}

#[test]
fn curves_of_the_selected_joint_scrub_and_zoom() {
    let mut harness = curves();
    let name = harness.state().session.model().unwrap().skeleton.names[2].clone();
    let label = format!("Curves of {name}");
    let rect = harness.get_by_label(&label).rect();
    assert!(rect.width() > 400.0 && rect.height() > 60.0, "{rect:?}");
    for kind in ["Quaternion", "Translation", "Scale", "Euler"] {
        click(&mut harness, kind);
        assert!(harness.query_by_label(&label).is_some(), "{kind}");
    }
    harness.state_mut().commands.clear();
    // A click goes to the moment under the pointer: the clip lasts one second.
    let middle = rect.center();
    harness.hover_at(middle);
    harness.drag_at(middle);
    harness.run();
    harness.drop_at(middle);
    harness.run();
    let last = *seeks(&harness).last().unwrap();
    assert!((last - 0.5).abs() < 0.01, "{last}");
    // The wheel zooms around the pointer, which stays at its moment, and the whole clip comes back.
    assert!(harness.query_by_label("Whole clip").is_none());
    harness.hover_at(middle);
    harness.run();
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, 200.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run();
    harness.run();
    assert!(harness.query_by_label("Whole clip").is_some());
    harness.state_mut().commands.clear();
    let right = egui::pos2(rect.right() - 10.0, middle.y);
    harness.hover_at(right);
    harness.drag_at(right);
    harness.run();
    harness.drop_at(right);
    harness.run();
    let last = *seeks(&harness).last().unwrap();
    assert!(last > 0.52 && last < 0.9, "{last}");
    click(&mut harness, "Whole clip");
    assert!(harness.query_by_label("Whole clip").is_none());
}

#[test]
fn curves_have_units_and_times_and_arrow_keys_walk_their_peaks() {
    let mut harness = curves();
    let name = harness.state().session.model().unwrap().skeleton.names[2].clone();
    for (kind, unit) in [("Euler", "°"), ("Translation", " m"), ("Scale", "×")] {
        click(&mut harness, kind);
        assert!(texts(&harness).iter().any(|text| is_number_with(text, unit)), "{kind}: {:?}", texts(&harness));
    }
    assert!(["0.00 s", "1.00 s"].iter().all(|text| texts(&harness).iter().any(|t| t == text)), "{:?}", texts(&harness));
    click(&mut harness, "Euler");
    harness.get_by_label(&format!("Curves of {name}")).focus();
    harness.run();
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.0));
    harness.state_mut().commands.clear();
    harness.key_press(Key::ArrowRight);
    harness.run();
    // The tube bends most in the middle of its clip.
    let first = seeks(&harness);
    assert!(first.len() == 1 && (first[0] - 0.5).abs() < 0.02, "{first:?}");
    assert_eq!(harness.state().commands.len(), 1, "{:?}", harness.state().commands);
}

/// All texts that are painted.
fn texts(harness: &Harness<'_, App>) -> Vec<String> {
    painted_texts(harness).into_iter().map(|(text, _)| text).collect()
}

/// Whether a text is a number and this unit.
fn is_number_with(text: &str, unit: &str) -> bool {
    text.strip_suffix(unit).is_some_and(|number| number.replace('−', "-").parse::<f64>().is_ok())
}

#[test]
fn without_a_joint_there_are_no_curves_and_that_is_said() {
    let mut harness = curves();
    harness.state_mut().session.apply(SelectionCommand::Select(None));
    harness.run();
    let line = "Select a joint to see its curves.";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X)));
    harness.run();
    let line = "An edit of the pose replaces it.";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
}

#[test]
fn the_scale_of_a_small_model_has_numbers_that_differ() {
    let mut harness = shown(tube(Tube { joints: 3, radius: 0.0005, length: 0.004, ..Tube::default() }), 800.0);
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.run();
    tab(&mut harness, "Curves");
    click(&mut harness, "Translation");
    let labels: Vec<String> = texts(&harness).into_iter().filter(|text| is_number_with(text, " mm")).collect();
    let different: std::collections::BTreeSet<&String> = labels.iter().collect();
    assert!(labels.len() >= 3 && different.len() == labels.len(), "{labels:?}");
}

#[test]
fn a_model_that_is_dropped_beside_the_open_one_is_asked_about() {
    let path = std::path::PathBuf::from("/models/walks.glb");
    let status = Status { dropped: Some(path.clone()), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    let line = "What is walks.glb for?";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
    for label in ["Take its clips", "Compare", "Open", "Beside", "Solve", "Cancel"] {
        harness.get_by_role_and_label(Role::Button, label).click();
        harness.run();
    }
    harness.key_press(Key::Escape);
    harness.run();
    let sent: Vec<FileCommand> = harness
        .state()
        .commands
        .iter()
        .filter_map(|command| if let Command::File(command) = command { Some(command.clone()) } else { None })
        .collect();
    assert_eq!(
        sent,
        [
            FileCommand::TakeClips(path.clone()),
            FileCommand::Compare(path.clone()),
            FileCommand::Open(path.clone()),
            FileCommand::OpenBeside(path.clone()),
            FileCommand::ReadExamples(vec![path]),
            FileCommand::LeaveDropped,
            FileCommand::LeaveDropped,
        ]
    );
}

#[test]
fn escape_closes_a_menu_before_it_leaves_the_question_beneath() {
    let path = std::path::PathBuf::from("/models/walks.glb");
    let mut harness = window(session(3), UiState::default(), Status::default());
    harness.get_by_role_and_label(Role::Button, "View").click();
    harness.run();
    assert!(egui::Popup::is_any_open(&harness.ctx));
    harness.state_mut().status.dropped = Some(path);
    harness.state_mut().commands.clear();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!egui::Popup::is_any_open(&harness.ctx));
    assert_eq!(harness.state().commands, []);
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.state().commands, [FileCommand::LeaveDropped.into()]);
}

#[test]
fn enter_presses_the_button_of_a_question_that_has_the_focus() {
    let path = std::path::PathBuf::from("/models/walks.glb");
    let status = Status { dropped: Some(path.clone()), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.key_press(Key::Enter);
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Cancel").focus();
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().commands, [FileCommand::Open(path).into(), FileCommand::LeaveDropped.into()]);
}

#[test]
fn two_models_that_are_dropped_together_are_opened_both() {
    let [first, second] = ["/models/old.glb", "/models/new.glb"].map(std::path::PathBuf::from);
    let status = Status { dropped: Some(first.clone()), dropped_second: Some(second.clone()), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("Open old.glb and new.glb?");
    assert!(harness.query_by_role_and_label(Role::Button, "Compare").is_none());
    click(&mut harness, "Open both");
    assert_eq!(harness.state().commands, [FileCommand::OpenPair(first, second).into()]);
}

#[test]
fn a_benchmark_runs_when_it_is_asked_for() {
    let mut harness = shown(tube(Tube { joints: 4, rings: 9, sides: 4, influences: 1, ..Tube::default() }), 900.0);
    tab(&mut harness, "Benchmark");
    assert!(harness.query_by_label_contains("Joint by joint").is_none(), "nothing runs by itself");
    harness.get_by_role_and_label(Role::Button, "Measure").click();
    for _ in 0..8000 {
        harness.step();
        if harness.query_by_label("Joint by joint against vertex by vertex").is_some() {
            // The cells of a column stand below its title.
            for title in ["What", "The text says", "Measured"] {
                harness.get_by_label(title);
            }
            let left = |label: &str| harness.get_by_label(label).rect().left();
            let claim = left("The loop over vertices is the faster one, by two to one");
            assert!((claim - left("The text says")).abs() < 1.0 && claim > left("What") + 100.0, "{claim}");
            harness.get_by_label_contains("vertices of skins: 36 of 36 follow one joint alone (100.0 %)");
            // The panels know no device, and nobody has told them of one.
            assert_eq!(harness.query_all_by_label("Not measured: there is no graphics device").count(), 4);
            harness.get_by_role_and_label(Role::Button, "Measure again");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("no figures came");
}

#[test]
fn a_benchmark_that_is_under_way_can_be_cancelled() {
    let mut harness = shown(tube(Tube { joints: 40, rings: 900, sides: 40, ..Tube::default() }), 900.0);
    tab(&mut harness, "Benchmark");
    harness.get_by_role_and_label(Role::Button, "Measure").click();
    harness.run_steps(2);
    assert_eq!(harness.query_all_by_label("Measuring…").count(), 1);
    harness.get_by_role_and_label(Role::ProgressIndicator, "Benchmark measured");
    harness.get_by_role_and_label(Role::Button, "Cancel").click();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::Button, "Measure");
    assert!(harness.query_by_label("Measuring…").is_none());
    assert!(harness.query_by_role_and_label(Role::ProgressIndicator, "Benchmark measured").is_none());
}
