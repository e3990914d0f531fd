//! From a pose to a deformed surface: palettes, methods, normals. The CPU side is the reference of the shaders.
//!
//! A method is one Rust file, one WGSL file (`shaders/deform/`) and one row of [`METHODS`]. It packs a skinning matrix
//! into vectors that shader and CPU reference both read. Knows nothing of time: a pose comes in, vertices go out.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec4};

use crate::math::Aabb;
use crate::model::Model;

mod batch;
#[cfg(test)]
mod batched;
mod dual_quaternion;
mod extent;
mod linear;
mod measure;
#[cfg(test)]
mod measured;
pub mod packed;
#[cfg(test)]
mod properties;
mod sheet;
mod sides;
mod surface;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use batch::{Batch, BatchOut, Movers};
pub use extent::{Extent, Strays, extent};
pub use measure::{Fault, Limits, MeasureScratch, Measures, Patch, Posed};
pub use sheet::{Sheet, triangle_edges};
pub use sides::keep_sides;
pub use surface::{
    Deformed, Parts, VertexDeformer, bounds, deform_primitive, deform_rigid, morphed, normals_from_triangles,
};

/// One way to deform a vertex with a palette: one Rust file, one WGSL file, one row of [`METHODS`].
#[derive(Debug)]
pub struct Method {
    /// As on the command line: `linear`.
    pub id: &'static str,
    /// As in the window: "Linear blend".
    pub label: &'static str,
    /// One sentence: what it does, and what it is known for.
    pub help: &'static str,
    /// File name in `shaders/` and its text.
    pub wgsl: (&'static str, &'static str),
    /// Vectors that hold one packed joint: the stride of a packed palette.
    pub vec4s_per_joint: usize,
    /// Packs one skinning matrix into [`Method::vec4s_per_joint`] vectors, the bytes that shader and CPU reference read.
    pub pack: fn(&Affine3A, &mut [Vec4]),
    /// The CPU reference: a packed palette, the joints (places in it) and weights of a vertex, and the vertex.
    pub deform: fn(&[Vec4], &[u16], &[f32], Vertex) -> Moved,
    /// Many vertices at once, to the bit as [`Method::deform`] has them one by one. The palette is packed and begins where the
    /// joints count from.
    pub deform_all: fn(&[Vec4], &Batch, &mut BatchOut),
    /// What [`Method::deform`] makes of the palette before it moves a vertex, for readouts.
    pub blend: fn(&[Vec4], &[u16], &[f32]) -> Blended,
    /// A box, model space, that holds every vertex of a crowd, rounding included; `None` where that cannot be told from the
    /// crowd alone.
    pub reach: fn(&[Vec4], &Crowd) -> Option<Aabb>,
}

/// What the joints of one vertex are blended to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blended {
    /// Nothing of its own: the vertex is the weighted sum of where each joint alone takes it.
    Sum,
    /// `rotation · (stretch · v) + translation`.
    Motion {
        /// Scale and shear.
        stretch: Mat3A,
        /// Unit.
        rotation: Quat,
        /// Model space.
        translation: Vec3,
    },
}

/// Vertices of which only this is told: the joints that move some of them, and their sums of weights.
#[derive(Clone, Copy, Debug)]
pub struct Crowd<'a> {
    /// Each joint (its place in the palette) with the box, mesh space, around the vertices that it moves.
    pub joints: &'a [(u16, Aabb)],
    /// The least and the greatest sum of the weights of a vertex; no weight is negative.
    pub sums: [f32; 2],
}

/// What a method moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Metres.
    pub position: Vec3,
    /// Any length going in, unit coming out, or zero where there is none.
    pub normal: Vec3,
    /// Any length going in, unit coming out, or zero where there is none.
    pub tangent: Vec3,
}

/// What a method makes of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// Model space.
    pub vertex: Vertex,
    /// Of the linear map that moved the vertex; negative: the surface is mirrored there, and its winding reversed.
    pub determinant: f32,
}

/// All methods; the first is the default.
pub static METHODS: &[&Method] = &[&linear::LINEAR, &dual_quaternion::DUAL_QUATERNION];

/// Finds a method by [`Method::id`].
#[must_use]
pub fn method(id: &str) -> Option<&'static Method> {
    METHODS.iter().copied().find(|m| m.id == id)
}

/// Skinning matrices `model_from_mesh` of all skins and rigid instances, laid out by [`Model::palette_layout`].
pub fn palettes(model: &Model, model_pose: &[Affine3A], out: &mut Vec<Affine3A>) {
    out.clear();
    for skin in &model.skins {
        out.extend(skin.joints.iter().zip(&skin.inverse_bind).map(|(j, inverse)| model_pose[j.index()] * *inverse));
    }
    let rigid = model.instances.iter().zip(&model.palette_layout().rigid).filter(|(_, place)| place.is_some());
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
