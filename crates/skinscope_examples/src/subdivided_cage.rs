//! Skinning a cage and subdividing it after, against subdividing it first and skinning what is fine.

use std::sync::LazyLock;

use glam::{DVec3, Quat, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::loop_subdivision::Subdivided;
use super::moment::{Curve, Moment};
use super::rig::{Rig, Shape, change, mixed};
use super::symbol::symbols;
use super::{Mark, MarkInk, Scene, Settings, Symbol, Unit};

/// The rings of the cage, four vertices each: side 0 towards +Z, then +X, −Z, −X.
const RINGS: u32 = 5;
/// The height of the cage, and how far its vertices are from its axis, metres. The joint is half way up.
const HEIGHT: f64 = 2.0;
const RADIUS: f64 = 0.42;
/// The weight that each ring has for the joint.
const SHARES: [f64; RINGS as usize] = [0.0, 0.0, 0.5, 1.0, 1.0];
/// How often the cage may be subdivided.
pub(super) const MOST: usize = 3;
/// Where the arms stand along x: what was subdivided first, and the skinned cage.
const AT: [f32; 2] = [-1.1, 1.1];
/// The instances.
pub(super) const FIRST: usize = 0;
pub(super) const AFTER: usize = 1;
/// The marked edge of the cage and what lies across it on both sides: up the inner side, from the joint on.
const EDGE: [u32; 4] = [9, 13, 8, 10];

/// The cage subdivided from no time to [`MOST`] times, by that number.
static LEVELS: LazyLock<Vec<Subdivided>> = LazyLock::new(|| {
    let lines = vec![(0..RINGS).map(|ring| 4 * ring + 1).collect(), (0..RINGS).map(|ring| 4 * ring + 3).collect()];
    let cage = Subdivided::cage(4 * RINGS, &cage_indices(), lines);
    std::iter::successors(Some(cage), Subdivided::finer).take(MOST + 1).collect()
});

/// The row of this example in [`super::SCENES`].
pub(super) static SUBDIVIDED_CAGE: Scene = Scene {
    id: "subdivided-cage",
    text: include_str!("../../../assets/examples/subdivided-cage.md"),
    sliders: &["phi", "n"],
    rebuilds: &["n"],
    symbols: SYMBOLS,
    stage: [[-1.75, -0.25, -0.4], [2.75, 2.1, 0.4]],
    model,
    pose,
    marks: |moment| {
        let mut marks = cage_lines(moment, MarkInk::Dim, 1.5);
        marks.extend(outline(moment));
        let name = |x: f32, words: &str| Mark::name(Vec3::new(x, -0.2, 0.0), words);
        marks.push(name(AT[FIRST] - 0.5, "subdivided, then skinned"));
        marks.push(name(AT[AFTER] - 0.5, "skinned, then subdivided"));
        marks
    },
    curves: Some(curves),
    ..Scene::PLAIN
};

/// A vertex of the marked edge, or one across it.
const fn vertex<const PLACE: usize>(id: &'static str, below: &'static str, words: &'static str) -> Symbol {
    Symbol {
        id,
        letter: "v",
        below,
        bold: true,
        words,
        value: |m| skinned_cage(m)[EDGE[PLACE] as usize].into(),
        marks: |m| {
            let label = ["v₁", "v₂", "v₃", "v₄"][PLACE];
            vec![Mark::dot(on_right(skinned_cage(m)[EDGE[PLACE] as usize]), MarkInk::Accent, label)]
        },
        ..Symbol::PLAIN
    }
}

static SYMBOLS: &[Symbol] = symbols! {
    "e" "e" [bold: true] "the new vertex of an edge on the inner side of the bend, at the first step" =>
        |m| edge_vertex(m).into(),
        |m| {
            let ends = [0, 1].map(|i| on_right(skinned_cage(m)[EDGE[i] as usize]));
            let dot = Mark::dot(on_right(edge_vertex(m)), MarkInk::Accent, "e");
            vec![Mark::line(ends.to_vec(), MarkInk::Accent, ""), dot]
        };
    like vertex::<0>("v1", "1", "an end of the edge: a vertex of the skinned cage");
    like vertex::<1>("v2", "2", "the other end of the edge");
    like vertex::<2>("v3", "3", "the vertex of the triangle on one side of the edge");
    like vertex::<3>("v4", "4", "the vertex of the triangle on its other side");
    "N" "N" [unit: Unit::Decimals(0)] "the number of vertices of the subdivided surface" =>
        |m| (level(m).vertex_count() as f64).into(), |m| dots(m, steps(m));
    "N'" "N′" [unit: Unit::Decimals(0)] "the number of vertices one step before" =>
        |m| (LEVELS[steps(m) - 1].vertex_count() as f64).into(), |m| dots(m, steps(m) - 1);
    "Nc" "N" [below: "c", unit: Unit::Decimals(0)] "the number of vertices of the cage" =>
        |_| (LEVELS[0].vertex_count() as f64).into(), |m| cage_lines(m, MarkInk::Accent, 3.0);
    "c" "c" [unit: Unit::Decimals(1)] "how many times more vertices are skinned at the left" =>
        |m| (level(m).vertex_count() as f64 / LEVELS[0].vertex_count() as f64).into(), |m| dots(m, steps(m));
    "K" "K" [unit: Unit::Decimals(0)] "how many products of a weight and a vertex of the cage all these means have" =>
        |m| (terms(m) as f64).into(), |m| cage_lines(m, MarkInk::Accent, 3.0);
    "m" "m" [unit: Unit::Decimals(1)] "how many vertices of the cage a vertex of the right surface depends on, on average" =>
        |m| (terms(m) as f64 / level(m).vertex_count() as f64).into(),
        |m| {
            let (worst, cage) = (worst(m), skinned_cage(m));
            let from = both_positions(m, worst)[1];
            let line = |(of, _): &(u32, f64)| [from, cage[*of as usize]].map(on_right).to_vec();
            level(m).mask(worst).iter().map(|part| Mark::line(line(part), MarkInk::Accent, "").wide(1.5)).collect()
        };
    "D" "D" [unit: Unit::Metres]
        "the largest distance of a vertex of the left surface from the same one of the right surface, measured" =>
        |m| distance(m).into(),
        |m| {
            // The line is short: its names stand apart from it, at the ends of thin lines.
            let [a, b] = both_positions(m, worst(m)).map(on_right);
            let out = (a - b).normalize_or(Vec3::X) * 0.3;
            let across = Vec3::new(-out.y, out.x, 0.0);
            let named = |at: Vec3, to: Vec3, label: &str| Mark::named_aside(at, to, label);
            vec![
                named(a, out + across, "a"),
                named(b, across - out, "b"),
                named(a.midpoint(b), -across * 1.5, "D"),
                Mark::line(vec![a, b], MarkInk::Accent, "").wide(5.0),
                Mark::dot(a, MarkInk::First, "").wide(8.0),
                Mark::dot(b, MarkInk::Second, "").wide(8.0),
            ]
        };
    "a" "a" [bold: true]
        "the place of that vertex on the surface that was subdivided first, from the foot of its arm; the dot is there on both arms" =>
        |m| both_positions(m, worst(m))[0].into(),
        |m| {
            let at = both_positions(m, worst(m))[0];
            vec![
                Mark::dot(at.as_vec3() + Vec3::X * AT[FIRST], MarkInk::Accent, "a"),
                Mark::dot(on_right(at), MarkInk::Accent, "a"),
            ]
        };
    "b" "b" [bold: true] "the place of that vertex on the surface of the skinned cage, from the foot of its arm" =>
        |m| both_positions(m, worst(m))[1].into(),
        |m| vec![Mark::dot(on_right(both_positions(m, worst(m))[1]), MarkInk::Accent, "b")];
};

/// The triangles of the cage. Each side is cut so that the arm is the same in front and behind, left and right.
pub(super) fn cage_indices() -> Vec<u32> {
    let mut out = Vec::new();
    for (ring, side) in (0..RINGS - 1).flat_map(|ring| (0..4).map(move |side| (ring, side))) {
        let [a, b] = [4 * ring + side, 4 * ring + (side + 1) % 4];
        let [c, d] = [a + 4, b + 4];
        out.extend(if side % 2 == 0 { [a, b, d, a, d, c] } else { [a, b, c, b, d, c] });
    }
    let top = 4 * (RINGS - 1);
    out.extend([0, 3, 1, 1, 3, 2]);
    out.extend([0, 1, 3, 1, 2, 3].map(|v| top + v));
    out
}

/// Where the vertices of the cage are at rest, from the foot of the arm.
fn cage_at_rest() -> Vec<DVec3> {
    let subdivided = |v: u32| {
        let y = HEIGHT * f64::from(v / 4) / f64::from(RINGS - 1);
        let across = [DVec3::Z, DVec3::X, DVec3::NEG_Z, DVec3::NEG_X][v as usize % 4];
        across * RADIUS + DVec3::Y * y
    };
    (0..4 * RINGS).map(subdivided).collect()
}

fn shares() -> Vec<f64> {
    (0..4 * RINGS).map(|v| SHARES[v as usize / 4]).collect()
}

/// Where linear blending carries the vertices of the cage, from the foot of the right arm.
fn skinned_cage(moment: &Moment) -> Vec<DVec3> {
    // The left arm has the joint that the cage is skinned with.
    let carried = moment.skinning_matrix(0, 1);
    let at = DVec3::X * f64::from(AT[FIRST]);
    let blended = |(v, share): (DVec3, f64)| v.lerp(carried.transform_point3(v + at) - at, share);
    cage_at_rest().into_iter().zip(shares()).map(blended).collect()
}

fn on_right(position: DVec3) -> Vec3 {
    position.as_vec3() + Vec3::X * AT[AFTER]
}

/// ```text
/// root ─┬─ arm ── elbow     skins what was subdivided
///       └─ cage             stands still; two shapes carry what is subdivided from the skinned cage
/// ```
/// A skinned vertex of the cage is `v + w (R − 1)(v − j)`, and each vertex after is a mean of such ones. So it is `v + (R − 1) q` with the
/// mean `q` of all `w (v − j)`; that is a sum of two shapes, by cos φ − 1 and by sin φ.
fn model(settings: &Settings) -> Model {
    let mut rig = Rig::new("Skinned cage");
    let arm = rig.joint("arm", NodeId(0), [AT[FIRST], 0.0, 0.0]);
    let elbow = rig.joint("elbow", arm, [0.0, HEIGHT as f32 / 2.0, 0.0]);
    let cage = rig.joint("cage", NodeId(0), [AT[AFTER], 0.0, 0.0]);
    let skin = rig.skin(&[arm, elbow]);
    let fine = &LEVELS[(settings.get("n").round() as usize).clamp(1, MOST)];
    let (rest, shares) = (cage_at_rest(), shares());
    let joint = DVec3::Y * (HEIGHT / 2.0);
    let leaned: Vec<DVec3> = rest.iter().zip(&shares).map(|(v, share)| (*v - joint) * *share).collect();
    let positions = (0..fine.vertex_count()).map(|v| fine.of(v, &rest).as_vec3()).collect();
    let share = |v: usize| fine.of(v, &shares) as f32;
    let shape = Shape::of(positions, fine.indices()).painted_by_number(|v| mixed(0x7fa6d6, 0xe6c07a, share(v)));
    let normals = shape.normals.clone();
    let after = shape.clone();
    let turned = |v: Vec3| Vec3::new(v.y, -v.x, 0.0);
    let flat = |v: Vec3| v.with_z(0.0);
    let q = |v: usize| fine.of(v, &leaned).as_vec3();
    let after = after
        .morphed_by_number("by cos φ − 1", |v| [flat(q(v)), flat(normals[v]) * share(v)])
        .morphed_by_number("by sin φ", |v| [turned(q(v)), turned(normals[v]) * share(v)]);
    let weights = |v: usize| vec![(0, 1.0 - share(v)), (1, share(v))];
    rig.skinned("subdivided first", skin, shape.at(Vec3::X * AT[FIRST]).weighted_by_number(weights));
    rig.rigid("subdivided after", cage, after);
    rig.build()
}

fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let phi = settings.get("phi").to_radians();
    change(skeleton, local, "elbow", |t| t.rotation = Quat::from_rotation_z(-phi));
    local.morph_weights.copy_from_slice(&[phi.cos() - 1.0, phi.sin()]);
}

