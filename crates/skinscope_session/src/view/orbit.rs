//! A camera that turns about a point.

use glam::{Affine3A, Quat, Vec2, Vec3};
use skinscope_base::math::{Aabb, Projection};

/// A camera on a sphere around a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// The point that the camera turns about, world space.
    pub target: Vec3,
    /// The angle about +Y, radians; 0 looks from +Z, which a glTF character faces.
    pub yaw: f32,
    /// The angle up from the horizon, radians.
    pub pitch: f32,
    /// The distance from the target, metres.
    pub distance: f32,
    /// Whether the projection is parallel; the size at the target is the same.
    pub orthographic: bool,
}

/// The vertical angle of view, radians: about that of a 50 mm lens, with little distortion of a figure.
pub const FOV_Y: f32 = 0.55;

impl Default for Orbit {
    fn default() -> Self {
        Self { target: Vec3::Y, yaw: 0.5, pitch: 0.15, distance: 5.0, orthographic: false }
    }
}

impl Orbit {
    /// Returns the rotation from view to world.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        Quat::from_rotation_y(self.yaw) * Quat::from_rotation_x(-self.pitch)
    }

    /// Returns the rigid transform from the camera's space to the world; the camera looks along its −Z.
    #[must_use]
    pub fn world_from_view(&self) -> Affine3A {
        let rotation = self.rotation();
        Affine3A::from_rotation_translation(rotation, self.target + rotation * Vec3::Z * self.distance)
    }

    /// Returns the projection: perspective, or orthographic with the same height at the target.
    #[must_use]
    pub fn projection(&self) -> Projection {
        if self.orthographic {
            Projection::Orthographic { height: 2.0 * self.distance * (0.5 * FOV_Y).tan() }
        } else {
            Projection::Perspective { fov_y: FOV_Y }
        }
    }

    /// Returns the depths of near and far planes (metres) that hold everything of `bounds` and what the eye may come
    /// close to.
    #[must_use]
    pub fn planes(&self, bounds: Aabb) -> (f32, f32) {
        let reach = self.distance + (bounds.center() - self.target).length() + bounds.diagonal();
        if self.orthographic { (-reach, 2.0 * reach) } else { (self.distance * 0.005, reach * 4.0) }
    }

    /// Moves the target and the distance so that `bounds` fills the picture, with a margin around it.
    pub fn frame(&mut self, bounds: Aabb, aspect: f32) {
        self.fit(bounds, (0.5 * FOV_Y).tan() * Vec2::new(aspect.max(0.05), 1.0), Vec2::ZERO);
    }

    /// Does the same for a part of the picture, which is given by its least and its greatest corner; `viewport` is the size of the whole
    /// picture. All are pixels, from the top left.
    pub(crate) fn frame_in(&mut self, bounds: Aabb, viewport: Vec2, [least, greatest]: [Vec2; 2]) {
        let (height, middle) = (viewport.y.max(1.0), 0.5 * (least + greatest));
        let tangents = (greatest - least) * ((0.5 * FOV_Y).tan() / height);
        let aside = middle - 0.5 * viewport;
        let shift = Vec2::new(aside.x, -aside.y) * (2.0 * (0.5 * FOV_Y).tan() / height);
        self.fit(bounds, tangents, shift);
        if !bounds.is_empty() {
            self.pan(aside, height);
        }
    }

    /// Moves target and distance so that `bounds` fills a picture of half the size `tangents` (tangents of angles of view), with a margin
    /// around it. Its middle will be seen at `shift` to the right of the target and above it, in the same unit.
    fn fit(&mut self, bounds: Aabb, tangents: Vec2, shift: Vec2) {
        if bounds.is_empty() {
            return;
        }
        self.target = bounds.center();
        let view_from_world = self.rotation().inverse();
        let half = bounds.size() * 0.5;
        let mut distance = 0.0_f32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
            let p = view_from_world * (half * Vec3::new(sign(1), sign(2), sign(4)));
            let depth = if self.orthographic { 0.0 } else { p.z };
            // What is nearer than the middle is seen farther aside.
            let beside = (p.truncate() + shift * depth).abs() / tangents + depth;
            distance = distance.max(beside.max_element());
        }
        // The margin is a tenth on each side; a single point still gets a picture.
        self.distance = if distance > 0.0 { distance * 1.12 } else { 1.0 };
    }

    /// Returns whether `bounds` is in a picture of this aspect: the middles of its faces must be, since its corners are
    /// farther out than what it is made around.
    #[must_use]
    pub(crate) fn holds(&self, bounds: Aabb, aspect: f32) -> bool {
        let view_from_world = self.world_from_view().inverse();
        let tan_y = (0.5 * FOV_Y).tan();
        let (tan_x, tan_y) = (1.02 * tan_y * aspect, 1.02 * tan_y);
        let (center, half) = (bounds.center(), 0.5 * bounds.size());
        let faces = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * half);
        faces.into_iter().flat_map(|f| [center - f, center + f]).all(|p| {
            let p = view_from_world.transform_point3(p);
            let depth = if self.orthographic { self.distance } else { -p.z };
            p.x.abs() <= tan_x * depth && p.y.abs() <= tan_y * depth
        })
    }

    /// Returns whether `bounds` is so far off that it takes less than a quarter of the height that framing would give
    /// it.
    #[must_use]
    pub(crate) fn is_far_from(&self, bounds: Aabb, aspect: f32) -> bool {
        let mut framed = *self;
        framed.frame(bounds, aspect);
        self.distance > 4.0 * framed.distance
    }

    /// Turns by `delta` pixels of a drag.
    pub fn orbit(&mut self, delta: Vec2) {
        const RADIANS_PER_PIXEL: f32 = 0.008;
        self.yaw = (self.yaw - delta.x * RADIANS_PER_PIXEL).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + delta.y * RADIANS_PER_PIXEL).clamp(-1.57, 1.57);
    }

    /// Moves the target with the pointer: `delta` in pixels of a viewport `height` pixels high.
    pub(crate) fn pan(&mut self, delta: Vec2, height: f32) {
        let metres_per_pixel = 2.0 * self.distance * (0.5 * FOV_Y).tan() / height.max(1.0);
        let offset = Vec3::new(-delta.x, delta.y, 0.0) * metres_per_pixel;
        self.target += self.rotation() * offset;
    }

    /// Comes a tenth nearer for each step of the wheel.
    pub fn zoom(&mut self, steps: f32) {
        self.distance = (self.distance * 0.9_f32.powf(steps)).clamp(1e-6, 1e9);
    }
}
