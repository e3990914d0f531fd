//! One headless frame of the built-in character at 1280 × 720, while its first clip plays: from a time to the end of the device's work. It
//! goes the way of the application, so that a method has what it works out for a model before it is timed, and is then deformed by
//! whoever deforms it there: the shader where that can do it alone, else the processor.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec2;
use skinscope::deform::{METHODS, PASSES};
use skinscope::frame::{Frame, SceneColors};
use skinscope::import::{Options, Progress, import_bytes};
use skinscope::model::ClipId;
use skinscope::render::{Backend, Gpu, Renderer};
use skinscope::session::{CameraCommand, Document, MethodChoice, PlaybackCommand, Session, Toggle, ViewCommand};

const SIZE: [u32; 2] = [1280, 720];

/// Returns a session that shows the built-in character by a method, with everything that the method and the pass after it need.
fn showing(choice: MethodChoice) -> Option<Session> {
    let glb = include_bytes!("../assets/character.glb");
    let import = import_bytes(glb, "character.glb", &Options::default(), &Progress::silent()).ok()?;
    let mut session = Session::default();
    session.open(Document::new(import.model, Vec::new(), None));
    let [width, height] = SIZE.map(|side| side as f32);
    session.apply(CameraCommand::SetViewport(Vec2::new(width, height)));
    // The surface alone is timed.
    for toggle in [Toggle::Bones, Toggle::Grid] {
        if session.view().is_on(toggle) {
            session.apply(ViewCommand::Toggle(toggle));
        }
    }
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetClip(ClipId(0)));
    session.apply(ViewCommand::SetMethod(choice.method.id));
    session.apply(ViewCommand::SetPass(choice.pass.map(|pass| pass.id)));
    session.prepare();
    Some(session)
}

fn frame(c: &mut Criterion) {
    let alone = METHODS.iter().map(|method| MethodChoice::of(method));
    let with_pass = PASSES.iter().map(|pass| MethodChoice { pass: Some(pass), ..MethodChoice::of(METHODS[0]) });
    let choices: Vec<MethodChoice> = alone.chain(with_pass).collect();
    for backend in [Backend::Vulkan, Backend::Gl] {
        let gpu = match Gpu::headless(backend) {
            Ok(gpu) => gpu,
            Err(error) => {
                eprintln!("SKIPPED: {backend:?}: {error}");
                continue;
            }
        };
        let mut renderer = Renderer::new(&gpu);
        let mut group = c.benchmark_group(format!("frame ({backend:?}, {})", gpu.info.name));
        group.sample_size(20);
        for choice in &choices {
            let Some(mut session) = showing(*choice) else { continue };
            let (mut frame, mut time_secs) = (Frame::default(), 0.0_f32);
            group.bench_function(choice.id(), |b| {
                b.iter(|| {
                    time_secs = (time_secs + 1.0 / 60.0) % 1.0;
                    session.apply(PlaybackCommand::Seek(time_secs));
                    session.update_pose();
                    session.build_frame(&mut frame, &SceneColors::DARK);
                    // A method without its data would be drawn as another one.
                    assert_eq!((frame.method.id, frame.surfaces.is_empty()), drawn_as(choice));
                    // The device's errors come to light below.
                    let drawn = renderer.draw(&gpu, &frame, SIZE).map(|target| target.size);
                    let waited = gpu.device.poll(wgpu::PollType::wait_indefinitely());
                    assert!(drawn.is_ok() && waited.is_ok() && gpu.take_error().is_none());
                });
            });
        }
        group.finish();
    }
}

/// Returns the method that a picture must name, and whether a shader deforms for it.
fn drawn_as(choice: &MethodChoice) -> (&'static str, bool) {
    (choice.method.id, choice.method.data.is_none() && choice.pass.is_none())
}

criterion_group!(benches, frame);
criterion_main!(benches);
