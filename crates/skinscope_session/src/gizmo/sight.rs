//! The camera as the gizmo uses it: in double precision, and with positions relative to that of the gizmo, so that a
//! joint far from the world's origin is turned as exactly as one near it.

use glam::{DMat3, DVec2, DVec3, Vec2};
use skinscope_base::math::Projection;

use crate::View;

/// A camera, and the position that lengths are measured from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sight {
    /// The position of the camera relative to that of the gizmo, in metres.
    eye: DVec3,
    /// The rotation of `world_from_view`; the camera looks along its −Z.
    turn: DMat3,
    projection: Projection,
    /// Width and height in pixels.
    viewport: DVec2,
}

/// A half line from a point (in metres from the gizmo's position) in a direction of length 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct SightRay {
    pub(super) from: DVec3,
    pub(super) along: DVec3,
}

impl Sight {
    /// The camera of `view`, with positions relative to `origin` (world space, metres).
    pub(super) fn new(view: &View, origin: DVec3) -> Self {
        let world_from_view = view.world_from_view();
        Self {
            eye: world_from_view.translation.as_dvec3() - origin,
            turn: glam::Mat3::from(world_from_view.matrix3).as_dmat3(),
            projection: view.projection(),
            viewport: view.viewport.max(Vec2::ONE).as_dvec2(),
        }
    }

    fn aspect(&self) -> f64 {
        (self.viewport.x / self.viewport.y).clamp(0.01, 100.0)
    }

    /// Half of the height of what is seen: at a distance of one metre in perspective, at any distance otherwise.
    fn half_height(&self) -> f64 {
        match self.projection {
            Projection::Perspective { fov_y } => (0.5 * f64::from(fov_y)).tan(),
            Projection::Orthographic { height } => 0.5 * f64::from(height),
        }
    }

    /// The ray under a point of the viewport, pixels from its top left.
    pub(super) fn ray(&self, at: DVec2) -> SightRay {
        let ndc = at / self.viewport * DVec2::new(2.0, -2.0) + DVec2::new(-1.0, 1.0);
        let half = self.half_height() * DVec2::new(self.aspect(), 1.0) * ndc;
        match self.projection {
            Projection::Perspective { .. } => {
                SightRay { from: self.eye, along: (self.turn * half.extend(-1.0)).normalize() }
            }
            Projection::Orthographic { .. } => {
                SightRay { from: self.eye + self.turn * half.extend(0.0), along: self.turn * DVec3::NEG_Z }
            }
        }
    }

    /// The position in the picture of a point (in metres from the gizmo's position), in pixels; `None` where it is
    /// beside or behind the eye.
    pub(super) fn project(&self, position: DVec3) -> Option<DVec2> {
        let view = self.turn.transpose() * (position - self.eye);
        let ahead = match self.projection {
            Projection::Perspective { .. } => -view.z,
            Projection::Orthographic { .. } => 1.0,
        };
        if ahead <= 1e-9 * view.length() {
            return None;
        }
        let half = self.half_height() * ahead * DVec2::new(self.aspect(), 1.0);
        let ndc = view.truncate() / half;
        Some((ndc * DVec2::new(0.5, -0.5) + 0.5) * self.viewport)
    }

    /// How many metres a pixel covers at the gizmo's position; `None` where that is beside or behind the eye.
    pub(super) fn metres_per_pixel(&self) -> Option<f64> {
        let ahead = match self.projection {
            Projection::Perspective { .. } => (self.turn.transpose() * self.eye).z,
            Projection::Orthographic { .. } => 1.0,
        };
        let metres = 2.0 * self.half_height() * ahead / self.viewport.y;
        (metres > 0.0 && metres.is_finite()).then_some(metres)
    }

    /// The direction from the gizmo's position to the eye, of length 1.
    pub(super) fn toward_eye(&self) -> DVec3 {
        match self.projection {
            Projection::Perspective { .. } => self.eye.normalize_or(self.turn.z_axis),
            Projection::Orthographic { .. } => self.turn.z_axis,
        }
    }

    /// The directions to the right and up in the picture, in world space and of length 1.
    pub(super) fn right_and_up(&self) -> [DVec3; 2] {
        [self.turn.x_axis, self.turn.y_axis]
    }
}

impl SightRay {
    /// The point at which the ray meets the plane through the gizmo's position with this normal (of length 1). `None`
    /// where the sine of the angle between ray and plane is less than `least`, or where they meet behind the eye.
    pub(super) fn meets_plane(&self, normal: DVec3, least: f64) -> Option<DVec3> {
        let slope = self.along.dot(normal);
        let distance = -self.from.dot(normal) / slope;
        (slope.abs() > least && distance > 0.0 && distance.is_finite()).then(|| self.from + self.along * distance)
    }

    /// The distance along an axis (through the gizmo's position, of length 1) of the point that is nearest to the ray,
    /// in metres; `None` where both are nearly parallel.
    pub(super) fn nearest_along(&self, axis: DVec3) -> Option<f64> {
        let cos = self.along.dot(axis);
        let sin_squared = 1.0 - cos * cos;
        (sin_squared > 4e-3).then(|| (self.from.dot(axis) - self.from.dot(self.along) * cos) / sin_squared)
    }
}
