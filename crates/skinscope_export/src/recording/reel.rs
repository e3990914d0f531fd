//! The moments of a film: which pictures there are, when each is taken, and how far the model has turned by then.

use glam::{Affine3A, Vec3};
use skinscope_base::math::Aabb;

/// The most pictures of a film.
pub const MOST_PICTURES: u32 = 100_000;

/// The most pictures of a film whose pictures are not named one by one: eleven minutes at 30 a second.
const MOST_UNNAMED: u32 = 20_000;

/// How long a turntable takes that is not given, seconds.
pub const TURN_SECS: f32 = 4.0;

/// The pictures of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reel {
    /// The number of the first picture.
    pub first: u32,
    /// How many pictures there are: 1 or more.
    pub count: u32,
    /// Pictures a second.
    pub fps: f32,
    /// Whether the clip plays; else all pictures show one pose.
    pub plays: bool,
    /// How far the model turns about the vertical in all pictures together, degrees, counterclockwise as seen from above.
    pub turn: Option<f32>,
}

impl Reel {
    /// Returns the pictures of a whole clip: those whose moment is before its end, so that a clip that goes round does not show
    /// its first pose twice. A clip without length has one.
    #[must_use]
    pub fn of_clip(duration_secs: f32, fps: f32, turn: Option<f32>) -> Self {
        // A thousandth of a picture is the rounding of a length.
        let count = (f64::from(duration_secs) * f64::from(fps) - 1e-3).ceil().clamp(1.0, u32::MAX.into()) as u32;
        Self { first: 0, count, fps, plays: true, turn }
    }

    /// Returns a sentence that says how many pictures there are, where these are so many that a clip is more likely broken than meant
    /// to be filmed whole.
    #[must_use]
    pub fn too_long(&self) -> Option<String> {
        let why = || {
            let Self { count, fps, .. } = self;
            format!(
                "The film would have {count} pictures at {fps} a second, and that of a whole clip has {MOST_UNNAMED} at most"
            )
        };
        (self.count > MOST_UNNAMED).then(why)
    }

    /// Returns the pictures of a model that turns and does not move, in so many seconds.
    #[must_use]
    pub fn of_turn(degrees: f32, fps: f32, secs: f32) -> Self {
        let count = (secs * fps).round().max(1.0) as u32;
        Self { first: 0, count, fps, plays: false, turn: Some(degrees) }
    }

    /// Returns the moment of the picture with this index in the film, from 0 on: seconds on the clip's timeline.
    #[must_use]
    pub fn time_secs(&self, index: u32) -> f32 {
        (f64::from(self.first + index) / f64::from(self.fps)) as f32
    }

    /// Returns how far the model has turned in the picture with this index, radians. A film that goes round shows no direction
    /// twice: the last picture is one step before the end of the turn.
    #[must_use]
    pub fn turned(&self, index: u32) -> f32 {
        self.turn.unwrap_or(0.0).to_radians() * index as f32 / self.count as f32
    }
}

/// Returns the camera that sees what this one sees of a model that has turned by `radians` about the vertical through `pivot`.
#[must_use]
pub fn turned(world_from_view: Affine3A, pivot: Vec3, radians: f32) -> Affine3A {
    if radians == 0.0 {
        return world_from_view;
    }
    let about = Affine3A::from_translation(pivot) * Affine3A::from_rotation_y(-radians);
    about * Affine3A::from_translation(-pivot) * world_from_view
}

/// Returns the box of all that a box holds while it turns about the vertical through its middle.
#[must_use]
pub fn swept(bounds: Aabb) -> Aabb {
    if bounds.is_empty() {
        return bounds;
    }
    let (center, half) = (bounds.center(), 0.5 * bounds.size());
    let radius = half.x.hypot(half.z);
    let half = Vec3::new(radius, half.y, radius);
    Aabb { min: center - half, max: center + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_clip_is_as_long_as_it_is_and_ends_before_it_begins_again() {
        let count = |secs: f32, fps: f32| Reel::of_clip(secs, fps, None).count;
        assert_eq!((count(1.0, 30.0), count(1.000_001, 30.0), count(1.01, 30.0), count(0.0, 30.0)), (30, 30, 31, 1));
        let long = Reel::of_clip(100_000.0, 30.0, None);
        assert!(long.too_long().is_some_and(|why| why.contains("3000000 pictures at 30 a second")));
        assert!(Reel::of_clip(600.0, 30.0, None).too_long().is_none() && count(1e9, 60.0) == u32::MAX);
        let reel = Reel { first: 6, count: 3, fps: 24.0, plays: true, turn: None };
        assert_eq!([0, 2].map(|index| reel.time_secs(index)), [0.25, 8.0 / 24.0]);
        assert_eq!(reel.turned(2), 0.0);
    }

    #[test]
    fn a_turn_is_even_and_shows_no_direction_twice() {
        let reel = Reel::of_turn(360.0, 30.0, TURN_SECS);
        assert_eq!((reel.count, reel.turned(0)), (120, 0.0));
        let step = std::f32::consts::TAU / 120.0;
        assert!((0..119).all(|i| (reel.turned(i + 1) - reel.turned(i) - step).abs() < 1e-5));
        // The model turns counterclockwise as seen from above: what faces the camera at +Z goes to the right, to +X.
        let camera = Affine3A::from_translation(Vec3::new(1.0, 0.0, 5.0));
        let seen = turned(camera, Vec3::X, 0.5).inverse().transform_point3(Vec3::new(1.0, 0.0, 1.0));
        assert!((seen - Vec3::new(0.5_f32.sin(), 0.0, 0.5_f32.cos() - 5.0)).length() < 1e-5, "{seen}");
        let bounds = swept(Aabb { min: Vec3::new(-3.0, 0.0, -4.0), max: Vec3::new(3.0, 1.0, 4.0) });
        assert_eq!((bounds.min, bounds.max), (Vec3::new(-5.0, 0.0, -5.0), Vec3::new(5.0, 1.0, 5.0)));
    }
}
