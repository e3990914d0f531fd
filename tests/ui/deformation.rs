//! The panel with the measures of the posed surface: numbers, curves and what a click on them does.

use skinscope::inspect::measure::measure;
use skinscope::parallel::JobContext;
use skinscope::session::{ComparisonCommand, MeasureCommand, MeasureCurves, Work};

use super::*;

/// The panel over the clip of a tube that bends, paused at 0 s.
fn shown() -> Harness<'static, App> {
    let mut session = session(4);
    session.apply(MeasureCommand::TogglePanel);
    window(session, UiState::default(), Status::default())
}

fn worst(harness: &Harness<'_, App>, id: &str) -> (f32, f64) {
    let curves = harness.state().session.measurements().measured_clip().unwrap();
    let (moment, value) = curves.worst(measure(id).unwrap()).unwrap();
    (curves.moments[moment].0, value)
}

#[test]
fn the_panel_opens_by_its_key_takes_the_place_of_the_inspector_and_closes() {
    let mut harness = selected(4, 2);
    harness.get_by_label("Reset joint");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num6);
    harness.run();
    harness.get_by_role_and_label(Role::Tab, "Deformation");
    assert!(harness.query_by_label("Reset joint").is_none());
    harness.get_by_label("Close the panel Deformation").click();
    harness.run();
    assert!(harness.query_by_label("Deformation").is_none() && !harness.state().session.measuring().open);
    harness.get_by_label("Reset joint");
}

#[test]
fn the_numbers_are_those_of_the_moment() {
    let mut harness = shown();
    // At 0 s the tube is straight.
    harness.get_by_label("Longest edge 1.000×, Shortest edge 1.000×, Mean edge 1.000×");
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.5));
    harness.state_mut().session.update_pose();
    harness.run();
    let measures = harness.state().session.measurements().measures().unwrap().measures.clone();
    assert!(measures.stretch[1] > 1.05, "{measures:?}");
    let text = |id: &str| measure(id).unwrap().text((measure(id).unwrap().value)(&measures).unwrap());
    let [longest, shortest, mean] = ["stretch_max", "stretch_min", "stretch_mean"].map(text);
    harness.get_by_label(&format!("Longest edge {longest}, Shortest edge {shortest}, Mean edge {mean}"));
    harness.get_by_label(&format!("Volume {}, Worst joint's volume {}", text("volume"), text("region_volume")));
}

#[test]
fn a_click_on_a_peak_goes_to_its_moment_and_vertex() {
    let mut harness = shown();
    let (time, value) = worst(&harness, "stretch_max");
    assert!((0.3..0.7).contains(&time), "{time}");
    let name = format!("Worst: Longest edge {} at {time:.2} s", measure("stretch_max").unwrap().text(value));
    let before = harness.state().session.view().orbit;
    harness.get_by_label(&name).click();
    harness.run();
    let session = &harness.state().session;
    assert!((session.playback().time_secs - time).abs() < 1e-4 && !session.playback().playing);
    let at = session.measurements().measures().unwrap().measures.at[1].unwrap();
    assert_eq!((session.view().pinned, session.view().overlay.unwrap().id), (Some(at), "stretch"));
    assert!(session.view().orbit != before, "the camera goes there");
    // The legend says it in numbers.
    harness.get_by_label_contains("Scale: ½×");
}

#[test]
fn a_click_on_a_curve_goes_there_and_a_drag_scrubs() {
    let mut harness = shown();
    let rect = harness.get_by_label("Curve: Edge stretch").rect();
    let at = rect.left() + 6.0 + 0.5 * (rect.width() - 12.0);
    let middle = egui::pos2(at, rect.bottom() - 3.0);
    drag(&mut harness, &[middle, middle + vec2(20.0, 0.0), middle + vec2(40.0, 0.0)], PointerButton::Primary);
    let scrubbed = harness.state().session.playback().time_secs;
    assert!((scrubbed - (0.5 + 40.0 / (rect.width() - 12.0))).abs() < 0.05, "{scrubbed}");
    assert!(harness.state().session.view().pinned.is_none());
    harness.hover_at(middle);
    harness.run();
    drag(&mut harness, &[middle, middle], PointerButton::Primary);
    let session = &harness.state().session;
    assert!((session.playback().time_secs - 0.5).abs() < 0.06, "{}", session.playback().time_secs);
    assert!(session.view().pinned.is_some() && session.view().overlay.unwrap().id == "stretch");
}

