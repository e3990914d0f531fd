//! The poses in which a dragged vertex is held.

use glam::DVec3;
use skinscope_model::LocalPose;
use skinscope_solve::Pin;

/// A pose in which the dragged vertex is held.
#[derive(Clone, Debug, PartialEq)]
pub struct DragPin {
    pub(super) pin: Pin,
    pub(super) landed: DVec3,
    pub(super) away: f64,
    pub(super) outside: f64,
}

impl DragPin {
    /// Returns where the vertex should be in its pose: scene's space of the file, metres.
    #[must_use]
    pub fn target(&self) -> DVec3 {
        self.pin.target
    }

    /// Returns where the vertex is in that pose by its weights.
    #[must_use]
    pub fn landed(&self) -> DVec3 {
        self.landed
    }

    /// Returns how far that is from where it should be, metres.
    #[must_use]
    pub fn away(&self) -> f64 {
        self.away
    }

    /// Returns how far the hull of its joints is from there, metres: what is left whatever the weights are.
    #[must_use]
    pub fn outside(&self) -> f64 {
        self.outside
    }

    /// Returns whether it is of this pose.
    #[must_use]
    pub fn is_of(&self, pose: &LocalPose) -> bool {
        self.pin.pose == *pose
    }
}
