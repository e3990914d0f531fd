//! Materials of a written glTF file, with the textures that the core of glTF knows. Pictures are written as PNG, which loses
//! nothing of their pixels.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;

use serde_json::{Map, Value, json};
use skinscope_model::{
    AlphaMode, Filter, ImageId, Material, MaterialId, Model, PixelFormat, TextureSampler, TextureSlot, Wrap,
};

use super::glb::GlbWriter;
use super::picture::encode_png;

/// Collects the materials that primitives name, and what these need.
#[derive(Debug)]
pub(super) struct MaterialWriter<'a> {
    model: &'a Model,
    used: Vec<MaterialId>,
    materials: Vec<Value>,
    textures: Vec<Value>,
    images: Vec<Value>,
    samplers: Vec<Value>,
    /// The index in `images` of each image; `None`: it has no pixels.
    image_indices: HashMap<ImageId, Option<usize>>,
    extensions: BTreeSet<&'static str>,
}

impl<'a> MaterialWriter<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self {
            model,
            used: Vec::new(),
            materials: Vec::new(),
            textures: Vec::new(),
            images: Vec::new(),
            samplers: Vec::new(),
            image_indices: HashMap::new(),
            extensions: BTreeSet::new(),
        }
    }

    /// Returns the number of a material in the file.
    pub(super) fn index_of_material(&mut self, id: MaterialId, writer: &mut GlbWriter) -> usize {
        if let Some(index) = self.used.iter().position(|used| *used == id) {
            return index;
        }
        let written = self.material(&self.model.materials[id.index()], writer);
        self.used.push(id);
        self.materials.push(written);
        self.used.len() - 1
    }

    /// Adds the lists to a document.
    pub(super) fn finish(self, document: &mut Map<String, Value>) {
        let lists = [
            ("materials", self.materials),
            ("textures", self.textures),
            ("images", self.images),
            ("samplers", self.samplers),
            ("extensionsUsed", self.extensions.into_iter().map(Value::from).collect()),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                document.insert(name.into(), Value::Array(list));
            }
        }
    }

    fn material(&mut self, m: &Material, writer: &mut GlbWriter) -> Value {
        // Specular-glossiness is replaced by the closest that the core has: no metal, with roughness 1 − glossiness.
        let (metallic, roughness, surface) = match m.specular_glossiness {
            Some(s) => (0.0, 1.0 - s.glossiness, None),
            None => (m.metallic, m.roughness, m.metallic_roughness_texture),
        };
        let (color, color_texture) = m.coloring();
        let mut core = json!({
            "baseColorFactor": color.to_array(),
            "metallicFactor": metallic,
            "roughnessFactor": roughness,
        });
        let mut out = json!({
            "name": m.name,
            "emissiveFactor": m.emissive.to_array(),
            "doubleSided": m.double_sided,
        });
        let mut set = |to: &mut Value, name: &str, slot: Option<TextureSlot>, factor: Option<(&str, f32)>| {
            if let Some(mut texture) = slot.and_then(|slot| self.slot(slot, writer)) {
                if let Some((name, factor)) = factor.filter(|(_, factor)| *factor != 1.0) {
                    texture[name] = json!(factor);
                }
                to[name] = texture;
            }
        };
        set(&mut core, "baseColorTexture", color_texture, None);
        set(&mut core, "metallicRoughnessTexture", surface, None);
        set(&mut out, "normalTexture", m.normal_texture, Some(("scale", m.normal_scale)));
        set(&mut out, "occlusionTexture", m.occlusion_texture, Some(("strength", m.occlusion_strength)));
        set(&mut out, "emissiveTexture", m.emissive_texture, None);
        out["pbrMetallicRoughness"] = core;
        match m.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask { cutoff } => {
                out["alphaMode"] = json!("MASK");
                out["alphaCutoff"] = json!(cutoff);
            }
            AlphaMode::Blend => out["alphaMode"] = json!("BLEND"),
        }
        if m.unlit {
            self.extensions.insert("KHR_materials_unlit");
            out["extensions"]["KHR_materials_unlit"] = json!({});
        }
        if m.emissive_strength != 1.0 {
            self.extensions.insert("KHR_materials_emissive_strength");
            out["extensions"]["KHR_materials_emissive_strength"] = json!({ "emissiveStrength": m.emissive_strength });
        }
        out
    }

    fn slot(&mut self, slot: TextureSlot, writer: &mut GlbWriter) -> Option<Value> {
        let texture = *self.model.textures.get(slot.texture.index())?;
        let source = self.image(texture.image?, writer)?;
        let sampler = index_of(&mut self.samplers, sampler(texture.sampler));
        let texture = index_of(&mut self.textures, json!({ "source": source, "sampler": sampler }));
        let mut out = json!({ "index": texture, "texCoord": slot.uv_set });
        if let Some(transform) = slot.transform {
            self.extensions.insert("KHR_texture_transform");
            out["extensions"]["KHR_texture_transform"] = json!({
                "offset": transform.offset.to_array(),
                "rotation": transform.rotation,
                "scale": transform.scale.to_array(),
            });
        }
        Some(out)
    }

    fn image(&mut self, id: ImageId, writer: &mut GlbWriter) -> Option<usize> {
        if let Some(index) = self.image_indices.get(&id) {
            return *index;
        }
        let image = &self.model.images[id.index()];
        // A file without a graphics device is read with pixels, not with blocks.
        let pixels = image.pixels().filter(|pixels| pixels.format() == PixelFormat::Rgba8);
        let index = pixels.and_then(|pixels| {
            let size = [pixels.width(), pixels.height()];
            let rows = pixels.levels().first()?;
            let Ok(png) = encode_png(size, |draw| {
                draw(rows);
                Ok::<(), Infallible>(())
            });
            let view = writer.push_bytes(&png.ok()?);
            self.images.push(json!({ "name": image.name, "mimeType": "image/png", "bufferView": view }));
            Some(self.images.len() - 1)
        });
        self.image_indices.insert(id, index);
        index
    }
}

/// Returns the index of a value in a list, to which it is added where it is not there yet.
fn index_of(list: &mut Vec<Value>, value: Value) -> usize {
    list.iter().position(|other| *other == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

fn sampler(sampler: TextureSampler) -> Value {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => 10_497,
        Wrap::MirroredRepeat => 33_648,
        Wrap::ClampToEdge => 33_071,
    };
    let min = match (sampler.min, sampler.mip) {
        (Filter::Nearest, None) => 9728,
        (Filter::Linear, None) => 9729,
        (Filter::Nearest, Some(Filter::Nearest)) => 9984,
        (Filter::Linear, Some(Filter::Nearest)) => 9985,
        (Filter::Nearest, Some(Filter::Linear)) => 9986,
        (Filter::Linear, Some(Filter::Linear)) => 9987,
    };
    let mag = if sampler.mag == Filter::Nearest { 9728 } else { 9729 };
    json!({ "wrapS": wrap(sampler.wrap_u), "wrapT": wrap(sampler.wrap_v), "magFilter": mag, "minFilter": min })
}
