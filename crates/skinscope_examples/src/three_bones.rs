//! Lewis' three bones: a point of one bone as each of the others would carry it.

use glam::{DAffine3, DVec3, Quat, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::Moment;
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit, Value};

/// The length of each bone, metres.
const LENGTH: f32 = 0.8;
const HALF_WIDTH: f32 = 0.16;
/// Rows of the strip.
const ROWS: usize = 36;
/// The row of the marked vertex: on bone 1, near its end.
const ROW: usize = 10;
const BONES: [&str; 3] = ["bone 1", "bone 2", "bone 3"];

/// The row of this example in [`super::SCENES`].
pub(super) static THREE_BONES: Scene = Scene {
    id: "three-bones",
    text: include_str!("../../../assets/examples/three-bones.md"),
    sliders: &["r1", "r2", "r3", "rest"],
    rebuilds: &["rest"],
    symbols: SYMBOLS,
    stage: [[-1.9, -1.6, -0.3], [2.5, 2.1, 0.3]],
    model,
    pose,
    marks,
    ..Scene::PLAIN
};

/// A bone as an accented line from its joint on.
fn bone(moment: &Moment, at: usize, label: &str) -> Vec<Mark> {
    let m = moment.node(BONES[at]);
    // Axes that are turned at rest do not turn the bone.
    let back = moment.rest_node(BONES[at]).matrix3.inverse().as_mat3() * Vec3::X * LENGTH;
    let end = m.transform_point3(back);
    vec![Mark::line(vec![moment.joint_position(BONES[at]), end], MarkInk::Accent, label).wide(5.0)]
}

