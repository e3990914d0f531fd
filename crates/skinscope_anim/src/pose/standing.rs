//! Compares the rest poses of two characters: their directions, their sizes, and whether the poses are the same.

use glam::{DAffine3, DQuat, DVec2, DVec3};
use skinscope_model::{Model, NodeId};

use super::counterparts::humanoid;

/// How far joints of one rest pose may lie apart, as a share of the size of the figure.
const NEAR: f64 = 1e-3;

/// A figure in another rest pose counts as turned from this angle on, radians; below that its limbs are what differs.
const TURNED: f64 = 0.35;

/// The correlation of the joints' positions on the ground, 0…1, from which on it says where a figure in another pose faces.
const CLEAR: f64 = 0.8;

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
        let (facing, is_one_pose) = facing(&pairs);
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

/// Returns the size of `to` over that of `from`. Humanoid rigs are as large as their hips are high, as VRM animations want it; others as
/// their bones are long, and as far as they reach where no two bones are counterparts.
fn ratio([from, to]: [&Model; 2], other: &[Option<usize>], theirs: &[DAffine3], ours: &[DAffine3]) -> f64 {
    let height = |model: &Model, positions: &[DAffine3]| {
        let hips = humanoid(model).get("hips").copied()?;
        Some(positions[hips.index()].translation.y).filter(|height| *height > 0.0)
    };
    if let (Some(there), Some(here)) = (height(from, theirs), height(to, ours)) {
        return valid(here / there);
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
