//! The numbers of a pose that controls read and set.

use glam::{DQuat, DVec3};
use skinscope_base::math::wide_unit;
use skinscope_model::degrees_from_rest;
use skinscope_model::{LocalPose, Model, NodeId};

use super::super::local;
use super::Slider;

/// A number of a pose that a control can set. Axes are 0 (X), 1 (Y) and 2 (Z).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// The angle from rest about an axis of the node, degrees.
    Angle(NodeId, usize),
    /// The translation from rest along an axis of the parent, metres.
    Translation(NodeId, usize),
    /// The scale along an axis of the node, as a factor of that at rest.
    Scale(NodeId, usize),
    /// The weight of a morph target, by its index in [`LocalPose::morph_weights`].
    Morph(usize),
    /// The value of a slider, by its index.
    Slider(usize),
}

/// Returns the angles of a node from rest, degrees, as [`super::super::Limits`] defines them; where X and Z would both
/// be beyond ±90°, it returns the equal triple in which Y is.
pub(super) fn angles(model: &Model, pose: &LocalPose, node: NodeId) -> DVec3 {
    let (rest, now) = turns(model, pose, node);
    let found = degrees_from_rest(rest, now);
    if found.x.abs() <= 90.0 || found.z.abs() <= 90.0 {
        return found;
    }
    // The same rotation has other angles too: X and Z half a turn back, and Y as far beyond 90° as it was below it.
    let turned_back = |angle: f64| angle - 180.0_f64.copysign(angle);
    DVec3::new(turned_back(found.x), 180.0_f64.copysign(found.y) - found.y, turned_back(found.z))
}

fn turns(model: &Model, pose: &LocalPose, node: NodeId) -> (DQuat, DQuat) {
    let [rest, now] = [&model.skeleton.rest, pose].map(|pose| wide_unit(pose.transforms[node.index()].rotation));
    (rest, now)
}

/// Sets the rotation of a node from its angles from rest, degrees.
pub(super) fn turn(model: &Model, pose: &mut LocalPose, node: NodeId, angles: DVec3) {
    let (rest, _) = turns(model, pose, node);
    let [x, y, z] = angles.to_array().map(f64::to_radians);
    let turned = rest * DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x);
    pose.transforms[node.index()].rotation = turned.normalize().as_quat();
}

/// Returns the angle of the whole rotation of a node from rest, degrees, 0 to 180.
pub(super) fn bend(model: &Model, pose: &LocalPose, node: NodeId) -> f64 {
    let (rest, now) = turns(model, pose, node);
    let by = rest.inverse() * now;
    (2.0 * by.xyz().length().atan2(by.w.abs())).to_degrees()
}

/// Returns the angle by which a node rotates from rest about one of its own axes, degrees, −180 to 180: the twist of
/// the swing–twist decomposition, with the twist first.
pub(super) fn twist(model: &Model, pose: &LocalPose, node: NodeId, axis: usize) -> f64 {
    let (rest, now) = turns(model, pose, node);
    let by = rest.inverse() * now;
    let sign = if by.w < 0.0 { -1.0 } else { 1.0 };
    (2.0 * (sign * by.xyz()[axis]).atan2(sign * by.w)).to_degrees()
}

/// Returns the coordinate of a node along an axis of the world, metres.
pub(super) fn place(model: &Model, pose: &LocalPose, node: NodeId, axis: usize) -> f64 {
    let mut at = pose.transforms[node.index()].translation.as_dvec3();
    let mut above = model.skeleton.parents[node.index()];
    while let Some(node) = above {
        at = local(&model.skeleton, pose, node.index()).transform_point3(at);
        above = model.skeleton.parents[node.index()];
    }
    at[axis]
}

impl Channel {
    /// Returns the value in a pose, or of a slider as the user set it.
    #[must_use]
    pub fn read(self, model: &Model, pose: &LocalPose, sliders: &[Slider]) -> f64 {
        let [rest, now] = [&model.skeleton.rest, pose];
        match self {
            Self::Angle(node, axis) => angles(model, pose, node)[axis],
            Self::Translation(node, axis) => {
                let of = |pose: &LocalPose| f64::from(pose.transforms[node.index()].translation[axis]);
                of(now) - of(rest)
            }
            Self::Scale(node, axis) => {
                let of = |pose: &LocalPose| f64::from(pose.transforms[node.index()].scale[axis]);
                let factor = of(now) / of(rest);
                if factor.is_finite() { factor } else { 1.0 }
            }
            Self::Morph(index) => pose.morph_weights.get(index).copied().map_or(0.0, f64::from),
            Self::Slider(index) => sliders.get(index).map_or(0.0, |slider| slider.within(slider.value.into())),
        }
    }

    /// Writes a value into a pose; angles and sliders are written elsewhere. Returns false where f32 cannot represent
    /// it.
    pub(super) fn write(self, model: &Model, pose: &mut LocalPose, value: f64) -> bool {
        let rest = &model.skeleton.rest.transforms;
        let (number, value) = match self {
            Self::Translation(node, axis) => {
                let value = (f64::from(rest[node.index()].translation[axis]) + value) as f32;
                (&mut pose.transforms[node.index()].translation[axis], value)
            }
            Self::Scale(node, axis) => {
                let value = (f64::from(rest[node.index()].scale[axis]) * value) as f32;
                (&mut pose.transforms[node.index()].scale[axis], value)
            }
            Self::Morph(index) => match pose.morph_weights.get_mut(index) {
                Some(weight) => (weight, value as f32),
                None => return false,
            },
            Self::Angle(..) | Self::Slider(_) => return false,
        };
        if value.is_finite() {
            *number = value;
        }
        value.is_finite()
    }

    /// Copies the value of one pose to another one, together with the other axes of the same channel.
    pub(super) fn copy(self, from: &LocalPose, to: &mut LocalPose) {
        match self {
            Self::Angle(node, _) => {
                to.transforms[node.index()].rotation = from.transforms[node.index()].rotation;
            }
            Self::Translation(node, _) => {
                to.transforms[node.index()].translation = from.transforms[node.index()].translation;
            }
            Self::Scale(node, _) => to.transforms[node.index()].scale = from.transforms[node.index()].scale,
            Self::Morph(index) => {
                if let Some((to, from)) = to.morph_weights.get_mut(index).zip(from.morph_weights.get(index)) {
                    *to = *from;
                }
            }
            Self::Slider(_) => {}
        }
    }
}

/// The names of the axes in texts.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];
