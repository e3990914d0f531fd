//! Pipelines, made when first asked for: one for each method × topology × look. Knows what is bound where, not what is
//! drawn when.

use std::collections::HashMap;

use super::bindings::{sampler, storage, texture, uniform};
use super::gpu::Gpu;
use super::layouts::{Bone, CORE_TEXTURES, Line, MATERIAL_TEXTURES, layer};
use super::pipeline_kind::{Cull, Kind, MaterialFeatures, SurfaceShading, SurfaceWrites};
use super::shader::{self, Linking, Program};
use super::software::late_depth::{self, LateDepth};
use super::target::{COLOR, DEPTH, SAMPLES, TargetFormat};
use super::vertices::Shape;
use crate::deform::Method;

/// What a pipeline that draws is compiled for: its kind, what it shows, the vertices it reads, and its samples.
type DrawingKey = (Kind, &'static str, Option<(Shape, Linking)>, u32);

/// Everything that is compiled.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub frame: wgpu::BindGroupLayout,
    pub primitive: wgpu::BindGroupLayout,
    pub material: wgpu::BindGroupLayout,
    /// Textures of a material's layers.
    pub layers: wgpu::BindGroupLayout,
    /// The layout `frame` with the texture behind glass added.
    pub frame_transmission: wgpu::BindGroupLayout,
    pub bake: wgpu::BindGroupLayout,
    /// The format of the pictures that are drawn now.
    pub target_format: TargetFormat,
    /// With what the programs of these pictures are linked.
    pub linking: Linking,
    /// What surfaces bind where depths are tested late.
    pub late_depth: Option<LateDepth>,
    modules: HashMap<(&'static str, &'static str, Linking), wgpu::ShaderModule>,
    drawing: HashMap<DrawingKey, wgpu::RenderPipeline>,
    baking: HashMap<(&'static str, Shape, Linking), wgpu::ComputePipeline>,
    presenting: HashMap<wgpu::TextureFormat, wgpu::RenderPipeline>,
    transmission: Option<wgpu::RenderPipeline>,
}

/// Colours that were multiplied by their alpha.
const OVER: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;

/// A number for each vertex.
const VALUE: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![8 => Float32];
const FOUR: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4];
const THREE: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];

/// The slots of vertex buffers.
pub(super) mod slot {
    /// Positions, normals, tangents.
    pub const VERTICES: u32 = 0;
    /// Joints and weights.
    pub const INFLUENCES: u32 = 1;
    /// What only the surface reads.
    pub const PAINT: u32 = 2;
    /// A number for each vertex.
    pub const VALUES: u32 = 3;
}

