//! Times how fast the device moves all vertices of a model with the palette in a uniform buffer and in a storage buffer. The compute shader of
//! [`super::deform`] moves them, which calls the same functions as the vertex stages, and draws nothing.

use std::sync::Arc;
use std::time::Instant;

use glam::{Affine3A, Vec4};
use skinscope_deform::{PaletteBuffer, PaletteFit};
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, Model};

use super::deform::{DeformedOnGpu, Dispatch, VEC4S_PER_VERTEX, deform_on_gpu};
use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};
use super::target::Rows;
use super::{Renderer, guarded, headless, needs};

/// Moves the vertices of one model in one pose, and says how long that takes.
#[derive(Debug)]
pub struct PaletteTimer<'a> {
    gpu: &'a Gpu,
    renderer: Renderer,
    frame: Frame,
    /// Where the moved vertices of each draw go.
    out: Vec<wgpu::Buffer>,
    /// Why the palette cannot lie in a uniform buffer, as a sentence without its full stop; `None` where it can.
    not_uniform: Option<String>,
    /// The device's own clock, where it has one.
    clock: Option<DeviceClock>,
}

impl<'a> PaletteTimer<'a> {
    /// Uploads a model to the device and prepares both ways: linear blending, with these skinning matrices (arranged by
    /// [`Model::palette_layout`]) and morph weights.
    ///
    /// # Errors
    /// The device has no such compute shader, which the sentence says without its full stop. Otherwise the errors of the device.
    pub fn new(gpu: &'a Gpu, model: &Arc<Model>, palettes: &[Affine3A], morph_weights: &[f32]) -> Result<Self, String> {
        let frame = Frame {
            model: Some(Arc::clone(model)),
            palettes: palettes.to_vec(),
            morph_weights: morph_weights.to_vec(),
            draws: (0..model.instances.len()).map(|i| InstanceId(i as u32)).collect(),
            ..Frame::default()
        };
        let fit = PaletteFit::new(PaletteBuffer::Uniform, frame.method, palettes.len(), gpu.palette_limits());
        let not_uniform = (!fit.is_uniform()).then(|| fit.why());
        let lacks = needs::missing_for_baking(&gpu.device.limits());
        if !lacks.is_empty() {
            return Err(format!("the compute shader does not run on {}: {}", gpu.info.name, lacks.join("; ")));
        }
        let mut timer = Self { gpu, renderer: Renderer::new(gpu), frame, out: Vec::new(), not_uniform, clock: None };
        let prepare = || {
            timer.clock = DeviceClock::of(gpu)?;
            // Pipelines are compiled here, and a clock that stands still is found out.
            let both = [PaletteBuffer::Storage, PaletteBuffer::Uniform];
            for buffer in both.into_iter().take(if timer.not_uniform.is_some() { 1 } else { 2 }) {
                if timer.run(buffer, 1)? <= 0.0 {
                    timer.clock = None;
                }
            }
            Ok(())
        };
        guarded(prepare).map_err(|error| error.to_string())?;
        Ok(timer)
    }

    /// The name of the device, and how it is timed.
    #[must_use]
    pub fn name(&self) -> String {
        let how = if self.clock.is_some() { "by its own clock" } else { "from the call to the result" };
        format!("{} ({how})", self.gpu.info.name)
    }

    /// Why the palette cannot lie in a uniform buffer of this device, as a sentence without its full stop; `None` where it can.
    #[must_use]
    pub fn not_uniform(&self) -> Option<&str> {
        self.not_uniform.as_deref()
    }

    /// Returns the vertices as the device moves them, in the order of the model.
    ///
    /// # Errors
    /// Those of the device.
    pub fn surface(&mut self) -> Result<Vec<DeformedOnGpu>, GpuError> {
        self.frame.display.palette_buffer = PaletteBuffer::Storage;
        deform_on_gpu(self.gpu, &mut self.renderer, &self.frame)
    }

    /// Moves all vertices so many times with the palette in this kind of buffer. Returns the seconds of one time.
    ///
    /// # Errors
    /// Those of the device.
    pub fn secs(&mut self, buffer: PaletteBuffer, times: usize) -> Result<f64, GpuError> {
        guarded(|| self.run(buffer, times.max(1)))
    }

