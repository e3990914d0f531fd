//! Layers in the extras of the model's file: taken as it is opened, asked about where their weights are others by now.

use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Model, ModelParts};
use skinscope_paint::{KeptChoice, kept_layers, kept_text};

use super::file_layers;
use super::tests::{holding, now, stroke};
use crate::{BesideCommand, Command, Document, EditCommand, LayerCommand, PaintCommand, Session, Work};

fn apply(session: &mut Session, command: LayerCommand) {
    session.apply(PaintCommand::Layer(command));
}

/// Opens the model of a session as if its file kept this text.
fn opened(session: &Session, text: &str) -> Session {
    let mut parts = ModelParts::clone(session.document().unwrap().stored());
    parts.source.kept_layers = Some(text.into());
    let mut out = Session::default();
    out.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    out
}

/// A session with a painted layer.
fn layered() -> Session {
    let mut session = holding("add");
    apply(&mut session, LayerCommand::Add("Skirt".to_owned()));
    stroke(&mut session, 40, 6);
    session
}

fn text_of(session: &Session) -> String {
    kept_text(session.document().unwrap().stored(), session.painting().layers()).unwrap()
}

#[test]
fn layers_that_make_the_weights_of_the_file_are_taken_and_are_no_unsaved_work() {
    let mut session = layered();
    let painted = now(&session);
    let id = session.painting().layers().active().unwrap();
    apply(&mut session, LayerCommand::SetOn(id, false));
    let base = now(&session);
    let mut again = opened(&session, &text_of(&session));
    assert!(again.painting().asked_layers().is_none() && !again.unsaved().has_unsaved_work());
    assert!(now(&again) == base && again.painting().layers().layers().len() == 1);
    assert!(!again.history().can_undo());
    apply(&mut again, LayerCommand::SetOn(id, true));
    assert!(now(&again) == painted && again.unsaved().unsaved_work().layers == 1);
    again.apply(EditCommand::Undo);
    assert!(now(&again) == base && !again.unsaved().has_unsaved_work());
}

#[test]
fn where_the_weights_are_others_by_now_it_is_asked_and_each_answer_is_a_step() {
    let session = layered();
    let painted = now(&session);
    let mut again = opened(&session, &text_of(&session));
    let base = now(&again);
    assert!(base != painted && again.painting().layers().is_empty() && again.painting().asked_layers().is_some());
    assert!(again.document().unwrap().warnings.iter().any(|line| line.contains("was changed since")));
    for (choice, wanted, count) in [(KeptChoice::Changes, &base, 2), (KeptChoice::Bottom, &painted, 1)] {
        apply(&mut again, LayerCommand::Kept(choice));
        assert!(now(&again) == *wanted && again.painting().layers().layers().len() == count);
        assert!(again.painting().asked_layers().is_none());
        again.apply(EditCommand::Undo);
        assert!(now(&again) == base && again.painting().asked_layers().is_some(), "it is asked again");
    }
    assert!(again.painting().leaves_layers_in_file());
    for _ in 0..2 {
        apply(&mut again, LayerCommand::Kept(KeptChoice::Drop));
        assert!(now(&again) == base && again.painting().asked_layers().is_none());
        assert!(!again.painting().leaves_layers_in_file());
        again.apply(EditCommand::Undo);
        assert!(again.painting().asked_layers().is_some(), "it is asked again");
    }
    again.apply(EditCommand::BeginEdit);
    apply(&mut again, LayerCommand::Kept(KeptChoice::Drop));
    again.apply(EditCommand::CancelEdit);
    assert!(again.painting().asked_layers().is_some(), "it was given up");
    apply(&mut again, LayerCommand::Kept(KeptChoice::Drop));
    again.apply(EditCommand::Undo);
    again.apply(EditCommand::Redo);
    assert!(again.painting().asked_layers().is_none() && !again.painting().leaves_layers_in_file());
}

#[test]
fn layers_of_a_session_are_known_to_be_in_the_file_as_long_as_they_are_the_same() {
    let mut session = layered();
    let mut parts = ModelParts::clone(session.document().unwrap().stored());
    parts.source.kept_layers = Some(text_of(&session).into());
    let model = Model::build(parts).unwrap();
    let found = kept_layers(&model);
    let is_known = |session: &mut Session| {
        _ = file_layers::read(&mut session.painting, &model, Some(&found));
        session.painting().layers_in_file().is_same_as(session.painting().layers())
    };
    assert!(is_known(&mut session));
    stroke(&mut session, 60, 3);
    assert!(!is_known(&mut session));
}

#[test]
fn layers_that_cannot_be_read_are_not_taken_and_a_line_says_why() {
    let session = layered();
    let text = text_of(&session).replace("\"schema\":1", "\"schema\":9");
    let again = opened(&session, &text);
    assert!(again.painting().layers().is_empty() && again.painting().asked_layers().is_none());
    assert!(again.painting().leaves_layers_in_file(), "a newer program can read them");
    assert!(again.document().unwrap().warnings.iter().any(|line| line.contains("have the schema 9")));
}