fn steps(moment: &Moment) -> usize {
    (moment.slider("n").round() as usize).clamp(1, MOST)
}

pub(super) fn level(moment: &Moment) -> &'static Subdivided {
    &LEVELS[steps(moment)]
}

fn terms(moment: &Moment) -> usize {
    let level = level(moment);
    (0..level.vertex_count()).map(|v| level.mask(v).len()).sum()
}

/// The vertex that the first step puts on the marked edge of the skinned cage.
fn edge_vertex(moment: &Moment) -> DVec3 {
    let ring = EDGE[0] as usize / 4;
    let at = LEVELS[1].lines[0][2 * ring + 1] as usize;
    LEVELS[1].of(at, &skinned_cage(moment))
}

/// Where a vertex is on both surfaces, from the foot of its arm: subdivided first, subdivided after.
pub(super) fn both_positions(moment: &Moment, vertex: usize) -> [DVec3; 2] {
    [FIRST, AFTER].map(|i| moment.vertex("linear", i, vertex) - DVec3::X * f64::from(AT[i]))
}

/// The vertex of which both positions are farthest apart.
fn worst(moment: &Moment) -> usize {
    let apart = |vertex: usize| {
        let [a, b] = both_positions(moment, vertex);
        a.distance_squared(b)
    };
    let largest = (0..level(moment).vertex_count()).map(|v| (v, apart(v)));
    largest.fold((0, 0.0), |most, one| if one.1 > most.1 { one } else { most }).0
}

