//! What is on disk of what is open: its files as they were when they were read, what was written since, and what is watched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::save_job::Written;
use super::strokes::SavedStrokes;
use crate::session::Document;
use crate::writeback::Stamps;

/// What the window knows of the files of what is open.
#[derive(Debug, Default)]
pub(crate) struct OnDisk {
    /// What the open model's files were like before they were read.
    read: Stamps,
    /// What was written into the open model's own file, until that is read again.
    written: Option<Written>,
    /// The session file that is open, or was written last. What it holds the session knows ([`crate::session::Files::saved_session`]).
    session_file: Option<PathBuf>,
    /// What the files were like when they were looked at or read last.
    seen: Stamps,
    /// What a job waits for the files to differ from.
    watched: Option<Stamps>,
    /// The files of strokes that were saved, by the path that was chosen for each.
    strokes: BTreeMap<PathBuf, Arc<SavedStrokes>>,
    /// The file that was saved last without the layers of weights that there were, since somebody wanted it so.
    without_layers: Option<PathBuf>,
}

impl OnDisk {
    /// Notes that a model is shown whose files were like this before they were read.
    pub fn opened(&mut self, read: Stamps) {
        let (session_file, strokes) = (self.session_file.take(), std::mem::take(&mut self.strokes));
        let without_layers = self.without_layers.take();
        *self = Self { seen: read.clone(), read, session_file, strokes, without_layers, ..Self::default() };
    }

    /// Notes that a file could not be opened whose files were like this: they are watched from now on. Where it is the open one, read again,
    /// those that it named before are watched too.
    pub fn not_opened(&mut self, read: Stamps, is_reload: bool) {
        let before = std::mem::replace(&mut self.seen, read);
        if is_reload {
            self.seen.add_taken(&before);
        }
    }

    /// Notes what was written into the open model's own file; `None`: another file was written.
    pub fn note_written(&mut self, written: Option<Written>) {
        self.written = written.or(self.written.take());
    }

    /// Returns what the open model's files were like before they were read, and what was written into them since.
    pub fn origin(&self) -> (Stamps, Option<Written>) {
        (self.read.clone(), self.written.clone())
    }

    /// Returns what the open model's files were like when this program read or wrote them last.
    pub fn stamps(&self) -> &Stamps {
        self.written.as_ref().map_or(&self.read, Written::stamps)
    }

    /// Returns what the files are like that a job has to wait for, unless one waits for that already.
    pub fn begin_watch(&mut self, is_watching: bool) -> Option<Stamps> {
        if is_watching && self.watched.as_ref() == Some(&self.seen) {
            return None;
        }
        self.watched = Some(self.seen.clone());
        self.watched.clone()
    }

    pub fn end_watch(&mut self) {
        self.watched = None;
    }

    /// Notes that the files have changed, and what they are like now.
    pub fn changed(&mut self, now: Stamps) {
        self.seen = now;
    }

    /// Returns the files of strokes that were saved last at a path.
    pub fn saved_strokes(&self, path: &Path) -> Option<Arc<SavedStrokes>> {
        self.strokes.get(path).cloned()
    }

    /// Notes the files of strokes that were saved at a path.
    pub fn note_strokes(&mut self, path: &Path, files: Arc<SavedStrokes>) {
        self.strokes.insert(path.to_owned(), files);
    }

    /// Whether the file of a model is to keep its layers of weights: unless somebody wanted it without them when it was saved last.
    pub fn keeps_layers(&self, document: &Document) -> bool {
        let is_left_out = self.without_layers.is_some() && self.without_layers == document.path;
        document.model.source.kept_layers.is_some() || !is_left_out
    }

    /// Notes whether a file was saved with its layers of weights or without them; `None`: there are none.
    pub fn note_layers(&mut self, file: &Path, keeps: Option<bool>) {
        if let Some(keeps) = keeps {
            self.without_layers = (!keeps).then(|| file.to_owned());
        }
    }

    pub fn session_file(&self) -> Option<&Path> {
        self.session_file.as_deref()
    }

    pub fn set_session_file(&mut self, path: Option<PathBuf>) {
        self.session_file = path;
    }

