//! One window: surface, egui, and the two layers of a frame (the picture below, panels above).

use std::sync::Arc;

use egui_wgpu::ScreenDescriptor;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::window::Window as OsWindow;

use super::settings::Settings;
use super::ui::{self, Status, UiState};
use super::{AppError, Wake};
use crate::frame::{Background, Frame};
use crate::model::BlockFormats;
use crate::render::{Backend, Gpu, GpuError, Renderer};
use crate::session::{Command, Session};

/// What egui made of the last pass.
#[derive(Default)]
struct Painted {
    shapes: Vec<egui::ClippedPrimitive>,
    textures: egui::TexturesDelta,
    pixels_per_point: f32,
    /// Of the viewport, pixels of the window.
    viewport: [u32; 4],
}

pub(super) struct Window {
    // Fields drop in this order: the surface before the window it lies on.
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    renderer: Renderer,
    panels: egui_wgpu::Renderer,
    egui: egui::Context,
    input: egui_winit::State,
    painted: Painted,
    /// Size zero (minimised): nothing can be presented.
    hidden: bool,
    /// Why the model cannot be drawn, as it was told last; told once.
    refused: Option<GpuError>,
    untold: Option<GpuError>,
    os: Arc<OsWindow>,
}

impl Window {
    /// Opens a window of `pixels` (else as remembered), with a surface and egui on it.
    pub(super) fn open(
        event_loop: &ActiveEventLoop,
        proxy: &EventLoopProxy<Wake>,
        settings: &Settings,
        pixels: Option<[u32; 2]>,
        backend: Backend,
    ) -> Result<Self, AppError> {
        let attributes = OsWindow::default_attributes()
            .with_title("Skinscope")
            .with_visible(false)
            .with_min_inner_size(LogicalSize::new(SMALLEST[0], SMALLEST[1]));
        let attributes = match (pixels, settings.size) {
            (Some([w, h]), _) => {
                attributes.with_inner_size(PhysicalSize::new(w, h)).with_min_inner_size(PhysicalSize::new(1, 1))
            }
            (None, [w, h]) if w >= SMALLEST[0] && h >= SMALLEST[1] => {
                attributes.with_inner_size(LogicalSize::new(w, h))
            }
            _ => attributes.with_inner_size(default_size(event_loop)),
        };
        let os = event_loop.create_window(attributes).map_err(|e| AppError::NoDisplay(e.to_string()))?;
        let os = Arc::new(os);
        let display = event_loop.owned_display_handle();
        let (gpu, surface) =
            Gpu::for_window(backend, &|| Box::new(display.clone()), &|instance| surface(instance, &os))?;
        let size = os.inner_size();
        let config = configuration(&gpu, &surface, size, pixels.is_some())?;
        surface.configure(&gpu.device, &config);

        let egui = egui::Context::default();
        ui::install(&egui);
        let limit = gpu.device.limits().max_texture_dimension_2d as usize;
        let scale = Some(os.scale_factor() as f32);
        let mut input = egui_winit::State::new(egui.clone(), egui::ViewportId::ROOT, &*os, scale, None, Some(limit));
        input.init_accesskit(event_loop, &os, proxy.clone());
        let options = egui_wgpu::RendererOptions { msaa_samples: 1, dithering: false, ..Default::default() };
        let panels = egui_wgpu::Renderer::new(&gpu.device, config.format, options);
        let renderer = Renderer::new(&gpu);
        os.set_visible(true);
        Ok(Self {
            surface,
            config,
            gpu,
            renderer,
            panels,
            egui,
            input,
            painted: Painted::default(),
            hidden: size.width == 0 || size.height == 0,
            refused: None,
            untold: None,
            os,
        })
    }

    pub(super) fn adapter_name(&self) -> String {
        let info = &self.gpu.info;
        format!("{} ({:?})", info.name, info.backend)
    }

    pub(super) fn block_formats(&self) -> BlockFormats {
        self.gpu.block_formats()
    }

