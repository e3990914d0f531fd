//! The device's copy of a model: uploaded once, then only read. Poses, weights and views never come here.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::bindings::entry;
use super::device_jobs::{DeviceJob, DeviceJobs, check, progress};
use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};
use super::layouts::{Draw, Influence, PrimitiveKey, Slot, flag, mode};
use super::material::Materials;
use super::pipelines::ModelLayouts;
use super::pool::{BufferRange, Pool};
use super::reorder::Reordering;
use super::shown::Shown;
use super::vertices::{Shape, mode_of};
use crate::deform::packed::{
    PackedPrimitive, PaintLayout, VertexLayout, VertexOrder, may_reorder, morph_words, morphs_normals, morphs_tangents,
    pack_in_order, pack_part, pack_primitive,
};
use crate::deform::triangle_edges;
use crate::frame::{Frame, joint_color};
use crate::math::Aabb;
use crate::model::{Instance, InstanceId, Mesh, MeshId, Model, NodeId, Primitive, PrimitiveRef, Topology};
use crate::parallel::JobContext;

/// A model on the device.
#[derive(Debug)]
pub(super) struct GpuModel {
    /// By mesh; empty for meshes that nothing shows.
    pub meshes: Vec<Vec<GpuPrimitive>>,
    /// By instance, then primitive.
    pub draws: Vec<Vec<GpuDraw>>,
    /// The joint that each place in the palette belongs to.
    pub slots: wgpu::Buffer,
    pub materials: Materials,
    /// A [`Draw`] for each of `draws`.
    uniforms: wgpu::Buffer,
    reordering: Reordering,
    /// Large meshes in a better order, on their way to the device.
    arriving: Option<DeviceJob<Vec<(PrimitiveKey, GpuPrimitive)>>>,
    /// Edges of large meshes, being made, and whether those had their own order when that began.
    wires: Option<(DeviceJob<EdgeLists>, Vec<bool>)>,
}

/// The edges of some meshes.
type EdgeLists = HashMap<PrimitiveKey, Indices>;

/// The part of a primitive that is drawn.
#[derive(Debug)]
pub(super) struct Part {
    /// Its vertices and triangles, in their stored order.
    pub primitive: Primitive,
    /// How the vertices of the whole are packed.
    pub layout: VertexLayout,
}

/// More of these hold a picture up, and are worth a thread: vertices, of a primitive and of a model.
pub(super) const MANY_VERTICES: usize = 100_000;
/// The same of a model's primitives.
const MANY_PRIMITIVES: usize = 500;

/// Whether bringing a model to the device takes so long that no picture should wait for it.
pub(super) fn takes_long(model: &Model) -> bool {
    let primitives = || model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let vertices: usize = primitives().map(Primitive::vertex_count).sum();
    vertices > MANY_VERTICES || primitives().count() > MANY_PRIMITIVES
}

/// Whether the device's copy of one model can stand in for another for a while: all that a frame says of the one means the
/// same of the other. So it is with a model and the same with its weights normalised.
pub(super) fn stands_in(held: &Model, wanted: &Model) -> bool {
    let vertices = |p: &Primitive| (p.vertex_count(), p.morphs.len());
    let same_mesh = |(a, b): (&Mesh, &Mesh)| a.primitives.iter().map(vertices).eq(b.primitives.iter().map(vertices));
    let same_instance = |(a, b): (&Instance, &Instance)| {
        (a.node, a.mesh, a.skin, a.copies.len()) == (b.node, b.mesh, b.skin, b.copies.len())
    };
    held.palette_layout() == wanted.palette_layout()
        && held.source.name == wanted.source.name
        && held.materials.len() == wanted.materials.len()
        && held.meshes.len() == wanted.meshes.len()
        && held.meshes.iter().zip(&wanted.meshes).all(same_mesh)
        && held.instances.len() == wanted.instances.len()
        && held.instances.iter().zip(&wanted.instances).all(same_instance)
}

/// Vertices and indices of a primitive.
#[derive(Debug)]
pub(super) struct GpuPrimitive {
    pub layout: VertexLayout,
    pub vertices: BufferRange,
    pub paint_layout: PaintLayout,
    pub paint: BufferRange,
    /// Which vertex of the model stands where.
    pub order: VertexOrder,
    pub indices: Indices,
    pub topology: wgpu::PrimitiveTopology,
    /// Binds the draw uniforms (by offset), influences and morph targets.
    pub group: wgpu::BindGroup,
    /// Those of the vertices that have more than four.
    influences: BufferRange,
    /// Box of the stored vertices, mesh space.
    pub bounds: Aabb,
    /// The joint (place in the skin) that moves most of them.
    pub main_joint: u32,
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
    /// The shape of its vertices, which are read out of storage.
    shape: Shape,
}

