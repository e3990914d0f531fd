//! Meshes that gain a skin while they are open: one step, and what names nodes and vertices follows.

use std::path::PathBuf;
use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_edit::LinkSettings;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{
    BindingChange, Influences, InstanceId, MeshId, Model, ModelParts, NewNode, NewSkin, NodeId, PrimitiveId,
    WeightChange,
};

use crate::*;

/// The tube without a skin, and the influences that it had.
fn bare() -> (Arc<Model>, Influences) {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    let influences = parts.meshes[0].primitives[0].stored_influences.take().unwrap();
    (Arc::new(Model::build(parts).unwrap()), influences)
}

/// Binds the tube to a chain of new joints.
fn binding(model: &Model, influences: &Influences) -> BindingChange {
    let first = model.skeleton.len();
    let node = |name: &str, parent| NewNode { name: name.into(), parent, ..NewNode::default() };
    BindingChange {
        nodes: vec![node("a", None), node("b", Some(0)), node("c", Some(1)), node("d", Some(2))],
        skins: vec![NewSkin {
            name: "new".into(),
            joints: (first..first + 4).map(NodeId::from_index).collect(),
            root: Some(NodeId::from_index(first)),
            worn: None,
        }],
        primitives: vec![(PrimitiveId::default(), influences.clone())],
        instances: vec![(InstanceId(0), 0)],
        ..BindingChange::default()
    }
}

fn document(model: &Arc<Model>) -> Document {
    Document::new(Arc::clone(model), Vec::new(), Some(PathBuf::from("model.glb")))
}

fn open(model: &Arc<Model>) -> Session {
    let mut session = Session::default();
    session.open(document(model));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session
}

