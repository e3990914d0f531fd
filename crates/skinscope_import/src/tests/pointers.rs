//! Tests of `KHR_animation_pointer`: the properties that pointers name, and their values at a time.

use glam::{Vec2, Vec4};
use serde_json::json;
use skinscope_anim::{SampleScratch, drawn, lens, light, sample_properties};
use skinscope_model::{
    CameraId, CameraProperty, Lens, LightId, LightProperty, MaterialProperty, Model, NodeId, Path, Property, TextureUse,
};

use super::*;

const NAME: &str = "KHR_animation_pointer";

/// Makes a file with a node, a material with every part that pointers can name, a spot light and two cameras.
fn world() -> Doc {
    let mut doc = Doc::new();
    doc.root["extensionsUsed"] = json!([NAME]);
    doc.root["nodes"] = json!([{ "children": [1] }, { "name": "leaf" }]);
    let texture = json!({ "index": 0 });
    doc.root["textures"] = json!([{}]);
    doc.root["materials"] = json!([{
        "pbrMetallicRoughness": { "baseColorTexture": texture }, "alphaMode": "MASK",
        "normalTexture": texture, "occlusionTexture": texture,
        "extensions": {
            "KHR_materials_clearcoat": { "clearcoatTexture": texture }, "KHR_materials_sheen": {},
            "KHR_materials_emissive_strength": { "emissiveStrength": 2.0 },
        },
    }]);
    doc.root["extensions"] = json!({ "KHR_lights_punctual": { "lights": [{ "type": "laser" }, { "type": "spot" }] } });
    doc.root["cameras"] = json!([
        { "type": "perspective", "perspective": { "yfov": 0.5, "znear": 0.1 } },
        { "type": "orthographic", "orthographic": { "xmag": 2.0, "ymag": 1.0, "znear": 0.0, "zfar": 9.0 } },
    ]);
    doc.root["animations"] = json!([{ "samplers": [], "channels": [] }]);
    doc
}

/// Adds a channel that moves the property of a pointer by keys at 0 s and 1 s.
fn point(doc: &mut Doc, pointer: &str, width: usize, values: &[f32], interpolation: &str) {
    let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
    let (input, output) = (doc.floats("SCALAR", 1, &[0.0, 1.0]), doc.floats(kind, width, values));
    let animation = &mut doc.root["animations"][0];
    let sampler = json!({ "input": input, "output": output, "interpolation": interpolation });
    let samplers = animation["samplers"].as_array_mut().unwrap();
    samplers.push(sampler);
    let target = json!({ "path": "pointer", "extensions": { NAME: { "pointer": pointer } } });
    let channel = json!({ "sampler": samplers.len() - 1, "target": target });
    animation["channels"].as_array_mut().unwrap().push(channel);
}

fn at(model: &Model, time_secs: f32) -> Vec<(Property, Vec4)> {
    let mut out = Vec::new();
    sample_properties(&model.clips[0], time_secs, &mut SampleScratch::default(), &mut out);
    out
}

fn of(model: &Model, time_secs: f32, property: Property) -> Vec4 {
    at(model, time_secs).into_iter().find(|(p, _)| *p == property).unwrap().1
}

