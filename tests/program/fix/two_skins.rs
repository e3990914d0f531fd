//! Meshes that several nodes show with other joints: an edit means the joints of one of them, and the others show what they showed.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use skinscope::edit::{Amount, CellEdit, Operation, Settings, Sheet, apply, check, operation, set_cells};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::inspect::check::{CheckOptions, check as inspect};
use skinscope::inspect::compare::compare;
use skinscope::model::{MeshId, Model, NodeId, SkinId, WeightChange};
use skinscope::session::{Document, EditCommand, Session};
use skinscope::writeback::{Changes, Recompression, patch};

use crate::common::PACKED_FIGURES;
use crate::fix::made::{Doc, F32, LAYOUTS, Layout, Pairs, U8, pairs};
use crate::fix::reader::{File, chunks, differences};
use crate::fix::{folder, run};

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
    (0..model.meshes[instance.mesh.index()].primitives[primitive].stored_vertices).map(row).collect()
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
                    assert_eq!(part.len(), if matches!(layout, Layout::Twice) { 2 } else { 1 }, "{what}");
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

#[test]
fn packed_meshes_are_parted_too() {
    for name in PACKED_FIGURES {
        let bytes = with_turned_skin(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name));
        let model = open(&bytes);
        assert_eq!(model.parted.len(), 1, "{name}");
        let first = model.skeleton.names[model.instances[0].node.index()].clone();
        let both = [&first[..], "again"].map(|show| shown(&model, show, 0));
        let moved = |joint: &&NodeId| both.iter().all(|rows| moves(rows, &model.skeleton.names[joint.index()]));
        let joint = *model.skins[0].joints.iter().find(moved).unwrap();
        let name_of = model.skeleton.names[joint.index()].clone();
        let settings = |_: &Model| Settings { joint: Some(joint), ..Settings::default() };
        let (written, changes) = fixed(&bytes, "remove-joint", &settings);
        let after = open(&written);
        assert_eq!((after.meshes.len(), after.parted.len(), changes.vertices > 0), (2, 0, true), "{name}");
        for show in [&first[..], "again"] {
            for primitive in 0..model.meshes[0].primitives.len() {
                let [before, after] = [&model, &after].map(|model| shown(model, show, primitive));
                assert!(moves(&before, &name_of) && !moves(&after, &name_of), "{name} {show}");
                let untouched = |rows: &[Vec<(String, f32)>]| rows.iter().zip(&before).filter(|(a, b)| a == b).count();
                assert!(untouched(&after) > 0, "{name}");
            }
        }
        for (old, new) in
            model.meshes.iter().zip(&after.meshes).flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives))
        {
            assert!(
                old.positions == new.positions && old.indices == new.indices && old.normals == new.normals,
                "{name}"
            );
        }
    }
}

