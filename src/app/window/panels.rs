//! Paints what egui has laid out. The panels are painted into a texture of their own and copied from there, which costs
//! a processor that draws by itself far less than painting them in every frame.

use egui::TexturesDelta;
use egui::epaint::ClippedPrimitive;
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};

use crate::render::{Gpu, TextureKind};

/// The renderer of egui, and the texture that keeps the panels.
pub(crate) struct Panels {
    renderer: Renderer,
    layer: Option<(wgpu::Texture, wgpu::TextureView)>,
}

impl Panels {
    /// Makes the panels for targets of `format`.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        Self { renderer: Renderer::new(&gpu.device, format, options), layer: None }
    }

    /// Applies the changes of egui's textures.
    pub fn take_textures(&mut self, gpu: &Gpu, textures: &mut TexturesDelta) {
        for (id, deltas) in std::mem::take(&mut textures.set) {
            for delta in &deltas {
                self.renderer.update_texture(&gpu.device, &gpu.queue, id, delta);
            }
        }
    }

    /// Frees the textures that egui no longer needs.
    pub fn free_textures(&mut self, textures: &mut TexturesDelta) {
        std::mem::take(&mut textures.free).iter().for_each(|id| self.renderer.free_texture(id));
    }

    /// Uploads triangles to the device, in place of those that were painted last.
    pub fn upload(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        shapes: &[ClippedPrimitive],
        window: &ScreenDescriptor,
    ) {
        // The result holds the commands of callbacks, of which there are none.
        self.renderer.update_buffers(&gpu.device, &gpu.queue, encoder, shapes, window);
    }

    /// Paints what was uploaded.
    pub fn paint(&self, pass: wgpu::RenderPass<'_>, shapes: &[ClippedPrimitive], window: &ScreenDescriptor) {
        self.renderer.render(&mut pass.forget_lifetime(), shapes, window);
    }

    /// Returns the texture in which panels are kept, for a window of `size` pixels, and true where nothing is in it
    /// yet.
    pub fn layer(
        &mut self,
        gpu: &Gpu,
        size: [u32; 2],
        format: wgpu::TextureFormat,
    ) -> (wgpu::Texture, wgpu::TextureView, bool) {
        let [width, height] = size;
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        if let Some((texture, view)) = self.layer.as_ref().filter(|(t, _)| t.size() == extent) {
            return (texture.clone(), view.clone(), false);
        }
        self.layer = None;
        use wgpu::TextureUsages as U;
        let usage = U::RENDER_ATTACHMENT | U::COPY_SRC | U::COPY_DST | U::TEXTURE_BINDING;
        let texture = gpu.texture("panels", size, TextureKind::plain(format, usage));
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.layer = Some((texture.clone(), view.clone()));
        (texture, view, true)
    }
}

/// Returns everything that egui has on a device, for one that has nothing yet: the atlas of glyphs is its only texture.
/// From then on egui's own deltas carry the changes.
pub(crate) fn all_textures(egui: &egui::Context) -> TexturesDelta {
    let atlas = egui.fonts(|fonts| fonts.image());
    let mut textures = TexturesDelta::default();
    let options = egui::epaint::TextureAtlas::texture_options();
    textures.push(egui::TextureId::default(), egui::epaint::ImageDelta::full(atlas, options));
    textures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rebuilt device is given everything that egui draws with.
    #[test]
    fn egui_has_one_texture_and_all_of_it_is_given() {
        let egui = egui::Context::default();
        crate::app::ui::install(&egui);
        let mut first = TexturesDelta::default();
        for text in ["some", "glyphs", "that came later: ÄÖÜ"] {
            let output = egui.run_ui(egui::RawInput::default(), |ui| {
                ui.label(text);
            });
            first.append(output.textures_delta);
        }
        assert_eq!(egui.tex_manager().read().num_allocated(), 1);
        let mut all = all_textures(&egui);
        let [delta] = &all.set[&egui::TextureId::default()][..] else { panic!("not one image") };
        assert!(delta.is_whole() && all.free.is_empty());
        // They are the same as all deltas one after another.
        let (deltas, size) = (&first.set[&egui::TextureId::default()], delta.image.size());
        let mut pixels = vec![egui::Color32::TRANSPARENT; size[0] * size[1]];
        for delta in deltas {
            let egui::ImageData::Color(image) = &delta.image;
            let [left, top] = delta.pos.unwrap_or([0, 0]);
            for (y, row) in image.pixels.chunks(image.size[0]).enumerate() {
                let at = (top + y) * size[0] + left;
                pixels[at..at + row.len()].copy_from_slice(row);
            }
        }
        let egui::ImageData::Color(image) = &delta.image;
        assert!(image.pixels.iter().filter(|p| p.a() > 0).count() > 100);
        assert_eq!(image.pixels, pixels);
        first.clear();
        all.clear();
    }
}
