//! Keys: which of them are shortcuts, and in what order they and the pointer are handled.
//!
//! egui handles all events of a frame at once. While the program is busy a click and the key after it arrive in the
//! same frame, and the key would go to the widget that had the focus before the click. [`turns`] therefore splits the
//! events of a frame, so that each key meets the focus that the events before it have set. Within a turn the widgets
//! come first: a key that none of them has used is a shortcut. Text fields keep the keys that they edit with.

use std::borrow::Cow;

use egui::{Event, FocusDirection, Modifiers, Popup, RawInput, Ui};
use skinscope_session::{
    BrushKey, Command, EditCommand, FileCommand, Key, Keymap, PaintCommand, PaintSettings, Panel, PlaybackCommand,
    SelectionCommand, Session, Shortcut, Toggle, ViewCommand, WindowCommand, command_of, refusal,
};

use super::{Status, UiState, copied, focus};

/// Splits the events of one frame into turns, each of which is to be given to egui as a frame of its own.
///
/// Within one turn, a press or release of a pointer button is followed only by more of them in the same place, a move
/// is not followed by a release, and a key is followed only by the text that it types; but typed text stays together.
#[must_use]
pub fn turns(mut raw: RawInput) -> Vec<RawInput> {
    let events = std::mem::take(&mut raw.events);
    let mut lots: Vec<Vec<Event>> = vec![Vec::new()];
    let mut so_far = Turn::default();
    let mut events = events.into_iter().peekable();
    while let Some(event) = events.next() {
        let types = matches!(events.peek(), Some(Event::Text(_)));
        if so_far.ends_before(&event, types) {
            lots.push(Vec::new());
            so_far = Turn::default();
        }
        so_far.add(&event, types);
        if let Some(lot) = lots.last_mut() {
            lot.push(event);
        }
    }
    let dropped = std::mem::take(&mut raw.dropped_files);
    let mut turns: Vec<_> = lots.into_iter().map(|events| RawInput { events, ..raw.clone() }).collect();
    if let Some(first) = turns.first_mut() {
        first.dropped_files = dropped;
    }
    turns
}

/// The events of a turn so far.
#[derive(Default)]
struct Turn {
    /// A button of the pointer went down or up.
    button: bool,
    /// The pointer moved.
    moved: bool,
    /// Text was typed.
    text: bool,
    /// A key that types nothing was pressed: it may have moved the focus.
    key: bool,
}

impl Turn {
    /// Returns whether `event` has to wait for the next turn. `types`: it is a key, and its text comes next.
    fn ends_before(&self, event: &Event, types: bool) -> bool {
        match event {
            Event::PointerButton { pressed: true, .. } => self.text || self.key,
            // The movement of a drag is lost in the frame in which the button is released.
            Event::PointerButton { pressed: false, .. } => self.text || self.key || self.moved && !self.button,
            Event::PointerMoved(_) | Event::PointerGone => self.button,
            Event::Key { pressed: true, .. } if types => self.button || self.key,
            Event::Key { pressed: true, .. } => self.button || self.key || self.text,
            Event::Text(_) | Event::Paste(_) | Event::Copy | Event::Cut | Event::Ime(_) => self.button || self.key,
            Event::ModifiersChanged(_) => self.button || self.key,
            _ => false,
        }
    }

    fn add(&mut self, event: &Event, types: bool) {
        match event {
            Event::PointerButton { .. } => self.button = true,
            Event::PointerMoved(_) => self.moved = true,
            Event::Key { pressed: true, .. } if types => self.text = true,
            Event::Key { pressed: true, .. } => self.key = true,
            Event::Text(_) | Event::Paste(_) | Event::Copy | Event::Cut | Event::Ime(_) => self.text = true,
            _ => {}
        }
    }
}

/// The command that is in effect while its key is down.
const STORED: Command = Command::View(ViewCommand::Toggle(Toggle::Stored));

/// What the key of the brushes does while their panel is open and none of them is in the hand: who presses it wants to paint.
static TAKE_BRUSH: Command = Command::Window(WindowCommand::Brush(BrushKey::Take));

/// Keys that represent the digits of the number pad, which egui does not tell from those of the top row.
const NUMBER_PAD: [egui::Key; 10] = [
    egui::Key::F26,
    egui::Key::F27,
    egui::Key::F28,
    egui::Key::F29,
    egui::Key::F30,
    egui::Key::F31,
    egui::Key::F32,
    egui::Key::F33,
    egui::Key::F34,
    egui::Key::F35,
];

