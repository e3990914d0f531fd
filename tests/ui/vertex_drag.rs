//! A vertex of the skin, dragged with the pointer.

use glam::DVec3;
use skinscope::model::MeshId;
use skinscope::session::{LayerCommand, PaintCommand, VertexDragCommand};

use super::paint::on_skin;
use super::*;

/// The pairs of every vertex, as bits.
fn rows(harness: &Harness<'_, App>) -> Vec<Vec<(u16, u32)>> {
    let influences = harness.state().session.model().unwrap().influences(MeshId(0), 0).unwrap();
    let row = |vertex| {
        let (joints, weights) = influences.of(vertex);
        joints.iter().copied().zip(weights.iter().map(|weight| weight.to_bits())).collect()
    };
    (0..influences.vertices()).map(row).collect()
}

fn button(harness: &mut Harness<'_, App>, at: Pos2, pressed: bool) {
    harness.event(Event::PointerMoved(at));
    harness.event(Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    });
    harness.step();
}

fn drag(harness: &mut Harness<'_, App>, from: Pos2, to: Pos2) {
    button(harness, from, true);
    for step in 1..=6 {
        harness.event(Event::PointerMoved(from.lerp(to, step as f32 / 6.0)));
        harness.step();
    }
    button(harness, to, false);
    harness.run();
}

#[test]
fn a_drag_of_the_skin_moves_its_vertex_in_one_step_and_the_panel_says_how_far_it_is() {
    let mut session = session(3);
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    let mut harness = window(session, UiState::default(), Status::default());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Q);
    harness.run();
    harness.run();
    assert!(harness.state().session.painting().vertex_drag().is_on());
    harness.get_by_label_contains("Dragging a vertex");
    click(&mut harness, "All of the skin");
    let (before, at) = (rows(&harness), on_skin(&harness));
    drag(&mut harness, at, at + vec2(50.0, 10.0));
    assert!(rows(&harness) != before);
    let is_turn = |command: &Command| matches!(command, Command::Camera(CameraCommand::Orbit(_)));
    assert!(!harness.state().commands.iter().any(is_turn), "the camera stays");
    let is_drag = |command: &&Command| matches!(command, Command::Paint(PaintCommand::DragVertex(_)));
    assert!(harness.state().commands.iter().filter(is_drag).count() > 3);
    assert_eq!(harness.state().session.painting().vertex_drag().pins().len(), 1);
    harness.get_by_label_contains("Bend 0.00 s, edited: ");
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(rows(&harness) == before, "one step");
    assert!(harness.query_by_label_contains("Bend 0.00 s, edited: ").is_none());
    harness.state_mut().session.apply(EditCommand::Redo);
    harness.run();
    click(&mut harness, "Forget pose 1 of the vertex");
    assert!(harness.state().session.painting().vertex_drag().pins().is_empty() && rows(&harness) != before);
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.state().session.painting().vertex_drag().is_on());
}

#[test]
fn the_panel_has_what_counts_for_a_drag_and_nothing_of_brushes_alone() {
    let mut harness = window(session(3), UiState::default(), Status::default());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Q);
    harness.run();
    harness.run();
    let of_brushes = [
        "Settings of the touch",
        "Settings of the stroke",
        "Limits of the brush",
        "Strength",
        "Lock the painted joint",
    ];
    for label in of_brushes {
        assert!(harness.query_by_label(label).is_none(), "{label}");
    }
    assert!(harness.query_by_label_contains("Painted: ").is_none());
    assert!(harness.query_all_by_label("Radius").next().is_some());
    harness.get_by_label("Falloff: Smooth");
    click(&mut harness, "Limit joints");
    assert!(harness.state().commands.iter().any(|command| matches!(command, Command::Paint(PaintCommand::Set(_)))));
    harness.state_mut().session.apply(PaintCommand::DragVertex(VertexDragCommand::Use(false)));
    harness.run();
    click(&mut harness, "Add brush");
    harness.get_by_label("Settings of the touch");
    harness.get_by_label("Limits of the brush");
}

