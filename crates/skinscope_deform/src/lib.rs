//! From a pose to a deformed surface: palettes of skinning matrices, deformation methods, normals, measures. The CPU
//! code is the reference for the shaders.
//!
//! A method is one Rust file, one WGSL file (`shaders/deform/`) and one entry of [`METHODS`]. It packs a skinning
//! matrix into vectors that shader and CPU reference both read. This crate knows nothing of time: its input is a pose,
//! its output are vertices.

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Vec3, Vec4};
use skinscope_base::math::Aabb;
use skinscope_model::Model;

mod batch;
#[cfg(test)]
mod batch_tests;
mod borders;
mod centres;
mod centres_of_rotation;
mod corner_fans;
mod deformation;
mod deformer;
mod delta_mush;
mod dominant;
mod drawn_primitives;
mod dual_quaternion;
mod extent;
mod fine_normals;
mod joint_rotation;
mod lanes;
mod linear;
mod loop_subdivision;
mod measure;
#[cfg(test)]
mod measure_tests;
mod mesh_topology;
#[cfg(test)]
mod method_definition_tests;
#[cfg(test)]
mod method_tests;
mod mixed;
mod neighbours;
mod normals;
#[cfg(test)]
mod orientation_tests;
pub mod packed;
mod palette_buffer;
mod parameter;
mod polar;
mod rigid;
mod rows;
mod subdivision;
#[cfg(test)]
mod subdivision_tests;
mod surface;
mod surface_distance;
#[cfg(test)]
mod surface_tests;
mod vertex_deformer;
mod whole;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use batch::{Batch, BatchInfluences, BatchOut};
pub use borders::{BorderEdge, Borders};
pub use deformation::{AppliedPass, DataSource, Deformation, MethodData};
pub use deformer::Deformer;
pub use drawn_primitives::bounds;
pub use extent::{Extent, StrayVertices, extent, extent_of};
pub use loop_subdivision::LoopSurface;
pub use measure::{ENCLOSED, Fault, Limits, MeasureScratch, MeasuredSurface, Measures, Patch, triangle_normal};
pub use mesh_topology::{MeshTopology, Side, triangle_edges};
pub use neighbours::Neighbours;
pub use normals::{JointNormals, NORMAL_MODES, NormalMode, NormalSource, TurnNormal, normal_mode};
pub use palette_buffer::{PaletteBuffer, PaletteFit, PaletteLimits, PaletteRows};
pub use parameter::{Parameter, ParameterSettings, ParameterValues};
pub use rigid::SplitModel;
pub use subdivision::{MOST_LEVELS, SUBDIVISIONS, Subdivision};
pub use surface::{Deformed, DeformedAttributes, deform_primitive, morphed, normals_from_triangles};
pub use surface_distance::SurfaceDistances;
pub use vertex_deformer::VertexDeformer;
pub use whole::{Surface, SurfaceInput, SurfacePart};

