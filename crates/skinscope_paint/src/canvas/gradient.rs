//! Strokes that fall off along a line through the model, instead of around the places that a brush touches.

use glam::DVec3;
use skinscope_model::WeightChange;
use skinscope_weights::Falloff;

use super::posed::{Moment, PosedSurfaces};
use super::rows::Place;
use super::{Brushing, Canvas, Centre, Dab, PaintError, Strengths};
use crate::written;

impl Canvas {
    /// Touches every vertex that a stroke may change with a pressure that falls from 1 at one place, and before it, to nothing at another, and
    /// behind it (scene's space of the file, metres). Returns the dabs that do the same one by one in a stroke whose radius is smaller
    /// than every edge and whose falloff is constant, and the weights that change, in single precision.
    ///
    /// # Errors
    /// New weights were refused by the model.
    pub fn gradient_dabs(
        &mut self,
        brushing: &mut Brushing,
        ends: [DVec3; 2],
        falloff: &'static Falloff,
    ) -> Result<(Vec<Dab>, Vec<WeightChange>), PaintError> {
        let (dabs, strengths): (Vec<Dab>, Vec<Strengths>) = self.along(brushing, ends, falloff).into_iter().unzip();
        brushing.dabs += dabs.len();
        let changed = self.apply(brushing, strengths);
        Ok((dabs, self.change_rows(&changed)?))
    }

    /// Returns the places of a gradient with their strengths, in their order, and a dab for each.
    fn along(
        &self,
        brushing: &Brushing,
        [from, until]: [DVec3; 2],
        falloff: &'static Falloff,
    ) -> Vec<(Dab, Strengths)> {
        let stroke = &brushing.stroke;
        let moment = Moment::of(&self.model, stroke, stroke.posing.time);
        let scratch = self.scratch(&brushing.regions);
        let posed = PosedSurfaces::new(self.ground(&self.model, &brushing.regions), &moment, &scratch.seen);
        let (start, way) = (moment.to_model(from), until - from);
        let mut out = Vec::new();
        for surface in brushing.regions.iter().map(|region| region.surface) {
            let rest = &self.surfaces[surface];
            for point in 0..rest.mesh.point_count() {
                let place = Place { surface, point };
                let shown = posed.shown_at(place).filter(|shown| shown.2.is_finite());
                let Some((primitive, vertex, at)) = shown else { continue };
                let along = (at.as_dvec3() - start).dot(way) / way.length_squared();
                let pressure = written(falloff.at(along));
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
