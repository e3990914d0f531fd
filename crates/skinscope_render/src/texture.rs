//! Images on the device: each pair of image and colour space once, with all its smaller levels, and samplers as the
//! file has them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use skinscope_model::{Filter, ImageId, Model, TextureSampler, Wrap};

use super::budget::{TextureDemand, notice, plan};
use super::device_jobs::{DeviceJob, DeviceJobs, check, progress};
use super::error::GpuError;
use super::gpu::Gpu;
use super::texture_upload::{Fitted, MOST, create, fitted, format, upload, wanted, without_levels, write_levels};

/// The texture that stands in where one is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Neutral {
    White,
    FlatNormal,
    /// Highlights that are stretched along the tangent, as strongly as the factor says.
    AlongTangent,
}

/// Textures and samplers of one model, made when first asked for.
#[derive(Debug, Default)]
pub(super) struct Textures {
    images: BTreeMap<Key, TextureEntry>,
    neutral: HashMap<Neutral, wgpu::TextureView>,
    samplers: HashMap<TextureSampler, wgpu::Sampler>,
    /// Messages about what cannot be shown as the file has it.
    pub notices: Vec<String>,
    /// True where the device had no memory for what was planned.
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
    /// The texture; `None` where there can be none.
    texture: Option<wgpu::Texture>,
    dropped: usize,
    /// A message about what cannot be shown as the file has it.
    notice: Option<String>,
    /// True where the device had no memory for what was planned.
    short: bool,
    /// How many bytes wait to be copied to it.
    bytes: u64,
}

/// An image, and whether its colours are sRGB-encoded.
pub(super) type Key = (ImageId, bool);

/// The texture of an image on the device, or the fact that there can be none.
#[derive(Debug)]
struct TextureEntry {
    made: Option<(wgpu::Texture, wgpu::TextureView)>,
    wanted: TextureDemand,
    /// How many of the wanted levels it lacks, from the largest on.
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
        image.is_pending() || is_making || image.has_pixels() && !self.images.contains_key(&key)
    }

    /// True while textures are being made on a thread, and until they are taken.
    pub fn is_busy(&self) -> bool {
        self.making.is_some()
    }

    /// How much of those textures is done, 0…1; `None` where none are left to be made.
    pub fn making(&self) -> Option<f32> {
        self.making.as_ref().filter(|making| !making.job.is_done()).map(|making| making.job.fraction())
    }

    /// True where those textures are made and can be taken.
    pub(crate) fn has_made(&self) -> bool {
        self.making.as_ref().is_some_and(|making| making.job.is_done())
    }

    /// Makes textures of those images whose pixels are here, until they take `most` bytes. Where all textures together
    /// take more memory than there is for them, the largest are made smaller; returns true where that happened to some
    /// that were there before. With `jobs`, large ones are made on a thread: a later call takes them and begins with
    /// the next.
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
        let here = |key: &Key| !self.images.contains_key(key) && model.images[key.0.index()].has_pixels();
        let mut news: BTreeSet<Key> = keys.filter(here).collect();
        let mut bytes = 0;
        news.retain(|key| {
            let pixels = (bytes < most).then(|| model.images[key.0.index()].pixels()).flatten();
            let Some(wanted) = pixels.map(|pixels| wanted(&pixels, limit)) else { return false };
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
            } else if let Some(entry) = self.images.get_mut(key)
                && entry.dropped < drop
            {
                entry.shrink(gpu, drop);
                shrunk = true;
            }
        }
        // Making small textures holds a picture up less than starting a thread does.
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
        if let Some(entry) = self.images.get_mut(&key) {
            entry.dropped = made.dropped;
            entry.made = made.texture.map(|texture| {
                let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
                (texture, view)
            });
        }
        made.notice.into_iter().for_each(|notice| self.note(notice));
    }

    /// Adds the message that says how much smaller textures are shown. Called when all images are here.
    pub(crate) fn conclude(&mut self, gpu: &Gpu) {
        let entries: Vec<&TextureEntry> = self.images.values().filter(|h| h.made.is_some()).collect();
        let dropped: Vec<usize> = entries.iter().map(|h| h.dropped).collect();
        let all: Vec<TextureDemand> = entries.iter().map(|h| h.wanted.clone()).collect();
        if let Some(notice) = notice(&all, &dropped, (!self.short).then_some(gpu.texture_memory)) {
            self.note(notice);
        }
    }

    fn note(&mut self, notice: String) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// A texture of one texel that leaves the material as it is.
    pub fn neutral(&mut self, gpu: &Gpu, which: Neutral) -> Result<wgpu::TextureView, GpuError> {
        if let Some(view) = self.neutral.get(&which) {
            return Ok(view.clone());
        }
        let rgba = match which {
            Neutral::White => [255; 4],
            Neutral::FlatNormal => [128, 128, 255, 255],
            Neutral::AlongTangent => [255, 128, 255, 255],
        };
        let texture = gpu.scope(|| create(gpu, &format!("{which:?}"), [1, 1], wgpu::TextureFormat::Rgba8Unorm, 1))?;
        write_levels(gpu, &texture, &[(0, &rgba)])?;
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.neutral.insert(which, view.clone());
        Ok(view)
    }

    /// The sampler that filters and wraps as the file says.
    pub fn sampler(&mut self, gpu: &Gpu, how: TextureSampler) -> wgpu::Sampler {
        self.samplers.entry(how).or_insert_with(|| make_sampler(gpu, how)).clone()
    }
}

