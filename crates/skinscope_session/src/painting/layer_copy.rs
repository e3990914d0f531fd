//! A layer is copied from the model that one works on to the one beside it, or from there.

use std::collections::BTreeSet;

use skinscope_model::Model;
use skinscope_paint::{CopiedLayer, LayerId};

use super::{layers, stroke};
use crate::Session;

impl Session {
    /// Copies a layer to the other model, where it is one step; both stay where they are.
    pub(super) fn copy_layer_to_other(&mut self, id: LayerId) {
        stroke::end(&mut self.painting);
        let copied = self.beside.as_ref().and_then(|beside| self.carried(id, &beside.other));
        if let (Some(copied), Some(beside)) = (copied.as_ref().filter(|copied| copied.vertices() > 0), &mut self.beside)
        {
            layers::take_copy(&mut beside.other.painter(), copied);
        }
        self.painting.copied = copied.map(|copied| copied.report());
    }

    /// Copies a layer of the other model to this one, where it is one step; both stay where they are.
    pub(super) fn copy_layer_from_other(&mut self, id: LayerId) {
        let copied = self.beside.as_ref().and_then(|beside| beside.other.carried(id, self));
        if let Some(copied) = copied.as_ref().filter(|copied| copied.vertices() > 0) {
            layers::take_copy(&mut self.painter(), copied);
        }
        self.painting.copied = copied.map(|copied| copied.report());
    }

    /// Carries a layer to the model of another session; `None` where there is no such layer or no model.
    fn carried(&self, id: LayerId, to: &Self) -> Option<CopiedLayer> {
        let model: &Model = self.edited_weights().edited_model()?;
        let other: &Model = to.edited_weights().edited_model()?;
        let locked: BTreeSet<u32> = to.tools.locked.iter().map(|node| node.0).collect();
        CopiedLayer::of((model, self.painting.layers()), id, other, &locked)
    }
}
