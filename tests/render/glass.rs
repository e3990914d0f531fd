//! Checks what is seen through materials that let light through.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::frame::{Background, Frame, TONE_MAPS, tone_map};
use skinscope::model::{AlphaMode, Image, Material, MaterialId, Model, Transmission};

use crate::layers::{dark, linear, plate, texel, tilted};
use crate::materials::{image, slot};
use crate::scenes::{Plate, near};
use crate::{SIZE, Stage};

on_stages! {
    glass_shows_what_is_behind_it,
    glass_reflects_more_where_it_turns_away_and_hides_as_much,
    rough_glass_blurs_what_is_behind_it,
    what_blends_behind_glass_is_seen_and_what_blends_before_it_too,
    glass_is_drawn_through_every_tone_map,
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

fn glass_shows_what_is_behind_it(stage: &Stage) {
    let unlit = |color: Vec3| Material { base_color: color.extend(1.0), unlit: true, ..Material::default() };
    let glass = |color: Vec3, factor, roughness| Material {
        base_color: color.extend(1.0),
        roughness,
        transmission: Some(Transmission { factor, texture: None }),
        ..dark()
    };
    let color = Vec3::new(0.6, 0.3, 0.1);
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
    let half =
        Material { transmission: Some(Transmission { factor: 1.0, texture: slot(0) }), ..glass(Vec3::ONE, 1.0, 0.0) };
    let by_texture = stage.middle(&before(half, unlit(color), vec![texel([128, 0, 0, 0])]));
    let by_factor = stage.middle(&before(glass(Vec3::ONE, 128.0 / 255.0, 0.0), unlit(color), Vec::new()));
    assert!(near(by_texture, by_factor, 1), "{by_texture:?} {by_factor:?}");
    // Metal lets nothing through.
    let metal = Material { metallic: 1.0, ..glass(Vec3::ONE, 1.0, 0.5) };
    let plain = Material { transmission: None, ..metal.clone() };
    let [a, b] = [metal, plain].map(|m| stage.middle(&before(m, unlit(color), Vec::new())));
    assert!(near(a, b, 1), "{a:?} {b:?}");
}

/// What goes into the tone curve where this comes out, in its straight part.
fn untone(c: Vec3) -> Vec3 {
    let low = c.min_element();
    assert!(low >= 0.04 && c.max_element() <= 0.76);
    c + 0.04
}

fn glass_reflects_more_where_it_turns_away_and_hides_as_much(stage: &Stage) {
    let glass = Material {
        roughness: 0.0,
        metallic: 0.0,
        transmission: Some(Transmission { factor: 1.0, texture: None }),
        ..Material::default()
    };
    // Before nothing, its alpha is what it reflects: by Fresnel's law 4 % straight on and much at a flat angle.
    let alpha = |degrees: f32| f32::from(stage.middle(&tilted(glass.clone(), degrees))[3]) / 255.0;
    let [ahead, aside, flat] = [0.0, 60.0, 72.0].map(alpha);
    assert!((0.03..0.06).contains(&ahead), "{ahead}");
    // Schlick's form of it: 0.04 + 0.96 (1 − cos)⁵.
    assert!((aside - 0.07).abs() < 0.03 && (flat - 0.19).abs() < 0.06, "{aside} {flat}");
}

fn rough_glass_blurs_what_is_behind_it(stage: &Stage) {
    // Left half white, right half black.
    let halves = image(64, |x, _| if x < 32 { [255, 255, 255, 255] } else { [0, 0, 0, 255] });
    let wall = Material { base_color_texture: slot(0), unlit: true, ..Material::default() };
    let row = |roughness, is_round| {
        let transmission = Some(Transmission { factor: 1.0, texture: None });
        let mut frame = before(
            Material { base_color: Vec4::ONE, roughness, transmission, ..dark() },
            wall.clone(),
            vec![halves.clone()],
        );
        if is_round {
            // The normals of its corners point away from one another.
            let mut parts = (**frame.model.as_ref().unwrap()).clone();
            let glass = &mut parts.meshes[0].primitives[0];
            glass.normals = glass.positions.iter().map(|p| Vec3::new(p.x, p.y, 0.2).normalize()).collect();
            frame.model = Some(Arc::new(Model::build(parts).unwrap()));
        }
        let picture = stage.draw(&frame);
        [24, 31, 32, 40].map(|x| linear(picture.at(x, SIZE / 2)[1]))
    };
    let sharp = row(0.0, false);
    // The picture's own edge is a texel of it wide.
    assert!(sharp[0] > 0.99 && sharp[1] > 0.7 && sharp[2] < 0.3 && sharp[3] < 0.01, "{sharp:?}");
    // The normals of small round glass turn within a pixel, which softens its highlights and not what is behind it.
    let round = row(0.0, true);
    assert!(round.iter().zip(sharp).all(|(a, b)| (a - b).abs() < 0.05), "{round:?}, not {sharp:?}");
    let soft = row(0.7, false);
    assert!(soft[0] < 0.8 && soft[3] > 0.2, "{soft:?}");
    assert!(soft[1] - soft[2] < 0.05, "no edge is left: {soft:?}");
    assert!(soft[0] > soft[1] && soft[1] > soft[2] && soft[2] > soft[3], "{soft:?}");
}

fn what_blends_behind_glass_is_seen_and_what_blends_before_it_too(stage: &Stage) {
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

/// Compiling this is enough to end the program where a driver fails at a shader's branches, as Mesa's did.
fn glass_is_drawn_through_every_tone_map(stage: &Stage) {
    let color = Vec3::new(0.6, 0.3, 0.1);
    let wall = Material { base_color: color.extend(1.0), unlit: true, ..Material::default() };
    for map in TONE_MAPS {
        for roughness in [0.0, 0.4] {
            let transmission = Some(Transmission { factor: 1.0, texture: None });
            let glass = Material { base_color: Vec4::ONE, roughness, transmission, ..dark() };
            let mut frame = before(glass, wall.clone(), Vec::new());
            frame.display.tone_map = tone_map(map.id).unwrap();
            let shown = stage.middle(&frame);
            let bare = stage.middle(&plate(wall.clone()));
            let is_like = shown.iter().zip(bare).take(3).all(|(a, b)| a.abs_diff(b) <= 3);
            assert!(is_like, "{}, roughness {roughness}: {shown:?} for {bare:?}", map.id);
        }
    }
}
