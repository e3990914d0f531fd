//! The outlines of the gizmo's handles, and the test which of them the pointer is over; all in pixels of the viewport.

use glam::{DVec2, DVec3, Vec2};

use super::{Gizmo, Handle, PoseTool};

/// How many points the whole circle of a ring has.
const RING: usize = 72;
/// The radius of the outer ring (about the line of sight), relative to that of the others.
const OUTER: f64 = 1.18;
/// An axis whose angle to the line of sight has a larger cosine has no arrow, since a pixel would be metres along it.
const TO_THE_EYE: f64 = 0.985;
/// A plane whose normal has a smaller cosine to the line of sight has no handle.
const FROM_THE_SIDE: f64 = 0.12;

/// The outline of one handle.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleShape {
    /// The handle.
    pub handle: Handle,
    /// Lines, each through some points, in pixels.
    pub lines: Vec<Vec<Vec2>>,
    /// A convex area, in pixels; empty where there is none.
    pub area: Vec<Vec2>,
}

/// Makes the shapes of all handles, in the order in which they are painted.
pub(super) fn shapes(gizmo: &Gizmo) -> Vec<HandleShape> {
    let shapes = match gizmo.tool {
        PoseTool::Select | PoseTool::Pull | PoseTool::Look => Vec::new(),
        PoseTool::Turn => turning(gizmo),
        PoseTool::Move => moving(gizmo),
        PoseTool::Scale => scaling(gizmo),
    };
    shapes.into_iter().filter(|s| !s.lines.is_empty() || !s.area.is_empty()).collect()
}

/// The position in the picture of a point of the gizmo, which is given in its radii from its middle.
fn seen(gizmo: &Gizmo, at: DVec3) -> Option<Vec2> {
    gizmo.sight.project(at * gizmo.radius).map(|p| p.as_vec2())
}

fn circle(gizmo: &Gizmo, x: DVec3, y: DVec3, radius: f64) -> Vec<Vec2> {
    let point = |i: usize| {
        let (sin, cos) = (i as f64 / RING as f64 * std::f64::consts::TAU).sin_cos();
        seen(gizmo, (x * cos + y * sin) * radius)
    };
    (0..=RING).filter_map(point).collect()
}

/// Returns two directions at right angles to `axis` and to each other.
pub(super) fn beside(axis: DVec3) -> [DVec3; 2] {
    let x = axis.any_orthonormal_vector();
    [x, axis.cross(x)]
}

fn turning(gizmo: &Gizmo) -> Vec<HandleShape> {
    let toward_eye = gizmo.sight.toward_eye();
    let [right, up] = beside(toward_eye);
    let mut out = vec![
        HandleShape { handle: Handle::Free, lines: Vec::new(), area: circle(gizmo, right, up, 0.34) },
        HandleShape { handle: Handle::View, lines: vec![circle(gizmo, right, up, OUTER)], area: Vec::new() },
    ];
    for (i, axis) in gizmo.axes.iter().enumerate() {
        let [x, y] = beside(*axis);
        // The half behind the middle is left out, unless the whole ring faces the eye.
        let whole = axis.dot(toward_eye).abs() > 0.98;
        let mut lines: Vec<Vec<Vec2>> = Vec::new();
        let mut before = false;
        for k in 0..=RING {
            let (sin, cos) = (k as f64 / RING as f64 * std::f64::consts::TAU).sin_cos();
            let at = x * cos + y * sin;
            let front = whole || at.dot(toward_eye) > -0.02;
            if let Some(pixel) = seen(gizmo, at).filter(|_| front) {
                if !before {
                    lines.push(Vec::new());
                }
                if let Some(line) = lines.last_mut() {
                    line.push(pixel);
                }
            }
            before = front;
        }
        // A ring whose first and last part are in front is joined to one line.
        if !whole && lines.len() == 2 {
            let first = lines.swap_remove(0);
            lines[0].extend(first);
        }
        out.push(HandleShape { handle: Handle::Axis(i), lines, area: Vec::new() });
    }
    out
}

/// The line from near the middle to `end` (in radii) along an axis; `None` where the axis is seen end on.
fn axis_line(gizmo: &Gizmo, i: usize, end: f64) -> Option<[Vec2; 2]> {
    let axis = gizmo.axes[i];
    if axis.dot(gizmo.sight.toward_eye()).abs() > TO_THE_EYE {
        return None;
    }
    Some([seen(gizmo, axis * 0.2)?, seen(gizmo, axis * end)?])
}

