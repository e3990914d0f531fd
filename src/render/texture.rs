//! Images on the device: each (image, colour space) once, with all its smaller levels; samplers as the file has them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::budget::{TextureDemand, notice, plan};
use super::device_jobs::{DeviceJob, DeviceJobs, check, progress};
use super::error::GpuError;
use super::gpu::Gpu;
use super::texture_upload::{Fitted, MOST, create, fitted, format, upload, wanted, without_levels, write_level};
use crate::model::{Filter, ImageId, Model, TextureSampler, Wrap};

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
