//! The elbow of the lecture CS418 in its three versions: transformations, vertices and matrices are interpolated.

use glam::{DMat2, DVec3, Quat, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::Moment;
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit, Value};

/// Quads of a strip; there is one more row of vertices.
const QUADS: usize = 8;
/// The height of a quad, metres: the lecture's unit.
const UNIT: f32 = 0.25;
/// Half of the width of a strip.
const HALF_WIDTH: f32 = UNIT;
/// The elbow is half way up.
const REACH: f32 = UNIT * QUADS as f32 / 2.0;
/// The strips stand so far apart.
const APART: f32 = 1.7;

/// The row of this example in [`super::SCENES`].
pub(super) static CS418_ELBOW: Scene = Scene {
    id: "elbow",
    text: include_str!("../../../assets/examples/elbow.md"),
    sliders: &["theta", "row"],
    symbols: SYMBOLS,
    stage: [[-2.9, -1.3, -0.3], [2.75, 1.15, 0.3]],
    model,
    pose,
    marks,
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "theta" "θ" [unit: Unit::Degrees] "the angle by which the bent arm is turned about the elbow" =>
        |moment| angle(moment).into(),
        |moment| {
            let elbow = elbow(2);
            let up = elbow + Vec3::Y * 0.6;
            Mark::arc(elbow, up, Vec3::Z, angle(moment) as f32, MarkInk::Accent, "θ")
        };
    "A" "A" [bold: true] "the matrix of the straight arm; the outline is the whole strip as it alone would carry it" =>
        |_| DMat2::IDENTITY.into(), |_| vec![outline(2, 0.0, MarkInk::Accent, "A")];
    "B" "B" [bold: true] "the matrix of the bent arm; the outline is the whole strip as it alone would carry it" =>
        |moment| Value::turn_in_plane(moment.exact_node("bent")).into(),
        |moment| vec![outline(2, angle(moment) as f32, MarkInk::Accent, "B")];
    "a" "a" "the weight of the marked row for the straight arm: 1 − b" =>
        |moment| (1.0 - weight(moment)).into(), |moment| vec![row(moment, 1, "a")];
    "b" "b" "the weight of the marked row for the bent arm: an eighth of its number" =>
        |moment| weight(moment).into(), |moment| vec![row(moment, 1, "b")];
    "p" "p" [bold: true] "the marked vertex before the elbow bends, seen from the elbow" =>
        |moment| modelled(moment).truncate().into(),
        |moment| vec![Mark::dot(elbow(2) + modelled(moment).as_vec3(), MarkInk::Accent, "p")];
    "q" "q" [bold: true] "the marked vertex of the middle strip, which is turned by b θ" =>
        |moment| seen(moment, 0).truncate().into(),
        |moment| {
            vec![
                Mark::line(vec![elbow(1), elbow(1) + seen(moment, 0).as_vec3()], MarkInk::Accent, ""),
                Mark::dot(elbow(1) + seen(moment, 0).as_vec3(), MarkInk::Accent, "q"),
            ]
        };
    "c" "c" [bold: true] "the marked vertex of the right strip, where skinning puts it" =>
        |moment| seen(moment, 1).truncate().into(),
        |moment| {
            vec![
                Mark::line(vec![elbow(2), elbow(2) + seen(moment, 1).as_vec3()], MarkInk::Accent, ""),
                Mark::dot(elbow(2) + seen(moment, 1).as_vec3(), MarkInk::Accent, "c"),
            ]
        };
};

/// The elbow of a strip.
fn elbow(strip: usize) -> Vec3 {
    Vec3::new((strip as f32 - 1.0) * APART, 0.0, 0.0)
}

