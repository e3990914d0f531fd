//! The command palette.

use super::*;

fn opened(session: Session) -> Harness<'static, App> {
    let mut harness = window(session, UiState::default(), Status::default());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    harness
}

fn type_text(harness: &mut Harness<'_, App>, text: &str) {
    harness.event(Event::Text(text.into()));
    harness.run();
}

fn press(harness: &mut Harness<'_, App>, key: Key) {
    harness.key_press(key);
    harness.run();
}

fn rows(harness: &Harness<'_, App>) -> Vec<String> {
    let rows = harness.query_all_by_role(Role::ListBoxOption);
    rows.filter_map(|row| row.accesskit_node().label()).collect()
}

#[test]
fn every_command_overlay_node_and_clip_is_found_by_its_name_and_enter_takes_the_first() {
    let mut chosen = session(3);
    chosen.apply(SelectionCommand::Select(Some(NodeId(2))));
    let mut harness = opened(chosen);
    press(&mut harness, Key::Escape);
    for row in COMMANDS.iter().filter(|row| row.command != Command::Window(WindowCommand::FindAnything)) {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
        harness.run();
        type_text(&mut harness, row.label);
        let keys = row.shortcut.map(|keys| format!(", {keys}")).unwrap_or_default();
        let is_it = |shown: &String| shown.starts_with(&format!("{}, ", row.name())) && shown.ends_with(&keys);
        assert!(rows(&harness).iter().any(is_it), "{}: {:?}", row.label, rows(&harness));
        press(&mut harness, Key::Escape);
        assert!(rows(&harness).is_empty(), "{}: Escape closes it", row.label);
    }
    let mut harness = opened(session(3));
    type_text(&mut harness, "JOINT 1");
    assert_eq!(rows(&harness)[0], "joint 1, Joint");
    press(&mut harness, Key::Enter);
    assert_eq!(
        harness.state().session.view().selected.map(|n| n.index()),
        harness.state().session.model().unwrap().skeleton.names.iter().position(|n| n == "joint 1")
    );
    assert!(rows(&harness).is_empty(), "it closes");
    let mut many = Session::default();
    many.open(Document::new(Arc::new(with_clips(12)), vec![], None));
    many.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = opened(many);
    type_text(&mut harness, "clip 11");
    press(&mut harness, Key::Enter);
    assert_eq!(harness.state().session.playback().clip, Some(ClipId(11)));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    type_text(&mut harness, "dominant");
    press(&mut harness, Key::Enter);
    assert_eq!(harness.state().session.view().overlay.map(|o| o.id), Some("dominant"));
}

#[test]
fn rows_that_go_on_the_title_of_their_submenu_are_listed_with_it() {
    let mut harness = opened(session(3));
    type_text(&mut harness, "bounds");
    let found = rows(&harness);
    let has = |name: &str| found.iter().any(|row| row.starts_with(name));
    assert!(has("Bounds of the file, ") && has("Bounds of the pose, "), "{found:?}");
    assert!(!has("Of the "), "{found:?}");
}

#[test]
fn arrows_walk_escape_closes_and_keys_are_for_nothing_behind_it() {
    let mut harness = opened(session(3));
    type_text(&mut harness, "gr");
    let before = rows(&harness);
    press(&mut harness, Key::ArrowDown);
    let marked = |harness: &Harness<'_, App>| {
        let mut rows = harness.query_all_by_role(Role::ListBoxOption);
        rows.position(|row| row.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True))
    };
    assert_eq!((marked(&harness), rows(&harness)), (Some(1), before));
    press(&mut harness, Key::ArrowUp);
    assert_eq!(marked(&harness), Some(0));
    press(&mut harness, Key::ArrowDown);
    press(&mut harness, Key::ArrowDown);
    press(&mut harness, Key::Backspace);
    assert_eq!(marked(&harness), Some(0), "what is typed is found anew");
    press(&mut harness, Key::Escape);
    assert!(rows(&harness).is_empty());
    assert!(harness.state().commands.iter().all(|c| matches!(c, Command::Window(_) | Command::Selection(_))));
    // Letters are shortcuts again.
    press(&mut harness, Key::W);
    assert!(harness.state().session.view().overlay.is_some());
}

