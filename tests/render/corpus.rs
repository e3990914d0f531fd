//! Compares the shader's positions for real models with `corpus/reference`. The corpus is outside the repository
//! (`SKINSCOPE_CORPUS`, else `../shared/corpus`); without it this is skipped.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use serde_json::Value;
use skinscope::deform::METHODS;
use skinscope::model::Model;
use skinscope::render::deform_on_gpu;

use crate::common::json;
use crate::common::methods_index::{ROUNDED, methods_index};
use crate::{Stage, common, on_shared_stage, scenes, stages};

/// The error that is allowed, as a share of the bounding box's diagonal.
const POSITION: f64 = 2e-5;
/// The same for [`ROUNDED`].
const ROUNDED_ERROR: f64 = 1e-3;

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

/// The largest error of one pose, of the diagonal.
fn worst(stage: &Stage, model: &Arc<Model>, entry: &Value, folder: &Path) -> f64 {
    let name = entry["reference"].as_str().unwrap();
    let header: Value = json(&folder.join(format!("{name}.json")));
    let floats = common::floats(&folder.join(format!("{name}.f32")));
    let corner = |i: usize| DVec3::from_array(std::array::from_fn(|a| header["bbox"][i][a].as_f64().unwrap()));
    let diagonal = corner(0).distance(corner(1));
    let clip = usize::try_from(entry["clip"].as_i64().unwrap()).ok();
    let pose = scenes::pose(model, clip, entry["time"].as_f64().unwrap() as f32);
    let frame = scenes::frame(model, &pose, METHODS[0]);
    let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
    let primitives = header["primitives"].as_array().unwrap();
    assert_eq!(parts.len(), primitives.len(), "{name}");
    let mut worst = 0.0_f64;
    for (part, want) in parts.iter().zip(primitives) {
        // Vertices that were split for tangents come after those of the file.
        let count = number(&want["vertexCount"]);
        let offset = number(&want["positionOffset"]);
        let positions = floats[offset..offset + 3 * count].as_chunks::<3>().0;
        for (got, want) in part.deformed.positions[..count].iter().zip(positions) {
            worst = worst.max(got.as_dvec3().distance(want.map(f64::from).into()));
        }
    }
    worst / diagonal
}

/// Which poses of the reference are compared.
#[derive(Clone, Copy, PartialEq)]
enum Poses {
    /// The last of each model, which is no rest pose where the model has clips.
    OneOfEachModel,
    All,
}

impl Poses {
    /// Picks from a list of poses, of which `model` says whose they are.
    fn of<T>(self, all: &[T], model: impl Fn(&T) -> &str) -> Vec<&T> {
        let is_last = |i: usize| all[i + 1..].iter().all(|later| model(later) != model(&all[i]));
        (0..all.len()).filter(|i| self == Self::All || is_last(*i)).map(|i| &all[i]).collect()
    }
}

/// Compares every method of the shader with `corpus/methods`.
fn compare_methods(stage: &Stage, poses: Poses) {
    let Some(corpus) = common::corpus() else { return };
    let index = methods_index(&corpus);
    for pose in poses.of(&index.poses, |pose| pose.model.as_str()) {
        let model = common::open(&corpus, &pose.model);
        let local = scenes::pose(&model, Some(pose.clip), pose.time);
        let floats = common::floats(&corpus.join("methods").join(&pose.file));
        for method in scenes::shader_methods() {
            // The reference may lack a method that is newer than it.
            let Some(mut at) = pose.positions.get(method.id).copied() else { continue };
            let name = format!("{:?} {}, {}", stage.gpu.info.backend, pose.model, method.id);
            let frame = scenes::frame(&model, &local, method);
            let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
            assert_eq!(parts.len(), pose.primitives.len(), "{name}");
            let mut worst = 0.0_f64;
            for (part, want) in parts.iter().zip(&pose.primitives) {
                let count = want.vertices;
                let mesh = model.instances[part.instance.index()].mesh;
                let source = &model.meshes[mesh.index()].primitives[part.primitive];
                for (i, want) in floats[at..at + 3 * count].as_chunks::<3>().0.iter().enumerate() {
                    if scenes::is_steady(method, source, i) {
                        let got = part.deformed.positions[i].as_dvec3();
                        worst = worst.max(got.distance(want.map(f64::from).into()) / pose.diagonal);
                    }
                }
                at += 3 * count;
            }
            eprintln!("{name:60} {worst:.1e} of the diagonal");
            // Twice what the CPU may be off: weights are rounded to 16 bits.
            let allowed = if pose.model == ROUNDED { ROUNDED_ERROR } else { 2.0 * method.expects.reference_error };
            assert!(worst <= allowed, "{name}: {worst:e} of the diagonal off");
        }
    }
}

#[test]
fn every_method_of_the_shader_is_where_the_reference_has_it() {
    on_shared_stage(|stage| compare_methods(stage, Poses::OneOfEachModel));
}

#[test]
#[ignore = "full: opens a real model for each of the poses, on both backends"]
fn every_method_of_the_shader_is_where_the_reference_has_it_in_every_pose_on_both_backends() {
    stages().for_each(|stage| compare_methods(&stage, Poses::All));
}

/// Compares linear blending with `corpus/reference`.
fn compare_positions(stage: &Stage, poses: Poses) {
    let Some(corpus) = common::corpus() else { return };
    let folder = corpus.join("reference");
    let index: Value = json(&folder.join("index.json"));
    let mut models: BTreeMap<&str, Arc<Model>> = BTreeMap::new();
    let mut table: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for entry in poses.of(index.as_array().unwrap(), |entry| entry["model"].as_str().unwrap()) {
        let name = entry["model"].as_str().unwrap();
        let open = || common::open(&corpus, name);
        let model = models.entry(name).or_insert_with(open);
        let row = table.entry(name).or_default();
        row.0 += 1;
        row.1 = row.1.max(worst(stage, model, entry, &folder));
    }
    let backend = stage.gpu.info.backend;
    for (name, (poses, error)) in &table {
        eprintln!("{backend:?} {name:48} {poses:3} poses, {error:.1e} of the diagonal");
        let allowed = if *name == ROUNDED { ROUNDED_ERROR } else { POSITION };
        assert!(*error <= allowed, "{backend:?}: {name}: {error:e} of the diagonal off");
    }
    assert!(table.len() >= 10, "only {} models", table.len());
}

#[test]
fn shader_positions_match_the_reference() {
    on_shared_stage(|stage| compare_positions(stage, Poses::OneOfEachModel));
}

#[test]
#[ignore = "full: bakes every pose of the reference, on both backends"]
fn shader_positions_match_the_reference_in_every_pose_on_both_backends() {
    stages().for_each(|stage| compare_positions(&stage, Poses::All));
}
