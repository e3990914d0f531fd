//! Turns a [`Frame`] into a picture. This crate owns the device, the shaders and the device's copy of the model, and
//! sees nothing but frames: no session, no files, no window.
//!
//! Most pictures are drawn in one pass into one target, which is multisampled where edges are smoothed: the scene, and
//! over it bones and lines, in depths nearer than all of the scene. Glass takes a pass more. The vertex shader deforms
//! vertices, unless the frame asks for that to be done before; for each picture only palettes, morph weights and one
//! uniform buffer are uploaded, as far as they have changed.

#![forbid(unsafe_code)]

mod bindings;
mod budget;
mod buffer_vec;
mod deform;
mod device_clock;
mod device_jobs;
mod environment;
mod error;
mod gpu;
mod guard;
mod headless;
mod items;
pub mod layouts;
mod levels;
mod material;
mod needs;
mod numbers;
mod painter;
mod palette_timer;
mod passes;
mod patches;
mod pipeline_descriptor;
mod pipeline_factory;
mod pipeline_kind;
#[cfg(test)]
mod pipeline_tests;
mod pipelines;
mod pool;
mod posed_positions;
mod predeformed;
mod presenting;
mod primitive;
mod reorder;
mod resident;
mod reweigh;
mod root_timer;
mod scene;
pub mod shader;
mod shadow;
mod shown;
mod side;
mod side_picture;
pub mod software;
mod srgb;
mod studio;
mod target;
mod texture;
mod texture_upload;
mod transmission;
mod triangle_order;
mod upload;
mod vertices;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

pub use deform::{DeformedOnGpu, deform_on_gpu};
use device_clock::DeviceClocks;
pub use device_jobs::BackgroundWork;
use device_jobs::DeviceJobs;
use environment::Environments;
pub use error::GpuError;
pub use gpu::{Backend, Gpu, TextureKind, Uploads};
pub use guard::guarded;
pub use headless::{Picture, on_device, read_texture, render_image, render_rows};
use layouts::PrimitiveKey;
pub use palette_timer::PaletteTimer;
use pipeline_factory::ModelLayouts;
use pipelines::Pipelines;
use presenting::{PresentGroup, copies_onto};
use resident::{Loader, ResidentModel};
pub use root_timer::RootTimer;
use scene::PrimitivePart;
pub use shadow::ShadowViews;
use shadow::{has_shadows, is_cast_by_processor};
use side::SideState;
use skinscope_base::trace::{Part, measured};
use skinscope_deform::PaletteFit;
use skinscope_frame::{Display, Frame};
use skinscope_model::Model;
use software::backdrop::Backdrop;
use software::covering::{self, View};
pub use target::{COLOR, SAMPLES, SceneTarget};
use target::{Columns, Rows};
use transmission::TransmissionTexture;

/// Draws frames, and keeps what it has compiled and uploaded from one frame to the next.
#[derive(Debug)]
pub struct Renderer {
    pipelines: Pipelines,
    /// The state of the picture, or of its first side in a comparison.
    first: SideState,
    /// The state of the second side, while two surfaces are compared.
    second: Option<Box<SideState>>,
    /// The state of each ghost of the picture; they share the model of the first side.
    ghosts: Vec<SideState>,
    /// The state of each model that stands beside the first one, with its own copy on the device.
    beside: Vec<SideState>,
    /// The layouts of the bind groups of models.
    layouts: ModelLayouts,
    /// Starts jobs for slow work; `None` where pictures wait for it.
    jobs: Option<DeviceJobs>,
    target: Option<SceneTarget>,
    /// The texture from which glass reads what lies behind it; made with the first picture that shows glass.
    transmission: Option<TransmissionTexture>,
    environments: Environments,
    /// The background by itself, where it is copied instead of drawn.
    backdrop: Option<Backdrop>,
    /// True where pictures are read back into memory, so that recording one may take longer than in a window.
    in_memory: bool,
    /// Parts of large primitives that replace them in the next picture.
    parts: HashMap<PrimitiveKey, PrimitivePart>,
    /// The frame that the target shows.
    drawn: Option<Frame>,
    /// True while the target shows an earlier picture, because the last one lacked pipelines.
    lacks_pipelines: bool,
    /// True once some picture has shown a model.
    has_shown_model: bool,
    present: Option<PresentGroup>,
    /// How many bytes of textures are uploaded with one picture.
    texture_step: u64,
    /// How many surfaces the last picture had. The list of the next one is allocated at this length.
    surfaces: usize,
    device_clocks: Option<DeviceClocks>,
    /// The directions that the next picture computes shadows from, and those of the last one.
    shadows: ShadowViews,
    drawn_shadows: ShadowViews,
}

