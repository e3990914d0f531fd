//! Joints that are placed by hand in a mesh without a skin, with a pointer.

use skinscope::session::PlaceCommand;

use super::*;

/// A tube without a skin, from its front, with the tool in the hand.
fn placing() -> Harness<'static, App> {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let mut harness = open_model(parts);
    harness.state_mut().session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    harness.state_mut().session.apply(CameraCommand::FrameAll);
    harness.state_mut().session.apply(PlaceCommand::Use(true));
    harness.run();
    harness.get_by_label_contains("Placing joints");
    harness
}

/// The point of the screen where a place of the scene is seen.
fn seen(harness: &Harness<'_, App>, place: Vec3) -> Pos2 {
    let at = harness.state().session.view().project(place).unwrap();
    harness.state().picture.min + vec2(at.x, at.y)
}

fn click_on(harness: &mut Harness<'_, App>, at: Pos2) {
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        harness.event(Event::PointerMoved(at));
        harness.event(Event::PointerButton { pos: at, button, pressed, modifiers });
        harness.step();
    }
    harness.run();
}

fn joints(harness: &Harness<'_, App>) -> Vec<(String, Option<usize>)> {
    let joints = harness.state().session.placing().joints();
    joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect()
}

#[test]
fn clicks_place_a_chain_that_is_dragged_bound_and_undone() {
    let mut harness = placing();
    for up in [0.3, 1.0, 1.7] {
        let at = seen(&harness, Vec3::new(0.01, up, 0.0));
        click_on(&mut harness, at);
    }
    let chain =
        [("Joint", None), ("Joint2", Some(0_usize)), ("Joint3", Some(1))].map(|(name, of)| (name.to_owned(), of));
    assert_eq!(joints(&harness), chain);
    let placed = |harness: &Harness<'_, App>, index: usize| harness.state().session.placing().joints()[index].position;
    assert!(placed(&harness, 1).distance(Vec3::Y) < 0.03);
    // A click on a joint selects it, and a drag moves it and not the camera.
    let (from, orbit) = (seen(&harness, placed(&harness, 1)), harness.state().session.view().orbit);
    click_on(&mut harness, from);
    assert_eq!((harness.state().session.placing().selected(), joints(&harness).len()), (Some(1), 3));
    let to = seen(&harness, Vec3::new(0.0, 1.2, 0.0));
    drag(&mut harness, &[from, from.lerp(to, 0.5), to], PointerButton::Primary);
    assert!((placed(&harness, 1).y - 1.2).abs() < 0.05, "{}", placed(&harness, 1));
    assert_eq!(harness.state().session.view().orbit, orbit);
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(placed(&harness, 1).distance(Vec3::Y) < 0.03, "a drag is one step");
    click(&mut harness, "Bind to joints");
    let bound = harness.state().session.model().unwrap().skins.len();
    assert_eq!((bound, harness.state().session.placing().is_on()), (1, false));
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(harness.state().session.model().unwrap().skins.is_empty());
    assert_eq!(joints(&harness), chain);
}

#[test]
fn the_inspector_of_a_model_without_a_skin_offers_to_place_joints() {
    let mut harness = placing();
    harness.state_mut().session.apply(PlaceCommand::Use(false));
    harness.run();
    assert!(!harness.state().session.placing().is_on());
    click(&mut harness, "Place joints");
    assert!(harness.state().session.placing().is_on());
}

#[test]
fn the_plate_mirrors_names_hangs_and_deletes() {
    let mut harness = placing();
    click(&mut harness, "Humanoid");
    assert_eq!(joints(&harness).len(), 19);
    click(&mut harness, "Select Spine");
    assert_eq!(harness.state().session.placing().selected(), Some(1));
    // What is chosen in the list below the name is written beside it.
    harness.get_by_label("Hangs on");
    harness.get_by_role_and_label(Role::TextInput, "Name of the joint").click();
    harness.run();
    harness.event(Event::Text("2".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let renamed = joints(&harness)[1].0.clone();
    assert!(renamed != "Spine" && renamed.contains('2'), "{renamed}");
    click(&mut harness, "Delete the joint");
    assert_eq!((joints(&harness).len(), joints(&harness)[1].clone()), (18, ("Chest".to_owned(), Some(0))));
    harness.get_by_role_and_label(Role::Button, "Mirror").click();
    harness.run();
    assert!(!harness.state().session.placing().mirrors());
    // Two trees are no skeleton, and the plate says so.
    harness.state_mut().session.apply(PlaceCommand::Hang(1, None));
    harness.run();
    click(&mut harness, "Bind to joints");
    harness.get_by_label_contains("one joint has to be above all others");
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.state().session.placing().is_on());
    assert_eq!(joints(&harness).len(), 18, "the joints stay");
}
