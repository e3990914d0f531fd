//! Decodes compressed data that was tampered with: whatever the streams say, memory stays bounded and nothing panics
//! past its guard. The allocator itself counts.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use skinscope::import::{Import, ImportError, Options, Progress, import_bytes};

use crate::counting::{self, alone};

/// Numbers that look random and are the same in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }
}

/// A figure as bytes, and where in them its compressed streams lie.
struct Seed {
    glb: Vec<u8>,
    streams: Vec<std::ops::Range<usize>>,
}

impl Seed {
    fn new(name: &str) -> Self {
        let path = format!("{}/tests/fixtures/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        let glb = std::fs::read(path).unwrap();
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let root: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        let bin = 20 + length + 8;
        let number = |v: &Value| v.as_u64().unwrap_or(0) as usize;
        let range = |v: &Value| {
            let start = bin + number(&v["byteOffset"]);
            start..start + number(&v["byteLength"])
        };
        let mut streams = Vec::new();
        for view in root["bufferViews"].as_array().unwrap() {
            streams.extend(view["extensions"].as_object().into_iter().flat_map(|e| e.values().map(range)));
        }
        let draco = &root["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["bufferView"];
        if let Some(view) = draco.as_u64() {
            streams.push(range(&root["bufferViews"][view as usize]));
        }
        assert!(!streams.is_empty(), "{name}");
        Self { glb, streams }
    }

    /// One stream changed: bits, a run of one byte, numbers near its start where sizes stand, headers, parts swapped.
    fn mutant(&self, random: &mut Random) -> Vec<u8> {
        let mut glb = self.glb.clone();
        let stream = self.streams[random.below(self.streams.len())].clone();
        let bytes = &mut glb[stream];
        let length = bytes.len();
        match random.below(6) {
            0 => {
                for _ in 0..=random.below(4) {
                    bytes[random.below(length)] ^= 1 << random.below(8);
                }
            }
            1 => {
                let at = random.below(length);
                let value = [0x00, 0x7F, 0x80, 0xFF][random.below(4)];
                bytes[at..(at + 1 + random.below(12)).min(length)].fill(value);
            }
            2 => {
                for _ in 0..=random.below(3) {
                    bytes[random.below(length.min(48))] = random.below(256) as u8;
                }
            }
            3 => {
                let (from, to) = (random.below(length), random.below(length));
                let run = random.below(64).min(length - from.max(to));
                bytes.copy_within(from..from + run, to);
            }
            4 if bytes.starts_with(b"DRACO") => {
                // Older versions, other methods and traversals, larger counts.
                bytes[5..7].copy_from_slice(&[1 + random.below(2) as u8, random.below(6) as u8]);
                bytes[8] = random.below(2) as u8;
                bytes[11] = random.below(3) as u8;
                let at = 11 + random.below(8);
                for _ in 0..random.below(5) {
                    bytes[at + random.below(5)] = 0x80 | random.below(128) as u8;
                }
            }
            _ => {
                let at = random.below(length);
                bytes[at..].rotate_left(random.below(length - at));
            }
        }
        glb
    }
}

/// What many imports came to.
#[derive(Debug, Default)]
struct Tally {
    opened: usize,
    refused: usize,
    /// Of those refused: stopped by the guard around the decoder, not by a check.
    guarded: usize,
    /// Most bytes in use at once.
    peak: usize,
    slowest: Duration,
}

/// How many variants of each file are tried in the daily tier, and in the full one.
const DAILY: usize = 100;
const FULL: usize = 400;

fn tamper(names: &[&str], turns: usize) -> Tally {
    let mut tally = Tally::default();
    let mut random = Random(0x5EED);
    for name in names {
        let seed = Seed::new(name);
        for turn in 0..turns {
            let glb = seed.mutant(&mut random);
            let start = Instant::now();
            let (used, result) = peak_of(&glb);
            tally.slowest = tally.slowest.max(start.elapsed());
            tally.peak = tally.peak.max(used);
            match result {
                Ok(_) => tally.opened += 1,
                Err(error) => {
                    let text = error.to_string();
                    assert!(!text.contains('\n'), "{name}, mutant {turn}: {text:?}");
                    tally.guarded += usize::from(text.contains("cannot follow"));
                    tally.refused += 1;
                }
            }
        }
    }
    eprintln!("{names:?}: {tally:?}");
    tally
}

/// A GLB of one triangle mesh whose stream is `bytes`.
fn draco_glb(bytes: &[u8], stated: usize) -> Vec<u8> {
    let text = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": stated }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0 },
            "extensions": { "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": { "POSITION": 0 } } },
        }] }],
        "nodes": [{ "mesh": 0 }],
        "extensionsRequired": ["KHR_draco_mesh_compression"],
    });
    let pad = |mut bytes: Vec<u8>, with: u8| {
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (text, bin) = (pad(text.to_string().into_bytes(), b' '), pad(bytes.to_vec(), 0));
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let total = (12 + 8 + text.len() + 8 + bin.len()) as u32;
    [
        words(&[0x4654_6C67, 2, total, text.len() as u32, 0x4E4F_534A]),
        text,
        words(&[bin.len() as u32, 0x004E_4942]),
        bin,
    ]
    .concat()
}

