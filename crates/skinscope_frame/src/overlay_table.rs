//! The table of overlays, and the colours that they share.

use skinscope_base::math::Ramp;

use super::overlay::{Counted, InspectedList, Overlay, Scale, Step, VertexMeasure, VertexValues};

macro_rules! wgsl {
    ($file:literal) => {
        Some(($file, include_str!(concat!("../../../shaders/", $file))))
    };
}

/// The colour of vertices without a known number: a grey that no ramp has.
const NO_VALUE: [f32; 3] = [0.62, 0.60, 0.57];
/// The vertices of parts that no skin moves, in a lighter grey.
const NOT_SKINNED: Step =
    Step { label: "Not skinned: rigid parts", color: [0.82, 0.83, 0.85], counted: Counted::Rigid };
/// The colour of vertices that nothing moves; no ramp has it.
const MAGENTA: [f32; 3] = [1.0, 0.15, 0.85];
/// The colour of vertices without a fault.
const CALM: [f32; 3] = [0.42, 0.45, 0.50];
/// Colours that colour-blind eyes tell apart too (Okabe & Ito 2008).
const BLUE: [f32; 3] = [0.0, 0.447, 0.698];
const SKY: [f32; 3] = [0.337, 0.706, 0.914];
const GREEN: [f32; 3] = [0.0, 0.620, 0.451];
const YELLOW: [f32; 3] = [0.941, 0.894, 0.259];
const VERMILION: [f32; 3] = [0.835, 0.369, 0.0];

/// All overlays, in the order of the menu.
pub static OVERLAYS: &[&Overlay] = &[
    &WEIGHTS,
    &DOMINANT,
    &INFLUENCES,
    &PARTITION,
    &SUM,
    &ALARMS,
    &ASYMMETRY,
    &ROGUE,
    &DISTANCE,
    &CHANGED,
    &CHANGED_SURFACE,
    &STRETCH,
    &AREA,
    &INVERTED,
    &FOLD,
    &NORMAL_ERROR,
];

/// Finds an overlay by [`Overlay::id`]; `None` where there is none.
#[must_use]
pub fn overlay(id: &str) -> Option<&'static Overlay> {
    OVERLAYS.iter().copied().find(|o| o.id == id)
}

/// What most overlays have.
const PLAIN: Overlay = Overlay {
    id: "",
    label: "",
    short: None,
    key: None,
    help: "",
    equation: "",
    wgsl: None,
    scale: Scale::Joints,
    values: None,
    of_joint: false,
    has_limit: false,
};

/// The ticks of shares of a whole, which are powers of ten.
const SHARES: &[(f32, &str)] = &[(-3.0, "0.1 %"), (-2.0, "1 %"), (-1.0, "10 %"), (0.0, "100 %")];

/// A scale with a ramp of its own from the first tick to the last one; `none` is the label of vertices without a number.
const fn ramp(
    ramp: Ramp,
    ticks: &'static [(f32, &'static str)],
    none: Option<&'static str>,
    rigid: Option<Step>,
) -> Scale {
    let none = match none {
        Some(label) => Some(Step { label, color: NO_VALUE, counted: Counted::Nothing }),
        None => None,
    };
    Scale::Ramp { ramp: Some(ramp), ends: [ticks[0].0, ticks[ticks.len() - 1].0], ticks, none, rigid }
}

static WEIGHTS: Overlay = Overlay {
    id: "weights",
    label: "Weights",
    short: Some("Weights"),
    key: Some('w'),
    help: "Colour the skin by its weight for the selected joint",
    equation: "w",
    wgsl: wgsl!("overlay/weights.wgsl"),
    scale: Scale::Ramp {
        ramp: None,
        ends: [0.0, 1.0],
        ticks: &[(0.0, "0"), (0.5, "0.5"), (1.0, "1")],
        none: Some(Step { label: "No weight for any joint", color: MAGENTA, counted: Counted::Influences(0..=0) }),
        rigid: None,
    },
    of_joint: true,
    ..PLAIN
};

