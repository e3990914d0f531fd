//! Compares lights of the file with closed forms: the radiance of a white, rough plate that faces the eye.

use glam::Vec3;
use skinscope::frame::{Frame, Light};
use skinscope::model::LightKind;

use crate::scenes::Plate;
use crate::{SIZE, Stage};

on_stages! {
    light_falls_off_with_the_square_of_the_distance,
    directional_lights_and_cones_shine_along_their_beam,
    lights_add_up_and_the_studio_is_one_more,
}

/// The middle of the pixel that [`Stage::middle`] reads, on the plate.
fn place() -> Vec3 {
    let at = |pixel: u32| (f64::from(pixel) + 0.5) / f64::from(SIZE) * 2.0 - 1.0;
    Vec3::new(at(SIZE / 2 + 3) as f32, -at(SIZE / 2 - 5) as f32, 0.0)
}

/// Radiance of a white Lambert surface under a rough GGX one (α = 1), lit by unit irradiance from `towards` and seen along
/// +Z: glTF 2.0, appendix B, in f64.
fn white(towards: Vec3) -> f64 {
    let l = towards.as_dvec3().normalize();
    let n_l = l.z.max(0.0);
    let h = (l + glam::DVec3::Z).normalize();
    let fresnel = 0.04 + 0.96 * (1.0 - h.z).powi(5);
    // D = 1 / π, and the visibility of both directions is 0.5 / (n·l + n·v) where α is 1.
    let specular = fresnel / std::f64::consts::PI * 0.5 / (n_l + 1.0);
    n_l * ((1.0 - fresnel) / std::f64::consts::PI + specular)
}

/// The radiance that a pixel stands for: sRGB undone, then the tone curve, which lifts what lies between 0.08 and 0.8 by 0.04.
fn radiance(pixel: [u8; 4]) -> f64 {
    let c = f64::from(pixel[1]) / 255.0;
    let linear = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    linear + 0.04
}

fn lit(lights: Vec<Light>) -> Frame {
    Frame { lights, studio: false, ..Plate::default().frame() }
}

fn lamp(position: Vec3, intensity: f32) -> Light {
    let (kind, direction, range) = (LightKind::Point, Vec3::NEG_Z, f32::INFINITY);
    Light { kind, position, direction, color: Vec3::splat(intensity), range }
}

fn check(stage: &Stage, light: Light, want: f64, what: &str) {
    let got = radiance(stage.middle(&lit(vec![light])));
    assert!((got - want).abs() < 0.006, "{what}: {got} for {want}");
}

fn light_falls_off_with_the_square_of_the_distance(stage: &Stage) {
    for distance in [0.75_f32, 1.0, 1.5] {
        let want = f64::from(1.2 / (distance * distance)) * white(Vec3::Z);
        check(stage, lamp(place() + Vec3::Z * distance, 1.2), want, "straight before it");
    }
    let aslant = Vec3::new(0.6, -0.3, 0.8);
    let want = 2.0 / f64::from(aslant.length_squared()) * white(aslant);
    check(stage, lamp(place() + aslant, 2.0), want, "from a side");
    // KHR_lights_punctual: 1 − (d / range)⁴ of it.
    let light = Light { range: 2.0, ..lamp(place() + Vec3::Z * 1.5, 4.0) };
    check(stage, light, 4.0 / 2.25 * (1.0 - 0.75_f64.powi(4)) * white(Vec3::Z), "with a range");
    let beyond = Light { range: 1.0, ..lamp(place() + Vec3::Z * 1.5, 4.0) };
    assert_eq!(stage.middle(&lit(vec![beyond]))[..3], [0, 0, 0], "beyond its range");
}

fn directional_lights_and_cones_shine_along_their_beam(stage: &Stage) {
    let beam = Vec3::new(0.3, 0.4, -1.2).normalize();
    let sun = Light { kind: LightKind::Directional, direction: beam, ..lamp(Vec3::ZERO, 1.5) };
    check(stage, sun, 1.5 * white(-beam), "the sun");
    let behind = Light { direction: Vec3::Z, ..sun };
    assert_eq!(stage.middle(&lit(vec![behind]))[..3], [0, 0, 0], "from behind");
    // Beside the beam by 0.3 rad, between the cones of 0.2 and 0.5: a line in the cosine, squared.
    let turned = Vec3::new(0.3_f32.sin(), 0.0, -(0.3_f32.cos()));
    let kind = LightKind::Spot { inner: 0.2, outer: 0.5 };
    let spot = Light { kind, direction: turned, ..lamp(place() + Vec3::Z, 1.8) };
    let share = (0.3_f64.cos() - 0.5_f64.cos()) / (0.2_f64.cos() - 0.5_f64.cos());
    check(stage, spot, 1.8 * share * share * white(Vec3::Z), "a cone");
    let outside = Light { kind: LightKind::Spot { inner: 0.1, outer: 0.25 }, ..spot };
    assert_eq!(stage.middle(&lit(vec![outside]))[..3], [0, 0, 0], "outside its cone");
}

fn lights_add_up_and_the_studio_is_one_more(stage: &Stage) {
    let light = lamp(place() + Vec3::Z, 0.5);
    let twice = radiance(stage.middle(&lit(vec![light, light, lamp(place() + Vec3::Z, 0.0)])));
    assert!((twice - white(Vec3::Z)).abs() < 0.006, "{twice}");
    let studio = Frame { studio: true, ..lit(Vec::new()) };
    let alone = stage.middle(&studio);
    assert_eq!(alone, stage.middle(&Plate::default().frame()));
    let both = stage.middle(&Frame { lights: vec![light], ..studio });
    assert!(both[1] > alone[1], "{both:?} over {alone:?}");
}