    /// Returns the name of the open session file.
    pub fn session_name(&self) -> Option<String> {
        Some(self.session_file()?.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::app::files::save_job::SaveJob;
    use crate::app::files::saved_layers::SavedLayers;
    use crate::import::{Options, Progress};
    use crate::model::test_shapes::{Tube, tube};
    use crate::model::{MeshId, WeightChange};
    use crate::session::Source;
    use crate::writeback::Recompression;

    fn file(name: &str, text: &str) -> (PathBuf, Stamps) {
        let path = std::env::temp_dir().join(format!("skinscope_on_disk_{}_{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        let stamps = Stamps::of(&path);
        (path, stamps)
    }

    #[test]
    fn files_are_watched_once_and_anew_when_they_were_seen_to_be_others() {
        let (path, read) = file("watched", "a");
        let mut disk = OnDisk::default();
        disk.set_session_file(Some(PathBuf::from("folder/a.skinscope.json")));
        disk.opened(read.clone());
        assert_eq!(disk.session_name().as_deref(), Some("a.skinscope.json"), "the session file stays open");
        assert_eq!(disk.begin_watch(false), Some(read.clone()));
        assert_eq!(disk.begin_watch(true), None, "a job waits for that already");
        assert_eq!(disk.begin_watch(false), Some(read.clone()), "the job has ended");
        fs::write(&path, "another").unwrap();
        let now = Stamps::of(&path);
        disk.changed(now.clone());
        assert_eq!(disk.begin_watch(true), Some(now));
        assert_eq!(*disk.stamps(), read, "what is open was read before that");
        disk.end_watch();
        assert!(disk.begin_watch(true).is_some());
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_keeps_layers_unless_somebody_wanted_it_without_them() {
        let model = Arc::new(tube(Tube::default()));
        let of = |path: &str| Document::new(Arc::clone(&model), Vec::new(), Some(PathBuf::from(path)));
        let (open, other) = (of("a.glb"), of("b.glb"));
        let mut disk = OnDisk::default();
        assert!(disk.keeps_layers(&open) && disk.keeps_layers(&Document::new(Arc::clone(&model), Vec::new(), None)));
        disk.note_layers(Path::new("a.glb"), Some(false));
        // It is read again after it was written.
        disk.opened(Stamps::default());
        disk.note_layers(Path::new("a.glb"), None);
        assert!(!disk.keeps_layers(&open) && disk.keeps_layers(&other));
        disk.note_layers(Path::new("a.glb"), Some(true));
        assert!(disk.keeps_layers(&open));
    }

    #[test]
    fn a_file_that_could_not_be_opened_is_watched_with_what_the_open_one_named_before() {
        let ((first, open), (second, other)) = (file("first", "a"), file("second", "b"));
        let files = |disk: &mut OnDisk| {
            let watched = disk.begin_watch(false).unwrap();
            watched.paths().map(Path::to_owned).collect::<Vec<_>>()
        };
        let mut disk = OnDisk::default();
        disk.not_opened(other.clone(), false);
        disk.not_opened(open.clone(), false);
        assert_eq!(files(&mut disk), std::slice::from_ref(&first), "only what was asked for last");
        disk.opened(open);
        disk.not_opened(other, true);
        let mut both = files(&mut disk);
        both.sort();
        assert_eq!(both, [first.clone(), second.clone()], "what the changed file names now is watched with it");
        [first, second].iter().for_each(|path| fs::remove_file(path).unwrap());
    }

    #[test]
    fn what_was_written_into_the_open_file_counts_until_that_is_read_again_also_after_another_file_was_written() {
        let (path, _) = file("written.glb", "");
        fs::write(&path, Source::BuiltIn.built_in_bytes().unwrap()).unwrap();
        let read = Stamps::of(&path);
        let document = Source::File(path.clone()).load(&Options::default(), &Progress::silent()).unwrap();
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(3, &[2], &[1.0]);
        let job = SaveJob {
            model: Arc::new(document.stored().with_weights(&[change]).unwrap()),
            painted: None,
            path: Some(path.clone()),
            stamps: read.clone(),
            written: None,
            recompression: Recompression::None,
            keeps_links: false,
            layers: SavedLayers::default(),
            work: None,
            options: Options::default(),
        };
        let (_, written) = job.write(job.prepare(&path).unwrap(), &path).unwrap();
        let now = Stamps::of(&path);
        let mut disk = OnDisk::default();
        disk.opened(read);
        for written in [written, None] {
            disk.note_written(written);
            assert_eq!((disk.stamps(), disk.origin().1.is_some()), (&now, true));
        }
        disk.opened(now.clone());
        assert_eq!((disk.stamps(), disk.origin().1.is_some()), (&now, false));
        for ending in ["", ".bak"] {
            fs::remove_file(format!("{}{ending}", path.display())).unwrap();
        }
    }
}
