//! Edits of poses: pose files, inverse kinematics, mirroring, retargeting to other models, and controls.
//!
//! These are plain functions of a model and a [`LocalPose`], which they change directly. They know nothing of surfaces,
//! windows or the history of edits. Rotations of a pose may have any length except 0 here, since a pose file preserves
//! the numbers that it was given; all code that computes with one normalises it first ([`unit()`]).

mod apply;
mod carried_keys;
mod carry;
mod clips;
pub mod controls;
mod counterparts;
mod expressions;
#[cfg(test)]
mod family_tests;
mod file;
mod ik;
mod keyed;
mod keys;
mod listed;
mod mirror;
mod mirrored_clip;
mod moment;
mod named;
mod proposal;
mod reach;
mod spelling;
mod standing;

pub use apply::{Resolved, add, blend, capture, posed_by, resolve, target_key, target_of};
pub use carry::carry;
pub use clips::{CarriedClips, carry_clips, clip_joints};
pub use counterparts::{MapError, NameMap, NodeMap, counterparts, may_be_one};
pub use file::{Channels, FileError, PoseFile, VERSION};
use glam::{DAffine3, DMat3, Quat, Vec3};
pub use ik::Triangle;
pub use keyed::{keyed_clip, resting_clip};
pub use keys::Keys;
pub use listed::{find_named, known_names};
pub use mirror::{Axis, Mirror};
pub use mirrored_clip::MirroredClip;
pub use moment::{ClipMoment, MomentError};
pub use named::{NameError, find_key, find_node, near_misses, nearest_names};
pub use proposal::propose;
pub use reach::{
    Aim, Reach, ReachError, Reached, default_root, look, reach, reach_target, restore_pinned, world_matrices,
};
use skinscope_base::math::{self, quat_from_euler_xyz_degrees, wide_unit};
pub use skinscope_model::Limits;
use skinscope_model::{LocalPose, NodeId, Skeleton};

use super::far;

/// Returns the normalised rotation; `None` where its length is 0 or not finite. It is computed in f64 ([`math::unit`]), as in import.
#[must_use]
pub fn unit(rotation: Quat) -> Option<Quat> {
    math::unit(rotation).map(|wide| wide.as_quat())
}

/// Rotates a node by angles in degrees about its own X, then Y, then Z axis, in addition to its present rotation: `R' =
/// R · Rz · Ry · Rx`, the same order as that of the sliders.
pub fn rotate(pose: &mut LocalPose, node: NodeId, degrees: Vec3) {
    let now = wide_unit(pose.transforms[node.index()].rotation);
    let turn = quat_from_euler_xyz_degrees(degrees).as_dquat().normalize();
    pose.transforms[node.index()].rotation = (now * turn).normalize().as_quat();
}

/// Returns `parent_from_node` in f64.
fn local(skeleton: &Skeleton, pose: &LocalPose, index: usize) -> DAffine3 {
    let transform = pose.transforms[index];
    let turned = DMat3::from_quat(wide_unit(transform.rotation));
    DAffine3 { matrix3: turned * far::stretch(skeleton, pose, index), translation: transform.translation.as_dvec3() }
}

/// Returns `model_from_node` of every node in f64, parents first.
pub(super) fn world(skeleton: &Skeleton, pose: &LocalPose) -> Vec<DAffine3> {
    let mut out: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for (i, parent) in skeleton.parents.iter().enumerate() {
        let own = local(skeleton, pose, i);
        out.push(parent.map_or(own, |p| out[p.index()] * own));
    }
    let shifts = far::shifts(skeleton, pose);
    if !shifts.is_empty() {
        let origin = far::origin(skeleton, &shifts);
        out.iter_mut().enumerate().for_each(|(node, m)| m.translation += far::total(&shifts, node) - origin);
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;
    use crate as anim;

    #[test]
    fn the_wide_kinematics_are_those_of_the_picture() {
        let model = obstacle_course();
        let skeleton = &model.skeleton;
        let mut matrices = Vec::new();
        anim::local_to_model(skeleton, &skeleton.rest, &mut matrices);
        for (wide, usual) in world(skeleton, &skeleton.rest).iter().zip(&matrices) {
            assert!(wide.as_affine3().abs_diff_eq((*usual).into(), 1e-5), "{wide:?} {usual:?}");
        }
    }

    #[test]
    fn a_rotation_is_put_on_top_in_the_order_of_the_sliders() {
        let skeleton = obstacle_course().skeleton.clone();
        let mut pose = skeleton.rest.clone();
        let degrees = Vec3::new(20.0, -35.0, 60.0);
        // Node 3 has no rotation at rest, so it shows the angles that were asked for. Node 5 turns within its own
        // frame.
        for node in [NodeId(3), NodeId(5)] {
            rotate(&mut pose, node, degrees);
            let [x, y, z] = degrees.to_array().map(f32::to_radians);
            let turn = Quat::from_rotation_z(z) * Quat::from_rotation_y(y) * Quat::from_rotation_x(x);
            let want = skeleton.rest.transforms[node.index()].rotation * turn;
            assert!((pose.transforms[node.index()].rotation - want).length() < 1e-6);
        }
        let shown = math::euler_xyz_degrees(pose.transforms[3].rotation);
        assert!((shown - degrees).length() < 1e-3, "{shown}");
    }
}
