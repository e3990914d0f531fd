//! From a [`Frame`] to a picture. Owns the device, the shaders and the device's copy of the model; sees nothing but
//! frames: no session, no files, no window.
//!
//! A picture takes one pass into one target, multisampled where edges are smoothed: the scene, then what lies over it
//! (bones, lines) in nearer depths than all of the scene. The vertex shader deforms; per picture only palettes, morph weights and one uniform are uploaded.

mod bindings;
mod budget;
mod buffer_vec;
mod deform;
mod device_jobs;
mod error;
mod gpu;
mod guard;
mod headless;
mod held;
mod items;
pub mod layouts;
mod levels;
mod material;
mod needs;
mod numbers;
mod painter;
mod passes;
mod pipeline_kind;
mod pipelines;
mod placed;
mod pool;
mod primitive;
mod reorder;
mod reweigh;
mod scene;
pub mod shader;
mod shown;
mod side;
pub mod software;
mod srgb;
mod studio;
mod target;
mod texture;
mod texture_upload;
mod transmission;
mod upload;
mod vertices;

use std::collections::HashMap;
use std::sync::Arc;

pub use deform::{DeformedOnGpu, deform_on_gpu};
pub use error::GpuError;
pub use gpu::{Backend, Gpu, Uploads};
pub use guard::guarded;
pub use headless::{Picture, on_device, render_image, render_rows};
pub use target::{COLOR, SAMPLES, SceneTarget};
use target::{Columns, Rows};

use crate::deform::PaletteFit;
use crate::frame::Frame;
use crate::model::Model;
use bindings::entry;
use device_jobs::DeviceJobs;
use held::{HeldModel, Loader};
use layouts::PrimitiveKey;
use pipelines::{ModelLayouts, Pipelines};
use scene::Part;
use side::Side;
use software::backdrop::Backdrop;
use software::covering::{self, View};
use transmission::TransmissionTexture;

/// The kinds of work that the renderer does in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundWork {
    /// A model is brought to the device.
    Model,
    /// The edges of its triangles are collected.
    Wireframe,
    /// Textures are made of some of its images; there may be more to come.
    Textures,
}

/// Draws frames. Keeps what it has compiled and uploaded from one to the next.
#[derive(Debug)]
pub struct Renderer {
    pipelines: Pipelines,
    /// What is kept of the picture, or of its first side in a comparison.
    first: Side,
    /// What is kept of the second side, while two surfaces are compared.
    second: Option<Box<Side>>,
    /// The layouts of the bind groups of models.
    layouts: ModelLayouts,
    /// Starts jobs for slow work, if no picture shall wait for it.
    jobs: Option<DeviceJobs>,
    target: Option<SceneTarget>,
    /// The texture from which glass reads what lies behind it, once there was some glass.
    transmission: Option<TransmissionTexture>,
    /// The background alone, where it is copied.
    backdrop: Option<Backdrop>,
    /// The next picture is drawn into memory, and nobody waits for it to be recorded.
    in_memory: bool,
    /// Parts of large primitives that stand for them in the picture that is drawn next.
    parts: HashMap<PrimitiveKey, Part>,
    /// The frame that the target shows.
    drawn: Option<Frame>,
    present: Option<PresentGroup>,
    /// Bytes.
    texture_step: u64,
    /// How many surfaces the last picture was made of; the list of the next one begins as long.
    surfaces: usize,
}

/// Binds a certain picture for presenting.
#[derive(Debug)]
struct PresentGroup {
    picture: wgpu::Texture,
    format: wgpu::TextureFormat,
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Renderer {
    /// Compiles nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let pipelines = Pipelines::new(gpu);
        Self {
            layouts: pipelines.of_models(),
            pipelines,
            first: Side::default(),
            second: None,
            jobs: None,
            target: None,
            transmission: None,
            backdrop: None,
            in_memory: false,
            parts: HashMap::new(),
            drawn: None,
            present: None,
            texture_step: u64::MAX,
            surfaces: 0,
        }
    }

    /// Draws in the format of a window's surface, so that pictures can be copied there.
    #[must_use]
    pub fn for_surface(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let mut renderer = Self::new(gpu);
        if copies_onto(format.add_srgb_suffix(), format) {
            renderer.pipelines.target_format.format = format.add_srgb_suffix();
        }
        renderer
    }

    /// How many samples of a pixel are taken from the next picture on: one, or [`SAMPLES`], which smooths edges.
    pub fn set_samples(&mut self, samples: u32) {
        self.pipelines.target_format.samples = samples;
    }

    /// Samples of a pixel.
    #[must_use]
    pub fn samples(&self) -> u32 {
        self.pipelines.target_format.samples
    }

