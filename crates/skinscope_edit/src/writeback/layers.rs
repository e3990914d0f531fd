//! What a file keeps in its extras, as a member of `extras.skinscope`: layers of weights, which are `layers`, and more. What else stands in the
//! extras stays as it is.

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
        LayersInFile::Kept(text) => keep(draft, LAYERS, text),
        LayersInFile::Removed => remove(draft, LAYERS),
    }
}

/// Sets a member of `extras.skinscope`, which is made where it is not there.
pub(super) fn keep(draft: &mut Draft<'_>, member: &str, text: &str) -> Result<(), WriteError> {
    let extras = [PathStep::Key(EXTRAS)];
    let own = [PathStep::Key(EXTRAS), PathStep::Key(OWN)];
    if !is_there(draft, &extras, "extras")? {
        return draft.set_member(&[], EXTRAS, format!("{{\"{OWN}\":{{\"{member}\":{text}}}}}"));
    }
    if !is_there(draft, &own, "extras.skinscope")? {
        return draft.set_member(&extras, OWN, format!("{{\"{member}\":{text}}}"));
    }
    draft.set_member(&own, member, text.to_owned())
}

/// Returns whether there is an object; where there is anything else, that has to stay.
fn is_there(draft: &mut Draft<'_>, path: &[PathStep], name: &'static str) -> Result<bool, WriteError> {
    let found = draft.text.find(path)?.map(|node| node.to_text());
    match found.as_deref() {
        None | Some("null") => Ok(false),
        Some(found) if found.starts_with('{') => Ok(true),
        Some(_) => Err(WriteError::Extras(name)),
    }
}

/// Takes a member away that is there, with the objects that have nothing else.
pub(super) fn remove(draft: &mut Draft<'_>, member: &str) -> Result<(), WriteError> {
    let count = |path: &[&str]| {
        let at = path.iter().try_fold(&draft.root, |value, key| value.get(*key));
        at.and_then(serde_json::Value::as_object).map_or(0, serde_json::Map::len)
    };
    let (in_extras, in_own) = (count(&[EXTRAS]), count(&[EXTRAS, OWN]));
    match (in_extras, in_own) {
        (..=1, ..=1) => draft.remove_member(&[], EXTRAS),
        (_, ..=1) => draft.remove_member(&[PathStep::Key(EXTRAS)], OWN),
        _ => draft.remove_member(&[PathStep::Key(EXTRAS), PathStep::Key(OWN)], member),
    }
}
