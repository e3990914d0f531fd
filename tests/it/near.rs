//! What lies near a point of the posed surface, and how far along the surface, against looks at every vertex and every triangle: real models in
//! random poses, by every method.
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope::anim;
use skinscope::deform::{
    self, Deformation, METHODS, MeshTopology, MethodData, PASSES, ParameterSettings, Surface, SurfaceDistances,
    SurfaceInput,
};
use skinscope::inspect::{PickIndex, PosedModel};
use skinscope::math::test_random::Random;
use skinscope::math::{Aabb, WeldRule};
use skinscope::model::{InstanceId, LocalPose, Model};
use skinscope::parallel::JobContext;

use crate::common::{self, open};

/// One skin; several with morph targets and rigid parts; several meshes on one skin.
const MODELS: [&str; 3] = ["models/Fox.glb", "models/RobotExpressive.glb", "models/KayKit_Knight.glb"];

/// What is allowed between single and double precision, as a share of the radius.
const ERROR: f64 = 1e-4;

/// Turns every joint by up to `most` radians, and sets the morph weights.
fn posed_at_random(model: &Model, random: &mut Random, most: f32) -> (LocalPose, Vec<Affine3A>) {
    let mut local = LocalPose::clone(&model.skeleton.rest);
    for transform in &mut local.transforms {
        transform.rotation *= Quat::from_axis_angle(random.vector().normalize_or(Vec3::Y), most * random.unit());
    }
    for weight in &mut local.morph_weights {
        *weight = random.unit();
    }
    let (mut nodes, mut palettes) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, &local, &mut nodes);
    deform::palettes(model, &nodes, &mut palettes);
    (local, palettes)
}

/// Every method, and one with a pass after it, with the data that it needs for a model.
fn methods_with_data(model: &Model) -> Vec<(Deformation<'static>, Option<MethodData>)> {
    let waiting = JobContext::of_waiting();
    let alone = METHODS
        .iter()
        .map(|method| (Deformation::from(*method), method.data.and_then(|source| (source.make)(model, &waiting))));
    let settings = ParameterSettings::default();
    let passed = Deformation::from(METHODS[0]).then(PASSES[0], &settings);
    alone.chain([(passed, None)]).collect()
}

#[test]
fn near_a_point_of_real_models_lies_what_a_look_at_every_vertex_finds() {
    let Some(corpus) = common::corpus() else { return };
    let mut random = Random(5);
    for name in MODELS {
        let model = open(&corpus, name);
        let (index, draws) = (PickIndex::of(&model), anim::drawn_at_rest(&model, model.default_scene));
        let mut found_all = 0;
        for (method, data) in &methods_with_data(&model) {
            let method = Deformation { data: data.as_ref(), ..*method };
            for most in [0.0, 0.3, 1.5] {
                let (local, palettes) = posed_at_random(&model, &mut random, most);
                let (palettes, morph_weights) = (&palettes[..], &local.morph_weights[..]);
                let surface =
                    Surface::of(&SurfaceInput { model: &model, draws: &draws, palettes, morph_weights, method });
                let mut posed = PosedModel { model: &model, palettes, morph_weights, method, surface: None };
                let all = every_vertex(&model, &surface);
                let radius = Aabb::from_points(all.iter().map(|(_, at)| *at)).diagonal() * 0.06;
                // A method that needs the whole surface is given it, or would make it for each question.
                posed.surface = method.needs_surface().then(|| Arc::new(surface));
                for _ in 0..4 {
                    let centre = all[(random.unit() * all.len() as f32) as usize].1 + random.vector() * 0.2 * radius;
                    let what = format!("{name}, {}, pose {most}", method.id);
                    found_all += compare_near(&index, &posed, &draws, &all, (centre, radius), &what);
                }
            }
        }
        assert!(found_all > 2000, "{name}: {found_all} vertices in all: is this test still asking for some?");
    }
}

/// An instance, a primitive, a copy, and a vertex.
type Place = (InstanceId, usize, usize, u32);

