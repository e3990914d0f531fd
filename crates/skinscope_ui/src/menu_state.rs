//! Whether a command is ticked in the menus. A session knows that of most commands; of panels and settings only the window does.

use skinscope_session::{Command, Panel, Session, WindowCommand};

use super::UiState;

/// Returns whether a command that switches something is ticked.
pub(super) fn is_on(command: &Command, session: &Session, state: &UiState) -> Option<bool> {
    let saved = &state.saved;
    Some(match command {
        Command::Window(WindowCommand::TogglePanel(Panel::Outliner)) => saved.outliner,
        Command::Window(WindowCommand::TogglePanel(Panel::Inspector)) => saved.inspector,
        Command::Window(WindowCommand::TogglePanel(Panel::Timeline)) => saved.timeline,
        Command::Window(WindowCommand::TogglePanel(Panel::Tables)) => saved.tables,
        Command::Window(WindowCommand::TogglePanel(Panel::Statistics)) => saved.statistics,
        Command::Window(WindowCommand::TogglePanel(Panel::Log)) => saved.log,
        Command::Window(WindowCommand::TogglePanel(Panel::Manual)) => state.shows_manual,
        Command::Window(WindowCommand::TogglePanel(Panel::Paint)) => state.paint.is_open,
        Command::Window(WindowCommand::ChooseLayout(name)) => saved.layout_name == *name,
        Command::Window(WindowCommand::ToggleTheme) => !state.is_dark(),
        Command::Window(WindowCommand::ToggleWatch) => saved.watch,
        Command::Window(WindowCommand::ToggleLargeText) => saved.large_text,
        Command::Window(WindowCommand::TogglePresentation) => state.presents,
        Command::Window(WindowCommand::ToggleMayaKeys) => saved.maya_keys,
        _ => return skinscope_session::is_on(command, session),
    })
}
