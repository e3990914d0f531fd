//! Which findings edits may have changed since they were found. They are dimmed until they have been looked for again; all others
//! stay as they are.

use std::sync::{Arc, Weak};

use skinscope_inspect::Inspection;
use skinscope_inspect::rom::RomReport;
use skinscope_model::Model;
use skinscope_session::{Document, Session};

/// The doubts about each finding, as long as neither findings nor weights change.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    known_for: (Weak<Model>, Weak<Inspection>, Weak<RomReport>),
    of: Vec<bool>,
}

impl Doubts {
    /// Computes the doubts anew where findings or weights have changed. The preview of a tool is no edit.
    pub(super) fn follow(&mut self, session: &Session, document: &Document) {
        let edited = session.edited_weights().edited_model().unwrap_or(&document.model);
        let weak = |i: &Option<Arc<Inspection>>| i.as_ref().map(Arc::downgrade).unwrap_or_default();
        let rom = document.rom.as_ref().map(Arc::downgrade).unwrap_or_default();
        let now = (Arc::downgrade(edited), weak(&document.inspection), rom);
        let known = &self.known_for;
        if now.0.ptr_eq(&known.0) && now.1.ptr_eq(&known.1) && now.2.ptr_eq(&known.2) {
            return;
        }
        self.of = document.doubts(edited);
        self.known_for = now;
    }

    /// Returns why the finding of this index is in doubt; `None` where it is not. `checking`: whether the checker is
    /// running.
    pub(super) fn about(&self, document: &Document, index: usize, checking: bool) -> Option<&'static str> {
        let checked = document.inspection.as_ref().map_or(0, |i| i.report.findings.len());
        let reason = match (index < checked, checking) {
            (true, true) => "being looked for again",
            (true, false) => "not looked for since the last edit",
            (false, _) => "measured before the last edit",
        };
        self.of.get(index).is_some_and(|doubt| *doubt).then_some(reason)
    }
}
