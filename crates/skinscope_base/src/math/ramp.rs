//! Colour ramps: functions from numbers to colours, read by legends and (through a table) by the shader.

use glam::Vec3;

/// A colour ramp: a function from values in 0…1 to sRGB colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Ramp {
    /// Grey at exactly 0, then from violet through magenta and orange to yellow at 1. Lightness never falls.
    #[default]
    Heat,
    /// The colours of Blender's weight paint: blue 0, cyan, green, yellow, red 1.
    Blender,
    /// Matplotlib's viridis, which is safe for colour-blind eyes, with grey at exactly 0.
    Viridis,
    /// A colour ramp as in Maya's *Paint Skin Weights*: black 0, red, orange, yellow, white 1.
    Maya,
    /// Black 0, white 1, as Maya shows weights without a colour ramp.
    Grey,
    /// Blue below the middle, pale in the middle, orange above it; colour-blind eyes tell these two apart too.
    Diverging,
    /// Grey at 0, yellow for the smallest values, then orange to red: it shows that there is something at all.
    Alarm,
}

/// The least value that is shown in the colour of the ramp; values between 0 and this blend into the colour of zero.
/// The smallest weight that 8 bits can store is 39 times as large.
const LEAST_SHOWN: f32 = 1e-4;

crate::choices! {
    Ramp {
        /// Returns the name on the command line and in session files, such as `heat`.
        id = 0;
        /// Returns the name in menus and legends.
        label = 1;
        /// Describes the colours of the ramp in words.
        help = 2;
    }
    Heat: "heat", "Heat", "Grey where the weight is 0, then violet, magenta, orange to yellow 1";
    Blender: "blender", "Blender", "Blue 0, cyan, green, yellow, red 1, as in Blender's weight paint";
    Viridis: "viridis", "Viridis", "Grey where the weight is 0, then viridis, which is safe for colour-blind eyes";
    Maya: "maya", "Maya", "Black 0, red, orange, yellow, white 1, as a colour ramp in Maya";
    Grey: "grey", "Greyscale", "Black 0 to white 1, as in Maya";
    Diverging: "diverging", "Diverging", "Blue below zero, orange above it";
    Alarm: "alarm", "Alarm", "Grey at 0, then yellow, orange to red";
}

impl Ramp {
    /// The ramps that a user can choose for weights, in the order of the menu.
    pub const CHOICES: [Self; 5] = [Self::Heat, Self::Blender, Self::Viridis, Self::Maya, Self::Grey];

    /// Finds a choice by its [`Ramp::id`]; `None` where no ramp of [`Ramp::CHOICES`] has it.
    #[must_use]
    pub fn choice(id: &str) -> Option<Self> {
        Self::CHOICES.into_iter().find(|r| r.id() == id)
    }

    /// Returns the sRGB colour of exactly zero; `None` where zero has no colour of its own.
    #[must_use]
    pub fn zero(self) -> Option<[f32; 3]> {
        matches!(self, Self::Heat | Self::Viridis).then_some(NEUTRAL)
    }

    /// Returns the sRGB colour of `value`, clamped to 0…1. The shader reads the same function from a table.
    #[must_use]
    pub fn color(self, value: f32) -> [f32; 3] {
        match self.zero() {
            Some(zero) if value.abs() < LEAST_SHOWN => {
                Vec3::from_array(zero).lerp(self.rise(0.0).into(), value.abs() / LEAST_SHOWN).to_array()
            }
            _ => self.rise(value),
        }
    }

