//! Which joints of another file's clips are which of the open model, while people look at that in the window and say it better.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skinscope_anim::pose::{NameMap, clip_joints, propose};
use skinscope_model::Model;

use crate::Files;

/// A file whose clips were taken, with what is stored of that.
#[derive(Clone, Debug, Default)]
pub struct ClipFile {
    /// The file.
    pub path: PathBuf,
    /// Which of its joints are which of the open model, as the user has stated it.
    pub mapping: NameMap,
    /// The names that the clips have here which were taken last.
    pub taken: Vec<String>,
    /// Whether the mapping was made by hand and is in no file.
    pub is_new: bool,
}

impl PartialEq for ClipFile {
    /// Two are the same where they say the same, whether or not a file has it.
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.mapping, &self.taken) == (&other.path, &other.mapping, &other.taken)
    }
}

impl Files {
    /// Returns the files whose clips were taken for the open model, the last one at the end.
    #[must_use]
    pub fn clip_files(&self) -> &[ClipFile] {
        &self.clip_files
    }

    /// Returns the mapping that the user stated for the joints of a file; it is empty where none of its clips were taken.
    #[must_use]
    pub fn mapping_of(&self, path: &Path) -> NameMap {
        let known = self.clip_files.iter().find(|file| is_same_file(&file.path, path));
        known.map_or_else(NameMap::default, |file| file.mapping.clone())
    }
}

/// Returns how many joints of these files were mapped by hand where no file has the mapping.
pub(crate) fn new_names(files: &[ClipFile]) -> usize {
    files.iter().filter(|file| file.is_new).map(|file| file.mapping.pairs().count()).sum()
}

/// Returns whether two paths name one file, as far as their texts tell.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    a == b || whole(a) == whole(b)
}

/// The joints that the clips of another file move, with their counterparts in the open model.
#[derive(Clone, Debug)]
pub struct ClipNames {
    /// The file of the clips.
    pub path: PathBuf,
    /// What is in it.
    pub other: Arc<Model>,
    /// The mapping that the user has stated.
    pub mapping: NameMap,
    /// The joints by their keys there, with the keys of their counterparts.
    pub rows: Vec<(String, Option<String>)>,
    /// The names of the clips that were taken last with it; others replace them.
    pub taken: Vec<String>,
    /// Whether the mapping was made by hand and is in no file.
    pub is_new: bool,
    /// Whether the dialog is open.
    pub is_shown: bool,
    /// Why nothing was taken, or what became of the file of the mapping.
    pub message: Option<String>,
    /// The mapping before it was changed in the dialog, and whether that was in no file; `None`: it was not changed.
    pub before: Option<(NameMap, bool)>,
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
    /// Say of all joints what they seem to be by the shapes of both bodies ([`propose`]).
    Propose,
    /// Take the clips anew, in place of those that were taken with another mapping.
    Take,
    /// Read the mapping from this file ([`NameMap`]).
    Read(PathBuf),
    /// Write which joint is which into this file.
    Write(PathBuf),
    /// Close the dialog.
    Leave,
}

impl PartialEq for ClipNames {
    /// Two are of the same file only where its model is one piece of memory.
    fn eq(&self, other: &Self) -> bool {
        let of = |names: &Self| (names.is_new, names.is_shown, names.message.clone());
        let own = (&self.path, &self.mapping, &self.rows, &self.taken);
        Arc::ptr_eq(&self.other, &other.other)
            && own == (&other.path, &other.mapping, &other.rows, &other.taken)
            && of(self) == of(other)
    }
}

impl ClipNames {
    /// Begins with the clips of a file that were to be taken for `model`.
    #[must_use]
    pub fn new(path: PathBuf, other: Arc<Model>, mapping: NameMap, model: &Model) -> Self {
        let (rows, taken) = (Vec::new(), Vec::new());
        let mut out =
            Self { path, other, mapping, rows, taken, is_new: false, is_shown: false, message: None, before: None };
        out.match_joints(model);
        out
    }

    /// Changes nothing; what the mapping is now comes back by [`ClipNames::leave`].
    fn note(&mut self) {
        self.before.get_or_insert_with(|| (self.mapping.clone(), self.is_new));
    }

    /// Keeps what was changed in the dialog.
    pub fn keep(&mut self) {
        self.before = None;
    }

    /// Closes the dialog without what was changed in it.
    pub fn leave(&mut self, model: &Model) {
        if let Some((mapping, is_new)) = self.before.take() {
            (self.mapping, self.is_new) = (mapping, is_new);
            self.match_joints(model);
        }
        (self.is_shown, self.message) = (false, None);
    }

    /// Says what a joint there is here. What was said of another joint with this counterpart gives way.
    pub fn say(&mut self, there: &str, here: Option<&str>, model: &Model) {
        self.note();
        let others = self.mapping.pairs().filter(|(_, other)| here.is_some() && *other == here);
        let others: Vec<String> = others.map(|(name, _)| name.to_owned()).collect();
        others.iter().for_each(|name| self.mapping.forget(name));
        self.mapping.set(there, here);
        self.mapped_by_hand(model);
    }

