//! The CPU reference of every method: position, normal and tangent of a vertex, by its number of influences; the data that methods
//! work out once; and passes over a whole surface.

#[path = "posed.rs"]
mod posed;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::deform::{self, Deformation, Deformed, ParameterSettings, Surface, SurfaceInput};
use skinscope::model::InstanceId;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::parallel::JobContext;

use self::posed::posed;

fn deform_vertices(c: &mut Criterion) {
    for method in deform::METHODS {
        let mut group = c.benchmark_group(format!("deform ({})", method.id));
        for influences in [1, 4, 8] {
            let model = tube(Tube { joints: 24, rings: 200, sides: 50, influences, ..Tube::default() });
            let mut packed = Vec::new();
            deform::pack(method, &posed(&model), &mut packed);
            let data = method.data.and_then(|source| (source.make)(&model, &JobContext::of_waiting()));
            let deformation = Deformation { data: data.as_ref(), ..Deformation::from(*method) };
            let mut out = Deformed::default();
            group.throughput(Throughput::Elements(model.drawn_vertices() as u64));
            group.bench_function(format!("{influences} influences"), |b| {
                b.iter(|| {
                    deform::deform_primitive(&model, InstanceId(0), 0, &packed, &[], deformation, &mut out);
                    black_box(&out);
                });
            });
        }
        group.finish();
    }
}

/// A whole surface of 100 000 vertices on all cores: each method alone, linear blending with each mode of normals, and
/// with each pass after it.
fn deform_surface(c: &mut Criterion) {
    let model = tube(Tube { joints: 24, rings: 1000, sides: 99, influences: 4, ..Tube::default() });
    let palettes = posed(&model);
    let mut group = c.benchmark_group(format!("surface of {} vertices", model.drawn_vertices()));
    group.sample_size(30);
    let draws = [InstanceId(0)];
    let mut run = |name: &str, method: Deformation<'_>| {
        let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
        group.bench_function(name, |b| b.iter(|| black_box(Surface::of(&input))));
    };
    for method in deform::METHODS {
        let data = method.data.and_then(|source| (source.make)(&model, &JobContext::of_waiting()));
        run(method.id, Deformation { data: data.as_ref(), ..Deformation::from(*method) });
    }
    for mode in deform::NORMAL_MODES {
        run(&format!("linear, normals {}", mode.id), Deformation { normals: mode, ..deform::METHODS[0].into() });
    }
    for pass in deform::PASSES {
        let data = pass.data.and_then(|source| (source.make)(&model, &JobContext::of_waiting()));
        let mut method = Deformation::from(deform::METHODS[0]).then(pass, &ParameterSettings::default());
        method.pass.iter_mut().for_each(|applied| applied.data = data.as_ref());
        run(&format!("linear + {}", pass.id), method);
    }
    group.finish();
}

/// What methods work out once for a model.
fn make_data(c: &mut Criterion) {
    for [rings, sides] in [[150, 99], [1000, 99]] {
        let model = tube(Tube { joints: 24, rings, sides, influences: 4, ..Tube::default() });
        let mut group = c.benchmark_group(format!("data of {} vertices", model.drawn_vertices()));
        group.sample_size(10);
        for source in deform::METHODS.iter().filter_map(|method| method.data) {
            group.bench_function(source.label, |b| {
                b.iter(|| black_box((source.make)(&model, &JobContext::of_waiting())))
            });
        }
        group.finish();
    }
}

criterion_group!(benches, deform_vertices, deform_surface, make_data);
criterion_main!(benches);
