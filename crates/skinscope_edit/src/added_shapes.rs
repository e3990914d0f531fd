//! Morph targets that a mesh of a file gains, and the keys of their weights.

use glam::Vec3;
use skinscope_model::Interpolation;

/// Morph targets that a mesh of a file gains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddedShapes {
    /// The index of the mesh in the file.
    pub mesh: usize,
    /// The names of all its morph targets, those that it had first.
    pub names: Vec<String>,
    /// By primitive of the mesh, then by new target: what is added to the position of each vertex of the file. Primitives that share the
    /// vertices of another one have an empty list.
    pub offsets: Vec<Vec<Vec<Vec3>>>,
    /// The same for what is added to normals. A target with an empty list, or none, says nothing of them.
    pub normals: Vec<Vec<Vec<Vec3>>>,
    /// The same for xyz of the tangents, where the file has them.
    pub tangents: Vec<Vec<Vec<Vec3>>>,
    /// The weights of all its morph targets in clips of the file.
    pub keys: Vec<ShapeKeys>,
    /// What drives the shapes of the file, these and those that it had: a JSON text, for its extras.
    pub drivers: String,
}

/// Keys of the weights of all morph targets of a mesh, at a node that shows it, in a clip of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeKeys {
    /// The index of the animation in the file.
    pub animation: usize,
    /// The index of the node in the file.
    pub node: u32,
    /// The times of the keys, seconds, rising.
    pub times: Vec<f32>,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// The weights of all targets, key after key; with splines in-tangents, values and out-tangents of each key.
    pub values: Vec<f32>,
}
