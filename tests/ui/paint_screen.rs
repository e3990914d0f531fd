//! Brushes that measure distances in the picture.

use skinscope::session::{LayerCommand, PaintCommand, PaintDrag, PaintSettings};
use skinscope::weights::BRUSHES;

use super::paint::{click_at, held, on_skin, undo, weights};
use super::*;

#[test]
fn a_click_on_the_screen_paints_what_is_seen_and_its_distance_is_chosen_in_the_panel() {
    let mut harness = held("add");
    let (before, at) = (weights(&harness), on_skin(&harness));
    click_at(&mut harness, at);
    let along = weights(&harness);
    undo(&mut harness);
    harness.get_by_label("Screen").scroll_to_me();
    harness.run();
    click(&mut harness, "Screen");
    assert_eq!(harness.state().session.painting().settings().distance, skinscope::paint::Distance::Screen);
    click_at(&mut harness, at);
    let seen = weights(&harness);
    assert!(seen != before && seen != along);
    let strokes = &harness.state().session.painting().recorded().strokes;
    assert!(strokes.len() == 1 && strokes[0].dabs.iter().flatten().all(|dab| dab.weights.is_some()));
    undo(&mut harness);
    assert!(weights(&harness) == before && harness.state().session.painting().recorded().strokes.is_empty());
}

#[test]
fn the_tools_over_the_picture_keep_their_place_as_a_brush_is_taken_and_put_down() {
    let mut harness = held("add");
    let place = |harness: &Harness<'_, App>| harness.get_by_label("Move tool").rect();
    let held = place(&harness);
    let line = harness.get_by_label_contains("Shift smooths, middle-drag turns").rect();
    assert!(line.left() >= held.right() && line.top() <= held.bottom(), "{line:?} beside {held:?}");
    harness.state_mut().session.apply(PaintCommand::Hold(None));
    harness.run();
    harness.run();
    assert_eq!(place(&harness), held);
}

#[test]
fn a_gradient_says_its_strengths_along_its_way_before_it_is_painted() {
    for drag in [PaintDrag::Linear, PaintDrag::Radial] {
        let mut harness = held("add");
        let settings = PaintSettings { drag, strength: 0.8, falloff: "linear".to_owned(), ..PaintSettings::default() };
        harness.state_mut().session.apply(PaintCommand::Set(settings));
        let (before, from) = (weights(&harness), on_skin(&harness));
        harness.event(Event::PointerMoved(from));
        harness.run();
        let press = |pressed| Event::PointerButton {
            pos: from,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        harness.event(press(true));
        harness.run();
        let mut said = |way: f32| {
            harness.event(Event::PointerMoved(from - vec2(0.0, way)));
            harness.run();
            let label = harness.get_by_label_contains("Strength along the gradient: ");
            label.accesskit_node().value().unwrap_or_default()
        };
        assert_eq!(said(60.0), "Strength along the gradient: 0.80, 0.00", "{drag:?}");
        assert_eq!(said(200.0), "Strength along the gradient: 0.80, 0.60, 0.40, 0.20, 0.00", "{drag:?}");
        assert!(painted_texts(&harness).iter().any(|(text, _)| text == "0.60"));
        harness.key_press(Key::Escape);
        harness.run();
        assert!(
            harness.query_by_label_contains("Strength along the gradient").is_none() && weights(&harness) == before
        );
    }
}

/// Presses a button of the panel, such as the head of a section, which unfolds it or folds it again.
pub(super) fn unfold(harness: &mut Harness<'static, App>, head: &str) {
    harness.get_by_label(head).scroll_to_me();
    harness.run();
    click(harness, head);
}

#[test]
fn brush_settings_and_layers_are_in_sight_together_and_what_is_folded_says_what_is_set() {
    let mut harness = held("add");
    harness.set_size(vec2(1600.0, 900.0));
    harness.run();
    harness.run();
    let end = harness.get_by_label("Flood").rect().top();
    for label in ["Add brush", "Strength value", "Settings of the stroke", "Limits of the brush", "Add a layer"] {
        let rect = harness.get_by_label(label).rect();
        assert!(rect.top() > 0.0 && rect.bottom() <= end, "{label} at {rect:?} of {end}");
    }
    assert!(harness.query_by_label("Only marked").is_none());
    unfold(&mut harness, "Limits of the brush");
    unfold(&mut harness, "Only marked");
    assert!(harness.state().session.painting().settings().only_marked);
    unfold(&mut harness, "Limits of the brush");
    assert!(harness.query_by_label("Only marked").is_none());
    assert!(harness.state().session.painting().settings().only_marked, "what is folded stays set");
}

#[test]
fn brushes_stand_in_even_columns_and_the_layers_are_in_sight_in_a_small_window() {
    let mut harness = held("add");
    harness.state_mut().session.apply(PaintCommand::Layer(LayerCommand::Add("Skirt".to_owned())));
    harness.run();
    let rect = |label: &str| harness.get_by_label(label).rect();
    let first = rect("Add brush");
    for (joint, all) in [("Add", "Smooth"), ("Subtract", "Sharpen"), ("Replace", "Relax"), ("Scale", "Average")] {
        let [joint, all] = [joint, all].map(|name| rect(&format!("{name} brush")));
        assert!((joint.left() - all.left()).abs() < 0.5, "{joint:?} {all:?}");
        assert!((joint.width() - first.width()).abs() < 0.5 && (all.width() - first.width()).abs() < 0.5, "{joint:?}");
        assert!(joint.right() <= 1280.0, "{joint:?}");
    }
    let touch = rect("Settings of the touch").top();
    let end = rect("Flood").top();
    for label in ["Add a layer", "Paint in Skirt", "Paint in Base"] {
        assert!(rect(label).bottom() <= touch.min(end), "{label} at {:?}, above {touch} and {end}", rect(label));
    }
    assert!(rect("Opacity value").top() > touch, "what is set of the layer stands below");
}

#[test]
fn a_key_takes_another_brush_while_one_is_in_the_hand_and_none_else() {
    let mut harness = held("add");
    let brush = |harness: &Harness<'_, App>| harness.state().session.painting().brush().map(|brush| brush.id);
    for (key, wanted) in [(Key::O, "smooth"), (Key::D, "subtract"), (Key::J, "give"), (Key::A, "add")] {
        harness.key_press_modifiers(Modifiers::SHIFT, key);
        harness.run();
        assert_eq!(brush(&harness), Some(wanted));
    }
    harness.state_mut().session.apply(PaintCommand::Hold(None));
    harness.run();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::O);
    harness.run();
    assert_eq!(brush(&harness), None);
}