/// Marks the last key of `events` as the digit `digit` of the number pad, by a physical key that no keyboard has.
pub fn mark_number_pad(events: &mut [Event], digit: u8) {
    let physical_keys = events.iter_mut().rev().filter_map(|event| match event {
        Event::Key { physical_key, .. } => Some(physical_key),
        _ => None,
    });
    let same = |physical: &&mut Option<egui::Key>| physical.is_some_and(|k| k.name() == digit.to_string());
    if let Some(physical) = physical_keys.take(1).find(same) {
        *physical = NUMBER_PAD.get(usize::from(digit)).copied();
    }
}

/// The digits of the top row.
const DIGITS: [egui::Key; 10] = [
    egui::Key::Num0,
    egui::Key::Num1,
    egui::Key::Num2,
    egui::Key::Num3,
    egui::Key::Num4,
    egui::Key::Num5,
    egui::Key::Num6,
    egui::Key::Num7,
    egui::Key::Num8,
    egui::Key::Num9,
];

/// Returns whether a key types a sign that is neither a letter nor a digit.
fn is_sign(key: egui::Key) -> bool {
    use egui::Key::{
        Backslash, Backtick, CloseBracket, CloseCurlyBracket, Colon, Comma, Equals, Exclamationmark, Minus,
        OpenBracket, OpenCurlyBracket, Period, Pipe, Plus, Questionmark, Quote, Semicolon, Slash,
    };
    matches!(
        key,
        Backslash
            | Backtick
            | CloseBracket
            | CloseCurlyBracket
            | Colon
            | Comma
            | Equals
            | Exclamationmark
            | Minus
            | OpenBracket
            | OpenCurlyBracket
            | Period
            | Pipe
            | Plus
            | Questionmark
            | Quote
            | Semicolon
            | Slash
    )
}

/// Takes keys by their place where the layout of the keyboard types a sign in place of what shortcuts are named after: the keys of the digits,
/// which type signs without Shift on French and Czech keyboards, and in a layout without Latin letters those of letters, of which Hebrew and
/// Greek ones type signs too. `types_latin`: whether the layout has Latin letters.
pub fn take_by_place(events: &mut [Event], types_latin: bool) {
    for event in events {
        let Event::Key { key, physical_key: Some(place), modifiers, .. } = event else { continue };
        let is_letter = place.name().len() == 1 && place.name().starts_with(|c: char| c.is_ascii_uppercase());
        // Commas and full stops are not among those signs, but Dvorak and French keyboards have them there.
        let is_known = matches!(key, egui::Key::Comma | egui::Key::Period);
        let is_named_by_place = DIGITS.contains(place) && !modifiers.shift || is_letter && !types_latin && !is_known;
        if is_sign(*key) && is_named_by_place {
            *key = *place;
        }
    }
}

/// Returns the shortcut that an event stands for, if it may be one, and whether the key is held down.
fn shortcut(event: &Event) -> Option<(Shortcut, bool)> {
    let Event::Key { key, physical_key, pressed: true, repeat, modifiers } = event else { return None };
    if modifiers.alt || modifiers.ctrl && !modifiers.command {
        return None;
    }
    let digit = physical_key.and_then(|physical| NUMBER_PAD.iter().position(|k| *k == physical));
    let key = match digit {
        Some(digit) => Key::Numpad(digit as u8),
        None => named(*key)?,
    };
    // On many keyboards plus is typed with Shift, and on others it is the upper sign of the key of the equals sign.
    let is_plus = matches!(key, Key::Char('+' | '=')) && modifiers.command;
    let (key, shift) = if is_plus { (Key::Char('+'), false) } else { (key, modifiers.shift) };
    Some((Shortcut { key, ctrl: modifiers.command, shift }, *repeat))
}

fn named(key: egui::Key) -> Option<Key> {
    Some(match key {
        egui::Key::Space => Key::Space,
        egui::Key::Home => Key::Home,
        egui::Key::End => Key::End,
        egui::Key::ArrowLeft => Key::Left,
        egui::Key::ArrowRight => Key::Right,
        egui::Key::ArrowUp => Key::Up,
        egui::Key::ArrowDown => Key::Down,
        egui::Key::PageUp => Key::PageUp,
        egui::Key::PageDown => Key::PageDown,
        egui::Key::F1 => Key::F1,
        // Its sign is another letter.
        egui::Key::Minus => Key::Char('-'),
        egui::Key::F11 => Key::F11,
        egui::Key::F12 => Key::F12,
        egui::Key::Escape => Key::Escape,
        egui::Key::Enter => Key::Enter,
        other => {
            let mut name = other.symbol_or_name().chars();
            match (name.next(), name.next()) {
                (Some(c), None) => Key::Char(c.to_ascii_lowercase()),
                _ => return None,
            }
        }
    })
}

