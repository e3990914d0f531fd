//! Carries out commands within another program, on models that are open in it: without a process, without printing, and without files of its
//! own. The words are those of the command line, so that every option means the same.
//!
//! A command names an open model by a word, as it would name a file ([`Given`]). What it writes in place of such a model comes back in memory
//! ([`Outcome::written`]). Work that is cancelled ends where it asks [`JobContext::of_waiting`](crate::parallel::JobContext::of_waiting).

mod options;

use std::ffi::OsString;
use std::time::Instant;

use clap::{Args, Parser, Subcommand};

pub use self::options::{CommandOption, OptionKind, options_of};
use super::CliError;
pub use super::check::Checked;
use super::check::merge::{self, MergeArgs};
use super::check::{CheckArgs, check_given};
use super::commands::Commands;
use super::open_models::with;
pub use super::open_models::{Content, Failure, Given};
use super::pose::PoseArgs;
use crate::output::Captured;
use crate::session::Session;

/// The command line of another program.
#[derive(Debug, Parser)]
#[command(name = "skinscope", version)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Plain(Commands),
    Report(ReportArgs),
    /// Take a pose of an open model, deformed by a method
    Deform(DeformArgs),
}

#[derive(Debug, Args)]
struct ReportArgs {
    #[command(subcommand)]
    report: Report,
}

#[derive(Debug, Subcommand)]
enum Report {
    Merge(MergeArgs),
}

#[derive(Debug, Args)]
struct DeformArgs {
    #[command(flatten)]
    pose: PoseArgs,
}

/// A command line of one command alone: to put the parser of all commands together takes as long as the check of a small model.
#[derive(Debug, Parser)]
struct One<A: Args> {
    #[command(flatten)]
    args: A,
}

/// What a command has done.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The exit code that the program would end with: 0, or 3 where something was found or differs.
    pub exit_code: u8,
    /// What the command prints.
    pub report: String,
    /// The lines for people, such as warnings.
    pub messages: Vec<String>,
    /// What the model has become, where the command writes one back.
    pub written: Option<Content>,
}

/// Returns the lines that were printed for people, without the name of the program.
fn messages(captured: &Captured) -> Vec<String> {
    let text = String::from_utf8_lossy(&captured.stderr);
    text.lines().map(|line| line.strip_prefix("skinscope: ").unwrap_or(line).to_owned()).collect()
}

fn parse(words: &[OsString]) -> Result<Command, Failure> {
    let all = std::iter::once(OsString::from("skinscope")).chain(words.iter().cloned());
    Line::try_parse_from(all).map(|line| line.command).map_err(|error| CliError::from(error).into())
}

/// Returns the options of one command, whose name is the first word.
fn options_given<A: Args>(command: &str, words: &[OsString]) -> Result<A, Failure> {
    if words.first().is_none_or(|word| word != command) {
        return Err(no_command(words));
    }
    One::<A>::try_parse_from(words).map(|line| line.args).map_err(|error| CliError::from(error).into())
}

/// Makes the failure of words that are no command of this function.
fn no_command(words: &[OsString]) -> Failure {
    let word = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    Failure { message: format!("{word} is no command that can be carried out here"), exit_code: 2 }
}

/// Carries out a command line, without the name of the program, on open models.
///
/// # Errors
/// The words are no command line, a file is bad, or the command cannot be carried out.
pub fn run(words: &[OsString], given: Vec<Given>) -> Result<Outcome, Failure> {
    let command = parse(words)?;
    let (done, written, captured) = match &command {
        Command::Plain(command) => with(given, || command.run(Instant::now())),
        Command::Report(ReportArgs { report: Report::Merge(args) }) => with(given, || merge::run(args)),
        Command::Deform(_) => return Err(no_command(words)),
    };
    let exit_code = match done {
        Ok(()) => 0,
        Err(error @ (CliError::Findings { .. } | CliError::Exceeded { .. } | CliError::Differ)) => error.exit_code(),
        Err(error) => return Err(error.into()),
    };
    let messages = messages(&captured);
    Ok(Outcome { exit_code, report: String::from_utf8_lossy(&captured.stdout).into_owned(), messages, written })
}

/// Checks an open model, which reports call `name`. `words` are the command `check` with its options.
///
/// # Errors
/// The words are no such command line, or the pose of a range of motion cannot be read.
pub fn check(words: &[OsString], name: &str, content: &Content) -> Result<Checked, Failure> {
    let args: CheckArgs = options_given("check", words)?;
    let (checked, ..) = with(Vec::new(), || check_given(&args, name, &content.document));
    Ok(checked?)
}

