//! Meshes that gain a skin: what is written is what was bound, behind all that the file had, and it looks as before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use glam::{Affine3A, Vec3};
use serde_json::{Value, json};
use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::edit::Sheet;
use skinscope::import::{Options, Progress, import_file};
use skinscope::math::Transform;
use skinscope::model::{
    BindingChange, Influences, InstanceId, LocalPose, MeshId, Model, NewNode, NewSkin, NodeId, PrimitiveId, SkinId,
    WeightFormat,
};
use skinscope::writeback::{Changes, Destination, Origin, Recompression, SaveError, Stamps, prepare};

use crate::fix::folder;
use crate::fix::outside::{Written, is_there, nothing_new};
use crate::fix::reader::{File, chunks};

pub(super) const VERTICES: usize = 6;

/// Where the bytes of a document are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Two buffers in files of their own.
    Files,
    Uris,
    Glb,
    /// A GLB whose buffer is in a file.
    GlbOfFile,
    GlbOfUri,
    /// A GLB without any bytes: all its positions are zero.
    GlbOfNothing,
}

const KINDS: [Kind; 6] = [Kind::Files, Kind::Uris, Kind::Glb, Kind::GlbOfFile, Kind::GlbOfUri, Kind::GlbOfNothing];

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Two hands of a chain of joints, a mesh at a root, and one that hangs on the chain; these are one mesh or two of the same accessors.
pub(super) fn root(is_one_mesh: bool, is_quantised: bool) -> Value {
    let mesh = json!({ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] });
    let position = match is_quantised {
        true => json!({
            "bufferView": 0, "componentType": 5122, "normalized": true, "type": "VEC3", "count": VERTICES,
            "min": [0, 0, 0], "max": [20_000, 10_000, 0],
        }),
        false => json!({
            "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": VERTICES, "min": [0, 0, 0], "max": [2, 1, 0],
        }),
    };
    let mut root = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "hips", "translation": [0, 1, 0], "children": [1, 3] },
            { "name": "arm", "translation": [0, 0.5, 0], "rotation": [0, 0, 0.6, 0.8] },
            { "name": "still", "mesh": 0 },
            { "name": "table", "mesh": if is_one_mesh { 0 } else { 1 }, "translation": [1, 0, 0.25], "scale": [2, 2, 2] },
        ],
        "meshes": if is_one_mesh { json!([mesh]) } else { json!([mesh, mesh]) },
        "accessors": [
            position,
            { "bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 6 },
            { "bufferView": 2, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1] },
            { "bufferView": 3, "componentType": 5126, "type": "VEC4", "count": 2 },
        ],
        "animations": [{
            "name": "Wave",
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
            "samplers": [{ "input": 2, "output": 3 }],
        }],
    });
    if is_quantised {
        root["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
        root["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    }
    root
}

/// The bytes of meshes, and those of the clip.
fn bytes(is_quantised: bool) -> [Vec<u8>; 2] {
    let mut mesh = Vec::new();
    for vertex in 0..VERTICES {
        let (x, y) = (vertex / 2, vertex % 2);
        match is_quantised {
            true => [x as i16 * 10_000, y as i16 * 10_000, 0, 0].iter().for_each(|n| mesh.extend(n.to_le_bytes())),
            false => mesh.extend(floats(&[x as f32, y as f32, 0.0])),
        }
    }
    [0_u16, 2, 1, 3, 5, 4].iter().for_each(|index| mesh.extend(index.to_le_bytes()));
    [mesh, floats(&[0.0, 1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0])]
}

pub fn glb(root: &Value, bin: Option<&[u8]>) -> Vec<u8> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF".to_vec();
    let total = 12 + 8 + text.len() + bin.map_or(0, |bin| 8 + bin.len());
    [2, total as u32, text.len() as u32, 0x4E4F_534A].iter().for_each(|word| out.extend(word.to_le_bytes()));
    out.extend(text);
    if let Some(bin) = bin {
        [bin.len() as u32, 0x004E_4942].iter().for_each(|word| out.extend(word.to_le_bytes()));
        out.extend(bin);
    }
    out
}

/// Writes a document, and returns its path.
pub(super) fn write(folder: &Path, kind: Kind, mut root: Value, is_quantised: bool) -> PathBuf {
    let [mesh, clip] = bytes(is_quantised);
    let end = mesh.len() - 12;
    let is_split = matches!(kind, Kind::Files | Kind::Uris);
    let (buffer, start) = if is_split { (1, 0) } else { (0, mesh.len()) };
    let mut first = json!({ "buffer": 0, "byteOffset": 0, "byteLength": end });
    if is_quantised {
        first["byteStride"] = json!(8);
    }
    root["bufferViews"] = json!([
        first,
        { "buffer": 0, "byteOffset": end, "byteLength": 12 },
        { "buffer": buffer, "byteOffset": start, "byteLength": 8 },
        { "buffer": buffer, "byteOffset": start + 8, "byteLength": 32 },
    ]);
    let buffers = if is_split { vec![mesh, clip] } else { vec![[mesh, clip].concat()] };
    let uri = |bytes: &[u8]| format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes));
    let stated = |(i, bytes): (usize, &Vec<u8>)| match kind {
        Kind::Files | Kind::GlbOfFile => {
            std::fs::write(folder.join(format!("{i}.bin")), bytes).unwrap();
            json!({ "byteLength": bytes.len(), "uri": format!("{i}.bin") })
        }
        Kind::Uris | Kind::GlbOfUri => json!({ "byteLength": bytes.len(), "uri": uri(bytes) }),
        Kind::Glb | Kind::GlbOfNothing => json!({ "byteLength": bytes.len() }),
    };
    root["buffers"] = buffers.iter().enumerate().map(stated).collect();
    if kind == Kind::GlbOfNothing {
        let members = root.as_object_mut().unwrap();
        ["buffers", "bufferViews", "animations"].iter().for_each(|list| _ = members.remove(*list));
        root["accessors"] = json!([{
            "componentType": 5126, "type": "VEC3", "count": VERTICES, "min": [0, 0, 0], "max": [0, 0, 0],
        }]);
        for mesh in root["meshes"].as_array_mut().unwrap() {
            _ = mesh["primitives"][0].as_object_mut().unwrap().remove("indices");
        }
    }
    let (name, bytes) = match kind {
        Kind::Files | Kind::Uris => ("a.gltf", root.to_string().into_bytes()),
        Kind::Glb => ("a.glb", glb(&root, Some(&buffers[0][..]))),
        Kind::GlbOfFile | Kind::GlbOfUri | Kind::GlbOfNothing => ("a.glb", glb(&root, None)),
    };
    std::fs::write(folder.join(name), bytes).unwrap();
    folder.join(name)
}

