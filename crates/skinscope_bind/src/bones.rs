//! The bones: from each joint to those below it.

use glam::DVec3;

use crate::BindProblem;
use crate::surface::Surface;

/// A straight part of the skeleton that one joint moves.
#[derive(Clone, Copy, Debug)]
pub struct Bone {
    /// The joint, which stands at its first end.
    pub joint: u32,
    /// Both ends.
    pub ends: [DVec3; 2],
}

/// All bones of the joints that may have weight.
#[derive(Clone, Debug, Default)]
pub struct Bones {
    /// The bones, in the order of their joints.
    pub list: Vec<Bone>,
    /// For each joint whether it may have weight.
    pub is_free: Vec<bool>,
    parents: Vec<Option<u32>>,
    below: Vec<Vec<u32>>,
}

/// Joints nearer to each other than this stand at one place.
const SHORTEST: f64 = 1e-6;
/// How far a line goes on that asks whether a point is inside.
const FAR: f64 = 10.0;
/// A bone that would end outside of the surface ends at this share of the way to where it leaves it.
const LEAF: f64 = 0.7;
/// A joint points to another one for sure, or maybe, where the cosine of the angle is greater: 6 and 15 degrees.
const AIMED: [f64; 2] = [0.994_521_895, 0.965_925_826];
/// Of bones whose distances differ by no more than this share the first is the nearest.
const ALIKE: f64 = 1e-7;

