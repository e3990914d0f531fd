//! Checks bodies of glass, thin films and stretched highlights against the formulas of the extensions, in f64.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec4};
use skinscope::frame::{Frame, TONE_MAPS, tone_map};
use skinscope::math::Transform;
use skinscope::model::{
    Anisotropy, Clearcoat, Iridescence, Material, MaterialId, Model, Sheen, Specular, Transmission, Volume,
};

use crate::furnace::run;
use crate::layers::{dark, linear, plate, texel};
use crate::materials::{image, slot};
use crate::scenes::{Plate, near};
use crate::{SIZE, Stage};

on_stages! {
    glass_bodies_bend_what_is_behind_them_by_snells_law,
    dispersion_bends_blue_more_than_red,
    bodies_absorb_light_along_the_way_through_them,
    thin_films_reflect_what_the_published_formula_says,
    films_read_both_of_their_textures,
    highlights_are_stretched_along_the_direction_and_no_other,
    the_ninth_texture_of_layers_counts_as_white,
}

const TILT: f64 = std::f64::consts::FRAC_PI_4;

fn glass(volume: Volume, dispersion: Option<f32>) -> Material {
    let transmission = Some(Transmission { factor: 1.0, texture: None });
    let volume = Some(volume);
    Material { base_color: Vec4::ONE, roughness: 0.0, transmission, volume, dispersion, ..dark() }
}

/// Glass that is turned by [`TILT`] about y, before a wall of which the left half is white and the right half black.
fn before_an_edge(glass: Material, scale: f32) -> Frame {
    let halves = image(64, |x, _| if x < 32 { [255; 4] } else { [0, 0, 0, 255] });
    let transform = Transform { scale: Vec3::splat(scale), ..Transform::IDENTITY };
    let model = Plate { material: glass, images: vec![halves], transform, ..Plate::default() }.model();
    let mut parts = (**model).clone();
    parts.materials.push(Material { base_color_texture: slot(0), unlit: true, ..Material::default() });
    let mut wall = parts.meshes[0].primitives[0].clone();
    wall.material = Some(MaterialId(1));
    wall.positions.iter_mut().for_each(|p| p.z -= 0.5);
    let turn = Quat::from_rotation_y(TILT as f32);
    let glass = &mut parts.meshes[0].primitives[0];
    glass.positions.iter_mut().chain(&mut glass.normals).for_each(|v| *v = turn * *v);
    parts.meshes[0].primitives.push(wall);
    let palette = Plate { transform, ..Plate::default() }.frame();
    let mut frame = Frame { model: Some(Arc::new(Model::build(parts).unwrap())), ..palette };
    // A curve would mix the channels.
    frame.display.tone_map = tone_map("none").unwrap();
    frame
}

/// Where the edge is seen in each channel, metres right of the middle.
fn edges(stage: &Stage, frame: &Frame) -> [f64; 3] {
    let picture = stage.draw(frame);
    [0, 1, 2].map(|channel| {
        let at = |x: u32| f64::from(linear(picture.at(x, SIZE / 2)[channel]));
        let x = (SIZE * 3 / 8..SIZE * 5 / 8).find(|x| at(*x) > 0.5 && at(x + 1) <= 0.5).unwrap();
        let part = (at(x) - 0.5) / (at(x) - at(x + 1));
        (f64::from(x) + 0.5 + part) * 2.0 / f64::from(SIZE) - 1.0
    })
}

/// How far to the side light comes from behind a body of this thickness.
fn shift(ior: f64, thickness: f64) -> f64 {
    let inside = (TILT.sin() / ior).asin();
    thickness * (TILT - inside).sin()
}

