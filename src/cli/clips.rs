//! Clips of other files, for commands that show or write poses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::map::MapArgs;
use super::opened::Opened;
use super::{CliError, MOST_WARNINGS, OpenArgs, other_file, printable, unwritable};
use crate::model::Model;
use crate::output::{overwritten, say, write};
use crate::pose::{NameMap, propose};
use crate::session::{Document, TakenClips};

/// The most lines of a proposed mapping that are shown.
const MOST_PROPOSED: usize = 200;

/// The files that clips are taken from.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ClipsArgs {
    /// Add the clips of this file too: joints are found by --map, by what a session file says of this file, by the bones of humanoids (as
    /// VRM says, or the names of Mixamo, Unreal, MMD and other families), then by their own names in all spellings, and keys are corrected where the two rest in other poses. May be given several times
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub clips_from: Vec<PathBuf>,
    #[command(flatten)]
    map: MapArgs,
    /// Write which joint that the clips move is which of the model into a new FILE, which --map reads
    #[arg(long, value_name = "FILE", requires = "clips_from", allow_hyphen_values = true)]
    write_map: Option<PathBuf>,
}

impl ClipsArgs {
    /// Adds the clips to the model that was opened, and says what was done. Returns every file that was read for it. The map replaces
    /// neither one of them nor a file that the command reads `later`, nor is it the command's `output`.
    pub fn add<'a>(
        &self,
        opened: &mut Opened,
        open: &OpenArgs,
        later: impl IntoIterator<Item = &'a Path>,
        output: Option<&Path>,
    ) -> Result<Vec<PathBuf>, CliError> {
        let map = self.map.read_for("--clips-from", !self.clips_from.is_empty())?;
        let mut read: Vec<PathBuf> = self.map.files().collect();
        let (mut unknown, mut found) = (map.clone(), NameMap::default());
        for path in &self.clips_from {
            let other = other_file(path, open)?;
            read.extend(other.files().map(PathBuf::from));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let document = &opened.document;
            let own = map.in_file(other.stored());
            own.pairs().for_each(|(from, _)| unknown.forget(from));
            // A name that no file has is reported for the last file.
            let own = if path == &self.clips_from[self.clips_from.len() - 1] { merged(own, &unknown) } else { own };
            let mut mapping =
                opened.session_file.as_ref().map_or_else(NameMap::default, |(_, file)| file.mapping_of(path));
            mapping.correct(own);
            let taken = match TakenClips::of(document.stored(), other.stored(), &name, &mapping) {
                Ok(taken) => taken,
                Err(why) => {
                    self.may_write_map(opened, &read, later, output)?;
                    let why = format!("{why} --map says which joint is which.");
                    return Err(self.unfit(path, &why, [other.stored(), document.stored()], &mapping));
                }
            };
            say(format_args!("{}", printable(&taken.sentence())));
            for line in taken.lines().iter().take(MOST_WARNINGS) {
                say(format_args!("warning: {}", printable(line)));
            }
            taken.counterparts.iter().for_each(|(from, to)| found.set(from, to.as_deref()));
            let (warnings, own) = (document.warnings.clone(), document.path.clone());
            let model = taken.onto(document.stored()).map_err(|why| CliError::Usage(printable(&why)))?;
            opened.document = Document::new(Arc::new(model), warnings, own);
        }
        self.may_write_map(opened, &read, later, output)?;
        if let Some(out) = &self.write_map {
            write(out, found.text().as_bytes()).map_err(|error| unwritable(out, error))?;
        }
        Ok(read)
    }
}

impl ClipsArgs {
    /// Checks that the map replaces no file that is read, and is not the command's output.
    fn may_write_map<'a>(
        &self,
        opened: &Opened,
        read: &[PathBuf],
        later: impl IntoIterator<Item = &'a Path>,
        output: Option<&Path>,
    ) -> Result<(), CliError> {
        let Some(out) = &self.write_map else { return Ok(()) };
        overwritten(out, opened.files().chain(paths(read)))?;
        overwritten(out, later)?;
        if overwritten(out, output).is_err() {
            let why = format!("{}: --write-map and --output name one file", out.display());
            return Err(CliError::Usage(printable(&why)));
        }
        Ok(())
    }

    /// Returns the error that nothing here has a counterpart of the clips of a file, with a mapping that is proposed: it is written where
    /// that is asked for.
    fn unfit(&self, path: &Path, why: &str, [other, model]: [&Model; 2], mapping: &NameMap) -> CliError {
        let mut text = printable(&format!("{}: {why}", path.display()));
        let proposed = mapping.find(other, model).ok().map(|mapping| propose(other, model, &mapping));
        let found = |proposed: &NameMap| proposed.pairs().filter(|(_, here)| here.is_some()).count();
        if proposed.as_ref().is_some_and(|proposed| !proposed.is_empty() && found(proposed) == 0) {
            text += "\nNeither the shapes of both bodies nor names tell which joints are which, so that no mapping is proposed";
        }
        if let Some(proposed) = proposed.filter(|proposed| found(proposed) > 0) {
            let (known, all) = (found(&proposed), proposed.pairs().count());
            let less = match 2 * known < all {
                true => format!(
                    " (it knows {known} of the {all} joints that the clips move, and nothing tells of the others)"
                ),
                false => String::new(),
            };
            let how = match &self.write_map {
                Some(out) => match write(out, proposed.text().as_bytes()) {
                    Ok(()) => format!("This mapping is proposed; it is in {}, for --map", out.display()),
                    Err(error) => return unwritable(out, error),
                },
                None => "This mapping is proposed; --write-map FILE writes it, and --map FILE takes it".to_owned(),
            };
            let lines: Vec<String> = proposed.text().lines().take(MOST_PROPOSED).map(printable).collect();
            text += &format!("\n{}{less}, edited where it is wrong:\n{}", printable(&how), lines.join("\n"));
        }
        CliError::Usage(text)
    }
}

fn merged(mut map: NameMap, other: &NameMap) -> NameMap {
    map.extend(other.clone());
    map
}

/// Returns paths as a check of outputs wants them.
pub(super) fn paths(files: &[PathBuf]) -> impl Iterator<Item = &Path> {
    files.iter().map(PathBuf::as_path)
}
