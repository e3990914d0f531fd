//! The picture of what lies behind glass, and smaller and smaller versions of it for glass that blurs.

use super::bindings::entry;
use super::gpu::{Gpu, TextureKind};
use super::pipelines::Pipelines;
use super::target::SceneTarget;

/// One texture with all its levels.
#[derive(Debug)]
pub(super) struct TransmissionTexture {
    texture: wgpu::Texture,
    /// The level that the scene is resolved into.
    pub first: wgpu::TextureView,
    /// All levels.
    pub view: wgpu::TextureView,
    pub sampler: wgpu::Sampler,
    /// For each smaller level, the view that it is drawn into and the group that binds the level above it.
    steps: Vec<(wgpu::TextureView, wgpu::BindGroup)>,
    pipeline: wgpu::RenderPipeline,
}

impl TransmissionTexture {
    /// Creates the texture for a picture of `size` pixels; returns `None` where the picture cannot wait for the pipeline.
    pub fn new(gpu: &Gpu, pipelines: &mut Pipelines, size: [u32; 2]) -> Option<Self> {
        let pipeline = pipelines.transmission(gpu)?;
        let levels = 32 - size[0].max(size[1]).leading_zeros();
        use wgpu::TextureUsages as U;
        let usage = U::RENDER_ATTACHMENT | U::TEXTURE_BINDING | U::COPY_DST;
        let kind = TextureKind { levels, ..TextureKind::plain(pipelines.target_format.format, usage) };
        let texture = gpu.texture("behind", size, kind);
        let level = |level| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level: level,
                mip_level_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let linear = wgpu::FilterMode::Linear;
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("behind"),
            mag_filter: linear,
            min_filter: linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let step = |n| {
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("behind"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    entry(0, wgpu::BindingResource::TextureView(&level(n - 1))),
                    entry(1, wgpu::BindingResource::Sampler(&sampler)),
                ],
            });
            (level(n), group)
        };
        let steps = (1..levels).map(step).collect();
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Some(Self { first: level(0), texture, view, sampler, steps, pipeline })
    }

    /// Takes what `target` shows, unless that was resolved into `first`, and computes each smaller level from the one
    /// above it.
    pub fn take(&self, target: &SceneTarget, encoder: &mut wgpu::CommandEncoder) {
        if target.target_format.samples == 1 {
            let size = target.picture.size();
            encoder.copy_texture_to_texture(target.picture.as_image_copy(), self.texture.as_image_copy(), size);
        }
        for (view, larger) in &self.steps {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("behind"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, larger, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}