fn glass_bodies_bend_what_is_behind_them_by_snells_law(stage: &Stage) {
    for (ior, thickness, scale) in [(1.5, 0.5, 1.0), (1.5, 0.0, 1.0), (1.0, 0.5, 1.0), (1.9, 0.4, 1.0), (1.5, 0.5, 0.8)]
    {
        let volume = Volume { thickness: thickness as f32, ..Volume::default() };
        let body = Material { ior: ior as f32, ..glass(volume, None) };
        let found = edges(stage, &before_an_edge(body, scale))[1];
        let want = shift(ior, thickness * f64::from(scale));
        assert!((found - want).abs() < 0.02, "ior {ior}, {thickness} m times {scale}: {found} for {want}");
    }
    // The texture's G multiplies the thickness.
    let volume = Volume { thickness: 1.0, texture: slot(1), ..Volume::default() };
    let mut frame = before_an_edge(glass(Volume { thickness: 0.5, ..Volume::default() }, None), 1.0);
    let want = stage.draw(&frame);
    let mut parts = (***frame.model.as_ref().unwrap()).clone();
    parts.materials[0].volume = Some(volume);
    parts.images.push(texel([0, 128, 0, 0]));
    parts.textures.push(skinscope::model::Texture {
        image: Some(skinscope::model::ImageId::from_index(1)),
        ..Default::default()
    });
    frame.model = Some(Arc::new(Model::build(parts).unwrap()));
    let found = stage.draw(&frame);
    let apart = |x| found.at(x, SIZE / 2)[1].abs_diff(want.at(x, SIZE / 2)[1]);
    assert!((0..SIZE).all(|x| apart(x) <= 12), "half of a thickness of 1");
    // Compiling these is enough to end the program where a driver fails at a shader's branches.
    for map in TONE_MAPS {
        for roughness in [0.0, 0.4] {
            let volume = Volume { thickness: 0.5, ..Volume::default() };
            let mut frame = before_an_edge(Material { roughness, ..glass(volume, Some(4.0)) }, 1.0);
            frame.display.tone_map = tone_map(map.id).unwrap();
            assert!(stage.draw(&frame).at(SIZE / 4 + 8, SIZE / 2)[1] > 150, "{}", map.id);
        }
    }
}

fn dispersion_bends_blue_more_than_red(stage: &Stage) {
    let volume = Volume { thickness: 0.5, ..Volume::default() };
    // An Abbe number of 1: the indices of red and blue are 0.5 apart (halfSpread = (ior − 1) · 0.025 · dispersion).
    let found = edges(stage, &before_an_edge(glass(volume, Some(20.0)), 1.0));
    for (found, ior) in found.into_iter().zip([1.25, 1.5, 1.75]) {
        let want = shift(ior, 0.5);
        assert!((found - want).abs() < 0.02, "{ior}: {found} for {want}");
    }
    let none = edges(stage, &before_an_edge(glass(volume, Some(0.0)), 1.0));
    assert!(none[0] == none[1] && none[1] == none[2], "{none:?}");
}

fn bodies_absorb_light_along_the_way_through_them(stage: &Stage) {
    let color = Vec3::new(0.9, 0.5, 0.25);
    let wall = Material { base_color: Vec4::new(0.7, 0.7, 0.7, 1.0), unlit: true, ..Material::default() };
    let through = |glass| stage.middle(&crate::glass::before(glass, wall.clone(), Vec::new()));
    let clear = Volume { thickness: 0.5, ..Volume::default() };
    for (distance, power) in [(0.25, 2.0), (0.5, 1.0), (1.0, 0.5)] {
        let volume = Volume { attenuation_distance: Some(distance), attenuation_color: color, ..clear };
        let found = through(glass(volume, None));
        let tint = color.powf(power).extend(1.0);
        let want = through(Material { base_color: tint, volume: None, ..glass(clear, None) });
        assert!(near(found, want, 2), "after {distance} m: {found:?} for {want:?}");
    }
    let never = Volume { attenuation_color: color, ..clear };
    assert!(
        near(through(glass(never, None)), through(glass(clear, None)), 1),
        "without a distance nothing is absorbed"
    );
    let black = Volume { attenuation_distance: Some(0.01), attenuation_color: Vec3::ZERO, ..clear };
    assert_eq!(through(glass(black, None)), [0, 0, 0, 255]);
}

