//! Brushes that measure distances in the picture.

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
