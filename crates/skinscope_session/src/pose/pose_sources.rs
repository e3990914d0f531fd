//! What the pose that is shown is computed from.

use std::borrow::Cow;
use std::sync::Arc;

use skinscope_examples::Lesson;
use skinscope_model::{Model, NodeId};
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
    pub fn shapes(&self) -> Cow<'a, [DrivenShapes]> {
        let (document, shown) = (self.document, self.shown);
        let stored = document.stored();
        if self.playback.source == PoseSource::Bind || !shown.is_of_one_file(stored) {
            return Cow::Borrowed(&[]);
        }
        let kept = document.kept_shapes();
        if kept.is_empty() || shown.skeleton.file_index == stored.skeleton.file_index {
            return Cow::Borrowed(kept);
        }
        // Where a joint has gained links, the nodes after them have other ids than in the file.
        let found = stored.nodes_in(shown);
        let find = |node: NodeId| found.get(node.index()).copied().flatten();
        Cow::Owned(kept.iter().filter_map(|shapes| shapes.following(&find)).collect())
    }
}
