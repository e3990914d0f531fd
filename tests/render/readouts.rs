//! Compares overlays with colours that were computed by hand; tests vertices as dots, and the cost of switching
//! overlays.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::deform::{self, Deformed, METHODS};
use skinscope::frame::{Background, Dots, Frame, joint_color};
use skinscope::inspect::{OVERLAYS, PerVertex, VertexPart, VertexSet};
use skinscope::math::Ramp;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Instance, InstanceId, MeshId, Model, NodeId};
use skinscope::render::{Gpu, Picture, Renderer};

use crate::scenes::{self, Plate, overlay};
use crate::{SIZE, Stage, on_shared_stage, stages};

on_stages! {
    counts_sums_and_alarms_have_the_colours_of_their_legend,
    a_vertex_without_weight_is_an_alarm_where_it_lies,
    zero_tiny_and_no_weight_at_all_are_told_apart,
    a_joint_stands_for_those_below_it_on_demand,
    numbers_worked_out_beforehand_are_shown_when_they_are_there,
    rigid_parts_beside_a_skin_have_the_grey_of_their_legend,
    what_the_joint_does_not_move_is_dimmed,
    vertices_are_dots_in_the_colours_of_the_overlay,
    marks_lie_where_the_vertex_is_deformed_to,
    marks_behind_the_surface_shine_through,
    dominant_joints_are_mixed_with_a_seam_between_them,
    every_triangle_is_black_or_has_one_owner,
    what_is_squeezed_below_the_scale_of_an_overlay_has_the_colour_of_its_end,
}

/// A plate whose vertices all have `weights`, for its two joints in turn, in `slots` slots.
fn weighted(weights: &[f32], slots: usize) -> Frame {
    let mut parts = (**Plate::default().model()).clone();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    influences.per_vertex = slots;
    let mut padded = weights.to_vec();
    padded.resize(slots, 0.0);
    influences.weights = padded.repeat(4);
    influences.joints = (0..slots as u16).map(|i| i % 2).collect::<Vec<_>>().repeat(4);
    Frame { model: Some(Arc::new(Model::build(parts).unwrap())), ..Plate::default().frame() }
}

/// The grey of parts that no skin moves, as the legend has it.
const NOT_SKINNED: [f32; 3] = [0.82, 0.83, 0.85];

/// How far a pixel is from a colour at some brightness near one.
fn off(pixel: [u8; 4], [r, g, b]: [f32; 3]) -> f32 {
    let [red, green, blue, alpha] = pixel.map(|c| f32::from(c) / 255.0);
    let scale = ((red + green + blue) / (r + g + b)).clamp(0.9, 1.01);
    let worst = (red - r * scale).abs().max((green - g * scale).abs()).max((blue - b * scale).abs());
    worst.max(1.0 - alpha)
}

fn counts_sums_and_alarms_have_the_colours_of_their_legend(stage: &Stage) {
    // Okabe and Ito's, as the legend has them.
    let [blue, sky, green] = [[0.0, 0.447, 0.698], [0.337, 0.706, 0.914], [0.0, 0.620, 0.451]];
    let [yellow, vermilion, calm] = [[0.941, 0.894, 0.259], [0.835, 0.369, 0.0], [0.42, 0.45, 0.50]];
    let counts = [(1, blue), (2, sky), (3, green), (4, yellow), (5, vermilion), (7, vermilion)];
    for method in scenes::shader_methods() {
        let shows = |id, frame: Frame| {
            let mut frame = Frame { method, ..frame };
            frame.display.overlay = overlay(id);
            frame.display.influence_limit = 2;
            stage.middle(&frame)
        };
        for (count, color) in counts {
            // In the vertex up to four, in a list beyond.
            let frame = || weighted(&vec![1.0 / count as f32; count], 8);
            let pixel = shows("influences", frame());
            assert!(off(pixel, color) < 0.02, "{count} with {}: {pixel:?}", method.id);
            let alarm = if count > 2 { yellow } else { calm };
            let pixel = shows("alarms", frame());
            assert!(off(pixel, alarm) < 0.02, "{count} of 2 with {}: {pixel:?}", method.id);
        }
        for sum in [0.5_f32, 0.98, 0.999, 1.0, 1.00005, 1.2, 1.9] {
            // A quarter for each power of ten beyond 0.01 %.
            let error = f64::from(sum) - 1.0;
            let number = error.signum() * ((error.abs().max(1e-9).log10() + 4.0) / 4.0).clamp(0.0, 1.0);
            let color = Ramp::Diverging.color((0.5 + 0.5 * number) as f32);
            let pixel = shows("sum", weighted(&[0.75 * sum, 0.25 * sum], 4));
            assert!(off(pixel, color) < 0.02, "{sum} with {}: {pixel:?} for {color:?}", method.id);
        }
    }
}

