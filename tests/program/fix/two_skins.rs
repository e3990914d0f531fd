//! Meshes that several nodes show with other joints: an edit means the joints of one of them, and the others show what they showed.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use skinscope::edit::{Amount, Operation, Settings, Sheet, apply, check, operation};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::inspect::compare::compare;
use skinscope::model::{MeshId, Model, NodeId, SkinId};
use skinscope::writeback::{Changes, Recompression, patch};

use crate::fix::made::{Doc, F32, LAYOUTS, Layout, Pairs, U8, VERTICES, pairs};
use crate::fix::reader::{File, differences};

fn open(bytes: &[u8]) -> Arc<Model> {
    import_bytes(bytes, "a", &Options::default(), &Progress::silent()).unwrap().model
}

fn node(model: &Model, name: &str) -> NodeId {
    NodeId::from_index(model.skeleton.names.iter().position(|known| known == name).unwrap())
}

/// The settings of operations on a joint.
fn on(model: &Model, joint: &str, other: &str) -> Settings {
    let [joint, other] = [joint, other].map(|name| Some(node(model, name)));
    Settings { joint, other, amount: Amount::To(0.4), ..Settings::default() }
}

/// A file after an operation, and what has changed.
fn fixed(bytes: &[u8], id: &str, settings: &dyn Fn(&Model) -> Settings) -> (Vec<u8>, Changes) {
    let model = open(bytes);
    let mut sheet = Sheet::of(&model);
    let operation: &Operation = operation(id).unwrap();
    let settings = settings(&model);
    assert_eq!(check(operation, &sheet, &settings), Ok(()), "{id}");
    let applied = apply(operation, &mut sheet, &settings);
    let patched = patch(bytes, &sheet, Recompression::None, &mut |_| None).unwrap();
    assert_eq!(patched.changes.vertices, applied.vertices, "{id}");
    (patched.main.unwrap_or_else(|| bytes.to_vec()), patched.changes)
}

/// The weights of a vertex of what a node shows, by the names of its joints.
fn shown(model: &Model, by: &str, primitive: usize) -> Vec<Vec<(String, f32)>> {
    let node = node(model, by);
    let instance = model.instances.iter().find(|instance| instance.node == node).unwrap();
    let skin = &model.skins[instance.skin.unwrap().index()];
    let influences = model.influences(instance.mesh, primitive).unwrap();
    let row = |vertex: usize| {
        let (joints, weights) = influences.of(vertex);
        let used = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let name = |joint: &u16| model.skeleton.names[skin.joints[usize::from(*joint)].index()].clone();
        let mut row: Vec<(String, f32)> = used.map(|(joint, weight)| (name(joint), *weight)).collect();
        row.sort_by(|a, b| a.0.cmp(&b.0));
        row
    };
    (0..VERTICES).map(row).collect()
}

fn moves(rows: &[Vec<(String, f32)>], joint: &str) -> bool {
    rows.iter().flatten().any(|(name, _)| name == joint)
}

fn two_skins(layout: Layout, component: u32) -> Doc {
    let mut doc = Doc::new(&pairs(component, 1, false, 21), layout);
    doc.root["nodes"][0]["name"] = json!("show");
    doc.add_skin(0, "b.");
    doc
}

#[test]
fn an_edit_of_a_joint_of_either_skin_leaves_what_the_other_shows_as_it_was() {
    for layout in LAYOUTS {
        for component in [U8, F32] {
            for (own, other, prefix) in [("show", "b.show", ""), ("b.show", "show", "b.")] {
                for id in ["remove-joint", "replace-joint", "set"] {
                    let doc = two_skins(layout, component);
                    let bytes = doc.glb();
                    let joint = format!("{prefix}arm.L");
                    let to = format!("{prefix}tail");
                    let (written, changes) = fixed(&bytes, id, &|model| on(model, &joint, &to));
                    let what = format!("{layout:?} {component} {own} {id}");
                    let [before, after] = [&bytes, &written].map(|bytes| open(bytes));
                    assert!(changes.vertices > 0, "{what}");
                    assert_eq!(shown(&before, other, 0), shown(&after, other, 0), "{what}");
                    assert_ne!(shown(&before, own, 0), shown(&after, own, 0), "{what}");
                    assert_eq!(moves(&shown(&after, own, 0), &joint), id == "set", "{what}");
                    only_parted(&what, &bytes, &written);
                    // Nothing is parted any more in the result, and what is read is what was to be written.
                    assert_eq!((before.meshes.len(), after.meshes.len(), after.parted.len()), (2, 2, 0), "{what}");
                    let found = compare(&before, &after);
                    let part: Vec<usize> = found.weights.iter().map(|part| part.vertices).collect();
                    let primitives = before.meshes[0].primitives.len();
                    assert_eq!(
                        part.len(),
                        if matches!(layout, Layout::Shared | Layout::Twice) { 2 } else { 1 },
                        "{what}"
                    );
                    assert!(part.iter().all(|count| count * primitives >= changes.vertices), "{what}: {part:?}");
                    assert!(found.surface.is_empty() && found.nodes == Default::default(), "{what}");
                }
            }
        }
    }
}

