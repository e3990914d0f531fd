//! A cage of 20 000 vertices that is subdivided once, twice and three times: what a pose costs on one thread and on all cores, skinned first as
//! the window shows it and subdivided first, and what is worked out once for a model.

#[path = "posed.rs"]
mod posed;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::deform::{self, Deformation, MOST_LEVELS, Subdivision, Surface, SurfaceInput};
use skinscope::model::InstanceId;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::parallel::JobContext;

use self::posed::posed;

fn subdivide(c: &mut Criterion) {
    let model = tube(Tube { joints: 24, rings: 400, sides: 50, influences: 4, ..Tube::default() });
    let palettes = posed(&model);
    let draws = [InstanceId(0)];
    let method = Deformation::from(deform::METHODS[0]);
    let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
    let cage = Surface::of(&input);
    let Ok(alone) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    for levels in 1..=MOST_LEVELS {
        let Some(subdivision) = Subdivision::of(&model, levels, &JobContext::of_waiting()) else { continue };
        let mut group = c.benchmark_group(format!("{} vertices, {levels} levels", model.drawn_vertices()));
        group.sample_size(20);
        group.throughput(Throughput::Elements(subdivision.model().drawn_vertices() as u64));
        group.bench_function("skinned first, one thread", |b| {
            b.iter(|| alone.install(|| black_box(subdivision.after(&cage))));
        });
        group.bench_function("skinned first, all cores", |b| b.iter(|| black_box(subdivision.after(&cage))));
        group.bench_function("subdivided first, all cores", |b| b.iter(|| black_box(subdivision.before(&input))));
        group.sample_size(10);
        group.bench_function("once for a model", |b| {
            b.iter(|| black_box(Subdivision::of(&model, levels, &JobContext::of_waiting())));
        });
        group.finish();
    }
}

criterion_group!(benches, subdivide);
criterion_main!(benches);
