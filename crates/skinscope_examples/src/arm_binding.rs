//! An arm that is bent at rest, and three small procedures that bind its skin to three bones: capsules, lines with planes, and paths
//! along the mesh.

use std::collections::BTreeSet;

use glam::DVec3;

/// The rings of the arm and the vertices of a ring; both ends are closed by one vertex more.
const RINGS: usize = 31;
pub(super) const SIDES: usize = 16;
/// The length of the arm along its middle, and how far along it elbow and wrist are, metres.
const LENGTH: f64 = 3.0;
const JOINTS: [f64; 4] = [0.0, 1.4, 2.5, LENGTH];
/// By how much the elbow is bent at rest, and how sharp.
const BEND: f64 = 150.0 / 180.0 * std::f64::consts::PI;
const CURVE: f64 = 0.24;

/// The bones, from the shoulder on.
pub(super) const BONES: usize = 3;

/// The arm, its shoulder at the origin, in the plane z = 0.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    pub(super) positions: Vec<DVec3>,
    pub(super) indices: Vec<u32>,
    /// Both ends of each bone.
    pub(super) bones: [[DVec3; 2]; BONES],
    /// The vertices that share an edge with each.
    neighbours: Vec<Vec<usize>>,
}

/// A bone's volume: all that is so near to a line, metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capsule {
    pub(super) ends: [DVec3; 2],
    pub(super) radius: f64,
}

impl Capsule {
    /// Returns how far a point is from the middle line, in radii: at most 1 inside.
    pub(super) fn score(&self, p: DVec3) -> f64 {
        nearest(self.ends, p).distance(p) / self.radius
    }
}

/// A plane that parts the skin of two bones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divide {
    /// The joint, a point of the plane.
    pub(super) joint: DVec3,
    /// The normal, of unit length, towards the bone after the joint.
    pub(super) normal: DVec3,
}

impl Divide {
    /// Returns how far beyond the plane a point is, metres.
    pub(super) fn beyond(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.joint)
    }
}

/// The paths along the mesh from the vertex that is surest to belong to a bone.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// That vertex.
    pub(super) seed: usize,
    /// How long the shortest path to each vertex is, metres.
    pub(super) lengths: Vec<f64>,
    /// The vertex before it on that path.
    before: Vec<usize>,
}

impl Paths {
    /// Returns the vertices of the path to a vertex, from that one on.
    pub(super) fn to(&self, vertex: usize) -> Vec<usize> {
        std::iter::successors(Some(vertex), |v| (*v != self.seed).then(|| self.before[*v])).collect()
    }
}

