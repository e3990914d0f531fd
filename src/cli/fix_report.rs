//! The report of `skinscope fix` about what it has done.

use serde_json::{Value, json};

use super::printable;
use super::solve_args::{examples_text, gain_text, put_examples, put_gain, remarks};
use super::storage::Restored;
use crate::edit::{Applied, Baked, Mirroring, Operation, Partly, SolvedExamples, Transferred, explain_unchanged};
use crate::model::{MeshId, Model};
use crate::words::counted;
use crate::writeback::Saved;

/// The most joints without a counterpart that are named.
const MOST_NAMED: usize = 16;

/// An operation that was carried out, and its effect.
pub(super) struct Done {
    pub operation: &'static Operation,
    pub applied: Applied,
    pub transferred: Option<Transferred>,
    pub mirrored: Option<Mirroring>,
    pub baked: Option<Baked>,
    pub solved: Option<SolvedExamples>,
}

/// Returns what was done as JSON.
pub(super) fn report(model: &Model, done: &[Done], saved: &Saved, restored: &Restored) -> String {
    let changes = &saved.changes;
    let operations = done.iter().map(|done| {
        let mut out = json!({ "op": done.operation.id, "vertices": done.applied.vertices });
        if done.applied.unchanged > 0 {
            out["kept"] = json!(done.applied.unchanged);
        }
        if done.applied.stuck > 0 {
            out["stuck"] = json!(done.applied.stuck);
        }
        let Partly { vertices, pairs, locked, room, matrices } = done.applied.partly;
        if vertices > 0 {
            out["partly"] = json!(vertices);
            out["partly_because"] = json!({ "no_pair": pairs, "locked": locked, "no_room": room });
        }
        if matrices > 0 {
            out["matrices_kept"] = json!(matrices);
        }
        if let Some(transferred) = &done.transferred {
            out["distance_mm"] = json!({ "mean": 1e3 * transferred.mean, "largest": 1e3 * transferred.largest });
            out["largest_change"] = json!(transferred.change);
            out["unmatched"] = json!(transferred.unmatched);
            out["inpainted"] = json!(transferred.inpainted);
            out["missing"] = json!(transferred.missing);
        }
        if let Some(mirrored) = &done.mirrored {
            let mesh =
                |mesh: MeshId| json!({ "mesh": model.file_mesh(mesh).0, "name": model.meshes[mesh.index()].name });
            let planes = mirrored.planes.iter().map(|plane| {
                let mut out = mesh(plane.mesh);
                (out["axis"], out["offset"]) = (json!(plane.axis.name()), json!(plane.offset));
                out
            });
            out["planes"] = once(planes);
            out["without_plane"] = once(mirrored.without_plane.iter().map(|without| mesh(*without)));
            out["unpaired"] = json!(mirrored.unpaired);
        }
        if let Some(Baked { from, poses, gain, .. }) = &done.baked {
            (out["from"], out["poses"]) = (json!(from), json!(poses));
            put_gain(&mut out, model, gain);
        }
        if let Some(found) = &done.solved {
            put_examples(&mut out, &found.examples);
            out["unproven"] = json!(found.solved.unproven);
        }
        out
    });
    let mut report = json!({
        "schema": 1,
        "changed": {
            "vertices": changes.vertices,
            "accessors": changes.accessors,
            "bytes": changes.bytes,
            "json_values": changes.json_values,
        },
        "operations": operations.collect::<Vec<_>>(),
    });
    if !restored.is_empty() {
        report["changed"]["stored"] = restored.json();
    }
    format!("{report}\n")
}

/// Returns values as a list that has each of them once: a mesh of the file may be several of the model.
fn once(values: impl Iterator<Item = Value>) -> Value {
    let mut out = Vec::new();
    for value in values {
        if !out.contains(&value) {
            out.push(value);
        }
    }
    out.into()
}

