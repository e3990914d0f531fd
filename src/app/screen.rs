//! What goes when the device goes: the surface of the window, the renderer, egui's renderer. All of it is made anew from
//! what the window and the session keep.

use std::sync::Arc;

use egui_wgpu::ScreenDescriptor;
use winit::dpi::PhysicalSize;
use winit::event_loop::OwnedDisplayHandle;
use winit::window::Window as OsWindow;

use crate::frame::{Background, Frame};
use crate::render::{Backend, Gpu, GpuError, Renderer};

/// What egui made of the last pass.
#[derive(Default)]
pub(super) struct Painted {
    pub shapes: Vec<egui::ClippedPrimitive>,
    pub textures: egui::TexturesDelta,
    pub pixels_per_point: f32,
    /// Of the viewport, pixels of the window.
    pub viewport: [u32; 4],
}

/// What came of a frame.
pub(super) struct Presented {
    /// It is on the screen.
    pub shown: bool,
    /// Why the picture could not be drawn, and what the device said.
    pub errors: Vec<GpuError>,
}

/// Bytes of textures that go to the device with one frame: half of a 4096² image without its smaller levels.
const TEXTURE_STEP: u64 = 32 << 20;

/// Frames in a row for which the surface gave an error instead of a texture, before surface and device are given up.
const MOST_REFUSALS: u32 = 8;

/// What is asked of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes {
    pub backend: Backend,
    /// Frames do not wait for the display.
    pub measured: bool,
    /// Bytes for textures; `None`: as is usual for the adapter.
    pub texture_memory: Option<u64>,
}

/// A device that draws on a window.
pub(super) struct Screen {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    pub gpu: Gpu,
    renderer: Renderer,
    panels: egui_wgpu::Renderer,
    refusals: u32,
    /// Why, as it was told last.
    refusal: Option<GpuError>,
    os: Arc<OsWindow>,
}

