//! What lies near a point of the posed surface, and how far along the surface, against looks at every vertex and every triangle: real models in
//! random poses, by every method.
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.

use std::collections::{BTreeMap, BTreeSet};
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
fn along_the_surface_of_real_models_distances_are_those_of_a_look_at_every_triangle() {
    let Some(corpus) = common::corpus() else { return };
    let mut random = Random(9);
    for name in MODELS {
        let model = open(&corpus, name);
        let draws = anim::drawn_at_rest(&model, model.default_scene);
        let (mut distances, mut found_all) = (SurfaceDistances::default(), 0);
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
            // Of two points that are equally far, as on a bolt, either may come first, and another distance follows: no two are here.
            let points: Vec<Vec3> = topology.weld.first.iter().map(|v| positions[*v as usize]).collect();
            let points: Vec<Vec3> = points.into_iter().map(|p| p + random.vector() * 0.01 * radius).collect();
            let at = |point: u32| points[point as usize];
            for _ in 0..8 {
                let start = (random.unit() * topology.point_count() as f32) as u32;
                let wanted = slowly(&topology, &|point| at(point).as_dvec3(), start, f64::from(radius));
                let found = distances.within(&topology, at, &[(start, 0.0)], radius);
                let what = format!("{name}, {}, from {start}", method.id);
                let slack = f64::from(radius) * ERROR;
                let is_off = |(point, d): &&(u32, f32)| {
                    wanted.get(point).is_none_or(|wanted| (wanted - f64::from(*d)).abs() > slack)
                };
                assert_eq!(found.iter().filter(is_off).count(), 0, "{what}: distances differ, of {}", found.len());
                let inside = wanted.values().filter(|d| **d < f64::from(radius) - slack).count();
                assert!(inside <= found.len(), "{what}: {} found of {inside}", found.len());
                found_all += found.len();
            }
        }
        assert!(found_all > 500, "{name}: {found_all} points in all: is this test still asking for some?");
    }
}

/// The distances of points within a little more than a radius from a point, in double precision: each step looks at all points and triangles.
fn slowly(mesh: &MeshTopology, at: &dyn Fn(u32) -> DVec3, start: u32, radius: f64) -> BTreeMap<u32, f64> {
    let most = radius * (1.0 + ERROR);
    // What is farther in a straight line is farther along the surface too.
    let is_near = |point: &u32| at(*point).distance(at(start)) <= most;
    let triangles: Vec<[u32; 3]> = mesh.point_triangles().filter(|corners| corners.iter().any(is_near)).collect();
    let (mut open, mut done) = (BTreeMap::from([(start, 0.0)]), BTreeMap::new());
    while let Some((point, distance)) =
        open.iter().map(|(point, d)| (*point, *d)).min_by(|a: &(u32, f64), b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
    {
        open.remove(&point);
        done.insert(point, distance);
        for corners in triangles.iter().filter(|corners| corners.contains(&point)) {
            for other in corners.iter().filter(|other| !done.contains_key(other)) {
                let third = corners.iter().find(|corner| **corner != point && *corner != other).copied();
                let from = third.and_then(|third| Some((third, *done.get(&third)?)));
                let over = from.and_then(|(third, d)| across((at(point), distance), (at(third), d), at(*other)));
                let along = distance + at(point).distance(at(*other));
                let way = over.map_or(along, |over: f64| over.min(along));
                if way <= most {
                    let known = open.entry(*other).or_insert(way);
                    *known = known.min(way);
                }
            }
        }
    }
    done
}

/// The distance of a corner of a triangle straight across it, from two corners with theirs; `None` where the way does not cross their side.
fn across((a, from_a): (DVec3, f64), (b, from_b): (DVec3, f64), c: DVec3) -> Option<f64> {
    let length = a.distance(b);
    let x = (c - a).dot(b - a) / length;
    let y = ((c - a).length_squared() - x * x).max(0.0).sqrt();
    let source = (from_a * from_a - from_b * from_b + length * length) / (2.0 * length);
    let depth = (from_a * from_a - source * source).sqrt();
    let crosses = source + (x - source) * depth / (depth + y);
    // What is not a number is in no range.
    (y > 0.0 && (0.0..=length).contains(&crosses)).then(|| (x - source).hypot(y + depth))
}
