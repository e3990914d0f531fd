//! The model beside the open one, in the same picture.

use skinscope_frame::Frame;

use crate::{Session, Standing};

/// Adds the model beside the open one, where there is one, in the memory of `reused`. `build` makes the frame of a session alone. Both
/// have one camera, and the floor is that of the first model.
pub(super) fn add_beside(
    frame: &mut Frame,
    session: &Session,
    mut reused: Vec<Frame>,
    build: impl Fn(&mut Frame, &Session),
) {
    let Some((beside, standing)) = session.beside().zip(session.beside_standing()) else { return };
    reused.resize_with(1, Frame::default);
    let [other] = &mut reused[..] else { return };
    build(other, beside.other());
    let bounds = session.with_beside(|session| session.pose().shown_bounds());
    (frame.camera.near, frame.camera.far) = session.view().planes(bounds);
    other.camera = frame.camera.in_space(standing.offset.into(), standing.scale);
    other.display.background = frame.display.background;
    let is_first_active = beside.arrangement().is_first_active;
    let (first, second) = if is_first_active { (&mut *frame, other) } else { (other, &mut *frame) };
    if let (Some(floor), Some(shadow)) = (&mut first.display.grid, &mut second.display.grid) {
        // The shadow lies on the floor of the first model, each in the space of its own model.
        let Standing { offset, scale } = standing;
        (shadow.lines, shadow.floor[3]) = (false, 0.0);
        if is_first_active {
            floor.radius = floor.radius.max(1.5 * bounds.diagonal());
            (shadow.radius, shadow.height) = (floor.radius / scale, (floor.height - offset.y) / scale);
        } else {
            floor.radius = floor.radius.max(1.5 * bounds.diagonal() / scale);
            (shadow.radius, shadow.height) = (floor.radius * scale, floor.height * scale + offset.y);
        }
    }
    frame.beside = reused;
}
