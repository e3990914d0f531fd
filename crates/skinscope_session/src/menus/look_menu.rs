//! The rows of the Look menu: the looks and tone maps of their tables, and the keys that go from one look to the next.

use skinscope_frame::{LOOKS, TONE_MAPS};

use crate::menus::command_row::{key, row, shift};
use crate::{Command, CommandRow, Key, Menu, Submenu, TOGGLES, ToggleRow, ViewCommand};

/// Returns all rows of the menu.
pub(crate) fn rows() -> impl Iterator<Item = CommandRow> {
    let looks = LOOKS.iter().map(|look| {
        let command = Command::View(ViewCommand::SetLook(look.id));
        row(Menu::Look, look.label, None, command, look.help)
    });
    let next = [
        row(
            Menu::Look,
            "Next look",
            key(Key::Char('l')),
            Command::View(ViewCommand::StepLook(1)),
            "Draw the surface in the next look of the list",
        )
        .after_line(),
        row(
            Menu::Look,
            "Previous look",
            shift(Key::Char('l')),
            Command::View(ViewCommand::StepLook(-1)),
            "Draw the surface in the look before in the list",
        ),
    ];
    let tone_maps = TONE_MAPS.iter().map(|map| {
        let command = Command::View(ViewCommand::SetToneMap(map.id));
        row(Menu::Look, map.label, None, command, map.help).in_submenu(Submenu::ToneMap)
    });
    let mut switches = TOGGLES.iter().filter(|row| row.menu == Menu::Look).map(ToggleRow::command_row);
    let first = switches.next().map(CommandRow::after_line);
    looks.chain(next).chain(tone_maps).chain(first).chain(switches)
}
