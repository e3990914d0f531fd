//! Pipelines, made when first asked for: one for each method × topology × look. Knows what is bound where, not what is
//! drawn when.

use std::collections::HashMap;

use super::gpu::Gpu;
use super::layouts::{Bone, CORE_TEXTURES, Draw, Line, MATERIAL_TEXTURES, Mark, Paint, Source, layer};
use super::material::Parts;
use super::shader::{self, Program};
use super::target::{COLOR, DEPTH, Grain, SAMPLES};
use crate::deform::Method;

/// Fragment stage of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Look {
    Shaded,
    /// In the colours of an overlay.
    Readout,
}

/// Which windings of the surface are left out before their fragments are shaded. The fragment stage leaves out what is
/// seen from behind in any case; where one winding is known to be that for a whole draw, it need not come so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cull {
    None,
    Clockwise,
    CounterClockwise,
}

impl Cull {
    pub fn other(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Clockwise => Self::CounterClockwise,
            Self::CounterClockwise => Self::Clockwise,
        }
    }
}

/// A way to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// `blend`: over what lies behind, leaving the depth alone.
    Surface {
        look: Look,
        topology: wgpu::PrimitiveTopology,
        blend: bool,
        cull: Cull,
        parts: Parts,
    },
    Edges,
    /// All vertices.
    Dots,
    /// Marked vertices, before the surface or behind it.
    Marks {
        hidden: bool,
    },
    Background,
    Grid,
    Bones,
    Lines,
}

impl Kind {
    /// Linked with a deformation method.
    fn deforms(self) -> bool {
        matches!(self, Self::Surface { .. } | Self::Edges | Self::Dots | Self::Marks { .. })
    }

    /// True where what lies behind is read.
    pub fn is_glass(self) -> bool {
        match self {
            Self::Surface { parts, .. } => parts.layers & layer::TRANSMISSION != 0,
            _ => false,
        }
    }
}

/// Everything that is compiled.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub frame: wgpu::BindGroupLayout,
    pub primitive: wgpu::BindGroupLayout,
    pub material: wgpu::BindGroupLayout,
    /// Textures of a material's layers.
    pub layers: wgpu::BindGroupLayout,
    /// As `frame`, and what lies behind glass.
    pub frame_behind: wgpu::BindGroupLayout,
    pub bake: wgpu::BindGroupLayout,
    /// Of the pictures that are drawn now.
    pub grain: Grain,
    modules: HashMap<(&'static str, &'static str), wgpu::ShaderModule>,
    drawing: HashMap<(Kind, &'static str, u32), wgpu::RenderPipeline>,
    baking: HashMap<&'static str, wgpu::ComputePipeline>,
    mips: HashMap<wgpu::TextureFormat, wgpu::RenderPipeline>,
    presenting: HashMap<wgpu::TextureFormat, wgpu::RenderPipeline>,
    behind: Option<wgpu::RenderPipeline>,
}

/// Colours that were multiplied by their alpha.
const OVER: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;

const SOURCE: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Uint32, 2 => Float32x3, 3 => Uint32, 4 => Float32x4, 5 => Float32x4];
const PAINT: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![6 => Float32x4, 7 => Float32x4];
/// A number for each vertex.
const VALUE: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![8 => Float32];
const MARK: [wgpu::VertexAttribute; 7] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Uint32, 2 => Float32x3, 3 => Uint32, 4 => Float32x4, 5 => Float32x4, 8 => Uint32];
const THREE: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];

