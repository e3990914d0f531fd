//! Carries out the commands about the measures of the posed surface.

use std::sync::Arc;

use skinscope_base::math::Aabb;
use skinscope_inspect::measure::{self, SurfaceMeasures};
use skinscope_inspect::{VertexPart, VertexRef, VertexSet};

use crate::{Extents, MEASURES_PER_SECOND, MeasureCommand, MeasureCurves, PlaybackCommand, Session};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &MeasureCommand) {
    match command {
        MeasureCommand::TogglePanel => {
            session.measuring.open = !session.measuring.open;
            session.measuring.stopped = None;
            if !session.defers_work && session.measurements().lacks_curves() {
                apply(session, &MeasureCommand::MeasureClip);
            }
        }
        MeasureCommand::ToggleNormalModes => session.measuring.modes = !session.measuring.modes,
        MeasureCommand::MeasureClip => {
            (session.measuring.stopped, session.measuring.curves) = (None, None);
            if !session.defers_work {
                session.measuring.curves =
                    session.measure_clip(MEASURES_PER_SECOND, MeasureCurves::WANTED, &mut |_| true).map(Arc::new);
            }
        }
        MeasureCommand::StopMeasuringClip => session.measuring.stopped = session.measurements().curves_key(),
        MeasureCommand::ShowMoment(id, time_secs) => show_moment(session, id, *time_secs),
    }
}

/// Goes to a moment of the clip, shows the overlay of a measure, and pins and frames the vertex where it is worst.
fn show_moment(session: &mut Session, id: &str, time_secs: f32) {
    let (Some(measure), Some(curves)) = (measure::measure(id), session.measurements().measured_clip().map(Arc::clone))
    else {
        return;
    };
    let nearest = |a: &&(f32, SurfaceMeasures), b: &&(f32, SurfaceMeasures)| {
        (a.0 - time_secs).abs().total_cmp(&(b.0 - time_secs).abs())
    };
    let Some((time_secs, measures)) = curves.moments.iter().min_by(nearest) else { return };
    session.playing().apply(&PlaybackCommand::SetPlaying(false));
    session.playing().apply(&PlaybackCommand::Seek(*time_secs));
    session.update_pose();
    if let Some(overlay) = measure.overlay.and_then(skinscope_inspect::overlay) {
        session.view.overlay = Some(overlay);
    }
    if let Some(at) = (measure.at)(measures) {
        session.view.pin(Some(at), session.document.as_ref());
        let bounds = session.extents().vertex_bounds(at);
        session.view.frame(bounds);
    }
}

impl Extents<'_> {
    /// Returns the box around a vertex as posed, and some of what is around.
    pub(crate) fn vertex_bounds(self, at: VertexRef) -> Aabb {
        let Some(model) = self.model else { return Aabb::EMPTY };
        let mesh = model.instances[at.instance.index()].mesh;
        let stored = at.stored(&model.meshes[mesh.index()].primitives[at.primitive]) as u32;
        let part = VertexPart { mesh, primitive: at.primitive, vertices: vec![stored] };
        self.surroundings(&VertexSet { parts: vec![part] }, &[])
    }
}
