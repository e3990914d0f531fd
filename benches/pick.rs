//! What lies under the pointer while a clip plays, on a model of a million vertices: every ray meets another pose.

#![expect(clippy::expect_used, reason = "a benchmark without its model is none")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use glam::{Affine3A, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, VertexDeformer};
use skinscope::inspect::{PickIndex, PosedModel};
use skinscope::math::{Ray, WeldRule};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{InstanceId, LocalPose, MeshId, Model, WeightChange};

fn pick(c: &mut Criterion) {
    let model = tube(Tube { joints: 60, rings: 2000, sides: 500, influences: 4, ..Tube::default() });
    let mut group = c.benchmark_group(format!("pick in {} vertices", model.drawn_vertices()));
    group.sample_size(20);
    group.bench_function("clusters, once for a model", |b| b.iter(|| black_box(PickIndex::of(&model))));
    let index = PickIndex::of(&model);
    // A clip would bend sixty joints into a knot; an eighth of its turns makes an arc.
    let pose_at = |time_secs: f32| {
        let (mut pose, mut matrices, mut palettes) = (LocalPose::default(), Vec::new(), Vec::new());
        anim::reset_to_rest(&model.skeleton, &mut pose);
        anim::sample(&model, &model.clips[0], time_secs, &mut SampleScratch::default(), &mut pose);
        for transform in &mut pose.transforms {
            transform.rotation = glam::Quat::IDENTITY.slerp(transform.rotation, 0.125);
        }
        anim::local_to_model(&model.skeleton, &pose, &mut matrices);
        deform::palettes(&model, &matrices, &mut palettes);
        palettes
    };
    let poses: Vec<_> = (0..32).map(|i| pose_at(i as f32 / 32.0)).collect();
    for method in deform::METHODS {
        let mut step = 0_usize;
        group.bench_function(format!("one ray ({})", method.id), |b| {
            b.iter(|| {
                step += 1;
                let posed = PosedModel {
                    model: &model,
                    palettes: &poses[step % poses.len()],
                    morph_weights: &[],
                    method: method.into(),
                    surface: None,
                };
                let height = (step % 17) as f32 * 0.1;
                let origin = Vec3::new((step % 7) as f32 * 0.05 - 0.15, height, 4.0);
                black_box(index.pick(&posed, &[InstanceId(0)], Ray { origin, direction: Vec3::NEG_Z }))
            });
        });
    }
    group.finish();
}

/// What lies near a point of the posed surface, as a brush asks it in each picture, on a model of 300 000 vertices; a radius that holds about 2 000.
fn near(c: &mut Criterion) {
    let model = tube(Tube { joints: 60, rings: 600, sides: 500, influences: 4, ..Tube::default() });
    let mut group = c.benchmark_group(format!("near in {} vertices", model.drawn_vertices()));
    let index = PickIndex::of(&model);
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    let mut pose = LocalPose::clone(&model.skeleton.rest);
    for transform in &mut pose.transforms {
        transform.rotation *= glam::Quat::from_rotation_z(0.01);
    }
    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
    deform::palettes(&model, &matrices, &mut palettes);
    let primitive = &model.meshes[0].primitives[0];
    let mesh = deform::MeshTopology::of_primitive(primitive, WeldRule::Near, &|| false).expect("it is never stopped");
    for id in ["linear", "dual-quaternion", "mixed", "dominant"] {
        let method = deform::method(id).expect("it is there");
        let input = deform::SurfaceInput {
            model: &model,
            draws: &[InstanceId(0)],
            palettes: &palettes,
            morph_weights: &[],
            method: method.into(),
        };
        let surface = deform::Surface::of(&input);
        let positions = &surface.parts[0].deformed.positions;
        let posed =
            PosedModel { model: &model, palettes: &palettes, morph_weights: &[], method: method.into(), surface: None };
        let centre = positions[150_000];
        let mut distances: Vec<f32> = positions.iter().map(|at| at.distance(centre)).collect();
        distances.sort_by(f32::total_cmp);
        let radius = distances[2_000];
        group.bench_function(format!("2000 vertices ({})", method.id), |b| {
            b.iter(|| black_box(index.near(&posed, &[InstanceId(0)], centre, radius)));
        });
        let mut along = deform::SurfaceDistances::default();
        let at = |point: u32| positions[mesh.weld.first[point as usize] as usize];
        group.bench_function(format!("2000 vertices along the surface ({})", method.id), |b| {
            b.iter(|| black_box(along.within(&mesh, at, &[(mesh.point(150_000), 0.0)], radius).len()));
        });
    }
    painted(&mut group, &model, &index, &palettes);
    let whole =
        deform::Deformation::from(deform::METHODS[0]).then(deform::PASSES[0], &deform::ParameterSettings::default());
    let input = deform::SurfaceInput {
        model: &model,
        draws: &[InstanceId(0)],
        palettes: &palettes,
        morph_weights: &[],
        method: whole,
    };
    let surface = Arc::new(deform::Surface::of(&input));
    let posed = PosedModel {
        model: &model,
        palettes: &palettes,
        morph_weights: &[],
        method: whole,
        surface: Some(Arc::clone(&surface)),
    };
    let centre = surface.parts[0].deformed.positions[150_000];
    group.bench_function("2000 vertices (delta mush, its surface at hand)", |b| {
        b.iter(|| black_box(index.near(&posed, &[InstanceId(0)], centre, 0.02)));
    });
    group.finish();
}

/// A radius that holds about 2000 vertices, metres.
const RADIUS: f32 = 0.08;

/// The same while a brush paints: before each question other weights around the point are edited.
fn painted(group: &mut BenchmarkGroup<'_, WallTime>, model: &Model, index: &PickIndex, palettes: &[Affine3A]) {
    let mut packed = Vec::new();
    deform::pack(deform::METHODS[0], palettes, &mut packed);
    let middle = VertexDeformer::new(model, (InstanceId(0), 0), &packed, &[], deform::METHODS[0]).position(150_000);
    let method = deform::METHODS[0].into();
    let posed = PosedModel { model, palettes, morph_weights: &[], method, surface: None };
    let near = index.near(&posed, &[InstanceId(0)], middle, RADIUS).unwrap_or_default();
    let mut vertices: Vec<u32> = near.iter().map(|near| near.vertex).collect();
    vertices.sort_unstable();
    // Each dab gives another share to a joint that moved none of them.
    let dab = |step: u16| {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        let share = f32::from(step) / 64.0;
        vertices.iter().for_each(|v| change.push(*v, &[24 + step % 3, 30, 31], &[share, 0.5 - share, 0.5]));
        model.with_weights(&[change]).expect("it fits")
    };
    let painted: Vec<Model> = (1..32).map(dab).collect();
    let mut step = 0_usize;
    group.bench_function("2000 vertices, after a dab of 2000 other weights (linear)", |b| {
        b.iter(|| {
            step += 1;
            let posed = PosedModel { model: &painted[step % painted.len()], ..posed.clone() };
            black_box(index.near(&posed, &[InstanceId(0)], middle, RADIUS))
        });
    });
}

criterion_group!(benches, pick, near);
criterion_main!(benches);