#[test]
fn values_beside_the_charts_are_whole_at_any_scale() {
    for scale in [1.0, 1.5, 2.0] {
        let mut harness = shown();
        harness.set_pixels_per_point(scale);
        harness.run();
        let values: Vec<String> = painted_texts(&harness).into_iter().map(|(text, _)| text).collect();
        let of_scales = values.iter().filter(|text| text.ends_with('×') && !text.contains(' '));
        let cut: Vec<_> = of_scales.clone().filter(|text| signs(&harness, text) == 0).collect();
        assert!(of_scales.count() >= 4 && cut.is_empty(), "at {scale}: {cut:?} of {values:?}");
        // None of them is as wide as one that is about to be cut: "0.888×" is as wide as any.
        let widest = painted_texts(&harness).into_iter().filter(|(text, _)| text == "1.000×");
        assert!(widest.clone().count() > 0 && widest.into_iter().all(|(_, rect)| rect.width() < 44.0), "at {scale}");
    }
}

#[test]
fn charts_switch_their_overlays() {
    let mut harness = shown();
    for (title, id) in [
        ("Edge stretch", "stretch"),
        ("Triangle area", "area"),
        ("Inverted triangles", "inverted"),
        ("Folds", "fold"),
        ("Normal error", "normal-error"),
    ] {
        harness.get_by_label(&format!("Show {title}")).scroll_to_me();
        harness.run();
        harness.get_by_label(&format!("Show {title}")).click();
        harness.run();
        assert_eq!(harness.state().session.view().overlay.map(|o| o.id), Some(id));
    }
    harness.get_by_label("Show Normal error").click();
    harness.run();
    assert!(harness.state().session.view().overlay.is_none());
}

#[test]
fn the_modes_of_normals_stand_below_each_other_and_a_click_shows_one() {
    let mut harness = shown();
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.5));
    harness.state_mut().session.update_pose();
    assert!(harness.query_by_label_contains("Matrix without translation: worst").is_none());
    let switch = "Errors of all modes of normals";
    harness.get_by_label(switch).scroll_to_me();
    harness.run();
    harness.get_by_label(switch).click();
    harness.run();
    let measures = harness.state().session.measurements().measures().unwrap().measures.clone();
    assert_eq!(measures.normal_modes.len(), 6);
    let of = &measures.normal_modes[4];
    let name =
        format!("Matrix without translation: worst {:.1}°, mean {:.2}°, {} of length zero", of.worst, of.mean, of.zero);
    // What a vertex costs is measured in the background, with its quartiles.
    let timed = format!("{name}, a vertex ");
    for _ in 0..8000 {
        if harness.query_by_label_contains(&timed).is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
        harness.step();
    }
    let text = |harness: &Harness<'_, App>| {
        let node = harness.get_by_label_contains(&timed).accesskit_node();
        node.label().or_else(|| node.value()).unwrap()
    };
    assert!(text(&harness).contains(" ns (half of all turns "), "{}", text(&harness));
    harness.get_by_label_contains(&name).scroll_to_me();
    harness.run();
    assert_texts_are_apart(&harness, harness.get_by_label_contains(&name).rect());
    harness.get_by_label_contains(&name).click();
    harness.run();
    let session = &harness.state().session;
    assert_eq!(session.view().normals.id, "rotation-only");
    assert_eq!(session.measurements().measures().unwrap().measures.normal_error, Some([of.worst, of.mean]));
    // Dual quaternions have no such modes.
    harness.state_mut().session.apply(ViewCommand::SetMethod("dual-quaternion"));
    harness.run();
    assert!(harness.query_by_label(switch).is_none());
}

#[test]
fn a_clip_that_takes_long_is_measured_elsewhere_and_that_can_be_stopped() {
    let mut session = session(4);
    session.defer_work();
    session.apply(MeasureCommand::TogglePanel);
    let status = Status { curves: Some(0.4), ..Status::default() };
    let mut harness = window(session, UiState::default(), status);
    harness.get_by_label("Measuring the clip");
    let bar = harness.get_by_label("Clip measured");
    assert_eq!(bar.accesskit_node().numeric_value().map(|v| (10.0 * v).round()), Some(4.0));
    assert!(harness.state().session.measurements().lacks_curves());
    harness.get_by_label("Stop").click();
    harness.run();
    assert!(!harness.state().session.measurements().lacks_curves());
    harness.get_by_label("The clip was not measured.");
    harness.get_by_label("Measure the clip").click();
    harness.run();
    assert!(harness.state().session.measurements().lacks_curves());
    // The owner of the session measures.
    harness.state_mut().session.do_wanted();
    let curves = harness.state().session.measurements().measured_clip().unwrap();
    assert!(curves.complete && curves.moments.len() == 31);
    harness.run();
    harness.get_by_label("Curve: Volume");
    assert!(!harness.state().session.measurements().lacks_curves());
    // Another method is another clip to measure.
    harness.state_mut().session.apply(ViewCommand::SetMethod("dual-quaternion"));
    assert!(
        harness.state().session.measurements().lacks_curves()
            && harness.state().session.measurements().measured_clip().is_none()
    );
    let stopped = harness.state().session.measure_clip(30.0, MeasureCurves::WANTED, &mut |part| part < 0.5).unwrap();
    assert!(!stopped.complete && stopped.moments.len() < 31);
}

