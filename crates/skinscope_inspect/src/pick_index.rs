//! Finds what lies under a ray in any pose without deforming the whole surface. Triangles are sorted into small
//! clusters, and for each cluster it is known which joints move it. A pose turns those joints into a box
//! ([`skinscope_deform::Method::bounds`]), and only clusters whose box the ray meets are deformed. The answer is that of
//! [`super::pick`] on the deformed surface.

mod near;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::{Aabb, Ray};
use skinscope_deform::{self as deform, InfluenceBounds, Surface, VertexDeformer};
use skinscope_model::{InstanceId, MeshId, Model, PrimitiveId, PrimitiveRef, Topology, WeightEdits};

pub use self::near::{NearVertex, Piece};

use super::PosedModel;
use super::pick::{self, Hit};
use super::pick_clusters::{self, BRANCH, Clusters, Leaf, Members};

/// An index for picking. It is made once for a model as stored, and serves it with edited weights too: clusters whose
/// edited vertices leave the known bounds are tested whatever the ray.
#[derive(Clone, Debug, Default)]
pub struct PickIndex {
    /// The clusters by mesh, then primitive.
    meshes: Vec<Vec<Clusters>>,
    /// The clusters that the edited weights have changed, for the edits that were asked for last.
    edited: Arc<Mutex<EditedClusters>>,
    /// The boxes around the leaves of the surface that was asked for last, where a method needs all of it.
    refitted: Arc<Mutex<Arc<SurfaceBoxes>>>,
}

/// The clusters that edited weights have moved out of their known bounds.
#[derive(Clone, Debug, Default)]
struct EditedClusters {
    edits: WeightEdits,
    /// For each primitive, and each of its leaves: whether its bounds are unknown.
    unknown: Arc<HashMap<PrimitiveId, Vec<bool>>>,
}

impl PickIndex {
    /// Sorts the triangles of `model` into clusters.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let of_primitive = |p: PrimitiveRef<'_>| match p.topology {
            Topology::Triangles => pick_clusters::clusters(p),
            Topology::Points | Topology::Lines => pick_clusters::vertex_clusters(p),
        };
        let of_mesh = |m: usize| model.primitives(MeshId::from_index(m)).map(of_primitive).collect();
        let meshes = (0..model.meshes.len()).map(of_mesh).collect();
        Self { meshes, edited: Arc::default(), refitted: Arc::default() }
    }

    /// Returns the leaves whose bounds are unknown with the weights that `model` has now.
    fn unknown(&self, model: &Model) -> Arc<HashMap<PrimitiveId, Vec<bool>>> {
        let mut cached = self.edited.lock().unwrap_or_else(PoisonError::into_inner);
        if !cached.edits.is_same(model.weight_edits()) {
            let of = |id: PrimitiveId| {
                let clusters = self.meshes.get(id.mesh.index())?.get(id.primitive)?;
                let unknown = clusters.unknown(model.primitive(id.mesh, id.primitive));
                unknown.contains(&true).then_some((id, unknown))
            };
            let unknown = Arc::new(model.weight_edits().primitives().filter_map(of).collect());
            *cached = EditedClusters { edits: model.weight_edits().clone(), unknown };
        }
        Arc::clone(&cached.unknown)
    }

    /// Returns the nearest hit of `ray` with the instances that are drawn; triangles are hit from both sides.
    #[must_use]
    pub fn pick(&self, posed: &PosedModel, draws: &[InstanceId], ray: Ray) -> Option<Hit> {
        if posed.method.needs_surface() {
            // With such a method the joints do not tell where vertices are.
            return pick::pick(posed.model, &*posed.whole(draws)?, ray);
        }
        let packed = Packed::of(posed);
        let mut search = Search { posed, packed: &packed.palettes, here: &packed.here, boxes: None, met: Vec::new() };
        self.meet_all(&mut search, draws, Probe::Ray(ray));
        let mut met = std::mem::take(&mut search.met);
        met.sort_by(|a, b| a.enters.total_cmp(&b.enters));
        let mut best: Option<BestHit> = None;
        for met in met {
            // Boxes are larger than their contents by more than the rounding error of the distance.
            if best.is_some_and(|best| best.hit.distance < met.enters) {
                break;
            }
            let clusters = &self.meshes[posed.model.instances[met.drawn.instance.index()].mesh.index()];
            search.look(&clusters[met.drawn.primitive], &met, ray, &mut best);
        }
        best.map(|best| best.hit)
    }

    /// Collects the leaves of all drawn instances that a probe meets.
    fn meet_all(&self, search: &mut Search, draws: &[InstanceId], probe: Probe) {
        let model = search.posed.model;
        let unknown = self.unknown(model);
        for (draw, id) in draws.iter().enumerate() {
            let instance = &model.instances[id.index()];
            let Some(mesh) = self.meshes.get(instance.mesh.index()) else { continue };
            for (primitive, clusters) in mesh.iter().enumerate().filter(|(_, c)| !c.leaves.is_empty()) {
                let rigid = model.binding(*id, primitive).1.is_none();
                let unknown = unknown.get(&PrimitiveId::new(instance.mesh, primitive)).filter(|_| !rigid);
                let unknown = unknown.map_or(&[][..], Vec::as_slice);
                search.meet(clusters, DrawnPrimitive { draw, instance: *id, primitive, rigid }, unknown, probe);
            }
        }
    }
}

