//! What becomes of the layers of weights that a file keeps in its extras.

use skinscope_model::Model;

/// What becomes of the layers of weights that a file keeps in its extras.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LayersInFile {
    /// They stay as they are, or stay away.
    #[default]
    AsTheyAre,
    /// The file keeps these: a JSON text.
    Kept(String),
    /// The file keeps none.
    Removed,
}

impl LayersInFile {
    /// Returns whether the file of a model has other ones.
    pub(crate) fn changes(&self, model: &Model) -> bool {
        let in_file = model.source.kept_layers.as_deref();
        match self {
            Self::AsTheyAre => false,
            Self::Kept(text) => in_file != Some(text.as_str()),
            Self::Removed => in_file.is_some(),
        }
    }
}
