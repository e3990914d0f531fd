//! In files compressed by meshopt and Draco, what changes is stored plain and the rest stays compressed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use skinscope::import::{Options, Progress, import_file};
use skinscope::model::{Model, Primitive};

use crate::common::PACKED_FIGURES;
use crate::fix::made::{F32, Pairs};
use crate::fix::reader::{File, differences};
use crate::fix::reference::{self, Vertex};
use crate::fix::{folder, models, report};

fn open(path: &Path) -> Arc<Model> {
    let import = import_file(path, &Options::default(), &Progress::silent());
    import.unwrap_or_else(|e| panic!("{}: {e}", path.display())).model
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The three largest, as the importer reads them; everything but weights as it was.
fn limited(before: &Model, after: &Model, most: usize) -> usize {
    let mut changed = 0;
    for (old, new) in before.meshes.iter().zip(&after.meshes).flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives))
    {
        assert!(old.positions == new.positions && old.indices == new.indices && old.normals == new.normals);
        assert!(old.uvs == new.uvs && old.morphs.len() == new.morphs.len());
        let (Some(a), Some(b)) = (&old.stored_influences, &new.stored_influences) else { continue };
        for v in 0..old.stored_vertices {
            let ((joints, weights), (new_joints, new_weights)) = (a.of(v), b.of(v));
            let mut used: Vec<(u16, f32)> =
                joints.iter().copied().zip(weights.iter().copied()).filter(|p| p.1 > 0.0).collect();
            if used.len() <= most && weights[most..].iter().all(|w| *w == 0.0) {
                assert_eq!((joints, weights), (new_joints, new_weights), "vertex {v}");
                continue;
            }
            changed += 1;
            let order: Vec<u16> = used.iter().map(|p| p.0).collect();
            used.sort_by(|x, y| y.1.total_cmp(&x.1));
            used.truncate(most);
            used.sort_by_key(|p| order.iter().position(|j| *j == p.0));
            let sum: f32 = used.iter().map(|p| p.1).sum();
            for (slot, (joint, weight)) in used.iter().enumerate() {
                assert_eq!(new_joints[slot], *joint, "vertex {v}");
                assert!((new_weights[slot] - weight / sum).abs() < 1.001 / 255.0, "vertex {v}");
            }
            assert!(new_weights[most..].iter().all(|w| *w == 0.0), "vertex {v}");
            assert!((new_weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "vertex {v}");
        }
    }
    changed
}

#[test]
fn compressed_files_are_limited_and_all_else_stays() {
    let mut seen = [0; 2];
    for name in PACKED_FIGURES {
        let folder = folder(&format!("packed/{name}"));
        let model = fixture(name);
        let told = report(&folder, &[model.to_str().unwrap(), "-o", "out.glb", "--limit", "1"]);
        let (before, after) = (open(&model), open(&folder.join("out.glb")));
        assert!(limited(&before, &after, 1) > 50, "{name}: {told}");
        let (old, new) = (File::open(&model), File::open(&folder.join("out.glb")));
        let draco = old.text.contains("KHR_draco_mesh_compression");
        seen[usize::from(draco)] += 1;
        for path in differences(&old.root, &new.root) {
            let fine = path.starts_with("/accessors/")
                || path.starts_with("/bufferViews/")
                || path.ends_with("/byteLength")
                || draco
                    && path.contains("/KHR_draco_mesh_compression/attributes/")
                    && (path.contains("/JOINTS_") || path.contains("/WEIGHTS_"));
            assert!(fine, "{name}: {path}");
        }
        // Old views and their bytes are where they were.
        let views = |file: &File| file.root["bufferViews"].as_array().unwrap().clone();
        assert!(views(&new).starts_with(&views(&old)), "{name}");
        let moved = differences(&old.root, &new.root).iter().any(|path| path.ends_with("/bufferView"));
        assert_eq!(moved, name != "figure_quantized.glb", "{name}");
        assert!(!moved || old.buffers.iter().zip(&new.buffers).all(|(a, b)| b.starts_with(a)), "{name}");
        let extensions = |file: &File| [file.root["extensionsUsed"].clone(), file.root["extensionsRequired"].clone()];
        assert_eq!(extensions(&old), extensions(&new), "{name}");
        // What was written changes no more.
        let again = report(&folder, &["out.glb", "-o", "again.glb", "--limit", "1"]);
        assert_eq!(again["changed"]["bytes"], json!(0), "{name}");
    }
    assert!(seen[0] >= 5 && seen[1] == 4, "{seen:?}");
}

