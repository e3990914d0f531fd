//! Images on the device: each (image, colour space) once, with all its smaller levels; samplers as the file has them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::budget::{TextureDemand, notice, plan};
use super::device_jobs::{DeviceJob, DeviceJobs, check, progress};
use super::error::GpuError;
use super::gpu::{Gpu, MOST_AT_ONCE};
use super::levels::{halved, next_level};
use crate::model::{Filter, ImageId, Model, PixelFormat, Pixels, TextureSampler, Wrap};

/// The texture that stands in where one is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Neutral {
    White,
    FlatNormal,
}

/// Textures and samplers of one model, made when first asked for.
#[derive(Debug, Default)]
pub(super) struct Textures {
    images: BTreeMap<Key, TextureEntry>,
    neutral: HashMap<Neutral, wgpu::TextureView>,
    samplers: HashMap<TextureSampler, wgpu::Sampler>,
    /// Messages about what could not be kept as the file has it.
    pub notices: Vec<String>,
    /// The device had no memory for what was planned.
    short: bool,
    /// The textures that are being made on a thread.
    making: Option<Making>,
}

/// Textures that are being made on a thread.
#[derive(Debug)]
struct Making {
    keys: BTreeSet<Key>,
    job: DeviceJob<Vec<(Key, Made)>>,
}

/// The result of making a texture of an image.
#[derive(Debug)]
struct Made {
    /// `None` where there can be none.
    texture: Option<wgpu::Texture>,
    dropped: usize,
    /// A message about what could not be kept as the file has it.
    notice: Option<String>,
    /// The device had no memory for what was planned.
    short: bool,
    /// That wait to be copied.
    bytes: u64,
}

/// An image, and whether its colours are encoded (sRGB).
pub(super) type Key = (ImageId, bool);

/// A texture on the device, or that there can be none.
#[derive(Debug)]
struct TextureEntry {
    made: Option<(wgpu::Texture, wgpu::TextureView)>,
    wanted: TextureDemand,
    /// The number of the largest levels that it lacks, of those that are wanted.
    dropped: usize,
}

impl Textures {
    /// The view of an image, if it was loaded and can be shown.
    pub fn view(&self, key: Key) -> Option<wgpu::TextureView> {
        self.images.get(&key)?.made.as_ref().map(|(_, view)| view.clone())
    }

    /// True while an image may still become a texture: its pixels are pending, or here and not yet loaded.
    pub fn is_missing(&self, model: &Model, key: Key) -> bool {
        let image = &model.images[key.0.index()];
        let is_making = self.making.as_ref().is_some_and(|making| making.keys.contains(&key));
        image.is_pending() || is_making || image.pixels().is_some() && !self.images.contains_key(&key)
    }

    /// Some are being made on a thread.
    pub fn is_busy(&self) -> bool {
        self.making.is_some()
    }

    /// How much of those is done, 0…1; `None` where none are left to be made.
    pub fn making(&self) -> Option<f32> {
        self.making.as_ref().filter(|making| !making.job.is_done()).map(|making| making.job.fraction())
    }

    /// Those are made.
    pub fn has_made(&self) -> bool {
        self.making.as_ref().is_some_and(|making| making.job.is_done())
    }

