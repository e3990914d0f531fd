//! One headless frame of the built-in character at 1280 × 720: from a time to the end of the device's work.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Affine3A, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, METHODS};
use skinscope::frame::{Background, Frame};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::model::LocalPose;
use skinscope::render::{Backend, Gpu, Renderer};

const SIZE: [u32; 2] = [1280, 720];

fn frame(c: &mut Criterion) {
    let glb = include_bytes!("../assets/character.glb");
    let Ok(import) = import_bytes(glb, "character.glb", &Options::default(), &Progress::silent()) else { return };
    let model = import.model;
    for backend in [Backend::Vulkan, Backend::Gl] {
        let gpu = match Gpu::headless(backend) {
            Ok(gpu) => gpu,
            Err(error) => {
                eprintln!("SKIPPED: {backend:?}: {error}");
                continue;
            }
        };
        let mut renderer = Renderer::new(&gpu);
        let mut group = c.benchmark_group(format!("frame ({backend:?}, {})", gpu.info.name));
        group.sample_size(20);
        for method in METHODS {
            let (mut pose, mut scratch, mut matrices) = (LocalPose::default(), SampleScratch::default(), Vec::new());
            let mut time_secs = 0.0_f32;
            let mut frame = Frame { model: Some(Arc::clone(&model)), method, ..Frame::default() };
            frame.draws = model.instances_in_scene(model.default_scene).map(|(id, _)| id).collect();
            frame.camera.world_from_view = Affine3A::from_translation(Vec3::new(0.0, 0.9, 4.0));
            frame.display.background = Background::Studio { inner: [0.24; 3], outer: [0.09; 3] };
            group.bench_function(method.id, |b| {
                b.iter(|| {
                    time_secs = (time_secs + 1.0 / 60.0) % 1.0;
                    anim::reset_to_rest(&model.skeleton, &mut pose);
                    anim::sample(&model, &model.clips[0], time_secs, &mut scratch, &mut pose);
                    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
                    deform::palettes(&model, &matrices, &mut frame.palettes);
                    frame.morph_weights.clone_from(&pose.morph_weights);
                    // The device's errors come to light below.
                    let drawn = renderer.draw(&gpu, &frame, SIZE).map(|target| target.size);
                    let waited = gpu.device.poll(wgpu::PollType::wait_indefinitely());
                    assert!(drawn.is_ok() && waited.is_ok() && gpu.take_error().is_none());
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, frame);
criterion_main!(benches);
