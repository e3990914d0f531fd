//! From a clip and a time to packed palettes: what a frame costs on the CPU, per joint.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{LocalPose, NodeId};
use skinscope::pose::{self, Reach};

fn sampling(c: &mut Criterion) {
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

/// A limb of 20 joints that reaches for a place that moves, its model's own work included; and one of two bones.
fn reach(c: &mut Criterion) {
    let mut group = c.benchmark_group("reach");
    for joints in [2, 20] {
        let model = tube(Tube { joints: joints + 1, ..Tube::default() });
        let last = NodeId::from_index(joints + 1);
        let mut angle = 0.0_f64;
        group.bench_function(format!("{joints} joints"), |b| {
            b.iter(|| {
                angle += 0.1;
                let mut pose = model.skeleton.rest.clone();
                let target = glam::DVec3::new(angle.sin(), angle.cos(), 0.3) * 1.1;
                let goal = Reach { joint: last, target, root: Some(NodeId(1)), ..Reach::default() };
                black_box(pose::reach(&model, &mut pose, &goal).ok())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, sampling, reach);
criterion_main!(benches);
