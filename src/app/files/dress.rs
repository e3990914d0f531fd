//! Weights of the model that stands beside the open one: a garment gains its joints, or the tool *Transfer* takes them.

use std::sync::Arc;

use crate::app::App;
use crate::app::jobs::Kind;
use crate::edit::{Donor, DressSettings, DressedBare, Refusal, Settings, TRANSFER, dress_bare, words_of_pose};
use crate::model::Model;
use crate::session::{EditCommand, Session, ToolCommand};
use crate::words::counted;

/// Returns the open model and the one beside it, without what tools try, which may be skins that they do not have.
fn garment_and_body(session: &Session) -> Option<[Arc<Model>; 2]> {
    let body = session.beside()?.other().edited_weights().edited_model()?;
    Some([session.edited_weights().edited_model()?, body].map(Arc::clone))
}

impl App {
    /// Takes the weights of the model beside. Those of a garment without a skin are found in the background.
    pub(crate) fn weights_from_beside(&mut self) {
        let Some([model, body]) = garment_and_body(&self.session) else { return };
        if model.instances.iter().any(|instance| instance.skin.is_some()) {
            let settings = Settings { donor: Some(Donor(body)), ..Settings::clone(&self.session.tools().settings) };
            self.change(ToolCommand::Choose(Some(TRANSFER.id)));
            self.change(ToolCommand::Set(Arc::new(settings)));
            return;
        }
        self.status.say("Taking the weights of the model beside…".to_owned());
        self.jobs.restart(Kind::Donor, move |context| {
            let dressed = dress_bare(&model, &body, &DressSettings::default(), context);
            if context.is_cancelled() {
                return None;
            }
            Some(Box::new(move |app, _| app.dressed([&model, &body], dressed)))
        });
    }

    /// The joints and weights of a garment have been found, or not: it gains them, unless another model is open by now.
    fn dressed(&mut self, [model, body]: [&Arc<Model>; 2], dressed: Result<DressedBare, Refusal>) {
        if !self.session.edited_weights().edited_model().is_some_and(|now| Arc::ptr_eq(now, model)) {
            return;
        }
        let DressedBare { change, dressed, .. } = match dressed {
            Ok(bare) => bare,
            Err(why) => {
                self.status.error = Some(format!("{}: {why}.", model.source.name));
                return;
            }
        };
        self.change(EditCommand::Bind(Arc::new(change)));
        let vertices = counted(dressed.vertices, "vertex takes", "vertices take");
        let mut said = format!("{vertices} weights of {} of its joints", dressed.joints_used);
        if let Some(deepest) = dressed.depths.in_clips {
            let (clip, time) = words_of_pose(body, deepest.pose);
            said += &format!("; up to {:.1} % of its size deeper in it, in “{clip}” at {time:.2} s", deepest.percent);
        }
        self.status.say(said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelParts;
    use crate::model::test_shapes::{Tube, tube};
    use crate::session::Document;

    #[test]
    fn a_garment_without_a_skin_has_none_while_one_is_tried() {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
        parts.skins.clear();
        parts.instances[0].skin = None;
        parts.meshes[0].primitives[0].stored_influences = None;
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        assert!(garment_and_body(&session).is_none());
        session.open_beside(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        session.apply(ToolCommand::Choose(Some("bind")));
        assert_eq!(session.model().unwrap().skins.len(), 1, "it is tried");
        let [garment, body] = garment_and_body(&session).unwrap();
        assert_eq!([garment.skins.len(), body.skins.len()], [0, 1]);
    }
}
