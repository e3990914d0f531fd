//! The same elbow three times: as rigid parts, with simple skin, with smooth skin.

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change, eased, mixed};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The radius of the arms, metres.
const RADIUS: f32 = 0.22;
/// Each arm is so long on both sides of its elbow.
const LENGTH: f32 = 1.0;
/// The arms stand so far apart.
const APART: f32 = 1.5;
/// Rings of an arm, an even number of steps between them so that one stands at the elbow.
const RINGS: usize = 21;
const SIDES: usize = 32;
/// The side of a ring on the outside of the bend, towards −X.
const OUTER: usize = 3 * SIDES / 4;
/// The ring at the elbow.
const ELBOW: usize = RINGS / 2;
const NAMES: [&str; 3] = ["rigid forearm", "simple forearm", "smooth forearm"];

/// The row of this example in [`super::SCENES`].
pub(super) static RIGID_SIMPLE_SMOOTH: Scene = Scene {
    id: "rigid-simple-smooth",
    text: include_str!("../../../assets/examples/rigid-simple-smooth.md"),
    sliders: &["phi"],
    symbols: SYMBOLS,
    stage: [[-1.8, -0.25, -0.4], [2.75, 2.1, 0.4]],
    model,
    pose,
    marks: |_| names(),
    curves: Some(curves),
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "phi" "φ" [unit: Unit::Degrees] "the angle by which the forearms are bent" =>
        |moment| angle(moment).into(),
        |moment| {
            (0..3)
                .flat_map(|arm| {
                    let elbow = elbow(arm);
                    let up = elbow + Vec3::Y * 0.7;
                    let mut out = Mark::arc(elbow, up, Vec3::NEG_Z, angle(moment) as f32, MarkInk::Accent, "φ");
                    out.push(Mark::line(vec![elbow, up], MarkInk::Accent, ""));
                    out
                })
                .collect()
        };
    "R" "R" [unit: Unit::Metres] "the radius of the arms" =>
        |_| RADIUS.into(),
        |_| {
            (0..3)
                .map(|arm| Mark::line(vec![elbow(arm) - Vec3::X * RADIUS, elbow(arm)], MarkInk::Accent, "R"))
                .collect()
        };
    "g" "g" [unit: Unit::Metres] "how wide the rigid parts gape on the outside of the bend, measured between their ends" =>
        |moment| {
            let [a, b] = gap(moment);
            a.distance(b).into()
        },
        |moment| vec![Mark::span(gap(moment).map(|p| p.as_vec3()), "g")];
    "l" "d" [unit: Unit::Metres] "the length at rest of the edges between two rows of vertices" =>
        |_| (2.0 * LENGTH / (RINGS - 1) as f32).into(), |moment| vec![Mark::span(edge(moment, 1, 2).map(|p| p.as_vec3()), "d")];
    "e" "e" [unit: Unit::Metres] "the length of the outer edge between the two joints of simple skin, measured" =>
        |moment| {
            let [a, b] = edge(moment, 1, ELBOW);
            a.distance(b).into()
        },
        |moment| vec![Mark::span(edge(moment, 1, ELBOW).map(|p| p.as_vec3()), "e")];
    "s" "s" [unit: Unit::Metres] "the half width of smooth skin in the row at the elbow, measured across the bend" =>
        |moment| {
            let at = vertex(moment, 2, ELBOW, OUTER);
            at.distance(elbow(2).as_dvec3()).into()
        },
        |moment| {
            let at = vertex(moment, 2, ELBOW, OUTER).as_vec3();
            vec![Mark::span([at, elbow(2)], "s")]
        };
};

/// What each arm is, under it.
fn names() -> Vec<Mark> {
    let name = |(arm, words): (usize, &str)| {
        let at = elbow(arm) - Vec3::new(0.45, LENGTH + 0.15, 0.0);
        Mark::name(at, words)
    };
    ["rigid parts", "simple skin", "smooth skin"].into_iter().enumerate().map(name).collect()
}

/// Where the elbow of an arm is.
fn elbow(arm: usize) -> Vec3 {
    Vec3::new((arm as f32 - 1.0) * APART, LENGTH, 0.0)
}

