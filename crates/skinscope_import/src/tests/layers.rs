//! Tests of the layers that extensions add to materials: every field, every default, and the errors of each.

use glam::{Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use skinscope_model::{
    Anisotropy, Clearcoat, Iridescence, Material, MaterialId, Sheen, Specular, SpecularGlossiness, TextureId,
    TextureSlot, Transmission, UvTransform, Volume,
};

use super::*;

/// Makes a file of one material and eight textures without an image.
fn doc(material: Value) -> Doc {
    let mut doc = Doc::new();
    doc.root["textures"] = json!(vec![json!({}); 8]);
    doc.root["materials"] = json!([material]);
    doc
}

/// Reads a material with one extension; also returns the warnings, without those of the textures, which have no image.
fn read(extension: &str, value: Value) -> (Material, Vec<String>) {
    let import = doc(json!({ "extensions": { extension: value } })).import().unwrap();
    let odd = import.warnings.iter().map(ToString::to_string).filter(|w| !w.starts_with("texture "));
    (import.model.materials[0].clone(), odd.collect())
}

/// Does the same for a file without warnings.
fn plain(extension: &str, value: Value) -> Material {
    let (material, warnings) = read(extension, value);
    assert_eq!(warnings, [""; 0]);
    material
}

fn slot(texture: u32, uv_set: usize) -> Option<TextureSlot> {
    Some(TextureSlot { texture: TextureId(texture), uv_set, transform: None })
}

#[test]
fn unlit_emissive_strength_and_ior_arrive() {
    let base = Material::default();
    assert_eq!((base.unlit, base.emissive_strength, base.ior), (false, 1.0, 1.5));
    assert!(plain("KHR_materials_unlit", json!({})).unlit);
    assert_eq!(plain("KHR_materials_emissive_strength", json!({ "emissiveStrength": 40.0 })).emissive_strength, 40.0);
    assert_eq!(plain("KHR_materials_emissive_strength", json!({})).emissive_strength, 1.0);
    assert_eq!(plain("KHR_materials_ior", json!({ "ior": 1.33 })).ior, 1.33);
    assert_eq!(plain("KHR_materials_ior", json!({ "ior": 0 })).ior, 0.0, "the backward-compatible mode");
    assert_eq!(plain("KHR_materials_ior", json!({})).ior, 1.5);
}

#[test]
fn specular_arrives() {
    let all = json!({
        "specularFactor": 0.4, "specularTexture": { "index": 1, "texCoord": 1 },
        "specularColorFactor": [0.5, 1.0, 3.0], "specularColorTexture": { "index": 2 },
    });
    let want =
        Specular { factor: 0.4, texture: slot(1, 1), color: Vec3::new(0.5, 1.0, 3.0), color_texture: slot(2, 0) };
    assert_eq!(plain("KHR_materials_specular", all).specular, Some(want));
    let none = Specular { factor: 1.0, texture: None, color: Vec3::ONE, color_texture: None };
    assert_eq!(plain("KHR_materials_specular", json!({})).specular, Some(none));
}

#[test]
fn clearcoat_arrives() {
    let all = json!({
        "clearcoatFactor": 0.7, "clearcoatTexture": { "index": 3 },
        "clearcoatRoughnessFactor": 0.2, "clearcoatRoughnessTexture": { "index": 4, "texCoord": 1 },
        "clearcoatNormalTexture": { "index": 5, "scale": -0.5 },
    });
    let want = Clearcoat {
        factor: 0.7,
        texture: slot(3, 0),
        roughness: 0.2,
        roughness_texture: slot(4, 1),
        normal_texture: slot(5, 0),
        normal_scale: -0.5,
    };
    assert_eq!(plain("KHR_materials_clearcoat", all).clearcoat, Some(want));
    let none = Clearcoat { factor: 0.0, roughness: 0.0, normal_scale: 1.0, ..Clearcoat::default() };
    assert_eq!(plain("KHR_materials_clearcoat", json!({})).clearcoat, Some(none));
}

#[test]
fn sheen_arrives() {
    let all = json!({
        "sheenColorFactor": [0.1, 0.2, 0.3], "sheenColorTexture": { "index": 0 },
        "sheenRoughnessFactor": 0.6, "sheenRoughnessTexture": { "index": 1 },
    });
    let want = Sheen {
        color: Vec3::new(0.1, 0.2, 0.3),
        color_texture: slot(0, 0),
        roughness: 0.6,
        roughness_texture: slot(1, 0),
    };
    assert_eq!(plain("KHR_materials_sheen", all).sheen, Some(want));
    let none = Sheen { color: Vec3::ZERO, color_texture: None, roughness: 0.0, roughness_texture: None };
    assert_eq!(plain("KHR_materials_sheen", json!({})).sheen, Some(none));
}

#[test]
fn transmission_arrives() {
    let all = json!({ "transmissionFactor": 0.9, "transmissionTexture": { "index": 6 } });
    let want = Transmission { factor: 0.9, texture: slot(6, 0) };
    assert_eq!(plain("KHR_materials_transmission", all).transmission, Some(want));
    assert_eq!(plain("KHR_materials_transmission", json!({})).transmission.map(|t| t.factor), Some(0.0));
}

#[test]
fn volume_and_dispersion_arrive() {
    let all = json!({
        "thicknessFactor": 2.5, "thicknessTexture": { "index": 3, "texCoord": 1 },
        "attenuationDistance": 0.25, "attenuationColor": [0.1, 0.5, 0.9],
    });
    let want = Volume {
        thickness: 2.5,
        texture: slot(3, 1),
        attenuation_distance: Some(0.25),
        attenuation_color: Vec3::new(0.1, 0.5, 0.9),
    };
    assert_eq!(plain("KHR_materials_volume", all).volume, Some(want));
    let none = Volume { thickness: 0.0, texture: None, attenuation_distance: None, attenuation_color: Vec3::ONE };
    assert_eq!(plain("KHR_materials_volume", json!({})).volume, Some(none));
    for distance in [0.0, -1.0] {
        let (material, warnings) = read("KHR_materials_volume", json!({ "attenuationDistance": distance }));
        assert_eq!(material.volume, Some(none), "as other programs read it");
        let want = format!("material 0: KHR_materials_volume.attenuationDistance is {distance}; nothing is absorbed");
        assert_eq!(warnings, [want]);
    }
    assert_eq!(plain("KHR_materials_dispersion", json!({ "dispersion": 4.5 })).dispersion, Some(4.5));
    assert_eq!(plain("KHR_materials_dispersion", json!({})).dispersion, Some(0.0));
    let (material, warnings) = read("KHR_materials_dispersion", json!({ "dispersion": -1 }));
    assert_eq!((material.dispersion, warnings.len()), (Some(0.0), 1));
}

#[test]
fn iridescence_arrives() {
    let all = json!({
        "iridescenceFactor": 0.8, "iridescenceTexture": { "index": 2 }, "iridescenceIor": 1.6,
        "iridescenceThicknessMinimum": 500, "iridescenceThicknessMaximum": 200,
        "iridescenceThicknessTexture": { "index": 4, "texCoord": 1 },
    });
    let want = Iridescence {
        factor: 0.8,
        texture: slot(2, 0),
        ior: 1.6,
        thickness: [500.0, 200.0],
        thickness_texture: slot(4, 1),
    };
    assert_eq!(plain("KHR_materials_iridescence", all).iridescence, Some(want));
    let none = Iridescence { factor: 0.0, texture: None, ior: 1.3, thickness: [100.0, 400.0], thickness_texture: None };
    assert_eq!(plain("KHR_materials_iridescence", json!({})).iridescence, Some(none));
    let odd = json!({ "iridescenceFactor": 3, "iridescenceIor": 0.5, "iridescenceThicknessMaximum": "thick" });
    let (material, warnings) = read("KHR_materials_iridescence", odd);
    assert_eq!(material.iridescence, Some(Iridescence { factor: 1.0, ior: 1.0, ..none }));
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}

#[test]
fn anisotropy_arrives() {
    let all = json!({ "anisotropyStrength": 0.6, "anisotropyRotation": -7.5, "anisotropyTexture": { "index": 5 } });
    let want = Anisotropy { strength: 0.6, rotation: -7.5, texture: slot(5, 0) };
    assert_eq!(plain("KHR_materials_anisotropy", all).anisotropy, Some(want));
    assert_eq!(plain("KHR_materials_anisotropy", json!({})).anisotropy, Some(Anisotropy::default()));
    let (material, warnings) =
        read("KHR_materials_anisotropy", json!({ "anisotropyStrength": 2, "anisotropyTexture": 1 }));
    assert_eq!(material.anisotropy, Some(Anisotropy { strength: 1.0, ..Anisotropy::default() }));
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

#[test]
fn specular_glossiness_arrives_and_replaces_metallic_roughness() {
    let all = json!({
        "diffuseFactor": [0.1, 0.2, 0.3, 0.4], "diffuseTexture": { "index": 7 },
        "specularFactor": [0.5, 0.6, 0.7], "glossinessFactor": 0.8,
        "specularGlossinessTexture": { "index": 1, "texCoord": 1 },
    });
    let want = SpecularGlossiness {
        diffuse: Vec4::new(0.1, 0.2, 0.3, 0.4),
        diffuse_texture: slot(7, 0),
        specular: Vec3::new(0.5, 0.6, 0.7),
        glossiness: 0.8,
        texture: slot(1, 1),
    };
    let material = plain("KHR_materials_pbrSpecularGlossiness", all);
    assert_eq!(material.specular_glossiness, Some(want));
    assert_eq!(material.coloring(), (want.diffuse, want.diffuse_texture));
    let none = plain("KHR_materials_pbrSpecularGlossiness", json!({})).specular_glossiness.unwrap();
    assert_eq!((none.diffuse, none.specular, none.glossiness), (Vec4::ONE, Vec3::ONE, 1.0));
    let both = doc(json!({
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "metallicRoughnessTexture": { "index": 2 } },
        "extensions": { "KHR_materials_pbrSpecularGlossiness": { "diffuseTexture": { "index": 3 } } },
    }));
    let both = both.import().unwrap().model.materials[0].clone();
    let read: Vec<_> = both.textures().map(|(name, slot)| (name, slot.texture.0)).collect();
    assert_eq!(read, [("diffuseTexture", 3)]);
}

#[test]
fn numbers_outside_their_range_are_clamped_and_wrong_types_have_their_default() {
    let (material, warnings) = read(
        "KHR_materials_clearcoat",
        json!({ "clearcoatFactor": 2.5, "clearcoatRoughnessFactor": "smooth", "clearcoatTexture": 7 }),
    );
    assert_eq!(material.clearcoat, Some(Clearcoat { factor: 1.0, ..Clearcoat::default() }));
    assert_eq!(
        warnings,
        [
            "material 0: KHR_materials_clearcoat.clearcoatFactor is 2.5, outside its range; read as 1",
            "material 0: KHR_materials_clearcoat.clearcoatTexture is no object; it is left out",
            "material 0: KHR_materials_clearcoat.clearcoatRoughnessFactor is no number; read as 0",
        ]
    );
    let (material, warnings) =
        read("KHR_materials_sheen", json!({ "sheenColorFactor": [0.5, 0.5], "sheenColorTexture": { "texCoord": 1 } }));
    assert_eq!(material.sheen, Some(Sheen::default()));
    assert!(warnings[0].ends_with("sheenColorFactor is no list of 3 numbers; read as [0.0, 0.0, 0.0]"), "{warnings:?}");
    assert!(warnings[1].ends_with("sheenColorTexture.index is missing; the texture is left out"), "{warnings:?}");
    let (material, warnings) = read("KHR_materials_ior", json!({ "ior": 0.5 }));
    assert_eq!((material.ior, warnings.len()), (1.0, 1));
    let (material, warnings) = read("KHR_materials_emissive_strength", json!({ "emissiveStrength": 1e300 }));
    assert_eq!((material.emissive_strength, warnings.len()), (f32::MAX, 1));
    let (material, warnings) = read("KHR_materials_specular", json!({ "specularColorFactor": [-1.0, 0.0, 1e39] }));
    assert_eq!((material.specular.unwrap().color, warnings.len()), (Vec3::new(0.0, 0.0, f32::MAX), 2));
    let (material, warnings) = read("KHR_materials_unlit", json!(true));
    assert_eq!(
        (material.unlit, &*warnings[0]),
        (false, "material 0: KHR_materials_unlit is no object; it is left out")
    );
}

#[test]
fn textures_of_extensions_that_are_not_there_are_errors_as_everywhere() {
    let transmission = json!({ "transmissionTexture": { "index": 8 } });
    let error = doc(json!({ "extensions": { "KHR_materials_transmission": transmission } })).error();
    assert!(
        error.starts_with("material 0, transmissionTexture: expected a texture below 8, found texture 8"),
        "{error}"
    );
}

#[test]
fn the_ninth_texture_of_layers_and_those_after_it_are_left_out_by_name() {
    let info = |n: usize| json!({ "index": n });
    let import = doc(json!({
        "name": "shell", "normalTexture": info(0), "emissiveTexture": info(1),
        "extensions": {
            "KHR_materials_specular": { "specularTexture": info(0), "specularColorTexture": info(1) },
            "KHR_materials_clearcoat": { "clearcoatTexture": info(2), "clearcoatNormalTexture": info(3) },
            "KHR_materials_sheen": { "sheenColorTexture": info(4), "sheenRoughnessTexture": info(5) },
            "KHR_materials_volume": { "thicknessFactor": 2, "thicknessTexture": info(6) },
            "KHR_materials_iridescence": { "iridescenceTexture": info(7), "iridescenceThicknessTexture": info(0) },
            "KHR_materials_anisotropy": { "anisotropyStrength": 0.5, "anisotropyTexture": info(1) },
        },
    }));
    let import = import.import().unwrap();
    let said: Vec<_> = import.warnings.iter().filter(|w| w.location == "material 0").map(|w| &*w.message).collect();
    assert_eq!(
        said,
        ["\"shell\" has 10 textures of extensions, of which 8 are drawn; the factors alone count in place of \
          iridescenceThicknessTexture and anisotropyTexture"]
    );
    let drawn: Vec<_> = import.model.materials[0].textures().map(|(name, _)| name).collect();
    assert_eq!(drawn.len(), 10, "{drawn:?}");
    assert_eq!((drawn[1], drawn[2], drawn[9]), ("emissiveTexture", "specularTexture", "iridescenceTexture"));
}

#[test]
fn texture_transforms_arrive_in_every_slot() {
    let info = |n: usize| {
        json!({ "index": 0, "texCoord": 0, "extensions": { "KHR_texture_transform":
            { "offset": [n, -n.cast_signed()], "rotation": 0.5, "scale": [2, -1.5], "texCoord": 1 } } })
    };
    let file = |gloss: bool| {
        let mut extensions = json!({
            "KHR_materials_specular": { "specularTexture": info(5), "specularColorTexture": info(6) },
            "KHR_materials_clearcoat": { "clearcoatTexture": info(7), "clearcoatRoughnessTexture": info(8),
                "clearcoatNormalTexture": info(9) },
            "KHR_materials_sheen": { "sheenColorTexture": info(10), "sheenRoughnessTexture": info(11) },
            "KHR_materials_transmission": { "transmissionTexture": info(12) },
        });
        if gloss {
            let textures = json!({ "diffuseTexture": info(0), "specularGlossinessTexture": info(1) });
            extensions["KHR_materials_pbrSpecularGlossiness"] = textures;
        }
        doc(json!({
            "pbrMetallicRoughness": { "baseColorTexture": info(0), "metallicRoughnessTexture": info(1) },
            "normalTexture": info(2), "occlusionTexture": info(3), "emissiveTexture": info(4), "extensions": extensions,
        }))
    };
    for gloss in [false, true] {
        let material = file(gloss).import().unwrap().model.materials[0].clone();
        let found: Vec<TextureSlot> = material.textures().map(|(_, slot)| slot).collect();
        let want = |n: usize| TextureSlot {
            texture: TextureId(0),
            uv_set: 1,
            transform: Some(UvTransform {
                offset: Vec2::new(n as f32, -(n as f32)),
                rotation: 0.5,
                scale: Vec2::new(2.0, -1.5),
            }),
        };
        assert_eq!(found, (0..13).map(want).collect::<Vec<_>>());
        let extensions = json!({
            "KHR_materials_volume": { "thicknessTexture": info(5) },
            "KHR_materials_iridescence": { "iridescenceTexture": info(6), "iridescenceThicknessTexture": info(7) },
            "KHR_materials_anisotropy": { "anisotropyTexture": info(8) },
        });
        let material = doc(json!({ "extensions": extensions })).import().unwrap().model.materials[0].clone();
        let found: Vec<TextureSlot> = material.textures().map(|(_, slot)| slot).collect();
        assert_eq!(found, (5..9).map(want).collect::<Vec<_>>());
    }
}

#[test]
fn texture_transforms_read_what_the_extensions_own_examples_say() {
    let transform = |value: Value| {
        let texture = json!({ "index": 0, "extensions": { "KHR_texture_transform": value } });
        let import = doc(json!({ "emissiveTexture": texture })).import().unwrap();
        import.model.materials[0].emissive_texture.unwrap().transform.unwrap().matrix()
    };
    // "Only the lower left quadrant of the source image, rotated clockwise 90°": v points down.
    let m = transform(json!({ "offset": [0, 1], "rotation": std::f32::consts::FRAC_PI_2, "scale": [0.5, 0.5] }));
    for (corner, want) in [((0.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (0.0, 0.5)), ((1.0, 1.0), (0.5, 0.5))] {
        let found = m.transform_point2(Vec2::from(corner));
        assert!((found - Vec2::from(want)).length() < 1e-6, "{corner:?} at {found}, not {want:?}");
    }
    // "Inverts the T axis."
    let m = transform(json!({ "offset": [0, 1], "scale": [1, -1] }));
    assert_eq!(m.transform_point2(Vec2::new(0.25, 0.25)), Vec2::new(0.25, 0.75));
    assert_eq!(transform(json!({})), glam::Affine2::IDENTITY);
}

#[test]
fn texture_transforms_that_make_no_sense_are_repaired_and_listed() {
    let texture = json!({ "index": 0, "extensions": { "KHR_texture_transform":
        { "offset": [1e9, 0], "rotation": [1], "scale": "big", "texCoord": -1 } } });
    let import = doc(json!({ "emissiveTexture": texture })).import().unwrap();
    let slot = import.model.materials[0].emissive_texture.unwrap();
    let want = UvTransform { offset: Vec2::new(1e6, 0.0), ..UvTransform::default() };
    assert_eq!((slot.uv_set, slot.transform), (0, Some(want)));
    let location = "material 0, emissiveTexture";
    assert_eq!(import.warnings.iter().filter(|w| w.location == location).count(), 4, "{:?}", import.warnings);
    let texture = json!({ "index": 0, "extensions": { "KHR_texture_transform": { "texCoord": 2 } } });
    let import = doc(json!({ "emissiveTexture": texture })).import().unwrap();
    assert_eq!(import.model.materials[0].emissive_texture, None, "only sets 0 and 1 are known");
}

/// A square with texture coordinates that run right and up in both sets.
fn square(doc: Doc, primitive: Value) -> Doc {
    let mut doc = doc;
    let position = doc.floats("VEC3", 3, &SQUARE);
    let normal = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4));
    let uv = doc.floats("VEC2", 2, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let index = doc.shorts("SCALAR", 1, &[0, 1, 2, 2, 1, 3]);
    let mut whole = json!({ "indices": index, "attributes":
        { "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "TEXCOORD_1": uv } });
    for (key, value) in primitive.as_object().unwrap() {
        whole[key] = value.clone();
    }
    doc.with_primitive(whole)
}

#[test]
fn tangents_follow_the_transformed_coordinates() {
    let tangents = |normal_texture: Value| {
        let import =
            square(doc(json!({ "normalTexture": normal_texture })), json!({ "material": 0 })).import().unwrap();
        import.model.meshes[0].primitives[0].tangents.clone()
    };
    let turned = |transform: Value| {
        let made = tangents(json!({ "index": 0, "extensions": { "KHR_texture_transform": transform } }));
        assert_eq!(made.len(), 4);
        made
    };
    let near = |found: &[Vec4], want: Vec4| found.iter().all(|t| (*t - want).length() < 1e-5);
    // u grows to the right, v (downward in pictures) upward: bitangents point against it.
    assert!(near(&tangents(json!({ "index": 0 })), Vec4::new(1.0, 0.0, 0.0, -1.0)));
    // u' = u cos + v sin: after a quarter turn it grows upwards.
    let quarter = turned(json!({ "rotation": std::f32::consts::FRAC_PI_2 }));
    assert!(near(&quarter, Vec4::new(0.0, 1.0, 0.0, -1.0)), "{quarter:?}");
    let mirrored = turned(json!({ "scale": [-1, 1] }));
    assert!(near(&mirrored, Vec4::new(-1.0, 0.0, 0.0, 1.0)), "{mirrored:?}");
}

#[test]
fn a_clearcoat_normal_map_or_a_direction_of_highlights_alone_makes_tangents_too() {
    let coat = json!({ "clearcoatNormalTexture": { "index": 0 } });
    let coated = json!({ "extensions": { "KHR_materials_clearcoat": coat } });
    let import = square(doc(coated), json!({ "material": 0 })).import().unwrap();
    assert_eq!(import.model.meshes[0].primitives[0].tangents.len(), 4);
    let brushed = json!({ "extensions": { "KHR_materials_anisotropy": { "anisotropyTexture": { "index": 0 } } } });
    let import = square(doc(brushed), json!({ "material": 0 })).import().unwrap();
    assert_eq!(import.model.meshes[0].primitives[0].tangents.len(), 4, "and so does a direction of highlights");
}

/// A file of three materials, the last with a normal map, and two named variants and one without a name.
fn variants(mappings: Value) -> Doc {
    let mut doc = doc(json!({}));
    doc.root["materials"] = json!([{}, {}, { "normalTexture": { "index": 0 } }]);
    doc.root["extensions"] = json!({ "KHR_materials_variants": { "variants":
        [{ "name": "day" }, { "name": "night" }, {}] } });
    let extension = json!({ "KHR_materials_variants": { "mappings": mappings } });
    square(doc, json!({ "material": 0, "extensions": extension }))
}

#[test]
fn variants_map_to_materials() {
    let mappings = json!([{ "variants": [2, 0], "material": 1 }, { "variants": [1], "material": 2, "name": "x" }]);
    let import = variants(mappings).import().unwrap();
    assert_eq!(import.model.variants, ["day", "night", "variant 2"]);
    let primitive = &import.model.meshes[0].primitives[0];
    let shown = [None, Some(0), Some(1), Some(2), Some(3)].map(|v| primitive.material_in(v).map(|m| m.0));
    assert_eq!(shown, [Some(0), Some(1), Some(2), Some(1), Some(0)], "a variant that is not mapped changes nothing");
    assert_eq!(primitive.tangents.len(), 4, "for the normal map of variant 1");
    let unnamed = primitive.materials().collect::<Vec<_>>();
    assert_eq!(unnamed, [0, 1, 2, 1].map(MaterialId));
}

#[test]
fn variants_that_are_not_there_are_left_out_and_materials_are_errors() {
    let odd = variants(json!([{ "variants": [3, "x\n", 0, 0], "material": 1 }, 7, { "variants": [1] }]));
    let import = odd.import().unwrap();
    assert_eq!(import.model.meshes[0].primitives[0].variants, [(0, MaterialId(1))]);
    let said: Vec<String> =
        import.warnings.iter().filter(|w| w.location.starts_with("mesh 0")).map(|w| w.message.clone()).collect();
    assert_eq!(
        said,
        [
            "KHR_materials_variants.mappings[0].variants names \"3\", which is no variant; it is left out",
            "KHR_materials_variants.mappings[0].variants names \"\\\"x\\\\n\\\"\", which is no variant; it is left out",
            "KHR_materials_variants.mappings[0].variants names variant 0 again; the last material counts",
            "KHR_materials_variants.mappings[1] is no object; it is left out",
        ]
    );
    let error = variants(json!([{ "variants": [0], "material": 3 }])).error();
    assert!(error.contains("mappings[0]: expected a material below 3, found material 3"), "{error}");
}

#[test]
fn required_layers_that_are_not_drawn_still_open() {
    for name in [
        "KHR_materials_volume_scatter",
        "KHR_materials_diffuse_transmission",
        "KHR_materials_subsurface",
        "ADOBE_materials_clearcoat_specular",
        "ADOBE_materials_clearcoat_tint",
        "ADOBE_materials_thin_transparency",
        "MSFT_packing_normalRoughnessMetallic",
        "MSFT_packing_occlusionRoughnessMetallic",
    ] {
        let mut doc = Doc::new();
        doc.root["materials"] = json!([{ "extensions": { name: { "anything": [1, "two"] } } }]);
        doc.root["extensionsUsed"] = json!([name]);
        doc.root["extensionsRequired"] = json!([name]);
        let warnings = doc.warnings();
        let start = format!("extensions: \"{name}\" is not shown: the model is drawn without ");
        assert!(warnings.len() == 1 && warnings[0].starts_with(&start), "{warnings:?}");
    }
}
