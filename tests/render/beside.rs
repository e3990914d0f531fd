//! Work that a window leaves to background threads: none of it is done by the thread that draws, and in the end every
//! picture is the same as without threads.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use skinscope::deform::METHODS;
use skinscope::frame::Frame;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Image, Material, MeshId, Model, Pixels, TextureId, TextureSlot, WeightChange};
use skinscope::render::{BackgroundWork, Gpu, Picture, Renderer, render_image};

use crate::SIZE;
use crate::scenes::{Plate, frame, front, pose};

on_devices! {
    a_large_model_and_its_edges_are_brought_by_others_and_look_the_same,
    the_model_before_stands_in_for_the_same_with_other_weights,
    a_model_that_nobody_waits_for_is_given_up,
    large_textures_are_made_by_others_one_at_a_time_and_look_the_same,
    no_picture_of_a_window_waits_for_the_device,
}

/// More vertices than a picture waits for.
fn large() -> Arc<Model> {
    Arc::new(tube(Tube { joints: 4, rings: 360, sides: 300, length: 1.0, radius: 0.25, influences: 2 }))
}

fn of(model: &Arc<Model>) -> Frame {
    Frame { camera: front(), ..frame(model, &pose(model, None, 0.0), METHODS[0]) }
}

/// A renderer that works beside its pictures.
struct Patient {
    gpu: Arc<Gpu>,
    renderer: Renderer,
    /// Who said that there is news.
    news: Receiver<ThreadId>,
}

impl Patient {
    fn new(gpu: Gpu) -> Self {
        let (gpu, (sender, news)) = (Arc::new(gpu), channel());
        let mut renderer = Renderer::new(&gpu);
        let sender = Mutex::new(sender);
        let wake = move || _ = sender.lock().unwrap().send(std::thread::current().id());
        renderer.work_beside(&gpu, Arc::new(wake));
        Self { gpu, renderer, news }
    }

    fn draw(&mut self, frame: &Frame) -> Picture {
        render_image(&self.gpu, &mut self.renderer, frame, [SIZE, SIZE]).unwrap()
    }

    /// Draws until nothing more is on its way; how many pieces of work others have done for that.
    fn settle(&mut self, frame: &Frame) -> (Picture, usize) {
        let mut done = 0;
        loop {
            let picture = self.draw(frame);
            while let Ok(by) = self.news.try_recv() {
                assert_ne!(by, std::thread::current().id(), "done by who draws");
                done += 1;
            }
            if self.renderer.doing().is_none() && !self.renderer.has_news() {
                return (picture, done);
            }
            if !self.renderer.has_news() {
                let by = self.news.recv_timeout(Duration::from_secs(120)).unwrap();
                assert_ne!(by, std::thread::current().id(), "done by who draws");
                done += 1;
            }
        }
    }
}

fn at_once(gpu: &Gpu, frame: &Frame) -> Picture {
    render_image(gpu, &mut Renderer::new(gpu), frame, [SIZE, SIZE]).unwrap()
}

fn a_large_model_and_its_edges_are_brought_by_others_and_look_the_same(gpu: Gpu) {
    let mut patient = Patient::new(gpu);
    let mut frame = of(&large());
    let (picture, done) = patient.settle(&frame);
    assert!(done >= 1 && patient.renderer.surfaces() == 1, "{done}");
    assert_eq!(picture.rgba, at_once(&patient.gpu, &frame).rgba);
    assert!(picture.rgba.as_chunks::<4>().0.iter().filter(|p| p[3] > 0).count() > 200);
    frame.display.wireframe = true;
    let (wired, done) = patient.settle(&frame);
    assert!(done >= 1, "{done}");
    assert_eq!(wired.rgba, at_once(&patient.gpu, &frame).rgba);
    assert_ne!(wired.rgba, picture.rgba);
}

