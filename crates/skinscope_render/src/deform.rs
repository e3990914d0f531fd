//! Deforms vertices on the device and reads them back. The compute shader calls the same functions as the vertex
//! stages.

use glam::Vec4;
use skinscope_deform::packed::VertexOrder;
use skinscope_deform::{Deformed, normals_from_triangles};
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, Primitive};

use super::bindings::entry;
use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};
use super::layouts::GROUP_SIZE;
use super::pipelines::Pipelines;
use super::primitive::GpuPrimitive;
use super::scene::GpuDraw;
use super::target::Rows;
use super::upload::Upload;
use super::{Renderer, guarded, headless, needs};

/// The deformed vertices of one primitive of one instance.
#[derive(Clone, Debug)]
pub struct DeformedOnGpu {
    /// The instance that draws the primitive.
    pub instance: InstanceId,
    /// The index of the instance's copy; 0 where it has none.
    pub copy: usize,
    /// The index of the crowd's member; 0 where there is no crowd.
    pub member: usize,
    /// The index of the primitive in the instance's mesh.
    pub primitive: usize,
    /// The deformed vertices: the same that [`skinscope_deform::deform_primitive`] computes on the CPU.
    pub deformed: Deformed,
}

/// The most workgroups of one dispatch along each axis. Where there is more to do, each thread takes several vertices
/// or instances.
const MOST_GROUPS: u32 = 4096;
/// How many vectors `bake.wgsl` writes for a vertex: position, normal, tangent.
pub(super) const VEC4S_PER_VERTEX: u64 = 3;

/// Deforms everything that `frame` draws, and returns the vertices in the order in which they are drawn.
///
/// # Errors
/// [`GpuError::Unfit`] where the device lacks what the compute shader needs, or where the method of the frame needs the
/// neighbours of a vertex; otherwise the errors of [`Renderer::draw`] and of the device.
pub fn deform_on_gpu(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame) -> Result<Vec<DeformedOnGpu>, GpuError> {
    guarded(|| deform(gpu, renderer, frame))
}

fn deform(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame) -> Result<Vec<DeformedOnGpu>, GpuError> {
    let limits = gpu.device.limits();
    let lacks = needs::missing_for_baking(&limits);
    if !lacks.is_empty() {
        return Err(GpuError::Unfit { adapter: gpu.info.name.clone(), reason: lacks.join("; ") });
    }
    if let Some(why) = frame.needs_processor {
        let reason = format!("{}: {why}", frame.method.label);
        return Err(GpuError::Unfit { adapter: gpu.info.name.clone(), reason });
    }
    renderer.pipelines.begin_picture(false)?;
    renderer.prepare(gpu, frame, 1, Rows { first: 0, of: 1 })?;
    let Renderer { first, pipelines, .. } = renderer;
    let (Some((model, copy)), Some(upload)) = (first.resident.get(), &first.upload) else { return Ok(Vec::new()) };
    let members = frame.members.max(1);
    let mut out = Vec::new();
    for id in &frame.draws {
        let mesh = model.instances[id.index()].mesh.index();
        for (n, draw) in copy.draws[id.index()].iter().enumerate() {
            let primitive = &copy.meshes[mesh][n];
            let source = &model.meshes[mesh].primitives[n];
            // A picture in memory compiles what it needs, and so does this.
            let Some(pipeline) = pipelines.bake(gpu, frame.method, draw.shape(frame)) else { continue };
            let count = source.vertex_count() as u32;
            let instances = draw.copies * members;
            let size =
                (u64::from(count) * u64::from(instances) * VEC4S_PER_VERTEX * size_of::<Vec4>() as u64).max(MIN_BUFFER);
            use wgpu::BufferUsages as U;
            let deformed = gpu.empty_buffer("deformed vertices", size, U::STORAGE | U::COPY_SRC)?;
            let mapped = gpu.empty_buffer("deformed vertices in memory", size, U::MAP_READ | U::COPY_DST)?;
            let mut encoder =
                gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("bake") });
            let work = Dispatch { pipeline, draw, primitive, size: [count, instances], out: &deformed };
            work.record(gpu, (pipelines, upload), &mut encoder);
            encoder.copy_buffer_to_buffer(&deformed, 0, &mapped, 0, size);
            gpu.queue.submit([encoder.finish()]);
            let bytes = headless::read(gpu, &mapped, <[u8]>::to_vec)?;
            let one = source.vertex_count() * size_of::<Vec4>() * VEC4S_PER_VERTEX as usize;
            for at in 0..instances as usize {
                let deformed = deformed_from(&bytes[at * one..], source, &primitive.order);
                let (copy, member) = (at / members as usize, at % members as usize);
                out.push(DeformedOnGpu { instance: *id, copy, member, primitive: n, deformed });
            }
        }
    }
    match gpu.take_error() {
        Some(error) => Err(error),
        None => Ok(out),
    }
}

/// One run of `bake.wgsl`, which deforms the vertices of one draw.
pub(super) struct Dispatch<'a> {
    pub pipeline: wgpu::ComputePipeline,
    pub draw: &'a GpuDraw,
    pub primitive: &'a GpuPrimitive,
    /// The number of vertices, and how many times they are drawn.
    pub size: [u32; 2],
    /// Where the deformed vertices go.
    pub out: &'a wgpu::Buffer,
}

impl Dispatch<'_> {
    /// Records it in a pass of its own.
    pub fn record(&self, gpu: &Gpu, pipelines: (&Pipelines, &Upload), encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        self.record_times(gpu, pipelines, &mut pass, 1);
    }

    /// Records it so many times in a pass.
    pub(crate) fn record_times(
        &self,
        gpu: &Gpu,
        (pipelines, upload): (&Pipelines, &Upload),
        pass: &mut wgpu::ComputePass<'_>,
        times: usize,
    ) {
        let most = gpu.device.limits().max_compute_workgroups_per_dimension.min(MOST_GROUPS);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("bake"),
            layout: &pipelines.factory.bake,
            entries: &[
                entry(0, self.primitive.vertices.binding()),
                entry(1, self.out.as_entire_binding()),
                entry(2, self.primitive.influences.rows.binding()),
            ],
        });
        let [count, instances] = self.size;
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &upload.group, &[]);
        pass.set_bind_group(1, &self.primitive.influences.group, &[self.draw.offset]);
        pass.set_bind_group(2, &group, &[]);
        for _ in 0..times {
            pass.dispatch_workgroups(count.div_ceil(GROUP_SIZE).min(most), instances.min(most), 1);
        }
    }
}

/// Turns the bytes that `bake.wgsl` wrote for one instance into vertices in the order of the model.
fn deformed_from(bytes: &[u8], source: &Primitive, order: &VertexOrder) -> Deformed {
    let mut out = Deformed::default();
    let rows = bytes.as_chunks::<48>().0;
    for i in 0..source.vertex_count() {
        let [position, normal, tangent]: [Vec4; 3] = bytemuck::pod_read_unaligned(&rows[order.slot(i)]);
        let determinant = position.w;
        out.positions.push(position.truncate());
        out.determinants.push(determinant);
        if !source.normals.is_empty() {
            out.normals.push(normal.truncate());
        }
        if let Some(stored) = source.tangents.get(i) {
            out.tangents.push(tangent.truncate().extend(if determinant < 0.0 { -stored.w } else { stored.w }));
        }
    }
    if source.normals.is_empty() {
        normals_from_triangles(source, &mut out);
    }
    out
}
