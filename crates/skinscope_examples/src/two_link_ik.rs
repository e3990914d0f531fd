//! An arm of two links that reaches for a point: the law of cosines, both solutions, and what is out of reach.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_anim::pose::Triangle;
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::Moment;
use super::rig::{Rig, Shape, change, eased};
use super::symbol::symbols;
use super::{Handle, Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The lengths of upper arm and forearm, metres.
const UPPER: f32 = 1.1;
const FORE: f32 = 0.8;
/// The row of this example in [`super::SCENES`].
pub(super) static TWO_LINK_IK: Scene = Scene {
    id: "two-link-ik",
    text: include_str!("../../../assets/examples/two-link-ik.md"),
    sliders: &["x", "y", "s"],
    symbols: SYMBOLS,
    stage: [[-2.3, -2.35, -0.3], [2.75, 2.5, 0.3]],
    model,
    pose,
    marks,
    handles: &[Handle {
        name: "Target",
        at: |settings| Vec3::new(settings.get("x"), settings.get("y"), 0.0),
        drag: |_, to| vec![("x", to.x), ("y", to.y)],
    }],
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "a" "a" [unit: Unit::Metres] "the length of the upper arm" =>
        |_| UPPER.into(), |m| vec![Mark::span([Vec3::ZERO, m.joint_position("elbow")], "a")];
    "b" "b" [unit: Unit::Metres] "the length of the forearm" =>
        |_| FORE.into(), |m| vec![Mark::span([m.joint_position("elbow"), m.joint_position("hand")], "b")];
    "d" "d" [unit: Unit::Metres] "the distance from the shoulder to the target, as far as the arm reaches; measured to the hand" =>
        |m| m.exact_node("hand").translation.length().into(), |m| vec![Mark::span([Vec3::ZERO, m.joint_position("hand")], "d")];
    "x" "x" [unit: Unit::Metres] "how far to the right the target is" =>
        |m| m.slider("x").into(), |m| vec![Mark::span([Vec3::ZERO, Vec3::X * target(m).x as f32], "x")];
    "y" "y" [unit: Unit::Metres] "how high the target is" =>
        |m| m.slider("y").into(),
        |m| {
            let t = target(m).as_vec3();
            vec![Mark::span([t.with_y(0.0), t], "y")]
        };
    "theta" "θ" [unit: Unit::Degrees] "the angle at the elbow between both links, measured" =>
        |m| elbow_angle(m).into(), |m| theta(m, MarkInk::Accent);
    "alpha" "α" [unit: Unit::Degrees] "the angle at the shoulder between the upper arm and the line to the target, measured" =>
        |m| shoulder_angle(m).into(), |m| alpha(m, MarkInk::Accent);
    "beta" "β" [unit: Unit::Degrees] "the direction of the target" =>
        |m| direction(m).into(), |m| beta(m, MarkInk::Accent);
    "phi" "φ" [unit: Unit::Degrees] "the direction of the upper arm, read from its joint" =>
        |m| arm_direction(m).into(), |m| phi(m, MarkInk::Accent);
    "s" "s" [unit: Unit::Decimals(0)]
        "which of both solutions is shown: 1 bends the elbow to the left of the line to the target, −1 to the right" =>
        |m| m.slider("s").into(), |m| vec![Mark::dot(m.joint_position("elbow"), MarkInk::Accent, "s")];
    "e" "e" [unit: Unit::Metres] "the distance between hand and target" =>
        |m| hand(m).distance(target(m)).into(), |m| vec![Mark::span([hand(m).as_vec3(), target(m).as_vec3()], "e")];
    "h" "h" [bold: true] "where the hand is, read from its joint" =>
        |m| hand(m).into(), |m| vec![Mark::dot(hand(m).as_vec3(), MarkInk::Accent, "h")];
    "t" "t" [bold: true] "the target" =>
        |m| target(m).into(), |m| vec![Mark::dot(target(m).as_vec3(), MarkInk::Accent, "t")];
};

/// ```text
/// root ── shoulder (x = 0) ── elbow (1.1) ── hand (1.9)
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Inverse kinematics of two links");
    let shoulder = rig.joint("shoulder", NodeId(0), [0.0; 3]);
    let elbow = rig.joint("elbow", shoulder, [UPPER, 0.0, 0.0]);
    let hand = rig.joint("hand", elbow, [FORE, 0.0, 0.0]);
    let skin = rig.skin(&[shoulder, elbow, hand]);
    let wide = |along: f32| Vec2::splat(0.15 - 0.06 * (along / (UPPER + FORE)).clamp(0.0, 1.0));
    let arm = Shape::tube([-0.08, UPPER + FORE + 0.04], 41, 24, wide).lying();
    let arm = arm.painted(|p| if p.x < UPPER { 0x8fb3d9 } else { 0xe6c79a });
    let arm = arm.weighted(|p| {
        let share = eased(UPPER - 0.18, UPPER + 0.18, p.x);
        vec![(0, 1.0 - share), (1, share)]
    });
    rig.skinned("arm", skin, arm);
    rig.build()
}

