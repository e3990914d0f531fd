//! A layer is copied from the model that one works on to the one beside it, or from there.
//!
//! Carrying it takes as long as transferring weights does, so that it is work in the background ([`Work::CopyLayer`](crate::Work)) where the session
//! defers work; else it is done at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_model::Model;
use skinscope_paint::{Canvas, CopiedLayer, LayerId, LayerStack};

use super::{Painter, layers, stroke};
use crate::Session;

/// The share of the work that it takes to carry the layer; the rest is the canvas.
const CARRIED: f32 = 0.8;

/// A layer that is to be copied between the model that one works on and the one beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerCopy {
    /// The layer.
    pub layer: LayerId,
    /// Whether it comes from the model beside; otherwise it goes there.
    pub comes: bool,
}

/// What a copy is made of.
#[derive(Debug)]
pub(crate) struct CopyTask {
    copy: LayerCopy,
    pub from: Arc<Model>,
    pub to: Arc<Model>,
    layers: LayerStack,
    /// The joints of the other model that keep their weights, by their nodes.
    locked: BTreeSet<u32>,
    /// Whether nothing was painted on the other model yet, so that it has no canvas.
    needs_canvas: bool,
}

/// A copy that was made, with the canvas of the model that it is for where that had none.
pub(crate) struct MadeCopy {
    layer: CopiedLayer,
    canvas: Option<Canvas>,
}

impl LayerCopy {
    /// Returns the same copy as the session of the other model asks for it.
    pub(super) fn turned(self) -> Self {
        Self { comes: !self.comes, ..self }
    }
}

impl CopyTask {
    /// Carries the layer to the other model; `None` where that was cancelled or cannot be done.
    pub fn run(&self, context: &JobContext) -> Option<MadeCopy> {
        let (from, to): (&Model, &Model) = (self.from.as_ref(), self.to.as_ref());
        let part = context.part(0.0, CARRIED);
        let layer = CopiedLayer::of((from, &self.layers), self.copy.layer, (to, &self.locked), &part)?;
        if context.is_cancelled() {
            return None;
        }
        let canvas = (self.needs_canvas && layer.vertices() > 0).then(|| Canvas::prepared(Arc::clone(&self.to)));
        Some(MadeCopy { layer, canvas })
    }

    /// Whether both make the same of the same.
    fn is_same_as(&self, other: &Self) -> bool {
        self.copy == other.copy
            && Arc::ptr_eq(&self.from, &other.from)
            && Arc::ptr_eq(&self.to, &other.to)
            && self.layers.is_same_as(&other.layers)
            && self.locked == other.locked
    }
}

impl Session {
    /// Copies a layer to the other model or from there, where it is one step; both stay where they are.
    pub(super) fn copy_layer(&mut self, copy: LayerCopy) {
        stroke::end(&mut self.painting);
        self.painting.copied = None;
        let Some(task) = self.copy_task(copy) else { return };
        if !self.painting.copying.contains(&copy) {
            self.painting.copying.push(copy);
        }
        if !self.defers_work {
            let made = task.run(&JobContext::of_waiting());
            self.take_layer_copy(&task, made);
        }
    }

    /// Returns what the first copy that is asked for and not there yet is made of.
    pub(crate) fn wanted_layer_copy(&self) -> Option<(LayerCopy, CopyTask)> {
        self.painting.copying.iter().find_map(|copy| Some((*copy, self.copy_task(*copy)?)))
    }

    /// Takes a copy of a layer, where it is still wanted and of what is there now. `None`: it could not be made.
    pub(crate) fn take_layer_copy(&mut self, task: &CopyTask, made: Option<MadeCopy>) {
        // Where the layers are others by now the copy stays wanted, and is made anew.
        if !self.wanted_layer_copy().is_some_and(|(_, now)| now.is_same_as(task)) {
            return;
        }
        self.painting.copying.retain(|copy| *copy != task.copy);
        self.painting.copied = made.as_ref().map(|made| made.layer.report());
        let Some(made) = made.filter(|made| made.layer.vertices() > 0) else { return };
        if task.copy.comes {
            take(&mut self.painter(), made);
        } else if let Some(beside) = &mut self.beside {
            take(&mut beside.other.painter(), made);
        }
    }

    /// Returns what a copy is made of; `None` where there is no such layer, or no model to copy it to.
    fn copy_task(&self, copy: LayerCopy) -> Option<CopyTask> {
        let other = &self.beside.as_ref()?.other;
        let (giver, taker) = if copy.comes { (other, self) } else { (self, other) };
        let layers = giver.painting.layers();
        layers.layer(copy.layer)?;
        Some(CopyTask {
            copy,
            from: Arc::clone(giver.edited_weights().edited_model()?),
            to: Arc::clone(taker.edited_weights().edited_model()?),
            layers: layers.clone(),
            locked: taker.tools.locked.iter().map(|node| node.0).collect(),
            needs_canvas: taker.painting.easel.canvas.is_none(),
        })
    }
}

/// Lays a copy over the layers of a model.
fn take(painter: &mut Painter<'_>, made: MadeCopy) {
    if let Some(canvas) = made.canvas {
        stroke::put_up_made(painter, canvas);
    }
    layers::take_copy(painter, &made.layer);
}
