//! A posed surface that is written and read again is the same surface.
#![expect(clippy::unwrap_used, reason = "a test that cannot read what was written fails")]

use glam::{Vec3, Vec4};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::export::{self, BakedPrimitive};
use skinscope::import::{Import, Options, Progress, import_bytes};
use skinscope::model::shapes::obstacle_course;
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
