//! The places in a file that a model names for its numbers hold those numbers, to the last bit. For a number that
//! import repairs, the place holds what the file has.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod made;
mod reader;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use made::{Doc, JOINTS, VERTICES};
use reader::{Reader, compare};
use serde_json::json;
use skinscope::import::{Options, Progress, import_bytes, import_file};
use skinscope::model::{BufferSource, Model, Origins};

use crate::common;

fn open(path: &Path) -> Arc<Model> {
    import_file(path, &Options::default(), &Progress::silent())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .model
}

fn open_bytes(bytes: &[u8]) -> Arc<Model> {
    import_bytes(bytes, "made", &Options::default(), &Progress::silent()).unwrap().model
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Documents made by hand, by what is special about them.
fn made() -> [(&'static str, Doc); 6] {
    [
        ("plain", Doc::character()),
        ("interleaved", Doc::interleaved()),
        ("sparse", Doc::sparse()),
        ("two sets", Doc::two_sets()),
        ("broken", Doc::broken()),
        ("left out", Doc::left_out()),
    ]
}

#[test]
fn every_number_of_a_made_document_stands_where_the_model_says() {
    for (what, doc) in made() {
        for bytes in [doc.glb(), doc.data_uri()] {
            let model = open_bytes(&bytes);
            let compared = Reader::new(&model, &model.source.origins, &bytes).and_then(|r| r.compare());
            let least = 2 * 2 * 4 * VERTICES + 12 * (JOINTS - 1) + 16 + 10 + 4 * (JOINTS - 2) + 2 + 30 + 15 + 12 + 9;
            assert!(compared.as_ref().is_ok_and(|n| *n >= least), "{what}: {compared:?}, not {least}");
        }
    }
}

#[test]
fn buffers_may_lie_in_the_container_in_the_text_in_files_and_nowhere() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("origins");
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    let doc = Doc::sparse();
    std::fs::write(folder.join("skin ü.bin"), [&doc.bin[..], b"more than the buffer"].concat()).unwrap();
    std::fs::write(folder.join("made.gltf"), doc.external("./skin%20%C3%BC.bin")).unwrap();
    let model = open(&folder.join("made.gltf"));
    let BufferSource::File(path) = &model.source.origins.buffers[0].source else { panic!("not a file") };
    assert_eq!(path.canonicalize().unwrap(), folder.join("skin ü.bin"));
    assert_eq!(model.source.files, std::slice::from_ref(path));
    compare(&model, &folder.join("made.gltf")).unwrap();
    // The binary chunk of a GLB beside a file: a view in each.
    let mut both = doc.clone();
    both.root["buffers"] = json!([{}, { "byteLength": doc.bin.len(), "uri": "skin%20%C3%BC.bin" }]);
    let binds = both.root["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
    let view = both.root["accessors"][binds]["bufferView"].as_u64().unwrap() as usize;
    both.root["bufferViews"][view]["buffer"] = json!(1);
    std::fs::write(folder.join("made.glb"), both.glb()).unwrap();
    let model = open(&folder.join("made.glb"));
    let origins = &model.source.origins;
    assert!(matches!(origins.buffers[0].source, BufferSource::GlbChunk { .. }));
    assert!(matches!(origins.buffers[1].source, BufferSource::File(_)));
    compare(&model, &folder.join("made.glb")).unwrap();
    assert_eq!(open_bytes(&doc.data_uri()).source.origins.buffers[0].source, BufferSource::DataUri);
    // What compressed views leave of a buffer is not read.
    let origins = open(&fixture("figure_gltfpack_ext.glb")).source.origins.clone();
    assert!(origins.buffers.iter().any(|b| b.source == BufferSource::Unread), "{:?}", origins.buffers);
}

#[test]
fn packed_figures_stand_where_the_model_says() {
    let mut packed = [0; 2];
    for name in ["figure.glb"].into_iter().chain(common::PACKED_FIGURES) {
        let model = open(&fixture(name));
        let compared = compare(&model, &fixture(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(compared > 4000, "{name}: {compared}");
        let origins = &model.source.origins;
        packed[0] += usize::from(origins.views.iter().any(|v| v.meshopt.is_some()));
        packed[1] += usize::from(origins.primitives[0][0].draco.is_some_and(|d| d.vertices.is_some()));
    }
    assert_eq!(packed, [4, 4]);
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    assert!(compare(&open(&built_in), &built_in).unwrap() > 10_000);
}

/// A stream that cannot be decoded and need not be: what it stands beside is read, and the stream is said to be there.
#[test]
fn a_stream_that_was_not_read_is_told_from_one_that_was() {
    let mut doc = Doc::character();
    let stream = doc.view(b"DRACO is not what this is");
    let described = json!({ "bufferView": stream, "attributes": { "POSITION": 0, "WEIGHTS_0": 1 } });
    doc.root["meshes"][0]["primitives"][1]["extensions"] = json!({ "KHR_draco_mesh_compression": described });
    doc.root["meshes"][0]["primitives"][1]["mode"] = json!(4);
    doc.root["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    let bytes = doc.glb();
    let model = open_bytes(&bytes);
    let origins = &model.source.origins;
    Reader::new(&model, origins, &bytes).unwrap().compare().unwrap();
    let of = |p: usize| &origins.primitives[0][p];
    assert_eq!((of(0).draco, of(1).draco.map(|d| (d.view, d.vertices))), (None, Some((stream, None))));
    assert_eq!(of(1).sets[0].weights.draco, None);
}

#[test]
fn shared_accessors_are_known_as_one_and_repairs_are_kept_apart() {
    let model = open_bytes(&Doc::character().glb());
    let [first, second] = &model.source.origins.primitives[0][..] else { panic!("not two primitives") };
    assert_eq!(first.sets, second.sets);
    assert_eq!(model.source.origins.skins, [Some(5), None]);
    let model = open_bytes(&Doc::broken().glb());
    let influences = model.meshes[0].primitives[1].stored_influences.as_ref().unwrap();
    assert_eq!((influences.not_finite.len(), influences.out_of_range.len()), (2, 2));
    let model = open_bytes(&Doc::left_out().glb());
    let clip = &model.source.origins.clips[0];
    assert_eq!(clip.samplers[0].kept.as_deref(), Some(&[0, 3, 4, 5][..]));
    assert_eq!((&clip.channels[..], &clip.properties[..]), (&[1, 4, 5, 6, 7, 3][..], &[2][..]));
}

/// Changes of one number of the origins, each with what it is called.
fn mutations(origins: &Origins) -> Vec<(String, Origins)> {
    let mut out: Vec<(String, Origins)> = Vec::new();
    let mut with = |what: String, change: &dyn Fn(&mut Origins)| {
        let mut changed = origins.clone();
        change(&mut changed);
        if changed != *origins {
            out.push((what, changed));
        }
    };
    with("json.start".into(), &|o| o.json.start += 1);
    with("json.end".into(), &|o| o.json.end += 1);
    for b in 0..origins.buffers.len() {
        with(format!("buffer {b}, length"), &|o| o.buffers[b].length -= 1);
        with(format!("buffer {b}, chunk"), &|o| {
            if let BufferSource::GlbChunk { range } = &mut o.buffers[b].source {
                *range = range.start - 4..range.end - 4;
            }
        });
    }
    let sets = || origins.primitives.iter().flatten().flat_map(|p| &p.sets);
    let mut accessors: Vec<usize> = sets().flat_map(|s| [s.joints.accessor, s.weights.accessor]).collect();
    accessors.extend(origins.skins.iter().flatten());
    accessors.extend(origins.clips.iter().flat_map(|c| &c.samplers).flat_map(|s| [s.input, s.output]));
    for a in accessors {
        let step = origins.accessors[a].component.bytes();
        for by in [step as i64, -(step as i64), 4] {
            with(format!("accessor {a}, offset {by:+}"), &|o| {
                let Some(base) = &mut o.accessors[a].base else { return };
                base.offset = base.offset.wrapping_add_signed(by);
            });
            with(format!("accessor {a}, stride {by:+}"), &|o| {
                let many = o.accessors[a].count > 1;
                let Some(base) = o.accessors[a].base.as_mut().filter(|_| many) else { return };
                base.stride = base.stride.wrapping_add_signed(by as isize);
            });
            with(format!("accessor {a}, view {by:+}"), &|o| {
                let Some(view) = o.accessors[a].base.map(|base| base.view) else { return };
                if let Some(stream) = &mut o.views[view].meshopt {
                    stream.offset = stream.offset.wrapping_add_signed(by);
                } else {
                    o.views[view].offset = o.views[view].offset.wrapping_add_signed(by);
                }
            });
            with(format!("accessor {a}, sparse values {by:+}"), &|o| {
                let Some(sparse) = &mut o.accessors[a].sparse else { return };
                sparse.values.offset = sparse.values.offset.wrapping_add_signed(by);
            });
            with(format!("accessor {a}, stride of sparse values {by:+}"), &|o| {
                let Some(sparse) = &mut o.accessors[a].sparse else { return };
                sparse.values.stride = sparse.values.stride.wrapping_add_signed(by as isize);
            });
        }
        with(format!("accessor {a}, view"), &|o| {
            let Some(base) = &mut o.accessors[a].base else { return };
            base.view = base.view.checked_sub(1).unwrap_or(base.view + 1);
        });
        with(format!("accessor {a}, normalized"), &|o| {
            let accessor = &mut o.accessors[a];
            accessor.normalized ^= accessor.component.bytes() < 4;
        });
        with(format!("accessor {a}, count"), &|o| o.accessors[a].count -= 1);
        with(format!("accessor {a}, sparse"), &|o| o.accessors[a].sparse = None);
        with(format!("accessor {a}, sparse indices"), &|o| {
            let Some(sparse) = &mut o.accessors[a].sparse else { return };
            sparse.indices.offset -= sparse.index_type.bytes() as u64;
        });
        with(format!("accessor {a}, stride of sparse indices"), &|o| {
            let Some(sparse) = &mut o.accessors[a].sparse else { return };
            sparse.indices.stride = 0;
        });
    }
    for p in 0..origins.primitives[0].len() {
        with(format!("primitive {p}, sets"), &|o| o.primitives[0][p].sets.reverse());
        with(format!("primitive {p}, joints for weights"), &|o| {
            let set = &mut o.primitives[0][p].sets[0];
            std::mem::swap(&mut set.joints.accessor, &mut set.weights.accessor);
        });
        with(format!("primitive {p}, id in the stream"), &|o| {
            let set = &mut o.primitives[0][p].sets[0];
            std::mem::swap(&mut set.joints.draco, &mut set.weights.draco);
        });
        with(format!("primitive {p}, stream"), &|o| {
            let Some(draco) = o.primitives[0][p].draco else { return };
            o.views[draco.view].offset += 1;
        });
        with(format!("primitive {p}, vertices of the stream"), &|o| {
            let Some(draco) = &mut o.primitives[0][p].draco else { return };
            draco.vertices = draco.vertices.map(|v| v + 1);
        });
    }
    with("skins".into(), &|o| o.skins.reverse());
    for (n, members) in origins.nodes.iter().enumerate() {
        with(format!("node {n}"), &|o| o.nodes[n].rotation = !members.rotation);
        with(format!("node {n}, weights"), &|o| o.nodes[n].weights = !members.weights);
    }
    for (c, clip) in origins.clips.iter().enumerate() {
        for s in 0..clip.samplers.len() {
            with(format!("clip {c}, sampler {s}, input"), &|o| o.clips[c].samplers[s].input += 1);
            with(format!("clip {c}, sampler {s}, output"), &|o| o.clips[c].samplers[s].output -= 1);
            with(format!("clip {c}, sampler {s}"), &|o| o.clips[c].samplers[s].sampler += 1);
            with(format!("clip {c}, sampler {s}, keys"), &|o| o.clips[c].samplers[s].kept = None);
        }
        with(format!("clip {c}, channels"), &|o| o.clips[c].channels.reverse());
        with(format!("clip {c}, properties"), &|o| o.clips[c].properties.iter_mut().for_each(|p| *p += 1));
    }
    out
}

#[test]
fn no_number_of_the_origins_may_be_another() {
    let check = |what: &str, model: &Model, bytes: &[u8]| {
        let mutations = mutations(&model.source.origins);
        assert!(mutations.len() > 60, "{what}: {}", mutations.len());
        let unseen = mutations
            .into_iter()
            .filter(|(_, origins)| Reader::new(model, origins, bytes).and_then(|r| r.compare()).is_ok());
        let unseen: Vec<String> = unseen.map(|(change, _)| change).collect();
        assert!(unseen.is_empty(), "{what}: not noticed are {unseen:#?}");
    };
    for (what, doc) in made() {
        check(what, &open_bytes(&doc.glb()), &doc.glb());
    }
    for name in ["figure_draco_sequential.glb", "figure_meshopt.glb"] {
        check(name, &open(&fixture(name)), &std::fs::read(fixture(name)).unwrap());
    }
}

/// Nothing is kept for each vertex: a few hundred bytes for each accessor, whatever it holds.
#[test]
fn origins_are_small() {
    use skinscope::model::{AccessorOrigin, PrimitiveOrigin, SetOrigin, SparseOrigin, ViewOrigin};
    let accessor = size_of::<AccessorOrigin>() + size_of::<SparseOrigin>() + size_of::<ViewOrigin>();
    assert!(accessor <= 300, "{accessor}");
    assert!(size_of::<PrimitiveOrigin>() + size_of::<SetOrigin>() <= 128);
    for (what, doc) in made() {
        let kept = open_bytes(&doc.glb()).source.origins.clone();
        let keys: usize = kept.clips[0].samplers.iter().filter_map(|s| s.kept.as_ref()).map(|k| k.len()).sum();
        assert_eq!(keys > 0, what == "left out", "{what}");
    }
}

#[test]
fn every_number_of_the_corpus_stands_where_the_model_says() {
    let Some(corpus) = common::corpus() else { return };
    let (mut files, mut numbers) = (0, 0);
    let mut folders = vec![corpus.join("models"), corpus.join("bind"), corpus.join("methods")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
                numbers += compare(&open(&path), &path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                files += 1;
            }
        }
    }
    assert!(files >= 15 && numbers > 800_000, "{files} files, {numbers} numbers");
}
