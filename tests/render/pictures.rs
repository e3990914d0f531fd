//! The properties of pictures that can be stated in numbers, on every backend.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3, Vec4};
use skinscope::deform::{METHODS, Method};
use skinscope::frame::{Background, Bone, Frame, Grid, Line, Overlay, Ramp, joint_color};
use skinscope::math::Transform;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{AlphaMode, Material, Model, NodeId, Primitive, Topology};
use skinscope::render::{Renderer, render_image};

use crate::scenes::{self, Plate};
use crate::scenes::{near, overlay, seen_from_behind};
use crate::{SIZE, Stage, gpus, on_shared_stage, stages};

on_stages! {
    transparent_pictures_have_straight_alpha,
    single_sided_surfaces_are_seen_from_the_front_and_mirrored_ones_too,
    double_sided_surfaces_are_lit_on_both_sides_alike,
    heat_maps_have_the_colours_of_their_ramp,
    rigid_parts_count_for_their_own_node,
    shared_triangles_are_black_and_others_have_the_colour_of_their_joint,
    lines_and_points_have_their_plain_colour,
    edges_are_smooth_in_four_samples,
    pictures_are_the_same_every_time_whatever_came_before,
    a_whole_picture_in_one_colour,
}

fn painted(alpha: AlphaMode) -> Material {
    Material { base_color: Vec4::new(0.6, 0.3, 0.1, 0.5), metallic: 0.0, alpha, ..Material::default() }
}

fn transparent_pictures_have_straight_alpha(stage: &Stage) {
    let with =
        |alpha, vertex_alpha| Plate { material: painted(alpha), alpha: vertex_alpha, ..Plate::default() }.frame();
    let opaque = stage.middle(&with(AlphaMode::Opaque, 0.4));
    assert_eq!(opaque[3], 255, "opaque materials ignore alpha");
    assert!(opaque[0] > opaque[1] && opaque[1] > opaque[2], "{opaque:?}");
    assert_eq!(stage.middle(&with(AlphaMode::Mask { cutoff: 0.5 }, 1.0)), opaque);
    assert_eq!(stage.middle(&with(AlphaMode::Mask { cutoff: 0.6 }, 1.0)), [0; 4]);
    let blend = stage.middle(&with(AlphaMode::Blend, 1.0));
    assert!(blend[3].abs_diff(128) <= 1, "{blend:?}");
    assert!(near(blend, [opaque[0], opaque[1], opaque[2], blend[3]], 3), "{blend:?} is {opaque:?}, not darkened");
    let blend = stage.middle(&with(AlphaMode::Blend, 0.5));
    assert!(blend[3].abs_diff(64) <= 1, "{blend:?}: vertex alpha counts");
    assert_eq!(stage.draw(&with(AlphaMode::Opaque, 1.0)).at(2, 2), [0; 4], "nothing beside it");
}

fn single_sided_surfaces_are_seen_from_the_front_and_mirrored_ones_too(stage: &Stage) {
    let turned = Transform { rotation: Quat::from_rotation_y(3.1), ..Transform::IDENTITY };
    let flipped = Transform { scale: Vec3::new(1.0, 1.0, -1.0), ..Transform::IDENTITY };
    let mirrored = Transform { scale: Vec3::new(-1.0, 1.0, 1.0), ..Transform::IDENTITY };
    let plain = stage.middle(&Plate::default().frame());
    for skinned in [false, true] {
        for normals in [false, true] {
            for method in scenes::shader_methods() {
                let with = |transform| {
                    let frame = Plate { transform, skinned, normals, ..Plate::default() }.frame();
                    Frame { method, ..frame }
                };
                let name = format!("{:?} {} skinned {skinned}, normals {normals}", stage.gpu.info.backend, method.id);
                for transform in [Transform::IDENTITY, mirrored] {
                    let front = stage.middle(&with(transform));
                    assert!(near(front, plain, 2), "{name}: {front:?}, not {plain:?}");
                    assert_eq!(stage.middle(&seen_from_behind(with(transform))), [0; 4], "{name}: from behind");
                }
                // What faces −Z is seen from there alone: by a turn, or by a mirror.
                for transform in [turned, flipped] {
                    assert_eq!(stage.middle(&with(transform)), [0; 4], "{name}: away");
                    assert_eq!(stage.middle(&seen_from_behind(with(transform)))[3], 255, "{name}: from behind");
                }
            }
        }
    }
}

