//! A vertex on the edge of another triangle: the surface opens there as soon as it bends.

use glam::{DVec3, Quat, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit, Value};

/// Half of the length of the edge, metres.
const HALF: f32 = 0.7;
const WIDE: f32 = 0.8;
/// Where both plates bend.
const AT: [f32; 2] = [-1.15, 1.15];
/// Numbers of the vertices: the ends of the edge in the left part, and the vertex on it in the right part.
const A: usize = 1;
const B: usize = 2;
const M: usize = 7;

/// The row of this example in [`super::SCENES`].
pub(super) static T_INTERSECTION: Scene = Scene {
    id: "t-intersection",
    text: include_str!("../../../assets/examples/t-intersection.md"),
    sliders: &["phi"],
    symbols: SYMBOLS,
    stage: [[-2.3, -0.95, -0.3], [2.3, 0.95, 0.3]],
    model,
    pose,
    marks: |moment| {
        let [a, b, m] = [A, B, M].map(|v| now(moment, v));
        vec![
            Mark::dot(world(a), MarkInk::First, "A").wide(9.0),
            Mark::dot(world(b), MarkInk::First, "B").wide(9.0),
            Mark::dot(world(m), MarkInk::Second, "M").wide(9.0),
        ]
    },
    curves: Some(curves),
    ..Scene::PLAIN
};

fn dot(at: DVec3, label: &str) -> Vec<Mark> {
    vec![Mark::dot(world(at), MarkInk::Accent, label).wide(15.0)]
}

static SYMBOLS: &[Symbol] = symbols! {
    "phi" "φ" [unit: Unit::Degrees] "the angle by which the upper half is bent" =>
        |m| angle(m).into(),
        |m| {
            let from = world(DVec3::Y * 0.5);
            Mark::arc(world(DVec3::ZERO), from, Vec3::Z, angle(m) as f32, MarkInk::Accent, "φ")
        };
    "h" "h" [unit: Unit::Metres] "half of the length of the edge from A to B at rest" =>
        |_| HALF.into(),
        |_| {
            vec![Mark::line(vec![world(DVec3::ZERO), world(DVec3::NEG_Y * f64::from(HALF))], MarkInk::Accent, "h")]
        };
    "R" "R" [bold: true] "the turn of the joint that bends" =>
        |m| Value::turn_in_plane(m.exact_node("upper")).into(), |m| Mark::frame(m.exact_node("upper"), 0.35, MarkInk::Accent, "R");
    "A" "a" [bold: true] "where the lower end A of the edge is, which stays" =>
        |m| now(m, A).truncate().into(), |m| dot(now(m, A), "a");
    "B" "b" [bold: true] "where the upper end B of the edge was modelled" =>
        |m| stored(m, B).truncate().into(), |m| dot(stored(m, B), "b");
    "b" "b′" [bold: true] "where the upper end B is now, measured on the skinned surface" =>
        |m| now(m, B).truncate().into(), |m| dot(now(m, B), "b′");
    "e" "e" [bold: true] "the middle of the edge as it is drawn: half way between its ends" =>
        |m| middle(m).truncate().into(), |m| dot(middle(m), "e");
    "m" "m" [bold: true] "where the vertex M of the yellow parts is, measured on the skinned surface" =>
        |m| now(m, M).truncate().into(), |m| dot(now(m, M), "m");
    "c" "c" [unit: Unit::Metres] "the width of the crack: from M to the middle of the edge" =>
        |m| middle(m).distance(now(m, M)).into(), |m| vec![Mark::span([world(now(m, M)), world(middle(m))], "c")];
};

/// ```text
/// root ─┬─ lower ── upper              the plate with the T
///       └─ welded lower ── welded upper    the plate without
/// ```
fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("T-intersection");
    for (i, prefix) in ["", "welded "].into_iter().enumerate() {
        let lower = rig.joint(&format!("{prefix}lower"), NodeId(0), [AT[i], 0.0, 0.0]);
        let upper = rig.joint(&format!("{prefix}upper"), lower, [0.0; 3]);
        let skin = rig.skin(&[lower, upper]);
        let plate = plate(i == 1).painted_by_number(|v| if v < 4 || v == 10 { 0x6f9bd1 } else { 0xe6c07a });
        rig.skinned(
            "plate",
            skin,
            plate.at(Vec3::X * AT[i]).weighted(|p| {
                let upper = 0.5 + 0.5 * p.y / HALF;
                vec![(0, 1.0 - upper), (1, upper)]
            }),
        );
    }
    rig.build()
}

/// A blue part left of the edge (vertices 0 to 3, and 10 on the edge where it is `welded`), and two yellow ones right of it.
fn plate(welded: bool) -> Shape {
    let [w, h] = [WIDE, HALF];
    let at = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    let positions = vec![
        at(-w, -h),
        at(0.0, -h),
        at(0.0, h),
        at(-w, h),
        at(0.0, -h),
        at(w, -h),
        at(w, 0.0),
        at(0.0, 0.0),
        at(w, h),
        at(0.0, h),
        at(0.0, 0.0),
    ];
    let blue: &[u32] = if welded { &[0, 1, 10, 0, 10, 3, 10, 2, 3] } else { &[0, 1, 2, 0, 2, 3] };
    let yellow = [4, 5, 6, 4, 6, 7, 7, 6, 8, 7, 8, 9];
    Shape::of(positions, [blue, &yellow].concat())
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let turn = Quat::from_rotation_z(settings.get("phi").to_radians());
    for name in ["upper", "welded upper"] {
        change(skeleton, local, name, |t| t.rotation = turn);
    }
}

fn angle(moment: &Moment) -> f64 {
    moment.slider("phi").to_radians()
}

/// A position in the world of one that is seen from the left elbow.
fn world(p: DVec3) -> Vec3 {
    p.as_vec3() + Vec3::X * AT[0]
}

/// A vertex of the left plate as seen from its elbow.
fn now(moment: &Moment, vertex: usize) -> DVec3 {
    moment.vertex("linear", 0, vertex) - DVec3::X * f64::from(AT[0])
}

fn stored(moment: &Moment, vertex: usize) -> DVec3 {
    moment.stored_vertex(0, vertex) - DVec3::X * f64::from(AT[0])
}

fn middle(moment: &Moment) -> DVec3 {
    now(moment, A).midpoint(now(moment, B))
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let formula = |degrees: f64| f64::from(HALF) * (0.5 * degrees.to_radians()).sin().abs();
    vec![
        Curve::measured("Measured", &moment.along("phi", 24), |m| middle(m).distance(now(m, M))),
        Curve::formula("Formula", [-120.0, 120.0], 120, formula),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crack_is_as_wide_as_plane_geometry_says_and_the_welded_plate_has_none() {
        let first = Moment::new(Settings::of(T_INTERSECTION.example()));
        for degrees in -120..=120 {
            let moment = first.with("phi", degrees as f32);
            let phi = f64::from(degrees).to_radians();
            let h = f64::from(HALF);
            // The edge ends at (0, −h) and at (−h sin φ, h cos φ).
            let middle_of_edge = [-0.5 * h * phi.sin(), 0.5 * h * (phi.cos() - 1.0)];
            let crack = middle_of_edge[0].hypot(middle_of_edge[1]);
            assert!((middle(&moment).distance(now(&moment, M)) - crack).abs() < 1e-6, "{degrees}");
            assert!(now(&moment, M).length() < 1e-6, "M stays in the elbow");
            let welded = [7, 10].map(|v| moment.vertex("linear", 1, v));
            assert!(welded[0].distance(welded[1]) < 1e-9);
        }
    }
}
