//! The device's copy of a mesh: it is packed, reordered, and moved by a palette in a uniform buffer, and none of this
//! changes the picture.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec4};
use skinscope::deform::{self, Deformed, METHODS, PaletteBuffer, PaletteRows};
use skinscope::frame::{Background, Dots, Frame, SceneColors, VertexSet};
use skinscope::inspect::{PerVertex, VertexPart};
use skinscope::math::Transform;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Instance, MeshId, Model, MorphTarget, NodeId, SkinId};
use skinscope::render::{Gpu, Picture, Renderer, deform_on_gpu, render_image};
use skinscope::session::{Document, Session, ViewCommand};

use crate::faults::backend_of;
use crate::{SIZE, Stage, on_shared_stage, scenes};

on_stages! {
    another_order_on_the_device_shows_the_same_pictures,
    vertices_are_read_back_under_the_models_own_numbers,
    a_joint_that_stands_twice_in_a_vertex_counts_with_both,
    a_palette_moves_alike_from_a_uniform_buffer_and_from_storage,
    a_palette_of_four_rows_moves_as_one_of_three_does_from_each_buffer,
    a_palette_that_no_uniform_buffer_holds_is_read_from_storage_and_the_choice_can_change,
    only_what_changed_is_written,
    a_model_of_many_parts_takes_few_buffers_and_looks_like_one_of_few,
    where_nothing_is_left_of_a_normal_the_surface_is_shaded_as_its_triangles_lie,
}

/// A tube on 20 joints whose vertices all differ in colour. `shuffled`: its triangles come in an order in which no two
/// neighbours meet, so that the device takes another; else they come row by row, and stay.
fn dense(shuffled: bool) -> Arc<Model> {
    let mut parts = (*tube(Tube { joints: 20, rings: 90, sides: 12, influences: 4, ..Tube::default() })).clone();
    let p = &mut parts.meshes[0].primitives[0];
    let count = p.positions.len();
    p.colors = (0..count).map(|i| Vec4::new((i % 7) as f32 / 7.0, (i % 5) as f32 / 5.0, 0.4, 1.0)).collect();
    let bulge = |i: usize| p.normals[i] * 0.05 * (i % 11) as f32 / 11.0;
    p.morphs = vec![MorphTarget { positions: (0..count).map(bulge).collect(), ..MorphTarget::default() }];
    if shuffled {
        let triangles = p.indices.len() / 3;
        p.indices = (0..triangles).flat_map(|t| p.indices[t * 1009 % triangles * 3..][..3].to_vec()).collect();
    }
    parts.meshes[0].morph_names = vec!["bulge".into()];
    parts.instances[0].morph_weights = vec![0.7];
    parts.skeleton.rest.morph_weights = vec![0.7];
    Arc::new(Model::build(parts).unwrap())
}

fn frame(model: &Arc<Model>, method: &'static deform::Method) -> Frame {
    let mut frame = scenes::frame(model, &scenes::pose(model, Some(0), 0.2), method);
    frame.camera.world_from_view.translation = Vec3::new(0.0, 1.0, 4.5).into();
    frame
}

fn marks(vertices: Vec<u32>) -> Arc<VertexSet> {
    Arc::new(VertexSet { parts: vec![VertexPart { mesh: MeshId(0), primitive: 0, vertices }] })
}

/// Where two pictures differ, the largest difference of a channel, and how many pixels it is about.
fn difference(a: &Picture, b: &Picture) -> (u8, usize) {
    let pixels = a.rgba.as_chunks::<4>().0.iter().zip(b.rgba.as_chunks::<4>().0);
    let off = pixels.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap());
    off.fold((0, 0), |(most, count), by| (most.max(by), count + usize::from(by > 2)))
}

/// What is shown, and what shows it.
type Look<'a> = (&'a str, &'a dyn Fn(&mut Frame));

fn another_order_on_the_device_shows_the_same_pictures(stage: &Stage) {
    let (rows, shuffled) = (dense(false), dense(true));
    let count = rows.meshes[0].primitives[0].positions.len();
    let numbers = PerVertex { values: vec![vec![(0..count).map(|i| (i % 13) as f32 / 13.0).collect()]] };
    let numbers = Arc::new(numbers);
    let marked = marks((0..count as u32).step_by(37).collect());
    let looks: [Look<'_>; 6] = [
        ("shaded", &|_| {}),
        ("numbers by vertex", &|f| f.display.overlay = scenes::overlay("rogue")),
        ("joints", &|f| f.display.overlay = scenes::overlay("dominant")),
        ("edges", &|f| f.display.wireframe = true),
        ("dots", &|f| {
            f.display.overlay = scenes::overlay("rogue");
            f.display.dots = Some(Dots { radius: 1.5, color: [1.0; 4] });
        }),
        ("marks", &|f| f.marked = Arc::clone(&marked)),
    ];
    for (name, look) in looks {
        let [a, b] = [&rows, &shuffled].map(|model| {
            let mut frame = Frame { values: Some(Arc::clone(&numbers)), ..frame(model, METHODS[0]) };
            look(&mut frame);
            stage.draw(&frame)
        });
        assert!(a.rgba.iter().any(|v| *v > 100 && *v < 250), "{name}: something is seen");
        let (most, pixels) = difference(&a, &b);
        // Where the edges of two triangles meet in a sample the one drawn last has it, and so it is where dots overlap.
        let most_pixels = if name == "dots" { 40 } else { 4 };
        assert!(pixels <= most_pixels, "{:?}, {name}: {pixels} pixels differ, by {most}", stage.gpu.info.backend);
    }
}

