//! The title of the window.

use crate::session::Session;

/// Returns the title: the open model, the session file that is open, and the program. A dot before it says that something was made which
/// no file has.
pub(crate) fn title(session: &Session, session_file: Option<&str>) -> String {
    let Some(document) = session.document() else { return "Skinscope".to_owned() };
    let edited = if session.unsaved().has_unsaved_work() { "• " } else { "" };
    let file = session_file.map(|name| format!(" — {name}")).unwrap_or_default();
    format!("{edited}{}{file} — Skinscope", document.model.source.name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::test_shapes::{Tube, tube};
    use crate::model::{Model, ModelParts, NodeId};
    use crate::session::{ChannelValue, Document, EditCommand};

    #[test]
    fn the_title_names_the_model_the_session_file_and_unsaved_work() {
        let mut session = Session::default();
        assert_eq!(title(&session, Some("a.skinscope.json")), "Skinscope");
        let mut parts = ModelParts::clone(&tube(Tube::default()));
        parts.source.name = "a.glb".to_owned();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        assert_eq!(title(&session, None), "a.glb — Skinscope");
        session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Rotation(glam::Vec3::X)));
        assert_eq!(title(&session, Some("walk.skinscope.json")), "• a.glb — walk.skinscope.json — Skinscope");
    }
}
