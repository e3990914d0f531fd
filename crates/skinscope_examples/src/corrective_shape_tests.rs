//! The elbows of [`super::corrective_shape`] once more, by complex numbers, and its shapes on paper.

use glam::{DMat2, DVec2, DVec3};

use super::corrective_arm::*;
use super::corrective_shape::CORRECTIVE_SHAPE;
use super::{Moment, Settings};

/// The weights of both examples by Cramer's rule: they solve `[1 e; e 1] x = [g0 g1]`.
fn weight(phi: f64, sigma: f64) -> f64 {
    let near = |d: f64| (-(d * d) / (sigma * sigma)).exp();
    let (at, one) = (f64::from(MADE_AT), DVec2::new(near(phi), near(phi - f64::from(MADE_AT))));
    (DMat2::from_cols_array(&[1.0, near(at), near(at), 1.0]).inverse() * one).y
}

#[test]
fn both_elbows_are_those_of_double_precision_at_all_angles() {
    let first = Moment::new(Settings::of(CORRECTIVE_SHAPE.example()));
    let rest = first.with("phi", 0.0);
    for sigma in [20.0, 35.0, 60.0, 90.0] {
        for degrees in (0..=150).step_by(10) {
            let moment = first.with("sigma", sigma).with("phi", degrees as f32);
            let (w, phi) = (weight(f64::from(degrees), f64::from(sigma)), f64::from(degrees).to_radians());
            assert!((f64::from(moment.local().morph_weights[2]) - w).abs() < 1e-6, "{degrees}° {sigma}°");
            for (instance, weight) in [(PLAIN, 0.0), (CORRECTED, w)] {
                let x0 = f64::from(AT[instance - PLAIN]);
                let mesh = &moment.model().meshes[instance].primitives[0];
                let influences = mesh.stored_influences.as_ref().unwrap();
                for (i, at) in mesh.positions.iter().enumerate() {
                    let share = f64::from(influences.of(i).1[1]);
                    // Complex numbers in the plane of the bend: the shape is what the sculpted pose wants, divided by the blend there.
                    let about = DVec2::new(f64::from(at.x) - x0, f64::from(at.y) - 1.0);
                    let blend = |angle: f64| DVec2::new(1.0 - share + share * angle.cos(), -share * angle.sin());
                    let times = |a: DVec2, b: DVec2| DVec2::new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
                    let made = blend(made_at());
                    let conjugate = DVec2::new(made.x, -made.y) / made.length_squared();
                    let turned = times(DVec2::from_angle(-made_at() * share), about);
                    let inner = (about.x / f64::from(RADIUS)).clamp(0.0, 1.0);
                    let outer = 1.0 - inner * inner * (3.0 - 2.0 * inner);
                    let morphed = about + weight * outer * (times(turned, conjugate) - about);
                    let wanted = times(morphed, blend(phi));
                    let position = moment.vertex("linear", instance, i);
                    let off = (position.truncate() - DVec2::new(x0, 1.0)).distance(wanted);
                    assert!(off < 1e-5, "{degrees}° {sigma}° instance {instance} vertex {i}: {off}");
                    assert!((position.z - f64::from(at.z)).abs() < 1e-6);
                }
            }
        }
    }
    let [plain, corrected] = [0, 1].map(|arm| width(&first.with("phi", MADE_AT), arm) / f64::from(RADIUS));
    assert!((plain - 0.5).abs() < 1e-5 && (corrected - 1.0).abs() < 1e-5, "{plain} {corrected}");
    let volume_ratio = |instance| first.with("phi", MADE_AT).volume(instance) / rest.volume(PLAIN);
    assert!(
        volume_ratio(CORRECTED) > 0.99 && volume_ratio(PLAIN) < 0.93,
        "{} {}",
        volume_ratio(CORRECTED),
        volume_ratio(PLAIN)
    );
}

#[test]
fn shapes_are_added() {
    let first = Moment::new(Settings::of(CORRECTIVE_SHAPE.example()));
    let ends = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
    let at = |(a, b): (f32, f32)| first.with("a", a).with("b", b).vertex("linear", SHAPES, MARKED);
    let [none, one, other, both] = ends.map(at);
    assert!((both - none).distance((one - none) + (other - none)) < 1e-6);
    // The marked vertex is at three quarters of the height: 0.6 wide at its own, and bowed by 0.4 · (1 + ½)²/4.
    let high = 0.6 * (2.0 * 30.0 / 40.0 - 1.0);
    let wide = 0.3 * (1.0_f64 - 0.75 * (high / 0.6_f64).powi(2)).sqrt();
    assert!((none - DVec3::new(-1.95 - wide, 1.0 + high, 0.0)).length() < 1e-6, "{none}");
    assert!((other - none).distance(DVec3::NEG_X * 0.4 * (high / 0.6 + 1.0).powi(2) / 4.0) < 1e-6, "{}", other - none);
    let t = ((high + 0.1) / 0.45_f64).min(1.0);
    assert!((one - none).distance(DVec3::NEG_X * wide * 0.9 * t * t * (3.0 - 2.0 * t)) < 1e-6, "{}", one - none);
    for i in 0..=10 {
        for j in 0..=10 {
            let (a, b) = (f64::from(i) / 10.0, f64::from(j) / 10.0);
            let wanted = none + (one - none) * a + (other - none) * b;
            assert!(at((a as f32, b as f32)).distance(wanted) < 1e-6, "{a} {b}");
        }
    }
}
