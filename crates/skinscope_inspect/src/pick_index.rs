//! Finds what lies under a ray in any pose without deforming the whole surface. Triangles are sorted into small
//! clusters, the leaves of a tree, and for each node of the tree it is known which joints move it. A pose turns those
//! joints into a box ([`skinscope_deform::Method::bounds`]), and only clusters whose box the ray meets are deformed. The
//! answer is that of [`super::pick`] on the deformed surface.

mod boxes;
mod near;
mod search;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use glam::{Affine3A, Vec4};
use skinscope_base::math::Ray;
use skinscope_deform as deform;
use skinscope_model::{InstanceId, Mesh, Model, PrimitiveId, PrimitiveRef, Topology, WeightEdits};

use self::boxes::{ByPrimitive, MorphBounds, SurfaceBoxes};
pub use self::near::{NearVertex, Piece};
use self::search::{BestHit, DrawnPrimitive, LeafHit, Probe, Search};

use super::PosedModel;
use super::pick::{self, Hit};
use super::pick_clusters::{self, Clusters, EditedNodes};

/// An index for picking. It is made once for a model as stored, and serves it with edited weights too: of clusters with
/// edited vertices it learns again which joints move them.
#[derive(Clone, Debug, Default)]
pub struct PickIndex {
    /// The clusters by mesh, then primitive.
    meshes: Vec<Vec<Clusters>>,
    /// What the edited weights have changed, for the edits that were asked for last.
    edited: Arc<Mutex<EditedClusters>>,
    /// The boxes around the leaves of the surface that was asked for last, where a method needs all of it.
    refitted: Arc<Mutex<Arc<SurfaceBoxes>>>,
    /// What the morph weights of the pose that was asked for last add to the boxes of each instance and primitive.
    morphed: Arc<Mutex<ByPrimitive<Arc<MorphBounds>>>>,
}

/// The clusters that edited weights have changed.
#[derive(Clone, Debug, Default)]
struct EditedClusters {
    edits: WeightEdits,
    of: Arc<HashMap<PrimitiveId, EditedNodes>>,
}

impl PickIndex {
    /// Sorts the triangles of `model` into clusters, by the weights that its file stores.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let of_primitive = |p: PrimitiveRef<'_>| match p.topology {
            Topology::Triangles => pick_clusters::clusters(p),
            Topology::Points | Topology::Lines => pick_clusters::vertex_clusters(p),
        };
        let stored = |mesh: &Mesh| mesh.primitives.iter().map(|p| of_primitive(p.as_stored())).collect();
        let meshes = model.meshes.iter().map(stored).collect();
        Self { meshes, ..Self::default() }
    }

    /// Returns what the weights that `model` has now change of the clusters.
    fn edited(&self, model: &Model) -> Arc<HashMap<PrimitiveId, EditedNodes>> {
        let mut cached = self.edited.lock().unwrap_or_else(PoisonError::into_inner);
        let EditedClusters { edits: before, of } = &mut *cached;
        let edits = model.weight_edits();
        if !before.is_same(edits) {
            let all = Arc::make_mut(of);
            for id in before.primitives().chain(edits.primitives()).collect::<BTreeSet<_>>() {
                let clusters = self.meshes.get(id.mesh.index()).and_then(|mesh| mesh.get(id.primitive));
                if let Some(clusters) = clusters {
                    let changed = edits.changed_since(before, id.mesh, id.primitive);
                    all.entry(id).or_default().update(clusters, model.primitive(id.mesh, id.primitive), changed);
                }
            }
            *before = edits.clone();
        }
        Arc::clone(of)
    }

    /// Returns what the morph weights of a pose add to the boxes of a primitive.
    fn morphed(
        &self,
        clusters: &Clusters,
        posed: &PosedModel,
        (instance, primitive): (InstanceId, usize),
    ) -> Arc<MorphBounds> {
        let source = &posed.model.instances[instance.index()];
        let weights = &posed.morph_weights[source.morph_offset..][..source.morph_weights.len()];
        if weights.iter().all(|weight| *weight == 0.0) {
            return Arc::default();
        }
        let mut all = self.morphed.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all.entry((instance, primitive)).or_default();
        if !kept.is_of(weights) {
            *kept = Arc::new(MorphBounds::of(clusters, weights));
        }
        Arc::clone(kept)
    }

    /// Returns the nearest hit of `ray` with the instances that are drawn; triangles are hit from both sides.
    #[must_use]
    pub fn pick(&self, posed: &PosedModel, draws: &[InstanceId], ray: Ray) -> Option<Hit> {
        if posed.method.needs_surface() {
            // With such a method the joints do not tell where vertices are.
            return pick::pick(posed.model, &*posed.whole(draws)?, ray);
        }
        let packed = Packed::of(posed);
        let surface = posed.surface.as_deref();
        let search = Search { posed, packed: &packed.palettes, here: &packed.here, surface, boxes: None };
        let mut met = self.meet_all(&search, draws, Probe::Ray(ray));
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

    /// Returns the leaves of all drawn instances that a probe meets.
    fn meet_all(&self, search: &Search, draws: &[InstanceId], probe: Probe) -> Vec<LeafHit> {
        let model = search.posed.model;
        let (edited, mut out) = (self.edited(model), Vec::new());
        for (draw, id) in draws.iter().enumerate() {
            let instance = &model.instances[id.index()];
            let Some(mesh) = self.meshes.get(instance.mesh.index()) else { continue };
            for (primitive, clusters) in mesh.iter().enumerate().filter(|(_, c)| !c.leaves.is_empty()) {
                let drawn =
                    DrawnPrimitive { draw, instance: *id, primitive, rigid: model.binding(*id, primitive).1.is_none() };
                let edited = edited.get(&PrimitiveId::new(instance.mesh, primitive));
                let morphed = self.morphed(clusters, search.posed, (*id, primitive));
                search.meet(clusters, drawn, (edited, &morphed), probe, &mut out);
            }
        }
        out
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
