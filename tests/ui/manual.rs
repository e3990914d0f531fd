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
    harness.get_all_by_role_and_label(Role::Link, "check.md").next().unwrap().scroll_to_me();
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
fn the_manual_is_a_panel_that_is_moved_and_covers_no_picture() {
    use skinscope::session::{DockPanel, PanelPosition, SelectionCommand};
    let title = |harness: &Harness<'_, App>| {
        let title = "Open a character and look around";
        harness
            .query_all_by_label(title)
            .chain(harness.query_all_by_value(title))
            .map(|node| node.rect())
            .next()
            .unwrap()
    };
    let mut harness = opened("window");
    harness.set_size(vec2(2560.0, 1440.0));
    harness.run();
    harness.run();
    let picture = harness.state().picture;
    assert!(title(&harness).left() > picture.right(), "{picture:?}");
    let at_left = WindowCommand::MovePanel(Some(DockPanel::Manual), PanelPosition::Left);
    harness.state_mut().ui.carry_out(&at_left);
    harness.run();
    harness.run();
    let picture = harness.state().picture;
    assert!(title(&harness).right() < picture.left(), "{picture:?}");
    // In a small window it is a tab of the column at the right.
    let mut harness = opened("window");
    harness.run();
    harness.get_by_role_and_label(Role::Tab, "Manual");
    let picture = harness.state().picture;
    assert!(title(&harness).left() > picture.right(), "{picture:?}");
    // Escape is about the panel that was pressed last.
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(1))));
    harness.run();
    let beside = picture.center() + vec2(0.0, 0.45 * picture.height());
    drag(&mut harness, &[beside, beside + vec2(4.0, 0.0)], PointerButton::Primary);
    harness.key_press(Key::Escape);
    harness.run();
    assert!(shows(&harness, "Open a character and look around"));
}

#[test]
fn pages_show_their_pictures() {
    let harness = opened("looks");
    assert!(harness.get_by_label("Back").accesskit_node().is_disabled(), "no link has led here");
    let text = "The built-in character in the looks Studio, Clay, Red wax and Zebra stripes";
    let picture = harness.get_by_role_and_label(Role::Image, text);
    assert!(picture.rect().width() > 200.0 && picture.rect().height() > 90.0, "{:?}", picture.rect());
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

#[test]
fn a_line_for_a_terminal_hangs_below_its_first_word() {
    let harness = opened("compare");
    let line = "skinscope compare character.glb --b dual-quaternion --clip Walk --over clip";
    let rect = |text: &str| {
        let mut found = harness.query_all_by_label(text).chain(harness.query_all_by_value(text));
        found.next().map(|node| node.rect()).unwrap_or_else(|| panic!("{text} is not shown"))
    };
    assert!(rect(line).left() > rect("$").right(), "{:?} {:?}", rect(line), rect("$"));
}
