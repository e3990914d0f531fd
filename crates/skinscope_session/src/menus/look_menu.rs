//! The rows of the Look menu: the looks and tone maps of their tables, the environment, and the keys that go from one look to the
//! next.

use skinscope_frame::{LOOKS, LookGroup, TONE_MAPS};

use crate::menus::command_row::{key, row, shift};
use crate::{
    Command, CommandRow, EnvironmentCommand, FileCommand, Key, Menu, Submenu, TOGGLES, Toggle, ToggleRow, ViewCommand,
};

/// Returns all rows of the menu.
pub(crate) fn rows() -> impl Iterator<Item = CommandRow> {
    let looks = LOOKS.iter().map(|look| {
        let command = Command::View(ViewCommand::SetLook(look.id));
        let row = row(Menu::Look, look.label, None, command, look.help);
        match look.group {
            LookGroup::Form => row,
            LookGroup::Matcap => row.in_submenu(Submenu::Matcaps),
            LookGroup::Data => row.in_submenu(Submenu::SurfaceData),
        }
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
    let environment = [
        row(
            Menu::Look,
            "Open environment…",
            None,
            Command::File(FileCommand::ChooseEnvironment),
            "Light the model by a picture of the surroundings: equirectangular, in Radiance (.hdr) or OpenEXR (.exr)",
        ),
        row(
            Menu::Look,
            "Built-in room",
            None,
            Command::View(ViewCommand::Environment(EnvironmentCommand::Show(None))),
            "Light the model by the room that comes with the program",
        ),
    ];
    let behind = TOGGLES.iter().filter(|row| is_of_environment(row)).map(ToggleRow::command_row);
    let environment = environment.into_iter().chain(behind).map(|row| row.in_submenu(Submenu::Environment));
    let switches = TOGGLES.iter().filter(|row| row.menu == Menu::Look && !is_of_environment(row));
    let mut switches = switches.map(ToggleRow::command_row);
    let first = switches.next().map(CommandRow::after_line);
    looks.chain(next).chain(tone_maps).chain(environment).chain(first).chain(switches)
}

/// Returns whether a switch stands in the submenu of the environment.
fn is_of_environment(row: &ToggleRow) -> bool {
    row.toggle == Toggle::EnvironmentBackground
}
