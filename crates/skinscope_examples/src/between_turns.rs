//! Between two turns: slerp, quaternions and matrices that are blended as numbers, the short way and the long way.

use glam::{DQuat, DVec2, Quat, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The colours of the hands, as those of their curves in the chart.
const COLORS: [u32; 3] = [0x4da3ff, 0xe5b567, 0x7bc96f];
/// The hands, each with where it turns.
const HANDS: [(&str, [f32; 3]); 3] =
    [("slerp", [-2.1, 0.0, 0.0]), ("quaternions", [0.0, 0.0, 0.0]), ("matrices", [2.1, 0.0, 0.0])];
/// The length of a hand, metres.
const LENGTH: f32 = 0.85;

/// The row of this example in [`super::SCENES`].
pub(super) static BETWEEN_TURNS: Scene = Scene {
    id: "between-turns",
    text: include_str!("../../../assets/examples/between-turns.md"),
    sliders: &["turn", "t", "way"],
    symbols: SYMBOLS,
    stage: [[-3.2, -1.15, -0.3], [3.2, 1.2, 0.3]],
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

fn hand(moment: &Moment, at: usize, label: &str) -> Vec<Mark> {
    vec![Mark::span([center(at), tip(moment, at)], label)]
}

fn arc(at: usize, angle: f64, radius: f32, label: &str) -> Vec<Mark> {
    let from = center(at) + Vec3::Y * radius;
    Mark::arc(center(at), from, Vec3::Z, angle as f32, MarkInk::Accent, label)
}

static SYMBOLS: &[Symbol] = symbols! {
    "Theta" "Θ" [unit: Unit::Degrees] "the angle from the first key to the second" =>
        |m| angle(m).into(), |m| (0..3).flat_map(|i| arc(i, angle(m), LENGTH * 1.1, "Θ")).collect();
    "t" "t" "the time between the keys, 0 to 1" =>
        |m| m.slider("t").into(), |m| (0..3).flat_map(|i| hand(m, i, "t")).collect();
    "s" "s" [unit: Unit::Decimals(0)] "the sign with which the second key is stored" =>
        |m| m.slider("way").into(), |m| arc(0, way(m), LENGTH * 0.6, "the way of s");
    "omega" "ω" [unit: Unit::Degrees] "the angle between both quaternions: half of the angle of the way that is taken" =>
        |m| quaternion(m, 1.0).dot(DVec2::X).clamp(-1.0, 1.0).acos().into(), |m| arc(0, 0.5 * way(m), LENGTH * 0.6, "ω");
    "q0" "q" [below: "0", bold: true] "the first key as a quaternion, w and z: no turn" =>
        |_| DVec2::X.into(),
        |_| {
            (0..3).map(|i| Mark::line(vec![center(i), center(i) + Vec3::Y * LENGTH], MarkInk::Accent, "q₀")).collect()
        };
    "q1" "q" [below: "1", bold: true] "the second key as a quaternion, w and z" =>
        |m| quaternion(m, 1.0).into(),
        |m| {
            let end = |i: usize| center(i) + Quat::from_rotation_z(angle(m) as f32) * Vec3::Y * LENGTH;
            (0..3).map(|i| Mark::line(vec![center(i), end(i)], MarkInk::Accent, "q₁")).collect()
        };
    "c0" "c" [below: "0"] "how much of the first key counts in slerp" =>
        |m| slerp_shares(m)[0].into(), |_| vec![Mark::span([center(0), center(0) + Vec3::Y * LENGTH], "q₀")];
    "c1" "c" [below: "1"] "how much of the second key counts in slerp" =>
        |m| slerp_shares(m)[1].into(),
        |m| {
            let end = center(0) + Quat::from_rotation_z(angle(m) as f32) * Vec3::Y * LENGTH;
            vec![Mark::span([center(0), end], "q₁")]
        };
    "a" "a" [bold: true] "the left hand's turn as a quaternion, read from its joint" =>
        |m| read(m, 0).into(), |m| hand(m, 0, "a");
    "b" "b" [bold: true] "the middle hand's turn as a quaternion, read from its joint" =>
        |m| read(m, 1).into(), |m| hand(m, 1, "b");
    "l" "f" "the part of its length that the right hand keeps, measured" =>
        |m| (f64::from(tip(m, 2).distance(center(2))) / f64::from(LENGTH)).into(), |m| hand(m, 2, "f");
};

fn center(at: usize) -> Vec3 {
    HANDS[at].1.into()
}

/// Three hands, each in the space of its joint: it points up and is turned counter-clockwise.
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Between two turns");
    let joints: Vec<NodeId> = HANDS.iter().map(|(name, at)| rig.joint(name, NodeId(0), *at)).collect();
    for (((name, _), joint), color) in HANDS.iter().zip(joints).zip(COLORS) {
        let points = vec![Vec3::new(-0.07, 0.0, 0.0), Vec3::new(0.07, 0.0, 0.0), Vec3::Y * LENGTH];
        rig.rigid(name, joint, Shape::of(points, vec![0, 1, 2]).painted(move |_| color));
    }
    rig.build()
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("turn").to_radians()
}

/// The angle of the way that the quaternions take, positive counter-clockwise.
fn way(moment: &Moment) -> f64 {
    if moment.slider("way") > 0.0 { angle(moment) } else { angle(moment) - std::f64::consts::TAU }
}

/// w and z of the second key as it is stored, for a part `t` of it: the numbers of the first key at 0.
fn quaternion(moment: &Moment, t: f64) -> DVec2 {
    let half = 0.5 * angle(moment);
    DVec2::X.lerp(moment.slider("way") * DVec2::new(half.cos(), half.sin()), t)
}

/// How much of each key counts in slerp.
fn slerp_shares(moment: &Moment) -> [f64; 2] {
    let (t, omega) = (moment.slider("t"), 0.5 * way(moment).abs());
    [1.0 - t, t].map(|part| (part * omega).sin() / omega.sin())
}

/// The turns of the first two hands, and the matrix of the third as a turn and a scale.
fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let [turn, t, s] = ["turn", "t", "way"].map(|id| f64::from(settings.get(id)));
    let turn = turn.to_radians();
    let (first, second) = (DQuat::IDENTITY, DQuat::from_rotation_z(turn) * s);
    // Not the library's slerp, which takes the short way whatever the sign.
    let omega = first.dot(second).clamp(-1.0, 1.0).acos();
    let slerp = first * (((1.0 - t) * omega).sin() / omega.sin()) + second * ((t * omega).sin() / omega.sin());
    change(skeleton, local, HANDS[0].0, |out| out.rotation = slerp.normalize().as_quat());
    let lerp = first * (1.0 - t) + second * t;
    change(skeleton, local, HANDS[1].0, |out| out.rotation = lerp.normalize().as_quat());
    // In the plane a blend of two turns is a turn with a scale.
    let blended = DVec2::X.lerp(DVec2::from_angle(turn), t);
    change(skeleton, local, HANDS[2].0, |out| {
        out.rotation = Quat::from_rotation_z(blended.to_angle() as f32);
        (out.scale.x, out.scale.y) = (blended.length() as f32, blended.length() as f32);
    });
}