/// ```text
/// root ─┬─ transformations ── quad 0 … quad 7     a quad in the space of each
///       ├─ vertices ── row 0 … row 8              one strip, a joint for each row
///       └─ matrices ─┬─ straight
///                    └─ bent                      one strip, two joints with weights
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("An elbow in three versions");
    let group = |rig: &mut Rig, name: &str, strip: usize| rig.joint(name, NodeId(0), elbow(strip).to_array());
    let first = group(&mut rig, "transformations", 0);
    let quads: Vec<NodeId> = (0..QUADS).map(|i| rig.joint(&format!("quad {i}"), first, [0.0; 3])).collect();
    let second = group(&mut rig, "vertices", 1);
    let rows: Vec<NodeId> = (0..=QUADS).map(|i| rig.joint(&format!("row {i}"), second, [0.0; 3])).collect();
    let third = group(&mut rig, "matrices", 2);
    let both = ["straight", "bent"].map(|name| rig.joint(name, third, [0.0; 3]));
    let strip = || Shape::strip([-REACH, REACH], QUADS, HALF_WIDTH).painted_by_number(|i| colour(i / 2));
    let skin = rig.skin(&rows);
    rig.skinned("vertices", skin, strip().at(elbow(1)).weighted_by_number(|i| vec![((i / 2) as u16, 1.0)]));
    let skin = rig.skin(&both);
    let weights = |i: usize| {
        let weight = (i / 2) as f32 / QUADS as f32;
        vec![(0, 1.0 - weight), (1, weight)]
    };
    rig.skinned("matrices", skin, strip().at(elbow(2)).weighted_by_number(weights));
    for (i, quad) in quads.iter().enumerate() {
        let from = UNIT * i as f32 - REACH;
        // The lecture's weight of a quad is its number over seven.
        let color = colour_of(i as f32 / (QUADS - 1) as f32);
        rig.rigid("quad", *quad, Shape::strip([from, from + UNIT], 1, HALF_WIDTH).painted(move |_| color));
    }
    rig.build()
}

/// Yellow for the bent arm, blue for the straight one, as the lecture has it: `glColor3f(weight, weight, 1 - weight)`, a little
/// lighter.
fn colour_of(weight: f32) -> u32 {
    let channel = |v: f32| (48.0 + v * 200.0).round() as u32;
    channel(weight) << 16 | channel(0.25 + 0.75 * weight) << 8 | channel(1.0 - weight)
}

fn colour(row: usize) -> u32 {
    colour_of(row as f32 / QUADS as f32)
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let theta = settings.get("theta").to_radians();
    let mut turn = |name: &str, share: f32| {
        change(skeleton, local, name, |t| t.rotation = Quat::from_rotation_z(share * theta));
    };
    (0..QUADS).for_each(|i| turn(&format!("quad {i}"), i as f32 / (QUADS - 1) as f32));
    (0..=QUADS).for_each(|i| turn(&format!("row {i}"), i as f32 / QUADS as f32));
    turn("bent", 1.0);
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("theta").to_radians()
}

fn marked_row(moment: &Moment) -> usize {
    (moment.slider("row").round() as usize).min(QUADS)
}

fn weight(moment: &Moment) -> f64 {
    marked_row(moment) as f64 / QUADS as f64
}

/// The marked vertex at rest, as seen from its elbow.
fn modelled(moment: &Moment) -> DVec3 {
    moment.stored_vertex(1, 2 * marked_row(moment) + 1) - elbow(2).as_dvec3()
}

/// The marked vertex of the middle (0) or right (1) strip, as seen from its elbow.
fn seen(moment: &Moment, instance: usize) -> DVec3 {
    moment.vertex("linear", instance, 2 * marked_row(moment) + 1) - elbow(instance + 1).as_dvec3()
}

/// The outline of a strip, turned about its elbow by an angle (radians).
fn outline(strip: usize, angle: f32, ink: MarkInk, label: &str) -> Mark {
    let turn = Quat::from_rotation_z(angle);
    // The words stand at the last corner.
    let corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let corner = |(x, y): (f32, f32)| elbow(strip) + turn * Vec3::new(x * HALF_WIDTH, y * REACH, 0.0);
    Mark::line(corners.map(corner).to_vec(), ink, label).wide(2.0)
}

/// The marked row of a strip, both of its vertices.
fn row(moment: &Moment, instance: usize, label: &str) -> Mark {
    let at = |side: usize| moment.vertex("linear", instance, 2 * marked_row(moment) + side).as_vec3();
    Mark::span([at(0), at(1)], label)
}

