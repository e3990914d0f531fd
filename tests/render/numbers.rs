//! Compares what the shader computes with the CPU reference of every method.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::deform::packed::{MOST_MOVED, TANGENT_ERROR};
use skinscope::deform::{self, Deformed, METHODS};
use skinscope::frame::Frame;
use skinscope::math::Aabb;
use skinscope::model::Model;
use skinscope::model::test_shapes::{Tube, obstacle_course, tube};
use skinscope::render::deform_on_gpu;

use crate::{Stage, on_shared_stage, scenes};

on_stages! {
    every_method_equals_its_cpu_reference,
}

/// Of the bounding box's diagonal: f32 sums in another order, and weights of 16 bits ([`MOST_MOVED`] of how far apart the
/// joints of one vertex take it, which here is a quarter of the box at most).
const POSITION: f32 = 2e-6 + 0.25 * MOST_MOVED;
/// Of unit vectors: tangents are stored in 31 bits, and what turned by so much may be stretched.
const DIRECTION: f32 = 3.0 * TANGENT_ERROR;

/// Largest differences between shader and CPU: position (of the diagonal), directions.
fn compare(stage: &Stage, model: &Model, frame: &Frame) -> (f32, f32) {
    let mut packed: Vec<Vec4> = Vec::new();
    deform::pack(frame.method, &frame.palettes, &mut packed);
    let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), frame).unwrap();
    let primitives =
        |id: &skinscope::model::InstanceId| model.meshes[model.instances[id.index()].mesh.index()].primitives.len();
    assert_eq!(parts.len(), frame.draws.iter().map(primitives).sum::<usize>());
    let (mut position, mut direction) = (0.0_f32, 0.0_f32);
    let mut bounds = Aabb::EMPTY;
    let mut on_cpu = Deformed::default();
    for part in &parts {
        let weights = &frame.morph_weights;
        deform::deform_primitive(model, part.instance, part.primitive, &packed, weights, frame.method, &mut on_cpu);
        let on_gpu = &part.deformed;
        let lengths = |d: &Deformed| [d.positions.len(), d.normals.len(), d.tangents.len(), d.determinants.len()];
        assert_eq!(lengths(on_gpu), lengths(&on_cpu));
        bounds = bounds.union(Aabb::from_points(on_cpu.positions.iter().copied()));
        let farthest = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| (a - b).length()).fold(0.0, f32::max);
        position = position.max(farthest(&on_gpu.positions, &on_cpu.positions));
        direction = direction.max(farthest(&on_gpu.normals, &on_cpu.normals));
        for (a, b) in on_gpu.tangents.iter().zip(&on_cpu.tangents) {
            direction = direction.max((a - b).length());
        }
        let signs = |d: &Deformed| d.determinants.iter().map(|d| *d < 0.0).collect::<Vec<_>>();
        assert_eq!(signs(on_gpu), signs(&on_cpu), "which vertices are mirrored");
    }
    (position / bounds.diagonal(), direction)
}

fn every_method_equals_its_cpu_reference(stage: &Stage) {
    let tubes = [1, 3, 4, 5, 8].map(|influences| tube(Tube { joints: 12, rings: 33, influences, ..Tube::default() }));
    for (number, model) in tubes.into_iter().chain([obstacle_course()]).map(Arc::new).enumerate() {
        for method in scenes::shader_methods() {
            for (clip, time) in [(None, 0.0), (Some(0), 0.31), (Some(0), 0.5)] {
                let frame = scenes::frame(&model, &scenes::pose(&model, clip, time), method);
                let (position, direction) = compare(stage, &model, &frame);
                let place = format!("{:?}, shape {number}, {}, {time} s", stage.gpu.info.backend, method.id);
                assert!(position <= POSITION, "{place}: {position:e} of the diagonal off");
                assert!(direction <= DIRECTION, "{place}: directions {direction:e} off");
            }
        }
    }
}

#[test]
fn thousands_of_joints_are_not_too_many() {
    let model = Arc::new(tube(Tube { joints: 3000, rings: 3001, sides: 3, influences: 4, ..Tube::default() }));
    let frame = scenes::frame(&model, &scenes::pose(&model, None, 0.0), METHODS[0]);
    on_shared_stage(|stage| {
        let (position, _) = compare(stage, &model, &frame);
        assert!(position <= POSITION, "{position:e}");
    });
}
