//! Compares the rest poses of two characters: their directions, their sizes, and whether the poses are the same.

use glam::{DAffine3, DQuat, DVec2, DVec3};
use skinscope_model::{HumanoidRig, Model, NodeId};

/// How far joints of one rest pose may lie apart, as a share of the size of the figure.
const NEAR: f64 = 1e-3;

/// A figure in another rest pose counts as turned from this angle on, radians; below that its limbs are what differs.
const TURNED: f64 = 0.35;

/// The correlation of the joints' positions on the ground, 0…1, from which on it says where a figure in another pose faces.
const CLEAR: f64 = 0.8;

/// A humanoid counts as facing along an axis of the world from this angle on, radians.
const NEAR_AXIS: f64 = 0.09;

/// The lowest part of a humanoid stands on the ground where it is at most this share of the length of its legs away.
const GROUND: f64 = 0.25;

/// The rest pose of one model in comparison with that of another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// The rotation about +Y that makes the other model face as this one does.
    pub facing: DQuat,
    /// The size of this model over that of the other one.
    pub ratio: f64,
    /// Whether both have the same rest pose: counterparts have the same position, except for size, position and
    /// direction of the whole model.
    pub is_one_pose: bool,
}

impl Standing {
    /// Compares the worlds of two rest poses; `other` has for each node of `to` its counterpart in `from`.
    pub fn of([from, to]: [&Model; 2], other: &[Option<usize>], theirs: &[DAffine3], ours: &[DAffine3]) -> Self {
        let pairs = positions([from, to], other, theirs, ours);
        let (mut facing, is_one_pose) = facing(&pairs);
        let sides = |model: &Model, world: &[DAffine3]| model.rig().and_then(|rig| to_the_left(rig, world));
        if let Some((there, here)) = sides(from, theirs).zip(sides(to, ours)).filter(|_| !is_one_pose) {
            facing = between(there, here);
        }
        Self { facing, ratio: ratio([from, to], other, theirs, ours), is_one_pose }
    }
}

/// Returns where joints rest that are counterparts, there and here, from the middles of both; all nodes where no skin has them.
fn positions(
    [from, to]: [&Model; 2],
    other: &[Option<usize>],
    theirs: &[DAffine3],
    ours: &[DAffine3],
) -> Vec<(DVec3, DVec3)> {
    let pairs = || other.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?)));
    let is_here = |(i, _): &(usize, usize)| to.is_joint(NodeId::from_index(*i));
    let is_there = |(_, j): &(usize, usize)| from.is_joint(NodeId::from_index(*j));
    let chosen: Vec<(usize, usize)> = match (pairs().any(|p| is_here(&p)), pairs().any(|p| is_there(&p))) {
        (true, _) => pairs().filter(is_here).collect(),
        (false, true) => pairs().filter(is_there).collect(),
        (false, false) => pairs().collect(),
    };
    let positions = chosen.into_iter().map(|(i, j)| (theirs[j].translation, ours[i].translation));
    let mut out: Vec<(DVec3, DVec3)> = positions.filter(|(a, b)| a.is_finite() && b.is_finite()).collect();
    let count = out.len().max(1) as f64;
    let middle = out.iter().fold((DVec3::ZERO, DVec3::ZERO), |sum, (a, b)| (sum.0 + *a / count, sum.1 + *b / count));
    out.iter_mut().for_each(|(a, b)| (*a, *b) = (*a - middle.0, *b - middle.1));
    out
}

/// Returns the rotation about +Y that brings the first positions nearest to the second ones (the Procrustes problem in
/// the plane), where that is clear, and whether they then coincide except for size.
fn facing(positions: &[(DVec3, DVec3)]) -> (DQuat, bool) {
    let sum = |of: &dyn Fn(&(DVec3, DVec3)) -> f64| positions.iter().map(of).sum::<f64>();
    let (theirs, ours) = (sum(&|(a, _)| a.length_squared()), sum(&|(_, b)| b.length_squared()));
    if !(theirs > 0.0 && ours > 0.0) {
        return (DQuat::IDENTITY, false);
    }
    let scale = (ours / theirs).sqrt();
    let size = positions.iter().map(|(_, b)| b.length()).fold(0.0, f64::max);
    let fits = |turn: DQuat| positions.iter().all(|(a, b)| (turn * *a * scale).distance(*b) <= NEAR * size);
    if fits(DQuat::IDENTITY) {
        return (DQuat::IDENTITY, true);
    }
    let flat = |v: DVec3| DVec2::new(v.x, v.z);
    let cos = sum(&|(a, b)| flat(*a).dot(flat(*b)));
    let sin = sum(&|(a, b)| b.x * a.z - b.z * a.x);
    let most = (sum(&|(a, _)| flat(*a).length_squared()) * sum(&|(_, b)| flat(*b).length_squared())).sqrt();
    let turn = DQuat::from_rotation_y(sin.atan2(cos));
    if fits(turn) {
        return (turn, true);
    }
    let is_wide = most > 1e-4 * (theirs * ours).sqrt();
    let is_turned = is_wide && cos.hypot(sin) >= CLEAR * most && sin.atan2(cos).abs() >= TURNED;
    (if is_turned { turn } else { DQuat::IDENTITY }, false)
}

