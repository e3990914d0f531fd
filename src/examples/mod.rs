//! Teaching examples: each is a small rig that the program makes, sliders that pose it, and a page whose formulas follow the
//! sliders. An example is data: one file and one row of [`EXAMPLES`].
//!
//! A [`Symbol`] has a letter, words and a value; a [`Formula`] is made of symbols and is both printed ([`Printed`]) and computed
//! ([`Expr::value`]) from the same expression. A [`Moment`] is an example at some positions of its sliders. Knows nothing of
//! sessions and windows.

mod arm_binding;
mod automatic_binding;
#[cfg(test)]
mod automatic_binding_tests;
mod between_turns;
mod binding_rig;
mod bone_links;
mod corrective_arm;
mod corrective_shape;
#[cfg(test)]
mod corrective_shape_tests;
mod cs418_elbow;
mod forearm;
mod formula;
mod keys;
mod lesson;
mod loop_subdivision;
mod moment;
mod muscle;
mod printed;
mod quantised_weights;
mod rig;
mod rigid_simple_smooth;
mod scaled_normals;
mod shoulder;
mod sixty_thirty_ten;
mod subdivided_cage;
#[cfg(test)]
mod subdivided_cage_tests;
mod t_intersection;
#[cfg(test)]
mod table_tests;
mod three_bones;
mod twist_bar;
mod two_link_ik;
mod typeset;
mod value;

pub use formula::{Expr, Formula, Function};
pub use lesson::{Lesson, Start};
pub use moment::{Curve, Moment};
pub use printed::{Fence, Ink, Printed};
pub use typeset::{Form, formula_lines, letter, typeset, written};
pub use value::Value;

use glam::{DAffine3, DVec3, Vec3};

use crate::math::Aabb;
use crate::model::{LocalPose, Model, Skeleton};

/// The most sliders of an example.
pub const MOST_SLIDERS: usize = 6;

/// All examples, in the order of the menu.
pub static EXAMPLES: &[&Example] = &[
    &twist_bar::TWIST_BAR,
    &sixty_thirty_ten::SIXTY_THIRTY_TEN,
    &rigid_simple_smooth::RIGID_SIMPLE_SMOOTH,
    &cs418_elbow::CS418_ELBOW,
    &three_bones::THREE_BONES,
    &two_link_ik::TWO_LINK_IK,
    &scaled_normals::SCALED_NORMALS,
    &quantised_weights::QUANTISED_WEIGHTS,
    &bone_links::BONE_LINKS,
    &between_turns::BETWEEN_TURNS,
    &keys::KEYS,
    &t_intersection::T_INTERSECTION,
    &shoulder::SHOULDER,
    &forearm::FOREARM,
    &muscle::MUSCLE,
    &corrective_shape::CORRECTIVE_SHAPE,
    &subdivided_cage::SUBDIVIDED_CAGE,
    &automatic_binding::AUTOMATIC_BINDING,
];

/// Finds an example by [`Example::id`].
#[must_use]
pub fn example(id: &str) -> Option<&'static Example> {
    EXAMPLES.iter().copied().find(|example| example.id == id)
}

/// A row of [`EXAMPLES`].
#[derive(Debug)]
pub struct Example {
    /// The name on the command line, such as `twist-bar`.
    pub id: &'static str,
    /// The name in the menu and on the page.
    pub title: &'static str,
    /// The question that the example answers, in one sentence.
    pub question: &'static str,
    /// What the user can change, [`MOST_SLIDERS`] at most.
    pub sliders: &'static [Slider],
    /// The letters of the formulas.
    pub symbols: &'static [Symbol],
    /// The page beside the picture.
    pub page: Page,
    /// How the picture shows the rig at first.
    pub look: Look,
    /// Makes the rig. It depends on the sliders whose [`Slider::rebuilds`] is true.
    pub model: fn(&Settings) -> Model,
    /// Changes the rest pose as the sliders say.
    pub pose: fn(&Settings, &Skeleton, &mut LocalPose),
    /// What is always drawn over the picture.
    pub marks: fn(&Moment) -> Vec<Mark>,
    /// Points of the picture that can be dragged.
    pub handles: &'static [Handle],
}

