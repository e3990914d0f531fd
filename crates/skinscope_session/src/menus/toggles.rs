//! The switches of the view, a row each: what menus, keys, options of the command line and session files say of it. The history of the view
//! ([`crate::ViewHistory`]) covers all of them. What a switch does stands where [`crate::View::is_on`] asks for it.

use crate::menus::command_row::{key, plain, row, shift};
use crate::{Command, CommandRow, Key, Menu, Shortcut, Submenu, ViewCommand};

/// A row of [`TOGGLES`].
#[derive(Clone, Copy, Debug)]
pub struct ToggleRow {
    /// The switch.
    pub toggle: Toggle,
    /// Whether it is on until somebody switches it.
    pub starts_on: bool,
    /// Its word in session files; `None`: session files leave it out.
    pub word: Option<&'static str>,
    /// The option of `skinscope render` that switches it on, if there is one.
    pub option: Option<RenderOption>,
    /// Its entry in a menu.
    pub menu: Menu,
    /// The label in the menu.
    pub label: &'static str,
    /// The key, if there is one.
    pub shortcut: Option<Shortcut>,
    /// A sentence for tooltips and the list of keys.
    pub help: &'static str,
}

/// An option of `skinscope render` that switches a switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOption {
    /// The name, without dashes.
    pub name: &'static str,
    /// The sentence in the help.
    pub help: &'static str,
}

impl ToggleRow {
    /// Returns its row of [`crate::COMMANDS`].
    pub(crate) fn command_row(&self) -> CommandRow {
        let command = Command::View(ViewCommand::Toggle(self.toggle));
        let row = row(self.menu, self.label, self.shortcut, command, self.help);
        match self.toggle {
            Toggle::Normals | Toggle::Tangents => row.in_submenu(Submenu::Directions),
            Toggle::Trail | Toggle::Onion => row.in_submenu(Submenu::Motion),
            Toggle::FileBounds | Toggle::PoseBounds => row.in_submenu(Submenu::Bounds),
            _ => row,
        }
    }
}

