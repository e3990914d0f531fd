//! For a software device, only those parts of a large model that a picture shows are uploaded, and surfaces are drawn
//! nearest first. The picture stays the same.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3, Vec4};
use skinscope::deform::METHODS;
use skinscope::frame::{Frame, OVERLAYS};
use skinscope::math::Projection;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{AlphaMode, Instance, Material, MaterialId, Mesh, MeshId, Model, NodeId, Primitive};
use skinscope::render::{Backend, Gpu, Picture, Renderer, SAMPLES, read_texture, render_image};

use crate::{gpu, on_shared_stage, scenes};

/// How many rings a tube has whose 102 400 triangles are enough to be drawn in part.
const COARSE: usize = 201;
/// The same for 204 800 triangles.
const FINE: usize = 401;

/// A bent tube on 12 joints. Its vertices lie off their circles by a little, so that triangles have all shapes, and differ in
/// colour, so that it shows which one is drawn.
fn rough(rings: usize, (influences, double_sided): (usize, bool)) -> Arc<Model> {
    let mut parts = (*tube(Tube { joints: 12, rings, sides: 256, influences, ..Tube::default() })).clone();
    parts.materials = vec![Material { double_sided, roughness: 0.4, ..Material::default() }];
    let p = &mut parts.meshes[0].primitives[0];
    let count = p.positions.len();
    p.material = Some(MaterialId(0));
    let odd = |i: usize, step: usize| (i * step % 1009) as f32 / 1009.0 - 0.5;
    for (i, at) in p.positions.iter_mut().enumerate() {
        *at += Vec3::new(odd(i, 37), odd(i, 113), odd(i, 71)) * 0.006;
    }
    p.colors = (0..count).map(|i| Vec4::new(odd(i, 7) + 0.5, odd(i, 5) + 0.5, odd(i, 3) + 0.5, 1.0)).collect();
    p.uvs[0] = (0..count).map(|i| Vec2::new(odd(i, 11), odd(i, 13))).collect();
    Arc::new(Model::build(parts).unwrap())
}

/// Two renderers, of which the second draws as for a window: from all of the model, in the order in which it is stored.
struct Pair {
    in_memory: Renderer,
    of_window: Renderer,
}

impl Pair {
    fn new(gpu: &Gpu) -> Self {
        Self { in_memory: Renderer::new(gpu), of_window: Renderer::new(gpu) }
    }

    /// The pictures of both, which begin with nothing of the model on the device; then how many bytes each brought there.
    fn pictures(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2], samples: u32) -> [(Picture, u64); 2] {
        let Self { in_memory, of_window } = self;
        for renderer in [&mut *in_memory, &mut *of_window] {
            renderer.set_samples(samples);
            renderer.draw(gpu, &Frame::default(), size).unwrap();
        }
        let before = gpu.uploads().bytes;
        let part = render_image(gpu, in_memory, frame, size).unwrap();
        let between = gpu.uploads().bytes;
        let shown = of_window.draw(gpu, frame, size).unwrap().picture.clone();
        let whole = Picture { width: size[0], height: size[1], rgba: read_texture(gpu, &shown).unwrap() };
        [(part, between - before), (whole, gpu.uploads().bytes - between)]
    }
}

fn differing(a: &Picture, b: &Picture) -> usize {
    a.rgba.as_chunks::<4>().0.iter().zip(b.rgba.as_chunks::<4>().0).filter(|(a, b)| a != b).count()
}

/// Influences of a vertex, and whether both sides are seen: each is stored or drawn in another way.
const TUBES: [(usize, bool); 4] = [(1, false), (4, false), (4, true), (6, false)];
/// Where the eye is: before the tube, so near that some of it lies behind the eye, and far away.
const EYES: [Vec3; 3] = [Vec3::new(0.0, 1.0, 4.5), Vec3::new(0.3, 0.9, 1.1), Vec3::new(0.1, 1.0, 30.0)];

/// Draws a posed tube in part and whole, and returns how many per cent of its bytes the part took.
fn compare(gpu: &Gpu, pair: &mut Pair, frame: &mut Frame, (eye, samples): (Vec3, u32), case: &str) -> u64 {
    frame.camera.world_from_view.translation = eye.into();
    let [(part, few), (whole, all)] = pair.pictures(gpu, frame, [160, 120], samples);
    let case = format!("{case}, {}, {eye}, {samples}", frame.method.id);
    assert_eq!(differing(&part, &whole), 0, "{case}");
    assert!(whole.rgba.as_chunks::<4>().0.iter().any(|p| *p != whole.at(0, 0)), "{case}: it is seen");
    // From close by, some of it lies behind the eye, and all of it is drawn.
    if is_software(gpu) && eye.z > 2.0 {
        assert!(few < all, "{case}: {few} bytes, {all} of all");
    }
    few * 100 / all
}

