//! A posed surface that is written and read again is the same surface.
#![expect(clippy::unwrap_used, reason = "a test that cannot read what was written fails")]

use glam::{Vec3, Vec4};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::export::{self, BakedPrimitive, MissingNormals};
use skinscope::import::{Import, Options, Progress, import_bytes};
use skinscope::model::test_shapes::obstacle_course;
use skinscope::model::{AlphaMode, LocalPose, Material, MaterialId, Model, ModelParts, Topology};

fn again(model: &Model, surface: &[BakedPrimitive]) -> Import {
    let mut bytes = Vec::new();
    export::write_glb(model, surface, &mut bytes).unwrap();
    import_bytes(&bytes, "baked", &Options::default(), &Progress::silent()).unwrap()
}

#[test]
fn a_glb_holds_the_posed_surface_to_the_bit() {
    let model = obstacle_course();
    let mut pose = LocalPose::default();
    anim::reset_to_rest(&model.skeleton, &mut pose);
    anim::sample(&model, &model.clips[0], 1.6, &mut SampleScratch::default(), &mut pose);
    let surface = export::baked_surface(&model, &anim::drawn_at_rest(&model, 0), &pose, deform::METHODS[0]);
    let baked = again(&model, &surface);
    assert!(baked.warnings.is_empty(), "{:?}", baked.warnings);
    // A bake of a bake changes nothing: it stands still, upright and whole.
    let rest = &baked.model.skeleton.rest;
    let copy = export::baked_surface(&baked.model, &anim::drawn_at_rest(&baked.model, 0), rest, deform::METHODS[0]);
    assert_eq!(copy.len(), surface.len());
    for (a, b) in surface.iter().zip(&copy) {
        assert_eq!((&a.name, &a.positions, &a.indices), (&b.name, &b.positions, &b.indices));
        let turned = a.normals.iter().zip(&b.normals).map(|(a, b)| (*a - *b).length()).fold(0.0, f32::max);
        assert!(turned < 1e-6, "{}: {turned}", a.name);
    }
}

#[test]
fn materials_points_and_empty_primitives_survive() {
    let glass = Material {
        name: "glass".into(),
        base_color: Vec4::new(0.25, 0.5, 0.75, 0.125),
        metallic: 0.0,
        roughness: 0.5,
        emissive: Vec3::new(0.5, 0.25, 0.0),
        alpha: AlphaMode::Blend,
        double_sided: true,
        ..Material::default()
    };
    let leaf = Material { name: "leaf".into(), alpha: AlphaMode::Mask { cutoff: 0.25 }, ..Material::default() };
    let materials = vec![Material::default(), leaf, glass];
    let model = Model::build(ModelParts { materials, ..ModelParts::default() }).unwrap();
    let points = BakedPrimitive {
        name: "points".into(),
        positions: vec![Vec3::X, Vec3::Y],
        normals: vec![Vec3::ZERO; 2],
        indices: vec![0, 1],
        topology: Topology::Points,
        material: Some(MaterialId(2)),
        ..BakedPrimitive::default()
    };
    let masked = BakedPrimitive { name: "masked".into(), material: Some(MaterialId(1)), ..points.clone() };
    let empty = BakedPrimitive { name: "empty".into(), ..BakedPrimitive::default() };
    let baked = again(&model, &[points, empty, masked]).model;
    assert_eq!(baked.skeleton.names, ["points", "empty", "masked"]);
    let materials: Vec<_> = baked.materials.iter().take(2).collect();
    assert_eq!([&materials[0].name[..], &materials[1].name], ["glass", "leaf"]);
    assert_eq!(materials[0].base_color, Vec4::new(0.25, 0.5, 0.75, 0.125));
    assert_eq!((materials[0].metallic, materials[0].roughness), (0.0, 0.5));
    assert_eq!((materials[0].emissive, materials[0].double_sided), (Vec3::new(0.5, 0.25, 0.0), true));
    assert_eq!([materials[0].alpha, materials[1].alpha], [AlphaMode::Blend, AlphaMode::Mask { cutoff: 0.25 }]);
    let drawn: Vec<_> = baked.instances.iter().map(|i| &baked.meshes[i.mesh.index()].primitives[0]).collect();
    assert_eq!(drawn.len(), 2);
    assert!(drawn.iter().all(|p| p.topology == Topology::Points && p.normals.is_empty() && p.indices == [0, 1]));
    assert_eq!(again(&model, &[]).model.skeleton.len(), 0);
}

