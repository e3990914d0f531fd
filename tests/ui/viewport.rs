//! The mouse over the picture, and the vertex that is pinned.

use glam::{DQuat, DVec3};

use super::*;

#[test]
fn the_mouse_turns_moves_zooms_and_picks() {
    let mut harness = open(3);
    let center = harness.state().picture.center();
    let away = center + vec2(30.0, 10.0);
    drag(&mut harness, &[center, away], PointerButton::Primary);
    let turned = |c: &Command| matches!(c, Command::Camera(CameraCommand::Orbit(delta)) if delta.x > 0.0);
    assert!(harness.state().commands.iter().any(turned));
    harness.state_mut().commands.clear();
    for button in [PointerButton::Middle, PointerButton::Secondary] {
        drag(&mut harness, &[center, away], button);
    }
    let commands = &harness.state().commands;
    assert!(commands.iter().filter(|c| matches!(c, Command::Camera(CameraCommand::Pan(_)))).count() >= 2);
    assert!(!commands.iter().any(|c| matches!(
        c,
        Command::Camera(CameraCommand::Orbit(_)) | Command::Selection(SelectionCommand::PickAt(_))
    )));
    harness.event(Event::PointerMoved(center));
    harness.run();
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, 1.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run();
    let picture = center - harness.state().picture.min;
    let picture = glam::Vec2::new(picture.x, picture.y);
    assert!(
        harness
            .state()
            .commands
            .iter()
            .any(|c| matches!(c, Command::Camera(CameraCommand::Zoom(steps, at)) if *steps > 0.0 && *at == picture))
    );
    harness.state_mut().commands.clear();
    drag(&mut harness, &[center], PointerButton::Primary);
    let inside = center - harness.state().picture.min;
    assert!(has(&harness, &Command::Selection(SelectionCommand::PickAt(glam::Vec2::new(inside.x, inside.y)))));
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))));
}

/// Presses at the first point and drags to the second one, while Alt is held.
fn drag_with_alt(harness: &mut Harness<'_, App>, [from, to]: [Pos2; 2], button: PointerButton) {
    let alt = Modifiers::ALT;
    let press = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: alt };
    for event in [
        Event::PointerMoved(from),
        press(from, true),
        Event::PointerMoved(from.lerp(to, 0.5)),
        Event::PointerMoved(to),
        press(to, false),
    ] {
        harness.event_modifiers(event, alt);
        harness.step();
    }
    harness.run();
}

#[test]
fn with_the_keys_of_maya_alt_and_a_drag_move_the_camera_and_nothing_else() {
    let mut session = session(3);
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    let saved = Saved { maya_keys: true, ..Saved::default() };
    let mut harness = window(session, UiState::new(saved), Status::default());
    let handle = harness.get_by_label("Turn about X").rect().center();
    let to = handle + vec2(40.0, -20.0);
    let camera = |harness: &mut Harness<'_, App>, button| {
        harness.state_mut().commands.clear();
        drag_with_alt(harness, [handle, to], button);
        let commands = &harness.state().commands;
        assert!(!commands.iter().any(|c| matches!(c, Command::Edit(_) | Command::Mark(_))), "{commands:?}");
        let of = |c: &Command| if let Command::Camera(c) = c { Some(c.clone()) } else { None };
        commands.iter().filter_map(of).collect::<Vec<_>>()
    };
    // Not even the handles of the gizmo are in the way, nor the tool that marks.
    for tool in [None, Some(skinscope::session::MarkTool::Box)] {
        if tool.is_some() {
            harness.state_mut().session.apply(skinscope::session::MarkCommand::Use(tool));
            harness.run();
        }
        let orbits = camera(&mut harness, PointerButton::Primary);
        assert!(!orbits.is_empty() && orbits.iter().all(|c| matches!(c, CameraCommand::Orbit(_))), "{orbits:?}");
        let pans = camera(&mut harness, PointerButton::Middle);
        assert!(!pans.is_empty() && pans.iter().all(|c| matches!(c, CameraCommand::Pan(_))), "{pans:?}");
        let zooms = camera(&mut harness, PointerButton::Secondary);
        assert!(!zooms.is_empty() && zooms.iter().all(|c| matches!(c, CameraCommand::Zoom(s, _) if *s > 0.0)));
    }
    // Without Alt a drag marks, and with the other keys it is a drag of the handle.
    harness.state_mut().commands.clear();
    drag(&mut harness, &[handle, to], PointerButton::Primary);
    assert!(harness.state().commands.iter().any(|c| matches!(c, Command::Mark(_))));
    let mut harness = selected(3, 2);
    let handle = harness.get_by_label("Turn about X").rect().center();
    drag_with_alt(&mut harness, [handle, handle + vec2(40.0, -20.0)], PointerButton::Primary);
    assert!(harness.state().commands.iter().any(|c| matches!(c, Command::Edit(EditCommand::Edit(..)))));
}