/// The palettes of a pose as its method reads them.
struct Packed {
    palettes: Vec<Vec4>,
    /// The identity, since copies are searched in mesh space.
    here: Vec<Vec4>,
}

impl Packed {
    fn of(posed: &PosedModel) -> Self {
        let (mut palettes, mut here) = (Vec::new(), Vec::new());
        deform::pack(&posed.method, posed.palettes, &mut palettes);
        deform::pack(&posed.method, &[Affine3A::IDENTITY], &mut here);
        Self { palettes, here }
    }
}

/// What boxes are asked for.
#[derive(Clone, Copy)]
enum Probe<'p> {
    /// Those that a ray meets.
    Ray(Ray),
    /// Those that a function accepts, once they are moved by the matrix into model space.
    Boxes(&'p dyn Fn(Aabb) -> bool, Option<Affine3A>),
}

impl Probe<'_> {
    /// The same in the space of a copy; `None` where its matrix has no inverse that a ray needs.
    fn local(self, model_from_mesh: &Affine3A) -> Option<Self> {
        match self {
            Self::Ray(ray) => pick::local_ray(ray, model_from_mesh).map(Self::Ray),
            Self::Boxes(meets, _) => Some(Self::Boxes(meets, Some(*model_from_mesh))),
        }
    }

    /// Returns the distance at which it meets a box.
    fn enters(self, bounds: Aabb) -> Option<f32> {
        match self {
            Self::Ray(ray) => pick::enters(ray, bounds),
            Self::Boxes(meets, None) => meets(bounds).then_some(0.0),
            Self::Boxes(meets, Some(matrix)) => meets(bounds.transformed(matrix)).then_some(0.0),
        }
    }
}

/// The boxes around the leaves and branches of a deformed surface, by instance and primitive: the clusters of the model, refitted to it.
#[derive(Clone, Debug, Default)]
struct SurfaceBoxes {
    of: Weak<Surface>,
    parts: HashMap<(InstanceId, usize), [Vec<Aabb>; 2]>,
}

impl SurfaceBoxes {
    fn of(index: &PickIndex, model: &Model, surface: &Arc<Surface>) -> Self {
        let shown = surface.model(model);
        let mut parts = HashMap::new();
        for part in &surface.parts {
            let mesh = model.instances[part.instance.index()].mesh.index();
            let Some(clusters) = index.meshes.get(mesh).and_then(|mesh| mesh.get(part.primitive)) else { continue };
            let indices = shown.meshes[mesh].primitives[part.primitive].indices.as_chunks::<3>().0;
            let at = |vertex: u32| part.deformed.positions[vertex as usize];
            let of_leaf = |leaf: &Leaf| match leaf.triangles.is_empty() {
                true => Aabb::from_points(clusters.vertices_of(leaf).iter().map(|vertex| at(*vertex))),
                false => {
                    let corners = clusters.triangles_of(leaf).iter().flat_map(|t| indices[t.number as usize]);
                    Aabb::from_points(corners.map(at))
                }
            };
            let leaves: Vec<Aabb> = clusters.leaves.iter().map(of_leaf).collect();
            let branches =
                leaves.chunks(BRANCH).map(|of| of.iter().fold(Aabb::EMPTY, |all, b| all.union(*b))).collect();
            parts.insert((part.instance, part.primitive), [leaves, branches]);
        }
        Self { of: Arc::downgrade(surface), parts }
    }

    fn leaf(&self, drawn: DrawnPrimitive, leaf: usize) -> Option<Aabb> {
        self.parts.get(&(drawn.instance, drawn.primitive)).map(|[leaves, _]| leaves[leaf])
    }

