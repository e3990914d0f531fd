//! Finds clips by what the user calls them.

use super::{CliError, printable};
use crate::model::{ClipId, Model};

/// Finds a clip by exact name first, then by number.
pub(super) fn find_clip(model: &Model, wanted: &str) -> Result<ClipId, CliError> {
    let by_name = model.clips.iter().position(|c| c.name == wanted);
    let by_number = || wanted.parse::<usize>().ok().filter(|n| *n < model.clips.len());
    by_name.or_else(by_number).map(ClipId::from_index).ok_or_else(|| {
        let names: Vec<&str> = model.clips.iter().map(|c| c.name.as_str()).collect();
        let known =
            if names.is_empty() { "the file has no clip".to_owned() } else { format!("clips: {}", names.join(", ")) };
        CliError::Usage(printable(&format!("there is no clip \"{wanted}\"; {known}")))
    })
}