/// The turn of a hand as w and z, with the sign that lies on the way.
fn read(moment: &Moment, at: usize) -> DVec2 {
    let q = moment.local().transforms[at + 1].rotation.as_dquat();
    let own = DVec2::new(q.w, q.z);
    // q and −q are one turn: the way from the first key to the second tells which is meant.
    if own.dot(quaternion(moment, moment.slider("t"))) < 0.0 { -own } else { own }
}

fn tip(moment: &Moment, at: usize) -> Vec3 {
    moment.node(HANDS[at].0).transform_point3(Vec3::Y * LENGTH)
}

/// The circle that each hand would go along, and both keys.
fn marks(moment: &Moment) -> Vec<Mark> {
    let mut out = Vec::new();
    for (at, (name, _)) in HANDS.iter().enumerate() {
        let end = |angle: f64| center(at) + Quat::from_rotation_z(angle as f32) * Vec3::Y * LENGTH;
        out.push(Mark::circle(center(at), end(0.0), Vec3::Z));
        let [first, second] = if at == 0 { ["first key, q₀", "second key, q₁"] } else { ["", ""] };
        out.push(Mark::line(vec![center(at), end(0.0)], MarkInk::First, first).wide(2.0));
        out.push(Mark::line(vec![center(at), end(angle(moment))], MarkInk::Third, second).wide(2.0));
        out.push(Mark::dot(tip(moment, at), MarkInk::Dim, "").wide(8.0));
        // Longer words would reach below the next clock in a narrow picture.
        out.push(Mark::name(center(at) + Vec3::new(-0.55, -1.0, 0.0), *name));
    }
    out
}