static DOMINANT: Overlay = Overlay {
    id: "dominant",
    label: "Dominant joint",
    short: Some("Dominant"),
    key: Some('d'),
    help: "Colour the skin by the joint that moves it most",
    wgsl: wgsl!("overlay/dominant.wgsl"),
    scale: Scale::Joints,
    ..PLAIN
};

static INFLUENCES: Overlay = Overlay {
    id: "influences",
    label: "Influences",
    short: Some("Influences"),
    key: Some('i'),
    help: "Colour the skin by how many joints move each vertex",
    wgsl: wgsl!("overlay/influences.wgsl"),
    scale: Scale::Steps(&[
        Step { label: "None", color: [0.09, 0.09, 0.10], counted: Counted::Influences(0..=0) },
        Step { label: "1 joint", color: BLUE, counted: Counted::Influences(1..=1) },
        Step { label: "2 joints", color: SKY, counted: Counted::Influences(2..=2) },
        Step { label: "3 joints", color: GREEN, counted: Counted::Influences(3..=3) },
        Step { label: "4 joints", color: YELLOW, counted: Counted::Influences(4..=4) },
        Step { label: "5 or more", color: VERMILION, counted: Counted::Influences(5..=5) },
        NOT_SKINNED,
    ]),
    ..PLAIN
};

static PARTITION: Overlay = Overlay {
    id: "partition",
    label: "Rigid and blended",
    help: "Part the vertices that follow one joint alone from those that are blended",
    wgsl: wgsl!("overlay/partition.wgsl"),
    scale: Scale::Steps(&[
        Step { label: "No joint", color: [0.09, 0.09, 0.10], counted: Counted::Influences(0..=0) },
        Step { label: "One joint: one matrix", color: BLUE, counted: Counted::Influences(1..=1) },
        Step { label: "Several: blended", color: YELLOW, counted: Counted::Influences(2..=5) },
        NOT_SKINNED,
    ]),
    ..PLAIN
};

static SUM: Overlay = Overlay {
    id: "sum",
    label: "Weight sum error",
    help: "Colour the skin by how far the weights of each vertex are from a sum of one",
    equation: "Σ w − 1",
    wgsl: wgsl!("overlay/sum.wgsl"),
    // The ticks are powers of ten from 0.01 % on, to both sides.
    scale: ramp(
        Ramp::Diverging,
        &[(-1.0, "−100 %"), (-0.5, "−1 %"), (0.0, "0"), (0.5, "+1 %"), (1.0, "+100 %")],
        None,
        None,
    ),
    ..PLAIN
};

static ALARMS: Overlay = Overlay {
    id: "alarms",
    label: "Zero or over limit",
    help: "Colour vertices that nothing moves, and those that more joints move than a runtime can use",
    wgsl: wgsl!("overlay/alarms.wgsl"),
    scale: Scale::Steps(&[
        Step { label: "In order", color: CALM, counted: Counted::WithinLimit },
        Step { label: "No weight", color: VERMILION, counted: Counted::Influences(0..=0) },
        Step { label: "Over the limit", color: YELLOW, counted: Counted::OverLimit },
        NOT_SKINNED,
    ]),
    has_limit: true,
    ..PLAIN
};

static ASYMMETRY: Overlay = Overlay {
    id: "asymmetry",
    label: "Left/right asymmetry",
    help: "Colour the skin by how much the weights differ from those of the mirrored vertex",
    equation: "max |w − w′|",
    wgsl: wgsl!("overlay/asymmetry.wgsl"),
    // The values say how many vertices there are, and why.
    scale: ramp(Ramp::Viridis, SHARES, Some("Not judged"), Some(NOT_SKINNED)),
    values: Some(VertexValues::Inspected(InspectedList::Asymmetry)),
    ..PLAIN
};

