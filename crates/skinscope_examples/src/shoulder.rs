//! An arm that is raised from one ball joint, and from clavicle, scapula and shoulder together.

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change, eased, mixed};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The radius of the limb, metres; it lies along +X from the breastbone to the hand, as in a bind pose with arms aside.
const RADIUS: f32 = 0.2;
const LENGTH: f32 = 1.6;
const RINGS: usize = 81;
const SIDES: usize = 32;
/// The sides of a ring that are above, and below in the armpit: the tube stood upright and was turned down towards +X.
const ABOVE: usize = 3 * SIDES / 4;
const BELOW: usize = SIDES / 4;
/// Where the breastbones of both figures are. The floor is at 0, below an arm that hangs.
const AT: [[f32; 3]; 2] = [[-2.0, 1.0, 0.0], [0.45, 1.0, 0.0]];
/// The joints of the right limb, each with where it is, how far its skin blends on both sides, and its part of the raise.
const CHAIN: [(&str, f32, f32, f32); 3] =
    [("clavicle", 0.15, 0.15, 1.0 / 6.0), ("scapula", 0.4, 0.1, 1.0 / 6.0), ("shoulder", 0.7, 0.2, 2.0 / 3.0)];
/// The one ball joint of the left limb, where the shoulder of the right one is.
const BALL: (f32, f32) = (0.7, 0.2);

/// The row of this example in [`super::SCENES`].
pub(super) static SHOULDER: Scene = Scene {
    id: "shoulder",
    text: include_str!("../../../assets/examples/shoulder.md"),
    sliders: &["theta"],
    symbols: SYMBOLS,
    stage: [[-2.5, 0.05, -0.4], [2.15, 2.25, 0.4]],
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

/// The names of the figures and joints, and the half widths that are compared.
fn marks(moment: &Moment) -> Vec<Mark> {
    let under = |at: [f32; 3], words: &str| Mark::name(Vec3::from(at) + Vec3::new(-0.45, -0.92, 0.0), words);
    // Each name stands to another side of its joint, so that no line to one crosses another.
    let named = |joint: &str, words: &str, [x, y]: [f32; 2]| {
        let at = moment.joint_position(joint);
        [Mark::named_aside(at, Vec3::new(x, y, 0.0), words), Mark::dot(at, MarkInk::First, "").wide(8.0)]
    };
    let width = |limb: usize, words: &str| {
        Mark::line(waist(moment, limb).map(|p| p.as_vec3()).to_vec(), MarkInk::Second, words).wide(4.0)
    };
    let mut out = vec![under(AT[0], "one ball joint"), under(AT[1], "clavicle, scapula, shoulder")];
    out.extend(named("ball", "ball joint", [0.5, 0.04]));
    out.extend(named("clavicle", "clavicle", [-0.5, -0.3]));
    out.extend(named("scapula", "scapula", [-0.05, -0.62]));
    out.extend(named("shoulder", "shoulder", [0.5, 0.04]));
    out.extend([width(0, "s₁"), width(1, "s₂")]);
    out
}

/// The angle of a joint of the right limb as an arc at it.
fn arc_at(moment: &Moment, joint: usize, label: &str) -> Vec<Mark> {
    let center = moment.joint_position(CHAIN[joint].0);
    let turn = (angle(moment) * f64::from(CHAIN[joint].3)) as f32;
    let before: f32 = CHAIN[..joint].iter().map(|(_, _, _, part)| part).sum();
    let from = Quat::from_rotation_z(before * angle(moment) as f32) * Vec3::X * 0.4;
    let mut out = Mark::arc(center, center + from, Vec3::Z, turn, MarkInk::Accent, label);
    out.push(Mark::line(vec![center, center + from], MarkInk::Accent, ""));
    out
}

const fn part<const JOINT: usize>(id: &'static str, letter: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter,
        unit: Unit::Degrees,
        words,
        value: |m| turn_of(m, JOINT).into(),
        marks: |m| arc_at(m, JOINT, ["κ", "σ", "γ"][JOINT]),
        ..Symbol::PLAIN
    }
}

const fn of_limb<const LIMB: usize>(
    id: &'static str,
    letter: &'static str,
    below: &'static str,
    words: &'static str,
    value: fn(&Moment) -> super::Value,
) -> Symbol {
    Symbol { id, letter, below, words, value, marks: |m| vec![outline(m, LIMB)], ..Symbol::PLAIN }
}

