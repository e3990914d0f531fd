//! The layers of weights that the model's file keeps in its extras: they are taken as it is opened, or asked about where another program has
//! changed what they make.

use std::sync::Arc;

use skinscope_model::Model;
use skinscope_paint::{KeptError, KeptLayers, LayerStack};

use super::{Painting, layers, notes};

/// What is known of the layers in the model's file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileLayers {
    /// The layers of the session that are in the file, as they are there.
    taken: LayerStack,
    /// Layers in the file whose weights another program has changed.
    asked: Option<Arc<KeptLayers>>,
    /// Whether the file keeps layers that could not be taken, and of which nobody has said that they go.
    are_left: bool,
}

impl Painting {
    /// Returns layers that the file keeps although another program has changed the weights that they make: what becomes of them is asked.
    /// `None` where there are none, or layers of the session have taken their place.
    #[must_use]
    pub fn asked_layers(&self) -> Option<&Arc<KeptLayers>> {
        self.file_layers.asked.as_ref().filter(|_| self.layers.is_empty())
    }

    /// Whether the file keeps layers that are none of the session's, which therefore stay in it: it is asked what becomes of them, or they could
    /// not be taken.
    #[must_use]
    pub fn leaves_layers_in_file(&self) -> bool {
        self.asked_layers().is_some() || self.file_layers.are_left
    }

    /// Returns what is known of the layers in the model's file.
    pub(crate) fn file_layers(&self) -> &FileLayers {
        &self.file_layers
    }

    /// Returns the layers of which it is asked what becomes of them, be it that layers of the session have taken their place for now.
    pub(crate) fn asked_in_file(&self) -> Option<&Arc<KeptLayers>> {
        self.file_layers.asked.as_ref()
    }

    /// Asks what becomes of layers that the file keeps, as a step of the history says.
    pub(crate) fn ask_about(&mut self, asked: Option<Arc<KeptLayers>>) {
        self.file_layers.asked = asked;
    }

    /// Asks nothing any more about the layers that the file keeps, which name the vertices of other parts now. Returns those that were asked about.
    pub(crate) fn stop_asking(&mut self) -> Option<Arc<KeptLayers>> {
        self.file_layers.are_left |= self.file_layers.asked.is_some();
        self.file_layers.asked.take()
    }

    /// Lets the file keep its layers no more. Returns those that were asked about.
    pub(crate) fn drop_asked(&mut self) -> Option<Arc<KeptLayers>> {
        self.file_layers.are_left = false;
        self.file_layers.asked.take()
    }

    /// Returns the layers that the model's file has too; none where it has others.
    #[must_use]
    pub fn layers_in_file(&self) -> &LayerStack {
        &self.file_layers.taken
    }
}

/// Takes the layers that the file of a model keeps, which was opened, and returns what is to be said about them. Those of a session that has
/// some go on.
pub(crate) fn read(
    painting: &mut Painting,
    model: &Model,
    kept: Option<&Result<Option<KeptLayers>, KeptError>>,
) -> Vec<String> {
    painting.file_layers = FileLayers::default();
    let mut lines = Vec::new();
    match kept {
        None | Some(Ok(None)) => {}
        Some(Ok(Some(kept))) if !painting.layers.is_empty() => {
            let form = |stack: &LayerStack| layers::form_of(model, stack);
            if !kept.moved && form(&painting.layers) == form(&kept.layers) {
                painting.file_layers.taken = painting.layers.clone();
            }
        }
        Some(Ok(Some(kept))) if kept.fits() => {
            painting.file_layers.taken = kept.layers.clone();
            painting.layers = kept.layers.clone();
        }
        Some(Ok(Some(kept))) => {
            let what = kept.difference();
            lines.push(format!(
                "The file keeps layers of weights, but was changed since: {what}. The panel of brushes asks what becomes of them."
            ));
            painting.file_layers.asked = Some(Arc::new(kept.clone()));
        }
        Some(Err(why)) => {
            painting.file_layers.are_left = true;
            lines.push(format!("{}.", notes::refused(&why.to_string()).text));
        }
    }
    lines
}
