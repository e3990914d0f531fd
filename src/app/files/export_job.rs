//! A picture, a posed mesh or a film of what the window shows, as far as it is made beside the pictures: on a device of its own, so
//! that the window goes on.

use std::path::Path;

use glam::{Vec2, Vec3};

use crate::app::pictures::{PicturePainter, PictureStyle};
use crate::app::ui::film_reel;
use crate::export::film::Film;
use crate::export::picture::encode_png;
use crate::export::{MeshFormat, MissingNormals, baked_primitives};
use crate::film::{self, FilmError, Reel, Target, record};
use crate::frame::{Background, Camera, Frame, SceneColors};
use crate::math::Units;
use crate::output::{self, NewFile};
use crate::parallel::JobContext;
use crate::render::{Backend, Gpu, GpuError, Renderer, on_device};
use crate::session::{
    CameraCommand, ComparisonLayout, ExportKind, ExportSettings, PlaybackCommand, SelectionCommand, Session, Toggle,
};
use crate::words::sentence_case;

/// What it takes to export something.
pub(crate) struct ExportJob {
    pub kind: ExportKind,
    /// What is shown, as it was when the export began.
    pub session: Session,
    pub settings: ExportSettings,
    /// Whether the theme is light.
    pub light: bool,
    /// How many pixels a point of letters has in the picture; `None`: as many as are usual for its size.
    pub letters: Option<f32>,
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
            let target = Target::of(path).ok_or_else(|| format!("{}.", sentence_case(Target::endings())))?;
            film::check(&target, settings.size, settings.fps, settings.transparent).map_err(|error| error.to_string())
        }
    }
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
            painter.draw(gpu, renderer, &mut self.frame(0.0, Vec3::ZERO, true), &self.session)
        })
    }

    fn mesh(&self, path: &Path) -> std::io::Result<()> {
        let (Some(model), Some(format)) = (self.session.model(), MeshFormat::of(path)) else { return Ok(()) };
        let surface = self
            .session
            .surfaces()
            .surface()
            .map_or_else(Vec::new, |surface| baked_primitives(model, self.session.pose().shift, &surface));
        let missing = if self.settings.flat_normals { MissingNormals::Flat } else { MissingNormals::None };
        let mut out = NewFile::create(path)?;
        format.write(model, &missing.apply(surface), &mut out)?;
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
        let pivot = self.pivot();
        let (backend, memory, style) = (self.backend, self.texture_memory, self.style());
        let open = || Ok(Gpu::headless(backend)?.with_texture_memory(memory));
        let written = on_device(None, open, |gpu: &Gpu, renderer: &mut Renderer| {
            let mut painter = PicturePainter::new(gpu, style);
            let mut draw = |picture| {
                if reel.plays {
                    self.session.apply(PlaybackCommand::Seek(reel.time_secs(picture)));
                    self.session.update_pose();
                }
                let mut frame = self.film_frame(&target, &reel, picture, pivot);
                painter.draw(gpu, renderer, &mut frame, &self.session)
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

    /// The point about which the model turns, world space, metres.
    fn pivot(&self) -> Vec3 {
        let bounds = self.session.extents().posed_bounds();
        if bounds.is_empty() { Vec3::ZERO } else { bounds.center() }
    }

    /// Returns the frame of a picture of the film, by its index from 0 on, of the pose that the session shows.
    fn film_frame(&self, target: &Target, reel: &Reel, picture: u32, pivot: Vec3) -> Frame {
        self.frame(reel.turned(picture), pivot, target.has_partial_alpha())
    }

    /// Returns the pictures of the film.
    fn reel(&self) -> Reel {
        film_reel(&self.session, &self.settings)
    }

    fn style(&self) -> PictureStyle {
        let ExportSettings { size, supersampling, legend, page, .. } = self.settings;
        let view = self.session.view();
        let legend = legend && view.overlay.is_some();
        let (sides, names) = (self.session.deforming().comparison().is_some(), view.is_on(Toggle::Names));
        let words = self.session.lesson().is_some();
        let (models, light, page) = (self.session.beside().is_some(), self.is_light(), page && words);
        let letters = self.letters;
        PictureStyle { size, supersampling, legend, sides, models, names, words, page, light, letters }
    }

    /// Returns whether what is written into the picture is in the light theme: that of the window, unless another ground was chosen.
    fn is_light(&self) -> bool {
        match self.settings.background.filter(|_| !self.settings.transparent) {
            Some(color) => color.iter().map(|c| u32::from(*c)).sum::<u32>() > 382,
            None => self.light,
        }
    }

    /// From now on only the film moves, and the viewport is that of the pictures.
    fn stand_still(&mut self) {
        self.session.apply(PlaybackCommand::SetPlaying(false));
        // Where the pointer is has nothing to do with it.
        self.session.apply(SelectionCommand::Hover(None));
        if let Some(layers) = self.settings.layers {
            for command in layers.commands(self.session.view()) {
                self.session.apply(command);
            }
        }
        let halves = self.session.deforming().comparison().is_some_and(|c| c.layout == ComparisonLayout::SideBySide);
        let [width, height] = self.style().picture_size().map(|side| side as f32);
        let viewport = Vec2::new(if halves { 0.5 * width } else { width }, height);
        self.session.apply(CameraCommand::SetViewport(viewport));
        self.session.update_pose();
    }

    /// Returns the frame of what is shown, of a model that has turned by `radians` about the vertical through `pivot`.
    /// `has_partial_alpha`: whether pixels may be partly transparent.
    fn frame(&self, radians: f32, pivot: Vec3, has_partial_alpha: bool) -> Frame {
        let colors = if self.is_light() { SceneColors::LIGHT } else { SceneColors::DARK };
        let mut frame = Frame::default();
        self.session.build_frame(&mut frame, &colors);
        let world_from_view = film::turned(frame.camera.world_from_view, pivot, radians);
        frame.set_camera(Camera { world_from_view, ..frame.camera });
        if let Some(color) = self.settings.background {
            let ground = Background::Solid(color.map(|c| f32::from(c) / 255.0));
            frame.display.background = ground;
            frame.beside.iter_mut().for_each(|other| other.display.background = ground);
        }
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
#[path = "export_tests.rs"]
mod tests;
