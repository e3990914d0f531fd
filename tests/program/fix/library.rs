//! Every operation by calls of the library, from the bytes of a file to the bytes of a file: these store what the sheet has, and nothing
//! else changes.

use std::path::Path;
use std::sync::Arc;

use glam::{DMat4, Quat};
use skinscope::edit::{Amount, Donor, OPERATIONS, Operation, Settings, Sheet, apply};
use skinscope::export::resting_points;
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::model::{Model, NodeId, WeightFormat};
use skinscope::solve::{ExampleMesh, MeshPoints};
use skinscope::writeback::{Recompression, patch};

use crate::fix::compare::{Case, Documents, only_weights_differ};
use crate::fix::made::{Doc, F32, Layout, U8, U16, pairs};
use crate::fix::reader::{File, numbers};

fn open(bytes: &[u8]) -> Arc<Model> {
    import_bytes(bytes, "a", &Options::default(), &Progress::silent()).unwrap().model
}

/// Settings with which an operation has something to do.
fn settings(operation: &Operation, model: &Model, donor: &Arc<Model>) -> Settings {
    let node = |name: &str| NodeId::from_index(model.skeleton.names.iter().position(|known| known == name).unwrap());
    let mut out = Settings::default();
    match operation.id {
        "prune" => out.threshold = 0.15,
        "limit" => out.limit = 2,
        "remove-joint" => out.joint = Some(node("arm.L")),
        "replace-joint" => (out.joint, out.other) = (Some(node("arm.L")), Some(node("tail"))),
        "paste" => out.copied = vec![(node("arm.L"), 0.5), (node("head"), 0.25)],
        "set" => (out.joint, out.amount) = (Some(node("hand.L")), Amount::To(0.4)),
        "transfer" => out.donor = Some(Donor(Arc::clone(donor))),
        "solve" => {
            // The surface stays as it rests although the head turns.
            let mut pose = model.skeleton.rest.clone();
            pose.transforms[node("head").index()].rotation *= Quat::from_rotation_x(1.0);
            let (points, pose) = (MeshPoints(resting_points(model).into()), Arc::new(pose));
            out.examples = Arc::new(vec![ExampleMesh { points, pose, ..ExampleMesh::default() }]);
        }
        "bind-here" => {
            let mut pose = model.skeleton.rest.clone();
            pose.transforms[node("head").index()].rotation *= Quat::from_rotation_x(1.0);
            out.pose = Some(Arc::new(pose));
        }
        // Others have something to do with the settings that they have at first.
        _ => {}
    }
    out
}

/// The document of a case with something in it that the operation changes.
fn document(case: &Case, operation: &Operation) -> Doc {
    let mut doc = case.doc.clone();
    if operation.id == "weld-seams" {
        doc.add_beside(&pairs(case.before.component, case.before.slots / 4, false, 6));
    }
    if !operation.is_of_weights() {
        // Joint 4 was bound half a metre off.
        let number = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
        let accessor = number(&doc.root["skins"][0]["inverseBindMatrices"]);
        let view = number(&doc.root["accessors"][accessor]["bufferView"]);
        let start = number(&doc.root["bufferViews"][view]["byteOffset"]) + 4 * 64 + 12 * 4;
        doc.bin[start..start + 4].copy_from_slice(&0.5_f32.to_le_bytes());
    }
    doc
}

#[test]
fn every_operation_stores_what_the_sheet_has_and_changes_nothing_else() {
    let donor = open(&Doc::new(&pairs(F32, 1, false, 32), Layout::Plain).glb());
    let cases = Documents::Few.cases();
    for (o, operation) in OPERATIONS.iter().copied().enumerate() {
        let mut changed = 0;
        for (c, case) in cases.iter().enumerate() {
            let what = format!("{} {}", operation.id, case.name);
            let doc = document(case, operation);
            let bytes = if (o + c).is_multiple_of(2) { doc.glb() } else { doc.data_uri() };
            let model = open(&bytes);
            let mut sheet = Sheet::of(&model);
            let applied = apply(operation, &mut sheet, &settings(operation, &model, &donor));
            let patched = patch(&bytes, &sheet, Recompression::None, &mut |_| None).unwrap();
            assert!(patched.buffers.is_empty(), "{what}: the buffer is in the file");
            let changes = patched.changes;
            assert_eq!(changes.vertices, applied.vertices, "{what}");
            assert_eq!(patched.main.is_some(), !changes.accessors.is_empty(), "{what}: {changes:?}");
            changed += changes.accessors.len();
            let written = patched.main.unwrap_or_else(|| bytes.clone());
            let [old, new] = [bytes, written].map(|bytes| File::of(bytes, Path::new("")));
            has_weights(&what, &new, &sheet);
            if operation.is_of_weights() {
                assert!(sheet.binds.is_empty() || operation.id == "rules", "{what}");
                only_weights_differ(&what, &old, &new);
            } else {
                only_binds_differ(&what, &old, &new, &sheet);
            }
        }
        // Nothing in these documents is cut off from the rest that its joint moves.
        assert!(changed > 0 || operation.id == "remove-rogues", "{} changes no document", operation.id);
    }
}

/// A file stores the joints and the weights of a sheet.
fn has_weights(what: &str, file: &File, sheet: &Sheet) {
    for (table, stored) in sheet.tables.iter().zip(sheet.stored()) {
        for at in &table.primitives {
            let read = file.pairs(at.mesh.index(), at.primitive).unwrap();
            let component = |format: &WeightFormat| match format {
                WeightFormat::U8 => U8,
                WeightFormat::U16 => U16,
                WeightFormat::F32 => F32,
            };
            assert_eq!(read.slots, table.per_vertex, "{what}");
            assert!(stored.formats.iter().all(|format| component(format) == read.component), "{what}");
            assert_eq!(read.joints, stored.joints, "{what}");
            for (at, (a, number)) in read.numbers.iter().zip(&stored.numbers).enumerate() {
                let b = if read.component == F32 { f64::from(f32::from_bits(*number)) } else { f64::from(*number) };
                assert!(*a == b || a.is_nan() && b.is_nan(), "{what}: pair {at}: {a}, not {b}");
            }
        }
    }
}

/// Of all accessors only that of the inverse bind matrices holds other numbers, those of a sheet.
fn only_binds_differ(what: &str, old: &File, new: &File, sheet: &Sheet) {
    assert_eq!(old.root["meshes"], new.root["meshes"], "{what}");
    assert_eq!(old.root["skins"], new.root["skins"], "{what}");
    let binds = old.root["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
    for accessor in (0..old.accessors()).filter(|accessor| *accessor != binds) {
        assert!(old.elements(accessor) == new.elements(accessor), "{what}: accessor {accessor} holds other bytes");
    }
    let [before, after] = [old, new].map(|file| file.elements(binds).unwrap());
    assert!(!sheet.binds.is_empty() && sheet.binds.len() < before.len(), "{what}: {:?}", sheet.binds);
    for (place, (before, after)) in before.iter().zip(&after).enumerate() {
        match sheet.binds.get(&(0, place)) {
            None => assert_eq!(before, after, "{what}: joint {place}"),
            Some(matrix) => {
                let wanted = DMat4::from(*matrix).to_cols_array().map(|number| f64::from(number as f32));
                assert_eq!(numbers(after, F32), wanted, "{what}: joint {place}");
            }
        }
    }
}
