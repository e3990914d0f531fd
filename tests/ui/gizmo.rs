//! The gizmo and the pull tool, used with a pointer.

use skinscope::session::{Orientation, PoseTool};

use super::*;

fn posed(harness: &Harness<'_, App>, node: u32) -> skinscope::math::Transform {
    harness.state().session.pose().local.transforms[node as usize]
}

/// Presses at one point, moves in steps to another, and lets go.
fn drag(harness: &mut Harness<'_, App>, from: Pos2, to: Pos2) {
    press_at(harness, from);
    for step in 1..=6 {
        harness.event(Event::PointerMoved(from.lerp(to, step as f32 / 6.0)));
        harness.step();
    }
    release_at(harness, to);
    harness.run();
}

fn button(harness: &Harness<'_, App>, at: Pos2, button: PointerButton, pressed: bool) {
    harness.event(Event::PointerMoved(at));
    harness.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
}

fn press_at(harness: &mut Harness<'_, App>, at: Pos2) {
    button(harness, at, PointerButton::Primary, true);
    harness.step();
}

fn release_at(harness: &mut Harness<'_, App>, at: Pos2) {
    button(harness, at, PointerButton::Primary, false);
    harness.step();
}

fn place(harness: &Harness<'_, App>, label: &str) -> Pos2 {
    harness.get_by_label(label).rect().center()
}

fn orbits(harness: &Harness<'_, App>) -> bool {
    harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_))))
}

#[test]
fn a_ring_turns_the_joint_in_one_step_and_the_camera_stays() {
    let mut harness = selected(3, 2);
    let before = posed(&harness, 2);
    let at = place(&harness, "Turn about the line of sight");
    drag(&mut harness, at, at + vec2(60.0, 60.0));
    assert_ne!(posed(&harness, 2).rotation, before.rotation);
    assert_eq!((posed(&harness, 2).translation, posed(&harness, 2).scale), (before.translation, before.scale));
    assert!(!orbits(&harness));
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!(posed(&harness, 2), before);
    assert!(!harness.state().session.history().can_undo());
    // Beside the rings a drag turns the camera as ever.
    let free = harness.state().picture.left_bottom() + vec2(60.0, -60.0);
    drag(&mut harness, free, free + vec2(30.0, 0.0));
    assert!(orbits(&harness) && posed(&harness, 2) == before);
}

#[test]
fn escape_and_the_right_button_give_a_drag_up_as_if_it_had_never_been() {
    for escape in [true, false] {
        let mut harness = selected(3, 2);
        let before = posed(&harness, 2);
        let at = place(&harness, "Turn about the line of sight");
        press_at(&mut harness, at);
        harness.event(Event::PointerMoved(at + vec2(40.0, 40.0)));
        harness.run();
        assert_ne!(posed(&harness, 2), before);
        if escape {
            harness.key_press(Key::Escape);
        } else {
            button(&harness, at + vec2(40.0, 40.0), PointerButton::Secondary, true);
        }
        harness.run();
        assert_eq!(posed(&harness, 2), before);
        // The button is still down: neither pose nor camera follow it any more.
        harness.event(Event::PointerMoved(at + vec2(90.0, 0.0)));
        harness.run();
        release_at(&mut harness, at + vec2(90.0, 0.0));
        harness.run();
        assert!(posed(&harness, 2) == before && !orbits(&harness));
        let session = &harness.state().session;
        assert!(!session.history().can_undo() && !session.history().can_redo());
        assert_eq!(session.view().selected, Some(NodeId(2)));
    }
}

#[test]
fn a_key_an_axis_and_a_number_turn_exactly_and_enter_keeps_it() {
    let mut harness = selected(3, 2);
    let before = posed(&harness, 2);
    let type_text = |harness: &mut Harness<'_, App>, key: Key, text: &str| {
        harness.key_press(key);
        harness.event(Event::Text(text.into()));
        harness.run();
    };
    harness.hover_at(harness.state().picture.center());
    harness.run();
    harness.key_press(Key::R);
    harness.run();
    // Twice: the joint's own axis.
    type_text(&mut harness, Key::X, "x");
    type_text(&mut harness, Key::X, "x");
    for (key, digit) in [(Key::Num4, "4"), (Key::Num5, "5")] {
        type_text(&mut harness, key, digit);
    }
    harness.get_by_label("X [45]°");
    harness.key_press(Key::Enter);
    harness.run();
    let want = before.rotation * glam::Quat::from_rotation_x(45_f32.to_radians());
    assert!(posed(&harness, 2).rotation.dot(want).abs() > 1.0 - 1e-6);
    // The keys were the drag's alone.
    let others = harness.state().commands.iter().any(|c| matches!(c, Command::View(_) | Command::Camera(_)));
    assert!(!others, "{:?}", harness.state().commands);
    assert!(harness.state().session.history().can_undo());
}

