//! The code of the examples: rigs, their poses, and what their symbols are worth. What a page says of them stands in `assets/examples`.

use std::sync::OnceLock;

use skinscope_model::{LocalPose, Model, Skeleton};

use super::page::{self, Ground};
use super::{Curve, Example, Handle, Look, Mark, Moment, Settings, Symbol};

/// All scenes, in the order of the menu.
pub static SCENES: &[&Scene] = &[
    &super::twist_bar::TWIST_BAR,
    &super::sixty_thirty_ten::SIXTY_THIRTY_TEN,
    &super::rigid_simple_smooth::RIGID_SIMPLE_SMOOTH,
    &super::cs418_elbow::CS418_ELBOW,
    &super::three_bones::THREE_BONES,
    &super::two_link_ik::TWO_LINK_IK,
    &super::scaled_normals::SCALED_NORMALS,
    &super::quantised_weights::QUANTISED_WEIGHTS,
    &super::bone_links::BONE_LINKS,
    &super::between_turns::BETWEEN_TURNS,
    &super::keys::KEYS,
    &super::t_intersection::T_INTERSECTION,
    &super::shoulder::SHOULDER,
    &super::forearm::FOREARM,
    &super::muscle::MUSCLE,
    &super::corrective_shape::CORRECTIVE_SHAPE,
    &super::subdivided_cage::SUBDIVIDED_CAGE,
    &super::automatic_binding::AUTOMATIC_BINDING,
];

/// The pages of the scenes, each once it was read.
static PAGES: [OnceLock<&'static Example>; SCENES.len()] = [const { OnceLock::new() }; SCENES.len()];

/// A row of [`SCENES`].
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// The name on the command line and in the line `rig:` of a page, such as `twist-bar`.
    pub id: &'static str,
    /// Its own page, as text.
    pub text: &'static str,
    /// The sliders that it reads, by id.
    pub sliders: &'static [&'static str],
    /// Those of them that make another rig.
    pub rebuilds: &'static [&'static str],
    /// Those that the page has no rail for, since a point of the picture is dragged in their place.
    pub dragged: &'static [&'static str],
    /// The letters of the formulas.
    pub symbols: &'static [Symbol],
    /// The box that fills the picture, least and greatest corner, metres.
    pub stage: [[f32; 3]; 2],
    /// The slider, in metres, by which that box moves along x.
    pub follows: Option<&'static str>,
    /// Makes the rig. It depends on the sliders that [`Scene::rebuilds`] names.
    pub model: fn(&Settings) -> Model,
    /// Changes the rest pose as the sliders say.
    pub pose: fn(&Settings, &Skeleton, &mut LocalPose),
    /// What is always drawn over the picture.
    pub marks: fn(&Moment) -> Vec<Mark>,
    /// The curves of the chart that says `curves: measured`.
    pub curves: Option<fn(&Moment) -> Vec<Curve>>,
    /// Points of the picture that can be dragged.
    pub handles: &'static [Handle],
}

impl Scene {
    /// A root alone, which no slider moves; rows of the table start from it.
    pub(super) const PLAIN: Self = Self {
        id: "",
        text: "",
        sliders: &[],
        rebuilds: &[],
        dragged: &[],
        symbols: &[],
        stage: Look::PLAIN.stage,
        follows: None,
        model: |_| super::rig::Rig::new("").build(),
        pose: |_, _, _| {},
        marks: |_| Vec::new(),
        curves: None,
        handles: &[],
    };

    /// Returns the example that its own page makes of it; the page is read when this is first asked for.
    #[must_use]
    #[expect(clippy::panic, reason = "the page is part of the program; a test reads all of them")]
    pub fn example(&'static self) -> &'static Example {
        let at = SCENES.iter().position(|scene| std::ptr::eq(*scene, self)).unwrap_or(0);
        PAGES[at].get_or_init(|| match page::read(self.text, self.id, None, Ground::Own(self)) {
            Ok(example) => example,
            Err(error) => panic!("{}.md:{error}", self.id),
        })
    }

    /// Returns the look that pages start from.
    pub(super) fn look(&self) -> Look {
        Look { stage: self.stage, follows: self.follows, ..Look::PLAIN }
    }
}

/// Finds an example by [`Example::id`], and reads its page.
#[must_use]
pub fn example(id: &str) -> Option<&'static Example> {
    SCENES.iter().find(|scene| scene.id == id).map(|scene| scene.example())
}

/// Returns the example that comes so many rows after another one in the menu; after the last one comes the first. An example that is
/// not in the menu, or none, stands before the first row and after the last one.
#[must_use]
pub fn example_beside(shown: Option<&Example>, steps: i32) -> &'static Example {
    let at = shown.and_then(|shown| SCENES.iter().position(|scene| std::ptr::eq(scene.example(), shown)));
    let at = at.map_or(if steps > 0 { -1 } else { 0 }, |at| at as i64);
    SCENES[(at + i64::from(steps)).rem_euclid(SCENES.len() as i64) as usize].example()
}

/// Returns all examples, in the order of the menu, and reads their pages.
pub fn examples() -> impl Iterator<Item = &'static Example> {
    SCENES.iter().map(|scene| scene.example())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_is_walked_round_in_both_directions() {
        let id = |shown: Option<&str>, steps| example_beside(shown.and_then(example), steps).id;
        let [first, second, last] = [SCENES[0].id, SCENES[1].id, SCENES[SCENES.len() - 1].id];
        assert_eq!([id(Some(first), 1), id(Some(second), -1)], [second, first]);
        assert_eq!([id(Some(last), 1), id(Some(first), -1)], [first, last]);
        assert_eq!([id(None, 1), id(None, -1)], [first, last]);
    }
}