impl Screen {
    /// A device for `os`.
    pub fn open(os: &Arc<OsWindow>, display: &OwnedDisplayHandle, wishes: Wishes) -> Result<Self, GpuError> {
        let display = || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(display.clone()) };
        let (gpu, surface) = Gpu::for_window(wishes.backend, &display, &|instance| surface(instance, os))?;
        let gpu = gpu.with_texture_memory(wishes.texture_memory);
        let config = configuration(&gpu, &surface, os.inner_size(), wishes.measured)?;
        configure(&gpu, &surface, &config)?;
        let options = egui_wgpu::RendererOptions { msaa_samples: 1, dithering: false, ..Default::default() };
        let panels = gpu.scope(|| egui_wgpu::Renderer::new(&gpu.device, config.format, options))?;
        let mut renderer = Renderer::new(&gpu);
        if !wishes.measured {
            renderer.set_texture_step(TEXTURE_STEP);
        }
        Ok(Self { surface, config, gpu, renderer, panels, refusals: 0, refusal: None, os: Arc::clone(os) })
    }

    /// Pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Pixels that a texture may have each way.
    pub fn most_pixels(&self) -> u32 {
        self.gpu.device.limits().max_texture_dimension_2d
    }

    /// What of the model is not drawn as its file has it.
    pub fn notices(&self) -> &[String] {
        self.renderer.notices()
    }

    /// Fits the surface to the window, as far as the device can.
    pub fn resize(&mut self, size: PhysicalSize<u32>) -> Result<(), GpuError> {
        let [width, height] = [size.width, size.height].map(|s| s.clamp(1, self.most_pixels()));
        (self.config.width, self.config.height) = (width, height);
        configure(&self.gpu, &self.surface, &self.config)
    }

    /// Draws the picture and the panels. An error means that nothing more can be drawn on this device.
    pub fn present(
        &mut self,
        painted: &mut Painted,
        frame: &Frame,
        background: Background,
    ) -> Result<Presented, GpuError> {
        let Some(texture) = self.next_texture()? else {
            let errors = self.refusal.take().into_iter().chain(self.gpu.take_error()).collect();
            return Ok(Presented { shown: false, errors });
        };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let viewport = painted.viewport;
        let has_room = viewport[2] > 0 && viewport[3] > 0;
        let drawn = has_room.then(|| self.renderer.draw(&self.gpu, frame, [viewport[2], viewport[3]]).err());
        let mut errors: Vec<GpuError> = drawn.iter().flatten().cloned().collect();
        if drawn == Some(None) && self.renderer.has_news() {
            self.os.request_redraw();
        }
        if self.gpu.is_lost() {
            return Err(self.gpu.take_error().unwrap_or_else(|| GpuError::Lost("it is gone".into())));
        }
        let Gpu { device, queue, .. } = &self.gpu;
        for (id, deltas) in std::mem::take(&mut painted.textures.set) {
            for delta in &deltas {
                self.panels.update_texture(device, queue, id, delta);
            }
        }
        let screen = ScreenDescriptor { size_in_pixels: self.size(), pixels_per_point: painted.pixels_per_point };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("window") });
        let mut uploads = self.panels.update_buffers(device, queue, &mut encoder, &painted.shapes, &screen);
        {
            let load = wgpu::LoadOp::Clear(clear_color(background));
            let mut pass = encoder
                .begin_render_pass(&wgpu::RenderPassDescriptor {
                    label: Some("window"),
                    color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                        view: &view,
                        depth_slice: None,
                        resolve_target: None,
                        ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
                    })],
                    ..Default::default()
                })
                .forget_lifetime();
            if drawn == Some(None) {
                self.renderer.present(&self.gpu, &mut pass, self.config.format, viewport);
            }
            self.panels.render(&mut pass, &painted.shapes, &screen);
        }
        uploads.push(encoder.finish());
        queue.submit(uploads);
        self.os.pre_present_notify();
        queue.present(texture);
        for id in std::mem::take(&mut painted.textures.free) {
            self.panels.free_texture(&id);
        }
        match self.gpu.take_error() {
            Some(lost @ GpuError::Lost(_)) => return Err(lost),
            error => errors.extend(error),
        }
        Ok(Presented { shown: true, errors })
    }

    /// The next texture of the surface; `None` when this frame is to be skipped.
    fn next_texture(&mut self) -> Result<Option<wgpu::SurfaceTexture>, GpuError> {
        use wgpu::CurrentSurfaceTexture as Current;
        for attempt in 0..2 {
            match self.surface.get_current_texture() {
                Current::Suboptimal(texture) if attempt == 0 => {
                    // A texture that is still held forbids a new configuration.
                    drop(texture);
                    self.resize(self.os.inner_size())?;
                }
                Current::Success(texture) | Current::Suboptimal(texture) => {
                    self.refusals = 0;
                    return Ok(Some(texture));
                }
                // The window may have changed before word of it came.
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
                // It is told when the window is seen again.
                Current::Occluded => return Ok(None),
            }
        }
        self.os.request_redraw();
        Ok(None)
    }

    /// The surface gave no texture, as it does when the device is lost.
    fn refused(&mut self) -> Result<(), GpuError> {
        // A device that was shut down says so only when it is asked.
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

fn surface(instance: &wgpu::Instance, window: &Arc<OsWindow>) -> Result<wgpu::Surface<'static>, GpuError> {
    instance.create_surface(Arc::clone(window)).map_err(|e| GpuError::NoSurface { details: e.to_string() })
}

/// A surface that could not be configured must not be asked for textures: that panics.
fn configure(gpu: &Gpu, surface: &wgpu::Surface<'static>, config: &wgpu::SurfaceConfiguration) -> Result<(), GpuError> {
    gpu.scope(|| surface.configure(&gpu.device, config))
}

/// Eight bits, not sRGB where there is a choice: egui blends in gamma space and the picture is encoded when it is copied.
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
    config.present_mode = if measured { wgpu::PresentMode::AutoNoVsync } else { wgpu::PresentMode::AutoVsync };
    config.desired_maximum_frame_latency = 1;
    Ok(config)
}

/// What is seen where neither picture nor panels are: the outer colour of the background, as egui would write it.
fn clear_color(background: Background) -> wgpu::Color {
    let [r, g, b] = match background {
        Background::Solid(color) | Background::Studio { outer: color, .. } => color,
        Background::Transparent => [0.0; 3],
    };
    wgpu::Color { r: r.into(), g: g.into(), b: b.into(), a: 1.0 }
}
