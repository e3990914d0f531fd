//! The manual beside the picture.

use super::*;

fn opened(page: &str) -> Harness<'static, App> {
    let mut harness = open(3);
    // A page has letters for which a machine may have no font.
    harness.ctx.set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
    harness.state_mut().ui.carry_out(&WindowCommand::ShowManual(page.to_owned()));
    harness.run();
    harness
}

fn shows(harness: &Harness<'_, App>, text: &str) -> bool {
    harness.query_all_by_label(text).chain(harness.query_all_by_value(text)).count() > 0
}

#[test]
fn the_manual_stands_beside_the_work_and_its_links_lead_to_other_pages_and_back() {
    let mut harness = opened("window");
    assert!(shows(&harness, "Open a character and look around"));
    // Keys go on, and so does the pointer beside it.
    harness.key_press(Key::W);
    harness.run();
    assert!(harness.state().session.view().overlay.is_some(), "it is no dialog");
    let link = harness.query_all_by_role_and_label(Role::Link, "check.md").next().unwrap().rect().center();
    harness.hover_at(link);
    harness.run();
    harness.get_all_by_role_and_label(Role::Link, "check.md").next().unwrap().click();
    harness.run();
    assert!(shows(&harness, "Find what is wrong with a skin"));
    click(&mut harness, "Back");
    assert!(shows(&harness, "Open a character and look around"));
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!shows(&harness, "Open a character and look around"));
}

#[test]
fn the_manual_is_searched_and_enter_shows_the_first_place() {
    let mut harness = opened("window");
    click(&mut harness, "Search the manual");
    harness.event(Event::Text("onion skins".into()));
    harness.run();
    assert!(harness.query_all_by_label_contains("Play, mix and make clips: ").count() > 0);
    harness.key_press(Key::Enter);
    harness.run();
    assert!(shows(&harness, "Play, mix and make clips"));
    click(&mut harness, "Search the manual");
    harness.event(Event::Text("qqqqq".into()));
    harness.run();
    assert!(shows(&harness, "No page has these words."));
    // The first Escape clears the search, and the next one leaves it.
    harness.key_press(Key::Escape);
    harness.run();
    assert!(shows(&harness, "Play, mix and make clips"));
}
