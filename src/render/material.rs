//! Materials on the device: numbers, textures, samplers, bound together once.

use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts;
use super::pipelines::{MATERIAL_TEXTURES, Pipelines, entry};
use super::texture::{Key, Neutral, Textures};
use crate::model::{AlphaMode, Change, ImageId, Material, Model, Property, TextureSampler, TextureSlot};

/// The materials of a model, then the default one.
#[derive(Debug)]
pub(super) struct Materials {
    pub groups: Vec<wgpu::BindGroup>,
    /// The numbers of each.
    buffers: Vec<wgpu::Buffer>,
    /// Those that were last drawn with other numbers than their own.
    changed: Vec<usize>,
    textures: Textures,
    /// Materials that were bound before all of their images had arrived, and the images they lack.
    waiting: Vec<(usize, Vec<ImageId>)>,
}

impl Materials {
    pub fn new(gpu: &Gpu, pipelines: &mut Pipelines, model: &Model) -> Result<Self, GpuError> {
        let default = Material::default();
        let mut made = Self {
            groups: Vec::new(),
            buffers: Vec::new(),
            changed: Vec::new(),
            textures: Textures::default(),
            waiting: Vec::new(),
        };
        // Asked first: what arrives in between is bound again.
        (0..model.materials.len()).for_each(|i| made.wait(model, i));
        made.textures.load(gpu, pipelines, model, keys(model, &model.materials))?;
        for (i, material) in model.materials.iter().chain([&default]).enumerate() {
            let numbers = numbers(material);
            let usage = wgpu::BufferUsages::UNIFORM;
            made.buffers.push(gpu.buffer("a material", bytemuck::bytes_of(&numbers), usage)?);
            made.groups.push(group(gpu, pipelines, &mut made.textures, model, (material, &made.buffers[i]))?);
        }
        made.conclude(gpu);
        Ok(made)
    }

    fn conclude(&mut self, gpu: &Gpu) {
        if self.waiting.is_empty() {
            self.textures.conclude(gpu);
        }
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
        if !self.has_news(model) {
            return Ok(());
        }
        let arrived = |i: &ImageId| !model.images[i.index()].is_pending();
        let (news, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(_, i)| i.iter().any(arrived));
        self.waiting = waiting;
        let news: Vec<(usize, Vec<ImageId>)> = news;
        let mut affected: Vec<usize> = news.into_iter().map(|(i, _)| i).collect();
        affected.iter().for_each(|i| self.wait(model, *i));
        let materials = affected.iter().map(|i| &model.materials[*i]);
        if self.textures.load(gpu, pipelines, model, keys(model, materials))? {
            // Others hold textures that are smaller now.
            affected = (0..model.materials.len()).collect();
        }
        for i in affected {
            self.groups[i] = group(gpu, pipelines, &mut self.textures, model, (&model.materials[i], &self.buffers[i]))?;
        }
        self.conclude(gpu);
        Ok(())
    }

    /// Writes the numbers of materials that `changes` change, and gives those back their own that no longer are.
    pub fn change(&mut self, gpu: &Gpu, model: &Model, changes: &[Change]) {
        let of_material = |change: &Change| match change.0 {
            Property::Material(id, _) => Some(id.index()),
            _ => None,
        };
        self.changed.extend(changes.iter().filter_map(of_material));
        self.changed.sort_unstable();
        self.changed.dedup();
        for i in &self.changed {
            // All but the name, which nobody draws.
            let mut material = Material { name: String::new(), ..model.materials[*i] };
            for (property, value) in changes {
                if let Property::Material(id, property) = property
                    && id.index() == *i
                {
                    material.set(*property, *value);
                }
            }
            gpu.queue.write_buffer(&self.buffers[*i], 0, bytemuck::bytes_of(&numbers(&material)));
        }
        self.changed.retain(|i| changes.iter().any(|c| of_material(c) == Some(*i)));
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

/// The textures that materials show.
fn keys<'a>(model: &'a Model, materials: impl IntoIterator<Item = &'a Material>) -> impl Iterator<Item = Key> {
    let bound = materials.into_iter().flat_map(slots);
    bound.filter_map(|b| Some((model.textures[b.slot?.texture.index()].image?, b.srgb)))
}

fn group(
    gpu: &Gpu,
    pipelines: &mut Pipelines,
    textures: &mut Textures,
    model: &Model,
    (m, numbers): (&Material, &wgpu::Buffer),
) -> Result<wgpu::BindGroup, GpuError> {
    let mut bound = Vec::new();
    for Bound { slot, srgb, neutral } in slots(m) {
        let texture = slot.map(|s| model.textures[s.texture.index()]);
        let image = texture.and_then(|t| t.image);
        let view =
            image.and_then(|image| textures.view((image, srgb))).unwrap_or_else(|| textures.neutral(gpu, neutral));
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
