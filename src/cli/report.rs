//! `skinscope report`: writes what *Copy for a bug report* of the window copies.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::check::merge::{self, MergeArgs};
use super::{CliError, ModelArgs, OpenArgs, print};
use crate::app;
use crate::render::{Backend, Gpu};
use crate::session::Session;

/// Write what a report of a bug needs: version, graphics device, figures of a model, preferences; no name and no path
///
/// With --json: schema (1) and report, an object of the same lines.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ReportArgs {
    #[command(subcommand)]
    other: Option<OtherReport>,
    /// The model that the report is about
    #[arg(value_name = "MODEL")]
    model: Option<PathBuf>,
    #[command(flatten)]
    open: OpenArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A report about something else.
#[derive(Clone, Debug, Subcommand)]
enum OtherReport {
    Merge(MergeArgs),
}

pub(super) fn run(args: &ReportArgs) -> Result<(), CliError> {
    if let Some(OtherReport::Merge(args)) = &args.other {
        return merge::run(args);
    }
    let mut session = Session::default();
    if args.model.is_some() {
        session.open(ModelArgs { model: args.model.clone(), open: args.open.clone() }.load()?);
    }
    let adapter = match Gpu::headless(Backend::Auto) {
        Ok(gpu) => format!("{} ({:?})", gpu.info.name, gpu.info.backend),
        Err(error) => error.to_string(),
    };
    let lines = app::bug_report(&session, &adapter);
    if args.json {
        let report: serde_json::Map<String, serde_json::Value> =
            lines.into_iter().map(|(what, text)| (what.to_lowercase().replace(' ', "_"), text.into())).collect();
        return print(&format!("{:#}\n", serde_json::json!({ "schema": 1, "report": report })));
    }
    print(&lines.into_iter().map(|(what, text)| format!("{what}: {text}\n")).collect::<String>())
}

#[cfg(test)]
mod tests {
    use crate::cli::captured;

    #[test]
    fn a_report_has_figures_and_neither_names_nor_paths() {
        let run = |json: &[&str]| {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/no such model.glb");
            let missing = captured(["skinscope", "report", path].map(Into::into));
            assert_eq!(missing.0, 1, "a model that is missing is an error");
            captured(["skinscope", "report"].iter().chain(json).map(Into::into))
        };
        let (code, out) = run(&[]);
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(code == 0 && text.starts_with(concat!("Skinscope: ", env!("CARGO_PKG_VERSION"))), "{code} {text}");
        assert!(text.contains("\nModel: none\n") && text.contains("\nPreferences: theme="), "{text}");
        let (_, out) = run(&["--json"]);
        let object: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!((&object["schema"], &object["report"]["model"]), (&1.into(), &"none".into()));
        let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/figure.glb");
        let (code, out) = captured(["skinscope", "report", figure, "--json"].map(Into::into));
        let object: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let figures = object["report"].as_object().unwrap();
        assert!(code == 0 && figures.contains_key("most_influences_of_a_vertex"), "{code} {figures:?}");
        assert!(figures.keys().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')), "{figures:?}");
    }
}
