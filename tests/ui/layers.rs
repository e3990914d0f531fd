//! Layers of weights: their list in the panel of brushes.

use skinscope::session::{LayerCommand, PaintCommand, PaintSettings};

use super::paint::{click_at, held, on_skin, undo, weights};
use super::*;

#[test]
fn a_layer_is_added_painted_in_hidden_and_shown_again_from_its_list() {
    let mut harness = held("add");
    let press = |harness: &mut Harness<'_, App>, label: &str| {
        harness.get_by_label(label).scroll_to_me();
        harness.run();
        click(harness, label);
    };
    let at = on_skin(&harness);
    let base = weights(&harness);
    press(&mut harness, "Add a layer");
    assert_eq!(weights(&harness), base);
    click_at(&mut harness, at);
    let painted = weights(&harness);
    assert!(painted != base);
    press(&mut harness, "Hide Layer 1");
    assert!(weights(&harness) == base);
    // Nothing could be seen of what is painted now.
    click_at(&mut harness, at);
    assert!(weights(&harness) == base);
    harness.get_by_label("Layer 1 is off");
    press(&mut harness, "Show Layer 1");
    assert!(weights(&harness) == painted);
    press(&mut harness, "Paint in Base");
    assert_eq!(harness.state().session.painting().layers().active(), None);
    press(&mut harness, "Paint in Layer 1");
    press(&mut harness, "Merge down");
    assert!(weights(&harness) == painted && harness.state().session.painting().layers().is_empty());
    // The layer, the stroke, both switches and the merging.
    (0..5).for_each(|_| undo(&mut harness));
    assert!(weights(&harness) == base && !harness.state().session.history().can_undo());
}

#[test]
fn the_mask_of_a_layer_is_painted_and_shown_and_an_empty_one_is_said() {
    let mut harness = held("subtract");
    let press = |harness: &mut Harness<'_, App>, label: &str| {
        harness.get_by_label(label).scroll_to_me();
        harness.run();
        click(harness, label);
    };
    let overlay = |harness: &Harness<'_, App>| harness.state().session.view().overlay.map(|overlay| overlay.id);
    let at = on_skin(&harness);
    press(&mut harness, "Add a layer");
    click_at(&mut harness, at);
    let painted = weights(&harness);
    press(&mut harness, "Paint the mask");
    assert!(harness.state().session.painting().paints_mask());
    assert_eq!(overlay(&harness), Some("layer-mask"));
    let hold = |harness: &mut Harness<'_, App>, brush: &str| {
        harness.state_mut().session.apply(PaintCommand::Hold(Some(brush.to_owned())));
        harness.run();
    };
    hold(&mut harness, "replace");
    harness.get_by_label_contains("Alt-click takes the mask");
    hold(&mut harness, "subtract");
    click_at(&mut harness, at);
    let masked = weights(&harness);
    assert!(masked != painted);
    assert!(harness.query_by_label("Remove the mask").is_some() && harness.query_by_label("Mask marked").is_none());
    harness.get_by_label_contains("At the pointer: mask 0.");
    let set = |harness: &mut Harness<'_, App>, strength: f64| {
        let settings = PaintSettings { strength, ..harness.state().session.painting().settings().clone() };
        harness.state_mut().session.apply(PaintCommand::Set(settings));
    };
    set(&mut harness, 1.0);
    press(&mut harness, "Flood");
    harness.get_by_label("The mask is empty: the layer does nothing.");
    undo(&mut harness);
    undo(&mut harness);
    assert!(weights(&harness) == painted);
    assert!(harness.query_by_label("The mask is empty: the layer does nothing.").is_none());
    // It has none any more.
    assert!(harness.query_by_label("Remove the mask").is_none());
    press(&mut harness, "Paint the mask");
    assert!(!harness.state().session.painting().paints_mask() && overlay(&harness) == Some("weights"));
}

