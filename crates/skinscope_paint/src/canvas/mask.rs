//! Strokes that paint the mask of a layer instead of weights.

use std::collections::BTreeSet;

use skinscope_model::PrimitiveId;
use skinscope_weights::brush::{Asked, Painted, Task};
use skinscope_weights::{Effect, TableRow, difference};

use super::rows::MASK;
use super::{Brushing, Canvas, Gradient, PaintError, Stroke, StrokeReport};

impl Canvas {
    /// Begins a stroke that paints the mask of the layer that is worked on: what brushes do with the weight of a joint they do with the share of
    /// the mask, which stays within 0 and 1. What joints the stroke names does not count, but for those that are locked: a vertex at which one
    /// of them would get another weight keeps its mask.
    ///
    /// # Errors
    /// Those of [`Canvas::begin`].
    pub fn begin_mask(&self, stroke: &Stroke) -> Result<Brushing, PaintError> {
        let (joint, to, with) = Default::default();
        let stroke = Stroke { joint, to, with, ..stroke.clone() };
        Ok(Brushing { is_of_mask: true, ..self.begin(&stroke)? })
    }

    /// Carries a stroke out on the mask of the layer that is worked on: by its dabs or, where it has none, on all places at once, along a gradient
    /// where there is one.
    ///
    /// # Errors
    /// Those of [`Canvas::paint`].
    pub fn paint_mask(&mut self, stroke: &Stroke, gradient: Option<&Gradient>) -> Result<StrokeReport, PaintError> {
        let mut brushing = self.begin_mask(stroke)?;
        if stroke.dabs.is_empty() {
            return self.paint_over(brushing, gradient);
        }
        for dab in &stroke.dabs {
            self.dab(&mut brushing, dab)?;
        }
        Ok(self.report(&brushing))
    }

    /// Whether a stroke into a layer has touched only vertices at which the mask leaves nothing of it, so that nothing is seen of it.
    #[must_use]
    pub fn is_masked_out(&self, brushing: &Brushing) -> bool {
        !brushing.is_of_mask
            && brushing.touched.are_all((&self.rows, &self.surfaces), &|at| self.rows.mask_share(at) <= 0.0)
    }

    /// Returns how much there is at a vertex of the layer that is painted in, by its mask alone; `None` where the primitive has no weights.
    #[must_use]
    pub fn mask_share(&self, primitive: PrimitiveId, vertex: u32) -> Option<f32> {
        let at = TableRow { table: self.rows.number_of(primitive)?, row: vertex as usize };
        self.rows.has(at).then(|| self.rows.mask_share(at))
    }
}

impl Brushing {
    /// Whether the stroke paints the mask of a layer.
    #[must_use]
    pub(crate) fn is_of_mask(&self) -> bool {
        self.is_of_mask
    }
}

/// A row of one joint, which stands for a mask.
type MaskRow<'a> = &'a [(u32, f64)];

/// Paints the share of a mask; the second row is the one that it goes towards.
pub(super) fn paint_mask(stroke: &Stroke, (own, toward): (MaskRow<'_>, MaskRow<'_>), strength: f64) -> Painted {
    let locked = BTreeSet::new();
    let task =
        Task { brush: stroke.brush, locked: &locked, normalise: false, most: 1, is_integer: false, joints: &[MASK] };
    let asked = Asked {
        own,
        toward,
        strength,
        joint: MASK,
        to: MASK,
        value: stroke.value,
        factor: stroke.factor,
        floor: stroke.floor,
        ceiling: stroke.ceiling,
    };
    let Painted { effect, mut row } = task.paint(&asked);
    row.iter_mut().for_each(|(_, share)| *share = share.min(1.0));
    let is_same = effect == Effect::Changed && difference(own, &row) <= 0.0;
    Painted { effect: if is_same { Effect::Same } else { effect }, row }
}