impl Bone {
    /// Returns the point of the bone that is nearest to a point.
    pub fn nearest(&self, point: DVec3) -> DVec3 {
        let [from, to] = self.ends;
        let along = to - from;
        let length = along.length_squared();
        let share = if length > 0.0 { ((point - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        from + along * share
    }
}

impl Bones {
    /// Makes the bones of all joints: one to each joint below. Where there is none, the bone goes on as the one above does, as far again, but
    /// not out of the surface.
    pub fn of(problem: &BindProblem, heads: &[DVec3], surface: &Surface) -> Self {
        let (parents, below) = hierarchy(problem, heads);
        let mut list = Vec::new();
        for (joint, head) in heads.iter().enumerate() {
            let mut tails: Vec<DVec3> = below[joint].iter().map(|child| heads[*child as usize]).collect();
            tails.retain(|tail| tail.distance(*head) > SHORTEST);
            if tails.is_empty() {
                let mut above = std::iter::successors(parents[joint], |joint| parents[*joint as usize]);
                let before = above.find(|above| heads[*above as usize].distance(*head) > SHORTEST);
                let before = before.map_or(*head, |at| heads[at as usize]);
                tails.push(leaf_tail(surface, *head, *head - before));
            }
            list.extend(tails.into_iter().map(|tail| Bone { joint: joint as u32, ends: [*head, tail] }));
        }
        let is_free = vec![true; heads.len()];
        Self { list, is_free, parents, below }
    }

    /// Leaves the bones of the joints that may have weight.
    pub fn keep(&mut self, is_free: Vec<bool>) {
        self.list.retain(|bone| is_free[bone.joint as usize]);
        self.is_free = is_free;
    }

    /// Returns the bone that is nearest to a point, and its nearest point there; of equally near ones the first.
    pub fn nearest(&self, point: DVec3) -> Option<(u32, DVec3)> {
        self.nearest_bone(point).map(|bone| (bone.joint, bone.nearest(point)))
    }

    /// Returns the bone that is nearest to a point; of about equally near ones the first.
    pub(crate) fn nearest_bone(&self, point: DVec3) -> Option<Bone> {
        let mut best: Option<(Bone, f64)> = None;
        for bone in &self.list {
            let distance = bone.nearest(point).distance(point);
            if best.is_none_or(|(_, least)| distance < least * (1.0 - ALIKE)) {
                best = Some((*bone, distance));
            }
        }
        best.map(|(bone, _)| bone)
    }

    /// Returns the nearest joint above a joint that may have weight.
    pub(crate) fn free_parent(&self, joint: u32) -> Option<u32> {
        let mut above = std::iter::successors(self.parents[joint as usize], |at| self.parents[*at as usize]);
        above.find(|above| self.is_free[*above as usize])
    }

    /// Returns the joints below a joint.
    pub fn children(&self, joint: u32) -> impl Iterator<Item = u32> {
        self.below[joint as usize].iter().copied()
    }
}

/// Returns the end of the bone of a joint that has none below it. Where it would be outside of the surface it ends before the bone leaves it.
fn leaf_tail(surface: &Surface, head: DVec3, along: DVec3) -> DVec3 {
    let length = along.length();
    if length <= SHORTEST {
        return head;
    }
    let far = FAR.max(2.0 * length) / length;
    let mut crossings = Vec::new();
    surface.crossings(head, head + along * far, &mut crossings);
    // A line through an edge goes through both triangles there, but once through the surface.
    crossings.dedup_by(|a, b| (*a - *b) * far <= SHORTEST);
    let shares = crossings.iter().map(|share| share * far).filter(|share| *share > 1e-9);
    let (within, beyond): (Vec<f64>, Vec<f64>) = shares.partition(|share| *share <= 1.0);
    match within.last().filter(|_| beyond.len() % 2 == 0) {
        Some(last) => head + along * (LEAF * last),
        None => head + along,
    }
}

/// Returns the parent of each joint, and the joints below each. In a flat skeleton, whose joints have no parents, the one that a joint points
/// to counts as below it.
fn hierarchy(problem: &BindProblem, heads: &[DVec3]) -> (Vec<Option<u32>>, Vec<Vec<u32>>) {
    let joints = &problem.joints;
    let mut parents: Vec<Option<u32>> = joints.iter().map(|joint| joint.parent.map(|parent| parent as u32)).collect();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); joints.len()];
    for (joint, parent) in (0..).zip(&parents) {
        parent.iter().for_each(|parent| below[*parent as usize].push(joint));
    }
    let is_flat = |joint: &usize| parents[*joint].is_none() && below[*joint].is_empty();
    let flat: Vec<usize> = (0..joints.len()).filter(is_flat).collect();
    for (joint, next, _) in aimed(problem, heads, &flat) {
        below[joint].push(next as u32);
        // No joint is above itself.
        let mut above = std::iter::successors(Some(joint as u32), |at| parents[*at as usize]);
        if parents[next].is_none() && !above.any(|above| above as usize == next) {
            parents[next] = Some(joint as u32);
        }
    }
    (parents, below)
}

/// Returns which joints of a flat skeleton point to which others, and the cosines of the angles between; nothing where too few do.
fn aimed(problem: &BindProblem, heads: &[DVec3], flat: &[usize]) -> Vec<(usize, usize, f64)> {
    if flat.len() < 3 {
        return Vec::new();
    }
    // For each of the six axes the joints that point at another one, and how well.
    let of_axis = |axis: usize| {
        let turn = if axis < 3 { 1.0 } else { -1.0 };
        let aimed = |joint: usize| {
            let along = problem.joints[joint].axes.col(axis % 3).normalize_or_zero() * turn;
            let to = |other: &usize| heads[*other] - heads[joint];
            let cosine = |other: &usize| along.dot(to(other).normalize_or_zero());
            let is_seen = |other: &&usize| to(other).length() > SHORTEST && cosine(other) > AIMED[1];
            let seen = flat.iter().filter(is_seen);
            let next = seen.min_by(|a, b| to(a).length_squared().total_cmp(&to(b).length_squared()).then(a.cmp(b)))?;
            Some((joint, *next, cosine(next)))
        };
        flat.iter().filter_map(|joint| aimed(*joint)).collect::<Vec<_>>()
    };
    // How many point well, and how well all do.
    let quality = |aimed: &[(usize, usize, f64)]| {
        let sure = aimed.iter().filter(|(.., cosine)| *cosine > AIMED[0]).count();
        (sure, aimed.iter().map(|(.., cosine)| cosine).sum::<f64>())
    };
    let mut best: Vec<(usize, usize, f64)> = Vec::new();
    for axis in 0..6 {
        let aimed = of_axis(axis);
        if quality(&aimed) > quality(&best) {
            best = aimed;
        }
    }
    if 2 * quality(&best).0 < flat.len() { Vec::new() } else { best }
}
