//! The device's copy of a model: uploaded once, then only read. Poses, weights and views never come here.

use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

use glam::{Vec2, Vec3, Vec4};

use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::{Draw, Influence, Mark, Paint, Slot, Source, flag, mode};
use super::material::Materials;
use super::pipelines::{Pipelines, entry};
use crate::frame::joint_color;
use crate::math::Aabb;
use crate::model::{Influences, Instance, InstanceId, Model, NodeId, Primitive, Topology};

/// A model on the device.
#[derive(Debug)]
pub(super) struct GpuModel {
    /// By mesh; empty for meshes that nothing shows.
    pub meshes: Vec<Vec<GpuPrimitive>>,
    /// By instance, then primitive.
    pub draws: Vec<Vec<GpuDraw>>,
    /// What each place in the palette stands for.
    pub slots: wgpu::Buffer,
    pub materials: Materials,
}

/// Vertices and indices of a primitive.
#[derive(Debug)]
pub(super) struct GpuPrimitive {
    pub source: wgpu::Buffer,
    pub paint: wgpu::Buffer,
    pub indices: Indices,
    pub topology: wgpu::PrimitiveTopology,
    /// Binds the draw uniforms (by offset), influences and morph targets.
    pub group: wgpu::BindGroup,
    /// Middle of the stored vertices, mesh space, and the joint (place in the skin) that moves most of them.
    pub center: (Vec3, u32),
    /// Joints (places in the skin) that meet in a vertex, each with the vertex' first; `None` where no such list tells how
    /// the surface turns.
    pub meeting: Option<Vec<(u16, u16)>>,
    edges: OnceLock<Result<Indices, GpuError>>,
}

/// A primitive as one instance draws it.
#[derive(Debug)]
pub(super) struct GpuDraw {
    /// Offset of its [`Draw`], bytes.
    pub offset: u32,
    /// First matrix in the palette.
    pub joint: u32,
    /// Moved by that one alone; each copy by its own, which follow it.
    pub rigid: bool,
    pub copies: u32,
}

/// An index list.
#[derive(Clone, Debug)]
pub(super) struct Indices {
    pub buffer: wgpu::Buffer,
    pub count: u32,
}

impl Indices {
    fn new(gpu: &Gpu, what: &str, list: &[u32]) -> Result<Self, GpuError> {
        let buffer = gpu.buffer(what, bytemuck::cast_slice(list), wgpu::BufferUsages::INDEX)?;
        Ok(Self { buffer, count: list.len() as u32 })
    }
}

impl GpuModel {
    /// Uploads everything that the model's instances show.
    pub fn new(gpu: &Gpu, pipelines: &mut Pipelines, model: &Model) -> Result<Self, GpuError> {
        let stride =
            (size_of::<Draw>() as u32).next_multiple_of(gpu.device.limits().min_uniform_buffer_offset_alignment);
        let shown: HashSet<usize> = model.instances.iter().map(|i| i.mesh.index()).collect();
        let mut uniforms = Vec::new();
        let mut draws = Vec::new();
        for (i, instance) in model.instances.iter().enumerate() {
            let primitives = &model.meshes[instance.mesh.index()].primitives;
            let mut list = Vec::new();
            for number in 0..primitives.len() {
                let uniform = draw_uniform(model, InstanceId::from_index(i), number);
                list.push(GpuDraw {
                    offset: uniforms.len() as u32,
                    joint: uniform.joint,
                    rigid: uniform.mode == mode::RIGID,
                    copies: uniform.copies,
                });
                uniforms.extend_from_slice(bytemuck::bytes_of(&uniform));
                uniforms.resize(uniforms.len().next_multiple_of(stride as usize), 0);
            }
            draws.push(list);
        }
        let uniforms = gpu.buffer("draws", &uniforms, wgpu::BufferUsages::UNIFORM)?;
        let mut meshes = Vec::new();
        for (i, mesh) in model.meshes.iter().enumerate() {
            let shown = shown.contains(&i);
            let primitives = mesh.primitives.iter().enumerate().filter(|_| shown);
            let upload = |(n, p)| GpuPrimitive::new(gpu, pipelines, p, &uniforms, &format!("mesh {i}, primitive {n}"));
            meshes.push(primitives.map(upload).collect::<Result<Vec<_>, _>>()?);
        }
        let slots = gpu.buffer("slots", bytemuck::cast_slice(&slots(model)), wgpu::BufferUsages::STORAGE)?;
        let materials = Materials::new(gpu, pipelines, model)?;
        Ok(Self { meshes, draws, slots, materials })
    }
}

