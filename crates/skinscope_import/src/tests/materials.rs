//! Tests of materials, textures, images, extensions and containers.

use base64::Engine;
use glam::{Vec3, Vec4};
use serde_json::json;
use skinscope_model::{AlphaMode, Filter, TextureSlot, Wrap};

use super::super::Limits;
use super::*;

/// A PNG of one colour with 16 bits a channel.
fn png(width: u32, height: u32) -> Vec<u8> {
    let pixels = image::ImageBuffer::from_pixel(width, height, image::Rgba([0xFFFF_u16, 0x8080, 0, 0x3333]));
    let mut out = std::io::Cursor::new(Vec::new());
    image::DynamicImage::ImageRgba16(pixels).write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

#[test]
fn every_field_of_a_material_arrives() {
    let mut doc = Doc::new();
    let view = doc.view(&png(2, 3));
    doc.root["images"] = json!([{ "bufferView": view, "mimeType": "image/png", "name": "paint" }]);
    doc.root["samplers"] = json!([{ "magFilter": 9728, "minFilter": 9986, "wrapS": 33071, "wrapT": 33648 }]);
    doc.root["textures"] = json!([{ "source": 0, "sampler": 0 }, { "source": 0 }]);
    doc.root["materials"] = json!([{
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.1, 0.2, 0.3, 0.4], "metallicFactor": 0.5, "roughnessFactor": 0.6,
            "baseColorTexture": { "index": 0 }, "metallicRoughnessTexture": { "index": 1, "texCoord": 1 },
        },
        "normalTexture": { "index": 1, "scale": 0.7 }, "occlusionTexture": { "index": 0, "strength": 0.8 },
        "emissiveFactor": [0.9, 1.0, 0.0], "alphaMode": "MASK", "alphaCutoff": 0.3, "doubleSided": true,
    }, { "alphaMode": "BLEND" }]);
    let import = doc.import().unwrap();
    assert_eq!(import.warnings, []);
    let m = &import.model.materials[0];
    assert_eq!((m.name.as_str(), m.base_color), ("material 0", Vec4::new(0.1, 0.2, 0.3, 0.4)));
    assert_eq!((m.metallic, m.roughness, m.normal_scale, m.occlusion_strength), (0.5, 0.6, 0.7, 0.8));
    assert_eq!((m.emissive, m.double_sided), (Vec3::new(0.9, 1.0, 0.0), true));
    assert_eq!(m.alpha, AlphaMode::Mask { cutoff: 0.3 });
    assert_eq!(import.model.materials[1].alpha, AlphaMode::Blend);
    let slot =
        |texture, uv_set| Some(TextureSlot { texture: skinscope_model::TextureId(texture), uv_set, transform: None });
    assert_eq!((m.base_color_texture, m.metallic_roughness_texture), (slot(0, 0), slot(1, 1)));
    assert_eq!((m.normal_texture, m.occlusion_texture, m.emissive_texture), (slot(1, 0), slot(0, 0), None));
    let sampler = import.model.textures[0].sampler;
    assert_eq!((sampler.wrap_u, sampler.wrap_v), (Wrap::ClampToEdge, Wrap::MirroredRepeat));
    assert_eq!((sampler.mag, sampler.min, sampler.mip), (Filter::Nearest, Filter::Nearest, Some(Filter::Linear)));
    let image = &import.model.images[0];
    let pixels = image.pixels().unwrap();
    assert_eq!((image.name.as_str(), pixels.width(), pixels.height()), ("paint", 2, 3));
    assert_eq!(pixels.levels(), [[255, 128, 0, 51].repeat(6)]);
}