#[test]
fn what_glb_cannot_hold_is_an_error() {
    let model = obstacle_course();
    let mut surface =
        export::baked_surface(&model, &anim::drawn_at_rest(&model, 0), &model.skeleton.rest, deform::METHODS[0]);
    surface[1].positions[3].x = f32::NAN;
    let error = export::write_glb(&model, &surface, &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("not finite"), "{error}");
}

/// A model with a texture, vertex colours, tangents and morph targets: the parts of `obstacle_course`, dressed.
fn dressed() -> Model {
    use skinscope::model::{
        Image, ImageId, Pixels, Texture, TextureId, TextureSampler, TextureSlot, UvTransform, Wrap,
    };
    let mut parts: ModelParts = (*obstacle_course()).clone();
    let rgba: Vec<u8> = (0..4 * 3 * 4).map(|i| (i * 5) as u8).collect();
    parts.images = vec![Image::ready("checker".into(), Pixels::rgba8(4, 3, rgba).unwrap())];
    let sampler = TextureSampler { wrap_u: Wrap::ClampToEdge, ..TextureSampler::default() };
    parts.textures = vec![Texture { image: Some(ImageId(0)), sampler }];
    let transform = UvTransform { offset: glam::Vec2::new(0.25, 0.5), rotation: 0.5, scale: glam::Vec2::new(2.0, 3.0) };
    let slot = TextureSlot { texture: TextureId(0), uv_set: 0, transform: Some(transform) };
    let cloth = Material { name: "cloth".into(), base_color_texture: Some(slot), ..Material::default() };
    parts.materials = vec![cloth];
    for mesh in &mut parts.meshes {
        for p in &mut mesh.primitives {
            let count = p.positions.len();
            p.material = Some(MaterialId(0));
            p.uvs[0] = p.positions.iter().map(|v| v.truncate()).collect();
            p.colors = (0..count).map(|i| Vec4::new(i as f32 / count as f32, 0.5, 0.25, 1.0)).collect();
        }
    }
    Model::build(parts).unwrap()
}

fn posed(model: &Model) -> LocalPose {
    let mut pose = LocalPose::default();
    anim::reset_to_rest(&model.skeleton, &mut pose);
    anim::sample(model, &model.clips[0], 1.6, &mut SampleScratch::default(), &mut pose);
    pose
}

#[test]
fn a_glb_keeps_textures_and_colours() {
    let model = dressed();
    let surface = export::baked_surface(&model, &anim::drawn_at_rest(&model, 0), &posed(&model), deform::METHODS[0]);
    let baked = again(&model, &surface).model;
    let (before, after) = (&model.materials[0], &baked.materials[0]);
    let (was, is) = (before.base_color_texture.unwrap(), after.base_color_texture.unwrap());
    assert_eq!((was.uv_set, was.transform), (is.uv_set, is.transform));
    let texture = baked.textures[is.texture.index()];
    assert_eq!(texture.sampler, model.textures[0].sampler);
    assert_eq!(baked.images[texture.image.unwrap().index()].pixels(), model.images[0].pixels());
    assert_eq!(baked.images.len(), 1, "a texture that several primitives use is written once");
    for (instance, p) in baked.instances.iter().zip(&surface) {
        let primitive = &baked.meshes[instance.mesh.index()].primitives[0];
        assert_eq!((&primitive.colors, &primitive.uvs), (&p.colors, &p.uvs));
    }
}

