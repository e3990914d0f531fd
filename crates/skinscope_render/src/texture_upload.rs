//! Turns an image into a texture: which of its levels the device can have, its smaller levels, and the writes that
//! upload it.

use std::borrow::Cow;

use skinscope_model::{PixelFormat, Pixels};

use super::budget::TextureDemand;
use super::error::GpuError;
use super::gpu::{Gpu, MOST_AT_ONCE, TextureKind};
use super::levels::{halved, next_level};

/// The demand of an image as a texture, as far as the device can have it. `limit`: the largest side of a texture, in
/// pixels.
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
    // The largest level of a texture must have whole blocks.
    let begins = |level: &usize| {
        let side = |side: u32| side >> level;
        let is_whole = |side: u32| side > 0 && side.is_multiple_of(image.format().block());
        largest >> level <= limit && is_whole(side(image.width())) && is_whole(side(image.height()))
    };
    (1..image.levels().len()).find(begins)
}

/// True where the image has no smaller levels of its own, and they can be computed.
fn makes_levels(pixels: &Pixels) -> bool {
    pixels.format() == PixelFormat::Rgba8 && pixels.levels().len() == 1
}

fn levels_of(size: [u32; 2]) -> u32 {
    32 - size[0].max(size[1]).leading_zeros()
}

fn scaled(side: u32, limit: u32, largest: u32) -> u32 {
    ((u64::from(side) * u64::from(limit) / u64::from(largest)) as u32).max(1)
}

/// The end of a message about an image that is shown smaller.
pub(super) const MOST: &str = "the most that this graphics adapter takes";

/// An image as a device can take it.
#[derive(Debug)]
pub(super) enum Fitted {
    Whole,
    Scaled(Pixels),
    /// The image without the levels above this one.
    Level(usize),
    Not,
}

/// An image as a device can take it whose textures have at most `limit` pixels a side. A larger image is scaled down;
/// one with levels of its own loses the largest of them.
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

/// Uploads an image without the levels above `first`, and without the `dropped` largest of the rest. Smaller levels are
/// the image's own where it has some; otherwise each is computed here from the one above it.
pub(super) fn upload(
    gpu: &Gpu,
    name: &str,
    pixels: &Pixels,
    first: usize,
    dropped: usize,
    srgb: bool,
) -> Result<wgpu::Texture, GpuError> {
    let format = format(pixels.format(), srgb);
    let mut size = [pixels.width(), pixels.height()];
    if !makes_levels(pixels) {
        let own = &pixels.levels()[first + dropped..];
        let size = size.map(|side| (side >> (first + dropped)).max(1));
        let texture = create(gpu, name, size, format, own.len() as u32);
        let levels: Vec<(u32, &[u8])> = (0..).zip(own.iter().map(|bytes| bytes.as_slice())).collect();
        write_levels(gpu, &texture, &levels)?;
        return Ok(texture);
    }
    let mut bytes = Cow::Borrowed(&pixels.levels()[0]);
    for _ in 0..dropped {
        bytes = Cow::Owned(next_level(size, &bytes, srgb));
        size = halved(size);
    }
    let levels = levels_of(size);
    let texture = create(gpu, name, size, format, levels);
    let mut smaller: Vec<Vec<u8>> = Vec::new();
    for _ in 1..levels {
        smaller.push(next_level(size, smaller.last().map_or(&bytes, |level| level), srgb));
        size = halved(size);
    }
    let levels = std::iter::once(&**bytes).chain(smaller.iter().map(Vec::as_slice));
    let levels: Vec<(u32, &[u8])> = (0..).zip(levels).collect();
    write_levels(gpu, &texture, &levels)?;
    Ok(texture)
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
        // Blocks have to be copied whole.
        encoder.copy_texture_to_texture(from, to, size_of(dropped + level).physical_size(texture.format()));
    }
    gpu.queue.submit([encoder.finish()]);
    smaller
}

pub(super) fn create(gpu: &Gpu, name: &str, size: [u32; 2], format: wgpu::TextureFormat, levels: u32) -> wgpu::Texture {
    use wgpu::TextureUsages as U;
    let usage = U::TEXTURE_BINDING | U::COPY_DST | U::COPY_SRC;
    gpu.texture(name, size, TextureKind { levels, ..TextureKind::plain(format, usage) })
}