#[test]
fn poses_are_measured_once_and_elsewhere() {
    let mut session = session(4);
    session.defer_work();
    assert!(session.wanted().is_empty() && session.measurements().measures().is_none(), "nobody asks");
    session.apply(ViewCommand::SetOverlay(Some("stretch")));
    assert!(
        matches!(session.wanted()[..], [Work::MeasurePose(_)]) && session.measurements().measures().is_none(),
        "it is not measured yet"
    );
    session.do_wanted();
    assert!(session.wanted().is_empty() && session.measurements().measures().is_some());
    session.apply(PlaybackCommand::Seek(0.7));
    session.update_pose();
    // The numbers lag behind the pose until it is measured too.
    let late = session.measurements().measures().unwrap().measures.stretch[1];
    session.do_wanted();
    assert!(late < 1.001 && session.measurements().measures().unwrap().measures.stretch[1] > 1.02);
}

#[test]
fn both_sides_of_a_comparison_are_measured_and_the_legend_says_both() {
    let mut session = session(4);
    session.defer_work();
    session.apply(ViewCommand::SetOverlay(Some("stretch")));
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
    session.apply(PlaybackCommand::Seek(0.5));
    session.update_pose();
    session.do_wanted();
    assert!(session.wanted().is_empty());
    let [one, other] = [session.measurements().measures(), session.measurements().compared_measures()]
        .map(|m| m.unwrap().measures.clone());
    assert_ne!(one.stretch, other.stretch);
    // While the pose changes the sides take turns.
    let mut turns = Vec::new();
    for i in 0..6 {
        session.apply(PlaybackCommand::Seek(0.1 * i as f32));
        session.update_pose();
        let before = session.measurements().compared_measures().unwrap().measures.clone();
        let work = session.wanted().into_iter().find(|work| matches!(work, Work::MeasurePose(_))).unwrap();
        let run = session.begin(&work).unwrap();
        session.done(run(&JobContext::of_waiting()).unwrap());
        turns.push(session.measurements().compared_measures().unwrap().measures != before);
    }
    assert!(turns.windows(2).skip(1).all(|pair| pair[0] != pair[1]), "{turns:?}");
    let mut harness = window(session, UiState::default(), Status::default());
    // The legend stands on the plate, which is a bar at first in a window of this width.
    click(&mut harness, "Unfold the comparison");
    let session = &harness.state().session;
    let longest = measure("stretch_max").unwrap();
    let [one, other] = [session.measurements().measures(), session.measurements().compared_measures()]
        .map(|m| longest.text((longest.value)(&m.unwrap().measures).unwrap()));
    harness.get_by_label(&format!("Longest edge: Linear blend {one}, Dual quaternion {other}"));
}

#[test]
fn without_a_model_a_skin_or_a_clip_the_panel_says_so() {
    let mut session = Session::default();
    session.apply(MeasureCommand::TogglePanel);
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("Open a file to measure what its poses do to the surface.");
    let mut parts = ModelParts::clone(&tube(Tube::default()));
    parts.clips.clear();
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts.clone()).unwrap()), vec![], None));
    session.apply(MeasureCommand::TogglePanel);
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("Curves are drawn over a clip; none is shown.");
    harness.get_by_label("Area 1.000×");
    parts.skins.clear();
    parts.instances[0].skin = None;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(MeasureCommand::TogglePanel);
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("This model has no skin, so that no pose deforms its surface.");
}

#[test]
fn arrow_keys_walk_from_peak_to_peak_of_a_chart() {
    let mut harness = shown();
    let (time, _) = worst(&harness, "stretch_max");
    harness.get_by_label("Curve: Edge stretch").focus();
    harness.run();
    harness.state_mut().commands.clear();
    harness.key_press(Key::ArrowRight);
    harness.run();
    let shown = harness.state().commands.iter().find_map(|command| match command {
        Command::Measure(MeasureCommand::ShowMoment(_, secs)) => Some(*secs),
        _ => None,
    });
    assert!(shown.is_some_and(|secs| secs > 0.0 && secs <= time + 1e-4), "{shown:?}, the worst at {time}");
    // The frame before is not shown by the same key.
    assert!(
        !harness.state().commands.iter().any(|c| matches!(c, Command::Playback(_))),
        "{:?}",
        harness.state().commands
    );
    for _ in 0..60 {
        harness.key_press(Key::ArrowRight);
        harness.run();
    }
    let last = harness.state().session.playback().time_secs;
    harness.key_press(Key::ArrowLeft);
    harness.run();
    assert!(harness.state().session.playback().time_secs <= last);
}
