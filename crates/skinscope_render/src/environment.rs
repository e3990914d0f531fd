//! The environment on the device: a cube that was filtered once for surfaces of each roughness.

use std::sync::Arc;

use glam::Vec3;
use skinscope_frame::Frame;
use skinscope_model::Environment;
use wgpu::util::DeviceExt;

use super::bindings::{CUBE_FORMAT, entry};
use super::device_jobs::{DeviceJob, DeviceJobs, check};
use super::error::GpuError;
use super::gpu::{Gpu, TextureKind};
use super::layouts::Step;
use super::pipeline_factory::PipelineFactory;

/// The width of the faces that irradiance is stored in, which changes slowly: 11 degrees a texel are 0.5 % away from it.
const LEAST_FACE: u32 = 8;

/// Middle, right and lower edge of each face of a cube.
const FACES: [[Vec3; 3]; 6] = [
    [Vec3::X, Vec3::NEG_Z, Vec3::NEG_Y],
    [Vec3::NEG_X, Vec3::Z, Vec3::NEG_Y],
    [Vec3::Y, Vec3::X, Vec3::Z],
    [Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z],
    [Vec3::Z, Vec3::X, Vec3::NEG_Y],
    [Vec3::NEG_Z, Vec3::NEG_X, Vec3::NEG_Y],
];

/// The width of the largest faces, texels, which are a third of a degree: as many as a picture shows of a mirror.
const WIDTH: u32 = 256;

/// The number of levels of a cube, from the largest to that of irradiance.
const LEVELS: u32 = (WIDTH / LEAST_FACE).ilog2() + 1;

/// The level for the roughest surfaces; that of irradiance is the one below.
const ROUGHEST: u32 = LEVELS - 2;

/// The GGX roughness that a level after the first is filtered for; shaders/light/environment.wgsl has the inverse.
fn alpha_of(level: u32) -> f32 {
    (level as f32 - ROUGHEST as f32).exp()
}

/// How many directions are read for a texel of a level: so many that it is within two steps of 8 bits of what 4 096 directions give, even
/// beside a bright window. The smaller levels have fewer texels and wider lobes.
fn samples_of(level: u32) -> u32 {
    if level < 3 { 512 } else { 1024 }
}

/// What `Globals::environment` is for a picture.
pub(super) fn uniform(frame: &Frame) -> [f32; 4] {
    if frame.surroundings().is_none() {
        return [1.0, 0.0, 1.0, 0.0];
    }
    let settings = frame.display.environment;
    let (sine, cosine) = settings.rotation.sin_cos();
    [cosine, sine, settings.exposure.exp2(), ROUGHEST as f32]
}

/// The filtered cube of one environment.
#[derive(Clone, Debug)]
pub(super) struct EnvironmentMap {
    pub view: wgpu::TextureView,
    pub sampler: wgpu::Sampler,
}

/// The cube that pictures read, and the one that is being made.
#[derive(Debug, Default)]
pub(super) struct Environments {
    made: Option<(Arc<Environment>, EnvironmentMap)>,
    coming: Option<(Arc<Environment>, DeviceJob<EnvironmentMap>)>,
}

impl Environments {
    /// Makes the cube of the environment that lights `frame`. With `jobs` that is done in the background. Returns whether the
    /// picture can be drawn: it needs none, or has it.
    ///
    /// # Errors
    /// The device has no memory for it, and the errors of the job.
    pub fn follow(
        &mut self,
        gpu: &Gpu,
        factory: &PipelineFactory,
        jobs: Option<&DeviceJobs>,
        frame: &Frame,
    ) -> Result<bool, GpuError> {
        let Some(wanted) = frame.any_surroundings() else {
            self.coming = None;
            return Ok(true);
        };
        let is_wanted = |environment: &Arc<Environment>| Arc::ptr_eq(environment, wanted);
        if self.made.as_ref().is_some_and(|(environment, _)| is_wanted(environment)) {
            self.coming = None;
            return Ok(true);
        }
        self.coming.take_if(|(environment, _)| !is_wanted(environment));
        if let Some((environment, job)) = self.coming.take_if(|(_, job)| job.is_done()) {
            self.made = job.take().transpose()?.map(|map| (environment, map));
            return Ok(self.made.is_some());
        }
        match jobs {
            Some(jobs) if self.coming.is_none() => {
                let (environment, factory) = (Arc::clone(wanted), factory.clone());
                let job = jobs.start("environment", move |gpu, context| {
                    filter(gpu, &factory, &environment, &mut |submitted| {
                        // Pictures that are drawn meanwhile come between the steps.
                        gpu.wait_for(Some(submitted))?;
                        check(context)
                    })
                });
                self.coming = Some((Arc::clone(wanted), job));
            }
            Some(_) => {}
            None => {
                // The earlier one is dropped before another takes memory.
                self.made = None;
                let map = filter(gpu, factory, wanted, &mut |_| Ok(()))?;
                self.made = Some((Arc::clone(wanted), map));
            }
        }
        Ok(self.made.as_ref().is_some_and(|(environment, _)| is_wanted(environment)))
    }

    /// The cube that `frame` is lit by, if it is lit by an environment that is there.
    pub fn of(&self, frame: &Frame) -> Option<&EnvironmentMap> {
        let wanted = frame.any_surroundings()?;
        self.made.as_ref().filter(|(environment, _)| Arc::ptr_eq(environment, wanted)).map(|(_, map)| map)
    }

    /// Returns whether a cube has arrived.
    pub fn has_news(&self) -> bool {
        self.coming.as_ref().is_some_and(|(_, job)| job.is_done())
    }
}

/// The size of the largest level.
const FACES_SIZE: wgpu::Extent3d = wgpu::Extent3d { width: WIDTH, height: WIDTH, depth_or_array_layers: 6 };

