//! From an image to a texture: what of it the device can have, its smaller levels, and the writes that bring it there.

use std::borrow::Cow;

use super::budget::TextureDemand;
use super::gpu::{Gpu, MOST_AT_ONCE};
use super::levels::{halved, next_level};
use crate::model::{PixelFormat, Pixels};

/// The demand of an image as a texture, as far as the device can have it.
pub(super) fn wanted(pixels: &Pixels, limit: u32) -> TextureDemand {
    let largest = pixels.width().max(pixels.height());
    let size = [pixels.width(), pixels.height()];
    let format = pixels.format();
    let block = format.block();
    let fits = |size: [u32; 2]| size.iter().all(|side| side.is_multiple_of(block));
    let bytes = |[width, height]: [u32; 2]| format.bytes(width, height);
    if makes_levels(pixels) {
        let side = |side: u32| if largest <= limit { side } else { scaled(side, limit, largest) };
        let size = size.map(side);
        return TextureDemand::new(size, levels_of(size), bytes, fits);
    }
    let first = if largest <= limit { Some(0) } else { first_level(pixels, limit) };
    let levels = first.map_or(0, |first| pixels.levels().len() - first);
    let size = size.map(|side| (side >> first.unwrap_or(0)).max(1));
    TextureDemand::new(size, levels as u32, bytes, fits)
}

/// The largest of an image's own levels that a texture can begin with.
fn first_level(image: &Pixels, limit: u32) -> Option<usize> {
    let largest = image.width().max(image.height());
    // A texture begins with whole blocks.
    let begins = |level: &usize| {
        let side = |side: u32| side >> level;
        let is_whole = |side: u32| side > 0 && side.is_multiple_of(image.format().block());
        largest >> level <= limit && is_whole(side(image.width())) && is_whole(side(image.height()))
    };
    (1..image.levels().len()).find(begins)
}

/// The image brings no smaller levels, and they can be drawn.
fn makes_levels(pixels: &Pixels) -> bool {
    pixels.format() == PixelFormat::Rgba8 && pixels.levels().len() == 1
}

fn levels_of(size: [u32; 2]) -> u32 {
    32 - size[0].max(size[1]).leading_zeros()
}

fn scaled(side: u32, limit: u32, largest: u32) -> u32 {
    ((u64::from(side) * u64::from(limit) / u64::from(largest)) as u32).max(1)
}

/// Ends a notice.
pub(super) const MOST: &str = "the most that this graphics adapter takes";

/// An image as a device can take it.
#[derive(Debug)]
pub(super) enum Fitted {
    Whole,
    Scaled(Pixels),
    /// Without the levels above this one.
    Level(usize),
    Not,
}

/// Scaled down, where it is larger than `limit` either way. What has levels of its own loses the largest of them.
pub(super) fn fitted(image: &Pixels, limit: u32) -> Fitted {
    let largest = image.width().max(image.height());
    if largest <= limit {
        return Fitted::Whole;
    }
    let whole = image.levels()[0].as_slice();
    let pixels = image::ImageBuffer::<image::Rgba<u8>, &[u8]>::from_raw(image.width(), image.height(), whole);
    if let (PixelFormat::Rgba8, Some(pixels)) = (image.format(), pixels) {
        let (width, height) = (scaled(image.width(), limit, largest), scaled(image.height(), limit, largest));
        let smaller = Pixels::rgba8(width, height, image::imageops::thumbnail(&pixels, width, height).into_raw());
        return smaller.map_or(Fitted::Not, Fitted::Scaled);
    }
    first_level(image, limit).map_or(Fitted::Not, Fitted::Level)
}