    /// Returns position, normal and tangent of all vertices, as the device moves them with the palette in this kind of buffer.
    ///
    /// # Errors
    /// Those of the device.
    pub fn moved(&mut self, buffer: PaletteBuffer) -> Result<Vec<Vec4>, GpuError> {
        guarded(|| {
            self.run(buffer, 1)?;
            let mut moved = Vec::new();
            for out in &self.out {
                use wgpu::BufferUsages as U;
                let mapped =
                    self.gpu.empty_buffer("moved vertices in memory", out.size(), U::MAP_READ | U::COPY_DST)?;
                let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                encoder.copy_buffer_to_buffer(out, 0, &mapped, 0, out.size());
                self.gpu.queue.submit([encoder.finish()]);
                headless::read(self.gpu, &mapped, |bytes| {
                    moved.extend(bytes.as_chunks::<16>().0.iter().map(|row| bytemuck::pod_read_unaligned::<Vec4>(row)));
                })?;
            }
            Ok(moved)
        })
    }

    /// Returns the largest distance between the vertices of both kinds of buffer, metres.
    ///
    /// # Errors
    /// Those of the device.
    pub fn apart(&mut self) -> Result<f64, GpuError> {
        let (uniform, storage) = (self.moved(PaletteBuffer::Uniform)?, self.moved(PaletteBuffer::Storage)?);
        let pairs = uniform
            .iter()
            .zip(&storage)
            .filter(|(a, b)| a.to_array().map(f32::to_bits) != b.to_array().map(f32::to_bits));
        let distances = pairs.map(|(a, b)| f64::from(a.truncate().distance(b.truncate())));
        // What is not a number on one side is as far apart as can be.
        Ok(distances.fold(0.0, |most, distance| if distance.is_nan() { f64::INFINITY } else { distance.max(most) }))
    }

    fn run(&mut self, buffer: PaletteBuffer, times: usize) -> Result<f64, GpuError> {
        let Self { gpu, renderer, frame, out, clock, .. } = self;
        frame.display.palette_buffer = buffer;
        renderer.pipelines.begin_picture(false)?;
        renderer.prepare(gpu, frame, 1, Rows { first: 0, of: 1 })?;
        let Renderer { first, pipelines, .. } = renderer;
        let (Some((model, copy)), Some(upload)) = (first.resident.get(), &first.upload) else { return Ok(0.0) };
        let mut work = Vec::new();
        for id in &frame.draws {
            let mesh = model.instances[id.index()].mesh.index();
            for (n, draw) in copy.draws[id.index()].iter().enumerate() {
                let Some(pipeline) = pipelines.bake(gpu, frame.method, draw.shape(frame)) else { continue };
                let size = [model.meshes[mesh].primitives[n].vertex_count() as u32, draw.copies];
                if out.len() == work.len() {
                    let vectors = size.map(u64::from).iter().product::<u64>() * VEC4S_PER_VERTEX;
                    let bytes = (vectors * size_of::<Vec4>() as u64).max(MIN_BUFFER);
                    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
                    out.push(gpu.empty_buffer("moved vertices", bytes, usage)?);
                }
                work.push((pipeline, draw, &copy.meshes[mesh][n], size));
            }
        }
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("timed") });
        let timestamp_writes = clock.as_ref().map(DeviceClock::writes);
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("timed"), timestamp_writes });
        for ((pipeline, draw, primitive, size), out) in work.into_iter().zip(&*out) {
            let one = Dispatch { pipeline, draw, primitive, size, out };
            one.record_times(gpu, (pipelines, upload), &mut pass, times);
        }
        drop(pass);
        if let Some(clock) = clock {
            clock.resolve(&mut encoder);
        }
        let commands = encoder.finish();
        gpu.wait()?;
        let begin = Instant::now();
        gpu.queue.submit([commands]);
        gpu.wait()?;
        let waited = begin.elapsed().as_secs_f64();
        let secs = clock.as_ref().map_or(Ok(waited), |clock| clock.secs(gpu))?;
        match gpu.take_error() {
            Some(error) => Err(error),
            None => Ok(secs / times as f64),
        }
    }
}

/// Two moments of the device's own clock: before and after a pass.
#[derive(Debug)]
pub(super) struct DeviceClock {
    moments: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
}

impl DeviceClock {
    /// How many bytes both moments take.
    const BYTES: u64 = 16;

