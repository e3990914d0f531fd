//! Keys of the number pad, which only the window system tells apart from those that have the same digit or sign
//! elsewhere, and the layout of the keyboard.

use winit::event::KeyEvent;
use winit::keyboard::{Key, KeyCode, PhysicalKey};

/// What is known of the layout of the keyboard, which no window system says: it is told by the letters that are typed.
#[derive(Debug, Default)]
pub(crate) struct KeyboardLayout {
    types_latin: bool,
}

impl KeyboardLayout {
    /// Notes what a key has typed.
    pub(crate) fn note(&mut self, key: &Key) {
        let Key::Character(text) = key else { return };
        match text.chars().next() {
            // Hebrew layouts have Latin capitals with Shift.
            Some('a'..='z') => self.types_latin = true,
            Some(c) if c.is_alphabetic() && c >= '\u{370}' => self.types_latin = false,
            _ => {}
        }
    }

    /// Returns whether it has Latin letters, as far as letters were typed.
    pub(crate) fn types_latin(&self) -> bool {
        self.types_latin
    }
}

/// Returns the digit of a key of the number pad; `None` for other keys.
pub(crate) fn number_pad(event: &KeyEvent) -> Option<u8> {
    let PhysicalKey::Code(code) = event.physical_key else { return None };
    Some(match code {
        KeyCode::Numpad0 => 0,
        KeyCode::Numpad1 => 1,
        KeyCode::Numpad2 => 2,
        KeyCode::Numpad3 => 3,
        KeyCode::Numpad4 => 4,
        KeyCode::Numpad5 => 5,
        KeyCode::Numpad6 => 6,
        KeyCode::Numpad7 => 7,
        KeyCode::Numpad8 => 8,
        KeyCode::Numpad9 => 9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_latin_once_it_has_typed_a_latin_letter_without_shift() {
        let mut layout = KeyboardLayout::default();
        let mut after = |text: &str| {
            layout.note(&Key::Character(text.into()));
            layout.types_latin()
        };
        assert!(!after("'") && !after("ק") && !after("E"), "Hebrew, the last one with Shift");
        assert!(after("q") && after(";"), "the layout was changed");
        assert!(after("é"), "a letter of a Latin layout");
        assert!(!after("ψ") && !after(";"), "Greek");
    }
}
