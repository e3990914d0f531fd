//! What leaves the window as a file: a picture, the posed surface, a film; and how it is made.

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

impl ExportSettings {
    /// The largest side of a picture, pixels, supersampling included.
    pub const MOST_PIXELS: u32 = 8192;
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            size: [1280, 720],
            supersampling: 1,
            transparent: false,
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
