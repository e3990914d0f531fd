//! Checks how extensions change a material against numbers that come from closed forms.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::frame::Frame;
use skinscope::math::Transform;
use skinscope::model::{
    AlphaMode, Clearcoat, Image, Material, MaterialId, Model, NodeId, Sheen, Specular, SpecularGlossiness, Transmission,
};

use crate::Stage;
use crate::materials::{image, slot};
use crate::scenes::{Plate, front, near};

on_stages! {
    unlit_surfaces_have_exactly_their_colour,
    emission_is_as_strong_as_the_file_says,
    the_index_of_refraction_sets_what_is_reflected_straight_back,
    specular_weakens_and_colours_reflection,
    clearcoat_lies_over_everything_and_creates_no_light,
    clearcoat_has_a_normal_map_of_its_own,
    sheen_brightens_edges_by_its_colour_and_textures,
    sheen_has_no_edge_where_the_key_light_ends,
    specular_glossiness_equals_the_metallic_roughness_that_it_says,
    variants_change_the_material_and_nothing_else,
    layers_change_no_readout,
}

pub fn texel(rgba: [u8; 4]) -> Image {
    image(1, |_, _| rgba)
}

/// A plate of this material, flat before the eye.
pub fn plate(material: Material) -> Frame {
    Plate { material, ..Plate::default() }.frame()
}

/// The same with textures of one texel.
fn textured(material: Material, texels: &[[u8; 4]]) -> Frame {
    let images = texels.iter().map(|t| texel(*t)).collect();
    Plate { material, images, ..Plate::default() }.frame()
}

/// The same tilted, so that it is seen at `degrees` from its normal.
pub fn tilted(material: Material, degrees: f32) -> Frame {
    let rotation = glam::Quat::from_rotation_y(degrees.to_radians());
    Plate { material, transform: Transform { rotation, ..Transform::IDENTITY }, ..Plate::default() }.frame()
}

