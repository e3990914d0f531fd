//! Strokes over all that a brush may change, instead of around the pointer.
//!
//! A file of strokes can say them: a flood is one dab that reaches everything, a gradient around a place one whose radius is its length, and one
//! along a line has a dab at each vertex.

use std::sync::Arc;

use glam::DVec3;
use skinscope_paint::{Centre, Dab, Distance, Stroke, scene_origin, written};
use skinscope_weights::FALLOFFS;
use skinscope_weights::brush::falloff;

use super::hand::Hand;
use super::{notes, stroke, written_form};
use crate::Session;

/// How many times the size of the model a flood reaches.
const FAR: f64 = 1e4;

/// Touches everything that the brush may change with its strength.
pub(super) fn flood(session: &mut Session) {
    let Some(model) = session.model() else { return };
    let joint = Hand::of(session.brushwork(), false, false).and_then(|hand| hand.joint);
    let middle = session.pose.opened_bounds.center().as_dvec3();
    let at = (middle + scene_origin(model, joint, &session.pose.local)).to_array();
    let radius = FAR * f64::from(session.pose.opened_bounds.diagonal().max(1.0));
    at_once(session, at, move |stroke| Stroke { radius: written(radius), falloff: constant(), ..stroke });
}

/// Touches everything that the brush may change with a strength that falls from its full one at the first place to nothing at the second.
pub(super) fn gradient(session: &mut Session, [from, until]: [[f64; 3]; 2], radial: bool) {
    let ends = [from, until].map(|end| DVec3::from_array(end.map(written)));
    let length = ends[0].distance(ends[1]);
    if !(length.is_finite() && length > 0.0) {
        return;
    }
    if radial {
        return at_once(session, from, move |stroke| Stroke { radius: written(length), ..stroke });
    }
    let shape = falloff(&session.painting.settings.falloff).unwrap_or(FALLOFFS[0]);
    // A dab at a vertex touches no other one.
    let radius = written(1e-7 * length).max(1e-9);
    let change = move |stroke: Stroke| Stroke { radius, falloff: constant(), distance: Distance::Surface, ..stroke };
    if !begin(session, change) {
        return;
    }
    let easel = &mut session.painting.easel;
    let (Some(canvas), Some(open)) = (&mut easel.canvas, &mut easel.stroke) else { return };
    match canvas.gradient_dabs(&mut open.brushing, ends, shape) {
        Ok((dabs, changes)) => {
            dabs.iter().for_each(|dab| written_form::add_dab(&mut open.form, dab));
            stroke::take_changes(session, &changes);
        }
        Err(why) => session.painting.note = Some(notes::refused(&why.to_string())),
    }
    stroke::end(&mut session.painting);
}

/// The falloff that does not fall.
fn constant() -> &'static skinscope_weights::Falloff {
    falloff("constant").unwrap_or(FALLOFFS[0])
}

/// Carries out a stroke of one dab that measures straight distances.
fn at_once(session: &mut Session, at: [f64; 3], change: impl FnOnce(Stroke) -> Stroke) {
    if begin(session, |stroke| change(Stroke { distance: Distance::Volume, ..stroke })) {
        let at = Centre::Position(DVec3::from_array(at.map(written)));
        stroke::touch(session, &[Dab { at, pressure: 1.0, time: None }]);
        stroke::end(&mut session.painting);
    }
}

/// Begins a stroke over all marked vertices or, where none is marked, over all; returns whether it has begun.
fn begin(session: &mut Session, change: impl FnOnce(Stroke) -> Stroke) -> bool {
    stroke::end(&mut session.painting);
    let Some(stance) = stroke::stand(session, None) else { return false };
    let Some(model) = session.model().map(Arc::clone) else { return false };
    let marked = Arc::clone(&session.view.marked);
    let mask = (!marked.is_empty()).then(|| stroke::mask_of(&model, &marked));
    let begun =
        stroke::begin(session, (false, false), stance, |stroke| change(Stroke { mask, front_faces: None, ..stroke }));
    let is_begun = begun.is_ok();
    if let Err(note) = begun {
        session.painting.note = Some(note);
    }
    is_begun
}
