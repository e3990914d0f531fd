//! The environment of the look of that name: which file it is of, how it is turned and how bright it is.
//!
//! The view knows the file by its path. Its picture is read once, as work of the session, and kept beside the view, so that
//! undoing a step reads nothing again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skinscope_frame::{ENVIRONMENT, EnvironmentSettings, look};
use skinscope_import::{ImportError, read_environment};
use skinscope_model::Environment;

use crate::{Session, Toggle, View};

/// Which environment is shown in its look, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnvironmentView {
    /// The file, by its absolute path; `None`: the program's own room.
    pub file: Option<PathBuf>,
    /// The angle by which it is turned about +Y, degrees, −180…180.
    pub rotation: f32,
    /// Its brightness in stops, each of which doubles it: within [`EnvironmentView::EXPOSURES`].
    pub exposure: f32,
}

impl EnvironmentView {
    /// The least and the greatest exposure.
    pub const EXPOSURES: [f32; 2] = [-8.0, 8.0];

    /// Sets the angle; one beyond half a turn is that of the same direction, and what is no number changes nothing.
    pub(crate) fn turn(&mut self, degrees: f32) {
        if degrees.is_finite() {
            self.rotation = if degrees.abs() > 180.0 { degrees - 360.0 * (degrees / 360.0).round() } else { degrees };
        }
    }

    /// Sets the exposure within its range; what is no number changes nothing.
    pub(crate) fn expose(&mut self, stops: f32) {
        if stops.is_finite() {
            let [least, most] = Self::EXPOSURES;
            self.exposure = stops.clamp(least, most);
        }
    }
}

/// Commands about the environment.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum EnvironmentCommand {
    /// Light the model by the picture in this file, in the look of that name; `None`: by the program's own room. The file is read
    /// again where it was read before.
    Show(Option<PathBuf>),
    /// Turn it to this angle about +Y, degrees.
    Turn(f32),
    /// Set its brightness in stops.
    Expose(f32),
}

/// How many pictures are kept, so that going back to one needs no reading.
const MOST_READ: usize = 2;

/// The pictures that were read, those used last at the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environments {
    read: Vec<(PathBuf, Result<Arc<Environment>, String>)>,
    /// Why the last one could not be read, until somebody is told.
    error: Option<String>,
}

impl Environments {
    fn get(&self, path: &Path) -> Option<&Result<Arc<Environment>, String>> {
        self.read.iter().find(|(of, _)| of == path).map(|(_, read)| read)
    }

    fn forget(&mut self, path: &Path) {
        self.read.retain(|(of, _)| of != path);
    }

    /// Returns the file that is to be read: that of the view, in its look, unless it was read.
    pub(crate) fn wanted(&self, view: &View) -> Option<PathBuf> {
        let path = view.environment.file.as_ref().filter(|_| view.shows_environment())?;
        self.get(path).is_none().then(|| path.clone())
    }

    /// A file was read, or not: then the program's own room stands in for it, and the view goes on to name the file.
    pub(crate) fn take(&mut self, path: PathBuf, read: Result<Arc<Environment>, String>) {
        self.forget(&path);
        if self.read.len() >= MOST_READ {
            self.read.drain(..1);
        }
        if let Err(error) = &read {
            self.error = Some(error.clone());
        }
        self.read.push((path, read));
    }

    /// Reads what the view shows, where the session does its work at once.
    pub(crate) fn follow(&mut self, view: &View, defers_work: bool) {
        if !defers_work
            && let Some(path) = self.wanted(view)
            && let Some(read) = read(&path, &AtomicBool::new(false))
        {
            self.take(path, read);
        }
    }
}

impl View {
    /// Returns how the environment is shown.
    pub(crate) fn environment_settings(&self) -> EnvironmentSettings {
        EnvironmentSettings {
            rotation: self.environment.rotation.to_radians(),
            exposure: self.environment.exposure,
            is_background: self.is_on(Toggle::EnvironmentBackground),
        }
    }

    /// Returns whether its environment lights the surface.
    fn shows_environment(&self) -> bool {
        self.look.is_environment()
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(environments: &mut Environments, view: &mut View, command: EnvironmentCommand) {
    match command {
        EnvironmentCommand::Show(file) => {
            let file = file.map(|path| std::path::absolute(&path).unwrap_or(path));
            file.iter().for_each(|path| environments.forget(path));
            view.environment.file = file;
            (view.look, view.overlay) = (look(ENVIRONMENT).unwrap_or(view.look), None);
        }
        EnvironmentCommand::Turn(degrees) => view.environment.turn(degrees),
        EnvironmentCommand::Expose(stops) => view.environment.expose(stops),
    }
}

/// Reads a file, on any thread. `None`: the work was cancelled.
pub(crate) fn read(path: &Path, cancel: &AtomicBool) -> Option<Result<Arc<Environment>, String>> {
    match read_environment(path, cancel) {
        Err(ImportError::Cancelled) => None,
        read => Some(read.map(Arc::new).map_err(|error| error.to_string())),
    }
}

impl Session {
    /// Returns the environment of a file, which lights the model in the look of that name; `None`: the program's own room does,
    /// also until the file was read.
    pub(crate) fn environment(&self) -> Option<Arc<Environment>> {
        let path = self.view.environment.file.as_ref().filter(|_| self.view.shows_environment())?;
        self.environments.get(path)?.as_ref().ok().cloned()
    }

    /// Takes the sentence that says why the last environment could not be read.
    pub fn take_environment_error(&mut self) -> Option<String> {
        self.environments.error.take()
    }
}