/// The first point to the right of a point of the skin under which there is none, and some way on, points.
fn beside_skin(harness: &Harness<'_, App>, at: Pos2) -> Pos2 {
    let app = harness.state();
    let is_beside = |at: &Pos2| {
        let pixel = *at - app.picture.min;
        app.session.paint_hit(glam::Vec2::new(pixel.x, pixel.y)).is_none()
    };
    (1..100).map(|step| at + vec2(4.0 * step as f32, 0.0)).find(is_beside).unwrap() + vec2(20.0, 0.0)
}

#[test]
fn a_gradient_begins_beside_the_skin() {
    let mut harness = held("replace");
    let at = on_skin(&harness);
    let beside = beside_skin(&harness, at);
    for drag_kind in [PaintDrag::Linear, PaintDrag::Radial] {
        let settings = PaintSettings { drag: drag_kind, ..harness.state().session.painting().settings().clone() };
        harness.state_mut().session.apply(PaintCommand::Set(settings));
        harness.run();
        let before = weights(&harness);
        drag(&mut harness, &[beside, at], PointerButton::Primary);
        assert!(weights(&harness) != before, "{drag_kind:?}");
        undo(&mut harness);
        assert!(weights(&harness) == before && !harness.state().session.history().can_undo());
    }
    // Around its start, which is not as far as the skin.
    drag(&mut harness, &[beside + vec2(8.0, 0.0), beside], PointerButton::Primary);
    harness.get_by_label("The gradient touches no vertex that can be painted");
    assert!(!harness.state().session.history().can_undo());
}

#[test]
fn the_line_over_the_picture_says_what_the_brush_does_to_which_joints_in_which_layer() {
    let mut harness = held("add");
    let says = |harness: &Harness<'_, App>, text: &str| harness.query_by_label_contains(text).is_some();
    assert!(says(&harness, "Painting: Add, joint 2. Ctrl") && !says(&harness, "Alt-click"));
    let apply = |harness: &mut Harness<'_, App>, command: PaintCommand| {
        harness.state_mut().session.apply(command);
        harness.run();
    };
    apply(&mut harness, PaintCommand::Hold(Some("replace".to_owned())));
    assert!(says(&harness, "Alt-click takes the weight"));
    apply(&mut harness, PaintCommand::GiveTo(NodeId(2)));
    assert!(says(&harness, "Painting: Give joint 2 → joint 1. Ctrl"));
    apply(&mut harness, PaintCommand::Layer(LayerCommand::Add("Layer 1".to_owned())));
    assert!(says(&harness, "Painting: Give joint 2 → joint 1 in Layer 1. Ctrl"));
    apply(&mut harness, PaintCommand::Layer(LayerCommand::Select(None)));
    assert!(says(&harness, "joint 1 in the base below the layers. Ctrl"));
}

#[test]
fn what_is_below_the_brushes_keeps_its_place_as_another_one_is_taken() {
    let mut harness = held("add");
    let place = |harness: &Harness<'_, App>| harness.get_by_label("Painted: joint 2").rect();
    let before = place(&harness);
    for brush in BRUSHES {
        harness.state_mut().session.apply(PaintCommand::Hold(Some(brush.id.to_owned())));
        harness.run();
        assert_eq!(place(&harness), before, "{}", brush.id);
    }
}

#[test]
fn the_painted_joint_is_not_among_those_that_could_be_given_to() {
    let mut harness = held("give");
    let rows = |harness: &Harness<'_, App>, joint: &str| {
        let is_it = |n: &egui_kittest::Node<'_>| n.accesskit_node().label().is_some_and(|label| label == joint);
        harness.query_all_by_role(Role::Button).filter(is_it).count()
    };
    let (painted, other) = (rows(&harness, "joint 2"), rows(&harness, "joint 1"));
    harness.get_by_label("Gives to: None").scroll_to_me();
    harness.run();
    click(&mut harness, "Gives to: None");
    harness.run();
    assert_eq!((rows(&harness, "joint 2"), rows(&harness, "joint 1")), (painted, other + 1));
}