/// A number that the user sets.
#[derive(Debug)]
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
}

impl Slider {
    /// Returns the nearest value that the slider can have; `None` for what is no number.
    #[must_use]
    pub fn fitted(&self, value: f32) -> Option<f32> {
        let [least, most] = self.range;
        let steps = if self.step > 0.0 { least + ((value - least) / self.step).round() * self.step } else { value };
        value.is_finite().then(|| steps.max(least).min(most))
    }
}

/// The values of the sliders of an example, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    example: &'static Example,
    values: [f32; MOST_SLIDERS],
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
        let mut values = [0.0; MOST_SLIDERS];
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

    /// Sets a slider to the nearest value that it can have; returns whether that changed anything.
    pub fn set(&mut self, id: &str, value: f32) -> bool {
        let Some(at) = self.example.sliders.iter().position(|slider| slider.id == id) else { return false };
        let Some(value) = self.example.sliders[at].fitted(value) else { return false };
        std::mem::replace(&mut self.values[at], value) != value
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

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number with three decimals.
    Number,
    /// A plain number with this many decimals.
    Decimals(u8),
    /// An angle: computed with in radians, written in degrees. Sliders have degrees.
    Degrees,
    /// A length in metres.
    Metres,
    /// A share, written in percent; sliders have it from 0 to 1.
    Percent,
    /// A time in seconds.
    Seconds,
}

/// A letter of the formulas.
#[derive(Debug)]
pub struct Symbol {
    /// The name in expressions and on the command line.
    pub id: &'static str,
    /// The letter, such as "θ".
    pub letter: &'static str,
    /// What stands below it at its right.
    pub below: &'static str,
    /// What stands above it at its right.
    pub above: &'static str,
    /// Whether it is a vector or a matrix, which are bold.
    pub bold: bool,
    /// How its number is written.
    pub unit: Unit,
    /// What it is, as the end of a sentence that begins with the letter: "the angle by which …".
    pub words: &'static str,
    /// Its value: angles in radians, lengths in metres.
    pub value: fn(&Moment) -> Value,
    /// What it is in the picture: drawn once the letter is clicked.
    pub marks: fn(&Moment) -> Vec<Mark>,
}

impl Symbol {
    /// What most symbols have: a plain number without index. Rows of tables start from it.
    pub const PLAIN: Self = Self {
        id: "",
        letter: "",
        below: "",
        above: "",
        bold: false,
        unit: Unit::Number,
        words: "",
        value: |_| Value::from(f64::NAN),
        marks: |_| Vec::new(),
    };
}

/// The page beside the picture.
#[derive(Debug)]
pub struct Page {
    /// Texts, formulas and charts, from the top down.
    pub blocks: &'static [Block],
    /// Steps to take, two or three.
    pub try_this: &'static [&'static str],
    /// What is seen then.
    pub what_to_see: &'static [&'static str],
    /// Where it comes from: a text and the place in it.
    pub sources: &'static [Source],
}

