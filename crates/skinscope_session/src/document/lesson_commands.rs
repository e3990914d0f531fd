//! Carries out the commands about the example that is shown: its sliders move, and the pose follows them.

use crate::document::opening;
use crate::{EditCommand, ExampleCommand, Session, edits};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &ExampleCommand) {
    let Some(open) = &mut session.lesson else { return };
    let before = open.lesson.moment().settings().stage();
    match command {
        ExampleCommand::SetSlider(slider, value) => {
            if !open.lesson.set(slider, *value) {
                return;
            }
        }
        ExampleCommand::Reset => open.lesson.reset(),
        ExampleCommand::PointAt(symbol) => return open.lesson.point_at(*symbol),
        ExampleCommand::TogglePage => {
            open.is_hidden = !open.is_hidden;
            return;
        }
    }
    // The pose of the sliders is shown, and the rig where the sliders have made another one. The camera moves with the stage of the example,
    // the box that is to be in the picture.
    let Some((lesson, document)) = session.lesson().zip(session.document()) else { return };
    let moved = lesson.moment().settings().stage().center() - before.center();
    if !std::ptr::eq(&**document.stored(), &**lesson.moment().model()) {
        let document = document.with_lesson(lesson.clone());
        opening::reopen(session, document);
    }
    if moved != glam::Vec3::ZERO {
        session.view.orbit.target += moved;
    }
    session.pose.invalidate();
    session.update_pose();
    if *command == ExampleCommand::Reset {
        edits::apply(session, &EditCommand::ResetAll);
    }
}
