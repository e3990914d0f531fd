//! Sessions that tests of several modules begin with.

use std::sync::Arc;

use skinscope_import::{Options, Progress};
use skinscope_model::Model;
use skinscope_model::test_shapes::{Tube, tube};

use crate::{Document, PlaybackCommand, PoseSource, Session, Source, ViewCommand};

/// Opens a tube of three joints.
pub(crate) fn tube_session() -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(Tube { joints: 3, ..Tube::default() })), Vec::new(), None));
    session
}

/// Opens the built-in character in its rest pose.
pub(crate) fn built_in_session() -> Session {
    let mut session = Session::default();
    session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    session
}

/// Opens a model whose clip stands still, deformed by linear blending.
pub(crate) fn still_session(model: Model) -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(ViewCommand::SetMethod("linear"));
    session.update_pose();
    session
}
