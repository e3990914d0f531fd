//! Subdivision of the meshes of a model, each as one surface across its seams and materials: skinned first and subdivided after, as programs
//! for film do it, or subdivided first, with its weights, and skinned after.

use std::sync::{Arc, Mutex, PoisonError};

use glam::{Vec2, Vec3, Vec4};
use skinscope_base::math::{Csr, Weld};
use skinscope_base::parallel::{JobContext, by_chunk, in_pieces};
use skinscope_model::{Influences, Mesh, MeshId, Model, ModelParts, MorphTarget, Primitive, Topology, WeightFormat};

use super::fine_normals::Fans;
use super::loop_subdivision::{LoopSurface, four};
use super::mesh_topology::triangle_edges;
use super::neighbours::place_and_motion;
use super::packed::merged;
use super::{
    AppliedPass, DataSource, Deformation, Deformed, MethodData, SplitModel, Surface, SurfaceInput, SurfacePart,
};

/// How often a model may be subdivided.
pub const MOST_LEVELS: u32 = 3;

/// How many triangles a subdivided model may have. Each of its vertices is a mean of some ten others: so many take half a gigabyte while they
/// are worked out.
const MOST_TRIANGLES: u64 = 4_000_000;

/// How many displacements by morph targets it may have: those take as much again.
const MOST_DISPLACEMENTS: u64 = 40_000_000;

/// How many vertices one thread works on at a time.
const PIECE: usize = 4096;

/// The sources of the model subdivided once, twice and three times, which no method reads. Where a model cannot be subdivided, the data has
/// none.
pub static SUBDIVISIONS: [&DataSource; MOST_LEVELS as usize] = [&ONCE, &TWICE, &THRICE];

static ONCE: DataSource = DataSource { label: LABEL, make: |model, job| make(model, 1, job) };
static TWICE: DataSource = DataSource { label: LABEL, make: |model, job| make(model, 2, job) };
static THRICE: DataSource = DataSource { label: LABEL, make: |model, job| make(model, 3, job) };

const LABEL: &str = "the subdivided surface";

fn make(model: &Model, levels: u32, job: &JobContext) -> Option<MethodData> {
    let subdivision = Subdivision::of(model, levels, job).map(Arc::new);
    (subdivision.is_some() || !job.is_cancelled()).then(|| MethodData { subdivision, ..MethodData::default() })
}

