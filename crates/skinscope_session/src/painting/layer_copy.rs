//! A layer is copied from the model that one works on to the one beside it.

use std::collections::BTreeSet;

use skinscope_model::Model;
use skinscope_paint::{CopiedLayer, LayerId};

use super::{layers, stroke};
use crate::Session;

impl Session {
    /// Copies a layer to the other model, where it is one step; both stay where they are.
    pub(super) fn copy_layer_to_other(&mut self, id: LayerId) {
        stroke::end(&mut self.painting);
        let copied = self.copied_layer(id);
        if let (Some(copied), Some(beside)) = (copied.as_ref().filter(|copied| copied.vertices() > 0), &mut self.beside)
        {
            layers::take_copy(&mut beside.other.painter(), copied);
        }
        self.painting.copied = copied.map(|copied| copied.report());
    }

    /// Carries a layer to the other model; `None` where there is no such layer or no such model.
    fn copied_layer(&self, id: LayerId) -> Option<CopiedLayer> {
        let other = &self.beside.as_ref()?.other;
        let from: &Model = self.edited_weights().edited_model()?;
        let to: &Model = other.edited_weights().edited_model()?;
        let locked: BTreeSet<u32> = other.tools.locked.iter().map(|node| node.0).collect();
        CopiedLayer::of((from, self.painting.layers()), id, to, &locked)
    }
}
