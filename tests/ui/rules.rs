//! Symmetric editing, pins and limits, as they are switched and typed in the window.

use skinscope::pose::Limits;
use skinscope::session::PosingCommand;

use super::*;

/// The built-in character at rest, with a joint selected.
pub(super) fn character(name: &str) -> Harness<'static, App> {
    let mut session = Session::default();
    let source = skinscope::session::Source::BuiltIn;
    session.open(source.load(&Default::default(), &skinscope::import::Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let node = node(&session, name);
    session.apply(SelectionCommand::Select(Some(node)));
    window(session, UiState::default(), Status::default())
}

fn node(session: &Session, name: &str) -> NodeId {
    NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
}

pub(super) fn position(harness: &Harness<'_, App>, name: &str) -> Vec3 {
    let session = &harness.state().session;
    session.pose().model[node(session, name).index()].translation.into()
}

pub(super) fn type_into(harness: &mut Harness<'_, App>, label: &str, text: &str) {
    harness.get_by_label(&format!("{label} value")).scroll_to_me();
    harness.run();
    harness.get_by_label(&format!("{label} value")).click();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(text.into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}

#[test]
fn a_ring_turns_both_arms_while_editing_is_symmetric() {
    let mut harness = character("UpperArm.L");
    click(&mut harness, "Symmetric");
    let at = harness.get_by_label("Turn about the line of sight").rect().center();
    drag(&mut harness, &[at, at + vec2(20.0, 30.0), at + vec2(30.0, 60.0)], PointerButton::Primary);
    let (left, right) = (position(&harness, "Hand.L"), position(&harness, "Hand.R"));
    assert!((left * Vec3::new(-1.0, 1.0, 1.0)).distance(right) < 1e-4, "{left} {right}");
    harness.state_mut().session.apply(EditCommand::Undo);
    assert!(harness.state().session.edits().is_empty(), "one drag is one step");
    // A slider does the same.
    type_into(&mut harness, "Rotation Z", "35");
    let (left, right) = (position(&harness, "Hand.L"), position(&harness, "Hand.R"));
    assert!((left * Vec3::new(-1.0, 1.0, 1.0)).distance(right) < 1e-4, "{left} {right}");
}

#[test]
fn the_head_looks_where_a_drag_from_it_leads_in_one_step() {
    use skinscope::session::{PoseTool, ViewCommand};
    let mut harness = character("Head");
    harness.state_mut().session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    harness.state_mut().session.apply(CameraCommand::FrameAll);
    click(&mut harness, "Look tool");
    assert!(has(&harness, &ViewCommand::SetPoseTool(PoseTool::Look).into()));
    let on_screen = |harness: &Harness<'_, App>, at: Vec3| {
        let at = harness.state().session.view().project(at).unwrap();
        harness.state().picture.min + vec2(at.x, at.y)
    };
    // Where the bone of the neck ends, the head begins.
    let head = on_screen(&harness, position(&harness, "Head") + 0.1 * Vec3::Y);
    let turned = |harness: &Harness<'_, App>| {
        let session = &harness.state().session;
        let at = node(session, "Head").index();
        let rest = session.model().unwrap().skeleton.rest.transforms[at].rotation;
        rest.angle_between(session.pose().local.transforms[at].rotation)
    };
    let to = head + vec2(150.0, -20.0);
    drag(&mut harness, &[head, head.lerp(to, 0.5), to], PointerButton::Primary);
    assert!(turned(&harness) > 0.05, "{}", turned(&harness));
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))));
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(turned(&harness) < 1e-4 && !harness.state().session.history().can_undo());
}

#[test]
fn a_limb_that_is_pulled_has_a_root_and_a_pole_that_is_dragged() {
    let mut harness = character("Hand.L");
    click(&mut harness, "Pull tool");
    let hand = node(&harness.state().session, "Hand.L");
    click(&mut harness, "Limb root");
    assert_eq!(harness.state().session.rules().pull_root, Some(hand));
    click(&mut harness, "Limb root");
    assert_eq!(harness.state().session.rules().pull_root, None);
    click(&mut harness, "Pole");
    let pole = harness.state().session.rules().pole.unwrap();
    let (elbow, stood) = (position(&harness, "LowerArm.L"), position(&harness, "Hand.L"));
    let at = harness.get_by_label("Pole of limbs").rect().center();
    let to = at + vec2(0.0, -160.0);
    drag(&mut harness, &[at, at.lerp(to, 0.5), to], PointerButton::Primary);
    assert_ne!(harness.state().session.rules().pole.unwrap(), pole);
    assert!(
        position(&harness, "LowerArm.L").distance(elbow) > 1e-3 && position(&harness, "Hand.L").distance(stood) < 1e-3
    );
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(position(&harness, "LowerArm.L").distance(elbow) < 1e-5 && !harness.state().session.history().can_undo());
    click(&mut harness, "Pole");
    assert_eq!(harness.state().session.rules().pole, None);
}

