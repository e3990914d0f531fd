//! Devices that are lost, run out of memory, get invalid commands, or have low limits: each case ends with a message or
//! a picture.

use std::sync::Arc;

use skinscope::deform::METHODS;
use skinscope::frame::{Bone, Dots, Frame, Line};
use skinscope::inspect::{OVERLAYS, Overlay, VertexPart, VertexSet};
use skinscope::model::test_shapes::obstacle_course;
use skinscope::model::{Image, Material, Pixels, TextureId, TextureSlot};
use skinscope::render::{Backend, Gpu, GpuError, Picture, Renderer, deform_on_gpu, on_device, render_image};

use crate::scenes::{self, Plate};
use crate::{SIZE, Stage, gpu, on_shared_stage, stages};

on_devices! {
    a_lost_device_is_reported_and_another_draws_the_same_picture,
    what_the_device_refuses_is_one_line_and_the_next_picture_is_right,
}

// Each of these opens lesser devices itself, and leaves the one that it gets as it is.
on_stages! {
    a_device_that_can_too_little_is_refused_with_what_it_lacks,
    what_a_model_needs_beyond_the_limits_is_named_and_others_are_drawn,
    textures_beyond_their_memory_are_shown_smaller_and_it_is_said,
}

fn course() -> Frame {
    let model = Arc::new(obstacle_course());
    scenes::frame(&model, &scenes::pose(&model, None, 0.0), METHODS[0])
}

fn picture(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame) -> Result<Picture, GpuError> {
    render_image(gpu, renderer, frame, [SIZE, SIZE])
}

pub fn backend_of(gpu: &Gpu) -> Backend {
    if gpu.info.backend == wgpu::Backend::Gl { Backend::Gl } else { Backend::Vulkan }
}

fn a_lost_device_is_reported_and_another_draws_the_same_picture(gpu: Gpu) {
    let frame = course();
    let mut renderer = Renderer::new(&gpu);
    let before = picture(&gpu, &mut renderer, &frame).unwrap();
    assert!(!gpu.is_lost());
    gpu.device.destroy();
    // What the target shows already needs no drawing: another frame does.
    let mut other = frame.clone();
    other.display.wireframe = true;
    for frame in [&frame, &other] {
        let lost = picture(&gpu, &mut renderer, frame).unwrap_err();
        assert!(matches!(lost, GpuError::Lost(_)), "{lost:?}");
    }
    assert!(gpu.is_lost());
    assert!(matches!(deform_on_gpu(&gpu, &mut renderer, &frame), Err(GpuError::Lost(_))));
    assert!(matches!(picture(&gpu, &mut Renderer::new(&gpu), &frame), Err(GpuError::Lost(_))));
    let mut devices = 0;
    let after = on_device(
        None,
        || Gpu::headless(backend_of(&gpu)),
        |gpu, renderer| {
            devices += 1;
            if devices == 1 {
                gpu.device.destroy();
            }
            picture(gpu, renderer, &frame)
        },
    );
    assert!(devices == 2 && after.is_ok_and(|a| a == before), "{:?}", gpu.info.backend);
}

fn what_the_device_refuses_is_one_line_and_the_next_picture_is_right(gpu: Gpu) {
    let frame = course();
    let mut renderer = Renderer::new(&gpu);
    let good = picture(&gpu, &mut renderer, &frame).unwrap();
    // Reads past the end of a buffer.
    let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let small = wgpu::BufferDescriptor { label: Some("small"), size: 16, usage, mapped_at_creation: false };
    let [small, other_one] = [(); 2].map(|()| gpu.device.create_buffer(&small));
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(&small, 0, &other_one, 8, 64);
    gpu.queue.submit([encoder.finish()]);
    let mut other = frame.clone();
    other.display.wireframe = true;
    let refused = picture(&gpu, &mut renderer, &other).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(refused, GpuError::Device(_)) && text.lines().count() == 1, "{text}");
    assert!(text.contains("overrunning the bounds") && text.contains("refused a command"), "{text}");
    assert!(picture(&gpu, &mut renderer, &frame).unwrap() == good);
    // Inside a scope it is told there and only there.
    let refused = gpu.scope(|| {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&small, 0, &other_one, 8, 64);
        gpu.queue.submit([encoder.finish()]);
    });
    assert!(matches!(refused, Err(GpuError::Device(_))), "{refused:?}");
    assert_eq!(gpu.take_error(), None);
}

