//! Images on the device: each (image, colour space) once, with all its smaller levels; samplers as the file has them.

use std::collections::HashMap;

use super::gpu::Gpu;
use super::pipelines::{self, Pipelines};
use crate::model::{Filter, ImageId, Model, Pixels, TextureSampler, Wrap};

/// What stands in where a texture is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Neutral {
    White,
    FlatNormal,
}

/// Textures and samplers of one model, made when first asked for.
#[derive(Debug, Default)]
pub(super) struct Textures {
    images: HashMap<(ImageId, bool), wgpu::TextureView>,
    neutral: HashMap<Neutral, wgpu::TextureView>,
    samplers: HashMap<TextureSampler, wgpu::Sampler>,
    /// What could not be kept as the file has it.
    pub notices: Vec<String>,
}

impl Textures {
    /// The view of an image, if its pixels are here; `srgb`: its colours are encoded.
    pub fn image(
        &mut self,
        gpu: &Gpu,
        pipelines: &mut Pipelines,
        model: &Model,
        image: ImageId,
        srgb: bool,
    ) -> Option<wgpu::TextureView> {
        if let Some(found) = self.images.get(&(image, srgb)) {
            return Some(found.clone());
        }
        let source = &model.images[image.index()];
        let pixels = source.pixels()?;
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let view = match fitted(pixels, limit) {
            Some(smaller) => {
                let (w, h) = (pixels.width(), pixels.height());
                let notice = format!(
                    "image {} ({w}×{h}) is shown at {}×{}, the most that this graphics adapter takes",
                    image.0,
                    smaller.width(),
                    smaller.height()
                );
                if !self.notices.contains(&notice) {
                    self.notices.push(notice);
                }
                upload(gpu, pipelines, &source.name, &smaller, srgb)
            }
            None => upload(gpu, pipelines, &source.name, pixels, srgb),
        };
        self.images.insert((image, srgb), view.clone());
        Some(view)
    }

    /// One texel that changes nothing.
    pub fn neutral(&mut self, gpu: &Gpu, which: Neutral) -> wgpu::TextureView {
        let rgba = match which {
            Neutral::White => [255; 4],
            Neutral::FlatNormal => [128, 128, 255, 255],
        };
        let make = || {
            let texture = create(gpu, &format!("{which:?}"), [1, 1], wgpu::TextureFormat::Rgba8Unorm, 1);
            write_level(gpu, &texture, 0, &rgba);
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        self.neutral.entry(which).or_insert_with(make).clone()
    }

    /// The sampler that reads as the file says.
    pub fn sampler(&mut self, gpu: &Gpu, how: TextureSampler) -> wgpu::Sampler {
        self.samplers.entry(how).or_insert_with(|| make_sampler(gpu, how)).clone()
    }
}

fn make_sampler(gpu: &Gpu, how: TextureSampler) -> wgpu::Sampler {
    let wrap = |w| match w {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::MirroredRepeat => wgpu::AddressMode::MirrorRepeat,
        Wrap::ClampToEdge => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |f| match f {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    let mip = match how.mip {
        Some(Filter::Linear) => wgpu::MipmapFilterMode::Linear,
        _ => wgpu::MipmapFilterMode::Nearest,
    };
    let smooth = how.mag == Filter::Linear && how.min == Filter::Linear && how.mip == Some(Filter::Linear);
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("material"),
        address_mode_u: wrap(how.wrap_u),
        address_mode_v: wrap(how.wrap_v),
        mag_filter: filter(how.mag),
        min_filter: filter(how.min),
        mipmap_filter: mip,
        lod_max_clamp: if how.mip.is_some() { 32.0 } else { 0.0 },
        // Only where every filter is linear.
        anisotropy_clamp: if smooth { 8 } else { 1 },
        ..wgpu::SamplerDescriptor::default()
    })
}

/// The image made smaller, where it is larger than `limit` either way.
fn fitted(image: &Pixels, limit: u32) -> Option<Pixels> {
    let largest = image.width().max(image.height());
    if largest <= limit {
        return None;
    }
    let scaled = |size: u32| ((u64::from(size) * u64::from(limit) / u64::from(largest)) as u32).max(1);
    let (width, height) = (scaled(image.width()), scaled(image.height()));
    let whole = image.levels().first()?.as_slice();
    let pixels = image::ImageBuffer::<image::Rgba<u8>, &[u8]>::from_raw(image.width(), image.height(), whole)?;
    Pixels::rgba8(width, height, image::imageops::thumbnail(&pixels, width, height).into_raw()).ok()
}

fn upload(gpu: &Gpu, pipelines: &mut Pipelines, name: &str, pixels: &Pixels, srgb: bool) -> wgpu::TextureView {
    let format = if srgb { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
    let levels = 32 - pixels.width().max(pixels.height()).leading_zeros();
    let texture = create(gpu, name, [pixels.width(), pixels.height()], format, levels);
    write_level(gpu, &texture, 0, &pixels.levels()[0]);
    make_levels(gpu, pipelines, &texture, format, levels);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn create(gpu: &Gpu, name: &str, size: [u32; 2], format: wgpu::TextureFormat, levels: u32) -> wgpu::Texture {
    use wgpu::TextureUsages as U;
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(name),
        size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: U::TEXTURE_BINDING | U::COPY_DST | if levels > 1 { U::RENDER_ATTACHMENT } else { U::empty() },
        view_formats: &[],
    })
}

fn write_level(gpu: &Gpu, texture: &wgpu::Texture, level: u32, bytes: &[u8]) {
    let size = texture.size().mip_level_size(level, wgpu::TextureDimension::D2);
    let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(size.width * 4), rows_per_image: None };
    let whole = texture.as_image_copy();
    gpu.queue.write_texture(wgpu::TexelCopyTextureInfo { mip_level: level, ..whole }, bytes, rows, size);
}

/// Each smaller level from the one above it.
fn make_levels(
    gpu: &Gpu,
    pipelines: &mut Pipelines,
    texture: &wgpu::Texture,
    format: wgpu::TextureFormat,
    levels: u32,
) {
    if levels < 2 {
        return;
    }
    let pipeline = pipelines.mip(gpu, format);
    let view = |level| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            base_mip_level: level,
            mip_level_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        })
    };
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("mips") });
    for level in 1..levels {
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("mip"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[pipelines::entry(0, wgpu::BindingResource::TextureView(&view(level - 1)))],
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("mip"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view(level),
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
    gpu.queue.submit([encoder.finish()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_too_large_for_the_adapter_keep_their_shape_and_mean() {
        let rgba = (0..24 * 6).flat_map(|i| if i % 2 == 0 { [200, 100, 0, 255] } else { [100, 100, 0, 255] });
        let image = Pixels::rgba8(24, 6, rgba.collect()).unwrap();
        assert!(fitted(&image, 24).is_none());
        let smaller = fitted(&image, 8).unwrap();
        assert_eq!((smaller.width(), smaller.height()), (8, 2));
        for [r, g, b, a] in smaller.levels()[0].as_chunks().0 {
            assert!((130..=170).contains(r) && (*g, *b, *a) == (100, 0, 255), "{r} {g} {b} {a}");
        }
        let needle = Pixels::rgba8(144, 1, vec![7; 144 * 4]).unwrap();
        assert_eq!(fitted(&needle, 8).map(|i| (i.width(), i.height())), Some((8, 1)));
    }
}
