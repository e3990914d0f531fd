//! Bone links, as they are put between joints in the inspector.

use super::rules::{character, type_into};
use super::*;

fn links(harness: &Harness<'_, App>) -> usize {
    harness.state().session.model().unwrap().links.len()
}

fn press(harness: &mut Harness<'_, App>, label: &str) {
    harness.get_by_label(label).scroll_to_me();
    harness.run();
    click(harness, label);
}

#[test]
fn a_joint_gains_links_in_one_step_and_says_what_became_of_the_volume() {
    let mut harness = character("LowerArm.L");
    press(&mut harness, "Add bone links");
    type_into(&mut harness, "Farthest turn", "120");
    press(&mut harness, "Insert links");
    harness.run();
    assert_eq!(links(&harness), 1);
    assert!(harness.query_by_label("1 link between it and the joint above.").is_some());
    assert!(harness.query_all_by_label_contains("olume").count() > 0);
    // The link itself says whose turn it makes.
    let link = harness.state().session.model().unwrap().links[0].node;
    harness.state_mut().session.apply(SelectionCommand::Select(Some(link)));
    harness.run();
    assert!(harness.query_by_label_contains("It makes 50 % of the turn of LowerArm.L").is_some());
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!(links(&harness), 0);
    harness.state_mut().session.apply(EditCommand::Redo);
    assert_eq!(links(&harness), 1);
}

#[test]
fn the_panel_says_that_the_volume_is_being_measured_until_it_is_known() {
    let mut harness = character("LowerArm.L");
    harness.state_mut().session.defer_work();
    press(&mut harness, "Add bone links");
    type_into(&mut harness, "Farthest turn", "120");
    press(&mut harness, "Insert links");
    harness.run();
    assert_eq!(links(&harness), 1);
    assert!(harness.query_by_label("Measuring the volume before and after.").is_some());
    assert!(harness.query_by_label("Volume around the links measured").is_some());
    assert!(harness.query_by_label_contains("Volume turned by 90°").is_none());
    harness.state_mut().session.do_wanted();
    harness.run();
    assert!(harness.query_by_label("Measuring the volume before and after.").is_none());
    assert!(harness.query_by_label_contains("Volume turned by 90°").is_some());
}

#[test]
fn a_joint_that_turns_little_says_that_it_needs_no_link() {
    let mut harness = character("LowerArm.L");
    press(&mut harness, "Add bone links");
    type_into(&mut harness, "Farthest turn", "40");
    assert!(harness.query_by_label_contains("which needs no link of 60°").is_some());
    type_into(&mut harness, "Most degrees of a link", "15");
    assert!(harness.query_by_label("2 links for a turn of 40°.").is_some());
}