#[test]
fn images_come_from_data_uris_and_broken_ones_leave_a_gap() {
    let mut doc = Doc::new();
    let text = base64::engine::general_purpose::STANDARD.encode(png(1, 1));
    doc.root["images"] = json!([
        { "uri": "data:image/png;base64,AAAA" }, { "uri": format!("data:image/png;base64,{text}") }, { "uri": "x.png" },
    ]);
    doc.root["textures"] = json!([{ "source": 0 }, { "source": 1 }, { "source": 1 }, {}]);
    let import = doc.import().unwrap();
    let found: Vec<_> = import.model.textures.iter().map(|t| t.image.map(|i| i.index())).collect();
    assert_eq!(found, [Some(0), Some(1), Some(1), None]);
    let readable: Vec<_> = import.model.images.iter().map(|i| (i.is_pending(), i.pixels().is_some())).collect();
    assert_eq!(readable, [(false, false), (false, true)]);
    // No texture uses image 2, so it is not read.
    let locations: Vec<_> = import.warnings.iter().map(|w| w.location.as_str()).collect();
    assert_eq!(locations, ["texture 3", "image 0"]);
}

#[test]
fn images_are_measured_before_they_are_decoded() {
    let mut doc = Doc::new();
    let view = doc.view(&png(20, 10));
    doc.root["images"] = json!([{ "bufferView": view }]);
    doc.root["textures"] = json!([{ "source": 0 }]);
    let open = |limits: Limits| {
        let options = Options { limits, ..Options::default() };
        import_bytes(&doc.glb(), "x", &options, &Progress::silent()).unwrap()
    };
    assert_eq!(open(Limits { image_side: 20, image_pixels: 200, ..Limits::default() }).warnings, []);
    for limits in [
        Limits { image_side: 19, ..Limits::default() },
        Limits { image_pixels: 199, ..Limits::default() },
        Limits { decoded_bytes: 1000, ..Limits::default() },
    ] {
        let import = open(limits);
        assert!(import.model.images[0].pixels().is_none() && import.warnings.len() == 1, "{:?}", import.warnings);
    }
}

#[test]
fn extensions_are_errors_when_required_and_warnings_when_used() {
    let mut doc = Doc::new();
    doc.root["extensionsUsed"] = json!(["ACME_a", "KHR_mesh_quantization"]);
    assert_eq!(doc.warnings(), [r#"extensions: "ACME_a" is not supported; the model is shown without it"#]);
    doc.root["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    assert!(doc.import().is_ok());
    doc.root["extensionsRequired"] = json!(["ACME_a", "ACME_b\n"]);
    assert!(doc.error().starts_with(r"extension ACME_a and ACME_b\n is required by the file"), "{}", doc.error());
}

#[test]
fn quantized_positions_need_their_extension_announced() {
    let mut doc = Doc::new();
    let position = doc.accessor(&[1, 255, 0, 0, 2, 128, 0, 0, 3, 0, 7, 0], I8, "VEC3", 3);
    doc.root["bufferViews"][position]["byteStride"] = json!(4);
    let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position } }));
    let positions = doc.import().unwrap().model.meshes[0].primitives[0].positions.clone();
    assert_eq!(positions, [Vec3::new(1.0, -1.0, 0.0), Vec3::new(2.0, -128.0, 0.0), Vec3::new(3.0, 0.0, 7.0)]);
    assert!(doc.warnings()[0].contains("KHR_mesh_quantization"));
    doc.root["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    assert!(doc.warnings().is_empty());
}

#[test]
fn files_of_nothing_but_a_version_open() {
    let open = |json: &str| import_bytes(json.as_bytes(), "x", &Options::default(), &Progress::silent());
    assert_eq!(open(r#"{"asset":{"version":"2.0"}}"#).unwrap().model.skeleton.len(), 0);
    assert_eq!(open("\u{feff} {\"asset\":{\"version\":\"2.1\"}}\0\0").unwrap().warnings.len(), 2);
    let old = open(r#"{"asset":{"version":"1.0"}}"#).unwrap_err().to_string();
    assert!(old.contains("a glTF 1.0 file"), "{old}");
    // A scene without nodes is allowed, though the parser's type asks for them.
    let import = open(r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#).unwrap();
    assert_eq!(import.warnings[0].to_string(), "scene 0: has no nodes; there is nothing to show");
}