/// A figure that is shown once more, with a skin whose joints begin with its second one.
fn with_turned_skin(path: &Path) -> Vec<u8> {
    let (mut all, _) = chunks(&std::fs::read(path).unwrap());
    let mut root: Value = serde_json::from_slice(&all[0].1).unwrap();
    let list = |root: &Value, name: &str| root[name].as_array().unwrap().clone();
    let mut skin = root["skins"][0].clone();
    skin["joints"].as_array_mut().unwrap().rotate_left(1);
    let (skins, nodes) = (list(&root, "skins").len(), list(&root, "nodes").len());
    let shown = list(&root, "nodes").into_iter().find(|node| !node["skin"].is_null()).unwrap();
    root["skins"].as_array_mut().unwrap().push(skin);
    root["nodes"].as_array_mut().unwrap().push(json!({ "name": "again", "mesh": shown["mesh"], "skin": skins }));
    root["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(nodes));
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    all[0].1 = text;
    let total = 12 + all.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let mut out: Vec<u8> = [0x4654_6C67, 2, total as u32].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
    for (kind, chunk) in all {
        out.extend([chunk.len() as u32, kind as u32].iter().flat_map(|w| w.to_le_bytes()));
        out.extend(chunk);
    }
    out
}

#[test]
fn cells_of_a_table_mean_the_joints_of_their_row() {
    let model = open(&two_skins(Layout::Shared, U8).glb());
    for (mesh, show) in [(0, "show"), (1, "b.show")] {
        let rows = shown(&model, show, 0);
        let (vertex, row) = (0..).zip(&rows).find(|(_, row)| row.len() == 2).unwrap();
        let edit = |primitive: usize| CellEdit {
            mesh: MeshId(mesh),
            primitive,
            vertex,
            joint: node(&model, &row[0].0),
            amount: Amount::Times(0.5),
        };
        let changes = set_cells(&model, &[edit(1)], true, &Default::default()).changes;
        let changed: Vec<(u32, usize)> = changes.iter().map(|change| (change.mesh.0, change.primitive)).collect();
        assert_eq!(changed, [(mesh, 0)], "the first primitive has the vertices of both");
    }
}

/// The model as a session has it after a file was opened, edited and saved, and that file was read again.
fn saved(doc: &Doc, saved: &[WeightChange], since: &[WeightChange]) -> Session {
    let bytes = doc.glb();
    let document = |bytes: &[u8]| Document::new(open(bytes), Vec::new(), Some("model.glb".into()));
    let mut session = Session::default();
    session.open(document(&bytes));
    session.apply(EditCommand::ChangeWeights(Arc::new(saved.to_vec())));
    let written = Arc::clone(session.model().unwrap());
    session.files_mut().note_model_saved("model.glb".into(), Arc::clone(&written));
    if !since.is_empty() {
        session.apply(EditCommand::ChangeWeights(Arc::new(since.to_vec())));
    }
    let written = patch(&bytes, &Sheet::of(&written), Recompression::None, &mut |_| None).unwrap().main.unwrap();
    session.open(document(&written));
    session
}

fn edit(mesh: u32, vertex: u32, joint: u16) -> WeightChange {
    let mut change = WeightChange::new(MeshId(mesh), 0, 4);
    change.push(vertex, &[joint], &[1.0]);
    change
}

#[test]
fn a_session_goes_on_after_its_edit_of_one_skin_was_saved() {
    for mesh in [0, 1] {
        let mut session = saved(&two_skins(Layout::Plain, F32), &[edit(mesh, 5, 8)], &[]);
        assert_eq!((session.unsaved().unsaved_vertices(), session.history().can_undo()), (0, true), "{mesh}");
        let only = |session: &Session, show: &str| {
            let row = shown(session.model().unwrap(), show, 0)[5].clone();
            row.len() == 1 && row[0].0.ends_with("head")
        };
        let edited = |session: &Session| ["show", "b.show"].map(|show| only(session, show));
        assert_eq!(edited(&session), [mesh == 0, mesh == 1]);
        session.apply(EditCommand::Undo);
        assert_eq!((edited(&session), session.unsaved().unsaved_vertices()), ([false; 2], 1));
    }
}

#[test]
fn what_was_edited_since_finds_its_skin_where_the_file_has_its_meshes_in_another_order() {
    let mut doc = two_skins(Layout::Plain, F32);
    doc.add_skin(0, "c.");
    let session = saved(&doc, &[edit(2, 5, 8)], &[edit(1, 7, 9)]);
    let model = session.model().unwrap();
    assert_eq!(model.instances.iter().map(|i| i.mesh.0).collect::<Vec<_>>(), [0, 2, 1], "the second is parted again");
    assert_eq!(shown(model, "c.show", 0)[5], [("c.head".to_owned(), 1.0)]);
    assert_eq!(shown(model, "b.show", 0)[7], [("b.tail".to_owned(), 1.0)]);
    assert_eq!(session.unsaved().unsaved_vertices(), 1);
}

#[test]
fn what_both_have_in_common_is_told_once_and_of_the_file_s_mesh() {
    let mut doc = Doc::new(&pairs(F32, 1, true, 4), Layout::Plain);
    let found = |doc: &Doc| {
        let model = open(&doc.glb());
        let report = inspect(&model, &CheckOptions::default(), &false.into()).unwrap();
        let about = report.findings.into_iter().filter(|f| f.primitive.is_some());
        about.map(|f| (f.rule, f.mesh, f.vertices, f.message)).collect::<Vec<_>>()
    };
    let alone = found(&doc);
    doc.add_skin(0, "b.");
    let both = found(&doc);
    for finding in &alone {
        assert_eq!(both.iter().filter(|other| *other == finding).count(), 1, "{finding:?}");
    }
    let without_names = |list: &[(&str, Option<MeshId>, Vec<u32>, String)]| {
        list.iter().filter(|f| !f.3.contains(['"', '“'])).map(|f| (f.0.to_owned(), f.1)).collect::<Vec<_>>()
    };
    assert!(without_names(&alone).len() > 3);
    assert_eq!(without_names(&both), without_names(&alone));
    // What import says, info counts and diff finds is about one mesh too.
    let bytes = doc.glb();
    let model = open(&bytes);
    let warned = import_bytes(&bytes, "a", &Options::default(), &Progress::silent()).unwrap().warnings;
    let now: Vec<_> = skinscope::import::weight_warnings(&model).into_iter().flatten().collect();
    assert_eq!(now.len(), warned.iter().filter(|w| now.iter().any(|n| n.to_string() == w.to_string())).count());
    let folder = folder("two_skins");
    std::fs::write(folder.join("two.glb"), &bytes).unwrap();
    let told = run::captured(&folder, &["info", "two.glb", "--json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!((&told["counts"]["meshes"], told["meshes"].as_array().unwrap().len()), (&json!(1), 1));
    assert_eq!(told["nodes"][11]["mesh"], json!(0));
    let (normal, _) = fixed(&bytes, "normalise", &|_| Settings::default());
    let part = |a: &[u8], b: &[u8]| {
        compare(&open(a), &open(b)).weights.iter().map(|p| (p.mesh, p.primitive)).collect::<Vec<_>>()
    };
    assert_eq!(part(&bytes, &normal), [(0, 0)]);
}

#[test]
fn locks_and_the_choice_of_a_joint_mean_one_skin() {
    let folder = folder("two_skins_bounds");
    std::fs::write(folder.join("two.glb"), two_skins(Layout::Plain, F32).glb()).unwrap();
    let after = |arguments: &[&str]| {
        let all = [&["fix", "two.glb", "-o", "out.glb", "--smooth", "3"][..], arguments].concat();
        let out = run::captured(&folder, &all);
        assert!(out.status.success(), "{}", crate::fix::said(&out));
        open(&std::fs::read(folder.join("out.glb")).unwrap())
    };
    let before = open(&std::fs::read(folder.join("two.glb")).unwrap());
    for (own, other, joint) in [("show", "b.show", "arm.L"), ("b.show", "show", "b.arm.L")] {
        let only = after(&["--only-joint", joint]);
        assert_eq!(shown(&before, other, 0), shown(&only, other, 0), "{joint}");
        for (old, new) in shown(&before, own, 0).iter().zip(shown(&only, own, 0)) {
            assert!(*old == new || old.iter().any(|(name, _)| name == joint), "{joint}: {old:?} {new:?}");
        }
        assert_ne!(shown(&before, own, 0), shown(&only, own, 0), "{joint}");
        let locked = after(&["--lock", joint]);
        let of = |model: &Model, show: &str, joint: &str| -> Vec<Option<f32>> {
            let weight = |row: &Vec<(String, f32)>| row.iter().find(|(name, _)| name == joint).map(|(_, w)| *w);
            shown(model, show, 0).iter().map(weight).collect()
        };
        assert_eq!(of(&before, own, joint), of(&locked, own, joint));
        let there = if joint == "arm.L" { "b.arm.L" } else { "arm.L" };
        assert_ne!(of(&before, other, there), of(&locked, other, there));
    }
}
