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

/// The overlays, in the order of the menu: the name here, the id, the label, what else it has between brackets, the sentence, the shader and
/// the scale.
macro_rules! overlays {
    ($($name:ident $id:literal, $label:literal $([$($field:ident: $value:expr),*])?: $help:literal, $wgsl:expr, $scale:expr;)*) => {
        $(static $name: Overlay = Overlay {
            id: $id,
            label: $label,
            help: $help,
            wgsl: $wgsl,
            scale: $scale,
            $($($field: $value,)*)?
            ..PLAIN
        };)*

        /// All overlays, in the order of the menu.
        pub static OVERLAYS: &[&Overlay] = &[$(&$name),*];
    };
}

overlays! {
    WEIGHTS "weights", "Weights" [short: Some("Weights"), key: Some('w'), equation: "w", of_joint: true]:
        "Colour the skin by its weight for the selected joint",
        wgsl!("overlay/weights.wgsl"),
        Scale::Ramp {
            ramp: None,
            ends: [0.0, 1.0],
            ticks: &[(0.0, "0"), (0.5, "0.5"), (1.0, "1")],
            none: Some(Step { label: "No weight for any joint", color: MAGENTA, counted: Counted::Influences(0..=0) }),
            rigid: None,
        };
    DOMINANT "dominant", "Dominant joint" [short: Some("Dominant"), key: Some('d')]:
        "Colour the skin by the joint that moves it most",
        wgsl!("overlay/dominant.wgsl"), Scale::Joints;
    INFLUENCES "influences", "Influences" [short: Some("Influences"), key: Some('i')]:
        "Colour the skin by how many joints move each vertex",
        wgsl!("overlay/influences.wgsl"),
        Scale::Steps(&[
            Step { label: "None", color: [0.09, 0.09, 0.10], counted: Counted::Influences(0..=0) },
            Step { label: "1 joint", color: BLUE, counted: Counted::Influences(1..=1) },
            Step { label: "2 joints", color: SKY, counted: Counted::Influences(2..=2) },
            Step { label: "3 joints", color: GREEN, counted: Counted::Influences(3..=3) },
            Step { label: "4 joints", color: YELLOW, counted: Counted::Influences(4..=4) },
            Step { label: "5 or more", color: VERMILION, counted: Counted::Influences(5..=5) },
            NOT_SKINNED,
        ]);
    PARTITION "partition", "Rigid and blended":
        "Part the vertices that follow one joint alone from those that are blended",
        wgsl!("overlay/partition.wgsl"),
        Scale::Steps(&[
            Step { label: "No joint", color: [0.09, 0.09, 0.10], counted: Counted::Influences(0..=0) },
            Step { label: "One joint: one matrix", color: BLUE, counted: Counted::Influences(1..=1) },
            Step { label: "Several: blended", color: YELLOW, counted: Counted::Influences(2..=5) },
            NOT_SKINNED,
        ]);
    SUM "sum", "Weight sum error" [equation: "Σ w − 1"]:
        "Colour the skin by how far the weights of each vertex are from a sum of one",
        // The ticks are powers of ten from 0.01 % on, to both sides.
        wgsl!("overlay/sum.wgsl"),
        ramp(Ramp::Diverging, &[(-1.0, "−100 %"), (-0.5, "−1 %"), (0.0, "0"), (0.5, "+1 %"), (1.0, "+100 %")], None, None);
    ALARMS "alarms", "Zero or over limit" [has_limit: true]:
        "Colour vertices that nothing moves, and those that more joints move than a runtime can use",
        wgsl!("overlay/alarms.wgsl"),
        Scale::Steps(&[
            Step { label: "In order", color: CALM, counted: Counted::WithinLimit },
            Step { label: "No weight", color: VERMILION, counted: Counted::Influences(0..=0) },
            Step { label: "Over the limit", color: YELLOW, counted: Counted::OverLimit },
            NOT_SKINNED,
        ]);
    ASYMMETRY "asymmetry", "Left/right asymmetry"
        [equation: "max |w − w′|", values: Some(VertexValues::inspected(InspectedList::Asymmetry))]:
        "Colour the skin by how much the weights differ from those of the mirrored vertex",
        // The values say how many vertices there are, and why.
        wgsl!("overlay/asymmetry.wgsl"), ramp(Ramp::Viridis, SHARES, Some("Not judged"), Some(NOT_SKINNED));
    ROGUE "rogue", "Rogue vertices" [values: Some(VertexValues::inspected(InspectedList::Rogue))]:
        "Colour vertices that are cut off from the rest of what their joint moves, by the weight it has there",
        None, ramp(Ramp::Alarm, &[(0.0, "0"), (0.5, "0.5"), (1.0, "1")], None, None);
    DISTANCE "distance", "Distance of two methods"
        [equation: "|p₁ − p₂| / h", values: Some(VertexValues { source: "distance", ..VertexValues::inspected(InspectedList::Distance) })]:
        "Colour the skin by how far the two sides of a comparison are apart",
        // The ticks are powers of ten of millimetres on a model one metre high; the scale follows the height of the model
        // (`Display::scale_ends`).
        wgsl!("overlay/distance.wgsl"),
        ramp(Ramp::Viridis, &[(-1.0, "1/10 000"), (0.0, "1/1000"), (1.0, "1/100"), (2.0, "1/10")], Some("Less than 1/100 000 of the height"), None);
    CHANGED "changed", "Changed weights" [equation: "½ Σ |w − w₀|", values: Some(VertexValues::by("changed"))]:
        "Colour the skin by the share of each vertex' weight that stands for other joints than in the file, or in another file that is compared",
        wgsl!("overlay/changed.wgsl"), ramp(Ramp::Viridis, SHARES, Some(AS_STORED), Some(NOT_SKINNED));
    CHANGED_SURFACE "changed-surface", "Changed surface"
        [equation: "|p − p₀|", values: Some(VertexValues { deforms_compared: true, ..VertexValues::by("changed-surface") })]:
        "Colour the skin by how far it stands in this pose from where the weights of the file put it, or those of another file that is compared",
        // The ticks are powers of ten.
        wgsl!("overlay/changed_surface.wgsl"),
        ramp(Ramp::Viridis, &[(-2.0, "0.01"), (-1.0, "0.1"), (0.0, "1 mm"), (1.0, "10"), (2.0, "100")], Some("In place"), Some(NOT_SKINNED));
    BAKE_LEFT "bake-left", "Left after baking" [equation: "|p − p₀|", values: Some(VertexValues::by("bake-left"))]:
        "Colour the skin by how far the weights into which a method was baked leave it from that method: the root of the mean of the squares over the poses",
        // The ticks are powers of ten.
        wgsl!("overlay/bake_left.wgsl"),
        ramp(Ramp::Viridis, &[(-2.0, "0.01"), (-1.0, "0.1"), (0.0, "1 mm"), (1.0, "10"), (2.0, "100")], Some(NOT_BAKED), Some(NOT_SKINNED));
    BAKE_LEFT_LARGEST "bake-left-largest", "Most left after baking"
        [equation: "max |p − p₀|", values: Some(VertexValues::by("bake-left-largest"))]:
        "Colour the skin by how far the weights into which a method was baked leave it from that method at most, in any of the poses",
        // The ticks are powers of ten.
        wgsl!("overlay/bake_left_largest.wgsl"),
        ramp(Ramp::Viridis, &[(-2.0, "0.01"), (-1.0, "0.1"), (0.0, "1 mm"), (1.0, "10"), (2.0, "100")], Some(NOT_BAKED), Some(NOT_SKINNED));
    LAYER_MASK "layer-mask", "Layer mask" [values: Some(VertexValues::by("layer-mask"))]:
        "Colour the skin by how much there is of the layer of weights that is painted in: its mask, 1 everywhere without one",
        None,
        ramp(Ramp::Viridis, &[(0.0, "0"), (0.5, "0.5"), (1.0, "1")], Some("No layer is painted in"), None);
    LAYER_WEIGHTS "layer-weights", "Layer weights" [equation: "½ m Σ |w − w₀|", values: Some(VertexValues::by("layer-weights"))]:
        "Colour the skin by how much the layer that is painted in changes where it has weights: the share that other joints get, times its opacity and its mask",
        None,
        ramp(Ramp::Viridis, &[(0.0, "0"), (0.5, "0.5"), (1.0, "1")], Some("Not painted in the layer"), None);
    STRETCH "stretch", "Edge stretch"
        [equation: "l / l₀", values: Some(VertexValues::measured(VertexMeasure::Stretch))]:
        "Colour the skin by how much longer or shorter its edges are than at rest; each vertex has the edge that has changed most",
        // The ticks are powers of two.
        wgsl!("overlay/stretch.wgsl"),
        ramp(Ramp::Diverging, &[(-1.0, "½×"), (0.0, "1×"), (1.0, "2×")], Some("Not measured"), None);
    AREA "area", "Change of area" [equation: "A / A₀", values: Some(VertexValues::measured(VertexMeasure::Area))]:
        "Colour the skin by how much larger or smaller its triangles are than at rest; each vertex has the triangle that has changed most",
        // The ticks are powers of two.
        wgsl!("overlay/area.wgsl"),
        ramp(Ramp::Diverging, &[(-2.0, "¼×"), (-1.0, "½×"), (0.0, "1×"), (1.0, "2×"), (2.0, "4×")], Some("Not measured"), None);
    INVERTED "inverted", "Inverted triangles" [values: Some(VertexValues::measured(VertexMeasure::Inverted))]:
        "Colour triangles that face away from where the joints carry their normals",
        None, ramp(Ramp::Alarm, &[(0.0, "in order"), (1.0, "inverted")], None, None);
    FOLD "fold", "Fold" [equation: "φ − φ₀", values: Some(VertexValues::measured(VertexMeasure::Fold))]:
        "Colour the skin by how much farther than at rest it bends at its edges; at 180° two triangles lie on each other",
        None, ramp(Ramp::Alarm, &[(0.0, "0°"), (60.0, "60°"), (120.0, "120°"), (180.0, "180°")], None, None);
    NORMAL_ERROR "normal-error", "Normal error"
        [equation: "arccos (n · m)", values: Some(VertexValues::measured(VertexMeasure::NormalError))]:
        "Colour the skin by the angle between its normals and those that are computed from the posed triangles",
        None,
        ramp(Ramp::Alarm, &[(0.0, "0°"), (15.0, "15°"), (30.0, "30°"), (45.0, "45°")], Some("Normal of length zero"), None);
}

/// The label of vertices of which nothing is known, in the legends of what baking a method leaves.
const NOT_BAKED: &str = "No method was baked";
/// The label of vertices that are the same in both models of a comparison, in the legend of changed weights.
pub const AS_STORED: &str = "As stored";

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
