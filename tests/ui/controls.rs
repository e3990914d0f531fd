//! Sliders and the lines that they drive, as they are made and typed in the inspector.

use skinscope::session::ControlCommand;

use super::*;

pub(super) fn character(name: Option<&str>, lines: &[&str]) -> Harness<'static, App> {
    let mut session = Session::default();
    let source = skinscope::session::Source::BuiltIn;
    session.open(source.load(&Default::default(), &skinscope::import::Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let node = name.map(|name| node(&session, name));
    session.apply(SelectionCommand::Select(node));
    for line in lines {
        session.apply(ControlCommand::AddDriver((*line).into()));
    }
    session.update_pose();
    window(session, UiState::default(), Status::default())
}

fn node(session: &Session, name: &str) -> NodeId {
    NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
}

/// How far a joint is turned from rest, degrees.
fn bend(harness: &Harness<'_, App>, name: &str) -> f32 {
    let session = &harness.state().session;
    let at = node(session, name).index();
    let rest = session.model().unwrap().skeleton.rest.transforms[at].rotation;
    rest.angle_between(session.pose().local.transforms[at].rotation).to_degrees()
}

fn lines(harness: &Harness<'_, App>) -> Vec<String> {
    harness.state().session.edits().controls.drivers.to_vec()
}

/// Replaces the text of a field.
fn retype(harness: &mut Harness<'_, App>, field: &str, text: &str) {
    harness.get_by_label(field).click();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(text.into()));
    harness.run();
}

#[test]
fn a_slider_is_added_named_and_poses_what_a_line_says() {
    let mut harness = character(Some("LowerArm.L"), &[]);
    click(&mut harness, "Add a control");
    click(&mut harness, "Slider");
    retype(&mut harness, "Name of Slider", "Flex");
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().session.edits().controls.sliders[0].name, "Flex");
    click(&mut harness, "Add a control");
    click(&mut harness, "Line");
    let own = "angle(\"LowerArm.L\", \"x\")";
    assert_eq!(lines(&harness), [format!("{own} = posed({own}) + 90 * slider(\"Flex\")")]);
    let rail = harness.get_by_role_and_label(Role::Slider, "Flex").rect();
    let at = |share: f32| Pos2::new(rail.left() + 6.5 + share * (rail.width() - 13.0), rail.center().y);
    drag(&mut harness, &[at(0.0), at(0.3), at(0.5)], PointerButton::Primary);
    assert!((bend(&harness, "LowerArm.L") - 45.0).abs() < 2.0, "{}", bend(&harness, "LowerArm.L"));
    harness.get_by_label_contains("Driven: X 4");
    // One drag is one step, and the reset of sliders is one too.
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(bend(&harness, "LowerArm.L") < 1e-3);
    harness.state_mut().session.apply(EditCommand::Redo);
    harness.run();
    click(&mut harness, "Reset sliders");
    assert!(bend(&harness, "LowerArm.L") < 1e-3);
    click(&mut harness, "Remove line 1");
    click(&mut harness, "Remove Flex");
    assert!(harness.state().session.edits().controls.is_empty() && harness.query_by_label("Edit controls").is_none());
}

#[test]
fn what_is_wrong_is_told_while_it_is_typed_and_the_pose_follows() {
    let mut harness = character(None, &["angle('LowerArm.L', 'x') = 30"]);
    click(&mut harness, "Edit controls");
    harness.get_by_label("Line 1: = 30.000");
    retype(&mut harness, "Line 1", "angle('LowerArm.L', 'x') = 40 +");
    harness.get_by_label("Line 1: Column 32: Expected here is a number, or a word such as slider or clamp.");
    assert!(bend(&harness, "LowerArm.L") < 1e-3);
    harness.event(Event::Text(" 5".into()));
    harness.run();
    assert!((bend(&harness, "LowerArm.L") - 45.0).abs() < 1e-2);
    retype(&mut harness, "Line 1", "angle('LowerLimb', 'x') = 40");
    harness.get_by_label_contains("Line 1: Column 7: The model has no joint \"LowerLimb\"; the nearest of ");
    click(&mut harness, "Done with controls");
    harness.get_by_label("1 control does not act.");
    // What was typed at a stretch is one step.
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!((bend(&harness, "LowerArm.L") - 30.0).abs() < 1e-2, "{:?}", lines(&harness));
}

#[test]
fn a_driven_slider_cannot_be_moved_and_cycles_are_named() {
    let mut harness = character(None, &[]);
    for command in [
        ControlCommand::AddSlider,
        ControlCommand::AddDriver("slider('Slider') = 0.25".into()),
        ControlCommand::AddDriver("angle('Head', 'y') = angle('Neck', 'y')".into()),
        ControlCommand::AddDriver("angle('Neck', 'y') = angle('Head', 'y')".into()),
    ] {
        harness.state_mut().session.apply(command);
    }
    harness.state_mut().session.update_pose();
    harness.run();
    let slider = harness.get_by_role_and_label(Role::Slider, "Slider");
    assert!(slider.accesskit_node().is_disabled());
    assert_eq!(slider.accesskit_node().numeric_value(), Some(0.25));
    harness.get_by_label("2 controls do not act.");
    click(&mut harness, "Show why controls do not act");
    harness.get_by_label_contains("Head angle y → Neck angle y → Head angle y");
}
