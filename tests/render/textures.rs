//! Block-compressed textures, and textures that arrive after the model, from files that another program made.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;
use glam::Vec3;
use skinscope::import::{Options, Progress, import_bytes, import_bytes_showing};
use skinscope::math::Transform;
use skinscope::model::{BlockFormats, Image, Material, PixelFormat, Pixels};
use skinscope::render::{Backend, Picture, render_image};

use crate::materials::slot;
use crate::scenes::{Plate, near};
use crate::{SIZE, Stage};

on_stages! {
    blocks_draw_the_picture_that_their_pixels_draw,
    textures_come_one_by_one_where_they_are_asked_to,
    pixels_on_the_device_are_freed_and_decoded_again_for_the_next,
    an_image_that_arrives_is_drawn_though_the_frame_is_the_same,
}

const ETC1S: &[u8] = include_bytes!("../fixtures/textures/etc1s_mips.ktx2");
const UASTC: &[u8] = include_bytes!("../fixtures/textures/uastc_mips.ktx2");

/// A document with nothing but a texture.
fn document(ktx2: &[u8]) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(ktx2);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_texture_basisu"],
        "images":[{{"uri":"data:image/ktx2;base64,{data}"}}],
        "textures":[{{"extensions":{{"KHR_texture_basisu":{{"source":0}}}}}}]}}"#
    )
}

fn image(ktx2: &[u8], formats: BlockFormats) -> Image {
    let options = Options { block_formats: Some(Arc::new(move || formats)), ..Options::default() };
    let import = import_bytes(document(ktx2).as_bytes(), "x", &options, &Progress::silent()).unwrap();
    assert_eq!(import.warnings, []);
    import.model.images[0].clone()
}

/// Colours (encoded) and roughness (linear) of the same image, and small enough for its smaller levels.
fn plate(image: Image, size: f32) -> Plate {
    let material = Material {
        base_color_texture: slot(0),
        metallic_roughness_texture: slot(0),
        metallic: 0.3,
        ..Material::default()
    };
    let transform = Transform { scale: Vec3::splat(size), ..Transform::IDENTITY };
    Plate { material, transform, images: vec![image], ..Plate::default() }
}

/// The mean difference of a channel.
fn difference(a: &Picture, b: &Picture) -> f64 {
    let sum: f64 = a.rgba.iter().zip(&b.rgba).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
    sum / a.rgba.len() as f64
}

fn blocks_draw_the_picture_that_their_pixels_draw(stage: &Stage) {
    let none = BlockFormats::default();
    let has = stage.gpu.block_formats();
    let mut drawn = 0;
    for (one, is_there, format) in [
        (BlockFormats { bc7: true, ..none }, has.bc7, PixelFormat::Bc7),
        (BlockFormats { astc4x4: true, ..none }, has.astc4x4, PixelFormat::Astc4x4),
        (BlockFormats { etc2: true, ..none }, has.etc2, PixelFormat::Etc2Rgba8),
    ] {
        // From ETC1S, colours are smoothed on the way to BC7.
        for (file, most) in [(UASTC, 1.0), (ETC1S, 2.2)] {
            let blocks = image(file, one);
            assert_eq!(blocks.pixels().map(|p| p.format()), Some(format));
            for size in [1.8, 0.4] {
                let wanted = stage.draw(&plate(image(file, none), size).frame());
                let frame = plate(blocks.clone(), size).frame();
                let mut renderer = stage.renderer.borrow_mut();
                let picture = render_image(&stage.gpu, &mut renderer, &frame, [SIZE, SIZE]).unwrap();
                let off = difference(&picture, &wanted);
                if is_there {
                    assert!(off < most && renderer.notices().is_empty(), "{format:?} at {size}: {off} off");
                    drawn += 1;
                } else {
                    // White, and said.
                    assert!(off > 2.0 && renderer.notices()[0].contains("does not read"), "{format:?}: {off}");
                }
            }
        }
    }
    eprintln!("{:?}: {drawn} of 12 pictures in blocks", stage.gpu.info.backend);
}

