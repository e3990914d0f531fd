//! What a clip may change beside poses (`KHR_animation_pointer`): one number, or a few, of a material, light, camera or node.

use glam::Vec4;

use super::{CameraId, Lens, Light, LightId, LightKind, NodeId};

/// A property that a clip moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Whether a node and all below it are shown: 0 or 1.
    Visible(NodeId),
    /// Of a light.
    Light(LightId, LightProperty),
    /// Of a camera.
    Camera(CameraId, CameraProperty),
}

/// A property and its value, as far as it has components.
pub type Change = (Property, Vec4);

/// What of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields of Light")]
pub enum LightProperty {
    Color,
    Intensity,
    Range,
    InnerCone,
    OuterCone,
}

/// What of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields of Lens")]
pub enum CameraProperty {
    FovY,
    Aspect,
    HalfWidth,
    HalfHeight,
    Near,
    Far,
}

impl Property {
    /// Numbers that make its value: 1 to 4.
    #[must_use]
    pub fn components(self) -> usize {
        match self {
            Self::Light(_, LightProperty::Color) => 3,
            Self::Visible(_) | Self::Light(..) | Self::Camera(..) => 1,
        }
    }
}

impl Light {
    /// Changes one property, clamped to what a light may be.
    pub fn set(&mut self, property: LightProperty, value: Vec4) {
        let positive = |v: f32| v.clamp(0.0, f32::MAX);
        match (property, &mut self.kind) {
            (LightProperty::Color, _) => self.color = value.truncate().clamp(glam::Vec3::ZERO, glam::Vec3::MAX),
            (LightProperty::Intensity, _) => self.intensity = positive(value.x),
            (LightProperty::Range, _) => self.range = Some(positive(value.x)).filter(|r| *r > 0.0),
            (LightProperty::InnerCone, LightKind::Spot { inner, outer }) => *inner = value.x.clamp(0.0, *outer * 0.999),
            (LightProperty::OuterCone, LightKind::Spot { inner, outer }) => {
                *outer = value.x.clamp(1e-3, std::f32::consts::FRAC_PI_2);
                *inner = inner.min(*outer * 0.999);
            }
            (LightProperty::InnerCone | LightProperty::OuterCone, _) => {}
        }
    }
}

impl Lens {
    /// Changes one property. What makes no projection leaves the lens as it was.
    pub fn set(&mut self, property: CameraProperty, value: f32) {
        let mut changed = *self;
        match (&mut changed, property) {
            (Self::Perspective { fov_y, .. }, CameraProperty::FovY) => *fov_y = value,
            (Self::Perspective { aspect, .. }, CameraProperty::Aspect) => *aspect = Some(value),
            (Self::Perspective { near, .. } | Self::Orthographic { near, .. }, CameraProperty::Near) => *near = value,
            (Self::Perspective { far, .. }, CameraProperty::Far) => *far = Some(value),
            (Self::Orthographic { far, .. }, CameraProperty::Far) => *far = value,
            (Self::Orthographic { half_width, .. }, CameraProperty::HalfWidth) => *half_width = value.abs(),
            (Self::Orthographic { half_height, .. }, CameraProperty::HalfHeight) => *half_height = value.abs(),
            _ => {}
        }
        if changed.is_valid() {
            *self = changed;
        }
    }
}
