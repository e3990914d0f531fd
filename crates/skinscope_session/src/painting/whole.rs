//! Strokes over all that a brush may change, instead of around the pointer.
//!
//! A file of strokes can say them: a flood is one dab that reaches everything, and a gradient has a dab at each vertex, so that it may begin and end
//! beside the surface.

use std::sync::Arc;

use glam::DVec3;
use skinscope_paint::{Centre, Dab, Distance, Gradient, GradientKind, Stroke, scene_origin, written};
use skinscope_weights::FALLOFFS;
use skinscope_weights::brush::falloff;

use super::hand::Hand;
use super::{Painter, notes, stroke, written_form};

/// How many times the size of the model a flood reaches.
const FAR: f64 = 1e4;

/// Touches everything that the brush may change with its strength.
pub(super) fn flood(painter: &mut Painter<'_>) {
    let brushwork = painter.brushwork();
    let Some(model) = brushwork.model else { return };
    let joint = Hand::of(brushwork, false, false).and_then(|hand| hand.joint);
    let middle = brushwork.pose.opened_bounds.center().as_dvec3();
    let at = (middle + scene_origin(model, joint, &brushwork.pose.local)).to_array();
    let radius = FAR * f64::from(brushwork.pose.opened_bounds.diagonal().max(1.0));
    let distance = Distance::Volume;
    let begun = begin(painter, |stroke| Stroke { radius: written(radius), falloff: constant(), distance, ..stroke });
    let dab = dab_at(at);
    if begun && !by_row(painter, &dab) {
        stroke::touch(painter, &[dab]);
        stroke::end(painter.painting);
    }
}

/// Carries out the dab of a flood row by row, where it can be, which takes less time and leaves the same. Returns whether it has: where that has
/// changed nothing, the dab says why.
fn by_row(painter: &mut Painter<'_>, dab: &Dab) -> bool {
    let easel = &mut painter.painting.easel;
    let (Some(canvas), Some(open)) = (&mut easel.canvas, &mut easel.stroke) else { return false };
    let report = match canvas.flood_by_row(&open.brushing) {
        Ok(Some(report)) if report.changed > 0 => report,
        Ok(_) => return false,
        Err(why) => {
            painter.painting.note = Some(notes::refused(&why.to_string()));
            stroke::end(painter.painting);
            return true;
        }
    };
    written_form::add_dab(&mut open.form, dab);
    let painted = Arc::clone(canvas.model());
    painter.painting.note = None;
    let is_step = painter.skinning.show_painted(painted);
    stroke::follow_shown(painter, is_step);
    stroke::end_with(painter.painting, report);
    true
}

/// Touches everything that the brush may change with a strength that falls from that of the brush at the first place to nothing at the second.
pub(super) fn gradient(painter: &mut Painter<'_>, [from, until]: [[f64; 3]; 2], radial: bool) {
    let Some(([from, until], length)) = ends_of(from, until) else { return };
    let gradient = Gradient { kind: if radial { GradientKind::Radial } else { GradientKind::Linear }, from, until };
    let shape = falloff(&painter.painting.settings.falloff).unwrap_or(FALLOFFS[0]);
    // A dab at a vertex touches no other one. Each begins with the weights from before all of them, as the gradient does.
    let radius = written(1e-7 * length).max(1e-9);
    let change = move |stroke: Stroke| Stroke {
        radius,
        falloff: constant(),
        distance: Distance::Surface,
        accumulate: false,
        ..stroke
    };
    if !begin(painter, change) {
        return;
    }
    let easel = &mut painter.painting.easel;
    let (Some(canvas), Some(open)) = (&mut easel.canvas, &mut easel.stroke) else { return };
    match canvas.gradient_dabs(&mut open.brushing, &gradient, shape) {
        Ok((dabs, changes)) => {
            dabs.iter().for_each(|dab| written_form::add_dab(&mut open.form, dab));
            stroke::take_changes(painter, &changes);
            if let Some(note) = notes::of_gradient(painter.brushwork()) {
                painter.painting.note = Some(note);
            }
        }
        Err(why) => painter.painting.note = Some(notes::refused(&why.to_string())),
    }
    stroke::end(painter.painting);
}

/// Returns the ends of a gradient and how far they are apart; `None` where that is no length.
pub(super) fn ends_of(from: [f64; 3], until: [f64; 3]) -> Option<([DVec3; 2], f64)> {
    let ends = [from, until].map(|end| DVec3::from_array(end.map(written)));
    let length = ends[0].distance(ends[1]);
    (length.is_finite() && length > 0.0).then_some((ends, length))
}

/// The falloff that does not fall.
fn constant() -> &'static skinscope_weights::Falloff {
    falloff("constant").unwrap_or(FALLOFFS[0])
}

/// Returns the one dab of a stroke, at a place in the scene of the file, metres.
fn dab_at(at: [f64; 3]) -> Dab {
    Dab { at: Centre::Position(DVec3::from_array(at.map(written))), pressure: 1.0, time: None }
}

/// Begins a stroke over all marked vertices or, where none is marked, over all; returns whether it has begun.
fn begin(painter: &mut Painter<'_>, change: impl FnOnce(Stroke) -> Stroke) -> bool {
    stroke::end(painter.painting);
    let Some(stance) = stroke::stand(painter, None) else { return false };
    let Some(model) = painter.model().map(Arc::clone) else { return false };
    let marked = Arc::clone(&painter.skinning.view.marked);
    let mask = (!marked.is_empty()).then(|| stroke::mask_of(&model, &marked));
    let begun =
        stroke::begin(painter, (false, false), stance, |stroke| change(Stroke { mask, front_faces: None, ..stroke }));
    let is_begun = begun.is_ok();
    if let Err(note) = begun {
        painter.painting.note = Some(note);
    }
    is_begun
}