/// A skinning method, which deforms a vertex by a palette: one Rust file, one WGSL file and one entry of [`METHODS`].
#[derive(Debug)]
pub struct Method {
    /// The name on the command line, such as `linear`.
    pub id: &'static str,
    /// The name in the window, such as "Linear blend".
    pub label: &'static str,
    /// A sentence that says what it does, and what it is known for.
    pub help: &'static str,
    /// The words that the window uses where it explains a vertex.
    pub text: MethodText,
    /// The file name in `shaders/` and the text of the shader.
    pub wgsl: (&'static str, &'static str),
    /// The number of vectors of one packed joint: the stride of a packed palette.
    pub vec4s_per_joint: usize,
    /// Packs one skinning matrix `model_from_mesh` into [`Method::vec4s_per_joint`] vectors, which shader and CPU
    /// reference read.
    pub pack: fn(&Affine3A, &mut [Vec4]),
    /// The numbers that the user sets, at most four. Shaders read them as `globals.parameters.x` and so
    /// on, the CPU reference as [`Batch::values`].
    pub parameters: &'static [Parameter],
    /// Data of each vertex that is computed once for a model, in the background. The processor then deforms, since the
    /// shader does not have such data.
    pub data: Option<&'static DataSource>,
    /// The CPU reference, which deforms many vertices at once. The palette is packed, and joint indices count from its
    /// start. The result of a vertex depends only on that vertex.
    pub deform_all: fn(&[Vec4], &Batch, &mut BatchOut),
    /// The definition of the method in double precision, for one vertex: its influences and its position in mesh space,
    /// morph targets applied. Readouts show it, and tests compare CPU reference and shader with it.
    pub exact: fn(&[ExactInfluence], DVec3, &MethodInput) -> ExactDeformation,
    /// Returns a box in model space that contains all deformed vertices of a group, rounding included. The arguments
    /// are the packed palette and what is known of the group. `None` where no box follows from that.
    pub bounds: fn(&[Vec4], &InfluenceBounds) -> Option<Aabb>,
    /// Returns whether the blends of two joints with these matrices certainly do not turn the surface inside out: a
    /// blend of the first matrix with any others that each pass this test has a determinant of the first one's sign,
    /// whatever the (not negative) weights are.
    pub preserves_orientation: fn(&Affine3A, &Affine3A) -> bool,
    /// Changes the whole surface after each vertex was deformed alone, for a method in which a vertex depends on its
    /// neighbours. The functions above then only prepare vertices for this pass; pictures and readouts use the
    /// [`Surface`]. Rigid parts are drawn by their one matrix and are not changed. `None`: each vertex depends only on
    /// itself.
    pub pass: Option<fn(&SurfaceInput, &mut Surface)>,
    /// The properties in which it differs from other methods, for tests.
    pub expects: MethodExpectations,
}

/// The texts that explain the position `p` that a method computes for a vertex, from its position `v` (morph targets
/// applied), weights `w` and skinning matrices `M`.
#[derive(Clone, Copy, Debug)]
pub struct MethodText {
    /// The equation, such as `p = Σ w M v`. Its letters are those of [`Readout`].
    pub equation: &'static str,
    /// The text of the inspector before the numbers: one or two sentences about the terms of the equation.
    pub explanation: &'static str,
    /// The paper or program that describes it: authors, title, year.
    pub source: &'static str,
}

/// The results that tests expect of a method, in addition to those that they expect of all methods. Most methods start
/// from [`MethodExpectations::MOST`].
#[derive(Clone, Copy, Debug)]
pub struct MethodExpectations {
    /// Whether the sum of the weights changes the result; otherwise only their ratios do.
    pub scales_with_weights: bool,
    /// Returns the result for a vertex with weights ½ and ½, whose first joint is at rest and whose second one is
    /// rotated about an axis by an angle (the argument, radians, 0 or more and less than π): its distance from the axis
    /// as a share of that at rest, and its own rotation as a share of the angle.
    pub between_turns: fn(f32) -> [f32; 2],
    /// The share of the second joint in the scale of such a vertex, where the joints differ only by a scale: 0.5 for
    /// the mean of both, 0 where the vertex follows the first one.
    pub between_scales: f32,
    /// Returns false where changing the weights of a vertex by a share `by` of the whole could move it to a quite
    /// different position. The arguments are its joints, its weights and `by`. The device has rounded weights, so that
    /// it may show such a vertex elsewhere.
    pub is_steady: fn(&[u16], &[f32], f32) -> bool,
    /// The largest difference of shader and CPU reference, as a share of the largest coordinate.
    pub shader_error: f32,
    /// The largest difference of single precision from the reference data of the corpus, as a share of the surface's
    /// diagonal.
    pub reference_error: f64,
}

