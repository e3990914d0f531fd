//! From a pose to a deformed surface: palettes, methods, normals. The CPU side is the reference of the shaders.

use glam::{Affine3A, Vec3, Vec4};

use crate::model::Model;

mod linear;

/// One way to deform a vertex with a palette: one Rust file, one WGSL file, one row of [`METHODS`].
#[derive(Debug)]
pub struct Method {
    /// As on the command line: `linear`.
    pub id: &'static str,
    /// As in the window: "Linear blend".
    pub label: &'static str,
    /// File name in `shaders/deform/` and its text.
    pub wgsl: (&'static str, &'static str),
    /// Packs one skinning matrix into [`VEC4S_PER_JOINT`] vectors, the bytes that shader and CPU reference both read.
    pub pack: fn(&Affine3A) -> [Vec4; VEC4S_PER_JOINT],
    /// The CPU reference.
    pub deform: fn(&[[Vec4; VEC4S_PER_JOINT]], &[u16], &[f32], Vertex) -> Vertex,
}

/// Vectors of a packed joint; methods that need fewer leave the rest zero.
pub const VEC4S_PER_JOINT: usize = 3;

/// What a method moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Metres.
    pub position: Vec3,
    /// Unit, or zero where there is none.
    pub normal: Vec3,
    /// Unit, or zero where there is none.
    pub tangent: Vec3,
}

/// All methods; the first is the default.
pub static METHODS: &[&Method] = &[&linear::LINEAR];

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
    for instance in model.instances.iter().filter(|i| i.skin.is_none()) {
        out.push(model_pose[instance.node.index()]);
    }
}
