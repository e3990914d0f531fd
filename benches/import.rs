//! Import from memory: parsing, checking, decoding, building. Of the built-in character, and of a skinned surface of
//! 100 000 vertices with a clip of 60 joints.
//!
//! `benches/load.sh` measures whole processes and a file of a million vertices.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Mat4, Quat, Vec2, Vec3};
use serde_json::{Value, json};
use skinscope::export::glb::{Elements, GlbError, GlbWriter};
use skinscope::import::{Options, Progress, import_bytes};

static CHARACTER: &[u8] = include_bytes!("../assets/character.glb");

const SIDE: usize = 317;
const JOINTS: usize = 60;
const KEYS: usize = 600;

/// A sheet of `SIDE` × `SIDE` vertices on a chain of joints, each vertex moved by two of them.
fn sheet() -> Result<Vec<u8>, GlbError> {
    let mut writer = GlbWriter::new();
    let places = || (0..SIDE * SIDE).map(|i| Vec2::new((i % SIDE) as f32, (i / SIDE) as f32) / (SIDE - 1) as f32);
    let positions: Vec<Vec3> = places().map(|p| p.extend(0.0)).collect();
    let bone = |p: Vec2| (p.y * (JOINTS - 2) as f32) as u16;
    let joints: Vec<[u16; 4]> = places().map(|p| [bone(p), bone(p) + 1, 0, 0]).collect();
    let cell = |i: usize| {
        let [a, b] = [i, i + SIDE].map(|v| v as u32);
        [a, a + 1, b, b, a + 1, b + 1]
    };
    let cells = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE != SIDE - 1);
    let indices: Vec<u32> = cells.flat_map(cell).collect();
    let attributes = json!({
        "POSITION": writer.push(Elements::Attribute3(&positions)),
        "NORMAL": writer.push(Elements::Attribute3(&vec![Vec3::Z; positions.len()])),
        "TEXCOORD_0": writer.push(Elements::Attribute2(&places().collect::<Vec<_>>())),
        "JOINTS_0": writer.push(Elements::Joints(&joints)),
        "WEIGHTS_0": writer.push(Elements::Weights(&vec![[32_768, 32_767, 0, 0]; positions.len()])),
    });
    let primitive = json!({ "attributes": attributes, "indices": writer.push(Elements::Indices(&indices)) });
    let inverse_bind = writer.push(Elements::Matrices(&[Mat4::IDENTITY; JOINTS]));
    let times: Vec<f32> = (0..KEYS).map(|k| k as f32 / 30.0).collect();
    let input = writer.push(Elements::Scalars(&times));
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for joint in 0..JOINTS {
        let turns: Vec<Quat> = times.iter().map(|t| Quat::from_rotation_x((t + joint as f32).sin() * 0.1)).collect();
        samplers.push(json!({ "input": input, "output": writer.push(Elements::Quats(&turns)) }));
        channels.push(json!({ "sampler": joint, "target": { "node": joint + 1, "path": "rotation" } }));
    }
    let joint = |j: usize| if j == JOINTS { json!({}) } else { json!({ "children": [j + 1] }) };
    let nodes: Vec<Value> = std::iter::once(json!({ "mesh": 0, "skin": 0 })).chain((1..=JOINTS).map(joint)).collect();
    let document = json!({
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": nodes,
        "meshes": [{ "primitives": [primitive] }],
        "skins": [{ "joints": (1..=JOINTS).collect::<Vec<_>>(), "inverseBindMatrices": inverse_bind }],
        "animations": [{ "samplers": samplers, "channels": channels }],
    });
    writer.finish(document.as_object().cloned().unwrap_or_default())
}

fn import(c: &mut Criterion) {
    let sheet = sheet().unwrap_or_default();
    let mut group = c.benchmark_group("import");
    for (name, glb) in [("built-in character", CHARACTER), ("100 000 vertices", &sheet)] {
        group.throughput(Throughput::Bytes(glb.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                let import = import_bytes(black_box(glb), name, &Options::default(), &Progress::silent());
                assert!(import.is_ok_and(|i| i.warnings.is_empty()), "{name} does not open cleanly");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, import);
criterion_main!(benches);
