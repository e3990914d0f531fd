//! Overlays: their menu, switch and legends.

use skinscope::inspect::symmetry::{NO_IMAGE, NO_PARTNER, NO_PLANE};
use skinscope::inspect::{InspectedValues, Inspection, OVERLAYS, PerVertex};
use skinscope::model::{MeshId, WeightChange};
use skinscope::session::ComparedFile;

use super::*;

/// An inspection that found nothing but these differences of mirror images.
fn inspection(asymmetry: PerVertex) -> Inspection {
    let values = InspectedValues { asymmetry: Arc::new(asymmetry), ..Default::default() };
    Inspection { values: Arc::new(values), ..Default::default() }
}

#[test]
fn every_overlay_is_in_its_menu_and_in_the_bar() {
    let mut harness = open(3);
    for overlay in OVERLAYS {
        click(&mut harness, "Overlay");
        if harness.query_by_role_and_label(Role::MenuItemCheckBox, overlay.label).is_none() {
            let of_layers = overlay.id.starts_with("layer-");
            click(&mut harness, if of_layers { "Layers of weights" } else { "Changes of weights" });
        }
        harness.get_by_role_and_label(Role::MenuItemCheckBox, overlay.label).click();
        harness.run();
        assert_eq!(harness.state().session.view().overlay, Some(*overlay));
        if overlay.short.is_none() {
            harness.get_by_label(&format!("More overlays: {}", overlay.label));
        }
    }
    // The list in the bar.
    harness.get_by_label_contains("More overlays: ").click();
    harness.run();
    click(&mut harness, "Weight sum error");
    assert!(has(&harness, &Command::View(ViewCommand::SetOverlay(Some("sum")))));
    click(&mut harness, "Shaded");
    assert_eq!(harness.state().session.view().overlay, None);
    harness.get_by_label("More overlays: More");
}

#[test]
fn legends_count_the_vertices_of_each_step() {
    // 96 vertices of a tube with two influences each.
    let mut session = session(3);
    session.apply(ViewCommand::SetOverlay(Some("influences")));
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("2 joints: 192 vertices");
    harness.get_by_label("1 joint: 0 vertices");
    harness.get_by_label("5 or more: 0 vertices");
}

#[test]
fn the_limit_of_influences_is_set_in_the_legend() {
    let mut session = session(3);
    session.apply(ViewCommand::SetOverlay(Some("alarms")));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("In order: 192 vertices");
    harness.get_by_label("loses nothing");
    harness.state_mut().session.apply(ViewCommand::SetInfluenceLimit(1));
    harness.run();
    harness.get_by_label("Over the limit: 192 vertices");
    // Halfway between two joints one has half of the weight.
    harness.get_by_label_contains("loses up to ");
    harness.get_by_label("Influence limit");
}

#[test]
fn legends_of_ramps_say_their_ends_and_wait_for_what_is_worked_out() {
    let mut session = session(3);
    session.apply(ViewCommand::SetOverlay(Some("sum")));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("Scale: −100 %, −1 %, 0, +1 %, +100 %");
    harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("rogue")));
    harness.run();
    harness.get_by_label("Shown once the model is checked");
    let model = Arc::clone(harness.state().session.model().unwrap());
    harness.state_mut().session.inspected(&model, Inspection::default());
    harness.run();
    assert!(harness.query_by_label("Shown once the model is checked").is_none());
    harness.get_by_label("Scale: 0, 0.5, 1");
}

#[test]
fn a_joint_and_those_below_it_are_chosen_in_the_legend() {
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("weights")));
    harness.run();
    harness.get_by_label("Weight of joint 1");
    click(&mut harness, "With children");
    assert!(harness.state().session.view().is_on(Toggle::WithChildren));
    harness.get_by_label("Weight at and below joint 1");
    click(&mut harness, "Influenced only");
    click(&mut harness, "Dots");
    let view = harness.state().session.view();
    assert!(view.is_on(Toggle::InfluencedOnly) && view.is_on(Toggle::Vertices));
}

#[test]
fn weights_are_those_under_the_pointer_or_of_the_joint_that_moves_most() {
    let mut session = session(3);
    session.apply(ViewCommand::SetOverlay(Some("weights")));
    let heaviest = session.document().unwrap().stats().heaviest.unwrap();
    let shown = |session: &Session| {
        let mut frame = skinscope::frame::Frame::default();
        session.build_frame(&mut frame, &skinscope::frame::SceneColors::DARK);
        frame.display.selected
    };
    assert_eq!(shown(&session), Some(heaviest));
    let other = NodeId(if heaviest == NodeId(3) { 1 } else { 3 });
    session.apply(SelectionCommand::Hover(Some(other)));
    assert_eq!(shown(&session), Some(other));
    session.apply(SelectionCommand::Hover(Some(NodeId(0))));
    assert_eq!(shown(&session), Some(heaviest), "the root moves nothing");
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(SelectionCommand::Hover(Some(other)));
    assert_eq!(shown(&session), Some(NodeId(2)));
    session.apply(ViewCommand::SetOverlay(None));
    session.apply(SelectionCommand::Select(None));
    assert_eq!(shown(&session), None, "nothing is selected where no weights are shown");
}

