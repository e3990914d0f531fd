//! The brush that erases a layer: it takes what the layer has painted, and says why where there is nothing to take.

use std::path::Path;

use skinscope_model::NodeId;
use skinscope_paint::parse;

use super::tests::{holding, now, set, stroke, touch};
use crate::{EditCommand, LayerCommand, PaintCommand, Session, ToolCommand};

fn layer(session: &mut Session, command: LayerCommand) {
    session.apply(PaintCommand::Layer(command));
}

fn take(session: &mut Session, brush: &str) {
    session.apply(PaintCommand::Hold(Some(brush.to_owned())));
}

#[test]
fn what_a_layer_has_is_erased_to_the_bits_below_or_half_way_there() {
    let mut session = holding("add");
    stroke(&mut session, 20, 5);
    let base = now(&session);
    layer(&mut session, LayerCommand::Add(String::new()));
    stroke(&mut session, 40, 8);
    let painted = now(&session);
    take(&mut session, "erase");
    set(&mut session, |settings| {
        (settings.strength, settings.falloff, settings.radius) = (0.5, "constant".to_owned(), 100.0);
    });
    touch(&mut session, 40);
    let half = now(&session);
    assert!(half != painted && half != base);
    session.apply(EditCommand::Undo);
    assert!(now(&session) == painted);
    set(&mut session, |settings| settings.strength = 1.0);
    touch(&mut session, 40);
    assert!(now(&session) == base);
    // There is nothing left in the layer.
    touch(&mut session, 40);
    assert_eq!(session.painting().note().unwrap().text, "The layer has nothing here");
    session.apply(EditCommand::Undo);
    assert!(now(&session) == painted);
}

#[test]
fn a_locked_joint_keeps_what_the_layer_gave_it() {
    let mut session = holding("add");
    layer(&mut session, LayerCommand::Add(String::new()));
    stroke(&mut session, 40, 8);
    let painted = now(&session);
    session.apply(ToolCommand::ToggleLock(NodeId(2)));
    take(&mut session, "erase");
    set(&mut session, |settings| (settings.strength, settings.radius) = (1.0, 100.0));
    touch(&mut session, 40);
    let of = |row: &[(u16, u32)]| row.iter().find(|pair| pair.0 == 1 && pair.1 != 0).map_or(0, |pair| pair.1);
    assert!(now(&session).iter().zip(&painted).all(|(now, before)| of(now) == of(before)));
}

#[test]
fn without_a_layer_the_note_says_so_and_what_helps() {
    let mut session = holding("erase");
    let base = now(&session);
    touch(&mut session, 40);
    let note = session.painting().note().unwrap().clone();
    assert_eq!(note.text, "There is no layer to erase: brushes paint the weights themselves");
    assert!(now(&session) == base && !session.history().can_undo());
    session.apply(note.ways[0].1.clone());
    assert_eq!(session.painting().layers().layers().len(), 1);
    layer(&mut session, LayerCommand::Select(None));
    touch(&mut session, 40);
    let note = session.painting().note().unwrap().clone();
    assert_eq!(
        (note.text.as_str(), note.ways[0].0.as_str()),
        ("The base is no layer: nothing lies below it", "Erase in Layer 1")
    );
    session.apply(note.ways[0].1.clone());
    assert!(session.painting().layers().active().is_some());
}

#[test]
fn a_file_of_strokes_cannot_name_it_and_the_reason_is_said() {
    let session = holding("erase");
    let text = r#"{"schema": 1, "strokes": [{"brush": "erase", "radius": 0.1, "dabs": [{"vertex": [0, 0, 1]}]}]}"#;
    let model = session.document().unwrap().stored();
    let why = parse(text.as_bytes(), Path::new("."), model).err().map(|why| why.to_string()).unwrap_or_default();
    assert!(why.contains("a file of strokes has no layers"), "{why}");
}
