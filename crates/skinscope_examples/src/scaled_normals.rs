//! Normals under a scale that is larger along one axis: by the matrix itself, and by its inverse transpose.

use glam::{DMat2, DVec2, Quat, Vec2, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::{InstanceId, LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit, Value};

/// The radius of the roller, metres.
const RADIUS: f32 = 0.6;
/// Half of its length.
const HALF_LENGTH: f32 = 0.35;
const SIDES: usize = 72;
/// The angle between two vertices of its rim, degrees.
const STEP: f32 = 360.0 / SIDES as f32;

/// The row of this example in [`super::SCENES`].
pub(super) static SCALED_NORMALS: Scene = Scene {
    id: "scaled-normals",
    text: include_str!("../../../assets/examples/scaled-normals.md"),
    sliders: &["s", "omega"],
    symbols: SYMBOLS,
    stage: [[-2.4, -0.95, -0.4], [2.4, 0.95, 0.4]],
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

/// How long normals are drawn, metres.
const DRAWN: f32 = 0.4;

fn arrow(moment: &Moment, along: DVec2, label: &str) -> Vec<Mark> {
    let at = ring_position(moment, rim(moment));
    let end = at + along.as_vec2().extend(0.0) * DRAWN;
    vec![Mark::span([at, end], label)]
}

static SYMBOLS: &[Symbol] = symbols! {
    "s" "s" "the scale along x" =>
        |m| m.slider("s").into(),
        |m| {
            let half = m.slider("s") as f32 * RADIUS;
            let at = |x: f32| Vec3::new(x, -RADIUS - 0.12, HALF_LENGTH);
            vec![
                Mark::line(vec![at(-RADIUS), at(RADIUS)], MarkInk::Dim, "at rest").wide(8.0),
                Mark::line(vec![at(-half), at(half)], MarkInk::Accent, "s"),
            ]
        };
    "omega" "ω" [unit: Unit::Degrees] "the angle of the marked place at rest; the circle is the rim at rest" =>
        |m| angle(m).into(),
        |m| {
            let front = Vec3::Z * HALF_LENGTH;
            let turned = Quat::from_rotation_z(angle(m) as f32) * Vec3::X * RADIUS;
            let mut out = Mark::arc(front, front + Vec3::X * RADIUS, Vec3::Z, angle(m) as f32, MarkInk::Accent, "ω");
            out.push(Mark::line(vec![front, front + turned], MarkInk::Accent, ""));
            out
        };
    "M" "M" [bold: true] "the matrix of the joint in the plane of the rim" =>
        |m| matrix(m).into(),
        |m| {
            let front = Vec3::Z * HALF_LENGTH;
            let axis = |v: DVec2| front + v.as_vec2().extend(0.0) * RADIUS;
            let m = matrix(m);
            vec![
                Mark::line(vec![front, axis(m.x_axis)], MarkInk::Accent, "M x"),
                Mark::line(vec![front, axis(m.y_axis)], MarkInk::Accent, "M y"),
            ]
        };
    "n" "n" [bold: true] "the normal of the marked place at rest, of length 1; the circle is the rim at rest" =>
        |m| normal_at_rest(m).into(),
        |m| {
            let at = (normal_at_rest(m) * f64::from(RADIUS)).as_vec2().extend(HALF_LENGTH);
            let end = at + normal_at_rest(m).as_vec2().extend(0.0) * DRAWN;
            vec![rim_at_rest(), Mark::span([at, end], "n, at rest")]
        };
    "t" "t" [bold: true] "the tangent of the marked place at rest, of length 1; the circle is the rim at rest" =>
        |m| tangent_at_rest(m).into(),
        |m| {
            let at = (normal_at_rest(m) * f64::from(RADIUS)).as_vec2().extend(HALF_LENGTH);
            let end = at + tangent_at_rest(m).as_vec2().extend(0.0) * DRAWN;
            vec![rim_at_rest(), Mark::span([at, end], "t, at rest")]
        };
    "u" "u" [bold: true] "the tangent now: it follows the matrix" =>
        |m| (matrix(m) * tangent_at_rest(m)).into(), |m| arrow(m, matrix(m) * tangent_at_rest(m), "u");
    "m" "m" [bold: true] "the normal as M would carry it, of length 1" =>
        |m| wrong(m, angle(m)).into(), |m| arrow(m, wrong(m, angle(m)), "m");
    "k" "k" [bold: true] "the normal as the program carries it, measured on the skinned surface" =>
        |m| measured(m, rim(m)).into(), |m| arrow(m, measured(m, rim(m)), "k");
    "delta" "δ" [unit: Unit::Degrees] "the angle between both normals: the error of the wrong one" =>
        |m| between(wrong(m, angle(m)), measured(m, rim(m))).into(),
        |m| {
            let at = ring_position(m, rim(m));
            let [a, b] = [measured(m, rim(m)), wrong(m, angle(m))];
            let axis = if a.perp_dot(b) < 0.0 { Vec3::NEG_Z } else { Vec3::Z };
            let from = at + a.as_vec2().extend(0.0) * DRAWN * 0.8;
            Mark::arc(at, from, axis, between(a, b) as f32, MarkInk::Accent, "δ")
        };
};

/// A roller along z that one joint moves.
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Normals and uneven scale");
    let joint = rig.joint("stretched", NodeId(0), [0.0; 3]);
    let skin = rig.skin(&[joint]);
    let lying = Transform { rotation: Quat::from_rotation_x(std::f32::consts::FRAC_PI_2), ..Transform::IDENTITY };
    let roller = Shape::tube([-HALF_LENGTH, HALF_LENGTH], 2, SIDES, |_| Vec2::splat(RADIUS)).transformed(lying);
    rig.skinned("roller", skin, roller.painted(|_| 0x9db8d6).weighted(|_| vec![(0, 1.0)]));
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    change(skeleton, local, "stretched", |t| t.scale.x = settings.get("s"));
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("omega").to_radians()
}

/// The number of the marked vertex along the rim, counted from the x axis.
fn rim(moment: &Moment) -> usize {
    (moment.slider("omega") / f64::from(STEP)).round() as usize
}

/// The vertex of the front rim that is so many steps from the x axis, counter-clockwise as seen from the front.
///
/// The tube stood upright and was turned onto its back, so that its upper ring is in front: side k of it pointed to (sin, 0, cos) of its
/// angle, and now points to (sin, −cos, 0).
fn vertex(step: usize) -> usize {
    SIDES + (step + SIDES / 4) % SIDES
}

fn ring_position(moment: &Moment, step: usize) -> Vec3 {
    moment.vertex("linear", 0, vertex(step)).as_vec3()
}

fn matrix(moment: &Moment) -> DMat2 {
    Value::turn_in_plane(moment.skinning_matrix(0, 0))
}

fn normal_at_rest(moment: &Moment) -> DVec2 {
    DVec2::from_angle(angle(moment))
}

fn tangent_at_rest(moment: &Moment) -> DVec2 {
    DVec2::from_angle(angle(moment)).perp()
}

fn wrong(moment: &Moment, angle: f64) -> DVec2 {
    (matrix(moment) * DVec2::from_angle(angle)).normalize()
}

/// The normal of the surface as the program has it, in the plane of the rim.
fn measured(moment: &Moment, step: usize) -> DVec2 {
    let part = moment.surface("linear").part(InstanceId(0), 0);
    let normal = part.and_then(|part| part.deformed.normals.get(vertex(step)));
    normal.map_or(DVec2::NAN, |n| n.as_dvec3().truncate().normalize())
}

fn between(a: DVec2, b: DVec2) -> f64 {
    a.perp_dot(b).abs().atan2(a.dot(b))
}

/// The front rim before the joint stretches it.
fn rim_at_rest() -> Mark {
    let center = Vec3::Z * HALF_LENGTH;
    Mark::circle(center, center + Vec3::X * RADIUS, Vec3::Z).wide(2.0)
}

/// A fan of both normals around the rim; at the marked point the tangent, both normals with their letters, and the right angle.
fn marks(moment: &Moment) -> Vec<Mark> {
    let mut out = Vec::new();
    for step in (0..SIDES).step_by(4) {
        let at = ring_position(moment, step);
        let angle = f64::from(step as f32 * STEP).to_radians();
        let mut draw = |along: DVec2, ink| {
            let end = at + along.as_vec2().extend(0.0) * DRAWN * 0.6;
            out.push(Mark::line(vec![at, end], ink, "").wide(1.5));
        };
        draw(wrong(moment, angle), MarkInk::Third);
        draw(measured(moment, step), MarkInk::Second);
    }
    let at = ring_position(moment, rim(moment));
    let to = |v: DVec2, long: f32| at + v.as_vec2().extend(0.0) * long;
    let tangent = (matrix(moment) * tangent_at_rest(moment)).normalize();
    let (right, leaning) = (measured(moment, rim(moment)), wrong(moment, angle(moment)));
    // The words stand beside the last point, away from both normals.
    out.push(Mark::line(vec![to(tangent, DRAWN), to(-tangent, DRAWN)], MarkInk::First, "tangent").wide(2.0));
    let corner = [to(tangent, 0.07), to(tangent + right, 0.07), to(right, 0.07)];
    out.push(Mark::line(corner.to_vec(), MarkInk::First, "").wide(1.5));
    out.push(Mark::line(vec![at, to(leaning, DRAWN)], MarkInk::Third, "m").wide(4.0));
    out.push(Mark::line(vec![at, to(right, DRAWN)], MarkInk::Second, "k").wide(4.0));
    out.push(Mark::dot(at, MarkInk::First, ""));
    out
}

/// The error at the marked point, as the formula has it, and as measured between the normals.
fn curves(moment: &Moment) -> Vec<Curve> {
    let omega = angle(moment);
    let error = |m: &Moment| between(wrong(m, omega), measured(m, rim(m))).to_degrees();
    let by_formula = |s: f64| {
        let lean = |along: f64| (omega.sin()).atan2(along * omega.cos());
        (lean(s) - lean(1.0 / s)).abs().to_degrees()
    };
    vec![
        Curve::measured("Measured, degrees", &moment.along("s", 22), error),
        Curve::formula("Formula", [0.25, 3.0], 88, by_formula),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rim is an ellipse: its normal is the gradient of x²/(s r)² + y²/r².
    #[test]
    fn normals_are_the_gradients_of_the_ellipse_over_both_sliders() {
        let first = Moment::new(Settings::of(SCALED_NORMALS.example()));
        for i in 0..=11 {
            let s = 0.25 + 2.75 * i as f32 / 11.0;
            for step in 0..=SIDES / 2 {
                let moment = first.with("s", s).with("omega", step as f32 * STEP);
                assert_eq!(rim(&moment), step);
                let p = ring_position(&moment, step).as_dvec3();
                let r = f64::from(RADIUS);
                let on_rim = (p.x / (f64::from(s) * r)).powi(2) + (p.y / r).powi(2);
                assert!((on_rim - 1.0).abs() < 1e-5, "{s} {step}: {p}");
                let gradient = DVec2::new(p.x / (f64::from(s) * r).powi(2), p.y / (r * r)).normalize();
                assert!(measured(&moment, step).distance(gradient) < 1e-3, "{s} {step}");
                // The wrong one is right along the axes, and where nothing is scaled.
                let off = between(wrong(&moment, angle(&moment)), gradient).to_degrees();
                let is_axis = step % (SIDES / 4) == 0;
                assert!(!is_axis || off < 0.1, "{s} {step}: {off}");
                assert!(is_axis || (s - 1.0).abs() < 0.2 || off > 1.0, "{s} {step}: {off}");
            }
        }
    }
}
