//! A bar whose upper end is turned: what each method leaves of its waist.

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_deform::METHODS;
use skinscope_model::{LocalPose, Model, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Symbol, Unit};

/// The radius of the bar, metres.
const RADIUS: f32 = 0.35;
/// Its height, metres.
const HEIGHT: f32 = 2.0;
/// Rings are so many steps of the weight apart.
const STEPS: usize = 20;
const SIDES: usize = 48;
/// The vertex of a ring that is marked.
const MARKED: usize = 0;

/// The row of this example in [`super::SCENES`].
pub(super) static TWIST_BAR: Scene = Scene {
    id: "twist-bar",
    text: include_str!("../../../assets/examples/twist-bar.md"),
    sliders: &["theta", "w"],
    symbols: SYMBOLS,
    stage: [[-0.55, 0.0, -0.55], [0.55, HEIGHT, 0.55]],
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "theta" "θ" [unit: Unit::Degrees] "the angle by which the upper joint is turned, drawn on the upper end" =>
        |moment| moment.slider("theta").to_radians().into(),
        |moment| {
            let center = Vec3::Y * HEIGHT;
            let from = center + Vec3::Z * RADIUS * 1.15;
            let angle = moment.slider("theta").to_radians() as f32;
            let mut out = Mark::arc(center, from, Vec3::Y, angle, MarkInk::Accent, "θ");
            out.push(Mark::line(vec![center, from], MarkInk::Accent, ""));
            let turned = center + Quat::from_rotation_y(angle) * (from - center);
            out.push(Mark::line(vec![center, turned], MarkInk::Accent, ""));
            out
        };
    "w" "w" [unit: Unit::Decimals(4)]
        "the weight that the marked ring has for the upper joint; the rest of it, 1 − w, is for the lower one" =>
        |moment| moment.slider("w").into(), |moment| vec![ring(moment, "linear", ring_of(moment), MarkInk::Accent, "w").wide(5.0)];
    "p0" "p" [below: "0", bold: true] "where the lower joint alone carries a vertex of the ring: where it was modelled" =>
        |moment| alone(moment, 0).into(), |moment| vec![Mark::dot(alone(moment, 0).as_vec3(), MarkInk::Accent, "p₀")];
    "p1" "p" [below: "1", bold: true] "where the upper joint alone carries the same vertex: turned by all of θ" =>
        |moment| alone(moment, 1).into(), |moment| vec![Mark::dot(alone(moment, 1).as_vec3(), MarkInk::Accent, "p₁")];
    "p" "p" [bold: true] "where linear blending puts the vertex: on the chord between the two places" =>
        |moment| marked(moment, "linear").into(),
        |moment| {
            let [a, b] = [alone(moment, 0), alone(moment, 1)].map(|p| p.as_vec3());
            let at = marked(moment, "linear").as_vec3();
            vec![
                Mark::line(vec![a, b], MarkInk::Second, ""),
                Mark::dot(a, MarkInk::Dim, "p₀"),
                Mark::dot(b, MarkInk::Dim, "p₁"),
                Mark::dot(at, MarkInk::Accent, "p"),
            ]
        };
    "R" "R" [unit: Unit::Metres] "the radius of the bar at rest" =>
        |_| RADIUS.into(),
        |moment| {
            let at = alone(moment, 0).as_vec3();
            vec![Mark::line(vec![Vec3::Y * at.y, at], MarkInk::Accent, "R")]
        };
    "r" "r" [unit: Unit::Metres] "the radius of the marked ring, measured on the surface that linear blending makes" =>
        |moment| radius(moment, "linear", ring_of(moment)).into(),
        |moment| {
            let at = marked(moment, "linear").as_vec3();
            vec![Mark::line(vec![Vec3::Y * at.y, at], MarkInk::Accent, "r").wide(4.0)]
        };
    "h" "r" [below: "½", unit: Unit::Metres]
        "the radius of the ring half way up, measured on the surface that linear blending makes" =>
        |moment| radius(moment, "linear", STEPS / 2).into(),
        |moment| vec![ring(moment, "linear", STEPS / 2, MarkInk::Accent, "r½").wide(5.0)];
    "d" "r" [below: "dq", unit: Unit::Metres] "the radius of the marked ring, measured on the surface that dual quaternions make" =>
        |moment| radius(moment, "dual-quaternion", ring_of(moment)).into(),
        |moment| {
            vec![ring(moment, "dual-quaternion", ring_of(moment), MarkInk::Accent, "dual quaternions").wide(4.0)]
        };
};

/// ```text
/// root ── lower (y = 0) ── upper (y = 2)
/// ```
fn model(_: &super::Settings) -> Model {
    let mut rig = Rig::new("Twist bar");
    let lower = rig.joint("lower", skinscope_model::NodeId(0), [0.0; 3]);
    let upper = rig.joint("upper", lower, [0.0, HEIGHT, 0.0]);
    let skin = rig.skin(&[lower, upper]);
    let shape = Shape::tube([0.0, HEIGHT], STEPS + 1, SIDES, |_| Vec2::splat(RADIUS));
    let stripe = |p: Vec3| (p.x.atan2(p.z) / std::f32::consts::TAU * 12.0 + 12.25).floor() as u32 % 2;
    let shape = shape.painted(|p| if stripe(p) == 0 { 0x8fb8de } else { 0xf0ece2 });
    rig.skinned("bar", skin, shape.weighted(|p| vec![(0, 1.0 - p.y / HEIGHT), (1, p.y / HEIGHT)]));
    rig.build()
}

fn pose(settings: &super::Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let angle = settings.get("theta").to_radians();
    change(skeleton, local, "upper", |t| t.rotation = Quat::from_rotation_y(angle));
}