/// A subdivided model, and how its vertices follow from those of the model itself, the *cage*.
///
/// Vertices of a mesh that no pose can separate are one point: they have the same place, the same weights and are displaced alike. Points
/// are subdivided by Loop's rule ([`LoopSurface`]), so that no seam opens; what belongs to a side of a seam, such as texture coordinates,
/// is divided evenly along each edge.
#[derive(Debug)]
pub struct Subdivision {
    /// The subdivided model, and the vertex of the cage that each of its vertices after those of the cage is nearest to.
    split: Arc<SplitModel>,
    meshes: Vec<FineMesh>,
    /// What methods have worked out for the subdivided model.
    data: Mutex<Vec<(&'static DataSource, Arc<MethodData>)>>,
}

/// How the vertices of a subdivided mesh follow from those of the cage.
#[derive(Debug, Default)]
struct FineMesh {
    /// A vertex of the cage at each of its points: the primitive, and its vertex.
    members: Vec<[u32; 2]>,
    /// Each point of the fine mesh as a mean of points of the cage.
    masks: Csr<(u32, f32)>,
    /// The triangles around each point of the fine mesh.
    fans: Fans,
    /// What is subdivided of each primitive; `None` where it has no triangles of its own.
    primitives: Vec<Option<FinePrimitive>>,
    /// The lists of the last pose, which the next one fills again.
    spare: Mutex<Scratch>,
}

/// What is worked out of a pose at points, before vertices have it.
#[derive(Debug, Default)]
struct Scratch {
    cage: Vec<Vec3>,
    points: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// The vertices of a subdivided primitive: first those of the cage, in their order.
#[derive(Debug)]
struct FinePrimitive {
    /// The point of each vertex.
    points: Vec<u32>,
    /// The edge that each vertex after those of the cage is on, as vertices before it.
    ends: Vec<[u32; 2]>,
    /// The triangles, until they are in the model.
    triangles: Vec<[u32; 3]>,
}

impl Subdivision {
    /// Returns why a model is not subdivided so often, in words for the user; `None` where it is.
    #[must_use]
    pub fn refusal(model: &Model, levels: u32) -> Option<String> {
        let cages = || model.meshes.iter().flat_map(|mesh| &mesh.primitives).filter(|p| is_cage(p));
        let triangles: u64 = cages().map(|p| p.indices.len() as u64 / 3).sum();
        if levels == 0 || levels > MOST_LEVELS {
            return Some(format!("a model is subdivided 1 to {MOST_LEVELS} times"));
        }
        if triangles == 0 {
            return Some("the model has no triangles, which subdivision is about".into());
        }
        let fine = triangles << (2 * levels);
        let times = if levels == 1 { "once".to_owned() } else { format!("{levels} times") };
        if fine > MOST_TRIANGLES {
            return Some(format!(
                "subdivided {times} it has {fine} triangles; {MOST_TRIANGLES} are the most that are made"
            ));
        }
        // A closed surface has half as many vertices as triangles.
        let moved = |p: &Primitive| (p.indices.len() as u64 / 6) * p.morphs.len() as u64;
        let displaced = cages().map(moved).sum::<u64>() << (2 * levels);
        let why = || {
            format!(
                "subdivided {times} its morph targets displace {displaced} vertices; {MOST_DISPLACEMENTS} are the most"
            )
        };
        (displaced > MOST_DISPLACEMENTS).then(why)
    }

    /// Subdivides the meshes of a model so often, with the weights that it has now. Returns `None` where that is refused, or soon after the
    /// job was cancelled.
    #[must_use]
    pub fn of(model: &Model, levels: u32, job: &JobContext) -> Option<Self> {
        if Self::refusal(model, levels).is_some() {
            return None;
        }
        let mut parts = ModelParts::clone(model);
        let (mut meshes, mut copies_of) = (Vec::new(), Vec::new());
        let count = parts.meshes.len();
        for (m, mesh) in parts.meshes.iter_mut().enumerate() {
            let id = MeshId::from_index(m);
            let mut fine = FineMesh::of(model, id, levels, &|| job.is_cancelled())?;
            copies_of.push(fine.refine(model, id, levels, mesh));
            meshes.push(fine);
            if job.set_fraction((m + 1) as f32 / count as f32) {
                job.wake();
            }
        }
        let model = Arc::new(Model::build(parts).ok()?);
        Some(Self { split: Arc::new(SplitModel { model, copies_of }), meshes, data: Mutex::default() })
    }

    /// Returns the subdivided model. Its vertices have the weights that follow from those of the cage as their places do.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.split.model
    }

    /// Subdivides a surface of the model: skinned, then subdivided. Normals are those of the fine triangles, across seams.
    #[must_use]
    pub fn after(&self, cage: &Surface) -> Surface {
        let model = self.model();
        let parts = cage.parts.chunk_by(|a, b| a.instance == b.instance).flat_map(|parts| {
            let mesh = parts.first().map_or(0, |part| model.instances[part.instance.index()].mesh.index());
            self.meshes[mesh].deformed(&model.meshes[mesh], parts)
        });
        Surface::of_parts(parts.collect(), model.instances.len(), Arc::clone(&self.split))
    }

    /// Deforms the subdivided model: subdivided, then skinned. `input` is that of the cage.
    #[must_use]
    pub fn before(&self, input: &SurfaceInput) -> Surface {
        let of_method = input.method.method.data.and_then(|source| self.data(source));
        let of_pass = input.method.pass.and_then(|applied| applied.pass.data).and_then(|source| self.data(source));
        let pass = input.method.pass.map(|applied| AppliedPass { data: of_pass.as_deref(), ..applied });
        let method = Deformation { data: of_method.as_deref(), pass, ..input.method };
        Surface::of(&SurfaceInput { model: self.model(), method, ..*input }).with_split(&self.split)
    }

