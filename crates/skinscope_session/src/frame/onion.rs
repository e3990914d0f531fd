//! Onion skins as faint surfaces.

use std::sync::Arc;

use skinscope_frame::{Display, Frame};

use super::SceneColors;
use crate::Pose;

/// The opacity of the nearest in time, and the share of it that the next ones have.
const NEAREST: f32 = 0.85;
const FADING: f32 = 0.72;

/// Adds the surface at the moments before, in the red of the X axis, and after, in the green of Y; the fainter the farther away in
/// time. Where no surface is shown, or a crowd, there are none.
pub(super) fn add_onion_skins(frame: &mut Frame, pose: &Pose, colors: &SceneColors) {
    if !frame.display.mesh || frame.members != 1 {
        return;
    }
    let [before, after, _] = colors.axes;
    for skin in pose.onion_skins() {
        let [r, g, b, _] = if skin.steps < 0 { before } else { after };
        let ghost = Some([r, g, b, NEAREST * FADING.powi(skin.steps.abs() - 1)]);
        let display = Display { ghost, overlay: None, grid: None, dots: None, wireframe: false, ..frame.display };
        frame.ghosts.push(Frame {
            model: frame.model.clone(),
            camera: frame.camera,
            method: frame.method,
            parameters: frame.parameters,
            palettes: skin.palettes.clone(),
            morph_weights: skin.morph_weights.clone(),
            draws: frame.draws.clone(),
            // Frames are compared by which list this is.
            marked: Arc::clone(&frame.marked),
            display,
            ..Frame::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sessions::tube_session;
    use crate::{Onion, PlaybackCommand, Session, Toggle, ViewCommand};

    #[test]
    fn moments_before_are_red_and_after_green_and_the_nearest_are_the_strongest() {
        let mut session = tube_session();
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(ViewCommand::SetOnion(Onion { shown: true, count: 3, step_frames: 3.0 }));
        session.apply(PlaybackCommand::Seek(0.5));
        session.update_pose();
        let mut frame = Frame::default();
        let colors = SceneColors::DARK;
        let mut built = |session: &Session| {
            session.build_frame(&mut frame, &colors);
            frame.clone()
        };
        let shown = built(&session);
        let ghosts: Vec<[f32; 4]> = shown.ghosts.iter().filter_map(|ghost| ghost.display.ghost).collect();
        assert_eq!(ghosts.len(), 6);
        for axis in [0, 1] {
            let is_its = |color: &&[f32; 4]| color[..3] == colors.axes[axis][..3];
            let own: Vec<f32> = ghosts.iter().filter(is_its).map(|color| color[3]).collect();
            assert!(own.len() == 3 && own.is_sorted() && own[0] < own[2], "{axis}: {own:?}");
        }
        assert!(shown.ghosts.iter().all(|ghost| ghost.shows_model_of(&shown) && ghost.draws == shown.draws));
        assert!(shown.is_same_picture(&built(&session)));
        session.apply(PlaybackCommand::Seek(0.55));
        session.update_pose();
        assert!(!shown.is_same_picture(&built(&session)));
        session.apply(ViewCommand::Set(Toggle::Mesh, false));
        assert!(built(&session).ghosts.is_empty());
    }
}
