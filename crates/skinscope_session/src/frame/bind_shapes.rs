//! What the method of *Auto bind* looks at: the envelopes of bones, and the planes at joints.

use std::f64::consts::TAU;

use glam::DVec3;
use skinscope_edit::{Capsule, JointPlane, JointShape, ShapeForm};
use skinscope_frame::{Frame, Line};

use super::SceneColors;
use crate::EditedWeights;

/// The widths of the lines of the selected joint and of all others, pixels.
const WIDTHS: [f32; 2] = [1.75, 1.0];
/// How much of the colour the lines of inner radii have, and those of joints that are not selected.
const FAINT: f32 = 0.55;
/// How many lines a circle has.
const SIDES: usize = 24;
/// Of more shapes those of the selected joint alone are drawn.
const MOST: usize = 160;
/// How large a plane is drawn, in distances of the surface.
const PLANE: f64 = 1.6;

/// Adds the shapes of the method that is tried or was just applied.
pub(super) fn add_bind_shapes(frame: &mut Frame, weights: EditedWeights<'_>, colors: &SceneColors) {
    let shapes = weights.bind_shapes();
    let is_selected = |shape: &JointShape| weights.view.selected == Some(shape.node);
    let draws_all = shapes.len() <= MOST;
    // The selected joint last, over the others.
    let others = shapes.iter().filter(|shape| draws_all && !is_selected(shape)).map(|shape| (shape, false));
    let own = shapes.iter().filter(|shape| is_selected(shape)).map(|shape| (shape, true));
    for (shape, is_own) in others.chain(own) {
        let [r, g, b, a] = if is_own { colors.selected } else { colors.bone };
        let faint = [r, g, b, FAINT * a];
        let (color, width) = if is_own { ([r, g, b, a], WIDTHS[0]) } else { (faint, WIDTHS[1]) };
        let mut add = |way: &[DVec3], color: [f32; 4]| {
            let pairs = way.iter().zip(way.iter().skip(1));
            let line = |(from, to): (&DVec3, &DVec3)| Line { from: from.as_vec3(), to: to.as_vec3(), width, color };
            frame.lines.extend(pairs.map(line));
        };
        match &shape.form {
            ShapeForm::Capsule(capsule) => {
                let [inner, outer] = capsule.shares;
                outline(capsule, outer).iter().for_each(|way| add(way, color));
                if is_own && inner > 0.0 {
                    outline(capsule, inner).iter().for_each(|way| add(way, faint));
                }
            }
            ShapeForm::Plane(plane) => add(&square(plane), color),
        }
    }
}

/// Returns the ways that show a capsule: a circle around each end of the bone, and two outlines along it that go around both ends.
fn outline(capsule: &Capsule, share: f64) -> [Vec<DVec3>; 4] {
    let [from, to] = capsule.ends;
    let radius = share * capsule.radius;
    let along = (to - from).try_normalize().unwrap_or(DVec3::Y);
    let (x, y) = along.any_orthonormal_pair();
    let arc = |middle: DVec3, a: DVec3, b: DVec3, turn: f64| {
        let sides = (turn * SIDES as f64).ceil() as usize;
        let at = move |side: usize| {
            let angle = turn * TAU * side as f64 / sides as f64;
            middle + (a * angle.cos() + b * angle.sin()) * radius
        };
        (0..=sides).map(at)
    };
    let around = |across: DVec3| -> Vec<DVec3> {
        let first = arc(to, across, along, 0.5);
        let second = arc(from, -across, -along, 0.5);
        first.chain(second).chain(std::iter::once(to + across * radius)).collect()
    };
    [arc(from, x, y, 1.0).collect(), arc(to, x, y, 1.0).collect(), around(x), around(y)]
}

/// Returns the border of a plane, closed.
fn square(plane: &JointPlane) -> [DVec3; 5] {
    let (x, y) = plane.normal.try_normalize().unwrap_or(DVec3::Y).any_orthonormal_pair();
    let corner = |x_side: f64, y_side: f64| plane.at + (x * x_side + y * y_side) * (PLANE * plane.size);
    [corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_a_capsule_is_as_far_from_its_bone_as_its_radius() {
        let ends = [DVec3::new(0.0, 1.0, 0.0), DVec3::new(2.0, 1.0, 1.0)];
        let capsule = Capsule { ends, radius: 0.5, shares: [0.5, 1.2], next: 0, within: 0 };
        let bone = (ends[1] - ends[0]).normalize();
        for point in outline(&capsule, 1.2).iter().flatten() {
            let share = (*point - ends[0]).dot(bone).clamp(0.0, ends[0].distance(ends[1]));
            assert!(((ends[0] + bone * share).distance(*point) - 0.6).abs() < 1e-9, "{point}");
        }
    }

    #[test]
    fn the_border_of_a_plane_lies_in_it_and_is_closed() {
        let plane = JointPlane { at: DVec3::ONE, normal: DVec3::new(0.6, 0.8, 0.0), size: 0.1 };
        let border = square(&plane);
        assert_eq!(border[0], border[4]);
        assert!(border.iter().all(|corner| (*corner - plane.at).dot(plane.normal).abs() < 1e-12));
        assert!(border.iter().all(|corner| corner.distance(plane.at) > 0.1));
    }
}
