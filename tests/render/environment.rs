//! Compares the light of environments with integrals over them: uniform light, hemispheres, and GGX lobes over a picture with a
//! bright spot. Then how they are turned, how bright they are, and what is seen behind the model.

use std::f32::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::frame::{Background, ENVIRONMENT, Frame, look, tone_map};
use skinscope::math::Projection;
use skinscope::model::environment::direction;
use skinscope::model::{Environment, Material};

use crate::scenes::Plate;
use crate::{SIZE, Stage};

on_stages! {
    white_surfaces_in_uniform_light_have_its_colour,
    metals_reflect_the_integral_of_their_lobe,
    what_faces_the_edge_of_a_hemisphere_gets_half_of_it,
    a_bright_spot_turns_with_the_rotation,
    a_stop_doubles_the_light,
    the_environment_is_seen_where_it_is,
    what_is_out_of_focus_is_the_integral_of_its_lobe_without_clouds,
    both_sides_of_a_comparison_are_lit,
    translucent_surfaces_and_glass_are_lit_too,
}

fn environment(size: [u32; 2], radiance: impl Fn(Vec3) -> Vec3) -> Arc<Environment> {
    let texels = (0..size[1]).flat_map(|row| (0..size[0]).map(move |column| (column, row)));
    let texels = texels.map(|(column, row)| radiance(direction(size, column, row)));
    Arc::new(Environment::new("test".into(), size, texels).unwrap())
}

fn uniform(radiance: f32) -> Arc<Environment> {
    environment([64, 32], |_| Vec3::splat(radiance))
}

/// A plate that faces the eye, in the light of an environment and without a tone map.
fn plate(environment: &Arc<Environment>, metallic: f32, roughness: f32) -> Frame {
    let material = Material { base_color: Vec4::ONE, metallic, roughness, ..Material::default() };
    lit(Plate { material, ..Plate::default() }.frame(), environment)
}

fn lit(mut frame: Frame, environment: &Arc<Environment>) -> Frame {
    frame.environment = Some(Arc::clone(environment));
    frame.display.look = look(ENVIRONMENT).unwrap();
    frame.display.tone_map = tone_map("none").unwrap();
    frame
}

