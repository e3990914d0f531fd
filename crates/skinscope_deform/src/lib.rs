//! From a pose to a deformed surface: palettes, methods, normals. The CPU side is the reference of the shaders.
//!
//! A method is one Rust file, one WGSL file (`shaders/deform/`) and one row of [`METHODS`]. It packs a skinning matrix
//! into vectors that shader and CPU reference both read. Knows nothing of time: a pose comes in, vertices go out.

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
mod joint_rotation;
mod lanes;
mod linear;
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
mod surface;
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
pub use measure::{ENCLOSED, Fault, Limits, MeasureScratch, MeasuredSurface, Measures, Patch, triangle_normal};
pub use mesh_topology::{MeshTopology, Side, triangle_edges};
pub use neighbours::Neighbours;
pub use normals::{JointNormals, NORMAL_MODES, NormalMode, NormalSource, TurnNormal, normal_mode};
pub use palette_buffer::{PaletteBuffer, PaletteFit, PaletteLimits};
pub use parameter::{MOST_PARAMETERS, Parameter, ParameterSettings, ParameterValues};
pub use rigid::SplitModel;
pub use surface::{Deformed, DeformedAttributes, deform_primitive, deform_rigid, morphed, normals_from_triangles};
pub use vertex_deformer::VertexDeformer;
pub use whole::{Surface, SurfaceInput, SurfacePart};

/// A way to deform a vertex with a palette: one Rust file, one WGSL file, one row of [`METHODS`].
#[derive(Debug)]
pub struct Method {
    /// The name on the command line, such as `linear`.
    pub id: &'static str,
    /// The name in the window, such as "Linear blend".
    pub label: &'static str,
    /// A sentence that says what it does, and what it is known for.
    pub help: &'static str,
    /// The words that readouts use for a vertex.
    pub text: MethodText,
    /// The file name in `shaders/` and the text of the shader.
    pub wgsl: (&'static str, &'static str),
    /// How many vectors hold one packed joint: the stride of a packed palette.
    pub vec4s_per_joint: usize,
    /// Packs one skinning matrix into [`Method::vec4s_per_joint`] vectors, the bytes that shader and CPU reference read.
    pub pack: fn(&Affine3A, &mut [Vec4]),
    /// The numbers that the user sets, [`MOST_PARAMETERS`] at most. Shaders read them as `globals.parameters.x` and so on, the CPU
    /// reference as [`Batch::values`].
    pub parameters: &'static [Parameter],
    /// Data of each vertex that is worked out once for a model, in the background, and kept beside it. The processor then deforms,
    /// since the shader does not have such data.
    pub data: Option<&'static DataSource>,
    /// The CPU reference: many vertices at once. The palette is packed and begins where the joints count from. What becomes of a
    /// vertex depends on nothing but that vertex.
    pub deform_all: fn(&[Vec4], &Batch, &mut BatchOut),
    /// The definition of the method in double precision: the effect of a vertex's influences on its position (mesh
    /// space, morphed). Readouts show it, and tests hold CPU reference and shader to it.
    pub exact: fn(&[ExactInfluence], DVec3, &MethodInput) -> ExactDeformation,
    /// Returns a box in model space that holds all vertices of a group, rounding included; `None` where that cannot be
    /// determined from their joints, boxes and weight sums alone.
    pub bounds: fn(&[Vec4], &InfluenceBounds) -> Option<Aabb>,
    /// Returns true where joints as different as these two keep a surface right side out between them: the blend of a
    /// first matrix with any others that each agree with it has a determinant of the first one's sign, whatever the
    /// (not negative) weights. Returns false where that is not certain.
    pub preserves_orientation: fn(&Affine3A, &Affine3A) -> bool,
    /// Changes the surface as a whole once each vertex has been deformed alone, for a method in which a vertex depends on
    /// its neighbours. The functions above then deform vertices for this pass only: all passes of a picture and all
    /// readouts use the [`Surface`]. Rigid parts are drawn by their one matrix, and a pass does not touch them. `None`:
    /// a vertex depends on nothing but itself.
    pub pass: Option<fn(&SurfaceInput, &mut Surface)>,
    /// The ways in which it differs from other methods, for tests.
    pub expects: MethodExpectations,
}

/// The texts that explain where a method puts a vertex: its position `p`, from `v` as stored and morphed, weights `w`
/// and skinning matrices `M`.
#[derive(Clone, Copy, Debug)]
pub struct MethodText {
    /// The equation on the card of a vertex, such as `p = Σ w M v`. Its letters are those of [`Readout`].
    pub equation: &'static str,
    /// The text of the inspector before the numbers: a sentence or two about the terms of the equation.
    pub explanation: &'static str,
}

