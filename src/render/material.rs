//! Materials on the device: numbers, textures, samplers, bound together once.

use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts;
use super::pipelines::{MATERIAL_TEXTURES, Pipelines, entry};
use super::texture::{Neutral, Textures};
use crate::model::{AlphaMode, Material, Model, TextureSampler, TextureSlot};

/// The materials of a model, then the default one.
#[derive(Debug)]
pub(super) struct Materials {
    pub groups: Vec<wgpu::BindGroup>,
    /// What could not be drawn as the file has it.
    pub notices: Vec<String>,
}

impl Materials {
    pub fn new(gpu: &Gpu, pipelines: &mut Pipelines, model: &Model) -> Result<Self, GpuError> {
        let mut textures = Textures::default();
        let default = Material::default();
        let mut groups = Vec::new();
        for material in model.materials.iter().chain([&default]) {
            groups.push(group(gpu, pipelines, &mut textures, model, material)?);
        }
        Ok(Self { groups, notices: textures.notices })
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
        let view = match texture.and_then(|t| t.image) {
            Some(image) => textures.image(gpu, pipelines, model, image, srgb),
            None => textures.neutral(gpu, pipelines, neutral),
        };
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
