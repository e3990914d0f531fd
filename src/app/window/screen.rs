//! Everything that is lost with the device: the surface of the window, the renderer, egui's renderer. All of it can be
//! made anew from what the window and the session keep.

use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::dpi::PhysicalSize;
use winit::event_loop::OwnedDisplayHandle;
use winit::window::Window as OsWindow;

use super::panels::Panels;
use crate::frame::Frame;
use crate::model::Model;
use crate::render::{Backend, BackgroundWork, Gpu, GpuError, Renderer, SAMPLES, ShadowViews};
use crate::session::Antialiasing;

/// The result of presenting a frame.
pub(crate) struct PresentResult {
    /// Whether it is on the screen.
    pub shown: bool,
    /// The reasons why the picture could not be drawn, and the messages of the device.
    pub errors: Vec<GpuError>,
}

/// How many bytes of textures are uploaded with one frame: two images of 1024² with all their levels.
const TEXTURE_STEP: u64 = 8 << 20;

/// How long the picture must not have changed to be at rest.
const SETTLING: Duration = Duration::from_millis(150);

/// The wanted smoothing of edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AntialiasingRequest {
    pub wanted: Antialiasing,
    /// Whether the picture changes by itself.
    pub playing: bool,
}

/// How a picture moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Motion {
    /// It has changed once.
    Changes,
    /// It changes by itself, or has changed twice in a short time.
    Moves,
    /// It is the last one, which has changed a short time ago.
    Settles,
    Rests,
}

/// For how many frames in a row the surface may give an error instead of a texture, before surface and device are given
/// up.
const MOST_REFUSALS: u32 = 8;

/// Options for a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceOptions {
    pub backend: Backend,
    /// Whether a benchmark runs, so that frames do not wait for the display.
    pub measured: bool,
    /// The bytes for textures; `None`: as is usual for the adapter.
    pub texture_memory: Option<u64>,
}

/// A device that draws on a window.
pub(crate) struct Screen {
    surface: wgpu::Surface<'static>,
    pub(super) config: wgpu::SurfaceConfiguration,
    pub gpu: Arc<Gpu>,
    pub(super) renderer: Renderer,
    pub(super) panels: Panels,
    /// Where the picture was shown that is drawn now: x, y, width and height in pixels of the window.
    pub(super) picture_at: [u32; 4],
    /// The time at which the picture last changed.
    changed: Option<Instant>,
    refusals: u32,
    /// The last error of the surface.
    pub(super) refusal: Option<GpuError>,
    pub(super) os: Arc<OsWindow>,
}

