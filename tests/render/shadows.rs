//! Soft shadows and ambient occlusion: bodies hide the light that they should hide, and nothing else changes.

use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};
use skinscope::deform::METHODS;
use skinscope::frame::{Background, Frame, Grid, LOOKS, look, tone_map};
use skinscope::import::{Options, Progress, import_file};
use skinscope::math::Projection;
use skinscope::model::{AlphaMode, Material, Mesh, Model, ModelParts, Primitive};
use skinscope::render::{Backend, Gpu, Picture, Renderer, ShadowViews, read_texture, render_image};

use crate::scenes::{self, Plate, overlay};
use crate::{SIZE, Stage};

on_stages! {
    a_convex_body_casts_no_shadow_on_itself,
    a_plate_hides_as_much_of_the_surroundings_as_it_covers_of_them,
    the_shadow_of_the_key_light_lies_on_the_other_side,
    the_device_and_the_processor_draw_the_same_shadows,
    holes_let_light_through,
    only_what_light_falls_on_has_shadows,
    a_shadow_on_the_ground_begins_at_the_feet,
    the_ground_of_an_environment_has_no_clouds,
    a_picture_in_bands_has_the_shadows_of_one_drawn_at_once,
    finer_shadows_are_another_picture_and_the_same_ones_are_not,
}

type Quad = [Vec3; 4];

/// A rigid model of quads, each with the normal that its corners turn around.
fn quads(list: &[Quad], material: Material, alpha: f32) -> Frame {
    let plate = Plate { skinned: false, material: Material { double_sided: true, ..material }, ..Plate::default() };
    let mut parts: ModelParts = (*plate.model()).clone();
    let normal = |q: &Quad| (q[1] - q[0]).cross(q[3] - q[0]).normalize();
    let indices = |n: u32| [0, 1, 2, 0, 2, 3].map(|corner| 4 * n + corner);
    let primitive = Primitive {
        indices: (0..list.len() as u32).flat_map(indices).collect(),
        positions: list.as_flattened().to_vec(),
        normals: list.iter().flat_map(|q| [normal(q); 4]).collect(),
        colors: vec![Vec4::new(1.0, 1.0, 1.0, alpha); 4 * list.len()],
        uvs: [Vec::new(), Vec::new()],
        stored_vertices: 4 * list.len(),
        ..parts.meshes[0].primitives[0].clone()
    };
    parts.meshes = vec![Mesh { primitives: vec![primitive], ..Mesh::default() }];
    let model = Arc::new(Model::build(parts).unwrap());
    let mut frame = scenes::frame(&model, &scenes::pose(&model, None, 0.0), METHODS[0]);
    frame.camera = scenes::front();
    frame.display.tone_map = tone_map("none").unwrap();
    frame.display.shadows = true;
    frame
}

fn rough(grey: f32) -> Material {
    Material { base_color: Vec4::new(grey, grey, grey, 1.0), metallic: 0.0, roughness: 1.0, ..Material::default() }
}

/// A rectangle around `middle` with these half sides.
fn rectangle(middle: Vec3, across: Vec3, up: Vec3) -> Quad {
    [middle - across - up, middle + across - up, middle + across + up, middle - across + up]
}

fn cube(half: f32, turned: Affine3A) -> Vec<Quad> {
    let sides = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    let side = |normal: Vec3| {
        let across = normal.any_orthonormal_vector();
        rectangle(normal * half, across * half, normal.cross(across) * half).map(|p| turned.transform_point3(p))
    };
    sides.map(side).to_vec()
}

/// The frame without shadows.
fn bare(frame: &Frame) -> Frame {
    let mut frame = frame.clone();
    frame.display.shadows = false;
    frame
}

/// How many numbers of two pictures differ by more than `by`.
fn far(a: &Picture, b: &Picture, by: u8) -> usize {
    a.rgba.iter().zip(&b.rgba).filter(|(a, b)| a.abs_diff(**b) > by).count()
}

/// The mean of the red channel of the pixels around a point of the picture, linear.
fn light_at(picture: &Picture, [x, y]: [f32; 2]) -> f32 {
    let [x, y] = [x, y].map(|at| (at * SIZE as f32) as u32);
    let all = (0..16).map(|i| f32::from(picture.at(x - 2 + i % 4, y - 2 + i / 4)[0]) / 255.0);
    all.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }).sum::<f32>() / 16.0
}

