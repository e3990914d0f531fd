//! What the window is opened with, and why it may not open.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use winit::error::EventLoopError;

use super::Benchmark;
use super::settings::Settings;
use crate::deform::{PaletteBuffer, PaletteRows};
use crate::frame::look;
use crate::import::{self, ImportError};
use crate::inspect::overlay;
use crate::pose::{NameMap, PoseFile};
use crate::render::{Backend, GpuError};
use crate::session::{Antialiasing, EnvironmentCommand, Source};

/// Options of `skinscope view`.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file to open first.
    pub source: Source,
    /// Whether no file was named, so that the preferences say what is opened.
    pub is_default_source: bool,
    /// Whether nothing is opened, as the preferences may say.
    pub opens_nothing: bool,
    /// Whether the first steps are offered, where they were not seen yet.
    pub offers_first_steps: bool,
    /// A session file to open first, in place of `source`.
    pub session: Option<PathBuf>,
    /// The limits, and whether models may refer to files outside their folder.
    pub import: import::Options,
    /// How often edits that are in no file are written down for the case of a crash; `None`: never.
    pub autosave: Option<Duration>,
    /// Whether the open file is read again once it has changed; `None`: as the menu was left.
    pub watch: Option<bool>,
    /// The benchmark to run before the program ends; `None`: none.
    pub benchmark: Option<Benchmark>,
    /// The inner size of the window, pixels; `None`: as it was left.
    pub size: Option<[u32; 2]>,
    /// The graphics interface.
    pub backend: Backend,
    /// The bytes for textures; `None`: as is usual for the adapter.
    pub texture_memory: Option<u64>,
    /// The kind of buffer that shaders read the palette from.
    pub palette_buffer: PaletteBuffer,
    /// How many rows each matrix of the palette has.
    pub palette_rows: PaletteRows,
    /// The method that deforms vertices, by [`crate::deform::Method::id`].
    pub method: Option<&'static str>,
    /// The pass after it.
    pub pass: Option<&'static str>,
    /// Where normals come from.
    pub normals: Option<&'static str>,
    /// Values of parameters of methods and passes.
    pub parameters: Vec<(&'static str, f32)>,
    /// The overlay that colours the surface, by [`crate::inspect::Overlay::id`].
    pub overlay: Option<&'static str>,
    /// The look of surfaces that no overlay colours, by [`crate::frame::Look::id`].
    pub look: Option<&'static str>,
    /// The tone map, by [`crate::frame::ToneMap::id`].
    pub tone_map: Option<&'static str>,
    /// What is said of the environment.
    pub environment: Vec<EnvironmentCommand>,
    /// Whether the panel *Deformation* is shown.
    pub deformation: bool,
    /// The layout of the panels, by its name.
    pub layout: Option<String>,
    /// Whether the picture and the page of an example fill the screen.
    pub present: bool,
    /// The file whose clips are played on the first one.
    pub clips_from: Option<PathBuf>,
    /// Which joints of that file are which of the first one.
    pub map: NameMap,
    /// The file that the first one is compared with.
    pub compare_file: Option<PathBuf>,
    /// The file that is opened beside the first one.
    pub beside: Option<PathBuf>,
    /// Whether to divide the weights of the first file by their sums.
    pub normalise_weights: bool,
    /// The pose in which the first file is shown.
    pub pose: Option<PoseFile>,
    /// How many copies of the model are shown.
    pub crowd: u32,
    /// Whether edges are smoothed.
    pub antialiasing: Antialiasing,
    /// Sliders of the session file with the values that they are given.
    pub sliders: Vec<(String, f32)>,
    /// The file to list the controls in, which does not exist yet.
    pub controls: Option<PathBuf>,
    /// The file to record all commands in, which does not exist yet.
    pub record: Option<PathBuf>,
    /// The file to write what each frame costs into, which does not exist yet.
    pub trace: Option<PathBuf>,
    /// The time at which the process started.
    pub started: Instant,
}

impl Options {
    /// Takes from the preferences what the command line leaves open. Benchmarks and recordings begin with the same for everybody, and a session
    /// file has a view of its own.
    pub(super) fn prefer(&mut self, settings: &Settings) {
        if self.session.is_some() || self.record.is_some() || self.benchmark.is_some() {
            return;
        }
        if self.is_default_source {
            let first = settings.first_source();
            self.opens_nothing = first.is_none();
            // Programs that drive the window find what they expect.
            self.offers_first_steps = first == Some(Source::BuiltIn) && self.controls.is_none();
            self.source = first.unwrap_or(Source::BuiltIn);
        }
        if !matches!(self.source, Source::Example(_) | Source::Page(_)) {
            self.look = self.look.or_else(|| look(&settings.ui.look).map(|look| look.id));
            self.overlay = self.overlay.or_else(|| overlay(&settings.ui.overlay).map(|overlay| overlay.id));
        }
    }
}

/// The reason why the window could not be opened, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no display.
    #[error(
        "no window could be opened: {0}. Is a display connected (DISPLAY or WAYLAND_DISPLAY)? `skinscope render MODEL -o picture.png` works without one"
    )]
    NoDisplay(String),
    /// There is no GPU.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The model of a benchmark did not load.
    #[error("{file}: {error}")]
    Import {
        /// The name of the file.
        file: String,
        /// The reason.
        error: ImportError,
    },
    /// The file that commands are recorded in, or what frames cost, could not be made.
    #[error("could not write {path}: {error}")]
    Record {
        /// The file.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// The crowd of a benchmark cannot be shown.
    #[error("{0}")]
    Crowd(String),
}

impl AppError {
    /// There is no display, as the window system says it.
    pub(super) fn no_display(error: EventLoopError) -> Self {
        Self::NoDisplay(reason(&error.to_string()))
    }
}

/// Returns the window system's own words, without the line of its sources that they come from.
fn reason(text: &str) -> String {
    let words = text.rsplit_once(".rs:").and_then(|(_, rest)| rest.split_once(": ")).map_or(text, |(_, words)| words);
    words.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn reasons_are_for_people() {
        let said = "os error at /home/me/winit/src/linux/mod.rs:788: Failed to open connection to X server.";
        assert_eq!(super::reason(said), "Failed to open connection to X server");
        assert_eq!(super::reason("no luck"), "no luck");
    }
}
