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
        let usage = U::RENDER_ATTACHMENT | U::COPY_SRC | U::TEXTURE_BINDING;
        let texture = gpu.texture("panels", size, TextureKind::plain(format, usage));
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.layer = Some((texture.clone(), view.clone()));
        (texture, view, true)
    }
}
