//! Tests of the renderer on a real device (a software device will do). Without any device they are skipped, and fail
//! where `CI` is `true`.
//!
//! Most tests are functions that get a [`Stage`], and `on_stages!` makes two tests of each. The daily one draws by Vulkan, on
//! a device that tests lend to one another: most of their time would go into compiling the same pipelines again. The other
//! one, of the full tier, draws by OpenGL on a device of its own. A test that loses its device, has it refuse commands, binds
//! it to a thread or measures its memory gets one of its own in both tiers (`on_devices!`), and gives it to nobody.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

/// Makes a daily test on a shared device and a full one on a device of its own of each of these functions, which take a
/// [`Stage`].
macro_rules! on_stages {
    ($($name:ident),* $(,)?) => { $(
        mod $name {
            #[test]
            fn vulkan() {
                crate::on_shared_stage(super::$name);
            }

            #[test]
            #[ignore = "full: OpenGL compiles all of its pipelines once more"]
            fn gl() {
                crate::on_own_stage(crate::Backend::Gl, super::$name);
            }
        }
    )* };
}

/// Makes a daily and a full test of each of these functions, which take a device that no other test uses.
macro_rules! on_devices {
    ($($name:ident),* $(,)?) => { $(
        mod $name {
            #[test]
            fn vulkan() {
                crate::on_own_device(crate::Backend::Vulkan, super::$name);
            }

            #[test]
            #[ignore = "full: OpenGL compiles all of its pipelines once more"]
            fn gl() {
                crate::on_own_device(crate::Backend::Gl, super::$name);
            }
        }
    )* };
}

mod beside;
mod bodies;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod corpus;
mod covering;
mod crowd;
mod deformers;
mod environment;
mod faults;
mod form;
mod furnace;
mod glass;
mod layers;
mod lights;
mod looks;
mod materials;
mod numbers;
mod onion;
mod overlays;
mod picture;
mod pictures;
mod readouts;
mod replay;
#[path = "../common/replay/mod.rs"]
mod replays;
mod samples;
mod scenes;
mod second_model;
mod shadows;
mod sharing;
mod sides;
mod skeleton;
mod soak;
mod texture_slots;
mod textures;
mod tone_maps;
mod transparency;
mod vertices;
mod weights;

use std::cell::RefCell;
use std::sync::Mutex;

use skinscope::frame::Frame;
use skinscope::render::{Backend, Gpu, GpuError, Picture, Renderer, SAMPLES, render_image};

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

/// A stage of each device that there is.
fn stages() -> impl Iterator<Item = Stage> {
    gpus().into_iter().map(Stage::new)
}

/// The stages of Vulkan that no test uses at the moment, as new but for the pipelines that they have compiled.
static STAGES: Mutex<Vec<Stage>> = Mutex::new(Vec::new());

/// Runs a test by Vulkan on a stage that other tests use before and after it.
fn on_shared_stage(test: impl FnOnce(&Stage)) {
    let kept = STAGES.lock().unwrap().pop();
    let Some(stage) = kept.or_else(|| gpu(Backend::Vulkan).map(Stage::new)) else { return };
    test(&stage);
    // A test that fails drops its stage before it gets here.
    assert_eq!(stage.gpu.take_error(), None, "the test has left an error");
    stage.forget();
    STAGES.lock().unwrap().push(stage);
}

fn on_own_stage(backend: Backend, test: impl FnOnce(&Stage)) {
    on_own_device(backend, |gpu| test(&Stage::new(gpu)));
}

fn on_own_device(backend: Backend, test: impl FnOnce(Gpu)) {
    if let Some(gpu) = gpu(backend) {
        test(gpu);
    }
}

impl Stage {
    fn new(gpu: Gpu) -> Self {
        Self { renderer: RefCell::new(Renderer::new(&gpu)), gpu }
    }

    /// Puts all settings back, and lets go of the model and of everything else that belongs to a picture.
    fn forget(&self) {
        let mut renderer = self.renderer.borrow_mut();
        renderer.set_samples(SAMPLES);
        renderer.set_texture_step(u64::MAX);
        renderer.draw(&self.gpu, &Frame::default(), [SIZE, SIZE]).unwrap();
    }

    fn draw(&self, frame: &Frame) -> Picture {
        render_image(&self.gpu, &mut self.renderer.borrow_mut(), frame, [SIZE, SIZE]).unwrap()
    }

    /// A pixel near the middle, on no symmetry.
    fn middle(&self, frame: &Frame) -> [u8; 4] {
        self.draw(frame).at(SIZE / 2 + 3, SIZE / 2 - 5)
    }
}
