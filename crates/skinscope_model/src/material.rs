//! Materials: metallic-roughness, the layers that extensions add, and textures.

use glam::{Affine2, Mat2, Vec2, Vec3, Vec4};

use super::{ImageId, TextureId};

/// The meaning of alpha (glTF 2.0, 3.9.4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// The surface is drawn where alpha ≥ `cutoff`, and fully transparent elsewhere.
    Mask {
        /// The least alpha that is drawn, 0…1.
        cutoff: f32,
    },
    /// The surface is blended over what lies behind it.
    Blend,
}

/// A texture and the texture coordinates at which it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureSlot {
    /// The texture.
    pub texture: TextureId,
    /// The set of coordinates, `TEXCOORD_n`: 0 or 1.
    pub uv_set: usize,
    /// A transform of the coordinates. `None` where the file has none, which costs nothing.
    pub transform: Option<UvTransform>,
}

/// A transform of texture coordinates (`KHR_texture_transform`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvTransform {
    /// The translation, in widths and heights of the texture; applied last.
    pub offset: Vec2,
    /// The rotation about the origin in radians: it turns the picture clockwise, since v points down in glTF.
    pub rotation: f32,
    /// The scale; applied first.
    pub scale: Vec2,
}

impl Default for UvTransform {
    fn default() -> Self {
        Self { offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE }
    }
}

impl UvTransform {
    /// Returns `texture_from_stored`: translation · rotation · scale, in the order and with the signs of the extension.
    #[must_use]
    pub fn matrix(&self) -> Affine2 {
        let (sin, cos) = self.rotation.sin_cos();
        let rotation = Mat2::from_cols(Vec2::new(cos, -sin), Vec2::new(sin, cos));
        Affine2::from_mat2_translation(rotation * Mat2::from_diagonal(self.scale), self.offset)
    }
}

/// Strength and colour of the reflection of dielectrics (`KHR_materials_specular`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specular {
    /// Strength of the whole reflection at every angle, 0…1.
    pub factor: f32,
    /// A texture whose alpha multiplies `factor`.
    pub texture: Option<TextureSlot>,
    /// Colour of the reflection at normal incidence, linear RGB, ≥ 0; it may exceed 1.
    pub color: Vec3,
    /// An sRGB texture that multiplies `color`.
    pub color_texture: Option<TextureSlot>,
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, texture: None, color: Vec3::ONE, color_texture: None }
    }
}

/// A layer of varnish above all other layers (`KHR_materials_clearcoat`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearcoat {
    /// Strength of the layer, 0…1.
    pub factor: f32,
    /// A texture whose red multiplies `factor`.
    pub texture: Option<TextureSlot>,
    /// Roughness of the layer, 0…1.
    pub roughness: f32,
    /// A texture whose green multiplies `roughness`.
    pub roughness_texture: Option<TextureSlot>,
    /// The normal map of the varnish; without one the varnish is as smooth as the mesh, whatever normal map lies under it.
    pub normal_texture: Option<TextureSlot>,
    /// A factor for x and y of its normal map.
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

/// Fibres on the surface, such as those of velvet (`KHR_materials_sheen`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sheen {
    /// Colour of the sheen, linear RGB, 0…1; black: no sheen.
    pub color: Vec3,
    /// An sRGB texture that multiplies `color`.
    pub color_texture: Option<TextureSlot>,
    /// Roughness of the sheen, 0…1.
    pub roughness: f32,
    /// A texture whose alpha multiplies `roughness`.
    pub roughness_texture: Option<TextureSlot>,
}

/// Light that passes through a thin wall instead of being scattered back (`KHR_materials_transmission`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transmission {
    /// The share of the light that is not reflected which passes through, 0…1.
    pub factor: f32,
    /// A texture whose red multiplies `factor`.
    pub texture: Option<TextureSlot>,
}

/// The inside of a closed surface that lets light through (`KHR_materials_volume`). Without [`Material::transmission`]
/// it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// How far light goes on below the surface, ≥ 0, in units of the mesh; 0: a thin wall.
    pub thickness: f32,
    /// A texture whose green multiplies `thickness`.
    pub texture: Option<TextureSlot>,
    /// The distance in metres after which white light has `attenuation_color`; `None`: nothing is absorbed.
    pub attenuation_distance: Option<f32>,
    /// The colour that white light has after `attenuation_distance`, linear RGB, 0…1.
    pub attenuation_color: Vec3,
}

impl Default for Volume {
    fn default() -> Self {
        Self { thickness: 0.0, texture: None, attenuation_distance: None, attenuation_color: Vec3::ONE }
    }
}

