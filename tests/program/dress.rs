//! `skinscope bind --from`: a garment gains the joints of its body in the file, moves as the body does, and what cannot be is refused.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use skinscope::edit::Sheet;
use skinscope::import::{Options, Progress, import_file};
use skinscope::model::Model;

use crate::common;
use crate::fix::run::captured;
use crate::fix::{contents, said};

/// Takes skin, weights, joints and clips from a document: what is left is a mesh at a node.
fn bare(document: &mut Value) {
    let root = document.as_object_mut().unwrap();
    root.remove("skins");
    root.remove("animations");
    root["scenes"] = json!([{ "nodes": [0] }]);
    root["nodes"] = json!([{ "name": "Suit", "mesh": 0 }]);
    for primitive in root["meshes"][0]["primitives"].as_array_mut().unwrap() {
        let attributes = primitive["attributes"].as_object_mut().unwrap();
        attributes.remove("JOINTS_0");
        attributes.remove("WEIGHTS_0");
    }
}

/// An empty folder with a body, and a suit of the same shape without a skin.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dress").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("body.glb"), common::figure(|_| {})).unwrap();
    fs::write(folder.join("suit.glb"), common::figure(bare)).unwrap();
    folder.canonicalize().unwrap()
}

fn open(path: &Path) -> Arc<Model> {
    import_file(path, &Options::default(), &Progress::silent()).unwrap().model
}

