//! Strokes that fall off along a line through the model or around a place in space, instead of around the places that a brush touches.

use skinscope_model::WeightChange;
use skinscope_weights::Falloff;

use super::posed::{Moment, PosedSurfaces};
use super::rows::Place;
use super::{Brushing, Canvas, Centre, Dab, PaintError, Strengths};
use crate::{Gradient, written};

impl Canvas {
    /// Touches every vertex that a stroke may change with a pressure that falls along a gradient, whose places need not lie on the surface.
    /// Returns the dabs that do the same one by one in a stroke whose radius is smaller than every edge and whose falloff is constant, and the
    /// weights that change, in single precision.
    ///
    /// # Errors
    /// New weights were refused by the model.
    pub fn gradient_dabs(
        &mut self,
        brushing: &mut Brushing,
        gradient: &Gradient,
        falloff: &'static Falloff,
    ) -> Result<(Vec<Dab>, Vec<WeightChange>), PaintError> {
        let touched = self.touched_by(brushing, gradient, falloff);
        let (dabs, strengths): (Vec<Dab>, Vec<Strengths>) = touched.into_iter().unzip();
        brushing.dabs += dabs.len();
        let changed = self.apply(brushing, strengths);
        Ok((dabs, self.change_rows(&changed)?))
    }

    /// Returns the places of a gradient with their strengths, in their order, and a dab for each.
    fn touched_by(&self, brushing: &Brushing, gradient: &Gradient, falloff: &'static Falloff) -> Vec<(Dab, Strengths)> {
        let stroke = &brushing.stroke;
        let moment = Moment::of(&self.model, stroke, stroke.posing.time);
        let scratch = self.scratch(&brushing.regions);
        let posed = PosedSurfaces::new(self.ground(&self.model, &brushing.regions), &moment, &scratch.seen);
        let mut out = Vec::new();
        for surface in brushing.regions.iter().map(|region| region.surface) {
            let rest = &self.surfaces[surface];
            for point in 0..rest.mesh.point_count() {
                let place = Place { surface, point };
                let shown = posed.shown_at(place).filter(|shown| shown.2.is_finite());
                let Some((primitive, vertex, at)) = shown else { continue };
                let pressure = written(gradient.strength(moment.to_scene(at), falloff));
                let strength = stroke.strength * pressure;
                if strength > 0.0 && posed.may_change(stroke, &moment, place) {
                    let dab = Dab { at: Centre::Vertex(primitive, vertex), pressure, time: None };
                    out.push((dab, (place, [strength, 0.0])));
                }
            }
        }
        out
    }
}