/// Returns the number pad's shortcut for a digit of the top row, which replaces it on keyboards without one, except
/// with Ctrl, where digits switch panels.
fn top_row_as_number_pad(shortcut: Shortcut) -> Option<Shortcut> {
    match shortcut.key {
        Key::Char(c @ '0'..='9') if !shortcut.ctrl => Some(Shortcut { key: Key::Numpad(c as u8 - b'0'), ..shortcut }),
        _ => None,
    }
}

/// Returns the command of a key that has another one while the screen is filled by a presentation.
fn in_presentation(shortcut: Shortcut) -> Option<Command> {
    match shortcut {
        Shortcut { ctrl: true, .. } | Shortcut { shift: true, .. } => None,
        Shortcut { key: Key::PageDown, .. } => Some(FileCommand::StepExample(1).into()),
        Shortcut { key: Key::PageUp, .. } => Some(FileCommand::StepExample(-1).into()),
        Shortcut { key: Key::Escape, .. } => Some(WindowCommand::TogglePresentation.into()),
        _ => None,
    }
}

/// Returns what a key does that is the brush's while one is in the hand: digits of the top row set its strength, and where keys are as in Maya
/// a drag with B changes its radius, so that B alone does nothing.
fn of_brush(shortcut: Shortcut, session: &Session) -> Option<Option<Command>> {
    let painting = session.painting();
    painting.brush()?;
    let Shortcut { key: Key::Char(letter), ctrl: false, shift: false } = shortcut else { return None };
    if let Some(digit) = letter.to_digit(10) {
        let strength = if digit == 0 { 1.0 } else { f64::from(digit) / 10.0 };
        let settings = PaintSettings { strength, ..painting.settings().clone() };
        return Some(Some(PaintCommand::Set(settings).into()));
    }
    (letter == 'b' && Keymap::chosen() == Keymap::Maya).then_some(None)
}

/// Returns whether a key takes the brush that was in the hand last in place of closing the panel of brushes.
fn takes_brush(command: &Command, session: &Session, state: &UiState) -> bool {
    let is_of_panel = matches!(command, Command::Window(WindowCommand::TogglePanel(Panel::Paint)));
    let has_no_brush = state.paint.is_open && session.painting().brush().is_none();
    is_of_panel && has_no_brush && refusal(&TAKE_BRUSH, session).is_none()
}

/// Returns why the key of a brush does nothing: where none is in the hand, a letter that was pressed by mistake is not to paint.
fn lacks_brush(command: &Command, session: &Session) -> Option<Cow<'static, str>> {
    let is_of_brush = matches!(command, Command::Paint(PaintCommand::Hold(Some(_))));
    let why = "No brush is in the hand: J takes one, and then its key another.";
    (is_of_brush && session.painting().brush().is_none()).then_some(Cow::Borrowed(why))
}

/// Returns whether a key that is held down repeats the command; a toggle would flicker.
fn repeats(command: &Command) -> bool {
    match command {
        Command::Playback(command) => {
            use PlaybackCommand::{NextKey, PreviousKey, StepClip, StepFrames};
            matches!(command, StepFrames(_) | NextKey | PreviousKey | StepClip(_))
        }
        Command::Edit(command) => matches!(command, EditCommand::Undo | EditCommand::Redo),
        Command::View(command) => matches!(command, ViewCommand::Undo | ViewCommand::Redo),
        Command::Window(command) => {
            matches!(command, WindowCommand::Brush(BrushKey::Wider | BrushKey::Narrower))
        }
        Command::Selection(command) => {
            matches!(command, SelectionCommand::SelectParent | SelectionCommand::SelectChild)
        }
        _ => false,
    }
}

/// Returns whether a text field needs the shortcut for itself. The others are shortcuts there too.
fn is_for_text(shortcut: Shortcut) -> bool {
    match shortcut.key {
        Key::F1 | Key::F11 | Key::F12 => false,
        Key::Char(c) if shortcut.ctrl => matches!(c, 'a' | 'c' | 'v' | 'x' | 'y' | 'z'),
        Key::Numpad(_) => !shortcut.ctrl,
        _ => true,
    }
}