fn double_sided_surfaces_are_lit_on_both_sides_alike(stage: &Stage) {
    for normals in [false, true] {
        let with = |double_sided| {
            let material = Material { double_sided, metallic: 0.0, ..Material::default() };
            Plate { material, normals, ..Plate::default() }.frame()
        };
        let front = stage.middle(&with(true));
        assert_eq!(front, stage.middle(&with(false)));
        // The lights turn with the eye, all but the sky, which both see alike.
        let back = stage.middle(&seen_from_behind(with(true)));
        assert!(near(front, back, 2), "normals {normals}: {front:?} and {back:?}");
    }
}

fn heat_maps_have_the_colours_of_their_ramp(stage: &Stage) {
    for ramp in [Ramp::Heat, Ramp::Blender, Ramp::Viridis] {
        let mut frame = Plate::default().frame();
        frame.display.overlay = overlay("weights");
        frame.display.ramp = ramp;
        frame.display.selected = Some(NodeId(2));
        let picture = stage.draw(&frame);
        // The plate lies flat before the eye, so that one brightness holds for all of it.
        let mut brightness = Vec::new();
        // Where the first pixel goes over to zero it has some of its colour.
        for x in SIZE / 4 + 1..3 * SIZE / 4 {
            let weight = (x as f32 + 0.5) / (SIZE / 2) as f32 - 0.5;
            let [r, g, b] = ramp.color(weight);
            let [red, green, blue, alpha] = picture.at(x, SIZE / 2).map(|c| f32::from(c) / 255.0);
            let scale = (red + green + blue) / (r + g + b);
            let off = (red - r * scale).abs().max((green - g * scale).abs()).max((blue - b * scale).abs());
            assert!(off < 0.02 && alpha == 1.0, "{ramp:?} at weight {weight}: {off} off");
            brightness.push(scale);
        }
        let (low, high) = brightness.iter().fold((f32::MAX, 0.0_f32), |(l, h), s| (l.min(*s), h.max(*s)));
        assert!((0.9..1.01).contains(&low) && high - low < 0.03, "{ramp:?}: brightness {low}…{high}");
        // Nothing selected: weight 0 all over.
        frame.display.selected = None;
        let none = stage.draw(&frame);
        assert_eq!(none.at(SIZE / 4 + 2, SIZE / 2), none.at(3 * SIZE / 4 - 3, SIZE / 2));
        let want = ramp.color(0.0).map(|c| (255.0 * c * low.max(0.9)) as u8);
        let [r, g, b, _] = none.at(SIZE / 2, SIZE / 2);
        assert!(near([r, g, b, 255], [want[0], want[1], want[2], 255], 24), "{ramp:?}: {r} {g} {b} for {want:?}");
    }
}

fn rigid_parts_count_for_their_own_node(stage: &Stage) {
    let mut frame = Plate { skinned: false, ..Plate::default() }.frame();
    frame.display.overlay = overlay("weights");
    frame.display.ramp = Ramp::Blender;
    // The root is no joint and has none above it.
    frame.display.selected = Some(NodeId(0));
    let [red, _, blue, _] = stage.middle(&frame);
    assert!(red > 200 && blue < 10, "{red} {blue}");
    frame.display.selected = Some(NodeId(2));
    let [red, _, blue, _] = stage.middle(&frame);
    assert!(red < 10 && blue > 200, "{red} {blue}");
}

fn shared_triangles_are_black_and_others_have_the_colour_of_their_joint(stage: &Stage) {
    let mut frame = Plate::default().frame();
    frame.display.overlay = overlay("dominant");
    frame.display.shared_black = true;
    assert!(stage.middle(&frame)[..3].iter().all(|c| *c < 30), "its corners follow two joints");
    frame.display.shared_black = false;
    let left = stage.draw(&frame).at(SIZE / 4, SIZE / 2);
    let picture = stage.draw(&frame);
    let sum = |x: u32| picture.at(x, SIZE / 2)[..3].iter().map(|c| u32::from(*c)).sum::<u32>();
    let dark: Vec<u32> = (SIZE / 4..3 * SIZE / 4).filter(|x| 2 * sum(*x) < sum(SIZE / 4 + 4)).collect();
    let middle = SIZE / 2 - 2..=SIZE / 2 + 1;
    assert!((2..=4).contains(&dark.len()) && dark.iter().all(|x| middle.contains(x)), "a seam in the middle: {dark:?}");
    let want = joint_color(NodeId(1)).map(|c| c * 255.0);
    assert!(left[..3].iter().zip(want).all(|(c, w)| (f32::from(*c) - w).abs() < 14.0), "{left:?} for {want:?}");
    let rigid = Plate { skinned: false, ..Plate::default() }.frame();
    for shared_black in [false, true] {
        let mut frame = rigid.clone();
        frame.display.overlay = overlay("dominant");
        frame.display.shared_black = shared_black;
        let want = joint_color(NodeId(0)).map(|c| c * 255.0);
        let [r, g, b, _] = stage.middle(&frame);
        assert!([r, g, b].into_iter().zip(want).all(|(c, w)| (f32::from(c) - w).abs() < 14.0), "one joint: its colour");
    }
}

