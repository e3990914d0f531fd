//! What skinning on the device costs, as a ratio to the same mesh unskinned: the renderer, with the mesh, the palette, the
//! picture's size and the views of the yardstick `lavapipe_floor` (1 M vertices, 256 joints, four influences). CPU time of
//! the whole process is that of the vertices only where a software device draws.
//!
//! `cargo bench -p skinscope_benches --bench versus_vertices -- [SIDE=1000] [ROUNDS=9]`, to be run in turn with `lavapipe_floor SIDE ROUNDS`.
//! Seen pictures are not the same work as the yardstick's: they have four samples a pixel and the light of the window.
#![expect(clippy::unwrap_used, reason = "a measurement that fails ends")]

#[path = "clock.rs"]
#[expect(dead_code, reason = "what is measured here takes long enough to be timed one by one")]
mod clock;

use std::sync::Arc;
use std::time::Instant;

use glam::{Affine3A, Mat3A, Quat, Vec2, Vec3, Vec3A};
use skinscope::frame::{Background, Camera, Frame};
use skinscope::math::{Projection, Transform};
use skinscope::model::{
    Influences, Instance, InstanceId, LocalPose, Mesh, MeshId, Model, ModelParts, NodeId, Primitive, Scene, Skeleton,
    Skin, SkinId, SourceInfo, Topology, WeightFormat,
};
use skinscope::render::{Backend, Gpu, Renderer};

const SIZE: [u32; 2] = [1024, 768];
const JOINTS: usize = 256;
/// Quads of a strip, in which triangles come row by row.
const STRIP: usize = 16;

/// A tube along +Y, 10 m long, its seam open.
fn mesh(side: usize, skinned: bool) -> Primitive {
    let mut out = Primitive { topology: Topology::Triangles, ..Primitive::default() };
    let mut influences = Influences { per_vertex: 4, format: WeightFormat::F32, ..Influences::default() };
    let last = (side - 1) as f32;
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let (angle, along) = (column as f32 / last * std::f32::consts::TAU, row as f32 / last);
        let normal = Vec3::new(angle.cos(), 0.0, angle.sin());
        out.positions.push(normal * 0.5 + Vec3::Y * along * 10.0);
        out.normals.push(normal);
        out.uvs[0].push(Vec2::new(angle / std::f32::consts::TAU, along));
        let place = along * (JOINTS - 1) as f32;
        let (joint, part) = (place.floor(), place.fract());
        let near = |by: f32| (joint + by).clamp(0.0, (JOINTS - 1) as f32) as u16;
        influences.joints.extend([near(-1.0), near(0.0), near(1.0), near(2.0)]);
        let weights = [0.1 * (1.0 - part), 0.9 - 0.8 * part, 0.1 + 0.8 * part, 0.1 * part];
        let sum: f32 = weights.iter().sum();
        influences.weights.extend(weights.map(|w| w / sum));
    }
    for first in (0..side - 1).step_by(STRIP) {
        for row in 0..side - 1 {
            for column in first..(first + STRIP).min(side - 1) {
                let (at, side) = ((row * side + column) as u32, side as u32);
                out.indices.extend([at, at + side, at + 1, at + 1, at + side, at + side + 1]);
            }
        }
    }
    out.stored_vertices = out.positions.len();
    out.stored_influences = skinned.then_some(influences);
    out
}

fn model(side: usize, skinned: bool) -> Arc<Model> {
    let nodes = JOINTS + 1;
    let skeleton = Skeleton {
        parents: (0..nodes).map(|i| (i > 0).then_some(NodeId(0))).collect(),
        names: (0..nodes).map(|i| format!("node {i}")).collect(),
        file_index: (0..nodes as u32).collect(),
        rest: LocalPose { transforms: vec![Transform::IDENTITY; nodes], ..LocalPose::default() },
        residuals: Vec::new(),
        far: None,
    };
    let skin = Skin {
        joints: (1..nodes).map(NodeId::from_index).collect(),
        inverse_bind: vec![Affine3A::IDENTITY; JOINTS],
        ..Skin::default()
    };
    let instance = Instance { mesh: MeshId(0), skin: skinned.then_some(SkinId(0)), ..Instance::default() };
    let parts = ModelParts {
        source: SourceInfo::default(),
        scenes: vec![Scene { roots: vec![NodeId(0)], contains: vec![true; nodes], ..Scene::default() }],
        skins: vec![skin],
        meshes: vec![Mesh { primitives: vec![mesh(side, skinned)], ..Mesh::default() }],
        instances: vec![instance],
        skeleton,
        ..ModelParts::default()
    };
    Arc::new(Model::build(parts).unwrap())
}