/// A cube without texels.
fn cube(gpu: &Gpu, label: &str) -> Result<wgpu::Texture, GpuError> {
    use wgpu::TextureUsages as U;
    gpu.scope(|| {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: FACES_SIZE,
            mip_level_count: LEVELS,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: CUBE_FORMAT,
            usage: U::RENDER_ATTACHMENT | U::TEXTURE_BINDING,
            view_formats: &[],
        })
    })
}

/// The levels of a cube that a shader reads.
fn cube_view(texture: &wgpu::Texture, levels: std::ops::Range<u32>) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        base_mip_level: levels.start,
        mip_level_count: Some(levels.len() as u32),
        ..wgpu::TextureViewDescriptor::default()
    })
}

/// Uploads the picture of an environment.
fn upload(gpu: &Gpu, environment: &Environment) -> Result<wgpu::TextureView, GpuError> {
    use wgpu::TextureUsages as U;
    let [width, height] = environment.size();
    let kind = TextureKind::plain(CUBE_FORMAT, U::TEXTURE_BINDING | U::COPY_DST);
    let picture = gpu.scope(|| gpu.texture("environment", [width, height], kind))?;
    gpu.queue.write_texture(
        picture.as_image_copy(),
        bytemuck::cast_slice(environment.texels()),
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(8 * width), rows_per_image: None },
        picture.size(),
    );
    Ok(picture.create_view(&wgpu::TextureViewDescriptor::default()))
}

/// Draws levels of cubes, each face with a submission of its own.
struct Filter<'a> {
    gpu: &'a Gpu,
    factory: &'a PipelineFactory,
    sampler: &'a wgpu::Sampler,
    submitted: &'a mut dyn FnMut(wgpu::SubmissionIndex) -> Result<(), GpuError>,
}

impl Filter<'_> {
    /// Draws a level of `onto` with an entry of shaders/prefilter.wgsl. `read`: what it reads, the binding of that, and the
    /// level of it; `alpha`: the roughness that it filters for.
    fn draw(
        &mut self,
        fragment: &str,
        (onto, level): (&wgpu::Texture, u32),
        (read, binding, from): (&wgpu::TextureView, u32, f32),
        (alpha, samples): (f32, u32),
    ) -> Result<(), GpuError> {
        let Self { gpu, factory, sampler, .. } = *self;
        let pipeline = factory.filtering(gpu, fragment, samples);
        for (face, [forward, right, down]) in (0..).zip(FACES) {
            let step = Step {
                forward: forward.extend((WIDTH >> level) as f32).to_array(),
                right: right.extend(0.0).to_array(),
                down: down.extend(0.0).to_array(),
                source: [from, WIDTH as f32, alpha, 0.0],
            };
            let (contents, usage) = (bytemuck::bytes_of(&step), wgpu::BufferUsages::UNIFORM);
            let init = wgpu::util::BufferInitDescriptor { label: Some("step"), contents, usage };
            let uniform = gpu.device.create_buffer_init(&init);
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("step"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    entry(0, uniform.as_entire_binding()),
                    entry(1, wgpu::BindingResource::Sampler(sampler)),
                    entry(binding, wgpu::BindingResource::TextureView(read)),
                ],
            });
            let view = onto.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_mip_level: level,
                mip_level_count: Some(1),
                base_array_layer: face,
                array_layer_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            });
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let ops =
                    wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store };
                let target =
                    wgpu::RenderPassColorAttachment { view: &view, depth_slice: None, resolve_target: None, ops };
                let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                    label: Some(fragment),
                    color_attachments: &[Some(target)],
                    ..wgpu::RenderPassDescriptor::default()
                });
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.draw(0..3, 0..1);
            }
            (self.submitted)(gpu.queue.submit([encoder.finish()]))?;
        }
        Ok(())
    }
}

/// The binding of the picture, and that of the cube, in shaders/prefilter.wgsl.
const PICTURE: u32 = 2;
const CUBE: u32 = 3;

/// Makes the cube of an environment. `submitted` is called after each step of the device.
fn filter(
    gpu: &Gpu,
    factory: &PipelineFactory,
    environment: &Environment,
    submitted: &mut dyn FnMut(wgpu::SubmissionIndex) -> Result<(), GpuError>,
) -> Result<EnvironmentMap, GpuError> {
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("environment"),
        // The picture begins again at its right edge.
        address_mode_u: wgpu::AddressMode::Repeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..wgpu::SamplerDescriptor::default()
    });
    let mut filter = Filter { gpu, factory, sampler: &sampler, submitted };
    let plain = cube(gpu, "environment, plain")?;
    let texture = cube(gpu, "environment")?;
    let picture = upload(gpu, environment)?;
    // Mesa's OpenGL copies one face of a cube alone, so its largest level is drawn twice.
    for onto in [&plain, &texture] {
        filter.draw("fs_cube", (onto, 0), (&picture, PICTURE, 0.0), (0.0, 1))?;
    }
    for level in 1..LEVELS {
        let larger = cube_view(&plain, level - 1..level);
        filter.draw("fs_smaller", (&plain, level), (&larger, CUBE, 0.0), (0.0, 1))?;
    }
    let all = cube_view(&plain, 0..LEVELS);
    for level in 1..=ROUGHEST {
        filter.draw("fs_rough", (&texture, level), (&all, CUBE, 0.0), (alpha_of(level), samples_of(level)))?;
    }
    let summed = (WIDTH / 32).ilog2() as f32;
    filter.draw("fs_irradiance", (&texture, ROUGHEST + 1), (&all, CUBE, summed), (0.0, 1))?;
    let view = cube_view(&texture, 0..LEVELS);
    Ok(EnvironmentMap { view, sampler })
}