#[test]
fn a_press_on_a_pose_in_which_the_vertex_is_held_goes_there() {
    let mut harness = window(session(3), UiState::default(), Status::default());
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.5));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Q);
    harness.run();
    harness.run();
    let at = on_skin(&harness);
    drag(&mut harness, at, at + vec2(30.0, 10.0));
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.125));
    harness.run();
    let row = "Bend 0.50 s: ";
    assert!(!harness.state().session.painting().vertex_drag().pins()[0].is_of(&harness.state().session.pose().local));
    harness.get_by_label_contains(row).click();
    harness.run();
    let session = &harness.state().session;
    assert_eq!((session.playback().time_secs, session.playback().playing), (0.5, false));
    assert!(session.painting().vertex_drag().pins()[0].is_of(&session.pose().local));
    assert!(harness.query_by_label("Forget all poses of the vertex").is_some());
}

#[test]
fn a_drag_goes_into_the_layer_in_hand_and_the_line_says_why_a_layer_that_is_off_takes_none() {
    let mut session = session(3);
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    session.apply(PaintCommand::Layer(LayerCommand::Add("Detail".to_owned())));
    let layer = session.painting().layers().active().unwrap();
    let mut harness = window(session, UiState::default(), Status::default());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Q);
    harness.run();
    harness.run();
    let (before, at) = (rows(&harness), on_skin(&harness));
    drag(&mut harness, at, at + vec2(50.0, 10.0));
    assert!(rows(&harness) != before);
    let layers = harness.state().session.painting().layers().layers().len();
    assert_eq!(layers, 1, "the layer in hand has taken it");
    harness.state_mut().session.apply(PaintCommand::Layer(LayerCommand::SetOn(layer, false)));
    harness.run();
    assert!(rows(&harness) == before);
    drag(&mut harness, at, at + vec2(50.0, 10.0));
    assert!(rows(&harness) == before);
    // It is said in the line over the picture and at the pointer, with the way out.
    assert!(harness.query_all_by_label_contains("Detail is off").count() > 1);
    harness.get_by_label("Detail is off");
    harness.get_by_role_and_label(Role::Button, "Switch the layer on").click();
    harness.run();
    assert!(rows(&harness) != before, "what was dragged into it is seen again");
    assert!(harness.query_by_label("Detail is off").is_none());
}

#[test]
fn a_drag_becomes_a_shape_by_a_press_in_the_panel() {
    let mut session = session(3);
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    let mut harness = window(session, UiState::default(), Status::default());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Q);
    harness.run();
    harness.run();
    let (before, at) = (rows(&harness), on_skin(&harness));
    assert!(harness.query_by_label("Make a shape of the drag").is_none());
    drag(&mut harness, at, at + vec2(50.0, 10.0));
    let dragged = rows(&harness);
    harness.get_by_label_contains("Brought in by joint 1");
    click(&mut harness, "Make a shape of the drag");
    let targets = |harness: &Harness<'_, App>| harness.state().session.model().unwrap().meshes[0].morph_names.len();
    assert!(rows(&harness) == before && targets(&harness) == 1);
    assert!(harness.query_by_label("Make a shape of the drag").is_none(), "the pose is held no more");
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(rows(&harness) == dragged && targets(&harness) == 0);
}

#[test]
fn all_poses_of_the_vertex_become_shapes_by_one_press() {
    let mut session = session(3);
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    let mut harness = window(session, UiState::default(), Status::default());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Q);
    harness.run();
    harness.run();
    let (before, at) = (rows(&harness), on_skin(&harness));
    drag(&mut harness, at, at + vec2(50.0, 10.0));
    let session = &mut harness.state_mut().session;
    let pin = session.painting().vertex_drag().pins()[0].target();
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 20.0))));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
    let to = VertexDragCommand::To((pin + DVec3::new(0.0, 0.0, 0.05)).to_array());
    session.apply(EditCommand::BeginEdit);
    session.apply(PaintCommand::DragVertex(to));
    session.apply(EditCommand::EndEdit);
    harness.run();
    harness.run();
    assert!(harness.query_by_label("Make a shape of the drag").is_none());
    click(&mut harness, "Make shapes of the drags");
    let targets = harness.state().session.model().unwrap().meshes[0].morph_names.len();
    assert!(rows(&harness) == before && targets == 2);
}
