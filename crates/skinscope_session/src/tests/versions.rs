//! Tests of what becomes of history, rules and the like when a newer version of the open file is shown.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_import::{Options, Progress};
use skinscope_model::test_shapes::{Tube, tube, with_vertices};
use skinscope_model::{BindChange, Instance, MeshId, ModelParts, NodeId, SkinId, WeightChange};

use crate::*;

fn document(model: &Model) -> Document {
    let model = Model::build(ModelParts::clone(model)).unwrap();
    Document::new(Arc::new(model), Vec::new(), Some("model.glb".into()))
}

/// Lets a vertex follow the last joint.
fn edit(session: &mut Session, vertex: u32) {
    let mut change = WeightChange::new(MeshId(0), 0, 1);
    change.push(vertex, &[5], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
}

fn edited(session: &Session) -> Vec<u32> {
    session.model().unwrap().weight_edits().vertices(MeshId(0), 0).collect()
}

#[test]
fn a_step_that_was_taken_back_comes_back_only_where_the_vertices_have_the_same_order() {
    let model = tube(Tube { joints: 6, ..Tube::default() });
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let reversed: Vec<u32> = (0..count).rev().collect();
    for (version, wanted) in [(document(&model), vec![3]), (document(&with_vertices(&model, &reversed)), vec![])] {
        let mut session = Session::default();
        session.open(document(&model));
        edit(&mut session, 3);
        session.apply(EditCommand::Undo);
        session.open(version);
        session.apply(EditCommand::Redo);
        assert_eq!(edited(&session), wanted);
    }
}

#[test]
fn nothing_is_taken_back_over_weights_that_another_program_has_written() {
    let model = tube(Tube { joints: 6, ..Tube::default() });
    let painted = |joint: u16| {
        let mut parts = ModelParts::clone(&model);
        let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        let first = 3 * stored.per_vertex;
        stored.joints[first] = joint;
        Model::build(parts).unwrap()
    };
    let mut session = Session::default();
    session.open(document(&model));
    edit(&mut session, 3);
    let saved = Arc::clone(session.model().unwrap());
    session.files_mut().note_model_saved("model.glb".into(), saved);
    session.open(document(&painted(5)));
    assert!(session.history().can_undo() && edited(&session).is_empty(), "this program has written it");
    session.open(document(&painted(4)));
    session.apply(EditCommand::Undo);
    assert!(edited(&session).is_empty(), "another program has written it");
}

#[test]
fn a_matrix_that_was_taken_back_comes_back_only_to_its_joint() {
    let model = tube(Tube { joints: 6, ..Tube::default() });
    let mut other = ModelParts::clone(&model);
    other.skins[0].joints.swap(2, 3);
    let other = Model::build(other).unwrap();
    for (version, wanted) in [(&model, 1), (&other, 0)] {
        let mut session = Session::default();
        session.open(document(&model));
        let matrix = Affine3A::from_translation(Vec3::X);
        let bind = BindChange { skin: SkinId(0), joint: 2, matrix, restored: false };
        session.skinning().change_skinning(&[], &[bind]);
        session.apply(EditCommand::Undo);
        session.open(document(version));
        session.apply(EditCommand::Redo);
        assert_eq!(session.unsaved().unsaved_binds(), wanted);
    }
}

/// The tube of six joints, shown with a second skin of the same joints, whose matrices are moved by so much.
fn with_second_skin(moved: f32) -> ModelParts {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 6, ..Tube::default() }));
    let mut second = parts.skins[0].clone();
    second.inverse_bind.iter_mut().for_each(|bind| bind.translation.x += moved);
    parts.skins.push(second);
    parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
    parts
}

fn edit_bind(session: &mut Session, skin: u32) {
    let matrix = Affine3A::from_translation(Vec3::X);
    session.skinning().change_skinning(&[], &[BindChange { skin: SkinId(skin), joint: 2, matrix, restored: false }]);
}