    /// True where the last picture is that of `frame`, however it was drawn.
    #[must_use]
    pub fn shows(&self, frame: &Frame) -> bool {
        !self.has_news() && self.drawn.as_ref().is_some_and(|drawn| drawn.is_same_picture(frame))
    }

    /// How many bytes of textures go to the device with one picture (one texture at least), so that no picture waits for
    /// all of them; the rest comes with the next ([`Renderer::has_news`]). Without this all come at once.
    pub fn set_texture_step(&mut self, bytes: u64) {
        self.texture_step = bytes;
    }

    /// From now on no picture waits for what takes long: bringing a large model, its textures or its edges to the device.
    /// That is done on threads, and pictures show the model once it is there ([`Renderer::has_news`]). `gpu` is the device that all
    /// pictures are drawn on; `wake` is told when there is news, on any thread.
    pub fn work_beside(&mut self, gpu: &Arc<Gpu>, wake: Arc<dyn Fn() + Send + Sync>) {
        self.jobs = Some(DeviceJobs::new(Arc::clone(gpu), wake));
    }

    /// Begins to bring a model to the device that no frame shows yet. False where there is nothing to wait for: it is there,
    /// or small enough to be brought with its first picture. Another one that was begun before is given up.
    pub fn begin(&mut self, model: &Arc<Model>) -> bool {
        let Self { first, layouts, jobs, .. } = self;
        first.held.begin(layouts, jobs.as_ref(), model)
    }

    /// Gives up what [`Renderer::begin`] began for other models than this one.
    pub fn forget_others(&mut self, model: Option<&Arc<Model>>) {
        self.first.held.forget_others(model);
    }

    /// The work that is being done in the background, and how much of it is done, 0…1.
    #[must_use]
    pub fn doing(&self) -> Option<(BackgroundWork, f32)> {
        self.held().find_map(HeldModel::doing)
    }

    /// The models of both sides.
    fn held(&self) -> impl Iterator<Item = &HeldModel> {
        std::iter::once(&self.first.held).chain(self.second.as_ref().map(|side| &side.held))
    }

