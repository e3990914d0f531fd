//! Corrective shapes of vertices that are dragged: what no weights can do becomes offsets in each pose in which they are held.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_inspect::VertexRef;
use skinscope_model::{NodeId, PrimitiveId};
use skinscope_solve::DraggedVertex;

use super::drag_pin::DragPin;
use super::vertex_drag::{place_of, settings_of, take_back};
use super::{VertexDrag, VertexDragCommand, notes};
use crate::shaping::{DraggedPose, MadeShapes, ShapeError, ShapeTask, ShapeWork, joints_of_dragged};
use crate::{EditCommand, PaintCommand, Session, ShapeSettings};

impl Session {
    /// Makes a corrective shape of each pose in which dragged vertices are held: of where they should be, with what is around them, in place of the
    /// weights that their drags have found. All of it is one step. What cannot be done changes nothing, and the note of the brushes says why.
    pub(crate) fn shape_of_drag(&mut self, settings: &ShapeSettings) {
        let drag = self.painting.vertex_drag.clone();
        let shown = self.edited_weights().edited_model().map(Arc::clone);
        self.apply(EditCommand::BeginEdit);
        let task = self.task_of_drags(settings);
        match task {
            Ok(task) if self.defers_work => {
                // The weights are as they were dragged until the shapes are there.
                self.apply(EditCommand::CancelEdit);
                self.painting.vertex_drag = drag;
                let shown = shown.unwrap_or_else(|| Arc::clone(&task.shown));
                self.tools.begin_shapes(ShapeTask { shown, ..task });
            }
            Ok(task) => {
                let made = task.run(&JobContext::of_waiting());
                let made = made.unwrap_or_else(|| Err(ShapeError("it was given up".to_owned())));
                self.end_shapes_of_drags(drag, made);
            }
            Err(why) => self.end_shapes_of_drags(drag, Err(ShapeError(why))),
        }
    }

    /// Returns the joints that would bring in shapes of the drags: those that were chosen for shapes, else those that move the dragged vertices
    /// and are turned in their poses, by the weights from before the drags.
    #[must_use]
    pub fn joints_of_drags(&self) -> Vec<NodeId> {
        let named = &self.tools.shape_settings.joints;
        if !named.is_empty() {
            return named.clone();
        }
        let Some(now) = self.edited_weights().edited_model().map(Arc::clone) else { return Vec::new() };
        let model = self.painting.vertex_drag.model_before(&now);
        let mut poses: Vec<(&DragPin, Vec<(PrimitiveId, usize)>)> = Vec::new();
        for (vertex, pin) in self.painting.vertex_drag.all_pins() {
            let Some(place) = place_of(model, vertex) else { continue };
            match poses.iter_mut().find(|(known, _)| pin.is_of(&known.pin.pose)) {
                Some((_, places)) => places.push(place),
                None => poses.push((pin, vec![place])),
            }
        }
        let of = |(pin, places): &(&DragPin, Vec<_>)| joints_of_dragged(model, &pin.pin.pose, places);
        poses.iter().flat_map(of).collect::<BTreeSet<NodeId>>().into_iter().collect()
    }

    /// Shows the shapes that were made of drags in the background, in place of the weights of these.
    pub(crate) fn show_shapes_of_drags(&mut self, task: &ShapeTask, made: Result<MadeShapes, ShapeError>) {
        let drag = self.painting.vertex_drag.clone();
        self.apply(EditCommand::BeginEdit);
        let taken = take_back(&mut self.painter()).map_err(|note| ShapeError(note.text));
        let now = self.edited_weights().edited_model();
        let is_same = now.is_some_and(|now| now.weight_edits() == task.model.weight_edits());
        let changed = || ShapeError("the drags have changed while shapes were made of them".to_owned());
        let taken = taken.and_then(|()| if is_same { Ok(()) } else { Err(changed()) });
        self.end_shapes_of_drags(drag, taken.and(made));
    }

