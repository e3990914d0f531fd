//! The layers of weights that the model's file keeps in its extras: they are taken as it is opened, or asked about where another program has
//! changed what they make.

use std::sync::Arc;

use skinscope_paint::{KeptLayers, LayerStack, kept_layers, kept_text};

use super::Painting;
use crate::Session;

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

/// Reads the layers that the file of the open model keeps. Those of a session that has some go on.
pub(crate) fn read(session: &mut Session) {
    session.painting.file_layers = FileLayers::default();
    let Some(model) = session.document.as_ref().map(|document| Arc::clone(document.stored())) else { return };
    let painting = &mut session.painting;
    let mut lines = Vec::new();
    match kept_layers(&model) {
        Ok(None) => {}
        Ok(Some(_)) if !painting.layers.is_empty() => {
            if kept_text(&model, &painting.layers).as_deref() == model.source.kept_layers.as_deref() {
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
                "The file keeps layers of weights, but was changed since: {what}. The panel Paint asks what becomes of them."
            ));
            painting.file_layers.asked = Some(Arc::new(kept));
        }
        Err(why) => {
            let why = why.to_string();
            let mut letters = why.chars();
            let text: String =
                letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
            lines.push(format!("{text}."));
        }
    }
    session.warn(&lines);
}
