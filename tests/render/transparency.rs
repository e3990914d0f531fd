//! Checks the order in which the triangles of one surface that blends are drawn.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::deform;
use skinscope::frame::{Background, Frame, look};
use skinscope::model::{AlphaMode, LocalPose, Material, Model, NodeId};

use crate::Stage;
use crate::layers::srgb;
use crate::scenes::{Plate, frame, front, near, pose, seen_from_behind};

on_stages! {
    layers_of_one_surface_are_blended_from_the_farthest_on,
    the_order_follows_the_pose,
    the_order_follows_another_pose_and_camera_of_the_same_model,
    a_look_keeps_the_order_of_the_file,
}

const COLORS: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];
const ALPHA: f32 = 0.5;

/// Three plates behind one another in one primitive, red at z = 0.2, green at 0.1 and blue at 0, in this order. The first two follow
/// node 1, the last one node 2.
fn layers(double_sided: bool) -> Arc<Model> {
    let material =
        Material { unlit: true, double_sided, alpha: AlphaMode::Blend, base_color: Vec4::ONE, ..Material::default() };
    let mut parts = (**Plate { material, ..Plate::default() }.model()).clone();
    let p = &mut parts.meshes[0].primitives[0];
    let (positions, uvs) = (std::mem::take(&mut p.positions), std::mem::take(&mut p.uvs[0]));
    (p.indices, p.normals, p.colors) = (Vec::new(), vec![Vec3::Z; 12], Vec::new());
    for (layer, color) in COLORS.into_iter().enumerate() {
        let first = 4 * layer as u32;
        p.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        p.positions.extend(positions.iter().map(|at| *at + Vec3::Z * (0.2 - 0.1 * layer as f32)));
        p.uvs[0].extend_from_slice(&uvs);
        p.colors.extend([color.extend(ALPHA); 4]);
    }
    p.stored_vertices = 12;
    if let Some(influences) = &mut p.stored_influences {
        let joints = |joint: u16| [[joint, 0, 0, 0]; 4].concat();
        influences.joints = [joints(0), joints(0), joints(1)].concat();
        influences.weights = [1.0, 0.0, 0.0, 0.0].repeat(12);
    }
    Arc::new(Model::build(parts).unwrap())
}

fn shown(model: &Arc<Model>, pose: &LocalPose) -> Frame {
    let mut frame = Frame { camera: front(), ..frame(model, pose, deform::METHODS[0]) };
    frame.display.background = Background::Solid([0.0; 3]);
    frame.display.grid = None;
    frame
}

/// The pixel of some layers over black, the farthest first.
fn blended(layers: [usize; 3]) -> [u8; 4] {
    let over = |below: Vec3, layer: usize| below.lerp(COLORS[layer], ALPHA);
    let [r, g, b] = layers.into_iter().fold(Vec3::ZERO, over).to_array().map(srgb);
    [r, g, b, 255]
}

fn assert_order(stage: &Stage, frame: &Frame, layers: [usize; 3], what: &str) {
    let (found, expected) = (stage.middle(frame), blended(layers));
    assert!(near(found, expected, 2), "{what}: {found:?} in place of {expected:?}");
}

fn layers_of_one_surface_are_blended_from_the_farthest_on(stage: &Stage) {
    for double_sided in [true, false] {
        let model = layers(double_sided);
        let rest = pose(&model, None, 0.0);
        assert_order(stage, &shown(&model, &rest), [2, 1, 0], "from the front");
        if double_sided {
            assert_order(stage, &seen_from_behind(shown(&model, &rest)), [0, 1, 2], "from behind");
        }
    }
}

/// The pose in which the last plate is moved along z.
fn moved(model: &Arc<Model>, by: f32) -> LocalPose {
    let mut pose = pose(model, None, 0.0);
    pose.transforms[NodeId(2).index()].translation += Vec3::Z * by;
    pose
}

fn the_order_follows_the_pose(stage: &Stage) {
    let model = layers(true);
    assert_order(stage, &shown(&model, &moved(&model, 0.15)), [1, 2, 0], "between the others");
    assert_order(stage, &shown(&model, &moved(&model, 0.3)), [1, 0, 2], "before the others");
}

fn the_order_follows_another_pose_and_camera_of_the_same_model(stage: &Stage) {
    // The renderer of a stage keeps what it has sorted from picture to picture.
    let model = layers(true);
    let ahead = shown(&model, &moved(&model, 0.3));
    let rest = shown(&model, &moved(&model, 0.0));
    assert_order(stage, &rest, [2, 1, 0], "at rest");
    assert_order(stage, &ahead, [1, 0, 2], "moved");
    assert_order(stage, &seen_from_behind(ahead.clone()), [2, 0, 1], "moved, from behind");
    assert_order(stage, &ahead, [1, 0, 2], "moved, from the front again");
    assert_order(stage, &rest, [2, 1, 0], "at rest again");
}

fn a_look_keeps_the_order_of_the_file(stage: &Stage) {
    // A look shows every surface as solid: the nearest plate hides the others.
    let model = layers(true);
    let mut frame = shown(&model, &moved(&model, 0.3));
    assert_order(stage, &frame, [1, 0, 2], "blended");
    frame.display.look = look("base-color").unwrap();
    let [r, g, b, _] = stage.middle(&frame);
    assert!(b > 200 && r < 10 && g < 10, "{r} {g} {b}");
}
