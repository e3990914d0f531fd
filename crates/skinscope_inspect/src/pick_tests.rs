//! Compares the clusters with the search of every triangle, and the boxes with the vertices that they must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::{self as anim, SampleScratch, local_to_model};
use skinscope_base::math::test_random::Random;
use skinscope_base::math::{Aabb, Ray};
use skinscope_base::parallel::JobContext;
use skinscope_deform::{
    self as deform, Deformation, InfluenceBounds, METHODS, Surface, SurfaceInput, Vertex, VertexDeformer,
};
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{Instance, InstanceId, LocalPose, MeshId, Model, ModelParts, MorphTarget, NodeId, WeightChange};

use super::{PickIndex, Piece, PosedModel, pick};

fn turn(random: &mut Random, most: f32) -> Quat {
    Quat::from_axis_angle(random.vector().normalize_or(Vec3::Y), most * random.unit())
}

fn matrix(random: &mut Random, most: f32) -> Affine3A {
    let scale = Vec3::ONE + random.vector() * 0.4;
    Affine3A::from_scale_rotation_translation(scale, turn(random, most), random.vector())
}

/// Returns the obstacle course with everything else that picking must handle: copies, one of which is flat; weights
/// that sum to anything, negative ones and none at all; a mesh with influences at a node without a skin.
fn models() -> Vec<Model> {
    let mut course: ModelParts = (*obstacle_course()).clone();
    let mut copied = course.clone();
    let mut random = Random(3);
    copied.instances[1].copies = (0..20).map(|_| matrix(&mut random, 3.0)).collect();
    copied.instances[1].copies[4] = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    let weights = &mut course.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    for (vertex, weights) in weights.chunks_exact_mut(8).enumerate() {
        match vertex / 16 {
            1 => weights.iter_mut().for_each(|w| *w *= 1.7),
            2 => weights[0] = -0.3,
            3 => weights.fill(0.0),
            _ => {}
        }
    }
    let skinless = Instance { node: NodeId(2), mesh: MeshId(0), morph_offset: 2, ..Instance::default() };
    course.instances[1] = Instance { morph_weights: vec![0.0, 0.4], ..skinless };
    course.skeleton.rest.morph_weights.extend([0.0, 0.4]);
    let mut morphed: ModelParts =
        (*tube(Tube { joints: 6, rings: 60, sides: 48, influences: 3, ..Tube::default() })).clone();
    let primitive = &mut morphed.meshes[0].primitives[0];
    // One target moves a part of the tube alone.
    let wave = primitive.positions.iter().map(|p| if p.y > 1.5 { Vec3::new(0.3, 0.1 * p.y, -0.2) } else { Vec3::ZERO });
    primitive.morphs = vec![MorphTarget { positions: wave.collect(), ..MorphTarget::default() }];
    morphed.meshes[0].morph_names = vec!["wave".into()];
    morphed.instances[0].morph_weights = vec![0.0];
    morphed.skeleton.rest.morph_weights = vec![0.0];
    [course, copied, morphed].map(|parts| Model::build(parts).unwrap()).into()
}

fn posed_at_random(model: &Model, random: &mut Random, wildness: f32) -> (LocalPose, Vec<Affine3A>) {
    let mut local = LocalPose::clone(&model.skeleton.rest);
    anim::sample(model, &model.clips[0], 2.0 * random.unit(), &mut SampleScratch::default(), &mut local);
    for transform in &mut local.transforms {
        transform.rotation *= turn(random, wildness);
    }
    for weight in &mut local.morph_weights {
        *weight = if random.unit() < 0.3 { 0.0 } else { random.unit() * 3.0 - 1.0 };
    }
    let (mut pose, mut palettes) = (Vec::new(), Vec::new());
    local_to_model(&model.skeleton, &local, &mut pose);
    deform::palettes(model, &pose, &mut palettes);
    (local, palettes)
}

