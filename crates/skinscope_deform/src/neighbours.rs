//! Finds the neighbours of the vertices of a skin: over all its triangles, across seams, primitives and nodes.

use std::sync::{Arc, Mutex};

use glam::{Mat3A, Vec3, Vec3A};
use skinscope_base::math::{Csr, Weld};
use skinscope_base::parallel::JobContext;
use skinscope_model::{Instance, InstanceId, Model, Primitive, Topology};

use super::corner_fans::{CornerFans, Eight, RestFrames};
use super::mesh_topology::MeshTopology;
use super::packed::merged;
use super::{DataSource, MethodData};

/// The source of the neighbours of all vertices that skins move.
pub(super) static NEIGHBOURS: DataSource = DataSource { label: "the neighbours of vertices", make };

/// The vertices that one skin moves, welded, with their neighbours. Vertices that no pose can separate are one *welded*
/// vertex: they have the same position, the same displacement in every morph target, and the same weight for every
/// joint.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// All primitives that the skin moves.
    pub primitives: Vec<(InstanceId, usize)>,
    /// The welded vertex of each vertex, by index in `primitives`, then by vertex.
    pub welded: Vec<Vec<u32>>,
    /// A vertex that represents each welded vertex: an index in `primitives`, and a vertex of that primitive.
    pub members: Vec<(u32, u32)>,
    /// The neighbours of each welded vertex.
    pub(super) rings: Rings,
    /// The corners of the triangles around each.
    pub(super) fans: CornerFans,
    /// The smoothed rest surface that was computed last.
    pub(super) rest: Mutex<Option<Arc<RestSurface>>>,
    /// Memory of the last surface that was smoothed, for the next one.
    pub(super) scratch: Mutex<MushScratch>,
}

/// The neighbours of vertices, for four consecutive vertices each.
#[derive(Debug, Default)]
pub(super) struct Rings {
    /// Where the neighbours of each four vertices begin in `others`; the last entry is the end.
    pub first: Vec<u32>,
    /// A neighbour of each of four vertices; where a vertex has no more, the number of vertices rounded up to a
    /// multiple of four.
    pub others: Vec<[u32; 4]>,
    /// One over the number of neighbours of each vertex; 0 where it has none.
    pub per_count: Vec<[f32; 4]>,
}

/// The smoothed rest surface of a skin.
#[derive(Debug)]
pub(super) struct RestSurface {
    /// The morph weights and parameters that it is for.
    pub key: Vec<f32>,
    /// The offsets `x − x°` of each eight welded vertices, metres.
    pub details: Vec<Eight>,
    /// The frames of the corners in `x°`.
    pub frames: RestFrames,
}

/// Memory that is reused from surface to surface. Lists are padded to a multiple of eight vertices and one more, which
/// stays zero.
#[derive(Debug, Default)]
pub(super) struct MushScratch {
    pub now: Vec<Vec3A>,
    pub next: Vec<Vec3A>,
    pub restored: Vec<Restored>,
}

/// The result of delta mush for a welded vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Restored {
    /// The mean rotation `G`.
    pub map: Mat3A,
    /// The position; NaN where no corner has a frame in both surfaces, so that the vertex stays where the method moved
    /// it.
    pub position: Vec3A,
}

/// How many vertices that follow each other are sorted by how many neighbours they have, so that eight at once have as many.
const SORTED: usize = 128;

fn make(model: &Model, job: &JobContext) -> Option<MethodData> {
    let count = model.skins.len();
    let of_skin = |skin: usize| {
        job.set_fraction(skin as f32 / count as f32);
        job.wake();
        Neighbours::of_skin(model, skin, job)
    };
    let neighbours = (0..count).map(of_skin).collect::<Option<Vec<_>>>()?;
    Some(MethodData { neighbours, ..MethodData::default() })
}

impl Neighbours {
    fn of_skin(model: &Model, skin: usize, job: &JobContext) -> Option<Self> {
        let mut out = Self::default();
        for (i, instance) in model.instances.iter().enumerate() {
            if instance.skin.is_some_and(|s| s.index() == skin) {
                let primitives = 0..model.meshes[instance.mesh.index()].primitives.len();
                let skinned = primitives.filter(|p| model.influences(instance.mesh, *p).is_some());
                out.primitives.extend(skinned.map(|p| (InstanceId::from_index(i), p)));
            }
        }
        let (mesh, starts) = out.topology(model, &|| job.is_cancelled())?;
        let edges = mesh.edges().map(|sides| sides[0].ends);
        let count = mesh.point_count() as usize;
        let order = order(count, edges.clone());
        let number = |group: u32| order[group as usize];
        let vertices = starts.windows(2).map(|ends| &mesh.weld.group[ends[0] as usize..ends[1] as usize]);
        out.welded = vertices.map(|groups| groups.iter().map(|group| number(*group)).collect()).collect();
        out.members = vec![(0, 0); count];
        for (to, first) in order.iter().zip(&mesh.weld.first) {
            let primitive = starts.partition_point(|start| start <= first) - 1;
            out.members[*to as usize] = (primitive as u32, first - starts[primitive]);
        }
        let others = Csr::new(count, edges.map(|ends| ends.map(number)).flat_map(|[a, b]| [(a, b), (b, a)]));
        out.rings = Rings::new(count, |v| others.row(v));
        let triangles = mesh.point_triangles().map(|corners| corners.map(number));
        let corners = Csr::new(count, triangles.flat_map(|[a, b, c]| [(b, [a, c]), (c, [b, a]), (a, [c, b])]));
        out.fans = CornerFans::new(count, |v| corners.row(v));
        Some(out)
    }