/// The ring that is marked.
fn ring_of(moment: &Moment) -> usize {
    (moment.slider("w") * STEPS as f64).round() as usize
}

/// Where a method puts the marked vertex.
fn marked(moment: &Moment, method: &str) -> DVec3 {
    moment.vertex(method, 0, ring_of(moment) * SIDES + MARKED)
}

/// Where a joint alone would put it.
fn alone(moment: &Moment, joint: usize) -> DVec3 {
    moment.alone(joint, 0, ring_of(moment) * SIDES + MARKED)
}

/// The mean distance of a ring's vertices from the axis.
fn radius(moment: &Moment, method: &str, ring: usize) -> f64 {
    moment.measured_ring(method, 0, ring, SIDES).1
}

fn ring(moment: &Moment, method: &str, ring: usize, ink: MarkInk, label: &str) -> Mark {
    Mark::line(moment.measured_ring(method, 0, ring, SIDES).0, ink, label)
}

/// The marked ring as it is and as it was, and the chord between the two positions of its marked vertex.
fn marks(moment: &Moment) -> Vec<Mark> {
    let ends = [0, 1].map(|joint| alone(moment, joint).as_vec3());
    vec![
        Mark::circle(Vec3::Y * ends[0].y, ends[0], Vec3::Y).wide(2.0),
        ring(moment, "linear", ring_of(moment), MarkInk::First, ""),
        Mark::line(ends.to_vec(), MarkInk::Second, "").wide(2.0),
        Mark::dot(ends[0], MarkInk::Second, "p₀").wide(9.0),
        Mark::dot(ends[1], MarkInk::Second, "p₁").wide(9.0),
    ]
}

/// The radius of the marked ring by every method, and by the formula of linear blending.
fn curves(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("theta", 18);
    let ring = ring_of(moment);
    let radius_ratio = |m: &Moment, method: &str| radius(m, method, ring) / f64::from(RADIUS);
    // Near 180° some methods find no turn any more, and blend linearly.
    let of = |id: &'static str| move |m: &Moment| radius_ratio(m, id);
    let measured = METHODS.iter().map(|method| Curve::traced(method.label, "theta", &along, 0.2, of(method.id)));
    let w = moment.slider("w");
    let by_formula = |degrees: f64| (1.0 - 4.0 * w * (1.0 - w) * (0.5 * degrees.to_radians()).sin().powi(2)).sqrt();
    measured.chain([Curve::formula("Formula of linear blend", [0.0, 180.0], 90, by_formula)]).collect()
}

#[cfg(test)]
mod tests {
    use skinscope_deform::method;

    use super::*;
    use crate::Settings;

    /// A ring of weight w keeps this part of its radius, and the parts that methods keep by `METHODS.md` where w = ½.
    #[test]
    fn radii_are_those_of_the_closed_forms_over_both_sliders() {
        let first = Moment::new(Settings::of(TWIST_BAR.example()));
        for degrees in (0..=180).step_by(15) {
            for step in 0..=STEPS {
                let moment = first.with("theta", degrees as f32).with("w", step as f32 / STEPS as f32);
                let (w, theta) = (step as f64 / STEPS as f64, f64::from(degrees).to_radians());
                // The length of (1 − w) + w e^{iθ}.
                let linear = ((1.0 - w + w * theta.cos()).powi(2) + (w * theta.sin()).powi(2)).sqrt();
                let radius_ratio = |method: &str| radius(&moment, method, step) / f64::from(RADIUS);
                assert!((radius_ratio("linear") - linear).abs() < 1e-4, "{degrees}° {w}: {}", radius_ratio("linear"));
                // Turns by exactly 180° have no right side.
                let whole: &[&str] = if degrees < 180 {
                    &["dual-quaternion", "centres-of-rotation", "polar", "dominant", "rigid"]
                } else {
                    &["dominant", "rigid"]
                };
                for method in whole {
                    assert!(
                        (radius_ratio(method) - 1.0).abs() < 1e-3,
                        "{method} {degrees}° {w}: {}",
                        radius_ratio(method)
                    );
                }
                if step == STEPS / 2 {
                    assert!((radius_ratio("linear") - (0.5 * theta).cos()).abs() < 1e-4);
                    assert!((radius_ratio("mixed") - 0.5 * (1.0 + (0.5 * theta).cos())).abs() < 1e-3 || degrees == 180);
                }
            }
        }
    }

    #[test]
    fn the_formula_in_the_chart_lies_on_what_is_measured() {
        let moment = Moment::new(Settings::of(TWIST_BAR.example())).with("w", 0.25);
        let all = curves(&moment);
        let (measured, formula) = (&all[0], all.last().unwrap());
        assert!(all.len() == METHODS.len() + 1 && formula.is_formula && !measured.is_formula);
        for [at, value] in &measured.points {
            let near = formula.points.iter().find(|[x, _]| x == at).unwrap();
            assert!((near[1] - value).abs() < 1e-4, "{at}");
        }
        // Half way up a turn by 180° has no direction. A method that breaks there keeps the whole radius up to its break.
        let half = curves(&moment.with("w", 0.5));
        let polar = half.iter().find(|curve| curve.name == method("polar").unwrap().label).unwrap();
        let jump = polar.points.windows(2).find(|pair| (pair[1][1] - pair[0][1]).abs() > 0.2).unwrap();
        assert!(jump[1][0] - jump[0][0] < 0.05 && jump[0][0] > 179.0, "{jump:?}");
        assert!((jump[0][1] - 1.0).abs() < 1e-3 && jump[1][1] < 0.1, "{jump:?}");
        assert!(polar.points.is_sorted_by(|a, b| a[0] < b[0]));
        // The chart does not depend on where its slider stands.
        assert_eq!(curves(&moment.with("theta", 10.0)), all);
    }
}
