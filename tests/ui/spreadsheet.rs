//! The table of vertices as a spreadsheet: weights that are typed and pasted.

use std::sync::Arc;

use egui::accesskit::{Role, Toggled};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use skinscope::inspect::VertexSet;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{MeshId, NodeId};
use skinscope::session::{EditCommand, SelectionCommand, ToolCommand};

use super::tables::{copy, shown, tab};
use super::{App, click};

/// A tube of four joints whose table has a column for each of them.
fn sheet() -> Harness<'static, App> {
    let mut harness = shown(tube(Tube { joints: 4, rings: 12, ..Tube::default() }), 900.0);
    tab(&mut harness, "Vertices");
    click(&mut harness, "All joints");
    harness
}

fn node(harness: &Harness<'_, App>, joint: u32) -> NodeId {
    harness.state().session.model().unwrap().skins[0].joints[joint as usize]
}

fn name(harness: &Harness<'_, App>, joint: u32) -> String {
    let model = harness.state().session.model().unwrap();
    model.skeleton.names[node(harness, joint).index()].clone()
}

/// The middle of the cell of a vertex and a joint.
fn cell(harness: &Harness<'_, App>, vertex: usize, joint: u32) -> Pos2 {
    let row = harness.get_by(|node| {
        node.role() == Role::Row && node.label().is_some_and(|label| label.starts_with(&format!("Vertex {vertex} of")))
    });
    let name = name(harness, joint);
    let head = harness.get_by_role_and_label(Role::ColumnHeader, &name);
    pos2(head.rect().center().x, row.rect().center().y)
}

fn press(harness: &mut Harness<'_, App>, at: Pos2, modifiers: Modifiers) {
    harness.event(Event::PointerMoved(at));
    for pressed in [true, false] {
        harness.event_modifiers(
            Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers },
            modifiers,
        );
        harness.step();
    }
    harness.run();
}

fn put(harness: &mut Harness<'_, App>, vertex: usize, joint: u32) {
    let at = cell(harness, vertex, joint);
    press(harness, at, Modifiers::NONE);
}

