//! Overlays: each gives a number to every vertex and a colour to every number.
//!
//! An overlay is one WGSL function (`shaders/overlay/`), which computes the number, and one row of [`crate::OVERLAYS`], which
//! says what it is called, what its scale is and what it needs. Menu, legend, command line and renderer read the row.

use std::ops::RangeInclusive;

use skinscope_base::math::Ramp;

use super::PerVertex;

/// An overlay.
#[derive(Debug)]
pub struct Overlay {
    /// The name on the command line, such as `influences`.
    pub id: &'static str,
    /// The name in the menu and at the head of the legend.
    pub label: &'static str,
    /// The text on its switch in the menu bar; `None`: it is in the list beside the switches.
    pub short: Option<&'static str>,
    /// The key that switches it on and off.
    pub key: Option<char>,
    /// A sentence that says what the colours show.
    pub help: &'static str,
    /// The file name in `shaders/` and the text of the shader. It defines `overlay_<id>` (with `_` for `-`); the
    /// contract stands at the top of `shaders/common/overlay.wgsl`.
    pub wgsl: (&'static str, &'static str),
    /// The colours of the numbers.
    pub scale: Scale,
    /// The numbers that are computed for each vertex beforehand, where the shader cannot compute them.
    pub values: Option<VertexValues>,
    /// Whether it depends on the selected joint.
    pub of_joint: bool,
    /// Whether it depends on the most influences that a runtime can use.
    pub has_limit: bool,
}

/// Numbers of vertices that no shader can compute from a vertex alone, by who computes them.
#[derive(Clone, Copy, Debug)]
pub enum VertexValues {
    /// The inspection of the model, or the comparison of two surfaces.
    Inspected(InspectedList),
    /// The comparison with the weights that are stored (`changed_weights` of `skinscope_inspect`).
    ChangedWeights,
    /// The comparison with the surface that the stored weights make in the pose that is shown
    /// (`changed_surface` of `skinscope_inspect`).
    ChangedSurface,
    /// The measures of the surface in the pose that is shown (`measure::Measurer` of `skinscope_inspect`).
    Measured(VertexMeasure),
}

/// The numbers of a posed surface that overlays show, for each stored vertex of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexMeasure {
    /// The length of the edge at the vertex that is stretched or squeezed most, posed over rest; −1 where none is measured.
    Stretch,
    /// The area of the triangle at the vertex that has changed most, posed over rest; −1 where none is measured.
    Area,
    /// 1 at the corners of inverted triangles, else 0.
    Inverted,
    /// By how many degrees the sharpest edge at the vertex bends farther than at rest.
    Fold,
    /// The angle of the normal to the one that is computed from the posed triangles, degrees; −1 where there is none.
    NormalError,
}

/// One of the lists of [`InspectedValues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectedList {
    /// [`InspectedValues::asymmetry`].
    Asymmetry,
    /// [`InspectedValues::rogue`].
    Rogue,
    /// [`InspectedValues::distance`].
    Distance,
}

/// Numbers for each vertex that cannot be computed from its own weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InspectedValues {
    /// For each vertex: the weight of the joint to which it is rogue; 0 for others.
    pub rogue: PerVertex,
    /// For each vertex: the largest difference between one of its weights and that of its mirror image; below zero
    /// where it has none.
    pub asymmetry: PerVertex,
    /// The distance of each vertex between the two surfaces that are compared, metres. Not of the model as stored: only what a
    /// comparison makes has it.
    pub distance: PerVertex,
}

impl InspectedValues {
    /// Returns one of the lists.
    #[must_use]
    pub fn of(&self, list: InspectedList) -> &PerVertex {
        match list {
            InspectedList::Asymmetry => &self.asymmetry,
            InspectedList::Rogue => &self.rogue,
            InspectedList::Distance => &self.distance,
        }
    }
}

impl Overlay {
    /// Returns whether the model must be inspected before the overlay can be shown.
    #[must_use]
    pub fn needs_inspection(&self) -> bool {
        matches!(self.values, Some(VertexValues::Inspected(_)))
    }
}

impl PartialEq for Overlay {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The colours of the numbers of vertices.
#[derive(Debug)]
pub enum Scale {
    /// Numbers are coloured by a ramp. Between vertices the number is interpolated.
    Ramp {
        /// The ramp; `None`: the user's choice.
        ramp: Option<Ramp>,
        /// The numbers at the ends of the ramp.
        ends: [f32; 2],
        /// Numbers that the legend marks, each with its label.
        ticks: &'static [(f32, &'static str)],
        /// The colour and label of vertices that have no number: those for which the shader gives `NONE`.
        none: Option<Step>,
        /// The colour and label of vertices of rigid parts, which no skin moves, where the shader gives `NONE` for them
        /// too.
        rigid: Option<Step>,
    },
    /// Each whole number from zero has its own colour. Between vertices the colour is interpolated.
    Steps(&'static [Step]),
    /// The number is a place in the palette; the colour is that of its joint.
    Joints,
}

/// A whole number on a scale.
#[derive(Debug)]
pub struct Step {
    /// The meaning of the number, as the legend writes it.
    pub label: &'static str,
    /// The colour, sRGB.
    pub color: [f32; 3],
    /// The vertices that have it, which the legend counts.
    pub counted: Counted,
}

/// The vertices of a model that a row of a legend counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// None of them, or those that the numbers of the overlay tell.
    Nothing,
    /// Skinned vertices that so many joints move; the last number stands for itself and all above.
    Influences(RangeInclusive<usize>),
    /// Skinned vertices that one joint moves or more, and no more than the limit of influences.
    WithinLimit,
    /// Skinned vertices that more joints move than the limit of influences.
    OverLimit,
    /// Vertices of rigid parts, which no skin moves.
    Rigid,
}

/// How many rows a ramp has in the table that the shader reads: every stop of every ramp falls on one, so that it is
/// exact.
const RAMP_ROWS: usize = 37;
/// How many rows the table has: those of the ramp, the colour of exactly zero, and the colour of vertices without a
/// number.
pub const SCALE_ROWS: usize = RAMP_ROWS + 2;

impl Scale {
    /// Returns the sRGB colour of a number; `own` is the user's ramp. `None` for joints, whose colours do not come from
    /// a scale.
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

    /// Returns the table that the shader reads: a ramp from end to end, then the colours of exactly zero and of
    /// vertices without a number (w: 1 where the scale has such a colour, else 0), or the steps.
    #[must_use]
    pub fn rows(&self, own: Ramp) -> [[f32; 4]; SCALE_ROWS] {
        let special = |color: Option<[f32; 3]>| color.map_or([0.0; 4], |[r, g, b]| [r, g, b, 1.0]);
        std::array::from_fn(|i| match self {
            Self::Ramp { ramp, none, .. } => {
                let shown = ramp.unwrap_or(own);
                match i.checked_sub(RAMP_ROWS) {
                    None => special(Some(shown.rise(i as f32 / (RAMP_ROWS - 1) as f32))),
                    Some(0) => special(shown.zero().filter(|_| ramp.is_none())),
                    Some(_) => special(none.as_ref().map(|step| step.color)),
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
