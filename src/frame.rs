//! One picture as pure data: all that the renderer sees. Knows nothing of the GPU, of windows, or of how it came about.

use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};

use crate::deform::{METHODS, Method};
use crate::math::Projection;
use crate::model::{InstanceId, Model, NodeId};

/// One picture.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What is drawn; the renderer keeps its GPU copy as long as this stays the same `Arc`.
    pub model: Option<Arc<Model>>,
    /// From where.
    pub camera: Camera,
    /// How vertices are deformed.
    pub method: &'static Method,
    /// `model_from_mesh`, laid out by [`Model::palette_layout`].
    pub palettes: Vec<Affine3A>,
    /// By [`crate::model::Instance::morph_offset`].
    pub morph_weights: Vec<f32>,
    /// Instances to draw, in depth-first node order.
    pub draws: Vec<InstanceId>,
    /// Bones of the skeleton, over the surface.
    pub bones: Vec<Bone>,
    /// Lines over the surface, such as joint axes.
    pub lines: Vec<Line>,
    /// Everything else about how it looks.
    pub display: Display,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            model: None,
            camera: Camera::default(),
            method: METHODS[0],
            palettes: Vec::new(),
            morph_weights: Vec::new(),
            draws: Vec::new(),
            bones: Vec::new(),
            lines: Vec::new(),
            display: Display::default(),
        }
    }
}

/// Where the eye is; it looks along its −Z. The aspect comes from the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Rigid.
    pub world_from_view: Affine3A,
    /// Perspective or orthographic.
    pub projection: Projection,
    /// Metres in front of the eye.
    pub near: f32,
    /// Metres in front of the eye.
    pub far: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            world_from_view: Affine3A::from_translation(Vec3::new(0.0, 0.0, 4.0)),
            projection: Projection::Perspective { fov_y: 0.6 },
            near: 0.1,
            far: 100.0,
        }
    }
}

/// How it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Display {
    /// What colours the surface.
    pub surface: Surface,
    /// The joint that [`Surface::Weights`] shows.
    pub selected: Option<NodeId>,
    /// Triangle edges over the surface.
    pub wireframe: bool,
    /// The surface itself; off leaves skeleton, lines and wireframe.
    pub mesh: bool,
    /// The ground at y = `height`, fading out.
    pub grid: Option<Grid>,
    /// Behind everything.
    pub background: Background,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            surface: Surface::Shaded,
            selected: None,
            wireframe: false,
            mesh: true,
            grid: None,
            background: Background::Solid([0.0, 0.0, 0.0]),
        }
    }
}

/// What colours the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// Materials and light.
    #[default]
    Shaded,
    /// Each vertex by its weight for the selected joint.
    Weights(Ramp),
    /// Each vertex by the joint that moves it most.
    Dominant {
        /// Triangles with a vertex that several joints move are black (as in the lecture).
        shared_black: bool,
    },
}

/// Colours from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ramp {
    /// Blender's weight paint: blue 0, cyan, green, yellow, red 1.
    #[default]
    Blender,
    /// Safe for colour-blind eyes.
    Viridis,
}

/// The ground plane's lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Metres between lines; every tenth is stronger.
    pub spacing: f32,
    /// y of the plane.
    pub height: f32,
    /// Where it has faded out, metres from the origin.
    pub radius: f32,
    /// Box of the deformed model on the ground, for the contact shadow: centre xz and radii xz; zero radii for none.
    pub shadow: Vec4,
    /// sRGB.
    pub color: [f32; 3],
}

/// Behind everything. Colours are sRGB, 0…1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// One colour.
    Solid([f32; 3]),
    /// Nothing: alpha is written.
    Transparent,
    /// Radial: `inner` in the middle, `outer` at the corners.
    Studio {
        /// Middle.
        inner: [f32; 3],
        /// Corners.
        outer: [f32; 3],
    },
}

/// One octahedral bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// Where the joint is, world.
    pub head: Vec3,
    /// Where the next joint is, world.
    pub tail: Vec3,
    /// Half width at the collar, metres.
    pub radius: f32,
    /// sRGB, straight alpha.
    pub color: [f32; 4],
}

/// One line, drawn over the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// World.
    pub from: Vec3,
    /// World.
    pub to: Vec3,
    /// Pixels.
    pub width: f32,
    /// sRGB, straight alpha.
    pub color: [f32; 4],
}

impl Ramp {
    /// The sRGB colour of `value`, clamped to 0…1. The shader reads the same function from a table.
    #[must_use]
    pub fn color(self, value: f32) -> [f32; 3] {
        let stops: &[[f32; 3]] = match self {
            Self::Blender => &[[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
            Self::Viridis => &VIRIDIS,
        };
        let at = value.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
        let i = (at as usize).min(stops.len() - 2);
        let [a, b] = [stops[i], stops[i + 1]].map(Vec3::from_array);
        a.lerp(b, at - i as f32).to_array()
    }
}

/// Matplotlib's viridis (Smith & van der Walt, CC0) at ninths.
const VIRIDIS: [[f32; 3]; 10] = [
    [0.267, 0.004, 0.329],
    [0.282, 0.157, 0.471],
    [0.243, 0.286, 0.537],
    [0.192, 0.408, 0.557],
    [0.149, 0.510, 0.557],
    [0.122, 0.620, 0.537],
    [0.208, 0.718, 0.475],
    [0.431, 0.808, 0.345],
    [0.710, 0.871, 0.169],
    [0.992, 0.906, 0.145],
];

/// The sRGB colour that stands for a joint: neighbours in the list differ well (hues step by the golden ratio).
#[must_use]
pub fn joint_color(node: NodeId) -> [f32; 3] {
    let hue = (node.0 as f32 * 0.618_034).fract() * 6.0;
    let bright = if node.0 % 2 == 0 { 0.95 } else { 0.75 };
    let channel = |shift: f32| {
        let k = (shift + hue) % 6.0;
        bright * (1.0 - 0.65 * k.min(4.0 - k).clamp(0.0, 1.0))
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_have_the_ends_that_people_know() {
        assert_eq!(Ramp::Blender.color(0.0), [0.0, 0.0, 1.0]);
        assert_eq!(Ramp::Blender.color(0.5), [0.0, 1.0, 0.0]);
        assert_eq!(Ramp::Blender.color(2.0), [1.0, 0.0, 0.0]);
        // Viridis rises in lightness all the way, which is what makes it safe.
        let luma = |v: [f32; 3]| 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
        let steps: Vec<f32> = (0..=20).map(|i| luma(Ramp::Viridis.color(i as f32 / 20.0))).collect();
        assert!(steps.windows(2).all(|w| w[0] < w[1]));
    }
}
