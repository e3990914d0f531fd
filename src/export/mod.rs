//! Writing files: posed surfaces and binary glTF. Knows models and poses, no window and no GPU.

pub mod glb;
