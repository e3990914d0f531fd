//! Corrective shapes of the open model: each that is made, named or removed is one step of the history, which holds the model from before.

use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::pose::controls::{Controls, renamed_target};
use skinscope_base::math::Aabb;
use skinscope_deform::{Deformation, METHODS};
use skinscope_edit::mirrored_name;
use skinscope_model::{Model, NodeId, PrimitiveId, ShapeChange};
use skinscope_solve::ShapeDriver;

use crate::shaping::{
    ShapeError, Sides, Targets, add_shapes, drivers, mirror_image, remarks, remove_shapes, rename_shape,
    restore_shapes, shape, targets_of_mesh, targets_of_method,
};
use crate::{Document, PoseSource, Session};

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
}

/// Displacements of some vertices of a primitive of the file: metres, in the scene.
pub(crate) type Displaced = (PrimitiveId, Vec<(u32, [f64; 3])>);

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
    /// Make a shape of where the dragged vertex should be in the pose that is shown, with the surface around it, in place of the weights that its
    /// drags have found.
    OfDrag(ShapeSettings),
    /// Make the mirror image of the shape of this name, in the mirrored pose: the joints of the other side bring it in.
    Mirror(String),
    /// Set how the next shape is made, which is no step: for a mesh that is read from a file.
    Set(ShapeSettings),
    /// Give the morph target of the first name the second one.
    Rename(String, String),
    /// Take the morph target of this name away.
    Remove(String),
}

impl Session {
    /// Carries a command about shapes out, and notes what came of it.
    pub(crate) fn reshape(&mut self, command: &ShapeCommand) {
        if let ShapeCommand::OfDrag(settings) = command {
            return self.shape_of_drag(settings);
        }
        if let ShapeCommand::Set(settings) = command {
            self.tools.shape_settings = settings.clone();
            return;
        }
        self.choose_tool(None);
        self.update_pose();
        let Some(before) = self.model().map(Arc::clone) else { return };
        let nothing = |model: Model| (model, Vec::new());
        let made = match command {
            ShapeCommand::Set(_) | ShapeCommand::OfDrag(_) => return,
            ShapeCommand::Rename(old, new) => rename_shape(&before, old, new).map(nothing),
            ShapeCommand::Remove(name) => remove_shapes(&before, std::slice::from_ref(name)).map(nothing),
            ShapeCommand::Mirror(name) => self.mirrored(&before, name),
            ShapeCommand::OfMethod(settings) => {
                self.drawn_targets(&before).and_then(|targets| self.shaped(&before, settings, targets))
            }
            ShapeCommand::OfMesh(settings, points) => {
                self.mesh_targets(&before, points).and_then(|targets| self.shaped(&before, settings, targets))
            }
            ShapeCommand::OfOffsets(settings, displaced) => {
                self.displaced_targets(&before, displaced).and_then(|targets| self.shaped(&before, settings, targets))
            }
        };
        let told = made.map(|(model, lines)| {
            self.show_shapes(before, Arc::new(model));
            if let ShapeCommand::Rename(old, new) = command {
                self.rename_in_controls(old, new);
            }
            lines
        });
        self.tools.shapes = Some(told.map_err(|why| why.0));
    }

