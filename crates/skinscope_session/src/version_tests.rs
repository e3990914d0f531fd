//! Tests of what becomes of history, rules and the like when a newer version of the open file is shown.

use std::sync::Arc;

use glam::Affine3A;

use super::*;
use skinscope_model::shapes::{Tube, tube, with_vertices};
use skinscope_model::{BindChange, MeshId, ModelParts, SkinId, WeightChange};

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
    session.saved("model.glb".into(), saved);
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
        let matrix = Affine3A::from_translation(glam::Vec3::X);
        session.change_skinning(&[], &[BindChange { skin: SkinId(0), place: 2, matrix, restored: false }]);
        session.apply(EditCommand::Undo);
        session.open(document(version));
        session.apply(EditCommand::Redo);
        assert_eq!(session.unsaved_binds(), wanted);
    }
}