impl MethodExpectations {
    /// The expectations of a method that blends rotations, and for which only the ratios of weights count.
    pub const MOST: Self = Self {
        scales_with_weights: false,
        between_turns: |_| [1.0, 0.5],
        between_scales: 0.5,
        is_steady: |_, _, _| true,
        shader_error: 1e-5,
        reference_error: 1e-5,
    };
}

/// One influence of a vertex, in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactInfluence {
    /// The index of the joint in the skin's list of joints.
    pub joint: usize,
    /// The stored weight; it may be zero or negative.
    pub weight: f64,
    /// The skinning matrix `model_from_mesh`.
    pub matrix: DAffine3,
}

/// The exact result of a method for one vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactDeformation {
    /// The blended matrix `model_from_mesh`, which transforms the vertex and its tangent and (by the inverse transpose)
    /// its normal.
    pub map: DAffine3,
    /// For a method that mixes normals: shares, and the matrices that transform the normal, one for each. Empty: `map`
    /// does.
    pub normals: Vec<(f64, DMat3)>,
    /// The steps from the influences to the result, for explanations.
    pub readout: Readout,
}

impl Default for ExactDeformation {
    /// Returns the result for a vertex without weights: it goes to the origin.
    fn default() -> Self {
        Self { map: DAffine3::ZERO, normals: Vec::new(), readout: Readout::Sum(Vec::new()) }
    }
}

impl ExactDeformation {
    /// Returns the deformed normal, of unit length, in model space: `n` (mesh space, any length) transformed by the
    /// inverse transpose, negated where the determinant is negative. Zero where there is none.
    #[must_use]
    pub fn normal(&self, n: DVec3) -> DVec3 {
        let carried = |m: &DMat3| {
            let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
            let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
            let side = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
            (cofactors * n * side).normalize_or_zero()
        };
        if self.normals.is_empty() {
            return carried(&self.map.matrix3);
        }
        self.normals.iter().map(|(share, m)| carried(m) * *share).sum::<DVec3>().normalize_or_zero()
    }
}

/// The data of a vertex that a method reads in addition to its influences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodInput<'a> {
    /// The values of [`Method::parameters`].
    pub values: ParameterValues,
    /// The data of [`Method::data`] for the vertex.
    pub vector: Option<Vec4>,
    /// The skinning matrices of all joints of its skin; empty where the caller does not have them.
    pub matrices: &'a [Affine3A],
}

impl MethodInput<'_> {
    /// Makes an input with the defaults of the parameters, and without data.
    #[must_use]
    pub fn of(method: &Method) -> Self {
        Self { values: ParameterSettings::default().values(method.parameters), vector: None, matrices: &[] }
    }
}

/// A change of the whole surface after any method: an entry of [`PASSES`].
#[derive(Debug)]
pub struct Pass {
    /// The name on the command line, such as `mush`. The values of the parameters follow it there, separated by commas.
    pub id: &'static str,
    /// The usage text of these values, such as `N,STEP`.
    pub usage: &'static str,
    /// The name in the window, such as "Delta mush".
    pub label: &'static str,
    /// A sentence that says what it does, and what it is known for.
    pub help: &'static str,
    /// The texts that explain its part in the position of a vertex.
    pub text: MethodText,
    /// The numbers that the user sets; see [`Method::parameters`].
    pub parameters: &'static [Parameter],
    /// Data that it computes once for a model; see [`Method::data`].
    pub data: Option<&'static DataSource>,
    /// Changes the surface that the method made. Rigid parts are not changed.
    pub run: fn(&SurfaceInput, &mut Surface),
}

/// The steps from the influences of a vertex to its position `p`, for explanations.
#[derive(Clone, Debug, PartialEq)]
pub enum Readout {
    /// `p = Σ s M v`: a sum of positions. The list has the share `s` of each influence; those beyond its end have none.
    Sum(Vec<f64>),
    /// `p = R v + t`: one rigid motion, blended from the motions that move the vertex as each joint alone would.
    Motion {
        /// The rotation `R`, a unit quaternion.
        rotation: DQuat,
        /// The translation `t` in model space, metres.
        translation: DVec3,
    },
    /// `p = Σ share · vector`: a sum of terms with names of the method.
    Terms(Vec<ReadoutTerm>),
}

