//! Draws a frame of the window: the picture, and what egui has laid out around and over it.

use egui::Color32;
use egui_wgpu::ScreenDescriptor;

use super::paint_jobs::{LaidOut, UiPaintJobs, common, filled_around};
use super::screen::{AntialiasingRequest, PresentResult, Screen};
use crate::frame::{Background, Frame};
use crate::render::GpuError;

/// The picture of a frame, as it is shown.
struct ShownPicture {
    /// Where its upper left corner is, pixels of the window.
    corner: [u32; 2],
    /// The part of the window that shows it: x, y, width and height in pixels; `None` where it could not be drawn.
    part: Option<[u32; 4]>,
    /// Whether it shows the frame, and not an earlier one.
    is_new: bool,
    /// Why it could not be drawn.
    error: Option<GpuError>,
}

impl Screen {
    /// Draws the picture and the panels. While a picture cannot be drawn yet, the one before stays where it was and in its size,
    /// with what was over it. An error means that nothing more can be drawn on this device.
    pub fn present(
        &mut self,
        painted: &mut UiPaintJobs,
        (egui, laid_out): (&egui::Context, Option<LaidOut>),
        frame: &Frame,
        background: Background,
        edges: AntialiasingRequest,
    ) -> Result<PresentResult, GpuError> {
        self.refine(frame, edges);
        let size = self.size();
        let Some(texture) = self.next_texture(size)? else {
            let errors = self.refusal.take().into_iter().chain(self.gpu.take_error()).collect();
            return Ok(PresentResult { shown: false, errors });
        };
        let viewport = laid_out.as_ref().map_or(painted.viewport, LaidOut::viewport);
        let ShownPicture { corner, mut part, is_new, error } = self.draw(frame, viewport)?;
        if let Some(laid_out) = laid_out {
            self.take(painted, egui, laid_out, is_new);
            // What the earlier picture leaves of its place.
            let rest = part.filter(|part| self.keeps_panels() && *part != viewport);
            if let Some(rest) = rest.and_then(|part| filled_around(viewport, part, color(background), painted.scale)) {
                painted.shapes.insert(painted.changed, rest);
            }
        }
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.panels.take_textures(&self.gpu, &mut painted.textures);
        let mut encoder = self.encoder();
        self.renderer.begin_panels(&mut encoder);
        let window = ScreenDescriptor { size_in_pixels: size, pixels_per_point: painted.scale };
        let mut load = wgpu::LoadOp::Clear(clear_color(background));
        let mut kept = None;
        if self.keeps_panels() {
            let (layer, layer_view) = self.paint_kept(painted, &mut encoder, &window);
            encoder.copy_texture_to_texture(layer.as_image_copy(), texture.texture.as_image_copy(), layer.size());
            load = wgpu::LoadOp::Load;
            part = part.filter(|part| !self.renderer.copy(&self.gpu, &mut encoder, &texture.texture, (corner, *part)));
            if painted.opaque[2] * painted.opaque[3] > 0 {
                if let Some(part) = part.take() {
                    let mut pass = begin(&mut encoder, &view, load);
                    self.renderer.present(&self.gpu, &mut pass, self.config.format, (corner, part));
                }
                copy_rect(&mut encoder, &layer, &texture.texture, painted.opaque);
            }
            kept = Some(layer_view);
        }
        let over = &painted.shapes[painted.changed..];
        self.panels.upload(&self.gpu, &mut encoder, over, &window);
        {
            let mut pass = begin(&mut encoder, &view, load);
            if let Some(part) = part {
                self.renderer.present(&self.gpu, &mut pass, self.config.format, (corner, part));
            }
            if let Some(layer) = &kept {
                pass.set_viewport(0.0, 0.0, size[0] as f32, size[1] as f32, 0.0, 1.0);
                self.renderer.blend(&self.gpu, &mut pass, (layer, self.config.format), &painted.blended);
            }
            self.panels.paint(pass, over, &window);
        }
        self.renderer.submit_panels(&self.gpu, encoder);
        self.os.pre_present_notify();
        self.gpu.queue.present(texture);
        self.panels.free_textures(&mut painted.textures);
        match self.gpu.take_error() {
            Some(lost @ GpuError::Lost(_)) => Err(lost),
            later => Ok(PresentResult { shown: true, errors: error.into_iter().chain(later).collect() }),
        }
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("window") })
    }

    /// Draws the picture for `viewport`: x, y, width and height in pixels of the window.
    fn draw(&mut self, frame: &Frame, viewport: [u32; 4]) -> Result<ShownPicture, GpuError> {
        let [_, _, width, height] = viewport;
        let has_room = width > 0 && height > 0;
        let drawn = has_room.then(|| self.renderer.draw(&self.gpu, frame, [width, height]).err());
        let is_there = drawn == Some(None);
        if is_there && self.renderer.has_news() {
            self.os.request_redraw();
        }
        if self.gpu.is_lost() {
            return Err(self.gpu.take_error().unwrap_or_else(|| GpuError::Lost("it is gone".into())));
        }
        let is_new = is_there && !self.renderer.lacks_pipelines();
        let size = self.renderer.picture_size().filter(|_| is_there);
        if is_new || size.is_some_and(|size| size != self.picture_at[2..]) {
            self.picture_at = viewport;
        }
        let [x, y, ..] = self.picture_at;
        let part = size.map(|[width, height]| common(viewport, [x, y, width, height]));
        Ok(ShownPicture { corner: [x, y], part, is_new, error: drawn.flatten() })
    }

    /// Makes `painted` what egui has laid out; `is_new`: the picture is the one that it was laid out for.
    fn take(&mut self, painted: &mut UiPaintJobs, egui: &egui::Context, laid_out: LaidOut, is_new: bool) {
        let keeps = self.keeps_panels();
        let mut can_blend = || self.renderer.can_blend(&self.gpu, self.config.format);
        let kept: Option<&mut dyn FnMut() -> bool> = if keeps { Some(&mut can_blend) } else { None };
        painted.take(egui, laid_out, is_new, kept);
    }

    /// Paints what has changed of the kept panels. Returns the texture that keeps them, and a view of it.
    fn paint_kept(
        &mut self,
        painted: &UiPaintJobs,
        encoder: &mut wgpu::CommandEncoder,
        window: &ScreenDescriptor,
    ) -> (wgpu::Texture, wgpu::TextureView) {
        let below = &painted.shapes[..painted.changed];
        let (layer, view, is_new) = self.panels.layer(&self.gpu, window.size_in_pixels, self.config.format);
        if !below.is_empty() {
            let clears = is_new || painted.clears;
            if !clears {
                painted.emptied.iter().for_each(|place| self.gpu.empty_rect(&layer, *place));
            }
            let load = if clears { wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT) } else { wgpu::LoadOp::Load };
            self.panels.upload(&self.gpu, encoder, below, window);
            self.panels.paint(begin(encoder, &view, load), below, window);
            // The next paint is uploaded to the same place.
            let next = self.encoder();
            self.gpu.queue.submit([std::mem::replace(encoder, next).finish()]);
        }
        (layer, view)
    }
}

