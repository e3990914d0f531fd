//! Weights that were edited in a session and are saved from it, and joint numbers that do not fit into a byte.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use serde_json::json;
use skinscope::edit::Sheet;
use skinscope::import::{Options, Progress};
use skinscope::model::{BindChange, MeshId, Model, SkinId, WeightChange};
use skinscope::session::Source;
use skinscope::writeback::{Changes, Destination, Origin, Recompression, SaveError, Stamps, prepare};

use crate::fix::made::{Doc, F32, JOINTS, Layout, Pairs, U8, U16, VERTICES, pairs};
use crate::fix::reader::{File, differences};
use crate::fix::{contents, folder, report};

fn load(path: &Path) -> Arc<Model> {
    Arc::clone(Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap().stored())
}

fn changed(model: &Model, rows: &[(u32, &[u16], &[f32])], slots: usize) -> Model {
    let mut change = WeightChange::new(MeshId(0), 0, slots);
    rows.iter().for_each(|(vertex, joints, weights)| change.push(*vertex, joints, weights));
    model.with_weights(&[change]).unwrap()
}

fn save(path: &Path, model: &Model, out: &Path) -> Changes {
    let stamps = Stamps::of(path);
    let prepared =
        prepare(Origin::File(path, &stamps), &Sheet::of(model), Recompression::None, Destination::To(out)).unwrap();
    let told = prepared.changes().clone();
    assert_eq!(prepared.files().last(), Some(out));
    assert!(!out.exists(), "nothing is written before it is asked for");
    assert_eq!(prepared.write().unwrap().changes, told);
    told
}

