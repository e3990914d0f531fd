//! Overlays: each computes a number for every vertex, and colours the surface by these numbers.
//!
//! An overlay is one entry of [`crate::OVERLAYS`], with its name, its colour scale and the data that it needs, and one WGSL function
//! (`shaders/overlay/`), which computes the number, unless the number was computed in advance and is shown as it is. Menu, legend,
//! command line and renderer read the entry.

use std::ops::RangeInclusive;
use std::sync::Arc;

use skinscope_base::math::Ramp;

use super::PerVertex;

/// An overlay: a number for every vertex, and colours for the numbers.
#[derive(Debug)]
pub struct Overlay {
    /// The name on the command line, such as `influences`.
    pub id: &'static str,
    /// The name in the menu and above the legend.
    pub label: &'static str,
    /// The label of its switch in the menu bar; `None`: it is in the list next to the switches.
    pub short: Option<&'static str>,
    /// The key that switches it on and off.
    pub key: Option<char>,
    /// A sentence that says what the colours show.
    pub help: &'static str,
    /// The number that a colour stands for, as an equation: posed without, at rest with an index of zero. Empty: the sentence says it all.
    pub equation: &'static str,
    /// The file name in `shaders/` and the text of the shader. It defines `overlay_<id>` (with `_` for `-`), by the
    /// rules at the top of `shaders/common/overlay.wgsl`. `None`: the numbers are [`Overlay::values`] as they are, where one below zero
    /// stands for none.
    pub wgsl: Option<(&'static str, &'static str)>,
    /// The colour scale of the numbers.
    pub scale: Scale,
    /// The numbers that are computed for each vertex in advance; `None`: the shader computes them.
    pub values: Option<VertexValues>,
    /// Whether it depends on the selected joint.
    pub of_joint: bool,
    /// Whether it depends on [`crate::Display::influence_limit`].
    pub has_limit: bool,
}

/// The numbers that no shader can compute from a vertex alone: who gives them, and what has to be there for that.
#[derive(Clone, Copy, Debug)]
pub struct VertexValues {
    /// The name of the function that gives them: a row of `VALUES` in `skinscope_session`.
    pub source: &'static str,
    /// The list of the inspection of the model that they are, if they are one.
    pub list: Option<InspectedList>,
    /// The measure of the pose that is shown that they are, if they are one (`measure::Measurer` of `skinscope_inspect`).
    pub measure: Option<VertexMeasure>,
    /// Whether the model that is compared with has to be deformed for them as the one that is shown is.
    pub deforms_compared: bool,
}

impl VertexValues {
    /// Returns numbers that need nothing but the function of this name.
    pub(crate) const fn by(source: &'static str) -> Self {
        Self { source, list: None, measure: None, deforms_compared: false }
    }

    /// Returns the numbers of a list of the inspection.
    pub(crate) const fn inspected(list: InspectedList) -> Self {
        Self { list: Some(list), ..Self::by("inspected") }
    }

    /// Returns the numbers of a measure of the pose.
    pub(crate) const fn measured(measure: VertexMeasure) -> Self {
        Self { measure: Some(measure), ..Self::by("measured") }
    }
}

/// A measure of the posed surface at each stored vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexMeasure {
    /// The ratio of lengths, posed over rest, of the edge at the vertex that is stretched or squeezed most; −1 where no
    /// edge is measured.
    Stretch,
    /// The ratio of areas, posed over rest, of the triangle at the vertex that changed most; −1 where no triangle is
    /// measured.
    Area,
    /// 1 at the corners of inverted triangles, else 0.
    Inverted,
    /// The increase from rest, in degrees, of the angle at the edge of the vertex that is folded most.
    Fold,
    /// The angle between the normal and that of the posed triangles, degrees; −1 where there is none.
    NormalError,
}

/// The name of one of the lists of [`InspectedValues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectedList {
    /// [`InspectedValues::asymmetry`].
    Asymmetry,
    /// [`InspectedValues::rogue`].
    Rogue,
    /// [`InspectedValues::distance`].
    Distance,
}

/// Numbers of vertices that cannot be computed from the weights of each vertex alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InspectedValues {
    /// For each vertex that the rule `rogue-vertices` of the checker reports, its weight for the joint in question; 0
    /// for others.
    pub rogue: Arc<PerVertex>,
    /// For each vertex the largest difference between one of its weights and that of its mirror image, 0…1; below zero
    /// where it has no mirror image.
    pub asymmetry: Arc<PerVertex>,
    /// The distance of each vertex between the two compared surfaces, metres. Only a comparison fills it.
    pub distance: Arc<PerVertex>,
}

