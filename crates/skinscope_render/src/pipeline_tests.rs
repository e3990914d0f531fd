//! The thread that draws a window compiles no pipeline once it has shown a model, and in the end every picture is the
//! same as one that was compiled at once.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use skinscope_deform::{Deformer, METHODS};
use skinscope_frame::{Background, Bone, Dots, ENVIRONMENT, Frame, Line, OVERLAYS, look};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Environment, Instance, InstanceId, MeshId, Model, ModelParts, MorphTarget, WeightFormat};

use super::headless::read_rows;
use super::pipeline_kind::Kind;
use super::{Backend, Gpu, Renderer, SAMPLES, render_image};

const SIZE: [u32; 2] = [96, 64];

fn frame(model: &Arc<Model>) -> Frame {
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut matrices);
    skinscope_deform::palettes(model, &matrices, &mut palettes);
    let mut frame = Frame { palettes, draws: vec![InstanceId(0)], model: Some(Arc::clone(model)), ..Frame::default() };
    frame.camera.world_from_view.translation = glam::Vec3A::new(0.0, 1.0, 4.5);
    frame.display.background = Background::Studio { inner: [0.3, 0.32, 0.36], outer: [0.1, 0.1, 0.12] };
    frame
}

fn pixels(gpu: &Gpu, renderer: &Renderer) -> Vec<u8> {
    let mut rgba = Vec::new();
    read_rows(gpu, renderer.target.as_ref().unwrap(), 0, &mut rgba).unwrap();
    rgba
}

/// What a window may ask for one after the other: frames, each with its samples and size.
fn wishes(model: &Arc<Model>) -> Vec<(String, Frame, u32, [u32; 2])> {
    let mut out = Vec::new();
    let mut wish = |name: &str, samples, size, change: &dyn Fn(&mut Frame)| {
        let mut frame = frame(model);
        change(&mut frame);
        out.push((name.to_owned(), frame, samples, size));
    };
    wish("one sample", 1, SIZE, &|_| ());
    wish("wireframe", SAMPLES, SIZE, &|frame| frame.display.wireframe = true);
    wish("wireframe, another size", 1, [70, 90], &|frame| frame.display.wireframe = true);
    wish("dots", SAMPLES, SIZE, &|frame| frame.display.dots = Some(Dots { radius: 3.0, color: [1.0, 0.2, 0.1, 1.0] }));
    wish("translucent", SAMPLES, SIZE, &|frame| frame.display.skin_opacity = 0.5);
    wish("bones and lines", SAMPLES, SIZE, &|frame| {
        let (from, to) = (glam::Vec3::new(-1.0, -1.0, 0.0), glam::Vec3::new(1.0, 1.0, 0.0));
        frame.lines = vec![Line { from, to, width: 5.0, color: [1.0, 0.5, 0.1, 0.8] }];
        frame.bones = vec![Bone { head: from, tail: to, radius: 0.2, color: [0.3, 0.6, 0.9, 0.7], ..Bone::default() }];
    });
    wish("onion skins", SAMPLES, SIZE, &|frame| {
        let mut ghost = frame.clone();
        ghost.display.ghost = Some([0.9, 0.2, 0.2, 0.6]);
        frame.ghosts = vec![ghost];
    });
    wish("an environment", SAMPLES, SIZE, &|frame| frame.display.look = look(ENVIRONMENT).unwrap());
    wish("another one, of another size, seen behind the model", 1, [90, 70], &|frame| {
        let sky =
            Environment::new("sky".into(), [64, 32], (0..2048).map(|i| glam::Vec3::new(1.0, i as f32 / 2048.0, 0.2)));
        (frame.display.look, frame.environment) = (look(ENVIRONMENT).unwrap(), sky.map(Arc::new));
        frame.display.environment.is_background = true;
    });
    wish("an overlay", SAMPLES, SIZE, &|frame| frame.display.overlay = Some(OVERLAYS[0]));
    wish("deformed by compute", SAMPLES, SIZE, &|frame| frame.deformer = Deformer::Compute);
    for method in METHODS.iter().filter(|method| method.pass.is_none()) {
        wish(method.id, SAMPLES, SIZE, &|frame| frame.method = method);
    }
    out
}

