//! The skin of a limb at a joint: over how many rows of vertices the weights pass from the joint above to this one, how thick the limb is
//! there, how far the joint turns in the clips, and how much of its volume the limb keeps in a pose.

use std::f32::consts::{PI, TAU};
use std::ops::Range;

use glam::{Affine3A, Mat3A, Quat, Vec3};
use skinscope_anim::{SampleScratch, evaluate_clip, local_to_model};
use skinscope_deform::{Limits, MeasureScratch, MeasuredSurface, Patch};
use skinscope_model::{ClipId, LocalPose, NodeId};

use super::motion::Point;
use super::{FindingPose, Measure, SkinSurface, Subject};

/// How many moments of clips are looked at in all, and the most of one clip.
const MOMENTS: usize = 720;
const MOMENTS_OF_A_CLIP: usize = 32;
/// A point follows the joint above where the joint has less than this share of it, and the joint where it has more than the other.
const SHARES: [f32; 2] = [0.1, 0.9];
/// The widest gap between two points of a ring around a limb, radians.
const WIDEST_GAP: f32 = 2.6;
/// How far the skin belongs to a joint, in radii of the limb.
const REACH: f32 = 2.0;
/// The least part of the cylinder of that length and the radius of the limb that the skin around a joint has to enclose: what is left of a limb
/// of few long triangles is no part of it whose volume would say anything.
const COARSE: f64 = 0.1;
/// By how much the lengths of the axes of a rotation may differ.
const EVEN: f32 = 1.05;
/// Nothing is a fault here: only the volume is read.
const LIMITS: Limits = Limits { stretch: f32::INFINITY, area: [0.0, f32::INFINITY], fold: PI, folded_by: PI };

/// Where the weights of a surface pass from one joint to another that turns against it.
pub(super) struct Seam<'a> {
    surface: &'a SkinSurface,
    /// The joint above.
    above: NodeId,
    /// The usual number of rows of vertices that follow neither side alone: 0 where an edge leads from one side to the other.
    pub rows: usize,
    /// How far along the bone the weights pass, metres.
    pub width: f32,
    /// The radius of the limb, metres.
    pub radius: f32,
    /// Whether the joint lies where the weights pass to it: no farther off than the limb is thick.
    pub is_at_joint: bool,
    /// The joint's position and how far the skin around it reaches, in the space of the surface.
    center: Vec3,
    reach: f32,
    /// The piece of the surface.
    shell: u32,
}

impl<'a> Seam<'a> {
    /// Finds where the weights of a surface pass from the first joint to the second. `None` where no surface joins them, or where it does
    /// not go around the bone, as clothes and armour do not always.
    pub fn of(subject: &Subject, surface: &'a SkinSurface, [above, joint]: [NodeId; 2]) -> Option<Self> {
        let bones = surface.bones_of(joint);
        let center = bones.first()?.head;
        let axis = bones.iter().map(|bone| bone.tail - bone.head).sum::<Vec3>().try_normalize()?;
        let below = joint.index()..subject.model.skeleton.subtree_end(joint);
        let ways = ways(surface, shares(surface, &below));
        let (first, ..) = *ways.first()?;
        let at = |point: u32| surface.positions[point as usize] - center;
        let ring: Vec<Vec3> = ways.iter().map(|(point, ..)| at(*point)).collect();
        if !goes_around(&ring, axis) {
            return None;
        }
        let radius = median(ring.iter().map(|off| off.reject_from_normalized(axis).length()).collect())?;
        let along = median(ring.iter().map(|off| off.dot(axis).abs()).collect())?;
        let width = median(ways.iter().map(|(to, from, _)| (at(*to) - at(*from)).dot(axis).abs()).collect())?;
        let mut rows: Vec<usize> = ways.iter().map(|(.., rows)| *rows).collect();
        rows.sort_unstable();
        Some(Self {
            surface,
            above,
            rows: rows[rows.len() / 2],
            width: width * surface.world_scale,
            radius: radius * surface.world_scale,
            is_at_joint: along <= REACH * radius,
            center,
            reach: REACH * radius,
            shell: surface.shell[first as usize],
        })
    }