    /// Returns `None` where the device has no clock.
    pub fn of(gpu: &Gpu) -> Result<Option<Self>, GpuError> {
        if !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Ok(None);
        }
        use wgpu::BufferUsages as U;
        let moments = wgpu::QuerySetDescriptor { label: Some("moments"), ty: wgpu::QueryType::Timestamp, count: 2 };
        let moments = gpu.scope(|| gpu.device.create_query_set(&moments))?;
        let resolved = gpu.empty_buffer("moments", Self::BYTES, U::QUERY_RESOLVE | U::COPY_SRC)?;
        let mapped = gpu.empty_buffer("moments in memory", Self::BYTES, U::MAP_READ | U::COPY_DST)?;
        Ok(Some(Self { moments, resolved, mapped }))
    }

    /// Returns what a pass notes of the clock.
    pub fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.moments,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Brings the moments to where they can be read, after the pass.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.moments, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.mapped, 0, Self::BYTES);
    }

    /// Returns the seconds between both moments of the last pass.
    pub fn secs(&self, gpu: &Gpu) -> Result<f64, GpuError> {
        let [begin, end]: [u64; 2] =
            headless::read(gpu, &self.mapped, |bytes| bytemuck::pod_read_unaligned(&bytes[..Self::BYTES as usize]))?;
        Ok(end.saturating_sub(begin) as f64 * f64::from(gpu.queue.get_timestamp_period()) * 1e-9)
    }
}

#[cfg(test)]
mod tests {
    use skinscope_anim as anim;
    use skinscope_deform as deform;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::super::Backend;
    use super::*;

    fn posed(joints: usize) -> (Arc<Model>, Vec<Affine3A>) {
        let model = tube(Tube { joints, rings: 2 * joints, influences: 3, ..Tube::default() });
        let mut local = model.skeleton.rest.clone();
        for (i, t) in local.transforms.iter_mut().enumerate() {
            t.rotation = glam::Quat::from_rotation_x(0.2 + 0.01 * i as f32);
        }
        let (mut nodes, mut palettes) = (Vec::new(), Vec::new());
        anim::local_to_model(&model.skeleton, &local, &mut nodes);
        deform::palettes(&model, &nodes, &mut palettes);
        (Arc::new(model), palettes)
    }

    #[test]
    fn both_buffers_move_the_vertices_to_the_same_positions_which_are_those_of_the_program() {
        let (model, palettes) = posed(5);
        for backend in [Backend::Vulkan, Backend::Gl] {
            let Ok(gpu) = Gpu::headless(backend) else { continue };
            let mut timer = match PaletteTimer::new(&gpu, &model, &palettes, &[]) {
                Ok(timer) => timer,
                Err(why) => {
                    assert!(why.contains("does not run on"), "{why}");
                    continue;
                }
            };
            assert_eq!(timer.apart(), Ok(0.0), "{backend:?}");
            let mut surface = deform::Deformed::default();
            let mut packed = Vec::new();
            deform::pack(deform::METHODS[0], &palettes, &mut packed);
            let primitive = model.primitives(model.instances[0].mesh).next().unwrap();
            for buffer in [PaletteBuffer::Uniform, PaletteBuffer::Storage] {
                assert!(timer.secs(buffer, 3).unwrap() > 0.0);
                let moved = timer.moved(buffer).unwrap();
                assert_eq!(moved.len() % 3, 0);
                // The device may have another order of vertices, so their means are compared.
                let rows = &moved[..3 * primitive.vertex_count()];
                let mean = |positions: &mut dyn Iterator<Item = glam::DVec3>| {
                    positions.sum::<glam::DVec3>() / primitive.vertex_count() as f64
                };
                let on_device = mean(&mut rows.iter().step_by(3).map(|row| row.truncate().as_dvec3()));
                deform::deform_primitive(&model, InstanceId(0), 0, &packed, &[], deform::METHODS[0], &mut surface);
                let wanted = mean(&mut surface.positions.iter().map(|p| p.as_dvec3()));
                assert!(on_device.distance(wanted) < 1e-5, "{backend:?} {buffer:?}: {on_device} {wanted}");
            }
        }
    }

    #[test]
    fn a_palette_that_does_not_fit_is_reported_with_numbers() {
        // With 48 bytes for a matrix, 16 384 bytes hold 341 of them.
        let few = |most: wgpu::Limits| wgpu::Limits { max_uniform_buffer_binding_size: 16_384, ..most };
        let Ok(gpu) = Gpu::headless_with(Backend::Vulkan, &few) else { return };
        let why = |joints| {
            let (model, palettes) = posed(joints);
            PaletteTimer::new(&gpu, &model, &palettes, &[]).unwrap().not_uniform().map(str::to_owned)
        };
        let why_not = why(400).unwrap();
        assert!(
            why_not.contains("bytes; a uniform buffer of this device holds 16384 bytes (341 matrices)"),
            "{why_not}"
        );
        assert_eq!(why(300), None);
    }
}