/// The places of all vertices that are drawn; one that a method draws at several places comes several times.
fn every_vertex(model: &Model, surface: &Surface) -> Vec<(Place, Vec3)> {
    let mut out = Vec::new();
    for part in &surface.parts {
        let shown = surface.model(model);
        let mesh = shown.instances[part.instance.index()].mesh.index();
        let used: BTreeSet<u32> = shown.meshes[mesh].primitives[part.primitive].indices.iter().copied().collect();
        for (copy, vertex) in (0..part.copies.len().max(1)).flat_map(|copy| used.iter().map(move |v| (copy, *v))) {
            let original = surface.original(part.instance, part.primitive, vertex as usize) as u32;
            let at = part.position(vertex as usize, copy).unwrap_or(Vec3::NAN);
            out.push(((part.instance, part.primitive, copy, original), at));
        }
    }
    out
}

/// Compares what is found within a radius with all vertices; returns how many there are.
fn compare_near(
    index: &PickIndex,
    posed: &PosedModel,
    draws: &[InstanceId],
    all: &[(Place, Vec3)],
    (centre, radius): (Vec3, f32),
    what: &str,
) -> usize {
    let mut wanted: BTreeMap<Place, f64> = BTreeMap::new();
    for (place, at) in all {
        let distance = at.as_dvec3().distance(centre.as_dvec3());
        let least = wanted.entry(*place).or_insert(distance);
        *least = least.min(distance);
    }
    let near = index.near(posed, draws, centre, radius).unwrap_or_default();
    let found: BTreeMap<Place, f64> =
        near.iter().map(|n| ((n.instance, n.primitive, n.copy, n.vertex), f64::from(n.distance))).collect();
    assert_eq!(found.len(), near.len(), "{what}: a vertex comes twice");
    let slack = f64::from(radius) * ERROR;
    let missed = wanted.iter().filter(|(place, d)| **d < f64::from(radius) - slack && !found.contains_key(*place));
    assert_eq!(missed.count(), 0, "{what}: vertices that are near and not found, of {}", found.len());
    let is_off = |(place, d): &(&Place, &f64)| wanted.get(*place).is_none_or(|wanted| (wanted - **d).abs() > slack);
    assert_eq!(found.iter().filter(is_off).count(), 0, "{what}: distances that differ, of {}", found.len());
    found.len()
}

#[test]
fn along_the_surface_of_real_models_distances_are_those_of_the_shortest_ways() {
    let Some(corpus) = common::corpus() else { return };
    let mut random = Random(9);
    for name in MODELS {
        let model = open(&corpus, name);
        let draws = anim::drawn_at_rest(&model, model.default_scene);
        let (mut distances, mut found_all, mut sums) = (SurfaceDistances::default(), 0, [0.0, 0.0]);
        for (method, data) in &methods_with_data(&model) {
            let method = Deformation { data: data.as_ref(), ..*method };
            let (local, palettes) = posed_at_random(&model, &mut random, 0.4);
            let (palettes, morph_weights) = (&palettes[..], &local.morph_weights[..]);
            let surface = Surface::of(&SurfaceInput { model: &model, draws: &draws, palettes, morph_weights, method });
            let Some(part) = surface.parts.iter().max_by_key(|part| part.deformed.positions.len()) else { continue };
            let mesh = model.instances[part.instance.index()].mesh.index();
            let primitive = &model.meshes[mesh].primitives[part.primitive];
            let Some(topology) = MeshTopology::of_primitive(primitive, WeldRule::Near, &|| false) else { continue };
            let positions = &part.deformed.positions;
            let radius = Aabb::from_points(positions.iter().copied()).diagonal() * 0.1;
            let at = |point: u32| positions[topology.weld.first[point as usize] as usize];
            for _ in 0..4 {
                let start = (random.unit() * topology.point_count() as f32) as u32;
                let found = distances.within(&topology, at, &[(start, 0.0)], radius);
                let what = format!("{name}, {}, from {start}", method.id);
                let here = (start, f64::from(radius));
                let of_start = compare_along(&topology, &|point| at(point).as_dvec3(), here, found, &what);
                sums = [sums[0] + of_start[0], sums[1] + of_start[1]];
                found_all += found.len();
            }
        }
        assert!(found_all > 250, "{name}: {found_all} points in all: is this test still asking for some?");
        assert!(sums[0] >= sums[1] * THROUGH_PLACES, "{name}: distances are too short, {sums:?} in all");
    }
}

/// By how much a distance may be longer than the shortest way, as a share of it.
const LONGER: f64 = 0.003;

/// How many places on each side the ways of [`through_places`] may cross.
const PLACES: u32 = 7;