fn target(moment: &Moment) -> DVec3 {
    DVec3::new(moment.slider("x"), moment.slider("y"), 0.0)
}

fn hand(moment: &Moment) -> DVec3 {
    moment.exact_node("hand").translation
}

fn direction(moment: &Moment) -> f64 {
    let t = target(moment);
    t.y.atan2(t.x)
}

/// The angle between two vectors.
fn between(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

fn elbow_angle(moment: &Moment) -> f64 {
    let elbow = moment.exact_node("elbow").translation;
    between(-elbow, hand(moment) - elbow)
}

fn shoulder_angle(moment: &Moment) -> f64 {
    between(moment.exact_node("elbow").translation, hand(moment))
}

/// The direction of the upper arm: of all that differ by whole turns the one that is nearest to that of the target.
fn arm_direction(moment: &Moment) -> f64 {
    let elbow = moment.exact_node("elbow").translation;
    let own = elbow.y.atan2(elbow.x);
    own + TAU * ((direction(moment) - own) / TAU).round()
}

/// The angles of shoulder and elbow, radians, for one of both solutions.
fn solution(x: f32, y: f32, side: f64) -> [f64; 2] {
    let (x, y) = (f64::from(x), f64::from(y));
    let triangle = Triangle::of(f64::from(UPPER), f64::from(FORE), x.hypot(y));
    let [right, left] = triangle.first_bone(y.atan2(x));
    [if side > 0.0 { left } else { right }, -side * (PI - triangle.theta)]
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let angles = solution(settings.get("x"), settings.get("y"), f64::from(settings.get("s")));
    for (name, angle) in ["shoulder", "elbow"].into_iter().zip(angles) {
        change(skeleton, local, name, |t| t.rotation = Quat::from_rotation_z(angle as f32));
    }
}

/// The axis about which α and θ are drawn: which way depends on the solution.
fn bending(moment: &Moment) -> Vec3 {
    if moment.slider("s") > 0.0 { Vec3::Z } else { Vec3::NEG_Z }
}

fn theta(moment: &Moment, ink: MarkInk) -> Vec<Mark> {
    let elbow = moment.joint_position("elbow");
    let from = elbow - elbow.normalize_or(Vec3::X) * 0.3;
    Mark::arc(elbow, from, bending(moment), elbow_angle(moment) as f32, ink, "θ")
}

fn alpha(moment: &Moment, ink: MarkInk) -> Vec<Mark> {
    let from = moment.joint_position("hand").normalize_or(Vec3::X) * 0.45;
    Mark::arc(Vec3::ZERO, from, bending(moment), shoulder_angle(moment) as f32, ink, "α")
}

fn beta(moment: &Moment, ink: MarkInk) -> Vec<Mark> {
    Mark::arc(Vec3::ZERO, Vec3::X * 0.6, Vec3::Z, direction(moment) as f32, ink, "β")
}

fn phi(moment: &Moment, ink: MarkInk) -> Vec<Mark> {
    Mark::arc(Vec3::ZERO, Vec3::X * 0.75, Vec3::Z, arm_direction(moment) as f32, ink, "φ")
}

/// The letter of a side of the triangle, at its middle and off its line.
fn side(from: Vec3, to: Vec3, letter: &str) -> Mark {
    let across = Vec3::Z.cross(to - from).normalize_or(Vec3::Y);
    Mark::name(from.midpoint(to) + across * 0.12, letter)
}

/// The circles of what can be reached, the other solution, the triangle with the letters of its sides and angles, and the target.
fn marks(moment: &Moment) -> Vec<Mark> {
    let circle = |radius: f32| Mark::circle(Vec3::ZERO, Vec3::X * radius, Vec3::Z);
    let [first, second] = solution(moment.slider("x") as f32, moment.slider("y") as f32, -moment.slider("s"));
    let elbow = Quat::from_rotation_z(first as f32) * Vec3::X * UPPER;
    let other = elbow + Quat::from_rotation_z((first + second) as f32) * Vec3::X * FORE;
    let target = target(moment).as_vec3();
    let [own_elbow, hand] = ["elbow", "hand"].map(|node| moment.joint_position(node));
    let mut out = Vec::new();
    // Out of reach both arms are one.
    if elbow.distance(own_elbow) > 1e-3 {
        out.extend(broken(Vec3::ZERO, elbow));
        out.extend(broken(elbow, other));
        let own = moment.slider("s") > 0.0;
        let name = if own { "the other arm, s = −1" } else { "the other arm, s = 1" };
        out.push(Mark::dot(elbow, MarkInk::Dim, name).wide(7.0));
    }
    let arcs = [theta(moment, MarkInk::First), alpha(moment, MarkInk::First)];
    let directions = [beta(moment, MarkInk::Second), phi(moment, MarkInk::Second)];
    out.extend(arcs.into_iter().chain(directions).flatten().map(|mark| mark.wide(1.5)));
    out.extend([
        circle(UPPER + FORE),
        circle(UPPER - FORE),
        Mark::line(vec![Vec3::ZERO, target], MarkInk::Second, "").wide(2.0),
        Mark::line(vec![Vec3::ZERO, own_elbow], MarkInk::First, "").wide(2.0),
        Mark::line(vec![own_elbow, hand], MarkInk::First, "").wide(2.0),
        side(Vec3::ZERO, own_elbow, "a"),
        side(own_elbow, hand, "b"),
        side(hand, Vec3::ZERO, "d"),
        Mark::dot(target, MarkInk::Third, "target").wide(16.0),
    ]);
    out
}

/// A broken line.
fn broken(from: Vec3, to: Vec3) -> Vec<Mark> {
    const DASHES: usize = 9;
    let at = |i: usize| from.lerp(to, i as f32 / (2 * DASHES - 1) as f32);
    (0..DASHES).map(|i| Mark::line(vec![at(2 * i), at(2 * i + 1)], MarkInk::Dim, "").wide(3.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Targets reach so far along each axis.
    const FAR: f32 = 2.2;

    /// By forward kinematics alone: the hand is at the target, or as near as the ring that it can reach.
    #[test]
    fn the_hand_is_as_near_to_the_target_as_it_can_be_over_all_sliders() {
        let first = Moment::new(Settings::of(TWO_LINK_IK.example()));
        let (least, most) = (f64::from(UPPER - FORE), f64::from(UPPER + FORE));
        for i in 0..=22 {
            for j in 0..=22 {
                let [x, y] = [i, j].map(|i| -FAR + 2.0 * FAR * i as f32 / 22.0);
                let mut elbows = Vec::new();
                for side in [-1.0, 1.0] {
                    let moment = first.with("x", x).with("y", y).with("s", side);
                    let far = f64::from(x).hypot(f64::from(y));
                    let off = (far - most).max(least - far).max(0.0);
                    assert!((hand(&moment).distance(target(&moment)) - off).abs() < 1e-5, "{x} {y} {side}");
                    elbows.push(moment.exact_node("elbow").translation);
                }
                // Mirrored at the line to the target.
                let along = DVec3::new(f64::from(x), f64::from(y), 0.0);
                let sides = elbows.iter().map(|e| along.cross(*e).z).collect::<Vec<_>>();
                assert!((sides[0] + sides[1]).abs() < 1e-5 && sides[1] > -1e-5, "{x} {y} {sides:?}");
            }
        }
    }
}
