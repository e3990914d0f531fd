//! Textures, normal maps, presenting, and what happens when something goes wrong.

use glam::{Quat, Vec3, Vec4};
use skinscope::frame::Frame;
use skinscope::math::Transform;
use skinscope::model::{Image, Material, Pixels, TextureId, TextureSlot};
use skinscope::render::{COLOR, Gpu, GpuError, Picture};

use crate::scenes::{Plate, near, seen_from_behind};
use crate::{SIZE, Stage};

on_stages! {
    normal_maps_bend_the_light_alike_with_and_without_tangents_mirrored_and_from_behind,
    far_textures_show_the_mean_of_their_texels_in_linear_light,
    textures_multiply_what_they_should,
    a_window_shows_the_picture_pixel_for_pixel,
    changed_numbers_are_drawn_and_taken_back,
    what_has_not_changed_is_not_drawn_again,
}

on_devices! {
    device_errors_are_kept_and_told_once,
}

pub fn slot(texture: u32) -> Option<TextureSlot> {
    Some(TextureSlot { texture: TextureId(texture), ..TextureSlot::default() })
}

pub fn image(size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Image {
    let rgba = (0..size * size).flat_map(|i| texel(i % size, i / size)).collect();
    Image::ready("test".into(), Pixels::rgba8(size, size, rgba).unwrap())
}

/// A normal map that says `normal` everywhere, which a plate bent that way has by itself.
fn bent(normal: Vec3, tangents: bool) -> Plate {
    let texel = (normal * 127.5 + 127.5).round();
    let rgba = [texel.x as u8, texel.y as u8, texel.z as u8, 255];
    let material = Material {
        base_color: Vec4::new(0.4, 0.4, 0.4, 1.0),
        metallic: 0.0,
        roughness: 0.6,
        double_sided: true,
        normal_texture: slot(0),
        ..Material::default()
    };
    Plate { material, tangents, images: vec![image(4, |_, _| rgba)], ..Plate::default() }
}

fn normal_maps_bend_the_light_alike_with_and_without_tangents_mirrored_and_from_behind(stage: &Stage) {
    let mirrored = Transform { scale: Vec3::new(-1.0, 1.0, 1.0), ..Transform::IDENTITY };
    let rolled = Transform { rotation: Quat::from_rotation_z(0.5), ..Transform::IDENTITY };
    let flat = stage.middle(&bent(Vec3::Z, true).frame());
    for direction in [Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.6, 0.8), Vec3::new(-0.5, -0.5, 0.7)] {
        for transform in [Transform::IDENTITY, mirrored, rolled] {
            for behind in [false, true] {
                let pictures = [true, false].map(|tangents| {
                    let frame = Plate { transform, ..bent(direction.normalize(), tangents) }.frame();
                    stage.middle(&if behind { seen_from_behind(frame) } else { frame })
                });
                let place = format!("{direction} at {transform:?}, behind {behind}");
                assert!(near(pictures[0], pictures[1], 3), "{place}: {pictures:?}");
                // A turned plate may be as bright as a flat one.
                let is_bent = transform == rolled || !near(pictures[0], flat, 3);
                assert!(is_bent, "{place}: {pictures:?} is as if flat");
            }
        }
    }
    // Green up in the picture is where its top is: at the plate's bottom. There the key light is not.
    let [down, up] = [0.6, -0.6].map(|y| stage.middle(&bent(Vec3::new(0.0, y, 0.8), false).frame()));
    assert!(up[0] > down[0] + 10, "{up:?} looks to the key light, {down:?} away");
}

fn far_textures_show_the_mean_of_their_texels_in_linear_light(stage: &Stage) {
    // Half white, half black is 0.5 in linear light: 188 in sRGB, not 128.
    let checks = |x: u32, y: u32| if (x + y).is_multiple_of(2) { [255; 4] } else { [0, 0, 0, 255] };
    let material = |texture| Material { base_color_texture: slot(texture), metallic: 0.0, ..Material::default() };
    for size in [256, 255, 96] {
        let images = vec![image(size, checks), image(1, |_, _| [188, 188, 188, 255])];
        let [fine, plain] = [0, 1].map(|texture| {
            let plate = Plate { material: material(texture), images: images.clone(), ..Plate::default() };
            let small = Transform { scale: Vec3::splat(0.5), ..Transform::IDENTITY };
            stage.middle(&Plate { transform: small, ..plate }.frame())
        });
        assert!(near(fine, plain, 4), "{size}: {fine:?} for {plain:?}");
    }
}

fn textures_multiply_what_they_should(stage: &Stage) {
    let white = || image(1, |_, _| [255; 4]);
    let plain =
        || Material { base_color: Vec4::new(0.8, 0.5, 0.2, 1.0), metallic: 0.4, roughness: 0.5, ..Material::default() };
    let middle = |material: Material, images| stage.middle(&Plate { material, images, ..Plate::default() }.frame());
    let bare = middle(plain(), Vec::new());
    let white_all = Material {
        base_color_texture: slot(0),
        metallic_roughness_texture: slot(0),
        occlusion_texture: slot(0),
        emissive_texture: slot(0),
        ..plain()
    };
    assert_eq!(middle(white_all, vec![white()]), bare, "white changes nothing");
    let occluded = Material { occlusion_texture: slot(0), occlusion_strength: 1.0, ..plain() };
    let dark = middle(occluded.clone(), vec![image(1, |_, _| [0, 255, 255, 255])]);
    assert!(dark[0] < bare[0], "red hides the surroundings");
    let open = middle(occluded, vec![image(1, |_, _| [255, 0, 0, 255])]);
    assert_eq!(open, bare, "green and blue say nothing of occlusion");
    // No metal in blue, no roughness in green: as if the factors were zero.
    let smooth = Material { metallic_roughness_texture: slot(0), ..plain() };
    let zero = Material { metallic: 0.0, roughness: 0.0, ..plain() };
    assert_eq!(middle(smooth, vec![image(1, |_, _| [255, 0, 0, 255])]), middle(zero, Vec::new()));
    let glow = Material { emissive: Vec3::new(0.0, 0.0, 0.3), ..plain() };
    assert!(middle(glow, Vec::new())[2] > bare[2] + 20);
}

