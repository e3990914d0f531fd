//! Holds the compiled pipelines, one for each method × topology × look. A picture in memory compiles those that it
//! lacks at once. For a window they are compiled in the background, and until they are there it shows the picture
//! before.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use skinscope_base::parallel;
use skinscope_deform::Method;

use super::device_jobs::{DeviceJob, DeviceJobs, check};
use super::error::GpuError;
use super::gpu::Gpu;
use super::pipeline_factory::{DeformedVertices, Pipeline, PipelineFactory, PipelineKey};
use super::pipeline_kind::Kind;
use super::shader::Linking;
use super::software::late_depth::LateDepth;
use super::target::{COLOR, SAMPLES, TargetFormat};
use super::vertices::Shape;

/// All compiled pipelines, and the choices with which pictures ask for them.
#[derive(Debug)]
pub(super) struct Pipelines {
    /// Makes pipelines, and holds the layouts of all bind groups.
    pub factory: PipelineFactory,
    /// The format of the pictures that are drawn now.
    pub target_format: TargetFormat,
    /// The choices that the programs of these pictures are linked with.
    pub linking: Linking,
    /// What surfaces bind where depths are tested after shading.
    pub late_depth: Option<LateDepth>,
    /// True where no picture waits for a pipeline: those that are not there are added to `missing`.
    pub waits: bool,
    made: HashMap<PipelineKey, Pipeline>,
    missing: HashSet<PipelineKey>,
    /// The pipelines that are being compiled in the background.
    coming: Vec<ComingPipelines>,
}

/// Some pipelines that are being compiled in the background.
#[derive(Debug)]
struct ComingPipelines {
    keys: HashSet<PipelineKey>,
    job: DeviceJob<Vec<(PipelineKey, Pipeline)>>,
    begun: Instant,
}

/// Compiling is not reported unless it takes longer than this.
const NOTICED: Duration = Duration::from_millis(300);

/// The slots of vertex buffers.
pub(super) mod slot {
    /// Positions, normals, tangents.
    pub const VERTICES: u32 = 0;
    /// Joints and weights.
    pub const INFLUENCES: u32 = 1;
    /// Texture coordinates and colours, which only the surface reads.
    pub(crate) const PAINT: u32 = 2;
    /// A number for each vertex.
    pub(crate) const VALUES: u32 = 3;
}

impl Pipelines {
    pub fn new(gpu: &Gpu) -> Self {
        let late_depth = LateDepth::new(gpu);
        Self {
            factory: PipelineFactory::new(gpu, late_depth.as_ref().map(|late| &late.layout)),
            target_format: TargetFormat { format: COLOR, samples: SAMPLES },
            linking: Linking::default(),
            late_depth,
            waits: false,
            made: HashMap::new(),
            missing: HashSet::new(),
            coming: Vec::new(),
        }
    }

    /// Begins a picture, and takes the pipelines that have arrived. With `waits` the picture compiles nothing, and
    /// notes what it lacks.
    ///
    /// # Errors
    /// The errors of the compilation in the background.
    pub(crate) fn begin_picture(&mut self, waits: bool) -> Result<(), GpuError> {
        self.waits = waits;
        self.missing.clear();
        while let Some(at) = self.coming.iter().position(|coming| coming.job.is_done()) {
            self.made.extend(self.coming.remove(at).job.take().transpose()?.into_iter().flatten());
        }
        Ok(())
    }

