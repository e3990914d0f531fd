//! Images on the device: each (image, colour space) once, with all its smaller levels; samplers as the file has them.

use std::collections::HashMap;

use super::gpu::Gpu;
use super::pipelines::{self, Pipelines};
use crate::model::{Filter, ImageId, Model, PixelFormat, Pixels, TextureSampler, Wrap};

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
        let (limit, name) = (gpu.device.limits().max_texture_dimension_2d, format!("image {}", image.0));
        let (w, h) = (pixels.width(), pixels.height());
        let fitted = match fitted(pixels, limit) {
            _ if !gpu.device.features().contains(format(pixels.format(), srgb).required_features()) => {
                let what = "holds blocks that this graphics adapter does not read; open the file again to see it";
                self.note(format!("{name} {what}"));
                return None;
            }
            Fitted::Whole => upload(gpu, pipelines, &source.name, pixels, 0, srgb),
            Fitted::Scaled(smaller) => {
                let (to_w, to_h) = (smaller.width(), smaller.height());
                self.note(format!("{name} ({w}×{h}) is shown at {to_w}×{to_h}, {MOST}"));
                upload(gpu, pipelines, &source.name, &smaller, 0, srgb)
            }
            Fitted::Level(level) => {
                self.note(format!("{name} ({w}×{h}) is shown at {}×{}, {MOST}", w >> level, h >> level));
                upload(gpu, pipelines, &source.name, pixels, level, srgb)
            }
            Fitted::Not => {
                self.note(format!("{name} ({w}×{h}) is larger than {limit} a side, {MOST}, and was left out"));
                return None;
            }
        };
        self.images.insert((image, srgb), fitted.clone());
        Some(fitted)
    }

    fn note(&mut self, notice: String) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
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

/// Ends a notice.
const MOST: &str = "the most that this graphics adapter takes";

/// An image as a device can take it.
#[derive(Debug)]
enum Fitted {
    Whole,
    Scaled(Pixels),
    /// Without the levels above this one.
    Level(usize),
    Not,
}

/// Scaled down, where it is larger than `limit` either way. What has levels of its own loses the largest of them.
fn fitted(image: &Pixels, limit: u32) -> Fitted {
    let largest = image.width().max(image.height());
    if largest <= limit {
        return Fitted::Whole;
    }
    let whole = image.levels()[0].as_slice();
    let pixels = image::ImageBuffer::<image::Rgba<u8>, &[u8]>::from_raw(image.width(), image.height(), whole);
    if let (PixelFormat::Rgba8, Some(pixels)) = (image.format(), pixels) {
        let scaled = |size: u32| ((u64::from(size) * u64::from(limit) / u64::from(largest)) as u32).max(1);
        let (width, height) = (scaled(image.width()), scaled(image.height()));
        let smaller = Pixels::rgba8(width, height, image::imageops::thumbnail(&pixels, width, height).into_raw());
        return smaller.map_or(Fitted::Not, Fitted::Scaled);
    }
    // A texture begins with whole blocks.
    let begins = |level: &usize| {
        let side = |side: u32| side >> level;
        let is_whole = |side: u32| side > 0 && side.is_multiple_of(image.format().block());
        largest >> level <= limit && is_whole(side(image.width())) && is_whole(side(image.height()))
    };
    (1..image.levels().len()).find(begins).map_or(Fitted::Not, Fitted::Level)
}

fn format(pixels: PixelFormat, srgb: bool) -> wgpu::TextureFormat {
    use wgpu::TextureFormat as F;
    let (linear, encoded) = match pixels {
        PixelFormat::Rgba8 => (F::Rgba8Unorm, F::Rgba8UnormSrgb),
        PixelFormat::Bc7 => (F::Bc7RgbaUnorm, F::Bc7RgbaUnormSrgb),
        PixelFormat::Etc2Rgba8 => (F::Etc2Rgba8Unorm, F::Etc2Rgba8UnormSrgb),
        PixelFormat::Astc4x4 => {
            let astc = |channel| F::Astc { block: wgpu::AstcBlock::B4x4, channel };
            (astc(wgpu::AstcChannel::Unorm), astc(wgpu::AstcChannel::UnormSrgb))
        }
    };
    if srgb { encoded } else { linear }
}

