//! Walks down the boxes of the nodes to the leaves that a ray or a part of the surface meets, and deforms those.

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::{Aabb, Ray};
use skinscope_deform::{InfluenceBounds, Surface, VertexDeformer};
use skinscope_model::InstanceId;

use super::boxes::{MorphBounds, SurfaceBoxes};
use crate::PosedModel;
use crate::pick::{self, Hit};
use crate::pick_clusters::{BRANCH, Clusters, EditedNodes, Known};

/// What boxes are asked for.
#[derive(Clone, Copy)]
pub(super) enum Probe<'p> {
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

/// A primitive as it is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DrawnPrimitive {
    /// Its index in the list of drawn instances.
    pub draw: usize,
    pub instance: InstanceId,
    pub primitive: usize,
    /// Whether one matrix moves all of it, whatever influences it has.
    pub rigid: bool,
}

/// A leaf whose box the ray meets.
pub(super) struct LeafHit {
    pub enters: f32,
    pub drawn: DrawnPrimitive,
    pub copy: usize,
    pub leaf: usize,
}

/// The nearest hit; of equally near ones the one that is drawn first.
#[derive(Clone, Copy)]
pub(super) struct BestHit {
    pub hit: Hit,
    order: (usize, usize, usize, u32),
}

/// What a search reads.
pub(super) struct Search<'a> {
    pub posed: &'a PosedModel<'a>,
    /// The palettes of all skins, packed.
    pub packed: &'a [Vec4],
    /// The identity, packed, since copies are searched in mesh space.
    pub here: &'a [Vec4],
    /// The surface to read positions from, where there is one.
    pub surface: Option<&'a Surface>,
    /// The boxes around the nodes of that surface, where the joints do not tell where vertices are.
    pub boxes: Option<&'a SurfaceBoxes>,
}

/// A walk through the nodes of one primitive, in one of its copies.
#[derive(Clone, Copy)]
struct Walk<'w> {
    clusters: &'w Clusters,
    drawn: DrawnPrimitive,
    copy: usize,
    palette: &'w [Vec4],
    /// What edited weights have changed, where they move the vertices.
    edited: Option<&'w EditedNodes>,
    morphed: &'w MorphBounds,
    probe: Probe<'w>,
}

impl Walk<'_> {
    /// Returns the nodes that have none above them: their level, and how many there are.
    fn top(&self) -> (usize, usize) {
        let levels = &self.clusters.levels;
        (levels.len().saturating_sub(1), levels.last().map_or(0, Vec::len))
    }
}