#[test]
fn hovering_a_bone_says_whose_it_is() {
    let mut harness = open(3);
    let app = harness.state();
    let head = Vec3::from(app.session.pose().model[2].translation);
    let tail = Vec3::from(app.session.pose().model[3].translation);
    let at = app.session.view().project(head.lerp(tail, 0.5)).unwrap();
    let point = app.picture.min + vec2(at.x, at.y);
    harness.event(Event::PointerMoved(point));
    harness.run();
    assert_eq!(harness.state().session.view().hovered, Some(NodeId(2)));
    harness.get_by_label("Child of: joint 0");
    harness.event(Event::PointerGone);
    harness.run();
    assert_eq!(harness.state().session.view().hovered, None);
}

#[test]
fn hovering_the_skin_shows_the_vertex_and_what_moves_it() {
    let mut harness = open(3);
    let app = harness.state();
    // Near the silhouette, low on the tube: far from the bones, and moved by the first joint most.
    let beside = app.session.view().orbit.rotation() * Vec3::X * 0.2;
    let at = app.session.view().project(Vec3::new(0.0, 0.1, 0.0) + beside).unwrap();
    let point = app.picture.min + vec2(at.x, at.y);
    harness.event(Event::PointerMoved(point));
    harness.run();
    assert_eq!(harness.state().session.view().hovered, Some(NodeId(1)));
    harness.get_by_label("Sum: 1.000");
    harness.get_by_label("Linear blend: p = Σ w M v");
    let influence =
        |n: &egui_kittest::Node<'_>| n.accesskit_node().value().is_some_and(|v| v.starts_with("joint 0: 0."));
    assert_eq!(harness.query_all_by_role(Role::Label).filter(influence).count(), 1);
}

#[test]
fn a_pinned_vertex_is_explained_by_numbers_that_add_up() {
    let mut harness = open(3);
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(40.0, 10.0, 0.0))));
    harness.run();
    let point = beside_the_bones(harness.state());
    drag(&mut harness, &[point], PointerButton::Primary);
    harness.run();
    let app = harness.state();
    let explained = app.session.picking().explanation().unwrap();
    assert!(explained.terms.len() >= 2 && app.session.view().selected == Some(explained.terms[0].node));
    harness.get_by_label("Unpin the vertex");
    // The sum as it is written: each weight times where its joint alone would carry the vertex.
    let mut sum = [0.0; 3];
    for (i, term) in explained.terms.iter().enumerate() {
        let label = format!("{}{:.6} ·", if i == 0 { "" } else { "+ " }, term.weight);
        let alone = numbers(&harness, &label);
        (0..3).for_each(|axis| sum[axis] += term.weight * alone[axis]);
    }
    let written = numbers(&harness, "= p");
    for axis in 0..3 {
        // One in the last of four places.
        assert!((sum[axis] - written[axis]).abs() < 1.01e-4, "{sum:?} for {written:?}");
        assert!((written[axis] - explained.position[axis]).abs() < 0.51e-4);
    }
    // The other method has other words, which add up as well.
    harness.state_mut().session.apply(ViewCommand::SetMethod("dual-quaternion"));
    harness.run();
    let (turned, by, now) = (numbers(&harness, "R v"), numbers(&harness, "+ t"), numbers(&harness, "= p"));
    assert!((0..3).all(|i| (turned[i] + by[i] - now[i]).abs() < 1.01e-4) && now != written);
    // Every method says what it does, and with the matrices the blended one.
    click(&mut harness, "Show the skinning matrix of each joint, and the blended one");
    for method in skinscope::deform::METHODS {
        harness.state_mut().session.apply(ViewCommand::SetMethod(method.id));
        harness.state_mut().session.prepare();
        harness.run();
        harness.get_by_label(method.text.explanation);
        assert!(harness.query_all_by_label_contains("Blended matrix").next().is_some(), "{}", method.id);
        let (written, explained) = (numbers(&harness, "= p"), harness.state().session.picking().explanation().unwrap());
        assert!((0..3).all(|i| (written[i] - explained.position[i]).abs() < 0.51e-4), "{}", method.id);
    }
    click(&mut harness, "Hide the skinning matrices");
    quaternions_add_up(&mut harness);
    harness.state_mut().session.apply(ViewCommand::SetMethod("linear"));
    harness.run();
    // In another space: that of the whole, where the root stands at the origin.
    let main = &harness.state().session.model().unwrap().skeleton.names[explained.terms[0].node.index()].clone();
    click(&mut harness, &format!("Space: {main}"));
    click(&mut harness, "World");
    assert_eq!(numbers(&harness, "p"), written);
    // The joint's page, and back; a joint that is selected elsewhere turns the page.
    click(&mut harness, "Joint");
    harness.get_by_label("Rotation X");
    click(&mut harness, "Vertex");
    // What is copied is said.
    for (button, what) in [("Copy as text", "as text"), ("Copy as TSV", "as a table")] {
        // It may stand below what the panel shows.
        harness.get_by_label(button).click_accesskit();
        harness.run();
        harness.get_by_label(&format!("Copied vertex {} {what}", explained.number));
    }
    click(&mut harness, "Unpin the vertex");
    assert!(harness.state().session.view().pinned.is_none());
    harness.get_by_label("Rotation X");
}

