//! What a pipeline of the scene draws, as far as it decides which pipeline that is.

use super::layouts::{layer, nature};

/// The features of a material: its pipeline computes nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct MaterialFeatures {
    /// Bit n: texture n is there; behind them those of [`nature`].
    pub textures: u32,
    /// Bit n: its coordinates are transformed.
    pub transforms: u32,
    /// The bits of [`layer`].
    pub layers: u32,
}

impl MaterialFeatures {
    /// The features that readouts need: the base colour, for its holes.
    pub fn holes(self) -> Self {
        const BASE_COLOR: u32 = 1;
        let kept = BASE_COLOR | nature::MASKED | nature::DOUBLE_SIDED;
        Self { textures: self.textures & kept, transforms: self.transforms & BASE_COLOR, layers: 0 }
    }
}

/// Fragment stage of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SurfaceShading {
    Shaded,
    /// In the colours of an overlay.
    Readout,
}

/// Which windings of the surface are left out before their fragments are shaded. The fragment stage leaves out what is
/// seen from behind in any case; where one winding is known to be that for a whole draw, it need not come so far.
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
    /// Colour, over what lies behind.
    Color,
    /// Depth, for a surface that is drawn over what lies behind later: so that only its nearest layer is.
    Depth,
}

/// A way to draw.
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
    /// All vertices.
    Dots,
    /// Marked vertices, before the surface or behind it.
    Marks {
        hidden: bool,
    },
    Background,
    Grid,
    Bones,
    Lines,
}

impl Kind {
    /// True where what lies behind is read.
    pub fn is_glass(self) -> bool {
        match self {
            Self::Surface { parts, .. } => parts.layers & layer::TRANSMISSION != 0,
            _ => false,
        }
    }
}