impl Arm {
    pub(super) fn new() -> Self {
        let mut positions = Vec::new();
        for ring in 0..RINGS {
            let along = LENGTH * ring as f64 / (RINGS - 1) as f64;
            let (middle, tangent) = middle(along);
            let radius = 0.18 - 0.02 * along;
            for side in 0..SIDES {
                let (sin, cos) = (std::f64::consts::TAU * side as f64 / SIDES as f64).sin_cos();
                positions.push(middle + (tangent.cross(DVec3::Z) * cos + DVec3::Z * sin) * radius);
            }
        }
        for (along, out) in [(0.0, -0.06), (LENGTH, 0.06)] {
            let (middle, tangent) = middle(along);
            positions.push(middle + tangent * out);
        }
        let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
        let mut indices = Vec::new();
        for side in 0..SIDES {
            for ring in 0..RINGS - 1 {
                let [a, b, c, d] = [at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side + 1)];
                indices.extend([a, c, b, b, c, d]);
            }
            let [first, last] = [positions.len() as u32 - 2, positions.len() as u32 - 1];
            indices.extend([at(0, side), at(0, side + 1), first, at(RINGS - 1, side + 1), at(RINGS - 1, side), last]);
        }
        let mut around = vec![BTreeSet::new(); positions.len()];
        for t in indices.as_chunks::<3>().0 {
            for (vertex, other) in (0..3).flat_map(|i| [(t[i], t[(i + 1) % 3]), (t[i], t[(i + 2) % 3])]) {
                around[vertex as usize].insert(other as usize);
            }
        }
        let neighbours = around.into_iter().map(|set| set.into_iter().collect()).collect();
        let joints = JOINTS.map(|along| middle(along).0);
        let bones = std::array::from_fn(|bone| [joints[bone], joints[bone + 1]]);
        Self { positions, indices, bones, neighbours }
    }

    /// Returns the planes at elbow and wrist: each holds the bisector of the bones that meet there.
    pub(super) fn divides(&self) -> [Divide; BONES - 1] {
        std::array::from_fn(|i| {
            let [before, after] = [self.bones[i], self.bones[i + 1]];
            let back = (before[0] - before[1]).normalize();
            Divide { joint: after[0], normal: ((after[1] - after[0]).normalize() - back).normalize() }
        })
    }

    /// Containment: each vertex goes to the bone with the least score.
    pub(super) fn by_capsules(&self, capsules: &[Capsule; BONES]) -> Vec<usize> {
        let bone = |p: &DVec3| least(capsules.map(|capsule| capsule.score(*p)));
        self.positions.iter().map(bone).collect()
    }

    /// Point to line: from the shoulder on, each vertex goes to the first bone whose plane it is not beyond.
    pub(super) fn by_planes(&self) -> Vec<usize> {
        let divides = self.divides();
        let bone = |p: &DVec3| divides.iter().position(|divide| divide.beyond(*p) < 0.0).unwrap_or(BONES - 1);
        self.positions.iter().map(bone).collect()
    }

    /// Nearest by topology: each vertex goes to the bone whose end is nearest along the mesh.
    pub(super) fn by_paths(&self, paths: &[Paths; BONES]) -> Vec<usize> {
        let past = |vertex: usize| least(std::array::from_fn(|bone| paths[bone].lengths[vertex] - self.half(bone)));
        (0..self.positions.len()).map(past).collect()
    }

    /// Returns half of the length of a bone: what a path from its middle goes along it, metres.
    pub(super) fn half(&self, bone: usize) -> f64 {
        0.5 * self.bones[bone][0].distance(self.bones[bone][1])
    }

    /// Returns the shortest paths (Dijkstra) from the vertex that is nearest to the middle of a bone.
    pub(super) fn paths(&self, bone: usize) -> Paths {
        let middle = 0.5 * (self.bones[bone][0] + self.bones[bone][1]);
        let near = |a: &usize, b: &usize| {
            let [a, b] = [a, b].map(|v| self.positions[*v].distance(middle));
            a.total_cmp(&b)
        };
        let seed = (0..self.positions.len()).min_by(near).unwrap_or(0);
        let mut lengths = vec![f64::INFINITY; self.positions.len()];
        let mut before = vec![seed; self.positions.len()];
        lengths[seed] = 0.0;
        // Lengths are not negative, and the bits of such numbers are in their order.
        let mut open = BTreeSet::from([(0_u64, seed)]);
        while let Some((_, vertex)) = open.pop_first() {
            for next in &self.neighbours[vertex] {
                let length = lengths[vertex] + self.positions[vertex].distance(self.positions[*next]);
                if length < lengths[*next] {
                    open.remove(&(lengths[*next].to_bits(), *next));
                    (lengths[*next], before[*next]) = (length, vertex);
                    open.insert((length.to_bits(), *next));
                }
            }
        }
        Paths { seed, lengths, before }
    }

    /// Returns the weights of vertices that have one bone each, after so many steps of smoothing.
    pub(super) fn smoothed(&self, bones: &[usize], steps: usize) -> Vec<[f64; BONES]> {
        let first = |bone: &usize| std::array::from_fn(|i| f64::from(u8::from(i == *bone)));
        let mut weights: Vec<[f64; BONES]> = bones.iter().map(first).collect();
        for _ in 0..steps {
            let next = |v: usize| {
                let mean = self.mean(&weights, v);
                std::array::from_fn(|i| 0.5 * (weights[v][i] + mean[i]))
            };
            weights = (0..weights.len()).map(next).collect();
        }
        weights
    }

    /// Returns the mean of the weights of the neighbours of a vertex.
    pub(super) fn mean(&self, weights: &[[f64; BONES]], vertex: usize) -> [f64; BONES] {
        let around = &self.neighbours[vertex];
        std::array::from_fn(|i| around.iter().map(|v| weights[*v][i]).sum::<f64>() / around.len() as f64)
    }

    /// Returns the vertices that share an edge with one.
    pub(super) fn around(&self, vertex: usize) -> &[usize] {
        &self.neighbours[vertex]
    }
}

/// The middle line of the arm so far from the shoulder, and its direction: down, about the elbow, and up again.
fn middle(along: f64) -> (DVec3, DVec3) {
    let begin = JOINTS[1] - 0.5 * BEND * CURVE;
    let turn = ((along - begin) / CURVE).clamp(0.0, BEND);
    let tangent = DVec3::new(turn.sin(), -turn.cos(), 0.0);
    let straight = (along - begin - turn * CURVE) * if turn > 0.0 { 1.0 } else { 0.0 };
    let down = DVec3::NEG_Y * along.min(begin);
    let round = DVec3::new(CURVE * (1.0 - turn.cos()), -CURVE * turn.sin(), 0.0);
    (down + round + tangent * straight, tangent)
}

/// The point of a line between two ends that is nearest to `p`.
pub(super) fn nearest([from, to]: [DVec3; 2], p: DVec3) -> DVec3 {
    let line = to - from;
    let share = (p - from).dot(line) / line.length_squared().max(1e-12);
    from + line * share.clamp(0.0, 1.0)
}

