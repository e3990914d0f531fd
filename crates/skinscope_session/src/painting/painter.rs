//! What painting sees of a session, and what it changes.

use std::sync::Arc;

use skinscope_model::Model;

use super::Painting;
use crate::surfaces::deforming::DataCache;
use crate::{Compared, Edits, Marking, Picking, Playback, Pose, PoseRules, Skinning, Tools, View};

/// What the hand, its strokes and what is said at the pointer are found from.
#[derive(Clone, Copy)]
pub(crate) struct Brushwork<'a> {
    pub model: Option<&'a Arc<Model>>,
    pub picking: Picking<'a>,
    pub view: &'a View,
    pub pose: &'a Pose,
    pub edits: &'a Edits,
    pub playback: &'a Playback,
    pub tools: &'a Tools,
    pub painting: &'a Painting,
}

/// The brush and its strokes, with the weights that they change. The rest is only read.
pub(crate) struct Painter<'a> {
    pub skinning: Skinning<'a>,
    pub painting: &'a mut Painting,
    pub marking: &'a mut Marking,
    pub edits: &'a Edits,
    pub rules: &'a PoseRules,
    pub playback: &'a Playback,
    pub compared: &'a Compared,
    pub methods: &'a DataCache,
    /// Whether a gesture is under way.
    pub has_gesture: bool,
}

impl Painter<'_> {
    /// Returns the open model as it is shown.
    pub(crate) fn model(&self) -> Option<&Arc<Model>> {
        self.skinning.document.as_ref().map(|document| &document.model)
    }
}
