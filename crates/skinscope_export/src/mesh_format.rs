//! The files that a posed surface is written as, by the endings of their names.

use std::io::{self, Write};
use std::path::Path;

use super::{BakedPrimitive, write_glb, write_obj, write_ply, write_stl};
use skinscope_model::Model;

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