/// Picks along rays in many poses; returns how many there were, and how many hit.
fn look(index: &PickIndex, model: &Model, random: &mut Random) -> (usize, usize) {
    let (mut hits, mut rays) = (0, 0);
    let waiting = JobContext::of_waiting();
    let data = METHODS.iter().map(|method| method.data.and_then(|source| (source.make)(model, &waiting)));
    let methods: Vec<_> = METHODS.iter().copied().zip(data.collect::<Vec<_>>()).collect();
    // Every pose is tested with every method.
    for (step, (method, data)) in (0..12).flat_map(|step| methods.iter().map(move |method| (step, method))) {
        let (local, palettes) = posed_at_random(model, random, [0.0, 0.4, 2.5][step % 3]);
        // Sometimes one of them is hidden.
        let all = (0..model.instances.len()).map(InstanceId::from_index);
        let draws: Vec<InstanceId> = all.filter(|id| step % 4 != 3 || id.0 == 0).collect();
        let (palettes, morph_weights) = (&palettes[..], &local.morph_weights[..]);
        let method = Deformation { data: data.as_ref(), ..Deformation::from(*method) };
        let surface = Surface::of(&SurfaceInput { model, draws: &draws, palettes, morph_weights, method });
        let posed = PosedModel { model, palettes, morph_weights, method, surface: None };
        let known = PosedModel { surface: Some(Arc::new(surface.clone())), ..posed.clone() };
        for _ in 0..40 {
            // The ray goes from a distance to a vertex, and a little beside it.
            let part = &surface.parts[(random.unit() * surface.parts.len() as f32) as usize];
            let vertices = &part.deformed.positions;
            let target = vertices[(random.unit() * vertices.len() as f32) as usize] + random.vector() * 0.05;
            let origin = target + random.vector() * 5.0;
            let ray = Ray { origin, direction: (target - origin).normalize_or(Vec3::Y) };
            let slow = pick(model, &surface, ray);
            assert_eq!(index.pick(&posed, &draws, ray), slow, "{} {step} {ray:?}", method.id);
            assert_eq!(index.pick(&known, &draws, ray), slow, "{} {step} {ray:?}, surface at hand", method.id);
            hits += usize::from(slow.is_some());
            rays += 1;
        }
        look_near(index, (&posed, &known), &draws, random);
    }
    (hits, rays)
}

/// Compares what is near a point with a look at every vertex that a triangle uses.
fn look_near(index: &PickIndex, (posed, known): (&PosedModel, &PosedModel), draws: &[InstanceId], random: &mut Random) {
    let surface = known.surface.as_ref().unwrap();
    let shown = surface.model(posed.model);
    for radius in [0.02, 0.2, 1.0] {
        let part = &surface.parts[(random.unit() * surface.parts.len() as f32) as usize];
        let vertices = &part.deformed.positions;
        let vertex = (random.unit() * vertices.len() as f32) as usize;
        let centre = part.position(vertex, 0).unwrap_or_default() + random.vector() * 0.01;
        let mut wanted: BTreeMap<(u32, usize, usize, u32), f32> = BTreeMap::new();
        for part in &surface.parts {
            let mesh = shown.instances[part.instance.index()].mesh.index();
            let used: BTreeSet<u32> = shown.meshes[mesh].primitives[part.primitive].indices.iter().copied().collect();
            for (copy, vertex) in (0..part.copies.len().max(1)).flat_map(|copy| used.iter().map(move |v| (copy, *v))) {
                let distance = part.position(vertex as usize, copy).unwrap().distance(centre);
                let original = surface.original(part.instance, part.primitive, vertex as usize) as u32;
                if distance <= radius {
                    let at = wanted.entry((part.instance.0, part.primitive, copy, original)).or_insert(distance);
                    *at = at.min(distance);
                }
            }
        }
        for posed in [posed, known] {
            let near = index.near(posed, draws, centre, radius).unwrap();
            let found: BTreeMap<_, f32> =
                near.iter().map(|n| ((n.instance.0, n.primitive, n.copy, n.vertex), n.distance)).collect();
            assert_eq!(found.len(), near.len(), "{}: a vertex comes twice", posed.method.id);
            let is_edge = |d: &f32| (d - radius).abs() <= 1e-5;
            let differs = |of: &BTreeMap<_, f32>, other: &BTreeMap<_, f32>| {
                of.iter().filter(|(key, d)| !other.contains_key(*key) && !is_edge(d)).count()
            };
            let differ = [differs(&wanted, &found), differs(&found, &wanted)];
            assert_eq!(differ, [0; 2], "{} {radius}: {} wanted", posed.method.id, wanted.len());
            assert!(near.iter().all(|n| (n.position.distance(centre) - n.distance).abs() < 1e-6));
        }
    }
}

