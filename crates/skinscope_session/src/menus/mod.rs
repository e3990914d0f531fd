//! The table of menus and keys: every command without a value of its own, once, with its label, help and key.

pub(crate) mod command_row;
pub(crate) mod edit_menu;
pub(crate) mod look_menu;
pub(crate) mod marks_menu;
pub(crate) mod paint_menu;
pub(crate) mod pose_menu;
pub(crate) mod shortcuts;
pub(crate) mod state;
pub(crate) mod toggles;
pub(crate) mod view_menu;

pub use self::shortcuts::{CommandRow, Key, Keymap, Menu, Shortcut, Submenu, command_of, row_of};
pub use self::state::{is_on, refusal};
pub use self::toggles::{RenderOption, TOGGLES, Toggle, ToggleRow};

use std::sync::LazyLock;

use skinscope_edit::Group;
use skinscope_examples::examples;
use skinscope_inspect::{OVERLAYS, Overlay};

use crate::menus::command_row::{key, plain, row, rows, shift};
use crate::{
    Command, FileCommand, LAYOUTS, Panel, PlaybackCommand, PoseSource, ToolCommand, ViewCommand, WindowCommand,
};

/// Every command without a value of its own; menus, tooltips, keys and the tables of the manual all come from here.
pub static COMMANDS: LazyLock<Vec<CommandRow>> = LazyLock::new(|| {
    let overlays = OVERLAYS.iter().map(|overlay: &&Overlay| {
        let command = Command::View(ViewCommand::ToggleOverlay(overlay.id));
        let row = row(Menu::Overlay, overlay.label, overlay.key.map(plain), command, overlay.help);
        // The menu has no room for them in a window of 720 points.
        match SUBMENUS.iter().find(|(_, ids)| ids.contains(&overlay.id)) {
            Some((submenu, _)) => row.in_submenu(*submenu),
            None => row,
        }
    });
    let tools = Group::ALL.into_iter().enumerate().flat_map(|(group, tools)| {
        tools.operations().into_iter().enumerate().map(move |(i, operation)| {
            let command = Command::Tool(ToolCommand::Choose(Some(operation.id)));
            let row = row(Menu::Tools, operation.tool, None, command, operation.help);
            let row = if group > 0 && i == 0 { row.after_line() } else { row };
            // Nor for these.
            if tools == Group::Bind { row.in_submenu(Submenu::Binding) } else { row }
        })
    });
    let toggles = |menu| TOGGLES.iter().filter(move |row| row.menu == menu).map(ToggleRow::command_row);
    let mut before = [edit_menu::ROWS, pose_menu::ROWS].concat();
    before.extend(toggles(Menu::View));
    before.extend_from_slice(view_menu::ROWS);
    before.extend(look_menu::rows());
    before.extend_from_slice(SHADED);
    let mut switches = toggles(Menu::Overlay);
    let first = switches.next().map(CommandRow::after_line);
    let after = first.into_iter().chain(switches).chain([PLAYBACK, HELP].concat());
    let examples = examples().map(|example| {
        let command = Command::File(FileCommand::OpenExample(example.id));
        row(Menu::File, example.title, None, command, example.question).in_submenu(Submenu::Examples)
    });
    // They stand beside the other model that comes with the program.
    let at = before.iter().position(|row| row.command == Command::File(FileCommand::Reload)).unwrap_or(0);
    before.splice(at..at, examples);
    // They come first in their submenu.
    let layouts = LAYOUTS.iter().map(|layout| {
        let command = Command::Window(WindowCommand::ChooseLayout(layout.name.to_owned()));
        row(Menu::View, layout.label, None, command, layout.help).in_submenu(Submenu::Layout)
    });
    let at = before.iter().position(|row| row.submenu == Some(Submenu::Layout)).unwrap_or(0);
    before.splice(at..at, layouts);
    let marks = marks_menu::ROWS.iter().cloned();
    before.into_iter().chain(overlays).chain(after).chain(tools).chain(marks).chain(paint_menu::rows()).collect()
});

