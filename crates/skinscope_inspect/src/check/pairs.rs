//! Rules about the joints that vertices name: each must exist, and be named only once.

use std::collections::HashMap;

use skinscope_model::{OutOfRange, Skin};

use super::weighted::{Weighted, vertices_have, weighted};
use super::{DependsOn, Finding, Measure, Repair, RepairTool, Rule, Severity, Subject};

/// The rule that finds weighted joints that the skin does not have.
pub(crate) static OUT_OF_RANGE: Rule = Rule {
    id: "joint-out-of-range",
    label: "Joint beyond the skin",
    help: "A weight that is not zero names a joint beyond the skin's list; a file in which it is a number does not open",
    severity: Severity::Error,
    run: out_of_range,
    overlay: Some("weights"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| {
        Repair::nearest(
            "normalise",
            "Which joint was meant is not known. Weights that are no numbers can be made zero.",
        )
    },
    ..Rule::ROW
};

/// The rule that finds joints that the skin does not have, but which have no weight.
pub(crate) static UNWEIGHTED_OUT_OF_RANGE: Rule = Rule {
    id: "joint-out-of-range-unweighted",
    label: "Joint beyond the skin, without weight",
    help: "A weight of zero names a joint beyond the skin's list",
    severity: Severity::Info,
    run: unweighted_out_of_range,
    overlay: Some("weights"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| {
        let why = "It does no harm here, and no tool for weights changes pairs without weight.";
        Repair::table(RepairTool::Vertices, why)
    },
    ..Rule::ROW
};

/// The rule that finds vertices that name a joint twice.
pub(crate) static DUPLICATE: Rule = Rule {
    id: "joint-duplicate",
    label: "Same joint twice",
    help: "A vertex has the same joint twice, both with a weight above zero",
    severity: Severity::Warning,
    run: duplicate,
    overlay: Some("influences"),
    depends_on: DependsOn::OwnVertices,
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

/// Returns the vertices with a joint beyond the skin whose weight is not finite (`weighted`) or is zero (not
/// `weighted`), and the largest such joint.
fn beyond(w: &Weighted, weighted: bool) -> Option<(Vec<u32>, u16)> {
    let is_number = |o: &&OutOfRange| {
        let recorded = &w.influences.not_finite;
        recorded.binary_search_by_key(&(o.vertex, o.slot), |n| (n.vertex, n.slot)).is_err()
    };
    let recorded = w.influences.out_of_range.iter().filter(|o| is_number(o) != weighted);
    let largest = recorded.clone().map(|o| o.joint).max()?;
    let mut vertices: Vec<u32> = recorded.map(|o| o.vertex).collect();
    vertices.dedup();
    Some((vertices, largest))
}

/// Returns the joint count of the skin with the fewest joints, which import uses too.
fn joint_count(w: &Weighted) -> usize {
    w.skinned.iter().map(|s| s.skin.joints.len()).min().unwrap_or(0)
}

fn out_of_range(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        let Some((vertices, largest)) = beyond(&w, true) else { continue };
        let message = format!(
            "{} weights, themselves no numbers, for joints beyond the skin's {} (up to joint {largest}): there is no \
             matrix to move them by, and a graphics card reads whatever stands in its place.",
            vertices_have(vertices.len()),
            joint_count(&w),
        );
        let fix = "Add the missing joints to the skin, or name those that are meant.";
        out.push(w.finding(&OUT_OF_RANGE, (vertices, Vec::new()), (message, fix), None));
    }
}

fn unweighted_out_of_range(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        let Some((vertices, largest)) = beyond(&w, false) else { continue };
        let message = format!(
            "{} joint numbers beyond the skin's {} (up to joint {largest}) where the weight is 0: they should move nothing, \
             but a shader that reads the matrix before it looks at the weight reads what is not there, and the Khronos \
             validator refuses the file.",
            vertices_have(vertices.len()),
            joint_count(&w),
        );
        let fix = "Write joint 0 wherever the weight is 0.";
        out.push(w.finding(&UNWEIGHTED_OUT_OF_RANGE, (vertices, Vec::new()), (message, fix), None));
    }
}

/// Returns for each joint of a skin the first index of the same node, since a joint may be listed twice.
fn first_indices(skin: &Skin) -> Vec<u16> {
    let mut first = HashMap::new();
    skin.joints.iter().enumerate().map(|(index, node)| *first.entry(node).or_insert(index as u16)).collect()
}

/// The duplicate pairs of a primitive.
#[derive(Default)]
struct Doubles {
    vertices: Vec<u32>,
    /// The indices of these joints in the first of its skins.
    indices: Vec<u16>,
    /// The largest weight of a pair next to a heavier pair of the same joint.
    lesser: f32,
    /// Whether some pairs name the same node through two indices of a skin.
    listed_twice: bool,
}

impl Doubles {
    /// Finds duplicate pairs. `indices` are those of [`first_indices`]; `None` where no skin says which joints are the
    /// same.
    fn of(w: &Weighted, indices: Option<&[u16]>) -> Self {
        let mut out = Self::default();
        let mut pairs: Vec<(u16, u16, f32)> = Vec::with_capacity(w.influences.per_vertex);
        for vertex in 0..w.source.stored_vertices {
            let (joints, weights) = w.influences.of(vertex);
            let used = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
            pairs.clear();
            pairs.extend(used.map(|(j, weight)| (indices.map_or(*j, |p| p[usize::from(*j)]), *j, *weight)));
            // The pairs are sorted, so that any number of influences takes no quadratic time; larger weights come
            // first.
            pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)));
            for double in pairs.windows(2).filter(|two| two[0].0 == two[1].0) {
                out.vertices.push(vertex as u32);
                out.indices.push(double[0].0);
                out.lesser = out.lesser.max(double[1].2);
                out.listed_twice |= double[0].1 != double[1].1;
            }
        }
        out.vertices.dedup();
        out
    }
}

fn duplicate(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject) {
        let (mut all, mut nodes) = (Doubles::default(), Vec::new());
        for s in w.skinned {
            let found = Doubles::of(&w, Some(&first_indices(s.skin)));
            nodes.extend(found.indices.iter().map(|index| s.skin.joints[usize::from(*index)]));
            all.vertices.extend(found.vertices);
            all.lesser = all.lesser.max(found.lesser);
            all.listed_twice |= found.listed_twice;
        }
        if w.skinned.is_empty() {
            all = Doubles::of(&w, None);
        }
        all.vertices.sort_unstable();
        all.vertices.dedup();
        if all.vertices.is_empty() {
            continue;
        }
        nodes.sort_unstable();
        nodes.dedup();
        let names = if nodes.is_empty() { String::new() } else { format!(" ({})", subject.names(&nodes)) };
        let why = if all.listed_twice { ", in part because the skin lists it twice" } else { "" };
        let message = format!(
            "{} the same joint twice{names}{why}: programs that keep one weight for each joint lose the other, up to {} of \
             the vertex's weight, and the Khronos validator refuses the file.",
            vertices_have(all.vertices.len()),
            all.lesser,
        );
        let fix = if all.listed_twice {
            "List each joint once in the skin, and add both weights up in one pair."
        } else {
            "Add both weights up in one pair and write joint 0 with weight 0 in the other."
        };
        let measure = Measure { what: "largest weight that may be lost", value: f64::from(all.lesser), unit: "" };
        out.push(w.finding(&DUPLICATE, (all.vertices, nodes), (message, fix), Some(measure)));
    }
}