fn a_convex_body_casts_no_shadow_on_itself(stage: &Stage) {
    for turns in [[0.4, 0.3], [-0.5, 0.8], [0.02, 0.6]] {
        let turned = Affine3A::from_rotation_x(turns[0]) * Affine3A::from_rotation_y(turns[1]);
        let frame = quads(&cube(0.5, turned), rough(0.5), 1.0);
        let (shadowed, bare) = (stage.draw(&frame), stage.draw(&bare(&frame)));
        assert!(far(&shadowed, &bare, 4) < shadowed.rgba.len() / 400, "{turns:?}: {}", far(&shadowed, &bare, 4));
    }
}

/// The share of the surroundings that a point at the origin sees past a square of half side `half` at `away` along its
/// `normal`, by adding up small pieces of the hemisphere; the sky counts more than the ground, as in the shader.
fn open_share(normal: Vec3, [across, up]: [Vec3; 2], half: f32, away: f32) -> f32 {
    const STEPS: usize = 400;
    let (mut open, mut all) = (0.0, 0.0);
    for i in 0..STEPS * STEPS {
        // Points of the unit disk stand for directions: a piece of it is as large as a piece of the hemisphere is after
        // the cosine.
        let [x, y] = [i % STEPS, i / STEPS].map(|n| (n as f32 + 0.5) / STEPS as f32 * 2.0 - 1.0);
        let rest = 1.0 - x * x - y * y;
        if rest <= 0.0 {
            continue;
        }
        let direction = across * x + up * y + normal * rest.sqrt();
        let weight = 0.62 + 0.225 * direction.y;
        let at = away / rest.sqrt();
        all += weight;
        open += if (x * at).abs().max((y * at).abs()) < half { 0.0 } else { weight };
    }
    open / all
}

/// The light that reaches a surface of this albedo, where `open` of the surroundings is not hidden and the rest reflects light
/// too.
fn bounced(open: f32, albedo: f32) -> f32 {
    let share = 0.12 + 0.88 * open;
    share / (1.0 - albedo * (1.0 - share))
}

fn a_plate_hides_as_much_of_the_surroundings_as_it_covers_of_them(stage: &Stage) {
    const ALBEDO: f32 = 0.6;
    // Turned away from the key light, so that all light comes from the surroundings; seen at a flat angle below the
    // other plate.
    let normal = Vec3::new(0.85, -0.45, 0.32).normalize();
    let across = normal.cross(Vec3::Y).normalize();
    let up = across.cross(normal);
    // From 64 directions above the surface, and from 32.
    for (half_shadows, most) in [(false, 0.035), (true, 0.045)] {
        let mut gpu = another_device(stage);
        gpu.software.half_shadows = half_shadows;
        let mut renderer = Renderer::new(&gpu);
        for (half, away) in [(0.3, 0.3), (0.3, 0.6), (0.5, 1.0), (0.2, 1.0)] {
            let receiver = rectangle(Vec3::ZERO, across * 0.4, up * 0.4);
            let cover = rectangle(normal * away, across * half, up * half);
            let frame = quads(&[receiver, cover], rough(ALBEDO), 1.0);
            let mut light =
                |frame: &Frame| light_at(&render_image(&gpu, &mut renderer, frame, [SIZE, SIZE]).unwrap(), [0.5, 0.5]);
            let (seen, expected) =
                (light(&frame) / light(&bare(&frame)), bounced(open_share(normal, [across, up], half, away), ALBEDO));
            eprintln!("{half} m, {away} m away: {seen:.3} of the light, {expected:.3} expected");
            assert!((seen - expected).abs() < most, "{half} m, {away} m away: {seen} {expected}");
        }
    }
}

/// A device of the stage's kind, whose switches a test may change.
fn another_device(stage: &Stage) -> Gpu {
    let backend = if stage.gpu.info.backend == wgpu::Backend::Gl { Backend::Gl } else { Backend::Vulkan };
    crate::gpu(backend).unwrap()
}

fn the_shadow_of_the_key_light_lies_on_the_other_side(stage: &Stage) {
    // The key light is at the upper left of the camera, (-0.55, 0.68, 0.60).
    let wall = rectangle(Vec3::new(0.0, 0.0, -0.3), Vec3::X * 2.0, Vec3::Y * 2.0);
    let small = rectangle(Vec3::ZERO, Vec3::X * 0.12, Vec3::Y * 0.12);
    let frame = quads(&[wall, small], rough(0.5), 1.0);
    let (shadowed, bare) = (stage.draw(&frame), stage.draw(&bare(&frame)));
    // At the wall it lies 0.3 · (0.55, −0.68) / 0.60 beside the plate; the picture is 2 m wide.
    let [right, down] = [0.3 * 0.55 / 0.6, 0.3 * 0.68 / 0.6].map(|metres| 0.5 + metres / 2.0);
    let share = |at| light_at(&shadowed, at) / light_at(&bare, at);
    let (inside, beside) = (share([right, down]), share([1.0 - right, 1.0 - down]));
    assert!(inside < 0.8 && beside > 0.9, "{inside} in the shadow, {beside} on the side of the light");
}