fn lines_and_points_have_their_plain_colour(stage: &Stage) {
    for shown in [None, overlay("weights"), overlay("dominant")] {
        let name = shown.map_or("shaded", |o| o.id);
        let drawn = |topology| {
            let mut frame = Plate { topology, normals: false, skinned: false, ..Plate::default() }.frame();
            frame.display.overlay = shown;
            frame.display.wireframe = true;
            let picture = stage.draw(&frame);
            let colored: Vec<[u8; 4]> = picture.rgba.as_chunks().0.iter().copied().filter(|p| p[3] > 0).collect();
            let want = match name {
                "weights" => Ramp::Heat.color(0.0),
                "dominant" => joint_color(NodeId(0)),
                _ => [1.0; 3],
            };
            for [r, g, b, _] in &colored {
                let off = [r, g, b].into_iter().zip(want).map(|(c, w)| (f32::from(*c) - 255.0 * w).abs());
                // What is white is brought down a little by the tone curve.
                assert!(off.fold(0.0, f32::max) < 24.0, "{topology:?} {name}: {r} {g} {b} for {want:?}");
            }
            colored.len()
        };
        let (lines, points) = (drawn(Topology::Lines), drawn(Topology::Points));
        let side = SIZE as usize / 2;
        assert!((3 * side - 4..7 * side).contains(&lines), "{name}: {lines} pixels of lines");
        // A point on the border of pixels may touch four.
        assert!((4..=16).contains(&points), "{name}: {points} pixels of points");
    }
}

fn edges_are_smooth_in_four_samples(stage: &Stage) {
    let rotation = Quat::from_rotation_z(0.3);
    let frame = Plate { transform: Transform { rotation, ..Transform::IDENTITY }, ..Plate::default() }.frame();
    let picture = stage.draw(&frame);
    let mut levels: Vec<u8> = picture.rgba.as_chunks::<4>().0.iter().map(|p| p[3]).collect();
    levels.sort_unstable();
    levels.dedup();
    assert_eq!(levels.len(), 5, "{levels:?}");
    // The plate is 1 m², of 2 × 2 m seen.
    let area = picture.rgba.as_chunks::<4>().0.iter().map(|p| f64::from(p[3]) / 255.0).sum::<f64>();
    assert!((area / f64::from(SIZE * SIZE) - 0.25).abs() < 0.003, "{area}");
}

/// Everything at once.
pub fn busy() -> Frame {
    let model = Arc::new(tube(Tube { joints: 4, rings: 17, ..Tube::default() }));
    let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.4), METHODS[0]);
    frame.camera.world_from_view = Affine3A::from_rotation_y(0.5)
        * Affine3A::from_rotation_x(-0.2)
        * Affine3A::from_translation(Vec3::new(0.0, 1.0, 5.0));
    frame.display.background = Background::Studio { inner: [0.3, 0.3, 0.35], outer: [0.1, 0.1, 0.12] };
    frame.display.wireframe = true;
    let shadow = Vec4::new(0.0, 0.0, 0.5, 0.5);
    frame.display.grid =
        Some(Grid { spacing: 0.25, height: 0.0, radius: 4.0, shadow, color: [0.5; 3], lines: true, floor: [0.0; 4] });
    let bone = |y: f32| Bone {
        head: Vec3::Y * y,
        tail: Vec3::new(0.1, y + 0.5, 0.0),
        radius: 0.06,
        color: [0.3, 0.6, 1.0, 0.6],
        ..Bone::default()
    };
    frame.bones = vec![bone(0.0), bone(0.5), bone(1.0)];
    frame.lines = vec![Line { from: Vec3::ZERO, to: Vec3::X, width: 3.0, color: [1.0, 0.0, 0.0, 1.0] }];
    frame
}