macro_rules! toggles {
    ($($toggle:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        /// Layers over the surface that can be switched on and off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[expect(missing_docs, reason = "the rows of the table say what they are")]
        pub enum Toggle {
            $($toggle,)*
        }

        /// All switches, in the order of the menus.
        pub static TOGGLES: &[ToggleRow] = &[$(ToggleRow { toggle: Toggle::$toggle, $($field: $value,)* },)*];
    };
}

toggles! {
    Bones { starts_on: true, word: Some("bones"), menu: Menu::View, label: "Bones", shortcut: key(Key::Char('b')),
        option: Some(RenderOption { name: "skeleton", help: "Draw the skeleton over the surface (a file without a mesh shows it anyway)" }),
        help: "Draw the skeleton over the skin" }
    Axes { starts_on: false, word: Some("axes"), menu: Menu::View, label: "Joint axes", shortcut: key(Key::Char('a')),
        option: Some(RenderOption { name: "axes", help: "Draw the axes of the joints: X red, Y green, Z blue" }),
        help: "Draw the axes of the joints" }
    Names { starts_on: false, word: Some("names"), menu: Menu::View, label: "Joint names", shortcut: key(Key::Char('n')),
        option: Some(RenderOption { name: "names", help: "Write the names of the joints beside them, as many as have room" }),
        help: "Write the names of the joints" }
    Grid { starts_on: true, word: Some("grid"), menu: Menu::View, label: "Grid", shortcut: shift(Key::Char('g')),
        option: Some(RenderOption { name: "grid", help: "Draw the ground: its lines, and the floor with the shadow of the model" }),
        help: "Draw the ground" }
    Wireframe { starts_on: false, word: Some("wireframe"), menu: Menu::View, label: "Wireframe", shortcut: key(Key::Char('e')),
        option: Some(RenderOption { name: "wireframe", help: "Draw the edges of the triangles" }),
        help: "Draw the edges of the triangles" }
    Mesh { starts_on: true, word: Some("mesh"), menu: Menu::View, label: "Mesh", shortcut: key(Key::Char('m')), option: None,
        help: "Draw the surface" }
    WithChildren { starts_on: false, word: Some("with-children"), menu: Menu::Overlay, label: "With children", shortcut: key(Key::Char('c')),
        option: Some(RenderOption { name: "with-children", help: "Let the joint stand for all joints below it too" }),
        help: "Let the selected joint stand for all joints below it too" }
    InfluencedOnly { starts_on: false, word: Some("influenced-only"), menu: Menu::Overlay, label: "Influenced only", shortcut: key(Key::Char('o')),
        option: Some(RenderOption { name: "influenced-only", help: "Dim what the joint does not move" }),
        help: "Dim what the selected joint does not move" }
    SharedBlack { starts_on: false, word: Some("shared-black"), menu: Menu::Overlay, label: "Shared in black", shortcut: None,
        option: Some(RenderOption { name: "shared-black", help: "Colour each vertex by the joint that moves it most, and paint triangles black that several joints share by a tenth or more each, with --dominant" }),
        help: "Dominant joint: paint triangles black whose vertices several joints move, instead of mixing the colours" }
    // It is on while a key is pressed.
    Stored { starts_on: false, word: None, menu: Menu::Overlay, label: "Compare with stored", shortcut: key(Key::Char('y')), option: None,
        help: "Show the weights of the file, or of another file that is compared, in place of the edited ones; the key does so while it is held" }
    Vertices { starts_on: false, word: Some("vertices"), menu: Menu::Overlay, label: "Vertex dots", shortcut: Some(plain('v')),
        option: Some(RenderOption { name: "dots", help: "Draw the vertices as dots" }),
        help: "Draw vertices as dots" }
    Normals { starts_on: false, word: Some("normals"), menu: Menu::Overlay, label: "Normals", shortcut: None,
        option: Some(RenderOption { name: "show-normals", help: "Draw a line along the normal of each vertex that faces the camera, and a dot where it has length zero" }),
        help: "Draw a line along the normal of each vertex that faces the camera, and a dot where it has length zero" }
    Tangents { starts_on: false, word: Some("tangents"), menu: Menu::Overlay, label: "Tangents", shortcut: None,
        option: Some(RenderOption { name: "show-tangents", help: "Draw a line along the tangent of each vertex that faces the camera, computed by MikkTSpace where the file has none" }),
        help: "Draw a line along the tangent of each vertex that faces the camera, computed by MikkTSpace where the file has none" }
    Trail { starts_on: false, word: Some("trail"), menu: Menu::Overlay, label: "Motion trail", shortcut: None,
        option: Some(RenderOption { name: "show-trail", help: "Draw the path of the joint over the clip, with a dot at each of its keys" }),
        help: "Draw the path of the selected joint over the clip, with a dot at each of its keys" }
    // The option `--onion` says how many there are.
    Onion { starts_on: false, word: Some("onion-skins"), menu: Menu::Overlay, label: "Onion skins", shortcut: None, option: None,
        help: "Draw the surface at moments of the clip before the one that is shown, red, and after it, green; the caret in the timeline says which" }
    // The option `--bounds` says which.
    FileBounds { starts_on: false, word: Some("file-bounds"), menu: Menu::Overlay, label: "Of the file", shortcut: None, option: None,
        help: "Draw the box around the stored positions, as viewers take it that do not pose the model to see whether it is in the picture" }
    PoseBounds { starts_on: false, word: Some("pose-bounds"), menu: Menu::Overlay, label: "Of the pose", shortcut: None, option: None,
        help: "Draw the box around all vertices as they are posed now" }
    TrailingMeasures { starts_on: false, word: Some("trailing-measures"), menu: Menu::Playback, label: "Let measures trail", shortcut: None, option: None,
        help: "While a clip plays, draw a large model without waiting for its measures: colours and figures may be those of a moment ago" }
    Ground { starts_on: false, word: Some("ground"), menu: Menu::Look, label: "Floor and shadow", shortcut: None,
        option: Some(RenderOption { name: "ground", help: "Draw the floor with the shadow of the model, without lines" }),
        help: "Draw the floor with the shadow of the model, also where the grid is off" }
    // The option `--no-shadows` switches it off.
    Shadows { starts_on: true, word: Some("shadows"), menu: Menu::Look, label: "Soft shadows", shortcut: None, option: None,
        help: "Let the model shade itself and the floor: soft shadows of the key light, and less light in hollows" }
    EnvironmentBackground { starts_on: true, word: Some("environment-background"), menu: Menu::Look, label: "Environment behind the model", shortcut: None,
        option: Some(RenderOption { name: "environment-background", help: "Draw the environment behind the model, a little out of focus, with --look environment" }),
        help: "Draw the environment behind the model too, a little out of focus, in its look" }
}

/// Which switches are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Toggles(u32);

impl Default for Toggles {
    fn default() -> Self {
        let mut out = Self(0);
        TOGGLES.iter().for_each(|row| out.set(row.toggle, row.starts_on));
        out
    }
}

impl Toggles {
    pub fn is_on(self, toggle: Toggle) -> bool {
        self.0 & (1 << toggle as u32) != 0
    }

    pub fn set(&mut self, toggle: Toggle, on: bool) {
        let bit = 1 << toggle as u32;
        self.0 = if on { self.0 | bit } else { self.0 & !bit };
    }

    /// Returns these switches with those as in `to` that differ between `from` and `to`.
    pub(crate) fn with_change(self, from: Self, to: Self) -> Self {
        let changed = from.0 ^ to.0;
        Self(self.0 & !changed | to.0 & changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_switch_has_a_bit_and_words_of_its_own() {
        assert!(TOGGLES.len() <= 32);
        for (i, row) in TOGGLES.iter().enumerate() {
            assert_eq!(row.toggle as usize, i);
            for other in &TOGGLES[..i] {
                assert!(row.word.is_none() || row.word != other.word, "{}", row.label);
                assert!(
                    row.option.is_none() || row.option.map(|o| o.name) != other.option.map(|o| o.name),
                    "{}",
                    row.label
                );
            }
            let mut toggles = Toggles::default();
            assert_eq!(toggles.is_on(row.toggle), row.starts_on);
            toggles.set(row.toggle, !row.starts_on);
            assert_eq!(toggles.is_on(row.toggle), !row.starts_on);
            toggles.set(row.toggle, row.starts_on);
            assert_eq!(toggles, Toggles::default());
        }
    }
}