/// Where the vertices of the tube are shown.
fn surface(session: &mut Session) -> Vec<Vec3> {
    session.update_pose();
    let surface = session.surfaces().surface().unwrap();
    let part = surface.part(InstanceId(0), 0).unwrap();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    (0..count).map(|vertex| part.position(vertex, 0).unwrap()).collect()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn nodes(session: &Session) -> usize {
    session.model().unwrap().skeleton.len()
}

fn turn(session: &mut Session, node: usize) {
    let turned = ChannelValue::Rotation(Vec3::new(0.0, 0.0, 40.0));
    session.apply(EditCommand::Edit(NodeId::from_index(node), turned));
    session.apply(EditCommand::EndEdit);
}

#[test]
fn a_mesh_gains_a_skin_in_one_step_and_looks_as_before() {
    let (model, influences) = bare();
    let count = model.skeleton.len();
    let mut session = open(&model);
    let before = surface(&mut session);
    let command = EditCommand::Bind(Arc::new(binding(&model, &influences)));
    let line = command_line(&command.clone().into());
    assert!(read_command(&line).ok() == Some(Command::Edit(command.clone())), "it is replayed as it was recorded");
    session.apply(command);
    assert_eq!((nodes(&session), session.model().unwrap().skins.len()), (count + 4, 1));
    assert!(farthest(&before, &surface(&mut session)) < 1e-5);
    let work = session.unsaved().unsaved_work();
    assert_eq!(work, UnsavedWork { bindings: 1, ..UnsavedWork::default() });
    assert!(work.fits_model() && work.without_model().is_empty() && session.unsaved().has_unsaved_skinning());
    // New joints pose the mesh, and its weights are edited as any others.
    session.apply(SelectionCommand::Select(Some(NodeId::from_index(count + 3))));
    session.apply(ViewCommand::ToggleHidden(NodeId::from_index(count + 1)));
    turn(&mut session, count + 3);
    let bent = surface(&mut session);
    assert!(farthest(&before, &bent) > 0.05);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[1, 2], &[0.5, 0.5]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    assert_eq!(session.unsaved().unsaved_vertices(), 1);
    (0..3).for_each(|_| _ = session.apply(EditCommand::Undo));
    assert_eq!((nodes(&session), session.model().unwrap().skins.len()), (count, 0));
    assert!(surface(&mut session) == before && session.view().selected.is_none() && session.view().hidden.is_empty());
    assert!(!session.history().can_undo() && !session.unsaved().has_unsaved_work());
    (0..3).for_each(|_| _ = session.apply(EditCommand::Redo));
    assert_eq!((nodes(&session), session.unsaved().unsaved_vertices()), (count + 4, 1));
    assert!(!session.history().can_redo());
}

#[test]
fn a_binding_that_does_not_fit_changes_nothing_and_a_drag_that_is_given_up_takes_it_back() {
    let (model, influences) = bare();
    let mut session = open(&model);
    let mut wrong = binding(&model, &influences);
    wrong.primitives.clear();
    session.apply(EditCommand::Bind(Arc::new(wrong)));
    assert!(!session.history().can_undo() && Arc::ptr_eq(session.model().unwrap(), &model));
    session.apply(EditCommand::BeginEdit);
    session.apply(EditCommand::Bind(Arc::new(binding(&model, &influences))));
    assert_eq!(nodes(&session), model.skeleton.len() + 4);
    session.apply(EditCommand::CancelEdit);
    assert_eq!(nodes(&session), model.skeleton.len());
    assert!(!session.history().can_undo() && !session.unsaved().has_unsaved_work());
}

#[test]
fn rules_of_new_joints_go_with_them_and_those_of_others_stay() {
    let (model, influences) = bare();
    let count = model.skeleton.len();
    let mut session = open(&model);
    let [old, new] = [NodeId(1), NodeId::from_index(count + 2)];
    session.apply(PosingCommand::SetPartner(NodeId(1), Some(NodeId(2))));
    session.apply(PosingCommand::TogglePin(old));
    session.apply(EditCommand::Bind(Arc::new(binding(&model, &influences))));
    session.apply(PosingCommand::TogglePin(new));
    session.apply(PosingCommand::ToggleSymmetric);
    turn(&mut session, count + 1);
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert!(session.rules.pins.contains(&old) && !session.rules.pins.contains(&new));
    assert!(session.rules.has_own_pairs());
    turn(&mut session, 2);
    assert!(session.edits().nodes.contains_key(&NodeId(2)));
}

/// Binds the tube where it is worn, poses a new joint and edits the weights of a vertex.
fn bound() -> Session {
    let (model, influences) = bare();
    let mut session = open(&model);
    let mut change = binding(&model, &influences);
    let rotation = Quat::from_rotation_y(0.5);
    change.skins[0].worn = Some(Transform { translation: Vec3::X, rotation, scale: Vec3::splat(0.7) });
    session.apply(EditCommand::Bind(Arc::new(change)));
    turn(&mut session, model.skeleton.len() + 2);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[1, 2], &[0.5, 0.5]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    session
}

/// Both have the same skins, to the bit, the same weights and the same pose.
fn are_same(a: &mut Session, b: &mut Session) -> bool {
    let same_surface = surface(a) == surface(b);
    let (a, b) = (a.model().unwrap(), b.model().unwrap());
    let skins = |model: &Model| -> Vec<_> {
        model.skins.iter().map(|skin| (skin.joints.clone(), skin.inverse_bind.clone())).collect()
    };
    let rows = |model: &Model| -> Vec<(Vec<u16>, Vec<f32>)> {
        let influences = model.influences(MeshId(0), 0).unwrap();
        (0..influences.vertices()).map(|v| influences.of(v)).map(|(j, w)| (j.to_vec(), w.to_vec())).collect()
    };
    same_surface && skins(a) == skins(b) && rows(a) == rows(b) && a.has_bindings_of(b)
}

#[test]
fn a_session_file_keeps_what_was_bound() {
    let mut session = bound();
    let file = session.unsaved().snapshot().unwrap().file();
    let file = SessionFile::parse(file.text().unwrap().as_bytes()).unwrap();
    assert_eq!((file.contents().bindings, file.contents().vertices, file.contents().posed), (1, 1, 1));
    let mut again = Session::default();
    let lines = again.open_with_session(document(&bare().0), &file);
    assert!(lines.is_empty(), "{lines:?}");
    assert!(are_same(&mut session, &mut again));
    assert!(!again.history().can_undo() && !again.unsaved().has_unsaved_work(), "the session file has it");
    assert_eq!(again.unsaved().unsaved_bindings(), 1);
    // What the file of the model has by now is not bound again.
    let saved = Model::build((***session.model().unwrap()).clone()).unwrap();
    let mut after = Session::default();
    let lines = after.open_with_session(document(&Arc::new(saved)), &file);
    assert!(lines.is_empty(), "{lines:?}");
    assert_eq!((after.unsaved().unsaved_bindings(), after.unsaved().unsaved_vertices()), (0, 1));
}

#[test]
fn a_newer_version_of_the_file_keeps_what_was_bound_until_it_is_saved() {
    let mut session = bound();
    let mut before = session.clone();
    session.open(document(&bare().0));
    assert!(are_same(&mut session, &mut before));
    assert_eq!((session.unsaved().unsaved_bindings(), session.unsaved().unsaved_vertices()), (1, 1));
    // Other vertices are not bound in their place: what was bound to them is set aside.
    let mut parts: ModelParts = (**bare().0).clone();
    parts.meshes[0].primitives[0].positions[5].x += 0.5;
    let mut other = before.clone();
    other.open(document(&Arc::new(Model::build(parts).unwrap())));
    assert_eq!((other.unsaved().unsaved_bindings(), other.model().unwrap().skins.len()), (0, 0));
    assert_eq!(other.files().set_aside().iter().map(|work| work.contents().bindings).sum::<usize>(), 1);
    other.open(document(&bare().0));
    assert_eq!((other.unsaved().unsaved_bindings(), other.files().set_aside().len()), (1, 0));
    // Saved and read again, the file has it.
    let saved = Arc::clone(session.model().unwrap());
    session.files_mut().note_model_saved(PathBuf::from("model.glb"), Arc::clone(&saved));
    let mut parts: ModelParts = (**saved).clone();
    let rows = saved.influences(MeshId(0), 0).unwrap();
    let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    for vertex in 0..rows.vertices() {
        let (joints, weights) = rows.of(vertex);
        stored.joints[vertex * 4..vertex * 4 + 4].copy_from_slice(joints);
        stored.weights[vertex * 4..vertex * 4 + 4].copy_from_slice(weights);
    }
    session.open(document(&Arc::new(Model::build(parts).unwrap())));
    let work = session.unsaved().unsaved_work();
    assert_eq!((work.bindings, work.vertices, work.set_aside), (0, 0, 0));
    while session.history().can_undo() {
        session.apply(EditCommand::Undo);
    }
    assert_eq!(session.model().unwrap().skins.len(), 1, "no step leads back over what was saved");
}

/// Two tubes, of which the first one has no skin, so that the vertices of the other one have other numbers among all with weights once it has.
fn two_tubes() -> ModelParts {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    let skinned = parts.meshes[0].clone();
    parts.meshes[0].primitives[0].stored_influences = None;
    parts.meshes.push(skinned);
    let shown = skinscope_model::Instance { mesh: MeshId(1), ..parts.instances[0].clone() };
    parts.instances[0].skin = None;
    parts.instances.push(shown);
    parts
}

#[test]
fn nothing_is_asked_about_layers_of_a_file_whose_vertices_have_other_numbers_since_a_mesh_gained_a_skin() {
    let (_, influences) = bare();
    let mut session = open(&Arc::new(Model::build(two_tubes()).unwrap()));
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(PaintCommand::Hold(Some("add".to_owned())));
    session.apply(PaintCommand::Layer(LayerCommand::Add("Elbow".to_owned())));
    session.apply(PaintCommand::Flood);
    let stored = session.document().unwrap().stored();
    let mut parts = ModelParts::clone(stored);
    parts.source.kept_layers = skinscope_paint::kept_text(stored, session.painting().layers()).map(Arc::from);
    let mut session = open(&Arc::new(Model::build(parts).unwrap()));
    let asks = |session: &Session| session.painting().asked_layers().is_some();
    assert!(asks(&session));
    let change = binding(session.model().unwrap(), &influences);
    session.apply(EditCommand::Bind(Arc::new(change)));
    assert!(!asks(&session) && session.painting().leaves_layers_in_file());
    session.apply(PaintCommand::Layer(LayerCommand::Kept(skinscope_paint::KeptChoice::Bottom)));
    assert!(session.painting().layers().is_empty());
    session.apply(EditCommand::Undo);
    assert!(asks(&session) && session.model().unwrap().skins.len() == 1);
    session.apply(EditCommand::Redo);
    assert!(!asks(&session) && session.model().unwrap().skins.len() == 2);
}

#[test]
fn layers_become_weights_where_a_mesh_gains_a_skin_and_come_back_with_the_step() {
    let (_, influences) = bare();
    let model = Arc::new(Model::build(two_tubes()).unwrap());
    let mut session = open(&model);
    session.apply(PaintCommand::Layer(LayerCommand::Add("Elbow".to_owned())));
    let layers = session.painting().layers().clone();
    assert!(!layers.is_empty());
    session.apply(EditCommand::Bind(Arc::new(binding(&model, &influences))));
    assert!(session.painting().layers().is_empty() && session.model().unwrap().skins.len() == 2);
    session.apply(EditCommand::Undo);
    assert!(session.painting().layers().is_same_as(&layers) && session.model().unwrap().skins.len() == 1);
    session.apply(EditCommand::Redo);
    assert!(session.painting().layers().is_empty() && session.model().unwrap().skins.len() == 2);
    // A brush that was taken in between knows the vertices with the skin alone.
    session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
    session.apply(EditCommand::Undo);
    assert!(session.painting().layers().is_same_as(&layers) && session.model().unwrap().skins.len() == 1);
    session.apply(PaintCommand::Hold(None));
    session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
    session.apply(EditCommand::Redo);
    assert!(session.painting().layers().is_empty() && session.model().unwrap().skins.len() == 2);
    // A layer that is added has another number than one that has become weights, by which its strokes are recorded.
    session.apply(PaintCommand::Layer(LayerCommand::Add("Cape".to_owned())));
    let added = session.painting().layers().active();
    assert!(added.is_some() && added != layers.active(), "{added:?} {:?}", layers.active());
}

#[test]
fn joints_of_a_mesh_that_was_just_bound_gain_links_and_a_session_file_keeps_both() {
    let (model, influences) = bare();
    let count = model.skeleton.len();
    let mut change = binding(&model, &influences);
    // The last joint hangs on the first one, so that links of the third stand before it.
    change.nodes[3].parent = Some(0);
    let mut session = open(&model);
    session.apply(EditCommand::Bind(Arc::new(change)));
    let settings = LinkSettings { angle: Some(150.0), ..LinkSettings::default() };
    session.apply(EditCommand::InsertLinks(NodeId::from_index(count + 2), settings));
    let made = session.tools().links.clone().unwrap();
    assert!(made.gained.is_ok(), "{:?}", made.gained.err());
    let names = |session: &Session| session.model().unwrap().skeleton.names[count..].to_vec();
    assert_eq!(names(&session), ["a", "b", "c", "c_link1", "c_link2", "d"]);
    assert_eq!(session.unsaved().unsaved_bindings(), 1);
    turn(&mut session, count + 2);
    let file = session.unsaved().snapshot().unwrap().file();
    let file = SessionFile::parse(file.text().unwrap().as_bytes()).unwrap();
    let mut again = Session::default();
    let lines = again.open_with_session(document(&bare().0), &file);
    assert!(lines.is_empty(), "{lines:?}");
    assert_eq!(names(&again), names(&session));
    assert!(farthest(&surface(&mut session), &surface(&mut again)) < 1e-6);
    let [one, other] = [&session, &again].map(|session| session.model().unwrap());
    assert!(one.has_bindings_of(other) && one.links == other.links);
    assert!(one.skins[0].joints == other.skins[0].joints && one.skins[0].inverse_bind == other.skins[0].inverse_bind);
    // Both are steps of the history.
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert_eq!(names(&session), ["a", "b", "c", "d"]);
    session.apply(EditCommand::Undo);
    assert_eq!(nodes(&session), count);
}