struct Window {
    gpu: Arc<Gpu>,
    renderer: Renderer,
    news: Receiver<()>,
}

impl Window {
    fn draw(&mut self, frame: &Frame, samples: u32, size: [u32; 2]) {
        self.renderer.set_samples(samples);
        self.renderer.draw(&self.gpu, frame, size).unwrap();
    }
}

#[test]
fn a_window_compiles_nothing_on_its_own_thread_after_its_first_picture() {
    let model = Arc::new(tube(Tube { joints: 4, rings: 20, sides: 12, ..Tube::default() }));
    for backend in [Backend::Vulkan, Backend::Gl] {
        let Ok(gpu) = Gpu::headless(backend) else { continue };
        let (gpu, (send, news)) = (Arc::new(gpu), channel());
        let mut renderer = Renderer::new(&gpu);
        renderer.work_beside(&gpu, Arc::new(move || _ = send.send(())));
        let mut window = Window { gpu, renderer, news };
        window.draw(&frame(&model), SAMPLES, SIZE);
        assert!(!window.renderer.lacks_pipelines(), "the first picture comes at once");
        let mut compiled = window.gpu.pipelines_of_window();
        assert!(compiled > 0, "and compiles what it needs");
        let mut waiting = 0;
        for (name, frame, samples, size) in wishes(&model) {
            let case = format!("{backend:?}, {name}");
            let shown = pixels(&window.gpu, &window.renderer);
            window.draw(&frame, samples, size);
            while window.renderer.lacks_pipelines() {
                waiting += 1;
                assert!(pixels(&window.gpu, &window.renderer) == shown, "{case}: the picture before stays");
                window.news.recv_timeout(Duration::from_secs(120)).unwrap();
                window.draw(&frame, samples, size);
            }
            assert_eq!(window.gpu.pipelines_of_window(), compiled, "{case}");
            // This thread counts too, so that its pipelines are counted.
            let mut patient = Renderer::new(&window.gpu);
            patient.set_samples(samples);
            patient.draw(&window.gpu, &frame, size).unwrap();
            assert!(window.gpu.pipelines_of_window() > compiled, "{case}");
            compiled = window.gpu.pipelines_of_window();
            assert!(pixels(&window.gpu, &window.renderer) == pixels(&window.gpu, &patient), "{case}");
        }
        assert!(waiting > 5, "{backend:?}: {waiting} pictures waited");
    }
}

/// The tube twice, the second time with a morph target that moves everything by a quarter along x.
fn with_a_morphing_copy() -> Arc<Model> {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 20, sides: 12, ..Tube::default() })).clone();
    let mut copy = parts.meshes[0].clone();
    let positions = vec![glam::Vec3::X * 0.25; copy.primitives[0].positions.len()];
    copy.primitives[0].morphs = vec![MorphTarget { positions, ..MorphTarget::default() }];
    copy.morph_names = vec!["aside".into()];
    parts.meshes.push(copy);
    let second = Instance { mesh: MeshId(1), morph_weights: vec![0.0], ..parts.instances[0].clone() };
    parts.instances.push(second);
    parts.skeleton.rest.morph_weights = vec![0.0];
    Arc::new(Model::build(parts).unwrap())
}

#[test]
fn parts_with_and_without_morph_targets_share_a_pipeline_and_mirrored_ones_that_of_the_others() {
    let model = with_a_morphing_copy();
    let Ok(gpu) = Gpu::headless(Backend::Vulkan) else { return };
    let mut renderer = Renderer::new(&gpu);
    let mut draw = |frame: &Frame| render_image(&gpu, &mut renderer, frame, SIZE).unwrap();
    let both =
        |weight| Frame { morph_weights: vec![weight], draws: vec![InstanceId(0), InstanceId(1)], ..frame(&model) };
    let (still, moved) = (both(0.0), both(1.0));
    let plain = Arc::new(tube(Tube { joints: 4, rings: 20, sides: 12, ..Tube::default() }));
    assert!(draw(&still) == render_image(&gpu, &mut Renderer::new(&gpu), &frame(&plain), SIZE).unwrap());
    assert!(draw(&moved) != draw(&still), "the copy is drawn beside the tube");
    let mirror = glam::Affine3A::from_scale(glam::Vec3::new(-1.0, 1.0, 1.0));
    let mut mirrored = moved.clone();
    mirrored.palettes.iter_mut().for_each(|matrix| *matrix = mirror * *matrix);
    let picture = draw(&mirrored);
    let surfaces = renderer.pipelines.kinds().filter(|(kind, _)| matches!(kind, Kind::Surface { .. }));
    assert_eq!(surfaces.count(), 1);
    // A graphics card asks the shader which side it sees.
    let card = Gpu::headless(Backend::Vulkan).unwrap().taken_for(wgpu::DeviceType::DiscreteGpu);
    let on_card = render_image(&card, &mut Renderer::new(&card), &mirrored, SIZE).unwrap();
    let far = picture.rgba.iter().zip(&on_card.rgba).filter(|(a, b)| a.abs_diff(**b) > 1);
    assert_eq!(far.count(), 0, "the outside of the mirrored tubes is seen");
}