/// Uploads all texels of these levels. Their bytes go through buffers that are created here and not through
/// `Queue::write_texture`, for which a lack of memory means that the device is lost. Here it is an error like any
/// other, after which a smaller texture is tried.
pub(super) fn write_levels(gpu: &Gpu, texture: &wgpu::Texture, levels: &[(u32, &[u8])]) -> Result<(), GpuError> {
    let most = if gpu.software.growing_blocks { MOST_AT_ONCE / 4 } else { MOST_AT_ONCE };
    let strips = levels.iter().flat_map(|(level, bytes)| strips(texture, *level, bytes, most));
    let is_compressed = texture.format().is_compressed();
    let (gapped, strips): (Vec<_>, Vec<_>) =
        strips.partition(|strip| is_compressed && strip.stride() > strip.bytes_per_row);
    for strip in gapped {
        // The OpenGL backend of wgpu 30 copies rows of blocks from a buffer as if there were no gaps between them. Such levels are
        // small, or the image is of an odd width.
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(strip.bytes_per_row as u32),
            rows_per_image: None,
        };
        gpu.queue.write_texture(strip.destination(texture), strip.bytes, layout, strip.size);
    }
    let mut rest = strips.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |strip: &&Strip<'_>| {
            bytes += strip.padded();
            bytes <= most
        };
        let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        write_strips(gpu, texture, now)?;
        if gpu.software.growing_blocks {
            // The next strips take the memory of these.
            gpu.wait()?;
        }
        rest = later;
    }
    Ok(())
}

/// Some rows of blocks of one level, which are stored one after the other without gaps.
struct Strip<'a> {
    level: u32,
    /// The first row of texels in the level.
    y: u32,
    /// The size in texels, counted in whole blocks as the device does.
    size: wgpu::Extent3d,
    bytes: &'a [u8],
    bytes_per_row: usize,
}

impl Strip<'_> {
    /// Bytes from one row to the next in the buffer that is copied from.
    fn stride(&self) -> usize {
        self.bytes_per_row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize)
    }

    /// Where it goes in a texture.
    fn destination<'t>(&self, texture: &'t wgpu::Texture) -> wgpu::TexelCopyTextureInfo<'t> {
        let origin = wgpu::Origin3d { x: 0, y: self.y, z: 0 };
        wgpu::TexelCopyTextureInfo { mip_level: self.level, origin, ..texture.as_image_copy() }
    }

    /// Bytes that it takes in the buffer that is copied from.
    fn padded(&self) -> usize {
        self.bytes.len() / self.bytes_per_row * self.stride()
    }
}

/// Cuts a level into strips, so that no strip of several rows takes more than `most` bytes.
fn strips<'a>(texture: &wgpu::Texture, level: u32, bytes: &'a [u8], most: usize) -> Vec<Strip<'a>> {
    // Blocks are written whole, even where a level is smaller than a block.
    let size = texture.size().mip_level_size(level, wgpu::TextureDimension::D2).physical_size(texture.format());
    let (block, block_height) = texture.format().block_dimensions();
    let Some(bytes_per_block) = texture.format().block_copy_size(None) else { return Vec::new() };
    let bytes_per_row = (size.width / block * bytes_per_block) as usize;
    let whole = Strip { level, y: 0, size, bytes, bytes_per_row };
    let rows_at_once = (most / whole.stride()).max(1);
    let rows = |bytes: &[u8]| (bytes.len() / bytes_per_row) as u32 * block_height;
    let cut = (0..).zip(bytes.chunks(rows_at_once * bytes_per_row));
    let strip = |(n, bytes)| Strip {
        y: n * rows_at_once as u32 * block_height,
        size: wgpu::Extent3d { height: rows(bytes), ..size },
        bytes,
        level,
        bytes_per_row,
    };
    cut.map(strip).collect()
}

/// Copies strips to a texture through one buffer.
fn write_strips(gpu: &Gpu, texture: &wgpu::Texture, strips: &[Strip<'_>]) -> Result<(), GpuError> {
    let options = wgpu::BufferDescriptor {
        label: Some("texels on their way"),
        size: strips.iter().map(|strip| strip.padded() as u64).sum(),
        usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: true,
    };
    let buffer = gpu.scope(|| gpu.device.create_buffer(&options))?;
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("texels") });
    // A buffer that was created is not mapped only where the device was lost meanwhile.
    let mut mapped = buffer.get_mapped_range_mut(..).map_err(|e| GpuError::lost(&e.to_string()))?;
    let mut offset = 0;
    for strip in strips {
        for (row, texels) in strip.bytes.chunks(strip.bytes_per_row).enumerate() {
            let start = offset + row * strip.stride();
            mapped.slice(start..start + texels.len()).copy_from_slice(texels);
        }
        let layout = wgpu::TexelCopyBufferLayout {
            offset: offset as u64,
            bytes_per_row: Some(strip.stride() as u32),
            rows_per_image: None,
        };
        let from = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_buffer_to_texture(from, strip.destination(texture), strip.size);
        offset += strip.padded();
    }
    drop(mapped);
    buffer.unmap();
    gpu.queue.submit([encoder.finish()]);
    Ok(())
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
