//! Reads the `KHR_materials_*` extensions of a material, as far as they are drawn.

use glam::{Vec3, Vec4};
use serde_json::{Map, Value};
use skinscope_model::{
    Anisotropy, Clearcoat, Iridescence, LAYER_TEXTURES, Material, Sheen, Specular, SpecularGlossiness, TextureSlot,
    Transmission, Volume,
};

use super::error::quoted;
use super::fields::{Fields, Range};
use super::texture_slots::slot;
use super::{ImportError, Reader};

/// The extensions of one material.
pub(super) struct Layers<'a> {
    pub reader: &'a Reader<'a>,
    /// The location of the material, such as `material 3`.
    pub location: &'a str,
    pub extensions: Option<&'a Map<String, Value>>,
}

impl<'a> Layers<'a> {
    /// Returns `core` with all its extensions applied.
    pub fn over(&self, core: Material) -> Result<Material, ImportError> {
        if self.extensions.is_none() {
            return Ok(core);
        }
        let strength = self.fields("KHR_materials_emissive_strength");
        let dispersion = self.fields("KHR_materials_dispersion");
        let material = Material {
            unlit: self.fields("KHR_materials_unlit").is_some(),
            emissive_strength: strength.map_or(1.0, |f| f.number("emissiveStrength", 1.0, Range::POSITIVE)),
            ior: self.fields("KHR_materials_ior").map_or(1.5, ior),
            specular: self.fields("KHR_materials_specular").map(specular).transpose()?,
            clearcoat: self.fields("KHR_materials_clearcoat").map(clearcoat).transpose()?,
            sheen: self.fields("KHR_materials_sheen").map(sheen).transpose()?,
            transmission: self.fields("KHR_materials_transmission").map(transmission).transpose()?,
            volume: self.fields("KHR_materials_volume").map(volume).transpose()?,
            dispersion: dispersion.map(|f| f.number("dispersion", 0.0, Range::POSITIVE)),
            iridescence: self.fields("KHR_materials_iridescence").map(iridescence).transpose()?,
            anisotropy: self.fields("KHR_materials_anisotropy").map(anisotropy).transpose()?,
            specular_glossiness: self
                .fields("KHR_materials_pbrSpecularGlossiness")
                .map(specular_glossiness)
                .transpose()?,
            ..core
        };
        let undrawn: Vec<_> = material.undrawn_textures().collect();
        if !undrawn.is_empty() {
            let (name, count) = (quoted(&material.name), undrawn.len() + LAYER_TEXTURES);
            let message = format!(
                "{name} has {count} textures of extensions, of which {LAYER_TEXTURES} are drawn; the factors alone count \
                 in place of {}",
                undrawn.join(" and ")
            );
            self.reader.warnings.add(self.location, message);
        }
        Ok(material)
    }