    /// Ends the gesture in which the weights of drags were taken back: with shapes in their place, or as if it had never begun.
    fn end_shapes_of_drags(&mut self, drag: VertexDrag, made: Result<MadeShapes, ShapeError>) {
        let why = match made.map(|made| (made, self.model().map(Arc::clone))) {
            Ok((MadeShapes { model, lines }, Some(before))) => {
                self.show_shapes(before, model);
                self.apply(PaintCommand::DragVertex(VertexDragCommand::ForgetAll));
                self.apply(EditCommand::EndEdit);
                self.painting.note = None;
                self.tools.shapes = Some(Ok(lines));
                return;
            }
            Ok((_, None)) => "nothing is open".to_owned(),
            Err(why) => why.0,
        };
        self.apply(EditCommand::CancelEdit);
        self.painting.vertex_drag = drag;
        self.painting.note = Some(notes::refused(&why));
        self.tools.shapes = Some(Err(why));
    }

    /// Takes the weights back that the drags have found, and returns what is to be made in their place. The error says why there is nothing.
    fn task_of_drags(&mut self, settings: &ShapeSettings) -> Result<ShapeTask, String> {
        self.update_pose();
        let pins = self.painting.vertex_drag.all_pins();
        let pins: Vec<(VertexRef, DragPin)> = pins.map(|(vertex, pin)| (vertex, pin.clone())).collect();
        if pins.is_empty() {
            return Err("no vertex is dragged".to_owned());
        }
        take_back(&mut self.painter()).map_err(|note| note.text)?;
        let nowhere = || "no skin moves this vertex".to_owned();
        let model = self.model().map(Arc::clone).ok_or_else(nowhere)?;
        let mut poses: Vec<DraggedPose> = Vec::new();
        for (vertex, pin) in pins {
            let (at, vertex) = place_of(&model, vertex).ok_or_else(nowhere)?;
            let vertex = DraggedVertex { at, vertex, target: pin.target() };
            match poses.iter_mut().find(|known| pin.is_of(&known.pose)) {
                Some(known) => known.vertices.push(vertex),
                None => {
                    let name = if settings.name.trim().is_empty() { pin.shape_name() } else { settings.name.clone() };
                    poses.push(DraggedPose { name, pose: pin.pin.pose, vertices: vec![vertex] });
                }
            }
        }
        let work = ShapeWork::OfDrags(poses, settings_of(&self.painter()));
        self.shape_task(settings, work).ok_or_else(nowhere)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use skinscope_anim::pose::rotate;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, MeshId, WeightChange};
    use skinscope_solve::kept_shapes;

    use super::super::tests::{now, set};
    use super::super::vertex_drag_tests::{VERTEX, between, drag, dragging, drawn, turn};
    use super::*;
    use crate::tests::sessions::still_session;
    use crate::{
        Command, LayerCommand, PlaybackCommand, PoseSource, SelectionCommand, ShapeCommand, Work, command_line,
        read_command,
    };

    fn shape(session: &mut Session, name: &str) {
        let settings = ShapeSettings { name: name.to_owned(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfDrag(settings)));
        session.update_pose();
    }

    fn way_there(session: &Session, pin: &DragPin) -> Vec<Command> {
        pin.way_there(session.model().unwrap(), session.playback(), !session.edits().is_empty())
    }

    fn names(session: &Session) -> Vec<String> {
        session.model().unwrap().meshes[0].morph_names.clone()
    }

