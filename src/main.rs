//! The command line: arguments to a subcommand, error chain to an exit code.

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    match skinscope::cli::run(std::env::args_os(), started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            skinscope::output::say(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
