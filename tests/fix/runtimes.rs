//! What `skinscope check --runtime` predicts is what a file has that was written in that packing and opened again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use glam::{Affine3A, DVec3, Vec3};
use serde_json::{Value, json};
use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::edit::{Packing, RUNTIMES, packed};
use skinscope::model::{LocalPose, MeshId, Model, WeightFormat};
use skinscope::parallel::JobContext;

use crate::made::{Doc, F32, Layout, pairs};
use crate::tools::load;
use crate::{PROGRAM, folder, report};

fn check(file: &Path, runtime: &str) -> Value {
    let mut command = Command::new(PROGRAM);
    let out =
        command.arg("check").arg(file).args(["--json", "--fail-on", "never", "--runtime", runtime]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
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
fn vertices(model: &Model) -> Vec<Vertex> {
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

/// Where the weights of a vertex put it.
fn place(model: &Model, nodes: &[Affine3A], vertex: Vertex) -> DVec3 {
    let instance = model.instances.iter().find(|i| i.mesh.index() == vertex.0 && i.skin.is_some()).unwrap();
    let skin = &model.skins[instance.skin.unwrap().index()];
    let position = model.meshes[vertex.0].primitives[vertex.1].positions[vertex.2];
    let carried = |joint: usize| {
        let bound = skin.inverse_bind[joint].transform_point3(position);
        nodes[skin.joints[joint].index()].transform_point3(bound).as_dvec3()
    };
    influences(model, vertex).iter().map(|(joint, weight)| carried(usize::from(*joint)) * *weight).sum()
}

fn format_name(format: WeightFormat) -> &'static str {
    match format {
        WeightFormat::U8 => "u8",
        WeightFormat::U16 => "u16",
        WeightFormat::F32 => "f32",
    }
}

#[test]
fn a_prediction_is_what_the_written_file_has() {
    let folder = folder("runtimes");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = vec![root.join("assets/character.glb")];
    let corpus = crate::common::corpus().map(|corpus| corpus.join("models"));
    files.extend(corpus.into_iter().flat_map(|c| ["CesiumMan.glb", "Tube8Influences.glb"].map(|name| c.join(name))));
    let mut runtimes: Vec<String> = RUNTIMES.iter().map(|runtime| runtime.id.to_owned()).collect();
    runtimes.extend(["3:u16:7".to_owned(), "5:stored".to_owned()]);
    // Twelve pairs for each vertex, with a clip.
    let made = folder.join("twelve.glb");
    let mut doc = Doc::new(&pairs(F32, 3, false, 51), Layout::Plain);
    doc.add_clip();
    fs::write(&made, doc.glb()).unwrap();
    files.push(made);
    for file in files.iter().filter(|file| file.exists()) {
        for runtime in &runtimes {
            let what = format!("{} as {runtime}", file.display());
            let told = check(file, runtime);
            let packing = Packing::parse(runtime).unwrap();
            let most = packing.influences.to_string();
            let stored = packing.format.map(format_name);
            let arguments = [&["--limit", &most][..], &stored.map_or(vec![], |name| vec!["--quantise", name])].concat();
            let local = folder.join(file.file_name().unwrap());
            if *file != local {
                fs::copy(file, &local).unwrap();
            }
            report(&folder, &[&[local.to_str().unwrap(), "-o", "out.glb"], &arguments[..]].concat());
            let (model, written) = (load(file), load(&folder.join("out.glb")));
            // To the bit: the weights that are shown in the window are those of the file.
            let (predicted, figures) = packed(&model, packing, &JobContext::of_waiting()).unwrap();
            let vertices = vertices(&model);
            let own = |model: &Model, (mesh, primitive, vertex): Vertex| {
                let (joints, weights) = model.influences(MeshId(mesh as u32), primitive).unwrap().of(vertex);
                let used = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
                let mut used: Vec<(u16, u32)> = used.map(|(joint, weight)| (*joint, weight.to_bits())).collect();
                used.sort_unstable();
                used
            };
            let mut losing = 0;
            for vertex in &vertices {
                assert_eq!(own(&predicted, *vertex), own(&written, *vertex), "{what}: vertex {vertex:?}");
                losing += usize::from(influences(&model, *vertex).len() > packing.influences);
            }
            assert_eq!((&told["losing"], figures.losing), (&json!(losing), losing), "{what}");
            assert_eq!(told["fits"], json!(packing.joints.is_none_or(|most| model.skins[0].joints.len() <= most)));
            assert_eq!(told["palette_bytes"], json!(48 * model.skins[0].joints.len()), "{what}");
            // How far the surface of the written file is from that of the original, in that pose.
            let (Some(clip), Some(time)) = (told["clip"].as_str(), told["time"].as_f64()) else {
                assert!(model.clips.is_empty() || told["worst_mm"] == json!(0.0), "{what}: {told}");
                continue;
            };
            let nodes = posed(&model, clip, time as f32);
            let farthest = |nodes: &[Affine3A]| {
                let far =
                    |vertex: &Vertex| 1e3 * place(&model, nodes, *vertex).distance(place(&written, nodes, *vertex));
                vertices.iter().map(far).fold(0.0, f64::max)
            };
            let measured = farthest(&nodes);
            let worst = told["worst_mm"].as_f64().unwrap();
            assert!((measured - worst).abs() <= 0.01 * worst + 2e-3, "{what}: {worst} mm, but {measured} mm");
            // The vertex that is named is that far off there.
            let number = |name: &str| told[name].as_u64().unwrap() as usize;
            let named = (number("mesh"), number("primitive"), number("vertex"));
            let own = 1e3 * place(&model, &nodes, named).distance(place(&written, &nodes, named));
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
        let mut command = Command::new(PROGRAM);
        command.current_dir(&folder).args(["compare", "a.glb", "--over", "rom", "--json"]).args(arguments);
        let out = command.output().unwrap();
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)))
    };
    for (runtime, arguments) in [
        ("unity-1", ["--limit", "1", "--quantise", "f32"]),
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
        let joint = crate::made::JOINTS.iter().position(|name| at["joint"] == json!(name)).unwrap();
        let vertex = at["vertex"].as_u64().unwrap() as usize;
        let weight = |path: &Path| {
            let file = crate::reader::File::open(path).pairs(0, 0).unwrap();
            crate::reference::dense(&crate::reference::vertices(&file)[vertex])[joint]
        };
        let (p, h) = (crate::made::position(vertex), crate::made::head(joint));
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
            "name": "4xu8", "influences": 4, "joints_per_draw": null, "vertices": crate::made::VERTICES,
            "losing": null, "largest_loss": null, "vertex_bytes": 8, "vertex_bytes_implied": 7,
            "vertex_bits": { "plain": 64, "implied": 56, "index": 8, "count": 2, "counted": null },
            "joints": 10, "palette_bytes": 480, "fits": true, "over": "clips",
            "worst_mm": null, "mean_mm": null, "rms_mm": null, "clip": null, "time": null,
            "mesh": 0, "primitive": 0, "vertex": null,
        })
    );
}

#[test]
fn a_runtime_is_named_or_given_by_numbers_and_said_in_text_too() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let told = check(&file, "bevy");
    assert_eq!(
        (&told["name"], &told["influences"], &told["joints_per_draw"]),
        (&json!("bevy"), &json!(4), &json!(256))
    );
    assert_eq!(
        (&told["vertex_bytes"], &told["vertex_bytes_implied"], &told["over"]),
        (&json!(20), &json!(16), &json!("clips"))
    );
    let run = |runtime: &str| {
        let mut command = Command::new(PROGRAM);
        command.arg("check").arg(&file).args(["--fail-on", "never", "--runtime", runtime]).output().unwrap()
    };
    let text = String::from_utf8(run("2:u8:5").stdout).unwrap();
    assert!(text.contains("as 2:u8:5: ") && text.contains("more than one draw can have"), "{text}");
    for wrong in ["unity", "0", "4:u9"] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong}");
    }
}