/// Returns what was done as lines of text.
pub(super) fn text(model: &Model, done: &[Done], saved: &Saved, restored: &Restored) -> String {
    let mut out = String::new();
    for Done { operation, applied, transferred, mirrored, solved, baked } in done {
        let Applied { vertices, unchanged, stuck, partly } = applied;
        out += &format!("{}: {}\n", operation.label, counted(*vertices, "vertex changed", "vertices changed"));
        let lines = explain_unchanged(operation, *unchanged, *stuck, partly);
        lines.iter().for_each(|line| out += &format!("{line}\n"));
        out += &mirrored.as_ref().map(|mirrored| mirroring(model, mirrored)).unwrap_or_default();
        out += &transferred.as_ref().map(transfer).unwrap_or_default();
        let gained = |baked: &Baked| gain_text(model, (baked.from.as_str(), baked.poses), &baked.gain);
        out += &baked.as_ref().map(gained).unwrap_or_default();
        let found = solved.as_ref();
        out += &found.map(|found| examples_text(&found.examples) + &remarks(&found.solved)).unwrap_or_default();
    }
    out + &written(saved, restored)
}

/// Returns what has changed in the file, and which files were written, as lines of text.
pub(super) fn written(saved: &Saved, restored: &Restored) -> String {
    let mut out = String::new();
    let changes = &saved.changes;
    if changes.accessors.is_empty() && changes.json_values == 0 {
        out += "nothing changed\n";
    } else {
        out += &format!(
            "changed: {}, {}, {} of buffers, {} of the JSON text\n",
            counted(changes.vertices, "vertex", "vertices"),
            counted(changes.accessors.len(), "accessor", "accessors"),
            counted(changes.bytes, "byte", "bytes"),
            counted(changes.json_values, "value", "values"),
        );
    }
    out += &restored.text();
    for (packing, accessors) in &changes.unpacked {
        let accessors = counted(*accessors, "accessor is", "accessors are");
        out += &format!("{accessors} stored plain from now on, not {packing}\n");
    }
    if changes.recompressed > 0 {
        let accessors = counted(changes.recompressed, "accessor is", "accessors are");
        out += &format!("{accessors} compressed by meshopt again\n");
    }
    saved.written.iter().for_each(|path| out += &format!("wrote {}\n", path.display()));
    saved.backups.iter().for_each(|path| out += &format!("kept {}\n", path.display()));
    out
}

fn mirroring(model: &Model, mirrored: &Mirroring) -> String {
    let mut out = String::new();
    if !mirrored.planes.is_empty() {
        let planes = if mirrored.plane_texts().len() == 1 { "plane" } else { "planes" };
        out += &format!("{planes} of symmetry: {}\n", mirrored.plane_texts().join(", "));
    }
    if !mirrored.without_plane.is_empty() {
        let meshes = counted(mirrored.without_plane.len(), "mesh has", "meshes have");
        let name = |mesh: &MeshId| printable(&model.meshes[mesh.index()].name);
        let names = mirrored.without_plane.iter().take(MOST_NAMED).map(name).collect::<Vec<_>>().join(", ");
        let more = if mirrored.without_plane.len() > MOST_NAMED { ", …" } else { "" };
        out += &format!("{meshes} no plane of symmetry across this axis, and stay: {names}{more}\n");
    }
    if mirrored.unpaired > 0 {
        let vertices = counted(mirrored.unpaired, "vertex stays", "vertices stay");
        out += &format!("{vertices} as they are: a joint of one side has no partner on the other (--pair names one)\n");
    }
    out
}

fn transfer(transferred: &Transferred) -> String {
    let mut out = String::new();
    let (mean, largest) = (1e3 * transferred.mean, 1e3 * transferred.largest);
    out += &format!("distance to the surface of the other file: {mean:.3} mm in the mean, {largest:.3} mm at most\n");
    out += &format!("largest change of a weight: {:.4}\n", transferred.change);
    if transferred.unmatched > 0 {
        let vertices = counted(transferred.unmatched, "vertex stays", "vertices stay");
        out += &format!("{vertices} as they are: no joint has a name of those that move the other file there\n");
    }
    if transferred.inpainted > 0 {
        let vertices = counted(transferred.inpainted, "vertex takes its", "vertices take their");
        out +=
            &format!("{vertices} weights from those around: no point of the other file near them faces as they do\n");
    }
    if !transferred.missing.is_empty() {
        let joints = transferred.missing.len();
        let have = if joints == 1 { "has" } else { "have" };
        let their = if joints == 1 { "its" } else { "their" };
        let joints = counted(joints, "joint", "joints");
        let names =
            transferred.missing.iter().take(MOST_NAMED).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
        let more = if transferred.missing.len() > MOST_NAMED { ", …" } else { "" };
        out += &format!(
            "{joints} of the other file {have} no counterpart here, and {their} weights went to the others: {names}{more}\n"
        );
    }
    out
}
