//! The subdivided surfaces of the pose that is shown: each is worked out when it is first asked for, and shared while the pose stays.

use std::sync::{Arc, Mutex, PoisonError};

use skinscope_deform::{Subdivision, Surface};
use skinscope_inspect::PerVertex;

use crate::{MethodChoice, Surfaces};

/// Two surfaces, and how far they are apart.
type SurfacesApart = ([Arc<Surface>; 2], Arc<PerVertex>);

/// The subdivided surfaces of one pose.
#[derive(Debug, Default)]
pub(super) struct SubdividedCache {
    surfaces: Mutex<Vec<(SubdividedKey, Arc<Surface>)>>,
    /// How far both orders are apart, and by which surfaces.
    apart: Mutex<Option<SurfacesApart>>,
}

/// The subdivided model, how the cage is deformed, and whether it was subdivided first.
#[derive(Clone, Debug)]
struct SubdividedKey {
    of: Arc<Subdivision>,
    choice: MethodChoice,
    is_first: bool,
}

impl SubdividedKey {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of) && self.choice == other.choice && self.is_first == other.is_first
    }
}

impl SubdividedCache {
    /// Forgets all, since the pose has changed.
    pub fn forget(&mut self) {
        self.surfaces.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        *self.apart.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Surfaces<'_> {
    /// Returns the subdivided surface that is shown; `None` where nothing is subdivided, or that is still being worked out.
    #[must_use]
    pub(crate) fn subdivided(self) -> Option<Arc<Surface>> {
        self.in_order(self.view.subdivision.is_first)
    }

    /// Returns the surface in both orders: skinned and then subdivided, and subdivided first.
    #[must_use]
    pub fn both_orders(self) -> Option<[Arc<Surface>; 2]> {
        Some([self.in_order(false)?, self.in_order(true)?])
    }

    /// Returns how far each vertex of the subdivided model is from where the other order carries it, metres.
    #[must_use]
    pub(crate) fn orders_apart(self) -> Option<Arc<PerVertex>> {
        let both = self.both_orders()?;
        let model = self.deforming.subdivision()?.model();
        let mut known = self.pose.surfaces.subdivided.apart.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, apart)) = known.as_ref()
            && of.iter().zip(&both).all(|(a, b)| Arc::ptr_eq(a, b))
        {
            return Some(Arc::clone(apart));
        }
        let [after, before] = &both;
        let mut out = PerVertex::empty(model);
        for part in &after.parts {
            let Some(other) = before.part(part.instance, part.primitive) else { continue };
            let mesh = model.instances[part.instance.index()].mesh.index();
            let Some(values) = out.values.get_mut(mesh).and_then(|mesh| mesh.get_mut(part.primitive)) else { continue };
            // Where several instances show a vertex, it has the largest distance. All copies stand alike in both.
            values.resize(part.deformed.positions.len(), 0.0);
            let pairs = part.deformed.positions.iter().zip(&other.deformed.positions);
            for (value, (a, b)) in values.iter_mut().zip(pairs).filter(|_| part.copies.is_empty()) {
                *value = value.max(a.distance(*b));
            }
        }
        let out = Arc::new(out);
        *known = Some((both, Arc::clone(&out)));
        Some(out)
    }

    fn in_order(self, is_first: bool) -> Option<Arc<Surface>> {
        let of = self.deforming.subdivision()?;
        let key = SubdividedKey { of: Arc::clone(of), choice: self.view.choice(), is_first };
        let mut known = self.pose.surfaces.subdivided.surfaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, surface)) = known.iter().find(|(other, _)| other.is(&key)) {
            return Some(Arc::clone(surface));
        }
        let surface = match is_first {
            true => of.before(&self.surface_input(self.view.choice())?),
            false => of.after(self.surface()?.as_ref()),
        };
        let surface = Arc::new(surface);
        known.push((key, Arc::clone(&surface)));
        Some(surface)
    }
}

#[cfg(test)]
mod tests {
    use skinscope_frame::Frame;

    use super::*;
    use crate::frame::SceneColors;
    use crate::tests::sessions::tube_session;
    use crate::{ComparisonCommand, PlaybackCommand, Session, ViewCommand};

    fn bent() -> Session {
        let mut session = tube_session();
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::Seek(0.5));
        session.update_pose();
        session
    }

    fn frame(session: &Session) -> Frame {
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame
    }

    #[test]
    fn the_subdivided_surface_is_drawn_once_it_is_worked_out_and_shared_while_the_pose_stays() {
        let mut session = bent();
        let vertices = |frame: &Frame| frame.model.as_ref().unwrap().meshes[0].primitives[0].positions.len();
        let cage = vertices(&frame(&session));
        session.apply(ViewCommand::SetSubdivision(2));
        assert!(session.deforming().wanted_data().is_some() && vertices(&frame(&session)) == cage, "not yet");
        session.prepare();
        let shown = frame(&session);
        assert!(vertices(&shown) > 8 * cage && shown.surfaces.len() == 1 && shown.needs_processor.is_some());
        assert!(Arc::ptr_eq(shown.model.as_ref().unwrap(), session.deforming().drawn_model().unwrap()));
        assert!(Arc::ptr_eq(&shown.surfaces[0], &frame(&session).surfaces[0]));
        session.apply(ViewCommand::ToggleSubdivideFirst);
        assert!(!Arc::ptr_eq(&shown.surfaces[0], &frame(&session).surfaces[0]));
        session.apply(PlaybackCommand::Seek(0.25));
        session.update_pose();
        let later = frame(&session);
        assert!(!Arc::ptr_eq(&shown.surfaces[0], &later.surfaces[0]) && later.model.is_some());
        session.apply(ViewCommand::SetSubdivision(0));
        assert_eq!(vertices(&frame(&session)), cage);
    }

    #[test]
    fn the_overlay_of_distances_shows_how_far_both_orders_are_apart() {
        let mut session = bent();
        session.apply(ViewCommand::SetSubdivision(1));
        session.apply(ViewCommand::SetOverlay(Some("distance")));
        session.prepare();
        let shown = frame(&session);
        let values = shown.values.unwrap();
        let [after, before] = session.surfaces().both_orders().unwrap();
        let [a, b] = [&after, &before].map(|surface| &surface.parts[0].deformed.positions);
        assert_eq!(values.values[0][0].len(), a.len());
        let apart: Vec<f32> = a.iter().zip(b).map(|(a, b)| a.distance(*b)).collect();
        assert_eq!(values.values[0][0], apart);
        assert!(apart.iter().any(|distance| *distance > 1e-4));
    }

    #[test]
    fn what_is_compared_is_not_subdivided_and_what_is_given_up_is_not_chosen_any_more() {
        let mut session = bent();
        session.apply(ViewCommand::SetSubdivision(1));
        session.apply(ViewCommand::GiveUpData);
        assert_eq!(session.view().subdivision.levels, 0);
        session.apply(ViewCommand::SetSubdivision(1));
        session.prepare();
        session.apply(ComparisonCommand::Set(true));
        assert!(session.surfaces().subdivided().is_none());
        assert!(session.deforming().subdivision_refusal(1).unwrap().contains("compared"));
        session.apply(ComparisonCommand::Set(false));
        assert!(session.surfaces().subdivided().is_some() && session.deforming().subdivision_refusal(1).is_none());
    }
}
