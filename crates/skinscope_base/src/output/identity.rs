//! Finds out whether two paths name one file, whatever symbolic links, hard links, `./` and `..` they contain.

use std::fs;
use std::path::{Path, PathBuf};

use super::new_file::{folder_of, followed};

/// The identity of a file, whatever name it is reached by.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// A regular file that exists: on Unix its device and number.
    #[cfg(unix)]
    There(u64, u64),
    /// A file that does not exist, in a folder that does; on other systems every file.
    Named(PathBuf),
}

impl Identity {
    /// Returns the identity of a path; `None` for anything but a regular file, and where not even the folder exists.
    fn of(path: &Path) -> Option<Self> {
        let target = followed(path)?;
        #[cfg(unix)]
        if let Ok(facts) = fs::metadata(&target) {
            use std::os::unix::fs::MetadataExt;
            return Some(Self::There(facts.dev(), facts.ino()));
        }
        if let Ok(real) = fs::canonicalize(&target) {
            return Some(Self::Named(real));
        }
        Some(Self::Named(fs::canonicalize(folder_of(&target)).ok()?.join(target.file_name()?)))
    }

    /// Returns the identity of the file that standard output was redirected to.
    #[cfg(unix)]
    fn of_stdout() -> Option<Self> {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        let file = fs::File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
        let facts = file.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Self::There(facts.dev(), facts.ino()))
    }

    #[cfg(not(unix))]
    fn of_stdout() -> Option<Self> {
        None
    }
}

/// The error that an output would replace a file that was read as input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{output}: {}, and no output replaces what is read; give the output another name", what(output, input))]
pub struct Overwritten {
    /// The path of the output, as given.
    pub output: String,
    /// The path of the input, as given.
    pub input: String,
}

fn what(output: &str, input: &str) -> String {
    if output == input { "this file is read".to_owned() } else { format!("this is the file {input}, which is read") }
}

/// Checks that writing `output` would not replace one of `inputs`, whatever each of them is called. Inputs that do not
/// exist count as well: the output would be found instead of a file that a model names and that is missing.
///
/// # Errors
/// The output would replace one of `inputs`.
pub fn overwritten<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Overwritten> {
    meets(Identity::of(output), &output.display().to_string(), inputs)
}

/// Does the same as [`overwritten`] for the file that standard output was redirected to, where the system says which
/// that is.
///
/// # Errors
/// Standard output was redirected to one of `inputs`.
pub fn overwritten_by_stdout<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Overwritten> {
    meets(Identity::of_stdout(), "standard output", inputs)
}

/// Returns whether `path` is the file that standard output was redirected to.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    let stdout = Identity::of_stdout();
    stdout.is_some() && stdout == Identity::of(path)
}

fn meets<'a>(
    output: Option<Identity>,
    name: &str,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Overwritten> {
    let Some(output) = output else { return Ok(()) };
    match inputs.into_iter().find(|input| Identity::of(input).as_ref() == Some(&output)) {
        Some(input) => Err(Overwritten { output: name.to_owned(), input: input.display().to_string() }),
        None => Ok(()),
    }
}
