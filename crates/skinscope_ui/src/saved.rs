//! The settings of the panels that are remembered from one run to the next.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skinscope_base::math::Units;

use super::docking::arrangement::{Arrangement, NamedLayout};

/// The mouse buttons that turn and move the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseHabit {
    /// The left one turns; the others, or Shift with it, move.
    #[default]
    Skinscope,
    /// The middle one turns, moves with Shift and zooms with Ctrl; the left one turns too.
    Blender,
    /// With Alt the left one turns, the middle one moves and the right one zooms; without Alt the left one turns too.
    Maya,
}

/// What a start without a file shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtStart {
    /// The character that comes with the program.
    #[default]
    BuiltIn,
    /// The file that was opened last.
    Last,
    /// Nothing: the files that were opened last can be chosen.
    Nothing,
}

/// The width of the outliner that nobody has chosen, points: it is wider in a wide window.
pub(super) const OUTLINER_WIDTH: f32 = 256.0;
/// The height of the tables that nobody has chosen, points: they are lower in a low window.
pub(super) const TABLES_HEIGHT: f32 = 240.0;

/// The height of the findings that nobody has chosen, points: they are lower in a low window.
pub(super) const FINDINGS_HEIGHT: f32 = 300.0;

/// Settings of the panels that are remembered from one run to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// Whether the theme is light, where it is not that of the system.
    pub light: bool,
    /// Whether the theme is that of the system, which is dark where it says none.
    pub system_theme: bool,
    /// How large text and controls are, per cent of the usual.
    pub scale: u32,
    /// The mouse buttons that move the camera.
    pub mouse: MouseHabit,
    /// What a start without a file shows.
    pub at_start: AtStart,
    /// The overlay that the window opens with, by its id; empty: none.
    pub overlay: String,
    /// The look that the window opens with, by its id; empty: the usual one.
    pub look: String,
    /// The units of lengths.
    pub units: Units,
    /// Whether tools have the keys of Maya in place of those of Blender.
    pub maya_keys: bool,
    /// Whether the pages of examples are written large, for a projector.
    pub large_text: bool,
    /// Whether the outliner is shown.
    pub outliner: bool,
    /// Whether the inspector is shown.
    pub inspector: bool,
    /// Whether the timeline is shown.
    pub timeline: bool,
    /// Whether the tables are shown.
    pub tables: bool,
    /// How the panels are arranged.
    pub layout: Arrangement,
    /// The name of the layout that was chosen last; empty: none.
    pub layout_name: String,
    /// Whether the layout was chosen without a window, so that the next one opens its panels.
    pub layout_opens: bool,
    /// The layouts that the user has saved.
    pub layouts: Vec<NamedLayout>,
    /// Whether the first steps were shown.
    pub tour_seen: bool,
    /// Whether what frames cost is shown.
    pub statistics: bool,
    /// Whether the messages of the run are shown.
    pub log: bool,
    /// The width of the outliner, points.
    pub outliner_width: f32,
    /// The width of the inspector, points.
    pub inspector_width: f32,
    /// The height of the tables, points.
    pub tables_height: f32,
    /// The height of the findings, points.
    pub findings_height: f32,
    /// The colours of weights, by [`skinscope_base::math::Ramp::id`]; empty: the default.
    pub ramp: String,
    /// Whether weights are shown in viridis; older versions wrote this instead of `ramp`. It is only read.
    #[serde(skip_serializing)]
    pub viridis: bool,
    /// Whether the legend shows its head alone.
    pub legend_folded: bool,
    /// Whether the open file is read again once it has changed.
    pub watch: bool,
    /// The files that were opened last, the last one first.
    pub recent: Vec<PathBuf>,
    /// The folder of the last file, for the next file dialog.
    pub last_folder: Option<PathBuf>,
    /// The folder of the library of poses; `None`: that of the open model.
    pub pose_folder: Option<PathBuf>,
    /// Whether world, inverse bind and skinning matrix are unfolded in the inspector.
    pub matrices: [bool; 3],
}

impl Default for Saved {
    fn default() -> Self {
        Self {
            light: false,
            system_theme: false,
            scale: 100,
            mouse: MouseHabit::default(),
            at_start: AtStart::default(),
            overlay: String::new(),
            look: String::new(),
            units: Units::default(),
            maya_keys: false,
            large_text: false,
            outliner: true,
            inspector: true,
            timeline: true,
            tables: false,
            layout: Arrangement::default(),
            layout_name: String::new(),
            layout_opens: false,
            layouts: Vec::new(),
            tour_seen: false,
            statistics: false,
            log: false,
            outliner_width: OUTLINER_WIDTH,
            inspector_width: 312.0,
            tables_height: TABLES_HEIGHT,
            findings_height: FINDINGS_HEIGHT,
            ramp: String::new(),
            viridis: false,
            legend_folded: false,
            watch: true,
            recent: Vec::new(),
            last_folder: None,
            pose_folder: None,
            matrices: [false, false, true],
        }
    }
}
