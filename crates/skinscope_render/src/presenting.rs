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
    /// The size of the last picture, pixels; `None` where there is none yet.
    #[must_use]
    pub fn picture_size(&self) -> Option<[u32; 2]> {
        self.target.as_ref().map(|target| target.size)
    }

    /// Copies what `part` has of the last picture onto `onto` (a texture of a window's surface that can be copied to), where the
    /// picture's corner is at `corner`, both in pixels of that texture; a part is x, y, width and height. Returns false where there is
    /// no picture, or where the formats forbid it ([`Renderer::present`] draws it).
    pub fn copy(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        onto: &wgpu::Texture,
        (corner, part): ([u32; 2], [u32; 4]),
    ) -> bool {
        // While pictures can be copied, the pipeline that would draw them is compiled in the background.
        if self.pipelines.waits && self.pipelines.present(gpu, onto.format()).is_none() {
            self.compile_missing();
        }
        let Some(target) = &self.target else { return false };
        let [x, y, width, height] = part;
        let is_inside = |i: usize| part[i] >= corner[i] && part[i] + part[i + 2] <= corner[i] + target.size[i];
        let fits = copies_onto(target.target_format.format, onto.format()) && is_inside(0) && is_inside(1);
        if fits && width * height > 0 {
            let from = wgpu::Origin3d { x: x - corner[0], y: y - corner[1], z: 0 };
            encoder.copy_texture_to_texture(
                wgpu::TexelCopyTextureInfo { origin: from, ..target.picture.as_image_copy() },
                wgpu::TexelCopyTextureInfo { origin: wgpu::Origin3d { x, y, z: 0 }, ..onto.as_image_copy() },
                wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            );
        }
        fits
    }

    /// Draws what `part` has of the last picture into `pass`, whose one target (without depth, single-sampled) has `format`; the
    /// picture's corner is at `corner`, both in pixels of that target. Viewport and scissor rectangle are left set to it.
    pub fn present(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        format: wgpu::TextureFormat,
        (corner, part): ([u32; 2], [u32; 4]),
    ) {
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
        let [x, y, width, height] = part;
        if width * height == 0 {
            return;
        }
        let ([left, top], [wide, high]) = (corner.map(|at| at as f32), target.size.map(|side| side as f32));
        pass.set_viewport(left, top, wide, high, 0.0, 1.0);
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