impl Renderer {
    /// Creates a renderer for a device. Pipelines are compiled when they are first needed.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let pipelines = Pipelines::new(gpu);
        Self {
            layouts: pipelines.factory.models.clone(),
            pipelines,
            first: SideState::default(),
            second: None,
            ghosts: Vec::new(),
            beside: Vec::new(),
            jobs: None,
            target: None,
            transmission: None,
            environments: Environments::default(),
            backdrop: None,
            in_memory: false,
            parts: HashMap::new(),
            drawn: None,
            lacks_pipelines: false,
            has_shown_model: false,
            present: None,
            texture_step: u64::MAX,
            surfaces: 0,
            device_clocks: None,
            shadows: ShadowViews::ALL,
            drawn_shadows: ShadowViews::ALL,
        }
    }

    /// Creates a renderer that draws in the format of a window's surface, if pictures can then be copied there.
    #[must_use]
    pub fn for_surface(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let mut renderer = Self::new(gpu);
        if copies_onto(format.add_srgb_suffix(), format) {
            renderer.pipelines.target_format.format = format.add_srgb_suffix();
        }
        renderer
    }

    /// Sets how many samples per pixel are taken from the next picture on: one, or [`SAMPLES`], which smooths edges.
    pub fn set_samples(&mut self, samples: u32) {
        self.pipelines.target_format.samples = samples;
    }

    /// The number of samples per pixel.
    #[must_use]
    pub fn samples(&self) -> u32 {
        self.pipelines.target_format.samples
    }

    /// True where the last picture is the one that `frame` describes, and there is no news that would change it.
    #[must_use]
    pub fn shows(&self, frame: &Frame) -> bool {
        let is_refined = !has_shadows(frame) || self.shadows == self.drawn_shadows;
        !self.has_news() && !self.lacks_pipelines && is_refined && self.is_same_picture(frame)
    }

    /// Sets how many bytes of textures are uploaded with one picture (one texture at least), so that no picture waits
    /// for all of them; the rest follows with the next ones ([`Renderer::has_news`]). Without this call all of them are
    /// uploaded at once.
    pub fn set_texture_step(&mut self, bytes: u64) {
        self.texture_step = bytes;
    }

    /// From now on no picture waits for slow work: uploading a large model or its textures, making its edges, and, once some
    /// picture has shown a model, compiling pipelines. That is done on threads, and pictures show the results once they are there
    /// ([`Renderer::has_news`]); while a picture lacks pipelines, the one before stays. `gpu` is the device that all pictures are
    /// drawn on; `wake` is called on any thread when there is news.
    pub fn work_beside(&mut self, gpu: &Arc<Gpu>, wake: Arc<dyn Fn() + Send + Sync>) {
        self.jobs = Some(DeviceJobs::new(Arc::clone(gpu), wake));
    }

    /// Begins to upload a model that no frame shows yet. Returns false where there is nothing to wait for: the model is
    /// there, or is small enough to be uploaded with its first picture. The upload of another model that was begun
    /// before is given up.
    pub fn begin(&mut self, model: &Arc<Model>) -> bool {
        let Self { first, layouts, jobs, .. } = self;
        first.resident.begin(layouts, jobs.as_ref(), model)
    }

    /// Gives up the uploads of other models than this one that [`Renderer::begin`] began.
    pub fn forget_others(&mut self, model: Option<&Arc<Model>>) {
        self.first.resident.forget_others(model);
    }

    /// The work that is being done in the background, and how much of it is done, 0…1.
    #[must_use]
    pub fn doing(&self) -> Option<(BackgroundWork, f32)> {
        self.doing_at(Instant::now())
    }

    /// Returns what [`Renderer::doing`] would say at this time, by which it goes whether something takes long enough to be said.
    #[must_use]
    pub fn doing_at(&self, now: Instant) -> Option<(BackgroundWork, f32)> {
        let compiling = || self.pipelines.takes_long(now).then_some((BackgroundWork::Pipelines, 0.0));
        self.resident().find_map(ResidentModel::doing).or_else(compiling)
    }

    /// The models of both sides, and those beside the first one.
    fn resident(&self) -> impl Iterator<Item = &ResidentModel> {
        let second = self.second.iter().map(|side| &side.resident);
        std::iter::once(&self.first.resident).chain(second).chain(self.beside.iter().map(|side| &side.resident))
    }

    /// Draws `frame` into the renderer's own target of `size` (width and height in pixels, at least one each) and
    /// submits the commands. What the target shows already is not drawn again.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where the model or the picture does not fit the adapter, and the errors of creating
    /// buffers and textures. Errors of the commands themselves come later, from [`Gpu::take_error`].
    pub fn draw(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2]) -> Result<&SceneTarget, GpuError> {
        let size = size.map(|s| s.max(1));
        self.forget_part();
        self.draw_rows(gpu, frame, size, Rows { first: 0, of: size[1] })
    }

    /// Drops a copy of the model that was made for one picture.
    fn forget_part(&mut self) {
        self.first.resident.forget_part();
        self.parts.clear();
    }

    /// Prepares for a picture of `size` pixels in memory. On a software device, only the parts of a large model that
    /// the picture shows are uploaded, unless the model is there already.
    fn prepare_in_memory(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2]) {
        self.forget_part();
        self.in_memory = true;
        let is_there = frame.model.as_ref().is_some_and(|m| self.first.resident.is_near(m, self.jobs.is_some()));
        // OpenGL defines neither where samples are nor how corners are rounded.
        // The surface hides other parts of the model than of its ghosts.
        // What is hidden from the eye casts shadows too; the processor reads it from the model itself.
        let is_alone = frame.ghosts.is_empty()
            && frame.beside.is_empty()
            && (!has_shadows(frame) || is_cast_by_processor(gpu, frame));
        if gpu.software.covering
            && is_alone
            && !is_there
            && self.jobs.is_none()
            && gpu.info.backend == wgpu::Backend::Vulkan
        {
            // Mesa rounds corners to 1/256 of a pixel; other drivers may round to the coarsest grid that Vulkan allows.
            let grid = if gpu.info.name.starts_with("llvmpipe") { 1.0 / 256.0 } else { 1.0 / 16.0 };
            self.parts = covering::parts(frame, View { size, samples: self.samples(), grid });
        }
    }

    /// Does the same as [`Renderer::draw`], but draws only as many of the picture's `rows.of` rows as `size` has, from
    /// `rows.first` on. So a large picture can be drawn in bands, with the memory of one band. A picture with glass
    /// must be drawn whole, since glass blurs everything that lies behind it.
    fn draw_rows(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2], rows: Rows) -> Result<&SceneTarget, GpuError> {
        // The first pictures compile what they need: a window has none yet that could stay.
        let waits = self.jobs.is_some() && !self.in_memory && self.has_shown_model && self.drawn.is_some();
        self.pipelines.begin_picture(waits)?;
        let target_format = self.pipelines.target_format;
        let fits = |t: &SceneTarget| t.size == size && t.target_format == target_format;
        if let Some(target) = self.target.take_if(|t| fits(t) && t.rows == rows) {
            if self.shows(frame) {
                return Ok(self.target.insert(target));
            }
            self.target = Some(target);
        }
        self.lacks_pipelines = false;
        // If something fails, it is not known what the target shows.
        let mut drawn = self.drawn.take().unwrap_or_default();
        if waits && let Some(shown) = self.target.take_if(|t| !fits(t)) {
            self.prepare(gpu, frame, size[0], rows)?;
            // The earlier picture is shown on, in another size or with other samples.
            if self.asks_in_vain(gpu, frame, &shown)? {
                (self.drawn, self.lacks_pipelines) = (Some(drawn), true);
                return Ok(self.target.insert(shown));
            }
        }
        let target = match self.target.take() {
            Some(target) if fits(&target) => SceneTarget { rows, ..target },
            other => {
                // The old targets are dropped before new ones take memory.
                drop(other);
                self.transmission = None;
                SceneTarget::new(gpu, size, rows, target_format)?
            }
        };
        // The target takes its memory before the model does, which can make do with less.
        let prepared = measured(Part::Upload, || self.prepare(gpu, frame, size[0], rows));
        let recorded = prepared.and_then(|()| measured(Part::Record, || self.record(gpu, frame, &target)));
        if recorded == Ok(true) {
            drawn.clone_from(frame);
        }
        self.lacks_pipelines = recorded == Ok(false);
        self.drawn_shadows = self.shadows;
        self.drawn = recorded.is_ok().then_some(drawn);
        self.has_shown_model |= self.surfaces > 0;
        let target = self.target.insert(target);
        recorded.map(|_| &*target)
    }

    /// True when another picture of the same frame would show more: a model, images of it, its edges, or pipelines have arrived.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.pipelines.has_news() || self.environments.has_news() || self.resident().any(ResidentModel::has_news)
    }

    /// True while an earlier picture is shown, because the one that was asked for last lacks pipelines.
    #[must_use]
    pub fn lacks_pipelines(&self) -> bool {
        self.lacks_pipelines
    }

    /// Which kind of buffer a picture of `frame` reads its palette from on this device, and why.
    #[must_use]
    pub fn palette_fit(gpu: &Gpu, frame: &Frame) -> PaletteFit {
        let Display { palette_buffer, palette_rows, .. } = frame.display;
        PaletteFit::new(palette_buffer, frame.method, frame.palettes.len(), gpu.palette_limits())
            .with_rows(palette_rows, frame.method)
    }

    /// How many surfaces the last picture had. Each is one draw, however many copies and members of a crowd it
    /// has; only surfaces that show what lies behind them are drawn one by one.
    #[must_use]
    pub fn surfaces(&self) -> usize {
        self.surfaces
    }

    /// Messages for people about what of the current model cannot be drawn as its file has it.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        let textures = self.first.resident.get().map_or(&[][..], |(_, copy)| copy.materials.notices());
        let mut sides =
            std::iter::once(&self.first).chain(self.second.as_deref()).chain(&self.beside).chain(&self.ghosts);
        let lacks_shadows = sides.any(|side| side.lacks_shadow_memory);
        let shadows = lacks_shadows.then(|| format!("shadows are left out, {}", budget::NO_MEMORY));
        textures.iter().cloned().chain(shadows).collect()
    }

    /// Uploads everything that a picture of `frame` reads on the device.
    fn prepare(&mut self, gpu: &Gpu, frame: &Frame, width: u32, rows: Rows) -> Result<(), GpuError> {
        let Self { first, second, ghosts, beside, pipelines, layouts, jobs, parts, texture_step, shadows, .. } = self;
        let loader = Loader { gpu, layouts, jobs: jobs.as_ref(), texture_step: *texture_step };
        let Some(compared) = frame.compared.as_deref() else {
            *second = None;
            let area = (Columns::whole(width), rows);
            // Models that change places keep their copies.
            if let Some(model) = &frame.model
                && !first.resident.holds(model)
                && let Some(side) = beside.iter_mut().find(|side| side.resident.holds(model))
            {
                std::mem::swap(first, side);
            }
            first.prepare(&loader, pipelines, frame, area, (None, parts), *shadows)?;
            beside.resize_with(frame.beside.len(), SideState::default);
            for (other, side) in frame.beside.iter().zip(beside) {
                side.prepare(&loader, pipelines, other, area, (None, &mut HashMap::new()), *shadows)?;
            }
            ghosts.resize_with(frame.ghosts.len(), SideState::default);
            return frame.ghosts.iter().zip(ghosts).try_for_each(|(ghost, side)| {
                side.prepare(&loader, pipelines, ghost, area, (Some(&*first), parts), *shadows)
            });
        };
        ghosts.clear();
        beside.clear();
        let columns = Columns::of(compared.layout, width);
        first.prepare(&loader, pipelines, frame, (columns[0], rows), (None, parts), *shadows)?;
        let shared = compared.frame.shows_model_of(frame).then_some(&*first);
        let second = second.get_or_insert_default();
        second.prepare(&loader, pipelines, &compared.frame, (columns[1], rows), (shared, parts), *shadows)
    }

    /// How many times vertices were deformed before they were drawn: at most once for each pose, however many passes
    /// and pictures read them.
    #[must_use]
    pub fn deformed_ahead(&self) -> usize {
        let others = self.second.iter().map(|side| &**side).chain(&self.beside);
        self.first.predeformed.made() + others.map(|side| side.predeformed.made()).sum::<usize>()
    }
}
