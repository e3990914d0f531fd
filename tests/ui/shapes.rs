//! Corrective shapes, as they are made, named and removed in the inspector.

use skinscope::app::ui::{AskedFile, AskedStage};
use skinscope::session::{FileUse, ShapeCommand, ShapeSettings};

use super::rules::character;
use super::*;

fn names(harness: &Harness<'_, App>) -> Vec<String> {
    harness.state().session.model().unwrap().meshes[0].morph_names.clone()
}

fn press(harness: &mut Harness<'_, App>, label: &str) {
    harness.get_by_label(label).scroll_to_me();
    harness.run();
    click(harness, label);
    harness.run();
}

/// The character with a bent elbow, whose joint is selected, drawn by dual quaternions.
fn bent() -> Harness<'static, App> {
    let mut harness = character("LowerArm.L");
    // All of the inspector is in sight.
    harness.set_size(vec2(1600.0, 2400.0));
    let session = &mut harness.state_mut().session;
    let joint = session.view().selected.unwrap();
    session.apply(EditCommand::Edit(joint, ChannelValue::Rotation(Vec3::new(0.0, -95.0, 0.0))));
    session.apply(EditCommand::EndEdit);
    session.apply(ViewCommand::SetMethod("dual-quaternion"));
    harness.run();
    press(&mut harness, "Edit shapes");
    harness
}

#[test]
fn a_shape_of_the_drawn_surface_is_made_named_and_removed() {
    let mut harness = bent();
    press(&mut harness, "Shape of the drawn surface");
    assert_eq!(names(&harness), ["Shape"]);
    let told = harness.state().session.tools().shapes.clone().unwrap().unwrap();
    assert!(told.iter().any(|line| line.contains("mm from the sculpt")), "{told:?}");
    assert!(told[0].starts_with("Made the shape Shape: ") && told[0].contains("brought in by LowerArm.L"), "{told:?}");
    // It is said over the picture too, where it is seen whichever panel is open.
    harness.get_by_role_and_label(Role::Status, &told[0]);
    press(&mut harness, "Rename Shape");
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text("elbow.L".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(names(&harness), ["elbow.L"]);
    press(&mut harness, "Remove elbow.L");
    assert!(names(&harness).is_empty());
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!(names(&harness), ["elbow.L"]);
}

#[test]
fn chosen_joints_bring_a_shape_in_and_what_would_never_show_is_refused() {
    let mut harness = bent();
    press(&mut harness, "Both sides");
    let head = harness.state().session.model().unwrap().skeleton.names.iter().position(|name| name == "Head").unwrap();
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId::from_index(head))));
    harness.run();
    press(&mut harness, "Add the selected joint");
    assert!(harness.query_by_label("Brought in by Head alone.").is_some());
    press(&mut harness, "Shape of the drawn surface");
    assert!(names(&harness).is_empty() && harness.query_by_label_contains("turned as at rest").is_some());
    press(&mut harness, "Joints as the pose turns");
    press(&mut harness, "Shape of the drawn surface");
    assert_eq!(names(&harness), ["Shape", "Shape mirrored"]);
}

#[test]
fn many_driving_joints_are_a_list_of_bounded_height_that_is_searched() {
    let mut harness = bent();
    let model = Arc::clone(harness.state().session.model().unwrap());
    let joints: Vec<NodeId> =
        (0..model.skeleton.len()).map(NodeId::from_index).filter(|n| model.is_joint(*n)).collect();
    let count = joints.len();
    assert!(count > 12);
    let set = |harness: &mut Harness<'_, App>, joints: &[NodeId]| {
        let settings = ShapeSettings { joints: joints.to_vec(), ..ShapeSettings::default() };
        harness.state_mut().session.apply(EditCommand::Shape(ShapeCommand::Set(settings)));
        harness.run();
        harness.run();
    };
    let below = |harness: &Harness<'_, App>| harness.get_by_label("Both sides").rect().top();
    set(&mut harness, &joints[..12]);
    let few = below(&harness);
    set(&mut harness, &joints);
    assert!((below(&harness) - few).abs() < 1.0, "the list has the height that it had");
    assert!(harness.query_by_label(&format!("Brought in by {count} joints alone:")).is_some());
    let name = |node: NodeId| model.skeleton.names[node.index()].clone();
    let last = name(*joints.last().unwrap());
    assert!(harness.query_by_label(&format!("Leave {last} out")).is_none(), "it is out of sight");
    click(&mut harness, "Search driving joints");
    harness.event(Event::Text(last.clone()));
    harness.run();
    harness.run();
    press(&mut harness, &format!("Leave {last} out"));
    let left = &harness.state().session.tools().shape_settings.joints;
    assert!(left.len() == count - 1 && !left.contains(joints.last().unwrap()));
}

#[test]
fn a_shape_is_made_in_the_background_and_given_up_in_the_panel() {
    let mut harness = bent();
    harness.state_mut().session.defer_work();
    press(&mut harness, "Shape of the drawn surface");
    assert!(names(&harness).is_empty() && harness.query_by_label("Shape of the drawn surface").is_none());
    press(&mut harness, "Cancel changing shapes");
    harness.state_mut().session.do_wanted();
    harness.run();
    assert!(names(&harness).is_empty());
    press(&mut harness, "Shape of the drawn surface");
    harness.state_mut().session.do_wanted();
    harness.run();
    assert_eq!(names(&harness), ["Shape"]);
}

#[test]
fn targets_of_one_name_in_a_mesh_have_rows_of_their_own() {
    let mut harness = bent();
    press(&mut harness, "Shape of the drawn surface");
    let mut parts = (**harness.state().session.model().unwrap()).clone();
    let mesh = &mut parts.meshes[0];
    mesh.morph_names.push("Shape".to_owned());
    for primitive in &mut mesh.primitives {
        let again = primitive.morphs[0].clone();
        primitive.morphs.push(again);
    }
    parts.retargeted.clear();
    parts.clips.clear();
    parts.source.kept_shapes = None;
    let mut before = 0;
    for instance in &mut parts.instances {
        instance.morph_weights = vec![0.0; parts.meshes[instance.mesh.index()].morph_names.len()];
        instance.morph_offset = before;
        before += instance.morph_weights.len();
    }
    parts.skeleton.rest.morph_weights = vec![0.0; before];
    let document = Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None);
    harness.state_mut().session.open(document);
    harness.run();
    harness.run();
    press(&mut harness, "Remove Shape (0,0)");
    assert_eq!(names(&harness), ["Shape"]);
    assert!(harness.query_by_label("Remove Shape").is_some());
}

#[test]
fn a_mesh_that_was_read_becomes_a_shape() {
    let points = Arc::new(vec![[0.0, 0.5, 1.0]]);
    let asked = AskedFile {
        usage: FileUse::LoadSculpt,
        path: "elbow.ply".into(),
        has_dialog: false,
        offered: Vec::new(),
        stage: AskedStage::Sculpt(Arc::clone(&points)),
    };
    let status = Status { asked_file: Some(asked), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("It has 1 vertex.");
    click(&mut harness, "Make shape");
    let wanted = EditCommand::Shape(ShapeCommand::OfMesh(ShapeSettings::default(), points));
    assert!(harness.state().commands.contains(&Command::Edit(wanted)));
}
