//! Finds what lies under a ray in any pose without deforming the whole surface. Triangles are sorted into small
//! clusters, and for each cluster it is known which joints move it. A pose turns those joints into a box
//! ([`skinscope_deform::Method::bounds`]), and only clusters whose box the ray meets are deformed. The answer is that of
//! [`super::pick`] on the deformed surface.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::{Aabb, Ray};
use skinscope_deform::{self as deform, InfluenceBounds, VertexDeformer};
use skinscope_model::{InstanceId, MeshId, Model, PrimitiveId, PrimitiveRef, Topology, WeightEdits};

use super::PosedModel;
use super::pick::{self, Hit};
use super::pick_clusters::{self, BRANCH, Clusters, Members};

/// An index for picking. It is made once for a model as stored, and serves it with edited weights too: clusters whose
/// edited vertices leave the known bounds are tested whatever the ray.
#[derive(Clone, Debug, Default)]
pub struct PickIndex {
    /// The clusters by mesh, then primitive.
    meshes: Vec<Vec<Clusters>>,
    /// The clusters that the edited weights have changed, for the edits that were asked for last.
    edited: Arc<Mutex<EditedClusters>>,
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
            Topology::Points | Topology::Lines => Clusters::default(),
        };
        let of_mesh = |m: usize| model.primitives(MeshId::from_index(m)).map(of_primitive).collect();
        let meshes = (0..model.meshes.len()).map(of_mesh).collect();
        Self { meshes, edited: Arc::default() }
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
        let mut packed = Vec::new();
        deform::pack(&posed.method, posed.palettes, &mut packed);
        let mut here = Vec::new();
        deform::pack(&posed.method, &[Affine3A::IDENTITY], &mut here);
        let unknown = self.unknown(posed.model);
        let mut search = Search { posed, packed: &packed, here: &here, ray, met: Vec::new() };
        for (draw, id) in draws.iter().enumerate() {
            let instance = &posed.model.instances[id.index()];
            let Some(mesh) = self.meshes.get(instance.mesh.index()) else { continue };
            for (primitive, clusters) in mesh.iter().enumerate().filter(|(_, c)| !c.leaves.is_empty()) {
                let rigid = posed.model.binding(*id, primitive).1.is_none();
                let unknown = unknown.get(&PrimitiveId::new(instance.mesh, primitive)).filter(|_| !rigid);
                let unknown = unknown.map_or(&[][..], Vec::as_slice);
                search.meet(clusters, DrawnPrimitive { draw, instance: *id, primitive, rigid }, unknown);
            }
        }
        let mut met = std::mem::take(&mut search.met);
        met.sort_by(|a, b| a.enters.total_cmp(&b.enters));
        let mut best: Option<BestHit> = None;
        for met in met {
            // Boxes are larger than their contents by more than the rounding error of the distance.
            if best.is_some_and(|best| best.hit.distance < met.enters) {
                break;
            }
            let clusters = &self.meshes[posed.model.instances[met.drawn.instance.index()].mesh.index()];
            search.look(&clusters[met.drawn.primitive], &met, &mut best);
        }
        best.map(|best| best.hit)
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
    ray: Ray,
    met: Vec<LeafHit>,
}

impl Search<'_> {
    /// Collects the leaves whose box the ray meets. `unknown`: see [`PickIndex::unknown`].
    fn meet(&mut self, clusters: &Clusters, drawn: DrawnPrimitive, unknown: &[bool]) {
        let posed = self.posed;
        let copies = &posed.model.instances[drawn.instance.index()].copies;
        let (first, _) = posed.model.binding(drawn.instance, drawn.primitive);
        let moved = moved_by_morphs(clusters, posed, drawn.instance);
        if copies.is_empty() {
            let palette = &self.packed[first as usize * posed.method.vec4s_per_joint..];
            self.meet_once(clusters, drawn, 0, (palette, unknown), &moved, self.ray);
            return;
        }
        let reach =
            |branch: usize| self.reach(clusters, &clusters.branches[branch], drawn, self.here, moved.branch(branch));
        let whole = (0..clusters.branches.len()).map(reach).try_fold(Aabb::EMPTY, |all, b| Some(all.union(b?)));
        for (copy, matrix) in posed.palettes[first as usize..].iter().take(copies.len()).enumerate() {
            let Some(local) = pick::local_ray(self.ray, matrix) else { continue };
            if whole.is_none_or(|whole| pick::enters(local, whole).is_some()) {
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
        ray: Ray,
    ) {
        for (b, branch) in c.branches.iter().enumerate() {
            // Leaves without bounds are always tested.
            let meets = |bounds: Option<Aabb>| bounds.map_or(Some(0.0), |bounds| pick::enters(ray, bounds));
            let leaves = b * BRANCH..((b + 1) * BRANCH).min(c.leaves.len());
            let is_unknown = |leaf: usize| unknown.get(leaf).copied().unwrap_or_default();
            let is_known = !leaves.clone().any(is_unknown);
            if is_known && meets(self.reach(c, branch, drawn, palette, moved.branch(b))).is_none() {
                continue;
            }
            for leaf in leaves {
                let bounds = self.reach(c, &c.leaves[leaf].members, drawn, palette, moved.leaf(leaf));
                let bounds = bounds.filter(|_| !is_unknown(leaf));
                if let Some(enters) = meets(bounds) {
                    self.met.push(LeafHit { enters, drawn, copy, leaf });
                }
            }
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
    fn look(&self, clusters: &Clusters, met: &LeafHit, best: &mut Option<BestHit>) {
        let DrawnPrimitive { draw, instance, primitive, .. } = met.drawn;
        let PosedModel { model, palettes, morph_weights, method, .. } = *self.posed;
        let (first, _) = model.binding(instance, primitive);
        let at = (instance, primitive);
        let is_copy = !model.instances[instance.index()].copies.is_empty();
        let (deformer, local) = if is_copy {
            let Some(local) = pick::local_ray(self.ray, &palettes[first as usize + met.copy]) else { return };
            (VertexDeformer::rigid(model, at, self.here, morph_weights, method), local)
        } else {
            (VertexDeformer::new(model, at, self.packed, morph_weights, method), self.ray)
        };
        let leaf = &clusters.leaves[met.leaf];
        let vertices = &clusters.vertices[leaf.vertices.start as usize..leaf.vertices.end as usize];
        let mut positions = Vec::new();
        match self.posed.surface.as_ref().and_then(|surface| surface.part(instance, primitive)) {
            Some(part) => positions.extend(vertices.iter().map(|v| part.deformed.positions[*v as usize])),
            None => deformer.positions(vertices, &mut positions),
        }
        for triangle in &clusters.triangles[leaf.triangles.start as usize..leaf.triangles.end as usize] {
            let corners = triangle.corners.map(|c| positions[usize::from(c)]);
            let Some(distance) = pick::distance_to(local, corners) else { continue };
            let order = (draw, primitive, met.copy, triangle.number);
            if best.is_some_and(|best| (best.hit.distance, best.order) <= (distance, order)) {
                continue;
            }
            let nearest = pick::nearest_corner(local, distance, corners);
            let vertex = vertices[usize::from(triangle.corners[nearest])] as usize;
            let position = self.ray.origin + self.ray.direction * distance;
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