/// A skin of 300 joints; the node of `arm.R` is its number 280.
fn many_joints(pairs: &Pairs) -> Doc {
    let mut doc = Doc::new(pairs, Layout::Plain);
    let first = doc.root["nodes"].as_array().unwrap().len();
    let mut joints: Vec<usize> =
        doc.root["skins"][0]["joints"].as_array().unwrap().iter().map(|j| j.as_u64().unwrap() as usize).collect();
    let arm = joints[JOINTS.iter().position(|name| *name == "arm.R").unwrap()];
    for i in 0..290 {
        let node = json!({ "name": format!("filler {i}") });
        doc.root["nodes"].as_array_mut().unwrap().push(node);
        joints.push(first + i);
    }
    let place = joints.iter().position(|joint| *joint == arm).unwrap();
    joints.swap(place, 280);
    doc.root["skins"][0]["joints"] = json!(joints);
    doc.root["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    // Fillers hang on the first joint, as all others do.
    let root = joints[0];
    let children = doc.root["nodes"][root]["children"].as_array_mut().unwrap();
    children.extend((first..first + 290).map(|node| json!(node)));
    doc
}

#[test]
fn edited_weights_are_saved_and_read_again_and_nothing_else_changes() {
    let folder = folder("edited");
    for component in [U8, U16, F32] {
        let doc = Doc::new(&pairs(component, 1, false, 5), Layout::Plain);
        let (path, out) = (folder.join("a.glb"), folder.join(format!("{component}.glb")));
        fs::write(&path, doc.glb()).unwrap();
        let model = load(&path);
        let edited = changed(&model, &[(3, &[7], &[1.0]), (9, &[1, 2], &[0.25, 0.75])], 4);
        let told = save(&path, &edited, &out);
        assert_eq!((told.vertices, told.json_values), (2, if component == F32 { told.json_values } else { 0 }));
        assert_eq!(told.meshes, [("sheet ü".to_owned(), 2)]);
        assert!(told.joints.iter().any(|joint| joint == "leg.R"), "{:?}", told.joints);
        assert!(told.joints.len() >= 3 && told.accessors.len() == 2 && told.unpacked.is_empty());
        let again = load(&out);
        let (want, got) = (edited.influences(MeshId(0), 0).unwrap(), again.influences(MeshId(0), 0).unwrap());
        let step = if component == U8 { 0.5 / 255.0 } else { 0.5 / 65_535.0 };
        for v in 0..VERTICES {
            assert_eq!(got.of(v).0, want.of(v).0, "{component}: vertex {v}");
            assert!(got.of(v).1.iter().zip(want.of(v).1).all(|(a, b)| (a - b).abs() <= step), "vertex {v}");
        }
        // As they are in the file they are no edits any more.
        assert_eq!(save(&path, &model, &folder.join("same.glb")), Changes::default());
        assert!(fs::read(folder.join("same.glb")).unwrap() == fs::read(&path).unwrap());
        fs::remove_file(folder.join("same.glb")).unwrap();
    }
}

#[test]
fn edited_bind_matrices_are_saved_and_read_again_and_nothing_else_changes() {
    let folder = folder("edited binds");
    for layout in [Layout::Plain, Layout::Shared, Layout::Interleaved] {
        let doc = Doc::new(&pairs(U8, 1, false, 5), layout);
        let name = format!("{layout:?}");
        let (path, out) = (folder.join(format!("{name}.glb")), folder.join(format!("{name} out.glb")));
        fs::write(&path, doc.glb()).unwrap();
        let model = load(&path);
        let binds = [1, 4].map(|place| {
            let matrix = Affine3A::from_translation(Vec3::new(0.25, place as f32, 0.5));
            BindChange { skin: SkinId(0), joint: place, matrix, restored: false }
        });
        let edited = model.with_binds(&binds).unwrap();
        let told = save(&path, &edited, &out);
        assert_eq!((told.vertices, told.joints.len(), told.binds, told.accessors.len()), (0, 0, 2, 1), "{name}");
        let again = load(&out);
        assert_eq!(again.skins[0].inverse_bind, edited.skins[0].inverse_bind, "{name}");
        assert_ne!(again.skins[0].inverse_bind, model.skins[0].inverse_bind);
        for other in 1..model.skins.len() {
            assert_eq!(again.skins[other].inverse_bind, model.skins[other].inverse_bind, "{name}");
        }
        // Of the bytes at most those of two matrices differ.
        if told.json_values == 0 {
            let (old, new) = (fs::read(&path).unwrap(), fs::read(&out).unwrap());
            let differ = old.iter().zip(&new).filter(|(a, b)| a != b).count();
            assert!(old.len() == new.len() && differ > 0 && differ <= 128, "{name}: {differ} bytes");
        }
    }
}

#[test]
fn edits_that_need_another_set_of_pairs_get_one() {
    let folder = folder("sets");
    for component in [U8, F32] {
        for layout in [Layout::Plain, Layout::Shared] {
            let doc = Doc::new(&pairs(component, 1, false, 5), layout);
            let name = format!("{component} {layout:?}");
            let (path, out) = (folder.join(format!("{name}.glb")), folder.join(format!("{name} out.glb")));
            fs::write(&path, doc.glb()).unwrap();
            let model = load(&path);
            let sixth = [0.3, 0.2, 0.2, 0.1, 0.1, 0.1];
            let edited = changed(&model, &[(4, &[0, 1, 2, 3, 4, 5], &sixth)], 8);
            save(&path, &edited, &out);
            let (old, new) = (File::open(&path), File::open(&out));
            for (mesh, primitive) in new.skinned() {
                let pairs = new.pairs(mesh, primitive).unwrap();
                assert_eq!((pairs.slots, pairs.component), (8, component), "{name}");
                assert_eq!(pairs.joints[4 * 8..5 * 8], [0, 1, 2, 3, 4, 5, 0, 0]);
                let sum: f64 = pairs.numbers[4 * 8..5 * 8].iter().sum();
                assert!((sum - pairs.one()).abs() < 1e-6, "{name}: {sum}");
            }
            let again = load(&out);
            let i = again.influences(MeshId(0), 0).unwrap();
            assert!(i.of(4).1.iter().zip(&sixth).all(|(a, b)| (a - b).abs() < 0.6 / 255.0), "{:?}", i.of(4).1);
            // All other vertices have what they had, and nothing in the new set.
            let before = model.influences(MeshId(0), 0).unwrap();
            for v in (0..VERTICES).filter(|v| *v != 4) {
                assert_eq!((&i.of(v).0[..4], &i.of(v).1[..4]), (before.of(v).0, before.of(v).1));
                assert!(i.of(v).1[4..].iter().all(|w| *w == 0.0));
            }
            // Beside the new attributes the text names new views and accessors, and a longer buffer.
            for path in differences(&old.root, &new.root) {
                let of_set = path.contains("JOINTS_1") || path.contains("WEIGHTS_1");
                let is_new =
                    ["/accessors", "/bufferViews", "/buffers/0/byteLength"].iter().any(|p| path.starts_with(p));
                assert!(of_set || is_new, "{name}: {path}");
            }
        }
    }
}

#[test]
fn joints_beyond_255_are_stored_in_two_bytes_where_one_was_enough() {
    let folder = folder("wide");
    for component in [U8, F32] {
        let before = pairs(component, 1, false, 5);
        let doc = many_joints(&before);
        let path = folder.join(format!("{component}.glb"));
        fs::write(&path, doc.glb()).unwrap();
        let old = File::open(&path);
        let (mesh, primitive) = old.skinned()[0];
        let kind = |file: &File| {
            let attributes = &file.root["meshes"][mesh]["primitives"][primitive]["attributes"];
            file.component(attributes["JOINTS_0"].as_u64().unwrap() as usize)
        };
        assert_eq!(kind(&old), U8);
        // A joint replaced by another, in a session.
        let model = load(&path);
        let out = folder.join(format!("{component} replaced.glb"));
        save(&path, &changed(&model, &[(3, &[299, 1], &[0.5, 0.5])], 4), &out);
        let new = File::open(&out);
        assert_eq!(kind(&new), U16);
        let pairs = new.pairs(mesh, primitive).unwrap();
        assert_eq!(pairs.joints[3 * 4..3 * 4 + 2], [299, 1]);
        let others = (0..VERTICES * 4).filter(|at| at / 4 != 3);
        assert!(
            others.clone().all(|at| pairs.joints[at] == before.joints[at] && pairs.numbers[at] == before.numbers[at])
        );
        assert_eq!(load(&out).influences(MeshId(0), 0).unwrap().of(3).0[0], 299);
        // Mirrored: what follows arm.L on the one side follows arm.R, number 280, on the other.
        let name = format!("{component} mirrored.glb");
        report(&folder, &[path.to_str().unwrap(), "-o", &name, "--mirror", "x"]);
        let mirrored = File::open(&folder.join(&name));
        assert_eq!(kind(&mirrored), U16);
        let pairs = mirrored.pairs(mesh, primitive).unwrap();
        assert!(pairs.joints.contains(&280) && pairs.joints.iter().all(|joint| *joint < 300));
        assert!(load(&folder.join(&name)).influences(MeshId(0), 0).is_some());
    }
}

#[test]
fn a_file_of_the_model_that_changed_in_the_meantime_is_not_written_over() {
    let folder = folder("stale");
    let doc = Doc::new(&pairs(U8, 1, false, 5), Layout::Plain);
    fs::write(folder.join("a.gltf"), doc.external("a.bin")).unwrap();
    fs::write(folder.join("a.bin"), &doc.bin).unwrap();
    let path = folder.join("a.gltf");
    let mut stamps = Stamps::of(&path);
    let model = load(&path);
    stamps.add(model.source.files.iter().map(std::path::PathBuf::as_path));
    let edited = changed(&model, &[(3, &[7], &[1.0])], 4);
    for changed in ["a.bin", "a.gltf"] {
        let bytes = fs::read(folder.join(changed)).unwrap();
        let longer = if changed == "a.bin" { [&bytes[..], &[0; 4]].concat() } else { [&bytes[..], b"\n"].concat() };
        fs::write(folder.join(changed), longer).unwrap();
        let before = contents(&folder);
        for place in [Destination::InPlace, Destination::To(&folder.join("out.gltf"))] {
            let refused = prepare(Origin::File(&path, &stamps), &Sheet::of(&edited), Recompression::None, place).err();
            let is_it = matches!(&refused, Some(SaveError::Stale(file)) if file.ends_with(changed));
            assert!(is_it, "{changed}: {refused:?}");
        }
        assert!(contents(&folder) == before);
        fs::write(folder.join(changed), &bytes).unwrap();
        stamps = Stamps::of(&path);
        stamps.add(model.source.files.iter().map(std::path::PathBuf::as_path));
    }
    // As it was read it is written, and what is replaced is kept.
    let out = folder.join("out.gltf");
    fs::write(&out, "mine").unwrap();
    let prepared =
        prepare(Origin::File(&path, &stamps), &Sheet::of(&edited), Recompression::None, Destination::To(&out)).unwrap();
    let saved = prepared.keeping_what_is_replaced().write().unwrap();
    assert_eq!(saved.backups, [folder.join("out.gltf.bak")]);
    assert_eq!(fs::read(folder.join("out.gltf.bak")).unwrap(), b"mine");
    assert_eq!(load(&out).influences(MeshId(0), 0).unwrap().of(3).0[0], 7);
}
