//! Measuring a surface of 300 000 vertices in one pose, on all cores: the measures alone, with normal error, and with the numbers of
//! vertices that an overlay shows. The surface is deformed beforehand, as it is for the picture.

#[path = "posed.rs"]
mod posed;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use skinscope::deform::{METHODS, Surface, SurfaceInput};
use skinscope::inspect::measure::{Measurer, VertexMeasure, Wanted};
use skinscope::model::InstanceId;
use skinscope::model::test_shapes::{Tube, tube};

use self::posed::posed;

fn measure(c: &mut Criterion) {
    let model = Arc::new(tube(Tube { joints: 24, rings: 3000, sides: 100, influences: 4, ..Tube::default() }));
    let palettes = posed(&model);
    let draws = [InstanceId(0)];
    let method = METHODS[0].into();
    let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
    let surface = Surface::of(&input);
    let Some(mut measurer) = Measurer::new(&model, &|| false) else { return };
    let mut group = c.benchmark_group(format!("measures of {} vertices", model.drawn_vertices()));
    group.sample_size(20);
    let of =
        |normal_error: bool, vertices: Option<VertexMeasure>| Wanted { normal_error, vertices, ..Wanted::default() };
    for (name, wanted) in [
        ("alone", of(false, None)),
        ("with normal error", of(true, None)),
        ("and stretch of vertices", of(true, Some(VertexMeasure::Stretch))),
        ("and fold of vertices", of(true, Some(VertexMeasure::Fold))),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(measurer.measure(&input, &surface, wanted))));
    }
    group.finish();
}

criterion_group!(benches, measure);
criterion_main!(benches);