/// Without the levels above `first`. Smaller levels are the image's own where it has some, else made here.
fn upload(
    gpu: &Gpu,
    pipelines: &mut Pipelines,
    name: &str,
    pixels: &Pixels,
    first: usize,
    srgb: bool,
) -> wgpu::TextureView {
    let format = format(pixels.format(), srgb);
    let size = [pixels.width() >> first, pixels.height() >> first];
    let own = &pixels.levels()[first..];
    let made = pixels.format() == PixelFormat::Rgba8 && pixels.levels().len() == 1;
    let levels = if made { 32 - size[0].max(size[1]).leading_zeros() } else { own.len() as u32 };
    let texture = create(gpu, name, size, format, levels);
    for (level, bytes) in (0..).zip(own) {
        write_level(gpu, &texture, level, bytes);
    }
    if made {
        make_levels(gpu, pipelines, &texture, format, levels);
    }
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
        usage: U::TEXTURE_BINDING
            | U::COPY_DST
            | if format.is_compressed() { U::empty() } else { U::RENDER_ATTACHMENT },
        view_formats: &[],
    })
}

fn write_level(gpu: &Gpu, texture: &wgpu::Texture, level: u32, bytes: &[u8]) {
    // Blocks are written whole, also where a level is smaller.
    let size = texture.size().mip_level_size(level, wgpu::TextureDimension::D2).physical_size(texture.format());
    let (block, _) = texture.format().block_dimensions();
    let bytes_per_row = texture.format().block_copy_size(None).map(|bytes| size.width / block * bytes);
    let rows = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
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
        assert!(matches!(fitted(&image, 24), Fitted::Whole));
        let smaller = scaled(&image, 8);
        assert_eq!((smaller.width(), smaller.height()), (8, 2));
        for [r, g, b, a] in smaller.levels()[0].as_chunks().0 {
            assert!((130..=170).contains(r) && (*g, *b, *a) == (100, 0, 255), "{r} {g} {b} {a}");
        }
        let needle = Pixels::rgba8(144, 1, vec![7; 144 * 4]).unwrap();
        assert_eq!((scaled(&needle, 8).width(), scaled(&needle, 8).height()), (8, 1));
    }

    fn scaled(image: &Pixels, limit: u32) -> Pixels {
        let Fitted::Scaled(smaller) = fitted(image, limit) else { panic!("not scaled to {limit}") };
        smaller
    }

    #[test]
    fn blocks_too_large_for_the_adapter_lose_their_largest_levels() {
        let blocks = |width: u32, height: u32, levels: u32| {
            let bytes = |l: u32| PixelFormat::Bc7.bytes((width >> l).max(1), (height >> l).max(1)) as usize;
            Pixels::new(width, height, PixelFormat::Bc7, (0..levels).map(|l| vec![0; bytes(l)]).collect()).unwrap()
        };
        assert!(matches!(fitted(&blocks(64, 32, 7), 64), Fitted::Whole));
        assert!(matches!(fitted(&blocks(64, 32, 7), 63), Fitted::Level(1)));
        assert!(matches!(fitted(&blocks(64, 32, 7), 17), Fitted::Level(2)));
        // A texture of 8 × 4 would do; one of 4 × 2 has no whole block, and two levels do not reach.
        assert!(matches!(fitted(&blocks(64, 32, 7), 8), Fitted::Level(3)));
        assert!(matches!(fitted(&blocks(64, 32, 7), 4), Fitted::Not));
        assert!(matches!(fitted(&blocks(64, 32, 2), 16), Fitted::Not));
    }
}
