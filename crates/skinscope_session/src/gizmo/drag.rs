//! A drag of a handle, which turns the position of the pointer into a new value of the node.

use glam::{DMat3, DQuat, DVec2, DVec3, Vec2};
use skinscope_base::math::{Transform, Units, length};

use super::{Gizmo, Handle, PoseTool, rotation_in, shapes};
use crate::Gizmos;
use crate::{ChannelValue, Orientation};

/// How values are rounded while they are dragged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snap {
    /// They are not rounded.
    #[default]
    Off,
    /// Angles are rounded to 5°, distances to 1 cm (for models of the size of a body; to a power of ten of that for
    /// others), and factors to a tenth.
    Fine,
    /// Angles are rounded to 15°, distances to ten times as much, and factors to a half.
    Coarse,
}

/// The value that a drag has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct DragValue {
    /// The new value of the node's channel.
    pub value: ChannelValue,
    /// The value in words: which axis, how far.
    pub label: String,
}

/// A drag under way. The value is always computed from the one that the node had at first, so that a drag back to where
/// it began changes nothing.
#[derive(Clone, Debug)]
pub struct Drag {
    gizmo: Gizmo,
    /// The gizmo with the node's own axes, its parent's and the world's, as the drag began.
    along: [Gizmo; 3],
    handle: Handle,
    orientation: Orientation,
    /// The node's values as the drag began.
    before: Transform,
    /// The linear part of `model_from_parent`.
    parent: DMat3,
    /// Where the pointer was at first, in pixels from the viewport's top left.
    start: DVec2,
    /// Where the pointer was last, in the same pixels.
    last: DVec2,
    /// The angle about the axis so far, in radians. It may be more than a whole turn.
    turned: f64,
    /// Snapped moves are multiples of this, in metres.
    step: f64,
    /// The number that was typed, which replaces that of the pointer.
    typed: String,
}

/// The least sine of the angle between the line of sight and a ring's plane at which the pointer is followed on that
/// plane. Below it, the pointer is followed along the ring's edge.
const GRAZING: f64 = 0.2;

impl Gizmos<'_> {
    /// Begins to drag a handle of `gizmo`, whose axes are `orientation`, at a point of the viewport (in pixels from its
    /// top left). `None` where the selected node has no gizmo.
    #[must_use]
    pub fn begin_drag(self, gizmo: Gizmo, handle: Handle, orientation: Orientation, at: Vec2) -> Option<Drag> {
        let other = |orientation| self.gizmo_of(gizmo.tool, orientation, gizmo.pixels_per_point());
        let along = [other(Orientation::Local)?, other(Orientation::Parent)?, other(Orientation::World)?];
        let skeleton = &self.model?.skeleton;
        let before = *self.pose.undriven().transforms.get(gizmo.node.index())?;
        let parent = skeleton.parents[gizmo.node.index()].and_then(|parent| self.pose.model.get(parent.index()));
        let parent = parent.map_or(DMat3::IDENTITY, |parent| glam::Mat3::from(parent.matrix3).as_dmat3());
        let step = step_of(f64::from(self.pose.opened_bounds.diagonal()));
        let start = at.as_dvec2();
        let typed = String::new();
        Some(Drag { gizmo, along, handle, orientation, before, parent, start, last: start, turned: 0.0, step, typed })
    }
}

impl Drag {
    /// The gizmo as it was when the drag began.
    #[must_use]
    pub fn gizmo(&self) -> &Gizmo {
        &self.gizmo
    }

    /// The handle that is dragged.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// The axes that are dragged along.
    #[must_use]
    pub fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// Continues with another handle along other axes, from where the pointer was at first. The keys X, Y and Z choose
    /// an axis in this way during a drag.
    pub fn constrain(&mut self, handle: Handle, orientation: Orientation) {
        let [local, parent, world] = &self.along;
        self.gizmo = match orientation {
            Orientation::Local => local.clone(),
            Orientation::Parent => parent.clone(),
            Orientation::World => world.clone(),
        };
        (self.handle, self.orientation) = (handle, orientation);
        (self.turned, self.last) = (0.0, self.start);
    }

    /// The angle about the axis of a ring so far, in radians, as the pointer went: without rounding, and without a
    /// number that was typed.
    #[must_use]
    pub fn turned(&self) -> f64 {
        self.turned
    }

    /// Adds a typed character to the number: a digit, a point or comma, or a minus. Returns true where it was one of
    /// these.
    pub fn type_char(&mut self, typed: char) -> bool {
        match typed {
            '0'..='9' if self.typed.len() < 12 => self.typed.push(typed),
            '.' | ',' if !self.typed.contains('.') => self.typed.push('.'),
            // A minus changes the sign wherever it is typed.
            '-' => match self.typed.strip_prefix('-') {
                Some(rest) => self.typed = rest.to_owned(),
                None => self.typed.insert(0, '-'),
            },
            _ => return false,
        }
        true
    }

    /// Removes the last character of the number. Returns false where there is none.
    pub fn erase_char(&mut self) -> bool {
        self.typed.pop().is_some()
    }