    fn branch(&self, drawn: DrawnPrimitive, branch: usize) -> Option<Aabb> {
        self.parts.get(&(drawn.instance, drawn.primitive)).map(|[_, branches]| branches[branch])
    }
}

/// A primitive as it is drawn.
#[derive(Clone, Copy)]
struct DrawnPrimitive {
    /// Its index in the list of drawn instances.
    draw: usize,
    instance: InstanceId,
    primitive: usize,
    /// Whether one matrix moves all of it, whatever influences it has.
    rigid: bool,
}

/// A leaf whose box the ray meets.
struct LeafHit {
    enters: f32,
    drawn: DrawnPrimitive,
    copy: usize,
    leaf: usize,
}

/// The nearest hit; of equally near ones the one that is drawn first.
#[derive(Clone, Copy)]
struct BestHit {
    hit: Hit,
    order: (usize, usize, usize, u32),
}

struct Search<'a> {
    posed: &'a PosedModel<'a>,
    /// The palettes of all skins, packed.
    packed: &'a [Vec4],
    /// The identity, packed, since copies are searched in mesh space.
    here: &'a [Vec4],
    /// The boxes around the leaves of the surface at hand, where the joints do not tell where vertices are.
    boxes: Option<&'a SurfaceBoxes>,
    met: Vec<LeafHit>,
}

impl Search<'_> {
    /// Collects the leaves whose box the ray meets. `unknown`: see [`PickIndex::unknown`].
    fn meet(&mut self, clusters: &Clusters, drawn: DrawnPrimitive, unknown: &[bool], probe: Probe) {
        let posed = self.posed;
        let copies = &posed.model.instances[drawn.instance.index()].copies;
        let (first, _) = posed.model.binding(drawn.instance, drawn.primitive);
        let moved = moved_by_morphs(clusters, posed, drawn.instance);
        if copies.is_empty() {
            let palette = &self.packed[first as usize * posed.method.vec4s_per_joint..];
            self.meet_once(clusters, drawn, 0, (palette, unknown), &moved, probe);
            return;
        }
        let reach = |branch: usize| self.branch_box(clusters, branch, drawn, self.here, &moved);
        let whole = (0..clusters.branches.len()).map(reach).try_fold(Aabb::EMPTY, |all, b| Some(all.union(b?)));
        for (copy, matrix) in posed.palettes[first as usize..].iter().take(copies.len()).enumerate() {
            let Some(local) = probe.local(matrix) else { continue };
            if whole.is_none_or(|whole| local.enters(whole).is_some()) {
                self.meet_once(clusters, drawn, copy, (self.here, &[]), &moved, local);
            }
        }
    }

    fn meet_once(
        &mut self,
        c: &Clusters,
        drawn: DrawnPrimitive,
        copy: usize,
        (palette, unknown): (&[Vec4], &[bool]),
        moved: &MorphBounds,
        probe: Probe,
    ) {
        for b in 0..c.branches.len() {
            // Leaves without bounds are always tested.
            let meets = |bounds: Option<Aabb>| bounds.map_or(Some(0.0), |bounds| probe.enters(bounds));
            let leaves = b * BRANCH..((b + 1) * BRANCH).min(c.leaves.len());
            let is_unknown = |leaf: usize| unknown.get(leaf).copied().unwrap_or_default();
            let is_known = !leaves.clone().any(is_unknown);
            if is_known && meets(self.branch_box(c, b, drawn, palette, moved)).is_none() {
                continue;
            }
            for leaf in leaves {
                let bounds = self.leaf_box(c, leaf, drawn, palette, moved).filter(|_| !is_unknown(leaf));
                if let Some(enters) = meets(bounds) {
                    self.met.push(LeafHit { enters, drawn, copy, leaf });
                }
            }
        }
    }

    fn branch_box(
        &self,
        c: &Clusters,
        b: usize,
        drawn: DrawnPrimitive,
        palette: &[Vec4],
        by: &MorphBounds,
    ) -> Option<Aabb> {
        match self.boxes {
            Some(boxes) => boxes.branch(drawn, b),
            None => self.reach(c, &c.branches[b], drawn, palette, by.branch(b)),
        }
    }

    fn leaf_box(
        &self,
        c: &Clusters,
        leaf: usize,
        drawn: DrawnPrimitive,
        palette: &[Vec4],
        by: &MorphBounds,
    ) -> Option<Aabb> {
        match self.boxes {
            Some(boxes) => boxes.leaf(drawn, leaf),
            None => self.reach(c, &c.leaves[leaf].members, drawn, palette, by.leaf(leaf)),
        }
    }

    /// Returns a box in which some vertices must be; `None` where that is not known.
    fn reach(
        &self,
        c: &Clusters,
        members: &Members,
        drawn: DrawnPrimitive,
        palette: &[Vec4],
        by: Option<Aabb>,
    ) -> Option<Aabb> {
        let displaced = |b: Aabb| by.map_or(b, |by| Aabb { min: b.min + by.min, max: b.max + by.max });
        let reach =
            |joints: &[(u16, Aabb)], sums| (self.posed.method.bounds)(palette, &InfluenceBounds { joints, sums });
        if drawn.rigid {
            return reach(&[(0, displaced(members.around))], [1.0; 2]);
        }
        let joints = &c.joints[members.joints.start as usize..members.joints.end as usize];
        match by {
            _ if members.wild => None,
            None => reach(joints, members.sums),
            Some(_) => {
                let joints: Vec<(u16, Aabb)> = joints.iter().map(|(joint, b)| (*joint, displaced(*b))).collect();
                reach(&joints, members.sums)
            }
        }
    }

    /// Deforms the leaf and keeps its nearest hit.
    fn look(&self, clusters: &Clusters, met: &LeafHit, ray: Ray, best: &mut Option<BestHit>) {
        let DrawnPrimitive { draw, instance, primitive, .. } = met.drawn;
        let PosedModel { model, palettes, morph_weights, method, .. } = *self.posed;
        let (first, _) = model.binding(instance, primitive);
        let at = (instance, primitive);
        let is_copy = !model.instances[instance.index()].copies.is_empty();
        let (deformer, local) = if is_copy {
            let Some(local) = pick::local_ray(ray, &palettes[first as usize + met.copy]) else { return };
            (VertexDeformer::rigid(model, at, self.here, morph_weights, method), local)
        } else {
            (VertexDeformer::new(model, at, self.packed, morph_weights, method), ray)
        };
        let leaf = &clusters.leaves[met.leaf];
        let vertices = clusters.vertices_of(leaf);
        let mut positions = Vec::new();
        match self.posed.surface.as_ref().and_then(|surface| surface.part(instance, primitive)) {
            Some(part) => positions.extend(vertices.iter().map(|v| part.deformed.positions[*v as usize])),
            None => deformer.positions(vertices, &mut positions),
        }
        for triangle in clusters.triangles_of(leaf) {
            let corners = triangle.corners.map(|c| positions[usize::from(c)]);
            let Some(distance) = pick::distance_to(local, corners) else { continue };
            let order = (draw, primitive, met.copy, triangle.number);
            if best.is_some_and(|best| (best.hit.distance, best.order) <= (distance, order)) {
                continue;
            }
            let nearest = pick::nearest_corner(local, distance, corners);
            let vertex = vertices[usize::from(triangle.corners[nearest])] as usize;
            let position = ray.origin + ray.direction * distance;
            let hit = Hit { instance, primitive, vertex, copy: met.copy, position, distance };
            *best = Some(BestHit { hit, order });
        }
    }
}

