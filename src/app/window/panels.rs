//! Paints what egui has laid out. The panels are painted into a texture of their own and copied from there, which costs
//! a processor that draws by itself far less than painting them in every frame.

use std::collections::HashMap;

use egui::epaint::{ClippedPrimitive, ImageDelta};
use egui::{TextureId, TexturesDelta};
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

/// The pictures that panels show, beside the atlas of glyphs: egui gives each once, and a device that is opened anew needs them again.
#[derive(Default)]
pub(crate) struct KeptPictures(HashMap<TextureId, ImageDelta>);

impl KeptPictures {
    /// Notes what a pass of egui has given and freed.
    pub fn note(&mut self, textures: &TexturesDelta) {
        for (id, deltas) in textures.set.iter().filter(|(id, _)| **id != TextureId::default()) {
            // A picture is given as a whole; parts of one would be of one that is here.
            self.0.extend(deltas.iter().filter(|delta| delta.is_whole()).map(|delta| (*id, delta.clone())));
        }
        textures.free.iter().for_each(|id| _ = self.0.remove(id));
    }
}

/// Returns everything that egui has on a device, for one that has nothing yet: the atlas of glyphs, and the pictures. From then on egui's
/// own deltas carry the changes.
pub(crate) fn all_textures(egui: &egui::Context, pictures: &KeptPictures) -> TexturesDelta {
    let atlas = egui.fonts(|fonts| fonts.image());
    let mut textures = TexturesDelta::default();
    let options = egui::epaint::TextureAtlas::texture_options();
    textures.push(TextureId::default(), ImageDelta::full(atlas, options));
    pictures.0.iter().for_each(|(id, picture)| textures.push(*id, picture.clone()));
    textures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rebuilt device is given everything that egui draws with.
    #[test]
    fn a_new_device_is_given_the_glyphs_and_the_pictures_that_are_still_shown() {
        let egui = egui::Context::default();
        crate::app::ui::install(&egui);
        let (mut first, mut pictures) = (TexturesDelta::default(), KeptPictures::default());
        let mut shown = Vec::new();
        for text in ["some", "glyphs", "that came later: ÄÖÜ"] {
            let output = egui.run_ui(egui::RawInput::default(), |ui| {
                ui.label(text);
                let red = egui::ColorImage::filled([text.len(), 2], egui::Color32::RED);
                shown.push(ui.ctx().load_texture(text, red, egui::TextureOptions::LINEAR));
            });
            pictures.note(&output.textures_delta);
            first.append(output.textures_delta);
        }
        // One of the pictures is no longer shown.
        drop(shown.remove(1));
        let output = egui.run_ui(egui::RawInput::default(), |_| ());
        pictures.note(&output.textures_delta);
        first.append(output.textures_delta);
        let mut all = all_textures(&egui, &pictures);
        assert_eq!((egui.tex_manager().read().num_allocated(), all.set.len()), (3, 3));
        for picture in &shown {
            let [delta] = &all.set[&picture.id()][..] else { panic!("not given once") };
            assert_eq!(delta.image.size(), picture.size());
        }
        let [delta] = &all.set[&TextureId::default()][..] else { panic!("not one image") };
        assert!(delta.is_whole() && all.free.is_empty());
        // They are the same as all deltas one after another.
        let (deltas, size) = (&first.set[&TextureId::default()], delta.image.size());
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
