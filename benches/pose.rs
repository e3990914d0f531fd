//! From a clip and a time to packed palettes: what a frame costs on the CPU, per joint.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::model::LocalPose;
use skinscope::model::shapes::{Tube, tube};

fn pose(c: &mut Criterion) {
    for method in deform::METHODS {
        let mut group = c.benchmark_group(format!("sample, kinematics, palette, pack ({})", method.id));
        for joints in [19, 70, 250] {
            let model = tube(Tube { joints, ..Tube::default() });
            let (mut pose, mut scratch) = (LocalPose::default(), SampleScratch::default());
            let (mut matrices, mut palettes, mut packed) = (Vec::new(), Vec::new(), Vec::new());
            let mut time_secs = 0.0_f32;
            group.throughput(Throughput::Elements(joints as u64));
            group.bench_function(format!("{joints} joints"), |b| {
                b.iter(|| {
                    time_secs = (time_secs + 1.0 / 60.0) % 1.0;
                    anim::reset_to_rest(&model.skeleton, &mut pose);
                    anim::sample(&model, &model.clips[0], time_secs, &mut scratch, &mut pose);
                    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
                    deform::palettes(&model, &matrices, &mut palettes);
                    deform::pack(method, &palettes, &mut packed);
                    black_box(&packed);
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, pose);
criterion_main!(benches);
