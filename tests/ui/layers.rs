//! Layers of weights: their list in the panel of brushes.

use skinscope::session::{PaintCommand, PaintSettings};

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
    click_at(&mut harness, at);
    let masked = weights(&harness);
    assert!(masked != painted);
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
    press(&mut harness, "Paint the mask");
    assert!(!harness.state().session.painting().paints_mask() && overlay(&harness) == Some("weights"));
}
