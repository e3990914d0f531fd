//! What the user wants and what has to wait: for a file that is written or read first, or for vertices that can be found.

use std::path::PathBuf;

use super::files::session_files::ReadSession;
use crate::session::{Command, Orbit, Source, UnsavedWork};

/// What the user wants to do that closes the open model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NextStep {
    /// The window closes.
    Quit,
    /// Another model is opened.
    Load(Source),
    /// The model of a session file is opened, with what the file keeps.
    OpenSession(Box<ReadSession>),
    /// The model beside the open one is closed.
    CloseOther,
    /// This file is opened beside the open model, in place of the one that stands there.
    OpenBeside(PathBuf),
    /// One of these, for which the other one of two models was made the active one, so that it is seen what the question about its work
    /// is about.
    OfOther(Box<NextStep>),
}

impl NextStep {
    /// Returns the step itself, and whether the other model was made the active one for it.
    pub fn into_step(self) -> (Self, bool) {
        match self {
            Self::OfOther(step) => (*step, true),
            step => (step, false),
        }
    }

    /// Returns the step itself.
    pub fn step(&self) -> &Self {
        if let Self::OfOther(step) = self { step } else { self }
    }

    /// Whether the model is closed by it that is not active.
    pub fn closes_other(&self) -> bool {
        !matches!(self.step(), Self::Load(_))
    }

    /// Whether the active model stays.
    pub fn keeps_active(&self) -> bool {
        matches!(self.step(), Self::CloseOther | Self::OpenBeside(_))
    }

    /// What is set aside stays when another model is opened, which may have a place for it.
    pub fn without_aside(&self, work: UnsavedWork) -> UnsavedWork {
        let closes_aside = *self.step() == Self::Quit || self.keeps_active();
        if closes_aside { work } else { UnsavedWork { set_aside: 0, ..work } }
    }
}

/// All that waits.
#[derive(Debug, Default)]
pub(crate) struct NextSteps {
    /// What is done once edits are saved or discarded.
    pub after_save: Option<NextStep>,
    /// What is done once the model that was saved is read again.
    pub after_reload: Option<NextStep>,
    /// A model, and the second of two files that were dropped together, which is taken once that model is shown.
    pub after_opening: Option<(PathBuf, PathBuf)>,
    /// A click that waits until vertices can be found, and the camera that it was made with.
    click: Option<(Command, Orbit)>,
}

impl NextSteps {
    /// Lets a click wait, in place of an earlier one.
    pub fn wait_with_click(&mut self, command: Command, orbit: Orbit) {
        self.click = Some((command, orbit));
    }

    pub fn has_click(&self) -> bool {
        self.click.is_some()
    }

    /// Drops the click that waits. Returns whether one did.
    pub fn drop_click(&mut self) -> bool {
        self.click.take().is_some()
    }

    /// Takes the click that waits; `None` where the camera has moved since, so that it would hit something else.
    pub fn take_click(&mut self, orbit: Orbit) -> Option<Command> {
        self.click.take().filter(|(_, before)| *before == orbit).map(|(command, _)| command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SelectionCommand;

    #[test]
    fn a_click_waits_for_its_own_camera_only_and_is_carried_out_once() {
        let (mut next, orbit) = (NextSteps::default(), Orbit::default());
        let click = Command::Selection(SelectionCommand::Deselect);
        next.wait_with_click(click.clone(), orbit);
        assert!(next.has_click());
        assert_eq!(next.take_click(orbit), Some(click.clone()));
        assert!(!next.has_click() && next.take_click(orbit).is_none());
        next.wait_with_click(click.clone(), orbit);
        assert_eq!(next.take_click(Orbit { orthographic: !orbit.orthographic, ..orbit }), None);
        assert!(!next.drop_click(), "it is gone");
        next.wait_with_click(click, orbit);
        assert!(next.drop_click() && next.take_click(orbit).is_none());
    }
}
