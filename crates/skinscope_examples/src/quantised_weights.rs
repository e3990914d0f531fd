//! Weights of eight bits: each rounded for itself, and with the last one implied.

use glam::{DVec3, Quat, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// Half of the width and of the height of the plate, metres.
const HALF: [f32; 2] = [0.45, 0.3];
const JOINTS: [&str; 3] = ["joint 1", "joint 2", "joint 3"];
/// The joints, seen from the middle of the plate.
const PLACES: [[f32; 3]; 3] = [[-0.45, 0.0, 0.0], [0.45, 0.0, 0.0], [0.0, 0.45, 0.0]];

/// The row of this example in [`super::SCENES`].
pub(super) static QUANTISED_WEIGHTS: Scene = Scene {
    id: "quantised-weights",
    text: include_str!("../../../assets/examples/quantised-weights.md"),
    sliders: &["w1", "w2", "D", "theta"],
    rebuilds: &["w1", "w2", "D"],
    symbols: SYMBOLS,
    stage: [[-1.0, -0.75, -0.3], [1.0, 0.85, 0.3]],
    follows: Some("D"),
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

/// The corner that is measured, as one of the three joints alone would carry it.
const fn alone<const JOINT: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "p",
        below,
        bold: true,
        words,
        value: |moment| carried(moment, JOINT).into(),
        marks: |moment| vec![Mark::dot(carried(moment, JOINT).as_vec3(), MarkInk::Accent, ["p₁", "p₂", "p₃"][JOINT])],
        ..Symbol::PLAIN
    }
}

fn joint(moment: &Moment, joint: usize) -> Vec<Mark> {
    vec![Mark::dot(moment.joint_position(JOINTS[joint]), MarkInk::Accent, JOINTS[joint])]
}

fn corner(moment: &Moment, instance: usize, label: &str) -> Vec<Mark> {
    vec![Mark::dot(skinned_position(moment, instance).as_vec3(), MarkInk::Accent, label)]
}

fn error(moment: &Moment, instance: usize, label: &str) -> Vec<Mark> {
    vec![Mark::span([EXACT, instance].map(|i| skinned_position(moment, i).as_vec3()), label)]
}

static SYMBOLS: &[Symbol] = symbols! {
    "w1" "w" [below: "1", unit: Unit::Decimals(4)] "the weight for joint 1 before it is rounded" =>
        |m| m.slider("w1").into(), |m| joint(m, 0);
    "w2" "w" [below: "2", unit: Unit::Decimals(4)] "the weight for joint 2 before it is rounded" =>
        |m| m.slider("w2").into(), |m| joint(m, 1);
    "q1" "q" [below: "1", unit: Unit::Decimals(0)] "the weight for joint 1 in 255ths" =>
        |m| rounded(m.settings())[0].into(), |m| joint(m, 0);
    "q2" "q" [below: "2", unit: Unit::Decimals(0)] "the weight for joint 2 in 255ths" =>
        |m| rounded(m.settings())[1].into(), |m| joint(m, 1);
    "q3" "q" [below: "3", unit: Unit::Decimals(0)] "the weight for joint 3 in 255ths, rounded for itself" =>
        |m| rounded(m.settings())[2].into(), |m| joint(m, 2);
    "i3" "i" [below: "3", unit: Unit::Decimals(0)]
        "the weight for joint 3 in 255ths where it is implied: what the other two leave" =>
        |m| implied(m.settings())[2].into(), |m| joint(m, 2);
    "S" "S" [unit: Unit::Decimals(4)]
        "the sum of the weights that were rounded each for itself; the line leads towards the origin" =>
        |m| (rounded(m.settings()).iter().sum::<f64>() / 255.0).into(),
        |m| {
            // As far as the picture goes.
            let from = skinned_position(m, ROUNDED).as_vec3();
            let back = (from.length() - 0.6).max(0.0) / from.length().max(1e-6);
            vec![Mark::line(vec![from, from * back], MarkInk::Accent, "S: towards the origin").wide(4.0)]
        };
    like alone::<0>("p1", "1", "where joint 1 alone carries the corner");
    like alone::<1>("p2", "2", "where joint 2 alone carries the corner");
    like alone::<2>("p3", "3", "where joint 3 alone carries the corner");
    "p" "p" [bold: true] "where the corner of the plate should be: by the weights as they are" =>
        |m| skinned_position(m, EXACT).into(), |m| corner(m, EXACT, "p");
    "r" "r" [bold: true] "where it is by weights that were rounded each for itself (the blue frame)" =>
        |m| skinned_position(m, ROUNDED).into(), |m| corner(m, ROUNDED, "r");
    "m" "m" [bold: true] "where it is by two rounded weights and the implied one (the orange frame)" =>
        |m| skinned_position(m, IMPLIED).into(), |m| corner(m, IMPLIED, "m");
    "e" "e" [unit: Unit::Decimals(4)] "how far off, in metres, weights are that were rounded each for itself" =>
        |m| skinned_position(m, ROUNDED).distance(skinned_position(m, EXACT)).into(), |m| error(m, ROUNDED, "e");
    "f" "f" [unit: Unit::Decimals(4)] "how far off, in metres, they are where the last one is implied" =>
        |m| skinned_position(m, IMPLIED).distance(skinned_position(m, EXACT)).into(), |m| error(m, IMPLIED, "f");
};

