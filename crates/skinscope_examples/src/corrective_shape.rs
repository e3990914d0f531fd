//! Shapes and poses: shapes that sliders mix, and a shape that an elbow's angle brings in where plain skinning fails.

use glam::{Quat, Vec3};

use super::corrective_arm::{
    AT, CORRECTED, HEIGHT, MARKED, OUTER, PLAIN, RADIUS, RING, RINGS, SHAPES, SIDES, angle, basis, displacement,
    made_at, model, pose, stored, waist, width,
};
use super::moment::{Curve, Moment};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Symbol, Unit};

/// The row of this example in [`super::SCENES`].
pub(super) static CORRECTIVE_SHAPE: Scene = Scene {
    id: "shapes-and-poses",
    text: include_str!("../../../assets/examples/shapes-and-poses.md"),
    sliders: &["phi", "sigma", "a", "b"],
    symbols: SYMBOLS,
    stage: [[-2.8, -0.25, -0.4], [2.6, 2.1, 0.4]],
    model,
    pose,
    marks: |moment| {
        let name = |x: f32, y: f32, words: &str| Mark::name(Vec3::new(x, y, 0.0), words);
        vec![
            name(-2.2, 0.22, "two shapes"),
            name(AT[0] - RADIUS, -0.14, "plain"),
            name(AT[1] - RADIUS, -0.14, "corrected"),
            measured(moment, 0, "s₁"),
            measured(moment, 1, "s₂"),
            Mark::dot(moment.vertex("linear", SHAPES, MARKED).as_vec3(), MarkInk::Accent, "v"),
        ]
    },
    curves: Some(widths),
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "v" "v" [bold: true] "where the marked vertex is now, measured on the skinned surface" =>
        |m| m.vertex("linear", SHAPES, MARKED).into(),
        |m| vec![Mark::dot(m.vertex("linear", SHAPES, MARKED).as_vec3(), MarkInk::Accent, "v")];
    "v0" "v" [below: "0", bold: true] "where it is stored" =>
        |m| stored(m).into(), |m| vec![Mark::dot(stored(m).as_vec3(), MarkInk::Accent, "v₀")];
    "a" "a" "how much of the first shape is added" =>
        |m| m.slider("a").into(), |m| displaced(m, 0, m.slider("a"), "a Δ₁");
    "b" "b" "how much of the second shape is added" =>
        |m| m.slider("b").into(), |m| displaced(m, 1, m.slider("b"), "b Δ₂");
    "d1" "Δ" [below: "1", bold: true] "by how much the first shape moves the marked vertex" =>
        |m| displacement(m, 0).into(), |m| displaced(m, 0, 1.0, "Δ₁");
    "d2" "Δ" [below: "2", bold: true] "by how much the second shape moves it" =>
        |m| displacement(m, 1).into(), |m| displaced(m, 1, 1.0, "Δ₂");
    "phi" "φ" [unit: Unit::Degrees] "the angle by which both arms are bent" =>
        |m| angle(m).into(), |m| arc([0.0, angle(m)], "φ");
    "phi1" "φ" [below: "1", unit: Unit::Degrees] "the angle at which the corrective shape was sculpted" =>
        |_| made_at().into(), |_| arc([0.0, made_at()], "φ₁");
    "sigma" "σ" [unit: Unit::Degrees] "how far from its own angle an example pose is felt" =>
        |m| m.slider("sigma").to_radians().into(), |m| arc([made_at() - m.slider("sigma").to_radians(), made_at()], "σ");
    "g1" "g" [below: "1"] "how near the arm is to the pose of the corrective shape" =>
        |m| basis(m, angle(m) - made_at()).into(), |m| arc([angle(m), made_at()], "to φ₁");
    "g0" "g" [below: "0"] "how near the arm is to the straight pose" =>
        |m| basis(m, angle(m)).into(), |m| arc([0.0, angle(m)], "to 0");
    "e" "e" "how near the two example poses are to each other" =>
        |m| basis(m, made_at()).into(), |_| arc([0.0, made_at()], "0 to φ₁");
    "w" "w" "how much of the corrective shape is added, read from the morph weight of the arm" =>
        |m| m.local().morph_weights[2].into(),
        |m| {
            let ring = |side: usize| {
                let plain = m.vertex("linear", PLAIN, RING * SIDES + side).as_vec3() + Vec3::X * (AT[1] - AT[0]);
                let to = m.vertex("linear", CORRECTED, RING * SIDES + side).as_vec3();
                Mark::line(vec![plain, to], MarkInk::Accent, if side == OUTER { "w" } else { "" })
            };
            (0..SIDES).step_by(2).map(ring).collect()
        };
    "R" "R" [unit: Unit::Metres] "the radius of the arms at rest" =>
        |_| RADIUS.into(),
        |_| {
            let at = |x: f32| Vec3::new(AT[0] + x, 0.25, 0.0);
            vec![Mark::span([at(0.0), at(-RADIUS)], "R")]
        };
    "s1" "s" [below: "1", unit: Unit::Metres] "the half width of the plain elbow, measured" =>
        |m| width(m, 0).into(), |m| half_width(m, 0, "s₁");
    "s2" "s" [below: "2", unit: Unit::Metres] "the half width of the corrected elbow, measured" =>
        |m| width(m, 1).into(), |m| half_width(m, 1, "s₂");
    "V0" "V" [below: "0"] "the volume of an arm at rest, cubic metres" =>
        |m| m.with("phi", 0.0).volume(PLAIN).into(), |m| vec![outline(&m.with("phi", 0.0), 0)];
    "V1" "V" [below: "1"] "the volume of the plain arm as it is bent, cubic metres" =>
        |m| m.volume(PLAIN).into(), |m| vec![outline(m, 0)];
    "V2" "V" [below: "2"] "the volume of the corrected arm as it is bent, cubic metres" =>
        |m| m.volume(CORRECTED).into(), |m| vec![outline(m, 1)];
    "k1" "k" [below: "1"] "the part of its volume that the plain arm keeps" =>
        |m| m.volume_ratio(PLAIN, "phi").into(), |m| vec![outline(m, 0)];
    "k2" "k" [below: "2"] "the part of its volume that the corrected arm keeps" =>
        |m| (m.volume(CORRECTED) / m.with("phi", 0.0).volume(PLAIN)).into(), |m| vec![outline(m, 1)];
};

