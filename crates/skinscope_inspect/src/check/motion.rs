//! Measures how far a surface opens under motion: gaps between its vertices over a set of test poses.
//!
//! The test poses: rest, each of the (at most 32 heaviest) joints that move the gap turned by 45° and 90° either way
//! about each of its axes, and the file's clips at a few times.

use std::collections::HashMap;

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::{SampleScratch, evaluate_clip};
use skinscope_model::{ClipId, LocalPose, NodeId, Skeleton};

use super::{FindingPose, SkinSurface, Subject};

/// The angles by which joints are turned, degrees.
const ANGLES: [f32; 4] = [45.0, -45.0, 90.0, -90.0];
/// The angle by which a joint is turned to show what it moves, degrees.
const SHOWN: f32 = 45.0;
/// The most joints that are turned for one gap: the heaviest ones.
const TURNED: usize = 32;
/// How many poses of clips are tested in all, spread over all clips.
const CLIP_POSES: usize = 64;
/// The most poses that are tested of one clip.
const POSES_OF_A_CLIP: usize = 8;

/// A vertex that is moved: its joints, their shares of it (which sum to one), and its position in the space of each.
#[derive(Clone, Debug)]
pub(super) struct Point(Vec<(NodeId, f32, Vec3)>);

impl Point {
    /// Takes a numbered vertex of a surface. Its weights are divided by their sum: a wrong sum is found by another
    /// rule.
    pub fn new(subject: &Subject, surface: &SkinSurface, vertex: u32) -> Self {
        let (part, stored) = surface.stored(vertex);
        let skinned = &subject.skinned[part.skinned];
        let position = skinned.source.positions[stored as usize];
        let (joints, weights) = skinned.influences.of(stored as usize);
        let used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0 && w.is_finite());
        let sum: f32 = used.clone().map(|(_, w)| *w).sum();
        let influence = |(joint, weight): (&u16, &f32)| {
            let joint = usize::from(*joint);
            (skinned.skin.joints[joint], *weight / sum, skinned.skin.inverse_bind[joint].transform_point3(position))
        };
        Self(used.map(influence).collect())
    }

    /// Returns the position in a pose.
    pub fn at(&self, pose: &[Affine3A]) -> Vec3 {
        self.0.iter().map(|(joint, weight, at)| pose[joint.index()].transform_point3(*at) * *weight).sum()
    }

    /// Returns the position when the joints of a subtree are moved by pose `by` of `turn`.
    fn turned(&self, rest: &[Affine3A], turn: &Turn, by: usize) -> Vec3 {
        let moved = |(joint, weight, at): &(NodeId, f32, Vec3)| {
            let world = rest[joint.index()].transform_point3(*at);
            let inside = (turn.joint.index()..turn.end).contains(&joint.index());
            if inside { turn.by[by].transform_point3(world) * *weight } else { world * *weight }
        };
        self.0.iter().map(moved).sum()
    }
}

/// A gap that may open when the surface moves.
#[derive(Clone, Debug)]
pub(super) enum Gap {
    /// A gap between two vertices.
    Between([Point; 2]),
    /// A gap between a vertex (the last) and the edge that joins two others.
    FromEdge([Point; 3]),
}

