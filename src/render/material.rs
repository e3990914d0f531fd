//! Materials on the device: numbers, textures, samplers, bound together once.

use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts;
use super::pipelines::{MATERIAL_TEXTURES, Pipelines, entry};
use super::texture::{Neutral, Textures};
use crate::model::{AlphaMode, ImageId, Material, Model, TextureSampler, TextureSlot};

/// The materials of a model, then the default one.
#[derive(Debug)]
pub(super) struct Materials {
    pub groups: Vec<wgpu::BindGroup>,
    textures: Textures,
    /// Materials that were bound before all of their images had arrived, and the images they lack.
    waiting: Vec<(usize, Vec<ImageId>)>,
}

impl Materials {
    pub fn new(gpu: &Gpu, pipelines: &mut Pipelines, model: &Model) -> Result<Self, GpuError> {
        let default = Material::default();
        let mut made = Self { groups: Vec::new(), textures: Textures::default(), waiting: Vec::new() };
        for (i, material) in model.materials.iter().chain([&default]).enumerate() {
            // Asked first: what arrives in between is bound again.
            made.wait(model, i);
            made.groups.push(group(gpu, pipelines, &mut made.textures, model, material)?);
        }
        Ok(made)
    }

    /// What could not be drawn as the file has it.
    pub fn notices(&self) -> &[String] {
        &self.textures.notices
    }

    /// True when an image has arrived that some material waits for.
    pub fn has_news(&self, model: &Model) -> bool {
        self.waiting.iter().any(|(_, images)| images.iter().any(|i| !model.images[i.index()].is_pending()))
    }

    /// Binds the materials again for which an image has arrived.
    pub fn take_news(&mut self, gpu: &Gpu, pipelines: &mut Pipelines, model: &Model) -> Result<(), GpuError> {
        let arrived = |i: &ImageId| !model.images[i.index()].is_pending();
        let (news, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(_, i)| i.iter().any(arrived));
        self.waiting = waiting;
        let news: Vec<(usize, Vec<ImageId>)> = news;
        for (i, _) in news {
            self.wait(model, i);
            self.groups[i] = group(gpu, pipelines, &mut self.textures, model, &model.materials[i])?;
        }
        Ok(())
    }

    /// Notes what material `i` lacks.
    fn wait(&mut self, model: &Model, i: usize) {
        let slots = model.materials.get(i).map(slots);
        let images = slots.iter().flatten().filter_map(|b| model.textures[b.slot?.texture.index()].image);
        let pending: Vec<ImageId> = images.filter(|i| model.images[i.index()].is_pending()).collect();
        if !pending.is_empty() {
            self.waiting.push((i, pending));
        }
    }
}

fn group(
    gpu: &Gpu,
    pipelines: &mut Pipelines,
    textures: &mut Textures,
    model: &Model,
    m: &Material,
) -> Result<wgpu::BindGroup, GpuError> {
    let numbers = numbers(m);
    let numbers = gpu.buffer("a material", bytemuck::bytes_of(&numbers), wgpu::BufferUsages::UNIFORM)?;
    let mut bound = Vec::new();
    for Bound { slot, srgb, neutral } in slots(m) {
        let texture = slot.map(|s| model.textures[s.texture.index()]);
        let image = texture.and_then(|t| t.image);
        let view = image
            .and_then(|image| textures.image(gpu, pipelines, model, image, srgb))
            .unwrap_or_else(|| textures.neutral(gpu, neutral));
        bound.push((view, textures.sampler(gpu, texture.map_or(TextureSampler::default(), |t| t.sampler))));
    }
    let mut entries = vec![entry(0, numbers.as_entire_binding())];
    for (i, (view, sampler)) in (0..).zip(&bound) {
        entries.push(entry(1 + 2 * i, wgpu::BindingResource::TextureView(view)));
        entries.push(entry(2 + 2 * i, wgpu::BindingResource::Sampler(sampler)));
    }
    Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(&m.name),
        layout: &pipelines.material,
        entries: &entries,
    }))
}

/// A texture of a material.
struct Bound {
    slot: Option<TextureSlot>,
    /// Its colours are encoded.
    srgb: bool,
    /// What stands in for it.
    neutral: Neutral,
}

/// In order of the bindings.
fn slots(m: &Material) -> [Bound; MATERIAL_TEXTURES] {
    let bound = |slot, srgb, neutral| Bound { slot, srgb, neutral };
    [
        bound(m.base_color_texture, true, Neutral::White),
        bound(m.metallic_roughness_texture, false, Neutral::White),
        bound(m.normal_texture, false, Neutral::FlatNormal),
        bound(m.occlusion_texture, false, Neutral::White),
        bound(m.emissive_texture, true, Neutral::White),
    ]
}

fn numbers(m: &Material) -> layouts::Material {
    let (alpha_mode, alpha_cutoff) = match m.alpha {
        AlphaMode::Opaque => (0, 0.0),
        AlphaMode::Mask { cutoff } => (1, cutoff),
        AlphaMode::Blend => (2, 0.0),
    };
    layouts::Material {
        base_color: m.base_color.to_array(),
        emissive: m.emissive.extend(m.normal_scale).to_array(),
        metallic: m.metallic,
        roughness: m.roughness,
        occlusion_strength: m.occlusion_strength,
        alpha_cutoff,
        alpha_mode,
        double_sided: u32::from(m.double_sided),
        second_uv: bits(m, |bound| bound.slot.is_some_and(|s| s.uv_set == 1)),
        unused: 0,
    }
}

/// Bit n: what holds for texture n.
fn bits(m: &Material, holds: fn(&Bound) -> bool) -> u32 {
    (0..).zip(&slots(m)).map(|(i, bound)| u32::from(holds(bound)) << i).sum()
}

/// Bit n: texture n is there.
pub(super) fn textures(m: &Material) -> u32 {
    bits(m, |bound| bound.slot.is_some())
}

/// Bit 0: base colour.
pub(super) const BASE_COLOR: u32 = 1;