fn a_vertex_without_weight_is_an_alarm_where_it_lies(stage: &Stage) {
    // A sum of no matrices is the origin: the surface has no area there, but its dots have.
    let mut frame = weighted(&[0.0; 4], 4);
    frame.display.overlay = overlay("alarms");
    assert_eq!(stage.draw(&frame).at(SIZE / 2, SIZE / 2)[3], 0);
    frame.display.dots = Some(Dots { radius: 5.0, color: [1.0; 4] });
    let pixel = stage.draw(&frame).at(SIZE / 2, SIZE / 2);
    assert!(off(pixel, [0.835, 0.369, 0.0]) < 0.02, "{pixel:?}");
}

fn zero_tiny_and_no_weight_at_all_are_told_apart(stage: &Stage) {
    for ramp in [Ramp::Heat, Ramp::Viridis] {
        let shows = |weights: &[f32]| {
            let mut frame = weighted(weights, 4);
            frame.display.overlay = overlay("weights");
            frame.display.ramp = ramp;
            frame.display.selected = Some(NodeId(1));
            // What nothing moves has no area, but its dots have.
            frame.display.dots = Some(Dots { radius: 5.0, color: [1.0; 4] });
            frame.display.mesh = weights[1] > 0.0;
            let dot = stage.draw(&frame).at(SIZE / 2, SIZE / 2);
            if frame.display.mesh { stage.middle(&frame) } else { dot }
        };
        let zero = shows(&[0.0, 1.0]);
        assert!(off(zero, ramp.color(0.0)) < 0.02, "{ramp:?}: {zero:?}");
        for tiny in [1.0 / 255.0, 1e-3] {
            let pixel = shows(&[tiny, 1.0 - tiny]);
            assert!(off(pixel, ramp.rise(tiny)) < 0.02, "{ramp:?} {tiny}: {pixel:?}");
            assert!(off(pixel, ramp.color(0.0)) > 0.1, "{ramp:?} {tiny}: {pixel:?} is not zero's");
        }
        let none = shows(&[0.0, 0.0]);
        assert!(off(none, [1.0, 0.15, 0.85]) < 0.02, "{ramp:?}: {none:?}");
    }
}

fn a_joint_stands_for_those_below_it_on_demand(stage: &Stage) {
    let mut frame = Plate::default().frame();
    frame.display.overlay = overlay("weights");
    frame.display.ramp = Ramp::Blender;
    frame.display.selected = Some(NodeId(0));
    assert!(off(stage.middle(&frame), [0.0, 0.0, 1.0]) < 0.02, "the root itself moves nothing");
    frame.display.with_children = true;
    assert!(off(stage.middle(&frame), [1.0, 0.0, 0.0]) < 0.02, "those below it move all");
    frame.display.selected = Some(NodeId(1));
    let picture = stage.draw(&frame);
    assert!(off(picture.at(SIZE / 4 + 1, SIZE / 2), [1.0, 0.19, 0.0]) < 0.05, "the next node is no child");
    assert!(off(picture.at(3 * SIZE / 4 - 2, SIZE / 2), [0.0, 0.19, 1.0]) < 0.05);
}

