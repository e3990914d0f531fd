//! What `skinscope check --runtime` predicts is what a file has that was written in that packing and opened again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use glam::{Affine3A, DVec3, Vec3};
use serde_json::{Value, json};
use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::edit::{Packing, RUNTIMES, Sets, packed};
use skinscope::model::{LocalPose, MeshId, Model, WeightFormat};
use skinscope::parallel::JobContext;

use crate::fix::made::{Doc, F32, Layout, pairs};
use crate::fix::tools::load;
use crate::fix::{folder, report, run, said};

fn check(file: &Path, runtime: &str) -> Value {
    let name = file.file_name().unwrap().to_str().unwrap();
    let arguments = ["check", name, "--json", "--fail-on", "never", "--runtime", runtime];
    let out = run::launched(file.parent().unwrap(), &arguments);
    assert!(out.status.success(), "{}", said(&out));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    told["files"][0]["runtime"].clone()
}

/// `model_from_node` of all nodes at a moment of a clip.
fn posed(model: &Model, clip: &str, time: f32) -> Vec<Affine3A> {
    let clip = model.clips.iter().find(|c| c.name == clip).unwrap();
    let (mut scratch, mut pose, mut nodes) = (SampleScratch::default(), LocalPose::default(), Vec::new());
    reset_to_rest(&model.skeleton, &mut pose);
    sample(model, clip, time, &mut scratch, &mut pose);
    local_to_model(&model.skeleton, &pose, &mut nodes);
    nodes
}

/// A vertex: mesh, primitive, number.
type Vertex = (usize, usize, usize);

/// All vertices that a skin moves.
fn all_vertices(model: &Model) -> Vec<Vertex> {
    let skinned = |mesh: usize| model.instances.iter().any(|i| i.mesh.index() == mesh && i.skin.is_some());
    let mut out = Vec::new();
    for (m, mesh) in model.meshes.iter().enumerate().filter(|(m, _)| skinned(*m)) {
        for (p, primitive) in mesh.primitives.iter().enumerate().filter(|(_, p)| p.stored_influences.is_some()) {
            out.extend((0..primitive.stored_vertices).map(|vertex| (m, p, vertex)));
        }
    }
    out
}

/// The joints that move a vertex, each once, with their weights.
fn influences(model: &Model, (mesh, primitive, vertex): Vertex) -> BTreeMap<u16, f64> {
    let (joints, weights) = model.influences(MeshId(mesh as u32), primitive).unwrap().of(vertex);
    let mut out = BTreeMap::new();
    for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        *out.entry(*joint).or_insert(0.0) += f64::from(*weight);
    }
    out
}

/// Where some weights put a vertex.
fn place(model: &Model, nodes: &[Affine3A], vertex: Vertex, weights: &BTreeMap<u16, f64>) -> DVec3 {
    let instance = model.instances.iter().find(|i| i.mesh.index() == vertex.0 && i.skin.is_some()).unwrap();
    let skin = &model.skins[instance.skin.unwrap().index()];
    let position = model.meshes[vertex.0].primitives[vertex.1].positions[vertex.2];
    let carried = |joint: usize| {
        let bound = skin.inverse_bind[joint].transform_point3(position);
        nodes[skin.joints[joint].index()].transform_point3(bound).as_dvec3()
    };
    weights.iter().map(|(joint, weight)| carried(usize::from(*joint)) * *weight).sum()
}

fn format_name(format: WeightFormat) -> &'static str {
    match format {
        WeightFormat::U8 => "u8",
        WeightFormat::U16 => "u16",
        WeightFormat::F32 => "f32",
    }
}

/// The names of the runtimes that read every set of a file, as `fix` does, and some that are numbers.
fn runtimes() -> Vec<String> {
    let named =
        RUNTIMES.iter().filter(|runtime| runtime.packing.sets == Sets::All).map(|runtime| runtime.id.to_owned());
    named.chain(["3:u16:7", "5:stored", "4:stored", "1:f32", "2:f32"].map(str::to_owned)).collect()
}

/// A file of twelve pairs for each vertex, with a clip.
fn twelve(folder: &Path) -> PathBuf {
    let made = folder.join("twelve.glb");
    let mut doc = Doc::new(&pairs(F32, 3, false, 51), Layout::Plain);
    doc.add_clip();
    fs::write(&made, doc.glb()).unwrap();
    made
}

/// A small character of 39 joints, with a clip.
fn figure() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb")
}

#[test]
fn a_prediction_is_what_the_written_file_has() {
    let folder = folder("runtimes");
    let made = twelve(&folder);
    for runtime in runtimes() {
        predicted(&folder, &made, &runtime);
    }
    for runtime in ["2:f32", "4xu8"] {
        predicted(&folder, &figure(), runtime);
    }
}

