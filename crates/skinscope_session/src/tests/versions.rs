//! Tests of what becomes of history, rules and the like when a newer version of the open file is shown.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_import::{Options, Progress};
use skinscope_model::shapes::{Tube, tube, with_vertices};
use skinscope_model::{BindChange, MeshId, ModelParts, NodeId, SkinId, WeightChange};

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
        weights::change_skinning(
            &mut session,
            &[],
            &[BindChange { skin: SkinId(0), joint: 2, matrix, restored: false }],
        );
        session.apply(EditCommand::Undo);
        session.open(document(version));
        session.apply(EditCommand::Redo);
        assert_eq!(session.unsaved().unsaved_binds(), wanted);
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
    assert_eq!(session.unsaved().kept().unwrap().file().pairs.len(), 2);
    assert_eq!(session.unsaved().kept().unwrap().ruled(), 2);
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
    let file = session.unsaved().kept().unwrap().file();
    let newer = with_limits(&[(1, 70.0), (2, 70.0), (3, 70.0), (4, 70.0)]);
    session.open(document(&newer));
    let all = |session: &Session| session.rules().limits.iter().map(|(n, l)| (n.0, l.most.x)).collect::<Vec<_>>();
    assert_eq!(all(&session), [(1, 70.0), (2, 25.0), (4, 70.0)]);
    assert_eq!(session.rules().own_limits(), 2);
    // A session of the older file never knew of the fourth joint.
    let text = file.text().unwrap();
    session.open_kept(document(&newer), &SessionFile::parse(text.as_bytes()).unwrap());
    assert_eq!(all(&session), [(1, 10.0), (2, 25.0), (4, 70.0)]);
    // An earlier version of the program did not say which limits were taken away.
    let older = SessionFile { unlimited: None, ..file };
    session.open_kept(document(&newer), &older);
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
    let given_up = session.unsaved().kept();
    assert!(!session.unsaved().loses_by(&other(), false, given_up.as_ref()));
    edit(&mut session, 4);
    assert!(session.unsaved().loses_by(&other(), false, given_up.as_ref()));
    assert!(!session.unsaved().loses_by(&document(&model), false, given_up.as_ref()), "a newer version keeps it");
    assert!(
        session.unsaved().loses_by(&document(&model), true, given_up.as_ref()),
        "a session of the same file does not"
    );
}
