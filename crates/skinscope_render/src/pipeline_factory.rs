//! Makes pipelines. Each depends on its key alone, so any thread can make it. Knows what is bound to which binding, but
//! not what is drawn when.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use skinscope_deform::Method;
use skinscope_model::LAYER_TEXTURES;

use super::bindings::{CUBE_FORMAT, cube, depths, sampler, storage, texture, uniform};
use super::gpu::{Gpu, TextureKind};
use super::layouts::{Bone, CORE_TEXTURES, Line, layer};
use super::pipeline_descriptor::PipelineDescriptor;
use super::pipeline_kind::{Kind, SurfaceShading};
use super::shader::{self, Linking, Program};
use super::software::late_depth;
use super::target::{DEPTH, SHADOW_DEPTH, TargetFormat};
use super::vertices::Shape;

/// Everything that decides how a pipeline is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PipelineKey {
    /// Draws into the picture of the scene.
    Scene {
        kind: Kind,
        /// `None` where nothing is deformed.
        vertices: Option<DeformedVertices>,
        target: TargetFormat,
    },
    /// Writes deformed vertices into a buffer.
    Bake(DeformedVertices),
    /// Halves a picture of this format.
    Halve(wgpu::TextureFormat),
    /// Copies a picture into a window's surface of this format.
    Present(wgpu::TextureFormat),
    /// Blends a layer over a window's surface of this format.
    Blend(wgpu::TextureFormat),
}

/// The vertices that a pipeline reads, and how it deforms them.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeformedVertices {
    pub method: &'static Method,
    pub shape: Shape,
    pub linking: Linking,
}

impl PartialEq for DeformedVertices {
    fn eq(&self, other: &Self) -> bool {
        let Self { method, shape, linking } = self;
        method.id == other.method.id && *shape == other.shape && *linking == other.linking
    }
}

impl Eq for DeformedVertices {}

impl Hash for DeformedVertices {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { method, shape, linking } = self;
        (method.id, shape, linking).hash(state);
    }
}

/// A compiled pipeline.
#[derive(Clone, Debug)]
pub(super) enum Pipeline {
    Render(wgpu::RenderPipeline),
    Compute(wgpu::ComputePipeline),
}

/// What a shader module is linked from: the program, the method that deforms (empty where none does), and the choices.
type ModuleKey = (&'static str, &'static str, Linking);

/// The layouts of all bind groups, and the shader modules that were compiled.
#[derive(Clone, Debug)]
pub(super) struct PipelineFactory {
    /// See [`PipelineFactory::frame`].
    frames: [[wgpu::BindGroupLayout; 2]; 2],
    /// The layouts of models.
    pub models: ModelLayouts,
    /// The layout of the frame for drawing the depths that shadows read.
    pub frame_casters: wgpu::BindGroupLayout,
    pub bake: wgpu::BindGroupLayout,
    /// A texture with layers that is bound where nothing is read.
    pub nothing: wgpu::TextureView,
    /// What surfaces bind where depths are tested after shading.
    late_depth: Option<wgpu::BindGroupLayout>,
    /// The compiled modules. Each is compiled once, by the thread that needs it first.
    modules: Arc<Mutex<HashMap<ModuleKey, Arc<OnceLock<wgpu::ShaderModule>>>>>,
}

/// The layouts of a model's bind groups; they can be used on any thread.
#[derive(Clone, Debug)]
pub(super) struct ModelLayouts {
    pub primitive: wgpu::BindGroupLayout,
    pub material: wgpu::BindGroupLayout,
    /// Textures of a material's layers: those that it has, in their order.
    pub layers: wgpu::BindGroupLayout,
}