fn write(harness: &mut Harness<'_, App>, text: &str) {
    harness.event(Event::Text(text.to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}

/// The weights of a vertex, by joint.
fn weights(harness: &Harness<'_, App>, vertex: usize) -> [f32; 4] {
    let model = harness.state().session.model().unwrap();
    let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(vertex);
    let mut out = [0.0; 4];
    joints.iter().zip(weights).for_each(|(joint, weight)| out[usize::from(*joint)] += *weight);
    out
}

#[track_caller]
fn near(found: [f32; 4], wanted: [f32; 4]) {
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, not {wanted:?}");
}

#[test]
fn a_weight_is_typed_the_others_follow_and_it_is_one_step() {
    let mut harness = sheet();
    let before = weights(&harness, 5);
    put(&mut harness, 5, 3);
    write(&mut harness, "0.25");
    near(weights(&harness, 5), [0.75 * before[0], 0.75 * before[1], 0.75 * before[2], 0.25 + 0.75 * before[3]]);
    // Enter has gone to the next row, in the same column.
    let sixth = weights(&harness, 6);
    write(&mut harness, "+0.5");
    near(weights(&harness, 6), [0.5 * sixth[0], 0.5 * sixth[1], 0.5 * sixth[2], 0.5]);
    write(&mut harness, "50%");
    assert!((weights(&harness, 7)[3] - 0.5).abs() < 1e-6);
    put(&mut harness, 6, 3);
    write(&mut harness, "*0.5");
    assert!((weights(&harness, 6)[3] - 0.25).abs() < 1e-6);
    for _ in 0..4 {
        harness.state_mut().session.apply(EditCommand::Undo);
    }
    assert_eq!((weights(&harness, 5), weights(&harness, 6)), (before, sixth));
    assert!(!harness.state().session.history().can_undo());
}

#[test]
fn a_cell_is_opened_by_keys_left_by_escape_and_takes_no_word() {
    let mut harness = sheet();
    let before = weights(&harness, 5);
    put(&mut harness, 5, 2);
    harness.key_press(Key::ArrowRight);
    harness.run();
    harness.key_press(Key::F2);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Weight of the cell");
    harness.event(Event::Text("1".to_owned()));
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_role_and_label(Role::TextInput, "Weight of the cell").is_none());
    assert_eq!(weights(&harness, 5), before);
    put(&mut harness, 5, 3);
    write(&mut harness, "0.x");
    // The reason stands at the cell, where the text can be corrected.
    let why = harness.get_by(|node| {
        node.role() == Role::Alert && node.label().is_some_and(|label| label.starts_with("“0.x” is no weight"))
    });
    let field = harness.get_by_role_and_label(Role::TextInput, "Weight of the cell");
    assert!(field.is_focused() && (field.rect().top() - why.rect().bottom()).abs() < 12.0, "{:?}", why.rect());
    assert_eq!(weights(&harness, 5), before);
    harness.event(Event::Text("5".to_owned()));
    harness.run();
    assert!(harness.query_by_role(Role::Alert).is_none(), "other text is not refused yet");
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(weights(&harness, 5), before);
    // Opened and left as it is, a cell changes nothing, and a digit is no shortcut of the camera.
    let turned = harness.state().session.view().orbit;
    put(&mut harness, 5, 3);
    harness.key_press(Key::Num1);
    harness.key_press(Key::F2);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!((harness.state().session.view().orbit, harness.state().session.history().can_undo()), (turned, false));
}

#[test]
fn marked_rows_take_a_weight_together() {
    let mut harness = sheet();
    let (first, last) = (cell(&harness, 4, 3), cell(&harness, 7, 3));
    press(&mut harness, first, Modifiers::NONE);
    assert!(harness.state().session.view().marked.is_empty(), "a click chooses a cell");
    press(&mut harness, last, Modifiers::SHIFT);
    let marked = |harness: &Harness<'_, App>| harness.state().session.view().marked.of(MeshId(0), 0).to_vec();
    assert_eq!(marked(&harness), [4, 5, 6, 7]);
    press(&mut harness, first, Modifiers::NONE);
    assert_eq!(marked(&harness), [4, 5, 6, 7]);
    let untouched = weights(&harness, 8);
    harness.event(Event::Text("0".to_owned()));
    harness.run();
    harness.get_by_label("Edits all 4 marked vertices");
    write(&mut harness, ".4");
    for vertex in 4..8 {
        assert!((weights(&harness, vertex)[3] - 0.4).abs() < 1e-6, "vertex {vertex}");
    }
    assert_eq!(weights(&harness, 8), untouched);
    harness.get_by_label("Changed the weights of 4 vertices");
    harness.state_mut().session.apply(EditCommand::Undo);
    assert!(!harness.state().session.unsaved().has_unsaved_skinning(), "one step");
    assert_eq!(marked(&harness), [4, 5, 6, 7]);
    harness.state_mut().session.apply(EditCommand::Undo);
    assert!(marked(&harness).is_empty() && !harness.state().session.history().can_undo());
    harness.state_mut().session.apply(EditCommand::Redo);
    assert_eq!(marked(&harness), [4, 5, 6, 7]);
}

#[test]
fn rows_of_a_filter_stay_while_one_works_in_them() {
    let mut harness = sheet();
    let (first, last) = (cell(&harness, 4, 3), cell(&harness, 7, 3));
    press(&mut harness, first, Modifiers::NONE);
    press(&mut harness, last, Modifiers::SHIFT);
    click(&mut harness, "Marked");
    let rows = |harness: &Harness<'_, App>| {
        let labels = harness.get_all_by_role(Role::Row).filter_map(|row| row.accesskit_node().label());
        labels.filter(|label| label.starts_with("Vertex ")).count()
    };
    let marked = |harness: &Harness<'_, App>| harness.state().session.view().marked.of(MeshId(0), 0).to_vec();
    assert_eq!(rows(&harness), 4);
    let second = cell(&harness, 5, 3);
    press(&mut harness, second, Modifiers::COMMAND);
    assert_eq!((marked(&harness), rows(&harness)), (vec![4, 6, 7], 4));
    // What is marked elsewhere is followed.
    let one = Arc::new(VertexSet::from_vertices(vec![(MeshId(0), 0, 8)]));
    harness.state_mut().session.apply(SelectionCommand::Mark(one));
    harness.run();
    assert_eq!((marked(&harness), rows(&harness)), (vec![8], 1));
    // Nor does a filter by sums lose a row whose sum is right now.
    click(&mut harness, "Marked");
    click(&mut harness, "Keep sum");
    put(&mut harness, 5, 3);
    write(&mut harness, "0.9");
    click(&mut harness, "Sums: Any sum");
    click(&mut harness, "Sum ≠ 1");
    let off = rows(&harness);
    assert!(off > 0);
    click(&mut harness, "Keep sum");
    harness.state_mut().session.apply(EditCommand::NormaliseWeights);
    harness.run();
    assert!(harness.state().session.document().unwrap().stats().uneven.is_none());
    assert_eq!(rows(&harness), off);
}

