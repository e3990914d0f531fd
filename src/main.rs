//! The program: its arguments go to the command line of the library.

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    skinscope::cli::main(std::env::args_os(), started)
}