/// A thin film, as of soap or oil (`KHR_materials_iridescence`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iridescence {
    /// Strength of the film, 0…1.
    pub factor: f32,
    /// A texture whose red multiplies `factor`.
    pub texture: Option<TextureSlot>,
    /// Index of refraction of the film, ≥ 1.
    pub ior: f32,
    /// The thickness where the texture's green is 0 and where it is 1, nanometres. Without a texture the film has the
    /// second one.
    pub thickness: [f32; 2],
    /// A texture whose green chooses the thickness.
    pub thickness_texture: Option<TextureSlot>,
}

impl Default for Iridescence {
    fn default() -> Self {
        Self { factor: 0.0, texture: None, ior: 1.3, thickness: [100.0, 400.0], thickness_texture: None }
    }
}

/// Highlights that are stretched along one direction of the surface, as on brushed metal and hair
/// (`KHR_materials_anisotropy`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anisotropy {
    /// How much rougher the surface is along the direction, 0…1.
    pub strength: f32,
    /// The angle from the tangent to the direction, radians, towards the bitangent.
    pub rotation: f32,
    /// A texture whose red and green hold a direction in tangent space (−1…1 as 0…1), which is turned by `rotation`,
    /// and whose blue multiplies `strength`.
    pub texture: Option<TextureSlot>,
}

/// The older model whose parameters replace base colour, metallic and roughness
/// (`KHR_materials_pbrSpecularGlossiness`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpecularGlossiness {
    /// Diffuse colour, linear RGBA.
    pub diffuse: Vec4,
    /// A texture that multiplies `diffuse`: sRGB colour, straight alpha.
    pub diffuse_texture: Option<TextureSlot>,
    /// Reflectance at normal incidence, linear RGB, 0…1.
    pub specular: Vec3,
    /// Smoothness, 0…1; it is 1 − roughness.
    pub glossiness: f32,
    /// A texture whose RGB (sRGB) multiplies `specular` and whose alpha (linear) multiplies `glossiness`.
    pub texture: Option<TextureSlot>,
}

impl Default for SpecularGlossiness {
    fn default() -> Self {
        Self { diffuse: Vec4::ONE, diffuse_texture: None, specular: Vec3::ONE, glossiness: 1.0, texture: None }
    }
}

/// How many textures the core of glTF defines; the others belong to layers.
const CORE_TEXTURES: usize = 5;

/// How many textures of layers are drawn at once. With those of the core, and those of a picture, devices that read no
/// more than sixteen in one stage suffice.
pub const LAYER_TEXTURES: usize = 8;

/// A metallic-roughness material (glTF 2.0, 3.9) with the layers that extensions add. Factors are linear. Optional
/// parts exist where the file has them, whatever their numbers, so that an animation of a number never changes which
/// parts exist.
#[derive(Clone, Debug)]
pub struct Material {
    /// The name of the material; never empty.
    pub name: String,
    /// Base colour, linear RGBA.
    pub base_color: Vec4,
    /// A texture that multiplies `base_color`: sRGB colour, straight alpha.
    pub base_color_texture: Option<TextureSlot>,
    /// How metallic the surface is, 0…1.
    pub metallic: f32,
    /// Roughness, 0…1.
    pub roughness: f32,
    /// A texture whose green multiplies `roughness` and whose blue multiplies `metallic`.
    pub metallic_roughness_texture: Option<TextureSlot>,
    /// A normal map in tangent space, +Y up.
    pub normal_texture: Option<TextureSlot>,
    /// A factor for x and y of the normal map.
    pub normal_scale: f32,
    /// A texture whose red holds ambient occlusion.
    pub occlusion_texture: Option<TextureSlot>,
    /// How strongly occlusion darkens, 0…1.
    pub occlusion_strength: f32,
    /// Emitted light, linear RGB.
    pub emissive: Vec3,
    /// An sRGB texture that multiplies `emissive`.
    pub emissive_texture: Option<TextureSlot>,
    /// A factor of `emissive`, ≥ 0 (`KHR_materials_emissive_strength`).
    pub emissive_strength: f32,
    /// Index of refraction (`KHR_materials_ior`): ≥ 1, or 0, which reflects everything.
    pub ior: f32,
    /// The reflection of dielectrics, where the file changes it.
    pub specular: Option<Specular>,
    /// The layer of varnish, if there is one.
    pub clearcoat: Option<Clearcoat>,
    /// The fibres of cloth, if there are any.
    pub sheen: Option<Sheen>,
    /// Transmitted light, as of glass, if there is any.
    pub transmission: Option<Transmission>,
    /// The inside of the body, if it has one.
    pub volume: Option<Volume>,
    /// How much the index of refraction of the volume differs between colours: 20 divided by the Abbe number, ≥ 0
    /// (`KHR_materials_dispersion`).
    pub dispersion: Option<f32>,
    /// The thin film on the surface, if there is one.
    pub iridescence: Option<Iridescence>,
    /// The direction that highlights are stretched along, if there is one.
    pub anisotropy: Option<Anisotropy>,
    /// The parameters that replace base colour, metallic and roughness, if the file has them.
    pub specular_glossiness: Option<SpecularGlossiness>,
    /// Shows the base colour as it is, without light (`KHR_materials_unlit`); nothing else of the material counts.
    pub unlit: bool,
    /// The meaning of alpha.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn too; else they are culled.
    pub double_sided: bool,
}

