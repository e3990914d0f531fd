//! Teaching examples: each is a small rig that the program makes, sliders that pose it, and a page whose formulas follow the
//! sliders. An example is data: one file and one row of [`EXAMPLES`].
//!
//! A [`Symbol`] has a letter, words and a value; a [`Formula`] is made of symbols and is both printed ([`Printed`]) and computed
//! ([`Expr::value`]) from the same expression. A [`Moment`] is an example at some positions of its sliders. Knows nothing of
//! sessions and windows.

#![forbid(unsafe_code)]

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
mod mark;
mod moment;
mod muscle;
mod printed;
mod quantised_weights;
mod rig;
mod rigid_simple_smooth;
mod scaled_normals;
mod shoulder;
mod sixty_thirty_ten;
mod slider;
mod subdivided_cage;
#[cfg(test)]
mod subdivided_cage_tests;
mod symbol;
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
pub use mark::{Mark, MarkInk};
pub use moment::{Curve, Moment};
pub use printed::{Fence, Ink, Printed};
use skinscope_model::{LocalPose, Model, Skeleton};
pub use slider::{MOST_SLIDERS, Settings, Slider};
pub use symbol::{Symbol, Unit};
pub use typeset::{Form, formula_lines, letter, typeset, written};
pub use value::Value;

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
    /// The method, by [`skinscope_deform::Method::id`].
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
