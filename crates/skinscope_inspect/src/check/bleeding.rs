//! The rule about weights that bleed across a gap: a joint moves surface that lies beside its own, though the way there over the surface
//! is long. So a leg takes the other leg along, and a finger the one beside it.
//!
//! The surface of a joint is where no other joint has more weight. From there a walk over the edges of the surface measures how far each
//! other vertex is that the joint moves too, and the distance through the air is measured to the nearest vertex of the joint's surface.
//! Weights that fade out over the surface, however widely, are near by both; a vertex across a gap is near through the air alone. What
//! lies in another piece of the surface, as clothes do, is not judged.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use skinscope_base::math::{BoxTree, length};
use skinscope_model::{MeshId, NodeId};

use super::motion;
use super::region::Region;
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, SkinPart, SkinSurface, Subject};

/// The rule that finds weights across a gap.
pub(crate) static BLEEDING: Rule = Rule {
    id: "bleeding",
    label: "Weights across a gap",
    help: "A joint moves vertices near its own surface through the air, but far from it along the surface, as on the other leg",
    severity: Severity::Info,
    run: bleeding,
    overlay: Some("weights"),
    ranks_by_measure: true,
    repair: |_| Repair {
        may_be_meant: true,
        ..Repair::nearest("remove-joint", "The joint may be meant to move these vertices.")
    },
    ..Rule::ROW
};

/// Weights below this are traces of automatic weighting.
const TRACE: f32 = 0.04;
/// A part of a joint's surface with this share of the weight of the largest in the same piece is no accident.
const MAIN: f64 = 0.1;
/// How many times longer than through the air the way over the surface is.
const DETOUR: f32 = 4.0;
/// The least way over the surface, as a multiple of the usual distance of the joint's surface from its bones, which is the radius of a limb.
const LEAST_OF_RADIUS: f32 = 3.0;
/// The least way over the surface, as a share of the surface's size.
const LEAST_OF_SIZE: f32 = 0.03;
/// How many points of the surface are walked over for a joint: so many, and so many times those that it moves. What is not reached then
/// is as far as the last one was.
const WALKED: usize = 4096;
const WALKED_FOR_EACH: usize = 50;

/// The vertices of one primitive that a joint moves across a gap.
#[derive(Default)]
struct Across {
    vertices: Vec<u32>,
    strongest: f32,
    /// The longest way over the surface, and the distance through the air there, metres.
    longest: [f32; 2],
    /// The largest way · weight, metres, by which findings are ranked.
    rank: f32,
    pose: FindingPose,
}

fn bleeding(subject: &Subject, out: &mut Vec<Finding>) {
    let mut found: BTreeMap<(MeshId, usize, NodeId), Across> = BTreeMap::new();
    for surface in subject.surfaces() {
        let mut largest = vec![0.0_f32; surface.positions.len()];
        for (point, weight) in surface.joints.iter().flat_map(|(_, moved)| moved) {
            largest[*point as usize] = largest[*point as usize].max(*weight);
        }
        let mut walk = Walk::new(surface);
        for (joint, moved) in &surface.joints {
            if subject.is_cancelled() {
                return;
            }
            let own: Vec<(u32, f32)> = moved.iter().filter(|(p, w)| *w >= largest[*p as usize]).copied().collect();
            for far in walk.across_gaps(*joint, moved, &own) {
                list(subject, surface, *joint, &far, &mut found);
            }
        }
    }
    out.extend(found.into_iter().map(|(at, across)| finding(subject, at, across)));
}

/// A point of the surface that a joint moves across a gap, with the distances from the joint's own surface.
struct Far {
    point: u32,
    along: f32,
    through: f32,
}

/// A walk over the edges of a surface, from some of its points to others.
struct Walk<'a> {
    surface: &'a SkinSurface,
    /// The way to each point that was met; infinite for all others.
    along: Vec<f32>,
    met: Vec<u32>,
    /// The points to go on from, the nearest first: the bits of the way, which is not negative, and the point.
    open: BinaryHeap<Reverse<(u32, u32)>>,
    /// Zeros, for [`Region::all`].
    weights: Vec<f32>,
}

impl<'a> Walk<'a> {
    fn new(surface: &'a SkinSurface) -> Self {
        let points = surface.positions.len();
        Self {
            surface,
            along: vec![f32::INFINITY; points],
            met: Vec::new(),
            open: BinaryHeap::new(),
            weights: vec![0.0; points],
        }
    }