    /// Returns what a method works out once for the subdivided model.
    fn data(&self, source: &'static DataSource) -> Option<Arc<MethodData>> {
        let mut known = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, data)) = known.iter().find(|(of, _)| std::ptr::eq(*of, source)) {
            return Some(Arc::clone(data));
        }
        let made = Arc::new((source.make)(self.model(), &JobContext::of_waiting())?);
        known.push((source, Arc::clone(&made)));
        Some(made)
    }
}

/// A morph target at the points of a fine mesh; each list may be empty.
#[derive(Default)]
struct Target {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// Whether a primitive has triangles that are subdivided.
fn is_cage(p: &Primitive) -> bool {
    p.topology == Topology::Triangles && p.shares.is_none() && !p.positions.is_empty()
}

impl FineMesh {
    /// Subdivides the points of a mesh; `None` soon after `stop` returns true.
    fn of(model: &Model, id: MeshId, levels: u32, stop: &dyn Fn() -> bool) -> Option<Self> {
        let mesh = &model.meshes[id.index()];
        let cages = || mesh.primitives.iter().enumerate().filter(|(_, p)| is_cage(p));
        let keys = cages().flat_map(|(n, p)| {
            let influences = model.influences(id, n);
            let of = move |vertex: usize| influences.map(|influences| influences.of(vertex)).unwrap_or_default();
            (0..p.positions.len()).map(move |vertex| place_and_motion(p, p.morphs.len(), of(vertex), vertex).0)
        });
        let weld = Weld::by_key(keys, stop)?;
        let vertices = cages().flat_map(|(n, p)| (0..p.positions.len() as u32).map(move |vertex| [n as u32, vertex]));
        let vertices: Vec<[u32; 2]> = vertices.collect();
        let members: Vec<[u32; 2]> = weld.first.iter().map(|first| vertices[*first as usize]).collect();
        let mut groups = weld.group.iter().copied();
        let mut of_primitive = |p: &Primitive| {
            is_cage(p).then(|| FinePrimitive {
                points: groups.by_ref().take(p.positions.len()).collect(),
                ends: Vec::new(),
                triangles: p.indices.as_chunks::<3>().0.to_vec(),
            })
        };
        let mut primitives: Vec<Option<FinePrimitive>> = mesh.primitives.iter().map(&mut of_primitive).collect();
        let triangles = primitives.iter().flatten().flat_map(FinePrimitive::point_triangles).collect();
        let mut surface = LoopSurface::cage(members.len() as u32, triangles);
        for _ in 0..levels {
            surface = surface.finer(stop)?;
            for primitive in primitives.iter_mut().flatten() {
                primitive.divide(&surface, stop)?;
            }
        }
        let lengths = surface.masks.rows().map(|row| row.len() as u32);
        let values = surface.masks.rows().flatten().map(|(point, weight)| (*point, *weight as f32)).collect();
        let masks = Csr::of_lengths(lengths, values);
        let triangles = primitives.iter().flatten().flat_map(FinePrimitive::point_triangles);
        let fans = Fans::of(masks.row_count(), triangles);
        Some(Self { members, masks, fans, primitives, spare: Mutex::default() })
    }