/// The tube, the same with weights of 8 bits, and one that a node alone moves, which is drawn twice.
fn with_stiff_parts() -> Arc<Model> {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 20, sides: 12, ..Tube::default() })).clone();
    let (mut bytes, mut stiff) = (parts.meshes[0].clone(), parts.meshes[0].clone());
    let influences = bytes.primitives[0].stored_influences.as_mut().unwrap();
    influences.format = WeightFormat::U8;
    influences.weights.chunks_exact_mut(2).for_each(|pair| {
        let first = (pair[0] * 255.0).round() / 255.0;
        pair.copy_from_slice(&[first, 1.0 - first]);
    });
    stiff.primitives[0].stored_influences = None;
    parts.meshes.extend([bytes, stiff]);
    let second = Instance { mesh: MeshId(1), ..parts.instances[0].clone() };
    let copies = vec![glam::Affine3A::IDENTITY, glam::Affine3A::from_translation(glam::Vec3::X)];
    let third = Instance { mesh: MeshId(2), skin: None, copies, ..parts.instances[0].clone() };
    parts.instances.extend([second, third]);
    Arc::new(Model::build(parts).unwrap())
}

#[test]
fn parts_that_a_node_moves_share_the_pipeline_of_the_skin_and_so_does_a_skin_that_bends_far() {
    let model = with_stiff_parts();
    let Ok(gpu) = Gpu::headless(Backend::Vulkan) else { return };
    let of = |ids: &[u32]| Frame { draws: ids.iter().copied().map(InstanceId).collect(), ..frame(&model) };
    let mut renderer = Renderer::new(&gpu);
    let mut draw = |frame: &Frame| render_image(&gpu, &mut renderer, frame, SIZE).unwrap();
    let (all, stiff) = (draw(&of(&[0, 1, 2])), draw(&of(&[2])));
    // Joints that are turned by a right angle and more from one another may turn a vertex between them over; here none is.
    let mut bent = of(&[0, 1, 2]);
    let turn = glam::Affine3A::from_rotation_z(1.7);
    let (first, _) = model.binding(InstanceId(0), 0);
    bent.palettes[first as usize + 3] = turn * bent.palettes[first as usize + 3];
    let far = draw(&bent);
    assert!(far != all);
    let surfaces = renderer.pipelines.kinds().filter(|(kind, _)| matches!(kind, Kind::Surface { .. }));
    assert_eq!(surfaces.count(), 1);
    // Each is where it is without the others.
    let mut alone: ModelParts = (**model).clone();
    alone.meshes.swap(0, 2);
    alone.instances = vec![Instance { mesh: MeshId(0), ..alone.instances[2].clone() }];
    let alone = Arc::new(Model::build(alone).unwrap());
    assert!(stiff == render_image(&gpu, &mut Renderer::new(&gpu), &frame(&alone), SIZE).unwrap());
    let card = Gpu::headless(Backend::Vulkan).unwrap().taken_for(wgpu::DeviceType::DiscreteGpu);
    let on_card = render_image(&card, &mut Renderer::new(&card), &bent, SIZE).unwrap();
    let other = far.rgba.iter().zip(&on_card.rgba).filter(|(a, b)| a.abs_diff(**b) > 1);
    assert_eq!(other.count(), 0, "no side is missing");
}
