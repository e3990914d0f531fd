//! The menu of a right click in the picture and in the list of nodes.

use skinscope::session::{MarkCommand, ToolCommand};

use super::*;

fn right_click(harness: &mut Harness<'_, App>, at: Pos2) {
    let button = PointerButton::Secondary;
    harness.event(Event::PointerMoved(at));
    harness.run();
    for pressed in [true, false] {
        harness.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
        harness.run();
    }
}

fn choose(harness: &mut Harness<'_, App>, label: &str) {
    let is_item = |role: Role| matches!(role, Role::MenuItem | Role::MenuItemCheckBox);
    let at = {
        let mut items = harness.query_all_by_label(label).filter(|node| is_item(node.accesskit_node().role()));
        items.next_back().unwrap().rect().center()
    };
    harness.hover_at(at);
    harness.run();
    for pressed in [true, false] {
        let button = PointerButton::Primary;
        harness.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
        harness.run();
    }
}

#[test]
fn a_right_click_on_a_row_selects_the_joint_and_shows_what_can_be_done_with_it() {
    let mut harness = open(4);
    let row = harness.get_by_label("joint 2").rect().center();
    right_click(&mut harness, row);
    assert_eq!(harness.state().session.view().selected, Some(NodeId(3)));
    for label in ["Frame selection", "Pin joint", "Reset joint", "Mark what the joint moves", "Copy its name"] {
        // The inspector has a button of one of these names too.
        assert!(harness.query_all_by_label(label).count() > 0, "{label}");
    }
    // What cannot be done says why.
    assert!(harness.get_by_label("Show all").accesskit_node().is_disabled());
    choose(&mut harness, "Lock its weights");
    assert!(has(&harness, &ToolCommand::ToggleLock(NodeId(3)).into()), "{:?}", harness.state().commands);
    right_click(&mut harness, row);
    harness.get_by_role_and_label(Role::MenuItem, "Unlock its weights");
    choose(&mut harness, "Mark what the joint moves");
    assert!(has(&harness, &MarkCommand::OfJoint.into()));
}

#[test]
fn rows_of_tables_have_the_menu_of_what_they_name() {
    let mut harness = window(session(4), UiState::new(Saved { tables: true, ..Saved::default() }), Status::default());
    let rows = |harness: &Harness<'_, App>| -> Vec<Pos2> {
        harness.query_all_by_role(Role::Row).map(|row| row.rect().left_center() + vec2(30.0, 0.0)).collect()
    };
    for table in ["Joints", "Palette"] {
        click(&mut harness, table);
        let at = rows(&harness)[1];
        right_click(&mut harness, at);
        assert_eq!(harness.state().session.view().selected, Some(NodeId(2)), "{table}");
        harness.get_by_role_and_label(Role::MenuItem, "Mark what the joint moves");
        choose(&mut harness, "Frame selection");
        assert!(has(&harness, &CameraCommand::FrameSelected.into()), "{table}");
        harness.state_mut().session.apply(SelectionCommand::Select(None));
        harness.state_mut().commands.clear();
        harness.run();
    }
    harness.get_by_role_and_label(Role::Button, "Vertices").click();
    harness.run();
    let at = rows(&harness)[1];
    right_click(&mut harness, at);
    assert!(harness.query_by_label("Weights in the table").is_none());
    choose(&mut harness, "Select the joint that moves it most");
    assert!(harness.state().session.view().selected.is_some());
    right_click(&mut harness, at);
    choose(&mut harness, "Bring it into view");
    assert_eq!(harness.state().session.view().pinned.map(|pinned| pinned.vertex), Some(1));
    assert!(has(&harness, &CameraCommand::FrameMarked.into()));
}

#[test]
fn findings_have_the_menu_of_what_can_be_done_about_them() {
    let findings = vec![panels::finding("rogue-vertices", 1), panels::finding("zero-weights", 1)];
    let mut harness = window(panels::inspected(findings), UiState::default(), Status::default());
    harness.run();
    let row = harness.get_all_by_role(Role::ListBoxOption).next().unwrap().rect().center();
    right_click(&mut harness, row);
    choose(&mut harness, "Show it");
    let shown = harness.state().session.view().finding;
    assert!(shown.is_some());
    let row = harness.get_all_by_role(Role::ListBoxOption).next().unwrap().rect().center_top() + vec2(0.0, 8.0);
    right_click(&mut harness, row);
    harness.get_by_role_and_label(Role::MenuItem, "Copy its text");
    choose(&mut harness, "Leave it");
    assert_eq!(harness.state().session.view().finding, None);
    let row = harness.get_all_by_role(Role::ListBoxOption).next().unwrap().rect().center();
    right_click(&mut harness, row);
    choose(&mut harness, "Repair all…");
    assert!(harness.state().session.tools().operation.is_some());
}

#[test]
fn a_right_click_on_the_skin_is_about_its_vertex_and_the_joint_that_moves_it() {
    let mut harness = open(4);
    let at = beside_the_bones(harness.state());
    right_click(&mut harness, at);
    assert!(harness.state().session.view().selected.is_some());
    harness.get_by_role_and_label(Role::MenuItem, "Pin this vertex");
    choose(&mut harness, "Weights in the table");
    assert!(harness.state().ui.saved().tables);
    assert!(harness.state().session.view().pinned.is_some());
    // Beside the model there is the picture alone.
    let mut harness = open(4);
    let corner = harness.state().picture.left_bottom() + vec2(20.0, -20.0);
    right_click(&mut harness, corner);
    harness.get_by_role_and_label(Role::MenuItem, "Frame all");
    assert!(harness.query_by_label("Pin this vertex").is_none() && harness.query_by_label("Copy its name").is_none());
}