/// Returns the direction on the ground from the right side of a humanoid to its left one; `None` where nothing tells it.
fn to_the_left(rig: &HumanoidRig, world: &[DAffine3]) -> Option<DVec2> {
    let place = |bone: &str| Some(world[rig.node(bone)?.index()].translation);
    let apart = |part: &str| Some(place(&format!("left{part}"))? - place(&format!("right{part}"))?);
    let found = ["UpperLeg", "UpperArm"].into_iter().filter_map(apart).map(|v| DVec2::new(v.x, v.z));
    found.filter(|v| v.is_finite()).find(|v| v.length() > 0.0)
}

/// Returns the rotation about +Y from one direction on the ground to another one. Figures face along axes: small
/// differences between two of them are no turn.
fn between(from: DVec2, to: DVec2) -> DQuat {
    let angle = (to.x * from.y - to.y * from.x).atan2(from.dot(to));
    let quarter = (angle / std::f64::consts::FRAC_PI_2).round() * std::f64::consts::FRAC_PI_2;
    let angle = if (angle - quarter).abs() <= NEAR_AXIS { quarter } else { angle };
    if angle.abs() < TURNED { DQuat::IDENTITY } else { DQuat::from_rotation_y(angle) }
}

/// Returns how high the hips of a humanoid stand above the ground, and above its feet; `None` where it is not known. The
/// ground of VRM is at 0.
fn hips_heights(model: &Model, world: &[DAffine3]) -> Option<[Option<f64>; 2]> {
    let rig = model.rig()?;
    let height = |bone: &str| Some(world[rig.node(bone)?.index()].translation.y);
    let hips = height("hips").filter(|height| height.is_finite())?;
    let lowest = ["leftFoot", "rightFoot", "leftToes", "rightToes"].into_iter().filter_map(height).reduce(f64::min);
    let leg = lowest.map(|lowest| hips - lowest).filter(|leg| *leg > 0.0);
    let stands = lowest.zip(leg).is_none_or(|(lowest, leg)| lowest.abs() <= GROUND * leg);
    let is_declared = !model.humanoid.is_empty();
    Some([Some(hips).filter(|hips| *hips > 0.0 && (stands || is_declared)), leg])
}

/// Returns the size of `to` over that of `from`. Humanoids are as large as their hips are high, as VRM animations want it, or as their hips
/// are above their feet where one of them does not stand on the ground; others as their bones are long, and as far as they reach where no
/// two bones are counterparts.
fn ratio([from, to]: [&Model; 2], other: &[Option<usize>], theirs: &[DAffine3], ours: &[DAffine3]) -> f64 {
    if let (Some(there), Some(here)) = (hips_heights(from, theirs), hips_heights(to, ours)) {
        let known = there.into_iter().zip(here).find_map(|(there, here)| here.zip(there));
        if let Some((here, there)) = known {
            return valid(here / there);
        }
    }
    let (mut there, mut here) = (0.0, 0.0);
    for (i, j) in other.iter().enumerate() {
        let above = std::iter::successors(to.skeleton.parents[i], |p| to.skeleton.parents[p.index()]);
        let anchor = above.map(NodeId::index).find_map(|p| Some((p, other[p]?)));
        if let (Some(j), Some((p, q))) = (j, anchor) {
            there += theirs[*j].translation.distance(theirs[q].translation);
            here += ours[i].translation.distance(ours[p].translation);
        }
    }
    if there > 0.0 && here > 0.0 && f64::is_finite(here / there) {
        return valid(here / there);
    }
    let size = |positions: &[DAffine3]| {
        let root = positions.first().map_or(DVec3::ZERO, |m| m.translation);
        positions.iter().map(|m| m.translation.distance(root)).filter(|d| d.is_finite()).fold(0.0, f64::max)
    };
    valid(size(ours) / size(theirs))
}

fn valid(ratio: f64) -> f64 {
    if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
}