fn linear(pixel: u8) -> f32 {
    let c = f32::from(pixel) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// The radiance in the middle of a picture.
fn seen(stage: &Stage, frame: &Frame) -> Vec3 {
    let [r, g, b, _] = stage.middle(frame);
    Vec3::new(linear(r), linear(g), linear(b))
}

fn white_surfaces_in_uniform_light_have_its_colour(stage: &Stage) {
    let light = uniform(0.5);
    for metallic in [0.0, 1.0] {
        for roughness in [0.0, 0.3, 0.6, 1.0] {
            let found = seen(stage, &plate(&light, metallic, roughness));
            // A step of 8 bits is 0.004 here.
            assert!((found - 0.5).abs().max_element() < 0.008, "metal {metallic}, roughness {roughness}: {found}");
        }
    }
}

/// The radiance that a surface of GGX roughness reflects that faces `normal` and is seen from there, relative to what it reflects
/// of uniform light: the integral of D · n·l over the picture.
fn reflected(environment: &Environment, normal: Vec3, alpha: f32) -> f32 {
    let [width, height] = environment.size();
    let (mut sum, mut weight) = (0.0_f64, 0.0_f64);
    for row in 0..height {
        for column in 0..width {
            let light = direction([width, height], column, row);
            let n_l = light.dot(normal);
            if n_l <= 0.0 {
                continue;
            }
            let angle = TAU / width as f32 * PI / height as f32 * (1.0 - light.y * light.y).sqrt();
            let cosine = (light + normal).normalize().dot(normal);
            let d = cosine * cosine * (alpha * alpha - 1.0) + 1.0;
            let share = f64::from(alpha * alpha / (d * d) * n_l * angle);
            sum += share * f64::from(environment.at(column, row).x);
            weight += share;
        }
    }
    (sum / weight) as f32
}

fn metals_reflect_the_integral_of_their_lobe(stage: &Stage) {
    // A bright spot, 20 degrees from what faces the eye, in dim light that grows to one side.
    let spot = Vec3::new(0.34, 0.0, 0.94).normalize();
    let light = environment([512, 256], |d| {
        let near = ((d.dot(spot) - 0.96) / 0.02).clamp(0.0, 1.0);
        Vec3::splat(0.15 + 0.1 * d.x + 2.5 * near)
    });
    let mut wrong = Vec::new();
    for roughness in [0.2231, 0.3, 0.3679, 0.5, 0.6065, 0.8, 1.0] {
        let frame = plate(&light, 1.0, roughness);
        // The camera is parallel, so that every point of the plate mirrors +Z.
        let expected = reflected(&light, Vec3::Z, roughness * roughness);
        let found = seen(stage, &frame).x;
        println!("roughness {roughness}: {found}, expected {expected}");
        if (found / expected - 1.0).abs() >= 0.1 {
            wrong.push(format!("roughness {roughness}: {found} in place of {expected}"));
        }
    }
    // A mirror shows what is there, and not the spot beside it.
    let found = seen(stage, &plate(&light, 1.0, 0.0)).x;
    assert!((found - 0.15).abs() < 0.01, "{found}");
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn what_faces_the_edge_of_a_hemisphere_gets_half_of_it(stage: &Stage) {
    let light = environment([256, 128], |d| if d.y > 0.0 { Vec3::ONE } else { Vec3::ZERO });
    let found = seen(stage, &plate(&light, 0.0, 1.0));
    assert!((found - 0.5).abs().max_element() < 0.02, "{found}");
}

fn a_bright_spot_turns_with_the_rotation(stage: &Stage) {
    let light = environment([256, 128], |d| if d.x < -0.95 { Vec3::ONE } else { Vec3::splat(0.02) });
    let found = |rotation: f32, metallic| {
        let mut frame = plate(&light, metallic, 0.05);
        frame.display.environment.rotation = rotation;
        seen(stage, &frame).x
    };
    // A quarter of a turn takes −X to +Z, which a mirror that faces the eye shows.
    for metallic in [0.0, 1.0] {
        let [before, turned, back] = [0.0, FRAC_PI_2, -FRAC_PI_2].map(|rotation| found(rotation, metallic));
        assert!(turned > 2.0 * before.max(back), "metal {metallic}: {before}, {turned}, {back}");
    }
    assert!(found(FRAC_PI_2, 1.0) > 0.9 && found(0.0, 1.0) < 0.05);
}

fn a_stop_doubles_the_light(stage: &Stage) {
    let light = uniform(0.2);
    for (stops, expected) in [(0.0, 0.2), (1.0, 0.4), (2.0, 0.8), (-1.0, 0.1)] {
        let mut frame = plate(&light, 0.0, 0.5);
        frame.display.environment.exposure = stops;
        let found = seen(stage, &frame);
        assert!((found - expected).abs().max_element() < 0.008, "{stops} stops: {found}");
    }
}

fn the_environment_is_seen_where_it_is(stage: &Stage) {
    // Red above, green below; blue to the right of −Z.
    let light = environment([256, 128], |d| {
        Vec3::new(f32::from(u8::from(d.y > 0.0)), f32::from(u8::from(d.y <= 0.0)), f32::from(u8::from(d.x > 0.0)))
    });
    // A little of what lies around is in what is out of focus.
    let is_near = |pixel: [u8; 4], color: [u8; 3]| {
        (0..3).all(|i| (linear(pixel[i]) - linear(color[i])).abs() < 0.06) && pixel[3] == 255
    };
    let (low, high) = (4, SIZE - 5);
    let corners =
        [(low, low, [255, 0, 0]), (high, low, [255, 0, 255]), (low, high, [0, 255, 0]), (high, high, [0, 255, 255])];
    for parallel in [false, true] {
        let mut frame = plate(&light, 0.0, 0.5);
        frame.display.background = Background::Solid([0.2; 3]);
        if !parallel {
            frame.camera.projection = Projection::Perspective { fov_y: 0.6 };
        }
        let plain = stage.draw(&frame);
        assert_eq!(plain.at(low, low), [51, 51, 51, 255], "it is not behind the model unless that is asked for");
        frame.display.environment.is_background = true;
        let picture = stage.draw(&frame);
        for (x, y, color) in corners {
            assert!(is_near(picture.at(x, y), color), "{parallel}, {x}, {y}: {:?}", picture.at(x, y));
        }
        assert_eq!(picture.at(SIZE / 2 + 3, SIZE / 2 - 5), plain.at(SIZE / 2 + 3, SIZE / 2 - 5), "the plate hides it");
        // Turned by half a turn, left is right.
        frame.display.environment.rotation = PI;
        let picture = stage.draw(&frame);
        assert!(is_near(picture.at(low, low), [255, 0, 255]), "{:?}", picture.at(low, low));
    }
    let mut frame = plate(&light, 0.0, 0.5);
    frame.display.environment.is_background = true;
    frame.display.background = Background::Transparent;
    assert_eq!(stage.draw(&frame).at(low, low)[3], 0, "a transparent background stays transparent");
}

fn what_is_out_of_focus_is_the_integral_of_its_lobe_without_clouds(stage: &Stage) {
    // The roughness for which shaders/surroundings.wgsl shows the environment: that of its first level after the mirror.
    let alpha = (-3.0_f32).exp();
    let own = Environment::own();
    let mut frame = plate(own, 0.0, 0.5);
    frame.display.environment.is_background = true;
    frame.display.background = Background::Solid([0.2; 3]);
    frame.display.mesh = false;
    let half = (0.5 * 1.4_f32).tan();
    frame.camera.projection = Projection::Perspective { fov_y: 1.4 };
    let mut wrong = Vec::new();
    for turn in [0.0, FRAC_PI_2, PI, -FRAC_PI_2] {
        frame.display.environment.rotation = turn;
        let picture = stage.draw(&frame);
        for (column, row) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
            let [x, y] = [column, row].map(|i| (2 * i + 1) * SIZE / 16);
            let at = [x, y].map(|at| (at as f32 + 0.5) / SIZE as f32 * 2.0 - 1.0);
            let seen = Vec3::new(at[0] * half, -at[1] * half, -1.0).normalize();
            // The camera looks along −Z of its own axes.
            let towards = frame.camera.world_from_view.transform_vector3(seen);
            let (sine, cosine) = turn.sin_cos();
            let towards =
                Vec3::new(towards.x * cosine - towards.z * sine, towards.y, towards.x * sine + towards.z * cosine);
            let expected = reflected(own, towards, alpha);
            if expected > 0.98 {
                continue;
            }
            let steps = f32::from(picture.at(x, y)[0]) - 255.0 * srgb(expected);
            if steps.abs() > 3.0 {
                wrong.push(format!("turned by {turn}, {x}, {y}: {steps} steps"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn both_sides_of_a_comparison_are_lit(stage: &Stage) {
    use skinscope::frame::{Compared, SideLayout};
    let light = environment([64, 32], |_| Vec3::new(0.5, 0.25, 0.1));
    for layout in [SideLayout::Split(0.5), SideLayout::SideBySide] {
        let mut frame = plate(&light, 0.0, 0.5);
        frame.compared = Some(Box::new(Compared { frame: frame.clone(), layout }));
        let picture = stage.draw(&frame);
        let columns = if layout == SideLayout::SideBySide {
            [SIZE / 4 + 2, 3 * SIZE / 4 + 2]
        } else {
            [SIZE / 2 - 5, SIZE / 2 + 5]
        };
        for column in columns {
            let [r, g, b, _] = picture.at(column, SIZE / 2 - 5);
            let found = Vec3::new(linear(r), linear(g), linear(b));
            assert!((found - Vec3::new(0.5, 0.25, 0.1)).abs().max_element() < 0.01, "{layout:?}, {column}: {found}");
        }
    }
}

fn translucent_surfaces_and_glass_are_lit_too(stage: &Stage) {
    let light = uniform(0.5);
    let mut frame = plate(&light, 0.0, 0.5);
    frame.display.skin_opacity = 0.5;
    frame.display.background = Background::Solid([0.0; 3]);
    let found = seen(stage, &frame);
    assert!((found - 0.25).abs().max_element() < 0.01, "half of it over black: {found}");
    // Glass shows the environment behind it, and reflects the rest.
    let transmission = Some(skinscope::model::Transmission { factor: 1.0, texture: None });
    let material =
        Material { base_color: Vec4::ONE, metallic: 0.0, roughness: 0.0, transmission, ..Material::default() };
    let mut frame = lit(Plate { material, ..Plate::default() }.frame(), &light);
    frame.display.background = Background::Solid([0.0; 3]);
    frame.display.environment.is_background = true;
    let found = seen(stage, &frame);
    assert!((found - 0.5).abs().max_element() < 0.012, "glass in uniform light: {found}");
}