/// The weights of a vertex by the names of joints, by name.
fn named(model: &Model, vertex: usize) -> Vec<(String, f64)> {
    let sheet = Sheet::of(model);
    let mut shares = Vec::new();
    sheet.tables[0].shares(vertex, &mut shares);
    let mut out: Vec<_> =
        shares.iter().map(|(node, share)| (model.skeleton.names[*node as usize].clone(), *share)).collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

#[test]
fn a_suit_is_written_with_the_joints_and_weights_of_the_body_and_read_again() {
    let folder = folder("suit");
    let out = captured(&folder, &["bind", "suit.glb", "--from", "body.glb", "-o", "worn.glb", "--json"]);
    assert!(out.status.success(), "{}", said(&out));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let skin = &told["skins"][0];
    assert_eq!((&told["method"], &skin["unmatched"], &skin["joints"]), (&json!("from"), &json!(0), &json!(39)));
    assert!(skin["distance_mm"]["largest"].as_f64().unwrap() < 0.1, "{skin}");
    assert!(skin["deepest"]["percent"].as_f64().unwrap() < 2.0, "{skin}");
    assert_eq!(skin["aligned"]["by"], "none");
    let [body, worn] = ["body.glb", "worn.glb"].map(|name| open(&folder.join(name)));
    assert_eq!(worn.skins[0].joints.len(), body.skins[0].joints.len());
    for (ours, theirs) in worn.skins[0].joints.iter().zip(&body.skins[0].joints) {
        let name = &body.skeleton.names[theirs.index()];
        assert_eq!(&worn.skeleton.names[ours.index()], name);
        let rest = |model: &Model, node: usize| model.skeleton.rest.transforms[node];
        let (own, other) = (rest(&worn, ours.index()), rest(&body, theirs.index()));
        assert!(own.translation.abs_diff_eq(other.translation, 1e-6), "{name}");
        assert!(own.rotation.abs_diff_eq(other.rotation, 1e-6), "{name}");
    }
    for vertex in (0..body.meshes[0].primitives[0].stored_vertices).step_by(37) {
        let [own, theirs] = [named(&worn, vertex), named(&body, vertex)];
        let same = |(a, b): (&(String, f64), &(String, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 0.01;
        assert!(own.len() == theirs.len() && own.iter().zip(&theirs).all(same), "vertex {vertex}");
    }
}

#[test]
fn each_skin_that_a_garment_gains_has_its_entry() {
    let folder = folder("skins");
    let two = common::figure(|document| {
        bare(document);
        let root = document.as_object_mut().unwrap();
        let mesh = root["meshes"][0].clone();
        root["meshes"].as_array_mut().unwrap().push(mesh);
        // At another place, so that it needs a skin of its own.
        let other = json!({ "name": "Coat", "mesh": 1, "translation": [0.0, 0.001, 0.0] });
        root["nodes"].as_array_mut().unwrap().push(other);
        root["scenes"][0]["nodes"] = json!([0, 1]);
    });
    fs::write(folder.join("suit.glb"), two).unwrap();
    let out = captured(&folder, &["bind", "suit.glb", "--from", "body.glb", "-o", "worn.glb", "--json"]);
    assert!(out.status.success(), "{}", said(&out));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let skins = told["skins"].as_array().unwrap();
    let of = |key: &str| skins.iter().map(|skin| skin[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("skin"), [json!(0), json!(1)]);
    assert!(of("vertices")[0] == of("vertices")[1] && of("joints") == [json!(39), json!(39)]);
    let out = captured(&folder, &["bind", "suit.glb", "--from", "body.glb", "-o", "worn.glb"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(["skin 0, from", "skin 1, from"].iter().all(|words| text.contains(words)), "{text}");
}

#[test]
fn fewer_joints_are_written_where_nobody_needs_them_and_text_says_what_was_done() {
    let folder = folder("fewer");
    let arguments = ["bind", "suit.glb", "--from", "body.glb", "-o", "worn.glb", "--drop-unused"];
    let out = captured(&folder, &arguments);
    assert!(out.status.success(), "{}", said(&out));
    let text = String::from_utf8(out.stdout).unwrap();
    for words in ["from the body", "distance to the body", " turns of joints ", "wrote "] {
        assert!(text.contains(words), "it does not say \"{words}\": {text}");
    }
    let worn = open(&folder.join("worn.glb"));
    let sheet = Sheet::of(&worn);
    let is_used = |joint: u32| {
        (0..sheet.tables[0].vertices()).any(|row| {
            let mut shares = Vec::new();
            sheet.tables[0].shares(row, &mut shares);
            shares.iter().any(|(key, share)| *key == joint && *share > 0.0)
        })
    };
    assert!(worn.skins[0].joints.iter().all(|joint| is_used(joint.0)), "a joint moves nothing");
    // A skin that is there keeps its joints.
    let again = captured(&folder, &["bind", "worn.glb", "--from", "body.glb", "-o", "twice.glb", "--json"]);
    assert!(again.status.success(), "{}", said(&again));
    assert_eq!(open(&folder.join("twice.glb")).skeleton.names, worn.skeleton.names);
}

#[test]
fn a_suit_that_stands_elsewhere_is_aligned_and_shown_where_it_is_worn() {
    let folder = folder("aligned");
    let afar = |document: &mut Value| {
        bare(document);
        document["nodes"][0]["translation"] = json!([5, 0, 0]);
    };
    fs::write(folder.join("afar.glb"), common::figure(afar)).unwrap();
    let arguments = ["bind", "afar.glb", "--from", "body.glb", "--align", "bounds", "-o", "worn.glb", "--json"];
    let out = captured(&folder, &arguments);
    assert!(out.status.success(), "{}", said(&out));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let skin = &told["skins"][0];
    assert_eq!(
        (&skin["aligned"]["by"], &skin["left_out"], &skin["layered"]),
        (&json!("bounds"), &json!([]), &json!(0))
    );
    assert!((skin["aligned"]["moved_m"].as_f64().unwrap() - 5.0).abs() < 0.01, "{skin}");
    let worn = open(&folder.join("worn.glb"));
    let worlds = worn.skeleton.worlds(&worn.skeleton.rest);
    for (joint, bind) in worn.skins[0].joints.iter().zip(&worn.skins[0].inverse_bind) {
        let shown = (worlds[joint.index()] * bind.as_daffine3()).translation;
        assert!(shown.length() < 0.01, "{}: {shown}", worn.skeleton.names[joint.index()]);
    }
}

#[test]
fn what_was_dressed_is_checked_where_that_is_asked_for() {
    let folder = folder("checked");
    let arguments = ["bind", "suit.glb", "--from", "body.glb", "-o", "worn.glb", "--check"];
    let out = captured(&folder, &[&arguments[..], &["--json"]].concat());
    assert!(out.status.success(), "{}", said(&out));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let shares = told["check"]["shares"].as_array().unwrap();
    let unweighted = shares.iter().find(|share| share["share"] == "unweighted").unwrap();
    assert_eq!(unweighted["percent"], 0.0);
    let out = captured(&folder, &arguments);
    assert!(out.status.success(), "{}", said(&out));
    assert!(String::from_utf8(out.stdout).unwrap().contains("\ncheck: "), "the text says nothing of it");
}

#[test]
fn what_cannot_be_dressed_is_refused_and_nothing_is_written() {
    let folder = folder("refused");
    let afar = |document: &mut Value| {
        bare(document);
        document["nodes"][0]["translation"] = json!([5, 0, 0]);
    };
    fs::write(folder.join("afar.glb"), common::figure(afar)).unwrap();
    let before = contents(&folder);
    let cases: [(&[&str], &str); 8] = [
        (&["suit.glb", "--from", "suit.glb"], "no triangles that a skin moves"),
        (&["afar.glb", "--from", "body.glb"], "of the body, the nearest is"),
        (&["suit.glb", "--from", "body.glb", "--align", "humanoid"], "have a counterpart in the garment"),
        (&["body.glb", "--from", "body.glb", "--drop-unused"], "its joints stay"),
        (&["suit.glb", "--from", "body.glb", "--distance", "0"], "above 0"),
        (&["suit.glb", "--from", "body.glb", "--map", "Hips=Nobody"], "Nobody"),
        (&["suit.glb", "--from", "body.glb", "--method", "heat"], "cannot be used with"),
        (&["suit.glb", "--map", "Hips=Nobody"], "--from"),
    ];
    for (arguments, words) in cases {
        let out = captured(&folder, &[&["bind"][..], arguments, &["-o", "out.glb"]].concat());
        assert_eq!(out.status.code(), Some(2), "{words}: {}", said(&out));
        assert!(said(&out).contains(words), "it does not say \"{words}\": {}", said(&out));
        assert!(out.stdout.is_empty() && contents(&folder) == before, "{words}: something was written");
    }
}
