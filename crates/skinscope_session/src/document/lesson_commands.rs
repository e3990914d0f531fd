//! Carries out the commands about the example that is shown: its sliders move, and the pose follows them.

use skinscope_base::math::Aabb;

use crate::document::opening;
use crate::{ExampleCommand, Session, edits};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &ExampleCommand) {
    let Some(open) = &mut session.lesson else { return };
    match command {
        ExampleCommand::SetSlider(slider, value) => {
            let before = open.lesson.moment().settings().stage();
            if open.lesson.set(slider, *value) {
                show_moment(session, before);
            }
        }
        ExampleCommand::Reset => {
            let before = open.lesson.moment().settings().stage();
            open.lesson.reset();
            show_moment(session, before);
            edits::apply(session, &crate::EditCommand::ResetAll);
        }
        ExampleCommand::PointAt(symbol) => open.lesson.point_at(*symbol),
        ExampleCommand::TogglePage => open.is_hidden = !open.is_hidden,
    }
}

/// Shows the pose of the sliders, and the rig where the sliders have made another one. The camera moves with the stage of the example, the box
/// that is to be in the picture; it was `before`.
fn show_moment(session: &mut Session, before: Aabb) {
    let Some(lesson) = session.lesson() else { return };
    let moved = lesson.moment().settings().stage().center() - before.center();
    let Some(document) = &session.document else { return };
    if !std::ptr::eq(&**document.stored(), &**lesson.moment().model()) {
        let document = document.with_lesson(lesson.clone());
        opening::reopen(session, document);
    }
    if moved != glam::Vec3::ZERO {
        session.view.orbit.target += moved;
    }
    session.pose.invalidate();
    session.update_pose();
}