#[test]
fn a_glb_keeps_stored_tangents_and_mirrors_them_with_the_surface() {
    let p = BakedPrimitive {
        name: "flat".into(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        tangents: vec![Vec4::new(1.0, 0.0, 0.0, -1.0), Vec4::new(0.0, 1.0, 0.0, 1.0), Vec4::new(0.0, 0.0, 0.0, 1.0)],
        indices: vec![0, 1, 2],
        ..BakedPrimitive::default()
    };
    let mut bytes = Vec::new();
    export::write_glb(&obstacle_course(), &[p], &mut bytes).unwrap();
    // Import keeps tangents only where a normal map needs them, so the bytes are looked at.
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let accessor = json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"].as_u64().unwrap() as usize;
    let view = json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let at = 28 + length + json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    let floats: Vec<f32> = bytes[at..at + 48].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(floats, [1.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn a_model_that_keeps_its_skin_rests_in_the_pose() {
    let model = dressed();
    let pose = posed(&model);
    let mut bytes = Vec::new();
    export::write_skinned_glb(&model, 0, &pose, &mut bytes).unwrap();
    let kept = import_bytes(&bytes, "kept", &Options::default(), &Progress::silent()).unwrap();
    // One primitive of the model is rigid, though its node has a skin.
    assert!(!kept.warnings.is_empty());
    assert!(
        kept.warnings.iter().all(|w| w.message.contains("no JOINTS and WEIGHTS and follows the node")),
        "{:?}",
        kept.warnings
    );
    let kept = kept.model;
    assert_eq!(kept.skeleton.names, model.skeleton.names);
    assert_eq!(kept.skins.len(), model.skins.len());
    let of = |model: &Model, pose: &LocalPose| {
        export::baked_surface(model, &anim::drawn_at_rest(model, 0), pose, deform::METHODS[0])
    };
    let (want, got) = (of(&model, &pose), of(&kept, &kept.skeleton.rest));
    assert_eq!(want.len(), got.len());
    for (a, b) in want.iter().zip(&got) {
        assert_eq!((&a.name, &a.indices, &a.colors), (&b.name, &b.indices, &b.colors));
        for (p, q) in a.positions.iter().zip(&b.positions) {
            assert!(p.distance(*q) < 1e-5, "{}: {p} {q}", a.name);
        }
    }
    assert!(kept.images[0].pixels() == model.images[0].pixels());
    // It can be posed on: a joint moves what it moved.
    let mut bent = kept.skeleton.rest.clone();
    let mut want = pose.clone();
    for pose in [&mut bent, &mut want] {
        pose.transforms[4].rotation *= glam::Quat::from_rotation_x(0.5);
    }
    for (a, b) in of(&model, &want).iter().zip(&of(&kept, &bent)) {
        assert!(a.positions.iter().zip(&b.positions).all(|(p, q)| p.distance(*q) < 1e-5), "{}", a.name);
    }
}

#[test]
fn a_file_without_normals_is_as_flat_in_other_programs_as_here() {
    let mut parts: ModelParts = (*obstacle_course()).clone();
    parts.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).for_each(|p| p.normals.clear());
    let model = Model::build(parts).unwrap();
    let rest = &model.skeleton.rest;
    let surface = export::baked_surface(&model, &anim::drawn_at_rest(&model, 0), rest, deform::METHODS[0]);
    let none = again(&model, &MissingNormals::None.apply(surface.clone()));
    let primitives = |model: &Model| model.meshes.iter().flat_map(|mesh| mesh.primitives.clone()).collect::<Vec<_>>();
    for (written, surface) in primitives(&none.model).iter().zip(&surface) {
        assert!(written.normals.is_empty() && written.tangents.is_empty(), "{}", surface.name);
        assert_eq!((&written.positions, &written.indices), (&surface.positions, &surface.indices));
    }
    let flat = again(&model, &MissingNormals::Flat.apply(surface.clone()));
    for (written, surface) in primitives(&flat.model).iter().zip(&surface) {
        assert_eq!(written.indices.len(), surface.indices.len(), "{}", surface.name);
        for corners in written.indices.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|v| written.positions[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
            assert!(corners.iter().all(|v| written.normals[*v as usize].distance(normal) < 1e-3), "{}", surface.name);
        }
    }
}