static SYMBOLS: &[Symbol] = symbols! {
    "theta" "θ" [unit: Unit::Degrees] "the angle by which the arms are raised in all" =>
        |m| angle(m).into(),
        |m| {
            let center = m.joint_position("ball");
            Mark::arc(center, center + Vec3::X * 0.6, Vec3::Z, angle(m) as f32, MarkInk::Accent, "θ")
        };
    like part::<0>("kappa", "κ", "the part of the raise that the clavicle makes, read from its joint");
    like part::<1>("sigma", "σ", "the part of the raise that the scapula makes, read from its joint");
    like part::<2>("gamma", "γ", "the part of the raise that the shoulder joint makes, read from it");
    "R" "R" [unit: Unit::Metres] "the radius of the limbs" =>
        |_| RADIUS.into(),
        |_| {
            let at = |y: f32| Vec3::from(AT[0]) + Vec3::new(0.05, y, 0.0);
            vec![Mark::span([at(0.0), at(RADIUS)], "R")]
        };
    "s1" "s" [below: "1", unit: Unit::Metres] "the half width of the left limb at its ball joint, measured down to the armpit" =>
        |m| width(m, 0).into(), |m| vec![Mark::span(waist(m, 0).map(|p| p.as_vec3()), "s₁")];
    "s2" "s" [below: "2", unit: Unit::Metres]
        "the half width of the right limb at its shoulder joint, measured down to the armpit" =>
        |m| width(m, 1).into(), |m| vec![Mark::span(waist(m, 1).map(|p| p.as_vec3()), "s₂")];
    like of_limb::<0>("V0", "V", "0", "the volume of a limb at rest, cubic metres", |m| {
        m.with("theta", 0.0).volume(0).into()
    });
    like of_limb::<0>("V1", "V", "1", "the volume of the left limb now, cubic metres", |m| m.volume(0).into());
    like of_limb::<1>("V2", "V", "2", "the volume of the right limb now, cubic metres", |m| m.volume(1).into());
    like of_limb::<0>("k1", "k", "1", "the part of its volume that the left limb keeps", |m| {
        m.volume_ratio(0, "theta").into()
    });
    like of_limb::<1>("k2", "k", "2", "the part of its volume that the right limb keeps", |m| {
        m.volume_ratio(1, "theta").into()
    });
};

/// ```text
/// root ─┬─ breast ── ball ── hand
///       └─ breastbone ── clavicle ── scapula ── shoulder ── other hand
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Shoulder with clavicle and scapula");
    let limb = |at: [f32; 3]| {
        // Towards the hand it is thinner, but not around the joints that are measured.
        let wide = |along: f32| Vec2::splat(RADIUS - 0.07 * eased(0.95, LENGTH, along));
        Shape::tube([0.0, LENGTH], RINGS, SIDES, wide).lying().at(at)
    };
    let breast = rig.joint("breast", NodeId(0), AT[0]);
    let ball = rig.joint("ball", breast, [BALL.0, 0.0, 0.0]);
    let hand = rig.joint("hand", ball, [LENGTH - BALL.0, 0.0, 0.0]);
    let first = rig.skin(&[breast, ball, hand]);
    let mut joints = vec![rig.joint("breastbone", NodeId(0), AT[1])];
    for (i, (name, along, ..)) in CHAIN.iter().enumerate() {
        let before = if i == 0 { 0.0 } else { CHAIN[i - 1].1 };
        joints.push(rig.joint(name, joints[i], [along - before, 0.0, 0.0]));
    }
    joints.push(rig.joint("other hand", joints[CHAIN.len()], [LENGTH - CHAIN[CHAIN.len() - 1].1, 0.0, 0.0]));
    let second = rig.skin(&joints);
    let passed = |along: f32, at: f32, blend: f32| eased(at - blend, at + blend, along);
    let one = move |p: Vec3| passed(p.x - AT[0][0], BALL.0, BALL.1);
    let shape = limb(AT[0]).painted(move |p| mixed(0x7fa6d6, 0xe6c07a, one(p)));
    rig.skinned("ball joint", first, shape.weighted(move |p| vec![(0, 1.0 - one(p)), (1, one(p))]));
    let shares = move |p: Vec3| CHAIN.map(|(_, at, blend, _)| passed(p.x - AT[1][0], at, blend));
    let shape = limb(AT[1]).painted(move |p| mixed(0x7fa6d6, 0xe6c07a, shares(p).iter().sum::<f32>() / 3.0));
    rig.skinned(
        "three joints",
        second,
        shape.weighted(move |p| {
            // Each joint has what has passed it and not the next one; the ranges of their blends do not overlap.
            let [a, b, c] = shares(p);
            vec![(0, 1.0 - a), (1, a - b), (2, b - c), (3, c)]
        }),
    );
    // Bodies, which stand still and show where the breastbone is. They come after the limbs among the instances. They are skinned too, so
    // that one pipeline draws all: to make another one takes longer than to make the rig.
    let round = |y: f32, from: f32, to: f32| (1.0 - ((2.0 * y - from - to) / (to - from)).powi(4)).max(1e-4).sqrt();
    for (skin, at) in [(first, AT[0]), (second, AT[1])] {
        let mut draw = |name: &str, shape: Shape| {
            rig.skinned(name, skin, shape.at(at).painted(|_| 0x8d939e).weighted(|_| vec![(0, 1.0)]));
        };
        // The body stands behind the limb, whose joints stay in sight.
        let behind = [-0.1, 0.0, -0.17];
        let torso = Shape::tube([-0.95, 0.16], 25, SIDES, |y| Vec2::new(0.42, 0.16) * round(y, -0.951, 0.161));
        draw("torso", torso.at(behind));
        draw("neck", Shape::tube([0.1, 0.34], 5, SIDES, |_| Vec2::splat(0.085)).at(behind));
        draw("head", Shape::ball(0.19).at([behind[0], 0.49, behind[2]]));
        let arm = Shape::tube([-0.85, 0.1], 25, SIDES, |y| Vec2::splat(0.11) * round(y, -0.851, 0.101));
        draw("resting arm", arm.at([behind[0] - 0.47, behind[1], behind[2]]));
    }
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let theta = settings.get("theta").to_radians();
    change(skeleton, local, "ball", |t| t.rotation = Quat::from_rotation_z(theta));
    for (name, _, _, part) in CHAIN {
        change(skeleton, local, name, |t| t.rotation = Quat::from_rotation_z(part * theta));
    }
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("theta").to_radians()
}

