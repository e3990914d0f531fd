//! The layers of weights that the model's file keeps in its extras: they are taken as it is opened, or asked about where another program has
//! changed what they make.

use std::sync::Arc;

use skinscope_model::Model;
use skinscope_paint::{KeptLayers, LayerStack, kept_layers, kept_text};

use super::{Painting, notes};

/// What is known of the layers in the model's file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileLayers {
    /// The layers of the session that are in the file, as they are there.
    taken: LayerStack,
    /// Layers in the file whose weights another program has changed.
    asked: Option<Arc<KeptLayers>>,
}

impl FileLayers {
    /// Forgets the layers that are asked about.
    pub(crate) fn drop_asked(&mut self) {
        self.asked = None;
    }
}

impl Painting {
    /// Returns layers that the file keeps although another program has changed the weights that they make: what becomes of them is asked.
    /// `None` where there are none, or layers of the session have taken their place.
    #[must_use]
    pub fn asked_layers(&self) -> Option<&Arc<KeptLayers>> {
        self.file_layers.asked.as_ref().filter(|_| self.layers.is_empty())
    }

    /// Returns the layers that the model's file has too; none where it has others.
    #[must_use]
    pub fn layers_in_file(&self) -> &LayerStack {
        &self.file_layers.taken
    }
}

/// Reads the layers that the file of a model keeps, which was opened, and returns what is to be said about them. Those of a session that has
/// some go on.
pub(crate) fn read(painting: &mut Painting, model: &Model) -> Vec<String> {
    painting.file_layers = FileLayers::default();
    let mut lines = Vec::new();
    match kept_layers(model) {
        Ok(None) => {}
        Ok(Some(_)) if !painting.layers.is_empty() => {
            if kept_text(model, &painting.layers).as_deref() == model.source.kept_layers.as_deref() {
                painting.file_layers.taken = painting.layers.clone();
            }
        }
        Ok(Some(kept)) if kept.fits() => {
            painting.file_layers.taken = kept.layers.clone();
            painting.layers = kept.layers;
        }
        Ok(Some(kept)) => {
            let what = kept.difference();
            lines.push(format!(
                "The file keeps layers of weights, but was changed since: {what}. The panel of brushes asks what becomes of them."
            ));
            painting.file_layers.asked = Some(Arc::new(kept));
        }
        Err(why) => lines.push(format!("{}.", notes::refused(&why.to_string()).text)),
    }
    lines
}