#[test]
fn pointers_change_what_they_name() {
    let mut doc = world();
    let base = "/materials/0/pbrMetallicRoughness";
    point(&mut doc, &format!("{base}/baseColorFactor"), 4, &[0.0, 0.2, 0.4, 1.0, 1.0, 0.6, 0.8, 0.0], "LINEAR");
    point(&mut doc, &format!("{base}/roughnessFactor"), 1, &[0.25, 0.75], "STEP");
    // In-tangent, value, out-tangent of both keys: at 0.3 s 0.784·v₀ + 0.147·out₀ + 0.216·v₁ − 0.063·in₁.
    point(
        &mut doc,
        "/materials/0/emissiveFactor",
        3,
        &[0.0, 0.0, 0.0, 0.0, 0.2, 0.5, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.4, 0.5, 0.0, 0.0, 0.0],
        "CUBICSPLINE",
    );
    let transform = format!("{base}/baseColorTexture/extensions/KHR_texture_transform");
    point(&mut doc, &format!("{transform}/offset"), 2, &[0.0, 0.0, 1.0, -2.0], "LINEAR");
    point(&mut doc, &format!("{transform}/rotation"), 1, &[0.0, 1.0], "LINEAR");
    point(&mut doc, "/extensions/KHR_lights_punctual/lights/1/color", 3, &[0.0, 0.0, 0.0, 1.0, 0.5, 0.25], "LINEAR");
    point(&mut doc, "/extensions/KHR_lights_punctual/lights/1/intensity", 1, &[10.0, 30.0], "LINEAR");
    point(&mut doc, "/extensions/KHR_lights_punctual/lights/1/spot/outerConeAngle", 1, &[0.5, 9.0], "LINEAR");
    point(&mut doc, "/cameras/0/perspective/yfov", 1, &[0.5, 1.0], "LINEAR");
    point(&mut doc, "/cameras/1/orthographic/ymag", 1, &[1.0, 5.0], "LINEAR");
    point(&mut doc, "/nodes/1/translation", 3, &[0.0, 0.0, 0.0, 2.0, 4.0, 6.0], "LINEAR");
    let import = doc.import().unwrap();
    let said: Vec<_> = import.warnings.iter().filter(|w| w.location.starts_with("animation")).collect();
    assert!(said.is_empty(), "{said:?}");
    let model = &import.model;
    let clip = &model.clips[0];
    assert_eq!((clip.channels.len(), clip.properties.len(), clip.end_secs), (1, 10, 1.0));
    assert_eq!((clip.channels[0].node, clip.channels[0].path), (NodeId(1), Path::Translation));
    let material = |property| Property::Material(skinscope_model::MaterialId(0), property);
    let near = |a: Vec4, b: Vec4| assert!((a - b).abs().max_element() < 1e-6, "{a} for {b}");
    near(of(model, 0.3, material(MaterialProperty::BaseColor)), Vec4::new(0.3, 0.32, 0.52, 0.7));
    near(of(model, 0.99, material(MaterialProperty::Roughness)), Vec4::new(0.25, 0.0, 0.0, 0.0));
    near(of(model, 1.0, material(MaterialProperty::Roughness)), Vec4::new(0.75, 0.0, 0.0, 0.0));
    near(of(model, 0.3, material(MaterialProperty::Emissive)), Vec4::new(0.447, 0.2432, 0.5, 0.0));
    // The material is changed and clamped to its ranges; the texture that is moved had no transform before.
    let mut changed = model.materials[0].clone();
    for (property, value) in at(model, 0.25) {
        if let Property::Material(_, property) = property {
            assert!(changed.set(property, value));
        }
    }
    let moved = changed.slot_mut(TextureUse::BaseColor).unwrap().transform.unwrap();
    assert_eq!((moved.offset, moved.rotation, moved.scale), (Vec2::new(0.25, -0.5), 0.25, Vec2::ONE));
    assert!(changed.set(MaterialProperty::Metallic, Vec4::splat(7.0)) && changed.metallic == 1.0);
    assert!(!changed.set(MaterialProperty::Transmission, Vec4::ONE), "it has none");
    // The file's second light is the only one that could be read.
    let lamp = light(model, LightId(0), &at(model, 0.3));
    near(lamp.color.extend(lamp.intensity / 16.0), Vec4::new(0.3, 0.15, 0.075, 1.0));
    let cone = of(model, 1.0, Property::Light(LightId(0), LightProperty::OuterCone));
    assert_eq!(cone.x, 9.0);
    let skinscope_model::LightKind::Spot { inner, outer } = light(model, LightId(0), &at(model, 1.0)).kind else {
        panic!()
    };
    assert_eq!((inner, outer), (0.0, std::f32::consts::FRAC_PI_2), "no wider than a half turn");
    let [perspective, parallel] = [0, 1].map(|camera| lens(model, CameraId(camera), &at(model, 0.3)));
    let Lens::Perspective { fov_y, .. } = perspective else { panic!("{perspective:?}") };
    let Lens::Orthographic { half_height, .. } = parallel else { panic!("{parallel:?}") };
    near(Vec4::new(fov_y, half_height, 0.0, 0.0), Vec4::new(0.65, 2.2, 0.0, 0.0));
    // A value that makes no projection leaves the camera as it was.
    let impossible = [(Property::Camera(CameraId(0), CameraProperty::FovY), Vec4::splat(4.0))];
    assert_eq!(lens(model, CameraId(0), &impossible), model.cameras[0].lens);
}

