//! Small pictures of poses, drawn beside the pictures of the window on a device of its own.

use std::sync::Arc;

use glam::Vec2;

use crate::app::pictures::{PicturePainter, PictureStyle};
use crate::app::ui::LibraryPose;
use crate::frame::{Background, Frame, SceneColors};
use crate::parallel::JobContext;
use crate::render::{Backend, Gpu, GpuError, on_device};
use crate::session::{CameraCommand, Document, EditCommand, PlaybackCommand, PoseSource, Session, Toggle, ViewCommand};

/// What it takes to draw pictures of poses.
pub(crate) struct PosePictures {
    pub document: Document,
    /// The poses of the model of `document`; those that have a picture are left out.
    pub poses: Vec<Arc<LibraryPose>>,
    pub backend: Backend,
    pub texture_memory: Option<u64>,
}

impl PosePictures {
    /// Draws them one after the other; each can be seen as soon as it is there. They show the whole model, from where it is seen when it
    /// is opened.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn draw(self, context: &JobContext) -> Result<(), GpuError> {
        let mut session = Session::default();
        session.open(self.document);
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        for toggle in [Toggle::Bones, Toggle::Grid, Toggle::Ground, Toggle::Shadows] {
            if session.view().is_on(toggle) {
                session.apply(ViewCommand::Toggle(toggle));
            }
        }
        let size = [LibraryPose::PICTURE; 2];
        session.apply(CameraCommand::SetViewport(Vec2::splat(LibraryPose::PICTURE as f32)));
        let style = PictureStyle {
            size,
            supersampling: 1,
            legend: false,
            sides: false,
            models: false,
            names: false,
            words: false,
            page: false,
            light: false,
            letters: None,
        };
        let (backend, memory) = (self.backend, self.texture_memory);
        let open = || Ok(Gpu::headless(backend)?.with_texture_memory(memory));
        on_device(None, open, |gpu, renderer| {
            let mut painter = PicturePainter::new(gpu, style);
            for one in &self.poses {
                let Ok(pose) = one.pose.as_ref() else { continue };
                if context.is_cancelled() || one.picture.get().is_some() {
                    continue;
                }
                session.apply(EditCommand::SetPose(Arc::clone(&pose.pose)));
                session.update_pose();
                session.apply(CameraCommand::FrameAll);
                let mut frame = Frame::default();
                session.build_frame(&mut frame, &SceneColors::DARK);
                frame.display.background = Background::Transparent;
                let drawn = painter.draw(gpu, renderer, &mut frame, &session)?;
                one.picture.get_or_init(|| drawn);
                context.wake();
            }
            Ok(())
        })
    }
}
