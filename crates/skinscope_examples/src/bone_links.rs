//! One bend of 120° against the same bend in several links.

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change, eased, mixed};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The radius of the arms, metres.
const RADIUS: f32 = 0.25;
/// Their height; they bend half way up.
const HEIGHT: f32 = 2.0;
/// The bend is spread over so much of the height.
const ZONE: f32 = 1.0;
/// Rings of an arm: one stands at every link, for one to four links.
const RINGS: usize = 49;
const SIDES: usize = 32;
/// The side of a ring on the outside of the bend, towards −X.
const OUTER: usize = 3 * SIDES / 4;
const MOST_LINKS: usize = 4;
/// Where the arm with one joint stands, and that with links.
const AT: [f32; 2] = [-1.0, 0.9];

/// The row of this example in [`super::SCENES`].
pub(super) static BONE_LINKS: Scene = Scene {
    id: "bone-links",
    text: include_str!("../../../assets/examples/bone-links.md"),
    sliders: &["phi", "n"],
    rebuilds: &["n"],
    symbols: SYMBOLS,
    stage: [[-1.5, -0.25, -0.4], [2.5, 2.1, 0.4]],
    model,
    pose,
    marks,
    curves: Some(curves),
    ..Scene::PLAIN
};

static SYMBOLS: &[Symbol] = symbols! {
    "phi" "φ" [unit: Unit::Degrees] "the angle by which both arms are bent in all" =>
        |moment| angle(moment).into(),
        |moment| {
            let center = Vec3::new(AT[0], HEIGHT / 2.0, 0.0);
            Mark::arc(center, center + Vec3::Y * 0.8, Vec3::NEG_Z, angle(moment) as f32, MarkInk::Accent, "φ")
        };
    "n" "n" [unit: Unit::Decimals(0)] "the number of links" =>
        |moment| (links(moment) as f64).into(),
        |moment| {
            (0..links(moment))
                .map(|k| Mark::dot(moment.joint_position(&link_name(k)), MarkInk::Accent, format!("{}", k + 1)))
                .collect()
        };
    "psi" "ψ" [unit: Unit::Degrees] "the angle by which each link bends, read from the first of them" =>
        |moment| {
            let [base, link] =
                ["base of links".to_owned(), link_name(0)].map(|name| moment.exact_node(&name).matrix3.y_axis);
            base.cross(link).length().atan2(base.dot(link)).into()
        },
        |moment| {
            let center = moment.joint_position(&link_name(0));
            let turn = (angle(moment) / links(moment) as f64) as f32;
            let mut out = Mark::arc(center, center + Vec3::Y * 0.7, Vec3::NEG_Z, turn, MarkInk::Accent, "");
            let middle = Quat::from_rotation_z(-0.5 * turn) * Vec3::Y * 0.75;
            out.push(Mark::dot(center + middle, MarkInk::Accent, "ψ").wide(4.0));
            out
        };
    "R" "R" [unit: Unit::Metres] "the radius of the arms at rest" =>
        |_| RADIUS.into(),
        |_| {
            let at = |x: f32| Vec3::new(AT[0] + x, 0.25, 0.0);
            vec![Mark::span([at(-RADIUS), at(0.0)], "R")]
        };
    "s1" "s" [below: "1", unit: Unit::Metres] "the half width of the left arm at its joint, measured" =>
        |moment| width(moment, 0).into(), |moment| half_width(moment, 0, "s₁");
    "sn" "s" [below: "n", unit: Unit::Metres] "the half width of the right arm, with n links, at the first of them, measured" =>
        |moment| width(moment, 1).into(),
        |moment| half_width(moment, 1, ["s₁", "s₂", "s₃", "s₄"][links(moment).clamp(1, MOST_LINKS) - 1]);
    "V0" "V" [below: "0"] "the volume of an arm at rest, cubic metres" =>
        |moment| moment.with("phi", 0.0).volume(0).into(), |_| vec![outline(0)];
    "V1" "V" [below: "1"] "the volume of the left arm as it is bent, cubic metres" =>
        |moment| moment.volume(0).into(), |moment| vec![spine(moment, 0)];
    "Vn" "V" [below: "n"] "the volume of the right arm as it is bent, cubic metres" =>
        |moment| moment.volume(1).into(), |moment| vec![spine(moment, 1)];
    "k1" "k" [below: "1"] "the part of its volume that the left arm keeps" =>
        |moment| moment.volume_ratio(0, "phi").into(), |moment| vec![spine(moment, 0)];
    "kn" "k" [below: "n"] "the part of its volume that the right arm keeps" =>
        |moment| moment.volume_ratio(1, "phi").into(), |moment| vec![spine(moment, 1)];
};