/// A plate with parts that draw nothing.
fn broken() -> Arc<Model> {
    let mut parts = (**Plate::default().model()).clone();
    // No vertices; vertices out of reach; vertices that nothing moves; points that nothing refers to.
    let mut far_off = parts.meshes[0].primitives[0].clone();
    far_off.positions.fill(Vec3::MAX);
    let mut unmoved = parts.meshes[0].primitives[0].clone();
    unmoved.stored_influences.as_mut().unwrap().weights.fill(0.0);
    let mut unused = parts.meshes[0].primitives[0].clone();
    unused.indices.clear();
    parts.meshes[0].primitives.extend([Primitive::default(), far_off, unmoved, unused]);
    Arc::new(Model::build(parts).unwrap())
}

/// Draws a plate with broken parts in each of these ways, and compares it with a plate alone.
fn compare_broken(stage: &Stage, ways: impl Iterator<Item = (Option<&'static Overlay>, &'static Method)>) {
    let whole = stage.draw(&Plate::default().frame());
    let model = broken();
    for (shown, method) in ways {
        let name = shown.map_or("shaded", |o| o.id);
        let mut frame = Frame { model: Some(Arc::clone(&model)), method, ..Plate::default().frame() };
        let mut alone = Frame { method, ..Plate::default().frame() };
        for frame in [&mut frame, &mut alone] {
            frame.display.overlay = shown;
            frame.display.wireframe = true;
        }
        assert_eq!(stage.draw(&frame), stage.draw(&alone), "{name} {}", method.id);
        // A pose that is nowhere.
        frame.palettes.fill(Affine3A::NAN);
        assert!(stage.draw(&frame).rgba.iter().all(|c| *c == 0), "{name} {}", method.id);
    }
    assert_eq!(stage.draw(&Plate::default().frame()), whole);
}

#[test]
fn empty_and_broken_parts_harm_nothing() {
    let by_method = scenes::shader_methods().map(|method| (None, *method));
    let by_overlay = ["weights", "dominant"].map(|id| (overlay(id), METHODS[0]));
    on_shared_stage(|stage| compare_broken(stage, by_method.chain(by_overlay)));
}

#[test]
#[ignore = "full: compiles some 200 pipelines, a half of them by OpenGL"]
fn empty_and_broken_parts_harm_nothing_under_any_overlay_by_any_method_on_both_backends() {
    for stage in stages() {
        let looks = [None, overlay("weights"), overlay("dominant")].into_iter();
        compare_broken(&stage, looks.flat_map(|shown| scenes::shader_methods().map(move |method| (shown, *method))));
    }
}

#[test]
#[ignore = "full: draws by OpenGL too"]
fn backends_agree() {
    let pictures: Vec<_> =
        gpus().iter().map(|gpu| render_image(gpu, &mut Renderer::new(gpu), &busy(), [160, 120]).unwrap()).collect();
    let [a, b] = &pictures[..] else { return };
    let differences = a.rgba.iter().zip(&b.rgba).map(|(a, b)| f64::from(a.abs_diff(*b)));
    let (sum, many) = differences.fold((0.0, 0), |(sum, many), d| (sum + d, many + usize::from(d > 24.0)));
    let mean = sum / a.rgba.len() as f64;
    // Lines a pixel wide may fall on either side.
    assert!(mean < 0.6 && many < a.rgba.len() / 100, "mean difference {mean}, {many} channels far off");
}

fn pictures_are_the_same_every_time_whatever_came_before(stage: &Stage) {
    let gpu = &stage.gpu;
    let renderer = &mut *stage.renderer.borrow_mut();
    let first = render_image(gpu, renderer, &busy(), [80, 60]).unwrap();
    let plate = Plate::default().frame();
    render_image(gpu, renderer, &plate, [33, 47]).unwrap();
    render_image(gpu, renderer, &Frame::default(), [1, 1]).unwrap();
    renderer.draw(gpu, &busy(), [0, 0]).unwrap();
    let mut other = busy();
    other.display.overlay = overlay("weights");
    other.display.ramp = Ramp::Viridis;
    render_image(gpu, renderer, &other, [80, 60]).unwrap();
    assert_eq!(render_image(gpu, renderer, &busy(), [80, 60]).unwrap(), first);
    assert_eq!(render_image(gpu, &mut Renderer::new(gpu), &busy(), [80, 60]).unwrap(), first);
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let error = renderer.draw(gpu, &plate, [limit + 1, 8]).unwrap_err();
    assert!(error.to_string().contains("pixels"), "{error}");
    assert_eq!(render_image(gpu, renderer, &busy(), [80, 60]).unwrap(), first, "an error breaks nothing");
}

fn a_whole_picture_in_one_colour(stage: &Stage) {
    let mut frame = Frame::default();
    frame.display.background = Background::Solid([0.2, 0.4, 0.6]);
    assert_eq!(stage.middle(&frame), [51, 102, 153, 255]);
}
