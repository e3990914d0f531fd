//! Materials on the device: their numbers, textures and samplers, which are bound together once, and what each needs of
//! its pipeline.

use std::sync::Arc;

use glam::Vec3;
use skinscope_model::{
    AlphaMode, Change, LAYER_TEXTURES, Material, Model, Property, TextureSampler, TextureSlot, Volume,
};

use super::bindings::entry;
use super::device_jobs::DeviceJobs;
use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::{self, CORE_TEXTURES, MATERIAL_TEXTURES, UvTransform, layer, nature};
use super::pipeline_factory::ModelLayouts;
use super::pipeline_kind::MaterialFeatures;
use super::texture::{Key, Neutral, Textures};

/// The materials of a model, then the default one.
#[derive(Debug)]
pub(super) struct Materials {
    pub groups: Vec<Groups>,
    pub traits: Vec<MaterialTraits>,
    /// The uniform buffer of each material.
    buffers: Vec<wgpu::Buffer>,
    /// The materials that were last drawn with changed numbers.
    changed: Vec<usize>,
    textures: Textures,
    /// Materials that were bound before all of their images were on the device, and the textures they lack.
    waiting: Vec<(usize, Vec<Key>)>,
}

/// The bind groups of a material.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Numbers and textures of the core.
    pub core: wgpu::BindGroup,
    /// Textures of the layers, where it has any.
    pub layers: Option<wgpu::BindGroup>,
}

/// How a material is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaterialTraits {
    pub parts: MaterialFeatures,
    pub double_sided: bool,
    pub blends: bool,
    /// It is glass, which reads the picture of what lies behind it.
    pub transmits: bool,
}

impl Materials {
    /// Uploads the numbers of all materials. Textures follow with [`Materials::take_news`].
    pub fn new(gpu: &Gpu, layouts: &ModelLayouts, model: &Model) -> Result<Self, GpuError> {
        let default = Material::default();
        let mut made = Self {
            groups: Vec::new(),
            traits: Vec::new(),
            buffers: Vec::new(),
            changed: Vec::new(),
            textures: Textures::default(),
            waiting: Vec::new(),
        };
        (0..model.materials.len()).for_each(|i| made.wait(model, i));
        for (i, material) in model.materials.iter().chain([&default]).enumerate() {
            let numbers = numbers(material);
            let usage = wgpu::BufferUsages::UNIFORM;
            made.buffers.push(gpu.buffer("a material", bytemuck::bytes_of(&numbers), usage)?);
            made.traits.push(traits(material));
            made.groups.push(groups(gpu, layouts, &mut made.textures, model, (material, &made.buffers[i]))?);
        }
        Ok(made)
    }

    fn conclude(&mut self, gpu: &Gpu) {
        if self.waiting.is_empty() {
            self.textures.conclude(gpu);
        }
    }

    /// Messages about what cannot be drawn as the file has it.
    pub fn notices(&self) -> &[String] {
        &self.textures.notices
    }

    /// How much of the textures that are being made is done, 0…1; `None` where none are.
    pub fn making(&self) -> Option<f32> {
        self.textures.making()
    }

    /// True when an image has arrived that some material waits for.
    pub fn has_news(&self, model: &Model) -> bool {
        if self.textures.is_busy() {
            return self.textures.has_made();
        }
        self.waiting.iter().any(|(_, keys)| keys.iter().any(|(i, _)| !model.images[i.index()].is_pending()))
    }

    /// Uploads images that have arrived, about `most` bytes of them and at least one, and binds the materials that show
    /// them again. The others stay news. With `jobs` a thread uploads them, so no picture waits.
    pub(crate) fn take_news(
        &mut self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        model: &Arc<Model>,
        most: u64,
        jobs: Option<&DeviceJobs>,
    ) -> Result<(), GpuError> {
        if !self.has_news(model) {
            return Ok(());
        }
        let wanted = self.waiting.iter().flat_map(|(_, keys)| keys.iter().copied());
        let shrunk = self.textures.load(gpu, model, wanted, most, jobs)?;
        let gained = |key: &Key| !self.textures.is_missing(model, *key);
        let is_news = |(_, keys): &(usize, Vec<Key>)| keys.iter().any(gained);
        let (news, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting).into_iter().partition(is_news);
        self.waiting = waiting;
        let mut affected: Vec<usize> = news.into_iter().map(|(i, _)| i).collect();
        affected.iter().for_each(|i| self.wait(model, *i));
        if shrunk {
            // Other materials bind textures that are smaller now.
            affected = (0..model.materials.len()).collect();
        }
        for i in affected {
            self.groups[i] = groups(gpu, layouts, &mut self.textures, model, (&model.materials[i], &self.buffers[i]))?;
        }
        self.conclude(gpu);
        Ok(())
    }