/// The plate's left edge has 0, its right edge `right`.
fn numbers(right: f32) -> Arc<PerVertex> {
    Arc::new(PerVertex { values: vec![vec![vec![0.0, right, right, 0.0]]] })
}

fn numbers_worked_out_beforehand_are_shown_when_they_are_there(stage: &Stage) {
    let mut frame = Plate::default().frame();
    let shaded = stage.draw(&frame);
    frame.display.overlay = overlay("rogue");
    assert_eq!(stage.draw(&frame), shaded, "until then the surface is as it was");
    frame.values = Some(numbers(1.0));
    let picture = stage.draw(&frame);
    for x in SIZE / 4..3 * SIZE / 4 {
        let weight = (x as f32 + 0.5) / (SIZE / 2) as f32 - 0.5;
        let pixel = picture.at(x, SIZE / 2);
        assert!(off(pixel, Ramp::Alarm.color(weight)) < 0.03, "{weight}: {pixel:?}");
    }
    frame.display.overlay = overlay("asymmetry");
    // 1 %: a third of the scale from 0.1 % to 100 %.
    frame.values = Some(numbers(0.01));
    let pixel = stage.draw(&frame).at(3 * SIZE / 4 - 1, SIZE / 2);
    assert!(off(pixel, Ramp::Viridis.rise(1.0 / 3.0)) < 0.05, "{pixel:?}");
    frame.values = Some(Arc::default());
    let pixel = stage.draw(&frame).at(3 * SIZE / 4 - 1, SIZE / 2);
    assert!(off(pixel, Ramp::Viridis.rise(0.0)) < 0.02, "nothing was found");
    // What has no mirror image is not what is equal to it.
    frame.values = Some(numbers(0.0));
    let equal = stage.draw(&frame).at(3 * SIZE / 4 - 1, SIZE / 2);
    assert!(off(equal, Ramp::Viridis.rise(0.0)) < 0.02, "{equal:?}");
    frame.values = Some(numbers(-1.0));
    let pixel = stage.draw(&frame).at(3 * SIZE / 4 - 1, SIZE / 2);
    assert!(off(pixel, [0.62, 0.60, 0.57]) < 0.03, "{pixel:?}");
    // Nor is what no skin moves, of which nothing is worked out.
    let mut rigid = Plate { skinned: false, ..Plate::default() }.frame();
    rigid.display.overlay = overlay("asymmetry");
    rigid.values = Some(Arc::default());
    let pixel = stage.middle(&rigid);
    assert!(off(pixel, NOT_SKINNED) < 0.03, "{pixel:?}");
}

/// A rigid plate in front of a skinned one. In so small a model both are stored alike, with weights at each vertex.
fn rigid_beside_a_skin() -> Frame {
    let mut parts = (**Plate::default().model()).clone();
    let mut mesh = parts.meshes[0].clone();
    mesh.primitives[0].stored_influences = None;
    mesh.primitives[0].positions.iter_mut().for_each(|p| p.z += 0.5);
    parts.meshes.push(mesh);
    let rigid = Instance { mesh: MeshId(1), skin: None, ..parts.instances[0].clone() };
    parts.instances.push(rigid);
    let model = Arc::new(Model::build(parts).unwrap());
    let display = Plate::default().frame().display;
    let posed = scenes::frame(&model, &scenes::pose(&model, None, 0.0), METHODS[0]);
    Frame { camera: scenes::front(), display, ..posed }
}

fn rigid_parts_beside_a_skin_have_the_grey_of_their_legend(stage: &Stage) {
    for id in ["asymmetry", "influences", "partition", "alarms"] {
        let mut frame = rigid_beside_a_skin();
        frame.display.overlay = overlay(id);
        frame.display.influence_limit = 4;
        frame.values = Some(Arc::default());
        let pixel = stage.middle(&frame);
        assert!(off(pixel, NOT_SKINNED) < 0.03, "{id}: {pixel:?}");
        // What is skinned is not.
        let mut skinned = Plate::default().frame();
        skinned.display = frame.display;
        skinned.values = Some(Arc::default());
        let pixel = stage.middle(&skinned);
        assert!(off(pixel, NOT_SKINNED) > 0.1, "{id}: {pixel:?}");
    }
}

