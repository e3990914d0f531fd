//! Keys of the number pad, which only the window system tells apart from those that have the same digit or sign
//! elsewhere.

use winit::event::KeyEvent;
use winit::keyboard::{KeyCode, PhysicalKey};

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
