//! The bones: from each joint to those below it.

use glam::DVec3;

use crate::BindProblem;

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
}

/// Joints nearer to each other than this stand at one place.
const SHORTEST: f64 = 1e-6;

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
    /// Makes the bones of the joints for which `is_free` is set: one to each joint below. Where there is none, the bone goes on as the one above
    /// does, as far again.
    pub fn of(problem: &BindProblem, heads: &[DVec3], is_free: Vec<bool>) -> Self {
        let parents: Vec<Option<u32>> = problem.joints.iter().map(|j| j.parent.map(|p| p as u32)).collect();
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
        for (joint, parent) in (0..).zip(&parents) {
            parent.iter().for_each(|parent| below[*parent as usize].push(joint));
        }
        let mut list = Vec::new();
        for joint in (0..parents.len()).filter(|joint| is_free[*joint]) {
            let head = heads[joint];
            let mut tails: Vec<DVec3> = below[joint].iter().map(|child| heads[*child as usize]).collect();
            tails.retain(|tail| tail.distance(head) > SHORTEST);
            if tails.is_empty() {
                let mut above = std::iter::successors(parents[joint], |joint| parents[*joint as usize]);
                let before = above.find(|above| heads[*above as usize].distance(head) > SHORTEST);
                let before = before.filter(|_| below[joint].is_empty()).map_or(head, |at| heads[at as usize]);
                tails.push(head + (head - before));
            }
            list.extend(tails.into_iter().map(|tail| Bone { joint: joint as u32, ends: [head, tail] }));
        }
        Self { list, is_free }
    }

    /// Returns the bone that is nearest to a point, and its nearest point there; of equally near ones the first.
    pub fn nearest(&self, point: DVec3) -> Option<(u32, DVec3)> {
        let at = |bone: &Bone| (bone.joint, bone.nearest(point));
        self.list.iter().map(at).min_by(|a, b| a.1.distance_squared(point).total_cmp(&b.1.distance_squared(point)))
    }
}