fn textures_come_one_by_one_where_they_are_asked_to(stage: &Stage) {
    let colours = [[200, 0, 0, 255], [0, 200, 0, 255], [0, 0, 200, 255]];
    let images = colours.map(|c| Image::ready(String::new(), Pixels::rgba8(8, 8, c.repeat(64)).unwrap()));
    let material = Material {
        base_color_texture: slot(0),
        metallic_roughness_texture: slot(1),
        emissive_texture: slot(2),
        emissive: Vec3::splat(0.05),
        ..Material::default()
    };
    let frame = Plate { material, images: images.to_vec(), ..Plate::default() }.frame();
    let mut renderer = skinscope::render::Renderer::new(&stage.gpu);
    renderer.set_texture_step(1);
    let mut draw = || {
        let picture = render_image(&stage.gpu, &mut renderer, &frame, [SIZE, SIZE]).unwrap();
        (picture.at(SIZE / 2 + 3, SIZE / 2 - 5), renderer.has_news())
    };
    let steps = [draw(), draw(), draw(), draw()];
    assert_eq!(steps.map(|(_, more)| more), [true, true, false, false], "{steps:?}");
    assert_eq!(steps[2].0, stage.middle(&frame), "all at once");
    assert!(steps[0].0 != steps[1].0 && steps[1].0 != steps[2].0 && steps[2] == steps[3], "{steps:?}");
}

fn pixels_on_the_device_are_freed_and_decoded_again_for_the_next(stage: &Stage) {
    let pixels = || Pixels::rgba8(8, 8, [40, 160, 90, 255].repeat(64)).unwrap();
    let image = Image::ready(String::new(), pixels());
    image.decode_again_by(Box::new(move || Some(pixels())));
    let frame = plate(image.clone(), 1.8).frame();
    let draw = || {
        let mut renderer = skinscope::render::Renderer::new(&stage.gpu);
        let picture = render_image(&stage.gpu, &mut renderer, &frame, [SIZE, SIZE]).unwrap();
        picture.at(SIZE / 2 + 3, SIZE / 2 - 5)
    };
    let kept = plate(Image::ready(String::new(), pixels()), 1.8).frame();
    for _device in 0..2 {
        assert_eq!(draw(), stage.middle(&kept));
        assert!(!image.is_in_memory() && image.has_pixels(), "the device has them");
    }
}

fn an_image_that_arrives_is_drawn_though_the_frame_is_the_same(stage: &Stage) {
    let formats = stage.gpu.block_formats();
    let go_on = Arc::new(AtomicBool::new(false));
    let waiting = Arc::clone(&go_on);
    let ask = move || {
        while !waiting.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        formats
    };
    let options = Options { block_formats: Some(Arc::new(ask)), ..Options::default() };
    let before = Mutex::new(None);
    let shown = &mut |model: Arc<skinscope::model::Model>, _| {
        let frame = plate(model.images[0].clone(), 1.8).frame();
        let picture = stage.draw(&frame);
        *before.lock().unwrap() = Some((frame, picture));
        go_on.store(true, Ordering::Relaxed);
    };
    import_bytes_showing(document(UASTC).as_bytes(), "x", &options, &Progress::silent(), shown).unwrap();
    let (frame, early) = before.into_inner().unwrap().unwrap();
    let late = stage.draw(&frame);
    let whole = stage.draw(&plate(image(UASTC, formats), 1.8).frame());
    let [early, middle, wanted] = [early, late, whole].map(|p| p.at(SIZE / 2 + 3, SIZE / 2 - 5));
    assert!(!near(early, wanted, 40), "{early:?} was drawn before there was a texture");
    assert_eq!(middle, wanted);
}

/// What lies behind the last texture of a block is lost. Nothing is written, so that the memory is only reserved.
#[test]
fn a_software_device_reserves_little_more_memory_than_textures_need() {
    let Some(gpu) = crate::gpu(Backend::Vulkan).filter(|gpu| gpu.info.device_type == wgpu::DeviceType::Cpu) else {
        crate::common::skipped("no software device");
        return;
    };
    let size = wgpu::Extent3d { width: 1024, height: 1024, depth_or_array_layers: 1 };
    let make = |_| {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 11,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8UnormSrgb,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        })
    };
    let textures: Vec<wgpu::Texture> = (0..200).map(make).collect();
    let report = gpu.device.generate_allocator_report().unwrap();
    let (used, reserved) = (report.total_allocated_bytes, report.total_reserved_bytes);
    assert!(used >= textures.len() as u64 * (1 << 22) * 5 / 4, "{used}");
    assert!(reserved * 100 <= used * 115, "{reserved} bytes are reserved for {used}");
}