#[test]
fn a_part_of_a_large_model_makes_the_same_picture_as_all_of_it() {
    on_shared_stage(|stage| {
        let gpu = &stage.gpu;
        let (mut pair, mut smallest) = (Pair::new(gpu), u64::MAX);
        for (i, (method, shape)) in scenes::shader_methods().zip(TUBES.into_iter().cycle()).enumerate() {
            let model = rough(COARSE, shape);
            let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.8), method);
            for (n, eye) in EYES.into_iter().enumerate() {
                let samples = if (i + n).is_multiple_of(2) { SAMPLES } else { 1 };
                let share = compare(gpu, &mut pair, &mut frame, (eye, samples), &format!("{shape:?}"));
                smallest = smallest.min(share);
            }
        }
        assert!(!is_software(gpu) || smallest < 10, "far away next to nothing is needed: {smallest} %");
    });
}

#[test]
#[ignore = "full: draws 96 pairs of pictures, each by two renderers that compile their pipelines anew"]
fn a_part_of_a_large_model_makes_the_same_picture_of_every_tube_by_every_method() {
    let Some(gpu) = gpu(Backend::Vulkan) else { return };
    let mut smallest = u64::MAX;
    for shape in TUBES {
        let model = rough(FINE, shape);
        for method in scenes::shader_methods() {
            let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.8), method);
            for look in EYES.into_iter().flat_map(|eye| [(eye, SAMPLES), (eye, 1)]) {
                let share = compare(&gpu, &mut Pair::new(&gpu), &mut frame, look, &format!("{shape:?}"));
                smallest = smallest.min(share);
            }
        }
    }
    assert!(!is_software(&gpu) || smallest < 10, "far away next to nothing is needed: {smallest} %");
}

fn is_software(gpu: &Gpu) -> bool {
    gpu.info.device_type == wgpu::DeviceType::Cpu
}

fn compare_mirrored(gpu: &Gpu, rings: usize) {
    let model = rough(rings, (4, false));
    let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.4), METHODS[0]);
    frame.camera.world_from_view.translation = Vec3::new(0.2, 1.0, 3.0).into();
    frame.palettes.iter_mut().for_each(|m| *m = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * *m);
    for size in [[90, 140], [401, 77]] {
        let [(part, _), (whole, _)] = Pair::new(gpu).pictures(gpu, &frame, size, SAMPLES);
        assert_eq!(differing(&part, &whole), 0, "{size:?}");
    }
    // From within, where part of it lies behind the eye, it is drawn whole.
    frame.camera.world_from_view.translation = Vec3::new(0.0, 1.0, 0.1).into();
    frame.camera.near = 0.01;
    let [(part, few), (whole, all)] = Pair::new(gpu).pictures(gpu, &frame, [120, 90], SAMPLES);
    assert_eq!((differing(&part, &whole), few), (0, all));
}

#[test]
fn mirrored_surfaces_and_wide_pictures_keep_what_is_seen() {
    on_shared_stage(|stage| compare_mirrored(&stage.gpu, COARSE));
}

fn draw_parts_in_turn(gpu: &Gpu, rings: usize) {
    let (model, size) = (rough(rings, (4, false)), [96, 96]);
    let mut frame = scenes::frame(&model, &scenes::pose(&model, Some(0), 0.4), METHODS[0]);
    frame.camera.world_from_view.translation = Vec3::new(0.0, 1.0, 30.0).into();
    let mut renderer = Renderer::new(gpu);
    render_image(gpu, &mut renderer, &frame, size).unwrap();
    // Nearer, from another side, in another pose and look: each picture is as a fresh renderer draws it.
    let mut looks: Vec<Frame> = vec![frame.clone(); 4];
    looks[0].camera.world_from_view =
        Affine3A::from_rotation_y(2.0) * Affine3A::from_translation(Vec3::new(0.0, 1.0, 4.0));
    looks[1].palettes = scenes::frame(&model, &scenes::pose(&model, Some(0), 1.0), METHODS[0]).palettes;
    looks[2].display.overlay = OVERLAYS.iter().copied().find(|o| o.values.is_none());
    looks[3].display.wireframe = true;
    for (i, look) in looks.iter().enumerate() {
        let again = render_image(gpu, &mut renderer, look, size).unwrap();
        let fresh = render_image(gpu, &mut Renderer::new(gpu), look, size).unwrap();
        assert_eq!(differing(&again, &fresh), 0, "{i}");
        render_image(gpu, &mut renderer, &frame, size).unwrap();
        renderer.draw(gpu, look, size).unwrap();
        let after_a_part = render_image(gpu, &mut renderer, look, size).unwrap();
        assert_eq!(differing(&after_a_part, &fresh), 0, "{i}");
    }
}