/// The film's reflectance of a channel of `f0`, written from the appendix of KHR_materials_iridescence.
fn film(ior: f64, cosine: f64, thickness: f64, f0: [f64; 3]) -> [f64; 3] {
    use std::f64::consts::PI;
    let schlick = |r0: f64, cosine: f64| r0 + (1.0 - r0) * (1.0 - cosine).powi(5);
    let fresnel0 = |to: f64, from: f64| ((to - from) / (to + from)).powi(2);
    let inside = (1.0 - (1.0 - cosine * cosine) / (ior * ior)).sqrt();
    let r12 = schlick(fresnel0(ior, 1.0), cosine);
    let t121 = 1.0 - r12;
    let base = f0.map(|f| (1.0 + f.min(0.9999).sqrt()) / (1.0 - f.min(0.9999).sqrt()));
    let r23 = base.map(|b| schlick(fresnel0(b, ior), inside));
    let phase = base.map(|b| PI + if b < ior { PI } else { 0.0 });
    let opd = 2.0 * ior * thickness * inside;
    let sensitivity = |m: f64| {
        let p = 2.0 * PI * m * opd * 1e-9;
        let one = |v: f64, pos: f64, var: f64, shift: f64| {
            v * (2.0 * PI * var).sqrt() * (pos * p + shift).cos() * (-p * p * var).exp()
        };
        let shift = phase.map(|s| m * s);
        let x = one(5.4856e-13, 1.6810e6, 4.3278e9, shift[0]) + one(9.7470e-14, 2.2399e6, 4.5282e9, shift[0]);
        let y = one(4.4201e-13, 1.7953e6, 9.3046e9, shift[1]);
        let z = one(5.2481e-13, 2.2084e6, 6.6121e9, shift[2]);
        let [x, y, z] = [x, y, z].map(|c| c / 1.0685e-7);
        [
            3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
            -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
            0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
        ]
    };
    let waves = [sensitivity(1.0), sensitivity(2.0)];
    [0, 1, 2].map(|i| {
        let r123 = (r12 * r23[i]).clamp(1e-5, 0.9999);
        let rs = t121 * t121 * r23[i] / (1.0 - r123);
        let first = (rs - t121) * r123.sqrt();
        (r12 + rs + first * 2.0 * waves[0][i] + first * r123.sqrt() * 2.0 * waves[1][i]).max(0.0)
    })
}

fn thin_films_reflect_what_the_published_formula_says(stage: &Stage) {
    let mut cases = Vec::new();
    for ior in [1.2, 1.33, 1.8] {
        for cosine in [0.1, 0.4, 0.8, 1.0] {
            for thickness in [100.0, 250.0, 400.0, 800.0] {
                for f0 in [Vec3::splat(0.04), Vec3::new(0.9, 0.6, 0.2)] {
                    let a = Vec4::new(ior, cosine, thickness, 0.0);
                    cases.push([a, f0.extend(0.0), Vec4::ZERO, Vec4::ZERO]);
                }
            }
        }
    }
    let found = run(&stage.gpu, "return vec4f(film_reflectance(a.x, a.y, a.z, b.rgb), 0.0);", &cases);
    for ([a, b, ..], found) in cases.iter().zip(found) {
        let want = film(f64::from(a.x), f64::from(a.y), f64::from(a.z), b.truncate().to_array().map(f64::from));
        for (found, want) in found.to_array().into_iter().zip(want) {
            assert!((f64::from(found) - want).abs() < 1e-3, "{a} over {b}: {found} for {want}");
        }
    }
}

