//! Dragging one vertex in one pose or in several: its weights follow, and those of the vertices around it.

use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_base::parallel::by_chunk;
use skinscope_weights::least_squares::{Quadratic, Subset};

use crate::hull::hull;
use crate::motion::Motion;
use crate::row::{Row, RowRules};

/// So many vertices one thread solves at a time.
const PIECE: usize = 128;

/// A pose in which the dragged vertex is pinned to a place.
#[derive(Clone, Debug)]
pub struct DragPose<'m> {
    /// How the pose moves the primitive.
    pub motion: Motion<'m>,
    /// Where the vertex should be, counted from the origin of the motion, metres.
    pub target: DVec3,
}

/// A vertex whose weights change: the dragged one itself, or one that goes along. Joints are indices in the skin.
#[derive(Clone, Copy, Debug)]
pub struct Follower<'a> {
    /// The vertex of the file.
    pub vertex: usize,
    /// How far it goes along, 0 to 1: the falloff.
    pub strength: f64,
    /// Its weights when the drag began; their sum is one.
    pub before: &'a [(u32, f64)],
    /// The joints that it may have.
    pub joints: &'a [u32],
}

/// What is dragged.
#[derive(Clone, Copy, Debug)]
pub struct Drag<'a> {
    /// The poses in which the vertex is pinned; the drag is solved for all of them at once.
    pub poses: &'a [DragPose<'a>],
    /// The vertex; its strength does not count.
    pub vertex: Follower<'a>,
    /// The vertices that go along.
    pub followers: &'a [Follower<'a>],
    /// The joints whose weights stay.
    pub locked: &'a BTreeSet<u32>,
    /// The most joints of a vertex.
    pub most: usize,
    /// How strongly the weights of before are kept, as in [`crate::SolveSettings::keep`].
    pub keep: f64,
    /// The size of the surface, metres.
    pub size: f64,
}

/// What a drag has made of the weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dragged {
    /// The dragged vertex, then those that go along; vertices that stay are left out.
    pub rows: Vec<DraggedRow>,
    /// Where the dragged vertex is now in each pose.
    pub landed: Vec<DVec3>,
    /// How far each of these is from where the vertex should be.
    pub away: Vec<f64>,
    /// How far the hull of its joints is from there in each pose: what is left even where no other pose and no limit counts.
    pub outside: Vec<f64>,
}

/// The weights of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct DraggedRow {
    /// The vertex of the file.
    pub vertex: usize,
    /// Its joints, by index in the skin, and their weights.
    pub shares: Vec<(u32, f64)>,
}

/// Solves the weights of a dragged vertex for all its poses at once. The vertices around it are solved for where they are, moved along by what
/// the dragged vertex has really done, times their strength: it may not have come all the way. Where more joints would
/// have weight than may, those with the least are left out: a drag has to be quick, and the next move begins anew. For the dragged vertex itself the
/// best choice of a few joints is looked for where that brings it nearer. Joints that a vertex has are preferred to others that do as well.
#[must_use]
pub fn drag(drag: &Drag) -> Dragged {
    let Drag { poses, vertex: own, followers, size, .. } = *drag;
    let motions: Vec<&Motion> = poses.iter().map(|pose| &pose.motion).collect();
    let rules = RowRules { most: drag.most, keep: drag.keep, prefers_own: true, locked: drag.locked };
    let targets: Vec<DVec3> = poses.iter().map(|pose| pose.target).collect();
    let (mut dragged, moved) = HeldVertex::new(&own, (&motions, size), &rules).to(&targets);
    dragged.rows.extend(HeldRows::new(followers, (&motions, size), &rules).along(&moved));
    dragged
}

/// A row of weights that is solved again and again while its poses and the locked joints stay: only where it should be changes.
#[derive(Clone, Debug)]
struct HeldRow {
    vertex: usize,
    strength: f64,
    row: Row,
    /// How far each joint alone would put it off from where it was, in sizes of the surface, pose after pose.
    off: Vec<DVec3>,
}

impl HeldRow {
    /// Returns `None` where it stays wherever it should be.
    fn new(of: &Follower, (motions, size): (&[&Motion], f64), rules: &RowRules) -> Option<Self> {
        let (mut row, mut off) = (Row::default(), Vec::new());
        if row.begin(of.before, of.joints, rules).is_some() {
            return None;
        }
        for motion in motions {
            let ghost = |joint: u32| motion.ghost(joint as usize, of.vertex);
            let from = off.len();
            if !row.add(&ghost, at(motion, of.vertex, of.before), size, &mut off) {
                off[from..].fill(DVec3::ZERO);
            }
        }
        row.hold(rules, 1).then_some(Self { vertex: of.vertex, strength: of.strength, row, off })
    }

    /// Solves the weights with which the vertex is moved by so much in each pose, times its strength, in sizes of the surface; with `is_exact` by
    /// the best choice of joints.
    fn solve(&self, memory: &mut (Quadratic, Subset), moved: &[DVec3], is_exact: bool) -> Option<DraggedRow> {
        let moved =
            |pose: usize| moved.get(pose).filter(|by| by.is_finite()).map_or(DVec3::ZERO, |by| *by * self.strength);
        let mut shares = Vec::new();
        let is_found = self.row.find_quickly((&self.off, &moved, is_exact), memory, &mut shares);
        is_found.then_some(DraggedRow { vertex: self.vertex, shares })
    }
}

