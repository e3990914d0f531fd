//! Carries out the commands about the measures of the posed surface.

use std::sync::Arc;

use skinscope_base::math::Aabb;
use skinscope_inspect::measure::{self, SurfaceMeasures};
use skinscope_inspect::{Overlay, VertexPart, VertexRef, VertexSet};

use crate::{Extents, MEASURES_PER_SECOND, MeasureCommand, MeasureCurves, Measurements, PlaybackCommand, Session};

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
        MeasureCommand::ShowMoment(id, time_secs) => {
            let moment = session.measurements().moment(id, *time_secs);
            let Some((time_secs, overlay, worst)) = moment else { return };
            session.playing().apply(&PlaybackCommand::SetPlaying(false));
            session.playing().apply(&PlaybackCommand::Seek(time_secs));
            session.update_pose();
            session.view.overlay = overlay.or(session.view.overlay);
            if let Some(at) = worst {
                session.marker().pin(Some(at));
                let bounds = session.extents().vertex_bounds(at);
                session.view.frame(bounds);
            }
        }
    }
}

impl Measurements<'_> {
    /// Returns the measured moment of the clip that is nearest to a time, seconds, with the overlay of a measure and the vertex where that is
    /// worst then.
    fn moment(self, id: &str, time_secs: f32) -> Option<(f32, Option<&'static Overlay>, Option<VertexRef>)> {
        let (measure, curves) = measure::measure(id).zip(self.measured_clip())?;
        let nearest = |a: &&(f32, SurfaceMeasures), b: &&(f32, SurfaceMeasures)| {
            (a.0 - time_secs).abs().total_cmp(&(b.0 - time_secs).abs())
        };
        let (time_secs, measures) = curves.moments.iter().min_by(nearest)?;
        Some((*time_secs, measure.overlay.and_then(skinscope_inspect::overlay), (measure.at)(measures)))
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
