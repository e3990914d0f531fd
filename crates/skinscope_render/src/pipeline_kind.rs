//! The properties of what is drawn that decide which pipeline draws it.

use skinscope_frame::{Look, MaterialMap};

use super::layouts::{layer, nature};

/// The features that a material uses. Its pipeline computes no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct MaterialFeatures {
    /// Bit n is set where the material has texture n; the bits of [`nature`] come after those.
    pub textures: u32,
    /// Bit n is set where the coordinates of texture n are transformed.
    pub transforms: u32,
    /// The bits of [`layer`].
    pub layers: u32,
}

impl MaterialFeatures {
    /// Keeps only the features that readouts need: the base colour, whose alpha cuts holes.
    pub fn holes(self) -> Self {
        const BASE_COLOR: u32 = 1;
        let mask = BASE_COLOR | nature::MASKED | nature::DOUBLE_SIDED;
        Self { textures: self.textures & mask, transforms: self.transforms & BASE_COLOR, layers: 0 }
    }

    /// Keeps only the features that a look reads, beside those that [`MaterialFeatures::holes`] keeps.
    pub(crate) fn of_look(self, look: &Look) -> Self {
        let read = look.reads.iter().fold(0, |bits, map| {
            bits | match map {
                MaterialMap::MetallicRoughness => 1 << 1,
                MaterialMap::Normal => 1 << 2,
            }
        });
        let holes = self.holes();
        Self {
            textures: holes.textures | self.textures & read | if look.shows_backs { nature::DOUBLE_SIDED } else { 0 },
            transforms: holes.transforms | self.transforms & read,
            layers: self.layers & layer::GLOSS,
        }
    }
}

/// Which fragment stage draws the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SurfaceShading {
    Shaded,
    /// The surface in the colours of an overlay.
    Readout,
    /// The surface in another look than that of its materials: [`super::shader::Linking::look`].
    Look(u8),
}

/// Which winding of triangles the pipeline culls. The fragment stage discards back faces in any case; where all back
/// faces of a draw are known to have the same winding, culling them saves running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cull {
    None,
    Clockwise,
    CounterClockwise,
}

impl Cull {
    pub fn other(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Clockwise => Self::CounterClockwise,
            Self::CounterClockwise => Self::Clockwise,
        }
    }
}

/// The attachments that a draw of the surface writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SurfaceWrites {
    /// Colour and depth.
    All,
    /// Colour, blended over what lies behind.
    Color,
    /// Depth, for a surface whose colour is blended over what lies behind later: only its nearest layer is then drawn.
    Depth,
}

/// What is drawn, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Surface {
        look: SurfaceShading,
        topology: wgpu::PrimitiveTopology,
        leaves: SurfaceWrites,
        cull: Cull,
        parts: MaterialFeatures,
    },
    Edges,
    /// A faint surface of another moment.
    Ghost,
    /// All vertices as dots.
    Dots,
    /// Marked vertices, in front of the surface or hidden behind it.
    Marks {
        hidden: bool,
    },
    Background,
    /// The environment behind everything, with the tone map of this index.
    Surroundings {
        tone_map: u8,
    },
    /// The ground; with the shadow that light casts past the model, or with one that is only drawn under it.
    Grid {
        shadowed: bool,
    },
    /// Depths of the model from the directions that light comes from. `masked`: alpha cuts holes.
    Caster {
        masked: Option<MaterialFeatures>,
    },
    Bones,
    Lines,
}

impl Kind {
    /// True for surfaces that are drawn in some light, so that a tone map follows.
    pub fn is_lit(self) -> bool {
        matches!(self, Self::Surface { look: SurfaceShading::Shaded | SurfaceShading::Look(_), .. })
    }

    /// True for glass, which reads the picture of what lies behind it.
    pub fn is_glass(self) -> bool {
        match self {
            Self::Surface { look: SurfaceShading::Shaded, parts, .. } => parts.layers & layer::TRANSMISSION != 0,
            _ => false,
        }
    }
}
