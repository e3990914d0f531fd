//! Events that wake the event loop from outside.

/// What has happened.
#[derive(Debug)]
pub(super) enum UserEvent {
    /// A job has a report.
    Job,
    /// A screen reader asks or acts.
    AccessKit(egui_winit::accesskit_winit::Event),
}

impl From<egui_winit::accesskit_winit::Event> for UserEvent {
    fn from(event: egui_winit::accesskit_winit::Event) -> Self {
        Self::AccessKit(event)
    }
}
