//! Two models in one picture: the list of both, their names, and the commands about them.

use skinscope::session::BesideCommand;

use super::*;

fn named(name: &str, joints: usize) -> Document {
    let mut parts = ModelParts::clone(&tube(Tube { joints, rings: 12, ..Tube::default() }));
    parts.source.name = name.to_owned();
    Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None)
}

fn pair() -> Harness<'static, App> {
    let mut session = Session::default();
    session.open(named("old.glb", 3));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.open_beside(named("new.glb", 5));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.state_mut().session.apply(CameraCommand::FrameAll);
    harness.run();
    harness
}

#[test]
fn the_list_says_which_model_is_worked_on_and_changes_that() {
    let mut harness = pair();
    let is_chosen = |harness: &Harness<'_, App>, name: &str| {
        let row = harness.get_by_role_and_label(Role::Button, name);
        row.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True)
    };
    assert!(is_chosen(&harness, "old.glb") && !is_chosen(&harness, "new.glb"));
    let rows = |harness: &Harness<'_, App>| harness.query_all_by_label_contains("joint 4").count();
    assert_eq!(rows(&harness), 0);
    harness.get_by_role_and_label(Role::Button, "new.glb").click();
    harness.run();
    assert!(has(&harness, &BesideCommand::Activate.into()));
    assert!(is_chosen(&harness, "new.glb") && rows(&harness) > 0, "the panels are about the other one");
    // The key does the same.
    harness.key_press_modifiers(Modifiers::SHIFT, Key::B);
    harness.run();
    assert!(is_chosen(&harness, "old.glb"));
    // Both are named in the picture, at their own feet.
    let [old, new] = ["old.glb", "new.glb"].map(|name| harness.get_by_label(&format!("Model: {name}")).rect());
    assert!(old.right() < new.left() && harness.state().picture.contains_rect(old.union(new)), "{old} {new}");
}

#[test]
fn the_list_says_how_both_stand_and_closes_the_other_one() {
    let mut harness = pair();
    let arrangement = |harness: &Harness<'_, App>| harness.state().session.beside().unwrap().arrangement();
    click(&mut harness, "Same place");
    assert!(arrangement(&harness).same_place && harness.query_by_label("Room between the models").is_none());
    let plates = ["old.glb", "new.glb"].map(|name| harness.get_by_label(&format!("Model: {name}")).rect());
    assert!(!plates[0].intersects(plates[1]), "{plates:?}");
    click(&mut harness, "Same place");
    click(&mut harness, "Same time");
    assert!(!arrangement(&harness).same_place && !arrangement(&harness).same_time);
    harness.get_by_label("Room between the models");
    let says = |harness: &Harness<'_, App>| harness.query_all_by_label_contains("as high as old.glb").count();
    assert_eq!(says(&harness), 0);
    click(&mut harness, "Same height");
    assert!(arrangement(&harness).same_height && says(&harness) == 1);
    click(&mut harness, "Same height");
    assert!(!arrangement(&harness).same_height && says(&harness) == 0);
    // What is in no file is marked, of both.
    let turned = ChannelValue::Rotation(Vec3::X * 30.0);
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), turned));
    harness.state_mut().session.apply(EditCommand::EndEdit);
    harness.run();
    harness.get_by_role_and_label(Role::Button, "old.glb •");
    click(&mut harness, "Close new.glb");
    assert!(has(&harness, &BesideCommand::Close.into()));
    assert!(harness.state().session.beside().is_none() && harness.query_by_label("Same place").is_none());
    assert!(!harness.state().session.edits().is_empty());
}