fn what_the_joint_does_not_move_is_dimmed(stage: &Stage) {
    for shown in [None, overlay("influences")] {
        let mut frame = Plate::default().frame();
        frame.display.overlay = shown;
        let plain = stage.draw(&frame);
        frame.display.influenced_only = true;
        assert_eq!(stage.draw(&frame), plain, "nothing is selected");
        frame.display.selected = Some(NodeId(1));
        let dimmed = stage.draw(&frame);
        let sum = |p: &Picture, x| p.at(x, SIZE / 2)[..3].iter().map(|c| u32::from(*c)).sum::<u32>();
        let (left, right) = (SIZE / 4 + 1, 3 * SIZE / 4 - 2);
        assert!(sum(&dimmed, left) * 10 > sum(&plain, left) * 9);
        assert!(sum(&dimmed, right) * 10 < sum(&plain, right) * 7);
        let [r, g, b, a] = dimmed.at(right, SIZE / 2);
        assert!(r.abs_diff(g) < 40 && g.abs_diff(b) < 40 && a == 255, "almost grey: {r} {g} {b}");
    }
}

fn vertices_are_dots_in_the_colours_of_the_overlay(stage: &Stage) {
    let mut frame = Plate::default().frame();
    frame.display.mesh = false;
    frame.display.dots = Some(Dots { radius: 4.0, color: [0.2, 0.6, 1.0, 1.0] });
    let corner = |x: u32, y: u32| (SIZE / 4 + x * SIZE / 2, SIZE / 4 + y * SIZE / 2);
    let picture = stage.draw(&frame);
    let covered: f32 = picture.rgba.as_chunks::<4>().0.iter().map(|p| f32::from(p[3]) / 255.0).sum();
    let area = 4.0 * std::f32::consts::PI * 16.0;
    assert!((covered - area).abs() < 0.08 * area, "{covered} pixels for {area}");
    frame.display.overlay = overlay("weights");
    frame.display.ramp = Ramp::Blender;
    frame.display.selected = Some(NodeId(2));
    let weights = stage.draw(&frame);
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let at = corner(x, y);
        assert!(off(picture.at(at.0, at.1), [0.2, 0.6, 1.0]) < 0.05);
        let want = if x == 0 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        assert!(off(weights.at(at.0, at.1), want) < 0.05, "{at:?}: {:?}", weights.at(at.0, at.1));
    }
    // Seen from behind, the surface hides them.
    frame.display.mesh = true;
    let mut back = scenes::seen_from_behind(frame.clone());
    let material = &mut (**back.model.as_ref().unwrap()).clone();
    material.materials[0].double_sided = true;
    material.meshes[0].primitives[0].positions.iter_mut().for_each(|p| p.z = 0.0);
    let mut nearer = material.meshes[0].primitives[0].clone();
    nearer.positions.iter_mut().for_each(|p| *p = Vec3::new(1.6 * p.x, 1.6 * p.y, -0.3));
    material.meshes[0].primitives.push(nearer);
    back.model = Some(Arc::new(Model::build(material.clone()).unwrap()));
    back.display.overlay = None;
    let hidden = stage.draw(&back);
    let at = corner(0, 0);
    assert!(off(hidden.at(at.0, at.1), [0.2, 0.6, 1.0]) > 0.1, "behind another surface");
}

