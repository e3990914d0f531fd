//! Properties that a clip may animate in addition to poses (`KHR_animation_pointer`): one to four numbers of a
//! material, light, camera or node.

use glam::{Vec3, Vec4};

use super::{AlphaMode, CameraId, Lens, Light, LightId, LightKind, Material, MaterialId, NodeId, TextureSlot};

/// A property that a clip animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// The visibility of a node and all below it: 0 or 1.
    Visible(NodeId),
    /// A property of a material.
    Material(MaterialId, MaterialProperty),
    /// A property of a light.
    Light(LightId, LightProperty),
    /// A property of a camera.
    Camera(CameraId, CameraProperty),
}

/// A property and its new value; a property of `n` components uses the first `n` of the vector.
pub type Change = (Property, Vec4);

/// The properties of a material that a clip may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields of Material and its parts")]
pub enum MaterialProperty {
    BaseColor,
    Metallic,
    Roughness,
    AlphaCutoff,
    Emissive,
    EmissiveStrength,
    NormalScale,
    OcclusionStrength,
    Ior,
    Specular,
    SpecularColor,
    Clearcoat,
    ClearcoatRoughness,
    ClearcoatNormalScale,
    SheenColor,
    SheenRoughness,
    Transmission,
    Thickness,
    AttenuationDistance,
    AttenuationColor,
    Dispersion,
    Iridescence,
    IridescenceIor,
    IridescenceThicknessMin,
    IridescenceThicknessMax,
    Anisotropy,
    AnisotropyRotation,
    Diffuse,
    SpecularOfGloss,
    Glossiness,
    UvOffset(TextureUse),
    UvRotation(TextureUse),
    UvScale(TextureUse),
}

/// The textures of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields of Material and its parts")]
pub enum TextureUse {
    BaseColor,
    MetallicRoughness,
    Normal,
    Occlusion,
    Emissive,
    Specular,
    SpecularColor,
    Clearcoat,
    ClearcoatRoughness,
    ClearcoatNormal,
    SheenColor,
    SheenRoughness,
    Transmission,
    Thickness,
    Iridescence,
    IridescenceThickness,
    Anisotropy,
    Diffuse,
    SpecularGlossiness,
}

/// The properties of a light that a clip may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields of Light")]
pub enum LightProperty {
    Color,
    Intensity,
    Range,
    InnerCone,
    OuterCone,
}

/// The properties of a camera that a clip may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields of Lens")]
pub enum CameraProperty {
    FovY,
    Aspect,
    HalfWidth,
    HalfHeight,
    Near,
    Far,
}

impl Property {
    /// Returns the number of components of its value: 1 to 4.
    #[must_use]
    pub fn components(self) -> usize {
        use MaterialProperty as M;
        match self {
            Self::Material(_, M::BaseColor | M::Diffuse) => 4,
            Self::Material(
                _,
                M::Emissive | M::SpecularColor | M::SheenColor | M::AttenuationColor | M::SpecularOfGloss,
            )
            | Self::Light(_, LightProperty::Color) => 3,
            Self::Material(_, M::UvOffset(_) | M::UvScale(_)) => 2,
            Self::Visible(_) | Self::Material(..) | Self::Light(..) | Self::Camera(..) => 1,
        }
    }
}

impl Material {
    /// Returns one of the textures; `None` where the material does not have it.
    pub fn slot_mut(&mut self, texture: TextureUse) -> Option<&mut TextureSlot> {
        use TextureUse as U;
        let slot = match texture {
            U::BaseColor => &mut self.base_color_texture,
            U::MetallicRoughness => &mut self.metallic_roughness_texture,
            U::Normal => &mut self.normal_texture,
            U::Occlusion => &mut self.occlusion_texture,
            U::Emissive => &mut self.emissive_texture,
            U::Specular => &mut self.specular.as_mut()?.texture,
            U::SpecularColor => &mut self.specular.as_mut()?.color_texture,
            U::Clearcoat => &mut self.clearcoat.as_mut()?.texture,
            U::ClearcoatRoughness => &mut self.clearcoat.as_mut()?.roughness_texture,
            U::ClearcoatNormal => &mut self.clearcoat.as_mut()?.normal_texture,
            U::SheenColor => &mut self.sheen.as_mut()?.color_texture,
            U::SheenRoughness => &mut self.sheen.as_mut()?.roughness_texture,
            U::Transmission => &mut self.transmission.as_mut()?.texture,
            U::Thickness => &mut self.volume.as_mut()?.texture,
            U::Iridescence => &mut self.iridescence.as_mut()?.texture,
            U::IridescenceThickness => &mut self.iridescence.as_mut()?.thickness_texture,
            U::Anisotropy => &mut self.anisotropy.as_mut()?.texture,
            U::Diffuse => &mut self.specular_glossiness.as_mut()?.diffuse_texture,
            U::SpecularGlossiness => &mut self.specular_glossiness.as_mut()?.texture,
        };
        slot.as_mut()
    }

    /// Sets one property, clamped to its range. Returns false and changes nothing where the material does not have the
    /// part that the property belongs to.
    pub fn set(&mut self, property: MaterialProperty, value: Vec4) -> bool {
        self.store(property, value).is_some()
    }

