//! The renderer, on a real device (a software one will do). Without any device these skip, and fail where `CI` is `true`.
#![cfg(feature = "render")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod corpus;
mod numbers;
mod pictures;
mod scenes;

use skinscope::render::{Backend, Gpu, GpuError};

/// A device, or the line that says why there is none.
pub fn gpu(backend: Backend) -> Option<Gpu> {
    match Gpu::headless(backend) {
        Ok(gpu) => Some(gpu),
        Err(error @ GpuError::NoAdapter { .. }) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{error}");
            eprintln!("SKIPPED: {backend:?}: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// All devices that there are; both backends have to work.
pub fn gpus() -> Vec<Gpu> {
    [Backend::Vulkan, Backend::Gl].into_iter().filter_map(gpu).collect()
}
