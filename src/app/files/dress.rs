//! Weights of the model that stands beside the open one: a garment gains its joints, or the tool *Transfer* takes them.

use std::sync::Arc;

use crate::app::App;
use crate::app::jobs::Kind;
use crate::edit::{Donor, DressSettings, DressedBare, Refusal, Settings, dress_bare, words_of_pose};
use crate::model::Model;
use crate::session::{EditCommand, ToolCommand};
use crate::words::counted;

impl App {
    /// Takes the weights of the model beside. Those of a garment without a skin are found in the background.
    pub(crate) fn weights_from_beside(&mut self) {
        let other = self.session.beside().and_then(|beside| beside.other().model().map(Arc::clone));
        let Some((body, model)) = other.zip(self.session.model().map(Arc::clone)) else { return };
        if model.instances.iter().any(|instance| instance.skin.is_some()) {
            let settings = Settings { donor: Some(Donor(body)), ..Settings::clone(&self.session.tools().settings) };
            self.change(ToolCommand::Choose(Some("transfer")));
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
        if !self.session.model().is_some_and(|now| Arc::ptr_eq(now, model)) {
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