pub(super) fn open(path: &Path) -> Arc<Model> {
    import_file(path, &Options::default(), &Progress::silent()).unwrap().model
}

fn at(model: &Model, name: &str) -> NodeId {
    NodeId::from_index(model.skeleton.names.iter().position(|known| known == name).unwrap())
}

/// The name of a node, or of the one whose mesh it shows since that has a skin.
fn plain(model: &Model, node: NodeId) -> &str {
    let name = model.skeleton.names[node.index()].as_str();
    name.strip_suffix("_skinned").unwrap_or(name)
}

/// The instance at a node of this name, or at the one that shows its mesh since that has a skin.
fn shown(model: &Model, name: &str) -> InstanceId {
    let is_it = |i: &skinscope::model::Instance| plain(model, i.node) == name;
    InstanceId::from_index(model.instances.iter().position(is_it).unwrap())
}

/// Binds what some nodes show to the chain of the file, or to one that is made; each gets a skin of its own.
pub(super) fn change(model: &Model, names: &[&str], is_made: bool, format: WeightFormat) -> BindingChange {
    let mut out = BindingChange::default();
    let mut joints = vec![at(model, "hips"), at(model, "arm")];
    if is_made {
        let rest = |y: f32| Transform { translation: Vec3::new(0.5, y, 0.0), ..Transform::IDENTITY };
        out.nodes.push(NewNode { name: "new hips".into(), rest: rest(1.0), ..NewNode::default() });
        let arm = NewNode { name: "new arm".into(), parent: Some(0), rest: rest(0.25), ..NewNode::default() };
        out.nodes.push(arm);
        joints = [0, 1].map(|i| NodeId::from_index(model.skeleton.len() + i)).to_vec();
    }
    let mut meshes = BTreeSet::new();
    for (i, name) in names.iter().enumerate() {
        let instance = shown(model, name);
        out.skins.push(NewSkin { name: format!("of {name}"), joints: joints.clone(), root: None, worn: None });
        out.instances.push((instance, i));
        meshes.insert(model.instances[instance.index()].mesh);
    }
    let influences = Influences {
        per_vertex: 4,
        joints: [[1, 0, 0, 0], [0, 1, 0, 0]].concat().repeat(VERTICES / 2),
        weights: [[0.2, 0.8, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]].concat().repeat(VERTICES / 2),
        format,
        ..Influences::default()
    };
    out.primitives = meshes.into_iter().map(|mesh| (PrimitiveId::new(mesh, 0), influences.clone())).collect();
    out
}

