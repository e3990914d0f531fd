//! The files that a posed surface is written as, by the endings of their names.

use std::io::{self, Write};
use std::path::Path;

use glam::DVec3;
use skinscope_base::math::length;
use skinscope_model::Model;

use super::stl::write_stl;
use super::{BakedPrimitive, write_glb, write_obj, write_ply};

/// A kind of file that holds a posed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Binary, little-endian PLY.
    Ply,
    /// Wavefront OBJ.
    Obj,
    /// glTF in one file, with textures and colours.
    Glb,
    /// Binary STL.
    Stl,
}

impl MeshFormat {
    /// Returns the format of a file of this name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "ply" => Some(Self::Ply),
            "obj" => Some(Self::Obj),
            "glb" => Some(Self::Glb),
            "stl" => Some(Self::Stl),
            _ => None,
        }
    }

    /// Says what a file of this format lacks of a surface that stands far from the origin of its file; `None`: nothing, or it stands near.
    /// Formats of floats are too coarse for such positions, so that they hold the vertices relative to an origin near the model. `shift` is
    /// that of the origin of the pose ([`skinscope_anim::origin_shift`]).
    #[must_use]
    pub fn lacks(self, model: &Model, shift: DVec3) -> Option<String> {
        let origin = model.skeleton.origin() + shift;
        let others = model.skeleton.other_figures();
        if origin == DVec3::ZERO && others.is_empty() || matches!(self, Self::Obj | Self::Glb) {
            return None;
        }
        let format = if self == Self::Ply { "PLY" } else { "STL" };
        if !others.is_empty() {
            return Some(format!(
                "{format} holds places as floats, which are too coarse for figures so far from each other; they are written as near each \
                 other as they are shown. Write .obj or .glb, which hold the distance"
            ));
        }
        let most = origin.abs().max_element() as f32;
        let step = f64::from(most.next_up() - most);
        let DVec3 { x, y, z } = origin;
        Some(format!(
            "{format} holds places as floats, which have steps of {} so far from the origin; the vertices are written relative to \
             {x}, {y}, {z}. Add that, or write .obj or .glb, which hold the places",
            length(step)
        ))
    }

    /// Writes a surface of `model`.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(self, model: &Model, surface: &[BakedPrimitive], out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Ply => write_ply(surface, out),
            Self::Obj => write_obj(model, surface, out),
            Self::Stl => write_stl(surface, out),
            Self::Glb => write_glb(model, surface, out),
        }
    }
}
