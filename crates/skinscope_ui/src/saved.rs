//! The settings of the panels that are remembered from one run to the next.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Settings of the panels that are remembered from one run to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// Whether the theme is light.
    pub light: bool,
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
            maya_keys: false,
            large_text: false,
            outliner: true,
            inspector: true,
            timeline: true,
            tables: false,
            outliner_width: 256.0,
            inspector_width: 312.0,
            tables_height: 240.0,
            findings_height: 300.0,
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