pub(super) fn save(path: &Path, model: &Model, out: &Path) -> Result<Changes, SaveError> {
    let stamps = Stamps::of(path);
    let sheet = Sheet::of(model);
    let prepared = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, Destination::To(out))?;
    Ok(prepared.write()?.changes)
}

/// Where all vertices are at rest, or at a moment of the clip, by the name of the node that shows them.
pub(super) fn posed(model: &Model, time: Option<f32>) -> BTreeMap<String, Vec<Vec3>> {
    let (mut scratch, mut pose, mut nodes) = (SampleScratch::default(), LocalPose::default(), Vec::<Affine3A>::new());
    reset_to_rest(&model.skeleton, &mut pose);
    if let (Some(time), Some(clip)) = (time, model.clips.first()) {
        sample(model, clip, time, &mut scratch, &mut pose);
    }
    local_to_model(&model.skeleton, &pose, &mut nodes);
    let mut out = BTreeMap::new();
    for instance in &model.instances {
        let influences = instance.skin.and_then(|_| model.influences(instance.mesh, 0));
        let skin = instance.skin.map(|skin| &model.skins[skin.index()]);
        let place = |(vertex, position): (usize, &Vec3)| match (skin, influences) {
            (Some(skin), Some(influences)) => {
                let (joints, weights) = influences.of(vertex);
                let moved = |(joint, weight): (&u16, &f32)| {
                    let joint = usize::from(*joint);
                    let matrix = nodes[skin.joints[joint].index()] * skin.inverse_bind[joint];
                    matrix.transform_point3(*position) * *weight
                };
                joints.iter().zip(weights).map(moved).sum::<Vec3>()
            }
            _ => nodes[instance.node.index()].transform_point3(*position),
        };
        let positions = &model.meshes[instance.mesh.index()].primitives[0].positions;
        let placed: Vec<Vec3> = positions.iter().enumerate().map(place).collect();
        out.insert(plain(model, instance.node).to_owned(), placed);
    }
    out
}

pub(super) fn same_surface(what: &str, [a, b]: [&Model; 2], time: Option<f32>) {
    let [a, b] = [a, b].map(|model| posed(model, time));
    assert!(a.keys().eq(b.keys()), "{what}: other nodes show meshes");
    for (name, places) in &a {
        // The whole is about four metres wide.
        let far = places.iter().zip(&b[name]).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(far < 4e-6, "{what}: {name} is {far} m away at {time:?}");
    }
}

