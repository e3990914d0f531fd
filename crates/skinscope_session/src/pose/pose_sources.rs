//! What the pose that is shown is computed from.

use std::sync::Arc;

use skinscope_examples::Lesson;
use skinscope_model::Model;

use crate::{Document, Edits, Playback, PoseRules, View};

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
