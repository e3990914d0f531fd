//! Checks that every texture reads its own coordinate set, by its own transform.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use skinscope::frame::Frame;
use skinscope::model::{Image, Material, Model, Sheen, TextureId, TextureSlot, Transmission, UvTransform};

use crate::layers::{dark, plate};
use crate::materials::image;
use crate::scenes::Plate;
use crate::{SIZE, Stage};

on_stages! {
    texture_transforms_show_the_part_that_they_say,
    every_texture_reads_its_own_set_by_its_own_transform,
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

fn texture_transforms_show_the_part_that_they_say(stage: &Stage) {
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
    for (transform, want) in cases {
        let base_color_texture = Some(TextureSlot { transform, ..TextureSlot::default() });
        let unlit = Material { base_color_texture, unlit: true, ..Material::default() };
        let frame = Plate { material: unlit, images: vec![quarters()], ..Plate::default() }.frame();
        assert_eq!(quarters_of(stage, &frame), want, "{transform:?}");
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

fn every_texture_reads_its_own_set_by_its_own_transform(stage: &Stage) {
    // Each slot in turn shows the quarters by what it adds to a surface that otherwise shows one colour.
    let flip = UvTransform { offset: Vec2::new(0.0, 1.0), rotation: 0.0, scale: Vec2::new(1.0, -1.0) };
    let emissive = |slot| Material { emissive: Vec3::splat(0.7), emissive_texture: Some(slot), ..dark() };
    let base = |slot| Material { base_color_texture: Some(slot), unlit: true, ..Material::default() };
    for (uv_set, transform, want) in
        [(0, None, "RGBW"), (1, None, "WBGR"), (0, Some(flip), "BWRG"), (1, Some(flip), "GRWB")]
    {
        let slot = TextureSlot { texture: TextureId(0), uv_set, transform };
        assert_eq!(quarters_of(stage, &two_sets(base(slot))), want, "base colour, {slot:?}");
        // The others need not be saturated: which quarter is brightest in red, and which darkest, says enough.
        let places = [(emissive(slot), "emissive"), (sheen_slot(slot), "sheen"), (glass_slot(slot), "transmission")];
        for (material, name) in places {
            let other = TextureSlot { texture: TextureId(0), uv_set: 0, transform: None };
            let stored = corner_reds(stage, &two_sets(replaced(&material, other)));
            let found = corner_reds(stage, &two_sets(material));
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