    /// Returns the same place of the same surface with other weights.
    pub fn on<'b>(&self, surface: &'b SkinSurface) -> Seam<'b> {
        let Seam { above, rows, width, radius, is_at_joint, center, reach, shell, .. } = *self;
        Seam { surface, above, rows, width, radius, is_at_joint, center, reach, shell }
    }

    /// Returns what measures the volume of the skin within two radii of the joint.
    pub fn volume(&self, subject: &Subject) -> Volume {
        let surface = self.surface;
        let count = surface.mesh.vertex_count();
        let point = |vertex: u32| surface.mesh.point(vertex) as usize;
        let bound: Vec<Vec3> = (0..count).map(|v| surface.positions[point(v)] * surface.world_scale).collect();
        let is_near = |vertex: &u32| {
            let at = point(*vertex);
            surface.shell[at] == self.shell && surface.positions[at].distance(self.center) <= self.reach
        };
        let takes = |corners: &[u32]| corners.iter().all(is_near);
        let patch = Patch::new(&surface.mesh, &bound, 0.0, &takes, &mut |corners| vec![Vec3::ZERO; corners.len()]);
        let vertices = patch.vertices().into_iter();
        let cylinder = std::f64::consts::PI * 2.0 * f64::from(REACH) * f64::from(self.radius).powi(3);
        let is_small = |volume: f64| volume.abs() < COARSE * cylinder;
        Volume {
            is_coarse: patch.measured_vertices().is_empty() || patch.rest_volume().is_some_and(is_small),
            points: vertices.map(|vertex| (vertex, Point::new(subject, surface, vertex))).collect(),
            facing: vec![Vec3::ZERO; patch.triangles().count()],
            positions: bound,
            above: self.above,
            scratch: MeasureScratch::default(),
            patch,
        }
    }
}

/// The skin around a joint, whose volume is measured in poses.
pub(super) struct Volume {
    /// Whether the skin has so few triangles there that its volume says nothing.
    pub is_coarse: bool,
    patch: Patch,
    points: Vec<(u32, Point)>,
    positions: Vec<Vec3>,
    facing: Vec<Vec3>,
    above: NodeId,
    scratch: MeasureScratch,
}

impl Volume {
    /// Returns the volume in a pose over that as the skin was bound; `None` where it does not enclose one, or is too coarse.
    pub fn kept(&mut self, subject: &Subject, pose: &[Affine3A]) -> Option<f64> {
        if self.is_coarse {
            return None;
        }
        for (vertex, point) in &self.points {
            self.positions[*vertex as usize] = point.at(pose);
        }
        let posed = MeasuredSurface { positions: &self.positions, facing: &self.facing };
        let measures = self.patch.measure(posed, &LIMITS, &mut self.scratch, &mut |_, _| {});
        let above = self.above.index();
        let [now, rest] = [pose, &subject.rest[..]].map(|pose| f64::from(pose[above].matrix3.determinant().abs()));
        // What the clip scales as a whole loses nothing.
        measures.volume.map(|kept| kept * rest / now).filter(|kept| kept.is_finite())
    }
}

/// Returns the share that joints of a subtree have of each point of a surface, and the points of which they have some, rising.
fn shares(surface: &SkinSurface, below: &Range<usize>) -> (Vec<f32>, Vec<u32>) {
    let mut out = vec![0.0; surface.positions.len()];
    let mut some = Vec::new();
    let first = surface.joints.partition_point(|(node, _)| node.index() < below.start);
    let inside = surface.joints[first..].iter().take_while(|(node, _)| node.index() < below.end);
    for (point, _) in inside.flat_map(|(_, moved)| moved) {
        let Some(vertex) = surface.mesh.members(*point).first() else { continue };
        let weights = surface.weights(*vertex);
        let sum: f32 = weights.iter().map(|(_, weight)| *weight).sum();
        let own: f32 =
            weights.iter().filter(|(node, _)| below.contains(&node.index())).map(|(_, weight)| *weight).sum();
        if sum > 0.0 && own > 0.0 {
            out[*point as usize] = own / sum;
            some.push(*point);
        }
    }
    some.sort_unstable();
    some.dedup();
    (out, some)
}