    /// Returns the colour of the ramp without the colour of zero: the same as [`Ramp::color`] from 0.0001 on, and
    /// below it the colours that the ramp rises from.
    #[must_use]
    pub fn rise(self, value: f32) -> [f32; 3] {
        let stops: &[[f32; 3]] = match self {
            Self::Heat => &HEAT,
            Self::Blender => &[[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
            Self::Viridis => &VIRIDIS,
            Self::Maya => &MAYA,
            Self::Grey => &[[0.0; 3], [1.0; 3]],
            Self::Diverging => &DIVERGING,
            Self::Alarm => &ALARM,
        };
        let at = value.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
        let i = (at as usize).min(stops.len() - 2);
        let [a, b] = [stops[i], stops[i + 1]].map(Vec3::from_array);
        a.lerp(b, at - i as f32).to_array()
    }
}

/// The grey of zero: neither warm nor cold, and no lighter than the colours that follow it.
const NEUTRAL: [f32; 3] = [0.475, 0.48, 0.495];

/// Colours of [`Ramp::Heat`] at 0, ¼, ½, ¾ and 1.
const HEAT: [[f32; 3]; 5] =
    [[0.54, 0.44, 0.84], [0.75, 0.42, 0.78], [0.93, 0.46, 0.53], [0.99, 0.66, 0.30], [1.00, 0.93, 0.40]];

/// Colours of [`Ramp::Maya`] at 0, ¼, ½, ¾ and 1.
const MAYA: [[f32; 3]; 5] =
    [[0.0, 0.0, 0.0], [0.72, 0.05, 0.02], [0.98, 0.45, 0.02], [1.00, 0.88, 0.15], [1.00, 1.00, 1.00]];

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

/// Colours of [`Ramp::Diverging`] at 0, ¼, ½, ¾ and 1: equally dark at equal distances from the middle.
const DIVERGING: [[f32; 3]; 5] =
    [[0.02, 0.24, 0.56], [0.30, 0.60, 0.90], [0.87, 0.87, 0.87], [0.97, 0.62, 0.24], [0.66, 0.22, 0.02]];

/// Colours of [`Ramp::Alarm`] at ninths: a tenth is yellow already.
const ALARM: [[f32; 3]; 10] = [
    [0.420, 0.450, 0.500],
    [0.980, 0.900, 0.250],
    [0.975, 0.815, 0.210],
    [0.965, 0.730, 0.170],
    [0.950, 0.640, 0.130],
    [0.925, 0.545, 0.100],
    [0.890, 0.445, 0.080],
    [0.840, 0.340, 0.070],
    [0.775, 0.225, 0.070],
    [0.700, 0.090, 0.090],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn luma([r, g, b]: [f32; 3]) -> f32 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn ramps_have_the_ends_that_people_know() {
        assert_eq!(Ramp::Blender.color(0.0), [0.0, 0.0, 1.0]);
        assert_eq!(Ramp::Blender.color(0.5), [0.0, 1.0, 0.0]);
        assert_eq!(Ramp::Blender.color(2.0), [1.0, 0.0, 0.0]);
        assert_eq!((Ramp::Grey.color(0.0), Ramp::Maya.color(0.0)), ([0.0; 3], [0.0; 3]));
        assert_eq!((Ramp::Grey.color(1.0), Ramp::Maya.color(1.0)), ([1.0; 3], [1.0; 3]));
        // The lightness of these rises all the way, which makes them safe for every eye.
        for ramp in [Ramp::Heat, Ramp::Viridis, Ramp::Maya, Ramp::Grey] {
            let steps: Vec<f32> = (0..=20).map(|i| luma(ramp.rise(i as f32 / 20.0))).collect();
            assert!(steps.windows(2).all(|w| w[0] < w[1]), "{ramp:?}");
        }
    }

    #[test]
    fn zero_is_grey_and_the_least_weight_is_not() {
        for ramp in [Ramp::Heat, Ramp::Viridis] {
            let [r, g, b] = ramp.color(0.0);
            assert!((r - b).abs() < 0.05 && (g - b).abs() < 0.05, "{ramp:?}");
            let tiny = Vec3::from_array(ramp.color(1.0 / 255.0));
            assert!(tiny.distance(ramp.color(0.0).into()) > 0.25, "{ramp:?}: the smallest weight of 8 bits");
            assert_eq!(ramp.color(0.5), ramp.rise(0.5));
        }
        assert_eq!(Ramp::CHOICES.map(|r| Ramp::choice(r.id())), Ramp::CHOICES.map(Some));
        assert_eq!(Ramp::choice("alarm"), None);
    }
}