/// ```text
/// root ─┬─ rigid arm ── rigid forearm      two tubes, each in the space of its node
///       ├─ simple arm ── simple forearm    one tube, one joint for each vertex
///       └─ smooth arm ── smooth forearm    one tube, weights
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Rigid, simple, smooth");
    let mut nodes = Vec::new();
    for (arm, name) in NAMES.iter().enumerate() {
        let upper = rig.joint(&name.replace("forearm", "arm"), NodeId(0), [elbow(arm).x, 0.0, 0.0]);
        nodes.push([upper, rig.joint(name, upper, [0.0, LENGTH, 0.0])]);
    }
    let color = |on_forearm: bool| if on_forearm { 0xe6c07a } else { 0x7fa6d6 };
    let tube = |range, rings| Shape::tube(range, rings, SIDES, |_| Vec2::splat(RADIUS));
    let [upper, lower] = nodes[0];
    // Of a part, only its own node's space counts; both have as many rows as the half of a whole arm.
    rig.rigid("rigid arm", upper, tube([0.0, LENGTH], ELBOW + 1).painted(|_| color(false)));
    rig.rigid("rigid forearm", lower, tube([0.0, LENGTH], ELBOW + 1).painted(|_| color(true)));
    for arm in [1, 2] {
        let skin = rig.skin(&nodes[arm]);
        let share = move |p: Vec3| match arm {
            1 => f32::from(u8::from(p.y > LENGTH - 1e-3)),
            _ => eased(LENGTH - 0.4, LENGTH + 0.4, p.y),
        };
        let shape = tube([0.0, 2.0 * LENGTH], RINGS).painted(|p| mixed(color(false), color(true), share(p)));
        let shape = shape.at(Vec3::X * elbow(arm).x).weighted(move |p| vec![(0, 1.0 - share(p)), (1, share(p))]);
        rig.skinned(["", "simple skin", "smooth skin"][arm], skin, shape);
    }
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let turn = Quat::from_rotation_z(-settings.get("phi").to_radians());
    NAMES.iter().for_each(|name| change(skeleton, local, name, |t| t.rotation = turn));
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("phi").to_radians()
}

/// The instances, in node order: simple and smooth skin hang on the root, and come before the rigid parts.
const SKINNED: [usize; 3] = [0, 0, 1];
const RIGID: [usize; 2] = [2, 3];

/// A vertex of simple (1) or smooth (2) skin.
fn vertex(moment: &Moment, arm: usize, ring: usize, side: usize) -> DVec3 {
    moment.vertex("linear", SKINNED[arm], ring * SIDES + side)
}

/// The ends of the edge below a ring, on the outside of the bend.
fn edge(moment: &Moment, arm: usize, ring: usize) -> [DVec3; 2] {
    [ring - 1, ring].map(|ring| vertex(moment, arm, ring, OUTER))
}

/// The outer ends of both rigid parts, which are at one position at rest.
fn gap(moment: &Moment) -> [DVec3; 2] {
    [moment.vertex("linear", RIGID[0], ELBOW * SIDES + OUTER), moment.vertex("linear", RIGID[1], OUTER)]
}

/// The largest stretch of an edge along the arm on the outside of the bend.
fn stretch(moment: &Moment, arm: usize) -> f64 {
    let rest = f64::from(2.0 * LENGTH) / (RINGS - 1) as f64;
    let along = |ring: usize| {
        let [a, b] = edge(moment, arm, ring);
        a.distance(b) / rest
    };
    (1..RINGS).map(along).fold(0.0, f64::max)
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("phi", 15);
    let rigid = Curve::measured("Rigid parts", &along, |_| 1.0);
    let measured = [(1, "Simple skin"), (2, "Smooth skin")];
    let measured = measured.map(|(arm, name)| Curve::measured(name, &along, |m| stretch(m, arm)));
    [rigid].into_iter().chain(measured).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points at distance R from the elbow and ±h along the arm, of which one has turned: their distance by the law of
    /// cosines, for the angle between them as seen from the elbow.
    fn chord(r: f64, h: [f64; 2], turn: f64) -> f64 {
        let polar = |h: f64| (r.hypot(h), h.atan2(r));
        let ([a, from], [b, to]) = (<[f64; 2]>::from(polar(h[0])), <[f64; 2]>::from(polar(h[1])));
        (a * a + b * b - 2.0 * a * b * (to - from + turn).cos()).sqrt()
    }

    #[test]
    fn gap_edge_and_width_are_those_of_plane_geometry() {
        let first = Moment::new(Settings::of(RIGID_SIMPLE_SMOOTH.example()));
        let (r, step) = (f64::from(RADIUS), f64::from(2.0 * LENGTH) / (RINGS - 1) as f64);
        for degrees in 0..=150 {
            let moment = first.with("phi", degrees as f32);
            let phi = f64::from(degrees).to_radians();
            let [a, b] = gap(&moment);
            assert!((a.distance(b) - chord(r, [0.0, 0.0], phi)).abs() < 1e-5, "{degrees}");
            // The row at the elbow belongs to the forearm.
            let [a, b] = edge(&moment, 1, ELBOW);
            assert!((a.distance(b) - chord(r, [-step, 0.0], phi)).abs() < 1e-5, "{degrees}: {}", a.distance(b));
            let half = 0.5 * ((1.0 + phi.cos()).powi(2) + phi.sin().powi(2)).sqrt();
            let at = vertex(&moment, 2, ELBOW, OUTER).distance(elbow(2).as_dvec3());
            assert!((at - r * half).abs() < 1e-5, "{degrees}: {at}");
        }
    }
}