    #[test]
    fn a_shape_of_a_drag_puts_the_vertex_where_no_weights_do_and_the_weights_are_as_before_in_one_step() {
        let mut session = dragging();
        let before = now(&session);
        let wanted = drawn(&mut session) + DVec3::new(0.1, 0.02, 0.05);
        drag(&mut session, &[wanted]);
        let dragged = now(&session);
        assert!(dragged != before && drawn(&mut session).distance(wanted) > 0.05);
        shape(&mut session, "elbow");
        assert!(session.painting().note().is_none(), "{:?}", session.painting().note());
        assert!(now(&session) == before && names(&session) == ["elbow"]);
        assert!(drawn(&mut session).distance(wanted) < 1e-4, "{}", drawn(&mut session).distance(wanted));
        assert!(session.painting().vertex_drag().pins().is_empty());
        let offsets = &session.model().unwrap().meshes[0].primitives[0].morphs[0].positions;
        let moved = offsets.iter().filter(|offset| offset.length() > 1e-4).count();
        assert!(moved > 1 && moved < offsets.len() / 2 && offsets[VERTEX].length() > 0.1, "{moved}");
        session.apply(EditCommand::Undo);
        assert!(now(&session) == dragged && names(&session).is_empty());
        session.apply(EditCommand::Redo);
        assert!(now(&session) == before && names(&session) == ["elbow"]);
        let command = Command::from(EditCommand::Shape(ShapeCommand::OfDrag(ShapeSettings::default())));
        assert_eq!(read_command(&command_line(&command)).unwrap(), command);
    }

    #[test]
    fn a_layer_loses_what_the_drag_has_put_into_it() {
        let mut session = dragging();
        session.apply(PaintCommand::Layer(LayerCommand::Add("Detail".to_owned())));
        let before = now(&session);
        let wanted = between(&session, 0.5);
        drag(&mut session, &[wanted]);
        let dragged = now(&session);
        shape(&mut session, "elbow");
        assert!(now(&session) == before && names(&session) == ["elbow"]);
        assert!(drawn(&mut session).distance(wanted) < 1e-4);
        session.apply(EditCommand::Undo);
        assert!(now(&session) == dragged && names(&session).is_empty());
        assert_eq!(session.painting().layers().layers().len(), 1);
    }

    /// A vertex that is held in two poses, and where it should be in each.
    fn in_two_poses() -> (Session, [DVec3; 2]) {
        let mut session = dragging();
        let first = drawn(&mut session) + DVec3::X * 0.1;
        drag(&mut session, &[first]);
        turn(&mut session, glam::Vec3::new(0.0, 0.0, 70.0));
        let second = drawn(&mut session) + DVec3::Z * 0.1;
        drag(&mut session, &[second]);
        (session, [first, second])
    }

    #[test]
    fn all_poses_get_a_shape_of_their_own_in_one_step() {
        let (mut session, [first, second]) = in_two_poses();
        let dragged = now(&session);
        shape(&mut session, "elbow");
        assert!(session.painting().note().is_none(), "{:?}", session.painting().note());
        assert_eq!(names(&session), ["elbow", "elbow 2"]);
        assert!(session.painting().vertex_drag().pins().is_empty());
        assert!(drawn(&mut session).distance(second) < 1e-4);
        turn(&mut session, glam::Vec3::new(50.0, 0.0, 0.0));
        assert!(drawn(&mut session).distance(first) < 1e-4);
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert!(now(&session) == dragged && names(&session).is_empty());
    }

    #[test]
    fn shapes_without_a_name_are_called_after_the_moments_in_which_they_were_dragged() {
        let mut session = dragging();
        session.apply(EditCommand::ResetAll);
        for secs in [0.5, 0.8] {
            session.apply(PlaybackCommand::Seek(secs));
            session.update_pose();
            let wanted = drawn(&mut session) + DVec3::X * 0.1;
            drag(&mut session, &[wanted]);
        }
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        turn(&mut session, glam::Vec3::new(0.0, 0.0, 70.0));
        let wanted = drawn(&mut session) + DVec3::X * 0.1;
        drag(&mut session, &[wanted]);
        let moments: Vec<Option<String>> =
            session.painting().vertex_drag().pins().iter().map(DragPin::moment).collect();
        assert_eq!(moments, [Some("Bend 0.50 s".to_owned()), Some("Bend 0.80 s".to_owned()), None]);
        // Each of them is gone to from another pose, also where that one is edited.
        for number in [1, 2, 0, 2] {
            let pin = session.painting().vertex_drag().pins()[number].clone();
            for command in way_there(&session, &pin) {
                session.apply(command);
            }
            session.update_pose();
            assert!(pin.is_of(&session.pose().local), "{number}");
        }
        session.apply(PlaybackCommand::Seek(0.1));
        shape(&mut session, "");
        assert!(session.painting().note().is_none(), "{:?}", session.painting().note());
        assert_eq!(names(&session), ["Bend 0.50", "Bend 0.80", "Pose"]);
    }

