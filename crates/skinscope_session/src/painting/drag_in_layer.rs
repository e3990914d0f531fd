//! Dragging a vertex where layers make the weights: what comes of it goes into the layer in hand, as what brushes paint does.

use std::collections::BTreeSet;

use skinscope_paint::{Canvas, Fit, LayerId, Painted};
use skinscope_weights::{Shares, TableRow};

use super::{PaintNote, Painter, Painting, layer_steps, notes, stroke};

/// The layer that a drag goes into, with the weights from before it.
#[derive(Clone, Debug)]
pub(super) struct InLayer {
    /// `None`: the base.
    layer: Option<LayerId>,
    before: Painted,
}

impl InLayer {
    /// Makes ready for a drag: puts a canvas up that has the weights of the model. Returns `None` where there are no layers; the error says why
    /// nothing could be seen of the layer in hand.
    pub(super) fn begin(painter: &mut Painter<'_>) -> Result<Option<Self>, PaintNote> {
        if painter.painting.layers.is_empty() {
            return Ok(None);
        }
        if let Some(why) = notes::layer_lacks(painter.brushwork()) {
            return Err(why);
        }
        stroke::put_up(painter);
        let canvas = painter.painting.easel.canvas.as_ref();
        Ok(canvas.map(|canvas| Self { layer: canvas.layers().active(), before: canvas.painted() }))
    }

    /// Whether the layer is still in hand, on the canvas that had the weights from before.
    pub(super) fn is_in_hand(&self, painting: &Painting) -> bool {
        let is_its = |canvas: &Canvas| canvas.has_made(&self.before);
        self.layer == painting.layers.active() && painting.easel.canvas.as_ref().is_some_and(is_its)
    }

    /// Gives the layer rows by which all layers make these weights; rows without weights become as they were before the drag. Returns what became
    /// of each.
    pub(super) fn put(
        &self,
        painter: &mut Painter<'_>,
        wanted: &[(TableRow, Option<Shares>)],
        locked: &BTreeSet<u32>,
    ) -> Result<Vec<Fit>, PaintNote> {
        let easel = &mut painter.painting.easel;
        let model = painter.skinning.edited().edited_model();
        let is_current = model.is_some_and(|model| easel.fits(model));
        let Some(canvas) = easel.canvas.as_mut().filter(|_| is_current) else { return Ok(Vec::new()) };
        let set = canvas.set_wanted(&self.before, wanted, locked);
        let (changes, fits) = set.map_err(|why| notes::refused(&why.to_string()))?;
        stroke::take_changes(painter, &changes);
        if changes.is_empty() {
            // An effect may hide what the layer has got.
            layer_steps::note(painter, false);
        }
        Ok(fits)
    }

    /// Returns the weights that all layers make of a row.
    pub(super) fn made(painting: &Painting, at: TableRow) -> Shares {
        painting.easel.canvas.as_ref().map(|canvas| canvas.weights_of(at)).unwrap_or_default()
    }
}

/// Says why layers do not make the weights that would put the vertex where it should be; `None` where they do.
pub(super) fn why_not(painting: &Painting, fit: Fit) -> Option<PaintNote> {
    let layers = painting.layers();
    let layer = layers.active().and_then(|id| layers.layer(id));
    let name = layer.map_or("the base", |layer| layer.name());
    Some(notes::refused(&fit.why(name, layers.has_effects())?))
}