impl GpuDraw {
    /// How its vertices are drawn in a picture.
    pub fn shape(&self, frame: &Frame) -> Shape {
        let dims = frame.display.influenced_only && frame.display.selected.is_some();
        let shown = self.shape.shown.map(|_| Shown::of(frame));
        Shape { dims, shown, ..self.shape }
    }
}

/// An index list.
#[derive(Clone, Debug)]
pub(super) struct Indices {
    pub piece: BufferRange,
    pub count: u32,
}

impl Indices {
    fn new(gpu: &Gpu, pool: &mut Pool, what: &str, list: &[u32]) -> Result<Self, GpuError> {
        Ok(Self { piece: pool.put(gpu, what, bytemuck::cast_slice(list))?, count: list.len() as u32 })
    }

    /// In a buffer of its own.
    fn alone(gpu: &Gpu, what: &str, list: &[u32]) -> Result<Self, GpuError> {
        let piece = BufferRange::alone(gpu, what, bytemuck::cast_slice(list), wgpu::BufferUsages::INDEX)?;
        Ok(Self { piece, count: list.len() as u32 })
    }
}

/// Puts primitives on the device.
struct PrimitiveUploader<'a> {
    gpu: &'a Gpu,
    layouts: &'a ModelLayouts,
    /// A [`Draw`] for each that is drawn.
    uniforms: &'a wgpu::Buffer,
    vertices: Pool,
    indices: Pool,
    /// Of those without listed influences and morph targets.
    plain: Option<(wgpu::BindGroup, BufferRange)>,
}

impl<'a> PrimitiveUploader<'a> {
    fn new(gpu: &'a Gpu, layouts: &'a ModelLayouts, uniforms: &'a wgpu::Buffer) -> Self {
        use wgpu::BufferUsages as U;
        let (vertices, indices) = (Pool::new(gpu, U::VERTEX | U::STORAGE), Pool::new(gpu, U::INDEX));
        Self { gpu, layouts, uniforms, vertices, indices, plain: None }
    }

    fn finish(mut self) {
        self.vertices.finish(self.gpu);
        self.indices.finish(self.gpu);
    }

    /// What a primitive binds, and its listed influences.
    fn group(&mut self, packed: &PackedPrimitive, place: &str) -> Result<(wgpu::BindGroup, BufferRange), GpuError> {
        let is_plain = packed.listed.is_empty() && packed.morphs.is_empty();
        if let Some(plain) = self.plain.as_ref().filter(|_| is_plain) {
            return Ok(plain.clone());
        }
        let list: &[Influence] = bytemuck::cast_slice(&packed.listed);
        let (gpu, what) = (self.gpu, |part: &str| format!("{place}: its {part}"));
        let influences = self.vertices.put(gpu, &what("influences"), bytemuck::cast_slice(list))?;
        let morphs = self.vertices.put(gpu, &what("morph targets"), bytemuck::cast_slice(&packed.morphs))?;
        let bound = (influences.binding(), morphs.binding());
        let group = (primitive_group(gpu, self.layouts, place, self.uniforms, bound), influences);
        if is_plain {
            self.plain = Some(group.clone());
        }
        Ok(group)
    }
}

/// Binds the uniforms of all draws, the listed influences of a primitive, and its morph targets or deformed vertices.
fn primitive_group(
    gpu: &Gpu,
    layouts: &ModelLayouts,
    label: &str,
    uniforms: &wgpu::Buffer,
    (influences, morphs): (wgpu::BindingResource<'_>, wgpu::BindingResource<'_>),
) -> wgpu::BindGroup {
    let size = wgpu::BufferSize::new(size_of::<Draw>() as u64);
    let draw = wgpu::BufferBinding { buffer: uniforms, offset: 0, size };
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout: &layouts.primitive,
        entries: &[entry(0, wgpu::BindingResource::Buffer(draw)), entry(1, influences), entry(2, morphs)],
    })
}

