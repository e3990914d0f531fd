//! Bone links that a joint gains while the model is open: one step of the history, which holds the model from before.

use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_edit::{LinkPlan, LinkRefusal, LinkSettings, plan_links};
use skinscope_inspect::check::{FindingPose, kept_volumes};
use skinscope_model::{BuildError, LinkChange, Model, NodeId};

use crate::{Session, Tools};

/// The angle at which the volume is told, radians.
const TOLD: f32 = std::f32::consts::FRAC_PI_2;

/// What came of asking for the links of a joint.
#[derive(Clone, Debug)]
pub struct LinksMade {
    /// The joint.
    pub joint: NodeId,
    /// What it gained, or why it cannot gain any.
    pub gained: Result<GainedLinks, LinkRefusal>,
    /// What is still to be measured of them.
    pub(super) task: Option<Arc<LinkTask>>,
}

/// The links that a joint has gained.
#[derive(Clone, Debug)]
pub struct GainedLinks {
    /// How many vertices got other weights.
    pub vertices: usize,
    /// What they have done to the volume; `None` until it is measured.
    pub volumes: Option<LinkVolumes>,
}

/// What links have done to the volume of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkVolumes {
    /// The part of its volume that the skin within two radii of the joint keeps where that is turned by 90°, before and after; `None` where it
    /// encloses none.
    pub at_90: [Option<f64>; 2],
    /// The same at the moment of a clip at which it turns farthest, where one turns it.
    pub at_worst: Option<[Option<f64>; 2]>,
}

/// Measures what links have done to the volume.
#[derive(Debug)]
pub(crate) struct LinkTask {
    before: Arc<Model>,
    /// The model with the links, as they were made.
    pub after: Arc<Model>,
    /// The joint above, and the one that turns.
    joints: [NodeId; 2],
    poses: Vec<FindingPose>,
}

impl LinkTask {
    fn of([before, after]: [&Arc<Model>; 2], plan: &LinkPlan) -> Self {
        let joint = plan.change.of;
        let turned = FindingPose::Turned { joint, axis: plan.axis, angle: TOLD };
        let farthest = plan.moment.map(|(clip, time_secs)| FindingPose::Clip { clip, time_secs });
        let poses = std::iter::once(turned).chain(farthest).collect();
        Self { before: Arc::clone(before), after: Arc::clone(after), joints: [plan.above, joint], poses }
    }

    /// Returns the volumes; `None` where the work was cancelled.
    pub fn run(&self, context: &JobContext) -> Option<LinkVolumes> {
        let kept = kept_volumes([&self.before, &self.after], self.joints, &self.poses, context)?;
        let at_90 = kept.first().copied().unwrap_or_default();
        Some(LinkVolumes { at_90, at_worst: kept.get(1).copied() })
    }
}

impl Tools {
    /// Takes what was measured of links, where nothing else was asked for since.
    pub(crate) fn take_link_volumes(&mut self, task: &Arc<LinkTask>, volumes: LinkVolumes) {
        let is_it = |made: &&mut LinksMade| made.task.as_ref().is_some_and(|own| Arc::ptr_eq(own, task));
        let Some(made) = self.links.as_mut().filter(is_it) else { return };
        made.task = None;
        if let Ok(gained) = &mut made.gained {
            gained.volumes = Some(volumes);
        }
    }
}

impl Session {
    /// Returns whether the volume around the joint that gained links last is being measured, in the background.
    #[must_use]
    pub fn measures_links(&self) -> bool {
        self.wanted_link_task().is_some()
    }

    /// Returns what is to be measured of the links that were made last, as long as the model has them.
    pub(crate) fn wanted_link_task(&self) -> Option<&Arc<LinkTask>> {
        let made = self.tools.links.as_ref()?;
        let (task, model) = (made.task.as_ref()?, self.model()?);
        let has_links = model.links.iter().any(|link| link.of == made.joint);
        (has_links && model.is_of_one_file(&task.after)).then_some(task)
    }