fn marks_lie_where_the_vertex_is_deformed_to(stage: &Stage) {
    for influences in [2, 4, 6] {
        let model = Arc::new(tube(Tube { joints: 8, rings: 33, influences, ..Tube::default() }));
        for method in scenes::shader_methods() {
            let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.5), method);
            frame.camera = scenes::front();
            frame.camera.projection = skinscope::math::Projection::Orthographic { height: 4.0 };
            frame.display.background = Background::Solid([0.0; 3]);
            frame.display.mesh = false;
            frame.display.marks = Dots { radius: 2.5, color: [1.0, 0.5, 0.0, 1.0] };
            let mut packed: Vec<Vec4> = Vec::new();
            deform::pack(method, &frame.palettes, &mut packed);
            let mut on_cpu = Deformed::default();
            deform::deform_primitive(&model, InstanceId(0), 0, &packed, &[], method, &mut on_cpu);
            for pair in [[0, 401], [200, 527]] {
                let part = VertexPart { mesh: MeshId(0), primitive: 0, vertices: pair.to_vec() };
                frame.marked = Arc::new(VertexSet { parts: vec![part] });
                let picture = stage.draw(&frame);
                let lit = |(x, y): (u32, u32)| f32::from(picture.at(x, y)[0]) / 255.0;
                let all = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
                let (sum, at) = all.fold((0.0, glam::Vec2::ZERO), |(sum, at), (x, y)| {
                    let by = lit((x, y));
                    (sum + by, at + by * glam::Vec2::new(x as f32 + 0.5, y as f32 + 0.5))
                });
                let [a, b] = pair.map(|v| on_cpu.positions[v as usize]);
                let p = (a + b) * 0.5;
                let want = glam::Vec2::new(p.x, -p.y) * (SIZE as f32 / 4.0) + SIZE as f32 / 2.0;
                assert!(sum > 4.0 && (at / sum).distance(want) < 0.3, "{pair:?}: {} for {want}", at / sum);
            }
        }
    }
}

fn marks_behind_the_surface_shine_through(stage: &Stage) {
    let mut frame = Plate::default().frame();
    frame.display.background = Background::Solid([0.0; 3]);
    let mut parts = (**frame.model.as_ref().unwrap()).clone();
    let mut behind = parts.meshes[0].primitives[0].clone();
    behind.positions.iter_mut().for_each(|p| *p = Vec3::new(0.5 * p.x, 0.5 * p.y, -0.5));
    parts.meshes[0].primitives.push(behind);
    frame.model = Some(Arc::new(Model::build(parts).unwrap()));
    frame.display.marks = Dots { radius: 5.0, color: [1.0, 0.0, 0.0, 1.0] };
    let plain = stage.draw(&frame);
    let marked = |primitive| {
        let part = VertexPart { mesh: MeshId(0), primitive, vertices: vec![0] };
        let marked = Arc::new(VertexSet { parts: vec![part] });
        stage.draw(&Frame { marked, ..frame.clone() })
    };
    let (x, y) = (SIZE / 4, 3 * SIZE / 4 - 1);
    let front = marked(0).at(x, y);
    assert!(off(front, [1.0, 0.0, 0.0]) < 0.1, "{front:?}");
    let (x, y) = (3 * SIZE / 8, 5 * SIZE / 8 - 1);
    let (before, now) = (plain.at(x, y), marked(1).at(x, y));
    assert!(now[0] > 60 && before[1].abs_diff(now[1]) > 20 && now[1] > 60, "{before:?} {now:?}: shines through");
}

/// The rule of the lecture, a tenth or more making a share: triangles with one owner.
fn owner(model: &Model, triangle: [u32; 3]) -> Option<u16> {
    let influences = model.meshes[0].primitives[0].stored_influences.as_ref().unwrap();
    let one = |v: u32| {
        let (joints, weights) = influences.of(v as usize);
        let mut shares = joints.iter().zip(weights).filter(|(_, w)| **w >= 0.1).map(|(j, _)| *j);
        let first = shares.next()?;
        shares.all(|j| j == first).then_some(first)
    };
    let [a, b, c] = triangle.map(one);
    a.filter(|_| a == b && b == c)
}

