//! What scripts of commands end with looks the same as often as they are replayed.

use skinscope::frame::{Frame, SceneColors};
use skinscope::render::render_image;
use skinscope::session::{CameraCommand, Session};

use crate::Stage;
use crate::replays::{differs, scripts};

on_stages! {
    scripts_end_with_the_same_picture_again,
}

const SIZE: [u32; 2] = [160, 120];

/// The session as a picture: PNG.
fn picture(stage: &Stage, mut session: Session) -> Vec<u8> {
    let viewport = glam::Vec2::new(SIZE[0] as f32, SIZE[1] as f32);
    session.apply(CameraCommand::SetViewport(viewport));
    session.update_pose();
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let drawn = render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), &frame, SIZE).unwrap();
    let mut out = std::io::Cursor::new(Vec::new());
    let picture = image::RgbaImage::from_raw(drawn.width, drawn.height, drawn.rgba).unwrap();
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

fn scripts_end_with_the_same_picture_again(stage: &Stage) {
    let backend = stage.gpu.info.backend;
    let ending = format!("{backend:?}.png").to_lowercase();
    for script in scripts() {
        let [first, again] = [script.replay(), script.replay()].map(|replayed| picture(stage, replayed.session));
        let how = differs(&first, &again);
        assert!(how.is_none(), "{backend:?}: {} ends with another picture: {}", script.name, how.unwrap_or_default());
        let difference = script.difference(&[(&ending, &first)]);
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}