    #[test]
    fn only_joints_that_move_the_dragged_vertex_bring_its_shapes_in() {
        // Each vertex follows two joints of eight, all but the first of which the clip turns.
        let mut session = still_session(tube(Tube { joints: 8, rings: 25, ..Tube::default() }));
        let vertex = VertexRef { instance: InstanceId::from_index(0), primitive: 0, vertex: 200 };
        let model = Arc::clone(session.model().unwrap());
        let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(vertex.vertex);
        let moves = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.03);
        let own: Vec<NodeId> = moves.map(|(joint, _)| model.skins[0].joints[usize::from(*joint)]).collect();
        assert!(own.len() < 3);
        session.apply(SelectionCommand::Pin(Some(vertex)));
        session.apply(PaintCommand::DragVertex(VertexDragCommand::Use(true)));
        // What goes along follows other joints too.
        set(&mut session, |settings| settings.radius = 0.6);
        for secs in [0.4, 0.2] {
            session.apply(PlaybackCommand::Seek(secs));
            session.update_pose();
            let at = session.surfaces().surface().unwrap().parts[0].deformed.positions[vertex.vertex].as_dvec3();
            drag(&mut session, &[at + DVec3::X * 0.05]);
        }
        let said = session.joints_of_drags();
        assert!(!said.is_empty() && said.iter().all(|joint| own.contains(joint)), "{said:?} {own:?}");
        shape(&mut session, "");
        assert!(session.painting().note().is_none(), "{:?}", session.painting().note());
        let kept = kept_shapes(session.model().unwrap()).unwrap();
        let driven: BTreeSet<NodeId> = kept.iter().flat_map(|of| of.driver.joints().to_vec()).collect();
        assert_eq!(driven.into_iter().collect::<Vec<_>>(), said);
        // Where none of its own is turned, the next one above is.
        let mut pose = model.skeleton.rest.clone();
        let at = [(PrimitiveId::new(MeshId(0), 0), vertex.vertex)];
        assert!(joints_of_dragged(&model, &pose, &at).is_empty());
        rotate(&mut pose, NodeId(1), glam::Vec3::X * 40.0);
        rotate(&mut pose, NodeId(2), glam::Vec3::X * 40.0);
        assert!(!own.contains(&NodeId(2)), "{own:?}");
        assert_eq!(joints_of_dragged(&model, &pose, &at), BTreeSet::from([NodeId(2)]));
    }

    #[test]
    fn a_moment_of_a_clip_that_was_edited_is_gone_to_with_its_edits() {
        let mut session = dragging();
        session.apply(PlaybackCommand::Seek(0.5));
        session.update_pose();
        let wanted = drawn(&mut session) + DVec3::X * 0.1;
        drag(&mut session, &[wanted]);
        let pin = session.painting().vertex_drag().pins()[0].clone();
        assert_eq!(pin.moment().as_deref(), Some("Bend 0.50 s, edited"));
        session.apply(PlaybackCommand::Seek(0.0));
        turn(&mut session, glam::Vec3::new(0.0, 20.0, 0.0));
        let before = Arc::clone(session.edits());
        for command in way_there(&session, &pin) {
            session.apply(command);
        }
        session.update_pose();
        assert!(pin.is_of(&session.pose().local) && session.playback().time_secs == 0.5);
        session.apply(EditCommand::Undo);
        assert!(*session.edits() == before, "one step");
    }

    #[test]
    fn all_vertices_that_were_dragged_in_a_pose_are_in_one_shape() {
        let mut session = dragging();
        let before = now(&session);
        let first = drawn(&mut session) + DVec3::new(0.1, 0.02, 0.05);
        drag(&mut session, &[first]);
        let other = VertexRef { instance: InstanceId::from_index(0), primitive: 0, vertex: VERTEX + 8 };
        session.apply(SelectionCommand::Pin(Some(other)));
        let at = |session: &mut Session| {
            session.update_pose();
            let surface = session.surfaces().surface().unwrap();
            surface.parts[0].deformed.positions[VERTEX + 8].as_dvec3()
        };
        let second = at(&mut session) + DVec3::new(-0.1, 0.0, 0.05);
        drag(&mut session, &[second]);
        assert_eq!((session.painting().vertex_drag().pins().len(), session.painting().vertex_drag().others()), (1, 1));
        let dragged = now(&session);
        shape(&mut session, "elbow");
        assert!(session.painting().note().is_none(), "{:?}", session.painting().note());
        assert!(names(&session) == ["elbow"] && now(&session) == before, "the weights are those from before both");
        assert!(drawn(&mut session).distance(first) < 1e-4 && at(&mut session).distance(second) < 1e-4);
        assert_eq!(session.painting().vertex_drag().others(), 0);
        session.apply(EditCommand::Undo);
        assert!(now(&session) == dragged && names(&session).is_empty());
        assert_eq!(session.painting().vertex_drag().others(), 1, "both are held again");
        // What others do to the weights meanwhile stays.
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(3, &[0, 1], &[0.25, 0.75]);
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        let edited = now(&session);
        shape(&mut session, "elbow");
        assert!(names(&session) == ["elbow"] && now(&session) == edited);
    }

    #[test]
    fn shapes_of_drags_that_are_made_in_the_background_are_those_made_at_once() {
        let (mut session, _) = in_two_poses();
        let mut at_once = session.clone();
        shape(&mut at_once, "elbow");
        session.defer_work();
        let dragged = now(&session);
        let pins = session.painting().vertex_drag().pins().to_vec();
        shape(&mut session, "elbow");
        assert!(session.tools().makes_shapes() && now(&session) == dragged && names(&session).is_empty());
        assert!(session.painting().vertex_drag().pins() == pins);
        session.do_wanted();
        assert!(!session.tools().makes_shapes() && now(&session) == now(&at_once));
        let offsets = |session: &Session| {
            let morphs = &session.model().unwrap().meshes[0].primitives[0].morphs;
            morphs.iter().map(|morph| morph.positions.clone()).collect::<Vec<_>>()
        };
        assert!(offsets(&session) == offsets(&at_once) && names(&session) == ["elbow", "elbow 2"]);
        session.apply(EditCommand::Undo);
        assert!(now(&session) == dragged && names(&session).is_empty());
        // What is dragged on meanwhile stays.
        shape(&mut session, "elbow");
        let work = session.wanted().into_iter().find(|work| matches!(work, Work::MakeShapes(_))).unwrap();
        let late = session.begin(&work).unwrap()(&JobContext::of_waiting()).unwrap();
        let wanted = drawn(&mut session) + DVec3::Z * 0.02;
        drag(&mut session, &[wanted]);
        let dragged = now(&session);
        session.done(late);
        assert!(now(&session) == dragged && names(&session).is_empty());
        assert!(session.tools().shapes.clone().unwrap().unwrap_err().contains("the model has changed"));
    }

    #[test]
    fn what_would_never_show_and_what_is_not_dragged_change_nothing() {
        let mut session = dragging();
        shape(&mut session, "none");
        assert!(session.painting().note().unwrap().text.contains("No vertex is dragged"));
        // At rest no joint is turned, so that none brings it in.
        turn(&mut session, glam::Vec3::ZERO);
        let wanted = drawn(&mut session) + DVec3::X * 0.1;
        drag(&mut session, &[wanted]);
        let (before, pins) = (now(&session), session.painting().vertex_drag().pins().to_vec());
        shape(&mut session, "none");
        assert!(session.painting().note().unwrap().text.contains("never show"), "{:?}", session.painting().note());
        assert!(now(&session) == before && names(&session).is_empty());
        assert!(session.painting().vertex_drag().pins() == pins && pins.len() == 1);
    }
}