    /// True where the picture lacks a pipeline.
    pub(crate) fn lacks_any(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Compiles all pipelines that were found missing since [`Pipelines::begin_picture`], on all cores, and waits for them.
    pub(crate) fn compile_all(&mut self, gpu: &Gpu) {
        let list: Vec<PipelineKey> = self.missing.drain().collect();
        gpu.count_pipelines(list.len());
        let made = parallel::map(list.len(), &AtomicBool::new(false), &|i| (list[i], self.factory.make(gpu, list[i])));
        self.made.extend(made.into_iter().flatten());
    }

    /// Ends a picture that may lack pipelines, and begins to compile those in the background. Returns true where it
    /// lacks some, and so cannot be shown.
    pub(crate) fn compile_missing(&mut self, jobs: &DeviceJobs) -> bool {
        let lacks = !self.missing.is_empty();
        let keys: HashSet<PipelineKey> =
            self.missing.drain().filter(|key| !self.coming.iter().any(|coming| coming.keys.contains(key))).collect();
        if !keys.is_empty() {
            let (list, factory): (Vec<PipelineKey>, _) = (keys.iter().copied().collect(), self.factory.clone());
            let job = jobs.start("pipelines", move |gpu, context| {
                let make = |i: usize| (list[i], factory.make(gpu, list[i]));
                let made = parallel::map(list.len(), context.cancel_flag(), &make);
                check(context).map(|()| made.unwrap_or_default())
            });
            self.coming.push(ComingPipelines { keys, job, begun: Instant::now() });
        }
        lacks
    }

    /// True when pipelines have arrived.
    pub fn has_news(&self) -> bool {
        self.coming.iter().any(|coming| coming.job.is_done())
    }

    /// True while pipelines are being compiled in the background, if that takes long enough to be reported.
    pub(crate) fn takes_long(&self, now: Instant) -> bool {
        let is_long = |coming: &ComingPipelines| now.saturating_duration_since(coming.begun) > NOTICED;
        self.coming.iter().any(|coming| !coming.job.is_done() && is_long(coming))
    }

    fn get(&mut self, gpu: &Gpu, key: PipelineKey) -> Option<Pipeline> {
        if let Some(made) = self.made.get(&key) {
            return Some(made.clone());
        }
        if self.waits {
            self.missing.insert(key);
            return None;
        }
        gpu.count_pipelines(1);
        let made = self.factory.make(gpu, key);
        self.made.insert(key, made.clone());
        Some(made)
    }

    fn render(&mut self, gpu: &Gpu, key: PipelineKey) -> Option<wgpu::RenderPipeline> {
        match self.get(gpu, key)? {
            Pipeline::Render(pipeline) => Some(pipeline),
            Pipeline::Compute(_) => None,
        }
    }

    /// A pipeline that draws into the scene's own target and deforms nothing; `None` where the picture cannot wait for
    /// it.
    pub fn plain(&mut self, gpu: &Gpu, kind: Kind) -> Option<wgpu::RenderPipeline> {
        self.render(gpu, PipelineKey::Scene { kind, vertices: None, target: self.target_format })
    }

    /// A pipeline that draws vertices of a shape into the scene's own target; `None` where the picture cannot wait for
    /// it.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        kind: Kind,
        method: &'static Method,
        shape: Shape,
    ) -> Option<wgpu::RenderPipeline> {
        let linking = if kind.is_lit() { self.linking } else { self.linking.of_vertices() };
        let vertices = Some(DeformedVertices { method, shape: shape.of(kind), linking });
        let target = match kind {
            // Depths alone are drawn with one sample a pixel, and no colour.
            Kind::Caster { .. } => TargetFormat { format: COLOR, samples: 1 },
            _ => self.target_format,
        };
        self.render(gpu, PipelineKey::Scene { kind, vertices, target })
    }

    /// The compute pipeline that writes deformed vertices; `None` where the picture cannot wait for it.
    pub fn bake(&mut self, gpu: &Gpu, method: &'static Method, shape: Shape) -> Option<wgpu::ComputePipeline> {
        let vertices = DeformedVertices { method, shape: shape.alone(), linking: self.linking.of_vertices() };
        match self.get(gpu, PipelineKey::Bake(vertices))? {
            Pipeline::Compute(pipeline) => Some(pipeline),
            Pipeline::Render(_) => None,
        }
    }

    /// The pipeline that halves the picture of what lies behind glass; `None` where the picture cannot wait for it.
    pub fn transmission(&mut self, gpu: &Gpu) -> Option<wgpu::RenderPipeline> {
        self.render(gpu, PipelineKey::Halve(self.target_format.format))
    }

    /// The pipeline that copies the picture into a window's surface of `format`; `None` where the window cannot wait
    /// for it.
    pub fn present(&mut self, gpu: &Gpu, format: wgpu::TextureFormat) -> Option<wgpu::RenderPipeline> {
        self.render(gpu, PipelineKey::Present(format))
    }

    /// The pipeline that blends a layer over a window's surface of `format`; `None` where the window cannot wait for it.
    pub fn blend(&mut self, gpu: &Gpu, format: wgpu::TextureFormat) -> Option<wgpu::RenderPipeline> {
        self.render(gpu, PipelineKey::Blend(format))
    }

    /// The kind and the vertices that each pipeline of the scene was made for.
    #[cfg(test)]
    pub fn kinds(&self) -> impl Iterator<Item = (&Kind, Option<&Shape>)> {
        self.made.keys().filter_map(|key| match key {
            PipelineKey::Scene { kind, vertices, .. } => Some((kind, vertices.as_ref().map(|v| &v.shape))),
            _ => None,
        })
    }
}