/// Shows the joints of the pinned vertex as quaternions and reads what is drawn: `b + R v′` of each, and their sum.
fn quaternions_add_up(harness: &mut Harness<'_, App>) {
    let four = |harness: &Harness<'_, App>, label: &str| -> Vec<Vec<f64>> {
        let start = format!("{label}: ");
        let nodes = harness.query_all_by_role(Role::Label);
        let texts = nodes.filter_map(|n| n.accesskit_node().value()?.strip_prefix(&start).map(str::to_owned));
        texts.map(|text| text.split(", ").map(|n| n.replace('−', "-").parse().unwrap()).collect()).collect()
    };
    harness.state_mut().session.apply(ViewCommand::SetMethod("linear"));
    harness.run();
    assert!(four(harness, "R xyzw").is_empty() && four(harness, "Σ w (b + R v′)").is_empty());
    click(harness, "Show the rotation of each joint as a quaternion, and b + R v′, which is M v");
    let explained = harness.state().session.picking().explanation().unwrap();
    let [rotations, offsets, turned, places, carried, alone] =
        ["R xyzw", "v′", "R v′", "b", "b + R v′", "M v"].map(|label| four(harness, label));
    assert_eq!(rotations.len(), explained.terms.len());
    let three = |v: &[f64]| DVec3::from_slice(v);
    let mut sum = DVec3::ZERO;
    for (i, term) in explained.terms.iter().enumerate() {
        let [x, y, z, w]: [f64; 4] = rotations[i][..].try_into().unwrap();
        let by_hand = DQuat::from_xyzw(x, y, z, w).normalize() * three(&offsets[i]);
        assert!(by_hand.distance(three(&turned[i])) < 5e-4, "{by_hand} for {turned:?}");
        assert!((three(&places[i]) + three(&turned[i])).distance(three(&carried[i])) < 2e-4);
        assert_eq!(carried[i], alone[i], "the matrix says the same");
        sum += three(&carried[i]) * term.weight;
    }
    assert!(rotations.iter().any(|r| r[3] < 0.99), "one joint is turned: {rotations:?}");
    let positions = four(harness, "Σ w (b + R v′)");
    let position = &positions[0];
    assert!(
        positions.len() == 1
            && three(position).distance(sum) < 2e-4
            && three(position).distance(explained.position) < 1e-4
    );
    // A joint that scales has a row for that; one that shears is named, and then there is no sum.
    let bend = explained.terms.iter().map(|t| t.node).max_by_key(|node| node.0).unwrap();
    let scale = |harness: &mut Harness<'_, App>, node: NodeId, by: Vec3| {
        harness.state_mut().session.apply(EditCommand::Edit(node, ChannelValue::Scale(by)));
        harness.state_mut().session.update_pose();
        harness.run();
    };
    scale(harness, bend, Vec3::new(2.0, 1.0, 0.5));
    assert_eq!(four(harness, "S").len(), 1 + usize::from(explained.terms.len() > 2), "{:?}", four(harness, "S"));
    assert_eq!(four(harness, "Σ w (b + R v′)").len(), 1);
    scale(harness, bend, Vec3::ONE);
    scale(harness, NodeId(1), Vec3::new(2.0, 1.0, 0.5));
    let name = &harness.state().session.model().unwrap().skeleton.names[bend.index()].clone();
    harness.get_by_label(&format!("{name} shears, which no quaternion with a scale does."));
    harness.get_by_label("Without a quaternion for every joint there is no Σ w (b + R v′).");
    scale(harness, NodeId(1), Vec3::ONE);
    click(harness, "Hide the joints as quaternions");
    assert!(four(harness, "b").is_empty());
}

#[test]
fn the_skin_answers_while_a_clip_plays_and_through_bones_with_a_key_held() {
    let mut harness = open(3);
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(true));
    let point = beside_the_bones(harness.state());
    harness.event(Event::PointerMoved(point));
    harness.step();
    harness.step();
    harness.get_by_label("Sum: 1.000");
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(false));
    // Over a bone: the bone; with the key held the vertex before it.
    let app = harness.state();
    let head = Vec3::from(app.session.pose().model[2].translation);
    let at = app.session.view().project(head + Vec3::Y * 0.3).unwrap();
    let point = app.picture.min + vec2(at.x, at.y);
    harness.event(Event::PointerMoved(point));
    harness.run();
    assert!(harness.query_by_label("Sum: 1.000").is_none());
    harness.event(Event::ModifiersChanged(Modifiers::COMMAND));
    harness.run();
    harness.get_by_label("Sum: 1.000");
}

#[test]
fn a_double_click_frames_what_is_selected() {
    let mut harness = selected(3, 2);
    let center = harness.state().picture.center();
    for pressed in [true, false, true, false] {
        let press =
            Event::PointerButton { pos: center, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
        harness.event(press);
        harness.step();
    }
    harness.run();
    assert!(has(&harness, &Command::Camera(CameraCommand::FrameSelected)));
}
