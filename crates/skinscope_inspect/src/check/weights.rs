//! Rules about the weights of single vertices: each must be a number and not negative, not all may be zero, and their
//! sum must be one.

use glam::{Affine3A, DAffine3, DVec3};
use skinscope_base::math::length;
use skinscope_model::{InfluencesRef, WeightFormat};

use super::weighted::{Weighted, vertices_have, weighted};
use super::{DependsOn, Finding, Measure, Repair, Rule, Severity, Subject};

/// The rule that finds weights that are NaN or infinite.
pub static NOT_FINITE: Rule = Rule {
    id: "weights-not-finite",
    label: "Weights that are no numbers",
    help: "A stored weight is NaN or infinite",
    severity: Severity::Error,
    run: not_finite,
    overlay: Some("sum"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

/// The rule that finds negative weights.
pub(crate) static NEGATIVE: Rule = Rule {
    id: "weights-negative",
    label: "Negative weights",
    help: "A stored weight is below zero",
    severity: Severity::Error,
    run: negative,
    overlay: Some("sum"),
    depends_on: DependsOn::OwnVertices,
    // Where all weights were negative none is left.
    repair: |_| Repair { also: Some(ZERO.id), ..Repair::SOUND },
    ..Rule::ROW
};

/// The rule that finds vertices without any weight.
pub static ZERO: Rule = Rule {
    id: "weights-zero",
    label: "No weights",
    help: "All weights of a vertex are zero",
    severity: Severity::Error,
    run: zero,
    overlay: Some("alarms"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

/// The rule that finds weights that do not sum to one.
pub static SUM: Rule = Rule {
    id: "weights-sum",
    label: "Weight sum error",
    help: "Float or 16-bit weights of a vertex, over all its sets, do not sum to one",
    severity: Severity::Warning,
    run: sum,
    overlay: Some("sum"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

/// The rule that finds weights of 8 bits that do not sum to 255.
pub(crate) static SUM_255: Rule = Rule {
    id: "weights-sum-255",
    label: "Weights do not sum to 255",
    help: "8-bit weights of a vertex, over all its sets, do not sum to 255",
    severity: Severity::Warning,
    run: sum_255,
    overlay: Some("sum"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

fn not_finite(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        let recorded = &w.influences.not_finite;
        let mut vertices: Vec<u32> = recorded.iter().map(|n| n.vertex).collect();
        vertices.dedup();
        if vertices.is_empty() {
            continue;
        }
        // A joint beyond the skin cannot be named.
        let beyond = |vertex: u32, slot: u32| {
            w.influences.out_of_range.binary_search_by_key(&(vertex, slot), |o| (o.vertex, o.slot)).is_ok()
        };
        let named = recorded.iter().filter(|n| !beyond(n.vertex, n.slot));
        let slots = named.map(|n| w.influences.of(n.vertex as usize).0[n.slot as usize]);
        let joints = w.nodes(slots);
        let nan = recorded.iter().filter(|n| n.value.is_nan()).count();
        let message = format!(
            "{} weights that are no numbers ({nan} NaN, {} infinite): what is drawn with them has no place, so the \
             triangles there vanish or stretch across the picture. They are read as 0 here; other programs do otherwise.",
            vertices_have(vertices.len()),
            recorded.len() - nan,
        );
        let fix =
            "Give these vertices the weights of a neighbour, or remove the broken ones, normalise, and export again.";
        let measure = Measure { what: "weights that are no numbers", value: recorded.len() as f64, unit: "" };
        out.push(w.finding(&NOT_FINITE, (vertices, joints), (message, fix), Some(measure)));
    }
}

fn negative(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        let vertices = w.vertices(|v| w.influences.of(v).1.iter().any(|weight| *weight < 0.0));
        let pairs = |v: u32| {
            let (joints, weights) = w.influences.of(v as usize);
            joints.iter().zip(weights).filter(|(_, weight)| **weight < 0.0).map(move |(j, weight)| (*j, *weight, v))
        };
        let all = || vertices.iter().copied().flat_map(pairs);
        let Some((_, least, worst)) = all().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let joints = w.nodes(all().map(|(joint, ..)| joint));
        let message = format!(
            "{} negative weights, down to {least} (vertex {worst}): they move the vertex against their joint, and what \
             stores weights as unsigned integers cuts them off, which moves it elsewhere.",
            vertices_have(vertices.len()),
        );
        let fix = "Set negative weights to 0 and normalise the rest.";
        let measure = Measure { what: "most negative weight", value: f64::from(least), unit: "" };
        out.push(w.finding(&NEGATIVE, (vertices, joints), (message, fix), Some(measure)));
    }
}

fn zero(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        let vertices = w.vertices(|v| !w.is_broken(v) && is_unmoved(w.influences, v));
        if vertices.is_empty() {
            continue;
        }
        let pulled = farthest(subject, &w, &vertices, |_, placed| placed.length());
        let far = pulled.map(|(metres, _)| format!(", up to {} away", length(metres))).unwrap_or_default();
        let them = if vertices.len() == 1 { "it" } else { "them" };
        let message = format!(
            "{} no weight at all: the sum over no joints is the origin, which pulls {them} there{far}. Some programs take \
             the first joint instead.",
            vertices_have(vertices.len()),
        );
        let fix = "Give each of them the weights of its nearest neighbour.";
        let measure = pulled.map(|(m, _)| Measure { what: "farthest from its place", value: m * 1e3, unit: "mm" });
        out.push(w.finding(&ZERO, (vertices, Vec::new()), (message, fix), measure));
    }
}

fn is_unmoved(influences: InfluencesRef<'_>, vertex: usize) -> bool {
    influences.of(vertex).1.iter().all(|weight| *weight == 0.0)
}

/// Returns whether the rule about sums judges this vertex.
fn has_sum(w: &Weighted, vertex: usize) -> bool {
    !w.is_broken(vertex) && !is_unmoved(w.influences, vertex)
}

fn sum(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        // Weights that are stored in 8 bits have a rule of their own; edited weights are floats.
        let is_wider = |v: usize| w.influences.format_at(v) != WeightFormat::U8;
        let vertices = w.vertices(|v| is_wider(v) && has_sum(&w, v) && !w.influences.sums_to_one(v));
        if vertices.is_empty() {
            continue;
        }
        let strict = w.vertices(|v| is_wider(v) && has_sum(&w, v) && !validator_accepts(w.influences, v)).len();
        let (stored, tolerance) = match w.influences.format {
            WeightFormat::F32 | WeightFormat::U8 => {
                ("floats", format!("{} is allowed here", WeightFormat::F32.tolerance()))
            }
            WeightFormat::U16 => ("16-bit integers", "the integers must sum to 65535".to_owned()),
        };
        let sums = range(vertices.iter().map(|v| w.influences.sum(*v as usize)), |s| format!("{s:.4}"));
        let said = format!(
            "{} weights that sum to {sums} instead of 1 (stored as {stored}; {tolerance}, the Khronos validator allows \
             0.0000002 for each weight, by which {strict} are off)",
            vertices_have(vertices.len()),
        );
        push_sum(subject, &w, (&SUM, said), vertices, out);
    }
}

fn sum_255(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject).filter(|w| w.influences.format == WeightFormat::U8) {
        let vertices = w.vertices(|v| !w.influences.is_edited(v) && has_sum(&w, v) && integers(w.influences, v) != 255);
        if vertices.is_empty() {
            continue;
        }
        let sums = range(vertices.iter().map(|v| f64::from(integers(w.influences, *v as usize))), |s| s.to_string());
        let said = format!(
            "{} 8-bit weights that sum to {sums} instead of 255 (integers have no tolerance, here and in the Khronos \
             validator)",
            vertices_have(vertices.len()),
        );
        push_sum(subject, &w, (&SUM_255, said), vertices, out);
    }
}

/// Returns the sum of a vertex's weights in steps of 1/255.
fn integers(influences: InfluencesRef<'_>, vertex: usize) -> u32 {
    influences.of(vertex).1.iter().map(|w| (w * 255.0).round() as u32).sum()
}

/// Does the test of Khronos' glTF-Validator 2.0 (`ACCESSOR_WEIGHTS_NON_NORMALIZED`): the sum in single precision may be
/// off by 2e-7 for each weight that is not zero.
fn validator_accepts(influences: InfluencesRef<'_>, vertex: usize) -> bool {
    let used = || influences.of(vertex).1.iter().filter(|w| **w != 0.0);
    let sum: f32 = used().sum();
    (f64::from(sum) - 1.0).abs() <= 2e-7 * used().count() as f64
}

/// Writes a range: `0.5` or `0.5 to 1.2`.
fn range(values: impl Iterator<Item = f64>, text: impl Fn(f64) -> String) -> String {
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let (least, most) = (text(least), text(most));
    if least == most { least } else { format!("{least} to {most}") }
}

fn push_sum(
    subject: &Subject,
    w: &Weighted,
    (rule, said): (&Rule, String),
    vertices: Vec<u32>,
    out: &mut Vec<Finding>,
) {
    // The same weights divided by their sum give the position where the vertex was meant to be.
    let off = farthest(subject, w, &vertices, |drawn, placed| drawn.distance(placed));
    let far = match off {
        Some((metres, vertex)) => format!("at rest by up to {} (vertex {vertex})", length(metres)),
        None => "from its place".into(),
    };
    let message = format!(
        "{said}: a sum of s draws the vertex at s times its place as seen from the origin, {far}; programs that normalise \
         weights draw another shape."
    );
    let fix = "Normalise all weights of these vertices, over all sets, before they are rounded for export.";
    let measure = off.map(|(metres, _)| Measure { what: "farthest from its place", value: metres * 1e3, unit: "mm" });
    out.push(w.finding(rule, (vertices, Vec::new()), (message, fix), measure));
}

/// Returns the greatest distance (metres) in the stored pose over all skins, and its vertex. `distance` gets where the
/// vertex is drawn and where its weights would place it if they summed to one; without weights, its first joint.
fn farthest(
    subject: &Subject,
    w: &Weighted,
    vertices: &[u32],
    distance: impl Fn(DVec3, DVec3) -> f64,
) -> Option<(f64, u32)> {
    let mut worst: Option<(f64, u32)> = None;
    for palette in w.rest_palettes(subject) {
        let palette: Vec<DAffine3> = palette.iter().map(Affine3A::as_daffine3).collect();
        for vertex in vertices {
            let position = w.source.positions[*vertex as usize].as_dvec3();
            let (joints, weights) = w.influences.of(*vertex as usize);
            let at = |joint: u16| palette[usize::from(joint)].transform_point3(position);
            let drawn: DVec3 = joints.iter().zip(weights).map(|(j, weight)| at(*j) * f64::from(*weight)).sum();
            let sum = w.influences.sum(*vertex as usize);
            // Where weights cancel in the sum, it gives no position.
            let placed = if sum.abs() > 1e-3 { drawn / sum } else { at(joints[0]) };
            let metres = distance(drawn, placed);
            if metres.is_finite() && worst.is_none_or(|(most, _)| metres > most) {
                worst = Some((metres, *vertex));
            }
        }
    }
    worst
}