/// The edited matrices: skin, index of the joint, and what it moves along X.
fn edited_binds(session: &Session) -> Vec<(u32, usize, f32)> {
    let edits = session.model().unwrap().bind_edits();
    edits.all().map(|(skin, joint, matrix)| (skin.0, joint, matrix.translation.x)).collect()
}

#[test]
fn a_matrix_of_one_of_two_equal_skins_stays_there_whoever_writes_the_file() {
    let mut parts = with_second_skin(0.0);
    let mut session = Session::default();
    session.open(document(&Model::build(parts.clone()).unwrap()));
    edit_bind(&mut session, 0);
    // Another program changes that matrix, so that the old one is in the other skin alone.
    parts.skins[0].inverse_bind[2].translation.z += 1.0;
    session.open(document(&Model::build(parts.clone()).unwrap()));
    assert_eq!(edited_binds(&session), [(0, 2, 1.0)]);
    // This program writes the edited one.
    let saved = Arc::clone(session.model().unwrap());
    session.files_mut().note_model_saved("model.glb".into(), saved);
    parts.skins[0].inverse_bind[2] = Affine3A::from_translation(Vec3::X);
    session.open(document(&Model::build(parts).unwrap()));
    assert!(edited_binds(&session).is_empty());
}

#[test]
fn a_matrix_goes_to_the_skin_that_has_the_stored_one_whatever_the_number_of_that_is_by_now() {
    let mut parts = with_second_skin(2.0);
    let model = Model::build(parts.clone()).unwrap();
    // The file has the two skins in the other order now.
    parts.skins.swap(0, 1);
    parts.instances.iter_mut().for_each(|i| i.skin = i.skin.map(|skin| SkinId(1 - skin.0)));
    let other = Model::build(parts).unwrap();
    for (version, skin) in [(&model, 1), (&other, 0)] {
        let mut session = Session::default();
        session.open(document(&model));
        edit_bind(&mut session, 1);
        let file = session.unsaved().snapshot().unwrap().file();
        session.open(document(version));
        assert_eq!(edited_binds(&session), [(skin, 2, 1.0)], "a newer version of the file");
        session.open_with_session(document(version), &file);
        assert_eq!(edited_binds(&session), [(skin, 2, 1.0)], "a session");
    }
}

#[test]
fn own_pairs_are_kept_after_the_file_was_read_again() {
    let built_in = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap().model;
    let mut session = Session::default();
    session.open(document(&built_in));
    let arm = built_in.skeleton.names.iter().position(|name| name == "UpperArm.L").unwrap();
    session.apply(PosingCommand::SetPartner(NodeId::from_index(arm), None));
    session.open(document(&built_in));
    assert_eq!(session.unsaved().snapshot().unwrap().file().pairs.len(), 2);
    assert_eq!(session.unsaved().snapshot().unwrap().ruled(), 2);
}

fn limits(most: f32) -> Limits {
    Limits { least: Vec3::ZERO, most: Vec3::splat(most) }
}

fn with_limits(given: &[(u32, f32)]) -> Model {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 6, ..Tube::default() }));
    parts.limits = given.iter().map(|(node, most)| (NodeId(*node), limits(*most))).collect();
    Model::build(parts).unwrap()
}

#[test]
fn limits_follow_the_file_where_the_user_has_set_none() {
    let mut session = Session::default();
    session.open(document(&with_limits(&[(1, 10.0), (2, 10.0), (3, 10.0)])));
    session.apply(PosingCommand::SetLimits(NodeId(2), Some(limits(25.0))));
    session.apply(PosingCommand::SetLimits(NodeId(3), None));
    let file = session.unsaved().snapshot().unwrap().file();
    let newer = with_limits(&[(1, 70.0), (2, 70.0), (3, 70.0), (4, 70.0)]);
    session.open(document(&newer));
    let all = |session: &Session| session.rules().limits.iter().map(|(n, l)| (n.0, l.most.x)).collect::<Vec<_>>();
    assert_eq!(all(&session), [(1, 70.0), (2, 25.0), (4, 70.0)]);
    assert_eq!(session.rules().own_limits(), 2);
    // A session of the older file never knew of the fourth joint.
    let text = file.text().unwrap();
    session.open_with_session(document(&newer), &SessionFile::parse(text.as_bytes()).unwrap());
    assert_eq!(all(&session), [(1, 10.0), (2, 25.0), (4, 70.0)]);
    // An earlier version of the program did not say which limits were taken away.
    let older = SessionFile { unlimited: None, ..file };
    session.open_with_session(document(&newer), &older);
    assert_eq!(all(&session), [(1, 10.0), (2, 25.0)]);
}

