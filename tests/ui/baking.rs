//! Baking a method into weights in the panel of tools: what is set, the share of the gain by joint, what shows the rest.

use skinscope::edit::bakes_kept_poses;
use skinscope::session::{ComparisonCommand, SideWeights, ToolCommand};

use super::*;

/// The panel with the tool, over few poses.
fn panel() -> Harness<'static, App> {
    let mut session = session(4);
    let values = [("bake-poses".to_owned(), 24.0)];
    let settings = skinscope::edit::Settings { values: values.into(), ..Default::default() };
    session.apply(ToolCommand::Set(Arc::new(settings)));
    session.apply(ToolCommand::TogglePanel);
    let mut harness = window(session, UiState::default(), Status::default());
    // High enough for all of the panel.
    harness.set_size(vec2(1280.0, 1600.0));
    harness.run();
    press(&mut harness, "Bake method");
    harness
}

fn press(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click();
    harness.run();
}

#[test]
fn the_menu_leads_to_the_tool_and_the_share_of_the_gain_is_said_in_all_and_by_joint() {
    let mut harness = open(4);
    click(&mut harness, "Tools");
    click(&mut harness, "Bind and bake");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Bake method").click();
    harness.run();
    assert_eq!(harness.state().session.tools().operation.unwrap().label, "Bake a method into weights");
    let mut harness = panel();
    let baked = Arc::clone(harness.state().session.edited_weights().baked().unwrap());
    harness.get_by_label(&format!("Share of the gain: {:.1} %", baked.gain.percent().unwrap()));
    harness.get_by_label(&format!("Poses looked at: {}", baked.poses));
    let joint = baked.gain.joints.iter().find(|joint| joint.percent().is_some()).unwrap();
    let name = harness.state().session.model().unwrap().skeleton.names[joint.key as usize].clone();
    let row = format!("{name}: {:.1} %", joint.percent().unwrap());
    assert!(harness.query_by_label(&row).is_none(), "they are folded at first");
    press(&mut harness, &format!("Share of {} joints", baked.gain.joints.len()));
    harness.get_by_label(&row);
}

#[test]
fn what_is_left_is_shown_with_a_legend_before_and_after_it_is_applied() {
    let mut harness = panel();
    press(&mut harness, "Show what is left");
    assert!(has(&harness, &Command::View(ViewCommand::SetOverlay(Some("bake-left")))));
    harness.get_by_label("Scale: 0.01, 0.1, 1 mm, 10, 100");
    press(&mut harness, "Show the most that is left");
    assert_eq!(harness.state().session.view().overlay.unwrap().id, "bake-left-largest");
    press(&mut harness, "Apply");
    assert!(harness.state().session.history().can_undo());
    harness.get_by_label("Scale: 0.01, 0.1, 1 mm, 10, 100");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    harness.get_by_label("Shown once a method is baked into the weights");
}

#[test]
fn poses_are_kept_one_after_the_other_and_forgotten() {
    let mut harness = panel();
    assert!(harness.query_by_label("Keep this pose").is_none());
    press(&mut harness, "Poses kept");
    assert!(bakes_kept_poses(&harness.state().session.tools().settings));
    harness.get_by_label_contains("This cannot be done: no pose was kept");
    press(&mut harness, "Keep this pose");
    assert!(harness.get_by_role_and_label(Role::Button, "Keep this pose").accesskit_node().is_disabled());
    let turned = ChannelValue::Rotation(Vec3::new(60.0, 0.0, 0.0));
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), turned));
    harness.state_mut().session.update_pose();
    harness.run();
    press(&mut harness, "Keep this pose");
    harness.get_by_label("Poses looked at: 2");
    press(&mut harness, "Forget the kept pose 1");
    harness.get_by_label("Poses looked at: 1");
    assert_eq!(harness.state().session.tools().settings.poses.len(), 1);
}

#[test]
fn the_picture_compares_the_weights_with_the_method() {
    let mut harness = panel();
    press(&mut harness, "Apply");
    click(&mut harness, "Show linear blending by these weights beside the method by those from before; X ends it");
    assert!(has(&harness, &Command::Comparison(ComparisonCommand::SetWeights(SideWeights::Stored))));
    let session = &harness.state().session;
    let comparison = session.deforming().comparison().unwrap();
    assert_eq!((session.view().choice().id().as_str(), comparison.choice.id().as_str()), ("linear", "linear+mush"));
    assert_eq!(comparison.weights, SideWeights::Stored);
    harness.key_press(Key::X);
    harness.run();
    assert!(harness.state().session.deforming().comparison().is_none());
}