/// Returns the shortest ways over edges from points that do not follow a joint to points that follow it alone: the last point of each, the
/// first one, and how many points lie between.
fn ways(surface: &SkinSurface, (shares, some): (Vec<f32>, Vec<u32>)) -> Vec<(u32, u32, usize)> {
    let [few, most] = SHARES;
    let is_outside = |point: u32| shares[point as usize] < few;
    let around = |point: u32| surface.mesh.neighbours(point).iter().copied();
    let inside = some.iter().copied().filter(|point| !is_outside(*point));
    let mut open: Vec<u32> = inside.flat_map(around).filter(|point| is_outside(*point)).collect();
    open.sort_unstable();
    open.dedup();
    // One more than the first point of the way to each point; 0 where none leads there yet.
    let mut from = vec![0_u32; shares.len()];
    let (mut out, mut rows) = (Vec::new(), 0);
    while !open.is_empty() {
        let mut next = Vec::new();
        for point in open {
            let first = from[point as usize].checked_sub(1).unwrap_or(point);
            for to in around(point) {
                if is_outside(to) || from[to as usize] != 0 {
                    continue;
                }
                from[to as usize] = first + 1;
                if shares[to as usize] > most {
                    out.push((to, first, rows));
                } else {
                    next.push(to);
                }
            }
        }
        open = next;
        rows += 1;
    }
    out
}

/// Returns whether points, relative to a point of an axis, stand on all sides of it.
fn goes_around(ring: &[Vec3], axis: Vec3) -> bool {
    let side = axis.any_orthonormal_vector();
    let up = axis.cross(side);
    let mut angles: Vec<f32> = ring.iter().map(|off| off.dot(up).atan2(off.dot(side))).collect();
    angles.sort_by(f32::total_cmp);
    let (Some(first), Some(last)) = (angles.first(), angles.last()) else { return false };
    let back = first + TAU - last;
    angles.windows(2).map(|pair| pair[1] - pair[0]).chain([back]).all(|gap| gap < WIDEST_GAP)
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().filter(|value| value.is_finite())
}

/// Returns the inverse bind matrices of two joints, of a skin of the surface that has both.
pub(super) fn binds(subject: &Subject, surface: &SkinSurface, joints: [NodeId; 2]) -> Option<[Affine3A; 2]> {
    surface.parts.iter().find_map(|part| {
        let skin = subject.skinned[part.skinned].skin;
        let bind = |joint: NodeId| {
            let at = skin.joints.iter().position(|other| *other == joint)?;
            Some(skin.inverse_bind[at]).filter(|bind| bind.inverse().is_finite())
        };
        Some([bind(joints[0])?, bind(joints[1])?])
    })
}

/// Returns how the second joint is turned against the first in a pose, from how both were bound, in the space of the mesh as bound; `None`
/// where one of them is scaled unevenly or mirrored, so that it is no turn.
pub(super) fn turn(pose: &[Affine3A], joints: [NodeId; 2], binds: [Affine3A; 2]) -> Option<Quat> {
    let [above, below] = [0, 1].map(|i| pose[joints[i].index()] * binds[i]);
    let moved = (above.inverse() * below).matrix3;
    let lengths = [moved.x_axis, moved.y_axis, moved.z_axis].map(|axis| axis.length());
    let (least, most) = (lengths.into_iter().fold(f32::INFINITY, f32::min), lengths.into_iter().fold(0.0, f32::max));
    let is_even = least > 0.0 && most < EVEN * least;
    if !is_even {
        return None;
    }
    let [x, y, z] = lengths;
    let rotation = Mat3A::from_cols(moved.x_axis / x, moved.y_axis / y, moved.z_axis / z);
    (rotation.determinant() > 0.9).then(|| Quat::from_mat3a(&rotation).normalize())
}