#[test]
fn text_is_pasted_from_the_cursor_on_or_where_its_header_says() {
    let mut harness = sheet();
    let third = weights(&harness, 3);
    put(&mut harness, 1, 0);
    harness.event(Event::Paste("0.1\t0.2\t0.3\t0.4\r\n\t1\n".to_owned()));
    harness.run();
    near(weights(&harness, 1), [0.1, 0.2, 0.3, 0.4]);
    near(weights(&harness, 2), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(weights(&harness, 3), third);
    // One cell that is no weight: none is pasted.
    put(&mut harness, 1, 0);
    harness.event(Event::Paste("0.5\nHips\n".to_owned()));
    harness.run();
    harness.get_by_role_and_label(Role::Alert, "Nothing was pasted: “Hips” is no weight");
    near(weights(&harness, 1), [0.1, 0.2, 0.3, 0.4]);
    // What the table itself has copied finds its vertices again, wherever the cursor is.
    harness.get_by_role_and_label(Role::Button, "Copy").click();
    let text = copy(&mut harness);
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!(weights(&harness, 3), third);
    put(&mut harness, 9, 2);
    harness.event(Event::Paste(text));
    harness.run();
    near(weights(&harness, 1), [0.1, 0.2, 0.3, 0.4]);
    near(weights(&harness, 2), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(weights(&harness, 3), third);
}

#[test]
fn locked_joints_stay_and_the_others_may_stay_too() {
    let mut harness = sheet();
    tab(&mut harness, "Joints");
    let label = format!("Lock {}", name(&harness, 3));
    harness.get_by(|node| node.role() == Role::CheckBox && node.label() == Some(label.clone())).click();
    harness.run();
    assert!(harness.state().session.tools().locked.contains(&node(&harness, 3)));
    let unlock = format!("Unlock {}", name(&harness, 3));
    let lock =
        harness.get_all_by_role(Role::CheckBox).find(|node| node.accesskit_node().label() == Some(unlock.clone()));
    assert_eq!(lock.unwrap().accesskit_node().toggled(), Some(Toggled::True));
    tab(&mut harness, "Vertices");
    let before = weights(&harness, 5);
    put(&mut harness, 5, 3);
    write(&mut harness, "0.9");
    assert_eq!(weights(&harness, 5), before);
    harness.get_by(|node| {
        node.role() == Role::Alert && node.label().is_some_and(|label| label.starts_with("1 vertex stays as before"))
    });
    harness.key_press(Key::Escape);
    harness.state_mut().session.apply(ToolCommand::UnlockAll);
    harness.run();
    click(&mut harness, "Keep sum");
    put(&mut harness, 5, 3);
    write(&mut harness, "0.9");
    near(weights(&harness, 5), [before[0], before[1], before[2], 0.9]);
}
