//! Layers of weights in the extras of a file, `extras.skinscope.layers`. What else stands in the extras stays as it is.

use super::WriteError;
use super::draft::Draft;
use super::json::PathStep;
use crate::LayersInFile;

/// The members in which they are.
const EXTRAS: &str = "extras";
const OWN: &str = "skinscope";
const LAYERS: &str = "layers";

/// Changes the text of the file.
pub(super) fn write(layers: &LayersInFile, draft: &mut Draft<'_>) -> Result<(), WriteError> {
    match layers {
        _ if !layers.changes(draft.model) => Ok(()),
        LayersInFile::AsTheyAre => Ok(()),
        LayersInFile::Kept(text) => keep(draft, text),
        LayersInFile::Removed => remove(draft),
    }
}

fn keep(draft: &mut Draft<'_>, text: &str) -> Result<(), WriteError> {
    let extras = draft.root.get(EXTRAS).cloned();
    let own = extras.as_ref().and_then(|extras| extras.get(OWN)).cloned();
    let is_other = |value: &Option<serde_json::Value>| value.as_ref().is_some_and(|v| !v.is_object() && !v.is_null());
    if is_other(&extras) {
        return Err(WriteError::Extras("extras"));
    }
    if is_other(&own) {
        return Err(WriteError::Extras("extras.skinscope"));
    }
    if extras.is_none_or(|extras| extras.is_null()) {
        return draft.set_member(&[], EXTRAS, format!("{{\"{OWN}\":{{\"{LAYERS}\":{text}}}}}"));
    }
    if own.is_none_or(|own| own.is_null()) {
        return draft.set_member(&[PathStep::Key(EXTRAS)], OWN, format!("{{\"{LAYERS}\":{text}}}"));
    }
    draft.set_member(&[PathStep::Key(EXTRAS), PathStep::Key(OWN)], LAYERS, text.to_owned())
}

/// Takes them away, with the objects that have nothing else.
fn remove(draft: &mut Draft<'_>) -> Result<(), WriteError> {
    let count = |path: &[&str]| {
        let at = path.iter().try_fold(&draft.root, |value, key| value.get(*key));
        at.and_then(serde_json::Value::as_object).map_or(0, serde_json::Map::len)
    };
    let (in_extras, in_own) = (count(&[EXTRAS]), count(&[EXTRAS, OWN]));
    match (in_extras, in_own) {
        (..=1, ..=1) => draft.remove_member(&[], EXTRAS),
        (_, ..=1) => draft.remove_member(&[PathStep::Key(EXTRAS)], OWN),
        _ => draft.remove_member(&[PathStep::Key(EXTRAS), PathStep::Key(OWN)], LAYERS),
    }
}
