//! Keys of the window system as shortcuts of the session. Physical keys, because only they tell the number pad apart.

use winit::event::KeyEvent;
use winit::keyboard::{Key as Logical, KeyCode, ModifiersState, NamedKey, PhysicalKey};

use crate::session::{Key, Shortcut};

/// The shortcut that a key press stands for, if any could have one.
pub(super) fn shortcut(event: &KeyEvent, modifiers: ModifiersState) -> Option<Shortcut> {
    if modifiers.alt_key() {
        return None;
    }
    let ctrl = if cfg!(target_os = "macos") { modifiers.super_key() } else { modifiers.control_key() };
    let shift = modifiers.shift_key();
    let key =
        numpad(&event.physical_key).or_else(|| named(&event.logical_key)).or_else(|| letter(&event.logical_key))?;
    Some(Shortcut { key, ctrl, shift })
}

/// Without a number pad the digits of the top row stand in, except with Ctrl, where they switch panels.
pub(super) fn top_row_as_numpad(shortcut: Shortcut) -> Option<Shortcut> {
    match shortcut.key {
        Key::Char(c @ '0'..='9') if !shortcut.ctrl => Some(Shortcut { key: Key::Numpad(c as u8 - b'0'), ..shortcut }),
        _ => None,
    }
}

fn numpad(key: &PhysicalKey) -> Option<Key> {
    let PhysicalKey::Code(code) = key else { return None };
    let digit = match code {
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
    };
    Some(Key::Numpad(digit))
}

fn named(key: &Logical) -> Option<Key> {
    let Logical::Named(named) = key else { return None };
    Some(match named {
        NamedKey::Space => Key::Space,
        NamedKey::Home => Key::Home,
        NamedKey::End => Key::End,
        NamedKey::ArrowLeft => Key::Left,
        NamedKey::ArrowRight => Key::Right,
        NamedKey::ArrowUp => Key::Up,
        NamedKey::ArrowDown => Key::Down,
        NamedKey::PageUp => Key::PageUp,
        NamedKey::PageDown => Key::PageDown,
        NamedKey::F1 => Key::F1,
        NamedKey::Escape => Key::Escape,
        _ => return None,
    })
}

fn letter(key: &Logical) -> Option<Key> {
    let Logical::Character(text) = key else { return None };
    let mut chars = text.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return None };
    if c == ' ' { Some(Key::Space) } else { Some(Key::Char(c.to_ascii_lowercase())) }
}
