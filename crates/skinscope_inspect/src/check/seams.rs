//! The rule about seams: vertices at one position of one surface whose weights differ.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_base::math::{DisjointSets, length};
use skinscope_deform::Side;
use skinscope_model::{NodeId, PrimitiveId};

use super::motion::{self, Gap, Point};
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, SkinPart, SkinSurface, Subject};

/// The rule that finds seams that open.
pub(crate) static SEAM: Rule = Rule {
    id: "seam-weights",
    label: "Seam that tears",
    help: "Vertices of one place have different weights, so that the surface opens between them",
    severity: Severity::Warning,
    run: seams,
    overlay: Some("weights"),
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

/// Weights that differ by less are the same: this is a step and a bit of 8-bit weights, which rounding alone can make.
const SAME_WEIGHT: f32 = 1.3 / 255.0;
/// Gaps that stay narrower than this are ignored, as a share of the surface's size.
const NO_GAP: f32 = 1e-5;
/// Where more open sides than this meet in one edge, it cannot be known which of them continues which.
const MOST_OPEN_SIDES: usize = 8;

/// The torn edges of a primitive.
#[derive(Default)]
struct Torn {
    vertices: BTreeSet<u32>,
    joints: BTreeSet<NodeId>,
    widest: f32,
    pose: FindingPose,
}

fn seams(subject: &Subject, out: &mut Vec<Finding>) {
    let mut torn: BTreeMap<PrimitiveId, Torn> = BTreeMap::new();
    for surface in subject.surfaces() {
        tear(subject, surface, &mut torn);
    }
    out.extend(torn.into_iter().map(|(PrimitiveId { mesh, primitive }, torn)| {
        let n = torn.vertices.len();
        let (lie, have) = if n == 1 { ("vertex lies", "has") } else { ("vertices lie", "have") };
        let millimetres = f64::from(torn.widest) * 1e3;
        Finding {
            rule: SEAM.id,
            severity: SEAM.severity,
            mesh: Some(mesh),
            primitive: Some(primitive),
            message: format!(
                "{n} {lie} where others of the same surface lie, but {have} other weights than those: the seam opens by \
                 up to {} under motion.",
                length(torn.widest.into())
            ),
            fix: "Give all vertices of one place the same weights: copy those of one side, or average them.".into(),
            vertices: torn.vertices.into_iter().collect(),
            joints: torn.joints.into_iter().collect(),
            measure: Some(Measure { what: "widest gap", value: millimetres, unit: "mm" }),
            pose: torn.pose,
        }
    }));
}

fn tear(subject: &Subject, surface: &SkinSurface, torn: &mut BTreeMap<PrimitiveId, Torn>) {
    let pairs = meetings(surface);
    let mut differing: Vec<([u32; 2], Vec<NodeId>)> = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.iter().all(|v| surface.is_sound(*v))) {
        let joints = difference(surface.weights(pair[0]), surface.weights(pair[1]));
        if !joints.is_empty() {
            differing.push((*pair, joints));
        }
    }
    let gaps: Vec<Gap> =
        differing.iter().map(|(p, _)| Gap::Between(p.map(|v| Point::new(subject, surface, v)))).collect();
    let widths = motion::widest(subject, &gaps);
    // Lists each torn vertex, with the joints and the gap of its pair.
    let mut groups = DisjointSets::new(surface.mesh.vertex_count() as usize);
    pairs.iter().for_each(|[a, b]| groups.join(*a, *b));
    let mut at_fault: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, ((pair, _), (width, _))) in differing.iter().zip(&widths).enumerate() {
        if *width > surface.size * surface.world_scale * NO_GAP {
            at_fault.entry(groups.root(pair[0])).or_default().push(i);
        }
    }
    let mut members: Vec<u32> = pairs.iter().flatten().copied().collect();
    members.sort_unstable();
    members.dedup();
    for vertex in members {
        let Some(faults) = at_fault.get(&groups.root(vertex)) else { continue };
        let (part, stored) = surface.stored(vertex);
        let SkinPart { mesh, primitive, .. } = *part;
        let torn = torn.entry(PrimitiveId { mesh, primitive }).or_default();
        torn.vertices.insert(stored);
        for i in faults {
            torn.joints.extend(&differing[*i].1);
            if widths[*i].0 > torn.widest {
                (torn.widest, torn.pose) = widths[*i];
            }
        }
    }
}

/// Returns all pairs of numbered vertices at one position where the surface continues from one to the other, rising, each
/// once.
#[must_use]
pub fn meetings(surface: &SkinSurface) -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    surface.mesh.edges().for_each(|edge| meet(surface, edge, &mut pairs));
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Adds the vertices that meet at the two ends of an edge, where two triangles that share no vertices there continue
/// each other. Layers (a cloth with an inside, a decal) are distinguished by direction: neighbours on one surface run
/// along their common edge in opposite directions.
fn meet(surface: &SkinSurface, edge: &[Side], out: &mut Vec<[u32; 2]>) {
    let mut open: Vec<([u32; 2], bool)> = Vec::new();
    for side in edge.iter().take(MOST_OPEN_SIDES * 2 + 1) {
        let (ends, forward) = (surface.mesh.side_vertices(*side), !side.is_back);
        // A side that two triangles share is closed already.
        match open.iter().position(|(other, _)| *other == ends) {
            Some(i) => drop(open.swap_remove(i)),
            None => open.push((ends, forward)),
        }
    }
    if edge.len() > MOST_OPEN_SIDES * 2 || open.len() > MOST_OPEN_SIDES {
        return;
    }
    let only_two = open.len() == 2;
    let weights: Vec<[_; 2]> = open.iter().map(|(ends, _)| ends.map(|v| surface.weights(v))).collect();
    for (i, (ends, forward)) in open.iter().enumerate() {
        let partners = || open.iter().enumerate().filter(|(j, o)| *j != i && (only_two || o.1 != *forward));
        for end in 0..2 {
            let agrees = |j: usize| difference(weights[i][end], weights[j][end]).is_empty();
            let partner = partners().find(|(j, _)| agrees(*j)).or_else(|| partners().next());
            if let Some((_, (other, _))) = partner.filter(|(_, o)| o.0[end] != ends[end]) {
                out.push([ends[end].min(other[end]), ends[end].max(other[end])]);
            }
        }
    }
}

/// Returns the joints whose shares of two vertices differ; none where one of them has no weights, which another rule
/// finds.
fn difference(a: &[(NodeId, f32)], b: &[(NodeId, f32)]) -> Vec<NodeId> {
    let sum = |list: &[(NodeId, f32)]| list.iter().map(|(_, w)| *w).sum::<f32>();
    let (of_a, of_b) = (sum(a), sum(b));
    if of_a <= 0.0 || of_b <= 0.0 {
        return Vec::new();
    }
    let share = |list: &[(NodeId, f32)], joint: NodeId, sum: f32| {
        list.binary_search_by_key(&joint, |(j, _)| *j).map_or(0.0, |i| list[i].1 / sum)
    };
    let mut joints: Vec<NodeId> = a.iter().chain(b).map(|(j, _)| *j).collect();
    joints.sort_unstable();
    joints.dedup();
    joints.retain(|j| (share(a, *j, of_a) - share(b, *j, of_b)).abs() > SAME_WEIGHT);
    joints
}