impl Screen {
    /// Opens a device for the window `os`.
    pub fn open(
        os: &Arc<OsWindow>,
        display: &OwnedDisplayHandle,
        device_options: DeviceOptions,
    ) -> Result<Self, GpuError> {
        let display = || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(display.clone()) };
        let (gpu, surface) = Gpu::for_window(device_options.backend, &display, &|instance| surface(instance, os))?;
        let gpu = Arc::new(gpu.with_texture_memory(device_options.texture_memory));
        let config = configuration(&gpu, &surface, os.inner_size(), device_options.measured)?;
        configure(&gpu, &surface, &config)?;
        let panels = gpu.scope(|| Panels::new(&gpu, config.format))?;
        let mut renderer = match config.usage.contains(wgpu::TextureUsages::COPY_DST) {
            true => Renderer::for_surface(&gpu, config.format),
            false => Renderer::new(&gpu),
        };
        if !device_options.measured {
            renderer.set_texture_step(TEXTURE_STEP);
            let os = Arc::clone(os);
            renderer.work_beside(&gpu, Arc::new(move || os.request_redraw()));
        }
        Ok(Self {
            surface,
            config,
            gpu,
            renderer,
            panels,
            picture_at: [0; 4],
            changed: None,
            refusals: 0,
            refusal: None,
            os: Arc::clone(os),
        })
    }

    /// Returns the size of the surface in pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Returns whether panels are kept in a texture and copied from there, which they are where the surface can be
    /// copied to.
    pub fn keeps_panels(&self) -> bool {
        self.config.usage.contains(wgpu::TextureUsages::COPY_DST)
    }

    /// Returns the greatest width and height of a texture, pixels.
    pub fn most_pixels(&self) -> u32 {
        self.gpu.device.limits().max_texture_dimension_2d
    }

    /// Returns the width, and the greatest height, of the atlas of glyphs, pixels. Its first rows are made at once, here and on the
    /// device: as wide as the device allows they would take megabytes.
    pub fn atlas_side(&self) -> usize {
        const MOST: usize = 2048;
        MOST.min(self.most_pixels() as usize)
    }

    /// Returns messages about parts of the model that are not drawn as its file has them.
    pub fn notices(&self) -> Vec<String> {
        self.renderer.notices()
    }

    /// Cancels the work beside the pictures and waits a moment until that has ended: a driver that is still used while
    /// the program ends may crash.
    pub fn close(self) {
        const MOST: Duration = Duration::from_secs(3);
        let (gpu, start) = (Arc::clone(&self.gpu), Instant::now());
        drop(self);
        while Arc::strong_count(&gpu) > 1 && start.elapsed() < MOST {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Calls [`Renderer::begin`].
    pub fn begin(&mut self, model: &Arc<Model>) -> bool {
        self.renderer.begin(model)
    }

    /// Calls [`Renderer::forget_others`].
    pub fn forget_others(&mut self, model: Option<&Arc<Model>>) {
        self.renderer.forget_others(model);
    }

    /// Returns whether measuring a surface in motion is to rest between two poses.
    pub fn measures_rest(&self) -> bool {
        self.gpu.software.measures_rest
    }

    /// Calls [`Renderer::doing`].
    pub fn doing(&self) -> Option<(BackgroundWork, f32)> {
        self.renderer.doing()
    }

    /// Fits the surface to the window, as far as the device can.
    pub fn resize(&mut self, size: PhysicalSize<u32>) -> Result<(), GpuError> {
        let [width, height] = [size.width, size.height].map(|s| s.clamp(1, self.most_pixels()));
        (self.config.width, self.config.height) = (width, height);
        configure(&self.gpu, &self.surface, &self.config)
    }

    /// Returns how many samples a pixel of the picture has.
    pub fn shown_samples(&self) -> u32 {
        self.renderer.samples()
    }

    /// Chooses how fine the next picture is: its samples a pixel, and its shadows. A picture that changes by itself, or
    /// twice in a short time, counts as moving.
    pub(super) fn refine(&mut self, frame: &Frame, edges: AntialiasingRequest) {
        let moves = self.moves(frame, edges.playing);
        self.renderer.set_samples(self.samples(frame, edges, moves));
        let drawn = self.renderer.drawn_shadows(frame);
        let finest = ShadowViews::finest(&self.gpu, frame);
        let shadows = match moves {
            _ if !self.gpu.software.coarse_motion => finest,
            // Where neither pose nor camera has changed, they cost little and would flicker.
            Motion::Moves | Motion::Changes if edges.playing || !self.renderer.is_same_scene(frame) => {
                ShadowViews::NONE
            }
            Motion::Moves | Motion::Changes => drawn.unwrap_or_default(),
            // Pictures are refined only once edges are smooth, which they are drawn again for.
            Motion::Settles => drawn.unwrap_or_default(),
            Motion::Rests => drawn.unwrap_or_default().refined().at_most(finest),
        };
        self.renderer.set_shadows(shadows);
    }

    /// How the picture of a software device moves.
    fn moves(&mut self, frame: &Frame, playing: bool) -> Motion {
        if self.renderer.lacks_pipelines() && !playing {
            // They were asked for as the picture was then.
            return Motion::Settles;
        }
        let now = Instant::now();
        let recently = self.changed.is_some_and(|at| now < at + SETTLING);
        if self.renderer.is_same_picture(frame) && !self.renderer.has_news() {
            return if recently { Motion::Settles } else { Motion::Rests };
        }
        self.changed = Some(now);
        if playing || recently { Motion::Moves } else { Motion::Changes }
    }

    fn samples(&self, frame: &Frame, edges: AntialiasingRequest, moves: Motion) -> u32 {
        let by_processor = self.gpu.software.coarse_motion;
        match edges.wanted {
            Antialiasing::Off => 1,
            Antialiasing::Auto if by_processor && !may_be_smooth(frame) => 1,
            Antialiasing::Auto if by_processor => match moves {
                Motion::Moves => 1,
                Motion::Settles => self.renderer.samples(),
                Motion::Changes | Motion::Rests => SAMPLES,
            },
            Antialiasing::Auto | Antialiasing::Four => SAMPLES,
        }
    }

    /// Returns the time at which the picture will be at rest and is to be drawn once more, with smooth edges and with
    /// shadows.
    pub fn settles_at(&self, frame: &Frame, wanted: Antialiasing) -> Option<Instant> {
        let coarse = wanted == Antialiasing::Auto && self.renderer.samples() == 1 && may_be_smooth(frame);
        let is_to_be_refined = self.gpu.software.coarse_motion && (coarse || self.lacks_shadows(frame));
        self.changed.filter(|_| is_to_be_refined).map(|at| at + SETTLING)
    }

    /// Whether another picture of `frame` would have finer shadows.
    fn lacks_shadows(&self, frame: &Frame) -> bool {
        let finest = ShadowViews::finest(&self.gpu, frame);
        self.renderer.drawn_shadows(frame).is_some_and(|drawn| drawn != finest)
    }

    /// Returns the next texture of the surface; `None` when this frame is to be skipped, or is `laid_out` for another size.
    pub(super) fn next_texture(&mut self, laid_out: [u32; 2]) -> Result<Option<wgpu::SurfaceTexture>, GpuError> {
        use wgpu::CurrentSurfaceTexture as Current;
        for attempt in 0..2 {
            match self.surface.get_current_texture() {
                Current::Suboptimal(texture) if attempt == 0 => {
                    // A texture that is still held prevents a new configuration.
                    drop(texture);
                    self.resize(self.os.inner_size())?;
                }
                Current::Success(_) | Current::Suboptimal(_) if self.size() != laid_out => break,
                Current::Success(texture) | Current::Suboptimal(texture) => {
                    self.refusals = 0;
                    return Ok(Some(texture));
                }
                // The window may have changed before its event came.
                Current::Outdated => self.resize(self.os.inner_size())?,
                Current::Lost => {
                    self.surface = surface(&self.gpu.instance, &self.os)?;
                    configure(&self.gpu, &self.surface, &self.config)?;
                }
                Current::Timeout => break,
                Current::Validation => {
                    self.refused()?;
                    break;
                }
                // An event comes when the window is visible again.
                Current::Occluded => return Ok(None),
            }
        }
        self.os.request_redraw();
        Ok(None)
    }

    /// Notes that the surface gave no texture, as happens when the device is lost.
    fn refused(&mut self) -> Result<(), GpuError> {
        // A device that was shut down says so only when it is polled.
        let _any = self.gpu.device.poll(wgpu::PollType::Poll);
        self.refusals += 1;
        self.refusal = self.gpu.take_error();
        match &self.refusal {
            Some(lost @ GpuError::Lost(_)) => Err(lost.clone()),
            _ if self.refusals < MOST_REFUSALS => Ok(()),
            Some(error) => Err(error.clone()),
            None => Err(GpuError::NoSurface { details: "its surface gives no pictures".into() }),
        }
    }
}

/// The most bones that a processor draws with four samples of a pixel: more take it a quarter of a second and longer,
/// for which a key would wait. Bones have soft edges of their own.
const MOST_SMOOTH_BONES: usize = 1 << 14;

/// Returns whether a processor that draws takes four samples of the pixels of this picture where nothing moves.
fn may_be_smooth(frame: &Frame) -> bool {
    frame.bones.len() <= MOST_SMOOTH_BONES
}

fn surface(instance: &wgpu::Instance, window: &Arc<OsWindow>) -> Result<wgpu::Surface<'static>, GpuError> {
    instance.create_surface(Arc::clone(window)).map_err(|e| GpuError::NoSurface { details: e.to_string() })
}