/// Most bytes in use at once while `glb` is opened, and what came of it.
fn peak_of(glb: &[u8]) -> (usize, Result<Import, ImportError>) {
    counting::restart();
    let before = counting::peak();
    let result = import_bytes(glb, "test", &Options::default(), &Progress::silent());
    (counting::peak() - before, result)
}

/// 72 bytes of `draco3dgltf` 1.5.7, sequential coding: one triangle and the same value for as many vertices as a number
/// says.
const CONSTANT: &str =
    "RFJBQ08CAgEAAAAB4NjPAgEAAAAAAQAAAAIAAAABAQAJAwAAAgABAQEBAQFAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgD8I";

fn constant(vertices: u32) -> Vec<u8> {
    let mut bytes = BASE64_STANDARD.decode(CONSTANT).unwrap();
    // A number of 7 bits a byte, low first, after the header and the number of triangles.
    assert_eq!(bytes[12..16], [0xE0, 0xD8, 0xCF, 0x02]);
    for (i, byte) in bytes[12..16].iter_mut().enumerate() {
        *byte = (vertices >> (7 * i)) as u8 & 0x7F | if i < 3 { 0x80 } else { 0 };
    }
    bytes
}

fn draco_stays_in_bounds(turns: usize) {
    let _alone = alone();
    let all = ["figure_draco_edgebreaker", "figure_draco_valence", "figure_draco_sequential", "figure_draco_morph"];
    let tally = tamper(&all, turns);
    assert!(tally.opened > 0 && tally.refused > 0);
    assert!(tally.peak < 64 << 20, "{} bytes", tally.peak);
}

fn meshopt_stays_in_bounds(turns: usize) {
    let _alone = alone();
    let all = ["figure_meshopt", "figure_meshopt_filtered", "figure_gltfpack_ext", "figure_gltfpack_khr"];
    let tally = tamper(&all, turns);
    assert!(tally.opened > 0 && tally.refused > 0);
    assert!(tally.peak < 8 << 20, "{} bytes", tally.peak);
}

#[test]
fn tampered_draco_streams_stay_in_bounds() {
    draco_stays_in_bounds(DAILY);
}

#[test]
#[ignore = "full: decodes 1 600 streams"]
fn many_tampered_draco_streams_stay_in_bounds() {
    draco_stays_in_bounds(FULL);
}

#[test]
fn tampered_meshopt_streams_stay_in_bounds() {
    meshopt_stays_in_bounds(DAILY);
}

#[test]
#[ignore = "full: decodes 1 600 streams"]
fn many_tampered_meshopt_streams_stay_in_bounds() {
    meshopt_stays_in_bounds(FULL);
}

#[test]
fn a_short_draco_stream_cannot_become_a_huge_mesh() {
    let _alone = alone();
    // The most that any stream may become, 64 MiB of values, costs less than four times as much on the way.
    let (peak, result) = peak_of(&draco_glb(&constant(5_500_000), 5_500_000));
    assert_eq!(result.unwrap().model.meshes[0].primitives[0].positions.len(), 5_500_000);
    assert!(peak < 256 << 20, "{peak} bytes");
    for vertices in [6_000_000, 200_000_000] {
        let (peak, result) = peak_of(&draco_glb(&constant(vertices), vertices as usize));
        let error = result.err().unwrap().to_string();
        assert!(error.contains("at most 67108864 bytes") && error.contains("buffer view 0"), "{error}");
        assert!(peak < 1 << 20, "{vertices} vertices: {peak} bytes");
    }
}
