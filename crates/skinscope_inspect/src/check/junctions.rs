//! The rule about T-junctions: a vertex on the edge of a triangle that does not have it as a corner.
//!
//! After skinning the vertex "does not necessarily transform to a position on the line segment", and so a crack
//! appears: the book chapter on smooth skinning names T-intersections as what a skin must not have. Vertex and edge lie
//! on open edges of the welded surface: where the triangles on both sides of an edge share its ends, nothing can open.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use skinscope_base::math::{BoxTree, length};
use skinscope_deform::Side;
use skinscope_model::{NodeId, PrimitiveId};

use super::motion::{self, Gap, Point};
use super::near_segment::near_segment;
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, SkinPart, SkinSurface, Subject};

/// The rule that finds T-junctions that open into cracks.
pub(crate) static JUNCTION: Rule = Rule {
    id: "t-junction",
    label: "T-junction",
    help: "A vertex lies on the edge of another triangle, and a crack opens there under motion",
    severity: Severity::Warning,
    run: junctions,
    overlay: Some("weights"),
    repair: |_| {
        let why = "Only another mesh, or one joint for the whole edge, closes the crack. Smoothing makes it narrower, and the finding stays.";
        Repair::nearest("smooth", why)
    },
    ..Rule::ROW
};

/// A vertex that is nearer to an edge than this lies on it, as a share of the surface's size.
const ON_EDGE: f32 = 2e-5;
/// Cracks that stay narrower than this are ignored, as a share of the surface's size.
const NO_CRACK: f32 = 1e-4;
/// The least cosine of the angle between an edge and another one that runs along it.
const ALONG: f32 = 0.999;
/// The most edges that one vertex is tried with: more than a few pass only where vertices are heaped on each other.
const TRIES: u8 = 32;
/// The most edges that one vertex is reported to lie on.
const EDGES: u8 = 4;

/// The cracks of a primitive.
#[derive(Default)]
struct Cracked {
    vertices: BTreeSet<u32>,
    joints: BTreeSet<NodeId>,
    widest: f32,
    pose: FindingPose,
}

fn junctions(subject: &Subject, out: &mut Vec<Finding>) {
    let mut cracked: BTreeMap<PrimitiveId, Cracked> = BTreeMap::new();
    for surface in subject.surfaces() {
        let mut found = candidates(subject, surface);
        found.retain(|(vertex, side)| {
            surface.is_sound(*vertex) && surface.mesh.side_vertices(*side).iter().all(|v| surface.is_sound(*v))
        });
        let gap = |(vertex, side): &(u32, Side)| {
            let [a, b] = surface.mesh.side_vertices(*side);
            Gap::FromEdge([a, b, *vertex].map(|v| Point::new(subject, surface, v)))
        };
        let gaps: Vec<Gap> = found.iter().map(gap).collect();
        for ((vertex, side), (width, pose)) in found.iter().zip(motion::widest(subject, &gaps)) {
            if width <= surface.size * surface.world_scale * NO_CRACK {
                continue;
            }
            let (part, stored) = surface.stored(*vertex);
            let SkinPart { mesh, primitive, .. } = *part;
            let cracked = cracked.entry(PrimitiveId { mesh, primitive }).or_default();
            cracked.vertices.insert(stored);
            let [a, b] = surface.mesh.side_vertices(*side);
            cracked
                .joints
                .extend([a, b, *vertex].into_iter().flat_map(|v| surface.weights(v)).map(|(joint, _)| *joint));
            if width > cracked.widest {
                (cracked.widest, cracked.pose) = (width, pose);
            }
        }
    }
    out.extend(cracked.into_iter().map(|(primitive, cracked)| finding(primitive, cracked)));
}

fn finding(PrimitiveId { mesh, primitive }: PrimitiveId, cracked: Cracked) -> Finding {
    let n = cracked.vertices.len();
    let (lie, them, part) = match n {
        1 => ("vertex lies", "it", "it parts from the edge"),
        _ => ("vertices lie", "them", "they part from the edge"),
    };
    let millimetres = f64::from(cracked.widest) * 1e3;
    Finding {
        rule: JUNCTION.id,
        severity: JUNCTION.severity,
        mesh: Some(mesh),
        primitive: Some(primitive),
        message: format!(
            "{n} {lie} on the edge of a triangle that does not share {them}: under motion {part}, and a \
             crack of up to {} opens.",
            length(cracked.widest.into())
        ),
        fix: "Split that triangle at the vertex, or take the vertex out.".into(),
        vertices: cracked.vertices.into_iter().collect(),
        joints: cracked.joints.into_iter().collect(),
        measure: Some(Measure { what: "widest crack", value: millimetres, unit: "mm" }),
        pose: cracked.pose,
    }
}

/// Returns numbered vertices and the open side that each lies on, sorted.
fn candidates(subject: &Subject, surface: &SkinSurface) -> Vec<(u32, Side)> {
    let open: Vec<Side> = surface.mesh.edges().filter(|e| e.len() == 1).map(|e| e[0]).collect();
    let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for [a, b] in open.iter().map(|s| s.ends) {
        around.entry(a).or_default().push(b);
        around.entry(b).or_default().push(a);
    }
    let welded_vertices: Vec<u32> = around.keys().copied().collect();
    let at = |welded: u32| surface.positions[welded as usize];
    let points: Vec<Vec3> = welded_vertices.iter().map(|welded| at(*welded)).collect();
    let mut tree = BoxTree::of_points(points.iter().copied());
    let near = surface.size * ON_EDGE;
    // How often each vertex was tried, and found on an edge.
    let mut tries = vec![(0_u8, 0_u8); welded_vertices.len()];
    let mut out = Vec::new();
    for side in open {
        if subject.is_cancelled() {
            return Vec::new();
        }
        let [a, b] = side.ends.map(at);
        let along = (b - a).normalize_or_zero();
        near_segment(&mut tree, &points, [a, b], near, |i| {
            let (welded, p) = (welded_vertices[i], points[i]);
            if side.ends.contains(&welded) {
                return true;
            }
            tries[i].0 += 1;
            // The border of the vertex must run along this edge: else a corner merely touches it.
            let runs = |to: &u32| (at(*to) - p).normalize_or(Vec3::ZERO).dot(along).abs() >= ALONG;
            let is_end = p.distance(a) <= near || p.distance(b) <= near;
            if !is_end && around[&welded].iter().any(runs) {
                tries[i].1 += 1;
                out.extend(surface.mesh.members(welded).iter().map(|v| (*v, side)));
            }
            tries[i].0 < TRIES && tries[i].1 < EDGES
        });
    }
    out.sort_by_key(|(vertex, side)| (*vertex, side.ends));
    out
}