#[test]
fn the_ramp_is_chosen_in_the_legend() {
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("weights")));
    harness.run();
    // The inspector has it too, where nothing is selected.
    harness.get_by_label("Colours: Heat").click();
    harness.run();
    click(&mut harness, "Blender");
    assert!(has(&harness, &Command::View(ViewCommand::SetRamp(skinscope::math::Ramp::Blender))));
    harness.get_by_label("Colours: Blender");
}

#[test]
fn legends_leave_the_middle_free_and_fold() {
    for (width, height) in [(1280.0, 720.0), (2560.0, 1440.0), (960.0, 600.0), (900.0, 500.0), (700.0, 420.0)] {
        for overlay in OVERLAYS {
            let mut session = session(3);
            session.apply(ViewCommand::SetOverlay(Some(overlay.id)));
            let mut harness = window(session, UiState::default(), Status::default());
            harness.set_size(vec2(width, height));
            harness.run();
            let middle = harness.state().picture.center();
            let covers = |harness: &Harness<'_, App>| {
                let all = harness.query_all_by(|n| {
                    // The text of a label is its value.
                    let label = n.label().or_else(|| n.value()).unwrap_or_default();
                    ["Scale: ", "Weight of ", "Fold legend", overlay.label, "In order", "4 joints"]
                        .iter()
                        .any(|l| label.starts_with(l))
                });
                let inside = |r: &egui::Rect| harness.state().picture.contains(r.center());
                let rects: Vec<egui::Rect> = all.map(|n| n.rect()).filter(inside).collect();
                assert!(!rects.is_empty(), "{} at {width}", overlay.id);
                // A flat one may be wider than half of a small picture.
                let flat = harness.state().picture.bottom() - 100.0;
                rects.iter().any(|r| r.top() < middle.y || r.right() > middle.x && r.top() < flat)
            };
            assert!(!covers(&harness), "{} at {width} × {height}", overlay.id);
        }
    }
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("weights")));
    harness.run();
    harness.get_by_label("Scale: 0, 0.5, 1");
    click(&mut harness, "Fold legend");
    assert!(harness.query_by_label("Scale: 0, 0.5, 1").is_none() && harness.state().ui.saved().legend_folded);
    harness.get_by_label("Weight of joint 1");
    click(&mut harness, "Unfold legend");
    harness.get_by_label("Scale: 0, 0.5, 1");
}

#[test]
fn vertices_without_a_mirror_image_are_counted_in_the_legend() {
    let mut session = session(3);
    session.apply(ViewCommand::SetOverlay(Some("asymmetry")));
    let model = Arc::clone(session.model().unwrap());
    let values = vec![vec![vec![NO_IMAGE, NO_IMAGE, 0.0, 0.2, NO_PLANE, NO_PARTNER]]];
    let asymmetry = PerVertex { values };
    session.inspected(&model, inspection(asymmetry));
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("No mirror image: not judged: 2 vertices");
    harness.get_by_label("No plane of symmetry: not judged: 1 vertex");
    harness.get_by_label("No partner joint: not judged: 1 vertex");
    assert!(harness.query_by_label_contains("No usable weights").is_none(), "there is none");
}

/// A tube, and another that no skin moves.
fn with_a_rigid_part() -> Session {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 3, rings: 12, ..Tube::default() }));
    let rigid = skinscope::model::Instance { skin: None, node: NodeId(0), ..parts.instances[0].clone() };
    parts.instances.push(rigid);
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(ViewCommand::SetOverlay(Some("asymmetry")));
    session
}

#[test]
fn rigid_parts_are_said_to_be_not_skinned_and_not_counted_among_what_has_no_mirror_image() {
    let mut session = with_a_rigid_part();
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection::default());
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("Not skinned: rigid parts: 192 vertices");
    assert!(harness.query_by_label_contains("No mirror image").is_none());
    let mut session = self::session(3);
    session.apply(ViewCommand::SetOverlay(Some("asymmetry")));
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection::default());
    let harness = window(session, UiState::default(), Status::default());
    assert!(harness.query_by_label_contains("Not skinned").is_none(), "where there are none");
}

#[test]
fn legends_of_steps_count_rigid_parts_where_there_are_some() {
    for id in ["influences", "partition", "alarms"] {
        let mut session = with_a_rigid_part();
        session.apply(ViewCommand::SetOverlay(Some(id)));
        let harness = window(session, UiState::default(), Status::default());
        harness.get_by_label("Not skinned: rigid parts: 192 vertices");
        let mut session = self::session(3);
        session.apply(ViewCommand::SetOverlay(Some(id)));
        let harness = window(session, UiState::default(), Status::default());
        assert!(harness.query_by_label_contains("Not skinned").is_none(), "{id}: there are none");
    }
}