/// Whether two primitives store the same joints and weights, to the bit.
fn same_pairs(a: &Primitive, b: &Primitive) -> bool {
    let all = |primitive: &Primitive| {
        let pairs = primitive.stored_influences.as_ref();
        pairs.map(|p| {
            (0..primitive.stored_vertices).map(|v| (p.of(v).0.to_vec(), p.of(v).1.to_vec())).collect::<Vec<_>>()
        })
    };
    all(a) == all(b)
}

#[test]
fn what_meshopt_compressed_is_compressed_again_where_that_is_wanted() {
    let mut seen = 0;
    for name in PACKED_FIGURES {
        let folder = folder(&format!("recompressed/{name}"));
        let model = fixture(name);
        let old = File::open(&model);
        let is_meshopt = old.text.contains("meshopt_compression");
        report(&folder, &[model.to_str().unwrap(), "-o", "plain.glb", "--limit", "2"]);
        report(&folder, &[model.to_str().unwrap(), "-o", "again.glb", "--limit", "2", "--recompress"]);
        let (plain, again) = (folder.join("plain.glb"), folder.join("again.glb"));
        if !is_meshopt {
            assert_eq!(std::fs::read(&plain).unwrap(), std::fs::read(&again).unwrap(), "{name}");
            continue;
        }
        let (one, other) = (open(&plain), open(&again));
        for (a, b) in one.meshes.iter().zip(&other.meshes).flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives)) {
            assert!(same_pairs(a, b) && a.positions == b.positions, "{name}");
        }
        let new = File::open(&again);
        let views = |file: &File| file.root["bufferViews"].as_array().unwrap().clone();
        let before = views(&old).len();
        assert!(views(&new).starts_with(&views(&old)) && views(&new).len() > before, "{name}");
        for view in &views(&new)[before..] {
            let (_, stream) = view["extensions"].as_object().unwrap().iter().next().unwrap();
            let number = |value: &Value| value.as_u64().unwrap();
            assert_eq!(number(&stream["count"]) * number(&stream["byteStride"]), number(&view["byteLength"]), "{name}");
            assert!(number(&stream["byteLength"]) < number(&view["byteLength"]), "{name}: {view}");
            let length = |at: u64| number(&new.root["buffers"][at as usize]["byteLength"]);
            for part in [view, stream] {
                let end = part["byteOffset"].as_u64().unwrap_or(0) + number(&part["byteLength"]);
                assert!(end <= length(number(&part["buffer"])), "{name}: {part}");
            }
            seen += 1;
        }
        let size = |path: &Path| path.metadata().unwrap().len();
        assert!(size(&again) < size(&plain), "{name}");
        // What was written changes no more, and can be changed once more.
        let told = report(&folder, &["again.glb", "-o", "same.glb", "--limit", "2", "--recompress"]);
        assert_eq!(told["changed"]["bytes"], json!(0), "{name}");
        report(&folder, &["again.glb", "-o", "more.glb", "--limit", "1", "--recompress"]);
        report(&folder, &["plain.glb", "-o", "more_plain.glb", "--limit", "1"]);
        let (one, other) = (open(&folder.join("more.glb")), open(&folder.join("more_plain.glb")));
        for (a, b) in one.meshes.iter().zip(&other.meshes).flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives)) {
            assert!(same_pairs(a, b), "{name}");
        }
    }
    assert!(seen >= 8, "{seen}");
}

/// The pairs of a primitive as the importer reads them, as floats.
fn pairs_of(primitive: &Primitive) -> Option<Pairs> {
    let influences = primitive.stored_influences.as_ref()?;
    let mut out = Pairs { slots: influences.per_vertex, component: F32, joints: Vec::new(), numbers: Vec::new() };
    for vertex in 0..primitive.stored_vertices {
        let (joints, weights) = influences.of(vertex);
        out.joints.extend(joints);
        out.numbers.extend(weights.iter().map(|weight| f64::from(*weight)));
    }
    Some(out)
}

