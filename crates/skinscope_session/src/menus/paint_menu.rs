//! The rows of the submenu of brushes: the panel, each brush, its size and strength, what paints without a drag, and the file of strokes.

use skinscope_weights::{BRUSHES, Brush, LAYER_BRUSHES};

use crate::menus::command_row::{ctrl, key, row, rows, shift};
use crate::{
    BrushKey, Command, CommandRow, FileCommand, FileUse, Key, Menu, PaintCommand, Panel, Shortcut, Submenu,
    WindowCommand,
};

/// They follow those of marks in the Tools menu.
pub(crate) fn rows() -> Vec<CommandRow> {
    let brushes = BRUSHES.iter().chain(LAYER_BRUSHES).enumerate().map(|(i, brush)| {
        let command = Command::Paint(PaintCommand::Hold(Some(brush.id.to_owned())));
        let row = row(Menu::Tools, brush.command, key_of(brush), command, brush.help).in_submenu(Submenu::Brushes);
        if i == 0 { row.after_line() } else { row }
    });
    PANEL.iter().cloned().chain(brushes).chain(HAND.iter().cloned()).collect()
}

/// The letters of brushes, each with Shift. They take a brush where another one is in the hand.
static LETTERS: &[(&str, char)] = &[
    ("add", 'a'),
    // Down.
    ("subtract", 'd'),
    // A value.
    ("replace", 'v'),
    // Times.
    ("scale", 'x'),
    ("give", 'j'),
    ("smooth", 'o'),
    ("sharpen", 'i'),
    ("relax", 't'),
    // The mean.
    ("average", 'm'),
    // Nothing is left of the layer.
    ("erase", 'n'),
];

/// Returns the key of a brush.
fn key_of(brush: &Brush) -> Option<Shortcut> {
    let letter = LETTERS.iter().find(|(id, _)| *id == brush.id)?;
    shift(Key::Char(letter.1))
}

static PANEL: &[CommandRow] = rows! {
    Tools "Paint weights", ctrl(Key::Char('8')), Window(WindowCommand::TogglePanel(Panel::Paint)) in Brushes:
        "Show the brushes and take one in the hand, or put them away; a drag over the skin paints its weights";
    Tools "Take the brush", key(Key::Char('j')), Window(WindowCommand::Brush(BrushKey::Take)) in Brushes:
        "Take the brush that was in the hand last, or put down the one that is; its panel stays";
};

static HAND: &[CommandRow] = rows! {
    Tools "Wider brush", key(Key::Char(']')), Window(WindowCommand::Brush(BrushKey::Wider)) in Brushes:
        "Make the radius of the brush a step larger; Ctrl with the wheel does so too";
    Tools "Narrower brush", key(Key::Char('[')), Window(WindowCommand::Brush(BrushKey::Narrower)) in Brushes:
        "Make the radius of the brush a step smaller; Ctrl with the wheel does so too";
    Tools "Radius by the pointer", key(Key::Char('z')), Window(WindowCommand::Brush(BrushKey::DragRadius)) in Brushes:
        "Let the radius of the brush follow the pointer; a click keeps it, Esc gives it up";
    Tools "Strength by the pointer", shift(Key::Char('z')), Window(WindowCommand::Brush(BrushKey::DragStrength)) in Brushes:
        "Let the strength of the brush follow the pointer; a click keeps it, Esc gives it up; Shift with the wheel changes it too";
    Tools "Flood with the brush", None, Paint(PaintCommand::Flood) in Brushes:
        "Paint each marked vertex or, where none is marked, each that the joint's skin has, once with the strength of the brush; what looks away from you too";
    Tools "Gradient by a drag", None, Window(WindowCommand::Brush(BrushKey::Gradient)) in Brushes:
        "Let a drag paint from the strength of the brush to none: along its line, once more around its place, once more strokes again";
    Tools "Save strokes…", None, File(FileCommand::AskForFile(FileUse::SaveStrokes)) in Brushes:
        "Write the strokes that were painted into a file, which skinscope paint carries out";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_brush_of_the_menu_has_a_key_and_every_key_a_brush() {
        let brushes = || BRUSHES.iter().chain(LAYER_BRUSHES);
        assert!(brushes().all(|brush| key_of(brush).is_some()));
        assert!(LETTERS.iter().all(|(id, _)| brushes().any(|brush| brush.id == *id)));
    }

    #[test]
    fn every_brush_is_named_as_a_brush() {
        for brush in BRUSHES.iter().chain(LAYER_BRUSHES) {
            assert!(brush.command.ends_with(" brush"), "{}", brush.id);
        }
    }
}
