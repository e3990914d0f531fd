//! Layers in the extras of a file, and files that were changed or that lie.

use skinscope_model::ModelParts;
use skinscope_model::test_shapes::{Tube, tube, with_vertices};

use super::*;

/// A model with a layer that gives some of its vertices to one joint.
fn painted() -> (Model, LayerStack) {
    let model = tube(Tube { joints: 4, ..Tube::default() });
    let mut layers = LayerStack::default();
    layers.add("Mine");
    let sheet = Sheet::of_file(&model);
    let table = &sheet.tables[0];
    for row in 40..60 {
        let painted = LayerRow::painted(vec![(table.keys[3], 1.0)], true);
        layers.set_row(TableRow { table: 0, row }, Some(painted), || LayerRow::of_table(table, row));
    }
    drop(sheet);
    (model, layers)
}

fn with_text(model: &Model, text: &str) -> Model {
    let mut parts = ModelParts::clone(model);
    parts.source.kept_layers = Some(text.into());
    Model::build(parts).unwrap()
}

#[test]
fn layers_are_read_to_the_bit_and_it_is_known_whether_the_file_has_what_they_make() {
    let (model, mut layers) = painted();
    assert!(kept_layers(&model).unwrap().is_none());
    let on = kept_text(&model, &layers).unwrap();
    let id = layers.active().unwrap();
    layers.set_on(id, false);
    let off = kept_text(&model, &layers).unwrap();
    let kept = kept_layers(&with_text(&model, &off)).unwrap().unwrap();
    assert!(kept.fits());
    assert_eq!(kept_text(&model, &kept.layers).unwrap(), off);
    let kept = kept_layers(&with_text(&model, &on)).unwrap().unwrap();
    assert_eq!((kept.changed, kept.moved), (20, false));
    assert_eq!(kept.difference(), "20 vertices have other weights");
}

#[test]
fn a_changed_file_keeps_its_weights_or_lies_below_the_layers() {
    let (model, layers) = painted();
    let model = with_text(&model, &kept_text(&model, &layers).unwrap());
    let kept = kept_layers(&model).unwrap().unwrap();
    let flat = |layers: &LayerStack| differing((&model, Sheet::of(&model)), layers).len();
    let changes = kept.chosen(KeptChoice::Changes, &model);
    assert_eq!((changes.layers().len(), flat(&changes)), (2, 0));
    let mut bottom = kept.chosen(KeptChoice::Bottom, &model);
    assert_eq!((bottom.layers().len(), flat(&bottom)), (1, 20));
    let id = bottom.layers()[0].id();
    bottom.set_on(id, false);
    assert_eq!(flat(&bottom), 0, "below are the weights that the file has");
    assert!(kept.chosen(KeptChoice::Drop, &model).is_empty());
}

#[test]
fn layers_name_joints_and_not_their_numbers_in_the_skin() {
    let (model, mut layers) = painted();
    let id = layers.active().unwrap();
    layers.set_on(id, false);
    let text = kept_text(&model, &layers).unwrap();
    // Another program writes the joints of the skin in another order.
    let mut parts = ModelParts::clone(&model);
    parts.skins[0].joints.swap(0, 1);
    parts.skins[0].inverse_bind.swap(0, 1);
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    influences.joints.iter_mut().filter(|joint| **joint < 2).for_each(|joint| *joint = 1 - *joint);
    let swapped = Model::build(parts).unwrap();
    let kept = kept_layers(&with_text(&swapped, &text)).unwrap().unwrap();
    assert!(kept.fits(), "{}", kept.difference());
    // Pairs that lie count no more than those of other joints.
    let lies = text.replace("\"pairs\":[[0,", "\"pairs\":[[3,");
    assert_ne!(lies, text);
    assert!(kept_layers(&with_text(&model, &lies)).unwrap().unwrap().fits());
}

#[test]
fn another_place_of_vertices_is_seen_and_another_order_or_number_is_refused() {
    let (model, mut layers) = painted();
    let id = layers.active().unwrap();
    layers.set_on(id, false);
    let text = kept_text(&model, &layers).unwrap();
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let reversed = with_vertices(&model, &(0..count).rev().collect::<Vec<u32>>());
    assert_eq!(kept_layers(&with_text(&reversed, &text)).unwrap_err(), KeptError::Order);
    let mut parts = ModelParts::clone(&model);
    parts.meshes[0].primitives[0].positions[7].x += 0.125;
    let moved = Model::build(parts).unwrap();
    let kept = kept_layers(&with_text(&moved, &text)).unwrap().unwrap();
    assert_eq!((kept.moved, kept.changed, kept.fits()), (true, 0, false));
    let fewer = tube(Tube { joints: 4, rings: 5, ..Tube::default() });
    assert_eq!(kept_layers(&with_text(&fewer, &text)).unwrap_err(), KeptError::Counts);
    let shorter = tube(Tube { joints: 3, ..Tube::default() });
    assert!(kept_layers(&with_text(&shorter, &text)).is_err(), "a joint is not there");
}

#[test]
fn what_is_no_layer_is_refused_with_a_reason() {
    let (model, layers) = painted();
    let text = kept_text(&model, &layers).unwrap();
    let nested = format!("{{\"schema\":1,\"tables\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    let mut wrong = vec![
        "7".to_owned(),
        "{}".to_owned(),
        nested,
        text.replace("\"opacity\":1.0", "\"opacity\":\"NaN\""),
        text.replace("\"opacity\":1.0", "\"opacity\":1e300"),
        text.replace("\"schema\":1", "\"schema\":2"),
        text.replace("\"schema\":1", "\"schema\":-1"),
        text.replacen("\"at\":[0,40]", "\"at\":[0,99999999999]", 1),
        text.replacen("\"at\":[0,40]", "\"at\":[99999999999,40]", 1),
        text.replace("\"id\":0", "\"id\":4294967295"),
        text.replace("\"vertices\":", "\"vertices\":18446744073709551615,\"other\":"),
    ];
    wrong.push(text[..text.len() / 2].to_owned());
    // Each of these begins with what the one before has made.
    let effects = vec![r#"{"effect":"limit","on":true,"values":[]}"#; 100_000].join(",");
    wrong.push(text.replacen("\"rows\":", &format!("\"effects\":[{effects}],\"rows\":"), 1));
    for (number, wrong) in wrong.iter().enumerate() {
        assert_ne!(*wrong, text, "{number}");
        let said = kept_layers(&with_text(&model, wrong)).err().map(|why| why.to_string());
        assert!(said.is_some_and(|said| said.contains("not taken")), "{number}");
    }
}