#[test]
fn operations_on_compressed_weights_are_those_of_the_reference() {
    // Two operations for each figure, three figures for each operation.
    by_the_reference("packed operations", &|figure, operation| (figure + operation).is_multiple_of(3));
}

#[test]
#[ignore = "full: six operations are done to nine models"]
fn operations_on_compressed_weights_are_those_of_the_reference_in_every_figure() {
    by_the_reference("all packed operations", &|_, _| true);
}

/// What the other operations do to compressed weights, by the reference: to the step in which the weights are stored. `is_wanted` is
/// asked with the number of the figure and that of the operation.
fn by_the_reference(place: &str, is_wanted: &dyn Fn(usize, usize) -> bool) {
    type Reference = fn(&mut [Vertex]);
    let prune = |all: &mut [Vertex]| reference::prune(all, 0.2);
    let limit = |all: &mut [Vertex]| reference::limit(all, 2);
    let normalise = |all: &mut [Vertex]| reference::normalise(all, F32);
    let cases: [(&[&str], Reference); 6] = [
        (&["--normalise"], normalise),
        (&["--prune", "0.2"], prune),
        (&["--limit", "2"], limit),
        (&["--quantise", "u8"], normalise),
        (&["--quantise", "u16"], normalise),
        (&["--quantise", "f32"], |_| {}),
    ];
    for (figure, name) in PACKED_FIGURES.into_iter().enumerate() {
        let folder = folder(&format!("{place}/{name}"));
        let model = fixture(name);
        let before = open(&model);
        for (_, (arguments, operation)) in cases.into_iter().enumerate().filter(|(n, _)| is_wanted(figure, *n)) {
            let told = report(&folder, &[&[model.to_str().unwrap(), "-o", "out.glb"], arguments].concat());
            let after = open(&folder.join("out.glb"));
            let mut changed = 0;
            let meshes = before.meshes.iter().zip(&after.meshes);
            for (old, new) in meshes.flat_map(|(a, b)| a.primitives.iter().zip(&b.primitives)) {
                assert!(old.positions == new.positions && old.normals == new.normals && old.indices == new.indices);
                let (Some(old), Some(new)) = (pairs_of(old), pairs_of(new)) else { continue };
                let mut expected = reference::vertices(&old);
                operation(&mut expected);
                for (v, (expected, found)) in expected.iter().zip(reference::vertices(&new)).enumerate() {
                    let (expected, found) = (reference::dense(expected), reference::dense(&found));
                    let of = |dense: &[f64], joint: usize| dense.get(joint).copied().unwrap_or(0.0);
                    for joint in 0..expected.len().max(found.len()) {
                        let (a, b) = (of(&found, joint), of(&expected, joint));
                        assert!(
                            (a - b).abs() <= 1.001 / 255.0,
                            "{name} {arguments:?}: vertex {v}, joint {joint}: {a}, not {b}"
                        );
                    }
                    let slots = v * old.slots..(v + 1) * old.slots;
                    changed += usize::from(old.numbers[slots.clone()] != new.numbers[slots]);
                }
            }
            assert_eq!(changed > 0, told["changed"]["vertices"] != json!(0), "{name} {arguments:?}: {told}");
            assert!(changed > 0 || !["--prune", "--limit"].contains(&arguments[0]), "{name} {arguments:?}: {changed}");
        }
    }
}

