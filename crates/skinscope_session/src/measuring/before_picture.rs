//! Measures before each picture, so that its colours and figures are its own.

use std::sync::{Arc, PoisonError};

use skinscope_inspect::measure::Wanted;
use skinscope_model::Model;

use crate::{Session, Toggle};

/// A model with as many vertices that are measured, or fewer, is measured before each picture.
const AT_ONCE: usize = 20_000;

impl Session {
    /// Measures the pose before it is drawn, so that colours and figures of the next picture are its own: of a model of 20 000 vertices or
    /// fewer, and of a larger one while a clip plays and [`Toggle::TrailingMeasures`] is off. What measures it is prepared in the
    /// background ([`Work::MeasurePose`](crate::Work)); until it is, nothing is measured here. Returns how many surfaces were measured.
    pub fn measure_before_picture(&mut self) -> usize {
        let mut count = 0;
        // Both sides of a comparison, at most.
        while self.defers_work && count < 2 && self.measurements().wanted_pose().is_some() {
            let Some((side, key)) = self.measurements().side_to_measure() else { break };
            let Some(model) = self.measurements().side(side).map(|(_, model)| Arc::clone(model)) else { break };
            let waits = self.playback.playing && !self.view.is_on(Toggle::TrailingMeasures);
            let own = self.measuring.own.get_mut().unwrap_or_else(PoisonError::into_inner);
            if !own.has(&model, Wanted::default()) || !waits && measured_vertices(&model) > AT_ONCE {
                break;
            }
            let mut measurers = std::mem::take(own);
            let pose = self.measurements().to_measure(side, key);
            match pose.and_then(|pose| pose.measure(&mut measurers, &|| false)) {
                Some(measured) => {
                    let sides = self.measurements().sides_of(&measured);
                    self.measuring.take_measures(sides, measured, measurers);
                }
                None => break,
            }
            count += 1;
        }
        count
    }
}

/// Returns how many vertices of a model are measured: those of its skins.
fn measured_vertices(model: &Model) -> usize {
    let skinned = model.instances.iter().filter(|instance| instance.skin.is_some());
    skinned.flat_map(|instance| model.primitives(instance.mesh)).map(|p| p.positions.len()).sum()
}

#[cfg(test)]
mod tests {
    use skinscope_base::parallel::JobContext;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{ComparisonCommand, Document, PlaybackCommand, ViewCommand, Work};

    /// A session that defers work, whose clip plays and shows how edges are stretched, once what measures it is prepared.
    fn playing(tube_of: Tube) -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(tube_of)), vec![], None));
        session.defer_work();
        session.apply(ViewCommand::SetOverlay(Some("stretch")));
        session.apply(PlaybackCommand::SetPlaying(true));
        session.update_pose();
        assert_eq!(session.measure_before_picture(), 0, "it is prepared in the background");
        let work = wanted_measuring(&mut session).unwrap();
        let run = session.begin(&work).unwrap();
        let done = run(&JobContext::of_waiting()).unwrap();
        session.done(done);
        session
    }

    fn wanted_measuring(session: &mut Session) -> Option<Work> {
        session.wanted().into_iter().find(|work| matches!(work, Work::MeasurePose(_)))
    }

    fn advance(session: &mut Session) {
        session.apply(PlaybackCommand::Advance(0.03));
        session.update_pose();
    }

    /// Whether the colours that are shown are those of the pose that is shown.
    fn is_current(session: &mut Session) -> bool {
        wanted_measuring(session).is_none()
    }

    #[test]
    fn every_picture_of_a_small_model_has_its_own_measures() {
        let mut session = playing(Tube { joints: 4, ..Tube::default() });
        for _ in 0..5 {
            advance(&mut session);
            assert!(!is_current(&mut session));
            assert_eq!(session.measure_before_picture(), 1);
            assert!(is_current(&mut session));
            let shown = session.measurements().measures().unwrap();
            let mut alone = session.clone();
            alone.defers_work = false;
            assert_eq!(alone.measurements().measures().unwrap().measures, shown.measures);
            assert_eq!(session.measure_before_picture(), 0, "once for a pose");
        }
        // Both sides of a comparison are measured, and what is wanted of neither is not.
        session.apply(ComparisonCommand::Set(true));
        advance(&mut session);
        assert_eq!(session.measure_before_picture(), 2);
        session.apply(ViewCommand::SetOverlay(None));
        advance(&mut session);
        assert_eq!(session.measure_before_picture(), 0);
    }

    #[test]
    fn a_small_model_is_measured_before_the_picture_while_nothing_plays_too() {
        let mut session = playing(Tube { joints: 4, ..Tube::default() });
        session.apply(ViewCommand::Set(Toggle::TrailingMeasures, true));
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::Seek(0.2));
        session.update_pose();
        assert_eq!(session.measure_before_picture(), 1);
        assert!(is_current(&mut session));
    }

    #[test]
    fn the_picture_of_a_large_model_waits_for_its_measures_unless_they_may_trail() {
        let mut session = playing(Tube { rings: 400, sides: 64, ..Tube::default() });
        assert!(measured_vertices(session.model().unwrap()) > AT_ONCE);
        advance(&mut session);
        assert_eq!(session.measure_before_picture(), 1);
        session.apply(ViewCommand::Set(Toggle::TrailingMeasures, true));
        advance(&mut session);
        assert_eq!(session.measure_before_picture(), 0);
        assert!(!is_current(&mut session), "it is left to the background");
        // While nothing plays the picture does not wait.
        session.apply(ViewCommand::Set(Toggle::TrailingMeasures, false));
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::Seek(0.7));
        session.update_pose();
        assert_eq!(session.measure_before_picture(), 0);
    }
}