fn link_name(link: usize) -> String {
    format!("link {}", link + 1)
}

/// How high a link stands, of so many.
fn height_of(link: usize, links: usize) -> f32 {
    0.5 * (HEIGHT - ZONE) + (link as f32 + 0.5) * ZONE / links as f32
}

/// ```text
/// root ─┬─ base of one ── joint                       the left arm
///       └─ base of links ── link 1 ── … ── link n     the right arm
/// ```
fn model(settings: &Settings) -> Model {
    let mut rig = Rig::new("Bone links");
    let counts = [1, (settings.get("n").round() as usize).clamp(1, MOST_LINKS)];
    for (arm, links) in counts.into_iter().enumerate() {
        let base = rig.joint(["base of one", "base of links"][arm], NodeId(0), [AT[arm], 0.0, 0.0]);
        let mut joints = vec![base];
        for link in 0..links {
            let below = if link == 0 { 0.0 } else { height_of(link - 1, links) };
            let name = if arm == 0 { "joint".to_owned() } else { link_name(link) };
            let parent = joints[link];
            joints.push(rig.joint(&name, parent, [0.0, height_of(link, links) - below, 0.0]));
        }
        let skin = rig.skin(&joints);
        // How many joints have been passed at a height: links blend over the room between them.
        let passed = move |y: f32| ((y - 0.5 * (HEIGHT - ZONE)) / ZONE).clamp(0.0, 1.0) * links as f32;
        let shape = Shape::tube([0.0, HEIGHT], RINGS, SIDES, |_| Vec2::splat(RADIUS));
        let shape = shape.painted(move |p| mixed(0x7fa6d6, 0xe6c07a, passed(p.y) / links as f32));
        let shape = shape.at(Vec3::X * AT[arm]);
        rig.skinned(
            "arm",
            skin,
            shape.weighted(move |p| {
                let first = (passed(p.y).floor() as usize).min(links - 1);
                let share = eased(0.0, 1.0, passed(p.y) - first as f32);
                vec![(first as u16, 1.0 - share), (first as u16 + 1, share)]
            }),
        );
    }
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let phi = settings.get("phi").to_radians();
    let links = settings.get("n").round().max(1.0);
    change(skeleton, local, "joint", |t| t.rotation = Quat::from_rotation_z(-phi));
    for link in 0..MOST_LINKS {
        change(skeleton, local, &link_name(link), |t| t.rotation = Quat::from_rotation_z(-phi / links));
    }
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("phi").to_radians()
}

fn links(moment: &Moment) -> usize {
    moment.slider("n").round() as usize
}

/// The first joint of an arm, and the outer vertex of the ring there.
fn waist(moment: &Moment, arm: usize) -> [DVec3; 2] {
    let links = if arm == 0 { 1 } else { links(moment) };
    let ring = (height_of(0, links) / HEIGHT * (RINGS - 1) as f32).round() as usize;
    let joint = if arm == 0 { "joint".to_owned() } else { link_name(0) };
    [moment.exact_node(&joint).translation, moment.vertex("linear", arm, ring * SIDES + OUTER)]
}

fn width(moment: &Moment, arm: usize) -> f64 {
    let [joint, outer] = waist(moment, arm);
    joint.distance(outer)
}

fn half_width(moment: &Moment, arm: usize, label: &str) -> Vec<Mark> {
    // The words stand beside the last point, to the right of the line.
    let [joint, outer] = waist(moment, arm).map(|p| p.as_vec3());
    vec![Mark::span([outer, joint], label)]
}