    /// Makes textures of those images whose pixels are here, until they take `most` bytes. Where all take more memory than
    /// there is for textures, the largest are made smaller: true where that befell some that were there before. With
    /// `jobs` large ones are made on a thread: a later call takes them, and begins with the next.
    pub fn load(
        &mut self,
        gpu: &Gpu,
        model: &Arc<Model>,
        keys: impl Iterator<Item = Key>,
        most: u64,
        jobs: Option<&DeviceJobs>,
    ) -> Result<bool, GpuError> {
        if let Some(making) = self.making.take() {
            let Some(made) = making.job.take() else {
                self.making = Some(making);
                return Ok(false);
            };
            made?.into_iter().for_each(|(key, made)| self.keep(key, made));
        }
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let here = |key: &Key| !self.images.contains_key(key) && model.images[key.0.index()].pixels().is_some();
        let mut news: BTreeSet<Key> = keys.filter(here).collect();
        let mut bytes = 0;
        news.retain(|key| {
            let pixels = model.images[key.0.index()].pixels().filter(|_| bytes < most);
            let Some(wanted) = pixels.map(|pixels| wanted(pixels, limit)) else { return false };
            bytes += wanted.bytes(0);
            self.images.insert(*key, TextureEntry { made: None, wanted, dropped: 0 });
            true
        });
        let (keys, all): (Vec<Key>, Vec<TextureDemand>) =
            self.images.iter().map(|(k, h)| (*k, h.wanted.clone())).unzip();
        let mut shrunk = false;
        let mut wanted: Vec<(Key, TextureDemand, usize)> = Vec::new();
        for ((key, want), drop) in keys.iter().zip(&all).zip(plan(&all, gpu.texture_memory)) {
            if news.contains(key) {
                wanted.push((*key, want.clone(), drop));
            } else if let Some(held) = self.images.get_mut(key)
                && held.dropped < drop
            {
                held.shrink(gpu, drop);
                shrunk = true;
            }
        }
        // Small ones cost a picture less than a thread does.
        let is_large = |(_, wanted, _): &(Key, TextureDemand, usize)| wanted.bytes(0) > LARGE;
        match jobs.filter(|_| wanted.iter().any(is_large)) {
            Some(jobs) => {
                let model = Arc::clone(model);
                let job = jobs.start("textures", move |gpu, context| {
                    let mut out = Vec::new();
                    make_all(gpu, &model, &wanted, &mut |key, made| {
                        out.push((key, made));
                        progress(context, out.len() as u64, wanted.len() as u64);
                        check(context)
                    })?;
                    Ok(out)
                });
                self.making = Some(Making { keys: news, job });
            }
            None => make_all(gpu, model, &wanted, &mut |key, made| {
                self.keep(key, made);
                Ok(())
            })?,
        }
        Ok(shrunk)
    }

    fn keep(&mut self, key: Key, made: Made) {
        self.short |= made.short;
        if let Some(held) = self.images.get_mut(&key) {
            held.dropped = made.dropped;
            held.made = made.texture.map(|texture| {
                let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
                (texture, view)
            });
        }
        made.notice.into_iter().for_each(|notice| self.note(notice));
    }

