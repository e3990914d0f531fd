//! Arcs that show how far the selected joint may turn.

use glam::{DMat3, DVec3, Vec2};
use skinscope_anim::pose::Limits;

use super::{Gizmo, rotation_in};
use crate::Gizmos;
use crate::{Orientation, PoseTool};

/// The radius of the arcs, as a share of that of the gizmo's rings.
const RADIUS: f64 = 0.62;
/// The angle between two points of an arc, degrees.
const STEP: f64 = 4.0;
/// What a degree away from an angle costs, pixels.
const NEARNESS: f64 = 0.05;

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

/// The selected joint's limits, as they are seen about the joint.
struct Dial {
    gizmo: Gizmo,
    limits: Limits,
    /// The angles at which the joint stands, degrees from rest.
    angles: DVec3,
    /// The frame of the joint at rest, after its turn about Z, and after that about Y.
    frames: [DMat3; 3],
}

impl Dial {
    /// Returns the pixel at an angle about an axis. Each angle acts in the frame that the angles before it have made:
    /// R = rest · Rz · Ry · Rx.
    fn seen(&self, axis: usize, degrees: f64) -> Option<Vec2> {
        let t = degrees.to_radians();
        let [frame, after_z, after_y] = self.frames;
        let direction = match axis {
            0 => after_y * (DMat3::from_rotation_x(t) * DVec3::Y),
            1 => after_z * (DMat3::from_rotation_y(t) * DVec3::Z),
            _ => frame * (DMat3::from_rotation_z(t) * DVec3::X),
        };
        self.gizmo.sight.project(direction * (RADIUS * self.gizmo.radius)).map(|p| p.as_vec2())
    }
}

impl Gizmos<'_> {
    /// The arcs of the selected joint's limits, while the tool that turns is chosen. An axis without limits has none.
    #[must_use]
    pub fn limit_arcs(self, pixels_per_point: f32) -> Vec<LimitArc> {
        self.dial(pixels_per_point).and_then(|dial| arcs(&dial)).unwrap_or_default()
    }

    /// Returns the angle about an axis, degrees from rest, whose position on the whole circle of an arc is nearest to a pixel (from the
    /// viewport's top left). Of two positions that are as near, as on a circle that is seen from its edge, the one that is less far
    /// from the angle `now`.
    #[must_use]
    pub fn limit_at(self, pixels_per_point: f32, axis: usize, at: Vec2, now: f32) -> Option<f32> {
        let dial = self.dial(pixels_per_point)?;
        let end = if axis == 1 { 90 } else { 180 };
        let cost = |degrees: f64| {
            let off = dial.seen(axis, degrees).map_or(f64::MAX, |seen| f64::from(seen.distance(at)));
            off + NEARNESS * (degrees - f64::from(now)).abs()
        };
        let least = |all: &mut dyn Iterator<Item = f64>| all.min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        let coarse = least(&mut (-end..=end).map(f64::from))?;
        let fine = least(&mut (-10..=10).map(|tenth| coarse + f64::from(tenth) / 10.0))?;
        Some(((fine * 10.0).round() / 10.0).clamp(f64::from(-end), f64::from(end)) as f32)
    }

    fn dial(self, pixels_per_point: f32) -> Option<Dial> {
        let node = self.view.selected.filter(|_| self.view.pose_tool == PoseTool::Turn)?;
        let limits = self.rules.obeyed(node)?;
        let gizmo = self.gizmo_of(PoseTool::Turn, Orientation::Local, pixels_per_point)?;
        let skeleton = &self.model?.skeleton;
        let rest = skeleton.rest.transforms[node.index()].rotation;
        let angles = Limits::angles(rest, self.pose.local.transforms.get(node.index())?.rotation).as_dvec3();
        let parent = skeleton.parents[node.index()].and_then(|parent| self.pose.model.get(parent.index()));
        let parent = parent.map_or(DMat3::IDENTITY, |parent| glam::Mat3::from(parent.matrix3).as_dmat3());
        let frame = rotation_in(parent) * DMat3::from_quat(rest.as_dquat().normalize());
        let after_z = frame * DMat3::from_rotation_z(angles.z.to_radians());
        let after_y = after_z * DMat3::from_rotation_y(angles.y.to_radians());
        Some(Dial { gizmo, limits, angles, frames: [frame, after_z, after_y] })
    }
}

fn arcs(dial: &Dial) -> Option<Vec<LimitArc>> {
    let middle = dial.gizmo.middle()?;
    let arc = |axis: usize| {
        let (least, most) = (f64::from(dial.limits.least[axis]), f64::from(dial.limits.most[axis]));
        let whole = if axis == 1 { 180.0 } else { 360.0 };
        if most - least >= whole {
            return None;
        }
        let count = ((most - least) / STEP).ceil().max(1.0) as usize;
        let at = |k: usize| least + (most - least) * k as f64 / count as f64;
        let line = (0..=count).map(|k| dial.seen(axis, at(k))).collect::<Option<Vec<_>>>()?;
        Some(LimitArc { axis, line, middle, now: dial.seen(axis, dial.angles[axis])? })
    };
    Some((0..3).filter_map(arc).collect())
}
