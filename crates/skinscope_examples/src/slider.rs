//! The sliders of examples, and where they stand.

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_model::{LocalPose, Model};

use super::{Control, Example, Look, Unit};

/// The most sliders of a page.
pub(crate) const MOST_SLIDERS: usize = 6;
/// The most sliders of an example, with those that points of the picture stand for.
const MOST_VALUES: usize = 20;

/// A number that the user sets.
#[derive(Clone, Copy, Debug)]
pub struct Slider {
    /// The name on the command line.
    pub id: &'static str,
    /// The name in the window.
    pub label: &'static str,
    /// One sentence: what it changes.
    pub help: &'static str,
    /// How its number is written.
    pub unit: Unit,
    /// The least and the greatest value, in that unit.
    pub range: [f32; 2],
    /// The value at first.
    pub default: f32,
    /// The distance between two values, counted from the least; 0: any.
    pub step: f32,
    /// Whether the rig is made anew where it changes.
    pub rebuilds: bool,
    /// The names of its values from the least on, where they are few: the window then shows a switch. Empty: it is a rail.
    pub choices: &'static [&'static str],
    /// Whether it is a part of a whole: all such sliders of an example are 1 together at most, and the one that was moved last is right.
    pub is_share: bool,
    /// Whether a point of the picture is dragged in its place, so that the page has no rail for it.
    pub in_picture: bool,
}

impl Slider {
    /// What most sliders have: any value of a range, with the same rig. Rows of tables start from it.
    pub const PLAIN: Self = Self {
        id: "",
        label: "",
        help: "",
        unit: Unit::Number,
        range: [0.0, 1.0],
        default: 0.0,
        step: 0.0,
        rebuilds: false,
        choices: &[],
        is_share: false,
        in_picture: false,
    };

    /// Returns how many values it can have; `None` for any of its range.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        let [least, most] = self.range;
        (self.step > 0.0).then(|| ((most - least) / self.step).round() as usize + 1)
    }

    /// Returns the values that its [`Slider::choices`] name.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, f32)> {
        self.choices.iter().enumerate().map(|(i, name)| (*name, self.range[0] + i as f32 * self.step))
    }

    /// Returns the nearest value that the slider can have; `None` for what is no number.
    #[must_use]
    pub fn fitted(&self, value: f32) -> Option<f32> {
        let [least, most] = self.range;
        let steps = if self.step > 0.0 {
            // Steps are counted in decimal numbers, so that the value is the one that is typed: 0.15, and not 3 × 0.05.
            let (first, step) = (decimal(least), decimal(self.step));
            (first + ((f64::from(value) - first) / step).round() * step) as f32
        } else {
            value
        };
        value.is_finite().then(|| steps.max(least).min(most))
    }
}

/// Returns the number that is written as `value` is, such as 0.05 for the f32 next to it.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// The values of the sliders of an example, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    example: &'static Example,
    values: [f32; MOST_VALUES],
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.example, other.example) && self.values.map(f32::to_bits) == other.values.map(f32::to_bits)
    }
}

impl Eq for Settings {}

impl Settings {
    /// Returns the first values.
    #[must_use]
    pub fn of(example: &'static Example) -> Self {
        let mut values = [0.0; MOST_VALUES];
        values.iter_mut().zip(example.sliders).for_each(|(value, slider)| *value = slider.default);
        Self { example, values }
    }

