//! The table of measures: what curves, readouts and the command line call them, and how bad a number is.

use skinscope_model::NodeId;

use super::SurfaceMeasures;
use crate::VertexRef;

/// A number that is measured of a posed surface.
#[derive(Debug)]
pub struct Measure {
    /// The name in JSON, such as `stretch_max`.
    pub id: &'static str,
    /// The name in the window.
    pub label: &'static str,
    /// A sentence that says what it is.
    pub help: &'static str,
    /// The same as an equation, what is at rest with an index of zero. Empty: the sentence says it all.
    pub equation: &'static str,
    /// The unit in which the number is written.
    pub unit: Unit,
    /// The number at which nothing is wrong.
    pub neutral: f64,
    /// Returns the number; `None` where there is none.
    pub value: fn(&SurfaceMeasures) -> Option<f64>,
    /// Returns a vertex where it is worst.
    pub at: fn(&SurfaceMeasures) -> Option<VertexRef>,
    /// The overlay that shows where it comes from, if there is one.
    pub overlay: Option<&'static str>,
}

/// How a measure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Posed over rest: 1 is no change, and 2 as far from it as ½.
    Ratio,
    /// A whole number of things.
    Count,
    /// An angle in degrees.
    Degrees,
}

impl Measure {
    /// Returns how far a number is from that at which nothing is wrong: the larger, the worse.
    #[must_use]
    pub fn badness(&self, value: f64) -> f64 {
        match self.unit {
            Unit::Ratio if value <= 0.0 => f64::INFINITY,
            Unit::Ratio => value.ln().abs(),
            Unit::Count | Unit::Degrees => (value - self.neutral).abs(),
        }
    }

    /// Writes a number: `1.25×`, `12`, `3.5°`.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        match self.unit {
            Unit::Ratio if value.abs() >= 100.0 => format!("{value:.0}×"),
            Unit::Ratio if value.abs() >= 10.0 => format!("{value:.1}×"),
            Unit::Ratio => format!("{value:.3}×"),
            Unit::Count => format!("{value:.0}"),
            Unit::Degrees => format!("{value:.1}°"),
        }
    }
}

/// The rows of [`MEASURES`]: the unit, the name in JSON and that in the window, the equation, the overlay, the number, the index in
/// [`SurfaceMeasures::at`] of the vertex where it is worst, and the sentence.
macro_rules! measures {
    ($($unit:ident $id:literal, $label:literal, $equation:literal, $overlay:expr, $value:expr, at $at:literal: $help:literal;)*) => {
        &[$(Measure {
            id: $id,
            label: $label,
            help: $help,
            equation: $equation,
            unit: Unit::$unit,
            neutral: if matches!(Unit::$unit, Unit::Ratio) { 1.0 } else { 0.0 },
            value: $value,
            at: |m| m.at[$at],
            overlay: $overlay,
        }),*]
    };
}

/// All measures, in the order of the panel.
pub static MEASURES: &[Measure] = measures! {
    Ratio "stretch_max", "Longest edge", "max l / l₀", Some("stretch"), |m| Some(m.stretch[1].into()), at 1:
        "The length of the edge that is stretched most, posed over rest";
    Ratio "stretch_min", "Shortest edge", "min l / l₀", Some("stretch"), |m| Some(m.stretch[0].into()), at 0:
        "The length of the edge that is squeezed most, posed over rest";
    Ratio "stretch_mean", "Mean edge", "", Some("stretch"), |m| Some(m.stretch_mean), at 1:
        "The mean length of all edges, each posed over rest";
    Ratio "triangle_max", "Largest triangle", "max A / A₀", Some("area"), |m| Some(m.triangle[1].into()), at 3:
        "The area of the triangle that grows most, posed over rest";
    Ratio "triangle_min", "Smallest triangle", "min A / A₀", Some("area"), |m| Some(m.triangle[0].into()), at 2:
        "The area of the triangle that shrinks most, posed over rest";
    Ratio "area", "Area", "A / A₀", Some("area"), |m| Some(m.area), at 2:
        "The area of the whole surface, posed over rest";
    Ratio "volume", "Volume", "V / V₀", None, |m| m.volume, at 7:
        "The volume of all parts that enclose one, posed over rest; open parts are closed over their borders";
    Ratio "region_volume", "Worst joint's volume", "V / V₀", None, |m| m.worst_region().map(|(_, ratio)| ratio), at 7:
        "The volume of the joint's region that has changed most, posed over rest; a region is the triangles that its joint holds most of";
    Count "inverted", "Inverted triangles", "", Some("inverted"), |m| Some(m.inverted as f64), at 4:
        "How many triangles face away from where the joints carry their normals";
    Count "folds", "Folds", "", Some("fold"), |m| Some(m.folds as f64), at 5:
        "How many edges the surface folds back on itself at: by 150° or more, 60° farther than at rest";
    Degrees "normal_error_max", "Largest normal error", "max arccos (n · m)", Some("normal-error"), |m| m.normal_error.map(|[worst, _]| worst), at 6:
        "The largest angle between a normal and the one that is computed from the posed triangles";
    Degrees "normal_error_mean", "Mean normal error", "", Some("normal-error"), |m| m.normal_error.map(|[_, mean]| mean), at 6:
        "The mean angle between normals and those that are computed from the posed triangles";
    Count "zero_normals", "Normals of length zero", "", Some("normal-error"), |m| Some(m.zero_normals as f64), at 8:
        "How many vertices have a normal without direction; the picture shades them by the triangles that they stand in";
};

/// Finds a measure by [`Measure::id`].
#[must_use]
pub fn measure(id: &str) -> Option<&'static Measure> {
    MEASURES.iter().find(|measure| measure.id == id)
}

impl SurfaceMeasures {
    /// Returns the joint whose region's volume has changed most, with that volume, posed over rest.
    #[must_use]
    pub fn worst_region(&self) -> Option<(NodeId, f64)> {
        worst_region(&self.regions)
    }
}

/// Returns the region that has changed most, where doubling and halving are as much.
pub(super) fn worst_region(regions: &[(NodeId, f64)]) -> Option<(NodeId, f64)> {
    let size = |ratio: f64| if ratio <= 0.0 { f64::INFINITY } else { ratio.ln().abs() };
    regions.iter().copied().max_by(|a, b| size(a.1).total_cmp(&size(b.1)))
}