/// The file has in memory and on disk the same skins and weights, to the bit.
fn same_skins(what: &str, bound: &Model, again: &Model, names: &[&str]) {
    assert_eq!(bound.skins.len(), again.skins.len(), "{what}");
    for (a, b) in bound.skins.iter().zip(again.skins.iter()) {
        let joints = |model: &Model, joints: &[NodeId]| -> Vec<String> {
            joints.iter().map(|joint| model.skeleton.names[joint.index()].clone()).collect()
        };
        assert_eq!((&a.name, joints(bound, &a.joints)), (&b.name, joints(again, &b.joints)), "{what}");
        let bits = |m: &Affine3A| m.to_cols_array().map(f32::to_bits);
        assert!(a.inverse_bind.iter().map(bits).eq(b.inverse_bind.iter().map(bits)), "{what}: other matrices");
    }
    for name in ["still", "table"] {
        let rows = |model: &Model| {
            let instance = &model.instances[shown(model, name).index()];
            let influences = model.influences(instance.mesh, 0)?;
            let row = |vertex: usize| {
                let (joints, weights) = influences.of(vertex);
                (joints.to_vec(), weights.iter().map(|weight| weight.to_bits()).collect::<Vec<u32>>())
            };
            Some((instance.skin, (0..VERTICES).map(row).collect::<Vec<_>>()))
        };
        let rows = [bound, again].map(rows);
        assert!(rows[0] == rows[1], "{what}: {name} has other weights");
        assert_eq!(rows[0].is_some(), names.contains(&name), "{what}: {name}");
    }
}

/// All bytes of the buffers are where they were, and all accessors hold what they held.
pub(super) fn old_bytes_stay(what: &str, [old, new]: [&Path; 2]) {
    let [before, after] = [old, new].map(File::open);
    for (i, (old, new)) in before.buffers.iter().zip(&after.buffers).enumerate() {
        assert!(new.starts_with(old), "{what}: buffer {i} has other bytes");
    }
    let held = |file: &File, accessor: usize| file.elements(accessor);
    if !before.buffers.is_empty() {
        assert!((0..before.accessors()).all(|a| held(&before, a) == held(&after, a)), "{what}: other numbers");
    }
    for list in ["accessors", "bufferViews", "animations"] {
        let items = before.root[list].as_array().into_iter().flatten();
        assert!(items.zip(after.root[list].as_array().into_iter().flatten()).all(|(a, b)| a == b), "{what}: {list}");
    }
}

/// Binds, saves, reads again and compares; returns what the validator is to look at.
fn case(folder: &Path, kind: Kind, [is_one_mesh, is_quantised, is_made]: [bool; 3], names: &[&str]) -> Written {
    let what = format!("{kind:?} {is_one_mesh} {is_quantised} {is_made} {}", names.join(" "));
    let folder = folder.join(&what);
    std::fs::create_dir(&folder).unwrap();
    let old = write(&folder, kind, root(is_one_mesh, is_quantised), is_quantised);
    let new = folder.join(format!("out.{}", old.extension().unwrap().to_str().unwrap()));
    let format = if is_made { WeightFormat::F32 } else { WeightFormat::U8 };
    let model = open(&old);
    let bound = model.with_bindings(&change(&model, names, is_made, format)).unwrap();
    same_surface(&what, [&model, &bound], None);
    let changes = save(&old, &bound, &new).unwrap();
    let meshes: BTreeSet<MeshId> = names.iter().map(|name| model.instances[shown(&model, name).index()].mesh).collect();
    assert_eq!((changes.skins, changes.binds), (names.len(), 2 * names.len()), "{what}");
    assert_eq!((changes.vertices, changes.joints.len()), (VERTICES * meshes.len(), 2), "{what}");
    let moved = usize::from(names.contains(&"table"));
    assert_eq!(changes.nodes, moved + if is_made { 2 } else { 0 }, "{what}");
    let again = open(&new);
    same_surface(&what, [&bound, &again], None);
    same_surface(&what, [&bound, &again], Some(0.5));
    same_skins(&what, &bound, &again, names);
    let apart: BTreeSet<&String> = again.skeleton.names.iter().collect();
    assert_eq!(apart.len(), again.skeleton.names.len(), "{what}: two nodes have one name");
    old_bytes_stay(&what, [&old, &new]);
    if kind == Kind::GlbOfNothing {
        let (chunks, _) = chunks(&std::fs::read(&new).unwrap());
        assert_eq!((chunks.len(), chunks[1].0), (2, 0x004E_4942), "{what}: no binary chunk follows the text");
    }
    Written { what, old, new }
}