#[test]
fn the_card_says_how_a_vertex_differs_from_its_mirror_image() {
    for (value, said) in [
        (NO_IMAGE, "Mirror image: none: not judged"),
        (NO_PLANE, "Mirror image: not judged: no plane of symmetry"),
        (0.0, "Mirror image: the same weights"),
        (0.125, "Mirror image: differs by 12.5 %"),
    ] {
        let mut session = session(3);
        session.apply(ViewCommand::SetOverlay(Some("asymmetry")));
        let model = Arc::clone(session.model().unwrap());
        let stored = model.meshes[0].primitives[0].stored_vertices;
        let asymmetry = PerVertex { values: vec![vec![vec![value; stored]]] };
        session.inspected(&model, inspection(asymmetry));
        let mut harness = window(session, UiState::default(), Status::default());
        let at = beside_the_bones(harness.state());
        harness.event(Event::PointerMoved(at));
        harness.run();
        harness.get_by_label(said);
        harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("influences")));
        harness.run();
        assert!(harness.query_by_label(said).is_none(), "only where it is shown");
    }
    let mut parts = ModelParts::clone(with_a_rigid_part().model().unwrap());
    // The skinned one lies in the same place: only the other is left.
    parts.instances.remove(0);
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(ViewCommand::SetOverlay(Some("asymmetry")));
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection::default());
    let mut harness = window(session, UiState::default(), Status::default());
    let at = beside_the_bones(harness.state());
    harness.event(Event::PointerMoved(at));
    harness.run();
    harness.get_by_label("Mirror image: none: not skinned");
}

/// The tube with five vertices that were given to another joint.
fn edited() -> Harness<'static, App> {
    let mut session = session(3);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (0..5).for_each(|vertex| change.push(vertex, &[2], &[1.0]));
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    window(session, UiState::default(), Status::default())
}

#[test]
fn overlays_of_what_was_changed_say_how_many_vertices_are_as_stored() {
    let mut harness = edited();
    let vertices = harness.state().session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    // Bent, so that vertices that were given to another joint are elsewhere.
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.3));
    harness.run();
    for (label, none) in
        [("Changed weights", "As stored"), ("Changed surface", "In place"), ("Changed weights", "As stored")]
    {
        click(&mut harness, "Overlay");
        click(&mut harness, "Changes of weights");
        click(&mut harness, label);
        harness.get_by_label_contains(&format!("{none}: {}", vertices - 5));
    }
}

#[test]
fn a_key_shows_the_stored_weights_while_it_is_held() {
    let mut harness = edited();
    let is_stored = |harness: &Harness<'_, App>| {
        harness.state().session.deforming().shown_model().unwrap().weight_edits().is_empty()
    };
    let press = |pressed| Event::Key {
        key: Key::Y,
        physical_key: Some(Key::Y),
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    assert!(!is_stored(&harness));
    harness.event(press(true));
    harness.run();
    assert!(is_stored(&harness) && harness.state().session.unsaved().has_unsaved_skinning());
    harness.run();
    assert!(is_stored(&harness), "it is still held");
    harness.event(press(false));
    harness.run();
    assert!(!is_stored(&harness));
    // The chip over the picture holds it without a key.
    click(&mut harness, "As stored");
    assert!(is_stored(&harness));
    click(&mut harness, "As stored");
    assert!(!is_stored(&harness));
    // While nothing is edited there is no chip.
    assert!(open(3).query_by_label("As stored").is_none());
}

#[test]
fn switches_that_have_no_room_in_the_row_are_in_a_list_and_the_tools_keep_still() {
    let mut harness = edited();
    let tools = |harness: &Harness<'_, App>| {
        let picture = harness.state().picture;
        let all = harness.query_all_by_label("Camera only").map(|node| node.rect());
        all.filter(|rect| picture.contains_rect(*rect)).map(|rect| rect.top()).collect::<Vec<_>>()
    };
    let in_picture = |harness: &Harness<'_, App>, label: &str| {
        let picture = harness.state().picture;
        harness.query_all_by_label(label).filter(|node| picture.contains_rect(node.rect())).count()
    };
    let before = tools(&harness);
    assert_eq!((in_picture(&harness, "As stored"), in_picture(&harness, "Show")), (1, 0));
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.run();
    assert_eq!(tools(&harness), before);
    assert_eq!((in_picture(&harness, "As stored"), in_picture(&harness, "Show")), (0, 1));
    let picture = harness.state().picture;
    harness.query_all_by_label("Show").find(|node| picture.contains_rect(node.rect())).unwrap().click();
    harness.run();
    click(&mut harness, "As stored");
    assert!(harness.state().session.deforming().shown_model().unwrap().weight_edits().is_empty());
}

#[test]
fn beside_another_file_the_legend_names_that_file() {
    let mut session = session(3);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (0..5).for_each(|vertex| change.push(vertex, &[2], &[1.0]));
    let other = Arc::new(session.model().unwrap().with_weights(&[change]).unwrap());
    session.compare_with(Some(ComparedFile { model: other, name: "b.glb".into() })).unwrap();
    session.apply(ViewCommand::SetOverlay(Some("changed")));
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("As in b.glb: ");
    assert!(harness.query_by_label_contains("As stored: ").is_none());
}
