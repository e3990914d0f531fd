//! While nothing moves, no thread runs: counts how often the system gives the program's threads a processor.

use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use super::{Running, Screen, common, wait_until};

/// How often any thread of the program ran in so many seconds. A picture alone takes a dozen.
fn runs(program: &Child, secs: u64) -> u64 {
    let count = || -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", program.id())).unwrap();
        let of = |task: std::io::Result<std::fs::DirEntry>| {
            // A thread may end while it is asked.
            let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            text.split_whitespace().nth(2)?.parse::<u64>().ok()
        };
        tasks.filter_map(of).sum()
    };
    let before = count();
    std::thread::sleep(Duration::from_secs(secs));
    count().saturating_sub(before)
}

/// What a few stray wake-ups of the system's libraries may come to; sixty pictures a second come to hundreds.
const REST: u64 = 15;

/// True where the system counts, and says so where it does not.
fn counts() -> bool {
    let known = Path::new("/proc/self/schedstat").exists();
    if !known {
        common::skipped("this system does not count how often threads run");
    }
    known
}

/// A model without clips.
pub(super) fn still(folder: &Path) -> String {
    let path = folder.join("still.glb");
    let baked = Command::new(env!("CARGO_BIN_EXE_skinscope")).args(["bake", "-o"]).arg(&path).status().unwrap();
    assert!(baked.success());
    path.to_str().unwrap().to_owned()
}

#[test]
#[ignore = "full: it opens a window and waits for many seconds"]
fn a_window_that_nobody_touches_and_nothing_moves_in_is_at_rest() {
    if !counts() {
        return;
    }
    let Some(screen) = Screen::open("rest", &[]) else { return };
    assert!(runs(&screen.program.0, 2) > 10 * REST, "it plays, and that is counted");
    screen.key("space");
    screen.settled("paused");
    wait_until("jobs in the background", || runs(&screen.program.0, 2) <= REST);
    assert!(runs(&screen.program.0, 4) <= REST, "paused");
    // A field that has the focus has a cursor in it.
    screen.press("TextInput", "Search nodes");
    screen.tool(&["mousemove", "600", "790"]);
    screen.settled("search");
    wait_until("the tooltip to go", || runs(&screen.program.0, 2) <= REST);
    assert!(runs(&screen.program.0, 4) <= REST, "with a cursor in the search");
}

#[test]
#[ignore = "full: it opens a window and waits for many seconds"]
fn a_model_without_clips_is_at_rest_as_soon_as_it_is_shown() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(screen) = counts().then(|| Screen::open("still", &[&still(folder)])).flatten() else { return };
    screen.settled("shown");
    wait_until("jobs in the background", || runs(&screen.program.0, 2) <= REST);
    assert!(runs(&screen.program.0, 4) <= REST);
}

#[test]
#[ignore = "full: it opens two windows and waits for many seconds"]
fn a_window_that_nobody_sees_is_not_drawn_though_its_clip_plays() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(screen) = counts().then(|| Screen::open("covered", &[])).flatten() else { return };
    let plays = || runs(&screen.program.0, 2) > 10 * REST;
    assert!(plays());
    // Another window of the same size lies over it.
    let model = still(folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_skinscope"));
    command.arg(&model).env("DISPLAY", &screen.display).env_remove("WAYLAND_DISPLAY").env("HOME", &screen.folder);
    let other = Running(command.env("XDG_CONFIG_HOME", &screen.folder).spawn().unwrap());
    let cover = ["search", "--sync", "--onlyvisible", "--name", "still.glb", "windowsize", "1280", "800"];
    wait_until("the window above", || screen.try_tool(&cover));
    screen.tool(&["search", "--onlyvisible", "--name", "still.glb", "windowmove", "0", "0", "windowraise"]);
    wait_until("the window below to rest", || runs(&screen.program.0, 2) <= REST);
    drop(other);
    wait_until("the window to play again", plays);
}