fn the_device_and_the_processor_draw_the_same_shadows(stage: &Stage) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let model = import_file(path.as_ref(), &Options::default(), &Progress::silent()).unwrap().model;
    let mut frame = scenes::frame(&model, &scenes::pose(&model, None, 0.0), METHODS[0]);
    frame.camera.world_from_view.translation = glam::Vec3A::new(0.0, 0.9, 4.5);
    frame.display.shadows = true;
    let by_default = stage.draw(&frame);
    let mut gpu = another_device(stage);
    gpu.software.casting = !gpu.software.casting;
    let other = render_image(&gpu, &mut Renderer::new(&gpu), &frame, [SIZE, SIZE]).unwrap();
    let differ = far(&by_default, &other, 6);
    assert!(differ < by_default.rgba.len() / 200, "{differ} of {} numbers", by_default.rgba.len());
    let bare = stage.draw(&bare(&frame));
    assert!(far(&by_default, &bare, 6) > 20 * (differ + 1), "there are shadows: {}", far(&by_default, &bare, 6));
}

fn holes_let_light_through(stage: &Stage) {
    let wall = rectangle(Vec3::new(0.0, 0.0, -0.3), Vec3::X * 2.0, Vec3::Y * 2.0);
    let small = rectangle(Vec3::ZERO, Vec3::X * 0.12, Vec3::Y * 0.12);
    let masked = Material { alpha: AlphaMode::Mask { cutoff: 0.5 }, ..rough(0.5) };
    let mut frame = quads(&[wall, small], masked, 1.0);
    let solid = stage.draw(&frame);
    let mut parts: ModelParts = (***frame.model.as_ref().unwrap()).clone();
    parts.meshes[0].primitives[0].colors[4..].fill(Vec4::new(1.0, 1.0, 1.0, 0.2));
    frame.model = Some(Arc::new(Model::build(parts).unwrap()));
    let open = stage.draw(&frame);
    let bare = stage.draw(&bare(&frame));
    assert!(far(&open, &bare, 4) < open.rgba.len() / 400, "{}", far(&open, &bare, 4));
    assert!(far(&solid, &bare, 10) > solid.rgba.len() / 100);
}

fn only_what_light_falls_on_has_shadows(stage: &Stage) {
    let wall = rectangle(Vec3::new(0.0, 0.0, -0.3), Vec3::X * 2.0, Vec3::Y * 2.0);
    let mut frame = quads(&[wall, rectangle(Vec3::ZERO, Vec3::X * 0.2, Vec3::Y * 0.2)], rough(0.5), 1.0);
    let changes = |frame: &Frame| far(&stage.draw(frame), &stage.draw(&bare(frame)), 8) > 100;
    assert!(changes(&frame));
    for row in LOOKS {
        frame.display.look = row;
        assert_eq!(changes(&frame), row.is_lit, "{}", row.id);
    }
    frame.display.look = look("studio").unwrap();
    frame.display.overlay = overlay("weights");
    assert!(!changes(&frame), "the colours of overlays stay");
    frame.display.overlay = None;
    frame.display.skin_opacity = 0.5;
    assert!(!changes(&frame));
    frame.display.skin_opacity = 1.0;
    frame.studio = false;
    assert!(!changes(&frame), "lights of the file cast none");
}

