//! Controls that a user writes: sliders that pose several joints, morphs or other sliders at once, and joints that
//! follow the angle or the position of others. A control is one line of text:
//!
//! ```text
//! scale("Biceps.L", "y") = 1 + 0.6 * smooth(bend("LowerArm.L"), 0, 130)
//! angle("LowerArm.L", "y") = 120 * slider("Flex")
//! ```
//!
//! A line is `TARGET = VALUE`. Names are in `"` or `'`; a node has the name of pose files ([`super::Keys`]).
//!
//! | can be driven and read | number |
//! |---|---|
//! | `angle(JOINT, AXIS)` | degrees from rest about the joint's own axis, of the three angles below |
//! | `translation(JOINT, AXIS)` | metres from rest, along an axis of the node above |
//! | `scale(JOINT, AXIS)` | the factor of the scale at rest |
//! | `morph(NODE, TARGET)` | the weight of a morph target |
//! | `slider(NAME)` | the value of a slider, within its range |
//!
//! | can be read | number |
//! |---|---|
//! | `bend(JOINT)` | the whole angle from rest, 0° to 180° |
//! | `twist(JOINT, AXIS)` | the twist about its own axis of the rotation from rest, −180° to 180° (swing–twist, the twist first) |
//! | `place(JOINT, AXIS)` | the coordinate of the joint in the world, metres |
//! | `time()` | seconds of the timeline |
//! | `posed(…)` | the same number before controls act: that of clip, layers and edits, or as a slider was set |
//!
//! Functions: `clamp(x)` to 0…1, `clamp(x, least, most)`, `min`, `max`, `abs`, `sqrt`, `sin` and `cos` of degrees, `smooth(x, from, to)`
//! (0 to 1, `3t² − 2t³`), `mix(a, b, share)`; operators `+ - * /` and parentheses.
//!
//! The angles of a joint are those of limits ([`super::Limits`]), `R = rest · Rz · Ry · Rx`. Three angles with X and Z
//! both beyond ±90° equal three others in which Y is; those are used.
//!
//! A control sets one number and replaces that of clip, layers and edits; the other axes of a joint stay. So a pose to
//! which controls were applied does not change when they are applied again, unless one reads `posed`. A control whose
//! value is not finite does not act.

mod build;
mod drive;
mod order;
mod parse;
mod presets;
mod reading;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use build::Program;
pub use drive::DriveScratch;
pub use parse::{Fault, quoted, renamed, renamed_target};
pub use presets::{Preset, PresetLines};
pub use reading::Channel;

/// The largest number of sliders, and of controls, of a model.
pub(crate) const MOST_CONTROLS: usize = 1000;

/// A number in a range, which the user sets and controls read.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider {
    /// The name, which no other slider has.
    pub name: String,
    /// The least value.
    pub least: f32,
    /// The largest value.
    pub most: f32,
    /// The value of a reset slider.
    pub default: f32,
    /// The value that the user set.
    pub value: f32,
}

impl Slider {
    /// Returns a slider from 0 to 1 that is at 0.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), least: 0.0, most: 1.0, default: 0.0, value: 0.0 }
    }

    /// Returns a value clamped to the range; one that is not finite becomes the least.
    #[must_use]
    pub fn within(&self, value: f64) -> f64 {
        let (least, most) = (f64::from(self.least), f64::from(self.most.max(self.least)));
        if value.is_finite() { value.clamp(least, most) } else { least }
    }
}

/// All sliders and controls of a model, as a session file stores them. Controls that name something the model does not
/// have, or that cannot be parsed, are among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    /// The sliders in the order in which they are shown.
    pub sliders: Vec<Slider>,
    /// The lines `TARGET = VALUE`, in the order in which they are shown. Another order gives the same pose.
    pub drivers: Arc<Vec<String>>,
}

impl Controls {
    /// Returns whether there is neither a slider nor a control.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sliders.is_empty() && self.drivers.is_empty()
    }

    /// Returns whether every slider has its default value.
    #[must_use]
    pub fn is_at_default(&self) -> bool {
        self.sliders.iter().all(|slider| slider.value == slider.default)
    }

    /// Returns the same controls with every slider at its default value.
    #[must_use]
    pub fn reset(&self) -> Self {
        let sliders = self.sliders.iter().map(|slider| Slider { value: slider.default, ..slider.clone() });
        Self { sliders: sliders.collect(), drivers: Arc::clone(&self.drivers) }
    }

    /// Returns a name that no slider has: `wanted`, or `wanted` with a number.
    #[must_use]
    pub fn free_name(&self, wanted: &str) -> String {
        let is_free = |name: &str| self.sliders.iter().all(|slider| slider.name != name);
        let numbered = (2..).map(|n| format!("{wanted} {n}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
    }
}
