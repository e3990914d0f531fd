//! Edited weights on a device that has the model already: which bytes are sent for them, and that the picture is the
//! same as on a device that never had other weights.

use std::sync::Arc;

use glam::Quat;
use skinscope::deform::METHODS;
use skinscope::deform::packed::{VertexOrder, pack_all_influences};
use skinscope::frame::Frame;
use skinscope::inspect::{PerVertex, VertexPart, VertexSet, overlay};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{MeshId, Model, ModelParts, WeightChange, WeightFormat};
use skinscope::render::{Gpu, Renderer, render_image};

use crate::scenes::{frame, front, pose};
use crate::{SIZE, Stage, on_shared_stage};

on_stages! {
    weights_that_the_layout_does_not_hold_look_right_too_and_so_do_lists,
    marks_stand_where_the_surface_does_after_an_edit_that_widened_the_layout_is_undone,
    numbers_of_an_overlay_that_differ_for_few_vertices_are_sent_alone_and_stand_where_those_do,
    weights_that_the_layout_does_not_hold_send_those_of_their_primitive_and_nothing_else,
}

fn of(model: &Arc<Model>) -> Frame {
    // Bent at every joint, so that weights are seen.
    let mut bent = pose(model, None, 0.0);
    bent.transforms.iter_mut().for_each(|t| t.rotation *= Quat::from_rotation_x(0.3));
    Frame { camera: front(), ..frame(model, &bent, METHODS[0]) }
}

/// With the whole model on the device, and not only what one picture shows of it.
fn draw(gpu: &Gpu, renderer: &mut Renderer, model: &Arc<Model>) -> Vec<u8> {
    renderer.draw(gpu, &of(model), [SIZE, SIZE]).unwrap();
    render_image(gpu, renderer, &of(model), [SIZE, SIZE]).unwrap().rgba
}

/// Gives some vertices other weights, of `joints` joints each.
fn change(model: &Model, vertices: impl Iterator<Item = u32>, joints: u16) -> Arc<Model> {
    let slots = usize::from(joints).next_multiple_of(4);
    let all = model.skins[0].joints.len() as u16;
    let mut out = WeightChange::new(MeshId(0), 0, slots);
    for vertex in vertices {
        let of_vertex: Vec<u16> = (0..joints).map(|i| (vertex as u16 / 7 + i) % all).collect();
        out.push(vertex, &of_vertex, &vec![1.0 / f32::from(joints); of_vertex.len()]);
    }
    Arc::new(model.with_weights(&[out]).unwrap())
}

/// Changes 5000 vertices of a tube of `rings` of 127, far apart, then one after the other, and as stored again.
fn change_few(stage: &Stage, rings: usize) {
    let gpu = &stage.gpu;
    let shape = Tube { joints: 20, rings, sides: 127, length: 1.0, radius: 0.25, influences: 4 };
    let model = Arc::new(tube(shape));
    let count = model.meshes[0].primitives[0].vertex_count() as u32;
    assert_eq!(count as usize, 127 * rings);
    let renderer = &mut *stage.renderer.borrow_mut();
    let stored = draw(gpu, renderer, &model);
    let far = change(&model, (0..5000).map(|i| i * (count / 5000)), 2);
    let near = change(&far, count / 2..count / 2 + 5000, 4);
    for (step, edited) in [&far, &near].into_iter().enumerate() {
        let before = gpu.uploads();
        let picture = draw(gpu, renderer, edited);
        let after = gpu.uploads();
        assert!(after.bytes - before.bytes < 256 << 10, "step {step}: {} bytes", after.bytes - before.bytes);
        assert!(after.bytes - before.bytes >= 5000 * 12, "step {step}: {} bytes", after.bytes - before.bytes);
        assert!(picture != stored, "step {step} is seen");
        assert!(picture == draw(gpu, &mut Renderer::new(gpu), edited), "step {step}");
    }
    let before = gpu.uploads();
    assert!(draw(gpu, renderer, &model) == stored);
    assert!(gpu.uploads().bytes - before.bytes < 256 << 10);
}

#[test]
fn of_many_vertices_5000_changed_ones_send_less_than_256_kib() {
    on_shared_stage(|stage| change_few(stage, 1000));
}