fn a_shadow_on_the_ground_begins_at_the_feet(stage: &Stage) {
    let mut frame = quads(&cube(0.25, Affine3A::from_translation(Vec3::Y * 0.25)), rough(0.5), 1.0);
    frame.camera = skinscope::frame::Camera {
        world_from_view: Affine3A::from_rotation_x(-0.5) * Affine3A::from_translation(Vec3::Z * 5.0),
        ..scenes::front()
    };
    frame.display.background = Background::Solid([1.0; 3]);
    let shadow = Vec4::new(0.0, 0.0, 0.25, 0.25);
    let grid = Grid { spacing: 0.25, height: 0.0, radius: 4.0, shadow, color: [0.5; 3], lines: false, floor: [0.0; 4] };
    frame.display.grid = Some(grid);
    let shadowed = stage.draw(&frame);
    // The cube stands in the middle of the picture, half a metre wide; its right edge is at three eighths of a metre.
    let row = |x: f32| light_at(&shadowed, [x, 0.51]);
    let (at_foot, near, away) = (row(0.5 + 0.31 / 2.0), row(0.5 + 0.45 / 2.0), row(0.5 + 0.95 / 2.0));
    let on_bright_side = row(0.5 - 0.5 / 2.0);
    eprintln!("{at_foot} {near} {away}, {on_bright_side} on the side of the light");
    assert!(at_foot < near && near < away && at_foot < 0.65 && away > 0.9, "{at_foot} {near} {away}");
    assert!(on_bright_side > near, "{on_bright_side}");
    frame.display.overlay = overlay("weights");
    let marked = stage.draw(&frame);
    let under_overlay = light_at(&marked, [0.5 + 0.45 / 2.0, 0.51]);
    assert!((under_overlay - near).abs() < 0.02, "overlays leave it there: {under_overlay}");
}

/// Adds up 4 096 directions of the sky over a point of the ground, past boxes (their least and greatest corners).
fn open_sky(from: Vec3, boxes: &[[Vec3; 2]]) -> f32 {
    const SIDE: u32 = 64;
    let (mut open, mut all) = (0.0, 0.0);
    for i in 0..SIDE * SIDE {
        let [u, y] = [i % SIDE, i / SIDE].map(|k| (k as f32 + 0.5) / SIDE as f32);
        let (sine, cosine) = (std::f32::consts::TAU * u).sin_cos();
        let around = (1.0 - y * y).sqrt();
        let towards = Vec3::new(around * cosine, y, around * sine);
        // As the shader counts them: the sky is brighter above.
        let weight = y * (0.62 + 0.225 * y);
        let hits = |[least, most]: &[Vec3; 2]| {
            let (a, b) = ((*least - from) / towards, (*most - from) / towards);
            let (first, last) = (a.min(b).max_element(), a.max(b).min_element());
            first <= last && last > 0.0
        };
        all += weight;
        open += if boxes.iter().any(hits) { 0.0 } else { weight };
    }
    open / all
}

fn the_ground_of_an_environment_has_no_clouds(stage: &Stage) {
    // A body on two legs, seen from above: the legs are thin, so that each direction's shadow has many edges.
    let boxes = [
        [Vec3::new(-0.3, 0.5, -0.15), Vec3::new(0.3, 1.1, 0.15)],
        [Vec3::new(-0.25, 0.0, -0.06), Vec3::new(-0.13, 0.5, 0.06)],
        [Vec3::new(0.13, 0.0, -0.06), Vec3::new(0.25, 0.5, 0.06)],
    ];
    let quads_of = |[least, most]: [Vec3; 2]| {
        let size = most - least;
        cube(0.5, Affine3A::from_translation(0.5 * (least + most)) * Affine3A::from_scale(size))
    };
    let list: Vec<Quad> = boxes.into_iter().flat_map(quads_of).collect();
    let mut frame = quads(&list, rough(0.5), 1.0);
    frame.camera = skinscope::frame::Camera {
        world_from_view: Affine3A::from_rotation_x(-1.1) * Affine3A::from_translation(Vec3::Z * 6.0),
        ..scenes::front()
    };
    frame.display.background = Background::Solid([1.0; 3]);
    frame.environment = Some(Arc::clone(skinscope::model::Environment::own()));
    frame.display.look = look(skinscope::frame::ENVIRONMENT).unwrap();
    let shadow = Vec4::new(0.0, 0.0, 0.3, 0.3);
    frame.display.grid =
        Some(Grid { spacing: 0.25, height: 0.0, radius: 4.0, shadow, color: [0.5; 3], lines: false, floor: [0.0; 4] });
    let picture = stage.draw(&frame);
    let bare = bare(&frame);
    let clip_from_world = |p: Vec3| {
        let seen = bare.camera.world_from_view.inverse().transform_point3(p);
        let Projection::Orthographic { height } = bare.camera.projection else { panic!("the camera is parallel") };
        [0.5 + seen.x / height, 0.5 - seen.y / height]
    };
    let mut errors = Vec::new();
    for (i, j) in (0..20).flat_map(|i| (0..20).map(move |j| (i, j))) {
        let ground = Vec3::new(i as f32 * 0.08 - 0.76, 0.0, j as f32 * 0.08 - 0.3);
        let [x, y] = clip_from_world(ground);
        // What the body hides from the camera is not the ground.
        let to_eye = bare.camera.world_from_view.transform_vector3(Vec3::Z).normalize();
        let is_behind = (1..200).any(|k| {
            let p = ground + to_eye * (k as f32 * 0.01);
            boxes.iter().any(|[least, most]| p.cmpge(*least - 0.03).all() && p.cmple(*most + 0.03).all())
        });
        if is_behind || !(0.03..0.97).contains(&x) || !(0.03..0.97).contains(&y) {
            continue;
        }
        // The shares are those of shaders/grid.wgsl, and of the surroundings in skinscope_render/src/shadow.
        let expected = 1.0 - 0.85 * (1.0 - 0.85 * open_sky(ground, &boxes));
        errors.push((light_at(&picture, [x, y]) - expected, ground));
    }
    assert!(errors.len() > 150, "{}", errors.len());
    let mean = errors.iter().map(|(error, _)| error.abs()).sum::<f32>() / errors.len() as f32;
    let worst = errors.iter().map(|(error, _)| error.abs()).fold(0.0, f32::max);
    // Clouds are what changes from a point to the next one.
    let steps: Vec<f32> = errors.windows(2).filter(|w| w[0].1.x == w[1].1.x).map(|w| (w[0].0 - w[1].0).abs()).collect();
    let cloud = (steps.iter().map(|s| s * s).sum::<f32>() / steps.len() as f32).sqrt();
    eprintln!("the mean error is {mean}, the worst {worst}, from point to point {cloud}");
    assert!(mean < 0.02 && worst < 0.09 && cloud < 0.008, "{mean} {worst} {cloud}");
}

