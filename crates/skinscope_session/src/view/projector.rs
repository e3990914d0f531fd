//! Projects points of the world into the viewport.

use glam::{Affine3A, Mat4, Vec2, Vec3};
use skinscope_base::math::Projection;

/// Projects points of the world into the viewport.
#[derive(Clone, Copy, Debug)]
pub struct Projector {
    pub(crate) view_from_world: Affine3A,
    pub(crate) clip_from_view: Mat4,
    /// The largest z in view space that is in front of the eye.
    pub(crate) farthest: f32,
    /// How far from the camera what it turns about is.
    pub(crate) distance: f32,
    /// The size of the viewport, pixels.
    pub(crate) viewport: Vec2,
}

impl Projector {
    /// Makes the projector of a camera whose frame is `world_from_view` and which sees what is farther than `near` (metres), for a
    /// viewport of these pixels.
    #[must_use]
    pub fn new(world_from_view: Affine3A, projection: Projection, near: f32, viewport: Vec2) -> Self {
        let aspect = viewport.x / viewport.y.max(1.0);
        let is_perspective = matches!(projection, Projection::Perspective { .. });
        Self {
            view_from_world: world_from_view.inverse(),
            clip_from_view: projection.clip_from_view(aspect, 0.1, 10.0),
            farthest: if is_perspective { -near } else { f32::INFINITY },
            distance: 1.0,
            viewport,
        }
    }

    /// Returns how near a point of the world is: a number that is linear in the picture over a triangle, and larger where it is
    /// nearer.
    #[must_use]
    pub(crate) fn nearness(&self, world: Vec3) -> f32 {
        let z = self.view_from_world.transform_point3(world).z;
        if self.farthest.is_finite() { -1.0 / z } else { z }
    }

    /// Returns whether what is as near as `front` lies before `nearness` by no more than this part of the distance.
    #[must_use]
    pub(crate) fn is_no_nearer(&self, front: f32, nearness: f32, part: f32) -> bool {
        match self.farthest.is_finite() {
            true => front <= nearness * (1.0 + part),
            false => front <= nearness + part * self.distance,
        }
    }

    /// Does the same as [`crate::View::project`].
    #[must_use]
    pub fn project(&self, world: Vec3) -> Option<Vec2> {
        let view = self.view_from_world.transform_point3(world);
        if view.z > self.farthest {
            return None;
        }
        let ndc = self.clip_from_view.project_point3(view);
        Some((Vec2::new(ndc.x, -ndc.y) * 0.5 + 0.5) * self.viewport)
    }
}