/// Returns a session that shows an open model in a pose. `words` are `deform` with the options of `bake` about poses and methods.
///
/// # Errors
/// The words are no such command line, or name what the model does not have.
pub fn posed(words: &[OsString], content: &Content) -> Result<Session, Failure> {
    let args: DeformArgs = options_given("deform", words)?;
    let (session, ..) = with(Vec::new(), || args.pose.session(content.document.clone()));
    Ok(session?)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::import::Options;

    const FIGURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/figure.glb");

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn figure() -> Content {
        Content::of_bytes(&std::fs::read(FIGURE).unwrap(), "figure.glb", &Options::default()).unwrap()
    }

    fn given(content: Content) -> Vec<Given> {
        vec![Given { word: PathBuf::from("figure.glb"), content }]
    }

    #[test]
    fn a_command_on_an_open_model_prints_and_writes_nothing_and_returns_the_bytes_of_the_program() {
        let out = std::env::temp_dir().join(format!("skinscope_in_process_{}.glb", std::process::id()));
        let line = format!("fix {FIGURE} --limit 2 --json -o {}", out.display());
        let by_file = run(&words(&line), Vec::new()).unwrap();
        let in_memory = run(&words("fix figure.glb --limit 2 --json -o <memory>/a.glb"), given(figure())).unwrap();
        assert_eq!((in_memory.exit_code, &in_memory.report), (0, &by_file.report));
        let (kept, bytes) = (in_memory.written.unwrap(), std::fs::read(&out).unwrap());
        assert!(*kept.bytes().unwrap() == *bytes, "other bytes than those of the file");
        assert!(by_file.written.is_none() && !Path::new("<memory>").exists());
        std::fs::remove_file(&out).unwrap();
        let again = run(&words("diff figure.glb <memory>/a.glb --json"), {
            let mut both = given(figure());
            both.push(Given { word: PathBuf::from("<memory>/a.glb"), content: kept });
            both
        });
        assert_eq!(again.unwrap().exit_code, 3, "the two differ");
    }

    #[test]
    fn what_cannot_be_done_is_a_failure_in_the_program_s_words() {
        let fails = |text: &str| run(&words(text), given(figure())).unwrap_err();
        let unknown = fails("fix figure.glb -o a.glb --no-such-option");
        let first = unknown.message.lines().next();
        assert_eq!((unknown.exit_code, first), (2, Some("unexpected argument '--no-such-option' found")));
        assert!(fails("fix figure.glb -o a.glb --lock Nobody --limit 2").message.contains("Nobody"));
        assert_eq!(fails("info /no/such/file.glb --json").exit_code, 1);
        assert_eq!(fails("deform").exit_code, 2);
        assert_eq!(check(&words("fix a"), "a", &figure()).unwrap_err().exit_code, 2);
    }

    #[test]
    fn a_check_has_all_vertices_and_the_line_of_the_program() {
        let checked = check(&words("check --limit 1"), "figure.glb", &figure()).unwrap();
        let item: serde_json::Value = serde_json::from_str(&checked.item).unwrap();
        let counts: Vec<u64> =
            item["findings"].as_array().unwrap().iter().map(|f| f["vertex_count"].as_u64().unwrap()).collect();
        let all: Vec<u64> = checked.vertices.iter().map(|vertices| vertices.len() as u64).collect();
        assert!(counts.iter().any(|count| *count > 256), "a list that the item cuts off: {counts:?}");
        assert_eq!(all, counts);
        let line: serde_json::Value = serde_json::from_str(&checked.line).unwrap();
        assert_eq!((&line["file"], &line["findings"]), (&"figure.glb".into(), &item["findings"]));
    }

    #[test]
    fn every_command_has_its_options_by_keyword() {
        let names = |command: &str| -> Vec<String> {
            options_of(command).unwrap().into_iter().map(|option| option.name).collect()
        };
        assert!(names("solve").contains(&"hold_out".to_owned()));
        assert!(names("deform").contains(&"normalise_weights".to_owned()));
        assert!(names("fix").len() > 30 && options_of("view").is_none() && options_of("merge").is_none());
        let option = options_of("check").unwrap().into_iter().find(|option| option.name == "fail_on").unwrap();
        assert_eq!(
            (option.kind, &option.values[..2]),
            (OptionKind::Value, &["error".to_owned(), "warning".to_owned()][..])
        );
    }
}
