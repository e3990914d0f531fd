//! The parts of menus and keys: a key with its modifiers, and a row with its command.

use std::borrow::Cow;
use std::cell::Cell;

use crate::menus::command_row::{plain, shift};
use crate::{COMMANDS, Command, PoseTool, Toggle, ViewCommand, WindowCommand};

/// A key, named by what is printed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the keys")]
pub enum Key {
    Char(char),
    /// A digit of the number pad, or the same digit of the top row.
    Numpad(u8),
    Space,
    Home,
    End,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    F1,
    F11,
    F12,
    Escape,
    Enter,
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// The key.
    pub key: Key,
    /// Whether Ctrl (Cmd on a Mac) is pressed.
    pub ctrl: bool,
    /// Whether Shift is pressed.
    pub shift: bool,
}

impl std::fmt::Display for Shortcut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl+")?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match self.key {
            Key::Char(c) => write!(f, "{}", c.to_ascii_uppercase()),
            Key::Numpad(n) => write!(f, "Numpad {n}"),
            Key::PageUp => f.write_str("Page Up"),
            Key::PageDown => f.write_str("Page Down"),
            Key::Escape => f.write_str("Esc"),
            key => write!(f, "{key:?}"),
        }
    }
}

/// The menu in which a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the titles of the menus")]
pub enum Menu {
    File,
    Edit,
    Pose,
    View,
    Look,
    Overlay,
    Tools,
    Playback,
    Help,
}

/// A menu within a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "their titles say what they are")]
pub enum Submenu {
    Examples,
    Beside,
    Bones,
    Views,
    Lights,
    Matcaps,
    SurfaceData,
    ToneMap,
    Environment,
    Crowd,
    Subdivision,
    Panels,
    Layout,
    PoseTools,
    Marks,
    Binding,
    Brushes,
    ChangeOverlays,
    LayerOverlays,
    Directions,
    Motion,
    Bounds,
}

impl Submenu {
    /// Returns the label of the row that opens it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Examples => "Examples",
            Self::Beside => "Second model",
            Self::Bones => "Bones and skin",
            Self::Views => "Views",
            Self::Lights => "Lights",
            Self::Matcaps => "Matcaps",
            Self::SurfaceData => "Normals, UV and maps",
            Self::ToneMap => "Tone map",
            Self::Environment => "Surroundings",
            Self::Crowd => "Crowd",
            Self::Subdivision => "Subdivide",
            Self::Panels => "Panels",
            Self::Layout => "Layout",
            Self::PoseTools => "Tool and axes",
            Self::Marks => "Marks",
            Self::Brushes => "Paint",
            Self::Binding => "Bind and bake",
            Self::ChangeOverlays => "Changes of weights",
            Self::LayerOverlays => "Layers of weights",
            Self::Directions => "Normals and tangents",
            Self::Motion => "Motion",
            Self::Bounds => "Bounds",
        }
    }
}

impl Submenu {
    /// Returns a sentence about what its rows do.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Examples => "Small rigs with pages that explain skinning, a thing at a time",
            Self::Beside => "Another model in the same picture, beside the open one or in the same place",
            Self::Bones => "How bones are drawn, which of them, and how opaque the skin is",
            Self::Views => "Sides, projections and cameras to look from",
            Self::Lights => "What lights the picture, how its edges are smoothed, and who deforms the vertices",
            Self::Matcaps => "The form in one material whose light turns with the camera",
            Self::SurfaceData => {
                "What is stored for the surface, as colours: normals, texture coordinates, colours, maps"
            }
            Self::ToneMap => "How the light of the picture becomes colours of the screen",
            Self::Environment => {
                "Which picture of the surroundings lights the model, how it is turned, and how bright it is"
            }
            Self::Crowd => "Many of the model at once",
            Self::Subdivision => {
                "A smooth surface whose cage is the model, made after the joints have moved it or before"
            }
            Self::Panels => "Which panels are shown, how large everything is, and the theme",
            Self::Layout => "Where the panels are: layouts, and commands that move the panel that was used last",
            Self::PoseTools => "What the pointer does to the selected joint, and along which axes",
            Self::Marks => "Marked vertices, to which tools can be limited",
            Self::Brushes => "Brushes that paint weights on the skin as it is posed",
            Self::Binding => {
                "Find weights anew, from the shape of the mesh or from another method, or change inverse bind matrices"
            }
            Self::ChangeOverlays => {
                "How much weights were changed, how far the surface has moved, and what baking a method has left"
            }
            Self::LayerOverlays => "Where the layer is that brushes paint in, and what it changes there",
            Self::Directions => "Lines along the normals and the tangents of the vertices",
            Self::Motion => "The path of the selected joint over the clip, and the surface at other moments of it",
            Self::Bounds => "Boxes around what the file stores and around what the pose shows",
        }
    }
}

