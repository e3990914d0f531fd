//! Dragging a vertex where layers make the weights: what comes of it goes into the layer in hand, as what brushes paint does.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_model::{Model, WeightChange};
use skinscope_paint::{Canvas, Fit, Layer, LayerId, LayerStack, Painted};
use skinscope_weights::{Shares, TableRow};

use super::easel::Easel;
use super::notes::{self, way};
use super::{LayerCommand, PaintNote, Painter, Painting, layer_steps, stroke};
use crate::{Command, ToolCommand};

/// So many effects are offered to be switched off.
const MOST_WAYS: usize = 3;

/// The layer that a drag goes into, with the weights from before it.
#[derive(Debug)]
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

    /// Returns the weights of the canvas from before the drag.
    pub(super) fn before(&self) -> &Painted {
        &self.before
    }

    /// Gives rows of the layer the weights from before the drag.
    pub(super) fn give_back(&self, painter: &mut Painter<'_>, rows: &[TableRow]) -> Result<(), PaintNote> {
        let model = painter.skinning.edited().edited_model();
        let Some(canvas) = current(&mut painter.painting.easel, model) else { return Ok(()) };
        let rows: Vec<(TableRow, Option<Shares>)> = rows.iter().map(|at| (*at, None)).collect();
        let set = canvas.set_wanted(&self.before, &rows, &BTreeSet::new());
        let (changes, _) = set.map_err(|why| notes::refused(&why.to_string()))?;
        take(painter, &changes);
        Ok(())
    }
}

/// Returns the canvas where it has the weights of the model that is edited.
pub(super) fn current<'a>(easel: &'a mut Easel, model: Option<&Arc<Model>>) -> Option<&'a mut Canvas> {
    let is_current = model.is_some_and(|model| easel.fits(model));
    easel.canvas.as_mut().filter(|_| is_current)
}

/// Gives the open model what a drag has changed on the canvas.
pub(super) fn take(painter: &mut Painter<'_>, changes: &[WeightChange]) {
    stroke::take_changes(painter, changes);
    if changes.is_empty() {
        // An effect may hide what the layer has got.
        layer_steps::note(painter, false);
    }
}

/// Says why the layers do not put the vertex as near to where it should be as its joints could take it, and what can be done about it; `None` where
/// they do.
pub(super) fn why_not(painting: &Painting, fit: Fit) -> Option<PaintNote> {
    let layers = painting.layers();
    let layer = layers.active().and_then(|id| layers.layer(id));
    let name = layer.map_or("the base", |layer| layer.name());
    let note = notes::refused(&fit.why(name, layers.has_effects())?);
    let ways = match (fit, layer) {
        (Fit::Mirrored, _) => notes::ways_of_mirror(layers),
        (Fit::Locked, _) => vec![("Unlock all joints".to_owned(), ToolCommand::UnlockAll.into())],
        (Fit::Masked, Some(layer)) => vec![way("Remove the mask", LayerCommand::RemoveMask(layer.id()))],
        (Fit::Hidden, Some(layer)) => vec![way("Show the layer alone", LayerCommand::Solo(Some(layer.id())))],
        (Fit::Part, layer) => ways_of_part(layers, layer),
        _ => Vec::new(),
    };
    Some(PaintNote { ways, ..note })
}

/// Returns what lets a layer take a drag all of the way: more of it, or no effects.
fn ways_of_part(layers: &LayerStack, layer: Option<&Layer>) -> Vec<(String, Command)> {
    let faint = layer.filter(|layer| layer.opacity() < 1.0);
    let mut out = Vec::new();
    out.extend(faint.map(|layer| way("Make the layer opaque", LayerCommand::SetOpacity(layer.id(), 1.0))));
    let named = |of: Option<LayerId>| of.and_then(|id| layers.layer(id)).map_or("all layers", Layer::name);
    out.extend(layers.acting_effects().filter(|_| layers.has_effects()).take(MOST_WAYS).map(|(of, place, effect)| {
        let label = format!("Switch {} of {} off", effect.kind().label, named(of));
        way(&label, LayerCommand::SwitchEffect(of, place, false))
    }));
    out
}
