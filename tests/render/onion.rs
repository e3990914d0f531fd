//! Onion skins stand around the surface that is shown, and change nothing of it.

use std::sync::Arc;

use skinscope::frame::{Background, Frame, SceneColors};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::render::render_image;
use skinscope::session::{CameraCommand, Document, Onion, PlaybackCommand, Session, ViewCommand};

use crate::Stage;

on_stages! {
    onion_skins_cover_nothing_of_the_surface_and_show_moments_before_in_red_and_after_in_green,
}

const SIZE: [u32; 2] = [128, 128];

fn onion_skins_cover_nothing_of_the_surface_and_show_moments_before_in_red_and_after_in_green(stage: &Stage) {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(Tube { joints: 6, ..Tube::default() })), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::Seek(0.3));
    session.apply(CameraCommand::SetViewport(glam::Vec2::new(SIZE[0] as f32, SIZE[1] as f32)));
    session.apply(CameraCommand::FrameAll);
    let mut frame_with = |shown: bool| {
        session.apply(ViewCommand::SetOnion(Onion { shown, count: 2, step_frames: 4.0 }));
        session.update_pose();
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame.display.grid = None;
        frame.display.background = Background::Transparent;
        frame.ghosts.iter_mut().for_each(|ghost| ghost.display.grid = None);
        frame.bones.clear();
        frame
    };
    let frames = [frame_with(false), frame_with(true)];
    let gpu = &stage.gpu;
    let draw = |frame: &Frame| render_image(gpu, &mut stage.renderer.borrow_mut(), frame, SIZE).unwrap();
    let [plain, with] = frames.each_ref().map(draw);
    let (mut covered, mut red, mut green) = (0, 0, 0);
    for (plain, with) in plain.rgba.as_chunks::<4>().0.iter().zip(with.rgba.as_chunks::<4>().0) {
        match plain[3] {
            255 => {
                assert_eq!(plain, with, "{:?}", gpu.info.backend);
                covered += 1;
            }
            0 => {
                red += usize::from(with[0] > with[1].saturating_add(20));
                green += usize::from(with[1] > with[0].saturating_add(20));
            }
            _ => {}
        }
    }
    assert!(covered > 500 && red > 50 && green > 50, "{:?}: {covered} {red} {green}", gpu.info.backend);
}
