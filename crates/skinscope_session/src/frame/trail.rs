//! The motion trail of the selected joint as lines.

use skinscope_frame::{Frame, Line};

use super::SceneColors;
use crate::{Playback, Pose};

/// The width of the path where the joint has been and where it goes on, and of the dots at keys; pixels.
const BEFORE: f32 = 2.0;
const AFTER: f32 = 1.25;
const DOT: f32 = 3.5;

/// Adds the path of the selected joint over the clip, where it is shown: strong up to now, faint from there on, with a dot at
/// each key.
pub(super) fn add_trail(frame: &mut Frame, pose: &Pose, playback: &Playback, colors: &SceneColors) {
    let Some(trail) = pose.trail() else { return };
    let now = playback.time_secs;
    for (times, points) in trail.times.windows(2).zip(trail.points.windows(2)) {
        let (width, color) = if times[1] <= now { (BEFORE, colors.selected) } else { (AFTER, colors.below_selected) };
        frame.lines.push(Line { from: points[0], to: points[1], width, color });
    }
    for key in &trail.keys {
        let at = trail.points[*key];
        frame.lines.push(Line { from: at, to: at, width: DOT, color: colors.edited });
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::NodeId;

    use super::*;
    use crate::tests::sessions::tube_session;
    use crate::{PlaybackCommand, SelectionCommand, Toggle, ViewCommand};

    #[test]
    fn the_path_is_strong_where_the_joint_has_been_and_has_a_dot_at_each_key() {
        let mut session = tube_session();
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(ViewCommand::Set(Toggle::Bones, false));
        session.apply(SelectionCommand::Select(Some(NodeId(3))));
        session.apply(ViewCommand::Set(Toggle::Trail, true));
        session.apply(PlaybackCommand::Seek(0.5));
        session.update_pose();
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        let wide = |width: f32| frame.lines.iter().filter(|line| line.width == width).count();
        assert_eq!((wide(BEFORE), wide(AFTER), wide(DOT)), (120, 120, 3));
        session.apply(ViewCommand::Set(Toggle::Trail, false));
        session.update_pose();
        session.build_frame(&mut frame, &SceneColors::DARK);
        assert!(frame.lines.is_empty());
    }
}
