//! Sliders and typed values, and the outliner beside them.

use super::*;

#[test]
fn humanoid_names_stand_beside_the_joints_and_are_found() {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, rings: 12, ..Tube::default() })).clone();
    parts.humanoid = vec![(NodeId(1), "hips".into()), (NodeId(2), "leftUpperLeg".into())];
    let mut harness = open_model(parts);
    harness.get_by_label("Search nodes").focus();
    harness.run();
    harness.get_by_label("Search nodes").type_text("upperleg");
    harness.run();
    assert!(harness.query_by_label("joint 2").is_none());
    click(&mut harness, "joint 1, leftUpperLeg");
    assert_eq!(harness.state().session.view().selected, Some(NodeId(2)));
    harness.get_by_label_contains("leftUpperLeg · joint 1 of skin");
}

#[test]
fn sums_that_are_not_one_are_shown_with_the_switch_that_divides_by_them() {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, rings: 12, ..Tube::default() })).clone();
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    weights.iter_mut().for_each(|w| *w *= 0.5);
    let vertices = parts.meshes[0].primitives[0].stored_vertices;
    let mut harness = open_model(parts);
    // The switch stands below the window's edge.
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    harness.get_by_label(&format!("Weights not summing to one: {vertices} vertices"));
    harness.get_by_label("Their sums: 0.500 to 0.500");
    click(&mut harness, "Fold root");
    click(&mut harness, "Normalise weights");
    assert!(
        has(&harness, &Command::Edit(EditCommand::NormaliseWeights))
            && harness.state().session.document().is_some_and(|d| d.stats().uneven.is_none())
    );
    harness.run();
    // The figures are those of the edited weights, and what was folded stays so.
    harness.get_by_label(&format!("Edited weights: {vertices} vertices"));
    assert!(harness.query_by_label("Their sums: 0.500 to 0.500").is_none());
    harness.get_by_label("Unfold root");
    // A model whose sums are one has nothing to switch.
    let harness = open(3);
    assert!(harness.query_by_label("Normalise weights").is_none());
}

#[test]
fn all_figures_of_weights_are_those_of_the_edited_weights() {
    let mut harness = open(3);
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    let figures = |harness: &Harness<'_, App>| {
        let stats = harness.state().session.document().unwrap().stats();
        let vertices: usize = stats.by_influences.iter().sum();
        // The histogram counts the same influences.
        let used: usize = stats.by_influences.iter().enumerate().map(|(influences, count)| influences * count).sum();
        (used, format!("{:.2}", used as f64 / vertices as f64))
    };
    let shows = |harness: &Harness<'_, App>| {
        let (used, mean) = figures(harness);
        harness.get_by_label(&format!("Influences used: {used}"));
        harness.get_by_label(&format!("Influences of a vertex, mean: {mean}"));
        used
    };
    let before = shows(&harness);
    let mut change = skinscope::model::WeightChange::new(skinscope::model::MeshId(0), 0, 4);
    (0..60).for_each(|vertex| change.push(vertex, &[1], &[1.0]));
    harness.state_mut().session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    harness.run();
    assert!(shows(&harness) < before, "they are those of the file");
}

#[test]
fn dragging_a_slider_to_its_end_is_one_edit_that_ends() {
    let mut harness = selected(3, 2);
    let rail = harness.get_by_label("Rotation X").rect();
    drag(&mut harness, &[rail.center(), rail.center() + vec2(20.0, 0.0), rail.right_center()], PointerButton::Primary);
    let commands = &harness.state().commands;
    let edits: Vec<_> = commands.iter().filter(|c| matches!(c, Command::Edit(EditCommand::Edit(..)))).collect();
    assert_eq!(
        *edits[edits.len() - 1],
        Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(180.0, 0.0, 0.0))))
    );
    assert!(edits.len() >= 2, "every move of the drag shows");
    let ends = commands.iter().filter(|c| **c == Command::Edit(EditCommand::EndEdit)).count();
    assert_eq!((commands.last(), ends), (Some(&Command::Edit(EditCommand::EndEdit)), 1));
    let session = &mut harness.state_mut().session;
    session.apply(EditCommand::Undo);
    assert!(session.edits().is_empty(), "one drag is one step");
}

#[test]
fn a_typed_value_is_an_edit_even_while_the_clip_plays() {
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(PlaybackCommand::TogglePlay);
    click(&mut harness, "Rotation Y value");
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.3));
    harness.event(Event::Text("−12,5".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let commands = &harness.state().commands;
    let [
        ..,
        Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(degrees))),
        Command::Edit(EditCommand::EndEdit),
    ] = commands.as_slice()
    else {
        unreachable!("{commands:?}")
    };
    assert_eq!(degrees.y, -12.5);
    // The clip's own turn about X at 0.3 s of 0.5 s to 30 degrees stays in what the edit holds.
    assert!((degrees.x - 18.0).abs() < 0.5, "{degrees}");
}

#[test]
fn escape_leaves_a_typed_value_alone() {
    let mut harness = selected(3, 2);
    click(&mut harness, "Translation X value");
    harness.event(Event::Text("5".into()));
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.state().session.edits().is_empty());
}

#[test]
fn arrows_on_a_focused_slider_step_by_a_degree() {
    let mut harness = selected(3, 2);
    harness.get_by_label("Rotation Z").focus();
    harness.run();
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert_eq!(
        harness.state().commands,
        [
            Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 1.0)))),
            Command::Edit(EditCommand::EndEdit)
        ]
    );
}

