//! Surfaces: metallic-roughness materials, the layers that extensions add, and textures.

use glam::{Affine2, Mat2, Vec2, Vec3, Vec4};

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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureSlot {
    /// Which.
    pub texture: TextureId,
    /// `TEXCOORD_n`: 0 or 1.
    pub uv_set: usize,
    /// Applied to the coordinates first. `None` where the file has none, which costs nothing.
    pub transform: Option<UvTransform>,
}

/// `KHR_texture_transform`: where a texture is read, for coordinates that a vertex stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvTransform {
    /// How far the origin is moved, in widths and heights of the texture.
    pub offset: Vec2,
    /// About the origin, radians: turns the picture clockwise as glTF sees it (v points down).
    pub rotation: f32,
    /// Applied first.
    pub scale: Vec2,
}

impl Default for UvTransform {
    fn default() -> Self {
        Self { offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE }
    }
}

impl UvTransform {
    /// `texture_from_stored`: translation · rotation · scale, in the order and with the signs of the extension.
    #[must_use]
    pub fn matrix(&self) -> Affine2 {
        let (sin, cos) = self.rotation.sin_cos();
        let rotation = Mat2::from_cols(Vec2::new(cos, -sin), Vec2::new(sin, cos));
        Affine2::from_mat2_translation(rotation * Mat2::from_diagonal(self.scale), self.offset)
    }
}

/// `KHR_materials_specular`: how strong and of what colour the reflection of what is no metal is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specular {
    /// 0…1: of the whole reflection, at every angle.
    pub factor: f32,
    /// A: multiplies `factor`.
    pub texture: Option<TextureSlot>,
    /// Linear, ≥ 0: of what is reflected straight back; may exceed 1.
    pub color: Vec3,
    /// sRGB: multiplies `color`.
    pub color_texture: Option<TextureSlot>,
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, texture: None, color: Vec3::ONE, color_texture: None }
    }
}

/// `KHR_materials_clearcoat`: varnish over everything else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearcoat {
    /// 0…1.
    pub factor: f32,
    /// R: multiplies `factor`.
    pub texture: Option<TextureSlot>,
    /// 0…1.
    pub roughness: f32,
    /// G: multiplies `roughness`.
    pub roughness_texture: Option<TextureSlot>,
    /// The normal map of the varnish; without one the varnish is as smooth as the mesh, whatever normal map lies under it.
    pub normal_texture: Option<TextureSlot>,
    /// Scales xy of its normal map.
    pub normal_scale: f32,
}

impl Default for Clearcoat {
    fn default() -> Self {
        Self {
            factor: 0.0,
            texture: None,
            roughness: 0.0,
            roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
        }
    }
}

/// `KHR_materials_sheen`: fibres that stand off the surface, as of velvet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sheen {
    /// Linear, 0…1; black: no sheen.
    pub color: Vec3,
    /// sRGB: multiplies `color`.
    pub color_texture: Option<TextureSlot>,
    /// 0…1.
    pub roughness: f32,
    /// A: multiplies `roughness`.
    pub roughness_texture: Option<TextureSlot>,
}

/// `KHR_materials_transmission`: light that passes through a thin wall instead of being scattered back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transmission {
    /// 0…1: of the light that is not reflected.
    pub factor: f32,
    /// R: multiplies `factor`.
    pub texture: Option<TextureSlot>,
}

/// `KHR_materials_pbrSpecularGlossiness`: takes the place of base colour, metallic and roughness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpecularGlossiness {
    /// Linear RGBA.
    pub diffuse: Vec4,
    /// sRGB colour, straight alpha.
    pub diffuse_texture: Option<TextureSlot>,
    /// Linear, 0…1: reflectance straight on.
    pub specular: Vec3,
    /// 0…1: 1 − roughness.
    pub glossiness: f32,
    /// RGB: specular, sRGB; A: glossiness, linear.
    pub texture: Option<TextureSlot>,
}

impl Default for SpecularGlossiness {
    fn default() -> Self {
        Self { diffuse: Vec4::ONE, diffuse_texture: None, specular: Vec3::ONE, glossiness: 1.0, texture: None }
    }
}

/// A metallic-roughness material (glTF 2.0, 3.9) with what extensions lay over it. Factors are linear. Optional parts are
/// there where the file has them, whatever their numbers, so that an animation of a number never changes which parts there
/// are.
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
    /// `KHR_materials_emissive_strength`: multiplies `emissive`, ≥ 0.
    pub emissive_strength: f32,
    /// `KHR_materials_ior`: index of refraction, 0 (which reflects everything) or ≥ 1.
    pub ior: f32,
    /// How what is no metal reflects.
    pub specular: Option<Specular>,
    /// Varnish.
    pub clearcoat: Option<Clearcoat>,
    /// Cloth.
    pub sheen: Option<Sheen>,
    /// Glass.
    pub transmission: Option<Transmission>,
    /// Takes the place of base colour, metallic and roughness.
    pub specular_glossiness: Option<SpecularGlossiness>,
    /// `KHR_materials_unlit`: the base colour as it is; nothing else of the material counts.
    pub unlit: bool,
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
            emissive_strength: 1.0,
            ior: 1.5,
            specular: None,
            clearcoat: None,
            sheen: None,
            transmission: None,
            specular_glossiness: None,
            unlit: false,
            alpha: AlphaMode::Opaque,
            double_sided: false,
        }
    }
}

impl Material {
    /// The factor and texture that colour the surface and hold its alpha: the base colour, or the diffuse colour that takes
    /// its place. Linear RGBA, and an sRGB texture.
    #[must_use]
    pub fn coloring(&self) -> (Vec4, Option<TextureSlot>) {
        self.specular_glossiness.map_or((self.base_color, self.base_color_texture), |s| (s.diffuse, s.diffuse_texture))
    }

    /// Every texture that is drawn, with its name as the file's format has it.
    pub fn textures(&self) -> impl Iterator<Item = (&'static str, TextureSlot)> {
        let (specular, coat) = (self.specular.unwrap_or_default(), self.clearcoat.unwrap_or_default());
        let (sheen, transmission) = (self.sheen.unwrap_or_default(), self.transmission.unwrap_or_default());
        let [base, surface] = match self.specular_glossiness {
            Some(s) => [("diffuseTexture", s.diffuse_texture), ("specularGlossinessTexture", s.texture)],
            None => [
                ("baseColorTexture", self.base_color_texture),
                ("metallicRoughnessTexture", self.metallic_roughness_texture),
            ],
        };
        let all = [
            base,
            surface,
            ("normalTexture", self.normal_texture),
            ("occlusionTexture", self.occlusion_texture),
            ("emissiveTexture", self.emissive_texture),
            ("specularTexture", specular.texture),
            ("specularColorTexture", specular.color_texture),
            ("clearcoatTexture", coat.texture),
            ("clearcoatRoughnessTexture", coat.roughness_texture),
            ("clearcoatNormalTexture", coat.normal_texture),
            ("sheenColorTexture", sheen.color_texture),
            ("sheenRoughnessTexture", sheen.roughness_texture),
            ("transmissionTexture", transmission.texture),
        ];
        let unlit = self.unlit;
        all.into_iter().take(if unlit { 1 } else { all.len() }).filter_map(|(name, slot)| slot.map(|slot| (name, slot)))
    }

    /// The texture whose coordinates tangents follow: that of the normal map, else of the varnish's.
    #[must_use]
    pub fn tangent_slot(&self) -> Option<TextureSlot> {
        let coat = || self.clearcoat.and_then(|c| c.normal_texture);
        self.normal_texture.or_else(coat).filter(|_| !self.unlit)
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
