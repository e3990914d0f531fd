//! The contents of the settings file never stop the start, and a full disk does not lose them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{HEIGHT, Running, WIDTH, common, have, start_server, turn, wait_until};

fn tool(display: &str, arguments: &[&str]) -> String {
    let out = Command::new("xdotool").args(arguments).env("DISPLAY", display).stderr(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Width and height of the window, once there is one.
fn geometry(display: &str) -> Option<(u32, u32)> {
    let search = ["search", "--onlyvisible", "--name", "Skinscope", "getwindowgeometry", "--shell"];
    let text = tool(display, &search);
    let value = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)).and_then(|v| v.parse().ok());
    Some((value("WIDTH=")?, value("HEIGHT=")?))
}

struct Place {
    display: String,
    _server: Running,
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Option<Self> {
        if !have("Xvfb") || !have("xdotool") {
            common::skipped("no Xvfb or xdotool for the window's settings");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window_{name}"));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("skinscope")).unwrap();
        let (display, server) = start_server(&folder);
        Some(Self { display, _server: server, folder })
    }

    fn settings(&self) -> PathBuf {
        self.folder.join("skinscope/settings.json")
    }

    /// Starts the program, by a shell that has run `first`.
    fn start(&self, first: &str) -> Running {
        let child = Command::new("sh")
            .args(["-c", &format!("{first}exec \"$0\""), env!("CARGO_BIN_EXE_skinscope")])
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_CONFIG_HOME", &self.folder)
            .env("HOME", &self.folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Running(child)
    }

    /// Waits for the window, closes it, and gives back its size and how the program ended.
    fn close(&self, mut program: Running, what: &str) -> ((u32, u32), std::process::Output) {
        let mut size = None;
        wait_until(what, || {
            assert!(program.0.try_wait().unwrap().is_none(), "{what}: the program ended");
            size = geometry(&self.display);
            size.is_some()
        });
        // Keys count as soon as something is drawn; before that nobody hears them.
        let id = tool(&self.display, &["search", "--onlyvisible", "--name", "Skinscope"]);
        wait_until("the program to end", || {
            tool(&self.display, &["windowfocus", id.trim(), "key", "ctrl+q"]);
            program.0.try_wait().unwrap().is_some()
        });
        let mut said = String::new();
        let mut pipe = program.0.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut pipe, &mut said).unwrap();
        let status = program.0.wait().unwrap();
        (size.unwrap(), std::process::Output { status, stdout: Vec::new(), stderr: said.into_bytes() })
    }
}

#[test]
#[ignore = "full: it opens a window seven times"]
fn the_window_opens_whatever_the_settings_say() {
    let Some(place) = Place::new("settings") else { return };
    let _turn = turn();
    for text in [
        r#"{"size":[70000,70000],"ui":{"outliner_width":1e30,"timeline_height":-1e30,"light":true}}"#,
        r#"{"size":[1e30,1e30]}"#,
        r#"{"size":[17000,17000],"ui":{"tables":true,"tables_height":1e9,"inspector_width":1e39,"findings_height":0}}"#,
        r#"{"size":[960,1e300],"ui":{"outliner":"yes","last_folder":"\u0000"}}"#,
        "{\"size\":[[[[[[",
    ] {
        fs::write(place.settings(), text).unwrap();
        let ((width, height), ended) = place.close(place.start(""), text);
        assert!(ended.status.success(), "{text}: {:?}", ended);
        assert!((900..=WIDTH).contains(&width) && (600..=HEIGHT).contains(&height), "{text}: {width} × {height}");
        // What was remembered then is sane.
        let saved: serde_json::Value = serde_json::from_str(&fs::read_to_string(place.settings()).unwrap()).unwrap();
        assert!(saved["size"][0].as_f64().is_some_and(|w| w <= 2.0 * f64::from(WIDTH)), "{saved}");
        if text.contains("light") {
            assert_eq!(saved["ui"]["light"], true, "a field beside one that is out of reason");
        }
    }
    // Not even what is no file.
    fs::remove_file(place.settings()).unwrap();
    for make in ["mkdir", "mkfifo"] {
        assert!(Command::new(make).arg(place.settings()).status().unwrap().success());
        let (_, ended) = place.close(place.start(""), make);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && said.contains("settings.json: it is a folder or something else"), "{said}");
        let _other = (fs::remove_dir(place.settings()), fs::remove_file(place.settings()));
    }
}

#[test]
#[ignore = "full: it opens a window"]
fn a_full_disk_leaves_the_settings_as_they_were() {
    let Some(place) = Place::new("settings_full") else { return };
    let _turn = turn();
    // Longer than the limit, as a file of many settings may be.
    let before = format!("{{\"ui\":{{\"light\":true}}}}{}", " ".repeat(3400));
    fs::write(place.settings(), &before).unwrap();
    // No file may grow at all: what fails here fails on a full disk.
    let (_, ended) = place.close(place.start("ulimit -f 0; "), "the window");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && said.contains("could not write"), "{:?}: {said}", ended.status);
    assert_eq!(fs::read_to_string(place.settings()).unwrap(), before);
    assert_eq!(fs::read_dir(place.folder.join("skinscope")).unwrap().count(), 1, "nothing is left beside it");
}
