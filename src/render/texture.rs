//! Images on the device: each (image, colour space) once, with all its smaller levels; samplers as the file has them.

use std::collections::HashMap;

use super::gpu::Gpu;
use super::pipelines::{self, Pipelines};
use crate::model::{Filter, Image, ImageId, Model, TextureSampler, Wrap};

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
    /// The view of an image; `srgb`: its colours are encoded.
    pub fn image(
        &mut self,
        gpu: &Gpu,
        pipelines: &mut Pipelines,
        model: &Model,
        image: ImageId,
        srgb: bool,
    ) -> wgpu::TextureView {
        if let Some(found) = self.images.get(&(image, srgb)) {
            return found.clone();
        }
        let source = &model.images[image.index()];
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let view = match fitted(source, limit) {
            Some(smaller) => {
                let (w, h) = (source.width, source.height);
                let notice = format!(
                    "image {} ({w}×{h}) is shown at {}×{}, the most that this graphics adapter takes",
                    image.0, smaller.width, smaller.height
                );
                if !self.notices.contains(&notice) {
                    self.notices.push(notice);
                }
                upload(gpu, pipelines, &smaller, srgb)
            }
            None => upload(gpu, pipelines, source, srgb),
        };
        self.images.insert((image, srgb), view.clone());
        view
    }

    /// One texel that changes nothing.
    pub fn neutral(&mut self, gpu: &Gpu, pipelines: &mut Pipelines, which: Neutral) -> wgpu::TextureView {
        let rgba = match which {
            Neutral::White => vec![255; 4],
            Neutral::FlatNormal => vec![128, 128, 255, 255],
        };
        let make = || upload(gpu, pipelines, &Image { name: format!("{which:?}"), width: 1, height: 1, rgba }, false);
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
fn fitted(image: &Image, limit: u32) -> Option<Image> {
    let largest = image.width.max(image.height);
    if largest <= limit {
        return None;
    }
    let scaled = |size: u32| ((u64::from(size) * u64::from(limit) / u64::from(largest)) as u32).max(1);
    let (width, height) = (scaled(image.width), scaled(image.height));
    let pixels = image::ImageBuffer::<image::Rgba<u8>, &[u8]>::from_raw(image.width, image.height, &image.rgba)?;
    let rgba = image::imageops::thumbnail(&pixels, width, height).into_raw();
    Some(Image { name: image.name.clone(), width, height, rgba })
}

fn upload(gpu: &Gpu, pipelines: &mut Pipelines, image: &Image, srgb: bool) -> wgpu::TextureView {
    let format = if srgb { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
    let size = wgpu::Extent3d { width: image.width, height: image.height, depth_or_array_layers: 1 };
    let levels = 32 - image.width.max(image.height).leading_zeros();
    use wgpu::TextureUsages as U;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(&image.name),
        size,
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: U::TEXTURE_BINDING | U::COPY_DST | U::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(image.width * 4), rows_per_image: None };
    gpu.queue.write_texture(texture.as_image_copy(), &image.rgba, rows, size);
    make_levels(gpu, pipelines, &texture, format, levels);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
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
        let rgba = (0..24 * 6).flat_map(|i| if i % 2 == 0 { [200, 100, 0, 255] } else { [100, 100, 0, 255] }).collect();
        let image = Image { name: "wide".into(), width: 24, height: 6, rgba };
        assert!(fitted(&image, 24).is_none());
        let smaller = fitted(&image, 8).unwrap();
        assert_eq!((smaller.width, smaller.height, smaller.rgba.len()), (8, 2, 8 * 2 * 4));
        for [r, g, b, a] in smaller.rgba.as_chunks().0 {
            assert!((130..=170).contains(r) && (*g, *b, *a) == (100, 0, 255), "{r} {g} {b} {a}");
        }
        let needle = Image { width: 144, height: 1, ..image };
        assert_eq!(fitted(&needle, 8).map(|i| (i.width, i.height)), Some((8, 1)));
    }
}