fn vertices_are_read_back_under_the_models_own_numbers(stage: &Stage) {
    // A quarter of the way is not the default of any, and no value that looks the same from both ends.
    let quarter = |parameter: &deform::Parameter| parameter.range[0] + 0.25 * (parameter.range[1] - parameter.range[0]);
    let cases = scenes::shader_methods().flat_map(|method| [(method, false), (method, true)]);
    for (method, is_set) in cases.filter(|(method, is_set)| !is_set || !method.parameters.is_empty()) {
        let model = dense(true);
        let mut frame = frame(&model, method);
        if is_set {
            frame.parameters.iter_mut().zip(method.parameters).for_each(|(value, p)| *value = quarter(p));
        }
        let deformation = deform::Deformation { values: frame.parameters, ..(*method).into() };
        let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
        let mut packed: Vec<Vec4> = Vec::new();
        deform::pack(method, &frame.palettes, &mut packed);
        let mut want = Deformed::default();
        let at = (parts[0].instance, 0);
        deform::deform_primitive(&model, at.0, at.1, &packed, &frame.morph_weights, deformation, &mut want);
        assert_eq!(parts[0].deformed.positions.len(), want.positions.len());
        let mut steady = 0;
        for (i, (got, want)) in parts[0].deformed.positions.iter().zip(&want.positions).enumerate() {
            let is_steady = scenes::is_steady(method, &model.meshes[0].primitives[0], i);
            steady += usize::from(is_steady);
            let allowed = 2.0 * method.expects.shader_error;
            let off = (*got - *want).length();
            assert!(!is_steady || off < allowed, "{} vertex {i}: {got} {want}", method.id);
        }
        assert!(2 * steady > want.positions.len(), "{}: only {steady} are steady", method.id);
    }
}

/// What a vertex has of a joint is the sum of all its slots, in the four of a vertex and in a list.
fn a_joint_that_stands_twice_in_a_vertex_counts_with_both(stage: &Stage) {
    for (joints, weights) in [
        (vec![3, 1, 3, 2], vec![0.3, 0.4, 0.25, 0.05]),
        (vec![3, 1, 3, 2, 5, 3, 1, 0], vec![0.2, 0.3, 0.15, 0.05, 0.1, 0.15, 0.05, 0.0]),
    ] {
        let mut parts = (*tube(Tube { joints: 6, rings: 9, influences: joints.len(), ..Tube::default() })).clone();
        let p = &mut parts.meshes[0].primitives[0];
        let (count, influences) = (p.positions.len(), p.stored_influences.as_mut().unwrap());
        influences.joints = joints.repeat(count);
        influences.weights = weights.repeat(count);
        let model = Arc::new(Model::build(parts).unwrap());
        for method in scenes::shader_methods() {
            let frame = frame(&model, method);
            let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
            let mut packed: Vec<Vec4> = Vec::new();
            deform::pack(method, &frame.palettes, &mut packed);
            let mut want = Deformed::default();
            deform::deform_primitive(&model, parts[0].instance, 0, &packed, &[], method, &mut want);
            for (got, want) in parts[0].deformed.positions.iter().zip(&want.positions) {
                // Of 16 bits, weights are off by two steps at most.
                assert!((*got - *want).length() < 5e-5, "{} of {}: {got} {want}", method.id, joints.len());
            }
        }
    }
}

/// Two tubes side by side, each on a skin of its own: the second's palette begins at joint 20.
fn twins() -> Arc<Model> {
    let mut parts = (*tube(Tube { joints: 20, rings: 40, influences: 3, ..Tube::default() })).clone();
    parts.skins.push(parts.skins[0].clone());
    parts.skins[1].inverse_bind.iter_mut().for_each(|m| m.translation.x += 0.4);
    parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
    // And once more without a skin, as a rigid part.
    parts.instances.push(Instance { skin: None, node: NodeId(1), ..parts.instances[0].clone() });
    Arc::new(Model::build(parts).unwrap())
}

