//! What leaves the window as a file: a picture, the posed surface, a film; and how it is made.

use crate::{Toggle, View, ViewCommand};

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ExportKind {
    /// The picture that is shown.
    Picture,
    /// The surface in the pose that is shown.
    Mesh,
    /// The clip, or a turn of the model, as a film.
    Film,
}

/// How pictures and films are made.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ExportSettings {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// How many samples of a pixel are drawn along each side, 1…4.
    pub supersampling: u32,
    /// Whether the background is left out.
    pub transparent: bool,
    /// The colour behind the model, where it is not left out: sRGB; `None`: as the window shows it.
    #[serde(default)]
    pub background: Option<[u8; 3]>,
    /// What is drawn beside the model; `None`: as the window shows it.
    #[serde(default)]
    pub layers: Option<PictureLayers>,
    /// Whether the legend is painted over it.
    pub legend: bool,
    /// Whether the page of an example stands beside it.
    #[serde(default)]
    pub page: bool,
    /// Pictures a second of a film.
    pub fps: f32,
    /// Whether a film shows the clip.
    pub plays: bool,
    /// The first and the last picture of the clip that it shows, as `--frames` counts them; `None`: those of the whole clip.
    #[serde(default)]
    pub frames: Option<[u32; 2]>,
    /// Whether the model turns about the vertical in a film.
    pub turns: bool,
    /// How far it turns in all pictures together, degrees, counterclockwise as seen from above.
    #[serde(default = "full_turn")]
    pub degrees: f32,
    /// How long a turn takes in which the clip does not play, seconds.
    #[serde(default = "turn_secs")]
    pub length_secs: f32,
    /// Whether a mesh has the normals of its triangles where the file has no normals.
    #[serde(default)]
    pub flat_normals: bool,
}

fn full_turn() -> f32 {
    360.0
}

fn turn_secs() -> f32 {
    4.0
}

/// What is drawn beside the model in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PictureLayers {
    /// The lines of the ground, and the floor with the shadow.
    pub grid: bool,
    /// The skeleton.
    pub bones: bool,
    /// The axes of the joints.
    pub axes: bool,
    /// The names of the joints.
    pub names: bool,
    /// All else: edges of triangles, dots, lines of normals and tangents, bounds, trail and onion skins.
    pub others: bool,
}

impl PictureLayers {
    /// Each layer with the switches of the view that belong to it.
    fn switches(self) -> [(bool, &'static [Toggle]); 5] {
        const OTHERS: &[Toggle] = &[
            Toggle::Wireframe,
            Toggle::Vertices,
            Toggle::Normals,
            Toggle::Tangents,
            Toggle::Trail,
            Toggle::Onion,
            Toggle::FileBounds,
            Toggle::PoseBounds,
        ];
        [
            (self.grid, &[Toggle::Grid, Toggle::Ground]),
            (self.bones, &[Toggle::Bones]),
            (self.axes, &[Toggle::Axes]),
            (self.names, &[Toggle::Names]),
            (self.others, OTHERS),
        ]
    }

    /// Returns the layers that a view shows.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let is_on = Self::default().switches().map(|(_, toggles)| toggles.iter().any(|toggle| view.is_on(*toggle)));
        let [grid, bones, axes, names, others] = is_on;
        Self { grid, bones, axes, names, others }
    }

    /// Returns the commands that let a view show these layers and no others. One that it shows already stays as it is.
    #[must_use]
    pub fn commands(self, view: &View) -> Vec<ViewCommand> {
        let mut out = Vec::new();
        for (is_wanted, toggles) in self.switches() {
            let is_shown = toggles.iter().any(|toggle| view.is_on(*toggle));
            match (is_wanted, is_shown) {
                (true, false) => out.push(ViewCommand::Set(toggles[0], true)),
                (false, true) => out.extend(toggles.iter().map(|toggle| ViewCommand::Set(*toggle, false))),
                _ => {}
            }
        }
        out
    }
}

impl ExportSettings {
    /// The largest side of a picture, pixels, supersampling included.
    pub const MOST_PIXELS: u32 = 8192;
    /// Sizes that have names.
    pub const SIZES: [(&'static str, [u32; 2]); 2] = [("1080p", [1920, 1080]), ("4K", [3840, 2160])];
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            size: [1280, 720],
            supersampling: 1,
            transparent: false,
            background: None,
            layers: None,
            legend: true,
            page: false,
            fps: 30.0,
            plays: true,
            frames: None,
            turns: false,
            degrees: full_turn(),
            length_secs: turn_secs(),
            flat_normals: false,
        }
    }
}
