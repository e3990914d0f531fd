//! What a reading of a surface says.

use skinscope_model::{InstanceId, NodeId};

use crate::VertexRef;

/// The measures of everything that is skinned, in one pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMeasures {
    /// The least and the greatest length of an edge, posed over rest; both 1 where there are no edges.
    pub stretch: [f32; 2],
    /// The mean over all edges.
    pub stretch_mean: f64,
    /// The least and the greatest area of a triangle, posed over rest; both 1 where there are no triangles.
    pub triangle: [f32; 2],
    /// The area of the whole surface, posed over rest; 1 where it has none.
    pub area: f64,
    /// How many triangles are inverted.
    pub inverted: usize,
    /// How many edges the surface folds back on itself at.
    pub folds: usize,
    /// The sharpest of these folds, degrees; 0 where there are none.
    pub sharpest: f32,
    /// The volume of all parts that enclose one, posed over rest; `None` where no part does.
    pub volume: Option<f64>,
    /// The volume of each joint's region, posed over rest, by joint; regions that enclose none are left out.
    pub regions: Vec<(NodeId, f64)>,
    /// The largest and the mean normal error, degrees; `None` where it was not asked for.
    pub normal_error: Option<[f64; 2]>,
    /// How many vertices with a triangle have a normal of length zero.
    pub zero_normals: usize,
    /// What each mode of the normals of linear blending makes of this pose, in the order of [`skinscope_deform::NORMAL_MODES`]; empty where they were not
    /// asked for, or do not fit the method.
    pub normal_modes: Vec<NormalModeMeasures>,
    /// The measures of the skinned surface of each instance, or of each skinned primitive ([`super::Wanted::by_primitive`]).
    pub primitives: Vec<PrimitiveMeasures>,
    /// Vertices of the shortest and longest edge, of the least and largest triangle, of an inverted triangle, of the sharpest fold,
    /// with the largest normal error, of the region whose volume has changed most, and one whose normal has length zero.
    pub at: [Option<VertexRef>; 9],
}

/// How far the normals of one mode are from those of the posed triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalModeMeasures {
    /// The id of the mode: [`skinscope_deform::NormalMode::id`].
    pub mode: &'static str,
    /// The largest error, degrees.
    pub worst: f64,
    /// A vertex that has the largest error; `None` where there is no error.
    pub at: Option<VertexRef>,
    /// The mean error, degrees.
    pub mean: f64,
    /// How many normals come out with a length of zero.
    pub zero: usize,
}

/// The measures of the skinned surface of an instance, or of one primitive of it, as those of [`SurfaceMeasures`].
#[derive(Clone, Debug, PartialEq)]
pub struct PrimitiveMeasures {
    /// The instance that draws it.
    pub instance: InstanceId,
    /// The number in the instance's mesh of the first primitive that has its vertices.
    pub primitive: usize,
    /// See [`SurfaceMeasures::stretch`].
    pub stretch: [f32; 2],
    /// See [`SurfaceMeasures::stretch_mean`].
    pub stretch_mean: f64,
    /// See [`SurfaceMeasures::triangle`].
    pub triangle: [f32; 2],
    /// See [`SurfaceMeasures::area`].
    pub area: f64,
    /// See [`SurfaceMeasures::inverted`].
    pub inverted: usize,
    /// See [`SurfaceMeasures::folds`].
    pub folds: usize,
    /// See [`SurfaceMeasures::sharpest`].
    pub sharpest: f32,
    /// The parts that hang together.
    pub parts: Vec<PartVolume>,
    /// See [`SurfaceMeasures::normal_error`].
    pub normal_error: Option<[f64; 2]>,
}

/// The volume of a part of a surface whose triangles are joined over edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartVolume {
    /// The number in the mesh of the primitive that has the vertices of its first triangle.
    pub primitive: usize,
    /// How many triangles it has.
    pub triangles: usize,
    /// Whether every edge runs once each way; other parts are closed by fans over their borders.
    pub closed: bool,
    /// The signed volume at rest, cubic metres; `None` where it encloses none.
    pub rest: Option<f64>,
    /// The signed volume as posed, cubic metres.
    pub posed: f64,
}

impl PartVolume {
    /// Returns the volume as posed over that at rest.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.rest.map(|rest| self.posed / rest)
    }
}