/// The file has one mesh more, which names the same accessors but for joints and weights, and one node shows it.
fn only_parted(what: &str, before: &[u8], after: &[u8]) {
    let [old, new] = [before, after].map(|bytes| File::of(bytes.to_vec(), Path::new("")));
    let named = |name: &str| name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
    for path in differences(&old.root, &new.root) {
        let steps: Vec<&str> = path.split('/').skip(1).collect();
        let fine = match steps[..] {
            ["accessors", ..] | ["bufferViews", ..] | ["buffers", _, "byteLength"] => true,
            ["meshes", "0", "primitives", _, "attributes", name] => named(name),
            ["meshes", "1"] => true,
            ["nodes", "11", "mesh"] => true,
            _ => false,
        };
        assert!(fine, "{what}: {path} changed");
    }
    assert_eq!(new.root["nodes"][11]["mesh"], json!(1), "{what}");
    for path in differences(&old.root["meshes"][0], &new.root["meshes"][1]) {
        let name = path.rsplit('/').next().unwrap();
        assert!(named(name) && path.contains("/attributes/"), "{what}: {path} of the new mesh");
    }
    let whole = |file: &File, accessor: usize| file.elements(accessor);
    for accessor in 0..old.accessors() {
        assert!(whole(&old, accessor) == whole(&new, accessor), "{what}: accessor {accessor} holds other numbers");
    }
}

#[test]
fn what_changes_both_alike_parts_nothing() {
    for layout in LAYOUTS {
        for id in ["normalise", "limit", "quantise", "smooth"] {
            let mut doc = Doc::new(&pairs(F32, 1, true, 4), layout);
            let settings = |_: &Model| Settings { limit: 2, ..Settings::default() };
            let alone = fixed(&doc.glb(), id, &settings);
            doc.add_skin(0, "b.");
            let (written, changes) = fixed(&doc.glb(), id, &settings);
            let what = format!("{layout:?} {id}");
            let [one, two] = [&alone.0, &written].map(|bytes| File::of(bytes.clone(), Path::new("")));
            assert_eq!(one.root["meshes"], two.root["meshes"], "{what}");
            assert_eq!(one.pairs(0, 0).map(bits), two.pairs(0, 0).map(bits), "{what}");
            assert_eq!(changes.vertices, alone.1.vertices, "{what}");
            assert_eq!(changes.accessors.len(), alone.1.accessors.len(), "{what}");
        }
    }
}

fn bits(pairs: Pairs) -> (Vec<u16>, Vec<u64>) {
    (pairs.joints, pairs.numbers.iter().map(|number| number.to_bits()).collect())
}

#[test]
fn of_three_skins_the_ones_that_are_not_meant_stay_on_one_mesh() {
    for (prefix, nodes) in [("", [0, 1, 1]), ("b.", [0, 1, 0]), ("c.", [0, 0, 1])] {
        let mut doc = two_skins(Layout::Plain, U8);
        doc.add_skin(0, "c.");
        let bytes = doc.glb();
        let joint = format!("{prefix}arm.L");
        let (written, _) = fixed(&bytes, "remove-joint", &|model| on(model, &joint, &joint));
        let new = File::of(written.clone(), Path::new(""));
        assert_eq!([0, 11, 22].map(|node| new.root["nodes"][node]["mesh"].clone()), nodes.map(|mesh| json!(mesh)));
        let [before, after] = [&bytes, &written].map(|bytes| open(bytes));
        for (show, own) in [("show", ""), ("b.show", "b."), ("c.show", "c.")] {
            let is_same = shown(&before, show, 0) == shown(&after, show, 0);
            assert_eq!(is_same, own != prefix, "{joint}: {show}");
        }
        assert_eq!((after.file_meshes().count(), after.meshes.len()), (2, 3));
    }
}