impl Default for Material {
    /// Returns the default material of glTF 2.0 (3.9.1).
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
            volume: None,
            dispersion: None,
            iridescence: None,
            anisotropy: None,
            specular_glossiness: None,
            unlit: false,
            alpha: AlphaMode::Opaque,
            double_sided: false,
        }
    }
}

impl Material {
    /// Returns the factor (linear RGBA) and the sRGB texture that colour the surface and hold its alpha: those of the
    /// base colour, or of the diffuse colour that replaces it.
    #[must_use]
    pub fn coloring(&self) -> (Vec4, Option<TextureSlot>) {
        self.specular_glossiness.map_or((self.base_color, self.base_color_texture), |s| (s.diffuse, s.diffuse_texture))
    }

    /// Returns every texture that is drawn, with its name in glTF, such as `baseColorTexture`.
    pub fn textures(&self) -> impl Iterator<Item = (&'static str, TextureSlot)> {
        let all = self.all_textures();
        let drawn = all.into_iter().scan(0, |layers, (n, name, slot)| {
            *layers += usize::from(n >= CORE_TEXTURES);
            Some((*layers <= LAYER_TEXTURES).then_some((name, slot)))
        });
        drawn.flatten()
    }

    /// Returns the names of the textures that are not drawn because the layers have more than [`LAYER_TEXTURES`]: of
    /// these only the factors count.
    pub fn undrawn_textures(&self) -> impl Iterator<Item = &'static str> {
        let layers = self.all_textures().into_iter().filter(|(n, ..)| *n >= CORE_TEXTURES);
        layers.skip(LAYER_TEXTURES).map(|(_, name, _)| name)
    }

    /// The textures of the file in the order of [`TextureUse`](crate::TextureUse), each with its number there: first
    /// those of the core, then those of the layers.
    pub(super) fn all_textures(&self) -> Vec<(usize, &'static str, TextureSlot)> {
        let (specular, coat) = (self.specular.unwrap_or_default(), self.clearcoat.unwrap_or_default());
        let (sheen, transmission) = (self.sheen.unwrap_or_default(), self.transmission.unwrap_or_default());
        let (volume, film) = (self.volume.unwrap_or_default(), self.iridescence.unwrap_or_default());
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
            ("thicknessTexture", volume.texture),
            ("iridescenceTexture", film.texture),
            ("iridescenceThicknessTexture", film.thickness_texture),
            ("anisotropyTexture", self.anisotropy.and_then(|a| a.texture)),
        ];
        let count = if self.unlit { 1 } else { all.len() };
        (0..).zip(all).take(count).filter_map(|(n, (name, slot))| slot.map(|slot| (n, name, slot))).collect()
    }

    /// Returns the texture whose coordinates the tangents follow: the normal map, or else that of the varnish, or else
    /// that of the direction of highlights.
    #[must_use]
    pub fn tangent_slot(&self) -> Option<TextureSlot> {
        let coat = || self.clearcoat.and_then(|c| c.normal_texture);
        let direction = || self.anisotropy.and_then(|a| a.texture);
        self.normal_texture.or_else(coat).or_else(direction).filter(|_| !self.unlit)
    }
}

/// An image together with the sampler that reads it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texture {
    /// The image; `None` where it is missing or broken, which is drawn as a neutral stand-in.
    pub image: Option<ImageId>,
    /// The filters and the wrapping.
    pub sampler: Sampler,
}

/// Filters and wrapping of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Wrapping in the direction of u.
    pub wrap_u: Wrap,
    /// Wrapping in the direction of v.
    pub wrap_v: Wrap,
    /// The filter where the texture is magnified.
    pub mag: Filter,
    /// The filter where the texture is minified.
    pub min: Filter,
    /// The filter between mip levels; `None`: only the largest level is read.
    pub mip: Option<Filter>,
}

/// What is read outside of the texture coordinates 0…1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Wrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
}

/// How texels are combined between their centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Filter {
    Nearest,
    #[default]
    Linear,
}
