//! Colour ramps of weights: one function, read by legends and (through a table) by the shader.

use glam::Vec3;

/// Colours from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ramp {
    /// Blender's weight paint: blue 0, cyan, green, yellow, red 1.
    #[default]
    Blender,
    /// Safe for colour-blind eyes.
    Viridis,
    /// Blue below the middle, orange above it, pale at it: all eyes tell these two apart.
    Diverging,
    /// Grey at 0, yellow as soon as there is anything, then orange to red.
    Alarm,
}

impl Ramp {
    /// The sRGB colour of `value`, clamped to 0…1. The shader reads the same function from a table.
    #[must_use]
    pub fn color(self, value: f32) -> [f32; 3] {
        let stops: &[[f32; 3]] = match self {
            Self::Blender => &[[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
            Self::Viridis => &VIRIDIS,
            Self::Diverging => &DIVERGING,
            Self::Alarm => &ALARM,
        };
        let at = value.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
        let i = (at as usize).min(stops.len() - 2);
        let [a, b] = [stops[i], stops[i + 1]].map(Vec3::from_array);
        a.lerp(b, at - i as f32).to_array()
    }
}

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

/// Evenly darker either way.
const DIVERGING: [[f32; 3]; 5] =
    [[0.02, 0.24, 0.56], [0.30, 0.60, 0.90], [0.87, 0.87, 0.87], [0.97, 0.62, 0.24], [0.66, 0.22, 0.02]];

/// A tenth is yellow already.
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

    #[test]
    fn ramps_have_the_ends_that_people_know() {
        assert_eq!(Ramp::Blender.color(0.0), [0.0, 0.0, 1.0]);
        assert_eq!(Ramp::Blender.color(0.5), [0.0, 1.0, 0.0]);
        assert_eq!(Ramp::Blender.color(2.0), [1.0, 0.0, 0.0]);
        // Viridis rises in lightness all the way, which is what makes it safe.
        let luma = |v: [f32; 3]| 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
        let steps: Vec<f32> = (0..=20).map(|i| luma(Ramp::Viridis.color(i as f32 / 20.0))).collect();
        assert!(steps.windows(2).all(|w| w[0] < w[1]));
    }
}
