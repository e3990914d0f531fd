//! The model beside the open one, in the same picture.

use glam::Vec3A;
use skinscope_frame::Frame;

use crate::Session;

/// Adds the model beside the open one, where there is one, in the memory of `reused`. `build` makes the frame of a session alone. Both
/// have one camera, and the floor is that of the first model.
pub(super) fn add_beside(
    frame: &mut Frame,
    session: &Session,
    mut reused: Vec<Frame>,
    build: impl Fn(&mut Frame, &Session),
) {
    let Some((beside, offset)) = session.beside().zip(session.beside_offset()) else { return };
    reused.resize_with(1, Frame::default);
    let [other] = &mut reused[..] else { return };
    build(other, beside.other());
    let bounds = session.with_beside(|session| session.pose().shown_bounds());
    (frame.camera.near, frame.camera.far) = session.view().planes(bounds);
    other.camera = frame.camera;
    other.camera.world_from_view.translation -= Vec3A::from(offset);
    other.display.background = frame.display.background;
    let is_first_active = beside.arrangement().is_first_active;
    let (first, second) = if is_first_active { (&mut *frame, other) } else { (other, &mut *frame) };
    if let (Some(floor), Some(shadow)) = (&mut first.display.grid, &mut second.display.grid) {
        floor.radius = floor.radius.max(1.5 * bounds.diagonal());
        // The shadow lies on the floor of the first model.
        let height = if is_first_active { floor.height - offset.y } else { floor.height + offset.y };
        (shadow.lines, shadow.floor[3], shadow.radius, shadow.height) = (false, 0.0, floor.radius, height);
    }
    frame.beside = reused;
}