/// Copies a rectangle of pixels of a texture to the same place of another one.
fn copy_rect(encoder: &mut wgpu::CommandEncoder, from: &wgpu::Texture, to: &wgpu::Texture, rect: [u32; 4]) {
    let [x, y, width, height] = rect;
    let origin = wgpu::Origin3d { x, y, z: 0 };
    let [from, to] = [from, to].map(|texture| wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() });
    encoder.copy_texture_to_texture(from, to, wgpu::Extent3d { width, height, depth_or_array_layers: 1 });
}

/// Begins a pass over what the window shows, or over the texture that keeps it.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    let color = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("window"),
        color_attachments: &[Some(color)],
        ..wgpu::RenderPassDescriptor::default()
    })
}

/// Returns the colour where neither picture nor panels are: the outer colour of the background, as egui would write it.
fn outer(background: Background) -> [f32; 3] {
    match background {
        Background::Solid(color) | Background::Studio { outer: color, .. } => color,
        Background::Transparent => [0.0; 3],
    }
}

fn clear_color(background: Background) -> wgpu::Color {
    let [r, g, b] = outer(background).map(f64::from);
    wgpu::Color { r, g, b, a: 1.0 }
}

/// Returns the same colour, 0…255.
pub(super) fn bytes(background: Background) -> [u8; 3] {
    outer(background).map(|c| (255.0 * c).round() as u8)
}

fn color(background: Background) -> Color32 {
    let [r, g, b] = bytes(background);
    Color32::from_rgb(r, g, b)
}
