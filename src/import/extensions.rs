//! The extensions of glTF that import knows, and what becomes of each.

use gltf::json;

use super::ImportError;
use super::error::{Warnings, quoted};

/// An extension of glTF that import knows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// As in `extensionsUsed`.
    pub name: &'static str,
    /// What the model shows of it.
    pub support: Support,
}

/// What becomes of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The model is shown as the extension says.
    Shown,
    /// Holds nothing that a picture could show; passed over without a word.
    Silent,
    /// The model opens and is drawn without it, even where the file requires it; a warning says what is missing.
    DrawnWithout(&'static str),
}

/// Every extension that import knows, by name.
pub const EXTENSIONS: &[Extension] = &[
    shown("EXT_meshopt_compression"),
    shown("KHR_mesh_quantization"),
    shown("KHR_meshopt_compression"),
    without("VRM", "its toon shading, expressions and swinging parts"),
    without("VRMC_vrm", "its expressions and gaze"),
    without("VRMC_vrm_animation", "its expressions and gaze"),
    without("VRMC_springBone", "its swinging parts"),
    without("VRMC_node_constraint", "its constraints between nodes"),
    without("VRMC_materials_mtoon", "its toon shading"),
    without("VRMC_materials_hdr_emissiveMultiplier", "its brighter emission"),
    silent("KHR_xmp"),
    silent("KHR_xmp_json_ld"),
    silent("KHR_audio_emitter"),
    silent("KHR_interactivity"),
    silent("KHR_node_hoverability"),
    silent("KHR_node_selectability"),
    without("KHR_physics_rigid_bodies", "its physics"),
    silent("KHR_implicit_shapes"),
    silent("KHR_collision_shapes"),
    silent("EXT_structural_metadata"),
    silent("EXT_mesh_features"),
    silent("EXT_instance_features"),
    silent("EXT_feature_metadata"),
    without("EXT_lights_image_based", "its image-based light"),
    without("EXT_lights_ies", "its light profiles"),
    silent("FB_ngon_encoding"),
    silent("GODOT_single_root"),
    without("MSFT_lod", "its coarser levels"),
    without("MSFT_packing_normalRoughnessMetallic", "its packed textures"),
    without("MSFT_packing_occlusionRoughnessMetallic", "its packed textures"),
    silent("MSFT_audio_emitter"),
    silent("MOZ_hubs_components"),
    without("MOZ_lightmap", "its light maps"),
    without("OMI_physics_body", "its physics"),
    without("OMI_physics_joint", "its physics"),
    silent("OMI_physics_shape"),
    silent("OMI_collider"),
    silent("OMI_audio_emitter"),
    silent("OMI_link"),
    silent("OMI_seat"),
    silent("OMI_spawn_point"),
    without("AGI_articulations", "its articulations"),
    silent("AGI_stk_metadata"),
    without("CESIUM_primitive_outline", "its outlines"),
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

/// A required extension that is not known is an error; what an optional or a harmless one leaves out is a warning.
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
