//! Dragging one vertex in one pose or in several: its weights follow, and those of the vertices around it.

use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_base::parallel::by_chunk;

use crate::hull::hull;
use crate::motion::Motion;
use crate::row::{RowRules, RowSolver};

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
/// the dragged vertex has really done, times their strength: it may not have come all the way. Where more joints would have weight than may,
/// those with the least are left out: a drag has to be quick, and the next move begins anew.
#[must_use]
pub fn drag(drag: &Drag) -> Dragged {
    let Drag { poses, vertex: own, followers, .. } = *drag;
    let motions: Vec<&Motion> = poses.iter().map(|pose| &pose.motion).collect();
    let rules = RowRules { most: drag.most, keep: drag.keep, locked: drag.locked, proves: false };
    let mut solver = RowSolver::default();
    let first = solve(&mut solver, &own, (&motions, drag.size), &rules, &|number| poses[number].target);
    let shares = first.as_ref().map_or(own.before, |row| &row.shares[..]);
    let landed: Vec<DVec3> = poses.iter().map(|pose| at(&pose.motion, own.vertex, shares)).collect();
    let moved: Vec<DVec3> =
        poses.iter().zip(&landed).map(|(pose, at_now)| *at_now - at(&pose.motion, own.vertex, own.before)).collect();
    let others = follow((&motions, drag.size), &moved, followers, &rules);
    let away = poses.iter().zip(&landed).map(|(pose, landed)| landed.distance(pose.target)).collect();
    let outside = poses.iter().map(|pose| {
        let ghosts: Vec<DVec3> =
            own.joints.iter().map(|joint| pose.motion.ghost(*joint as usize, own.vertex)).collect();
        hull(&ghosts, pose.target).distance
    });
    let outside = outside.collect();
    Dragged { rows: first.into_iter().chain(others).collect(), landed, away, outside }
}

/// Solves the weights of vertices that go along with one that has moved by so much in each pose; `motions` are those of their own primitive.
pub(crate) fn follow(
    (motions, size): (&[&Motion], f64),
    moved: &[DVec3],
    followers: &[Follower],
    rules: &RowRules,
) -> Vec<DraggedRow> {
    let pieces = by_chunk(followers.len(), PIECE, &|range| {
        let mut solver = RowSolver::default();
        let mut out = Vec::new();
        for row in &followers[range] {
            let target = |number: usize| at(motions[number], row.vertex, row.before) + moved[number] * row.strength;
            out.extend(solve(&mut solver, row, (motions, size), rules, &target));
        }
        out
    });
    pieces.into_iter().flatten().collect()
}

/// Solves the weights of one vertex, which should be at these targets in the poses; `None` where it stays.
fn solve(
    solver: &mut RowSolver,
    row: &Follower,
    (motions, size): (&[&Motion], f64),
    rules: &RowRules,
    targets: &dyn Fn(usize) -> DVec3,
) -> Option<DraggedRow> {
    if solver.begin(row.before, row.joints, rules).is_some() {
        return None;
    }
    for (number, motion) in motions.iter().enumerate() {
        let ghost = |joint: u32| motion.ghost(joint as usize, row.vertex);
        solver.add(&ghost, targets(number), size);
    }
    let mut shares = Vec::new();
    solver.finish(rules, 1, &mut shares)?;
    Some(DraggedRow { vertex: row.vertex, shares })
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