pub(super) fn format(pixels: PixelFormat, srgb: bool) -> wgpu::TextureFormat {
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

/// Without the levels above `first`, and without the `dropped` largest of the rest. Smaller levels are the image's own
/// where it has some, else made here, each from the one above it.
pub(super) fn upload(
    gpu: &Gpu,
    name: &str,
    pixels: &Pixels,
    first: usize,
    dropped: usize,
    srgb: bool,
) -> wgpu::Texture {
    let format = format(pixels.format(), srgb);
    let mut size = [pixels.width(), pixels.height()];
    if !makes_levels(pixels) {
        let own = &pixels.levels()[first + dropped..];
        let size = size.map(|side| (side >> (first + dropped)).max(1));
        let texture = create(gpu, name, size, format, own.len() as u32);
        (0..).zip(own).for_each(|(level, bytes)| write_level(gpu, &texture, level, bytes));
        return texture;
    }
    let mut bytes = Cow::Borrowed(&pixels.levels()[0]);
    for _ in 0..dropped {
        bytes = Cow::Owned(next_level(size, &bytes, srgb));
        size = halved(size);
    }
    let levels = levels_of(size);
    let texture = create(gpu, name, size, format, levels);
    // Each is gone before the next larger one takes its room on the device.
    let mut smaller: Vec<Vec<u8>> = Vec::new();
    for _ in 1..levels {
        smaller.push(next_level(size, smaller.last().map_or(&bytes, |level| level), srgb));
        size = halved(size);
    }
    for level in (1..levels).rev() {
        let bytes = smaller.pop().unwrap_or_default();
        write_level(gpu, &texture, level, &bytes);
    }
    write_level(gpu, &texture, 0, &bytes);
    texture
}

/// A texture that begins with level `dropped` of another.
pub(super) fn without_levels(gpu: &Gpu, texture: &wgpu::Texture, dropped: u32) -> wgpu::Texture {
    let size_of = |level: u32| texture.size().mip_level_size(level, wgpu::TextureDimension::D2);
    let (size, levels) = (size_of(dropped), texture.mip_level_count() - dropped);
    let smaller = create(gpu, "a smaller texture", [size.width, size.height], texture.format(), levels);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("smaller") });
    for level in 0..levels {
        let from = wgpu::TexelCopyTextureInfo { mip_level: dropped + level, ..texture.as_image_copy() };
        let to = wgpu::TexelCopyTextureInfo { mip_level: level, ..smaller.as_image_copy() };
        // Blocks are copied whole.
        encoder.copy_texture_to_texture(from, to, size_of(dropped + level).physical_size(texture.format()));
    }
    gpu.queue.submit([encoder.finish()]);
    smaller
}

pub(super) fn create(gpu: &Gpu, name: &str, size: [u32; 2], format: wgpu::TextureFormat, levels: u32) -> wgpu::Texture {
    use wgpu::TextureUsages as U;
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(name),
        size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: U::TEXTURE_BINDING | U::COPY_DST | U::COPY_SRC,
        view_formats: &[],
    })
}

pub(super) fn write_level(gpu: &Gpu, texture: &wgpu::Texture, level: u32, bytes: &[u8]) {
    // Blocks are written whole, also where a level is smaller.
    let size = texture.size().mip_level_size(level, wgpu::TextureDimension::D2).physical_size(texture.format());
    let (block, block_height) = texture.format().block_dimensions();
    let Some(bytes_per_block) = texture.format().block_copy_size(None) else { return };
    let bytes_per_row = size.width / block * bytes_per_block;
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(bytes_per_row), rows_per_image: None };
    // Of blocks.
    let rows_at_once = (MOST_AT_ONCE / bytes_per_row as usize).max(1);
    for (strip, bytes) in (0..).zip(bytes.chunks(rows_at_once * bytes_per_row as usize)) {
        if strip > 0 && gpu.software.stepped_writes {
            // What goes wrong meanwhile is told by the scope around this.
            _ = gpu.wait();
        }
        let y = strip * rows_at_once as u32 * block_height;
        let to = wgpu::TexelCopyTextureInfo {
            mip_level: level,
            origin: wgpu::Origin3d { x: 0, y, z: 0 },
            ..texture.as_image_copy()
        };
        let height = (bytes.len() as u32 / bytes_per_row) * block_height;
        gpu.queue.write_texture(to, bytes, layout, wgpu::Extent3d { height, ..size });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_too_large_for_the_adapter_keep_their_shape_and_mean() {
        let rgba = (0..24 * 6).flat_map(|i| if i % 2 == 0 { [200, 100, 0, 255] } else { [100, 100, 0, 255] });
        let image = Pixels::rgba8(24, 6, rgba.collect()).unwrap();
        assert!(matches!(fitted(&image, 24), Fitted::Whole));
        let smaller = scaled_to(&image, 8);
        assert_eq!((smaller.width(), smaller.height()), (8, 2));
        for [r, g, b, a] in smaller.levels()[0].as_chunks().0 {
            assert!((130..=170).contains(r) && (*g, *b, *a) == (100, 0, 255), "{r} {g} {b} {a}");
        }
        let needle = Pixels::rgba8(144, 1, vec![7; 144 * 4]).unwrap();
        assert_eq!((scaled_to(&needle, 8).width(), scaled_to(&needle, 8).height()), (8, 1));
    }

    fn scaled_to(image: &Pixels, limit: u32) -> Pixels {
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