#[test]
fn pointers_change_the_numbers_of_volumes_films_and_directions() {
    use MaterialProperty as P;
    let texture = json!({ "index": 0 });
    let mut doc = world();
    doc.root["materials"][0]["extensions"] = json!({
        "KHR_materials_volume": { "thicknessTexture": texture }, "KHR_materials_dispersion": {},
        "KHR_materials_iridescence": { "iridescenceTexture": texture, "iridescenceThicknessTexture": texture },
        "KHR_materials_anisotropy": { "anisotropyTexture": texture },
    });
    let numbers = [
        ("volume/thicknessFactor", P::Thickness, Vec4::splat(-1.0), Vec4::ZERO),
        ("volume/attenuationDistance", P::AttenuationDistance, Vec4::splat(3.0), Vec4::splat(3.0)),
        ("volume/attenuationColor", P::AttenuationColor, Vec4::new(0.5, 2.0, -1.0, 0.0), Vec4::new(0.5, 1.0, 0.0, 0.0)),
        ("dispersion/dispersion", P::Dispersion, Vec4::splat(7.0), Vec4::splat(7.0)),
        ("iridescence/iridescenceFactor", P::Iridescence, Vec4::splat(2.0), Vec4::ONE),
        ("iridescence/iridescenceIor", P::IridescenceIor, Vec4::splat(0.5), Vec4::ONE),
        ("iridescence/iridescenceThicknessMinimum", P::IridescenceThicknessMin, Vec4::splat(50.0), Vec4::splat(50.0)),
        ("iridescence/iridescenceThicknessMaximum", P::IridescenceThicknessMax, Vec4::splat(-5.0), Vec4::ZERO),
        ("anisotropy/anisotropyStrength", P::Anisotropy, Vec4::splat(9.0), Vec4::ONE),
        ("anisotropy/anisotropyRotation", P::AnisotropyRotation, Vec4::splat(-8.0), Vec4::splat(-8.0)),
    ];
    let textures = [
        ("volume/thicknessTexture", TextureUse::Thickness),
        ("iridescence/iridescenceTexture", TextureUse::Iridescence),
        ("iridescence/iridescenceThicknessTexture", TextureUse::IridescenceThickness),
        ("anisotropy/anisotropyTexture", TextureUse::Anisotropy),
    ];
    let at_extension = |name: &str| format!("/materials/0/extensions/KHR_materials_{name}");
    for (name, property, value, _) in numbers {
        let width = if property == P::AttenuationColor { 3 } else { 1 };
        let values = value.to_array()[..width].repeat(2);
        point(&mut doc, &at_extension(name), width, &values, "LINEAR");
    }
    for (name, _) in textures {
        let offset = format!("{}/extensions/KHR_texture_transform/offset", at_extension(name));
        point(&mut doc, &offset, 2, &[0.5, 0.25, 0.5, 0.25], "LINEAR");
    }
    let model = doc.import().unwrap().model;
    let mut changed = model.materials[0].clone();
    for (property, value) in at(&model, 0.5) {
        let Property::Material(_, property) = property else { panic!() };
        assert!(changed.set(property, value), "{property:?}");
    }
    let volume = changed.volume.unwrap();
    let film = changed.iridescence.unwrap();
    let direction = changed.anisotropy.unwrap();
    let found = [
        Vec4::splat(volume.thickness),
        Vec4::splat(volume.attenuation_distance.unwrap()),
        volume.attenuation_color.extend(0.0),
        Vec4::splat(changed.dispersion.unwrap()),
        Vec4::splat(film.factor),
        Vec4::splat(film.ior),
        Vec4::splat(film.thickness[0]),
        Vec4::splat(film.thickness[1]),
        Vec4::splat(direction.strength),
        Vec4::splat(direction.rotation),
    ];
    assert_eq!(found, numbers.map(|(.., want)| want));
    for (name, texture) in textures {
        let moved = changed.slot_mut(texture).unwrap().transform.unwrap();
        assert_eq!(moved.offset, Vec2::new(0.5, 0.25), "{name}");
    }
    let mut plain = skinscope_model::Material::default();
    for (name, property, ..) in numbers {
        assert!(!plain.set(property, Vec4::ONE), "{name}: it has none");
    }
}

