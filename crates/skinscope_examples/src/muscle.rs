//! Joints that exist for the skin alone: a biceps that an elbow drives, and a chest that breathes.

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change, eased, mixed};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The radius of the arm, metres.
const RADIUS: f32 = 0.17;
/// The length of upper arm and forearm.
const LENGTH: f32 = 1.0;
/// Where the biceps joint is: half way along the upper arm, and so high in it.
const BICEPS: [f32; 3] = [-0.5, 0.08, 0.0];
const RINGS: usize = 41;
const SIDES: usize = 32;
/// The ring at the biceps joint, counted from the hand: the tube is turned down with its upper end towards −X.
const RING: usize = 30;
/// By how much the biceps grows where the elbow is folded.
const MOST: f32 = 1.6;
/// The middle of the chest, which is seen from its side: its front looks to +X.
const CHEST: [f32; 3] = [2.0, 0.45, 0.0];
/// Half of its depth.
const DEPTH: f32 = 0.3;
/// By how much it grows at each breath, and how long a breath takes, seconds.
const BREATH: f32 = 0.25;
const PERIOD: f32 = 4.0;
const CHEST_RINGS: usize = 25;

/// The row of this example in [`super::SCENES`].
pub(super) static MUSCLE: Scene = Scene {
    id: "muscle",
    text: include_str!("../../../assets/examples/muscle.md"),
    sliders: &["phi", "t"],
    symbols: SYMBOLS,
    stage: [[-1.15, -0.65, -0.5], [2.6, 1.15, 0.5]],
    model,
    pose,
    marks: |moment| {
        let joint = |at: Vec3, words: &str| Mark::dot(at, MarkInk::Second, words).wide(9.0);
        let under = moment.joint_position("biceps");
        vec![
            Mark::named_aside(under, Vec3::new(-0.2, -0.5, 0.0), "muscle joint"),
            joint(under, ""),
            joint(moment.joint_position("ribs"), "joint of the chest"),
            Mark::name(Vec3::from(CHEST) + Vec3::new(-0.4, 0.75, 0.0), "chest, from its side"),
        ]
    },
    curves: Some(curves),
    ..Scene::PLAIN
};

/// A line upwards from the axis of the arm at the biceps.
fn upright(to: f32, label: &str) -> Vec<Mark> {
    vec![Mark::span([0.0, to].map(|y| Vec3::new(BICEPS[0], y, 0.0)), label)]
}

fn chest_line(to: f32, label: &str) -> Vec<Mark> {
    let middle = Vec3::from(CHEST);
    vec![Mark::span([middle, middle + Vec3::X * to], label)]
}

static SYMBOLS: &[Symbol] = symbols! {
    "phi" "φ" [unit: Unit::Degrees] "the angle by which the elbow is bent" =>
        |m| m.slider("phi").to_radians().into(),
        |m| {
            let angle = m.slider("phi").to_radians() as f32;
            Mark::arc(Vec3::ZERO, Vec3::X * 0.5, Vec3::Z, angle, MarkInk::Accent, "φ")
        };
    "s" "s" "the scale of the biceps joint, read from it" =>
        |m| scale(m, "biceps").into(), |m| Mark::frame(m.exact_node("biceps"), 0.15, MarkInk::Accent, "s");
    "k" "k" "by how much the biceps would grow where the elbow is folded by 180°" =>
        |_| MOST.into(), |_| upright(BICEPS[1] + (RADIUS - BICEPS[1]) * (1.0 + MOST), "1 + k");
    "j" "j" [unit: Unit::Metres] "how high the biceps joint is over the axis of the arm" =>
        |_| BICEPS[1].into(), |_| upright(BICEPS[1], "j");
    "y0" "y" [below: "0", unit: Unit::Metres] "how high the top of the biceps is at rest" =>
        |m| m.stored_vertex(0, TOP).y.into(), |_| upright(RADIUS, "y₀");
    "y" "y" [unit: Unit::Metres] "how high the top of the biceps is now, measured on the skinned surface" =>
        |m| top(m).y.into(), |m| upright(top(m).y as f32, "y");
    "r" "r" "the scale of the chest's joint, read from it" =>
        |m| scale(m, "ribs").into(), |m| Mark::frame(m.exact_node("ribs"), 0.3, MarkInk::Accent, "r");
    "c" "c" "by how much the chest grows with a breath" =>
        |_| BREATH.into(), |_| chest_line(DEPTH * (1.0 + BREATH), "1 + c");
    "turn" "2π" "a whole turn of the cosine: one breath" =>
        |_| std::f64::consts::TAU.into(), |_| chest_line(DEPTH, "2π");
    "t" "t" [unit: Unit::Seconds] "the time that drives the breath" =>
        |m| m.slider("t").into(), |m| chest_line(front(m) as f32, "t");
    "T" "T" [unit: Unit::Seconds] "how long a breath takes" =>
        |_| PERIOD.into(), |m| chest_line(front(m) as f32, "T");
    "d0" "d" [below: "0", unit: Unit::Metres] "how far the front of the chest is from its joint at rest" =>
        |m| (m.stored_vertex(1, FRONT).x - f64::from(CHEST[0])).into(), |_| chest_line(DEPTH, "d₀");
    "d" "d" [unit: Unit::Metres] "how far the front of the chest is from its joint now, measured on the skinned surface" =>
        |m| front(m).into(), |m| chest_line(front(m) as f32, "d");
};