#[test]
fn clusters_find_what_a_search_of_every_triangle_finds() {
    let mut random = Random(1);
    let (mut hits, mut rays) = (0, 0);
    for model in models() {
        let (hit, all) = look(&PickIndex::of(&model), &model, &mut random);
        (hits, rays) = (hits + hit, rays + all);
    }
    assert!(hits * 3 > rays && hits < rays, "{hits} of {rays}: nothing is shown by rays that all hit or all miss");
}

/// Some vertices get joints that moved none of their neighbours, and sums that none had.
#[test]
fn clusters_made_of_stored_weights_find_vertices_with_edited_ones() {
    let mut random = Random(7);
    for model in models() {
        let index = PickIndex::of(&model);
        let stored = model.meshes[0].primitives[0].stored_vertices as u32;
        let joints = model.skins[0].joints.len() as f32;
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        for vertex in (0..stored).filter(|v| v % 7 == 0 || v / 32 % 3 == 0) {
            let pairs = [0; 2].map(|_| ((random.unit() * joints) as u16, 1.6 * random.unit() - 0.2));
            change.push(vertex, &pairs.map(|p| p.0), &pairs.map(|p| p.1));
        }
        let edited = model.with_weights(&[change]).unwrap();
        assert!(look(&index, &edited, &mut random).0 > 100);
        assert!(look(&index, &model, &mut random).0 > 100, "and the stored ones after that");
    }
}

#[test]
fn a_small_part_of_a_large_surface_is_found_by_a_look_at_little_of_it() {
    let model = tube(Tube { joints: 30, rings: 600, sides: 60, influences: 4, ..Tube::default() });
    let index = PickIndex::of(&model);
    let (mut pose, mut palettes) = (Vec::new(), Vec::new());
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
    deform::palettes(&model, &pose, &mut palettes);
    let method = Deformation::from(METHODS[0]);
    let posed = PosedModel { model: &model, palettes: &palettes, morph_weights: &[], method, surface: None };
    let draws = [InstanceId(0)];
    let middle = VertexDeformer::new(&model, (draws[0], 0), &packed(&palettes), &[], method).position(18_000);
    let mut looked = 0;
    let near = |bounds: Aabb| bounds.distance(middle) < 0.02;
    index.visit(&posed, &draws, &near, &mut |piece| looked += piece.vertices.len()).unwrap();
    let all = model.meshes[0].primitives[0].positions.len();
    assert!(looked > 0 && looked * 20 < all, "{looked} of {all}");
    // Painting is such an edit: a joint moves vertices that it did not move before. They lie far from the part that is asked for.
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (30_000..30_400).for_each(|vertex| change.push(vertex, &[20, 21], &[0.4, 0.6]));
    let painted = model.with_weights(&[change]).unwrap();
    let posed = PosedModel { model: &painted, ..posed };
    let mut far = 0;
    let is_painted = |vertex: &&u32| (30_000..30_400).contains(*vertex);
    let look = &mut |piece: &Piece| far += piece.vertices.iter().filter(is_painted).count();
    index.visit(&posed, &draws, &near, look).unwrap();
    assert_eq!(far, 0, "painted vertices are looked at wherever they are");
}

