//! Joints that are placed by hand: each change is a step, session files keep them, and bound they are nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_edit::{PlacedAxes, PlacedJoint};
use skinscope_frame::Frame;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, MeshId, Model, ModelParts, NodeId};

use crate::frame::SceneColors;
use crate::*;

fn document() -> Document {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some("model.glb".into()))
}

/// A tube without a skin from its front, with the tool in the hand.
fn open() -> Session {
    let mut session = Session::default();
    session.open(document());
    session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 600.0)));
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    session.apply(CameraCommand::FrameAll);
    session.apply(PlaceCommand::Use(true));
    session.update_pose();
    session
}

/// The pixel of a place of the scene.
fn pixel(session: &Session, place: [f32; 3]) -> Vec2 {
    session.view().project(Vec3::from(place)).unwrap()
}

fn names(session: &Session) -> Vec<String> {
    session.placing().joints().iter().map(|joint| joint.name.clone()).collect()
}

fn add(session: &mut Session, place: [f32; 3]) {
    let at = pixel(session, place);
    session.apply(PlaceCommand::Add(at));
}

#[test]
fn a_click_places_a_joint_in_the_middle_of_the_body_and_each_is_a_step() {
    let mut session = open();
    assert!(session.placing().is_on() && session.playback().source == PoseSource::Rest);
    add(&mut session, [0.01, 0.3, 0.0]);
    add(&mut session, [0.01, 1.2, 0.0]);
    let joints = Arc::clone(session.placing().joints());
    assert_eq!((joints.len(), joints[1].parent, session.placing().selected()), (2, Some(0), Some(1)));
    for (joint, up) in joints.iter().zip([0.3, 1.2]) {
        assert!(joint.position.distance(Vec3::new(0.0, up, 0.0)) < 0.03, "{}", joint.position);
    }
    // Beside the mesh there is nothing.
    add(&mut session, [3.0, 1.0, 0.0]);
    assert_eq!(session.placing().joints().len(), 2);
    session.apply(PlaceCommand::Rename(1, "Top".into()));
    session.apply(PlaceCommand::Delete(0));
    assert_eq!((names(&session), session.placing().joints()[0].parent), (vec!["Top".to_owned()], None));
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert!(*session.placing().joints() == joints);
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert!(session.placing().joints().is_empty() && !session.history().can_undo());
    (0..4).for_each(|_| _ = session.apply(EditCommand::Redo));
    assert_eq!(names(&session), ["Top"]);
    session.apply(SelectionCommand::Deselect);
    assert!(!session.placing().is_on(), "Escape puts the tool down");
}

#[test]
fn a_drag_that_is_given_up_leaves_joints_where_they_were_and_a_whole_one_is_a_step() {
    let mut session = open();
    session.apply(PlaceCommand::Humanoid);
    let before = Arc::clone(session.placing().joints());
    assert_eq!(before.len(), 19);
    let hand = before.iter().position(|joint| joint.name == "Hand.L").unwrap();
    let other = before.iter().position(|joint| joint.name == "Hand.R").unwrap();
    let drag = |session: &mut Session, end: EditCommand| {
        session.apply(EditCommand::BeginEdit);
        session.apply(PlaceCommand::Select(Some(hand)));
        for step in 1..=5 {
            session.apply(PlaceCommand::Move(hand, Vec3::new(0.1 * step as f32, 1.0, 0.1)));
        }
        session.apply(end);
    };
    drag(&mut session, EditCommand::CancelEdit);
    assert!(*session.placing().joints() == before);
    drag(&mut session, EditCommand::EndEdit);
    let joints = session.placing().joints();
    assert_eq!((joints[hand].position.x, joints[other].position.x), (0.5, -0.5));
    session.apply(EditCommand::Undo);
    assert!(*session.placing().joints() == before);
}