#[test]
fn what_cannot_be_done_now_is_shown_last_and_not_taken_and_nothing_is_said_to_be_nothing() {
    let mut harness = opened(session(3));
    type_text(&mut harness, "paste mirrored");
    press(&mut harness, Key::Enter);
    assert_eq!(rows(&harness)[0], "Paste mirrored, Pose");
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Posing(_))));
    let mut changed = session(3);
    changed.apply(ViewCommand::ToggleOverlay("weights"));
    let mut other = opened(changed);
    type_text(&mut other, "undo");
    assert!(rows(&other)[0].starts_with("Undo view change"), "there is no edit to undo: {:?}", rows(&other));
    type_text(&mut harness, "qqq");
    harness.get_by_label("Nothing is called that. Nearest to it:");
    assert!(!rows(&harness).is_empty());
    press(&mut harness, Key::Escape);
    assert!(harness.query_by_label("Nothing is called that. Nearest to it:").is_none());
}

#[test]
fn files_preferences_findings_and_pages_of_the_manual_are_found_too() {
    let saved = Saved { recent: vec!["/models/other knight.glb".into()], ..Saved::default() };
    let mut harness = window(findings::three(), UiState::new(saved), Status::default());
    // A page has letters for which a machine may have no font.
    harness.ctx.set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
    let find = |harness: &mut Harness<'_, App>, text: &str| {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
        harness.run();
        type_text(harness, text);
        // The list of findings has rows too.
        let kinds = ["Opened last", "Finding", "Preference", "Manual"];
        let first = rows(harness).into_iter().find(|row| kinds.iter().any(|kind| row.ends_with(kind)));
        press(harness, Key::Enter);
        first.unwrap_or_default()
    };
    assert_eq!(find(&mut harness, "knight"), "other knight.glb, Opened last");
    assert!(has(&harness, &Command::File(FileCommand::Open("/models/other knight.glb".into()))));
    assert_eq!(find(&mut harness, "models/other"), "other knight.glb, Opened last", "by its folder");
    assert_eq!(find(&mut harness, "what joint-unused says"), "Joints that move nothing, Finding");
    assert!(has(&harness, &Command::Finding(FindingCommand::ShowFinding(2))));
    assert_eq!(find(&mut harness, "theme: light"), "Theme: Light, Preference");
    assert!(!harness.state().ui.is_dark());
    assert_eq!(find(&mut harness, "repair weights and save"), "Repair weights and save only what changed, Manual");
    assert!(harness.query_all_by_label("Manual").count() > 0);
    press(&mut harness, Key::Escape);
    assert_eq!(harness.query_all_by_label("Manual").count(), 0);
}

#[test]
fn the_list_does_not_find_itself() {
    let command = Command::Window(WindowCommand::FindAnything);
    let label = skinscope::session::row_of(&command).unwrap().label;
    let mut harness = open(3);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    harness.event(Event::Text(label.trim_end_matches('…').to_owned()));
    harness.run();
    assert_eq!(harness.query_all_by_label_contains(&format!("{label},")).count(), 0);
}