    /// Welds the vertices of all primitives, which are numbered consecutively, and joins their triangles. Returns the number of the first
    /// vertex of each primitive too, and how many vertices there are after them. `None` soon after `stop` returns true.
    fn topology(&self, model: &Model, stop: &dyn Fn() -> bool) -> Option<(MeshTopology, Vec<u32>)> {
        let keys = self.primitives.iter().flat_map(|&(id, p)| {
            let instance = &model.instances[id.index()];
            let source = &model.meshes[instance.mesh.index()].primitives[p];
            let influences = model.influences(instance.mesh, p);
            let of = move |vertex: usize| influences.map(|influences| influences.of(vertex)).unwrap_or_default();
            (0..source.positions.len()).map(move |vertex| key(source, (id, instance), of(vertex), vertex))
        });
        let weld = Weld::by_key(keys, stop)?;
        let (mut starts, mut next, mut triangles) = (vec![0], 0, Vec::new());
        for &(id, p) in &self.primitives {
            let source = &model.meshes[model.instances[id.index()].mesh.index()].primitives[p];
            if source.topology == Topology::Triangles {
                triangles.extend(source.indices.as_chunks::<3>().0.iter().map(|corners| corners.map(|v| next + v)));
            }
            next += source.positions.len() as u32;
            starts.push(next);
        }
        Some((MeshTopology::new(weld, triangles, stop)?, starts))
    }
}

impl Rings {
    /// `others` returns the neighbours of a vertex, below `count`.
    fn new<'a>(count: usize, others: impl Fn(usize) -> &'a [u32]) -> Self {
        let nothing = count.next_multiple_of(4) as u32;
        let mut out = Self { first: vec![0], ..Self::default() };
        for start in (0..count).step_by(4) {
            let four = [0, 1, 2, 3].map(|lane| if start + lane < count { others(start + lane) } else { &[] });
            for i in 0..four.iter().map(|list| list.len()).max().unwrap_or_default() {
                out.others.push(four.map(|list| list.get(i).copied().unwrap_or(nothing)));
            }
            out.first.push(out.others.len() as u32);
            out.per_count.push(four.map(|list| if list.is_empty() { 0.0 } else { 1.0 / list.len() as f32 }));
        }
        out
    }
}

/// Returns a new number for each of `count` vertices: near the old one, and next to those with as many edges.
fn order(count: usize, edges: impl Iterator<Item = [u32; 2]>) -> Vec<u32> {
    let mut degrees = vec![0_u32; count];
    edges.flatten().for_each(|v| degrees[v as usize] += 1);
    let mut sorted: Vec<u32> = (0..count as u32).collect();
    sorted.chunks_mut(SORTED).for_each(|some| some.sort_by_key(|v| degrees[*v as usize]));
    let mut out = vec![0; count];
    (0..).zip(sorted).for_each(|(to, from)| out[from as usize] = to);
    out
}

/// Everything that can separate a vertex from another one. Nodes have morph weights of their own, so that a displaced
/// vertex can only be the same as vertices of its own node.
fn key(
    source: &Primitive,
    (id, instance): (InstanceId, &Instance),
    influences: (&[u16], &[f32]),
    vertex: usize,
) -> Vec<u32> {
    let (mut out, is_displaced) = place_and_motion(source, instance.morph_weights.len(), influences, vertex);
    if is_displaced {
        out.extend([u32::MAX, id.0]);
    }
    out
}

/// Returns what says where a vertex of a mesh is in any pose: its position, its weights, and how the first `targets` morph targets displace
/// it. Returns whether any of those does, too.
pub(super) fn place_and_motion(
    source: &Primitive,
    targets: usize,
    (joints, weights): (&[u16], &[f32]),
    vertex: usize,
) -> (Vec<u32>, bool) {
    // Adding zero makes one zero of both.
    let bits = |p: Vec3| (p + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut out = bits(source.positions[vertex]).to_vec();
    let used = joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0.0);
    let shares = merged(used.collect());
    out.extend(shares.iter().flat_map(|(joint, weight)| [u32::from(*joint), weight.to_bits()]));
    let start = out.len();
    for (target, morph) in source.morphs.iter().enumerate().take(targets) {
        let by = morph.positions.get(vertex).copied().unwrap_or_default();
        if by != Vec3::ZERO {
            out.push(target as u32);
            out.extend(bits(by));
        }
    }
    let is_displaced = out.len() > start;
    (out, is_displaced)
}