/// A part of a page.
#[derive(Debug)]
pub enum Block {
    /// A paragraph.
    Text(&'static str),
    /// A formula with its numbers.
    Formula(Formula),
    /// Curves over the range of a slider.
    Chart(Chart),
}

/// A text that an example comes from.
#[derive(Debug)]
pub struct Source {
    /// Authors, title and year.
    pub text: &'static str,
    /// The section or equation.
    pub place: &'static str,
}

/// Curves over the range of a slider.
#[derive(Debug)]
pub struct Chart {
    /// What is drawn.
    pub title: &'static str,
    /// The slider along the horizontal axis, by its id.
    pub slider: &'static str,
    /// The least and the greatest number of the vertical axis.
    pub range: [f64; 2],
    /// How those numbers are written.
    pub unit: Unit,
    /// Computes the curves. They do not depend on the slider of the horizontal axis.
    pub curves: fn(&Moment) -> Vec<Curve>,
}

/// How the picture shows a rig at first.
#[derive(Debug)]
pub struct Look {
    /// The method, by [`crate::deform::Method::id`].
    pub method: &'static str,
    /// The method of the other side of a comparison; `None`: nothing is compared.
    pub compare: Option<&'static str>,
    /// The overlay, by its id; `None`: materials and light.
    pub overlay: Option<&'static str>,
    /// The joint that is selected, by name.
    pub selected: Option<&'static str>,
    /// Whether bones are drawn.
    pub bones: bool,
    /// Whether edges of triangles are drawn.
    pub wireframe: bool,
    /// The opacity of the skin, 0…1.
    pub opacity: f32,
    /// Where it is looked from: yaw and pitch in degrees; 0, 0 is the front (+Z).
    pub from: [f32; 2],
    /// The box that fills the picture, least and greatest corner, metres.
    pub stage: [[f32; 3]; 2],
    /// The slider, in metres, by which that box moves along x.
    pub follows: Option<&'static str>,
}

impl Look {
    /// The usual look; rows of tables start from it.
    pub const PLAIN: Self = Self {
        method: "linear",
        compare: None,
        overlay: None,
        selected: None,
        bones: true,
        wireframe: false,
        opacity: 1.0,
        from: [0.0, 0.0],
        stage: [[-1.0; 3], [1.0; 3]],
        follows: None,
    };
}

/// Something that is drawn over the picture, in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The points of a line, metres; one alone is a dot.
    pub points: Vec<Vec3>,
    /// Its width, or the dot's, in pixels of a window at scale 1.
    pub width: f32,
    /// Its colour.
    pub ink: MarkInk,
    /// Words beside its last point, which windows show.
    pub label: String,
}

/// The colours of marks, by role; the theme has the colours themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkInk {
    /// What is pointed at.
    Accent,
    /// What helps to see it.
    Dim,
    /// Of two or three that are told apart.
    First,
    /// The second of them.
    Second,
    /// The third of them.
    Third,
}

impl Mark {
    /// Makes a dot.
    #[must_use]
    pub fn dot(at: Vec3, ink: MarkInk, label: impl Into<String>) -> Self {
        Self { points: vec![at], width: 12.0, ink, label: label.into() }
    }

    /// Makes a line through points.
    #[must_use]
    pub fn line(points: Vec<Vec3>, ink: MarkInk, label: impl Into<String>) -> Self {
        Self { points, width: 3.0, ink, label: label.into() }
    }

    /// Makes an arc that begins at `from` and turns by an angle (radians) about an axis (unit length) through `center`. Its label
    /// stands at the middle of it.
    #[must_use]
    pub fn arc(center: Vec3, from: Vec3, axis: Vec3, angle: f32, ink: MarkInk, label: impl Into<String>) -> Vec<Self> {
        const STEPS: usize = 32;
        let at =
            |i: usize| center + glam::Quat::from_axis_angle(axis, angle * i as f32 / STEPS as f32) * (from - center);
        let half = Self::line((0..=STEPS / 2).map(at).collect(), ink, label);
        vec![half, Self::line((STEPS / 2..=STEPS).map(at).collect(), ink, "")]
    }

    /// Makes the axes X and Y of a frame, so long (metres), with a dot at its origin.
    #[must_use]
    pub fn frame(m: DAffine3, length: f64, ink: MarkInk, label: impl Into<String>) -> Vec<Self> {
        let origin = m.translation.as_vec3();
        let end = |axis: DVec3| m.transform_point3(axis * length).as_vec3();
        let line = |axis| Self::line(vec![origin, end(axis)], ink, "");
        vec![line(DVec3::X), line(DVec3::Y), Self::dot(origin, ink, label)]
    }

    /// The same with another width.
    #[must_use]
    pub fn wide(self, width: f32) -> Self {
        Self { width, ..self }
    }
}

/// A point of the picture that can be dragged in the plane z = 0, and sets two sliders to its x and y in metres.
#[derive(Debug)]
pub struct Handle {
    /// What it is, for people who cannot see it.
    pub name: &'static str,
    /// The slider of x, by id.
    pub x: &'static str,
    /// The slider of y.
    pub y: &'static str,
}