    /// The number that was typed: 0 while the characters are no number yet, `None` where nothing was typed.
    fn number(&self) -> Option<f64> {
        (!self.typed.is_empty()).then(|| self.typed.parse().unwrap_or(0.0))
    }

    /// The number that was typed where a length is asked for, metres: it was typed in the unit of columns.
    fn metres(&self) -> Option<f64> {
        self.number().map(|number| number * Units::of_columns().1)
    }

    /// Moves the pointer to `at` (in pixels from the viewport's top left) and returns the value there.
    pub fn to(&mut self, at: Vec2, snap: Snap) -> DragValue {
        let at = at.as_dvec2();
        let value = match self.gizmo.tool {
            PoseTool::Move => self.moved(at, snap),
            PoseTool::Scale => self.scaled(at, snap),
            PoseTool::Select | PoseTool::Turn | PoseTool::Pull | PoseTool::Look => self.rotated(at, snap),
        };
        self.last = at;
        value
    }

    fn axis_name(&self) -> &'static str {
        match self.handle {
            Handle::Axis(i) => ["X", "Y", "Z"][i],
            Handle::Plane(i) => ["YZ", "ZX", "XY"][i],
            Handle::View if self.gizmo.tool == PoseTool::Scale => "All",
            Handle::View => "View",
            Handle::Free => "Free",
        }
    }

    /// The label, in which what was typed replaces the value.
    fn label(&self, amount: &str, unit: &str) -> String {
        if self.typed.is_empty() {
            format!("{} {amount}", self.axis_name())
        } else {
            format!("{} [{}]{unit}", self.axis_name(), self.typed)
        }
    }

    fn rotated(&mut self, at: DVec2, snap: Snap) -> DragValue {
        let own = self.before.rotation.as_dquat().normalize();
        if self.handle == Handle::Free && self.typed.is_empty() {
            let [right, up] = self.gizmo.sight.right_and_up();
            let way = (at - self.start) / self.gizmo.pixels;
            let angle = snapped(way.length().to_degrees(), snap, 5.0, 3.0).to_radians();
            let axis = (right * way.y + up * way.x).try_normalize().unwrap_or(up);
            let value = self.turned_by(own, axis, angle);
            return DragValue { value, label: self.label(&degrees(angle.to_degrees()), "°") };
        }
        let axis = match self.handle {
            Handle::Axis(i) => self.gizmo.axes[i],
            _ => self.gizmo.sight.toward_eye(),
        };
        self.turned += self.angle_between(axis, self.last, at);
        let asked = self.turned.to_degrees();
        let angle = self.number().unwrap_or_else(|| snapped(asked, snap, 5.0, 3.0));
        let radians = angle.to_radians();
        let value = match (self.handle, self.orientation) {
            // The node turns about its own axis, so the detour by world space, which would lose precision, is avoided.
            (Handle::Axis(i), Orientation::Local) => quaternion(own * DQuat::from_axis_angle(unit_axis(i), radians)),
            (Handle::Axis(i), Orientation::Parent) => quaternion(DQuat::from_axis_angle(unit_axis(i), radians) * own),
            _ => self.turned_by(own, axis, radians),
        };
        DragValue { value, label: self.label(&degrees(angle), "°") }
    }

    /// Turns the node by a rotation of the world. Under a sheared parent, the rotation in the parent's matrix is used.
    fn turned_by(&self, own: DQuat, axis: DVec3, radians: f64) -> ChannelValue {
        let parent = rotation_in(self.parent);
        let axis = (parent.transpose() * axis).normalize_or(DVec3::Y);
        quaternion(DQuat::from_axis_angle(axis, radians) * own)
    }

    /// The angle about `axis` (in radians) by which the pointer went from one point of the viewport to another.
    fn angle_between(&self, axis: DVec3, from: DVec2, to: DVec2) -> f64 {
        let sight = &self.gizmo.sight;
        let [x, y] = shapes::beside(axis);
        let on_plane = |at: DVec2| {
            let met = sight.ray(at).meets_plane(axis, 0.02)?;
            Some(met.dot(y).atan2(met.dot(x)))
        };
        if axis.dot(sight.toward_eye()).abs() > GRAZING
            && let (Some(a), Some(b)) = (on_plane(from), on_plane(to))
        {
            return wrapped(b - a);
        }
        // Seen from the side, the ring is a line. Along this line one radius counts as one radian, which is right for
        // its nearest point.
        let side = axis.cross(sight.toward_eye()).normalize_or_zero();
        let tip = sight.project(side * self.gizmo.radius * 0.01).zip(sight.project(DVec3::ZERO));
        let along = tip.map_or(DVec2::ZERO, |(tip, middle)| (tip - middle).normalize_or_zero());
        (to - from).dot(along) / self.gizmo.pixels
    }

    fn moved(&self, at: DVec2, snap: Snap) -> DragValue {
        let sight = &self.gizmo.sight;
        let metres = sight.metres_per_pixel().unwrap_or(0.0);
        let [right, up] = sight.right_and_up();
        let seen = |d: DVec2| right * d.x * metres - up * d.y * metres;
        let (one, ten) = (self.step, 10.0);
        let by = match self.handle {
            Handle::Axis(i) => {
                let axis = self.gizmo.axes[i];
                let ends = sight.ray(self.start).nearest_along(axis).zip(sight.ray(at).nearest_along(axis));
                // Along an axis that points to the eye, the node moves by how far the pointer goes up.
                let way = ends.map_or_else(|| (self.start.y - at.y) * metres, |(a, b)| b - a);
                axis * self.metres().unwrap_or_else(|| snapped(way, snap, one, ten))
            }
            Handle::Plane(i) => {
                let [a, b] = [self.gizmo.axes[(i + 1) % 3], self.gizmo.axes[(i + 2) % 3]];
                let normal = a.cross(b).normalize_or(self.gizmo.axes[i]);
                let met = |at: DVec2| sight.ray(at).meets_plane(normal, 0.02);
                let way = met(self.start).zip(met(at)).map_or_else(|| seen(at - self.start), |(a, b)| b - a);
                // The move is expressed in the two axes, which need not be at right angles.
                let (ab, wa, wb) = (a.dot(b), way.dot(a), way.dot(b));
                let det = 1.0 - ab * ab;
                let [u, v] = if det > 1e-6 { [(wa - ab * wb) / det, (wb - ab * wa) / det] } else { [wa, 0.0] };
                let number = self.metres();
                let fit = |x: f64| number.unwrap_or_else(|| snapped(x, snap, one, ten));
                a * fit(u) + b * fit(v)
            }
            Handle::View | Handle::Free => {
                let way = seen(at - self.start);
                match self.metres() {
                    Some(number) => way.normalize_or(right) * number,
                    None => way.normalize_or_zero() * snapped(way.length(), snap, one, ten),
                }
            }
        };
        // The stored translation is in the space of the parent.
        let inverse = self.parent.inverse();
        let own = if inverse.is_finite() { inverse * by } else { DVec3::ZERO };
        let to = self.before.translation.as_dvec3() + own;
        let sign = match self.handle {
            Handle::Axis(i) => by.dot(self.gizmo.axes[i]).signum(),
            _ => 1.0,
        };
        let amount = length(by.length());
        let amount = if sign < 0.0 && by != DVec3::ZERO { format!("−{amount}") } else { amount };
        DragValue {
            value: ChannelValue::Translation(to.as_vec3()),
            label: self.label(&amount, &format!(" {}", Units::of_columns().0)),
        }
    }

    fn scaled(&self, at: DVec2, snap: Snap) -> DragValue {
        let sight = &self.gizmo.sight;
        let ratio = match self.handle {
            Handle::Axis(i) => {
                let axis = self.gizmo.axes[i];
                let along = |at| sight.ray(at).nearest_along(axis);
                // A drag that a key begins may begin anywhere, so near the middle the gizmo's radius is the measure.
                let ends = along(self.start).zip(along(at));
                ends.map(
                    |(a, b)| {
                        if a.abs() > 0.3 * self.gizmo.radius { b / a } else { 1.0 + (b - a) / self.gizmo.radius }
                    },
                )
            }
            _ => Some(1.0 + ((at - self.start).x - (at - self.start).y) / self.gizmo.pixels),
        };
        let up = || 1.0 + (self.start.y - at.y) / self.gizmo.pixels;
        let factor = self.number().unwrap_or_else(|| snapped(ratio.unwrap_or_else(up), snap, 0.1, 5.0));
        // A scale of zero could not be dragged back.
        let factor = if factor.abs() < 1e-3 { 1e-3 } else { factor };
        let before = self.before.scale.as_dvec3();
        let scale = match self.handle {
            Handle::Axis(i) => before * (DVec3::ONE + unit_axis(i) * (factor - 1.0)),
            _ => before * factor,
        };
        let amount = format!("× {factor:.3}");
        DragValue { value: ChannelValue::Scale(scale.as_vec3()), label: self.label(&amount, "") }
    }
}

fn unit_axis(i: usize) -> DVec3 {
    DVec3::AXES[i]
}

fn quaternion(rotation: DQuat) -> ChannelValue {
    ChannelValue::Quaternion(rotation.normalize().as_quat())
}

fn degrees(angle: f64) -> String {
    let angle = if angle.abs() < 0.05 { 0.0 } else { angle };
    if angle < 0.0 { format!("−{:.1}°", -angle) } else { format!("{angle:.1}°") }
}

/// The step of snapped moves in metres: a centimetre for a model of half a metre to five metres, and so on in powers of
/// ten.
fn step_of(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { 10_f64.powf((size / 50.0).log10().floor()) } else { 0.01 }
}

/// Returns the same angle in −π…π.
fn wrapped(angle: f64) -> f64 {
    angle - (angle / std::f64::consts::TAU).round() * std::f64::consts::TAU
}

/// Rounds to a multiple of `step`, or of `coarse` times `step`, as `snap` says.
fn snapped(value: f64, snap: Snap, step: f64, coarse: f64) -> f64 {
    let step = match snap {
        Snap::Off => return value,
        Snap::Fine => step,
        Snap::Coarse => step * coarse,
    };
    (value / step).round() * step
}
