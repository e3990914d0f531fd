//! The poses in which a dragged vertex is held.

use glam::DVec3;
use skinscope_model::{LocalPose, Model};
use skinscope_solve::{DrivenShapes, Pin, kept_shapes};

use crate::shaping::bring_in;

/// A pose in which the dragged vertex is held.
#[derive(Clone, Debug, PartialEq)]
pub struct DragPin {
    pub(super) pin: Pin,
    pub(super) landed: DVec3,
    pub(super) away: f64,
    pub(super) outside: f64,
    /// Whether the model has got other morph targets since, so that the joints alone say which pose it is.
    pub(super) by_joints: bool,
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
        let own = &self.pin.pose;
        let has_joints_of = (&own.transforms, &own.wide) == (&pose.transforms, &pose.wide);
        has_joints_of && (self.by_joints || own.morph_weights == pose.morph_weights)
    }
}

/// How pins follow a model whose nodes or morph targets are others than those of the one before.
pub(super) struct Following<'m> {
    models: [&'m Model; 2],
    /// What drives the shapes of the model now.
    kept: Vec<DrivenShapes>,
    /// Where each morph weight is from now on.
    places: Vec<Option<usize>>,
}

impl<'m> Following<'m> {
    pub(super) fn new(before: &'m Model, now: &'m Model) -> Self {
        let (kept, places) = (kept_shapes(now).unwrap_or_default(), before.morphs_in(now));
        Self { models: [before, now], kept, places }
    }

    /// Makes the pose of a pin one of the model now. Of shapes that it has gained there is as much as their drivers say.
    pub(super) fn follow(&self, pin: &mut DragPin) {
        let [before, now] = self.models;
        let mut pose = before.pose_in(now, &pin.pin.pose);
        now.drive_links(&mut pose);
        let mut driven = pose.clone();
        bring_in(now, &self.kept, &mut driven);
        for (place, (weight, driven)) in pose.morph_weights.iter_mut().zip(driven.morph_weights).enumerate() {
            if !self.places.contains(&Some(place)) {
                *weight = driven;
            }
        }
        pin.by_joints |= self.places.len() != pose.morph_weights.len() || self.places.contains(&None);
        pin.pin.pose = pose;
    }
}