/// By default colours of joints are mixed, with a dark seam where another joint takes over.
fn dominant_joints_are_mixed_with_a_seam_between_them(stage: &Stage) {
    let mut frame = Plate::default().frame();
    frame.display.overlay = overlay("dominant");
    let picture = stage.draw(&frame);
    let bright = |x: u32| picture.at(x, SIZE / 2 + 5)[..3].iter().map(|c| u32::from(*c)).sum::<u32>();
    let [left, right] = [SIZE / 4 + 1, 3 * SIZE / 4 - 2];
    // A trace of the other joint shows in the darkest channel.
    assert!(off(picture.at(left, SIZE / 2), joint_color(NodeId(1))) < 0.12, "{:?}", picture.at(left, SIZE / 2));
    assert!(off(picture.at(right, SIZE / 2), joint_color(NodeId(2))) < 0.12, "{:?}", picture.at(right, SIZE / 2));
    let darkest = (left..right).min_by_key(|x| bright(*x)).unwrap();
    assert!(darkest.abs_diff(SIZE / 2) <= 2, "the seam is at {darkest}");
    let beside = [darkest - 6, darkest + 6].map(bright);
    assert!(beside.iter().all(|b| bright(darkest) * 2 < *b), "{} between {beside:?}", bright(darkest));
    // Three eighths of the way: neither one colour nor the other.
    let mixed = picture.at(left + 3 * (right - left) / 8, SIZE / 2 + 5);
    assert!([1, 2].iter().all(|n| off(mixed, joint_color(NodeId(*n))) > 0.12), "{mixed:?}");
}

fn every_triangle_is_black_or_has_one_owner(stage: &Stage) {
    const SIDE: u32 = 480;
    let model = Arc::new(tube(Tube { joints: 5, rings: 41, sides: 24, ..Tube::default() }));
    let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.5), METHODS[0]);
    // Near, with much perspective.
    frame.camera.world_from_view =
        glam::Affine3A::from_rotation_translation(glam::Quat::from_rotation_x(0.5), Vec3::new(0.1, 0.2, 1.3));
    frame.camera.projection = skinscope::math::Projection::Perspective { fov_y: 1.6 };
    frame.camera.near = 0.01;
    frame.display.overlay = overlay("dominant");
    frame.display.shared_black = true;
    let mut packed: Vec<Vec4> = Vec::new();
    deform::pack(METHODS[0], &frame.palettes, &mut packed);
    let mut on_cpu = Deformed::default();
    deform::deform_primitive(&model, InstanceId(0), 0, &packed, &[], METHODS[0], &mut on_cpu);
    let view = frame.camera.world_from_view.inverse();
    let clip = frame.camera.projection.clip_from_view(1.0, 0.01, 100.0);
    let picture =
        skinscope::render::render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame, [SIDE; 2]).unwrap();
    let (mut black, mut owned) = (0, 0);
    for triangle in model.meshes[0].primitives[0].indices.as_chunks::<3>().0 {
        let [a, b, c] = triangle.map(|v| view.transform_point3(on_cpu.positions[v as usize]));
        let normal = (b - a).cross(c - a);
        let middle = (a + b + c) / 3.0;
        let at = clip.project_point3(middle);
        // What faces the eye, and is not at the edge of it.
        if normal.normalize().dot(-middle.normalize()) < 0.3 || at.x.abs().max(at.y.abs()) > 0.95 || middle.z > -0.05 {
            continue;
        }
        let pixel = ((glam::Vec2::new(at.x, -at.y) * 0.5 + 0.5) * SIDE as f32).as_uvec2();
        let [r, g, b, _] = picture.at(pixel.x, pixel.y);
        let is_black = r.max(g).max(b) < 24;
        assert_eq!(is_black, owner(&model, *triangle).is_none(), "{triangle:?} at {pixel}: {r} {g} {b}");
        if let Some(joint) = owner(&model, *triangle) {
            let want = joint_color(model.skins[0].joints[usize::from(joint)]);
            let [r, g, b] = [r, g, b].map(|c| f32::from(c) / 255.0);
            let scale = (r + g + b) / want.iter().sum::<f32>();
            assert!((r - want[0] * scale).abs() + (g - want[1] * scale).abs() + (b - want[2] * scale).abs() < 0.05);
            owned += 1;
        } else {
            black += 1;
        }
    }
    assert!(black > 40 && owned > 40, "{black} black, {owned} owned");
}