/// The boxes that active morph targets add to the vertices of each leaf; both lists are empty while none is active.
struct MorphBounds {
    leaves: Vec<Aabb>,
    branches: Vec<Aabb>,
}

impl MorphBounds {
    fn leaf(&self, leaf: usize) -> Option<Aabb> {
        self.leaves.get(leaf).copied()
    }

    fn branch(&self, branch: usize) -> Option<Aabb> {
        self.branches.get(branch).copied()
    }
}

fn moved_by_morphs(clusters: &Clusters, posed: &PosedModel, instance: InstanceId) -> MorphBounds {
    const STAYS: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
    let source = &posed.model.instances[instance.index()];
    let weights = &posed.morph_weights[source.morph_offset..][..source.morph_weights.len()];
    let mut leaves = Vec::new();
    for (displaced, weight) in clusters.morphs.iter().zip(weights).filter(|(d, w)| !d.is_empty() && **w != 0.0) {
        leaves.resize(clusters.leaves.len(), STAYS);
        for (leaf, by) in displaced {
            let (a, b) = (by.min * *weight, by.max * *weight);
            let sum = &mut leaves[*leaf as usize];
            *sum = Aabb { min: sum.min + a.min(b), max: sum.max + a.max(b) };
        }
    }
    let branches = leaves.chunks(BRANCH).map(|of| of.iter().fold(STAYS, |all, b| all.union(*b))).collect();
    MorphBounds { leaves, branches }
}