impl Search<'_> {
    /// Collects the leaves whose box the ray meets.
    pub fn meet(
        &self,
        clusters: &Clusters,
        drawn: DrawnPrimitive,
        (edited, morphed): (Option<&EditedNodes>, &MorphBounds),
        probe: Probe,
        met: &mut Vec<LeafHit>,
    ) {
        let posed = self.posed;
        let copies = &posed.model.instances[drawn.instance.index()].copies;
        let (first, _) = posed.model.binding(drawn.instance, drawn.primitive);
        let mut walk = Walk { clusters, drawn, copy: 0, palette: self.here, edited: None, morphed, probe };
        let (level, count) = walk.top();
        if copies.is_empty() {
            walk.palette = &self.packed[first as usize * posed.method.vec4s_per_joint..];
            walk.edited = edited.filter(|_| !drawn.rigid);
            (0..count).for_each(|node| self.descend(&walk, (level, node), met));
            return;
        }
        let reach = |node: usize| self.bounds(&walk, (level, node));
        let whole = (0..count).map(reach).try_fold(Aabb::EMPTY, |all, b| Some(all.union(b?)));
        for (copy, matrix) in posed.palettes[first as usize..].iter().take(copies.len()).enumerate() {
            let Some(probe) = probe.local(matrix) else { continue };
            if whole.is_none_or(|whole| probe.enters(whole).is_some()) {
                let walk = Walk { copy, probe, ..walk };
                (0..count).for_each(|node| self.descend(&walk, (level, node), met));
            }
        }
    }

    /// Collects the leaves at and below a node whose box the ray meets.
    fn descend(&self, walk: &Walk, (level, node): (usize, usize), met: &mut Vec<LeafHit>) {
        // Nodes without bounds are always met.
        let enters = self.bounds(walk, (level, node)).map_or(Some(0.0), |bounds| walk.probe.enters(bounds));
        let Some(enters) = enters else { return };
        match level.checked_sub(1) {
            None => met.push(LeafHit { enters, drawn: walk.drawn, copy: walk.copy, leaf: node }),
            Some(below) => {
                let end = ((node + 1) * BRANCH).min(walk.clusters.levels[below].len());
                (node * BRANCH..end).for_each(|node| self.descend(walk, (below, node), met));
            }
        }
    }

    /// Returns a box in which the vertices of a node must be; `None` where that is not known.
    fn bounds(&self, walk: &Walk, (level, node): (usize, usize)) -> Option<Aabb> {
        let Walk { clusters, drawn, .. } = *walk;
        if let Some(boxes) = self.boxes {
            return boxes.node((drawn.instance, drawn.primitive), level, node);
        }
        let known = match walk.edited {
            Some(edited) => edited.known(clusters, level, node),
            None => clusters.known(level, node),
        };
        self.reach(known, walk, walk.morphed.node(level, node))
    }

    /// Returns a box in which some vertices must be, which morph targets move by no more than `by`.
    fn reach(&self, (members, joints): Known<'_>, walk: &Walk, by: Option<Aabb>) -> Option<Aabb> {
        let displaced = |b: Aabb| by.map_or(b, |by| Aabb { min: b.min + by.min, max: b.max + by.max });
        let reach =
            |joints: &[(u16, Aabb)], sums| (self.posed.method.bounds)(walk.palette, &InfluenceBounds { joints, sums });
        if walk.drawn.rigid {
            return reach(&[(0, displaced(members.around))], [1.0; 2]);
        }
        match by {
            _ if members.wild => None,
            None => reach(joints, members.sums),
            Some(_) => {
                let joints: Vec<(u16, Aabb)> = joints.iter().map(|(joint, b)| (*joint, displaced(*b))).collect();
                reach(&joints, members.sums)
            }
        }
    }

    /// Deforms some vertices of a copy, or reads them from a surface: in model space, or where there are copies in mesh space.
    fn local_positions(&self, drawn: DrawnPrimitive, vertices: &[u32], out: &mut Vec<Vec3>) {
        let PosedModel { model, morph_weights, method, .. } = *self.posed;
        let at = (drawn.instance, drawn.primitive);
        if let Some(part) = self.surface.and_then(|surface| surface.part(drawn.instance, drawn.primitive)) {
            out.clear();
            out.extend(vertices.iter().map(|v| part.deformed.positions[*v as usize]));
            return;
        }
        let deformer = match model.instances[drawn.instance.index()].copies.is_empty() {
            true => VertexDeformer::new(model, at, self.packed, morph_weights, method),
            false => VertexDeformer::rigid(model, at, self.here, morph_weights, method),
        };
        deformer.positions(vertices, out);
    }

    /// Returns the matrix of a copy, which takes it from mesh space to model space; `None` where the instance has no copies.
    pub fn matrix(&self, drawn: DrawnPrimitive, copy: usize) -> Option<Affine3A> {
        let PosedModel { model, palettes, .. } = *self.posed;
        let (first, _) = model.binding(drawn.instance, drawn.primitive);
        let has_copies = !model.instances[drawn.instance.index()].copies.is_empty();
        has_copies.then(|| palettes[first as usize + copy])
    }

    /// Deforms some vertices of a copy, or reads them from a surface, and writes their positions in model space to `out`.
    pub fn positions(&self, (drawn, copy): (DrawnPrimitive, usize), vertices: &[u32], out: &mut Vec<Vec3>) {
        self.local_positions(drawn, vertices, out);
        if let Some(matrix) = self.matrix(drawn, copy) {
            out.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
        }
    }

    /// Deforms the leaf and keeps its nearest hit.
    pub fn look(&self, clusters: &Clusters, met: &LeafHit, ray: Ray, best: &mut Option<BestHit>) {
        let DrawnPrimitive { draw, instance, primitive, .. } = met.drawn;
        let local = match self.matrix(met.drawn, met.copy) {
            Some(matrix) => pick::local_ray(ray, &matrix),
            None => Some(ray),
        };
        let Some(local) = local else { return };
        let leaf = &clusters.leaves[met.leaf];
        let vertices = clusters.vertices_of(leaf);
        let mut positions = Vec::new();
        self.local_positions(met.drawn, vertices, &mut positions);
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
