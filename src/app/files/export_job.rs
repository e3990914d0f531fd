//! A picture, a posed mesh or a film of what the window shows, as far as it is made beside the pictures: on a device of its own, so
//! that the window goes on.

use std::path::Path;

use glam::Vec2;

use crate::app::pictures::{PicturePainter, PictureStyle};
use crate::export::film::Film;
use crate::export::picture::encode_png;
use crate::export::{MeshFormat, baked_primitives};
use crate::film::{self, FilmError, Reel, Target, record};
use crate::frame::{Camera, Frame, SceneColors};
use crate::math::Units;
use crate::output::{self, NewFile};
use crate::parallel::JobContext;
use crate::render::{Backend, Gpu, GpuError, Renderer, on_device};
use crate::session::{
    CameraCommand, ComparisonLayout, ExportKind, ExportSettings, PlaybackCommand, SelectionCommand, Session, Toggle,
};

/// What it takes to export something.
pub(crate) struct ExportJob {
    pub kind: ExportKind,
    /// What is shown, as it was when the export began.
    pub session: Session,
    pub settings: ExportSettings,
    /// Whether the theme is light.
    pub light: bool,
    /// The units of lengths in legends.
    pub units: Units,
    pub backend: Backend,
    pub texture_memory: Option<u64>,
}

/// The reason why nothing was exported.
#[derive(Debug)]
pub(crate) enum ExportFailure {
    Cancelled,
    Failed(String),
}

