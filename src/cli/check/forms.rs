//! The forms in which results are written, and where each goes.

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::{CliError, markup};
use super::{junit, report, sarif};

/// A form in which results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    JsonLines,
    Sarif,
    Junit,
    Page,
}

impl Format {
    pub(super) fn head(self) -> String {
        match self {
            Self::Text | Self::JsonLines => String::new(),
            Self::Json => report::JSON_HEAD.to_owned(),
            Self::Sarif => sarif::head(),
            Self::Junit => junit::HEAD.to_owned(),
            Self::Page => markup::head("Skinscope check"),
        }
    }

    pub(super) fn between(self) -> &'static str {
        if matches!(self, Self::Json | Self::Sarif) { ",\n" } else { "" }
    }

    pub(super) fn tail(self) -> &'static str {
        match self {
            Self::Text | Self::JsonLines => "",
            Self::Json => report::JSON_TAIL,
            Self::Sarif => sarif::TAIL,
            Self::Junit => junit::TAIL,
            Self::Page => markup::TAIL,
        }
    }

    /// Returns the endings of files of this form, so that no model is named by mistake, and a sentence that says so.
    fn endings(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Json => (&["json"], "JSON is written as .json"),
            Self::Sarif => (&["sarif", "json"], "SARIF is written as .sarif or .json"),
            Self::Junit => (&["xml"], "JUnit's reports are written as .xml"),
            _ => (&["html", "htm"], "pages are written as .html"),
        }
    }
}

/// The arguments that say which forms are wanted.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct FormArgs {
    /// Print JSON, and nothing else, to standard output; with =FILE write it there and print the text as well
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,
    /// Print a line of JSON for each file as soon as it is done, in the order in which they are done
    #[arg(long)]
    json_lines: bool,
    /// Print SARIF 2.1.0, for code scanning; with =FILE write it there and print the text as well
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    sarif: Option<Option<PathBuf>>,
    /// Print a report as JUnit's, for pipelines; with =FILE write it there and print the text as well
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    junit: Option<Option<PathBuf>>,
    /// Also write one page with a picture of each finding
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl FormArgs {
    /// Returns the form on standard output.
    pub(super) fn on_stdout(&self) -> Result<Format, CliError> {
        let wanted = [
            (self.json == Some(None), Format::Json),
            (self.json_lines, Format::JsonLines),
            (self.sarif == Some(None), Format::Sarif),
            (self.junit == Some(None), Format::Junit),
        ];
        let mut wanted = wanted.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, format)| format);
        let format = wanted.next().unwrap_or(Format::Text);
        if wanted.next().is_some() {
            let why = "standard output has room for one of --json, --json-lines, --sarif and --junit; name a file for the \
                       others, as in --sarif=findings.sarif";
            return Err(CliError::Usage(why.to_owned()));
        }
        Ok(format)
    }

    /// Returns the files to write, with the form of each.
    pub(super) fn files(&self) -> impl Iterator<Item = (Format, &Path)> {
        let json = self.json.iter().flatten().map(|path| (Format::Json, path.as_path()));
        let sarif = self.sarif.iter().flatten().map(|path| (Format::Sarif, path.as_path()));
        let junit = self.junit.iter().flatten().map(|path| (Format::Junit, path.as_path()));
        json.chain(sarif).chain(junit).chain(self.html.iter().map(|path| (Format::Page, path.as_path())))
    }

    /// Checks that each file is named as its form is.
    pub(super) fn check_names(&self) -> Result<(), CliError> {
        for (format, path) in self.files() {
            let (endings, why) = format.endings();
            if !path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
                return Err(CliError::Usage(format!("{}: {why}", path.display())));
            }
        }
        Ok(())
    }
}
