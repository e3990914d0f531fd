//! The rule that finds joints that move vertices of another limb.

use std::collections::BTreeMap;

use skinscope_base::math::length;
use skinscope_model::{MeshId, Model, NodeId};

use super::motion;
use super::region::from_bones;
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, SkinPart, SkinSurface, Subject};

/// The rule that finds vertices that a joint moves from afar.
pub static FAR: Rule = Rule {
    id: "far-influence",
    label: "Influence from afar",
    help: "A joint of another limb moves vertices, far away in space and in the hierarchy",
    severity: Severity::Info,
    run: far,
    overlay: Some("weights"),
    ranks_by_measure: true,
    repair: |_| Repair {
        may_be_meant: true,
        ..Repair::nearest("remove-joint", "The joint may be meant to move these vertices.")
    },
    ..Rule::ROW
};

/// Joints that are fewer steps apart than this are near relatives.
const STEPS: usize = 3;
/// The distance from which on a joint is far in space, as a share of the surface's size.
const FAR_OF_SIZE: f32 = 0.12;
/// The distance from which on a joint is far in space, as a multiple of the usual distance of its vertices from its
/// bones.
const FAR_OF_REACH: f32 = 3.0;
/// How many welded vertices are searched for the joint that the vertices around follow.
const AROUND: usize = 64;
/// Weights below this are traces of automatic weighting.
const TRACE: f32 = 0.04;

/// The vertices of one primitive that a joint moves from afar.
#[derive(Default)]
struct Far {
    vertices: Vec<u32>,
    /// How many of them follow each other joint most.
    owners: BTreeMap<NodeId, usize>,
    /// The largest distance from the joint's bones, metres.
    farthest: f32,
    strongest: f32,
    /// The largest distance · weight, metres, by which findings are ranked.
    rank: f32,
    pose: FindingPose,
}

fn far(subject: &Subject, out: &mut Vec<Finding>) {
    let tree = Tree::new(subject.model);
    let mut found: BTreeMap<(MeshId, usize, NodeId), Far> = BTreeMap::new();
    for surface in subject.surfaces() {
        look(subject, surface, &tree, &mut found);
    }
    out.extend(found.into_iter().map(|(at, far)| finding(subject, at, far)));
}

fn look(subject: &Subject, surface: &SkinSurface, tree: &Tree, found: &mut BTreeMap<(MeshId, usize, NodeId), Far>) {
    for (joint, moved) in &surface.joints {
        if subject.is_cancelled() {
            return;
        }
        let bones = surface.bones_of(*joint);
        let distance = |welded: u32| from_bones(bones, surface.positions[welded as usize]);
        let usual = reach(moved.iter().map(|(welded, weight)| (distance(*welded), *weight)).collect());
        for (welded, strongest) in moved {
            let from_bone = distance(*welded);
            let is_near = from_bone < surface.size * FAR_OF_SIZE || from_bone < usual * FAR_OF_REACH;
            if *strongest < TRACE || is_near {
                continue;
            }
            let Some(owner) = owner(surface, *welded, *joint).filter(|owner| tree.is_far(*joint, *owner)) else {
                continue;
            };
            let metres = from_bone * surface.world_scale;
            for vertex in surface.mesh.members(*welded) {
                let weight = surface.weights(*vertex).iter().find(|(j, _)| j == joint).map_or(0.0, |(_, w)| *w);
                if weight < TRACE {
                    continue;
                }
                let (part, stored) = surface.stored(*vertex);
                let SkinPart { mesh, primitive, .. } = *part;
                let far = found.entry((mesh, primitive, *joint)).or_default();
                far.vertices.push(stored);
                *far.owners.entry(owner).or_default() += 1;
                far.farthest = far.farthest.max(metres);
                far.strongest = far.strongest.max(weight);
                if metres * weight > far.rank {
                    far.rank = metres * weight;
                    far.pose = motion::shown_by(subject, surface, *vertex, *joint);
                }
            }
        }
    }
}