    fn fields(&self, name: &'a str) -> Option<Fields<'a>> {
        Fields::of(self.reader, self.location, name, self.extensions)
    }
}

/// Reads the index of refraction: 0, which reflects everything, or at least 1, that of the vacuum.
fn ior(f: Fields) -> f32 {
    if f.map.get("ior").and_then(Value::as_f64) == Some(0.0) {
        return 0.0;
    }
    f.number("ior", 1.5, Range { least: 1.0, most: f32::MAX })
}

fn specular(f: Fields) -> Result<Specular, ImportError> {
    Ok(Specular {
        factor: f.number("specularFactor", 1.0, Range::UNIT),
        texture: texture(f, "specularTexture")?,
        color: Vec3::from_array(f.numbers("specularColorFactor", [1.0; 3], Range::POSITIVE)),
        color_texture: texture(f, "specularColorTexture")?,
    })
}

fn clearcoat(f: Fields) -> Result<Clearcoat, ImportError> {
    let field = "clearcoatNormalTexture";
    let prefix = format!("{}.{field}", f.prefix);
    let scale = match f.map.get(field).and_then(Value::as_object) {
        Some(map) => Fields { prefix: &prefix, map, ..f }.number("scale", 1.0, Range::ANY),
        None => 1.0,
    };
    Ok(Clearcoat {
        factor: f.number("clearcoatFactor", 0.0, Range::UNIT),
        texture: texture(f, "clearcoatTexture")?,
        roughness: f.number("clearcoatRoughnessFactor", 0.0, Range::UNIT),
        roughness_texture: texture(f, "clearcoatRoughnessTexture")?,
        normal_texture: texture(f, field)?,
        normal_scale: scale,
    })
}

fn sheen(f: Fields) -> Result<Sheen, ImportError> {
    Ok(Sheen {
        color: Vec3::from_array(f.numbers("sheenColorFactor", [0.0; 3], Range::UNIT)),
        color_texture: texture(f, "sheenColorTexture")?,
        roughness: f.number("sheenRoughnessFactor", 0.0, Range::UNIT),
        roughness_texture: texture(f, "sheenRoughnessTexture")?,
    })
}

fn transmission(f: Fields) -> Result<Transmission, ImportError> {
    Ok(Transmission {
        factor: f.number("transmissionFactor", 0.0, Range::UNIT),
        texture: texture(f, "transmissionTexture")?,
    })
}

fn volume(f: Fields) -> Result<Volume, ImportError> {
    let mut distance = f.number("attenuationDistance", f32::INFINITY, Range::ANY);
    if distance <= 0.0 {
        f.warn("attenuationDistance", format_args!("is {distance}; nothing is absorbed"));
        distance = f32::INFINITY;
    }
    Ok(Volume {
        thickness: f.number("thicknessFactor", 0.0, Range::POSITIVE),
        texture: texture(f, "thicknessTexture")?,
        attenuation_distance: Some(distance).filter(|distance| distance.is_finite()),
        attenuation_color: Vec3::from_array(f.numbers("attenuationColor", [1.0; 3], Range::UNIT)),
    })
}

fn iridescence(f: Fields) -> Result<Iridescence, ImportError> {
    let none = Iridescence::default();
    let thickness = |field, default| f.number(field, default, Range::POSITIVE);
    Ok(Iridescence {
        factor: f.number("iridescenceFactor", none.factor, Range::UNIT),
        texture: texture(f, "iridescenceTexture")?,
        ior: f.number("iridescenceIor", none.ior, Range { least: 1.0, most: f32::MAX }),
        thickness: [
            thickness("iridescenceThicknessMinimum", none.thickness[0]),
            thickness("iridescenceThicknessMaximum", none.thickness[1]),
        ],
        thickness_texture: texture(f, "iridescenceThicknessTexture")?,
    })
}

fn anisotropy(f: Fields) -> Result<Anisotropy, ImportError> {
    Ok(Anisotropy {
        strength: f.number("anisotropyStrength", 0.0, Range::UNIT),
        rotation: f.number("anisotropyRotation", 0.0, Range::ANY),
        texture: texture(f, "anisotropyTexture")?,
    })
}

fn specular_glossiness(f: Fields) -> Result<SpecularGlossiness, ImportError> {
    Ok(SpecularGlossiness {
        diffuse: Vec4::from_array(f.numbers("diffuseFactor", [1.0; 4], Range::UNIT)),
        diffuse_texture: texture(f, "diffuseTexture")?,
        specular: Vec3::from_array(f.numbers("specularFactor", [1.0; 3], Range::UNIT)),
        glossiness: f.number("glossinessFactor", 1.0, Range::UNIT),
        texture: texture(f, "specularGlossinessTexture")?,
    })
}

/// Reads a texture's info. One that names no texture is left out; one that names a texture that is not there is an
/// error, as everywhere.
fn texture(f: Fields, field: &str) -> Result<Option<TextureSlot>, ImportError> {
    let Some(map) = f.object(field) else { return Ok(None) };
    let prefix = format!("{}.{field}", f.prefix);
    let info = Fields { prefix: &prefix, map, ..f };
    let Some(index) = info.index("index") else {
        if !map.contains_key("index") {
            info.warn("index", "is missing; the texture is left out");
        }
        return Ok(None);
    };
    let uv_set = info.index("texCoord").unwrap_or(0);
    slot(f.reader, f.location, field, (index, uv_set), info.object("extensions"))
}