#[test]
fn an_edited_channel_can_be_reset() {
    let mut harness = selected(3, 2);
    assert!(harness.query_by_label("Reset rotation").is_none());
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X)));
    harness.run();
    click(&mut harness, "Reset rotation");
    assert!(harness.state().session.edits().is_empty());
}

#[test]
fn a_click_in_the_outliner_selects() {
    let mut harness = open(4);
    click(&mut harness, "joint 2");
    assert_eq!(harness.state().session.view().selected, Some(NodeId(3)));
    harness.get_by_label_contains("joint 2 of skin tube · child of joint 1");
    // What the pointer is over is said, so that the picture can show it.
    assert!(has(&harness, &Command::Selection(SelectionCommand::Hover(Some(NodeId(3))))));
}

#[test]
fn the_search_keeps_matches_and_what_they_hang_on() {
    let mut harness = open(12);
    click(&mut harness, "Search nodes");
    harness.event(Event::Text("joint 3".into()));
    harness.run();
    harness.get_by_label("joint 3");
    harness.get_by_label("joint 1");
    assert!(harness.query_by_label("joint 5").is_none());
    click(&mut harness, "Clear search");
    harness.get_by_label("joint 5");
}

#[test]
fn escape_clears_the_search_and_then_leaves_it() {
    let mut harness = open(12);
    click(&mut harness, "Search nodes");
    harness.event(Event::Text("joint 3".into()));
    harness.run();
    assert!(harness.query_by_label("joint 5").is_none());
    harness.key_press(Key::Escape);
    harness.run();
    harness.get_by_label("joint 5");
    assert!(harness.get_by_label("Search nodes").is_focused());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.get_by_label("Search nodes").is_focused());
}

#[test]
fn folding_hides_children_until_one_is_selected_elsewhere() {
    let mut harness = open(5);
    click(&mut harness, "Fold joint 1");
    assert!(harness.query_by_label("joint 2").is_none());
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(4))));
    harness.run();
    assert!(
        harness.query_all_by_role(Role::TreeItem).any(|n| n.accesskit_node().label().as_deref() == Some("joint 3"))
    );
}

#[test]
fn a_selection_made_elsewhere_is_scrolled_to_and_long_trees_stay_cheap() {
    let mut harness = open(3000);
    let rows = |h: &Harness<'_, App>| h.query_all_by_role(Role::TreeItem).count();
    assert!(rows(&harness) < 40, "{} rows", rows(&harness));
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2500))));
    harness.run();
    let row = harness.get_by_role_and_label(Role::TreeItem, "joint 2499").rect();
    assert!(row.top() > 80.0 && row.bottom() < 560.0, "{row:?}");
    assert!(rows(&harness) < 40, "{} rows", rows(&harness));
}

/// A tube with two morph targets, of which one acts a little.
pub(super) fn with_morph_targets() -> ModelParts {
    let mut parts = ModelParts::clone(&tube(Tube::default()));
    parts.meshes[0].morph_names = vec!["Smile".into(), "Blink".into()];
    parts.meshes[0].primitives[0].morphs = vec![skinscope::model::MorphTarget::default(); 2];
    parts.instances[0].morph_weights = vec![0.0, 0.25];
    parts.skeleton.rest.morph_weights = vec![0.0, 0.25];
    parts
}

#[test]
fn morph_targets_have_sliders_that_can_be_reset() {
    let mut harness = open_model(with_morph_targets());
    let rail = harness.get_by_label("Blink of root").rect();
    drag(&mut harness, &[rail.center(), rail.right_center()], PointerButton::Primary);
    assert_eq!(harness.state().session.pose().local.morph_weights, [0.0, 1.0]);
    assert_eq!(harness.state().commands.last(), Some(&Command::Edit(EditCommand::EndEdit)));
    click(&mut harness, "Reset morph targets of root");
    assert_eq!(harness.state().session.pose().local.morph_weights, [0.0, 0.25]);
}

#[test]
fn a_corrective_shape_says_which_joint_brings_it_in_and_follows_it() {
    let mut parts = with_morph_targets();
    // The quaternion of a turn by 60° about X.
    let shape = r#"{"target":0,"name":"Smile","rotations":[[0.5,0,0,0.8660254]]}"#;
    let joint = r#"{"node":2,"name":"joint 1","rest":[0,0,0,1]}"#;
    let text = format!(r#"{{"schema":1,"drivers":[{{"node":0,"joints":[{joint}],"shapes":[{shape}]}}]}}"#);
    parts.source.kept_shapes = Some(text.into());
    let mut harness = open_model(parts);
    let weight = |harness: &Harness<'_, App>| harness.state().session.pose().local.morph_weights[0];
    harness.state_mut().session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    harness.run();
    harness.get_by_label_contains("Brought in by joint 1");
    assert_eq!(weight(&harness), 0.0);
    let turned = ChannelValue::Rotation(Vec3::X * 60.0);
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), turned));
    harness.run();
    assert!((weight(&harness) - 1.0).abs() < 1e-4, "{}", weight(&harness));
    // A weight that is set by hand stays, and no joint brings it in.
    harness.state_mut().session.apply(EditCommand::EditMorph(0, 0.5));
    harness.run();
    assert!(weight(&harness) == 0.5 && harness.query_by_label_contains("Brought in by joint 1").is_none());
}