#[test]
fn joints_are_drawn_as_bones_and_kept_by_session_files() {
    let mut session = open();
    session.apply(PlaceCommand::Humanoid);
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let at = |name: &str| session.placing().joints().iter().find(|joint| joint.name == name).unwrap().position;
    let (upper, lower) = (at("UpperLeg.L"), at("LowerLeg.L"));
    assert!(frame.bones.iter().any(|bone| bone.head == upper && bone.tail == lower));
    let work = session.unsaved().unsaved_work();
    assert_eq!(work, UnsavedWork { placed: 19, ..UnsavedWork::default() });
    let file = session.unsaved().snapshot().unwrap().file();
    let read = SessionFile::parse(file.text().unwrap().as_bytes()).unwrap();
    assert!(read == file);
    let mut other = Session::default();
    let lines = other.open_with_session(document(), &read);
    assert_eq!(lines, Vec::<String>::new());
    assert!(other.placing().joints() == session.placing().joints());
    assert!(!other.unsaved().has_unsaved_work());
    // A model whose meshes have skins has no place for them.
    let mut skinned = Session::default();
    let whole =
        Document::new(Arc::new(tube(Tube { joints: 4, ..Tube::default() })), Vec::new(), Some("model.glb".into()));
    let lines = skinned.open_with_session(whole, &read);
    assert!(lines.iter().any(|line| line.contains("every mesh has a skin")), "{lines:?}");
    assert!(skinned.placing().joints().is_empty());
    // Joints that cannot be worked on are left out, and said.
    let broken = file.text().unwrap().replace("\"Spine\"", "\"Hips\"");
    let lines = other.open_with_session(document(), &SessionFile::parse(broken.as_bytes()).unwrap());
    assert!(lines.len() == 1 && other.placing().joints().is_empty());
}

#[test]
fn bound_joints_are_nodes_in_one_step_and_a_tree_that_is_none_is_refused() {
    for defers in [false, true] {
        let mut session = open();
        if defers {
            session.defer_work();
        }
        let count = session.model().unwrap().skeleton.len();
        session.apply(PlaceCommand::Bind);
        session.do_wanted();
        assert!(session.placing().refused().unwrap().contains("no joint"));
        add(&mut session, [0.01, 0.3, 0.0]);
        add(&mut session, [0.01, 1.2, 0.0]);
        session.apply(PlaceCommand::Select(None));
        add(&mut session, [0.01, 1.8, 0.0]);
        session.apply(PlaceCommand::Bind);
        session.do_wanted();
        assert!(session.placing().refused().unwrap().contains("above all others"));
        session.apply(PlaceCommand::Hang(2, Some(1)));
        let joints = Arc::clone(session.placing().joints());
        session.apply(PlaceCommand::Bind);
        assert_eq!(session.placing().is_binding(), defers);
        let work = session.wanted().into_iter().find(|work| matches!(work, Work::BindPlaced(..)));
        assert_eq!(work.map(|work| work.stage(0.5)), defers.then_some(Some("Finding weights")));
        session.do_wanted();
        assert_eq!(session.placing().refused(), None);
        let model = Arc::clone(session.model().unwrap());
        assert_eq!((model.skeleton.len(), model.skins.len()), (count + 3, 1));
        assert!(session.placing().joints().is_empty() && !session.placing().is_on());
        let worlds = model.skeleton.worlds(&model.skeleton.rest);
        for (world, joint) in worlds[count..].iter().zip(joints.iter()) {
            assert!(world.translation.as_vec3().distance(joint.position) < 1e-5, "{}", joint.name);
        }
        session.apply(EditCommand::Undo);
        assert_eq!(session.model().unwrap().skeleton.len(), count);
        assert!(*session.placing().joints() == joints);
        session.apply(EditCommand::Redo);
        assert_eq!(session.model().unwrap().skins.len(), 1);
        assert!(session.placing().joints().is_empty());
    }
}

#[test]
fn joints_are_placed_in_the_meshes_as_they_are_and_not_in_what_a_tool_tries() {
    let humanoid = |session: &mut Session| {
        session.apply(PlaceCommand::Humanoid);
        Arc::clone(session.placing().joints())
    };
    let wanted = humanoid(&mut open());
    let mut session = Session::default();
    session.open(document());
    session.apply(ToolCommand::Choose(Some("bind")));
    assert_eq!(session.model().unwrap().skins.len(), 1, "it is tried");
    let place = PlaceCommand::Use(true);
    assert_eq!(refusal(&place.clone().into(), &session), None);
    session.apply(place);
    assert!(session.placing().is_on() && session.tools().operation.is_none());
    assert!(humanoid(&mut session) == wanted, "by the bounds of the mesh");
    let mut frame = Frame::default();
    session.update_pose();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let bones = frame.bones.len();
    // Who tries a tool places no joints.
    session.apply(ToolCommand::Choose(Some("bind")));
    assert!(!session.placing().is_on() && *session.placing().joints() == wanted);
    session.update_pose();
    session.build_frame(&mut frame, &SceneColors::DARK);
    assert!(frame.bones.len() < bones, "where every mesh has a skin they are not drawn");
    // They can be bound all the same, also while it is tried.
    session.defer_work();
    session.apply(PlaceCommand::Bind);
    session.do_wanted();
    assert_eq!((session.placing().refused(), session.placing().joints().len()), (None, 0));
    assert_eq!(session.model().unwrap().skins[0].joints.len(), wanted.len());
    assert_eq!(session.take_examination(), Some(Examination::CheckAndMotion), "its weights are looked at");
}