fn buffer<T>(
    step_mode: wgpu::VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

/// Binding `binding` of a group.
pub(super) fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

impl Pipelines {
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
        let frame_alone = layout("frame", &frame);
        frame.extend([texture(5), sampler(6)]);
        let frame_behind = layout("frame and behind", &frame);
        let primitive =
            layout("primitive", &[uniform(0, all, true), storage(1, vertices, true), storage(2, vertices, true)]);
        let textures = |first: u32, count: usize| (0..2 * count as u32).step_by(2).map(move |i| first + i);
        let textures = |first, count| textures(first, count).flat_map(|i| [texture(i), sampler(i + 1)]);
        let mut material = vec![uniform(0, S::FRAGMENT, false)];
        material.extend(textures(1, CORE_TEXTURES));
        let material = layout("material", &material);
        let layers = layout("layers", &textures(0, MATERIAL_TEXTURES - CORE_TEXTURES).collect::<Vec<_>>());
        let bake = layout("bake", &[storage(0, S::COMPUTE, true), storage(1, S::COMPUTE, false)]);
        Self {
            frame: frame_alone,
            primitive,
            material,
            layers,
            frame_behind,
            bake,
            grain: Grain { format: COLOR, samples: SAMPLES },
            modules: HashMap::new(),
            drawing: HashMap::new(),
            baking: HashMap::new(),
            mips: HashMap::new(),
            presenting: HashMap::new(),
            behind: None,
        }
    }

    fn module(&mut self, gpu: &Gpu, program: &'static Program, method: &'static Method) -> wgpu::ShaderModule {
        let make = || {
            let source = wgpu::ShaderSource::Wgsl(program.link(method).text.into());
            gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(program.name), source })
        };
        let method = if program.deforms { method.id } else { "" };
        self.modules.entry((program.name, method)).or_insert_with(make).clone()
    }

    /// A pipeline of the scene's own target.
    pub fn draw(&mut self, gpu: &Gpu, kind: Kind, method: &'static Method) -> wgpu::RenderPipeline {
        let key = (kind, if kind.deforms() { method.id } else { "" }, self.grain.samples);
        if let Some(found) = self.drawing.get(&key) {
            return found.clone();
        }
        let made = self.make(gpu, kind, method);
        self.drawing.insert(key, made.clone());
        made
    }

    fn make(&mut self, gpu: &Gpu, kind: Kind, method: &'static Method) -> wgpu::RenderPipeline {
        use wgpu::PrimitiveTopology as T;
        use wgpu::VertexStepMode::{Instance, Vertex};
        let how = match kind {
            Kind::Surface { look, topology, blend, cull, parts } => {
                let is_layered = parts.layers & !layer::UNLIT != 0;
                let (vertex, fragment) = match look {
                    Look::Shaded if parts.layers & layer::UNLIT != 0 => ("vs_shaded", "fs_unlit"),
                    Look::Shaded if parts.layers & layer::TRANSMISSION != 0 => ("vs_shaded", "fs_transmissive"),
                    Look::Shaded if is_layered => ("vs_shaded", "fs_layered"),
                    Look::Shaded => ("vs_shaded", "fs_shaded"),
                    Look::Readout => ("vs_readout", "fs_readout"),
                };
                let cull = match cull {
                    Cull::None => None,
                    Cull::Clockwise => Some(wgpu::Face::Back),
                    Cull::CounterClockwise => Some(wgpu::Face::Front),
                };
                How {
                    program: match look {
                        Look::Readout => &shader::READOUT,
                        Look::Shaded if is_layered => &shader::LAYERED,
                        Look::Shaded => &shader::SURFACE,
                    },
                    vertex,
                    fragment,
                    topology,
                    blend,
                    write_depth: !blend,
                    cull,
                    parts: Some(parts),
                    ..How::MESH
                }
            }
            Kind::Edges => How { vertex: "vs_edges", fragment: "fs_edges", topology: T::LineList, ..How::MESH },
            Kind::Dots => How { vertex: "vs_dots", fragment: "fs_dots", ..How::DOTS },
            Kind::Marks { hidden: false } => How { vertex: "vs_marks", fragment: "fs_dots", ..How::DOTS },
            Kind::Marks { hidden: true } => How {
                vertex: "vs_marks",
                fragment: "fs_hidden_dots",
                compare: wgpu::CompareFunction::Less,
                ..How::DOTS
            },
            Kind::Background => How {
                program: &shader::BACKGROUND,
                vertex: "vs_screen",
                fragment: "fs_background",
                blend: false,
                ..How::FLAT
            },
            Kind::Grid => How {
                program: &shader::GRID,
                vertex: "vs_grid",
                fragment: "fs_grid",
                topology: T::TriangleStrip,
                ..How::FLAT
            },
            Kind::Bones => How {
                program: &shader::BONES,
                vertex: "vs_bones",
                fragment: "fs_bones",
                write_depth: true,
                cull: Some(wgpu::Face::Back),
                ..How::FLAT
            },
            Kind::Lines => How {
                program: &shader::LINES,
                vertex: "vs_lines",
                fragment: "fs_lines",
                topology: T::TriangleStrip,
                compare: wgpu::CompareFunction::Always,
                ..How::FLAT
            },
        };
        let mesh = [buffer::<Source>(Vertex, &SOURCE), buffer::<Paint>(Vertex, &PAINT), buffer::<f32>(Vertex, &VALUE)];
        let buffers: &[_] = match kind {
            Kind::Surface { look: Look::Readout, .. } => &mesh,
            Kind::Surface { .. } | Kind::Edges => &mesh[..2],
            Kind::Dots => &[buffer::<Source>(Instance, &SOURCE), buffer::<f32>(Instance, &VALUE)],
            Kind::Marks { .. } => &[buffer::<Mark>(Instance, &MARK)],
            Kind::Background | Kind::Grid => &[],
            Kind::Bones => &[buffer::<Bone>(Instance, &THREE)],
            Kind::Lines => &[buffer::<Line>(Instance, &THREE)],
        };
        self.make_scene(gpu, &how, buffers, method)
    }

    fn make_scene(
        &mut self,
        gpu: &Gpu,
        how: &How,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        method: &'static Method,
    ) -> wgpu::RenderPipeline {
        let module = self.module(gpu, how.program, method);
        let constants = how.parts.map(|p| {
            [("TEXTURES", p.textures), ("TRANSFORMS", p.transforms), ("LAYERS", p.layers)]
                .map(|(n, v)| (n, f64::from(v)))
        });
        let is_layered = std::ptr::eq(how.program, &raw const shader::LAYERED);
        // Only the layered program knows the last one.
        let constants = constants.as_ref().map_or(&[][..], |all| &all[..if is_layered { 3 } else { 2 }]);
        let transmits = how.parts.is_some_and(|p| p.layers & layer::TRANSMISSION != 0);
        let frame = if transmits { &self.frame_behind } else { &self.frame };
        let groups = [Some(frame), Some(&self.primitive), Some(&self.material), Some(&self.layers)];
        let groups = match how.program.deforms {
            true if is_layered => &groups[..],
            true if how.parts.is_none() && how.program.overlays => &groups[..2],
            true => &groups[..3],
            false => &groups[..1],
        };
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(how.fragment),
            bind_group_layouts: groups,
            immediate_size: 0,
        });
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(how.fragment),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(how.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
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
            multisample: wgpu::MultisampleState { count: self.grain.samples, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(how.fragment),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                targets: &[Some(wgpu::ColorTargetState {
                    format: self.grain.format,
                    blend: how.blend.then_some(OVER),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// The compute entry that writes deformed vertices.
    pub fn bake(&mut self, gpu: &Gpu, method: &'static Method) -> wgpu::ComputePipeline {
        if let Some(found) = self.baking.get(method.id) {
            return found.clone();
        }
        let module = self.module(gpu, &shader::BAKE, method);
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
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        self.baking.insert(method.id, made.clone());
        made
    }

    /// Halves textures of `format`.
    pub fn mip(&mut self, gpu: &Gpu, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
        let module = self.module(gpu, &shader::MIP, crate::deform::METHODS[0]);
        self.mips.entry(format).or_insert_with(|| screen(gpu, &module, "fs_mip", format)).clone()
    }

    /// Halves the picture of what lies behind glass.
    pub fn behind(&mut self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let module = self.module(gpu, &shader::BEHIND, crate::deform::METHODS[0]);
        let format = self.grain.format;
        self.behind.get_or_insert_with(|| screen(gpu, &module, "fs_halve", format)).clone()
    }

    /// Copies the picture into a window's surface of `format`.
    pub fn present(&mut self, gpu: &Gpu, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
        let module = self.module(gpu, &shader::PRESENT, crate::deform::METHODS[0]);
        let fragment = if format.is_srgb() { "fs_present_linear" } else { "fs_present_srgb" };
        self.presenting.entry(format).or_insert_with(|| screen(gpu, &module, fragment, format)).clone()
    }
}

/// What differs between the pipelines of the scene.
struct How {
    program: &'static Program,
    vertex: &'static str,
    fragment: &'static str,
    topology: wgpu::PrimitiveTopology,
    blend: bool,
    write_depth: bool,
    compare: wgpu::CompareFunction,
    cull: Option<wgpu::Face>,
    /// The surface's overrides.
    parts: Option<Parts>,
}

impl How {
    /// Over what is there.
    const FLAT: Self = Self {
        program: &shader::BACKGROUND,
        vertex: "",
        fragment: "",
        topology: wgpu::PrimitiveTopology::TriangleList,
        blend: true,
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

fn bind(binding: u32, visibility: wgpu::ShaderStages, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn uniform(binding: u32, visibility: wgpu::ShaderStages, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    let min_binding_size = has_dynamic_offset.then(|| wgpu::BufferSize::new(size_of::<Draw>() as u64)).flatten();
    let ty = wgpu::BufferBindingType::Uniform;
    bind(binding, visibility, wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size })
}

fn storage(binding: u32, visibility: wgpu::ShaderStages, read_only: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Storage { read_only };
    bind(binding, visibility, wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None })
}

fn texture(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    bind(binding, wgpu::ShaderStages::FRAGMENT, ty)
}

fn sampler(binding: u32) -> wgpu::BindGroupLayoutEntry {
    bind(binding, wgpu::ShaderStages::FRAGMENT, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering))
}