/// Angles of the hands at a time, as they are drawn.
fn direction(moment: &Moment, at: usize) -> f64 {
    let d = tip(moment, at) - center(at);
    f64::from(-d.x).atan2(f64::from(d.y))
}

/// How fast each hand turns, by the difference of two positions a thousandth apart, as a part of its mean speed.
fn curves(moment: &Moment) -> Vec<Curve> {
    const STEP: f32 = 1e-3;
    let speed = |at: usize, t: f32| {
        let [a, b] = [t - STEP, t + STEP].map(|t| direction(&moment.with("t", t), at));
        // The hands never turn by half a turn within such a step.
        let turned = (b - a + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        // Blended matrices always take the short way.
        let whole = if at == 2 { angle(moment).min(std::f64::consts::TAU - angle(moment)) } else { way(moment).abs() };
        turned.abs() / f64::from(2.0 * STEP) / whole
    };
    let times: Vec<f32> = (0..=40).map(|i| (i as f32 / 40.0).clamp(STEP, 1.0 - STEP)).collect();
    let of = |(at, name): (usize, &str)| Curve {
        name: name.into(),
        is_formula: false,
        points: times.iter().map(|t| [f64::from(*t), speed(at, *t)]).collect(),
    };
    [(0, "Slerp"), (1, "Blended quaternions"), (2, "Blended matrices")].map(of).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the plane every turn is a number: slerp is a line, and blended quaternions are an arctangent.
    #[test]
    fn hands_are_where_plane_geometry_puts_them_over_all_sliders() {
        let first = Moment::new(Settings::of(BETWEEN_TURNS.example()));
        for turn in [10.0_f32, 90.0, 150.0, 179.0, 200.0, 350.0] {
            for way in [-1.0, 1.0] {
                for step in 0..=20 {
                    let t = f64::from(step) / 20.0;
                    let moment = first.with("turn", turn).with("way", way).with("t", t as f32);
                    let whole = f64::from(turn).to_radians() - if way > 0.0 { 0.0 } else { std::f64::consts::TAU };
                    let (sin, cos) = (0.5 * whole).sin_cos();
                    let blended = 2.0 * (t * sin).atan2(1.0 - t + t * cos);
                    let (x, y) = (1.0 - t + t * whole.cos(), t * whole.sin());
                    for (at, wanted) in [(0, t * whole), (1, blended), (2, y.atan2(x))] {
                        let off = direction(&moment, at) - wanted;
                        assert!(
                            off.sin().abs() < 1e-4 && off.cos() > 0.0 || at == 2 && x.hypot(y) < 1e-3,
                            "{turn} {way} {t} {at}: {off}"
                        );
                    }
                    let length_ratio = f64::from(tip(&moment, 2).distance(center(2)) / LENGTH);
                    assert!((length_ratio - x.hypot(y)).abs() < 1e-5, "{turn} {t}");
                }
            }
        }
    }

    #[test]
    fn slerp_alone_is_even() {
        let all = curves(&Moment::new(Settings::of(BETWEEN_TURNS.example())));
        let spread = |curve: &Curve| {
            let speeds = || curve.points.iter().map(|[_, y]| *y);
            speeds().fold(f64::MIN, f64::max) - speeds().fold(f64::MAX, f64::min)
        };
        assert!(spread(&all[0]) < 0.01 && spread(&all[1]) > 0.3 && spread(&all[2]) > 1.0, "{all:?}");
        assert!(all[0].points.iter().all(|[_, y]| (y - 1.0).abs() < 0.01), "its speed is its mean");
        // The long way is as even, and its curves are as well within the chart.
        let long = curves(&Moment::new(Settings::of(BETWEEN_TURNS.example())).with("way", -1.0));
        assert!(long[0].points.iter().all(|[_, y]| (y - 1.0).abs() < 0.01), "{:?}", long[0]);
        assert!(long.iter().flat_map(|curve| &curve.points).all(|[_, y]| (0.0..=3.0).contains(y)), "{long:?}");
    }
}
