//! What a file keeps in its extras, as a member of `extras.skinscope`: layers of weights, which are `layers`, and more. What else stands in the
//! extras stays as it is.

use super::WriteError;
use super::draft::Draft;
use super::json::{Node, PathStep};
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

/// Takes a member away that is there, with the objects that have nothing else. What was set just before counts too.
pub(super) fn remove(draft: &mut Draft<'_>, member: &str) -> Result<(), WriteError> {
    let extras = [PathStep::Key(EXTRAS)];
    let own = [PathStep::Key(EXTRAS), PathStep::Key(OWN)];
    let (in_extras, in_own) = (count(draft, &extras)?, count(draft, &own)?);
    match (in_extras, in_own) {
        (..=1, ..=1) => draft.remove_member(&[], EXTRAS),
        (_, ..=1) => draft.remove_member(&extras, OWN),
        _ => draft.remove_member(&own, member),
    }
}

/// Returns how many members an object has now.
fn count(draft: &mut Draft<'_>, path: &[PathStep]) -> Result<usize, WriteError> {
    draft.text.find(path)?.map_or(Ok(0), Node::count)
}
