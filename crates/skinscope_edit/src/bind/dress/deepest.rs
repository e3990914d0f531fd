//! How much deeper a garment goes into its body when the body moves: in the moments of the body's clips, and with each of its joints turned.
//!
//! Every vertex is compared with the closest point of that part of the body near which it rests. Where the body goes into itself, as an arm
//! that is laid on the chest does, the sleeve is measured against the arm. Both are moved by linear blending, without morph targets.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{DAffine3, DVec3, Quat};
use skinscope_anim::{SampleScratch, evaluate_clip};
use skinscope_base::parallel::{self, JobContext};
use skinscope_inspect::check::FindingPose;
use skinscope_inspect::rom::{self, RomOptions};
use skinscope_model::{LocalPose, MeshId, Model, NodeId, PrimitiveId};
use skinscope_weights::Shares;

use super::body::{BodySurface, Depth, motion, moved};

/// A vertex of a garment.
#[derive(Clone, Debug)]
pub(super) struct Worn {
    /// Its primitive, and its number there.
    pub at: (PrimitiveId, usize),
    /// Where it is worn at rest, in the world of the body.
    pub rest: DVec3,
    /// Where that is in the body.
    pub depth: Depth,
    /// The nodes of the body that it follows.
    pub shares: Shares,
}

/// The pose in which a vertex of the garment is deepest in the body, compared with the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    /// By how much deeper it is than at rest, in percent of the body's size: the diagonal of the box around it.
    pub percent: f64,
    /// The pose of the body.
    pub pose: FindingPose,
    /// The vertex: its primitive, and its number there.
    pub at: (PrimitiveId, usize),
}

/// The deepest vertex of each mesh that has one.
pub(super) type DeepestOfMeshes = BTreeMap<MeshId, Deepest>;

/// What was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Depths {
    /// The deepest vertex in the clips of the body; `None`: it has none, or none takes any vertex deeper.
    pub in_clips: Option<Deepest>,
    /// How many moments of clips were compared.
    pub moments: usize,
    /// The deepest vertex with one joint of the body turned; `None`: none takes any vertex deeper.
    pub turned: Option<Deepest>,
    /// How many such poses were compared.
    pub turns: usize,
}

/// A vertex counts with the part of the body that rests no farther from it than its own distance and this share of the size.
const AROUND: f64 = 0.1;
/// The angle to which each joint is turned to both sides about each of its axes, degrees.
const TURN: f32 = 60.0;
/// The most poses of clips, and of turned joints, that are compared.
const MOST: usize = 160;
/// So many poses are compared however many vertices a garment has.
const LEAST: usize = 24;
/// About so many times a vertex is compared, where that leaves poses enough.
const WORK: usize = 600_000;
/// Shares that differ by less count as equal.
const SAME: f64 = 1e-6;

/// Measures a garment in the poses of its body, and each of its meshes in clips and with joints turned; `None` where that was cancelled.
pub(super) fn measure(
    body: &Model,
    surface: &BodySurface,
    worn: &[Worn],
    context: &JobContext,
) -> Option<(Depths, [DeepestOfMeshes; 2])> {
    let most = (WORK / worn.len().max(1)).clamp(LEAST, MOST);
    let thinned = |options: &RomOptions, most: usize| -> Vec<FindingPose> {
        let plan = rom::plan(body, options);
        plan.all().step_by(plan.poses().div_ceil(most).max(1)).collect()
    };
    let usual = RomOptions::default();
    let clips = thinned(&RomOptions { clips: true, ..usual }, most);
    let turns = thinned(&RomOptions { degrees: TURN, step_degrees: TURN, clips: false, ..usual }, 2 * most);
    let wearing =
        Wearing { body, surface, worn, rest: body.skeleton.worlds(&body.skeleton.rest), size: surface.size() };
    let in_clips = wearing.deepest(&clips, &context.part(0.0, 0.5))?;
    let turned = wearing.deepest(&turns, &context.part(0.5, 1.0))?;
    let [deepest, most_turned] = [&in_clips, &turned].map(|found| greatest(found.values().copied()));
    let depths = Depths { in_clips: deepest, moments: clips.len(), turned: most_turned, turns: turns.len() };
    Some((depths, [in_clips, turned]))
}

/// A body that wears a garment.
struct Wearing<'a> {
    body: &'a Model,
    surface: &'a BodySurface,
    worn: &'a [Worn],
    rest: Vec<DAffine3>,
    size: f64,
}