static ROGUE: Overlay = Overlay {
    id: "rogue",
    label: "Rogue vertices",
    help: "Colour vertices that are cut off from the rest of what their joint moves, by the weight it has there",
    scale: ramp(Ramp::Alarm, &[(0.0, "0"), (0.5, "0.5"), (1.0, "1")], None, None),
    values: Some(VertexValues::Inspected(InspectedList::Rogue)),
    ..PLAIN
};

/// The label of vertices that are the same in both models of a comparison, in the legend of changed weights.
pub const AS_STORED: &str = "As stored";

static CHANGED: Overlay = Overlay {
    id: "changed",
    label: "Changed weights",
    help: "Colour the skin by the share of each vertex' weight that stands for other joints than in the file, or in another file that is compared",
    equation: "½ Σ |w − w₀|",
    wgsl: wgsl!("overlay/changed.wgsl"),
    scale: ramp(Ramp::Viridis, SHARES, Some(AS_STORED), Some(NOT_SKINNED)),
    values: Some(VertexValues::ChangedWeights),
    ..PLAIN
};

static CHANGED_SURFACE: Overlay = Overlay {
    id: "changed-surface",
    label: "Changed surface",
    help: "Colour the skin by how far it stands in this pose from where the weights of the file put it, or those of another file that is compared",
    equation: "|p − p₀|",
    wgsl: wgsl!("overlay/changed_surface.wgsl"),
    // The ticks are powers of ten.
    scale: ramp(
        Ramp::Viridis,
        &[(-2.0, "0.01"), (-1.0, "0.1"), (0.0, "1 mm"), (1.0, "10"), (2.0, "100")],
        Some("In place"),
        Some(NOT_SKINNED),
    ),
    values: Some(VertexValues::ChangedSurface),
    ..PLAIN
};

static DISTANCE: Overlay = Overlay {
    id: "distance",
    label: "Distance of two methods",
    help: "Colour the skin by how far the two sides of a comparison are apart",
    equation: "|p₁ − p₂| / h",
    wgsl: wgsl!("overlay/distance.wgsl"),
    // The ticks are powers of ten of millimetres on a model one metre high; the scale follows the height of the model
    // (`Display::scale_ends`).
    scale: ramp(
        Ramp::Viridis,
        &[(-1.0, "1/10 000"), (0.0, "1/1000"), (1.0, "1/100"), (2.0, "1/10")],
        Some("Less than 1/100 000 of the height"),
        None,
    ),
    values: Some(VertexValues::Inspected(InspectedList::Distance)),
    ..PLAIN
};

static STRETCH: Overlay = Overlay {
    id: "stretch",
    label: "Edge stretch",
    help: "Colour the skin by how much longer or shorter its edges are than at rest; each vertex has the edge that has changed most",
    equation: "l / l₀",
    wgsl: wgsl!("overlay/stretch.wgsl"),
    // The ticks are powers of two.
    scale: ramp(Ramp::Diverging, &[(-1.0, "½×"), (0.0, "1×"), (1.0, "2×")], Some("Not measured"), None),
    values: Some(VertexValues::Measured(VertexMeasure::Stretch)),
    ..PLAIN
};

static AREA: Overlay = Overlay {
    id: "area",
    label: "Change of area",
    help: "Colour the skin by how much larger or smaller its triangles are than at rest; each vertex has the triangle that has changed most",
    equation: "A / A₀",
    wgsl: wgsl!("overlay/area.wgsl"),
    // The ticks are powers of two.
    scale: ramp(
        Ramp::Diverging,
        &[(-2.0, "¼×"), (-1.0, "½×"), (0.0, "1×"), (1.0, "2×"), (2.0, "4×")],
        Some("Not measured"),
        None,
    ),
    values: Some(VertexValues::Measured(VertexMeasure::Area)),
    ..PLAIN
};