#[test]
fn the_other_side_is_shown_and_can_be_changed() {
    let mut harness = character("UpperArm.L");
    let label = "Other side: UpperArm.R";
    harness.get_by_label(label).scroll_to_me();
    harness.run();
    click(&mut harness, label);
    harness.event(Event::Text("none".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let arm = node(&harness.state().session, "UpperArm.L");
    assert!(has(&harness, &PosingCommand::SetPartner(arm, None).into()), "{:?}", harness.state().commands);
    harness.get_by_label("Other side: None");
    click(&mut harness, "Reset pairs");
    harness.get_by_label(label);
}

#[test]
fn a_held_foot_is_marked_and_let_go_where_it_is_shown() {
    let mut harness = character("Foot.L");
    harness.hover_at(harness.state().picture.center());
    harness.run();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::P);
    harness.run();
    let foot = node(&harness.state().session, "Foot.L");
    assert!(harness.state().session.edits().held.contains_key(&foot));
    harness.get_by_label("Held Foot.L");
    // A place that the leg does not reach: the mark says by how much.
    harness.state_mut().session.apply(EditCommand::MoveHeld(foot, Vec3::new(0.1, 0.9, 1.2)));
    harness.state_mut().session.update_pose();
    harness.run();
    harness.get_by_label_contains("Held Foot.L, ");
    harness.get_by_label_contains(" cm from its place");
    harness.get_by_label("Held over the clip").scroll_to_me();
    harness.run();
    click(&mut harness, "Held over the clip");
    assert!(harness.state().session.edits().held.is_empty());
    assert!(harness.query_by_label_contains("Held Foot.L").is_none());
}

#[test]
fn a_key_pins_the_foot_and_limits_are_typed_and_drawn() {
    let mut harness = character("Foot.L");
    harness.hover_at(harness.state().picture.center());
    harness.run();
    harness.key_press(Key::P);
    harness.run();
    harness.get_by_label("Pinned Foot.L");
    harness.get_by_label("Add limits").scroll_to_me();
    harness.run();
    click(&mut harness, "Add limits");
    // Nothing is limited yet, so nothing is drawn.
    assert!(harness.query_by_label("Limits about X").is_none());
    type_into(&mut harness, "X least", "-20");
    type_into(&mut harness, "X most", "45");
    let foot = node(&harness.state().session, "Foot.L");
    let limits = Limits { least: Vec3::new(-20.0, -90.0, -180.0), most: Vec3::new(45.0, 90.0, 180.0) };
    assert_eq!(harness.state().session.rules().limits.get(&foot), Some(&limits));
    harness.get_by_label("Limits about X");
    assert!(harness.query_by_label("Limits about Y").is_none());
    // The end of the arc follows the pointer along the arc: to its middle.
    let [end, middle] =
        ["Most angle about X", "Limits about X"].map(|place| harness.get_by_label(place).rect().center());
    harness.drag_at(end);
    harness.run();
    harness.hover_at(middle);
    harness.run();
    harness.drop_at(middle);
    harness.run();
    let dragged = harness.state().session.rules().limits[&foot];
    assert!((dragged.most.x - 12.5).abs() < 2.0 && dragged.least.x == -20.0, "{dragged:?}");
    assert!(harness.state().session.edits().is_empty(), "the joint was not turned");
    type_into(&mut harness, "X most", "45");
    // An end that crosses the other one takes it along.
    type_into(&mut harness, "X most", "-30");
    let limits = harness.state().session.rules().limits[&foot];
    assert_eq!((limits.least.x, limits.most.x), (-30.0, -30.0));
    click(&mut harness, "Remove limits");
    assert!(harness.state().session.rules().limits.is_empty());
}
