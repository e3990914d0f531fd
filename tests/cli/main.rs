//! The command line as a user meets it: the real program, its exit codes, and what it prints and writes.

#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod bake;
mod clips;
#[path = "../common/mod.rs"]
mod common;
mod controls;
mod examples;
mod films;
mod help;
mod info;
mod pictures;
mod variants;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn skinscope(arguments: &[&str]) -> Output {
    // No display: whatever needs one must say so, and nothing else may want one.
    Command::new(env!("CARGO_BIN_EXE_skinscope"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

fn ok(arguments: &[&str]) -> String {
    let out = skinscope(arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Fails with `code`, one line on standard error that holds `words`.
fn fails(arguments: &[&str], code: i32, words: &[&str]) {
    let out = skinscope(arguments);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {said}");
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
    fails(&["info", "no_such_file.glb"], 1, &["no_such_file.glb"]);
    fails(&["no_such_file.glb"], 1, &["no_such_file.glb"]);
    fails(&["render", "no_such_file.glb", "-o", "x.png"], 1, &["no_such_file.glb"]);
    fails(&["render"], 2, &["--output"]);
    fails(&["render", "-o", "x.jpeg"], 2, &[".png"]);
    fails(&["render", "-o", "x.png", "--time", "1"], 2, &["--clip"]);
    fails(&["render", "-o", "x.png", "--clip", "No such clip"], 2, &["Walk"]);
    fails(&["render", "-o", "x.png", "--heatmap", "No such joint"], 2, &["Head"]);
    fails(&["bake", "-o", "x.fbx"], 2, &[".ply", ".stl"]);
    fails(&["bake", "-o", "/no/such/folder/x.ply"], 2, &["/no/such/folder"]);
    fails(&["render", "-o", "x.png", "--eye", "0,1,4", "--fov", "-10"], 2, &["degrees"]);
    fails(&["render", "-o", "x.png", "--clip", "-1"], 2, &["no clip \"-1\""]);
    fails(&["render", "-o", "x.png", "--size", "9000x9000"], 2, &["8192"]);
    let bad = scratch("bad.glb");
    std::fs::write(&bad, b"glTF but not really").unwrap();
    fails(&["info", bad.to_str().unwrap()], 1, &["bad.glb"]);
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
        fails(&arguments, 2, &["full."]);
        std::fs::remove_file(&path).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_the_window_says_what_to_do() {
    fails(&[], 2, &["display", "render"]);
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