    /// Writes the numbers of materials that `changes` concern, and restores those of materials that are no longer
    /// changed.
    pub fn change(&mut self, gpu: &Gpu, model: &Model, changes: &[Change]) {
        let of_material = |change: &Change| match change.0 {
            Property::Material(id, _) => Some(id.index()),
            _ => None,
        };
        self.changed.extend(changes.iter().filter_map(of_material));
        self.changed.sort_unstable();
        self.changed.dedup();
        for i in &self.changed {
            // The name is left out, since it is not drawn.
            let mut material = Material { name: String::new(), ..model.materials[*i] };
            for (property, value) in changes {
                if let Property::Material(id, property) = property
                    && id.index() == *i
                {
                    material.set(*property, *value);
                }
            }
            gpu.write(&self.buffers[*i], bytemuck::bytes_of(&numbers(&material)));
        }
        self.changed.retain(|i| changes.iter().any(|c| of_material(c) == Some(*i)));
    }

    /// Notes which textures material `i` lacks.
    fn wait(&mut self, model: &Model, i: usize) {
        let all = keys(model, model.materials.get(i));
        let missing: Vec<Key> = all.filter(|key| self.textures.is_missing(model, *key)).collect();
        if !missing.is_empty() {
            self.waiting.push((i, missing));
        }
    }
}

/// The keys of the textures that materials show.
fn keys<'a>(model: &'a Model, materials: impl IntoIterator<Item = &'a Material>) -> impl Iterator<Item = Key> {
    let bound = materials.into_iter().flat_map(slots);
    bound.filter_map(|b| Some((model.textures[b.slot?.texture.index()].image?, b.srgb)))
}

fn groups(
    gpu: &Gpu,
    layouts: &ModelLayouts,
    textures: &mut Textures,
    model: &Model,
    (m, numbers): (&Material, &wgpu::Buffer),
) -> Result<Groups, GpuError> {
    let mut bound = Vec::with_capacity(CORE_TEXTURES + LAYER_TEXTURES);
    let is_layered = traits(m).parts.layers & !layer::UNLIT != 0;
    let all = slots(m);
    let (core, layers) = all.split_at(CORE_TEXTURES);
    let unused = Bound { slot: None, srgb: false, neutral: Neutral::White };
    let filled = layers.iter().filter(|bound| bound.slot.is_some()).chain(std::iter::repeat(&unused));
    let filled = filled.take(if is_layered { LAYER_TEXTURES } else { 0 });
    for Bound { slot, srgb, neutral } in core.iter().chain(filled).copied() {
        let texture = slot.map(|s| model.textures[s.texture.index()]);
        let image = texture.and_then(|t| t.image);
        let view = match image.and_then(|image| textures.view((image, srgb))) {
            Some(view) => view,
            None => textures.neutral(gpu, neutral)?,
        };
        bound.push((view, textures.sampler(gpu, texture.map_or(TextureSampler::default(), |t| t.sampler))));
    }
    let (core, layers) = bound.split_at(CORE_TEXTURES);
    let mut entries = vec![entry(0, numbers.as_entire_binding())];
    entries.extend(pairs(1, core));
    let group = |layout: &wgpu::BindGroupLayout, entries: &[wgpu::BindGroupEntry<'_>]| {
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(&m.name), layout, entries })
    };
    Ok(Groups {
        core: group(&layouts.material, &entries),
        layers: is_layered.then(|| group(&layouts.layers, &pairs(0, layers).collect::<Vec<_>>())),
    })
}

