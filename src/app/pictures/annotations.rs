//! Paints what the panels show over the picture, legend and names, into a picture that is drawn without a window.

use egui::{FullOutput, Pos2, RawInput, Rect, TexturesDelta, ViewportId, vec2};
use egui_wgpu::ScreenDescriptor;

use crate::app::ui::fonts::{FallbackFonts, FontFolders, search};
use crate::app::ui::{self, NameCount, Over};
use crate::app::window::panels::Panels;
use crate::render::{Gpu, GpuError, read_texture};
use crate::session::Session;

/// The least and the greatest height of a picture in which letters are as large as in a window without scaling, pixels. They grow with
/// larger ones, as on a screen with so many pixels, and shrink with smaller ones.
const USUAL_HEIGHTS: [f32; 2] = [480.0, 1080.0];

/// The size of a picture beside a page in which letters are as large as in a window without scaling, pixels. They grow with it, since what is
/// read stands in it.
const USUAL_BESIDE_PAGE: [f32; 2] = [1280.0, 720.0];

/// Returns how many pixels a point of letters has in a picture of `size` pixels, with a page or without.
fn letters([width, height]: [u32; 2], has_page: bool) -> f32 {
    let (width, height) = (width as f32, height as f32);
    let scale = match has_page {
        // A taller picture has room for more of a page.
        true => (width / USUAL_BESIDE_PAGE[0]).min(height / USUAL_BESIDE_PAGE[1]),
        false => (height / USUAL_HEIGHTS[0]).min(1.0).max(height / USUAL_HEIGHTS[1]),
    };
    scale.clamp(0.75, 4.0)
}

/// The panels without a window.
pub struct Annotations {
    egui: egui::Context,
    fonts: FallbackFonts,
    panels: Panels,
    light: bool,
}

impl Annotations {
    /// Makes them for a device, in the light theme or the dark one.
    #[must_use]
    pub fn new(gpu: &Gpu, light: bool) -> Self {
        let egui = egui::Context::default();
        ui::install(&egui);
        let fonts = FallbackFonts::default();
        fonts.install(&egui);
        Self { egui, fonts, panels: Panels::new(gpu, FORMAT), light }
    }

    /// Paints what `over` names into `rgba`, a picture of `size` pixels (8 bits each, sRGB, straight alpha, rows from the top)
    /// that shows `session`. `scale`: how many pixels a point has; `None`: as many as are usual. Returns how many names of joints it has.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn paint(
        &mut self,
        gpu: &Gpu,
        session: &Session,
        (over, scale): (&Over, Option<f32>),
        size: [u32; 2],
        rgba: &mut [u8],
    ) -> Result<Option<NameCount>, GpuError> {
        let scale = scale.unwrap_or_else(|| letters(size, over.page > 0.0));
        let mut textures = TexturesDelta::default();
        let (mut output, mut names) = self.lay_out(session, over, size, scale, &mut textures);
        // Letters of other scripts are looked for once they are needed.
        if let Some(letters) = self.fonts.take_wanted() {
            self.fonts.add(&self.egui, search(&FontFolders::System, &letters));
            (output, names) = self.lay_out(session, over, size, scale, &mut textures);
        }
        let shapes = self.egui.tessellate(output.shapes, scale);
        self.panels.take_textures(gpu, &mut textures);
        let (texture, view, _) = self.panels.layer(gpu, size, FORMAT);
        let window = ScreenDescriptor { size_in_pixels: size, pixels_per_point: scale };
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("annotations") });
        self.panels.upload(gpu, &mut encoder, &shapes, &window);
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store };
        let color = wgpu::RenderPassColorAttachment { view: &view, depth_slice: None, resolve_target: None, ops };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("annotations"),
            color_attachments: &[Some(color)],
            ..wgpu::RenderPassDescriptor::default()
        });
        self.panels.paint(pass, &shapes, &window);
        gpu.queue.submit([encoder.finish()]);
        let painted = read_texture(gpu, &texture)?;
        self.panels.free_textures(&mut textures);
        for (below, over) in rgba.as_chunks_mut::<4>().0.iter_mut().zip(painted.as_chunks::<4>().0) {
            blend(below, *over);
        }
        Ok(names)
    }

    /// Lays out what is painted; `textures` receives the changes of egui's textures.
    fn lay_out(
        &self,
        session: &Session,
        over: &Over,
        size: [u32; 2],
        scale: f32,
        textures: &mut TexturesDelta,
    ) -> (FullOutput, Option<NameCount>) {
        let points = vec2(size[0] as f32, size[1] as f32) / scale;
        let mut lay_out = || {
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, points));
            let mut input = RawInput { screen_rect, ..RawInput::default() };
            input.viewports.entry(ViewportId::ROOT).or_default().native_pixels_per_point = Some(scale);
            let mut names = None;
            let mut output = self.egui.run_ui(input, |ui| names = ui::show_over(ui, session, over, self.light));
            textures.append(std::mem::take(&mut output.textures_delta));
            (output, names)
        };
        // A plate knows how high it is only after its first pass.
        lay_out();
        lay_out()
    }
}

/// What egui writes: gamma space, alpha multiplied in.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Lays a pixel with alpha multiplied in over one with straight alpha.
fn blend(below: &mut [u8; 4], over: [u8; 4]) {
    if over[3] == 0 && over[..3] == [0; 3] {
        return;
    }
    let left = (255 - u32::from(over[3])) * u32::from(below[3]);
    let alpha = 255 * u32::from(over[3]) + left;
    for (below, over) in below.iter_mut().zip(&over[..3]) {
        let sum = 255 * 255 * u32::from(*over) + u32::from(*below) * left;
        *below = sum.checked_div(alpha).map_or(0, |c| ((sum + alpha / 2) / alpha).min(255).max(c.min(255))) as u8;
    }
    below[3] = ((alpha + 127) / 255) as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_a_picture_are_as_large_as_in_a_window_of_its_size() {
        let of = |height| letters([2 * height, height], false);
        assert_eq!([480, 582, 720, 1080].map(of), [1.0; 4]);
        assert_eq!([240, 2160, 4320, 8192].map(of), [0.75, 2.0, 4.0, 4.0]);
        assert_eq!(letters([2560, 1440], true), 2.0);
    }
}