fn films_read_both_of_their_textures(stage: &Stage) {
    let over = |film: Iridescence, texels: &[[u8; 4]]| {
        let base = Material { base_color: Vec4::W, metallic: 0.0, roughness: 0.5, ..Material::default() };
        let material = Material { iridescence: Some(Iridescence { ior: 2.0, ..film }), ..base };
        let images = texels.iter().map(|t| texel(*t)).collect();
        stage.middle(&Plate { material, images, ..Plate::default() }.frame())
    };
    let none = Iridescence::default();
    let whole = Iridescence { factor: 1.0, thickness: [100.0, 600.0], ..none };
    let fixed = Iridescence { factor: 128.0 / 255.0, thickness: [0.0, 200.0], ..none };
    let read = Iridescence { texture: slot(0), thickness_texture: slot(1), ..whole };
    let (found, want) = (over(read, &[[128, 0, 0, 0], [0, 51, 0, 0]]), over(fixed, &[]));
    assert!(near(found, want, 1), "{found:?} for {want:?}");
    let bare = over(none, &[]);
    assert!(!near(want, bare, 3) && !near(over(whole, &[]), want, 3), "{want:?} {bare:?}");
}

/// The lobe of KHR_materials_anisotropy, "Implementation", times π: `h`, `v` and `l` in the frame of tangent, bitangent
/// and normal.
fn stretched([h, v, l]: [[f64; 3]; 3], alpha: f64, strength: f64) -> f64 {
    let at = alpha + (1.0 - alpha) * strength * strength;
    let a2 = at * alpha;
    let f = [alpha * h[0], at * h[1], a2 * h[2]];
    let w2 = a2 / f.iter().map(|c| c * c).sum::<f64>();
    let size = |d: [f64; 3]| ((at * d[0]).powi(2) + (alpha * d[1]).powi(2) + d[2] * d[2]).sqrt();
    a2 * w2 * w2 * 0.5 / (l[2] * size(v) + v[2] * size(l))
}