    /// Returns the points that a joint moves across a gap. `moved`: all that it moves ([`SkinSurface::joints`]); `own`: those of them where
    /// no other joint has more weight.
    fn across_gaps(&mut self, joint: NodeId, moved: &[(u32, f32)], own: &[(u32, f32)]) -> Vec<Far> {
        let surface = self.surface;
        let regions = Region::all(surface, joint, own, &mut self.weights);
        let (mut starts, mut radius) = (Vec::new(), 0.0_f32);
        for shell in regions.chunk_by(|a, b| a.shell == b.shell) {
            let largest = shell.iter().map(|region| region.mass).fold(0.0, f64::max);
            for region in shell.iter().filter(|region| region.mass >= largest * MAIN) {
                starts.extend(region.vertices.iter().map(|(point, _)| *point));
                radius = radius.max(region.typical);
            }
        }
        starts.sort_unstable();
        let has_own = |point: u32| {
            let shell = surface.shell[point as usize];
            regions.binary_search_by_key(&shell, |region| region.shell).is_ok()
        };
        let is_wanted =
            |(point, weight): &&(u32, f32)| *weight >= TRACE && has_own(*point) && starts.binary_search(point).is_err();
        let wanted: Vec<u32> = moved.iter().filter(is_wanted).map(|(point, _)| *point).collect();
        let ways = self.ways(&starts, &wanted, WALKED + WALKED_FOR_EACH * moved.len());
        let least = (surface.size * LEAST_OF_SIZE).max(radius * LEAST_OF_RADIUS);
        let far: Vec<(u32, f32)> = wanted.into_iter().zip(ways).filter(|(_, way)| *way >= least).collect();
        if far.is_empty() {
            return Vec::new();
        }
        let tree = BoxTree::of_points(starts.iter().map(|point| surface.positions[*point as usize]));
        let judged = far.into_iter().map(|(point, along)| {
            let at = surface.positions[point as usize].as_dvec3();
            let mut through = f64::INFINITY;
            tree.nearest(at, |item| {
                let start = surface.positions[starts[item as usize] as usize].as_dvec3();
                through = through.min(start.distance(at));
                through
            });
            Far { point, along, through: through as f32 }
        });
        judged.filter(|far| far.through * DETOUR <= far.along).collect()
    }

    /// Returns how long the way over the surface is from the nearest of `starts` to each of `wanted`, which rise. It ends after `most` points:
    /// what it has not reached then is as far as the last one.
    fn ways(&mut self, starts: &[u32], wanted: &[u32], most: usize) -> Vec<f32> {
        let surface = self.surface;
        let mut out = vec![f32::INFINITY; wanted.len()];
        let (mut left, mut walked, mut last) = (wanted.len(), 0, 0.0_f32);
        if left > 0 {
            starts.iter().for_each(|start| self.meet(*start, 0.0));
        }
        while left > 0
            && walked < most
            && let Some(Reverse((bits, point))) = self.open.pop()
        {
            let way = f32::from_bits(bits);
            if way > self.along[point as usize] {
                continue;
            }
            (walked, last) = (walked + 1, way);
            if let Ok(place) = wanted.binary_search(&point) {
                out[place] = way;
                left -= 1;
            }
            for next in surface.mesh.neighbours(point) {
                let [from, to] = [point, *next].map(|point| surface.positions[point as usize]);
                self.meet(*next, way + from.distance(to));
            }
        }
        self.open.clear();
        for point in self.met.drain(..) {
            self.along[point as usize] = f32::INFINITY;
        }
        out.into_iter().map(|way| if way.is_finite() { way } else { last }).collect()
    }

    /// Notes a way to a point, if it is the shortest so far.
    fn meet(&mut self, point: u32, way: f32) {
        let known = &mut self.along[point as usize];
        if way < *known {
            if known.is_infinite() {
                self.met.push(point);
            }
            *known = way;
            self.open.push(Reverse((way.to_bits(), point)));
        }
    }
}

/// Lists the stored vertices at a point that the joint moves. Vertices with broken weights are left to the rules about these.
fn list(
    subject: &Subject,
    surface: &SkinSurface,
    joint: NodeId,
    far: &Far,
    found: &mut BTreeMap<(MeshId, usize, NodeId), Across>,
) {
    for vertex in surface.mesh.members(far.point).iter().filter(|vertex| surface.is_sound(**vertex)) {
        let weight = surface.weights(*vertex).iter().find(|(node, _)| *node == joint).map_or(0.0, |(_, w)| *w);
        if weight < TRACE {
            continue;
        }
        let (part, stored) = surface.stored(*vertex);
        let SkinPart { mesh, primitive, .. } = *part;
        let across = found.entry((mesh, primitive, joint)).or_default();
        let [along, through] = [far.along, far.through].map(|units| units * surface.world_scale);
        across.vertices.push(stored);
        across.strongest = across.strongest.max(weight);
        if along > across.longest[0] {
            across.longest = [along, through];
        }
        if along * weight > across.rank {
            across.rank = along * weight;
            across.pose = motion::shown_by(subject, surface, *vertex, joint);
        }
    }
}

fn finding(subject: &Subject, (mesh, primitive, joint): (MeshId, usize, NodeId), mut across: Across) -> Finding {
    across.vertices.sort_unstable();
    across.vertices.dedup();
    let (n, [along, through]) = (across.vertices.len(), across.longest.map(f64::from));
    Finding {
        rule: BLEEDING.id,
        severity: BLEEDING.severity,
        mesh: Some(mesh),
        primitive: Some(primitive),
        vertices: across.vertices,
        joints: vec![joint],
        message: format!(
            "{n} {} moved by {} across a gap, with weights up to {:.2}: the surface that follows it is {} away through the air, but {} \
             along the surface. It may be meant.",
            if n == 1 { "vertex is" } else { "vertices are" },
            subject.name(joint),
            across.strongest,
            length(through),
            length(along),
        ),
        fix: "Look at the pose with this joint turned; if nothing should follow it there, take its weight off.".into(),
        measure: Some(Measure { what: "way times weight", value: f64::from(across.rank) * 1e3, unit: "mm" }),
        pose: across.pose,
    }
}