#[test]
fn two_meshes_that_share_accessors_and_have_two_skins_are_kept_apart() {
    let mut doc = two_skins(Layout::Plain, U8);
    let mesh = doc.root["meshes"][0].clone();
    doc.push("meshes", mesh);
    doc.root["nodes"][11]["mesh"] = json!(1);
    let bytes = doc.glb();
    for (own, other, joint) in [("show", "b.show", "arm.L"), ("b.show", "show", "b.arm.L")] {
        let (written, _) = fixed(&bytes, "remove-joint", &|model| on(model, joint, joint));
        let [before, after] = [&bytes, &written].map(|bytes| open(bytes));
        assert_eq!(after.meshes.len(), 2);
        assert_eq!(shown(&before, other, 0), shown(&after, other, 0), "{joint}");
        assert!(!moves(&shown(&after, own, 0), joint));
    }
}

#[test]
fn where_all_want_other_numbers_the_first_take_the_place_of_the_old_ones() {
    let doc = two_skins(Layout::Plain, U8);
    let bytes = doc.glb();
    let model = open(&bytes);
    let mut sheet = Sheet::of(&model);
    for joint in ["arm.L", "b.hand.R"] {
        apply(operation("remove-joint").unwrap(), &mut sheet, &on(&model, joint, joint));
    }
    let written = patch(&bytes, &sheet, Recompression::None, &mut |_| None).unwrap().main.unwrap();
    let after = open(&written);
    assert!(!moves(&shown(&after, "show", 0), "arm.L") && moves(&shown(&after, "show", 0), "hand.R"));
    assert!(!moves(&shown(&after, "b.show", 0), "b.hand.R") && moves(&shown(&after, "b.show", 0), "b.arm.L"));
    let [old, new] = [bytes, written].map(|bytes| File::of(bytes, Path::new("")));
    assert_eq!(old.root["meshes"][0], new.root["meshes"][0], "its accessors hold the new numbers");
    assert_eq!(new.accessors(), old.accessors() + 2);
}

#[test]
fn a_mesh_that_something_else_names_is_not_parted_and_its_edit_is_refused() {
    let named = [
        json!({ "VENDOR_names": { "targets": [{ "mesh": 0, "index": 1 }] } }),
        json!({ "VENDOR_points": { "pointer": "/meshes/0/weights/0" } }),
    ];
    for extensions in named {
        let mut doc = two_skins(Layout::Plain, U8);
        doc.root["extensions"] = extensions;
        let model = open(&doc.glb());
        assert_eq!((model.meshes.len(), model.parted.len()), (1, 0));
        let refused = check(operation("remove-joint").unwrap(), &Sheet::of(&model), &on(&model, "arm.L", "arm.L"));
        assert!(refused.unwrap_err().to_string().contains("b.show"));
    }
    // Another mesh is another matter.
    let mut doc = two_skins(Layout::Plain, U8);
    doc.root["extensions"] = json!({ "VENDOR_names": { "mesh": 1 } });
    assert_eq!(open(&doc.glb()).parted, [(MeshId(1), MeshId(0))]);
}

#[test]
fn skins_of_the_same_joints_need_no_second_mesh() {
    let mut doc = two_skins(Layout::Plain, U8);
    doc.root["skins"][1]["joints"] = doc.root["skins"][0]["joints"].clone();
    let bytes = doc.glb();
    let model = open(&bytes);
    assert_eq!((model.meshes.len(), model.instances[1].skin), (1, Some(SkinId(1))));
    let (written, _) = fixed(&bytes, "remove-joint", &|model| on(model, "arm.L", "arm.L"));
    assert_eq!(File::of(written, Path::new("")).root["meshes"].as_array().unwrap().len(), 1);
}