/// A small turn about each joint, so that the covered pixels stay those of the rigid mesh.
fn palette() -> Vec<Affine3A> {
    let matrix = |joint: usize| {
        let turn = Quat::from_rotation_z(0.02 * (joint as f32 * 0.3).sin());
        let y = Vec3::Y * (joint as f32 / (JOINTS - 1) as f32 * 10.0);
        Affine3A::from_rotation_translation(turn, y - turn * y)
    };
    (0..JOINTS).map(matrix).collect()
}

/// The tube lies along x, 8 m away; `aside`: so many metres to the left of the eye.
fn camera(aside: f32) -> Camera {
    let view_from_world = Affine3A {
        matrix3: Mat3A::from_cols(Vec3A::Y, Vec3A::X, Vec3A::NEG_Z),
        translation: Vec3A::new(-5.0 - aside, 0.0, -8.0),
    };
    let projection = Projection::Perspective { fov_y: 0.8 };
    Camera { world_from_view: view_from_world.inverse(), projection, near: 0.1, far: 100.0 }
}

struct Case {
    name: &'static str,
    frame: Frame,
    renderer: Renderer,
}

fn case(gpu: &Gpu, name: &'static str, side: usize) -> Case {
    let skinned = name == "skinned";
    let model = model(side, skinned);
    let mut palettes = palette();
    // A rigid mesh is moved by one matrix more.
    palettes.extend((!skinned).then_some(Affine3A::IDENTITY));
    let frame = Frame { model: Some(model), palettes, draws: vec![InstanceId(0)], ..Frame::default() };
    Case { name, frame, renderer: Renderer::new(gpu) }
}

impl Case {
    /// CPU and wall milliseconds of one picture.
    fn draw(&mut self, gpu: &Gpu, camera: Camera, number: usize) -> [f64; 2] {
        self.frame.camera = camera;
        // What is shown already would not be drawn again.
        self.frame.display.background = Background::Solid([0.0, 0.0, (number % 2) as f32 * 0.01]);
        let (cpu, start) = (clock::cpu_ns(), Instant::now());
        self.renderer.draw(gpu, &self.frame, SIZE).unwrap();
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        [(clock::cpu_ns() - cpu) as f64 / 1e6, start.elapsed().as_secs_f64() * 1e3]
    }
}

/// Draws until the renderer has put the triangles in a better order, which it does on a thread of its own after some
/// pictures; none is measured before.
fn settle(gpu: &Gpu, case: &mut Case) {
    let mut sent = u64::MAX;
    for number in 0..200 {
        case.frame.camera = camera(1000.0);
        case.frame.display.background = Background::Solid([0.0, 0.0, (number % 2) as f32 * 0.01]);
        case.renderer.draw(gpu, &case.frame, SIZE).unwrap();
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        if gpu.uploads().bytes > sent.saturating_add(1_000_000) {
            return;
        }
        sent = gpu.uploads().bytes;
        std::thread::sleep(std::time::Duration::from_millis(if number < 10 { 0 } else { 50 }));
    }
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (side, rounds) = (numbers.first().copied().unwrap_or(1000), numbers.get(1).copied().unwrap_or(9));
    let gpu = Gpu::headless(Backend::Auto).unwrap();
    let mut cases = ["rigid", "skinned"].map(|name| case(&gpu, name, side));
    cases.iter_mut().for_each(|case| settle(&gpu, case));
    for (view, aside) in [("seen", 0.0), ("outside the frustum", 1000.0)] {
        let mut times: [[Vec<f64>; 2]; 2] = Default::default();
        for round in 0..=rounds {
            for (case, times) in cases.iter_mut().zip(&mut times) {
                let measured = case.draw(&gpu, camera(aside), round);
                // The first round uploads and compiles.
                if round > 0 {
                    times.iter_mut().zip(measured).for_each(|(list, ms)| list.push(ms));
                }
            }
        }
        let [rigid, _] = times.clone();
        for (case, times) in cases.iter().zip(times) {
            let ratio = |i: usize| median(times[i].iter().zip(&rigid[i]).map(|(a, b)| a / b).collect());
            let line = serde_json::json!({
                "bench": "vertices", "view": view, "case": case.name, "adapter": gpu.info.name, "vertices": side * side,
                "cpu_ratio": ratio(0), "wall_ratio": ratio(1),
                "cpu_ms": median(times[0].clone()), "wall_ms": median(times[1].clone()),
            });
            println!("{line}");
        }
    }
}