/// Every pipeline that draws something of its own: looks, these overlays, lines, bones, wireframe, blending.
fn everything(overlays: &[&'static Overlay]) -> Vec<Frame> {
    let mut shaded = course();
    shaded.bones =
        vec![Bone { head: glam::Vec3::ZERO, tail: glam::Vec3::Y, radius: 0.1, color: [1.0; 4], ..Bone::default() }];
    shaded.lines = vec![Line { from: glam::Vec3::ZERO, to: glam::Vec3::X, width: 2.0, color: [1.0; 4] }];
    shaded.display.wireframe = true;
    let mut frames = vec![shaded.clone()];
    for overlay in overlays {
        let mut frame = shaded.clone();
        frame.display.overlay = Some(*overlay);
        frame.display.shared_black = true;
        frame.values = Some(Arc::default());
        frames.push(frame);
    }
    let mut dots = shaded.clone();
    dots.display.dots = Some(Dots { radius: 2.0, color: [1.0; 4] });
    dots.marked = Arc::new(VertexSet { parts: vec![VertexPart { vertices: vec![0, 1], ..VertexPart::default() }] });
    frames.push(dots);
    let mut plate = Plate { alpha: 0.5, ..Plate::default() };
    plate.material.alpha = skinscope::model::AlphaMode::Blend;
    let plate = plate.model();
    frames.push(scenes::frame(&plate, &scenes::pose(&plate, None, 0.0), METHODS[1]));
    frames
}

/// OpenGL ES 3.1 as its specification has it, with no more texture and buffer than some devices give.
fn least(most: wgpu::Limits) -> wgpu::Limits {
    let mut limits = wgpu::Limits::downlevel_defaults().or_worse_values_from(&most);
    limits.max_texture_dimension_2d = 2048;
    limits.max_buffer_size = 4 << 20;
    limits.max_storage_buffer_binding_size = 4 << 20;
    // As few as the renderer says it needs.
    limits.max_bind_groups = 4;
    limits.max_vertex_buffers = 4;
    limits.max_vertex_attributes = 9;
    limits.max_uniform_buffers_per_shader_stage = 4;
    limits.max_dynamic_uniform_buffers_per_pipeline_layout = 1;
    limits.max_inter_stage_shader_variables = 9;
    limits
}

fn compare_with_least(stage: &Stage, overlays: &[&'static Overlay]) {
    let backend = backend_of(&stage.gpu);
    let small = Gpu::headless_with(backend, &least).unwrap();
    assert_eq!(small.device.limits().max_storage_buffers_per_shader_stage, 4);
    let mut less = Renderer::new(&small);
    for (n, frame) in everything(overlays).iter().enumerate() {
        let want = stage.draw(frame);
        let drawn = picture(&small, &mut less, frame).map_err(|e| e.to_string()).unwrap();
        assert!(drawn == want, "another picture: frame {n}, {backend:?}");
    }
    // Baking takes more.
    let refused = deform_on_gpu(&small, &mut less, &course()).unwrap_err().to_string();
    assert!(refused.contains("7 storage buffers in a compute shader are needed, it allows 4"), "{refused}");
}

#[test]
fn the_least_device_draws_the_same_pictures() {
    // Of a ramp, of joints, of steps, and of numbers that are worked out beforehand.
    let overlays = ["weights", "dominant", "influences", "rogue"].map(|id| scenes::overlay(id).unwrap());
    on_shared_stage(|stage| compare_with_least(stage, &overlays));
}

#[test]
#[ignore = "full: compiles some 400 pipelines"]
fn the_least_device_draws_the_same_pictures_of_every_overlay_on_both_backends() {
    stages().for_each(|stage| compare_with_least(&stage, OVERLAYS));
}

fn a_device_that_can_too_little_is_refused_with_what_it_lacks(stage: &Stage) {
    let gpu = &stage.gpu;
    let web = |most| wgpu::Limits::downlevel_webgl2_defaults().or_worse_values_from(&most);
    let refused = Gpu::headless_with(backend_of(gpu), &web).unwrap_err();
    assert!(matches!(refused, GpuError::Unfit { .. }), "{refused:?}");
    let text = refused.to_string();
    assert!(text.contains("4 storage buffers in a shader stage are needed, it allows 0"), "{text}");
    assert!(text.contains(&gpu.info.name) && text.lines().count() == 1, "{text}");
}

fn what_a_model_needs_beyond_the_limits_is_named_and_others_are_drawn(stage: &Stage) {
    let small = Gpu::headless_with(backend_of(&stage.gpu), &|most| wgpu::Limits {
        max_buffer_size: 8 << 10,
        max_storage_buffer_binding_size: 4 << 10,
        max_texture_dimension_2d: 512,
        ..most
    });
    let small = small.unwrap();
    let mut renderer = Renderer::new(&small);
    let plate = Plate::default().model();
    let fits = scenes::frame(&plate, &scenes::pose(&plate, None, 0.0), METHODS[0]);
    let draw = |renderer: &mut Renderer, frame: &Frame, size| render_image(&small, renderer, frame, size);
    // 32 rows of 256 bytes come back through one buffer.
    assert!(draw(&mut renderer, &fits, [32, 32]).is_ok());
    for (frame, size, words) in [
        (&course(), [32, 32], ["its morph targets takes", "allows 0.0 MiB"]),
        (&fits, [1024, 8], ["1024 × 8 pixels", "512 pixels each way"]),
        (&fits, [64, 64], ["the picture in memory", "MiB"]),
    ] {
        let refused = draw(&mut renderer, frame, size).unwrap_err();
        let text = refused.to_string();
        assert!(matches!(refused, GpuError::TooLarge { .. }), "{text}");
        assert!(words.iter().all(|w| text.contains(w)), "{text}");
        assert!(draw(&mut renderer, &fits, [32, 32]).is_ok());
    }
}

/// 4 samples of 4 bytes for 16384² pixels are 4 GiB, more than a software device gives to one texture.
#[test]
fn a_picture_that_memory_does_not_hold_is_an_error_and_the_next_is_drawn() {
    let Some(gpu) = gpu(Backend::Vulkan) else { return };
    let most = gpu.device.limits().max_texture_dimension_2d;
    if gpu.info.device_type != wgpu::DeviceType::Cpu || most < 16384 {
        return;
    }
    let frame = course();
    let mut renderer = Renderer::new(&gpu);
    let good = picture(&gpu, &mut renderer, &frame).unwrap();
    let refused = renderer.draw(&gpu, &frame, [most, most]).unwrap_err();
    assert_eq!(refused, GpuError::OutOfMemory(format!("a picture of {most} × {most} pixels")));
    assert_eq!(gpu.take_error(), None);
    assert!(picture(&gpu, &mut renderer, &frame).unwrap() == good);
}

/// A square whose pixels come in blocks of 4 × 4: its next two levels are exactly a smaller image.
fn blocks(side: u32, block: u32) -> Image {
    let pixel = |i: u32| {
        let [x, y] = [i % side / block, i / side / block].map(|c| c.wrapping_mul(2_654_435_761) >> 20);
        [(x ^ y) as u8, (x >> 3) as u8, (y >> 2) as u8, 255]
    };
    let rgba: Vec<u8> = (0..side * side).flat_map(pixel).collect();
    Image::ready(format!("blocks of {block}"), Pixels::rgba8(side, side, rgba).unwrap())
}

fn textures_beyond_their_memory_are_shown_smaller_and_it_is_said(stage: &Stage) {
    let plate = |side: u32, block: u32| {
        let slot = |i| Some(TextureSlot { texture: TextureId(i), ..TextureSlot::default() });
        let material = Material { base_color_texture: slot(0), emissive_texture: slot(1), ..Material::default() };
        Plate { material, images: vec![blocks(side, block), blocks(side, block)], ..Plate::default() }.frame()
    };
    let backend = backend_of(&stage.gpu);
    // Two textures of 256² take 2 · 349 524 bytes with their levels, 128² a quarter of it.
    for (kib, side, words) in [
        (700, 256, None),
        (500, 128, Some("of 2 textures (0.7 MiB) are shown 1 at half size, to fit the 0.5 MiB")),
        (200, 128, Some("of 2 textures (0.7 MiB) are shown 2 at half size, to fit the 0.2 MiB")),
        (60, 64, Some("2 at a quarter")),
        (1, 64, Some("2 at a quarter")),
    ] {
        let small = Gpu::headless(backend).unwrap().with_texture_memory(Some(kib << 10));
        let mut renderer = Renderer::new(&small);
        // Large enough for the largest level to be seen.
        let size = [512, 512];
        let drawn = render_image(&small, &mut renderer, &plate(256, 4), size).unwrap();
        let notices = renderer.notices();
        match words {
            None => assert_eq!(notices, [""; 0]),
            Some(words) => assert!(notices.len() == 1 && notices[0].contains(words), "{kib}: {notices:?}"),
        }
        if kib != 500 {
            let mut whole = stage.renderer.borrow_mut();
            let want = render_image(&stage.gpu, &mut whole, &plate(side, side / 64), size).unwrap();
            assert!(drawn == want, "{kib} KiB, {backend:?}: another picture");
        }
    }
}