#[test]
fn joints_that_are_taken_back_while_they_are_bound_are_not_bound() {
    let mut session = open();
    session.defer_work();
    session.apply(PlaceCommand::Humanoid);
    session.apply(PlaceCommand::Bind);
    let work = session.wanted().into_iter().find(|work| matches!(work, Work::BindPlaced(..))).unwrap();
    let run = session.begin(&work).unwrap();
    session.apply(EditCommand::Undo);
    assert!(!session.placing().is_binding() && session.placing().joints().is_empty());
    session.done(run(&JobContext::of_waiting()).unwrap());
    session.do_wanted();
    assert!(session.model().unwrap().skins.is_empty() && session.history().can_redo());
}

#[test]
fn a_newer_version_of_the_file_has_other_meshes_to_place_joints_in_or_none() {
    let mut session = open();
    session.apply(PlaceCommand::Humanoid);
    let head = |session: &Session| session.placing().joints()[4].position.y;
    let before = head(&session);
    let mut parts: ModelParts = (**session.model().unwrap()).clone();
    parts.meshes[0].primitives[0].positions.iter_mut().for_each(|at| *at *= 2.0);
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some("model.glb".into())));
    session.apply(PlaceCommand::Humanoid);
    assert!(session.placing().is_on() && (head(&session) - 2.0 * before).abs() < 1e-4);
    let skinned = tube(Tube { joints: 4, ..Tube::default() });
    session.open(Document::new(Arc::new(skinned), Vec::new(), Some("model.glb".into())));
    assert!(!session.placing().is_on());
}

#[test]
fn commands_are_replayed_as_they_were_recorded() {
    let joints = vec![PlacedJoint { name: "Hips".into(), position: Vec3::new(0.1, 1.0, -0.3), parent: None }];
    for command in [
        PlaceCommand::Use(true),
        PlaceCommand::Add(Vec2::new(10.5, 20.25)),
        PlaceCommand::Move(3, Vec3::new(0.1, 0.2, 0.3)),
        PlaceCommand::Rename(0, "Arm.L".into()),
        PlaceCommand::Hang(2, None),
        PlaceCommand::Replace(Arc::new(joints)),
        PlaceCommand::SetAxes(PlacedAxes::World),
        PlaceCommand::SetMeshes(BTreeSet::from([0, 3])),
        PlaceCommand::Bind,
    ] {
        let line = command_line(&command.clone().into());
        assert!(read_command(&line).ok() == Some(Command::Place(command)), "{line}");
    }
    // A model whose meshes have skins has no place for joints.
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    session.apply(PlaceCommand::Use(true));
    assert!(!session.placing().is_on());
}

/// Two tubes without a skin: one at the root, and one that a joint carries.
fn two_tubes() -> Document {
    let mut parts: ModelParts = (**document().stored()).clone();
    parts.meshes.push(parts.meshes[0].clone());
    parts.instances.push(Instance { node: NodeId(3), mesh: MeshId(1), ..parts.instances[0].clone() });
    Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some("model.glb".into()))
}