/// The top of the biceps: the tube lies on its side, with its side number 0 towards +Z.
const TOP: usize = RING * SIDES + SIDES / 4;
/// The middle of the front of the chest.
const FRONT: usize = CHEST_RINGS / 2 * SIDES + SIDES / 4;

/// ```text
/// root ─┬─ upper arm ─┬─ biceps
///       │             └─ forearm
///       └─ spine ── ribs
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Muscle joints");
    let upper = rig.joint("upper arm", NodeId(0), [-LENGTH, 0.0, 0.0]);
    let biceps = rig.joint("biceps", upper, [BICEPS[0] + LENGTH, BICEPS[1], 0.0]);
    let fore = rig.joint("forearm", upper, [LENGTH, 0.0, 0.0]);
    let arm = rig.skin(&[upper, fore, biceps]);
    let spine = rig.joint("spine", NodeId(0), [CHEST[0], CHEST[1] - 0.6, 0.0]);
    let ribs = rig.joint("ribs", spine, [0.0, 0.6, 0.0]);
    let chest = rig.skin(&[spine, ribs]);
    // Along −X: the hand is at the lower end of the tube.
    let lying = Transform { rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2), ..Transform::IDENTITY };
    let shape = Shape::tube([-LENGTH, LENGTH], RINGS, SIDES, |_| Vec2::splat(RADIUS)).transformed(lying);
    let share = |p: Vec3| {
        let along = ((p.x - BICEPS[0]) / 0.26).powi(2);
        // The upper side of the arm, and less of it towards its sides.
        (-along).exp() * (p.y / RADIUS).clamp(0.0, 1.0)
    };
    let weights = move |p: Vec3| {
        let (bend, muscle) = (eased(-0.22, 0.22, p.x), share(p));
        vec![(0, (1.0 - bend) * (1.0 - muscle)), (1, bend * (1.0 - muscle)), (2, muscle)]
    };
    rig.skinned("arm", arm, shape.painted(move |p| mixed(0xe2c4a0, 0xc9705f, share(p))).weighted(weights));
    let wide = |y: f32| {
        let round = (1.0 - (y / 0.75).powi(2)).max(0.0).sqrt();
        Vec2::new(DEPTH * round, 0.42 * round)
    };
    let shape = Shape::tube([-0.6, 0.6], CHEST_RINGS, SIDES, wide).at(CHEST);
    let breath = |p: Vec3| 1.0 - eased(0.15, 0.6, (p.y - CHEST[1]).abs());
    let shape = shape.painted(move |p| mixed(0xe2c4a0, 0x9fb7d6, breath(p)));
    rig.skinned("chest", chest, shape.weighted(move |p| vec![(0, 1.0 - breath(p)), (1, breath(p))]));
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let phi = settings.get("phi").to_radians();
    let swollen = 1.0 + MOST * (0.5 * phi).sin().powi(2);
    let breath = 1.0 + 0.5 * BREATH * (1.0 - (std::f32::consts::TAU * settings.get("t") / PERIOD).cos());
    change(skeleton, local, "forearm", |t| t.rotation = Quat::from_rotation_z(phi));
    change(skeleton, local, "biceps", |t| t.scale = Vec3::new(1.0, swollen, 1.0));
    change(skeleton, local, "ribs", |t| t.scale = Vec3::new(breath, 1.0, 1.0));
}

/// The scale that a joint has along the axis in which it swells.
fn scale(moment: &Moment, name: &str) -> f64 {
    let m = moment.exact_node(name).matrix3;
    if name == "ribs" { m.x_axis.length() } else { m.y_axis.length() }
}

fn top(moment: &Moment) -> DVec3 {
    moment.vertex("linear", 0, TOP)
}

/// How far the front of the chest is from its joint.
fn front(moment: &Moment) -> f64 {
    moment.vertex("linear", 1, FRONT).x - f64::from(CHEST[0])
}

fn curves(moment: &Moment) -> Vec<Curve> {
    vec![Curve::measured("Scale of the biceps", &moment.along("phi", 13), |m| scale(m, "biceps"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn biceps_and_chest_are_as_large_as_their_drivers_say() {
        let first = Moment::new(Settings::of(MUSCLE.example()));
        let rest = first.with("phi", 0.0).with("t", 0.0);
        assert!((top(&rest).y - f64::from(RADIUS)).abs() < 1e-6 && (top(&rest).x - f64::from(BICEPS[0])).abs() < 1e-6);
        assert!((front(&rest) - f64::from(DEPTH)).abs() < 1e-6);
        for degrees in (0..=130).step_by(5) {
            for step in 0..=16 {
                let seconds = f64::from(step) * 0.5;
                let moment = first.with("phi", degrees as f32).with("t", seconds as f32);
                // By half angles: sin²(φ/2) = (1 − cos φ)/2.
                let swollen = 1.0 + f64::from(MOST) * 0.5 * (1.0 - f64::from(degrees).to_radians().cos());
                let [j, r] = [BICEPS[1], RADIUS].map(f64::from);
                assert!((top(&moment).y - (j + swollen * (r - j))).abs() < 1e-5, "{degrees}°");
                let breath = (std::f64::consts::PI * seconds / f64::from(PERIOD)).sin().powi(2);
                let wanted = f64::from(DEPTH) * (1.0 + f64::from(BREATH) * breath);
                assert!((front(&moment) - wanted).abs() < 1e-5, "{seconds} s: {}", front(&moment));
            }
        }
    }
}
