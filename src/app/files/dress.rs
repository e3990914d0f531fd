//! Weights of the model that stands beside the open one: a garment gains its joints, or the tool *Transfer* takes them.

use std::sync::Arc;

use crate::app::App;
use crate::app::jobs::Kind;
use crate::edit::{
    Align, Donor, DressSettings, Dressed, DressedGarment, Refusal, Settings, TRANSFER, dress, dress_align,
    has_bare_mesh, words_of_pose,
};
use crate::inspect::rom::RomOptions;
use crate::math::length;
use crate::model::Model;
use crate::pose::NameMap;
use crate::session::{EditCommand, InspectionCommand, Session, ToolCommand};
use crate::words::counted;

/// Returns the open model and the one beside it, without what tools try, which may be skins that they do not have.
fn garment_and_body(session: &Session) -> Option<[Arc<Model>; 2]> {
    let body = session.beside()?.other().edited_weights().edited_model()?;
    Some([session.edited_weights().edited_model()?, body].map(Arc::clone))
}

/// Returns what is said once a garment was to gain what was found; `changes` says whether that is another thing than what it has.
///
/// # Errors
/// It has gained nothing: the session shows the model from before.
fn told(
    session: &Session,
    [before, body]: [&Arc<Model>; 2],
    (dressed, changes): (&Dressed, bool),
) -> Result<String, String> {
    if changes && session.edited_weights().edited_model().is_none_or(|now| Arc::ptr_eq(now, before)) {
        return Err(format!("{}: it could not be given the weights that were found.", before.source.name));
    }
    let mut said = match changes {
        true => {
            let vertices = counted(dressed.vertices, "vertex takes", "vertices take");
            format!("{vertices} weights of {} of its joints", dressed.joints_used)
        }
        false => "Nothing has changed: these are the weights that it has".to_owned(),
    };
    let aligned = dressed.aligned;
    if aligned.by != Align::None {
        let (turn, scale, moved) = (aligned.degrees, aligned.scale, length(aligned.moved));
        said += &format!("; worn turned by {turn:.1}°, scaled by {scale:.3}, moved by {moved}");
    }
    if let Some(deepest) = dressed.depths.in_clips {
        let (clip, time) = words_of_pose(body, deepest.pose);
        said += &format!("; up to {:.1} % of its size deeper in it, in “{clip}” at {time:.2} s", deepest.percent);
    }
    for left in &dressed.left_out {
        said += &format!("; “{}” stays as it is: {}", left.mesh, left.why);
    }
    Ok(said)
}

/// Returns how a body is dressed by the settings of the tools. Their table of joints is about the model whose weights *Transfer* takes.
fn dress_settings(settings: &Settings, body: &Arc<Model>) -> DressSettings {
    let is_donor = settings.donor.as_ref().is_some_and(|Donor(donor)| Arc::ptr_eq(donor, body));
    let names = if is_donor { settings.names.clone() } else { NameMap::default() };
    DressSettings { align: dress_align(settings), names, ..DressSettings::default() }
}

impl App {
    /// Takes the weights of the model beside. Those of a garment without a skin, or that is to be aligned, are found in the background.
    pub(crate) fn weights_from_beside(&mut self) {
        let Some([model, body]) = garment_and_body(&self.session) else { return };
        let settings = dress_settings(&self.session.tools().settings, &body);
        if settings.align == Align::None && !has_bare_mesh(&model) {
            let settings = Settings { donor: Some(Donor(body)), ..Settings::clone(&self.session.tools().settings) };
            self.change(ToolCommand::Choose(Some(TRANSFER.id)));
            self.change(ToolCommand::Set(Arc::new(settings)));
            return;
        }
        let has_skin = model.instances.iter().any(|instance| instance.skin.is_some());
        if has_skin && !self.session.tools().locked.is_empty() {
            let why = "Dressing finds the weights of all joints anew: unlock those that are locked first.";
            self.status.error = Some(why.to_owned());
            return;
        }
        self.status.say("Taking the weights of the model beside…".to_owned());
        self.jobs.restart(Kind::Donor, move |context| {
            let dressed = dress(&model, &body, &settings, context);
            if context.is_cancelled() {
                return None;
            }
            Some(Box::new(move |app, _| app.dressed([&model, &body], dressed)))
        });
    }