/// The vertices of a primitive that go along, in some poses.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldRows {
    rows: Vec<HeldRow>,
    size: f64,
}

impl HeldRows {
    /// Looks at where their joints would take them; `motions` are those of their primitive.
    pub fn new(followers: &[Follower], of: (&[&Motion], f64), rules: &RowRules) -> Self {
        let rows = by_chunk(followers.len(), PIECE, &|range| {
            followers[range].iter().filter_map(|row| HeldRow::new(row, of, rules)).collect::<Vec<_>>()
        });
        Self { rows: rows.into_iter().flatten().collect(), size: of.1 }
    }

    /// Solves their weights where the dragged vertex has moved by so much in each pose, metres. Those that stay are left out.
    pub fn along(&self, moved: &[DVec3]) -> Vec<DraggedRow> {
        let moved: Vec<DVec3> = moved.iter().map(|by| *by / self.size).collect();
        let pieces = by_chunk(self.rows.len(), PIECE, &|range| {
            let mut memory = (Quadratic::default(), Subset::default());
            self.rows[range].iter().filter_map(|row| row.solve(&mut memory, &moved, false)).collect::<Vec<_>>()
        });
        pieces.into_iter().flatten().collect()
    }
}

/// The vertex that is dragged, in some poses.
#[derive(Clone, Debug)]
pub(crate) struct HeldVertex {
    row: Option<HeldRow>,
    size: f64,
    before: Vec<(u32, f64)>,
    /// The joints that it may have, and how many these are, then others that it has.
    joints: Vec<u32>,
    may: usize,
    /// For each pose: where each of these joints would take it, and where it was.
    poses: Vec<(Vec<DVec3>, DVec3)>,
}

impl HeldVertex {
    /// Looks at where its joints would take it; its strength does not count.
    pub fn new(of: &Follower, (motions, size): (&[&Motion], f64), rules: &RowRules) -> Self {
        let mut joints = of.joints.to_vec();
        joints.extend(of.before.iter().map(|(joint, _)| *joint).filter(|joint| !of.joints.contains(joint)));
        let pose = |motion: &&Motion| {
            let ghosts: Vec<DVec3> = joints.iter().map(|joint| motion.ghost(*joint as usize, of.vertex)).collect();
            (ghosts, at(motion, of.vertex, of.before))
        };
        let poses = motions.iter().map(pose).collect();
        let row = HeldRow::new(&Follower { strength: 1.0, ..*of }, (motions, size), rules);
        Self { row, size, before: of.before.to_vec(), joints, may: of.joints.len(), poses }
    }

    /// Solves its weights, so that it is at these places, one for each pose, counted from the origin of the motion. Returns what comes of it, and
    /// how far it moves in each pose, metres.
    pub fn to(&self, targets: &[DVec3]) -> (Dragged, Vec<DVec3>) {
        let wanted = self.poses.iter().zip(targets).map(|((_, was), target)| (*target - *was) / self.size);
        let wanted: Vec<DVec3> = wanted.collect();
        let mut memory = (Quadratic::default(), Subset::default());
        let row = self.row.as_ref().and_then(|row| row.solve(&mut memory, &wanted, true));
        let shares = row.as_ref().map_or(&self.before[..], |row| &row.shares[..]);
        let (mut out, mut moved) = (Dragged::default(), Vec::new());
        for ((ghosts, was), target) in self.poses.iter().zip(targets) {
            let ghost =
                |joint: u32| self.joints.iter().position(|known| *known == joint).map_or(DVec3::ZERO, |at| ghosts[at]);
            let landed: DVec3 = shares.iter().map(|(joint, weight)| ghost(*joint) * *weight).sum();
            moved.push(landed - *was);
            out.landed.push(landed);
            out.away.push(landed.distance(*target));
            out.outside.push(hull(&ghosts[..self.may], *target).distance);
        }
        out.rows.extend(row);
        (out, moved)
    }
}