impl GpuModel {
    /// Uploads everything that the model's instances show.
    ///
    /// `parts` stand for whole primitives, in one picture alone.
    pub fn new(
        gpu: &Gpu,
        layouts: &ModelLayouts,
        model: &Model,
        parts: &HashMap<PrimitiveKey, Part>,
        context: &JobContext,
    ) -> Result<Self, GpuError> {
        let stride =
            (size_of::<Draw>() as u32).next_multiple_of(gpu.device.limits().min_uniform_buffer_offset_alignment);
        let shown: HashSet<usize> = model.instances.iter().map(|i| i.mesh.index()).collect();
        let draw_count: usize = model.instances.iter().map(|i| model.meshes[i.mesh.index()].primitives.len()).sum();
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let size = (u64::from(stride) * draw_count as u64).max(MIN_BUFFER);
        let uniforms = gpu.empty_buffer("draws", size, usage)?;
        let mut meshes = Vec::new();
        let mut uploader = PrimitiveUploader::new(gpu, layouts, &uniforms);
        // What a primitive costs beside its vertices is that of some hundred of them.
        let cost = |p: &Primitive| p.vertex_count() as u64 + 500;
        let shown_primitives = || shown.iter().flat_map(|mesh| &model.meshes[*mesh].primitives);
        let (mut done, all) = (0_u64, shown_primitives().map(cost).sum::<u64>());
        for i in 0..model.meshes.len() {
            let shown = shown.contains(&i);
            let primitives = model.primitives(MeshId::from_index(i)).enumerate().filter(|_| shown);
            let upload = |(n, p): (usize, PrimitiveRef<'_>)| {
                check(context)?;
                progress(context, done, all);
                done += cost(&p);
                let (p, packed) = match parts.get(&(i, n)) {
                    Some(Part { primitive, layout }) => {
                        (primitive.as_stored(), pack_part(primitive.as_stored(), *layout))
                    }
                    None => (p, pack_primitive(p, may_reorder(model, &p))),
                };
                GpuPrimitive::new(&mut uploader, p, (packed, known(p)), &place(i, n))
            };
            meshes.push(primitives.map(upload).collect::<Result<Vec<_>, _>>()?);
        }
        uploader.finish();
        let mut bytes = Vec::new();
        let mut draws = Vec::new();
        for (i, instance) in model.instances.iter().enumerate() {
            let mut list = Vec::new();
            for (number, primitive) in meshes[instance.mesh.index()].iter().enumerate() {
                let part = parts.get(&(instance.mesh.index(), number)).map(|part| &part.primitive);
                let (uniform, mut draw) = draw_of(model, InstanceId::from_index(i), number, (primitive, part));
                draw.offset = bytes.len() as u32;
                draw.shape.shown = gpu.software.fixed_state.then(Shown::default);
                list.push(draw);
                bytes.extend_from_slice(bytemuck::bytes_of(&uniform));
                bytes.resize(bytes.len().next_multiple_of(stride as usize), 0);
            }
            draws.push(list);
        }
        if !bytes.is_empty() {
            gpu.write(&uniforms, &bytes);
        }
        let slots = gpu.buffer("slots", bytemuck::cast_slice(&slots(model)), wgpu::BufferUsages::STORAGE)?;
        let materials = Materials::new(gpu, layouts, model)?;
        let reordering = Reordering::new();
        Ok(Self { meshes, draws, slots, materials, uniforms, reordering, arriving: None, wires: None })
    }

    /// Puts large meshes in a better order once that has been worked out; true where it did. Asked before each picture,
    /// which waits for none of it with `jobs`.
    pub fn reorder(
        &mut self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        model: &Arc<Model>,
        jobs: Option<&DeviceJobs>,
    ) -> bool {
        let meshes = &self.meshes;
        let found = self.reordering.step(model, &|mesh| !meshes[mesh].is_empty());
        let mut news = Vec::new();
        if !found.is_empty() {
            let known = |(mesh, n): PrimitiveKey| meshes[mesh][n].known();
            let found: Vec<_> = found.into_iter().map(|(at, packed)| (at, (packed, known(at)))).collect();
            let (model, layouts, uniforms) = (Arc::clone(model), layouts.clone(), self.uniforms.clone());
            let upload =
                move |gpu: &Gpu, context: &JobContext| -> Result<Vec<(PrimitiveKey, GpuPrimitive)>, GpuError> {
                    let mut out = Vec::new();
                    for ((mesh, n), made) in found {
                        check(context)?;
                        let p = model.primitive(MeshId::from_index(mesh), n);
                        // Where both have no room for a moment, the old one will do.
                        let mut uploader = PrimitiveUploader::new(gpu, &layouts, &uniforms);
                        if let Ok(new) = GpuPrimitive::new(&mut uploader, p, made, &place(mesh, n)) {
                            uploader.finish();
                            out.push(((mesh, n), new));
                        }
                    }
                    Ok(out)
                };
            match jobs {
                Some(jobs) => self.arriving = Some(jobs.start("vertex order", upload)),
                None => news = upload(gpu, &JobContext::of_waiting()).unwrap_or_default(),
            }
        }
        if let Some(arrived) = self.arriving.take_if(|job| job.is_done()).and_then(|job| job.take()) {
            // Had it failed, the present order would do.
            news = arrived.unwrap_or_default();
        }
        let is_new = !news.is_empty();
        for ((mesh, n), new) in news {
            self.meshes[mesh][n] = new;
        }
        is_new
    }

