//! What lies near a point of the posed surface, or in a part of the picture, without deforming the whole surface: only clusters whose boxes are
//! accepted are deformed. A method that needs its neighbours deforms all once a pose, and the boxes of the clusters are refitted to that surface.

use std::sync::{Arc, PoisonError};

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_deform::{Surface, SurfacePart};
use skinscope_model::{InstanceId, Model};

use super::boxes::SurfaceBoxes;
use super::search::{DrawnPrimitive, LeafHit, Probe, Search};
use super::{Packed, PickIndex};
use crate::PosedModel;
use crate::pick_clusters::Clusters;

/// A vertex near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearVertex {
    /// The instance.
    pub instance: InstanceId,
    /// The primitive that has the vertex.
    pub primitive: usize,
    /// The number of the instance's copy; 0 where it has none.
    pub copy: usize,
    /// Its number in the primitive.
    pub vertex: u32,
    /// Its posed position, model space, metres.
    pub position: Vec3,
    /// How far it is from the point, metres.
    pub distance: f32,
}

/// A piece of the posed surface.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The instance.
    pub instance: InstanceId,
    /// The primitive that has its vertices.
    pub primitive: usize,
    /// The number of the instance's copy; 0 where it has none.
    pub copy: usize,
    /// The numbers of its vertices in the primitive. A vertex may be in several pieces.
    pub vertices: Vec<u32>,
    /// For each of those, whether it counts: among all pieces of a model it does once, but where a method draws it at several places.
    pub counts: Vec<bool>,
    /// Their posed positions, model space, metres.
    pub positions: Vec<Vec3>,
    /// Its triangles, as indices of those vertices; there are none where the primitive has points or lines.
    pub triangles: Vec<[u8; 3]>,
}

impl PickIndex {
    /// Visits the pieces of the surface whose boxes `meets` accepts, and perhaps some others; boxes are in model space, metres, and hold all that is
    /// in their piece, but for rounding. It has to accept every box that contains one that it accepts. `None` where a method has no surface.
    pub fn visit(
        &self,
        posed: &PosedModel,
        draws: &[InstanceId],
        meets: &dyn Fn(Aabb) -> bool,
        visit: &mut dyn FnMut(&Piece),
    ) -> Option<()> {
        let mut piece = Piece::default();
        self.find(posed, draws, meets, &mut |search, met| {
            for leaf in met {
                self.fill(search, leaf, &mut piece);
                visit(&piece);
            }
        })
    }

    /// Returns the vertices within `radius` of a point of the posed surface, metres, in the order of drawing, each once. It does not matter along
    /// which way they are near: a vertex across a gap counts too. `None` where a method has no surface.
    #[must_use]
    pub fn near(&self, posed: &PosedModel, draws: &[InstanceId], centre: Vec3, radius: f32) -> Option<Vec<NearVertex>> {
        let mut out = Vec::new();
        self.find(posed, draws, &|bounds| bounds.distance(centre) <= f64::from(radius), &mut |search, met| {
            out = match search.surface.is_some_and(|surface| surface.split_model().is_some()) {
                true => self.near_split(search, met, (centre, radius)),
                false => self.near_in(search, met, (centre, radius)),
            };
        })?;
        Some(out)
    }