static SYMBOLS: &[Symbol] = symbols! {
    "R1" "R" [below: "1", bold: true] "the rotation of bone 1" =>
        |m| rotation(m, 0), |m| bone(m, 0, "R₁");
    "R2" "R" [below: "2", bold: true] "the rotation of bone 2, with the turn ρ of its axes" =>
        |m| rotation(m, 1), |m| bone(m, 1, "R₂");
    "R3" "R" [below: "3", bold: true] "the rotation of bone 3, with the turn −ρ that takes the axes back" =>
        |m| rotation(m, 2), |m| bone(m, 2, "R₃");
    "T1" "T" [below: "1", bold: true] "the step along bone 1, from its joint to that of bone 2" =>
        |m| step(m, 1), |m| steps(m, 0);
    "T2" "T" [below: "2", bold: true] "the step along bone 2, from its joint to that of bone 3" =>
        |m| step(m, 2), |m| steps(m, 1);
    "W2A" "W" [below: "2", above: "A", bold: true] "the animated transform from bone 2's space to the world" =>
        |m| Value::in_plane(m.exact_node(BONES[1])), |m| Mark::frame(m.exact_node(BONES[1]), 0.35, MarkInk::Accent, "W₂");
    "W3A" "W" [below: "3", above: "A", bold: true] "the animated transform from bone 3's space to the world" =>
        |m| Value::in_plane(m.exact_node(BONES[2])), |m| Mark::frame(m.exact_node(BONES[2]), 0.35, MarkInk::Accent, "W₃");
    "W2R" "W" [below: "2", above: "R", bold: true] "the transform of bone 2 to the world at rest" =>
        |m| Value::in_plane(m.rest_node(BONES[1])), |m| Mark::frame(m.rest_node(BONES[1]), 0.35, MarkInk::Accent, "at rest");
    "W3R" "W" [below: "3", above: "R", bold: true] "the transform of bone 3 to the world at rest" =>
        |m| Value::in_plane(m.rest_node(BONES[2])), |m| Mark::frame(m.rest_node(BONES[2]), 0.35, MarkInk::Accent, "at rest");
    "Q" "Q" [bold: true] "the turn ρ of bone 2's axes at rest" =>
        |m| Value::in_plane(DAffine3::from_mat3(m.rest_node(BONES[1]).matrix3)),
        |m| Mark::frame(m.rest_node(BONES[1]), 0.35, MarkInk::Accent, "Q");
    "A" "A" [bold: true] "the transform of bone 2 at rest" =>
        |m| Value::in_plane(m.rest_node(BONES[1])), |m| Mark::frame(m.rest_node(BONES[1]), 0.35, MarkInk::Accent, "A");
    "B" "B" [bold: true] "the step from bone 2 to bone 3 at rest" =>
        |m| Value::in_plane(m.rest_node(BONES[1]).inverse() * m.rest_node(BONES[2])),
        |m| {
            let ends = [1, 2].map(|i| m.rest_node(BONES[i]).translation.as_vec3());
            vec![Mark::span(ends, "B")]
        };
    "p" "p" [bold: true] "the vertex at rest, in the space of bone 1" =>
        |m| Value::plane_point(modelled(m)), |m| vec![Mark::dot(modelled(m).as_vec3(), MarkInk::Accent, "p")];
    "a" "a" [bold: true] "where bone 1 alone carries the vertex" =>
        |m| Value::plane_point(alone(m, 0)), |m| copy(m, 0, "a");
    "b" "b" [bold: true]
        "where bone 2 alone would carry the vertex; the outline is the whole skin as bone 2 alone would carry it" =>
        |m| Value::plane_point(alone(m, 1)), |m| copy(m, 1, "b");
    "c" "c" [bold: true]
        "where bone 3 alone would carry the vertex; the outline is the whole skin as bone 3 alone would carry it" =>
        |m| Value::plane_point(alone(m, 2)), |m| copy(m, 2, "c");
    "pw" "v" [bold: true] "where skinning puts the vertex in the world" =>
        |m| Value::plane_point(m.vertex("linear", 0, VERTEX)),
        |m| vec![Mark::dot(m.vertex("linear", 0, VERTEX).as_vec3(), MarkInk::Accent, "v").wide(16.0)];
    like weight::<0>("w1", "1", "the weight of the vertex for bone 1");
    like weight::<1>("w2", "2", "the weight of the vertex for bone 2");
    like weight::<2>("w3", "3", "the weight of the vertex for bone 3");
    "e" "e" [unit: Unit::Metres] "how far from the right place the wrong order would put the point in bone 3's space at rest" =>
        |moment| {
            let [a, b] = [1, 2].map(|i| moment.rest_node(BONES[i]));
            let b = a.inverse() * b;
            let p = modelled(moment);
            (a.inverse() * b.inverse())
                .transform_point3(p)
                .distance((b.inverse() * a.inverse()).transform_point3(p))
                .into()
        },
        |moment| {
            let [a, whole] = [1, 2].map(|i| moment.rest_node(BONES[i]));
            let b = a.inverse() * whole;
            let p = modelled(moment);
            // Both are shown where bone 3 rests.
            let wrong = whole.transform_point3((a.inverse() * b.inverse()).transform_point3(p));
            vec![
                Mark::line(vec![p.as_vec3(), wrong.as_vec3()], MarkInk::Accent, ""),
                Mark::dot(p.as_vec3(), MarkInk::Dim, "right"),
                Mark::dot(wrong.as_vec3(), MarkInk::Accent, "wrong order"),
            ]
        };
};

const fn weight<const BONE: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "w",
        below,
        words,
        value: |moment| weights(moment)[BONE].into(),
        marks: |moment| {
            let at = moment.vertex("linear", 0, VERTEX).as_vec3();
            vec![Mark::line(vec![alone(moment, BONE).as_vec3(), at], MarkInk::Accent, "").wide(6.0)]
        },
        ..Symbol::PLAIN
    }
}

/// The marked vertex: the upper one of its row.
const VERTEX: usize = 2 * ROW;

