//! The index of the reference data of methods and measures (`corpus/methods/index.json`), which an independent implementation wrote
//! (numpy, double precision).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// A model whose file rounds rotations to three digits, which implementations read differently.
pub const ROUNDED: &str = "models/SimpleSkin.gltf";

/// The whole index.
#[derive(Deserialize)]
pub struct Index {
    pub poses: Vec<Pose>,
}

/// One moment of a clip.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pose {
    /// The path of the model's file in the corpus.
    pub model: String,
    pub clip: usize,
    /// Seconds.
    pub time: f32,
    /// The file of little-endian floats that the offsets lead into.
    pub file: String,
    pub vertices: usize,
    pub triangles: usize,
    pub primitives: Vec<ReferencePrimitive>,
    /// The diagonal of the bounding box of the linear result, metres.
    pub diagonal: f64,
    /// The first float of the positions, by method.
    pub positions: BTreeMap<String, usize>,
    /// The first float of the normals, by method. Only some poses have them.
    #[serde(default)]
    pub normals: BTreeMap<String, usize>,
    /// The first float of the normals of linear blending, by the mode of normals.
    #[serde(default)]
    pub normal_modes: BTreeMap<String, usize>,
    /// The distances from the linear result, by method.
    pub from_linear: BTreeMap<String, Distance>,
    /// The measures of each skinned primitive, by method.
    pub measures: BTreeMap<String, Vec<PrimitiveMeasures>>,
    /// The errors of the normals of linear blending, by the mode of normals.
    #[serde(default)]
    pub normal_error_degrees: BTreeMap<String, Degrees>,
}

#[derive(Deserialize)]
pub struct ReferencePrimitive {
    pub vertices: usize,
    pub skinned: bool,
}

/// How far two surfaces are apart, metres.
#[derive(Deserialize)]
pub struct Distance {
    pub max: f64,
    pub mean: f64,
    pub rms: f64,
}

#[derive(Deserialize)]
pub struct Degrees {
    pub max: f64,
    pub mean: f64,
}

/// The measures of one skinned primitive.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrimitiveMeasures {
    pub primitive: usize,
    pub edge_stretch: [f64; 2],
    pub edge_stretch_mean: f64,
    pub triangle_area: [f64; 2],
    pub area: f64,
    pub inverted: usize,
    pub folds: usize,
    pub sharpest: f64,
    pub parts: Vec<PartMeasures>,
}

/// The measures of one connected part of a primitive; volumes in cubic metres.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartMeasures {
    pub triangles: usize,
    pub closed: bool,
    pub rest_volume: f64,
    pub volume: f64,
    pub ratio: Option<f64>,
}

/// Reads the index of a corpus.
pub fn methods_index(corpus: &Path) -> Index {
    super::json(&corpus.join("methods/index.json"))
}