fn a_palette_moves_alike_from_a_uniform_buffer_and_from_storage(stage: &Stage) {
    let (gpu, model) = (&stage.gpu, twins());
    for method in scenes::shader_methods() {
        let mut frame = frame(&model, method);
        let [a, b] = [PaletteBuffer::Uniform, PaletteBuffer::Storage].map(|buffer| {
            frame.display.palette_buffer = buffer;
            assert_eq!(Renderer::palette_fit(gpu, &frame).used(), buffer.id());
            let picture = stage.draw(&frame);
            (picture, deform_on_gpu(gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap())
        });
        assert_eq!(difference(&a.0, &b.0).1, 0, "{:?} {}", gpu.info.backend, method.id);
        assert_eq!(a.1.len(), 3);
        for (a, b) in a.1.iter().zip(&b.1) {
            let far = a.deformed.positions.iter().zip(&b.deformed.positions).map(|(a, b)| (a - b).length());
            assert!(far.fold(0.0, f32::max) < 1e-6);
        }
        assert_ne!(a.1[0].deformed.positions[500], a.1[1].deformed.positions[500], "they stand apart");
    }
}

fn a_palette_of_four_rows_moves_as_one_of_three_does_from_each_buffer(stage: &Stage) {
    let model = twins();
    for method in scenes::shader_methods() {
        let mut frame = frame(&model, method);
        for buffer in [PaletteBuffer::Uniform, PaletteBuffer::Storage] {
            frame.display.palette_buffer = buffer;
            let [three, four] = [PaletteRows::Three, PaletteRows::Four].map(|rows| {
                frame.display.palette_rows = rows;
                let fit = Renderer::palette_fit(&stage.gpu, &frame);
                assert_eq!(fit.joint_bytes, 16 * rows.vec4s(method), "{}", method.id);
                let moved = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
                (stage.draw(&frame), moved)
            });
            assert_eq!(difference(&three.0, &four.0).1, 0, "{:?} {}", stage.gpu.info.backend, method.id);
            for (three, four) in three.1.iter().zip(&four.1) {
                assert_eq!(three.deformed.positions, four.deformed.positions, "{}", method.id);
            }
        }
    }
}

fn a_palette_that_no_uniform_buffer_holds_is_read_from_storage_and_the_choice_can_change(stage: &Stage) {
    let backend = backend_of(&stage.gpu);
    let small = |most| wgpu::Limits { max_uniform_buffer_binding_size: 16_384, ..most };
    let lesser = Gpu::headless_with(backend, &small).unwrap();
    let (few, many) = (twins(), Arc::new(tube(Tube { joints: 400, rings: 800, ..Tube::default() })));
    let linear = METHODS[0];
    // 400 matrices of 48 bytes are 19 200 bytes.
    for (model, fits) in [(&few, [true, true]), (&many, [true, false])] {
        let mut frame = frame(model, linear);
        let storage = stage.draw(&frame);
        for (gpu, fits) in [&stage.gpu, &lesser].into_iter().zip(fits) {
            let mut renderer = Renderer::new(gpu);
            for buffer in [PaletteBuffer::Auto, PaletteBuffer::Uniform, PaletteBuffer::Storage, PaletteBuffer::Uniform]
            {
                frame.display.palette_buffer = buffer;
                let fit = Renderer::palette_fit(gpu, &frame);
                assert_eq!(fit.is_uniform(), fits && buffer == PaletteBuffer::Uniform);
                let picture = render_image(gpu, &mut renderer, &frame, [SIZE; 2]).unwrap();
                assert_eq!(difference(&picture, &storage).1, 0, "{backend:?} {buffer:?}");
            }
        }
    }
}

fn only_what_changed_is_written(stage: &Stage) {
    let model = dense(false);
    let mut renderer = Renderer::new(&stage.gpu);
    let mut sent = |frame: &Frame| {
        let before = stage.gpu.uploads();
        renderer.draw(&stage.gpu, frame, [SIZE; 2]).unwrap();
        let now = stage.gpu.uploads();
        (now.buffers - before.buffers, now.bytes - before.bytes)
    };
    let mut frame = frame(&model, METHODS[0]);
    let first = sent(&frame);
    assert!(first.0 > 0 && first.1 > 1080 * 4 * 7, "{first:?}: vertices and more");
    assert_eq!(sent(&frame), (0, 0), "the same picture");
    // Another eye: the uniform alone.
    frame.camera.world_from_view.translation.x += 0.1;
    let camera = sent(&frame);
    assert!(camera.0 == 0 && (400..1200).contains(&camera.1), "{camera:?}");
    // Another pose: three vectors for each of 20 joints, and one of morph weights.
    frame.palettes[3].translation.y += 0.1;
    assert_eq!(sent(&frame), (0, 16 * (3 * 20 + 1)));
    // Marks are written, the rest stays.
    frame.marked = marks(vec![1, 2, 3]);
    let marks = sent(&frame);
    assert!(marks.0 == 1 && marks.1 < 200, "{marks:?}");
}

/// Draws a mesh of many triangles until it has its better order.
fn draw_until_reordered(stage: &Stage) {
    let (rings, sides) = (600, 100);
    let mut parts = (*tube(Tube { joints: 3, rings, sides, influences: 2, ..Tube::default() })).clone();
    let p = &mut parts.meshes[0].primitives[0];
    let triangles = p.indices.len() / 3;
    p.indices = (0..triangles).flat_map(|t| p.indices[t * 1009 % triangles * 3..][..3].to_vec()).collect();
    let model = Arc::new(Model::build(parts).unwrap());
    let numbers =
        PerVertex { values: vec![vec![(0..rings * sides).map(|i| (i / sides) as f32 / rings as f32).collect()]] };
    let mut frame = frame(&model, METHODS[0]);
    frame.values = Some(Arc::new(numbers));
    frame.display.overlay = scenes::overlay("rogue");
    let first = stage.draw(&frame);
    // Its turn comes after a few pictures; then it takes as long as it takes.
    let mut round = 0;
    let later = loop {
        // Another picture each time.
        frame.camera.near = 0.1 + (round % 2) as f32 * 0.001;
        let before = stage.gpu.uploads().bytes;
        let picture = stage.draw(&frame);
        if stage.gpu.uploads().bytes > before + 1_000_000 {
            break picture;
        }
        round += 1;
        assert!(round < 10_000, "it never came");
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(difference(&first, &later).1 <= 4, "{:?}", difference(&first, &later));
}

#[test]
fn a_large_mesh_gets_its_better_order_while_pictures_are_drawn() {
    on_shared_stage(draw_until_reordered);
}

fn a_model_of_many_parts_takes_few_buffers_and_looks_like_one_of_few(stage: &Stage) {
    let whole = dense(false);
    let mut parts = (*whole).clone();
    let p = parts.meshes[0].primitives[0].clone();
    let part = |indices: &[u32]| skinscope::model::Primitive { indices: indices.to_vec(), ..p.clone() };
    parts.meshes[0].primitives = p.indices.chunks(24).map(part).collect();
    let count = parts.meshes[0].primitives.len();
    assert!(count > 80, "{count}");
    let split = Arc::new(Model::build(parts).unwrap());
    let picture = |model: &Arc<Model>| {
        let (frame, before) = (frame(model, METHODS[0]), stage.gpu.uploads().buffers);
        (stage.draw(&frame), stage.gpu.uploads().buffers - before)
    };
    let ((one, few), (many, more)) = (picture(&whole), picture(&split));
    assert!(difference(&one, &many).1 <= 1, "{:?}", difference(&one, &many));
    // Several megabytes, a handful of which go into a buffer.
    assert!(more < few + count / 8, "{few} buffers, and {more} for {count} parts");
}

/// A joint that flattens space has no inverse transpose, so that modes which blend those leave nothing of a normal. It is counted as
/// zero, and the picture shades the surface as its triangles lie.
fn where_nothing_is_left_of_a_normal_the_surface_is_shaded_as_its_triangles_lie(stage: &Stage) {
    let rotation = Quat::from_rotation_y(0.9);
    let transform = Transform { scale: Vec3::new(1.0, 1.0, 0.0), rotation, ..Transform::IDENTITY };
    let model = scenes::Plate { transform, ..scenes::Plate::default() }.model();
    let drawn = |normals: &'static str, overlay: Option<&'static str>| {
        let mut session = Session::default();
        session.open(Document::new(Arc::clone(&model), vec![], None));
        session.apply(ViewCommand::SetNormals(normals));
        session.apply(ViewCommand::SetOverlay(overlay));
        session.update_pose();
        let zero = session.measurements().measure_as(Default::default()).unwrap().measures.zero_normals;
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        (frame.display.background, frame.display.grid, frame.camera) = (Background::Transparent, None, scenes::front());
        frame.bones.clear();
        (zero, render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame, [SIZE, SIZE]).unwrap())
    };
    for overlay in [None, Some("influences")] {
        let (none, want) = drawn("from-triangles", overlay);
        assert!(none == 0 && want.rgba.iter().any(|c| *c > 0));
        for mode in ["blended-inverse-transpose", "normalise-before-blend"] {
            let (all, got) = drawn(mode, overlay);
            assert_eq!(all, 4, "{mode}");
            assert!(difference(&want, &got).0 <= 2, "{mode}, {overlay:?}: {:?}", difference(&want, &got));
        }
    }
}