    /// Says nothing of a joint any more: its name decides.
    pub fn forget(&mut self, there: &str, model: &Model) {
        self.note();
        self.mapping.forget(there);
        self.mapped_by_hand(model);
    }

    /// Says of all joints without a counterpart what they seem to be by the shapes of both bodies; the others stay.
    pub fn propose(&mut self, model: &Model) {
        let Ok(mapping) = self.mapping.find(&self.other, model) else { return };
        let proposed = propose(&self.other, model, &mapping);
        let open = |name: &str| self.rows.iter().any(|(there, here)| there == name && here.is_none());
        let new: Vec<(&str, Option<&str>)> =
            proposed.pairs().filter(|(there, here)| here.is_some() && open(there)).collect();
        let count = new.len();
        self.before.get_or_insert_with(|| (self.mapping.clone(), self.is_new));
        for (there, here) in new {
            self.mapping.set(there, here);
        }
        self.mapped_by_hand(model);
        let (found, all) = (self.rows.iter().filter(|(_, here)| here.is_some()).count(), self.rows.len());
        self.message = match count {
            0 => Some("Neither the shapes of both bodies nor names tell of more joints.".to_owned()),
            _ if 2 * found < all => Some(format!(
                "Nothing tells what {} of the {all} joints are here; say it by hand where they matter.",
                all - found
            )),
            _ => None,
        };
    }

    /// Returns what both models are recognised as, in a sentence; `None` where neither is a humanoid.
    #[must_use]
    pub fn families(&self, model: &Model) -> Option<String> {
        let name = |model: &Model| model.rig().map(|rig| rig.family().name());
        match (name(&self.other), name(model)) {
            (Some(there), Some(here)) => {
                Some(format!("Bones are found by the names of {there} there and {here} here."))
            }
            (Some(there), None) => Some(format!("There the names are those of {there}, and here of no family.")),
            (None, Some(here)) => Some(format!("Here the names are those of {here}, and there of no family.")),
            (None, None) => None,
        }
    }

    fn mapped_by_hand(&mut self, model: &Model) {
        self.is_new = !self.mapping.is_empty();
        self.message = None;
        self.match_joints(model);
    }

    /// Finds the counterparts anew. Where the mapping does not fit, the rows stay and the reason is stored in [`ClipNames::message`].
    pub fn match_joints(&mut self, model: &Model) {
        match self.mapping.find(&self.other, model) {
            Ok(mapping) => self.rows = clip_joints(&self.other, model, &mapping),
            Err(why) => self.message = Some(why.to_string()),
        }
    }

    /// Returns the name of the file.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the file that a mapping is written to unless somebody says another: `walks.map.json` beside `walks.glb`.
    #[must_use]
    pub fn map_path(&self) -> PathBuf {
        self.path.with_extension("map.json")
    }