/// A row of [`COMMANDS`].
#[derive(Clone, Debug)]
pub struct CommandRow {
    /// The command that the row sends.
    pub command: Command,
    /// The label in the menu.
    pub label: &'static str,
    /// A sentence for tooltips and the list of keys.
    pub help: &'static str,
    /// The key that sends the command, if there is one; [`CommandRow::keys`] says it in the keymap that was chosen.
    pub shortcut: Option<Shortcut>,
    /// The menu in which it stands.
    pub menu: Menu,
    /// The submenu of that menu; `None`: it stands in the menu itself. The rows of a submenu follow each other.
    pub submenu: Option<Submenu>,
    /// Whether a line separates it from the row before it; with the first row of a submenu, the submenu from what stands before that.
    pub starts_group: bool,
}

/// Which program's keys the tools have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keymap {
    /// G, R and S move, turn and scale at the pointer, as in Blender.
    #[default]
    Blender,
    /// W, E and R choose the tools that move, turn and scale, Q the one that does neither, as in Maya. *Weights* and
    /// *Wireframe*, which have W and E otherwise, have them with Shift.
    Maya,
}

thread_local! {
    /// The keys of the window that this thread shows.
    static KEYMAP: Cell<Keymap> = const { Cell::new(Keymap::Blender) };
}

impl Keymap {
    /// Lets the rows of commands have these keys, for all that this thread shows.
    pub fn choose(self) {
        KEYMAP.set(self);
    }

    /// Returns the keys that were chosen for all that this thread shows.
    #[must_use]
    pub fn chosen() -> Self {
        KEYMAP.get()
    }

    /// Returns the key of a row.
    #[must_use]
    pub fn keys(self, row: &CommandRow) -> Option<Shortcut> {
        if self == Self::Blender {
            return row.shortcut;
        }
        match &row.command {
            Command::View(ViewCommand::SetPoseTool(PoseTool::Select)) => Some(plain('q')),
            Command::View(ViewCommand::SetPoseTool(PoseTool::Move)) => Some(plain('w')),
            Command::View(ViewCommand::SetPoseTool(PoseTool::Turn)) => Some(plain('e')),
            Command::View(ViewCommand::SetPoseTool(PoseTool::Scale)) => Some(plain('r')),
            Command::Window(WindowCommand::Grab(PoseTool::Turn)) => None,
            Command::View(ViewCommand::ToggleOverlay("weights")) => shift(Key::Char('w')),
            Command::View(ViewCommand::Toggle(Toggle::Wireframe)) => shift(Key::Char('e')),
            _ => row.shortcut,
        }
    }
}

impl CommandRow {
    /// Lets the row stand in a submenu of its menu.
    pub(crate) const fn in_submenu(mut self, submenu: Submenu) -> Self {
        self.submenu = Some(submenu);
        self
    }

    /// Lets a line stand before the row.
    pub(crate) const fn after_line(mut self) -> Self {
        self.starts_group = true;
        self
    }

    /// Returns the label as it is read outside of its menu: one that goes on the title of its submenu, such as *Of the file* below *Bounds*,
    /// comes after that title.
    #[must_use]
    pub fn name(&self) -> Cow<'static, str> {
        match (self.submenu, self.label.strip_prefix("Of ")) {
            (Some(submenu), Some(rest)) => format!("{} of {rest}", submenu.title()).into(),
            _ => self.label.into(),
        }
    }

    /// Returns the key that sends the command, in the keymap that was chosen.
    #[must_use]
    pub fn keys(&self) -> Option<Shortcut> {
        KEYMAP.get().keys(self)
    }
}

/// Returns the row of a command, if it has one.
#[must_use]
pub fn row_of(command: &Command) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.command == *command)
}

/// Returns the command of a key.
#[must_use]
pub fn command_of(shortcut: Shortcut) -> Option<&'static Command> {
    COMMANDS.iter().find(|row| row.keys() == Some(shortcut)).map(|row| &row.command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditCommand, ViewCommand};

    #[test]
    fn no_key_and_no_label_is_given_twice() {
        for (i, a) in COMMANDS.iter().enumerate() {
            for b in &COMMANDS[i + 1..] {
                for keymap in [Keymap::Blender, Keymap::Maya] {
                    let (of_a, of_b) = (keymap.keys(a), keymap.keys(b));
                    assert!(of_a.is_none() || of_a != of_b, "{} and {}", a.label, b.label);
                }
                assert!(a.label != b.label && a.command != b.command, "{}", a.label);
            }
        }
    }

    #[test]
    fn the_keys_of_the_manual() {
        assert_eq!(
            command_of(Shortcut { key: Key::Char('w'), ctrl: false, shift: false }),
            Some(&Command::View(ViewCommand::ToggleOverlay("weights")))
        );
        assert_eq!(
            command_of(Shortcut { key: Key::Char('z'), ctrl: true, shift: true }),
            Some(&Command::Edit(EditCommand::Redo))
        );
        assert_eq!(
            row_of(&Command::Edit(EditCommand::Redo)).and_then(|r| r.shortcut).map(|s| s.to_string()).as_deref(),
            Some("Ctrl+Shift+Z")
        );
    }
}
