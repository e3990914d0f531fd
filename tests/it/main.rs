//! Tests that call the library: against references of other implementations, against files of other programs, and rules about the
//! code itself.

mod architecture;
mod bake;
mod binding;
mod branches;
mod builtin_character;
mod builtin_clips;
#[path = "../common/mod.rs"]
mod common;
mod dependencies;
mod docs;
mod far;
mod garments;
mod humanoid;
mod import_corpus;
mod import_malformed;
mod inverted;
mod markdown;
mod measures;
mod methods;
mod near;
mod origins;
mod packed;
mod painting;
mod reference;
mod replay;
#[path = "../common/replay/mod.rs"]
mod replays;
mod rule_ids;
mod shaders;
mod shapes;
mod solve;
mod strokes;
mod twin;