#[test]
fn each_tool_has_its_handles_and_the_axes_can_be_chosen() {
    let mut harness = selected(3, 2);
    click(&mut harness, "Move tool");
    assert_eq!(harness.state().session.view().pose_tool, PoseTool::Move);
    let before = posed(&harness, 2);
    let at = place(&harness, "Move in the plane of the picture");
    drag(&mut harness, at, at + vec2(25.0, -10.0));
    assert!(posed(&harness, 2).translation != before.translation && posed(&harness, 2).rotation == before.rotation);
    click(&mut harness, "World axes");
    assert_eq!(harness.state().session.view().orientation, Orientation::World);
    click(&mut harness, "Scale tool");
    assert!(harness.query_by_label("World axes").is_none(), "a node is scaled along its own axes alone");
    let at = place(&harness, "Scale along all axes");
    drag(&mut harness, at, at + vec2(30.0, 0.0));
    assert!(posed(&harness, 2).scale.min_element() > 1.2);
    click(&mut harness, "Camera only");
    assert!(harness.query_by_label("Scale along all axes").is_none());
}

#[test]
fn a_bone_is_pulled_and_the_limb_follows() {
    let mut harness = selected(5, 1);
    click(&mut harness, "Pull tool");
    let session = &harness.state().session;
    let joint = Vec3::from(session.pose().model[4].translation);
    let seen = session.view().project(joint).unwrap();
    let at = harness.state().picture.min + vec2(seen.x, seen.y);
    let before = harness.state().session.pose().local.clone();
    drag(&mut harness, at, at + vec2(-40.0, 25.0));
    let state = harness.state();
    let now = state.session.view().project(Vec3::from(state.session.pose().model[4].translation)).unwrap();
    assert!((now - seen - glam::Vec2::new(-40.0, 25.0)).length() < 3.0, "{seen} {now}");
    for (now, was) in state.session.pose().local.transforms.iter().zip(&before.transforms) {
        assert_eq!((now.translation, now.scale), (was.translation, was.scale));
    }
    assert!(!orbits(&harness));
    harness.state_mut().session.apply(EditCommand::Undo);
    assert!(!harness.state().session.history().can_undo());
}

#[test]
fn in_a_low_picture_the_tools_and_what_belongs_to_them_are_whole() {
    for (tool, last) in [("Turn tool", "World axes"), ("Pull tool", "Pole")] {
        let mut session = session(3);
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        let saved = Saved { tables: true, ..Saved::default() };
        let mut harness = window(session, UiState::new(saved), Status::default());
        harness.set_size(vec2(1280.0, 560.0));
        harness.run();
        click(&mut harness, tool);
        let picture = harness.state().picture;
        assert!(picture.height() < 330.0, "{picture:?}");
        for name in ["Look tool", last, "Symmetric"] {
            let rect = harness.get_by_label(name).rect();
            assert!(picture.contains_rect(rect), "{name}: {rect:?} in {picture:?}");
        }
    }
}

#[test]
fn the_tool_that_has_the_pointer_is_named_beside_the_tools_which_keep_still() {
    let mut harness = selected(3, 2);
    let last = |harness: &Harness<'_, App>| harness.get_by_label("Look tool").rect();
    let (before, picture) = (last(&harness), harness.state().picture);
    for (tool, words) in [
        ("Move tool", "Moving. Drag an arrow or a plane"),
        ("Scale tool", "Scaling. Drag a box"),
        ("Pull tool", "Pulling. Drag a bone or the skin"),
        ("Look tool", "Looking. Drag from a joint"),
    ] {
        click(&mut harness, tool);
        let said = harness.get_by_label_contains(words).rect();
        assert!(picture.contains_rect(said) && said.left() > before.right(), "{tool}: {said:?}");
        assert_eq!(last(&harness), before, "{tool}");
    }
    // The camera, and the tool that the window begins with, need no words.
    for tool in ["Camera only", "Turn tool"] {
        click(&mut harness, tool);
        assert!(harness.query_by_label_contains("elsewhere a drag turns the camera").is_none(), "{tool}");
    }
    // Marking comes before a tool that poses, and says so in its place.
    click(&mut harness, "Pull tool");
    harness.key_press(Key::K);
    harness.run();
    harness.get_by_label_contains("Marking by box: 0 vertices");
    assert!(harness.query_by_label_contains("Pulling. Drag").is_none());
}

#[test]
fn the_middle_button_turns_while_marking_and_the_wheel_waits_for_a_handle() {
    let wheel = |harness: &mut Harness<'_, App>| {
        harness.state_mut().commands.clear();
        harness.event(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, 1.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        harness.run();
        harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Zoom(..))))
    };
    let mut harness = selected(3, 2);
    let at = place(&harness, "Turn about the line of sight");
    press_at(&mut harness, at);
    harness.event(Event::PointerMoved(at + vec2(30.0, 30.0)));
    harness.run();
    assert!(!wheel(&mut harness));
    release_at(&mut harness, at + vec2(30.0, 30.0));
    harness.run();
    assert!(wheel(&mut harness));
    harness.key_press(Key::K);
    harness.run();
    let center = harness.state().picture.center();
    press_at(&mut harness, center);
    harness.event(Event::PointerMoved(center + vec2(30.0, 30.0)));
    harness.run();
    assert!(wheel(&mut harness) && !orbits(&harness));
    assert_eq!(harness.output().platform_output.cursor_icon, egui::CursorIcon::Crosshair);
    release_at(&mut harness, center + vec2(30.0, 30.0));
    harness.run();
    button(&harness, center, PointerButton::Middle, true);
    harness.step();
    harness.event(Event::PointerMoved(center + vec2(30.0, 0.0)));
    harness.run();
    assert!(orbits(&harness));
}