/// The entries of textures and samplers in turn, from binding `first` on.
fn pairs(first: u32, bound: &[(wgpu::TextureView, wgpu::Sampler)]) -> impl Iterator<Item = wgpu::BindGroupEntry<'_>> {
    (0..).zip(bound).flat_map(move |(i, (view, sampler))| {
        let (view, sampler) = (wgpu::BindingResource::TextureView(view), wgpu::BindingResource::Sampler(sampler));
        [entry(first + 2 * i, view), entry(first + 1 + 2 * i, sampler)]
    })
}

/// A texture of a material.
#[derive(Clone, Copy)]
struct Bound {
    slot: Option<TextureSlot>,
    /// True where its colours are sRGB-encoded.
    srgb: bool,
    /// The texture that stands in for it.
    neutral: Neutral,
}

/// The textures of a material that are drawn, by their numbers in the shader. Those of the core are bound in this order;
/// those of the layers too, but without gaps, so that eight bindings suffice (`slot_of` in shaders/layers/textures.wgsl).
fn slots(m: &Material) -> [Bound; MATERIAL_TEXTURES] {
    let linear = |slot| Bound { slot, srgb: false, neutral: Neutral::White };
    let srgb = |slot| Bound { slot, srgb: true, neutral: Neutral::White };
    let normal = |slot| Bound { slot, srgb: false, neutral: Neutral::FlatNormal };
    let (specular, coat) = (m.specular.unwrap_or_default(), m.clearcoat.unwrap_or_default());
    let (sheen, transmission) = (m.sheen.unwrap_or_default(), m.transmission.unwrap_or_default());
    let (volume, film) = (m.volume.unwrap_or_default(), m.iridescence.unwrap_or_default());
    let direction = m.anisotropy.and_then(|a| a.texture);
    let surface = match m.specular_glossiness {
        Some(s) => srgb(s.texture),
        None => linear(m.metallic_roughness_texture),
    };
    let mut all = [
        srgb(m.coloring().1),
        surface,
        normal(m.normal_texture),
        linear(m.occlusion_texture),
        srgb(m.emissive_texture),
        linear(specular.texture),
        srgb(specular.color_texture),
        linear(coat.texture),
        linear(coat.roughness_texture),
        normal(coat.normal_texture),
        srgb(sheen.color_texture),
        linear(sheen.roughness_texture),
        linear(transmission.texture),
        linear(volume.texture),
        linear(film.texture),
        linear(film.thickness_texture),
        Bound { slot: direction, srgb: false, neutral: Neutral::AlongTangent },
    ];
    if m.unlit {
        // An unlit material shows only its base colour.
        all[1..].iter_mut().for_each(|bound| bound.slot = None);
    }
    let of_layers = all[CORE_TEXTURES..].iter_mut().filter(|bound| bound.slot.is_some());
    of_layers.skip(LAYER_TEXTURES).for_each(|bound| bound.slot = None);
    all
}

fn numbers(m: &Material) -> layouts::Material {
    let alpha_cutoff = if let AlphaMode::Mask { cutoff } = m.alpha { cutoff } else { 0.0 };
    let (specular, coat) = (m.specular.unwrap_or_default(), m.clearcoat.unwrap_or_default());
    let (sheen, transmission) = (m.sheen.unwrap_or_default(), m.transmission.unwrap_or_default());
    let specular = match m.specular_glossiness {
        Some(s) => s.specular.extend(s.glossiness),
        None => specular.color.extend(specular.factor),
    };
    let along = |s: TextureSlot| (s.uv_set, s.transform);
    let follows = coat.normal_texture.map(along) == m.tangent_slot().map(along);
    // Thin walls with an index of refraction near 1 blur little, however rough they are (as in the Khronos sample
    // viewer).
    let blurs = (2.0 * m.ior - 2.0).clamp(0.0, 1.0);
    let (volume, film) = (m.volume.unwrap_or_default(), m.iridescence.unwrap_or_default());
    let direction = m.anisotropy.unwrap_or_default();
    // An index of 0 reflects everything, and no light comes to be bent.
    let ior = m.ior.max(1.0);
    let half_spread = (ior - 1.0) * 0.025 * m.dispersion.unwrap_or(0.0);
    let (sine, cosine) = direction.rotation.sin_cos();
    layouts::Material {
        base_color: m.coloring().0.to_array(),
        emissive: (m.emissive * m.emissive_strength).min(Vec3::MAX).extend(m.normal_scale).to_array(),
        metallic: m.metallic,
        roughness: m.roughness,
        occlusion_strength: m.occlusion_strength,
        alpha_cutoff,
        unused: [0; 2],
        second_uv: bits(m, |slot| slot.uv_set == 1),
        f0: reflectance(m.ior),
        specular: specular.to_array(),
        sheen: sheen.color.extend(sheen.roughness).to_array(),
        clearcoat: [coat.factor, coat.roughness, coat.normal_scale, f32::from(follows)],
        transmission: [transmission.factor, blurs, ior, half_spread.min(f32::MAX)],
        volume: attenuation(&volume).extend(volume.thickness).to_array(),
        iridescence: [film.factor, film.ior, film.thickness[0], film.thickness[1]],
        anisotropy: [direction.strength, cosine, sine, 0.0],
        uv: slots(m).map(|bound| rows(bound.slot)),
    }
}

