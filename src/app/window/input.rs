//! Keys of the number pad, which only the window system tells apart from those that have the same digit or sign
//! elsewhere, and the layout of the keyboard.

use std::collections::HashSet;

use winit::event::KeyEvent;
use winit::keyboard::{Key, KeyCode, PhysicalKey};

/// What is known of the layout of the keyboard, which no window system says: it is told by the letters that are typed.
#[derive(Debug, Default)]
pub(crate) struct KeyboardLayout {
    types_latin: bool,
    /// The keys that have typed a Latin letter since another one was last.
    latin: HashSet<PhysicalKey>,
}

impl KeyboardLayout {
    /// Notes what the key at a place has typed.
    pub(crate) fn note(&mut self, place: PhysicalKey, key: &Key) {
        let Key::Character(text) = key else { return };
        match text.chars().next() {
            // Hebrew layouts have Latin capitals with Shift.
            Some('a'..='z') => {
                self.types_latin = true;
                self.latin.insert(place);
            }
            Some(c) if c.is_alphabetic() && c >= '\u{370}' || self.has_changed(place, c) => {
                self.types_latin = false;
                self.latin.clear();
            }
            _ => {}
        }
    }

    /// Returns whether a sign says that the layout is another one now: Hebrew has two where Latin layouts have none of them, and Greek has
    /// one where a Latin letter was.
    fn has_changed(&self, place: PhysicalKey, sign: char) -> bool {
        match (place, sign) {
            (PhysicalKey::Code(KeyCode::KeyW), '\'') | (PhysicalKey::Code(KeyCode::KeyQ), '/') => true,
            (_, '\'' | '/' | ';') => self.latin.contains(&place),
            _ => false,
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
        // The key of A types none of the signs of other layouts.
        let mut after = |text: &str| {
            let place = if text == ";" { KeyCode::Semicolon } else { KeyCode::KeyA };
            layout.note(PhysicalKey::Code(place), &Key::Character(text.into()));
            layout.types_latin()
        };
        assert!(!after("'") && !after("ק") && !after("E"), "Hebrew, the last one with Shift");
        assert!(after("q") && after(";"), "the layout was changed");
        assert!(after("é"), "a letter of a Latin layout");
        assert!(!after("ψ") && !after(";"), "Greek");
    }

    #[test]
    fn the_first_sign_of_another_layout_says_that_the_layout_was_changed() {
        let mut layout = KeyboardLayout::default();
        let mut after = |place, text: &str| {
            layout.note(PhysicalKey::Code(place), &Key::Character(text.into()));
            layout.types_latin()
        };
        // Hebrew has an apostrophe and a slash at the keys of W and Q, Greek a semicolon at that of Q.
        assert!(after(KeyCode::KeyE, "e") && !after(KeyCode::KeyW, "'"));
        assert!(after(KeyCode::KeyE, "e") && !after(KeyCode::KeyQ, "/"));
        assert!(after(KeyCode::KeyQ, "q") && !after(KeyCode::KeyQ, ";"));
        // Signs stay signs at keys that never were letters, as with Dvorak, and at those of signs.
        assert!(after(KeyCode::KeyE, "e") && after(KeyCode::KeyQ, "'") && after(KeyCode::KeyZ, ";"));
        assert!(after(KeyCode::Slash, "/") && after(KeyCode::Quote, "'") && after(KeyCode::KeyW, ","));
    }
}
