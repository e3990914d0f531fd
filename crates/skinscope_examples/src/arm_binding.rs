//! An arm that is bent at rest, and what binds its skin to three bones: capsules that are placed by hand, paths along the edges of
//! tetrahedra that fill the arm, and the methods of [`skinscope_bind`].

use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_base::parallel::JobContext;
use skinscope_bind::{BindProblem, BindSettings, Joint, bind};

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
    /// A node within the arm for each ring: on its middle line, or in the middle of a bone where that is near.
    inner: Vec<DVec3>,
    /// The node in the middle of each bone.
    seeds: [usize; BONES],
    /// The nodes (the vertices, and then those within) that share an edge of a tetrahedron with each ([`filled`]).
    links: Vec<Vec<usize>>,
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

/// The paths along the edges of the tetrahedra from the middle of a bone.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// The node in the middle of the bone.
    pub(super) seed: usize,
    /// How long the shortest path to each node is, metres.
    pub(super) lengths: Vec<f64>,
    /// The node before it on that path.
    before: Vec<usize>,
}

impl Paths {
    /// Returns the nodes of the path to a vertex, from that vertex back to the middle of the bone.
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
        let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|e| e.map(|v| v as usize));
        let neighbours = linked(positions.len(), indices.as_chunks::<3>().0.iter().flat_map(edges));
        let joints = JOINTS.map(|along| middle(along).0);
        let bones = std::array::from_fn(|bone| [joints[bone], joints[bone + 1]]);
        let (inner, seeds) = within(&bones, positions.len());
        let links = linked(positions.len() + inner.len(), filled(positions.len()).iter().flat_map(edges_of));
        Self { positions, indices, bones, neighbours, inner, seeds, links }
    }

    /// Returns where a node is: a vertex, or one of the nodes within the arm.
    pub(super) fn node(&self, node: usize) -> DVec3 {
        self.positions.get(node).copied().unwrap_or_else(|| self.inner[node - self.positions.len()])
    }

    /// Returns the edges of the tetrahedra that lie in the plane of the arm.
    pub(super) fn cut(&self) -> Vec<[usize; 2]> {
        let is_in_plane = |node: &usize| self.node(*node).z.abs() < 1e-9;
        (0..self.links.len())
            .filter(is_in_plane)
            .flat_map(|a| self.links[a].iter().map(move |b| [a, *b]))
            .filter(|[a, b]| a < b && is_in_plane(b))
            .collect()
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

    /// Returns the weights that a method of [`skinscope_bind`] gives, with the numbers that it has at first.
    #[expect(clippy::panic, reason = "the arm is part of the program; a test binds it by each method that is shown")]
    pub(super) fn by_method(&self, method: &str) -> Vec<[f64; BONES]> {
        let settings = BindSettings { method: method.to_owned(), ..BindSettings::default() };
        let found = match bind(&self.problem(), &settings, &JobContext::of_waiting()) {
            Ok(found) => found,
            Err(error) => panic!("{method}: {error}"),
        };
        let share = |row: &[(u32, f64)], bone: usize| {
            row.iter().find(|(joint, _)| *joint as usize == bone).map_or(0.0, |(_, share)| *share)
        };
        found.rows.iter().map(|row| std::array::from_fn(|bone| share(row, bone))).collect()
    }

    /// Returns the arm as [`skinscope_bind`] takes it. A last joint ends the hand and gets no weight.
    fn problem(&self) -> BindProblem {
        let heads = self.bones.iter().map(|bone| bone[0]).chain([self.bones[BONES - 1][1]]);
        let joint = |(at, head): (usize, DVec3)| Joint {
            parent: at.checked_sub(1),
            head,
            may_bind: at < BONES,
            ..Joint::default()
        };
        BindProblem {
            joints: heads.enumerate().map(joint).collect(),
            points: self.positions.clone(),
            triangles: self.indices.as_chunks::<3>().0.to_vec(),
        }
    }

    /// Nearest by topology: each vertex goes to the bone whose end is nearest along the edges of the tetrahedra.
    pub(super) fn by_paths(&self, paths: &[Paths; BONES]) -> Vec<usize> {
        let past = |vertex: usize| least(std::array::from_fn(|bone| paths[bone].lengths[vertex] - self.half(bone)));
        (0..self.positions.len()).map(past).collect()
    }

    /// Returns half of the length of a bone: what a path from its middle goes along it, metres.
    pub(super) fn half(&self, bone: usize) -> f64 {
        0.5 * self.bones[bone][0].distance(self.bones[bone][1])
    }

    /// Returns the shortest paths (Dijkstra) from the middle of a bone.
    pub(super) fn paths(&self, bone: usize) -> Paths {
        let seed = self.seeds[bone];
        let mut lengths = vec![f64::INFINITY; self.links.len()];
        let mut before = vec![seed; self.links.len()];
        lengths[seed] = 0.0;
        // Lengths are not negative, and the bits of such numbers are in their order.
        let mut open = BTreeSet::from([(0_u64, seed)]);
        while let Some((_, node)) = open.pop_first() {
            for next in &self.links[node] {
                let length = lengths[node] + self.node(node).distance(self.node(*next));
                if length < lengths[*next] {
                    open.remove(&(lengths[*next].to_bits(), *next));
                    (lengths[*next], before[*next]) = (length, node);
                    open.insert((length.to_bits(), *next));
                }
            }
        }
        Paths { seed, lengths, before }
    }

    /// Returns weights after so many steps of smoothing.
    pub(super) fn smoothed(&self, mut weights: Vec<[f64; BONES]>, steps: usize) -> Vec<[f64; BONES]> {
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

/// Returns the weights of vertices that have one bone each.
pub(super) fn alone(bones: &[usize]) -> Vec<[f64; BONES]> {
    bones.iter().map(|bone| std::array::from_fn(|i| f64::from(u8::from(i == *bone)))).collect()
}

/// Returns the bone of each vertex that has the most of its weight.
pub(super) fn heaviest(weights: &[[f64; BONES]]) -> Vec<usize> {
    weights.iter().map(|row| least(row.map(|share| -share))).collect()
}

/// Returns for each of so many nodes those that share an edge with it.
fn linked(nodes: usize, edges: impl Iterator<Item = [usize; 2]>) -> Vec<Vec<usize>> {
    let mut around = vec![BTreeSet::new(); nodes];
    for [a, b] in edges {
        around[a].insert(b);
        around[b].insert(a);
    }
    around.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// The six edges of a tetrahedron.
fn edges_of(t: &[usize; 4]) -> [[usize; 2]; 6] {
    [[t[0], t[1]], [t[0], t[2]], [t[0], t[3]], [t[1], t[2]], [t[1], t[3]], [t[2], t[3]]]
}

/// Returns the nodes within the arm, one for each ring, and which of them are in the middle of the bones; nodes are counted after so
/// many vertices.
fn within(bones: &[[DVec3; 2]; BONES], vertices: usize) -> (Vec<DVec3>, [usize; BONES]) {
    let along = |ring: usize| LENGTH * ring as f64 / (RINGS - 1) as f64;
    let mut inner: Vec<DVec3> = (0..RINGS).map(|ring| middle(along(ring)).0).collect();
    let seeds = bones.map(|[from, to]| {
        let half_way = from.midpoint(to);
        let near = |a: &usize, b: &usize| {
            let [a, b] = [a, b].map(|ring| middle(along(*ring)).0.distance(half_way));
            a.total_cmp(&b)
        };
        let ring = (0..RINGS).min_by(near).unwrap_or(0);
        inner[ring] = half_way;
        vertices + ring
    });
    (inner, seeds)
}

/// Returns the tetrahedra between each ring and the next one: each wedge from the middle line to two neighbouring sides is three of
/// them, whose outer triangles are those of the mesh. `vertices`: how many vertices the mesh has, two of them at its ends.
fn filled(vertices: usize) -> Vec<[usize; 4]> {
    let at = |ring: usize, side: usize| ring * SIDES + side % SIDES;
    let center = |ring: usize| vertices + ring;
    let mut out = Vec::new();
    for side in 0..SIDES {
        for ring in 0..RINGS - 1 {
            let [a, b, c, d] = [at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side + 1)];
            let [here, next] = [center(ring), center(ring + 1)];
            out.extend([[here, a, b, c], [here, b, c, d], [here, next, c, d]]);
        }
        out.push([center(0), at(0, side), at(0, side + 1), vertices - 2]);
        out.push([center(RINGS - 1), at(RINGS - 1, side), at(RINGS - 1, side + 1), vertices - 1]);
    }
    out
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

    /// The tetrahedra fill the arm once: none is empty, they touch face to face, and those faces that only one has are the mesh.
    #[test]
    fn tetrahedra_fill_the_arm_once() {
        let arm = Arm::new();
        let mut faces = std::collections::BTreeMap::new();
        let mut sum = 0.0;
        for t in &filled(arm.positions.len()) {
            let [a, b, c, d] = t.map(|node| arm.node(node));
            let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
            assert!(volume > 1e-6, "{t:?}: {volume}");
            sum += volume;
            for left_out in 0..4 {
                let mut face: Vec<usize> = (0..4).filter(|i| *i != left_out).map(|i| t[i]).collect();
                face.sort_unstable();
                *faces.entry(face).or_insert(0) += 1;
            }
        }
        assert!(faces.values().all(|count| *count <= 2));
        let outer: BTreeSet<Vec<usize>> = faces.into_iter().filter(|(_, n)| *n == 1).map(|(face, _)| face).collect();
        let mesh = arm.indices.as_chunks::<3>().0.iter().map(|t| {
            let mut face = t.map(|v| v as usize).to_vec();
            face.sort_unstable();
            face
        });
        assert_eq!(outer, mesh.collect::<BTreeSet<_>>());
        let signed = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| arm.positions[v as usize]);
            a.cross(b).dot(c) / 6.0
        };
        let volume = arm.indices.as_chunks::<3>().0.iter().map(signed).sum::<f64>().abs();
        assert!((volume - sum).abs() < 1e-9, "tetrahedra that overlap have more volume than the mesh: {sum} {volume}");
        for bone in 0..BONES {
            let [from, to] = arm.bones[bone];
            assert_eq!(arm.node(arm.paths(bone).seed), from.midpoint(to), "a path begins in the middle of its bone");
        }
    }

    #[test]
    fn paths_are_those_of_relaxing_all_edges() {
        let arm = Arm::new();
        let tetrahedra = filled(arm.positions.len());
        for bone in 0..BONES {
            let paths = arm.paths(bone);
            // Bellman and Ford: every edge of every tetrahedron, until nothing becomes shorter.
            let mut lengths = vec![f64::INFINITY; arm.links.len()];
            lengths[paths.seed] = 0.0;
            loop {
                let before = lengths.clone();
                for [a, b] in tetrahedra.iter().flat_map(edges_of) {
                    let edge = arm.node(a).distance(arm.node(b));
                    lengths[b] = lengths[b].min(lengths[a] + edge);
                    lengths[a] = lengths[a].min(lengths[b] + edge);
                }
                if lengths == before {
                    break;
                }
            }
            for (v, length) in lengths.iter().enumerate() {
                assert!((paths.lengths[v] - length).abs() < 1e-12, "{bone} {v}");
                let path = paths.to(v);
                let along: f64 = path.windows(2).map(|p| arm.node(p[0]).distance(arm.node(p[1]))).sum();
                assert!((along - length).abs() < 1e-12 && path.last() == Some(&paths.seed));
            }
        }
    }

    #[test]
    fn planes_and_paths_find_the_bones_of_an_arm_that_is_bent_far() {
        let arm = Arm::new();
        let planes = heaviest(&arm.by_method("line"));
        let paths = arm.by_paths(&[0, 1, 2].map(|bone| arm.paths(bone)));
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
        let tetrahedra = filled(arm.positions.len());
        // All bones spread at once, each from its middle and ahead by half of its length; a vertex belongs to the first that comes.
        let mut reached = vec![(f64::INFINITY, 0); arm.links.len()];
        for bone in 0..BONES {
            let [from, to] = arm.bones[bone];
            reached[paths[bone].seed] = (-from.distance(from.midpoint(to)), bone);
        }
        loop {
            let before = reached.clone();
            for [a, b] in tetrahedra.iter().flat_map(edges_of) {
                for (a, b) in [(a, b), (b, a)] {
                    let come = reached[a].0 + arm.node(a).distance(arm.node(b));
                    if come < reached[b].0 - 1e-9 {
                        reached[b] = (come, reached[a].1);
                    }
                }
            }
            if reached == before {
                break;
            }
        }
        for (v, (come, bone)) in reached.iter().enumerate().take(arm.positions.len()) {
            let ahead = |bone: usize| paths[bone].lengths[v] + reached[paths[bone].seed].0;
            let is_tie = (0..BONES).any(|other| other != *bone && (ahead(other) - come).abs() < 1e-6);
            assert!(found[v] == *bone || is_tie, "vertex {v}: {} for {bone}", found[v]);
        }
    }

    #[test]
    fn smoothing_keeps_sums_and_is_a_power_of_one_matrix() {
        let arm = Arm::new();
        let bones = arm.by_paths(&[0, 1, 2].map(|bone| arm.paths(bone)));
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
            let weights = arm.smoothed(alone(&bones), steps);
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
