//! `skinscope info --load`: measures how long a file takes to open, and how much memory that takes.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value, json};

use crate::deform::packed::{may_reorder, pack_primitive};
use crate::model::{MeshId, Model, PrimitiveRef, Values};
use crate::session::Document;
use crate::words::counted;

/// What it took to read a file into a model, from the start of the program on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Imported {
    pub secs: f64,
    /// The processor time of all threads; `None` where the system does not say.
    pub processor_secs: Option<f64>,
}

/// Reports what was loaded since `started`, with vertices and indices as they go to a device.
pub(super) fn report(document: &Document, started: Instant, imported: Imported) -> Value {
    let model = &document.model;
    let packed = pack(model);
    let primitives = || model.file_meshes().flat_map(|(_, mesh)| &mesh.primitives);
    let pixels = model.images.iter().filter_map(|image| image.pixels());
    json!({
        "schema": 1,
        "file": model.source.name,
        "import_ms": imported.secs * 1e3,
        "import_cpu_ms": imported.processor_secs.map(|secs| secs * 1e3),
        "load_ms": started.elapsed().as_secs_f64() * 1e3,
        "peak_mib": peak_mib(),
        "upload_mib": packed as f64 / (1 << 20) as f64,
        "vertices": primitives().map(|p| p.stored_vertices).sum::<usize>(),
        "indices": primitives().map(|p| p.indices.len()).sum::<usize>(),
        "keys": keys(model),
        "pixels": pixels.map(|p| u64::from(p.width()) * u64::from(p.height())).sum::<u64>(),
    })
}

/// Packs everything that instances show, one primitive after the other, as the renderer does; returns how many bytes
/// that makes.
fn pack(model: &Model) -> usize {
    let shown: BTreeSet<_> = model.instances.iter().map(|i| i.mesh.index()).collect();
    let primitives = |mesh| model.primitives(MeshId::from_index(mesh)).enumerate().map(move |(n, p)| (mesh, n, p));
    let bytes = |(mesh, n, p): (usize, usize, PrimitiveRef<'_>)| {
        let packed = pack_primitive(p, may_reorder(model, MeshId::from_index(mesh), n));
        let indices = packed.indices.as_ref().unwrap_or(&p.indices);
        4 * (packed.vertices.len()
            + packed.influences.rows.len()
            + packed.paint.len()
            + packed.morphs.len()
            + indices.len())
            + size_of_val(&packed.influences.listed[..])
    };
    shown.into_iter().flat_map(primitives).map(bytes).sum()
}

/// Writes the report as one line for people.
pub(super) fn text(report: &Value) -> String {
    let peak = report["peak_mib"].as_f64().map_or("an unknown amount".to_owned(), |mib| format!("{mib:.1} MiB"));
    let count = |name: &str| report[name].as_u64().unwrap_or(0);
    format!(
        "loaded in {:.1} ms with {peak} of memory at most: {}, {}, {}, {}\n",
        report["load_ms"].as_f64().unwrap_or(0.0),
        counted(count("vertices"), "vertex", "vertices"),
        counted(count("indices"), "index", "indices"),
        counted(count("keys"), "key", "keys"),
        counted(count("pixels"), "pixel", "pixels"),
    )
}

/// Counts the keys of all samplers.
fn keys(model: &Model) -> usize {
    let values = |values: &Values| match values {
        Values::Vec3(v) => v.len(),
        Values::Quat(v) => v.len(),
        Values::Weights { count, values } => values.len() / count.max(&1),
    };
    model.clips.iter().flat_map(|c| &c.samplers).map(|s| values(&s.values)).sum()
}

/// Returns the most memory that the process ever had, in MiB, as the system counts it; known on Linux.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