/// The instances: the plate with the weights as they are, a frame with those that were rounded, one with the last implied.
const EXACT: usize = 0;
const ROUNDED: usize = 1;
const IMPLIED: usize = 2;

/// The weights in 255ths, rounded each for itself.
fn rounded(settings: &Settings) -> [f64; 3] {
    let [a, b] = ["w1", "w2"].map(|id| f64::from(settings.get(id)));
    [a, b, 1.0 - a - b].map(|w| (255.0 * w).round())
}

/// The weights in 255ths where the last one is what the others leave.
fn implied(settings: &Settings) -> [f64; 3] {
    let [a, b, _] = rounded(settings);
    [a, b, 255.0 - a - b]
}

/// ```text
/// root ─┬─ joint 1
///       ├─ joint 2     around a plate that stands D from the origin
///       └─ joint 3
/// ```
fn model(settings: &Settings) -> Model {
    let mut rig = Rig::new("Weights of eight bits");
    let away = Vec3::X * settings.get("D");
    let joints: Vec<NodeId> = JOINTS
        .iter()
        .zip(PLACES)
        .map(|(name, at)| rig.joint(name, NodeId(0), (away + Vec3::from(at)).to_array()))
        .collect();
    let skin = rig.skin(&joints);
    let [a, b] = ["w1", "w2"].map(|id| f64::from(settings.get(id)));
    let sets = [
        ("plate", [a, b, 1.0 - a - b], 0xa3a6ab, 0.0),
        ("rounded", rounded(settings).map(|q| q / 255.0), 0x3d94f0, 0.02),
        ("implied", implied(settings).map(|q| q / 255.0), 0xf0a232, 0.03),
    ];
    for (name, weights, color, height) in sets {
        let shape = if height > 0.0 { frame(0.02) } else { frame(HALF[1]) };
        let own: Vec<(u16, f32)> = (0..3_u16).zip(weights).map(|(joint, w)| (joint, w as f32)).collect();
        rig.skinned(name, skin, shape.at(away + Vec3::Z * height).painted(|_| color).weighted(|_| own.clone()));
    }
    rig.build()
}

/// A frame so thick; the first four vertices are its outer corners, the first of all the upper right one.
fn frame(thick: f32) -> Shape {
    let [x, y] = HALF;
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let outer = corners.iter().map(|(i, j)| Vec3::new(i * x, j * y, 0.0));
    let inner = corners.iter().map(|(i, j)| Vec3::new(i * (x - thick), j * (y - thick), 0.0));
    let side = |i: u32| {
        let next = (i + 1) % 4;
        [i, next, 4 + next, i, 4 + next, 4 + i]
    };
    Shape::of(outer.chain(inner).collect(), (0..4).flat_map(side).collect())
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    change(skeleton, local, JOINTS[1], |t| t.rotation = Quat::from_rotation_z(settings.get("theta").to_radians()));
}

