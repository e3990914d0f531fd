//! Materials, textures and samplers.

use glam::{Vec3, Vec4};
use gltf::json;
use gltf::json::texture::{MagFilter, MinFilter, WrappingMode};
use gltf::json::validation::Checked;
use skinscope_model::{AlphaMode, Filter, ImageId, Material, Primitive, Texture, TextureSampler, TextureSlot, Wrap};

use super::fields::whole;
use super::texture_slots::{Extensions, slot};
use super::{ImportError, Reader, layers};

/// Reads all materials, in file order.
pub(super) fn read(reader: &Reader) -> Result<Vec<Material>, ImportError> {
    let one = |(index, material)| {
        let location = format!("material {index}");
        MaterialReader { reader, location, material }.read(index)
    };
    reader.root.materials.iter().enumerate().map(one).collect()
}

struct MaterialReader<'r> {
    reader: &'r Reader<'r>,
    location: String,
    material: &'r json::Material,
}

impl MaterialReader<'_> {
    fn warn(&self, message: String) {
        self.reader.warnings.add(&*self.location, message);
    }

    fn read(&self, index: usize) -> Result<Material, ImportError> {
        let m = self.material;
        let pbr = &m.pbr_metallic_roughness;
        let Checked::Valid(alpha_mode) = m.alpha_mode else {
            return Err(ImportError::invalid(&*self.location, "alphaMode OPAQUE, MASK or BLEND", "another"));
        };
        let cutoff = self.factor("alphaCutoff", m.alpha_cutoff.map_or(0.5, |c| c.0), f32::MAX);
        let unit = |what, v| self.factor(what, v, 1.0);
        let normal_scale = m.normal_texture.as_ref().map_or(1.0, |n| n.scale);
        let core = Material {
            name: m.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("material {index}")),
            base_color: Vec4::from_array(pbr.base_color_factor.0.map(|v| unit("baseColorFactor", v))),
            base_color_texture: self.info(&pbr.base_color_texture, "baseColorTexture")?,
            metallic: unit("metallicFactor", pbr.metallic_factor.0),
            roughness: unit("roughnessFactor", pbr.roughness_factor.0),
            metallic_roughness_texture: self.info(&pbr.metallic_roughness_texture, "metallicRoughnessTexture")?,
            normal_texture: self.normal_texture()?,
            normal_scale: if normal_scale.is_finite() { normal_scale } else { self.factor("scale", f32::NAN, 1.0) },
            occlusion_texture: self.occlusion_texture()?,
            occlusion_strength: unit("strength", m.occlusion_texture.as_ref().map_or(1.0, |o| o.strength.0)),
            emissive: Vec3::from_array(m.emissive_factor.0.map(|v| unit("emissiveFactor", v))),
            emissive_texture: self.info(&m.emissive_texture, "emissiveTexture")?,
            alpha: match alpha_mode {
                json::material::AlphaMode::Opaque => AlphaMode::Opaque,
                json::material::AlphaMode::Mask => AlphaMode::Mask { cutoff },
                json::material::AlphaMode::Blend => AlphaMode::Blend,
            },
            double_sided: m.double_sided,
            ..Material::default()
        };
        let extensions = m.extensions.as_ref().map(|e| &e.others);
        layers::Layers { reader: self.reader, location: &self.location, extensions }.over(core)
    }

    fn info(&self, info: &Option<json::texture::Info>, what: &str) -> Result<Option<TextureSlot>, ImportError> {
        let Some(i) = info else { return Ok(None) };
        self.slot(i.index, i.tex_coord, i.extensions.as_ref().map(|e| &e.others), what)
    }

    fn normal_texture(&self) -> Result<Option<TextureSlot>, ImportError> {
        let Some(n) = &self.material.normal_texture else { return Ok(None) };
        self.slot(n.index, n.tex_coord, n.extensions.as_ref().map(|e| &e.others), "normalTexture")
    }

    fn occlusion_texture(&self) -> Result<Option<TextureSlot>, ImportError> {
        let Some(o) = &self.material.occlusion_texture else { return Ok(None) };
        self.slot(o.index, o.tex_coord, o.extensions.as_ref().map(|e| &e.others), "occlusionTexture")
    }

    fn slot(
        &self,
        texture: json::Index<json::Texture>,
        uv_set: u32,
        extensions: Extensions,
        what: &str,
    ) -> Result<Option<TextureSlot>, ImportError> {
        slot(self.reader, &self.location, what, (texture.value(), uv_set as usize), extensions)
    }

    /// Returns a factor in 0…`most`; one outside is clamped and causes a warning.
    fn factor(&self, what: &str, value: f32, most: f32) -> f32 {
        if (0.0..=most).contains(&value) {
            return value;
        }
        let repaired = if value.is_nan() { 1.0 } else { value.clamp(0.0, most) };
        self.warn(format!("{what} is {value}, outside its range; read as {repaired}"));
        repaired
    }
}