    /// Puts links between a joint and the one above it, in one step, and notes what came of it.
    pub(crate) fn insert_links(&mut self, joint: NodeId, settings: &LinkSettings) {
        self.choose_tool(None);
        let Some(before) = self.model().filter(|model| joint.index() < model.skeleton.len()).map(Arc::clone) else {
            return;
        };
        let linked = plan_links(&before, joint, settings).and_then(|plan| Ok((before.with_links(&plan.change)?, plan)));
        let (gained, task) = match linked {
            Ok((linked, plan)) => {
                let linked = Arc::new(linked);
                let task = Arc::new(LinkTask::of([&before, &linked], &plan));
                self.show_gained(before, linked);
                (Ok(GainedLinks { vertices: plan.vertices, volumes: None }), Some(task))
            }
            Err(why) => (Err(why), None),
        };
        // The joint is before all nodes that have other ids now.
        self.tools.links = Some(LinksMade { joint, gained, task: task.clone() });
        let volumes =
            task.filter(|_| !self.defers_work).and_then(|task| Some((task.run(&JobContext::of_waiting())?, task)));
        if let Some((volumes, task)) = volumes {
            self.tools.take_link_volumes(&task, volumes);
        }
    }
}

impl Session {
    /// Gives a joint links that it had once, in one step.
    ///
    /// # Errors
    /// They do not fit the model, and nothing has changed: [`Model::with_links`].
    pub(crate) fn link(&mut self, change: &LinkChange) -> Result<(), BuildError> {
        self.choose_tool(None);
        let Some(before) = self.model().map(Arc::clone) else { return Ok(()) };
        let linked = Arc::new(before.with_links(change)?);
        self.show_gained(before, linked);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use skinscope_model::MeshId;
    use skinscope_model::test_shapes::{Joint, Tube, rigged, tube};

    use super::*;
    use crate::tests::sessions::still_session;
    use crate::{ChannelValue, Document, EditCommand, SelectionCommand, SessionFile, Work};

    fn wide(angle: f32) -> LinkSettings {
        LinkSettings { angle: Some(angle), ..LinkSettings::default() }
    }

    #[test]
    fn links_are_one_step_back_and_forward_and_follow_the_pose() {
        let mut session = still_session(tube(Tube { joints: 3, rings: 25, length: 3.0, ..Tube::default() }));
        let plain = Arc::clone(session.model().unwrap());
        session.apply(EditCommand::InsertLinks(NodeId(2), wide(120.0)));
        let linked = Arc::clone(session.model().unwrap());
        assert_eq!((linked.links.len(), linked.skeleton.len()), (1, plain.skeleton.len() + 1));
        let made = session.tools().links.clone().unwrap().gained.unwrap();
        let [before, after] = made.volumes.unwrap().at_90.map(Option::unwrap);
        assert!(made.vertices > 0 && after > before, "{before} {after}");
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(80.0, 0.0, 0.0))));
        session.update_pose();
        let link = session.pose().local.transforms[linked.links[0].node.index()].rotation;
        assert!(link.dot(Quat::from_rotation_x(40_f32.to_radians())).abs() > 1.0 - 1e-5, "{link}");
        session.apply(EditCommand::EndEdit);
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert!(
            session.model().unwrap().links.is_empty()
                && session.model().unwrap().skeleton.len() == plain.skeleton.len()
        );
        session.apply(EditCommand::Redo);
        assert_eq!(session.model().unwrap().links, linked.links);
        // A joint that turns too little says so, and nothing changes.
        session.apply(EditCommand::InsertLinks(NodeId(3), wide(30.0)));
        let refused = session.tools().links.clone().unwrap();
        assert!(refused.joint == NodeId(3) && matches!(refused.gained, Err(LinkRefusal::TurnsLittle { .. })));
    }

    #[test]
    fn a_session_that_defers_work_inserts_links_at_once_and_has_their_volume_measured() {
        let mut session = still_session(tube(Tube { joints: 3, rings: 25, length: 3.0, ..Tube::default() }));
        session.defer_work();
        let find = |session: &mut Session| session.wanted().into_iter().find(|w| matches!(w, Work::MeasureLinks(_)));
        assert!(find(&mut session).is_none() && !session.measures_links());
        session.apply(EditCommand::InsertLinks(NodeId(2), wide(120.0)));
        let volumes = |session: &Session| session.tools().links.clone().unwrap().gained.unwrap().volumes;
        assert!(session.model().unwrap().links.len() == 1 && volumes(&session).is_none());
        // As long as they are undone nobody measures them.
        let work = find(&mut session).unwrap();
        session.apply(EditCommand::Undo);
        assert!(find(&mut session).is_none() && session.begin(&work).is_none());
        session.apply(EditCommand::Redo);
        assert!(find(&mut session).as_ref() == Some(&work) && session.measures_links());
        let done = session.begin(&work).unwrap()(&JobContext::of_waiting()).unwrap();
        session.done(done);
        let [before, after] = volumes(&session).unwrap().at_90.map(Option::unwrap);
        assert!(after > before && !session.measures_links() && find(&mut session).is_none(), "{before} {after}");
    }

    #[test]
    fn a_session_file_keeps_links_that_are_not_saved_yet() {
        let model = Arc::new(tube(Tube { joints: 3, rings: 25, length: 3.0, ..Tube::default() }));
        let document = || Document::new(Arc::clone(&model), Vec::new(), Some("model.glb".into()));
        let mut session = Session::default();
        session.open(document());
        session.apply(EditCommand::InsertLinks(NodeId(2), wide(150.0)));
        let file = session.unsaved().snapshot().unwrap().file();
        let file = SessionFile::parse(file.text().unwrap().as_bytes()).unwrap();
        let mut again = Session::default();
        let lines = again.open_with_session(document(), &file);
        assert!(lines.is_empty(), "{lines:?}");
        let [before, after] = [&session, &again].map(|session| Arc::clone(session.model().unwrap()));
        assert!(before.links.len() == 2 && before.links == after.links);
        assert_eq!(before.skins[0].inverse_bind, after.skins[0].inverse_bind);
        let rows = |model: &Model| {
            let influences = model.influences(MeshId(0), 0).unwrap();
            (0..influences.vertices()).map(|v| influences.of(v).1.to_vec()).collect::<Vec<_>>()
        };
        assert!(rows(&before) == rows(&after));
    }

    #[test]
    fn what_names_nodes_follows_where_their_ids_move_and_comes_back() {
        let joint = |name: &str, parent: Option<usize>, x: f32| Joint {
            name: name.into(),
            parent,
            place: Vec3::X * x,
            turned: Quat::IDENTITY,
        };
        let mut parts: skinscope_model::ModelParts = (*rigged(&[
            joint("root", None, 0.0),
            joint("arm", Some(0), 1.0),
            joint("hand", Some(1), 2.0),
            joint("leg", Some(0), -1.0),
        ]))
        .clone();
        // The triangle at the hand follows the arm too.
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        for vertex in 6..9 {
            influences.joints[4 * vertex..4 * vertex + 2].copy_from_slice(&[1, 2]);
            influences.weights[4 * vertex..4 * vertex + 2].copy_from_slice(&[0.5, 0.5]);
        }
        let mut session = still_session(Model::build(parts).unwrap());
        let leg = NodeId(3);
        session.apply(SelectionCommand::Select(Some(leg)));
        let turned = ChannelValue::Rotation(Vec3::new(0.0, 30.0, 0.0));
        session.apply(EditCommand::Edit(leg, turned));
        session.apply(EditCommand::EndEdit);
        session.apply(EditCommand::InsertLinks(NodeId(2), wide(120.0)));
        let names = |session: &Session| session.model().unwrap().skeleton.names.clone();
        assert_eq!(names(&session), ["root", "arm", "hand", "hand_link1", "leg"]);
        let edited = |session: &Session| session.edits().nodes.keys().copied().collect::<Vec<_>>();
        assert_eq!((session.view().selected, edited(&session)), (Some(NodeId(4)), vec![NodeId(4)]));
        session.apply(EditCommand::Undo);
        assert_eq!((session.view().selected, edited(&session)), (Some(leg), vec![leg]));
        assert_eq!(names(&session), ["root", "arm", "hand", "leg"]);
    }
}
