//! The tool that solves weights from examples: its list of meshes, and what is said of them.

use skinscope::edit::{ExampleMesh, MeshPoints, SOLVE};
use skinscope::export::resting_points;
use skinscope::session::{SculptCommand, ToolCommand};

use super::*;

/// The panel with the tool, high enough for all of it.
fn solving() -> Harness<'static, App> {
    let mut session = session(6);
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    session.apply(ToolCommand::TogglePanel);
    session.apply(ToolCommand::Choose(Some(SOLVE.id)));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.set_size(vec2(1280.0, 1600.0));
    harness.run();
    harness
}

/// Adds the surface at rest as what it should be in the pose that is shown.
fn add(harness: &mut Harness<'_, App>, name: &str) {
    let session = &mut harness.state_mut().session;
    let shown = session.shown_pose().unwrap();
    let points = MeshPoints(resting_points(session.model().unwrap()).into());
    let (name, pose, pose_name) = (name.to_owned(), shown.pose, shown.name);
    let meshes = vec![ExampleMesh { name, points, pose, pose_name, is_held_out: false }];
    session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes }));
    harness.run();
}

fn bend(harness: &mut Harness<'_, App>) {
    let turned = ChannelValue::Rotation(Vec3::new(0.0, 0.0, 50.0));
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(3), turned));
    harness.state_mut().session.update_pose();
    harness.run();
}

#[test]
fn meshes_to_solve_from_are_dropped_typed_or_chosen() {
    let mut harness = solving();
    harness.get_by_label_contains("Drop meshes on the window");
    click(&mut harness, "Browse…");
    assert!(has(&harness, &Command::File(FileCommand::ChooseExample)));
    harness.get_by_label("Mesh to solve from").focus();
    harness.run();
    harness.event(Event::Text("/sculpts/elbow.obj".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &Command::File(FileCommand::ReadExamples(vec!["/sculpts/elbow.obj".into()]))));
}

#[test]
fn each_example_has_its_pose_is_kept_aside_and_left_out_and_the_surface_is_compared_with_it() {
    let mut harness = solving();
    let examples = |harness: &Harness<'_, App>| harness.state().session.tools().settings.examples.to_vec();
    add(&mut harness, "Elbow");
    harness.get_by_label("Elbow");
    let says = |harness: &Harness<'_, App>, text: &str| harness.query_all_by_label(text).next().is_some();
    assert!(says(&harness, "Rest pose"));
    bend(&mut harness);
    click(&mut harness, "Let Elbow have the pose that is shown now");
    assert!(says(&harness, "Posed"));
    assert!(*examples(&harness)[0].pose == harness.state().session.pose().local);
    let outcome = harness.state().session.tools().outcome().unwrap();
    let told = outcome.solved.clone().unwrap().examples.remove(0);
    assert!(told.before.rms > 0.01 && told.after.rms < told.before.rms);
    let change = |before: f64, after: f64| format!("{:.3} → {:.3} mm", 1e3 * before, 1e3 * after);
    harness.get_by_label(&format!("Elbow: rms: {}", change(told.before.rms, told.after.rms)));
    harness.get_by_label(&format!("95 % are below: {}", change(told.before.p95, told.after.p95)));
    harness.get_by_label(&format!("Largest distance: {}", change(told.before.largest, told.after.largest)));
    let clip = harness.state().session.model().unwrap().clips[0].name.clone();
    click(&mut harness, &format!("Let Elbow have the pose of {clip} at its present time, without edits"));
    assert!(says(&harness, &format!("{clip} 0.000 s")));
    click(&mut harness, "Let Elbow have the pose that is shown now");
    add(&mut harness, "Knee");
    harness.get_all_by_role_and_label(Role::Button, "Aside").next().unwrap().click();
    harness.run();
    assert!(examples(&harness)[0].is_held_out && !examples(&harness)[1].is_held_out);
    harness.get_by_label_contains("Elbow, kept aside: rms");
    harness.get_by_role_and_label(Role::Button, "Apply").click();
    harness.run();
    assert!(harness.state().session.unsaved().has_unsaved_skinning());
    click(&mut harness, "Leave Knee out");
    assert_eq!(examples(&harness).len(), 1);
    harness.get_by_label_contains("every example is kept aside");
    click(&mut harness, "Leave all examples out");
    assert!(examples(&harness).is_empty());
}

#[test]
fn without_an_example_the_tool_says_that_there_is_none() {
    let harness = solving();
    harness.get_by_label("There is no example yet.");
    assert!(harness.query_by_label("Nothing would change.").is_none());
}
