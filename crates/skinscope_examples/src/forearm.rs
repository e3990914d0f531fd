//! Two forearms whose hands are turned: the turn in one joint at the wrist, and spread over twist joints.

use glam::{Quat, Vec2, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The length of a forearm with its hand, metres, and where the wrist is.
const LENGTH: f32 = 1.6;
const WRIST: f32 = 1.2;
const RADIUS: f32 = 0.17;
const RINGS: usize = 97;
const SIDES: usize = 36;
/// Skin blends so far on both sides of the one wrist.
const BLEND: f32 = 0.15;
const MOST_TWISTS: usize = 4;
/// How high both forearms lie: over the floor, which is at 0.
const AT: [f32; 2] = [1.05, 0.35];

/// The row of this example in [`super::SCENES`].
pub(super) static FOREARM: Scene = Scene {
    id: "forearm",
    text: include_str!("../../../assets/examples/forearm.md"),
    sliders: &["theta", "n"],
    rebuilds: &["n"],
    symbols: SYMBOLS,
    stage: [[-0.1, 0.05, -0.3], [1.8, 1.45, 0.3]],
    model,
    pose,
    marks: |moment| {
        let name = |arm: usize, words: &str| Mark::name(Vec3::new(0.0, AT[arm] + RADIUS + 0.09, 0.0), words);
        let joint = |at: Vec3| Mark::dot(at, MarkInk::Second, "").wide(9.0);
        let mut out = vec![name(0, "one joint at the wrist"), joint(moment.joint_position("wrist"))];
        out.extend((0..twists(moment.settings())).map(|twist| joint(moment.joint_position(&name_of(twist)))));
        out.push(name(1, if twists(moment.settings()) == 1 { "one twist joint" } else { "twist joints" }));
        out
    },
    curves: Some(curves),
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "theta" "θ" [unit: Unit::Degrees] "the angle by which the hands are turned" =>
        |m| m.slider("theta").to_radians().into(),
        |m| {
            let turn = m.slider("theta").to_radians() as f32;
            let arc = |y: f32| {
                let center = Vec3::new(LENGTH + 0.03, y, 0.0);
                Mark::arc(center, center + Vec3::Y * RADIUS * 1.2, Vec3::X, turn, MarkInk::Accent, "θ")
            };
            AT.into_iter().flat_map(arc).collect()
        };
    "n" "n" [unit: Unit::Decimals(0)] "the number of twist joints" =>
        |m| (twists(m.settings()) as f64).into(),
        |m| {
            let dot = |i: usize| Mark::dot(m.joint_position(&name_of(i)), MarkInk::Accent, format!("{}", i + 1));
            (0..twists(m.settings())).map(dot).collect()
        };
    "psi" "ψ" [unit: Unit::Degrees] "the angle by which each twist joint turns, read from the first of them" =>
        |m| {
            let up = m.exact_node(&name_of(0)).matrix3.y_axis;
            up.z.atan2(up.y).into()
        },
        |m| {
            let center = m.joint_position(&name_of(0));
            let turn = (m.slider("theta").to_radians() / twists(m.settings()) as f64) as f32;
            Mark::arc(center, center + Vec3::Y * RADIUS * 1.3, Vec3::X, turn, MarkInk::Accent, "ψ")
        };
    "R" "R" [unit: Unit::Metres] "the radius of the arms" =>
        |_| RADIUS.into(),
        |_| {
            let at = |y: f32| Vec3::new(0.1, AT[0] + y, 0.0);
            vec![Mark::span([at(0.0), at(RADIUS)], "R")]
        };
    "r1" "r" [below: "1", unit: Unit::Metres] "the radius of the arm above at its wrist, measured" =>
        |m| radius(m, 0, ring_at(WRIST)).into(), |m| vec![ring(m, 0, ring_at(WRIST), "r₁")];
    "rn" "r" [below: "n", unit: Unit::Metres] "the radius of the arm below at its first twist joint, measured" =>
        |m| radius(m, 1, ring_at(position_along(0, twists(m.settings())))).into(),
        |m| vec![ring(m, 1, ring_at(position_along(0, twists(m.settings()))), "rₙ")];
};

fn name_of(twist: usize) -> String {
    format!("twist {}", twist + 1)
}

fn twists(settings: &Settings) -> usize {
    (settings.get("n").round() as usize).clamp(1, MOST_TWISTS)
}

/// How far along the forearm a twist joint is, of so many: each in the middle of its part.
fn position_along(twist: usize, twists: usize) -> f32 {
    WRIST * (twist as f32 + 0.5) / twists as f32
}

/// The ring at a position along the arm; the tube was turned down with ring 0 at the elbow.
fn ring_at(along: f32) -> usize {
    (along / LENGTH * (RINGS - 1) as f32).round() as usize
}

/// ```text
/// root ─┬─ elbow ── wrist                             the arm above
///       └─ twisting elbow ── twist 1 ── … ── twist n   the one below
/// ```
fn model(settings: &Settings) -> Model {
    let mut rig = Rig::new("Forearm and wrist");
    let stripe = |i: usize| if i % SIDES % 6 < 3 { 0xe2c4a0 } else { 0xb98a5e };
    let shape = |y: f32| {
        let tube = Shape::tube([0.0, LENGTH], RINGS, SIDES, |_| Vec2::splat(RADIUS));
        tube.lying().at(Vec3::Y * y).painted_by_number(stripe)
    };
    let elbow = rig.joint("elbow", NodeId(0), [0.0, AT[0], 0.0]);
    let wrist = rig.joint("wrist", elbow, [WRIST, 0.0, 0.0]);
    let first = rig.skin(&[elbow, wrist]);
    let count = twists(settings);
    let mut joints = vec![rig.joint("twisting elbow", NodeId(0), [0.0, AT[1], 0.0])];
    for twist in 0..count {
        let before = if twist == 0 { 0.0 } else { position_along(twist - 1, count) };
        joints.push(rig.joint(&name_of(twist), joints[twist], [position_along(twist, count) - before, 0.0, 0.0]));
    }
    let second = rig.skin(&joints);
    rig.skinned(
        "one joint",
        first,
        shape(AT[0]).weighted(|p| {
            let share = ((p.x - WRIST + BLEND) / (2.0 * BLEND)).clamp(0.0, 1.0);
            vec![(0, 1.0 - share), (1, share)]
        }),
    );
    rig.skinned(
        "twist joints",
        second,
        shape(AT[1]).weighted(move |p| {
            // How many twist joints have been passed: each blends over its own part of the forearm.
            let passed = (p.x / WRIST).clamp(0.0, 1.0) * count as f32;
            let before = (passed.floor() as usize).min(count - 1);
            let share = passed - before as f32;
            vec![(before as u16, 1.0 - share), (before as u16 + 1, share)]
        }),
    );
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let theta = settings.get("theta").to_radians();
    let count = twists(settings);
    change(skeleton, local, "wrist", |t| t.rotation = Quat::from_rotation_x(theta));
    for twist in 0..count {
        change(skeleton, local, &name_of(twist), |t| t.rotation = Quat::from_rotation_x(theta / count as f32));
    }
}

/// The mean distance of a ring's vertices from the axis of its arm.
fn radius(moment: &Moment, arm: usize, ring: usize) -> f64 {
    moment.measured_ring("linear", arm, ring, SIDES).1
}

fn ring(moment: &Moment, arm: usize, ring: usize, label: &str) -> Mark {
    Mark::line(moment.measured_ring("linear", arm, ring, SIDES).0, MarkInk::Accent, label).wide(5.0)
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("theta", 17);
    let least = |m: &Moment, arm: usize| {
        (0..RINGS).map(|ring| radius(m, arm, ring)).fold(f64::INFINITY, f64::min) / f64::from(RADIUS)
    };
    let names = ["One joint at the wrist".to_owned(), format!("{} twist joints", twists(moment.settings()))];
    let of = |(arm, name): (usize, String)| Curve::measured(name, &along, |m| least(m, arm));
    names.into_iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every ring lies between two turns, and is as long as the blend of two numbers of length 1.
    #[test]
    fn radii_of_all_rings_are_those_of_blended_turns_over_both_sliders() {
        for n in 1..=MOST_TWISTS {
            let first = Moment::new(Settings::of(FOREARM.example())).with("n", n as f32);
            for degrees in (0..=170).step_by(34) {
                let moment = first.with("theta", degrees as f32);
                let theta = f64::from(degrees).to_radians();
                for ring in 0..RINGS {
                    let along = f64::from(LENGTH) * ring as f64 / (RINGS - 1) as f64;
                    let width_ratio = |share: f64, turn: f64| {
                        ((1.0 - share + share * turn.cos()).powi(2) + (share * turn.sin()).powi(2)).sqrt()
                    };
                    let [wrist, blend] = [WRIST, BLEND].map(f64::from);
                    let at_wrist = ((along - wrist + blend) / (2.0 * blend)).clamp(0.0, 1.0);
                    let passed = (along / wrist).clamp(0.0, 1.0) * n as f64;
                    let wanted = [width_ratio(at_wrist, theta), width_ratio(passed - passed.floor(), theta / n as f64)];
                    for (arm, wanted) in wanted.into_iter().enumerate() {
                        let got = radius(&moment, arm, ring) / f64::from(RADIUS);
                        assert!((got - wanted).abs() < 1e-4, "{n} {degrees}° arm {arm} ring {ring}: {got} {wanted}");
                    }
                }
            }
        }
    }
}
