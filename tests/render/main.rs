//! Tests of the renderer on a real device (a software device will do). Without any device they are skipped, and fail
//! where `CI` is `true`.
#![cfg(feature = "render")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod beside;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod corpus;
mod covering;
mod crowd;
mod deformers;
mod faults;
mod form;
mod furnace;
mod glass;
mod layers;
mod lights;
mod materials;
mod numbers;
mod onion;
mod overlays;
mod picture;
mod pictures;
mod readouts;
mod samples;
mod scenes;
mod sides;
mod skeleton;
mod texture_slots;
mod textures;
mod vertices;
mod weights;

use std::cell::RefCell;

use skinscope::frame::Frame;
use skinscope::render::{Backend, Gpu, GpuError, Picture, Renderer, render_image};

/// Pixels each way of most pictures.
const SIZE: u32 = 64;

/// A device, or the line that says why there is none.
fn gpu(backend: Backend) -> Option<Gpu> {
    match Gpu::headless(backend) {
        Ok(gpu) => Some(gpu),
        Err(error @ GpuError::NoAdapter { .. }) => {
            common::skipped(&format!("{backend:?}: {error}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// All devices that there are; both backends have to work.
fn gpus() -> Vec<Gpu> {
    [Backend::Vulkan, Backend::Gl].into_iter().filter_map(gpu).collect()
}

/// A device, and a renderer that keeps what it has compiled.
struct Stage {
    gpu: Gpu,
    renderer: RefCell<Renderer>,
}

fn stages() -> impl Iterator<Item = Stage> {
    gpus().into_iter().map(|gpu| Stage { renderer: RefCell::new(Renderer::new(&gpu)), gpu })
}

impl Stage {
    fn draw(&self, frame: &Frame) -> Picture {
        render_image(&self.gpu, &mut self.renderer.borrow_mut(), frame, [SIZE, SIZE]).unwrap()
    }

    /// A pixel near the middle, on no symmetry.
    fn middle(&self, frame: &Frame) -> [u8; 4] {
        self.draw(frame).at(SIZE / 2 + 3, SIZE / 2 - 5)
    }
}
