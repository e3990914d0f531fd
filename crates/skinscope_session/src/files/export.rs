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
    /// Whether a film shows the whole clip.
    pub plays: bool,
    /// Whether the model turns once about the vertical in a film.
    pub turns: bool,
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
            turns: false,
        }
    }
}