/// One term of a sum that makes a position.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadoutTerm {
    /// Its letters in [`MethodText::equation`].
    pub label: &'static str,
    /// The factor before it.
    pub share: f64,
    /// The vector, in model space, metres.
    pub vector: DVec3,
}

/// What is known of a group of vertices without looking at each of them: the joints that move any of them, and their
/// sums of weights.
#[derive(Clone, Copy, Debug)]
pub struct InfluenceBounds<'a> {
    /// Each joint (index in the palette) with the box in mesh space around the vertices that it moves.
    pub joints: &'a [(u16, Aabb)],
    /// The least and the largest sum of a vertex's weights; no weight is negative.
    pub sums: [f32; 2],
}

/// A vertex: in mesh space before deformation, in model space after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// The position, metres.
    pub position: Vec3,
    /// The normal: of any length before deformation, unit length or zero after it.
    pub normal: Vec3,
    /// The tangent: of any length before deformation, unit length or zero after it.
    pub tangent: Vec3,
}

/// A deformed vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeformedVertex {
    /// The vertex in model space.
    pub vertex: Vertex,
    /// The determinant of the linear map that moved the vertex. Where it is negative, the surface is mirrored there,
    /// and its winding is reversed.
    pub determinant: f32,
}

/// All methods; the first is the default.
pub static METHODS: &[&Method] = &[
    &linear::LINEAR,
    &dual_quaternion::DUAL_QUATERNION,
    &mixed::MIXED,
    &centres_of_rotation::CENTRES_OF_ROTATION,
    &polar::POLAR,
    &dominant::DOMINANT,
    &rigid::RIGID,
];

/// All passes that may come after a method.
pub static PASSES: &[&Pass] = &[&delta_mush::DELTA_MUSH];

/// Finds a method by [`Method::id`]; `None` where there is none.
#[must_use]
pub fn method(id: &str) -> Option<&'static Method> {
    METHODS.iter().copied().find(|m| m.id == id)
}

/// Finds a pass by [`Pass::id`]; `None` where there is none.
#[must_use]
pub fn pass(id: &str) -> Option<&'static Pass> {
    PASSES.iter().copied().find(|p| p.id == id)
}

/// Computes the skinning matrices `model_from_mesh` of all skins and rigid instances and writes them to `out`, in the
/// order of [`Model::palette_layout`]. `model_pose` has `model_from_node` of each node. The matrix of a joint is
/// `model_from_joint · joint_from_mesh` (glTF 2.0, 3.7.3.1), the latter being its inverse bind matrix.
pub fn palettes(model: &Model, model_pose: &[Affine3A], out: &mut Vec<Affine3A>) {
    out.clear();
    for skin in model.skins.iter() {
        out.extend(skin.joints.iter().zip(&skin.inverse_bind).map(|(j, inverse)| model_pose[j.index()] * *inverse));
    }
    let rigid = model.instances.iter().zip(&model.palette_layout().rigid).filter(|(_, offset)| offset.is_some());
    for (instance, _) in rigid {
        let node = model_pose[instance.node.index()];
        if instance.copies.is_empty() {
            out.push(node);
        }
        out.extend(instance.copies.iter().map(|node_from_copy| node * *node_from_copy));
    }
}

/// Packs skinning matrices for `method`, [`Method::vec4s_per_joint`] vectors for each, and writes them to `out`.
pub fn pack(method: &Method, palettes: &[Affine3A], out: &mut Vec<Vec4>) {
    out.resize(palettes.len() * method.vec4s_per_joint, Vec4::ZERO);
    for (matrix, packed) in palettes.iter().zip(out.chunks_exact_mut(method.vec4s_per_joint)) {
        (method.pack)(matrix, packed);
    }
}
