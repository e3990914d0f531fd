//! The rule about rogue vertices: islands of a joint's vertices, cut off from the region that it moves.
//!
//! After Weber's rogue removal (Weber, "Run-Time Skin Deformation", GDC 2000): of all vertices of a joint, those that a
//! flood over the surface reaches from the one nearest to its bone are right; the others were given to it by mistake.
//! Clean rigs have islands too, and these are accepted: those that lie as near to the bone as the rest does, a second
//! region as large as the first, traces that are too light to be seen, and regions that make up a shell of their own.

use std::collections::{BTreeMap, HashSet};

use skinscope_base::math::length;
use skinscope_model::{MeshId, NodeId};

use super::motion;
use super::region::Region;
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, SkinPart, SkinSurface, Subject};

/// The rule that finds rogue vertices.
pub static ROGUE: Rule = Rule {
    id: "rogue-vertices",
    label: "Rogue vertices",
    help: "Vertices of a joint that are cut off from where it moves the surface around its bone",
    severity: Severity::Warning,
    run: rogues,
    overlay: Some("rogue"),
    repair: |_| Repair::SOUND,
    ..Rule::ROW
};

/// Weights below this are traces of automatic weighting: they move a vertex, but nobody sees it.
const TRACE: f32 = 0.02;
/// Weights below this, one vertex beyond the border of a region, are left over from cutting to four influences.
const FRAYED: f32 = 0.1;
/// A region with this share of the largest one's weight is no accident.
const SECOND: f64 = 0.25;
/// The region nearest to the bone is the right one if it has this share of the largest one's weight.
const SEED: f64 = 0.1;
/// In a shell in which the joint has no main region, islands with more than this share of the welded vertices are meant.
const SHARE_OF_SHELL: f64 = 0.05;

/// The rogue vertices of one primitive and joint.
#[derive(Default)]
struct Rogues {
    vertices: Vec<u32>,
    strongest: f32,
    /// The greatest distance from the bone, metres.
    farthest: f32,
    pose: FindingPose,
}

fn rogues(subject: &Subject, out: &mut Vec<Finding>) {
    let mut found: BTreeMap<(MeshId, usize, NodeId), Rogues> = BTreeMap::new();
    for surface in subject.surfaces() {
        let mut shell_sizes = vec![0_usize; surface.shell.iter().max().map_or(0, |s| *s as usize + 1)];
        surface.shell.iter().for_each(|s| shell_sizes[*s as usize] += 1);
        let mut weights = vec![0.0; surface.positions.len()];
        for (node, moved) in &surface.joints {
            if subject.is_cancelled() {
                return;
            }
            let regions = Region::all(surface, *node, moved, &mut weights);
            for region in rogue_regions(surface, &regions, &shell_sizes) {
                list(subject, surface, *node, region, &mut found);
            }
        }
    }
    out.extend(found.into_iter().map(|(at, rogues)| finding(subject, at, rogues)));
}

/// Returns the regions of a joint that are there by mistake.
fn rogue_regions<'r>(surface: &SkinSurface, regions: &'r [Region], shell_sizes: &[usize]) -> Vec<&'r Region> {
    let Some(home) = seeded(regions.iter()) else { return Vec::new() };
    let mut out = Vec::new();
    for shell in regions.chunk_by(|a, b| a.shell == b.shell) {
        let Some(main) = seeded(shell.iter()) else { continue };
        let fringe = if shell.len() > 1 { main.fringe(surface) } else { HashSet::new() };
        for region in shell.iter().filter(|r| r.strongest >= TRACE) {
            // A region is accepted that lies around the same bone, cut off by a joint in between, or that is a trace
            // within the reach of the joint.
            let around = region.nearest <= main.nearest * 2.0;
            let within = region.strongest < FRAYED && region.nearest <= main.typical;
            let second = region.mass >= main.mass * SECOND && region.nearest <= main.farthest;
            let frayed = region.strongest < FRAYED && region.touches(surface, &fringe);
            let at_home = shell.iter().any(|r| std::ptr::eq(r, home)) || main.mass >= home.mass * SECOND;
            let rogue = if at_home {
                !std::ptr::eq(region, main) && !around && !within && !second && !frayed
            } else {
                strayed(region, home, shell_sizes)
            };
            if rogue && !region.is_torn(surface) {
                out.push(region);
            }
        }
    }
    out
}

/// Returns whether a region in a shell without a main one is a few stray vertices: far beyond everything else that the
/// joint moves.
fn strayed(region: &Region, home: &Region, shell_sizes: &[usize]) -> bool {
    let share = region.vertices.len() as f64 / shell_sizes[region.shell as usize] as f64;
    share <= SHARE_OF_SHELL && region.strongest >= FRAYED && region.nearest > home.farthest * 1.5
}

/// Returns the region from which the flood starts: the one nearest to the bone, unless it is small compared with the largest.
fn seeded<'r>(regions: impl Iterator<Item = &'r Region> + Clone) -> Option<&'r Region> {
    let largest = regions.clone().max_by(|a, b| a.mass.total_cmp(&b.mass))?;
    let worthy = regions.filter(|r| r.mass >= largest.mass * SEED);
    worthy.min_by(|a, b| a.nearest.total_cmp(&b.nearest)).or(Some(largest))
}

/// Lists every stored vertex of a region that the joint moves. A vertex at the same position that it does not move is torn
/// from it, which another rule finds.
fn list(
    subject: &Subject,
    surface: &SkinSurface,
    node: NodeId,
    region: &Region,
    found: &mut BTreeMap<(MeshId, usize, NodeId), Rogues>,
) {
    for (welded, _) in &region.vertices {
        let moved = |v: &&u32| surface.weights(**v).iter().any(|(joint, weight)| *joint == node && *weight > 0.0);
        for vertex in surface.mesh.members(*welded).iter().filter(moved) {
            let (part, stored) = surface.stored(*vertex);
            let SkinPart { mesh, primitive, .. } = *part;
            let rogues = found.entry((mesh, primitive, node)).or_default();
            rogues.vertices.push(stored);
            if region.strongest > rogues.strongest {
                rogues.strongest = region.strongest;
                rogues.pose = region
                    .strongest_vertex(surface, node)
                    .map_or(FindingPose::Rest, |v| motion::shown_by(subject, surface, v, node));
            }
            rogues.farthest = rogues.farthest.max(region.farthest * surface.world_scale);
        }
    }
}

fn finding(subject: &Subject, (mesh, primitive, joint): (MeshId, usize, NodeId), mut rogues: Rogues) -> Finding {
    rogues.vertices.sort_unstable();
    rogues.vertices.dedup();
    let (n, name) = (rogues.vertices.len(), subject.name(joint));
    let (are, torn) = match n {
        1 => ("vertex is", "it is pulled out of its"),
        _ => ("vertices are", "they are pulled out of their"),
    };
    Finding {
        rule: ROGUE.id,
        severity: ROGUE.severity,
        mesh: Some(mesh),
        primitive: Some(primitive),
        vertices: rogues.vertices,
        joints: vec![joint],
        message: format!(
            "{n} {are} moved by {name} (weights up to {:.2}), though no surface that it moves leads there from its \
             bone, up to {} away: when the joint turns, {torn} surroundings.",
            rogues.strongest,
            length(rogues.farthest.into()),
        ),
        fix: "Take this joint off them and give them the joints of the vertices around them.".into(),
        measure: Some(Measure { what: "largest weight", value: f64::from(rogues.strongest), unit: "" }),
        pose: rogues.pose,
    }
}