    /// Returns the vertices of some leaves within a radius of a point. All vertices of a copy are deformed together.
    fn near_in(&self, search: &Search, met: &[LeafHit], (centre, radius): (Vec3, f32)) -> Vec<NearVertex> {
        let (mut vertices, mut positions, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for of_copy in met.chunk_by(|a, b| (a.drawn, a.copy) == (b.drawn, b.copy)) {
            let Some(LeafHit { drawn, copy, .. }) = of_copy.first() else { continue };
            let clusters = self.clusters(search.posed.model, *drawn);
            vertices.clear();
            for met in of_copy {
                vertices.extend_from_slice(clusters.own_vertices_of(&clusters.leaves[met.leaf]));
            }
            search.positions((*drawn, *copy), &vertices, &mut positions);
            for (vertex, position) in vertices.iter().zip(&positions) {
                let distance = position.distance(centre);
                if distance <= radius {
                    let (instance, primitive, copy) = (drawn.instance, drawn.primitive, *copy);
                    let (vertex, position) = (*vertex, *position);
                    out.push(NearVertex { instance, primitive, copy, vertex, position, distance });
                }
            }
        }
        out
    }

    /// Does the same where a method draws a vertex at several places: the nearest one counts.
    fn near_split(&self, search: &Search, met: &[LeafHit], (centre, radius): (Vec3, f32)) -> Vec<NearVertex> {
        let (mut piece, mut out) = (Piece::default(), Vec::new());
        for leaf in met {
            self.fill(search, leaf, &mut piece);
            let Piece { instance, primitive, copy, .. } = piece;
            for ((vertex, position), counts) in piece.vertices.iter().zip(&piece.positions).zip(&piece.counts) {
                let distance = position.distance(centre);
                if *counts && distance <= radius {
                    out.push(NearVertex { instance, primitive, copy, vertex: *vertex, position: *position, distance });
                }
            }
        }
        let key = |near: &NearVertex| (near.instance, near.primitive, near.copy, near.vertex);
        out.sort_by(|a, b| key(a).cmp(&key(b)).then(a.distance.total_cmp(&b.distance)));
        out.dedup_by_key(|near| key(near));
        out
    }

    /// Calls a function with the leaves whose boxes `meets` accepts.
    fn find(
        &self,
        posed: &PosedModel,
        draws: &[InstanceId],
        meets: &dyn Fn(Aabb) -> bool,
        then: &mut dyn FnMut(&Search, &[LeafHit]),
    ) -> Option<()> {
        let packed = Packed::of(posed);
        let whole = if posed.method.needs_surface() { Some(posed.whole(draws)?) } else { None };
        let boxes = whole.as_ref().map(|surface| self.refitted(posed, surface));
        let surface = whole.as_deref().or(posed.surface.as_deref());
        let boxes = boxes.as_deref();
        let search = Search { posed, packed: &packed.palettes, here: &packed.here, surface, boxes };
        // Boxes are computed in single precision.
        let grown = |bounds: Aabb| meets(bounds.grown(Vec3::splat(ROUNDING * bounds.farthest())));
        let met = self.meet_all(&search, draws, Probe::Boxes(&grown, None));
        then(&search, &met);
        Some(())
    }

    /// Returns the boxes around the nodes of a surface, which are kept until another one is asked for.
    fn refitted(&self, posed: &PosedModel, surface: &Arc<Surface>) -> Arc<SurfaceBoxes> {
        let mut kept = self.refitted.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.is_of(surface) {
            *kept = Arc::new(SurfaceBoxes::of(&self.meshes, posed.model, surface));
        }
        Arc::clone(&kept)
    }

    fn clusters(&self, model: &Model, drawn: DrawnPrimitive) -> &Clusters {
        &self.meshes[model.instances[drawn.instance.index()].mesh.index()][drawn.primitive]
    }

    /// Fills a piece with what a leaf holds.
    fn fill(&self, search: &Search, met: &LeafHit, out: &mut Piece) {
        let model = search.posed.model;
        let (instance, primitive) = (met.drawn.instance, met.drawn.primitive);
        let clusters = self.clusters(model, met.drawn);
        let leaf = &clusters.leaves[met.leaf];
        (out.instance, out.primitive, out.copy) = (instance, primitive, met.copy);
        out.triangles.clear();
        if let Some(surface) = search.surface.filter(|surface| surface.split_model().is_some())
            && let Some(part) = surface.part(instance, primitive)
            && !leaf.triangles.is_empty()
        {
            let mesh = model.instances[instance.index()].mesh.index();
            let indices = surface.model(model).meshes[mesh].primitives[primitive].indices.as_chunks::<3>().0;
            let triangles = clusters.triangles_of(leaf).iter().map(|triangle| indices[triangle.number as usize]);
            fill_split(out, triangles, surface, part);
            if let Some(matrix) = search.matrix(met.drawn, met.copy) {
                out.positions.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
            }
            return;
        }
        out.vertices.clear();
        out.vertices.extend_from_slice(clusters.vertices_of(leaf));
        out.counts.clear();
        out.counts.extend((0..out.vertices.len()).map(|i| i < leaf.own as usize));
        out.triangles.extend(clusters.triangles_of(leaf).iter().map(|triangle| triangle.corners));
        search.positions((met.drawn, met.copy), &out.vertices, &mut out.positions);
    }
}

/// Fills a piece of a surface whose vertices a method has copied, so that one vertex is at several places.
fn fill_split(out: &mut Piece, triangles: impl Iterator<Item = [u32; 3]>, surface: &Surface, part: &SurfacePart) {
    let mut drawn: Vec<u32> = Vec::new();
    out.triangles.clear();
    for corners in triangles {
        out.triangles.push(corners.map(|corner| {
            let known = drawn.iter().position(|vertex| *vertex == corner);
            known.unwrap_or_else(|| {
                drawn.push(corner);
                drawn.len() - 1
            }) as u8
        }));
    }
    let original = |vertex: &u32| surface.original(part.instance, part.primitive, *vertex as usize) as u32;
    out.vertices.clear();
    out.vertices.extend(drawn.iter().map(original));
    out.counts.clear();
    out.counts.resize(drawn.len(), true);
    out.positions.clear();
    out.positions.extend(drawn.iter().map(|vertex| part.deformed.positions[*vertex as usize]));
}

/// How far rounding may put a point outside of its box, as a share of the largest coordinate.
const ROUNDING: f32 = 3e-5;
