//! The whole program's command line: what opens a window or draws, and every other command.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};

use super::commands::Commands;
use super::{CliError, bake, bench, example, explain, preferences, render, report, view};
use crate::app::AppError;
use crate::output::{self, Captured, say};
use crate::render::GpuError;

/// Opens any skinned glTF model, shows how each joint moves each vertex, and lets you pose it.
///
/// Without a subcommand it opens a window, as `view` does. Without MODEL it takes the built-in character.
#[derive(Debug, Parser)]
#[command(
    name = "skinscope",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage or no display, GPU or place to write to, \
        3 `check` found what --fail-on names, or `diff` a difference.\n\n\
        Examples:\n  skinscope character.glb\n  skinscope render character.glb -o picture.png --clip Walk --time 0.5\n  \
        skinscope bake character.glb -o posed.ply --clip 0 --time 1.25\n  skinscope info character.glb --json\n  skinscope check *.glb --fail-on warning\n  \
        skinscope fix character.glb -o fixed.glb --rules all\n  skinscope --example twist-bar"
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub command: Option<Subcommands>,
    #[command(flatten)]
    view: view::ViewArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Subcommands {
    View(view::ViewArgs),
    Render(Box<render::RenderArgs>),
    Bake(bake::BakeArgs),
    #[command(flatten)]
    Others(Commands),
    Bench(bench::BenchArgs),
    Examples(example::ExamplesArgs),
    Preferences(preferences::PreferencesArgs),
    Explain(explain::ExplainArgs),
    Report(report::ReportArgs),
}

impl From<GpuError> for CliError {
    fn from(error: GpuError) -> Self {
        Self::Device { reason: error.to_string(), exit_code: 2 }
    }
}

impl From<AppError> for CliError {
    fn from(error: AppError) -> Self {
        let exit_code = if matches!(error, AppError::Import { .. }) { 1 } else { 2 };
        Self::Device { reason: error.to_string(), exit_code }
    }
}

/// The commands that open a graphics device and no window.
const DRAWING: [&str; 4] = ["render", "bake", "check", "report"];

/// The commands that do one large piece of work and end, and keep little of the memory that they have freed. `bake` and `check` are not among
/// them: they work on many files and poses, whose memory is used again.
const WORKING_ONCE: [&str; 2] = ["render", "bind"];

/// Carries out the command line of this process, and writes the error of a command that fails. `started` is the time at which the
/// process started.
pub fn main(arguments: impl IntoIterator<Item = OsString>, started: Instant) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|command| DRAWING.iter().any(|drawing| command == drawing)) {
        skinscope_base::environment::look_for_no_display();
    }
    skinscope_base::environment::open_no_drivers_of_missing_cards();
    if arguments.get(1).is_some_and(|command| WORKING_ONCE.iter().any(|once| command == once)) {
        skinscope_base::memory::keep_little();
    }
    output::report_large_files();
    match run(arguments, started) {
        Ok(()) => ExitCode::SUCCESS,
        // clap prints help, the version and its errors in colours of its own.
        Err(CliError::Arguments(error)) => error.exit(),
        Err(error) => {
            say(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Carries out a command line without a process of its own: returns the exit code, and what it writes on standard output and standard
/// error (but for what other threads write, such as those of `check`, and for terminal colours). Paths are relative to the current
/// folder of this process, as ever.
pub fn captured(arguments: impl IntoIterator<Item = OsString>) -> (u8, Captured) {
    let (result, mut captured) = output::captured(|| run(arguments, Instant::now()));
    let Err(error) = result else { return (0, captured) };
    match &error {
        CliError::Arguments(error) => {
            let out = if error.use_stderr() { &mut captured.stderr } else { &mut captured.stdout };
            out.extend_from_slice(error.render().to_string().as_bytes());
        }
        error => captured.stderr.extend_from_slice(format!("skinscope: {error}\n").as_bytes()),
    }
    (error.exit_code(), captured)
}

/// Carries out a command line. `started` is the time at which the process started.
///
/// # Errors
/// The error has the exit code to end with.
pub fn run(arguments: impl IntoIterator<Item = OsString>, started: Instant) -> Result<(), CliError> {
    let cli = Cli::try_parse_from(arguments)?;
    match cli.command {
        None => view::run(cli.view, started),
        Some(Subcommands::View(args)) => view::run(args, started),
        Some(Subcommands::Render(args)) => render::run(&args),
        Some(Subcommands::Bake(args)) => bake::run(&args),
        Some(Subcommands::Others(command)) => command.run(started),
        Some(Subcommands::Bench(args)) => bench::run(&args),
        Some(Subcommands::Examples(args)) => example::run(&args),
        Some(Subcommands::Preferences(args)) => preferences::run(&args),
        Some(Subcommands::Explain(args)) => explain::run(&args),
        Some(Subcommands::Report(args)) => report::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_number_without_a_name_is_refused() {
        for (start, option, form) in [
            ("--example=twist-bar", "--slider", "NAME=VALUE"),
            ("examples twist-bar", "--slider", "NAME=VALUE"),
            ("render a.glb -o a.png", "--control", "NAME=VALUE"),
            ("render a.glb -o a.png", "--morph", "NAME=WEIGHT"),
        ] {
            let parse = |value| {
                let words = ["skinscope"].into_iter().chain(start.split(' ')).chain([option, value]);
                Cli::try_parse_from(words).map_err(|error| error.to_string())
            };
            for bad in ["=1", "1", "theta=", "theta=inf"] {
                let refused = parse(bad).unwrap_err();
                assert!(refused.contains(&format!("expected {form}, such as")), "{start} {option} {bad}: {refused}");
            }
            assert!(parse("theta=1").is_ok() && parse("a=b=-1").is_ok(), "{start} {option}");
        }
    }
}
