//! Times how fast the device scales directions to length one by each of the functions that the shading language has for it, and reads back
//! what it makes of them. It draws nothing.

use std::time::Instant;

use glam::{Vec3, Vec4};
use skinscope_deform::METHODS;

use super::bindings::{entry, storage};
use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::GROUP_SIZE;
use super::palette_timer::DeviceClock;
use super::shader::{Linking, ROOTS};
use super::{guarded, headless, needs};

/// The functions that scale a vector, by their entries in `roots.wgsl`: `inverseSqrt` of the squared length, and `normalize`.
const ENTRIES: [&str; 2] = ["by_inverse_sqrt", "by_normalize"];
/// The most workgroups of one dispatch; each thread takes several directions where there are more.
const MOST_GROUPS: u32 = 4096;

/// Scales directions on a device, and says how long that takes.
#[derive(Debug)]
pub struct RootTimer<'a> {
    gpu: &'a Gpu,
    pipelines: [wgpu::ComputePipeline; 2],
    group: wgpu::BindGroup,
    units: wgpu::Buffer,
    count: usize,
    /// The device's own clock, where it has one.
    clock: Option<DeviceClock>,
}

impl<'a> RootTimer<'a> {
    /// Uploads directions to the device and prepares both functions.
    ///
    /// # Errors
    /// The device has no such compute shader, which the sentence says without its full stop. Otherwise the errors of the device.
    pub fn new(gpu: &'a Gpu, directions: &[Vec3]) -> Result<Self, String> {
        let lacks = needs::missing_for_baking(&gpu.device.limits());
        if !lacks.is_empty() {
            return Err(format!("the compute shader does not run on {}: {}", gpu.info.name, lacks.join("; ")));
        }
        guarded(|| Self::prepared(gpu, directions)).map_err(|error| error.to_string())
    }

    fn prepared(gpu: &'a Gpu, directions: &[Vec3]) -> Result<Self, GpuError> {
        use wgpu::BufferUsages as U;
        let rows: Vec<Vec4> = directions.iter().map(|direction| direction.extend(0.0)).collect();
        let from = gpu.buffer("directions", bytemuck::cast_slice(&rows), U::STORAGE)?;
        let units = gpu.empty_buffer("directions of length one", from.size(), U::STORAGE | U::COPY_SRC)?;
        let stage = wgpu::ShaderStages::COMPUTE;
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("roots"),
            entries: &[storage(0, stage, true), storage(1, stage, false)],
        });
        let pipelines = gpu.scope(|| {
            let source = wgpu::ShaderSource::Wgsl(ROOTS.link(METHODS[0], Linking::default()).text.into());
            let module =
                gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(ROOTS.name), source });
            let whole = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("roots"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            ENTRIES.map(|entry_point| {
                gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some("roots"),
                    layout: Some(&whole),
                    module: &module,
                    entry_point: Some(entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
            })
        })?;
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("roots"),
            layout: &layout,
            entries: &[entry(0, from.as_entire_binding()), entry(1, units.as_entire_binding())],
        });
        let clock = DeviceClock::of(gpu)?;
        let mut timer = Self { gpu, pipelines, group, units, count: directions.len(), clock };
        // A clock that stands still is found out.
        for function in 0..ENTRIES.len() {
            if timer.run(function, 1)? <= 0.0 {
                timer.clock = None;
            }
        }
        Ok(timer)
    }

    /// The name of the device, and how it is timed.
    #[must_use]
    pub fn name(&self) -> String {
        let how = if self.clock.is_some() { "by its own clock" } else { "from the call to the result" };
        format!("{} ({how})", self.gpu.info.name)
    }

    /// Scales all directions so many times by `inverseSqrt` (0) or `normalize` (1). Returns the seconds of one time.
    ///
    /// # Errors
    /// Those of the device.
    pub fn secs(&self, function: usize, times: usize) -> Result<f64, GpuError> {
        guarded(|| self.run(function, times.max(1)))
    }

    /// Returns the directions as one of both functions scales them, in their order.
    ///
    /// # Errors
    /// Those of the device.
    pub fn units(&self, function: usize) -> Result<Vec<Vec3>, GpuError> {
        use wgpu::BufferUsages as U;
        guarded(|| {
            self.run(function, 1)?;
            let size = self.units.size();
            let mapped = self.gpu.empty_buffer("directions in memory", size, U::MAP_READ | U::COPY_DST)?;
            let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&self.units, 0, &mapped, 0, size);
            self.gpu.queue.submit([encoder.finish()]);
            headless::read(self.gpu, &mapped, |bytes| {
                let rows = bytes.as_chunks::<16>().0.iter().take(self.count);
                rows.map(|row| bytemuck::pod_read_unaligned::<Vec4>(row).truncate()).collect()
            })
        })
    }

    fn run(&self, function: usize, times: usize) -> Result<f64, GpuError> {
        let Self { gpu, clock, .. } = self;
        let most = gpu.device.limits().max_compute_workgroups_per_dimension.min(MOST_GROUPS);
        let groups = (self.count as u32).div_ceil(GROUP_SIZE).clamp(1, most);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("roots") });
        let timestamp_writes = clock.as_ref().map(DeviceClock::writes);
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("roots"), timestamp_writes });
        pass.set_pipeline(&self.pipelines[function]);
        pass.set_bind_group(0, &self.group, &[]);
        for _ in 0..times {
            pass.dispatch_workgroups(groups, 1, 1);
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

#[cfg(test)]
mod tests {
    use super::super::Backend;
    use super::*;

    #[test]
    fn both_functions_scale_each_direction_to_length_one() {
        let directions: Vec<Vec3> =
            (1..1000).map(|i| Vec3::new(i as f32, 3.0, -0.5 * i as f32) * 10.0_f32.powi(i % 5 - 2)).collect();
        for backend in [Backend::Vulkan, Backend::Gl] {
            let Ok(gpu) = Gpu::headless(backend) else { continue };
            let timer = match RootTimer::new(&gpu, &directions) {
                Ok(timer) => timer,
                Err(why) => {
                    assert!(why.contains("does not run on"), "{why}");
                    continue;
                }
            };
            for function in [0, 1] {
                assert!(timer.secs(function, 3).unwrap() > 0.0);
                let units = timer.units(function).unwrap();
                assert_eq!(units.len(), directions.len());
                let off = directions.iter().zip(&units).map(|(from, unit)| unit.distance(from.normalize()));
                let most = off.fold(0.0, f32::max);
                // inverseSqrt may be off by two units of the last place, and devices are no worse than many of them.
                assert!(most < 1e-4, "{backend:?} {function}: {most}");
            }
        }
    }
}
