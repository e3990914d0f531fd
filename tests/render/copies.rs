//! Copies of one mesh that are drawn at once give the same picture as squares that are nodes of their own.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3, Vec4};
use skinscope::deform::{self, Deformed};
use skinscope::frame::Frame;
use skinscope::math::Transform;
use skinscope::model::{Instance, Model, NodeId};
use skinscope::render::deform_on_gpu;

use crate::scenes::{self, Plate, front};
use crate::{SIZE, Stage};

on_stages! {
    copies_look_like_nodes_of_their_own,
    the_shader_deforms_every_copy_as_the_cpu_does,
}

/// Where the small plates stand; the last is mirrored.
fn places() -> Vec<Transform> {
    let at = |x: f32, y: f32, turn: f32, scale: Vec3| Transform {
        translation: Vec3::new(x, y, 0.1 * x),
        rotation: Quat::from_rotation_z(turn),
        scale,
    };
    vec![
        at(-0.6, 0.5, 0.3, Vec3::splat(0.4)),
        at(0.5, 0.4, -0.8, Vec3::new(0.5, 0.3, 1.0)),
        at(0.0, -0.5, 1.2, Vec3::new(-0.6, 0.4, 1.0)),
    ]
}

fn plate() -> Arc<Model> {
    Plate { skinned: false, ..Plate::default() }.model()
}

/// One node that shows all plates.
fn at_once() -> Arc<Model> {
    let mut parts = (**plate()).clone();
    parts.instances[0].copies = places().into_iter().map(Transform::to_affine).collect();
    Arc::new(Model::build(parts).unwrap())
}

/// A node for each plate: three in a row have their matrices in a row.
fn one_by_one() -> Arc<Model> {
    let mut parts = (**plate()).clone();
    parts.skeleton.parents = vec![None; 3];
    parts.skeleton.rest.transforms = places();
    let instance = &parts.instances[0];
    parts.instances = (0..3).map(|i| Instance { node: NodeId(i), ..instance.clone() }).collect();
    Arc::new(Model::build(parts).unwrap())
}

fn frame(model: &Arc<Model>, method: &'static deform::Method) -> Frame {
    Frame { camera: front(), ..scenes::frame(model, &scenes::pose(model, None, 0.0), method) }
}

fn copies_look_like_nodes_of_their_own(stage: &Stage) {
    for method in scenes::shader_methods() {
        let (copies, nodes) = (frame(&at_once(), method), frame(&one_by_one(), method));
        assert_eq!((copies.draws.len(), nodes.draws.len()), (1, 3));
        let picture = stage.draw(&copies);
        assert_eq!(picture, stage.draw(&nodes), "{}", method.id);
        // And all three are there.
        for place in places() {
            let pixel = |v: f32| ((v * 0.5 + 0.5) * SIZE as f32) as u32;
            let at = picture.at(pixel(place.translation.x), pixel(-place.translation.y));
            assert!(at[0] > 60, "{}: {at:?} at {}", method.id, place.translation);
        }
        // A node that is not drawn breaks the row, and takes only itself away.
        let mut gap = nodes.clone();
        gap.draws.remove(1);
        let without = stage.draw(&gap);
        let pixel = |p: Vec3| [p.x, -p.y].map(|v| ((v * 0.5 + 0.5) * SIZE as f32) as u32);
        let seen = |i: usize| {
            let [x, y] = pixel(places()[i].translation);
            without.at(x, y)[0] > 60
        };
        assert_eq!([seen(0), seen(1), seen(2)], [true, false, true]);
    }
}

fn the_shader_deforms_every_copy_as_the_cpu_does(stage: &Stage) {
    let model = at_once();
    for method in scenes::shader_methods() {
        let frame = frame(&model, method);
        let parts = deform_on_gpu(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame).unwrap();
        assert_eq!(parts.iter().map(|p| p.copy).collect::<Vec<_>>(), [0, 1, 2]);
        let mut packed: Vec<Vec4> = Vec::new();
        deform::pack(method, &frame.palettes, &mut packed);
        for part in &parts {
            let mut want = Deformed::default();
            let packed = &packed[part.copy * method.vec4s_per_joint..];
            deform::deform_primitive(&model, part.instance, part.primitive, packed, &[], method, &mut want);
            let matrix: Affine3A = places()[part.copy].to_affine();
            for (i, got) in part.deformed.positions.iter().enumerate() {
                let stored = model.meshes[0].primitives[0].positions[i];
                assert!((*got - matrix.transform_point3(stored)).length() < 1e-6, "{}", method.id);
                assert!((*got - want.positions[i]).length() < 1e-6);
            }
            assert_eq!(part.deformed.determinants[0] < 0.0, part.copy == 2);
        }
    }
}
