//! Lights and cameras of the file, which belong to nodes as meshes do. Both look along the −Z of their node.

use glam::Vec3;
use skinscope_base::math::Projection;

/// A light (`KHR_lights_punctual`).
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The shape of its beam.
    pub kind: LightKind,
    /// The colour, linear RGB.
    pub color: Vec3,
    /// The brightness, ≥ 0: lux of a directional light, candela (which are lux at one metre) of the others.
    pub intensity: f32,
    /// The distance in metres at which the light has faded to nothing, > 0; `None`: it fades by the inverse square and
    /// never ends.
    pub range: Option<f32>,
}

/// The shape of a light's beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel light along the node's −Z, from infinitely far away.
    Directional,
    /// Light from a point into all directions.
    Point,
    /// Light from a point into a cone around the node's −Z. Angles are from the axis, in radians: 0 ≤ inner < outer ≤ π
    /// / 2.
    Spot {
        /// Up to this angle the light is as bright as in the middle.
        inner: f32,
        /// From this angle on it is dark.
        outer: f32,
    },
}

/// A camera (glTF 2.0, 3.10).
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The projection.
    pub lens: Lens,
}

/// The projection of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// A perspective projection.
    Perspective {
        /// Vertical angle of view, radians, in 0…π.
        fov_y: f32,
        /// Width over height of the area that must be visible; `None`: that of the picture.
        aspect: Option<f32>,
        /// Distance of the near plane in metres, > 0.
        near: f32,
        /// Distance of the far plane in metres, beyond `near`; `None`: infinite.
        far: Option<f32>,
    },
    /// A parallel projection.
    Orthographic {
        /// Half of the width that must be visible, metres, > 0.
        half_width: f32,
        /// Half of the height that must be visible, metres, > 0.
        half_height: f32,
        /// Distance of the near plane in metres, ≥ 0.
        near: f32,
        /// Distance of the far plane in metres, beyond `near`.
        far: f32,
    },
}

impl Light {
    pub(super) fn is_valid(&self) -> bool {
        let kind = match self.kind {
            LightKind::Directional | LightKind::Point => true,
            LightKind::Spot { inner, outer } => {
                0.0 <= inner && inner < outer && outer <= std::f32::consts::FRAC_PI_2 + 1e-6
            }
        };
        let range = self.range.is_none_or(|r| r > 0.0 && r.is_finite());
        kind && range && self.color.is_finite() && (0.0..=f32::MAX).contains(&self.intensity)
    }
}

impl Lens {
    /// Returns the projection that shows everything that must be visible in a picture of `aspect` = width / height, and
    /// the distances of its near and far planes in metres; an infinite one is [`f32::INFINITY`].
    #[must_use]
    pub fn projection(self, aspect: f32) -> (Projection, f32, f32) {
        match self {
            Self::Perspective { fov_y, aspect: wanted, near, far } => {
                // A picture that is too narrow shows more above and below.
                let taller = wanted.map_or(1.0, |w| (w / aspect).max(1.0));
                let fov_y = 2.0 * ((0.5 * fov_y).tan() * taller).atan();
                (Projection::Perspective { fov_y }, near, far.unwrap_or(f32::INFINITY))
            }
            Self::Orthographic { half_width, half_height, near, far } => {
                (Projection::Orthographic { height: 2.0 * half_height.max(half_width / aspect) }, near, far)
            }
        }
    }

    /// Returns whether the lens makes a projection: all angles, sizes and distances are in their ranges.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let positive = |n: f32| n > 0.0 && n.is_finite();
        match *self {
            Self::Perspective { fov_y, aspect, near, far } => {
                let beyond = far.is_none_or(|f| f > near && f.is_finite());
                positive(fov_y)
                    && fov_y < std::f32::consts::PI
                    && aspect.is_none_or(positive)
                    && positive(near)
                    && beyond
            }
            Self::Orthographic { half_width, half_height, near, far } => {
                positive(half_width) && positive(half_height) && near >= 0.0 && far > near && far.is_finite()
            }
        }
    }
}
