//! The gizmo: handles in the picture at the selected node, which turn, move and scale it.
//!
//! [`crate::Gizmos::gizmo`] says where it is and what its handles look like, in pixels; a [`Drag`] turns what the pointer
//! does into new values of the node. Nothing here paints or knows of a mouse. All lengths and angles are computed in
//! double precision and relative to the node's own position, so that they are as exact far from the world's origin as
//! near it.

mod drag;
mod limits;
mod look;
pub(crate) mod pull;
mod shapes;
mod sight;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::{DMat3, DVec3, Vec2};
use skinscope_model::NodeId;

pub use self::look::LookDrag;
pub use self::pull::Pull;
use self::sight::Sight;
use crate::{Edits, Model, Picking, Pose, PoseRules, View};

pub use drag::{Drag, DragValue, Snap};
pub use limits::LimitArc;
pub use shapes::HandleShape;

/// What a drag in the picture does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PoseTool {
    /// It only turns the camera.
    Select,
    /// It moves the selected node by arrows and planes.
    Move,
    /// It turns the selected node by rings.
    #[default]
    Turn,
    /// It scales the selected node by boxes.
    Scale,
    /// It pulls a bone, or the skin over it, and the limb follows.
    Pull,
    /// It lets a joint look at the pointer.
    Look,
}

/// The axes along which a tool acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Orientation {
    /// The node's own axes, as it is turned now.
    #[default]
    Local,
    /// The axes of the node above it, in whose space its translation and rotation are stored.
    Parent,
    /// The axes of the world.
    World,
}

/// A part of the gizmo that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Acts along, or about, one of the three axes.
    Axis(usize),
    /// Acts along the two axes other than this one.
    Plane(usize),
    /// Acts in the plane of the picture, about the line of sight, or equally along all axes.
    View,
    /// Turns about any axis, as one rolls a ball.
    Free,
}

/// The gizmo at the selected node.
#[derive(Clone, Debug, PartialEq)]
pub struct Gizmo {
    /// The node that it changes.
    pub node: NodeId,
    /// Its tool; never [`PoseTool::Select`], [`PoseTool::Pull`] or [`PoseTool::Look`].
    pub tool: PoseTool,
    /// The axes that its handles lie along, as directions of length 1 in world space.
    pub axes: [DVec3; 3],
    /// The position of the node in world space, in metres.
    pub origin: DVec3,
    /// The distance from the middle to a ring, in metres.
    radius: f64,
    /// The same distance in pixels.
    pixels: f64,
    sight: Sight,
}

/// The distance from the middle to a ring, in points of the screen.
const RADIUS_POINTS: f64 = 76.0;
/// How near to a line of a handle the pointer has to be to take hold of it, in points of the screen.
const REACH_POINTS: f32 = 7.0;

impl Gizmo {
    /// The outlines of its handles in pixels from the viewport's top left, in the order in which they are painted.
    #[must_use]
    pub fn shapes(&self) -> Vec<HandleShape> {
        shapes::shapes(self)
    }

    /// The handle under a point of the viewport (pixels from its top left).
    #[must_use]
    pub fn handle_at(&self, at: Vec2) -> Option<Handle> {
        shapes::hit(&self.shapes(), at, REACH_POINTS * self.pixels_per_point())
    }

    fn pixels_per_point(&self) -> f32 {
        (self.pixels / RADIUS_POINTS) as f32
    }

    /// The ends of a line through its middle along an axis, which reach beyond the picture, in pixels; `None` where the
    /// axis points to the eye.
    #[must_use]
    pub fn axis_line(&self, i: usize) -> Option<[Vec2; 2]> {
        let far = |radii: f64| {
            let ends = (0..12).map(|halved| radii * self.radius / f64::from(1 << halved));
            ends.filter_map(|far| self.sight.project(self.axes[i] * far)).map(|p| p.as_vec2()).next()
        };
        Some([far(-40.0)?, far(40.0)?])
    }