fn highlights_are_stretched_along_the_direction_and_no_other(stage: &Stage) {
    let body = "
        var s: Shading;
        s.normal = vec3f(0.0, 0.0, 1.0);
        s.to_eye = b.xyz;
        s.stretch = vec4f(1.0, 0.0, 0.0, a.y);
        let h = normalize(b.xyz + c.xyz);
        return vec4f(lobe_of(s, c.xyz, h, vec3f(c.z, b.z, h.z), a.x), round_lobe(c.z, b.z, h.z, a.x), 0.0, 0.0);";
    let mut cases = Vec::new();
    let directions = [(0.0, 0.0, 1.0), (0.4, 0.0, 1.0), (0.0, 0.4, 1.0), (-0.8, 0.6, 0.7), (0.1, -1.0, 0.4)];
    let directions = directions.map(|(x, y, z)| Vec3::new(x, y, z).normalize());
    for (v, l) in directions.iter().flat_map(|v| directions.map(|l| (*v, l))) {
        for (alpha, strength) in [(0.1, 0.0), (0.1, 0.5), (0.2, 1.0), (0.6, 0.8)] {
            cases.push([Vec4::new(alpha, strength, 0.0, 0.0), v.extend(0.0), l.extend(0.0), Vec4::ZERO]);
        }
    }
    for ([a, v, l, _], found) in cases.iter().zip(run(&stage.gpu, body, &cases)) {
        let (v, l) = (v.truncate(), l.truncate());
        let all = [(v + l).normalize(), v, l].map(|d| d.to_array().map(f64::from));
        let want = stretched(all, f64::from(a.x), f64::from(a.y));
        assert!((f64::from(found.x) - want).abs() < 1e-3 * want.max(0.05), "{a} {v} {l}: {found} for {want}");
        assert!(a.y > 0.0 || (found.x - found.y).abs() < 1e-3 * found.y.max(0.05), "{found}");
    }
    // The surroundings are mirrored by a normal that is bent across the direction (the Khronos sample viewer, `ibl.glsl`).
    let body = "
        var s: Shading;
        s.normal = vec3f(0.0, 0.0, 1.0);
        s.to_eye = b.xyz;
        s.roughness = a.x;
        s.stretch = vec4f(1.0, 0.0, 0.0, a.y);
        return vec4f(mirrored(s), 0.0);";
    for ([a, v, ..], found) in cases.iter().zip(run(&stage.gpu, body, &cases)) {
        let (v, across) = (v.truncate(), Vec3::Y);
        let bent = across.cross(v).cross(across).normalize();
        let normal = bent.lerp(Vec3::Z, (1.0 - a.y * (1.0 - a.x)).powi(4)).normalize();
        let want = (-v).reflect(normal);
        assert!((found.truncate() - want).length() < 1e-3, "{a} {v}: {found} for {want}");
    }
    // The direction comes from rotation and texture, in the frame of the tangents.
    let brushed = |anisotropy, texels: &[[u8; 4]], tangents| {
        let base = Material { base_color: Vec4::new(0.8, 0.8, 0.8, 1.0), roughness: 0.4, ..Material::default() };
        let material = Material { anisotropy, ..base };
        let images = texels.iter().map(|t| texel(*t)).collect();
        let rotation = Quat::from_rotation_y(0.5) * Quat::from_rotation_x(-0.4);
        let transform = Transform { rotation, ..Transform::IDENTITY };
        stage.middle(&Plate { material, images, transform, tangents, ..Plate::default() }.frame())
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    let by = |strength, rotation, texture| Some(Anisotropy { strength, rotation, texture });
    for tangents in [true, false] {
        let [along, across] = [0.0, quarter].map(|r| brushed(by(0.8, r, None), &[], tangents));
        let bare = brushed(by(0.0, 0.0, None), &[], tangents);
        assert!(!near(along, across, 4) && near(bare, brushed(None, &[], tangents), 1), "{along:?} {across:?}");
        let up = brushed(by(1.0, 0.0, slot(0)), &[[128, 255, 204, 0]], tangents);
        assert!(near(up, across, 3), "up in the texture: {up:?} for {across:?}");
        let turned = brushed(by(1.0, -quarter, slot(0)), &[[128, 255, 204, 0]], tangents);
        assert!(near(turned, along, 3), "turned back: {turned:?} for {along:?}");
        // Half way up in the texture, and on from there.
        let on = brushed(by(1.0, 0.5, slot(0)), &[[218, 218, 204, 0]], tangents);
        let [want, other] = [0.5, -0.5].map(|r| brushed(by(0.8, 0.5 * quarter + r, None), &[], tangents));
        assert!(near(on, want, 3) && !near(on, other, 3), "turned on: {on:?} for {want:?}, and not {other:?}");
    }
}

fn the_ninth_texture_of_layers_counts_as_white(stage: &Stage) {
    let black = || Material { base_color: Vec4::W, metallic: 0.0, roughness: 0.5, ..Material::default() };
    let full = |texture| {
        let white = slot(0);
        Material {
            specular: Some(Specular { texture: white, color_texture: white, ..Specular::default() }),
            clearcoat: Some(Clearcoat {
                factor: 0.5,
                texture: white,
                roughness_texture: white,
                normal_texture: slot(1),
                ..Clearcoat::default()
            }),
            sheen: Some(Sheen {
                color: Vec3::splat(0.1),
                color_texture: white,
                roughness: 0.5,
                roughness_texture: white,
            }),
            iridescence: Some(Iridescence {
                factor: 1.0,
                texture: white,
                thickness_texture: texture,
                ior: 2.0,
                ..Iridescence::default()
            }),
            ..black()
        }
    };
    let shown = |material: Material, texels: &[[u8; 4]]| {
        let images = texels.iter().map(|t| texel(*t)).collect();
        stage.middle(&Plate { material, images, ..Plate::default() }.frame())
    };
    let texels = [[255; 4], [128, 128, 255, 255], [0, 0, 0, 255]];
    let eight = full(None);
    assert_eq!(shown(full(slot(2)), &texels), shown(eight, &texels), "the least thickness is not chosen");
    let film = full(slot(2)).iridescence;
    let alone = |iridescence| shown(Material { iridescence, ..black() }, &texels);
    assert_ne!(alone(film), alone(full(None).iridescence), "where there is room for it, it is");
    assert_ne!(shown(full(None), &texels), stage.middle(&plate(black())));
}