    /// Says how much smaller what is shown; when all images are here.
    pub fn conclude(&mut self, gpu: &Gpu) {
        let held: Vec<&TextureEntry> = self.images.values().filter(|h| h.made.is_some()).collect();
        let dropped: Vec<usize> = held.iter().map(|h| h.dropped).collect();
        let all: Vec<TextureDemand> = held.iter().map(|h| h.wanted.clone()).collect();
        if let Some(notice) = notice(&all, &dropped, (!self.short).then_some(gpu.texture_memory)) {
            self.note(notice);
        }
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

/// Makes textures one after the other, each of so many of its largest levels less.
fn make_all(
    gpu: &Gpu,
    model: &Model,
    wanted: &[(Key, TextureDemand, usize)],
    take: &mut dyn FnMut(Key, Made) -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    let mut in_flight = 0;
    for (key, wanted, drop) in wanted {
        let Some(made) = make(gpu, model, *key, wanted, *drop)? else { continue };
        in_flight += made.bytes;
        if in_flight > MOST_IN_FLIGHT {
            // What waits to be copied is kept once more until then.
            gpu.wait()?;
            in_flight = 0;
        }
        take(*key, made)?;
    }
    Ok(())
}

/// Makes one texture, smaller still where memory is short.
fn make(gpu: &Gpu, model: &Model, key: Key, wanted: &TextureDemand, drop: usize) -> Result<Option<Made>, GpuError> {
    let source = &model.images[key.0.index()];
    let Some(pixels) = source.pixels() else { return Ok(None) };
    let (limit, name) = (gpu.device.limits().max_texture_dimension_2d, format!("image {}", key.0.0));
    let (w, h) = (pixels.width(), pixels.height());
    let none = |notice| Made { texture: None, dropped: 0, notice: Some(notice), short: false, bytes: 0 };
    let mut notice = None;
    let (pixels, first) = match fitted(pixels, limit) {
        _ if !gpu.device.features().contains(format(pixels.format(), key.1).required_features()) => {
            let what = "holds blocks that this graphics adapter does not read; open the file again to see it";
            return Ok(Some(none(format!("{name} {what}"))));
        }
        Fitted::Whole => (Cow::Borrowed(pixels), 0),
        Fitted::Scaled(smaller) => {
            let (to_w, to_h) = (smaller.width(), smaller.height());
            notice = Some(format!("{name} ({w}×{h}) is shown at {to_w}×{to_h}, {MOST}"));
            (Cow::Owned(smaller), 0)
        }
        Fitted::Level(level) => {
            notice = Some(format!("{name} ({w}×{h}) is shown at {}×{}, {MOST}", w >> level, h >> level));
            (Cow::Borrowed(pixels), level)
        }
        Fitted::Not => {
            let text = format!("{name} ({w}×{h}) is larger than {limit} a side, {MOST}, and was left out");
            return Ok(Some(none(text)));
        }
    };
    let mut made = Err(GpuError::OutOfMemory(name.clone()));
    let mut dropped = drop;
    while matches!(made, Err(GpuError::OutOfMemory(_))) && dropped <= wanted.spare {
        made = gpu.scope(|| upload(gpu, &source.name, &pixels, first, dropped, key.1));
        dropped += 1;
    }
    let texture = match made {
        Ok(texture) => Some(texture),
        Err(GpuError::OutOfMemory(_)) => {
            notice = Some(format!("the graphics adapter has no memory for {name} ({w}×{h}): it was left out"));
            None
        }
        Err(error) => return Err(error),
    };
    Ok(Some(Made { texture, dropped: dropped - 1, notice, short: dropped > drop + 1, bytes: wanted.bytes(0) }))
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
        // Without smaller levels: at a clamp of zero all would count as magnified, and the filter for what is smaller be left
        // out (Vulkan 1.4, "Level-of-Detail Operation" and its note on OpenGL's filters).
        lod_max_clamp: if how.mip.is_some() { 32.0 } else { 0.25 },
        // Only where every filter is linear.
        anisotropy_clamp: if smooth { 8 } else { 1 },
        ..wgpu::SamplerDescriptor::default()
    })
}

impl TextureEntry {
    /// Lets go of its largest levels; what binds it must be bound again.
    fn shrink(&mut self, gpu: &Gpu, dropped: usize) {
        if let Some((texture, _)) = &self.made {
            let smaller = without_levels(gpu, texture, (dropped - self.dropped) as u32);
            self.made = Some((smaller.clone(), smaller.create_view(&wgpu::TextureViewDescriptor::default())));
        }
        self.dropped = dropped;
    }
}

/// A texture that no picture waits for, bytes: one of 2048² with its smaller levels.
const LARGE: u64 = 16 << 20;

/// Bytes that may wait to be copied to textures.
const MOST_IN_FLIGHT: u64 = 256 << 20;

/// The demand of an image as a texture, as far as the device can have it.
fn wanted(pixels: &Pixels, limit: u32) -> TextureDemand {
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
        let (width, height) = (scaled(image.width(), limit, largest), scaled(image.height(), limit, largest));
        let smaller = Pixels::rgba8(width, height, image::imageops::thumbnail(&pixels, width, height).into_raw());
        return smaller.map_or(Fitted::Not, Fitted::Scaled);
    }
    first_level(image, limit).map_or(Fitted::Not, Fitted::Level)
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

/// Without the levels above `first`, and without the `dropped` largest of the rest. Smaller levels are the image's own
/// where it has some, else made here, each from the one above it.
fn upload(gpu: &Gpu, name: &str, pixels: &Pixels, first: usize, dropped: usize, srgb: bool) -> wgpu::Texture {
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
fn without_levels(gpu: &Gpu, texture: &wgpu::Texture, dropped: u32) -> wgpu::Texture {
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

fn create(gpu: &Gpu, name: &str, size: [u32; 2], format: wgpu::TextureFormat, levels: u32) -> wgpu::Texture {
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

fn write_level(gpu: &Gpu, texture: &wgpu::Texture, level: u32, bytes: &[u8]) {
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