#[test]
fn words_of_other_programs_find_what_is_called_otherwise_here() {
    let mut harness = opened(session(3));
    press(&mut harness, Key::Escape);
    for (theirs, ours) in [
        ("screenshot", "Save picture…"),
        ("video", "Record film…"),
        ("hdri", "Open environment…"),
        ("fps", "Statistics"),
        ("matcap", "Jade"),
        ("skeleton", "Bones"),
        ("limit 4", "Limit"),
        ("shape key", "Inspector"),
        ("blend shapes", "Pose a character"),
        ("corrective", "Drive joints by controls"),
        ("auto weights", "Transfer"),
        ("soften", "Smooth"),
        ("copy weights", "Transfer"),
        ("bind skin", "Bind here"),
        ("mirror weights", "Mirror"),
        ("prune small weights", "Prune"),
        ("heat-map", "Weights"),
        ("retarget", "Take clips from file…"),
        ("how do I limit to 8 influences per vertex", "Limit"),
        // With letters wrong.
        ("wierframe", "Wireframe"),
        ("prefrences", "Preferences…"),
        ("miror pose", "Mirror pose"),
        // By what a page of the manual says.
        ("MikkTSpace", "See which joint moves what"),
    ] {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
        harness.run();
        type_text(&mut harness, theirs);
        let found = rows(&harness);
        assert!(found.iter().take(8).any(|row| row.starts_with(&format!("{ours}, "))), "{theirs}: {found:?}");
        press(&mut harness, Key::Escape);
    }
}

#[test]
fn examples_are_called_examples_and_what_nothing_is_called_has_something_near() {
    let mut harness = opened(session(3));
    let title = skinscope::examples::examples().next().unwrap().title;
    type_text(&mut harness, title);
    assert!(rows(&harness).iter().any(|row| row.starts_with(&format!("{title}, Example"))), "{:?}", rows(&harness));
    press(&mut harness, Key::Escape);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    type_text(&mut harness, "framewirexx");
    harness.get_by_label("Nothing is called that. Nearest to it:");
    assert!(rows(&harness)[0].starts_with("Wireframe, "), "{:?}", rows(&harness));
    press(&mut harness, Key::Enter);
    assert!(has(&harness, &Command::View(ViewCommand::Toggle(Toggle::Wireframe))));
}

#[test]
fn overlays_come_before_preferences_about_them_and_the_page_about_them_before_other_pages() {
    let mut harness = opened(session(3));
    let find = |harness: &mut Harness<'_, App>, text: &str| {
        type_text(harness, text);
        let found = rows(harness);
        press(harness, Key::Escape);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
        harness.run();
        found
    };
    for text in ["overlay", "overlays"] {
        let found = find(&mut harness, text);
        assert!(found.iter().take(8).filter(|row| row.contains(", Overlay")).count() > 4, "{text}: {found:?}");
        assert!(found[0].starts_with("See which joint moves what, "), "{text}: {found:?}");
        assert!(!found.iter().take(8).any(|row| row.ends_with(", Preference")), "{text}: {found:?}");
    }
}

#[test]
fn tables_and_sections_of_the_inspector_are_found_and_shown() {
    let mut harness = opened(session(3));
    type_text(&mut harness, "skinning matrix");
    assert_eq!(rows(&harness)[0], "Skinning matrix, Inspector");
    press(&mut harness, Key::Enter);
    // Nothing was selected, and the matrix is that of a joint.
    assert!(harness.state().session.view().selected.is_some());
    harness.run();
    assert!(harness.query_all_by_label_contains("Skinning matrix rows: ").count() > 0, "it is unfolded");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    type_text(&mut harness, "palette");
    let found = rows(&harness);
    let at = found.iter().position(|row| row == "Palette, Table");
    let at = at.unwrap_or_else(|| panic!("{found:?}"));
    for _ in 0..at {
        press(&mut harness, Key::ArrowDown);
    }
    press(&mut harness, Key::Enter);
    assert!(harness.state().ui.saved().tables, "the tables are open");
}

#[test]
fn the_list_is_as_high_as_what_was_found() {
    let mut harness = opened(session(3));
    type_text(&mut harness, "framewirexx");
    harness.run();
    let few = rows(&harness).len();
    let plate = harness.ctx.memory(|m| m.area_rect(egui::Id::unique("command palette"))).unwrap();
    assert!(few < 7 && plate.height() < 24.0 * few as f32 + 100.0, "{few} rows in {} points", plate.height());
}
