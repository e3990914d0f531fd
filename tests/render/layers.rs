//! Checks how extensions change a material against numbers that come from closed forms.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use skinscope::frame::{Background, Frame};
use skinscope::math::Transform;
use skinscope::model::{
    AlphaMode, Clearcoat, Image, Material, MaterialId, Model, NodeId, Sheen, Specular, SpecularGlossiness, TextureId,
    TextureSlot, Transmission, UvTransform,
};

use crate::materials::{image, slot};
use crate::scenes::{Plate, front, near};
use crate::{SIZE, Stage, stages};

fn texel(rgba: [u8; 4]) -> Image {
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
fn tilted(material: Material, degrees: f32) -> Frame {
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

#[test]
fn unlit_surfaces_have_exactly_their_colour() {
    let half = |c: u8, factor: f32| srgb(linear(c) * factor);
    for stage in stages() {
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
}

#[test]
fn emission_is_as_strong_as_the_file_says() {
    for stage in stages() {
        for strength in [0.25, 1.0, 4.0, 40.0] {
            let emissive = Vec3::new(0.9, 0.3, 0.05);
            let shown = stage.middle(&plate(Material { emissive, emissive_strength: strength, ..dark() }));
            let want = neutral((emissive * strength).to_array().map(f64::from)).map(|c| srgb(c as f32));
            assert!(near(shown, [want[0], want[1], want[2], 255], 2), "{strength}: {shown:?} for {want:?}");
        }
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

#[test]
fn the_index_of_refraction_sets_what_is_reflected_straight_back() {
    for stage in stages() {
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
}

#[test]
fn specular_weakens_and_colours_reflection() {
    for stage in stages() {
        let shown = |specular: Specular, texels: &[[u8; 4]]| {
            let material = Material { specular: Some(specular), ..Material::default() };
            let base = Material { base_color: Vec4::W, metallic: 0.0, roughness: 0.6, ..material };
            stage.middle(&textured(base, texels))
        };
        let plain = stage.middle(&plate(Material {
            base_color: Vec4::W,
            metallic: 0.0,
            roughness: 0.6,
            ..Material::default()
        }));
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
        let metal = |specular| {
            stage.middle(&plate(Material { metallic: 1.0, roughness: 0.4, specular, ..Material::default() }))
        };
        assert_eq!(metal(Some(red)), metal(None));
    }
}

#[test]
fn clearcoat_lies_over_everything_and_creates_no_light() {
    for stage in stages() {
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
        let lost = glowing(None) + light_of(&stage, coat(1.0, 0.0)) - glowing(coat(1.0, 0.0));
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

#[test]
fn clearcoat_has_a_normal_map_of_its_own() {
    let bent = |normal: Vec3| {
        let t = (normal.normalize() * 127.5 + 127.5).round();
        [t.x as u8, t.y as u8, t.z as u8, 255]
    };
    for stage in stages() {
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
}

#[test]
fn sheen_brightens_edges_by_its_colour_and_textures() {
    for stage in stages() {
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
}

/// The plate of `front` before a plate of `back`, a little nearer to the eye.
pub fn before(front: Material, back: Material, images: Vec<Image>) -> Frame {
    let model = Plate { material: front, images, ..Plate::default() }.model();
    let mut parts = (**model).clone();
    parts.materials.push(back);
    let mut far = parts.meshes[0].primitives[0].clone();
    far.material = Some(MaterialId(1));
    far.positions.iter_mut().for_each(|p| p.z -= 0.5);
    parts.meshes[0].primitives.push(far);
    Frame { model: Some(Arc::new(Model::build(parts).unwrap())), ..Plate::default().frame() }
}

#[test]
fn glass_shows_what_is_behind_it() {
    let unlit = |color: Vec3| Material { base_color: color.extend(1.0), unlit: true, ..Material::default() };
    let glass = |color: Vec3, factor, roughness| Material {
        base_color: color.extend(1.0),
        roughness,
        transmission: Some(Transmission { factor, texture: None }),
        ..dark()
    };
    let color = Vec3::new(0.6, 0.3, 0.1);
    for stage in stages() {
        let bare = stage.middle(&plate(unlit(color)));
        // Glass that reflects nothing is not there at all.
        let clear = stage.middle(&before(glass(Vec3::ONE, 1.0, 0.0), unlit(color), Vec::new()));
        assert!(near(clear, bare, 2), "{clear:?} for {bare:?}");
        // Tinted by its base colour; the factor says how much passes, from the texture's R.
        let tint = Vec3::new(0.5, 1.0, 0.5);
        let tinted = stage.middle(&before(glass(tint, 1.0, 0.0), unlit(color), Vec::new()));
        let toned = |c: Vec3| stage.middle(&plate(Material { emissive: c, ..dark() }));
        // Light that the curve does not change comes out tinted; its dark end is the curve's.
        let want = toned(untone(color) * tint);
        assert!(near(tinted, want, 3), "{tinted:?} for {want:?}");
        let black = glass(Vec3::ZERO, 1.0, 0.0);
        assert_eq!(stage.middle(&before(black, unlit(color), Vec::new())), [0, 0, 0, 255]);
        let half = Material {
            transmission: Some(Transmission { factor: 1.0, texture: slot(0) }),
            ..glass(Vec3::ONE, 1.0, 0.0)
        };
        let by_texture = stage.middle(&before(half, unlit(color), vec![texel([128, 0, 0, 0])]));
        let by_factor = stage.middle(&before(glass(Vec3::ONE, 128.0 / 255.0, 0.0), unlit(color), Vec::new()));
        assert!(near(by_texture, by_factor, 1), "{by_texture:?} {by_factor:?}");
        // Metal lets nothing through.
        let metal = Material { metallic: 1.0, ..glass(Vec3::ONE, 1.0, 0.5) };
        let plain = Material { transmission: None, ..metal.clone() };
        let [a, b] = [metal, plain].map(|m| stage.middle(&before(m, unlit(color), Vec::new())));
        assert!(near(a, b, 1), "{a:?} {b:?}");
    }
}

/// What goes into the tone curve where this comes out, in its straight part.
fn untone(c: Vec3) -> Vec3 {
    let low = c.min_element();
    assert!(low >= 0.04 && c.max_element() <= 0.76);
    c + 0.04
}

#[test]
fn glass_reflects_more_where_it_turns_away_and_hides_as_much() {
    let glass = Material {
        roughness: 0.0,
        metallic: 0.0,
        transmission: Some(Transmission { factor: 1.0, texture: None }),
        ..Material::default()
    };
    for stage in stages() {
        // Before nothing, its alpha is what it reflects: by Fresnel's law 4 % straight on and much at a flat angle.
        let alpha = |degrees: f32| f32::from(stage.middle(&tilted(glass.clone(), degrees))[3]) / 255.0;
        let [ahead, aside, flat] = [0.0, 60.0, 72.0].map(alpha);
        assert!((0.03..0.06).contains(&ahead), "{ahead}");
        // Schlick's form of it: 0.04 + 0.96 (1 − cos)⁵.
        assert!((aside - 0.07).abs() < 0.03 && (flat - 0.19).abs() < 0.06, "{aside} {flat}");
    }
}

#[test]
fn rough_glass_blurs_what_is_behind_it() {
    // Left half white, right half black.
    let halves = image(64, |x, _| if x < 32 { [255, 255, 255, 255] } else { [0, 0, 0, 255] });
    let wall = Material { base_color_texture: slot(0), unlit: true, ..Material::default() };
    for stage in stages() {
        let row = |roughness| {
            let transmission = Some(Transmission { factor: 1.0, texture: None });
            let frame = before(
                Material { base_color: Vec4::ONE, roughness, transmission, ..dark() },
                wall.clone(),
                vec![halves.clone()],
            );
            let picture = stage.draw(&frame);
            [24, 31, 32, 40].map(|x| linear(picture.at(x, SIZE / 2)[1]))
        };
        let sharp = row(0.0);
        // The picture's own edge is a texel of it wide.
        assert!(sharp[0] > 0.99 && sharp[1] > 0.7 && sharp[2] < 0.3 && sharp[3] < 0.01, "{sharp:?}");
        let soft = row(0.7);
        assert!(soft[0] < 0.8 && soft[3] > 0.2, "{soft:?}");
        assert!(soft[1] - soft[2] < 0.05, "no edge is left: {soft:?}");
        assert!(soft[0] > soft[1] && soft[1] > soft[2] && soft[2] > soft[3], "{soft:?}");
    }
}

#[test]
fn what_blends_behind_glass_is_seen_and_what_blends_before_it_too() {
    let sheet = Material {
        base_color: Vec4::new(0.9, 0.1, 0.1, 0.5),
        unlit: true,
        alpha: AlphaMode::Blend,
        ..Material::default()
    };
    let glass = Material {
        base_color: Vec4::ONE,
        roughness: 0.0,
        transmission: Some(Transmission { factor: 1.0, texture: None }),
        ..dark()
    };
    for stage in stages() {
        let solid = |mut frame: Frame| {
            frame.display.background = Background::Solid([0.2, 0.4, 0.8]);
            stage.middle(&frame)
        };
        let alone = solid(plate(sheet.clone()));
        let behind = solid(before(glass.clone(), sheet.clone(), Vec::new()));
        let in_front = solid(before(sheet.clone(), glass.clone(), Vec::new()));
        assert!(near(behind, alone, 3), "behind: {behind:?} for {alone:?}");
        assert!(near(in_front, alone, 3), "in front: {in_front:?} for {alone:?}");
    }
}

#[test]
fn specular_glossiness_equals_the_metallic_roughness_that_it_says() {
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
    for stage in stages() {
        // A dielectric: F0 = 0.04 takes 0.04 of the diffuse colour, which metallic-roughness does not.
        let color = Vec3::new(0.6, 0.3, 0.2);
        let dielectric =
            Material { base_color: color.extend(1.0), metallic: 0.0, roughness: 0.3, ..Material::default() };
        let gloss = SpecularGlossiness {
            diffuse: (color / 0.96).extend(1.0),
            specular: Vec3::splat(0.04),
            glossiness: 0.7,
            ..SpecularGlossiness::default()
        };
        check(&stage, gloss, &[], dielectric.clone());
        // A metal: no diffuse, F0 is its colour.
        let metal = Material { base_color: color.extend(1.0), metallic: 1.0, roughness: 0.5, ..Material::default() };
        let gloss_metal = SpecularGlossiness { diffuse: Vec4::W, specular: color, glossiness: 0.5, ..gloss };
        check(&stage, gloss_metal, &[], metal.clone());
        // The same by textures: diffuse and specular encoded, glossiness in linear alpha.
        let encoded = [srgb(color.x), srgb(color.y), srgb(color.z)];
        let by_texture = SpecularGlossiness {
            diffuse_texture: slot(1),
            texture: slot(0),
            glossiness: 1.0,
            ..SpecularGlossiness::default()
        };
        check(&stage, by_texture, &[[encoded[0], encoded[1], encoded[2], 128], [0, 0, 0, 255]], metal);
    }
}

#[test]
fn variants_change_the_material_and_nothing_else() {
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
    for stage in stages() {
        let shown =
            |variant| stage.middle(&Frame { model: Some(Arc::clone(&model)), variant, ..plate(Material::default()) });
        let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 128]);
        assert_eq!([None, Some(0), Some(2), Some(3)].map(shown), [red, [0, 255, 0, 255], red, [0; 4]]);
        assert!(near(shown(Some(1)), blue, 1));
        assert_eq!(shown(None), red, "and back again");
    }
}

/// Red, green, blue and white, from the top left by rows: a picture's quarters.
fn quarters() -> Image {
    const COLORS: [[u8; 4]; 4] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]];
    image(32, |x, y| COLORS[(x / 16 + 2 * (y / 16)) as usize])
}

/// What stands at the middles of the plate's quarters, bottom left first, for a picture that lies upside down on it (v runs
/// up): R red, G green, B blue, W white.
fn quarters_of(stage: &Stage, frame: &Frame) -> String {
    let picture = stage.draw(frame);
    let (low, high) = (SIZE / 4 + SIZE / 8, SIZE / 2 + SIZE / 8);
    let name = |(x, y): (u32, u32)| match picture.at(x, y) {
        [255, 0, 0, _] => 'R',
        [0, 255, 0, _] => 'G',
        [0, 0, 255, _] => 'B',
        [255, 255, 255, _] => 'W',
        _ => '?',
    };
    [(low, high), (high, high), (low, low), (high, low)].map(name).iter().collect()
}

#[test]
fn texture_transforms_show_the_part_that_they_say() {
    use std::f32::consts::{FRAC_PI_2, PI};
    let at = |x, y| Vec2::new(x, y);
    let cases = [
        (None, "RGBW"),
        (Some(UvTransform::default()), "RGBW"),
        // One quarter alone.
        (Some(UvTransform { scale: at(0.5, 0.5), ..UvTransform::default() }), "RRRR"),
        (Some(UvTransform { scale: at(0.5, 0.5), offset: at(0.5, 0.0), rotation: 0.0 }), "GGGG"),
        (Some(UvTransform { scale: at(0.5, 0.5), offset: at(0.0, 0.5), rotation: 0.0 }), "BBBB"),
        // The extension's own example: the lower left quarter, turned.
        (Some(UvTransform { scale: at(0.5, 0.5), offset: at(0.0, 1.0), rotation: FRAC_PI_2 }), "BBBB"),
        // A quarter turn: (u, v) reads (v, 1 − u).
        (Some(UvTransform { offset: at(0.0, 1.0), rotation: FRAC_PI_2, scale: Vec2::ONE }), "BRWG"),
        (Some(UvTransform { offset: Vec2::ONE, rotation: PI, scale: Vec2::ONE }), "WBGR"),
        (Some(UvTransform { offset: at(0.0, 1.0), rotation: 0.0, scale: at(1.0, -1.0) }), "BWRG"),
        // Half as wide again after a shift, past the edge, which repeats.
        (Some(UvTransform { offset: at(1.5, -2.0), rotation: 0.0, scale: Vec2::ONE }), "GRWB"),
    ];
    for stage in stages() {
        for (transform, want) in cases {
            let base_color_texture = Some(TextureSlot { transform, ..TextureSlot::default() });
            let unlit = Material { base_color_texture, unlit: true, ..Material::default() };
            let frame = Plate { material: unlit, images: vec![quarters()], ..Plate::default() }.frame();
            assert_eq!(quarters_of(&stage, &frame), want, "{transform:?}");
        }
    }
}

/// A plate whose second coordinate set is the first turned half around, showing `material`.
fn two_sets(material: Material) -> Frame {
    let model = Plate { material, images: vec![quarters()], ..Plate::default() }.model();
    let mut parts = (**model).clone();
    let uvs = &mut parts.meshes[0].primitives[0].uvs;
    uvs[1] = uvs[0].iter().map(|uv| Vec2::ONE - *uv).collect();
    Frame { model: Some(Arc::new(Model::build(parts).unwrap())), ..plate(Material::default()) }
}

#[test]
fn every_texture_reads_its_own_set_by_its_own_transform() {
    // Each slot in turn shows the quarters by what it adds to a surface that otherwise shows one colour.
    let flip = UvTransform { offset: Vec2::new(0.0, 1.0), rotation: 0.0, scale: Vec2::new(1.0, -1.0) };
    let emissive = |slot| Material { emissive: Vec3::splat(0.7), emissive_texture: Some(slot), ..dark() };
    let base = |slot| Material { base_color_texture: Some(slot), unlit: true, ..Material::default() };
    for stage in stages() {
        for (uv_set, transform, want) in
            [(0, None, "RGBW"), (1, None, "WBGR"), (0, Some(flip), "BWRG"), (1, Some(flip), "GRWB")]
        {
            let slot = TextureSlot { texture: TextureId(0), uv_set, transform };
            assert_eq!(quarters_of(&stage, &two_sets(base(slot))), want, "base colour, {slot:?}");
            // The others need not be saturated: which quarter is brightest in red, and which darkest, says enough.
            let places =
                [(emissive(slot), "emissive"), (sheen_slot(slot), "sheen"), (glass_slot(slot), "transmission")];
            for (material, name) in places {
                let other = TextureSlot { texture: TextureId(0), uv_set: 0, transform: None };
                let stored = corner_reds(&stage, &two_sets(replaced(&material, other)));
                let found = corner_reds(&stage, &two_sets(material));
                // Red stands in R and W: by the same letters as above.
                let red = |pattern: &str| pattern.chars().map(|c| c == 'R' || c == 'W').collect::<Vec<_>>();
                let bright = |reds: [f32; 4]| {
                    let mean = reds.iter().sum::<f32>() / 4.0;
                    reds.map(|r| r > mean).to_vec()
                };
                assert_eq!((bright(stored), bright(found)), (red("RGBW"), red(want)), "{name}, {slot:?}");
            }
        }
    }
}

fn sheen_slot(slot: TextureSlot) -> Material {
    let sheen = Some(Sheen { color: Vec3::ONE, color_texture: Some(slot), roughness: 0.8, roughness_texture: None });
    Material { sheen, ..dark() }
}

/// Where it lets light through it leaves the picture transparent.
fn glass_slot(slot: TextureSlot) -> Material {
    let transmission = Some(Transmission { factor: 1.0, texture: Some(slot) });
    Material { base_color: Vec4::ONE, transmission, ..dark() }
}

/// The same material with its texture in another slot.
fn replaced(material: &Material, slot: TextureSlot) -> Material {
    let mut out = material.clone();
    out.emissive_texture = out.emissive_texture.map(|_| slot);
    if let Some(sheen) = &mut out.sheen {
        sheen.color_texture = Some(slot);
    }
    if let Some(transmission) = &mut out.transmission {
        transmission.texture = Some(slot);
    }
    out
}

/// How red the quarters are, or how much glass lets through there.
fn corner_reds(stage: &Stage, frame: &Frame) -> [f32; 4] {
    let is_glass = frame.model.as_ref().is_some_and(|m| m.materials[0].transmission.is_some());
    let picture = stage.draw(frame);
    let (low, high) = (SIZE / 4 + SIZE / 8, SIZE / 2 + SIZE / 8);
    [(low, high), (high, high), (low, low), (high, low)].map(|(x, y)| {
        let [r, _, _, a] = picture.at(x, y);
        if is_glass { 1.0 - f32::from(a) / 255.0 } else { f32::from(r) / 255.0 }
    })
}

#[test]
fn layers_change_no_readout() {
    use crate::scenes::overlay;
    let layered = Material {
        transmission: Some(Transmission { factor: 1.0, texture: None }),
        sheen: Some(Sheen { color: Vec3::ONE, ..Sheen::default() }),
        clearcoat: Some(Clearcoat { factor: 1.0, ..Clearcoat::default() }),
        ..dark()
    };
    for stage in stages() {
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
}
