//! What the pose that is shown is computed from.

use std::sync::Arc;

use skinscope_examples::Lesson;
use skinscope_model::Model;
use skinscope_solve::DrivenShapes;

use crate::{Document, Edits, Playback, PoseRules, PoseSource, View};

/// The parts of the session that decide its pose.
#[derive(Clone, Copy)]
pub(crate) struct PoseSources<'a> {
    pub document: &'a Document,
    /// The model that is shown: the open one, or the one that it is compared with.
    pub shown: &'a Arc<Model>,
    pub view: &'a View,
    pub playback: &'a Playback,
    pub edits: &'a Arc<Edits>,
    pub rules: &'a PoseRules,
    pub lesson: Option<&'a Lesson>,
}

impl<'a> PoseSources<'a> {
    /// Returns the corrective shapes that joints bring in; none in the bind pose, nor where another model is shown.
    pub fn shapes(&self) -> &'a [DrivenShapes] {
        let document = self.document;
        let is_own = self.shown.is_of_one_file(document.stored());
        if is_own && self.playback.source != PoseSource::Bind { document.kept_shapes() } else { &[] }
    }
}