#[test]
fn layers_of_a_file_that_was_changed_are_asked_about() {
    let mut harness = held("add");
    let at = on_skin(&harness);
    let base = weights(&harness);
    harness.get_by_label("Add a layer").scroll_to_me();
    harness.run();
    click(&mut harness, "Add a layer");
    click_at(&mut harness, at);
    let painted = weights(&harness);
    let session = &harness.state().session;
    let stored = session.document().unwrap().stored();
    let text = skinscope::paint::kept_text(stored, session.painting().layers()).unwrap();
    // The file has the weights from before the layer, as if another program had written them.
    let mut parts = ModelParts::clone(stored);
    parts.source.kept_layers = Some(text.into());
    let model = Model::build(parts).unwrap();
    let document = Document::new(Arc::new(model), Vec::new(), None);
    let selected = session.view().selected;
    let mut other = Session::default();
    other.open(document);
    other.apply(SelectionCommand::Select(selected));
    other.apply(PaintCommand::Hold(Some("add".to_owned())));
    harness.state_mut().session = other;
    harness.run();
    let press = |harness: &mut Harness<'_, App>, label: &str| {
        harness.get_by_label(label).scroll_to_me();
        harness.run();
        click(harness, label);
    };
    assert!(weights(&harness) == base);
    assert!(harness.query_by_label("Add a layer").is_none(), "first it is said what becomes of those of the file");
    press(&mut harness, "Lay over the change");
    assert!(weights(&harness) == painted && harness.query_by_label("Add a layer").is_some());
    undo(&mut harness);
    press(&mut harness, "Take the change as a layer");
    assert!(weights(&harness) == base && harness.state().session.painting().layers().layers().len() == 2);
    undo(&mut harness);
    press(&mut harness, "Drop the layers");
    assert!(harness.query_by_label("Drop the layers").is_none() && weights(&harness) == base);
}

#[test]
fn an_effect_is_added_set_switched_and_removed_in_the_panel() {
    let mut harness = held("add");
    let press = |harness: &mut Harness<'_, App>, label: &str| {
        harness.get_by_label(label).scroll_to_me();
        harness.run();
        click(harness, label);
    };
    let at = on_skin(&harness);
    let base = weights(&harness);
    press(&mut harness, "Add a layer");
    click_at(&mut harness, at);
    let painted = weights(&harness);
    // With the base in the hand the effects of all layers are shown alone.
    press(&mut harness, "Paint in Base");
    press(&mut harness, "+ Smooth");
    let smoothed = weights(&harness);
    assert!(smoothed != painted && smoothed != base);
    press(&mut harness, "Switch off Smooth");
    assert!(weights(&harness) == painted);
    press(&mut harness, "Switch on Smooth");
    assert!(weights(&harness) == smoothed);
    press(&mut harness, "+ Prune");
    press(&mut harness, "Move Prune up");
    let order = |harness: &Harness<'_, App>| {
        let effects = harness.state().session.painting().layers().effects().iter();
        effects.map(|effect| effect.kind().id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&harness), "prune smooth");
    // The links end where the values of the sliders do.
    let right = |label: &str| harness.get_by_label(label).rect().right();
    assert!((right("Remove Smooth") - right("Smooth strength value")).abs() < 3.0, "{}", right("Remove Smooth"));
    press(&mut harness, "Remove Smooth");
    assert_eq!(order(&harness), "prune");
    press(&mut harness, "Hide Layer 1");
    assert!(weights(&harness) == base);
}

#[test]
fn the_brush_of_layers_has_a_row_and_a_key_that_wait_for_a_layer() {
    let mut harness = held("add");
    let is_off = |harness: &mut Harness<'_, App>| {
        click(harness, "Tools");
        harness.get_by_role_and_label(Role::MenuItem, "Paint").click();
        harness.run();
        let off = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Erase brush").accesskit_node().is_disabled();
        harness.key_press(Key::Escape);
        harness.run();
        off
    };
    let taken = |harness: &mut Harness<'_, App>| {
        harness.key_press_modifiers(Modifiers::SHIFT, Key::N);
        harness.run();
        harness.state().session.painting().brush().map(|brush| brush.id)
    };
    assert!(is_off(&mut harness));
    assert_eq!(taken(&mut harness), Some("add"));
    harness.state_mut().session.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
    harness.run();
    assert!(!is_off(&mut harness));
    assert_eq!(taken(&mut harness), Some("erase"));
}