/// ```text
/// root ── bone 1 (x = 0) ── bone 2 (0.8) ── bone 3 (1.6)
/// ```
fn model(settings: &Settings) -> Model {
    let axes = Quat::from_rotation_z(settings.get("rest").to_radians());
    let mut rig = Rig::new("Three bones");
    let first = rig.joint(BONES[0], NodeId(0), [0.0; 3]);
    let second = Transform { translation: Vec3::X * LENGTH, rotation: axes, ..Transform::IDENTITY };
    let second = rig.node(BONES[1], Some(first), second);
    // Straight on in the world, whatever the axes of bone 2.
    let along = axes.inverse() * Vec3::X * LENGTH;
    let third = Transform { translation: along, rotation: axes.inverse(), ..Transform::IDENTITY };
    let third = rig.node(BONES[2], Some(second), third);
    let skin = rig.skin(&[first, second, third]);
    let strip = Shape::strip([0.0, 3.0 * LENGTH], ROWS, HALF_WIDTH).lying();
    let colors = [0x7fa6d6, 0x8fc58a, 0xe6c07a];
    let strip = strip.painted(|p| colors[((p.x / LENGTH) as usize).min(2)]).weighted(|p| {
        // Each bone weighs by the distance from its middle.
        let raw = [0.5, 1.5, 2.5].map(|middle: f32| (-((p.x / LENGTH - middle) * 1.6).powi(2)).exp());
        let sum: f32 = raw.iter().sum();
        raw.iter().enumerate().map(|(bone, w)| (bone as u16, w / sum)).collect()
    });
    rig.skinned("limb", skin, strip);
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    for (bone, slider) in BONES.iter().zip(["r1", "r2", "r3"]) {
        let turn = Quat::from_rotation_z(settings.get(slider).to_radians());
        change(skeleton, local, bone, |t| t.rotation *= turn);
    }
}

/// The local transform of a bone now.
fn local(moment: &Moment, bone: usize) -> Transform {
    // The first node is the root.
    moment.local().transforms[bone + 1]
}

fn rotation(moment: &Moment, bone: usize) -> Value {
    let turn = DAffine3::from_quat(local(moment, bone).rotation.as_dquat());
    Value::in_plane(turn)
}

/// The translation of a bone from the one before it.
fn step(moment: &Moment, bone: usize) -> Value {
    Value::in_plane(DAffine3::from_translation(local(moment, bone).translation.as_dvec3()))
}

fn steps(moment: &Moment, from: usize) -> Vec<Mark> {
    let ends = [from, from + 1].map(|bone| moment.joint_position(BONES[bone]));
    vec![Mark::span(ends, ["T₁", "T₂"][from])]
}

/// The marked vertex at rest; bone 1 rests in the world's origin.
fn modelled(moment: &Moment) -> DVec3 {
    moment.stored_vertex(0, VERTEX)
}

/// Where a bone alone carries the marked vertex.
fn alone(moment: &Moment, bone: usize) -> DVec3 {
    moment.alone(bone, 0, VERTEX)
}

/// The outline of the whole skin as one bone alone carries it, and the marked vertex on it.
fn copy(moment: &Moment, bone: usize, label: &str) -> Vec<Mark> {
    vec![outline(moment, bone, MarkInk::Accent), Mark::dot(alone(moment, bone).as_vec3(), MarkInk::Accent, label)]
}

fn outline(moment: &Moment, bone: usize, ink: MarkInk) -> Mark {
    let m = moment.skinning_matrix(0, bone).as_affine3a();
    let corners = [(0.0, -1.0), (3.0, -1.0), (3.0, 1.0), (0.0, 1.0), (0.0, -1.0)];
    let corner = |(x, y): (f32, f32)| m.transform_point3(Vec3::new(x * LENGTH, y * HALF_WIDTH, 0.0));
    Mark::line(corners.map(corner).to_vec(), ink, "").wide(2.0)
}

fn weights(moment: &Moment) -> [f64; 3] {
    let primitive = &moment.model().meshes[0].primitives[0];
    let stored = primitive.stored_influences.as_ref().map(|i| i.of(VERTEX).1);
    [0, 1, 2].map(|bone| stored.and_then(|w| w.get(bone)).map_or(f64::NAN, |w| f64::from(*w)))
}

/// Words so far from a position, metres, with a thin line that leads to them.
fn letter_beside(anchor: Vec3, [x, y]: [f32; 2], words: &str) -> Mark {
    Mark::named_aside(anchor, Vec3::new(x, y, 0.0), words)
}

