//! The file that is being opened: from the moment in which it is asked for until its model is shown.

use crate::session::{Document, Session, SessionSnapshot, Source};
use crate::writeback::Stamps;

use super::session_files::ReadSession;

/// A model that was read.
#[derive(Debug)]
struct ReadModel {
    document: Box<Document>,
    /// All warnings, as soon as its images are there too.
    warnings: Option<Vec<String>>,
}

/// What is being opened, and what belongs to it.
#[derive(Debug)]
pub(crate) struct Opening {
    /// What was asked for last, whether it could be read or not.
    source: Source,
    /// What its files were like before they were read.
    stamps: Stamps,
    /// The model that was read. It waits until it is on the device.
    model: Option<ReadModel>,
    /// The session file whose model is being read.
    session: Option<Box<ReadSession>>,
    /// Whether it is the open file, which is read again because it has changed.
    is_reload: bool,
    /// What the open model had when another file was asked for: it was saved or discarded.
    discarded: Option<Box<SessionSnapshot>>,
}

impl Opening {
    pub fn new(source: Source) -> Self {
        Self { source, stamps: Stamps::default(), model: None, session: None, is_reload: false, discarded: None }
    }

    /// Begins to open `source`, in place of what was being opened.
    pub fn begin(&mut self, source: Source) {
        let is_reload = self.is_reload && source == self.source;
        let stamps = source.path().map_or_else(Stamps::default, |path| Stamps::of(&path));
        *self = Self { stamps, is_reload, ..Self::new(source) };
    }

    /// Notes that the next file is `source`, which is the open file and has changed.
    pub fn note_reload(&mut self, source: Source) {
        (self.is_reload, self.source) = (true, source);
    }

    /// Notes what of the open model was saved or discarded when this file was asked for.
    pub fn note_discarded(&mut self, discarded: Option<SessionSnapshot>) {
        self.discarded = discarded.map(Box::new);
    }

    /// Notes that what is being read is the model of a session file.
    pub fn note_session(&mut self, session: Box<ReadSession>) {
        self.session = Some(session);
    }

    /// Notes that the open file is another one from now on.
    pub fn set_source(&mut self, source: Source) {
        self.source = source;
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the model that waits to be shown.
    pub fn document(&self) -> Option<&Document> {
        self.model.as_ref().map(|read| &*read.document)
    }

    /// Takes a model that was read. It waits from now on.
    pub fn set_document(&mut self, document: Box<Document>) {
        self.stamps.add(document.files());
        self.model = Some(ReadModel { document, warnings: None });
    }

    /// Takes the model that waits, with its warnings where it has been read completely, if `is_ready`.
    pub fn take_document(
        &mut self,
        is_ready: impl FnOnce(&Document) -> bool,
    ) -> Option<(Document, Option<Vec<String>>)> {
        let read = self.model.take_if(|read| is_ready(&read.document))?;
        Some((*read.document, read.warnings))
    }

    /// Takes the warnings of a file that has been read completely. They are returned where its model is shown already.
    pub fn set_warnings(&mut self, warnings: Vec<String>) -> Option<Vec<String>> {
        match &mut self.model {
            Some(read) => {
                read.warnings = Some(warnings);
                None
            }
            None => Some(warnings),
        }
    }

    /// Adds files that are waited for, as they were.
    pub fn add_stamps(&mut self, stamps: &Stamps) {
        self.stamps.add_taken(stamps);
    }

    /// Notes what the file was like before it was read, where that began later than it was asked for.
    pub fn set_stamps(&mut self, stamps: Stamps) {
        self.stamps = stamps;
    }

    /// Drops the model that was read.
    pub fn cancel(&mut self) {
        self.model = None;
    }

    /// Takes the session file whose model is `source`.
    pub fn take_session(&mut self, source: &Source) -> Option<Box<ReadSession>> {
        self.session.take_if(|read| read.model.source == *source)
    }

    /// Returns whether showing a document would lose what was made in the open one while it was read.
    pub fn loses_work(&self, session: &Session, document: &Document) -> bool {
        let source = document.source();
        let as_session = self.session.as_ref().is_some_and(|read| read.model.source == source);
        session.unsaved().loses_by(document, as_session, self.discarded.as_deref())
    }

    /// Takes what the files were like before they were read.
    pub fn take_stamps(&mut self) -> Stamps {
        std::mem::take(&mut self.stamps)
    }

    /// Returns once whether it is the open file, which is read again because it has changed.
    pub fn take_reload(&mut self) -> bool {
        std::mem::take(&mut self.is_reload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Options, Progress};

    fn built_in() -> Box<Document> {
        Box::new(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap())
    }

    #[test]
    fn warnings_wait_with_their_model_until_it_is_ready() {
        let mut opening = Opening::new(Source::BuiltIn);
        assert_eq!(
            opening.set_warnings(vec!["a".to_owned()]),
            Some(vec!["a".to_owned()]),
            "the model is shown already"
        );
        opening.set_document(built_in());
        assert_eq!(opening.set_warnings(vec!["b".to_owned()]), None);
        assert!(opening.take_document(|_| false).is_none() && opening.document().is_some());
        let (_, warnings) = opening.take_document(|_| true).unwrap();
        assert!(warnings == Some(vec!["b".to_owned()]) && opening.document().is_none());
    }

    #[test]
    fn what_is_asked_for_next_takes_the_place_of_all_that_was_being_opened() {
        let mut opening = Opening::new(Source::BuiltIn);
        let mut session = Session::default();
        session.open(*built_in());
        opening.note_discarded(session.unsaved().snapshot());
        opening.set_document(built_in());
        opening.note_reload(Source::BuiltIn);
        opening.begin(Source::BuiltIn);
        assert!(opening.document().is_none() && opening.discarded.is_none());
        assert!(opening.take_reload(), "it is the same file");
        assert!(!opening.take_reload(), "it is said once");
        opening.note_reload(Source::BuiltIn);
        let other = Source::File("other.glb".into());
        opening.begin(other.clone());
        assert!(*opening.source() == other && !opening.take_reload(), "another file is no reload of the open one");
    }

    #[test]
    fn work_that_was_made_since_the_file_was_asked_for_would_be_lost() {
        use crate::session::{ChannelValue, EditCommand};
        let (mut opening, mut session) = (Opening::new(Source::BuiltIn), Session::default());
        session.open(*built_in());
        let other = Document::new(std::sync::Arc::clone(built_in().stored()), Vec::new(), Some("other.glb".into()));
        let edit = |session: &mut Session, node| {
            let turned = ChannelValue::Rotation(glam::Vec3::new(1.0, 20.0, 3.0));
            session.apply(EditCommand::Edit(crate::model::NodeId(node), turned));
            session.apply(EditCommand::EndEdit);
        };
        assert!(!opening.loses_work(&session, &other));
        edit(&mut session, 2);
        assert!(opening.loses_work(&session, &other));
        opening.note_discarded(session.unsaved().snapshot());
        assert!(!opening.loses_work(&session, &other), "that was discarded");
        edit(&mut session, 3);
        assert!(opening.loses_work(&session, &other), "that was made since");
    }
}
