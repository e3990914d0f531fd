//! Finds the vertices of a skin that are neighbours: over all its triangles, across seams, primitives and nodes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use glam::{Mat3A, Vec3, Vec3A};
use skinscope_base::parallel::JobContext;
use skinscope_model::{Instance, InstanceId, Model, Primitive, Topology};

use super::corner_fans::{CornerFans, Eight, RestFrames};
use super::{DataSource, MethodData};

/// The neighbours of all vertices that skins move.
pub(super) static NEIGHBOURS: DataSource = DataSource { label: "the neighbours of vertices", make };

/// The vertices that one skin moves. Vertices that nothing can part are one *welded* vertex: they have the same position, the same
/// displacement in every morph target, and the same weight for every joint.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// All primitives that the skin moves.
    pub places: Vec<(InstanceId, usize)>,
    /// The welded vertex of each vertex, by place (in `places`) and then by the number of the vertex.
    pub welded: Vec<Vec<u32>>,
    /// A place (in `places`) and vertex that each welded vertex stands for.
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

/// The neighbours of vertices, for four vertices that follow each other.
#[derive(Debug, Default)]
pub(super) struct Rings {
    /// Where the neighbours of each four vertices begin in `others`; the last entry is the end.
    pub first: Vec<u32>,
    /// A neighbour of each of four vertices; where a vertex has no more, the number of vertices filled up to a multiple of four.
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

/// Lists that are filled anew for each surface. Vertices are filled up to a multiple of eight, and one more that stays zero.
#[derive(Debug, Default)]
pub(super) struct MushScratch {
    pub now: Vec<Vec3A>,
    pub next: Vec<Vec3A>,
    pub placed: Vec<Placed>,
}

/// Where delta mush puts a welded vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placed {
    /// The mean rotation `G`.
    pub map: Mat3A,
    /// NaN where no corner has a frame in both surfaces: the vertex then stays where the method has it.
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
                out.places.extend(skinned.map(|p| (InstanceId::from_index(i), p)));
            }
        }
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        for (place, &(id, p)) in out.places.iter().enumerate() {
            let instance = &model.instances[id.index()];
            let source = &model.meshes[instance.mesh.index()].primitives[p];
            let Some(influences) = model.influences(instance.mesh, p) else { continue };
            let mut welded = Vec::with_capacity(source.positions.len());
            for vertex in 0..source.positions.len() {
                if vertex % 4096 == 0 && job.is_cancelled() {
                    return None;
                }
                let key = key(source, (id, instance), influences.of(vertex), vertex);
                let number = *known.entry(key).or_insert_with(|| {
                    out.members.push((place as u32, vertex as u32));
                    out.members.len() as u32 - 1
                });
                welded.push(number);
            }
            out.welded.push(welded);
        }
        let (mut triangles, mut edges) = (Vec::new(), Vec::new());
        for (&(id, p), welded) in out.places.iter().zip(&out.welded) {
            let source = &model.meshes[model.instances[id.index()].mesh.index()].primitives[p];
            if source.topology != Topology::Triangles {
                continue;
            }
            for corners in source.indices.as_chunks::<3>().0 {
                let [a, b, c] = corners.map(|v| welded[v as usize]);
                if a != b && b != c && c != a {
                    triangles.push([a, b, c]);
                    edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        if job.is_cancelled() {
            return None;
        }
        let order = order(out.members.len(), &edges);
        let renumber = |v: &mut u32| *v = order[*v as usize];
        out.welded.iter_mut().flatten().for_each(renumber);
        edges.iter_mut().flatten().for_each(renumber);
        triangles.iter_mut().flatten().for_each(renumber);
        let mut members = vec![(0, 0); out.members.len()];
        order.iter().zip(&out.members).for_each(|(to, member)| members[*to as usize] = *member);
        out.members = members;
        let count = out.members.len();
        let ends = edges.iter().flat_map(|[a, b]| [(*a, *b), (*b, *a)]);
        let (first, others) = by_vertex(count, ends);
        out.rings = Rings::new(count, |v| &others[first[v] as usize..first[v + 1] as usize]);
        let corners = triangles.iter().flat_map(|&[a, b, c]| [(b, [a, c]), (c, [b, a]), (a, [c, b])]);
        let (first, corners) = by_vertex(count, corners);
        out.fans = CornerFans::new(count, |v| &corners[first[v] as usize..first[v + 1] as usize]);
        Some(out)
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
fn order(count: usize, edges: &[[u32; 2]]) -> Vec<u32> {
    let mut degrees = vec![0_u32; count];
    edges.iter().flatten().for_each(|v| degrees[*v as usize] += 1);
    let mut sorted: Vec<u32> = (0..count as u32).collect();
    sorted.chunks_mut(SORTED).for_each(|some| some.sort_by_key(|v| degrees[*v as usize]));
    let mut out = vec![0; count];
    (0..).zip(sorted).for_each(|(to, from)| out[from as usize] = to);
    out
}

/// Returns lists by vertex, one after the other, and where each begins.
fn by_vertex<T: Copy + Default>(count: usize, all: impl Iterator<Item = (u32, T)> + Clone) -> (Vec<u32>, Vec<T>) {
    let mut first = vec![0; count + 1];
    let mut total = 0;
    for (vertex, _) in all.clone() {
        first[vertex as usize + 1] += 1;
        total += 1;
    }
    for i in 0..count {
        first[i + 1] += first[i];
    }
    let (mut next, mut out) = (first.clone(), vec![T::default(); total]);
    for (vertex, item) in all {
        let place = &mut next[vertex as usize];
        out[*place as usize] = item;
        *place += 1;
    }
    (first, out)
}

/// Everything that can part a vertex from another one. Nodes have morph weights of their own, so a displaced vertex is one with those of its
/// own node alone.
fn key(
    source: &Primitive,
    (id, instance): (InstanceId, &Instance),
    (joints, weights): (&[u16], &[f32]),
    vertex: usize,
) -> Vec<u32> {
    // Adding zero makes one zero of both.
    let bits = |p: Vec3| (p + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut out = bits(source.positions[vertex]).to_vec();
    let mut shares: Vec<(u16, f32)> = joints.iter().copied().zip(weights.iter().copied()).collect();
    shares.retain(|(_, weight)| *weight != 0.0);
    shares.sort_by_key(|(joint, _)| *joint);
    shares.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    out.extend(shares.iter().flat_map(|(joint, weight)| [u32::from(*joint), weight.to_bits()]));
    let start = out.len();
    for (target, morph) in source.morphs.iter().enumerate().take(instance.morph_weights.len()) {
        let by = morph.positions.get(vertex).copied().unwrap_or_default();
        if by != Vec3::ZERO {
            out.push(target as u32);
            out.extend(bits(by));
        }
    }
    if out.len() > start {
        out.extend([u32::MAX, id.0]);
    }
    out
}