/// Reads all textures; `images` has the image of each.
pub(super) fn textures(reader: &Reader, images: &[Option<ImageId>]) -> Result<Vec<Texture>, ImportError> {
    let root = reader.root;
    let mut out = Vec::with_capacity(root.textures.len());
    for (i, (texture, image)) in root.textures.iter().zip(images).enumerate() {
        let location = || format!("texture {i}");
        let sampler = match texture.sampler {
            None => TextureSampler { mip: Some(Filter::Linear), ..TextureSampler::default() },
            Some(index) => match root.samplers.get(index.value()) {
                Some(sampler) => read_sampler(reader, index.value(), sampler),
                None => {
                    let expected = format!("a sampler below {}", root.samplers.len());
                    return Err(ImportError::invalid(location(), expected, format!("sampler {}", index.value())));
                }
            },
        };
        if image.is_none() {
            reader.warnings.add(location(), "has no image that can be read; drawn without it");
        }
        out.push(Texture { image: *image, sampler });
    }
    Ok(out)
}

/// Returns the images that can be shown for a texture, the preferred one first; none where the file names none.
pub(super) fn texture_sources(root: &json::Root, texture: usize) -> Result<Vec<usize>, ImportError> {
    let (have, own) = (root.images.len(), &root.textures[texture]);
    let others = own.extensions.as_ref().map(|e| &e.others);
    let from = |name: &str| others.and_then(|o| whole(o.get(name)?.get("source")?)).map(|s| s as usize);
    // The parser writes the largest number where the file names none.
    let plain = Some(own.source.value()).filter(|s| *s != u32::MAX as usize);
    let sources: Vec<usize> =
        [from("KHR_texture_basisu"), from("EXT_texture_webp"), plain].into_iter().flatten().collect();
    match sources.iter().find(|s| **s >= have) {
        None => Ok(sources),
        Some(source) => {
            let (location, found) = (format!("texture {texture}"), format!("image {source}"));
            Err(ImportError::invalid(location, format!("an image below {have}"), found))
        }
    }
}

fn read_sampler(reader: &Reader, index: usize, sampler: &json::texture::Sampler) -> TextureSampler {
    let mut unknown = false;
    let mut wrap = |mode: Checked<WrappingMode>| match mode {
        Checked::Valid(WrappingMode::Repeat) => Wrap::Repeat,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::MirroredRepeat,
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::ClampToEdge,
        Checked::Invalid => {
            unknown = true;
            Wrap::Repeat
        }
    };
    let (wrap_u, wrap_v) = (wrap(sampler.wrap_s), wrap(sampler.wrap_t));
    let mag = match sampler.mag_filter {
        Some(Checked::Valid(MagFilter::Nearest)) => Filter::Nearest,
        Some(Checked::Valid(MagFilter::Linear)) | None => Filter::Linear,
        Some(Checked::Invalid) => {
            unknown = true;
            Filter::Linear
        }
    };
    let (min, mip) = match sampler.min_filter {
        Some(Checked::Valid(MinFilter::Nearest)) => (Filter::Nearest, None),
        Some(Checked::Valid(MinFilter::Linear)) => (Filter::Linear, None),
        Some(Checked::Valid(MinFilter::NearestMipmapNearest)) => (Filter::Nearest, Some(Filter::Nearest)),
        Some(Checked::Valid(MinFilter::LinearMipmapNearest)) => (Filter::Linear, Some(Filter::Nearest)),
        Some(Checked::Valid(MinFilter::NearestMipmapLinear)) => (Filter::Nearest, Some(Filter::Linear)),
        Some(Checked::Valid(MinFilter::LinearMipmapLinear)) | None => (Filter::Linear, Some(Filter::Linear)),
        Some(Checked::Invalid) => {
            unknown = true;
            (Filter::Linear, Some(Filter::Linear))
        }
    };
    if unknown {
        reader.warnings.add(format!("sampler {index}"), "has an unknown filter or wrapping; read as linear or repeat");
    }
    TextureSampler { wrap_u, wrap_v, mag, min, mip }
}

/// Warns of primitives whose material reads texture coordinates that they lack.
/// `vertices` is the primitive that has the vertices: itself, or the one whose vertices it shares.
pub(super) fn note_missing_uvs(
    reader: &Reader,
    location: &str,
    (primitive, vertices): (&Primitive, &Primitive),
    materials: &[Material],
) {
    let read = primitive.materials().filter_map(|m| materials.get(m.index())).flat_map(Material::textures);
    let missing = read.map(|(_, slot)| slot.uv_set).find(|set| vertices.uvs[*set].is_empty());
    if let Some(set) = missing.filter(|_| !vertices.positions.is_empty()) {
        reader.warnings.add(location, format!("its material has a texture, but TEXCOORD_{set} is missing"));
    }
}
