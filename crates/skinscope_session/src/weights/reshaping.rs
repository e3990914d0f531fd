//! Corrective shapes of the open model: each that is made, named or removed is one step of the history, which holds what it has changed. A session
//! that defers work has them made in the background, and goes on meanwhile.

use std::sync::Arc;

use skinscope_anim::pose::controls::{Controls, renamed_target};
use skinscope_base::math::Aabb;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{METHODS, Method};
use skinscope_model::{Model, NodeId, ShapeChange};

use crate::shaping::{Displaced, MadeShapes, ShapeError, ShapeTask, ShapeWork, TargetName, restore_shapes};
use crate::{Document, PoseSource, Session, Tools};

/// How a shape is made.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ShapeSettings {
    /// The name; where it is empty, the shape is called after the clip and its time.
    pub name: String,
    /// The joints whose rotations bring it in; without any, those that the pose turns and that its vertices follow.
    pub joints: Vec<NodeId>,
    /// Whether its mirror image is made too, in the mirrored pose.
    pub both_sides: bool,
    /// Whether what drives shapes of the file and does not fit the model is left out, since no shape can be made beside it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drops_unfit: bool,
}

/// Commands about corrective shapes: morph targets that the rotations of joints bring in.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ShapeCommand {
    /// Make a shape that gives the surface as it is drawn to the method that moves each vertex alone: in the pose that is shown, the picture is
    /// the same without the pass, or with linear blending.
    OfMethod(ShapeSettings),
    /// Make a shape of a mesh that has the surface as it should be in the pose that is shown: the vertices of the file in its order, in the scene,
    /// metres.
    OfMesh(ShapeSettings, #[serde(with = "skinscope_base::text_form::shared")] Arc<Vec<[f64; 3]>>),
    /// Make a shape of displacements of vertices in the pose that is shown.
    OfOffsets(ShapeSettings, #[serde(with = "skinscope_base::text_form::shared")] Arc<Vec<Displaced>>),
    /// Make a shape of each pose in which the dragged vertex is held: of where it should be, with the surface around it, in place of the weights
    /// that its drags have found.
    OfDrag(ShapeSettings),
    /// Make the mirror image of the shape of this name, in the mirrored pose: the joints of the other side bring it in.
    Mirror(String),
    /// Set how the next shape is made, which is no step: for a mesh that is read from a file.
    Set(ShapeSettings),
    /// Give morph targets another name.
    Rename(TargetName, String),
    /// Take morph targets away.
    Remove(TargetName),
    /// Give up what is being made in the background.
    Cancel,
}

/// Shapes that are being made in the background.
#[derive(Clone, Debug)]
pub(crate) struct Shaping {
    number: u64,
    task: Arc<ShapeTask>,
    /// What was made, while a gesture goes on whose end it waits for.
    made: Option<Result<MadeShapes, ShapeError>>,
}

impl Tools {
    /// Returns whether shapes are being made in the background.
    #[must_use]
    pub fn makes_shapes(&self) -> bool {
        self.shaping.is_some()
    }

    /// Has shapes made in the background.
    pub(crate) fn begin_shapes(&mut self, task: ShapeTask) {
        self.shapings += 1;
        self.shaping = Some(Shaping { number: self.shapings, task: Arc::new(task), made: None });
    }

    /// Returns the number of what is to be made in the background, with what it is.
    pub(crate) fn wanted_shapes(&self) -> Option<(u64, &Arc<ShapeTask>)> {
        self.shaping.as_ref().filter(|shaping| shaping.made.is_none()).map(|shaping| (shaping.number, &shaping.task))
    }
}

impl Session {
    /// Carries a command about shapes out, or has it carried out in the background, and notes what came of it.
    pub(crate) fn reshape(&mut self, command: &ShapeCommand) {
        match command {
            ShapeCommand::Set(settings) => {
                self.tools.shape_settings = settings.clone();
                return;
            }
            ShapeCommand::Cancel => {
                self.tools.shaping = None;
                return;
            }
            _ if self.tools.makes_shapes() => {
                let why = "shapes are being made already: wait until they are there, or cancel that";
                self.tools.shapes = Some(Err(why.to_owned()));
                return;
            }
            ShapeCommand::OfDrag(settings) => return self.shape_of_drag(settings),
            _ => {}
        }
        self.choose_tool(None);
        self.update_pose();
        let (settings, work) = match command {
            ShapeCommand::OfMethod(settings) => (settings.clone(), ShapeWork::OfMethod),
            ShapeCommand::OfMesh(settings, points) => (settings.clone(), ShapeWork::OfMesh(Arc::clone(points))),
            ShapeCommand::OfOffsets(settings, moved) => (settings.clone(), ShapeWork::OfOffsets(Arc::clone(moved))),
            ShapeCommand::Mirror(name) => (self.tools.shape_settings.clone(), ShapeWork::Mirror(name.clone())),
            ShapeCommand::Rename(old, new) => (ShapeSettings::default(), ShapeWork::Rename(old.clone(), new.clone())),
            ShapeCommand::Remove(name) => (ShapeSettings::default(), ShapeWork::Remove(name.clone())),
            ShapeCommand::Set(_) | ShapeCommand::Cancel | ShapeCommand::OfDrag(_) => return,
        };
        let Some(task) = self.shape_task(&settings, work) else { return };
        // What a gesture makes is part of its step.
        if self.defers_work && !self.has_gesture() {
            return self.tools.begin_shapes(task);
        }
        if let Some(made) = task.run(&JobContext::of_waiting()) {
            self.show_made(&task, made);
        }
    }

    /// Returns what is to be made of the model in the pose that is shown; `None` without a model.
    pub(crate) fn shape_task(&self, settings: &ShapeSettings, work: ShapeWork) -> Option<ShapeTask> {
        let model = self.model().map(Arc::clone)?;
        let choice = self.view.choice();
        let is_drawn = matches!(work, ShapeWork::OfMethod);
        let name = settings.name.trim();
        Some(ShapeTask {
            name: if name.is_empty() { self.shape_name(&model) } else { settings.name.clone() },
            joints: settings.joints.clone(),
            both_sides: settings.both_sides,
            drops_unfit: settings.drops_unfit,
            pose: self.pose().local.clone(),
            drawn: (choice.method, choice.pass),
            base: self.base_method(is_drawn),
            parameters: self.view.parameters.clone(),
            bounds: self.document().map_or(Aabb::EMPTY, Document::rest_bounds),
            shown: Arc::clone(&model),
            model,
            work,
        })
    }

    /// Returns the method that a shape is taken back through: the one that is shown where it moves each vertex alone. With `drawn` the surface
    /// is that of the method that is shown, so that it has to be another one.
    fn base_method(&self, drawn: bool) -> &'static Method {
        let choice = self.view.choice();
        let is_alone = choice.method.pass.is_none() && (choice.pass.is_some() || !drawn);
        if is_alone { choice.method } else { METHODS[0] }
    }

    /// Shapes have been made in the background. They are shown once no gesture is under way any more, where the model is still the one that they
    /// were made for.
    pub(crate) fn take_shapes_made(&mut self, task: &Arc<ShapeTask>, made: Result<MadeShapes, ShapeError>) {
        let is_it = |shaping: &&mut Shaping| Arc::ptr_eq(&shaping.task, task);
        let Some(shaping) = self.tools.shaping.as_mut().filter(is_it) else { return };
        shaping.made = Some(made);
        self.follow_shaping();
    }

    /// Shows shapes that were made in the background, or gives up making them where the model is another one since.
    pub(crate) fn follow_shaping(&mut self) {
        if self.has_gesture() {
            return;
        }
        let Some(shown) = self.tools.shaping.as_ref().map(|shaping| &shaping.task.shown) else { return };
        let is_shown = self.edited_weights().edited_model().is_some_and(|now| Arc::ptr_eq(now, shown));
        if !is_shown {
            let why = "the model has changed while shapes were made of it, so that they were given up: make them again";
            (self.tools.shaping, self.tools.shapes) = (None, Some(Err(why.to_owned())));
            return;
        }
        let Some(shaping) = self.tools.shaping.take_if(|shaping| shaping.made.is_some()) else { return };
        let Some(made) = shaping.made else { return };
        self.stop_trial();
        match shaping.task.work {
            ShapeWork::OfDrags(..) => self.show_shapes_of_drags(&shaping.task, made),
            _ => self.show_made(&shaping.task, made),
        }
    }

    /// Shows what was made, as one step, and notes what is said of it.
    fn show_made(&mut self, task: &ShapeTask, made: Result<MadeShapes, ShapeError>) {
        let told = made.map(|MadeShapes { model, lines }| {
            self.show_shapes(Arc::clone(&task.model), model);
            if let ShapeWork::Rename(old, new) = &task.work {
                self.rename_in_controls(&task.model, old, new);
            }
            lines
        });
        self.tools.shapes = Some(told.map_err(|why| why.0));
    }

    /// Lets controls name morph targets by their new name, in the step that has given it that. `before` is the model that has the old one.
    fn rename_in_controls(&mut self, before: &Model, old: &TargetName, new: &str) {
        let Some(name) = old.in_model(before) else { return };
        // A control names a target by its node and its name, and those of another mesh may be called so still.
        let shows = |node: &str| {
            let TargetName::At([mesh, _]) = old else { return true };
            let mut own = before.instances.iter().filter(|instance| before.file_mesh(instance.mesh).0 == *mesh);
            own.any(|instance| {
                let index = before.skeleton.file_index[instance.node.index()];
                before.skeleton.names[instance.node.index()] == node || format!("#{index}") == node
            })
        };
        let lines = &self.edits.controls.drivers;
        let renamed: Vec<String> = lines.iter().map(|line| renamed_target(line, name, new, &shows)).collect();
        if renamed != **lines {
            let controls = Controls { drivers: Arc::new(renamed), ..Controls::clone(&self.edits.controls) };
            Arc::make_mut(&mut self.edits).controls = Arc::new(controls);
        }
    }

    /// Gives meshes morph targets that they had once, in one step.
    ///
    /// # Errors
    /// They do not fit the model, and nothing has changed.
    pub(crate) fn take_shapes(&mut self, change: &ShapeChange) -> Result<(), ShapeError> {
        self.choose_tool(None);
        let Some(before) = self.model().map(Arc::clone) else { return Ok(()) };
        let shaped = restore_shapes(&before, change)?;
        self.show_shapes(before, Arc::new(shaped));
        Ok(())
    }

    /// Shows a model that has other morph targets, as one step. Layers of weights stay, since all vertices do.
    pub(crate) fn show_shapes(&mut self, before: Arc<Model>, shaped: Arc<Model>) {
        self.history.targets_changed(shaped.targets_back_to(&before), Arc::clone(&self.edits));
        self.skinning().show_skinning(shaped);
        self.follow_bindings(Some(&before));
        self.follow_left();
    }

    /// Returns the name of a shape that is given none.
    fn shape_name(&self, model: &Model) -> String {
        let playback = self.playback();
        let clip = playback.clip.filter(|_| playback.source == PoseSource::Clip);
        match clip.and_then(|clip| model.clips.get(clip.index())) {
            Some(clip) => format!("{} {:.2}", clip.name, playback.time_secs),
            None => "Shape".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_anim::pose::controls::quoted;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, PrimitiveId};

    use super::*;
    use crate::tests::sessions::still_session;
    use crate::{ChannelValue, EditCommand, SessionFile, ViewCommand};

    /// The joint that is bent.
    const JOINT: NodeId = NodeId(2);

    fn bend(session: &mut Session, degrees: f32) {
        session.apply(EditCommand::Edit(JOINT, ChannelValue::Rotation(Vec3::X * degrees)));
        session.apply(EditCommand::EndEdit);
        session.update_pose();
    }

    /// Bends a tube, shows it by dual quaternions, and makes a shape of that.
    fn shape_of_drawn(session: &mut Session, name: &str) {
        bend(session, 60.0);
        session.apply(ViewCommand::SetMethod("dual-quaternion"));
        let settings = ShapeSettings { name: name.to_owned(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfMethod(settings)));
        let told = session.tools().shapes.clone().unwrap();
        assert!(told.is_ok(), "{told:?}");
    }

    fn names(session: &Session) -> Vec<String> {
        session.model().unwrap().meshes[0].morph_names.clone()
    }

    fn weights(session: &mut Session) -> Vec<f32> {
        session.update_pose();
        session.pose().local.morph_weights.clone()
    }

    #[test]
    fn a_shape_of_what_is_drawn_is_one_step_and_follows_its_joint() {
        let mut session = still_session(tube(Tube::default()));
        session.apply(crate::PlaybackCommand::SetPose(PoseSource::Rest));
        let refused = |session: &mut Session, settings: ShapeSettings| {
            session.apply(EditCommand::Shape(ShapeCommand::OfMethod(settings)));
            session.tools().shapes.clone().unwrap().err().unwrap_or_default()
        };
        assert!(refused(&mut session, ShapeSettings::default()).contains("choose the method"));
        shape_of_drawn(&mut session, "elbow");
        assert_eq!((weights(&mut session), names(&session)), (vec![1.0], vec!["elbow".to_owned()]));
        assert!(session.unsaved().has_unsaved_skinning() && session.unsaved().unsaved_work().shapes == 1);
        bend(&mut session, 30.0);
        assert!((weights(&mut session)[0] - 0.5).abs() < 1e-4, "half way there is half of it");
        bend(&mut session, 60.0);
        let wrong = ShapeSettings { joints: vec![NodeId(1)], ..ShapeSettings::default() };
        assert!(refused(&mut session, wrong).contains("turned as at rest"));
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert_eq!(weights(&mut session), [1.0], "bent as it was");
        session.apply(EditCommand::Undo);
        assert!(weights(&mut session).is_empty() && names(&session).is_empty());
        assert!(!session.unsaved().has_unsaved_skinning());
        session.apply(EditCommand::Redo);
        session.update_pose();
        assert_eq!((weights(&mut session), names(&session)), (vec![1.0], vec!["elbow".to_owned()]));
    }

    #[test]
    fn weights_that_were_set_follow_their_shape_when_another_goes() {
        let mut session = still_session(tube(Tube::default()));
        shape_of_drawn(&mut session, "one");
        bend(&mut session, 0.0);
        bend(&mut session, -60.0);
        let settings = ShapeSettings { name: "two".into(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfMethod(settings)));
        assert_eq!(names(&session), ["one", "two"]);
        session.apply(EditCommand::EditMorph(1, 0.25));
        session.apply(EditCommand::EndEdit);
        session.apply(EditCommand::Shape(ShapeCommand::Remove("one".into())));
        assert_eq!((names(&session), session.edits().morphs.get(&0)), (vec!["two".to_owned()], Some(&0.25)));
        session.apply(EditCommand::Shape(ShapeCommand::Rename("two".into(), "other".into())));
        assert_eq!((names(&session), session.edits().morphs.get(&0)), (vec!["other".to_owned()], Some(&0.25)));
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert_eq!((names(&session).len(), session.edits().morphs.get(&1)), (2, Some(&0.25)));
    }

    #[test]
    fn a_weight_of_a_shape_that_was_removed_is_there_again_with_it() {
        let mut session = still_session(tube(Tube::default()));
        shape_of_drawn(&mut session, "one");
        bend(&mut session, -60.0);
        let settings = ShapeSettings { name: "two".into(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfMethod(settings)));
        for (target, weight) in [(0, 0.75), (1, 0.25)] {
            session.apply(EditCommand::EditMorph(target, weight));
            session.apply(EditCommand::EndEdit);
        }
        let all = session.edits().clone();
        session.apply(EditCommand::Shape(ShapeCommand::Remove("one".into())));
        assert_eq!((session.edits().morphs.get(&0), session.edits().morphs.len()), (Some(&0.25), 1));
        session.apply(EditCommand::Undo);
        assert!(*session.edits() == all && names(&session) == ["one", "two"]);
        session.apply(EditCommand::Redo);
        assert_eq!((session.edits().morphs.get(&0), session.edits().morphs.len()), (Some(&0.25), 1));
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::BeginEdit);
        session.apply(EditCommand::Shape(ShapeCommand::Remove("one".into())));
        session.apply(EditCommand::CancelEdit);
        assert!(*session.edits() == all && names(&session) == ["one", "two"]);
    }

    #[test]
    fn displacements_and_meshes_are_taken_back_through_the_method_that_is_shown() {
        let mut session = still_session(tube(Tube::default()));
        bend(&mut session, 60.0);
        let at = PrimitiveId::new(MeshId(0), 0);
        let by = Arc::new(vec![(at, vec![(70, [0.0, 0.0, 0.05])])]);
        let settings = |name: &str| ShapeSettings { name: name.into(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfOffsets(settings("dent"), by)));
        let offsets = session.model().unwrap().meshes[0].primitives[0].morphs[0].positions.clone();
        let moved: Vec<usize> = (0..offsets.len()).filter(|at| offsets[*at] != Vec3::ZERO).collect();
        assert!(moved == [70] && (offsets[70].length() - 0.05).abs() < 0.05, "{moved:?}");
        let few = Arc::new(vec![[0.0; 3]; 5]);
        session.apply(EditCommand::Shape(ShapeCommand::OfMesh(settings("few"), few)));
        let why = session.tools().shapes.clone().unwrap().err().unwrap_or_default();
        assert!(why.contains("5 vertices") && names(&session) == ["dent"], "{why}");
    }

    #[test]
    fn poses_that_tools_keep_get_the_weights_of_the_model() {
        let mut session = still_session(tube(Tube::default()));
        session.apply(crate::ToolCommand::TakePose);
        let kept = |session: &Session| session.tools().settings.pose.as_ref().map(|pose| pose.morph_weights.len());
        assert_eq!(kept(&session), Some(0));
        shape_of_drawn(&mut session, "elbow");
        assert_eq!(kept(&session), Some(1));
        session.apply(EditCommand::Undo);
        assert_eq!(kept(&session), Some(0));
    }

    #[test]
    fn a_session_file_keeps_shapes_that_are_not_saved_yet() {
        let model = Arc::new(tube(Tube::default()));
        let document = || Document::new(Arc::clone(&model), Vec::new(), Some("model.glb".into()));
        let mut session = Session::default();
        session.open(document());
        session.apply(crate::PlaybackCommand::SetPose(PoseSource::Rest));
        shape_of_drawn(&mut session, "elbow");
        let file = session.unsaved().snapshot().unwrap().file();
        let file = SessionFile::parse(file.text().unwrap().as_bytes()).unwrap();
        let mut again = Session::default();
        let lines = again.open_with_session(document(), &file);
        assert!(lines.is_empty(), "{lines:?}");
        let [before, after] = [&session, &again].map(|session| Arc::clone(session.model().unwrap()));
        assert_eq!(names(&again), ["elbow"]);
        assert!(before.source.kept_shapes == after.source.kept_shapes && before.retargeted == after.retargeted);
        let offsets = |model: &Model| model.meshes[0].primitives[0].morphs[0].positions.clone();
        assert!(offsets(&before) == offsets(&after));
        let keys = |model: &Model| model.clips[0].channels.len();
        assert_eq!(keys(&before), keys(&after), "the clip has keys of it");
    }

    /// The model as a file has it that it was saved into.
    fn as_file(model: &Model) -> Arc<Model> {
        let mut parts = (**model).clone();
        parts.retargeted.clear();
        Arc::new(Model::build(parts).unwrap())
    }

    #[test]
    fn controls_name_a_target_by_its_new_name() {
        let mut session = still_session(tube(Tube::default()));
        shape_of_drawn(&mut session, "elbow");
        let node = session.model().unwrap().skeleton.names[0].clone();
        let line = format!("morph({}, 'elbow') = 0.25", quoted(&node));
        session.apply(crate::ControlCommand::AddDriver(line.clone()));
        assert_eq!(weights(&mut session), [0.25]);
        session.apply(EditCommand::Shape(ShapeCommand::Rename("elbow".into(), "elbow.L".into())));
        assert_eq!(weights(&mut session), [0.25], "{:?}", session.edits().controls.drivers);
        session.apply(EditCommand::Undo);
        assert_eq!(weights(&mut session), [0.25]);
        assert_eq!(session.edits().controls.drivers[..], [line]);
    }

    #[test]
    fn a_comparison_with_a_file_ends_where_its_morph_targets_are_others() {
        let mut session = still_session(tube(Tube::default()));
        shape_of_drawn(&mut session, "elbow");
        let file = as_file(session.model().unwrap());
        let mut session = Session::default();
        session.open(Document::new(Arc::clone(&file), Vec::new(), Some("model.glb".into())));
        session.compare_file(crate::ComparedFile { model: file, name: "other.glb".into() }).unwrap();
        session.apply(EditCommand::Shape(ShapeCommand::Rename("elbow".into(), "elbow.L".into())));
        assert_eq!(session.deforming().compared_file(), Some("other.glb"));
        session.apply(EditCommand::Shape(ShapeCommand::Remove("elbow.L".into())));
        assert!(names(&session).is_empty() && session.deforming().compared_file().is_none());
        session.update_pose();
        assert!(session.surfaces().surface().is_some());
    }

    #[test]
    fn a_session_file_keeps_a_name_and_leaves_all_keys_as_they_are() {
        let mut session = still_session(tube(Tube::default()));
        shape_of_drawn(&mut session, "elbow");
        let file = as_file(session.model().unwrap());
        let document = || Document::new(Arc::clone(&file), Vec::new(), Some("model.glb".into()));
        let mut session = Session::default();
        session.open(document());
        session.apply(EditCommand::Shape(ShapeCommand::Rename("elbow".into(), "elbow.L".into())));
        let kept = session.unsaved().snapshot().unwrap().file();
        let kept = SessionFile::parse(kept.text().unwrap().as_bytes()).unwrap();
        let mut again = Session::default();
        again.open_with_session(document(), &kept);
        let model = Arc::clone(again.model().unwrap());
        assert!(names(&again) == ["elbow.L"] && model.retargeted == session.model().unwrap().retargeted);
        assert!(!model.retargeted[0].has_other_keys && model.clips[0].is_same(&file.clips[0]));
    }

    #[test]
    fn a_session_file_knows_a_new_shape_from_one_of_its_name_that_the_file_has() {
        let document = |model: &Arc<Model>| Document::new(Arc::clone(model), Vec::new(), Some("model.glb".into()));
        let offsets = |session: &Session| session.model().unwrap().meshes[0].primitives[0].morphs[0].positions.clone();
        let mut session = still_session(tube(Tube::default()));
        shape_of_drawn(&mut session, "elbow");
        let file = as_file(session.model().unwrap());
        let mut session = Session::default();
        session.open(document(&file));
        session.apply(crate::PlaybackCommand::SetPose(PoseSource::Rest));
        let first = offsets(&session);
        session.apply(EditCommand::Shape(ShapeCommand::Remove("elbow".into())));
        bend(&mut session, -40.0);
        session.apply(ViewCommand::SetMethod("dual-quaternion"));
        let settings = ShapeSettings { name: "elbow".into(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfMethod(settings)));
        let second = offsets(&session);
        assert!(names(&session) == ["elbow"] && first != second);
        let kept = session.unsaved().snapshot().unwrap().file();
        let kept = SessionFile::parse(kept.text().unwrap().as_bytes()).unwrap();
        let mut again = Session::default();
        let lines = again.open_with_session(document(&file), &kept);
        assert!(lines.is_empty() && names(&again) == ["elbow"], "{lines:?}");
        assert!(offsets(&again) != first, "the shape of the file");
        assert!(offsets(&again) == second, "another shape");
        assert!(
            again.unsaved().has_unsaved_skinning() && !again.unsaved().has_unsaved_work(),
            "the session file has it"
        );
        // Once it was saved, the file has the new one.
        let saved = as_file(session.model().unwrap());
        let mut again = Session::default();
        again.open_with_session(document(&saved), &kept);
        assert!(offsets(&again) == second && again.model().unwrap().retargeted.is_empty());
    }
}