#[test]
fn a_part_is_never_taken_for_the_whole() {
    on_shared_stage(|stage| draw_parts_in_turn(&stage.gpu, COARSE));
}

#[test]
#[ignore = "full: draws a fine mesh some thirty times"]
fn parts_of_a_fine_mesh_are_drawn_as_those_of_a_coarse_one() {
    let Some(gpu) = gpu(Backend::Vulkan) else { return };
    compare_mirrored(&gpu, FINE);
    draw_parts_in_turn(&gpu, FINE);
}

/// Flat parts, each with a mesh of its own, that hang on one node: a plate at `z` from −`half` to `half`, which may have a spike
/// towards the eye; stored farthest first but for the last two, which lie in one plane.
fn plates() -> Arc<Model> {
    let mut parts = (*tube(Tube::default())).clone();
    let plate = |half: f32, z: f32, spike: f32, color: Vec4| {
        let corner = |x: f32, y: f32| Vec3::new(x * half, y * half, z);
        let mut positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        positions.extend([corner(-1.0, -1.0), corner(-0.8, -1.0), corner(-0.9, -0.9) + Vec3::Z * spike]);
        Primitive {
            indices: vec![0, 1, 2, 0, 2, 3, 4, 5, 6],
            normals: vec![Vec3::Z; 7],
            colors: vec![color; 7],
            stored_vertices: 7,
            positions,
            ..Primitive::default()
        }
    };
    let rising = (0..6).map(|i| plate(0.5, 0.2 * i as f32 - 1.5, 0.0, Vec4::new(i as f32 / 6.0, 0.3, 0.1, 1.0)));
    // The second one has its middle nearer to the eye, and is drawn over the first all the same.
    let last =
        [plate(0.4, 0.0, 0.0, Vec4::new(0.1, 0.9, 0.2, 1.0)), plate(0.3, 0.0, 0.6, Vec4::new(0.1, 0.2, 0.9, 1.0))];
    let all: Vec<Primitive> = rising.chain(last).collect();
    let instance = |i: usize| Instance { node: NodeId(0), mesh: MeshId::from_index(i), ..Instance::default() };
    parts.instances = (0..all.len()).map(instance).collect();
    parts.meshes = all.into_iter().map(|p| Mesh { primitives: vec![p], ..Mesh::default() }).collect();
    (parts.skins, parts.clips) = (Vec::new(), Vec::new());
    Arc::new(Model::build(parts).unwrap())
}

#[test]
fn parts_in_the_order_of_the_eye_make_the_same_picture() {
    on_shared_stage(|stage| {
        let mut pair = Pair::new(&stage.gpu);
        let model = plates();
        let mut frame = scenes::frame(&model, &scenes::pose(&model, None, 0.0), METHODS[0]);
        for eye in [Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.8, 0.4, 4.0)] {
            frame.camera.world_from_view.translation = eye.into();
            for samples in [1, SAMPLES] {
                let [(sorted, _), (stored, _)] = pair.pictures(&stage.gpu, &frame, [120, 120], samples);
                assert_eq!(differing(&sorted, &stored), 0, "{eye}, {samples}");
                let [r, g, b, _] = stored.at(60, 60);
                assert!(eye.x > 0.0 || b > g && b > r, "the last of one plane is seen: {:?}", stored.at(60, 60));
            }
        }
    });
}

