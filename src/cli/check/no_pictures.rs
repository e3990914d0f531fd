//! What stands in place of the pictures of findings where the library was built without a graphics device.

use crate::inspect::check::Report;
use crate::session::Document;

/// Draws nothing.
pub(super) struct Painter;

/// The pictures of a file's findings: none.
pub(super) struct Pictures {
    pub(super) of_findings: Vec<Option<Vec<u8>>>,
    /// The reason why there are none.
    pub(super) note: Option<String>,
}

impl Painter {
    pub(super) fn new() -> Self {
        Self
    }

    /// Says why no finding has a picture.
    pub(super) fn draw(&self, _document: Document, report: &Report) -> Pictures {
        let why = "There are no pictures: what has written this page draws none; `skinscope check --html` of the program does.";
        Pictures { of_findings: Vec::new(), note: (!report.findings.is_empty()).then(|| why.to_owned()) }
    }
}