/// A square handle on the plane across axis `i`.
fn plane(gizmo: &Gizmo, i: usize) -> HandleShape {
    let [a, b] = [gizmo.axes[(i + 1) % 3], gizmo.axes[(i + 2) % 3]];
    let faces = a.cross(b).normalize_or_zero().dot(gizmo.sight.toward_eye()).abs() > FROM_THE_SIDE;
    let corners = [[0.34, 0.34], [0.56, 0.34], [0.56, 0.56], [0.34, 0.56]];
    let area = corners.iter().filter_map(|[x, y]| seen(gizmo, a * *x + b * *y)).filter(|_| faces).collect();
    HandleShape { handle: Handle::Plane(i), lines: Vec::new(), area }
}

fn middle(gizmo: &Gizmo, handle: Handle) -> HandleShape {
    let [right, up] = beside(gizmo.sight.toward_eye());
    HandleShape { handle, lines: Vec::new(), area: circle(gizmo, right, up, 0.13) }
}

fn moving(gizmo: &Gizmo) -> Vec<HandleShape> {
    let mut out: Vec<HandleShape> = (0..3).map(|i| plane(gizmo, i)).collect();
    for i in 0..3 {
        let Some([from, to]) = axis_line(gizmo, i, 0.86) else { continue };
        let Some(tip) = seen(gizmo, gizmo.axes[i] * 1.08) else { continue };
        let across = (tip - to).perp() * 0.42;
        out.push(HandleShape {
            handle: Handle::Axis(i),
            lines: vec![vec![from, to]],
            area: vec![to + across, tip, to - across],
        });
    }
    out.push(middle(gizmo, Handle::View));
    out
}

fn scaling(gizmo: &Gizmo) -> Vec<HandleShape> {
    let mut out = Vec::new();
    for i in 0..3 {
        let Some([from, to]) = axis_line(gizmo, i, 1.0) else { continue };
        let half = (gizmo.pixels * 0.075) as f32;
        let area = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| to + Vec2::new(x, y) * half);
        out.push(HandleShape { handle: Handle::Axis(i), lines: vec![vec![from, to]], area: area.to_vec() });
    }
    out.push(middle(gizmo, Handle::View));
    out
}

/// The handle under a point, at most `reach` pixels from a line. Areas go before lines, except for the ball inside the
/// rings, which comes last.
pub(super) fn hit(shapes: &[HandleShape], at: Vec2, reach: f32) -> Option<Handle> {
    let last = |handle: Handle| matches!(handle, Handle::Free);
    let area = |shape: &&HandleShape| holds(&shape.area, at);
    let inside = shapes.iter().rev().filter(|s| !last(s.handle)).find(area);
    let near = || {
        let all = shapes.iter().rev().flat_map(|s| s.lines.iter().map(move |line| (s.handle, line)));
        let far = all.map(|(handle, line)| (distance(line, at), handle));
        far.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0 <= reach).map(|best| best.1)
    };
    inside.map(|s| s.handle).or_else(near).or_else(|| shapes.iter().find(area).map(|s| s.handle))
}

/// Whether a point lies within a convex area.
fn holds(area: &[Vec2], at: Vec2) -> bool {
    let sides = area.iter().zip(area.iter().cycle().skip(1)).map(|(a, b)| (*b - *a).perp_dot(at - *a));
    let (mut left, mut right) = (false, false);
    for side in sides {
        left |= side > 0.0;
        right |= side < 0.0;
    }
    area.len() > 2 && !(left && right)
}

fn distance(line: &[Vec2], at: Vec2) -> f32 {
    let part = |a: DVec2, b: DVec2, p: DVec2| {
        let along = ((p - a).dot(b - a) / (b - a).length_squared().max(1e-9)).clamp(0.0, 1.0);
        p.distance(a.lerp(b, along))
    };
    let pairs = line.windows(2).map(|w| part(w[0].as_dvec2(), w[1].as_dvec2(), at.as_dvec2()) as f32);
    pairs.fold(f32::INFINITY, f32::min)
}