/// The outline of an arm at rest.
fn outline(arm: usize) -> Mark {
    let corners = [(-1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, 0.0)];
    let corner = |(x, y): (f32, f32)| Vec3::new(AT[arm] + x * RADIUS, y * HEIGHT, 0.0);
    Mark::line(corners.map(corner).to_vec(), MarkInk::Accent, "at rest").wide(2.0)
}

/// The outline of an arm as it is bent: its outer and its inner side.
fn spine(moment: &Moment, arm: usize) -> Mark {
    moment.tube_outline(arm, [RINGS, SIDES], [OUTER, SIDES / 4])
}

/// How each arm bends, under it.
fn marks(moment: &Moment) -> Vec<Mark> {
    let right = match links(moment) {
        1 => "1 link".to_owned(),
        n => format!("{n} links"),
    };
    let name = |(arm, words): (usize, String)| Mark::name(Vec3::new(AT[arm] - 0.35, -0.15, 0.0), words);
    ["one joint".to_owned(), right].into_iter().enumerate().map(name).collect()
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let along = moment.along("phi", 17);
    let names = ["One joint".to_owned(), format!("{} links", links(moment))];
    let rest = moment.with("phi", 0.0);
    let of = |(arm, name): (usize, String)| Curve::measured(name, &along, |m| m.volume(arm) / rest.volume(arm));
    names.into_iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arms skinned once more in double precision, from the stored vertices and weights and turns about the links.
    fn skinned(moment: &Moment, arm: usize, links: usize) -> Vec<DVec3> {
        let phi = angle(moment) / links as f64;
        let turned = |v: DVec3, joint: usize| {
            // From the last joint to the first, each about its own position at rest.
            (0..joint).rev().fold(v, |v, link| {
                let center = DVec3::new(f64::from(AT[arm]), f64::from(height_of(link, links)), 0.0);
                let (sin, cos) = (-phi).sin_cos();
                let d = v - center;
                center + DVec3::new(cos * d.x - sin * d.y, sin * d.x + cos * d.y, d.z)
            })
        };
        let mesh = &moment.model().meshes[arm].primitives[0];
        let influences = mesh.stored_influences.as_ref().unwrap();
        let bent = |i: usize| {
            let (joints, weights) = influences.of(i);
            let v = mesh.positions[i].as_dvec3();
            joints.iter().zip(weights).map(|(j, w)| turned(v, usize::from(*j)) * f64::from(*w)).sum()
        };
        (0..mesh.positions.len()).map(bent).collect()
    }

    #[test]
    fn volumes_and_widths_are_those_of_double_precision() {
        for n in 1..=MOST_LINKS {
            let first = Moment::new(Settings::of(BONE_LINKS.example())).with("n", n as f32);
            let mut before = f64::INFINITY;
            for degrees in (0..=170).step_by(10) {
                let moment = first.with("phi", degrees as f32);
                for (arm, links) in [(0, 1), (1, n)] {
                    let positions = skinned(&moment, arm, links);
                    let mesh = &moment.model().meshes[arm].primitives[0];
                    let wanted: f64 = mesh
                        .indices
                        .as_chunks::<3>()
                        .0
                        .iter()
                        .map(|t| {
                            let [a, b, c] = t.map(|i| positions[i as usize]);
                            a.dot(b.cross(c)) / 6.0
                        })
                        .sum();
                    assert!((moment.volume(arm) - wanted).abs() < 1e-5, "{n} {degrees}° arm {arm}");
                    let half = 0.5 * f64::from(degrees).to_radians() / links as f64;
                    let ratio = width(&moment, arm) / f64::from(RADIUS);
                    assert!((ratio - half.cos()).abs() < 1e-4, "{n} {degrees}° arm {arm}: {ratio}");
                }
                let ratio = moment.volume(1);
                assert!(ratio <= before + 1e-6, "the more it bends the less is left");
                before = ratio;
            }
        }
        // Every link keeps more.
        let ratio = |n: usize| Moment::new(Settings::of(BONE_LINKS.example())).with("n", n as f32).volume(1);
        assert!((1..MOST_LINKS).all(|n| ratio(n + 1) > ratio(n)), "{:?}", [ratio(1), ratio(2), ratio(3), ratio(4)]);
    }
}