/// A stream of which only weights were read has no use left: it goes, with its place in the file's lists.
#[test]
fn a_draco_stream_without_attributes_goes_with_its_extension() {
    let folder = folder("packed/last");
    let bytes = std::fs::read(fixture("figure_draco_sequential.glb")).unwrap();
    let file = File::open(&fixture("figure_draco_sequential.glb"));
    let model = open(&fixture("figure_draco_sequential.glb"));
    // All attributes but joints and weights are stored plain, as the importer reads them.
    let mut root = file.root.clone();
    let mut bin = file.buffers[0].clone();
    let of_primitive = |root: &Value| root["meshes"][0]["primitives"][0].clone();
    let primitive = of_primitive(&root);
    let source = &model.meshes[0].primitives[0];
    let mut plain = |root: &mut Value, name: &str, data: Vec<u8>| {
        let accessor = primitive["attributes"][name].as_u64().unwrap() as usize;
        bin.resize(bin.len().next_multiple_of(4), 0);
        let views = root["bufferViews"].as_array_mut().unwrap();
        views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": data.len() }));
        let view = views.len() - 1;
        bin.extend_from_slice(&data);
        root["accessors"][accessor]["bufferView"] = json!(view);
        root["accessors"][accessor]["componentType"] = json!(5126);
        root["accessors"][accessor]["count"] = json!(source.stored_vertices);
        root["accessors"][accessor].as_object_mut().unwrap().remove("normalized");
        if name == "COLOR_0" {
            root["accessors"][accessor]["type"] = json!("VEC4");
        }
        let described =
            &mut root["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"];
        described.as_object_mut().unwrap().remove(name);
    };
    let names: Vec<String> = primitive["attributes"].as_object().unwrap().keys().cloned().collect();
    for name in names.iter().filter(|n| !n.contains("S_")) {
        let data = match name.as_str() {
            "POSITION" => bytemuck::cast_slice(&source.positions[..source.stored_vertices]).to_vec(),
            "NORMAL" => bytemuck::cast_slice(&source.normals[..source.stored_vertices]).to_vec(),
            "COLOR_0" => bytemuck::cast_slice(&source.colors[..source.stored_vertices]).to_vec(),
            "TANGENT" => bytemuck::cast_slice(&source.tangents[..source.stored_vertices]).to_vec(),
            "TEXCOORD_0" => bytemuck::cast_slice(&source.uvs[0][..source.stored_vertices]).to_vec(),
            other => panic!("{other}"),
        };
        plain(&mut root, name, data);
    }
    root["buffers"][0]["byteLength"] = json!(bin.len());
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut glb = bytes[..8].to_vec();
    glb.extend((20 + text.len() as u32 + 8 + bin.len() as u32).to_le_bytes());
    for (kind, chunk) in [(0x4E4F_534A_u32, &text), (0x004E_4942, &bin)] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(kind.to_le_bytes());
        glb.extend_from_slice(chunk);
    }
    std::fs::write(folder.join("a.glb"), glb).unwrap();
    report(&folder, &["a.glb", "-o", "out.glb", "--limit", "1"]);
    let (before, after) = (open(&folder.join("a.glb")), open(&folder.join("out.glb")));
    assert!(limited(&before, &after, 1) > 50);
    let new = File::open(&folder.join("out.glb"));
    assert!(!new.text.contains("KHR_draco_mesh_compression"), "{}", new.text);
    assert!(new.root["extensionsUsed"].is_null() && new.root["extensionsRequired"].is_null(), "no empty list is left");
}

#[test]
fn models_are_limited_and_open_again() {
    // The compressed ones have a test of their own.
    let is_small = |model: &PathBuf| std::fs::metadata(model).unwrap().len() < 200_000;
    let is_packed = |model: &PathBuf| PACKED_FIGURES.iter().any(|name| model.ends_with(name));
    let few = models().into_iter().filter(|model| is_small(model) && !is_packed(model));
    let seen = limited_again(&folder("some"), few);
    assert!(seen >= 1, "{seen}");
}

#[test]
#[ignore = "full: every model is opened twice, some of them large"]
fn every_model_is_limited_and_opens_again() {
    let seen = limited_again(&folder("every"), models());
    assert!(seen >= 10, "{seen}");
}

/// Every model with weights, limited to one joint, opens and is what the importer and the reference say; at any layout. Returns how
/// many have weights.
fn limited_again(folder: &Path, models: impl IntoIterator<Item = PathBuf>) -> usize {
    let mut seen = 0;
    for model in models.into_iter().filter(|m| !m.to_string_lossy().contains("malformed")) {
        let before = open(&model);
        if before.meshes.iter().flat_map(|m| &m.primitives).all(|p| p.stored_influences.is_none()) {
            continue;
        }
        let out = format!("out.{}", model.extension().unwrap().to_str().unwrap());
        let _absent = std::fs::remove_dir_all(folder.join("sub"));
        std::fs::create_dir(folder.join("sub")).unwrap();
        report(&folder.join("sub"), &[model.to_str().unwrap(), "-o", &out, "--limit", "1"]);
        let after = open(&folder.join("sub").join(&out));
        limited(&before, &after, 1);
        assert_eq!(before.clips.len(), after.clips.len());
        assert_eq!(before.skeleton.names, after.skeleton.names);
        seen += 1;
    }
    seen
}
