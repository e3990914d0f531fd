//! What `skinscope check --runtime` predicts is what a file has that was written in that packing and opened again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use glam::{Affine3A, DVec3};
use serde_json::{Value, json};
use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::edit::{Packing, packed};
use skinscope::model::{LocalPose, MeshId, Model};
use skinscope::parallel::JobContext;

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

#[test]
fn a_prediction_is_what_the_written_file_has() {
    let folder = folder("runtimes");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = vec![root.join("assets/character.glb")];
    let corpus = crate::common::corpus().map(|corpus| corpus.join("models"));
    files.extend(corpus.into_iter().flat_map(|c| ["CesiumMan.glb", "Tube8Influences.glb"].map(|name| c.join(name))));
    let runtimes: [(&str, &[&str]); 5] = [
        ("three", &["--limit", "4"]),
        ("unity-2", &["--limit", "2", "--quantise", "f32"]),
        ("unity-1", &["--limit", "1", "--quantise", "f32"]),
        ("4xu8", &["--limit", "4", "--quantise", "u8"]),
        ("3:u16:7", &["--limit", "3", "--quantise", "u16"]),
    ];
    for file in files.iter().filter(|file| file.exists()) {
        for (runtime, arguments) in runtimes {
            let what = format!("{} as {runtime}", file.display());
            let told = check(file, runtime);
            let local = folder.join(file.file_name().unwrap());
            fs::copy(file, &local).unwrap();
            report(&folder, &[&[local.to_str().unwrap(), "-o", "out.glb"], arguments].concat());
            let (model, written) = (load(file), load(&folder.join("out.glb")));
            // To the bit: the weights that are shown in the window are those of the file.
            let packing = Packing::parse(runtime).unwrap();
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