#[test]
fn a_mesh_gains_a_skin_in_every_container() {
    let folder = folder("gained");
    let mut written = Vec::new();
    for kind in KINDS {
        for is_made in [false, true] {
            for names in [&["still"][..], &["table"], &["still", "table"]] {
                written.push(case(&folder, kind, [false, false, is_made], names));
            }
        }
    }
    if is_there() {
        nothing_new(&written);
    }
}

#[test]
fn a_mesh_that_is_shown_twice_or_quantised_gains_a_skin() {
    let folder = folder("gained twice");
    let mut written = Vec::new();
    for kind in [Kind::Files, Kind::Glb] {
        for is_one_mesh in [false, true] {
            for names in [&["still"][..], &["table"], &["still", "table"]] {
                written.push(case(&folder, kind, [is_one_mesh, !is_one_mesh, false], names));
            }
        }
    }
    if is_there() {
        nothing_new(&written);
    }
}

#[test]
fn what_would_lose_something_at_another_node_is_refused_with_the_reason() {
    let folder = folder("gained not");
    type End = (&'static str, fn(&mut Value));
    let ends: [End; 3] = [
        ("an extension of the file names the node", |root| root["extensions"] = json!({ "EXT_a": [{ "node": 3 }] })),
        ("an extension of the node", |root| root["nodes"][3]["extensions"] = json!({ "EXT_a": {} })),
        ("morph weights", |root| root["nodes"][3]["weights"] = json!([0.5])),
    ];
    for (i, (why, end)) in ends.into_iter().enumerate() {
        let folder = folder.join(i.to_string());
        std::fs::create_dir(&folder).unwrap();
        let mut root = root(false, false);
        root["extensionsUsed"] = json!(["EXT_a"]);
        end(&mut root);
        if i == 2 {
            for mesh in root["meshes"].as_array_mut().unwrap() {
                mesh["primitives"][0]["targets"] = json!([{ "POSITION": 0 }]);
            }
        }
        let old = write(&folder, Kind::Glb, root, false);
        let model = open(&old);
        let said = match model.with_bindings(&change(&model, &["table"], false, WeightFormat::F32)) {
            Ok(bound) => save(&old, &bound, &folder.join("out.glb")).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(why), "\"{said}\" does not say \"{why}\"");
        assert!(!folder.join("out.glb").exists());
        // The other one stays at its node, and loses nothing.
        let bound = model.with_bindings(&change(&model, &["still"], false, WeightFormat::F32)).unwrap();
        assert_eq!(save(&old, &bound, &folder.join("other.glb")).unwrap().nodes, 0);
    }
}

#[test]
fn a_mesh_gains_the_skin_that_another_one_of_its_file_has() {
    let folder = folder("gained joining");
    let mut written = Vec::new();
    for kind in [Kind::Files, Kind::Glb] {
        let folder = folder.join(format!("{kind:?}"));
        std::fs::create_dir(&folder).unwrap();
        let mut root = root(false, false);
        // A second mesh at the origin of the scene.
        root["nodes"][0]["children"] = json!([1]);
        root["nodes"][3] = json!({ "name": "table", "mesh": 1 });
        root["scenes"][0]["nodes"] = json!([0, 2, 3]);
        let first = write(&folder, kind, root, false);
        let model = open(&first);
        let ending = first.extension().unwrap().to_str().unwrap();
        let [old, new] = ["skinned", "joined"].map(|name| folder.join(format!("{name}.{ending}")));
        let bound = model.with_bindings(&change(&model, &["still"], false, WeightFormat::F32)).unwrap();
        save(&first, &bound, &old).unwrap();
        let model = open(&old);
        let mut joining = change(&model, &["table"], false, WeightFormat::U16);
        joining.skins.clear();
        joining.joining = joining.instances.drain(..).map(|(id, _)| (id, SkinId(0))).collect();
        let bound = model.with_bindings(&joining).unwrap();
        let what = format!("{kind:?}");
        same_surface(&what, [&model, &bound], None);
        let changes = save(&old, &bound, &new).unwrap();
        assert_eq!((changes.skins, changes.nodes, changes.binds, changes.vertices), (0, 0, 0, VERTICES), "{what}");
        let again = open(&new);
        same_surface(&what, [&bound, &again], None);
        same_surface(&what, [&bound, &again], Some(0.5));
        same_skins(&what, &bound, &again, &["still", "table"]);
        old_bytes_stay(&what, [&old, &new]);
        let root = File::open(&new).root;
        assert_eq!((&root["nodes"][3]["skin"], root["skins"].as_array().map(Vec::len)), (&json!(0), Some(1)), "{what}");
        written.push(Written { what, old, new });
    }
    if is_there() {
        nothing_new(&written);
    }
}

#[test]
fn joints_are_made_below_a_node_of_the_file() {
    let folder = folder("gained below");
    // The chain comes last, so that nothing follows what is below its root.
    let mut document = root(false, false);
    document["scenes"][0]["nodes"] = json!([2, 0]);
    let old = write(&folder, Kind::Files, document, false);
    let new = folder.join("out.gltf");
    let model = open(&old);
    let mut below = change(&model, &["still"], false, WeightFormat::F32);
    let [hips, arm] = ["hips", "arm"].map(|name| at(&model, name));
    let rest = Transform { translation: Vec3::new(0.0, 0.0, 0.5), ..Transform::IDENTITY };
    below.nodes = vec![
        NewNode { name: "leg".into(), below: Some(hips), rest, ..NewNode::default() },
        NewNode { name: "foot".into(), parent: Some(0), rest, ..NewNode::default() },
    ];
    let made = [0, 1].map(|i| NodeId::from_index(model.skeleton.len() + i));
    below.skins[0].joints = vec![made[1], arm];
    let bound = model.with_bindings(&below).unwrap();
    same_surface("below", [&model, &bound], None);
    let changes = save(&old, &bound, &new).unwrap();
    assert_eq!((changes.nodes, changes.skins), (2, 1));
    let again = open(&new);
    assert_eq!(again.skeleton.names, bound.skeleton.names);
    assert_eq!(again.skeleton.parents, bound.skeleton.parents);
    same_surface("below", [&bound, &again], None);
    same_surface("below", [&bound, &again], Some(0.5));
    same_skins("below", &bound, &again, &["still"]);
    old_bytes_stay("below", [&old, &new]);
    let written = File::open(&new).root;
    assert_eq!((&written["nodes"][0]["children"], &written["nodes"][4]["children"]), (&json!([1, 3, 4]), &json!([5])));
    assert_eq!(written["scenes"][0]["nodes"], json!([2, 0]));
    // What hangs on the arm would come before the table.
    below.nodes[0].below = Some(arm);
    assert!(model.with_bindings(&below).unwrap_err().to_string().contains("it has no place there"));
    if is_there() {
        nothing_new(&[Written { what: "below".to_owned(), old, new }]);
    }
}
