//! Paints what egui has laid out. Painted once, the panels are kept in a texture of their own and copied from there, which
//! costs a processor that draws by itself far less than painting them in every frame.

use std::collections::HashMap;

use egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Primitive, Vertex};
use egui::{Rect, TextureFilter, TextureId, TextureOptions, TextureWrapMode, TexturesDelta};

use crate::deform::METHODS;
use crate::render::{Gpu, shader};

/// What egui has on the device.
pub(super) struct Panels {
    pipeline: wgpu::RenderPipeline,
    /// Points.
    size: [f32; 2],
    uniform: wgpu::Buffer,
    group: wgpu::BindGroup,
    textures: HashMap<TextureId, (wgpu::Texture, wgpu::BindGroup)>,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    jobs: Vec<Job>,
    bytes: [Vec<u8>; 2],
    layer: Option<(wgpu::Texture, wgpu::TextureView)>,
}

/// Triangles of one texture within a rectangle.
struct Job {
    texture: TextureId,
    /// x, y, width and height, pixels.
    scissor: [u32; 4],
    indices: std::ops::Range<u32>,
    first_vertex: i32,
}

const VERTEX: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x2, 1 => Float32x2, 2 => Unorm8x4];

impl Panels {
    /// For targets of `format`.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let source = wgpu::ShaderSource::Wgsl(shader::PANELS.link(METHODS[0], shader::PaletteIn::Storage).text.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("panels"), source });
        let fragment = if format.is_srgb() { "fs_panels_linear" } else { "fs_panels" };
        let vertex = wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &VERTEX,
        };
        // egui multiplies by alpha.
        let target = wgpu::ColorTargetState {
            format,
            blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        };
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("panels"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_panels"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(vertex)],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(target)],
            }),
            multiview_mask: None,
            cache: None,
        });
        let uniform = buffer(gpu, 16, wgpu::BufferUsages::UNIFORM);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("panels"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() }],
        });
        Self {
            pipeline,
            size: [0.0; 2],
            uniform,
            group,
            textures: HashMap::new(),
            vertices: buffer(gpu, 1 << 16, wgpu::BufferUsages::VERTEX),
            indices: buffer(gpu, 1 << 16, wgpu::BufferUsages::INDEX),
            jobs: Vec::new(),
            bytes: [Vec::new(), Vec::new()],
            layer: None,
        }
    }

    /// Takes over what egui has changed of its textures.
    pub fn take_textures(&mut self, gpu: &Gpu, textures: &mut TexturesDelta) {
        for (id, deltas) in std::mem::take(&mut textures.set) {
            for delta in &deltas {
                self.set_texture(gpu, id, delta);
            }
        }
    }

    /// Lets go of those that egui no longer needs.
    pub fn free_textures(&mut self, textures: &mut TexturesDelta) {
        for id in std::mem::take(&mut textures.free) {
            self.textures.remove(&id);
        }
    }

    fn set_texture(&mut self, gpu: &Gpu, id: TextureId, delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size.map(|s| s as u32);
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        if delta.pos.is_none() {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("panels"),
                size,
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Rgba8Unorm,
                usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            });
            let group = self.bind(gpu, &texture, delta.options);
            self.textures.insert(id, (texture, group));
        }
        let Some((texture, _)) = self.textures.get(&id) else { return };
        let [x, y] = delta.pos.unwrap_or_default().map(|p| p as u32);
        let place = wgpu::TexelCopyTextureInfo { origin: wgpu::Origin3d { x, y, z: 0 }, ..texture.as_image_copy() };
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
        gpu.queue.write_texture(place, bytemuck::cast_slice(&image.pixels), layout, size);
    }

    fn bind(&self, gpu: &Gpu, texture: &wgpu::Texture, options: TextureOptions) -> wgpu::BindGroup {
        let filter = |f| match f {
            TextureFilter::Nearest => wgpu::FilterMode::Nearest,
            TextureFilter::Linear => wgpu::FilterMode::Linear,
        };
        let wrap = match options.wrap_mode {
            TextureWrapMode::ClampToEdge => wgpu::AddressMode::ClampToEdge,
            TextureWrapMode::Repeat => wgpu::AddressMode::Repeat,
            TextureWrapMode::MirroredRepeat => wgpu::AddressMode::MirrorRepeat,
        };
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("panels"),
            address_mode_u: wrap,
            address_mode_v: wrap,
            mag_filter: filter(options.magnification),
            min_filter: filter(options.minification),
            ..wgpu::SamplerDescriptor::default()
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("panels"),
            layout: &self.pipeline.get_bind_group_layout(1),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        })
    }

    /// Brings triangles to the device, for a target of `size` pixels with `scale` of them to a point.
    pub fn upload(&mut self, gpu: &Gpu, shapes: &[ClippedPrimitive], size: [u32; 2], scale: f32) {
        let points = size.map(|s| s as f32 / scale);
        if self.size != points {
            self.size = points;
            gpu.queue.write_buffer(&self.uniform, 0, bytemuck::cast_slice(&points));
        }
        self.jobs.clear();
        self.bytes.iter_mut().for_each(Vec::clear);
        for shape in shapes {
            let Primitive::Mesh(mesh) = &shape.primitive else { continue };
            let [vertices, indices] = &mut self.bytes;
            let first = (indices.len() / size_of::<u32>()) as u32;
            self.jobs.push(Job {
                texture: mesh.texture_id,
                scissor: scissor(shape.clip_rect, size, scale),
                indices: first..first + mesh.indices.len() as u32,
                first_vertex: (vertices.len() / size_of::<Vertex>()) as i32,
            });
            vertices.extend_from_slice(bytemuck::cast_slice(&mesh.vertices));
            indices.extend_from_slice(bytemuck::cast_slice(&mesh.indices));
        }
        let [vertices, indices] = &self.bytes;
        write(gpu, &mut self.vertices, vertices, wgpu::BufferUsages::VERTEX);
        write(gpu, &mut self.indices, indices, wgpu::BufferUsages::INDEX);
    }

    /// Paints those of the uploaded that `which` names.
    pub fn paint(&self, pass: &mut wgpu::RenderPass<'_>, size: [u32; 2], which: std::ops::Range<usize>) {
        let [width, height] = size.map(|s| s as f32);
        pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for job in self.jobs.get(which).unwrap_or_default() {
            let [x, y, width, height] = job.scissor;
            let Some((_, group)) = self.textures.get(&job.texture).filter(|_| width > 0 && height > 0) else {
                continue;
            };
            pass.set_scissor_rect(x, y, width, height);
            pass.set_bind_group(1, group, &[]);
            pass.draw_indexed(job.indices.clone(), job.first_vertex, 0..1);
        }
    }

    /// Where panels are kept, for a window of `size` pixels; true where nothing is in it yet.
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
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("panels"),
            size: extent,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.layer = Some((texture.clone(), view.clone()));
        (texture, view, true)
    }
}

