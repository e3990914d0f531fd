//! Short forms in which the tables of commands are written.

use super::{Command, CommandRow, Key, Menu, Shortcut};

/// A letter with nothing held.
pub(super) const fn plain(c: char) -> Shortcut {
    Shortcut { key: Key::Char(c), ctrl: false, shift: false }
}

/// A key with nothing held.
pub(super) const fn key(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: false })
}

/// A key with Ctrl held.
pub(super) const fn ctrl(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: false })
}

/// A key with Shift held.
pub(super) const fn shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: true })
}

/// A key with Ctrl and Shift held.
pub(super) const fn ctrl_shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: true })
}

/// A row of the table of commands.
pub(super) const fn row(
    menu: Menu,
    label: &'static str,
    shortcut: Option<Shortcut>,
    command: Command,
    help: &'static str,
) -> CommandRow {
    CommandRow { command, label, help, shortcut, menu }
}
