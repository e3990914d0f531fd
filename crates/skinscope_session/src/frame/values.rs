//! The numbers of vertices that the overlay of a picture shows.

use std::sync::Arc;

use skinscope_inspect::{InspectedList, PerVertex, VertexValues};

use crate::{EditedWeights, Measurements};

/// Returns the numbers that an overlay shows of a model and its pose; `None` where they are not known yet.
pub(super) fn values_of(
    measurements: Measurements<'_>,
    weights: EditedWeights<'_>,
    values: VertexValues,
) -> Option<Arc<PerVertex>> {
    let VertexValues::Inspected(list) = values else { return measurements.changed(values) };
    let apart = || measurements.surfaces.compared_surfaces().map(|compared| Arc::clone(&compared.inspected));
    let compared = (list == InspectedList::Distance).then(apart).flatten();
    // Without a comparison nothing is apart, of a model that was inspected.
    let values = compared.as_ref().or_else(|| weights.inspected_values())?;
    Some(Arc::clone(values.of(list)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use skinscope_frame::Frame;
    use skinscope_inspect::check::CheckOptions;
    use skinscope_inspect::{Inspection, OVERLAYS};
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;
    use crate::frame::SceneColors;
    use crate::tests::sessions::still_session;
    use crate::{ComparisonCommand, Session, ViewCommand};

    fn values(session: &Session) -> Option<Arc<PerVertex>> {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame.values
    }

    #[test]
    fn a_frame_has_the_numbers_of_its_overlay_and_no_others() {
        let mut session = still_session(obstacle_course());
        session.apply(ViewCommand::SetOverlay(Some("rogue")));
        assert!(values(&session).is_none(), "not before the model is checked");
        let model = Arc::clone(session.model().unwrap());
        let found = Inspection::of(&model, &CheckOptions::default(), &AtomicBool::new(false)).unwrap();
        let (rogue, asymmetry) = (Arc::clone(&found.values.rogue), Arc::clone(&found.values.asymmetry));
        session.inspected(&model, found);
        for overlay in OVERLAYS {
            session.apply(ViewCommand::SetOverlay(Some(overlay.id)));
            session.update_pose();
            assert_eq!(values(&session).is_some(), overlay.values.is_some(), "{}", overlay.id);
        }
        for (id, list) in [("rogue", &rogue), ("asymmetry", &asymmetry), ("rogue", &rogue)] {
            session.apply(ViewCommand::SetOverlay(Some(id)));
            assert!(values(&session).is_some_and(|shown| Arc::ptr_eq(&shown, list)), "{id}: not copied");
        }
        // Two methods that are compared are apart, as far as there is a number for each vertex.
        session.apply(ViewCommand::SetOverlay(Some("distance")));
        assert!(values(&session).is_some_and(|shown| shown.values.is_empty()), "nothing is compared");
        session.apply(ComparisonCommand::Toggle);
        session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
        session.update_pose();
        assert!(values(&session).is_some_and(|shown| !shown.values.is_empty()));
    }
}
