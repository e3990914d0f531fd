//! Reads `KHR_animation_pointer`: channels whose target is named by a JSON pointer. The types of the parser cannot
//! represent them, so they are read from the text again, and only where the file uses the extension.

use gltf::json;
use serde_json::Value;
use skinscope_model::{
    CameraProperty, Lens, LightProperty, Material, MaterialId, MaterialProperty, NodeId, Path, Property, TextureUse,
    UvTransform,
};

use super::fields::whole;
use super::lights::LightsAndCameras;
use super::nodes::Nodes;

/// The name of the extension.
const NAME: &str = "KHR_animation_pointer";

/// A pointer channel as the file has it.
#[derive(Debug)]
pub(super) struct PointerChannel {
    /// Its index in the animation.
    pub channel: usize,
    /// The number of the sampler in the file; it may be missing or not exist.
    pub sampler: Option<usize>,
    /// The pointer, such as `/materials/0/emissiveFactor`; empty where the file names none.
    pub pointer: String,
}

/// The pointer channels of every animation; empty where the file has none.
pub(super) fn list(text: &str, root: &json::Root) -> Vec<Vec<PointerChannel>> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Document {
        animations: Vec<Value>,
    }
    if !root.extensions_used.iter().any(|e| e == NAME) {
        return Vec::new();
    }
    // The text was parsed before, so anything else than a list was refused there.
    let document: Document = serde_json::from_str(text).unwrap_or_default();
    let channel = |(index, channel): (usize, &Value)| {
        let target = channel.get("target").filter(|t| is_pointer(t))?;
        let pointer = target.get("extensions").and_then(|e| e.get(NAME)?.get("pointer")?.as_str());
        let sampler = channel.get("sampler").and_then(whole).and_then(|s| usize::try_from(s).ok());
        Some(PointerChannel { channel: index, sampler, pointer: pointer.unwrap_or_default().to_owned() })
    };
    let channels = |animation: &Value| {
        let list = animation.get("channels").and_then(Value::as_array);
        list.into_iter().flatten().enumerate().filter_map(channel).collect()
    };
    document.animations.iter().map(channels).collect()
}

/// Returns the meshes of the file whose weights a pointer names, their own or those of a node that shows them: their indices, rising.
pub(super) fn of_weights(pointers: &[Vec<PointerChannel>], root: &json::Root) -> Vec<usize> {
    let mesh = |channel: &PointerChannel| -> Option<usize> {
        let (list, rest) = channel.pointer.strip_prefix('/')?.split_once('/')?;
        let (index, name) = split_index(rest)?;
        match list {
            _ if name != "weights" && !name.starts_with("weights/") => None,
            "meshes" => Some(index),
            "nodes" => root.nodes.get(index)?.mesh.map(|mesh| mesh.value()),
            _ => None,
        }
    };
    let mut out: Vec<usize> = pointers.iter().flatten().filter_map(mesh).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Returns whether the target of a channel is named by a pointer.
pub(super) fn is_pointer(target: &Value) -> bool {
    target.get("extensions").is_some_and(|e| e.get(NAME).is_some())
}

/// The property that a pointer names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A property of a node, which plain channels can move too.
    Node(NodeId, Path),
    Property(Property),
}

/// The objects that pointers can name.
pub(super) struct World<'a> {
    pub nodes: &'a Nodes,
    pub carried: &'a LightsAndCameras,
    pub materials: &'a mut [Material],
}