/// Configures the surface. A surface that could not be configured must not be asked for textures: that panics.
fn configure(gpu: &Gpu, surface: &wgpu::Surface<'static>, config: &wgpu::SurfaceConfiguration) -> Result<(), GpuError> {
    gpu.scope(|| surface.configure(&gpu.device, config))
}

/// Chooses the format: eight bits, not sRGB where there is a choice, since egui blends in gamma space and the picture
/// is encoded when it is copied.
fn configuration(
    gpu: &Gpu,
    surface: &wgpu::Surface<'static>,
    size: PhysicalSize<u32>,
    measured: bool,
) -> Result<wgpu::SurfaceConfiguration, GpuError> {
    let capabilities = surface.get_capabilities(&gpu.adapter);
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let (width, height) = (size.width.clamp(1, limit), size.height.clamp(1, limit));
    let mut config = surface
        .get_default_config(&gpu.adapter, width, height)
        .ok_or_else(|| GpuError::NoSurface { details: "it has no usable format".into() })?;
    let plain = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
    if let Some(format) = plain.into_iter().find(|f| capabilities.formats.contains(f)) {
        config.format = format;
    }
    if gpu.software.kept_panels {
        config.usage |= capabilities.usages & wgpu::TextureUsages::COPY_DST;
    }
    config.present_mode = if measured { wgpu::PresentMode::AutoNoVsync } else { wgpu::PresentMode::AutoVsync };
    config.desired_maximum_frame_latency = 1;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Bone;

    #[test]
    fn a_picture_of_very_many_bones_is_drawn_once_by_a_processor() {
        let of = |bones: usize| Frame { bones: vec![Bone::default(); bones], ..Frame::default() };
        assert!(may_be_smooth(&of(0)) && may_be_smooth(&of(1000)));
        assert!(!may_be_smooth(&of(50_000)));
    }
}