/// The owner of the keys of a pass: the widget that had the focus as it began, since that is what the user saw.
pub(super) struct Pass {
    /// Whether a text field has the focus.
    in_text: bool,
    /// Whether some widget has the focus, which Enter presses.
    focused: bool,
    /// Whether a menu, a list or a dialog is open; nothing behind it reacts to keys.
    covered: bool,
    /// Presses of the space key, which are taken from egui, since it would press the button that has the focus.
    space: Vec<(Shortcut, bool)>,
}

/// Begins a pass, before any widget is shown.
pub(super) fn begin(ui: &Ui, state: &mut UiState, status: &Status) -> Pass {
    let ctx = ui.ctx();
    state.outliner.begin(ctx);
    state.viewport.pointer.take_keys(ctx);
    let pressed = |key| ctx.input(|i| i.key_pressed(key));
    // egui takes the focus away as soon as Escape is pressed.
    let left = state.in_text && pressed(egui::Key::Escape) && ctx.memory(|m| m.focused().is_none());
    let in_text = left || ctx.text_edit_focused();
    let focused = ctx.memory(|m| m.focused().is_some());
    let covered = state.dialog.is_some() || state.finder.open || UiState::is_asked(status) || Popup::is_any_open(ctx);
    let mut space = Vec::new();
    if !in_text && !covered {
        ctx.input_mut(|i| {
            i.events.retain(|event| {
                let taken = shortcut(event).filter(|(s, _)| s.key == Key::Space);
                space.extend(taken);
                taken.is_none()
            });
        });
    }
    let arrows = [egui::Key::ArrowLeft, egui::Key::ArrowRight, egui::Key::ArrowUp, egui::Key::ArrowDown];
    for (modifiers, back) in [(Modifiers::SHIFT, true), (Modifiers::NONE, false)] {
        for _ in 0..ctx.input_mut(|i| i.count_and_consume_key(modifiers, egui::Key::Tab)) {
            ctx.memory_mut(|m| m.move_focus(FocusDirection::None));
            focus::step(ctx, ui.layer_id(), &mut state.focus, back);
        }
    }
    focus::begin(ctx, &mut state.focus);
    if (in_text || !covered) && arrows.into_iter().any(pressed) {
        // Arrows go to the widget that has the focus, or else are shortcuts: they do not move the focus.
        ctx.memory_mut(|m| m.move_focus(FocusDirection::None));
    }
    Pass { in_text, focused, covered, space }
}

/// Ends a pass, after all widgets were shown: keys that they have not used are shortcuts. A key whose command would do nothing shows why.
pub(super) fn end(
    ui: &Ui,
    session: &Session,
    pass: Pass,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
) {
    let ctx = ui.ctx();
    focus::ring(ui, &state.focus);
    state.in_text = ctx.text_edit_focused();
    if pass.covered {
        return;
    }
    let mut keys = pass.space;
    ctx.input(|i| keys.extend(i.events.iter().filter_map(shortcut)));
    for (shortcut, repeat) in keys {
        if pass.in_text && is_for_text(shortcut) {
            continue;
        }
        if shortcut.key == Key::Escape && status.loading.is_some() {
            commands.push(FileCommand::CancelLoad.into());
            continue;
        }
        if let Some(command) = in_presentation(shortcut).filter(|_| state.presents) {
            commands.extend((!repeat).then_some(command));
            continue;
        }
        if let Some(command) = of_brush(shortcut, session) {
            commands.extend(command.filter(|_| !repeat));
            continue;
        }
        let spare = || top_row_as_number_pad(shortcut).and_then(command_of);
        let command = command_of(shortcut).or_else(spare).filter(|c| !repeat || repeats(c));
        // Enter presses the widget that has the focus.
        let command = command.filter(|_| shortcut.key != Key::Enter || !pass.focused);
        if command == Some(&STORED) {
            state.holds_stored = true;
            commands.push(ViewCommand::Set(Toggle::Stored, true).into());
            continue;
        }
        let Some(command) = command else { continue };
        let command = if takes_brush(command, session, state) { &TAKE_BRUSH } else { command };
        match refusal(command, session).or_else(|| lacks_brush(command, session)) {
            None => commands.push(command.clone()),
            // Enter accepts something, and there was nothing.
            Some(_) if shortcut.key == Key::Enter => {}
            Some(why) => copied::warn(ui, why.into_owned()),
        }
    }
    // Also where the window has lost the keyboard meanwhile.
    if state.holds_stored && !ctx.input(|i| i.key_down(egui::Key::Y)) {
        state.holds_stored = false;
        commands.push(ViewCommand::Set(Toggle::Stored, false).into());
    }
}