impl GpuPrimitive {
    fn new(
        gpu: &Gpu,
        pipelines: &Pipelines,
        p: &Primitive,
        uniforms: &wgpu::Buffer,
        place: &str,
    ) -> Result<Self, GpuError> {
        let (sources, list) = sources(p);
        use wgpu::BufferUsages as U;
        let what = |part: &str| format!("{place}: its {part}");
        let source = gpu.buffer(&what("vertices"), bytemuck::cast_slice(&sources), U::VERTEX | U::STORAGE)?;
        let paint = gpu.buffer(&what("colours"), bytemuck::cast_slice(&paints(p)), U::VERTEX)?;
        let influences = gpu.buffer(&what("influences"), bytemuck::cast_slice(&list), U::STORAGE)?;
        let morphs = gpu.buffer(&what("morph targets"), bytemuck::cast_slice(&morphs(p)), U::STORAGE)?;
        let draw =
            wgpu::BufferBinding { buffer: uniforms, offset: 0, size: wgpu::BufferSize::new(size_of::<Draw>() as u64) };
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(place),
            layout: &pipelines.primitive,
            entries: &[
                entry(0, wgpu::BindingResource::Buffer(draw)),
                entry(1, influences.as_entire_binding()),
                entry(2, morphs.as_entire_binding()),
            ],
        });
        Ok(Self {
            source,
            paint,
            indices: Indices::new(gpu, &what("indices"), &p.indices)?,
            topology: match p.topology {
                Topology::Points => wgpu::PrimitiveTopology::PointList,
                Topology::Lines => wgpu::PrimitiveTopology::LineList,
                Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
            },
            group,
            center: (Aabb::from_points(p.positions.iter().copied()).center(), main_joint(p)),
            meeting: meeting(p),
            edges: OnceLock::new(),
        })
    }

    /// Every edge once, as lines; made when first asked for.
    pub fn edges(&self, gpu: &Gpu, p: &Primitive) -> Result<&Indices, GpuError> {
        let make = || Indices::new(gpu, "the wireframe", &edges(p));
        self.edges.get_or_init(make).as_ref().map_err(GpuError::clone)
    }
}

fn draw_uniform(model: &Model, id: InstanceId, primitive: usize) -> Draw {
    let instance = &model.instances[id.index()];
    let p = &model.meshes[instance.mesh.index()].primitives[primitive];
    let (joint, influences) = model.binding(id, primitive);
    let mode = influences.map_or(mode::RIGID, mode_of);
    let mut flags = 0;
    let mut set = |bit, on| flags |= if on { bit } else { 0 };
    set(flag::HAS_NORMALS, !p.normals.is_empty());
    set(flag::HAS_TANGENTS, !p.tangents.is_empty());
    set(flag::HAS_SIDES, p.topology == Topology::Triangles);
    set(flag::MORPHS_NORMALS, morphs_normals(p));
    set(flag::MORPHS_TANGENTS, morphs_tangents(p));
    Draw {
        joint,
        mode,
        flags,
        vertex_count: p.positions.len() as u32,
        morph_count: p.morphs.len() as u32,
        morph_weight: instance.morph_offset as u32,
        morph_stride: morph_stride(p),
        copies: instance.copy_count() as u32,
        // Each copy of what is rigid has a matrix of its own.
        copy_stride: u32::from(mode == mode::RIGID),
    }
}

/// Four influences ride in the vertex; more are read from a list.
fn mode_of(influences: &Influences) -> u32 {
    if influences.most_used() <= 4 { mode::FOUR } else { mode::LIST }
}

fn sources(p: &Primitive) -> (Vec<Source>, Vec<Influence>) {
    let mut list = Vec::new();
    let mode = p.influences.as_ref().map_or(mode::RIGID, mode_of);
    let sources = (0..p.positions.len()).map(|i| source(p, i, mode, &mut list)).collect();
    (sources, list)
}

/// One vertex; where influences are read from a list, its own are put at the end of `list`.
fn source(p: &Primitive, i: usize, mode: u32, list: &mut Vec<Influence>) -> Source {
    let mut out = Source {
        position: p.positions[i].to_array(),
        normal: p.normals.get(i).copied().unwrap_or_default().to_array(),
        tangent: p.tangents.get(i).copied().unwrap_or(Vec4::W).to_array(),
        ..Source::default()
    };
    let Some(influences) = &p.influences else { return out };
    let (joints, weights) = influences.of(i);
    let used = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
    if mode == mode::LIST {
        out.joints_a = list.len() as u32;
        list.extend(used.map(|(joint, weight)| Influence { joint: u32::from(*joint), weight: *weight }));
        out.joints_b = list.len() as u32 - out.joints_a;
    } else {
        let mut four = [0_u32; 4];
        for (slot, (joint, weight)) in used.enumerate() {
            four[slot] = u32::from(*joint);
            out.weights[slot] = *weight;
        }
        out.joints_a = four[0] | four[1] << 16;
        out.joints_b = four[2] | four[3] << 16;
    }
    out
}