/// A line from the stored position of the marked vertex, along so much of a shape.
fn displaced(moment: &Moment, shape: usize, much: f64, label: &str) -> Vec<Mark> {
    let from = stored(moment);
    let to = from + displacement(moment, shape) * much;
    vec![Mark::span([from.as_vec3(), to.as_vec3()], label)]
}

/// An arc about the right elbow between two angles of the bend.
fn arc([from, to]: [f64; 2], label: &str) -> Vec<Mark> {
    let center = Vec3::new(AT[1], HEIGHT / 2.0, 0.0);
    let begin = center + Quat::from_rotation_z(-from as f32) * Vec3::Y * 0.75;
    Mark::arc(center, begin, Vec3::NEG_Z, (to - from) as f32, MarkInk::Accent, label)
}

fn half_width(moment: &Moment, arm: usize, label: &str) -> Vec<Mark> {
    vec![Mark::span(waist(moment, arm).map(|p| p.as_vec3()), label)]
}

/// The same as it is always drawn. The words stand beside the last point, to the right of the line.
fn measured(moment: &Moment, arm: usize, label: &str) -> Mark {
    let [joint, outer] = waist(moment, arm).map(|p| p.as_vec3());
    Mark::line(vec![outer, joint], MarkInk::Second, label).wide(4.0)
}

/// The outline of an arm as it is bent.
fn outline(moment: &Moment, arm: usize) -> Mark {
    moment.tube_outline(PLAIN + arm, [RINGS, SIDES], [OUTER, SIDES / 4])
}

fn widths(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("phi", 30);
    let of = |(arm, name): (usize, &str)| Curve::measured(name, &along, |m| width(m, arm) / f64::from(RADIUS));
    [(0, "Plain skinning"), (1, "With the corrective shape")].map(of).into()
}