impl World<'_> {
    /// Finds the target of `pointer` (RFC 6901), if it exists and is shown. A texture whose coordinates are to be moved
    /// gets a transform, if it has none.
    pub(super) fn find(&mut self, pointer: &str) -> Option<Target> {
        let rest = pointer.strip_prefix('/')?;
        let (list, rest) = rest.split_once('/')?;
        match list {
            "nodes" => self.node(rest),
            "materials" => {
                let (index, name) = split_index(rest)?;
                let property = material_property(name)?;
                let material = self.materials.get_mut(index)?;
                if let MaterialProperty::UvOffset(u) | MaterialProperty::UvRotation(u) | MaterialProperty::UvScale(u) =
                    property
                {
                    material.slot_mut(u)?.transform.get_or_insert_with(UvTransform::default);
                }
                // Only parts that the material has can be changed.
                material
                    .clone()
                    .set(property, glam::Vec4::ZERO)
                    .then(|| Target::Property(Property::Material(MaterialId::from_index(index), property)))
            }
            "cameras" => self.camera(rest),
            "extensions" => self.light(rest.strip_prefix("KHR_lights_punctual/lights/")?),
            _ => None,
        }
    }

    fn node(&self, rest: &str) -> Option<Target> {
        let (index, name) = split_index(rest)?;
        let node = *self.nodes.of_file.get(index)?;
        let path = match name {
            "translation" => Path::Translation,
            "rotation" => Path::Rotation,
            "scale" => Path::Scale,
            "weights" => Path::Weights,
            "extensions/KHR_node_visibility/visible" => return Some(Target::Property(Property::Visible(node))),
            _ => return None,
        };
        Some(Target::Node(node, path))
    }

    fn camera(&self, rest: &str) -> Option<Target> {
        let (index, name) = split_index(rest)?;
        let id = (*self.carried.camera_of_file.get(index)?)?;
        let is_perspective = matches!(self.carried.cameras[id.index()].lens, Lens::Perspective { .. });
        let property = match (name, is_perspective) {
            ("perspective/yfov", true) => CameraProperty::FovY,
            ("perspective/aspectRatio", true) => CameraProperty::Aspect,
            ("orthographic/xmag", false) => CameraProperty::HalfWidth,
            ("orthographic/ymag", false) => CameraProperty::HalfHeight,
            ("perspective/znear", true) | ("orthographic/znear", false) => CameraProperty::Near,
            ("perspective/zfar", true) | ("orthographic/zfar", false) => CameraProperty::Far,
            _ => return None,
        };
        Some(Target::Property(Property::Camera(id, property)))
    }

    fn light(&self, rest: &str) -> Option<Target> {
        let (index, name) = split_index(rest)?;
        let id = (*self.carried.light_of_file.get(index)?)?;
        let property = match name {
            "color" => LightProperty::Color,
            "intensity" => LightProperty::Intensity,
            "range" => LightProperty::Range,
            "spot/innerConeAngle" => LightProperty::InnerCone,
            "spot/outerConeAngle" => LightProperty::OuterCone,
            _ => return None,
        };
        Some(Target::Property(Property::Light(id, property)))
    }
}

/// Reads a list position as RFC 6901 writes it (no sign, no leading zero); returns it and the text after it.
fn split_index(rest: &str) -> Option<(usize, &str)> {
    let (index, name) = rest.split_once('/')?;
    let plain = index == "0" || index.starts_with(|c| matches!(c, '1'..='9'));
    let digits = index.bytes().all(|b| b.is_ascii_digit());
    Some((index.parse().ok().filter(|_| plain && digits)?, name))
}