    /// Lets controls name a morph target by its new name, in the step that has given it that.
    fn rename_in_controls(&mut self, old: &str, new: &str) {
        let before = &self.edits.controls.drivers;
        let lines: Vec<String> = before.iter().map(|line| renamed_target(line, old, new)).collect();
        if lines != **before {
            let controls = Controls { drivers: Arc::new(lines), ..Controls::clone(&self.edits.controls) };
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
    fn show_shapes(&mut self, before: Arc<Model>, shaped: Arc<Model>) {
        self.history.bindings_changed((Arc::clone(&before), Arc::clone(&self.edits)), None, None);
        self.skinning().show_skinning(shaped);
        self.follow_bindings(Some(&before));
    }

    /// Returns the method that a shape is taken back through: the one that is shown where it moves each vertex alone. With `drawn` the surface
    /// is that of the method that is shown, so that it has to be another one.
    pub(crate) fn base_method(&self, drawn: bool) -> Deformation<'static> {
        let choice = self.view.choice();
        let is_alone = choice.method.pass.is_none() && (choice.pass.is_some() || !drawn);
        Deformation::with(if is_alone { choice.method } else { METHODS[0] }, &self.view.parameters)
    }

    /// Returns where the method that is shown puts the surface in the pose.
    fn drawn_targets(&self, model: &Model) -> Result<(Vec<Targets>, Deformation<'static>), ShapeError> {
        let choice = self.view.choice();
        if choice.pass.is_none() && std::ptr::eq(choice.method, METHODS[0]) {
            let why =
                "the picture shows linear blending: choose the method or the pass whose surface the shape is to have";
            return Err(ShapeError(why.to_owned()));
        }
        let mut drawn = Deformation::with(choice.method, &self.view.parameters);
        if let Some(pass) = choice.pass {
            drawn = drawn.then(pass, &self.view.parameters);
        }
        let targets = targets_of_method(model, &self.pose().local, None, drawn);
        let unknown = || ShapeError(format!("{} cannot be worked out for this model", choice.label()));
        Ok((targets.ok_or_else(unknown)?, self.base_method(true)))
    }

    fn mesh_targets(
        &self,
        model: &Model,
        points: &[[f64; 3]],
    ) -> Result<(Vec<Targets>, Deformation<'static>), ShapeError> {
        let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
        let targets = targets_of_mesh(model, &self.pose().local, (None, None), &points);
        Ok((targets.map_err(|why| ShapeError(format!("the mesh does not fit: {why}")))?, self.base_method(false)))
    }

    fn displaced_targets(
        &self,
        model: &Model,
        displaced: &[Displaced],
    ) -> Result<(Vec<Targets>, Deformation<'static>), ShapeError> {
        let base = self.base_method(false);
        let unknown = || ShapeError(format!("{} cannot be worked out for this model", base.method.label));
        let mut targets = targets_of_method(model, &self.pose().local, None, base).ok_or_else(unknown)?;
        for (at, vertices) in displaced {
            let own = targets.iter_mut().find(|((_, of), _)| of == at);
            let Some((_, places)) = own else { continue };
            for (vertex, by) in vertices {
                if let Some(place) = places.get_mut(*vertex as usize) {
                    *place += DVec3::from_array(*by);
                }
            }
        }
        Ok((targets, base))
    }

    /// Makes a shape of where the surface should be in the pose that is shown, and returns the model with it and what is said of it.
    fn shaped(
        &self,
        model: &Model,
        settings: &ShapeSettings,
        (targets, base): (Vec<Targets>, Deformation<'_>),
    ) -> Result<(Model, Vec<String>), ShapeError> {
        let pose = self.pose().local.clone();
        let name = if settings.name.trim().is_empty() { self.shape_name(model) } else { settings.name.clone() };
        let sides = match (settings.both_sides, self.document()) {
            (true, Some(document)) => Some(Sides::of(model, document.rest_bounds())?),
            _ => None,
        };
        let mirrored = sides.and_then(|sides| sides.mirrored(model, &pose, &targets));
        let mut shapes = vec![shape(model, (name.clone(), pose), &targets, (base, true))?];
        if let Some((pose, targets)) = mirrored {
            let other = mirrored_name(&name).unwrap_or_else(|| format!("{name} mirrored"));
            shapes.push(shape(model, (other, pose), &targets, (base, true))?);
        }
        let named = Some(settings.joints.clone()).filter(|joints| !joints.is_empty());
        let drivers = drivers(model, &shapes, named)?;
        let made = add_shapes(model, &shapes, &drivers)?;
        let mut lines = made.lines(&shapes, &drivers);
        lines.extend(remarks(&made.model));
        lines.push(format!("It is right by {}, which it was taken back through.", base.method.label));
        Ok((made.model, lines))
    }

    /// Makes the mirror image of a shape, and returns the model with it and what is said of it.
    fn mirrored(&self, model: &Model, name: &str) -> Result<(Model, Vec<String>), ShapeError> {
        let bounds = self.document().map_or(Aabb::EMPTY, Document::rest_bounds);
        let (image, driver) = mirror_image(model, &Sides::of(model, bounds)?, name)?;
        let (shapes, drivers) = ([image], [ShapeDriver { driver, shapes: vec![0] }]);
        let made = add_shapes(model, &shapes, &drivers)?;
        let lines = made.lines(&shapes, &drivers);
        Ok((made.model, lines))
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
    use skinscope_model::MeshId;
    use skinscope_model::test_shapes::{Tube, tube};

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