    /// Gives a mesh of the model, which is still that of the cage, the vertices of the fine one. Returns for each primitive a vertex of the cage
    /// near each vertex that comes after those of the cage.
    fn refine(&mut self, model: &Model, id: MeshId, levels: u32, mesh: &mut Mesh) -> Vec<Vec<u32>> {
        for (own, p) in self.primitives.iter_mut().zip(&mut mesh.primitives) {
            if let Some(own) = own {
                p.indices = std::mem::take(&mut own.triangles).into_flattened();
            }
        }
        let points = self.points(&self.of_members(mesh, &|p, vertex| p.positions[vertex]));
        let normals = self.fans.normals(&points);
        let weights = self.weights(model, id);
        // The targets of the fine mesh are made before the places of the cage are replaced.
        let targets: Vec<Target> =
            (0..mesh.morph_names.len()).map(|t| self.target(mesh, t, &points, &normals)).collect();
        let mut copies_of = Vec::new();
        for (n, (own, p)) in self.primitives.iter().zip(&mut mesh.primitives).enumerate() {
            let Some(own) = own else {
                copies_of.push(Vec::new());
                continue;
            };
            p.tangents = own.tangents(&p.tangents);
            p.uvs = [0, 1].map(|set| own.along_edges(&p.uvs[set], |a: Vec2, b| a.midpoint(b)));
            p.colors = own.along_edges(&p.colors, |a: Vec4, b| a.midpoint(b));
            for (morph, target) in p.morphs.iter_mut().zip(&targets) {
                let list = |points: &[Vec3]| if points.is_empty() { Vec::new() } else { own.of_points(points) };
                let tangents = own.along_edges(&morph.tangents, |a: Vec3, b| a.midpoint(b));
                *morph = MorphTarget { positions: list(&target.positions), normals: list(&target.normals), tangents };
            }
            p.stored_influences = model.influences(id, n).is_some().then(|| own.influences(&weights));
            let cage = p.positions.len();
            let near = own.along_edges(&(0..cage as u32).collect::<Vec<_>>(), |a, _| a);
            let near = near.get(cage..).unwrap_or_default().to_vec();
            let origins: Vec<u32> = near.iter().map(|vertex| p.stored_vertex(*vertex)).collect();
            p.split_from.extend(origins);
            p.positions = own.of_points(&points);
            p.normals = own.of_points(&normals);
            p.repeats = None;
            for part in &mut p.parts {
                part.indices = part.indices.start << (2 * levels)..part.indices.end << (2 * levels);
            }
            copies_of.push(near);
        }
        copies_of
    }

    /// Returns something of the vertex of the cage at each of its points.
    fn of_members(&self, cage: &Mesh, of: &dyn Fn(&Primitive, usize) -> Vec3) -> Vec<Vec3> {
        self.members.iter().map(|[n, vertex]| of(&cage.primitives[*n as usize], *vertex as usize)).collect()
    }

    /// Subdivides a morph target of the mesh, whose primitives still have the places of the cage.
    fn target(&self, mesh: &Mesh, target: usize, points: &[Vec3], normals: &[Vec3]) -> Target {
        let morphs = || mesh.primitives.iter().filter_map(|p| p.morphs.get(target));
        if morphs().all(|morph| morph.positions.is_empty()) {
            return Target::default();
        }
        let by = |p: &Primitive, vertex: usize| {
            p.morphs.get(target).and_then(|morph| morph.positions.get(vertex)).copied().unwrap_or_default()
        };
        let positions = self.points(&self.of_members(mesh, &by));
        if morphs().all(|morph| morph.normals.is_empty()) {
            return Target { positions, normals: Vec::new() };
        }
        let moved: Vec<Vec3> = points.iter().zip(&positions).map(|(at, by)| *at + *by).collect();
        let turned = self.fans.normals(&moved);
        Target { positions, normals: turned.iter().zip(normals).map(|(to, from)| *to - *from).collect() }
    }

    /// Returns the weights of all points, those of one point by falling weight.
    fn weights(&self, model: &Model, id: MeshId) -> Csr<(u16, f32)> {
        let primitives = 0..self.primitives.len();
        let of_cage: Vec<_> = primitives.map(|n| model.influences(id, n)).collect();
        let pieces = by_chunk(self.masks.row_count(), PIECE, &|range: std::ops::Range<usize>| {
            let (mut lengths, mut values) = (Vec::with_capacity(range.len()), Vec::new());
            for point in range {
                let mut parts = Vec::new();
                for (of, share) in self.masks.row(point) {
                    let [n, vertex] = self.members[*of as usize];
                    let Some(influences) = of_cage[n as usize] else { continue };
                    let (joints, weights) = influences.of(vertex as usize);
                    let used = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
                    parts.extend(used.map(|(joint, weight)| (*joint, share * weight)));
                }
                let mut row = merged(parts);
                row.sort_by(|a, b| b.1.total_cmp(&a.1));
                lengths.push(row.len() as u32);
                values.extend(row);
            }
            (lengths, values)
        });
        let values = pieces.iter().flat_map(|(_, values)| values.iter().copied()).collect();
        Csr::of_lengths(pieces.iter().flat_map(|(lengths, _)| lengths.iter().copied()), values)
    }

