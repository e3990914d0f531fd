//! Which joints of another file's clips are which of the open model, while people look at that in the window and say it better.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skinscope_anim::pose::{NameMap, clip_joints};
use skinscope_model::Model;

/// The joints that the clips of another file move, with their counterparts in the open model.
#[derive(Clone, Debug)]
pub struct ClipNames {
    /// The file of the clips.
    pub path: PathBuf,
    /// What is in it.
    pub other: Arc<Model>,
    /// What people have said.
    pub said: NameMap,
    /// The joints by their keys there, with the keys of their counterparts.
    pub rows: Vec<(String, Option<String>)>,
    /// The names of the clips that were taken last with it; others take their place.
    pub taken: Vec<String>,
    /// Whether the dialog is open.
    pub is_shown: bool,
    /// Why nothing was taken, or what became of the file of the mapping.
    pub told: Option<String>,
}

/// Commands about these names; the application carries them out.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ClipNamesCommand {
    /// Show which joints are which of the clips that were taken last.
    Show,
    /// A joint there is this one here; `None`: it has no counterpart.
    Say(String, Option<String>),
    /// The name of a joint says again what it is.
    Forget(String),
    /// Take the clips anew, in place of those that were taken with another mapping.
    Take,
    /// Read what is said from this file ([`NameMap`]).
    Read(PathBuf),
    /// Write which joint is which into this file.
    Write(PathBuf),
    /// Close the dialog.
    Leave,
}

impl PartialEq for ClipNames {
    /// Two are of the same file only where its model is one piece of memory.
    fn eq(&self, other: &Self) -> bool {
        let own = (&self.path, &self.said, &self.rows, &self.taken, self.is_shown, &self.told);
        Arc::ptr_eq(&self.other, &other.other)
            && own == (&other.path, &other.said, &other.rows, &other.taken, other.is_shown, &other.told)
    }
}

impl ClipNames {
    /// Begins with the clips of a file that were to be taken for `model`.
    #[must_use]
    pub fn new(path: PathBuf, other: Arc<Model>, said: NameMap, model: &Model) -> Self {
        let (rows, taken) = (Vec::new(), Vec::new());
        let mut out = Self { path, other, said, rows, taken, is_shown: false, told: None };
        out.match_joints(model);
        out
    }

    /// Finds the counterparts anew. Where the mapping does not fit, the rows stay and the reason is told.
    pub fn match_joints(&mut self, model: &Model) {
        match self.said.find(&self.other, model) {
            Ok(said) => self.rows = clip_joints(&self.other, model, &said),
            Err(why) => self.told = Some(why.to_string()),
        }
    }

    /// Returns the name of the file.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the file that a mapping is kept in unless somebody says another: `walks.map.json` beside `walks.glb`.
    #[must_use]
    pub fn map_path(&self) -> PathBuf {
        self.path.with_extension("map.json")
    }

    /// Reads what is said from a file, and tells what became of it.
    pub fn read(&mut self, path: &Path, model: &Model) {
        match NameMap::read(path) {
            Ok(map) => {
                let before = std::mem::replace(&mut self.said, map.in_file(&self.other));
                self.told = None;
                self.match_joints(model);
                if self.told.is_some() {
                    self.said = before;
                }
            }
            Err(why) => self.told = Some(format!("{}: {why}", path.display())),
        }
    }

    /// Returns the text of a file that says all rows.
    #[must_use]
    pub fn text(&self) -> String {
        let mut all = NameMap::default();
        self.rows.iter().for_each(|(there, here)| all.set(there, here.as_deref()));
        all.text()
    }
}
