//! Teaching examples: each is a small rig that the program makes, sliders that pose it, and a page whose formulas follow the
//! sliders. What is said of it is a page of text, what is computed is a [`Scene`]: one page, one file and one row of [`SCENES`].
//!
//! A [`Symbol`] has a letter, words and a value; a [`Formula`] consists of symbols, and is both printed ([`Printed`]) and computed
//! ([`Expr::value`]) from the same expression. A [`Moment`] is an example at some positions of its sliders. Knows nothing of
//! sessions and windows.

#![forbid(unsafe_code)]

use std::path::Path;

use glam::Vec3;

mod arm_binding;
mod automatic_binding;
#[cfg(test)]
mod automatic_binding_tests;
mod between_turns;
mod binding_rig;
mod bone_links;
#[cfg(test)]
mod claim_list_tests;
#[cfg(test)]
mod claim_measure_tests;
#[cfg(test)]
mod claim_tests;
mod control;
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
mod markup;
mod measured;
mod moment;
mod muscle;
mod page;
mod printed;
mod quantised_weights;
mod rig;
mod rigid_simple_smooth;
mod scaled_normals;
mod scene;
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

pub use control::Control;
pub use formula::{Expr, Formula, Function};
pub use lesson::{Lesson, Start};
pub use mark::{Mark, MarkInk};
pub use markup::{latex, mathml};
pub use measured::{Argument, MEASURES, Measured};
pub use moment::{Curve, Moment};
pub use page::{Ground, Named, PageError, interned_text, named, read};
pub use printed::{Fence, Ink, Printed};
pub use scene::{SCENES, Scene, example, example_beside, examples};
use skinscope_model::{LocalPose, Model, Skeleton};
use slider::MOST_SLIDERS;
pub use slider::{Settings, Slider};
pub use symbol::{Symbol, Unit};
pub use typeset::{Form, formula_lines, letter, typeset, written};
pub use value::Value;

/// A page, with the rig or model that it is about.
#[derive(Debug)]
pub struct Example {
    /// The name on the command line, such as `twist-bar`.
    pub id: &'static str,
    /// The page's file; `None`: it is a part of the program.
    pub file: Option<&'static Path>,
    /// The name in the menu and on the page.
    pub title: &'static str,
    /// The question that the example answers, in one sentence.
    pub question: &'static str,
    /// What the user can change: six at most on the page, and what is dragged in the picture.
    pub sliders: &'static [Slider],
    /// The letters of the formulas.
    pub symbols: &'static [Symbol],
    /// The page beside the picture.
    pub page: Page,
    /// How the picture shows the rig at first.
    pub look: Look,
    /// Makes the rig. It depends on the sliders whose [`Slider::rebuilds`] is true. A model that is a file is read by the session.
    pub model: fn(&Settings) -> Model,
    /// Changes the rest pose as the sliders say.
    pub pose: fn(&Settings, &Skeleton, &mut LocalPose),
    /// What is always drawn over the picture.
    pub marks: fn(&Moment) -> Vec<Mark>,
    /// Points of the picture that can be dragged.
    pub handles: &'static [Handle],
    /// What each slider does with a model; none where [`Example::pose`] does all.
    pub controls: &'static [Control],
}

/// The page beside the picture.
#[derive(Debug)]
pub struct Page {
    /// Texts, formulas and charts, from the top down.
    pub blocks: &'static [Block],
    /// Steps for the user to try, two or three.
    pub try_this: &'static [&'static str],
    /// What the user then sees.
    pub what_to_see: &'static [&'static str],
    /// The texts that it comes from, with the section of each.
    pub sources: &'static [Citation],
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
pub struct Citation {
    /// Authors, title and year.
    pub text: &'static str,
    /// The section or equation.
    pub section: &'static str,
}

/// Curves over the range of a slider.
#[derive(Debug)]
pub struct Chart {
    /// The title of the chart.
    pub title: &'static str,
    /// The slider along the horizontal axis, by its id.
    pub slider: &'static str,
    /// The least and the greatest number of the vertical axis.
    pub range: [f64; 2],
    /// The unit in which those numbers are written.
    pub unit: Unit,
    /// Computes the curves. They do not depend on the slider of the horizontal axis.
    pub curves: fn(&Moment) -> Vec<Curve>,
    /// More curves: their names, and the expressions that are drawn.
    pub drawn: &'static [(&'static str, Expr)],
}

/// How the picture shows a rig at first.
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl Chart {
    /// Computes all of its curves. Those that are expressions are computed at positions of the whole range of the slider.
    #[must_use]
    pub fn all_curves(&self, moment: &Moment) -> Vec<Curve> {
        let mut out = (self.curves)(moment);
        if !self.drawn.is_empty() {
            let along = moment.along(self.slider, 60);
            let number = |expr: &Expr, at: &Moment| expr.value(at).ok().and_then(|value| value.number());
            out.extend(
                self.drawn
                    .iter()
                    .map(|(name, expr)| Curve::measured(*name, &along, |at| number(expr, at).unwrap_or(f64::NAN))),
            );
        }
        out
    }
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

/// A point of the picture that can be dragged in the plane z = 0, and moves sliders.
#[derive(Debug)]
pub struct Handle {
    /// What it is, for people who cannot see it.
    pub name: &'static str,
    /// Returns where it is, metres.
    pub at: fn(&Settings) -> Vec3,
    /// Returns the sliders, by id, with the values that bring it as near to a point (metres) as it can come.
    pub drag: fn(&Settings, Vec3) -> Vec<(&'static str, f32)>,
}