/// The results that tests expect of a method beside those that all methods owe. Most start from
/// [`MethodExpectations::MOST`].
#[derive(Clone, Copy, Debug)]
pub struct MethodExpectations {
    /// The sum of the weights counts; else only their ratios do.
    pub scales_with_weights: bool,
    /// Says what becomes of a vertex with weights ½ ½, whose first joint stands still and whose second is turned by an
    /// angle (radians, from 0, and less than π) about an axis: the share of its distance from the axis that it keeps, and the share
    /// of the angle by which it turns.
    pub between_turns: fn(f32) -> [f32; 2],
    /// The share of the second joint in the scale of such a vertex whose joints differ by a scale alone: 0.5 for the
    /// mean of both, 0 where the vertex follows the first.
    pub between_scales: f32,
    /// Returns false where changing a vertex's weights by a part `by` of the whole could take it to a quite different
    /// position; arguments are its joints, its weights and `by`. The device has rounded weights, so it may show such a
    /// vertex elsewhere.
    pub is_steady: fn(&[u16], &[f32], f32) -> bool,
    /// The largest difference of shader and CPU reference, as a share of the greatest coordinate.
    pub shader_error: f32,
    /// The largest difference of single precision from the reference data for methods, as a share of the surface's
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
    /// The blended matrix, which moves the vertex and its tangent and (by the inverse transpose) its normal.
    pub map: DAffine3,
    /// For a method that mixes normals: shares, and the matrices that carry the normal. Empty: `map` carries it.
    pub normals: Vec<(f64, DMat3)>,
    /// The steps from the influences to the result, in the terms of the method.
    pub readout: Readout,
}

impl Default for ExactDeformation {
    /// Returns the result for a vertex without weights: it goes to the origin.
    fn default() -> Self {
        Self { map: DAffine3::ZERO, normals: Vec::new(), readout: Readout::Sum(Vec::new()) }
    }
}

impl ExactDeformation {
    /// The deformed normal, unit: `n` (mesh space, any length) carried by the inverse transpose, to the side that the determinant
    /// says. Zero where there is none.
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

/// What a method knows of a vertex beside its influences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodInput<'a> {
    /// Values of [`Method::parameters`].
    pub values: ParameterValues,
    /// What [`Method::data`] has worked out for the vertex.
    pub vector: Option<Vec4>,
    /// The matrices of all joints of its skin; empty where they are not at hand.
    pub matrices: &'a [Affine3A],
}

impl MethodInput<'_> {
    /// The defaults of the parameters, and no data.
    #[must_use]
    pub fn of(method: &Method) -> Self {
        Self { values: ParameterSettings::default().values(method.parameters), vector: None, matrices: &[] }
    }
}

/// A change of the whole surface that may come after any method: a row of [`PASSES`].
#[derive(Debug)]
pub struct Pass {
    /// The name on the command line: `mush`. What follows it there are the values of the parameters, with commas between.
    pub id: &'static str,
    /// What follows it there: `N,STEP`.
    pub usage: &'static str,
    /// The name in the window: "Delta mush".
    pub label: &'static str,
    /// One sentence: what it does, and what it is known for.
    pub help: &'static str,
    /// How it takes part in the position of a vertex, for the inspector.
    pub text: MethodText,
    /// See [`Method::parameters`].
    pub parameters: &'static [Parameter],
    /// See [`Method::data`].
    pub data: Option<&'static DataSource>,
    /// Changes what the method made of the surface. What follows one matrix stays as it is.
    pub run: fn(&SurfaceInput, &mut Surface),
}

/// The steps from the influences of a vertex to its position `p`.
#[derive(Clone, Debug, PartialEq)]
pub enum Readout {
    /// `p = Σ s M v`: positions are added up. The list holds the share `s` of each influence; influences beyond it have
    /// none.
    Sum(Vec<f64>),
    /// `p = R v + t`: one rigid motion, blended of the motions that take the vertex to where each joint alone takes it.
    Motion {
        /// The rotation `R`, a unit quaternion.
        rotation: DQuat,
        /// The translation `t`: model space, metres.
        translation: DVec3,
    },
    /// `p = Σ share · vector`: what the method adds up, by its own names.
    Terms(Vec<ReadoutTerm>),
}

/// One term of a sum that makes a position.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadoutTerm {
    /// Its letters in [`MethodText::equation`].
    pub label: &'static str,
    /// The factor before it.
    pub share: f64,
    /// Model space, metres.
    pub vector: DVec3,
}

/// What is known of a group of vertices without looking at each: the joints that move some of them, and their sums of
/// weights.
#[derive(Clone, Copy, Debug)]
pub struct InfluenceBounds<'a> {
    /// Each joint (its index in the palette) with the box, mesh space, around the vertices that it moves.
    pub joints: &'a [(u16, Aabb)],
    /// The least and the greatest sum of the weights of a vertex; no weight is negative.
    pub sums: [f32; 2],
}

/// A vertex before or after deformation.
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
    /// The determinant of the linear map that moved the vertex; if it is negative, the surface is mirrored there, and
    /// its winding reversed.
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

/// Finds a method by [`Method::id`].
#[must_use]
pub fn method(id: &str) -> Option<&'static Method> {
    METHODS.iter().copied().find(|m| m.id == id)
}

/// Finds a pass by [`Pass::id`].
#[must_use]
pub fn pass(id: &str) -> Option<&'static Pass> {
    PASSES.iter().copied().find(|p| p.id == id)
}

/// Writes the skinning matrices `model_from_mesh` of all skins and rigid instances to `out`, laid out by
/// [`Model::palette_layout`].
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

/// Packs skinning matrices for `method`, [`Method::vec4s_per_joint`] vectors each.
pub fn pack(method: &Method, palettes: &[Affine3A], out: &mut Vec<Vec4>) {
    out.resize(palettes.len() * method.vec4s_per_joint, Vec4::ZERO);
    for (matrix, packed) in palettes.iter().zip(out.chunks_exact_mut(method.vec4s_per_joint)) {
        (method.pack)(matrix, packed);
    }
}
