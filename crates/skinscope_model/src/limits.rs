//! How far a joint may turn.

use glam::Vec3;

/// Limits of a joint about each of its own axes, in degrees from rest: limits of the angles X, Y, Z with `R = rest · Rz
/// · Ry · Rx`, as sliders and `--rotate` count them. Y goes from −90 to 90, since beyond that the same rotation has
/// other angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The least angles.
    pub least: Vec3,
    /// The largest angles; none is below its least one.
    pub most: Vec3,
}

impl Limits {
    /// The limits of a joint that turns freely.
    pub const FREE: Self = Self { least: Vec3::new(-180.0, -90.0, -180.0), most: Vec3::new(180.0, 90.0, 180.0) };

    /// Returns limits whose ends lie within [`Limits::FREE`] and in order; `None` where a number is not finite.
    #[must_use]
    pub fn between(least: Vec3, most: Vec3) -> Option<Self> {
        if !(least.is_finite() && most.is_finite()) {
            return None;
        }
        let inside = |angles: Vec3| angles.clamp(Self::FREE.least, Self::FREE.most);
        Some(Self { least: inside(least.min(most)), most: inside(most.max(least)) })
    }
}