    /// Gives up what was packed with weights that have changed since.
    pub(super) fn begin_order_again(&mut self) {
        if self.arriving.take().is_some() || !matches!(self.reordering, Reordering::Done) {
            self.reordering = Reordering::new();
        }
    }

    /// Packs the vertices of a primitive anew, in the order that they have.
    pub(super) fn pack_again(
        &mut self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        model: &Model,
        (mesh, n): PrimitiveKey,
    ) -> Result<(), GpuError> {
        let p = model.primitive(MeshId::from_index(mesh), n);
        let old = &mut self.meshes[mesh][n];
        let packed = pack_in_order(p, &old.order);
        let mut uploader = PrimitiveUploader::new(gpu, layouts, &self.uniforms);
        let what = format!("{}: its vertices", place(mesh, n));
        let vertices = uploader.vertices.put(gpu, &what, bytemuck::cast_slice(&packed.vertices))?;
        let (group, influences) = uploader.group(&packed, &place(mesh, n))?;
        uploader.finish();
        (old.layout, old.vertices, old.group, old.influences) = (packed.layout, vertices, group, influences);
        (old.main_joint, old.meeting) = (main_joint(p), meeting(p));
        for (i, draws) in self.draws.iter_mut().enumerate() {
            let id = InstanceId::from_index(i);
            if let Some(draw) = draws.get_mut(n).filter(|_| model.instances[i].mesh.index() == mesh) {
                draw.shape.layout = packed.layout;
                draw.shape.mode = mode_of(packed.layout, model.binding(id, n).1.is_some());
            }
        }
        Ok(())
    }

    /// Makes the edges of large meshes on a thread, where they are wanted, and gives up making them where they are
    /// not. Until they are there a picture does without.
    pub fn wire(&mut self, model: &Arc<Model>, wanted: bool, jobs: &DeviceJobs) {
        let orders = |meshes: &[Vec<GpuPrimitive>]| -> Vec<bool> {
            meshes.iter().flatten().map(|primitive| primitive.order.is_own()).collect()
        };
        if !wanted {
            self.wires = None;
            return;
        }
        if let Some((job, order)) = self.wires.take_if(|(job, _)| job.is_done())
            && let Some(made) = job.take()
        {
            // Where vertices have come to stand elsewhere meanwhile, it is made anew.
            let same_order = order == orders(&self.meshes);
            match made {
                Ok(made) => made.into_iter().filter(|_| same_order).for_each(|((mesh, n), edges)| {
                    _ = self.meshes[mesh][n].edges.set(Ok(edges));
                }),
                // It would fail again.
                Err(error) => self.meshes.iter().flatten().for_each(|primitive| {
                    _ = primitive.edges.set(Err(error.clone()));
                }),
            }
        }
        let places = self.meshes.iter().enumerate().flat_map(|(mesh, list)| (0..list.len()).map(move |n| (mesh, n)));
        let lacks = |(mesh, n): &PrimitiveKey| {
            self.meshes[*mesh][*n].edges.get().is_none() && has_many_edges(&model.meshes[*mesh].primitives[*n])
        };
        let missing: Vec<PrimitiveKey> = places.filter(lacks).collect();
        if self.wires.is_some() || missing.is_empty() {
            return;
        }
        let work: Vec<(PrimitiveKey, VertexOrder)> =
            missing.into_iter().map(|at| (at, self.meshes[at.0][at.1].order.clone())).collect();
        let model = Arc::clone(model);
        let job = jobs.start("wireframe", move |gpu, context| {
            let (mut out, all) = (HashMap::new(), work.len() as u64);
            for (done, ((mesh, n), order)) in (0..).zip(work) {
                progress(context, done, all);
                let list = edges(&model.meshes[mesh].primitives[n], &order, &|| context.is_cancelled());
                check(context)?;
                out.insert((mesh, n), Indices::alone(gpu, "the wireframe", &list)?);
            }
            Ok(out)
        });
        self.wires = Some((job, orders(&self.meshes)));
    }