/// Where each bone alone would carry the vertex, the skin as bone 3 alone would carry it, the vertex itself, and where it is at rest.
fn marks(moment: &Moment) -> Vec<Mark> {
    let at = moment.vertex("linear", 0, VERTEX).as_vec3();
    let mut out = vec![outline(moment, 2, MarkInk::Dim)];
    // The positions are near each other: their letters stand aside.
    let aside = [[0.14, -0.2], [-0.3, -0.15], [0.14, -0.15]];
    for (bone, ink) in [MarkInk::First, MarkInk::Second, MarkInk::Third].into_iter().enumerate() {
        let alone_at = alone(moment, bone).as_vec3();
        out.push(Mark::line(vec![alone_at, at], ink, "").wide(1.0 + 6.0 * weights(moment)[bone] as f32));
        out.push(Mark::dot(alone_at, ink, ""));
        let words = ["a: bone 1", "b: bone 2", "c: bone 3"][bone];
        out.push(letter_beside(alone_at, aside[bone], words));
    }
    out.push(Mark::dot(at, MarkInk::First, "").wide(14.0));
    out.push(letter_beside(at, [-0.3, 0.2], "v"));
    let rest = modelled(moment).as_vec3();
    out.push(Mark::dot(rest, MarkInk::Dim, "").wide(9.0));
    out.push(letter_beside(rest, [0.14, 0.16], "p: at rest"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In complex numbers: a turn is a factor, a step is a sum.
    #[test]
    fn ghost_points_are_those_of_complex_numbers_over_all_sliders() {
        let first = Moment::new(Settings::of(THREE_BONES.example()));
        let turn = |angle: f64, (x, y): (f64, f64)| {
            let (sin, cos) = angle.sin_cos();
            (cos * x - sin * y, sin * x + cos * y)
        };
        for rest in [0.0, 25.0, 90.0] {
            let rested = first.with("rest", rest);
            for degrees in [[0.0, 0.0, 0.0], [10.0, 45.0, 40.0], [-120.0, 120.0, -60.0], [120.0, -33.0, 120.0]] {
                let moment = rested.with("r1", degrees[0]).with("r2", degrees[1]).with("r3", degrees[2]);
                let [r1, r2, r3] = degrees.map(|d| f64::from(d).to_radians());
                let p = modelled(&moment);
                let l = f64::from(LENGTH);
                let a = turn(r1, (p.x, p.y));
                let b = turn(r2, (p.x - l, p.y));
                let b = turn(r1, (b.0 + l, b.1));
                let c = turn(r3, (p.x - 2.0 * l, p.y));
                let c = turn(r2, (c.0 + l, c.1));
                let c = turn(r1, (c.0 + l, c.1));
                for (bone, (x, y)) in [a, b, c].into_iter().enumerate() {
                    let got = alone(&moment, bone);
                    assert!((got.x - x).hypot(got.y - y) < 1e-5, "{rest} {degrees:?} bone {bone}: {got} {x} {y}");
                }
                let w = weights(&moment);
                assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-6 && w[0] > w[1] && w[1] > w[2]);
                let wanted =
                    DVec3::new(w[0] * a.0 + w[1] * b.0 + w[2] * c.0, w[0] * a.1 + w[1] * b.1 + w[2] * c.1, 0.0);
                assert!(moment.vertex("linear", 0, VERTEX).distance(wanted) < 1e-5, "{rest} {degrees:?}");
            }
        }
    }

    /// Every pair of the positions that the page compares is farther apart than the widest dot, at the start and with only bone 3 moved.
    #[test]
    fn the_positions_that_are_compared_are_apart_from_the_start() {
        let moment = Moment::new(Settings::of(THREE_BONES.example()));
        let shown = [modelled(&moment), alone(&moment, 0), alone(&moment, 1), alone(&moment, 2)];
        for (i, a) in shown.iter().enumerate() {
            for b in &shown[i + 1..] {
                assert!(a.distance(*b) > 0.25, "{i}: {shown:?}");
            }
        }
    }

    /// Shifts may be exchanged; a turn and a shift may not.
    #[test]
    fn the_wrong_order_is_harmless_only_without_turns() {
        let off = |rest: f32| {
            let moment = Moment::new(Settings::of(THREE_BONES.example())).with("rest", rest);
            moment.value_of("e").unwrap().number().unwrap()
        };
        assert!(off(0.0) < 1e-6 && off(5.0) > 0.05 && off(90.0) > 0.5, "{} {} {}", off(0.0), off(5.0), off(90.0));
    }
}