fn a_picture_in_bands_has_the_shadows_of_one_drawn_at_once(stage: &Stage) {
    let turned = Affine3A::from_rotation_x(0.4) * Affine3A::from_rotation_y(0.3);
    let mut list = cube(0.3, turned);
    list.push(rectangle(Vec3::new(0.0, 0.0, -0.8), Vec3::X * 2.0, Vec3::Y * 2.0));
    let frame = quads(&list, rough(0.5), 1.0);
    let size = [400, 600];
    let mut renderer = Renderer::new(&stage.gpu);
    let banded = render_image(&stage.gpu, &mut renderer, &frame, size).unwrap();
    let drawn = renderer.draw(&stage.gpu, &frame, size).unwrap().picture.clone();
    let whole = Picture { width: size[0], height: size[1], rgba: read_texture(&stage.gpu, &drawn).unwrap() };
    assert!(far(&banded, &whole, 3) < 400, "{}", far(&banded, &whole, 3));
}

fn finer_shadows_are_another_picture_and_the_same_ones_are_not(stage: &Stage) {
    let wall = rectangle(Vec3::new(0.0, 0.0, -0.3), Vec3::X * 2.0, Vec3::Y * 2.0);
    let frame = quads(&[wall, rectangle(Vec3::ZERO, Vec3::X * 0.2, Vec3::Y * 0.2)], rough(0.5), 1.0);
    let mut renderer = Renderer::new(&stage.gpu);
    let mut views = ShadowViews::NONE;
    let mut pictures = Vec::new();
    loop {
        renderer.set_shadows(views);
        assert!(!renderer.shows(&frame), "{views:?}");
        pictures.push(render_image(&stage.gpu, &mut renderer, &frame, [SIZE, SIZE]).unwrap());
        assert!(renderer.shows(&frame) && renderer.drawn_shadows(&frame) == Some(views), "{views:?}");
        let finest = ShadowViews::finest(&stage.gpu, &frame);
        if views == finest {
            break;
        }
        views = views.refined().at_most(finest);
    }
    assert!(pictures[0] == stage.draw(&bare(&frame)), "without views there are no shadows");
    let last = pictures.last().unwrap();
    assert!(*last == stage.draw(&frame), "what was refined is what is drawn at once");
    let apart = pictures.iter().map(|picture| far(picture, last, 2)).collect::<Vec<_>>();
    assert!(apart.is_sorted_by(|a, b| a > b), "each is nearer to the last one: {apart:?}");
    let mut turned = frame.clone();
    turned.camera.world_from_view = Affine3A::from_rotation_y(0.1) * turned.camera.world_from_view;
    assert!(renderer.is_same_scene(&frame) && !renderer.is_same_scene(&turned));
}