#[test]
fn a_layer_is_copied_to_the_model_beside_where_it_is_one_step() {
    let mut session = layered();
    let id = session.painting().layers().active().unwrap();
    apply(&mut session, LayerCommand::CopyToOther(id));
    assert!(session.painting().layer_copied().is_none(), "there is no other model");
    let finer = tube(Tube { joints: 6, rings: 17, ..Tube::default() });
    session.open_beside(Document::new(Arc::new(finer), Vec::new(), None));
    let (own, before) = (now(&session), now(session.beside().unwrap().other()));
    apply(&mut session, LayerCommand::CopyToOther(id));
    assert!(session.painting().layer_copied().unwrap().starts_with("Skirt: copied to "));
    assert!(now(&session) == own);
    let other = session.beside().unwrap().other();
    assert!(now(other) != before);
    assert_eq!(other.painting().layers().layers().last().unwrap().name(), "Skirt");
    session.apply(BesideCommand::Activate);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == before && session.painting().layers().is_empty());
    assert!(!session.history().can_undo(), "it was one step");
}

#[test]
fn a_layer_of_the_model_beside_is_copied_to_the_one_that_one_works_on() {
    let session = layered();
    let id = session.painting().layers().active().unwrap();
    let finer = tube(Tube { joints: 6, rings: 17, ..Tube::default() });
    let mut own = Session::default();
    own.open(Document::new(Arc::new(finer), Vec::new(), None));
    apply(&mut own, LayerCommand::CopyFromOther(id));
    assert!(own.painting().layer_copied().is_none(), "there is no other model");
    own.put_beside(session, crate::Arrangement::default());
    let (before, there) = (now(&own), now(own.beside().unwrap().other()));
    apply(&mut own, LayerCommand::CopyFromOther(id));
    assert!(own.painting().layer_copied().unwrap().starts_with("Skirt: copied to "));
    assert!(now(&own) != before && now(own.beside().unwrap().other()) == there);
    let copied = own.painting().layers().active();
    assert_eq!(copied.and_then(|id| own.painting().layers().layer(id)).unwrap().name(), "Skirt");
    own.apply(EditCommand::Undo);
    assert!(now(&own) == before && own.painting().layers().is_empty() && !own.history().can_undo());
}

#[test]
fn a_copy_in_the_background_is_one_step_at_its_end_and_none_where_it_was_cancelled() {
    let copies =
        |session: &mut Session| session.wanted().into_iter().find(|work| matches!(work, Work::CopyLayer { .. }));
    let mut session = layered();
    let id = session.painting().layers().active().unwrap();
    let finer = tube(Tube { joints: 6, rings: 17, ..Tube::default() });
    session.open_beside(Document::new(Arc::new(finer), Vec::new(), None));
    session.defer_work();
    let before = now(session.beside().unwrap().other());
    apply(&mut session, LayerCommand::CopyToOther(id));
    let work = copies(&mut session).unwrap();
    assert!(
        work.notice().is_some_and(|(_, cancel)| cancel == Command::from(PaintCommand::Layer(LayerCommand::CancelCopy)))
    );
    let run = session.begin(&work).unwrap();
    apply(&mut session, LayerCommand::CancelCopy);
    assert!(copies(&mut session).is_none());
    session.done(run(&JobContext::of_waiting()).unwrap());
    assert!(now(session.beside().unwrap().other()) == before && session.painting().layer_copied().is_none());
    // What was begun before the layer became another one is made anew.
    apply(&mut session, LayerCommand::CopyToOther(id));
    let work = copies(&mut session).unwrap();
    let run = session.begin(&work).unwrap();
    apply(&mut session, LayerCommand::Rename(id, "Cape".to_owned()));
    session.done(run(&JobContext::of_waiting()).unwrap());
    assert!(now(session.beside().unwrap().other()) == before);
    session.do_wanted();
    assert!(session.painting().layer_copied().unwrap().starts_with("Cape: copied to "));
    let other = session.beside().unwrap().other();
    assert!(now(other) != before && copies(&mut session.clone()).is_none());
    session.apply(BesideCommand::Activate);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == before && !session.history().can_undo(), "it was one step");
}

#[test]
fn copies_are_made_one_after_the_other_and_never_for_another_model_than_they_were_asked_for() {
    let beside = |session: &mut Session| {
        let finer = tube(Tube { joints: 6, rings: 17, ..Tube::default() });
        session.open_beside(Document::new(Arc::new(finer), Vec::new(), None));
    };
    let layers = |session: &Session| session.painting().layers().layers().len();
    let mut session = layered();
    let first = session.painting().layers().active().unwrap();
    apply(&mut session, LayerCommand::Add("Cape".to_owned()));
    stroke(&mut session, 60, 3);
    let second = session.painting().layers().active().unwrap();
    beside(&mut session);
    session.defer_work();
    // One that is asked for while another is made does not take its place.
    apply(&mut session, LayerCommand::CopyToOther(first));
    apply(&mut session, LayerCommand::CopyToOther(second));
    session.do_wanted();
    assert_eq!(layers(session.beside().unwrap().other()), 2);
    // Who turns to the other model gets what was asked for before.
    beside(&mut session);
    apply(&mut session, LayerCommand::CopyToOther(first));
    session.apply(BesideCommand::Activate);
    session.do_wanted();
    assert_eq!(layers(&session), 1);
    session.apply(BesideCommand::Activate);
    // The model that stands there in place of another one is not changed.
    apply(&mut session, LayerCommand::CopyToOther(first));
    beside(&mut session);
    session.do_wanted();
    assert_eq!(layers(session.beside().unwrap().other()), 0);
    apply(&mut session, LayerCommand::CopyToOther(first));
    session.apply(BesideCommand::Close);
    beside(&mut session);
    session.do_wanted();
    assert_eq!(layers(session.beside().unwrap().other()), 0);
}