#[test]
#[ignore = "full: five models, some of them large, are checked and written for eleven runtimes"]
fn a_prediction_is_what_the_written_file_of_every_model_has() {
    let folder = folder("all runtimes");
    let corpus = crate::common::corpus().map(|corpus| corpus.join("models"));
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let mut files = vec![built_in, figure(), twelve(&folder)];
    files.extend(corpus.into_iter().flat_map(|c| ["CesiumMan.glb", "Tube8Influences.glb"].map(|name| c.join(name))));
    for file in files.iter().filter(|file| file.exists()) {
        for runtime in runtimes() {
            predicted(&folder, file, &runtime);
        }
    }
}

/// What is predicted of a file for a runtime is what a file has that is written so.
fn predicted(folder: &Path, file: &Path, runtime: &str) {
    let what = format!("{} as {runtime}", file.display());
    let told = check(file, runtime);
    let packing = Packing::parse(runtime).unwrap();
    let most = packing.influences.to_string();
    let stored = packing.format.map(format_name);
    let arguments = [&["--limit", &most][..], &stored.map_or(vec![], |name| vec!["--quantise", name])].concat();
    report(folder, &[&[file.to_str().unwrap(), "-o", "out.glb"], &arguments[..]].concat());
    let (model, written) = (load(file), load(&folder.join("out.glb")));
    // To the bit: the weights that are shown in the window are those of the file.
    let (predicted, figures) = packed(&model, packing, &JobContext::of_waiting()).unwrap();
    let own = |model: &Model, (mesh, primitive, vertex): Vertex| {
        let (joints, weights) = model.influences(MeshId(mesh as u32), primitive).unwrap().of(vertex);
        let used = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let mut used: Vec<(u16, u32)> = used.map(|(joint, weight)| (*joint, weight.to_bits())).collect();
        used.sort_unstable();
        used
    };
    // Each vertex with its weights in the file and in the written one.
    let mut vertices = Vec::new();
    let mut losing = 0;
    for vertex in all_vertices(&model) {
        assert_eq!(own(&predicted, vertex), own(&written, vertex), "{what}: vertex {vertex:?}");
        let weights = [&model, &written].map(|model| influences(model, vertex));
        losing += usize::from(weights[0].len() > packing.influences);
        vertices.push((vertex, weights));
    }
    assert_eq!((&told["losing"], figures.losing), (&json!(losing), losing), "{what}");
    assert_eq!(told["fits"], json!(packing.joints.is_none_or(|most| model.skins[0].joints.len() <= most)));
    assert_eq!(told["palette_bytes"], json!(48 * model.skins[0].joints.len()), "{what}");
    // How far the surface of the written file is from that of the original, in that pose.
    let (Some(clip), Some(time)) = (told["clip"].as_str(), told["time"].as_f64()) else {
        assert!(model.clips.is_empty() || told["worst_mm"] == json!(0.0), "{what}: {told}");
        return;
    };
    let nodes = posed(&model, clip, time as f32);
    let off = |nodes: &[Affine3A], (vertex, [own, new]): &(Vertex, [BTreeMap<u16, f64>; 2])| {
        1e3 * place(&model, nodes, *vertex, own).distance(place(&written, nodes, *vertex, new))
    };
    let farthest = |nodes: &[Affine3A]| vertices.iter().map(|vertex| off(nodes, vertex)).fold(0.0, f64::max);
    let measured = farthest(&nodes);
    let worst = told["worst_mm"].as_f64().unwrap();
    assert!((measured - worst).abs() <= 0.01 * worst + 2e-3, "{what}: {worst} mm, but {measured} mm");
    // The vertex that is named is that far off there.
    let number = |name: &str| told[name].as_u64().unwrap() as usize;
    let named = (number("mesh"), number("primitive"), number("vertex"));
    let own = off(&nodes, vertices.iter().find(|(vertex, _)| *vertex == named).unwrap());
    assert!((own - worst).abs() <= 0.01 * worst + 2e-3, "{what}: {named:?} is off by {own} mm: {told}");
    // Nowhere else in the clips it is farther.
    for clip in &model.clips {
        for moment in 0..=8 {
            let time = clip.start_secs + clip.duration_secs() * moment as f32 / 8.0;
            let here = farthest(&posed(&model, &clip.name, time));
            assert!(here <= worst * 1.05 + 2e-3, "{what}: {here} mm in {} at {time}", clip.name);
        }
    }
}