/// The pixels of a rectangle of points.
fn scissor(rect: Rect, [width, height]: [u32; 2], scale: f32) -> [u32; 4] {
    let clamp = |v: f32, max: u32| (v * scale).round().clamp(0.0, max as f32) as u32;
    let (x, y) = (clamp(rect.min.x, width), clamp(rect.min.y, height));
    let (right, bottom) = (clamp(rect.max.x, width), clamp(rect.max.y, height));
    [x, y, right.saturating_sub(x), bottom.saturating_sub(y)]
}

fn buffer(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let usage = usage | wgpu::BufferUsages::COPY_DST;
    let how = wgpu::BufferDescriptor { label: Some("panels"), size, usage, mapped_at_creation: false };
    gpu.device.create_buffer(&how)
}

fn write(gpu: &Gpu, held: &mut wgpu::Buffer, bytes: &[u8], usage: wgpu::BufferUsages) {
    if bytes.len() as u64 > held.size() {
        *held = buffer(gpu, (bytes.len() as u64).next_power_of_two(), usage);
    }
    if !bytes.is_empty() {
        gpu.queue.write_buffer(held, 0, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn scissors_stay_inside_and_meet_without_a_gap() {
        let left = Rect { min: pos2(-4.0, 0.0), max: pos2(10.25, 500.0) };
        let right = Rect { min: pos2(10.25, 0.0), max: pos2(400.0, 5.0) };
        assert_eq!(scissor(left, [300, 100], 2.0), [0, 0, 21, 100]);
        assert_eq!(scissor(right, [300, 100], 2.0), [21, 0, 279, 10]);
        assert_eq!(scissor(Rect::NOTHING, [300, 100], 2.0)[2..], [0, 0]);
    }
}