#[test]
#[ignore = "full: makes and draws a million vertices"]
fn of_a_million_vertices_5000_changed_ones_send_less_than_256_kib() {
    on_shared_stage(|stage| change_few(stage, 7900));
}

fn weights_that_the_layout_does_not_hold_look_right_too_and_so_do_lists(stage: &Stage) {
    let gpu = &stage.gpu;
    for (influences, is_8_bit) in [(1, true), (2, false), (8, false)] {
        let mut parts: ModelParts =
            (*tube(Tube { joints: 20, rings: 60, sides: 40, length: 1.0, radius: 0.25, influences })).clone();
        if is_8_bit {
            parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().format = WeightFormat::U8;
        }
        let model = Arc::new(Model::build(parts).unwrap());
        let renderer = &mut *stage.renderer.borrow_mut();
        let stored = draw(gpu, renderer, &model);
        let mut edited = Arc::clone(&model);
        for joints in [1, 3, 6, 4] {
            edited = change(&edited, (0..1200).filter(|v| v % 3 != 0), joints);
            let picture = draw(gpu, renderer, &edited);
            let fresh = draw(gpu, &mut Renderer::new(gpu), &edited);
            assert!(picture == fresh && picture != stored, "{influences} influences, then {joints}");
        }
        assert!(draw(gpu, renderer, &model) == stored, "{influences} influences, undone");
    }
}

fn marks_stand_where_the_surface_does_after_an_edit_that_widened_the_layout_is_undone(stage: &Stage) {
    let gpu = &stage.gpu;
    let shape = Tube { joints: 20, rings: 60, sides: 40, length: 1.0, radius: 0.25, influences: 1 };
    let mut parts: ModelParts = (*tube(shape)).clone();
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().format = WeightFormat::U8;
    let model = Arc::new(Model::build(parts).unwrap());
    let marked = VertexPart { mesh: MeshId(0), primitive: 0, vertices: (100..900).step_by(7).collect() };
    let marked = Arc::new(VertexSet { parts: vec![marked] });
    let shown = |model: &Arc<Model>| Frame { marked: Arc::clone(&marked), ..of(model) };
    let renderer = &mut *stage.renderer.borrow_mut();
    // Thirds need more bits than the file has; without them the device keeps the wider rows.
    let widened = change(&model, 0..3, 3);
    for step in [&model, &widened, &model] {
        renderer.draw(gpu, &shown(step), [SIZE, SIZE]).unwrap();
    }
    let picture = render_image(gpu, renderer, &shown(&model), [SIZE, SIZE]).unwrap().rgba;
    let mut fresh = Renderer::new(gpu);
    let wanted = render_image(gpu, &mut fresh, &shown(&model), [SIZE, SIZE]).unwrap().rgba;
    let without = render_image(gpu, &mut Renderer::new(gpu), &of(&model), [SIZE, SIZE]).unwrap().rgba;
    assert!(picture == wanted && wanted != without);
}

fn numbers_of_an_overlay_that_differ_for_few_vertices_are_sent_alone_and_stand_where_those_do(stage: &Stage) {
    let gpu = &stage.gpu;
    let shape = Tube { joints: 20, rings: 100, sides: 128, length: 1.0, radius: 0.25, influences: 2 };
    let mut parts: ModelParts = (*tube(shape)).clone();
    // Triangles that are far apart follow each other, so that the device has its own order of vertices.
    let indices = parts.meshes[0].primitives[0].indices.clone();
    let triangles = indices.len() / 3;
    let shuffled = (0..triangles).map(|t| t * 10_007 % triangles);
    parts.meshes[0].primitives[0].indices = shuffled.flat_map(|t| indices[3 * t..3 * t + 3].to_vec()).collect();
    let model = Arc::new(Model::build(parts).unwrap());
    let count = model.meshes[0].primitives[0].stored_vertices;
    let shown = |changed: std::ops::Range<usize>| {
        let list = (0..count).map(|v| if changed.contains(&v) { 1.0 } else { -1.0 }).collect();
        let mut frame = of(&model);
        frame.display.overlay = overlay("changed");
        Frame { values: Some(Arc::new(PerVertex { values: vec![vec![list]] })), ..frame }
    };
    let renderer = &mut *stage.renderer.borrow_mut();
    renderer.draw(gpu, &shown(6000..6001), [SIZE, SIZE]).unwrap();
    let before = gpu.uploads().bytes;
    renderer.draw(gpu, &shown(6200..6700), [SIZE, SIZE]).unwrap();
    let sent = gpu.uploads().bytes - before;
    assert!(sent < 16 << 10, "{sent} bytes for 501 of {count} numbers");
    let picture = render_image(gpu, renderer, &shown(6200..6700), [SIZE, SIZE]).unwrap().rgba;
    let fresh = |changed| render_image(gpu, &mut Renderer::new(gpu), &shown(changed), [SIZE, SIZE]).unwrap().rgba;
    assert!(picture == fresh(6200..6700) && picture != fresh(6000..6001));
    // Of many that differ all are sent.
    let all = render_image(gpu, renderer, &shown(0..count), [SIZE, SIZE]).unwrap().rgba;
    assert!(all == fresh(0..count));
}

