//! Vertices that are deformed before they are drawn: once for each pose, by a compute shader or by the processor. All
//! passes then read them, where the vertex shader would otherwise deform them again (`placed` of
//! shaders/common/deform.wgsl).

use std::collections::HashMap;
use std::sync::Arc;

use skinscope_deform::{Deformed, Deformer, Method, ParameterValues, Surface};
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, Model, Primitive};

use super::deform::Dispatch;
use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};
use super::needs;
use super::pipeline_factory::ModelLayouts;
use super::pipelines::Pipelines;
use super::primitive::GpuPrimitive;
use super::scene::{GpuDraw, GpuModel};
use super::upload::Upload;

/// How many floats a deformed vertex takes in a buffer. As in `common/deform.wgsl` and `bake.wgsl` they are (position,
/// determinant), (normal, 0), (tangent, 0).
const FLOATS: usize = 12;

/// The deformed vertices of one surface.
#[derive(Debug, Default)]
pub(super) struct PredeformedVertices {
    /// The vertices of each draw, by [`GpuDraw::offset`].
    draws: HashMap<u32, PredeformedDraw>,
    /// What they were computed from; `None` where they have to be computed again.
    computed_from: Option<DeformationInputs>,
    /// How many times they were computed.
    made: usize,
    /// Memory for vertices on their way to the device, which is used again.
    scratch: Vec<[f32; FLOATS]>,
}

/// The deformed vertices of a primitive of an instance.
#[derive(Debug)]
struct PredeformedDraw {
    buffer: wgpu::Buffer,
    /// Replaces the primitive's own group, and binds the vertices where that binds morph targets.
    group: wgpu::BindGroup,
}

/// Everything that deformed vertices depend on, apart from the model on the device.
#[derive(Debug)]
enum DeformationInputs {
    /// The revision of the palette and the morph weights, the method with the values of its parameters, and how many
    /// instances are drawn.
    Palette(u64, &'static Method, ParameterValues, usize),
    Surfaces(Vec<Arc<Surface>>),
}

impl DeformationInputs {
    fn of(deformer: Deformer, frame: &Frame, upload: &Upload) -> Self {
        match deformer {
            Deformer::Processor => Self::Surfaces(frame.surfaces.clone()),
            _ => Self::Palette(upload.palette_revision(), frame.method, frame.parameters, frame.draws.len()),
        }
    }

    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Palette(a, by, values, n), Self::Palette(b, other, others, m)) => {
                a == b && std::ptr::eq(*by, *other) && values == others && n == m
            }
            (Self::Surfaces(a), Self::Surfaces(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
            }
            _ => false,
        }
    }
}

/// What deforms the vertices of a picture on this device. `is_part`: the device holds only the part of the model that
/// this picture shows, so no vertex would be read twice.
pub(super) fn deformer_of(gpu: &Gpu, frame: &Frame, is_part: bool) -> Deformer {
    let can_compute = needs::missing_for_baking(&gpu.device.limits()).is_empty();
    match frame.deformer {
        Deformer::Processor if frame.surfaces.len() == frame.members.max(1) as usize => Deformer::Processor,
        Deformer::Compute if can_compute && !is_part => Deformer::Compute,
        _ => Deformer::VertexShader,
    }
}

impl PredeformedVertices {
    /// The group that a draw binds in place of its primitive's; `None` where the vertex shader deforms it.
    pub fn group(&self, draw: &GpuDraw) -> Option<&wgpu::BindGroup> {
        self.draws.get(&draw.offset).map(|predeformed| &predeformed.group)
    }

    /// How many times vertices were deformed.
    pub fn made(&self) -> usize {
        self.made
    }

    /// Drops all deformed vertices, for example because the model on the device has changed.
    pub fn forget(&mut self) {
        (self.draws, self.computed_from) = (HashMap::new(), None);
    }