/// Names of a material's numbers.
const NUMBERS: &[(&str, MaterialProperty)] = &[
    ("pbrMetallicRoughness/baseColorFactor", MaterialProperty::BaseColor),
    ("pbrMetallicRoughness/metallicFactor", MaterialProperty::Metallic),
    ("pbrMetallicRoughness/roughnessFactor", MaterialProperty::Roughness),
    ("alphaCutoff", MaterialProperty::AlphaCutoff),
    ("emissiveFactor", MaterialProperty::Emissive),
    ("normalTexture/scale", MaterialProperty::NormalScale),
    ("occlusionTexture/strength", MaterialProperty::OcclusionStrength),
    ("extensions/KHR_materials_emissive_strength/emissiveStrength", MaterialProperty::EmissiveStrength),
    ("extensions/KHR_materials_ior/ior", MaterialProperty::Ior),
    ("extensions/KHR_materials_specular/specularFactor", MaterialProperty::Specular),
    ("extensions/KHR_materials_specular/specularColorFactor", MaterialProperty::SpecularColor),
    ("extensions/KHR_materials_clearcoat/clearcoatFactor", MaterialProperty::Clearcoat),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", MaterialProperty::ClearcoatRoughness),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale", MaterialProperty::ClearcoatNormalScale),
    ("extensions/KHR_materials_sheen/sheenColorFactor", MaterialProperty::SheenColor),
    ("extensions/KHR_materials_sheen/sheenRoughnessFactor", MaterialProperty::SheenRoughness),
    ("extensions/KHR_materials_transmission/transmissionFactor", MaterialProperty::Transmission),
    ("extensions/KHR_materials_volume/thicknessFactor", MaterialProperty::Thickness),
    ("extensions/KHR_materials_volume/attenuationDistance", MaterialProperty::AttenuationDistance),
    ("extensions/KHR_materials_volume/attenuationColor", MaterialProperty::AttenuationColor),
    ("extensions/KHR_materials_dispersion/dispersion", MaterialProperty::Dispersion),
    ("extensions/KHR_materials_iridescence/iridescenceFactor", MaterialProperty::Iridescence),
    ("extensions/KHR_materials_iridescence/iridescenceIor", MaterialProperty::IridescenceIor),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", MaterialProperty::IridescenceThicknessMin),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", MaterialProperty::IridescenceThicknessMax),
    ("extensions/KHR_materials_anisotropy/anisotropyStrength", MaterialProperty::Anisotropy),
    ("extensions/KHR_materials_anisotropy/anisotropyRotation", MaterialProperty::AnisotropyRotation),
    ("extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor", MaterialProperty::Diffuse),
    ("extensions/KHR_materials_pbrSpecularGlossiness/specularFactor", MaterialProperty::SpecularOfGloss),
    ("extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor", MaterialProperty::Glossiness),
];

/// Names of a material's textures.
const TEXTURES: &[(&str, TextureUse)] = &[
    ("pbrMetallicRoughness/baseColorTexture", TextureUse::BaseColor),
    ("pbrMetallicRoughness/metallicRoughnessTexture", TextureUse::MetallicRoughness),
    ("normalTexture", TextureUse::Normal),
    ("occlusionTexture", TextureUse::Occlusion),
    ("emissiveTexture", TextureUse::Emissive),
    ("extensions/KHR_materials_specular/specularTexture", TextureUse::Specular),
    ("extensions/KHR_materials_specular/specularColorTexture", TextureUse::SpecularColor),
    ("extensions/KHR_materials_clearcoat/clearcoatTexture", TextureUse::Clearcoat),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture", TextureUse::ClearcoatRoughness),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture", TextureUse::ClearcoatNormal),
    ("extensions/KHR_materials_sheen/sheenColorTexture", TextureUse::SheenColor),
    ("extensions/KHR_materials_sheen/sheenRoughnessTexture", TextureUse::SheenRoughness),
    ("extensions/KHR_materials_transmission/transmissionTexture", TextureUse::Transmission),
    ("extensions/KHR_materials_volume/thicknessTexture", TextureUse::Thickness),
    ("extensions/KHR_materials_iridescence/iridescenceTexture", TextureUse::Iridescence),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessTexture", TextureUse::IridescenceThickness),
    ("extensions/KHR_materials_anisotropy/anisotropyTexture", TextureUse::Anisotropy),
    ("extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture", TextureUse::Diffuse),
    ("extensions/KHR_materials_pbrSpecularGlossiness/specularGlossinessTexture", TextureUse::SpecularGlossiness),
];

fn material_property(name: &str) -> Option<MaterialProperty> {
    if let Some((texture, field)) = name.split_once("/extensions/KHR_texture_transform/") {
        let texture = TEXTURES.iter().find(|(known, _)| *known == texture)?.1;
        return match field {
            "offset" => Some(MaterialProperty::UvOffset(texture)),
            "rotation" => Some(MaterialProperty::UvRotation(texture)),
            "scale" => Some(MaterialProperty::UvScale(texture)),
            _ => None,
        };
    }
    NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, property)| *property)
}