/// Returns the angle of a turn, degrees 0…180.
pub(super) fn degrees(turn: Quat) -> f32 {
    (2.0 * turn.xyz().length().atan2(turn.w.abs())).to_degrees()
}

/// Returns how far a turn goes about an axis of unit length, degrees −180…180.
pub(super) fn degrees_about(turn: Quat, axis: Vec3) -> f32 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    (2.0 * turn.xyz().dot(axis).atan2(turn.w)).to_degrees()
}

/// Calls `visit` with the poses of all clips at moments from their first key to their last one. It ends early once the check is
/// cancelled.
pub(super) fn each_moment(subject: &Subject, visit: &mut dyn FnMut(&[Affine3A], ClipId, f32)) {
    let model = subject.model;
    let (mut local, mut world, mut scratch) = (LocalPose::default(), Vec::new(), SampleScratch::default());
    let of_each = (MOMENTS / model.clips.len().max(1)).clamp(2, MOMENTS_OF_A_CLIP);
    let every = (2 * model.clips.len()).div_ceil(MOMENTS).max(1);
    for (id, clip) in model.clips.iter().enumerate().step_by(every) {
        for i in 0..of_each {
            if subject.is_cancelled() {
                return;
            }
            let part = i as f32 / (of_each - 1) as f32;
            let time_secs = clip.start_secs + (clip.end_secs - clip.start_secs) * part;
            evaluate_clip(model, clip, time_secs, &mut scratch, &mut local, &mut world);
            visit(&world, ClipId::from_index(id), time_secs);
        }
    }
}

/// Returns the matrices of all nodes in a pose.
pub(super) fn posed(subject: &Subject, pose: FindingPose) -> Vec<Affine3A> {
    let model = subject.model;
    let mut world = Vec::new();
    match pose {
        FindingPose::Rest => world.clone_from(&subject.rest),
        FindingPose::Turned { joint, axis, angle } => {
            let mut local = model.skeleton.rest.clone();
            let transform = &mut local.transforms[joint.index()];
            transform.rotation = (transform.rotation * Quat::from_axis_angle(axis, angle)).normalize();
            model.drive_links(&mut local);
            local_to_model(&model.skeleton, &local, &mut world);
        }
        FindingPose::Clip { clip, time_secs } => {
            let (mut local, mut scratch) = (LocalPose::default(), SampleScratch::default());
            evaluate_clip(model, &model.clips[clip.index()], time_secs, &mut scratch, &mut local, &mut world);
        }
    }
    world
}

/// Says how much of its volume the skin loses around a joint.
pub(super) fn kept_text(kept: f64) -> String {
    let what = "the skin within two radii of the joint";
    let lost = 100.0 * (1.0 - kept);
    if lost >= 0.5 {
        format!("{what} loses {lost:.0} % of the volume that it was bound with")
    } else if lost <= -0.5 {
        format!("{what} has {:.0} % more volume than it was bound with: it is drawn out, or lies within itself", -lost)
    } else {
        format!("{what} keeps the volume that it was bound with")
    }
}

/// Returns what a finding says of the volume, and its measure; `kept` is `None` where the skin is too coarse.
pub(super) fn told(when: &str, kept: Option<f64>) -> (String, Option<Measure>) {
    let Some(kept) = kept else {
        return ("The skin there has too few triangles to say what volume that costs.".to_owned(), None);
    };
    let measure = Measure { what: "lost volume", value: 100.0 * (1.0 - kept), unit: "%" };
    (format!("{when} {}.", kept_text(kept)), Some(measure))
}
