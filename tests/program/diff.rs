//! `skinscope diff`: which differences it reports for two files, and what does not count as one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use skinscope::anim::{SampleScratch, evaluate_clip};
use skinscope::compare::compare;
use skinscope::deform::{METHODS, Surface, SurfaceInput, palettes};
use skinscope::import::{Options, Progress};
use skinscope::model::{Clip, InstanceId, LocalPose, Model};
use skinscope::session::Source;

use crate::common;
use crate::fix::run::{captured, launched};

/// An empty folder but for the built-in character, `a.glb`.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diff").join(name);
    let _absent = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    std::fs::copy(built_in, folder.join("a.glb")).unwrap();
    folder
}

/// What is told of two files; the exit code is that of the answer.
pub fn told(folder: &Path, a: &str, b: &str) -> Value {
    let out = captured(folder, &["diff", a, b, "--json"]);
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let code = if told["same"] == json!(true) { 0 } else { 3 };
    assert_eq!(out.status.code(), Some(code), "{told}");
    told
}

/// The JSON text of a GLB, changed.
fn rewrite(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) {
    let bytes = std::fs::read(folder.join("a.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut root: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    change(&mut root);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = (bytes.len() - length + text.len()) as u32;
    let head = [&bytes[..8], &total.to_le_bytes(), &(text.len() as u32).to_le_bytes(), &bytes[16..20]].concat();
    std::fs::write(folder.join(name), [&head[..], &text, &bytes[20 + length..]].concat()).unwrap();
}

#[test]
fn order_and_storage_are_no_difference() {
    let folder = folder("same");
    std::fs::copy(folder.join("a.glb"), folder.join("copy.glb")).unwrap();
    let same = told(&folder, "a.glb", "copy.glb");
    assert_eq!((&same["same"], &same["identical_bytes"]), (&json!(true), &json!(true)));
    assert_eq!((&same["posed"]["clip"], &same["posed"]["largest_mm"]), (&Value::Null, &json!(0.0)));
    let out = captured(&folder, &["fix", "a.glb", "-o", "stored.glb", "--quantise", "f32"]);
    assert!(out.status.success());
    let stored = told(&folder, "a.glb", "stored.glb");
    assert_eq!((&stored["same"], &stored["identical_bytes"]), (&json!(true), &json!(false)), "{stored}");
    // Clips the other way round.
    rewrite(&folder, "turned.glb", |root| {
        root["animations"].as_array_mut().unwrap().reverse();
        root["extras"] = json!({ "note": 1 });
    });
    assert_eq!(told(&folder, "a.glb", "turned.glb")["same"], json!(true));
    assert_eq!(launched(&folder, &["diff", "a.glb", "missing.glb"]).status.code(), Some(1));
    assert_eq!(launched(&folder, &["diff", "a.glb"]).status.code(), Some(2));
    assert_eq!(launched(&folder, &["diff", "a.glb", "copy.glb", "--html", "a.glb"]).status.code(), Some(2));
}

#[test]
fn other_weights_are_counted_and_seen_in_poses() {
    let folder = folder("weights");
    let out = captured(&folder, &["fix", "a.glb", "-o", "b.glb", "--smooth", "2", "--json"]);
    let fixed: Value = serde_json::from_slice(&out.stdout).unwrap();
    let found = told(&folder, "a.glb", "b.glb");
    assert_eq!(found["weights"]["vertices"], fixed["changed"]["vertices"]);
    let largest = found["weights"]["largest"].as_f64().unwrap();
    assert!(largest > 0.01 && largest < 1.0, "{found}");
    assert!(found["posed"]["largest_mm"].as_f64().unwrap() > 0.1 && found["posed"]["clip"].is_string(), "{found}");
    for empty in ["nodes", "clips", "materials"] {
        assert!(found[empty].as_object().unwrap().values().all(|list| list == &json!([])), "{found}");
    }
    assert_eq!((&found["inverse_binds"]["changed"], &found["surface"]["vertices"]), (&json!(0), &json!(0)));
    let page = folder.join("page.html");
    assert_eq!(captured(&folder, &["diff", "a.glb", "b.glb", "--html", "page.html"]).status.code(), Some(3));
    assert!(std::fs::read_to_string(page).unwrap().contains("<h3>weights</h3>"));
}

#[test]
fn names_rest_poses_clips_and_materials_are_told() {
    let folder = folder("names");
    rewrite(&folder, "b.glb", |root| {
        let nodes = root["nodes"].as_array_mut().unwrap();
        let head = nodes.iter_mut().find(|n| n["name"] == "Head").unwrap();
        let old = head["translation"].as_array().cloned().unwrap_or_else(|| vec![json!(0.0); 3]);
        head["translation"] = json!([old[0].as_f64().unwrap() + 0.25, old[1], old[2]]);
        nodes.push(json!({ "name": "New" }));
        root["animations"][0]["name"] = json!("Other");
        root["materials"][0]["pbrMetallicRoughness"]["metallicFactor"] = json!(0.125);
    });
    let found = told(&folder, "a.glb", "b.glb");
    assert_eq!((&found["nodes"]["moved"], &found["nodes"]["added"]), (&json!(["Head"]), &json!(["New"])));
    assert_eq!(
        (found["clips"]["added"].clone(), found["clips"]["removed"].as_array().unwrap().len()),
        (json!(["Other"]), 1)
    );
    assert_eq!(found["materials"]["changed"].as_array().unwrap().len(), 1);
    let millimetres = found["posed"]["largest_mm"].as_f64().unwrap();
    assert!((200.0..400.0).contains(&millimetres), "{found}");
    assert_eq!(found["weights"]["vertices"], json!(0));
}

/// The lists of elements of a primitive, each by the bytes of an element and where the first one stands; their length; the indices.
pub type Streams = (Vec<(usize, usize)>, usize, (usize, usize, usize));

/// Finds the lists of a primitive in a GLB whose views are tight.
pub fn streams(bytes: &[u8], mesh: usize, primitive: usize) -> Streams {
    let json = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let root: Value = serde_json::from_slice(&bytes[20..20 + json]).unwrap();
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let of = |accessor: &Value| {
        let accessor = &root["accessors"][number(accessor)];
        let view = &root["bufferViews"][number(&accessor["bufferView"])];
        assert!(view["byteStride"].is_null() && accessor["sparse"].is_null());
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            _ => 4,
        };
        let component = match number(&accessor["componentType"]) {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let start = 28 + json + number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        (width * component, start, number(&accessor["count"]))
    };
    let part = &root["meshes"][mesh]["primitives"][primitive];
    let all: Vec<_> = part["attributes"].as_object().unwrap().values().map(of).collect();
    (all.iter().map(|(size, start, _)| (*size, *start)).collect(), all[0].2, of(&part["indices"]))
}

#[test]
fn vertices_in_another_order_are_no_difference() {
    let folder = folder("order");
    let original = std::fs::read(folder.join("a.glb")).unwrap();
    let (lists, count, (size, start, indices)) = streams(&original, 0, 0);
    let mut bytes = original.clone();
    // Vertex v goes to place (v + 17) mod count.
    for (size, start) in lists {
        for v in 0..count {
            let to = start + (v + 17) % count * size;
            bytes[to..to + size].copy_from_slice(&original[start + v * size..start + (v + 1) * size]);
        }
    }
    for i in 0..indices {
        let at = start + i * size;
        let mut number = [0; 8];
        number[..size].copy_from_slice(&original[at..at + size]);
        let moved = (usize::from_le_bytes(number) + 17) % count;
        bytes[at..at + size].copy_from_slice(&moved.to_le_bytes()[..size]);
    }
    std::fs::write(folder.join("order.glb"), &bytes).unwrap();
    let same = told(&folder, "a.glb", "order.glb");
    assert_eq!((&same["same"], &same["identical_bytes"]), (&json!(true), &json!(false)), "{same}");
    // One weight that differs is found at its new place.
    std::fs::copy(folder.join("order.glb"), folder.join("b.glb")).unwrap();
    let out = captured(&folder, &["fix", "b.glb", "-o", "limited.glb", "--limit", "1", "--json"]);
    let fixed: Value = serde_json::from_slice(&out.stdout).unwrap();
    let found = told(&folder, "a.glb", "limited.glb");
    assert_eq!(found["weights"]["vertices"], fixed["changed"]["vertices"], "{found}");
}

#[test]
fn a_weight_that_is_no_number_differs_and_json_holds_none() {
    let folder = folder("nan");
    assert!(captured(&folder, &["fix", "a.glb", "-o", "f32.glb", "--quantise", "f32"]).status.success());
    let mut bytes = std::fs::read(folder.join("f32.glb")).unwrap();
    let json = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let root: Value = serde_json::from_slice(&bytes[20..20 + json]).unwrap();
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let accessor = &root["accessors"][number(&root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"])];
    let view = &root["bufferViews"][number(&accessor["bufferView"])];
    let start = 28 + json + number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    bytes[start + 16 * 9..start + 16 * 9 + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(folder.join("nan.glb"), &bytes).unwrap();
    for (a, b) in [("f32.glb", "nan.glb"), ("nan.glb", "f32.glb")] {
        let found = told(&folder, a, b);
        assert_eq!((&found["same"], &found["weights"]["vertices"]), (&json!(false), &json!(1)), "{found}");
    }
    // Both have it in the same place, and what is no number is equal to nothing. One byte of the name of the generator differs, since
    // files of the same bytes are not compared.
    let generator = bytes.windows(11).position(|window| window == b"\"generator\"").unwrap();
    let letter = (generator + 11..).find(|at| bytes[*at].is_ascii_lowercase()).unwrap();
    bytes[letter] = bytes[letter].to_ascii_uppercase();
    std::fs::write(folder.join("nan too.glb"), &bytes).unwrap();
    assert_eq!(told(&folder, "nan.glb", "nan too.glb")["weights"]["vertices"], json!(1));
}

#[test]
fn skins_are_matched_by_name_where_their_order_differs() {
    let folder = folder("skins");
    let two = |root: &mut Value, turned: bool| {
        let mut first = root["skins"][0].clone();
        let mut second = first.clone();
        first["name"] = json!("body");
        second["name"] = json!("coat");
        let joints = second["joints"].as_array_mut().unwrap();
        joints.truncate(3);
        second.as_object_mut().unwrap().remove("inverseBindMatrices");
        root["skins"] = if turned { json!([second, first]) } else { json!([first, second]) };
        for node in root["nodes"].as_array_mut().unwrap() {
            if node["skin"].is_number() {
                node["skin"] = json!(usize::from(turned));
            }
        }
    };
    rewrite(&folder, "two.glb", |root| two(root, false));
    rewrite(&folder, "turned.glb", |root| two(root, true));
    let found = told(&folder, "two.glb", "turned.glb");
    assert_eq!((&found["same"], &found["inverse_binds"]["changed"]), (&json!(true), &json!(0)), "{found}");
    rewrite(&folder, "renamed.glb", |root| {
        two(root, true);
        root["skins"][1]["name"] = json!("another");
    });
    assert_eq!(told(&folder, "two.glb", "renamed.glb")["inverse_binds"]["changed"], json!(0));
}

/// Models that load, from the fixtures and the corpus.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("assets"), root.join("tests/fixtures")];
    folders.extend(common::corpus().map(|corpus| corpus.join("models")));
    common::models_in(folders)
}

fn load(path: &Path) -> Option<Arc<Model>> {
    let source = Source::File(path.to_owned());
    Some(Arc::clone(source.load(&Options::default(), &Progress::silent()).ok()?.stored()))
}

#[test]
fn no_model_differs_from_itself() {
    let is_small = |path: &PathBuf| std::fs::metadata(path).unwrap().len() < 400_000;
    equal_themselves(models().into_iter().filter(is_small));
}

#[test]
#[ignore = "full: each model is opened twice and compared in all of its clips, of which one has 76"]
fn no_model_differs_from_itself_however_large() {
    equal_themselves(models());
}

fn equal_themselves(models: impl IntoIterator<Item = PathBuf>) {
    let mut seen = 0;
    for path in models {
        let (Some(a), Some(b)) = (load(&path), load(&path)) else { continue };
        let broken = a.meshes.iter().flat_map(|m| &m.primitives).filter_map(|p| p.stored_influences.as_ref());
        if broken.into_iter().any(|i| !i.not_finite.is_empty()) {
            continue;
        }
        let found = compare(&a, &b);
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        assert!(found.posed.metres == 0.0 && found.inverse_binds == 0, "{}", path.display());
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

/// The positions of all drawn vertices of a model at a moment of a clip.
fn positions(model: &Model, clip: &Clip, time: f32) -> Vec<glam::Vec3> {
    let (mut scratch, mut local, mut nodes) = (SampleScratch::default(), LocalPose::default(), Vec::new());
    evaluate_clip(model, clip, time, &mut scratch, &mut local, &mut nodes);
    let mut matrices = Vec::new();
    palettes(model, &nodes, &mut matrices);
    let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
    let (palettes, morph_weights) = (&matrices[..], &local.morph_weights[..]);
    let surface =
        Surface::of(&SurfaceInput { model, draws: &draws, palettes, morph_weights, method: METHODS[0].into() });
    surface.parts.iter().flat_map(|part| part.deformed.positions.iter().copied()).collect()
}

fn farthest(a: &[glam::Vec3], b: &[glam::Vec3]) -> f64 {
    a.iter().zip(b).map(|(p, q)| p.as_dvec3().distance(q.as_dvec3())).fold(0.0, f64::max)
}

#[test]
fn the_largest_posed_distance_is_within_five_per_cent_of_what_a_finer_search_finds() {
    let small = common::corpus().map(|corpus| corpus.join("models/RiggedFigure.glb"));
    search(&folder("posed"), [figure()].into_iter().chain(small));
}

#[test]
#[ignore = "full: six models are deformed by the processor at 641 moments of each of their clips"]
fn the_largest_posed_distance_is_within_five_per_cent_in_every_model() {
    let corpus = common::corpus();
    let wanted = ["CesiumMan", "Fox", "RiggedFigure", "BrainStem", "RobotExpressive"];
    let is_wanted = |path: &PathBuf| wanted.iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name));
    let found = corpus.iter().flat_map(|_| models()).filter(is_wanted);
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    search(&folder("posed all"), found.chain([built_in, figure()]));
}

/// A small character.
fn figure() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb")
}

/// 33 times of each clip are looked at: what twenty times as many find is no more than 5 % farther, and what is told of the
/// time that is named is so.
fn search(folder: &Path, models: impl IntoIterator<Item = PathBuf>) {
    let mut worst = 0.0_f64;
    let mut measured = 0;
    for path in models {
        let ending = path.extension().unwrap().to_str().unwrap();
        for operation in [&["--smooth", "3"][..], &["--limit", "1"]] {
            let out = folder.join(format!("out.{ending}"));
            let arguments = [&["fix", path.to_str().unwrap(), "-o", out.to_str().unwrap()], operation].concat();
            if !captured(folder, &arguments).status.success() {
                continue;
            }
            let (a, b) = (load(&path).unwrap(), load(&out).unwrap());
            let told = compare(&a, &b).posed;
            if a.clips.is_empty() || !told.is_seen {
                continue;
            }
            let mut most = 0.0_f64;
            for (x, y) in a.clips.iter().zip(&b.clips) {
                for moment in 0..=640 {
                    let time = x.start_secs + x.duration_secs() * moment as f32 / 640.0;
                    most = most.max(farthest(&positions(&a, x, time), &positions(&b, y, time)));
                }
            }
            let short = (most - told.metres) / most;
            worst = worst.max(short);
            assert!(short <= 0.05, "{}: {most} m, told {} m", path.display(), told.metres);
            if let Some((name, time)) = &told.clip {
                let at = a.clips.iter().position(|clip| clip.name == *name).unwrap();
                let there = farthest(&positions(&a, &a.clips[at], *time), &positions(&b, &b.clips[at], *time));
                assert!((there - told.metres).abs() <= 0.02 * there, "{}: {there} m at {time} s", path.display());
            }
            measured += 1;
        }
    }
    println!("the farthest of {measured} is short by {:.2} % at most", 100.0 * worst);
    assert!(measured >= 2, "{measured}");
}

/// Whether all lists of a report are empty but those that are named by their paths.
fn lists_anything_but(found: &Value, named: &[&str]) -> bool {
    let lists = ["nodes", "clips", "materials"].into_iter().flat_map(|what| {
        found[what].as_object().unwrap().iter().map(move |(how, list)| (format!("{what}.{how}"), list.clone()))
    });
    lists.filter(|(path, _)| !named.contains(&&**path)).any(|(_, list)| list != json!([]))
}

#[test]
fn a_renamed_joint_is_one_difference_and_spreads_to_nothing() {
    let folder = folder("renamed");
    for (name, change) in [
        ("one.glb", (|old: &str| (old == "Head").then(|| "Skull".to_owned())) as fn(&str) -> Option<String>),
        ("all.glb", |old: &str| Some(format!("rig:{old}"))),
    ] {
        let mut pairs = Vec::new();
        rewrite(&folder, name, |root| {
            let joints: Vec<usize> =
                root["skins"][0]["joints"].as_array().unwrap().iter().map(|j| j.as_u64().unwrap() as usize).collect();
            for joint in joints {
                let old = root["nodes"][joint]["name"].as_str().unwrap().to_owned();
                if let Some(new) = change(&old) {
                    root["nodes"][joint]["name"] = json!(new);
                    pairs.push(json!({ "from": old, "to": new }));
                }
            }
        });
        let found = told(&folder, "a.glb", name);
        let mut renamed = found["nodes"]["renamed"].as_array().unwrap().clone();
        let key = |pair: &Value| pair["from"].as_str().unwrap().to_owned();
        renamed.sort_by_key(key);
        pairs.sort_by_key(key);
        assert!(!pairs.is_empty());
        assert_eq!(renamed, pairs, "{found}");
        assert!(!lists_anything_but(&found, &["nodes.renamed"]), "{found}");
        assert_eq!((&found["weights"]["vertices"], &found["inverse_binds"]["changed"]), (&json!(0), &json!(0)));
        assert_eq!((&found["posed"]["vertex"], &found["posed"]["largest_mm"]), (&Value::Null, &json!(0.0)), "{found}");
    }
    let out = captured(&folder, &["diff", "a.glb", "one.glb"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("nodes renamed") && text.contains("\"Head\" → \"Skull\""), "{text}");
    assert!(text.contains("no vertex is elsewhere") && !text.contains("farthest apart"), "{text}");
}

#[test]
fn a_clip_that_does_not_drive_what_was_moved_is_the_same() {
    let folder = folder("rest moved");
    // Every clip turns the spine and none moves it.
    rewrite(&folder, "moved.glb", |root| {
        let spine = root["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "Spine").unwrap();
        let drives = |path: &str| {
            let all = root["animations"].as_array().unwrap().iter().flat_map(|a| a["channels"].as_array().unwrap());
            all.filter(|c| c["target"]["node"] == json!(spine) && c["target"]["path"] == json!(path)).count()
        };
        assert!(drives("rotation") > 0 && drives("translation") == 0);
        let old = root["nodes"][spine]["translation"].clone();
        root["nodes"][spine]["translation"] = json!([old[0].as_f64().unwrap() + 0.25, old[1], old[2]]);
    });
    let found = told(&folder, "a.glb", "moved.glb");
    assert_eq!((&found["nodes"]["moved"], &found["clips"]["changed"]), (&json!(["Spine"]), &json!([])), "{found}");
    assert!(found["posed"]["largest_mm"].as_f64().unwrap() > 100.0, "{found}");
    // A clip that drives the same to other values is changed.
    rewrite(&folder, "driven.glb", |root| {
        let channels = root["animations"][1]["channels"].as_array_mut().unwrap();
        let other = channels.iter().position(|c| c["target"]["path"] == "rotation").unwrap();
        channels.remove(other);
    });
    let found = told(&folder, "a.glb", "driven.glb");
    assert_eq!(found["clips"]["changed"], json!(["Walk"]), "{found}");
}

#[test]
fn clips_of_one_name_and_without_a_name_may_stand_in_another_order() {
    let folder = folder("clip order");
    for name in [json!("Take 001"), Value::Null] {
        let renamed = |root: &mut Value| {
            root["animations"].as_array_mut().unwrap().iter_mut().for_each(|clip| clip["name"] = name.clone());
            if name.is_null() {
                let clips = root["animations"].as_array_mut().unwrap();
                clips.iter_mut().for_each(|clip| drop(clip.as_object_mut().unwrap().remove("name")));
            }
        };
        rewrite(&folder, "x.glb", renamed);
        rewrite(&folder, "y.glb", |root| {
            renamed(root);
            root["animations"].as_array_mut().unwrap().reverse();
        });
        let found = told(&folder, "x.glb", "y.glb");
        assert_eq!(found["same"], json!(true), "{name}: {found}");
    }
}