impl InspectedValues {
    /// Returns one of the lists.
    #[must_use]
    pub fn of(&self, list: InspectedList) -> &Arc<PerVertex> {
        match list {
            InspectedList::Asymmetry => &self.asymmetry,
            InspectedList::Rogue => &self.rogue,
            InspectedList::Distance => &self.distance,
        }
    }
}

impl Overlay {
    /// Returns whether the overlay needs an inspection of the model.
    #[must_use]
    pub fn needs_inspection(&self) -> bool {
        self.values.is_some_and(|values| values.list.is_some())
    }
}

impl PartialEq for Overlay {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The colour scale of an overlay.
#[derive(Debug)]
pub enum Scale {
    /// A continuous scale. The number is interpolated between vertices.
    Ramp {
        /// The ramp; `None`: the one that the user chose.
        ramp: Option<Ramp>,
        /// The numbers at the ends of the ramp.
        ends: [f32; 2],
        /// The numbers that the legend marks, with their labels.
        ticks: &'static [(f32, &'static str)],
        /// The colour and label of vertices without a number, for which the shader returns `NONE`.
        none: Option<Step>,
        /// The colour and label of vertices of rigid parts, which no skin moves, where the shader returns `NOT_SKINNED` for
        /// them.
        rigid: Option<Step>,
    },
    /// A colour for each whole number from zero on. The colour is interpolated between vertices.
    Steps(&'static [Step]),
    /// The number is an index into the palette; the colour is that of its joint ([`crate::joint_color`]).
    Joints,
}

/// A whole number on a scale, with its colour.
#[derive(Debug)]
pub struct Step {
    /// The meaning of the number, in the words of the legend.
    pub label: &'static str,
    /// The colour, sRGB.
    pub color: [f32; 3],
    /// The vertices with this number, which the legend counts.
    pub counted: Counted,
}

/// The vertices of a model that an entry of a legend counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// None, or those with the number of the overlay.
    Nothing,
    /// Skinned vertices with this number of influences; the last number of the range includes all larger ones.
    Influences(RangeInclusive<usize>),
    /// Skinned vertices with at least one influence and no more than [`crate::Display::influence_limit`].
    WithinLimit,
    /// Skinned vertices with more influences than [`crate::Display::influence_limit`].
    OverLimit,
    /// Vertices of rigid parts, which no skin moves.
    Rigid,
}

/// How many rows a ramp has in the table that the shader reads: every stop of every ramp falls on one, so that it is
/// exact.
const RAMP_ROWS: usize = 37;
/// The number of rows of the table that the shader reads: those of the ramp, the colour of exactly zero, the colour of
/// vertices without a number, and the colour of rigid parts.
pub const SCALE_ROWS: usize = RAMP_ROWS + 3;

impl Scale {
    /// Returns the sRGB colour of a number; `own` is the ramp that the user chose. `None` for joints, whose colours do
    /// not come from a scale.
    #[must_use]
    pub fn color(&self, number: f32, own: Ramp) -> Option<[f32; 3]> {
        match self {
            Self::Ramp { ramp, ends: [low, high], .. } => {
                // Zero has its own colour only on the user's ramps: elsewhere it may be any place of the scale.
                let at = (number - low) / (high - low);
                Some(ramp.map_or_else(|| own.color(at), |ramp| ramp.rise(at)))
            }
            Self::Steps(steps) => steps.get(number as usize).map(|s| s.color),
            Self::Joints => None,
        }
    }

    /// Returns the table that the shader reads, rows of sRGB colours: for a ramp the colours from end to end, then
    /// those of exactly zero, of vertices without a number and of rigid parts (w is 1 where the scale has such a colour,
    /// else 0); for steps their colours.
    #[must_use]
    pub fn rows(&self, own: Ramp) -> [[f32; 4]; SCALE_ROWS] {
        let special = |color: Option<[f32; 3]>| color.map_or([0.0; 4], |[r, g, b]| [r, g, b, 1.0]);
        std::array::from_fn(|i| match self {
            Self::Ramp { ramp, none, rigid, .. } => {
                let shown = ramp.unwrap_or(own);
                match i.checked_sub(RAMP_ROWS) {
                    None => special(Some(shown.rise(i as f32 / (RAMP_ROWS - 1) as f32))),
                    Some(0) => special(shown.zero().filter(|_| ramp.is_none())),
                    Some(1) => special(none.as_ref().map(|step| step.color)),
                    Some(_) => special(rigid.as_ref().map(|step| step.color)),
                }
            }
            Self::Steps(_) | Self::Joints => special(Some(self.color(i as f32, own).unwrap_or_default())),
        })
    }

    /// Returns the numbers at the ends of a ramp.
    #[must_use]
    pub fn ends(&self) -> [f32; 2] {
        match self {
            Self::Ramp { ends, .. } => *ends,
            Self::Steps(_) | Self::Joints => [0.0, 1.0],
        }
    }
}
