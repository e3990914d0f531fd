//! The table of glTF extensions that import knows, and of the degree to which each is supported.

use gltf::json;

use super::ImportError;
use super::error::{Warnings, quoted};

/// A glTF extension that import knows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The name in `extensionsUsed`.
    pub name: &'static str,
    /// The degree to which it is supported.
    pub support: Support,
}

/// The degree to which an extension is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The model is shown as the extension demands.
    Shown,
    /// The extension has nothing that a picture could show; it is ignored without a warning.
    Silent,
    /// The model opens and is drawn without it, even where the file requires it. A warning names what is missing, which
    /// is the text here.
    DrawnWithout(&'static str),
}

/// Every extension that import knows. An unknown one is an error where the file requires it.
pub const EXTENSIONS: &[Extension] = &[
    shown("KHR_animation_pointer"),
    shown("KHR_draco_mesh_compression"),
    shown("KHR_lights_punctual"),
    shown("KHR_materials_anisotropy"),
    shown("KHR_materials_clearcoat"),
    shown("KHR_materials_dispersion"),
    shown("KHR_materials_emissive_strength"),
    shown("KHR_materials_ior"),
    shown("KHR_materials_iridescence"),
    shown("KHR_materials_pbrSpecularGlossiness"),
    shown("KHR_materials_sheen"),
    shown("KHR_materials_specular"),
    shown("KHR_materials_transmission"),
    shown("KHR_materials_unlit"),
    shown("KHR_materials_variants"),
    shown("KHR_materials_volume"),
    shown("KHR_mesh_quantization"),
    shown("KHR_meshopt_compression"),
    shown("KHR_node_visibility"),
    shown("KHR_texture_basisu"),
    shown("KHR_texture_transform"),
    shown("EXT_mesh_gpu_instancing"),
    shown("EXT_meshopt_compression"),
    shown("EXT_texture_webp"),
    without("KHR_materials_diffuse_transmission", "light that shines through leaves and cloth"),
    without("KHR_materials_subsurface", "light scattered below the surface"),
    without("KHR_materials_volume_scatter", "light scattered inside bodies"),
    without("KHR_physics_rigid_bodies", "its physics"),
    without("ADOBE_materials_clearcoat_specular", "the varnish's own index of refraction"),
    without("ADOBE_materials_clearcoat_tint", "the varnish's own colour"),
    without("ADOBE_materials_thin_transparency", "the old form of transmission"),
    without("AGI_articulations", "its articulations"),
    without("CESIUM_primitive_outline", "its outlines"),
    without("EXT_lights_ies", "its light profiles"),
    without("EXT_lights_image_based", "its image-based light"),
    without("MOZ_lightmap", "its light maps"),
    without("MSFT_lod", "its coarser levels"),
    without("MSFT_packing_normalRoughnessMetallic", "its packed textures"),
    without("MSFT_packing_occlusionRoughnessMetallic", "its packed textures"),
    without("OMI_physics_body", "its physics"),
    without("OMI_physics_joint", "its physics"),
    without("VRM", "its toon shading, the materials of its expressions and its swinging parts"),
    without("VRMC_materials_hdr_emissiveMultiplier", "its brighter emission"),
    without("VRMC_materials_mtoon", "its toon shading"),
    without("VRMC_node_constraint", "its constraints between nodes"),
    without("VRMC_springBone", "its swinging parts"),
    without("VRMC_vrm", "the materials of its expressions and its gaze"),
    without("VRMC_vrm_animation", "its gaze"),
    silent("KHR_audio_emitter"),
    silent("KHR_collision_shapes"),
    silent("KHR_implicit_shapes"),
    silent("KHR_interactivity"),
    silent("KHR_node_hoverability"),
    silent("KHR_node_selectability"),
    silent("KHR_xmp"),
    silent("KHR_xmp_json_ld"),
    silent("AGI_stk_metadata"),
    silent("EXT_feature_metadata"),
    silent("EXT_instance_features"),
    silent("EXT_mesh_features"),
    silent("EXT_structural_metadata"),
    silent("FB_ngon_encoding"),
    silent("GODOT_single_root"),
    silent("MOZ_hubs_components"),
    silent("MSFT_audio_emitter"),
    silent("OMI_audio_emitter"),
    silent("OMI_collider"),
    silent("OMI_link"),
    silent("OMI_physics_shape"),
    silent("OMI_seat"),
    silent("OMI_spawn_point"),
];

const fn shown(name: &'static str) -> Extension {
    Extension { name, support: Support::Shown }
}

const fn silent(name: &'static str) -> Extension {
    Extension { name, support: Support::Silent }
}

const fn without(name: &'static str, what: &'static str) -> Extension {
    Extension { name, support: Support::DrawnWithout(what) }
}

/// Checks the extensions that the file names. An unknown one that the file requires is an error. A warning names what
/// is missing without an optional or a harmless one.
pub(super) fn check(root: &json::Root, warnings: &Warnings) -> Result<(), ImportError> {
    let known = |name: &str| EXTENSIONS.iter().find(|e| e.name == name).map(|e| e.support);
    let required: Vec<&String> = root.extensions_required.iter().filter(|name| known(name).is_none()).collect();
    if !required.is_empty() {
        let names: Vec<String> = required.iter().take(8).map(|n| quoted(n).trim_matches('"').to_owned()).collect();
        let name = names.join(" and ");
        return Err(ImportError::Extension { name, advice: "export the model without it" });
    }
    for name in &root.extensions_used {
        match known(name) {
            Some(Support::Shown | Support::Silent) => {}
            Some(Support::DrawnWithout(what)) => {
                warnings.add("extensions", format!("{} is not shown: the model is drawn without {what}", quoted(name)));
            }
            None => {
                warnings.add("extensions", format!("{} is not supported; the model is shown without it", quoted(name)));
            }
        }
    }
    Ok(())
}