impl From<GpuError> for ExportFailure {
    fn from(error: GpuError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<FilmError> for ExportFailure {
    fn from(error: FilmError) -> Self {
        match error {
            FilmError::Cancelled => Self::Cancelled,
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Checks whether something can be exported into a file of this name.
///
/// # Errors
/// It cannot, and why.
pub(crate) fn check(kind: ExportKind, path: &Path, settings: &ExportSettings) -> Result<(), String> {
    match kind {
        ExportKind::Picture if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) => Ok(()),
        ExportKind::Picture => Err("Pictures are written as .png.".to_owned()),
        ExportKind::Mesh if MeshFormat::of(path).is_some() => Ok(()),
        ExportKind::Mesh => Err("Meshes are written as .glb, .obj, .ply or .stl.".to_owned()),
        ExportKind::Film => {
            let target = Target::of(path).ok_or_else(|| format!("{}.", capital(Target::endings())))?;
            film::check(&target, settings.size, settings.fps, settings.transparent).map_err(|error| error.to_string())
        }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl ExportJob {
    /// Makes the file.
    ///
    /// # Errors
    /// It cannot be made, or is no longer wanted.
    pub fn write(mut self, path: &Path, context: &JobContext) -> Result<(), ExportFailure> {
        self.units.choose();
        let failed = |reason: String| ExportFailure::Failed(format!("could not write {}: {reason}", path.display()));
        match self.kind {
            ExportKind::Picture => {
                let rgba = self.picture()?;
                let png = encode_png(self.settings.size, |take| {
                    take(&rgba);
                    Ok::<(), ExportFailure>(())
                })?;
                let png = png.map_err(|error| failed(error.to_string()))?;
                output::write(path, &png).map_err(|error| failed(error.to_string()))
            }
            ExportKind::Mesh => self.mesh(path).map_err(|error| failed(error.to_string())),
            ExportKind::Film => self.film(path, context),
        }
    }

    /// Draws the picture: RGBA, 8 bits each.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn picture(&mut self) -> Result<Vec<u8>, GpuError> {
        self.units.choose();
        self.stand_still();
        let open = || Ok(Gpu::headless(self.backend)?.with_texture_memory(self.texture_memory));
        on_device(None, open, |gpu, renderer| {
            let mut painter = PicturePainter::new(gpu, self.style());
            painter.draw(gpu, renderer, &mut self.frame(0.0, glam::Vec3::ZERO, true), &self.session)
        })
    }

    fn mesh(&self, path: &Path) -> std::io::Result<()> {
        let (Some(model), Some(format)) = (self.session.model(), MeshFormat::of(path)) else { return Ok(()) };
        let surface = self
            .session
            .surfaces()
            .surface()
            .map_or_else(Vec::new, |surface| baked_primitives(model, self.session.pose().shift, &surface));
        let mut out = NewFile::create(path)?;
        format.write(model, &surface, &mut out)?;
        out.commit()
    }

    fn film(&mut self, path: &Path, context: &JobContext) -> Result<(), ExportFailure> {
        self.stand_still();
        let Some(target) = Target::of(path) else { return Err(ExportFailure::Failed(Target::endings().to_owned())) };
        let reel = self.reel();
        if let Some(why) = reel.too_long() {
            return Err(ExportFailure::Failed(format!("{why}; choose fewer pictures a second, or a shorter clip.")));
        }
        let ExportSettings { size, transparent, .. } = self.settings;
        let film = Film { size, count: reel.count, fps: reel.fps, transparent };
        let bounds = self.session.extents().posed_bounds();
        let pivot = if bounds.is_empty() { glam::Vec3::ZERO } else { bounds.center() };
        let (backend, memory, style) = (self.backend, self.texture_memory, self.style());
        let open = || Ok(Gpu::headless(backend)?.with_texture_memory(memory));
        let written = on_device(None, open, |gpu: &Gpu, renderer: &mut Renderer| {
            let mut painter = PicturePainter::new(gpu, style);
            let mut draw = |picture| {
                if reel.plays {
                    self.session.apply(PlaybackCommand::Seek(reel.time_secs(picture)));
                    self.session.update_pose();
                }
                painter.draw(
                    gpu,
                    renderer,
                    &mut self.frame(reel.turned(picture), pivot, target.has_partial_alpha()),
                    &self.session,
                )
            };
            let mut go_on = |picture: u32| {
                if context.set_fraction(picture as f32 / reel.count as f32) {
                    context.wake();
                }
                !context.is_cancelled()
            };
            record(&target, &film, reel.first, &mut draw, &mut go_on)
        })?;
        Ok(written?)
    }

    /// Returns the pictures of the film.
    fn reel(&self) -> Reel {
        let ExportSettings { fps, plays, frames, turns, degrees, length_secs, .. } = self.settings;
        let turn = turns.then_some(degrees);
        match frames.filter(|_| plays) {
            Some([first, last]) => {
                Reel { first, count: last.saturating_sub(first).saturating_add(1), fps, plays, turn }
            }
            None if plays => {
                let duration = self.session.model().map_or(0.0, |model| self.session.playback().duration_secs(model));
                Reel::of_clip(duration, fps, turn)
            }
            None => Reel::of_turn(degrees, fps, length_secs),
        }
    }

    fn style(&self) -> PictureStyle {
        let ExportSettings { size, supersampling, legend, page, .. } = self.settings;
        let view = self.session.view();
        let legend = legend && view.overlay.is_some();
        let (sides, names) = (self.session.deforming().comparison().is_some(), view.is_on(Toggle::Names));
        let words = self.session.lesson().is_some();
        let (models, light, page) = (self.session.beside().is_some(), self.light, page && words);
        PictureStyle { size, supersampling, legend, sides, models, names, words, page, light }
    }

    /// From now on only the film moves, and the viewport is that of the pictures.
    fn stand_still(&mut self) {
        self.session.apply(PlaybackCommand::SetPlaying(false));
        // Where the pointer is has nothing to do with it.
        self.session.apply(SelectionCommand::Hover(None));
        let halves = self.session.deforming().comparison().is_some_and(|c| c.layout == ComparisonLayout::SideBySide);
        let [width, height] = self.style().picture_size().map(|side| side as f32);
        let viewport = Vec2::new(if halves { 0.5 * width } else { width }, height);
        self.session.apply(CameraCommand::SetViewport(viewport));
        self.session.update_pose();
    }

    /// Returns the frame of what is shown, of a model that has turned by `radians` about the vertical through `pivot`.
    /// `has_partial_alpha`: whether pixels may be partly transparent.
    fn frame(&self, radians: f32, pivot: glam::Vec3, has_partial_alpha: bool) -> Frame {
        let colors = if self.light { SceneColors::LIGHT } else { SceneColors::DARK };
        let mut frame = Frame::default();
        self.session.build_frame(&mut frame, &colors);
        let world_from_view = film::turned(frame.camera.world_from_view, pivot, radians);
        frame.set_camera(Camera { world_from_view, ..frame.camera });
        if self.settings.transparent {
            frame.make_transparent(has_partial_alpha);
        }
        if let Some(other) = frame.compared.as_deref_mut() {
            let display = &mut other.frame.display;
            (display.background, display.grid) = (frame.display.background, frame.display.grid);
            other.frame.camera = frame.camera;
            frame.add_divider_for(self.style().picture_size());
        }
        frame
    }
}

/// Returns the beginning of a name for what is exported, and the usual ending.
pub(crate) fn usual_name(kind: ExportKind, session: &Session) -> (String, &'static str) {
    let model = session.document().map_or("character", |document| document.model.source.name.as_str());
    let stem =
        Path::new(model).file_stem().map_or_else(|| model.to_owned(), |stem| stem.to_string_lossy().into_owned());
    match kind {
        ExportKind::Picture => (stem, ".png"),
        ExportKind::Mesh => (format!("{stem}-posed"), ".glb"),
        ExportKind::Film => (stem, ".webp"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::import::{Options, Progress};
    use crate::session::{Source, ViewCommand};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_export_{}_{name}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn job(kind: ExportKind, settings: ExportSettings) -> ExportJob {
        let mut session = Session::default();
        session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
        session.apply(ViewCommand::ToggleOverlay("weights"));
        session.update_pose();
        ExportJob {
            kind,
            session,
            settings,
            light: true,
            units: Units::Metric,
            backend: Backend::Auto,
            texture_memory: None,
        }
    }

    #[test]
    fn files_are_made_of_what_is_shown_and_a_film_that_is_cancelled_leaves_nothing() {
        let folder = folder("files");
        let context = JobContext::of_waiting();
        let mesh = folder.join("a.ply");
        job(ExportKind::Mesh, ExportSettings::default()).write(&mesh, &context).unwrap();
        assert!(fs::read(&mesh).unwrap().starts_with(b"ply"));
        if Gpu::headless(Backend::Auto).is_err() {
            return;
        }
        let settings =
            ExportSettings { size: [90, 120], transparent: true, supersampling: 2, ..ExportSettings::default() };
        let picture = folder.join("a.png");
        job(ExportKind::Picture, settings.clone()).write(&picture, &context).unwrap();
        let read = image::open(&picture).unwrap().into_rgba8();
        assert_eq!(read.dimensions(), (90, 120));
        let alphas: std::collections::BTreeSet<u8> = read.pixels().map(|p| p[3]).collect();
        assert!(alphas.contains(&0) && alphas.contains(&255) && alphas.len() > 6, "{alphas:?}");
        // The legend lies in the lower left corner, on a plate.
        assert!(read.get_pixel(10, 112)[3] > 0);
        let film = folder.join("a.gif");
        let settings = ExportSettings { supersampling: 1, plays: false, turns: true, fps: 1.0, ..settings };
        job(ExportKind::Film, settings.clone()).write(&film, &context).unwrap();
        assert!(fs::read(&film).unwrap().starts_with(b"GIF89a"));
        context.cancel_flag().store(true, Ordering::Relaxed);
        let other = folder.join("b.gif");
        let ended = job(ExportKind::Film, settings).write(&other, &context);
        assert!(matches!(ended, Err(ExportFailure::Cancelled)), "{ended:?}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn pictures_of_a_part_of_a_clip_have_its_numbers_and_moments_and_replace_nothing_that_is_read() {
        if Gpu::headless(Backend::Auto).is_err() {
            return;
        }
        let folder = folder("numbers");
        let part = ExportSettings { size: [40, 60], fps: 2.0, frames: Some([1, 2]), ..ExportSettings::default() };
        job(ExportKind::Film, part.clone()).write(&folder.join("%02d.png"), &JobContext::of_waiting()).unwrap();
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["01.png", "02.png"]);
        // Each shows the pose at its moment: that of picture 2 is another than that of picture 1.
        let read = |name: &str| image::open(folder.join(name)).unwrap().into_rgba8();
        assert_ne!(read("01.png"), read("02.png"));
        let alone = ExportSettings { frames: Some([2, 2]), ..part };
        job(ExportKind::Film, alone).write(&folder.join("b%d.png"), &JobContext::of_waiting()).unwrap();
        assert_eq!(read("b2.png"), read("02.png"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_film_has_the_pictures_that_the_command_line_would_draw() {
        let reel = |settings: ExportSettings| job(ExportKind::Film, settings).reel();
        let usual = ExportSettings { fps: 10.0, degrees: -90.0, length_secs: 2.0, ..ExportSettings::default() };
        let part = reel(ExportSettings { frames: Some([3, 7]), turns: true, ..usual.clone() });
        assert_eq!(part, Reel { first: 3, count: 5, fps: 10.0, plays: true, turn: Some(-90.0) });
        assert!(reel(usual.clone()).plays && reel(usual.clone()).first == 0 && reel(usual.clone()).turn.is_none());
        let turn = reel(ExportSettings { plays: false, turns: true, frames: Some([3, 7]), ..usual });
        assert_eq!(turn, Reel { first: 0, count: 20, fps: 10.0, plays: false, turn: Some(-90.0) });
    }

    #[test]
    fn names_say_what_can_be_exported() {
        let fits = |kind, name: &str| check(kind, Path::new(name), &ExportSettings::default());
        assert!(fits(ExportKind::Picture, "a.PNG").is_ok() && fits(ExportKind::Mesh, "a.obj").is_ok());
        assert!(fits(ExportKind::Film, "a.webp").is_ok() && fits(ExportKind::Film, "f/%03d.png").is_ok());
        assert!(fits(ExportKind::Picture, "a.jpg").unwrap_err().contains(".png"));
        assert!(fits(ExportKind::Film, "a.png").unwrap_err().starts_with("Films are written as .gif"));
        assert!(fits(ExportKind::Mesh, "a").unwrap_err().contains(".stl"));
    }
}