    /// Returns the places of all points of the fine mesh, from those of the cage.
    fn points(&self, cage: &[Vec3]) -> Vec<Vec3> {
        let mut out = Vec::new();
        self.points_into(cage, &mut out);
        out
    }

    fn points_into(&self, cage: &[Vec3], out: &mut Vec<Vec3>) {
        out.resize(self.masks.row_count(), Vec3::ZERO);
        in_pieces(out, PIECE, &|start, out| {
            for (point, out) in (start..).zip(out) {
                *out = self.masks.row(point).iter().map(|(of, weight)| cage[*of as usize] * *weight).sum();
            }
        });
    }

    /// Returns the normals of all points, where some triangles are mirrored. `is_mirrored` says of which triangles of which primitive the
    /// winding is the opposite of that in the file.
    fn mirrored_normals(
        &self,
        fine: &Mesh,
        points: &[Vec3],
        is_mirrored: &dyn Fn(usize, [u32; 3]) -> bool,
    ) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; points.len()];
        for (n, (own, p)) in self.primitives.iter().zip(&fine.primitives).enumerate() {
            let Some(own) = own else { continue };
            for triangle in p.indices.as_chunks::<3>().0 {
                let corners = triangle.map(|vertex| own.points[vertex as usize] as usize);
                let [a, b, c] = corners.map(|point| points[point]);
                let side = if is_mirrored(n, *triangle) { -1.0 } else { 1.0 };
                let normal = (b - a).cross(c - a) * side;
                corners.iter().for_each(|point| out[*point] += normal);
            }
        }
        in_pieces(&mut out, PIECE, &|_, normals| normals.iter_mut().for_each(|n| *n = n.normalize_or_zero()));
        out
    }

    /// Subdivides the surface of an instance, of which these are the parts.
    fn deformed(&self, fine: &Mesh, parts: &[SurfacePart]) -> Vec<SurfacePart> {
        let at = |[primitive, vertex]: &[u32; 2]| {
            let positions = parts.get(*primitive as usize).map(|part| &part.deformed.positions);
            positions.and_then(|list| list.get(*vertex as usize)).copied().unwrap_or_default()
        };
        let mut scratch = std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        let Scratch { cage, points, normals } = &mut scratch;
        cage.clear();
        cage.extend(self.members.iter().map(at));
        self.points_into(cage, points);
        let mut out: Vec<SurfacePart> =
            parts.iter().zip(&self.primitives).map(|(part, own)| subdivided(part, own.as_ref(), points)).collect();
        if parts.iter().any(|part| part.deformed.attributes.normals) {
            let is_mirrored = |n: usize, triangle: [u32; 3]| {
                let deformed = &out[n].deformed;
                !deformed.determinants.is_empty() && deformed.is_mirrored(triangle)
            };
            // Between vertices that nothing mirrors there is none that is mirrored.
            if parts.iter().any(|part| part.deformed.determinants.iter().any(|determinant| *determinant < 0.0)) {
                *normals = self.mirrored_normals(fine, points, &is_mirrored);
            } else {
                self.fans.normals_into(points, normals);
            }
            for (part, own) in out.iter_mut().zip(&self.primitives) {
                if let Some(own) = own {
                    part.deformed.normals = own.of_points(normals);
                }
            }
        }
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = scratch;
        out
    }
}