#[test]
fn visibility_is_a_byte_that_steps() {
    let mut doc = world();
    let position = doc.floats("VEC3", 3, &SQUARE);
    doc.root["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": position }, "mode": 5 }] }]);
    doc.root["nodes"] = json!([{ "children": [1], "mesh": 0 }, { "mesh": 0 }]);
    point(&mut doc, "/nodes/1/extensions/KHR_node_visibility/visible", 1, &[0.0, 0.0], "STEP");
    let output = doc.accessor(&[1, 0], U8, "SCALAR", 2);
    doc.root["animations"][0]["samplers"][0]["output"] = json!(output);
    let model = doc.import().unwrap().model;
    let shown = |time: f32| {
        let mut out = Vec::new();
        drawn(&model, 0, &at(&model, time), &mut Vec::new(), &mut out);
        out.iter().map(|i| i.0).collect::<Vec<_>>()
    };
    assert_eq!((shown(0.0), shown(0.9), shown(1.0)), (vec![0, 1], vec![0, 1], vec![0]));
    assert_eq!(skinscope_anim::key_times(&model.clips[0], NodeId(1)), [0.0, 1.0]);
}

#[test]
fn pointers_at_nothing_are_counted_in_one_line() {
    let mut doc = world();
    let nowhere = [
        "",
        "/",
        "materials/0/alphaCutoff",
        "/materials/00/alphaCutoff",
        "/materials/+0/alphaCutoff",
        "/materials/1/alphaCutoff",
        "/materials/0/alphaCutoff/",
        "/materials/0/AlphaCutoff",
        "/materials/-1/alphaCutoff",
        "/materials/0/extensions/KHR_materials_transmission/transmissionFactor",
        "/materials/0/normalTexture/extensions/KHR_texture_transform/texCoord",
        "/materials/0/emissiveTexture/extensions/KHR_texture_transform/offset",
        "/extensions/KHR_lights_punctual/lights/0/intensity",
        "/cameras/1/perspective/yfov",
        "/nodes/7/translation",
        "/nodes/99999999999999999999/scale",
        "/meshes/0/weights",
    ];
    for pointer in nowhere {
        point(&mut doc, pointer, 1, &[0.0, 1.0], "LINEAR");
    }
    point(&mut doc, "/materials/0/alphaCutoff", 1, &[0.0, 1.0], "LINEAR");
    point(&mut doc, "/materials/0/alphaCutoff", 1, &[0.0, 1.0], "LINEAR");
    let import = doc.import().unwrap();
    assert_eq!(import.model.clips[0].properties.len(), 1);
    let said: Vec<String> =
        import.warnings.iter().filter(|w| w.location.starts_with("animation")).map(ToString::to_string).collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].contains("moves what an earlier channel moves"), "{}", said[0]);
    assert_eq!(import.model.source.pointed_weights, [0], "the weights of a mesh are named, though none has some");
    let count = format!("{} channels point at what is not shown, such as \"\"", nowhere.len());
    assert!(said[1].contains(&count), "{}", said[1]);
    // The sampler's values must fit the property.
    let mut doc = world();
    point(&mut doc, "/materials/0/emissiveFactor", 1, &[0.0, 1.0], "LINEAR");
    assert!(doc.error().contains("expected VEC3"), "{}", doc.error());
    doc.root["animations"][0]["channels"][0]["sampler"] = json!(5);
    assert!(doc.error().contains("expected a sampler below 1, found sampler 5"), "{}", doc.error());
}
