//! A corrective shape of a vertex that is dragged: what no weights can do becomes offsets in the pose.

use std::sync::Arc;

use skinscope_edit::Sheet;
use skinscope_model::PrimitiveId;
use skinscope_solve::{DraggedPart, DraggedVertex, dragged_targets};

use super::vertex_drag::{place_of, settings_of, take_back};
use super::{VertexDragCommand, notes};
use crate::{EditCommand, PaintCommand, Session, ShapeCommand, ShapeSettings};

/// Displacements of some vertices of a primitive: metres, in the scene.
type Moved = (PrimitiveId, Vec<(u32, [f64; 3])>);

impl Session {
    /// Makes a corrective shape of where the dragged vertex should be in the pose that is shown, with what is around it, in place of the weights
    /// that its drags have found, in one step. What cannot be done changes nothing, and the note of the brushes says why.
    pub(crate) fn shape_of_drag(&mut self, settings: &ShapeSettings) {
        let before = self.painting.vertex_drag.clone();
        self.apply(EditCommand::BeginEdit);
        let why = match self.moved_by_drag() {
            Err(why) => Some(why),
            Ok((pin, moved)) => {
                self.apply(EditCommand::Shape(ShapeCommand::OfOffsets(settings.clone(), Arc::new(moved))));
                let told = self.tools().shapes.as_ref().and_then(|told| told.as_ref().err()).cloned();
                if told.is_none() {
                    self.apply(PaintCommand::DragVertex(VertexDragCommand::Forget(pin)));
                }
                told
            }
        };
        if why.is_none() {
            self.apply(EditCommand::EndEdit);
        } else {
            self.apply(EditCommand::CancelEdit);
            self.painting.vertex_drag = before;
        }
        self.painting.note = why.as_deref().map(notes::refused);
        if let Some(why) = why {
            self.tools.shapes = Some(Err(why));
        }
    }

    /// Takes the weights back that the drags have found. Returns the number of the pin in the pose that is shown, and by how much it moves which
    /// vertices then. The error says why there is none.
    fn moved_by_drag(&mut self) -> Result<(usize, Vec<Moved>), String> {
        self.update_pose();
        let pose = self.pose().local.clone();
        let drag = &self.painting.vertex_drag;
        let pin = drag.pins().iter().position(|pin| pin.is_of(&pose));
        let found = pin.and_then(|pin| Some((pin, drag.vertex()?, drag.pins().get(pin)?.target())));
        let (pin, vertex, target) = found.ok_or("no vertex is dragged in the pose that is shown")?;
        take_back(&mut self.painter()).map_err(|note| note.text)?;
        let nowhere = || "no skin moves this vertex".to_owned();
        let model = self.model().map(Arc::clone).ok_or_else(nowhere)?;
        let (at, vertex) = place_of(&model, vertex).ok_or_else(nowhere)?;
        let settings = settings_of(&self.painter());
        let (tables, surfaces) = Sheet::parts_of(&model);
        let vertices = [DraggedVertex { at, vertex, target }];
        let how = (self.base_method(false), &settings);
        let parts = dragged_targets((&model, &pose), (&surfaces, &tables), &vertices, how).map_err(|_| nowhere())?;
        Ok((pin, parts.iter().map(moved_of).collect()))
    }
}

/// Returns by how much the vertices of a primitive move that do.
fn moved_of(part: &DraggedPart) -> Moved {
    let places = (0..).zip(part.targets.iter().zip(&part.now)).filter(|(_, (target, _))| target.is_finite());
    (part.of.1, places.map(|(vertex, (target, now))| (vertex, (*target - now.as_dvec3()).to_array())).collect())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::tests::now;
    use super::super::vertex_drag_tests::{VERTEX, between, drag, dragging, drawn, turn};
    use super::*;
    use crate::{LayerCommand, command_line, read_command};

    fn shape(session: &mut Session, name: &str) {
        let settings = ShapeSettings { name: name.to_owned(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfDrag(settings)));
        session.update_pose();
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
        let command = crate::Command::from(EditCommand::Shape(ShapeCommand::OfDrag(ShapeSettings::default())));
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

    #[test]
    fn each_pose_gets_a_shape_of_its_own() {
        let mut session = dragging();
        let first = drawn(&mut session) + DVec3::X * 0.1;
        drag(&mut session, &[first]);
        turn(&mut session, glam::Vec3::new(0.0, 0.0, 70.0));
        let second = drawn(&mut session) + DVec3::Z * 0.1;
        drag(&mut session, &[second]);
        shape(&mut session, "sideways");
        assert_eq!(session.painting().vertex_drag().pins().len(), 1, "{:?}", session.painting().note());
        turn(&mut session, glam::Vec3::new(50.0, 0.0, 0.0));
        assert!(session.painting().vertex_drag().pins()[0].is_of(&session.pose().local));
        shape(&mut session, "ahead");
        assert_eq!(names(&session), ["sideways", "ahead"]);
        assert!(drawn(&mut session).distance(first) < 1e-4);
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
