//! The CPU reference of every method: position, normal and tangent of a vertex, by its number of influences.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, Deformed};
use skinscope::model::shapes::{Tube, tube};
use skinscope::model::{InstanceId, LocalPose};

fn deform_vertices(c: &mut Criterion) {
    for method in deform::METHODS {
        let mut group = c.benchmark_group(format!("deform ({})", method.id));
        for influences in [1, 4, 8] {
            let model = tube(Tube { joints: 24, rings: 200, sides: 50, influences, ..Tube::default() });
            let mut pose = LocalPose::default();
            let (mut matrices, mut palettes, mut packed) = (Vec::new(), Vec::new(), Vec::new());
            anim::reset_to_rest(&model.skeleton, &mut pose);
            anim::sample(&model, &model.clips[0], 0.4, &mut SampleScratch::default(), &mut pose);
            anim::local_to_model(&model.skeleton, &pose, &mut matrices);
            deform::palettes(&model, &matrices, &mut palettes);
            deform::pack(method, &palettes, &mut packed);
            let mut out = Deformed::default();
            group.throughput(Throughput::Elements(model.drawn_vertices() as u64));
            group.bench_function(format!("{influences} influences"), |b| {
                b.iter(|| {
                    deform::deform_primitive(&model, InstanceId(0), 0, &packed, &[], method, &mut out);
                    black_box(&out);
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, deform_vertices);
criterion_main!(benches);
