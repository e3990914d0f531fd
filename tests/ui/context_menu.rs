//! The menu of a right click in the picture and in the list of nodes.

use skinscope::inspect::VertexSet;
use skinscope::model::MeshId;
use skinscope::session::{KeyingCommand, MarkCommand, ToolCommand};

use super::tables::{shown, tab};
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
fn weights_of_a_vertex_are_copied_and_pasted_by_the_menu_of_its_row() {
    let mut harness = shown(tube(Tube { joints: 4, rings: 12, sides: 4, ..Tube::default() }), 900.0);
    tab(&mut harness, "Vertices");
    let row = |harness: &Harness<'_, App>, vertex: usize| -> Pos2 {
        let name = format!("Vertex {vertex} of");
        let row = harness
            .get_by(|node| node.role() == Role::Row && node.label().is_some_and(|label| label.starts_with(&name)));
        row.rect().left_center() + vec2(30.0, 0.0)
    };
    let weights = |harness: &Harness<'_, App>, vertex: usize| -> Vec<(u16, u32)> {
        let model = harness.state().session.model().unwrap();
        let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(vertex);
        let mut out: Vec<(u16, u32)> = joints
            .iter()
            .zip(weights)
            .filter(|(_, w)| **w > 0.0)
            .map(|(j, w)| (*j, (*w * 1e4).round() as u32))
            .collect();
        out.sort_unstable();
        out
    };
    let from = (1..12).find(|v| weights(&harness, *v) != weights(&harness, 0)).unwrap();
    let at = row(&harness, 0);
    right_click(&mut harness, at);
    assert!(
        harness.get_by_role_and_label(Role::MenuItem, "Paste weights").accesskit_node().is_disabled(),
        "nothing is copied yet"
    );
    harness.key_press(Key::Escape);
    harness.run();
    let at = row(&harness, from);
    right_click(&mut harness, at);
    choose(&mut harness, "Copy its weights");
    let at = row(&harness, 0);
    right_click(&mut harness, at);
    choose(&mut harness, "Paste weights");
    assert_eq!(weights(&harness, 0), weights(&harness, from));
    // Where its row is marked, all marked vertices get them; that is one step of Undo.
    let marks = Arc::new(VertexSet::from_vertices(vec![(MeshId(0), 0, 1), (MeshId(0), 0, 2)]));
    harness.state_mut().session.apply(SelectionCommand::Mark(marks));
    harness.run();
    let before = [1, 2].map(|vertex| weights(&harness, vertex));
    let at = row(&harness, 1);
    right_click(&mut harness, at);
    choose(&mut harness, "Paste weights");
    assert_eq!([1, 2].map(|vertex| weights(&harness, vertex)), [0; 2].map(|vertex| weights(&harness, vertex)));
    harness.state_mut().session.apply(EditCommand::Undo);
    assert_eq!([1, 2].map(|vertex| weights(&harness, vertex)), before);
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

#[test]
fn clips_of_the_list_are_played_and_those_that_were_added_are_named_and_removed() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(3)), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    let ask = |harness: &mut Harness<'_, App>, shown: &str, clip: &str| {
        click(harness, &format!("Clip: {shown}"));
        let is_row = |label: String| label.starts_with(clip);
        let rows = harness.get_all_by_role(Role::Button).filter(|row| row.accesskit_node().label().is_some_and(is_row));
        let at = rows.map(|row| row.rect().center()).next_back().unwrap();
        right_click(harness, at);
    };
    ask(&mut harness, "Clip 0", "Clip 1");
    // A clip of the file has its name from there.
    assert!(harness.query_by_role_and_label(Role::MenuItem, "Rename…").is_none());
    choose(&mut harness, "Play it");
    assert!(has(&harness, &PlaybackCommand::SetClip(ClipId(1)).into()));
    assert!(has(&harness, &PlaybackCommand::SetPlaying(true).into()));
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(false));
    harness.state_mut().session.apply(KeyingCommand::KeyPose);
    harness.run();
    ask(&mut harness, "Poses", "Poses");
    choose(&mut harness, "Rename…");
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text("Yawn".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().session.model().unwrap().clips[3].name, "Yawn");
    harness.key_press(Key::Escape);
    harness.run();
    ask(&mut harness, "Yawn", "Yawn");
    choose(&mut harness, "Remove clip");
    assert_eq!(harness.state().session.model().unwrap().clips.len(), 3);
}

#[test]
fn a_row_of_the_skins_leads_to_its_root_and_its_joints() {
    let mut harness = window(session(4), UiState::new(Saved { tables: true, ..Saved::default() }), Status::default());
    click(&mut harness, "Skins");
    let at = harness.get_by_role(Role::Row).rect().left_center() + vec2(30.0, 0.0);
    right_click(&mut harness, at);
    choose(&mut harness, "Select its root");
    assert!(harness.state().session.view().selected.is_some());
    right_click(&mut harness, at);
    choose(&mut harness, "Its joints in the table");
    harness.run();
    // There is one skin, so that more rows are those of joints.
    assert!(harness.query_all_by_role(Role::Row).count() > 1);
}

#[test]
fn figures_of_the_statistics_are_copied_by_their_menu() {
    let mut harness = open(3);
    harness.key_press(Key::F12);
    harness.run();
    let at = harness.get_by_label_contains("Between two frames").rect().center();
    right_click(&mut harness, at);
    harness.get_by_role_and_label(Role::MenuItem, "Copy the frames as CSV");
    harness.get_by_role_and_label(Role::MenuItem, "Copy this figure");
}