    /// The position of its middle in the picture, in pixels from the viewport's top left; `None` where it is not in
    /// front of the camera.
    #[must_use]
    pub fn middle(&self) -> Option<Vec2> {
        self.sight.project(DVec3::ZERO).map(|p| p.as_vec2())
    }
}

/// What can be dragged in the picture to pose the selected joint: the gizmo, the arcs of its limits, and the limb that a pull moves.
#[derive(Clone, Copy, Debug)]
pub struct Gizmos<'a> {
    pub(super) model: Option<&'a Arc<Model>>,
    pub(super) picking: Picking<'a>,
    pub(super) view: &'a View,
    pub(super) pose: &'a Pose,
    pub(super) edits: &'a Arc<Edits>,
    pub(super) rules: &'a PoseRules,
}

impl Gizmos<'_> {
    /// The gizmo of the chosen tool at the selected node. `None` where no node is selected, the tool has no gizmo, or
    /// the node is not in front of the camera.
    #[must_use]
    pub fn gizmo(self, pixels_per_point: f32) -> Option<Gizmo> {
        self.gizmo_of(self.view.pose_tool, self.view.orientation, pixels_per_point)
    }

    /// Does the same as [`crate::Gizmos::gizmo`] for another tool and other axes than those that are chosen.
    #[must_use]
    pub fn gizmo_of(self, tool: PoseTool, orientation: Orientation, pixels_per_point: f32) -> Option<Gizmo> {
        if matches!(tool, PoseTool::Select | PoseTool::Pull | PoseTool::Look) {
            return None;
        }
        let node = self.view.selected?;
        let skeleton = &self.model?.skeleton;
        let own = self.pose.model.get(node.index())?;
        let parent = skeleton.parents[node.index()].and_then(|parent| self.pose.model.get(parent.index()));
        let parent = parent.map_or(DMat3::IDENTITY, |parent| glam::Mat3::from(parent.matrix3).as_dmat3());
        let own_rotation = self.pose.local.transforms.get(node.index())?.rotation.as_dquat().normalize();
        // Scaling acts before the rotation, so only along the node's own axes.
        let orientation = if tool == PoseTool::Scale { Orientation::Local } else { orientation };
        let axes = match orientation {
            Orientation::World => DMat3::IDENTITY,
            Orientation::Parent if tool == PoseTool::Move => parent,
            Orientation::Parent => rotation_in(parent),
            Orientation::Local if tool == PoseTool::Move => parent * DMat3::from_quat(own_rotation),
            Orientation::Local => rotation_in(parent) * DMat3::from_quat(own_rotation),
        };
        // An axis of length zero is shown in its usual direction.
        let unit = |axis: DVec3, or: DVec3| axis.try_normalize().unwrap_or(or);
        let axes = [unit(axes.x_axis, DVec3::X), unit(axes.y_axis, DVec3::Y), unit(axes.z_axis, DVec3::Z)];
        let origin = own.translation.as_dvec3();
        let sight = Sight::new(self.view, origin);
        let pixels = RADIUS_POINTS * f64::from(pixels_per_point);
        let radius = sight.metres_per_pixel()? * pixels;
        (origin.is_finite() && radius.is_finite()).then_some(Gizmo { node, tool, axes, origin, radius, pixels, sight })
    }
}

/// The rotation that is nearest to a matrix, after its mirroring is taken out (`m = ± R S`, polar decomposition by Newton's
/// iteration, Higham 1986); the identity where the matrix has no volume.
fn rotation_in(m: DMat3) -> DMat3 {
    let size = m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length());
    let mut r = m * (1.0 / size);
    let volume = r.determinant();
    if volume.abs() <= 1e-9 || !volume.is_finite() {
        return DMat3::IDENTITY;
    }
    r *= volume.signum();
    for _ in 0..40 {
        let next = (r + r.inverse().transpose()) * 0.5;
        let moved = (next.x_axis - r.x_axis).length() + (next.y_axis - r.y_axis).length();
        r = next;
        if moved < 1e-15 {
            break;
        }
    }
    r
}
