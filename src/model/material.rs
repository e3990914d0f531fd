//! Surfaces: metallic-roughness materials and textures.

use glam::{Vec3, Vec4};

use super::{ImageId, TextureId};

/// How alpha is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Drawn where alpha ≥ `cutoff`.
    Mask {
        /// 0…1.
        cutoff: f32,
    },
    /// Blended over what lies behind.
    Blend,
}

/// A texture and the coordinates it is read at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureSlot {
    /// Which.
    pub texture: TextureId,
    /// `TEXCOORD_n`: 0 or 1.
    pub uv_set: usize,
}

/// A metallic-roughness material (glTF 2.0, 3.9). Factors are linear.
#[derive(Clone, Debug)]
pub struct Material {
    /// Never empty.
    pub name: String,
    /// Linear RGBA.
    pub base_color: Vec4,
    /// sRGB colour, straight alpha.
    pub base_color_texture: Option<TextureSlot>,
    /// 0…1.
    pub metallic: f32,
    /// 0…1.
    pub roughness: f32,
    /// G roughness, B metallic.
    pub metallic_roughness_texture: Option<TextureSlot>,
    /// Tangent space, +Y up.
    pub normal_texture: Option<TextureSlot>,
    /// Scales xy of the normal map.
    pub normal_scale: f32,
    /// R.
    pub occlusion_texture: Option<TextureSlot>,
    /// 0…1.
    pub occlusion_strength: f32,
    /// Linear.
    pub emissive: Vec3,
    /// sRGB.
    pub emissive_texture: Option<TextureSlot>,
    /// How alpha is used.
    pub alpha: AlphaMode,
    /// Else back faces are culled.
    pub double_sided: bool,
}

impl Default for Material {
    /// The default material of glTF 2.0 (3.9.1).
    fn default() -> Self {
        Self {
            name: "default".into(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            alpha: AlphaMode::Opaque,
            double_sided: false,
        }
    }
}

/// An image read in a certain way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texture {
    /// `None`: missing or broken, drawn as a neutral stand-in.
    pub image: Option<ImageId>,
    /// Filters and wrapping.
    pub sampler: Sampler,
}

/// Filters and wrapping of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Across u.
    pub wrap_u: Wrap,
    /// Across v.
    pub wrap_v: Wrap,
    /// When magnified.
    pub mag: Filter,
    /// When minified.
    pub min: Filter,
    /// Between mip levels; `None`: only the largest is read.
    pub mip: Option<Filter>,
}

/// Outside 0…1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Wrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
}

/// Between texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Filter {
    Nearest,
    #[default]
    Linear,
}