/// Rough balls in eight rows behind one another, of `rings`² · 2 triangles each. Every second one is double sided, one in seven
/// has holes, one in eleven is glass, and one in five lies in the place of the one before it, in another colour.
fn balls(rings: usize) -> Arc<Model> {
    let mut parts = (*tube(Tube::default())).clone();
    let ball = |n: usize| {
        let place = if n % 5 == 4 { n - 1 } else { n };
        let center = Vec3::new((place % 3) as f32 - 1.0, (place / 3 % 3) as f32 - 1.0, (place / 9) as f32 * -0.9);
        let mut p = Primitive::default();
        for ring in 0..=rings {
            for side in 0..=rings {
                let [down, around] = [ring, side].map(|i| i as f32 / rings as f32 * std::f32::consts::PI);
                let normal =
                    Vec3::new(down.sin() * (2.0 * around).cos(), down.cos(), down.sin() * (2.0 * around).sin());
                let odd = ((ring * 37 + side % rings * 113) % 101) as f32 / 101.0;
                p.positions.push(center + normal * (0.5 + 0.01 * odd));
                p.normals.push(normal);
                p.colors.push(Vec4::new(odd, (n % 7) as f32 / 6.0, (n % 11) as f32 / 10.0, odd));
            }
        }
        for (ring, side) in (0..rings * rings).map(|i| (i / rings, i % rings)) {
            let a = (ring * (rings + 1) + side) as u32;
            let b = a + rings as u32 + 1;
            p.indices.extend([a, a + 1, b, a + 1, b + 1, b]);
        }
        p.stored_vertices = p.positions.len();
        let material = if n % 7 == 3 {
            2
        } else if n % 11 == 5 {
            3
        } else {
            n % 2
        };
        p.material = Some(MaterialId::from_index(material));
        p
    };
    let material = |double_sided: bool, alpha: AlphaMode| Material { double_sided, alpha, ..Material::default() };
    parts.materials = vec![
        material(false, AlphaMode::Opaque),
        material(true, AlphaMode::Opaque),
        material(false, AlphaMode::Mask { cutoff: 0.4 }),
        material(false, AlphaMode::Blend),
    ];
    let all: Vec<Primitive> = (0..72).map(ball).collect();
    let instance = |i: usize| Instance { node: NodeId(0), mesh: MeshId::from_index(i), ..Instance::default() };
    parts.instances = (0..all.len()).map(instance).collect();
    parts.meshes = all.into_iter().map(|p| Mesh { primitives: vec![p], ..Mesh::default() }).collect();
    (parts.skins, parts.clips) = (Vec::new(), Vec::new());
    Arc::new(Model::build(parts).unwrap())
}

/// Draws balls in part and whole, by the same two renderers or by new ones each time.
fn compare_balls(gpu: &Gpu, is_anew: bool) {
    let (mut pair, mut least) = (Pair::new(gpu), 100_u64);
    let mut case = |model: &Arc<Model>, name: &str, change: &dyn Fn(&mut Frame), samples: u32| {
        let mut frame = scenes::frame(model, &scenes::pose(model, None, 0.0), METHODS[0]);
        frame.camera.world_from_view.translation = Vec3::new(0.4, 0.3, 6.0).into();
        change(&mut frame);
        if is_anew {
            pair = Pair::new(gpu);
        }
        let [(part, few), (whole, all)] = pair.pictures(gpu, &frame, [300, 220], samples);
        assert_eq!(differing(&part, &whole), 0, "{name}, {samples}");
        assert!(whole.rgba.as_chunks::<4>().0.iter().any(|p| *p != whole.at(0, 0)), "{name}: it is seen");
        least = least.min(few * 100 / all);
    };
    let (fine, coarse) = (balls(27), balls(23));
    let from_above = |frame: &mut Frame| {
        frame.camera.world_from_view = Affine3A::from_rotation_x(-0.9) * frame.camera.world_from_view;
    };
    let parallel = |frame: &mut Frame| frame.camera.projection = Projection::Orthographic { height: 4.0 };
    let mirrored = |frame: &mut Frame| {
        frame.palettes.iter_mut().for_each(|m| *m = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * *m);
    };
    case(&fine, "from the front", &|_| (), SAMPLES);
    case(&fine, "with one sample", &|_| (), 1);
    case(&coarse, "of larger triangles", &|_| (), SAMPLES);
    case(&fine, "from above", &from_above, SAMPLES);
    case(&fine, "without perspective", &parallel, SAMPLES);
    // The near plane cuts the first row open, and one sees through it.
    case(&fine, "cut open", &|frame| frame.camera.near = 6.1, SAMPLES);
    case(&fine, "mirrored", &mirrored, SAMPLES);
    case(&fine, "translucent", &|frame| frame.display.skin_opacity = 0.5, SAMPLES);
    // About half of the triangles face away; of the others some two in three are hidden.
    assert!(!is_software(gpu) || least < 35, "{least} % of the bytes");
}

#[test]
fn what_lies_behind_others_is_left_out_and_the_picture_stays() {
    on_shared_stage(|stage| compare_balls(&stage.gpu, false));
}

#[test]
#[ignore = "full: compiles the pipelines of each picture anew"]
fn what_lies_behind_others_is_left_out_by_renderers_that_have_drawn_nothing_before() {
    let Some(gpu) = gpu(Backend::Vulkan) else { return };
    compare_balls(&gpu, true);
}
