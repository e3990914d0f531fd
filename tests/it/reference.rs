//! Compares real models with poses that two independent implementations agree on (`corpus/reference`, see its README).
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.
#![expect(clippy::panic, reason = "a test that cannot read its corpus fails")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use serde::Deserialize;
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::export::baked_surface;
use skinscope::import::{Options, Progress, import_file};
use skinscope::math::Aabb;
use skinscope::model::{LocalPose, Model};

use crate::common;
use crate::common::{floats, json};

/// Of the bounding box's diagonal.
const POSITION: f64 = 1e-5;
/// Degrees.
const NORMAL: f64 = 0.1;
/// Its file rounds rotations to three digits, which the implementations read differently.
const ROUNDED: (&str, f64) = ("models/SimpleSkin.gltf", 1e-3);

#[derive(Deserialize)]
struct Entry {
    reference: String,
    model: String,
    clip: i32,
    time: f32,
}

#[derive(Deserialize)]
struct Header {
    bbox: [[f32; 3]; 2],
    primitives: Vec<Placed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placed {
    node: u32,
    mesh: usize,
    primitive: usize,
    vertex_count: usize,
    position_offset: usize,
    normal_offset: Option<usize>,
}

/// Largest errors of one model.
#[derive(Clone, Copy, Default)]
struct Worst {
    poses: usize,
    /// Of the diagonal.
    position: f64,
    /// Degrees.
    normal: f64,
    /// Of the diagonal.
    bounds: f64,
}

fn pose_of(model: &Model, entry: &Entry) -> LocalPose {
    let mut pose = LocalPose::default();
    anim::reset_to_rest(&model.skeleton, &mut pose);
    if let Ok(clip) = usize::try_from(entry.clip) {
        anim::sample(model, &model.clips[clip], entry.time, &mut SampleScratch::default(), &mut pose);
    }
    pose
}

fn vectors(data: &[f32], offset: usize, count: usize) -> impl Iterator<Item = Vec3> {
    data[offset..offset + 3 * count].as_chunks().0.iter().map(|v| Vec3::from_array(*v))
}

fn angle_degrees(a: Vec3, b: Vec3) -> f64 {
    let (a, b) = (a.as_dvec3(), b.as_dvec3());
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// Holds one pose against its reference, on the way that bake takes and on the one that framing takes.
fn compare(model: &Model, entry: &Entry, header: &Header, data: &[f32], worst: &mut Worst) {
    let method = deform::METHODS[0];
    let name = &entry.reference;
    let pose = pose_of(model, entry);
    let draws = anim::drawn_at_rest(model, model.default_scene);
    let surface = baked_surface(model, &draws, &pose, method);
    assert_eq!(surface.len(), header.primitives.len(), "{name}: primitives");
    let sources = model.instances_in_scene(model.default_scene).flat_map(|(_, instance)| {
        let primitives = 0..model.meshes[instance.mesh.index()].primitives.len();
        let mesh = model.file_mesh(instance.mesh).index();
        primitives.map(move |p| (model.skeleton.file_index[instance.node.index()], mesh, p))
    });
    let expected = Aabb { min: header.bbox[0].into(), max: header.bbox[1].into() };
    let diagonal = f64::from(expected.diagonal());
    for ((got, want), source) in surface.iter().zip(&header.primitives).zip(sources) {
        assert_eq!(source, (want.node, want.mesh, want.primitive), "{name}: node, mesh, primitive");
        assert_eq!(got.positions.len(), want.vertex_count, "{name}: vertices");
        for (a, b) in got.positions.iter().zip(vectors(data, want.position_offset, want.vertex_count)) {
            let error = a.as_dvec3().distance(b.as_dvec3()) / diagonal;
            assert!(error.is_finite(), "{name}");
            worst.position = worst.position.max(error);
        }
        let Some(offset) = want.normal_offset else { continue };
        for (a, b) in got.normals.iter().zip(vectors(data, offset, want.vertex_count)) {
            worst.normal = worst.normal.max(angle_degrees(*a, b));
        }
    }
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
    deform::palettes(model, &matrices, &mut palettes);
    let bounds = deform::bounds(model, &draws, &palettes, &pose.morph_weights, method);
    let off = (bounds.min - expected.min).length().max((bounds.max - expected.max).length());
    worst.bounds = worst.bounds.max(f64::from(off) / diagonal);
    worst.poses += 1;
}

#[test]
fn every_model_clip_and_time_of_the_corpus() {
    let Some(corpus) = common::corpus() else { return };
    let index: Vec<Entry> = json(&corpus.join("reference/index.json"));
    let mut models: BTreeMap<&str, Arc<Model>> = BTreeMap::new();
    let mut table: BTreeMap<&str, Worst> = BTreeMap::new();
    for entry in &index {
        let model = models.entry(&entry.model).or_insert_with(|| open(&corpus, &entry.model));
        let header: Header = json(&corpus.join(format!("reference/{}.json", entry.reference)));
        let data = floats(&corpus.join(format!("reference/{}.f32", entry.reference)));
        compare(model, entry, &header, &data, table.entry(&entry.model).or_default());
    }
    eprintln!("{:48} {:>5} {:>9} {:>9} {:>9}", "model", "poses", "position", "normal °", "bounds");
    for (model, w) in &table {
        eprintln!("{model:48} {:5} {:9.2e} {:9.2e} {:9.2e}", w.poses, w.position, w.normal, w.bounds);
    }
    let compared: usize = table.values().map(|w| w.poses).sum();
    assert!(compared > 0 && compared == index.len(), "{compared} of {} poses compared", index.len());
    for (model, w) in &table {
        let allowed = if *model == ROUNDED.0 { ROUNDED.1 } else { POSITION };
        assert!(w.position <= allowed && w.bounds <= allowed, "{model}: {:e} of the diagonal off", w.position);
        assert!(w.normal <= NORMAL, "{model}: normals {}° off", w.normal);
    }
}

fn open(corpus: &Path, name: &str) -> Arc<Model> {
    let result = import_file(&corpus.join(name), &Options::default(), &Progress::silent());
    result.unwrap_or_else(|error| panic!("{name}: {error}")).model
}