    /// Draws `frame` into the renderer's own target of `size` pixels (at least one each way) and submits it. What the
    /// target shows already is not drawn again.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where the model or the picture does not fit the adapter. Errors of the device itself come
    /// later, from [`Gpu::take_error`].
    pub fn draw(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2]) -> Result<&SceneTarget, GpuError> {
        let size = size.map(|s| s.max(1));
        self.forget_part();
        self.draw_rows(gpu, frame, size, Rows { first: 0, of: size[1] })
    }

    /// Gives up a copy of the model that was made for one picture.
    fn forget_part(&mut self) {
        self.first.held.forget_part();
        self.parts.clear();
    }

    /// Prepares for a picture of `size` pixels in memory. For a software device, of a large model that is not there yet no more is
    /// brought there than the picture shows.
    fn prepare_in_memory(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2]) {
        self.forget_part();
        self.in_memory = true;
        let is_there = frame.model.as_ref().is_some_and(|m| self.first.held.is_near(m, self.jobs.is_some()));
        // OpenGL says neither where samples are nor how corners are rounded.
        if gpu.software.covering && !is_there && self.jobs.is_none() && gpu.info.backend == wgpu::Backend::Vulkan {
            // Mesa rounds corners to 1/256 of a pixel; others may to the coarsest that Vulkan allows.
            let grid = if gpu.info.name.starts_with("llvmpipe") { 1.0 / 256.0 } else { 1.0 / 16.0 };
            self.parts = covering::parts(frame, View { size, samples: self.samples(), grid });
        }
    }

    /// Does the same as [`Renderer::draw`], but draws only as many of the picture's `rows.of` rows as `size` has, from
    /// `rows.first` on: so a large picture is drawn in bands, in the memory of one. Glass must not be drawn so: it sees
    /// all that lies behind it.
    fn draw_rows(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2], rows: Rows) -> Result<&SceneTarget, GpuError> {
        let target_format = self.pipelines.target_format;
        let fits = self.target.take_if(|t| t.size == size && t.target_format == target_format);
        if fits.is_none() {
            // Gone before another takes its room.
            self.target = None;
            self.transmission = None;
        }
        let target = match fits {
            Some(target) if target.rows == rows && self.shows(frame) => return Ok(self.target.insert(target)),
            Some(target) => SceneTarget { rows, ..target },
            None => SceneTarget::new(gpu, size, rows, target_format)?,
        };
        // Until all went well, nobody knows what the target shows.
        let mut drawn = self.drawn.take().unwrap_or_default();
        let recorded = self.record(gpu, frame, &target);
        if recorded.is_ok() {
            drawn.clone_from(frame);
            self.drawn = Some(drawn);
        }
        let target = self.target.insert(target);
        recorded.map(|()| &*target)
    }

    /// True when another picture of the same frame would show more: images of the model have arrived.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.held().any(HeldModel::has_news)
    }

    /// Which kind of buffer a picture of `frame` reads its palette from on this device, and why.
    #[must_use]
    pub fn palette_fit(gpu: &Gpu, frame: &Frame) -> PaletteFit {
        PaletteFit::new(frame.display.palette_buffer, frame.method, frame.palettes.len(), gpu.palette_limits())
    }

    /// How many surfaces the last picture was made of: each is drawn at once, however many copies and members of a crowd
    /// it has. Only what shows something behind it is drawn one by one.
    #[must_use]
    pub fn surfaces(&self) -> usize {
        self.surfaces
    }

    /// Messages for people about what of the current model could not be drawn as its file has it.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        self.first.held.get().map_or(&[], |(_, copy)| copy.materials.notices())
    }

    /// Copies the last picture into `onto` (a texture of a window's surface that can be copied to), its left upper corner at
    /// `at`; false where the formats forbid it.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder, onto: &wgpu::Texture, at: [u32; 2]) -> bool {
        let Some(target) = &self.target else { return false };
        let fits = copies_onto(target.target_format.format, onto.format());
        if fits {
            let origin = wgpu::Origin3d { x: at[0], y: at[1], z: 0 };
            let place = wgpu::TexelCopyTextureInfo { origin, ..onto.as_image_copy() };
            encoder.copy_texture_to_texture(target.picture.as_image_copy(), place, target.picture.size());
        }
        fits
    }

    /// Copies the last picture into `pass`, whose one target (without depth, single-sampled) has `format`. `rect` is
    /// x, y, width and height in pixels of that target; viewport and scissor stay there.
    pub fn present(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, format: wgpu::TextureFormat, rect: [u32; 4]) {
        let Some(target) = &self.target else { return };
        let fits = |p: &PresentGroup| p.picture == target.picture && p.format == format;
        if !self.present.as_ref().is_some_and(fits) {
            let pipeline = self.pipelines.present(gpu, format);
            let filter = wgpu::FilterMode::Linear;
            let how = wgpu::SamplerDescriptor { mag_filter: filter, min_filter: filter, ..Default::default() };
            let sampler = gpu.device.create_sampler(&how);
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("present"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    entry(0, wgpu::BindingResource::TextureView(&target.view)),
                    entry(1, wgpu::BindingResource::Sampler(&sampler)),
                ],
            });
            self.present = Some(PresentGroup { picture: target.picture.clone(), format, pipeline, group });
        }
        let Some(present) = &self.present else { return };
        let [x, y, width, height] = rect;
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        pass.set_pipeline(&present.pipeline);
        pass.set_bind_group(0, &present.group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Makes ready all that a picture of `frame` reads of the device.
    fn prepare(&mut self, gpu: &Gpu, frame: &Frame, width: u32, rows: Rows) -> Result<(), GpuError> {
        let Self { first, second, pipelines, layouts, jobs, parts, texture_step, .. } = self;
        let loader = Loader { gpu, layouts, jobs: jobs.as_ref(), texture_step: *texture_step };
        let Some(compared) = frame.compared.as_deref() else {
            *second = None;
            return first.prepare(&loader, pipelines, frame, (Columns::whole(width), rows), (None, parts));
        };
        let columns = Columns::of(compared.layout, width);
        first.prepare(&loader, pipelines, frame, (columns[0], rows), (None, parts))?;
        let shared = compared.frame.shows_model_of(frame).then_some(&*first);
        let second = second.get_or_insert_default();
        second.prepare(&loader, pipelines, &compared.frame, (columns[1], rows), (shared, parts))
    }

    /// How often vertices were deformed before they were drawn: once for a pose at most, however many passes and pictures read them.
    #[must_use]
    pub fn deformed_ahead(&self) -> usize {
        self.first.placed.made() + self.second.as_ref().map_or(0, |side| side.placed.made())
    }
}

/// True where a picture of one format can be copied into a texture of the other as it is.
fn copies_onto(picture: wgpu::TextureFormat, surface: wgpu::TextureFormat) -> bool {
    use wgpu::TextureFormat as F;
    matches!((picture, surface), (F::Rgba8UnormSrgb, F::Rgba8Unorm) | (F::Bgra8UnormSrgb, F::Bgra8Unorm))
}