/// Bytes of the joints and weights of a primitive on the device.
fn influence_bytes(model: &Model, primitive: usize) -> u64 {
    let p = model.primitive(MeshId(0), primitive);
    let packed = pack_all_influences(p, &VertexOrder::default());
    (size_of_val(&packed.rows[..]) + size_of_val(&packed.listed[..])) as u64
}

fn weights_that_the_layout_does_not_hold_send_those_of_their_primitive_and_nothing_else(stage: &Stage) {
    let gpu = &stage.gpu;
    let shape = Tube { joints: 20, rings: 400, sides: 127, length: 1.0, radius: 0.25, influences: 2 };
    let mut parts: ModelParts = (*tube(shape)).clone();
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().format = WeightFormat::U8;
    // Two primitives, of which one is edited.
    let twin = parts.meshes[0].primitives[0].clone();
    parts.meshes[0].primitives.push(twin);
    let model = Arc::new(Model::build(parts).unwrap());
    let renderer = &mut *stage.renderer.borrow_mut();
    draw(gpu, renderer, &model);
    let mut edited = Arc::clone(&model);
    // Weights of more bits, then more joints than four, then four again, which a list holds.
    for joints in [3, 6, 4] {
        edited = change(&edited, [7, 9].into_iter(), joints);
        let before = gpu.uploads().bytes;
        let picture = draw(gpu, renderer, &edited);
        let sent = gpu.uploads().bytes - before;
        // Matrices and the like come with every picture.
        let most = influence_bytes(&edited, 0) + (16 << 10);
        assert!(sent <= most, "{joints} joints: {sent} bytes, {most} at most");
        assert!(picture == draw(gpu, &mut Renderer::new(gpu), &edited), "{joints} joints");
    }
}

/// Changes every vertex of a tube of `rings` of 127.
fn change_all(stage: &Stage, rings: usize) {
    let gpu = &stage.gpu;
    let shape = Tube { joints: 20, rings, sides: 127, length: 1.0, radius: 0.25, influences: 4 };
    let model = Arc::new(tube(shape));
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    assert_eq!(count as usize, 127 * rings);
    let edited = change(&model, 0..count, 3);
    let renderer = &mut *stage.renderer.borrow_mut();
    let stored = draw(gpu, renderer, &model);
    let before = gpu.uploads().bytes;
    let picture = draw(gpu, renderer, &edited);
    let (sent, most) = (gpu.uploads().bytes - before, influence_bytes(&edited, 0) + (16 << 10));
    assert!(sent <= most && sent > most / 2, "{sent} bytes, {most} at most");
    assert!(picture != stored && picture == draw(gpu, &mut Renderer::new(gpu), &edited));
}

#[test]
fn changing_nearly_all_vertices_of_a_model_sends_joints_and_weights_alone() {
    on_shared_stage(|stage| change_all(stage, 400));
}

#[test]
#[ignore = "full: makes and draws 300 000 vertices"]
fn changing_nearly_all_vertices_of_a_large_model_sends_joints_and_weights_alone() {
    on_shared_stage(|stage| change_all(stage, 2400));
}
