//! Writes changed weights, added clips, and the skins and morph targets that meshes gained back into the file that they came from, and changes only what must change.
//!
//! Where a file's layout can hold the new numbers, they are written over the old ones ([`Origins`] says where those
//! are). Otherwise new bytes are appended to a buffer, and only those values of the JSON text change that must. Old
//! bytes stay where they are. Only [`save`] writes files: [`patch`] returns bytes ([`Patched`]).

mod bindings;
mod buffers;
mod clips;
mod container;
mod draft;
mod files;
mod homes;
pub mod json;
mod layers;
mod links;
mod plan;
mod shapes;
mod streams;
mod summary;
mod uses;
mod wants;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub use files::{Destination, Origin, Place, Prepared, SaveError, Saved, Stamps, patched, prepare, save};
use skinscope_model::Clip;
#[cfg(doc)]
use skinscope_model::Origins;

use crate::{AddedShapes, Sheet};

/// The reason why a file could not be patched.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The text of the file is not the one that import has read; the message names what was expected.
    #[error("the file is not as it was read: expected {0}; it was changed in the meantime")]
    Json(String),
    /// A file that holds a buffer cannot be read.
    #[error("could not read {}: {source}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A buffer is not as long as it was.
    #[error("buffer {0} is not as it was read: it was changed in the meantime")]
    Changed(usize),
    /// A mesh that gained a skin cannot be stored with it: the message says what its node would lose.
    #[error("the mesh of node {node} cannot be stored with a skin: {reason}")]
    Binding {
        /// The index of the node in the file.
        node: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The layers of weights, or the drivers of shapes, have no place in the file.
    #[error("the file cannot keep layers of weights or what drives shapes: {0} is there already, and is no object")]
    Extras(&'static str),
    /// A mesh cannot be stored with other morph targets.
    #[error("mesh {mesh} cannot be stored with other morph targets: {reason}")]
    Shapes {
        /// The index of the mesh in the file.
        mesh: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The result is longer than a container can be.
    #[error("the result is longer than the 4 GiB that a GLB can hold")]
    TooLong,
}

/// How numbers are stored that meshopt had compressed, where they change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recompression {
    /// They are stored plain.
    #[default]
    None,
    /// They are compressed by meshopt again, without loss.
    Meshopt,
}

/// The extent of the changes to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// How many vertices' stored joints or weights change; those of primitives that share accessors count once.
    pub vertices: usize,
    /// The meshes that these are of, in the order of the file, with how many of them each has; `mesh 3`, by its number in the file, where it has no
    /// name.
    pub meshes: Vec<(String, usize)>,
    /// The names of the joints whose weight changes for some vertex, in the order of the nodes.
    pub joints: Vec<String>,
    /// How many inverse bind matrices change.
    pub binds: usize,
    /// How many nodes are new: joints, bone links, and the roots that show what gained a skin.
    pub nodes: usize,
    /// How many skins are new.
    pub skins: usize,
    /// How many clips are new.
    pub clips: usize,
    /// How many morph targets are new, go, or get other names.
    pub shapes: usize,
    /// Sentences about new clips that stand so far away that floats round their keys.
    pub coarse: Vec<String>,
    /// The accessors, by their index in the result, whose numbers change or that are new.
    pub accessors: BTreeSet<usize>,
    /// How many bytes of buffers change or are new.
    pub bytes: u64,
    /// How many values of the JSON text change, are new or are removed.
    pub json_values: u64,
    /// How many accessors whose bytes were compressed or sparse are stored plain from now on, by the name of how they were stored.
    pub unpacked: BTreeMap<&'static str, usize>,
    /// How many accessors whose numbers change are compressed by meshopt again.
    pub recompressed: usize,
}

/// The files that a model becomes.
#[derive(Clone, Debug, Default)]
pub struct Patched {
    /// The bytes of the `.gltf` or `.glb` itself; `None` where nothing changes, in no file.
    pub main: Option<Vec<u8>>,
    /// The buffers in files of their own whose bytes change.
    pub buffers: Vec<ChangedBuffer>,
    /// The extent of the changes.
    pub changes: Changes,
}

/// A buffer in a file of its own whose bytes change.
#[derive(Clone, Debug)]
pub struct ChangedBuffer {
    /// The file that holds it now.
    pub path: PathBuf,
    /// The URI under which the result names it; `None` where that stays.
    pub uri: Option<String>,
    /// The new bytes of the file.
    pub bytes: Vec<u8>,
}

/// Computes the files that result when the weights and matrices of a sheet are stored, and the clips and skins that were added to its model. `source` is the whole file that
/// the sheet's model was read from; `rename` may give a buffer in a file of its own another URI, by its index.
///
/// # Errors
/// The file, or one that it names, has changed since it was read.
pub fn patch(
    source: &[u8],
    sheet: &Sheet,
    recompression: Recompression,
    rename: &mut dyn FnMut(usize) -> Option<String>,
) -> Result<Patched, WriteError> {
    let homes = homes::Homes::of(sheet);
    let (wants, changed) = wants::of(sheet, &homes);
    let added: Vec<&Clip> = sheet.model.clips.iter().filter(|clip| clip.is_added()).collect();
    let gains = sheet.model.gained_instances().next().is_some() || sheet.model.new_links().next().is_some();
    let keeps_layers = !sheet.layers.changes(sheet.model);
    let shapes = AddedShapes::all_of(sheet.model);
    if wants.iter().all(|want| !want.changes()) && added.is_empty() && !gains && keeps_layers && shapes.is_empty() {
        return Ok(Patched::default());
    }
    let mut plan = plan::Plan::new(source, (sheet, &homes.new), recompression)?;
    plan.carry_out(&wants)?;
    let coarse = plan.add_clips(&added)?;
    plan.set_layers(&sheet.layers)?;
    plan.set_shapes(&shapes)?;
    let mut patched = plan.finish(source, rename)?;
    (patched.changes.clips, patched.changes.coarse) = (added.len(), coarse);
    patched.changes.vertices = changed.values().sum();
    patched.changes.meshes = summary::meshes(sheet.model, &changed);
    patched.changes.joints = summary::joints(sheet);
    patched.changes.binds = wants.iter().filter(|want| want.is_of_binds()).map(|want| want.changed.len()).sum();
    Ok(patched)
}