fn the_model_before_stands_in_for_the_same_with_other_weights(gpu: Gpu) {
    let mut patient = Patient::new(gpu);
    let model = large();
    patient.settle(&of(&model));
    // More vertices than a picture waits for get other weights.
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    (0..count).for_each(|vertex| change.push(vertex, &[1, 2], &[0.25, 0.25]));
    let halved = Arc::new(model.with_weights(&[change]).unwrap());
    let before = patient.gpu.uploads().bytes;
    patient.draw(&of(&halved));
    assert_eq!(patient.renderer.surfaces(), 1, "the picture is never without the model");
    let (picture, done) = patient.settle(&of(&halved));
    assert!(done >= 1 && !patient.renderer.begin(&halved), "{done}");
    // Joints and weights alone: of each vertex a word of joints and at most four of weights.
    let (sent, most) = (patient.gpu.uploads().bytes - before, 20 * u64::from(count) + (64 << 10));
    assert!(sent < most && sent > 8 * u64::from(count), "{sent} bytes, {most} at most");
    assert_eq!(picture.rgba, at_once(&patient.gpu, &of(&halved)).rgba);
    // Another model has nothing that stands in for it.
    let other = Arc::new(tube(Tube { joints: 5, rings: 400, sides: 300, ..Tube::default() }));
    let (_, done) = patient.settle(&of(&other));
    assert!(done >= 1 && patient.renderer.surfaces() == 1);
}

fn a_model_that_nobody_waits_for_is_given_up(gpu: Gpu) {
    let mut patient = Patient::new(gpu);
    let (one, other) = (large(), large());
    patient.renderer.begin(&one);
    patient.renderer.forget_others(Some(&other));
    assert_eq!(patient.renderer.doing(), None);
    assert!(!patient.renderer.has_news());
    patient.renderer.begin(&other);
    patient.renderer.forget_others(Some(&other));
    // It is still on its way, or is there.
    let is_coming = patient.renderer.doing().is_some_and(|(doing, _)| doing == BackgroundWork::Model);
    assert!(is_coming || patient.renderer.has_news(), "what is wanted was given up too");
    // Small ones come with their first picture.
    let small = Arc::new(tube(Tube::default()));
    assert!(!patient.renderer.begin(&small));
    patient.draw(&of(&small));
    assert_eq!(patient.renderer.surfaces(), 1);
}

fn large_textures_are_made_by_others_one_at_a_time_and_look_the_same(gpu: Gpu) {
    let mut patient = Patient::new(gpu);
    const SIDE: u32 = 2048;
    patient.renderer.set_texture_step(1);
    let texels = |shade: u8| -> Vec<u8> {
        (0..SIDE * SIDE).flat_map(|i| [shade, (i % 251) as u8, (i / SIDE) as u8, 255]).collect()
    };
    let image = |shade| Image::ready(String::new(), Pixels::rgba8(SIDE, SIDE, texels(shade)).unwrap());
    let slot = |texture| Some(TextureSlot { texture: TextureId(texture), uv_set: 0, transform: None });
    let material = Material {
        metallic: 0.0,
        base_color_texture: slot(0),
        metallic_roughness_texture: slot(1),
        emissive_texture: slot(2),
        ..Material::default()
    };
    let frame = Plate { material, images: [200, 90, 10].map(image).to_vec(), ..Plate::default() }.frame();
    let (picture, done) = patient.settle(&frame);
    assert_eq!(done, 3, "one at a time");
    assert_eq!(picture.rgba, at_once(&patient.gpu, &frame).rgba);
}

fn no_picture_of_a_window_waits_for_the_device(gpu: Gpu) {
    // No more than is brought by who draws, and more than a software device is sent at once.
    let shape = Tube { joints: 4, rings: 420, sides: 220, length: 1.0, radius: 0.25, influences: 2 };
    let model = Arc::new(tube(shape));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (0..80_000).for_each(|vertex| change.push(vertex, &[1], &[1.0]));
    let edited = Arc::new(model.with_weights(&[change]).unwrap());
    let image = Image::ready(String::new(), Pixels::rgba8(1500, 1400, vec![200; 4 * 1500 * 1400]).unwrap());
    let base_color_texture = Some(TextureSlot { texture: TextureId(0), uv_set: 0, transform: None });
    let material = Material { base_color_texture, ..Material::default() };
    let textured = Plate { material, images: vec![image], ..Plate::default() }.frame();
    let mut patient = Patient::new(gpu);
    // Shaders may take longer to compile than what is not said, which is no matter here.
    let now = Instant::now();
    for frame in [of(&model), of(&edited), textured, of(&model)] {
        patient.renderer.draw(&patient.gpu, &frame, [SIZE, SIZE]).unwrap();
        assert!(patient.renderer.doing_at(now).is_none(), "small enough to be done by who draws");
    }
    assert_eq!(patient.gpu.waits(), 0);
}