/// Reflectance at normal incidence at a boundary with air (KHR_materials_ior): ((ior − 1) / (ior + 1))². An index of 0
/// reflects everything.
fn reflectance(ior: f32) -> f32 {
    let ratio = if ior > 1e6 { 1.0 } else { (ior - 1.0) / (ior + 1.0) };
    ratio * ratio
}

/// The share of light that a volume absorbs on a very short way, divided by the length of the way in metres
/// (KHR_materials_volume, "Attenuation"): −ln(colour) / distance. Black absorbs as a millionth does, and no number is
/// infinite.
fn attenuation(volume: &Volume) -> Vec3 {
    let Some(distance) = volume.attenuation_distance else { return Vec3::ZERO };
    let color = volume.attenuation_color.clamp(Vec3::splat(1e-6), Vec3::ONE);
    (color.map(|c| -c.ln()) / distance).min(Vec3::splat(1e9))
}

fn rows(slot: Option<TextureSlot>) -> UvTransform {
    let m = slot.and_then(|s| s.transform).unwrap_or_default().matrix();
    let (x, y, at) = (m.matrix2.x_axis, m.matrix2.y_axis, m.translation);
    UvTransform { u: [x.x, y.x, at.x, 0.0], v: [x.y, y.y, at.y, 0.0] }
}

/// A number whose bit n is set where the material has texture n and `holds` is true for it.
fn bits(m: &Material, holds: fn(&TextureSlot) -> bool) -> u32 {
    (0..).zip(&slots(m)).map(|(i, bound)| u32::from(bound.slot.as_ref().is_some_and(holds)) << i).sum()
}

fn traits(m: &Material) -> MaterialTraits {
    let has = |bit: u32, is: bool| if is { bit } else { 0 };
    let is_body = m.volume.is_some() && m.transmission.is_some();
    let layers = has(layer::GLOSS, m.specular_glossiness.is_some())
        | has(layer::SPECULAR, m.specular.is_some() && m.specular_glossiness.is_none())
        | has(layer::CLEARCOAT, m.clearcoat.is_some())
        | has(layer::SHEEN, m.sheen.is_some())
        | has(layer::TRANSMISSION, m.transmission.is_some())
        | has(layer::VOLUME, is_body)
        | has(layer::DISPERSION, is_body && m.dispersion.is_some())
        | has(layer::IRIDESCENCE, m.iridescence.is_some())
        | has(layer::ANISOTROPY, m.anisotropy.is_some());
    let layers = if m.unlit { layer::UNLIT } else { layers };
    let nature = has(nature::MASKED, matches!(m.alpha, AlphaMode::Mask { .. }))
        | has(nature::BLENDED, m.alpha == AlphaMode::Blend)
        | has(nature::DOUBLE_SIDED, m.double_sided);
    let parts = MaterialFeatures {
        textures: bits(m, |_| true) | nature,
        transforms: bits(m, |s| s.transform.is_some()),
        layers,
    };
    MaterialTraits {
        parts,
        double_sided: m.double_sided,
        blends: m.alpha == AlphaMode::Blend,
        transmits: parts.layers & layer::TRANSMISSION != 0,
    }
}
