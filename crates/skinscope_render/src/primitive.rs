//! A primitive on the device: vertices and indices, which stay as they are, and joints and weights, which can change by
//! themselves.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use skinscope_base::math::Aabb;
use skinscope_deform::packed::{PackedInfluences, PackedPrimitive, PaintLayout, VertexLayout, VertexOrder};
use skinscope_deform::triangle_edges;
use skinscope_model::{Part, Primitive, PrimitiveRef, Topology};

use super::bindings::entry;
use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::{Draw, Influence};
use super::pipeline_factory::ModelLayouts;
use super::pool::{BufferRange, Pool};

/// With more vertices than this, work on a primitive or a model would hold a picture up, and is done on a thread.
pub(super) const MANY_VERTICES: usize = 100_000;

/// Vertices and indices of a primitive.
#[derive(Debug)]
pub(super) struct GpuPrimitive {
    pub layout: VertexLayout,
    pub vertices: BufferRange,
    pub paint_layout: PaintLayout,
    pub paint: BufferRange,
    /// Where on the device each vertex of the model is.
    pub order: VertexOrder,
    pub indices: Indices,
    /// The parts of `indices`, each with the primitive of the mesh whose material it has.
    pub parts: Vec<Part>,
    pub topology: wgpu::PrimitiveTopology,
    pub morphs: BufferRange,
    pub influences: GpuInfluences,
    /// The box of the stored vertices, in mesh space.
    pub bounds: Aabb,
    /// True where it is a part of the model's primitive.
    pub is_part: bool,
    pub edges: OnceLock<Result<Indices, GpuError>>,
    /// What [`GpuPrimitive::reversed`] has made.
    reversed: OnceLock<Option<Indices>>,
    morph_reach: OnceLock<f32>,
}

/// The joints and weights of a primitive, in buffers that hold nothing else.
#[derive(Debug)]
pub(super) struct GpuInfluences {
    /// The joints and weights of each vertex, in the order of the vertices.
    pub rows: BufferRange,
    /// The influences of the vertices that have more than four.
    pub listed: BufferRange,
    /// Binds the draw uniforms (by offset), listed influences and morph targets.
    pub group: wgpu::BindGroup,
    /// The joint (index in the skin) with the largest sum of weights.
    pub main_joint: u32,
    /// Pairs of joints (indices in the skin) that share a vertex: the first joint of the vertex with itself, and with
    /// each other. `None` where such a list cannot tell which way the surface faces: where weights are negative, or
    /// pairs are too many.
    pub meeting: Option<Vec<(u16, u16)>>,
    boxes: OnceLock<Vec<(u16, Aabb)>>,
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

    /// Uploads an index list into a buffer of its own. `what` names it in errors.
    pub fn alone(gpu: &Gpu, what: &str, list: &[u32]) -> Result<Self, GpuError> {
        let piece = BufferRange::alone(gpu, what, bytemuck::cast_slice(list), wgpu::BufferUsages::INDEX)?;
        Ok(Self { piece, count: list.len() as u32 })
    }
}

/// Uploads primitives.
pub(super) struct PrimitiveUploader<'a> {
    gpu: &'a Gpu,
    layouts: &'a ModelLayouts,
    /// The buffer with a [`Draw`] for each draw.
    uniforms: &'a wgpu::Buffer,
    vertices: Pool,
    /// The pool for data that can change, which shares no buffer with data that stays.
    influences: Pool,
    indices: Pool,
    /// The one bind group for all primitives without listed influences and morph targets.
    plain: Option<wgpu::BindGroup>,
}

impl<'a> PrimitiveUploader<'a> {
    pub fn new(gpu: &'a Gpu, layouts: &'a ModelLayouts, uniforms: &'a wgpu::Buffer) -> Self {
        use wgpu::BufferUsages as U;
        let of_vertices = || Pool::new(gpu, U::VERTEX | U::STORAGE);
        let (vertices, influences, indices) = (of_vertices(), of_vertices(), Pool::new(gpu, U::INDEX));
        Self { gpu, layouts, uniforms, vertices, influences, indices, plain: None }
    }

    pub fn finish(mut self) {
        self.vertices.finish(self.gpu);
        self.influences.finish(self.gpu);
        self.indices.finish(self.gpu);
    }

