//! Shows the last picture on the surface of a window.

use super::Renderer;
use super::bindings::entry;
use super::gpu::Gpu;

/// What presents one picture to targets of one format.
#[derive(Debug)]
pub(super) struct PresentGroup {
    picture: wgpu::Texture,
    format: wgpu::TextureFormat,
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

/// Copies, scales and blends onto surfaces.
impl Renderer {
    /// Copies the last picture into `rect` of `onto` (a texture of a window's surface that can be copied to): x, y, width and
    /// height in pixels. Returns false where there is no picture, where the formats forbid it, or where the picture has another
    /// size ([`Renderer::present`] scales it).
    pub fn copy(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        onto: &wgpu::Texture,
        [x, y, width, height]: [u32; 4],
    ) -> bool {
        // While pictures fit, the pipeline that would scale them is compiled in the background.
        if self.pipelines.waits && self.pipelines.present(gpu, onto.format()).is_none() {
            self.compile_missing();
        }
        let Some(target) = &self.target else { return false };
        let fits = copies_onto(target.target_format.format, onto.format()) && target.size == [width, height];
        if fits {
            let origin = wgpu::Origin3d { x, y, z: 0 };
            let destination = wgpu::TexelCopyTextureInfo { origin, ..onto.as_image_copy() };
            encoder.copy_texture_to_texture(target.picture.as_image_copy(), destination, target.picture.size());
        }
        fits
    }

    /// Draws the last picture into `pass`, whose one target (without depth, single-sampled) has `format`. `rect` is x,
    /// y, width and height in pixels of that target; viewport and scissor rectangle are left set to it.
    pub fn present(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, format: wgpu::TextureFormat, rect: [u32; 4]) {
        let Some(target) = &self.target else { return };
        let fits = |p: &PresentGroup| p.picture == target.picture && p.format == format;
        if !self.present.as_ref().is_some_and(fits) {
            let Some(pipeline) = self.pipelines.present(gpu, format) else {
                self.compile_missing();
                return;
            };
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

    /// Returns whether [`Renderer::blend`] can blend layers of `format`; while it cannot, what it needs is compiled in the
    /// background.
    pub fn can_blend(&mut self, gpu: &Gpu, format: wgpu::TextureFormat) -> bool {
        let can = self.pipelines.blend(gpu, format).is_some();
        if !can {
            self.compile_missing();
        }
        can
    }

    /// Blends parts of `layer` over what `pass` has drawn, pixel on pixel. Layer and the one target of the pass (without
    /// depth, single-sampled) have the same size and `format`; the colours of the layer are multiplied by their alpha.
    /// `places` are x, y, width and height of the parts in pixels; the scissor rectangle is left set to the last one. Draws
    /// nothing unless [`Renderer::can_blend`].
    pub fn blend(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        (layer, format): (&wgpu::TextureView, wgpu::TextureFormat),
        places: &[[u32; 4]],
    ) {
        let Some(pipeline) = self.pipelines.blend(gpu, format).filter(|_| !places.is_empty()) else { return };
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("blend"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[entry(0, wgpu::BindingResource::TextureView(layer))],
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        for [x, y, width, height] in places.iter().copied() {
            pass.set_scissor_rect(x, y, width, height);
            pass.draw(0..3, 0..1);
        }
    }
}

/// True where a picture of one format can be copied into a texture of the other as it is.
pub(super) fn copies_onto(picture: wgpu::TextureFormat, surface: wgpu::TextureFormat) -> bool {
    use wgpu::TextureFormat as F;
    matches!((picture, surface), (F::Rgba8UnormSrgb, F::Rgba8Unorm) | (F::Bgra8UnormSrgb, F::Bgra8Unorm))
}
