//! The numbers of vertices that the overlay of a picture shows. Each way to come to them is a row of [`VALUES`], which the row of an overlay
//! names.

use std::sync::Arc;

use skinscope_edit::nothing_left;
use skinscope_inspect::{Overlay, PerVertex, VertexValues};
use skinscope_model::Model;

use crate::{EditedWeights, Measurements, Painting, Session};

/// A way to come to the numbers of an overlay.
struct ValueSource {
    /// The name that the row of an overlay has ([`VertexValues::source`]).
    id: &'static str,
    /// Returns the numbers; `None` where they are not known yet.
    values: fn(&Numbered<'_>) -> Option<Arc<PerVertex>>,
}

/// What the numbers are computed of.
struct Numbered<'a> {
    /// The model as it is posed, with what it is compared with, its surfaces and its measures.
    measurements: Measurements<'a>,
    /// The weights, with what was found in them.
    weights: EditedWeights<'a>,
    /// The layers that weights are painted in.
    painting: &'a Painting,
    /// The model as its file has it.
    stored: Option<&'a Arc<Model>>,
    /// What the overlay wants.
    wanted: VertexValues,
}

/// All ways to come to numbers. A new one has a file beside this one.
static VALUES: &[ValueSource] = &[
    ValueSource { id: "inspected", values: inspected },
    ValueSource { id: "distance", values: distance },
    ValueSource { id: "measured", values: measured },
    ValueSource { id: "changed", values: |of| of.measurements.changed_weights() },
    ValueSource { id: "changed-surface", values: |of| of.measurements.changed_surface() },
    ValueSource { id: "bake-left", values: |of| left(of, 0) },
    ValueSource { id: "bake-left-largest", values: |of| left(of, 1) },
    ValueSource { id: "layer-mask", values: layer_mask },
    ValueSource { id: "layer-weights", values: layer_weights },
];

impl Session {
    /// Returns the numbers that an overlay shows of the model and its pose; `None` where they are not known yet, and for an overlay whose
    /// shader computes them.
    #[must_use]
    pub fn vertex_values(&self, overlay: &Overlay) -> Option<Arc<PerVertex>> {
        let wanted = overlay.values?;
        let source = VALUES.iter().find(|source| source.id == wanted.source)?;
        (source.values)(&Numbered {
            measurements: self.measurements(),
            weights: self.edited_weights(),
            painting: &self.painting,
            stored: self.document().map(|document| document.stored()),
            wanted,
        })
    }
}

/// Returns a list of the inspection.
fn inspected(of: &Numbered<'_>) -> Option<Arc<PerVertex>> {
    Some(Arc::clone(of.weights.inspected_values()?.of(of.wanted.list?)))
}

/// Returns how far the two sides of a comparison are apart, or of a model that is subdivided both orders of that and skinning. Without either
/// nothing is, of a model that was inspected.
fn distance(of: &Numbered<'_>) -> Option<Arc<PerVertex>> {
    match of.measurements.surfaces.compared_surfaces() {
        Some(compared) => Some(Arc::clone(compared.inspected.of(of.wanted.list?))),
        None => of.measurements.surfaces.orders_apart().or_else(|| inspected(of)),
    }
}

/// Returns a measure of the surface in the pose that is shown.
fn measured(of: &Numbered<'_>) -> Option<Arc<PerVertex>> {
    let measures = of.measurements.measures()?;
    (measures.key.wanted().vertices == of.wanted.measure).then(|| Arc::clone(&measures.values))
}

/// Returns one of the lists of how far the weights leave each vertex from the method that was baked into them. Where none was, no vertex has a
/// number.
fn left(of: &Numbered<'_>, list: usize) -> Option<Arc<PerVertex>> {
    match of.weights.left() {
        Some(left) => left.get(list).map(Arc::clone),
        None => Some(Arc::new(nothing_left(of.weights.edited_model()?))),
    }
}

/// Returns the mask of the layer that is painted in.
fn layer_mask(of: &Numbered<'_>) -> Option<Arc<PerVertex>> {
    Some(of.painting.mask_values(of.stored?, of.weights.edited_model()?))
}

/// Returns how much the layer that is painted in changes where it has weights.
fn layer_weights(of: &Numbered<'_>) -> Option<Arc<PerVertex>> {
    Some(of.painting.layer_weight_values(of.stored?, of.weights.edited_model()?))
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
    use crate::{ComparisonCommand, ViewCommand};

    #[test]
    fn every_overlay_with_numbers_names_a_way_to_them_and_no_way_is_there_for_nobody() {
        let named: Vec<&str> = OVERLAYS.iter().filter_map(|overlay| Some(overlay.values?.source)).collect();
        for (i, source) in VALUES.iter().enumerate() {
            assert!(named.contains(&source.id), "no overlay names {}", source.id);
            assert!(VALUES[i + 1..].iter().all(|other| other.id != source.id), "{} is there twice", source.id);
        }
        for name in named {
            assert!(VALUES.iter().any(|source| source.id == name), "nothing gives the numbers of {name}");
        }
    }

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