impl PipelineFactory {
    pub fn new(gpu: &Gpu, late_depth: Option<&wgpu::BindGroupLayout>) -> Self {
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        use wgpu::ShaderStages as S;
        let all = S::VERTEX | S::FRAGMENT | S::COMPUTE;
        let vertices = S::VERTEX | S::COMPUTE;
        let mut frame = vec![
            uniform(0, all, false),
            storage(1, vertices, true),
            storage(2, vertices, true),
            uniform(3, all, false),
            storage(4, S::FRAGMENT, true),
        ];
        if gpu.palette_limits().uniform > 0 {
            frame.push(uniform(7, vertices, false));
        }
        // Casters read the views in the vertex stage, and no scale.
        let mut casters: Vec<_> = frame.iter().filter(|entry| entry.binding != 3).copied().collect();
        casters.push(uniform(10, S::VERTEX, false));
        frame.extend([uniform(10, S::FRAGMENT, false), depths(11)]);
        let with = |label, added: &[wgpu::BindGroupLayoutEntry]| layout(label, &[&frame[..], added].concat());
        let (behind, around) = ([texture(5), sampler(6)], [cube(8), sampler(9)]);
        let frames = [
            [layout("frame", &frame), with("frame and behind", &behind)],
            [with("frame and around", &around), with("frame, behind and around", &[behind, around].concat())],
        ];
        let primitive =
            layout("primitive", &[uniform(0, vertices, true), storage(1, vertices, true), storage(2, vertices, true)]);
        let textures = |first: u32, count: usize| (0..2 * count as u32).step_by(2).map(move |i| first + i);
        let textures = |first, count| textures(first, count).flat_map(|i| [texture(i), sampler(i + 1)]);
        let mut material = vec![uniform(0, S::FRAGMENT, false)];
        material.extend(textures(1, CORE_TEXTURES));
        let material = layout("material", &material);
        let layers = layout("layers", &textures(0, LAYER_TEXTURES).collect::<Vec<_>>());
        let bake = layout(
            "bake",
            &[storage(0, S::COMPUTE, true), storage(1, S::COMPUTE, false), storage(2, S::COMPUTE, true)],
        );
        let kind = TextureKind::plain(wgpu::TextureFormat::R8Unorm, wgpu::TextureUsages::TEXTURE_BINDING);
        let nothing = gpu.texture("nothing", [1, 1], kind);
        Self {
            frames,
            models: ModelLayouts { primitive, material, layers },
            frame_casters: layout("frame of casters", &casters),
            bake,
            nothing: nothing.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..wgpu::TextureViewDescriptor::default()
            }),
            late_depth: late_depth.cloned(),
            modules: Arc::default(),
        }
    }

    /// Compiles a pipeline. Depending on the driver, that takes from less than a millisecond to some hundreds.
    pub fn make(&self, gpu: &Gpu, key: PipelineKey) -> Pipeline {
        match key {
            PipelineKey::Scene { kind, vertices, target } => Pipeline::Render(self.scene(gpu, kind, vertices, target)),
            PipelineKey::Bake(vertices) => Pipeline::Compute(self.baking(gpu, vertices)),
            PipelineKey::Halve(format) => {
                Pipeline::Render(screen(gpu, &self.plain_module(gpu, &shader::BEHIND), ("fs_halve", &[]), format, None))
            }
            PipelineKey::Present(format) => {
                let fragment = if format.is_srgb() { "fs_present_linear" } else { "fs_present_srgb" };
                Pipeline::Render(screen(gpu, &self.plain_module(gpu, &shader::PRESENT), (fragment, &[]), format, None))
            }
            PipelineKey::Blend(format) => {
                let module = self.plain_module(gpu, &shader::PRESENT);
                Pipeline::Render(screen(gpu, &module, ("fs_blend", &[]), format, Some(OVER)))
            }
        }
    }

    /// The layout of what a picture binds; `is_around`: with the cube of the environment, `is_behind`: with what lies behind
    /// glass.
    pub fn frame(&self, is_around: bool, is_behind: bool) -> &wgpu::BindGroupLayout {
        &self.frames[usize::from(is_around)][usize::from(is_behind)]
    }

    /// Makes a pipeline that filters an environment, with an entry of shaders/prefilter.wgsl.
    /// `samples`: how many directions it reads for a texel.
    pub(crate) fn filtering(&self, gpu: &Gpu, fragment: &str, samples: u32) -> wgpu::RenderPipeline {
        let samples: &[_] = if fragment == "fs_rough" { &[("SAMPLES", f64::from(samples))] } else { &[] };
        screen(gpu, &self.plain_module(gpu, &shader::PREFILTER), (fragment, samples), CUBE_FORMAT, None)
    }

    fn module(
        &self,
        gpu: &Gpu,
        program: &'static Program,
        method: &'static Method,
        with: Linking,
    ) -> wgpu::ShaderModule {
        let make = || {
            let source = wgpu::ShaderSource::Wgsl(program.link(method, with).text.into());
            gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(program.name), source })
        };
        let method = if program.deforms { method.id } else { "" };
        let module = {
            let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(modules.entry((program.name, method, with)).or_default())
        };
        // Others are compiled meanwhile.
        module.get_or_init(make).clone()
    }

    /// A module that deforms nothing.
    fn plain_module(&self, gpu: &Gpu, program: &'static Program) -> wgpu::ShaderModule {
        self.module(gpu, program, skinscope_deform::METHODS[0], Linking::default())
    }

    fn scene(
        &self,
        gpu: &Gpu,
        kind: Kind,
        vertices: Option<DeformedVertices>,
        target: TargetFormat,
    ) -> wgpu::RenderPipeline {
        let how = PipelineDescriptor::of(kind);
        match vertices {
            Some(vertices) => self.deforming(gpu, kind, &how, vertices, target),
            None => {
                let buffers: &[_] = match kind {
                    Kind::Bones => &[buffer::<Bone>(&FOUR)],
                    Kind::Lines => &[buffer::<Line>(&THREE)],
                    _ => &[],
                };
                let shadowed = kind == Kind::Grid { shadowed: true };
                let linking = match kind {
                    Kind::Surroundings { tone_map } => Linking { tone_map, environment: true, ..Linking::default() },
                    _ => Linking { shadowed, ..Linking::default() },
                };
                let module = self.module(gpu, how.program, skinscope_deform::METHODS[0], linking);
                let by_processor = [("BY_PROCESSOR", f64::from(u8::from(gpu.software.fixed_state)))];
                let constants: &[_] = if shadowed { &by_processor } else { &[] };
                self.drawing(gpu, &how, &module, (buffers, constants), (target, linking))
            }
        }
    }

    fn deforming(
        &self,
        gpu: &Gpu,
        kind: Kind,
        how: &PipelineDescriptor,
        DeformedVertices { method, shape, linking }: DeformedVertices,
        target: TargetFormat,
    ) -> wgpu::RenderPipeline {
        use wgpu::VertexStepMode::{Instance, Vertex};
        let (stride, influence_stride) = (shape.stride(), shape.influence_stride());
        let (mut attributes, mut influences) = shape.attributes();
        let (paint, missing) = shape.paint_attributes();
        let rows = |step_mode, array_stride, attributes| {
            Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
        };
        let mut constants = shape.constants();
        constants.push(("MULTISAMPLED", f64::from(u8::from(target.samples > 1))));
        let is_mesh = matches!(kind, Kind::Surface { .. } | Kind::Edges | Kind::Ghost | Kind::Caster { .. });
        if is_mesh {
            attributes.extend(missing);
            constants.extend(shape.paint_constants());
        }
        let mark = [wgpu::vertex_attr_array![8 => Uint32][0]];
        let mark = mark.map(|a| wgpu::VertexAttribute { offset: stride + influence_stride, ..a });
        if matches!(kind, Kind::Marks { .. }) {
            // Marked vertices have all their data in one row.
            attributes.extend(influences.drain(..).map(|a| wgpu::VertexAttribute { offset: stride + a.offset, ..a }));
            attributes.extend(mark);
        }
        let weighted = |step| (!influences.is_empty()).then(|| rows(step, influence_stride, &influences)).flatten();
        let painted = (!paint.is_empty()).then(|| rows(Vertex, 4 * shape.paint.words() as u64, &paint)).flatten();
        // The buffers are in the order of the slots: see `slot` in pipelines.rs.
        let mesh = [rows(Vertex, stride, &attributes), weighted(Vertex), painted, rows(Vertex, 4, &VALUE)];
        let buffers: &[_] = match kind {
            Kind::Surface { look: SurfaceShading::Readout, .. } => &mesh,
            Kind::Dots => &[rows(Instance, stride, &attributes), weighted(Instance), None, rows(Instance, 4, &VALUE)],
            Kind::Marks { .. } => &[rows(Instance, stride + influence_stride + 4, &attributes)],
            _ => &mesh[..3],
        };
        let look = if let Kind::Surface { look: SurfaceShading::Look(look), .. } = kind { look } else { 0 };
        let module = self.module(gpu, how.program, method, Linking { look, ..linking });
        self.drawing(gpu, how, &module, (buffers, &constants), (target, linking))
    }

    fn drawing(
        &self,
        gpu: &Gpu,
        how: &PipelineDescriptor,
        module: &wgpu::ShaderModule,
        (buffers, of_vertices): (&[Option<wgpu::VertexBufferLayout<'_>>], &[(&'static str, f64)]),
        (target, linking): (TargetFormat, Linking),
    ) -> wgpu::RenderPipeline {
        let is_layered = std::ptr::eq(how.program, &raw const shader::LAYERED);
        let is_look = how.program.looks;
        let is_caster = std::ptr::eq(how.program, &raw const shader::CASTER);
        let mut constants = of_vertices.to_vec();
        if let Some(parts) = how.parts {
            constants.push(("TEXTURES", f64::from(parts.textures)));
            constants.push(("TRANSFORMS", f64::from(parts.transforms)));
            let has_sides = how.topology == wgpu::PrimitiveTopology::TriangleList;
            constants.push(("SIDES", f64::from(u8::from(has_sides))));
            constants.push(("CULLED", f64::from(u8::from(how.cull.is_some()))));
            constants.extend(is_look.then_some(("GLOSSY", f64::from(u8::from(parts.layers & layer::GLOSS != 0)))));
            // Only the layered program has these constants.
            if is_layered {
                let is_scaled = parts.layers & layer::VOLUME != 0;
                constants.extend([("LAYERS", f64::from(parts.layers)), ("SCALED", f64::from(u8::from(is_scaled)))]);
            }
        }
        let compilation_options =
            wgpu::PipelineCompilationOptions { constants: &constants, ..wgpu::PipelineCompilationOptions::default() };
        let transmits = is_layered && how.parts.is_some_and(|p| p.layers & layer::TRANSMISSION != 0);
        let frame = if is_caster { &self.frame_casters } else { self.frame(linking.environment, transmits) };
        let groups =
            [Some(frame), Some(&self.models.primitive), Some(&self.models.material), Some(&self.models.layers)];
        let mut groups = match how.program.deforms {
            true if is_layered => groups.to_vec(),
            true if how.parts.is_none() && how.program.overlays => groups[..2].to_vec(),
            true => groups[..3].to_vec(),
            false => groups[..1].to_vec(),
        };
        if let Some(late_depth) =
            self.late_depth.as_ref().filter(|_| how.parts.is_some() && linking.late_depth && !is_caster)
        {
            groups.resize(late_depth::GROUP as usize, None);
            groups.push(Some(late_depth));
        }
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(how.fragment),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        let color = [Some(wgpu::ColorTargetState {
            format: target.format,
            blend: how.blend.then_some(OVER),
            write_mask: if how.write_color { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() },
        })];
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(how.fragment),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(how.vertex),
                compilation_options: compilation_options.clone(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: how.topology,
                cull_mode: how.cull,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: if is_caster { SHADOW_DEPTH } else { DEPTH },
                depth_write_enabled: Some(how.write_depth),
                depth_compare: Some(how.compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState { count: target.samples, ..wgpu::MultisampleState::default() },
            // Depths of solid surfaces need no fragment stage.
            fragment: (!is_caster || how.parts.is_some()).then_some(wgpu::FragmentState {
                module,
                entry_point: Some(how.fragment),
                compilation_options,
                targets: if is_caster { &[] } else { &color },
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    fn baking(
        &self,
        gpu: &Gpu,
        DeformedVertices { method, shape, linking }: DeformedVertices,
    ) -> wgpu::ComputePipeline {
        let module = self.module(gpu, &shader::BAKE, method, linking);
        let mut constants = shape.constants();
        constants.extend(shape.word_constants());
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("bake"),
            bind_group_layouts: &[Some(self.frame(false, false)), Some(&self.models.primitive), Some(&self.bake)],
            immediate_size: 0,
        });
        gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("bake"),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("bake"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        })
    }
}

/// Blends colours that were multiplied by their alpha.
const OVER: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;

/// The attribute of a number for each vertex.
const VALUE: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![8 => Float32];
const FOUR: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4];
const THREE: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];

fn buffer<T>(attributes: &[wgpu::VertexAttribute]) -> Option<wgpu::VertexBufferLayout<'_>> {
    let step_mode = wgpu::VertexStepMode::Instance;
    Some(wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

/// A pipeline that draws one triangle over the whole of a single-sampled target.
fn screen(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    (fragment, constants): (&str, &[(&str, f64)]),
    format: wgpu::TextureFormat,
    blend: Option<wgpu::BlendState>,
) -> wgpu::RenderPipeline {
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(fragment),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs_screen"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
            targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