/// Returns where some shares put a vertex.
pub(crate) fn at(motion: &Motion, vertex: usize, shares: &[(u32, f64)]) -> DVec3 {
    shares.iter().map(|(joint, weight)| motion.ghost(*joint as usize, vertex) * *weight).sum()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_anim::pose::rotate;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, Model, NodeId};

    use super::*;
    use crate::Posed;
    use crate::row::RowSolver;

    /// The motion of a tube whose middle joints are turned.
    fn turned(model: &Model, degrees: [Vec3; 2]) -> Motion<'_> {
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), degrees[0]);
        rotate(&mut pose, NodeId(3), degrees[1]);
        Posed::new(model, &pose).motion(InstanceId::from_index(0), 0).unwrap()
    }

    fn shape() -> Model {
        tube(Tube { joints: 3, rings: 13, influences: 2, ..Tube::default() })
    }

    const BEFORE: [(u32, f64); 2] = [(0, 0.5), (1, 0.5)];
    const JOINTS: [u32; 3] = [0, 1, 2];

    fn pulled<'a>(poses: &'a [DragPose<'a>], followers: &'a [Follower<'a>], locked: &'a BTreeSet<u32>) -> Dragged {
        let vertex = Follower { vertex: 100, strength: 1.0, before: &BEFORE, joints: &JOINTS };
        drag(&Drag { poses, vertex, followers, locked, most: 4, keep: 1e-9, size: 2.0 })
    }

    #[test]
    fn a_target_inside_is_reached_one_outside_by_its_nearest_point_and_those_around_go_along() {
        let model = shape();
        let motion = turned(&model, [Vec3::new(50.0, 0.0, 0.0), Vec3::new(0.0, 30.0, 60.0)]);
        let wanted = [(0, 0.2), (1, 0.3), (2, 0.5)];
        let none = BTreeSet::new();
        let inside = [DragPose { target: at(&motion, 100, &wanted), motion: motion.clone() }];
        let followers =
            [1.0, 0.5, 0.0].map(|strength| Follower { vertex: 100, strength, before: &BEFORE, joints: &JOINTS });
        let done = pulled(&inside, &followers, &none);
        assert!(done.away[0] < 2e-4 && done.outside[0] < 1e-6, "{:?} {:?}", done.away, done.outside);
        let was = at(&motion, 100, &BEFORE);
        for (row, strength) in done.rows[1..].iter().zip([1.0, 0.5, 0.0]) {
            let wanted = was.lerp(done.landed[0], strength);
            assert!(at(&motion, 100, &row.shares).distance(wanted) < 4e-4, "{strength}");
        }
        let far = [DragPose { target: DVec3::new(9.0, 0.0, 0.0), motion: motion.clone() }];
        let done = pulled(&far, &[], &none);
        assert!(done.outside[0] > 1.0 && (done.away[0] - done.outside[0]).abs() < 1e-4);
        let locked = BTreeSet::from([0]);
        let held = pulled(&inside, &[], &locked);
        assert!(held.rows[0].shares[0] == (0, 0.5) && held.away[0] > done.away[0] * 1e-4);
    }

    #[test]
    fn moves_from_where_it_was_lead_where_the_places_themselves_do() {
        let model = shape();
        let poses = [Vec3::new(50.0, 0.0, 0.0), Vec3::new(-20.0, 40.0, 10.0)]
            .map(|degrees| turned(&model, [degrees, Vec3::new(0.0, 30.0, 60.0)]));
        for locked in [BTreeSet::new(), BTreeSet::from([1])] {
            for count in [1, 2] {
                for wanted in [[0.1, 0.3, 0.6], [0.8, 0.2, 0.0], [-0.5, 1.0, 0.5]] {
                    let shares: Vec<(u32, f64)> = (0..).zip(wanted).collect();
                    let held: Vec<DragPose> = poses[..count]
                        .iter()
                        .map(|motion| DragPose { target: at(motion, 100, &shares), motion: motion.clone() })
                        .collect();
                    let landed = pulled(&held, &[], &locked).landed;
                    let rules = RowRules { most: 4, keep: 1e-9, prefers_own: true, locked: &locked };
                    let mut solver = RowSolver::default();
                    assert_eq!(solver.begin(&BEFORE, &JOINTS, &rules), None);
                    for pose in &held {
                        solver.add(&|joint| pose.motion.ghost(joint as usize, 100), pose.target, 2.0);
                    }
                    let mut found = Vec::new();
                    assert_eq!(solver.finish(&rules, 1, &mut found), Some(true));
                    for (pose, landed) in held.iter().zip(landed) {
                        let apart = at(&pose.motion, 100, &found).distance(landed);
                        assert!(apart < 1e-6, "{count} poses, {wanted:?}: {apart}");
                    }
                }
            }
        }
    }

    #[test]
    fn several_poses_are_better_on_poses_that_were_not_shown() {
        let model = shape();
        let wanted = [(0, 0.25), (1, 0.35), (2, 0.4)];
        let pose = |degrees| {
            let motion = turned(&model, degrees);
            DragPose { target: at(&motion, 100, &wanted), motion }
        };
        // Both joints turn about one axis, so that one pose does not tell the weights.
        let shown = [
            pose([Vec3::X * 30.0, Vec3::X * 40.0]),
            pose([Vec3::X * -50.0, Vec3::ZERO]),
            pose([Vec3::ZERO, Vec3::X * 70.0]),
        ];
        let others = [pose([Vec3::X * 80.0, Vec3::X * -60.0]), pose([Vec3::X * -40.0, Vec3::X * 90.0])];
        let none = BTreeSet::new();
        let error = |count: usize| -> f64 {
            let done = pulled(&shown[..count], &[], &none);
            others.iter().map(|other| at(&other.motion, 100, &done.rows[0].shares).distance(other.target)).sum()
        };
        assert!(error(3) < 1e-3 && error(3) < 0.5 * error(1), "{} {}", error(1), error(3));
    }
}