/// Vertices of their own, for the dots that stand for them. `vertices` rise.
pub(super) fn marks(p: &Primitive, vertices: &[u32]) -> Vec<Mark> {
    let mode = p.influences.as_ref().map_or(mode::RIGID, mode_of);
    let (mut listed, mut next) = (0, 0);
    let mark = |vertex: &u32| {
        let i = *vertex as usize;
        let mut source = source(p, i, mode, &mut Vec::new());
        if let (mode::LIST, Some(influences)) = (mode, &p.influences) {
            // Where its influences stand in the list of all.
            let before = (next..i).map(|v| influences.of(v).1.iter().filter(|w| **w != 0.0).count());
            listed += before.sum::<usize>();
            next = i;
            source.joints_a = listed as u32;
        }
        Mark { source, vertex: *vertex }
    };
    vertices.iter().filter(|v| (**v as usize) < p.stored_vertices).map(mark).collect()
}

fn paints(p: &Primitive) -> Vec<Paint> {
    let uv = |set: usize, i: usize| p.uvs[set].get(i).copied().unwrap_or(Vec2::ZERO);
    let paint = |i| {
        let (a, b) = (uv(0, i), uv(1, i));
        Paint { uv: [a.x, a.y, b.x, b.y], color: p.colors.get(i).copied().unwrap_or(Vec4::ONE).to_array() }
    };
    (0..p.positions.len()).map(paint).collect()
}

/// Displacements of normals count only where there are normals; their place is kept before those of tangents.
fn morphs_normals(p: &Primitive) -> bool {
    !p.normals.is_empty() && p.morphs.iter().any(|m| !m.normals.is_empty()) || morphs_tangents(p)
}

fn morphs_tangents(p: &Primitive) -> bool {
    !p.tangents.is_empty() && p.morphs.iter().any(|m| !m.tangents.is_empty())
}

/// Floats of one morphed vertex.
fn morph_stride(p: &Primitive) -> u32 {
    3 + 3 * u32::from(morphs_normals(p)) + 3 * u32::from(morphs_tangents(p))
}

fn morphs(p: &Primitive) -> Vec<f32> {
    let mut out = Vec::with_capacity(p.morphs.len() * p.positions.len() * morph_stride(p) as usize);
    let (normals, tangents) = (morphs_normals(p), morphs_tangents(p));
    for target in &p.morphs {
        for i in 0..p.positions.len() {
            let mut push = |list: &[Vec3]| out.extend(list.get(i).copied().unwrap_or_default().to_array());
            push(&target.positions);
            if normals {
                push(if p.normals.is_empty() { &[] } else { &target.normals });
            }
            if tangents {
                push(&target.tangents);
            }
        }
    }
    out
}

/// The place in the skin of the joint with the most weight in all.
fn main_joint(p: &Primitive) -> u32 {
    let Some(influences) = &p.influences else { return 0 };
    let mut sums: Vec<f32> = Vec::new();
    for (joint, weight) in influences.joints.iter().zip(&influences.weights) {
        let at = usize::from(*joint);
        if sums.len() <= at {
            sums.resize(at + 1, 0.0);
        }
        sums[at] += weight;
    }
    let most = sums.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    most.map_or(0, |(joint, _)| joint as u32)
}

/// Pairs worth looking at for every picture.
const MOST_PAIRS: usize = 4096;

fn meeting(p: &Primitive) -> Option<Vec<(u16, u16)>> {
    let Some(influences) = &p.influences else { return Some(vec![(0, 0)]) };
    let mut pairs = BTreeSet::new();
    for i in 0..p.positions.len() {
        let (joints, weights) = influences.of(i);
        if weights.iter().any(|w| *w < 0.0) || pairs.len() > MOST_PAIRS {
            return None;
        }
        let mut used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, _)| *j);
        // What nothing moves is a point.
        let Some(first) = used.next() else { continue };
        pairs.insert((first, first));
        pairs.extend(used.map(|other| (first, other)));
    }
    Some(pairs.into_iter().collect())
}

/// A rigid part belongs to the nearest joint above it, else to its own node.
fn slots(model: &Model) -> Vec<Slot> {
    let slot = |node: NodeId| Slot { color: joint_color(node), node: node.0 };
    let skinned = model.skins.iter().flat_map(|s| &s.joints).map(|j| slot(*j));
    let owner = |node: NodeId| {
        let mut up = std::iter::successors(Some(node), |n| model.skeleton.parents[n.index()]);
        up.find(|n| model.is_joint(*n)).unwrap_or(node)
    };
    let rigid = model.instances.iter().zip(&model.palette_layout().rigid).filter(|(_, place)| place.is_some());
    let copies = |i: &Instance| std::iter::repeat_n(slot(owner(i.node)), i.copy_count());
    skinned.chain(rigid.flat_map(|(instance, _)| copies(instance))).collect()
}

fn edges(p: &Primitive) -> Vec<u32> {
    if p.topology != Topology::Triangles {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for [a, b, c] in p.indices.as_chunks().0 {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from != to && seen.insert((from.min(to), from.max(to))) {
                out.extend([*from, *to]);
            }
        }
    }
    out
}
