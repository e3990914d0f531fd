//! Strengths that change from one place to another.

use glam::DVec3;
use skinscope_weights::Falloff;

/// How a gradient goes on beside the line between its two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GradientKind {
    /// It is the same all over each plane across the line.
    Linear,
    /// It is the same all over each sphere about the first place.
    Radial,
}

impl GradientKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Linear, Self::Radial];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Radial => "radial",
        }
    }
}

/// A strength that falls from 1 at a place to 0 at another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// How it goes on beside the line between both.
    pub kind: GradientKind,
    /// The place where the strength is 1, in the scene's space of the file, metres.
    pub from: DVec3,
    /// The place from which on it is 0; another one.
    pub until: DVec3,
}

impl Gradient {
    /// Returns the strength at a place, 0 to 1, which falls by a curve.
    #[must_use]
    pub fn strength(&self, place: DVec3, falloff: &Falloff) -> f64 {
        let (way, line) = (place - self.from, self.until - self.from);
        let share = match self.kind {
            GradientKind::Linear => way.dot(line) / line.length_squared(),
            GradientKind::Radial => way.length() / line.length(),
        };
        falloff.at(share)
    }
}

#[cfg(test)]
mod tests {
    use skinscope_weights::FALLOFFS;

    use super::*;

    #[test]
    fn a_gradient_falls_along_its_line_or_around_its_place() {
        let linear = FALLOFFS.iter().find(|row| row.id == "linear").unwrap();
        let (from, until) = (DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 4.0, 0.0));
        let at = |kind, place: [f64; 3]| Gradient { kind, from, until }.strength(DVec3::from_array(place), linear);
        for (place, along, around) in [
            ([1.0, 0.0, 0.0], 1.0, 1.0),
            ([1.0, 1.0, 0.0], 0.75, 0.75),
            ([9.0, 1.0, 0.0], 0.75, 0.0),
            ([1.0, -2.0, 0.0], 1.0, 0.5),
            ([1.0, 0.0, 3.0], 1.0, 0.25),
            ([1.0, 4.0, 0.0], 0.0, 0.0),
        ] {
            assert_eq!(
                [at(GradientKind::Linear, place), at(GradientKind::Radial, place)],
                [along, around],
                "{place:?}"
            );
        }
    }
}
