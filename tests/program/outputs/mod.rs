//! Files are written whole or not at all, however the program ends, and never over files that were read.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod inputs;
mod whole;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::common;

const PROGRAM: &str = env!("CARGO_BIN_EXE_skinscope");

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outputs").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// As `sh` runs it: `$0` is the program.
fn shell(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, PROGRAM]).current_dir(folder).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.output().unwrap()
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// Names and contents of all files of a folder, temporary ones included.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    all.sort();
    all
}

fn temporary(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.filter(|e| e.file_name().to_string_lossy().starts_with(".skinscope-")).map(|e| e.path()).collect()
}

/// Whether pictures can be drawn here; where they cannot, that is counted.
pub(super) fn has_gpu() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let out = run(&folder("can_draw"), &["render", "--size", "16x16", "-o", "x.png"]);
        let has = out.status.success();
        if !has {
            common::skipped(&format!("render: {}", said(&out)));
        }
        has
    })
}

/// A triangle whose positions lie in `buffer`, with a texture, one that nothing shows, one that is not there, one that is no
/// picture and one outside the folder.
fn write_model(folder: &Path, buffer: &str) {
    let texture = |i: usize| serde_json::json!({ "source": i });
    let textured = |i: usize| serde_json::json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": i } } });
    let file = serde_json::json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0] }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": [{ "byteLength": 36, "uri": buffer }],
        "materials": (0..4).map(textured).collect::<Vec<_>>(),
        "textures": (0..4).map(texture).collect::<Vec<_>>(),
        "images": [{ "uri": "my%20skin.png" }, { "uri": "missing.png" }, { "uri": "broken.png" }, { "uri": "../outside.png" },
            { "uri": "unused.png" }],
    });
    fs::write(folder.join("x.gltf"), file.to_string()).unwrap();
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    fs::write(folder.join(buffer), corners.iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<_>>()).unwrap();
    for name in ["my skin.png", "unused.png"] {
        image::RgbImage::from_pixel(2, 2, image::Rgb([200, 40, 40])).save(folder.join(name)).unwrap();
    }
    fs::write(folder.join("broken.png"), "no picture").unwrap();
    fs::write(folder.join("../outside.png"), "outside").unwrap();
}

#[test]
fn a_file_that_is_replaced_keeps_its_link_and_its_permissions() {
    let folder = folder("kept");
    fs::write(folder.join("real.ply"), "old").unwrap();
    symlink("real.ply", folder.join("link.ply")).unwrap();
    symlink("later.ply", folder.join("ahead.ply")).unwrap();
    // Whether others may do less with it than with new files, or more.
    for (output, mode) in [("link.ply", 0o640), ("ahead.ply", 0o640), ("link.ply", 0o666)] {
        fs::set_permissions(folder.join("real.ply"), fs::Permissions::from_mode(mode)).unwrap();
        let out = run(&folder, &["bake", "-o", output]);
        assert!(out.status.success(), "{}", said(&out));
        assert!(fs::symlink_metadata(folder.join(output)).unwrap().is_symlink(), "{output}");
        assert!(fs::read(folder.join(output)).unwrap().starts_with(b"ply"), "{output}");
        assert_eq!(fs::metadata(folder.join("real.ply")).unwrap().mode() & 0o777, mode);
    }
    // A new one is as the user has new ones.
    fs::write(folder.join("usual"), "").unwrap();
    assert_eq!(
        fs::metadata(folder.join("later.ply")).unwrap().mode(),
        fs::metadata(folder.join("usual")).unwrap().mode()
    );
    // What cannot be replaced is said, and stays.
    fs::write(folder.join("mine.ply"), "mine").unwrap();
    fs::set_permissions(folder.join("mine.ply"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::create_dir(folder.join("folder.ply")).unwrap();
    symlink("round.ply", folder.join("round.ply")).unwrap();
    let before = contents(&folder);
    for (output, why) in [("mine.ply", "write-protected"), ("folder.ply", "it is a folder"), ("round.ply", "circle")] {
        let out = run(&folder, &["bake", "-o", output]);
        assert_eq!(out.status.code(), Some(2), "{output}");
        assert!(
            said(&out).contains(&format!("could not write {output}: ")) && said(&out).contains(why),
            "{}",
            said(&out)
        );
    }
    assert!(before == contents(&folder));
}

/// Devices and pipes have nothing to keep, and links of the system stand for what is open already.
#[test]
fn what_is_no_file_is_written_to_as_it_is() {
    let folder = folder("special");
    for (name, device) in [("null.ply", "/dev/null"), ("out.ply", "/dev/stdout"), ("first.ply", "/proc/self/fd/1")] {
        symlink(device, folder.join(name)).unwrap();
    }
    assert!(run(&folder, &["bake", "-o", "null.ply"]).status.success());
    assert!(fs::metadata("/dev/null").unwrap().mode() & 0o170_000 == 0o020_000, "a device as before");
    for name in ["out.ply", "first.ply"] {
        assert!(run(&folder, &["bake", "-o", name]).stdout.starts_with(b"ply"), "{name}");
        let _shell = shell(&folder, &format!("\"$0\" bake -o {name} > redirected"));
        assert!(fs::read(folder.join("redirected")).unwrap().starts_with(b"ply"), "{name}");
    }
    assert!(Command::new("mkfifo").arg(folder.join("pipe.ply")).status().unwrap().success());
    let read = shell(&folder, "cat pipe.ply & \"$0\" bake -o pipe.ply; wait");
    assert!(read.stdout.starts_with(b"ply"), "{}", said(&read));
    assert!(temporary(&folder).is_empty());
}
