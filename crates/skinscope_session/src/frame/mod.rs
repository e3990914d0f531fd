//! Describes a session as a picture: what it shows, as the plain data that the renderer draws.

mod beside;
mod bind_shapes;
mod bounds;
mod brush_bones;
mod build;
mod colors;
#[cfg(test)]
mod comparison_tests;
mod directions;
mod onion;
mod placed;
mod ring;
mod trail;
mod values;
mod vertex_drag;

pub use bounds::{ShownBounds, shown_bounds};
pub use build::grid_unit;
pub use colors::SceneColors;

use skinscope_frame::Frame;

use crate::Session;

impl Session {
    /// Describes the session in `frame` as it stands ([`Session::update_pose`] has run). The memory of the frame is used again.
    ///
    /// Where the session compares two surfaces, the frame is the left side (or the one that a blinking picture shows now), and the other
    /// one is [`Frame::compared`]. Otherwise [`Frame::beside`] is the model beside the open one.
    pub fn build_frame(&self, frame: &mut Frame, colors: &SceneColors) {
        build::build(frame, self, colors);
    }
}
