//! A surface that is cut into primitives which name the same vertices is drawn as if each had vertices of its own: each
//! part with its material, its edges, dots and overlays once.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::deform::METHODS;
use skinscope::frame::{Background, Dots, Frame};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{AlphaMode, Material, MaterialId, Model, Part, Primitive};
use skinscope::render::{Picture, render_image};

use crate::{Stage, scenes};

on_stages! {
    parts_are_drawn_as_primitives_with_vertices_of_their_own,
    a_large_surface_in_parts_is_drawn_in_part,
}

/// A tube in three parts, with their vertices stored once, and once for each.
fn cut(of: Tube, materials: [Material; 3]) -> [Arc<Model>; 2] {
    let mut parts = (*tube(of)).clone();
    parts.materials = materials.to_vec();
    let whole = parts.meshes[0].primitives[0].clone();
    let third = whole.indices.len() / 9 * 3;
    let range = |n: usize| n * third..if n == 2 { whole.indices.len() } else { (n + 1) * third };
    let with_material = |n: usize, p: Primitive| Primitive { material: Some(MaterialId(n as u32)), ..p };
    let holder =
        Primitive { parts: (0..3).map(|n| Part { primitive: n, indices: range(n) }).collect(), ..whole.clone() };
    let sharing = || Primitive { shares: Some(0), ..Primitive::default() };
    let own = |n: usize| Primitive { indices: whole.indices[range(n)].to_vec(), ..whole.clone() };
    let shared = [holder, sharing(), sharing()];
    let all = [shared.to_vec(), (0..3).map(own).collect()];
    all.map(|primitives| {
        let mut parts = parts.clone();
        parts.meshes[0].primitives = primitives.into_iter().enumerate().map(|(n, p)| with_material(n, p)).collect();
        Arc::new(Model::build(parts).unwrap())
    })
}

fn bent(model: &Arc<Model>) -> Frame {
    let mut pose = scenes::pose(model, None, 0.0);
    for joint in pose.transforms.iter_mut().skip(2) {
        joint.rotation *= glam::Quat::from_rotation_z(0.4);
    }
    let mut frame = scenes::frame(model, &pose, METHODS[0]);
    frame.display.background = Background::Solid([0.0; 3]);
    frame.display.grid = None;
    frame
}

fn colored(color: Vec3) -> Material {
    Material { base_color: color.extend(1.0), metallic: 0.0, ..Material::default() }
}

fn drawn(stage: &Stage, frame: &Frame) -> Picture {
    render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, [160, 120]).unwrap()
}

fn parts_are_drawn_as_primitives_with_vertices_of_their_own(stage: &Stage) {
    let glass = Material { alpha: AlphaMode::Blend, base_color: Vec4::new(0.0, 1.0, 0.0, 0.5), ..colored(Vec3::Y) };
    let seen = |material| Material { double_sided: true, ..material };
    for materials in [
        [colored(Vec3::X), colored(Vec3::Y), colored(Vec3::Z)],
        [colored(Vec3::X), seen(glass), seen(colored(Vec3::Z))],
    ] {
        let frames = cut(Tube { joints: 4, rings: 24, sides: 16, ..Tube::default() }, materials).map(|m| bent(&m));
        let both = |change: &dyn Fn(&mut Frame)| {
            [0, 1].map(|i: usize| {
                let mut frame = frames[i].clone();
                change(&mut frame);
                drawn(stage, &frame)
            })
        };
        let with = |change: &dyn Fn(&mut Frame)| {
            let [shared, own] = both(change);
            let differing = shared.rgba.iter().zip(&own.rgba).filter(|(a, b)| a != b).count();
            assert_eq!(differing, 0);
            shared
        };
        let plain = with(&|_| {});
        let has = |channel: usize| {
            plain
                .rgba
                .as_chunks::<4>()
                .0
                .iter()
                .any(|pixel| (0..3).all(|c| c == channel || pixel[channel] / 2 > pixel[c].max(20)))
        };
        assert!(has(0) && has(2), "each part has its material");
        // Vertices of their own are drawn once for each, and so are edges at cuts, one over the other.
        let [edges, _] = both(&|frame| frame.display.wireframe = true);
        let [dots, _] = both(&|frame| frame.display.dots = Some(Dots { radius: 2.0, ..frame.display.marks }));
        assert!(edges.rgba != plain.rgba && dots.rgba != plain.rgba);
        with(&|frame| frame.display.overlay = scenes::overlay("weights"));
    }
}

/// With more triangles than a software device draws as they are.
fn a_large_surface_in_parts_is_drawn_in_part(stage: &Stage) {
    let of = Tube { joints: 4, rings: 201, sides: 256, ..Tube::default() };
    let [shared, own] = cut(of, [Vec3::X, Vec3::Y, Vec3::Z].map(colored)).map(|model| drawn(stage, &bent(&model)));
    assert!(shared.rgba == own.rgba);
}