fn buffer<T>(attributes: &[wgpu::VertexAttribute]) -> Option<wgpu::VertexBufferLayout<'_>> {
    let step_mode = wgpu::VertexStepMode::Instance;
    Some(wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

/// The layouts of a model's bind groups; they can be used on any thread.
#[derive(Clone, Debug)]
pub(super) struct ModelLayouts {
    pub primitive: wgpu::BindGroupLayout,
    pub material: wgpu::BindGroupLayout,
    /// Textures of a material's layers.
    pub layers: wgpu::BindGroupLayout,
}

impl Pipelines {
    /// Layouts of the groups of a model.
    pub fn of_models(&self) -> ModelLayouts {
        let Self { primitive, material, layers, .. } = self;
        ModelLayouts { primitive: primitive.clone(), material: material.clone(), layers: layers.clone() }
    }

    pub fn new(gpu: &Gpu) -> Self {
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
        let frame_alone = layout("frame", &frame);
        frame.extend([texture(5), sampler(6)]);
        let frame_transmission = layout("frame and behind", &frame);
        let primitive =
            layout("primitive", &[uniform(0, all, true), storage(1, vertices, true), storage(2, vertices, true)]);
        let textures = |first: u32, count: usize| (0..2 * count as u32).step_by(2).map(move |i| first + i);
        let textures = |first, count| textures(first, count).flat_map(|i| [texture(i), sampler(i + 1)]);
        let mut material = vec![uniform(0, S::FRAGMENT, false)];
        material.extend(textures(1, CORE_TEXTURES));
        let material = layout("material", &material);
        let layers = layout("layers", &textures(0, MATERIAL_TEXTURES - CORE_TEXTURES).collect::<Vec<_>>());
        let bake = layout(
            "bake",
            &[storage(0, S::COMPUTE, true), storage(1, S::COMPUTE, false), storage(2, S::COMPUTE, true)],
        );
        Self {
            frame: frame_alone,
            primitive,
            material,
            layers,
            frame_transmission,
            bake,
            target_format: TargetFormat { format: COLOR, samples: SAMPLES },
            linking: Linking::default(),
            late_depth: LateDepth::new(gpu),
            modules: HashMap::new(),
            drawing: HashMap::new(),
            baking: HashMap::new(),
            presenting: HashMap::new(),
            transmission: None,
        }
    }

    fn module(
        &mut self,
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
        self.modules.entry((program.name, method, with)).or_insert_with(make).clone()
    }

    /// A module that deforms nothing.
    fn plain_module(&mut self, gpu: &Gpu, program: &'static Program) -> wgpu::ShaderModule {
        self.module(gpu, program, crate::deform::METHODS[0], Linking::default())
    }

    /// A pipeline of the scene's own target that deforms nothing.
    pub fn plain(&mut self, gpu: &Gpu, kind: Kind) -> wgpu::RenderPipeline {
        self.get(gpu, kind, crate::deform::METHODS[0], None)
    }

    /// A pipeline of the scene's own target for vertices of a shape.
    pub fn draw(&mut self, gpu: &Gpu, kind: Kind, method: &'static Method, shape: Shape) -> wgpu::RenderPipeline {
        self.get(gpu, kind, method, Some(shape.of(kind)))
    }

    fn get(&mut self, gpu: &Gpu, kind: Kind, method: &'static Method, shape: Option<Shape>) -> wgpu::RenderPipeline {
        let key = (kind, method.id, shape.map(|shape| (shape, self.linking)), self.target_format.samples);
        if let Some(found) = self.drawing.get(&key) {
            return found.clone();
        }
        let made = self.make(gpu, kind, method, shape);
        self.drawing.insert(key, made.clone());
        made
    }

    fn make(&mut self, gpu: &Gpu, kind: Kind, method: &'static Method, shape: Option<Shape>) -> wgpu::RenderPipeline {
        use wgpu::PrimitiveTopology as T;
        let how = match kind {
            Kind::Surface { look, topology, leaves, cull, parts } => {
                let is_layered = parts.layers & !layer::UNLIT != 0;
                let (vertex, fragment) = match look {
                    SurfaceShading::Shaded if parts.layers & layer::UNLIT != 0 => ("vs_shaded", "fs_unlit"),
                    SurfaceShading::Shaded if parts.layers & layer::TRANSMISSION != 0 => {
                        ("vs_shaded", "fs_transmissive")
                    }
                    SurfaceShading::Shaded if is_layered => ("vs_shaded", "fs_layered"),
                    SurfaceShading::Shaded => ("vs_shaded", "fs_shaded"),
                    SurfaceShading::Readout => ("vs_readout", "fs_readout"),
                };
                let cull = match cull {
                    Cull::None => None,
                    Cull::Clockwise => Some(wgpu::Face::Back),
                    Cull::CounterClockwise => Some(wgpu::Face::Front),
                };
                PipelineDescriptor {
                    program: match look {
                        SurfaceShading::Readout => &shader::READOUT,
                        SurfaceShading::Shaded if is_layered => &shader::LAYERED,
                        SurfaceShading::Shaded => &shader::SURFACE,
                    },
                    vertex,
                    fragment,
                    topology,
                    blend: leaves == SurfaceWrites::Color,
                    write_color: leaves != SurfaceWrites::Depth,
                    write_depth: leaves != SurfaceWrites::Color,
                    cull,
                    parts: Some(parts),
                    ..PipelineDescriptor::MESH
                }
            }
            Kind::Edges => PipelineDescriptor {
                vertex: "vs_edges",
                fragment: "fs_edges",
                topology: T::LineList,
                ..PipelineDescriptor::MESH
            },
            Kind::Dots => PipelineDescriptor { vertex: "vs_dots", fragment: "fs_dots", ..PipelineDescriptor::DOTS },
            Kind::Marks { hidden: false } => {
                PipelineDescriptor { vertex: "vs_marks", fragment: "fs_dots", ..PipelineDescriptor::DOTS }
            }
            Kind::Marks { hidden: true } => PipelineDescriptor {
                vertex: "vs_marks",
                fragment: "fs_hidden_dots",
                compare: wgpu::CompareFunction::Less,
                ..PipelineDescriptor::DOTS
            },
            Kind::Background => PipelineDescriptor {
                program: &shader::BACKGROUND,
                vertex: "vs_screen",
                fragment: "fs_background",
                blend: false,
                ..PipelineDescriptor::FLAT
            },
            Kind::Grid => PipelineDescriptor {
                program: &shader::GRID,
                vertex: "vs_grid",
                fragment: "fs_grid",
                topology: T::TriangleStrip,
                ..PipelineDescriptor::FLAT
            },
            Kind::Bones => PipelineDescriptor {
                program: &shader::BONES,
                vertex: "vs_bones",
                fragment: "fs_bones",
                topology: T::TriangleStrip,
                write_depth: true,
                ..PipelineDescriptor::FLAT
            },
            Kind::Lines => PipelineDescriptor {
                program: &shader::LINES,
                vertex: "vs_lines",
                fragment: "fs_lines",
                topology: T::TriangleStrip,
                compare: wgpu::CompareFunction::Always,
                ..PipelineDescriptor::FLAT
            },
        };
        match shape {
            Some(shape) => self.make_deforming(gpu, kind, &how, (method, shape)),
            None => {
                let buffers: &[_] = match kind {
                    Kind::Bones => &[buffer::<Bone>(&FOUR)],
                    Kind::Lines => &[buffer::<Line>(&THREE)],
                    _ => &[],
                };
                let module = self.plain_module(gpu, how.program);
                self.make_scene(gpu, &how, &module, buffers, &[])
            }
        }
    }

    fn make_deforming(
        &mut self,
        gpu: &Gpu,
        kind: Kind,
        how: &PipelineDescriptor,
        (method, shape): (&'static Method, Shape),
    ) -> wgpu::RenderPipeline {
        use wgpu::VertexStepMode::{Instance, Vertex};
        let (stride, influence_stride) = (shape.stride(), shape.influence_stride());
        let (mut attributes, mut influences) = shape.attributes();
        let (paint, missing) = shape.paint_attributes();
        let rows = |step_mode, array_stride, attributes| {
            Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
        };
        let mut constants = shape.constants();
        constants.push(("MULTISAMPLED", f64::from(u8::from(self.target_format.samples > 1))));
        let is_mesh = matches!(kind, Kind::Surface { .. } | Kind::Edges);
        if is_mesh {
            attributes.extend(missing);
            constants.extend(shape.paint_constants());
        }
        let mark = [wgpu::vertex_attr_array![8 => Uint32][0]];
        let mark = mark.map(|a| wgpu::VertexAttribute { offset: stride + influence_stride, ..a });
        if matches!(kind, Kind::Marks { .. }) {
            // All in one row.
            attributes.extend(influences.drain(..).map(|a| wgpu::VertexAttribute { offset: stride + a.offset, ..a }));
            attributes.extend(mark);
        }
        let weighted = |step| (!influences.is_empty()).then(|| rows(step, influence_stride, &influences)).flatten();
        let painted = (!paint.is_empty()).then(|| rows(Vertex, 4 * shape.paint.words() as u64, &paint)).flatten();
        // In the order of the slots: see [`slot`].
        let mesh = [rows(Vertex, stride, &attributes), weighted(Vertex), painted, rows(Vertex, 4, &VALUE)];
        let buffers: &[_] = match kind {
            Kind::Surface { look: SurfaceShading::Readout, .. } => &mesh,
            Kind::Dots => &[rows(Instance, stride, &attributes), weighted(Instance), None, rows(Instance, 4, &VALUE)],
            Kind::Marks { .. } => &[rows(Instance, stride + influence_stride + 4, &attributes)],
            _ => &mesh[..3],
        };
        let module = self.module(gpu, how.program, method, self.linking);
        self.make_scene(gpu, how, &module, buffers, &constants)
    }

    fn make_scene(
        &mut self,
        gpu: &Gpu,
        how: &PipelineDescriptor,
        module: &wgpu::ShaderModule,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        of_vertices: &[(&'static str, f64)],
    ) -> wgpu::RenderPipeline {
        let is_layered = std::ptr::eq(how.program, &raw const shader::LAYERED);
        let mut constants = of_vertices.to_vec();
        if let Some(parts) = how.parts {
            constants.push(("TEXTURES", f64::from(parts.textures)));
            constants.push(("TRANSFORMS", f64::from(parts.transforms)));
            let has_sides = how.topology == wgpu::PrimitiveTopology::TriangleList;
            constants.push(("SIDES", f64::from(u8::from(has_sides))));
            constants.push(("CULLED", f64::from(u8::from(how.cull.is_some()))));
            // Only the layered program knows this one.
            constants.extend(is_layered.then_some(("LAYERS", f64::from(parts.layers))));
        }
        let compilation_options =
            wgpu::PipelineCompilationOptions { constants: &constants, ..wgpu::PipelineCompilationOptions::default() };
        let transmits = how.parts.is_some_and(|p| p.layers & layer::TRANSMISSION != 0);
        let frame = if transmits { &self.frame_transmission } else { &self.frame };
        let groups = [Some(frame), Some(&self.primitive), Some(&self.material), Some(&self.layers)];
        let mut groups = match how.program.deforms {
            true if is_layered => groups.to_vec(),
            true if how.parts.is_none() && how.program.overlays => groups[..2].to_vec(),
            true => groups[..3].to_vec(),
            false => groups[..1].to_vec(),
        };
        if let Some(late_depth) = self.late_depth.as_ref().filter(|_| how.parts.is_some() && self.linking.late_depth) {
            groups.resize(late_depth::GROUP as usize, None);
            groups.push(Some(&late_depth.layout));
        }
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(how.fragment),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
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
                format: DEPTH,
                depth_write_enabled: Some(how.write_depth),
                depth_compare: Some(how.compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState {
                count: self.target_format.samples,
                ..wgpu::MultisampleState::default()
            },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(how.fragment),
                compilation_options,
                targets: &[Some(wgpu::ColorTargetState {
                    format: self.target_format.format,
                    blend: how.blend.then_some(OVER),
                    write_mask: if how.write_color { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() },
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// What each pipeline that draws was made for.
    #[cfg(test)]
    pub fn kinds(&self) -> impl Iterator<Item = (&Kind, Option<&Shape>)> {
        self.drawing.keys().map(|(kind, _, shape, _)| (kind, shape.as_ref().map(|(shape, _)| shape)))
    }

    /// The compute entry that writes deformed vertices.
    pub fn bake(&mut self, gpu: &Gpu, method: &'static Method, shape: Shape) -> wgpu::ComputePipeline {
        let shape = shape.alone();
        let key = (method.id, shape, self.linking);
        if let Some(found) = self.baking.get(&key) {
            return found.clone();
        }
        let module = self.module(gpu, &shader::BAKE, method, self.linking);
        let mut constants = shape.constants();
        constants.extend(shape.word_constants());
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("bake"),
            bind_group_layouts: &[Some(&self.frame), Some(&self.primitive), Some(&self.bake)],
            immediate_size: 0,
        });
        let made = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("bake"),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("bake"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        self.baking.insert(key, made.clone());
        made
    }

    /// Halves the picture of what lies behind glass.
    pub fn transmission(&mut self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let module = self.plain_module(gpu, &shader::BEHIND);
        let format = self.target_format.format;
        self.transmission.get_or_insert_with(|| screen(gpu, &module, "fs_halve", format)).clone()
    }

    /// Copies the picture into a window's surface of `format`.
    pub fn present(&mut self, gpu: &Gpu, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
        let module = self.plain_module(gpu, &shader::PRESENT);
        let fragment = if format.is_srgb() { "fs_present_linear" } else { "fs_present_srgb" };
        self.presenting.entry(format).or_insert_with(|| screen(gpu, &module, fragment, format)).clone()
    }
}

/// The settings in which the pipelines of the scene differ.
struct PipelineDescriptor {
    program: &'static Program,
    vertex: &'static str,
    fragment: &'static str,
    topology: wgpu::PrimitiveTopology,
    blend: bool,
    write_color: bool,
    write_depth: bool,
    compare: wgpu::CompareFunction,
    cull: Option<wgpu::Face>,
    /// The surface's overrides.
    parts: Option<MaterialFeatures>,
}

impl PipelineDescriptor {
    /// Over what is there.
    const FLAT: Self = Self {
        program: &shader::BACKGROUND,
        vertex: "",
        fragment: "",
        topology: wgpu::PrimitiveTopology::TriangleList,
        blend: true,
        write_color: true,
        write_depth: false,
        // Depth is reversed.
        compare: wgpu::CompareFunction::GreaterEqual,
        cull: None,
        parts: None,
    };
    /// The model. Sides are culled in the fragment stage: which one is the back depends on what moved the triangle.
    const MESH: Self = Self { program: &shader::SURFACE, ..Self::FLAT };
    /// Its vertices.
    const DOTS: Self = Self { program: &shader::DOTS, ..Self::FLAT };
}

/// One triangle over the whole of a single-sampled target.
fn screen(gpu: &Gpu, module: &wgpu::ShaderModule, fragment: &str, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
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
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
