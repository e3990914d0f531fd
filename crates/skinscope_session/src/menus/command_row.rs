//! Short forms in which the tables of commands are written.

use crate::{Command, CommandRow, Key, Menu, Shortcut};

/// A letter without modifiers.
pub(crate) const fn plain(c: char) -> Shortcut {
    Shortcut { key: Key::Char(c), ctrl: false, shift: false }
}

/// A key without modifiers.
pub(crate) const fn key(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: false })
}

/// A key with Ctrl.
pub(crate) const fn ctrl(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: false })
}

/// A key with Shift.
pub(crate) const fn shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: true })
}

/// A key with Ctrl and Shift.
pub(crate) const fn ctrl_shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: true })
}

/// A row of the table of commands.
pub(crate) const fn row(
    menu: Menu,
    label: &'static str,
    shortcut: Option<Shortcut>,
    command: Command,
    help: &'static str,
) -> CommandRow {
    CommandRow { command, label, help, shortcut, menu, submenu: None, starts_group: false }
}

/// Rows of menus. Of each: the menu, the label, the key and the command, then the submenu that it stands in and `after_line` where a line comes
/// before it, and its help.
macro_rules! rows {
    ($($menu:ident $label:literal, $key:expr, $family:ident($command:expr) $(in $submenu:ident)? $(, $line:ident)?: $help:literal;)*) => {
        &[$(row(Menu::$menu, $label, $key, Command::$family($command), $help)$(.in_submenu(Submenu::$submenu))?$(.$line())?),*]
    };
}
pub(crate) use rows;
