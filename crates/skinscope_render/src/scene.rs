//! The device's copy of a model. It is uploaded once; later only edited weights and a better order of vertices replace
//! parts of it. Poses and views never come here.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_deform::packed::{
    InfluenceLayout, PackedPrimitive, VertexLayout, VertexOrder, may_reorder, morph_words, morphs_normals,
    morphs_tangents, pack_all_influences, pack_part, pack_primitive, shared_layout,
};
use skinscope_frame::{Frame, joint_color};
use skinscope_model::{Instance, InstanceId, Mesh, MeshId, Model, NodeId, Primitive, PrimitiveRef, Topology};

use super::device_jobs::{DeviceJob, DeviceJobs, check, progress};
use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};
use super::layouts::{Draw, PrimitiveKey, Slot, flag};
use super::material::Materials;
use super::pipeline_factory::ModelLayouts;
use super::pool::BufferRange;
use super::primitive::{
    GpuInfluences, GpuPrimitive, Indices, MANY_VERTICES, PrimitiveUploader, edges, has_many_edges, primitive_group,
};
use super::reorder::Reordering;
use super::shown::Shown;
use super::vertices::{Shape, mode_of};

/// A model on the device.
#[derive(Debug)]
pub(super) struct GpuModel {
    /// The primitives of each mesh; none for meshes that no instance shows.
    pub meshes: Vec<Vec<GpuPrimitive>>,
    /// For each instance, the draw of each of its primitives.
    pub draws: Vec<Vec<GpuDraw>>,
    /// The joint that each matrix of the palette belongs to.
    pub slots: wgpu::Buffer,
    pub materials: Materials,
    /// A [`Draw`] for each of `draws`.
    uniforms: wgpu::Buffer,
    reordering: Reordering,
    /// A job that uploads primitives of large meshes in a better order.
    arriving: Option<DeviceJob<Vec<(PrimitiveKey, GpuPrimitive)>>>,
    /// A job that makes the edges of large meshes, and which primitives had their vertices in the model's order when it
    /// began.
    wires: Option<(DeviceJob<EdgeLists>, Vec<bool>)>,
}

/// The edges of some primitives.
type EdgeLists = HashMap<PrimitiveKey, Indices>;

/// The part of a primitive that is drawn.
#[derive(Debug)]
pub(super) struct PrimitivePart {
    /// Its vertices and triangles, in their stored order.
    pub primitive: Primitive,
    /// The layout in which vertices of the whole primitive are packed.
    pub layout: VertexLayout,
}

/// A model of more primitives than this would hold a picture up.
const MANY_PRIMITIVES: usize = 500;

/// Whether uploading a model takes so long that no picture should wait for it.
pub(super) fn takes_long(model: &Model) -> bool {
    let primitives = || model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let vertices: usize = primitives().map(Primitive::vertex_count).sum();
    vertices > MANY_VERTICES || primitives().count() > MANY_PRIMITIVES
}

/// Whether the device's copy of one model can stand in for another for a while, because everything in a frame means the
/// same for both. That is so for a model and the same model with normalised weights.
pub(super) fn stands_in(resident: &Model, wanted: &Model) -> bool {
    let vertices = |p: &Primitive| (p.vertex_count(), p.morphs.len());
    let same_mesh = |(a, b): (&Mesh, &Mesh)| a.primitives.iter().map(vertices).eq(b.primitives.iter().map(vertices));
    let same_instance = |(a, b): (&Instance, &Instance)| {
        (a.node, a.mesh, a.skin, a.copies.len()) == (b.node, b.mesh, b.skin, b.copies.len())
    };
    resident.palette_layout() == wanted.palette_layout()
        && resident.source.name == wanted.source.name
        && resident.materials.len() == wanted.materials.len()
        && resident.meshes.len() == wanted.meshes.len()
        && resident.meshes.iter().zip(&wanted.meshes).all(same_mesh)
        && resident.instances.len() == wanted.instances.len()
        && resident.instances.iter().zip(&wanted.instances).all(same_instance)
}

/// What is needed to pack the joints and weights of a primitive.
pub(super) struct InfluenceWork {
    at: PrimitiveKey,
    order: VertexOrder,
    morphs: BufferRange,
    /// The layout that they have now.
    layout: InfluenceLayout,
}

/// Joints and weights of a primitive that are on the device, but not drawn yet.
#[derive(Debug)]
pub(super) struct NewInfluences {
    at: PrimitiveKey,
    layout: InfluenceLayout,
    influences: GpuInfluences,
}

