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
        is_one(&self.pin.pose, pose)
    }
}

/// Returns whether two poses are one. Where the model has gained shapes between them, the joints alone say so.
pub(super) fn is_one(a: &LocalPose, b: &LocalPose) -> bool {
    let (own, other) = (&a.morph_weights, &b.morph_weights);
    (&a.transforms, &a.wide) == (&b.transforms, &b.wide) && (own.len() != other.len() || own == other)
}