static INVERTED: Overlay = Overlay {
    id: "inverted",
    label: "Inverted triangles",
    help: "Colour triangles that face away from where the joints carry their normals",
    scale: ramp(Ramp::Alarm, &[(0.0, "in order"), (1.0, "inverted")], None, None),
    values: Some(VertexValues::Measured(VertexMeasure::Inverted)),
    ..PLAIN
};

static FOLD: Overlay = Overlay {
    id: "fold",
    label: "Fold",
    help: "Colour the skin by how much farther than at rest it bends at its edges; at 180° two triangles lie on each other",
    equation: "φ − φ₀",
    scale: ramp(Ramp::Alarm, &[(0.0, "0°"), (60.0, "60°"), (120.0, "120°"), (180.0, "180°")], None, None),
    values: Some(VertexValues::Measured(VertexMeasure::Fold)),
    ..PLAIN
};

static NORMAL_ERROR: Overlay = Overlay {
    id: "normal-error",
    label: "Normal error",
    help: "Colour the skin by the angle between its normals and those that are computed from the posed triangles",
    equation: "arccos (n · m)",
    scale: ramp(
        Ramp::Alarm,
        &[(0.0, "0°"), (15.0, "15°"), (30.0, "30°"), (45.0, "45°")],
        Some("Normal of length zero"),
        None,
    ),
    values: Some(VertexValues::Measured(VertexMeasure::NormalError)),
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCALE_ROWS;

    #[test]
    fn no_overlay_is_listed_twice_and_every_scale_fits_the_table() {
        for (i, a) in OVERLAYS.iter().enumerate() {
            assert!(OVERLAYS[i + 1..].iter().all(|b| a.id != b.id && a.label != b.label));
            let file = a.wgsl.map(|(file, _)| file);
            assert!(file.is_none() || OVERLAYS[i + 1..].iter().all(|b| b.wgsl.map(|(file, _)| file) != file));
            assert!(file.is_some() || a.values.is_some(), "{}: nothing computes its numbers", a.id);
            if let Scale::Steps(steps) = a.scale {
                assert!(steps.len() <= SCALE_ROWS);
            }
        }
    }

    #[test]
    fn the_table_holds_what_the_scale_says() {
        // Red is one, blue is zero.
        let rows = WEIGHTS.scale.rows(Ramp::Blender);
        assert_eq!((rows[0], rows[18], rows[36]), ([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]));
        let rows = INFLUENCES.scale.rows(Ramp::Blender);
        assert_eq!((&rows[4][..3], rows[7]), (&YELLOW[..], [0.0, 0.0, 0.0, 1.0]));
        assert_eq!(&rows[6][..3], &NOT_SKINNED.color[..]);
        // Zero has a colour of its own where the ramp does not begin with it; so have vertices that nothing moves.
        let rows = [Ramp::Blender, Ramp::Heat].map(|own| WEIGHTS.scale.rows(own));
        assert_eq!(rows.map(|r| (r[37][3], r[38][0], r[38][3])), [(0.0, 1.0, 1.0), (1.0, 1.0, 1.0)]);
        for fixed in [&SUM, &ROGUE] {
            assert_eq!(fixed.scale.rows(Ramp::Heat)[37..], [[0.0; 4]; 3]);
        }
        // A vertex without a mirror image looks different from one that equals its image, and from one of a rigid part.
        let grey = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        assert_eq!(ASYMMETRY.scale.rows(Ramp::Heat)[37..], [[0.0; 4], grey(NO_VALUE), grey(NOT_SKINNED.color)]);
        assert!((0..3).all(|c| NOT_SKINNED.color[c] - NO_VALUE[c] > 0.1));
        // No error has the colour in the middle, whatever the user's ramp.
        assert_eq!(SUM.scale.color(0.0, Ramp::Blender), Some(Ramp::Diverging.color(0.5)));
        assert_eq!(DOMINANT.scale.color(0.0, Ramp::Blender), None);
    }
}
