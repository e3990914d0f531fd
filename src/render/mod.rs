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
mod items;
pub mod layouts;
mod levels;
mod material;
mod needs;
mod numbers;
mod painter;
mod pipeline_kind;
mod pipelines;
mod placed;
mod pool;
mod reorder;
mod reweigh;
mod scene;
pub mod shader;
mod shown;
pub mod software;
mod srgb;
mod studio;
mod target;
mod texture;
mod transmission;
mod upload;
mod vertices;

use std::collections::HashMap;
use std::sync::Arc;

use glam::Vec4;

pub use deform::{DeformedOnGpu, deform_on_gpu};
pub use error::GpuError;
pub use gpu::{Backend, Gpu, Uploads};
pub use guard::guarded;
pub use headless::{Picture, on_device, render_image, render_rows};
use target::Rows;
pub use target::{COLOR, SAMPLES, SceneTarget};

use crate::deform::PaletteFit;
use crate::frame::{Background, Frame};
use crate::model::Model;
use crate::parallel::JobContext;
use bindings::entry;
use device_jobs::{DeviceJob, DeviceJobs};
use items::Items;
use layouts::PrimitiveKey;
use numbers::Numbers;
use painter::Painter;
use pipeline_kind::Kind;
use pipelines::{ModelLayouts, Pipelines};
use placed::{PlacedVertices, deformer_of};
use scene::{GpuModel, MANY_VERTICES, Part, stands_in, takes_long};
use shader::PaletteIn;
use software::backdrop::Backdrop;
use software::covering::{self, View};
use software::nearest::nearest_first;
use software::portions::{Queue, portions};
use target::{Depth, Depths, begin, clear_color, set_depths};
use transmission::TransmissionTexture;
use upload::Upload;

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
    upload: Option<Upload>,
    /// The model that was drawn last, and its copy on the device (or why there is none).
    model: Option<(Arc<Model>, Result<GpuModel, GpuError>)>,
    /// A model on its way to the device.
    coming: Option<(Arc<Model>, DeviceJob<GpuModel>)>,
    /// The layouts of the bind groups of models.
    layouts: ModelLayouts,
    /// Starts jobs for slow work, if no picture shall wait for it.
    jobs: Option<DeviceJobs>,
    /// Numbers and marks of its vertices.
    numbers: Numbers,
    /// Its vertices, where they are deformed before they are drawn.
    placed: PlacedVertices,
    target: Option<SceneTarget>,
    /// The texture from which glass reads what lies behind it, once there was some glass.
    transmission: Option<TransmissionTexture>,
    /// The background alone, where it is copied.
    backdrop: Option<Backdrop>,
    /// The next picture is drawn into memory, and nobody waits for it to be recorded.
    in_memory: bool,
    /// Parts of large primitives that stand for them in the picture that is drawn next.
    parts: HashMap<PrimitiveKey, Part>,
    /// True while the device holds no more than this picture shows.
    of_one_picture: bool,
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
            upload: None,
            model: None,
            coming: None,
            jobs: None,
            numbers: Numbers::default(),
            placed: PlacedVertices::default(),
            target: None,
            transmission: None,
            backdrop: None,
            in_memory: false,
            parts: HashMap::new(),
            of_one_picture: false,
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
        !self.has_news() && self.drawn.as_ref().is_some_and(|d| shows_the_same(d, frame))
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
        let is_it = |held: &Arc<Model>| Arc::ptr_eq(held, model);
        if self.model.as_ref().is_some_and(|(held, _)| is_it(held)) {
            return false;
        }
        if self.changes_quickly(model) {
            return false;
        }
        let Some(jobs) = self.jobs.as_ref().filter(|_| takes_long(model)) else { return false };
        if !self.coming.as_ref().is_some_and(|(coming, _)| is_it(coming)) {
            let (layouts, source) = (self.layouts.clone(), Arc::clone(model));
            let job = jobs
                .start("upload", move |gpu, context| GpuModel::new(gpu, &layouts, &source, &HashMap::new(), context));
            self.coming = Some((Arc::clone(model), job));
        }
        self.coming.as_ref().is_some_and(|(_, job)| !job.is_done())
    }

    /// Whether the model on the device needs other weights to be this one, and so few that no picture waits for them.
    fn changes_quickly(&self, wanted: &Model) -> bool {
        let most = if self.jobs.is_some() { MANY_VERTICES } else { usize::MAX };
        self.model.as_ref().is_some_and(|(held, copy)| copy.is_ok() && reweigh::is_quick(held, wanted, most))
    }

    /// Gives up what [`Renderer::begin`] began for other models than this one.
    pub fn forget_others(&mut self, model: Option<&Arc<Model>>) {
        self.coming.take_if(|(coming, _)| !model.is_some_and(|model| Arc::ptr_eq(model, coming)));
    }

    /// The work that is being done in the background, and how much of it is done, 0…1.
    #[must_use]
    pub fn doing(&self) -> Option<(BackgroundWork, f32)> {
        if let Some((_, job)) = self.coming.as_ref().filter(|(_, job)| !job.is_done()) {
            return Some((BackgroundWork::Model, job.fraction()));
        }
        let (_, copy) = self.model.as_ref()?;
        let copy = copy.as_ref().ok()?;
        let wiring = copy.wiring().map(|fraction| (BackgroundWork::Wireframe, fraction));
        wiring.or_else(|| copy.materials.making().map(|fraction| (BackgroundWork::Textures, fraction)))
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
        if std::mem::take(&mut self.of_one_picture) {
            self.model = None;
        }
        self.parts.clear();
    }

    /// Prepares for a picture of `size` pixels in memory. For a software device, of a large model that is not there yet no more is
    /// brought there than the picture shows.
    fn prepare_in_memory(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2]) {
        self.forget_part();
        self.in_memory = true;
        let is_held = |held: &Arc<Model>| frame.model.as_ref().is_some_and(|m| Arc::ptr_eq(m, held));
        let is_there = self.model.as_ref().is_some_and(|(held, _)| is_held(held))
            || frame.model.as_ref().is_some_and(|m| self.changes_quickly(m));
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

    fn record(&mut self, gpu: &Gpu, frame: &Frame, target: &SceneTarget) -> Result<(), GpuError> {
        self.prepare(gpu, frame, target.size[0], target.rows)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        self.scene(gpu, frame, target, &mut encoder)?;
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// True when another picture of the same frame would show more: images of the model have arrived.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.coming.as_ref().is_some_and(|(_, job)| job.is_done())
            || self.model.as_ref().is_some_and(|(model, copy)| copy.as_ref().is_ok_and(|c| c.has_news(model)))
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
        match &self.model {
            Some((_, Ok(model))) => model.materials.notices(),
            _ => &[],
        }
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

    /// Shows another model: at once where it is small, else once it is on the device. Until then the one before stands in
    /// where it can, else none is shown.
    fn follow(&mut self, gpu: &Gpu, wanted: Option<&Arc<Model>>) {
        let Some(wanted) = wanted else {
            (self.model, self.coming, self.numbers) = (None, None, Numbers::default());
            return;
        };
        if self.changes_quickly(wanted)
            && let Some((held, Ok(copy))) = &mut self.model
            && copy.change_weights(gpu, &self.layouts, held, wanted).is_ok()
        {
            *held = Arc::clone(wanted);
            self.coming = None;
            self.numbers.forget_marks();
            return;
        }
        if self.begin(wanted) {
            if !self.model.as_ref().is_some_and(|(held, _)| stands_in(held, wanted)) {
                (self.model, self.numbers) = (None, Numbers::default());
            }
            return;
        }
        let arrived = self.coming.take_if(|(coming, _)| Arc::ptr_eq(coming, wanted)).and_then(|(_, job)| job.take());
        let had_another = self.model.take().is_some();
        self.numbers = Numbers::default();
        let copy = match arrived {
            // The one before took the room that this one needs, and is gone now.
            Some(Err(error)) if error.is_of_memory() && had_another => {
                _ = self.begin(wanted);
                return;
            }
            Some(arrived) => arrived,
            None => {
                let parts = std::mem::take(&mut self.parts);
                self.of_one_picture = !parts.is_empty();
                GpuModel::new(gpu, &self.layouts, wanted, &parts, &JobContext::of_waiting())
            }
        };
        self.model = Some((Arc::clone(wanted), copy));
    }

    /// Uploads the model if it is another one, and everything of this frame.
    fn prepare(&mut self, gpu: &Gpu, frame: &Frame, width: u32, rows: Rows) -> Result<(), GpuError> {
        let is_kept = |held: &Arc<Model>| frame.model.as_ref().is_some_and(|m| Arc::ptr_eq(m, held));
        if !self.model.as_ref().is_some_and(|(held, _)| is_kept(held)) {
            self.follow(gpu, frame.model.as_ref());
            self.placed.forget();
        }
        let jobs = self.jobs.as_ref();
        let slots = match &mut self.model {
            Some((model, Ok(copy))) => {
                copy.materials.take_news(gpu, &self.layouts, model, self.texture_step, jobs)?;
                copy.materials.change(gpu, model, &frame.changes);
                if copy.reorder(gpu, &self.layouts, model, jobs) {
                    self.numbers = Numbers::default();
                    self.placed.forget();
                }
                if let Some(jobs) = jobs {
                    copy.wire(model, frame.display.wireframe, jobs);
                }
                self.numbers.follow(gpu, model, copy, frame)?;
                Some(&copy.slots)
            }
            Some((_, Err(error))) => return Err(error.clone()),
            None => None,
        };
        let fit = Self::palette_fit(gpu, frame);
        self.pipelines.linking.palette = match fit.is_uniform() {
            true => PaletteIn::Uniform((fit.limits.uniform / size_of::<Vec4>() as u64) as u32),
            false => PaletteIn::Storage,
        };
        self.pipelines.linking.late_depth = self.pipelines.late_depth.is_some();
        let upload = match &mut self.upload {
            Some(upload) => upload,
            None => self.upload.insert(Upload::new(gpu, &self.pipelines)?),
        };
        upload.write(gpu, &self.pipelines, frame, width, rows, slots)?;
        let Some((model, Ok(copy))) = &self.model else { return Ok(()) };
        let deformer = deformer_of(gpu, frame, self.of_one_picture);
        let on_device = (&mut self.pipelines, &self.layouts);
        self.placed.follow(gpu, on_device, (model, copy), (frame, upload), deformer)
    }

    /// How often vertices were deformed before they were drawn: once for a pose at most, however many passes and pictures read them.
    #[must_use]
    pub fn deformed_ahead(&self) -> usize {
        self.placed.made()
    }

    fn scene(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        target: &SceneTarget,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuError> {
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let display = &frame.display;
        let shown = self.model.as_ref().and_then(|(model, copy)| Some((&**model, copy.as_ref().ok()?)));
        let items = Items::of(frame, shown, self.surfaces);
        let (solid, sorted) = items.surfaces(frame);
        let nearest = if self.in_memory && gpu.software.nearest_first { nearest_first(frame, solid) } else { None };
        let solid = nearest.as_deref().unwrap_or(solid);
        let (pipelines, numbers, placed) = (&mut self.pipelines, &self.numbers, &self.placed);
        let waits = self.jobs.is_some();
        let mut load = wgpu::LoadOp::Clear(clear_color(display.background));
        // Through OpenGL, Mesa's software driver now and then loses what is drawn after such a copy.
        let copies =
            gpu.software.backdrop && target.target_format.samples == 1 && gpu.info.backend != wgpu::Backend::Gl;
        let has_backdrop = copies && matches!(display.background, Background::Studio { .. });
        if has_backdrop {
            Backdrop::put(&mut self.backdrop, gpu, pipelines, display, (target, &upload.group), encoder);
            load = wgpu::LoadOp::Load;
        }
        let group = upload.group.clone();
        let glass = sorted.iter().position(|i| i.traits.transmits);
        let (before, after) = sorted.split_at(glass.unwrap_or(0));
        let mut through = None;
        if glass.is_some() {
            // All that lies behind the farthest glass is seen through it, resolved and blurred on the way.
            let transmission = match self.transmission.take() {
                Some(transmission) => self.transmission.insert(transmission),
                None => self.transmission.insert(TransmissionTexture::new(gpu, pipelines, target.size)),
            };
            {
                let mut pass = begin(encoder, target, load, Some(&transmission.first), Depth::Kept);
                pass.set_bind_group(0, &group, &[]);
                let (pass, groups) = (&mut pass, [&group; 2]);
                let mut painter = Painter { gpu, pipelines, numbers, placed, frame, pass, groups, has_backdrop, waits };
                painter.ground(solid);
                painter.sorted(before);
            }
            transmission.take(target, encoder);
            through = Some(upload.group_with(gpu, pipelines, transmission));
            load = wgpu::LoadOp::Load;
        }
        let mut depth = if glass.is_some() { Depth::Taken } else { Depth::Own };
        // Of a translucent surface all depth comes before any colour.
        let divides = self.in_memory && gpu.software.portions && glass.is_none() && display.skin_opacity >= 1.0;
        let mut portions = if divides { portions(solid, self.of_one_picture) } else { Vec::new() };
        let last = portions.pop();
        let mut queue = Queue::default();
        for portion in &portions {
            let kept = if depth == Depth::Own { Depth::Kept } else { Depth::Passed };
            {
                let mut pass = begin(encoder, target, load, None, kept);
                pass.set_bind_group(0, &group, &[]);
                let (pass, groups) = (&mut pass, [&group; 2]);
                let mut painter = Painter { gpu, pipelines, numbers, placed, frame, pass, groups, has_backdrop, waits };
                painter.solid(portion);
            }
            queue.submit(gpu, encoder)?;
            (depth, load) = (Depth::Taken, wgpu::LoadOp::Load);
        }
        let solid = last.as_deref().unwrap_or(solid);
        let mut pass = begin(encoder, target, load, Some(&target.view), depth);
        pass.set_bind_group(0, &group, &[]);
        let groups = [&group, through.as_ref().unwrap_or(&group)];
        let mut painter =
            Painter { gpu, pipelines, numbers, placed, frame, pass: &mut pass, groups, has_backdrop, waits };
        if glass.is_none() {
            painter.ground(solid);
        }
        painter.rest(after, &items.all)?;
        set_depths(&mut pass, target, Depths::Over);
        over(gpu, pipelines, upload, frame, &mut pass);
        drop(pass);
        self.surfaces = items.all.len();
        Ok(())
    }
}

/// Bones hide one another, but nothing of the scene hides them.
fn over(gpu: &Gpu, pipelines: &mut Pipelines, upload: &Upload, frame: &Frame, pass: &mut wgpu::RenderPass<'_>) {
    if upload.bones.count() > 0 {
        pass.set_pipeline(&pipelines.plain(gpu, Kind::Bones));
        pass.set_vertex_buffer(0, upload.bones.buffer.slice(..));
        pass.draw(0..4, 0..upload.bones.count());
    }
    if !frame.lines.is_empty() {
        pass.set_pipeline(&pipelines.plain(gpu, Kind::Lines));
        pass.set_vertex_buffer(0, upload.lines.buffer.slice(..));
        pass.draw(0..4, 0..frame.lines.len() as u32);
    }
}

/// True where a picture of one format can be copied into a texture of the other as it is.
fn copies_onto(picture: wgpu::TextureFormat, surface: wgpu::TextureFormat) -> bool {
    use wgpu::TextureFormat as F;
    matches!((picture, surface), (F::Rgba8UnormSrgb, F::Rgba8Unorm) | (F::Bgra8UnormSrgb, F::Bgra8Unorm))
}

/// True where two frames make the same picture.
fn shows_the_same(a: &Frame, b: &Frame) -> bool {
    let same_model = match (&a.model, &b.model) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    same_model
        && std::ptr::eq(a.method, b.method)
        && a.deformer == b.deformer
        && a.surfaces.len() == b.surfaces.len()
        && a.surfaces.iter().zip(&b.surfaces).all(|(a, b)| Arc::ptr_eq(a, b))
        && a.camera == b.camera
        && a.display == b.display
        && a.draws == b.draws
        && a.members == b.members
        && a.variant == b.variant
        && a.lights == b.lights
        && a.changes == b.changes
        && a.studio == b.studio
        && a.palettes == b.palettes
        && a.morph_weights == b.morph_weights
        && a.bones == b.bones
        && a.lines == b.lines
        && Arc::ptr_eq(&a.marked, &b.marked)
        && match (&a.inspection, &b.inspection) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
}