/// The index of the least number, the first of equal ones.
fn least(numbers: [f64; BONES]) -> usize {
    (1..BONES).fold(0, |best, i| if numbers[i] < numbers[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_relaxing_all_edges() {
        let arm = Arm::new();
        for bone in 0..BONES {
            let paths = arm.paths(bone);
            // Bellman and Ford: every edge of every triangle, until nothing becomes shorter.
            let mut lengths = vec![f64::INFINITY; arm.positions.len()];
            lengths[paths.seed] = 0.0;
            loop {
                let before = lengths.clone();
                for t in arm.indices.as_chunks::<3>().0 {
                    for (a, b) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)].map(|(i, j)| (t[i], t[j])) {
                        let [a, b] = [a, b].map(|v| v as usize);
                        lengths[b] = lengths[b].min(lengths[a] + arm.positions[a].distance(arm.positions[b]));
                    }
                }
                if lengths == before {
                    break;
                }
            }
            for (v, length) in lengths.iter().enumerate() {
                assert!((paths.lengths[v] - length).abs() < 1e-12, "{bone} {v}");
                let path = paths.to(v);
                let along: f64 = path.windows(2).map(|p| arm.positions[p[0]].distance(arm.positions[p[1]])).sum();
                assert!((along - length).abs() < 1e-12 && path.last() == Some(&paths.seed));
            }
        }
    }

    #[test]
    fn planes_and_paths_find_the_bones_of_an_arm_that_is_bent_far() {
        let arm = Arm::new();
        let (planes, paths) = (arm.by_planes(), arm.by_paths(&[0, 1, 2].map(|bone| arm.paths(bone))));
        for ring in 0..RINGS {
            let along = LENGTH * ring as f64 / (RINGS - 1) as f64;
            // Within the bend the sides are of different length.
            if JOINTS[1..3].iter().any(|joint| (along - joint).abs() < 0.36) {
                continue;
            }
            let wanted = JOINTS[1..3].iter().filter(|joint| along > **joint).count();
            for side in 0..SIDES {
                assert_eq!(planes[ring * SIDES + side], wanted, "plane: {along} {side}");
                assert_eq!(paths[ring * SIDES + side], wanted, "path: {along} {side}");
            }
        }
    }

    #[test]
    fn paths_begin_half_a_bone_early_and_so_meet_at_the_joints() {
        let arm = Arm::new();
        let paths = [0, 1, 2].map(|bone| arm.paths(bone));
        let found = arm.by_paths(&paths);
        // All bones spread at once, each from its middle and ahead by half of its length; a vertex belongs to the first that comes.
        let mut reached = vec![(f64::INFINITY, 0); arm.positions.len()];
        for bone in 0..BONES {
            let [from, to] = arm.bones[bone];
            reached[paths[bone].seed] = (-from.distance(from.midpoint(to)), bone);
        }
        loop {
            let before = reached.clone();
            for t in arm.indices.as_chunks::<3>().0 {
                for (a, b) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)].map(|(i, j)| (t[i], t[j])) {
                    let [a, b] = [a, b].map(|v| v as usize);
                    let come = reached[a].0 + arm.positions[a].distance(arm.positions[b]);
                    if come < reached[b].0 - 1e-9 {
                        reached[b] = (come, reached[a].1);
                    }
                }
            }
            if reached == before {
                break;
            }
        }
        for (v, (come, bone)) in reached.iter().enumerate() {
            let ahead = |bone: usize| paths[bone].lengths[v] + reached[paths[bone].seed].0;
            let is_tie = (0..BONES).any(|other| other != *bone && (ahead(other) - come).abs() < 1e-6);
            assert!(found[v] == *bone || is_tie, "vertex {v}: {} for {bone}", found[v]);
        }
    }

    #[test]
    fn smoothing_keeps_sums_and_is_a_power_of_one_matrix() {
        let arm = Arm::new();
        let bones = arm.by_planes();
        let n = arm.positions.len();
        // One step as a matrix, from the triangles.
        let mut touch = vec![vec![false; n]; n];
        for t in arm.indices.as_chunks::<3>().0 {
            for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (t[i] as usize, t[j] as usize)) {
                (touch[a][b], touch[b][a]) = (true, true);
            }
        }
        let mut column: Vec<f64> = bones.iter().map(|bone| f64::from(u8::from(*bone == 1))).collect();
        for steps in 0..=12 {
            let weights = arm.smoothed(&bones, steps);
            for v in 0..n {
                assert!((weights[v][1] - column[v]).abs() < 1e-12, "{steps} {v}");
                assert!((weights[v].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            let next = |v: usize| {
                let count = touch[v].iter().filter(|t| **t).count() as f64;
                let sum: f64 = (0..n).filter(|o| touch[v][*o]).map(|o| column[o]).sum();
                0.5 * column[v] + 0.5 * sum / count
            };
            column = (0..n).map(next).collect();
        }
    }
}