#[test]
fn meshes_that_are_not_chosen_stay_without_a_skin_until_they_are_bound_too() {
    for defers in [false, true] {
        let mut session = Session::default();
        session.open(two_tubes());
        if defers {
            session.defer_work();
        }
        let skinned = |session: &Session| -> Vec<bool> {
            session.model().unwrap().instances.iter().map(|instance| instance.skin.is_some()).collect()
        };
        session.apply(PlaceCommand::Use(true));
        // The file has no mesh 7.
        session.apply(PlaceCommand::SetMeshes(BTreeSet::from([1, 7])));
        let model = Arc::clone(session.model().unwrap());
        assert_eq!(session.placing().meshes(&model), BTreeSet::from([1]));
        session.apply(PlaceCommand::Humanoid);
        let low = |session: &Session| {
            session.placing().joints().iter().map(|joint| joint.position.y).fold(f32::INFINITY, f32::min)
        };
        let carried = low(&session);
        session.apply(PlaceCommand::Bind);
        session.do_wanted();
        assert_eq!((session.placing().refused(), skinned(&session)), (None, vec![false, true]));
        // The other one is left: it is bound next, and its joints stand in it.
        session.apply(PlaceCommand::Use(true));
        session.apply(PlaceCommand::Humanoid);
        assert!(low(&session) < carried - 0.5, "{} {carried}", low(&session));
        session.apply(PlaceCommand::Bind);
        session.do_wanted();
        assert_eq!((session.placing().refused(), skinned(&session)), (None, vec![true, true]));
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert_eq!(skinned(&session), [false, true]);
    }
}

#[test]
fn session_files_keep_how_placed_joints_are_bound() {
    let mut session = Session::default();
    session.open(two_tubes());
    session.apply(PlaceCommand::Use(true));
    session.apply(PlaceCommand::Humanoid);
    let before = session.unsaved().snapshot().unwrap();
    assert!(!before.file().text().unwrap().contains("\"placing\""), "what is usual is not written");
    session.apply(PlaceCommand::SetAxes(PlacedAxes::World));
    session.apply(PlaceCommand::SetMethod("voxel".into()));
    session.apply(PlaceCommand::SetMeshes(BTreeSet::from([1])));
    let after = session.unsaved().snapshot().unwrap();
    assert!(!before.has_same_work(&after));
    let read = SessionFile::parse(after.file().text().unwrap().as_bytes()).unwrap();
    assert!(read == after.file());
    let mut other = Session::default();
    assert_eq!(other.open_with_session(two_tubes(), &read), Vec::<String>::new());
    let how = |session: &Session| {
        let placing = session.placing();
        (placing.axes(), placing.method().to_owned(), placing.meshes(session.model().unwrap()))
    };
    assert_eq!(how(&other), (PlacedAxes::World, "voxel".to_owned(), BTreeSet::from([1])));
    assert!(!other.unsaved().has_unsaved_work());
    other.apply(PlaceCommand::SetAxes(PlacedAxes::Bone));
    assert!(other.unsaved().has_unsaved_work());
    // A method that is not known is the usual one.
    let strange = after.file().text().unwrap().replace("\"voxel\"", "\"strange\"");
    other.open_with_session(two_tubes(), &SessionFile::parse(strange.as_bytes()).unwrap());
    assert_eq!(how(&other).1, Session::default().placing().method());
}

#[test]
fn the_axes_of_bound_joints_are_as_chosen() {
    for axes in [PlacedAxes::Bone, PlacedAxes::World] {
        let mut session = open();
        let count = session.model().unwrap().skeleton.len();
        session.apply(PlaceCommand::SetAxes(axes));
        session.apply(PlaceCommand::Humanoid);
        session.apply(PlaceCommand::Bind);
        assert_eq!(session.placing().refused(), None);
        let model = session.model().unwrap();
        let mut made = model.skeleton.rest.transforms.iter().skip(count);
        let is_turned = made.any(|rest| rest.rotation != glam::Quat::IDENTITY);
        assert_eq!((is_turned, session.placing().axes()), (axes == PlacedAxes::Bone, axes));
    }
}

#[test]
fn what_tells_where_joints_stand_is_said_as_long_as_it_is_so() {
    let mut session = open();
    let told = |session: &Session| session.placing().told().unwrap_or_default();
    assert!(told(&session).contains("plane of symmetry of the mesh"), "{}", told(&session));
    assert!(!told(&session).contains("proportions"));
    session.apply(PlaceCommand::Humanoid);
    // Sections through a tube say nothing.
    assert!(told(&session).contains("usual proportions"), "{}", told(&session));
    session.apply(PlaceCommand::Move(0, Vec3::new(0.0, 1.1, 0.0)));
    assert!(!told(&session).contains("proportions"));
    session.apply(EditCommand::Undo);
    assert!(told(&session).contains("usual proportions"));
}
