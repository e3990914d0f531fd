//! What the window remembers from one run to the next. A file that is missing or broken means the defaults.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ui::Saved;

/// Everything remembered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    /// Inner size of the window in points; zero: the default.
    pub size: [f32; 2],
    /// Panels, theme and the like.
    pub ui: Saved,
}

impl Settings {
    pub(super) fn load() -> Self {
        let text = path().and_then(|path| std::fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Failing to remember is no reason to trouble anybody.
    pub(super) fn save(&self) {
        let (Some(path), Ok(text)) = (path(), serde_json::to_string_pretty(self)) else { return };
        let saved = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        if let Err(error) = saved {
            eprintln!("skinscope: could not write {}: {error}", path.display());
        }
    }
}

fn path() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "skinscope")?;
    Some(dirs.config_dir().join("settings.json"))
}
