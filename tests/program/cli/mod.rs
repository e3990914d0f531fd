//! The command line as a user meets it: what it prints and writes, and how it ends. What a process of its own does not matter to runs in
//! this one; the program is launched for exit codes, for displays, and for what a graphics device draws.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod bake;
mod carried;
mod clips;
mod controls;
mod examples;
mod films;
mod help;
mod info;
mod measure;
mod names;
mod pictures;
mod variants;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common;

/// Launches the program.
fn skinscope(arguments: &[&str]) -> Output {
    // No display: whatever needs one must say so, and nothing else may want one.
    Command::new(env!("CARGO_BIN_EXE_skinscope"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

/// Carries out a command line in this process: its exit code, and what it writes on standard output and standard error.
fn called(arguments: &[&str]) -> (u8, String, String) {
    let (code, captured) = skinscope::cli::captured(["skinscope"].iter().chain(arguments).map(OsString::from));
    let said = String::from_utf8_lossy(&captured.stderr).into_owned();
    (code, String::from_utf8(captured.stdout).unwrap(), said)
}

fn ok(arguments: &[&str]) -> String {
    let (code, printed, said) = called(arguments);
    assert_eq!(code, 0, "{arguments:?}: {said}");
    printed
}

/// Fails with `code` and says `words` on standard error.
fn fails(arguments: &[&str], code: u8, words: &[&str]) {
    let (ended, _, said) = called(arguments);
    assert_eq!(ended, code, "{arguments:?}: {said}");
    says(arguments, &said, words);
}

/// The launched program fails with `code` and says `words` on standard error.
fn ends(arguments: &[&str], code: i32, words: &[&str]) {
    let out = skinscope(arguments);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {said}");
    says(arguments, &said, words);
}

fn says(arguments: &[&str], said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "{arguments:?} does not say \"{word}\": {said}");
    }
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _absent = std::fs::remove_file(&path);
    path
}

#[test]
fn exit_codes_tell_bad_files_from_bad_usage() {
    ends(&["info", "no_such_file.glb"], 1, &["no_such_file.glb"]);
    ends(&["no_such_file.glb"], 1, &["no_such_file.glb"]);
    ends(&["render", "no_such_file.glb", "-o", "x.png"], 1, &["no_such_file.glb"]);
    ends(&["render"], 2, &["--output"]);
    ends(&["bake", "-o", "x.fbx"], 2, &[".ply", ".stl"]);
    let bad = scratch("bad.glb");
    std::fs::write(&bad, b"glTF but not really").unwrap();
    ends(&["info", bad.to_str().unwrap()], 1, &["bad.glb"]);
}

#[test]
fn wrong_usage_names_what_is_wrong_and_what_there_is() {
    fails(&["render", "-o", "x.jpeg"], 2, &[".png"]);
    fails(&["render", "-o", "x.png", "--time", "1"], 2, &["--clip"]);
    fails(&["render", "-o", "x.png", "--clip", "No such clip"], 2, &["Walk"]);
    fails(&["render", "-o", "x.png", "--heatmap", "Haed"], 2, &["Head"]);
    fails(&["bake", "-o", "/no/such/folder/x.ply"], 2, &["/no/such/folder"]);
    fails(&["render", "-o", "x.png", "--eye", "0,1,4", "--fov", "-10"], 2, &["degrees"]);
    fails(&["render", "-o", "x.png", "--clip", "-1"], 2, &["no clip \"-1\""]);
    fails(&["render", "-o", "x.png", "--size", "9000x9000"], 2, &["8192"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    for (command, name) in [("bake", "full.ply"), ("render", "full.png")] {
        let path = scratch(name);
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        // Small enough to fit the writer's buffer: only the last flush meets the disk.
        let mut arguments = vec![command, "-o", path.to_str().unwrap()];
        if command == "render" {
            arguments.extend(["--size", "32x32"]);
        }
        ends(&arguments, 2, &["full."]);
        std::fs::remove_file(&path).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_the_window_says_what_to_do() {
    ends(&[], 2, &["display", "render"]);
}

/// A texture that is missing and a node too far off, said by every subcommand that opens the file.
#[test]
fn warnings_are_said_whatever_is_done_with_the_file() {
    let path = scratch("warns.gltf");
    let text = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
        "nodes":[{"mesh":0,"translation":[1e30,0,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],
        "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
        "textures":[{"source":0}],"images":[{"uri":"gone.png"}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    std::fs::write(&path, text).unwrap();
    let model = path.to_str().unwrap();
    let baked = scratch("warns.ply");
    let shown = scratch("warns.png");
    let runs: [&[&str]; 3] = [
        &["bake", model, "-o", baked.to_str().unwrap()],
        &["info", model, "--load"],
        &["render", model, "-o", shown.to_str().unwrap(), "--size", "32x32"],
    ];
    for arguments in runs {
        let out = skinscope(arguments);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if said.contains("no graphics adapter") {
            return common::skipped("no graphics adapter");
        }
        assert!(out.status.success(), "{arguments:?}: {said}");
        let warnings: Vec<&str> = said.lines().filter(|l| l.starts_with("skinscope: warning: ")).collect();
        assert!(warnings.iter().any(|w| w.contains("node 0: stands 1e30 m away")), "{arguments:?}: {said}");
        assert!(warnings.iter().any(|w| w.contains("gone.png")), "{arguments:?}: {said}");
    }
}
