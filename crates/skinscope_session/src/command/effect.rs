//! What a session leaves to the application.

use crate::{FileCommand, InspectionCommand, LibraryCommand, WindowCommand};

/// Work that [`crate::Session::apply`] leaves to the application.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A command about files, which are opened in the background.
    File(FileCommand),
    /// A command to inspect the open model in the background.
    Inspection(InspectionCommand),
    /// A command about the library of poses.
    Library(LibraryCommand),
    /// A command to change the window.
    Window(WindowCommand),
}
