//! What lies under the pointer while a clip plays, on a model of a million vertices: every ray meets another pose.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::inspect::{PickIndex, PosedModel};
use skinscope::math::Ray;
use skinscope::model::shapes::{Tube, tube};
use skinscope::model::{InstanceId, LocalPose};

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

criterion_group!(benches, pick);
criterion_main!(benches);
