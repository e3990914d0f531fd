//! The parts of menus and keys: a key with its modifiers, and a row with its command.

use super::{COMMANDS, Command};

/// A key, named by what is printed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the keys")]
pub enum Key {
    Char(char),
    /// A digit of the number pad, or the same digit of the top row.
    Numpad(u8),
    Space,
    Home,
    End,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    F1,
    Escape,
}

/// A key with the modifiers that are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// The key.
    pub key: Key,
    /// Whether Ctrl (Cmd on a Mac) is held.
    pub ctrl: bool,
    /// Whether Shift is held.
    pub shift: bool,
}

impl std::fmt::Display for Shortcut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl+")?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match self.key {
            Key::Char(c) => write!(f, "{}", c.to_ascii_uppercase()),
            Key::Numpad(n) => write!(f, "Numpad {n}"),
            Key::PageUp => f.write_str("Page Up"),
            Key::PageDown => f.write_str("Page Down"),
            Key::Escape => f.write_str("Esc"),
            key => write!(f, "{key:?}"),
        }
    }
}

/// The menu in which a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the titles of the menus")]
pub enum Menu {
    File,
    Edit,
    Pose,
    View,
    Overlay,
    Tools,
    Playback,
    Help,
}

/// A row of [`COMMANDS`].
#[derive(Clone, Debug)]
pub struct CommandRow {
    /// The command that the row sends.
    pub command: Command,
    /// The label in the menu.
    pub label: &'static str,
    /// A sentence for tooltips and the list of keys.
    pub help: &'static str,
    /// The key that sends the command, if there is one.
    pub shortcut: Option<Shortcut>,
    /// The menu in which it stands.
    pub menu: Menu,
}

/// Returns the row of a command, if it has one.
#[must_use]
pub fn row_of(command: &Command) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.command == *command)
}

/// Returns the command of a key.
#[must_use]
pub fn command_of(shortcut: Shortcut) -> Option<&'static Command> {
    COMMANDS.iter().find(|row| row.shortcut == Some(shortcut)).map(|row| &row.command)
}

#[cfg(test)]
mod tests {
    use super::super::{EditCommand, ViewCommand};
    use super::*;

    #[test]
    fn no_key_and_no_label_is_given_twice() {
        for (i, a) in COMMANDS.iter().enumerate() {
            for b in &COMMANDS[i + 1..] {
                assert!(a.shortcut.is_none() || a.shortcut != b.shortcut, "{} and {}", a.label, b.label);
                assert!(a.label != b.label && a.command != b.command, "{}", a.label);
            }
        }
    }

    #[test]
    fn the_keys_of_the_manual() {
        assert_eq!(
            command_of(Shortcut { key: Key::Char('w'), ctrl: false, shift: false }),
            Some(&Command::View(ViewCommand::ToggleOverlay("weights")))
        );
        assert_eq!(
            command_of(Shortcut { key: Key::Char('z'), ctrl: true, shift: true }),
            Some(&Command::Edit(EditCommand::Redo))
        );
        assert_eq!(
            row_of(&Command::Edit(EditCommand::Redo)).and_then(|r| r.shortcut).map(|s| s.to_string()).as_deref(),
            Some("Ctrl+Shift+Z")
        );
    }
}