pub fn linear(srgb: u8) -> f32 {
    let c = f32::from(srgb) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

pub fn srgb(linear: f32) -> u8 {
    let c = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// Red, green and blue together, linear.
fn light(pixel: [u8; 4]) -> f32 {
    pixel[..3].iter().map(|c| linear(*c)).sum()
}

/// The Khronos PBR neutral curve, written from its paper: F90 offset, compression above 0.8 − 0.04, desaturation 0.15.
fn neutral([r, g, b]: [f64; 3]) -> [f64; 3] {
    let least = r.min(g).min(b);
    let offset = if least <= 0.08 { least - least * least / (4.0 * 0.04) } else { 0.04 };
    let c = [r - offset, g - offset, b - offset];
    let peak = c[0].max(c[1]).max(c[2]);
    let start = 0.8 - 0.04;
    if peak <= start {
        return c;
    }
    let d = 1.0 - start;
    let new_peak = 1.0 - d * d / (peak + d - start);
    let f = 1.0 / (0.15 * (peak - new_peak) + 1.0);
    c.map(|c| c * new_peak / peak * f + new_peak * (1.0 - f))
}

/// Neither reflects nor scatters: what it shows is what is added to it.
pub fn dark() -> Material {
    let specular = Some(Specular { factor: 0.0, ..Specular::default() });
    Material { base_color: Vec4::W, metallic: 0.0, roughness: 1.0, specular, ..Material::default() }
}

fn unlit_surfaces_have_exactly_their_colour(stage: &Stage) {
    let half = |c: u8, factor: f32| srgb(linear(c) * factor);
    let material = Material {
        base_color: Vec4::new(0.5, 1.0, 0.25, 1.0),
        base_color_texture: slot(0),
        unlit: true,
        // Nothing of these counts.
        emissive: Vec3::ONE,
        clearcoat: Some(Clearcoat { factor: 1.0, ..Clearcoat::default() }),
        transmission: Some(Transmission { factor: 1.0, texture: None }),
        ..Material::default()
    };
    let frame = textured(material.clone(), &[[255, 90, 200, 255]]);
    assert!(near(stage.middle(&frame), [half(255, 0.5), 90, half(200, 0.25), 255], 1));
    let plain = Material { base_color: Vec4::ONE, ..material.clone() };
    for color in [[255, 90, 200, 255], [3, 128, 0, 255], [17, 201, 254, 255]] {
        assert_eq!(stage.middle(&textured(plain.clone(), &[color])), color);
    }
    let white = plate(Material { unlit: true, ..Material::default() });
    assert_eq!(stage.middle(&white), [255; 4], "past the tone curve");
    let blend = Material { alpha: AlphaMode::Blend, ..material };
    let shown = stage.middle(&textured(blend, &[[255, 90, 200, 128]]));
    assert!(near(shown, [half(255, 0.5), 90, half(200, 0.25), 128], 1), "{shown:?}");
}

fn emission_is_as_strong_as_the_file_says(stage: &Stage) {
    for strength in [0.25, 1.0, 4.0, 40.0] {
        let emissive = Vec3::new(0.9, 0.3, 0.05);
        let shown = stage.middle(&plate(Material { emissive, emissive_strength: strength, ..dark() }));
        let want = neutral((emissive * strength).to_array().map(f64::from)).map(|c| srgb(c as f32));
        assert!(near(shown, [want[0], want[1], want[2], 255], 2), "{strength}: {shown:?} for {want:?}");
    }
}

/// A glass-like plate, seen straight on at roughness 1: what it shows is its reflection.
fn reflecting(material: Material) -> Frame {
    plate(Material { base_color: Vec4::W, metallic: 0.0, roughness: 1.0, ..material })
}

/// Light that a change adds to a reflecting plate, before the tone curve takes its part: small, so that both lie where the
/// curve is `c²/0.16`.
fn untoned(pixel: [u8; 4]) -> f32 {
    pixel[..3].iter().map(|c| (linear(*c) * 0.16).sqrt()).sum()
}

fn the_index_of_refraction_sets_what_is_reflected_straight_back(stage: &Stage) {
    let shown = |ior| untoned(stage.middle(&reflecting(Material { ior, ..Material::default() })));
    let steps = [1.0, 1.2, 1.5, 1.8].map(shown);
    // Reflectance straight on is ((n − 1) / (n + 1))²: 0, 0.0083, 0.04, 0.0816. At roughness 1 the fresnel edge adds
    // alike to all, and what is reflected grows in step with the reflectance.
    let per_reflectance = (steps[2] - steps[0]) / 0.04;
    for (light, reflectance) in steps.into_iter().zip([0.0, 0.008_264, 0.04, 0.081_633]) {
        let want = steps[0] + per_reflectance * reflectance;
        // What little there is at 0 falls below what the tone curve takes away.
        assert!(
            (light - want).abs() < 0.25 * (steps[2] - steps[0]),
            "{reflectance}: {light}, not {want}; all {steps:?}"
        );
    }
    assert!(steps[3] > steps[0] + 0.03, "{steps:?}");
    // An index of 0 reflects everything, as a mirror of silver does.
    let mirror = stage.middle(&reflecting(Material { ior: 0.0, ..Material::default() }));
    let silver = stage.middle(&plate(Material { metallic: 1.0, roughness: 1.0, ..Material::default() }));
    assert!(near(mirror, silver, 2), "{mirror:?}, {silver:?}");
}

fn specular_weakens_and_colours_reflection(stage: &Stage) {
    let shown = |specular: Specular, texels: &[[u8; 4]]| {
        let material = Material { specular: Some(specular), ..Material::default() };
        let base = Material { base_color: Vec4::W, metallic: 0.0, roughness: 0.6, ..material };
        stage.middle(&textured(base, texels))
    };
    let plain =
        stage.middle(&plate(Material { base_color: Vec4::W, metallic: 0.0, roughness: 0.6, ..Material::default() }));
    assert_eq!(shown(Specular::default(), &[]), plain, "its defaults change nothing");
    let none = shown(Specular { factor: 0.0, ..Specular::default() }, &[]);
    assert_eq!(none, [0, 0, 0, 255], "nothing is reflected at any angle");
    let half = shown(Specular { factor: 0.5, ..Specular::default() }, &[]);
    let ratio = untoned(half) / untoned(plain);
    assert!((0.46..0.54).contains(&ratio), "{half:?} of {plain:?}");
    // In the alpha of the texture.
    let by_texture = Specular { texture: slot(0), ..Specular::default() };
    assert!(near(shown(by_texture, &[[0, 0, 0, 128]]), half, 1));
    // Of a colour, by factor and by texture.
    let red = Specular { color: Vec3::new(1.0, 0.0, 0.0), ..Specular::default() };
    let by_texture = Specular { color_texture: slot(0), ..Specular::default() };
    let [r, g, b, _] = shown(red, &[]);
    assert!(r > g + 20 && g == b, "{r} {g} {b}");
    assert!(near(shown(by_texture, &[[255, 0, 0, 7]]), [r, g, b, 255], 1));
    // Metals do not mind.
    let metal =
        |specular| stage.middle(&plate(Material { metallic: 1.0, roughness: 0.4, specular, ..Material::default() }));
    assert_eq!(metal(Some(red)), metal(None));
}

fn clearcoat_lies_over_everything_and_creates_no_light(stage: &Stage) {
    let with = |clearcoat, base_color: f32| Material {
        base_color: Vec3::splat(base_color).extend(1.0),
        metallic: 0.0,
        roughness: 1.0,
        clearcoat,
        ..Material::default()
    };
    let coat = |factor, roughness| Some(Clearcoat { factor, roughness, ..Clearcoat::default() });
    let bare = stage.middle(&plate(with(None, 0.5)));
    assert_eq!(stage.middle(&plate(with(coat(0.0, 0.3), 0.5))), bare, "a factor of 0 changes nothing");
    // Over black only its own reflection shows; half of it is half as much.
    let specular = Some(Specular { factor: 0.0, ..Specular::default() });
    let black = |clearcoat| {
        let material = Material { specular, ..with(clearcoat, 0.0) };
        untoned(stage.middle(&plate(material)))
    };
    let (whole, half) = (black(coat(1.0, 1.0)), black(coat(0.5, 1.0)));
    assert!(black(coat(0.0, 1.0)) == 0.0 && (0.46..0.54).contains(&(half / whole)), "{half} of {whole}");
    // It is the reflection of a dielectric of index 1.5.
    let dielectric = untoned(stage.middle(&plate(with(None, 0.0))));
    assert!((whole - dielectric).abs() < 0.01, "{whole}, {dielectric}");
    // It takes from emission what it reflects: straight on a twenty-fifth.
    let emissive = Vec3::splat(0.4);
    let glowing = |clearcoat| light(stage.middle(&plate(Material { emissive, clearcoat, ..dark() })));
    let lost = glowing(None) + light_of(stage, coat(1.0, 0.0)) - glowing(coat(1.0, 0.0));
    assert!((0.02..0.08).contains(&(lost / 1.2)), "{lost}");
    // Roughness and factor come from their textures' G and R.
    let textured_coat = |factor, roughness, texels: &[[u8; 4]]| {
        let coat = Clearcoat { texture: slot(0), roughness_texture: slot(1), ..Clearcoat::default() };
        let clearcoat = Some(Clearcoat { factor, roughness, ..coat });
        stage.middle(&textured(with(clearcoat, 0.1), texels))
    };
    let want = stage.middle(&plate(with(coat(0.4, 0.6), 0.1)));
    let found = textured_coat(1.0, 1.0, &[[102, 0, 0, 0], [0, 153, 0, 0]]);
    assert!(near(found, want, 1), "{found:?}, {want:?}");
}

/// What a coat over nothing at all sends back.
fn light_of(stage: &Stage, clearcoat: Option<Clearcoat>) -> f32 {
    // Lifted out of the dark end of the tone curve by an emission that is taken off again.
    let lifted = |clearcoat, emissive: f32| {
        light(stage.middle(&plate(Material { emissive: Vec3::splat(emissive), clearcoat, ..dark() })))
    };
    let bare = lifted(None, 0.2);
    let coated = lifted(clearcoat, 0.2 / 0.96);
    coated - bare
}

fn clearcoat_has_a_normal_map_of_its_own(stage: &Stage) {
    let bent = |normal: Vec3| {
        let t = (normal.normalize() * 127.5 + 127.5).round();
        [t.x as u8, t.y as u8, t.z as u8, 255]
    };
    let with = |coat_normal: Vec3, base_normal: Vec3, tangents| {
        let clearcoat =
            Some(Clearcoat { factor: 1.0, roughness: 0.4, normal_texture: slot(0), ..Clearcoat::default() });
        let material = Material { clearcoat, normal_texture: slot(1), ..dark() };
        let images = vec![texel(bent(coat_normal)), texel(bent(base_normal))];
        stage.middle(&Plate { material, images, tangents, ..Plate::default() }.frame())
    };
    let up = Vec3::new(0.0, -0.5, 0.8);
    let flat = with(Vec3::Z, Vec3::Z, true);
    assert!(near(with(Vec3::Z, up, true), flat, 1), "the map under the coat does not bend it");
    assert!(!near(with(up, Vec3::Z, true), flat, 4), "its own does");
    assert!(near(with(up, Vec3::Z, true), with(up, Vec3::Z, false), 3), "with and without tangents");
}

fn sheen_brightens_edges_by_its_colour_and_textures(stage: &Stage) {
    let cloth = |sheen, base: f32| Material { base_color: Vec3::splat(base).extend(1.0), sheen, ..dark() };
    let sheen = |color: Vec3, roughness| Some(Sheen { color, roughness, ..Sheen::default() });
    let bare = stage.middle(&plate(cloth(None, 0.3)));
    assert_eq!(stage.middle(&plate(cloth(sheen(Vec3::ZERO, 0.5), 0.3))), bare, "black changes nothing");
    // Fibres show most where the surface turns away.
    let over_black = |degrees| untoned(stage.middle(&tilted(cloth(sheen(Vec3::ONE, 0.4), 0.0), degrees)));
    let (ahead, aside) = (over_black(0.0), over_black(70.0));
    assert!(aside > 2.0 * ahead, "{ahead} straight on, {aside} at 70°");
    // Colour from RGB, roughness from A.
    let want = stage.middle(&tilted(cloth(sheen(Vec3::new(1.0, 0.0, 0.0), 0.4), 0.1), 60.0));
    let by_texture = Sheen { color: Vec3::ONE, roughness: 1.0, color_texture: slot(0), roughness_texture: slot(1) };
    let rotation = glam::Quat::from_rotation_y(60_f32.to_radians());
    let textured = Plate {
        material: cloth(Some(by_texture), 0.1),
        images: vec![texel([255, 0, 0, 9]), texel([0, 0, 0, 102])],
        transform: Transform { rotation, ..Transform::IDENTITY },
        ..Plate::default()
    };
    let found = stage.middle(&textured.frame());
    assert!(near(found, want, 1), "{found:?}, {want:?}");
}

fn sheen_has_no_edge_where_the_key_light_ends(stage: &Stage) {
    let sheen = Some(Sheen { color: Vec3::ONE, roughness: 0.3, ..Sheen::default() });
    let cloth = Material { base_color: Vec4::new(0.0, 0.0, 0.0, 1.0), sheen, ..dark() };
    // What a turn by a degree changes is about the same everywhere around where the surface begins to turn away from the
    // light, which is at 47°.
    let seen: Vec<f32> =
        (30..60).map(|degrees| untoned(stage.middle(&tilted(cloth.clone(), degrees as f32)))).collect();
    for (at, of_three) in (30..).zip(seen.windows(3)) {
        let bend = (of_three[2] - 2.0 * of_three[1] + of_three[0]).abs();
        assert!(bend < 0.005, "{bend} around {}°", at + 1);
    }
}

fn specular_glossiness_equals_the_metallic_roughness_that_it_says(stage: &Stage) {
    let check = |stage: &Stage, gloss: SpecularGlossiness, texels: &[[u8; 4]], same: Material| {
        for degrees in [0.0, 50.0] {
            let material = Material { specular_glossiness: Some(gloss), metallic: 0.3, ..Material::default() };
            let rotation = glam::Quat::from_rotation_y(degrees * std::f32::consts::PI / 180.0);
            let transform = Transform { rotation, ..Transform::IDENTITY };
            let images = texels.iter().map(|t| texel(*t)).collect();
            let found = stage.middle(&Plate { material, images, transform, ..Plate::default() }.frame());
            let want = stage.middle(&tilted(same.clone(), degrees));
            assert!(near(found, want, 2), "{gloss:?} at {degrees}°: {found:?} for {want:?}");
        }
    };
    // A dielectric: F0 = 0.04 takes 0.04 of the diffuse colour, which metallic-roughness does not.
    let color = Vec3::new(0.6, 0.3, 0.2);
    let dielectric = Material { base_color: color.extend(1.0), metallic: 0.0, roughness: 0.3, ..Material::default() };
    let gloss = SpecularGlossiness {
        diffuse: (color / 0.96).extend(1.0),
        specular: Vec3::splat(0.04),
        glossiness: 0.7,
        ..SpecularGlossiness::default()
    };
    check(stage, gloss, &[], dielectric.clone());
    // A metal: no diffuse, F0 is its colour.
    let metal = Material { base_color: color.extend(1.0), metallic: 1.0, roughness: 0.5, ..Material::default() };
    let gloss_metal = SpecularGlossiness { diffuse: Vec4::W, specular: color, glossiness: 0.5, ..gloss };
    check(stage, gloss_metal, &[], metal.clone());
    // The same by textures: diffuse and specular encoded, glossiness in linear alpha.
    let encoded = [srgb(color.x), srgb(color.y), srgb(color.z)];
    let by_texture = SpecularGlossiness {
        diffuse_texture: slot(1),
        texture: slot(0),
        glossiness: 1.0,
        ..SpecularGlossiness::default()
    };
    check(stage, by_texture, &[[encoded[0], encoded[1], encoded[2], 128], [0, 0, 0, 255]], metal);
}

fn variants_change_the_material_and_nothing_else(stage: &Stage) {
    let unlit =
        |color: Vec3, alpha| Material { base_color: color.extend(0.5), unlit: true, alpha, ..Material::default() };
    let model = Plate { material: unlit(Vec3::X, AlphaMode::Opaque), ..Plate::default() }.model();
    let mut parts = (**model).clone();
    let glass =
        Material { base_color: Vec4::ONE, transmission: Some(Transmission { factor: 1.0, texture: None }), ..dark() };
    parts.materials.extend([unlit(Vec3::Y, AlphaMode::Opaque), unlit(Vec3::Z, AlphaMode::Blend), glass]);
    parts.variants = vec!["green".into(), "blue".into(), "none".into(), "glass".into()];
    parts.meshes[0].primitives[0].variants = vec![(0, MaterialId(1)), (1, MaterialId(2)), (3, MaterialId(3))];
    let model = Arc::new(Model::build(parts).unwrap());
    let shown =
        |variant| stage.middle(&Frame { model: Some(Arc::clone(&model)), variant, ..plate(Material::default()) });
    let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 128]);
    assert_eq!([None, Some(0), Some(2), Some(3)].map(shown), [red, [0, 255, 0, 255], red, [0; 4]]);
    assert!(near(shown(Some(1)), blue, 1));
    assert_eq!(shown(None), red, "and back again");
}

fn layers_change_no_readout(stage: &Stage) {
    use crate::scenes::overlay;
    let layered = Material {
        transmission: Some(Transmission { factor: 1.0, texture: None }),
        sheen: Some(Sheen { color: Vec3::ONE, ..Sheen::default() }),
        clearcoat: Some(Clearcoat { factor: 1.0, ..Clearcoat::default() }),
        ..dark()
    };
    for shown_as in [overlay("weights"), overlay("dominant")] {
        let shown = |material| {
            let mut frame = plate(material);
            frame.display.overlay = shown_as;
            frame.display.shared_black = true;
            frame.display.selected = Some(NodeId(2));
            frame.camera = front();
            stage.draw(&frame)
        };
        let want = shown(Material { metallic: 0.0, ..Material::default() });
        assert_eq!(shown(layered.clone()), want);
        assert_eq!(shown(Material { unlit: true, ..Material::default() }), want);
    }
    assert_eq!(stage.gpu.take_error(), None);
}