impl Wearing<'_> {
    /// Returns the deepest vertex of each mesh in all poses, the first of equal ones; none of a mesh that is nowhere deeper than at rest.
    fn deepest(&self, poses: &[FindingPose], context: &JobContext) -> Option<DeepestOfMeshes> {
        let all = parallel::map(poses.len(), context.cancel_flag(), &|index| self.in_pose(poses[index]))?;
        let mut best = DeepestOfMeshes::new();
        for found in all.into_iter().flatten() {
            let known = best.entry(found.at.0.mesh).or_insert(found);
            if found.percent > known.percent {
                *known = found;
            }
        }
        context.set_fraction(1.0);
        Some(best)
    }

    /// Returns the deepest vertex of each mesh in a pose; none of a mesh that is nowhere deeper than at rest.
    fn in_pose(&self, pose: FindingPose) -> Vec<Deepest> {
        let moves = motion(self.body, &self.rest, &self.local(pose));
        let posed = self.surface.posed(&moves);
        let below = match pose {
            FindingPose::Turned { joint, .. } => Some(joint.index()..self.body.skeleton.subtree_end(joint)),
            _ => None,
        };
        let mut best: BTreeMap<MeshId, (f64, &Worn)> = BTreeMap::new();
        for worn in self.worn.iter().filter(|worn| below.as_ref().is_none_or(|below| self.bends(worn, below))) {
            let at = moved(worn.rest, &worn.shares, &moves);
            let reach = worn.depth.distance + AROUND * self.size;
            let counts = |triangle: u32| self.surface.middle(triangle).distance(worn.rest) <= reach;
            // The triangle that is closest at rest counts however large it is.
            let counts = |triangle: u32| triangle == worn.depth.triangle || counts(triangle);
            let Some(depth) = posed.depth(at, &counts) else { continue };
            let deeper = depth.inside() - worn.depth.inside();
            let mesh = worn.at.0.mesh;
            if deeper > best.get(&mesh).map_or(0.0, |(most, _)| *most) {
                best.insert(mesh, (deeper, worn));
            }
        }
        let found = |(deeper, worn): (f64, &Worn)| Deepest { percent: 100.0 * deeper / self.size, pose, at: worn.at };
        best.into_values().map(found).collect()
    }

    /// Returns the local transforms of the body in a pose.
    fn local(&self, pose: FindingPose) -> LocalPose {
        let mut local = self.body.skeleton.rest.clone();
        match pose {
            FindingPose::Rest => {}
            FindingPose::Turned { joint, axis, angle } => {
                let turned = &mut local.transforms[joint.index()];
                turned.rotation = (turned.rotation * Quat::from_axis_angle(axis, angle)).normalize();
            }
            FindingPose::Clip { clip, time_secs } => {
                let (mut scratch, mut nodes) = (SampleScratch::default(), Vec::new());
                let clip = &self.body.clips[clip.index()];
                evaluate_clip(self.body, clip, time_secs, &mut scratch, &mut local, &mut nodes);
            }
        }
        local
    }

    /// Returns whether a vertex may be at another depth than at rest where the nodes `below` a joint are turned with it: what lies rigidly on a
    /// part of the body that moves as a whole is not.
    fn bends(&self, worn: &Worn, below: &Range<usize>) -> bool {
        let part = |shares: &Shares| -> f64 {
            shares.iter().filter(|(node, _)| below.contains(&(*node as usize))).map(|(_, share)| share).sum()
        };
        let own = part(&worn.shares);
        let is_whole = !(SAME..=1.0 - SAME).contains(&own);
        !is_whole || self.surface.corners(worn.depth.triangle).iter().any(|corner| (part(corner) - own).abs() > SAME)
    }
}

/// Returns the deepest of some vertices, of equal ones the first.
pub(super) fn greatest(all: impl Iterator<Item = Deepest>) -> Option<Deepest> {
    all.fold(None, |best: Option<Deepest>, found| match best {
        Some(best) if best.percent >= found.percent => Some(best),
        _ => Some(found),
    })
}

/// Returns the name of what moves the body in a pose, a clip or a joint, with the time or the angle in degrees.
#[must_use]
pub fn words_of_pose(body: &Model, pose: FindingPose) -> (String, f64) {
    let name = |node: NodeId| body.skeleton.names.get(node.index()).cloned().unwrap_or_default();
    match pose {
        FindingPose::Rest => (String::new(), 0.0),
        FindingPose::Turned { joint, angle, .. } => (name(joint), (1e3 * f64::from(angle).to_degrees()).round() / 1e3),
        FindingPose::Clip { clip, time_secs } => {
            let clip = body.clips.get(clip.index()).map(|clip| clip.name.clone());
            (clip.unwrap_or_default(), f64::from(time_secs))
        }
    }
}