/// The overlays that stand in a submenu: those about changes of weights, and those about layers of them.
const SUBMENUS: [(Submenu, &[&str]); 2] = [
    (Submenu::ChangeOverlays, &["changed", "changed-surface", "bake-left", "bake-left-largest"]),
    (Submenu::LayerOverlays, &["layer-mask", "layer-weights"]),
];

/// The row before the overlays, which shows none of them.
static SHADED: &[CommandRow] = rows! {
    Overlay "Shaded", shift(Key::Char('s')), View(ViewCommand::SetOverlay(None)):
        "Show the surface in its look, without an overlay";
};

/// The rows of the Playback menu.
static PLAYBACK: &[CommandRow] = rows! {
    Playback "Play or pause", key(Key::Space), Playback(PlaybackCommand::TogglePlay): "Play or pause the clip";
    Playback "Next frame", key(Key::Right), Playback(PlaybackCommand::StepFrames(1)): "One frame forward";
    Playback "Previous frame", key(Key::Left), Playback(PlaybackCommand::StepFrames(-1)): "One frame back";
    Playback "Next key", key(Key::Up), Playback(PlaybackCommand::NextKey): "To the next key of the selected joint";
    Playback "Previous key", key(Key::Down), Playback(PlaybackCommand::PreviousKey):
        "To the previous key of the selected joint";
    Playback "To start", shift(Key::Left), Playback(PlaybackCommand::ToStart), after_line: "To the start of the clip";
    Playback "To end", shift(Key::Right), Playback(PlaybackCommand::ToEnd): "To the end of the clip";
    Playback "Next clip", shift(Key::Down), Playback(PlaybackCommand::StepClip(1)), after_line:
        "Show the next clip of the file";
    Playback "Previous clip", shift(Key::Up), Playback(PlaybackCommand::StepClip(-1)):
        "Show the previous clip of the file";
    Playback "Rest pose", None, Playback(PlaybackCommand::SetPose(PoseSource::Rest)), after_line:
        "The node transforms stored in the file";
    Playback "Bind pose", None, Playback(PlaybackCommand::SetPose(PoseSource::Bind)):
        "The pose that the inverse bind matrices invert";
    Playback "Clip pose", None, Playback(PlaybackCommand::SetPose(PoseSource::Clip)): "The clip at the current time";
    Playback "In place", None, Playback(PlaybackCommand::ToggleInPlace):
        "Take out what carries the whole skeleton along the ground, so that it walks on the spot";
};

/// The rows of the Help menu.
static HELP: &[CommandRow] = rows! {
    Help "Keys as in Maya", None, Window(WindowCommand::ToggleMayaKeys):
        "W, E and R choose the tools that move, turn and scale, with Shift Weights and Wireframe; Alt and a drag with the left, middle or \
         right button turn, pan and zoom";
    Help "Keys", key(Key::F1), Window(WindowCommand::ShowShortcuts):
        "What every key does; with the pointer over something F1 says what that is";
    Help "Manual…", None, Window(WindowCommand::ShowManual(String::new())): "Read the pages of the manual";
    Help "First steps", None, Window(WindowCommand::ShowFirstSteps):
        "Five things to try on the built-in character: turn, scrub, weights, pose, check";
    Help "Statistics", key(Key::F12), Window(WindowCommand::TogglePanel(Panel::Statistics)), after_line:
        "Show or hide what frames cost: times, parts of the work, draw calls and uploads";
    Help "Log", shift(Key::F12), Window(WindowCommand::TogglePanel(Panel::Log)):
        "Show or hide the messages of this run";
    Help "Copy for a bug report", None, Window(WindowCommand::CopyBugReport):
        "Copy version, graphics device, figures of the model and settings, without any name or path";
    Help "About Skinscope", None, Window(WindowCommand::ShowAbout): "Version and licences";
};
