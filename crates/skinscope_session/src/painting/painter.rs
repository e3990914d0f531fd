//! What painting sees of a session, and what it changes.

use std::sync::Arc;

use skinscope_model::Model;

use super::Painting;
use crate::{Edits, Picking, Playback, Pose, Tools, View};

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