/// A primitive as one instance draws it.
#[derive(Debug)]
pub(super) struct GpuDraw {
    /// The offset of its [`Draw`] in the uniform buffer, in bytes.
    pub offset: u32,
    /// The index of its first matrix in the palette.
    pub joint: u32,
    /// True where it is moved by that matrix alone; each further copy is then moved by the matrix that follows.
    pub rigid: bool,
    pub copies: u32,
    /// The shape of its vertices, without what depends on the frame ([`GpuDraw::shape`]).
    shape: Shape,
}

impl GpuDraw {
    /// The shape of its vertices in a picture of `frame`.
    pub fn shape(&self, frame: &Frame) -> Shape {
        let dims = frame.display.influenced_only && frame.display.selected.is_some();
        let shown = self.shape.shown.map(|_| Shown::of(frame));
        Shape { dims, shown, ..self.shape }
    }
}

impl GpuModel {
    /// Uploads everything that the model's instances show.
    ///
    /// `parts` replace whole primitives; such a copy is good for one picture only.
    pub fn new(
        gpu: &Gpu,
        layouts: &ModelLayouts,
        model: &Model,
        parts: &HashMap<PrimitiveKey, PrimitivePart>,
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
        // Apart from its vertices, a primitive costs as much as some hundred of them.
        let cost = |p: &Primitive| p.vertex_count() as u64 + 500;
        let shown_primitives = || shown.iter().flat_map(|mesh| &model.meshes[*mesh].primitives);
        let (mut done, whole) = (0_u64, shown_primitives().map(cost).sum::<u64>());
        let all: Vec<_> = shown.iter().flat_map(|mesh| model.primitives(MeshId::from_index(*mesh))).collect();
        let shared = shared_layout(&all);
        for i in 0..model.meshes.len() {
            let shown = shown.contains(&i);
            let primitives = model.primitives(MeshId::from_index(i)).enumerate().filter(|_| shown);
            let upload = |(n, p): (usize, PrimitiveRef<'_>)| {
                check(context)?;
                progress(context, done, whole);
                done += cost(&p);
                let label = primitive_label(i, n);
                match parts.get(&(i, n)) {
                    Some(PrimitivePart { primitive, layout }) => {
                        let (p, packed) = (primitive.as_stored(), pack_part(primitive.as_stored(), *layout));
                        let mut uploaded = GpuPrimitive::new(&mut uploader, (p, n), packed, &label)?;
                        uploaded.is_part = true;
                        Ok(uploaded)
                    }
                    None => {
                        let packed = pack_primitive(p, may_reorder(model, MeshId::from_index(i), n));
                        let packed = packed.widened(p, shared);
                        GpuPrimitive::new(&mut uploader, (p, n), packed, &label)
                    }
                }
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
        share_morphs(&mut draws);
        if !bytes.is_empty() {
            gpu.write(&uniforms, &bytes);
        }
        let slots = gpu.buffer("slots", bytemuck::cast_slice(&slots(model)), wgpu::BufferUsages::STORAGE)?;
        let materials = Materials::new(gpu, layouts, model)?;
        let reordering = Reordering::new();
        Ok(Self { meshes, draws, slots, materials, uniforms, reordering, arriving: None, wires: None })
    }

    /// Replaces primitives of large meshes by reordered ones once those have been computed; true where it did. Called
    /// before each picture. With `jobs` no picture waits for the upload.
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
        let widened = |((mesh, n), made): (PrimitiveKey, PackedPrimitive)| {
            let now = meshes[mesh][n].layout.influences;
            ((mesh, n), made.widened(model.primitive(MeshId::from_index(mesh), n), now))
        };
        let found: Vec<_> = found.into_iter().map(widened).collect();
        if !found.is_empty() {
            let (model, layouts, uniforms) = (Arc::clone(model), layouts.clone(), self.uniforms.clone());
            let upload =
                move |gpu: &Gpu, context: &JobContext| -> Result<Vec<(PrimitiveKey, GpuPrimitive)>, GpuError> {
                    let mut out = Vec::new();
                    for ((mesh, n), made) in found {
                        check(context)?;
                        let p = model.primitive(MeshId::from_index(mesh), n);
                        // If there is no memory for both for a moment, the old one is kept.
                        let mut uploader = PrimitiveUploader::new(gpu, &layouts, &uniforms);
                        if let Ok(new) = GpuPrimitive::new(&mut uploader, (p, n), made, &primitive_label(mesh, n)) {
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
            // If it failed, the present order is kept.
            news = arrived.unwrap_or_default();
        }
        let is_new = !news.is_empty();
        for ((mesh, n), new) in news {
            self.meshes[mesh][n] = new;
        }
        is_new
    }

    /// Begins reordering again, since what it has packed has old weights.
    pub(super) fn begin_order_again(&mut self) {
        if self.arriving.take().is_some() || !matches!(self.reordering, Reordering::Done) {
            self.reordering = Reordering::new();
        }
    }

    /// Uploads joints and weights of some primitives, in the order that their vertices have on the device.
    pub(super) fn upload_influences(
        gpu: &Gpu,
        layouts: &ModelLayouts,
        (model, uniforms): (&Model, &wgpu::Buffer),
        work: Vec<InfluenceWork>,
        context: &JobContext,
    ) -> Result<Vec<NewInfluences>, GpuError> {
        let mut uploader = PrimitiveUploader::new(gpu, layouts, uniforms);
        let (mut out, all) = (Vec::new(), work.len() as u64);
        for (done, InfluenceWork { at: (mesh, n), order, morphs, layout }) in (0..).zip(work) {
            check(context)?;
            progress(context, done, all);
            let p = model.primitive(MeshId::from_index(mesh), n);
            let packed = pack_all_influences(p, &order).widened(p, layout, &order);
            let influences = uploader.influences(p, &packed, &morphs, &primitive_label(mesh, n))?;
            out.push(NewInfluences { at: (mesh, n), layout: packed.layout, influences });
        }
        uploader.finish();
        Ok(out)
    }

    /// What is needed to pack the joints and weights of a primitive again; `None` where it is not on the device.
    pub(super) fn influence_work(&self, at: PrimitiveKey) -> Option<InfluenceWork> {
        let primitive = self.primitive(at)?;
        let (order, layout) = (primitive.order.clone(), primitive.layout.influences);
        Some(InfluenceWork { at, order, morphs: primitive.morphs.clone(), layout })
    }

    /// The buffer with the [`Draw`] of each draw.
    pub(super) fn uniforms(&self) -> &wgpu::Buffer {
        &self.uniforms
    }

    /// Replaces the joints and weights of primitives.
    pub(super) fn take_influences(&mut self, model: &Model, news: Vec<NewInfluences>) {
        for NewInfluences { at: (mesh, n), layout, influences } in news {
            let Some(primitive) = self.meshes.get_mut(mesh).and_then(|mesh| mesh.get_mut(n)) else { continue };
            (primitive.influences, primitive.layout.influences) = (influences, layout);
            let layout = primitive.layout;
            for (i, draws) in self.draws.iter_mut().enumerate() {
                let id = InstanceId::from_index(i);
                if let Some(draw) = draws.get_mut(n).filter(|_| model.instances[i].mesh.index() == mesh) {
                    draw.shape.layout = layout;
                    draw.shape.mode = mode_of(layout, model.binding(id, n).1.is_some());
                }
            }
        }
    }

    /// Makes the edges of large meshes on a thread where they are wanted, and gives that up where they are not. Until
    /// they are there, pictures are drawn without them.
    pub(crate) fn wire(&mut self, model: &Arc<Model>, wanted: bool, jobs: &DeviceJobs) {
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
            // If the order of vertices has changed meanwhile, the edges are made again.
            let same_order = order == orders(&self.meshes);
            match made {
                Ok(made) => made.into_iter().filter(|_| same_order).for_each(|((mesh, n), edges)| {
                    _ = self.meshes[mesh][n].edges.set(Ok(edges));
                }),
                // The error is kept, because another attempt would fail too.
                Err(error) => self.meshes.iter().flatten().for_each(|primitive| {
                    _ = primitive.edges.set(Err(error.clone()));
                }),
            }
        }
        let keys = self.meshes.iter().enumerate().flat_map(|(mesh, list)| (0..list.len()).map(move |n| (mesh, n)));
        let lacks = |(mesh, n): &PrimitiveKey| {
            self.meshes[*mesh][*n].edges.get().is_none() && has_many_edges(&model.meshes[*mesh].primitives[*n])
        };
        let missing: Vec<PrimitiveKey> = keys.filter(lacks).collect();
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

    /// How much of the edges that are being made is done, 0…1; `None` where none are.
    pub(crate) fn wiring(&self) -> Option<f32> {
        self.wires.as_ref().filter(|(job, _)| !job.is_done()).map(|(job, _)| job.fraction())
    }

    /// True where a thread has finished something that can be shown.
    pub fn has_news(&self, model: &Model) -> bool {
        self.materials.has_news(model) || self.wires.as_ref().is_some_and(|(job, _)| job.is_done())
    }

    /// The bind group of a primitive whose vertices are read from `deformed`.
    pub(crate) fn predeformed_group(
        &self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        primitive: &GpuPrimitive,
        deformed: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let bound = (primitive.influences.listed.binding(), deformed.as_entire_binding());
        primitive_group(gpu, layouts, "deformed vertices", &self.uniforms, bound)
    }

    /// A primitive of a mesh; `None` where no instance shows the mesh.
    pub fn primitive(&self, (mesh, primitive): (usize, usize)) -> Option<&GpuPrimitive> {
        self.meshes.get(mesh)?.get(primitive)
    }
}

/// The name of a primitive in messages.
fn primitive_label(mesh: usize, primitive: usize) -> String {
    format!("mesh {mesh}, primitive {primitive}")
}

/// The draw of a primitive by an instance. The caller sets its offset. `part`: what is on the device in place of the
/// whole primitive.
fn draw_of(
    model: &Model,
    id: InstanceId,
    primitive: usize,
    (on_device, part): (&GpuPrimitive, Option<&Primitive>),
) -> (Draw, GpuDraw) {
    let instance = &model.instances[id.index()];
    let p = part.unwrap_or(&model.meshes[instance.mesh.index()].primitives[primitive]);
    let (joint, influences) = model.binding(id, primitive);
    let rigid = influences.is_none();
    let mode = mode_of(on_device.layout, !rigid || model.primitive(instance.mesh, primitive).influences.is_none());
    let mut flags = 0;
    let mut set = |bit, on| flags |= if on { bit } else { 0 };
    set(flag::HAS_NORMALS, !p.normals.is_empty());
    set(flag::HAS_TANGENTS, !p.tangents.is_empty());
    set(flag::HAS_SIDES, p.topology == Topology::Triangles);
    set(flag::MORPHS_NORMALS, morphs_normals(p));
    set(flag::MORPHS_TANGENTS, morphs_tangents(p));
    set(flag::HAS_WEIGHTS, !rigid);
    let copies = instance.copy_count() as u32;
    let uniform = Draw {
        joint,
        flags,
        vertex_count: p.positions.len() as u32,
        morph_count: p.morphs.len() as u32,
        morph_weight: instance.morph_offset as u32,
        morph_stride: morph_words(p) as u32,
        copies,
        // Each copy of a rigid primitive has a matrix of its own.
        copy_stride: u32::from(rigid),
    };
    let shape = Shape {
        layout: on_device.layout,
        paint: on_device.paint_layout,
        mode,
        morphs: !p.morphs.is_empty(),
        predeformed: false,
        dims: false,
        shown: None,
    };
    (uniform, GpuDraw { offset: 0, joint, rigid, copies, shape })
}

/// Lets draws whose pipelines would differ in nothing but morph targets share one, which reads their number. A pipeline
/// takes longer to compile than a model of some thousand vertices takes to draw, and memory.
fn share_morphs(draws: &mut [Vec<GpuDraw>]) {
    let morphing: HashSet<Shape> = draws.iter().flatten().map(|draw| draw.shape).filter(|shape| shape.morphs).collect();
    for shape in draws.iter_mut().flatten().map(|draw| &mut draw.shape) {
        shape.morphs |= morphing.contains(&Shape { morphs: true, ..*shape });
    }
}

/// The joint of each matrix in the palette. A rigid instance belongs to the nearest joint above its node, or to the
/// node itself where there is none.
fn slots(model: &Model) -> Vec<Slot> {
    let slot = |node: NodeId| Slot { color: joint_color(node), node: node.0 };
    let skinned = model.skins.iter().flat_map(|s| &s.joints).map(|j| slot(*j));
    let owner = |node: NodeId| {
        let mut up = std::iter::successors(Some(node), |n| model.skeleton.parents[n.index()]);
        up.find(|n| model.is_joint(*n)).unwrap_or(node)
    };
    let rigid = model.instances.iter().zip(&model.palette_layout().rigid).filter(|(_, is_rigid)| is_rigid.is_some());
    let copies = |i: &Instance| std::iter::repeat_n(slot(owner(i.node)), i.copy_count());
    skinned.chain(rigid.flat_map(|(instance, _)| copies(instance))).collect()
}