/// By how much a joint of the right limb is turned against the one before it.
fn turn_of(moment: &Moment, joint: usize) -> f64 {
    let before = if joint == 0 { "breastbone" } else { CHAIN[joint - 1].0 };
    let [a, b] = [before, CHAIN[joint].0].map(|name| moment.exact_node(name).matrix3.x_axis);
    a.cross(b).z.atan2(a.dot(b))
}

/// The joint at the shoulder of a limb, and the vertex below it.
fn waist(moment: &Moment, limb: usize) -> [DVec3; 2] {
    let ring = (BALL.0 / LENGTH * (RINGS - 1) as f32).round() as usize;
    let joint = moment.exact_node(["ball", "shoulder"][limb]).translation;
    [joint, moment.vertex("linear", limb, ring * SIDES + BELOW)]
}

fn width(moment: &Moment, limb: usize) -> f64 {
    let [joint, below] = waist(moment, limb);
    joint.distance(below)
}

/// The outline of a limb: above and below.
fn outline(moment: &Moment, limb: usize) -> Mark {
    moment.tube_outline(limb, [RINGS, SIDES], [ABOVE, BELOW])
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let (along, rest) = (moment.along("theta", 17), moment.with("theta", 0.0));
    let of = |(limb, name): (usize, &str)| Curve::measured(name, &along, |m| m.volume(limb) / rest.volume(limb));
    [(0, "One ball joint"), (1, "Clavicle, scapula, shoulder")].map(of).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A position that turns about joints of the plane z = 0, the last of them first, in double precision.
    fn turned(p: DVec3, joints: &[(f64, f64)]) -> DVec3 {
        joints.iter().rev().fold(p, |p, (along, turn)| {
            let (sin, cos) = turn.sin_cos();
            let x = p.x - along;
            DVec3::new(along + cos * x - sin * p.y, sin * x + cos * p.y, p.z)
        })
    }

    #[test]
    fn limbs_and_widths_are_those_of_double_precision() {
        let first = Moment::new(Settings::of(SHOULDER.example()));
        for degrees in (-80_i32..=90).step_by(5) {
            let moment = first.with("theta", degrees as f32);
            let theta = f64::from(degrees).to_radians();
            let chains: [Vec<(f64, f64)>; 2] = [
                vec![(f64::from(BALL.0), theta)],
                CHAIN.iter().map(|(_, along, _, part)| (f64::from(*along), f64::from(*part) * theta)).collect(),
            ];
            for (limb, chain) in chains.iter().enumerate() {
                let mesh = &moment.model().meshes[limb].primitives[0];
                let influences = mesh.stored_influences.as_ref().unwrap();
                let offset = Vec3::from(AT[limb]).as_dvec3();
                for (i, stored) in mesh.positions.iter().enumerate() {
                    let (joints, weights) = influences.of(i);
                    let v = stored.as_dvec3() - offset;
                    let parts = joints.iter().zip(weights);
                    let wanted: DVec3 = parts.map(|(j, w)| turned(v, &chain[..usize::from(*j)]) * f64::from(*w)).sum();
                    let got = moment.vertex("linear", limb, i) - offset;
                    assert!(got.distance(wanted) < 1e-5, "{degrees}° limb {limb} vertex {i}: {got} {wanted}");
                }
                let bend = if limb == 0 { theta } else { 2.0 * theta / 3.0 };
                let wanted = f64::from(RADIUS) * (0.5 * bend).cos();
                assert!((width(&moment, limb) - wanted).abs() < 1e-5, "{degrees}° limb {limb}");
            }
            let more = moment.volume_ratio(1, "theta") - moment.volume_ratio(0, "theta");
            assert!(more > if degrees.abs() < 30 { -1e-5 } else { 1e-3 }, "{degrees}°: more joints keep more, {more}");
        }
    }
}