    /// Edges that are being made: how far that is.
    pub fn wiring(&self) -> Option<f32> {
        self.wires.as_ref().filter(|(job, _)| !job.is_done()).map(|(job, _)| job.fraction())
    }

    /// True where something that a thread has made can be shown.
    pub fn has_news(&self, model: &Model) -> bool {
        self.materials.has_news(model) || self.wires.as_ref().is_some_and(|(job, _)| job.is_done())
    }

    /// What a primitive binds whose vertices are read from `deformed`.
    pub fn placed_group(
        &self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        primitive: &GpuPrimitive,
        deformed: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let bound = (primitive.influences.binding(), deformed.as_entire_binding());
        primitive_group(gpu, layouts, "deformed vertices", &self.uniforms, bound)
    }

    /// A primitive of a mesh; `None` where nothing shows the mesh.
    pub fn primitive(&self, (mesh, primitive): (usize, usize)) -> Option<&GpuPrimitive> {
        self.meshes.get(mesh)?.get(primitive)
    }
}

/// For messages.
fn place(mesh: usize, primitive: usize) -> String {
    format!("mesh {mesh}, primitive {primitive}")
}

/// [`GpuPrimitive::bounds`], [`GpuPrimitive::main_joint`] and [`GpuPrimitive::meeting`].
type PrimitiveFacts = (Aabb, u32, Option<Vec<(u16, u16)>>);

/// Collects the facts about a primitive's vertices that hold for all pictures.
fn known(p: PrimitiveRef<'_>) -> PrimitiveFacts {
    (Aabb::from_points(p.positions.iter().copied()), main_joint(p), meeting(p))
}

impl GpuPrimitive {
    /// Drawn once `uploader` is finished.
    fn new(
        uploader: &mut PrimitiveUploader<'_>,
        p: PrimitiveRef<'_>,
        (packed, (bounds, main_joint, meeting)): (PackedPrimitive, PrimitiveFacts),
        place: &str,
    ) -> Result<Self, GpuError> {
        let (gpu, what) = (uploader.gpu, |part: &str| format!("{place}: its {part}"));
        let vertices = uploader.vertices.put(gpu, &what("vertices"), bytemuck::cast_slice(&packed.vertices))?;
        let paint = uploader.vertices.put(gpu, &what("colours"), bytemuck::cast_slice(&packed.paint))?;
        let (group, influences) = uploader.group(&packed, place)?;
        let list = packed.indices.as_deref().unwrap_or(&p.indices);
        Ok(Self {
            layout: packed.layout,
            vertices,
            paint_layout: packed.paint_layout,
            paint,
            indices: Indices::new(gpu, &mut uploader.indices, &what("indices"), list)?,
            order: packed.order,
            topology: match p.topology {
                Topology::Points => wgpu::PrimitiveTopology::PointList,
                Topology::Lines => wgpu::PrimitiveTopology::LineList,
                Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
            },
            group,
            influences,
            bounds,
            main_joint,
            meeting,
            edges: OnceLock::new(),
        })
    }

    /// Adds the joints that meet in some vertices to those that are known to.
    pub(super) fn meet(&mut self, p: PrimitiveRef<'_>, vertices: &[u32]) {
        let Some(influences) = p.influences else { return };
        let Some(known) = self.meeting.take() else { return };
        let mut pairs: BTreeSet<(u16, u16)> = known.into_iter().collect();
        for vertex in vertices {
            let (joints, weights) = influences.of(*vertex as usize);
            if weights.iter().any(|w| *w < 0.0) || pairs.len() > MOST_PAIRS {
                return;
            }
            let mut used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, _)| *j);
            let Some(first) = used.next() else { continue };
            pairs.insert((first, first));
            pairs.extend(used.map(|other| (first, other)));
        }
        self.meeting = Some(pairs.into_iter().collect());
    }

    fn known(&self) -> PrimitiveFacts {
        (self.bounds, self.main_joint, self.meeting.clone())
    }

    /// Every edge once, as lines; made when first asked for. `None` where they are many and somebody else makes them
    /// ([`GpuModel::wire`]).
    pub fn edges(&self, gpu: &Gpu, p: &Primitive, waits: bool) -> Option<Result<&Indices, GpuError>> {
        if waits && self.edges.get().is_none() && has_many_edges(p) {
            return None;
        }
        let make = || Indices::alone(gpu, "the wireframe", &edges(p, &self.order, &|| false));
        Some(self.edges.get_or_init(make).as_ref().map_err(GpuError::clone))
    }
}