/// How long the shortest ways are at least on average, as a share of those of [`through_places`].
const THROUGH_PLACES: f64 = 0.95;

/// Compares distances from a start within a radius with straight lines, and with ways that cross the sides of triangles only in some places. Returns
/// the sums of both.
fn compare_along(
    mesh: &MeshTopology,
    at: &dyn Fn(u32) -> DVec3,
    (start, radius): (u32, f64),
    found: &[(u32, f32)],
    what: &str,
) -> [f64; 2] {
    let slack = radius * ERROR;
    let is_too_short = |(point, distance): &&(u32, f32)| f64::from(*distance) < at(start).distance(at(*point)) - slack;
    assert_eq!(found.iter().filter(is_too_short).count(), 0, "{what}: shorter than a straight line");
    let ways = through_places(mesh, at, start, radius);
    let found: BTreeMap<u32, f64> = found.iter().map(|(point, distance)| (*point, f64::from(*distance))).collect();
    let mut sums = [0.0, 0.0];
    for (point, distance) in &found {
        let Some(way) = ways.get(point) else { continue };
        assert!(*distance <= way * (1.0 + LONGER) + slack, "{what}: {point} is at {distance}, a way is {way}");
        sums = [sums[0] + distance, sums[1] + way];
    }
    let missed =
        ways.iter().filter(|(point, way)| **way * (1.0 + LONGER) + slack < radius && !found.contains_key(*point));
    assert_eq!(missed.count(), 0, "{what}: points that are near and not found, of {}", found.len());
    sums
}

/// The lengths of the shortest ways from a point to others within a radius that go from corner to corner of triangles, and through
/// [`PLACES`] evenly spaced places on each side: no shorter than the shortest ways of all, and seldom much longer.
fn through_places(mesh: &MeshTopology, at: &dyn Fn(u32) -> DVec3, start: u32, radius: f64) -> BTreeMap<u32, f64> {
    // What is farther in a straight line is farther along the surface too.
    let is_near = |corners: &[u32; 3]| {
        let [start, a, b, c] = [start, corners[0], corners[1], corners[2]].map(at);
        let size = a.distance(b).max(b.distance(c)).max(c.distance(a));
        start.distance(a) <= radius + size
    };
    // A place is numbered by the side that it is on, the lower end first, and how far along it is; a corner by itself.
    let mut places: BTreeMap<(u32, u32, u32), usize> = BTreeMap::new();
    let (mut all, mut triangles_at): (Vec<DVec3>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut triangles: Vec<Vec<usize>> = Vec::new();
    for corners in mesh.point_triangles().filter(is_near) {
        let [a, b, c] = corners;
        let sides = [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        let inner = sides.iter().flat_map(|[a, b]| (1..=PLACES).map(move |i| (*a, *b, i)));
        let mut own = Vec::new();
        for name in corners.map(|corner| (corner, corner, 0)).into_iter().chain(inner) {
            let number = *places.entry(name).or_insert(all.len());
            if number == all.len() {
                let share = f64::from(name.2) / f64::from(PLACES + 1);
                all.push(at(name.0).lerp(at(name.1), share));
                triangles_at.push(Vec::new());
            }
            triangles_at[number].push(triangles.len());
            own.push(number);
        }
        triangles.push(own);
    }
    let Some(first) = places.get(&(start, start, 0)).copied() else { return BTreeMap::from([(start, 0.0)]) };
    let mut lengths = vec![f64::INFINITY; all.len()];
    lengths[first] = 0.0;
    // The bits of lengths, which are not negative, are ordered as they are.
    let mut open = BinaryHeap::from([Reverse((0_u64, first))]);
    while let Some(Reverse((bits, here))) = open.pop() {
        let length = f64::from_bits(bits);
        if length > lengths[here] || length > radius {
            continue;
        }
        for next in triangles_at[here].iter().flat_map(|triangle| &triangles[*triangle]) {
            let way = length + all[here].distance(all[*next]);
            if way < lengths[*next] {
                lengths[*next] = way;
                open.push(Reverse((way.to_bits(), *next)));
            }
        }
    }
    let corners = places.iter().filter(|((a, b, _), _)| a == b);
    corners.map(|((corner, ..), number)| (*corner, lengths[*number])).filter(|(_, way)| way.is_finite()).collect()
}
