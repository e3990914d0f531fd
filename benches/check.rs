//! The checker: of a character with 60 joints and 50 000 vertices, in this process and as a whole (`skinscope check`); and of
//! tubes from ten thousand to a million vertices, whose time for each vertex tells whether anything grows faster than them.

#![expect(clippy::unwrap_used, reason = "a benchmark without its model is none")]

#[path = "../tests/program/defects/biped.rs"]
mod biped;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../tests/memory/mutants/document.rs"]
mod document;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../tests/program/defects/file.rs"]
mod file;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../tests/program/defects/weights.rs"]
mod weights;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use biped::{Biped, biped};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::inspect::check::{CheckOptions, check};
use skinscope::model::Model;
use skinscope::model::test_shapes::{Tube, tube};

fn checked(model: &Model) -> usize {
    check(model, &CheckOptions::default(), &AtomicBool::new(false)).map_or(0, |r| r.findings.len())
}

fn character(c: &mut Criterion) {
    let glb = biped(&Biped { step: 0.0083, fingers: true, ..Biped::default() }).glb();
    let import = import_bytes(&glb, "biped", &Options::default(), &Progress::silent()).unwrap();
    let vertices = import.model.drawn_vertices();
    let joints = import.model.skins[0].joints.len();
    println!("a biped of {joints} joints and {vertices} vertices: {} findings", checked(&import.model));
    let mut group = c.benchmark_group("check");
    group.throughput(Throughput::Elements(vertices as u64)).sample_size(20);
    group.bench_function(format!("{joints} joints, {vertices} vertices"), |b| {
        b.iter(|| black_box(checked(black_box(&import.model))));
    });
    // The bench lies in `release/deps`; the program beside it is there after `cargo build --release`.
    let bench = std::env::current_exe().unwrap();
    let program = bench.parent().and_then(Path::parent).unwrap().join("skinscope");
    if program.is_file() {
        let path = std::env::temp_dir().join("skinscope_bench_biped.glb");
        std::fs::write(&path, &glb).unwrap();
        group.bench_function("the same, skinscope check --json as a process", |b| {
            b.iter(|| Command::new(&program).arg("check").arg(&path).arg("--json").output().unwrap());
        });
    }
    group.finish();
}

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("check of tubes");
    for rings in [100, 1_000, 10_000] {
        let model = tube(Tube { joints: 60, rings, sides: 100, length: 20.0, influences: 4, ..Tube::default() });
        group.throughput(Throughput::Elements(rings as u64 * 100)).sample_size(10);
        group.bench_function(format!("{} vertices", rings * 100), |b| b.iter(|| black_box(checked(black_box(&model)))));
    }
    group.finish();
}

criterion_group!(benches, character, growth);
criterion_main!(benches);