#[test]
fn what_was_made_while_another_file_is_read_is_not_lost_without_a_question() {
    let model = tube(Tube { joints: 6, ..Tube::default() });
    let other = || Document::new(Arc::new(tube(Tube::default())), Vec::new(), Some("other.glb".into()));
    let mut session = Session::default();
    assert!(!session.unsaved().loses_by(&other(), false, None));
    session.open(document(&model));
    edit(&mut session, 3);
    // That much is given up.
    let given_up = session.unsaved().snapshot();
    assert!(!session.unsaved().loses_by(&other(), false, given_up.as_ref()));
    edit(&mut session, 4);
    assert!(session.unsaved().loses_by(&other(), false, given_up.as_ref()));
    assert!(!session.unsaved().loses_by(&document(&model), false, given_up.as_ref()), "a newer version keeps it");
    assert!(
        session.unsaved().loses_by(&document(&model), true, given_up.as_ref()),
        "a session of the same file does not"
    );
}

#[test]
fn locks_are_those_of_the_session_file_that_is_taken_up() {
    let model = tube(Tube { joints: 6, ..Tube::default() });
    let locked = |node: u32| {
        let mut session = Session::default();
        session.open(document(&model));
        session.apply(ToolCommand::ToggleLock(NodeId(node)));
        session
    };
    let file = locked(3).unsaved().snapshot().unwrap().file();
    let mut session = locked(2);
    session.restore(&file);
    assert_eq!(session.tools.locked.iter().copied().collect::<Vec<_>>(), [NodeId(3)]);
}

#[test]
fn a_matrix_of_a_skin_that_is_not_there_any_more_goes_to_the_only_one_with_its_joint() {
    let mut session = Session::default();
    session.open(document(&tube(Tube { joints: 6, ..Tube::default() })));
    edit_bind(&mut session, 0);
    let mut file = session.unsaved().snapshot().unwrap().file();
    (file.binds[0].skin, file.binds[0].stored) = (5, None);
    session.open_with_session(document(&tube(Tube { joints: 6, ..Tube::default() })), &file);
    assert_eq!(edited_binds(&session), [(0, 2, 1.0)]);
    // Of two it may be either.
    session.open_with_session(document(&Model::build(with_second_skin(2.0)).unwrap()), &file);
    assert_eq!((edited_binds(&session), session.files().set_aside()[0].contents().binds), (vec![], 1));
}

#[test]
fn what_is_set_aside_of_other_models_stays_when_a_session_is_opened_and_is_not_in_its_file() {
    let mut session = Session::default();
    let model = tube(Tube { joints: 6, ..Tube::default() });
    session.open(document(&model));
    edit(&mut session, 3);
    // The other model has no such vertex.
    let mut other = ModelParts::clone(&model);
    other.meshes[0].primitives[0].positions[3].x += 0.01;
    session.open(document(&Model::build(other).unwrap()));
    assert_eq!(session.files().set_aside().len(), 1);
    let mut another = Session::default();
    let built_in = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    another.open(built_in.clone());
    let file = another.unsaved().snapshot().unwrap().file();
    session.open_with_session(built_in, &file);
    assert_eq!(session.files().set_aside().len(), 1);
    assert_eq!(session.unsaved().unsaved_work().set_aside, 1);
}