    /// Returns the example.
    #[must_use]
    pub fn example(&self) -> &'static Example {
        self.example
    }

    /// Returns the value of a slider by its id, in its unit; NaN for one that the example does not have.
    #[must_use]
    pub fn get(&self, id: &str) -> f32 {
        self.example.sliders.iter().position(|slider| slider.id == id).map_or(f32::NAN, |at| self.values[at])
    }

    /// Sets a slider to the nearest value that it can have; returns whether that changed anything. Other shares of a whole give way.
    pub fn set(&mut self, id: &str, value: f32) -> bool {
        let sliders = self.example.sliders;
        let Some(at) = sliders.iter().position(|slider| slider.id == id) else { return false };
        let Some(value) = sliders[at].fitted(value) else { return false };
        let is_new = std::mem::replace(&mut self.values[at], value) != value;
        if sliders[at].is_share {
            let mut left = 1.0 - value;
            for (other, slider) in sliders.iter().enumerate().filter(|(i, slider)| slider.is_share && *i != at) {
                self.values[other] = slider.fitted(self.values[other].min(left)).unwrap_or(slider.range[0]);
                left = (left - self.values[other]).max(0.0);
            }
        }
        is_new
    }

    /// Changes a local pose of the rig or model as the sliders say. A clip comes before what joints do beside it.
    pub fn pose(&self, model: &Model, local: &mut LocalPose) {
        (self.example.pose)(self, &model.skeleton, local);
        let controls = || self.example.controls.iter().zip(self.example.sliders);
        let is_clip = |control: &Control| matches!(control, Control::Time(_));
        for clips in [true, false] {
            for (control, slider) in controls().filter(|(control, _)| is_clip(control) == clips) {
                control.apply(slider.id, self, model, local);
            }
        }
    }

    /// Returns whether another slider than this one stands elsewhere.
    #[must_use]
    pub(crate) fn differs_beside(&self, id: &str, other: &Self) -> bool {
        let sliders = self.example.sliders.iter().enumerate();
        sliders.filter(|(_, slider)| slider.id != id).any(|(i, _)| self.values[i] != other.values[i])
    }

    /// Returns the box that fills the picture.
    #[must_use]
    pub fn stage(&self) -> Aabb {
        let Look { stage: [min, max], follows, .. } = self.example.look;
        let moved = Vec3::X * follows.map_or(0.0, |slider| self.get(slider));
        Aabb { min: Vec3::from(min) + moved, max: Vec3::from(max) + moved }
    }

    /// Returns whether the rig of these settings is another one.
    #[must_use]
    pub fn has_other_model(&self, other: &Self) -> bool {
        let differs = |(i, slider): (usize, &Slider)| slider.rebuilds && self.values[i] != other.values[i];
        !std::ptr::eq(self.example, other.example) || self.example.sliders.iter().enumerate().any(differs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn shares_of_a_whole_give_way_to_the_one_that_was_moved() {
        let mut settings = Settings::of(example("three-weights").unwrap());
        let shares = |s: &Settings| [s.get("w1"), s.get("w2")];
        settings.set("w1", 0.9);
        assert!((settings.get("w2") - 0.1).abs() < 1e-6, "{:?}", shares(&settings));
        settings.set("w2", 0.5);
        assert_eq!(shares(&settings), [0.5, 0.5]);
        settings.set("w1", 0.25);
        assert_eq!(shares(&settings), [0.25, 0.5], "what has room stays");
        settings.set("w1", 1.0);
        assert_eq!(shares(&settings), [1.0, 0.0]);
        settings.set("turn", 20.0);
        assert_eq!(shares(&settings), [1.0, 0.0], "an angle is no share");
    }

    #[test]
    fn a_slider_stands_at_the_number_that_is_typed() {
        let stepped = crate::examples().flat_map(|example| example.sliders).filter(|slider| slider.step > 0.0);
        for slider in stepped {
            for step in 0..slider.count().unwrap() {
                let typed = format!("{:.2}", decimal(slider.range[0]) + step as f64 * decimal(slider.step));
                let value: f32 = typed.parse().unwrap();
                // A rail gives a number beside it.
                for near in [value, value + 0.2 * slider.step] {
                    let fitted = slider.fitted(near.min(slider.range[1])).unwrap();
                    assert_eq!(fitted.to_bits(), (value + 0.0).to_bits(), "{} = {typed}: {fitted}", slider.id);
                }
            }
        }
        let mut settings = Settings::of(example("twist-bar").unwrap());
        settings.set("w", 0.2);
        assert_eq!(settings.get("w"), 0.2);
    }

    #[test]
    fn a_slider_of_few_values_names_each() {
        let slider = example("two-link-ik").unwrap().sliders.iter().find(|slider| slider.id == "s").unwrap();
        assert_eq!(slider.values().map(|(_, value)| value).collect::<Vec<_>>(), [-1.0, 1.0]);
        assert_eq!((slider.count(), Slider::PLAIN.count()), (Some(2), None));
    }

    /// What is drawn at the start is in the box that fills the picture.
    #[test]
    fn every_stage_holds_what_is_drawn_at_the_start() {
        let mut outside = Vec::new();
        for example in crate::examples().filter(|example| example.look.from == [0.0, 0.0]) {
            let moment = crate::Moment::new(Settings::of(example));
            let stage = moment.settings().stage();
            for point in (example.marks)(&moment).iter().flat_map(|mark| &mark.points) {
                if point.x < stage.min.x || point.x > stage.max.x || point.y < stage.min.y || point.y > stage.max.y {
                    outside.push(format!("{}: {point} is not in {stage:?}", example.id));
                }
            }
        }
        assert!(outside.is_empty(), "{outside:#?}");
    }
}
