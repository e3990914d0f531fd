//! Imports the models in archives.

use super::archive::Archive;
use super::limits::Budget;
use super::uri::Resolver;
use super::{Import, ImportError, OnModel, Options, Progress, import, isolated};

/// Imports a member of an archive, and calls `shown` early, as [`crate::import_file_showing`] does. Files that the model names are looked for in
/// the archive and nowhere else.
///
/// # Errors
/// The same as those of [`crate::import_file`]; none after `shown` was called.
pub fn import_member_showing(
    archive: &Archive,
    member: usize,
    options: &Options,
    progress: &Progress,
    shown: OnModel,
) -> Result<Import, ImportError> {
    progress.step(0.0, "Reading file")?;
    let model = archive.model(member, &options.limits)?;
    let files = Budget::new("the length of all files in bytes", options.limits.file_bytes);
    let resolver = Resolver::inside(archive, member, options.allow_external, &files);
    isolated(|| import(model.bytes(), &archive.title(member), options, &resolver, progress, Some(shown)))
}
