//! Compressed payloads (meshopt, Draco, images of every kind) in a document that fits them; see `tests/mutants/payload.rs`.
#![no_main]

mod check;
#[path = "../../tests/memory/mutants/document.rs"]
mod document;
#[path = "../../tests/memory/mutants/payload.rs"]
mod payload;
#[path = "../../tests/memory/mutants/survive.rs"]
mod survive;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(&payload::wrap(data).glb()));