    /// The joints and weights of a garment have been found, or not: it gains them, unless another model is open by now. The checker and the
    /// range of motion look at it, and the panel of tools says what to look at first.
    fn dressed(&mut self, models: [&Arc<Model>; 2], dressed: Result<DressedGarment, Refusal>) {
        let [model, _] = models;
        if !self.session.edited_weights().edited_model().is_some_and(|now| Arc::ptr_eq(now, model)) {
            return;
        }
        let DressedGarment { weights, gained, dressed } = match dressed {
            Ok(garment) => garment,
            Err(why) => {
                self.status.error = Some(format!("{}: {why}.", model.source.name));
                return;
            }
        };
        let (gains, changes) = (gained.is_some(), gained.is_some() || !weights.is_empty());
        let are_both = gains && !weights.is_empty();
        let weights = Some(weights).filter(|weights| !weights.is_empty());
        let weights = weights.map(|weights| EditCommand::ChangeWeights(Arc::new(weights)));
        let gained = gained.map(|change| EditCommand::Bind(Arc::new(change)));
        // Both are one step.
        let ends = |end: EditCommand| are_both.then_some(end);
        for command in ends(EditCommand::BeginEdit).into_iter().chain(weights).chain(gained) {
            self.change(command);
        }
        ends(EditCommand::EndEdit).into_iter().for_each(|end| _ = self.change(end));
        match told(&self.session, models, (&dressed, changes)) {
            Ok(said) => {
                self.status.say(said);
                if !gains {
                    self.carry_out_inspection(InspectionCommand::Inspect);
                    self.carry_out_inspection(InspectionCommand::RunRom(RomOptions::default()));
                }
                if !self.session.tools().open {
                    self.change(ToolCommand::TogglePanel);
                }
            }
            Err(why) => self.status.error = Some(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelParts;
    use crate::model::test_shapes::{Tube, tube};
    use crate::parallel::JobContext;
    use crate::session::{Document, Examination};

    /// A tube whose mesh has no skin.
    fn bare() -> Model {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
        parts.skins.clear();
        parts.instances[0].skin = None;
        parts.meshes[0].primitives[0].stored_influences = None;
        Model::build(parts).unwrap()
    }

    fn opened(model: Model) -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(model), Vec::new(), None));
        session
    }

    #[test]
    fn a_skin_that_the_session_refuses_is_told_as_a_failure_and_one_that_it_takes_is_looked_at() {
        let mut session = opened(bare());
        let (model, body) =
            (Arc::clone(session.model().unwrap()), Arc::new(tube(Tube { joints: 4, ..Tube::default() })));
        let found = dress(&model, &body, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
        let change = found.gained.clone().unwrap();
        let mut wrong = change.clone();
        wrong.primitives.clear();
        session.apply(EditCommand::Bind(Arc::new(wrong)));
        let said = told(&session, [&model, &body], (&found.dressed, true));
        assert!(said.is_err_and(|why| why.contains("could not be given")));
        assert!(session.take_examination().is_none() && !session.edited_weights().was_given_skins());
        session.apply(EditCommand::Bind(Arc::new(change)));
        let said = told(&session, [&model, &body], (&found.dressed, true));
        assert!(said.is_ok_and(|said| said.contains("weights of 4 of its joints")));
        assert_eq!(session.take_examination(), Some(Examination::CheckAndMotion));
        assert!(session.edited_weights().was_given_skins());
        session.apply(EditCommand::Undo);
        assert!(!session.edited_weights().was_given_skins());
    }

    #[test]
    fn a_garment_that_has_these_weights_already_is_told_to_be_the_same() {
        let body = Arc::new(tube(Tube { joints: 4, ..Tube::default() }));
        let session = opened(tube(Tube { joints: 4, ..Tube::default() }));
        let model = Arc::clone(session.model().unwrap());
        let found = dress(&model, &body, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
        let said = |changes: bool| told(&session, [&model, &body], (&found.dressed, changes));
        assert!(said(false).is_ok_and(|said| said.starts_with("Nothing has changed")) && said(true).is_err());
    }

    #[test]
    fn the_table_of_joints_counts_where_it_is_about_the_body() {
        let (body, other) = (Arc::new(tube(Tube::default())), Arc::new(tube(Tube::default())));
        let mut settings = Settings { donor: Some(Donor(Arc::clone(&body))), ..Settings::default() };
        settings.names.set("joint 0", Some("joint 1"));
        assert!(dress_settings(&settings, &body).names == settings.names);
        assert!(dress_settings(&settings, &other).names == NameMap::default());
    }

    #[test]
    fn a_garment_without_a_skin_has_none_while_one_is_tried() {
        let mut session = opened(bare());
        assert!(garment_and_body(&session).is_none());
        session.open_beside(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        session.apply(ToolCommand::Choose(Some("bind")));
        assert_eq!(session.model().unwrap().skins.len(), 1, "it is tried");
        let [garment, body] = garment_and_body(&session).unwrap();
        assert_eq!([garment.skins.len(), body.skins.len()], [0, 1]);
    }
}