/// Without a clip the range of motion is looked at: what is predicted of it is measured between the file and the written one.
#[test]
fn over_the_range_of_motion_too_a_prediction_is_what_the_written_file_has() {
    let folder = folder("runtimes at rest");
    let doc = Doc::new(&pairs(F32, 3, false, 52), Layout::Plain);
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    let file = folder.join("a.glb");
    let compare = |arguments: &[&str]| -> Value {
        let out = run::captured(&folder, &[&["compare", "a.glb", "--over", "rom", "--json"][..], arguments].concat());
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", said(&out)))
    };
    for (runtime, arguments) in [
        ("1:f32", ["--limit", "1", "--quantise", "f32"]),
        ("4xu8", ["--limit", "4", "--quantise", "u8"]),
        ("unreal-8", ["--limit", "8", "--quantise", "u8"]),
    ] {
        let told = check(&file, runtime);
        assert_eq!((&told["over"], &told["clip"], &told["time"]), (&json!("rom"), &Value::Null, &Value::Null));
        report(&folder, &[&["a.glb", "-o", "out.glb"], &arguments[..]].concat());
        let (by_name, by_file) = (compare(&["--runtime", runtime]), compare(&["--b-file", "out.glb"]));
        for name in ["worst_mm", "mean_mm", "rms_mm"] {
            let [predicted, named, measured] =
                [&told, &by_name, &by_file].map(|value| value[name].as_f64().unwrap_or_else(|| panic!("{value}")));
            assert!(predicted > 0.5 || name != "worst_mm", "{runtime}: {told}");
            let near = |x: f64| (x - predicted).abs() <= 1e-3 + 1e-4 * predicted;
            assert!(near(named) && near(measured), "{runtime}: {name}: {predicted}, {named}, {measured}");
        }
        // Only the joint that is named is turned, so all of the error is its own: as far as it carries the vertex, times the weight
        // that it has lost or gained there.
        let at = &by_file["at"];
        let joint = crate::fix::made::JOINTS.iter().position(|name| at["joint"] == json!(name)).unwrap();
        let vertex = at["vertex"].as_u64().unwrap() as usize;
        let weight = |path: &Path| {
            let file = crate::fix::reader::File::open(path).pairs(0, 0).unwrap();
            crate::fix::reference::dense(&crate::fix::reference::vertices(&file)[vertex])[joint]
        };
        let (p, h) = (crate::fix::made::position(vertex), crate::fix::made::head(joint));
        let axis: Vec<f64> = at["axis"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let (axis, arm) = (DVec3::from_slice(&axis).normalize(), Vec3::from(p).as_dvec3() - Vec3::from(h).as_dvec3());
        let radius = arm.cross(axis).length();
        let angle = at["degrees"].as_f64().unwrap().to_radians();
        let gone = (weight(&file) - weight(&folder.join("out.glb"))).abs();
        let wanted = 1e3 * 2.0 * radius * (angle / 2.0).sin().abs() * gone;
        let worst = told["worst_mm"].as_f64().unwrap();
        assert!((worst - wanted).abs() <= 1e-2 + 1e-3 * wanted, "{runtime}: {worst} mm, but {wanted}: {at}");
    }
}

#[test]
fn the_report_of_a_runtime_has_exactly_these_fields() {
    let folder = folder("runtimes fields");
    let mut doc = Doc::new(&pairs(F32, 2, false, 53), Layout::Plain);
    doc.add_clip();
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    let mut told = check(&folder.join("a.glb"), "4xu8");
    // Those that other tests compare with what is measured.
    for measured in ["losing", "largest_loss", "worst_mm", "mean_mm", "rms_mm", "clip", "time", "vertex"] {
        assert!(!told[measured].take().is_null(), "{measured}");
    }
    assert!(told["vertex_bits"]["counted"].take().as_f64().is_some_and(|bits| bits < 58.0));
    assert_eq!(
        told,
        json!({
            "name": "4xu8", "influences": 4, "joints_per_draw": null, "vertices": crate::fix::made::VERTICES,
            "losing": null, "largest_loss": null, "normalised": 0, "vertex_bytes": 8, "vertex_bytes_implied": 7,
            "vertex_bits": { "plain": 64, "implied": 56, "index": 8, "count": 2, "counted": null },
            "joints": 10, "palette_bytes": 480, "fits": true, "unskinned_copies": 0, "over": "clips",
            "worst_mm": null, "mean_mm": null, "rms_mm": null, "clip": null, "time": null,
            "mesh": 0, "primitive": 0, "vertex": null,
        })
    );
}

#[test]
fn a_runtime_is_named_or_given_by_numbers_and_said_in_text_too() {
    let file = figure();
    let told = check(&file, "bevy");
    assert_eq!(
        (&told["name"], &told["influences"], &told["joints_per_draw"]),
        (&json!("bevy"), &json!(4), &json!(256))
    );
    assert_eq!(
        (&told["vertex_bytes"], &told["vertex_bytes_implied"], &told["over"]),
        (&json!(20), &json!(16), &json!("clips"))
    );
    let launched = |runtime: &str| {
        run::launched(file.parent().unwrap(), &["check", "figure.glb", "--fail-on", "never", "--runtime", runtime])
    };
    let text = String::from_utf8(launched("2:u8:5").stdout).unwrap();
    assert!(text.contains("as 2:u8:5: ") && text.contains("more than one draw can have"), "{text}");
    for wrong in ["unity", "0", "4:u9"] {
        assert_eq!(launched(wrong).status.code(), Some(2), "{wrong}");
    }
}