/// The names of the strips, both ghosts, and the marked vertex with the two positions that its matrices lead to.
fn marks(moment: &Moment) -> Vec<Mark> {
    let turned = Quat::from_rotation_z(angle(moment) as f32) * modelled(moment).as_vec3();
    let [straight, bent] = [modelled(moment).as_vec3(), turned].map(|p| elbow(2) + p);
    // Words to the left of a position that its neighbours leave no room at.
    let aside = |p: Vec3, label: &str| Mark::named_aside(p, Vec3::new(-0.42, -0.1, 0.0), label);
    let name = |strip: usize, words: &str| Mark::name(elbow(strip) + Vec3::new(-0.45, -1.26, 0.0), words);
    // The way of the marked vertex of the middle strip, as its weight grows.
    let mut out =
        Mark::arc(elbow(1), elbow(1) + modelled(moment).as_vec3(), Vec3::Z, angle(moment) as f32, MarkInk::Dim, "");
    out.iter_mut().for_each(|mark| mark.width = 1.5);
    // Each strip has the ghosts of the straight and of the bent arm; in the right one they are what its matrices alone would make.
    for (strip, [straight, bent]) in [(0, ["", ""]), (1, ["", ""]), (2, ["A", "B"])] {
        out.push(outline(strip, 0.0, MarkInk::Dim, straight));
        out.push(outline(strip, angle(moment) as f32, MarkInk::Dim, bent));
    }
    out.extend([
        name(0, "turned quads"),
        name(1, "turned rows"),
        name(2, "blended matrices"),
        Mark::dot(elbow(0), MarkInk::Dim, "").wide(8.0),
        Mark::dot(elbow(1), MarkInk::Dim, "elbow").wide(8.0),
        Mark::dot(elbow(2), MarkInk::Dim, "").wide(8.0),
        Mark::line(vec![straight, bent], MarkInk::Second, "").wide(2.0),
        Mark::dot(straight, MarkInk::Second, "A p = p").wide(9.0),
        Mark::dot(bent, MarkInk::Second, "").wide(9.0),
        aside(bent, "B p"),
        Mark::dot(elbow(2) + seen(moment, 1).as_vec3(), MarkInk::First, "c"),
        Mark::dot(elbow(1) + seen(moment, 0).as_vec3(), MarkInk::First, "q"),
    ]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strip_has_the_ghosts_of_the_straight_and_of_the_bent_arm() {
        let moment = Moment::new(Settings::of(CS418_ELBOW.example())).with("theta", 90.0);
        let drawn = marks(&moment);
        for strip in 0..3 {
            for corners in [[[0.25, 1.0], [-0.25, -1.0]], [[-1.0, 0.25], [1.0, -0.25]]] {
                let is_ghost = |mark: &&Mark| {
                    corners.iter().all(|[x, y]| {
                        let corner = Vec3::new(1.7 * (strip as f32 - 1.0) + x, *y, 0.0);
                        mark.points.iter().any(|p| p.distance(corner) < 1e-5)
                    })
                };
                assert!(drawn.iter().any(|mark| is_ghost(&mark)), "strip {strip}: {corners:?}");
            }
        }
    }

    #[test]
    fn each_version_puts_vertices_where_the_lectures_program_does() {
        let first = Moment::new(Settings::of(CS418_ELBOW.example()));
        for degrees in (0..=180).step_by(5) {
            for row in 0..=QUADS {
                let moment = first.with("theta", degrees as f32).with("row", row as f32);
                let (theta, w) = (f64::from(degrees).to_radians(), row as f64 / QUADS as f64);
                let unit = f64::from(UNIT);
                let p = [unit, unit * (row as f64 - 4.0)];
                let turned = |angle: f64| {
                    let (sin, cos) = angle.sin_cos();
                    [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]
                };
                let near =
                    |got: DVec3, want: [f64; 2]| (got.x - want[0]).hypot(got.y - want[1]) < 1e-5 && got.z.abs() < 1e-6;
                assert!(near(seen(&moment, 0), turned(w * theta)), "{degrees}° row {row}");
                let bent = turned(theta);
                let blended = [(1.0 - w) * p[0] + w * bent[0], (1.0 - w) * p[1] + w * bent[1]];
                assert!(near(seen(&moment, 1), blended), "{degrees}° row {row}");
                if row < QUADS {
                    // The lower right corner of a quad, which is turned by a seventh for each.
                    let got = moment.vertex("linear", 2 + row, 1) - elbow(0).as_dvec3();
                    assert!(near(got, turned(row as f64 / 7.0 * theta)), "{degrees}° quad {row}: {got}");
                }
            }
        }
    }
}