pub(super) fn distance(moment: &Moment) -> f64 {
    let [a, b] = both_positions(moment, worst(moment));
    a.distance(b)
}

/// The edges of the skinned cage.
fn cage_lines(moment: &Moment, ink: MarkInk, width: f32) -> Vec<Mark> {
    let cage: Vec<Vec3> = skinned_cage(moment).into_iter().map(on_right).collect();
    let rings = (0..RINGS as usize).map(|ring| [0, 1, 2, 3, 0].map(|side| cage[4 * ring + side]).to_vec());
    let columns = (0..4).map(|side| (0..RINGS as usize).map(|ring| cage[4 * ring + side]).collect());
    rings.chain(columns).map(|points| Mark::line(points, ink, "").wide(width)).collect()
}

/// The outline of the left arm in its plane, drawn over the right one.
fn outline(moment: &Moment) -> Vec<Mark> {
    let line = |line: &Vec<u32>| {
        let at = |v: &u32| on_right(both_positions(moment, *v as usize)[0]);
        Mark::line(line.iter().map(at).collect(), MarkInk::Second, "").wide(2.5)
    };
    level(moment).lines.iter().map(line).collect()
}

/// All vertices of a step, on the left arm; those of a step before keep their numbers.
fn dots(moment: &Moment, step: usize) -> Vec<Mark> {
    let at = |v: usize| moment.vertex("linear", FIRST, v).as_vec3();
    (0..LEVELS[step].vertex_count()).map(|v| Mark::dot(at(v), MarkInk::Accent, "").wide(5.0)).collect()
}

fn curves(moment: &Moment) -> Vec<Curve> {
    let of = |n: usize| {
        let along = moment.with("n", n as f32).along("phi", 15);
        Curve::measured(format!("{n} step{}", if n == 1 { "" } else { "s" }), &along, distance)
    };
    (1..=MOST).map(of).collect()
}
