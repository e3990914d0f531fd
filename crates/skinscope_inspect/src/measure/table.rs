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

/// All measures, in the order of the panel.
pub static MEASURES: &[Measure] = &[
    Measure {
        id: "stretch_max",
        label: "Longest edge",
        help: "The length of the edge that is stretched most, posed over rest",
        equation: "max l / l₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| Some(m.stretch[1].into()),
        at: |m| m.at[1],
        overlay: Some("stretch"),
    },
    Measure {
        id: "stretch_min",
        label: "Shortest edge",
        help: "The length of the edge that is squeezed most, posed over rest",
        equation: "min l / l₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| Some(m.stretch[0].into()),
        at: |m| m.at[0],
        overlay: Some("stretch"),
    },
    Measure {
        id: "stretch_mean",
        label: "Mean edge",
        help: "The mean length of all edges, each posed over rest",
        equation: "",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| Some(m.stretch_mean),
        at: |m| m.at[1],
        overlay: Some("stretch"),
    },
    Measure {
        id: "triangle_max",
        label: "Largest triangle",
        help: "The area of the triangle that grows most, posed over rest",
        equation: "max A / A₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| Some(m.triangle[1].into()),
        at: |m| m.at[3],
        overlay: Some("area"),
    },
    Measure {
        id: "triangle_min",
        label: "Smallest triangle",
        help: "The area of the triangle that shrinks most, posed over rest",
        equation: "min A / A₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| Some(m.triangle[0].into()),
        at: |m| m.at[2],
        overlay: Some("area"),
    },
    Measure {
        id: "area",
        label: "Area",
        help: "The area of the whole surface, posed over rest",
        equation: "A / A₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| Some(m.area),
        at: |m| m.at[2],
        overlay: Some("area"),
    },
    Measure {
        id: "volume",
        label: "Volume",
        help: "The volume of all parts that enclose one, posed over rest; open parts are closed over their borders",
        equation: "V / V₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| m.volume,
        at: |m| m.at[7],
        overlay: None,
    },
    Measure {
        id: "region_volume",
        label: "Worst joint's volume",
        help: "The volume of the joint's region that has changed most, posed over rest; a region is the triangles that its joint holds most of",
        equation: "V / V₀",
        unit: Unit::Ratio,
        neutral: 1.0,
        value: |m| m.worst_region().map(|(_, ratio)| ratio),
        at: |m| m.at[7],
        overlay: None,
    },
    Measure {
        id: "inverted",
        label: "Inverted triangles",
        help: "How many triangles face away from where the joints carry their normals",
        equation: "",
        unit: Unit::Count,
        neutral: 0.0,
        value: |m| Some(m.inverted as f64),
        at: |m| m.at[4],
        overlay: Some("inverted"),
    },
    Measure {
        id: "folds",
        label: "Folds",
        help: "How many edges the surface folds back on itself at: by 150° or more, 60° farther than at rest",
        equation: "",
        unit: Unit::Count,
        neutral: 0.0,
        value: |m| Some(m.folds as f64),
        at: |m| m.at[5],
        overlay: Some("fold"),
    },
    Measure {
        id: "normal_error_max",
        label: "Largest normal error",
        help: "The largest angle between a normal and the one that is computed from the posed triangles",
        equation: "max arccos (n · m)",
        unit: Unit::Degrees,
        neutral: 0.0,
        value: |m| m.normal_error.map(|[worst, _]| worst),
        at: |m| m.at[6],
        overlay: Some("normal-error"),
    },
    Measure {
        id: "normal_error_mean",
        label: "Mean normal error",
        help: "The mean angle between normals and those that are computed from the posed triangles",
        equation: "",
        unit: Unit::Degrees,
        neutral: 0.0,
        value: |m| m.normal_error.map(|[_, mean]| mean),
        at: |m| m.at[6],
        overlay: Some("normal-error"),
    },
    Measure {
        id: "zero_normals",
        label: "Normals of length zero",
        help: "How many vertices have a normal without direction; the picture shades them by the triangles that they stand in",
        equation: "",
        unit: Unit::Count,
        neutral: 0.0,
        value: |m| Some(m.zero_normals as f64),
        at: |m| m.at[8],
        overlay: Some("normal-error"),
    },
];

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
