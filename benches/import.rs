//! Import of the built-in character from memory: parsing, checking, decoding, building.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::import::{Options, Progress, import_bytes};

static CHARACTER: &[u8] = include_bytes!("../assets/character.glb");

fn import(c: &mut Criterion) {
    let mut group = c.benchmark_group("import");
    group.throughput(Throughput::Bytes(CHARACTER.len() as u64));
    group.bench_function("built-in character", |b| {
        b.iter(|| {
            black_box(import_bytes(CHARACTER, "character.glb", &Options::default(), &Progress::silent()).is_ok())
        });
    });
    group.finish();
}

criterion_group!(benches, import);
criterion_main!(benches);