    fn store(&mut self, property: MaterialProperty, value: Vec4) -> Option<()> {
        use MaterialProperty as P;
        let (unit, positive) = (value.clamp(Vec4::ZERO, Vec4::ONE), value.clamp(Vec4::ZERO, Vec4::MAX));
        match property {
            P::BaseColor => self.base_color = unit,
            P::Metallic => self.metallic = unit.x,
            P::Roughness => self.roughness = unit.x,
            P::AlphaCutoff => match &mut self.alpha {
                AlphaMode::Mask { cutoff } => *cutoff = positive.x,
                AlphaMode::Opaque | AlphaMode::Blend => return None,
            },
            P::Emissive => self.emissive = unit.truncate(),
            P::EmissiveStrength => self.emissive_strength = positive.x,
            P::NormalScale => self.normal_scale = value.x,
            P::OcclusionStrength => self.occlusion_strength = unit.x,
            P::Ior => self.ior = if value.x < 0.5 { 0.0 } else { value.x.max(1.0) },
            P::Specular => self.specular.as_mut()?.factor = unit.x,
            P::SpecularColor => self.specular.as_mut()?.color = positive.truncate(),
            P::Clearcoat => self.clearcoat.as_mut()?.factor = unit.x,
            P::ClearcoatRoughness => self.clearcoat.as_mut()?.roughness = unit.x,
            P::ClearcoatNormalScale => self.clearcoat.as_mut()?.normal_scale = value.x,
            P::SheenColor => self.sheen.as_mut()?.color = unit.truncate(),
            P::SheenRoughness => self.sheen.as_mut()?.roughness = unit.x,
            P::Transmission => self.transmission.as_mut()?.factor = unit.x,
            P::Thickness => self.volume.as_mut()?.thickness = positive.x,
            P::AttenuationDistance => {
                self.volume.as_mut()?.attenuation_distance = Some(positive.x).filter(|distance| *distance > 0.0);
            }
            P::AttenuationColor => self.volume.as_mut()?.attenuation_color = unit.truncate(),
            P::Dispersion => *self.dispersion.as_mut()? = positive.x,
            P::Iridescence => self.iridescence.as_mut()?.factor = unit.x,
            P::IridescenceIor => self.iridescence.as_mut()?.ior = positive.x.max(1.0),
            P::IridescenceThicknessMin => self.iridescence.as_mut()?.thickness[0] = positive.x,
            P::IridescenceThicknessMax => self.iridescence.as_mut()?.thickness[1] = positive.x,
            P::Anisotropy => self.anisotropy.as_mut()?.strength = unit.x,
            P::AnisotropyRotation => self.anisotropy.as_mut()?.rotation = value.x,
            P::Diffuse => self.specular_glossiness.as_mut()?.diffuse = unit,
            P::SpecularOfGloss => self.specular_glossiness.as_mut()?.specular = unit.truncate(),
            P::Glossiness => self.specular_glossiness.as_mut()?.glossiness = unit.x,
            P::UvOffset(texture) => self.slot_mut(texture)?.transform.as_mut()?.offset = value.truncate().truncate(),
            P::UvRotation(texture) => self.slot_mut(texture)?.transform.as_mut()?.rotation = value.x,
            P::UvScale(texture) => self.slot_mut(texture)?.transform.as_mut()?.scale = value.truncate().truncate(),
        }
        Some(())
    }
}

impl Light {
    /// Sets one property, clamped to its range.
    pub fn set(&mut self, property: LightProperty, value: Vec4) {
        let positive = |v: f32| v.clamp(0.0, f32::MAX);
        match (property, &mut self.kind) {
            (LightProperty::Color, _) => self.color = value.truncate().clamp(Vec3::ZERO, Vec3::MAX),
            (LightProperty::Intensity, _) => self.intensity = positive(value.x),
            (LightProperty::Range, _) => self.range = Some(positive(value.x)).filter(|r| *r > 0.0),
            (LightProperty::InnerCone, LightKind::Spot { inner, outer }) => *inner = value.x.clamp(0.0, *outer * 0.999),
            (LightProperty::OuterCone, LightKind::Spot { inner, outer }) => {
                *outer = value.x.clamp(1e-3, std::f32::consts::FRAC_PI_2);
                *inner = inner.min(*outer * 0.999);
            }
            (LightProperty::InnerCone | LightProperty::OuterCone, _) => {}
        }
    }
}

impl Lens {
    /// Sets one property. The lens stays as it was where the value makes no valid projection.
    pub fn set(&mut self, property: CameraProperty, value: f32) {
        let mut changed = *self;
        match (&mut changed, property) {
            (Self::Perspective { fov_y, .. }, CameraProperty::FovY) => *fov_y = value,
            (Self::Perspective { aspect, .. }, CameraProperty::Aspect) => *aspect = Some(value),
            (Self::Perspective { near, .. } | Self::Orthographic { near, .. }, CameraProperty::Near) => *near = value,
            (Self::Perspective { far, .. }, CameraProperty::Far) => *far = Some(value),
            (Self::Orthographic { far, .. }, CameraProperty::Far) => *far = value,
            (Self::Orthographic { half_width, .. }, CameraProperty::HalfWidth) => *half_width = value.abs(),
            (Self::Orthographic { half_height, .. }, CameraProperty::HalfHeight) => *half_height = value.abs(),
            _ => {}
        }
        if changed.is_valid() {
            *self = changed;
        }
    }
}