/// The upper right corner of a plate or frame, in the plane of the picture.
fn skinned_position(moment: &Moment, instance: usize) -> DVec3 {
    moment.vertex("linear", instance, 0).with_z(0.0)
}

/// The same corner of the plate as one joint alone carries it.
fn carried(moment: &Moment, joint: usize) -> DVec3 {
    moment.alone(joint, EXACT, 0)
}

/// The corner, where the origin is, and a length to compare with.
fn marks(moment: &Moment) -> Vec<Mark> {
    let far = moment.slider("D") as f32;
    let at = |x: f32, y: f32| Vec3::new(far + x, y, 0.0);
    let mut out = vec![
        Mark::dot(skinned_position(moment, EXACT).as_vec3(), MarkInk::First, "p"),
        Mark::line(vec![at(0.45, -0.52), at(0.55, -0.52)], MarkInk::First, "10 cm"),
    ];
    if far < 0.9 {
        out.push(Mark::dot(Vec3::ZERO, MarkInk::Dim, "origin"));
    } else {
        out.push(Mark::line(vec![at(-0.88, -0.47), at(-0.95, -0.52), at(-0.88, -0.57)], MarkInk::Dim, ""));
        out.push(Mark::line(
            vec![at(-0.95, -0.52), at(-0.7, -0.52)],
            MarkInk::Dim,
            format!("to the origin, {far:.1} m"),
        ));
    }
    out
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("D", 10);
    let of = |(instance, name): (usize, &str)| {
        Curve::measured(name, &along, |m| skinned_position(m, instance).distance(skinned_position(m, EXACT)))
    };
    [(ROUNDED, "Rounded each for itself"), (IMPLIED, "Last one implied")].map(of).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_whole_numbers_in_double_precision() {
        let first = Moment::new(Settings::of(QUANTISED_WEIGHTS.example()));
        assert_eq!(rounded(first.settings()).iter().sum::<f64>(), 255.0 + 1.0, "the first sight shows an error");
        for far in [0.0, 1.0, 20.0, 50.0] {
            for step in 0..=25 {
                for theta in [0.0, 30.0, 90.0] {
                    let w1 = step as f32 / 50.0;
                    let moment = first.with("D", far).with("w1", w1).with("w2", 0.5 - 0.3 * w1).with("theta", theta);
                    let weights = [f64::from(w1), f64::from(0.5 - 0.3 * w1)];
                    let weights = [weights[0], weights[1], 1.0 - weights[0] - weights[1]];
                    let q = weights.map(|w| (w * 255.0 + 0.5).floor() as i32);
                    // The corner turns about joint 2, or stays.
                    let corner = DVec3::new(f64::from(far) + 0.45, 0.3, 0.0);
                    let center = DVec3::new(f64::from(far) + 0.45, 0.0, 0.0);
                    let (sin, cos) = f64::from(theta).to_radians().sin_cos();
                    let d = corner - center;
                    let turned = center + DVec3::new(cos * d.x - sin * d.y, sin * d.x + cos * d.y, 0.0);
                    let blend = |w: [f64; 3]| corner * (w[0] + w[2]) + turned * w[1];
                    let exact = blend(weights);
                    let each = blend(q.map(|q| f64::from(q) / 255.0));
                    let implied = blend([q[0], q[1], 255 - q[0] - q[1]].map(|q| f64::from(q) / 255.0));
                    for (instance, wanted) in [(EXACT, exact), (ROUNDED, each), (IMPLIED, implied)] {
                        let off = skinned_position(&moment, instance).distance(wanted);
                        // Single precision far from the origin has steps of four micrometres.
                        assert!(off < 3e-5, "{far} {w1} {theta} {instance}: {off}");
                    }
                    let sum: i32 = q.iter().sum();
                    if sum == 256 {
                        let pull = each.distance(exact) - exact.length() / 255.0;
                        assert!(pull.abs() < 0.01, "4 mm for each metre: {pull}");
                    }
                    assert!(implied.distance(exact) < 0.005, "it does not grow with the distance");
                }
            }
        }
    }
}