    pub(super) fn set_title(&mut self, session: &Session) {
        let title = session.document.as_ref().map(|d| format!("{} — Skinscope", d.model.source.name));
        self.os.set_title(title.as_deref().unwrap_or("Skinscope"));
    }

    pub(super) fn request_redraw(&self) {
        self.os.request_redraw();
    }

    pub(super) fn size_in_points(&self) -> [f32; 2] {
        let size = self.os.inner_size().to_logical(self.os.scale_factor());
        [size.width, size.height]
    }

    pub(super) fn wants_keyboard(&self) -> bool {
        self.egui.egui_wants_keyboard_input() || egui::Popup::is_any_open(&self.egui)
    }

    /// What the GPU could not do, once.
    pub(super) fn take_gpu_error(&mut self) -> Option<String> {
        self.gpu.take_error().or_else(|| self.untold.take()).map(|e| e.to_string())
    }

    /// What of the model is not drawn as its file has it.
    pub(super) fn notices(&self) -> &[String] {
        self.renderer.notices()
    }

    /// Gives an event to egui; true when egui has used it up.
    pub(super) fn on_event(&mut self, event: &WindowEvent) -> bool {
        let response = self.input.on_window_event(&self.os, event);
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            self.os.request_redraw();
        }
        response.consumed
    }

    pub(super) fn on_accesskit(&mut self, event: egui_winit::accesskit_winit::Event) {
        use egui_winit::accesskit_winit::WindowEvent as Access;
        match event.window_event {
            Access::InitialTreeRequested => self.egui.enable_accesskit(),
            Access::ActionRequested(request) => self.input.on_accesskit_action_request(request),
            Access::AccessibilityDeactivated => self.egui.disable_accesskit(),
        }
        self.os.request_redraw();
    }

    pub(super) fn resize(&mut self, size: PhysicalSize<u32>) {
        self.hidden = size.width == 0 || size.height == 0;
        if !self.hidden {
            let limit = self.gpu.device.limits().max_texture_dimension_2d;
            (self.config.width, self.config.height) = (size.width.min(limit), size.height.min(limit));
            self.surface.configure(&self.gpu.device, &self.config);
            self.os.request_redraw();
        }
    }

    /// Lays out the panels and gives back what they ask for.
    pub(super) fn run_ui(
        &mut self,
        event_loop: &ActiveEventLoop,
        session: &Session,
        state: &mut UiState,
        status: &Status,
    ) -> Vec<Command> {
        let raw = self.input.take_egui_input(&self.os);
        let mut commands = Vec::new();
        let mut area = egui::Rect::ZERO;
        // A pass that egui discards may be the one that saw the click, so its commands count too.
        let output = self.egui.run_ui(raw, |ui| {
            area = ui::show(ui, session, state, status, &mut commands).rect;
        });
        self.input.handle_platform_output_with_event_loop(&self.os, event_loop, output.platform_output);
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|v| v.repaint_delay);
        match delay {
            Some(delay) if delay.is_zero() => self.os.request_redraw(),
            Some(delay) => {
                let at = std::time::Instant::now().checked_add(delay);
                event_loop.set_control_flow(at.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
            }
            None => event_loop.set_control_flow(ControlFlow::Wait),
        }
        let scale = output.pixels_per_point;
        self.painted.shapes = self.egui.tessellate(output.shapes, scale);
        self.painted.textures.append(output.textures_delta);
        self.painted.pixels_per_point = scale;
        self.painted.viewport = self.pixels(area, scale);
        commands
    }

    /// A rectangle of points as x, y, width, height in pixels inside the surface.
    fn pixels(&self, area: egui::Rect, scale: f32) -> [u32; 4] {
        let clamp = |v: f32, max: u32| (v * scale).round().clamp(0.0, max as f32) as u32;
        let (x, y) = (clamp(area.min.x, self.config.width), clamp(area.min.y, self.config.height));
        let (right, bottom) = (clamp(area.max.x, self.config.width), clamp(area.max.y, self.config.height));
        [x, y, right.saturating_sub(x), bottom.saturating_sub(y)]
    }

    /// Draws the picture and the panels; false when there was nothing to draw on.
    pub(super) fn present(&mut self, frame: &Frame, background: Background, measured: bool) -> Result<bool, GpuError> {
        if self.hidden {
            return Ok(false);
        }
        let Some(texture) = self.next_texture(measured)? else { return Ok(false) };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let viewport = self.painted.viewport;
        let has_room = viewport[2] > 0 && viewport[3] > 0;
        let shown = has_room && self.draw(frame, [viewport[2], viewport[3]]);
        let Gpu { device, queue, .. } = &self.gpu;
        for (id, deltas) in std::mem::take(&mut self.painted.textures.set) {
            for delta in &deltas {
                self.panels.update_texture(device, queue, id, delta);
            }
        }
        let screen = ScreenDescriptor {
            size_in_pixels: [self.config.width, self.config.height],
            pixels_per_point: self.painted.pixels_per_point,
        };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("window") });
        let mut uploads = self.panels.update_buffers(device, queue, &mut encoder, &self.painted.shapes, &screen);
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
            if shown {
                self.renderer.present(&self.gpu, &mut pass, self.config.format, viewport);
            }
            self.panels.render(&mut pass, &self.painted.shapes, &screen);
        }
        uploads.push(encoder.finish());
        queue.submit(uploads);
        self.os.pre_present_notify();
        queue.present(texture);
        for id in std::mem::take(&mut self.painted.textures.free) {
            self.panels.free_texture(&id);
        }
        Ok(true)
    }

    /// Draws the picture; a model that the GPU cannot take is told once, and the panels go on.
    fn draw(&mut self, frame: &Frame, size: [u32; 2]) -> bool {
        match self.renderer.draw(&self.gpu, frame, size) {
            Ok(_) => {
                self.refused = None;
                true
            }
            Err(error) => {
                if self.refused.as_ref() != Some(&error) {
                    self.refused = Some(error.clone());
                    self.untold = Some(error);
                }
                false
            }
        }
    }

    /// The next texture of the surface; `None` when this frame is to be skipped.
    fn next_texture(&mut self, measured: bool) -> Result<Option<wgpu::SurfaceTexture>, GpuError> {
        use wgpu::CurrentSurfaceTexture as Current;
        for attempt in 0..2 {
            match self.surface.get_current_texture() {
                Current::Success(texture) => return Ok(Some(texture)),
                Current::Suboptimal(texture) if attempt > 0 => return Ok(Some(texture)),
                Current::Suboptimal(texture) => {
                    // A texture that is still held forbids a new configuration.
                    drop(texture);
                    self.surface.configure(&self.gpu.device, &self.config);
                }
                Current::Outdated => self.surface.configure(&self.gpu.device, &self.config),
                Current::Lost => {
                    self.surface = surface(&self.gpu.instance, &self.os)?;
                    self.config = configuration(&self.gpu, &self.surface, self.os.inner_size(), measured)?;
                    self.surface.configure(&self.gpu.device, &self.config);
                }
                Current::Timeout | Current::Validation => {
                    self.os.request_redraw();
                    return Ok(None);
                }
                Current::Occluded => return Ok(None),
            }
        }
        self.os.request_redraw();
        Ok(None)
    }
}

/// Points. In less, three panels leave no room for the picture.
const SMALLEST: [f32; 2] = [960.0, 600.0];

/// 1440 × 900 points, or nine tenths of a smaller screen.
fn default_size(event_loop: &ActiveEventLoop) -> LogicalSize<f64> {
    let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let screen = monitor.map(|m| m.size().to_logical::<f64>(m.scale_factor())).filter(|s| s.width > 0.0);
    let (width, height) = screen.map_or((1440.0, 900.0), |s| (s.width * 0.9, s.height * 0.9));
    LogicalSize::new(width.min(1440.0), height.min(900.0))
}

fn surface(instance: &wgpu::Instance, window: &Arc<OsWindow>) -> Result<wgpu::Surface<'static>, GpuError> {
    instance.create_surface(Arc::clone(window)).map_err(|e| GpuError::NoSurface { details: e.to_string() })
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