/// What `present` makes of a part of a picture (x, y, width and height on the surface) on a surface of `format`.
fn presented(
    gpu: &Gpu,
    renderer: &mut skinscope::render::Renderer,
    (format, part): (wgpu::TextureFormat, [u32; 4]),
) -> Picture {
    let (width, height) = (128, 96);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(width * height * 4),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let load = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        renderer.present(gpu, &mut pass, format, ([40, 16], part));
    }
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: None };
    let info = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), info, texture.size());
    gpu.queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let mut rgba = buffer.get_mapped_range(..).unwrap().to_vec();
    if matches!(format, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Bgra8UnormSrgb) {
        rgba.as_chunks_mut::<4>().0.iter_mut().for_each(|p| p.swap(0, 2));
    }
    Picture { width, height, rgba }
}

fn a_window_shows_the_picture_pixel_for_pixel(stage: &Stage) {
    let mut frame = bent(Vec3::Z, false).frame();
    frame.display.background = skinscope::frame::Background::Solid([0.2, 0.5, 0.8]);
    let picture = stage.draw(&frame);
    for format in [COLOR, wgpu::TextureFormat::Rgba8Unorm, wgpu::TextureFormat::Bgra8Unorm] {
        let window = presented(&stage.gpu, &mut stage.renderer.borrow_mut(), (format, [40, 16, SIZE, SIZE]));
        for (x, y) in [(0, 0), (SIZE - 1, SIZE - 1), (17, 16), (30, 31), (SIZE / 4, SIZE / 4 - 1)] {
            let (shown, drawn) = (window.at(40 + x, 16 + y), picture.at(x, y));
            assert!(near(shown, drawn, 1), "{format:?} at {x}, {y}: {shown:?} for {drawn:?}");
        }
        assert_eq!(window.at(39, 16), [0, 0, 0, 255], "nothing outside its rectangle");
        // Where panels leave less of it, what is left stays where it is, in its size.
        let window = presented(&stage.gpu, &mut stage.renderer.borrow_mut(), (format, [44, 20, SIZE / 2, SIZE / 4]));
        for (x, y) in [(4, 4), (17, 16), (SIZE / 2 + 3, SIZE / 4 + 3)] {
            assert!(near(window.at(40 + x, 16 + y), picture.at(x, y), 1), "{format:?} at {x}, {y}");
        }
        for (x, y) in [(43, 20), (44, 19), (44 + SIZE / 2, 20), (44, 20 + SIZE / 4)] {
            assert_eq!(window.at(x, y), [0, 0, 0, 255], "{x}, {y}");
        }
    }
    assert_eq!(stage.gpu.take_error(), None);
}

fn changed_numbers_are_drawn_and_taken_back(stage: &Stage) {
    use skinscope::model::{MaterialId, MaterialProperty, Property};
    let frame = Plate::default().frame();
    let red = Property::Material(MaterialId(0), MaterialProperty::BaseColor);
    let changed = Frame { changes: vec![(red, Vec4::new(1.0, 0.0, 0.0, 1.0))], ..frame.clone() };
    let of_its_own = Material { base_color: Vec4::new(1.0, 0.0, 0.0, 1.0), metallic: 0.0, ..Material::default() };
    let before = stage.draw(&frame);
    let want = stage.draw(&Plate { material: of_its_own, ..Plate::default() }.frame());
    assert_eq!(stage.draw(&changed), want);
    assert_ne!(want, before);
    assert_eq!(stage.draw(&frame), before, "nothing is left of it");
}

fn what_has_not_changed_is_not_drawn_again(stage: &Stage) {
    let frame = bent(Vec3::Z, false).frame();
    let picture = stage.draw(&frame);
    // Wipes the finished picture behind the renderer's back.
    let view = stage.renderer.borrow_mut().draw(&stage.gpu, &frame, [SIZE, SIZE]).unwrap().view.clone();
    let mut encoder = stage.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let load = wgpu::LoadOp::Clear(wgpu::Color::WHITE);
    drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        })],
        ..wgpu::RenderPassDescriptor::default()
    }));
    stage.gpu.queue.submit([encoder.finish()]);
    assert_eq!(stage.middle(&frame), [255; 4], "not drawn again");
    let mut other = frame.clone();
    other.palettes[0].translation.z += 0.01;
    assert_eq!(stage.draw(&other), picture, "drawn again; seen along z it looks the same");
}

fn device_errors_are_kept_and_told_once(gpu: Gpu) {
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::INDEX | wgpu::BufferUsages::MAP_WRITE;
    let _ =
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false });
    assert!(matches!(gpu.take_error(), Some(GpuError::Device(_))));
    assert_eq!(gpu.take_error(), None);
}