/// Makes textures one after the other, each without as many of its largest levels as `wanted` says. Pixels that are on
/// the device are freed where they can be decoded again.
fn make_all(
    gpu: &Gpu,
    model: &Model,
    wanted: &[(Key, TextureDemand, usize)],
    take: &mut dyn FnMut(Key, Made) -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    let mut in_flight = 0;
    for (n, (key, demand, drop)) in wanted.iter().enumerate() {
        let Some(made) = make(gpu, model, *key, demand, *drop)? else { continue };
        // The two textures of an image, one for each colour space, come one after the other.
        if wanted.get(n + 1).is_none_or(|(next, ..)| next.0 != key.0) {
            model.images[key.0.index()].free();
        }
        in_flight += made.bytes;
        if in_flight > MOST_IN_FLIGHT {
            // Data that waits to be copied takes memory a second time until it is.
            gpu.wait()?;
            in_flight = 0;
        }
        take(*key, made)?;
    }
    Ok(())
}

/// Makes one texture, with fewer levels still where the device is out of memory.
fn make(gpu: &Gpu, model: &Model, key: Key, wanted: &TextureDemand, drop: usize) -> Result<Option<Made>, GpuError> {
    let source = &model.images[key.0.index()];
    let Some(shared) = source.pixels() else { return Ok(None) };
    let pixels = &*shared;
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
        made = gpu.scope(|| upload(gpu, &source.name, &pixels, first, dropped, key.1)).and_then(|made| made);
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
        // Without smaller levels the clamp is not zero: then everything would count as magnified, and the filter for
        // minification would not be used (Vulkan 1.4, "Level-of-Detail Operation" and its note on OpenGL's filters).
        lod_max_clamp: if how.mip.is_some() { 32.0 } else { 0.25 },
        // Anisotropy is allowed only where every filter is linear.
        anisotropy_clamp: if smooth { 8 } else { 1 },
        ..wgpu::SamplerDescriptor::default()
    })
}

impl TextureEntry {
    /// Drops its largest levels, `dropped` in all. Whatever binds the texture must be bound again.
    fn shrink(&mut self, gpu: &Gpu, dropped: usize) {
        if let Some((texture, _)) = &self.made {
            let smaller = without_levels(gpu, texture, (dropped - self.dropped) as u32);
            self.made = Some((smaller.clone(), smaller.create_view(&wgpu::TextureViewDescriptor::default())));
        }
        self.dropped = dropped;
    }
}

/// The bytes of a texture from which on no picture waits for it: a texture of 2048² with its smaller levels.
const LARGE: u64 = 16 << 20;

/// How many bytes may wait to be copied to textures.
const MOST_IN_FLIGHT: u64 = 256 << 20;