    /// Deforms the vertices that `frame` shows, unless they are there already.
    pub fn follow(
        &mut self,
        gpu: &Gpu,
        (pipelines, layouts): (&mut Pipelines, &ModelLayouts),
        (model, copy): (&Model, &GpuModel),
        (frame, upload): (&Frame, &Upload),
        deformer: Deformer,
    ) -> Result<(), GpuError> {
        if deformer == Deformer::VertexShader {
            self.forget();
            return Ok(());
        }
        let computed_from = DeformationInputs::of(deformer, frame, upload);
        if self.computed_from.as_ref().is_some_and(|before| before.is(&computed_from)) {
            return Ok(());
        }
        self.computed_from = None;
        let members = frame.members.max(1);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("deform") });
        for id in &frame.draws {
            let mesh = model.instances[id.index()].mesh.index();
            for (n, draw) in copy.draws[id.index()].iter().enumerate().filter(|(_, draw)| !draw.rigid) {
                let (primitive, source) = (&copy.meshes[mesh][n], &model.meshes[mesh].primitives[n]);
                let bytes = source.vertex_count() * members as usize * size_of::<[f32; FLOATS]>();
                let buffer = self.buffer(gpu, (layouts, copy), (primitive, draw), bytes as u64)?;
                if deformer == Deformer::Compute {
                    // The picture lacks this pipeline, so it is not shown.
                    let Some(pipeline) = pipelines.bake(gpu, frame.method, draw.shape(frame)) else { continue };
                    let size = [source.vertex_count() as u32, members];
                    let work = Dispatch { pipeline, draw, primitive, size, out: &buffer };
                    work.record(gpu, (pipelines, upload), &mut encoder);
                } else {
                    self.write(gpu, (frame, *id, n), (primitive, source), &buffer);
                }
            }
        }
        gpu.queue.submit([encoder.finish()]);
        if !pipelines.lacks_any() {
            (self.computed_from, self.made) = (Some(computed_from), self.made + 1);
        }
        Ok(())
    }

    /// Returns a buffer for the vertices of a draw: the one that it has if the size fits, or a new one.
    fn buffer(
        &mut self,
        gpu: &Gpu,
        (layouts, copy): (&ModelLayouts, &GpuModel),
        (primitive, draw): (&GpuPrimitive, &GpuDraw),
        bytes: u64,
    ) -> Result<wgpu::Buffer, GpuError> {
        let bytes = bytes.max(MIN_BUFFER);
        if let Some(existing) = self.draws.get(&draw.offset).filter(|existing| existing.buffer.size() == bytes) {
            return Ok(existing.buffer.clone());
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = gpu.empty_buffer("deformed vertices", bytes, usage)?;
        let group = copy.predeformed_group(gpu, layouts, primitive, &buffer);
        self.draws.insert(draw.offset, PredeformedDraw { buffer: buffer.clone(), group });
        Ok(buffer)
    }

    /// Uploads the vertices that the processor has deformed, member after member of a crowd.
    fn write(
        &mut self,
        gpu: &Gpu,
        (frame, id, n): (&Frame, InstanceId, usize),
        (primitive, source): (&GpuPrimitive, &Primitive),
        buffer: &wgpu::Buffer,
    ) {
        self.scratch.clear();
        for surface in &frame.surfaces {
            let Some(part) = surface.part(id, n) else { continue };
            let first = self.scratch.len();
            self.scratch.extend((0..source.vertex_count()).map(|v| floats(&part.deformed, source, v)));
            let arranged = primitive.order.arranged(&self.scratch[first..]).into_owned();
            self.scratch.truncate(first);
            self.scratch.extend_from_slice(&arranged);
        }
        gpu.write(buffer, bytemuck::cast_slice(&self.scratch));
    }
}

/// A vertex as the shader reads it. Where the file has no normals, the normal is zero and the shader takes that of the
/// triangle.
fn floats(deformed: &Deformed, source: &Primitive, vertex: usize) -> [f32; FLOATS] {
    let at = deformed.positions[vertex];
    let normal = if source.normals.is_empty() { glam::Vec3::ZERO } else { deformed.normals[vertex] };
    let tangent = deformed.tangents.get(vertex).copied().unwrap_or_default();
    let determinant = deformed.determinants[vertex];
    let rows = [at.extend(determinant), normal.extend(0.0), tangent.truncate().extend(0.0)];
    bytemuck::cast(rows.map(|row| row.to_array()))
}