    /// Uploads the joints and weights of a primitive. `morphs`: its morph targets on the device; `label` names it in
    /// errors.
    pub fn influences(
        &mut self,
        p: PrimitiveRef<'_>,
        packed: &PackedInfluences,
        morphs: &BufferRange,
        label: &str,
    ) -> Result<GpuInfluences, GpuError> {
        let (gpu, what) = (self.gpu, |part: &str| format!("{label}: its {part}"));
        let rows = self.influences.put(gpu, &what("joints and weights"), bytemuck::cast_slice(&packed.rows))?;
        let list: &[Influence] = bytemuck::cast_slice(&packed.listed);
        let listed = self.influences.put(gpu, &what("influences"), bytemuck::cast_slice(list))?;
        let is_plain = packed.listed.is_empty() && p.morphs.is_empty();
        let make = || primitive_group(gpu, self.layouts, label, self.uniforms, (listed.binding(), morphs.binding()));
        let group = if is_plain { self.plain.get_or_insert_with(make).clone() } else { make() };
        Ok(GpuInfluences {
            rows,
            listed,
            group,
            main_joint: main_joint(p),
            meeting: meeting(p),
            boxes: OnceLock::new(),
        })
    }
}

/// Creates the bind group of a primitive: the uniforms of all draws, its listed influences, and its morph targets or
/// deformed vertices.
pub(super) fn primitive_group(
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

impl GpuPrimitive {
    /// Uploads a primitive with its index in the mesh. It can be drawn once `uploader` is finished. `label` names it in
    /// errors.
    pub fn new(
        uploader: &mut PrimitiveUploader<'_>,
        (p, n): (PrimitiveRef<'_>, usize),
        packed: PackedPrimitive,
        label: &str,
    ) -> Result<Self, GpuError> {
        let (gpu, what) = (uploader.gpu, |part: &str| format!("{label}: its {part}"));
        let vertices = uploader.vertices.put(gpu, &what("vertices"), bytemuck::cast_slice(&packed.vertices))?;
        let paint = uploader.vertices.put(gpu, &what("colours"), bytemuck::cast_slice(&packed.paint))?;
        let morphs = uploader.vertices.put(gpu, &what("morph targets"), bytemuck::cast_slice(&packed.morphs))?;
        let influences = uploader.influences(p, &packed.influences, &morphs, label)?;
        let list = packed.indices.as_deref().unwrap_or(&p.indices);
        let whole = || Part { primitive: n, indices: 0..list.len() };
        let parts = match &p.parts[..] {
            [] if p.shares.is_some() => Vec::new(),
            [] => vec![whole()],
            several => several.to_vec(),
        };
        Ok(Self {
            layout: packed.layout,
            vertices,
            paint_layout: packed.paint_layout,
            paint,
            indices: Indices::new(gpu, &mut uploader.indices, &what("indices"), list)?,
            parts,
            order: packed.order,
            topology: match p.topology {
                Topology::Points => wgpu::PrimitiveTopology::PointList,
                Topology::Lines => wgpu::PrimitiveTopology::LineList,
                Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
            },
            morphs,
            influences,
            bounds: Aabb::from_points(p.positions.iter().copied()),
            is_part: false,
            edges: OnceLock::new(),
            reversed: OnceLock::new(),
            morph_reach: OnceLock::new(),
        })
    }

    /// Every edge once, as a list of lines that is made when first asked for. With `waits`, `None` where there are so
    /// many edges that a job makes them ([`super::scene::GpuModel::wire`]) and it is not done.
    pub fn edges(&self, gpu: &Gpu, p: &Primitive, waits: bool) -> Option<Result<&Indices, GpuError>> {
        if waits && self.edges.get().is_none() && has_many_edges(p) {
            return None;
        }
        let make = || Indices::alone(gpu, "the wireframe", &edges(p, &self.order, &|| false));
        Some(self.edges.get_or_init(make).as_ref().map_err(GpuError::clone))
    }

    /// The triangles with the other winding, as an index list that is made when first asked for: a mirrored primitive is
    /// drawn from it with the pipeline of those that are not mirrored. `None` where the primitive is large, was
    /// reordered, is a part of one, or is no list of triangles, and where there is no memory; it then needs a pipeline
    /// of its own. `p` is the primitive of the model.
    ///
    /// The first two vertices of each triangle change places, as they do in Mesa's rasteriser, so that each pixel gets
    /// the same bits as from that pipeline.
    pub fn reversed(&self, gpu: &Gpu, p: &Primitive) -> Option<&Indices> {
        let is_small = p.indices.len() <= 3 * MANY_VERTICES && self.indices.count as usize == p.indices.len();
        if self.is_part || !is_small || !self.order.is_own() || p.topology != Topology::Triangles {
            return None;
        }
        let turned = |[a, b, c]: &[u32; 3]| [*b, *a, *c];
        let make = || {
            let list: Vec<[u32; 3]> = p.indices.as_chunks().0.iter().map(turned).collect();
            Indices::alone(gpu, "mirrored triangles", list.as_flattened()).ok()
        };
        self.reversed.get_or_init(make).as_ref()
    }
}

impl GpuPrimitive {
    /// How far morph targets move a vertex at most, metres; `find` is called once.
    pub(crate) fn morph_reach(&self, find: impl FnOnce() -> f32) -> f32 {
        *self.morph_reach.get_or_init(find)
    }
}

impl GpuInfluences {
    /// The box around the vertices of each joint; `find` is called once.
    pub fn boxes(&self, find: impl FnOnce() -> Vec<(u16, Aabb)>) -> &[(u16, Aabb)] {
        self.boxes.get_or_init(find)
    }

    /// Adds the pairs of joints that share some vertices to those that are known.
    pub fn meet(&mut self, p: PrimitiveRef<'_>, vertices: &[u32]) {
        let Some(influences) = &p.influences else { return };
        let Some(known) = self.meeting.take() else { return };
        let mut meeting = Meeting::new(known.into_iter().collect());
        let all = vertices.iter().all(|vertex| meeting.add(influences.of(*vertex as usize)));
        self.meeting = all.then(|| meeting.pairs.into_iter().collect());
    }
}

pub(super) fn has_many_edges(p: &Primitive) -> bool {
    p.indices.len() > 3 * MANY_VERTICES
}

/// The index in the skin of the joint with the largest sum of weights.
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

/// The most pairs that are worth checking for every picture.
const MOST_PAIRS: usize = 4096;
/// How many pairs are remembered while they are collected.
const SEEN_PAIRS: usize = 1024;

/// The pairs of joints that share a vertex, while they are collected. Most vertices have the pairs of one shortly before them, so some
/// pairs are remembered, each in a slot that is computed from it.
struct Meeting {
    pairs: BTreeSet<(u16, u16)>,
    seen: [Option<(u16, u16)>; SEEN_PAIRS],
}

impl Meeting {
    fn new(pairs: BTreeSet<(u16, u16)>) -> Self {
        Self { pairs, seen: [None; SEEN_PAIRS] }
    }

    /// Adds the pairs of a vertex. Returns false where a weight is negative, or there are too many pairs.
    fn add(&mut self, (joints, weights): (&[u16], &[f32])) -> bool {
        if weights.iter().any(|w| *w < 0.0) || self.pairs.len() > MOST_PAIRS {
            return false;
        }
        let mut used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, _)| *j);
        // A vertex that no joint moves ends at the origin, and has no pair.
        let Some(first) = used.next() else { return true };
        for other in std::iter::once(first).chain(used) {
            let slot = &mut self.seen[(usize::from(first) * 5 + usize::from(other)) % SEEN_PAIRS];
            if *slot != Some((first, other)) {
                *slot = Some((first, other));
                self.pairs.insert((first, other));
            }
        }
        true
    }
}

/// The pairs of joints that share a vertex: see [`GpuInfluences::meeting`].
pub(super) fn meeting(p: PrimitiveRef<'_>) -> Option<Vec<(u16, u16)>> {
    let Some(influences) = &p.influences else { return Some(vec![(0, 0)]) };
    let mut meeting = Meeting::new(BTreeSet::new());
    let all = (0..p.positions.len()).all(|vertex| meeting.add(influences.of(vertex)));
    all.then(|| meeting.pairs.into_iter().collect())
}

/// Every edge of a primitive once, as the indices of its ends on the device; none once `stop` returns true.
pub(super) fn edges(p: &Primitive, order: &VertexOrder, stop: &dyn Fn() -> bool) -> Vec<u32> {
    if p.topology != Topology::Triangles {
        return Vec::new();
    }
    let mut ends = triangle_edges(p.indices.as_chunks().0, p.vertex_count(), stop).unwrap_or_default();
    if !order.is_own() {
        ends.iter_mut().for_each(|ends| *ends = ends.map(|vertex| order.slot(vertex as usize) as u32));
    }
    ends.into_flattened()
}