fn has_many_edges(p: &Primitive) -> bool {
    p.indices.len() > 3 * MANY_VERTICES
}

/// A primitive as an instance draws it; where its [`Draw`] lies and what draws it is not known yet.
/// `part`: what is on the device in place of the whole.
fn draw_of(
    model: &Model,
    id: InstanceId,
    primitive: usize,
    (on_device, part): (&GpuPrimitive, Option<&Primitive>),
) -> (Draw, GpuDraw) {
    let instance = &model.instances[id.index()];
    let p = part.unwrap_or(&model.meshes[instance.mesh.index()].primitives[primitive]);
    let (joint, influences) = model.binding(id, primitive);
    let mode = mode_of(on_device.layout, influences.is_some());
    let mut flags = 0;
    let mut set = |bit, on| flags |= if on { bit } else { 0 };
    set(flag::HAS_NORMALS, !p.normals.is_empty());
    set(flag::HAS_TANGENTS, !p.tangents.is_empty());
    set(flag::HAS_SIDES, p.topology == Topology::Triangles);
    set(flag::MORPHS_NORMALS, morphs_normals(p));
    set(flag::MORPHS_TANGENTS, morphs_tangents(p));
    let copies = instance.copy_count() as u32;
    let rigid = mode == mode::RIGID;
    let uniform = Draw {
        joint,
        flags,
        vertex_count: p.positions.len() as u32,
        morph_count: p.morphs.len() as u32,
        morph_weight: instance.morph_offset as u32,
        morph_stride: morph_words(p) as u32,
        copies,
        // Each copy of what is rigid has a matrix of its own.
        copy_stride: u32::from(rigid),
    };
    let shape = Shape {
        layout: on_device.layout,
        paint: on_device.paint_layout,
        mode,
        morphs: !p.morphs.is_empty(),
        placed: false,
        dims: false,
        shown: None,
    };
    (uniform, GpuDraw { offset: 0, joint, rigid, copies, shape })
}

/// The place in the skin of the joint with the most weight in all.
fn main_joint(p: PrimitiveRef<'_>) -> u32 {
    let Some(influences) = p.influences else { return 0 };
    let mut sums: Vec<f32> = Vec::new();
    for (joint, weight) in influences.all() {
        let at = usize::from(joint);
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
/// Pairs that are remembered while they are collected.
const SEEN_PAIRS: usize = 1024;

/// Joints that meet in a vertex: see [`GpuPrimitive::meeting`].
pub(super) fn meeting(p: PrimitiveRef<'_>) -> Option<Vec<(u16, u16)>> {
    let Some(influences) = &p.influences else { return Some(vec![(0, 0)]) };
    let mut pairs = BTreeSet::new();
    // Most vertices say what one shortly before them said: this remembers some, each in a place of its own.
    let mut seen = [None; SEEN_PAIRS];
    let mut add = |pair: (u16, u16), pairs: &mut BTreeSet<_>| {
        let place = &mut seen[(usize::from(pair.0) * 5 + usize::from(pair.1)) % SEEN_PAIRS];
        if *place != Some(pair) {
            *place = Some(pair);
            pairs.insert(pair);
        }
    };
    for i in 0..p.positions.len() {
        let (joints, weights) = influences.of(i);
        if weights.iter().any(|w| *w < 0.0) || pairs.len() > MOST_PAIRS {
            return None;
        }
        let mut used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, _)| *j);
        // What nothing moves is a point.
        let Some(first) = used.next() else { continue };
        add((first, first), &mut pairs);
        used.for_each(|other| add((first, other), &mut pairs));
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

/// Every edge of a primitive once, by places on the device; none once `stop` says so.
fn edges(p: &Primitive, order: &VertexOrder, stop: &dyn Fn() -> bool) -> Vec<u32> {
    if p.topology != Topology::Triangles {
        return Vec::new();
    }
    let mut ends = triangle_edges(p.indices.as_chunks().0, p.vertex_count(), stop).unwrap_or_default();
    if !order.is_own() {
        let places = order.places(p.vertex_count());
        ends.iter_mut().for_each(|ends| *ends = ends.map(|vertex| places[vertex as usize]));
    }
    ends.into_flattened()
}
