//! Strokes that are recorded follow the steps of the history.

use std::sync::Arc;

use skinscope_model::{MeshId, Model, ModelParts};

use super::tests::{self, Rows, holding, stroke};
use crate::{Document, EditCommand, LayerCommand, PaintCommand, Session};

/// Saves the model of a session, and reads it again as a file has it.
fn save(session: &mut Session) {
    let model = Arc::clone(session.model().unwrap());
    let mut parts = ModelParts::clone(&model);
    let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    let influences = model.influences(MeshId(0), 0).unwrap();
    let width = stored.per_vertex;
    for vertex in 0..influences.vertices() {
        let (joints, weights) = influences.of(vertex);
        let row = vertex * width..(vertex + 1) * width;
        stored.weights[row.clone()].fill(0.0);
        stored.joints[row.clone()][..joints.len()].copy_from_slice(joints);
        stored.weights[row][..weights.len()].copy_from_slice(weights);
    }
    let read = Arc::new(Model::build(parts).unwrap());
    session.files_mut().note_model_saved("saved.glb".into(), model);
    session.open(Document::new(read, Vec::new(), Some("saved.glb".into())));
}

/// The weights that are not 0, of every vertex.
fn now(session: &Session) -> Rows {
    let row = |row: Vec<(u16, u32)>| row.into_iter().filter(|(_, bits)| *bits != 0).collect();
    tests::now(session).into_iter().map(row).collect()
}

fn count(session: &Session) -> usize {
    session.painting().recorded_count()
}

#[test]
fn strokes_that_are_undone_after_a_save_are_recorded_no_more_until_they_are_redone() {
    let mut session = holding("add");
    let mut states = vec![now(&session)];
    for from in [40, 60, 20] {
        stroke(&mut session, from, 6);
        states.push(now(&session));
    }
    session.apply(EditCommand::Undo);
    save(&mut session);
    assert!(count(&session) == 2 && now(&session) == states[2]);
    let go = |session: &mut Session, step: EditCommand, left: usize| {
        session.apply(step);
        assert!(count(session) == left && now(session) == states[left], "{left}");
        assert_eq!(session.painting().recorded().strokes.len(), left);
    };
    // The first one was undone before it was saved.
    go(&mut session, EditCommand::Redo, 3);
    for left in [2, 1, 0] {
        go(&mut session, EditCommand::Undo, left);
    }
    for left in [1, 2] {
        go(&mut session, EditCommand::Redo, left);
    }
    // What is painted in between, and saved again, follows too.
    session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
    stroke(&mut session, 30, 9);
    assert_eq!(count(&session), 3);
    save(&mut session);
    for left in [2, 1] {
        session.apply(EditCommand::Undo);
        assert!(count(&session) == left && now(&session) == states[left], "{left}");
    }
}

#[test]
fn strokes_that_were_forgotten_do_not_count_for_those_that_came_later() {
    let mut session = holding("add");
    stroke(&mut session, 40, 6);
    stroke(&mut session, 60, 6);
    session.apply(PaintCommand::Forget);
    stroke(&mut session, 20, 6);
    save(&mut session);
    for left in [1, 0, 0, 0] {
        assert_eq!(count(&session), left);
        session.apply(EditCommand::Undo);
    }
    for left in [0, 0, 1] {
        session.apply(EditCommand::Redo);
        assert_eq!(count(&session), left);
    }
}

#[test]
fn a_stroke_into_a_layer_leaves_the_record_with_its_step_after_a_save() {
    let mut session = holding("add");
    session.apply(PaintCommand::Layer(LayerCommand::Add("Skirt".to_owned())));
    stroke(&mut session, 40, 6);
    assert_eq!((count(&session), session.painting().recorded().strokes.len()), (1, 0));
    save(&mut session);
    let steps = [(EditCommand::Undo, 0), (EditCommand::Redo, 1)];
    for (step, left) in steps {
        session.apply(step);
        assert_eq!(count(&session), left);
    }
}