/// Subdivides a primitive of an instance, all but its normals. `points` are those of the fine mesh.
fn subdivided(part: &SurfacePart, own: Option<&FinePrimitive>, points: &[Vec3]) -> SurfacePart {
    let Some(own) = own else { return part.clone() };
    let from = &part.deformed;
    let deformed = Deformed {
        attributes: from.attributes,
        positions: own.of_points(points),
        tangents: own.tangents(&from.tangents),
        determinants: own.along_edges(&from.determinants, f32::midpoint),
        ..Deformed::default()
    };
    SurfacePart { deformed, instance: part.instance, primitive: part.primitive, copies: part.copies.clone() }
}

impl FinePrimitive {
    fn point_triangles(&self) -> impl Iterator<Item = [u32; 3]> + Clone {
        self.triangles.iter().map(|triangle| triangle.map(|vertex| self.points[vertex as usize]))
    }

    /// Divides every triangle into four. `surface` is that of the points, which has been made finer already.
    fn divide(&mut self, surface: &LoopSurface, stop: &dyn Fn() -> bool) -> Option<()> {
        let edges = triangle_edges(&self.triangles, self.points.len(), stop)?;
        let count = self.points.len() as u32;
        let middle = |a: u32, b: u32| {
            let found = edges.binary_search(&[a.min(b), a.max(b)]);
            // A side between a vertex and itself is that vertex.
            found.map_or(a, |edge| count + edge as u32)
        };
        self.triangles = self.triangles.iter().flat_map(|triangle| four(*triangle, &middle)).collect();
        let points: Vec<u32> = edges
            .iter()
            .map(|ends| ends.map(|vertex| self.points[vertex as usize]))
            .map(|[a, b]| surface.middle(a, b))
            .collect();
        self.points.extend(points);
        self.ends.extend(edges);
        Some(())
    }

    /// Returns what each vertex has of something that points have.
    fn of_points(&self, points: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.points.len()];
        in_pieces(&mut out, PIECE, &|start, out| {
            for (point, out) in self.points[start..].iter().zip(out) {
                *out = points[*point as usize];
            }
        });
        out
    }

    /// Returns what each vertex has of something that the vertices of the cage have, where a vertex on an edge has the mean of its ends.
    /// Empty where the cage has nothing.
    fn along_edges<T: Copy>(&self, cage: &[T], mean: impl Fn(T, T) -> T) -> Vec<T> {
        let count = self.points.len() - self.ends.len();
        if cage.len() < count || cage.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(self.points.len());
        // A method may have copied vertices behind those of the cage.
        out.extend_from_slice(&cage[..count]);
        for ends in &self.ends {
            let [a, b] = ends.map(|vertex| out[vertex as usize]);
            out.push(mean(a, b));
        }
        out
    }

    /// Returns the influences of the vertices, with room for all that any of them has.
    fn influences(&self, of_points: &Csr<(u16, f32)>) -> Influences {
        let rows = || self.points.iter().map(|point| of_points.row(*point as usize));
        // Files have four in a set.
        let per_vertex = rows().map(<[_]>::len).max().unwrap_or(0).max(1).next_multiple_of(4);
        let (mut joints, mut weights) =
            (vec![0; per_vertex * self.points.len()], vec![0.0; per_vertex * self.points.len()]);
        let rooms = joints.chunks_exact_mut(per_vertex).zip(weights.chunks_exact_mut(per_vertex));
        for (row, (joints, weights)) in rows().zip(rooms) {
            for ((joint, weight), (to, share)) in row.iter().zip(joints.iter_mut().zip(weights)) {
                (*to, *share) = (*joint, *weight);
            }
        }
        Influences { per_vertex, joints, weights, format: WeightFormat::F32, ..Influences::default() }
    }

    /// Returns the tangents of the vertices, evenly divided along edges and of unit length; the handedness is that of one end.
    fn tangents(&self, cage: &[Vec4]) -> Vec<Vec4> {
        let mut out = self.along_edges(cage, |a, b| (a.truncate() + b.truncate()).normalize_or_zero().extend(a.w));
        in_pieces(&mut out, PIECE, &|_, tangents| {
            for tangent in tangents {
                *tangent = tangent.truncate().normalize_or_zero().extend(tangent.w);
            }
        });
        out
    }
}