    /// Reads the mapping from a file; [`ClipNames::message`] says why where that fails.
    pub fn read(&mut self, path: &Path, model: &Model) {
        self.note();
        match NameMap::read(path) {
            Ok(map) => {
                let before = std::mem::replace(&mut self.mapping, map.in_file(&self.other));
                self.message = None;
                self.match_joints(model);
                match self.message.is_some() {
                    true => self.mapping = before,
                    false => self.is_new = false,
                }
            }
            Err(why) => self.message = Some(format!("{}: {why}", path.display())),
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

impl Files {
    /// Stores the mapping of a file and which clips were taken of it, in place of what was stored of that file before.
    pub fn store_clip_names(&mut self, names: &ClipNames) {
        let ClipNames { path, mapping, taken, is_new, .. } = names.clone();
        let files = Arc::make_mut(&mut self.clip_files);
        files.retain(|file| !is_same_file(&file.path, &path));
        if !(mapping.is_empty() && taken.is_empty()) {
            files.push(ClipFile { path, mapping, taken, is_new });
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::Session;
    use crate::{Document, SessionFile};

    fn session() -> Session {
        let mut session = Session::default();
        let model = Arc::new(tube(Tube { joints: 4, ..Tube::default() }));
        session.open(Document::new(model, Vec::new(), Some("/models/own.glb".into())));
        session
    }

    /// Says something of the joints of a file, by hand.
    fn said(session: &mut Session) -> ClipNames {
        let model = Arc::clone(session.model().unwrap());
        let mut names = ClipNames::new("/models/clips/walks.glb".into(), model.clone(), NameMap::default(), &model);
        names.say("joint 1", Some("joint 3"), &model);
        names.say("joint 2", None, &model);
        names.taken = vec!["Bend".to_owned()];
        session.files_mut().store_clip_names(&names);
        names
    }

    #[test]
    fn a_dialog_that_is_left_changes_nothing_and_one_that_was_taken_does() {
        let session = session();
        let model = Arc::clone(session.model().unwrap());
        let mut names = ClipNames::new("/models/walks.glb".into(), model.clone(), NameMap::default(), &model);
        let before = names.clone();
        names.is_shown = true;
        names.propose(&model);
        names.say("joint 1", None, &model);
        assert!(names.is_new && names.rows != before.rows);
        names.leave(&model);
        assert_eq!(names, before);
        names.say("joint 1", None, &model);
        names.keep();
        names.leave(&model);
        assert!(names.is_new && names.rows != before.rows);
    }

    #[test]
    fn session_files_keep_which_joints_are_which() {
        let mut before = session();
        let names = said(&mut before);
        assert_eq!(before.unsaved().unsaved_work().words(), ["2 joints of clips with counterparts by hand"]);
        assert!(before.unsaved().has_unsaved_work() && before.unsaved().has_work());
        let mut file = before.unsaved().snapshot().unwrap().file();
        let at = Path::new("/models/a.skinscope.json");
        file.set_model(at, [Path::new("/models/own.glb")], |_| false).unwrap();
        let text = file.text().unwrap();
        let line = r#""clip_files": [{"path": "clips/walks.glb", "joints": {"joint 1": "joint 3", "joint 2": null}, "clips": ["Bend"]}]"#;
        assert!(text.contains(line), "{text}");
        let mut read = SessionFile::parse(text.as_bytes()).unwrap();
        _ = read.find_model(at);
        assert_eq!(read.mapping_of(&names.path), names.mapping);
        let mut after = session();
        let document = Document::clone(after.document().unwrap());
        after.open_with_session(document.clone(), &read);
        assert_eq!(
            (after.files().clip_files(), after.files().mapping_of(&names.path)),
            (before.files().clip_files(), names.mapping.clone())
        );
        assert!(!after.unsaved().has_unsaved_work());
        // What is restored after a crash is in no file.
        let mut restored = session();
        restored.restore(&read);
        assert_eq!((restored.unsaved().unsaved_work().names, restored.unsaved().snapshot().unwrap().names()), (2, 2));
        // What is said anew is not in the file.
        let model = Arc::clone(after.model().unwrap());
        let mut names = names;
        names.forget("joint 2", &model);
        after.files_mut().store_clip_names(&names);
        assert_eq!(after.unsaved().unsaved_work().names, 1);
        // An earlier file keeps none, and another model is not that of the names.
        after.open_with_session(document, &SessionFile::parse(b"{\"skinscope_session\": 1}").unwrap());
        assert!(after.files().clip_files().is_empty());
        said(&mut after);
        after.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), Some("/models/other.glb".into())));
        assert!(after.files().clip_files().is_empty() && !after.unsaved().has_unsaved_work());
    }

    #[test]
    fn the_last_word_on_a_counterpart_is_right() {
        let map = |text: &str| NameMap::parse(text.as_bytes()).unwrap();
        let mut kept = map(r#"{"a": "x", "b": null, "c": "z"}"#);
        kept.correct(map(r#"{"d": "x", "b": "y"}"#));
        assert_eq!(kept, map(r#"{"d": "x", "b": "y", "c": "z"}"#));
    }

    #[test]
    fn a_file_that_does_not_fit_changes_nothing_and_any_number_of_joints_has_no_counterpart() {
        let mut session = session();
        let model = Arc::clone(session.model().unwrap());
        let mut names = said(&mut session);
        names.say("joint 3", None, &model);
        let of =
            |names: &ClipNames, joint: &str| names.rows.iter().find(|(there, _)| there == joint).unwrap().1.clone();
        let own = |names: &ClipNames| ["joint 1", "joint 2", "joint 3"].map(|joint| of(names, joint));
        let by_hand = [Some("joint 3".to_owned()), None, None];
        assert_eq!(own(&names), by_hand);
        let folder = std::env::temp_dir().join(format!("skinscope-clip-names-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("walks.map.json");
        let (mapping, rows) = (names.mapping.clone(), names.rows.clone());
        for (text, why) in
            [(r#"{"joint 1": "tail"}"#, "tail"), (r#"{"joint 1": 7}"#, "walks.map.json"), ("", "walks.map.json")]
        {
            std::fs::write(&path, text).unwrap();
            names.read(&path, &model);
            assert!(names.message.as_ref().is_some_and(|message| message.contains(why)), "{text}: {:?}", names.message);
            assert_eq!((&names.mapping, &names.rows, names.is_new), (&mapping, &rows, true), "{text}");
        }
        std::fs::write(&path, r#"{"joint 1": null, "joint 2": null}"#).unwrap();
        names.read(&path, &model);
        assert!(names.message.is_none() && !names.is_new);
        assert_eq!(own(&names)[..2], [None, None]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_mapping_that_a_file_has_is_not_unsaved() {
        let mut session = session();
        let mut names = said(&mut session);
        names.is_new = false;
        session.files_mut().store_clip_names(&names);
        assert!(!session.unsaved().has_unsaved_work() && session.files().clip_files().len() == 1);
        names.mapping = NameMap::default();
        names.taken.clear();
        session.files_mut().store_clip_names(&names);
        assert!(session.files().clip_files().is_empty(), "nothing is left to keep");
    }
}
