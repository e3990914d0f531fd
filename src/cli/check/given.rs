//! Checks a model that is open in another program.

use super::super::{CliError, read_pose, tell_unmatched};
use super::lines::{self, Setting};
use super::report::{self, Outcome};
use super::{CheckArgs, Examined, examine};
use crate::session::Document;

/// What was found in a model.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// An item of `files` of `check --json`.
    pub item: String,
    /// The line of `check --json-lines`, with a line break.
    pub line: String,
    /// All vertices of each finding, in the order of the findings; the item has the first ones.
    pub vertices: Vec<Vec<u32>>,
    /// Whether anything reaches `--fail-on`, or exceeds `--fail-over`.
    pub fails: bool,
}

/// Checks an open model. Options that say which files are checked, and in which forms the result is written, have no meaning here.
pub(in crate::cli) fn check_given(args: &CheckArgs, name: &str, document: &Document) -> Result<Checked, CliError> {
    let options = args.options()?;
    let pose = args.rom.pose_file().map(read_pose).transpose()?;
    let baseline = args.baseline.read()?;
    let model = document.stored();
    let late = |error| CliError::Import { file: name.to_owned(), error };
    let examined = args.in_time(|| examine(args, &options, pose.as_ref(), model, &|_| ()));
    let Examined { report, unmatched, rom, runtime, judged, .. } = examined.map_err(late)?;
    tell_unmatched(&unmatched);
    let outcome =
        Outcome::Checked { model, report: &report, gates: &judged, rom: rom.as_ref(), runtime: runtime.as_ref() };
    let mut item = report::json(name, &outcome);
    let (least, rules) = (args.fail_on.severity(), args.rules.as_deref());
    if let Some(baseline) = baseline {
        baseline.mark(&mut item, rules);
    }
    let setting = Setting { least, rules, shard: None };
    let fails = lines::failing(&item, least) + lines::exceeded(&item) > 0;
    Ok(Checked {
        line: lines::line(&item, &setting),
        item: item.to_string(),
        vertices: report.findings.into_iter().map(|finding| finding.vertices).collect(),
        fails,
    })
}