/// Strokes follow each other and are taken back: what is known after each is what it would be without the others.
#[test]
fn clusters_that_learn_edit_by_edit_know_what_the_last_edit_alone_would_teach() {
    let mut random = Random(11);
    let stored = tube(Tube { joints: 12, rings: 120, sides: 40, influences: 3, ..Tube::default() });
    let mut models = vec![stored.with_weights(&[]).unwrap()];
    for stroke in 0..4_u32 {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        for vertex in (stroke * 500 + 1000..stroke * 500 + 1700).step_by(1 + stroke as usize) {
            let pairs = [0; 2].map(|_| ((random.unit() * 12.0) as u16, random.unit()));
            change.push(vertex, &pairs.map(|p| p.0), &pairs.map(|p| p.1));
        }
        models.push(models[stroke as usize].with_weights(&[change]).unwrap());
    }
    let index = PickIndex::of(&stored);
    let (_, palettes) = posed_at_random(&stored, &mut random, 0.2);
    let draws = [InstanceId(0)];
    for (step, model) in [1, 2, 4, 3, 0, 4, 1].into_iter().map(|i: usize| (i, &models[i])) {
        for method in [METHODS[0], METHODS[1]].map(Deformation::from) {
            let posed = PosedModel { model, palettes: &palettes, morph_weights: &[], method, surface: None };
            for vertex in [900, 1500, 2500, 4000] {
                let mut packed = Vec::new();
                deform::pack(&method, &palettes, &mut packed);
                let at = VertexDeformer::new(model, (draws[0], 0), &packed, &[], method).position(vertex);
                let looked = |index: &PickIndex| {
                    let mut out: Vec<Vec<u32>> = Vec::new();
                    let near = |bounds: Aabb| bounds.distance(at) < 0.05;
                    index.visit(&posed, &draws, &near, &mut |piece| out.push(piece.vertices.clone())).unwrap();
                    out
                };
                let is_same = looked(&index) == looked(&PickIndex::of(&stored));
                assert!(is_same, "{} near vertex {vertex}, after edit {step}", method.id);
            }
            let surface =
                Surface::of(&SurfaceInput { model, draws: &draws, palettes: &palettes, morph_weights: &[], method });
            let known = PosedModel { surface: Some(Arc::new(surface)), ..posed.clone() };
            look_near(&index, (&posed, &known), &draws, &mut random);
        }
    }
}

fn packed(palettes: &[Affine3A]) -> Vec<glam::Vec4> {
    let mut out = Vec::new();
    deform::pack(METHODS[0], palettes, &mut out);
    out
}

#[test]
fn the_reach_of_a_crowd_holds_every_vertex_of_it() {
    let mut random = Random(5);
    let mut bounded: Vec<usize> = METHODS.iter().map(|_| 0).collect();
    for round in 0..600 {
        let matrices: Vec<Affine3A> = (0..3).map(|_| matrix(&mut random, [0.3, 1.2, 3.1][round % 3])).collect();
        let mut boxes = [Aabb::EMPTY; 3];
        let mut sums = [f32::INFINITY, 0.0_f32];
        let crowd: Vec<([f32; 3], Vec3)> = (0..20)
            .map(|_| {
                let weights = [0; 3].map(|_| if random.unit() < 0.3 { 0.0 } else { random.unit() });
                let at = random.vector() * 0.2 + Vec3::new(1.0, 2.0, 3.0);
                for (around, _) in boxes.iter_mut().zip(weights).filter(|(_, w)| *w != 0.0) {
                    around.include(at);
                }
                let sum: f32 = weights.iter().sum();
                sums = [sums[0].min(sum), sums[1].max(sum)];
                (weights, at)
            })
            .collect();
        let joints: Vec<(u16, Aabb)> = (0..).zip(boxes).filter(|(_, b)| !b.is_empty()).collect();
        for (method, bounded) in METHODS.iter().zip(&mut bounded) {
            let mut packed = Vec::new();
            deform::pack(method, &matrices, &mut packed);
            let Some(reach) = (method.bounds)(&packed, &InfluenceBounds { joints: &joints, sums }) else { continue };
            *bounded += 1;
            for (weights, position) in &crowd {
                let vertex = Vertex { position: *position, ..Vertex::default() };
                let at = method.deform(&packed, &[0, 1, 2], weights, vertex).vertex.position;
                let inside = at.cmpge(reach.min).all() && at.cmple(reach.max).all();
                assert!(inside, "{}: {at} outside of {reach:?}", method.id);
            }
            // A useful box is not many times as large as its contents.
            assert!(reach.diagonal() < 40.0, "{}: {reach:?}", method.id);
        }
    }
    assert_eq!(bounded[0], 600, "the default method can always tell");
    // A method with data of each vertex asks the surface.
    let needed = METHODS.iter().zip(&bounded).filter(|(method, _)| method.data.is_none());
    assert!(needed.map(|(_, bounded)| *bounded).all(|bounded| bounded > 350), "the others mostly: {bounded:?}");
}
