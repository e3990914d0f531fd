//! Scripts of commands, `tests/fixtures/replay/NAME.jsonl`, that are replayed on a session: what comes out of them must be the same
//! before and after the program is built anew. They have the form of recordings (`skinscope view --record`); `@FOLDER@` in a path is a
//! folder that is empty when a script begins.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a script that cannot be replayed stops the test")]

mod stage;
mod state;

use std::path::{Path, PathBuf};

use skinscope::session::{Command, RECORDING_SCHEMA, RecordingHead, Session, read_command};

use self::stage::Stage;

/// What stands for the empty folder in scripts, and in what comes out of them.
const FOLDER: &str = "@FOLDER@";

/// A script.
#[derive(Clone, Debug)]
pub struct Script {
    /// The name of its file, without ending.
    pub name: String,
    /// Its first line.
    head: RecordingHead,
    /// Its commands, a line each.
    pub lines: Vec<String>,
}

/// What has come out of a script.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The session at the end.
    pub session: Session,
    /// A line for each command: the command, what the session asked of the application, and what is known afterwards.
    pub trace: String,
}

/// All scripts, by name.
pub fn scripts() -> Vec<Script> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/replay");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    paths.sort();
    paths.iter().map(|path| Script::read(path)).collect()
}

impl Script {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(str::to_owned);
        let head: RecordingHead =
            serde_json::from_str(&lines.next().unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(head.schema, RECORDING_SCHEMA, "{name}");
        Self { name, head, lines: lines.collect() }
    }

    /// Returns the commands, whose files lie in this folder.
    pub fn commands(&self, folder: &str) -> Vec<Command> {
        let read = |(i, line): (usize, &String)| {
            read_command(&line.replace(FOLDER, folder)).unwrap_or_else(|e| panic!("{}, line {}: {e}", self.name, i + 2))
        };
        self.lines.iter().enumerate().map(read).collect()
    }

    /// Opens what the script begins with, and carries out its commands. What the window does in the background is done at once.
    pub fn replay(&self) -> Replayed {
        let folder = std::env::temp_dir().join(format!("skinscope_replay_{}_{}", std::process::id(), self.name));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let place = folder.to_str().unwrap().replace('\\', "/");
        let mut stage = Stage::open(&self.head.source, folder.clone());
        let mut trace = format!("opened ⇒ {}\n", stage.state());
        for (line, command) in self.lines.iter().zip(self.commands(&place)) {
            let asked = stage.carry_out(command);
            trace.push_str(&format!("{line} ⇒ {asked}{}\n", stage.state()));
        }
        let trace = trace.replace(&place, FOLDER);
        std::fs::remove_dir_all(&folder).unwrap();
        Replayed { session: stage.into_session(), trace }
    }

    /// Compares what has come out of the script with what is in the folder that `SKINSCOPE_REPLAY` names, by the endings of their files;
    /// what is not there yet is written. Returns the first difference.
    pub fn difference(&self, outputs: &[(&str, &[u8])]) -> Option<String> {
        let folder = PathBuf::from(std::env::var_os("SKINSCOPE_REPLAY")?);
        std::fs::create_dir_all(&folder).unwrap();
        outputs.iter().find_map(|(ending, now)| {
            let path = folder.join(format!("{}.{ending}", self.name));
            match std::fs::read(&path) {
                Ok(before) => differs(&before, now).map(|how| format!("{}.{ending}: {how}", self.name)),
                Err(_) => {
                    std::fs::write(&path, now).unwrap();
                    None
                }
            }
        })
    }
}

/// Says how two outputs differ, if they do: for texts in which line, and there in which parts.
pub fn differs(before: &[u8], now: &[u8]) -> Option<String> {
    if before == now {
        return None;
    }
    let (Ok(before), Ok(now)) = (std::str::from_utf8(before), std::str::from_utf8(now)) else {
        let at = before.iter().zip(now).position(|(a, b)| a != b);
        return Some(format!("{} and {} bytes, the first other one at {at:?}", before.len(), now.len()));
    };
    let mut pairs = before.lines().zip(now.lines()).enumerate();
    let Some((number, (old, new))) = pairs.find(|(_, (old, new))| old != new) else {
        return Some(format!("{} lines before, {} now", before.lines().count(), now.lines().count()));
    };
    let parts = old.split("; ").zip(new.split("; ")).filter(|(old, new)| old != new);
    let parts: Vec<String> =
        parts.take(4).map(|(old, new)| format!("\n  was {}\n  is  {}", short(old), short(new))).collect();
    let command = new.split(" ⇒ ").next().unwrap_or_default();
    Some(format!("line {}, {}{}", number + 1, short(command), parts.concat()))
}

fn short(text: &str) -> String {
    const MOST: usize = 300;
    if text.chars().count() > MOST { text.chars().take(MOST).chain("…".chars()).collect() } else { text.to_owned() }
}