impl Gap {
    /// Returns the joints that move it, the heaviest first.
    fn joints(&self) -> Vec<NodeId> {
        let points: &[Point] = match self {
            Self::Between(points) => points,
            Self::FromEdge(points) => points,
        };
        let mut all: Vec<(NodeId, f32)> = points.iter().flat_map(|p| p.0.iter().map(|i| (i.0, i.1))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        all.dedup_by_key(|i| i.0);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.into_iter().take(TURNED).map(|i| i.0).collect()
    }

    fn width(&self, at: impl Fn(&Point) -> Vec3) -> f32 {
        match self {
            Self::Between([a, b]) => at(a).distance(at(b)),
            Self::FromEdge([a, b, p]) => from_segment(at(p), at(a), at(b)),
        }
    }
}

/// Returns the distance of `p` from the segment between `a` and `b`.
pub(super) fn from_segment(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    let along = b - a;
    let length = along.length_squared();
    let t = if length > 0.0 { ((p - a).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + along * t)
}

/// A joint that is turned in all test poses.
struct Turn {
    joint: NodeId,
    /// One past the last node of its subtree.
    end: usize,
    poses: Vec<FindingPose>,
    /// For each pose: the matrix that moves everything below the joint, in model space.
    by: Vec<Affine3A>,
}

impl Turn {
    fn new(subject: &Subject, joint: NodeId, end: usize) -> Self {
        let world = subject.rest[joint.index()];
        let mut out = Self { joint, end, poses: Vec::new(), by: Vec::new() };
        // The node's scale is applied before its rotation, so the turn acts on what is around the joint and not on its
        // scale.
        let transform = subject.model.skeleton.rest.transforms[joint.index()];
        let local = subject.model.skeleton.local_matrix(joint.index(), transform);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for angle in ANGLES.map(f32::to_radians) {
                let mut turned = transform;
                turned.rotation = (transform.rotation * Quat::from_axis_angle(axis, angle)).normalize();
                let now = subject.model.skeleton.local_matrix(joint.index(), turned);
                let by = world * local.inverse() * now * world.inverse();
                if by.is_finite() {
                    out.poses.push(FindingPose::Turned { joint, axis, angle });
                    out.by.push(by);
                }
            }
        }
        out
    }
}

/// Returns one past the last node of the subtree of each node: nodes are in depth-first order.
fn subtree_ends(skeleton: &Skeleton) -> Vec<usize> {
    let mut out: Vec<usize> = (1..=skeleton.len()).collect();
    for (node, parent) in skeleton.parents.iter().enumerate().rev() {
        if let Some(parent) = parent {
            out[parent.index()] = out[parent.index()].max(out[node]);
        }
    }
    out
}

/// Returns the pose that shows best that `joint` moves a vertex of a surface: the joint is turned about the one of its
/// axes from which the vertex is farthest.
pub(super) fn shown_by(subject: &Subject, surface: &SkinSurface, vertex: u32, joint: NodeId) -> FindingPose {
    let point = Point::new(subject, surface, vertex);
    let Some((_, _, at)) = point.0.iter().find(|i| i.0 == joint) else { return FindingPose::Rest };
    let from_axis = |axis: &Vec3| axis.cross(*at).length();
    let axis = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().max_by(|a, b| from_axis(a).total_cmp(&from_axis(b)));
    axis.map_or(FindingPose::Rest, |axis| FindingPose::Turned { joint, axis, angle: SHOWN.to_radians() })
}

/// Returns the widest opening of each gap (metres in the world), and its pose. Empty once the check is cancelled.
pub(super) fn widest(subject: &Subject, gaps: &[Gap]) -> Vec<(f32, FindingPose)> {
    let mut turns: HashMap<NodeId, Turn> = HashMap::new();
    let ends = subtree_ends(&subject.model.skeleton);
    let mut out = Vec::with_capacity(gaps.len());
    for gap in gaps {
        if subject.is_cancelled() {
            return Vec::new();
        }
        let mut best = (gap.width(|p| p.at(&subject.rest)), FindingPose::Rest);
        for joint in gap.joints() {
            let turn = turns.entry(joint).or_insert_with(|| Turn::new(subject, joint, ends[joint.index()]));
            for (i, pose) in turn.poses.iter().enumerate() {
                keep_wider(&mut best, gap.width(|p| p.turned(&subject.rest, turn, i)), *pose);
            }
        }
        out.push(best);
    }
    if !gaps.is_empty() {
        widest_in_clips(subject, gaps, &mut out);
    }
    // A width that overflows in every pose is ignored.
    out.iter_mut().filter(|(width, _)| !width.is_finite()).for_each(|(width, _)| *width = 0.0);
    out
}

fn keep_wider(best: &mut (f32, FindingPose), width: f32, pose: FindingPose) {
    // A width that is not finite has another cause.
    if width.is_finite() && (width > best.0 || !best.0.is_finite()) {
        *best = (width, pose);
    }
}

fn widest_in_clips(subject: &Subject, gaps: &[Gap], out: &mut [(f32, FindingPose)]) {
    let model = subject.model;
    let (mut local, mut world, mut scratch) = (LocalPose::default(), Vec::new(), SampleScratch::default());
    let of_each = (CLIP_POSES / model.clips.len().max(1)).clamp(1, POSES_OF_A_CLIP);
    let every = model.clips.len().div_ceil(CLIP_POSES).max(1);
    for (id, clip) in model.clips.iter().enumerate().step_by(every) {
        for i in 0..of_each {
            if subject.is_cancelled() {
                return;
            }
            let part = (i as f32 + 0.5) / of_each as f32;
            let time_secs = clip.start_secs + (clip.end_secs - clip.start_secs) * part;
            evaluate_clip(model, clip, time_secs, &mut scratch, &mut local, &mut world);
            let pose = FindingPose::Clip { clip: ClipId::from_index(id), time_secs };
            for (gap, best) in gaps.iter().zip(&mut *out) {
                keep_wider(best, gap.width(|p| p.at(&world)), pose);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use skinscope_anim::local_to_model;
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;
    use crate::check::CheckOptions;

    /// The course has uneven scales, a mirror, a shear and eight influences for each vertex.
    #[test]
    fn a_turned_joint_carries_a_vertex_as_the_whole_pose_does() {
        let model = obstacle_course();
        let (options, cancel) = (CheckOptions::default(), AtomicBool::new(false));
        let subject = Subject::new(&model, &options, &cancel);
        let surface = &subject.surfaces()[0];
        let ends = subtree_ends(&model.skeleton);
        for joint in model.skins[0].joints.iter().copied() {
            assert_eq!(ends[joint.index()], model.skeleton.subtree_end(joint));
            let turn = Turn::new(&subject, joint, ends[joint.index()]);
            assert_eq!(turn.by.len(), 12);
            for (i, pose) in turn.poses.iter().enumerate() {
                let FindingPose::Turned { axis, angle, .. } = *pose else { panic!("turned") };
                let mut local = model.skeleton.rest.clone();
                local.transforms[joint.index()].rotation *= Quat::from_axis_angle(axis, angle);
                let mut world = Vec::new();
                local_to_model(&model.skeleton, &local, &mut world);
                for vertex in (0..surface.mesh.vertex_count()).step_by(7) {
                    let point = Point::new(&subject, surface, vertex);
                    let (got, want) = (point.turned(&subject.rest, &turn, i), point.at(&world));
                    assert!(got.distance(want) < 1e-4, "joint {joint:?}, vertex {vertex}: {got} and {want}");
                }
            }
        }
    }
}
