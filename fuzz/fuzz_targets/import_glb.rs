//! Any bytes as a file; half of the mutations know what a GLB is made of.
#![no_main]

mod check;
#[path = "../../tests/memory/mutants/document.rs"]
mod document;
#[path = "../../tests/memory/mutants/mutate.rs"]
mod mutate;
#[path = "../../tests/memory/mutants/payload.rs"]
mod payload;
#[path = "../../tests/memory/mutants/random.rs"]
mod random;
#[path = "../../tests/memory/mutants/survive.rs"]
mod survive;

use document::Document;
use mutate::{Seed, mutate};
use random::Random;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Random::new(u64::from(seed));
    if random.once_in(2) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let bytes = data[..size].to_vec();
    let seed = Seed { name: String::new(), document: Document::parse(&bytes, None), bytes, opens: true };
    let mutant = mutate(&mut random, &seed, &seed);
    let size = mutant.len().min(max_size);
    data[..size].copy_from_slice(&mutant[..size]);
    size
});