/// What drawing `frame` sends to the device: buffers made, bytes written.
fn sent(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame) -> (usize, u64) {
    let before = gpu.uploads();
    renderer.draw(gpu, frame, [SIZE; 2]).unwrap();
    let now = gpu.uploads();
    (now.buffers - before.buffers, now.bytes - before.bytes)
}

/// The same on an idle device and without the surface, which a software device would shade on this very thread: all that is
/// left is what the program itself does for the picture. Says how long that takes.
fn prepared(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame) -> (usize, u64) {
    let bare = Frame { draws: Vec::new(), ..frame.clone() };
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let start = std::time::Instant::now();
    let sent = sent(gpu, renderer, &bare);
    let name = frame.display.overlay.map_or("shaded", |o| o.id);
    println!("{:?}, {name}: {:.3} ms", gpu.info.backend, start.elapsed().as_secs_f64() * 1e3);
    sent
}

/// Counts what is sent where a tube of `rings` of five vertices is shown by one overlay after the other.
fn switch_overlays(stage: &Stage, rings: usize) {
    let model = Arc::new(tube(Tube { joints: 8, rings, sides: 5, influences: 4, ..Tube::default() }));
    let count = model.drawn_vertices();
    assert_eq!(count, 5 * rings);
    let values = PerVertex { values: vec![vec![vec![0.5; count]]] };
    let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.3), METHODS[0]);
    frame.values = Some(Arc::new(values));
    let renderer = &mut *stage.renderer.borrow_mut();
    frame.display.overlay = None;
    let (buffers, bytes) = sent(&stage.gpu, renderer, &frame);
    assert!(buffers > 5 && bytes > 50 * count as u64, "counted: {buffers}, {bytes}");
    for round in 0..2 {
        for (place, overlay) in OVERLAYS.iter().enumerate() {
            frame.display.overlay = Some(overlay);
            frame.display.selected = Some(NodeId(1 + place as u32 % 8));
            frame.display.with_children = !frame.display.with_children;
            frame.display.shared_black = true;
            let (mut buffers, mut bytes) = prepared(&stage.gpu, renderer, &frame);
            if round == 0 {
                let drawn = sent(&stage.gpu, renderer, &frame);
                (buffers, bytes) = (buffers + drawn.0, bytes + drawn.1);
            }
            // Numbers that no shader can work out go there once.
            let first = usize::from(round == 0 && overlay.values.is_some());
            assert_eq!(buffers, first, "{}", overlay.id);
            assert!(bytes < 4096 + (4 * count * first) as u64, "{}: {bytes} bytes", overlay.id);
        }
    }
}

#[test]
fn switching_overlay_or_joint_sends_a_few_bytes() {
    on_shared_stage(|stage| switch_overlays(stage, 20_000));
}

#[test]
#[ignore = "full: draws a million vertices under each overlay, on both backends"]
fn switching_overlay_or_joint_on_a_million_vertices_sends_a_few_bytes_on_both_backends() {
    stages().for_each(|stage| switch_overlays(&stage, 200_000));
}

fn what_is_squeezed_below_the_scale_of_an_overlay_has_the_colour_of_its_end(stage: &Stage) {
    for (id, end) in [("stretch", 0.5), ("area", 0.25)] {
        let color = |ratio: f32| {
            let mut frame = Plate::default().frame();
            frame.display.overlay = overlay(id);
            frame.values = Some(Arc::new(PerVertex { values: vec![vec![vec![ratio; 4]]] }));
            stage.draw(&frame).at(SIZE / 2, SIZE / 2)
        };
        let (low, none) = (color(end), color(-1.0));
        assert!(color(2.0 * end) != low && none != low);
        for ratio in [0.5 * end, 0.2 * end, 0.01 * end, 1e-6] {
            assert_eq!(color(ratio), low, "{id}: {ratio}");
        }
    }
}
