//! Which joints of another file are which of the model, as people say it: `--map`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;
use crate::pose::NameMap;

/// What people say of names.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct MapArgs {
    /// Say that the joint A of the other file is the joint B of the model (nothing after = is: it has no counterpart), or give a FILE that
    /// says it of many: JSON, {"A": "B", "C": null}. May be given several times; the last word on a joint is right
    #[arg(long, value_name = "A=B|FILE", allow_hyphen_values = true)]
    map: Vec<String>,
}

impl MapArgs {
    /// Returns all that is said, in the order in which it was given. It is about the file of `option`, and wrong usage where that is not
    /// given.
    pub fn read_for(&self, option: &str, is_given: bool) -> Result<NameMap, CliError> {
        if !self.map.is_empty() && !is_given {
            return Err(CliError::Usage(format!("--map says which joints are which for {option}")));
        }
        let mut out = NameMap::default();
        for word in &self.map {
            // As all options are, it is split at its last `=`.
            match word.rsplit_once('=') {
                Some(("", _)) => {
                    return Err(CliError::Usage(format!("--map {word}: expected A=B, or a FILE without =")));
                }
                Some((from, to)) => out.set(from, Some(to)),
                None => {
                    let unreadable = |error| CliError::Unreadable { file: word.clone(), error };
                    out.extend(NameMap::read(Path::new(word)).map_err(unreadable)?);
                }
            }
        }
        Ok(out)
    }

    /// Returns the files that are read.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.map.iter().filter(|word| !word.contains('=')).map(PathBuf::from)
    }
}
