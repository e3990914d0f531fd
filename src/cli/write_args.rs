//! Options of the subcommands that write an edited model back into a file.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use super::opened::refuse_session;
use super::storage::Restored;
use super::{CliError, OpenArgs, open_models, other_file, printable, tell_warnings};
use crate::edit::Sheet;
use crate::output::{overwritten, overwritten_by_stdout, say};
use crate::parallel::JobContext;
use crate::session::Document;
use crate::words::counted;
use crate::writeback::{Destination, Origin, Recompression, Saved, Stamps, prepare};

/// The file that is edited, and where the result goes.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("place").required(true).args(["output", "in_place"]))]
pub(super) struct WriteArgs {
    /// A .gltf or .glb file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub open: OpenArgs,
    /// Write into this file: a .glb for a .glb, a .gltf for a .gltf; never MODEL
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace MODEL, and keep what it was as MODEL.bak; so too for each .bin that changes
    #[arg(long)]
    in_place: bool,
    /// Write into a file that has other names (hard links), so that it stays one; without, they keep what was there
    #[arg(long)]
    pub keep_links: bool,
}

impl WriteArgs {
    /// Returns where the result goes: clap asks for --output or --in-place.
    pub(super) fn destination(&self) -> Destination<'_> {
        self.output.as_deref().map_or(Destination::InPlace, Destination::To)
    }

    /// Reads the model, with its files as they are now. None of them is written over.
    pub(super) fn open_model(&self) -> Result<(Document, Stamps), CliError> {
        refuse_session(&self.model)?;
        let mut stamps = Stamps::of(&self.model);
        let document = other_file(&self.model, &self.open)?;
        overwritten_by_stdout(document.files())?;
        stamps.add(document.files());
        Ok((document, stamps))
    }

    /// Checks that what is written replaces none of some files that are read.
    pub(super) fn spares<'f>(&self, files: impl Iterator<Item = &'f Path> + Clone) -> Result<(), CliError> {
        overwritten_by_stdout(files.clone())?;
        Ok(self.output.as_deref().map_or(Ok(()), |out| overwritten(out, files))?)
    }

    /// Writes what is edited in a sheet, and warns of what came of it. The files that were read are as `stamps` has them.
    pub(super) fn write(
        &self,
        stamps: &Stamps,
        sheet: &Sheet,
        recompression: Recompression,
    ) -> Result<Saved, CliError> {
        if JobContext::of_waiting().is_cancelled() {
            return Err(CliError::Usage("the work was cancelled; nothing was written".to_owned()));
        }
        let out = self.output.as_deref().unwrap_or(&self.model);
        let saved = match open_models::keep([self.model.as_path(), out], sheet, recompression) {
            Some(kept) => kept?,
            None => prepare(Origin::File(&self.model, stamps), sheet, recompression, self.destination())?
                .keeping_links(self.keep_links)
                .write()?,
        };
        tell_saved(&saved);
        Ok(saved)
    }

    /// Does the same with edited weights, without `is_json` after the warnings of the file that are left. Returns also which weights get
    /// another type.
    pub(super) fn write_weights(
        &self,
        (document, stamps): (&Document, &Stamps),
        sheet: &Sheet,
        is_json: bool,
    ) -> Result<(Saved, Restored), CliError> {
        if !is_json {
            tell_current(document, sheet);
        }
        let saved = self.write(stamps, sheet, Recompression::None)?;
        let restored = Restored::of(&saved, sheet);
        Ok((saved, restored))
    }
}

/// Writes the warnings of import to standard error, and says which of those about weights are repaired by now.
pub(super) fn tell_current(document: &Document, sheet: &Sheet) {
    let fixed = Some(sheet).filter(|_| !document.warnings.is_empty()).and_then(Sheet::to_model);
    let Some(fixed) = fixed else { return tell_warnings(document) };
    let (repaired, left): (Vec<_>, Vec<_>) =
        document.warnings_of(&fixed).into_iter().partition(|warning| warning.is_repaired);
    let mut shown = document.clone();
    shown.warnings = left.into_iter().map(|warning| warning.text.into_owned()).collect();
    tell_warnings(&shown);
    for warning in repaired {
        say(format_args!("repaired: {}", printable(&warning.text)));
    }
}

/// Warns of what was not copied, and of clips whose keys are stored more coarsely than they were.
fn tell_saved(saved: &Saved) {
    for left in &saved.left {
        say(format_args!("warning: {}: its name leads out of the folder, so it was not copied", left.display()));
    }
    if !saved.kept_links {
        for (path, count) in &saved.links {
            let links = counted(*count, "other hard link, which keeps", "other hard links, which keep");
            say(format_args!(
                "warning: {}: it has {links} what was there; with --keep-links it stays one file",
                path.display()
            ));
        }
    }
    for coarse in &saved.changes.coarse {
        say(format_args!("warning: {}", printable(coarse)));
    }
}