/// Returns the joint that a welded vertex belongs to, if it is not `joint`: the heaviest other one there, or of the nearest
/// welded vertices around it. `None` where everything around follows `joint` alone, which makes it a part of its own and not
/// another limb's.
fn owner(surface: &SkinSurface, welded: u32, joint: NodeId) -> Option<NodeId> {
    let mut seen = vec![welded];
    let mut next = 0;
    while next < seen.len() {
        let weights = surface.mesh.members(seen[next]).iter().flat_map(|v| surface.weights(*v));
        let heaviest = weights.filter(|(j, _)| *j != joint).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((owner, _)) = heaviest {
            return Some(*owner);
        }
        for to in surface.mesh.neighbours(seen[next]).iter().take(AROUND) {
            if seen.len() < AROUND && !seen.contains(to) {
                seen.push(*to);
            }
        }
        next += 1;
    }
    None
}

/// Returns the usual distance of a joint's vertices from its bones: a quarter of its weight lies within it.
fn reach(mut moved: Vec<(f32, f32)>) -> f32 {
    moved.sort_by(|a, b| a.0.total_cmp(&b.0));
    let part: f32 = moved.iter().map(|m| m.1).sum::<f32>() / 4.0;
    let mut sum = 0.0;
    let reaches = |(_, weight): &&(f32, f32)| {
        sum += weight;
        sum >= part
    };
    moved.iter().find(reaches).map_or(0.0, |m| m.0)
}

fn finding(subject: &Subject, (mesh, primitive, joint): (MeshId, usize, NodeId), mut far: Far) -> Finding {
    far.vertices.sort_unstable();
    far.vertices.dedup();
    let owner = far.owners.iter().max_by_key(|(_, n)| **n).map_or(joint, |(owner, _)| *owner);
    let (n, more) = (far.vertices.len(), far.owners.len() > 1);
    let vertices = if n == 1 { "vertex" } else { "vertices" };
    let are = if n == 1 { "is" } else { "are" };
    Finding {
        rule: FAR.id,
        severity: FAR.severity,
        mesh: Some(mesh),
        primitive: Some(primitive),
        vertices: far.vertices,
        joints: vec![joint],
        message: format!(
            "{n} {vertices} of {}{} {are} also moved by {}, {} away, with weights up to {:.2}. It may be meant.",
            subject.name(owner),
            if more { " and others" } else { "" },
            subject.name(joint),
            length(far.farthest.into()),
            far.strongest,
        ),
        fix: "Look at the pose with this joint turned; if nothing should follow it there, take its weight off.".into(),
        measure: Some(Measure { what: "distance times weight", value: f64::from(far.rank) * 1e3, unit: "mm" }),
        pose: far.pose,
    }
}

/// The hierarchy of joints, without the nodes between them.
struct Tree {
    above: Vec<Option<NodeId>>,
    depth: Vec<usize>,
    /// For each node: the first joint of the chain without forks that it belongs to.
    limb: Vec<usize>,
}

impl Tree {
    fn new(model: &Model) -> Self {
        let count = model.skeleton.len();
        let mut out = Self { above: Vec::with_capacity(count), depth: Vec::with_capacity(count), limb: Vec::new() };
        let mut below = vec![0_usize; count];
        for (node, parent) in model.skeleton.parents.iter().enumerate() {
            let joint = parent.filter(|p| model.is_joint(*p));
            let above = joint.or_else(|| parent.and_then(|p| out.above[p.index()]));
            if let Some(above) = above.filter(|_| model.is_joint(NodeId::from_index(node))) {
                below[above.index()] += 1;
            }
            out.depth.push(above.map_or(0, |a| out.depth[a.index()] + 1));
            out.above.push(above);
        }
        for (node, above) in out.above.iter().enumerate() {
            let goes_on = above.filter(|a| below[a.index()] == 1);
            let limb = goes_on.map_or(node, |a| out.limb[a.index()]);
            out.limb.push(limb);
        }
        out
    }

    /// Returns whether the way from one joint to the other through the tree is long and passes a fork: a chain without
    /// forks is one limb, however many joints it has. Roots are siblings.
    fn is_far(&self, a: NodeId, b: NodeId) -> bool {
        if self.limb[a.index()] == self.limb[b.index()] {
            return false;
        }
        let (mut a, mut b) = (Some(a), Some(b));
        for _ in 0..STEPS - 1 {
            let depth = |n: Option<NodeId>| n.map(|n| self.depth[n.index()]);
            let lower = if depth(a) >= depth(b) { &mut a } else { &mut b };
            *lower = lower.and_then(|node| self.above[node.index()]);
            if a == b {
                return false;
            }
        }
        true
    }
}
