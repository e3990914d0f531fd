//! Runs command lines: within this process, or as processes of their own where a process is the matter.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus, Output};

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_skinscope");

/// The options that are followed by the name of a file.
const FILES: [&str; 11] = [
    "-o",
    "--output",
    "--strokes",
    "--skeleton",
    "--transfer",
    "--pose",
    "--html",
    "--b-file",
    "--from",
    "--made-on",
    "--left",
];

/// Launches the program in a folder.
pub fn launched(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).current_dir(folder).output().unwrap()
}

/// Carries out a command line within this process, as if that were in a folder: the names of files there are made whole, and what is
/// said has them so. It is not for commands that write on other threads.
pub fn captured(folder: &Path, arguments: &[&str]) -> Output {
    let mut words = vec![OsString::from("skinscope")];
    let mut before = "";
    for argument in arguments.iter().copied() {
        let is_model = argument.ends_with(".glb") || argument.ends_with(".gltf");
        let is_there = !argument.is_empty() && folder.join(argument).exists();
        words.push(match argument.split_once('=') {
            // The share of the way follows the name.
            Some((name, part)) if before == "--blend" => format!("{}={part}", folder.join(name).display()).into(),
            // A place is no file.
            _ if FILES.contains(&before) && !argument.contains(',') => folder.join(argument).into(),
            _ if !argument.starts_with('-') && (is_model || is_there) => folder.join(argument).into(),
            _ => argument.into(),
        });
        before = argument;
    }
    let (code, written) = skinscope::cli::captured(words);
    Output { status: status(code), stdout: written.stdout, stderr: written.stderr }
}

/// How a process ends that ends with this code.
#[cfg(unix)]
fn status(code: u8) -> ExitStatus {
    use std::os::unix::process::ExitStatusExt;
    // The second byte of what the system tells is the code.
    ExitStatus::from_raw(i32::from(code) << 8)
}

/// How a process ends that ends with this code.
#[cfg(windows)]
fn status(code: u8) -> ExitStatus {
    use std::os::windows::process::ExitStatusExt;
    ExitStatus::from_raw(u32::from(code))
}
