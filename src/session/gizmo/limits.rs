//! Arcs that show how far the selected joint may turn.

use glam::{DMat3, DVec3, Vec2};

use super::rotation_in;
use crate::pose::Limits;
use crate::session::{Orientation, PoseTool, Session};

/// The radius of the arcs, as a share of that of the gizmo's rings.
const RADIUS: f64 = 0.62;
/// The angle between two points of an arc, degrees.
const STEP: f64 = 4.0;

/// An arc about one axis of a joint, from its least angle to its largest, in pixels from the viewport's top left.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitArc {
    /// The axis: 0, 1 and 2 for X, Y and Z.
    pub axis: usize,
    /// The points of the arc.
    pub line: Vec<Vec2>,
    /// The joint.
    pub middle: Vec2,
    /// Where the joint stands now.
    pub now: Vec2,
}

impl Session {
    /// The arcs of the selected joint's limits, while the tool that turns is chosen. An axis without limits has none.
    #[must_use]
    pub fn limit_arcs(&self, pixels_per_point: f32) -> Vec<LimitArc> {
        self.arcs(pixels_per_point).unwrap_or_default()
    }

    fn arcs(&self, pixels_per_point: f32) -> Option<Vec<LimitArc>> {
        let node = self.view.selected.filter(|_| self.view.pose_tool == PoseTool::Turn)?;
        let limits = self.rules().obeyed(node)?;
        let gizmo = self.gizmo_of(PoseTool::Turn, Orientation::Local, pixels_per_point)?;
        let skeleton = &self.model()?.skeleton;
        let rest = skeleton.rest.transforms[node.index()].rotation;
        let angles = Limits::angles(rest, self.pose.local.transforms.get(node.index())?.rotation).as_dvec3();
        let parent = skeleton.parents[node.index()].and_then(|parent| self.pose.model.get(parent.index()));
        let parent = parent.map_or(DMat3::IDENTITY, |parent| glam::Mat3::from(parent.matrix3).as_dmat3());
        let frame = rotation_in(parent) * DMat3::from_quat(rest.as_dquat().normalize());
        let after_z = frame * DMat3::from_rotation_z(angles.z.to_radians());
        let after_y = after_z * DMat3::from_rotation_y(angles.y.to_radians());
        // Each angle acts in the frame that the angles before it have made: R = rest · Rz · Ry · Rx.
        let direction = |axis: usize, degrees: f64| {
            let t = degrees.to_radians();
            match axis {
                0 => after_y * (DMat3::from_rotation_x(t) * DVec3::Y),
                1 => after_z * (DMat3::from_rotation_y(t) * DVec3::Z),
                _ => frame * (DMat3::from_rotation_z(t) * DVec3::X),
            }
        };
        let seen = |axis: usize, degrees: f64| {
            gizmo.sight.project(direction(axis, degrees) * (RADIUS * gizmo.radius)).map(|p| p.as_vec2())
        };
        let middle = gizmo.middle()?;
        let arc = |axis: usize| {
            let (least, most) = (f64::from(limits.least[axis]), f64::from(limits.most[axis]));
            let whole = if axis == 1 { 180.0 } else { 360.0 };
            if most - least >= whole {
                return None;
            }
            let count = ((most - least) / STEP).ceil().max(1.0) as usize;
            let at = |k: usize| least + (most - least) * k as f64 / count as f64;
            let line = (0..=count).map(|k| seen(axis, at(k))).collect::<Option<Vec<_>>>()?;
            Some(LimitArc { axis, line, middle, now: seen(axis, angles[axis])? })
        };
        Some((0..3).filter_map(arc).collect())
    }
}
