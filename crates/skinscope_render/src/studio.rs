//! The lights of the studio: soft boxes that turn with the camera, so that the model is lit well from every side.

use glam::{Affine3A, Vec3};

use super::layouts::SoftBox;

/// A soft box in view space.
struct Light {
    /// The direction towards the light: right, up, and back towards the eye.
    towards: Vec3,
    /// Half extents in the stereographic projection (2 tan of half the angle).
    half: [f32; 2],
    /// Linear radiance.
    radiance: [f32; 3],
    /// The share of the radiance that also lights diffusely, at full incidence (solid angle / π, less what the key
    /// light gives).
    diffuse: f32,
}

/// The soft boxes. The key light comes from the direction of the first: it is a lamp of its own, and the box is what
/// mirrors show of it.
const LIGHTS: [Light; 4] = [
    // Key, upper left of the eye.
    Light { towards: Vec3::new(-0.55, 0.68, 0.60), half: [0.42, 0.62], radiance: [2.6, 2.55, 2.46], diffuse: 0.04 },
    // Fill, low on the right.
    Light { towards: Vec3::new(0.85, 0.10, 0.45), half: [0.35, 0.80], radiance: [0.75, 0.78, 0.84], diffuse: 0.13 },
    // Rim, behind on the right. Its radiance adds to that of the wall. Surfaces that are seen at a grazing angle mirror
    // what is behind them, so a brighter rim would cover the colours of all of those.
    Light { towards: Vec3::new(0.72, 0.42, -0.72), half: [0.30, 0.95], radiance: [0.25, 0.26, 0.275], diffuse: 0.27 },
    // A weaker rim behind on the left.
    Light { towards: Vec3::new(-0.80, 0.25, -0.62), half: [0.22, 0.90], radiance: [0.20, 0.21, 0.22], diffuse: 0.24 },
];

/// The unit direction in world space towards the key light.
pub(super) fn towards_key(world_from_view: Affine3A) -> Vec3 {
    world_from_view.transform_vector3(LIGHTS[0].towards).normalize()
}

/// The lights in world space.
pub(super) fn boxes(world_from_view: Affine3A) -> [SoftBox; 4] {
    LIGHTS.map(|light| {
        let z = light.towards.normalize();
        // The cross product is not zero, since no light is straight above.
        let x = Vec3::Y.cross(z).normalize();
        let y = z.cross(x);
        let world = |v: Vec3, w: f32| world_from_view.transform_vector3(v).extend(w).to_array();
        let [r, g, b] = light.radiance;
        SoftBox {
            x: world(x, light.half[0]),
            y: world(y, light.half[1]),
            z: world(z, 0.0),
            radiance: [r, g, b, light.diffuse],
        }
    })
}
