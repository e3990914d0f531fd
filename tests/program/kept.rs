//! What a file keeps in its extras: layers of weights and what drives shapes, side by side.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::path::Path;

use serde_json::Value;
use skinscope::edit::{LayersInFile, Sheet};
use skinscope::model::Model;
use skinscope::parallel::JobContext;
use skinscope::session::shaping::remove_shapes;
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use crate::common;
use crate::fix::reader::File;
use crate::sculpt::{folder, ok};

/// Saves a model of a file with these layers, and returns what the new file keeps.
fn kept(folder: &Path, out: &str, model: &Model, layers: LayersInFile) -> Value {
    let [from, out] = ["one.glb", out].map(|name| folder.join(name));
    let stamps = Stamps::of(&from);
    let mut sheet = Sheet::of(model);
    sheet.layers = layers;
    let prepared = prepare(Origin::File(&from, &stamps), &sheet, Recompression::None, Destination::To(&out));
    prepared.unwrap().write().unwrap();
    File::open(&out).root["extras"]["skinscope"].clone()
}

#[test]
fn layers_that_a_file_gains_stay_where_its_last_shape_goes_in_the_same_step() {
    let folder = folder("kept");
    ok(&folder, &["sculpt", "a.glb", "--from=Walk@0=dual-quaternion", "--name", "walk", "-o", "one.glb"]);
    let model = common::open(&folder, "one.glb");
    let none = remove_shapes(&model, &["walk".into()], &JobContext::of_waiting()).unwrap();
    let layers = || LayersInFile::Kept("{\"any\":1}".to_owned());
    let left = kept(&folder, "layers.glb", &none, layers());
    assert_eq!(left, serde_json::json!({ "layers": { "any": 1 } }));
    let gone = kept(&folder, "none.glb", &none, LayersInFile::AsTheyAre);
    assert!(gone.is_null(), "{gone}");
    let both = kept(&folder, "both.glb", &model, layers());
    assert!(both["layers"]["any"] == 1 && both["shapes"].is_object(), "{both}");
}
