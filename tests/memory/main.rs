//! Tests that count memory, by an allocator of their own. They run one after the other.

mod allocations;
mod bombs;
#[path = "../common/mod.rs"]
mod common;
mod counting;
mod import_memory;
mod mutants;
mod packed_hostile;
mod renderer_allocations;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
